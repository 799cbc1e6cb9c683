//! Mathematics as MathML Core, which browsers show without scripts or style sheets.
//!
//! The text stands inside Markdown too, so characters that mean something there are written as entities, and there is
//! no line break.

use super::equations::is_long;
use super::layout::{Layout, Line, Lines};

/// Lines as one displayed table.
pub(super) fn print(Lines { lines, aligned }: &Lines) -> String {
    let rows: String = lines.iter().map(|line| row(line, *aligned)).collect();
    format!("<math display=\"block\"><mtable displaystyle=\"true\">{rows}</mtable></math>")
}

/// One line within a sentence.
pub(super) fn within_text(line: &Line) -> String {
    format!("<math>{}</math>", group(&sides(line)))
}

fn row(line: &Line, aligned: bool) -> String {
    let left = |parts: &str| format!("<mtd style=\"text-align:left\">{parts}</mtd>");
    let (one, other) = (inline(&line.left), inline(&line.right));
    let sign = infix(line.sign);
    match (aligned, is_long(line)) {
        (true, _) => {
            format!(
                "<mtr><mtd style=\"text-align:right;padding-right:0\">{one}</mtd>{}</mtr>",
                left(&format!("{sign}{other}"))
            )
        }
        (false, false) => format!("<mtr>{}</mtr>", left(&sides(line))),
        (false, true) => {
            let quad = "<mspace width=\"2em\"/>";
            format!("<mtr>{}</mtr><mtr>{}</mtr>", left(&one), left(&format!("{quad}{sign}{other}")))
        }
    }
}

fn sides(line: &Line) -> String {
    format!("{}{}{}", inline(&line.left), infix(line.sign), inline(&line.right))
}

/// A piece of mathematics; a row has no element of its own.
fn inline(layout: &Layout) -> String {
    match layout {
        Layout::Row(parts) => parts.iter().map(inline).collect(),
        Layout::Variable(name) => format!("<mi>{}</mi>", escaped(name)),
        Layout::Word(name) => upright(name),
        Layout::Axis(name, 0) => axis(name),
        Layout::Axis(name, primes) => format!("<msup>{}<mo>{}</mo></msup>", axis(name), "′".repeat(*primes)),
        Layout::Number(digits) if digits == "∞" => "<mi>∞</mi>".to_owned(),
        Layout::Number(digits) => format!("<mn>{digits}</mn>"),
        Layout::Infix(sign) => infix(sign),
        Layout::Prefix(sign) => format!("<mo>{}</mo>", big(sign)),
        Layout::Separator(sign) => format!("<mo>{sign}</mo>"),
        // Spaces at the ends of an element are dropped.
        Layout::Text(words) => format!("<mtext>{}</mtext>", words.replace(' ', "&#160;")),
        Layout::Gap => String::new(),
        Layout::Fraction(over, under) => format!("<mfrac>{}{}</mfrac>", one(over), one(under)),
        Layout::Root(inside) => format!("<msqrt>{}</msqrt>", inline(inside)),
        Layout::Under(what, names) => {
            let names: Vec<String> = names.iter().map(inline).collect();
            format!("<munder>{}{}</munder>", one(what), group(&names.join("<mo>,</mo>")))
        }
        Layout::Sub(base, below) => format!("<msub>{}{}</msub>", one(base), one(below)),
        Layout::Sup(base, above) => match &**base {
            Layout::Sub(base, below) => format!("<msubsup>{}{}{}</msubsup>", one(base), one(below), one(above)),
            _ => format!("<msup>{}{}</msup>", one(base), one(above)),
        },
        Layout::Fence(open, inside, close) => {
            format!("<mrow><mo>{}</mo>{}<mo>{}</mo></mrow>", escaped(open), inline(inside), escaped(close))
        }
        Layout::Cases(rows) => {
            let cell = |layout| format!("<mtd style=\"text-align:left\">{}</mtd>", inline(layout));
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
        "/" => "<mo lspace=\"0\" rspace=\"0\">/</mo>".to_owned(),
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

fn axis(name: &str) -> String {
    upright(name)
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
