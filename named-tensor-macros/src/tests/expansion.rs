//! Each file of `tests/expand` holds an invocation as comments above and its expansion below.
//!
//! `UPDATE_EXPECT=1 cargo test -p named-tensor-macros` writes the expansions anew; read the difference.

use super::tokens;
use std::path::Path;

fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expand").join(format!("{name}.rs"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let head: Vec<&str> = text.lines().take_while(|line| line.starts_with("//")).collect();
    let source =
        head.iter().map(|line| line.trim_start_matches("//").strip_prefix(' ').unwrap_or("")).collect::<Vec<_>>();
    let expanded = expand(&source.join("\n"));
    let file = syn::parse2(expanded.clone()).unwrap_or_else(|error| panic!("{name} is not Rust: {error}\n{expanded}"));
    let expected = format!("{}\n\n{}", head.join("\n"), prettyplease::unparse(&file));
    expect_test::expect_file![path].assert_eq(&expected);
}

/// The invocation `axes! { .. }`, `named! { .. }` or `#[lift] ..` as it stands in the source.
fn expand(source: &str) -> proc_macro2::TokenStream {
    let inside = |start: &str| source.strip_prefix(start).and_then(|rest| rest.trim_end().strip_suffix('}'));
    if let Some(inside) = inside("axes! {") {
        crate::axes::expand(tokens(inside))
    } else if let Some(inside) = inside("named! {") {
        crate::named::expand(tokens(inside))
    } else if let Some(function) = source.strip_prefix("#[lift]") {
        crate::lift::expand(proc_macro2::TokenStream::new(), tokens(function))
    } else {
        panic!("no invocation:\n{source}")
    }
}

macro_rules! golden {
    ($($test:ident),* $(,)?) => {$(
        #[test]
        fn $test() {
            check(stringify!($test));
        }
    )*};
}

golden! {
    axes_are_types_and_values,
    a_rust_function_is_lifted,
    attention_is_a_lifted_function,
    a_function_of_numbers_keeps_the_names_of_axes,
    parameters_become_a_struct,
    a_block_calls_its_parameters,
    what_may_be_absent_is_an_option,
    an_axis_parameter_stands_for_a_set,
    a_mask_is_defined_by_cases,
    positions_are_exact_numbers,
    subscripts_become_calls,
    size_conditions_are_checked_first,
    functions_of_positions_and_truth_values,
    after_an_error_the_signature_remains,
}
