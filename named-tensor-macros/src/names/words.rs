//! What other libraries call the things that the notation writes otherwise.
//!
//! Such a name is no slip of the pen, so no name is near it; what to write instead is known all the same.
//! Lives here: what is written for a word with the axes and the numbers of a call, and types of Rust before brackets,
//! which read like positions along an axis. Not here: the words (`dictionary`), when functions are looked up (`calls`).

use super::dictionary::{METHODS, WORDS};
use super::{Vocabulary, axes, signature_types};
use crate::ast::{Block, Element, Form, Function, ParameterType, TensorType};
use crate::code::name_of;
use crate::report::Report;
use crate::set::{Set, axis_name, axis_span, axis_text};
use std::collections::BTreeSet;

/// What to write where a function of another library is called with these axes and these arguments, as they are written.
pub(super) fn instead(word: &str, axes: &[String], given: &[String]) -> Option<String> {
    let text = find(WORDS, word)?;
    Some(with_axes(&with_values(word, text, given), axes))
}

/// The same for what stands behind a point, or behind the name of a library; all arguments of small letters seem axes.
pub(crate) fn instead_of_method(word: &str, axes: &[String], given: &[String]) -> Option<String> {
    let text = find(WORDS, word).or_else(|| find(METHODS, word))?;
    let takes_two = text.split('`').skip(1).step_by(2).any(|formula| {
        let mut pieces = formula.split('Y').skip(1);
        pieces.any(|behind| !behind.starts_with("_{ax"))
    });
    let axes = if takes_two && axes.len() + 1 == given.len() { &[] } else { axes };
    Some(with_axes(&with_values(word, text, given), axes))
}

/// Whether a function of another library has this name.
pub(super) fn is_foreign(word: &str) -> bool {
    find(WORDS, word).is_some()
}

fn find(list: &[(&'static str, &'static str)], word: &str) -> Option<&'static str> {
    list.iter().find(|(words, _)| words.split(' ').any(|one| one == word)).map(|(_, text)| *text)
}

/// A text with the values that a call gives, where it would have another meaning without them.
fn with_values(word: &str, text: &str, given: &[String]) -> String {
    let value = given.get(1..).into_iter().flatten().find_map(|one| number_of(one));
    match (word, value.as_deref()) {
        ("masked_fill", Some(value)) => text.replace("-inf", value),
        ("masked_fill", None) => {
            let is_word = |one: &&str| !one.is_empty() && one.chars().all(|char| char.is_alphanumeric() || char == '_');
            match given.get(2).map(String::as_str) {
                None => text.to_owned(),
                // `float("-inf")`, `-torch.inf`
                Some(value) if value.ends_with("inf") || value.contains("inf\"") => {
                    text.replace("-inf", if value.contains('-') { "-inf" } else { "inf" })
                }
                Some(value) => text.replace("-inf", Some(value).filter(is_word).unwrap_or("V")),
            }
        }
        ("tril" | "triu", Some(value)) => {
            // The diagonal k keeps j <= i + k below, j >= i + k above it.
            let moved = match (word, value.strip_prefix('-')) {
                (_, None) if value == "0" => return text.to_owned(),
                ("tril", None) => format!("j <= i + {value}"),
                ("tril", Some(back)) => format!("j + {back} <= i"),
                (_, None) => format!("i + {value} <= j"),
                (_, Some(back)) => format!("i <= j + {back}"),
            };
            text.replace("j <= i", &moved).replace("i <= j {", &format!("{moved} {{"))
        }
        ("leaky_relu" | "leakyrelu", Some(value)) => text.replace("0.01", value),
        ("max_pool1d" | "avg_pool1d", Some(value)) => text.replace("(X, 2)", &format!("(X, {value})")),
        _ => text.to_owned(),
    }
}

/// The number that an argument is, also behind the name of one: `diagonal=1`.
fn number_of(argument: &str) -> Option<String> {
    let number = argument.rsplit('=').next().unwrap_or(argument).replace(' ', "");
    number.parse::<f64>().is_ok().then_some(number)
}

