//! Products of matrices at each of many neighbours, which lie side by side in both operands and in the result.
//!
//! Computes  `dst[b, i, j] = scale · Σₖ lhs[b, i, k] rhs[b, k, j]`  where b runs along the fastest axis of all three: what is
//! convolved along a text, channel by channel, where channels lie last. A register holds neighbours, and some rows or columns
//! of one operand share what is read of the other, so nothing is turned around.
//! Sums of [`TERMS`] terms are added to the whole, so the error is at most `2 (TERMS + k / TERMS) ε Σₖ |lhs rhs|`.
//! Neighbours that do not fill registers are taken together with the rows or columns that lie behind them in the same way, if
//! there are any; the operand that is the same for those is repeated.
//! Lives here: which products these are, and what threads share. Not here: the sums of some rows (`terms`), pairs without rows
//! and columns (`matmul::paired`).

mod terms;

use super::map::Tail;
use super::parallel::{self, Shared};
use super::simd::Lanes;
use super::span::{Odometer, Span, check_distinct, check_inside, row_major};
use super::{View, ViewMut, vectors};
use smallvec::SmallVec;
use terms::{Block, Stretch, TERMS, TOGETHER, Walk};

/// Neighbours of a part, where there are fewer blocks than [`FEW`] to share among threads.
const PART: usize = 64;
const FEW: usize = 32;
/// Bytes of an operand that is repeated, and numbers of each term: all of it stays in the nearest cache.
const NEAR: usize = 16 * 1024;
const WIDEST: usize = 512;
/// Results for each number of a term that is repeated, from which on it pays.
const WORTH: usize = 8;
/// Multiplications below which threads cost more than they bring.
const SMALL: usize = 64 * 1024;

/// An axis that the result has: its size, and how far its positions are apart in the operands and the result.
type Axis = (usize, [isize; 3]);

/// The axis of a batch along which neighbours lie, if products are taken here: there are rows or columns, and terms.
pub(super) fn neighbours(batch: &[usize], [m, k, n]: [usize; 3], strides: [&[isize]; 3]) -> Option<usize> {
    let is_one = |axis: &usize| batch[*axis] > 1 && strides.iter().all(|strides| strides[*axis] == 1);
    let are_some = m.saturating_mul(n) > 1 && k > 0 && !batch.contains(&0);
    (0..batch.len()).find(is_one).filter(|_| are_some)
}

