// named! {
//     fn Project(X: R[chans]; W: R[chans, out], b: R[out]?, norm: Norm?) -> R[out] {
//         norm(X dot_chans W + b)
//     }
// }

///`Project` of the notation.
///
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Project</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">out</mi></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Project</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>;</mo><mi>W</mi><mo>,</mo><mi>b</mi><mo>,</mo><mi>norm</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>norm</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><munder><mo>⊙</mo><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></mrow></munder><mi>W</mi><mo>+</mo><mi>b</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr></mtable></math></div>\n\nwhere\n\n- <math style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mi>W</mi><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">out</mi></mrow></msup></math>\n- <math style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mi>b</mi><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">out</mi></msup><mtext>,&#160;or&#160;absent</mtext></math>\n- <math style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mi>norm</mi><mo form=\"infix\">:</mo><mi>Norm</mi><mtext>,&#160;or&#160;absent</mtext></math>\n"
)]
///
/**```text
Project(X: R[chans]; W: R[chans, out], b: R[out]?, norm: Norm?) -> R[out] {
    norm(X dot_chans W + b)
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
struct Project<Precision: ::named_tensor::private::Real = ::core::primitive::f32> {
    ///`W : R[chans, out]`
    pub W: ::named_tensor::private::Tensor<(chans, out), Precision>,
    ///`b : R[out]`, or absent
    pub b: ::core::option::Option<::named_tensor::private::Tensor<out, Precision>>,
    ///`norm : Norm`, or absent
    pub norm: ::core::option::Option<Norm<Precision>>,
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
impl<Precision: ::named_tensor::private::Real> Project<Precision> {
    ///Applies `Project` to its arguments.
    #[track_caller]
    pub fn apply<A0: ::named_tensor::private::Axes>(
        &self,
        X: &::named_tensor::private::Tensor<A0, Precision>,
    ) -> ::named_tensor::private::Tensor<
        ::named_tensor::private::Lifted<(A0,), fn(chans) -> out>,
        Precision,
    >
    where
        A0: ::named_tensor::private::Has<chans>
            + ::named_tensor::private::Avoids<chans, out>,
    {
        fn __body<Precision: ::named_tensor::private::Real>(
            X: &::named_tensor::private::Tensor<chans, Precision>,
            W: &::named_tensor::private::Tensor<(chans, out), Precision>,
            b: &::core::option::Option<::named_tensor::private::Tensor<out, Precision>>,
            norm: &::core::option::Option<Norm<Precision>>,
        ) -> ::named_tensor::private::Tensor<out, Precision> {
            ::named_tensor::private::result::<
                out,
                _,
                _,
            >({
                let __x = &::named_tensor::private::add_optional(
                    &::named_tensor::private::dot(X, chans, W),
                    b,
                );
                ::named_tensor::private::or_itself(
                    norm.as_ref().map(|__function| __function.apply(__x)),
                    __x,
                )
            })
        }
        let mut __lift = ::named_tensor::private::Lift::new("Project");
        let X = ::named_tensor::private::Lift::enter::<_, chans, _>(&mut __lift, X);
        let __result = __body::<Precision>(&X, &self.W, &self.b, &self.norm);
        ::named_tensor::private::Lift::exit(&__lift, __result)
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
impl Project<::core::primitive::f32> {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "Project(X: R[chans]; W: R[chans, out], b: R[out]?, norm: Norm?) -> R[out] {\n    norm(X dot_chans W + b)\n}";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "Project : ℝ^chans → ℝ^out\nProject(X; W, b, norm) = norm(X ⊙_chans W + b)\n    W ∈ ℝ^{chans×out}\n    b ∈ ℝ^out, or absent\n    norm : Norm, or absent";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  \\operatorname{Project} &\\colon \\mathbb{R}^{\\name{chans}} \\rightarrow \\mathbb{R}^{\\name{out}} \\\\\n  \\operatorname{Project}(X; W, b, \\operatorname{norm}) &= \\operatorname{norm}(X \\ndot{\\name{chans}} W + b) \\\\\n  W &\\in \\mathbb{R}^{\\name{chans} \\times \\name{out}} \\\\\n  b &\\in \\mathbb{R}^{\\name{out}} \\text{, or absent} \\\\\n  \\operatorname{norm} &\\colon \\operatorname{Norm} \\text{, or absent}\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Project</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">out</mi></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Project</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>;</mo><mi>W</mi><mo>,</mo><mi>b</mi><mo>,</mo><mi>norm</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>norm</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><munder><mo>⊙</mo><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></mrow></munder><mi>W</mi><mo>+</mo><mi>b</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>W</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">out</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>b</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">out</mi></msup><mtext>,&#160;or&#160;absent</mtext></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>norm</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><mi>Norm</mi><mtext>,&#160;or&#160;absent</mtext></mtd></mtr></mtable></math>";
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
> ::named_tensor::private::Parameters<Precision> for Project<Precision> {
    type Axes = ::named_tensor::private::Union<
        (chans, out),
        ::named_tensor::private::Union<
            out,
            ::named_tensor::private::Union<
                <Norm<
                    Precision,
                > as ::named_tensor::private::Parameters<Precision>>::Axes,
                (),
            >,
        >,
    >;
    type Of<Other: ::named_tensor::private::Real> = Project<Other>;
    fn visit(
        &self,
        __path: &mut ::named_tensor::private::Path,
        __visitor: &mut dyn ::core::ops::FnMut(
            ::named_tensor::private::Parameter<'_, Precision>,
        ),
    ) {
        ::named_tensor::private::visit_tensor(__path, "W", &self.W, __visitor);
        ::named_tensor::private::visit_nested(__path, "b", &self.b, __visitor);
        ::named_tensor::private::visit_nested(__path, "norm", &self.norm, __visitor);
    }
    fn visit_mut(
        &mut self,
        __path: &mut ::named_tensor::private::Path,
        __visitor: &mut dyn ::core::ops::FnMut(
            ::named_tensor::private::ParameterMut<'_, Precision>,
        ),
    ) {
        ::named_tensor::private::visit_tensor_mut(__path, "W", &mut self.W, __visitor);
        ::named_tensor::private::visit_nested_mut(__path, "b", &mut self.b, __visitor);
        ::named_tensor::private::visit_nested_mut(
            __path,
            "norm",
            &mut self.norm,
            __visitor,
        );
    }
    fn init_from(
        __init: &mut ::named_tensor::private::Init<'_>,
    ) -> ::named_tensor::private::Result<Self> {
        ::core::result::Result::Ok(Project {
            W: ::named_tensor::private::Init::tensor(
                __init,
                "W",
                &::named_tensor::private::Draw::Normal {
                    mean: 0f64,
                    deviation: (1f64
                        / ::named_tensor::private::sqrt(
                            (::named_tensor::private::Init::size(__init, "chans")?
                                as ::core::primitive::f64),
                        )),
                },
            )?,
            b: ::core::option::Option::Some(
                ::named_tensor::private::Init::tensor(
                    __init,
                    "b",
                    &::named_tensor::private::Draw::Constant(0f64),
                )?,
            ),
            norm: ::named_tensor::private::Init::nested(__init, "norm")?,
        })
    }
    fn cast<Other: ::named_tensor::private::Real>(&self) -> Project<Other> {
        Project {
            W: ::named_tensor::private::Tensor::cast(&self.W),
            b: ::named_tensor::private::Parameters::cast(&self.b),
            norm: ::named_tensor::private::Parameters::cast(&self.norm),
        }
    }
}
