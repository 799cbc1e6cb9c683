//! The pre-LN block, rows 0.17 to 0.21, and its symmetries.
//!
//! Not here: its parts (`attention`, `norm`, `layers`).

use named_tensor::prelude::*;
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::rearrangement::at;
use named_tensor_tests::reference::{Grid, attention, block as plain_block, reduction};
use named_tensor_tests::strategies::{cases, in_both_precisions, laid_out, layout, tensor};
use proptest::prelude::*;
use transformer::axes::{batch, chans, seq, seq_};

use crate::attention::projected;
use crate::{EPSILON, Numbers, block, masked_multi_head_block, multi_head_block};

/// Standardised numbers have a mean square of 1, so that with weights of size 1/c attention errs as on numbers below 2.
/// The second normalisation divides its errors by the least deviation of X2; all else is of size 1 again.
fn through_the_block(x2: &Grid, c: usize, k: usize, unit: f64) -> Bound {
    let attended = projected(4 * c, k, x2.sizes[0], unit);
    let least = reduction::min(&reduction::var(x2, &[1]), &[0]).item() + EPSILON;
    Bound::absolute(attended.absolute * (1.0 + 2.0 / least.sqrt()))
}

/// Numbers over the sizes, far enough from constant that standardising them does not enlarge errors without bound.
fn spread(seed: u64, sizes: &[usize]) -> Grid {
    let last = sizes.len() - 1;
    let noise = Numbers(seed).grid(sizes);
    Grid::from_fn(sizes, |place| noise.get(place) / 4.0 + if place[last] % 2 == 0 { 1.0 } else { -1.0 })
}

fn plain(seed: u64, c: usize, k: usize, h: usize) -> plain_block::Block {
    let mut numbers = Numbers(seed);
    let attention = numbers.self_attention(c, k, c);
    numbers.block(c, h, attention)
}

