//! What becomes of the sums of a product while they are in registers.
//!
//! A bias, a residual and a simple activation cost next to nothing there, where a pass over the stored result takes longer
//! than its arithmetic: it begins when the last sums are stored, and ends before the next are begun.
//! Sums that `gemm` has stored are loaded once more for the same acts, in the piece that was just computed.
//! Not here: which programs are such an ending (`map::strip::acts`), and all others, which finish what is stored (`map::tail`).

use super::tile::some_of;
use super::{Rows, Strip};
use crate::kernel::ahead::fetch_line;
use crate::kernel::panels::WIDTH;
use crate::kernel::simd::Lanes;
use crate::kernel::vectors;
use pulp::{Simd, WithSimd};

/// Registers that are done together where numbers stand in memory.
const TOGETHER: usize = 4;

/// What is done to a number: with another one, which `X` tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::kernel) enum Act<X> {
    Plus(X),
    Times(X),
    Relu,
    /// Nothing where the other number is not positive: what relu passes back.
    WherePositive(X),
    /// The same with one number for all of a row.
    PlusEach(X),
    TimesEach(X),
}

/// What is done to the elements of a product, act after act, each rounded. Operands lie as the result does.
pub(in crate::kernel) type Ending<'a, T> = &'a [Act<Rows<'a, T>>];

impl<X: Copy> Act<X> {
    /// The same with what `f` makes of the other number.
    pub(in crate::kernel) fn try_map<Y>(self, f: impl FnOnce(X) -> Option<Y>) -> Option<Act<Y>> {
        Some(match self {
            Act::Plus(x) => Act::Plus(f(x)?),
            Act::Times(x) => Act::Times(f(x)?),
            Act::Relu => Act::Relu,
            Act::WherePositive(x) => Act::WherePositive(f(x)?),
            Act::PlusEach(x) => Act::PlusEach(f(x)?),
            Act::TimesEach(x) => Act::TimesEach(f(x)?),
        })
    }

    /// The same with one number for all of a row, if there is such an act.
    pub(in crate::kernel) fn with_each(self) -> Option<Act<X>> {
        match self {
            Act::Plus(x) => Some(Act::PlusEach(x)),
            Act::Times(x) => Some(Act::TimesEach(x)),
            _ => None,
        }
    }

    /// Where the other number comes from, if there is one.
    pub(in crate::kernel) fn operand(self) -> Option<X> {
        match self {
            Act::Plus(x) | Act::Times(x) | Act::WherePositive(x) | Act::PlusEach(x) | Act::TimesEach(x) => Some(x),
            Act::Relu => None,
        }
    }
}

impl<T: Lanes> Act<Rows<'_, T>> {
    /// Whether its operand has so many rows of so many elements.
    pub(in crate::kernel) fn reaches(&self, rows: usize, size: usize) -> bool {
        let size = if matches!(self, Act::PlusEach(_) | Act::TimesEach(_)) { size.min(1) } else { size };
        self.operand().is_none_or(|operand| operand.has(rows, size))
    }

    /// Asks for the line of memory of an element of its operand. What is the same for all rows is near, and rows that are no
    /// longer than those of a panel follow each other, as a processor expects.
    #[inline(always)]
    pub(super) fn ask(&self, [row, column]: [usize; 2]) {
        if let Act::Plus(of) | Act::Times(of) | Act::WherePositive(of) = *self
            && let Rows { numbers, step } = of
            && step > WIDTH
        {
            fetch_line(numbers, row.wrapping_mul(step).wrapping_add(column));
        }
    }

    /// Whether it has one number for all of a row. Tiles that end so do that apart: in the loops of all others, which are
    /// compiled for every shape, such acts would cost several percent of a product.
    pub(super) fn is_each(&self) -> bool {
        matches!(self, Act::PlusEach(_) | Act::TimesEach(_))
    }

    /// Does it to the elements of some rows of the product from `row` and `column` on; nothing if it [`is_each`](Act::is_each).
    ///
    /// # Safety
    /// Its operand has those rows and as many elements from that column on.
    #[inline(always)]
    pub(in crate::kernel) unsafe fn apply<S: Simd, const R: usize, const N: usize>(
        &self,
        simd: S,
        [row, column]: [usize; 2],
        numbers: &mut [[T::Register<S>; N]; R],
    ) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        for (i, numbers) in numbers.iter_mut().enumerate() {
            for (n, x) in numbers.iter_mut().enumerate() {
                // SAFETY: the contract of this function.
                *x = unsafe { self.of(simd, [row + i, column + n * lanes], *x, None) };
            }
        }
    }

    /// Does it, whatever it is, to the elements of some rows of the product from `row` and `column` on.
    ///
    /// # Safety
    /// Its operand has those rows and as many elements from that column on, or a number for each of the rows.
    #[inline(always)]
    unsafe fn apply_any<S: Simd, const R: usize, const N: usize>(
        &self,
        simd: S,
        place: [usize; 2],
        numbers: &mut [[T::Register<S>; N]; R],
    ) {
        if !self.is_each() {
            // SAFETY: the contract of this function.
            return unsafe { self.apply(simd, place, numbers) };
        }
        for (i, x) in numbers.iter_mut().enumerate().flat_map(|(i, row)| row.iter_mut().map(move |x| (i, x))) {
            // SAFETY: the contract of this function.
            *x = unsafe { self.any_of(simd, [place[0] + i, place[1]], *x, None) };
        }
    }

    /// Does it, whatever it is, to a register of the product.
    ///
    /// # Safety
    /// As of [`of`](Act::of), or its operand has a number for that row.
    #[inline(always)]
    pub(super) unsafe fn any_of<S: Simd>(
        &self,
        simd: S,
        place: [usize; 2],
        x: T::Register<S>,
        cut: Option<T::Mask<S>>,
    ) -> T::Register<S> {
        let each = |rows: Rows<'_, T>| {
            let from = rows.numbers.as_ptr().wrapping_add(place[0] * rows.step);
            // SAFETY: by the contract of this function it is an element of the operand.
            T::splat(simd, unsafe { *from })
        };
        match *self {
            Act::PlusEach(rows) => T::plus(simd, x, each(rows)),
            Act::TimesEach(rows) => T::times(simd, x, each(rows)),
            // SAFETY: the contract of this function.
            _ => unsafe { self.of(simd, place, x, cut) },
        }
    }

    /// Does it to a register of the product, of which `cut` may say that there is a part alone; nothing if it
    /// [`is_each`](Act::is_each).
    ///
    /// # Safety
    /// Its operand has these elements of that row, from that column on.
    #[inline(always)]
    unsafe fn of<S: Simd>(
        &self,
        simd: S,
        [row, column]: [usize; 2],
        x: T::Register<S>,
        cut: Option<T::Mask<S>>,
    ) -> T::Register<S> {
        let operand = |rows: Rows<'_, T>| {
            let from = rows.numbers.as_ptr().wrapping_add(row * rows.step + column);
            // SAFETY: by the contract of this function these are elements of the operand.
            unsafe { some_of::<T, S>(simd, from, cut) }
        };
        match *self {
            Act::PlusEach(_) | Act::TimesEach(_) => x,
            Act::Plus(rows) => T::plus(simd, x, operand(rows)),
            Act::Times(rows) => T::times(simd, x, operand(rows)),
            Act::Relu => T::relu_of(simd, x),
            Act::WherePositive(rows) => T::where_positive(simd, operand(rows), x),
        }
    }
}

