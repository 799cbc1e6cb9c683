//! Recurrent networks: a state that each position of a text changes; rows 3.1, N3.
//!
//! Lives here: the cells of Elman and of Cho et al. as equations, what a model needs of a cell, and its run along a text.
//! Not here: what is done with the states (`models::seq2seq`).

use crate::axes::{chans, seq, state, state_};
use named_tensor::prelude::*;

named! {
    /// The network of Elman (1990), with the tanh that libraries have by default (row N3 has σ).
    pub fn Elman(H: R[state], X: R[chans]; W: R[chans, state_], U: R[state, state_], b: R[state_] = 0) -> R[state] {
        tanh(X dot_chans W + H dot_state U + b)_{state_ -> state}
    }

    /// The gated recurrent unit (Cho et al., 2014): r says how much of the state is looked at, z how much of it stays.
    /// As in PyTorch, r weighs what is made of the state, with its bias, and not the state itself.
    pub fn GRU(H: R[state], X: R[chans]; W_r: R[chans, state_], U_r: R[state, state_], b_r: R[state_] = 0,
               W_z: R[chans, state_], U_z: R[state, state_], b_z: R[state_] = 0,
               W_n: R[chans, state_], b_n: R[state_] = 0, U_n: R[state, state_], c_n: R[state_] = 0) -> R[state] {
        r = σ(X dot_chans W_r + H dot_state U_r + b_r);
        z = σ(X dot_chans W_z + H dot_state U_z + b_z)_{state_ -> state};
        n = tanh(X dot_chans W_n + b_n + r * (H dot_state U_n + c_n))_{state_ -> state};
        (1 - z) * n + z * H
    }
}

/// What stands in a recurrent network at each position: the state after it, from the state before it and the input.
pub trait Cell<T: Real>: Parameters<T> {
    /// h = f(h, x).
    fn next(&self, h: &Tensor<R![state], T>, x: &Tensor<R![chans], T>) -> Tensor<R![state], T>;

    /// The state before the first position: 0.
    fn start(&self) -> Tensor<R![state], T>;
}

impl<T: Real> Cell<T> for Elman<T> {
    fn next(&self, h: &Tensor<R![state], T>, x: &Tensor<R![chans], T>) -> Tensor<R![state], T> {
        self.apply(h, x)
    }

    fn start(&self) -> Tensor<R![state], T> {
        Tensor::zeros(state.of(self.U.size(state)))
    }
}

impl<T: Real> Cell<T> for GRU<T> {
    fn next(&self, h: &Tensor<R![state], T>, x: &Tensor<R![chans], T>) -> Tensor<R![state], T> {
        self.apply(h, x)
    }

    fn start(&self) -> Tensor<R![state], T> {
        Tensor::zeros(state.of(self.U_n.size(state)))
    }
}

/// All states h_1, ..., h_n of a text: `h_j = f(h_{j-1}, x_j)`, h_0 = 0.
///
/// ```
/// use named_tensor::prelude::*;
/// use transformer::axes::*;
/// use transformer::recurrent::{GRU, states};
///
/// let gru = GRU::init(&mut seeded(0), (chans.of(3), state.of(4), state_.of(4)))?;
/// let texts: Tensor<R![batch, seq, chans]> = Tensor::normal(&mut seeded(1), (batch.of(2), seq.of(5), chans.of(3)), 0.0, 1.0);
/// let h: Tensor<R![batch, seq, state]> = states(&gru, &texts);
/// assert_eq!(h.size(state), 4);
/// # Ok::<(), named_tensor::Error>(())
/// ```
#[lift]
pub fn states<T: Real, C: Cell<T>>(cell: &C, x: &Tensor<R![seq, chans], T>) -> Tensor<R![seq, state], T> {
    let (_, all) = scan(seq, cell.start(), x, |h, x| {
        let h = cell.next(&h, &x);
        (h.clone(), h)
    });
    all
}
