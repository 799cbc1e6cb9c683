//! What the macro says of lists, signatures, powers and subscripts that are written by another grammar.
//!
//! As in `habits`, each test is about where the message points, and what it advises.

use super::elsewhere::{errors, only};
use super::habits::at;
use super::slips::at as slip;

#[test]
fn a_list_without_its_commas_is_shown_with_them() {
    for (source, write) in [
        ("fn f(X: R[seq x key]) -> R[] { X }", "write `R[seq, key]`"),
        ("fn f(X: R[seq * key]) -> R[] { X }", "write `R[seq, key]`"),
        ("fn f(I: vocab[seq key]) -> R[] { I }", "write `vocab[seq, key]`"),
        ("fn f(X: R[a]) -> R[] { X dot_{a b} X }", "write `dot_{a, b}`"),
        ("fn f(X: R[a]) -> R[] { sum_{a b}(X) }", "write `sum_{a, b}(X)`"),
        ("fn f(X: R[a]) -> R[] { X_{(a b) -> c} }", "write `(a, b)`"),
        ("fn f(X: R[a]; W: R[a, b] ~ glorot({a c} -> {b})) -> R[b] { X }", "write `{a, c}`"),
        (
            "fn f(X: R[a] Y: R[b]) -> R[] { X }",
            "write `X: R[seq], Y: R[key]`, a function with parameters `norm: LayerNorm`",
        ),
    ] {
        assert_eq!(only(source), format!("a comma is expected before this\n= help: {write}"), "{source}");
    }
}

#[test]
fn a_signature_as_in_another_language_is_answered_with_that_of_the_notation() {
    for (source, said) in [
        ("fn f(X: ℝ[a]; W: R[a]) -> Reals[a] { X * W }", "`ℝ` is no type of the notation\n= help: write `R[a]`"),
        ("fn f(R[a] X) -> R[a] { X }", "a name stands before its type\n= help: write `X: R[..]`"),
        (
            "fn f(X: R[a]; b?: R[a]) -> R[a] { X + b }",
            "what may be absent has a `?` behind its type\n= help: write `b: R[..]?`",
        ),
        (
            "fn f(X: R[a]; b: Option<R[a]>) -> R[a] { X + b }",
            "what may be absent has a `?` behind its type\n= help: write `b: R[..]?`",
        ),
        ("fn f(X: R[a]; b: R[a]; c: R[a]) -> R[a] { X }", "one `;` parts arguments and parameters\n"),
        (
            "fn f(X: R[a]; b: R[a] ~ 0) -> R[a] { X }",
            "a distribution is expected here\n= help: a number stands behind `=`",
        ),
        (
            "fn f(X: R[a]; b: R[a] = uniform(-1, 1)) -> R[a] { X }",
            "what is drawn stands behind `~`\n= help: write `~ uniform(..)`",
        ),
        ("fn f(X: R[a]) -> R[a] = { X }", "the body of `f` is expected here\n= help: write `-> R[..] { .. }`"),
        ("fn f(X: R[a]) -> R{a} { X }", "the axes of `R` are missing\n= help: write `R[..]`"),
        (
            "fn f(X: R[\"a\"]) -> R[] { X }",
            "an axis is expected here\n= help: axes are no strings: leave out the quotes",
        ),
        ("fn f(X: R[a, b]) -> R[a] where |a| = 2 and |b| = 3 { X }", "conditions are joined by a comma\n"),
        (
            "fn f(X: R[a, b]) -> R[a] where |b| = 2 * |a| and |a| = 3 { X_{b -> (a_: |a|, c)} }",
            "conditions are joined by a comma\n",
        ),
        (
            "fn f(X: R[a, b]) -> R[a] where a = |b| { X }",
            "a condition is about sizes and numbers only\n= help: the size of an axis is `|key|`",
        ),
    ] {
        let all = errors(source);
        assert!(all[0].starts_with(said) && (all.len() == 1 || source.contains("Reals")), "{source}: {all:?}");
    }
}

