// named! {
//     /// Attention : R^key x R^{seq x key} x R^{seq x val} -> R^val
//     pub fn Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
//         softmax_seq(Q dot_key K / sqrt(|key|)) dot_seq V
//     }
// }

/// Attention : R^key x R^{seq x key} x R^{seq x val} -> R^val
///
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Attention</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></msup><mo>×</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></mrow></msup><mo>×</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">val</mi></mrow></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">val</mi></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Attention</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>Q</mi><mo>,</mo><mi>K</mi><mo>,</mo><mi>V</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><munder><mpadded depth=\"0.2em\"><mi>softmax</mi></mpadded><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></mrow></munder><mrow><mo form=\"prefix\">(</mo><mfrac><mrow><mi>Q</mi><munder><mo>⊙</mo><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></mrow></munder><mi>K</mi></mrow><msqrt><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow></msqrt></mfrac><mo form=\"postfix\">)</mo></mrow><munder><mo>⊙</mo><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></mrow></munder><mi>V</mi></mtd></mtr></mtable></math></div>\n"
)]
///
/**```text
Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
    softmax_seq(Q dot_key K / sqrt(|key|)) dot_seq V
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
pub fn Attention<
    Precision: ::named_tensor::private::Real,
    A0: ::named_tensor::private::Axes,
    A1: ::named_tensor::private::Axes,
    A2: ::named_tensor::private::Axes,
>(
    Q: &::named_tensor::private::Tensor<A0, Precision>,
    K: &::named_tensor::private::Tensor<A1, Precision>,
    V: &::named_tensor::private::Tensor<A2, Precision>,
) -> ::named_tensor::private::Tensor<
    ::named_tensor::private::Lifted<
        (A0, A1, A2),
        fn(key, (key, seq), (seq, val)) -> val,
    >,
    Precision,
>
where
    A0: ::named_tensor::private::Has<key> + ::named_tensor::private::Avoids<key, val>,
    A1: ::named_tensor::private::Has<(key, seq)>
        + ::named_tensor::private::Avoids<(key, seq), val>,
    A2: ::named_tensor::private::Has<(seq, val)>
        + ::named_tensor::private::Avoids<(seq, val), val>,
{
    fn __body<Precision: ::named_tensor::private::Real>(
        Q: &::named_tensor::private::Tensor<key, Precision>,
        K: &::named_tensor::private::Tensor<(key, seq), Precision>,
        V: &::named_tensor::private::Tensor<(seq, val), Precision>,
    ) -> ::named_tensor::private::Tensor<val, Precision> {
        if let ::core::result::Result::Err(__error) = ::named_tensor::private::agreed(
            "key",
            &[
                ("Q", ::named_tensor::private::known_size(Q, key)),
                ("K", ::named_tensor::private::known_size(K, key)),
            ],
        ) {
            return ::named_tensor::private::failed(__error);
        }
        ::named_tensor::private::result::<
            val,
            _,
            _,
        >(
            ::named_tensor::private::dot(
                &::named_tensor::private::softmax(
                    seq,
                    &::named_tensor::private::div(
                        &::named_tensor::private::dot(Q, key, K),
                        ::named_tensor::private::sqrt(
                            (::named_tensor::private::size(Q, key)
                                as ::core::primitive::f64),
                        ),
                    ),
                ),
                seq,
                V,
            ),
        )
    }
    let mut __lift = ::named_tensor::private::Lift::new("Attention");
    let Q = ::named_tensor::private::Lift::enter::<_, key, _>(&mut __lift, Q);
    let K = ::named_tensor::private::Lift::enter::<_, (key, seq), _>(&mut __lift, K);
    let V = ::named_tensor::private::Lift::enter::<_, (seq, val), _>(&mut __lift, V);
    let __result = __body::<Precision>(&Q, &K, &V);
    ::named_tensor::private::Lift::exit(&__lift, __result)
}
///What is known of the function `Attention`.
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
pub struct Attention {}
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
impl Attention {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {\n    softmax_seq(Q dot_key K / sqrt(|key|)) dot_seq V\n}";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "Attention : ℝ^key × ℝ^{seq×key} × ℝ^{seq×val} → ℝ^val\nAttention(Q, K, V) = softmax_seq (Q ⊙_key K / √|key|) ⊙_seq V";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  \\operatorname{Attention} &\\colon \\mathbb{R}^{\\name{key}} \\times \\mathbb{R}^{\\name{seq} \\times \\name{key}} \\times \\mathbb{R}^{\\name{seq} \\times \\name{val}} \\rightarrow \\mathbb{R}^{\\name{val}} \\\\\n  \\operatorname{Attention}(Q, K, V) &= \\nfun{\\name{seq}}{softmax} \\left( \\frac{Q \\ndot{\\name{key}} K}{\\sqrt{|\\name{key}|}} \\right) \\ndot{\\name{seq}} V\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Attention</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></msup><mo>×</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></mrow></msup><mo>×</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">val</mi></mrow></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">val</mi></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Attention</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>Q</mi><mo>,</mo><mi>K</mi><mo>,</mo><mi>V</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><munder><mpadded depth=\"0.2em\"><mi>softmax</mi></mpadded><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></mrow></munder><mrow><mo form=\"prefix\">(</mo><mfrac><mrow><mi>Q</mi><munder><mo>⊙</mo><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi></mrow></munder><mi>K</mi></mrow><msqrt><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">key</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow></msqrt></mfrac><mo form=\"postfix\">)</mo></mrow><munder><mo>⊙</mo><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></mrow></munder><mi>V</mi></mtd></mtr></mtable></math>";
    /// The function as an einsum string, operands as in its signature, if it is a sum of products.
    pub const EINSUM: ::core::option::Option<&'static ::core::primitive::str> = ::core::option::Option::None;
}
