//! Light programs: over a stretch, over rows, or over the rows of a tile.
//!
//! Where every step is an instruction or two per element, a step of its own loop spends its time on fetching and storing
//! what stands between the steps. A stretch is run in registers. Tiles, what is shorter than a strip, and all of it where there
//! are no vectors are run strip by strip: all steps over a few vectors, before the next strip is begun.
//! Not here: which programs are light (`recognise`), how they are run in registers (`registers`), the loops of the steps
//! (`step`), programs that need no pass of their own (`acts`), where sources lie (`block`, `lean`).

mod acts;
mod deeds;
mod difference;
mod numbers;
mod recognise;
mod registers;
mod step;

pub(in crate::kernel) use difference::{Difference, Then};
pub(crate) use numbers::Numbers;
pub(crate) use registers::{Line, Three};

use super::register::{Register, register};
use crate::element::Stored;
use crate::kernel::lanes::vectorised;
use crate::kernel::math::Scalar;
use crate::kernel::simd::Lanes;
use crate::kernel::stream::{LINE, Stream, lined_up_mut};
use deeds::Deed;
use numbers::part;
use smallvec::SmallVec;
pub(super) use step::FEW;
use step::{Op, Step};

/// Elements of a strip.
pub(super) const STRIP: usize = 128;
/// Elements of a strip of what has at least so many: choosing the steps then costs half as much.
const WIDE: usize = 2 * STRIP;
/// Elements of a strip of a row of a tile: many rows are shorter than a whole strip.
const HALF: usize = STRIP / 2;
/// Elements of a row from which one step over it is a loop of its own: the registers at once do not hold two such rows.
const LONG: usize = HALF + 1;
/// Elements of a row of a tile at most, where rows are sent past the caches.
pub(super) const MOST: usize = 512;

/// A row that is computed before it is sent, where a line of memory begins.
#[repr(align(64))]
struct Ready<T>([T; MOST]);

/// The elements of a strip, where lines of memory begin: a vector that lies in two lines costs twice.
type Strip<T> = [T; WIDE];

/// The strips that a register has room for.
pub(super) fn strips<T: Stored>(room: &mut Register) -> &mut [Strip<T>] {
    lined_up_mut(T::of_mut(room)).as_chunks_mut().0
}

/// Where the rows of a tile have the numbers of a source.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lines<'a, T> {
    /// Where the result goes.
    Own,
    /// Side by side: the first row from here on, and each next one so much further.
    Even(&'a [T], usize, isize),
}

/// A light program. Its values are numbered: first those of the sources, then constants, then one for each step.
#[derive(Clone, Debug)]
pub(crate) struct Light {
    sources: usize,
    constants: Vec<f64>,
    steps: Vec<Step>,
    /// The values of steps that are results too, each of which has a place of its own.
    others: Vec<usize>,
    /// What it is in registers.
    deeds: Vec<Deed>,
}

impl Light {
    /// The sources x, y and z of a program that is  x · y + z  and nothing else.
    pub(super) fn product_and_sum(&self) -> Option<[usize; 3]> {
        match self.steps[..] {
            [Step { op: Op::MulAdd, values }] if values.iter().all(|&value| value < self.sources) => Some(values),
            _ => None,
        }
    }

    /// The source whose square is all that the program makes.
    pub(super) fn squared(&self) -> Option<usize> {
        match self.steps[..] {
            [Step { op: Op::Mul, values: [x, y, _] }] if x == y && x < self.sources && self.others.is_empty() => {
                Some(x)
            }
            _ => None,
        }
    }

    /// The source whose size is all that the program makes.
    pub(super) fn sized(&self) -> Option<usize> {
        match self.steps[..] {
            [Step { op: Op::Abs, values: [x, ..] }] if x < self.sources && self.others.is_empty() => Some(x),
            _ => None,
        }
    }

    /// The number of the first step's value.
    fn first(&self) -> usize {
        self.sources + self.constants.len()
    }

    /// Room for the values of constants and steps, and for sources and a result that are shorter than a strip.
    pub(super) fn room<T: Scalar>(&self) -> Register {
        let mut room = register(T::KIND, (self.constants.len() + self.steps.len() + self.sources + 1) * WIDE);
        strips::<T>(&mut room).iter_mut().zip(&self.constants).for_each(|(strip, &value)| strip.fill(T::narrow(value)));
        room
    }

