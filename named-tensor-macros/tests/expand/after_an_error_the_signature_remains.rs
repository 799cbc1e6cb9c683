// named! {
//     fn f(X: R[chans], Y: R[chans]; W: R[chans, out]) -> R[out] {
//         X dot_chnas W
//     }
// }

const _: () = {
    ::core::compile_error! {
        "no axis `chnas` here\n= help: did you mean `chans`?\n= help: axes of `f`: `chans` and `out`"
    }
};
///`f` of the notation.
///
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>f</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup><mo>×</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">out</mi></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>f</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>,</mo><mi>Y</mi><mo>;</mo><mi>W</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>X</mi><munder><mo>⊙</mo><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chnas</mi></mrow></munder><mi>W</mi></mtd></mtr></mtable></math></div>\n\nwhere\n\n- <math style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mi>W</mi><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">out</mi></mrow></msup></math>\n"
)]
///
/**```text
f(X: R[chans], Y: R[chans]; W: R[chans, out]) -> R[out] {
    X dot_chnas W
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
#[derive(Clone, Debug)]
struct f<Precision: ::named_tensor::private::Real = ::core::primitive::f32> {
    ///`W : R[chans, out]`
    pub W: ::named_tensor::private::Tensor<(chans, out), Precision>,
}
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
impl<Precision: ::named_tensor::private::Real> f<Precision> {
    ///Applies `f` to its arguments.
    #[track_caller]
    pub fn apply<A0: ::named_tensor::private::Axes, A1: ::named_tensor::private::Axes>(
        &self,
        X: &::named_tensor::private::Tensor<A0, Precision>,
        Y: &::named_tensor::private::Tensor<A1, Precision>,
    ) -> ::named_tensor::private::Tensor<
        ::named_tensor::private::Lifted<(A0, A1), fn(chans, chans) -> out>,
        Precision,
    >
    where
        A0: ::named_tensor::private::Has<chans>
            + ::named_tensor::private::Avoids<chans, out>,
        A1: ::named_tensor::private::Has<chans>
            + ::named_tensor::private::Avoids<chans, out>,
    {
        ::named_tensor::private::poisoned()
    }
}
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
impl f<::core::primitive::f32> {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "f(X: R[chans], Y: R[chans]; W: R[chans, out]) -> R[out] {\n    X dot_chnas W\n}";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "f : ℝ^chans × ℝ^chans → ℝ^out\nf(X, Y; W) = X ⊙_chnas W\n    W ∈ ℝ^{chans×out}";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  f &\\colon \\mathbb{R}^{\\name{chans}} \\times \\mathbb{R}^{\\name{chans}} \\rightarrow \\mathbb{R}^{\\name{out}} \\\\\n  f(X, Y; W) &= X \\ndot{\\name{chnas}} W \\\\\n  W &\\in \\mathbb{R}^{\\name{chans} \\times \\name{out}}\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>f</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup><mo>×</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">out</mi></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>f</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>,</mo><mi>Y</mi><mo>;</mo><mi>W</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>X</mi><munder><mo>⊙</mo><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chnas</mi></mrow></munder><mi>W</mi></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>W</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">out</mi></mrow></msup></mtd></mtr></mtable></math>";
    /// The function as an einsum string, operands as in its signature, if it is a sum of products.
    pub const EINSUM: ::core::option::Option<&'static ::core::primitive::str> = ::core::option::Option::None;
    /// Draws initial values; `sizes` name at least the axes of all parameters and of their initial values.
    ///
    /// # Errors
    /// A shape that does not fit in memory.
    #[track_caller]
    pub fn init<S: ::named_tensor::private::Extents>(
        rng: &mut impl ::named_tensor::private::Rng,
        sizes: S,
    ) -> ::named_tensor::private::Result<Self>
    where
        S: ::named_tensor::private::Once<S::Repeated>,
        S::Set: ::named_tensor::private::Gives<
            <Self as ::named_tensor::private::Parameters<::core::primitive::f32>>::Axes,
        >,
    {
        ::named_tensor::private::init(rng, sizes)
    }
}
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
impl<
    Precision: ::named_tensor::private::Real,
> ::named_tensor::private::Parameters<Precision> for f<Precision> {
    type Axes = ::named_tensor::private::Union<(chans, out), ()>;
    type Of<Other: ::named_tensor::private::Real> = f<Other>;
    fn visit(
        &self,
        __path: &mut ::named_tensor::private::Path,
        __visitor: &mut dyn ::core::ops::FnMut(
            ::named_tensor::private::Parameter<'_, Precision>,
        ),
    ) {
        ::named_tensor::private::visit_tensor(__path, "W", &self.W, __visitor);
    }
    fn visit_mut(
        &mut self,
        __path: &mut ::named_tensor::private::Path,
        __visitor: &mut dyn ::core::ops::FnMut(
            ::named_tensor::private::ParameterMut<'_, Precision>,
        ),
    ) {
        ::named_tensor::private::visit_tensor_mut(__path, "W", &mut self.W, __visitor);
    }
    fn init_from(
        __init: &mut ::named_tensor::private::Init<'_>,
    ) -> ::named_tensor::private::Result<Self> {
        ::core::result::Result::Ok(f {
            W: ::named_tensor::private::poisoned(),
        })
    }
    fn cast<Other: ::named_tensor::private::Real>(&self) -> f<Other> {
        f {
            W: ::named_tensor::private::Tensor::cast(&self.W),
        }
    }
}
