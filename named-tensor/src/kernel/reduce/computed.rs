//! Reductions of what a program computes, which is stored nowhere as a whole.
//!
//! Computes  `dst[o, i] = op over r of program[o, r, i]`,  all in row-major order.
//! Some thousand results of the program are computed at a time, into room that stays in the nearest caches, and reduced there.
//! Lives here: which of them are computed together, and by which thread. A long reduction to a few numbers is cut into pieces,
//! whose bounds depend on the sizes alone.
//! Not here: the program (`map`), reductions of what is stored (`reduce`).

use super::down::take_rows;
use super::fold::Fold;
use super::{Reducible, Reduction};
use crate::kernel::View;
use crate::kernel::lanes::fold_and;
use crate::kernel::map::{Computed, Computing, Operand, Program};
use crate::kernel::parallel::{self, GRAIN, grain_of};
use crate::kernel::stream::{LINE, lined_up_mut};
use std::ops::Range;

/// Results of a program that are computed together, at most.
const ROOM: usize = 16 * 1024;
/// Numbers to which a long reduction is cut into pieces, at most: each piece has partial results for all of them.
const FEW: usize = 1024;
/// Outer positions from which on there is enough to do for all threads.
const MANY: usize = 16;
/// Pieces of a long reduction, at most, and elements of a piece, at least.
const PIECES: usize = 64;
const PIECE: usize = 2 * GRAIN;

/// Reduces what a program computes over axes of these sizes along those numbered `over`.
///
/// # Panics
/// If an operand leaves its buffer, if its kind or that of the results is not that of the program, or if `dst` does not have one
/// element per position of the other axes.
pub(crate) fn reduce<T: Reducible>(
    op: Reduction,
    program: &Program,
    sizes: &[usize],
    over: Range<usize>,
    operands: &[Operand<'_>],
    dst: &mut [T],
) {
    let size = |some: &[usize]| some.iter().product::<usize>();
    let [outer, over, inner] = [size(&sizes[..over.start]), size(&sizes[over.clone()]), size(&sizes[over.end..])];
    assert_eq!(dst.len(), outer * inner, "reduce: one result per kept position is needed");
    let job = Job { computed: Computed::new(program, sizes, operands), outer, over, inner };
    if !dst.is_empty() {
        T::reduce_computed(op, &job, dst);
    }
}

/// A reduction of what is computed over outer positions, those that are reduced, and inner ones.
pub(crate) struct Job<'a> {
    computed: Computed<'a>,
    outer: usize,
    over: usize,
    inner: usize,
}

/// What one thread computes, and where.
struct Bench<'a, T: Reducible> {
    computing: Computing<'a, T>,
    room: Vec<T>,
}

impl Job<'_> {
    /// Chooses the way.
    pub(super) fn reduce<T: Reducible, F: Fold<T>>(&self, op: Reduction, dst: &mut [T]) {
        let each = self.over * self.inner;
        if self.outer < MANY && dst.len() <= FEW && self.outer * each >= 2 * PIECE {
            return self.in_pieces::<T, F>(dst);
        }
        if each <= ROOM {
            // Some outer positions together.
            let some = (ROOM / each.max(1)).min(self.outer);
            let grain = grain_of(self.outer, GRAIN.div_ceil(each.max(1))).next_multiple_of(some);
            return parallel::for_each_chunk(dst, grain * self.inner, |first, dst| {
                let mut bench = self.bench::<T>(some * each);
                for (number, dst) in dst.chunks_mut(some * self.inner).enumerate() {
                    let (start, count) = (first / self.inner + number * some, dst.len() / self.inner);
                    let room = bench.compute(start * each, count * each);
                    let strides = [each as isize, 1, self.inner as isize];
                    let src = View { data: room, offset: 0, strides: &strides };
                    super::reduce(op, &[count, self.inner], &[self.over], src, dst);
                }
            });
        }
        // Narrow rows are not cut: how they are taken in depends on how many there are together.
        let least = if self.inner <= FEW { self.inner } else { FEW };
        let grain = grain_of(dst.len(), GRAIN.div_ceil(self.over)).next_multiple_of(least);
        parallel::for_each_chunk(dst, grain, |first, dst| {
            let (mut bench, mut done) = (self.bench::<T>(ROOM), 0);
            let mut partial = vec![F::START; dst.len().min(self.inner).min(ROOM)];
            while done < dst.len() {
                let (row, column) = ((first + done) / self.inner, (first + done) % self.inner);
                let width = (self.inner - column).min(dst.len() - done).min(ROOM);
                let partial = &mut partial[..width];
                partial.fill(F::START);
                self.take_in::<T, F>(&mut bench, row, 0..self.over, column, partial);
                dst[done..done + width].iter_mut().zip(partial).for_each(|(d, partial)| *d = F::end(*partial));
                done += width;
            }
        });
    }

    /// Few results of very many elements: each piece has partial results for all of them.
    fn in_pieces<T: Reducible, F: Fold<T>>(&self, dst: &mut [T]) {
        let results = dst.len();
        let pieces = (results * self.over / PIECE).min(PIECES).min(self.over);
        let size = self.over.div_ceil(pieces);
        let mut partial = vec![F::START; self.over.div_ceil(size) * results];
        parallel::for_each_chunk(&mut partial, results, |first, partial| {
            let start = first / results * size;
            let (mut bench, some) = (self.bench::<T>(ROOM), start..self.over.min(start + size));
            for (row, partial) in partial.chunks_exact_mut(self.inner).enumerate() {
                self.take_in::<T, F>(&mut bench, row, some.clone(), 0, partial);
            }
        });
        for (i, d) in dst.iter_mut().enumerate() {
            *d = F::end(partial[i..].iter().step_by(results).fold(F::START, |sum, &piece| F::join(sum, piece)));
        }
    }

    /// Takes some reduced positions into the partial results of neighbouring inner positions, from `column` on.
    fn take_in<T: Reducible, F: Fold<T>>(
        &self,
        bench: &mut Bench<'_, T>,
        outer: usize,
        some: Range<usize>,
        column: usize,
        partial: &mut [F::Partial],
    ) {
        let width = partial.len();
        let first = |r: usize| (outer * self.over + r) * self.inner + column;
        let together = if width == self.inner { ROOM / width } else { 1 };
        for r in some.clone().step_by(together) {
            let rows = together.min(some.end - r);
            let room = bench.compute(first(r), rows * width);
            if let [single] = &mut *partial {
                *single = F::join(*single, fold_and(room, F::START, F::step, F::join_all));
            } else {
                take_rows::<T, F>(room, partial);
            }
        }
    }

    fn bench<T: Reducible>(&self, size: usize) -> Bench<'_, T> {
        Bench { computing: self.computed.by_one(size), room: vec![T::default(); size + LINE / size_of::<T>()] }
    }
}

