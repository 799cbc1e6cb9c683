// named! {
//     fn Causal(S: R[seq, seq_]) -> R[seq, seq_] {
//         M_{seq(i), seq_(j)} = if i <= j { 0 } else { -inf };
//         S + M
//     }
//
//     fn window(X: R[seq]) -> B[seq, seq_] {
//         N_{seq(i), seq_(j: 7)} = i <= j + 1 && !(j > i + 3);
//         N
//     }
// }

///`Causal` of the notation.
///
/**```text
Causal(S: R[seq, seq_]) -> R[seq, seq_] {
    M_{seq(i), seq_(j)} = if i <= j { 0 } else { -inf };
    S + M
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
fn Causal<T: ::named_tensor::private::Real, A0: ::named_tensor::private::Axes>(
    S: &::named_tensor::private::Tensor<A0, T>,
) -> ::named_tensor::private::Tensor<
    ::named_tensor::private::Lifted<(A0,), fn((seq, seq_)) -> (seq, seq_)>,
    T,
>
where
    A0: ::named_tensor::private::Has<(seq, seq_)>
        + ::named_tensor::private::Avoids<(seq, seq_), (seq, seq_)>,
{
    fn __body<T: ::named_tensor::private::Real>(
        S: &::named_tensor::private::Tensor<(seq, seq_), T>,
    ) -> ::named_tensor::private::Tensor<(seq, seq_), T> {
        let M = {
            let i = ::named_tensor::private::positions(
                seq,
                ::named_tensor::private::size(S, seq),
            );
            let j = ::named_tensor::private::positions(
                seq_,
                ::named_tensor::private::size(S, seq_),
            );
            ::named_tensor::private::ascribed::<
                (seq, seq_),
                _,
                _,
            >(
                ::named_tensor::private::select(
                    &::named_tensor::private::compare(
                        ::named_tensor::private::Comparison::Le,
                        &::named_tensor::private::exact(&i),
                        &::named_tensor::private::exact(&j),
                    ),
                    &::named_tensor::private::scalar::<T>(0f64),
                    &::named_tensor::private::scalar::<
                        T,
                    >((-::core::primitive::f64::INFINITY)),
                ),
            )
        };
        ::named_tensor::private::result::<
            (seq, seq_),
            _,
            _,
        >(::named_tensor::private::add(S, &M))
    }
    let mut lift = ::named_tensor::private::Lift::new("Causal");
    let S = lift.enter::<_, (seq, seq_), _>(S);
    let result = __body::<T>(&S);
    lift.exit(result)
}
///What is known of the function `Causal`.
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
struct Causal {}
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
impl Causal {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "Causal(S: R[seq, seq_]) -> R[seq, seq_] {\n    M_{seq(i), seq_(j)} = if i <= j { 0 } else { -inf };\n    S + M\n}";
}
///`window` of the notation.
///
/**```text
window(X: R[seq]) -> B[seq, seq_] {
    N_{seq(i), seq_(j: 7)} = i <= j + 1 && !(j > i + 3);
    N
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
fn window<T: ::named_tensor::private::Real, A0: ::named_tensor::private::Axes>(
    X: &::named_tensor::private::Tensor<A0, T>,
) -> ::named_tensor::private::Tensor<
    ::named_tensor::private::Lifted<(A0,), fn(seq) -> (seq, seq_)>,
    ::core::primitive::bool,
>
where
    A0: ::named_tensor::private::Has<seq>
        + ::named_tensor::private::Avoids<seq, (seq, seq_)>,
{
    fn __body<T: ::named_tensor::private::Real>(
        X: &::named_tensor::private::Tensor<seq, T>,
    ) -> ::named_tensor::private::Tensor<(seq, seq_), ::core::primitive::bool> {
        let N = {
            let i = ::named_tensor::private::positions(
                seq,
                ::named_tensor::private::size(X, seq),
            );
            let j = ::named_tensor::private::positions(seq_, 7usize);
            ::named_tensor::private::ascribed::<
                (seq, seq_),
                _,
                _,
            >(
                ::named_tensor::private::and(
                    &::named_tensor::private::compare(
                        ::named_tensor::private::Comparison::Le,
                        &::named_tensor::private::exact(&i),
                        &::named_tensor::private::add(
                            &::named_tensor::private::exact(&j),
                            1f64,
                        ),
                    ),
                    &::named_tensor::private::not(
                        &::named_tensor::private::compare(
                            ::named_tensor::private::Comparison::Gt,
                            &::named_tensor::private::exact(&j),
                            &::named_tensor::private::add(
                                &::named_tensor::private::exact(&i),
                                3f64,
                            ),
                        ),
                    ),
                ),
            )
        };
        ::named_tensor::private::result::<
            (seq, seq_),
            _,
            _,
        >(::core::clone::Clone::clone(&N))
    }
    let mut lift = ::named_tensor::private::Lift::new("window");
    let X = lift.enter::<_, seq, _>(X);
    let result = __body::<T>(&X);
    lift.exit(result)
}
///What is known of the function `window`.
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
struct window {}
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
impl window {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "window(X: R[seq]) -> B[seq, seq_] {\n    N_{seq(i), seq_(j: 7)} = i <= j + 1 && !(j > i + 3);\n    N\n}";
}
