//! Numbers of a view whose last axes are short: they lie at the same distances again and again.
//!
//! Computes  `to[i] = data[place of position first + i]`  over a space such as 100 000 × 3 × 3, whose rows are so short that to
//! find each would take longer than to read it. The last axes together are a period, along which distances are written down.
//! Results of a vector stand close together in memory as a rule: then a few registers are read there, and an instruction or
//! two pick the numbers out of them. Which ones depends on where in its period the vector begins, and stands in a table.
//! Not here: who reads so (`map`, `reduce`, `batch`), rows that are worth a loop of their own.

use super::span::Odometer;
#[cfg(target_arch = "x86_64")]
use super::vectors;
use crate::element::Stored;
use smallvec::SmallVec;

/// Positions of a period, at most, and of its last axis: longer rows are worth being found.
const MOST: usize = 64;
const SHORT: usize = 16;
/// Positions that follow each other by periods, from which on the table is worth its making.
const WORTH: usize = 256;
/// Results that are picked at once, and numbers out of which they are.
const AT_ONCE: usize = 16;
const WINDOW: usize = 16;

/// Where the numbers of a view are.
#[derive(Debug)]
pub(super) struct Pattern {
    /// How far the positions of a period are from its first one.
    distances: Vec<isize>,
    /// The axes that count periods.
    sizes: SmallVec<[usize; 8]>,
    strides: SmallVec<[isize; 8]>,
    /// What to pick for results that begin at each position of a period, and out of how many times [`WINDOW`] numbers.
    picks: Vec<Pick>,
    windows: usize,
}

/// Numbers that are picked: how far the first of those that are read is from the beginning of the period, and their places.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(dead_code, reason = "nothing is picked where the instructions are not known")
)]
struct Pick {
    from: isize,
    places: Places,
}

/// A line of memory.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Places([i32; AT_ONCE]);

impl Pattern {
    /// That of a view with these strides, if the last axes of the space are so short.
    pub(super) fn of(sizes: &[usize], strides: &[isize]) -> Option<Pattern> {
        if sizes.last().is_none_or(|&last| last >= SHORT) {
            return None;
        }
        let (mut axis, mut period) = (sizes.len(), 1);
        while axis > 1 && period * sizes[axis - 1] <= MOST {
            axis -= 1;
            period *= sizes[axis];
        }
        let is_worth_it = period > 1 && axis > 0 && sizes[axis - 1].saturating_mul(period) >= WORTH;
        if !is_worth_it || sizes.contains(&0) {
            return None;
        }
        let mut at = Odometer::new(&sizes[axis..], &strides[axis..], 0);
        let next = |_| {
            let distance = at.distance;
            at.step();
            distance
        };
        let distances: Vec<isize> = (0..period).map(next).collect();
        let step = strides[axis - 1];
        let place = |i: usize| distances[i % period] + (i / period) as isize * step;
        let pick = |first: usize| {
            let all: [isize; AT_ONCE] = std::array::from_fn(|i| place(first + i));
            let from = all.into_iter().min().unwrap_or_default();
            let reach = |distance: isize| distance.abs_diff(from).min(i32::MAX as usize) as i32;
            Pick { from, places: Places(all.map(reach)) }
        };
        let mut picks: Vec<Pick> = (0..period).map(pick).collect();
        let reach = picks.iter().flat_map(|pick| pick.places.0).max().unwrap_or_default() as usize;
        let windows = (reach / WINDOW + 1).next_power_of_two();
        if windows > 4 {
            picks.clear();
        }
        let outer = |all: &[isize]| all[..axis].iter().copied().collect();
        Some(Pattern { distances, sizes: sizes[..axis].into(), strides: outer(strides), picks, windows })
    }

    /// Whether such numbers are picked out of registers.
    pub(super) fn is_close<T>(&self) -> bool {
        #[cfg(target_arch = "x86_64")]
        let has_registers = match size_of::<T>() {
            4 => vectors::of_512().is_some() || vectors::of_256().is_some(),
            8 => vectors::of_512().is_some(),
            _ => false,
        };
        #[cfg(not(target_arch = "x86_64"))]
        let has_registers = false;
        has_registers && !self.picks.is_empty()
    }

