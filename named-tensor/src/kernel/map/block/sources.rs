//! How the values of a program's sources under a stretch come about, and how those are gathered that do not lie there.
//!
//! Lives here: the choice of a way for each source, row after row. Not here: the blocks of a stretch (`block`).

use super::{Way, Worker};
use crate::element::{Buffer, Numbers as Kinds, Stored};
use crate::kernel::ahead::fetch;
use crate::kernel::lanes::vectorised;
use crate::kernel::map::Operand;
use crate::kernel::map::cell::Cell;
use crate::kernel::map::program::Source;
use crate::kernel::map::register::{BEHIND, Rows, even_rows_of_one, make_room};
use crate::kernel::map::strip::Numbers;
use crate::kernel::pattern::{Pattern, repeat};
use crate::kernel::span::Odometer;
use crate::kernel::stream::lined_up_mut;
use std::ops::Range;

impl<T: Cell> Worker<'_, T> {
    /// Whether a source is the same in every row of the space.
    pub(super) fn is_repeated(&self, source: usize) -> bool {
        let (span, source_of) = (&self.job.span, self.job.program.sources()[source]);
        let outer = span.sizes.len().saturating_sub(1);
        source_of == Source::Own
            || matches!(source_of, Source::Operand(_))
                && span.strides[source][..outer].iter().all(|&stride| stride == 0)
    }

    /// Finds the sources one row further, as they were found for all of the row before or the end of it; or not, if that
    /// was the last row along its axis, or this is a short one.
    pub(super) fn goes_on(&mut self, row: usize) -> bool {
        let span = &self.job.span;
        let Some(axis) = span.sizes.len().checked_sub(2) else { return false };
        if row.is_multiple_of(span.sizes[axis]) {
            return false;
        }
        for (way, strides) in self.ways.iter_mut().zip(&span.strides) {
            match way {
                // `at` elements of the row before were computed, up to its end.
                Way::InPlace(start) => {
                    *start = (*start + self.at).wrapping_add_signed(strides[axis] - span.inner() as isize);
                }
                Way::Beside(start) => *start += self.at,
                Way::OneInRow(at) => *at = at.wrapping_add_signed(strides[axis]),
                _ => {}
            }
        }
        true
    }

    /// Gathers what is the same in every row once for several rows, of which the first begins in this column.
    pub(super) fn repeat(&mut self, column: usize, size: usize) {
        let inner = self.job.span.inner();
        let are_several = size >= 2 * inner && (self.job.program.light().is_some() || inner <= self.most);
        if !(are_several || self.is_cut && size > inner - column) {
            return;
        }
        for source in 0..self.ways.len() {
            if matches!(self.ways[source], Way::Gathered | Way::Lying(_)) && self.is_repeated(source) {
                self.gather_row(source);
                self.ways[source] = Way::Repeated(column);
            }
        }
    }

    /// After how many elements a row that is gathered once comes again: in a light program, which goes on through them, several
    /// rows if they are short.
    pub(super) fn period(&self) -> usize {
        let inner = self.job.span.inner();
        if self.job.program.light().is_some() { inner.max(self.most / inner * inner) } else { inner }
    }

    /// Gathers a row of a source, and writes it down again and again, so that what is read at once may begin at each of its
    /// elements: a strip of a light program, else a block.
    fn gather_row(&mut self, source: usize) {
        let at_once = if self.job.program.light().is_some() { Numbers::<T>::OFTEN } else { self.most };
        let (inner, size) = (self.job.span.inner(), self.period() + at_once);
        make_room(&mut self.registers[source], size + BEHIND);
        self.gather(source, 0, inner);
        match &mut *self.registers[source] {
            Buffer::F32(to) => repeat(&mut lined_up_mut(to)[..size], inner),
            Buffer::F64(to) => repeat(&mut lined_up_mut(to)[..size], inner),
            Buffer::Index(to) => repeat(&mut lined_up_mut(to)[..size], inner),
            Buffer::Bool(to) => repeat(&mut lined_up_mut(to)[..size], inner),
            Buffer::Bf16(to) => repeat(&mut lined_up_mut(to)[..size], inner),
            Buffer::Lent(_) => {}
        }
    }

    /// Asks for what the row after the next one reads in place: it lies too far away to be expected.
    pub(super) fn fetch(&self, axis: usize, width: usize) {
        let sources = self.job.program.sources().iter().zip(&self.job.span.strides);
        for (way, (source, strides)) in self.ways.iter().zip(sources) {
            if let (&Way::InPlace(start), &Source::Operand(i)) = (way, source) {
                let first = start.wrapping_add_signed(2 * strides[axis]);
                match self.job.operands[i].buffer.numbers() {
                    Kinds::F32(values) => fetch(values, first, width),
                    Kinds::F64(values) => fetch(values, first, width),
                    Kinds::Index(values) => fetch(values, first, width),
                    Kinds::Bool(values) => fetch(values, first, width),
                    Kinds::Bf16(values) => fetch(values, first, width),
                }
            }
        }
    }

    /// How far a source is from its first element at a position of the space.
    pub(super) fn distance(&self, source: usize, position: usize) -> isize {
        let span = &self.job.span;
        let (inner, outer) = (span.inner(), span.sizes.len().saturating_sub(1));
        let rows = Odometer::new(&span.sizes[..outer], &span.strides[source][..outer], position / inner);
        rows.distance + (position % inner) as isize * span.inner_stride(source)
    }

    /// Finds out how the values of the sources under a stretch come about; `done` of what stands beside was read before.
    pub(super) fn locate(&mut self, first: usize, size: usize, done: usize) {
        let span = &self.job.span;
        let is_one_row = first % span.inner() + size <= span.inner();
        let crosses_once = first % span.inner() + size <= 2 * span.inner();
        for source in 0..self.ways.len() {
            let is_in_one_piece = (is_one_row && span.inner_stride(source) == 1) || self.dense[source];
            match (self.job.program.sources()[source], self.ways[source]) {
                (Source::Own, _) => self.ways[source] = if self.is_beside { Way::Beside(done) } else { Way::Kept },
                (_, Way::Repeated(_)) if !is_one_row => {
                    self.ways[source] = Way::Repeated(first % span.inner());
                }
                (_, Way::Turned(_) | Way::Same) => {}
                (Source::Operand(i), _) if is_in_one_piece => {
                    let start = self.job.operands[i].offset.wrapping_add_signed(self.distance(source, first));
                    self.ways[source] = Way::InPlace(start);
                }
                _ if span.strides[source].iter().all(|&stride| stride == 0) => {
                    self.gather(source, first, self.most);
                    self.ways[source] = Way::Same;
                }
                (Source::Operand(i), _) if is_one_row && span.inner_stride(source) == 0 => {
                    let at = self.job.operands[i].offset.wrapping_add_signed(self.distance(source, first));
                    let is_light = self.job.program.light().is_some();
                    let often = if is_light { 2 * Numbers::<T>::OFTEN } else { self.most.min(span.inner()) };
                    make_room(&mut self.registers[source], often);
                    self.ways[source] = Way::OneInRow(at);
                }
                (Source::Operand(i), _) if self.is_cut && span.inner_stride(source) == 0 && crosses_once => {
                    let before = span.inner() - first % span.inner();
                    let [this, next] = [first, first + before]
                        .map(|at| self.job.operands[i].offset.wrapping_add_signed(self.distance(source, at)));
                    make_room(&mut self.registers[source], 2 * Numbers::<T>::OFTEN);
                    self.ways[source] = Way::OneInEach { this, next, before };
                }
                _ => self.ways[source] = Way::Gathered,
            }
        }
    }

    /// Writes the number of a row down so often, from place `to` on: in a light program as often as a strip has places, else
    /// for each element of a block.
    pub(super) fn write_down(&mut self, source: usize, to: usize, at: usize, often: usize) {
        fn fill<S: Stored>(from: &Buffer, at: usize, to: &mut [S], places: Range<usize>) {
            let (number, places) = (S::of(from)[at], &mut lined_up_mut(to)[places]);
            vectorised(
                #[inline(always)]
                move || places.fill(number),
            );
        }
        let Source::Operand(i) = self.job.program.sources()[source] else { return };
        let (from, places) = (self.job.operands[i].buffer, to..to + often);
        match &mut *self.registers[source] {
            Buffer::F32(to) => fill(from, at, to, places),
            Buffer::F64(to) => fill(from, at, to, places),
            Buffer::Index(to) => fill(from, at, to, places),
            Buffer::Bool(to) => fill(from, at, to, places),
            Buffer::Bf16(to) => fill(from, at, to, places),
            Buffer::Lent(_) => {}
        }
    }

    /// Finds the values of a source under the block of `size` elements that begins with position `first`: where they lie, if
    /// they do in one piece.
    pub(super) fn find(&mut self, source: usize, first: usize, size: usize) {
        match (self.job.program.sources()[source], self.pieces[source]) {
            (Source::Operand(i), piece) if piece > 0 && first % piece + size <= piece => {
                let start = self.job.operands[i].offset.wrapping_add_signed(self.distance(source, first));
                self.ways[source] = Way::Lying(start);
            }
            _ => {
                self.gather(source, first, size);
                self.ways[source] = Way::Gathered;
            }
        }
    }

    /// Fills the register of a source for the block of `size` elements that begins with position `first`.
    pub(super) fn gather(&mut self, source: usize, first: usize, size: usize) {
        make_room(&mut self.registers[source], size + BEHIND);
        let span = &self.job.span;
        let (inner, stride) = (span.inner(), span.inner_stride(source));
        let outer = &span.strides[source][..span.sizes.len().saturating_sub(1)];
        let operand = match self.job.program.sources()[source] {
            Source::Operand(i) => Some(&self.job.operands[i]),
            Source::Position(_) | Source::Own => None,
        };
        if let Some(Some(pattern)) = self.job.patterns.get(source) {
            let is_done = match (&mut *self.registers[source], operand) {
                (Buffer::F32(to), Some(operand)) => by_pattern(pattern, operand, first, &mut lined_up_mut(to)[..size]),
                (Buffer::F64(to), Some(operand)) => by_pattern(pattern, operand, first, &mut lined_up_mut(to)[..size]),
                (Buffer::Index(to), Some(operand)) => {
                    by_pattern(pattern, operand, first, &mut lined_up_mut(to)[..size])
                }
                (Buffer::Index(to), None) => distances_again(pattern, first, &mut lined_up_mut(to)[..size]),
                _ => false,
            };
            if is_done {
                return;
            }
        }
        // As a rule rows have one axis, and it is plain where each has its number.
        if let (0, &[step], Some(operand)) = (stride, outer, operand)
            && inner > BEHIND
        {
            let place = operand.offset.wrapping_add_signed((first / inner) as isize * step);
            let (from, places, size) = (operand.buffer, [place, first % inner, inner], size + BEHIND);
            return match &mut *self.registers[source] {
                Buffer::F32(to) => even_rows_of_one(from, places, step, &mut lined_up_mut(to)[..size]),
                Buffer::F64(to) => even_rows_of_one(from, places, step, &mut lined_up_mut(to)[..size]),
                Buffer::Index(to) => even_rows_of_one(from, places, step, &mut lined_up_mut(to)[..size]),
                Buffer::Bool(to) => even_rows_of_one(from, places, step, &mut lined_up_mut(to)[..size]),
                Buffer::Bf16(to) => even_rows_of_one(from, places, step, &mut lined_up_mut(to)[..size]),
                Buffer::Lent(_) => {}
            };
        }
        let rows = Odometer::new(&span.sizes[..outer.len()], outer, first / inner);
        let rows = Rows { rows, column: first % inner, inner, stride };
        match (&mut *self.registers[source], operand) {
            (Buffer::F32(to), Some(operand)) => rows.elements(operand, &mut lined_up_mut(to)[..size + BEHIND]),
            (Buffer::F64(to), Some(operand)) => rows.elements(operand, &mut lined_up_mut(to)[..size + BEHIND]),
            (Buffer::Index(to), Some(operand)) => rows.elements(operand, &mut lined_up_mut(to)[..size + BEHIND]),
            (Buffer::Bool(to), Some(operand)) => rows.elements(operand, &mut lined_up_mut(to)[..size + BEHIND]),
            (Buffer::Bf16(to), Some(operand)) => rows.elements(operand, &mut lined_up_mut(to)[..size + BEHIND]),
            (Buffer::Index(to), None) => rows.gather(&mut lined_up_mut(to)[..size], |start, to| {
                vectorised(
                    #[inline(always)]
                    move || {
                        for (i, x) in (0..).zip(to) {
                            *x = start as i64 + i * stride as i64;
                        }
                    },
                );
            }),
            _ => unreachable!("positions are kept as positions"),
        }
    }
}

/// Reads the numbers of an operand from that of position `first` on, if they are picked out of registers; tells whether they
/// are.
fn by_pattern<T: Stored>(pattern: &Pattern, operand: &Operand<'_>, first: usize, to: &mut [T]) -> bool {
    let is_close = pattern.is_close::<T>();
    if is_close {
        pattern.read(T::of(operand.buffer), operand.offset, first, to);
    }
    is_close
}

/// Writes distances down from that of position `first` on, if they are the same in every period; tells whether they are.
fn distances_again(pattern: &Pattern, first: usize, to: &mut [i64]) -> bool {
    let Some(distances) = pattern.same() else { return false };
    let (column, period) = (first % distances.len(), distances.len().min(to.len()));
    let all = distances[column..].iter().chain(&distances[..column]);
    to.iter_mut().zip(all).for_each(|(to, &distance)| *to = distance as i64);
    repeat(to, period);
    true
}
