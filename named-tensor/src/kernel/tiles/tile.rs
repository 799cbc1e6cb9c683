//! A tile: a few rows and registers of a product, whose sums stay in registers.
//!
//! Not here: how a product is cut into tiles (`tiles`), what becomes of sums before they are stored (`ending`).

use super::ending::{Act, End};
use super::{Left, Strip, TALL};
use crate::kernel::ahead::{Ahead, fetch_at, fetch_line, is_free_beside_products};
use crate::kernel::panels::AHEAD;
use crate::kernel::simd::Lanes;
use crate::kernel::stream::LINE;
use pulp::Simd;
use std::hint::black_box;

/// Bytes after which addresses come to the same places of the nearest cache: those of a page of memory.
const PAGE: usize = 4096;

/// Terms of a sum that go at once where the left matrix lies along it: fewer addresses are counted. Where two programs share a
/// core, each may begin half as many instructions.
const TERMS: usize = 4;

/// Registers side by side in most tiles.
pub(super) const fn widest<S: Simd>() -> usize {
    if S::REGISTER_COUNT >= 32 { 4 } else { 2 }
}

/// The right matrix of a tile.
#[derive(Clone, Copy)]
pub(super) struct Right<'a, T> {
    /// From its first element on, and from one row to the next.
    pub(super) numbers: &'a [T],
    pub(super) step: usize,
    pub(super) depth: usize,
    /// Where tiles that pack it put its rows, one right after the other or in slivers.
    pub(super) packed: *mut T,
}

impl<T> Left<'_, T> {
    /// Whether the rows of the next tile are asked for: they begin elsewhere, and a processor does not expect them. Those a
    /// multiple of a page apart would put each other out of the nearest cache, and some processors are better off without.
    #[inline(always)]
    fn is_asked_for(&self) -> bool {
        is_free_beside_products() && self.along == 1 && !self.row.wrapping_mul(size_of::<T>()).is_multiple_of(PAGE)
    }
}

