//! The gradient of attention against plain loops in `f64`.

use super::super::tests::of;
use super::*;
use crate::kernel::testing::Random;

/// The gradients of queries, keys and values by plain loops in `f64`, for the cotangent `g`; everything dense, in the order
/// batch, position, feature; `mask` is what is added to a score.
fn plain_gradients(
    batch: usize,
    [rows, keys, positions, columns]: [usize; 4],
    scale: f64,
    mask: &dyn Fn(usize, usize, usize) -> f64,
    q: &[f32],
    k: &[f32],
    v: &[f32],
    g: &[f32],
) -> [Vec<f64>; 3] {
    let mut owed = [vec![0.0; q.len()], vec![0.0; k.len()], vec![0.0; v.len()]];
    let at = |data: &[f32], row: usize, width: usize, column: usize| f64::from(data[row * width + column]);
    for (b, i) in (0..batch).flat_map(|b| (0..rows).map(move |i| (b, i))) {
        let (row, place) = (b * rows + i, |j: usize| b * positions + j);
        let dot = |xs: &[f32], x: usize, ys: &[f32], y: usize, width: usize| -> f64 {
            (0..width).map(|c| at(xs, x, width, c) * at(ys, y, width, c)).sum()
        };
        let raised: Vec<f64> =
            (0..positions).map(|j| (scale * dot(q, row, k, place(j), keys) + mask(b, i, j)).exp()).collect();
        let total: f64 = raised.iter().sum();
        let p: Vec<f64> = raised.iter().map(|x| x / total).collect();
        let dp: Vec<f64> = (0..positions).map(|j| dot(g, row, v, place(j), columns)).collect();
        let mean: f64 = p.iter().zip(&dp).map(|(p, dp)| p * dp).sum();
        for j in 0..positions {
            let ds = scale * p[j] * (dp[j] - mean);
            (0..keys).for_each(|c| owed[0][row * keys + c] += ds * at(k, place(j), keys, c));
            (0..keys).for_each(|c| owed[1][place(j) * keys + c] += ds * at(q, row, keys, c));
            (0..columns).for_each(|c| owed[2][place(j) * columns + c] += p[j] * at(g, row, columns, c));
        }
    }
    owed
}

/// Runs the gradient, of which `wanted` is asked for; `mask` lies over rows and positions, or over all.
fn gradients(
    batch: usize,
    [rows, keys, positions, columns]: [usize; 4],
    mask: Option<&[f32]>,
    [q, k, v, g]: [&[f32]; 4],
    wanted: [bool; 3],
) -> [Vec<f32>; 3] {
    let dense = |rows: usize, columns: usize| [(rows * columns) as isize, columns as isize, 1];
    let turned = |[batch, row, column]: [isize; 3]| [batch, column, row];
    let (qs, ks, vs) = (dense(rows, keys), turned(dense(positions, keys)), dense(positions, columns));
    let (gs, ms) = (dense(rows, columns), [0, positions as isize, 1]);
    let view = |data, strides| View { data, offset: 0, strides };
    let job = Attention {
        scale: [0.5, 2.0],
        queries: view(q, &qs),
        keys: view(k, &ks),
        values: view(v, &vs),
        mask: mask.map(|mask| view(mask, &ms)),
        instead: false,
    };
    let mut out = vec![f32::NAN; q.len() + k.len() + v.len()];
    let places = [(0, &qs[..]), (q.len(), &ks[..]), (q.len() + k.len(), &vs[..])];
    let to = [0, 1, 2].map(|which: usize| wanted[which].then_some(places[which]));
    gradient(of(&[batch], &[rows], [keys, positions, columns]), &job, view(g, &gs), &mut out, to);
    let (first, rest) = out.split_at(q.len());
    let (second, third) = rest.split_at(k.len());
    [first.to_vec(), second.to_vec(), third.to_vec()]
}

