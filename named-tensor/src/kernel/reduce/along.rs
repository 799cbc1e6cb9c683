//! Rows of which many belong to one result.
//!
//! The partial results stay in registers from one row to the next, and are joined once, behind the last of them.
//! Not here: rows with a result each (`reduce`, `short`).

use super::Job;
use super::fold::Fold;
use crate::element::Stored;
use crate::kernel::lanes::vectorised;

/// Partial results: half of the registers hold them where a register has 256 bits.
const LANES: usize = 32;
/// Partial results of what is left of a row.
const REST: usize = 8;

impl<T: Stored> Job<'_, T> {
    /// Whether the reduced elements lie in rows that are worth it. Partial results of 32 bits are more to a register: so
    /// few registers would wait for each other.
    #[inline(always)]
    pub(super) fn has_long_rows<F: Fold<T>>(&self) -> bool {
        (const { size_of::<F::Partial>() == 8 }) && self.reduced.inner_stride(0) == 1 && self.reduced.inner() >= LANES
    }

    /// So many rows, which lie `distance` apart, the first at the distance `first`.
    pub(super) fn along<F: Fold<T>>(&self, first: isize, distance: isize, rows: usize) -> F::Partial {
        let (data, size, first) = (self.data, self.reduced.inner(), self.position(first));
        vectorised(
            #[inline(always)]
            move || {
                let (mut kept, mut rest, mut last) = ([F::START; LANES], [F::START; REST], F::START);
                for row in 0..rows {
                    let row = &data[first.wrapping_add_signed(row as isize * distance)..][..size];
                    let (whole, left) = row.as_chunks::<LANES>();
                    for chunk in whole {
                        kept = std::array::from_fn(
                            #[inline(always)]
                            |i| F::step(kept[i], chunk[i]),
                        );
                    }
                    let (whole, left) = left.as_chunks::<REST>();
                    for chunk in whole {
                        rest = std::array::from_fn(
                            #[inline(always)]
                            |i| F::step(rest[i], chunk[i]),
                        );
                    }
                    last = left.iter().fold(last, |last, &x| F::step(last, x));
                }
                kept.into_iter().chain(rest).fold(last, F::join)
            },
        )
    }
}
