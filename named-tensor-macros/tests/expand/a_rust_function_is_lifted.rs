// #[lift]
// /// Scaled.
// pub fn scaled<T: Real>(x: &Tensor<R![key], T>, bias: &named_tensor::Tensor<R![val, key], T>, by: f64) -> Tensor<R![key], T> {
//     let y = x * by;
//     (y + bias).sum(val)
// }

/// Scaled.
#[track_caller]
#[allow(
    clippy::type_complexity,
    reason = "the axes of the result are computed from those of the arguments"
)]
pub fn scaled<
    T: Real,
    A0: ::named_tensor::private::Axes,
    A1: ::named_tensor::private::Axes,
>(
    x: &Tensor<A0, T>,
    bias: &named_tensor::Tensor<A1, T>,
    by: f64,
) -> Tensor<
    ::named_tensor::private::Lifted<(A0, A1), fn(R![key], R![val, key]) -> R![key]>,
    T,
>
where
    A0: ::named_tensor::private::Has<R![key]>
        + ::named_tensor::private::Avoids<R![key], R![key]>,
    A1: ::named_tensor::private::Has<R![val, key]>
        + ::named_tensor::private::Avoids<R![val, key], R![key]>,
{
    fn __body<T: Real>(
        x: &Tensor<R![key], T>,
        bias: &named_tensor::Tensor<R![val, key], T>,
        by: f64,
    ) -> Tensor<R![key], T> {
        let y = x * by;
        (y + bias).sum(val)
    }
    let mut __lift = ::named_tensor::private::Lift::new("scaled");
    let x = ::named_tensor::private::Lift::enter::<_, R![key], _>(&mut __lift, x);
    let bias = ::named_tensor::private::Lift::enter::<
        _,
        R![val, key],
        _,
    >(&mut __lift, bias);
    let __result = __body::<T>(&x, &bias, by);
    ::named_tensor::private::Lift::exit(&__lift, __result)
}
