//! Masks of low numbers against plain loops in `f64`, forwards and backwards.

use super::super::gradient::gradient;
use super::super::tests::of;
use super::super::{View, ViewMut, attention};
use super::*;
use crate::kernel::testing::Random;

const ROWS: usize = 70;
const POSITIONS: usize = 90;
const KEYS: usize = 5;
const COLUMNS: usize = 3;

/// What goes in, row by row, and whether the mask stands instead of scores.
struct Case {
    q: Vec<f32>,
    k: Vec<f32>,
    v: Vec<f32>,
    g: Vec<f32>,
    mask: Vec<f32>,
    instead: bool,
    scale: [f32; 2],
}

impl Case {
    fn new(instead: bool, mask: impl Fn(usize, usize) -> f32) -> Case {
        let mut random = Random::new(3);
        let mut of = |rows: usize, columns: usize| random.reals(rows * columns);
        let (q, k) = (of(ROWS, KEYS), of(POSITIONS, KEYS));
        let (v, g) = (of(POSITIONS, COLUMNS), of(ROWS, COLUMNS));
        let mask = (0..ROWS * POSITIONS).map(|at| mask(at / POSITIONS, at % POSITIONS)).collect();
        Case { q, k, v, g, mask, instead, scale: [0.5, 1.0] }
    }

    /// The results and the gradients of queries, keys and values, one after the other.
    fn computed(&self) -> [Vec<f32>; 4] {
        let [keys, columns] = [KEYS as isize, COLUMNS as isize];
        let view = |data, strides| View { data, offset: 0, strides };
        let (by_keys, turned, by_columns) = ([keys, 1], [1, keys], [columns, 1]);
        let job = Attention {
            scale: self.scale,
            queries: view(&self.q[..], &by_keys),
            keys: view(&self.k, &turned),
            values: view(&self.v, &by_columns),
            mask: Some(view(&self.mask, &[POSITIONS as isize, 1])),
            instead: self.instead,
        };
        let sizes = of(&[], &[ROWS], [KEYS, POSITIONS, COLUMNS]);
        let mut out = vec![f32::NAN; ROWS * COLUMNS];
        attention(sizes, &job, ViewMut { data: &mut out, offset: 0, strides: &by_columns });
        let ends = [0, self.q.len(), self.q.len() + self.k.len()];
        let mut owed = vec![f32::NAN; ends[2] + self.v.len()];
        let to = [Some((0, &by_keys[..])), Some((ends[1], &turned[..])), Some((ends[2], &by_columns[..]))];
        gradient(sizes, &job, view(&self.g, &by_columns), &mut owed, to);
        let values = owed.split_off(ends[2]);
        let keys = owed.split_off(ends[1]);
        [out, owed, keys, values]
    }

    /// The same by plain loops.
    fn plain(&self) -> [Vec<f64>; 4] {
        let wide = |data: &[f32], at: usize| f64::from(data[at]);
        let mut out = vec![0.0; ROWS * COLUMNS];
        let mut owed = [vec![0.0; self.q.len()], vec![0.0; self.k.len()], vec![0.0; self.v.len()]];
        for i in 0..ROWS {
            let scale = f64::from(self.scale[0]) / f64::from(self.scale[1]);
            let scores: Vec<f64> = (0..POSITIONS)
                .map(|j| {
                    let mask = wide(&self.mask, i * POSITIONS + j);
                    let dot: f64 = (0..KEYS).map(|x| wide(&self.q, i * KEYS + x) * wide(&self.k, j * KEYS + x)).sum();
                    match self.instead {
                        true if mask != 0.0 => mask,
                        // As numbers of 32 bits are added.
                        _ => f64::from((scale * dot) as f32 + mask as f32),
                    }
                })
                .collect();
            let top = scores.iter().fold(f64::NEG_INFINITY, |top, &score| top.max(score));
            let raised: Vec<f64> = scores.iter().map(|score| (score - top).exp()).collect();
            let total: f64 = raised.iter().sum();
            let p: Vec<f64> = raised.iter().map(|x| x / total).collect();
            let slope = |j: usize| -> f64 {
                (0..COLUMNS).map(|c| wide(&self.g, i * COLUMNS + c) * wide(&self.v, j * COLUMNS + c)).sum()
            };
            let mean: f64 = (0..POSITIONS).map(|j| p[j] * slope(j)).sum();
            for j in 0..POSITIONS {
                let is_score = !self.instead || self.mask[i * POSITIONS + j] == 0.0;
                let ds = if is_score { scale * p[j] * (slope(j) - mean) } else { 0.0 };
                (0..COLUMNS).for_each(|c| out[i * COLUMNS + c] += p[j] * wide(&self.v, j * COLUMNS + c));
                (0..KEYS).for_each(|x| owed[0][i * KEYS + x] += ds * wide(&self.k, j * KEYS + x));
                (0..KEYS).for_each(|x| owed[1][j * KEYS + x] += ds * wide(&self.q, i * KEYS + x));
                (0..COLUMNS).for_each(|c| owed[2][j * COLUMNS + c] += p[j] * wide(&self.g, i * COLUMNS + c));
            }
        }
        let [q, k, v] = owed;
        [out, q, k, v]
    }

