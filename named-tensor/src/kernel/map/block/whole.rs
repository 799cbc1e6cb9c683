//! Whole rows of a light program, one after the other, where finding the sources of a row is two additions.
//!
//! A row that goes by the way of every other stretch (`sources`, `block`) has its sources looked for and their numbers put
//! together anew, which takes longer than the arithmetic on some hundred elements. Where each source lies along a row, or
//! has one number for all of it, all that changes from row to row is where it begins.
//! Also here: where rows are cut that are not computed so.
//! Not here: what happens to a row (`strip`), rows that are mixed in blocks (`block`).

use super::{Source, Worker};
use crate::kernel::map::cell::Cell;
use crate::kernel::map::strip::{Light, MOST_IN_ROWS as MOST, Numbers};
use crate::kernel::stream::LINE;

/// Elements from which a row is worth being one of its own: shorter ones are mixed in blocks.
const LEAST: usize = 128;

/// Where a source has its numbers: in this operand, from here on in the row at hand, so much further in each next one.
struct Line<'a, T> {
    data: &'a [T],
    first: usize,
    step: isize,
    /// Whether it has one number for all of a row.
    is_one: bool,
}

impl<T: Cell> Worker<'_, T> {
    /// Finds out whether rows may be computed so.
    pub(super) fn find_whole_rows(&mut self) {
        let (job, span) = (self.job, &self.job.span);
        let sources = job.program.sources();
        let is_line = |(source, of): (usize, &Source)| {
            matches!(of, Source::Operand(_)) && matches!(span.inner_stride(source), 0 | 1)
        };
        let are_rows = span.inner() >= LEAST && span.sizes.len() > 1 && sources.len() <= MOST;
        let is_for_all = self.is_even || self.stream.passes_by();
        if are_rows && !is_for_all && sources.iter().enumerate().all(is_line) {
            self.by_rows = job.program.light();
            self.long = LEAST;
        }
    }

    /// After how many elements of `out` to cut it, where a row ends after `left` elements.
    pub(super) fn end(&self, out: &[T], left: usize) -> usize {
        match out.get(left..) {
            Some(next) if self.is_cut => left + next.as_ptr().align_offset(LINE).min(next.len()),
            Some(_) => left,
            None => out.len(),
        }
    }

    /// Computes whole rows from position `first` on, which begins one, as far as they follow each other along one axis.
    /// Returns how many elements of `out` they are.
    pub(super) fn whole_rows(&mut self, light: &Light, first: usize, out: &mut [T]) -> usize {
        let (job, span) = (self.job, &self.job.span);
        let (inner, axis) = (span.inner(), span.sizes.len() - 2);
        let left = span.sizes[axis] - first / inner % span.sizes[axis];
        let size = inner * left.min(out.len() / inner);
        let mut lines: [Line<'_, T>; MOST] = std::array::from_fn(|source| match job.program.sources().get(source) {
            Some(&Source::Operand(i)) => Line {
                data: T::of(job.operands[i].buffer),
                first: job.operands[i].offset.wrapping_add_signed(self.distance(source, first)),
                step: span.strides[source][axis],
                is_one: span.inner_stride(source) == 0,
            },
            _ => Line { data: &[], first: 0, step: 0, is_one: false },
        });
        let mut next = || {
            lines.each_mut().map(|line| {
                let Line { data, first, step, is_one } = *line;
                line.first = first.wrapping_add_signed(step);
                match (data.is_empty(), is_one) {
                    (true, _) => Numbers::each(data),
                    (_, true) => Numbers::same(&data[first..=first]),
                    _ => Numbers::each(&data[first..][..inner]),
                }
            })
        };
        T::run_light_rows(light, inner, &mut next, &mut self.strips, &mut out[..size]);
        size
    }
}
