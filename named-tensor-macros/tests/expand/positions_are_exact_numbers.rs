// named! {
//     fn PE(X: R[seq, chans]) -> R[seq, chans] {
//         P_{seq(p), chans(c)} = if c % 2 == 0 { sin(p / 10000 ^ (c / |chans|)) } else { cos(p / 10000 ^ ((c - 1) / |chans|)) };
//         X + P
//     }
//
//     fn windows(X: R[seq]) -> R[seq, kernel] {
//         Y_{seq(i: |seq| - 2), kernel(j: 3)} = X_{seq(i + j)};
//         Y
//     }
// }

///`PE` of the notation.
///
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>PE</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></mrow></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><msub><mi>P</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>p</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>c</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mrow><mo>{</mo><mtable><mtr><mtd style=\"text-align:left\"><mi>sin</mi><mrow><mo form=\"prefix\">(</mo><mfrac><mi>p</mi><msup><mn>10000</mn><mrow><mi>c</mi><mo lspace=\"0\" rspace=\"0\">/</mo><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow></mrow></msup></mfrac><mo form=\"postfix\">)</mo></mrow></mtd><mtd style=\"text-align:left\"><mtext>if&#160;</mtext><mi>c</mi><mo lspace=\"0.22em\" rspace=\"0.22em\">mod</mo><mn>2</mn><mo>=</mo><mn>0</mn></mtd></mtr><mtr><mtd style=\"text-align:left\"><mi>cos</mi><mrow><mo form=\"prefix\">(</mo><mfrac><mi>p</mi><msup><mn>10000</mn><mrow><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>c</mi><mo>−</mo><mn>1</mn><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo lspace=\"0\" rspace=\"0\">/</mo><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow></mrow></msup></mfrac><mo form=\"postfix\">)</mo></mrow></mtd><mtd style=\"text-align:left\"><mtext>otherwise</mtext></mtd></mtr></mtable></mrow></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>PE</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>X</mi><mo>+</mo><mi>P</mi></mtd></mtr></mtable></math></div>\n"
)]
///
/**```text
PE(X: R[seq, chans]) -> R[seq, chans] {
    P_{seq(p), chans(c)} = if c % 2 == 0 { sin(p / 10000 ^ (c / |chans|)) } else { cos(p / 10000 ^ ((c - 1) / |chans|)) };
    X + P
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
fn PE<Precision: ::named_tensor::private::Real, A0: ::named_tensor::private::Axes>(
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
    ) -> ::named_tensor::private::Tensor<(chans, seq), Precision> {
        let P = {
            let p = ::named_tensor::private::positions(
                seq,
                ::named_tensor::private::size(X, seq),
            );
            let c = ::named_tensor::private::positions(
                chans,
                ::named_tensor::private::size(X, chans),
            );
            ::named_tensor::private::ascribed::<
                (chans, seq),
                _,
                _,
            >(
                ::named_tensor::private::cast::<
                    _,
                    Precision,
                >(
                    &::named_tensor::private::select(
                        &::named_tensor::private::compare(
                            ::named_tensor::private::Comparison::Eq,
                            &::named_tensor::private::rem(
                                &::named_tensor::private::exact(&c),
                                2f64,
                            ),
                            &::named_tensor::private::scalar::<
                                ::core::primitive::f64,
                            >(0f64),
                        ),
                        &::named_tensor::private::sin(
                            &::named_tensor::private::div(
                                &::named_tensor::private::exact(&p),
                                &::named_tensor::private::pow(
                                    10000f64,
                                    &::named_tensor::private::div(
                                        &::named_tensor::private::exact(&c),
                                        (::named_tensor::private::size(X, chans)
                                            as ::core::primitive::f64),
                                    ),
                                ),
                            ),
                        ),
                        &::named_tensor::private::cos(
                            &::named_tensor::private::div(
                                &::named_tensor::private::exact(&p),
                                &::named_tensor::private::pow(
                                    10000f64,
                                    &::named_tensor::private::div(
                                        &::named_tensor::private::sub(
                                            &::named_tensor::private::exact(&c),
                                            1f64,
                                        ),
                                        (::named_tensor::private::size(X, chans)
                                            as ::core::primitive::f64),
                                    ),
                                ),
                            ),
                        ),
                    ),
                ),
            )
        };
        ::named_tensor::private::result::<
            (chans, seq),
            _,
            _,
        >(::named_tensor::private::add(X, &P))
    }
    let mut __lift = ::named_tensor::private::Lift::new("PE");
    let X = ::named_tensor::private::Lift::enter::<_, (chans, seq), _>(&mut __lift, X);
    let __result = __body::<Precision>(&X);
    ::named_tensor::private::Lift::exit(&__lift, __result)
}
///What is known of the function `PE`.
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
struct PE {}
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
impl PE {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "PE(X: R[seq, chans]) -> R[seq, chans] {\n    P_{seq(p), chans(c)} = if c % 2 == 0 { sin(p / 10000 ^ (c / |chans|)) } else { cos(p / 10000 ^ ((c - 1) / |chans|)) };\n    X + P\n}";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "PE : ℝ^{seq×chans} → ℝ^{seq×chans}\nP_{seq(p), chans(c)} = { sin(p / 10000^{c/|chans|}) if c mod 2 = 0; cos(p / 10000^{(c−1)/|chans|}) otherwise }\nPE(X) = X + P";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  \\operatorname{PE} &\\colon \\mathbb{R}^{\\name{seq} \\times \\name{chans}} \\rightarrow \\mathbb{R}^{\\name{seq} \\times \\name{chans}} \\\\\n  P_{\\name{seq}(p), \\name{chans}(c)} &= \\begin{cases} \\operatorname{sin}\\left( \\frac{p}{10000^{c / |\\name{chans}|}} \\right) & \\text{if } c \\bmod 2 = 0 \\\\ \\operatorname{cos}\\left( \\frac{p}{10000^{(c - 1) / |\\name{chans}|}} \\right) & \\text{otherwise} \\end{cases} \\\\\n  \\operatorname{PE}(X) &= X + P\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>PE</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></mrow></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><msub><mi>P</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>p</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>c</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mrow><mo>{</mo><mtable><mtr><mtd style=\"text-align:left\"><mi>sin</mi><mrow><mo form=\"prefix\">(</mo><mfrac><mi>p</mi><msup><mn>10000</mn><mrow><mi>c</mi><mo lspace=\"0\" rspace=\"0\">/</mo><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow></mrow></msup></mfrac><mo form=\"postfix\">)</mo></mrow></mtd><mtd style=\"text-align:left\"><mtext>if&#160;</mtext><mi>c</mi><mo lspace=\"0.22em\" rspace=\"0.22em\">mod</mo><mn>2</mn><mo>=</mo><mn>0</mn></mtd></mtr><mtr><mtd style=\"text-align:left\"><mi>cos</mi><mrow><mo form=\"prefix\">(</mo><mfrac><mi>p</mi><msup><mn>10000</mn><mrow><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>c</mi><mo>−</mo><mn>1</mn><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo lspace=\"0\" rspace=\"0\">/</mo><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">chans</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow></mrow></msup></mfrac><mo form=\"postfix\">)</mo></mrow></mtd><mtd style=\"text-align:left\"><mtext>otherwise</mtext></mtd></mtr></mtable></mrow></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>PE</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>X</mi><mo>+</mo><mi>P</mi></mtd></mtr></mtable></math>";
    /// The function as an einsum string, operands as in its signature, if it is a sum of products.
    pub const EINSUM: ::core::option::Option<&'static ::core::primitive::str> = ::core::option::Option::None;
}
///`windows` of the notation.
///
#[cfg_attr(
    doc,
    doc = "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\"><math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>windows</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">kernel</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><msub><mi>Y</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>i</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">kernel</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>j</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><msub><mi>X</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>i</mi><mo>+</mo><mi>j</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub><mtext>&#160;for&#160;</mtext><mi>i</mi><mo>&#60;</mo><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow><mo>−</mo><mn>2</mn><mo>,</mo><mi>j</mi><mo>&#60;</mo><mn>3</mn></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>windows</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>Y</mi></mtd></mtr></mtable></math></div>\n"
)]
///
/**```text
windows(X: R[seq]) -> R[seq, kernel] {
    Y_{seq(i: |seq| - 2), kernel(j: 3)} = X_{seq(i + j)};
    Y
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
fn windows<Precision: ::named_tensor::private::Real, A0: ::named_tensor::private::Axes>(
    X: &::named_tensor::private::Tensor<A0, Precision>,
) -> ::named_tensor::private::Tensor<
    ::named_tensor::private::Lifted<(A0,), fn(seq) -> (kernel, seq)>,
    Precision,
>
where
    A0: ::named_tensor::private::Has<seq>
        + ::named_tensor::private::Avoids<seq, (kernel, seq)>,
{
    fn __body<Precision: ::named_tensor::private::Real>(
        X: &::named_tensor::private::Tensor<seq, Precision>,
    ) -> ::named_tensor::private::Tensor<(kernel, seq), Precision> {
        let Y = {
            let i = ::named_tensor::private::positions(
                seq,
                match ::named_tensor::private::whole(
                    "`|seq| - 2`",
                    ((::named_tensor::private::size(X, seq) as ::core::primitive::f64)
                        - 2f64),
                ) {
                    ::core::result::Result::Ok(__whole) => __whole,
                    ::core::result::Result::Err(__whole) => {
                        return ::named_tensor::private::failed(__whole);
                    }
                },
            );
            let j = ::named_tensor::private::positions(kernel, 3usize);
            ::named_tensor::private::ascribed::<
                (kernel, seq),
                _,
                _,
            >(
                ::named_tensor::private::index(
                    seq,
                    X,
                    &::named_tensor::private::along(
                        seq,
                        &::named_tensor::private::add(
                            &::named_tensor::private::exact(&i),
                            &::named_tensor::private::exact(&j),
                        ),
                    ),
                ),
            )
        };
        ::named_tensor::private::result::<
            (kernel, seq),
            _,
            _,
        >(::core::clone::Clone::clone(&Y))
    }
    let mut __lift = ::named_tensor::private::Lift::new("windows");
    let X = ::named_tensor::private::Lift::enter::<_, seq, _>(&mut __lift, X);
    let __result = __body::<Precision>(&X);
    ::named_tensor::private::Lift::exit(&__lift, __result)
}
///What is known of the function `windows`.
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
struct windows {}
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
impl windows {
    /// The function as it is written.
    pub const EQUATION: &'static ::core::primitive::str = "windows(X: R[seq]) -> R[seq, kernel] {\n    Y_{seq(i: |seq| - 2), kernel(j: 3)} = X_{seq(i + j)};\n    Y\n}";
    /// The mathematics as lines of text.
    pub const UNICODE: &'static ::core::primitive::str = "windows : ℝ^seq → ℝ^{seq×kernel}\nY_{seq(i), kernel(j)} = X_{seq(i+j)} for i < |seq| − 2, j < 3\nwindows(X) = Y";
    /// The mathematics as LaTeX, for `namedtensor.sty`.
    pub const LATEX: &'static ::core::primitive::str = "\\begin{align*}\n  \\operatorname{windows} &\\colon \\mathbb{R}^{\\name{seq}} \\rightarrow \\mathbb{R}^{\\name{seq} \\times \\name{kernel}} \\\\\n  Y_{\\name{seq}(i), \\name{kernel}(j)} &= X_{\\name{seq}(i + j)} \\text{ for } i < |\\name{seq}| - 2, j < 3 \\\\\n  \\operatorname{windows}(X) &= Y\n\\end{align*}";
    /// The mathematics as a `<math>` element.
    pub const MATHML: &'static ::core::primitive::str = "<math display=\"block\" style=\"font-family:'Latin Modern Math','STIX Two Math','Cambria Math','Noto Sans Math','DejaVu Math TeX Gyre',math\"><mtable displaystyle=\"true\"><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>windows</mi></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">:</mo><msup><mi>ℝ</mi><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi></msup><mo stretchy=\"false\">→</mo><msup><mi>ℝ</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo>×</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">kernel</mi></mrow></msup></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><msub><mi>Y</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>i</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow><mo>,</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">kernel</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>j</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><msub><mi>X</mi><mrow><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>i</mi><mo>+</mo><mi>j</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mrow></msub><mtext>&#160;for&#160;</mtext><mi>i</mi><mo>&#60;</mo><mrow><mo form=\"prefix\" stretchy=\"false\">&#124;</mo><mi mathvariant=\"normal\" style=\"font-family:sans-serif\">seq</mi><mo form=\"postfix\" stretchy=\"false\">&#124;</mo></mrow><mo>−</mo><mn>2</mn><mo>,</mo><mi>j</mi><mo>&#60;</mo><mn>3</mn></mtd></mtr><mtr><mtd style=\"text-align:right;text-align:-webkit-right;padding-right:0\"><mi>windows</mi><mrow><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>X</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></mrow></mtd><mtd style=\"text-align:left;padding-left:0\"><mo form=\"infix\">=</mo><mi>Y</mi></mtd></mtr></mtable></math>";
    /// The function as an einsum string, operands as in its signature, if it is a sum of products.
    pub const EINSUM: ::core::option::Option<&'static ::core::primitive::str> = ::core::option::Option::None;
}
