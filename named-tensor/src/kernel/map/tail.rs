//! Programs that end another computation: what is done to numbers where they stand, while they are in a near cache.
//!
//! A kernel that has written some elements of its result, one after the other in memory, gives them to the tail, which
//! puts a function of each in its place: of the number itself and of what stands at the same position of other tensors.
//! Positions are counted in the order in which the result lies, so any stretch of it can be finished by itself; many short
//! ones at equal distances, the rows of a tile, share blocks.
//! Not here: what happens to one block (`block`), when a stretch is ready (the kernel whose result it is).

use super::block::Worker;
use super::cell::Cell;
use super::lean::Lean;
use super::program::Source;
use super::{BLOCK, Job, Operand, Program, tiny};
use crate::element::{Buffer, Stored};
use crate::kernel::parallel::Shared;
use crate::kernel::span::Odometer;
use crate::kernel::stream::{Stream, lined_up_mut};
use crate::kernel::tiles::{Act, Rows};
use smallvec::SmallVec;

/// Elements of a result that is small.
const SMALL: usize = 4 * BLOCK;

/// A program over the whole of a result, and what it reads besides.
pub(crate) struct Tail<'a> {
    job: Job<'a>,
    size: usize,
}

impl<'a> Tail<'a> {
    /// A program over a result of these sizes, which lies without gaps in their order.
    ///
    /// # Panics
    /// If an operand leaves its buffer, or if its kind is not that of the program.
    pub(crate) fn new(program: &'a Program, sizes: &[usize], operands: &'a [Operand<'a>]) -> Tail<'a> {
        Tail { job: Job::new(program, sizes, operands), size: sizes.iter().product() }
    }

    /// Whether all of a result of so many elements is best finished at once, by [`Tail::at_once`].
    pub(crate) fn is_small(size: usize) -> bool {
        size <= tiny::FEW
    }

    /// Finishes all of a small result, which is less work than to make its tail.
    ///
    /// # Panics
    /// If an operand leaves its buffer, or if kinds or sizes are not those of the program and the result.
    pub(crate) fn at_once<T: Cell>(program: &Program, sizes: &[usize], operands: &[Operand<'_>], out: &mut [T]) {
        if !tiny::run(program, sizes, operands, out, &mut []) {
            Tail::new(program, sizes, operands).whole(out);
        }
    }

    /// Panics unless this is the tail of a result of so many elements of this kind.
    #[track_caller]
    pub(in crate::kernel) fn check<T: Cell>(&self, size: usize) {
        assert_eq!(self.size, size, "tail: one position per element of the result");
        assert_eq!(self.job.program.result(), T::KIND, "tail: kind of the result");
    }

    /// What one thread finishes stretches with, in place.
    pub(in crate::kernel) fn finisher<T: Cell>(&self) -> Finisher<'_, T> {
        // What was just written is near, and stays so.
        self.finisher_by(0)
    }

    /// What one thread finishes stretches with that are still beside the result.
    pub(in crate::kernel) fn finisher_from_beside<T: Cell>(&self) -> Finisher<'_, T> {
        self.finisher_by(self.size)
    }

    /// A finisher whose results go to memory as those of so many elements do.
    fn finisher_by<T: Cell>(&self, size: usize) -> Finisher<'_, T> {
        Finisher { job: &self.job, size, lean: Lean::new(&self.job, Stream::of::<T>(size)), blocks: None }
    }

    /// Finishes all of a result at once, where its kernel has no stretches to give.
    pub(crate) fn whole<T: Cell>(&self, out: &mut [T]) {
        self.check::<T>(out.len());
        if !self.rows(out) {
            self.job.run(out, &mut []);
        }
    }

