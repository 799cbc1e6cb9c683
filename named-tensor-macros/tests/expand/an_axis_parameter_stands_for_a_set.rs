// named! {
//     fn centre_{ax}(X: R[ax, key], y: R[key]) -> R[ax, key] {
//         X - mean_ax(X) + y / |ax|
//     }
//
//     fn both(X: R[batch, layer, key], y: R[key]) -> R[batch, layer, key] {
//         centre_{batch, layer}(centre_batch(X, y), y)
//     }
// }

///`centre` of the notation.
///
/**```text
centre_{ax}(X: R[ax, key], y: R[key]) -> R[ax, key] {
    X - mean_ax(X) + y / |ax|
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
fn centre<
    T: ::named_tensor::private::Real,
    S0: ::named_tensor::private::Selector
        + ::named_tensor::private::Once<
            <S0 as ::named_tensor::private::Selector>::Repeated,
        >,
    A0: ::named_tensor::private::Axes,
    A1: ::named_tensor::private::Axes,
>(
    ax: S0,
    X: &::named_tensor::private::Tensor<A0, T>,
    y: &::named_tensor::private::Tensor<A1, T>,
) -> ::named_tensor::private::Tensor<
    ::named_tensor::private::Lifted<
        (A0, A1),
        fn(
            ::named_tensor::private::Union<
                <S0 as ::named_tensor::private::Selector>::Set,
                key,
            >,
            key,
        ) -> ::named_tensor::private::Union<
            <S0 as ::named_tensor::private::Selector>::Set,
            key,
        >,
    >,
    T,
>
where
    A0: ::named_tensor::private::Has<
            ::named_tensor::private::Union<
                <S0 as ::named_tensor::private::Selector>::Set,
                key,
            >,
        >
        + ::named_tensor::private::Avoids<
            ::named_tensor::private::Union<
                <S0 as ::named_tensor::private::Selector>::Set,
                key,
            >,
            ::named_tensor::private::Union<
                <S0 as ::named_tensor::private::Selector>::Set,
                key,
            >,
        >,
    A1: ::named_tensor::private::Has<key>
        + ::named_tensor::private::Avoids<
            key,
            ::named_tensor::private::Union<
                <S0 as ::named_tensor::private::Selector>::Set,
                key,
            >,
        >,
    <S0 as ::named_tensor::private::Selector>::Set: ::named_tensor::private::Lacks<key>,
    <S0 as ::named_tensor::private::Selector>::Set: ::named_tensor::private::Lacks<key>,
{
    ///The axis `ax`.
    #[allow(
        non_camel_case_types,
        dead_code,
        unreachable_pub,
        reason = "an axis keeps the name it has on paper"
    )]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    struct ax {}
    ///The axis `ax` as a value, to select it.
    #[allow(
        non_snake_case,
        dead_code,
        unreachable_pub,
        reason = "an axis keeps the name it has on paper"
    )]
    #[must_use]
    fn ax() -> ax {
        ax {}
    }
    impl ::named_tensor::private::Axis for ax {
        const NAME: &'static str = "ax";
        type A = ::named_tensor::private::d::D38;
        type B = ::named_tensor::private::d::D61;
        type C = ::named_tensor::private::d::D9;
        type D = ::named_tensor::private::d::D16;
        type E = ::named_tensor::private::d::D61;
        type F = ::named_tensor::private::d::D47;
        type Stars = ::named_tensor::private::NoStar;
    }
    fn __body<T: ::named_tensor::private::Real>(
        X: &::named_tensor::private::Tensor<(ax, key), T>,
        y: &::named_tensor::private::Tensor<key, T>,
    ) -> ::named_tensor::private::Tensor<(ax, key), T> {
        ::named_tensor::private::result::<
            (ax, key),
            _,
            _,
        >(
            ::named_tensor::private::add(
                &::named_tensor::private::sub(X, &::named_tensor::private::mean(ax, X)),
                &::named_tensor::private::div(
                    y,
                    (::named_tensor::private::size(X, ax) as ::core::primitive::f64),
                ),
            ),
        )
    }
    let mut lift = ::named_tensor::private::Lift::new("centre");
    lift.stand_for::<ax, S0>();
    let X = lift.enter::<_, (ax, key), _>(X);
    let y = lift.enter::<_, key, _>(y);
    let result = __body::<T>(&X, &y);
    lift.exit(result)
}
///What is known of the function `centre`.
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
struct centre {}
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
impl centre {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "centre_{ax}(X: R[ax, key], y: R[key]) -> R[ax, key] {\n    X - mean_ax(X) + y / |ax|\n}";
}
///`both` of the notation.
///
/**```text
both(X: R[batch, layer, key], y: R[key]) -> R[batch, layer, key] {
    centre_{batch, layer}(centre_batch(X, y), y)
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
fn both<
    T: ::named_tensor::private::Real,
    A0: ::named_tensor::private::Axes,
    A1: ::named_tensor::private::Axes,
>(
    X: &::named_tensor::private::Tensor<A0, T>,
    y: &::named_tensor::private::Tensor<A1, T>,
) -> ::named_tensor::private::Tensor<
    ::named_tensor::private::Lifted<
        (A0, A1),
        fn((batch, key, layer), key) -> (batch, key, layer),
    >,
    T,
>
where
    A0: ::named_tensor::private::Has<(batch, key, layer)>
        + ::named_tensor::private::Avoids<(batch, key, layer), (batch, key, layer)>,
    A1: ::named_tensor::private::Has<key>
        + ::named_tensor::private::Avoids<key, (batch, key, layer)>,
{
    fn __body<T: ::named_tensor::private::Real>(
        X: &::named_tensor::private::Tensor<(batch, key, layer), T>,
        y: &::named_tensor::private::Tensor<key, T>,
    ) -> ::named_tensor::private::Tensor<(batch, key, layer), T> {
        ::named_tensor::private::result::<
            (batch, key, layer),
            _,
            _,
        >(centre((batch, layer), &centre(batch, X, y), y))
    }
    let mut lift = ::named_tensor::private::Lift::new("both");
    let X = lift.enter::<_, (batch, key, layer), _>(X);
    let y = lift.enter::<_, key, _>(y);
    let result = __body::<T>(&X, &y);
    lift.exit(result)
}
///What is known of the function `both`.
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
struct both {}
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "generated from equations, which keep the names of the paper"
)]
impl both {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "both(X: R[batch, layer, key], y: R[key]) -> R[batch, layer, key] {\n    centre_{batch, layer}(centre_batch(X, y), y)\n}";
}
