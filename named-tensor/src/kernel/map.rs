//! Fused elementwise programs: many operations on each element in one pass over memory.
//!
//! Lives here: instructions, and the walk over a space in blocks. A block is small enough for the first-level cache and
//! large enough that choosing an operation once per block costs nothing.
//! Not here: how a program is prepared (`program`), what happens to one block (`block`), fast functions (`math`).
//!
//! Reals are computed in their own precision; positions with saturating arithmetic, where a quotient by 0 is 0.

mod block;
mod cell;
mod crosswise;
mod laid_out;
mod lean;
mod program;
mod register;
mod strip;
mod tail;
mod tiny;

pub(crate) use cell::Cell;
pub(in crate::kernel) use laid_out::LaidOut;
pub(crate) use program::Program;
pub(in crate::kernel) use strip::{Difference, Then};
pub(in crate::kernel) use tail::Finisher;
pub(crate) use tail::Tail;

use super::parallel::{self, GRAIN, Shared, grain_of, long_grain_of};
use super::pattern::Pattern;
use super::span::{Span, check_inside, row_major};
use super::stream::Stream;
use crate::element::{Binary, Buffer, Comparison, Kind, Stored, Unary};
use block::Worker;
use crosswise::Tiles;
use program::Source;
use smallvec::SmallVec;

/// One operation. Other instructions are named by their numbers, which are smaller than its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Instruction {
    /// The element of an operand.
    Load(usize),
    /// The number of this kind that stands where the result goes.
    Own(Kind),
    /// A number of this kind.
    Constant(Kind, f64),
    /// The position along an axis of the space.
    Position(usize),
    /// A function of one number.
    Unary(Unary, usize),
    /// A function of two numbers of one kind.
    Binary(Binary, usize, usize),
    /// A truth value, from two numbers of one kind.
    Compare(Comparison, usize, usize),
    /// The second where the first is true, else the third.
    Select(usize, usize, usize),
    /// The same number in another kind: reals become positions by truncation, truth values are 1 and 0.
    Cast(Kind, usize),
}

impl Instruction {
    /// The same of other instructions.
    pub(crate) fn with(self, other: impl Fn(usize) -> usize) -> Instruction {
        match self {
            Instruction::Load(_) | Instruction::Own(_) | Instruction::Constant(..) | Instruction::Position(_) => self,
            Instruction::Unary(op, x) => Instruction::Unary(op, other(x)),
            Instruction::Binary(op, x, y) => Instruction::Binary(op, other(x), other(y)),
            Instruction::Compare(op, x, y) => Instruction::Compare(op, other(x), other(y)),
            Instruction::Select(condition, x, y) => Instruction::Select(other(condition), other(x), other(y)),
            Instruction::Cast(kind, x) => Instruction::Cast(kind, other(x)),
        }
    }

    /// Whether both do the same. The constants 0 and -0 are equal and not the same.
    pub(crate) fn is_same(&self, other: &Instruction) -> bool {
        match (self, other) {
            (Instruction::Constant(_, x), Instruction::Constant(_, y)) if x.to_bits() != y.to_bits() => false,
            _ => self == other,
        }
    }
}

/// A buffer seen through one stride per axis of the space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand<'a> {
    /// Where the elements are.
    pub(crate) buffer: &'a Buffer,
    /// The position of the first one.
    pub(crate) offset: usize,
    /// The distance from one element to the next along each axis.
    pub(crate) strides: &'a [isize],
}

/// Elements of one block.
const BLOCK: usize = 512;

/// Steps of a program of which [`GRAIN`] elements are worth a thread, and elements that are not in any program.
const FEW: usize = 4;
const LEAST: usize = 4 * BLOCK;
/// Rows of one number each that follow each other, from which on they are not read in a pattern.
const MANY: usize = 64;

/// A program, the simplified space it runs over, and what it reads.
struct Job<'a> {
    program: &'a Program,
    /// The operands of the space are the sources of the program.
    span: Span,
    operands: &'a [Operand<'a>],
    /// For each source whose rows are so short that it has one, its pattern; or nothing at all.
    patterns: Vec<Option<Pattern>>,
    /// Whether its results are handed over before anybody reads them.
    is_last: bool,
}