    /// Finishes a small result row by row where it stands, if the sources lie well: to set up blocks would take longer. Tells
    /// whether it has.
    fn rows<T: Cell>(&self, out: &mut [T]) -> bool {
        let inner = self.job.span.inner();
        if !(1..=SMALL).contains(&out.len()) {
            return false;
        }
        let Some(mut lean) = Lean::new(&self.job, Stream::usual()) else { return false };
        let sides = [out.len() / inner, inner];
        let mut rows = out.chunks_exact_mut(inner);
        lean.tile(0, inner, sides, |_| rows.next().expect("a row is asked for once, one after the other"))
    }
}

/// A tail in the hands of one thread.
pub(in crate::kernel) struct Finisher<'a, T: Cell> {
    job: &'a Job<'a>,
    /// Elements of what goes to memory as that many do.
    size: usize,
    /// The same for parts of rows that are worth it.
    lean: Option<Lean<'a, T>>,
    /// The same for everything else, made when it is needed: many tails never need it.
    blocks: Option<Blocks<'a, T>>,
}

/// A tail that goes block by block.
struct Blocks<'a, T: Cell> {
    worker: Worker<'a, T>,
    /// For each source the places of the rows of a tile, one source after the other.
    starts: Vec<isize>,
    /// Whether a source is read at one place for each row.
    fixed: Vec<bool>,
    /// What was computed, before it is put in its place.
    results: Vec<T>,
}

impl<'a, T: Cell> Finisher<'a, T> {
    fn blocks(&mut self) -> &mut Blocks<'a, T> {
        let &mut Finisher { job, size, .. } = self;
        self.blocks.get_or_insert_with(|| Blocks {
            worker: Worker::new(job, usize::MAX, Stream::of::<T>(size)),
            starts: Vec::new(),
            fixed: vec![false; job.program.sources().len()],
            results: vec![T::default(); BLOCK],
        })
    }

    /// Finishes the elements of the result that begin with that numbered `first`.
    pub(in crate::kernel) fn stretch(&mut self, first: usize, out: &mut [T]) {
        match self.lean(out.len()) {
            Some(lean) => lean.stretch_in_place(first, out),
            None => self.blocks().worker.stretch(first, out),
        }
    }

    /// Room for numbers that are not finished, which [`Finisher::stretch_from_beside`] reads.
    pub(in crate::kernel) fn beside(&mut self, size: usize) -> &mut [T] {
        if self.lean(size).is_some() {
            return self.lean.as_mut().map(|lean| lean.beside(size)).unwrap_or_default();
        }
        self.blocks().worker.beside(size)
    }

    /// Writes the elements of the result that begin with that numbered `first`: what stands beside, finished.
    pub(in crate::kernel) fn stretch_from_beside(&mut self, first: usize, out: &mut [T]) {
        match self.lean(out.len()) {
            Some(lean) => lean.stretch(first, out),
            None => self.blocks().worker.stretch_from_beside(first, out),
        }
    }

    /// Gain and shift of so many lines, where the tail is  y · gain + shift  of what it finishes, with the same of both for
    /// each line, and a line is part of a row.
    pub(in crate::kernel) fn gain_and_shift(&mut self, first: usize, lines: [usize; 2]) -> Option<[&'a [T]; 2]> {
        self.lean(lines[1])?.gain_and_shift(first, lines)
    }

    /// The lean way, if there is one and parts of this size are worth it.
    fn lean(&mut self, size: usize) -> Option<&mut Lean<'a, T>> {
        self.lean.as_mut().filter(|lean| lean.serves(size))
    }

    /// What a tile of the result is finished with, if that can be done before its numbers are stored.
    pub(in crate::kernel) fn ending(
        &mut self,
        first: usize,
        step: usize,
        sides: [usize; 2],
    ) -> Option<SmallVec<[Act<Rows<'_, T>>; 4]>> {
        self.lean.as_mut()?.ending(first, step, sides)
    }

    /// Asks for what a tile of the result will be finished with.
    pub(in crate::kernel) fn expect(&mut self, first: usize, step: usize, sides: [usize; 2]) {
        if let Some(lean) = &mut self.lean {
            lean.expect(first, step, sides);
        }
    }

    /// Finishes a tile of the result: some rows of `width` elements, which begin `step` apart.
    ///
    /// # Safety
    /// Nothing else touches these elements meanwhile.
    pub(in crate::kernel) unsafe fn tile(
        &mut self,
        first: usize,
        step: usize,
        [height, width]: [usize; 2],
        result: &Shared<'_, T>,
    ) {
        let row = |i: usize| {
            // SAFETY: the rows are ours by the contract of this function, and one is held at a time.
            unsafe { result.slice(first + i * step, width) }
        };
        if self.lean.as_mut().is_some_and(|lean| lean.tile(first, step, [height, width], row)) {
            return;
        }
        if step == width || height == 1 {
            // SAFETY: as above; the rows lie one behind the other.
            return self.stretch(first, unsafe { result.slice(first, height * width) });
        }
        let rows = BLOCK / width.max(1);
        let inner = self.job.span.inner();
        let is_in_one_row = first % inner + (height - 1) * step + width <= inner;
        if rows < 2
            || self.lean(width).is_some()
            || !(is_in_one_row || step.is_multiple_of(inner) && first % inner + width <= inner)
        {
            for first in (0..height).map(|i| first + i * step) {
                // SAFETY: the rows are ours by the contract of this function, and this is the only slice that is held.
                self.stretch(first, unsafe { result.slice(first, width) });
            }
            return;
        }
        let job = self.job;
        let blocks = self.blocks();
        blocks.find(job, first, step, height);
        for top in (0..height).step_by(rows) {
            let some = rows.min(height - top);
            for source in 0..blocks.fixed.len() {
                let starts = &blocks.starts[source * height + top..][..some];
                let register = blocks.worker.register(source);
                if job.program.sources()[source] == Source::Own {
                    for (to, &start) in lined_up_mut(T::of_mut(register)).chunks_exact_mut(width).zip(starts) {
                        // SAFETY: as above.
                        to.copy_from_slice(unsafe { result.slice(start as usize, width) });
                    }
                } else if !blocks.fixed[source] || top == 0 {
                    gather(job, source, starts, width, register);
                }
            }
            let results = &mut blocks.results[..some * width];
            blocks.worker.given(results);
            for (i, results) in (top..).zip(results.chunks_exact(width)) {
                // SAFETY: as above.
                unsafe { result.slice(first + i * step, width) }.copy_from_slice(results);
            }
        }
    }
}

