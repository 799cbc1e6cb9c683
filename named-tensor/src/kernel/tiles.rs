//! Products of rows with a panel, in registers of the widest kind at hand.
//!
//! Computes  `to[i, j] += factor · Σₖ left[i, k] panel[k, j]`.
//! Lives here: tiles of a few rows and registers, whose sums stay in registers.
//! Not here: what a register can do (`simd`), how panels are filled (`panels`), threads.
//! Each sum is taken in the order of k, each step rounded once, so results depend neither on the width of the registers nor
//! on the rows that a tile has.

use super::ahead::{Ahead, fetch_line};
use super::simd::Lanes;
use super::stream::LINE;
use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

/// Rows that a caller with a choice takes a multiple of: then no tile is a low one.
pub(super) const ROWS: usize = 4;

/// Bytes after which addresses come to the same places of the nearest cache: those of a page of memory.
const PAGE: usize = 4096;

/// Rows of numbers, 64 of them or fewer in each.
#[derive(Clone, Copy)]
pub(super) struct Panel<'a, T> {
    pub(super) numbers: &'a [T],
    pub(super) width: usize,
}

impl<'a, T> Panel<'a, T> {
    /// Some of its rows.
    pub(super) fn rows(self, rows: Range<usize>) -> Panel<'a, T> {
        Panel { numbers: &self.numbers[rows.start * self.width..rows.end * self.width], ..self }
    }
}

/// The left matrix of a product: its first element and the steps along its rows and along the sum.
#[derive(Clone, Copy)]
pub(super) struct Left<'a, T> {
    pub(super) numbers: &'a [T],
    pub(super) row: usize,
    pub(super) along: usize,
}

impl<T> Left<'_, T> {
    /// Whether the rows of the next tile are asked for: they begin elsewhere, and a processor does not expect them. Those a
    /// multiple of a page apart would put each other out of the nearest cache.
    #[inline(always)]
    fn is_asked_for(&self) -> bool {
        self.along == 1 && !self.row.wrapping_mul(size_of::<T>()).is_multiple_of(PAGE)
    }
}

/// Adds `factor` times the product of `left` and all rows of `panel` to `rows` rows of the width of the panel, which are
/// `step` apart.
///
/// # Panics
/// If an operand is too short.
pub(super) fn accumulate<T: Lanes>(
    factor: T,
    rows: usize,
    left: Left<'_, T>,
    panel: Panel<'_, T>,
    to: &mut [T],
    step: usize,
) {
    inside(&Strip { factor, rows, left, panel, to: to.as_mut_ptr(), step, adds: true, ahead: Ahead::none() }, to);
}

/// The same, to rows whose numbers do not matter.
pub(super) fn write<T: Lanes>(
    factor: T,
    rows: usize,
    left: Left<'_, T>,
    panel: Panel<'_, T>,
    to: &mut [T],
    step: usize,
) {
    inside(&Strip { factor, rows, left, panel, to: to.as_mut_ptr(), step, adds: false, ahead: Ahead::none() }, to);
}

/// Computes a strip to the slice that its result points to.
fn inside<T: Lanes>(strip: &Strip<'_, T>, to: &mut [T]) {
    let &Strip { rows, step, panel, .. } = strip;
    assert!(rows == 0 || (rows - 1) * step + panel.width <= to.len(), "a row of the result leaves its slice");
    // SAFETY: all rows of the result are inside the slice, which is borrowed mutably.
    unsafe { multiply(&Strip { to: to.as_mut_ptr(), ..*strip }) };
}

/// A product of rows with a panel.
#[derive(Clone, Copy)]
pub(super) struct Strip<'a, T> {
    pub(super) factor: T,
    pub(super) rows: usize,
    pub(super) left: Left<'a, T>,
    pub(super) panel: Panel<'a, T>,
    /// The first row of the result, and how far the next one is.
    pub(super) to: *mut T,
    pub(super) step: usize,
    /// Whether the product is added to what the result holds.
    pub(super) adds: bool,
    /// What is asked for beside the work.
    pub(super) ahead: Ahead<'a, T>,
}

