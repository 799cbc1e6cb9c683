//! Recurrent networks by `scan`: the cell is an equation, the run along the text is one call.
//!
//! Not here: running sums that have an operation of their own (`joining`).

use named_tensor::prelude::*;

use crate::axes::*;
use crate::case::odd;
use crate::protocol::Run;

named! {
    /// Weights lie as PyTorch has them: what comes out slowest.
    fn Elman(H: R[state], X: R[input], W: R[state_, input], U: R[state_, state], b: R[state_]) -> R[state] {
        tanh(X dot_input W + H dot_state U + b)_{state_ -> state}
    }

    fn Gates(H: R[state], X: R[input], W: R[gates, state_, input], U: R[gates, state_, state],
             b: R[gates, state_]) -> R[gates, state] {
        (X dot_input W + H dot_state U + b)_{state_ -> state}
    }

    fn Memory(C: R[], G: R[gates]) -> R[] { σ(G_{gates(1)}) * C + σ(G_{gates(0)}) * tanh(G_{gates(2)}) }
    fn Shown(C: R[], G: R[gates]) -> R[] { σ(G_{gates(3)}) * tanh(C) }

    /// A mean of what was before and what comes, by a rate for each feature.
    fn Smoothed(H: R[], X: R[], a: R[]) -> R[] { H + σ(a) * (X - H) }
}

/// All states of a text.
#[lift]
fn elman(
    x: &Tensor<R![seq, input]>,
    w: &Tensor<R![state_, input]>,
    u: &Tensor<R![state_, state]>,
    b: &Tensor<R![state_]>,
) -> Tensor<R![seq, state]> {
    let start: Tensor<R![state]> = Tensor::zeros(state.of(u.size(state)));
    let (_, all) = scan(seq, start, x, |h, x| {
        let h = Elman(&h, &x, w, u, b);
        (h.clone(), h)
    });
    all
}

/// All states of a text, of a cell with a memory (Hochreiter and Schmidhuber, 1997).
#[lift]
fn lstm(
    x: &Tensor<R![seq, input]>,
    w: &Tensor<R![gates, state_, input]>,
    u: &Tensor<R![gates, state_, state]>,
    b: &Tensor<R![gates, state_]>,
) -> Tensor<R![seq, state]> {
    let start: Tensor<R![state]> = Tensor::zeros(state.of(u.size(state)));
    let (_, all) = scan(seq, (start.clone(), start), x, |(h, c), x| {
        let g = Gates(&h, &x, w, u, b);
        let c = Memory(&c, &g);
        let h = Shown(&c, &g);
        ((h.clone(), c), h)
    });
    all
}

#[lift]
fn smoothed(x: &Tensor<R![seq, chans]>, a: &Tensor<R![chans]>) -> Tensor<R![seq, chans]> {
    let (_, all) = scan(seq, Tensor::zeros(chans.of(a.size(chans))), x, |h: Tensor<R![chans]>, x| {
        let h = Smoothed(&h, &x, a);
        (h.clone(), h)
    });
    all
}

/// All recurrent networks.
pub(crate) fn recurrent(run: &mut Run) -> Result<(), Error> {
    let sizes = [[1, 33, 17, 29], [5, 77, 31, 45], [20, 35, 64, 100]];
    odd! {
        run "recurrent/elman" [b, l, i, s] in sizes;
        x [batch b, seq l, input i], w [state_ s, input i] * 0.2, u [state_ s, state s] * 0.2, c [state_ s] =>
            [batch, seq, state] { elman(x, w, u, c) }
    }
    odd! {
        run "recurrent/lstm" [b, l, i, s] in sizes;
        x [batch b, seq l, input i], w [gates 4, state_ s, input i] * 0.2, u [gates 4, state_ s, state s] * 0.2,
        c [gates 4, state_ s] => [batch, seq, state] { lstm(x, w, u, c) }
    }
    odd! {
        run "recurrent/smoothed" [l, c] in [[77, 31], [301, 203]];
        x [seq l, chans c], a [chans c] => [seq, chans] { smoothed(x, a) }
    }
    Ok(())
}
