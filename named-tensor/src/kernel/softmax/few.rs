//! Softmax of short lines that lie side by side: all elements of some lines at once.
//!
//! A register holds one element of each of those lines. Exponentials and sums are those of longer lines (`columns`).
//! Not here: how the lines are found (`line::few`).

use super::columns::{Sums, decays, highest};
use crate::element::Unary;
use crate::kernel::lanes::vectorised;
use crate::kernel::line::{FEW, LANES, TOGETHER};
use crate::kernel::math::Scalar;
use smallvec::SmallVec;

/// Softmax of lines, of which each row holds an element of each.
pub(super) fn few<T: Scalar>(rows: &[&[T]], mut results: SmallVec<[&mut [T]; FEW]>) {
    let results = &mut results;
    vectorised(
        #[inline(always)]
        move || {
            each_few(
                rows,
                #[inline(always)]
                |lines, some| {
                    let Sums { sum, .. } = decayed(some);
                    let factors: [T; LANES] = std::array::from_fn(
                        #[inline(always)]
                        |j| T::narrow(1.0 / sum[j]),
                    );
                    for (row, result) in some.iter_mut().zip(results.iter_mut()) {
                        row.iter_mut().zip(&factors).for_each(|(y, &factor)| *y = *y * factor);
                        put(row, &mut result[lines.clone()]);
                    }
                },
            );
        },
    );
}

/// The logarithms of softmax of [`TOGETHER`] lines at most.
pub(super) fn few_logs<T: Scalar>(rows: &[&[T]], results: SmallVec<[&mut [T]; FEW]>) {
    let (mut tops, mut sums, mut logs) = ([T::default(); TOGETHER], [1.0; TOGETHER], [0.0; TOGETHER]);
    let known = (&mut tops, &mut sums);
    vectorised(
        #[inline(always)]
        move || {
            each_few(
                rows,
                #[inline(always)]
                |lines, some| {
                    let Sums { top, sum } = decayed(some);
                    put(&top, &mut known.0[lines.clone()]);
                    put(&sum, &mut known.1[lines]);
                },
            );
        },
    );
    let width = rows.first().map_or(0, |row| row.len());
    f64::unary(Unary::Log, &sums[..width], &mut logs[..width]);
    let (tops, logs) = (&tops[..width], &logs[..width]);
    vectorised(
        #[inline(always)]
        move || {
            for (row, result) in rows.iter().zip(results) {
                for (((y, &x), &top), &log) in result.iter_mut().zip(*row).zip(tops).zip(logs) {
                    *y = (x - top) - T::narrow(log);
                }
            }
        },
    );
}

/// Does something with which lines these are and all of their elements, for [`LANES`] lines after the other. At the end some
/// are taken once more, or fewer, if there are no more.
#[inline(always)]
fn each_few<T: Scalar>(rows: &[&[T]], mut compute: impl FnMut(std::ops::Range<usize>, &mut [[T; LANES]])) {
    let mut room = [[T::default(); LANES]; FEW];
    let some = &mut room[..rows.len()];
    let width = rows.first().map_or(0, |row| row.len());
    for at in (0..width).step_by(LANES) {
        let start = at.min(width.saturating_sub(LANES));
        let lines = start..width.min(start + LANES);
        for (row, kept) in rows.iter().zip(some.iter_mut()) {
            put(&row[lines.clone()], kept);
        }
        compute(lines, some);
    }
}

/// Puts `e^(x - m)` in the place of each element. Returns `m` and the sums, of each line.
#[inline(always)]
fn decayed<T: Scalar>(some: &mut [[T; LANES]]) -> Sums<T, LANES> {
    let top = some.iter().fold([T::LOWEST; LANES], highest);
    let mut known = Sums { top, ..Sums::NONE };
    decays(&known.base(), some, &mut known.sum, |_| ());
    known
}

/// Copies as many elements as there are in both: all of a register as a rule.
#[inline(always)]
fn put<T: Copy>(from: &[T], to: &mut [T]) {
    match (from.first_chunk::<LANES>(), to.first_chunk_mut::<LANES>()) {
        (Some(from), Some(to)) => *to = *from,
        _ => to.iter_mut().zip(from).for_each(|(to, from)| *to = *from),
    }
}