/// Computes a strip.
///
/// # Safety
/// The rows of the result are as wide as the panel, may be written, and nothing else touches them meanwhile.
///
/// # Panics
/// If the rows of the left matrix leave their slice.
pub(super) unsafe fn multiply<T: Lanes>(strip: &Strip<'_, T>) {
    Arch::new().dispatch(strip);
}

impl<T: Lanes> WithSimd for &Strip<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if self.rows == 0 {
            return;
        }
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let (width, depth) = (self.panel.width, self.panel.numbers.len() / self.panel.width);
        let last = (self.rows - 1) * self.left.row + depth.saturating_sub(1) * self.left.along;
        assert!(depth == 0 || last < self.left.numbers.len(), "a row of the left matrix leaves its slice");
        assert!(width.is_multiple_of(lanes), "whole registers");
        let parts = self.rows.div_ceil(6) * depth.div_ceil(LINE / size_of::<T>()).max(1);
        let mut ahead = self.ahead;
        let at_once = if ahead.left() > 0 { ahead.left().div_ceil(parts) } else { 0 };
        let mut row = 0;
        while row < self.rows {
            match self.rows - row {
                6 | 10.. => {
                    // SAFETY: so many rows are left, whose elements the assertions above have found inside; those of the
                    // result are ours by the contract of `multiply`.
                    unsafe { self.tiles::<S, 6>(simd, row, (&mut ahead, at_once)) };
                    row += 6;
                }
                4.. => {
                    // SAFETY: as above, four rows.
                    unsafe { self.tiles::<S, 4>(simd, row, (&mut ahead, at_once)) };
                    row += 4;
                }
                2.. => {
                    // SAFETY: as above, two rows.
                    unsafe { self.tiles::<S, 2>(simd, row, (&mut ahead, at_once)) };
                    row += 2;
                }
                _ => {
                    // SAFETY: as above, one row.
                    unsafe { self.tiles::<S, 1>(simd, row, (&mut ahead, at_once)) };
                    row += 1;
                }
            }
        }
    }
}

