//! What the macro says of methods and functions of PyTorch, NumPy and JAX, with the names that stand before them.
//!
//! Each line is as a user of those libraries writes it. That the advice computes what was meant is tested by the laws
//! (`advice`), that it is read as equations by `names::words`.

use super::elsewhere::errors;

/// The messages about a function with this body, without those of what it leaves unused.
fn said(body: &str) -> String {
    let given = "X: R[seq, key], Y: R[seq, key], M: B[seq], I: seq[key]";
    let said = errors(&format!("fn f({given}) -> R[seq, key] {{ {body} }}"));
    let said: Vec<String> = said.into_iter().filter(|said| !said.contains("is never used")).collect();
    assert_eq!(said.len(), 1, "{body}: {said:?}");
    said.concat()
}

#[test]
fn a_maximum_over_an_axis_is_not_one_of_two_numbers() {
    for body in ["X.max(-1)", "X.max(1)", "X.max(axis=-1)", "X.max(axes = 0)", "X.max(-1, keepaxis=true)", "X.max()"] {
        assert!(said(body).ends_with("\n= help: write `max_ax(X)`"), "{body}: {}", said(body));
    }
    for (body, write) in [
        ("X.min(axis=-1)", "min_ax(X)"),
        ("X.max(key)", "max_key(X)"),
        ("X.max(Y)", "max(X, Y)"),
        ("X.max(0.5)", "max(X, 0.5)"),
        ("X.pow(2)", "pow(X, 2)"),
        ("torch.max(X, -1)", "max_ax(X)"),
        ("torch.max(X, Y)", "max(X, Y)"),
        ("jnp.max(X, axis=1)", "max_ax(X)"),
    ] {
        assert!(said(body).ends_with(&format!("\n= help: write `{write}`")), "{body}: {}", said(body));
    }
    assert_eq!(said("pow(X)"), "`pow` takes 2 arguments, 1 was given\n= help: write `pow(X, Y)`");
}

#[test]
fn a_word_that_is_one_letter_away_from_a_function_is_not_taken_for_it() {
    let words = "erfc erfi asin acos atanh sinc isin selu celu geglu prelu rrelu expm logm sqrtm pinv fmax long bool amax \
                 cosh sinh acosh asinh sinm cosm reglu fmin amin relu6";
    for word in words.split_whitespace() {
        for written in [format!("{word}(X)"), format!("{word}_key(X)")] {
            let said = said(&written);
            assert!(said.starts_with("no function `") && !said.contains("did you mean"), "{said}");
        }
    }
    // A function without an axis is not advised with one.
    assert!(said("tahn_seq(X)").contains("\n= help: did you mean `tanh`?\n"));
    assert!(said("sofmax_seq(X)").contains("\n= help: did you mean `softmax_seq`?\n"));
}

#[test]
fn a_variance_is_told_with_its_divisor() {
    for (body, write) in [
        ("X.var(-1)", "`var_ax(X) * |ax| / (|ax| - 1)`"),
        ("X.var(key)", "`var_key(X) * |key| / (|key| - 1)`"),
        ("X.var(seq, key)", "`var_{seq, key}(X) * |seq| * |key| / (|seq| * |key| - 1)`"),
        ("torch.var(X, axis=-1)", "`var_ax(X) * |ax| / (|ax| - 1)`"),
        ("X.std(key)", "`sqrt(var_key(X) * |key| / (|key| - 1))`"),
        ("std_key(X)", "`sqrt(var_key(X) * |key| / (|key| - 1))`"),
        ("variance_{seq, key}(X)", "`var_{seq, key}(X) * |seq| * |key| / (|seq| * |key| - 1)`"),
    ] {
        assert!(said(body).contains(&format!("PyTorch's default, which is one less, {write}")), "{}", said(body));
    }
}

