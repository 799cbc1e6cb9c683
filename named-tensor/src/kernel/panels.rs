//! Products of tiles that stay in the cache, with a matrix packed in panels.
//!
//! Computes  `to[i, j] += factor · Σₖ left[i, k] panel[k, j]`.
//! Lives here: panels of [`WIDTH`] columns, the loops that fill them, and the product of a strip of rows with one of them,
//! in registers of the widest kind at hand. Whoever uses a matrix for many strips packs it once.
//! Not here: large products (`matmul`), threads. Each sum is taken in the order of k, each step rounded once, so
//! results do not depend on the width of the registers.

use super::View;
use super::math::Scalar;
use super::pool;
use crate::element::{Buffer, Stored};
use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

/// Columns of a panel.
pub(super) const WIDTH: usize = 64;
/// The last panel is filled with zeros up to a multiple of this, which registers of every kind divide.
const GRAIN: usize = 16;
/// Rows whose sums are in registers together. A strip has a multiple of them.
pub(super) const ROWS: usize = 4;

/// A number of which a register holds several.
pub(crate) trait Lanes: Scalar {
    /// A register of the instruction set `S`.
    type Register<S: Simd>: Copy;
    /// The same number everywhere.
    fn splat<S: Simd>(simd: S, x: Self) -> Self::Register<S>;
    /// `a · b + c`, rounded once.
    fn fused<S: Simd>(simd: S, a: Self::Register<S>, b: Self::Register<S>, c: Self::Register<S>) -> Self::Register<S>;
}

macro_rules! lanes {
    ($type:ident, $register:ident, $splat:ident, $fused:ident) => {
        impl Lanes for $type {
            type Register<S: Simd> = S::$register;
            #[inline(always)]
            fn splat<S: Simd>(simd: S, x: $type) -> S::$register {
                simd.$splat(x)
            }
            #[inline(always)]
            fn fused<S: Simd>(simd: S, a: S::$register, b: S::$register, c: S::$register) -> S::$register {
                simd.$fused(a, b, c)
            }
        }
    };
}

lanes!(f32, f32s, splat_f32s, mul_add_f32s);
lanes!(f64, f64s, splat_f64s, mul_add_f64s);

/// A matrix in panels: [`WIDTH`] columns and all rows, row by row, then the next columns.
pub(super) struct Panels {
    numbers: Buffer,
    rows: usize,
    columns: usize,
}

impl Panels {
    /// Room for a matrix of this size at most, with any numbers in it.
    pub(super) fn new<T: Stored>(rows: usize, columns: usize) -> Panels {
        Panels { numbers: pool::take(T::KIND, Panels::room(rows, columns)), rows, columns }
    }

    /// Elements of the panels of a matrix.
    pub(super) fn room(rows: usize, columns: usize) -> usize {
        rows * columns.next_multiple_of(GRAIN)
    }

    /// Packs a matrix as large as this one.
    pub(super) fn pack_matrix<T: Scalar>(&mut self, view: View<'_, T>) {
        let [down, across] = [view.strides[0], view.strides[1]];
        if down == 1 && across != 1 {
            return self.pack_columns(view);
        }
        let first = |row: usize| view.offset.wrapping_add_signed(row as isize * down);
        self.pack(self.rows, first, view.data, across);
    }

    /// Packs rows that begin at `firsts` and lie with the last stride of the view. What rows there are more become 0.
    pub(super) fn pack_rows<T: Scalar>(&mut self, firsts: &[usize], view: View<'_, T>) {
        self.pack(firsts.len(), |row| firsts[row], view.data, view.strides[view.strides.len() - 1]);
    }

    fn pack<T: Scalar>(&mut self, rows: usize, first: impl Fn(usize) -> usize, data: &[T], across: isize) {
        for (panel, columns) in panels(self.columns) {
            let (to, width) = self.panel_mut::<T>(panel);
            let (to, rest) = to.split_at_mut(rows * width);
            rest.fill(T::default());
            for (row, to) in to.chunks_exact_mut(width).enumerate() {
                let from = first(row).wrapping_add_signed(columns.start as isize * across);
                let (to, rest) = to.split_at_mut(columns.len());
                rest.fill(T::default());
                if across == 1 {
                    to.copy_from_slice(&data[from..][..to.len()]);
                } else {
                    let element = |i: usize| data[from.wrapping_add_signed(i as isize * across)];
                    to.iter_mut().enumerate().for_each(|(i, to)| *to = element(i));
                }
            }
        }
    }

