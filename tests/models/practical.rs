//! The practical of source 003, row 3.21: weights made by hand, the data, and the model that learns.
//!
//! The whole training is `transformer train histogram`; here are its first steps. Not here: the equations of attention.

use named_tensor::prelude::*;
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::differences::{assert_gradients, with_numbers};
use named_tensor_tests::reference::Grid;
use named_tensor_tests::strategies::{cases, tensor};
use proptest::prelude::*;
use transformer::axes::{batch, chans, hidden, key, out, seq, seq_, val, vocab};
use transformer::models::practical::{
    BareAttention, BareWeights, CountLoss, MicroGPT, accuracy, counts, examples, histogram, identity, loss, micro,
    text, texts,
};
use transformer::optimizer::Adam;

/// The digits of the practical's text; the beginning stands before them.
const DIGITS: [usize; 8] = [1, 1, 2, 3, 4, 2, 3, 1];

#[test]
fn s3_21_attention_of_the_practical_keeps_shapes_and_its_weights_sum_to_one() {
    let sizes = (chans.of(3), key.of(3), val.of(3));
    let att: BareAttention = BareAttention::init(&mut seeded(0), sizes).unwrap();
    let x: Tensor<R![batch, seq, chans]> =
        Tensor::normal(&mut seeded(1), (batch.of(5), seq.of(10), chans.of(3)), 0.0, 1.0);
    let y: Tensor<R![batch, seq, chans]> = att.apply(&x);
    assert_eq!((y.size(batch), y.size(seq), y.size(chans)), (5, 10, 3));
    let weights: Tensor<R![batch, seq, seq_]> = BareWeights(&x, &att.W_Q, &att.W_K);
    let sums = weights.sum(seq).to_vec((batch, seq_)).unwrap();
    assert!(sums.len() == 50 && sums.iter().all(|sum| (sum - 1.0).abs() < 1e-5), "{sums:?}");
    // They are the weights that the attention has.
    let by_weights = weights.dot(seq, &x.dot(chans, &att.W_V)).rename(seq_, seq).rename(val, chans);
    let expected: Vec<f64> = by_weights.to_vec((batch, seq, chans)).unwrap().into_iter().map(f64::from).collect();
    let bound = Bound::roundings(40, 8.0, f64::from(f32::EPSILON));
    assert_close(&y.to_vec((batch, seq, chans)).unwrap(), &Grid::new(&[5, 10, 3], expected), bound);
}

#[test]
fn s3_21_the_identity_made_by_hand_says_the_text_of_the_practical_again() {
    let said = identity().apply(&text(&DIGITS).unwrap()).to_vec(seq).unwrap();
    assert_eq!(said, [0.0, 1.0, 1.0, 2.0, 3.0, 4.0, 2.0, 3.0, 1.0]);
}

#[test]
fn s3_21_the_histogram_made_by_hand_counts_the_text_of_the_practical() {
    let said = histogram().apply(&text(&DIGITS).unwrap()).to_vec(seq).unwrap();
    let expected = Grid::new(&[9], vec![0., 3., 3., 2., 2., 1., 2., 2., 3.]);
    // 1/(1/(n + 1)) - 1 for n up to 3.
    assert_close(&said, &expected, Bound::roundings(8, 4.0, f64::from(f32::EPSILON)));
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn s3_21_both_models_made_by_hand_are_right_on_any_text(digits in prop::collection::vec(1_usize..5, 0..60)) {
        let words = text(&digits).unwrap();
        let said = identity().apply(&words).to_vec(seq).unwrap();
        let again: Vec<f32> = std::iter::once(0.0).chain(digits.iter().map(|&digit| digit as f32)).collect();
        // The mean of n ones is 1 up to n roundings.
        for (said, again) in said.iter().zip(&again) {
            prop_assert!((said - again).abs() < 1e-4, "{} instead of {}", said, again);
        }
        let counted = histogram().apply(&words).to_vec(seq).unwrap();
        let rounded: Vec<usize> = counted.iter().map(|count| count.round() as usize).collect();
        prop_assert_eq!(rounded, counts(&digits));
        prop_assert!(counted.iter().all(|count| (count - count.round()).abs() < 1e-2));
    }

    #[test]
    fn s3_21_s3_19_counts_move_with_their_digits(digits in prop::collection::vec(1_usize..5, 1..12), by in 0_usize..12) {
        let n = digits.len();
        let turned: Vec<usize> = (0..n).map(|i| digits[(i + by) % n]).collect();
        let said = |digits: &[usize]| histogram().apply(&text(digits).unwrap()).to_vec(seq).unwrap();
        let (there, here) = (said(&turned), said(&digits));
        for i in 0..n {
            prop_assert!((there[i + 1] - here[(i + by) % n + 1]).abs() < 1e-3);
        }
    }
}

