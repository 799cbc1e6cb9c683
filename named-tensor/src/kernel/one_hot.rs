//! Contractions with tensors that are 1 at one position of an axis and 0 elsewhere: rows taken, and rows summed.
//!
//! Computes  `Σ_p [positions[outer] = p] table[outer, inner, p]`  and  `Σ_summed [positions[shared, summed] = p]
//! updates[shared, summed, inner]`.  A position that is not there has no 1: its row is 0, and its update goes nowhere.
//! Lives here: what is done where one is not there. Not here: rows at positions that are (`gather`, `scatter`).

use super::View;
use super::gather::gather;
use super::math::Scalar;
use super::scatter::scatter;
use super::span::{Odometer, row_major};
use crate::element::Stored;

/// As [`gather`], with rows of zeros for positions that are not below `limit`.
pub(crate) fn rows_at<T: Stored>(
    outer: &[usize],
    inner: &[usize],
    limit: usize,
    table: View<'_, T>,
    positions: View<'_, i64>,
    dst: &mut [T],
) {
    if gather(outer, inner, limit, table, positions, dst) {
        return;
    }
    dst.fill(T::default());
    let (row, mut there) = (inner.iter().product(), listed(outer, positions));
    if limit == 0 || row == 0 {
        return;
    }
    let is_there = |position: i64| usize::try_from(position).is_ok_and(|position| position < limit);
    let lacking: Vec<bool> = there.iter().map(|&position| !is_there(position)).collect();
    there.iter_mut().zip(&lacking).filter(|(_, lacks)| **lacks).for_each(|(position, _)| *position = 0);
    let strides = row_major(outer);
    let all = gather(outer, inner, limit, table, View { data: &there, offset: 0, strides: &strides }, dst);
    debug_assert!(all, "each position is there now");
    for (row, _) in dst.chunks_mut(row).zip(lacking).filter(|(_, lacks)| *lacks) {
        row.fill(T::default());
    }
}

/// As [`scatter`], without the updates whose positions are not below `size`.
pub(crate) fn sums_at<T: Scalar>(
    [shared, summed, inner]: [&[usize]; 3],
    size: usize,
    updates: View<'_, T>,
    positions: View<'_, i64>,
    dst: &mut [T],
) {
    if scatter([shared, summed, inner], size, updates, positions, dst) {
        return;
    }
    // One row more takes what goes nowhere.
    let (outer, row) = ([shared, summed].concat(), inner.iter().product::<usize>());
    let clamped = |position: i64| usize::try_from(position).map_or(size, |position| position.min(size)) as i64;
    let there: Vec<i64> = listed(&outer, positions).into_iter().map(clamped).collect();
    let strides = row_major(&outer);
    let mut wide = vec![T::default(); shared.iter().product::<usize>() * (size + 1) * row];
    let there = View { data: &there[..], offset: 0, strides: &strides };
    let all = scatter([shared, summed, inner], size + 1, updates, there, &mut wide);
    debug_assert!(all, "each position is there now");
    if size * row > 0 {
        for (to, from) in dst.chunks_mut(size * row).zip(wide.chunks((size + 1) * row)) {
            to.copy_from_slice(&from[..to.len()]);
        }
    }
}

/// The positions one after the other.
fn listed(sizes: &[usize], positions: View<'_, i64>) -> Vec<i64> {
    let mut at = Odometer::new(sizes, positions.strides, 0);
    let next = |_| {
        let position = positions.data[positions.offset.wrapping_add_signed(at.distance)];
        at.step();
        position
    };
    (0..sizes.iter().product::<usize>()).map(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_at_a_position_that_is_not_there_is_0_and_an_update_there_goes_nowhere() {
        let (data, chosen): (Vec<f32>, _) = ((1..=12).map(|x| x as f32).collect(), [2_i64, -1, 0, 4, 3, i64::MAX]);
        let positions = View { data: &chosen[..], offset: 0, strides: &[1] };
        for (row, strides) in [(3, [1, 3]), (3, [4, 1]), (1, [1, 3])] {
            let at = |position: i64, i: usize| {
                let there = usize::try_from(position).ok().filter(|&position| position < 4);
                there.map_or(0.0, |position| data[i * strides[0] as usize + position * strides[1] as usize])
            };
            let table = View { data: &data[..], offset: 0, strides: &[0, strides[0], strides[1]] };
            let mut dst = vec![f32::NAN; 6 * row];
            rows_at(&[6], &[row], 4, table, positions, &mut dst);
            let exact = chosen.iter().flat_map(|&position| (0..row).map(move |i| at(position, i)));
            assert!(dst.iter().copied().eq(exact), "{dst:?}");
            rows_at(&[6], &[row], 0, table, positions, &mut dst);
            assert!(dst.iter().all(|&x| x == 0.0), "{dst:?}");
        }
        for row in [1, 2] {
            let updates = View { data: &data[..], offset: 0, strides: &[row as isize, 1] };
            let mut dst = vec![f32::NAN; 4 * row];
            sums_at([&[], &[6], &[row]], 4, updates, positions, &mut dst);
            let exact: Vec<f32> = [2, 1, 0, 4]
                .iter()
                .flat_map(|&i| (0..row).map(move |c| (i, c)))
                .map(|(i, c)| if i == 1 { 0.0 } else { data[i * row + c] })
                .collect();
            assert_eq!(dst, exact);
            // Of two that share a position the sums, group by group.
            let shared = View { data: &chosen[..], offset: 0, strides: &[3, 1] };
            let updates = View { data: &data[..], offset: 0, strides: &[3 * row as isize, row as isize, 1] };
            let mut dst = vec![f32::NAN; 2 * 3 * row];
            sums_at([&[2], &[3], &[row]], 3, updates, shared, &mut dst);
            let value = |i: usize, c: usize| data[i * row + c];
            let exact: Vec<f32> = (0..6)
                .flat_map(|to| (0..row).map(move |c| (to, c)))
                .map(|(to, c)| match to {
                    0 => value(2, c),
                    2 => value(0, c),
                    _ => 0.0,
                })
                .collect();
            assert_eq!(dst, exact);
        }
    }
}
