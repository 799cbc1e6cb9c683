//! Light tails whose sources lie in the order of the result: they are read where they lie, row by row.
//!
//! A tail is called for every row of a piece. Where a light program reads no other sources than rows of operands and
//! single numbers, all that is left to do per row is to say where each begins.
//! Not here: tails of any other kind (`tail`, by `block`), what happens to a row (`strip`).

use super::cell::Cell;
use super::program::Source;
use super::register::{Register, make_room, register};
use super::strip::{Light, Lines, Numbers, STRIP};
use super::{BLOCK, Job};
use crate::kernel::ahead::fetch;
use crate::kernel::span::Odometer;
use crate::kernel::stream::{Stream, lined_up, lined_up_mut};
use crate::kernel::tiles::{Act, Rows};
use smallvec::SmallVec;

/// Elements of a part at most: all that it reads and writes stays in the nearest cache.
const PART: usize = 4 * BLOCK;

/// Elements that a row of a tile has at least to be finished where it stands: narrower ones are better mixed in blocks.
const LEAST: usize = 32;

/// A light tail in the hands of one thread.
pub(super) struct Lean<'a, T: Cell> {
    job: &'a Job<'a>,
    light: &'a Light,
    sources: SmallVec<[Row<'a, T>; 4]>,
    /// What it does to the numbers beside, if it can be done in registers.
    acts: Option<SmallVec<[Act<usize>; 4]>>,
    /// The row of the space that the sources stand at.
    row: usize,
    /// What a program works in, once one has run.
    strips: Option<T::Strips>,
    /// What is to be finished.
    beside: Register,
    /// How results get to memory.
    stream: Stream,
}

/// Where a source has its numbers.
enum Row<'a, T> {
    /// Beside the result.
    Own,
    /// Side by side in an operand, from this position on where the row begins.
    Here(&'a [T], usize, Odometer<'a>),
    /// One number, so often.
    Same(Vec<T>),
    /// One number for each row, at this position of an operand where the row begins, and room for as many of it as are read at
    /// once.
    Each(&'a [T], usize, Odometer<'a>, Vec<T>),
}

/// Where sources have the rows of a tile, and whether they have one number for each.
type Evenly<'a, T> = SmallVec<[(Lines<'a, T>, bool); 4]>;

impl<'a, T: Cell> Lean<'a, T> {
    /// The tail, if it is such a one.
    pub(super) fn new(job: &'a Job<'a>, stream: Stream) -> Option<Lean<'a, T>> {
        let (light, span) = (job.program.light()?, &job.span);
        let outer = span.sizes.len().saturating_sub(1);
        let row = |(source, of): (usize, &Source)| match *of {
            Source::Own => Some(Row::Own),
            Source::Operand(i) if span.inner_stride(source) == 1 || span.inner() == 1 => {
                let rows = Odometer::new(&span.sizes[..outer], &span.strides[source][..outer], 0);
                Some(Row::Here(T::of(job.operands[i].buffer), job.operands[i].offset, rows))
            }
            Source::Operand(i) if span.strides[source].iter().all(|&stride| stride == 0) => {
                Some(Row::Same(vec![T::of(job.operands[i].buffer)[job.operands[i].offset]; PART.min(span.inner())]))
            }
            Source::Operand(i) if span.inner_stride(source) == 0 => {
                let rows = Odometer::new(&span.sizes[..outer], &span.strides[source][..outer], 0);
                let room = vec![T::default(); Numbers::<T>::OFTEN.min(span.inner())];
                Some(Row::Each(T::of(job.operands[i].buffer), job.operands[i].offset, rows, room))
            }
            Source::Operand(_) | Source::Position(_) => None,
        };
        let sources = job.program.sources().iter().enumerate().map(row);
        let sources = sources.collect::<Option<SmallVec<[Row<'_, T>; 4]>>>()?;
        let own = job.program.sources().iter().position(|source| *source == Source::Own);
        let acts = own.and_then(|own| light.acts(own));
        // Where it cannot be done in registers, rows with a number each are better mixed in blocks.
        if acts.is_none() && sources.iter().any(|source| matches!(source, Row::Each(..))) {
            return None;
        }
        Some(Lean { job, light, sources, acts, row: 0, strips: None, beside: register(T::KIND, 0), stream })
    }

    /// Whether parts of this size are worth it: shorter ones are better mixed in blocks.
    pub(super) fn serves(&self, size: usize) -> bool {
        size.min(self.job.span.inner()) >= STRIP
    }

