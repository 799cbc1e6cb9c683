//! Whole rows of a light program, one after the other, where finding the sources of a row is an addition or two.
//!
//! A row that goes by the way of every other stretch (`sources`, `block`) has its sources looked for and their numbers put
//! together anew, or short rows copied into blocks, which takes longer than the arithmetic on some hundred elements. Where each
//! source lies along a row, or has one number for all of it, all that changes from row to row is where it begins.
//! Also here: where rows are cut that are not computed so.
//! Not here: what happens to a row (`strip`), rows that are mixed in blocks (`block`).

use super::{Source, Worker};
use crate::kernel::map::cell::Cell;
use crate::kernel::map::strip::{FEW, Light, Line, Three};
use crate::kernel::stream::LINE;
use crate::kernel::vectors;
use smallvec::SmallVec;

/// Elements from which a row is worth being one of its own where there are no vectors: shorter ones are mixed in blocks, and so
/// are those that are shorter than a vector where there are.
const LEAST: usize = 128;

/// Elements from which it is worth finding out where their rows lie.
const WORTH: usize = 256;

impl<'a, T: Cell> Worker<'a, T> {
    /// Finds out whether rows may be computed so.
    pub(super) fn find_whole_rows(&mut self) {
        let (job, span) = (self.job, &self.job.span);
        let is_line = |(source, of): (usize, &Source)| {
            matches!(of, Source::Operand(_)) && matches!(span.inner_stride(source), 0 | 1)
        };
        let inner = span.inner();
        let Some(light) = job.program.light() else { return };
        let least = if vectors::are_none() { LEAST } else { FEW };
        let are_rows = inner >= least && span.sizes.len() > 1;
        let is_for_all = self.is_even || self.stream.passes_by();
        if are_rows && !is_for_all && job.program.sources().iter().enumerate().all(is_line) {
            self.by_rows = Some(light);
            self.long = LEAST;
        }
    }

    /// The program, if what begins in this column of a row is to be computed by whole rows, or the next row is.
    pub(super) fn by_rows(&self, column: usize, size: usize) -> Option<&'a Light> {
        let inner = self.job.span.inner();
        let before = if column > 0 { inner - column } else { 0 };
        self.by_rows.filter(|_| size >= before + WORTH.max(2 * inner) && self.others.is_empty())
    }

    /// After how many elements of `out` to cut it, where a row ends after `left` elements.
    pub(super) fn end(&self, out: &[T], left: usize) -> usize {
        match out.get(left..) {
            Some(next) if self.is_cut => left + next.as_ptr().align_offset(LINE).min(next.len()),
            Some(_) => left,
            None => out.len(),
        }
    }

    /// Computes whole rows from position `first` on, which begins one, as far as they follow each other along three axes, or
    /// along fewer if it does not begin anew along all. Returns how many elements of `out` they are.
    pub(super) fn whole_rows(&mut self, light: &Light, first: usize, out: &mut [T]) -> usize {
        let (job, span) = (self.job, &self.job.span);
        let inner = span.inner();
        let line = |(source, of): (usize, &Source)| match *of {
            Source::Operand(i) => Some(Line {
                numbers: T::of(job.operands[i].buffer),
                first: job.operands[i].offset.wrapping_add_signed(self.distance(source, first)),
                steps: of_rows(&span.strides[source], 0),
                is_one: span.inner_stride(source) == 0,
            }),
            Source::Own | Source::Position(_) => None,
        };
        let lines: SmallVec<[Line<'_, T>; 8]> = job.program.sources().iter().enumerate().filter_map(line).collect();
        let counts = at_hand(of_rows(&span.sizes, 1), first / inner, out.len() / inner);
        let size = inner * counts.into_iter().product::<usize>();
        T::run_light_rows(light, counts, inner, &lines, &mut self.strips, &mut out[..size]);
        size
    }
}

/// What there is for each of the three axes that count rows, the last one of which is followed by that along a row.
fn of_rows<N: Copy>(each: &[N], none: N) -> [N; 3] {
    let rows = &each[..each.len() - 1];
    std::array::from_fn(|axis| (rows.len() + axis).checked_sub(3).map_or(none, |at| rows[at]))
}

/// How many of the rows from that numbered `row` on lie side by side along these axes, `most` in all.
fn at_hand([before, middle, last]: Three, row: usize, most: usize) -> Three {
    let (row, at) = (row / last, row % last);
    if at > 0 || most < last {
        return [1, 1, most.min(last - at)];
    }
    let (row, at, most) = (row / middle, row % middle, most / last);
    if at > 0 || most < middle {
        return [1, most.min(middle - at), last];
    }
    [(most / middle).min(before - row % before), middle, last]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_lie_side_by_side_until_an_axis_ends() {
        let all: Vec<Three> = std::iter::successors(Some((0, [0; 3])), |&(row, _)| {
            (row < 100).then(|| {
                let counts = at_hand([4, 3, 5], row, 100 - row);
                (row + counts.iter().product::<usize>(), counts)
            })
        })
        .skip(1)
        .map(|(_, counts)| counts)
        .collect();
        assert_eq!(all, [[4, 3, 5], [2, 3, 5], [1, 2, 5]], "60 rows, and 40 of the next 60");
        assert_eq!(at_hand([4, 3, 5], 7, 90), [1, 1, 3], "first to the end of the last axis");
        assert_eq!(at_hand([4, 3, 5], 10, 90), [1, 1, 5], "and of the one before");
        assert_eq!(at_hand([4, 3, 5], 5, 12), [1, 2, 5], "two of them");
        assert_eq!(at_hand([4, 3, 5], 30, 90), [2, 3, 5], "and of the first one");
    }

    #[test]
    fn axes_that_are_not_there_have_one_row() {
        assert_eq!(of_rows(&[7, 9], 1), [1, 1, 7]);
        assert_eq!(of_rows(&[2, 3, 4, 5, 6], 1), [3, 4, 5]);
        assert_eq!(of_rows(&[9, 1], 0), [0, 0, 9], "the last one lies along a row");
    }
}
