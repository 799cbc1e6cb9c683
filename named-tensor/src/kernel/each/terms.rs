//! Some neighbours of some rows or columns of such products: the sums of their terms, in registers.
//!
//! Where rows or columns and terms are positions of windows, a row reads what the next one has read a term later; so each number
//! is read once for some terms of all rows that are taken together.
//! Not here: which neighbours and rows those are, and what threads share (`each`).

use crate::kernel::simd::{Lanes, is_plain};
use crate::kernel::span::{Odometer, Span};
use crate::kernel::vectors;
use pulp::{Simd, WithSimd};

/// Rows or columns that are taken together.
pub(super) const TOGETHER: usize = 8;
/// Terms that are summed in registers.
pub(super) const TERMS: usize = 64;
/// Terms of a stretch for which numbers are read once.
const AT_ONCE: usize = 4;

/// Some neighbours of some rows or columns.
pub(super) struct Block<T> {
    pub(super) scale: T,
    /// Where their first terms lie, of the operand that is the same for all of them and of the other one, and their results.
    pub(super) one: *const T,
    pub(super) other: *const T,
    pub(super) to: *mut T,
    /// How far the next row or column is, in the other operand and the result, and how many there are.
    pub(super) apart: [isize; 2],
    pub(super) count: usize,
    pub(super) neighbours: usize,
    /// How far the next term of a stretch is in the operand that is the same; in the other one it is where the next row begins.
    pub(super) along: isize,
}

/// Terms that follow each other as rows do, by how far the first one is from that of the product in both operands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stretch {
    from: [isize; 2],
    terms: usize,
}

/// All terms of a product, some after the other.
pub(super) struct Walk<'a> {
    at: [Odometer<'a>; 2],
    /// Stretches that are left, this one among them, and how much of it is done.
    left: usize,
    done: usize,
    /// How many terms a stretch has, and how far they are apart in both operands.
    stretch: (usize, [isize; 2]),
}

impl<'a> Walk<'a> {
    /// The stretches begin at each position of the span.
    pub(super) fn new(terms: &'a Span, stretch: (usize, [isize; 2])) -> Walk<'a> {
        let at = [0, 1].map(|operand| Odometer::new(&terms.sizes, &terms.strides[operand], 0));
        Walk { at, left: terms.total(), done: 0, stretch }
    }

    /// The next ones, [`TERMS`] at most; none in the end.
    pub(super) fn next<'r>(&mut self, room: &'r mut [Stretch; TERMS]) -> &'r [Stretch] {
        let (mut count, mut left) = (0, TERMS);
        while left > 0 && self.left > 0 {
            let terms = (self.stretch.0 - self.done).min(left);
            let from = [0, 1].map(|operand| self.at[operand].distance + self.done as isize * self.stretch.1[operand]);
            room[count] = Stretch { from, terms };
            (count, left, self.done) = (count + 1, left - terms, self.done + terms);
            if self.done == self.stretch.0 {
                (self.left, self.done) = (self.left - 1, 0);
                self.at.iter_mut().for_each(Odometer::step);
            }
        }
        &room[..count]
    }
}

impl<T: Lanes> Block<T> {
    /// Computes it, some terms of the walk after the other, or `few` if those are all.
    ///
    /// # Safety
    /// All terms may be read, and the results are ours to write.
    pub(super) unsafe fn compute<'a>(&self, walk: impl FnOnce() -> Walk<'a>, few: &[Stretch]) {
        if !few.is_empty() {
            return vectors::dispatch(Terms { block: self, terms: few, is_first: true });
        }
        let (mut walk, mut room, mut is_first) = (walk(), [Stretch::default(); TERMS], true);
        loop {
            let terms = walk.next(&mut room);
            if terms.is_empty() {
                return;
            }
            vectors::dispatch(Terms { block: self, terms, is_first });
            is_first = false;
        }
    }
}

/// Some terms of a block.
struct Terms<'a, T> {
    block: &'a Block<T>,
    terms: &'a [Stretch],
    is_first: bool,
}

impl<T: Lanes> WithSimd for Terms<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let neighbours = self.block.neighbours;
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let whole = neighbours / lanes * lanes;
        let all = T::first(simd, lanes);
        for at in (0..whole).step_by(lanes) {
            // SAFETY: a whole register of neighbours; that all of it may be read and written is what `compute` was promised.
            unsafe { self.at::<S, false>(simd, at, all) };
        }
        if whole < neighbours {
            // SAFETY: as above, a register that is cut where they end.
            unsafe { self.at::<S, true>(simd, whole, T::first(simd, neighbours - whole)) };
        }
    }
}