    /// Gain and shift of `count` lines of `size` elements, from that numbered `first` on, where the tail is  y · gain + shift
    /// of what it finishes. One line is a part of a row; several are whole rows, and the same stands beside each.
    pub(super) fn gain_and_shift(&mut self, first: usize, [count, size]: [usize; 2]) -> Option<[&'a [T]; 2]> {
        let [x, y, z] = self.light.product_and_sum()?;
        let (span, sources) = (&self.job.span, self.job.program.sources());
        let outer = span.sizes.len().saturating_sub(1);
        let is_same_in_all = |source: usize| {
            sources[source] == Source::Own || span.strides[source][..outer].iter().all(|&stride| stride == 0)
        };
        if count > 1 && !(span.inner() == size && [x, y, z].into_iter().all(is_same_in_all)) {
            return None;
        }
        let (row, column) = (first / span.inner(), first % span.inner());
        if column + size > span.inner() {
            return None;
        }
        self.seek(row);
        let read = |source: usize| match &self.sources[source] {
            Row::Here(data, offset, rows) => {
                data.get(offset.wrapping_add_signed(rows.distance) + column..)?.get(..size)
            }
            Row::Own | Row::Same(_) | Row::Each(..) => None,
        };
        match (&self.sources[x], &self.sources[y]) {
            (Row::Own, _) => Some([read(y)?, read(z)?]),
            (_, Row::Own) => Some([read(x)?, read(z)?]),
            _ => None,
        }
    }

    /// Room for what is to be finished.
    pub(super) fn beside(&mut self, size: usize) -> &mut [T] {
        make_room(&mut self.beside, size);
        &mut lined_up_mut(T::of_mut(&mut self.beside))[..size]
    }

    /// Writes the elements of the result that begin with that numbered `first`: what stands beside, finished.
    pub(super) fn stretch(&mut self, first: usize, out: &mut [T]) {
        let inner = self.job.span.inner();
        let mut done = 0;
        while done < out.len() {
            let (row, column) = ((first + done) / inner, (first + done) % inner);
            let size = (inner - column).min(out.len() - done).min(PART);
            self.seek(row);
            self.part(done, column, &mut out[done..done + size]);
            done += size;
        }
    }

    /// Finishes the elements of the result that begin with that numbered `first`, where they stand.
    pub(super) fn stretch_in_place(&mut self, first: usize, out: &mut [T]) {
        for (i, out) in out.chunks_mut(PART).enumerate() {
            self.beside(out.len()).copy_from_slice(out);
            self.stretch(first + i * PART, out);
        }
    }

    /// Where the sources have the rows of a tile, which begin `step` apart, if each has them as far apart from each other.
    fn lines(&mut self, first: usize, step: usize, sides: [usize; 2]) -> Option<SmallVec<[Lines<'_, T>; 4]>> {
        let lines = self.evenly(first, step, sides)?.into_iter();
        lines.map(|(lines, is_each)| (!is_each).then_some(lines)).collect()
    }

