//! Products of rows with numbers that are read where they lie, a few neighbours at a time.
//!
//! Computes  `to[i, j] += factor · Σₖ left[i, k] numbers[place[j] + terms[k]]`,  where neighbours among the columns j mostly lie
//! side by side: as the windows of a picture do, whose rows go on after what is left over at their ends. That is computed with
//! the others and left out when sums are stored, which takes less time than to pack a panel without it.
//! Not here: where the numbers lie (`matmul::unpacked`), products with panels (`tile`).

use super::{Left, Strip, TALL, some_of};
use crate::kernel::ahead::fetch_at;
use crate::kernel::panels::WIDTH;
use crate::kernel::simd::{Lanes, is_plain};
use crate::kernel::vectors;
use pulp::{Simd, WithSimd};
use std::hint::black_box;

/// Numbers side by side, some of which are columns of a product.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::kernel) struct Group {
    /// Where the first of them is.
    pub(in crate::kernel) from: usize,
    /// Which of them are columns: a bit for each, the first one lowest.
    pub(in crate::kernel) kept: u16,
}

/// Numbers of a group.
pub(in crate::kernel) const GROUP: usize = 16;
/// Groups that are computed together.
pub(in crate::kernel) const GROUPS: usize = WIDTH / GROUP;

/// A product of rows with groups of numbers.
pub(in crate::kernel) struct Unpacked<'a, T> {
    /// The product but for its panel, which is empty.
    pub(in crate::kernel) strip: &'a Strip<'a, T>,
    pub(in crate::kernel) numbers: &'a [T],
    /// [`GROUPS`] at most. Their columns follow each other.
    pub(in crate::kernel) groups: &'a [Group],
    /// How far the numbers of each term are from those of a group.
    pub(in crate::kernel) terms: &'a [usize],
}

/// Columns of a tile that lie side by side.
#[derive(Clone, Copy, Default)]
struct Part {
    /// The first of them in the tile, and in the product.
    lane: u8,
    column: u8,
    size: u8,
}

/// Parts of a tile.
struct Parts {
    all: [Part; WIDTH],
    count: usize,
}

impl Parts {
    /// Those of a tile whose columns are these bits, after `column` others: of no more than a register each.
    fn new(mut kept: u64, mut column: usize, lanes: usize) -> Parts {
        let mut parts = Parts { all: [Part::default(); WIDTH], count: 0 };
        while kept != 0 {
            let lane = kept.trailing_zeros() as usize;
            let size = ((kept >> lane).trailing_ones() as usize).min(lanes);
            parts.all[parts.count] = Part { lane: lane as u8, column: column as u8, size: size as u8 };
            parts.count += 1;
            column += size;
            kept &= u64::MAX.checked_shl((lane + size) as u32).unwrap_or(0);
        }
        parts
    }
}

/// Computes such a product.
///
/// # Safety
/// As of [`multiply`](super::multiply); all numbers of all terms of each group may be read.
///
/// # Panics
/// If rows of another operand leave their slice.
pub(in crate::kernel) unsafe fn multiply_unpacked<T: Lanes>(product: &Unpacked<'_, T>) {
    vectors::dispatch(product);
}

impl<T: Lanes> WithSimd for &Unpacked<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        assert!(self.groups.len() <= GROUPS && GROUP.is_multiple_of(lanes), "groups of whole registers");
        self.strip.check::<S>(self.terms.len());
        let kept = self.groups.iter().rev().fold(0_u64, |kept, group| kept << GROUP | u64::from(group.kept));
        assert!(kept.count_ones() as usize == self.strip.columns, "as many columns as the result has");
        let registers = self.groups.len() * GROUP / lanes;
        let mut register = 0;
        while register < registers {
            let first = register * lanes;
            let before = kept & !u64::MAX.checked_shl(first as u32).unwrap_or(0);
            let count = match registers - register {
                4.. if const { S::REGISTER_COUNT >= 32 } => 4,
                2.. => 2,
                _ => 1,
            };
            let some = kept >> first & (u64::MAX >> (WIDTH - count * lanes));
            let parts = Parts::new(some, before.count_ones() as usize, lanes);
            match count {
                // SAFETY: so many registers are left; else the contract of `multiply_unpacked`.
                4 if const { S::REGISTER_COUNT >= 32 } => unsafe { self.rows::<S, 4>(simd, first, &parts) },
                // SAFETY: as above.
                2 => unsafe { self.rows::<S, 2>(simd, first, &parts) },
                // SAFETY: as above.
                _ => unsafe { self.rows::<S, 1>(simd, first, &parts) },
            }
            register += count;
        }
    }
}

