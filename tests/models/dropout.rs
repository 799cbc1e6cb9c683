//! Dropout: what it takes, what it leaves, and that each number is taken by itself.

use named_tensor::prelude::*;
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::differences::{assert_gradients, with_numbers};
use named_tensor_tests::reference::Grid;
use named_tensor_tests::strategies::{cases, grids, tensor};
use proptest::prelude::*;
use transformer::axes::{batch, chans, hidden, seq};
use transformer::dropout::{Dropout, dropped};
use transformer::feed_forward::FFN;

/// Numbers between 0 and 1 in place of random ones: a fraction of multiples of a number that is not rational.
fn shares(of: &Grid) -> Grid {
    let mut number = 0.0;
    Grid::from_fn(&of.sizes, |_| {
        number += 0.618_033_988_749_895;
        number % 1.0
    })
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn dropout_takes_the_numbers_below_the_rate_and_lets_the_others_grow([x] in grids(|[s, c]| [vec![s, c]]), p in 0.0..0.99) {
        let u = shares(&x);
        let found = Dropout(&tensor!(f64, &x, (seq, chans)), &tensor!(f64, &u, (seq, chans)), &Tensor::scalar(p));
        let pairs = x.values.iter().zip(&u.values);
        let expected = Grid::new(&x.sizes, pairs.map(|(&x, &u)| if u < p { 0.0 } else { x / (1.0 - p) }).collect());
        assert_close(&found.to_vec((seq, chans)).unwrap(), &expected, Bound::roundings(2, 400.0, f64::EPSILON));
    }

    #[test]
    fn dropout_at_rate_0_is_the_identity_to_the_last_bit([x] in grids(|[s, c]| [vec![s, c]]), seed: u64) {
        let x = tensor!(f32, &x, (seq, chans));
        let numbers = x.to_vec((seq, chans)).unwrap();
        assert_eq!(dropped(&x, 0.0, seed).to_vec((seq, chans)).unwrap(), numbers);
        let drawn = Dropout(&x, &x.uniform_like(&mut seeded(seed), 0.0, 1.0), &Tensor::scalar(0.0));
        assert_eq!(drawn.to_vec((seq, chans)).unwrap(), numbers);
    }

    #[test]
    fn dropout_keeps_the_mean_and_takes_its_part(rate in 0.05..0.9, seed: u64) {
        let n = 200;
        let x: Tensor<R![batch, chans]> = Tensor::ones((batch.of(n), chans.of(n)));
        let numbers = dropped(&x, rate, seed).to_vec((batch, chans)).unwrap();
        let count = (n * n) as f64;
        let taken = numbers.iter().filter(|&&y| y == 0.0).count() as f64 / count;
        // Five deviations of the share of 40,000 coins, and what that makes of the mean.
        let off = 5.0 * (rate * (1.0 - rate) / count).sqrt();
        prop_assert!((taken - rate).abs() < off, "{taken} for {rate}");
        let mean = numbers.iter().map(|&y| f64::from(y)).sum::<f64>() / count;
        prop_assert!((mean - 1.0).abs() < off / (1.0 - rate) + 1e-4, "{mean}");
    }
}

#[test]
fn dropout_takes_each_number_by_itself_also_along_the_axes_it_is_lifted_over() {
    // To the inner function the tensor has the axis chans alone.
    #[lift]
    fn inner(x: &Tensor<R![chans]>) -> Tensor<R![chans]> {
        dropped(x, 0.5, 3)
    }
    let x: Tensor<R![batch, chans]> = Tensor::ones((batch.of(64), chans.of(64)));
    let y = inner(&x);
    let rows: Vec<Vec<f32>> = (0..64).map(|b| y.at(batch, b).to_vec(chans).unwrap()).collect();
    let agree = |a: usize, b: usize| rows[a].iter().zip(&rows[b]).filter(|(x, y)| x == y).count();
    let pairs: Vec<usize> = (0..63).map(|b| agree(b, b + 1)).collect();
    // Two rows of independent coins agree in half of their places: of 64, in 8 to 56 with all but certainty.
    assert!(pairs.iter().all(|agree| (8..=56).contains(agree)), "{pairs:?}");
    let mean = pairs.iter().sum::<usize>() as f64 / 63.0;
    assert!((mean - 32.0).abs() < 3.0, "{mean}");
}

#[test]
fn noise_without_an_axis_takes_whole_slices() {
    let x: Tensor<R![batch, chans]> = Tensor::ones((batch.of(2), chans.of(4)));
    let u = Tensor::new(chans, [0.1, 0.9, 0.4, 0.6]);
    let y = Dropout(&x, &u, &Tensor::scalar(0.5)).to_vec((batch, chans)).unwrap();
    assert_eq!(y, [0.0, 2.0, 0.0, 2.0, 0.0, 2.0, 0.0, 2.0]);
}

#[test]
fn the_same_seed_takes_the_same_numbers_and_another_others() {
    let x: Tensor<R![chans]> = Tensor::ones(chans.of(100));
    let of = |seed| dropped(&x, 0.5, seed).to_vec(chans).unwrap();
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}

#[test]
fn gradients_pass_through_what_dropout_leaves() {
    let model = FFN::init(&mut seeded(4), (chans.of(3), hidden.of(5))).unwrap().cast::<f64>();
    let x: Tensor<R![batch, chans], f64> = Tensor::normal(&mut seeded(5), (batch.of(4), chans.of(3)), 0.0, 1.0);
    assert_gradients(&with_numbers(model, 2), |model| {
        dropped(&model.apply(&x).tanh(), 0.4, 9).sin().sum((batch, chans))
    });
}

#[test]
fn a_rate_that_takes_everything_or_is_none_is_refused() {
    let x: Tensor<R![chans]> = Tensor::ones(chans.of(2));
    for rate in [1.0, 0.999_999_999_999, -0.1, f64::NAN, f64::INFINITY] {
        let error = dropped(&x, rate, 0).to_vec(chans).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Value);
        assert!(error.to_string().contains(&format!("the rate of dropout is {rate}")), "{error}");
    }
}