/// A text with the axes of the call for `ax`, or for `a` and `b`.
fn with_axes(text: &str, axes: &[String]) -> String {
    let (row, column, several) = match axes {
        [] => return text.to_owned(),
        // Along one axis at a time.
        [first, _, ..] if ALONG_ONE.iter().any(|one| text.contains(one)) => {
            return with_axes(text, std::slice::from_ref(first));
        }
        [row, column] if text.contains("_{a, b}") || text.contains("dot_a ") => (row.as_str(), column.as_str(), ""),
        [only] => ("a", "b", only.as_str()),
        _ => ("a", "b", ""),
    };
    let below = |axis: &str| if axis.contains('(') { format!("_{{{axis}}}") } else { format!("_{axis}") };
    let word = |word: &str| match (word, axes) {
        ("S" | "S_", _) if row != "a" => word.replace('S', "X"),
        ("a" | "dot_a", _) => word.replace('a', row),
        ("b" | "b_" | "dot_b_", _) => word.replace('b', column),
        ("ax_", [axis]) if axis.contains('(') => "ax_".to_owned(),
        ("ax" | "ax_", [_]) => word.replace("ax", several),
        (_, [axis]) => word.strip_suffix("_ax").map_or_else(|| word.to_owned(), |name| name.to_owned() + &below(axis)),
        ("ax", _) => axes.join(", "),
        _ => match word.strip_suffix("_ax") {
            Some(name) => format!("{name}_{{{}}}", axes.join(", ")),
            None => word.to_owned(),
        },
    };
    let mut written = String::new();
    for (place, piece) in text.split('`').enumerate() {
        if place > 0 {
            written.push('`');
        }
        if place % 2 == 0 {
            written.push_str(piece);
            continue;
        }
        let sizes: Vec<String> = axes.iter().map(|axis| format!("|{axis}|")).collect();
        let piece = piece.replace("|ax|", &sizes.join(" * "));
        for part in piece.split_inclusive(|char: char| !(char.is_alphanumeric() || char == '_')) {
            let end = part.trim_end_matches(|char: char| !(char.is_alphanumeric() || char == '_'));
            written.push_str(&word(end));
            written.push_str(&part[end.len()..]);
        }
    }
    written
}

/// What goes along one axis, by the positions of it for instance.
const ALONG_ONE: [&str; 7] = ["{ax", "maxk_ax", "index_ax", "concat_ax", "one_hot_ax", "cumsum_ax", "sort_ax"];

/// Types of Rust for numbers.
const NUMBERS: [&str; 9] = ["f32", "f64", "Tensor", "usize", "u8", "u32", "u64", "i32", "i64"];

/// Reports types of Rust before brackets, and puts those of the notation in their place.
pub(crate) fn settle(block: &mut Block, report: &mut Report) {
    let known = axes_of(block);
    for function in &mut block.functions {
        let before = report.count();
        for kind in types(function) {
            let Element::Position(word) = &kind.element else { continue };
            let (name, span) = (axis_name(word), axis_span(word));
            if known.contains(&name) {
                continue;
            }
            let Some((element, help)) = meant(&name, &kind.set) else { continue };
            kind.element = element;
            report.error(span, format!("`{name}` is a type of Rust, not of the notation"), &[help]);
        }
        function.sound &= report.count() == before;
    }
}

/// What the elements are where a type of Rust stands, and what to write for it.
fn meant(name: &str, set: &Set) -> Option<(Element, String)> {
    let axes = set.0.iter().map(axis_text).collect::<Vec<_>>().join(", ");
    match name {
        "bool" | "Bool" => Some((Element::Truth, format!("truth values are `B[{axes}]`"))),
        "Index" => Some((Element::Real, format!("positions along an axis `vocab` are `vocab[{axes}]`"))),
        _ if NUMBERS.contains(&name) => {
            let help = format!("real numbers are `R[{axes}]`, positions along an axis `vocab` are `vocab[{axes}]`");
            Some((Element::Real, help))
        }
        _ => None,
    }
}

/// The axes that tensors of the block have, without those that only positions lie along.
fn axes_of(block: &Block) -> BTreeSet<String> {
    let vocabulary = Vocabulary::of(block);
    let declared = block.functions.iter().flat_map(signature_types).flat_map(|kind| kind.set.0.iter().map(axis_name));
    let created = block.functions.iter().flat_map(|function| axes::created(&vocabulary, function));
    declared.chain(created).chain(block.axes.iter().map(name_of)).collect()
}

