//! The examples that stand in the source of the paper and not in print, as equations, with the numbers of the inventory.
//!
//! Lives here: rows N11 to N17. Where the source is wrong, the equation is the right one, and `errata` shows the
//! difference. Not here: the printed networks (`networks`, `unroll`, `models`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{
    a, assign, b, batch, beam, chans, classes, clusters, depth, emb, height, height_, kernel, layer, seq, state, vocab,
    width, width_,
};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::differences::{assert_gradients, with_numbers};
use named_tensor_tests::reference::Grid;
use named_tensor_tests::reference::rearrangement::{at, flatten, split};
use named_tensor_tests::reference::softmax::standardize;
use named_tensor_tests::strategies::{cases, grids, laid_out, layout, tensor};
use proptest::prelude::*;

named! {
    /// Row N11 for groups of two channels.
    pub fn GroupNorm(X: R[batch, chans, layer]; g: R[chans] = 1, b: R[chans] = 0) -> R[batch, chans, layer] {
        standardize_{kernel, layer}(pool_{chans, kernel}(X, 2))_{(chans, kernel) -> chans} * g + b
    }

    /// Row N12: p(A, B) = p(B | A) p(A).
    fn Joint(BA: R[a, b], A: R[a]) -> R[a, b] {
        BA * A
    }

    /// p(B) = Σ_A p(B | A) p(A)
    fn Marginal(BA: R[a, b], A: R[a]) -> R[b] {
        BA dot_a A
    }

    /// p(A | B) = p(B | A) p(A) / p(B)
    fn Posterior(BA: R[a, b], A: R[a]) -> R[a, b] {
        BA * A / (BA dot_a A)
    }

    /// Row N13.
    fn Cbow(X: R[seq, vocab]; E: R[vocab, emb], W: R[classes, emb]) -> R[classes] {
        softmax_classes(sum_seq(W dot_emb (E dot_vocab X)))
    }

    fn CbowInnerFirst(X: R[seq, vocab]; E: R[vocab, emb], W: R[classes, emb]) -> R[classes] {
        softmax_classes(sum_seq((W dot_emb E) dot_vocab X))
    }

    /// Row N14: the cell (i, j) of the square (i′, j′) is the cell (3 i′ + i, 3 j′ + j), counted from 0.
    pub fn Squares(X: R[height, width]) -> R[height_, height, width_, width] {
        Y_{height_(i: 3), depth(j: 3), width_(k: 3), kernel(l: 3)} = X_{height(3 * i + j), width(3 * k + l)};
        Y_{depth -> height, kernel -> width}
    }

    /// How many assignments each cell has, each digit in each square, in each column and in each row.
    fn PerCell(X: R[height, width, assign]) -> R[height, width] { sum_assign(X) }
    fn PerSquare(X: R[height, width]) -> R[height_, width_] { sum_{height, width}(Squares(X)) }
    fn PerColumn(X: R[height, width, assign]) -> R[width, assign] { sum_height(X) }
    fn PerRow(X: R[height, width, assign]) -> R[height, assign] { sum_width(X) }

    /// Row N15: the clusters' new centres.
    fn Centres(C: R[clusters, depth], X: R[batch, depth]) -> R[clusters, depth] {
        Q = argmin_clusters(norm_depth(C - X));
        (Q dot_batch X) / sum_batch(Q)
    }

    /// Row N16: the scores of all states after a step, of which the beam keeps the best, and which these are.
    fn Scores(H: R[beam], F: R[beam, state]) -> R[state] {
        max_beam(H * F)
    }

    fn Kept(H: R[beam], F: R[beam, state]) -> R[beam] {
        maxk_state(Scores(H, F), |beam|)_{state -> beam}
    }

    fn States(H: R[beam], F: R[beam, state]) -> state[beam] {
        argmaxk_state(Scores(H, F), |beam|)_{state -> beam}
    }

    /// Row N17.
    fn Normal(X: R[a], μ: R[a], Σ: R[a, b]) -> R[] {
        D = X - μ;
        exp(-(D dot_a inv_{a, b}(Σ) dot_b D_{a -> b}) / 2) / sqrt((2 * pi) ^ |a| * det_{a, b}(Σ))
    }
}

