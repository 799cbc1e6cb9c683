//! What windows owe the axis that they were taken from.
//!
//! Computes, for  Z(i, j) = X(i·step + j),  what X(p) owes: the sum of g(i, j) where i·step + j = p.
//! Where g is itself a sum of products, of u that has the windows i and of v that has the positions j inside of them, as for a
//! convolution, this is a convolution too, of u between zeros with v in the opposite order:
//! Σ_{i + j = p} u(i) v(j)  =  Σ_a U(p + a) v(last - a),  with U(p + last) = u(p).  So g, which is as many times larger as a
//! window has positions, is never made.
//! Of windows that are `step` apart each position  p = q·step + r  is met by those  j = k·step + r  alone: with r as an axis
//! besides, what q is owed is Σ_{i + k = q}, as of windows one apart.
//! Not here: the windows themselves (`op::window`), functions of windows (`windowed`), the adjoints of all else (`adjoint`).

use super::forms::{positions, with_axes};
use super::windowed::{self, Windows};
use crate::axis::Name;
use crate::element::Binary;
use crate::graph::shape::Names;
use crate::graph::{Node, Op};

/// What is owed to the axis of windows `node`, which are owed `g`.
pub(super) fn owed(node: &Node, g: &Node, axis: Name, into: Name, step: usize) -> Node {
    let size = |name| node.shape().size(name).unwrap_or(0);
    let (count, inside) = (size(axis), size(into));
    let whole = node.inputs().first().and_then(|x| x.shape().size(axis)).unwrap_or(0);
    if step >= inside {
        // Windows side by side cover every position once; between others nothing is owed.
        let g = with_axes(g, &[axis, into], node.shape());
        let g = if step == inside { g } else { g.pad(into, 0, step - inside, 0.0) };
        return first(&g.merge(&[axis, into], axis), axis, whole);
    }
    if let Some(owed) = windowed::owed(Windows { node, axis, into, step }, g) {
        return owed;
    }
    let g = with_axes(g, &[axis, into], node.shape());
    let start = axis.freshened();
    let at = positions(start, count, 0, step).binary(Binary::Add, &Node::iota(into, inside));
    g.rename(&[(axis, start)]).scatter_add(&at, axis, whole, &[start, into])
}

/// So many positions of an axis, from the first one on.
fn first(x: &Node, axis: Name, count: usize) -> Node {
    if x.shape().size(axis) == Some(count) { x.clone() } else { x.slice(axis, 0..count, 1) }
}

/// What is owed as a convolution, if `g` is a sum of products, or has been made of one by operations on other axes: those are
/// done to what is owed. `flipped` says along which of the two axes `g` is from its end on.
pub(super) fn convolved(
    g: &Node,
    [axis, into]: [Name; 2],
    flipped: [bool; 2],
    step: usize,
    depth: usize,
) -> Option<Node> {
    let depth = depth.checked_sub(1)?;
    if let Some((u, v, summed)) = product(g, axis, into) {
        if !is_less_work([&u, &v], &summed, [axis, into], step) {
            return None;
        }
        let flip = |x: Node, along, is_flipped| if is_flipped { x.flip(along) } else { x };
        let (u, v) = (flip(u, axis, flipped[0]), flip(v, into, flipped[1]));
        return Some(phases([&u, &v], summed, [axis, into], step));
    }
    let [x] = g.inputs() else { return None };
    match *g.op() {
        Op::Rename => {
            let before = |name| x.shape().names().nth(g.shape().position(name)?);
            let owed = convolved(x, [before(axis)?, before(into)?], flipped, step, depth)?;
            let names = x.shape().names().zip(g.shape().names());
            Some(owed.rename(&names.filter(|&(name, _)| owed.shape().has(name)).collect::<Vec<_>>()))
        }
        Op::Flip(along) if along == axis || along == into => {
            let flipped = [flipped[0] != (along == axis), flipped[1] != (along == into)];
            convolved(x, [axis, into], flipped, step, depth)
        }
        Op::Merge(_, other)
        | Op::Slice { axis: other, .. }
        | Op::Flip(other)
        | Op::Pad { axis: other, value: 0.0, .. }
            if other != axis && other != into =>
        {
            Some(g.again(&[convolved(x, [axis, into], flipped, step, depth)?]))
        }
        _ => None,
    }
}

