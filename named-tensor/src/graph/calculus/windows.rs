//! What windows owe the axis that they were taken from.
//!
//! Computes, for  Z(i, j) = X(i·step + j),  what X(p) owes: the sum of g(i, j) where i·step + j = p.
//! Where g is itself a sum of products, of u that has the windows i and of v that has the positions j inside of them, as for a
//! convolution, this is a convolution too, of u between zeros with v in the opposite order:
//! Σ_{i + j = p} u(i) v(j)  =  Σ_a U(p + a) v(last - a),  with U(p + last) = u(p).  So g, which is as many times larger as a
//! window has positions, is never made.
//! Not here: the windows themselves (`op::window`), the adjoints of all else (`adjoint`).

use super::forms::{positions, with_axes};
use crate::axis::Name;
use crate::element::{Binary, Kind};
use crate::graph::shape::Names;
use crate::graph::{Node, Op, Shape};

/// What is owed to the axis of windows `node`, which are owed `g`.
pub(super) fn owed(node: &Node, g: &Node, axis: Name, into: Name, step: usize) -> Node {
    let size = |name| node.shape().size(name).unwrap_or(0);
    let (count, inside) = (size(axis), size(into));
    let whole = node.inputs().first().and_then(|x| x.shape().size(axis)).unwrap_or(0);
    if step == inside {
        // Windows side by side cover every position once.
        return with_axes(g, &[axis, into], node.shape()).merge(&[axis, into], axis);
    }
    if step == 1
        && let Some((u, v, summed)) = product(g, axis, into)
        && is_less_work([&u, &v], &summed, [axis, into])
    {
        return convolution([&u, &v], summed, [axis, into]);
    }
    let g = with_axes(g, &[axis, into], node.shape());
    let start = axis.freshened();
    let at = positions(start, count, 0, step).binary(Binary::Add, &Node::iota(into, inside));
    g.rename(&[(axis, start)]).scatter_add(&at, axis, whole, &[start, into])
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
fn is_less_work([u, v]: [&Node; 2], summed: &Names, [axis, into]: [Name; 2]) -> bool {
    let size = |name: Name| u.shape().size(name).or(v.shape().size(name)).unwrap_or(0);
    let terms = summed.iter().fold(1, |all: usize, &name| all.saturating_mul(size(name)));
    let is_row = |name: &Name| *name != into && !summed.contains(name) && !u.shape().has(*name);
    let rows = v.shape().names().filter(is_row).fold(1, |all: usize, name| all.saturating_mul(size(name)));
    size(into) <= size(axis) && (rows <= FEW || terms <= rows.saturating_mul(2))
}

/// The sum of u(i) v(j) at each position i + j.
fn convolution([u, v]: [&Node; 2], mut summed: Names, [axis, into]: [Name; 2]) -> Node {
    let inside = v.shape().size(into).unwrap_or(1);
    let last = Node::fill(Kind::Index, (inside - 1) as f64, Shape::default());
    let turned = v.gather(into, &last.binary(Binary::Sub, &Node::iota(into, inside)));
    summed.push(into);
    between_zeros(u, axis, inside - 1).window(axis, into, inside, 1).contract(&turned, &summed)
}

/// With so many zeros before and after the positions of an axis. Windows of other axes stay windows.
fn between_zeros(x: &Node, axis: Name, zeros: usize) -> Node {
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
        let (u, v) = (counting(&[(A, 4)]), counting(&[(B, 3)]));
        assert!(scattered(&x, u.binary(Binary::Mul, &v), 3, 2), "windows two apart");
        let (u, v) = (counting(&[(A, 4)]), counting(&[(B, 6)]));
        assert!(scattered(&x, u.binary(Binary::Mul, &v), 6, 1), "windows longer than there are");
    }
}
