// named! {
//     fn f(X: R[chans], V: R[val]; W: R[chans, heads, key]) -> R[heads, key] where |val| = |chans|, |heads| * |key| <= |chans| {
//         X dot_chans W * sum_val(V)
//     }
// }

///`f` of the notation.
///
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>f</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup><mo>×</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">val</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">heads</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>f</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>,</mo><mi>V</mi><mo>;</mo><mi>W</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>X</mi><munder><mo>⊙</mo><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></mrow></munder><mi>W</mi><mo>⊙</mo><mrow><mo form=\"prefix\">(</mo><munder><mo form=\"prefix\">∑</mo><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">val</mi></mrow></munder><mi>V</mi><mo form=\"postfix\">)</mo></mrow></mtd></mtr></mtable></math></div>\n\nwhere\n\n- <math style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mi>W</mi><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">heads</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></mrow></msup></math>\n- <math style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">val</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow><mo form=\"infix\">=</mo><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow></math>\n- <math style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">heads</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow><mo>·</mo><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow><mo form=\"infix\">≤</mo><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow></math>\n"
)]
///
/**```text
f(X: R[chans], V: R[val]; W: R[chans, heads, key]) -> R[heads, key] where |val| = |chans|, |heads| * |key| <= |chans| {
    X dot_chans W * sum_val(V)
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
    ///`W : R[chans, heads, key]`
    pub W: ::named_tensor::private::Tensor<(chans, heads, key), Precision>,
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
        V: &::named_tensor::private::Tensor<A1, Precision>,
    ) -> ::named_tensor::private::Tensor<
        ::named_tensor::private::Lifted<(A0, A1), fn(chans, val) -> (heads, key)>,
        Precision,
    >
    where
        A0: ::named_tensor::private::Has<chans>
            + ::named_tensor::private::Avoids<chans, (heads, key)>,
        A1: ::named_tensor::private::Has<val>
            + ::named_tensor::private::Avoids<val, (heads, key)>,
    {
        fn __body<Precision: ::named_tensor::private::Real>(
            X: &::named_tensor::private::Tensor<chans, Precision>,
            V: &::named_tensor::private::Tensor<val, Precision>,
            W: &::named_tensor::private::Tensor<(chans, heads, key), Precision>,
        ) -> ::named_tensor::private::Tensor<(heads, key), Precision> {
            if let ::core::result::Result::Err(__error) = ::named_tensor::private::agreed(
                "chans",
                &[
                    ("X", ::named_tensor::private::known_size(X, chans)),
                    ("W", ::named_tensor::private::known_size(W, chans)),
                ],
            ) {
                return ::named_tensor::private::failed(__error);
            }
            if let ::core::result::Result::Err(__error) = ::named_tensor::private::condition(
                "|val| = |chans|",
                &[
                    ("val", ::named_tensor::private::size(V, val)),
                    ("chans", ::named_tensor::private::size(X, chans)),
                ],
                ((::named_tensor::private::size(V, val) as ::core::primitive::f64)
                    == (::named_tensor::private::size(X, chans)
                        as ::core::primitive::f64)),
            ) {
                return ::named_tensor::private::failed(__error);
            }
            if let ::core::result::Result::Err(__error) = ::named_tensor::private::condition(
                "|heads| * |key| <= |chans|",
                &[
                    ("heads", ::named_tensor::private::size(W, heads)),
                    ("key", ::named_tensor::private::size(W, key)),
                    ("chans", ::named_tensor::private::size(X, chans)),
                ],
                (((::named_tensor::private::size(W, heads) as ::core::primitive::f64)
                    * (::named_tensor::private::size(W, key) as ::core::primitive::f64))
                    <= (::named_tensor::private::size(X, chans)
                        as ::core::primitive::f64)),
            ) {
                return ::named_tensor::private::failed(__error);
            }
            ::named_tensor::private::result::<
                (heads, key),
                _,
                _,
            >(
                ::named_tensor::private::mul(
                    &::named_tensor::private::dot(X, chans, W),
                    &::named_tensor::private::sum(val, V),
                ),
            )
        }
        let mut __lift = ::named_tensor::private::Lift::new("f");
        let X = ::named_tensor::private::Lift::enter::<_, chans, _>(&mut __lift, X);
        let V = ::named_tensor::private::Lift::enter::<_, val, _>(&mut __lift, V);
        let __result = __body::<Precision>(&X, &V, &self.W);
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
impl f<::core::primitive::f32> {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "f(X: R[chans], V: R[val]; W: R[chans, heads, key]) -> R[heads, key] where |val| = |chans|, |heads| * |key| <= |chans| {\n    X dot_chans W * sum_val(V)\n}";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "f : ℝ^chans × ℝ^val → ℝ^{heads×key}\nf(X, V; W) = X ⊙_chans W ⊙ (Σ_val V)\n    W ∈ ℝ^{chans×heads×key}\n    |val| = |chans|\n    |heads| · |key| ≤ |chans|";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  f &\\colon \\mathbb{R}^{\\name{chans}} \\times \\mathbb{R}^{\\name{val}} \\rightarrow \\mathbb{R}^{\\name{heads} \\times \\name{key}} \\\\\n  f(X, V; W) &= X \\ndot{\\name{chans}} W \\odot \\left( \\nsum{\\name{val}} V \\right) \\\\\n  W &\\in \\mathbb{R}^{\\name{chans} \\times \\name{heads} \\times \\name{key}} \\\\\n  |\\name{val}| &= |\\name{chans}| \\\\\n  |\\name{heads}| \\cdot |\\name{key}| &\\leq |\\name{chans}|\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>f</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></msup><mo>×</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">val</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">heads</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>f</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo>,</mo><mi>V</mi><mo>;</mo><mi>W</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>X</mi><munder><mo>⊙</mo><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></mrow></munder><mi>W</mi><mo>⊙</mo><mrow><mo form=\"prefix\">(</mo><munder><mo form=\"prefix\">∑</mo><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">val</mi></mrow></munder><mi>V</mi><mo form=\"postfix\">)</mo></mrow></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>W</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">∈</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">heads</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">val</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">heads</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow><mo>·</mo><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">≤</mo><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow></mtd></mtr></mtable></math>";
    /// The function as an einsum string, operands as in its signature, if it is a sum of products.
    pub const EINSUM: ::core::option::Option<&'static ::core::primitive::str> = ::core::option::Option::Some(
        "c,v,chk->hk",
    );
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
    type Axes = ::named_tensor::private::Union<(chans, heads, key), ()>;
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
        })
    }
    fn cast<Other: ::named_tensor::private::Real>(&self) -> f<Other> {
        f {
            W: ::named_tensor::private::Tensor::cast(&self.W),
        }
    }
}
