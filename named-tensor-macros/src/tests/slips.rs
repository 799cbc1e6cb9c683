//! What the macro says of names that nothing defines, of sizes and axes that are left out, and of types that are not there.
//!
//! Here each test is about one mistake: the token that is pointed at, and what is advised.

use super::elsewhere::errors;
use super::tokens;
use crate::report::Report;

/// The token that the only message about a block points at, and the message.
pub(super) fn at(source: &str) -> (String, String) {
    let mut report = Report::default();
    drop(crate::named::functions(tokens(source), &mut report));
    let errors: Vec<syn::Error> = report.finish().err().into_iter().flatten().collect();
    let [error] = errors.as_slice() else { panic!("{source}: {errors:?}") };
    let characters: Vec<char> = source.chars().collect();
    let (start, end) = (error.span().start().column, error.span().end().column);
    (characters[start..end].iter().collect(), error.to_string())
}

#[test]
fn a_misspelt_name_in_capitals_is_told_where_it_stands_and_not_where_the_right_one_is_defined() {
    for (source, wrong, meant) in [
        ("fn F(X: R[seq]) -> R[seq] { X1 = X + 1; X2 = X1 * 2; X3 }", "X3", "`X2`"),
        ("fn F(X: R[chans]; W1: R[chans, key]) -> R[key] { X dot_chans W2 }", "W2", "`W1`"),
        ("fn F(X: R[c], W1: R[c], W2: R[c]) -> R[c] { X * W1 * W3 + W3 }", "W3", "`W2`"),
        ("fn F(X1: R[c], X2: R[c]) -> R[c] { X3 + 0 }", "X3", "`X1` or `X2`"),
    ] {
        let help = format!(
            "did you mean {meant}, which is never used?\n= help: a constant of the program is written `self::{wrong}`"
        );
        let said = format!("nothing is called `{wrong}` here\n= help: {help}");
        assert_eq!(at(source), (wrong.to_owned(), said));
    }
    // A constant that is near nothing unused is one, and what is unused is told.
    for source in [
        "fn F(X: R[c]) -> R[c] { X / (EPS + EPS2) }",
        "fn F(X1: R[c]) -> R[c] { X1 * X2 }",
        "fn F(EPS1: R[c]) -> R[c] { EPS_{c(i)} = EPS; EPS * EPS1 }",
        "fn F(X: R[c]) -> R[c] { X * self::X3 * self::N * self::eps }",
    ] {
        assert_eq!(errors(source), Vec::<String>::new(), "{source}");
    }
    let said = at("fn F(X: R[c], MASK: R[c]) -> R[c] { X + MASC + MASK }").1;
    assert!(said.contains("did you mean `MASK`?") && said.ends_with("is written `self::MASC`"), "{said}");
    let (place, said) = at("fn F(X: R[c], Y: R[c]) -> R[c] { X * EPS }");
    assert!(place == "Y" && said.starts_with("argument `Y` is never used"), "{said}");
}

#[test]
fn a_constant_of_the_program_that_is_not_in_capitals_is_written_by_a_path() {
    for name in ["eps", "N"] {
        let said = at(&format!("fn F(X: R[c]) -> R[c] {{ X + {name} }}"));
        let help = format!("defined here: `X`\n= help: a constant of the program is written `self::{name}`");
        assert_eq!(said, (name.to_owned(), format!("nothing is called `{name}` here\n= help: {help}")));
    }
}

#[test]
fn a_power_called_t_is_no_transpose() {
    let help = "axes have no order: leave it out; another name for one is `X_{seq -> seq_}`";
    let said = at("fn F(X: R[a]; W: R[a, b]) -> R[b] { X dot_a W^T }");
    assert_eq!(said, ("T".to_owned(), format!("`^T` is no transpose in the notation\n= help: {help}")));
    assert_eq!(errors("fn F(X: R[a], T: R[]) -> R[a] { X^T }"), Vec::<String>::new());
}

#[test]
fn a_value_that_depends_on_itself_at_the_position_before_is_a_scan() {
    let help = "a recurrence along an axis is a scan: `scan` in Rust, chapter 6";
    for name in ["h", "H", "HID"] {
        let right = format!("if i == 0 {{ X_{{seq(i)}} }} else {{ {name}_{{seq(i - 1)}} + X_{{seq(i)}} }}");
        let source = format!("fn F(X: R[seq]) -> R[seq] {{ {name}_{{seq(i)}} = {right}; {name} }}");
        let said = at(&source);
        // The name and its `_` are one word.
        assert_eq!(said.0.trim_end_matches('_'), name);
        assert_eq!(said.1, format!("`{name}` is defined by itself\n= help: {help}"));
    }
}

