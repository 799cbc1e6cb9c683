//! What other libraries call the things that the notation writes otherwise.
//!
//! Such a name is no slip of the pen, so no name is near it; what to write instead is known all the same.
//! Lives here: the words and what stands for them, and types of Rust before brackets, which read like positions along an
//! axis. Not here: when functions are looked up (`calls`).

use super::{Vocabulary, axes, signature_types};
use crate::ast::{Block, Element, Form, Function, ParameterType, TensorType};
use crate::code::name_of;
use crate::report::Report;
use crate::set::{Set, axis_name, axis_span, axis_text};
use std::collections::BTreeSet;

/// What to write where a function of another library is called; `_ax` and `|ax|` are of the axis of the call.
pub(super) fn instead(word: &str, axes: &[String]) -> Option<String> {
    let (_, text) = WORDS.iter().find(|(words, _)| words.split(' ').any(|one| one == word))?;
    let (below, size) = match axes {
        [] => return Some((*text).to_owned()),
        // What goes by the positions of an axis, for each axis alone.
        [first, _, ..] if text.contains("{ax(") => return instead(word, std::slice::from_ref(first)),
        [row, column] if text.contains("{a, b}") => {
            let text = text.replace("{a, b}", &format!("{{{row}, {column}}}")).replace("|a|", &format!("|{row}|"));
            return Some(text.replace("dot_a ", &format!("dot_{row} ")).replace("(S", "(X"));
        }
        [axis] => {
            let below = if axis.contains('(') { format!("_{{{axis}}}") } else { format!("_{axis}") };
            let prime = if axis.contains('(') { "ax_".to_owned() } else { format!("{axis}_") };
            let text = text.replace("ax, ax_}", &format!("ax, {prime}}}"));
            let text = text.replace("{ax(", &format!("{{{axis}(")).replace(" ax[", &format!(" {axis}["));
            let text = text.replace("[ax]", &format!("[{axis}]")).replace("{ax, ", &format!("{{{axis}, "));
            return Some(text.replace("_ax", &below).replace("|ax|", &format!("|{axis}|")));
        }
        several => {
            let sizes: Vec<String> = several.iter().map(|axis| format!("|{axis}|")).collect();
            (format!("_{{{}}}", several.join(", ")), sizes.join(" * "))
        }
    };
    let text = text.replace("[ax]", &format!("[{}]", axes.join(", ")));
    Some(text.replace("_ax", &below).replace("|ax|", &size))
}