    /// The same distances in every period, if they are.
    pub(super) fn same(&self) -> Option<&[isize]> {
        self.strides.iter().all(|&stride| stride == 0).then_some(&self.distances)
    }

    /// Visits `count` positions from that numbered `first` on: `visit(i, distance)` gets how far each is from the first of all.
    pub(super) fn places(&self, first: usize, count: usize, mut visit: impl FnMut(usize, isize)) {
        let period = self.distances.len();
        let mut periods = Odometer::new(&self.sizes, &self.strides, first / period);
        let (mut column, mut i) = (first % period, 0);
        while i < count {
            let some = &self.distances[column..][..(period - column).min(count - i)];
            some.iter().enumerate().for_each(|(at, distance)| visit(i + at, periods.distance + distance));
            (column, i) = (0, i + some.len());
            periods.step();
        }
    }

    /// The numbers of the positions from that numbered `first` on; the one of the first of all stands at `offset`.
    pub(super) fn read<T: Stored>(&self, data: &[T], offset: usize, first: usize, mut to: &mut [T]) {
        let period = self.distances.len();
        let mut periods = Odometer::new(&self.sizes, &self.strides, first / period);
        let mut column = first % period;
        while !to.is_empty() {
            let (count, step) = periods.run();
            let (now, later) = to.split_at_mut((count * period - column).min(to.len()));
            let start = offset.wrapping_add_signed(periods.distance);
            let run = Run { pattern: self, data, start, step, column };
            periods.advance((column + now.len()) / period);
            match self.windows {
                _ if step == 0 => run.again(now),
                _ if !self.is_close::<T>() => run.one_by_one(now),
                1 => run.picked::<WINDOW>(now),
                2 => run.picked::<{ 2 * WINDOW }>(now),
                4 => run.picked::<{ 4 * WINDOW }>(now),
                _ => run.one_by_one(now),
            }
            (to, column) = (later, 0);
        }
    }
}

/// Positions along one axis of periods, from this column of the first one on.
struct Run<'a, T> {
    pattern: &'a Pattern,
    data: &'a [T],
    start: usize,
    step: isize,
    column: usize,
}

