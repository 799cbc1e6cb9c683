// named! {
//     fn embed(I: vocab[seq]; E: R[vocab, emb]) -> R[seq, emb] {
//         index_vocab(E, I)
//     }
//
//     fn differ(I: vocab[seq], J: vocab[seq]) -> B[seq] {
//         I != J
//     }
//
//     fn hot(I: vocab[seq]) -> R[seq, vocab] {
//         one_hot_vocab(I, 12)
//     }
// }

///`embed` of the notation.
///
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>embed</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mrow><mo form=\"prefix\" stretchy=\"false\">&#91;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">vocab</mi><mo form=\"postfix\" stretchy=\"false\">&#93;</mo></mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">emb</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>embed</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>I</mi><mo>;</mo><mi>E</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><munder><mpadded depth=\"0.2em\"><mi>index</mi></mpadded><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">vocab</mi></mrow></munder><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>E</mi><mo>,</mo><mi>I</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr></mtable></math></div>\n\nwhere\n\n- <math style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mi>E</mi><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">vocab</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">emb</mi></mrow></msup></math>\n"
)]
///
/**```text
embed(I: vocab[seq]; E: R[vocab, emb]) -> R[seq, emb] {
    index_vocab(E, I)
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
struct embed<Precision: ::named_tensor::private::Real = ::core::primitive::f32> {
    ///`E : R[vocab, emb]`
    pub E: ::named_tensor::private::Tensor<(emb, vocab), Precision>,
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
impl<Precision: ::named_tensor::private::Real> embed<Precision> {
    ///Applies `embed` to its arguments.
    #[track_caller]
    pub fn apply<A0: ::named_tensor::private::Axes>(
        &self,
        I: &::named_tensor::private::Tensor<A0, ::named_tensor::private::Index<vocab>>,
    ) -> ::named_tensor::private::Tensor<
        ::named_tensor::private::Lifted<(A0,), fn(seq) -> (emb, seq)>,
        Precision,
    >
    where
        A0: ::named_tensor::private::Has<seq>
            + ::named_tensor::private::Avoids<seq, (emb, seq)>,
    {
        fn __body<Precision: ::named_tensor::private::Real>(
            I: &::named_tensor::private::Tensor<
                seq,
                ::named_tensor::private::Index<vocab>,
            >,
            E: &::named_tensor::private::Tensor<(emb, vocab), Precision>,
        ) -> ::named_tensor::private::Tensor<(emb, seq), Precision> {
            ::named_tensor::private::result::<
                (emb, seq),
                _,
                _,
            >(::named_tensor::private::index(vocab, E, I))
        }
        let mut __lift = ::named_tensor::private::Lift::new("embed");
        let I = ::named_tensor::private::Lift::enter::<_, seq, _>(&mut __lift, I);
        let __result = __body::<Precision>(&I, &self.E);
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
impl embed<::core::primitive::f32> {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "embed(I: vocab[seq]; E: R[vocab, emb]) -> R[seq, emb] {\n    index_vocab(E, I)\n}";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "embed : [vocab]^seq → ℝ^{seq×emb}\nembed(I; E) = index_vocab (E, I)\n    E ∈ ℝ^{vocab×emb}";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  \\operatorname{embed} &\\colon [\\name{vocab}]^{\\name{seq}} \\rightarrow \\mathbb{R}^{\\name{seq} \\times \\name{emb}} \\\\\n  \\operatorname{embed}(I; E) &= \\nfun{\\name{vocab}}{index} (E, I) \\\\\n  E &\\in \\mathbb{R}^{\\name{vocab} \\times \\name{emb}}\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>embed</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mrow><mo form=\"prefix\" stretchy=\"false\">&#91;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">vocab</mi><mo form=\"postfix\" stretchy=\"false\">&#93;</mo></mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">emb</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>embed</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>I</mi><mo>;</mo><mi>E</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><munder><mpadded depth=\"0.2em\"><mi>index</mi></mpadded><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">vocab</mi></mrow></munder><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>E</mi><mo>,</mo><mi>I</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>E</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">vocab</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">emb</mi></mrow></msup></mtd></mtr></mtable></math>";
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
> ::named_tensor::private::Parameters<Precision> for embed<Precision> {
    type Axes = ::named_tensor::private::Union<(emb, vocab), ()>;
    type Of<Other: ::named_tensor::private::Real> = embed<Other>;
    fn visit(
        &self,
        __path: &mut ::named_tensor::private::Path,
        __visitor: &mut dyn ::core::ops::FnMut(
            ::named_tensor::private::Parameter<'_, Precision>,
        ),
    ) {
        ::named_tensor::private::visit_tensor(__path, "E", &self.E, __visitor);
    }
    fn visit_mut(
        &mut self,
        __path: &mut ::named_tensor::private::Path,
        __visitor: &mut dyn ::core::ops::FnMut(
            ::named_tensor::private::ParameterMut<'_, Precision>,
        ),
    ) {
        ::named_tensor::private::visit_tensor_mut(__path, "E", &mut self.E, __visitor);
    }
    fn init_from(
        __init: &mut ::named_tensor::private::Init<'_>,
    ) -> ::named_tensor::private::Result<Self> {
        ::core::result::Result::Ok(embed {
            E: ::named_tensor::private::Init::tensor(
                __init,
                "E",
                &::named_tensor::private::Draw::Normal {
                    mean: 0f64,
                    deviation: 1f64,
                },
            )?,
        })
    }
    fn cast<Other: ::named_tensor::private::Real>(&self) -> embed<Other> {
        embed {
            E: ::named_tensor::private::Tensor::cast(&self.E),
        }
    }
}
///`differ` of the notation.
///
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>differ</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mrow><mo form=\"prefix\" stretchy=\"false\">&#91;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">vocab</mi><mo form=\"postfix\" stretchy=\"false\">&#93;</mo></mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></msup><mo>×</mo><msup><mrow><mo form=\"prefix\" stretchy=\"false\">&#91;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">vocab</mi><mo form=\"postfix\" stretchy=\"false\">&#93;</mo></mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>𝔹</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>differ</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>I</mi><mo>,</mo><mi>J</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>I</mi><mo>≠</mo><mi>J</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr></mtable></math></div>\n"
)]
///
/**```text
differ(I: vocab[seq], J: vocab[seq]) -> B[seq] {
    I != J
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
fn differ<A0: ::named_tensor::private::Axes, A1: ::named_tensor::private::Axes>(
    I: &::named_tensor::private::Tensor<A0, ::named_tensor::private::Index<vocab>>,
    J: &::named_tensor::private::Tensor<A1, ::named_tensor::private::Index<vocab>>,
) -> ::named_tensor::private::Tensor<
    ::named_tensor::private::Lifted<(A0, A1), fn(seq, seq) -> seq>,
    ::core::primitive::bool,
>
where
    A0: ::named_tensor::private::Has<seq> + ::named_tensor::private::Avoids<seq, seq>,
    A1: ::named_tensor::private::Has<seq> + ::named_tensor::private::Avoids<seq, seq>,
{
    fn __body<Precision: ::named_tensor::private::Real>(
        I: &::named_tensor::private::Tensor<seq, ::named_tensor::private::Index<vocab>>,
        J: &::named_tensor::private::Tensor<seq, ::named_tensor::private::Index<vocab>>,
    ) -> ::named_tensor::private::Tensor<seq, ::core::primitive::bool> {
        ::named_tensor::private::result::<
            seq,
            _,
            _,
        >(
            ::named_tensor::private::compare(
                ::named_tensor::private::Comparison::Ne,
                &::named_tensor::private::exact(I),
                &::named_tensor::private::exact(J),
            ),
        )
    }
    let mut __lift = ::named_tensor::private::Lift::new("differ");
    let I = ::named_tensor::private::Lift::enter::<_, seq, _>(&mut __lift, I);
    let J = ::named_tensor::private::Lift::enter::<_, seq, _>(&mut __lift, J);
    let __result = __body::<::core::primitive::f32>(&I, &J);
    ::named_tensor::private::Lift::exit(&__lift, __result)
}
///What is known of the function `differ`.
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
struct differ {}
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
impl differ {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "differ(I: vocab[seq], J: vocab[seq]) -> B[seq] {\n    I != J\n}";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "differ : [vocab]^seq × [vocab]^seq → 𝔹^seq\ndiffer(I, J) = (I ≠ J)";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  \\operatorname{differ} &\\colon [\\name{vocab}]^{\\name{seq}} \\times [\\name{vocab}]^{\\name{seq}} \\rightarrow \\mathbb{B}^{\\name{seq}} \\\\\n  \\operatorname{differ}(I, J) &= (I \\neq J)\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>differ</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mrow><mo form=\"prefix\" stretchy=\"false\">&#91;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">vocab</mi><mo form=\"postfix\" stretchy=\"false\">&#93;</mo></mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></msup><mo>×</mo><msup><mrow><mo form=\"prefix\" stretchy=\"false\">&#91;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">vocab</mi><mo form=\"postfix\" stretchy=\"false\">&#93;</mo></mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>𝔹</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>differ</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>I</mi><mo>,</mo><mi>J</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>I</mi><mo>≠</mo><mi>J</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr></mtable></math>";
    /// The function as an einsum string, operands as in its signature, if it is a sum of products.
    pub const EINSUM: ::core::option::Option<&'static ::core::primitive::str> = ::core::option::Option::None;
}
///`hot` of the notation.
///
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>hot</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mrow><mo form=\"prefix\" stretchy=\"false\">&#91;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">vocab</mi><mo form=\"postfix\" stretchy=\"false\">&#93;</mo></mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">vocab</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>hot</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>I</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><munder><mpadded depth=\"0.2em\"><mi>one-hot</mi></mpadded><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">vocab</mi></mrow></munder><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>I</mi><mo>,</mo><mn>12</mn><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr></mtable></math></div>\n"
)]
///
/**```text
hot(I: vocab[seq]) -> R[seq, vocab] {
    one_hot_vocab(I, 12)
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
fn hot<Precision: ::named_tensor::private::Real, A0: ::named_tensor::private::Axes>(
    I: &::named_tensor::private::Tensor<A0, ::named_tensor::private::Index<vocab>>,
) -> ::named_tensor::private::Tensor<
    ::named_tensor::private::Lifted<(A0,), fn(seq) -> (seq, vocab)>,
    Precision,
>
where
    A0: ::named_tensor::private::Has<seq>
        + ::named_tensor::private::Avoids<seq, (seq, vocab)>,
{
    fn __body<Precision: ::named_tensor::private::Real>(
        I: &::named_tensor::private::Tensor<seq, ::named_tensor::private::Index<vocab>>,
    ) -> ::named_tensor::private::Tensor<(seq, vocab), Precision> {
        ::named_tensor::private::result::<
            (seq, vocab),
            _,
            _,
        >(::named_tensor::private::one_hot::<_, _, Precision>(vocab, I, 12usize))
    }
    let mut __lift = ::named_tensor::private::Lift::new("hot");
    let I = ::named_tensor::private::Lift::enter::<_, seq, _>(&mut __lift, I);
    let __result = __body::<Precision>(&I);
    ::named_tensor::private::Lift::exit(&__lift, __result)
}
///What is known of the function `hot`.
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
struct hot {}
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
impl hot {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "hot(I: vocab[seq]) -> R[seq, vocab] {\n    one_hot_vocab(I, 12)\n}";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "hot : [vocab]^seq → ℝ^{seq×vocab}\nhot(I) = one-hot_vocab (I, 12)";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  \\operatorname{hot} &\\colon [\\name{vocab}]^{\\name{seq}} \\rightarrow \\mathbb{R}^{\\name{seq} \\times \\name{vocab}} \\\\\n  \\operatorname{hot}(I) &= \\nfun{\\name{vocab}}{one-hot} (I, 12)\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>hot</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mrow><mo form=\"prefix\" stretchy=\"false\">&#91;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">vocab</mi><mo form=\"postfix\" stretchy=\"false\">&#93;</mo></mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">vocab</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>hot</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>I</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><munder><mpadded depth=\"0.2em\"><mi>one-hot</mi></mpadded><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">vocab</mi></mrow></munder><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>I</mi><mo>,</mo><mn>12</mn><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd></mtr></mtable></math>";
    /// The function as an einsum string, operands as in its signature, if it is a sum of products.
    pub const EINSUM: ::core::option::Option<&'static ::core::primitive::str> = ::core::option::Option::None;
}
