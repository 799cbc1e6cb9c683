//! What windows owe where what they are owed is made of windows itself.
//!
//! What is done to each window as a whole, and to each number of all windows alike, is done to what is owed as well:
//! Σ f(X(i + j)) g(i, j)  over  i + j = p  is  f(X(p)) Σ g(i, j), the sum of two is that of what each owes, and where all
//! positions of a window are owed the same, each position is owed a sum over windows again. So nothing that has the
//! positions of all windows is made for it.
//! Not here: products that are convolutions (`windows`), what is computed before windows are taken in a plan (`plan::sliding`).

use super::forms::with_axes;
use super::windows::{between_zeros, convolved};
use crate::axis::Name;
use crate::element::{Binary, Unary};
use crate::graph::op::Reduction;
use crate::graph::{Node, Op};

/// Operations that are looked through, one below the other.
const DEPTH: usize = 8;

/// Windows of an axis, and the axis inside of them.
#[derive(Clone, Copy)]
pub(super) struct Windows<'a> {
    /// One node that has them.
    pub(super) node: &'a Node,
    pub(super) axis: Name,
    pub(super) into: Name,
    pub(super) step: usize,
}

/// What is owed to the axis of the windows where these are owed `g`, if no sum over computed positions is needed for it.
pub(super) fn owed(of: Windows<'_>, g: &Node) -> Option<Node> {
    of.owed(g, DEPTH)
}

impl Windows<'_> {
    fn owed(self, g: &Node, depth: usize) -> Option<Node> {
        let depth = depth.checked_sub(1).filter(|_| g.error().is_none())?;
        let Windows { node, axis, into, step } = self;
        if step == 1 && !g.shape().has(into) {
            let inside = node.shape().size(into)?;
            let g = with_axes(g, &[axis], node.shape());
            return Some(
                between_zeros(&g, axis, inside - 1).window(axis, into, inside, 1).reduce(Reduction::Sum, &[into]),
            );
        }
        if let Some(owed) = convolved(g, [axis, into], [false; 2], step, 2 * DEPTH) {
            return Some(owed);
        }
        let of = |x: &Node| self.owed(x, depth);
        match (g.op(), g.inputs()) {
            (Op::Unary(Unary::Neg), [x]) => Some(of(x)?.unary(Unary::Neg)),
            (Op::Binary(function @ (Binary::Add | Binary::Sub)), [x, y]) => Some(of(x)?.binary(*function, &of(y)?)),
            (Op::Binary(Binary::Div), [x, y]) => Some(of(x)?.binary(Binary::Div, &self.before(y, depth)?)),
            (Op::Binary(Binary::Mul), [x, y]) => self.apart([x, y], depth, |owed, by| owed.binary(Binary::Mul, by)),
            (Op::Contract(axes), [x, y]) => self.apart([x, y], depth, |owed, by| owed.contract(by, axes)),
            (Op::Reduce(Reduction::Sum, axes), [x]) => Some(of(x)?.reduce(Reduction::Sum, axes)),
            _ => None,
        }
    }

    /// What is owed by one of two factors, times the other one, which is the same for all windows.
    fn apart(self, [x, y]: [&Node; 2], depth: usize, times: impl Fn(&Node, &Node) -> Node) -> Option<Node> {
        let one = |x, y| Some(times(&self.owed(x, depth)?, &self.before(y, depth)?));
        one(x, y).or_else(|| one(y, x))
    }

    /// Of which node these are the windows, at all positions: one that has none of their axes is that itself.
    fn before(self, x: &Node, depth: usize) -> Option<Node> {
        let depth = depth.checked_sub(1)?;
        let is_own = |name: Name| name == self.axis || name == self.into;
        if !x.shape().names().any(is_own) {
            return Some(x.clone());
        }
        let is_alike = match *x.op() {
            Op::Window { axis, into, step } if axis == self.axis && into == self.into => {
                let is_one = step == self.step && x.shape().size(into) == self.node.shape().size(into);
                return x.inputs().first().filter(|_| is_one).cloned();
            }
            Op::Window { axis, into, .. } => !is_own(axis) && !is_own(into),
            Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Select | Op::Cast => true,
            _ => false,
        };
        let inputs = || x.inputs().iter().map(|input| self.before(input, depth)).collect::<Option<Vec<Node>>>();
        is_alike.then(inputs).flatten().map(|inputs| x.again(&inputs))
    }
}

#[cfg(test)]
mod tests {
    use super::super::windows;
    use super::*;
    use crate::graph::testing::{A, B, C, D, counting, read};

    fn is_scattered(node: &Node) -> bool {
        matches!(node.op(), Op::ScatterAdd { .. }) || node.inputs().iter().any(is_scattered)
    }

    /// Asks for what is owed both ways, and compares.
    fn is_owed(windows: &Node, g: &Node, step: usize, what: &str) {
        let all = g.spread(windows.shape().only(&[A, B])).unary(Unary::Abs);
        let [found, plain] = [g, &all].map(|g| windows::owed(windows, g, A, B, step));
        assert_eq!([is_scattered(&found), is_scattered(&plain)], [false, true], "{what}");
        assert_eq!(found.shape().size(A), windows.inputs()[0].shape().size(A));
        let rest = found.binary(Binary::Sub, &plain);
        assert!(read(&rest).iter().all(|rest: &f64| rest.abs() < 1e-9), "{what}");
    }

