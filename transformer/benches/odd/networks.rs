//! Layers, losses, tables of words, steps of learning, distances and matrices: small programs of several operations.
//!
//! Not here: attention and recurrent networks, which have files of their own.

use named_tensor::prelude::*;
use transformer::loss::CrossEntropy;
use transformer::optimizer::Adam;

use crate::axes::*;
use crate::case::odd;
use crate::protocol::{Case, Check, Run, WEIGHTS, fill, positions};

named! {
    fn Perceptron(X: R[input], W: R[input, hidden], b: R[hidden], V: R[hidden, out], c: R[out]) -> R[out] {
        relu(X dot_input W + b) dot_hidden V + c
    }
    fn Curved(X: R[input], W: R[out, input], b: R[out]) -> R[out] { gelu(X dot_input W + b) }
    fn GatedFFN(X: R[chans], W: R[chans, hidden], V: R[chans, hidden], U: R[hidden, chans]) -> R[chans] {
        (silu(X dot_chans W) * (X dot_chans V)) dot_hidden U
    }

    /// The mean loss of Y in {0, 1}, by logits.
    fn Logistic(X: R[batch, input], Y: R[batch], w: R[input], b: R[]) -> R[] {
        Z = X dot_input w + b;
        mean_batch(log(1 + exp(Z)) - Y * Z)
    }
    fn LeastSquares(X: R[batch, input], Y: R[batch], w: R[input], b: R[]) -> R[] {
        D = X dot_input w + b - Y;
        mean_batch(D * D)
    }

    fn Critic(X: R[input], W: R[input, hidden], V: R[hidden, depth], u: R[depth]) -> R[] {
        tanh(tanh(X dot_input W) dot_hidden V) dot_depth u
    }
    /// How far the slopes of a critic are from 1 (Gulrajani et al., 2017).
    fn Penalty(X: R[input], W: R[input, hidden], V: R[hidden, depth], u: R[depth]) -> R[] {
        (norm_{star(input)}(d(Critic(X, W, V, u), X)) - 1)^2
    }

    fn Embed(E: R[vocab, depth], I: vocab[seq]) -> R[seq, depth] { index_vocab(E, I) }
    fn Bag(E: R[vocab, depth], I: vocab[seq]) -> R[depth] { mean_seq(index_vocab(E, I)) }

    fn SquaredDistances(X: R[row, depth], Y: R[col, depth]) -> R[row, col] { sum_depth((X - Y) * (X - Y)) }
    fn Distances(X: R[row, depth], Y: R[col, depth]) -> R[row, col] { norm_depth(X - Y) }
    fn Weighed(X: R[row, depth], Y: R[col, depth], W: R[col, depth]) -> R[row, col] { sum_depth(W * W * (X - Y)^2) }
    /// The residuals of NetVLAD, which clusters C weigh.
    fn Residuals(X: R[row, depth], C: R[col, depth], A: R[row, col]) -> R[col, depth] { sum_row(A * (X - C)) }
    fn Divergence(P: R[row, depth], Q: R[col, depth]) -> R[row, col] { sum_depth(exp(P) * (P - Q)) }
    fn Joined(x: R[depth], y: R[depth], W: R[depth, input]) -> R[input] { concat_depth(x, y) dot_depth W }
    fn Pairs(X: R[row, depth], Y: R[col, depth], W: R[depth, input]) -> R[row, input] { sum_col(relu(Joined(X, Y, W))) }
    fn Kernel(X: R[row, depth], Y: R[col, depth]) -> R[row, col] { exp(-sum_depth((X - Y) ^ 2) / 2) }

    /// One step of k-means.
    fn Centres(C: R[clusters, depth], X: R[batch, depth]) -> R[clusters, depth] {
        Q = argmin_clusters(norm_depth(C - X));
        (Q dot_batch X) / sum_batch(Q)
    }

    fn Inverse(S: R[row, col]) -> R[row, col] { inv_{row, col}(S + 8 * eye_{row, col}(|row|)) }
    fn LogDet(S: R[row, col]) -> R[] { log(det_{row, col}(S + 8 * eye_{row, col}(|row|))) }
}

fn words(seed: u32, size: usize, of: usize) -> Result<Tensor<R![seq], Index<vocab>>, Error> {
    Tensor::indices_from_vec(seq.of(size), vocab, positions(seed, size, of))
}

/// Inputs of a regression that are data, not variables, and 0 or 1 for each of them.
fn data(n: usize, d: usize) -> Result<(Tensor<R![batch, input]>, Tensor<R![batch]>), Error> {
    let classes = positions(51, n, 2).into_iter().map(|class| class as f32).collect();
    Ok((Tensor::from_vec((batch.of(n), input.of(d)), fill(50, n * d))?, Tensor::from_vec(batch.of(n), classes)?))
}

fn layers(run: &mut Run) -> Result<(), Error> {
    odd! {
        run "network/perceptron" [b, i, h, o] in [[7, 13, 29, 5], [301, 77, 129, 33], [1001, 100, 300, 10]];
        x [batch b, input i], w [input i, hidden h], c [hidden h], v [hidden h, out o], d [out o] => [batch, out] {
            Perceptron(x, w, c, v, d) }
    }
    odd! {
        run "network/linear-gelu" [b, i, o] in [[31, 17, 29], [1001, 77, 301]];
        x [batch b, input i], w [out o, input i], c [out o] => [batch, out] { Curved(x, w, c) }
    }
    odd! {
        run "network/gated-ffn" [n, c, f] in [[19, 33, 77], [301, 96, 257]];
        x [seq n, chans c], w [chans c, hidden f] * 0.2, v [chans c, hidden f] * 0.2, u [hidden f, chans c] * 0.2 =>
            [seq, chans] { GatedFFN(x, w, v, u) }
    }
    odd! {
        run "embedding" [v, d, n] in [[97, 13, 31], [1000, 64, 5000], [30000, 256, 500]];
        e [vocab v, depth d] => [seq, depth] { Embed(e, &ids) } where ids = words(50, n, v)?
    }
    odd! {
        run "embedding/mean" [v, d, n] in [[97, 13, 31], [1000, 65, 301]];
        e [vocab v, depth d] => [depth] { Bag(e, &ids) } where ids = words(50, n, v)?
    }
    Ok(())
}