#[test]
fn a_method_of_another_library_is_answered_as_its_function_is() {
    for (body, help) in [
        ("X.logsumexp(key)", "write `M = clamp(max_key(X), -3e38, 3e38);` and then `M + log(sum_key(exp(X - M)))`"),
        ("X.masked_fill(M, 0)", "write `if M { 0 } else { X }`"),
        ("X.masked_fill(M, -1e9)", "write `if M { -1e9 } else { X }`"),
        ("X.masked_fill(M, -inf)", "write `if M { -inf } else { X }`"),
        ("X.masked_fill(M, float(\"-inf\"))", "write `if M { -inf } else { X }`"),
        ("X.flip(key)", "by positions, with a letter for each axis: write `Y_{key(i)} = X_{key(|key| - 1 - i)};`"),
        ("X.roll(1, key)", "by positions, with a letter for each axis: write `Y_{key(i)} = X_{key((i + |key| - 1)"),
        ("X.reshape(2, 3)", "write `X_{(height, width) -> layer}` or "),
        ("X.gather(key, I)", "write `index_key(E, I)`, with positions `I: key[..]`"),
        ("X.matmul(Y)", "a contraction stands between its operands: `X dot_ax Y`"),
        ("X.matmul(y)", "a contraction stands between its operands: `X dot_ax Y`"),
        ("X.topk(2, axis=-1)", "write `maxk_ax(X, k)`; the positions: `argmaxk_ax(X, k)`"),
        ("X.detach()", "write `stop_gradient(X)`"),
        ("X.tril(-1)", "positions are compared: `Y_{seq(i), seq_(j)} = if j + 1 <= i { X_"),
        ("X.triu(diagonal=1)", "positions are compared: `Y_{seq(i), seq_(j)} = if i + 1 <= j { X_"),
        ("X.where(M, Y)", "write `if M { X } else { Y }`"),
        ("X.div(Y)", "write `X / Y`"),
        ("X.eq(Y)", "write `X == Y`"),
        ("X.clamp(min=0)", "write `max(X, 0)`"),
        ("X.clip(max=1)", "write `min(X, 1)`"),
        ("X.float()", "numbers have one type in a function"),
        ("X.relu(inplace=true)", "write `relu(X)`"),
    ] {
        let said = said(body);
        assert!(said.starts_with(&format!("a method is not called in an equation\n= help: {help}")), "{body}: {said}");
    }
}

#[test]
fn the_last_name_behind_that_of_a_library_counts() {
    for (body, library, help) in [
        ("F.gelu(X)", "F", "write `gelu(X)`"),
        ("F.gelu(X, approximate=\"tanh\")", "F", "write `gelu_tanh(X)`"),
        ("F.layer_norm(X)", "F", "write `standardize_ax(X) * γ + β`, "),
        ("F.softmax(X, axis=-1)", "F", "write `softmax_ax(X)`"),
        ("torch.exp(X)", "torch", "write `exp(X)`"),
        ("torch.where(M, X, Y)", "torch", "write `if M { X } else { Y }`"),
        ("torch.cat([X, Y], axis=1)", "torch", "write `concat_ax(X, Y)`, of any number"),
        ("torch.einsum(\"ij,jk->ik\", X, Y)", "torch", "a contraction stands between its operands: "),
        ("torch.foo(X)", "torch", "a function has a name and its axis: `exp(X)`, `softmax_seq(X)`"),
        ("np.exp(X)", "np", "write `exp(X)`"),
        ("np.pi * X", "np", "write `pi`"),
        ("torch.float32", "torch", "tensors are arguments, and numbers of the program are written by a path: "),
        ("nn.functional.relu(X)", "nn", "write `relu(X)`"),
        ("nn.Linear(3, 4)", "nn", "write `X dot_ax W + b`, with parameters `W: R[ax, out], b: R[out]`"),
        ("nn.ReLU()", "nn", "write `relu(X)`"),
        ("jax.nn.gelu(X)", "jax", "write `gelu(X)`"),
    ] {
        let begins = format!("no `{library}.` stands before a name in the notation\n= help: {help}");
        assert!(said(body).starts_with(&begins), "{body}: {}", said(body));
    }
    // `F` may well be a variable.
    assert!(said("F = exp(X); F.tanh()").ends_with("\n= help: write `tanh(F)`"));
    assert!(said("F = exp(X); F.max(key)").ends_with("\n= help: write `max_key(F)`"));
}

#[test]
fn a_list_of_tensors_is_its_tensors_side_by_side() {
    for (body, help) in [
        ("cat([X, Y], key)", "tensors do not stand in brackets\n= help: write `concat_key(X, Y)`, of any number"),
        ("cat([X, Y], axis=-1)", "tensors do not stand in brackets\n= help: write `concat_ax(X, Y)`, of any number"),
        ("concat([X, Y], key)", "tensors do not stand in brackets\n= help: write `concat_key(X, Y)`"),
        ("concat_key([X, Y])", "tensors do not stand in brackets\n= help: write `concat_key(X, Y)`"),
        ("[X, Y]", "an expression is expected here\n= help: tensors stand side by side: `concat_seq(X, Y)`"),
    ] {
        assert_eq!(said(body), help, "{body}");
    }
}

