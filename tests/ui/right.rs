//! The right twins of the wrong programs, compiled as modules of this library: they compile if it does.
#![allow(
    dead_code,
    clippy::all,
    unused_qualifications,
    missing_docs,
    unreachable_pub,
    reason = "programs of their own"
)]

/// The names of the twins, and each as a module.
macro_rules! twins {
    ($($path:literal $name:ident)*) => {
        $(
            #[path = $path]
            mod $name;
        )*
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

twins! {
    "pass/absent_function_changes_the_axes.rs" absent_function_changes_the_axes
    "pass/absent_parameter_brings_an_axis.rs" absent_parameter_brings_an_axis
    "pass/absent_parameter_is_not_added.rs" absent_parameter_is_not_added
    "pass/annotation_differs_in_plain_rust.rs" annotation_differs_in_plain_rust
    "pass/argument_lacks_a_declared_axis.rs" argument_lacks_a_declared_axis
    "pass/ascription_differs.rs" ascription_differs
    "pass/axis_declared_twice.rs" axis_declared_twice
    "pass/axis_named_twice_in_a_selector.rs" axis_named_twice_in_a_selector
    "pass/axis_named_twice_in_a_set.rs" axis_named_twice_in_a_set
    "pass/axis_named_twice_in_a_subscript.rs" axis_named_twice_in_a_subscript
    "pass/axis_named_twice_in_a_type.rs" axis_named_twice_in_a_type
    "pass/axis_parameter_outside_its_function.rs" axis_parameter_outside_its_function
    "pass/axis_parameter_stands_for_a_declared_axis.rs" axis_parameter_stands_for_a_declared_axis
    "pass/bug_a_keys_and_values_from_the_query_weights.rs" bug_a_keys_and_values_from_the_query_weights
    "pass/bug_a_values_from_the_query_weights.rs" bug_a_values_from_the_query_weights
    "pass/bug_d_softmax_without_an_axis.rs" bug_d_softmax_without_an_axis
    "pass/bug_f_spurious_leading_axis.rs" bug_f_spurious_leading_axis
    "pass/carry_with_other_axes.rs" carry_with_other_axes
    "pass/concatenated_axes_differ.rs" concatenated_axes_differ
    "pass/constant_that_is_no_number.rs" constant_that_is_no_number
    "pass/contracted_axis_missing_in_a_method.rs" contracted_axis_missing_in_a_method
    "pass/contracted_axis_missing_on_the_left.rs" contracted_axis_missing_on_the_left
    "pass/contracted_axis_missing_on_the_right.rs" contracted_axis_missing_on_the_right
    "pass/created_axis_is_already_present.rs" created_axis_is_already_present
    "pass/definition_by_positions_lacks_an_axis.rs" definition_by_positions_lacks_an_axis
    "pass/derivative_by_an_expression.rs" derivative_by_an_expression
    "pass/derivative_without_its_stars.rs" derivative_without_its_stars
    "pass/e16_sum_of_products_as_a_contraction.rs" e16_sum_of_products_as_a_contraction
    "pass/e1_pairs_of_positions_by_one_index.rs" e1_pairs_of_positions_by_one_index
    "pass/e3_bias_over_the_wrong_axis.rs" e3_bias_over_the_wrong_axis
    "pass/extra_axis_collides_in_plain_rust.rs" extra_axis_collides_in_plain_rust
    "pass/extra_axis_collides_with_the_result.rs" extra_axis_collides_with_the_result
    "pass/flattened_axis_is_absent.rs" flattened_axis_is_absent
    "pass/fields_without_their_precision.rs" fields_without_their_precision
    "pass/function_defined_by_itself.rs" function_defined_by_itself
    "pass/function_of_another_library.rs" function_of_another_library
    "pass/generic_function_without_its_axis.rs" generic_function_without_its_axis
    "pass/gradient_of_a_tensor_with_axes.rs" gradient_of_a_tensor_with_axes
    "pass/index_over_absent_axis.rs" index_over_absent_axis
    "pass/index_tensor_of_another_axis.rs" index_tensor_of_another_axis
    "pass/integer_beside_a_tensor.rs" integer_beside_a_tensor
    "pass/lift_of_a_method.rs" lift_of_a_method
    "pass/misspelt_axis.rs" misspelt_axis
    "pass/misspelt_axis_in_a_lifted_function.rs" misspelt_axis_in_a_lifted_function
    "pass/misspelt_axis_in_a_method.rs" misspelt_axis_in_a_method
    "pass/mistakes_in_two_functions_are_both_reported.rs" mistakes_in_two_functions_are_both_reported
    "pass/mistakes_of_different_kinds_are_both_reported.rs" mistakes_of_different_kinds_are_both_reported
    "pass/more_axes_than_a_type_has.rs" more_axes_than_a_type_has
    "pass/nesting_and_axes_differ.rs" nesting_and_axes_differ
    "pass/ninth_argument.rs" ninth_argument
    "pass/one_hot_tensor_for_positions.rs" one_hot_tensor_for_positions
    "pass/one_hot_tensor_for_positions_in_a_method.rs" one_hot_tensor_for_positions_in_a_method
    "pass/one_of_several_axes_absent.rs" one_of_several_axes_absent
    "pass/order_of_reading_leaves_an_axis_out.rs" order_of_reading_leaves_an_axis_out
    "pass/parameter_over_an_axis_parameter.rs" parameter_over_an_axis_parameter
    "pass/position_of_another_axis.rs" position_of_another_axis
    "pass/private_function_in_a_public_one.rs" private_function_in_a_public_one
    "pass/renamed_axis_is_absent.rs" renamed_axis_is_absent
    "pass/renamed_axis_is_already_present.rs" renamed_axis_is_already_present
    "pass/result_differs_from_the_declared_one.rs" result_differs_from_the_declared_one
    "pass/s0_17_val_renamed_to_ax_instead_of_chans.rs" s0_17_val_renamed_to_ax_instead_of_chans
    "pass/s1_14_plus_w2_instead_of_times_w2.rs" s1_14_plus_w2_instead_of_times_w2
    "pass/scan_along_an_absent_axis.rs" scan_along_an_absent_axis
    "pass/single_number_of_a_tensor_with_axes.rs" single_number_of_a_tensor_with_axes
    "pass/size_for_an_axis_is_not_given.rs" size_for_an_axis_is_not_given
    "pass/size_of_an_axis_of_no_argument.rs" size_of_an_axis_of_no_argument
    "pass/softmax_over_absent_axis.rs" softmax_over_absent_axis
    "pass/split_into_an_axis_already_present.rs" split_into_an_axis_already_present
    "pass/starred_axis_is_already_present.rs" starred_axis_is_already_present
    "pass/sum_over_absent_axis.rs" sum_over_absent_axis
    "pass/syntax_errors_are_all_reported.rs" syntax_errors_are_all_reported
    "pass/too_few_arguments.rs" too_few_arguments
    "pass/too_many_arguments_for_a_built_in.rs" too_many_arguments_for_a_built_in
    "pass/unknown_function.rs" unknown_function
    "pass/unknown_operator.rs" unknown_operator
    "pass/unknown_variable.rs" unknown_variable
    "pass/unused_parameter.rs" unused_parameter
    "pass/unused_value.rs" unused_value
    "pass/variables_in_an_array.rs" variables_in_an_array
    "pass/vector_of_positions_as_an_array.rs" vector_of_positions_as_an_array
}

/// The generics of an expansion have names that are not in the text: whatever a program is called, it compiles.
mod names_of_generics {
    use named_tensor::prelude::*;

    axes! { A0, S0, key }

    named! {
        fn Precision(T: R[key], P: R[key]; w: R[] = 1) -> R[] { w * (T dot_key P) / sum_key(P) }
        fn Weighted(T: R[key], P: R[key]; p: Precision) -> R[] { p(T, P) }
        fn Scaled(X: R[along::Precision, key]; W: R[along::Precision]) -> R[key] { X dot_{along::Precision} W }
        fn First_{ax}(X: R[A0, S0, ax]) -> R[ax] { sum_{A0, S0}(X) }
    }

    mod along {
        named_tensor::axes! { Precision, key }
        named_tensor::named! { fn Other(X: R[Precision, key]; W: R[Precision]) -> R[key] { X dot_Precision W } }
    }

    #[lift]
    fn summed(x: &Tensor<R![A0]>) -> Tensor<R![]> {
        x.sum(A0)
    }
}
