//! What becomes of the sums of a product while they are in registers.
//!
//! A bias, a residual and a simple activation cost next to nothing there, where a pass over the stored result takes longer
//! than its arithmetic: it begins when the last sums are stored, and ends before the next are begun.
//! Not here: which programs are such an ending (`map::strip::acts`), and all others, which finish what is stored (`map::tail`).

use super::Rows;
use super::tile::some_of;
use crate::kernel::ahead::fetch_line;
use crate::kernel::panels::WIDTH;
use crate::kernel::simd::Lanes;
use pulp::Simd;

/// What is done to a number: with another one, which `X` tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::kernel) enum Act<X> {
    Plus(X),
    Times(X),
    Relu,
    /// Nothing where the other number is not positive: what relu passes back.
    WherePositive(X),
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
        })
    }

    /// Where the other number comes from, if there is one.
    fn operand(self) -> Option<X> {
        match self {
            Act::Plus(x) | Act::Times(x) | Act::WherePositive(x) => Some(x),
            Act::Relu => None,
        }
    }
}

impl<T: Lanes> Act<Rows<'_, T>> {
    /// Whether its operand has so many rows of so many elements.
    pub(super) fn reaches(&self, rows: usize, size: usize) -> bool {
        self.operand().is_none_or(|operand| operand.has(rows, size))
    }

    /// Asks for the line of memory of an element of its operand. What is the same for all rows is near, and rows that are no
    /// longer than those of a panel follow each other, as a processor expects.
    #[inline(always)]
    pub(super) fn ask(&self, [row, column]: [usize; 2]) {
        if let Some(Rows { numbers, step }) = self.operand()
            && step > WIDTH
        {
            fetch_line(numbers, row.wrapping_mul(step).wrapping_add(column));
        }
    }

    /// Does it to the elements of some rows of the product from `row` and `column` on, `cut(n)` being those of register `n`
    /// that there are, if not all.
    ///
    /// # Safety
    /// Its operand has those rows and as many elements from that column on.
    #[inline(always)]
    pub(super) unsafe fn apply<S: Simd, const R: usize, const N: usize>(
        &self,
        simd: S,
        [row, column]: [usize; 2],
        numbers: &mut [[T::Register<S>; N]; R],
        cut: &impl Fn(usize) -> Option<T::Mask<S>>,
    ) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let operand = |rows: Rows<'_, T>, i: usize, n: usize| {
            let from = rows.numbers.as_ptr().wrapping_add((row + i) * rows.step + column + n * lanes);
            // SAFETY: by the contract of this function these are elements of the operand.
            unsafe { some_of::<T, S>(simd, from, cut(n)) }
        };
        for (i, numbers) in numbers.iter_mut().enumerate() {
            for (n, x) in numbers.iter_mut().enumerate() {
                *x = match *self {
                    Act::Plus(rows) => T::plus(simd, *x, operand(rows, i, n)),
                    Act::Times(rows) => T::times(simd, *x, operand(rows, i, n)),
                    Act::Relu => T::relu_of(simd, *x),
                    Act::WherePositive(rows) => T::where_positive(simd, operand(rows, i, n), *x),
                };
            }
        }
    }
}
