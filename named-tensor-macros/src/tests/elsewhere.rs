//! What the macro says where a user writes as in another library, and mistakes that could look like two.
//!
//! Messages are collected as in `messages`; here each test is about the words and the number of them.

use super::tokens;
use crate::report::Report;

/// The messages of a block, one for each mistake.
pub(super) fn errors(source: &str) -> Vec<String> {
    let mut report = Report::default();
    let expanded = crate::named::functions(tokens(source), &mut report);
    assert!(syn::parse2::<syn::File>(expanded.clone()).is_ok(), "the fallback is not Rust: {expanded}");
    report.finish().err().into_iter().flatten().map(|error| error.to_string()).collect()
}

/// The only message of a function with this body.
fn said(body: &str) -> String {
    let source = format!("fn f(X: R[seq, key], I: key[seq]) -> R[seq, key] {{ {body} + 0 * X_{{key(I)}} }}");
    match errors(&source).as_slice() {
        [only] => only.clone(),
        other => panic!("{body}: {other:?}"),
    }
}

#[test]
fn a_letter_of_another_axis_is_refused_and_a_diagonal_is_written_with_a_computed_position() {
    let of =
        |right: &str| errors(&format!("fn f(X: R[row, col]) -> R[row, col] {{ Y_{{row(i), col(j)}} = {right}; Y }}"));
    let refused = of("X_{row(j), col(i)}");
    let [only] = refused.as_slice() else { panic!("{refused:?}") };
    assert!(only.starts_with("`j` is a position of `col`, not of `row`\n"), "{only}");
    assert!(only.contains("= help: the same number along `row`, as on a diagonal: `row(j + 0)`"), "{only}");
    for right in ["X_{row(i), col(j)}", "X_{row(i), col(i + 0)} * j", "X_{row(2), col(j)} + i"] {
        assert!(of(right).is_empty(), "{right}: {:?}", of(right));
    }
}

#[test]
fn a_function_that_other_libraries_have_is_answered_with_what_to_write() {
    for (body, write) in [
        ("ln(X)", "`log(X)`"),
        ("std_key(X)", "`sqrt(var_key(X))`"),
        ("std_{seq, key}(X)", "`sqrt(var_{seq, key}(X))`"),
        ("logsumexp_key(X)", "`M + log(sum_key(exp(X - M)))`"),
        ("softplus(X)", "`(if X > 0 { X } else { 0 }) + log(U) + (E - (U - 1)) / U`"),
        ("leaky_relu(X)", "`if X > 0 { X } else { 0.01 * X }`"),
        ("dropout(X, 0.1)", "`if U < p { 0 } else { X / (1 - p) }`"),
        ("dot_key(X, X)", "`X dot_key Y`"),
        ("gather_key(X, I)", "with positions `I: key[..]`"),
    ] {
        let said = said(body);
        let (first, help) = said.split_once("\n= help: ").expect("help");
        assert!(first.starts_with("no function `") && first.ends_with("` in the notation"), "{said}");
        assert!(help.contains(write) && help.contains("is called as `self::"), "{said}");
    }
}

#[test]
fn a_function_of_the_block_or_of_a_path_may_have_a_name_of_another_library() {
    for source in [
        "fn ln(X: R[key]) -> R[key] { log(X) } fn f(X: R[key]) -> R[key] { ln(X) }",
        "fn std_{ax}(X: R[ax]) -> R[] { sqrt(var_ax(X)) } fn f(X: R[key]) -> R[] { std_key(X) }",
        "fn f(X: R[key]) -> R[key] { self::softplus(X) }",
        "fn f(X: R[key]; dropout: Dropout) -> R[key] { dropout(X) }",
        "fn f(X: R[key]) -> R[key] { std_dev(X) }",
    ] {
        assert_eq!(errors(source), Vec::<String>::new(), "{source}");
    }
}

#[test]
fn a_function_of_each_element_is_told_to_take_no_axis() {
    assert!(said("tanh_key(X)").contains("`tanh` takes no axis: write `tanh(X)`"));
    assert!(said("reLU(X)").contains("did you mean `relu`?"));
}

