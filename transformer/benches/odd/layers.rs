//! Whole layers of many kinds of networks, as their papers have them: what the equations become together.
//!
//! Not here: the block of the peer measurements, and single operations.

use named_tensor::prelude::*;
use transformer::attention::{Attention, CausalMask, MaskedAttention};
use transformer::position::{LinearBias, Rotary, Slopes};

use crate::axes::*;
use crate::case::odd;
use crate::protocol::{Run, positions};

named! {
    fn RMS(X: R[chans]) -> R[chans] { X / sqrt(mean_chans(X * X) + 1e-5) }

    /// What a layer of Llama (Touvron et al., 2023) adds first: grouped heads with rotary positions.
    fn Llama(X: R[seq, chans], θ: R[seq, pair], M: R[seq, seq_], W_Q: R[chans, heads, shared, key],
             W_K: R[chans, heads, key], W_V: R[chans, heads, val], W_O: R[heads, shared, val, chans]) -> R[seq, chans] {
        Q = Rotary(X dot_chans W_Q, θ)_{seq -> seq_};
        H = MaskedAttention(Q, Rotary(X dot_chans W_K, θ), X dot_chans W_V, M);
        (H dot_{heads, shared, val} W_O)_{seq_ -> seq}
    }
    /// And what it adds then.
    fn Gated(X: R[chans], W1: R[chans, hidden], W3: R[chans, hidden], W2: R[hidden, chans]) -> R[chans] {
        (silu(X dot_chans W1) * (X dot_chans W3)) dot_hidden W2
    }

    /// Heads of a layer of Bert (Devlin et al., 2019), and what comes after them.
    fn Heads(X: R[seq, chans], M: R[seq], W_Q: R[chans, heads, key], W_K: R[chans, heads, key],
             W_V: R[chans, heads, val], W_O: R[heads, val, chans]) -> R[seq, chans] {
        H = MaskedAttention(X_{seq -> seq_} dot_chans W_Q, X dot_chans W_K, X dot_chans W_V, M);
        standardize_chans(X + (H dot_{heads, val} W_O)_{seq_ -> seq})
    }
    fn Curved(X: R[chans], W: R[chans, hidden], b: R[hidden], V: R[hidden, chans]) -> R[chans] {
        standardize_chans(X + gelu(X dot_chans W + b) dot_hidden V)
    }

    /// Perceptrons along positions and along channels in turn (Tolstikhin et al., 2021).
    fn Mixer(X: R[seq, chans], U: R[seq, out], V: R[out, seq], W1: R[chans, hidden], W2: R[hidden, chans]) -> R[seq, chans] {
        X1 = X + gelu(standardize_chans(X) dot_seq U) dot_out V;
        X1 + gelu(standardize_chans(X1) dot_chans W1) dot_hidden W2
    }

    /// Networks weighed by a softmax (Jacobs et al., 1991).
    fn Experts(X: R[chans], G: R[chans, layer], W: R[layer, chans, hidden], V: R[layer, hidden, chans]) -> R[chans] {
        softmax_layer(X dot_chans G) dot_layer (relu(X dot_chans W) dot_hidden V)
    }

    /// Some of them for each position (Shazeer et al., 2017).
    fn Chosen(X: R[seq, chans], I: layer[seq, shared], G: R[seq, shared], W: R[layer, chans, hidden],
              V: R[layer, hidden, chans]) -> R[seq, chans] {
        G dot_shared (index_layer(V, I) dot_hidden relu(index_layer(W, I) dot_chans X))
    }

    /// Keys and values that know how far away they are (Shaw et al., 2018).
    fn Relative(Q: R[heads, seq_, key], K: R[heads, seq, key], V: R[heads, seq, val], A: R[layer, key], B: R[layer, val],
                D: layer[seq_, seq]) -> R[heads, seq_, val] {
        W = softmax_seq((Q dot_key K + Q dot_key index_layer(A, D)) / sqrt(|key|));
        W dot_seq V + W dot_seq index_layer(B, D)
    }

    /// Attention without softmax, linear in the length of the text (Katharopoulos et al., 2020).
    fn LinearAttention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
        A = if Q > 0 { Q + 1 } else { exp(Q) };
        B = if K > 0 { K + 1 } else { exp(K) };
        (A dot_key (B dot_seq V)) / (A dot_key sum_seq(B))
    }

    /// Neighbours weighed by attention (Veličković et al., 2018); N says who is a neighbour.
    fn Neighbours(X: R[row, depth], N: R[row, row_], W: R[depth, out], a: R[out], b: R[out]) -> R[row, out] {
        H = X dot_depth W;
        S = H dot_out a + (H dot_out b)_{row -> row_};
        L = if S > 0 { S } else { 0.2 * S };
        (softmax_row(if N > 0 { L } else { -inf }) dot_row H)_{row_ -> row}
    }

    /// Two layers of a graph's convolution (Kipf and Welling, 2017).
    fn Graph(X: R[row, depth], N: R[row, row_], W: R[depth, hidden], U: R[hidden, out]) -> R[row, out] {
        H = relu(N dot_row (X dot_depth W))_{row_ -> row};
        (N dot_row (H dot_hidden U))_{row_ -> row}
    }

    /// Messages along the edges of a graph (Gilmer et al., 2017), summed where they arrive.
    fn Messages(X: R[row, depth], S: row[seq], T: row[seq], W: R[depth, hidden], U: R[depth, hidden],
                V: R[hidden, out]) -> R[row, out] {
        one_hot_row(T, |row|) dot_seq (relu(index_row(X, S) dot_depth W + index_row(X, T) dot_depth U) dot_hidden V)
    }

    /// What the neighbours N of each row are, weighed and multiplied.
    fn Nearest(A: R[row, seq], X: R[row_, depth], N: row_[row, seq], W: R[depth, out]) -> R[row, out] {
        sum_{seq, depth}(A * index_row_(X, N) * W)
    }

    /// A border of zeros, one wide.
    fn Padded(X: R[height, width]) -> R[height, width] {
        P_{height(i: |height| + 2), width(j: |width| + 2)} =
            if 1 <= i && i <= |height| && 1 <= j && j <= |width| {
                X_{height(clamp(i - 1, 0, |height| - 1)), width(clamp(j - 1, 0, |width| - 1))}
            } else { 0 };
        P
    }
    fn Windows(X: R[height, width]) -> R[height, width, kh, kw] {
        unroll_{height, kh}(unroll_{width, kw}(Padded(X), 3), 3)
    }
    fn Norm(X: R[batch, height, width], γ: R[], β: R[]) -> R[batch, height, width] {
        standardize_{batch, height, width}(X) * γ + β
    }

    /// A block of a residual network (He et al., 2016).
    fn Residual(X: R[batch, chans, height, width], W: R[out, chans, kh, kw], γ: R[out], β: R[out],
                V: R[chans, out, kh, kw], δ: R[chans], ε: R[chans]) -> R[batch, chans, height, width] {
        H = relu(Norm(Windows(X) dot_{chans, kh, kw} W, γ, β));
        relu(X + Norm(Windows(H) dot_{out, kh, kw} V, δ, ε))
    }

    /// Each channel by itself, then all of each place (Howard et al., 2017).
    fn Separable(X: R[batch, chans, height, width], W: R[chans, kh, kw], γ: R[chans], β: R[chans],
                 V: R[chans, out], δ: R[out], ε: R[out]) -> R[batch, out, height, width] {
        H = relu(Norm(Windows(X) dot_{kh, kw} W, γ, β));
        relu(Norm(H dot_chans V, δ, ε))
    }

    /// Channels weighed by what all places say (Hu et al., 2018).
    fn Squeeze(X: R[chans, height, width], W: R[chans, hidden], V: R[hidden, chans]) -> R[chans, height, width] {
        X * σ(relu(mean_{height, width}(X) dot_chans W) dot_hidden V)
    }

    /// Groups of channels standardized (Wu and He, 2018), silu, and a convolution.
    fn Grouped(X: R[chans, height, width], γ: R[chans], β: R[chans], W: R[out, chans, kh, kw], b: R[out])
        -> R[out, height, width] {
        G = X_{chans -> (layer: 4, depth)};
        N = standardize_{depth, height, width}(G)_{(layer, depth) -> chans};
        Windows(silu(N * γ + β)) dot_{chans, kh, kw} W + b
    }
}