impl<T: Lanes> Unpacked<'_, T> {
    /// All rows of the product, and `N` registers from the number `first` of the groups on, whose columns are `parts`.
    ///
    /// # Safety
    /// Those numbers are among the groups, and their columns among those of the product; as of [`multiply_unpacked`].
    #[inline(always)]
    unsafe fn rows<S: Simd, const N: usize>(&self, simd: S, first: usize, parts: &Parts) {
        let rows = self.strip.rows;
        let mut row = 0;
        while row < rows {
            // As high as each other.
            let left = rows - row;
            let high = if const { is_plain::<T, S>() } { 1 } else { left.div_ceil(left.div_ceil(TALL)) };
            match high {
                // SAFETY: so many rows are left, and the contract of this function.
                TALL if const { !is_plain::<T, S>() } => unsafe { self.tile::<S, TALL, N>(simd, [row, first], parts) },
                // SAFETY: as above.
                5 if const { !is_plain::<T, S>() } => unsafe { self.tile::<S, 5, N>(simd, [row, first], parts) },
                // SAFETY: as above.
                4 if const { !is_plain::<T, S>() } => unsafe { self.tile::<S, 4, N>(simd, [row, first], parts) },
                // SAFETY: as above.
                3 if const { !is_plain::<T, S>() } => unsafe { self.tile::<S, 3, N>(simd, [row, first], parts) },
                // SAFETY: as above.
                2 if const { !is_plain::<T, S>() } => unsafe { self.tile::<S, 2, N>(simd, [row, first], parts) },
                // SAFETY: as above, one row.
                _ => unsafe { self.tile::<S, 1, N>(simd, [row, first], parts) },
            }
            row += high;
        }
    }

    /// `R` rows from `row` on, and `N` registers.
    ///
    /// # Safety
    /// That of [`rows`](Unpacked::rows); so many rows are there.
    #[inline(always)]
    unsafe fn tile<S: Simd, const R: usize, const N: usize>(&self, simd: S, [row, first]: [usize; 2], parts: &Parts) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let mut sums = [[T::splat(simd, T::default()); N]; R];
        let Left { numbers, row: down, along } = self.strip.left;
        let from: [*const T; N] = std::array::from_fn(|n| {
            let at = first + n * lanes;
            self.numbers.as_ptr().wrapping_add(self.groups[at / GROUP].from + at % GROUP)
        });
        // Of three rows one address is counted.
        const { assert!(R <= 6, "two addresses, of three rows each") };
        let left = numbers.as_ptr().wrapping_add(row * down);
        let mut left = [black_box(left), black_box(left.wrapping_add(down.wrapping_mul(3)))];
        // Where the result goes is asked for.
        let column = usize::from(parts.all[0].column);
        for at in 0..R * N {
            let column = column + at % N * lanes;
            fetch_at(self.strip.to.wrapping_add((row + at / N) * self.strip.step + column));
        }
        for &term in self.terms {
            let mut registers = [T::splat(simd, T::default()); N];
            for (register, from) in registers.iter_mut().zip(from) {
                // SAFETY: the contract of this function.
                *register = unsafe { some_of::<T, S>(simd, from.wrapping_add(term), None) };
            }
            for (i, sums) in sums.iter_mut().enumerate() {
                // SAFETY: the strip has found its rows of the left matrix inside.
                let x = T::splat(simd, unsafe { *left[i / 3].wrapping_add(i % 3 * down) });
                for (sum, register) in sums.iter_mut().zip(registers) {
                    *sum = T::fused(simd, x, register, *sum);
                }
            }
            left = left.map(|left| left.wrapping_add(along));
        }
        let mut stored = sums;
        let sums = stored.as_flattened_mut().as_mut_ptr().cast();
        let end = End { strip: self.strip, row, rows: R, width: N * lanes, sums, parts };
        // SAFETY: the contract of this function; registers are plain numbers.
        unsafe { end.apart() };
    }
}

/// What becomes of the sums of a tile: those that are columns of the product are ended and stored.
struct End<'a, T> {
    strip: &'a Strip<'a, T>,
    row: usize,
    rows: usize,
    /// Numbers of a row of the tile.
    width: usize,
    /// The sums, one row right after the other.
    sums: *const T,
    parts: &'a Parts,
}

impl<T: Lanes> End<'_, T> {
    /// Ends them and stores them in the result.
    ///
    /// # Safety
    /// There are so many sums. The result and what ends the product have these rows and columns.
    #[inline(never)]
    unsafe fn apart(self) {
        vectors::dispatch(self);
    }
}

impl<T: Lanes> WithSimd for End<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let End { strip, row: top, rows, width, sums, parts } = self;
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let factor = T::splat(simd, strip.factor);
        let ending = strip.ending;
        for part in &parts.all[..parts.count] {
            let (column, size) = (usize::from(part.column), usize::from(part.size));
            let cut = (size < lanes).then(|| T::first(simd, size));
            let mut from = sums.wrapping_add(part.lane.into());
            let mut to = strip.to.wrapping_add(top * strip.step + column);
            for row in top..top + rows {
                // SAFETY: by the contract of `apart` these are sums.
                let sum = unsafe { some_of::<T, S>(simd, from, cut) };
                let before = if strip.adds {
                    // SAFETY: by the contract of `apart` these are elements of a row of the result.
                    unsafe { some_of::<T, S>(simd, to, cut) }
                } else {
                    T::splat(simd, T::default())
                };
                let mut x = T::fused(simd, factor, sum, before);
                for act in ending {
                    // SAFETY: by the contract of `apart` what ends the product has these elements.
                    x = unsafe { act.any_of(simd, [row, column], x, cut) };
                }
                match cut {
                    // SAFETY: by the contract of `apart` these elements may be written.
                    Some(some) => unsafe { T::write(simd, some, to, x) },
                    // SAFETY: as above, the whole register.
                    None => unsafe { to.cast::<T::Register<S>>().write_unaligned(x) },
                }
                from = from.wrapping_add(width);
                to = to.wrapping_add(strip.step);
            }
        }
    }
}
