//! Lines of several places that are computed together, against plain loops.

use super::super::beside::is_worth_it;
use super::*;

/// The function of this number along the last axis, with a tail.
fn along_last(what: usize, sizes: [usize; 3], src: View<'_, f32>, dst: ViewMut<'_, f32>, tail: Option<&Tail<'_>>) {
    let (outer, size) = (&sizes[..2], sizes[2]);
    match what {
        0 => softmax(outer, size, src, dst, tail),
        1 => log_softmax(outer, size, src, dst, tail),
        _ => standardize(EPSILON, outer, size, src, dst, tail),
    }
}

/// Strides of places, columns and rows, where rows are `step` apart, and a place ends `gap` after its last row.
fn strides([_, rows, _]: [usize; 3], [step, gap]: [usize; 2]) -> [isize; 3] {
    [(rows * step + gap) as isize, 1, step as isize]
}

/// Lines across the rows of some places, from one layout to another; each place has a line that is not a number.
pub(super) fn check(what: usize, sizes: [usize; 3], from: [usize; 2], to: [usize; 2]) {
    let [places, rows, columns] = sizes;
    let (from, to) = (strides(sizes, from), strides(sizes, to));
    let place_of = |strides: [isize; 3], index: [usize; 3]| -> usize {
        strides.iter().zip(index).map(|(stride, i)| *stride as usize * i).sum()
    };
    let mut data: Vec<f32> = random_rows(places * from[0] as usize).into_iter().map(|x| 5.0 * x).collect();
    (0..places).for_each(|place| data[place_of(from, [place, place % columns, place % rows])] = f32::NAN);
    let mut out = vec![7.0; places * to[0] as usize];
    let src = View { data: &data, offset: 0, strides: &from };
    let dst = ViewMut { data: &mut out, offset: 0, strides: &to };
    along_last(what, [places, columns, rows], src, dst, None);
    let mut is_computed = vec![false; out.len()];
    for (place, column) in (0..places).flat_map(|place| (0..columns).map(move |column| (place, column))) {
        let line: Vec<f64> = (0..rows).map(|row| f64::from(data[place_of(from, [place, column, row])])).collect();
        for (row, exact) in plain(what, &line).into_iter().enumerate() {
            let at = place_of(to, [place, column, row]);
            let got = f64::from(out[at]);
            let is_right = (got - exact).abs() <= 1e-6 * (1.0 + exact.abs()) || got.is_nan() && exact.is_nan();
            assert!(is_right, "{what}: {got} for {exact}, row {row} of column {column}, place {place} of {sizes:?}");
            assert_eq!(exact.is_nan(), column == place % columns, "one line of each place is not a number");
            is_computed[at] = true;
        }
    }
    let is_untouched = |(x, is_computed): (&f32, &bool)| *is_computed || *x == 7.0;
    assert!(out.iter().zip(&is_computed).all(is_untouched), "{what}: between rows of {sizes:?}");
}

#[test]
fn lines_of_several_places_are_the_plain_ones_wherever_they_lie() {
    for columns in [2, 3, 9, 17, 31, 32, 33] {
        for rows in [2, 17, 63, 64, 65, 70] {
            for places in [1, 2, 7, 40] {
                for what in 0..3 {
                    check(what, [places, rows, columns], [columns, 0], [columns, 0]);
                }
                check(0, [places, rows, columns], [columns + 3, 5], [columns, 2]);
                check(2, [places, rows, columns], [columns, 1], [columns + 1, 9]);
            }
        }
    }
}

#[test]
fn a_tail_finishes_the_lines_of_all_places() {
    for (sizes, steps) in [([31, 17, 9], 3), ([3, 64, 32], 2), ([20, 5, 30], 5)] {
        let [places, rows, columns] = sizes;
        let size = places * rows * columns;
        let buffers = [(); 4].map(|()| Buffer::F32(random_rows(size).into()));
        let operands: Vec<Operand<'_>> =
            buffers.iter().map(|buffer| Operand { buffer, offset: 0, strides: &[1] }).collect();
        let (program, data, strides) = (program(steps), random_rows(size), strides(sizes, [columns, 0]));
        let tail = Tail::new(&program, &[size], &operands);
        let run = |tail| {
            let mut out = vec![0.0; size];
            let src = View { data: &data, offset: 0, strides: &strides };
            along_last(2, [places, columns, rows], src, ViewMut { data: &mut out, offset: 0, strides: &strides }, tail);
            out
        };
        for ((got, x), &y) in run(Some(&tail)).into_iter().zip(run(None)).zip(&random_rows(size)) {
            let mut wanted = x * y + y;
            [y, -y].iter().take(steps - 2).for_each(|term| wanted += term);
            assert_eq!(got, if steps > 4 { wanted.floor() } else { wanted }, "{sizes:?}, {steps} steps");
        }
    }
}

#[cfg(feature = "parallel")]
#[test]
fn lines_of_places_are_the_same_whatever_places_they_are_computed_with() {
    let sizes = [1000, 40, 9];
    let (data, strides) = (random_rows(360_000), strides(sizes, [9, 0]));
    let run = || {
        let mut out = vec![0.0; data.len()];
        let src = View { data: &data, offset: 0, strides: &strides };
        along_last(0, [1000, 9, 40], src, ViewMut { data: &mut out, offset: 0, strides: &strides }, None);
        out
    };
    let with = |threads| crate::kernel::threads::with_threads(threads, run);
    assert!(with(1) == with(2) && with(1) == with(3), "threads have other places side by side");
}

#[test]
fn lines_that_are_short_and_few_in_several_places_are_computed_together() {
    assert!(is_worth_it(WIDTH / 2, 64, 2), "short and few, in two places");
    assert!(!is_worth_it(WIDTH / 2 + 1, 64, 2), "a second place finds no room beside them");
    assert!(!is_worth_it(WIDTH / 2, 65, 2), "long");
    assert!(!is_worth_it(WIDTH / 2, 64, 1), "there is one place");
}