fn causal(n: usize) -> Result<Tensor<R![seq, seq_]>, Error> {
    Ok(CausalMask(&Tensor::<R![seq]>::zeros(seq.of(n))))
}

/// Texts of half the length at least: 0 where a word is, -∞ behind.
fn lengths(b: usize, n: usize) -> Result<Tensor<R![batch, seq]>, Error> {
    let last = positions(50, b, n / 2);
    let numbers = (0..b * n).map(|i| if i % n <= n / 2 + last[i / n] { 0.0 } else { f32::NEG_INFINITY });
    Tensor::from_vec((batch.of(b), seq.of(n)), numbers.collect())
}

/// How far away each position is from each, at most so far either way.
fn distances(n: usize, most: usize) -> Vec<usize> {
    (0..n * n).map(|pair| (pair % n + most).saturating_sub(pair / n).min(2 * most)).collect()
}

/// A tenth of all pairs, and every row with itself.
fn neighbours(n: usize) -> Result<Tensor<R![row, row_]>, Error> {
    let near = positions(50, n * n, 10).into_iter().enumerate();
    let numbers = near.map(|(i, p)| if p == 0 || i / n == i % n { 1.0 } else { 0.0 }).collect();
    Tensor::from_vec((row.of(n), row_.of(n)), numbers)
}