impl<T: Cell> Blocks<'_, T> {
    /// Finds where each source has the rows of a tile, which lie in rows of the space.
    fn find(&mut self, job: &Job<'_>, first: usize, step: usize, height: usize) {
        let span = &job.span;
        let (inner, outer) = (span.inner(), span.sizes.len().saturating_sub(1));
        self.starts.clear();
        for (source, fixed) in self.fixed.iter_mut().enumerate() {
            let (right, down) = (span.inner_stride(source), &span.strides[source][..outer]);
            let from = self.starts.len();
            if job.program.sources()[source] == Source::Own {
                self.starts.extend((0..height).map(|i| (first + i * step) as isize));
                continue;
            }
            let mut rows = Odometer::new(&span.sizes[..outer], down, first / inner);
            if step.is_multiple_of(inner) && down.iter().all(|&stride| stride == 0) {
                self.starts.resize(from + height, rows.distance + (first % inner) as isize * right);
                *fixed = true;
                continue;
            }
            for i in 0..height {
                self.starts.push(rows.distance + ((first + i * step) % inner) as isize * right);
                (0..step / inner).for_each(|_| rows.step());
            }
            *fixed = false;
        }
    }
}

/// Puts the values of an operand, or positions, for some rows into a register.
fn gather(job: &Job<'_>, source: usize, starts: &[isize], width: usize, register: &mut Buffer) {
    let stride = job.span.inner_stride(source);
    let Source::Operand(i) = job.program.sources()[source] else {
        for (to, &start) in lined_up_mut(i64::of_mut(register)).chunks_exact_mut(width).zip(starts) {
            (0..).zip(to).for_each(|(j, x)| *x = start as i64 + j * stride as i64);
        }
        return;
    };
    match register {
        Buffer::F32(to) => rows(&job.operands[i], starts, stride, width, lined_up_mut(to)),
        Buffer::F64(to) => rows(&job.operands[i], starts, stride, width, lined_up_mut(to)),
        Buffer::Index(to) => rows(&job.operands[i], starts, stride, width, lined_up_mut(to)),
        Buffer::Bool(to) => rows(&job.operands[i], starts, stride, width, lined_up_mut(to)),
        Buffer::Bf16(to) => rows(&job.operands[i], starts, stride, width, lined_up_mut(to)),
        Buffer::Lent(_) => {}
    }
}