#[test]
fn an_axis_among_the_arguments_is_one_mistake_and_is_put_where_it_belongs() {
    assert_eq!(said("softmax(X, key)"), "`softmax` needs an axis\n= help: write `softmax_key(X)`");
    assert!(said("sum(X, axis = key)").contains("the axis of a function is a part of its name: `softmax_seq(X)`"));
    assert!(said("max(X, key)").starts_with("`key` is an axis, not a tensor"));
    assert!(said("X * key").starts_with("`key` is an axis, not a tensor\n= help: its size is `|key|`"));
}

#[test]
fn a_position_below_0_is_refused_before_the_program_runs() {
    for body in ["X_{key(-1)}", "X_{key(-2..)}", "maxk_key(X, -1)", "X_{key -> (key: -1, val)}"] {
        let said = said(body);
        assert!(
            said.starts_with("a size or position is not negative\n= help: positions and sizes count from 0"),
            "{said}"
        );
    }
    assert_eq!(errors("fn f(X: R[seq, key]) -> R[seq] { X_{key(|key| - 1)} }"), Vec::<String>::new());
}

#[test]
fn a_name_that_stands_twice_in_a_signature_is_one_mistake_for_rust_too() {
    for source in [
        "fn f(X: R[key], X: R[seq]) -> R[key] { X }",
        "fn f(X: R[key]; W: R[key], W: R[key]) -> R[] { X dot_key W }",
        "fn f(X: R[key]; X: R[key]) -> R[] { X dot_key X }",
    ] {
        let mut report = Report::default();
        let expanded = crate::named::functions(tokens(source), &mut report).to_string();
        let errors: Vec<_> = report.finish().err().into_iter().flatten().map(|error| error.to_string()).collect();
        assert!(matches!(errors.as_slice(), [only] if only.contains("` is defined twice")), "{source}: {errors:?}");
        assert!(expanded.contains("_X_1") || expanded.contains("_W_2"), "{source}: {expanded}");
    }
}

#[test]
fn what_stands_in_an_equation_as_in_rust_or_on_paper_is_told_apart() {
    assert!(said("exp(&X)").contains("leave out the `&`"));
    assert!(said("mod(I, 2)").contains("`i % 2`"));
}

#[test]
fn the_sum_and_product_signs_of_the_paper_are_read_as_their_words() {
    let body = |text: &str| {
        let source = format!("fn f(X: R[seq, key], Σ: R[seq, key]) -> R[] {{ {text} }}");
        let mut report = Report::default();
        let expanded = crate::named::functions(tokens(&source), &mut report).to_string();
        report.finish().expect(text);
        // All but the text as it is written, which stands in the documentation and in a constant.
        let (code, rest) = expanded.split_once("EQUATION").expect("the text");
        let code = code.split_once("fn __body").expect("the code").1;
        (code.to_owned(), rest.split_once("UNICODE").expect("the mathematics").1.to_owned())
    };
    assert_eq!(body("Σ_{seq, key}(X) * Σ_seq(Π_key(Σ))"), body("sum_{seq, key}(X) * sum_seq(prod_key(Σ))"));
}

#[test]
fn a_split_leaves_one_size_out_and_no_more() {
    let of = |parts: &str| errors(&format!("fn f(X: R[k]) -> R[a, b, c] {{ X_{{k -> ({parts})}} }}"));
    let refused = of("a, b: 2, c");
    let [only] = refused.as_slice() else { panic!("{refused:?}") };
    assert!(only.starts_with("`k` is split into axes of which only one may be without a size\n"), "{only}");
    assert!(only.contains("= help: write `c: ` and its size; that of one axis follows from `|k|`"), "{only}");
    for parts in ["a, b: 2, c: 3", "a: 2, b, c: 3", "a: 2, b: 3, c: 4"] {
        assert!(of(parts).is_empty(), "{parts}: {:?}", of(parts));
    }
}

#[test]
fn an_initial_value_comes_before_what_a_call_gives() {
    for name in ["X", "V", "W"] {
        let source =
            format!("fn f(X: R[k]; W: R[k] ~ normal(0, {name}), V: R[k]) -> R[] {{ X dot_k W * (X dot_k V) }}");
        let refused = errors(&source);
        let [only] = refused.as_slice() else { panic!("{refused:?}") };
        assert!(
            only.starts_with(&format!("an initial value comes before any call, and `{name}` after it\n")),
            "{only}"
        );
    }
    assert_eq!(errors("fn f(X: R[k]; W: R[k] = DEVIATION) -> R[] { X dot_k W }"), Vec::<String>::new());
}

