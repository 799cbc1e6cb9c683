//! What the macro says where a line is written by the grammar of another language: where it points, and what it advises.
//!
//! That the advice computes what was meant is tested by the laws (`advice`).

use super::elsewhere::{errors, only};
use super::tokens;
use crate::report::Report;

/// What the only message about this body points at, and its text.
pub(super) fn at(body: &str) -> (String, String) {
    let source = format!("fn f(X: R[seq, key]) -> R[seq, key] {{ {body} }}");
    let mut report = Report::default();
    drop(crate::named::functions(tokens(&source), &mut report));
    let errors: Vec<syn::Error> = report.finish().err().into_iter().flatten().collect();
    let [error] = errors.as_slice() else { panic!("{body}: {errors:?}") };
    let (start, end) = (error.span().start().column, error.span().end().column);
    (source[start..end].to_owned(), error.to_string())
}

#[test]
fn a_range_or_a_place_from_the_end_in_brackets_is_told_as_one() {
    for (body, write) in [
        ("X[1:]", "X_{seq(1..)}"),
        ("X[1..]", "X_{seq(1..)}"),
        ("X[:2, 1..3]", "X_{seq(..2), key(1..3)}"),
        ("X[:, 0]", "X_{key(0)}"),
        ("X[-1]", "X_{seq(|seq| - 1)}"),
        ("X[-2:]", "X_{seq(|seq| - 2..)}"),
        ("exp(X)[1:]", "X_{seq(1..)}"),
    ] {
        let help = format!("= help: write `{write}`, with the axis that you mean");
        let (place, said) = at(body);
        assert!(place.starts_with('[') && said == format!("positions do not stand in brackets\n{help}"), "{said}");
    }
    assert!(at("X[::2]").1.contains("= help: every second one: `X_{seq -> (half, pair: 2)}_{pair(0)}`"));
    for body in ["X[0]", "X[:]"] {
        assert!(at(body).1.ends_with("write `X_{seq(0)}`, of several axes `X_{seq(i), key(0)}`"), "{body}");
    }
    assert!(at("sum[key](X)").1.ends_with("is a part of its name\n= help: write `sum_key(X)`"));
    assert!(at("sum[seq, key](X + 1)").1.ends_with("= help: write `sum_{seq, key}(X + 1)`"));
}

#[test]
fn a_message_points_at_the_word_that_is_foreign_and_not_behind_it() {
    for (body, place, words) in [
        ("if not X > 0 { X } else { 0 }", "not", "`not` is no operator of the notation\n= help: write `!(X > 0)`"),
        ("|x| x + 1", "|", "a closure does not stand in an equation\n= help: write it of the whole tensor, `exp(X)"),
        ("g(|x, y| x, X)", "|", "a closure does not stand in an equation\n"),
        ("X * |x| exp(x)", "|", "a closure does not stand in an equation\n"),
        ("Y = exp(X) Z = Y + 1; Z", ")", "a `;` is missing behind this\n= help: an equation ends with `;`"),
        ("Y = 2 * X let Z = Y; Z", "X", "a `;` is missing behind this\n"),
        ("Y = 2 * X M_{seq(i)} = i; M * Y", "X", "a `;` is missing behind this\n"),
        ("Y = exp(X) Y", ")", "a `;` is missing behind this\n"),
        ("sum_(seq, key)(X)", "sum_", "the axes of a function stand in braces\n= help: write `sum_{seq, key}(..)`"),
        ("X_(key -> out)", "X_", "a subscript stands in braces\n= help: write `X_{key -> out}`"),
        ("sum_star(seq)(X)", "sum_star", "the axes of a function stand in braces\n= help: write `sum_{star(seq)}(..)`"),
        ("sum[star(seq)](X)", "[", "the axis of a function is a part of its name\n= help: write `sum_{star(seq)}(X)`"),
        ("X dot_star(seq) X", "dot_star", "the axes of a contraction stand in braces\n= help: write `dot_{star(seq)}`"),
        ("X |> exp", "|", "`|>` is no operator of the notation\n= help: a function stands before its argument"),
        ("X * |seq| |key|", "|", "an operator is missing here\n= help: product `X * Y`"),
        ("X | X", "|", "`|` is no operator of the notation\n= help: truth values are joined"),
        ("exp X", "exp", "the argument of `exp` stands in parentheses\n= help: write `exp(X)`"),
        ("softmax_key X", "softmax_key", "the argument of `softmax_key` stands in parentheses\n"),
        ("lambda x: x", "lambda", "a function has a name in the notation\n"),
        (
            "println!(\"{}\", X); X",
            "println",
            "a macro of Rust is not called in an equation\n= help: a value is printed",
        ),
        ("X += 1; X", "+", "`+=` is no operator of the notation\n= help: an equation holds for good: "),
    ] {
        let (at, said) = at(body);
        assert!(at.starts_with(place) && said.starts_with(words), "{body}: at `{at}`: {said}");
    }
    // An axis may be called `star`, and an operand stand in parentheses.
    let source = "fn f(X: R[star, key], Y: R[star], Z: R[key]) -> R[] { X dot_star (Y) dot_key Z }";
    assert_eq!(errors(source), Vec::<String>::new());
    // A size before a product without its sign is no closure.
    assert!(at("|key| X").1.starts_with("an operator is expected here, not `X`"));
    assert!(at("2 * |key| (X / |key|)").1.starts_with("an operator is missing here"));
    assert_eq!(errors("fn f(X: R[key]) -> R[key] where |key| > 1 { X * |key| }"), Vec::<String>::new());
}

