//! A square of numbers, turned around in registers.
//!
//! Lives here: networks of shuffles for numbers of 32 and of 64 bits, one for each width of vectors, and the loop for all
//! others. A row of a square is a line of memory, or a part of one where numbers have less than 32 bits.
//! Pairs of rows are interleaved by ones, then by twos, then by whole quarters of a register: four steps for 16
//! rows of 32 bits, three for eight of 64.
//! Not here: where squares come from (`turn`).

use crate::element::Stored;
#[cfg(target_arch = "x86_64")]
use crate::kernel::vectors;

pub(in crate::kernel) type Square<T, const SIDE: usize> = [[T; SIDE]; SIDE];

/// A way to turn squares around.
pub(in crate::kernel) trait Turner: Copy {
    /// Puts the columns where the rows were, at least the first so many.
    fn turn<T: Stored, const SIDE: usize>(self, square: &mut Square<T, SIDE>, wanted: usize);
}

/// What is done with a turner.
pub(in crate::kernel) trait Work {
    fn run(self, turner: impl Turner);
}

/// Does the work with the best turner for this processor, compiled for its instructions.
pub(in crate::kernel) fn with_turner(work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(simd) = vectors::of_512() {
            return vectors::in_512_bits(
                simd,
                #[inline(always)]
                move || work.run(x86::By16(simd)),
            );
        }
        if let Some(simd) = vectors::of_256() {
            return vectors::in_256_bits(
                simd,
                #[inline(always)]
                move || work.run(x86::By8(simd)),
            );
        }
    }
    // Processors with other vectors: what the compiler makes of the plain loop.
    work.run(Plain);
}

/// Element by element.
#[derive(Clone, Copy)]
struct Plain;

impl Turner for Plain {
    #[inline(always)]
    fn turn<T: Stored, const SIDE: usize>(self, square: &mut Square<T, SIDE>, wanted: usize) {
        let columns = *square;
        for (j, row) in square[..wanted].iter_mut().enumerate() {
            row.iter_mut().zip(&columns).for_each(|(x, column)| *x = column[j]);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Plain, Square, Stored, Turner};
    use pulp::bytemuck::Pod;
    use pulp::cast;
    use pulp::x86::{V3, V4};
    use std::any::Any;
    use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};

    /// A way for each width of numbers, where a row of the square is a line of memory.
    pub(super) trait ByBits: Copy {
        /// At least the first so many rows of the result.
        fn turn_32(self, square: &mut Square<f32, 16>, wanted: usize);
        fn turn_64<T: Pod>(self, square: &mut Square<T, 8>, wanted: usize);
    }

    impl<B: ByBits> Turner for B {
        #[inline(always)]
        fn turn<T: Stored, const SIDE: usize>(self, square: &mut Square<T, SIDE>, wanted: usize) {
            let any: &mut dyn Any = square;
            if let Some(square) = any.downcast_mut() {
                self.turn_32(square, wanted);
            } else if let Some(square) = any.downcast_mut() {
                self.turn_64::<f64>(square, wanted);
            } else if let Some(square) = any.downcast_mut() {
                self.turn_64::<i64>(square, wanted);
            } else {
                Plain.turn(square, wanted);
            }
        }
    }

    /// Registers of 16 numbers of 32 bits.
    #[derive(Clone, Copy)]
    pub(super) struct By16(pub(super) V4);

    impl By16 {
        /// The first quarters of these registers, the second ones, and so on.
        #[inline(always)]
        fn quarters(self, [a, b, c, d]: [__m512; 4]) -> [__m512; 4] {
            let simd = self.0.avx512f;
            let even = [simd._mm512_shuffle_f32x4::<0x88>(a, b), simd._mm512_shuffle_f32x4::<0x88>(c, d)];
            let odd = [simd._mm512_shuffle_f32x4::<0xdd>(a, b), simd._mm512_shuffle_f32x4::<0xdd>(c, d)];
            [
                simd._mm512_shuffle_f32x4::<0x88>(even[0], even[1]),
                simd._mm512_shuffle_f32x4::<0x88>(odd[0], odd[1]),
                simd._mm512_shuffle_f32x4::<0xdd>(even[0], even[1]),
                simd._mm512_shuffle_f32x4::<0xdd>(odd[0], odd[1]),
            ]
        }
    }

