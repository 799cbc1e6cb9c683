//! Functions of one axis, applied at every position of the other axes.
//!
//! Lives here: how lines are found in a strided view, and how they are split over threads. A line that is contiguous is
//! handed over as a slice; lines that lie side by side go through tiles (`columns`), or are read in a pattern; any other line
//! is copied into a buffer and back. Not here: what is computed (`softmax`, `standardize`).

mod beside;
mod columns;
mod few;
mod patterned;
mod sweep;
mod tall;
mod wide;

use super::map::{Cell, Tail};
use super::math::Scalar;
use super::order::sort_few;
use super::parallel::{self, GRAIN, Shared, grain_of};
use super::span::{Odometer, Span, check_distinct, check_inside, is_dense};
use super::stream::{LINE, Stream};
use super::{View, ViewMut};
pub(super) use columns::{Tile, WIDTH};
pub(super) use few::{FEW, LINES as TOGETHER};
use smallvec::SmallVec;
pub(super) use sweep::{LANES, Parts, Sweep, Unit};

/// Elements of lines that are computed together, so that a tail finds them in the nearest cache. What is written of them
/// waits in the processor while the next are read: more would not find room there.
const AT_HAND: usize = 1024;

/// What is known of lines side by side from some of their elements.
pub(super) trait Known: Send + Sync {
    /// Takes in what another one knows of the line in each lane, whose elements come after those here.
    fn join(&mut self, other: &Self);
    /// What is known of `width` lines, of each of which `count` parts stand in the lanes, those of the first parts first:
    /// in a lane for each line.
    fn folded(&self, count: usize, width: usize) -> Self;
    /// The same of the first `width` lines in all lanes in which parts of them may stand; the others have some line as well.
    fn spread(&self, width: usize) -> Self;
}

/// The first `width` lanes again and again.
pub(super) fn repeated<A: Copy>(lanes: &[A; WIDTH], width: usize) -> [A; WIDTH] {
    let mut all = *lanes;
    for all in all[width..].chunks_mut(width) {
        all.iter_mut().zip(lanes).for_each(|(all, &lane)| *all = lane);
    }
    all
}

/// A function from a line to a line of the same size.
pub(super) trait Line<T>: Sync {
    /// What its results depend on, beside the element at their own place.
    type Known: Known;
    /// Computes one contiguous line.
    fn row(&self, src: &[T], dst: &mut [T]);
    /// Computes contiguous lines of this size, one after the other.
    fn rows(&self, size: usize, src: &[T], dst: &mut [T]) {
        src.chunks_exact(size).zip(dst.chunks_exact_mut(size)).for_each(|(src, dst)| self.row(src, dst));
    }
    /// Computes contiguous lines whose results go this way to memory, in `room` where they cannot be computed in their
    /// place. What follows the lines in `src` is read next.
    fn rows_by(&self, size: usize, src: &[T], stream: &Stream, room: &mut [T], dst: &mut [T])
    where
        T: Cell,
    {
        stream.fill(room, dst, |dst| self.rows(size, &src[..dst.len()], dst));
    }
    /// Elements of contiguous lines that are computed together where they stand, if no tail finishes them.
    const AT_HAND: usize = AT_HAND;
    /// Whether [`Line::rows_by`] sends a line while it computes the next one, in room for two.
    const IS_SENT_BESIDE: bool = false;
    /// Whether gain and shift are better applied with the function than after it, by [`Line::rows_scaled`].
    const IS_SCALED: bool = false;
    /// Computes contiguous lines, and of each result  y · gain + shift.
    fn rows_scaled(&self, _src: &[T], [_gain, _shift]: [&[T]; 2], _dst: &mut [T]) {
        unreachable!("this function is not scaled")
    }
    /// What is known of [`WIDTH`] lines side by side before any element of them was read.
    fn start(&self) -> Self::Known;
    /// Takes the next elements of the lines in.
    fn read(&self, known: &mut Self::Known, rows: &[[T; WIDTH]]);
    /// Puts results in the place of some elements, when all were read.
    fn write(&self, known: &Self::Known, rows: &mut [[T; WIDTH]]);
    /// Whether results are multiples of what [`Line::read_raw`] leaves.
    const IS_IN_PARTS: bool = false;
    /// Takes the next elements of the lines in, and puts numbers in their place of which the results are multiples: by what
    /// they have to be multiplied follows from what is returned, when all were read. While row `i` is computed, `ask(i)` asks
    /// for what is read next.
    fn read_raw(&self, _known: &mut Self::Known, _rows: &mut [[T; WIDTH]], _ask: impl Fn(usize)) -> [T; WIDTH] {
        unreachable!("the results are no multiples")
    }
    /// What the numbers have to be multiplied by that were left when `now` was returned, for each line; `factors` are those of
    /// what was left when `before` was, if anything.
    fn factors(
        &self,
        _known: &Self::Known,
        _before: Option<&[T; WIDTH]>,
        _now: &[T; WIDTH],
        _factors: &mut [T; WIDTH],
    ) {
        unreachable!("the results are no multiples")
    }
    /// Whether lines side by side of [`FEW`] elements at most are computed by [`Line::few`].
    const IS_FEW: bool = false;
    /// Computes [`TOGETHER`] such lines at most, of which each row holds an element of each.
    fn few(&self, _rows: &[&[T]], _results: SmallVec<[&mut [T]; FEW]>) {
        unreachable!("short lines are computed as others are")
    }
    /// Whether lines side by side whose results pass the caches by are computed by [`Line::sweep`].
    const IS_SWEPT: bool = false;
    /// Computes tiles of lines side by side.
    fn sweep(&self, _sweep: Sweep<'_, T>, _tiles: impl Iterator<Item = Tile>) {
        unreachable!("the results are no multiples")
    }
}