/// The ends of so many edges among `n` rows.
fn ends(seed: u32, size: usize, n: usize) -> Result<Tensor<R![seq], Index<row>>, Error> {
    Tensor::indices_from_vec(seq.of(size), row, positions(seed, size, n))
}

fn texts(run: &mut Run) -> Result<(), Error> {
    odd! {
        run "layers/llama" [n, d, g, s, f] in [[33, 10, 2, 3, 77], [301, 64, 2, 3, 1001]];
        x [seq n, chans 6 * d], q [chans 6 * d, heads g, shared s, key d] * 0.1, k [chans 6 * d, heads g, key d] * 0.1,
        v [chans 6 * d, heads g, val d] * 0.1, o [heads g, shared s, val d, chans 6 * d] * 0.1,
        w [chans 6 * d, hidden f] * 0.1, u [chans 6 * d, hidden f] * 0.1, z [hidden f, chans 6 * d] * 0.1 =>
            [seq, chans] {
            let x = x + Llama(&RMS(x), &angles, &mask, q, k, v, o);
            &x + Gated(&RMS(&x), w, u, z) }
        where angles = Tensor::from_vec((seq.of(n), pair.of(d / 2)), fill(50, n * d / 2))?, mask = causal(n)?
    }
    odd! {
        run "layers/encoder" [b, n, h, d, f] in [[3, 17, 3, 9, 50], [5, 101, 4, 33, 501]];
        x [batch b, seq n, chans h * d], q [chans h * d, heads h, key d] * 0.1, k [chans h * d, heads h, key d] * 0.1,
        v [chans h * d, heads h, val d] * 0.1, o [heads h, val d, chans h * d] * 0.1, w [chans h * d, hidden f] * 0.1,
        c [hidden f], u [hidden f, chans h * d] * 0.1 => [batch, seq, chans] {
            Curved(&Heads(x, &mask, q, k, v, o), w, c, u) }
        where mask = lengths(b, n)?
    }
    odd! {
        run "layers/mixer" [b, n, c, o, f] in [[3, 17, 33, 9, 50], [7, 101, 96, 50, 301]];
        x [batch b, seq n, chans c], u [seq n, out o] * 0.1, v [out o, seq n] * 0.1, w [chans c, hidden f] * 0.1,
        z [hidden f, chans c] * 0.1 => [batch, seq, chans] { Mixer(x, u, v, w, z) }
    }
    odd! {
        run "layers/experts" [n, c, e, f] in [[19, 17, 3, 33], [301, 77, 5, 129]];
        x [seq n, chans c], g [chans c, layer e], w [layer e, chans c, hidden f] * 0.2,
        v [layer e, hidden f, chans c] * 0.2 => [seq, chans] { Experts(x, g, w, v) }
    }
    odd! {
        run "layers/chosen-experts" [n, c, e, f] in [[19, 17, 3, 33], [301, 77, 5, 129], [501, 256, 8, 512]];
        x [seq n, chans c], g [seq n, shared 2], w [layer e, chans c, hidden f] * 0.2,
        v [layer e, hidden f, chans c] * 0.2 => [seq, chans] { Chosen(x, &ids, g, w, v) }
        where ids = Tensor::indices_from_vec((seq.of(n), shared.of(2)), layer, positions(50, 2 * n, e))?
    }
    odd! {
        run "layers/relative-positions" [h, n, d, e] in [[3, 19, 9, 5], [4, 101, 33, 33], [8, 301, 64, 601]];
        q [heads h, seq_ n, key d], k [heads h, seq n, key d], v [heads h, seq n, val d], a [layer e, key d], b [layer e, val d]
            => [heads, seq_, val] { Relative(q, k, v, a, b, &far) }
        where far = Tensor::indices_from_vec((seq_.of(n), seq.of(n)), layer, distances(n, e / 2))?
    }
    odd! {
        run "layers/linear-attention" [h, n, d] in [[3, 19, 9], [5, 777, 33]];
        q [heads h, seq_ n, key d], k [heads h, seq n, key d], v [heads h, seq n, val d] => [heads, seq_, val] {
            LinearAttention(q, k, v) }
    }
    odd! {
        run "layers/linear-bias" [h, n, d] in [[3, 19, 9], [5, 301, 33]];
        q [heads h, seq_ n, key d], k [heads h, seq n, key d], v [heads h, seq n, val d] => [heads, seq_, val] {
            let (texts, queries) = (k.at(heads, 0).at(key, 0), q.at(heads, 0).at(key, 0));
            let bias = LinearBias(&texts, &queries, &Slopes(&k.at(seq, 0).at(key, 0)));
            MaskedAttention(q, k, v, &(bias + &mask)) }
        where mask = causal(n)?
    }
    odd! {
        run "layers/cross" [b, h, m, n, d] in [[3, 2, 5, 17, 9], [7, 4, 33, 101, 32]];
        x [batch b, seq_ m, chans h * d], y [batch b, seq n, chans h * d], q [chans h * d, heads h, key d] * 0.1,
        k [chans h * d, heads h, key d] * 0.1, v [chans h * d, heads h, val d] * 0.1 => [batch, seq_, heads, val] {
            Attention(&x.dot(chans, q), &y.dot(chans, k), &y.dot(chans, v)) }
    }
    Ok(())
}