#[test]
fn an_axis_parameter_that_stands_twice_is_one() {
    let mut report = Report::default();
    let expanded =
        crate::named::functions(tokens("fn f_{p, q, p}(X: R[p, q]) -> R[p] { sum_q(X) }"), &mut report).to_string();
    let errors: Vec<_> = report.finish().err().into_iter().flatten().map(|error| error.to_string()).collect();
    assert_eq!(errors, ["axis `p` is named twice"]);
    assert_eq!(expanded.matches("p : ").count(), 1, "{expanded}");
}

/// The only message of a block.
pub(super) fn only(source: &str) -> String {
    match errors(source).as_slice() {
        [only] => only.clone(),
        other => panic!("{source}: {other:?}"),
    }
}

#[test]
fn bars_around_a_number_are_answered_with_its_absolute_value() {
    let help = "bars are the size of an axis\n= help: the absolute value is `abs(X - 1)`";
    assert_eq!(only("fn f(X: R[key]) -> R[key] { |X - 1| * 2 }"), help);
    for body in ["-X + 2", "X_{key(0)}", "sum_key(X)"] {
        let said = only(&format!("fn f(X: R[key]) -> R[key] {{ X * |{body}| }}"));
        assert!(said.starts_with("bars are the size of an axis\n= help: the absolute value is `abs("), "{said}");
    }
    for source in [
        "fn f(X: R[key], Y: R[]) -> R[key] { |X| + Y }",
        "fn f(X: R[key]) -> R[key] { Y = X - 1; |Y| }",
        "fn f(X: R[]; W: R[key]) -> R[key] { |X| * W }",
        "fn f(key_1: R[key1]) -> R[key1] { |key_1| }",
        "fn f(X: R[key]) -> R[key] { Y_{key(i)} = X_{key(i)} * |i|; Y }",
    ] {
        let said = only(source);
        assert!(said.starts_with("bars are the size of an axis, and `") && said.contains("is `abs("), "{said}");
    }
    let said = only("fn f(X: R[key]) -> R[] { |X| }");
    assert!(said.ends_with("the absolute value is `abs(X)`, the norm along `key` is `norm_key(X)`"), "{said}");
    assert!(only("fn f(X: R[key]) -> R[] { ||X|| }").contains("`norm_seq(X)`"));
}

#[test]
fn a_size_that_does_not_end_is_no_absolute_value() {
    for body in ["|key * X", "X + |key", "|key + |key|"] {
        let said = only(&format!("fn f(X: R[key]) -> R[key] {{ {body} }}"));
        assert!(said.contains("= help: write `|key|`"), "{said}");
    }
    assert_eq!(errors("fn f(X: R[key]) -> R[key] { |key| * X + |self::key| }"), Vec::<String>::new());
    assert!(only("fn f(key: R[key]) -> R[key] { key * |key| }").contains("a variable needs another"));
}

#[test]
fn a_letter_behind_a_number_is_multiplied_with_and_a_suffix_of_rust_left_out() {
    assert_eq!(said("2X"), "an operator is missing between `2` and `X`\n= help: write `2 * X`");
    assert!(said("0.5X").contains("`0.5 * X`"));
    for suffix in ["f32", "i64", "usize"] {
        assert_eq!(said(&format!("2{suffix}")), format!("a number has no suffix: leave out `{suffix}`"));
    }
}

#[test]
fn a_letter_of_another_alphabet_is_told_apart() {
    let said = only("fn f(\u{3a7}: R[key]) -> R[key] { X * 2 }");
    let words = "`\u{3a7}` is another name that looks the same: it has a Greek letter where this has a Latin one";
    assert_eq!(said, format!("nothing is called `X` here\n= help: {words}\n= help: defined here: `\u{3a7}`"));
    let said = only("fn f(X: R[k\u{435}y]) -> R[] { sum_key(X) }");
    assert!(said.starts_with("no axis `key` here\n= help: `k\u{435}y` is another name that looks the same"), "{said}");
    assert_eq!(errors("fn f(X: R[key], \u{3a7}: R[key]) -> R[key] { X * \u{3a7} }"), Vec::<String>::new());
}

