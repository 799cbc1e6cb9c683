//! Attention and its gradient against plain loops in `f64`.

use super::*;
use crate::kernel::testing::{Random, positions as places};

fn of<'a>(batch: &'a [usize], rows: &'a [usize], [keys, positions, columns]: [usize; 3]) -> Sizes<'a> {
    Sizes { batch, rows, keys, positions, columns }
}

/// Plain loops in `f64`, one element of the result after the other.
fn check(batch: usize, sizes: [usize; 4], masked: bool, interleaved: bool) {
    let [rows, keys, positions, columns] = sizes;
    let mut random = Random::new(5);
    let mut data = |size: usize| random.reals(size);
    let (q, k) = (data(batch * rows * keys), data(batch * positions * keys));
    let (v, m) = (data(batch * positions * columns), data(rows * positions));
    // The batch lies outermost, or between the rows and their elements as heads do.
    let strides = |rows: usize, columns: usize| -> [isize; 3] {
        let [rows, columns, batch] = [rows as isize, columns as isize, batch as isize];
        if interleaved { [columns, batch * columns, 1] } else { [rows * columns, columns, 1] }
    };
    let (qs, vs, ds) = (strides(rows, keys), strides(positions, columns), strides(rows, columns));
    let ks = strides(positions, keys);
    let ks = [ks[0], ks[2], ks[1]];
    let ms = [0, positions as isize, 1];
    let mut out = vec![f32::NAN; batch * rows * columns];
    let job = Attention {
        scale: [0.5, 2.0],
        queries: View { data: &q, offset: 0, strides: &qs },
        keys: View { data: &k, offset: 0, strides: &ks },
        values: View { data: &v, offset: 0, strides: &vs },
        mask: masked.then_some(View { data: &m, offset: 0, strides: &ms }),
    };
    attention(of(&[batch], &[rows], [keys, positions, columns]), &job, ViewMut { data: &mut out, offset: 0, strides: &ds });
    let wide = |data: &[f32], at: isize| f64::from(data[at as usize]);
    for (b, i) in (0..batch as isize).flat_map(|b| (0..rows as isize).map(move |i| (b, i))) {
        let score = |j: isize| {
            let terms = (0..keys as isize)
                .map(|x| wide(&q, b * qs[0] + i * qs[1] + x) * wide(&k, b * ks[0] + j * ks[2] + x));
            terms.sum::<f64>() / 4.0 + if masked { wide(&m, i * ms[1] + j) } else { 0.0 }
        };
        let weights: Vec<f64> = (0..positions as isize).map(|j| score(j).exp()).collect();
        let total: f64 = weights.iter().sum();
        for c in 0..columns as isize {
            let exact = (0..positions as isize).map(|j| weights[j as usize] * wide(&v, b * vs[0] + j * vs[1] + c));
            let (exact, got) = (exact.sum::<f64>() / total, wide(&out, b * ds[0] + i * ds[1] + c));
            assert!((got - exact).abs() < 1e-5, "{got} for {exact} at {b}, {i}, {c} of {batch} {sizes:?}");
        }
    }
    assert_eq!(places(&[batch, rows, columns], &ds).count(), out.len(), "every element is checked");
}

#[test]
fn tiles_together_are_attention() {
    for sizes in [[1, 1, 1, 1], [3, 4, 5, 2], [300, 7, 33, 5], [70, 16, 700, 8], [1, 64, 90, 64]] {
        for (masked, interleaved) in [(false, false), (true, false), (false, true), (true, true)] {
            check(3, sizes, masked, interleaved);
        }
    }
}

#[test]
fn only_what_some_row_of_a_tile_sees_is_computed() {
    // A causal mask, a window, a prefix of other length for each example, and rows that see nothing.
    let (batch, rows, positions) = (2, 300, 310);
    let kinds: [&dyn Fn(usize, usize, usize) -> bool; 4] =
        [&|_, i, j| j <= i + 10, &|_, i, j| j <= i && j + 5 > i, &|b, _, j| j < 7 + 200 * b, &|_, i, j| {
            i < 140 && (20..29).contains(&j)
        }];
    let mut random = Random::new(6);
    let (q, k, v) = (random.reals(batch * rows), random.reals(batch * positions), random.reals(batch * positions));
    for sees in kinds {
        let mask: Vec<f32> = (0..batch * rows * positions)
            .map(|at| (at / positions / rows, at / positions % rows, at % positions))
            .map(|(b, i, j)| if sees(b, i, j) { 0.5 } else { f32::NEG_INFINITY })
            .collect();
        let strides = [(rows * positions) as isize, positions as isize, 1];
        let view = |data, strides| View { data, offset: 0, strides };
        let (wide, tall) = ([rows as isize, 1, 1], [positions as isize, 1, 1]);
        let job = Attention {
            scale: [1.0; 2],
            queries: view(&q, &wide),
            keys: view(&k, &tall),
            values: view(&v, &tall),
            mask: Some(view(&mask, &strides)),
        };
        let mut out = vec![0.0; batch * rows];
        attention(of(&[batch], &[rows], [1, positions, 1]), &job, ViewMut { data: &mut out, offset: 0, strides: &wide });
        for (at, got) in out.into_iter().enumerate() {
            let (b, i) = (at / rows, at % rows);
            let seen = (0..positions).filter(|&j| sees(b, i, j));
            let weight = |j: usize| f64::from(q[at] * k[b * positions + j]).exp();
            let (sum, total) = seen.fold((0.0, 0.0), |(sum, total), j| {
                (sum + weight(j) * f64::from(v[b * positions + j]), total + weight(j))
            });
            let exact = sum / total;
            let got = f64::from(got);
            assert!((got - exact).abs() < 1e-5 || (got.is_nan() && exact.is_nan()), "{got} for {exact} at {at}");
        }
    }
}

#[test]
fn a_position_that_is_masked_away_counts_for_nothing() {
    let one = View { data: &[1.0_f32; 4], offset: 0, strides: &[1, 1] };
    let values = View { data: &[5.0, f32::MAX, 7.0], offset: 0, strides: &[1, 1] };
    let mask = View { data: &[0.0, f32::NEG_INFINITY, 0.0], offset: 0, strides: &[0, 1] };
    let job = Attention {
        scale: [1.0; 2],
        queries: one,
        keys: View { strides: &[0, 1], ..one },
        values,
        mask: Some(mask),
    };
    let mut out = [0.0];
    attention(of(&[], &[1], [1, 3, 1]), &job, ViewMut { data: &mut out, offset: 0, strides: &[1, 1] });
    assert_eq!(out, [6.0], "the mean of the other two");
}
