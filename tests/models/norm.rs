//! Normalisation, rows 0.11 to 0.16: standardised numbers, and what gain and bias make of them.
//!
//! Not here: standardisation over one axis against plain code (`laws`).

use named_tensor::prelude::*;
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::{Grid, norm, softmax};
use named_tensor_tests::strategies::{cases, grids, laid_out, layout, tensor};
use proptest::prelude::*;
use transformer::axes::{batch, chans, layer, seq};
use transformer::norm::{BatchNorm, InstanceNorm, LayerNorm, LayerNorm2d};

use crate::{EPSILON, Numbers, layer_norm};

/// The error of numbers divided by a deviation that is as small as √ε may make it.
fn standardized(n: usize) -> Bound {
    Bound::roundings(4 * n + 20, 4.0 / EPSILON.sqrt() / EPSILON, f64::EPSILON)
}

/// Numbers over (batch, chans, layer), a gain and a bias over chans, and a gain and a bias over (chans, layer).
fn images() -> impl Strategy<Value = [Grid; 5]> {
    grids(|[b, c, l]| [vec![b, c, l], vec![c], vec![c], vec![c, l], vec![c, l]])
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn s0_11_standardize_has_epsilon_inside_the_root([x] in grids(|[s, c]| [vec![s, c]]), l in layout()) {
        let t = laid_out!(f64, &x, l, (seq, chans));
        let actual = t.standardize(chans).to_vec((seq, chans)).unwrap();
        assert_close(&actual, &softmax::standardize(&x, &[1], EPSILON), standardized(x.sizes[1]));
    }

    #[test]
    fn s0_12_batch_norm_is_the_plain_one_over_batch_and_layer([x, g, b, ..] in images(), l in layout()) {
        let t = laid_out!(f64, &x, l, (batch, chans, layer));
        let (γ, β) = (tensor!(f64, &g, (chans)), tensor!(f64, &b, (chans)));
        let model = BatchNorm { γ, β };
        let y: Tensor<R![batch, chans, layer], f64> = model.apply(&t);
        let expected = norm::batch_norm(&x, &g, &b, EPSILON);
        assert_close(&y.to_vec((batch, chans, layer)).unwrap(), &expected, standardized(x.sizes[0] * x.sizes[2]));
    }

    #[test]
    fn s0_13_instance_norm_is_the_plain_one_over_layer([x, g, b, ..] in images(), l in layout()) {
        let t = laid_out!(f64, &x, l, (batch, chans, layer));
        let (γ, β) = (tensor!(f64, &g, (chans)), tensor!(f64, &b, (chans)));
        let model = InstanceNorm { γ, β };
        let y: Tensor<R![batch, chans, layer], f64> = model.apply(&t);
        let expected = norm::instance_norm(&x, &g, &b, EPSILON);
        assert_close(&y.to_vec((batch, chans, layer)).unwrap(), &expected, standardized(x.sizes[2]));
    }

    #[test]
    fn s0_14_layer_norm_over_layer_and_chans_is_the_plain_one([x, _, _, g, b] in images(), l in layout()) {
        let t = laid_out!(f64, &x, l, (batch, chans, layer));
        let (γ, β) = (tensor!(f64, &g, (chans, layer)), tensor!(f64, &b, (chans, layer)));
        let model = LayerNorm2d { γ, β };
        let y: Tensor<R![batch, chans, layer], f64> = model.apply(&t);
        let expected = norm::layer_norm_over_chans_and_layer(&x, &g, &b, EPSILON);
        assert_close(&y.to_vec((batch, chans, layer)).unwrap(), &expected, standardized(x.sizes[1] * x.sizes[2]));
    }

    #[test]
    fn s0_15_layer_norm_over_chans_is_the_plain_one([x] in grids(|[s, c]| [vec![s, c]]), l in layout(), seed: u64) {
        let plain = Numbers(seed).layer_norm(x.sizes[1]);
        let t = laid_out!(f64, &x, l, (seq, chans));
        let y: Tensor<R![seq, chans], f64> = layer_norm::<f64>(&plain).apply(&t);
        assert_close(&y.to_vec((seq, chans)).unwrap(), &plain.apply(&x), standardized(x.sizes[1]));
    }

    #[test]
    fn s0_16_normalisation_keeps_the_shape([x, g, b, ..] in images(), l in layout()) {
        let t = laid_out!(f64, &x, l, (batch, chans, layer));
        let (γ, β) = (tensor!(f64, &g, (chans)), tensor!(f64, &b, (chans)));
        for y in [
            BatchNorm { γ: γ.clone(), β: β.clone() }.apply(&t),
            InstanceNorm { γ: γ.clone(), β: β.clone() }.apply(&t),
            LayerNorm { γ, β }.apply(&t),
        ] {
            prop_assert_eq!([y.size(batch), y.size(chans), y.size(layer)], [x.sizes[0], x.sizes[1], x.sizes[2]]);
        }
    }
}

#[test]
fn s0_15_layer_norm_of_equal_numbers_is_the_bias() {
    let plain =
        norm::LayerNorm { gain: Grid::new(&[2], vec![3., 5.]), bias: Grid::new(&[2], vec![7., 11.]), epsilon: EPSILON };
    let x = tensor!(f64, &Grid::new(&[2], vec![4., 4.]), (chans));
    assert_eq!(layer_norm::<f64>(&plain).apply(&x).to_vec(chans).unwrap(), [7., 11.]);
}