    #[test]
    fn functions_of_windows_and_sums_owe_without_computed_positions() {
        let x = counting(&[(A, 12), (D, 3)]);
        let w = x.window(A, B, 4, 1);
        let (u, v) = (counting(&[(A, 9), (D, 3)]), counting(&[(B, 4)]));
        let square = w.binary(Binary::Mul, &w);
        is_owed(&w, &u, 1, "all positions are owed the same");
        is_owed(&w, &counting(&[(D, 3)]), 1, "and all windows");
        is_owed(&w, &u.binary(Binary::Mul, &square), 1, "a function of windows");
        is_owed(&w, &square.binary(Binary::Mul, &u.binary(Binary::Mul, &v)), 1, "and weights");
        let sum = u.binary(Binary::Mul, &v).binary(Binary::Add, &u);
        is_owed(&w, &sum, 1, "a sum");
        let other = counting(&[(A, 12), (C, 2)]).window(A, B, 4, 1);
        let weights = u.binary(Binary::Mul, &v).binary(Binary::Mul, &counting(&[(C, 2)]));
        is_owed(&w, &weights.contract(&other, &[C]), 1, "a contraction with windows of another tensor");
        is_owed(&w, &weights.binary(Binary::Mul, &other).reduce(Reduction::Sum, &[C]), 1, "a sum over another axis");
        let by = square.binary(Binary::Add, &Node::fill(square.kind(), 1.0, Default::default()));
        is_owed(&w, &u.binary(Binary::Mul, &v).binary(Binary::Div, &by), 1, "a quotient");
        let far = counting(&[(A, 13), (D, 3)]).window(A, B, 4, 3);
        let apart = counting(&[(A, 4)]).binary(Binary::Mul, &v).binary(Binary::Mul, &far);
        is_owed(&far, &apart, 3, "windows some positions apart");
    }

    #[test]
    fn windows_of_another_size_or_of_the_axis_inside_are_no_factor() {
        let x = counting(&[(A, 12)]);
        let w = x.window(A, B, 4, 1);
        let (u, v) = (counting(&[(A, 9)]), counting(&[(B, 4)]));
        let windows = Windows { node: &w, axis: A, into: B, step: 1 };
        let others = [
            counting(&[(A, 13)]).window(A, B, 5, 1).slice(B, 0..4, 1),
            counting(&[(A, 21)]).window(A, B, 5, 2).slice(B, 0..4, 1),
            counting(&[(A, 20)]).window(A, B, 4, 2),
            w.flip(B),
            u.binary(Binary::Sub, &v),
            x.window(A, C, 4, 1).slice(C, 0..2, 1).rename(&[(C, B)]).pad(B, 0, 2, 0.0),
        ];
        for other in others {
            assert!(windows.before(&other, DEPTH).is_none(), "{:?}", other.op());
            assert!(owed(windows, &u.binary(Binary::Mul, &other).unary(Unary::Exp)).is_none());
        }
        let long = (0..100_000).fold(w.clone(), |long, _| long.unary(Unary::Neg));
        assert!(windows.before(&long, DEPTH).is_none() && owed(windows, &long).is_none(), "a long chain");
    }

    #[test]
    fn whatever_is_made_of_windows_owes_the_same_sum() {
        let mut found = 0;
        for seed in 0..600_u64 {
            let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
            let mut below = |n: u64| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 33) % n
            };
            let (inside, step) = (1 + below(4) as usize, 1 + below(2) as usize);
            let count = 1 + below(5) as usize;
            let whole = (count - 1) * step + inside;
            let w = counting(&[(A, whole), (D, 2)]).window(A, B, inside, step);
            let other = counting(&[(C, 2), (A, whole)]).window(A, B, inside, step);
            let leaves = [
                counting(&[(A, count), (D, 2)]),
                counting(&[(B, inside)]),
                counting(&[(A, count), (B, inside)]),
                counting(&[(C, 2), (A, count)]),
                counting(&[(D, 2)]),
                w.clone(),
                other,
            ];
            let mut g = leaves[below(7) as usize].clone();
            for _ in 0..1 + below(6) {
                let with = leaves[below(7) as usize].clone();
                g = match below(7) {
                    0..=2 => g.binary(Binary::Mul, &with),
                    3 => g.binary(Binary::Add, &with),
                    4 => with.binary(Binary::Sub, &g),
                    5 => g.binary(Binary::Div, &with),
                    _ => g.unary(Unary::Neg),
                };
            }
            if g.shape().has(C) {
                g = g.reduce(Reduction::Sum, &[C]);
            }
            // Of the larger one of two nothing is known.
            let all = g.spread(w.shape().only(&[A, B]));
            let all = all.binary(Binary::Max, &all);
            let [owed, plain] = [&g, &all].map(|g| windows::owed(&w, g, A, B, step));
            found += usize::from(!is_scattered(&owed));
            let numbers = |owed: &Node| read(&with_axes(owed, &[A, D], w.inputs()[0].shape()).merge(&[A, D], A));
            for (owed, plain) in numbers(&owed).into_iter().zip(numbers(&plain)) {
                assert!((owed - plain).abs() <= 1e-9 * plain.abs().max(1.0), "{seed}: {owed} and {plain}");
            }
        }
        assert!(found > 250, "{found} of 600");
    }
}