/// Applies `line` along the last axis of two views over `outer` and an axis of `size`, and then the tail, if there is one,
/// which finishes all elements of the slice of `dst`.
///
/// # Panics
/// If a view leaves its slice, if positions of the destination overlap, or if the tail is one of another result.
pub(super) fn along<T: Scalar>(
    what: &str,
    line: &impl Line<T>,
    outer: &[usize],
    size: usize,
    src: View<'_, T>,
    dst: ViewMut<'_, T>,
    tail: Option<&Tail<'_>>,
) {
    let sizes: SmallVec<[usize; 8]> = outer.iter().copied().chain([size]).collect();
    check_inside(what, src.data.len(), src.offset, &sizes, src.strides);
    check_inside(what, dst.data.len(), dst.offset, &sizes, dst.strides);
    check_distinct(what, &sizes, dst.strides);
    if let Some(tail) = tail {
        tail.check::<T>(sizes.iter().product());
        assert_eq!(sizes.iter().product::<usize>(), dst.data.len(), "{what}: a tail finishes all of the destination");
    }
    if sizes.contains(&0) {
        return;
    }
    let total = sizes.iter().product();
    if total <= GRAIN && is_dense(&sizes, src.strides) && is_dense(&sizes, dst.strides) {
        // Not worth a second thread, nor a walk: the lines follow each other.
        line.rows(size, &src.data[src.offset..][..total], &mut dst.data[dst.offset..][..total]);
        return tail.into_iter().for_each(|tail| tail.whole(dst.data));
    }
    let (src_stride, dst_stride) = (src.strides[outer.len()], dst.strides[outer.len()]);
    // The order of the other axes is ours: that of the destination, so that more of them merge.
    let mut axes: SmallVec<[usize; 8]> = (0..outer.len()).collect();
    sort_few(&mut axes, |&axis| std::cmp::Reverse(dst.strides[axis].unsigned_abs()));
    let pick = |strides: &[isize]| -> SmallVec<[isize; 8]> { axes.iter().map(|&axis| strides[axis]).collect() };
    let outer: SmallVec<[usize; 8]> = axes.iter().map(|&axis| outer[axis]).collect();
    let span = Span::new(&outer, &[&pick(src.strides), &pick(dst.strides)]);
    let shared = Shared::new(&mut *dst.data);
    let walk = Walk { span, size, src: src.data, src_offset: src.offset as isize, src_stride, dst_stride, tail };
    let side_by_side = walk.span.inner_stride(0) == 1 && walk.span.inner_stride(1) == 1;
    let inner = walk.span.inner();
    if src_stride == 1 && dst_stride == 1 || size == 1 {
        walk.rows(line, &shared, dst.offset as isize);
    } else if side_by_side && is_few(line, size, inner) {
        walk.few(line, &shared, dst.offset as isize);
    } else if let Some(patterns) = walk.patterns(line) {
        walk.patterned(line, &patterns, &shared, dst.offset as isize);
        tail.into_iter().for_each(|tail| tail.whole(dst.data));
    } else if side_by_side && (inner >= 8 || inner >= 2 && size * inner >= 2 * WIDTH) {
        walk.columns(line, &shared, dst.offset as isize);
    } else {
        walk.copies(line, &shared, dst.offset as isize);
        tail.into_iter().for_each(|tail| tail.whole(dst.data));
    }
}

/// Whether lines are short and enough of them lie side by side to fill registers.
fn is_few<T, L: Line<T>>(_: &L, size: usize, inner: usize) -> bool {
    L::IS_FEW && size <= FEW && inner >= LANES
}

/// The lines of a source, and how far apart those of the destination are.
struct Walk<'a, T> {
    span: Span,
    size: usize,
    src: &'a [T],
    src_offset: isize,
    src_stride: isize,
    dst_stride: isize,
    tail: Option<&'a Tail<'a>>,
}

