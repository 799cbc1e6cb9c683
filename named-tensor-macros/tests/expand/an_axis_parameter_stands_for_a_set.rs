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
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><munder><mpadded depth=\"0.2em\"><mi>centre</mi></mpadded><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">ax</mi></mrow></munder></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">ax</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></mrow></msup><mo>×</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">ax</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><munder><mpadded depth=\"0.2em\"><mi>centre</mi></mpadded><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">ax</mi></mrow></munder><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>,</mo><mi>y</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>X</mi><mo>−</mo><munder><mpadded depth=\"0.2em\"><mi>mean</mi></mpadded><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">ax</mi></mrow></munder><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>+</mo><mfrac><mi>y</mi><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">ax</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow></mfrac></mtd></mtr></mtable></math></div>\n"
)]
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
    clippy::nursery,
    clippy::restriction,
    reason = "generated from equations, which keep the names of the paper"
)]
#[track_caller]
fn centre<
    Precision: ::named_tensor::private::Real,
    S0: ::named_tensor::private::Selector
        + ::named_tensor::private::Once<
            <S0 as ::named_tensor::private::Selector>::Repeated,
        >,
    A0: ::named_tensor::private::Axes,
    A1: ::named_tensor::private::Axes,
>(
    ax: S0,
    X: &::named_tensor::private::Tensor<A0, Precision>,
    y: &::named_tensor::private::Tensor<A1, Precision>,
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
    Precision,
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
    fn __body<Precision: ::named_tensor::private::Real>(
        X: &::named_tensor::private::Tensor<(ax, key), Precision>,
        y: &::named_tensor::private::Tensor<key, Precision>,
    ) -> ::named_tensor::private::Tensor<(ax, key), Precision> {
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
    let mut __lift = ::named_tensor::private::Lift::new("centre");
    ::named_tensor::private::Lift::stand_for::<ax, S0>(&mut __lift);
    let X = ::named_tensor::private::Lift::enter::<_, (ax, key), _>(&mut __lift, X);
    let y = ::named_tensor::private::Lift::enter::<_, key, _>(&mut __lift, y);
    let __result = __body::<Precision>(&X, &y);
    ::named_tensor::private::Lift::exit(&__lift, __result)
}
///What is known of the function `centre`.
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::restriction,
    reason = "generated from equations, which keep the names of the paper"
)]
struct centre {}
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::restriction,
    reason = "generated from equations, which keep the names of the paper"
)]
impl centre {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "centre_{ax}(X: R[ax, key], y: R[key]) -> R[ax, key] {\n    X - mean_ax(X) + y / |ax|\n}";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "centre_ax : ℝ^{ax×key} × ℝ^key → ℝ^{ax×key}\ncentre_ax(X, y) = X − mean_ax (X) + y / |ax|";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  \\nfun{\\name{ax}}{centre} &\\colon \\mathbb{R}^{\\name{ax} \\times \\name{key}} \\times \\mathbb{R}^{\\name{key}} \\rightarrow \\mathbb{R}^{\\name{ax} \\times \\name{key}} \\\\\n  \\nfun{\\name{ax}}{centre} (X, y) &= X - \\nfun{\\name{ax}}{mean} (X) + \\frac{y}{|\\name{ax}|}\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><munder><mpadded depth=\"0.2em\"><mi>centre</mi></mpadded><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">ax</mi></mrow></munder></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">ax</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></mrow></msup><mo>×</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">ax</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><munder><mpadded depth=\"0.2em\"><mi>centre</mi></mpadded><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">ax</mi></mrow></munder><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>,</mo><mi>y</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>X</mi><mo>−</mo><munder><mpadded depth=\"0.2em\"><mi>mean</mi></mpadded><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">ax</mi></mrow></munder><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>+</mo><mfrac><mi>y</mi><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">ax</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow></mfrac></mtd></mtr></mtable></math>";
    /// The function as an einsum string, operands as in its signature, if it is a sum of products.
    pub const EINSUM: ::core::option::Option<&'static ::core::primitive::str> = ::core::option::Option::None;
}
///`both` of the notation.
///
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>both</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">batch</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">layer</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></mrow></msup><mo>×</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">batch</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">layer</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>both</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>,</mo><mi>y</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><munder><mpadded depth=\"0.2em\"><mi>centre</mi></mpadded><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">batch</mi><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">layer</mi></mrow></munder><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><munder><mpadded depth=\"0.2em\"><mi>centre</mi></mpadded><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">batch</mi></mrow></munder><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>,</mo><mi>y</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>,</mo><mi>y</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr></mtable></math></div>\n"
)]
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
    clippy::nursery,
    clippy::restriction,
    reason = "generated from equations, which keep the names of the paper"
)]
#[track_caller]
fn both<
    Precision: ::named_tensor::private::Real,
    A0: ::named_tensor::private::Axes,
    A1: ::named_tensor::private::Axes,
