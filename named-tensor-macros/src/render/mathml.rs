//! Mathematics as MathML Core, which browsers show without scripts or style sheets.
//!
//! The text stands inside Markdown too, so characters that mean something there are written as entities, and there is
//! no line break.

use super::layout::{Layout, Line, Lines};

/// Fonts with the tables that mathematics needs: browsers that know none by the name `math` would not lower subscripts.
const FONT: &str =
    "font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math";

/// Cells of a table: text to the left, the left side of an equation, the right side of one.
const LEFT: &str = "<mtd style=\"text-align:left\">";
/// In WebKit and its kin what is in a cell is a block, which only a value of their own moves to the right.
const BEFORE: &str = "<mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\">";
const BEHIND: &str = "<mtd style=\"text-align:left;padding-left:0\">";

/// Lines as one displayed table.
pub(super) fn print(Lines { lines, aligned }: &Lines) -> String {
    let rows: String = lines.iter().map(|line| row(line, *aligned)).collect();
    format!("<math display=\"block\" style=\"{FONT}\"><mtable displaystyle=\"true\">{rows}</mtable></math>")
}

/// One line within a sentence.
pub(super) fn within_text(line: &Line) -> String {
    format!("<math style=\"{FONT}\">{}</math>", sides(line))
}

fn row(line: &Line, aligned: bool) -> String {
    let (one, other, sign) = (inline(&line.left), inline(&line.right), relation(line.sign));
    match (aligned, line.is_long()) {
        (true, _) => format!("<mtr>{BEFORE}{one}</mtd>{BEHIND}{sign}{other}</mtd></mtr>"),
        (false, false) => format!("<mtr>{LEFT}{one}{sign}{other}</mtd></mtr>"),
        (false, true) => {
            format!("<mtr>{LEFT}{one}</mtd></mtr><mtr>{LEFT}<mspace width=\"2em\"/>{sign}{other}</mtd></mtr>")
        }
    }
}

/// The sign between two sides, spaced as such even where it begins a cell.
fn relation(sign: &str) -> String {
    format!("<mo form=\"infix\">{}</mo>", escaped(sign))
}

fn sides(line: &Line) -> String {
    format!("{}{}{}", inline(&line.left), relation(line.sign), inline(&line.right))
}

/// A piece of mathematics; a row has no element of its own.
fn inline(layout: &Layout) -> String {
    match layout {
        Layout::Row(parts) => parts.iter().map(inline).collect(),
        Layout::Variable(name) => format!("<mi>{}</mi>", escaped(name)),
        Layout::Word(name) => upright(name),
        Layout::Axis(name, primes) => axis(&format!("{name}{}", "′".repeat(*primes))),
        Layout::Primes(primes) => format!("<mo>{}</mo>", "′".repeat(*primes)),
        Layout::Number(digits) if digits == "∞" => "<mi>∞</mi>".to_owned(),
        Layout::Number(digits) => format!("<mn>{digits}</mn>"),
        Layout::Infix(sign) => infix(sign),
        Layout::Prefix(sign) => format!("<mo form=\"prefix\">{}</mo>", big(sign)),
        Layout::Separator(sign) => format!("<mo>{sign}</mo>"),
        // Spaces at the ends of an element are dropped.
        Layout::Text(words) => format!("<mtext>{}</mtext>", words.replace(' ', "&#160;")),
        Layout::Gap => String::new(),
        Layout::Fraction(over, under) => format!("<mfrac>{}{}</mfrac>", one(over), one(under)),
        Layout::Root(inside) => format!("<msqrt>{}</msqrt>", inline(inside)),
        Layout::Under(what, names) => {
            let names: Vec<String> = names.iter().map(inline).collect();
            let above = match &**what {
                // The paper's strut: names stand as low under a word without descenders as under others.
                Layout::Word(_) => format!("<mpadded depth=\"0.2em\">{}</mpadded>", inline(what)),
                what => one(what),
            };
            format!("<munder>{above}{}</munder>", group(&names.join("<mo>,</mo>")))
        }
        Layout::Sub(base, below) => format!("<msub>{}{}</msub>", one(base), one(below)),
        Layout::Sup(base, above) => match &**base {
            Layout::Sub(base, below) => format!("<msubsup>{}{}{}</msubsup>", one(base), one(below), one(above)),
            _ => format!("<msup>{}{}</msup>", one(base), one(above)),
        },
        Layout::Fence(open, inside, close) => {
            let stretched = if inside.is_tall() { "" } else { " stretchy=\"false\"" };
            let delimiter = |sign: &str, form| format!("<mo form=\"{form}\"{stretched}>{}</mo>", escaped(sign));
            group(&format!("{}{}{}", delimiter(open, "prefix"), inline(inside), delimiter(close, "postfix")))
        }
        Layout::Cases(rows) => {
            let cell = |layout| format!("{LEFT}{}</mtd>", inline(layout));
            let rows: String =
                rows.iter().map(|(value, when)| format!("<mtr>{}{}</mtr>", cell(value), cell(when))).collect();
            format!("<mrow><mo>{{</mo><mtable>{rows}</mtable></mrow>")
        }
    }
}

/// A piece of mathematics as exactly one element.
fn one(layout: &Layout) -> String {
    match layout {
        Layout::Row(_) => group(&inline(layout)),
        _ => inline(layout),
    }
}

fn group(parts: &str) -> String {
    format!("<mrow>{parts}</mrow>")
}

fn infix(sign: &str) -> String {
    match sign {
        "mod" => "<mo lspace=\"0.22em\" rspace=\"0.22em\">mod</mo>".to_owned(),
        "→" => "<mo stretchy=\"false\">→</mo>".to_owned(),
        "/" | ".." => format!("<mo lspace=\"0\" rspace=\"0\">{sign}</mo>"),
        sign => format!("<mo>{}</mo>", escaped(sign)),
    }
}

/// The large signs of sums and products instead of the letters.
fn big(sign: &'static str) -> &'static str {
    match sign {
        "Σ" => "∑",
        "Π" => "∏",
        other => other,
    }
}

fn upright(name: &str) -> String {
    let name = escaped(name);
    // A single letter would be slanted.
    if name.chars().count() == 1 {
        format!("<mi mathvariant=\"normal\">{name}</mi>")
    } else {
        format!("<mi>{name}</mi>")
    }
}

/// The paper sets names of axes without serifs.
fn axis(name: &str) -> String {
    format!("<mi mathvariant=\"normal\" style=\"font-family:sans-serif\">{}</mi>", escaped(name))
}

/// Characters that mean something in XML or in Markdown, as entities.
fn escaped(text: &str) -> String {
    let mut result = String::new();
    for char in text.chars() {
        match char {
            '&' | '<' | '>' | '_' | '*' | '[' | ']' | '|' | '~' | '`' | '\\' | '$' => {
                result.push_str(&format!("&#{};", u32::from(char)));
            }
            other => result.push(other),
        }
    }
    result
}
