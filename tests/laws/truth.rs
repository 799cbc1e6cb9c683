//! Comparisons, their logic and choices by them are the plain ones, over united axes.
//!
//! Lives here: boolean tensors, positions as numbers, masks by cases. Not here: attention with masks (`models`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{depth, height, seq, seq_, vocab, width};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::attention::causal_mask;
use named_tensor_tests::reference::indexing::{Positions, one_hot};
use named_tensor_tests::reference::{Grid, elementwise};
use named_tensor_tests::strategies::{cases, grids, in_both_precisions, laid_out, layout};
use proptest::prelude::*;

/// A plain comparison.
type Compare = fn(&f64, &f64) -> bool;

/// The numbers rounded to halves, so that equal ones meet.
fn coarse(x: &Grid) -> Grid {
    elementwise::map(x, |x| (x * 2.0).round() / 2.0)
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn comparisons_are_the_plain_ones_over_the_union(
        [x, y] in grids(|[h, w, d]| [vec![h, w], vec![w, d]]), l in layout(), m in layout(),
    ) {
        let (x, y) = (coarse(&x), coarse(&y));
        in_both_precisions!({
            let (left, right) = (laid_out!(Number, &x, l, (height, width)), laid_out!(Number, &y, m, (width, depth)));
            let table: [(Tensor<R![height, width, depth], bool>, Compare); 6] = [
                (left.eq(&right), f64::eq),
                (left.ne(&right), f64::ne),
                (left.lt(&right), f64::lt),
                (left.le(&right), f64::le),
                (left.gt(&right), f64::gt),
                (left.ge(&right), f64::ge),
            ];
            for (actual, plain) in table {
                let expected = Grid::from_fn(&[x.sizes[0], x.sizes[1], y.sizes[1]], |place| {
                    f64::from(u8::from(plain(&x.get(&place[..2]), &y.get(&place[1..]))))
                });
                let real = actual.real::<Number>().to_vec((height, width, depth)).unwrap();
                assert_close(&real, &expected, Bound::EXACT);
                let truth = actual.to_vec((height, width, depth)).unwrap();
                prop_assert_eq!(truth, expected.values.iter().map(|&value| value == 1.0).collect::<Vec<_>>());
            }
        });
    }

    #[test]
    fn a_choice_takes_each_number_from_its_side(
        [x, y, z] in grids(|[h, w, d]| [vec![h, w], vec![w, d], vec![h, d]]), l in layout(), m in layout(),
    ) {
        in_both_precisions!({
            let (left, right) = (laid_out!(Number, &x, l, (height, width)), laid_out!(Number, &y, m, (width, depth)));
            let other = laid_out!(Number, &z, l, (height, depth));
            let condition = left.gt(0.0).and(&right.le(1.0));
            let chosen: Tensor<R![height, width, depth], Number> = condition.select(&right, &other);
            let expected = Grid::from_fn(&[x.sizes[0], x.sizes[1], y.sizes[1]], |place| {
                let (x, y, z) = (x.get(&place[..2]), y.get(&place[1..]), z.get(&[place[0], place[2]]));
                if x > 0.0 && y <= 1.0 { y } else { z }
            });
            assert_close(&chosen.to_vec((height, width, depth)).unwrap(), &expected, Bound::EXACT);
        });
    }

    #[test]
    fn not_of_and_is_or_of_not([x, y] in grids(|[h, w]| [vec![h, w], vec![h, w]]), l in layout()) {
        let (p, q) = (laid_out!(f64, &x, l, (height, width)).gt(0.0), laid_out!(f64, &y, l, (height, width)).gt(0.5));
        let order = (height, width);
        prop_assert_eq!(p.and(&q).not().to_vec(order).unwrap(), p.not().or(&q.not()).to_vec(order).unwrap());
    }

    #[test]
    fn the_larger_and_the_smaller_of_two_are_the_plain_ones(
        [x, y] in grids(|[h, w, d]| [vec![h, w], vec![w, d]]), l in layout(), m in layout(),
    ) {
        in_both_precisions!({
            let (left, right) = (laid_out!(Number, &x, l, (height, width)), laid_out!(Number, &y, m, (width, depth)));
            let united = |f: fn(f64, f64) -> f64| {
                Grid::from_fn(&[x.sizes[0], x.sizes[1], y.sizes[1]], |place| f(x.get(&place[..2]), y.get(&place[1..])))
            };
            let order = (height, width, depth);
            assert_close(&left.maximum(&right).to_vec(order).unwrap(), &united(elementwise::max), Bound::EXACT);
            assert_close(&left.minimum(&right).to_vec(order).unwrap(), &united(elementwise::min), Bound::EXACT);
        });
    }

    #[test]
    fn a_causal_mask_from_positions_is_the_plain_one(queries in 1_usize..9, keys in 1_usize..9, offset in 0_usize..4) {
        // Query positions on `seq_`, key positions on `seq`.
        let (i, j) = (Tensor::positions(seq_.of(queries)), Tensor::positions(seq.of(keys)));
        let hidden = Tensor::<R![], f64>::scalar(f64::NEG_INFINITY);
        let mask: Tensor<R![seq, seq_], f64> = j.le(&(&i + offset)).select(&Tensor::scalar(0.0), &hidden);
        let expected = causal_mask(queries, keys, offset);
        assert_close(&mask.to_vec((seq_, seq)).unwrap(), &expected, Bound::EXACT);
    }

    #[test]
    fn positions_are_one_hot_at_themselves(values in prop::collection::vec(0_usize..5, 1..20), beyond in 0_usize..3) {
        let size = 5 + beyond;
        let positions = Tensor::indices_from_vec(seq.of(values.len()), vocab, values.clone()).unwrap();
        let actual = positions.one_hot::<_, f64>(vocab.of(size)).to_vec((seq, vocab)).unwrap();
        let expected = one_hot(&Positions { sizes: vec![values.len()], values: values.clone() }, size);
        assert_close(&actual, &expected, Bound::EXACT);
        let reals: Vec<f64> = values.iter().map(|&value| value as f64).collect();
        prop_assert_eq!(positions.real::<f64>().to_vec(seq).unwrap(), reals);
    }
}
