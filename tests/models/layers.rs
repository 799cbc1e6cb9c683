//! Rows 0.1 to 0.6: lifting, softmax, products, the example, the linear layer, the feed-forward network.
//!
//! Not here: attention (`attention`), normalisation (`norm`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{height, width};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::rearrangement::at;
use named_tensor_tests::reference::{Grid, feed_forward as plain, paper};
use named_tensor_tests::strategies::{cases, grids, in_both_precisions, laid_out, layout, tensor};
use proptest::prelude::*;
use transformer::axes::{batch, chans, out, seq};
use transformer::feed_forward::Linear;

use crate::{Numbers, feed_forward};

#[test]
fn s0_2_softmax_sums_to_one_at_each_place_of_the_other_axes() {
    let a = tensor!(f64, &paper::a(), (height, width));
    let sums = a.softmax(height).sum(height).to_vec(width).unwrap();
    assert_close(&sums, &Grid::new(&[3], vec![1.; 3]), Bound::roundings(6, 1.0, f64::EPSILON));
}

#[test]
fn s0_3_the_elementwise_product_unites_axes_and_the_dot_product_sums_one_away() {
    let (a, x) = (tensor!(f64, &paper::a(), (height, width)), tensor!(f64, &paper::x(), (height)));
    let product: Tensor<R![height, width], f64> = &a * &x;
    let summed: Tensor<R![width], f64> = a.dot(height, &x);
    assert_eq!(product.sum(height).to_vec(width).unwrap(), summed.to_vec(width).unwrap());
}

#[test]
fn s0_4_the_example_of_both_products() {
    let (a, x) = (tensor!(f64, &paper::a(), (height, width)), tensor!(f64, &paper::x(), (height)));
    assert_eq!((&a * &x).to_vec((height, width)).unwrap(), [6., 2., 8., 7., 35., 63., 2., 6., 5.]);
    let product: Tensor<R![width], f64> = a.dot(height, &x);
    assert_eq!(product.to_vec(width).unwrap(), [15., 43., 76.]);
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn s0_1_a_function_of_rows_acts_on_each_row([x] in grids(|[b, s, c]| [vec![b, s, c]]), l in layout(), seed: u64) {
        let plain = Numbers(seed).feed_forward(x.sizes[2], 3);
        let t = laid_out!(f64, &x, l, (batch, seq, chans));
        let y: Tensor<R![batch, seq, chans], f64> = feed_forward::<f64>(&plain).apply(&t);
        for b in 0..x.sizes[0] {
            let expected = plain.apply(&at(&x, 0, b));
            let actual = y.at(batch, b).to_vec((seq, chans)).unwrap();
            assert_close(&actual, &expected, Bound::roundings(x.sizes[2] + 7, 4.0, f64::EPSILON));
        }
    }

    #[test]
    fn s0_5_linear_is_the_plain_linear_layer(
        [x, w, b] in grids(|[s, c, o]| [vec![s, c], vec![c, o], vec![o]]), l in layout(),
    ) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (seq, chans));
            let model = Linear { W: tensor!(Number, &w, (chans, out)), b: tensor!(Number, &b, (out)) };
            let y: Tensor<R![seq, out], Number> = model.apply(&t);
            let n = x.sizes[1];
            let bound = Bound::roundings(n + 2, 4.0 * n as f64 + 2.0, UNIT);
            assert_close(&y.to_vec((seq, out)).unwrap(), &plain::linear(&x, &w, &b), bound);
        });
    }

    #[test]
    fn s0_6_ffn_is_the_plain_feed_forward_network(
        [x] in grids(|[s, c]| [vec![s, c]]), h in 1_usize..20, l in layout(), seed: u64,
    ) {
        in_both_precisions!({
            let plain = Numbers(seed).feed_forward(x.sizes[1], h);
            let t = laid_out!(Number, &x, l, (seq, chans));
            let y: Tensor<R![seq, chans], Number> = feed_forward::<Number>(&plain).apply(&t);
            let n = x.sizes[1];
            // The weights keep hidden numbers below 2 + 1 and results below 3 + 1.
            let bound = Bound::roundings(n + h + 4, 4.0, UNIT);
            assert_close(&y.to_vec((seq, chans)).unwrap(), &plain.apply(&x), bound);
        });
    }
}