fn sizes() -> impl Strategy<Value = [usize; 4]> {
    [1_usize..8, 2_usize..8, 1_usize..6, 1_usize..10]
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn s0_17_the_pre_ln_block_is_the_plain_block([s, c, k, h] in sizes(), l in layout(), seed: u64) {
        in_both_precisions!({
            let (plain, x) = (plain(seed, c, k, h), spread(seed, &[s, c]));
            let t = laid_out!(Number, &x, l, (seq, chans));
            let y: Tensor<R![chans, seq], Number> = block::<Number>(&plain).apply(&t);
            assert_close(&y.to_vec((seq, chans)).unwrap(), &plain.apply(&x, None), through_the_block(&plain.middle(&x, None), c + h, k, UNIT));
        });
    }

    #[test]
    fn s1_8_the_block_with_heads_is_the_plain_one_with_and_without_a_mask(
        [s, c, k, h] in sizes(), n in 1_usize..4, l in layout(), seed: u64,
    ) {
        in_both_precisions!({
            let mut numbers = Numbers(seed);
            let heads = numbers.multi_head(n, c, k, k + 1);
            let (plain, x) = (numbers.block(c, h, heads), spread(seed, &[s, c]));
            let t = laid_out!(Number, &x, l, (seq, chans));
            let bound = |mask| through_the_block(&plain.middle(&x, mask), c + h + n * (k + 1), k, UNIT);
            let y = multi_head_block::<Number>(&plain).apply(&t);
            assert_close(&y.to_vec((seq, chans)).unwrap(), &plain.apply(&x, None), bound(None));
            let mask = attention::causal_mask(s, s, 0);
            let y = masked_multi_head_block::<Number>(&plain).apply(&t, &tensor!(Number, &mask, (seq_, seq)));
            assert_close(&y.to_vec((seq, chans)).unwrap(), &plain.apply(&x, Some(&mask)), bound(Some(&mask)));
        });
    }

    #[test]
    fn s3_19_under_a_causal_mask_later_positions_do_not_change_earlier_ones(
        [s, c, k, h] in sizes(), at_ in 0_usize..8, seed: u64,
    ) {
        let mut numbers = Numbers(seed);
        let heads = numbers.multi_head(2, c, k, k);
        let (plain, x) = (numbers.block(c, h, heads), spread(seed, &[s, c]));
        let changed = at_ % s;
        let other = Grid::from_fn(&x.sizes, |place| x.get(place) + if place[0] == changed { 0.5 } else { 0.0 });
        let mask = tensor!(f64, &attention::causal_mask(s, s, 0), (seq_, seq));
        let model = masked_multi_head_block::<f64>(&plain);
        let [y, z] = [&x, &other].map(|x| model.apply(&tensor!(f64, x, (seq, chans)), &mask));
        for i in 0..changed {
            prop_assert_eq!(y.at(seq, i).to_vec(chans).unwrap(), z.at(seq, i).to_vec(chans).unwrap());
        }
        prop_assert_ne!(y.at(seq, changed).to_vec(chans).unwrap(), z.at(seq, changed).to_vec(chans).unwrap());
    }

    #[test]
    fn s1_13_a_batch_of_two_is_two_batches_of_one([s, c, k, h] in sizes(), l in layout(), seed: u64) {
        let (plain, x) = (plain(seed, c, k, h), spread(seed, &[2, s, c]));
        let model = block::<f64>(&plain);
        let t = laid_out!(f64, &x, l, (batch, seq, chans));
        let y: Tensor<R![batch, chans, seq], f64> = model.apply(&t);
        for b in 0..2 {
            let example = at(&x, 0, b);
            let expected = plain.apply(&example, None);
            let bound = through_the_block(&plain.middle(&example, None), c + h, k, f64::EPSILON);
            assert_close(&y.at(batch, b).to_vec((seq, chans)).unwrap(), &expected, bound);
            assert_close(&model.apply(&t.at(batch, b)).to_vec((seq, chans)).unwrap(), &expected, bound);
        }
    }

    #[test]
    fn s3_19_permuting_the_positions_permutes_the_result([s, c, k, h] in sizes(), turn in 0_usize..8, seed: u64) {
        let (plain, x) = (plain(seed, c, k, h), spread(seed, &[s, c]));
        let model = block::<f64>(&plain);
        let turned = |grid: &Grid| Grid::from_fn(&grid.sizes, |place| grid.get(&[(place[0] + turn) % s, place[1]]));
        let y = model.apply(&tensor!(f64, &x, (seq, chans))).to_vec((seq, chans)).unwrap();
        let y = turned(&Grid::new(&x.sizes, y));
        let z = model.apply(&tensor!(f64, &turned(&x), (seq, chans))).to_vec((seq, chans)).unwrap();
        assert_close(&z, &y, through_the_block(&plain.middle(&x, None), c + h, k, f64::EPSILON));
    }

    #[test]
    fn s0_19_positions_are_mixed_only_in_self_attention([s, c, k, h] in sizes(), at_ in 0_usize..8, seed: u64) {
        let (plain, x) = (plain(seed, c, k, h), spread(seed, &[s, c]));
        let changed = at_ % s;
        let other = Grid::from_fn(&x.sizes, |place| x.get(place) + if place[0] == changed { 0.5 } else { 0.0 });
        let model = block::<f64>(&plain);
        let (t, u) = (tensor!(f64, &x, (seq, chans)), tensor!(f64, &other, (seq, chans)));
        for i in (0..s).filter(|&i| i != changed) {
            let row = |y: Tensor<R![seq, chans], f64>| y.at(seq, i).to_vec(chans).unwrap();
            prop_assert_eq!(row(model.norm1.apply(&t)), row(model.norm1.apply(&u)));
            prop_assert_eq!(row(model.ffn.apply(&t)), row(model.ffn.apply(&u)));
        }
    }
}

#[test]
fn s0_18_both_normalisations_have_parameters_of_their_own() {
    let plain = plain(3, 3, 2, 4);
    let names: Vec<String> = block::<f64>(&plain).parameters().into_iter().map(|(name, _)| name).collect();
    for name in ["norm1.γ", "norm1.β", "norm2.γ", "norm2.β"] {
        assert!(names.iter().any(|other| other == name), "{name} is not among {names:?}");
    }
}

#[test]
fn s0_21_the_block_has_no_positions_no_mask_no_heads_and_no_output_matrix() {
    let plain = plain(3, 3, 2, 4);
    let mut names: Vec<String> = block::<f64>(&plain).parameters().into_iter().map(|(name, _)| name).collect();
    names.sort();
    let mut expected = [
        "att.W_K", "att.W_Q", "att.W_V", "att.b_K", "att.b_Q", "att.b_V", "ffn.W1", "ffn.W2", "ffn.b1", "ffn.b2",
        "norm1.β", "norm1.γ", "norm2.β", "norm2.γ",
    ];
    expected.sort_unstable();
    assert_eq!(names, expected);
}