impl<T: Lanes> Strip<'_, T> {
    /// Registers of the tiles that begin at a column.
    #[inline(always)]
    fn registers<S: Simd>(&self, column: usize) -> usize {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        match self.columns - column {
            left if const { widest::<S>() >= 4 } && left > 3 * lanes => 4,
            left if left > lanes => 2,
            _ => 1,
        }
    }

    /// Columns of the tiles that begin at a column, with those that there are not.
    #[inline(always)]
    pub(super) fn tile_columns<S: Simd>(&self, column: usize) -> usize {
        self.registers::<S>(column) * size_of::<T::Register<S>>() / size_of::<T>()
    }

    /// The tile of `R` rows at a place of the product, and so much of the right matrix packed if `PACKS` says so. So many lines
    /// are asked for beside a line of the left matrix.
    ///
    /// # Safety
    /// They lie inside both matrices, what ends the product, and the result; the right matrix has whole registers. If it is
    /// packed, all of it may be written there.
    #[inline(always)]
    pub(super) unsafe fn tile_at<S: Simd, const R: usize, const PACKS: bool>(
        &self,
        simd: S,
        place: [usize; 2],
        right: Right<'_, T>,
        ahead: (&mut Ahead<'_, T>, usize),
    ) {
        match self.registers::<S>(place[1]) {
            // SAFETY: the rows are inside by the contract of this function, and four registers are left, the last at least in
            // part.
            4 if const { widest::<S>() >= 4 } => unsafe {
                self.side_by_side::<S, R, 4, PACKS>(simd, place, right, ahead);
            },
            // SAFETY: as above, with two registers.
            2 => unsafe { self.side_by_side::<S, R, 2, PACKS>(simd, place, right, ahead) },
            // SAFETY: as above, with one.
            _ => unsafe { self.side_by_side::<S, R, 1, PACKS>(simd, place, right, ahead) },
        }
    }

    /// `R` rows and `N` registers of the product, the last one whole or in part.
    ///
    /// # Safety
    /// As of [`Strip::tile_at`].
    #[inline(always)]
    unsafe fn side_by_side<S: Simd, const R: usize, const N: usize, const PACKS: bool>(
        &self,
        simd: S,
        [row, column]: [usize; 2],
        right: Right<'_, T>,
        ahead: (&mut Ahead<'_, T>, usize),
    ) {
        let size = N * size_of::<T::Register<S>>() / size_of::<T>();
        // A panel that is packed here is as wide as the result. Tiles that are rare are compiled once, for a last register
        // of which there may be less.
        if const { PACKS } {
            // SAFETY: the contract of this function.
            unsafe { self.tile::<S, R, N, true, false>(simd, [row, column], right, ahead) };
        } else if const { R == TALL && N > 1 } && self.columns - column >= size {
            // SAFETY: as above; so many columns are left.
            unsafe { self.tile::<S, R, N, false, false>(simd, [row, column], right, ahead) };
        } else {
            // SAFETY: as above.
            unsafe { self.tile::<S, R, N, false, true>(simd, [row, column], right, ahead) };
        }
    }

    /// `R` rows and `N` registers of the product; if `CUT` says so, of the last register perhaps a part alone.
    ///
    /// # Safety
    /// The rows from `row` on and the elements of `N` registers from `column` on are among those of [`Strip::tile_at`]; if `CUT`
    /// says so, in the result and in what ends the product only those that are columns of it.
    #[inline(always)]
    unsafe fn tile<S: Simd, const R: usize, const N: usize, const PACKS: bool, const CUT: bool>(
        &self,
        simd: S,
        [row, column]: [usize; 2],
        right: Right<'_, T>,
        (ahead, at_once): (&mut Ahead<'_, T>, usize),
    ) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let mut sums = [[T::splat(simd, T::default()); N]; R];
        let Left { row: down, along, .. } = self.left;
        // Of three rows one address is counted. The compiler would count one of each, more than it has registers for.
        const { assert!(R <= 6, "two addresses, of three rows each") };
        let first = self.left.numbers.as_ptr().wrapping_add(row * down);
        let mut left = [black_box(first), black_box(first.wrapping_add(down.wrapping_mul(3)))];
        let at = self.panel.place(column, right.depth);
        let mut numbers = right.numbers.as_ptr().wrapping_add(if PACKS { column } else { at });
        let mut packed = right.packed.wrapping_add(at);
        let to = self.to.wrapping_add(row * self.step + column);
        let place = |i: usize, n: usize| to.wrapping_add(i * self.step + n * lanes);
        let (line, step) = (LINE / size_of::<T>(), right.step);
        let expected = step.wrapping_mul(AHEAD);
        // Where the result goes, and what ends it, is asked for: else all stores of a tile wait for it at once. All of it asked
        // for at once is waited for too: beside a deep sum a few lines are asked for at a time, up to half of the way.
        let ask = |i: usize, n: usize| {
            fetch_at(self.to.wrapping_add((row + i) * self.step + column + n * lanes));
            self.ending.iter().for_each(|act| act.ask([row + i, column + n * lanes]));
        };
        let each = (R * N).div_ceil((right.depth / (2 * line)).max(1));
        let mut asked = if each > N { R * N } else { 0 };
        for at in 0..asked {
            ask(at / N, at % N);
        }
        let are_rows_asked_for = column == 0 && self.left.is_asked_for();
        for top in (0..right.depth).step_by(line) {
            if are_rows_asked_for {
                // The rows of the next tile.
                for row in row + R..row + 2 * R {
                    fetch_line(self.left.numbers, row.wrapping_mul(down).wrapping_add(top));
                }
            }
            ahead.ask(at_once);
            if asked < R * N {
                for at in asked..(asked + each).min(R * N) {
                    ask(at / N, at % N);
                }
                asked += each;
            }
            let end = right.depth.min(top + line);
            let mut k = top;
            // The tiles that do most of the work.
            if const { R == TALL && N == widest::<S>() && !PACKS && !CUT } && along == 1 {
                while k + TERMS <= end {
                    for term in 0..TERMS {
                        // SAFETY: by the contract of this function these are elements of both matrices.
                        let registers = unsafe { registers(simd, numbers) };
                        // SAFETY: as above.
                        unsafe { add(simd, &mut sums, (left, down, term), registers) };
                        numbers = numbers.wrapping_add(step);
                    }
                    left = [left[0].wrapping_add(TERMS), left[1].wrapping_add(TERMS)];
                    k += TERMS;
                }
            }
            for _ in k..end {
                // SAFETY: as above.
                let registers: [_; N] = unsafe { registers(simd, numbers) };
                if PACKS {
                    for (n, &register) in registers.iter().enumerate() {
                        // Rows that are far apart no processor expects.
                        fetch_at(numbers.wrapping_add(expected + n * lanes));
                        let to = packed.wrapping_add(n * lanes).cast::<T::Register<S>>();
                        // SAFETY: it is the place of these elements in the panel, which may be written by the contract of
                        // this function.
                        unsafe { to.write_unaligned(register) };
                    }
                    packed = packed.wrapping_add(self.panel.sliver);
                }
                // SAFETY: as above.
                unsafe { add(simd, &mut sums, (left, down, 0), registers) };
                left = [left[0].wrapping_add(along), left[1].wrapping_add(along)];
                numbers = numbers.wrapping_add(step);
            }
        }
        if const { PACKS || CUT } || self.ending.iter().any(Act::is_each) {
            // A copy, so that the sums need not be in memory before.
            let mut stored = sums;
            let sums = stored.as_flattened_mut().as_mut_ptr().cast();
            // SAFETY: the contract of this function; registers are plain numbers.
            unsafe { End { strip: self, place: [row, column], rows: R, width: N * lanes, sums }.apart() };
            return;
        }
        let factor = T::splat(simd, self.factor);
        for (i, sums) in sums.iter_mut().enumerate() {
            for (n, sum) in sums.iter_mut().enumerate() {
                let before = if self.adds {
                    // SAFETY: by the contract of this function these are elements of a row of the result.
                    unsafe { some_of::<T, S>(simd, place(i, n), None) }
                } else {
                    T::splat(simd, T::default())
                };
                *sum = T::fused(simd, factor, *sum, before);
            }
        }
        for act in self.ending {
            // SAFETY: by the contract of this function what ends the product has these rows and elements.
            unsafe { act.apply(simd, [row, column], &mut sums) };
        }
        for (i, sums) in sums.into_iter().enumerate() {
            for (n, sum) in sums.into_iter().enumerate() {
                // SAFETY: as above; these elements of the row may be written by the contract of `multiply`.
                unsafe { place(i, n).cast::<T::Register<S>>().write_unaligned(sum) };
            }
        }
    }
}

/// So many registers of numbers from an address on.
///
/// # Safety
/// Those numbers may be read.
#[inline(always)]
unsafe fn registers<T: Lanes, S: Simd, const N: usize>(simd: S, from: *const T) -> [T::Register<S>; N] {
    let lanes = size_of::<T::Register<S>>() / size_of::<T>();
    let mut registers = [T::splat(simd, T::default()); N];
    for (n, register) in registers.iter_mut().enumerate() {
        // SAFETY: the contract of this function.
        *register = unsafe { some_of::<T, S>(simd, from.wrapping_add(n * lanes), None) };
    }
    registers
}

/// Adds a term to the sums of a tile: an element of each row of the left matrix times a row of the right one. Those of the
/// first and of the fourth row are `term` after `left`, those below them `down` further each.
///
/// # Safety
/// These elements may be read.
#[inline(always)]
unsafe fn add<T: Lanes, S: Simd, const R: usize, const N: usize>(
    simd: S,
    sums: &mut [[T::Register<S>; N]; R],
    (left, down, term): ([*const T; 2], usize, usize),
    registers: [T::Register<S>; N],
) {
    for (i, sums) in sums.iter_mut().enumerate() {
        // SAFETY: the contract of this function.
        let x = T::splat(simd, unsafe { *left[i / 3].wrapping_add(i % 3 * down + term) });
        for (sum, register) in sums.iter_mut().zip(registers) {
            *sum = T::fused(simd, x, register, *sum);
        }
    }
}

/// A register of numbers from an address on, or some of them.
///
/// # Safety
/// Those numbers may be read.
#[inline(always)]
pub(in crate::kernel) unsafe fn some_of<T: Lanes, S: Simd>(
    simd: S,
    from: *const T,
    cut: Option<T::Mask<S>>,
) -> T::Register<S> {
    match cut {
        // SAFETY: the contract of this function.
        Some(some) => unsafe { T::read(simd, some, from) },
        // SAFETY: the contract of this function; a register is plain numbers, and the read asks for no alignment.
        None => unsafe { from.cast::<T::Register<S>>().read_unaligned() },
    }
}