    impl By16 {
        /// The first half of the columns: two rows share a register.
        #[inline(always)]
        fn turn_half(self, square: &mut Square<f32, 16>) {
            let simd = self.0.avx512f;
            let mut twos: [__m512; 8] = cast([[0.0_f32; 16]; 8]);
            for top in [0, 8] {
                let mut rows: [__m512; 4] = cast([[0.0_f32; 16]; 4]);
                for (i, row) in rows.iter_mut().enumerate() {
                    let mut both = [0.0; 16];
                    both[..8].copy_from_slice(&square[top + i][..8]);
                    both[8..].copy_from_slice(&square[top + i + 4][..8]);
                    *row = cast(both);
                }
                let mut ones = rows;
                for i in [0, 2] {
                    let (x, y) = (rows[i], rows[i + 1]);
                    (ones[i], ones[i + 1]) = (simd._mm512_unpacklo_ps(x, y), simd._mm512_unpackhi_ps(x, y));
                }
                for half in 0..2 {
                    let (x, y) = (cast(ones[half]), cast(ones[half + 2]));
                    twos[top / 2 + 2 * half] = cast(simd._mm512_unpacklo_pd(x, y));
                    twos[top / 2 + 2 * half + 1] = cast(simd._mm512_unpackhi_pd(x, y));
                }
            }
            // In each half of number `i`: four rows of column `i % 4`, and four of that which is four columns on.
            for i in 0..4 {
                let (x, y) = (twos[i], twos[4 + i]);
                square[i] = cast(simd._mm512_shuffle_f32x4::<0x88>(x, y));
                square[4 + i] = cast(simd._mm512_shuffle_f32x4::<0xdd>(x, y));
            }
        }
    }

    impl ByBits for By16 {
        #[inline(always)]
        fn turn_32(self, square: &mut Square<f32, 16>, wanted: usize) {
            if wanted <= 8 {
                return self.turn_half(square);
            }
            let simd = self.0.avx512f;
            let mut ones: [__m512; 16] = cast([[0.0_f32; 16]; 16]);
            for i in (0..16).step_by(2) {
                let (x, y) = (cast(square[i]), cast(square[i + 1]));
                (ones[i], ones[i + 1]) = (simd._mm512_unpacklo_ps(x, y), simd._mm512_unpackhi_ps(x, y));
            }
            // In each quarter of number `i`: four rows of column `i % 4` of that quarter.
            let mut twos = ones;
            for i in (0..16).step_by(4) {
                for half in 0..2 {
                    let (x, y) = (cast(ones[i + half]), cast(ones[i + half + 2]));
                    twos[i + 2 * half] = cast(simd._mm512_unpacklo_pd(x, y));
                    twos[i + 2 * half + 1] = cast(simd._mm512_unpackhi_pd(x, y));
                }
            }
            for i in 0..4 {
                let columns = self.quarters([twos[i], twos[4 + i], twos[8 + i], twos[12 + i]]);
                (0..4).for_each(|quarter| square[4 * quarter + i] = cast(columns[quarter]));
            }
        }

        #[inline(always)]
        fn turn_64<T: Pod>(self, square: &mut Square<T, 8>, _: usize) {
            let simd = self.0.avx512f;
            let pairs: [[__m512d; 2]; 4] = cast(*square);
            // Written out: a function that is called for each of an array may be compiled for no vectors.
            let [[a, b], [c, d], [e, f], [g, h]] = pairs;
            let low = [simd._mm512_unpacklo_pd(a, b), simd._mm512_unpacklo_pd(c, d)];
            let lower = [simd._mm512_unpacklo_pd(e, f), simd._mm512_unpacklo_pd(g, h)];
            let high = [simd._mm512_unpackhi_pd(a, b), simd._mm512_unpackhi_pd(c, d)];
            let higher = [simd._mm512_unpackhi_pd(e, f), simd._mm512_unpackhi_pd(g, h)];
            let [even, odd] = [self.quarters(cast([low, lower])), self.quarters(cast([high, higher]))];
            *square = cast([[even[0], odd[0]], [even[1], odd[1]], [even[2], odd[2]], [even[3], odd[3]]]);
        }
    }

    /// Turns a square around by quarters, whose side is `HALF`, up to the last row that is wanted.
    #[inline(always)]
    fn by_quarters<T: Pod, const SIDE: usize, const HALF: usize>(
        square: &mut Square<T, SIDE>,
        wanted: usize,
        quarter: impl Fn(Square<T, HALF>) -> Square<T, HALF>,
    ) {
        let from = *square;
        for top in [0, HALF] {
            if top >= wanted {
                break;
            }
            for left in [0, HALF] {
                // A loop: `from_fn` calls a function for each row, which is compiled for no vectors.
                let mut rows = [[from[0][0]; HALF]; HALF];
                for (row, from) in rows.iter_mut().zip(&from[left..]) {
                    row.copy_from_slice(&from[top..top + HALF]);
                }
                for (to, row) in square[top..].iter_mut().zip(quarter(rows)) {
                    to[left..left + HALF].copy_from_slice(&row);
                }
            }
        }
    }

