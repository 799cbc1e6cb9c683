//! Attention against plain loops in `f64`. Not here: its gradient (`gradient::tests`).

use super::*;
use crate::kernel::testing::{Random, positions as places};

pub(super) fn of<'a>(batch: &'a [usize], rows: &'a [usize], [keys, positions, columns]: [usize; 3]) -> Sizes<'a> {
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
        instead: false,
    };
    attention(
        of(&[batch], &[rows], [keys, positions, columns]),
        &job,
        ViewMut { data: &mut out, offset: 0, strides: &ds },
    );
    let wide = |data: &[f32], at: isize| f64::from(data[at as usize]);
    for (b, i) in (0..batch as isize).flat_map(|b| (0..rows as isize).map(move |i| (b, i))) {
        let score = |j: isize| {
            let terms =
                (0..keys as isize).map(|x| wide(&q, b * qs[0] + i * qs[1] + x) * wide(&k, b * ks[0] + j * ks[2] + x));
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
    for sizes in [
        [1, 1, 1, 1],
        [3, 4, 5, 2],
        [300, 7, 33, 5],
        [70, 16, 700, 8],
        [1, 64, 90, 64],
        [30, 20, 1100, 80],
        [21, 9, 128, 3],
        [21, 9, 129, 3],
    ] {
        for (masked, interleaved) in [(false, false), (true, false), (false, true), (true, true)] {
            check(3, sizes, masked, interleaved);
        }
    }
}

#[test]
fn attention_of_a_few_rows_is_that_of_plain_loops_in_blocks_and_rests() {
    for sizes in [
        [1, 64, 37, 24],
        [1, 5, 8, 40],
        [5, 33, 19, 7],
        [8, 16, 530, 64],
        [7, 1, 3, 1],
        [1, 64, 37, 40],
        [2, 33, 530, 65],
        [2, 40, 19, 33],
    ] {
        for (masked, interleaved) in [(false, false), (true, false), (false, true), (true, true)] {
            check(13, sizes, masked, interleaved);
        }
    }
}

#[cfg(feature = "parallel")]
#[test]
fn attention_of_a_few_rows_is_the_same_whatever_batch_positions_are_taken_together() {
    use crate::kernel::threads::with_threads;
    let (batch, rows, keys, positions, columns) = (13_usize, 2_usize, 40_usize, 261_usize, 36_usize);
    let mut random = Random::new(9);
    let (q, k, v) = (
        random.reals(batch * rows * keys),
        random.reals(positions * batch * keys),
        random.reals(positions * batch * columns),
    );
    // Each batch position sees others, from another one on.
    let sees = |b: usize, j: usize| (11 * b..250 - 7 * b).contains(&j);
    let mask: Vec<f32> = (0..batch * positions)
        .map(|at| if sees(at / positions, at % positions) { 0.0 } else { f32::NEG_INFINITY })
        .collect();
    let [rows_, keys_, columns_] = [rows, keys, columns].map(|size| size as isize);
    let (all_keys, all_columns) = (keys_ * batch as isize, columns_ * batch as isize);
    let computed = || {
        let job = Attention {
            scale: [0.5, 1.0],
            queries: View { data: &q, offset: 0, strides: &[rows_ * keys_, keys_, 1] },
            keys: View { data: &k, offset: 0, strides: &[keys_, 1, all_keys] },
            values: View { data: &v, offset: 0, strides: &[columns_, all_columns, 1] },
            mask: Some(View { data: &mask, offset: 0, strides: &[positions as isize, 0, 1] }),
            instead: false,
        };
        let mut out = vec![f32::NAN; batch * rows * columns];
        let dst = ViewMut { data: &mut out, offset: 0, strides: &[rows_ * columns_, columns_, 1] };
        attention(of(&[batch], &[rows], [keys, positions, columns]), &job, dst);
        out.into_iter().map(f32::to_bits).collect::<Vec<_>>()
    };
    let alone = with_threads(1, computed);
    for count in [2, 3, 7, 13] {
        assert!(with_threads(count, computed) == alone, "{count} threads and one agree bit for bit");
    }
}

/// One row of each of some heads, over all positions, with the keys and values of each head beside those of the next.
fn of_heads(heads: std::ops::Range<usize>, all: usize, [k, v]: [&[f32]; 2], mask: Option<&[f32]>) -> Vec<f32> {
    const SIZE: usize = 40;
    let (apart, positions) = ((all * SIZE) as isize, k.len() / (all * SIZE));
    let queries = Random::new(4).reals(all * SIZE);
    let (rows, turned) = ([SIZE as isize, apart, 1], [SIZE as isize, 1, apart]);
    let from = |data| View { data, offset: heads.start * SIZE, strides: &rows };
    let mut out = vec![f32::NAN; heads.len() * SIZE];
    let job = Attention {
        scale: [0.5, 1.0],
        queries: from(&queries[..]),
        keys: View { strides: &turned, ..from(k) },
        values: from(v),
        mask: mask.map(|data| View { data, offset: 0, strides: &[0, 0, 1] }),
        instead: false,
    };
    let dst = ViewMut { data: &mut out, offset: 0, strides: &[SIZE as isize, 0, 1] };
    attention(of(&[heads.len()], &[1], [SIZE, positions, SIZE]), &job, dst);
    out
}

#[test]
fn a_head_that_goes_in_parts_has_the_same_numbers_among_its_neighbours_and_alone() {
    for positions in [67, 300, 3001] {
        let [k, v] = [7, 8].map(|seed| Random::new(seed).reals(positions * 5 * 40));
        let together = of_heads(0..5, 5, [&k, &v], None);
        let alone: Vec<f32> = (0..5).flat_map(|head| of_heads(head..head + 1, 5, [&k, &v], None)).collect();
        assert_eq!(together, alone, "{positions} positions");
    }
}

#[test]
fn neighbouring_heads_that_see_different_positions_go_in_parts_of_their_own() {
    const SIZE: usize = 40;
    let positions = 300;
    let [q, k, v] = [(4, 2), (7, 2 * positions), (8, 2 * positions)].map(|(seed, n)| Random::new(seed).reals(n * SIZE));
    let windows = [0..270, 0..300];
    let mask: Vec<f32> = windows
        .iter()
        .flat_map(|seen| (0..positions).map(move |at| if seen.contains(&at) { 0.0 } else { f32::NEG_INFINITY }))
        .collect();
    let apart = 2 * SIZE as isize;
    let rows = |data| View { data, offset: 0, strides: &[SIZE as isize, 0, 1] };
    let job = Attention {
        scale: [0.5, 1.0],
        queries: rows(&q[..]),
        keys: View { data: &k, offset: 0, strides: &[SIZE as isize, 1, apart] },
        values: View { data: &v, offset: 0, strides: &[SIZE as isize, apart, 1] },
        mask: Some(View { data: &mask, offset: 0, strides: &[positions as isize, 0, 1] }),
        instead: false,
    };
    let mut out = vec![f32::NAN; 2 * SIZE];
    let dst = ViewMut { data: &mut out, offset: 0, strides: &[SIZE as isize, 0, 1] };
    attention(of(&[2], &[1], [SIZE, positions, SIZE]), &job, dst);
    for (head, seen) in windows.into_iter().enumerate() {
        let score = |at: usize| -> f64 {
            let key = &k[(at * 2 + head) * SIZE..][..SIZE];
            q[head * SIZE..][..SIZE].iter().zip(key).map(|(&q, &k)| f64::from(q) * f64::from(k)).sum::<f64>() / 2.0
        };
        let sum: f64 = seen.clone().map(|at| score(at).exp()).sum();
        for column in 0..SIZE {
            let value = |at: usize| f64::from(v[(at * 2 + head) * SIZE + column]);
            let mean: f64 = seen.clone().map(|at| score(at).exp() * value(at)).sum::<f64>() / sum;
            let got = f64::from(out[head * SIZE + column]);
            assert!((got - mean).abs() < 1e-5, "head {head}, column {column}: {got} for {mean}");
        }
    }
}

#[test]
fn a_part_that_weighs_nothing_may_hold_values_whose_sum_is_too_large() {
    const SIZE: usize = 40;
    let positions = 200;
    let mut keys = vec![0.0_f32; positions * SIZE];
    let mut values = vec![1e38_f32; positions * SIZE];
    keys[(positions - 1) * SIZE] = 300.0;
    values[(positions - 1) * SIZE..].fill(2.0);
    let mut query = vec![0.0; SIZE];
    query[0] = 1.0;
    let row = SIZE as isize;
    let job = Attention {
        scale: [1.0, 1.0],
        queries: View { data: &query, offset: 0, strides: &[row, 1] },
        keys: View { data: &keys, offset: 0, strides: &[1, row] },
        values: View { data: &values, offset: 0, strides: &[row, 1] },
        mask: None,
        instead: false,
    };
    let mut out = vec![f32::NAN; SIZE];
    attention(of(&[], &[1], [SIZE, positions, SIZE]), &job, ViewMut { data: &mut out, offset: 0, strides: &[row, 1] });
    assert_eq!(out, vec![2.0; SIZE]);
}

#[test]
fn parts_of_which_a_row_sees_nothing_add_nothing_to_it_and_nan_stays() {
    let (positions, seen) = (200, [0..3, 190..200]);
    let [mut k, mut v] = [7, 8].map(|seed| Random::new(seed).reals(positions * 2 * 40));
    let sees = |at: usize| seen.iter().any(|seen| seen.contains(&at));
    let mask: Vec<f32> = (0..positions).map(|at| if sees(at) { 0.0 } else { f32::NEG_INFINITY }).collect();
    let got = of_heads(0..2, 2, [&k, &v], Some(&mask));
    let pick =
        |data: &[f32]| seen.iter().flat_map(|seen| data[seen.start * 80..seen.end * 80].to_vec()).collect::<Vec<_>>();
    let expected = of_heads(0..2, 2, [&pick(&k), &pick(&v)], None);
    let near = got.iter().zip(&expected).all(|(x, y)| (x - y).abs() < 1e-6);
    assert!(near, "{got:?} for {expected:?}");

    let nothing = vec![f32::NEG_INFINITY; positions];
    assert!(of_heads(0..2, 2, [&k, &v], Some(&nothing)).iter().all(|x| x.is_nan()), "a mean of nothing");
    // The first head meets a key, the second one a value that is not a number.
    (k[195 * 80], v[195 * 80 + 79]) = (f32::NAN, f32::NAN);
    let got = of_heads(0..2, 2, [&k, &v], Some(&mask));
    let nan: Vec<usize> = (0..80).filter(|&at| got[at].is_nan()).collect();
    assert_eq!(nan, (0..40).chain([79]).collect::<Vec<_>>(), "where they are met, and nowhere else");
}

#[test]
fn a_row_that_sees_many_positions_keeps_its_digits() {
    for rows in [1, 12, 16] {
        rows_that_see_many_positions_keep_their_digits(rows);
    }
}

fn rows_that_see_many_positions_keep_their_digits(rows: usize) {
    let (positions, columns) = (100_000, 40);
    let (queries, keys) = (vec![0.0_f32; rows * 32], vec![0.0; positions * 32]);
    let values = vec![0.1; positions * columns];
    let job = Attention {
        scale: [1.0, 1.0],
        queries: View { data: &queries, offset: 0, strides: &[32, 1] },
        keys: View { data: &keys, offset: 0, strides: &[1, 32] },
        values: View { data: &values, offset: 0, strides: &[columns as isize, 1] },
        mask: None,
        instead: false,
    };
    let mut out = vec![f32::NAN; rows * columns];
    let dst = ViewMut { data: &mut out, offset: 0, strides: &[columns as isize, 1] };
    attention(of(&[], &[rows], [32, positions, columns]), &job, dst);
    assert!(out.iter().all(|x| (x - 0.1).abs() < 2e-6), "{} is the mean of tenths", out[0]);
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
            instead: false,
        };
        let mut out = vec![0.0; batch * rows];
        attention(
            of(&[batch], &[rows], [1, positions, 1]),
            &job,
            ViewMut { data: &mut out, offset: 0, strides: &wide },
        );
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
fn sums_go_on_from_one_block_of_positions_to_the_next_wherever_results_lie() {
    // Each row sees 600 positions, from another one on: the first rows none of the last ones.
    let (rows, positions, width) = (40, 1400, 64);
    let sees = |i: usize, j: usize| (20 * i..20 * i + 600).contains(&j);
    let mut random = Random::new(12);
    let (q, k, v) = (random.reals(rows), random.reals(positions), random.reals(positions * width));
    let mask: Vec<f32> = (0..rows * positions)
        .map(|at| if sees(at / positions, at % positions) { 0.0 } else { f32::NEG_INFINITY })
        .collect();
    let view = |data, strides| View { data, offset: 0, strides };
    let job = Attention {
        scale: [1.0; 2],
        queries: view(&q, &[1, 1]),
        keys: view(&k, &[1, 1]),
        values: view(&v, &[64, 1]),
        mask: Some(view(&mask, &[1400, 1])),
        instead: false,
    };
    let down = rows as isize;
    // In rows, in rows that lie apart, in rows from the last to the first, and in columns; all values, or the first ones.
    for (columns, offset, strides) in
        [(64, 0, [64, 1]), (57, 3, [70, 1]), (57, (rows - 1) * 57, [-57, 1]), (64, 0, [1, down])]
    {
        let mut out = vec![7.0; rows * 70 + 3];
        attention(
            of(&[], &[rows], [1, positions, columns]),
            &job,
            ViewMut { data: &mut out, offset, strides: &strides },
        );
        let place = |i: usize, c: usize| offset.wrapping_add_signed(i as isize * strides[0] + c as isize * strides[1]);
        for i in 0..rows {
            let weight = |j: usize| f64::from(q[i] * k[j]).exp();
            let seen = || (0..positions).filter(|&j| sees(i, j));
            let total: f64 = seen().map(weight).sum();
            for c in 0..columns {
                let exact = seen().map(|j| weight(j) * f64::from(v[j * width + c])).sum::<f64>() / total;
                let got = f64::from(out[place(i, c)]);
                assert!((got - exact).abs() < 1e-6, "{got} for {exact} at {i}, {c}, {strides:?}");
            }
        }
        let written = (0..rows).flat_map(|i| (0..columns).map(move |c| (i, c)));
        written.for_each(|(i, c)| out[place(i, c)] = 7.0);
        assert!(out.iter().all(|&x| x == 7.0), "nothing else is written, {strides:?}");
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
        instead: false,
    };
    let mut out = [0.0];
    attention(of(&[], &[1], [1, 3, 1]), &job, ViewMut { data: &mut out, offset: 0, strides: &[1, 1] });
    assert_eq!(out, [6.0], "the mean of the other two");
}

#[test]
fn what_a_short_row_meets_stays_with_it_and_what_it_does_not_see_counts_for_nothing() {
    // 30 rows see 50 positions: the first all but the last ten, the second the last ten, the third nothing, the others all.
    let (rows, positions, none) = (30, 50, f32::NEG_INFINITY);
    let (mut q, mut k) = (vec![0.0; rows], vec![1.0; positions]);
    // The scores of the fourth row are all NaN, and one of all but the first is +∞.
    (q[3], q[4], k[49]) = (f32::NAN, 1.0, f32::INFINITY);
    let v: Vec<f32> = (0..positions).map(|j| j as f32).collect();
    let mask: Vec<f32> = (0..rows * positions)
        .map(|at| match (at / positions, at % positions) {
            (0, 40..) | (1, ..40) | (2, _) => none,
            _ => 0.0,
        })
        .collect();
    let job = Attention {
        scale: [1.0, 1.0],
        queries: View { data: &q, offset: 0, strides: &[1, 1] },
        keys: View { data: &k[..], offset: 0, strides: &[1, 1] },
        values: View { data: &v, offset: 0, strides: &[1, 1] },
        mask: Some(View { data: &mask, offset: 0, strides: &[positions as isize, 1] }),
        instead: false,
    };
    let run = |job: &Attention<'_, f32>| {
        let mut out = vec![7.0; rows];
        attention(of(&[], &[rows], [1, positions, 1]), job, ViewMut { data: &mut out, offset: 0, strides: &[1, 1] });
        out
    };
    let out = run(&job);
    assert_eq!(out[0], 19.5, "the mean of what it sees: 0 times ∞ is met by those who see it");
    assert!(out[1..].iter().all(|x| x.is_nan()), "{out:?}");
    let finite = vec![1.0; positions];
    let out = run(&Attention { keys: View { data: &finite, ..job.keys }, ..job });
    assert_eq!([out[0], out[1], out[4]], [19.5, 44.5, 24.5], "means of what each sees");
    assert!(out[2].is_nan() && out[3].is_nan(), "of nothing, and of NaN");
    assert!(out[5..].iter().all(|&x| x == 24.5), "{out:?}");
}