#[test]
fn a_size_that_is_not_known_is_stated_where_it_is_missing() {
    for (source, axis, help) in [
        (
            "fn F(X: R[seq]) -> R[seq, seq_] { M_{seq(i), seq_(j)} = if i <= j { 0 } else { -inf }; M + X }",
            "seq_",
            "state it on the left: `seq_(j: |seq|)`",
        ),
        (
            "fn F(X: R[seq]) -> R[seq, key] { M_{seq(i), key(j)} = if i <= j { 0 } else { -inf }; M + X }",
            "key",
            "state it on the left: `key(j: n)`, with a number or a size that is known for `n`",
        ),
        (
            "fn F(X: R[seq]) -> R[heads, key] { X_{seq -> (heads: |heads|, key)} }",
            "heads",
            "write a number or a size that is known: `heads: 4`",
        ),
        (
            "fn F(X: R[seq]) -> R[heads, key] { X_{seq -> (heads, key: |seq| / |heads|)} }",
            "heads",
            "write a number or a size that is known: `key: 4`",
        ),
        (
            "fn F(I: vocab[seq]) -> R[seq, vocab] { one_hot_vocab(I) }",
            "one_hot_vocab",
            "state it, a number or a size that is known: `one_hot_vocab(I, 4)`",
        ),
    ] {
        let (place, said) = at(source);
        let name = axis.trim_start_matches("one_hot_");
        assert_eq!((place, said), (axis.to_owned(), format!("the size of `{name}` is not known here\n= help: {help}")));
    }
    for source in [
        "fn F(X: R[seq]) -> R[seq, seq_] { M_{seq(i), seq_(j: |seq|)} = if i <= j { 0 } else { -inf }; M + X }",
        "fn F(X: R[seq]; W: R[heads, key]) -> R[heads, key] { W * X_{seq -> (heads: |heads|, key)} }",
        "fn F(X: R[seq]) -> R[heads, key] { X_{seq -> (heads: 4, key)} }",
    ] {
        let said = errors(source);
        assert!(said.iter().all(|said| said.starts_with("what `W` is at first")), "{source}: {said:?}");
    }
}

#[test]
fn a_method_is_told_as_the_function_that_it_is() {
    for (body, write) in [
        ("X.exp()", "exp(X)"),
        ("X.sum(chans)", "sum_chans(X)"),
        ("X.sum((seq, chans))", "sum_{seq, chans}(X)"),
        ("X.mean(seq, chans)", "mean_{seq, chans}(X)"),
        ("X.softmax(star(seq))", "softmax_{star(seq)}(X)"),
        ("X.sum(axis=1)", "sum_ax(X)"),
        ("X.sum(-1)", "sum_ax(X)"),
        ("X.sum()", "sum_ax(X)"),
        ("X.max(seq)", "max_seq(X)"),
        ("X.max(Y)", "max(X, Y)"),
        ("X.clamp(0, 1)", "clamp(X, 0, 1)"),
        ("X.maxk(seq, 2)", "maxk_seq(X, 2)"),
        ("X.norm(seq)", "norm_seq(X)"),
        ("X.concat(seq, Y)", "concat_seq(X, Y)"),
        ("X.dot(chans, Y)", "X dot_chans Y"),
        ("X.rename(seq, chans)", "X_{seq -> chans}"),
        ("exp(Y.tanh())", "tanh(Y)"),
        ("(X + Y).sum(chans)", "sum_chans(X)"),
    ] {
        let said = at(&format!("fn F(X: R[seq], Y: R[seq]) -> R[seq] {{ {body} }}"));
        let help = format!("= help: write `{write}`");
        assert_eq!(said, (".".to_owned(), format!("a method is not called in an equation\n{help}")), "{body}");
    }
    let said = at("fn F(X: R[seq]) -> R[seq] { X.foo(1) }").1;
    assert!(said.ends_with("write `softmax_seq(X)`, `X dot_key Y`"), "{said}");
}

#[test]
fn a_field_is_told_apart_from_a_method() {
    let product = "product `X * Y`, contraction `X dot_key Y`";
    let help = "a weight that serves twice is a parameter of the outer function, which passes it on as an argument to \
                a function without parameters";
    let said = at("fn F(X: R[chans]; emb: Embedding) -> R[vocab] { X dot_chans emb.E }");
    assert_eq!(
        said,
        (
            ".".to_owned(),
            format!("a field is not read in an equation, and `.` is no product\n= help: {product}\n= help: {help}")
        )
    );
    for range in ["i..", "..2", "1..", "N..M"] {
        let source = format!("fn F(X: R[seq]) -> R[seq] {{ X_{{seq({range})}} }}");
        assert!(errors(&source).iter().all(|said| !said.contains("field")), "{range}");
    }
}

