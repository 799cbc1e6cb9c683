//! Attention with relative positions, and other vectors of a table at far more positions than it has vectors, are plain sums.
//!
//! Lives here: those, their gradients by differences, and that no vector is copied for each pair of positions.
//! Not here: other indices (`indexing`), matrices at positions (`experts`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{heads, key, layer, seq, seq_, val};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::differences::{assert_gradients, with_numbers};
use named_tensor_tests::reference::Grid;
use named_tensor_tests::strategies::{cases, grid, in_both_precisions, laid_out, layout, sizes, tensor};
use proptest::prelude::*;

named! {
    /// Keys and values know how far away they are (Shaw et al., 2018): `layer` numbers the distances.
    fn Relative(Q: R[heads, seq_, key], K: R[heads, seq, key], V: R[heads, seq, val], D: layer[seq, seq_];
                A: R[layer, key], B: R[layer, val]) -> R[heads, seq_, val] {
        W = softmax_seq((Q dot_key K + Q dot_key index_layer(A, D)) / sqrt(|key|));
        W dot_seq V + W dot_seq index_layer(B, D)
    }
}

/// Positions that are farther away than `most` count as that far.
fn distances(n: usize, m: usize, most: usize) -> Vec<usize> {
    let far = |i: usize, j: usize| (i as isize - j as isize).clamp(-(most as isize), most as isize);
    (0..n * m).map(|p| far(p / m, p % m).unsigned_abs() + if p / m < p % m { most } else { 0 }).collect()
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn attention_with_relative_positions_is_the_plain_one(
        (q, k, v, a, b, most, l) in (sizes(), 1_usize..4).prop_flat_map(|([h, n, m, d], most)| (
            grid(&[h, m * 2, d * 8]), grid(&[h, n * 3, d * 8]), grid(&[h, n * 3, 20]), grid(&[2 * most + 1, d * 8]),
            grid(&[2 * most + 1, 20]), Just(most), layout(),
        )),
    ) {
        let ([h, m, d], n, width) = ([q.sizes[0], q.sizes[1], q.sizes[2]], k.sizes[1], b.sizes[1]);
        let (far, root) = (distances(n, m, most), (d as f64).sqrt());
        let weights = |h: usize, j: usize| -> Vec<f64> {
            let score = |i: usize| -> f64 {
                let term = |c: usize| q.get(&[h, j, c]) * (k.get(&[h, i, c]) + a.get(&[far[i * m + j], c]));
                (0..d).map(term).sum::<f64>() / root
            };
            let all: Vec<f64> = (0..n).map(|i| score(i).exp()).collect();
            let sum: f64 = all.iter().sum();
            all.iter().map(|w| w / sum).collect()
        };
        let expected = Grid::from_fn(&[h, m, width], |place| {
            let (h, j, c) = (place[0], place[1], place[2]);
            let all = weights(h, j);
            (0..n).map(|i| all[i] * (v.get(&[h, i, c]) + b.get(&[far[i * m + j], c]))).sum()
        });
        in_both_precisions!({
            let model = Relative { A: laid_out!(Number, &a, l, (layer, key)), B: tensor!(Number, &b, (layer, val)) };
            let places = Tensor::indices_from_vec((seq.of(n), seq_.of(m)), layer, far.clone()).unwrap();
            let (q, k) = (laid_out!(Number, &q, l, (heads, seq_, key)), laid_out!(Number, &k, l, (heads, seq, key)));
            let y = model.apply(&q, &k, &tensor!(Number, &v, (heads, seq, val)), &places);
            let bound = Bound::roundings(20 * (d + n), 64.0 * d as f64, UNIT);
            assert_close(&y.to_vec((heads, seq_, val)).unwrap(), &expected, bound);
        });
    }
}

#[test]
fn relative_positions_have_the_gradients_of_differences() {
    let mut rng = seeded(4);
    let sizes = (layer.of(5), key.of(16), val.of(20), seq.of(9));
    let q = Tensor::<_, f64>::normal(&mut rng, (heads.of(2), seq_.of(6), key.of(16)), 0.0, 1.0);
    let k = Tensor::<_, f64>::normal(&mut rng, (heads.of(2), seq.of(9), key.of(16)), 0.0, 1.0);
    let v = Tensor::<_, f64>::normal(&mut rng, (heads.of(2), seq.of(9), val.of(20)), 0.0, 1.0);
    let places = Tensor::indices_from_vec((seq.of(9), seq_.of(6)), layer, distances(9, 6, 2)).unwrap();
    let model = with_numbers(Relative::init(&mut rng, sizes).unwrap().cast::<f64>(), 1);
    assert_gradients(&model, |model| model.apply(&q, &k, &v, &places).sin().sum((heads, seq_, val)));
}

#[test]
fn no_vector_is_copied_for_each_pair_of_positions() {
    let mut rng = seeded(5);
    let model = Relative::init(&mut rng, (layer.of(9), key.of(32), val.of(32), seq.of(50))).unwrap();
    let q = Tensor::normal(&mut rng, (heads.of(2), seq_.of(40), key.of(32)), 0.0, 1.0);
    let k = Tensor::normal(&mut rng, (heads.of(2), seq.of(50), key.of(32)), 0.0, 1.0);
    let v = Tensor::normal(&mut rng, (heads.of(2), seq.of(50), val.of(32)), 0.0, 1.0);
    let places = Tensor::indices_from_vec((seq.of(50), seq_.of(40)), layer, distances(50, 40, 4)).unwrap();
    let plan = model.apply(&q, &k, &v, &places).plan().unwrap();
    assert_eq!(plan.matches("×9 at 50 positions").count(), 2, "{plan}");
    assert!(!plan.contains("index("), "{plan}");
}