/// What becomes of the sums of a tile of any shape, from memory and one register after the other: compiled once for all tiles
/// that are rare.
pub(super) struct End<'a, T> {
    pub(super) strip: &'a Strip<'a, T>,
    /// Where the tile begins in the product.
    pub(super) place: [usize; 2],
    pub(super) rows: usize,
    /// Numbers of a row of the tile; the last ones may be of no column of the product.
    pub(super) width: usize,
    /// The sums, one row right after the other.
    pub(super) sums: *const T,
}

impl<T: Lanes> End<'_, T> {
    /// Ends them and stores them in the result.
    ///
    /// # Safety
    /// There are so many sums. The result and what ends the product have these rows, and of these columns all that are columns
    /// of the product.
    #[inline(never)]
    pub(super) unsafe fn apart(self) {
        vectors::dispatch(self);
    }
}

impl<T: Lanes> WithSimd for End<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let End { strip, place: [top, first], rows, width, sums } = self;
        let (lanes, columns) = (size_of::<T::Register<S>>() / size_of::<T>(), width.min(strip.columns - first));
        let factor = T::splat(simd, strip.factor);
        let (mut i, mut at) = (0, 0);
        while i < rows {
            let (row, column) = (top + i, first + at);
            let cut = (columns - at < lanes).then(|| T::first(simd, columns - at));
            let to = strip.to.wrapping_add(row * strip.step + column);
            // SAFETY: by the contract of `apart` these are sums.
            let sum = unsafe { some_of::<T, S>(simd, sums.wrapping_add(i * width + at), cut) };
            let before = if strip.adds {
                // SAFETY: by the contract of `apart` these are elements of a row of the result.
                unsafe { some_of::<T, S>(simd, to, cut) }
            } else {
                T::splat(simd, T::default())
            };
            let mut x = T::fused(simd, factor, sum, before);
            for act in strip.ending {
                // SAFETY: by the contract of `apart` what ends the product has these elements.
                x = unsafe { act.any_of(simd, [row, column], x, cut) };
            }
            match cut {
                // SAFETY: by the contract of `apart` these elements may be written.
                Some(some) => unsafe { T::write(simd, some, to, x) },
                // SAFETY: as above, the whole register.
                None => unsafe { to.cast::<T::Register<S>>().write_unaligned(x) },
            }
            at += lanes;
            if at >= columns {
                (i, at) = (i + 1, 0);
            }
        }
    }
}