#[test]
fn a_word_or_sign_of_another_language_is_answered_with_what_to_write() {
    for (body, help) in [
        ("match X { Y => 1 }", "cases are written `if X > 0 { X } else { 0 }`"),
        ("X > 0 ? X : 0", "cases are written `if X > 0 { X } else { 0 }`"),
        ("X if X > 0 else 0", "cases are written `if X > 0 { X } else { 0 }`"),
        ("for i in X { 1 }", "operations work along whole axes, `sum_seq(X)`; a value for each position is "),
        ("g(X for i in X)", "operations work along whole axes, `sum_seq(X)`; a value for each position is "),
        ("X in X", "operations work along whole axes, `sum_seq(X)`; a value for each position is "),
        ("Y = X; # twice\n Y", "a comment begins with `//`"),
        ("X # twice", "a comment begins with `//`"),
        ("Y = 2 * X; % twice\n Y", "a comment begins with `//`"),
        ("Y = 2 * X;; Y", "leave out the second `;`"),
        (".5 * X", "write `0.5`"),
        ("X as f32", "numbers have one type in a function, which its caller chooses: leave it out"),
        ("X > 0 and X < 1", "truth values are joined by `&&` and `||`"),
        ("X.T", "axes have no order: leave it out; another name for one is `X_{seq -> seq_}`"),
        ("X.transpose(1, 2)", "axes have no order: leave it out; another name for one is `X_{seq -> seq_}`"),
        ("g.apply(X)", "a function is called by its name, one with parameters too: `f(X)`"),
        ("X / X.shape[0]", "the size of an axis is `|seq|`"),
        ("einsum(\"ij,jk->ik\", X, X)", "axes are no strings: `X dot_key Y`, `sum_seq(X)`"),
    ] {
        let said = at(body).1;
        assert!(said.contains(&format!("\n= help: {help}")), "{body}: {said}");
    }
}

#[test]
fn sizes_for_axes_in_a_type_are_told_to_be_names() {
    let help = "write `R[height, width]`; sizes are those of the tensors that are given";
    for source in ["fn f(X: R[3, 4]) -> R[3] { X }", "fn f(X: R[seq, 4]) -> R[seq] { X }", "fn f() -> R[3] { 1 }"] {
        assert_eq!(only(source), format!("an axis is expected here, not a size\n= help: {help}"), "{source}");
    }
    for sign in [":", "=", ";"] {
        let said = only(&format!("fn f(X: R[seq{sign} 3]) -> R[] {{ sum_seq(X) }}"));
        assert_eq!(said, format!("a type does not say how large an axis is\n= help: {help}"), "{sign}");
    }
}

#[test]
fn a_star_behind_an_axis_is_told_to_be_a_word() {
    for source in ["fn f(X: R[seq*]) -> R[] { 1 }", "fn f(X: R[star(seq)]) -> R[star(seq)] { softmax_{seq*}(X) }"] {
        assert_eq!(only(source), "the star of an axis is a word before it\n= help: write `star(seq)`", "{source}");
    }
}