    /// Packs a matrix that is contiguous down its columns.
    fn pack_columns<T: Scalar>(&mut self, view: View<'_, T>) {
        let rows = self.rows;
        for (panel, columns) in panels(self.columns) {
            let (to, width) = self.panel_mut::<T>(panel);
            if columns.len() < width {
                to.fill(T::default());
            }
            for (at, column) in columns.enumerate() {
                let from = view.offset.wrapping_add_signed(column as isize * view.strides[1]);
                let column = &view.data[from..][..rows];
                to[at..].iter_mut().step_by(width).zip(column).for_each(|(to, &x)| *to = x);
            }
        }
    }

    /// The panel with this number.
    pub(super) fn panel<T: Stored>(&self, panel: usize) -> Panel<'_, T> {
        let width = width((self.columns - panel * WIDTH).min(WIDTH));
        Panel { numbers: &T::of(&self.numbers)[panel * WIDTH * self.rows..][..self.rows * width], width }
    }

    /// The numbers of the panel with this number, and its width.
    pub(super) fn panel_mut<T: Stored>(&mut self, panel: usize) -> (&mut [T], usize) {
        let width = width((self.columns - panel * WIDTH).min(WIDTH));
        (&mut T::of_mut(&mut self.numbers)[panel * WIDTH * self.rows..][..self.rows * width], width)
    }

    /// All numbers become 0.
    pub(super) fn clear<T: Scalar>(&mut self) {
        T::of_mut(&mut self.numbers).fill(T::default());
    }

    /// How many columns there are.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Hands a row over, panel by panel, each with its first column.
    pub(super) fn row<T: Stored>(&self, row: usize, mut take: impl FnMut(usize, &[T])) {
        for (panel, columns) in panels(self.columns) {
            let panel = self.panel::<T>(panel);
            take(columns.start, &panel.numbers[row * panel.width..][..columns.len()]);
        }
    }

    /// Gives the memory back.
    pub(super) fn give(self) {
        pool::give(self.numbers);
    }
}

/// The panels of so many columns, each with the columns that it holds.
pub(super) fn panels(columns: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
    (0..columns).step_by(WIDTH).enumerate().map(move |(panel, first)| (panel, first..columns.min(first + WIDTH)))
}

/// Columns of a panel that holds so many, with the zeros at its end.
pub(super) fn width(columns: usize) -> usize {
    columns.next_multiple_of(GRAIN)
}

/// Rows of numbers, [`WIDTH`] of them or fewer in each.
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

/// Adds `factor` times the product of `left` and all rows of `panel` to `rows` rows of the width of the panel, which are
/// `step` apart.
///
/// # Panics
/// If an operand is too short, or `rows` is no multiple of [`ROWS`].
pub(super) fn accumulate<T: Lanes>(
    factor: T,
    rows: usize,
    left: Left<'_, T>,
    panel: Panel<'_, T>,
    to: &mut [T],
    step: usize,
) {
    Arch::new().dispatch(Strip { factor, rows, left, panel, to, step, adds: true });
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
    Arch::new().dispatch(Strip { factor, rows, left, panel, to, step, adds: false });
}

struct Strip<'a, 'b, T> {
    factor: T,
    rows: usize,
    left: Left<'a, T>,
    panel: Panel<'a, T>,
    to: &'b mut [T],
    step: usize,
    adds: bool,
}

impl<T: Lanes> WithSimd for Strip<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let (width, depth) = (self.panel.width, self.panel.numbers.len() / self.panel.width);
        if self.rows == 0 {
            return;
        }
        let last = (self.rows - 1) * self.left.row + depth.saturating_sub(1) * self.left.along;
        assert!(depth == 0 || last < self.left.numbers.len(), "a row of the left matrix leaves its slice");
        assert!((self.rows - 1) * self.step + width <= self.to.len(), "a row of the result leaves its slice");
        assert!(self.rows.is_multiple_of(ROWS) && width.is_multiple_of(lanes), "whole tiles");
        for row in (0..self.rows).step_by(ROWS) {
            let mut column = 0;
            while column < width {
                let left = width - column;
                if S::REGISTER_COUNT >= 32 && left >= 4 * lanes {
                    // SAFETY: the tile has `ROWS` rows from `row` on, of which there are a multiple, and four registers from
                    // `column` on; the assertions above hold for all rows.
                    unsafe { self.tile::<S, 4>(simd, row, column) };
                    column += 4 * lanes;
                } else if left >= 2 * lanes {
                    // SAFETY: as above, with two registers.
                    unsafe { self.tile::<S, 2>(simd, row, column) };
                    column += 2 * lanes;
                } else {
                    // SAFETY: as above, with one register; there are whole registers.
                    unsafe { self.tile::<S, 1>(simd, row, column) };
                    column += lanes;
                }
            }
        }
    }
}

