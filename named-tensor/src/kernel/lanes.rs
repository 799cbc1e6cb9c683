//! Plain loops, compiled for the widest vectors of the processor at hand.
//!
//! Lives here: the run-time choice of instruction set, made by `pulp`, and the loops that keep many accumulators.
//! A loop written over slices is vectorised by the compiler once it stands in a function that may use AVX2 or AVX-512.
//! The number of accumulators is fixed, and fused multiply-adds are written as such: results do not depend on the width.

use super::vectors;

/// How many partial results a fold over a contiguous run keeps. With fewer the compiler takes the loop over them apart
/// before it comes to think of vectors.
pub(super) const LANES: usize = 64;

/// Runs `work` compiled for the widest instruction set at hand.
/// Only what is inlined into it profits: closures given to it are marked `#[inline(always)]`, and they own what they use
/// (`move`), because what they borrow might be changed by what they write.
#[inline(always)]
pub(super) fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    vectors::dispatch(work)
}

/// Writes `f(x)` for every `x` of `src`.
#[inline(always)]
pub(super) fn each<A: Copy, B>(src: &[A], dst: &mut [B], f: impl Fn(A) -> B) {
    vectorised(
        #[inline(always)]
        move || {
            for (d, &x) in dst.iter_mut().zip(src) {
                *d = f(x);
            }
        },
    );
}

/// Writes `f(x, y)` for every pair of `xs` and `ys`.
#[inline(always)]
pub(super) fn pairs<A: Copy, B: Copy, C>(xs: &[A], ys: &[B], dst: &mut [C], f: impl Fn(A, B) -> C) {
    vectorised(
        #[inline(always)]
        move || {
            for ((d, &x), &y) in dst.iter_mut().zip(xs).zip(ys) {
                *d = f(x, y);
            }
        },
    );
}

/// Folds a contiguous run with [`LANES`] accumulators, element `i` into accumulator `i % LANES`, and then joins those;
/// a short run is folded from left to right.
#[inline(always)]
pub(super) fn fold<T: Copy, A: Copy>(values: &[T], start: A, step: impl Fn(A, T) -> A, join: impl Fn(A, A) -> A) -> A {
    fold_and(
        values,
        start,
        step,
        #[inline(always)]
        move |lanes| joined(lanes, &join),
    )
}

/// The same, where `end` makes one result of all accumulators.
#[inline(always)]
pub(super) fn fold_and<T: Copy, A: Copy>(
    values: &[T],
    start: A,
    step: impl Fn(A, T) -> A,
    end: impl Fn([A; LANES]) -> A,
) -> A {
    if values.len() < LANES / 4 {
        return values.iter().fold(start, |sum, &x| step(sum, x));
    }
    #[cfg(target_arch = "x86_64")]
    if const { size_of::<A>() == 8 }
        && let Some(simd) = vectors::of_256()
    {
        return vectors::in_256_bits(
            simd,
            #[inline(always)]
            move || by_halves(values, start, step, end),
        );
    }
    vectorised(
        #[inline(always)]
        move || {
            let mut kept = [start; LANES];
            let (whole, rest) = values.as_chunks::<LANES>();
            for chunk in whole {
                // All of them anew: where a step may leave a lane as it was, it would be stored, under a mask, or not.
                kept = std::array::from_fn(
                    #[inline(always)]
                    |i| step(kept[i], chunk[i]),
                );
            }
            // Others for the rest, whose number is known only now: so the first ones stay in registers.
            let mut lanes = kept;
            for (lane, &x) in lanes.iter_mut().zip(rest) {
                *lane = step(*lane, x);
            }
            end(lanes)
        },
    )
}

/// The same by halves of the accumulators, which would take all 16 registers of 256 bits: each half goes through some chunks
/// of [`LANES`] elements while they are near.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn by_halves<T: Copy, A: Copy>(values: &[T], start: A, step: impl Fn(A, T) -> A, end: impl Fn([A; LANES]) -> A) -> A {
    const HALF: usize = LANES / 2;
    const NEAR: usize = 16;
    let mut lanes = [[start; HALF]; 2];
    let (whole, rest) = values.as_chunks::<LANES>();
    for some in whole.chunks(NEAR) {
        for (half, lanes) in lanes.iter_mut().enumerate() {
            let mut kept = *lanes;
            for chunk in some {
                let chunk = &chunk.as_chunks::<HALF>().0[half];
                kept = std::array::from_fn(
                    #[inline(always)]
                    |i| step(kept[i], chunk[i]),
                );
            }
            *lanes = kept;
        }
    }
    for (lane, &x) in lanes.as_flattened_mut().iter_mut().zip(rest) {
        *lane = step(*lane, x);
    }
    end(*lanes.as_flattened().first_chunk().expect("both halves"))
}

/// One result of all accumulators: eight groups of eight become one group, and that a single result by halves.
#[inline(always)]
pub(super) fn joined<A: Copy>(mut lanes: [A; LANES], join: impl Fn(A, A) -> A) -> A {
    let (first, others) = lanes.split_at_mut(LANES / 8);
    for group in others.chunks_exact(LANES / 8) {
        for (lane, &other) in first.iter_mut().zip(group) {
            *lane = join(*lane, other);
        }
    }
    for half in [4, 2, 1] {
        for i in 0..half {
            first[i] = join(first[i], first[i + half]);
        }
    }
    first[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fold_sees_every_element_once_whatever_the_size() {
        for size in 0..300_usize {
            let values: Vec<i64> = (0..size as i64).map(|i| 3 * i + 1).collect();
            let expected: i64 = values.iter().sum();
            let folded = fold(&values, 0, |a, x| a + x, |a, b| a + b);
            assert_eq!(folded, expected, "size {size}");
        }
    }

    #[test]
    fn a_fold_is_that_of_its_accumulators_to_the_last_bit_whatever_registers_hold_them() {
        for size in [63, 64, 300, 1023, 1024, 1090, 2111, 5000] {
            let values: Vec<f32> = (0..size).map(|i| (i as f32 * 0.7).sin()).collect();
            let mut lanes = [0.0_f64; LANES];
            values.iter().enumerate().for_each(|(i, &x)| lanes[i % LANES] += f64::from(x));
            let folded = fold(&values, 0.0, |a, x: f32| a + f64::from(x), |a, b| a + b);
            let expected = joined(lanes, |a, b| a + b).to_bits();
            assert_eq!(folded.to_bits(), expected, "size {size}");
            #[cfg(target_arch = "x86_64")]
            {
                let by_halves =
                    by_halves(&values, 0.0, |a, x: f32| a + f64::from(x), |lanes| joined(lanes, |a, b| a + b));
                assert_eq!(by_halves.to_bits(), expected, "by halves, size {size}");
            }
        }
    }

    #[test]
    fn each_and_pairs_stop_at_the_shortest_slice() {
        let mut out = [0.0_f32; 3];
        each(&[1.0_f32, 2.0], &mut out, |x| x + 1.0);
        assert_eq!(out, [2.0, 3.0, 0.0], "the third element has no source");
        pairs(&[1.0_f32, 2.0, 3.0], &[5.0_f32, 5.0, 5.0], &mut out, |x, y| x * y);
        assert_eq!(out, [5.0, 10.0, 15.0], "elementwise products");
    }
}
