//! Mathematics as LaTeX, with the commands of the paper's `namedtensor.sty` (CTAN, version 0.4).
//!
//! `\name` an axis, `\ndot` a contraction, `\nsum` a sum, `\nfun` a function with axes underneath, of
//! which `\\` stacks several. Everything else is of `amsmath` and `amssymb`, which that package loads or needs.

use super::layout::{Layout, Line, Lines};

/// Lines as an `align*`.
pub(super) fn print(Lines { lines, aligned }: &Lines) -> String {
    let rows = lines.iter().map(|line| row(line, *aligned));
    format!("\\begin{{align*}}\n{}\n\\end{{align*}}", rows.collect::<Vec<_>>().join(" \\\\\n"))
}

fn row(line: &Line, aligned: bool) -> String {
    let (left, right) = (inline(&line.left), inline(&line.right));
    let sign = if line.sign == ":" { "\\colon" } else { sign(line.sign) };
    match (aligned, line.is_long()) {
        (true, _) => format!("  {left} &{sign} {right}"),
        (false, false) => format!("  &{left} {sign} {right}"),
        (false, true) => format!("  &{left} \\\\\n  &\\quad {sign} {right}"),
    }
}

/// A piece of mathematics.
pub(super) fn inline(layout: &Layout) -> String {
    match layout {
        Layout::Row(parts) => {
            let mut row = String::new();
            let mut before: Option<&Layout> = None;
            for part in parts {
                // Arguments stand close to their function, and a comma to what it follows.
                let is_close = match part {
                    Layout::Separator(_) => true,
                    Layout::Fence(..) => matches!(
                        before,
                        Some(Layout::Variable(_) | Layout::Word(_) | Layout::Axis(..) | Layout::Sub(..))
                    ),
                    _ => false,
                };
                let text = inline(part);
                row.push_str(if row.is_empty() || is_close || text.is_empty() { "" } else { " " });
                row.push_str(&text);
                before = Some(part);
            }
            row
        }
        Layout::Variable(name) => variable(name),
        Layout::Word(name) => format!("\\operatorname{{{}}}", word(name)),
        Layout::Axis(name, primes) => format!("\\name{{{}{}}}", word(name), "'".repeat(*primes)),
        Layout::Primes(primes) => "\\prime".repeat(*primes),
        Layout::Number(digits) if digits == "∞" => "\\infty".to_owned(),
        Layout::Number(digits) => digits.clone(),
        Layout::Infix(one) | Layout::Prefix(one) => sign(one).to_owned(),
        Layout::Separator(sign) => (*sign).to_owned(),
        Layout::Text(words) => format!("\\text{{{words}}}"),
        Layout::Gap => String::new(),
        Layout::Fraction(over, under) => format!("\\frac{{{}}}{{{}}}", inline(over), inline(under)),
        Layout::Root(inside) => format!("\\sqrt{{{}}}", inline(inside)),
        Layout::Under(what, names) => {
            let names = names.iter().map(inline).collect::<Vec<_>>().join(" \\\\ ");
            match &**what {
                Layout::Infix("⊙") => format!("\\ndot{{{names}}}"),
                Layout::Prefix("Σ") => format!("\\nsum{{{names}}}"),
                Layout::Prefix(big) => format!("{}_{{\\substack{{{names}}}}}", sign(big)),
                Layout::Word(name) => format!("\\nfun{{{names}}}{{{}}}", word(name)),
                Layout::Sub(name, below) => match &**name {
                    Layout::Word(name) => format!("\\nfun{{{names}}}{{{}_{{{}}}}}", word(name), inline(below)),
                    name => format!("\\nfun{{{names}}}{{{}_{{{}}}}}", inline(name), inline(below)),
                },
                other => format!("\\nfun{{{names}}}{{{}}}", inline(other)),
            }
        }
        Layout::Sub(base, below) => format!("{}_{{{}}}", one(base), inline(below)),
        // TeX takes one superscript at a time, and a prime is one.
        Layout::Sup(base, above) if matches!(**base, Layout::Sup(..)) => {
            format!("{{{}}}^{{{}}}", one(base), inline(above))
        }
        Layout::Sup(base, above) => format!("{}^{{{}}}", one(base), inline(above)),
        Layout::Fence(open, inside, close) if inside.is_tall() => {
            format!("\\left{} {} \\right{}", delimiter(open), inline(inside), delimiter(close))
        }
        Layout::Fence(open, inside, close) => {
            let open = delimiter(open);
            let gap = if open.len() > 1 { " " } else { "" };
            format!("{open}{gap}{}{gap}{}", inline(inside), delimiter(close))
        }
        Layout::Cases(rows) => {
            let rows = rows.iter().map(|(value, when)| format!("{} & {}", inline(value), inline(when)));
            format!("\\begin{{cases}} {} \\end{{cases}}", rows.collect::<Vec<_>>().join(" \\\\ "))
        }
    }
}