#[test]
fn s3_21_the_data_set_has_each_sorted_text_of_thirty_digits_once() {
    let all = texts();
    assert_eq!(all.len(), 33 * 32 * 31 / 6, "as many as ways to choose 3 walls among 33 places");
    assert_eq!(all.len(), 5456);
    assert!(all.iter().all(|text| text.len() == 30 && text.is_sorted() && text.iter().all(|d| (1..=4).contains(d))));
    let different: std::collections::BTreeSet<&Vec<usize>> = all.iter().collect();
    assert_eq!(different.len(), all.len());
    assert_eq!(counts(&all[1])[..3], [0, 29, 29]);
    assert_eq!(*counts(&all[1]).last().unwrap(), 1);
}

#[test]
fn s3_21_the_model_that_learns_has_14688_parameters() {
    let model = micro(0).unwrap();
    assert_eq!(model.count(), 14_688);
    let logits = model.apply(&examples(&texts()[..2]).unwrap().texts);
    assert_eq!((logits.size(batch), logits.size(seq), logits.size(out)), (2, 31, 32));
}

#[test]
fn s3_21_the_model_that_learns_is_the_plain_one_and_has_the_gradients_of_differences() {
    use named_tensor_tests::reference::attention::attention;
    use named_tensor_tests::reference::contraction::matrix_matrix;
    use named_tensor_tests::reference::feed_forward::{FeedForward, linear};
    use named_tensor_tests::reference::language_model::one_hot;
    use named_tensor_tests::reference::norm::residual;
    let sizes = (vocab.of(3), chans.of(4), key.of(2), val.of(4), hidden.of(5), out.of(3));
    let model: MicroGPT<f64> = with_numbers(MicroGPT::init(&mut seeded(0), sizes).unwrap().cast(), 4);
    let words = one_hot(&[0, 2, 1, 2, 2], 3);
    macro_rules! grid {
        ($tensor:expr, ($($axis:ident),+)) => {
            Grid::new(&[$($tensor.size($axis)),+], $tensor.to_vec(($($axis),+)).unwrap())
        };
    }
    let x = matrix_matrix(&words, &grid!(model.E, (vocab, chans)));
    let [q, k] = [&model.att.W_Q, &model.att.W_K].map(|w| matrix_matrix(&x, &grid!(w, (chans, key))));
    let v = matrix_matrix(&x, &grid!(model.att.W_V, (chans, val)));
    let x1 = residual(&x, &attention(&q, &k, &v, None));
    let ffn = FeedForward {
        w1: grid!(model.ffn.W1, (chans, hidden)),
        b1: grid!(model.ffn.b1, (hidden)),
        w2: grid!(model.ffn.W2, (hidden, chans)),
        b2: grid!(model.ffn.b2, (chans)),
    };
    let x2 = residual(&x1, &ffn.apply(&x1));
    let expected = linear(&x2, &grid!(model.head.W, (chans, out)), &grid!(model.head.b, (out)));
    let text = tensor!(f64, &words, (seq, vocab));
    assert_close(&model.apply(&text).to_vec((seq, out)).unwrap(), &expected, Bound::absolute(1e-11));
    let right = tensor!(f64, &one_hot(&[0, 2, 1, 2, 2], 3), (seq, out));
    assert_gradients(&model, |model| CountLoss(&model.apply(&text), &right).sum(seq));
}

#[test]
fn s3_21_a_few_steps_of_training_make_more_counts_right() {
    let all = texts();
    let some: Vec<Vec<usize>> = all.iter().step_by(90).cloned().collect();
    let data = examples(&some).unwrap();
    let (mut model, before) = (micro(0).unwrap(), accuracy(&micro(0).unwrap(), &data).item().unwrap());
    let first = loss(&model, &data).item().unwrap();
    let mut optimizer = Adam::new(&model);
    for _ in 0..25 {
        let (_, gradient) = value_and_grad(&loss(&model, &data), &model).unwrap();
        model = optimizer.step(&model, &gradient, 0.01).unwrap();
    }
    let (last, after) = (loss(&model, &data).item().unwrap(), accuracy(&model, &data).item().unwrap());
    assert!(last < 0.7 * first && after > before + 0.1, "loss {first} to {last}, {before} to {after} right");
}

#[test]
fn s3_21_digits_that_there_are_not_and_texts_of_two_lengths_are_told() {
    let error = text(&[1, 5]).unwrap_err();
    assert!(error.to_string().contains("5 is no word of the practical: its digits are 1 to 4"), "{error}");
    assert!(text(&[0]).is_err(), "the beginning is no digit");
    let error = examples(&[vec![1, 2], vec![3]]).unwrap_err();
    assert!(error.to_string().contains("2 digits stand beside 1"), "{error}");
    let error = examples(&[vec![1; 32]]).unwrap_err();
    assert!(
        error.to_string().contains("texts of 32 digits have counts up to 32, but the model tells up to 31"),
        "{error}"
    );
    assert!(examples(&[vec![1; 31]]).is_ok() && examples(&[]).unwrap().texts.size(batch) == 0);
}