    /// Registers of eight.
    #[derive(Clone, Copy)]
    pub(super) struct By8(pub(super) V3);

    impl ByBits for By8 {
        #[inline(always)]
        fn turn_32(self, square: &mut Square<f32, 16>, wanted: usize) {
            let simd = self.0.avx;
            by_quarters::<f32, 16, 8>(
                square,
                wanted,
                #[inline(always)]
                |rows| {
                    let mut ones: [__m256; 8] = cast(rows);
                    for i in (0..8).step_by(2) {
                        let (x, y) = (ones[i], ones[i + 1]);
                        (ones[i], ones[i + 1]) = (simd._mm256_unpacklo_ps(x, y), simd._mm256_unpackhi_ps(x, y));
                    }
                    // In each half of number `i`: four rows of column `i % 4` of that half.
                    let mut twos = ones;
                    for i in (0..8).step_by(4) {
                        for half in 0..2 {
                            let (x, y) = (cast(ones[i + half]), cast(ones[i + half + 2]));
                            twos[i + 2 * half] = cast(simd._mm256_unpacklo_pd(x, y));
                            twos[i + 2 * half + 1] = cast(simd._mm256_unpackhi_pd(x, y));
                        }
                    }
                    let mut columns = twos;
                    for i in 0..4 {
                        let (x, y) = (twos[i], twos[4 + i]);
                        columns[i] = simd._mm256_permute2f128_ps::<0x20>(x, y);
                        columns[4 + i] = simd._mm256_permute2f128_ps::<0x31>(x, y);
                    }
                    cast(columns)
                },
            );
        }

        #[inline(always)]
        fn turn_64<T: Pod>(self, square: &mut Square<T, 8>, wanted: usize) {
            let simd = self.0.avx;
            by_quarters::<T, 8, 4>(
                square,
                wanted,
                #[inline(always)]
                |rows| {
                    let [a, b, c, d]: [__m256d; 4] = cast(rows);
                    let low = [simd._mm256_unpacklo_pd(a, b), simd._mm256_unpacklo_pd(c, d)];
                    let high = [simd._mm256_unpackhi_pd(a, b), simd._mm256_unpackhi_pd(c, d)];
                    cast([
                        simd._mm256_permute2f128_pd::<0x20>(low[0], low[1]),
                        simd._mm256_permute2f128_pd::<0x20>(high[0], high[1]),
                        simd._mm256_permute2f128_pd::<0x31>(low[0], low[1]),
                        simd._mm256_permute2f128_pd::<0x31>(high[0], high[1]),
                    ])
                },
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns numbered elements around and looks those of so many rows up.
    struct Check<T, const SIDE: usize>(fn(usize) -> T, usize);

    impl<T: Stored, const SIDE: usize> Work for Check<T, SIDE> {
        fn run(self, turner: impl Turner) {
            let mut square: Square<T, SIDE> = std::array::from_fn(|i| std::array::from_fn(|j| (self.0)(i * SIDE + j)));
            turner.turn(&mut square, self.1);
            for (i, row) in square.into_iter().enumerate().take(self.1) {
                for (j, x) in row.into_iter().enumerate() {
                    assert_eq!(x, (self.0)(j * SIDE + i), "row {i}, column {j}");
                }
            }
        }
    }

    #[test]
    fn every_way_turns_every_element_of_the_rows_that_are_wanted() {
        fn check<T: Stored, const SIDE: usize>(number: fn(usize) -> T) {
            for wanted in 1..=SIDE {
                with_turner(Check::<T, SIDE>(number, wanted));
                Check::<T, SIDE>(number, wanted).run(Plain);
                #[cfg(target_arch = "x86_64")]
                if let Some(simd) = pulp::x86::V3::try_new() {
                    Check::<T, SIDE>(number, wanted).run(x86::By8(simd));
                }
            }
        }
        check::<f32, 16>(|i| i as f32);
        check::<f64, 8>(|i| i as f64);
        check::<i64, 8>(|i| i as i64);
        check::<bool, 16>(|i| i % 7 == 0);
    }
}
