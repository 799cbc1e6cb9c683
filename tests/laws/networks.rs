//! The worked networks of the paper as equations, with the numbers of the inventory or against plain code.
//!
//! Lives here: rows N1 to N3 and N11 to N16. Not here: windows (`unroll`), attention (`models`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{
    assign, batch, beam, chans, classes, clusters, depth, emb, height, height_, hidden, hidden_, hidden1, hidden2,
    input, kernel, layer, layer_, out, seq, state, vocab, width, width_,
};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::elementwise::{map, sigmoid};
use named_tensor_tests::reference::feed_forward::{elman_step, fully_connected};
use named_tensor_tests::reference::rearrangement::{at, flatten, split};
use named_tensor_tests::reference::softmax::standardize;
use named_tensor_tests::reference::{Grid, contraction};
use named_tensor_tests::strategies::{cases, grids, in_both_precisions, laid_out, layout, tensor};
use proptest::prelude::*;

named! {
    /// Row N1.
    fn ThreeLayers(X: R[input]; W1: R[input, hidden1], b1: R[hidden1], W2: R[hidden1, hidden2], b2: R[hidden2],
                   W3: R[hidden2, out], b3: R[out]) -> R[out] {
        X1 = σ(W1 dot_input X + b1);
        X2 = σ(W2 dot_hidden1 X1 + b2);
        σ(W3 dot_hidden2 X2 + b3)
    }

    /// Row N2: the same name for the sizes before and after.
    fn FullConn(X: R[layer]; W: R[layer, layer_], b: R[layer_]) -> R[layer] {
        σ(W dot_layer X + b)_{layer_ -> layer}
    }

    /// Row N3: one step of the network.
    fn Elman(H: R[hidden], X: R[input]; W_h: R[hidden, hidden_], W_i: R[input, hidden_], b: R[hidden_]) -> R[hidden] {
        σ(W_h dot_hidden H + W_i dot_input X + b)_{hidden_ -> hidden}
    }

    /// Row N11 for groups of two channels.
    fn GroupNorm(X: R[batch, chans, layer]; g: R[chans] = 1, b: R[chans] = 0) -> R[batch, chans, layer] {
        standardize_{kernel, layer}(pool_{chans, kernel}(X, 2))_{(chans, kernel) -> chans} * g + b
    }

    /// Row N13.
    fn Cbow(X: R[seq, vocab]; E: R[vocab, emb], W: R[classes, emb]) -> R[classes] {
        softmax_classes(sum_seq(W dot_emb (E dot_vocab X)))
    }

    fn CbowInnerFirst(X: R[seq, vocab]; E: R[vocab, emb], W: R[classes, emb]) -> R[classes] {
        softmax_classes(sum_seq((W dot_emb E) dot_vocab X))
    }

    /// Row N15: the clusters' new centres.
    fn Centres(C: R[clusters, depth], X: R[batch, depth]) -> R[clusters, depth] {
        Q = argmin_clusters(norm_depth(C - X));
        (Q dot_batch X) / sum_batch(Q)
    }
}

fn sigmoids(w: &Grid, x: &Grid, b: &Grid) -> Grid {
    fully_connected(&Grid::from_fn(&[w.sizes[1], w.sizes[0]], |place| w.get(&[place[1], place[0]])), x, b)
}