#[test]
fn positions_are_not_contracted_with_what_they_are_positions_of() {
    for body in ["I dot_vocab E", "E dot_vocab I"] {
        let said = only(&format!("fn f(I: vocab[seq], E: R[vocab, key]) -> R[seq, key] {{ {body} }}"));
        let help = "what stands at these positions: `index_vocab(E, I)`";
        assert_eq!(said, format!("`I` holds positions along `vocab`, and has no such axis\n= help: {help}"));
    }
    assert_eq!(errors("fn f(I: key[key], X: R[key]) -> R[] { I dot_key X }"), Vec::<String>::new());
}

#[test]
fn two_equal_axes_in_a_type_are_one_mistake_also_where_the_function_is_called() {
    for source in [
        "fn f(X: R[a]; W: R[a, a]) -> R[a] { X dot_a W }",
        "fn f(X: R[a]) -> R[a] { Y: R[a, a] = X * 2; sum_a(Y) }",
        "fn f(X: R[a, a]) -> R[] { sum_a(X) } fn g(X: R[a, b]) -> R[] { f(X) }",
        "fn f(X: R[a]; W: R[a, a]) -> R[a] { X dot_a W } fn g(X: R[a]; f: f) -> R[a] { f(X) }",
    ] {
        let mut report = Report::default();
        let expanded = crate::named::functions(tokens(source), &mut report).to_string();
        let said: Vec<String> = report.finish().err().into_iter().flatten().map(|error| error.to_string()).collect();
        assert_eq!(said, ["axis `a` is named twice\n= help: one of two equal axes needs another name: `a` and `a_`"]);
        // Without a body, types have nothing to say of it.
        assert!(!expanded.contains("private :: dot") && !expanded.contains("private :: sum"), "{expanded}");
    }
    // Other mistakes in the body are told all the same.
    let said = errors("fn f(X: R[a]; W: R[a, a]) -> R[a] { X dot_a W + exp(X, X) }");
    assert!(matches!(said.as_slice(), [_, other] if other.starts_with("`exp` takes 1 argument")), "{said:?}");
}

#[test]
fn dropout_is_told_to_draw_a_number_for_each_of_the_tensor() {
    let said = only("fn f(X: R[seq, key]) -> R[seq, key] { dropout(X, 0.1) }");
    assert!(
        said.contains("give uniform numbers with the axes of `X`, `U: R[seq, key]`, and write `if U < p "),
        "{said}"
    );
    let said = only("fn f(X: R[seq]) -> R[seq] { Y: R[seq] = exp(X); dropout(Y, 0.1) }");
    assert!(said.contains("uniform numbers with the axes of `Y`, `U: R[seq]`,"), "{said}");
    let said = only("fn f(X: R[seq]) -> R[seq] { dropout(exp(X), 0.1) }");
    assert!(said.contains("uniform numbers with the axes of `X`, `U: R[..]`,"), "{said}");
}

