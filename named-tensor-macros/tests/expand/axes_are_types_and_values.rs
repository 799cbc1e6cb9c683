// axes! {
//     /// Positions of tokens.
//     seq,
//     key,
// }

/// Positions of tokens.
#[allow(
    non_camel_case_types,
    dead_code,
    unreachable_pub,
    reason = "an axis keeps the name it has on paper"
)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct seq {}
///The axis `seq` as a value, to select it.
#[allow(
    non_snake_case,
    dead_code,
    unreachable_pub,
    reason = "an axis keeps the name it has on paper"
)]
#[must_use]
pub fn seq() -> seq {
    seq {}
}
impl ::named_tensor::private::Axis for seq {
    const NAME: &'static str = "seq";
    type A = ::named_tensor::private::d::D56;
    type B = ::named_tensor::private::d::D42;
    type C = ::named_tensor::private::d::D9;
    type D = ::named_tensor::private::d::D48;
    type E = ::named_tensor::private::d::D45;
    type F = ::named_tensor::private::d::D53;
    type Stars = ::named_tensor::private::NoStar;
}
///The axis `key`.
#[allow(
    non_camel_case_types,
    dead_code,
    unreachable_pub,
    reason = "an axis keeps the name it has on paper"
)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct key {}
///The axis `key` as a value, to select it.
#[allow(
    non_snake_case,
    dead_code,
    unreachable_pub,
    reason = "an axis keeps the name it has on paper"
)]
#[must_use]
pub fn key() -> key {
    key {}
}
impl ::named_tensor::private::Axis for key {
    const NAME: &'static str = "key";
    type A = ::named_tensor::private::d::D48;
    type B = ::named_tensor::private::d::D42;
    type C = ::named_tensor::private::d::D5;
    type D = ::named_tensor::private::d::D28;
    type E = ::named_tensor::private::d::D32;
    type F = ::named_tensor::private::d::D4;
    type Stars = ::named_tensor::private::NoStar;
}
