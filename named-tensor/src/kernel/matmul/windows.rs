//! Products with windows: an operand whose axes no single stride walks through is packed from where it lies.
//!
//! Computes  `dst[b, i, c] = scale · Σₜ lhs[b, i, t] rhs[b, t, c]`,  where t goes through several axes, and c as well: those of
//! the windows of a picture, which meet in its numbers. A copy with an axis for each would write every number as often as it
//! is in a window, and read all of them again; here a panel is filled from the picture and used while it is near,
//! or none is.
//! Lives here: where the numbers lie, and how a panel is filled. Not here: the loops over panels
//! (`panelled`), windows that are read where they lie (`unpacked`), a few rows, for which nothing is packed (`sliding`).

use super::packing::Packing;
use super::product::{Axis, Product};
use super::sliding::Row;
use super::{SMALL, in_pieces, last_two};
use crate::element::Stored;
use crate::kernel::copy::{copy_short, every_of_rows};
use crate::kernel::lanes::vectorised;
use crate::kernel::map::Tail;
use crate::kernel::panels::WIDTH;
use crate::kernel::parallel::{self, Shared};
use crate::kernel::simd::Lanes;
use crate::kernel::span::{Odometer, Span, check_distinct, check_inside};
use crate::kernel::turn::{Starts, turn};
use crate::kernel::{View, ViewMut};
use smallvec::SmallVec;
use std::ops::Range;

/// The axes of an operand that is packed from where it lies, each with its size and its stride, which is not negative: those
/// that are summed, and those that the result has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Windows<'a> {
    pub(crate) terms: &'a [(usize, isize)],
    pub(crate) columns: &'a [(usize, isize)],
}

/// Rows for which nothing is packed, where neighbours are read together.
const FEW: usize = 4;
/// Columns that are read so at a time.
const PIECE: usize = 4096;
/// Elements of a row that are so far apart at most are copied with it, one after the other.
const APART: usize = 3;

/// The product of `lhs`, a view over `batch`, rows `m` and all terms, and `rhs`, which has strides along `batch` here and others
/// in `windows`. `dst` is a view over `batch`, `m` and all columns, which lie side by side there; what it held does not
/// matter. A tail finishes all elements of the slice of `dst`, which then has no others.
///
/// # Panics
/// If a view leaves its slice, if positions of the destination overlap, if its columns do not lie side by side or are fewer
/// than two, if there are no terms, or if the tail is one of another result.
pub(crate) fn windowed<T: Lanes>(
    scale: T,
    batch: &[usize],
    m: usize,
    windows: Windows<'_>,
    lhs: View<'_, T>,
    rhs: View<'_, T>,
    dst: ViewMut<'_, T>,
    tail: Option<&Tail<'_>>,
) {
    let count = |axes: &[(usize, isize)]| axes.iter().map(|axis| axis.0).product::<usize>();
    let [k, n] = [windows.terms, windows.columns].map(count);
    let with = |last: [usize; 2]| -> SmallVec<[usize; 8]> { batch.iter().copied().chain(last).collect() };
    let total = batch.iter().product::<usize>() * m * n;
    if let Some(tail) = tail {
        tail.check::<T>(total);
        assert_eq!(total, dst.data.len(), "windowed: a tail finishes all of the destination");
    }
    let axes = || windows.terms.iter().chain(windows.columns);
    let sizes: SmallVec<[usize; 8]> = batch.iter().copied().chain(axes().map(|axis| axis.0)).collect();
    let strides: SmallVec<[isize; 8]> = rhs.strides.iter().copied().chain(axes().map(|axis| axis.1)).collect();
    check_inside("windowed: left operand", lhs.data.len(), lhs.offset, &with([m, k]), lhs.strides);
    check_inside("windowed: right operand", rhs.data.len(), rhs.offset, &sizes, &strides);
    check_inside("windowed: destination", dst.data.len(), dst.offset, &with([m, n]), dst.strides);
    check_distinct("windowed", &with([m, n]), dst.strides);
    let ([l_row, l_inner], [d_row, d_column]) = (last_two(lhs.strides), last_two(dst.strides));
    assert!(axes().all(|axis| axis.1 >= 0) && l_row >= 0 && l_inner >= 0, "windowed: operands lie forwards");
    assert!(n > 1 && k > 0 && d_column == 1, "windowed: columns side by side, and terms");
    if total == 0 {
        return;
    }
    let outer = batch.len();
    let span = Span::new(batch, &[&lhs.strides[..outer], rhs.strides, &dst.strides[..outer]]);
    let lying = Lying::new(windows);
    if let Some(by_terms) = lying.slides(m, l_inner) {
        let (pieces, shared) = (n.div_ceil(PIECE), Shared::new(&mut *dst.data));
        parallel::for_each_range(span.total() * m * pieces, SMALL.div_ceil(PIECE.min(n) * k), |range| {
            for number in range {
                let (row, start) = ((number / pieces % m) as isize, number % pieces * PIECE);
                let at =
                    |operand: usize| Odometer::new(&span.sizes, &span.strides[operand], number / pieces / m).distance;
                let columns = start..n.min(start + PIECE);
                let first = dst.offset.wrapping_add_signed(at(2) + row * d_row) + start;
                let row = Row {
                    factor: scale,
                    left: &lhs.data[lhs.offset.wrapping_add_signed(at(0) + row * l_row)..],
                    along: l_inner.unsigned_abs(),
                    by_terms,
                    data: &rhs.data[rhs.offset.wrapping_add_signed(at(1))..],
                    lying: &lying,
                    columns: columns.clone(),
                    // SAFETY: positions of the destination do not overlap, and each piece of each row is visited once.
                    to: unsafe { shared.slice(first, columns.len()) },
                };
                row.compute();
            }
        });
        return tail.into_iter().for_each(|tail| tail.whole(dst.data));
    }
    let product = Product {
        scale,
        rows: Axis { size: m, lhs: l_row, rhs: 0, dst: if m == 1 { n as isize } else { d_row } },
        columns: Axis { size: n, lhs: 0, rhs: 0, dst: 1 },
        inner: (k, l_inner, 0),
        outer: None,
        lhs,
        rhs,
        packing: Some(if lying.is_near(m) { Packing::Lying(&lying, 0) } else { Packing::Windows(&lying, 0) }),
        in_strips: false,
    };
    let in_stretches = product.has_stretches();
    // SAFETY: the views were checked to lie inside their slices for every batch position, and positions of the destination do
    // not overlap.
    unsafe { in_pieces(product, &span, &Shared::new(&mut *dst.data), dst.offset, tail.filter(|_| in_stretches)) };
    if !in_stretches {
        tail.into_iter().for_each(|tail| tail.whole(dst.data));
    }
}

