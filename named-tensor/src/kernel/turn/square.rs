//! A square of numbers, turned around in registers.
//!
//! Lives here: networks of shuffles for numbers of 32 bits, one for each width of vectors, and the loop for all others.
//! Pairs of rows are interleaved by ones, then by twos, then by whole quarters of a register: four steps for 16 rows.
//! Not here: where squares come from (`turn`).

use crate::element::Stored;

/// The side of a square: a line of memory of `f32`.
pub(super) const SIDE: usize = 16;

pub(super) type Square<T> = [[T; SIDE]; SIDE];

/// A way to turn squares around.
pub(super) trait Turner: Copy {
    /// Puts the columns where the rows were.
    fn turn<T: Stored>(self, square: &mut Square<T>);
}

/// What is done with a turner.
pub(super) trait Work {
    fn run(self, turner: impl Turner);
}

/// Does the work with the best turner for this processor, compiled for its instructions.
pub(super) fn with_turner(work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(simd) = pulp::x86::V4::try_new() {
            return simd.vectorize(
                #[inline(always)]
                move || work.run(x86::By16(simd)),
            );
        }
        if let Some(simd) = pulp::x86::V3::try_new() {
            return simd.vectorize(
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
    fn turn<T: Stored>(self, square: &mut Square<T>) {
        let columns = *square;
        for (j, row) in square.iter_mut().enumerate() {
            row.iter_mut().zip(&columns).for_each(|(x, column)| *x = column[j]);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Plain, SIDE, Square, Stored, Turner};
    use pulp::cast;
    use pulp::x86::{V3, V4};
    use std::any::Any;
    use std::arch::x86_64::{__m256, __m512};

    /// The square, if it is one of `f32`.
    #[inline(always)]
    fn of_f32<T: Stored>(square: &mut Square<T>) -> Option<&mut Square<f32>> {
        (square as &mut dyn Any).downcast_mut()
    }

    /// Whole rows at once.
    #[derive(Clone, Copy)]
    pub(super) struct By16(pub(super) V4);

    impl Turner for By16 {
        #[inline(always)]
        fn turn<T: Stored>(self, square: &mut Square<T>) {
            let Some(square) = of_f32(square) else { return Plain.turn(square) };
            let simd = self.0.avx512f;
            let mut ones: [__m512; SIDE] = cast([[0.0_f32; SIDE]; SIDE]);
            for i in (0..SIDE).step_by(2) {
                let (x, y) = (cast(square[i]), cast(square[i + 1]));
                (ones[i], ones[i + 1]) = (simd._mm512_unpacklo_ps(x, y), simd._mm512_unpackhi_ps(x, y));
            }
            // In each quarter of number `i`: four rows of column `i % 4` of that quarter.
            let mut twos = ones;
            for i in (0..SIDE).step_by(4) {
                for half in 0..2 {
                    let (x, y) = (cast(ones[i + half]), cast(ones[i + half + 2]));
                    twos[i + 2 * half] = cast(simd._mm512_unpacklo_pd(x, y));
                    twos[i + 2 * half + 1] = cast(simd._mm512_unpackhi_pd(x, y));
                }
            }
            for i in 0..4 {
                let [a, b, c, d] = [twos[i], twos[4 + i], twos[8 + i], twos[12 + i]];
                let even = [simd._mm512_shuffle_f32x4::<0x88>(a, b), simd._mm512_shuffle_f32x4::<0x88>(c, d)];
                let odd = [simd._mm512_shuffle_f32x4::<0xdd>(a, b), simd._mm512_shuffle_f32x4::<0xdd>(c, d)];
                square[i] = cast(simd._mm512_shuffle_f32x4::<0x88>(even[0], even[1]));
                square[4 + i] = cast(simd._mm512_shuffle_f32x4::<0x88>(odd[0], odd[1]));
                square[8 + i] = cast(simd._mm512_shuffle_f32x4::<0xdd>(even[0], even[1]));
                square[12 + i] = cast(simd._mm512_shuffle_f32x4::<0xdd>(odd[0], odd[1]));
            }
        }
    }

    /// Four quarters of eight rows each.
    #[derive(Clone, Copy)]
    pub(super) struct By8(pub(super) V3);

    /// Rows of a quarter.
    const HALF: usize = SIDE / 2;

    impl Turner for By8 {
        #[inline(always)]
        fn turn<T: Stored>(self, square: &mut Square<T>) {
            let Some(square) = of_f32(square) else { return Plain.turn(square) };
            let from = *square;
            for top in [0, HALF] {
                for left in [0, HALF] {
                    let rows = std::array::from_fn(
                        #[inline(always)]
                        |i| cast(*from[left + i][top..].first_chunk::<HALF>().expect("half of a row")),
                    );
                    let turned = self.quarter(rows);
                    for (to, row) in square[top..].iter_mut().zip(turned) {
                        let row: [f32; HALF] = cast(row);
                        to[left..left + HALF].copy_from_slice(&row);
                    }
                }
            }
        }
    }

    impl By8 {
        #[inline(always)]
        fn quarter(self, rows: [__m256; HALF]) -> [__m256; HALF] {
            let simd = self.0.avx;
            let ones: [__m256; HALF] = std::array::from_fn(|i| {
                let (x, y) = (rows[i / 2 * 2], rows[i / 2 * 2 + 1]);
                if i % 2 == 0 { simd._mm256_unpacklo_ps(x, y) } else { simd._mm256_unpackhi_ps(x, y) }
            });
            let twos: [__m256; HALF] = std::array::from_fn(|i| {
                let x = i / 4 * 4 + i % 4 / 2;
                let (x, y) = (cast(ones[x]), cast(ones[x + 2]));
                cast(if i % 2 == 0 { simd._mm256_unpacklo_pd(x, y) } else { simd._mm256_unpackhi_pd(x, y) })
            });
            std::array::from_fn(|i| {
                let (x, y) = (twos[i % 4], twos[4 + i % 4]);
                if i < 4 {
                    simd._mm256_permute2f128_ps::<0x20>(x, y)
                } else {
                    simd._mm256_permute2f128_ps::<0x31>(x, y)
                }
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns numbered elements around and looks every one of them up.
    struct Check<T>(fn(usize) -> T);

    impl<T: Stored> Work for Check<T> {
        fn run(self, turner: impl Turner) {
            let mut square: Square<T> = std::array::from_fn(|i| std::array::from_fn(|j| (self.0)(i * SIDE + j)));
            turner.turn(&mut square);
            for (i, row) in square.into_iter().enumerate() {
                for (j, x) in row.into_iter().enumerate() {
                    assert_eq!(x, (self.0)(j * SIDE + i), "row {i}, column {j}");
                }
            }
        }
    }

    #[test]
    fn every_way_turns_every_element() {
        fn check<T: Stored>(number: fn(usize) -> T) {
            with_turner(Check(number));
            Check(number).run(Plain);
            #[cfg(target_arch = "x86_64")]
            if let Some(simd) = pulp::x86::V3::try_new() {
                Check(number).run(x86::By8(simd));
            }
        }
        check(|i| i as f32);
        check(|i| i as f64);
        check(|i| i % 3 == 0);
    }
}