#[test]
fn an_equation_is_written_with_one_sign_and_defines_a_value() {
    for (body, said) in [
        ("Y := 2 * X; Y", "an equation is written with `=`, not `:=`\n= help: write `Y = ..;`"),
        ("var Y = 2 * X; Y", "an equation has no `var`\n= help: write `X = ..;`"),
        ("const Y = 2 * X; Y", "an equation has no `const`\n= help: write `X = ..;`"),
        (
            "Y(i) = 2 * X; Y",
            "an equation defines a value, not a function\n= help: a value for each position is `Y_{seq(i)} = ..;`",
        ),
        ("if X > 0 { X; } else { 0 }", "a case is one expression, without `;`\n"),
        ("if X > 0 { Y = X } else { Y = 0 }", "a case is a value, and defines no name\n= help: write `Y = if X > 0 { "),
        ("if X > 0 (X) else (0)", "a case stands in braces\n= help: cases are written `if X > 0 { X } else { 0 }`"),
        ("if X =< 0 { X } else { 0 }", "an operator is expected here, not `=`\n= help: at most is `<=`"),
        ("if X => 0 { X } else { 0 }", "an operator is expected here, not `=`\n= help: at least is `>=`"),
        ("if X <> 0 { X } else { 0 }", "an expression is expected here\n= help: unequal is `!=`"),
    ] {
        assert!(at(body).1.starts_with(said), "{body}: {}", at(body).1);
    }
}

#[test]
fn a_power_in_braces_and_a_point_between_factors_are_answered_as_they_are_meant() {
    for (body, place, said) in [
        ("X^{2}", "{", "a power has no braces\n= help: write `^2`"),
        ("X^{i + 1}", "{", "a power has no braces\n= help: write `^(i + 1)`"),
        ("X^{T}", "{", "a power has no braces\n= help: axes have no order: leave it out; another name for one is "),
        ("X^{-1}", "{", "a power has no braces\n= help: write `^(-1)`, of each element; the inverse of a matrix is "),
        ("{X + X} * X", "{", "an expression is expected here\n= help: parts are grouped by parentheses, `(X + Y)`; "),
        ("X ++ X", "+", "an expression is expected here\n= help: leave out the second sign"),
        ("exp(X) .* X", ".", "`.` is no operator of the notation\n= help: product `X * Y`, contraction "),
        ("exp(X) . (X + 1)", ".", "`.` is no operator of the notation\n"),
        ("X . Y", ".", "a field is not read in an equation, and `.` is no product\n= help: product `X * Y`, "),
        (
            "X * self.W",
            ".",
            "a method is not called in an equation\n= help: what a function is given, and its parameters, ",
        ),
        ("X * |seq * key|", "|", "bars are the size of an axis\n= help: write `|seq| * |key|`"),
        ("X * |X * X|", "|", "bars are the size of an axis\n= help: the absolute value is `abs(X * X)`"),
    ] {
        let (at, is) = at(body);
        assert!(at == place && is.starts_with(said), "{body}: at `{at}`: {is}");
    }
}

