//! Models that are no stack of layers: losses over all pairs, mixtures, chains of hidden states, repeated steps.
//!
//! Not here: layers, and recurrent networks whose cell is one of PyTorch's own.

use named_tensor::prelude::*;
use transformer::recurrent::GRU;

use crate::axes::*;
use crate::case::odd;
use crate::protocol::{Run, positions};

named! {
    fn logsumexp_{ax}(X: R[ax]) -> R[] {
        M = max_ax(X);
        M + log(sum_ax(exp(X - M)))
    }

    /// Pictures and their texts, each to be found among all (Radford et al., 2021).
    fn Contrast(X: R[row, depth], Y: R[col, depth], t: R[]) -> R[] {
        S = (X / norm_depth(X)) dot_depth (Y / norm_depth(Y)) * exp(t);
        A = log_softmax_col(S);
        B = log_softmax_row(S);
        D_{row(i)} = A_{row(i), col(i + 0)} + B_{row(i), col(i + 0)};
        -mean_row(D) / 2
    }

    /// How likely points are by a mixture of normal distributions, whose axes are those of the space.
    fn Mixture(X: R[depth], μ: R[clusters, depth], s: R[clusters, depth], p: R[clusters]) -> R[] {
        Z = (X - μ) / exp(s);
        logsumexp_clusters(log_softmax_clusters(p) - sum_depth(Z * Z / 2 + s))
    }

    /// How much the topics of words explain of each document and of each word (Hofmann, 1999).
    fn Topics(N: R[row, col], A: R[row, clusters], B: R[clusters, col]) -> R[] {
        P = exp(A);
        Q = exp(B);
        r = P * Q / (P dot_clusters Q);
        sum_{row, clusters}((sum_col(N * r))^2) + sum_{clusters, col}((sum_row(N * r))^2)
    }

    /// One step of the forward algorithm: what comes before, by the transitions T, and what is seen.
    fn Forward(A: R[state], X: R[state], T: R[state, state_]) -> R[state] {
        logsumexp_state(A + T)_{state_ -> state} + X
    }

    /// Rows and columns made sums of one in turn (Cuturi, 2013), in logarithms.
    fn Balanced(G: R[col], C: R[row, col]) -> R[col] {
        F = -logsumexp_col(G - C);
        -logsumexp_row(F - C)
    }

    /// A variational autoencoder (Kingma and Welling, 2014): what is lost of X, and how far its code is from N.
    fn Coded(X: R[input], N: R[out], W: R[input, hidden], M: R[hidden, out], S: R[hidden, out], V: R[out, hidden],
             U: R[hidden, input]) -> R[] {
        H = tanh(X dot_input W);
        μ = H dot_hidden M;
        s = H dot_hidden S;
        Z = μ + exp(s / 2) * N;
        Y = tanh(Z dot_out V) dot_hidden U;
        sum_input((X - Y) * (X - Y)) + sum_out(μ * μ + exp(s) - s - 1) / 2
    }

    /// One step of a state space whose rate the input chooses (Gu and Dao, 2023).
    fn Selective(H: R[chans, state], X: R[chans], D: R[chans], A: R[chans, state], B: R[state]) -> R[chans, state] {
        exp(-D * exp(A)) * H + D * X * B
    }

    fn Power(X: R[row], A: R[row, row_]) -> R[row] {
        Y = (X dot_row A)_{row_ -> row};
        Y / norm_row(Y)
    }

    /// Heat flows for a moment on a ring of rows and of columns.
    fn Heat(U: R[row, col], k: R[]) -> R[row, col] {
        U + k * (concat_row(U_{row(1..)}, U_{row(..1)}) + concat_row(U_{row(|row| - 1..)}, U_{row(..|row| - 1)})
            + concat_col(U_{col(1..)}, U_{col(..1)}) + concat_col(U_{col(|col| - 1..)}, U_{col(..|col| - 1)}) - 4 * U)
    }

    /// Every pair in its right order (Burges et al., 2005); Y says which is.
    fn Ranking(S: R[row], Y: R[row, row_]) -> R[] {
        mean_{row, row_}(log(1 + exp(-Y * (S - S_{row -> row_}))))
    }

    /// How likely Y is at the points X by a Gaussian process, up to a number.
    fn Process(X: R[row, depth], Y: R[row], s: R[]) -> R[] {
        D = X - X_{row -> row_};
        K = exp(-sum_depth(D * D) / 2) + exp(s) * eye_{row, row_}(|row|);
        -(Y dot_row (inv_{row, row_}(K) dot_row_ Y_{row -> row_})_{row -> row}) / 2 - log(det_{row, row_}(K)) / 2
    }

    /// The focal loss (Lin et al., 2017) of the class I.
    fn Focal(Z: R[vocab], I: vocab[]) -> R[] {
        l = index_vocab(log_softmax_vocab(Z), I);
        -(1 - exp(l)) ^ 2 * l
    }
}

#[lift]
fn hidden_markov(x: &Tensor<R![seq, state]>, t: &Tensor<R![state, state_]>) -> Tensor<R![]> {
    let t = t.log_softmax(state_);
    let (last, _) = scan(seq, Tensor::zeros(state.of(x.size(state))), x, |a: Tensor<R![state]>, x| {
        let a = Forward(&a, &x, &t);
        (a.clone(), a)
    });
    logsumexp(state, &last)
}

