//! A block that uses every rule of the grammar once, and every function of the notation.
//!
//! Lives here: equations that are shown, not computed. Not here: what they should look like (the files of `grammar`).

use named_tensor::prelude::*;

axes! { batch, seq, seq_, seq__, heads, key, key_, val, chans, hidden, layer, height, width, kernel, vocab, ax1, a, b, c }

/// A constant of the program.
const LIMIT: f64 = 30.0;

named! {
    /// Signs, sums, products, quotients, powers.
    pub fn Arithmetic(X: R[seq], Y: R[key], γ_1: R[]) -> R[seq, key] {
        n = |seq| + 1;
        Z = -X + Y * (X - Y) / (Y + 2.5) ^ 2 - n * X ^ -γ_1 * (Y / n);
        Z / (Z / (1 + 1e-12)) - (Z - -Z) * LIMIT - 6.25e8 * pi
    }

    /// Functions of each element, and of two.
    pub fn Functions(X: R[seq], Y: R[seq]) -> R[seq] {
        exp(X) + log(abs(X) + 1) + sqrt(X * X + 1) + tanh(X) + sigmoid(X) + σ(Y) + relu(X) * gelu(X) - gelu_tanh(X)
            + silu(X) + sin(X) ^ 2 + cos(X) ^ 2 + erf(X) / floor(X / 2) + pow(X, 2) + max(X, Y) + min(X, 0) + clamp(X, -1, 1)
    }

    /// Reductions.
    pub fn Reductions(X: R[seq, key]) -> R[] {
        sum_{seq, key}(X) * mean_key(mean_seq(X)) + sum_seq(sum_key(X) ^ 2) + sum_{seq, key}(X * X) / var_{seq, key}(X)
            + max_{seq, key}(X) - min_{seq, key}(X) + prod_{seq, key}(1 + X) * norm_{seq, key}(X) + norm_{seq, key}(X, 3)
    }

    /// Functions along axes that stay.
    pub fn Along(X: R[seq, key]) -> R[seq, key] {
        softmax_seq(X) + log_softmax_seq(X) + argmax_key(X) - argmin_key(X) + cumsum_seq(X) + sort_seq(X)
            + standardize_seq(X) + standardize_{seq, key}(X, 1e-6)
    }

    /// The largest, and where they are.
    pub fn Largest(X: R[seq, key]) -> R[seq, key] {
        I = argmaxk_seq(X, 2);
        maxk_seq(X, 2) + index_seq(X, I)
    }

    /// Looking up, joining, one-hot vectors.
    pub fn Lookup(E: R[vocab, chans], I: vocab[seq], X: R[seq, chans]) -> R[seq, chans] {
        concat_seq(index_vocab(E, I), X) + concat_seq(one_hot_vocab(I) dot_vocab E, X)
    }

    /// Derivatives and what they do not pass, starred axes, matrices.
    pub fn Derivatives(X: R[seq], S: R[a, b]) -> R[seq, star(seq)] {
        Y = softmax_seq(X) * det_{a, b}(S) + sum_{a, b}(inv_{a, b}(S));
        s = stop_gradient(Y);
        d(Y * s, X) - s * (eye_{seq, star(seq)}(|seq|) - s_{seq -> star(seq)})
    }

    /// Windows.
    pub fn Windows(X: R[seq, chans], W: R[chans, kernel]) -> R[seq] {
        unroll_{seq, kernel}(X, 3) dot_{chans, kernel} W + max_kernel(pool_{seq, kernel}(sum_chans(X), 2))
    }

    /// Renaming, flattening, splitting, positions, ranges.
    pub fn Subscripts(A: R[height, width], W_Q: R[height, width], I: height[seq]) -> R[seq] {
        B = A_{height -> width, width -> height};
        C = B_{(height, width) -> layer}_{layer -> (heads: 2, key)};
        D = C_{heads(1), key(2..|width|)};
        F = (A + W_Q)_{width(0)} * W_Q_{width(|width| - 1)} + exp(A)_{width(0)} * A_{width(1..), height(0)}_{width(0)};
        index_height(F, I) + A_{height(I), width(2)} * sum_key(D) + sum_layer(A_{width(..2)}_{(height, width) -> layer})
    }

    /// Definitions by positions.
    pub fn Positions(X: R[seq]) -> R[seq, seq_] {
        M_{seq(i), seq_(j: |seq|)} = if i == j { 1 } else if i < j && j - i <= 3 || !(i % 2 != 0) { 0.5 } else { -inf };
        P_1_{seq(p)} = cos(p * pi / |seq|) + div(p, 2);
        X * P_1 + M
    }

    /// Truth values.
    pub fn Truth(X: R[seq], M: B[seq]) -> B[seq] {
        (X > 0 || X == -1) && !(X >= 1 && M) || M
    }

    /// A function that is parametric in its axis.
    pub fn centered_{ax}(X: R[ax]) -> R[ax] {
        X - mean_ax(X)
    }

    /// Calls.
    pub fn Calls(X: R[batch, layer, key]) -> R[batch, layer, key] {
        centered_{batch, layer}(X) + centered_{key}(X) / 2
    }

    /// Parameters, what they are at first, and conditions.
    ///
    /// This paragraph stands behind the mathematics.
    pub fn Parameters(
        /// What is given.
        X: R[chans];
        /// The first weights,
        /// *drawn* for [`Nested`].
        W_1: R[chans, heads, key] ~ glorot({chans} -> {heads, key}),
        W_2: R[heads, key, chans] ~ normal(0, 1 / sqrt(|heads| * |key|)),
        b1: R[chans] = 1 / |chans|,
        b2: R[chans] ~ uniform(-0.1, 0.1),
        b3: R[chans] ~ he({chans})
    ) -> R[chans] where |heads| * |key| <= |chans|, |key| != 3 {
        relu(X dot_chans W_1) dot_{heads, key} W_2 + b1 + b2 + b3
    }

    /// Functions in functions.
    pub fn Nested(X: R[chans]; f: Parameters, norm1: Parameters) -> R[chans] {
        Y = f(X);
        Y + norm1(Y)
    }

    /// Parameters that may be absent.
    pub fn Optional(X: R[chans]; W: R[chans, key], b: R[key]? = 1, norm: Centred?) -> R[key] {
        norm(X dot_chans W + b)
    }

    /// A function that keeps the axes of its argument.
    pub fn Centred(X: R[key]; γ: R[key] = 1) -> R[key] {
        (X - mean_key(X)) * γ
    }

    /// A sum of products.
    pub fn Contraction(Q: R[batch, seq, heads, key], K: R[batch, seq, heads, key]) -> R[batch, heads, seq, seq_] {
        Q_{seq -> seq_} dot_key K
    }

    /// A value whose type is stated, and axes with two primes and with digits.
    pub fn Ascribed(X: R[seq, ax1]) -> R[seq_, seq__] {
        Y: R[seq_, ax1] = X_{seq -> seq_};
        Y dot_ax1 Y_{seq_ -> seq__}
    }

    /// Out of nothing.
    pub fn Identity() -> R[a, b] {
        eye_{a, b}(3)
    }
}
