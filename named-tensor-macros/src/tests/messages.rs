//! What the macro reports: each mistake once, at the user's own token, with the line to write.
//!
//! The expected text shows the line, the token under carets, and the message.
//! Mistakes that types judge are not here but in the UI tests, which see the compiler's own output.

use super::tokens;
use crate::report::Report;
use expect_test::{Expect, expect};

/// Every error of a block as a compiler would show it.
fn check(source: &str, expected: &Expect) {
    let mut report = Report::default();
    let expanded = crate::named::functions(tokens(source), &mut report);
    assert!(syn::parse2::<syn::File>(expanded.clone()).is_ok(), "the fallback is not Rust: {expanded}");
    let errors = report.finish().err().into_iter().flatten();
    let shown: String = errors.map(|error| shown(source, &error)).collect();
    expected.assert_eq(&shown);
}

fn shown(source: &str, error: &syn::Error) -> String {
    let (start, end) = (error.span().start(), error.span().end());
    let line = source.lines().nth(start.line.saturating_sub(1)).unwrap_or("");
    let width = if end.line == start.line { end.column.saturating_sub(start.column).max(1) } else { 1 };
    format!("{}\n{}{}\n{error}\n", line, " ".repeat(start.column), "^".repeat(width))
}

macro_rules! messages {
    ($($test:ident: $source:literal => $expected:expr;)*) => {$(
        #[test]
        fn $test() {
            check($source, &$expected);
        }
    )*};
}