/// What [`matmul`](super::matmul::matmul) computes, for the same arguments, where this axis of the batch is one of neighbours; of
/// the others any number may be summed.
///
/// # Panics
/// As it does, and if this axis is none of neighbours.
pub(super) fn products<T: Lanes>(
    scale: T,
    neighbours: usize,
    batch: &[usize],
    [m, k, n]: [usize; 3],
    lhs: View<'_, T>,
    rhs: View<'_, T>,
    dst: ViewMut<'_, T>,
    tail: Option<&Tail<'_>>,
) {
    let strides = [lhs.strides, rhs.strides, dst.strides];
    assert_eq!(strides.map(|strides| strides[neighbours]), [1; 3], "products: neighbours lie side by side");
    let all = |last: [usize; 2]| -> SmallVec<[usize; 8]> { batch.iter().copied().chain(last).collect() };
    let of_batch = (0..batch.len()).map(|axis| (batch[axis], strides.map(|strides| strides[axis])));
    let last = |operand: usize, at: usize| strides[operand][batch.len() + at];
    let (rows, columns) = ((m, [last(0, 0), 0, last(2, 0)]), (n, [0, last(1, 1), last(2, 1)]));
    let inner = (k, [last(0, 1), last(1, 0), 0]);
    let is_there = |axis: &Axis| axis.0 != 1;
    let (mut terms, mut kept): (SmallVec<[Axis; 8]>, SmallVec<[Axis; 8]>) = of_batch
        .enumerate()
        .filter(|&(axis, _)| axis != neighbours)
        .map(|(_, axis)| axis)
        .chain([rows, columns, inner])
        .filter(is_there)
        .partition(|axis| axis.1[2] == 0);
    check_inside("products: left operand", lhs.data.len(), lhs.offset, &all([m, k]), lhs.strides);
    check_inside("products: right operand", rhs.data.len(), rhs.offset, &all([k, n]), rhs.strides);
    let along = [(batch[neighbours], [1; 3])];
    let (outs, steps): (SmallVec<[usize; 8]>, SmallVec<[isize; 8]>) =
        kept.iter().chain(&along).map(|axis| (axis.0, axis.1[2])).unzip();
    check_inside("products: destination", dst.data.len(), dst.offset, &outs, &steps);
    check_distinct("products", &outs, &steps);
    if let Some(tail) = tail {
        let total = outs.iter().product();
        tail.check::<T>(total);
        assert_eq!(total, dst.data.len(), "products: a tail finishes all of the destination");
    }
    let one_of = |axis: &Axis| axis.1[..2].iter().position(|&stride| stride == 0);
    // Rows or columns that lie behind the neighbours are taken with them, if the operand that is the same for those is the same
    // for all.
    let mut size = batch[neighbours];
    let (mut operands, mut repeated, mut table) = ([lhs, rhs], None, Vec::new());
    let behind = (0..kept.len()).find_map(|at| {
        let one = one_of(&kept[at])?;
        let is_behind = kept[at].1[1 - one] == size as isize && kept[at].1[2] == size as isize;
        (is_behind && kept.iter().all(|axis| axis.1[one] == 0)).then_some((at, one))
    });
    if let Some((at, one)) = behind
        && let others = kept.iter().map(|axis| axis.0).product::<usize>() / kept[at].0
        && let Some(rows) = repeats::<T>(size, [kept[at].0, others], terms.iter().map(|axis| axis.0).product())
        && outs.iter().product::<usize>() >= WORTH * rows * size
    {
        table = repeat(operands[one], one, size, rows, &mut terms);
        (repeated, size) = (Some((one, rows * size)), size * kept.remove(at).0);
    }
    if let Some((one, _)) = repeated {
        operands[one] = View { data: &table, offset: 0, strides: &[] };
    }
    // Positions that share what is read of an operand: best those that read of the other one what the next term does.
    let slide = |&(_, apart): &Axis, one: usize| {
        let goes_on = |term: &Axis| term.1[1 - one] == apart[1 - one];
        if apart[one] == 0 { terms.iter().position(goes_on) } else { None }
    };
    let rank = |axis: &Axis| {
        let slides = one_of(axis).is_some_and(|one| slide(axis, one).is_some());
        let largest = axis.1[..2].iter().map(|stride| stride.unsigned_abs()).max();
        (slides, if slides { axis.0.min(TOGETHER) } else { axis.0 }, std::cmp::Reverse(largest))
    };
    let shared = (0..kept.len()).filter(|&axis| one_of(&kept[axis]).is_some()).max_by_key(|&axis| rank(&kept[axis]));
    let across = shared.map_or((1, [0; 3]), |axis| kept.remove(axis));
    // Of the two operands the one that is shared comes first.
    let order = if across.1[0] == 0 { [0, 1, 2] } else { [1, 0, 2] };
    let sliding = slide(&across, order[0]).map_or((1, [0; 3]), |term| terms.remove(term));
    let span = |axes: &[Axis]| {
        let sizes: SmallVec<[usize; 8]> = axes.iter().map(|axis| axis.0).collect();
        let strides = order.map(|at| -> SmallVec<[isize; 8]> { axes.iter().map(|axis| axis.1[at]).collect() });
        Span::new(&sizes, &strides.each_ref().map(|strides| &strides[..]))
    };
    let (kept, terms) = (span(&kept), span(&terms));
    let stretch = (sliding.0, [order[0], order[1]].map(|at| sliding.1[at]));
    let to = Shared::new(&mut *dst.data);
    let blocks = across.0.div_ceil(TOGETHER);
    let parts = if kept.total() * blocks < FEW { size.div_ceil(PART) } else { 1 };
    let part = repeated.map_or_else(|| size.div_ceil(parts).next_multiple_of(PART), |(_, part)| part);
    let parts = size.div_ceil(part);
    let first = |operand: usize| operands[order[operand]].data.as_ptr().wrapping_add(operands[order[operand]].offset);
    let all = terms.total() * stretch.0;
    let work = part.min(size) * TOGETHER.min(across.0) * all;
    // What is the same for all of them is found once.
    let walk = || Walk::new(&terms, stretch);
    let mut room = [Stretch::default(); TERMS];
    let few: &[_] = if all > TERMS { &[] } else { walk().next(&mut room) };
    parallel::for_each_range(kept.total() * blocks * parts, SMALL.div_ceil(work), |range| {
        let position = range.start / (blocks * parts);
        let mut at = [0, 1, 2].map(|operand| Odometer::new(&kept.sizes, &kept.strides[operand], position));
        for number in range {
            let (block, start) = (number / parts % blocks, number % parts * part);
            let top = block * TOGETHER;
            let from = |operand: usize| {
                // What is repeated is the same for each part.
                let start = if repeated.is_some_and(|(one, _)| one == order[operand]) { 0 } else { start };
                at[operand].distance + top as isize * across.1[order[operand]] + start as isize
            };
            let this = Block {
                scale,
                one: first(0).wrapping_offset(from(0)),
                other: first(1).wrapping_offset(from(1)),
                to: to.as_ptr().wrapping_add(dst.offset).wrapping_offset(from(2)),
                apart: [across.1[order[1]], across.1[2]],
                count: TOGETHER.min(across.0 - top),
                neighbours: part.min(size - start),
                along: stretch.1[0],
            };
            // SAFETY: every position of all axes was found to lie inside of the three slices, those of the result do not
            // overlap, and each is in one block and part, which is visited once.
            unsafe { this.compute(walk, few) };
            if number % (blocks * parts) == blocks * parts - 1 {
                at.iter_mut().for_each(Odometer::step);
            }
        }
    });
    tail.into_iter().for_each(|tail| tail.whole(dst.data));
}

