//! Lines side by side in long rows that only the largest cache holds, against plain loops.

use super::super::wide::is_worth_it;
use super::beside;

#[test]
fn columns_of_long_rows_that_are_far_are_the_plain_ones_however_rows_are_parted() {
    for [rows, columns] in [[200, 513], [50, 2100], [24, 4160], [160, 600], [13, 8200], [7, 17_600]] {
        assert!(is_worth_it::<f32>(columns, rows, 2 * rows * columns), "{rows} rows of {columns} are");
        for what in 1..3 {
            beside::check(what, [1, rows, columns], [columns, 0], [columns, 0]);
            beside::check(what, [2, rows, columns], [columns + 3, 7], [columns + 1, 0]);
        }
    }
}

#[cfg(feature = "parallel")]
#[test]
fn columns_of_long_rows_are_the_same_on_any_number_of_threads() {
    use super::{Random, View, ViewMut, apply};
    let (rows, columns) = (99, 1043);
    let data = Random::new(17).reals(rows * columns);
    for what in 1..3 {
        let run = || -> Vec<u32> {
            let (mut out, strides): (_, &[isize]) = (vec![0.0; data.len()], &[1, columns as isize]);
            let src = View { data: &data, offset: 0, strides };
            apply(what, [columns, rows], src, ViewMut { data: &mut out, offset: 0, strides }, None);
            out.into_iter().map(f32::to_bits).collect()
        };
        let alone = crate::kernel::threads::with_threads(1, run);
        for threads in [2, 3, 7, 40] {
            assert!(crate::kernel::threads::with_threads(threads, run) == alone, "{what}: {threads} threads");
        }
    }
}

#[test]
fn what_is_near_or_leaves_the_caches_or_has_short_rows_goes_another_way() {
    let is_worth_it = |lines: usize, size: usize| is_worth_it::<f32>(lines, size, lines * size);
    assert!(is_worth_it(773, 200), "this is far, and stays in a cache");
    assert!(!is_worth_it(401, 400), "rows are short");
    assert!(!is_worth_it(773, 80), "it is near");
    // Elsewhere stores do not pass the caches by.
    assert_eq!(is_worth_it(8000, 8000), cfg!(not(target_arch = "x86_64")), "it leaves the caches");
}
