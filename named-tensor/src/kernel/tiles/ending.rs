//! What becomes of the sums of a product while they are in registers.
//!
//! A bias, a residual and a simple activation cost next to nothing there, where a pass over the stored result takes longer
//! than its arithmetic: it begins when the last sums are stored, and ends before the next are begun.
//! Not here: which programs are such an ending (`map::strip::acts`), and all others, which finish what is stored (`map::tail`).

use super::tile::some_of;
use super::{Rows, Strip};
use crate::kernel::ahead::fetch_line;
use crate::kernel::panels::WIDTH;
use crate::kernel::simd::Lanes;
use crate::kernel::vectors;
use pulp::{Simd, WithSimd};

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