>(
    X: &::named_tensor::private::Tensor<A0, Precision>,
    y: &::named_tensor::private::Tensor<A1, Precision>,
) -> ::named_tensor::private::Tensor<
    ::named_tensor::private::Lifted<
        (A0, A1),
        fn((batch, key, layer), key) -> (batch, key, layer),
    >,
    Precision,
>
where
    A0: ::named_tensor::private::Has<(batch, key, layer)>
        + ::named_tensor::private::Avoids<(batch, key, layer), (batch, key, layer)>,
    A1: ::named_tensor::private::Has<key>
        + ::named_tensor::private::Avoids<key, (batch, key, layer)>,
{
    fn __body<Precision: ::named_tensor::private::Real>(
        X: &::named_tensor::private::Tensor<(batch, key, layer), Precision>,
        y: &::named_tensor::private::Tensor<key, Precision>,
    ) -> ::named_tensor::private::Tensor<(batch, key, layer), Precision> {
        ::named_tensor::private::result::<
            (batch, key, layer),
            _,
            _,
        >(centre((batch, layer), &centre(batch, X, y), y))
    }
    let mut __lift = ::named_tensor::private::Lift::new("both");
    let X = ::named_tensor::private::Lift::enter::<
        _,
        (batch, key, layer),
        _,
    >(&mut __lift, X);
    let y = ::named_tensor::private::Lift::enter::<_, key, _>(&mut __lift, y);
    let __result = __body::<Precision>(&X, &y);
    ::named_tensor::private::Lift::exit(&__lift, __result)
}
///What is known of the function `both`.
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::restriction,
    reason = "generated from equations, which keep the names of the paper"
)]
struct both {}
#[allow(
    nonstandard_style,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::restriction,
    reason = "generated from equations, which keep the names of the paper"
)]
impl both {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "both(X: R[batch, layer, key], y: R[key]) -> R[batch, layer, key] {\n    centre_{batch, layer}(centre_batch(X, y), y)\n}";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "both : ℝ^{batch×layer×key} × ℝ^key → ℝ^{batch×layer×key}\nboth(X, y) = centre_{batch, layer} (centre_batch (X, y), y)";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  \\operatorname{both} &\\colon \\mathbb{R}^{\\name{batch} \\times \\name{layer} \\times \\name{key}} \\times \\mathbb{R}^{\\name{key}} \\rightarrow \\mathbb{R}^{\\name{batch} \\times \\name{layer} \\times \\name{key}} \\\\\n  \\operatorname{both}(X, y) &= \\nfun{\\name{batch} \\\\ \\name{layer}}{centre} (\\nfun{\\name{batch}}{centre} (X, y), y)\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>both</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">batch</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">layer</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></mrow></msup><mo>×</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">batch</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">layer</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>both</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>,</mo><mi>y</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><munder><mpadded depth=\"0.2em\"><mi>centre</mi></mpadded><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">batch</mi><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">layer</mi></mrow></munder><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><munder><mpadded depth=\"0.2em\"><mi>centre</mi></mpadded><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">batch</mi></mrow></munder><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>,</mo><mi>y</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>,</mo><mi>y</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr></mtable></math>";
    /// The function as an einsum string, operands as in its signature, if it is a sum of products.
    pub const EINSUM: ::core::option::Option<&'static ::core::primitive::str> = ::core::option::Option::None;
}