/// All types that are written in a function.
fn types(function: &mut Function) -> impl Iterator<Item = &mut TensorType> {
    let arguments = function.arguments.iter_mut().map(|argument| &mut argument.kind);
    let parameters = function.parameters.iter_mut().filter_map(|parameter| match &mut parameter.kind {
        ParameterType::Tensor(kind, _) => Some(kind),
        ParameterType::Function(_) => None,
    });
    let equations = function.body.iter_mut().flat_map(|body| &mut body.equations);
    let ascribed = equations.filter_map(|equation| match &mut equation.form {
        Form::Value(kind) => kind.as_mut(),
        Form::Cases(_) => None,
    });
    arguments.chain(parameters).chain([&mut function.result]).chain(ascribed)
}

#[cfg(test)]
mod tests {
    use super::{METHODS, WORDS, instead, with_axes};
    use crate::builtin::BUILTINS;
    use crate::report::Report;
    use std::collections::HashSet;

    fn of(word: &str, axes: &[&str]) -> String {
        let axes: Vec<String> = axes.iter().map(|&axis| axis.to_owned()).collect();
        instead(word, &axes, &[]).expect(word)
    }

    #[test]
    fn what_to_write_names_the_axes_of_the_call() {
        for (word, axes, begins) in [
            ("amax", &["key"][..], "write `max_key(X)`"),
            ("amax", &["seq", "key"], "write `max_{seq, key}(X)`"),
            ("amax", &[], "write `max_ax(X)`"),
            ("amax", &["star(key)"], "write `max_{star(key)}(X)`"),
            ("size", &["key"], "write `|key|`"),
            ("size", &["seq", "key"], "write `|seq| * |key|`"),
            ("identity", &["key"], "write `eye_{key, key_}(n)`"),
            ("trace", &["row", "col"], "write `sum_{row, col}(X * eye_{row, col}(|row|))`"),
            ("solve", &["row", "col"], "write `inv_{row, col}(X) dot_row Y`"),
            ("matmul", &["seq", "key"], "a contraction stands between its operands: `X dot_{seq, key} Y`"),
            (
                "layer_norm",
                &["seq", "key"],
                "write `standardize_{seq, key}(X) * γ + β`, with parameters `γ: R[seq, key] = 1",
            ),
            (
                "std",
                &["seq", "key"],
                "write `sqrt(var_{seq, key}(X))`, whose divisor is `|seq| * |key|`; with PyTorch's",
            ),
            // One axis, of those that take one.
            ("topk", &["seq", "key"], "write `maxk_seq(X, k)`; the positions: `argmaxk_seq(X, k)`"),
            ("gather", &["seq", "key"], "write `index_seq(E, I)`, with positions `I: seq[..]`"),
            ("cat", &["seq", "key"], "write `concat_seq(X, Y)`"),
            ("bincount", &["vocab", "key"], "write `sum_seq(one_hot_vocab(I, n))`"),
            ("median", &["seq", "key"], "the lower of two: write `sort_seq(X)_{seq(div(|seq| - 1, 2))}`"),
        ] {
            assert!(of(word, axes).starts_with(begins), "{word} {axes:?}: {}", of(word, axes));
        }
        assert!(of("flip", &["seq", "key"]).ends_with("write `Y_{seq(i)} = X_{seq(|seq| - 1 - i)};`"));
        let inverse = "`inv_{col, col_}(X dot_row X_{col -> col_}) dot_col_ X_{col -> col_}`";
        assert!(of("pinv", &["row", "col"]).ends_with(inverse), "{}", of("pinv", &["row", "col"]));
    }