#[lift]
fn selective(
    x: &Tensor<R![seq, chans]>,
    d: &Tensor<R![seq, chans]>,
    a: &Tensor<R![chans, state]>,
    b: &Tensor<R![seq, state]>,
    c: &Tensor<R![seq, state]>,
) -> Tensor<R![seq, chans]> {
    let start: Tensor<R![chans, state]> = Tensor::zeros((chans.of(a.size(chans)), state.of(a.size(state))));
    let (_, all) = scan(seq, start, (x, &d.exp(), b, c), |h, (x, d, b, c)| {
        let h = Selective(&h, &x, &d, a, &b);
        let y = h.dot(state, &c);
        (h, y)
    });
    all
}

fn of_all_pairs(run: &mut Run) -> Result<(), Error> {
    odd! {
        run "programs/contrastive" [n, d] in [[31, 17], [301, 77]];
        x [row n, depth d], y [col n, depth d], t [] => [] { Contrast(x, y, t) }
    }
    odd! {
        run "programs/mixture" [n, k, d] in [[101, 3, 2], [3001, 17, 5]];
        x [batch n, depth d], m [clusters k, depth d], s [clusters k, depth d], p [clusters k] => [batch] {
            Mixture(x, m, s, p) }
    }
    odd! {
        run "programs/ranking" [n] in [[31], [701]];
        s [row n] => [] { Ranking(s, &order) }
        where order = Tensor::<R![row, row_]>::from_vec((row.of(n), row_.of(n)), fill(50, n * n))?
    }
    odd! {
        run "programs/process" [n, d] in [[31, 3], [101, 3]];
        x [row n, depth d] * 4.0, y [row n], s [] => [] { Process(x, y, s) }
    }
    odd! {
        run "programs/topics" [m, k, n] in [[31, 3, 17], [201, 16, 701]];
        c [row m, col n], a [row m, clusters k], b [clusters k, col n] => [] { Topics(c, a, b) }
    }
    odd! {
        run "programs/focal" [n, v] in [[31, 17], [3000, 100]];
        z [seq n, vocab v] => [seq] { Focal(z, &ids) }
        where ids = Tensor::<R![seq], Index<vocab>>::indices_from_vec(seq.of(n), vocab, positions(50, n, v))?
    }
    odd! {
        run "programs/autoencoder" [b, i, h, o] in [[17, 33, 20, 5], [301, 196, 129, 20]];
        x [batch b, input i], w [input i, hidden h] * 0.2, m [hidden h, out o] * 0.2, s [hidden h, out o] * 0.2,
        v [out o, hidden h] * 0.2, u [hidden h, input i] * 0.2 => [batch] { Coded(x, &noise, w, m, s, v, u) }
        where noise = Tensor::<R![batch, out]>::from_vec((batch.of(b), out.of(o)), fill(50, b * o))?
    }
    Ok(())
}

fn repeated(run: &mut Run) -> Result<(), Error> {
    odd! {
        run "programs/hidden-markov" [b, l, k] in [[1, 33, 5], [7, 101, 33]];
        x [batch b, seq l, state k], t [state k, state_ k] => [batch] { hidden_markov(x, t) }
    }
    odd! {
        run "programs/balanced" [m, n] in [[31, 17], [301, 203]];
        c [row m, col n] => [col] {
            let mut g: Tensor<R![col]> = Tensor::zeros(col.of(n));
            for _ in 0..10 {
                g = Balanced(&g, c);
            }
            g
        }
    }
    odd! {
        run "programs/selective" [b, l, c, s] in [[1, 33, 17, 4], [2, 101, 65, 16]];
        x [batch b, seq l, chans c], d [batch b, seq l, chans c], a [chans c, state s], u [batch b, seq l, state s],
        v [batch b, seq l, state s] => [batch, seq, chans] { selective(x, d, a, u, v) }
    }
    odd! {
        run "programs/power" [n] in [[31], [301]];
        a [row n, row_ n], x [row n] => [row] { (0..20).fold(x.clone(), |x, _| Power(&x, a)) }
    }
    odd! {
        run "programs/heat" [m, n] in [[31, 17], [301, 203]];
        u [row m, col n], k [] => [row, col] { (0..20).fold(u.clone(), |u, _| Heat(&u, &(k * 0.1))) }
    }
    odd! {
        run "programs/gru" [b, l, i, s] in [[1, 33, 17, 29], [5, 77, 31, 45]];
        x [batch b, seq l, chans i], w [gates 3, state_ s, chans i] * 0.2, u [gates 3, state_ s, state s] * 0.2 =>
            [batch, seq, state] {
            let (part, zero) = (|t: &Tensor<R![gates, state_, chans]>, i| t.at(gates, i), Tensor::zeros(state_.of(s)));
            let cell = GRU {
                W_r: part(w, 0), U_r: u.at(gates, 0), b_r: zero.clone(), W_z: part(w, 1), U_z: u.at(gates, 1),
                b_z: zero.clone(), W_n: part(w, 2), b_n: zero.clone(), U_n: u.at(gates, 2), c_n: zero,
            };
            transformer::recurrent::states(&cell, x)
        }
    }
    Ok(())
}

/// All programs.
pub(crate) fn programs(run: &mut Run) -> Result<(), Error> {
    of_all_pairs(run)?;
    repeated(run)
}