impl<T: Lanes> Strip<'_, '_, T> {
    /// `ROWS` rows and `N` registers of the product.
    ///
    /// # Safety
    /// The rows from `row` on and the elements of `N` registers from `column` on lie inside the left matrix, the panel
    /// and the result.
    #[inline(always)]
    unsafe fn tile<S: Simd, const N: usize>(&mut self, simd: S, row: usize, column: usize) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let depth = self.panel.numbers.len() / self.panel.width;
        let mut sums = [[T::splat(simd, T::default()); N]; ROWS];
        let left: [*const T; ROWS] =
            std::array::from_fn(|i| self.left.numbers.as_ptr().wrapping_add((row + i) * self.left.row));
        let mut right = self.panel.numbers.as_ptr().wrapping_add(column);
        for k in 0..depth {
            let registers: [T::Register<S>; N] = std::array::from_fn(|n| {
                let from = right.wrapping_add(n * lanes).cast::<T::Register<S>>();
                // SAFETY: by the contract of this function these are elements of row `k` of the panel; a register is plain
                // numbers, and the read asks for no alignment.
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
        let factor = T::splat(simd, self.factor);
        for (i, sums) in sums.into_iter().enumerate() {
            for (n, sum) in sums.into_iter().enumerate() {
                let at = (row + i) * self.step + column + n * lanes;
                let to = self.to.as_mut_ptr().wrapping_add(at).cast::<T::Register<S>>();
                let before = if self.adds {
                    // SAFETY: by the contract of this function these are elements of a row of the result.
                    unsafe { to.read_unaligned() }
                } else {
                    T::splat(simd, T::default())
                };
                // SAFETY: as above; the result is borrowed mutably.
                unsafe { to.write_unaligned(T::fused(simd, factor, sum, before)) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::Random;

    /// Multiplies a strip into what holds 1 everywhere, by `run`; returns it with the exact numbers.
    fn strip<T: Lanes>(sizes: [usize; 3], run: impl FnOnce(Strip<'_, '_, T>)) -> Vec<(f64, f64)> {
        let [rows, depth, columns] = sizes;
        let mut random = Random::new(4);
        let mut data = |size| -> Vec<T> { random.reals(size).into_iter().map(|x| T::narrow(f64::from(x))).collect() };
        let (left, right) = (data(rows * (depth + 3)), data(depth * columns));
        let mut panels = Panels::new::<T>(depth, columns);
        panels.pack_matrix(View { data: &right, offset: 0, strides: &[columns as isize, 1] });
        let (panel, step) = (panels.panel::<T>(0), width(columns) + 5);
        let mut to = vec![T::narrow(1.0); rows * step];
        let from = Left { numbers: &left, row: depth + 3, along: 1 };
        run(Strip { factor: T::narrow(0.5), rows, left: from, panel, to: &mut to, step, adds: true });
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
        for sizes in [[4, 1, 1], [8, 5, 16], [4, 70, 40], [12, 33, 64], [4, 0, 3]] {
            let widest = strip::<T>(sizes, |strip| Arch::new().dispatch(strip));
            assert!(widest.iter().all(|(got, exact)| (got - exact).abs() < bound), "{sizes:?} in plain loops");
            let mut others = vec![strip::<T>(sizes, |strip| strip.with_simd(pulp::Scalar::new()))];
            #[cfg(target_arch = "x86_64")]
            if let Some(simd) = pulp::x86::V3::try_new() {
                others.push(strip::<T>(sizes, |strip| Simd::vectorize(simd, strip)));
            }
            assert!(others.iter().all(|other| *other == widest), "{sizes:?} in registers of any width");
        }
    }

    #[test]
    fn a_strip_is_the_same_product_in_registers_of_any_width() {
        check::<f32>(1e-5);
        check::<f64>(1e-13);
    }

    #[test]
    fn columns_are_packed_as_rows_are() {
        let data = Random::new(9).reals(70 * 90);
        let view = |strides| View { data: &data[..], offset: 0, strides };
        let (mut rows, mut columns) = (Panels::new::<f32>(70, 90), Panels::new::<f32>(90, 70));
        rows.pack_matrix(view(&[90, 1]));
        columns.pack_matrix(view(&[1, 90]));
        let element = |panels: &Panels, row: usize, column: usize| {
            let panel = panels.panel::<f32>(column / WIDTH);
            panel.numbers[row * panel.width + column % WIDTH]
        };
        for (i, j) in (0..70).flat_map(|i| (0..90).map(move |j| (i, j))) {
            assert_eq!([element(&rows, i, j), element(&columns, j, i)], [data[i * 90 + j]; 2], "at {i}, {j}");
        }
    }
}
