//! The words of other libraries, and what the notation writes for each.
//!
//! `ax` stands for the axis of the call, `a` and `b` for the two of a matrix. What follows `write` is an equation or
//! several, which a test reads; that they compute what the word does is tested by the laws (`advice`).
//! Not here: how the axes of a call get into the text (`words`).

/// Words for one thing, and what to write for it.
pub(super) const WORDS: &[(&str, &str)] = &[
    // Of each number.
    ("ln", "the natural logarithm is `log(X)`"),
    ("log2", "write `log(X) / log(2)`"),
    ("log10", "write `log(X) / log(10)`"),
    (
        "log1p",
        "write `C = clamp(X, -0.5, 1);`, `U = 1 + C;` and then \
         `if abs(X) < 0.5 { log(U) + (C - (U - 1)) / U } else { log(1 + X) }`",
    ),
    ("exp2", "write `2^X`"),
    ("expm1", "write `if abs(X) < 1 { tanh(X / 2) * (exp(X) + 1) } else { exp(X) - 1 }`"),
    (
        "logaddexp",
        "write `D = if X == Y && abs(X) == inf { 0 } else { X - Y };`, `E = exp(if D > 0 { -D } else { D });`, \
         `U = 1 + E;` and then `(if abs(X) == inf { max(X, Y) } else if X > Y { X } else { Y }) + log(U) + \
         (E - (U - 1)) / U`",
    ),
    ("logit", "write `log(X / (1 - X))`"),
    ("xlogy", "write `X * log(if X == 0 { 1 } else { Y })`"),
    ("tan", "write `sin(X) / cos(X)`"),
    ("sinh", "write `tanh(X) * (exp(X) + exp(-X)) / 2`"),
    ("cosh", "write `S = tanh(X / 2) * (exp(X / 2) + exp(-X / 2)) / 2;` and then `1 + 2 * S^2`"),
    (
        "atanh arctanh",
        "write `C = clamp(X, -0.5, 0.5);`, `U = 1 + C;`, `V = 1 - C;` and then `if abs(X) < 0.5 { (log(U) - log(V) + \
         (C - (U - 1)) / U + (C + (V - 1)) / V) / 2 } else { (log(1 + X) - log(1 - X)) / 2 }`",
    ),
    (
        "sinc",
        "write `Q = (pi * X)^2;`, `P = if Q < 0.25 { 1 } else { pi * X };` and then \
         `if Q < 0.25 { 1 - Q / 6 * (1 - Q / 20 * (1 - Q / 42)) } else { sin(P) / P }`",
    ),
    ("sind", "write `sin(X * pi / 180)`"),
    ("cosd", "write `cos(X * pi / 180)`"),
    ("deg2rad radians", "write `X * pi / 180`"),
    ("erfc", "write `1 - erf(X)`, which keeps few digits beyond X = 3"),
    ("square", "write `X^2`"),
    ("rsqrt", "write `1 / sqrt(X)`"),
    ("reciprocal", "write `1 / X`"),
    ("power", "write `X^2` or `X^Y`"),
    ("hypot", "write `sqrt(X^2 + Y^2)`"),
    ("ceil", "write `-floor(-X)`"),
    (
        "round rint",
        "write `F = floor(X);`, `D = X - F;` and then \
         `if D > 0.5 { F + 1 } else if D < 0.5 { F } else { 2 * floor((F + 1) / 2) }`",
    ),
    ("trunc fix", "write `if X < 0 { -floor(-X) } else { floor(X) }`"),
    ("frac", "write `if X < 0 { X + floor(-X) } else { X - floor(X) }`"),
    ("floor_divide floordiv", "write `floor(X / Y)`"),
    ("sign sgn signum", "write `if X > 0 { 1 } else if X < 0 { -1 } else { 0 }`"),
    ("heaviside", "write `if X > 0 { 1 } else { 0 }`"),
    ("isnan", "write `X != X`"),
    ("isinf", "write `abs(X) == inf`"),
    ("isfinite", "write `abs(X) < inf`"),
    ("nan_to_num", "write `if X != X { 0 } else { clamp(X, -3.4028234e38, 3.4028234e38) }`"),
    ("clip", "write `clamp(X, low, high)`"),
    ("clamp_min clip_min", "write `max(X, low)`"),
    ("clamp_max clip_max", "write `min(X, high)`"),
    ("lerp", "write `(1 - T) * X + T * Y`"),
    ("maximum", "write `max(X, Y)`"),
    ("minimum", "write `min(X, Y)`"),
    ("fmax", "write `if X != X { Y } else if Y != Y { X } else { max(X, Y) }`; without NaN `max(X, Y)`"),
    ("fmin", "write `if X != X { Y } else if Y != Y { X } else { min(X, Y) }`; without NaN `min(X, Y)`"),
    ("divide true_divide", "write `X / Y`"),
    ("logical_and", "truth values are joined by `&&`"),
    ("logical_or", "truth values are joined by `||`"),
    ("logical_not", "of a truth value it is `!M`"),
    // Activations.
    (
        "softplus",
        "write `E = exp(if X > 0 { -X } else { X });`, `U = 1 + E;` and then \
         `(if X > 0 { X } else { 0 }) + log(U) + (E - (U - 1)) / U`",
    ),
    (
        "logsigmoid log_sigmoid",
        "write `E = exp(if X > 0 { -X } else { X });`, `U = 1 + E;` and then \
         `(if X > 0 { 0 } else { X }) - log(U) - (E - (U - 1)) / U`",
    ),
    ("leaky_relu leakyrelu", "write `if X > 0 { X } else { 0.01 * X }`"),
    ("prelu", "write `if X > 0 { X } else { A * X }`, with a parameter `A: R[chans] = 0.25`, or `R[]`"),
    ("rrelu", "nothing is drawn in an equation: give slopes `A` and write `if X > 0 { X } else { A * X }`"),
    (
        "elu",
        "write `N = if X > 0 { 0 } else { X };` and then \
         `if X > 0 { X } else if N > -1 { tanh(N / 2) * (exp(N) + 1) } else { exp(N) - 1 }`",
    ),
    (
        "selu",
        "write `N = if X > 0 { 0 } else { X };`, \
         `E = if N > -1 { tanh(N / 2) * (exp(N) + 1) } else { exp(N) - 1 };` and then \
         `1.0507009873554805 * if X > 0 { X } else { 1.6732632423543772 * E }`",
    ),
    (
        "celu",
        "write `N = if X > 0 { 0 } else { X / A };`, \
         `E = if N > -1 { tanh(N / 2) * (exp(N) + 1) } else { exp(N) - 1 };` and then `if X > 0 { X } else { A * E }`",
    ),
    ("relu6", "write `if X <= 0 { 0 } else if X >= 6 { 6 } else { X }`"),
    ("hardtanh", "write `if X <= -1 { -1 } else if X >= 1 { 1 } else { X }`"),
    ("hardsigmoid", "write `clamp(X + 3, 0, 6) / 6`"),
    ("hardswish hard_swish", "write `X * clamp(X + 3, 0, 6) / 6`"),
    ("hardshrink", "write `if abs(X) > 0.5 { X } else { 0 }`"),
    ("softshrink", "write `if X > 0.5 { X - 0.5 } else if X < -0.5 { X + 0.5 } else { 0 }`"),
    ("softsign", "write `X / (1 + abs(X))`"),
    ("threshold", "write `if X > T { X } else { V }`"),
    ("swish", "the other name of it: `silu(X)`"),
    (
        "mish",
        "write `E = exp(if X > 0 { -X } else { X });` and then \
         `X * if X > 0 { (1 + 2 * E) / (1 + 2 * E + 2 * E^2) } else { (E^2 + 2 * E) / (E^2 + 2 * E + 2) }`",
    ),
    ("glu", "write `H = X_{ax -> (half: 2, ax)};` and then `H_{half(0)} * sigmoid(H_{half(1)})`"),
    ("geglu", "write `H = X_{ax -> (half: 2, ax)};` and then `H_{half(0)} * gelu(H_{half(1)})`"),
    ("reglu", "write `H = X_{ax -> (half: 2, ax)};` and then `H_{half(0)} * relu(H_{half(1)})`"),
    ("swiglu", "of two contractions: write `silu(X dot_ax W) * (X dot_ax V)`, with parameters `W, V: R[ax, hidden]`"),
    (
        "select where",
        "cases are written `if X > 0 { X } else { 0 }`, with truth values `M: B[..]` `if M { X } else { Y }`",
    ),
    ("masked_fill", "write `if M { -inf } else { X }`, with truth values `M: B[..]`"),
    // Over axes.
    (
        "std",
        "write `sqrt(var_ax(X))`, whose divisor is `|ax|`; with PyTorch's default, which is one less, \
         `sqrt(var_ax(X) * |ax| / (|ax| - 1))`",
    ),
    (
        "variance",
        "write `var_ax(X)`, whose divisor is `|ax|`; with PyTorch's default, which is one less, \
         `var_ax(X) * |ax| / (|ax| - 1)`",
    ),
    ("average", "write `mean_ax(X)`"),
    ("product", "write `prod_ax(X)`"),
    ("amax", "write `max_ax(X)`"),
    ("amin", "write `min_ax(X)`"),
    ("nansum", "write `sum_ax(if X != X { 0 } else { X })`"),
    ("logsumexp log_sum_exp lse", "write `M = clamp(max_ax(X), -3e38, 3e38);` and then `M + log(sum_ax(exp(X - M)))`"),
    ("softmin", "write `softmax_ax(-X)`"),
    ("any", "write `sum_ax(if X > 0 { 1 } else { 0 }) > 0`, with the condition that you mean"),
    ("all", "write `prod_ax(if X > 0 { 1 } else { 0 }) > 0`, with the condition that you mean"),
    ("count count_nonzero", "write `sum_ax(if X > 0 { 1 } else { 0 })`, with the condition that you mean"),
    ("isin", "write `sum_ax(if X == Y { 1 } else { 0 }) > 0`, with the axis of `Y` alone"),
    ("median", "the lower of two: write `sort_ax(X)_{ax(div(|ax| - 1, 2))}`"),
    (
        "quantile",
        "of finite numbers, `Q` being its level: write `W_{ax(i)} = max(0, 1 - abs(i - Q * (|ax| - 1)));` and then \
         `W dot_ax sort_ax(X)`",
    ),
    (
        "cumprod",
        "with a letter for each axis: write `M_{ax_(i: |ax|), ax(j)} = if j <= i { X_{ax(j)} } else { 1 };` and then \
         `prod_ax(M)_{ax_ -> ax}`",
    ),
    (
        "cummax",
        "with a letter for each axis: write `M_{ax_(i: |ax|), ax(j)} = if j <= i { X_{ax(j)} } else { -inf };` and then \
         `max_ax(M)_{ax_ -> ax}`",
    ),
    (
        "cummin",
        "with a letter for each axis: write `M_{ax_(i: |ax|), ax(j)} = if j <= i { X_{ax(j)} } else { inf };` and then \
         `min_ax(M)_{ax_ -> ax}`",
    ),
    (
        "logcumsumexp",
        "with a letter for each axis: write `M_{ax_(i: |ax|), ax(j)} = if j <= i { X_{ax(j)} } else { -inf };`, \
         `T = clamp(max_ax(M), -3e38, 3e38);` and then `(T + log(sum_ax(exp(M - T))))_{ax_ -> ax}`",
    ),
    ("topk", "write `maxk_ax(X, k)`; the positions: `argmaxk_ax(X, k)`"),
    ("size len numel", "write `|ax|`"),
    // Norms and layers.
    ("normalize", "write `X / sqrt(max(sum_ax(X^2), 1e-24))`"),
    ("cosine_similarity", "write `X dot_ax Y / (sqrt(max(sum_ax(X^2), 1e-16)) * sqrt(max(sum_ax(Y^2), 1e-16)))`"),
    (
        "cdist pairwise_distance",
        "write `norm_ax(X - Y)`, whose gradient is NaN where both are equal; the rows of one have an axis of their own: \
         `Y_{seq -> seq_}`",
    ),
    ("layer_norm layernorm", "write `standardize_ax(X) * γ + β`, with parameters `γ: R[ax] = 1, β: R[ax] = 0`"),
    ("rms_norm rmsnorm", "write `X / sqrt(mean_ax(X^2) + 1e-6) * γ`, with a parameter `γ: R[ax] = 1`"),
    ("instance_norm instancenorm1d", "write `standardize_ax(X) * γ + β`, with parameters `γ, β: R[chans]`"),
    (
        "batch_norm batchnorm batchnorm1d batchnorm2d",
        "over all axes but the channels: write `standardize_{batch, seq}(X) * γ + β`, with parameters \
         `γ: R[chans] = 1, β: R[chans] = 0`; means that are kept are arguments",
    ),
    (
        "group_norm groupnorm",
        "write `standardize_{seq, part}(X_{chans -> (group: 4, part)})_{(group, part) -> chans} * γ + β`, with \
         parameters `γ: R[chans] = 1, β: R[chans] = 0`",
    ),
    ("linear", "write `X dot_ax W + b`, with parameters `W: R[ax, out], b: R[out]`"),
    (
        "conv1d",
        "write `unroll_{seq, kernel}(X, |kernel|) dot_{chans, kernel} W`, with a parameter `W: R[chans, kernel, out]`",
    ),
    (
        "conv2d",
        "write `unroll_{width, kw}(unroll_{height, kh}(X, |kh|), |kw|) dot_{chans, kh, kw} W`, with a parameter \
         `W: R[chans, kh, kw, out]`",
    ),
    (
        "conv_transpose1d convtranspose1d",
        "two apart and four wide, added where it overlaps: write \
         `P = (X dot_chans W)_{kernel -> (part: 2, step: 2)}_{(seq, step) -> seq};`, `Z = 0 * P_{part(0), seq(..2)};` \
         and then `concat_seq(P_{part(0)}, Z) + concat_seq(Z, P_{part(1)})`, with a parameter `W: R[chans, kernel, out]`",
    ),
    (
        "conv_transpose2d convtranspose2d",
        "two apart and four wide, added where it overlaps, one axis after the other: write \
         `P = (X dot_chans W)_{kh -> (part: 2, step: 2)}_{(height, step) -> height};`, \
         `Z = 0 * P_{part(0), height(..2)};`, `H = concat_height(P_{part(0)}, Z) + concat_height(Z, P_{part(1)});`, \
         `Q = H_{kw -> (part: 2, step: 2)}_{(width, step) -> width};`, `N = 0 * Q_{part(0), width(..2)};` and then \
         `concat_width(Q_{part(0)}, N) + concat_width(N, Q_{part(1)})`, with a parameter `W: R[chans, kh, kw, out]`",
    ),
    ("max_pool1d maxpool1d", "write `max_kernel(pool_{seq, kernel}(X, 2))`"),
    ("avg_pool1d avgpool1d", "write `mean_kernel(pool_{seq, kernel}(X, 2))`"),
    ("max_pool2d maxpool2d", "write `max_{kh, kw}(pool_{width, kw}(pool_{height, kh}(X, 2), 2))`"),
    ("avg_pool2d avgpool2d", "write `mean_{kh, kw}(pool_{width, kw}(pool_{height, kh}(X, 2), 2))`"),
    ("unfold", "write `unroll_{seq, kernel}(X, 3)`"),
    ("scaled_dot_product_attention", "write `softmax_seq(Q dot_key K / sqrt(|key|)) dot_seq V`"),
    (
        "dropout",
        "nothing is drawn in an equation: give uniform numbers with the axes of `X`, `U: R[..]`, and write \
         `if U < p { 0 } else { X / (1 - p) }`",
    ),
    ("rand randn rand_like randn_like bernoulli", "nothing is drawn in an equation: give it as an argument"),
    // Losses.
    ("mse_loss mse", "write `mean_ax((X - Y)^2)`"),
    ("l1_loss", "write `mean_ax(abs(X - Y))`"),
    ("huber_loss smooth_l1_loss", "write `D = X - Y;`, `C = clamp(D, -1, 1);` and then `mean_ax(C * (D - C / 2))`"),
    (
        "kl_div",
        "of logarithms `X` and probabilities `Y`: write `L = log(if Y > 0 { Y } else { 1 });` and then \
         `sum_ax(Y * (L - X))`",
    ),
    ("nll_loss", "write `-X_{ax(I)}`, with positions `I: ax[..]`, and then the mean of it"),
    ("cross_entropy", "write `-log_softmax_ax(X)_{ax(I)}`, with positions `I: ax[..]`, and then the mean of it"),
    (
        "binary_cross_entropy binary_cross_entropy_with_logits bce_loss",
        "of what stands before `sigmoid`, where it keeps its digits: write `E = exp(if X > 0 { -X } else { X });`, \
         `U = 1 + E;` and then `mean_ax((if X > 0 { X } else { 0 }) - X * Y + log(U) + (E - (U - 1)) / U)`",
    ),
    // Products and matrices.
    ("dot matmul mm bmm mv einsum tensordot inner vdot", "a contraction stands between its operands: `X dot_ax Y`"),
    ("outer", "write `X * Y`: a product has the axes of both"),
    ("kron", "write `(X * Y_{row -> row_, col -> col_})_{(row, row_) -> row, (col, col_) -> col}`"),
    (
        "cross",
        "with a letter for each axis: write \
         `Z_{ax(i: 3)} = X_{ax((i + 1) % 3)} * Y_{ax((i + 2) % 3)} - X_{ax((i + 2) % 3)} * Y_{ax((i + 1) % 3)};`",
    ),
    ("identity", "write `eye_{ax, ax_}(n)`"),
    ("inverse", "write `inv_{a, b}(S)`"),
    ("pinv", "where the columns `b` are independent: write `inv_{b, b_}(S dot_a S_{b -> b_}) dot_b_ S_{b -> b_}`"),
    ("solve", "write `inv_{a, b}(S) dot_a Y`"),
    ("slogdet log_det", "write `logdet_{a, b}(S)`"),
    ("trace tr", "write `sum_{a, b}(S * eye_{a, b}(|a|))`"),
    (
        "diag diagonal",
        "the diagonal of one is `Y_{row(i)} = X_{row(i), col(i + 0)};`, the matrix of one `X * eye_{ax, ax_}(|ax|)`",
    ),
    ("tril", "positions are compared: `Y_{seq(i), seq_(j)} = if j <= i { X_{seq(i), seq_(j)} } else { 0 };`"),
    ("triu", "positions are compared: `Y_{seq(i), seq_(j)} = if i <= j { X_{seq(i), seq_(j)} } else { 0 };`"),
    // Axes and positions.
    ("transpose permute swapaxes", "axes have no order; another name for one is `X_{seq -> seq_}`"),
    ("reshape view flatten", "write `X_{(height, width) -> layer}` or `X_{layer -> (heads: 12, key)}`"),
    ("squeeze unsqueeze expand_dims", "no axis of size 1 is needed, `X + Y` has the axes of both: leave it out"),
    ("rename", "write `X_{val -> chans}`"),
    ("chunk unbind narrow", "a part is `X_{ax(1..3)}`; equal parts are an axis: `X_{ax -> (part: 2, ax)}`"),
    ("gather take embedding lookup index_select take_along_dim", "write `index_ax(E, I)`, with positions `I: ax[..]`"),
    ("cat concatenate", "write `concat_ax(X, Y)`, of any number"),
    ("bincount", "write `sum_seq(one_hot_ax(I, n))`, with positions `I: ax[seq]`"),
    (
        "scatter_add scatter_sum segment_sum index_add",
        "write `one_hot_ax(I, n) dot_seq X`, with positions `I: ax[seq]`; those past the size `n` are left out",
    ),
    (
        "scatter_mean segment_mean",
        "write `H = one_hot_ax(I, n);` and then `H dot_seq X / max(sum_seq(H), 1)`, with positions `I: ax[seq]`",
    ),
    (
        "scatter_max scatter_amax segment_max",
        "write `max_seq(if one_hot_ax(I, n) > 0 { X } else { -inf })`, with positions `I: ax[seq]`",
    ),
    (
        "scatter_min scatter_amin segment_min",
        "write `min_seq(if one_hot_ax(I, n) > 0 { X } else { inf })`, with positions `I: ax[seq]`",
    ),
    (
        "scatter_softmax segment_softmax",
        "write `H = one_hot_ax(I, n);`, `M = max_seq(if H > 0 { X } else { -inf });`, `E = exp(X - M_{ax(I)});` and then \
         `E / (H dot_seq E)_{ax(I)}`, with positions `I: ax[seq]`",
    ),
    ("scan associative_scan", "a recurrence along an axis is written in Rust: `scan(seq, h, &x, step)`, chapter 6"),
    ("iota arange", "positions have a letter on the left: `Y_{ax(i)} = i;`"),
    ("linspace", "positions have a letter on the left: write `Y_{ax(i: 5)} = 2 + 3 * i / 4;`"),
    ("flip reverse", "by positions, with a letter for each axis: write `Y_{ax(i)} = X_{ax(|ax| - 1 - i)};`"),
    ("zeros zeros_like", "a number needs no axes: `0`; with some: `Z_{ax(i)} = 0;`"),
    ("ones ones_like", "a number needs no axes: `1`; with some: `Z_{ax(i)} = 1;`"),
    ("full full_like", "a number needs no axes: `0.5`; with some: `Z_{ax(i)} = 0.5;`"),
    ("roll", "by positions, with a letter for each axis: write `Y_{ax(i)} = X_{ax((i + |ax| - 1) % |ax|)};`"),
    (
        "pad",
        "by positions, with a letter for each axis: \
         write `Y_{ax(i: |ax| + 2)} = if i < |ax| { X_{ax(min(i, |ax| - 1))} } else { 0 };`",
    ),
    (
        "repeat tile repeat_interleave",
        "by positions, with a letter for each axis: the whole twice `Y_{ax(i: 2 * |ax|)} = X_{ax(i % |ax|)};`, \
         each one twice `Y_{ax(i: 2 * |ax|)} = X_{ax(div(i, 2))};`",
    ),
    (
        "expand broadcast broadcast_to",
        "beside a tensor that has the axis, leave it out: `X + Y`; alone, with a letter for each axis: \
         `Y_{ax(i: 2), seq(j)} = X_{seq(j)};`",
    ),
    (
        "stack",
        "by positions, with a letter for each axis: \
         `Z_{ax(i: 2), seq(j)} = if i == 0 { X_{seq(j)} } else { Y_{seq(j)} };`",
    ),
    // Programs.
    ("detach", "write `stop_gradient(X)`"),
    ("bool", "a truth value is a comparison: write `X != 0`"),
    ("float double half long int", "numbers have one type in a function, which its caller chooses: leave it out"),
    ("unique nonzero masked_select", "no axis has a size that depends on numbers: do it where the function is called"),
    (
        "erfi erfinv asin acos atan atan2 arcsin arccos arctan arctan2 asinh acosh arcsinh arccosh lgamma digamma \
         tanhshrink expm logm sqrtm sinm cosm cholesky svd svdvals eig eigh eigvals eigvalsh qr lstsq fft cbrt sinpi cospi",
        "it is not in the notation, and nothing there stands for it",
    ),
];

/// Words that are answered where they are methods; a function of the program may well have such a name.
pub(super) const METHODS: &[(&str, &str)] = &[
    ("add", "write `X + Y`"),
    ("sub subtract", "write `X - Y`"),
    ("mul multiply", "write `X * Y`"),
    ("neg negative", "write `-X`"),
    ("eq equal", "write `X == Y`"),
    ("ne not_equal", "write `X != Y`"),
    ("lt less", "write `X < Y`"),
    ("le less_equal", "write `X <= Y`"),
    ("gt greater", "write `X > Y`"),
    ("ge greater_equal", "write `X >= Y`"),
    ("clone copy contiguous cpu cuda to", "leave it out: an equation changes no tensor, and moves none"),
    ("item tolist numpy", "numbers are read where the function is called: `y.item()?`, `y.to_vec(seq)?`"),
    ("div", "write `X / Y`"),
];
