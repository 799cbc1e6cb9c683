//! Products at each of many neighbours, as those are of what is convolved channel by channel.
//!
//! Where the fastest axis of the larger operand is one that the other one and the result have as well, and there is no large
//! matrix at each of its positions, the result lies along it too, and nothing is turned around but the smaller operand.
//! Lives here: when that is so, and the description. Not here: all other products (`contract`), the loop (`kernel::each`).

use smallvec::SmallVec;

use super::{Axis, Loop, Product, Wanted, arranged, runs, take_largest};
use crate::graph::value::row_major;
use crate::kernel::order::sort_few;
use crate::plan::layout::Order;
use crate::plan::weighed;

/// Neighbours that are worth it.
const LEAST: usize = 8;
/// Rows, columns or terms of which matrices are not large.
const FEW: usize = 4;

/// The description of such a product; none if it is none.
pub(super) fn of(given: &[Axis], tail: Wanted<'_>) -> Option<Product> {
    let is_both = |axis: &Axis| !axis.summed && axis.left != 0 && axis.right != 0;
    given.iter().find(|axis| is_both(axis) && (axis.left == 1 || axis.right == 1))?;
    let size = |is_of: &dyn Fn(&Axis) -> bool| -> usize {
        given.iter().filter(|axis| is_of(axis)).fold(1, |all, axis| all.saturating_mul(axis.size))
    };
    let is_right = weighed::is_less(size(&|axis| axis.left != 0), size(&|axis| axis.right != 0));
    let along = |axis: &Axis| if is_right { [axis.right, axis.left] } else { [axis.left, axis.right] };
    let neighbours = given.iter().position(|axis| is_both(axis) && along(axis)[0] == 1)?;
    let only = |left: bool| move |axis: &Axis| !axis.summed && (axis.left != 0) == left && (axis.right != 0) != left;
    let sizes = [size(&only(true)), size(&only(false)), size(&|axis| axis.summed)];
    let is_few = |&size: &usize| !weighed::is_less(FEW, size);
    // Windows are many times larger than what they are taken of: a copy costs more than registers that are not full.
    let is_alone = |axis: &&Axis| !axis.summed && along(axis)[1] == 0 && along(axis)[0] != 0;
    let slides = |axis: &Axis| given.iter().any(|term| term.summed && along(term)[0] == along(axis)[0]);
    let least = if given.iter().filter(is_alone).any(slides) { 2 } else { LEAST };
    if weighed::is_less(given[neighbours].size, least) || sizes[..2] == [1, 1] || !sizes.iter().any(is_few) {
        return None;
    }
    let mut axes: SmallVec<[Axis; 8]> = given.into();
    let copy = (along(&axes[neighbours])[1] != 1).then(|| {
        let has = |axis: &Axis| if is_right { axis.has.0 } else { axis.has.1 };
        let mut order: Order = (0..axes.len()).filter(|&at| has(&axes[at])).collect();
        sort_few(&mut order, |&at| (at == neighbours, -along(&axes[at])[1]));
        for (&at, stride) in order.iter().zip(row_major(order.iter().map(|&at| axes[at].size))) {
            *(if is_right { &mut axes[at].left } else { &mut axes[at].right }) = stride;
        }
        order
    });
    let pick = |wanted: &dyn Fn(&Axis) -> bool| -> Order {
        let is_one = |&at: &usize| at != neighbours && axes[at].size != 1 && wanted(&axes[at]);
        let mut order: Order = (0..axes.len()).filter(is_one).collect();
        sort_few(&mut order, |&at| along(&axes[at]).map(std::ops::Neg::neg));
        order
    };
    let [mut terms, mut rows, mut columns] =
        [pick(&|axis| axis.summed), pick(&only(true)), pick(&only(false))].map(|order| runs(&axes, &order));
    // A copy has numbers of its own where the operand repeated itself: then there may be pairs alone.
    if rows.is_empty() && columns.is_empty() {
        return None;
    }
    // Also those along which both operands repeat themselves.
    let both = pick(&|axis| !axis.summed && (axis.left != 0) == (axis.right != 0));
    // The result lies as the larger operand does; what that has not comes before the neighbours.
    let ones = (0..axes.len()).filter(|&at| axes[at].size == 1 && !axes[at].summed && at != neighbours);
    let mut units: SmallVec<[Order; 8]> = both.iter().map(|&at| Order::from_slice(&[at])).collect();
    units.extend(rows.iter().chain(&columns).cloned());
    sort_few(&mut units, |unit| {
        let stride = unit.last().map_or(0, |&at| along(&axes[at])[0]);
        (stride == 0, -stride)
    });
    units.extend(ones.map(|at| Order::from_slice(&[at])));
    let last = Order::from_slice(&[neighbours]);
    units.push(last.clone());
    let order = arranged(units, tail, [&last; 2]);
    let mut out: SmallVec<[isize; 8]> = SmallVec::from_elem(0, axes.len());
    for (&at, stride) in order.iter().zip(row_major(order.iter().map(|&at| axes[at].size))) {
        out[at] = stride;
    }
    let single = |run: &[usize]| Loop {
        size: run.iter().map(|&at| axes[at].size).product(),
        left: run.last().map_or(0, |&at| axes[at].left),
        right: run.last().map_or(0, |&at| axes[at].right),
        out: run.last().map_or(0, |&at| out[at]),
    };
    let [inner, row, column] = [&mut terms, &mut rows, &mut columns].map(|runs| single(&take_largest(&axes, runs)));
    let batch = both.iter().chain(&last).map(std::slice::from_ref);
    let batch = batch.chain(rows.iter().chain(&columns).chain(&terms).map(|run| &run[..]));
    let batch = batch.map(single).collect();
    let (copy_left, copy_right) = if is_right { (copy, None) } else { (None, copy) };
    Some(Product { copy_left, copy_right, batch, rows: row, columns: column, inner, order, windows: None })
}
