//! Sums at computed positions of updates that lie along them.
//!
//! Computes  `dst[shared, inner, p, s] = Σ_{summed: positions[shared, summed] = p} updates[shared, inner, summed, s]`,  `dst` dense
//! in row-major order, where updates lie along `s`: what windows owe the axis they were taken from, and lines of numbers their
//! positions. Where positions follow each other, as those of a window do, runs of updates are added to runs of sums; else one
//! number after the other is.
//! Lives here: those runs. Not here: updates whose rows lie side by side (`scatter`).

use super::{add, narrow};
use crate::kernel::View;
use crate::kernel::gather::{all_there, runs};
use crate::kernel::math::Scalar;
use crate::kernel::parallel::{self, GRAIN};
use crate::kernel::span::{Odometer, Span, check_inside};

/// Sums that stay in the nearest cache, with the updates that are added.
const NEAR: usize = 2048;
/// Runs that are looked through for each of those, at most.
const FEW: usize = 64;
/// Runs that are shorter than this, taken all together, are added number by number.
const SHORT: usize = 4;

/// Updates that follow each other and go to positions that do.
struct Run {
    /// Where they begin.
    from: usize,
    /// Where their sums begin.
    to: usize,
    size: usize,
}

/// Sums `updates`, a view over `shared`, `summed` and `inner` of so many numbers side by side each, at their `positions`, a view
/// over `shared` and `summed`, of an axis of this size. Returns whether all positions are below it; if one is not, `dst` is not written.
///
/// # Panics
/// If a view leaves its slice, or if `dst` does not have so many numbers per position of `shared`, `inner` and the axis.
#[must_use]
pub(crate) fn across<T: Scalar>(
    [shared, summed, inner]: [&[usize]; 3],
    [size, stretch]: [usize; 2],
    updates: View<'_, T>,
    positions: View<'_, i64>,
    dst: &mut [T],
) -> bool {
    let outer = [shared, summed].concat();
    let (all, strides) = ([&outer, inner, &[stretch]].concat(), [updates.strides, &[1]].concat());
    check_inside("across: updates", updates.data.len(), updates.offset, &all, &strides);
    check_inside("across: positions", positions.data.len(), positions.offset, &outer, positions.strides);
    let [groups, each, rows] = [shared, summed, inner].map(|sizes| sizes.iter().product::<usize>());
    assert_eq!(dst.len(), groups * rows * size * stretch, "across: the destination has one element per kept position");
    let (outer_strides, inner_strides) = updates.strides.split_at(outer.len());
    let walk = Span::new(&outer, &[positions.strides, outer_strides]);
    if !all_there(&walk, groups * each, size, positions) {
        return false;
    }
    if dst.is_empty() {
        return true;
    }
    let run = |group: usize| of_group(&walk, [group, each, stretch], &updates, positions);
    let mut runs: Vec<Vec<Run>> = (0..groups).map(run).collect();
    let are_short = runs.iter().map(Vec::len).sum::<usize>() * SHORT > groups * each * stretch;
    let alone: Vec<Vec<[usize; 2]>> =
        if are_short { runs.drain(..).map(|runs| numbers(&runs)).collect() } else { Vec::new() };
    let size = size * stretch;
    // All runs are looked through for each part of a row, which takes longer than a far cache if they are many.
    let is_few = runs.iter().all(|runs| runs.len() <= FEW);
    let width = if is_few && !are_short { size.min(NEAR) } else { size };
    let work = size + each * stretch;
    parallel::for_each_chunk(dst, parallel::grain_of(groups * rows, GRAIN.div_ceil(work)) * size, |first, chunk| {
        let mut sums = vec![0.0_f64; width];
        let row = first / size;
        let mut at = Odometer::new(inner, inner_strides, row % rows);
        for (row, to) in (row..).zip(chunk.chunks_exact_mut(size)) {
            for (start, to) in (0..).step_by(width).zip(to.chunks_mut(width)) {
                let sums = &mut sums[..to.len()];
                sums.fill(0.0);
                // Where these are, a row has one part, and no runs.
                for &[from, to] in alone.get(row / rows).into_iter().flatten() {
                    sums[to] += updates.data[from.wrapping_add_signed(at.distance)].wide();
                }
                for run in runs.get(row / rows).into_iter().flatten() {
                    let (first, end) = (run.to.max(start), (run.to + run.size).min(start + sums.len()));
                    if first < end {
                        let from = (run.from + (first - run.to)).wrapping_add_signed(at.distance);
                        add(&updates.data[from..][..end - first], &mut sums[first - start..end - start]);
                    }
                }
                narrow(sums, to);
            }
            // After the last row of one shared position come those of the next.
            at.step();
        }
    });
    true
}

