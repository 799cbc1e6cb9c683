//! Primitives whose derivative is that of other primitives with the same meaning.
//!
//! Lives here: `Π_ax X` as a tree of products of halves. A quotient `Π X / X(i)` would be undefined at zeros, and its own
//! derivative wrong beside them; the tree is right everywhere, at any order. Not here: rules that need no detour.

use crate::axis::Name;
use crate::element::Binary;
use crate::graph::Node;

/// `Π_axes x`, for axes that are not empty.
pub(super) fn product(x: &Node, axes: &[Name]) -> Node {
    let (axis, mut x) = match axes {
        [] => return x.clone(),
        [axis] => (*axis, x.clone()),
        [first, ..] => {
            let joint = first.freshened();
            (joint, x.merge(axes, joint))
        }
    };
    let mut rest: Option<Node> = None;
    let mut size = x.shape().size(axis).unwrap_or(1);
    while size > 1 {
        if size % 2 == 1 {
            let last = x.at(axis, size - 1);
            rest = Some(rest.map_or(last.clone(), |rest| rest.binary(Binary::Mul, &last)));
        }
        let half = size / 2;
        x = x.slice(axis, 0..half, 1).binary(Binary::Mul, &x.slice(axis, half..2 * half, 1));
        size = half;
    }
    let product = x.at(axis, 0);
    rest.map_or(product.clone(), |rest| product.binary(Binary::Mul, &rest))
}