fn graphs(run: &mut Run) -> Result<(), Error> {
    odd! {
        run "layers/graph-attention" [n, d, o] in [[31, 17, 9], [301, 77, 33]];
        x [row n, depth d], w [depth d, out o], a [out o], b [out o] => [row, out] { Neighbours(x, &near, w, a, b) }
        where near = neighbours(n)?
    }
    odd! {
        run "layers/graph" [n, d, h, o] in [[31, 17, 9, 5], [301, 77, 33, 7]];
        x [row n, depth d], w [depth d, hidden h], u [hidden h, out o] => [row, out] { Graph(x, &near, w, u) }
        where near = neighbours(n)?
    }
    odd! {
        run "layers/messages" [n, e, d, h, o] in [[31, 77, 17, 9, 5], [1001, 9009, 65, 63, 33]];
        x [row n, depth d], w [depth d, hidden h] * 0.2, u [depth d, hidden h] * 0.2, v [hidden h, out o] => [row, out] {
            Messages(x, &edges.0, &edges.1, w, u, v) } where edges = (ends(50, e, n)?, ends(51, e, n)?)
    }
    odd! {
        run "layers/nearest" [n, k, d, o] in [[31, 5, 17, 9], [1001, 16, 65, 63]];
        a [row n, seq k], x [row_ n, depth d], w [depth d, out o] => [row, out] { Nearest(a, x, &near, w) }
        where near = Tensor::indices_from_vec((row.of(n), seq.of(k)), row_, positions(50, n * k, n))?
    }
    Ok(())
}

fn pictures(run: &mut Run) -> Result<(), Error> {
    odd! {
        run "layers/residual" [b, c, h, o] in [[2, 3, 13, 5], [8, 17, 28, 33]];
        x [batch b, chans c, height h, width h], w [out o, chans c, kh 3, kw 3] * 0.2, g [out o], s [out o],
        v [chans c, out o, kh 3, kw 3] * 0.2, d [chans c], e [chans c] => [batch, chans, height, width] {
            Residual(x, w, g, s, v, d, e) }
    }
    odd! {
        run "layers/separable" [b, c, h, o] in [[2, 3, 13, 5], [4, 33, 57, 65]];
        x [batch b, chans c, height h, width h], w [chans c, kh 3, kw 3], g [chans c], s [chans c], v [chans c, out o],
        d [out o], e [out o] => [batch, out, height, width] { Separable(x, w, g, s, v, d, e) }
    }
    odd! {
        run "layers/squeeze" [b, c, h, f] in [[2, 7, 13, 3], [8, 33, 57, 9]];
        x [batch b, chans c, height h, width h], w [chans c, hidden f], v [hidden f, chans c] =>
            [batch, chans, height, width] { Squeeze(x, w, v) }
    }
    odd! {
        run "layers/group-norm" [b, c, h, o] in [[2, 8, 13, 3], [4, 20, 33, 17]];
        x [batch b, chans c, height h, width h], g [chans c], s [chans c], w [out o, chans c, kh 3, kw 3] * 0.2,
        z [out o] => [batch, out, height, width] { Grouped(x, g, s, w, z) }
    }
    Ok(())
}

/// All layers.
pub(crate) fn layers(run: &mut Run) -> Result<(), Error> {
    texts(run)?;
    graphs(run)?;
    pictures(run)
}