    /// The strips of constants and steps; and those of sources that are shorter than a strip, the last one of a result.
    #[inline(always)]
    fn parts<'a, T>(&self, room: &'a mut [Strip<T>]) -> [&'a mut [Strip<T>]; 2] {
        let (values, short) = room.split_at_mut(self.constants.len() + self.steps.len());
        [values, &mut short[..self.sources + 1]]
    }

    /// Runs the program over as many elements as `out` has. Each source has as many, and they are used in their order. Other
    /// results go to `others`, which have as many.
    pub(super) fn run<T: Lanes>(
        &self,
        sources: &[Numbers<'_, T>],
        room: &mut [Strip<T>],
        stream: &Stream,
        out: &mut [T],
        others: &mut [&mut [T]],
    ) {
        let size = out.len();
        assert!(others.len() == self.others.len() && others.iter().all(|other| other.len() == size), "map: results");
        if !stream.passes_by()
            && others.is_empty()
            && let [step] = &self.steps[..]
        {
            let values = step.values.map(
                #[inline(always)]
                |value| self.numbers(sources, room, value),
            );
            if step.run_pieces(values, out) {
                return;
            }
        }
        if size >= STRIP {
            let is_whole = |source: &Numbers<'_, T>| source.serves(size);
            assert!(sources.iter().all(is_whole), "map: sources as long as the result");
            if !self.in_registers(sources, room, stream, out, others) {
                let [room, _] = self.parts(room);
                self.by_strips(sources, room, out, others);
            }
            return;
        }
        let [room, short] = self.parts(room);
        // What is missing of a strip is anything.
        let Some((result, short)) = short.split_last_mut() else { return };
        for (strip, source) in short.iter_mut().zip(sources) {
            strip[..size].copy_from_slice(source.first(size));
        }
        let sources: SmallVec<[Numbers<'_, T>; 8]> = short.iter().map(|strip| Numbers::each(strip)).collect();
        let result = &mut result[..STRIP];
        self.strips::<T, STRIP>(&sources, room, result, &mut []);
        out.copy_from_slice(&result[..size]);
        // The room holds what the one strip has left there.
        for (other, &value) in others.iter_mut().zip(&self.others) {
            other.copy_from_slice(&room[value - self.sources][..size]);
        }
    }

    /// The numbers of a source or a constant.
    #[inline(always)]
    fn numbers<'a, T: Copy>(&self, sources: &[Numbers<'a, T>], room: &'a [Strip<T>], value: usize) -> Numbers<'a, T> {
        match value.checked_sub(self.sources) {
            Some(constant) => Numbers::same(&room[constant]),
            None => sources[value],
        }
    }

    /// Runs the program over so many whole rows along three axes, of `size` elements each: [`FEW`] or more, and a strip or more
    /// if there are no registers of several numbers.
    pub(super) fn rows<T: Lanes>(
        &self,
        counts: Three,
        size: usize,
        lines: &[Line<'_, T>],
        room: &mut [Strip<T>],
        out: &mut [T],
    ) {
        let mut rows = out.chunks_exact_mut(size);
        // What is one step over long rows has a loop of its own.
        if let [step] = self.steps[..]
            && (step.is_of_two() && size >= LONG)
            && let [x, y, z] = step.values
            && x.max(y).max(z) < self.sources
        {
            return registers::each_row(counts, [1; 3], |row| {
                let numbers = |value: usize| lines[value].row(row, size);
                let (xs, ys, zs) = (numbers(x), numbers(y), numbers(z));
                rows.next().into_iter().for_each(|out| step.run_whole([xs, ys, zs], out));
            });
        }
        drop(rows);
        if self.rows_in_registers(counts, size, lines, room, out) {
            return;
        }
        let [room, often] = self.parts(room);
        let mut rows = out.chunks_exact_mut(size);
        registers::each_row(counts, [1; 3], |row| {
            let mut sources: SmallVec<[Numbers<'_, T>; 8]> = lines.iter().map(|line| line.row(row, size)).collect();
            for (often, source) in often.iter_mut().zip(&mut sources) {
                if let Some(one) = source.one() {
                    often.fill(one);
                    *source = Numbers::same(often);
                }
            }
            rows.next().into_iter().for_each(|out| self.by_strips(&sources, room, out, &mut []));
        });
    }

    /// Runs the program over at least a strip of elements.
    fn by_strips<T: Scalar>(
        &self,
        sources: &[Numbers<'_, T>],
        room: &mut [Strip<T>],
        out: &mut [T],
        others: &mut [&mut [T]],
    ) {
        if out.len() >= WIDE {
            self.strips::<T, WIDE>(sources, room, out, others);
        } else {
            self.strips::<T, STRIP>(sources, room, out, others);
        }
    }

    /// Runs the program over some strips. Where the last one is not whole, elements before it are computed once more.
    fn strips<T: Scalar, const W: usize>(
        &self,
        sources: &[Numbers<'_, T>],
        room: &mut [Strip<T>],
        out: &mut [T],
        others: &mut [&mut [T]],
    ) {
        vectorised(
            #[inline(always)]
            move || {
                let last = out.len() - W;
                // The second strip begins where a line of memory does, at the cost of some elements of the first.
                let mut next = match out.as_ptr().align_offset(LINE) {
                    0 => W,
                    before => W - LINE / size_of::<T>() + before.min(LINE / size_of::<T>()),
                };
                let mut at = 0;
                loop {
                    let to = out[at..].first_chunk_mut::<W>().expect("a strip is left");
                    self.strip(room, |source| sources[source].strip(at), to);
                    for (other, &value) in others.iter_mut().zip(&self.others) {
                        other[at..][..W].copy_from_slice(&room[value - self.sources][..W]);
                    }
                    if at == last {
                        break;
                    }
                    at = last.min(next);
                    next += W;
                }
            },
        );
    }

    /// Runs the program over the rows of a tile. Row `i` of the result is `row(i)`. What passes the caches by is sent row by
    /// row, and is computed from other sources than what stands there.
    pub(super) fn tile<'r, T: Scalar + 'r>(
        &self,
        sources: &[Lines<'_, T>],
        room: &mut [Strip<T>],
        stream: &Stream,
        [height, width]: [usize; 2],
        row: &mut dyn FnMut(usize) -> &'r mut [T],
    ) {
        vectorised(
            #[inline(always)]
            move || {
                if !stream.passes_by() {
                    for i in 0..height {
                        if width > 2 * FEW {
                            self.row::<T, HALF>(sources, room, i, row(i));
                        } else {
                            self.row::<T, FEW>(sources, room, i, row(i));
                        }
                    }
                    return;
                }
                let mut ready = Ready([T::default(); MOST]);
                let ready = &mut ready.0[..width];
                for i in 0..height {
                    let out = row(i);
                    self.row::<T, STRIP>(sources, room, i, ready);
                    stream.put(ready, out);
                }
            },
        );
    }

    /// Runs the program over row `i` of a tile, in strips of `W` elements.
    #[inline(always)]
    fn row<T: Scalar, const W: usize>(&self, sources: &[Lines<'_, T>], room: &mut [Strip<T>], i: usize, out: &mut [T]) {
        let [room, short] = self.parts(room);
        let Some((result, short)) = short.split_last_mut() else { return };
        // Where the last strip of a narrow row is not whole, elements before it are computed once more, unless they are
        // written over: to copy what it has would take longer.
        let is_own = sources.iter().any(|source| matches!(source, Lines::Own));
        let is_narrow = W == FEW && !is_own;
        let last = out.len().checked_sub(W).filter(|_| is_narrow);
        for at in (0..out.len()).step_by(W) {
            let at = last.map_or(at, |last| at.min(last));
            let out = &mut out[at..];
            let first = |first: usize, step| first.wrapping_add_signed(i as isize * step) + at;
            let (own, to, is_whole) = match out.first_chunk_mut() {
                // Only what is finished in its place is read.
                Some(out) => (if is_own { *out } else { [T::default(); W] }, out, true),
                None => {
                    for (strip, source) in short.iter_mut().zip(sources) {
                        strip[..out.len()].copy_from_slice(match *source {
                            Lines::Own => out,
                            Lines::Even(data, start, step) => &data[first(start, step)..][..out.len()],
                        });
                    }
                    ([T::default(); W], result.first_chunk_mut().expect("a strip is as wide"), false)
                }
            };
            self.strip(
                room,
                #[inline(always)]
                |source| match sources[source] {
                    _ if !is_whole => part(&short[source], 0),
                    Lines::Own => &own,
                    Lines::Even(data, start, step) => part(data, first(start, step)),
                },
                to,
            );
            if !is_whole {
                out.copy_from_slice(&result[..out.len()]);
            }
        }
    }

    /// Runs the program over one strip. The loops of the steps stand here once for the last step and those before it:
    /// each time they stand in the program they are some kilobytes.
    #[inline(always)]
    fn strip<'a, T: Scalar, const W: usize>(
        &self,
        room: &mut [Strip<T>],
        source: impl Fn(usize) -> &'a [T; W],
        out: &mut [T; W],
    ) {
        let last = self.steps.len() - 1;
        for (i, step) in self.steps.iter().enumerate() {
            let (known, next) = room.split_at_mut(self.constants.len() + i);
            let [x, y, z] = step.values;
            let values = [self.value(&source, known, x), self.value(&source, known, y), self.value(&source, known, z)];
            let to = if i == last { &mut *out } else { next[0].first_chunk_mut().expect("a strip is as wide") };
            step.op.run(values, to);
        }
    }

    /// The value of this number.
    #[inline(always)]
    fn value<'a, 'b: 'a, T: Scalar, const W: usize>(
        &self,
        source: impl Fn(usize) -> &'b [T; W],
        known: &'a [Strip<T>],
        value: usize,
    ) -> &'a [T; W] {
        match value.checked_sub(self.sources) {
            Some(at) => part(&known[at], 0),
            None => source(value),
        }
    }
}