#[test]
fn a_function_has_one_result() {
    let help = "several results are several functions, each with a type of its own";
    for (result, place) in [("(R[seq], R[])", "(R[seq], R[])"), ("R[seq], R[seq]", ",")] {
        let said = at(&format!("fn F(X: R[seq]) -> {result} {{ X }} fn G(X: R[seq]) -> R[seq] {{ F(X, X) }}"));
        assert_eq!(said.1, format!("a function of the notation has one result\n= help: {help}"));
        assert_eq!(said.0, place);
    }
}

#[test]
fn signs_of_python_in_subscripts_and_conditions_are_told_as_those_of_the_notation() {
    for (body, wrong, said) in [
        ("X_{seq(1:)}", ":", "a range is written with `..`\n= help: write `seq(1..)`"),
        ("X_{seq(:2)}", ":", "a range is written with `..`\n= help: write `seq(..2)`"),
        ("X_{seq(1:-1)}", ":", "a range is written with `..`\n= help: write `seq(1..|seq| - 1)`"),
        ("eye_{seq, seq_}", "eye_", "`eye` lacks its arguments\n= help: write `eye_{seq, seq_}(n)`"),
        ("softmax_{seq} + 1", "softmax_", "`softmax` lacks its arguments\n= help: write `softmax_{seq}(X)`"),
        (
            "X_{M} = -inf; X",
            "M",
            "an equation does not change `X` where `M` holds\n= help: write `if M { -inf } else { X }`\n= help: if `M` is \
             an axis, its position has a letter: `X_{M(i)} = ..`",
        ),
    ] {
        let found = at(&format!("fn F(X: R[seq], M: B[seq]) -> R[seq] {{ {body} }}"));
        assert_eq!(found, (wrong.to_owned(), said.to_owned()), "{body}");
    }
    assert!(at("fn F(X: R[c], mask: B[c]) -> R[c] { X_{mask} = 0; X }").1.contains("write `if mask { 0 } else { X }`"));
    assert!(at("fn F(X: R[c]) -> R[c] { Y_{c} = 0; Y + X }").1.starts_with("the position along `c` has no name"));
    let said = at("fn F(X: R[a, b]) -> R[] where |a| > 1 && |b| > 1 { sum_{a, b}(X) }");
    let help = "write `where |heads| * |key| = |chans|, |val| = |key|`";
    assert_eq!(said, ("&".to_owned(), format!("conditions are joined by a comma\n= help: {help}")));
    for source in [
        "fn F(X: R[seq]) -> R[seq] { Y_{seq(i: |seq|)} = X_{seq(i)}; Y }",
        "fn F(X: R[seq]) -> R[] { X_{seq(crate::N)} }",
        "fn F(eye: R[seq]) -> R[] { eye_{seq(0)} }",
    ] {
        assert_eq!(errors(source), Vec::<String>::new(), "{source}");
    }
}

#[test]
fn a_function_without_its_axes_is_written_with_those_of_its_argument() {
    for (body, write) in [
        ("sum(X)", "write `sum_{seq, chans}(X)`"),
        ("norm(Y)", "write `norm_seq(Y)`"),
        ("mean(Z)", "write `mean_{star(seq)}(Z)`"),
        ("Σ(X)", "write `Σ_{seq, chans}(X)`"),
        ("softmax(X)", "write `softmax_seq(X)` or `softmax_chans(X)`"),
        ("max(X)", "write `max(X, Y)`\n= help: over an axis: `max_{seq, chans}(X)`"),
        ("sum(X * 2)", "write `sum_ax(X)`"),
        ("index(X)", "write `index_ax(E, I)`"),
        ("softmax(X, chans)", "write `softmax_chans(X)`"),
    ] {
        let given = "X: R[seq, chans], Y: R[seq], Z: R[star(seq)]";
        let said = at(&format!("fn F({given}) -> R[] {{ {body} }}")).1;
        assert!(said.ends_with(&format!("\n= help: {write}")), "{body}: {said}");
    }
}