impl<T: Lanes> Terms<'_, T> {
    /// The sums of a register of neighbours from that numbered `at` on, or of some of it if it is `CUT`, for all rows or columns.
    ///
    /// # Safety
    /// Their terms may be read, and the results are ours to write.
    #[inline(always)]
    unsafe fn at<S: Simd, const CUT: bool>(&self, simd: S, at: usize, some: T::Mask<S>) {
        let (count, mut done) = (self.block.count, 0);
        while done < count {
            let together = match count - done {
                // SAFETY: so many rows or columns are left; else the contract of this function.
                8.. if !is_plain::<T, S>() => unsafe { self.together::<S, 8, CUT>(simd, at, done, some) },
                // SAFETY: as above.
                7 if !is_plain::<T, S>() => unsafe { self.together::<S, 7, CUT>(simd, at, done, some) },
                // SAFETY: as above.
                5 if !is_plain::<T, S>() => unsafe { self.together::<S, 5, CUT>(simd, at, done, some) },
                // SAFETY: as above.
                4 if !is_plain::<T, S>() => unsafe { self.together::<S, 4, CUT>(simd, at, done, some) },
                // SAFETY: as above; six are twice three.
                3 | 6 if !is_plain::<T, S>() => unsafe { self.together::<S, 3, CUT>(simd, at, done, some) },
                // SAFETY: as above.
                2 if !is_plain::<T, S>() => unsafe { self.together::<S, 2, CUT>(simd, at, done, some) },
                // SAFETY: as above.
                _ => unsafe { self.together::<S, 1, CUT>(simd, at, done, some) },
            };
            done += together;
        }
    }

    /// The sums of a register of neighbours from that numbered `at` on, or some of it, for `N` rows or columns from that numbered
    /// `from` on. Returns how many those are.
    ///
    /// # Safety
    /// Their terms may be read, and the results are ours to write.
    #[inline(always)]
    unsafe fn together<S: Simd, const N: usize, const CUT: bool>(
        &self,
        simd: S,
        at: usize,
        from: usize,
        some: T::Mask<S>,
    ) -> usize {
        let Block { scale, one, other, to, apart, along, .. } = *self.block;
        let (one, other) = (one.wrapping_add(at), other.wrapping_add(at).wrapping_offset(from as isize * apart[0]));
        let to = to.wrapping_add(at).wrapping_offset(from as isize * apart[1]);
        let mut sums = [T::splat(simd, T::default()); N];
        for stretch in self.terms {
            let mut from = [one.wrapping_offset(stretch.from[0]), other.wrapping_offset(stretch.from[1])];
            let mut left = stretch.terms;
            while left > 0 {
                let terms = match left {
                    // SAFETY: the contract of this function; so many terms of the stretch are left.
                    AT_ONCE.. => unsafe { self.at_once::<S, N, AT_ONCE, CUT>(simd, from, some, &mut sums) },
                    // SAFETY: as above.
                    3 => unsafe { self.at_once::<S, N, 3, CUT>(simd, from, some, &mut sums) },
                    // SAFETY: as above.
                    2 => unsafe { self.at_once::<S, N, 2, CUT>(simd, from, some, &mut sums) },
                    // SAFETY: as above.
                    _ => unsafe { self.at_once::<S, N, 1, CUT>(simd, from, some, &mut sums) },
                };
                let terms = terms as isize;
                from = [from[0].wrapping_offset(terms * along), from[1].wrapping_offset(terms * apart[0])];
                left -= terms as usize;
            }
        }
        let factor = T::splat(simd, scale);
        for (n, sum) in (0..).zip(sums) {
            let to = to.wrapping_offset(n * apart[1]);
            let mut sum = T::times(simd, factor, sum);
            if !self.is_first {
                // SAFETY: as above; the first terms were written before.
                sum = T::plus(simd, unsafe { read::<T, S, CUT>(simd, to, some) }, sum);
            }
            if CUT {
                // SAFETY: as above, so many numbers as there are neighbours.
                unsafe { T::write(simd, some, to, sum) };
            } else {
                // SAFETY: as above, a whole register.
                unsafe { to.cast::<T::Register<S>>().write_unaligned(sum) };
            }
        }
        N
    }

    /// Adds `K` terms of a stretch to the sums. Returns how many those are.
    ///
    /// # Safety
    /// The terms may be read.
    #[inline(always)]
    unsafe fn at_once<S: Simd, const N: usize, const K: usize, const CUT: bool>(
        &self,
        simd: S,
        [one, other]: [*const T; 2],
        some: T::Mask<S>,
        sums: &mut [T::Register<S>; N],
    ) -> usize {
        let Block { apart, along, .. } = *self.block;
        let mut factors = [T::splat(simd, T::default()); K];
        for (k, factor) in (0..).zip(&mut factors) {
            // SAFETY: the contract of this function.
            *factor = unsafe { read::<T, S, CUT>(simd, one.wrapping_offset(k * along), some) };
        }
        for at in 0..N + K - 1 {
            // SAFETY: as above, the number of the first term of a row, or that of a term of the last one.
            let number = unsafe { read::<T, S, CUT>(simd, other.wrapping_offset(at as isize * apart[0]), some) };
            // It is a term of each of these rows, from the last one on.
            for k in 0..K {
                if at >= k && at - k < N {
                    sums[at - k] = T::fused(simd, factors[k], number, sums[at - k]);
                }
            }
        }
        K
    }
}

/// A register of numbers, or some of it if it is `CUT`.
///
/// # Safety
/// They may be read.
#[inline(always)]
unsafe fn read<T: Lanes, S: Simd, const CUT: bool>(simd: S, from: *const T, some: T::Mask<S>) -> T::Register<S> {
    if CUT {
        // SAFETY: the contract of this function.
        return unsafe { T::read(simd, some, from) };
    }
    // SAFETY: as above.
    unsafe { from.cast::<T::Register<S>>().read_unaligned() }
}