impl<T: Reducible> Bench<'_, T> {
    /// So many results of the program, from that numbered `first` on.
    fn compute(&mut self, first: usize, count: usize) -> &[T] {
        let room = &mut lined_up_mut(&mut self.room)[..count];
        self.computing.stretch(first, room);
        room
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Binary;
    use crate::kernel::map::Instruction;
    use crate::kernel::testing::Random;

    /// Sizes around those of strips, of the room, and of pieces.
    const SIZES: &[[usize; 3]] = &[
        [1, 1, 1],
        [3, 0, 4],
        [5, 7, 1],
        [40, 3, 1],
        [40, 3, 50],
        [2, 300, 17],
        [3, 16_400, 1],
        [20, 20_000, 1],
        [17, 40, 700],
        [1, 3, 30_000],
        [18, 9000, 5],
        [1, 200_000, 1],
        [2, 40_000, 3],
        [1, 300, 1024],
        [1, 1100, 130],
    ];

    /// `(x - y) · y` of operands that have the first two axes and the last two.
    fn check<T: Reducible>(sizes: [usize; 3]) {
        let [outer, over, inner] = sizes;
        let mut random = Random::new(3);
        let numbers = |random: &mut Random, size: usize| -> Vec<T> {
            random.reals(size).into_iter().map(|x| T::from_f64(f64::from((x * 8.0).round()) / 8.0 + 1.0)).collect()
        };
        let (xs, ys) = (numbers(&mut random, outer * over), numbers(&mut random, over * inner));
        let [x, y] = [T::into_buffer(xs.clone()), T::into_buffer(ys.clone())];
        let program = Program::new(
            vec![
                Instruction::Load(0),
                Instruction::Load(1),
                Instruction::Binary(Binary::Sub, 0, 1),
                Instruction::Binary(Binary::Mul, 2, 1),
            ],
            &[T::KIND; 2],
        );
        let (x_strides, y_strides) = ([over as isize, 1, 0], [0, inner as isize, 1]);
        let operands = [
            Operand { buffer: &x, offset: 0, strides: &x_strides },
            Operand { buffer: &y, offset: 0, strides: &y_strides },
        ];
        for op in [Reduction::Sum, Reduction::Max, Reduction::Min] {
            let mut out = vec![T::from_f64(77.0); outer * inner];
            reduce(op, &program, &sizes, 1..2, &operands, &mut out);
            for (at, got) in out.into_iter().map(T::to_f64).enumerate() {
                let [o, i] = [at / inner, at % inner];
                let terms = (0..over).map(|r| {
                    let (x, y) = (xs[o * over + r].to_f64(), ys[r * inner + i].to_f64());
                    (x - y) * y
                });
                let exact = match op {
                    Reduction::Max => terms.fold(f64::NEG_INFINITY, f64::max),
                    Reduction::Min => terms.fold(f64::INFINITY, f64::min),
                    _ => terms.sum(),
                };
                let exact = T::from_f64(exact).to_f64();
                assert_eq!(got, exact, "{op:?} {sizes:?} at {at}");
            }
        }
    }

    #[test]
    fn reductions_of_what_is_computed_are_those_of_plain_loops() {
        for &sizes in SIZES {
            // Eighths: every sum is exact, in whatever order.
            check::<f32>(sizes);
            check::<f64>(sizes);
        }
    }
}