/// Where the numbers of an operand lie: at the sum of where its term and its column are.
#[derive(Debug)]
pub(super) struct Lying {
    pub(super) terms: Runs,
    /// Where each of the terms is.
    pub(super) all_terms: Vec<usize>,
    pub(super) columns: Runs,
}

/// Where the positions of some axes are, by those where the last axis begins anew: all columns of a picture would be as many
/// numbers as it has.
#[derive(Debug)]
pub(super) struct Runs {
    starts: Vec<usize>,
    /// The farthest position.
    pub(super) reach: usize,
    /// The size and the stride of the last axis.
    pub(super) last: (usize, usize),
}

impl Runs {
    fn new(axes: &[(usize, isize)]) -> Runs {
        let (sizes, strides): (SmallVec<[usize; 8]>, SmallVec<[isize; 8]>) = axes.iter().copied().unzip();
        let span = Span::new(&sizes, &[&strides]);
        let outer = span.sizes.len().saturating_sub(1);
        let last = (span.inner(), span.inner_stride(0).unsigned_abs());
        let mut at = Odometer::new(&span.sizes[..outer], &span.strides[0][..outer], 0);
        let mut starts = Vec::with_capacity(span.total() / last.0);
        for _ in 0..span.total() / last.0 {
            starts.push(at.distance.unsigned_abs());
            at.step();
        }
        Runs { reach: starts.iter().copied().max().unwrap_or(0) + (last.0 - 1) * last.1, starts, last }
    }

    /// How many positions there are.
    pub(super) fn count(&self) -> usize {
        self.starts.len() * self.last.0
    }

    /// Where the position numbered `number` is.
    #[inline]
    pub(super) fn at(&self, number: usize) -> usize {
        self.starts[number / self.last.0] + number % self.last.0 * self.last.1
    }

    /// Neighbours along the last axis, cut where it begins anew: those of each piece of a range, and where the first one is.
    pub(super) fn of(&self, range: Range<usize>) -> impl Iterator<Item = (Range<usize>, usize)> {
        let (mut at, end, (size, step)) = (range.start, range.end, self.last);
        let (mut inside, mut starts) = (at % size, self.starts[at / size..].iter());
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let run = at..end.min(at - inside + size);
            let first = starts.next()? + inside * step;
            (at, inside) = (run.end, 0);
            Some((run, first))
        })
    }
}