/// A piece of mathematics as exactly one, to stand before a script.
fn one(layout: &Layout) -> String {
    if matches!(layout, Layout::Row(_)) { format!("{{{}}}", inline(layout)) } else { inline(layout) }
}

fn sign(sign: &'static str) -> &'static str {
    match sign {
        "−" => "-",
        "·" => "\\cdot",
        "⊙" => "\\odot",
        "×" => "\\times",
        "≤" => "\\leq",
        "≥" => "\\geq",
        "≠" => "\\neq",
        "∈" => "\\in",
        "∼" => "\\sim",
        "→" => "\\rightarrow",
        "∧" => "\\land",
        "∨" => "\\lor",
        "¬" => "\\neg",
        "∂" => "\\partial",
        "Σ" => "\\sum",
        "Π" => "\\prod",
        "mod" => "\\bmod",
        ".." => "\\mathbin{..}",
        other => other,
    }
}

fn delimiter(delimiter: &'static str) -> &'static str {
    match delimiter {
        "{" => "\\{",
        "}" => "\\}",
        "⌊" => "\\lfloor",
        "⌋" => "\\rfloor",
        other => other,
    }
}

/// One letter as it is, Greek and double-struck ones by their commands; several letters as one word.
fn variable(name: &str) -> String {
    let mut letters = name.chars();
    match (letters.next(), letters.next()) {
        (Some('ℝ'), None) => "\\mathbb{R}".to_owned(),
        (Some('𝔹'), None) => "\\mathbb{B}".to_owned(),
        (Some(letter), None) => greek(letter).map_or_else(|| word(name), |command| format!("\\{command}")),
        _ => format!("\\mathit{{{}}}", word(name)),
    }
}

/// The letters of a word, with what LaTeX would take for a command made plain.
fn word(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        match (letter, greek(letter)) {
            ('_', _) => text.push_str("\\_"),
            (' ', _) => text.push_str("\\ "),
            (_, Some(command)) => text.push_str(&format!("{{\\{command}}}")),
            (letter, None) if letter.is_ascii() => text.push(letter),
            (letter, None) => text.push_str(&format!("\\text{{{letter}}}")),
        }
    }
    text
}

/// The command of a Greek letter that LaTeX has; the other capitals are those of the Latin alphabet.
fn greek(letter: char) -> Option<&'static str> {
    Some(match letter {
        'α' => "alpha",
        'β' => "beta",
        'γ' => "gamma",
        'δ' => "delta",
        'ε' => "varepsilon",
        'ζ' => "zeta",
        'η' => "eta",
        'θ' => "theta",
        'ι' => "iota",
        'κ' => "kappa",
        'λ' => "lambda",
        'μ' => "mu",
        'ν' => "nu",
        'ξ' => "xi",
        'π' => "pi",
        'ρ' => "rho",
        'σ' => "sigma",
        'ς' => "varsigma",
        'τ' => "tau",
        'υ' => "upsilon",
        'φ' => "varphi",
        'χ' => "chi",
        'ψ' => "psi",
        'ω' => "omega",
        'Γ' => "Gamma",
        'Δ' => "Delta",
        'Θ' => "Theta",
        'Λ' => "Lambda",
        'Ξ' => "Xi",
        'Π' => "Pi",
        'Σ' => "Sigma",
        'Υ' => "Upsilon",
        'Φ' => "Phi",
        'Ψ' => "Psi",
        'Ω' => "Omega",
        _ => return None,
    })
}