#[test]
fn an_entry_of_a_subscript_that_lacks_its_half_is_shown_with_it() {
    let entry =
        "an entry of a subscript is an axis and its position, or a renaming\n= help: write `{seq(i)}` where `i` is a ";
    let sort = "an entry of a subscript is an axis and its position, or a renaming\n= help: write ";
    let arrow = "`->` or a position in parentheses is expected here\n= help: ";
    for (body, place, said) in [
        ("X_{i}", "i", entry.to_owned()),
        ("X_{i, j}", "i", entry.to_owned()),
        ("X_{ij}", "ij", format!("{sort}`{{seq(i), key(j)}}`")),
        ("X_{key}", "key", format!("{sort}`{{key(0)}}` for a position, `{{key -> other}}` for another name")),
        ("W_{K}", "K", format!("{sort}`{{K(0)}}` where `K` is an axis; a letter in a name is a part of it: `W_K`")),
        ("X_{1..2}", "1", "a position stands behind its axis\n= help: write `{seq(1..2)}`, with the axis ".to_owned()),
        (
            "X_{-1}",
            "-",
            "a position stands behind its axis\n= help: write `{seq(|seq| - 1)}`, with the axis ".to_owned(),
        ),
        ("X_{:, 0}", ":", "a position stands behind its axis\n= help: an axis of which all is kept is ".to_owned()),
        ("W_{1}", "1", "a position stands behind its axis\n= help: write `{seq(1)}`, with the axis ".to_owned()),
        ("X_{seq => out}", "=", format!("{arrow}write `{{seq -> out}}`")),
        ("X_{seq to out}", "to", format!("{arrow}write `{{seq -> out}}`")),
        ("X_{seq --> out}", "-", format!("{arrow}write `{{seq -> out}}`")),
        ("X_{seq = 0}", "=", format!("{arrow}write `{{seq(0)}}` for a position, `{{seq -> other}}` for another name")),
        ("X_{seq: 0}", ":", format!("{arrow}write `{{seq(0)}}` for a position, ")),
        ("X_{seq[0]}", "[", format!("{arrow}write `{{seq(0)}}`")),
        ("X_{seq * key -> out}", "*", format!("{arrow}several axes become one in parentheses: `(seq, key) -> layer`")),
        (
            "X_{seq, key -> out}",
            "seq",
            "nothing becomes of `seq`\n= help: several axes become one in parentheses: `(seq, key) -> out`".to_owned(),
        ),
        ("X_{\"seq\" -> out}", "\"seq\"", "an axis is expected here\n= help: axes are no strings".to_owned()),
        ("X_{seq(0...2)}", ".", "a range is written with `..`\n= help: write `2..6` for 2, 3, 4, 5".to_owned()),
        (
            "X_{seq(0, 2)}",
            ",",
            "one position is expected per axis\n= help: write `{seq(3)}`, several positions `{seq(1..3)}`".to_owned(),
        ),
        ("X_{seq -> (a = 2, b)}", "=", "the size of an axis stands behind `:`\n= help: write `a: 12`".to_owned()),
        ("X_{seq -> (a(2), b)}", "(", "the size of an axis stands behind `:`\n= help: write `a: 12`".to_owned()),
        (
            "M_{i, j} = 0; M",
            "i",
            "the position `i` has no axis\n= help: write `seq(i)`, with the axis that you mean".to_owned(),
        ),
        (
            "M_{seq(0)} = 0; M",
            "0",
            "a letter for the position is expected here\n= help: write `seq(i)`; one position among ".to_owned(),
        ),
        (
            "M_{seq(i = 4)} = 0; M",
            "=",
            "one letter is expected per axis\n= help: write `seq(i)`, with a size `seq(i: 12)`".to_owned(),
        ),
        ("sum_{0}(X)", "0", "an axis is expected here\n= help: axes have names, no numbers".to_owned()),
    ] {
        let (at, is) = at(body);
        assert!(at.starts_with(place) && is.starts_with(&said), "{body}: at `{at}`: {is}");
    }
}

#[test]
fn an_argument_too_many_is_answered_with_where_the_learnt_ones_stand_and_how_several_become_one() {
    let list: Vec<String> = ('A'..='I').map(|name| format!("{name}: R[a]")).collect();
    let learnt = "what is learnt stands after a semicolon, however many: `F(X: R[..]; W: R[..], ..)`";
    let stacked = "several that have the same axes may come as one that has an axis more, which `Tensor::stack` makes";
    let said = format!("a function has at most 8 tensor arguments\n= help: {learnt}\n= help: {stacked}");
    let sum = "A + B + C + D + E + F + G + H";
    assert_eq!(only(&format!("fn F({}) -> R[a] {{ {sum} + I }}", list.join(", "))), said);
    let parted = format!("fn F({}; {}) -> R[a] {{ {sum} + I }}", list[..2].join(", "), list[2..].join(", "));
    assert_eq!(errors(&parted), Vec::<String>::new());
}