/// Words for one thing, and what to write for it.
const WORDS: &[(&str, &str)] = &[
    ("ln", "the natural logarithm is `log(X)`"),
    ("log2", "write `log(X) / log(2)`"),
    ("log10", "write `log(X) / log(10)`"),
    ("log1p", "write `U = 1 + X;` and then `log(U) + (X - (U - 1)) / U`"),
    ("exp2", "write `2^X`"),
    ("expm1", "write `if abs(X) < 1 { tanh(X / 2) * (exp(X) + 1) } else { exp(X) - 1 }`"),
    ("tan", "write `sin(X) / cos(X)`"),
    ("sinh", "write `tanh(X) * (exp(X) + exp(-X)) / 2`"),
    ("cosh", "write `(exp(X) + exp(-X)) / 2`"),
    ("square", "write `X^2`"),
    ("rsqrt", "write `1 / sqrt(X)`"),
    ("power", "write `X^2` or `X^Y`"),
    ("ceil", "write `-floor(-X)`"),
    ("round", "write `floor(X + 0.5)`"),
    ("sign", "write `if X > 0 { 1 } else if X < 0 { -1 } else { 0 }`"),
    ("softplus", "write `E = exp(-abs(X));`, `U = 1 + E;` and then `max(X, 0) + log(U) + (E - (U - 1)) / U`"),
    ("leaky_relu", "write `max(X, 0) + 0.01 * min(X, 0)`"),
    (
        "elu",
        "write `N = min(X, 0);` and then \
                 `max(X, 0) + if N > -1 { tanh(N / 2) * (exp(N) + 1) } else { exp(N) - 1 }`",
    ),
    ("relu6", "write `clamp(X, 0, 6)`"),
    ("swish", "the other name of it: `silu(X)`"),
    ("maximum", "write `max(X, Y)`"),
    ("minimum", "write `min(X, Y)`"),
    ("select", "cases are written `if X > 0 { X } else { 0 }`"),
    ("std", "write `sqrt(var_ax(X))`"),
    ("variance", "write `var_ax(X)`"),
    ("average", "write `mean_ax(X)`"),
    ("product", "write `prod_ax(X)`"),
    ("logsumexp lse", "write `M = max(max_ax(X), -1e30);` and then `M + log(sum_ax(exp(X - M)))`"),
    ("softmin", "write `softmax_ax(-X)`"),
    ("any", "write `sum_ax(if X > 0 { 1 } else { 0 }) > 0`, with the condition that you mean"),
    ("all", "write `prod_ax(if X > 0 { 1 } else { 0 }) > 0`, with the condition that you mean"),
    ("count", "write `sum_ax(if X > 0 { 1 } else { 0 })`, with the condition that you mean"),
    ("topk", "write `maxk_ax(X, k)`; the positions: `argmaxk_ax(X, k)`"),
    ("gather take embedding lookup", "write `index_ax(E, I)`, with positions `I: ax[..]`"),
    ("cat concatenate", "write `concat_ax(X, Y)`, of any number"),
    ("dot matmul bmm einsum tensordot inner", "a contraction stands between its operands: `X dot_ax Y`"),
    ("outer", "write `X * Y`: a product has the axes of both"),
    ("transpose permute swapaxes", "axes have no order; another name for one is `X_{seq -> seq_}`"),
    ("reshape view flatten", "write `X_{(height, width) -> layer}` or `X_{layer -> (heads: 12, key)}`"),
    ("rename", "write `X_{val -> chans}`"),
    ("identity", "write `eye_{ax, ax_}(n)`"),
    ("inverse", "write `inv_{a, b}(S)`"),
    ("iota arange", "positions have a letter on the left: `Y_{ax(i)} = i;`"),
    ("flip reverse", "by positions, with a letter for each axis: `Y_{ax(i)} = X_{ax(|ax| - 1 - i)};`"),
    ("tril", "positions are compared: `Y_{seq(i), seq_(j)} = if j <= i { X_{seq(i), seq_(j)} } else { 0 };`"),
    ("triu", "positions are compared: `Y_{seq(i), seq_(j)} = if i <= j { X_{seq(i), seq_(j)} } else { 0 };`"),
    (
        "diag diagonal",
        "the diagonal of one is `Y_{row(i)} = X_{row(i), col(i + 0)};`, the matrix of one \
                 `X * eye_{ax, ax_}(|ax|)`",
    ),
    ("trace", "write `sum_{a, b}(S * eye_{a, b}(|a|))`"),
    ("layer_norm layernorm", "write `standardize_ax(X) * γ + β`, with parameters `γ: R[ax] = 1, β: R[ax] = 0`"),
    (
        "conv1d",
        "write `unroll_{seq, kernel}(X, |kernel|) dot_{chans, kernel} W`, with a parameter `W: R[chans, kernel, out]`",
    ),
    ("zeros zeros_like", "a number needs no axes: `0`; with some: `Z_{ax(i)} = 0;`"),
    ("ones ones_like", "a number needs no axes: `1`; with some: `Z_{ax(i)} = 1;`"),
    ("full full_like", "a number needs no axes: `0.5`; with some: `Z_{ax(i)} = 0.5;`"),
    ("roll", "by positions, with a letter for each axis: `Y_{ax(i)} = X_{ax((i + |ax| - 1) % |ax|)};`"),
    (
        "pad",
        "by positions, with a letter for each axis: \
                 `Y_{ax(i: |ax| + 2)} = if i < |ax| { X_{ax(min(i, |ax| - 1))} } else { 0 };`",
    ),
    (
        "repeat tile repeat_interleave",
        "by positions, with a letter for each axis: the whole twice `Y_{ax(i: 2 * |ax|)} = X_{ax(i % |ax|)};`, \
                 each one twice `Y_{ax(i: 2 * |ax|)} = X_{ax(div(i, 2))};`",
    ),
    (
        "expand broadcast broadcast_to",
        "beside a tensor that has the axis, leave it out: `X + Y`; alone, with a letter for each axis: \
                 `Y_{ax(i: 2), seq(j)} = X_{seq(j)};`",
    ),
    (
        "stack",
        "by positions, with a letter for each axis: \
                 `Z_{ax(i: 2), seq(j)} = if i == 0 { X_{seq(j)} } else { Y_{seq(j)} };`",
    ),
    ("cumprod", "of positive numbers `exp(cumsum_ax(log(X)))`; of any, a recurrence: `scan` in Rust, chapter 6"),
    ("cross_entropy", "write `-log_softmax_ax(X)_{ax(I)}`, with positions `I: ax[..]`, and then the mean of it"),
    ("scatter_add index_add", "write `one_hot_ax(I, n) dot_seq X`, with positions `I: ax[seq]`"),
    ("masked_fill", "write `if M { -inf } else { X }`, with truth values `M: B[..]`"),
    ("solve", "write `inv_{a, b}(S) dot_a Y`"),
    ("slogdet log_det", "write `logdet_{a, b}(S)`"),
    ("size len", "write `|ax|`"),
    (
        "dropout",
        "nothing is drawn in an equation: give uniform numbers with the axes of `X`, `U: R[..]`, and write \
                 `if U < p { 0 } else { X / (1 - p) }`",
    ),
];

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
    use super::{WORDS, instead};
    use crate::builtin::BUILTINS;
    use crate::report::Report;
    use std::collections::HashSet;

    #[test]
    fn what_to_write_names_the_axes_of_the_call() {
        let of = |axes: &[&str]| instead("std", &axes.iter().map(|&axis| axis.to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["key"]).as_deref(), Some("write `sqrt(var_key(X))`"));
        assert_eq!(of(&["seq", "key"]).as_deref(), Some("write `sqrt(var_{seq, key}(X))`"));
        assert_eq!(of(&[]).as_deref(), Some("write `sqrt(var_ax(X))`"));
        assert_eq!(of(&["star(key)"]).as_deref(), Some("write `sqrt(var_{star(key)}(X))`"));
        let of =
            |word: &str, axes: &[&str]| instead(word, &axes.iter().map(|&axis| axis.to_owned()).collect::<Vec<_>>());
        assert_eq!(of("size", &["key"]).as_deref(), Some("write `|key|`"));
        assert_eq!(of("identity", &["key"]).as_deref(), Some("write `eye_{key, key_}(n)`"));
        let traced = "write `sum_{row, col}(X * eye_{row, col}(|row|))`";
        assert_eq!(of("trace", &["row", "col"]).as_deref(), Some(traced));
        assert!(
            of("flip", &["seq", "key"]).is_some_and(|text| text.contains("`Y_{seq(i)} = X_{seq(|seq| - 1 - i)};`"))
        );
    }

    #[test]
    fn what_to_write_is_read_as_an_equation() {
        let mut count = 0;
        for text in WORDS.iter().map(|(_, text)| *text).filter(|text| text.starts_with("write `")) {
            // Equations, each with its `;`, up to the value; or one equation, whose right side is the value here.
            let mut pieces = text.split('`').skip(1).step_by(2).peekable();
            let mut body = String::new();
            while let Some(equation) = pieces.next_if(|piece| piece.ends_with(';')) {
                body.push_str(equation);
            }
            match pieces.next() {
                Some(value) => body.push_str(value),
                None => body = body.trim_end_matches(';').split(" = ").last().unwrap_or_default().to_owned(),
            }
            let body = body.replace("ax", "key").replace("mkey", "max").replace("k)", "2)").replace("n)", "2)");
            let given = [
                "X: R[seq, key]",
                "Y: R[seq, key]",
                "E: R[key, val]",
                "I: key[seq]",
                "M: B[seq]",
                "S: R[a, b]",
                "γ: R[key]",
                "β: R[key]",
                "W: R[chans, kernel, out]",
            ];
            let letter = |one: &str| one.chars().next().unwrap_or_default();
            let is_read = |letter: char| letter == 'X' || body.contains(letter);
            let needed = |one: &&str| is_read(letter(one)) && !body.contains(&format!("{} = ", letter(one)));
            let given = given.into_iter().filter(needed).collect::<Vec<_>>().join(", ");
            let result = if body.ends_with("> 0") { "B[]" } else { "R[]" };
            let source = format!("fn f({given}) -> {result} {{ {body} }}");
            let mut report = Report::default();
            let _ = crate::named::functions(source.parse().expect(text), &mut report);
            let errors = report.finish().err().into_iter().flatten().map(|error| error.to_string());
            let errors: Vec<String> = errors.filter(|error| !error.contains("` is never used")).collect();
            assert_eq!(errors, Vec::<String>::new(), "{source}");
            count += 1;
        }
        assert!(count > 30, "only {count}");
    }

    #[test]
    fn no_word_is_there_twice_or_a_function_of_the_notation() {
        let mut seen = HashSet::new();
        for word in WORDS.iter().flat_map(|(words, _)| words.split(' ')) {
            assert!(seen.insert(word), "{word}");
            assert!(BUILTINS.iter().all(|builtin| builtin.name != word), "{word}");
        }
    }
}