/// Rows of `width` elements of an operand, one behind the other.
fn rows<S: Stored>(operand: &Operand<'_>, starts: &[isize], stride: isize, width: usize, to: &mut [S]) {
    let data = S::of(operand.buffer);
    if stride == 0 && starts.iter().all(|start| *start == starts[0]) {
        // One number is taken to be in all of its block.
        return to[..BLOCK].fill(data[operand.offset.wrapping_add_signed(starts[0])]);
    }
    for (to, &start) in to.chunks_exact_mut(width).zip(starts) {
        let first = operand.offset.wrapping_add_signed(start);
        match stride {
            0 => to.fill(data[first]),
            1 => to.copy_from_slice(&data[first..][..width]),
            _ => {
                for (j, x) in (0..).zip(to) {
                    *x = data[first.wrapping_add_signed(j * stride)];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Binary, Kind, Unary};
    use crate::kernel::map::Instruction;

    #[test]
    fn a_small_result_is_finished_row_by_row_if_its_sources_lie_well() {
        let instructions = |last| {
            let sum = Instruction::Binary(Binary::Add, 0, 1);
            vec![Instruction::Own(Kind::F32), Instruction::Load(0), sum, Instruction::Unary(last, 2)]
        };
        let light = Program::new(instructions(Unary::Neg), &[Kind::F32]);
        let heavy = Program::new(instructions(Unary::Exp), &[Kind::F32]);
        let buffer = Buffer::F32((0..5000_u16).map(f32::from).collect());
        let done = |program: &Program, sizes: [usize; 2], strides: [isize; 2]| {
            let operands = [Operand { buffer: &buffer, offset: 3, strides: &strides }];
            let mut out: Vec<f32> = (0..sizes[0] * sizes[1]).map(|i| i as f32 / 2.0).collect();
            let (mut at_once, mut whole) = (out.clone(), out.clone());
            Tail::at_once(program, &sizes, &operands, &mut at_once);
            Tail::new(program, &sizes, &operands).whole(&mut whole);
            assert_eq!(at_once, whole, "{sizes:?}, {strides:?}");
            let is_done = Tail::new(program, &sizes, &operands).rows(&mut out);
            let at =
                |i: usize| 3.0 + (i / sizes[1]) as f32 * strides[0] as f32 + (i % sizes[1]) as f32 * strides[1] as f32;
            let is_finished = (0..out.len()).all(|i| out[i] == -(i as f32 / 2.0 + at(i)));
            assert_eq!(is_finished, is_done, "all of {sizes:?} or nothing, {strides:?}");
            is_done
        };
        assert!(done(&light, [5, 180], [200, 1]) && done(&light, [2, 65], [0, 1]), "rows side by side, or one again");
        assert!(done(&light, [1, 33], [9, 1]) && done(&light, [4, 512], [512, 1]), "one row, or as many as are few");
        assert!(!done(&light, [1, SMALL + 1], [9, 1]), "too many elements");
        assert!(!done(&light, [180, 5], [1, 180]) && !done(&light, [40, 40], [1, 40]), "rows across the result");
        assert!(!done(&heavy, [5, 180], [200, 1]), "a function of its own");
    }
}
