// named! {
//     fn PE(X: R[seq, chans]) -> R[seq, chans] {
//         P_{seq(p), chans(c)} = if c % 2 == 0 { sin(p / 10000 ^ (c / |chans|)) } else { cos(p / 10000 ^ ((c - 1) / |chans|)) };
//         X + P
//     }
//
//     fn windows(X: R[seq]) -> R[seq, kernel] {
//         Y_{seq(i: |seq| - 2), kernel(j: 3)} = X_{seq(i + j)};
//         Y
//     }
// }

///`PE` of the notation.
///
/**```text
PE(X: R[seq, chans]) -> R[seq, chans] {
    P_{seq(p), chans(c)} = if c % 2 == 0 { sin(p / 10000 ^ (c / |chans|)) } else { cos(p / 10000 ^ ((c - 1) / |chans|)) };
    X + P
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
fn PE<T: ::named_tensor::private::Real, A0: ::named_tensor::private::Axes>(
    X: &::named_tensor::private::Tensor<A0, T>,
) -> ::named_tensor::private::Tensor<
    ::named_tensor::private::Lifted<(A0,), fn((chans, seq)) -> (chans, seq)>,
    T,
>
where
    A0: ::named_tensor::private::Has<(chans, seq)>
        + ::named_tensor::private::Avoids<(chans, seq), (chans, seq)>,
{
    fn __body<T: ::named_tensor::private::Real>(
        X: &::named_tensor::private::Tensor<(chans, seq), T>,
    ) -> ::named_tensor::private::Tensor<(chans, seq), T> {
        let P = {
            let p = ::named_tensor::private::positions(
                seq,
                ::named_tensor::private::size(X, seq),
            );
            let c = ::named_tensor::private::positions(
                chans,
                ::named_tensor::private::size(X, chans),
            );
            ::named_tensor::private::ascribed::<
                (chans, seq),
                _,
                _,
            >(
                ::named_tensor::private::cast::<
                    _,
                    T,
                >(
                    &::named_tensor::private::select(
                        &::named_tensor::private::compare(
                            ::named_tensor::private::Comparison::Eq,
                            &::named_tensor::private::rem(
                                &::named_tensor::private::exact(&c),
                                2f64,
                            ),
                            &::named_tensor::private::scalar::<
                                ::core::primitive::f64,
                            >(0f64),
                        ),
                        &::named_tensor::private::sin(
                            &::named_tensor::private::div(
                                &::named_tensor::private::exact(&p),
                                &::named_tensor::private::pow(
                                    10000f64,
                                    &::named_tensor::private::div(
                                        &::named_tensor::private::exact(&c),
                                        (::named_tensor::private::size(X, chans)
                                            as ::core::primitive::f64),
                                    ),
                                ),
                            ),
                        ),
                        &::named_tensor::private::cos(
                            &::named_tensor::private::div(
                                &::named_tensor::private::exact(&p),
                                &::named_tensor::private::pow(
                                    10000f64,
                                    &::named_tensor::private::div(
                                        &::named_tensor::private::sub(
                                            &::named_tensor::private::exact(&c),
                                            1f64,
                                        ),
                                        (::named_tensor::private::size(X, chans)
                                            as ::core::primitive::f64),
                                    ),
                                ),
                            ),
                        ),
                    ),
                ),
            )
        };
        ::named_tensor::private::result::<
            (chans, seq),
            _,
            _,
        >(::named_tensor::private::add(X, &P))
    }
    let mut lift = ::named_tensor::private::Lift::new("PE");
    let X = lift.enter::<_, (chans, seq), _>(X);
    let result = __body::<T>(&X);
    lift.exit(result)
}
///What is known of the function `PE`.
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
struct PE {}
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
impl PE {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "PE(X: R[seq, chans]) -> R[seq, chans] {\n    P_{seq(p), chans(c)} = if c % 2 == 0 { sin(p / 10000 ^ (c / |chans|)) } else { cos(p / 10000 ^ ((c - 1) / |chans|)) };\n    X + P\n}";
}
///`windows` of the notation.
///
/**```text
windows(X: R[seq]) -> R[seq, kernel] {
    Y_{seq(i: |seq| - 2), kernel(j: 3)} = X_{seq(i + j)};
    Y
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
fn windows<T: ::named_tensor::private::Real, A0: ::named_tensor::private::Axes>(
    X: &::named_tensor::private::Tensor<A0, T>,
) -> ::named_tensor::private::Tensor<
    ::named_tensor::private::Lifted<(A0,), fn(seq) -> (kernel, seq)>,
    T,
>
where
    A0: ::named_tensor::private::Has<seq>
        + ::named_tensor::private::Avoids<seq, (kernel, seq)>,
{
    fn __body<T: ::named_tensor::private::Real>(
        X: &::named_tensor::private::Tensor<seq, T>,
    ) -> ::named_tensor::private::Tensor<(kernel, seq), T> {
        let Y = {
            let i = ::named_tensor::private::positions(
                seq,
                match ::named_tensor::private::whole(
                    ((::named_tensor::private::size(X, seq) as ::core::primitive::f64)
                        - 2f64),
                ) {
                    ::core::result::Result::Ok(whole) => whole,
                    ::core::result::Result::Err(whole) => {
                        return ::named_tensor::private::failed(whole);
                    }
                },
            );
            let j = ::named_tensor::private::positions(kernel, 3usize);
            ::named_tensor::private::ascribed::<
                (kernel, seq),
                _,
                _,
            >(
                ::named_tensor::private::index(
                    seq,
                    X,
                    &::named_tensor::private::along(
                        seq,
                        &::named_tensor::private::add(
                            &::named_tensor::private::exact(&i),
                            &::named_tensor::private::exact(&j),
                        ),
                    ),
                ),
            )
        };
        ::named_tensor::private::result::<
            (kernel, seq),
            _,
            _,
        >(::core::clone::Clone::clone(&Y))
    }
    let mut lift = ::named_tensor::private::Lift::new("windows");
    let X = lift.enter::<_, seq, _>(X);
    let result = __body::<T>(&X);
    lift.exit(result)
}
///What is known of the function `windows`.
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
struct windows {}
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
impl windows {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "windows(X: R[seq]) -> R[seq, kernel] {\n    Y_{seq(i: |seq| - 2), kernel(j: 3)} = X_{seq(i + j)};\n    Y\n}";
}