#[test]
fn what_goes_along_one_axis_is_advised_with_one() {
    for (body, write) in [
        ("X.cumsum((seq, key))", "write `cumsum_seq(X)`"),
        ("X.sort(seq, key)", "write `sort_seq(X)`"),
        ("X.sum(seq, key)", "write `sum_{seq, key}(X)`"),
        ("maxk[seq, key](X, 2)", "write `maxk_seq(X, 2)`"),
        ("argmax[seq, key](X)", "write `argmax_seq(X)`"),
        ("sum[seq, key](X)", "write `sum_{seq, key}(X)`"),
        ("topk_{seq, key}(X, 2)", "write `maxk_seq(X, k)`; the positions: `argmaxk_seq(X, k)`"),
        ("gather_{seq, key}(X, I)", "write `index_seq(E, I)`, with positions `I: seq[..]`"),
    ] {
        assert!(said(body).contains(&format!("\n= help: {write}")), "{body}: {}", said(body));
    }
}

#[test]
fn truth_values_are_conditions_themselves() {
    for (body, help) in [
        ("if M == 1 { X } else { Y }", "`M` is a truth value, and no number\n= help: write `if M {`"),
        ("if 0 != M { X } else { Y }", "`M` is a truth value, and no number\n= help: write `if M {`"),
        ("if M == 0 { X } else { Y }", "`M` is a truth value, and no number\n= help: write `if !M {`"),
        ("if ~M { X } else { Y }", "an expression is expected here\n= help: a truth value is turned around by `!M`"),
        ("if M == true { X } else { Y }", "only numbers stand in equations\n= help: a truth value is a comparison, "),
    ] {
        assert!(said(body).starts_with(help), "{body}: {}", said(body));
    }
    assert!(
        said("if M { float(\"-inf\") } else { X }").ends_with("infinity is `inf`, and below all numbers is `-inf`")
    );
    assert_eq!(errors("fn f(X: R[seq]) -> R[seq] { if X == 1 { X } else { 0 } }"), Vec::<String>::new());
}

#[test]
fn positions_and_new_axes_in_brackets_are_told_apart() {
    let none = "no axis of size 1 is needed, `X + Y` has the axes of both: write `X`";
    for (body, help) in [
        ("X[I]", "write `X_{seq(I)}`, with the axis that you mean"),
        ("X[:, I]", "write `X_{key(I)}`, with the axis that you mean"),
        ("X[:, None]", none),
        ("X[None]", none),
        ("X[:, np.newaxis]", none),
        ("X[None, 0]", "write `X_{seq(0)}`, with the axis that you mean"),
        ("X[X > 0]", "no axis has a size that depends on numbers; cases are written `if X > 0 { X } else { 0 }`"),
    ] {
        assert_eq!(said(body), format!("positions do not stand in brackets\n= help: {help}"), "{body}");
    }
}

#[test]
fn functions_that_take_a_line_here_are_answered_with_it() {
    let words = "batch_norm rms_norm group_norm normalize mse_loss l1_loss huber_loss kl_div nll_loss binary_cross_entropy \
                 binary_cross_entropy_with_logits cosine_similarity glu swiglu mish hardswish logsigmoid softsign \
                 reciprocal trunc clip clamp_min isnan nan_to_num logaddexp lerp detach log_sum_exp logcumsumexp cummax \
                 median quantile cdist bincount conv2d avg_pool1d max_pool1d scaled_dot_product_attention kron cross mm \
                 linear round rint log1p";
    for word in words.split_whitespace() {
        let said = said(&format!("{word}(X, Y)"));
        assert!(said.starts_with(&format!("no function `{word}` in the notation\n= help: ")), "{said}");
        assert!(said.contains('`') && said.contains("write `") || said.contains("dot_ax Y`"), "{said}");
    }
    assert!(said("max_pool1d(X, 3)").contains("write `max_kernel(pool_{seq, kernel}(X, 3))`"));
    // An axis may have the name.
    assert_eq!(errors("fn f(X: R[pool1d]) -> R[] { max_pool1d(X) }"), Vec::<String>::new());
}