impl Lying {
    pub(super) fn new(windows: Windows<'_>) -> Lying {
        let terms = Runs::new(windows.terms);
        let all_terms = terms.of(0..terms.count()).flat_map(|(run, first)| (0..run.len()).map(move |i| (first, i)));
        let all_terms = all_terms.map(|(first, i)| first + i * terms.last.1).collect();
        Lying { all_terms, terms, columns: Runs::new(windows.columns) }
    }

    /// Whether a product of so many rows reads it where it lies: along the terms, which the other operand has so far apart, or
    /// along the columns.
    fn slides(&self, rows: usize, apart: isize) -> Option<bool> {
        let ((size, step), (depth, along)) = (self.columns.last, self.terms.last);
        let (by_columns, by_terms) = (step == 1, along == 1 && apart == 1);
        (rows <= FEW && (by_columns || by_terms)).then_some(by_terms && !(by_columns && size >= depth))
    }

    /// Packs some columns, from the term `top` on, to rows of `width`.
    pub(super) fn pack<T: Stored>(&self, data: &[T], columns: Range<usize>, top: usize, to: &mut [T], width: usize) {
        let terms = top..top + to.len() / width;
        let ((size, apart), (depth, along)) = (self.columns.last, self.terms.last);
        if along == 1 && !((1..=APART).contains(&apart) && size / apart >= depth) {
            return self.turned(data, columns, terms, to, width);
        }
        let first = columns.start;
        for (run, place) in self.columns.of(columns) {
            let (from, at) = (&data[place..], run.start - first);
            copy_rows((from, apart), &self.all_terms[terms.clone()], run.len(), &mut to[at..], width);
        }
    }

    /// The same where neighbours are the terms of a column.
    fn turned<T: Stored>(&self, data: &[T], columns: Range<usize>, terms: Range<usize>, to: &mut [T], width: usize) {
        let starts: SmallVec<[usize; WIDTH]> = columns.map(|column| self.columns.at(column)).collect();
        for (run, place) in self.terms.of(terms.clone()) {
            for (at, starts) in (0..).step_by(WIDTH).zip(starts.chunks(WIDTH)) {
                let to = &mut to[(run.start - terms.start) * width + at..];
                turn(&data[place..], Starts::At(starts), [starts.len(), run.len()], to, width);
            }
        }
    }
}

/// Copies `size` elements of a row, `apart` from one to the next, from each of some places of `data` to the beginnings of rows of
/// `width` elements.
fn copy_rows<T: Stored>((data, apart): (&[T], usize), places: &[usize], size: usize, to: &mut [T], width: usize) {
    let rows = places.iter().map(|&place| &data[place..]).zip(to.chunks_mut(width).map(|to| &mut to[..size]));
    match apart {
        1 => match size {
            WIDTH => ends_of_rows::<T, WIDTH>(data, places, size, to, width),
            32..WIDTH => ends_of_rows::<T, 32>(data, places, size, to, width),
            16..32 => ends_of_rows::<T, 16>(data, places, size, to, width),
            8..16 => ends_of_rows::<T, 8>(data, places, size, to, width),
            _ => rows.for_each(|(from, to)| copy_short(&from[..size], to)),
        },
        2 => every_of_rows::<T, 2>(rows),
        3 => every_of_rows::<T, 3>(rows),
        _ => rows.for_each(|(from, to)| to.iter_mut().enumerate().for_each(|(i, to)| *to = from[i * apart])),
    }
}

/// The same for elements side by side, `N` of each row at least: the first ones and the last ones, which may meet in the middle.
/// All rows have one size, which is looked at once.
fn ends_of_rows<T: Stored, const N: usize>(data: &[T], places: &[usize], size: usize, to: &mut [T], width: usize) {
    vectorised(
        #[inline(always)]
        move || {
            for (&place, to) in places.iter().zip(to.chunks_mut(width)) {
                let (from, to) = (&data[place..][..size], &mut to[..size]);
                if let (Some(some), Some(to)) = (from.first_chunk::<N>(), to.first_chunk_mut()) {
                    *to = *some;
                }
                if let (Some(some), Some(to)) = (from.last_chunk::<N>(), to.last_chunk_mut()) {
                    *to = *some;
                }
            }
        },
    );
}