/// The factors whose product, summed over some axes, `g` is: that which has `axis`, and that which has `into`.
fn product(g: &Node, axis: Name, into: Name) -> Option<(Node, Node, Names)> {
    let summed = match g.op() {
        Op::Contract(axes) => axes.iter().copied().collect(),
        Op::Binary(Binary::Mul) => Names::new(),
        _ => return None,
    };
    let [x, y] = g.inputs() else { return None };
    let has = |node: &Node, one: Name, other: Name| node.shape().has(one) && !node.shape().has(other);
    match () {
        () if g.error().is_some() => None,
        () if has(x, axis, into) && has(y, into, axis) => Some((x.clone(), y.clone(), summed)),
        () if has(y, axis, into) && has(x, into, axis) => Some((y.clone(), x.clone(), summed)),
        () => None,
    }
}

/// Rows of a product for which windows are read where they lie.
const FEW: usize = 4;

/// Whether a convolution takes less time than g and its sums. It is over more positions, those between the zeros; and to pack a
/// number for each term takes about half as long as to write one for each row and to add it where it belongs. For a few rows
/// nothing is packed.
fn is_less_work([u, v]: [&Node; 2], summed: &Names, [axis, into]: [Name; 2], step: usize) -> bool {
    let size = |name: Name| u.shape().size(name).or(v.shape().size(name)).unwrap_or(0);
    let terms = summed.iter().fold(1, |all: usize, &name| all.saturating_mul(size(name)));
    let is_row = |name: &Name| *name != into && !summed.contains(name) && !u.shape().has(*name);
    let rows = v.shape().names().filter(is_row).fold(step, |all: usize, name| all.saturating_mul(size(name)));
    size(into).div_ceil(step) <= size(axis) && (rows <= FEW || terms <= rows.saturating_mul(2))
}

/// The sum of u(i) v(j) at each position i · step + j.
fn phases([u, v]: [&Node; 2], summed: Names, [axis, into]: [Name; 2], step: usize) -> Node {
    if step == 1 {
        return convolution([u, v], summed, [axis, into]);
    }
    let size = |node: &Node, name| node.shape().size(name).unwrap_or(1);
    let (whole, phase) = ((size(u, axis) - 1) * step + size(v, into), axis.freshened());
    let steps = size(v, into).div_ceil(step);
    let v = v.pad(into, 0, steps * step - size(v, into), 0.0).split(into, &[(into, Some(steps)), (phase, Some(step))]);
    first(&convolution([u, &v], summed, [axis, into]).merge(&[axis, phase], axis), axis, whole)
}

/// The sum of u(i) v(j) at each position i + j.
fn convolution([u, v]: [&Node; 2], mut summed: Names, [axis, into]: [Name; 2]) -> Node {
    let inside = v.shape().size(into).unwrap_or(1);
    summed.push(into);
    between_zeros(u, axis, inside - 1).window(axis, into, inside, 1).contract(&v.flip(into), &summed)
}

/// With so many zeros before and after the positions of an axis. Windows of other axes stay windows.
pub(super) fn between_zeros(x: &Node, axis: Name, zeros: usize) -> Node {
    match (x.op(), x.inputs()) {
        (&Op::Window { axis: other, into, step }, [of]) if other != axis && into != axis => {
            let size = x.shape().size(into).unwrap_or(0);
            between_zeros(of, axis, zeros).window(other, into, size, step)
        }
        _ => x.pad(axis, zeros, zeros, 0.0),
    }
}

#[cfg(test)]
mod tests {
    /// So many operations on other axes are looked through.
    const DEPTH: usize = 16;

    use super::*;
    use crate::element::Unary;
    use crate::graph::testing::{A, B, C, D, counting, read};

    /// Whether a sum is over computed positions anywhere in a graph.
    fn is_scattered(node: &Node) -> bool {
        matches!(node.op(), Op::ScatterAdd { .. }) || node.inputs().iter().any(is_scattered)
    }

