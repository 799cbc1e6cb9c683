//! The gain of a standardization, in its gradient: what is owed is multiplied by it row by row, on the way.
//!
//! With  `Y = γ * standardize_ax(X)`  the rows of X owe the gradient of the standardization at  `γ * G`,  which is as large as X and
//! needed nowhere else. Lives here: where that is so. Not here: the step (`lower::rows`), its loop (`kernel::standardize`).

use super::simplify::{Items, Work};
use crate::element::Binary;
use crate::graph::Op;

impl Items<'_> {
    /// Gives the gradient of a standardization, item `i`, the gain as its third input.
    pub(super) fn take_gain(&mut self, i: usize) {
        let (&Work::Op(Op::StandardizeGradient { axes, .. }), &[x, owed]) =
            (&self.list[i].work, &self.list[i].inputs[..])
        else {
            return;
        };
        let product = self.item(owed);
        let is_product = matches!(product.work, Work::Op(Op::Binary(Binary::Mul)));
        if !is_product || self.uses[owed as usize] != 1 {
            return;
        }
        let [left, right] = [product.inputs[0], product.inputs[1]];
        let shape = self.list[i].shape;
        let is_whole = |at: u32| self.item(at).shape.rank() == shape.rank();
        let is_gain = |at: u32| {
            let of = self.item(at).shape;
            let rows = axes.iter().filter(|&&axis| shape.has(axis)).count();
            of.rank() == rows && of.names().all(|name| axes.contains(&name))
        };
        // Rows that are the whole tensor have no gain that is less.
        if shape.rank() > axes.len()
            && let Some((wide, gain)) =
                [(left, right), (right, left)].into_iter().find(|&(wide, gain)| is_whole(wide) && is_gain(gain))
        {
            self.list[i].inputs = smallvec::smallvec![x, wide, gain];
        }
    }
}