/// Runs a program at every position of a space; `out` receives the results in row-major order, and so do `others`, one
/// for each other result of the program. Those of a loop that is the last to have to do with them (`is_last`) need not stay
/// in the caches.
///
/// # Panics
/// If an operand leaves its buffer, or if kinds or sizes are not those of the program and the space.
pub(crate) fn run(
    program: &Program,
    sizes: &[usize],
    operands: &[Operand<'_>],
    out: &mut Buffer,
    others: &mut [&mut Buffer],
    is_last: bool,
) {
    assert_eq!(others.len(), program.others().len(), "map: a place for each result");
    assert_eq!(out.size(), sizes.iter().product::<usize>(), "map: one result per position");
    out.own();
    for other in &mut *others {
        assert_eq!(other.size(), out.size(), "map: one of each result per position");
        other.own();
    }
    let is_done = match &mut *out {
        Buffer::F32(out) => tiny::run(program, sizes, operands, out, &mut all_of(others)),
        Buffer::F64(out) => tiny::run(program, sizes, operands, out, &mut all_of(others)),
        _ => false,
    };
    if !is_done {
        in_blocks(program, sizes, operands, out, others, is_last);
    }
}

/// The same of what is not small.
fn in_blocks(
    program: &Program,
    sizes: &[usize],
    operands: &[Operand<'_>],
    out: &mut Buffer,
    others: &mut [&mut Buffer],
    is_last: bool,
) {
    let laid_out = LaidOut::of(program, sizes, operands, others.is_empty());
    let moved = laid_out.as_ref().map(|laid_out| laid_out.operands(operands));
    let operands = moved.as_deref().unwrap_or(operands);
    let job = Job { is_last, ..Job::new(program, sizes, operands) };
    match out {
        Buffer::F32(out) => job.run(out, &mut all_of(others)),
        Buffer::F64(out) => job.run(out, &mut all_of(others)),
        Buffer::Index(out) => job.run(out, &mut all_of(others)),
        Buffer::Bool(out) => job.run(out, &mut all_of(others)),
        Buffer::Bf16(out) => job.run(out, &mut all_of(others)),
        Buffer::Lent(_) => {}
    }
}

/// The numbers of some buffers of one kind.
#[inline]
fn all_of<'a, T: Stored>(buffers: &'a mut [&mut Buffer]) -> SmallVec<[&'a mut [T]; 2]> {
    buffers.iter_mut().map(|buffer| T::of_mut(buffer)).collect()
}

impl<'a> Job<'a> {
    /// A program over a space of these sizes.
    ///
    /// # Panics
    /// If an operand leaves its buffer, or if its kind is not that of the program.
    fn new(program: &'a Program, sizes: &[usize], operands: &'a [Operand<'a>]) -> Job<'a> {
        assert_eq!(operands.len(), program.operands().len(), "map: operands of the program");
        for (operand, &kind) in operands.iter().zip(program.operands()) {
            assert_eq!(operand.buffer.kind(), kind, "map: kind of an operand");
            check_inside("map: operand", operand.buffer.size(), operand.offset, sizes, operand.strides);
        }
        let with_positions = program.has_positions();
        let axes = if with_positions { sizes.len() } else { 0 };
        let along: Vec<SmallVec<[isize; 8]>> =
            (0..axes).map(|axis| (0..sizes.len()).map(|other| isize::from(other == axis)).collect()).collect();
        let own = row_major(sizes);
        let strides: SmallVec<[&[isize]; 8]> = program
            .sources()
            .iter()
            .map(|source| match *source {
                Source::Operand(i) => operands[i].strides,
                Source::Position(axis) => &along[axis],
                Source::Own => &own,
            })
            .collect();
        let span = Span::new(sizes, &strides);
        // One number for all of a row is written down faster than it is picked, if many rows follow each other.
        let many_rows = span.sizes.iter().rev().nth(1).is_some_and(|&rows| rows >= MANY);
        let is_one_in_row =
            |source: usize| matches!(program.sources()[source], Source::Operand(_)) && span.inner_stride(source) == 0;
        let is_found = |source: usize| span.is_dense(source) || many_rows && is_one_in_row(source);
        let pattern = |source| if is_found(source) { None } else { span.pattern(source) };
        let patterns = if span.total() < 2 * BLOCK { Vec::new() } else { (0..strides.len()).map(pattern).collect() };
        Job { program, span, operands, patterns, is_last: false }
    }
}

impl Job<'_> {
    fn run<T: Cell>(&self, out: &mut [T], others: &mut [&mut [T]]) {
        assert_eq!(T::KIND, self.program.result(), "map: kind of the result");
        match Tiles::of(self, out).filter(|_| others.is_empty()) {
            Some(tiles) => self.by_tiles(&tiles, out),
            None => self.by_rows(out, others),
        }
    }

    /// In the order in which the result lies.
    fn by_rows<T: Cell>(&self, out: &mut [T], others: &mut [&mut [T]]) {
        let total = out.len();
        let results = 1 + others.len();
        let shared: SmallVec<[Shared<'_, T>; 2]> = others.iter_mut().map(|other| Shared::new(other)).collect();
        parallel::for_each_chunk(out, long_grain_of(total, self.grain()).next_multiple_of(BLOCK), |first, chunk| {
            // SAFETY: chunks do not meet, and each of them is visited once.
            let beside = shared.iter().map(|other| unsafe { other.slice(first, chunk.len()) }).collect();
            let mut worker = Worker::new(self, chunk.len(), self.way::<T>(total, results));
            worker.put_others(beside);
            worker.stretch(first, chunk);
        });
    }

    /// The way of so many results of `total` elements each. Several of them leave the caches sooner than one.
    fn way<T: Cell>(&self, total: usize, results: usize) -> Stream {
        if results == 1 || !self.is_last {
            return Stream::of::<T>(total);
        }
        let read = (0..self.span.strides.len()).filter(|&source| self.span.is_dense(source)).count();
        Stream::of_last((results + read).saturating_mul(total).saturating_mul(size_of::<T>()))
    }

    /// Elements that are worth a thread: fewer of a long program with functions that take many instructions each.
    fn grain(&self) -> usize {
        match self.program.light() {
            Some(_) => GRAIN,
            None => (GRAIN * FEW / self.program.steps().len().max(FEW)).max(LEAST),
        }
    }

    /// Tile by tile, each of some rows that lie across a source.
    fn by_tiles<T: Cell>(&self, tiles: &Tiles, out: &mut [T]) {
        let (total, shared) = (out.len(), Shared::new(out));
        parallel::for_each_range(tiles.count(), grain_of(tiles.count(), tiles.grain()), |range| {
            let mut worker = Worker::new(self, usize::MAX, Stream::of::<T>(total));
            for number in range {
                let tile = tiles.tile(number);
                // As a rule this thread goes on to it, also where it belongs to the next range.
                let next = (number + 1 < tiles.count()).then(|| tiles.tile(number + 1));
                worker.tile(tiles, &tile, next.as_ref(), |first| {
                    // SAFETY: the tiles part the space, each is visited once, and so is each row of it, whose positions
                    // are one after the other; positions of the space are places of the result.
                    unsafe { shared.slice(first, tile.width) }
                });
            }
        });
    }
}

/// A program over a space, whose results are computed some at a time and stored nowhere.
pub(super) struct Computed<'a>(Job<'a>);

impl<'a> Computed<'a> {
    /// # Panics
    /// If an operand leaves its buffer, or if its kind is not that of the program.
    pub(super) fn new(program: &'a Program, sizes: &[usize], operands: &'a [Operand<'a>]) -> Computed<'a> {
        Computed(Job::new(program, sizes, operands))
    }

    /// What one thread computes with, at most `size` results at a time.
    pub(super) fn by_one<T: Cell>(&self, size: usize) -> Computing<'_, T> {
        assert_eq!(T::KIND, self.0.program.result(), "map: kind of the result");
        Computing(Worker::new(&self.0, size, Stream::usual()))
    }
}

/// A program in the hands of one thread.
pub(super) struct Computing<'a, T: Cell>(Worker<'a, T>);

impl<'a, T: Cell> Computing<'a, T> {
    /// Says where the other results of the program go, of which each place is as large as what is computed at a time.
    pub(super) fn put_others(&mut self, others: SmallVec<[&'a mut [T]; 2]>) {
        self.0.put_others(others);
    }

    /// What was computed last of another result of the program.
    pub(super) fn other(&self, number: usize) -> &[T] {
        self.0.other_result(number)
    }

    /// Computes the results of the positions that begin with that numbered `first`.
    pub(super) fn stretch(&mut self, first: usize, out: &mut [T]) {
        self.0.stretch(first, out);
    }
}

#[cfg(test)]
mod tests;
