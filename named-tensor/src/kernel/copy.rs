//! Copies between strided views.
//!
//! Computes  `dst[i] = src[i]`  over a space, each side with its own strides; the destination may be a region of a larger
//! array (to put tensors side by side) or dense (to lay a view out in another order).
//! Contiguous runs are copied whole; transpositions go through square tiles, so that both sides are read and written in
//! whole cache lines. Not here: copies that compute something (`map`).

mod small;

use super::lanes::vectorised;
use super::order::sort_few;
use super::parallel::{self, GRAIN, Shared};
use super::span::{Odometer, Span, check_distinct, check_inside, is_dense};
use super::stream::{LINE, Stream};
use super::turn::{Starts, turn};
use super::{View, ViewMut};
use crate::element::Stored;
use small::Small;
use smallvec::SmallVec;

/// Numbers that are copied at once where they lie in the order of the space.
const FEW: usize = 4096;

/// The side of a tile.
const TILE: usize = 128;

/// Copies every position of a space of these sizes.
///
/// # Panics
/// If a view leaves its slice, or if positions of the destination overlap.
pub(crate) fn copy_into<T: Stored>(sizes: &[usize], src: View<'_, T>, dst: ViewMut<'_, T>) {
    check_inside("copy: source", src.data.len(), src.offset, sizes, src.strides);
    check_inside("copy: destination", dst.data.len(), dst.offset, sizes, dst.strides);
    if sizes.contains(&0) {
        return;
    }
    let total = sizes.iter().product();
    if total <= FEW && is_dense(sizes, src.strides) && is_dense(sizes, dst.strides) {
        return dst.data[dst.offset..][..total].copy_from_slice(&src.data[src.offset..][..total]);
    }
    check_distinct("copy", sizes, dst.strides);
    // The order is ours: the destination is written in the order in which it lies.
    let mut axes: SmallVec<[usize; 8]> = (0..sizes.len()).collect();
    sort_few(&mut axes, |&axis| std::cmp::Reverse(dst.strides[axis].unsigned_abs()));
    let pick = |strides: &[isize]| -> SmallVec<[isize; 8]> { axes.iter().map(|&axis| strides[axis]).collect() };
    let sizes: SmallVec<[usize; 8]> = axes.iter().map(|&axis| sizes[axis]).collect();
    let (src_strides, dst_strides) = (pick(src.strides), pick(dst.strides));
    let span = Span::new(&sizes, &[&src_strides, &dst_strides]);
    let job = Job { src: src.data, src_offset: src.offset as isize, dst_offset: dst.offset as isize };
    let shared = Shared::new(dst.data);
    // An axis along which the source is contiguous, where the last axis is not, makes a transposition with it.
    let last = span.sizes.len().saturating_sub(1);
    let across = (0..last).rev().find(|&axis| span.strides[0][axis] == 1 && span.sizes[axis] >= 4);
    match (across, span.inner()) {
        (_, 2) if span.interleaves() => job.interleave::<2>(&span, &shared),
        (_, 3) if span.interleaves() => job.interleave::<3>(&span, &shared),
        (_, 4) if span.interleaves() => job.interleave::<4>(&span, &shared),
        (Some(axis), _) if span.inner_stride(0).unsigned_abs() > 1 => match Small::of(&span, axis) {
            Some(matrices) => matrices.turn(&job, &shared),
            None => job.transpose(&span, axis, &shared),
        },
        _ => job.rows(&span, &shared),
    }
}

/// Elements of a row that is not short.
pub(super) const SHORT: usize = 64;

/// Copies fewer than [`SHORT`] elements where they stand: a call that copies any number takes longer to see how many they are.
/// The first ones and the last ones of a row may meet in its middle.
#[inline(always)]
pub(super) fn copy_short<T: Stored>(from: &[T], to: &mut [T]) {
    #[inline(always)]
    fn ends<T: Stored, const N: usize>(from: &[T], to: &mut [T]) {
        if let (Some(some), Some(to)) = (from.first_chunk::<N>(), to.first_chunk_mut()) {
            *to = *some;
        }
        if let (Some(some), Some(to)) = (from.last_chunk::<N>(), to.last_chunk_mut()) {
            *to = *some;
        }
    }
    match from.len() {
        0 => {}
        1 => to[0] = from[0],
        2..4 => ends::<T, 2>(from, to),
        4..8 => ends::<T, 4>(from, to),
        8..16 => ends::<T, 8>(from, to),
        16..32 => ends::<T, 16>(from, to),
        32..SHORT => ends::<T, 32>(from, to),
        _ => to.copy_from_slice(from),
    }
}