/// Sums of n products below 4, and a sigmoid, which does not enlarge errors.
fn neurons(n: usize, unit: f64) -> Bound {
    Bound::roundings(n + 12, 4.0 * n as f64 + 2.0, unit)
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn n1_a_network_of_three_layers_is_the_plain_one(
        [x, w1, b1, w2, b2, w3, b3] in grids(|[i, h, k, o]| {
            [vec![i], vec![i, h], vec![h], vec![h, k], vec![k], vec![k, o], vec![o]]
        }),
    ) {
        in_both_precisions!({
            let model = ThreeLayers {
                W1: tensor!(Number, &w1, (input, hidden1)),
                b1: tensor!(Number, &b1, (hidden1)),
                W2: tensor!(Number, &w2, (hidden1, hidden2)),
                b2: tensor!(Number, &b2, (hidden2)),
                W3: tensor!(Number, &w3, (hidden2, out)),
                b3: tensor!(Number, &b3, (out)),
            };
            let y = model.apply(&tensor!(Number, &x, (input))).to_vec(out).unwrap();
            let expected = sigmoids(&w3, &sigmoids(&w2, &sigmoids(&w1, &x, &b1), &b2), &b3);
            let n = x.sizes[0] + b1.sizes[0] * 2 + b2.sizes[0] * 2;
            assert_close(&y, &expected, neurons(n, UNIT));
        });
    }

    #[test]
    fn n2_a_fully_connected_layer_keeps_the_name_and_may_change_the_size(
        [x, w, b] in grids(|[i, o]| [vec![i], vec![i, o], vec![o]]), l in layout(),
    ) {
        in_both_precisions!({
            let model = FullConn { W: tensor!(Number, &w, (layer, layer_)), b: tensor!(Number, &b, (layer_)) };
            let y: Tensor<R![layer], Number> = model.apply(&laid_out!(Number, &x, l, layer));
            prop_assert_eq!(y.size(layer), b.sizes[0]);
            assert_close(&y.to_vec(layer).unwrap(), &sigmoids(&w, &x, &b), neurons(x.sizes[0], UNIT));
        });
    }

    #[test]
    fn n3_steps_of_an_elman_network_are_the_plain_steps(
        [xs, h, w_h, w_i, b] in grids(|[t, i, h]| [vec![t, i], vec![h], vec![h, h], vec![i, h], vec![h]]),
    ) {
        let model = Elman {
            W_h: tensor!(f64, &w_h, (hidden, hidden_)),
            W_i: tensor!(f64, &w_i, (input, hidden_)),
            b: tensor!(f64, &b, (hidden_)),
        };
        let turned = |w: &Grid| Grid::from_fn(&[w.sizes[1], w.sizes[0]], |place| w.get(&[place[1], place[0]]));
        let inputs = tensor!(f64, &xs, (seq, input));
        let (mut state, mut expected) = (tensor!(f64, &h, (hidden)), h.clone());
        for t in 0..xs.sizes[0] {
            state = model.apply(&state, &inputs.at(seq, t));
            expected = elman_step(&turned(&w_h), &turned(&w_i), &b, &expected, &at(&xs, 0, t));
            // Each step passes on the errors before it, times at most |h| weights of 2 and a slope of 1/4.
            let growth = (h.sizes[0] as f64 / 2.0).max(1.0).powi(i32::try_from(t).unwrap().min(20));
            let (roundings, magnitude) = (xs.sizes[1] + h.sizes[0] + 12, 4.0 * growth * xs.sizes[1] as f64 + 8.0);
            let bound = Bound::roundings((t + 1) * roundings, magnitude, f64::EPSILON);
            assert_close(&state.to_vec(hidden).unwrap(), &expected, bound);
        }
    }

    #[test]
    fn n11_group_norm_is_standardisation_within_neighbouring_channels(
        [x, g, b] in grids(|[n, c, l]| [vec![n, 2 * c, l], vec![2 * c], vec![2 * c]]), l in layout(),
    ) {
        let model = GroupNorm { g: tensor!(f64, &g, (chans)), b: tensor!(f64, &b, (chans)) };
        let y: Tensor<R![batch, chans, layer], f64> = model.apply(&laid_out!(f64, &x, l, (batch, chans, layer)));
        let (groups, width) = (x.sizes[1] / 2, x.sizes[2]);
        let scaled = |y: f64, c: &[usize]| y * g.get(c) + b.get(c);
        for n in 0..x.sizes[0] {
            let example = at(&x, 0, n);
            let expected = flatten(&standardize(&split(&example, groups, 2), &[1, 2], 1e-5));
            let expected = Grid::from_fn(&expected.sizes, |place| scaled(expected.get(place), &place[..1]));
            let bound = Bound::roundings(8 * width + 20, 1e3 / 1e-5, f64::EPSILON);
            assert_close(&y.at(batch, n).to_vec((chans, layer)).unwrap(), &expected, bound);
        }
    }

    #[test]
    fn n13_both_bracketings_of_a_bag_of_words_are_equal(
        [e, w] in grids(|[v, d, c]| [vec![v, d], vec![c, d]]), words in prop::collection::vec(0_usize..64, 1..6),
    ) {
        let words: Vec<usize> = words.iter().map(|word| word % e.sizes[0]).collect();
        let tokens = Tensor::indices_from_vec(seq.of(words.len()), vocab, words.clone()).unwrap();
        let x = tokens.one_hot::<_, f64>(vocab.of(e.sizes[0]));
        let (table, weights) = (tensor!(f64, &e, (vocab, emb)), tensor!(f64, &w, (classes, emb)));
        let outer = Cbow { E: table.clone(), W: weights.clone() }.apply(&x).to_vec(classes).unwrap();
        let inner = CbowInnerFirst { E: table, W: weights }.apply(&x).to_vec(classes).unwrap();
        let n = words.len() * e.sizes[1];
        assert_close(&inner, &Grid::new(&[w.sizes[0]], outer), Bound::roundings(n + 20, 4.0 * n as f64, f64::EPSILON));
    }
}

#[test]
fn n12_discrete_random_variables_and_bayes() {
    let p_a = tensor!(f64, &Grid::new(&[2], vec![0.2, 0.8]), (height));
    let p_b_a = tensor!(f64, &Grid::new(&[2, 3], vec![0.5, 0.25, 0.25, 0.1, 0.6, 0.3]), (height, width));
    let joint = &p_b_a * &p_a;
    let p_b = p_b_a.dot(height, &p_a);
    let bound = Bound::roundings(4, 1.0, f64::EPSILON);
    assert_close(&p_b.to_vec(width).unwrap(), &Grid::new(&[3], vec![0.18, 0.53, 0.29]), bound);
    assert_close(&joint.sum(height).to_vec(width).unwrap(), &Grid::new(&[3], vec![0.18, 0.53, 0.29]), bound);
    let posterior = (&joint / &p_b).at(height, 0).to_vec(width).unwrap();
    let expected = Grid::new(&[3], vec![0.555_556, 0.094_340, 0.172_414]);
    assert_close(&posterior, &expected, Bound::absolute(5e-7));
}

