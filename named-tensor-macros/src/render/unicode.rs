//! Mathematics in one line of Unicode, for terminals and tests.

use super::layout::{Layout, Line};

/// Equations, then what holds for their parameters, further in.
pub(super) fn print(equations: &[Line], further: &[Line]) -> String {
    let mut text = String::new();
    for (lines, indent) in [(equations, ""), (further, "    ")] {
        for line in lines {
            if !text.is_empty() {
                text.push('\n');
            }
            let (left, right) = (inline(&line.left), inline(&line.right));
            let is_long = left.chars().count() + right.chars().count() > WIDTH && indent.is_empty();
            let sign = if is_long { format!("\n    {}", line.sign) } else { format!(" {}", line.sign) };
            text.push_str(&format!("{indent}{left}{sign} {right}"));
        }
    }
    text
}

/// How many characters a line may have in one piece.
const WIDTH: usize = 110;

/// A piece of mathematics in one line.
pub(super) fn inline(layout: &Layout) -> String {
    let mut text = String::new();
    push(layout, false, &mut text);
    text
}

/// `in_script`: without the spaces around signs.
fn push(layout: &Layout, in_script: bool, text: &mut String) {
    match layout {
        Layout::Row(parts) => parts.iter().for_each(|part| push(part, in_script, text)),
        Layout::Variable(name) | Layout::Word(name) | Layout::Number(name) => text.push_str(name),
        Layout::Axis(name, primes) => {
            text.push_str(name);
            text.push_str(&"′".repeat(*primes));
        }
        Layout::Primes(primes) => text.push_str(&"′".repeat(*primes)),
        Layout::Infix(sign @ "..") => text.push_str(sign),
        Layout::Infix(sign) if in_script && *sign != "mod" => text.push_str(sign),
        Layout::Infix(sign) => text.push_str(&format!(" {sign} ")),
        Layout::Prefix(sign) | Layout::Text(sign) => text.push_str(sign),
        Layout::Separator(sign) => {
            text.push_str(sign);
            text.push(' ');
        }
        Layout::Gap => text.push(' '),
        Layout::Fraction(over, under) => {
            push(over, in_script, text);
            text.push_str(" / ");
            push(under, in_script, text);
        }
        Layout::Root(inside) => {
            let is_one =
                matches!(**inside, Layout::Variable(_) | Layout::Number(_) | Layout::Sub(..) | Layout::Fence(..));
            text.push_str(if is_one { "√" } else { "√(" });
            push(inside, in_script, text);
            text.push_str(if is_one { "" } else { ")" });
        }
        Layout::Under(what, names) => {
            let (before, behind) = match **what {
                Layout::Infix(sign) => (format!(" {sign}"), " "),
                _ => (inline(what), ""),
            };
            text.push_str(&before);
            let names: Vec<String> = names.iter().map(inline).collect();
            push_script('_', &names.join(", "), text);
            text.push_str(behind);
        }
        Layout::Sub(base, below) => {
            push(base, in_script, text);
            match &**below {
                Layout::Number(digits) => text.extend(digits.chars().map(subscript)),
                _ => push_script('_', &script(below), text),
            }
        }
        Layout::Sup(base, above) => {
            push(base, in_script, text);
            match &**above {
                Layout::Primes(_) => push(above, in_script, text),
                Layout::Number(digits) if digits.chars().all(|char| char.is_ascii_digit()) => {
                    text.extend(digits.chars().map(superscript));
                }
                _ => push_script('^', &script(above), text),
            }
        }
        Layout::Fence(open, inside, close) => {
            text.push_str(open);
            push(inside, in_script, text);
            text.push_str(close);
        }
        Layout::Cases(rows) => {
            let rows: Vec<String> =
                rows.iter().map(|(value, when)| format!("{} {}", inline(value), inline(when))).collect();
            text.push_str(&format!("{{ {} }}", rows.join("; ")));
        }
    }
}

fn script(layout: &Layout) -> String {
    let mut text = String::new();
    push(layout, true, &mut text);
    text
}

/// A script, in braces unless it is one word.
fn push_script(mark: char, script: &str, text: &mut String) {
    let is_word = script.chars().all(|char| char.is_alphanumeric() || "_′".contains(char));
    text.push(mark);
    text.push_str(&if is_word { script.to_owned() } else { format!("{{{script}}}") });
}

fn subscript(digit: char) -> char {
    digit.to_digit(10).and_then(|digit| char::from_u32(0x2080 + digit)).unwrap_or(digit)
}

fn superscript(digit: char) -> char {
    match digit.to_digit(10) {
        Some(1) => '¹',
        Some(2) => '²',
        Some(3) => '³',
        Some(digit) => char::from_u32(0x2070 + digit).unwrap_or('⁰'),
        None => digit,
    }
}