#[test]
fn a_function_that_takes_a_few_words_here_is_answered_with_them() {
    for (body, write) in [
        ("sinh(X)", "write `tanh(X) * (exp(X) + exp(-X)) / 2`"),
        ("layer_norm(X)", "write `standardize_ax(X) * γ + β`, with parameters `γ: R[ax] = 1, β: R[ax] = 0`"),
        ("layer_norm_key(X)", "write `standardize_key(X) * γ + β`, with parameters `γ: R[key] = 1, β: R[key] = 0`"),
        ("conv1d(X)", "write `unroll_{seq, kernel}(X, |kernel|) dot_{chans, kernel} W`, with a parameter `W: "),
        (
            "conv_transpose1d(X)",
            "two apart and four wide, added where it overlaps: write `P = (X dot_chans W)_{kernel -> (part: 2, step: 2)}_",
        ),
        ("tril(X)", "positions are compared: `Y_{seq(i), seq_(j)} = if j <= i { X_{seq(i), seq_(j)} } else { 0 };`"),
        (
            "diag(X)",
            "the diagonal of one is `Y_{row(i)} = X_{row(i), col(i + 0)};`, the matrix of one `X * eye_{ax, ax_",
        ),
        (
            "diag_key(X)",
            "the diagonal of one is `Y_{row(i)} = X_{row(i), col(i + 0)};`, the matrix of one `X * eye_{key, ",
        ),
        ("trace(X)", "write `sum_{a, b}(S * eye_{a, b}(|a|))`"),
        (
            "roll_seq(X)",
            "by positions, with a letter for each axis: write `Y_{seq(i)} = X_{seq((i + |seq| - 1) % |seq|)};`",
        ),
        (
            "pad_key(X)",
            "by positions, with a letter for each axis: write `Y_{key(i: |key| + 2)} = if i < |key| { X_{key(min(i, |key| - 1",
        ),
        ("stack(X, X)", "by positions, with a letter for each axis: `Z_{ax(i: 2), seq(j)} = if i == 0 { X_{seq(j)}"),
        (
            "cross_entropy_key(X)",
            "write `-log_softmax_key(X)_{key(I)}`, with positions `I: key[..]`, and then the mean",
        ),
        ("scatter_add_{key}(X, X)", "write `one_hot_key(I, n) dot_seq X`, with positions `I: key[seq]`"),
        ("solve_{seq, key}(X, X)", "write `inv_{seq, key}(X) dot_seq Y`"),
        ("slogdet_{seq, key}(X)", "write `logdet_{seq, key}(X)`"),
        ("masked_fill(X, X)", "write `if M { -inf } else { X }`, with truth values `M: B[..]`"),
        (
            "cumprod_key(X)",
            "with a letter for each axis: write `M_{key_(i: |key|), key(j)} = if j <= i { X_{key(j)} } else { 1 };` and \
             then `prod_key(M)_{key_ -> key}`",
        ),
        (
            "cumprod_{seq, key}(X)",
            "with a letter for each axis: write `M_{seq_(i: |seq|), seq(j)} = if j <= i { X_{seq(j)} } else { 1 };`",
        ),
        ("masked_fill(X, X, 0)", "write `if M { 0 } else { X }`, with truth values `M: B[..]`"),
        ("masked_fill(X, X, -1e9)", "write `if M { -1e9 } else { X }`, with truth values `M: B[..]`"),
        ("triu(X, 1)", "positions are compared: `Y_{seq(i), seq_(j)} = if i + 1 <= j { X_{seq(i), seq_(j)} } else"),
        (
            "tril_key(X, -1)",
            "positions are compared: `Y_{seq(i), seq_(j)} = if j + 1 <= i { X_{seq(i), seq_(j)} } else",
        ),
        ("leaky_relu(X, 0.2)", "write `if X > 0 { X } else { 0.2 * X }`"),
        ("flip_seq(X)", "by positions, with a letter for each axis: write `Y_{seq(i)} = X_{seq(|seq| - 1 - i)};`"),
    ] {
        let said = at(body).1;
        assert!(said.contains(&format!("` in the notation\n= help: {write}")), "{body}: {said}");
    }
}

#[test]
fn a_starred_axis_is_known_by_its_star_and_written_in_what_to_write_as_it_is_read() {
    assert_eq!(errors("fn f(X: R[star(key), kay]) -> R[kay] { sum_{star(key)}(X) }"), Vec::<String>::new());
    let said = only("fn f(J: R[seq, star(seq)]) -> R[seq] { std_{star(seq)}(J) }");
    assert!(said.contains("write `sqrt(var_{star(seq)}(X))`"), "{said}");
    let said = only("fn f(X: R[star(seq)]) -> R[star(seq)] { dropout(X, 0.1) }");
    assert!(said.contains("`U: R[star(seq)]`"), "{said}");
}

#[test]
fn a_fraction_without_its_0_keeps_all_its_digits() {
    for (body, write) in [(".02 * X", "0.02"), (".5", "0.5"), (".007", "0.007"), (".5e-3", "0.5e-3")] {
        let said = at(body).1;
        assert!(said.contains(&format!("\n= help: write `{write}`")), "{body}: {said}");
    }
}

#[test]
fn an_axis_parameter_has_no_star_in_a_type() {
    let help = "name the axis itself, or write the derivative in plain Rust: `jacobian(&y, &x)`";
    for source in [
        "fn f_{ax}(X: R[ax]) -> R[star(ax)] { d(sum_ax(X * X), X) }",
        "fn f_{ax}(J: R[ax, seq, star(ax)]) -> R[ax, seq] { sum_{star(ax)}(J) }",
    ] {
        assert_eq!(only(source), format!("the axis parameter `ax` has no star in a type\n= help: {help}"), "{source}");
    }
}

#[test]
fn an_axis_of_two_letters_is_no_slip() {
    assert_eq!(errors("fn f(X: R[hid]) -> R[hid] { sum_hd(self::spread(X)) }"), Vec::<String>::new());
    assert_eq!(errors("fn f(X: R[seq, key]) -> R[seq, key] { softmax_kh(X) + softmax_ey(X) }"), Vec::<String>::new());
}