/// How many of each digit stand in each square of three by three, over (height′, width′, assign).
fn squares(x: &Tensor<R![height, width, assign], f64>) -> Vec<f64> {
    let split = x.split(height, (height_.of(3), height)).split(width, (width_.of(3), width));
    split.sum((height, width)).to_vec((height_, width_, assign)).unwrap()
}

#[test]
fn n14_a_valid_sudoku_has_one_of_each_in_every_row_column_and_square() {
    // A valid grid by a known pattern; with two columns of different squares exchanged only the squares are wrong.
    let digit = |i: usize, j: usize| (3 * i + i / 3 + j) % 9;
    let exchanged = |j| [4, 1, 2, 3, 0, 5, 6, 7, 8][j];
    let one_hot = |column: &dyn Fn(usize) -> usize| {
        let sizes = (height.of(9), width.of(9), assign.of(9));
        Tensor::<_, f64>::from_fn(sizes, |[i, j, k]| f64::from(u8::from(digit(i, column(j)) == k)))
    };
    let (valid, invalid) = (one_hot(&|j| j), one_hot(&exchanged));
    for x in [&valid, &invalid] {
        assert_eq!(x.sum(assign).to_vec((height, width)).unwrap(), [1.0; 81]);
        assert_eq!(x.sum(height).to_vec((width, assign)).unwrap(), [1.0; 81]);
        assert_eq!(x.sum(width).to_vec((height, assign)).unwrap(), [1.0; 81]);
    }
    assert_eq!(squares(&valid), [1.0; 81]);
    assert_ne!(squares(&invalid), [1.0; 81]);
}

#[test]
fn n15_a_step_of_k_means() {
    let c = tensor!(f64, &Grid::new(&[2, 2], vec![0., 0., 10., 10.]), (clusters, depth));
    let x = tensor!(f64, &Grid::new(&[4, 2], vec![1., 0., 0., 1., 9., 10., 10., 9.]), (batch, depth));
    assert_eq!(Centres(&c, &x).to_vec((clusters, depth)).unwrap(), [0.5, 0.5, 9.5, 9.5]);
}

#[test]
fn n16_a_step_of_beam_search() {
    let h = tensor!(f64, &Grid::new(&[2], vec![0.6, 0.4]), (beam));
    let f = tensor!(f64, &Grid::new(&[2, 3], vec![0.1, 0.7, 0.2, 0.5, 0.3, 0.2]), (beam, state));
    let next = (&h * &f).max(beam);
    let bound = Bound::roundings(1, 1.0, f64::EPSILON);
    assert_close(&next.to_vec(state).unwrap(), &Grid::new(&[3], vec![0.2, 0.42, 0.12]), bound);
    let best: Tensor<R![beam], f64> = next.maxk(state, beam.of(2));
    assert_close(&best.to_vec(beam).unwrap(), &Grid::new(&[2], vec![0.42, 0.2]), bound);
    let states = next.argmaxk(state, beam.of(2));
    assert_eq!(states.to_vec(beam).unwrap(), [1, 0]);
    // Row E13: read at argmaxk, the numbers are maxk.
    assert_eq!(next.index(state, &states).to_vec(beam).unwrap(), best.to_vec(beam).unwrap());
}

named! {
    fn Beam(S: R[state]) -> R[state] {
        maxk_state(S, 2)
    }

    fn Chosen(S: R[state]) -> state[state] {
        argmaxk_state(S, 2)
    }
}

#[test]
fn the_largest_numbers_of_equations_are_those_of_the_method() {
    let s = tensor!(f64, &Grid::new(&[2, 3], vec![0.2, 0.42, 0.12, 3.0, -1.0, 7.0]), (beam, state));
    assert_eq!(Beam(&s).to_vec((beam, state)).unwrap(), [0.42, 0.2, 7.0, 3.0]);
    assert_eq!(Chosen(&s).to_vec((beam, state)).unwrap(), [1, 0, 2, 0]);
    assert_eq!(Beam(&s).to_vec((beam, state)).unwrap(), s.maxk(state, state.of(2)).to_vec((beam, state)).unwrap());
}

#[test]
fn the_sigmoid_of_equations_is_the_plain_one() {
    let x = Grid::new(&[3], vec![-1.0, 0.0, 2.0]);
    let identity = contraction::eye(3);
    let model = FullConn { W: tensor!(f64, &identity, (layer, layer_)), b: Tensor::zeros(layer_.of(3)) };
    let y = model.apply(&tensor!(f64, &x, (layer))).to_vec(layer).unwrap();
    assert_close(&y, &map(&x, sigmoid), Bound::roundings(4, 1.0, f64::EPSILON));
}