/// How many rows or columns of so many neighbours are taken together, so that they fill registers; none if that is no gain. They
/// share no numbers then: where there are few others that do, registers have to be half empty.
fn repeats<T>(neighbours: usize, [rows, others]: [usize; 2], terms: usize) -> Option<usize> {
    let (lanes, most) = (vectors::lanes::<T>(), (NEAR / size_of::<T>().saturating_mul(terms)).min(WIDEST));
    // Sixty-fourths of the numbers that are computed for each that is one of the result.
    let cost = |rows: usize| (rows * neighbours).next_multiple_of(lanes) * 64 / (rows * neighbours);
    let best = (1..=rows.min(most / neighbours)).min_by_key(|&rows| (cost(rows), std::cmp::Reverse(rows)))?;
    let is_gain = if others < TOGETHER { 2 * cost(best) <= cost(1) } else { cost(best) + 4 < cost(1) };
    (best > 1 && is_gain).then_some(best)
}

/// The neighbours of an operand, repeated for so many rows or columns, term by term; its strides become those of this.
fn repeat<T: Lanes>(view: View<'_, T>, one: usize, size: usize, rows: usize, terms: &mut [Axis]) -> Vec<T> {
    let sizes: SmallVec<[usize; 8]> = terms.iter().map(|axis| axis.0).collect();
    let strides: SmallVec<[isize; 8]> = terms.iter().map(|axis| axis.1[one]).collect();
    let (mut at, all) = (Odometer::new(&sizes, &strides, 0), sizes.iter().product::<usize>());
    let mut table = Vec::with_capacity(all * rows * size);
    for _ in 0..all {
        let numbers = &view.data[view.offset.wrapping_add_signed(at.distance)..][..size];
        (0..rows).for_each(|_| table.extend_from_slice(numbers));
        at.step();
    }
    for (axis, stride) in terms.iter_mut().zip(row_major(&sizes)) {
        axis.1[one] = stride * (rows * size) as isize;
    }
    table
}

#[cfg(test)]
mod tests;
