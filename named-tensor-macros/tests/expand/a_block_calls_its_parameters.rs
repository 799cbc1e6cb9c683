// named! {
//     pub fn Block(X: R[chans, seq]; norm1: LayerNorm, att: SelfAttention, norm2: LayerNorm, ffn: crate::ffn::FFN) -> R[chans, seq] {
//         X1 = norm1(X);
//         X2 = X + att(X1)_{val -> chans};
//         X2 + ffn(norm2(X2))
//     }
// }

///`Block` of the notation.
///
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Block</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></mrow></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><msub><mi>X</mi><mn>1</mn></msub></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><msub><mi>norm</mi><mn>1</mn></msub><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><msub><mi>X</mi><mn>2</mn></msub></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>X</mi><mo>+</mo><msub><mrow><mi>att</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><msub><mi>X</mi><mn>1</mn></msub><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">val</mi><mo stretchy=\"false\">→</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></mrow></msub></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Block</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>;</mo><msub><mi>norm</mi><mn>1</mn></msub><mo>,</mo><mi>att</mi><mo>,</mo><msub><mi>norm</mi><mn>2</mn></msub><mo>,</mo><mi>ffn</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><msub><mi>X</mi><mn>2</mn></msub><mo>+</mo><mi>ffn</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><msub><mi>norm</mi><mn>2</mn></msub><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><msub><mi>X</mi><mn>2</mn></msub><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr></mtable></math></div>\n\nwhere\n\n- <math style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><msub><mi>norm</mi><mn>1</mn></msub><mo form=\"infix\">:</mo><mi>LayerNorm</mi></math>\n- <math style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mi>att</mi><mo form=\"infix\">:</mo><mi>SelfAttention</mi></math>\n- <math style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><msub><mi>norm</mi><mn>2</mn></msub><mo form=\"infix\">:</mo><mi>LayerNorm</mi></math>\n- <math style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mi>ffn</mi><mo form=\"infix\">:</mo><mi>FFN</mi></math>\n"
)]
///
/**```text
Block(X: R[chans, seq]; norm1: LayerNorm, att: SelfAttention, norm2: LayerNorm, ffn: crate::ffn::FFN) -> R[chans, seq] {
    X1 = norm1(X);
    X2 = X + att(X1)_{val -> chans};
    X2 + ffn(norm2(X2))
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
pub struct Block<Precision: ::named_tensor::private::Real = ::core::primitive::f32> {
    ///`norm1 : LayerNorm`
    pub norm1: LayerNorm<Precision>,
    ///`att : SelfAttention`
    pub att: SelfAttention<Precision>,
    ///`norm2 : LayerNorm`
    pub norm2: LayerNorm<Precision>,
    ///`ffn : FFN`
    pub ffn: crate::ffn::FFN<Precision>,
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
impl<Precision: ::named_tensor::private::Real> Block<Precision> {
    ///Applies `Block` to its arguments.
    #[track_caller]
    pub fn apply<A0: ::named_tensor::private::Axes>(
        &self,
        X: &::named_tensor::private::Tensor<A0, Precision>,
    ) -> ::named_tensor::private::Tensor<
        ::named_tensor::private::Lifted<(A0,), fn((chans, seq)) -> (chans, seq)>,
        Precision,
    >
    where
        A0: ::named_tensor::private::Has<(chans, seq)>
            + ::named_tensor::private::Avoids<(chans, seq), (chans, seq)>,
    {
        fn __body<Precision: ::named_tensor::private::Real>(
            X: &::named_tensor::private::Tensor<(chans, seq), Precision>,
            norm1: &LayerNorm<Precision>,
            att: &SelfAttention<Precision>,
            norm2: &LayerNorm<Precision>,
            ffn: &crate::ffn::FFN<Precision>,
        ) -> ::named_tensor::private::Tensor<(chans, seq), Precision> {
            let X1 = norm1.apply(X);
            let X2 = ::named_tensor::private::add(
                X,
                &::named_tensor::private::rename(&att.apply(&X1), val, chans),
            );
            ::named_tensor::private::result::<
                (chans, seq),
                _,
                _,
            >(::named_tensor::private::add(&X2, &ffn.apply(&norm2.apply(&X2))))
        }
        let mut __lift = ::named_tensor::private::Lift::new("Block");
        let X = ::named_tensor::private::Lift::enter::<
            _,
            (chans, seq),
            _,
        >(&mut __lift, X);
        let __result = __body::<
            Precision,
        >(&X, &self.norm1, &self.att, &self.norm2, &self.ffn);
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
impl Block<::core::primitive::f32> {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "Block(X: R[chans, seq]; norm1: LayerNorm, att: SelfAttention, norm2: LayerNorm, ffn: crate::ffn::FFN) -> R[chans, seq] {\n    X1 = norm1(X);\n    X2 = X + att(X1)_{val -> chans};\n    X2 + ffn(norm2(X2))\n}";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "Block : ℝ^{chans×seq} → ℝ^{chans×seq}\nX₁ = norm₁(X)\nX₂ = X + att(X₁)_{val→chans}\nBlock(X; norm₁, att, norm₂, ffn) = X₂ + ffn(norm₂(X₂))\n    norm₁ : LayerNorm\n    att : SelfAttention\n    norm₂ : LayerNorm\n    ffn : FFN";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  \\operatorname{Block} &\\colon \\mathbb{R}^{\\name{chans} \\times \\name{seq}} \\rightarrow \\mathbb{R}^{\\name{chans} \\times \\name{seq}} \\\\\n  X_{1} &= \\operatorname{norm}_{1}(X) \\\\\n  X_{2} &= X + {\\operatorname{att}(X_{1})}_{\\name{val} \\rightarrow \\name{chans}} \\\\\n  \\operatorname{Block}(X; \\operatorname{norm}_{1}, \\operatorname{att}, \\operatorname{norm}_{2}, \\operatorname{ffn}) &= X_{2} + \\operatorname{ffn}(\\operatorname{norm}_{2}(X_{2})) \\\\\n  \\operatorname{norm}_{1} &\\colon \\operatorname{LayerNorm} \\\\\n  \\operatorname{att} &\\colon \\operatorname{SelfAttention} \\\\\n  \\operatorname{norm}_{2} &\\colon \\operatorname{LayerNorm} \\\\\n  \\operatorname{ffn} &\\colon \\operatorname{FFN}\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Block</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></mrow></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><msub><mi>X</mi><mn>1</mn></msub></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><msub><mi>norm</mi><mn>1</mn></msub><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><msub><mi>X</mi><mn>2</mn></msub></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>X</mi><mo>+</mo><msub><mrow><mi>att</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><msub><mi>X</mi><mn>1</mn></msub><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">val</mi><mo stretchy=\"false\">→</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></mrow></msub></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Block</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>;</mo><msub><mi>norm</mi><mn>1</mn></msub><mo>,</mo><mi>att</mi><mo>,</mo><msub><mi>norm</mi><mn>2</mn></msub><mo>,</mo><mi>ffn</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><msub><mi>X</mi><mn>2</mn></msub><mo>+</mo><mi>ffn</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><msub><mi>norm</mi><mn>2</mn></msub><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><msub><mi>X</mi><mn>2</mn></msub><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><msub><mi>norm</mi><mn>1</mn></msub></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><mi>LayerNorm</mi></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>att</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><mi>SelfAttention</mi></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><msub><mi>norm</mi><mn>2</mn></msub></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><mi>LayerNorm</mi></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>ffn</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><mi>FFN</mi></mtd></mtr></mtable></math>";
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
> ::named_tensor::private::Parameters<Precision> for Block<Precision> {
    type Axes = ::named_tensor::private::Union<
        <LayerNorm<Precision> as ::named_tensor::private::Parameters<Precision>>::Axes,
        ::named_tensor::private::Union<
            <SelfAttention<
                Precision,
            > as ::named_tensor::private::Parameters<Precision>>::Axes,
            ::named_tensor::private::Union<
                <LayerNorm<
                    Precision,
                > as ::named_tensor::private::Parameters<Precision>>::Axes,
                ::named_tensor::private::Union<
                    <crate::ffn::FFN<
                        Precision,
                    > as ::named_tensor::private::Parameters<Precision>>::Axes,
                    (),
                >,
            >,
        >,
    >;
    type Of<Other: ::named_tensor::private::Real> = Block<Other>;
    fn visit(
        &self,
        __path: &mut ::named_tensor::private::Path,
        __visitor: &mut dyn ::core::ops::FnMut(
            ::named_tensor::private::Parameter<'_, Precision>,
        ),
    ) {
        ::named_tensor::private::visit_nested(__path, "norm1", &self.norm1, __visitor);
        ::named_tensor::private::visit_nested(__path, "att", &self.att, __visitor);
        ::named_tensor::private::visit_nested(__path, "norm2", &self.norm2, __visitor);
        ::named_tensor::private::visit_nested(__path, "ffn", &self.ffn, __visitor);
    }
    fn visit_mut(
        &mut self,
        __path: &mut ::named_tensor::private::Path,
        __visitor: &mut dyn ::core::ops::FnMut(
            ::named_tensor::private::ParameterMut<'_, Precision>,
        ),
    ) {
        ::named_tensor::private::visit_nested_mut(
            __path,
            "norm1",
            &mut self.norm1,
            __visitor,
        );
        ::named_tensor::private::visit_nested_mut(
            __path,
            "att",
            &mut self.att,
            __visitor,
        );
        ::named_tensor::private::visit_nested_mut(
            __path,
            "norm2",
            &mut self.norm2,
            __visitor,
        );
        ::named_tensor::private::visit_nested_mut(
            __path,
            "ffn",
            &mut self.ffn,
            __visitor,
        );
    }
    fn init_from(
        __init: &mut ::named_tensor::private::Init<'_>,
    ) -> ::named_tensor::private::Result<Self> {
        ::core::result::Result::Ok(Block {
            norm1: ::named_tensor::private::Init::nested(__init, "norm1")?,
            att: ::named_tensor::private::Init::nested(__init, "att")?,
            norm2: ::named_tensor::private::Init::nested(__init, "norm2")?,
            ffn: ::named_tensor::private::Init::nested(__init, "ffn")?,
        })
    }
    fn cast<Other: ::named_tensor::private::Real>(&self) -> Block<Other> {
        Block {
            norm1: ::named_tensor::private::Parameters::cast(&self.norm1),
            att: ::named_tensor::private::Parameters::cast(&self.att),
            norm2: ::named_tensor::private::Parameters::cast(&self.norm2),
            ffn: ::named_tensor::private::Parameters::cast(&self.ffn),
        }
    }
}