#[test]
fn two_axes_joined_behind_a_function_are_put_in_braces() {
    let of = |body: &str| errors(&format!("fn f(X: R[key, val, seq_]) -> R[] {{ {body} }}"));
    assert_eq!(of("sum_key_val(X)"), ["several axes stand in braces\n= help: write `sum_{key, val}(X)`"]);
    assert_eq!(of("sum_key_val_seq_(X)"), ["several axes stand in braces\n= help: write `sum_{key, val, seq_}(X)`"]);
    // An axis of this name may be one of the program.
    for body in ["sum_key_val(G(X))", "sum_{key_val}(X_{(key, val) -> key_val})", "sum_key_out(X)"] {
        assert_eq!(of(body), Vec::<String>::new(), "{body}");
    }
}

#[test]
fn a_definition_by_positions_that_leaves_an_axis_of_the_result_out_is_one_mistake() {
    let of = |body: &str| errors(&format!("fn f(X: R[key, seq]) -> R[key, seq] {{ {body} }}"));
    let help = "each axis has a letter on the left: `Y_{key(i), seq(j)} = ..`";
    let said = format!("`Y` is the result and leaves its axis `seq` out\n= help: {help}");
    assert_eq!(of("Y_{key(i)} = X_{key(i)} * 2; Y"), [said]);
    assert_eq!(of("Y_{key(i)} = X_{key(i), seq(0)} * 2; Y * X"), Vec::<String>::new());
}

#[test]
fn a_parameter_over_an_axis_parameter_is_one_mistake_for_rust_too() {
    let source = "fn f_{ax}(X: R[ax]; W: R[ax, key] = 1) -> R[key] { X dot_ax W }";
    assert!(only(source).starts_with("a parameter cannot range over the axis parameter `ax`\n"));
    let mut report = Report::default();
    let expanded = crate::named::functions(tokens(source), &mut report).to_string();
    drop(report.finish());
    assert!(!expanded.contains("< ax") && !expanded.contains("(ax") && !expanded.contains("(key , ax"), "{expanded}");
}

#[test]
fn an_alias_of_a_tensor_is_one_mistake_and_is_written_out() {
    let of = |source: &str| crate::lift::expand(proc_macro2::TokenStream::new(), tokens(source)).to_string();
    for (source, write) in [
        ("fn f(x: &T<R![key]>) -> T<R![]> { x.sum(key) }", "write `&Tensor<R![..]>` out"),
        ("fn f(x: &Tensor<R![key]>) -> T<R![]> { x.sum(key) }", "write `Tensor<R![..]>` out"),
    ] {
        let expanded = of(source);
        assert_eq!(expanded.matches("compile_error").count(), 1, "{expanded}");
        assert!(
            expanded.contains("what an alias stands for is not seen here: ") && expanded.contains(write),
            "{expanded}"
        );
    }
}

#[test]
fn a_number_beyond_f64_is_refused_and_infinity_has_a_word() {
    let of = |number: &str| errors(&format!("fn f(X: R[key]) -> R[key] {{ {number} * X }}"));
    assert_eq!(of("1e400"), ["this number is beyond `f64`\n= help: infinity is `inf`"]);
    assert_eq!(of(&"9".repeat(400)), of("1e400"));
    assert!(of("1e300").is_empty() && of("inf").is_empty());
}

#[test]
fn an_axis_that_is_there_with_a_star_only_is_no_misspelling() {
    for body in [
        "sum_{star(seq)}(X) + |star(seq)|",
        "X dot_{star(seq)} softmax_{star(seq)}(X)",
        "sum_{star(star(seq))}(g(X))",
        "sum_seq(X_{star(seq) -> seq})",
    ] {
        assert_eq!(errors(&format!("fn f(X: R[star(seq)]) -> R[] {{ {body} }}")), Vec::<String>::new(), "{body}");
    }
    let said = only("fn f(X: R[star(hidden)]) -> R[] { sum_{star(hiden)}(X) }");
    assert!(said.starts_with("no axis `hiden` here\n= help: did you mean `hidden`?"), "{said}");
}
