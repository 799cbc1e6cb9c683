// named! {
//     fn Between(X: R[], Y: R[], a: R[]) -> R[] {
//         w = σ(a);
//         X + w * (max(Y, 0) - X)
//     }
//
//     fn Twice(X: R[]) -> R[] { Between(X, X, 2 * X) }
// }

///`Between` of the notation.
///
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Between</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><mi>ℝ</mi><mo>×</mo><mi>ℝ</mi><mo>×</mo><mi>ℝ</mi><mo stretchy=\"false\">→</mo><mi>ℝ</mi></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>w</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>σ</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>a</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Between</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>,</mo><mi>Y</mi><mo>,</mo><mi>a</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>X</mi><mo>+</mo><mi>w</mi><mo>⊙</mo><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>max</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>Y</mi><mo>,</mo><mn>0</mn><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>−</mo><mi>X</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr></mtable></math></div>\n"
)]
///
/**```text
Between(X: R[], Y: R[], a: R[]) -> R[] {
    w = σ(a);
    X + w * (max(Y, 0) - X)
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
fn Between<
    Precision: ::named_tensor::private::Real,
    A0: ::named_tensor::private::Axes,
    A1: ::named_tensor::private::Axes,
    A2: ::named_tensor::private::Axes,
>(
    X: &::named_tensor::private::Tensor<A0, Precision>,
    Y: &::named_tensor::private::Tensor<A1, Precision>,
    a: &::named_tensor::private::Tensor<A2, Precision>,
) -> ::named_tensor::private::Tensor<
    ::named_tensor::private::Lifted<(A0, A1, A2), fn((), (), ()) -> ()>,
    Precision,
>
where
    A0: ::named_tensor::private::Has<()> + ::named_tensor::private::Avoids<(), ()>,
    A1: ::named_tensor::private::Has<()> + ::named_tensor::private::Avoids<(), ()>,
    A2: ::named_tensor::private::Has<()> + ::named_tensor::private::Avoids<(), ()>,
{
    fn __body<Precision: ::named_tensor::private::Real>(
        X: &::named_tensor::private::Tensor<(), Precision>,
        Y: &::named_tensor::private::Tensor<(), Precision>,
        a: &::named_tensor::private::Tensor<(), Precision>,
    ) -> ::named_tensor::private::Tensor<(), Precision> {
        let w = ::named_tensor::private::sigmoid(a);
        ::named_tensor::private::result::<
            (),
            _,
            _,
        >(
            ::named_tensor::private::add(
                X,
                &::named_tensor::private::mul(
                    &w,
                    &::named_tensor::private::sub(
                        &::named_tensor::private::larger(Y, 0f64),
                        X,
                    ),
                ),
            ),
        )
    }
    let mut __lift = ::named_tensor::private::Lift::of_numbers("Between");
    let X = ::named_tensor::private::Lift::enter::<_, (), _>(&mut __lift, X);
    let Y = ::named_tensor::private::Lift::enter::<_, (), _>(&mut __lift, Y);
    let a = ::named_tensor::private::Lift::enter::<_, (), _>(&mut __lift, a);
    let __result = __body::<Precision>(&X, &Y, &a);
    ::named_tensor::private::Lift::exit(&__lift, __result)
}
///What is known of the function `Between`.
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
struct Between {}
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
impl Between {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "Between(X: R[], Y: R[], a: R[]) -> R[] {\n    w = σ(a);\n    X + w * (max(Y, 0) - X)\n}";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "Between : ℝ × ℝ × ℝ → ℝ\nw = σ(a)\nBetween(X, Y, a) = X + w ⊙ (max(Y, 0) − X)";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  \\operatorname{Between} &\\colon \\mathbb{R} \\times \\mathbb{R} \\times \\mathbb{R} \\rightarrow \\mathbb{R} \\\\\n  w &= \\sigma(a) \\\\\n  \\operatorname{Between}(X, Y, a) &= X + w \\odot (\\operatorname{max}(Y, 0) - X)\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Between</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><mi>ℝ</mi><mo>×</mo><mi>ℝ</mi><mo>×</mo><mi>ℝ</mi><mo stretchy=\"false\">→</mo><mi>ℝ</mi></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>w</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>σ</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>a</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Between</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>,</mo><mi>Y</mi><mo>,</mo><mi>a</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>X</mi><mo>+</mo><mi>w</mi><mo>⊙</mo><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>max</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>Y</mi><mo>,</mo><mn>0</mn><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>−</mo><mi>X</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr></mtable></math>";
    /// The function as an einsum string, operands as in its signature, if it is a sum of products.
    pub const EINSUM: ::core::option::Option<&'static ::core::primitive::str> = ::core::option::Option::None;
}
///`Twice` of the notation.
///
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Twice</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><mi>ℝ</mi><mo stretchy=\"false\">→</mo><mi>ℝ</mi></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Twice</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>Between</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>,</mo><mi>X</mi><mo>,</mo><mn>2</mn><mo>·</mo><mi>X</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr></mtable></math></div>\n"
)]
///
/**```text
Twice(X: R[]) -> R[] { Between(X, X, 2 * X) }
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
fn Twice<Precision: ::named_tensor::private::Real, A0: ::named_tensor::private::Axes>(
    X: &::named_tensor::private::Tensor<A0, Precision>,
) -> ::named_tensor::private::Tensor<
    ::named_tensor::private::Lifted<(A0,), fn(()) -> ()>,
    Precision,
>
where
    A0: ::named_tensor::private::Has<()> + ::named_tensor::private::Avoids<(), ()>,
{
    fn __body<Precision: ::named_tensor::private::Real>(
        X: &::named_tensor::private::Tensor<(), Precision>,
    ) -> ::named_tensor::private::Tensor<(), Precision> {
        ::named_tensor::private::result::<
            (),
            _,
            _,
        >(Between(X, X, &::named_tensor::private::mul(2f64, X)))
    }
    let mut __lift = ::named_tensor::private::Lift::new("Twice");
    let X = ::named_tensor::private::Lift::enter::<_, (), _>(&mut __lift, X);
    let __result = __body::<Precision>(&X);
    ::named_tensor::private::Lift::exit(&__lift, __result)
}
///What is known of the function `Twice`.
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
struct Twice {}
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
impl Twice {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "Twice(X: R[]) -> R[] { Between(X, X, 2 * X) }";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "Twice : ℝ → ℝ\nTwice(X) = Between(X, X, 2 · X)";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  \\operatorname{Twice} &\\colon \\mathbb{R} \\rightarrow \\mathbb{R} \\\\\n  \\operatorname{Twice}(X) &= \\operatorname{Between}(X, X, 2 \\cdot X)\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Twice</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><mi>ℝ</mi><mo stretchy=\"false\">→</mo><mi>ℝ</mi></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Twice</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>Between</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>,</mo><mi>X</mi><mo>,</mo><mn>2</mn><mo>·</mo><mi>X</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr></mtable></math>";
    /// The function as an einsum string, operands as in its signature, if it is a sum of products.
    pub const EINSUM: ::core::option::Option<&'static ::core::primitive::str> = ::core::option::Option::None;
}