#[test]
fn a_type_of_rust_before_axes_is_told_as_the_one_that_is_meant() {
    let number = "real numbers are `R[seq]`, positions along an axis `vocab` are `vocab[seq]`";
    for (kind, help) in [
        ("bool", "truth values are `B[seq]`"),
        ("Index", "positions along an axis `vocab` are `vocab[seq]`"),
        ("f32", number),
        ("usize", number),
    ] {
        let said = format!("`{kind}` is a type of Rust, not of the notation\n= help: {help}");
        for source in [
            format!("fn F(X: R[seq], M: {kind}[seq]) -> R[seq] {{ if M {{ X }} else {{ 0 }} }}"),
            format!("fn F(X: R[seq]) -> R[seq] {{ M: {kind}[seq] = X > 0; if M {{ X }} else {{ 0 }} }}"),
            format!(
                "fn F(X: R[seq]) -> {kind}[seq] {{ X > 0 }} fn G(X: R[seq]) -> R[seq] {{ if F(X) {{ X }} else {{ 0 }} }}"
            ),
        ] {
            assert_eq!(at(&source), (kind.to_owned(), said.clone()), "{source}");
        }
    }
    // The block knows an axis of this name.
    for source in [
        "fn F(E: R[Index, key], I: Index[seq]) -> R[seq, key] { index_Index(E, I) }",
        "axis Index; fn F(I: Index[seq]) -> Index[seq] { I }",
        "fn F(I: Index[seq]) -> R[seq, Index] { one_hot_Index(I, 3) }",
    ] {
        assert_eq!(errors(source), Vec::<String>::new(), "{source}");
    }
}

#[test]
fn positions_that_are_computed_by_letters_are_positions() {
    let of = |right: &str| errors(&format!("fn f(L: vocab[seq]) -> vocab[seq] {{ Y_{{seq(i)}} = {right}; Y }}"));
    for right in ["if i % 2 == 0 { L_{seq(0)} } else { L_{seq(i)} }", "min(L_{seq(i)}, 1)", "0 * L_{seq(i)}", "i + 1"] {
        assert_eq!(of(right), Vec::<String>::new(), "{right}");
    }
    // A fraction is a real number, as before.
    let said = at("fn f(L: vocab[seq]) -> vocab[seq] { Y_{seq(i)} = L_{seq(i)} / 2; Y }").1;
    assert!(said.starts_with("real numbers where positions are declared"), "{said}");
    assert_eq!(errors("fn f(L: vocab[seq]) -> R[seq] { Y_{seq(i)} = L_{seq(i)} / 2; Y }"), Vec::<String>::new());
}

#[test]
fn positions_of_another_axis_are_moved_by_adding_nothing() {
    let of = |entry: &str| format!("fn f(T: R[tag, tag_], Y: tag[seq]) -> R[seq] {{ T_{{tag(Y), {entry}}} }}");
    let (place, said) = at(&of("tag_(Y)"));
    let help = "the same numbers along `tag_`: `tag_(Y + 0)`";
    assert_eq!(place, "Y");
    assert_eq!(said, format!("`Y` holds positions along `tag`, not along `tag_`\n= help: {help}"));
    assert_eq!(errors(&of("tag_(Y + 0)")), Vec::<String>::new());
}

#[test]
fn a_real_number_is_told_that_it_becomes_no_position() {
    for body in ["index_seq(X, floor(Y))", "X_{seq(floor(Y))}", "index_seq(X, 2 * Y)"] {
        let said = at(&format!("fn f(X: R[seq], Y: R[key]) -> R[key] {{ {body} }}")).1;
        let help = "real numbers do not become positions in an equation: positions are letters and what is computed of \
                    them, those of `argsort` and `argmaxk`, or an argument, made by `Tensor::indices`";
        assert!(said.ends_with(&format!("\n= help: {help}")) && !said.contains("one-hot"), "{body}: {said}");
    }
    let said = at("fn f(X: R[seq]) -> R[] { Z = argmax_seq(X); index_seq(X, Z) }").1;
    assert!(said.contains("real numbers do not become") && said.contains("`argmaxk_seq(X, 1)_{seq(0)}`"), "{said}");
}

#[test]
fn a_name_that_ends_in_a_line_keeps_it_before_its_subscript() {
    let help = "the first `_` before braces begins the subscript, so that of `Y_` is `Y__{..}`";
    let said = at("fn f(X: R[seq]) -> R[] { Y_ = X + 1; Y_{seq(0)} }");
    assert_eq!(said.0.trim_end_matches('_'), "Y");
    assert_eq!(said.1, format!("nothing is called `Y` here\n= help: {help}"));
    let said = at("fn f(X: R[seq], Y: R[seq]) -> R[] { Y_ = X + 1; Y_{seq(0)} }");
    assert_eq!(
        said.1.lines().take(2).collect::<Vec<_>>().join("\n"),
        format!("value `Y_` is never used\n= help: {help}")
    );
    assert!(at("fn f(X: R[seq], YS_: R[seq]) -> R[] { YS_{seq(0)} }").1.contains("is `YS__{..}`"));
    assert_eq!(errors("fn f(X: R[seq]) -> R[] { Y_ = X + 1; Y__{seq(0)} }"), Vec::<String>::new());
}

