//! Reductions of what a program computes, which is stored nowhere as a whole.
//!
//! Computes  `dst[o, i] = op over r of program[o, r, i]`,  all in row-major order; of a program with several results, each.
//! Some thousand results of the program are computed at a time, into room that stays in the nearest caches, and reduced there.
//! Lives here: which of them are computed together, and by which thread. A long reduction to a few numbers is cut into pieces,
//! whose bounds depend on the sizes alone.
//! Not here: the program (`map`), reductions of what is stored (`reduce`).

use super::down::take_rows;
use super::fold::{Fold, Max, Min, Product, Sum};
use super::{Reducible, Reduction};
use super::{alike, differences};
use crate::kernel::View;
use crate::kernel::lanes::fold_and;
use crate::kernel::map::{Computed, Computing, LaidOut, Operand, Program};
use crate::kernel::parallel::{self, GRAIN, Shared, grain_of};
use crate::kernel::simd::Lanes;
use crate::kernel::stream::{LINE, lined_up_mut};
use smallvec::SmallVec;
use std::ops::Range;

/// Results of a program that are computed together, at most.
const ROOM: usize = 16 * 1024;
/// Numbers to which a long reduction is cut into pieces, at most: each piece has partial results for all of them.
pub(super) const FEW: usize = 1024;
/// Outer positions from which on there is enough to do for all threads.
pub(super) const MANY: usize = 16;
/// Pieces of a long reduction, at most, and elements of a piece, at least.
pub(super) const PIECES: usize = 64;
pub(super) const PIECE: usize = 2 * GRAIN;

/// Reduces what a program computes over axes of these sizes along those numbered `over`; other results of the program go to
/// `others`.
///
/// # Panics
/// If an operand leaves its buffer, if its kind or that of the results is not that of the program, or if `dst` or one of the
/// others does not have one element per position of the other axes.
pub(crate) fn reduce<T: Real>(
    op: Reduction,
    program: &Program,
    sizes: &[usize],
    over: Range<usize>,
    operands: &[Operand<'_>],
    dst: &mut [T],
    others: &mut [&mut [T]],
) {
    let size = |some: &[usize]| some.iter().product::<usize>();
    let [outer, reduced, inner] = [size(&sizes[..over.start]), size(&sizes[over.clone()]), size(&sizes[over.end..])];
    assert_eq!(dst.len(), outer * inner, "reduce: one result per kept position is needed");
    let are_whole = others.len() == program.others().len() && others.iter().all(|other| other.len() == dst.len());
    assert!(are_whole, "reduce: a place for each result");
    if dst.is_empty() {
        return;
    }
    if op == Reduction::Sum {
        let is_done = differences::sum(program, sizes, over.clone(), operands, dst);
        if is_done || alike::sum(program, sizes, over.clone(), operands, dst) {
            return;
        }
    }
    if let Some(operand) = program.squared().filter(|_| op == Reduction::Sum) {
        // Squares are not computed before they are summed, nor rounded.
        let (kept, reduced) = (without(sizes, &over), &sizes[over.clone()]);
        let strides = [&without(operands[operand].strides, &over), &operands[operand].strides[over]].concat();
        let src = View { data: T::of(operands[operand].buffer), offset: operands[operand].offset, strides: &strides };
        return super::sum_of_squares(&kept, reduced, src, dst);
    }
    let laid_out = LaidOut::of(program, sizes, operands, false);
    let moved = laid_out.as_ref().map(|laid_out| laid_out.operands(operands));
    let computed = Computed::new(program, sizes, moved.as_deref().unwrap_or(operands));
    T::reduce_computed(op, &Job { computed, outer, over: reduced, inner, results: 1 + others.len() }, dst, others);
}

/// What belongs to the axes that are not among those.
fn without<N: Copy>(all: &[N], some: &Range<usize>) -> Vec<N> {
    [&all[..some.start], &all[some.end..]].concat()
}

/// Numbers that are reduced on the way.
pub(crate) trait Real: Reducible + Lanes {
    /// What becomes of the results of a program.
    fn reduce_computed(op: Reduction, job: &Job<'_>, dst: &mut [Self], others: &mut [&mut [Self]]);
}

macro_rules! real {
    ($($type:ty),*) => {$(
        impl Real for $type {
            fn reduce_computed(op: Reduction, job: &Job<'_>, dst: &mut [$type], others: &mut [&mut [$type]]) {
                match op {
                    Reduction::Sum => job.reduce::<$type, Sum>(op, dst, others),
                    Reduction::Product => job.reduce::<$type, Product>(op, dst, others),
                    Reduction::Max => job.reduce::<$type, Max>(op, dst, others),
                    Reduction::Min => job.reduce::<$type, Min>(op, dst, others),
                }
            }
        }
    )*};
}

real!(f32, f64);

/// A reduction of what is computed over outer positions, those that are reduced, and inner ones.
pub(crate) struct Job<'a> {
    computed: Computed<'a>,
    outer: usize,
    over: usize,
    inner: usize,
    /// How many there are of each position.
    results: usize,
}

/// What one thread computes, and where. Other results go to rooms beside.
struct Bench<'a, T: Reducible> {
    computing: Computing<'a, T>,
    room: &'a mut [T],
}

