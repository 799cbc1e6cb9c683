//! Products of matrices.
//!
//! Computes  `dst[b, i, j] = scale · Σₖ lhs[b, i, k] rhs[b, k, j]`  over a space of batch axes, all with any strides, and
//! then what a tail makes of it. The sum may be one over two axes that no single stride walks through.
//! Lives here: which batch axes are really rows or columns, and how the work is cut into pieces. A piece is as large as
//! stays in the second-level cache, so that the tail finds it there. Not here: the product of one piece (`product`).
//! The order of the sum over `k` is that of `gemm`, or in panels from the first term to the last, in parts; of two axes the
//! outer one goes from the first to the last. With `k` terms in all the error is at most `2 k ε Σₖ |lhs rhs|`, with
//! ε = 2⁻²⁴ (`f64`: 2⁻⁵³).

mod dots;
mod far;
mod gemm;
mod packing;
mod paired;
mod panelled;
mod pieces;
mod product;
mod shallow;
mod sliding;
mod thin;
mod turned;
mod unpacked;
mod windows;

use super::map::Tail;
use super::near;
use super::parallel::{self, Shared, grain_of};
use super::pool;
use super::simd::Lanes;
use super::span::{Odometer, Span, check_distinct, check_inside};
use super::{View, ViewMut};
use dots::dots;
pub(super) use gemm::{Multiply, take_away};
use paired::{is_paired, is_run, is_tall};
use pieces::cut;
use product::{Axis, Product};
use smallvec::SmallVec;
pub(crate) use windows::{Windows, windowed};

/// Multiplications below which threads cost more than they bring.
const SMALL: usize = 128 * 1024;
/// Multiplications that take as long as to begin a product of a few.
const BEGINNING: usize = 1024;
/// So many rows times columns are pairs of vectors, which have so many terms: more would be read from far away for each.
const FEW: usize = 8;
const TERMS: std::ops::RangeInclusive<usize> = 128..=4096;
/// Rows or columns of a part of a product of few columns or rows are a multiple of this.
const TILE: usize = 16;