/// Copies every `N`th element of some rows, of which the last one may be the last of all.
pub(super) fn every_of_rows<'a, T: Stored, const N: usize>(rows: impl Iterator<Item = (&'a [T], &'a mut [T])>) {
    vectorised(
        #[inline(always)]
        move || {
            for (from, to) in rows {
                let last = to.len() - 1;
                to[last] = from[last * N];
                to.iter_mut().zip(from.as_chunks::<N>().0).for_each(|(to, some)| *to = some[0]);
            }
        },
    );
}

/// Copies from the last element to the first.
pub(super) fn copy_backwards<T: Stored>(from: &[T], to: &mut [T]) {
    vectorised(
        #[inline(always)]
        move || to.iter_mut().zip(from.iter().rev()).for_each(|(to, &x)| *to = x),
    );
}

/// An element of each of `N` rows in turn, for many such groups.
pub(super) fn interleave_rows<'a, T: Stored, const N: usize>(
    groups: impl Iterator<Item = ([&'a [T]; N], &'a mut [T])>,
) {
    vectorised(
        #[inline(always)]
        move || {
            for (rows, to) in groups {
                let size = to.len() / N;
                let rows: [&[T]; N] = std::array::from_fn(
                    #[inline(always)]
                    |j| &rows[j][..size],
                );
                for (i, to) in to.as_chunks_mut::<N>().0.iter_mut().enumerate() {
                    for j in 0..N {
                        to[j] = rows[j][i];
                    }
                }
            }
        },
    );
}

impl Span {
    /// Whether several rows become one: what follows each other where it comes from is as far apart in the destination as the
    /// last axis has positions, which stand between there.
    fn interleaves(&self) -> bool {
        self.sizes.len().checked_sub(2).is_some_and(|along| {
            let apart = [0, 1].map(|operand| self.strides[operand][along]);
            self.inner_stride(1) == 1 && apart == [1, self.inner() as isize]
        })
    }
}

struct Job<'a, T> {
    src: &'a [T],
    src_offset: isize,
    dst_offset: isize,
}