impl<T: Stored> Run<'_, T> {
    /// Numbers where they lie.
    fn one_by_one(mut self, to: &mut [T]) {
        let distances = &self.pattern.distances;
        for x in to {
            *x = self.data[self.start.wrapping_add_signed(distances[self.column])];
            self.column += 1;
            if self.column == distances.len() {
                (self.column, self.start) = (0, self.start.wrapping_add_signed(self.step));
            }
        }
    }

    /// The numbers of one period again and again.
    fn again(self, to: &mut [T]) {
        let once = self.pattern.distances.len().min(to.len());
        self.one_by_one(&mut to[..once]);
        repeat(to, once);
    }

    /// Numbers picked out of so many.
    fn picked<const FROM: usize>(self, to: &mut [T]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = vectors::of_512() {
            return vectors::in_512_bits(
                simd,
                #[inline(always)]
                move || self.picked_by::<FROM>(x86::By512(simd), to),
            );
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = vectors::of_256() {
            return vectors::in_256_bits(
                simd,
                #[inline(always)]
                move || self.picked_by::<FROM>(x86::By256(simd), to),
            );
        }
        self.one_by_one(to);
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn picked_by<const FROM: usize>(mut self, by: impl x86::ByBits, to: &mut [T]) {
        let (picks, period) = (&self.pattern.picks[..], self.pattern.distances.len());
        let (on, rest) = ((AT_ONCE / period) as isize * self.step, AT_ONCE % period);
        let mut done = 0;
        // The last ones of all may have too little behind them.
        while let Some(some) = to[done..].first_chunk_mut::<AT_ONCE>()
            && let pick = &picks[self.column]
            && let Some(from) = self.data[self.start.wrapping_add_signed(pick.from)..].first_chunk::<FROM>()
        {
            x86::pick(by, from, &pick.places, some);
            (self.column, self.start) = (self.column + rest, self.start.wrapping_add_signed(on));
            if self.column >= period {
                (self.column, self.start) = (self.column - period, self.start.wrapping_add_signed(self.step));
            }
            done += AT_ONCE;
        }
        self.one_by_one(&mut to[done..]);
    }
}

/// Writes the first numbers down again and again.
pub(super) fn repeat<T: Copy>(numbers: &mut [T], first: usize) {
    let mut done = first;
    while done < numbers.len() {
        let some = done.min(numbers.len() - done);
        numbers.copy_within(..some, done);
        done += some;
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{AT_ONCE, Places, Stored};
    use pulp::bytemuck::Pod;
    use pulp::cast;
    use pulp::x86::{V3, V4};
    use std::any::Any;
    use std::arch::x86_64::{__m256, __m256i, __m512, __m512d, __m512i};

    /// A way to pick numbers of 32 or 64 bits out of the registers that they fill.
    pub(super) trait ByBits: Copy {
        fn pick_32<const FROM: usize>(self, from: &[f32; FROM], places: &Places, to: &mut [f32; AT_ONCE]);
        fn pick_64<T: Pod, const FROM: usize>(self, from: &[T; FROM], places: &Places, to: &mut [T; AT_ONCE]);
    }

    /// The same of any numbers that have so many.
    #[inline(always)]
    pub(super) fn pick<T: Stored, const FROM: usize>(
        by: impl ByBits,
        from: &[T; FROM],
        places: &Places,
        to: &mut [T; AT_ONCE],
    ) {
        let (from, to): (&dyn Any, &mut dyn Any) = (from, to);
        if let (Some(from), Some(to)) = (from.downcast_ref(), to.downcast_mut()) {
            by.pick_32::<FROM>(from, places, to);
        } else if let (Some(from), Some(to)) = (from.downcast_ref(), to.downcast_mut()) {
            by.pick_64::<f64, FROM>(from, places, to);
        } else if let (Some(from), Some(to)) = (from.downcast_ref(), to.downcast_mut()) {
            by.pick_64::<i64, FROM>(from, places, to);
        } else {
            unreachable!("numbers of 32 or 64 bits");
        }
    }

    /// Registers of 512 bits: an instruction picks out of two.
    #[derive(Clone, Copy)]
    pub(super) struct By512(pub(super) V4);

    // What is called for each register is a function that is always compiled where it is called: a closure that is called for each
    // of an array may not be, and is compiled for no vectors then.
    impl By512 {
        /// Numbers of 32 bits out of two registers.
        #[inline(always)]
        fn of_two<const FROM: usize>(self, from: &[f32; FROM], at: __m512i, i: usize) -> __m512 {
            let registers = from.as_chunks::<16>().0;
            self.0.avx512f._mm512_permutex2var_ps(cast(registers[i]), at, cast(registers[i + 1]))
        }

        /// Numbers of 64 bits out of two registers.
        #[inline(always)]
        fn of_two_wide<T: Pod, const FROM: usize>(self, from: &[T; FROM], at: __m512i, i: usize) -> __m512d {
            let registers = from.as_chunks::<8>().0;
            self.0.avx512f._mm512_permutex2var_pd(cast(registers[i]), at, cast(registers[i + 1]))
        }

        /// The same out of four.
        #[inline(always)]
        fn of_four_wide<T: Pod, const FROM: usize>(self, from: &[T; FROM], at: __m512i, i: usize) -> __m512d {
            let [left, right] = [self.of_two_wide(from, at, i), self.of_two_wide(from, at, i + 2)];
            self.either(at, 16, left, right)
        }

        /// The second one where a place has this bit.
        #[inline(always)]
        fn either(self, at: __m512i, bit: i64, left: __m512d, right: __m512d) -> __m512d {
            let simd = self.0.avx512f;
            simd._mm512_mask_blend_pd(simd._mm512_test_epi64_mask(at, simd._mm512_set1_epi64(bit)), left, right)
        }
    }

    impl ByBits for By512 {
        #[inline(always)]
        fn pick_32<const FROM: usize>(self, from: &[f32; FROM], places: &Places, to: &mut [f32; AT_ONCE]) {
            let (simd, at): (_, __m512i) = (self.0.avx512f, cast(places.0));
            *to = cast(match FROM / 16 {
                1 => simd._mm512_permutexvar_ps(at, cast(from.as_chunks::<16>().0[0])),
                2 => self.of_two(from, at, 0),
                _ => {
                    let is_behind = simd._mm512_test_epi32_mask(at, simd._mm512_set1_epi32(32));
                    simd._mm512_mask_blend_ps(is_behind, self.of_two(from, at, 0), self.of_two(from, at, 2))
                }
            });
        }

        #[inline(always)]
        fn pick_64<T: Pod, const FROM: usize>(self, from: &[T; FROM], places: &Places, to: &mut [T; AT_ONCE]) {
            let halves: [__m256i; 2] = cast(places.0);
            for (to, half) in to.as_chunks_mut::<8>().0.iter_mut().zip(halves) {
                let at = self.0.avx512f._mm512_cvtepi32_epi64(half);
                *to = cast(match FROM / 16 {
                    1 => self.of_two_wide(from, at, 0),
                    2 => self.of_four_wide(from, at, 0),
                    _ => {
                        let [left, right] = [self.of_four_wide(from, at, 0), self.of_four_wide(from, at, 4)];
                        self.either(at, 32, left, right)
                    }
                });
            }
        }
    }

    /// Registers of 256 bits, for numbers of 32: an instruction picks out of one.
    #[derive(Clone, Copy)]
    pub(super) struct By256(pub(super) V3);

    impl By256 {
        /// Numbers out of two registers. A bit of a place is the sign that is asked for.
        #[inline(always)]
        fn of_two<const FROM: usize>(self, from: &[f32; FROM], at: __m256i, i: usize) -> __m256 {
            let (avx, avx2) = (self.0.avx, self.0.avx2);
            let registers = from.as_chunks::<8>().0;
            let left = avx2._mm256_permutevar8x32_ps(cast(registers[i]), at);
            let right = avx2._mm256_permutevar8x32_ps(cast(registers[i + 1]), at);
            avx._mm256_blendv_ps(left, right, cast(avx2._mm256_slli_epi32::<28>(at)))
        }

        /// The same out of four.
        #[inline(always)]
        fn of_four<const FROM: usize>(self, from: &[f32; FROM], at: __m256i, i: usize) -> __m256 {
            let behind = self.0.avx2._mm256_slli_epi32::<27>(at);
            self.0.avx._mm256_blendv_ps(self.of_two(from, at, i), self.of_two(from, at, i + 2), cast(behind))
        }
    }

    impl ByBits for By256 {
        #[inline(always)]
        fn pick_32<const FROM: usize>(self, from: &[f32; FROM], places: &Places, to: &mut [f32; AT_ONCE]) {
            let (avx, avx2) = (self.0.avx, self.0.avx2);
            let halves: [__m256i; 2] = cast(places.0);
            for (to, at) in to.as_chunks_mut::<8>().0.iter_mut().zip(halves) {
                *to = cast(match FROM / 16 {
                    1 => self.of_two(from, at, 0),
                    2 => self.of_four(from, at, 0),
                    _ => {
                        let behind = cast(avx2._mm256_slli_epi32::<26>(at));
                        avx._mm256_blendv_ps(self.of_four(from, at, 0), self.of_four(from, at, 4), behind)
                    }
                });
            }
        }

        #[inline(always)]
        fn pick_64<T: Pod, const FROM: usize>(self, from: &[T; FROM], places: &Places, to: &mut [T; AT_ONCE]) {
            to.iter_mut().zip(places.0).for_each(|(x, place)| *x = from[place as usize % FROM]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads numbers of a space from some positions on, and looks every one of them up.
    fn check<T: Stored>(sizes: &[usize], strides: &[isize], number: impl Fn(usize) -> T) {
        let total: usize = sizes.iter().product();
        let reach = |sign: isize| -> usize {
            let far = |(&size, &stride): (&usize, &isize)| (stride * sign).max(0) as usize * (size - 1);
            sizes.iter().zip(strides).map(far).sum()
        };
        // As few numbers as there may be.
        let (offset, data) = (reach(-1), (0..=reach(-1) + reach(1)).map(&number).collect::<Vec<T>>());
        let pattern = Pattern::of(sizes, strides).expect("the last axes are short");
        let at = |position: usize| {
            let distance = Odometer::new(sizes, strides, position).distance;
            data[offset.wrapping_add_signed(distance)]
        };
        for (first, size) in [(0, total), (1, total - 1), (5, 16), (total / 2, total / 3), (total - 40, 40), (7, 0)] {
            let mut to = vec![number(1_000_000); size];
            pattern.read(&data, offset, first, &mut to);
            for (i, x) in to.into_iter().enumerate() {
                assert_eq!(x, at(first + i), "{sizes:?} {strides:?}, {size} from {first} on, number {i}");
            }
            let mut count = 0;
            pattern.places(first, size, |i, distance| {
                assert!(
                    i == count && data[offset.wrapping_add_signed(distance)] == at(first + i),
                    "{sizes:?} {strides:?}"
                );
                count += 1;
            });
            assert_eq!(count, size, "each of them once");
        }
    }

    #[test]
    fn numbers_under_short_axes_are_those_of_their_positions_wherever_they_lie() {
        let cases: [(&[usize], &[isize]); 16] = [
            (&[100, 3, 3], &[3, 0, 1]),
            (&[100, 3, 3], &[3, 1, 0]),
            (&[100, 3, 3], &[9, 1, 3]),
            (&[300, 3], &[9, 1]),
            (&[300, 3], &[3, -1]),
            (&[100, 3, 3], &[-9, 3, 1]),
            (&[100, 3, 3], &[1, 100, 300]),
            (&[400, 2], &[2, 1]),
            (&[100, 4, 4], &[4, 0, 1]),
            (&[3, 70, 4, 1], &[300, 4, -1, 9]),
            (&[70, 2, 3, 5], &[0, 5, 0, 1]),
            (&[50, 8, 8], &[8, 0, 1]),
            (&[7, 60, 5], &[1, 0, 50]),
            (&[5, 40, 15], &[700, 17, 1]),
            (&[500, 2], &[70, 5]),
            (&[400, 2], &[0, 0]),
        ];
        for (sizes, strides) in cases {
            check(sizes, strides, |i| i as f32);
            check(sizes, strides, |i| i as f64);
            check(sizes, strides, |i| i as i64);
            check(sizes, strides, |i| i % 7 < 3);
        }
    }

    #[test]
    fn axes_that_are_long_or_have_few_positions_in_all_have_no_pattern() {
        assert!(Pattern::of(&[1000, 16], &[16, 1]).is_none(), "rows are worth being found");
        assert!(Pattern::of(&[20, 3, 3], &[9, 3, 1]).is_none(), "a table is not worth its making");
        assert!(Pattern::of(&[1000, 0, 3], &[0, 3, 1]).is_none(), "nothing");
        assert!(Pattern::of(&[], &[]).is_none() && Pattern::of(&[9], &[1]).is_none(), "no rows");
        let of = |strides: &[isize]| Pattern::of(&[1000, 3], strides).expect("short rows");
        assert!(of(&[9, 1]).windows == 4 && !of(&[30, 1]).is_close::<f32>(), "as many as some registers hold");
        assert!(of(&[0, 4]).same() == Some(&[0, 4, 8]) && of(&[1, 4]).same().is_none(), "the same everywhere");
    }
}
