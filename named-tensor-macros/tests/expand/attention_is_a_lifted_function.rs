// named! {
//     /// Attention : R^key x R^{seq x key} x R^{seq x val} -> R^val
//     pub fn Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
//         softmax_seq(Q dot_key K / sqrt(|key|)) dot_seq V
//     }
// }

/// Attention : R^key x R^{seq x key} x R^{seq x val} -> R^val
///
/**```text
Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
    softmax_seq(Q dot_key K / sqrt(|key|)) dot_seq V
}
```*/
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
#[track_caller]
pub fn Attention<
    T: ::named_tensor::private::Real,
    A0: ::named_tensor::private::Axes,
    A1: ::named_tensor::private::Axes,
    A2: ::named_tensor::private::Axes,
>(
    Q: &::named_tensor::private::Tensor<A0, T>,
    K: &::named_tensor::private::Tensor<A1, T>,
    V: &::named_tensor::private::Tensor<A2, T>,
) -> ::named_tensor::private::Tensor<
    ::named_tensor::private::Lifted<
        (A0, A1, A2),
        fn(key, (key, seq), (seq, val)) -> val,
    >,
    T,
>
where
    A0: ::named_tensor::private::Has<key> + ::named_tensor::private::Avoids<key, val>,
    A1: ::named_tensor::private::Has<(key, seq)>
        + ::named_tensor::private::Avoids<(key, seq), val>,
    A2: ::named_tensor::private::Has<(seq, val)>
        + ::named_tensor::private::Avoids<(seq, val), val>,
{
    fn __body<T: ::named_tensor::private::Real>(
        Q: &::named_tensor::private::Tensor<key, T>,
        K: &::named_tensor::private::Tensor<(key, seq), T>,
        V: &::named_tensor::private::Tensor<(seq, val), T>,
    ) -> ::named_tensor::private::Tensor<val, T> {
        ::named_tensor::private::result::<
            val,
            _,
            _,
        >(
            ::named_tensor::private::dot(
                &::named_tensor::private::softmax(
                    seq,
                    &::named_tensor::private::div(
                        &::named_tensor::private::dot(Q, key, K),
                        ::named_tensor::private::sqrt(
                            (::named_tensor::private::size(Q, key)
                                as ::core::primitive::f64),
                        ),
                    ),
                ),
                seq,
                V,
            ),
        )
    }
    let mut lift = ::named_tensor::private::Lift::new("Attention");
    let Q = lift.enter::<_, key, _>(Q);
    let K = lift.enter::<_, (key, seq), _>(K);
    let V = lift.enter::<_, (seq, val), _>(V);
    let result = __body::<T>(&Q, &K, &V);
    lift.exit(result)
}
///What is known of the function `Attention`.
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
pub struct Attention {}
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
impl Attention {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {\n    softmax_seq(Q dot_key K / sqrt(|key|)) dot_seq V\n}";
}