fn learning(run: &mut Run) -> Result<(), Error> {
    odd! {
        run "loss/cross-entropy" [n, v] in [[31, 17], [3000, 100], [64, 30001]];
        z [seq n, vocab v] => [] { CrossEntropy(z, &ids).mean(seq) } where ids = words(50, n, v)?
    }
    odd! {
        run "loss/logistic" [n, d] in [[301, 17], [1001, 773], [60000, 7]];
        w [input d], b [] => [] { Logistic(&xy.0, &xy.1, w, b) } where xy = data(n, d)?
    }
    odd! {
        run "loss/least-squares" [n, d] in [[301, 17], [1001, 773], [60000, 7]];
        w [input d], b [] => [] { LeastSquares(&xy.0, &xy.1, w, b) } where xy = data(n, d)?
    }
    odd! {
        run "loss/penalty" [b, i, h, d] in [[31, 17, 29, 5], [64, 301, 129, 65]];
        x [batch b, input i], w [input i, hidden h] * 0.2, v [hidden h, depth d] * 0.2, u [depth d] => [] {
            Penalty(x, w, v, u).mean(batch) }
    }
    for size in [301, 60_000, 774_000] {
        let case = Case::new("adam/step", &[size]);
        if run.wants(&case, 4 * size) {
            let tensor = |numbers| -> Result<Tensor<R![chans]>, Error> { Tensor::from_vec(chans.of(size), numbers) };
            let squares = fill(4, size).into_iter().map(|x| x * x).collect();
            let (weights, gradient) = (tensor(fill(1, size))?, tensor(fill(2, size))?);
            let mut adam = Adam::new(&weights);
            adam.state = Together((tensor(fill(3, size))?, tensor(squares)?, Tensor::scalar(10.0)));
            let first = adam.step(&weights, &gradient, 0.01)?;
            let checks = [Check::of(WEIGHTS, &first.to_vec(chans)?)];
            let mut now = first;
            run.time(&case, "forwards", &checks, &mut || {
                now = adam.step(&now, &gradient, 0.01)?;
                Ok(())
            })?;
        }
    }
    Ok(())
}

fn points(run: &mut Run) -> Result<(), Error> {
    let sizes = [[31, 17, 5], [301, 501, 40], [2000, 1000, 3]];
    odd! {
        run "distances/squared" [m, n, d] in sizes;
        x [row m, depth d], y [col n, depth d] => [row, col] { SquaredDistances(x, y) }
    }
    odd! {
        run "distances/of-heads" [h, m, n, d] in [[3, 31, 17, 5], [8, 256, 257, 64]];
        x [heads h, row m, depth d], y [heads h, col n, depth d] => [heads, row, col] { SquaredDistances(x, y) }
    }
    odd! {
        run "distances/plain" [m, n, d] in sizes;
        x [row m, depth d], y [col n, depth d] => [row, col] { Distances(x, y) }
    }
    odd! {
        run "distances/kernel" [m, n, d] in [[31, 17, 5], [301, 501, 7]];
        x [row m, depth d], y [col n, depth d] => [row, col] { Kernel(x, y) }
    }
    odd! {
        run "distances/weighed" [m, n, d] in [[31, 17, 5], [301, 501, 40]];
        x [row m, depth d], y [col n, depth d], w [col n, depth d] => [row, col] { Weighed(x, y, w) }
    }
    odd! {
        run "distances/residuals" [m, n, d] in [[31, 17, 5], [301, 65, 40]];
        x [row m, depth d], c [col n, depth d], a [row m, col n] => [col, depth] { Residuals(x, c, a) }
    }
    odd! {
        run "distances/divergence" [m, n, d] in [[31, 17, 5], [301, 501, 40]];
        p [row m, depth d], q [col n, depth d] => [row, col] { Divergence(p, q) }
    }
    odd! {
        run "distances/joined" [m, n, d, o] in [[31, 17, 5, 9], [301, 201, 40, 33]];
        x [row m, depth d], y [col n, depth d], w [depth 2 * d, input o] => [row, input] { Pairs(x, y, w) }
    }
    odd! {
        run forwards "clusters/step" [n, k, d] in [[301, 5, 3], [1001, 17, 5], [60000, 7, 3]];
        c [clusters k, depth d], x [batch n, depth d] => [clusters, depth] { Centres(c, x) }
    }
    odd! {
        run "matrix/inverse" [b, n] in [[300, 7], [20, 33]];
        s [batch b, row n, col n] => [batch, row, col] { Inverse(s) }
    }
    odd! { run "matrix/log-det" [b, n] in [[300, 7], [20, 33]]; s [batch b, row n, col n] => [batch] { LogDet(s) } }
    Ok(())
}

/// All of them.
pub(crate) fn networks(run: &mut Run) -> Result<(), Error> {
    layers(run)?;
    learning(run)?;
    points(run)
}