    #[test]
    fn what_to_write_has_the_numbers_of_the_call() {
        for (word, given, written) in [
            ("masked_fill", &["X", "M"][..], "if M { -inf } else { X }"),
            ("masked_fill", &["X", "M", "0"], "if M { 0 } else { X }"),
            ("masked_fill", &["X", "M", "-1e9"], "if M { -1e9 } else { X }"),
            ("masked_fill", &["X", "M", "-inf"], "if M { -inf } else { X }"),
            ("masked_fill", &["X", "M", "A"], "if M { A } else { X }"),
            ("masked_fill", &["X", "M", ""], "if M { V } else { X }"),
            ("masked_fill", &["X", "M", "float(\"-inf\")"], "if M { -inf } else { X }"),
            ("masked_fill", &["X", "M", "torch . finfo(f).min"], "if M { V } else { X }"),
            ("triu", &["X"], " = if i <= j { X"),
            ("triu", &["X", "0"], " = if i <= j { X"),
            ("triu", &["X", "1"], " = if i + 1 <= j { X"),
            ("triu", &["X", "diagonal=1"], " = if i + 1 <= j { X"),
            ("triu", &["X", "-1"], " = if i <= j + 1 { X"),
            ("tril", &["X", "1"], " = if j <= i + 1 { X"),
            ("tril", &["X", "-2"], " = if j + 2 <= i { X"),
            ("leaky_relu", &["X", "0.2"], "else { 0.2 * X }"),
            ("max_pool1d", &["X", "3"], "max_kernel(pool_{seq, kernel}(X, 3))"),
        ] {
            let given: Vec<String> = given.iter().map(|&one| one.to_owned()).collect();
            let said = instead(word, &[], &given).expect(word);
            assert!(said.contains(written), "{word} {given:?}: {said}");
        }
    }

    #[test]
    fn what_to_write_is_read_as_an_equation() {
        let mut count = 0;
        for (word, text) in WORDS.iter().chain(METHODS) {
            let Some((_, formula)) = text.split_once("write `") else { continue };
            // Equations, each with its `;`, up to the value; without one, the last of them is it.
            let formula = with_axes(&format!("`{formula}"), &["key".to_owned()]);
            let mut pieces = formula.split('`').skip(1).step_by(2).peekable();
            let (mut body, mut last) = (String::new(), "");
            while let Some(equation) = pieces.next_if(|piece| piece.ends_with(';')) {
                body.push_str(equation);
                last = equation.split(['_', ' ']).next().unwrap_or_default();
            }
            let is_continued = formula.contains("and then `") || body.is_empty();
            let value = if is_continued { pieces.next().unwrap_or_default() } else { last };
            let body = (body + value).replace("k)", "2)").replace("n)", "2)").replace("low", "0").replace("high", "1");
            let given = [
                "X: R[seq, key]",
                "Y: R[seq, key]",
                "E: R[key, val]",
                "I: key[seq]",
                "M: B[seq]",
                "S: R[a, b]",
                "γ: R[key]",
                "β: R[key]",
                "W: R[chans, kernel, out, kh, kw]",
                "V: R[key, hidden]",
                "A: R[]",
                "U: R[]",
                "T: R[]",
                "Q: R[seq, key]",
                "K: R[seq, key]",
                "b: R[out]",
                "p: R[]",
            ];
            let words: HashSet<&str> = body.split(|char: char| !char.is_alphanumeric()).collect();
            let needed = |one: &&str| {
                let name = one.split(':').next().unwrap_or_default();
                let is_axis = name == "b" && (body.contains("_{a, b}") || body.contains("{b, b_}"));
                let is_defined = body.contains(&format!("{name} = ")) || body.starts_with(&format!("{name}_{{key"));
                (name == "X" || words.contains(name)) && !is_axis && !is_defined
            };
            let given = given.into_iter().filter(needed).collect::<Vec<_>>().join(", ");
            let is_compared = [" > ", " < ", " >= ", " <= ", " == ", " != "].iter().any(|sign| body.contains(sign));
            let is_truth = body.ends_with("> 0") || is_compared && !words.contains("if") && !body.contains(';');
            let result = if is_truth { "B[]" } else { "R[]" };
            let source = format!("fn f({given}) -> {result} {{ {body} }}");
            let mut report = Report::default();
            let _ = crate::named::functions(source.parse().expect(text), &mut report);
            let errors = report.finish().err().into_iter().flatten().map(|error| error.to_string());
            // Axes that other words of a text would bring are not here.
            let errors: Vec<String> = errors.filter(|error| !error.contains("` is never used")).collect();
            assert_eq!(errors, Vec::<String>::new(), "{word}: {source}");
            count += 1;
        }
        assert!(count > 130, "only {count}");
    }

    #[test]
    fn no_word_is_there_twice_or_a_function_of_the_notation() {
        let mut seen = HashSet::new();
        for (list, is_method) in [(WORDS, false), (METHODS, true)] {
            for word in list.iter().flat_map(|(words, _)| words.split(' ')) {
                assert!(seen.insert(word), "{word}");
                assert!(is_method || BUILTINS.iter().all(|builtin| builtin.name != word), "{word}");
            }
        }
    }
}
