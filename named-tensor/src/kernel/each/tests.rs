//! Products at each of many neighbours beside plain loops.

use super::*;
use crate::kernel::testing::{Random, positions};

/// Sizes and strides of the axes of a product: those of a batch, the last of which are the neighbours, and those of matrices.
struct Case {
    batch: Vec<(usize, [isize; 3])>,
    rows: (usize, [isize; 2]),
    columns: (usize, [isize; 2]),
    terms: (usize, [isize; 2]),
}

impl Case {
    fn sizes(&self) -> [usize; 3] {
        [self.rows.0, self.terms.0, self.columns.0]
    }

    fn strides(&self, operand: usize) -> Vec<isize> {
        let last = match operand {
            0 => [self.rows.1[0], self.terms.1[0]],
            1 => [self.terms.1[1], self.columns.1[0]],
            _ => [self.rows.1[1], self.columns.1[1]],
        };
        self.batch.iter().map(|axis| axis.1[operand]).chain(last).collect()
    }
}

/// Compares with sums in `f64`.
fn check<T: Lanes>(case: &Case, epsilon: f64) {
    let (batch, sizes): (Vec<usize>, _) = (case.batch.iter().map(|axis| axis.0).collect(), case.sizes());
    let [m, k, n] = sizes;
    let strides = [0, 1, 2].map(|operand| case.strides(operand));
    let reach = |strides: &[isize], last: [usize; 2]| {
        let sizes: Vec<usize> = batch.iter().copied().chain(last).collect();
        positions(&sizes, strides).max().unwrap_or(0) as usize + 2
    };
    let mut random = Random::new(11);
    let mut data = |size| -> Vec<T> { random.reals(size).into_iter().map(|x| T::narrow(f64::from(x))).collect() };
    let (a, b) = (data(reach(&strides[0], [m, k])), data(reach(&strides[1], [k, n])));
    let mut c = vec![T::narrow(7.0); reach(&strides[2], [m, n])];
    let (mut wanted, mut bound) = (vec![None; c.len()], vec![0.0; c.len()]);
    let starts = [0, 1, 2].map(|operand| positions(&batch, &strides[operand][..batch.len()]).collect::<Vec<_>>());
    let axes = batch.len();
    for ((&left, &right), &to) in starts[0].iter().zip(&starts[1]).zip(&starts[2]) {
        for (i, j, x) in
            (0..m as isize).flat_map(|i| (0..n as isize).flat_map(move |j| (0..k as isize).map(move |x| (i, j, x))))
        {
            let of = |operand: usize, row: isize, column: isize| {
                let strides = &strides[operand][axes..];
                (1 + [left, right, to][operand] + row * strides[0] + column * strides[1]) as usize
            };
            let term = a[of(0, i, x)].wide() * b[of(1, x, j)].wide();
            let to = of(2, i, j);
            wanted[to] = Some(wanted[to].unwrap_or(0.0) + 0.3 * term);
            bound[to] += term.abs();
        }
    }
    let view = |data, operand: usize| View { data, offset: 1, strides: &strides[operand] };
    let neighbours = neighbours(&batch, sizes, strides.each_ref().map(|strides| &strides[..]));
    let dst = ViewMut { data: &mut c, offset: 1, strides: &strides[2] };
    let neighbours = neighbours.expect("neighbours");
    products(T::narrow(0.3), neighbours, &batch, sizes, view(&a, 0), view(&b, 1), dst, None);
    for ((found, wanted), bound) in c.iter().zip(&wanted).zip(&bound) {
        let wanted = wanted.unwrap_or(7.0);
        assert!((found.wide() - wanted).abs() <= epsilon * bound, "{found:?} for {wanted}");
    }
}

#[test]
fn channels_last_are_convolved_as_by_plain_loops_whatever_their_number() {
    for channels in [2, 7, 8, 15, 16, 17, 40, 64, 130] {
        for columns in [2, 3, 4, 5, 7, 8, 9, 21] {
            let c = channels as isize;
            // A window of 4 along the columns; weights of which each channel has 4.
            let case = Case {
                batch: vec![(3, [0, 30 * c, columns as isize * c]), (channels, [1; 3])],
                rows: (1, [0, 0]),
                columns: (columns, [c, c]),
                terms: (4, [c, c]),
            };
            check::<f32>(&case, 1e-6);
            check::<f64>(&case, 1e-15);
        }
    }
}