#[test]
fn what_is_gathered_by_segments_is_answered() {
    let functions = [
        ("segment_sum", "`one_hot_node(I, n) dot_seq X`"),
        ("index_add", "`one_hot_node(I, n) dot_seq X`"),
        ("scatter_mean", "`H dot_seq X / max(sum_seq(H), 1)`"),
        ("scatter_max", "`max_seq(if one_hot_node(I, n) > 0 { X } else { -inf })`"),
        ("segment_max", "`max_seq(if one_hot_node(I, n) > 0 { X } else { -inf })`"),
        ("segment_softmax", "`E / (H dot_seq E)_{node(I)}`"),
        ("scan", "`scan(seq, h, &x, step)`, chapter 6"),
    ];
    for (word, write) in functions {
        for call in [format!("{word}_node(X, I)"), format!("{word}_{{node}}(X, I)")] {
            let said = at(&format!("fn f(X: R[seq], I: node[seq]) -> R[node] {{ {call} }}")).1;
            assert!(said.starts_with(&format!("no function `{word}")) && said.contains(write), "{call}: {said}");
        }
    }
    // An axis may have the name.
    assert_eq!(
        errors("fn f(X: R[add_node], I: add_node[seq]) -> R[seq] { index_add_node(X, I) }"),
        Vec::<String>::new()
    );
}

#[test]
fn an_axis_in_its_long_or_short_form_is_corrected_where_a_tensor_lacks_it() {
    let of = |body: &str| format!("fn f(X: R[seq, emb], Y: R[hidden]) -> R[seq] {{ {body} }}");
    for (body, meant) in [
        ("sum_embed(X) * sum_hidden(Y)", "emb"),
        ("sum_{embed}(X) * sum_hidden(Y)", "emb"),
        ("softmax_embed(X) dot_emb X * sum_hidden(Y)", "emb"),
        ("X dot_embed X * sum_hidden(Y)", "emb"),
        ("X_{embed(0)} * sum_hidden(Y)", "emb"),
        ("sum_hid(Y) * sum_emb(X)", "hidden"),
        ("sum_ebm(X) * sum_hidden(Y)", "emb"),
    ] {
        let said = at(&of(body)).1;
        assert!(said.contains(&format!("\n= help: did you mean `{meant}`?")), "{body}: {said}");
    }
    let of_target = |target: &str, body: &str| {
        format!("fn f(X: R[seq, hidden]) -> R[seq, emb] {{ Z = X_{{hidden -> {target}}}; {body} }}")
    };
    let said = at(&of_target("emd", "Z * 2"));
    let help = "did you mean `emb`?\n= help: axes of `f`: `emb`, `hidden` and `seq`";
    assert_eq!(said, ("emd".to_owned(), format!("no axis `emd` in the result\n= help: {help}")));
    for (target, body) in [
        ("emb", "Z * 2"),
        ("emd", "Z_{emd -> emb}"),
        ("emd", "sum_emd(Z) * Z_{emd -> emb}"),
        ("emd", "self::F(Z)"),
        ("emb_", "self::F(Z)"),
        ("out", "Z"),
    ] {
        assert_eq!(errors(&of_target(target, body)), Vec::<String>::new(), "{body}");
    }
    // What a function of the program gives may have such an axis.
    for body in ["sum_embed(self::F(X)) * sum_hidden(Y)", "Z = self::F(X); sum_hid(Z) * sum_hidden(Y)"] {
        assert_eq!(errors(&of(body)), Vec::<String>::new(), "{body}");
    }
}

#[test]
fn a_variable_is_there_in_every_configuration() {
    for source in [
        "fn F(X: R[c], #[cfg(fast)] Y: R[c]) -> R[c] { X + Y }",
        "fn F(X: R[c]; #[cfg(fast)] Y: R[c] = 1) -> R[c] { X + Y }",
    ] {
        let (place, said) = at(source);
        assert_eq!(place, "cfg");
        assert!(said.starts_with("a function has the same variables in every configuration"), "{said}");
    }
}
