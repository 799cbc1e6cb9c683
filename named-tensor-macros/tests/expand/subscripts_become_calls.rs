// named! {
//     fn f(A: R[height, width], I: height[seq]) -> R[seq] {
//         B = A_{height -> width, width -> height};
//         C = B_{(height, width) -> layer}_{layer -> (rows: 2, cols)};
//         D = C_{rows(1), cols(2..|width|)};
//         E = (A_{height(I)})_{width(0)};
//         E * sum_cols(D) + A_{height(I), width(|width| - 1)}
//     }
// }

///`f` of the notation.
///
/**```text
f(A: R[height, width], I: height[seq]) -> R[seq] {
    B = A_{height -> width, width -> height};
    C = B_{(height, width) -> layer}_{layer -> (rows: 2, cols)};
    D = C_{rows(1), cols(2..|width|)};
    E = (A_{height(I)})_{width(0)};
    E * sum_cols(D) + A_{height(I), width(|width| - 1)}
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
fn f<
    T: ::named_tensor::private::Real,
    A0: ::named_tensor::private::Axes,
    A1: ::named_tensor::private::Axes,
>(
    A: &::named_tensor::private::Tensor<A0, T>,
    I: &::named_tensor::private::Tensor<A1, ::named_tensor::private::Index<height>>,
) -> ::named_tensor::private::Tensor<
    ::named_tensor::private::Lifted<(A0, A1), fn((height, width), seq) -> seq>,
    T,
>
where
    A0: ::named_tensor::private::Has<(height, width)>
        + ::named_tensor::private::Avoids<(height, width), seq>,
    A1: ::named_tensor::private::Has<seq> + ::named_tensor::private::Avoids<seq, seq>,
{
    fn __body<T: ::named_tensor::private::Real>(
        A: &::named_tensor::private::Tensor<(height, width), T>,
        I: &::named_tensor::private::Tensor<seq, ::named_tensor::private::Index<height>>,
    ) -> ::named_tensor::private::Tensor<seq, T> {
        let B = ::named_tensor::private::rename(A, (height, width), (width, height));
        let C = ::named_tensor::private::split(
            &::named_tensor::private::flatten(&B, (height, width), layer),
            layer,
            (::named_tensor::private::part(rows, 2usize), cols),
        );
        let D = ::named_tensor::private::slice(
            &::named_tensor::private::at(&C, rows, 1usize),
            cols,
            (2usize)..(::named_tensor::private::size(A, width)),
        );
        let E = ::named_tensor::private::at(
            &::named_tensor::private::index(height, A, I),
            width,
            0usize,
        );
        ::named_tensor::private::result::<
            seq,
            _,
            _,
        >(
            ::named_tensor::private::add(
                &::named_tensor::private::mul(
                    &E,
                    &::named_tensor::private::sum(cols, &D),
                ),
                &::named_tensor::private::at(
                    &::named_tensor::private::index(height, A, I),
                    width,
                    match ::named_tensor::private::whole(
                        ((::named_tensor::private::size(A, width)
                            as ::core::primitive::f64) - 1f64),
                    ) {
                        ::core::result::Result::Ok(whole) => whole,
                        ::core::result::Result::Err(whole) => {
                            return ::named_tensor::private::failed(whole);
                        }
                    },
                ),
            ),
        )
    }
    let mut lift = ::named_tensor::private::Lift::new("f");
    let A = lift.enter::<_, (height, width), _>(A);
    let I = lift.enter::<_, seq, _>(I);
    let result = __body::<T>(&A, &I);
    lift.exit(result)
}
///What is known of the function `f`.
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
struct f {}
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
impl f {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "f(A: R[height, width], I: height[seq]) -> R[seq] {\n    B = A_{height -> width, width -> height};\n    C = B_{(height, width) -> layer}_{layer -> (rows: 2, cols)};\n    D = C_{rows(1), cols(2..|width|)};\n    E = (A_{height(I)})_{width(0)};\n    E * sum_cols(D) + A_{height(I), width(|width| - 1)}\n}";
}