/// The product of `lhs`, a view over `batch`, rows `m` and `k`, and `rhs`, a view over `batch`, `k` and columns `n`.
/// An axis of the batch along which `dst` has no stride, one at most, is summed as well.
/// `dst` is a view over `batch`, `m` and `n`; what it held does not matter. An empty sum is 0. A tail finishes all
/// elements of the slice of `dst`, which then has no others.
///
/// # Panics
/// If a view leaves its slice, if positions of the destination overlap, or if the tail is one of another result.
pub(crate) fn matmul<T: Lanes>(
    scale: T,
    batch: &[usize],
    [m, k, n]: [usize; 3],
    lhs: View<'_, T>,
    rhs: View<'_, T>,
    mut dst: ViewMut<'_, T>,
    tail: Option<&Tail<'_>>,
) {
    // Before anything else: a small product takes less time than to prepare for a large one.
    if batch.is_empty() && tail.is_none() && near::product(scale, [m, k, n], lhs, rhs, &mut dst) {
        return;
    }
    let with = |rows: usize, columns: usize| -> SmallVec<[usize; 8]> {
        batch.iter().copied().chain([rows, columns]).collect()
    };
    let is_summed = |axis: usize| batch[axis] != 1 && dst.strides[axis] == 0;
    let outer = (0..batch.len()).find(|&axis| is_summed(axis)).map(|axis| {
        assert!((axis + 1..batch.len()).all(|other| !is_summed(other)), "matmul: two axes of the batch are summed");
        (axis, (batch[axis], lhs.strides[axis], rhs.strides[axis]))
    });
    let (outer_axis, outer) = outer.unzip();
    let kept = |axis: usize| Some(axis) != outer_axis;
    let out = |rows: usize, columns: usize| -> SmallVec<[usize; 8]> {
        let batch = batch.iter().enumerate().map(|(axis, &size)| if kept(axis) { size } else { 1 });
        batch.chain([rows, columns]).collect()
    };
    let total = out(m, n).iter().product::<usize>();
    if let Some(tail) = tail {
        tail.check::<T>(total);
        assert_eq!(total, dst.data.len(), "matmul: a tail finishes all of the destination");
    }
    if batch.is_empty() && tail.is_some() && near::product(scale, [m, k, n], lhs, rhs, &mut dst) {
        return tail.into_iter().for_each(|tail| tail.whole(dst.data));
    }
    check_inside("matmul: left operand", lhs.data.len(), lhs.offset, &with(m, k), lhs.strides);
    check_inside("matmul: right operand", rhs.data.len(), rhs.offset, &with(k, n), rhs.strides);
    check_inside("matmul: destination", dst.data.len(), dst.offset, &out(m, n), dst.strides);
    check_distinct("matmul", &out(m, n), dst.strides);
    if total == 0 {
        return;
    }
    let ([l_row, l_inner], [r_inner, r_column]) = (last_two(lhs.strides), last_two(rhs.strides));
    let [d_row, d_column] = last_two(dst.strides);
    // A sum over nothing is 0 as one without terms is.
    let (outer, k) = if outer.is_some_and(|(size, ..)| size == 0) { (None, 0) } else { (outer, k) };
    let mut axes: SmallVec<[Axis; 4]> = (0..batch.len())
        .filter(|&i| kept(i))
        .map(|i| Axis { size: batch[i], lhs: lhs.strides[i], rhs: rhs.strides[i], dst: dst.strides[i] })
        .filter(|axis| axis.size != 1)
        .collect();
    let mut rows = Axis { size: m, lhs: l_row, rhs: 0, dst: d_row };
    let mut columns = Axis { size: n, lhs: 0, rhs: r_column, dst: d_column };
    while let Some(i) = axes.iter().position(|&axis| rows.absorbs(axis) || columns.absorbs(axis)) {
        axes.remove(i);
    }
    // Of a few vectors at each of many positions each is a pair with each: a product of so few would take longer to begin.
    let along = [l_inner, r_inner] == [1; 2] && TERMS.contains(&k) && outer.is_none();
    if along && !axes.is_empty() && (2..=FEW).contains(&rows.size.saturating_mul(columns.size)) {
        axes.extend([rows, columns].into_iter().filter(|axis| axis.size != 1));
        (rows.size, columns.size) = (1, 1);
    }
    let are_pairs = rows.size == 1 && columns.size == 1 && outer.is_none();
    if are_pairs {
        merge(&mut axes);
    }
    if are_pairs && of_pairs(scale, (k, l_inner, r_inner), &axes, [lhs, rhs], &mut dst) {
        return tail.into_iter().for_each(|tail| tail.whole(dst.data));
    }
    let sizes: SmallVec<[usize; 4]> = axes.iter().map(|axis| axis.size).collect();
    let strides = |of: fn(&Axis) -> isize| -> SmallVec<[isize; 4]> { axes.iter().map(of).collect() };
    let span = Span::new(&sizes, &[&strides(|axis| axis.lhs), &strides(|axis| axis.rhs), &strides(|axis| axis.dst)]);
    let product = Product { outer, ..Product::new(scale, [rows, columns], (k, l_inner, r_inner), [lhs, rhs]) };
    if span.total() == 1 && product.thin(&mut dst) {
        return tail.into_iter().for_each(|tail| tail.whole(dst.data));
    }
    if span.total() == 1 && product.far(&mut dst) {
        return tail.into_iter().for_each(|tail| tail.whole(dst.data));
    }
    if span.total() == 1 && product.is_few_and_large() {
        product.few_and_large(ViewMut { data: &mut *dst.data, ..dst });
        return tail.into_iter().for_each(|tail| tail.whole(dst.data));
    }
    let in_stretches = product.has_stretches() && (span.total() == 1 || product.is_worth_a_tail());
    {
        let shared = Shared::new(&mut *dst.data);
        let tail = tail.filter(|_| in_stretches);
        match product.turned().filter(|_| span.total() == 1) {
            Some(turned) => {
                let mut room = product.room(turned);
                for rows in turned.blocks(&product) {
                    let (part, distance) = product.turn(turned, rows, &mut room);
                    let first = dst.offset.wrapping_add_signed(distance);
                    // SAFETY: as below, of a part of the rows, each of which is in one block.
                    unsafe { in_pieces(part, &span, &shared, first, tail) };
                }
                pool::give(room);
            }
            // SAFETY: the views were checked to lie inside their slices for every batch position, and positions of the
            // destination do not overlap.
            None => unsafe { in_pieces(product, &span, &shared, dst.offset, tail) },
        }
    }
    if !in_stretches {
        tail.into_iter().for_each(|tail| tail.whole(dst.data));
    }
}