/// The runs of one shared position, in the order of the updates, of which each has so many and those so many numbers.
fn of_group<T>(
    walk: &Span,
    [group, each, stretch]: [usize; 3],
    updates: &View<'_, T>,
    positions: View<'_, i64>,
) -> Vec<Run> {
    let mut found: Vec<Run> = Vec::new();
    let [next, apart] = [0, 1].map(|operand| walk.inner_stride(operand));
    runs(walk, group * each, each, |[at, from], run| {
        let at = positions.offset.wrapping_add_signed(at);
        let from = updates.offset.wrapping_add_signed(from);
        for i in 0..run.len() as isize {
            let to = positions.data[at.wrapping_add_signed(i * next)] as usize * stretch;
            let from = from.wrapping_add_signed(i * apart);
            match found.last_mut() {
                Some(run) if from == run.from + run.size && to == run.to + run.size => run.size += stretch,
                _ => found.push(Run { from, to, size: stretch }),
            }
        }
    });
    found
}

/// Where each number of these runs is, and where its sum.
fn numbers(runs: &[Run]) -> Vec<[usize; 2]> {
    runs.iter().flat_map(|run| (0..run.size).map(|i| [run.from + i, run.to + i])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::{Random, positions as places};

    /// Compares with one plain loop over all updates; the destination starts as NaN.
    fn check(sizes: [&[usize]; 3], size: usize, strides: &[isize], chosen: &[i64], at: &[isize]) {
        check_stretches(sizes, [size, 1], strides, chosen, at);
    }

    /// The same with so many numbers side by side.
    fn check_stretches(
        sizes: [&[usize]; 3],
        [size, stretch]: [usize; 2],
        strides: &[isize],
        chosen: &[i64],
        at: &[isize],
    ) {
        let [shared, summed, inner] = sizes;
        let data = Random::new(9).reals(60_000);
        let [groups, each, rows] = sizes.map(|sizes| sizes.iter().product::<usize>());
        let mut sums = vec![0.0_f64; groups * rows * size * stretch];
        let outer = [shared, summed].concat();
        for (i, (from, position)) in places(&outer, &strides[..outer.len()]).zip(places(&outer, at)).enumerate() {
            for (row, next) in places(inner, &strides[outer.len()..]).enumerate() {
                let target = (i / each * rows + row) * size + chosen[position as usize] as usize;
                for s in 0..stretch {
                    sums[target * stretch + s] += f64::from(data[7_usize.wrapping_add_signed(from + next) + s]);
                }
            }
        }
        let exact: Vec<f32> = sums.into_iter().map(|sum| sum as f32).collect();
        let mut dst = vec![f32::NAN; exact.len()];
        let view = View { data: &data[..], offset: 7, strides };
        assert!(
            across(sizes, [size, stretch], view, View { data: chosen, offset: 0, strides: at }, &mut dst),
            "all are there"
        );
        assert!(dst == exact, "{sizes:?} {stretch} at {size} positions, {strides:?} {at:?}");
    }

    #[test]
    fn windows_are_added_where_they_were_taken() {
        for (count, width, step) in
            [(1_usize, 1_usize, 1_usize), (9, 3, 1), (50, 5, 1), (50, 5, 2), (3, 40, 7), (7, 2, 5)]
        {
            let chosen: Vec<i64> = (0..width).flat_map(|j| (0..count).map(move |i| (i * step + j) as i64)).collect();
            let (n, all) = (count as isize, (count * width) as isize);
            let whole = (count - 1) * step + width;
            // The window outside of its positions, and inside of them; channels outside, and none.
            check([&[], &[width, count], &[4]], whole, &[n, 1, all], &chosen, &[n, 1]);
            check([&[], &[width, count], &[]], whole + 3, &[n, 1], &chosen, &[n, 1]);
            check([&[], &[count, width], &[2, 3]], whole, &[width as isize, 1, 3 * all, all], &chosen, &[1, n]);
            check([&[2], &[width, count], &[3]], whole, &[3 * all, n, 1, all], &chosen, &[0, n, 1]);
        }
        // Pictures whose rows are stretches, side by side and with gaps, and of which one window follows the other or none.
        for (stretch, gap) in [(2, 0), (26, 0), (26, 3), (100, 1)] {
            let (rows, width) = (11_usize, 3_usize);
            let chosen: Vec<i64> = (0..width * rows).map(|i| (i / rows + i % rows) as i64).collect();
            let (n, all) = ((stretch + gap) as isize, ((stretch + gap) * rows) as isize);
            let strides = [all, n, 3 * all, 15 * all];
            check_stretches([&[], &[width, rows], &[5, 2]], [14, stretch], &strides, &chosen, &[11, 1]);
            check_stretches([&[2], &[width, rows], &[]], [13, stretch], &[40, all, n], &chosen, &[0, 11, 1]);
        }
        // Rows that do not stay near.
        for width in [2, 3, 70] {
            let count = 5_000_usize;
            let chosen: Vec<i64> = (0..width * count).map(|i| (i / count + i % count) as i64).collect();
            check([&[], &[width, count], &[2]], count + width, &[100, 1, 20_000], &chosen, &[count as isize, 1]);
        }
    }

    #[test]
    fn any_positions_are_summed_in_pieces_as_in_one() {
        let mut random = Random::new(3);
        let chosen: Vec<i64> = (0..2_000).map(|_| random.below(900) as i64).collect();
        check([&[], &[1_000], &[50]], 900, &[1, 1_000], &chosen, &[1]);
        check([&[2], &[500], &[40]], 900, &[500, 1, 1_000], &chosen, &[500, 1]);
        // Few of a long axis, alone and as short stretches.
        let far: Vec<i64> = (0..60).map(|_| random.below(5_000) as i64).collect();
        check([&[], &[60], &[3]], 5_000, &[1, 60], &far, &[1]);
        check_stretches([&[2], &[30], &[3]], [5_000, 3], &[90, 3, 180], &far, &[30, 1]);
        // Positions that follow each other, and updates that do not.
        let rising: Vec<i64> = (0..500).collect();
        check([&[], &[500], &[40]], 600, &[2, 1_000], &rising, &[1]);
        check([&[2], &[500], &[3, 5]], 1_000, &[-1, 1, 2_000, 9_000], &chosen, &[500, 2]);
    }

    #[test]
    fn no_updates_are_zeros_and_a_position_that_is_not_there_is_told() {
        let updates = View { data: &[1.0_f64, 2.0], offset: 0, strides: &[1] };
        let mut dst = [f64::NAN; 3];
        for (position, there) in [(3, false), (-1, false), (2, true)] {
            let positions = View { data: &[2, position], offset: 0, strides: &[1] };
            assert_eq!(across([&[], &[2], &[]], [3, 1], updates, positions, &mut dst), there, "{position}");
        }
        assert_eq!(dst, [0.0, 0.0, 3.0]);
        let none = View { data: &[], offset: 0, strides: &[1] };
        assert!(
            across([&[], &[0], &[]], [3, 1], View { data: &[], offset: 0, strides: &[1] }, none, &mut dst),
            "no update"
        );
        assert_eq!(dst, [0.0; 3]);
    }
}
