//! What the macro says of names that nothing defines, of sizes and axes that are left out, and of types that are not there.
//!
//! Here each test is about one mistake: the token that is pointed at, and what is advised.

use super::elsewhere::errors;
use super::tokens;
use crate::report::Report;

/// The token that the only message about a block points at, and the message.
fn at(source: &str) -> (String, String) {
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
    ] {
        let said = format!("the size of `{axis}` is not known here\n= help: {help}");
        assert_eq!(at(source), (axis.to_owned(), said));
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