#[test]
fn pictures_of_few_channels_that_lie_last_are_convolved_as_by_plain_loops() {
    for (channels, side, [kh, kw], pictures) in [
        (2, 40, [3, 3], 2),
        (3, 33, [5, 2], 1),
        (7, 31, [3, 3], 2),
        (7, 23, [1, 9], 3),
        (17, 30, [4, 4], 2),
        (33, 20, [7, 7], 1),
    ] {
        let [c, h, w] = [channels, side - kh + 1, side - kw + 1];
        let [of_picture, of_row] = [side * side * c, side * c].map(|stride| stride as isize);
        let [c, of_weights] = [c, kw * c].map(|stride| stride as isize);
        // The weights are the left operand, and then the right one.
        for turned in [false, true] {
            let both = |weights: isize, picture: isize, out: isize| {
                if turned { [picture, weights, out] } else { [weights, picture, out] }
            };
            let (along, none) = ((w, [c, c]), (1, [0, 0]));
            let case = Case {
                batch: vec![
                    (pictures, both(0, of_picture, (h * w) as isize * c)),
                    (h, both(0, of_row, w as isize * c)),
                    (kh, both(of_weights, of_row, 0)),
                    (channels, [1; 3]),
                ],
                rows: if turned { along } else { none },
                columns: if turned { none } else { along },
                terms: (kw, [c, c]),
            };
            check::<f32>(&case, 1e-6);
            check::<f64>(&case, 1e-15);
        }
    }
}

#[test]
fn weights_that_are_others_for_each_picture_are_not_repeated() {
    let case = Case {
        batch: vec![(3, [30, 700, 4000]), (20, [0, 300, 150]), (7, [1; 3])],
        rows: (1, [0, 0]),
        columns: (21, [7, 7]),
        terms: (4, [7, 7]),
    };
    check::<f32>(&case, 1e-6);
}

#[test]
fn neighbours_are_repeated_where_they_leave_registers_empty() {
    if vectors::are_none() {
        return assert_eq!(repeats::<f32>(3, [100, 9], 9), None, "there are no registers");
    }
    for (channels, terms) in [(2, 1), (3, 9), (7, 49), (9, 4), (33, 9)] {
        let rows = repeats::<f32>(channels, [100, 9], terms).expect("a gain");
        assert!(
            rows > 1 && rows * channels * terms * size_of::<f32>() <= NEAR,
            "{rows} rows of {channels} and {terms} terms"
        );
    }
    assert_eq!(repeats::<f32>(64, [100, 9], 9), None, "full registers");
    assert_eq!(repeats::<f32>(7, [1, 9], 9), None, "one row");
    assert_eq!(repeats::<f32>(7, [100, 9], 5000), None, "more terms than are near");
    assert_eq!(repeats::<f32>(100, [100, 2], 4), None, "few that share numbers");
    assert!(repeats::<f32>(3, [100, 2], 4).is_some(), "registers that are more than half empty");
}

#[test]
fn what_weights_of_channels_owe_is_summed_over_more_terms_than_registers_are_given() {
    for terms in [1, 63, 64, 65, 300] {
        // Two summed axes of the batch; windows are the rows, and the matrices of the left operand share the right one.
        let case = Case {
            batch: vec![(2, [terms as isize * 200, terms as isize * 90, 0]), (90, [1; 3])],
            rows: (9, [90, 90]),
            columns: (1, [0, 0]),
            terms: (terms, [100, 90]),
        };
        check::<f32>(&case, 3e-5);
        check::<f64>(&case, 1e-13);
    }
}

#[test]
fn rows_and_columns_at_each_neighbour_may_lie_in_any_order() {
    let case = Case {
        batch: vec![(33, [1; 3]), (2, [400, 700, 33 * 15])],
        rows: (5, [33, 33 * 3]),
        columns: (3, [35 * 3, 33]),
        terms: (2, [33 * 5, 35]),
    };
    check::<f32>(&case, 1e-6);
}

#[test]
fn pairs_and_products_without_neighbours_are_left_to_others() {
    let [each, apart] = [[1, 8, 4], [2, 16, 8]];
    assert_eq!(neighbours(&[9], [1, 4, 5], [&each, &each, &each]), Some(0), "one row of each");
    assert_eq!(neighbours(&[9], [1, 4, 1], [&each, &each, &each]), None, "pairs");
    assert_eq!(neighbours(&[9], [1, 0, 5], [&each, &each, &each]), None, "no terms");
    assert_eq!(neighbours(&[9], [1, 4, 5], [&each, &apart, &each]), None, "which lie apart");
    assert_eq!(neighbours(&[0], [1, 4, 5], [&each, &each, &each]), None, "none");
}

#[test]
#[should_panic(expected = "products: right operand")]
fn an_operand_that_leaves_its_slice_is_refused() {
    let (numbers, mut out) = ([1.0_f32; 20], [0.0; 20]);
    let view = |offset| View { data: &numbers, offset, strides: &[1, 4, 4] };
    let dst = ViewMut { data: &mut out, offset: 0, strides: &[1, 4, 4] };
    products(1.0, 0, &[4], [1, 5, 1], view(0), view(1), dst, None);
}

#[test]
#[should_panic(expected = "neighbours lie side by side")]
fn an_axis_whose_positions_lie_apart_is_none_of_neighbours() {
    let (data, mut out) = ([1.0_f32; 16], [0.0; 16]);
    let view = View { data: &data, offset: 0, strides: &[0, 2, 1] };
    let dst = ViewMut { data: &mut out, offset: 0, strides: &[1, 8, 4] };
    products(1.0, 0, &[4], [1, 2, 2], view, view, dst, None);
}