messages! {
    a_misspelt_axis_is_corrected: "fn f(Q: R[key], K: R[seq, key]) -> R[seq] { Q dot_kay K }" => expect![[r#"
        fn f(Q: R[key], K: R[seq, key]) -> R[seq] { Q dot_kay K }
                                                      ^^^^^^^
        no axis `kay` here
        = help: did you mean `key`?
        = help: axes of `f`: `key` and `seq`
    "#]];
    a_parameter_that_may_be_absent_is_added: "fn f(X: R[a]; W: R[a, b], c: R[b]?, n: N?) -> R[b] { n(X dot_a W + c) }" => expect![""];
    a_parameter_that_may_be_absent_is_multiplied: "fn f(X: R[a]; c: R[a]?) -> R[a] { X * c + X }" => expect![[r#"
        fn f(X: R[a]; c: R[a]?) -> R[a] { X * c + X }
                                              ^
        `c` may be absent, and can only be added
        = help: write `.. + c`, or leave out the `?`
    "#]];
    a_function_among_the_parameters_that_is_not_called: "fn f(X: R[a]; g: G) -> R[] { X dot_a g }" => expect![[r#"
        fn f(X: R[a]; g: G) -> R[] { X dot_a g }
                                             ^
        `g` is a function, not a tensor
        = help: call it: `g(..)`
    "#]];
    what_other_languages_write_for_powers_cases_and_positions: "fn f(X: R[a]) -> R[a] { X ** 2 } fn g(X: R[a]) -> R[a] { where(X > 0, X, 0) } fn h(X: R[a]) -> R[] { X[0] }" => expect![[r#"
        fn f(X: R[a]) -> R[a] { X ** 2 } fn g(X: R[a]) -> R[a] { where(X > 0, X, 0) } fn h(X: R[a]) -> R[] { X[0] }
                                   ^
        an expression is expected here
        = help: a power is written `X^2`
        fn f(X: R[a]) -> R[a] { X ** 2 } fn g(X: R[a]) -> R[a] { where(X > 0, X, 0) } fn h(X: R[a]) -> R[] { X[0] }
                                                                 ^^^^^
        an expression is expected here
        = help: cases are written `if X > 0 { X } else { 0 }`
        fn f(X: R[a]) -> R[a] { X ** 2 } fn g(X: R[a]) -> R[a] { where(X > 0, X, 0) } fn h(X: R[a]) -> R[] { X[0] }
                                                                                                              ^
        positions do not stand in brackets
        = help: write `X_{seq(0)}`, of several axes `X_{seq(i), key(0)}`
    "#]];
    a_function_that_may_be_absent_has_two_arguments: "fn f(X: R[a]; g: G?) -> R[a] { g(X, X) }" => expect![[r#"
        fn f(X: R[a]; g: G?) -> R[a] { g(X, X) }
                                       ^
        `g` may be absent, and must then be the identity of one argument
        = help: leave out the `?`
    "#]];
    an_axis_named_nowhere_is_left_to_the_types: "fn f(X: R[seq]) -> R[seq] { softmax_val(X) }" => expect![""];
    primed_axes_are_no_misspellings: "fn f(X: R[seq]) -> R[seq_] { X_{seq -> seq_} }" => expect![""];
    an_axis_line_silences_the_correction: "axis keys; fn f(X: R[key]) -> R[] { sum_keys(g(X)) * sum_key(X) }" => expect![""];
    an_axis_twice_in_a_type: "fn f(X: R[seq, key, seq]) -> R[] { sum_{seq, key}(X) }" => expect![[r#"
        fn f(X: R[seq, key, seq]) -> R[] { sum_{seq, key}(X) }
                            ^^^
        axis `seq` is named twice
        = help: one of two equal axes needs another name: `seq` and `seq_`
    "#]];
    an_axis_twice_in_a_subscript: "fn f(X: R[a, b]) -> R[c] { X_{a -> c, b -> c} }" => expect![[r#"
        fn f(X: R[a, b]) -> R[c] { X_{a -> c, b -> c} }
                                                   ^
        axis `c` is named twice
    "#]];
    an_axis_twice_in_a_contraction: "fn f(X: R[a], Y: R[a]) -> R[] { X dot_{a, a} Y }" => expect![[r#"
        fn f(X: R[a], Y: R[a]) -> R[] { X dot_{a, a} Y }
                                                  ^
        axis `a` is named twice
    "#]];
    a_variable_defined_twice: "fn f(X: R[a]) -> R[a] { Y = X; Y = X + Y; Y }" => expect![[r#"
        fn f(X: R[a]) -> R[a] { Y = X; Y = X + Y; Y }
                                       ^
        `Y` is defined twice
        = help: an equation holds for good: give the new value a new name
    "#]];
    a_function_defined_twice: "fn f(X: R[a]) -> R[a] { X } fn f(X: R[b]) -> R[b] { X } fn g(X: R[a]) -> R[a] { f(X) }" => expect![[r#"
        fn f(X: R[a]) -> R[a] { X } fn f(X: R[b]) -> R[b] { X } fn g(X: R[a]) -> R[a] { f(X) }
                                       ^
        `f` is defined twice
        = help: a function of a block has a name of its own
    "#]];
    a_position_that_need_not_be_whole: "fn f(X: R[a]) -> R[a] { Y_{a(i)} = X_{a(i / 2)} + X_{a(0.5 * i)}; Y } fn g(I: a[b]) -> a[b] { (I + 1) / 2 }" => expect![[r#"
        fn f(X: R[a]) -> R[a] { Y_{a(i)} = X_{a(i / 2)} + X_{a(0.5 * i)}; Y } fn g(I: a[b]) -> a[b] { (I + 1) / 2 }
                                                  ^
        a position is a whole number, and this need not be one
        = help: the whole part of a quotient is `div(i, 2)`, that of any number `floor(X)`
        fn f(X: R[a]) -> R[a] { Y_{a(i)} = X_{a(i / 2)} + X_{a(0.5 * i)}; Y } fn g(I: a[b]) -> a[b] { (I + 1) / 2 }
                                                                                                              ^
        a position is a whole number, and this need not be one
        = help: the whole part of a quotient is `div(i, 2)`, that of any number `floor(X)`
    "#]];
    a_quotient_of_sizes_beside_positions: "fn f(X: R[a], W: R[k]) -> R[a, k] { Y_{a(i), k(j)} = X_{a(i + j - (|k| - 1) / 2)} * W_{k(j)}; Y }" => expect![[r#"
        fn f(X: R[a], W: R[k]) -> R[a, k] { Y_{a(i), k(j)} = X_{a(i + j - (|k| - 1) / 2)} * W_{k(j)}; Y }
                                                                                    ^
        a position is a whole number, and this need not be one
        = help: the whole part of a quotient is `div(i, 2)`, that of any number `floor(X)`
    "#]];
    a_quotient_of_positions_that_is_made_whole: "fn f(X: R[a]) -> R[a] { Y_{a(i)} = X_{a(div(i, 2) + div(|a|, 2))} + X_{a(floor(i / 2))} + X_{a(if i / 2 < 3 { i } else { 0 })} + i / 2; Y }" => expect![""];
    an_argument_named_like_an_axis_or_a_number: "fn f(a: R[a], π: R[a]) -> R[a] { a + π }" => expect![[r#"
        fn f(a: R[a], π: R[a]) -> R[a] { a + π }
             ^
        `a` is the name of an axis, a variable needs another
        fn f(a: R[a], π: R[a]) -> R[a] { a + π }
                      ^
        `π` is a number here, a variable needs another name
    "#]];
    an_unused_parameter: "fn f(X: R[c]; W_Q: R[c, key], W_K: R[c, key]) -> R[] { (X dot_c W_Q) dot_key (X dot_c W_Q) }" => expect![[r#"
        fn f(X: R[c]; W_Q: R[c, key], W_K: R[c, key]) -> R[] { (X dot_c W_Q) dot_key (X dot_c W_Q) }
                                      ^^^
        parameter `W_K` is never used
        = help: leave it out, or use it where another one stands in its place
        = help: or call it `_W_K`
    "#]];
    an_unused_argument: "fn f(X: R[c], Y: R[c]) -> R[c] { X }" => expect![[r#"
        fn f(X: R[c], Y: R[c]) -> R[c] { X }
                      ^
        argument `Y` is never used
        = help: leave it out
        = help: or call it `_Y`
    "#]];
    an_unused_value: "fn f(X: R[c]) -> R[c] { X1 = exp(X); X }" => expect![[r#"
        fn f(X: R[c]) -> R[c] { X1 = exp(X); X }
                                ^^
        value `X1` is never used
        = help: leave out its equation
        = help: or call it `_X1`
    "#]];
    an_underscore_exempts_from_use: "fn f(X: R[c], _Y: R[c]) -> R[c] { _Z = exp(X); X }" => expect![""];
    an_undefined_variable: "fn f(X: R[c], Weight: R[c]) -> R[c] { x + Wieght }" => expect![[r#"
        fn f(X: R[c], Weight: R[c]) -> R[c] { x + Wieght }
                                              ^
        nothing is called `x` here
        = help: did you mean `X`?
        = help: defined here: `X` and `Weight`
        fn f(X: R[c], Weight: R[c]) -> R[c] { x + Wieght }
                                                  ^^^^^^
        nothing is called `Wieght` here
        = help: did you mean `Weight`?
        = help: defined here: `X` and `Weight`
    "#]];
    too_many_arguments_for_a_function_of_the_block: "fn f(X: R[c]) -> R[c] { X } fn g(X: R[c]) -> R[c] { f(X, X) }" => expect![[r#"
        fn f(X: R[c]) -> R[c] { X } fn g(X: R[c]) -> R[c] { f(X, X) }
                                                            ^
        `f` takes 1 argument, 2 were given
        = help: its arguments are `X: R[c]`
    "#]];
    too_few_arguments_for_a_built_in_function: "fn f(X: R[c]) -> R[c] { concat_c(X) }" => expect![[r#"
        fn f(X: R[c]) -> R[c] { concat_c(X) }
                                ^^^^^^^^
        `concat` takes at least 2 arguments, 1 was given
        = help: write `concat_ax(X, Y)`
    "#]];
    a_built_in_function_without_its_axis: "fn f(X: R[c]) -> R[c] { softmax(X) + max(X) }" => expect![[r#"
        fn f(X: R[c]) -> R[c] { softmax(X) + max(X) }
                                ^^^^^^^
        `softmax` needs an axis
        = help: write `softmax_c(X)`
        fn f(X: R[c]) -> R[c] { softmax(X) + max(X) }
                                             ^^^
        `max` takes 2 arguments, 1 was given
        = help: write `max(X, Y)`
        = help: over an axis: `max_c(X)`
    "#]];
    a_misspelt_function: "fn f(X: R[c]) -> R[c] { sofmax_c(X) + realu(X) }" => expect![[r#"
        fn f(X: R[c]) -> R[c] { sofmax_c(X) + realu(X) }
                                ^^^^^^^^
        no function `sofmax_c` in the notation
        = help: did you mean `softmax_c`?
        = help: a function of the program with this name is called as `self::sofmax_c(..)`
        fn f(X: R[c]) -> R[c] { sofmax_c(X) + realu(X) }
                                              ^^^^^
        no function `realu` in the notation
        = help: did you mean `relu`?
        = help: a function of the program with this name is called as `self::realu(..)`
    "#]];
    a_function_with_parameters_called_directly: "fn f(X: R[c]; b: R[c]) -> R[c] { X + b } fn g(X: R[c]) -> R[c] { f(X) }" => expect![[r#"
        fn f(X: R[c]; b: R[c]) -> R[c] { X + b } fn g(X: R[c]) -> R[c] { f(X) }
                                                                         ^
        `f` has parameters of its own
        = help: declare `f: f` after the `;` of the signature and call `f(..)`
    "#]];
    an_unknown_operator: "fn f(X: R[c], Y: R[c]) -> R[] { X @ Y }" => expect![[r#"
        fn f(X: R[c], Y: R[c]) -> R[] { X @ Y }
                                          ^
        an operator is expected here, not `@`
        = help: product `X * Y`, contraction `X dot_key Y`, also `+ - / ^`
    "#]];
    a_word_for_an_operator: "fn f(X: R[c], Y: R[c]) -> R[] { X cdot_c Y }" => expect![[r#"
        fn f(X: R[c], Y: R[c]) -> R[] { X cdot_c Y }
                                          ^^^^^^
        an operator is expected here, not `cdot_c`
        = help: product `X * Y`, contraction `X dot_key Y`, also `+ - / ^`
    "#]];
    a_missing_operator: "fn f(X: R[c], Y: R[c]) -> R[] { 2 X + Y }" => expect![[r#"
        fn f(X: R[c], Y: R[c]) -> R[] { 2 X + Y }
                                          ^
        an operator is expected here, not `X`
        = help: product `X * Y`, contraction `X dot_key Y`, also `+ - / ^`
    "#]];
    a_remainder_of_reals: "fn f(X: R[c], Y: R[c]) -> R[c] { X % Y }" => expect![[r#"
        fn f(X: R[c], Y: R[c]) -> R[c] { X % Y }
                                           ^
        `%` is for positions and sizes, not for real tensors
        = help: elementwise `+ - * / ^`, contraction `X dot_key Y`
    "#]];
    a_contraction_without_axes: "fn f(X: R[c], Y: R[c]) -> R[] { X dot Y }" => expect![[r#"
        fn f(X: R[c], Y: R[c]) -> R[] { X dot Y }
                                          ^^^
        a contraction names its axes
        = help: write `X dot_key Y` or `X dot_{heads, val} Y`
    "#]];
    a_method_call: "fn f(X: R[c]) -> R[c] { X.exp() }" => expect![[r#"
        fn f(X: R[c]) -> R[c] { X.exp() }
                                 ^
        a method is not called in an equation
        = help: write `exp(X)`
    "#]];
    a_let: "fn f(X: R[c]) -> R[c] { let Y = exp(X); Y }" => expect![[r#"
        fn f(X: R[c]) -> R[c] { let Y = exp(X); Y }
                                ^^^
        an equation has no `let`
        = help: write `X = ..;`
    "#]];
    an_axis_parameter_outside_its_function: "fn centre_{ax}(X: R[ax]) -> R[ax] { X - mean_ax(X) } fn g(X: R[seq]) -> R[seq] { X - mean_ax(X) }" => expect![[r#"
        fn centre_{ax}(X: R[ax]) -> R[ax] { X - mean_ax(X) } fn g(X: R[seq]) -> R[seq] { X - mean_ax(X) }
                                                                                             ^^^^^^^
        `ax` is an axis parameter of `centre`, not an axis here
        = help: axes of `g`: `seq`
    "#]];
    an_axis_parameter_that_nothing_has: "fn f_{ax}(X: R[seq]) -> R[seq] { X }" => expect![[r#"
        fn f_{ax}(X: R[seq]) -> R[seq] { X }
              ^^
        axis parameter `ax` is never used
        = help: an argument or the result has it: `X: R[ax]`
    "#]];
    an_axis_parameter_in_a_parameter: "fn f_{ax}(X: R[ax]; W: R[ax]) -> R[] { X dot_ax W }" => expect![[r#"
        fn f_{ax}(X: R[ax]; W: R[ax]) -> R[] { X dot_ax W }
                                 ^^
        a parameter cannot range over the axis parameter `ax`
        = help: name the axis itself
    "#]];
    a_parametric_function_without_axes: "fn f_{ax}(X: R[ax]) -> R[ax] { X } fn g(X: R[seq]) -> R[seq] { f(X) }" => expect![[r#"
        fn f_{ax}(X: R[ax]) -> R[ax] { X } fn g(X: R[seq]) -> R[seq] { f(X) }
                                                                       ^
        `f` needs an axis
        = help: write `f_{ax}(..)` with the axes to apply it to
    "#]];
    a_missing_result_type: "fn f(X: R[c]) { X }" => expect![[r#"
        fn f(X: R[c]) { X }
           ^
        the result type of `f` is missing
        = help: write `-> R[..]` with the axes of the result, `-> R[]` for a scalar
    "#]];
    a_missing_argument_type: "fn f(X) -> R[c] { X }" => expect![[r#"
        fn f(X) -> R[c] { X }
             ^
        `X` has no type
        = help: write `X: R[..]`
    "#]];
    a_body_without_a_value: "fn f(X: R[c]) -> R[c] { Y = exp(X); }" => expect![[r#"
        fn f(X: R[c]) -> R[c] { Y = exp(X); }
           ^
        `f` has no value
        = help: the last line is an expression without `;`
    "#]];
    a_value_without_a_name: "fn f(X: R[c]) -> R[c] { exp(X); }" => expect![[r#"
        fn f(X: R[c]) -> R[c] { exp(X); }
                                ^^^
        a value without a name
        = help: write `Y = ..;`, or leave out the `;` if this is the value of the function
    "#]];
    a_size_that_is_not_known: "fn f(X: R[c]) -> R[c] { X / sqrt(|key|) }" => expect![[r#"
        fn f(X: R[c]) -> R[c] { X / sqrt(|key|) }
                                          ^^^
        the size of `key` is not known here
        = help: no argument of `f` has the axis `key`
        = help: an equation with a stated type has: `Y: R[key, ..] = ..;`
    "#]];
    a_condition_on_an_unknown_size: "fn f(X: R[c]) -> R[c] where |val| = |c| { X }" => expect![[r#"
        fn f(X: R[c]) -> R[c] where |val| = |c| { X }
                                     ^^^
        the size of `val` is not known here
        = help: no argument of `f` has the axis `val`
        = help: an equation with a stated type has: `Y: R[val, ..] = ..;`
    "#]];
    truth_values_in_arithmetic: "fn f(X: R[c]) -> R[c] { (X > 0) * X }" => expect![[r#"
        fn f(X: R[c]) -> R[c] { (X > 0) * X }
                                        ^
        a number is needed here, not a truth value
        = help: write `if .. { 1 } else { 0 }`
    "#]];
    a_number_as_a_condition: "fn f(X: R[c]) -> R[c] { if X { X } else { 0 } }" => expect![[r#"
        fn f(X: R[c]) -> R[c] { if X { X } else { 0 } }
                                   ^
        a truth value is needed here, not real numbers
        = help: write a comparison, such as `i <= j` or `X > 0`
    "#]];
    a_case_without_else: "fn f(X: R[c]) -> R[c] { if X > 0 { X } }" => expect![[r#"
        fn f(X: R[c]) -> R[c] { if X > 0 { X } }
                                ^^
        every case needs a value: `else` is missing
        = help: write `if .. { .. } else { .. }`
    "#]];
    a_chain_of_comparisons: "fn f(X: R[c]) -> B[c] { 0 <= X <= 1 }" => expect![[r#"
        fn f(X: R[c]) -> B[c] { 0 <= X <= 1 }
                                       ^
        a comparison has two sides
        = help: write `lo <= x && x <= hi`
    "#]];
    reals_for_positions: "fn f(E: R[vocab, emb], I: R[seq]) -> R[seq, emb] { index_vocab(E, I) }" => expect![[r#"
        fn f(E: R[vocab, emb], I: R[seq]) -> R[seq, emb] { index_vocab(E, I) }
                                                           ^^^^^^^^^^^
        positions along `vocab` are needed, not real numbers
        = help: declare it as positions: `I: vocab[..]`; one position by its number: `E_{vocab(2)}`
        = help: real numbers do not become positions in an equation: positions are letters and what is computed of them, those of `argsort` and `argmaxk`, or an argument, made by `Tensor::indices`
        = help: `argmax_vocab` is one-hot; the position itself: `argmaxk_vocab(X, 1)_{vocab(0)}`
    "#]];
    a_fraction_for_a_size: "fn f(X: R[c]) -> R[a, b] { X_{c -> (a: 2.5, b)} }" => expect![[r#"
        fn f(X: R[c]) -> R[a, b] { X_{c -> (a: 2.5, b)} }
                                               ^^^
        a whole number is needed here
        = help: such as `12` or `|key| / 2`
    "#]];
    an_initial_value_that_cannot_be_seen: "fn f(X: R[c]; g: R[c]) -> R[c] { X * g }" => expect![[r#"
        fn f(X: R[c]; g: R[c]) -> R[c] { X * g }
                      ^
        what `g` is at first cannot be seen from the equations
        = help: write `g: R[..] = 1` or `g: R[..] ~ normal(0, 1)`
    "#]];
    an_unknown_distribution: "fn f(X: R[c]; g: R[c] ~ normla(0, 1)) -> R[c] { X * g }" => expect![[r#"
        fn f(X: R[c]; g: R[c] ~ normla(0, 1)) -> R[c] { X * g }
                                ^^^^^^
        no distribution is called `normla`
        = help: `normal(mean, deviation)`, `uniform(low, high)`, `glorot`, `he`
        = help: did you mean `normal`?
    "#]];
    parameters_before_the_semicolon: "fn f(X: R[c], g: R[c] = 1) -> R[c] { X * g }" => expect![[r#"
        fn f(X: R[c], g: R[c] = 1) -> R[c] { X * g }
                              ^
        only a parameter has an initial value
        = help: parameters stand after a semicolon: `f(X: R[chans]; W: R[chans, out])`
    "#]];
    mistakes_in_several_equations_are_all_reported: "fn f(X: R[c]) -> R[c] { Y = X @ X; Z = X dot_ X; exp(X) + }  fn g(X: R[c]) -> R[d] { X dot_cc X } fn h(X) -> R[] { 1 } fn k(X: R[seq]) -> R[] { sum_sep(X) }" => expect![[r#"
        fn f(X: R[c]) -> R[c] { Y = X @ X; Z = X dot_ X; exp(X) + }  fn g(X: R[c]) -> R[d] { X dot_cc X } fn h(X) -> R[] { 1 } fn k(X: R[seq]) -> R[] { sum_sep(X) }
                                      ^
        an operator is expected here, not `@`
        = help: product `X * Y`, contraction `X dot_key Y`, also `+ - / ^`
        fn f(X: R[c]) -> R[c] { Y = X @ X; Z = X dot_ X; exp(X) + }  fn g(X: R[c]) -> R[d] { X dot_cc X } fn h(X) -> R[] { 1 } fn k(X: R[seq]) -> R[] { sum_sep(X) }
                                                 ^^^^
        a contraction names its axes
        = help: write `X dot_key Y` or `X dot_{heads, val} Y`
        fn f(X: R[c]) -> R[c] { Y = X @ X; Z = X dot_ X; exp(X) + }  fn g(X: R[c]) -> R[d] { X dot_cc X } fn h(X) -> R[] { 1 } fn k(X: R[seq]) -> R[] { sum_sep(X) }
                                                                  ^
        an expression is missing at the end
        fn f(X: R[c]) -> R[c] { Y = X @ X; Z = X dot_ X; exp(X) + }  fn g(X: R[c]) -> R[d] { X dot_cc X } fn h(X) -> R[] { 1 } fn k(X: R[seq]) -> R[] { sum_sep(X) }
                                                                                                               ^
        `X` has no type
        = help: write `X: R[..]`
        fn f(X: R[c]) -> R[c] { Y = X @ X; Z = X dot_ X; exp(X) + }  fn g(X: R[c]) -> R[d] { X dot_cc X } fn h(X) -> R[] { 1 } fn k(X: R[seq]) -> R[] { sum_sep(X) }
                                                                                                                                                        ^^^^^^^
        no axis `sep` here
        = help: did you mean `seq`?
        = help: axes of `k`: `seq`
    "#]];
    callers_of_a_broken_function_are_not_blamed: "fn f(X) -> R[c] { X } fn g(X: R[c]) -> R[c] { f(X, X, X) }" => expect![[r#"
        fn f(X) -> R[c] { X } fn g(X: R[c]) -> R[c] { f(X, X, X) }
             ^
        `X` has no type
        = help: write `X: R[..]`
    "#]];
    a_pooling_function_is_not_a_maximum: "fn f(X: R[c]) -> R[c] { max_pool(X) }" => expect![""];
}