/// A product at each batch position, in pieces that threads share, and what a tail makes of them. The results begin at `first`.
///
/// # Safety
/// All elements of operands lie inside their slices and those of the results inside `shared`; positions of the results do not
/// overlap, and nothing else touches them.
unsafe fn in_pieces<T: Lanes>(
    product: Product<'_, T>,
    span: &Span,
    shared: &Shared<'_, T>,
    first: usize,
    tail: Option<&Tail<'_>>,
) {
    let product = product.in_panels_if_worth_it();
    let product = if tail.is_none() { product.in_strips_if_worth_it() } else { product };
    let (rows, columns) = (product.rows, product.columns);
    let [height, width] = cut(&product, span.total(), tail.is_some());
    let [down, across] = [rows.size.div_ceil(height), columns.size.div_ceil(width)];
    let (pieces, work) = (down * across, height * width * product.terms());
    let all = span.total() * pieces;
    parallel::for_each_range(all, shared_by(all, work + BEGINNING), |range| {
        let mut finisher = tail.map(Tail::finisher::<T>);
        let start = range.start / pieces;
        let mut at = [0, 1, 2].map(|operand| Odometer::new(&span.sizes, &span.strides[operand], start));
        for number in range {
            let mut distances = [0, 1, 2].map(|i| at[i].distance);
            let part;
            // Where a piece is a whole product, which may be a small one, nothing is prepared for it.
            let piece = if pieces == 1 {
                &product
            } else {
                let (top, left) = (number % pieces / across * height, number % across * width);
                let (rows, columns) = (top..rows.size.min(top + height), left..columns.size.min(left + width));
                let from;
                (part, from) = product.part(rows, columns);
                distances.iter_mut().zip(from).for_each(|(distance, from)| *distance += from);
                &part
            };
            // SAFETY: `at` is a batch position; each piece of each is visited once, and is inside by the contract of this
            // function.
            unsafe { piece.compute(distances, shared, first, finisher.as_mut()) };
            if number % pieces == pieces - 1 {
                at.iter_mut().for_each(Odometer::step);
            }
        }
    });
}

/// Makes axes one that are walked through as one.
fn merge(axes: &mut SmallVec<[Axis; 4]>) {
    let mut i = 0;
    while let Some(&(mut axis)) = axes.get(i) {
        match (0..axes.len()).find(|&other| other != i && axis.absorbs(axes[other])) {
            Some(other) => {
                axes[i] = axis;
                axes.remove(other);
                i = 0;
            }
            None => i += 1,
        }
    }
}