impl Job<'_> {
    /// Chooses the way.
    fn reduce<T: Reducible, F: Fold<T>>(&self, op: Reduction, dst: &mut [T], others: &mut [&mut [T]]) {
        let (each, most) = (self.over * self.inner, self.most());
        if self.outer < MANY && dst.len() <= FEW && self.outer * each >= 2 * PIECE {
            return self.in_pieces::<T, F>(dst, others);
        }
        let others: SmallVec<[Shared<'_, T>; 2]> = others.iter_mut().map(|other| Shared::new(other)).collect();
        // SAFETY: these are the places of one chunk of `dst`, or of a part of it. Chunks do not meet, each is visited once,
        // and its parts are visited one after the other.
        let beside = |number: usize, range: Range<usize>| unsafe { others[number].slice(range.start, range.len()) };
        if each <= most {
            // Some outer positions together.
            let some = (most / each.max(1)).min(self.outer);
            let grain = grain_of(self.outer, GRAIN.div_ceil(each.max(1))).next_multiple_of(some);
            return parallel::for_each_chunk(dst, grain * self.inner, |first, dst| {
                let mut rooms = self.rooms(some * each);
                let mut bench = self.bench::<T>(&mut rooms, some * each);
                for (number, dst) in dst.chunks_mut(some * self.inner).enumerate() {
                    let first = first + number * some * self.inner;
                    let (start, count, size) = (first / self.inner, dst.len() / self.inner, dst.len());
                    bench.compute(start * each, count * each);
                    let strides = [each as isize, 1, self.inner as isize];
                    let reduce = |room: &[T], dst: &mut [T]| {
                        let src = View { data: room, offset: 0, strides: &strides };
                        super::reduce(op, &[count, self.inner], &[self.over], src, dst);
                    };
                    reduce(bench.result(0, count * each), dst);
                    for other in 1..self.results {
                        reduce(bench.result(other, count * each), beside(other - 1, first..first + size));
                    }
                }
            });
        }
        // Narrow rows are not cut: how they are taken in depends on how many there are together.
        let least = if self.inner <= FEW { self.inner } else { FEW };
        let grain = grain_of(dst.len(), GRAIN.div_ceil(self.over)).next_multiple_of(least);
        parallel::for_each_chunk(dst, grain, |first, dst| {
            let mut rooms = self.rooms(most);
            let (mut bench, mut done) = (self.bench::<T>(&mut rooms, most), 0);
            let mut partial = vec![F::START; dst.len().min(self.inner).min(most) * self.results];
            while done < dst.len() {
                let (row, column) = ((first + done) / self.inner, (first + done) % self.inner);
                let width = (self.inner - column).min(dst.len() - done).min(most);
                let partial = &mut partial[..width * self.results];
                partial.fill(F::START);
                let mut all: Partials<'_, T, F> = partial.chunks_exact_mut(width).collect();
                self.take_in::<T, F>(&mut bench, row, 0..self.over, column, &mut all);
                let end = |dst: &mut [T], partial: &[F::Partial]| {
                    dst.iter_mut().zip(partial).for_each(|(d, partial)| *d = F::end(*partial));
                };
                end(&mut dst[done..done + width], all[0]);
                for (number, partial) in all[1..].iter().enumerate() {
                    end(beside(number, first + done..first + done + width), partial);
                }
                done += width;
            }
        });
    }

    /// Few results of very many elements: each piece has partial results for all of them.
    fn in_pieces<T: Reducible, F: Fold<T>>(&self, dst: &mut [T], others: &mut [&mut [T]]) {
        let size = dst.len();
        let pieces = (size * self.over / PIECE).min(PIECES).min(self.over);
        let depth = self.over.div_ceil(pieces);
        let all = size * self.results;
        let mut partial = vec![F::START; self.over.div_ceil(depth) * all];
        parallel::for_each_chunk(&mut partial, all, |first, partial| {
            let start = first / all * depth;
            let (most, some) = (self.most(), start..self.over.min(start + depth));
            let mut rooms = self.rooms(most);
            let mut bench = self.bench::<T>(&mut rooms, most);
            for row in 0..self.outer {
                let results = partial.chunks_exact_mut(size);
                let mut row_of_all: Partials<'_, T, F> =
                    results.map(|result| &mut result[row * self.inner..][..self.inner]).collect();
                self.take_in::<T, F>(&mut bench, row, some.clone(), 0, &mut row_of_all);
            }
        });
        let others = others.iter_mut().flat_map(|other| other.iter_mut());
        for (i, d) in dst.iter_mut().chain(others).enumerate() {
            *d = F::end(partial[i..].iter().step_by(all).fold(F::START, |sum, &piece| F::join(sum, piece)));
        }
    }

    /// Takes some reduced positions into the partial results of neighbouring inner positions, from `column` on.
    fn take_in<T: Reducible, F: Fold<T>>(
        &self,
        bench: &mut Bench<'_, T>,
        outer: usize,
        some: Range<usize>,
        column: usize,
        partials: &mut Partials<'_, T, F>,
    ) {
        let width = partials[0].len();
        let first = |r: usize| (outer * self.over + r) * self.inner + column;
        let together = if width == self.inner { self.most() / width } else { 1 };
        for r in some.clone().step_by(together) {
            let rows = together.min(some.end - r);
            bench.compute(first(r), rows * width);
            for (number, partial) in partials.iter_mut().enumerate() {
                let room = bench.result(number, rows * width);
                if let [single] = &mut **partial {
                    *single = F::join(*single, fold_and(room, F::START, F::step, F::join_all));
                } else {
                    take_rows::<T, F>(room, partial);
                }
            }
        }
    }

    /// Positions that are computed together, at most.
    fn most(&self) -> usize {
        ROOM / self.results
    }

    /// Room for so many positions.
    fn rooms<T: Reducible>(&self, size: usize) -> Vec<T> {
        vec![T::default(); size.max(1) * self.results + LINE / size_of::<T>()]
    }

    /// What computes up to so many positions in these rooms.
    fn bench<'a, T: Reducible>(&'a self, rooms: &'a mut [T], size: usize) -> Bench<'a, T> {
        let size = size.max(1);
        let (room, others) = lined_up_mut(rooms).split_at_mut(size);
        let mut computing = self.computed.by_one(size);
        if self.results > 1 {
            computing.put_others(others[..size * (self.results - 1)].chunks_exact_mut(size).collect());
        }
        Bench { computing, room }
    }
}