#[test]
fn a_parameter_that_is_contracted_as_a_part_of_something_is_told_how_it_begins_alone() {
    let of = |start: &str, body: &str| format!("fn f(X: R[a], M: R[a, b]; W: R[a, b]{start}) -> R[b] {{ {body} }}");
    let said = "what `W` is at first cannot be seen from the equations\n= help: write `W: R[..] = 1` or `W: R[..] ~ normal(0, 1)`";
    let drawn = "~ normal(0, 1 / sqrt(|a|))";
    let part = format!(
        "{said}\n= help: it is contracted as a part of something; what is contracted itself is at first `{drawn}`"
    );
    for body in ["X dot_a (M * W)", "(exp(W) * M) dot_a X"] {
        assert_eq!(only(&of("", body)), part, "{body}");
        assert_eq!(errors(&of(&format!(" {drawn}"), body)), Vec::<String>::new(), "{body}");
    }
    let summed = "= help: `a` is no axis of the result: if it is summed over, write `.. dot_a W`";
    assert_eq!(only(&of("", "sum_a(X * M * W)")), format!("{said}\n{summed}"));
    // A gain has no other axis.
    let gain = only("fn f(X: R[a], Y: R[a]; W: R[a]) -> R[] { X dot_a (Y * W) }");
    assert_eq!(gain, said);
}

#[test]
fn steps_and_letters_that_nothing_gives_are_answered_where_a_position_stands() {
    for (body, wrong, said) in [
        (
            "X_{a(::2)}",
            ":",
            "a range has no steps\n= help: one of 2: `X_{a -> (part, each: 2)}_{each(0)}`, with axes of your own",
        ),
        (
            "X_{a(1::3)}",
            ":",
            "a range has no steps\n= help: one of 3: `X_{a -> (part, each: 3)}_{each(1)}`, with axes of your own",
        ),
        (
            "X_{a(::-1)}",
            ":",
            "a range has no steps\n= help: by positions, with a letter for each axis: `Y_{a(i)} = X_{a(|a| - 1 - i)};`",
        ),
        (
            "X_{a(i + 1)} - X_{a(i)}",
            "i",
            "nothing is called `i` here\n= help: a letter for the position is given on the left side: `Y_{seq(i)} = ..;`\n\
             = help: defined here: `X`",
        ),
        ("X * δ_{a, b}", "δ_", "`δ` is no identity in the notation\n= help: write `eye_{a, b}(|a|)`"),
    ] {
        assert_eq!(slip(&format!("fn F(X: R[a]) -> R[a] {{ {body} }}")), (wrong.to_owned(), said.to_owned()), "{body}");
    }
    for body in ["X_{a(self::N)}", "X_{a(super::N..self::M)}"] {
        assert_eq!(errors(&format!("fn F(X: R[a]) -> R[a] {{ {body} }}")), Vec::<String>::new(), "{body}");
    }
}

#[test]
fn what_paper_writes_around_a_condition_and_a_product_is_answered() {
    let indicator = "1 where a condition holds: write `if X > 0 { 1 } else { 0 }`";
    for (body, said) in [
        ("1{X > 0}", format!("a condition is no number\n= help: {indicator}")),
        ("1[X > 0]", format!("a condition is no number\n= help: {indicator}")),
        ("X * [X > 0]", format!("an expression is expected here\n= help: {indicator}")),
        ("<X, X>", "an expression is expected here\n= help: an inner product is written `X dot_key Y`".to_owned()),
        (
            "Softmax_a(X)",
            "no function `Softmax_a` in the notation\n= help: did you mean `softmax_a`?\n\
             = help: one of the program is called as `self::Softmax_a(..)`"
                .to_owned(),
        ),
    ] {
        assert_eq!(slip(&format!("fn F(X: R[a]) -> R[a] {{ {body} }}")).1, said, "{body}");
    }
    assert_eq!(errors("fn F(X: R[a]) -> R[] { Σ_a(X) + self::Softmax_a(X) + Softmx_a(X) }"), Vec::<String>::new());
}
