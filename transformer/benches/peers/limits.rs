//! What the machine can do at most: fused multiply-adds from registers, and reading of memory that no cache holds.
//!
//! A time says little without the limit beside it. Both are measured with the threads that the crate itself uses, once
//! per run and only where a row of the table needs them.

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Instant;

use pulp::{Arch, Simd, WithSimd};

/// Multiply-adds under way at once: enough for two units of five cycles, few enough for sixteen registers.
const CHAINS: usize = 12;
/// Rounds of all chains in a sample.
const ROUNDS: usize = 400_000;
/// Numbers that are read: 256 MiB.
const NUMBERS: usize = 64 << 20;

/// Operations per second of all threads together, a multiply-add being two.
pub(crate) fn operations() -> f64 {
    static RATE: LazyLock<f64> = LazyLock::new(|| best(|_| Arch::new().dispatch(Chains)));
    *RATE
}

/// Bytes per second that all threads together read.
pub(crate) fn bytes() -> f64 {
    static RATE: LazyLock<f64> = LazyLock::new(|| {
        // Of its own for each thread: what one has just read would be near for the other.
        let parts = vec![vec![1.0_f32; NUMBERS / threads()]; threads()];
        best(|thread| {
            black_box(Arch::new().dispatch(Sum(&parts[thread])));
            size_of_val(&parts[thread][..]) as f64
        })
    });
    *RATE
}

/// What the crate goes by: its own setting, else the processors that this process may use.
fn threads() -> usize {
    let asked = std::env::var("NAMED_TENSOR_THREADS").ok().and_then(|text| text.parse().ok());
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1)
}

/// The amount that `work` tells of, on every thread, by the least time of several samples. It is told which thread it is.
fn best(work: impl Fn(usize) -> f64 + Sync) -> f64 {
    let work = &work;
    let sample = || {
        let start = Instant::now();
        let amount: f64 = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads()).map(|thread| scope.spawn(move || work(thread))).collect();
            let own = work(0);
            others.into_iter().map(|other| other.join().unwrap_or(0.0)).sum::<f64>() + own
        });
        amount / start.elapsed().as_secs_f64()
    };
    (0..12).map(|_| sample()).fold(0.0, f64::max)
}

/// Returns how many operations it has made.
struct Chains;

impl WithSimd for Chains {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let (factor, term) = (simd.splat_f32s(black_box(0.999)), simd.splat_f32s(black_box(0.001)));
        let mut chains = [term; CHAINS];
        for _ in 0..ROUNDS {
            for chain in &mut chains {
                *chain = simd.mul_add_f32s(*chain, factor, term);
            }
        }
        black_box(chains);
        (2 * ROUNDS * CHAINS * S::F32_LANES) as f64
    }
}

/// Returns the sum, which is looked at only so that it is computed.
struct Sum<'a>(&'a [f32]);

impl WithSimd for Sum<'_> {
    type Output = f32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f32 {
        let (vectors, _) = S::as_simd_f32s(self.0);
        let mut sums = [simd.splat_f32s(0.0); 8];
        for chunk in vectors.chunks_exact(8) {
            for (sum, &vector) in sums.iter_mut().zip(chunk) {
                *sum = simd.add_f32s(*sum, vector);
            }
        }
        sums.into_iter().map(|sum| simd.reduce_sum_f32s(sum)).sum()
    }
}
