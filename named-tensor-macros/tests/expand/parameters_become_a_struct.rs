// named! {
//     pub fn LayerNorm(X: R[chans]; γ: R[chans] = 1, β: R[chans] = 0) -> R[chans] {
//         standardize_chans(X) * γ + β
//     }
//
//     pub fn FFN(X: R[chans]; W1: R[chans, hidden], b1: R[hidden], W2: R[hidden, chans] ~ glorot, b2: R[chans] ~ uniform(-0.1, 0.1)) -> R[chans] {
//         relu(X dot_chans W1 + b1) dot_hidden W2 + b2
//     }
// }

///`LayerNorm` of the notation.
///
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>LayerNorm</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>LayerNorm</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>;</mo><mi>γ</mi><mo>,</mo><mi>β</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><munder><mpadded depth=\"0.2em\"><mi>standardize</mi></mpadded><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></mrow></munder><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>⊙</mo><mi>γ</mi><mo>+</mo><mi>β</mi></mtd></mtr></mtable></math></div>\n\nwhere\n\n- <math style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mi>γ</mi><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup><mtext>,&#160;at&#160;first&#160;</mtext><mn>1</mn></math>\n- <math style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mi>β</mi><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup><mtext>,&#160;at&#160;first&#160;</mtext><mn>0</mn></math>\n"
)]
///
/**```text
LayerNorm(X: R[chans]; γ: R[chans] = 1, β: R[chans] = 0) -> R[chans] {
    standardize_chans(X) * γ + β
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
pub struct LayerNorm<Precision: ::named_tensor::private::Real = ::core::primitive::f32> {
    ///`γ : R[chans]`
    pub γ: ::named_tensor::private::Tensor<chans, Precision>,
    ///`β : R[chans]`
    pub β: ::named_tensor::private::Tensor<chans, Precision>,
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
impl<Precision: ::named_tensor::private::Real> LayerNorm<Precision> {
    ///Applies `LayerNorm` to its arguments.
    #[track_caller]
    pub fn apply<A0: ::named_tensor::private::Axes>(
        &self,
        X: &::named_tensor::private::Tensor<A0, Precision>,
    ) -> ::named_tensor::private::Tensor<
        ::named_tensor::private::Lifted<(A0,), fn(chans) -> chans>,
        Precision,
    >
    where
        A0: ::named_tensor::private::Has<chans>
            + ::named_tensor::private::Avoids<chans, chans>,
    {
        fn __body<Precision: ::named_tensor::private::Real>(
            X: &::named_tensor::private::Tensor<chans, Precision>,
            γ: &::named_tensor::private::Tensor<chans, Precision>,
            β: &::named_tensor::private::Tensor<chans, Precision>,
        ) -> ::named_tensor::private::Tensor<chans, Precision> {
            ::named_tensor::private::result::<
                chans,
                _,
                _,
            >(
                ::named_tensor::private::add(
                    &::named_tensor::private::mul(
                        &::named_tensor::private::standardize(chans, X),
                        γ,
                    ),
                    β,
                ),
            )
        }
        let mut __lift = ::named_tensor::private::Lift::new("LayerNorm");
        let X = ::named_tensor::private::Lift::enter::<_, chans, _>(&mut __lift, X);
        let __result = __body::<Precision>(&X, &self.γ, &self.β);
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
impl LayerNorm<::core::primitive::f32> {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "LayerNorm(X: R[chans]; γ: R[chans] = 1, β: R[chans] = 0) -> R[chans] {\n    standardize_chans(X) * γ + β\n}";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "LayerNorm : ℝ^chans → ℝ^chans\nLayerNorm(X; γ, β) = standardize_chans (X) ⊙ γ + β\n    γ ∈ ℝ^chans, at first 1\n    β ∈ ℝ^chans, at first 0";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  \\operatorname{LayerNorm} &\\colon \\mathbb{R}^{\\name{chans}} \\rightarrow \\mathbb{R}^{\\name{chans}} \\\\\n  \\operatorname{LayerNorm}(X; \\gamma, \\beta) &= \\nfun{\\name{chans}}{standardize} (X) \\odot \\gamma + \\beta \\\\\n  \\gamma &\\in \\mathbb{R}^{\\name{chans}} \\text{, at first } 1 \\\\\n  \\beta &\\in \\mathbb{R}^{\\name{chans}} \\text{, at first } 0\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>LayerNorm</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>LayerNorm</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>;</mo><mi>γ</mi><mo>,</mo><mi>β</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><munder><mpadded depth=\"0.2em\"><mi>standardize</mi></mpadded><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></mrow></munder><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>⊙</mo><mi>γ</mi><mo>+</mo><mi>β</mi></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>γ</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup><mtext>,&#160;at&#160;first&#160;</mtext><mn>1</mn></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>β</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup><mtext>,&#160;at&#160;first&#160;</mtext><mn>0</mn></mtd></mtr></mtable></math>";
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
> ::named_tensor::private::Parameters<Precision> for LayerNorm<Precision> {
    type Axes = ::named_tensor::private::Union<
        chans,
        ::named_tensor::private::Union<chans, ()>,
    >;
    type Of<Other: ::named_tensor::private::Real> = LayerNorm<Other>;
    fn visit(
        &self,
        __path: &mut ::named_tensor::private::Path,
        __visitor: &mut dyn ::core::ops::FnMut(
            ::named_tensor::private::Parameter<'_, Precision>,
        ),
    ) {
        ::named_tensor::private::visit_tensor(__path, "γ", &self.γ, __visitor);
        ::named_tensor::private::visit_tensor(__path, "β", &self.β, __visitor);
    }
    fn visit_mut(
        &mut self,
        __path: &mut ::named_tensor::private::Path,
        __visitor: &mut dyn ::core::ops::FnMut(
            ::named_tensor::private::ParameterMut<'_, Precision>,
        ),
    ) {
        ::named_tensor::private::visit_tensor_mut(__path, "γ", &mut self.γ, __visitor);
        ::named_tensor::private::visit_tensor_mut(__path, "β", &mut self.β, __visitor);
    }
    fn init_from(
        __init: &mut ::named_tensor::private::Init<'_>,
    ) -> ::named_tensor::private::Result<Self> {
        ::core::result::Result::Ok(LayerNorm {
            γ: ::named_tensor::private::Init::tensor(
                __init,
                "γ",
                &::named_tensor::private::Draw::Constant(1f64),
            )?,
            β: ::named_tensor::private::Init::tensor(
                __init,
                "β",
                &::named_tensor::private::Draw::Constant(0f64),
            )?,
        })
    }
    fn cast<Other: ::named_tensor::private::Real>(&self) -> LayerNorm<Other> {
        LayerNorm {
            γ: ::named_tensor::private::Tensor::cast(&self.γ),
            β: ::named_tensor::private::Tensor::cast(&self.β),
        }
    }
}
///`FFN` of the notation.
///
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>FFN</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>FFN</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>;</mo><msub><mi>W</mi><mn>1</mn></msub><mo>,</mo><msub><mi>b</mi><mn>1</mn></msub><mo>,</mo><msub><mi>W</mi><mn>2</mn></msub><mo>,</mo><msub><mi>b</mi><mn>2</mn></msub><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>relu</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><munder><mo>⊙</mo><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></mrow></munder><msub><mi>W</mi><mn>1</mn></msub><mo>+</mo><msub><mi>b</mi><mn>1</mn></msub><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><munder><mo>⊙</mo><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">hidden</mi></mrow></munder><msub><mi>W</mi><mn>2</mn></msub><mo>+</mo><msub><mi>b</mi><mn>2</mn></msub></mtd></mtr></mtable></math></div>\n\nwhere\n\n- <math style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><msub><mi>W</mi><mn>1</mn></msub><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">hidden</mi></mrow></msup></math>\n- <math style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><msub><mi>b</mi><mn>1</mn></msub><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">hidden</mi></msup></math>\n- <math style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><msub><mi>W</mi><mn>2</mn></msub><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">hidden</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></mrow></msup><mtext>,&#160;at&#160;first&#160;</mtext><mo form=\"prefix\">∼</mo><mi>glorot</mi></math>\n- <math style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><msub><mi>b</mi><mn>2</mn></msub><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup><mtext>,&#160;at&#160;first&#160;</mtext><mo form=\"prefix\">∼</mo><mi>uniform</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mo form=\"prefix\">−</mo><mn>0.1</mn><mo>,</mo><mn>0.1</mn><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></math>\n"
)]
///
/**```text
FFN(X: R[chans]; W1: R[chans, hidden], b1: R[hidden], W2: R[hidden, chans] ~ glorot, b2: R[chans] ~ uniform(-0.1, 0.1)) -> R[chans] {
    relu(X dot_chans W1 + b1) dot_hidden W2 + b2
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
pub struct FFN<Precision: ::named_tensor::private::Real = ::core::primitive::f32> {
    ///`W1 : R[chans, hidden]`
    pub W1: ::named_tensor::private::Tensor<(chans, hidden), Precision>,
    ///`b1 : R[hidden]`
    pub b1: ::named_tensor::private::Tensor<hidden, Precision>,
    ///`W2 : R[hidden, chans]`
    pub W2: ::named_tensor::private::Tensor<(chans, hidden), Precision>,
    ///`b2 : R[chans]`
    pub b2: ::named_tensor::private::Tensor<chans, Precision>,
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
impl<Precision: ::named_tensor::private::Real> FFN<Precision> {
    ///Applies `FFN` to its arguments.
    #[track_caller]
    pub fn apply<A0: ::named_tensor::private::Axes>(
        &self,
        X: &::named_tensor::private::Tensor<A0, Precision>,
    ) -> ::named_tensor::private::Tensor<
        ::named_tensor::private::Lifted<(A0,), fn(chans) -> chans>,
        Precision,
    >
    where
        A0: ::named_tensor::private::Has<chans>
            + ::named_tensor::private::Avoids<chans, chans>,
    {
        fn __body<Precision: ::named_tensor::private::Real>(
            X: &::named_tensor::private::Tensor<chans, Precision>,
            W1: &::named_tensor::private::Tensor<(chans, hidden), Precision>,
            b1: &::named_tensor::private::Tensor<hidden, Precision>,
            W2: &::named_tensor::private::Tensor<(chans, hidden), Precision>,
            b2: &::named_tensor::private::Tensor<chans, Precision>,
        ) -> ::named_tensor::private::Tensor<chans, Precision> {
            ::named_tensor::private::result::<
                chans,
                _,
                _,
            >(
                ::named_tensor::private::add(
                    &::named_tensor::private::dot(
                        &::named_tensor::private::relu(
                            &::named_tensor::private::add(
                                &::named_tensor::private::dot(X, chans, W1),
                                b1,
                            ),
                        ),
                        hidden,
                        W2,
                    ),
                    b2,
                ),
            )
        }
        let mut __lift = ::named_tensor::private::Lift::new("FFN");
        let X = ::named_tensor::private::Lift::enter::<_, chans, _>(&mut __lift, X);
        let __result = __body::<Precision>(&X, &self.W1, &self.b1, &self.W2, &self.b2);
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
impl FFN<::core::primitive::f32> {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "FFN(X: R[chans]; W1: R[chans, hidden], b1: R[hidden], W2: R[hidden, chans] ~ glorot, b2: R[chans] ~ uniform(-0.1, 0.1)) -> R[chans] {\n    relu(X dot_chans W1 + b1) dot_hidden W2 + b2\n}";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "FFN : ℝ^chans → ℝ^chans\nFFN(X; W₁, b₁, W₂, b₂) = relu(X ⊙_chans W₁ + b₁) ⊙_hidden W₂ + b₂\n    W₁ ∈ ℝ^{chans×hidden}\n    b₁ ∈ ℝ^hidden\n    W₂ ∈ ℝ^{hidden×chans}, at first ∼glorot\n    b₂ ∈ ℝ^chans, at first ∼uniform(−0.1, 0.1)";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  \\operatorname{FFN} &\\colon \\mathbb{R}^{\\name{chans}} \\rightarrow \\mathbb{R}^{\\name{chans}} \\\\\n  \\operatorname{FFN}(X; W_{1}, b_{1}, W_{2}, b_{2}) &= \\operatorname{relu}(X \\ndot{\\name{chans}} W_{1} + b_{1}) \\ndot{\\name{hidden}} W_{2} + b_{2} \\\\\n  W_{1} &\\in \\mathbb{R}^{\\name{chans} \\times \\name{hidden}} \\\\\n  b_{1} &\\in \\mathbb{R}^{\\name{hidden}} \\\\\n  W_{2} &\\in \\mathbb{R}^{\\name{hidden} \\times \\name{chans}} \\text{, at first } \\sim \\operatorname{glorot} \\\\\n  b_{2} &\\in \\mathbb{R}^{\\name{chans}} \\text{, at first } \\sim \\operatorname{uniform}(- 0.1, 0.1)\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>FFN</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>FFN</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>;</mo><msub><mi>W</mi><mn>1</mn></msub><mo>,</mo><msub><mi>b</mi><mn>1</mn></msub><mo>,</mo><msub><mi>W</mi><mn>2</mn></msub><mo>,</mo><msub><mi>b</mi><mn>2</mn></msub><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>relu</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><munder><mo>⊙</mo><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></mrow></munder><msub><mi>W</mi><mn>1</mn></msub><mo>+</mo><msub><mi>b</mi><mn>1</mn></msub><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><munder><mo>⊙</mo><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">hidden</mi></mrow></munder><msub><mi>W</mi><mn>2</mn></msub><mo>+</mo><msub><mi>b</mi><mn>2</mn></msub></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><msub><mi>W</mi><mn>1</mn></msub></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">hidden</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><msub><mi>b</mi><mn>1</mn></msub></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">hidden</mi></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><msub><mi>W</mi><mn>2</mn></msub></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">hidden</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></mrow></msup><mtext>,&#160;at&#160;first&#160;</mtext><mo form=\"prefix\">∼</mo><mi>glorot</mi></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><msub><mi>b</mi><mn>2</mn></msub></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup><mtext>,&#160;at&#160;first&#160;</mtext><mo form=\"prefix\">∼</mo><mi>uniform</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mo form=\"prefix\">−</mo><mn>0.1</mn><mo>,</mo><mn>0.1</mn><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr></mtable></math>";
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
> ::named_tensor::private::Parameters<Precision> for FFN<Precision> {
    type Axes = ::named_tensor::private::Union<
        (chans, hidden),
        ::named_tensor::private::Union<
            hidden,
            ::named_tensor::private::Union<
                (chans, hidden),
                ::named_tensor::private::Union<chans, ()>,
            >,
        >,
    >;
    type Of<Other: ::named_tensor::private::Real> = FFN<Other>;
    fn visit(
        &self,
        __path: &mut ::named_tensor::private::Path,
        __visitor: &mut dyn ::core::ops::FnMut(
            ::named_tensor::private::Parameter<'_, Precision>,
        ),
    ) {
        ::named_tensor::private::visit_tensor(__path, "W1", &self.W1, __visitor);
        ::named_tensor::private::visit_tensor(__path, "b1", &self.b1, __visitor);
        ::named_tensor::private::visit_tensor(__path, "W2", &self.W2, __visitor);
        ::named_tensor::private::visit_tensor(__path, "b2", &self.b2, __visitor);
    }
    fn visit_mut(
        &mut self,
        __path: &mut ::named_tensor::private::Path,
        __visitor: &mut dyn ::core::ops::FnMut(
            ::named_tensor::private::ParameterMut<'_, Precision>,
        ),
    ) {
        ::named_tensor::private::visit_tensor_mut(__path, "W1", &mut self.W1, __visitor);
        ::named_tensor::private::visit_tensor_mut(__path, "b1", &mut self.b1, __visitor);
        ::named_tensor::private::visit_tensor_mut(__path, "W2", &mut self.W2, __visitor);
        ::named_tensor::private::visit_tensor_mut(__path, "b2", &mut self.b2, __visitor);
    }
    fn init_from(
        __init: &mut ::named_tensor::private::Init<'_>,
    ) -> ::named_tensor::private::Result<Self> {
        ::core::result::Result::Ok(FFN {
            W1: ::named_tensor::private::Init::tensor(
                __init,
                "W1",
                &::named_tensor::private::Draw::Normal {
                    mean: 0f64,
                    deviation: (1f64
                        / ::named_tensor::private::sqrt(
                            (::named_tensor::private::Init::size(__init, "chans")?
                                as ::core::primitive::f64),
                        )),
                },
            )?,
            b1: ::named_tensor::private::Init::tensor(
                __init,
                "b1",
                &::named_tensor::private::Draw::Constant(0f64),
            )?,
            W2: ::named_tensor::private::Init::tensor(
                __init,
                "W2",
                &::named_tensor::private::Draw::Glorot {
                    incoming: (::named_tensor::private::Init::size(__init, "hidden")?
                        as ::core::primitive::f64),
                    outgoing: (::named_tensor::private::Init::size(__init, "chans")?
                        as ::core::primitive::f64),
                },
            )?,
            b2: ::named_tensor::private::Init::tensor(
                __init,
                "b2",
                &::named_tensor::private::Draw::Uniform {
                    low: (-0.1f64),
                    high: 0.1f64,
                },
            )?,
        })
    }
    fn cast<Other: ::named_tensor::private::Real>(&self) -> FFN<Other> {
        FFN {
            W1: ::named_tensor::private::Tensor::cast(&self.W1),
            b1: ::named_tensor::private::Tensor::cast(&self.b1),
            W2: ::named_tensor::private::Tensor::cast(&self.W2),
            b2: ::named_tensor::private::Tensor::cast(&self.b2),
        }
    }
}