    fn check(&self, what: &str) {
        for (which, (got, exact)) in self.computed().iter().zip(self.plain()).enumerate() {
            for (at, (&got, exact)) in got.iter().zip(exact).enumerate() {
                let near = (f64::from(got) - exact).abs() < 2e-5 * (1.0 + exact.abs());
                assert!(near || got.is_nan() && exact.is_nan(), "{what}: {got} for {exact} at {at} of result {which}");
            }
        }
    }
}

/// Nothing behind the row's own position, and nothing at all for a few rows.
fn is_seen(i: usize, j: usize) -> bool {
    j <= i && !(20..23).contains(&i)
}

#[test]
fn a_position_with_a_low_number_counts_for_nothing_unless_all_are_as_low() {
    for instead in [true, false] {
        for low in [-1e4, -1e9, -1e30, f32::MIN] {
            Case::new(instead, |i, j| if is_seen(i, j) { 0.0 } else { low }).check(&format!("{low}, {instead}"));
        }
    }
}

#[test]
fn scores_as_low_as_the_number_are_weighed_with_it() {
    for instead in [true, false] {
        // Scores reach from far above to far below the number, and a few rows are near it.
        for (low, size) in [(-20_000.0, 100.0), (-20_000.0, 1e3), (-1e9, 3e4)] {
            let mut case = Case::new(instead, |i, j| if is_seen(i, j) { 0.0 } else { low });
            case.q.iter_mut().for_each(|x| *x *= size);
            case.k.iter_mut().for_each(|x| *x *= size);
            // So large that no exponential but that of the largest score is more than 0: ties are of numbers.
            let (got, plain) = (case.computed(), case.plain());
            for (got, exact) in got[0].iter().zip(&plain[0]) {
                assert!((f64::from(*got) - exact).abs() < 1e-2, "{got} for {exact}, {low}, {instead}");
            }
        }
        let mut case = Case::new(instead, |i, j| if is_seen(i, j) { 0.0 } else { -1e4 });
        case.q.fill(-100.0);
        case.k.iter_mut().enumerate().for_each(|(at, k)| *k = 40.0 + ((at / KEYS + 2) % 5) as f32 / 64.0);
        case.check("scores from -10,016 to -10,000");
    }
}

#[test]
fn two_low_numbers_and_infinity_go_beside_each_other() {
    for instead in [true, false] {
        let mask = |i: usize, j: usize| match (is_seen(i, j), j % 3) {
            (true, _) => 0.0,
            (_, 0) => f32::NEG_INFINITY,
            (_, 1) => -1e9,
            _ => -1e6,
        };
        Case::new(instead, mask).check("three kinds of low numbers");
    }
}

#[test]
fn a_key_that_is_nan_is_met_where_a_low_number_is_added_and_not_where_it_stands_instead() {
    for instead in [true, false] {
        let mut case = Case::new(instead, |i, j| if is_seen(i, j) { 0.0 } else { -1e9 });
        case.k[80 * KEYS + 2] = f32::NAN;
        let [out, ..] = case.computed();
        assert_eq!(out.iter().all(|x| x.is_nan()), !instead, "no row sees position 80");
        assert_eq!(out.iter().any(|x| x.is_nan()), !instead);
    }
}

#[test]
fn lengths_whose_squares_are_nothing_or_too_much_in_32_bits_are_lengths() {
    // Scores of some 10⁵, of queries or keys whose squares are 0 or infinite where they are stored.
    for (query, key, scale) in [(1e-23, 1e18, [1e10, 1.0]), (1e-30, 1e10, [1e25, 1.0]), (1e-16, 1e20, [1.0, 0.1])] {
        let mut case = Case::new(false, |i, j| if is_seen(i, j) { 0.0 } else { -2e4 });
        case.q.fill(query);
        case.k.iter_mut().enumerate().for_each(|(at, k)| *k = key * (1.0 + (at / KEYS) as f32 / 10.0));
        case.scale = scale;
        let (got, plain) = (case.computed(), case.plain());
        for (got, exact) in got[0].iter().zip(&plain[0]) {
            let near = (f64::from(*got) - exact).abs() < 1e-3 * (1.0 + exact.abs());
            assert!(near || got.is_nan() && exact.is_nan(), "{got} for {exact}, {query} {key}");
        }
    }
}

#[test]
fn what_is_beyond_is_not_computed() {
    let seen = Seen::new(
        &[2],
        6,
        Some(View {
            data: &[0.0_f32, 0.5, -1e9, -2e9, -1e9, 0.0, -1e9, -1e9, 0.0, -1e5, f32::NEG_INFINITY, -3e9],
            offset: 0,
            strides: &[6, 1],
        }),
        LOW as f32,
    );
    let sight = |start, end, masked, beyond| Sight { start, end, masked, beyond };
    assert_eq!(seen.rows(0..2), [sight(0, 6, true, f64::NEG_INFINITY), sight(2, 3, false, -1e5)]);
}