#[test]
fn a_name_that_means_something_on_paper_is_answered_with_what_it_is_here() {
    for (body, help) in [
        ("e^X", "the exponential is `exp(X)`, its base `exp(1)`"),
        ("clamp(X, 0, infty)", "infinity is `inf`"),
        ("X / sqrt(d_k)", "the size of an axis is written `|key|`"),
        ("X__{key -> out}", "did you mean `X`?"),
        ("X_i + X", "`X` at a position is `X_{seq(i)}`, with the axis that you mean"),
        ("γ = exp(X); X * gamma + γ", "did you mean `γ`?"),
    ] {
        let said = at(body).1;
        assert!(said.contains(&format!("` here\n= help: {help}\n= help: defined here: ")), "{body}: {said}");
    }
}

#[test]
fn a_call_of_what_is_no_function_is_answered_with_what_is_meant() {
    for (body, said) in [
        (
            "X (X + 1)",
            "`X` is a tensor, not a function\n= help: a product is `X * (..)`, a value at a position `X_{seq(i)}`",
        ),
        ("X(0)", "`X` is a tensor, not a function\n"),
        ("X(i)", "`X` is a tensor, not a function\n"),
        ("X_seq(0)", "the position of a value stands in braces\n= help: write `X_{seq(0)}`"),
        ("sumseq(X)", "no function `sumseq` in the notation\n= help: did you mean `sum_seq`?"),
        ("if not(X > 0) { X } else { 0 }", "`not` is no operator of the notation\n= help: write `!(X > 0)`"),
        ("X / len(key)", "no function `len` in the notation\n= help: write `|key|`\n"),
        ("X / size(key)", "no function `size` in the notation\n= help: write `|key|`\n"),
    ] {
        assert!(at(body).1.starts_with(said), "{body}: {}", at(body).1);
    }
    let said = only("fn f(X: R[seq]; h: Linear) -> R[seq] { X + h(y) }");
    assert!(said.starts_with("nothing is called `y` here"), "{said}");
    assert_eq!(errors("fn f(X: R[seq]; h: Linear) -> R[seq] { h(X) + X_at(X) + g(X) }"), Vec::<String>::new());
}

#[test]
fn a_name_that_is_misspelt_where_it_is_defined_is_one_mistake() {
    for (source, said) in [
        (
            "fn f(X: R[seq]) -> R[seq] { s = exp(X); S * S + S }",
            "nothing is called `S` here\n= help: did you mean `s`?",
        ),
        ("fn f(X: R[sq]) -> R[] { sum_seq(X - max_seq(X)) }", "no axis `seq` here\n= help: did you mean `sq`?"),
    ] {
        assert!(only(source).starts_with(said), "{source}: {}", only(source));
    }
    // A later use that tells more is looked at too.
    let said = only("fn f(X: R[emb], W: R[emb, key]) -> R[key] { sum_embed(g(X)) * (X dot_embed W) }");
    assert!(said.starts_with("no axis `embed` here\n= help: did you mean `emb`?"), "{said}");
}

#[test]
fn a_contraction_over_a_prime_too_many_or_over_axes_without_braces_is_one_mistake() {
    let said = only("fn f(X: R[seq, key], W: R[key, val]) -> R[seq, val] { X dot_key_ W }");
    assert!(said.starts_with("no axis `key_` here\n= help: did you mean `key`?"), "{said}");
    let said = only("fn f(X: R[seq, key], W: R[key, seq, val]) -> R[val] { X dot_seq_key W }");
    assert_eq!(said, "several axes stand in braces\n= help: write `dot_{seq, key}`");
    let right = "fn f(X: R[seq, key], W: R[key, seq]) -> R[key] { Y = X_{key -> key_}; Y dot_key_ W_{key -> key_} + X dot_seq X }";
    assert_eq!(errors(right), Vec::<String>::new());
}

#[test]
fn a_matrix_that_is_multiplied_where_it_may_be_contracted_is_told_so() {
    let said = only("fn f(X: R[a]; W: R[a, b]) -> R[b] { X * W }");
    assert!(
        said.ends_with("\n= help: `a` is no axis of the result: if it is summed over, write `.. dot_a W`"),
        "{said}"
    );
    assert!(!only("fn f(X: R[a]; W: R[a, b]) -> R[a, b] { X * W }").contains("dot_"));
}