impl<T: Stored> Job<'_, T> {
    /// Row by row along the last axis.
    fn rows(&self, span: &Span, dst: &Shared<'_, T>) {
        let (inner, [from_step, to_step]) = (span.inner(), [span.inner_stride(0), span.inner_stride(1)]);
        if to_step == 1 && matches!(from_step, 1..=3) && inner < SHORT && span.sizes.len() > 1 {
            return self.short_rows(span, dst);
        }
        let outer = &span.sizes[..span.sizes.len().saturating_sub(1)];
        // A long row is itself cut into pieces.
        let piece = inner.min(GRAIN);
        let pieces = inner.div_ceil(piece);
        let grain = GRAIN.div_ceil(piece);
        parallel::for_each_range(outer.iter().product::<usize>() * pieces, grain, |range| {
            let stream = Stream::of::<T>(span.total());
            let mut from = Odometer::new(outer, &span.strides[0][..outer.len()], range.start / pieces);
            let mut to = Odometer::new(outer, &span.strides[1][..outer.len()], range.start / pieces);
            for i in range {
                let first = i % pieces * piece;
                let size = piece.min(inner - first);
                let start = (self.dst_offset + to.distance + first as isize * to_step) as usize;
                let at = self.src_offset + from.distance + first as isize * from_step;
                if to_step == 1 {
                    // SAFETY: this piece of a row of the destination is visited once, and no positions overlap.
                    let to = unsafe { dst.slice(start, size) };
                    self.gather(at, from_step, to, &stream);
                } else {
                    for j in 0..size as isize {
                        // SAFETY: this position of the destination is visited once, and no positions overlap.
                        let to = unsafe { dst.slice((start as isize + j * to_step) as usize, 1) };
                        to[0] = self.src[(at + j * from_step) as usize];
                    }
                }
                if first + size == inner {
                    from.step();
                    to.step();
                }
            }
        });
    }

    /// Short rows whose elements follow each other, or nearly so where they come from: to find each row from the last costs as
    /// much as to copy it.
    fn short_rows(&self, span: &Span, dst: &Shared<'_, T>) {
        let (inner, outer) = (span.inner(), span.sizes.len() - 2);
        let rows = span.sizes[outer];
        let [from_step, to_step] = [0, 1].map(|operand| span.strides[operand][outer]);
        let group =
            |operand: usize, at: usize| Odometer::new(&span.sizes[..outer], &span.strides[operand][..outer], at / rows);
        parallel::for_each_range(span.total() / inner, GRAIN.div_ceil(inner.max(8)), |mut range| {
            let mut groups = [0, 1].map(|operand| group(operand, range.start));
            let mut row = range.start % rows;
            while !range.is_empty() {
                let count = (rows - row).min(range.len());
                let from = self.src_offset + groups[0].distance + row as isize * from_step;
                let to = self.dst_offset + groups[1].distance + row as isize * to_step;
                // SAFETY: this row of the destination is visited once, and no positions overlap.
                let row_of = |i: isize| unsafe { dst.slice((to + i * to_step) as usize, inner) };
                let rows = (0..count as isize).map(|i| (&self.src[(from + i * from_step) as usize..], row_of(i)));
                match span.inner_stride(0) {
                    2 => every_of_rows::<T, 2>(rows),
                    3 => every_of_rows::<T, 3>(rows),
                    _ => rows.for_each(|(from, to)| copy_short(&from[..inner], to)),
                }
                groups.iter_mut().for_each(Odometer::step);
                (row, range.start) = (0, range.start + count);
            }
        });
    }

    /// `N` rows that become one, an element of each in turn.
    fn interleave<const N: usize>(&self, span: &Span, dst: &Shared<'_, T>) {
        let (apart, size) = (span.inner_stride(0), span.sizes[span.sizes.len() - 2]);
        let outer = &span.sizes[..span.sizes.len() - 2];
        parallel::for_each_range(outer.iter().product(), GRAIN.div_ceil(size * N), |range| {
            let [mut from, mut to] =
                [0, 1].map(|operand| Odometer::new(outer, &span.strides[operand][..outer.len()], range.start));
            let rows = range.map(|_| {
                let first = self.src_offset + from.distance;
                let rows = std::array::from_fn(|j| &self.src[(first + j as isize * apart) as usize..][..size]);
                // SAFETY: these positions of the destination are visited once, side by side, and no positions overlap.
                let to_row = unsafe { dst.slice((self.dst_offset + to.distance) as usize, size * N) };
                from.step();
                to.step();
                (rows, to_row)
            });
            interleave_rows::<T, N>(rows);
        });
    }

    /// Every `step`th element of the source, from `at`.
    #[inline]
    fn gather(&self, at: isize, step: isize, to: &mut [T], stream: &Stream) {
        match step {
            1 => stream.send(&self.src[at as usize..][..to.len()], to),
            0 => to.fill(self.src[at as usize]),
            -1 => copy_backwards(&self.src[..=at as usize][at as usize + 1 - to.len()..], to),
            2 => every_of_rows::<T, 2>(std::iter::once((&self.src[at as usize..], to))),
            3 => every_of_rows::<T, 3>(std::iter::once((&self.src[at as usize..], to))),
            4 => every_of_rows::<T, 4>(std::iter::once((&self.src[at as usize..], to))),
            _ => {
                for (j, x) in (0..).zip(to) {
                    *x = self.src[(at + j * step) as usize];
                }
            }
        }
    }

    /// Tile by tile along the last axis and `axis`, along which the source is contiguous.
    fn transpose(&self, span: &Span, axis: usize, dst: &Shared<'_, T>) {
        let last = span.sizes.len() - 1;
        let (height, width) = (span.sizes[axis], span.sizes[last]);
        let (tiles_down, tiles_right) = (height.div_ceil(TILE), width.div_ceil(TILE));
        let outer = |all: &[isize]| -> Vec<isize> { (0..last).filter(|&i| i != axis).map(|i| all[i]).collect() };
        let sizes: Vec<usize> = (0..last).filter(|&i| i != axis).map(|i| span.sizes[i]).collect();
        let (from_outer, to_outer) = (outer(&span.strides[0]), outer(&span.strides[1]));
        let (from_right, to_down) = (span.strides[0][last], span.strides[1][axis]);
        let to_right = span.strides[1][last];
        let tiles = sizes.iter().product::<usize>() * tiles_down * tiles_right;
        // Rows of tiles pass the caches by where they are whole lines of memory.
        let is_even = |stride: isize| (stride.unsigned_abs() * size_of::<T>()).is_multiple_of(LINE);
        let first = dst.as_ptr().wrapping_offset(self.dst_offset);
        let sends = first.addr().is_multiple_of(LINE) && is_even(to_down) && to_outer.iter().all(|&to| is_even(to));
        parallel::for_each_range(tiles, GRAIN / (TILE * TILE), |range| {
            let stream = Stream::of::<T>(if sends { span.total() } else { 0 });
            let mut block = vec![T::default(); TILE * TILE];
            for tile in range {
                let (top, left) = (tile / tiles_right % tiles_down * TILE, tile % tiles_right * TILE);
                let (down, right) = (TILE.min(height - top), TILE.min(width - left));
                let position = tile / tiles_right / tiles_down;
                let from =
                    Odometer::new(&sizes, &from_outer, position).distance + top as isize + left as isize * from_right;
                let to = Odometer::new(&sizes, &to_outer, position).distance
                    + top as isize * to_down
                    + left as isize * to_right;
                let columns = Starts::Even((self.src_offset + from) as usize, from_right);
                turn(self.src, columns, [right, down], &mut block, TILE);
                for (i, from) in (0..down as isize).zip(block.chunks_exact(TILE)) {
                    let start = self.dst_offset + to + i * to_down;
                    if to_right == 1 {
                        // SAFETY: this row of this tile of the destination is visited once, and no positions overlap.
                        stream.send(&from[..right], unsafe { dst.slice(start as usize, right) });
                        continue;
                    }
                    for (j, &x) in (0..right as isize).zip(from) {
                        // SAFETY: this position of the destination is visited once, and no positions overlap.
                        let to = unsafe { dst.slice((start + j * to_right) as usize, 1) };
                        to[0] = x;
                    }
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::span::row_major;
    use crate::kernel::testing::positions;

    /// Copies numbered elements and looks every one of them up.
    fn check<T: Stored>(sizes: &[usize], from: (usize, &[isize]), to: (usize, &[isize]), number: impl Fn(usize) -> T) {
        let data: Vec<T> = (0..22_000).map(&number).collect();
        let mut out = vec![number(99_999); 22_000];
        let src = View { data: &data, offset: from.0, strides: from.1 };
        copy_into(sizes, src, ViewMut { data: &mut out, offset: to.0, strides: to.1 });
        let mut expected = vec![number(99_999); 22_000];
        for (a, b) in positions(sizes, from.1).zip(positions(sizes, to.1)) {
            expected[(to.0 as isize + b) as usize] = data[(from.0 as isize + a) as usize];
        }
        assert!(out == expected, "{sizes:?} from {from:?} to {to:?}");
    }

    #[test]
    fn rows_of_any_length_arrive_and_nothing_beside_them() {
        for inner in (0..70).chain([127, 128, 200]) {
            let (n, gap) = (inner as isize, inner as isize + 3);
            let far = 3 * gap;
            for strides in [
                [7 * gap, gap, 1],
                [gap, 5 * gap, 1],
                [0, n, 1],
                [7 * n, 0, 1],
                [7 * far, far, 2],
                [far, 0, 3],
                [0, far, 4],
            ] {
                for to in [[7 * n, n, 1], [7 * gap, gap, 1], [gap, 5 * gap, 1]] {
                    check::<f32>(&[5, 7, inner], (3, &strides), (1, &to), |i| i as f32);
                    check::<f64>(&[5, 7, inner], (3, &strides), (1, &to), |i| i as f64);
                    check::<bool>(&[5, 7, inner], (3, &strides), (1, &to), |i| i % 3 == 0);
                }
            }
            // Backwards, row by row, and many rows, which threads share.
            check::<i64>(&[7, inner], (6 * inner, &[-n, 1]), (2, &[gap, 1]), |i| i as i64);
            let rows = 15_000 / (inner + 3);
            check::<f32>(&[rows, inner], (0, &[n, 1]), (2, &[gap, 1]), |i| i as f32);
        }
    }

    #[test]
    fn large_and_uneven_transpositions_arrive_whole() {
        // Sides at which tiles and squares end; the larger ones pass the caches by where rows are whole lines of memory.
        for [height, width] in [[127_usize, 129_usize], [128, 143], [640, 512], [513, 640], [1024, 257], [4, 3000]] {
            for step in [width, width.next_multiple_of(16) + 16] {
                let data: Vec<f32> = (0..height * width).map(|i| i as f32).collect();
                let mut out = vec![-1.0_f32; height * step + 16];
                let first = out.as_ptr().align_offset(LINE);
                let src = View { data: &data, offset: 0, strides: &[1, height as isize] };
                let dst = ViewMut { data: &mut out, offset: first, strides: &[step as isize, 1] };
                copy_into(&[height, width], src, dst);
                for (at, &x) in out.iter().enumerate() {
                    let (row, column) = (at.wrapping_sub(first) / step, at.wrapping_sub(first) % step);
                    let is_inside = at >= first && row < height && column < width;
                    let wanted = if is_inside { (column * height + row) as f32 } else { -1.0 };
                    assert_eq!(x, wanted, "row {row}, column {column} of {height} × {width}, rows {step} apart");
                }
            }
        }
    }

    #[test]
    fn rows_that_become_one_arrive_an_element_of_each_in_turn() {
        for n in 2..6_usize {
            for size in [4, 5, 16, 29, 100] {
                let (few, many) = (n as isize, size as isize);
                // Side by side, with gaps, and one row for all; in whole rows and in those of something larger.
                for from in [[3 * few * many, few * many, 1, many], [1, 5 * many, 1, 900], [7, 2, 1, 0]] {
                    for to in [[3 * few * many, few * many, few, 1], [few * many, 5 * few * many, few, 1]] {
                        check::<f32>(&[5, 3, size, n], (3, &from), (1, &to), |i| i as f32);
                        check::<f64>(&[5, 3, size, n], (3, &from), (1, &to), |i| i as f64);
                        check::<bool>(&[5, 3, size, n], (3, &from), (1, &to), |i| i % 3 == 0);
                    }
                }
                check::<f32>(&[size, n], (0, &[1, many]), (2, &[few, 1]), |i| i as f32);
                check::<f32>(&[size, n], (0, &[1, many]), (2, &[few + 1, 1]), |i| i as f32);
                check::<f32>(&[size, n], (0, &[2, 2 * many]), (2, &[few, 1]), |i| i as f32);
                check::<f32>(&[size, n], (0, &[1, many]), (n * size, &[-few, 1]), |i| i as f32);
                check::<f32>(&[9, size, n], (9 * size, &[many, 1, -many]), (2, &[few * many, few, 1]), |i| i as f32);
            }
        }
    }

    #[test]
    fn every_order_of_axes_arrives_in_every_other() {
        let sizes = [5, 34, 67];
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let strides = orders.map(|order| {
            let dense = row_major(&order.map(|axis| sizes[axis]));
            let mut strides = [0; 3];
            (0..3).for_each(|i| strides[order[i]] = dense[i]);
            strides
        });
        for from in &strides {
            for to in &strides {
                check(&sizes, (7, from), (3, to), |i| i as f32);
                check(&sizes, (7, from), (3, to), |i| i as f64);
                check(&sizes, (7, from), (3, to), |i| i as i64);
                check(&sizes, (7, from), (3, to), |i| i % 7 < 3);
            }
        }
    }

    #[test]
    fn along_an_empty_axis_there_is_nothing_to_copy_however_large_the_others_are() {
        let mut out = [7.0_f32; 3];
        let dst = ViewMut { data: &mut out, offset: 0, strides: &[1, 1, 1] };
        copy_into(&[usize::MAX >> 1, usize::MAX >> 1, 0], View { data: &[], offset: 0, strides: &[0, 0, 1] }, dst);
        assert_eq!(out, [7.0; 3], "nothing is written");
    }

    #[test]
    fn regions_repetitions_and_backward_walks_are_copied() {
        let number = |i| i as f32;
        check(&[9, 50], (0, &[50, 1]), (4, &[120, 1]), number);
        check(&[9, 50], (5, &[0, 1]), (0, &[50, 1]), number);
        check(&[9, 50], (5, &[1, 0]), (0, &[50, 1]), number);
        check(&[9, 50], (449, &[-50, -1]), (0, &[50, 1]), number);
        check(&[40, 50], (0, &[1, 40]), (6_000, &[-120, -2]), number);
        check(&[], (3, &[]), (8, &[]), number);
        check(&[1, 1], (3, &[5, 5]), (8, &[0, 0]), number);
        check(&[4, 0, 2], (0, &[1, 1, 1]), (0, &[0, 0, 0]), number);
    }
}
