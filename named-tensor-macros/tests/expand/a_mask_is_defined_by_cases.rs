// named! {
//     fn Causal(S: R[seq, seq_]) -> R[seq, seq_] {
//         M_{seq(i), seq_(j)} = if i <= j { 0 } else { -inf };
//         S + M
//     }
//
//     fn window(X: R[seq]) -> B[seq, seq_] {
//         N_{seq(i), seq_(j: 7)} = i <= j + 1 && !(j > i + 3);
//         N
//     }
// }

///`Causal` of the notation.
///
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Causal</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq′</mi></mrow></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq′</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><msub><mi>M</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>i</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq′</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>j</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mrow><mo>{</mo><mtable><mtr><mtd style=\"text-align:left\"><mn>0</mn></mtd><mtd style=\"text-align:left\"><mtext>if&#160;</mtext><mi>i</mi><mo>≤</mo><mi>j</mi></mtd></mtr><mtr><mtd style=\"text-align:left\"><mo form=\"prefix\">−</mo><mi>∞</mi></mtd><mtd style=\"text-align:left\"><mtext>otherwise</mtext></mtd></mtr></mtable></mrow></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Causal</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>S</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>S</mi><mo>+</mo><mi>M</mi></mtd></mtr></mtable></math></div>\n"
)]
///
/**```text
Causal(S: R[seq, seq_]) -> R[seq, seq_] {
    M_{seq(i), seq_(j)} = if i <= j { 0 } else { -inf };
    S + M
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
fn Causal<Precision: ::named_tensor::private::Real, A0: ::named_tensor::private::Axes>(
    S: &::named_tensor::private::Tensor<A0, Precision>,
) -> ::named_tensor::private::Tensor<
    ::named_tensor::private::Lifted<(A0,), fn((seq, seq_)) -> (seq, seq_)>,
    Precision,
>
where
    A0: ::named_tensor::private::Has<(seq, seq_)>
        + ::named_tensor::private::Avoids<(seq, seq_), (seq, seq_)>,
{
    fn __body<Precision: ::named_tensor::private::Real>(
        S: &::named_tensor::private::Tensor<(seq, seq_), Precision>,
    ) -> ::named_tensor::private::Tensor<(seq, seq_), Precision> {
        let M = {
            let i = ::named_tensor::private::positions(
                seq,
                ::named_tensor::private::size(S, seq),
            );
            let j = ::named_tensor::private::positions(
                seq_,
                ::named_tensor::private::size(S, seq_),
            );
            ::named_tensor::private::ascribed::<
                (seq, seq_),
                _,
                _,
            >(
                ::named_tensor::private::select(
                    &::named_tensor::private::compare(
                        ::named_tensor::private::Comparison::Le,
                        &::named_tensor::private::exact(&i),
                        &::named_tensor::private::exact(&j),
                    ),
                    &::named_tensor::private::scalar::<Precision>(0f64),
                    &::named_tensor::private::scalar::<
                        Precision,
                    >((-::core::primitive::f64::INFINITY)),
                ),
            )
        };
        ::named_tensor::private::result::<
            (seq, seq_),
            _,
            _,
        >(::named_tensor::private::add(S, &M))
    }
    let mut __lift = ::named_tensor::private::Lift::new("Causal");
    let S = ::named_tensor::private::Lift::enter::<_, (seq, seq_), _>(&mut __lift, S);
    let __result = __body::<Precision>(&S);
    ::named_tensor::private::Lift::exit(&__lift, __result)
}
///What is known of the function `Causal`.
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
struct Causal {}
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
impl Causal {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "Causal(S: R[seq, seq_]) -> R[seq, seq_] {\n    M_{seq(i), seq_(j)} = if i <= j { 0 } else { -inf };\n    S + M\n}";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "Causal : ℝ^{seq×seq′} → ℝ^{seq×seq′}\nM_{seq(i), seq′(j)} = { 0 if i ≤ j; −∞ otherwise }\nCausal(S) = S + M";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  \\operatorname{Causal} &\\colon \\mathbb{R}^{\\name{seq} \\times \\name{seq'}} \\rightarrow \\mathbb{R}^{\\name{seq} \\times \\name{seq'}} \\\\\n  M_{\\name{seq}(i), \\name{seq'}(j)} &= \\begin{cases} 0 & \\text{if } i \\leq j \\\\ - \\infty & \\text{otherwise} \\end{cases} \\\\\n  \\operatorname{Causal}(S) &= S + M\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Causal</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq′</mi></mrow></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq′</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><msub><mi>M</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>i</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq′</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>j</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mrow><mo>{</mo><mtable><mtr><mtd style=\"text-align:left\"><mn>0</mn></mtd><mtd style=\"text-align:left\"><mtext>if&#160;</mtext><mi>i</mi><mo>≤</mo><mi>j</mi></mtd></mtr><mtr><mtd style=\"text-align:left\"><mo form=\"prefix\">−</mo><mi>∞</mi></mtd><mtd style=\"text-align:left\"><mtext>otherwise</mtext></mtd></mtr></mtable></mrow></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>Causal</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>S</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>S</mi><mo>+</mo><mi>M</mi></mtd></mtr></mtable></math>";
    /// The function as an einsum string, operands as in its signature, if it is a sum of products.
    pub const EINSUM: ::core::option::Option<&'static ::core::primitive::str> = ::core::option::Option::None;
}
///`window` of the notation.
///
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>window</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>𝔹</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq′</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><msub><mi>N</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>i</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq′</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>j</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>i</mi><mo>≤</mo><mi>j</mi><mo>+</mo><mn>1</mn><mo>∧</mo><mo form=\"prefix\">¬</mo><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>j</mi><mo>&#62;</mo><mi>i</mi><mo>+</mo><mn>3</mn><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mtext>&#160;for&#160;</mtext><mi>j</mi><mo>&#60;</mo><mn>7</mn></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>window</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>N</mi></mtd></mtr></mtable></math></div>\n"
)]
///
/**```text
window(X: R[seq]) -> B[seq, seq_] {
    N_{seq(i), seq_(j: 7)} = i <= j + 1 && !(j > i + 3);
    N
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
fn window<Precision: ::named_tensor::private::Real, A0: ::named_tensor::private::Axes>(
    X: &::named_tensor::private::Tensor<A0, Precision>,
) -> ::named_tensor::private::Tensor<
    ::named_tensor::private::Lifted<(A0,), fn(seq) -> (seq, seq_)>,
    ::core::primitive::bool,
>
where
    A0: ::named_tensor::private::Has<seq>
        + ::named_tensor::private::Avoids<seq, (seq, seq_)>,
{
    fn __body<Precision: ::named_tensor::private::Real>(
        X: &::named_tensor::private::Tensor<seq, Precision>,
    ) -> ::named_tensor::private::Tensor<(seq, seq_), ::core::primitive::bool> {
        let N = {
            let i = ::named_tensor::private::positions(
                seq,
                ::named_tensor::private::size(X, seq),
            );
            let j = ::named_tensor::private::positions(seq_, 7usize);
            ::named_tensor::private::ascribed::<
                (seq, seq_),
                _,
                _,
            >(
                ::named_tensor::private::and(
                    &::named_tensor::private::compare(
                        ::named_tensor::private::Comparison::Le,
                        &::named_tensor::private::exact(&i),
                        &::named_tensor::private::add(
                            &::named_tensor::private::exact(&j),
                            1f64,
                        ),
                    ),
                    &::named_tensor::private::not(
                        &::named_tensor::private::compare(
                            ::named_tensor::private::Comparison::Gt,
                            &::named_tensor::private::exact(&j),
                            &::named_tensor::private::add(
                                &::named_tensor::private::exact(&i),
                                3f64,
                            ),
                        ),
                    ),
                ),
            )
        };
        ::named_tensor::private::result::<
            (seq, seq_),
            _,
            _,
        >(::core::clone::Clone::clone(&N))
    }
    let mut __lift = ::named_tensor::private::Lift::new("window");
    let X = ::named_tensor::private::Lift::enter::<_, seq, _>(&mut __lift, X);
    let __result = __body::<Precision>(&X);
    ::named_tensor::private::Lift::exit(&__lift, __result)
}
///What is known of the function `window`.
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
struct window {}
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
impl window {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "window(X: R[seq]) -> B[seq, seq_] {\n    N_{seq(i), seq_(j: 7)} = i <= j + 1 && !(j > i + 3);\n    N\n}";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "window : ℝ^seq → 𝔹^{seq×seq′}\nN_{seq(i), seq′(j)} = (i ≤ j + 1 ∧ ¬(j > i + 3)) for j < 7\nwindow(X) = N";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  \\operatorname{window} &\\colon \\mathbb{R}^{\\name{seq}} \\rightarrow \\mathbb{B}^{\\name{seq} \\times \\name{seq'}} \\\\\n  N_{\\name{seq}(i), \\name{seq'}(j)} &= (i \\leq j + 1 \\land \\neg (j > i + 3)) \\text{ for } j < 7 \\\\\n  \\operatorname{window}(X) &= N\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>window</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>𝔹</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq′</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><msub><mi>N</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>i</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq′</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>j</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>i</mi><mo>≤</mo><mi>j</mi><mo>+</mo><mn>1</mn><mo>∧</mo><mo form=\"prefix\">¬</mo><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>j</mi><mo>&#62;</mo><mi>i</mi><mo>+</mo><mn>3</mn><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mtext>&#160;for&#160;</mtext><mi>j</mi><mo>&#60;</mo><mn>7</mn></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>window</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>N</mi></mtd></mtr></mtable></math>";
    /// The function as an einsum string, operands as in its signature, if it is a sum of products.
    pub const EINSUM: ::core::option::Option<&'static ::core::primitive::str> = ::core::option::Option::None;
}