    #[test]
    fn what_a_product_owes_to_windows_is_a_convolution_and_the_same_sum() {
        for (count, inside) in [(1, 1), (5, 1), (4, 3), (9, 4), (7, 7)] {
            let x = counting(&[(A, count + inside - 1), (D, 3)]);
            let windows = x.window(A, B, inside, 1);
            let (u, v) = (counting(&[(C, 2), (A, count), (D, 3)]), counting(&[(B, inside), (C, 2)]));
            for g in [u.contract(&v, &[C]), v.contract(&u, &[C]), u.binary(Binary::Mul, &v), v.binary(Binary::Mul, &u)]
            {
                let (found, plain) = (owed(&windows, &g, A, B, 1), owed(&windows, &g.unary(Unary::Abs), A, B, 1));
                assert!(!is_scattered(&found) && (is_scattered(&plain) || inside == 1), "{count} of {inside}");
                let rest = found.binary(Binary::Sub, &plain);
                assert_eq!(rest.shape().rank(), plain.shape().rank());
                assert!(read(&rest).iter().all(|&rest: &f64| rest == 0.0), "{count} windows of {inside}");
            }
        }
    }

    #[test]
    fn windows_some_positions_apart_owe_a_convolution_and_the_same_sum() {
        for (count, inside, step) in [(4, 3, 2), (5, 4, 2), (3, 5, 2), (6, 5, 3), (2, 4, 3), (3, 7, 3), (1, 3, 2)] {
            let x = counting(&[(A, (count - 1) * step + inside), (D, 3)]);
            let windows = x.window(A, B, inside, step);
            let (u, v) = (counting(&[(C, 2), (A, count), (D, 3)]), counting(&[(B, inside), (C, 2)]));
            for g in [u.contract(&v, &[C]), v.binary(Binary::Mul, &u)] {
                let [found, plain] = [g.clone(), g.unary(Unary::Abs)].map(|g| owed(&windows, &g, A, B, step));
                assert_eq!([is_scattered(&found), is_scattered(&plain)], [inside.div_ceil(step) > count, true]);
                assert_eq!(found.shape().size(A), x.shape().size(A));
                let rest = found.binary(Binary::Sub, &plain);
                assert!(read(&rest).iter().all(|&rest: &f64| rest == 0.0), "{count} of {inside}, {step} apart");
            }
        }
    }

    #[test]
    fn windows_that_do_not_meet_owe_what_they_are_owed_and_nothing_between() {
        for (count, inside, step) in [(4, 2, 3), (3, 1, 4), (1, 2, 5), (3, 2, 2)] {
            let x = counting(&[(A, (count - 1) * step + inside), (D, 2)]);
            let windows = x.window(A, B, inside, step);
            for g in [counting(&[(D, 2), (A, count), (B, inside)]), counting(&[(A, count)]), counting(&[(B, inside)])] {
                let found = owed(&windows, &g, A, B, step);
                assert!(!is_scattered(&found), "no sum is over computed positions");
                let all = g.spread(windows.shape().only(&[A, B]));
                let at = positions(A, count, 0, step).binary(Binary::Add, &Node::iota(B, inside));
                let plain = all.scatter_add(&at, C, x.shape().size(A).unwrap(), &[A, B]).rename(&[(C, A)]);
                let rest = found.binary(Binary::Sub, &plain);
                assert!(read(&rest).iter().all(|&rest: &f64| rest == 0.0), "{count} of {inside}, {step} apart");
            }
        }
    }

    #[test]
    fn what_is_done_to_other_axes_is_done_to_what_is_owed() {
        let x = counting(&[(A, 9), (D, 5)]);
        let windows = x.window(A, B, 3, 2);
        let [inner, inside, deep] = [A.freshened(), B.freshened(), D.freshened()];
        let (u, v) = (counting(&[(C, 2), (inner, 4), (D, 2)]), counting(&[(inside, 3), (C, 2), (deep, 3)]));
        let g = u.contract(&v, &[C]).merge(&[D, deep], D).slice(D, 1..5, 1).pad(D, 1, 0, 0.0);
        let g = g.rename(&[(inner, A), (inside, B)]);
        let [found, plain] = [g.clone(), g.unary(Unary::Abs)].map(|g| owed(&windows, &g, A, B, 2));
        assert_eq!([is_scattered(&found), is_scattered(&plain)], [false, true]);
        assert!(read(&found.binary(Binary::Sub, &plain)).iter().all(|&rest: &f64| rest == 0.0));
        let some = u.contract(&v, &[C]).rename(&[(inner, A), (inside, B)]);
        for cut in [some.slice(A, 0..3, 1), some.slice(B, 0..2, 1), some.pad(A, 0, 1, 0.0)] {
            assert!(convolved(&cut, [A, B], [false; 2], 2, DEPTH).is_none(), "windows themselves");
        }
        let others = [g.pad(D, 0, 1, 3.0).slice(D, 0..5, 1), g.unary(Unary::Neg).merge(&[A, B], A)];
        assert!(
            others.iter().all(|g| convolved(g, [A, B], [false; 2], 2, DEPTH).is_none()),
            "a sum of borders is no border"
        );
        let long = (0..200_000).fold(g, |g, _| g.rename(&[(A, B), (B, A)]));
        assert!(convolved(&long, [A, B], [false; 2], 2, DEPTH).is_none(), "a long chain");
    }