impl<T: Lanes> Strip<'_, T> {
    /// `R` rows of the product. So many lines are asked for beside a line of the left matrix.
    ///
    /// # Safety
    /// They lie inside the left matrix and the result, and the panel has whole registers.
    #[inline(always)]
    unsafe fn tiles<S: Simd, const R: usize>(&self, simd: S, row: usize, (ahead, at_once): (&mut Ahead<'_, T>, usize)) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let mut column = 0;
        while column < self.panel.width {
            match (self.panel.width - column) / lanes {
                4.. if S::REGISTER_COUNT >= 32 => {
                    // SAFETY: the rows are inside by the contract of this function, and four registers are left.
                    unsafe { self.tile::<S, R, 4>(simd, [row, column], (&mut *ahead, at_once)) };
                    column += 4 * lanes;
                }
                2.. => {
                    // SAFETY: as above, with two registers.
                    unsafe { self.tile::<S, R, 2>(simd, [row, column], (&mut *ahead, at_once)) };
                    column += 2 * lanes;
                }
                _ => {
                    // SAFETY: as above, with one register; there are whole registers.
                    unsafe { self.tile::<S, R, 1>(simd, [row, column], (&mut *ahead, at_once)) };
                    column += lanes;
                }
            }
        }
    }

    /// `R` rows and `N` registers of the product.
    ///
    /// # Safety
    /// The rows from `row` on and the elements of `N` registers from `column` on lie inside the left matrix, the panel
    /// and the result.
    #[inline(always)]
    unsafe fn tile<S: Simd, const R: usize, const N: usize>(
        &self,
        simd: S,
        [row, column]: [usize; 2],
        (ahead, at_once): (&mut Ahead<'_, T>, usize),
    ) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let depth = self.panel.numbers.len() / self.panel.width;
        let mut sums = [[T::splat(simd, T::default()); N]; R];
        let left: [*const T; R] =
            std::array::from_fn(|i| self.left.numbers.as_ptr().wrapping_add((row + i) * self.left.row));
        let mut right = self.panel.numbers.as_ptr().wrapping_add(column);
        let line = LINE / size_of::<T>();
        for top in (0..depth).step_by(line) {
            if column == 0 && self.left.is_asked_for() {
                // The rows of the next tile.
                (row + R..row + 2 * R).for_each(|row| fetch_line(self.left.numbers, row * self.left.row + top));
            }
            ahead.ask(at_once);
            for k in top..depth.min(top + line) {
                let registers: [T::Register<S>; N] = std::array::from_fn(|n| {
                    let from = right.wrapping_add(n * lanes).cast::<T::Register<S>>();
                    // SAFETY: by the contract of this function these are elements of row `k` of the panel; a register is
                    // plain numbers, and the read asks for no alignment.
                    unsafe { from.read_unaligned() }
                });
                for (sums, left) in sums.iter_mut().zip(left) {
                    // SAFETY: by the contract of this function it is element `k` of a row of the left matrix.
                    let x = T::splat(simd, unsafe { *left.wrapping_add(k * self.left.along) });
                    for (sum, register) in sums.iter_mut().zip(registers) {
                        *sum = T::fused(simd, x, register, *sum);
                    }
                }
                right = right.wrapping_add(self.panel.width);
            }
        }
        let factor = T::splat(simd, self.factor);
        for (i, sums) in sums.into_iter().enumerate() {
            for (n, sum) in sums.into_iter().enumerate() {
                let at = (row + i) * self.step + column + n * lanes;
                let to = self.to.wrapping_add(at).cast::<T::Register<S>>();
                let before = if self.adds {
                    // SAFETY: by the contract of this function these are elements of a row of the result.
                    unsafe { to.read_unaligned() }
                } else {
                    T::splat(simd, T::default())
                };
                // SAFETY: as above; the row may be written by the contract of `multiply`.
                unsafe { to.write_unaligned(T::fused(simd, factor, sum, before)) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::View;
    use crate::kernel::panels::{Panels, width};
    use crate::kernel::testing::Random;

    /// Multiplies a strip into what holds 1 everywhere, by `run`; returns it with the exact numbers.
    fn strip<T: Lanes>(sizes: [usize; 3], run: impl FnOnce(Strip<'_, T>)) -> Vec<(f64, f64)> {
        let [rows, depth, columns] = sizes;
        let mut random = Random::new(4);
        let mut data = |size| -> Vec<T> { random.reals(size).into_iter().map(|x| T::narrow(f64::from(x))).collect() };
        let (left, right) = (data(rows * (depth + 3)), data(depth * columns));
        let mut panels = Panels::new::<T>(depth, columns);
        panels.pack_matrix(View { data: &right, offset: 0, strides: &[columns as isize, 1] });
        let (panel, step) = (panels.panel::<T>(0), width(columns) + 5);
        let mut to = vec![T::narrow(1.0); rows * step];
        let from = Left { numbers: &left, row: depth + 3, along: 1 };
        let ahead = Ahead::rows(&right, [0, columns], [depth, columns]);
        run(Strip { factor: T::narrow(0.5), rows, left: from, panel, to: to.as_mut_ptr(), step, adds: true, ahead });
        let exact = |i: usize, j: usize| {
            (0..depth).map(|k| left[i * (depth + 3) + k].wide() * right[k * columns + j].wide()).sum::<f64>() / 2.0
                + 1.0
        };
        (0..rows)
            .flat_map(|i| (0..columns).map(move |j| (i, j)))
            .map(|(i, j)| (to[i * step + j].wide(), exact(i, j)))
            .collect()
    }

    fn check<T: Lanes>(bound: f64) {
        for sizes in [[4, 1, 1], [8, 5, 16], [4, 70, 40], [12, 33, 64], [4, 0, 3], [11, 20, 64], [7, 9, 33]] {
            let widest = strip::<T>(sizes, |strip| Arch::new().dispatch(&strip));
            assert!(widest.iter().all(|(got, exact)| (got - exact).abs() < bound), "{sizes:?} in plain loops");
            let mut others = vec![strip::<T>(sizes, |strip| (&strip).with_simd(pulp::Scalar::new()))];
            #[cfg(target_arch = "x86_64")]
            if let Some(simd) = pulp::x86::V3::try_new() {
                others.push(strip::<T>(sizes, |strip| Simd::vectorize(simd, &strip)));
            }
            assert!(others.iter().all(|other| *other == widest), "{sizes:?} in registers of any width");
        }
    }

    #[test]
    fn a_strip_is_the_same_product_in_registers_of_any_width() {
        check::<f32>(1e-5);
        check::<f64>(1e-13);
    }
}