    /// The same, and which sources have one number for each row.
    fn evenly(&mut self, first: usize, step: usize, [height, width]: [usize; 2]) -> Option<Evenly<'_, T>> {
        let span = &self.job.span;
        let (inner, outer) = (span.inner(), span.sizes.len().saturating_sub(1));
        let column = first % inner;
        let is_in_one_row = column + (height - 1) * step + width <= inner;
        // They are even along the last of the outer axes.
        let last = outer.checked_sub(1).map_or(usize::MAX, |last| span.sizes[last]);
        let is_even = outer <= 1 || (first / inner) % last + (height - 1) * (step / inner) < last;
        let is_in_whole_rows = step.is_multiple_of(inner) && column + width <= inner && is_even;
        if width > PART || self.stream.passes_by() || !(is_in_one_row || is_in_whole_rows) {
            return None;
        }
        self.seek(first / inner);
        let lines = self.sources.iter().enumerate().map(|(source, row)| {
            let rows_apart = || span.strides[source][outer.saturating_sub(1)] * (step / inner) as isize;
            match row {
                Row::Own => (Lines::Own, false),
                &Row::Here(data, offset, ref rows) => {
                    let apart = if is_in_one_row { step as isize } else { rows_apart() };
                    (Lines::Even(data, offset.wrapping_add_signed(rows.distance) + column, apart), false)
                }
                Row::Same(numbers) => (Lines::Even(numbers, 0, 0), false),
                &Row::Each(data, offset, ref rows, _) => {
                    let apart = if is_in_one_row { 0 } else { rows_apart() };
                    (Lines::Even(data, offset.wrapping_add_signed(rows.distance), apart), true)
                }
            }
        });
        Some(lines.collect())
    }

    /// What the rows of a tile are finished with, if that can be done in registers.
    pub(super) fn ending(
        &mut self,
        first: usize,
        step: usize,
        sides: [usize; 2],
    ) -> Option<SmallVec<[Act<Rows<'_, T>>; 4]>> {
        let acts = self.acts.clone()?;
        let lines = self.evenly(first, step, sides)?;
        let rows = |source: usize| match lines[source].0 {
            Lines::Own => None,
            Lines::Even(data, first, apart) => Some(Rows { numbers: data.get(first..)?, step: apart.try_into().ok()? }),
        };
        let is_each = |act: Act<usize>| act.operand().is_some_and(|source| lines[source].1);
        acts.into_iter().map(|act| if is_each(act) { act.with_each()? } else { act }.try_map(rows)).collect()
    }

    /// Asks for what the rows of a tile are finished with.
    pub(super) fn expect(&mut self, first: usize, step: usize, sides: [usize; 2]) {
        for line in self.lines(first, step, sides).iter().flatten() {
            if let &Lines::Even(data, first, apart) = line
                && apart != 0
            {
                (0..sides[0] as isize).for_each(|i| fetch(data, first.wrapping_add_signed(i * apart), sides[1]));
            }
        }
    }

    /// Finishes the rows of a tile where they stand, `row(i)` for row `i`, which begin `step` apart, if they are long enough
    /// and every source has them as far apart from each other; tells whether it has.
    pub(super) fn tile<'r>(
        &mut self,
        first: usize,
        step: usize,
        sides: [usize; 2],
        mut row: impl FnMut(usize) -> &'r mut [T],
    ) -> bool
    where
        T: 'r,
    {
        let (light, stream) = (self.light, Stream::usual());
        if sides[1] < LEAST {
            return false;
        }
        let mut strips = self.strips.take().unwrap_or_else(|| T::strips(light));
        let lines = self.lines(first, step, sides);
        if let Some(lines) = &lines {
            T::run_light_tile(light, lines, &mut strips, &stream, sides, &mut row);
        }
        let is_done = lines.is_some();
        drop(lines);
        self.strips = Some(strips);
        is_done
    }

    /// Has the sources stand at a row.
    fn seek(&mut self, row: usize) {
        if row == self.row {
            return;
        }
        let span = &self.job.span;
        let outer = span.sizes.len().saturating_sub(1);
        for (source, of) in self.sources.iter_mut().enumerate() {
            let (Row::Here(_, _, rows) | Row::Each(_, _, rows, _)) = of else { continue };
            if row == self.row + 1 {
                rows.step();
            } else {
                *rows = Odometer::new(&span.sizes[..outer], &span.strides[source][..outer], row);
            }
        }
        self.row = row;
    }

    /// Finishes a part of a row, which stands beside from `done` on.
    fn part(&mut self, done: usize, column: usize, out: &mut [T]) {
        for source in &mut self.sources {
            if let Row::Each(data, offset, rows, numbers) = source {
                let often = out.len().min(Numbers::<T>::OFTEN);
                numbers[..often].fill(data[offset.wrapping_add_signed(rows.distance)]);
            }
        }
        let (size, own) = (out.len(), lined_up(T::of(&self.beside)));
        let read = |source| -> Numbers<'_, T> {
            match source {
                &Row::Own => Numbers::each(&own[done..][..size]),
                &Row::Here(data, offset, ref rows) => {
                    Numbers::each(&data[offset.wrapping_add_signed(rows.distance) + column..][..size])
                }
                Row::Same(numbers) => Numbers::same(numbers),
                Row::Each(.., numbers) => Numbers::same(&numbers[..size.min(Numbers::<T>::OFTEN)]),
            }
        };
        let sources: SmallVec<[Numbers<'_, T>; 8]> = self.sources.iter().map(read).collect();
        let light = self.light;
        let strips = self.strips.get_or_insert_with(|| T::strips(light));
        T::run_light(light, &sources, strips, &self.stream, out, &mut []);
    }
}