/// The partial results of some positions, for each result of the program.
type Partials<'a, T, F> = SmallVec<[&'a mut [<F as Fold<T>>::Partial]; 2]>;

impl<T: Reducible> Bench<'_, T> {
    /// Computes the results of so many positions, from that numbered `first` on.
    fn compute(&mut self, first: usize, count: usize) {
        self.computing.stretch(first, &mut self.room[..count]);
    }

    /// A result of the first positions that were computed last.
    fn result(&self, number: usize, count: usize) -> &[T] {
        match number {
            0 => &self.room[..count],
            other => &self.computing.other(other - 1)[..count],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Binary, Buffer, Kind};
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

    /// `(x - y) · y`, and beside it `x - y` and `x`, of operands that have the first two axes and the last two.
    fn check<T: Real>(sizes: [usize; 3]) {
        let [outer, over, inner] = sizes;
        let mut random = Random::new(3);
        let numbers = |random: &mut Random, size: usize| -> Vec<T> {
            random.reals(size).into_iter().map(|x| T::from_f64(f64::from((x * 8.0).round()) / 8.0 + 1.0)).collect()
        };
        let (xs, ys) = (numbers(&mut random, outer * over), numbers(&mut random, over * inner));
        let [x, y] = [T::into_buffer(xs.clone()), T::into_buffer(ys.clone())];
        let instructions = [
            Instruction::Load(0),
            Instruction::Load(1),
            Instruction::Binary(Binary::Sub, 0, 1),
            Instruction::Cast(T::KIND, 0),
            Instruction::Binary(Binary::Mul, 2, 1),
        ];
        let (x_strides, y_strides) = ([over as isize, 1, 0], [0, inner as isize, 1]);
        let operands = [
            Operand { buffer: &x, offset: 0, strides: &x_strides },
            Operand { buffer: &y, offset: 0, strides: &y_strides },
        ];
        let every = [Reduction::Sum, Reduction::Max, Reduction::Min].into_iter();
        for (op, beside) in every.flat_map(|op| [&[][..], &[2], &[2, 3]].map(|beside: &[usize]| (op, beside))) {
            let program = Program::of_several(instructions.to_vec(), beside, &[T::KIND; 2]);
            let mut out = vec![vec![T::from_f64(77.0); outer * inner]; 1 + beside.len()];
            let (first, others) = out.split_first_mut().expect("a result");
            let mut others: Vec<&mut [T]> = others.iter_mut().map(|other| &mut other[..]).collect();
            reduce(op, &program, &sizes, 1..2, &operands, first, &mut others);
            let terms: [fn(f64, f64) -> f64; 3] = [|x, y| (x - y) * y, |x, y| x - y, |x, _| x];
            for (of, (out, term)) in out.into_iter().zip(terms).enumerate() {
                for (at, got) in out.into_iter().map(T::to_f64).enumerate() {
                    let [o, i] = [at / inner, at % inner];
                    let terms = (0..over).map(|r| term(xs[o * over + r].to_f64(), ys[r * inner + i].to_f64()));
                    let exact = match op {
                        Reduction::Max => terms.fold(f64::NEG_INFINITY, f64::max),
                        Reduction::Min => terms.fold(f64::INFINITY, f64::min),
                        _ => terms.sum(),
                    };
                    let exact = T::from_f64(exact).to_f64();
                    assert_eq!(got, exact, "{op:?} {sizes:?}, result {of} of {}, at {at}", 1 + beside.len());
                }
            }
        }
    }

    #[test]
    fn sums_of_squares_are_rounded_once_along_any_axis_of_any_layout() {
        let numbers = Random::new(6).reals(30_000);
        let x = Buffer::F32(numbers.clone().into());
        let square = Instruction::Binary(Binary::Mul, 0, 0);
        let power =
            [Instruction::Constant(Kind::F32, 2.0), Instruction::Load(0), Instruction::Binary(Binary::Pow, 1, 0)];
        for instructions in [[Instruction::Load(0), square].to_vec(), power.to_vec()] {
            let program = Program::new(instructions, &[Kind::F32]);
            for strides in [[1000_isize, 50, 1], [1, 20, 400], [0, 50, 1], [3, 0, 60]] {
                for over in [0..1, 1..2, 2..3, 0..2, 1..3, 0..3] {
                    let sizes = [19, 20, 50];
                    let operands = [Operand { buffer: &x, offset: 9, strides: &strides }];
                    let mut exact = vec![0.0_f64; without(&sizes, &over).iter().product()];
                    for position in (0..19).flat_map(|i| (0..20).flat_map(move |j| (0..50).map(move |k| [i, j, k]))) {
                        let at = (0..3).map(|axis| position[axis] as isize * strides[axis]).sum::<isize>();
                        let kept = (0..3).filter(|axis| !over.contains(axis));
                        let to = kept.fold(0, |to, axis| to * sizes[axis] + position[axis]);
                        exact[to] += f64::from(numbers[9 + at as usize]).powi(2);
                    }
                    let mut out = vec![f32::NAN; exact.len()];
                    reduce(Reduction::Sum, &program, &sizes, over.clone(), &operands, &mut out, &mut []);
                    for (got, exact) in out.into_iter().zip(exact) {
                        let error = (f64::from(got) - exact).abs();
                        assert!(error <= 6.0e-8 * exact, "{got} for {exact} over {over:?}, {strides:?}");
                    }
                }
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