/// What becomes of numbers that stand in memory: some rows of a product.
struct Standing<'a, T> {
    ending: Ending<'a, T>,
    to: *mut T,
    step: usize,
    sides: [usize; 2],
}

/// Does acts to some rows of numbers where they stand, `step` apart.
///
/// # Safety
/// These numbers may be read and written, and nothing else touches them meanwhile.
///
/// # Panics
/// If an act has no number for one of them.
pub(in crate::kernel) unsafe fn end_standing<T: Lanes>(
    ending: Ending<'_, T>,
    to: *mut T,
    step: usize,
    sides: [usize; 2],
) {
    let reach = ending.iter().all(|act| act.reaches(sides[0], sides[1]));
    assert!(reach, "what ends a product leaves its slice");
    vectors::dispatch(Standing { ending, to, step, sides });
}

impl<T: Lanes> WithSimd for Standing<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Standing { ending, to, step, sides: [rows, width] } = self;
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        for row in 0..rows {
            let mut column = 0;
            while column + TOGETHER * lanes <= width {
                let to = to.wrapping_add(row * step + column).cast::<[[T::Register<S>; TOGETHER]; 1]>();
                // SAFETY: by the contract of `end_standing` these are numbers of a row; registers are plain numbers.
                let mut numbers = unsafe { to.read_unaligned() };
                for act in ending {
                    // SAFETY: `end_standing` has found these elements inside.
                    unsafe { act.apply_any(simd, [row, column], &mut numbers) };
                }
                // SAFETY: by the contract of `end_standing` these numbers may be written.
                unsafe { to.write_unaligned(numbers) };
                column += TOGETHER * lanes;
            }
            while column < width {
                let to = to.wrapping_add(row * step + column);
                let cut = (width - column < lanes).then(|| T::first(simd, width - column));
                // SAFETY: by the contract of `end_standing` these are numbers of a row.
                let mut x = unsafe { some_of::<T, S>(simd, to, cut) };
                for act in ending {
                    // SAFETY: `end_standing` has found these elements inside.
                    x = unsafe { act.any_of(simd, [row, column], x, cut) };
                }
                match cut {
                    // SAFETY: by the contract of `end_standing` these numbers may be written.
                    Some(some) => unsafe { T::write(simd, some, to, x) },
                    // SAFETY: as above, the whole register.
                    None => unsafe { to.cast::<T::Register<S>>().write_unaligned(x) },
                }
                column += lanes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acts_are_done_to_rows_where_they_stand_and_to_nothing_else() {
        fn done<T: Lanes + std::fmt::Debug + PartialEq>(number: fn(i16) -> T) {
            let numbers = |seed: i16| -> Vec<T> { (0..2000).map(|i| number((i * 7 + seed) % 31 - 15)).collect() };
            let [x, y, each] = [1, 2, 3].map(numbers);
            for [rows, width, step] in
                [[1, 1, 1], [3, 7, 9], [2, 16, 16], [4, 67, 70], [3, 160, 200], [0, 5, 5], [5, 0, 3]]
            {
                let acts = [
                    Act::TimesEach(Rows { numbers: &each, step: 2 }),
                    Act::Plus(Rows { numbers: &x, step: 0 }),
                    Act::Relu,
                    Act::Times(Rows { numbers: &y, step: width + 1 }),
                    Act::PlusEach(Rows { numbers: &each[5..], step: 1 }),
                    Act::WherePositive(Rows { numbers: &y[3..], step: width }),
                ];
                let before = numbers(4);
                let mut standing = before.clone();
                // SAFETY: so many rows are inside, and nothing else touches them.
                unsafe { end_standing(&acts, standing.as_mut_ptr(), step, [rows, width]) };
                for (at, (&found, &was)) in standing.iter().zip(&before).enumerate() {
                    let (row, column) = (at / step, at % step);
                    if row >= rows || column >= width {
                        assert_eq!(found, was, "what is beside them stays");
                        continue;
                    }
                    let sum = was * each[2 * row] + x[column];
                    let gated = (if sum > T::default() { sum } else { T::default() }) * y[row * (width + 1) + column];
                    let all = gated + each[5 + row];
                    let is_passed = y[3 + row * width + column] > T::default();
                    assert_eq!(found, if is_passed { all } else { T::default() }, "{rows} × {width}, {row}, {column}");
                }
            }
        }
        done::<f32>(f32::from);
        done::<f64>(f64::from);
    }
}