proptest! {
    #![proptest_config(cases(32))]

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
    let p_a = tensor!(f64, &Grid::new(&[2], vec![0.2, 0.8]), (a));
    let p_b_a = tensor!(f64, &Grid::new(&[2, 3], vec![0.5, 0.25, 0.25, 0.1, 0.6, 0.3]), (a, b));
    let bound = Bound::roundings(4, 1.0, f64::EPSILON);
    let p_b = Grid::new(&[3], vec![0.18, 0.53, 0.29]);
    assert_close(&Marginal(&p_b_a, &p_a).to_vec(b).unwrap(), &p_b, bound);
    assert_close(&Joint(&p_b_a, &p_a).sum(a).to_vec(b).unwrap(), &p_b, bound);
    let posterior = Posterior(&p_b_a, &p_a);
    let expected = Grid::new(&[3], vec![0.555_556, 0.094_340, 0.172_414]);
    assert_close(&posterior.at(a, 0).to_vec(b).unwrap(), &expected, Bound::absolute(5e-7));
    assert_close(&posterior.sum(a).to_vec(b).unwrap(), &Grid::new(&[3], vec![1.0; 3]), bound);
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
        assert_eq!(PerCell(x).to_vec((height, width)).unwrap(), [1.0; 81]);
        assert_eq!(PerColumn(x).to_vec((width, assign)).unwrap(), [1.0; 81]);
        assert_eq!(PerRow(x).to_vec((height, assign)).unwrap(), [1.0; 81]);
    }
    let squares = |x| PerSquare(x).to_vec((height_, width_, assign)).unwrap();
    assert_eq!(squares(&valid), [1.0; 81]);
    assert_ne!(squares(&invalid), [1.0; 81]);
    // Splitting says the same without positions.
    let split = valid.split(height, (height_.of(3), height)).split(width, (width_.of(3), width));
    let order = (height_, height, width_, width, assign);
    assert_eq!(Squares(&valid).to_vec(order).unwrap(), split.to_vec(order).unwrap());
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
    let bound = Bound::roundings(1, 1.0, f64::EPSILON);
    assert_close(&Scores(&h, &f).to_vec(state).unwrap(), &Grid::new(&[3], vec![0.2, 0.42, 0.12]), bound);
    assert_close(&Kept(&h, &f).to_vec(beam).unwrap(), &Grid::new(&[2], vec![0.42, 0.2]), bound);
    assert_eq!(States(&h, &f).to_vec(beam).unwrap(), [1, 0]);
    // For several beams at once, each by itself.
    let both = tensor!(f64, &Grid::new(&[2, 2], vec![0.6, 0.4, 0.0, 1.0]), (batch, beam));
    assert_eq!(States(&both, &f).to_vec((batch, beam)).unwrap(), [1, 0, 0, 1]);
}

#[test]
fn n17_the_density_of_the_normal_distribution() {
    let x = tensor!(f64, &Grid::new(&[2, 2], vec![0.3, 0.2, 1.0, -1.0]), (batch, a));
    let mean = tensor!(f64, &Grid::new(&[2], vec![1.0, -1.0]), (a));
    let covariance = tensor!(f64, &Grid::new(&[2, 2], vec![2.0, 0.5, 0.5, 1.0]), (a, b));
    // At the mean it is 1 / (2 π √(7/4)).
    let expected = Grid::new(&[2], vec![0.036_133_238_5, 1.0 / (std::f64::consts::TAU * 1.75_f64.sqrt())]);
    assert_close(&Normal(&x, &mean, &covariance).to_vec(batch).unwrap(), &expected, Bound::absolute(5e-11));
}

#[test]
fn n11_n13_the_examples_with_parameters_have_the_gradients_of_differences() {
    let mut rng = seeded(5);
    let x = Tensor::<_, f64>::normal(&mut rng, (batch.of(2), chans.of(4), layer.of(3)), 0.0, 1.0);
    let norm = with_numbers(GroupNorm::init(&mut rng, chans.of(4)).unwrap().cast::<f64>(), 1);
    assert_gradients(&norm, |model| model.apply(&x).sin().sum((batch, chans, layer)));

    let words = Tensor::<_, f64>::normal(&mut rng, (batch.of(2), seq.of(3), vocab.of(5)), 0.0, 1.0);
    let sizes = (vocab.of(5), emb.of(3), classes.of(4));
    let bag = with_numbers(Cbow::init(&mut rng, sizes).unwrap().cast::<f64>(), 2);
    assert_gradients(&bag, |model| model.apply(&words).sin().sum((batch, classes)));
}
