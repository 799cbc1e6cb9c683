//! Operands of products that are packed from where they lie, as the windows of a picture are.
//!
//! Where no single stride walks through the summed axes of an operand, or through those that the result has of it, it would be
//! copied first. Lives here: which operands the kernel packs instead, axis by axis. Not here: all other choices (`contract`), the
//! packing (`kernel::matmul`).

use super::contract::{Axis, Loop, Product};
use super::layout::{Order, far_first};
use super::simplify::{Items, Work};
use super::weighed;
use crate::graph::Op;
use crate::graph::shape::Names;
use crate::kernel::order::sort_few;

/// One of the operands of a product.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    Left,
    Right,
}

/// The axes of an operand that is packed from where it lies, with sizes and strides: those that are summed, and those that the
/// result has of it alone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Windows {
    pub(super) side: Side,
    pub(super) terms: Box<[(usize, isize)]>,
    pub(super) columns: Box<[(usize, isize)]>,
}

impl Windows {
    /// All of its axes, to be changed.
    pub(super) fn axes(&mut self) -> impl Iterator<Item = &mut (usize, isize)> {
        self.terms.iter_mut().chain(&mut self.columns)
    }
}

/// Rows of the other operand, terms, and positions of this one from which on panels are repaid.
const LEAST: [usize; 3] = [8, 16, 64];
/// Positions of a picture that is not small.
const LARGE: usize = 256;
/// Neighbours that are packed together are so far apart at most, and so many are worth it.
const PACKED: (isize, usize) = (3, 8);
/// Rows for which nothing is packed.
const FEW: usize = 4;
/// Neighbours that are read together then.
const READ: (isize, usize) = (1, 16);

impl Side {
    /// The stride of an axis in this operand.
    fn stride(self, axis: &Axis) -> isize {
        if self == Side::Left { axis.left } else { axis.right }
    }
}

/// Puts the axes of an operand in windows that the result has of it, `only`, in the order in which they were named, but for
/// neighbours, which stay last. The first ones, of which windows are not taken, are looped over as those are that `both`
/// operands have: of each picture there is a product then, whose results lie one after the other as pictures do. Not if
/// pictures are small: side by side they fill panels.
pub(super) fn set_apart(side: Side, axes: &[Axis], both: &mut Order, summed: &Order, only: &mut Order) {
    let stride = |at: usize| side.stride(&axes[at]);
    let last = only.last().copied().filter(|&at| (1..=PACKED.0).contains(&stride(at)));
    sort_few(only, |&at| (Some(at) == last, at));
    let is_window = |at: usize| {
        let inside = |&term: &usize| stride(term) > 0 && stride(at) % stride(term) == 0;
        let reach =
            |term: &usize| stride(*term).saturating_mul(isize::try_from(axes[*term].size).unwrap_or(isize::MAX));
        summed.iter().any(|term| inside(term) && stride(at) < reach(term))
    };
    while let [first, rest @ ..] = &only[..]
        && !is_window(*first)
        && !weighed::is_less(rest.iter().map(|&at| axes[at].size).product(), LARGE)
    {
        both.push(only.remove(0));
    }
    sort_few(both, |&at| far_first(stride(at)));
}

/// Whether some of these axes lie inside of windows that an item is views of. Were those the keys of attention, they would be
/// written out, and no two queries would share any.
pub(super) fn are_inside(items: &Items<'_>, mut item: u32, axes: &Names) -> bool {
    while let (Work::Op(Op::Window { into, .. }), &[of]) = (items.item(item).work, &items.item(item).inputs[..]) {
        if axes.contains(into) {
            return true;
        }
        item = of;
    }
    false
}

/// The product of an operand that is copied, without the copy, if the kernel can pack or read it where it lies: neighbours, of
/// which there are some, along the last of its axes, and everything forwards. `both`, `summed` and `only` are the axes of this
/// operand.
pub(super) fn of(
    side: Side,
    mut product: Product,
    axes: &[Axis],
    [both, summed, only]: [&Order; 3],
) -> Option<Product> {
    let stride = |axis: &Axis| side.stride(axis);
    let lying = |order: &Order| -> Box<[(usize, isize)]> {
        order.iter().map(|&at| (axes[at].size, stride(&axes[at]))).collect()
    };
    let (terms, columns) = (lying(summed), lying(only));
    let other = if side == Side::Left { &product.columns } else { &product.rows };
    let sizes = [other.size, product.inner.size, columns.iter().map(|axis| axis.0).product()];
    let follow = |axes: &[(usize, isize)], (apart, few): (isize, usize)| {
        axes.last().is_some_and(|&(size, stride)| (1..=apart).contains(&stride) && !weighed::is_less(size, few))
    };
    let other = if side == Side::Left {
        [product.columns.right, product.inner.right]
    } else {
        [product.rows.left, product.inner.left]
    };
    let is_forwards = terms.iter().chain(&columns).all(|axis| axis.1 >= 0) && other.iter().all(|&stride| stride >= 0);
    let is_packed = || {
        let is_large = sizes.iter().zip(LEAST).all(|(&size, least)| !weighed::is_less(size, least));
        is_large && other.contains(&1) && (follow(&columns, PACKED) || follow(&terms, (1, PACKED.1)))
    };
    let is_read = || {
        let are_few = !weighed::is_less(FEW, sizes[0]) && sizes[1..].iter().all(|&size| !weighed::is_less(size, 2));
        let by_terms = || other[1] == 1 && weighed::is_less(sizes[2], LEAST[2]) && follow(&terms, READ);
        are_few && (follow(&columns, READ) || by_terms())
    };
    if !(is_forwards && (is_packed() || is_read())) {
        return None;
    }
    // Where it lies in the axes that both operands have.
    for (axis, &at) in product.batch.iter_mut().zip(both) {
        *if side == Side::Left { &mut axis.left } else { &mut axis.right } = stride(&axes[at]);
    }
    match side {
        Side::Left => product.copy_left = None,
        Side::Right => product.copy_right = None,
    }
    product.windows = Some(Windows { side, terms, columns });
    Some(product)
}

impl Product {
    /// The same product with the operands exchanged.
    pub(super) fn turned(mut self) -> Product {
        let turned = |axis: Loop| Loop { left: axis.right, right: axis.left, ..axis };
        self.batch.iter_mut().for_each(|axis| *axis = turned(*axis));
        Product {
            copy_left: self.copy_right,
            copy_right: self.copy_left,
            rows: turned(self.columns),
            columns: turned(self.rows),
            inner: turned(self.inner),
            ..self
        }
    }
}
