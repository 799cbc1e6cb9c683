// named! {
//     fn f(A: R[height, width], I: height[seq]) -> R[seq] {
//         B = A_{height -> width, width -> height};
//         C = B_{(height, width) -> layer}_{layer -> (rows: 2, cols)};
//         D = C_{rows(1), cols(2..|width|)};
//         E = (A_{height(I)})_{width(0)};
//         E * sum_cols(D) + A_{height(I), width(|width| - 1)}
//     }
// }

///`f` of the notation.
///
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>f</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">height</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">width</mi></mrow></msup><mo>×</mo><msup><mrow><mo form=\"prefix\" stretchy=\"false\">&#91;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">height</mi><mo form=\"postfix\" stretchy=\"false\">&#93;</mo></mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>B</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><msub><mi>A</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">height</mi><mo stretchy=\"false\">→</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">width</mi><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">width</mi><mo stretchy=\"false\">→</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">height</mi></mrow></msub></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>C</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><msub><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><msub><mi>B</mi><mrow><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">height</mi><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">width</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo stretchy=\"false\">→</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">layer</mi></mrow></msub><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">layer</mi><mo stretchy=\"false\">→</mo><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">rows</mi><mrow><mo form=\"prefix\" stretchy=\"false\">&#91;</mo><mn>2</mn><mo form=\"postfix\" stretchy=\"false\">&#93;</mo></mrow><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">cols</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>D</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><msub><mi>C</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">rows</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mn>1</mn><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">cols</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mn>2</mn><mo lspace=\"0\" rspace=\"0\">..</mo><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">width</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>E</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><msub><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><msub><mi>A</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">height</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>I</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">width</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mn>0</mn><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>f</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>A</mi><mo>,</mo><mi>I</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>E</mi><mo>⊙</mo><mrow><mo form=\"prefix\">(</mo><munder><mo form=\"prefix\">∑</mo><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">cols</mi></mrow></munder><mi>D</mi><mo form=\"postfix\">)</mo></mrow><mo>+</mo><msub><mi>A</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">height</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>I</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">width</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">width</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow><mo>−</mo><mn>1</mn><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub></mtd></mtr></mtable></math></div>\n"
)]
///
/**```text
f(A: R[height, width], I: height[seq]) -> R[seq] {
    B = A_{height -> width, width -> height};
    C = B_{(height, width) -> layer}_{layer -> (rows: 2, cols)};
    D = C_{rows(1), cols(2..|width|)};
    E = (A_{height(I)})_{width(0)};
    E * sum_cols(D) + A_{height(I), width(|width| - 1)}
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
fn f<
    Precision: ::named_tensor::private::Real,
    A0: ::named_tensor::private::Axes,
    A1: ::named_tensor::private::Axes,
>(
    A: &::named_tensor::private::Tensor<A0, Precision>,
    I: &::named_tensor::private::Tensor<A1, ::named_tensor::private::Index<height>>,
) -> ::named_tensor::private::Tensor<
    ::named_tensor::private::Lifted<(A0, A1), fn((height, width), seq) -> seq>,
    Precision,
>
where
    A0: ::named_tensor::private::Has<(height, width)>
        + ::named_tensor::private::Avoids<(height, width), seq>,
    A1: ::named_tensor::private::Has<seq> + ::named_tensor::private::Avoids<seq, seq>,
{
    fn __body<Precision: ::named_tensor::private::Real>(
        A: &::named_tensor::private::Tensor<(height, width), Precision>,
        I: &::named_tensor::private::Tensor<seq, ::named_tensor::private::Index<height>>,
    ) -> ::named_tensor::private::Tensor<seq, Precision> {
        let B = ::named_tensor::private::rename(A, (height, width), (width, height));
        let C = ::named_tensor::private::split(
            &::named_tensor::private::flatten(&B, (height, width), layer),
            layer,
            (::named_tensor::private::part(rows, 2usize), cols),
        );
        let D = ::named_tensor::private::slice(
            &::named_tensor::private::at(&C, rows, 1usize),
            cols,
            (2usize)..(::named_tensor::private::size(A, width)),
        );
        let E = ::named_tensor::private::at(
            &::named_tensor::private::index(height, A, I),
            width,
            0usize,
        );
        ::named_tensor::private::result::<
            seq,
            _,
            _,
        >(
            ::named_tensor::private::add(
                &::named_tensor::private::mul(
                    &E,
                    &::named_tensor::private::sum(cols, &D),
                ),
                &::named_tensor::private::at(
                    &::named_tensor::private::index(height, A, I),
                    width,
                    match ::named_tensor::private::whole(
                        "`|width| - 1`",
                        ((::named_tensor::private::size(A, width)
                            as ::core::primitive::f64) - 1f64),
                    ) {
                        ::core::result::Result::Ok(__whole) => __whole,
                        ::core::result::Result::Err(__whole) => {
                            return ::named_tensor::private::failed(__whole);
                        }
                    },
                ),
            ),
        )
    }
    let mut __lift = ::named_tensor::private::Lift::new("f");
    let A = ::named_tensor::private::Lift::enter::<
        _,
        (height, width),
        _,
    >(&mut __lift, A);
    let I = ::named_tensor::private::Lift::enter::<_, seq, _>(&mut __lift, I);
    let __result = __body::<Precision>(&A, &I);
    ::named_tensor::private::Lift::exit(&__lift, __result)
}
///What is known of the function `f`.
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
struct f {}
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
impl f {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "f(A: R[height, width], I: height[seq]) -> R[seq] {\n    B = A_{height -> width, width -> height};\n    C = B_{(height, width) -> layer}_{layer -> (rows: 2, cols)};\n    D = C_{rows(1), cols(2..|width|)};\n    E = (A_{height(I)})_{width(0)};\n    E * sum_cols(D) + A_{height(I), width(|width| - 1)}\n}";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "f : ℝ^{height×width} × [height]^seq → ℝ^seq\nB = A_{height→width, width→height}\nC = (B_{(height, width)→layer})_{layer→(rows[2], cols)}\nD = C_{rows(1), cols(2..|width|)}\nE = (A_{height(I)})_{width(0)}\nf(A, I) = E ⊙ (Σ_cols D) + A_{height(I), width(|width|−1)}";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  f &\\colon \\mathbb{R}^{\\name{height} \\times \\name{width}} \\times [\\name{height}]^{\\name{seq}} \\rightarrow \\mathbb{R}^{\\name{seq}} \\\\\n  B &= A_{\\name{height} \\rightarrow \\name{width}, \\name{width} \\rightarrow \\name{height}} \\\\\n  C &= (B_{(\\name{height}, \\name{width}) \\rightarrow \\name{layer}})_{\\name{layer} \\rightarrow (\\name{rows}[2], \\name{cols})} \\\\\n  D &= C_{\\name{rows}(1), \\name{cols}(2 \\mathbin{..} |\\name{width}|)} \\\\\n  E &= (A_{\\name{height}(I)})_{\\name{width}(0)} \\\\\n  f(A, I) &= E \\odot \\left( \\nsum{\\name{cols}} D \\right) + A_{\\name{height}(I), \\name{width}(|\\name{width}| - 1)}\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>f</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">height</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">width</mi></mrow></msup><mo>×</mo><msup><mrow><mo form=\"prefix\" stretchy=\"false\">&#91;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">height</mi><mo form=\"postfix\" stretchy=\"false\">&#93;</mo></mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>B</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><msub><mi>A</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">height</mi><mo stretchy=\"false\">→</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">width</mi><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">width</mi><mo stretchy=\"false\">→</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">height</mi></mrow></msub></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>C</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><msub><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><msub><mi>B</mi><mrow><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">height</mi><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">width</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo stretchy=\"false\">→</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">layer</mi></mrow></msub><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">layer</mi><mo stretchy=\"false\">→</mo><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">rows</mi><mrow><mo form=\"prefix\" stretchy=\"false\">&#91;</mo><mn>2</mn><mo form=\"postfix\" stretchy=\"false\">&#93;</mo></mrow><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">cols</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>D</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><msub><mi>C</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">rows</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mn>1</mn><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">cols</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mn>2</mn><mo lspace=\"0\" rspace=\"0\">..</mo><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">width</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>E</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><msub><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><msub><mi>A</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">height</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>I</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">width</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mn>0</mn><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>f</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>A</mi><mo>,</mo><mi>I</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>E</mi><mo>⊙</mo><mrow><mo form=\"prefix\">(</mo><munder><mo form=\"prefix\">∑</mo><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">cols</mi></mrow></munder><mi>D</mi><mo form=\"postfix\">)</mo></mrow><mo>+</mo><msub><mi>A</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">height</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>I</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">width</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">width</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow><mo>−</mo><mn>1</mn><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub></mtd></mtr></mtable></math>";
    /// The function as an einsum string, operands as in its signature, if it is a sum of products.
    pub const EINSUM: ::core::option::Option<&'static ::core::primitive::str> = ::core::option::Option::None;
}