    #[test]
    fn flipped_windows_owe_a_convolution_with_what_is_not_flipped() {
        let x = counting(&[(A, 9), (D, 5)]);
        let inside = B.freshened();
        let (u, v) = (counting(&[(C, 2), (A, 4), (D, 5)]), counting(&[(inside, 3), (C, 2)]));
        for flips in [&[A][..], &[B], &[A, B], &[B, D, B], &[D, A]] {
            let g = u.contract(&v, &[C]).rename(&[(inside, B)]);
            let g = flips.iter().fold(g, |g, &axis| g.flip(axis));
            let windows = x.window(A, B, 3, 2);
            let [found, plain] = [g.clone(), g.unary(Unary::Abs)].map(|g| owed(&windows, &g, A, B, 2));
            assert_eq!([is_scattered(&found), is_scattered(&plain)], [false, true]);
            assert!(read(&found.binary(Binary::Sub, &plain)).iter().all(|&rest: &f64| rest == 0.0), "{flips:?}");
        }
    }

    #[test]
    fn windows_along_two_axes_owe_one_convolution() {
        let x = counting(&[(A, 8), (D, 9)]);
        let [inside, beside] = [B, D.freshened()];
        let lines = x.window(D, beside, 3, 1);
        let windows = lines.window(A, inside, 2, 1);
        let (u, v) =
            (counting(&[(C, 2), (A, 7), (D, 7)]), counting(&[(C, 2), (inside, 2), (beside, 3), (C.freshened(), 2)]));
        let owed_by = |g: &Node| owed(&lines, &owed(&windows, g, A, inside, 1), D, beside, 1);
        let g = u.contract(&v, &[C]);
        let (found, plain) = (owed_by(&g), owed_by(&g.unary(Unary::Abs)));
        assert!(!is_scattered(&found), "no sum is over computed positions");
        assert!(read(&found.binary(Binary::Sub, &plain)).iter().all(|&rest: &f64| rest == 0.0));
    }

    #[test]
    fn a_sum_of_more_terms_than_rows_and_steps_and_long_windows_are_summed_where_they_were_taken() {
        let x = counting(&[(A, 9)]);
        let rows = C.freshened();
        let (u, v) = (counting(&[(C, 11), (A, 7)]), counting(&[(B, 3), (C, 11), (rows, 5)]));
        let scattered =
            |x: &Node, g: Node, size, step| is_scattered(&owed(&x.window(A, B, size, step), &g, A, B, step));
        assert!(scattered(&x, u.contract(&v, &[C]), 3, 1), "eleven terms for five rows");
        let (u, v) = (counting(&[(C, 10), (A, 7)]), counting(&[(B, 3), (C, 10), (rows, 5)]));
        assert!(!scattered(&x, u.contract(&v, &[C]), 3, 1), "ten");
        let (u, v) = (counting(&[(C, 11), (A, 4)]), counting(&[(B, 3), (C, 11), (rows, 5)]));
        assert!(!scattered(&x, u.contract(&v, &[C]), 3, 2), "eleven terms for five rows of each of two phases");
        let (u, v) = (counting(&[(A, 4)]), counting(&[(B, 6)]));
        assert!(scattered(&x, u.binary(Binary::Mul, &v), 6, 1), "windows longer than there are");
    }
}