/// The sums of the products of pairs, for all positions of these axes: there are neither rows nor columns. Returns whether it
/// did: not where there is nothing to sum.
fn of_pairs<T: Lanes>(
    scale: T,
    inner: (usize, isize, isize),
    axes: &[Axis],
    operands: [View<'_, T>; 2],
    dst: &mut ViewMut<'_, T>,
) -> bool {
    let paired = axes.iter().position(|axis| is_paired(axis, inner));
    if paired.is_none() && paired::squares(scale, inner, axes, operands, dst) {
        return true;
    }
    match paired.or_else(|| axes.iter().position(is_run)) {
        Some(run) => {
            let mut others: SmallVec<[Axis; 4]> = axes.iter().copied().collect();
            others.remove(run);
            pairs(scale, inner, &others, axes[run], operands, ViewMut { data: &mut *dst.data, ..*dst });
        }
        None if inner.0 > 0 => dots(scale, inner, axes, operands, dst),
        None => return false,
    }
    true
}

/// The sums of the products of pairs, for runs of neighbours and all positions of the other axes.
fn pairs<T: Lanes>(
    scale: T,
    inner: (usize, isize, isize),
    axes: &[Axis],
    run: Axis,
    [lhs, rhs]: [View<'_, T>; 2],
    dst: ViewMut<'_, T>,
) {
    let sizes: SmallVec<[usize; 4]> = axes.iter().map(|axis| axis.size).collect();
    let strides = |of: fn(&Axis) -> isize| -> SmallVec<[isize; 4]> { axes.iter().map(of).collect() };
    let strides = [strides(|axis| axis.lhs), strides(|axis| axis.rhs), strides(|axis| axis.dst)];
    let shared = Shared::new(dst.data);
    let is_tall = is_tall(&run, inner);
    // As wide as each other, and of whole vectors.
    let runs = run.size.div_ceil(paired::RUN);
    let wide = if is_run(&run) { run.size.div_ceil(runs).next_multiple_of(TILE) } else { paired::RUN };
    let items = runs * sizes.iter().product::<usize>();
    let sums = |item: usize| {
        let at = |operand: usize| Odometer::new(&sizes, &strides[operand], item / runs).distance;
        let start = item % runs * wide;
        let from = |view, operand, stride| (view, at(operand) + start as isize * stride);
        let from = [from(lhs, 0, run.lhs), from(rhs, 1, run.rhs)];
        let first = dst.offset.wrapping_add_signed(at(2) + start as isize);
        // SAFETY: `matmul` has found that positions of the destination do not overlap, and each run is visited once.
        let out = unsafe { shared.slice(first, wide.min(run.size - start)) };
        if is_tall {
            let all = inner.0 * run.size;
            let operands = from.map(|(view, at)| &view.data[view.offset.wrapping_add_signed(at)..][..all]);
            paired::tall_sums(scale, operands, out);
        } else if is_run(&run) {
            paired::sums(scale, inner, from, out);
        } else {
            paired::short_sums(scale, inner.0, [run.lhs, run.rhs], from, out);
        }
    };
    if is_tall && items == 1 {
        // Threads share its pieces.
        return sums(0);
    }
    parallel::for_each_range(items, shared_by(items, inner.0.max(1) * run.size.div_ceil(runs)), |some| {
        some.for_each(sums);
    });
}

/// How many of so many pieces a thread takes at once, if each takes so many multiplications: enough to be worth it, and
/// as many as any other thread takes.
fn shared_by(pieces: usize, work: usize) -> usize {
    match SMALL.div_ceil(work.max(1)) {
        1 => 1,
        least => grain_of(pieces, least),
    }
}

/// The product of two matrices in the calling thread, for callers that split their work themselves.
///
/// # Panics
/// If a view leaves its slice, or if positions of the destination overlap.
pub(super) fn serial<T: Lanes>(
    scale: T,
    [m, k, n]: [usize; 3],
    lhs: View<'_, T>,
    rhs: View<'_, T>,
    mut dst: ViewMut<'_, T>,
) {
    if near::product(scale, [m, k, n], lhs, rhs, &mut dst) {
        return;
    }
    check_inside("matmul: left operand", lhs.data.len(), lhs.offset, &[m, k], lhs.strides);
    check_inside("matmul: right operand", rhs.data.len(), rhs.offset, &[k, n], rhs.strides);
    check_inside("matmul: destination", dst.data.len(), dst.offset, &[m, n], dst.strides);
    check_distinct("matmul", &[m, n], dst.strides);
    let rows = Axis { size: m, lhs: lhs.strides[0], rhs: 0, dst: dst.strides[0] };
    let columns = Axis { size: n, lhs: 0, rhs: rhs.strides[1], dst: dst.strides[1] };
    let inner = (k, lhs.strides[1], rhs.strides[0]);
    let product = Product::new(scale, [rows, columns], inner, [lhs, rhs]);
    let product = product.in_panels_if_worth_it().in_strips_if_worth_it();
    // SAFETY: the three views were checked to lie inside their slices, and `dst` is borrowed mutably.
    unsafe { product.compute([0; 3], &Shared::new(dst.data), dst.offset, None) };
}

/// The strides along rows and columns.
fn last_two(strides: &[isize]) -> [isize; 2] {
    [strides[strides.len() - 2], strides[strides.len() - 1]]
}

#[cfg(test)]
mod tests;