#[test]
fn gradients_of_stripes_together_are_those_of_plain_loops() {
    let mut random = Random::new(7);
    let seen: [&dyn Fn(usize, usize) -> bool; 4] =
        [&|_, _| true, &|i, j| j <= i, &|i, j| j <= i && j + 9 > i, &|i, j| j % 3 == 0 || i % 2 == 0];
    for (n, sizes) in
        [[1, 1, 1, 1], [5, 3, 4, 2], [70, 16, 130, 8], [130, 33, 65, 5], [66, 70, 100, 130]].into_iter().enumerate()
    {
        let [rows, keys, positions, columns] = sizes;
        let batch = 1 + n % 3;
        let [q, k, v, g] =
            [batch * rows * keys, batch * positions * keys, batch * positions * columns, batch * rows * columns]
                .map(|size| random.reals(size));
        for (kind, sees) in seen.iter().enumerate() {
            // A causal mask says 0 of what it shows, the last one something else.
            let said = |i: usize, j: usize| if kind == 3 { 0.25 * (i % 5) as f32 - 0.1 * (j % 7) as f32 } else { 0.0 };
            let mask: Vec<f32> = (0..rows * positions)
                .map(|at| (at / positions, at % positions))
                .map(|(i, j)| if sees(i, j) || j == 0 { said(i, j) } else { f32::NEG_INFINITY })
                .collect();
            let plain = |_: usize, i: usize, j: usize| f64::from(mask[i * positions + j]);
            let exact = plain_gradients(batch, sizes, 0.25, &plain, &q, &k, &v, &g);
            for wanted in [[true; 3], [true, false, false], [false, true, false], [false, false, true]] {
                let got = gradients(batch, sizes, (kind > 0).then_some(&mask), [&q, &k, &v, &g], wanted);
                for which in (0..3).filter(|&which| wanted[which]) {
                    for (at, (got, exact)) in got[which].iter().zip(&exact[which]).enumerate() {
                        let error = (f64::from(*got) - exact).abs();
                        assert!(error < 2e-5, "{got} for {exact} at {at} of {which}, {sizes:?}, mask {kind}");
                    }
                }
            }
        }
    }
}

#[cfg(feature = "parallel")]
#[test]
fn attention_and_its_gradient_are_the_same_on_any_number_of_threads() {
    use crate::kernel::threads::with_threads;
    let (batch, sizes) = (3, [300, 20, 310, 17]);
    let mut random = Random::new(8);
    let [q, k, v, g] = [900 * 20, 930 * 20, 930 * 17, 900 * 17].map(|size| random.reals(size));
    let all = || gradients(batch, sizes, None, [&q, &k, &v, &g], [true; 3]).concat();
    let alone = with_threads(1, all);
    for count in 2..=4 {
        assert!(with_threads(count, all) == alone, "{count} threads and one agree");
    }
}

#[test]
fn a_row_that_sees_nothing_owes_no_number() {
    let mask = [0.0, 0.0, f32::NEG_INFINITY, f32::NEG_INFINITY];
    let [q, k, v, g] = [1.0_f32, 2.0, 3.0, 4.0].map(|x| [x; 2]);
    let [of_queries, of_keys, _] = gradients(1, [2, 1, 2, 1], Some(&mask), [&q, &k, &v, &g], [true; 3]);
    assert!(of_queries[0].is_finite() && of_queries[1].is_nan(), "the first row is sound: {of_queries:?}");
    assert!(of_keys.iter().all(|x| x.is_nan()), "both positions were looked at: {of_keys:?}");
}

#[test]
fn a_short_row_of_nan_owes_nothing_to_positions_that_it_does_not_see() {
    let (rows, positions) = (20, 40);
    let mask: Vec<f32> = (0..rows * positions)
        .map(|at| if at % positions <= at / positions { 0.0 } else { f32::NEG_INFINITY })
        .collect();
    let mut q = vec![1.0; rows];
    q[2] = f32::NAN;
    let [k, v, g] = [positions, positions, rows].map(|size| vec![1.0; size]);
    let [of_queries, _, of_values] = gradients(1, [rows, 1, positions, 1], Some(&mask), [&q, &k, &v, &g], [true; 3]);
    let nan = |owed: &[f32]| (0..owed.len()).filter(|&at| owed[at].is_nan()).collect::<Vec<_>>();
    assert_eq!([nan(&of_queries), nan(&of_values)], [vec![2], vec![0, 1, 2]]);
}