impl<T: Scalar> Walk<'_, T> {
    /// Visits each line with the positions of its first elements, and with something made once per piece of work.
    fn lines<S>(&self, dst_offset: isize, make: impl Fn() -> S + Sync, visit: impl Fn(&mut S, isize, isize) + Sync) {
        parallel::for_each_range(self.span.total(), grain_of(self.span.total(), GRAIN.div_ceil(self.size)), |range| {
            let mut state = make();
            let mut from = Odometer::new(&self.span.sizes, &self.span.strides[0], range.start);
            let mut to = Odometer::new(&self.span.sizes, &self.span.strides[1], range.start);
            for _ in range {
                visit(&mut state, self.src_offset + from.distance, dst_offset + to.distance);
                from.step();
                to.step();
            }
        });
    }

    /// Contiguous lines, as many together as follow each other and stay in the nearest cache. What is finished, or sent to
    /// memory, is computed beside its place first.
    fn rows<L: Line<T>>(&self, line: &L, dst: &Shared<'_, T>, dst_offset: isize) {
        let (size, inner) = (self.size, self.span.inner());
        let follow = |operand: usize| self.span.inner_stride(operand) == size as isize;
        let follow_both = follow(0) && follow(1);
        let most = |at_hand: usize| if follow_both { (at_hand / size).max(1) } else { 1 };
        let outer = self.span.sizes.len().saturating_sub(1);
        let odometer = |operand: usize, at: usize| {
            Odometer::new(&self.span.sizes[..outer], &self.span.strides[operand][..outer], at / inner)
        };
        let stream = || Stream::of::<T>(self.span.total() * size);
        parallel::for_each_range(self.span.total(), grain_of(self.span.total(), GRAIN.div_ceil(size)), |range| {
            let mut finisher = self.tail.map(Tail::finisher_from_beside::<T>);
            let stream = stream();
            let is_in_place = finisher.is_none() && !stream.passes_by();
            let most = most(if is_in_place { L::AT_HAND } else { AT_HAND });
            let is_sent_beside = L::IS_SENT_BESIDE && most == 1 && follow_both && stream.passes_by();
            let two = if L::IS_SENT_BESIDE { 2 * size.next_multiple_of(LINE) } else { 0 };
            let mut room = stream.room(two.max(most * size));
            let (mut from, mut to) = (odometer(0, range.start), odometer(1, range.start));
            let mut at = range.start;
            while at < range.end {
                let column = at % inner;
                let left = (range.end - at).min(inner - column);
                let mut count = if is_sent_beside && finisher.is_none() { left } else { most.min(left) };
                let start = |row: &Odometer<'_>, operand: usize| {
                    row.distance + column as isize * self.span.inner_stride(operand)
                };
                let source = (self.src_offset + start(&from, 0)) as usize;
                let first = (dst_offset + start(&to, 1)) as usize;
                let mut gain_and_shift = None;
                if let Some(finisher) = finisher.as_mut().filter(|_| L::IS_SCALED) {
                    // All lines at once, if they have one gain and shift and need not wait for their way to memory.
                    let all = if follow_both && !stream.passes_by() { left } else { count };
                    let mut of = |count| finisher.gain_and_shift(first, [count, size]).map(|both| (count, both));
                    gain_and_shift = of(all).or_else(|| of(1));
                    count = gain_and_shift.map_or(count, |(count, _)| count);
                }
                // SAFETY: these are whole lines of the destination; lines do not overlap, and each is visited once.
                let dst = unsafe { dst.slice(first, count * size) };
                let src = &self.src[source..];
                match (&mut finisher, gain_and_shift) {
                    (_, Some((_, both))) => {
                        stream.fill(&mut room, dst, |dst| line.rows_scaled(&src[..dst.len()], both, dst));
                    }
                    (Some(finisher), None) => {
                        line.rows(size, &src[..dst.len()], finisher.beside(dst.len()));
                        finisher.stretch_from_beside(first, dst);
                    }
                    (None, None) => {
                        let src = if follow(0) { src } else { &src[..dst.len()] };
                        line.rows_by(size, src, &stream, &mut room, dst);
                    }
                }
                at += count;
                if column + count == inner {
                    from.step();
                    to.step();
                }
            }
        });
    }

    /// Lines that are neither: each is copied out, computed, and copied back.
    fn copies(&self, line: &impl Line<T>, dst: &Shared<'_, T>, dst_offset: isize) {
        let buffers = || (vec![T::default(); self.size], vec![T::default(); self.size]);
        self.lines(dst_offset, buffers, |(input, output), from, to| {
            for (i, x) in (0..).zip(input.iter_mut()) {
                *x = self.src[(from + i * self.src_stride) as usize];
            }
            line.row(input, output);
            for (i, &y) in (0..).zip(output.iter()) {
                // SAFETY: this is one element of one line; lines do not overlap, and each is visited once.
                let element = unsafe { dst.slice((to + i * self.dst_stride) as usize, 1) };
                element[0] = y;
            }
        });
    }
}

#[cfg(test)]
mod tests;
