//! Renaming, flattening, splitting, slicing and concatenation move numbers and change none.
//!
//! Lives here: each against its plain form, and round trips. Not here: positions out of range (`refusals`).

use crate::refusals::refused;
use named_tensor::prelude::*;
use named_tensor_tests::axes::{depth, heads, height, height_, key, layer, width, width_};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::rearrangement::{self as plain, reorder};
use named_tensor_tests::reference::{Grid, contraction, paper};
use named_tensor_tests::strategies::{cases, grids, in_both_precisions, laid_out, layout, tensor};
use proptest::prelude::*;

fn a() -> Tensor<R![height, width], f64> {
    tensor!(f64, &paper::a(), (height, width))
}

#[test]
fn p2_an_element_a_row_and_a_column_of_a_counted_from_0() {
    assert_eq!(a().at(height, 0).at(width, 2).item().unwrap(), 4.);
    assert_eq!(a().at(height, 0).to_vec(width).unwrap(), [3., 1., 4.]);
    assert_eq!(a().at(width, 2).to_vec(height).unwrap(), [4., 9., 5.]);
}

const PARTS: usize = 3;
const HALF: f32 = 0.5;

named! {
    /// Constants of the program, one as a size; and the sum with its sign.
    fn Halves(X: R[layer]) -> R[heads] { HALF * Σ_key(X_{layer -> (heads: PARTS, key)}) }
}

#[test]
fn constants_of_any_type_of_number_stand_in_equations() {
    let halves = Halves(&a().flatten((height, width), layer));
    assert_eq!(halves.to_vec(heads).unwrap(), [4., 7.5, 6.5]);
}

#[test]
fn p22_renaming_changes_the_name_and_no_number() {
    let renamed: Tensor<R![height_, width], f64> = a().rename(height, height_);
    assert_eq!(renamed.to_vec((height_, width)).unwrap(), paper::a().values);
}

#[test]
fn p23_flattening_states_its_order() {
    let rows: Tensor<R![layer], f64> = a().flatten((height, width), layer);
    assert_eq!(rows.to_vec(layer).unwrap(), [3., 1., 4., 1., 5., 9., 2., 6., 5.]);
    assert_eq!(a().flatten((width, height), layer).to_vec(layer).unwrap(), [3., 1., 2., 1., 5., 6., 4., 9., 5.]);
}

named! {
    fn Below(X: R[height, width], Y: R[height, width]) -> R[height, width] { concat_height(X, Y) }
    fn Thrice(X: R[height, width]) -> R[height, width] { concat_height(X, X, X) }
    fn Beside(X: R[height, width], Y: R[height, width]) -> R[height, width] { concat_width(X, Y) }
}

#[test]
fn concatenations_of_the_papers_history() {
    let x = tensor!(f64, &Grid::new(&[2, 3], vec![3., 1., 4., 1., 5., 9.]), (height, width));
    assert_eq!(Thrice(&x).to_vec((height, width)).unwrap(), x.to_vec((height, width)).unwrap().repeat(3));
    let y = tensor!(f64, &Grid::new(&[2, 3], vec![2., 7., 1., 8., 2., 8.]), (height, width));
    let below = [3., 1., 4., 1., 5., 9., 2., 7., 1., 8., 2., 8.];
    assert_eq!(Below(&x, &y).to_vec((height, width)).unwrap(), below);
    assert_eq!(x.concat(height, &y).to_vec((height, width)).unwrap(), below);
    let beside = [3., 1., 4., 2., 7., 1., 1., 5., 9., 8., 2., 8.];
    assert_eq!(Beside(&x, &y).to_vec((height, width)).unwrap(), beside);
    assert_eq!((Beside(&x, &y).size(height), Beside(&x, &y).size(width)), (2, 6));
}

#[test]
fn a_list_of_tensors_is_put_along_an_axis_that_they_have_or_a_new_one() {
    let rows: Vec<Tensor<R![width], f64>> = (0..3).map(|i| a().at(height, i)).collect();
    assert_eq!(Tensor::stack(height, &rows).to_vec((height, width)).unwrap(), paper::a().values);
    let all = paper::a().values;
    assert_eq!(Tensor::concat_all(width, &rows).to_vec(width).unwrap(), all);
    assert_eq!(Tensor::stack(height, &rows[..1]).to_vec((height, width)).unwrap(), all[..3]);
    let numbers: Vec<Tensor<R![], f64>> = all.iter().map(|&x| Tensor::scalar(x)).collect();
    assert_eq!(Tensor::stack(layer, &numbers).to_vec(layer).unwrap(), all);
    let owed = grad(&(Tensor::stack(height, &rows) * a()).sum((height, width)), &rows[2]);
    assert_eq!(owed.to_vec(width).unwrap(), all[6..]);
}

#[test]
fn a_list_that_cannot_be_put_together_says_why() {
    let none: [Tensor<R![width], f64>; 0] = [];
    refused(Tensor::stack(height, &none).checked(), ErrorKind::Empty, &["no tensors", "`height`"]);
    refused(Tensor::concat_all(width, &none).checked(), ErrorKind::Empty, &["no tensors", "`width`"]);
    let of = |size: usize| Tensor::<R![width], f64>::ones(width.of(size));
    let words = ["axis `width` has size 3 in tensor 0, 4 in tensor 2", "rearrangement.rs"];
    refused(Tensor::stack(height, &[of(3), of(3), of(4)]).checked(), ErrorKind::SizeClash, &words);
}

#[test]
fn renaming_two_axes_at_once_can_exchange_them() {
    let exchanged: Tensor<R![height, width], f64> = a().rename((height, width), (width, height));
    assert_eq!(exchanged.to_vec((width, height)).unwrap(), paper::a().values);
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn renaming_there_and_back_is_nothing([x] in grids(|[h, w]| [vec![h, w]]), l in layout()) {
        let t = laid_out!(f64, &x, l, (height, width));
        let back = t.rename(height, height_).rename(height_, height);
        assert_close(&back.to_vec((height, width)).unwrap(), &x, Bound::EXACT);
        let both = t.rename((height, width), (width_, height_)).to_vec((width_, height_)).unwrap();
        assert_close(&both, &x, Bound::EXACT);
    }

    #[test]
    fn renaming_commutes_with_sum_over_other_axes([x] in grids(|[h, w]| [vec![h, w]]), l in layout()) {
        let t = laid_out!(f64, &x, l, (height, width));
        let first = t.rename(height, height_).sum(width).to_vec(height_).unwrap();
        assert_eq!(first, t.sum(width).rename(height, height_).to_vec(height_).unwrap());
    }

    #[test]
    fn renaming_is_contraction_with_the_identity([x] in grids(|[h, w]| [vec![h, w]]), l in layout()) {
        let t = laid_out!(f64, &x, l, (height, width));
        let identity = Tensor::<_, f64>::eye(height, height_, x.sizes[0]);
        assert_close(&identity.to_vec((height, height_)).unwrap(), &contraction::eye(x.sizes[0]), Bound::EXACT);
        // Every other product is with 0, so that nothing rounds.
        let contracted = t.dot(height, &identity).to_vec((height_, width)).unwrap();
        assert_close(&contracted, &x, Bound::EXACT);
    }

    #[test]
    fn flattening_is_the_plain_one([x] in grids(|[h, w, d]| [vec![h, w, d]]), l in layout()) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width, depth));
            let flat = t.flatten((height, width), layer).to_vec((layer, depth)).unwrap();
            assert_close(&flat, &plain::flatten(&x), Bound::EXACT);
            let turned = t.flatten((depth, height), layer).to_vec((layer, width)).unwrap();
            assert_close(&turned, &plain::flatten(&reorder(&x, &[2, 0, 1])), Bound::EXACT);
            let all = t.flatten((width, depth, height), layer).to_vec(layer).unwrap();
            let plain_all = plain::flatten(&plain::flatten(&reorder(&x, &[1, 2, 0])));
            assert_close(&all, &plain_all, Bound::EXACT);
        });
    }

    #[test]
    fn splitting_undoes_flattening([x] in grids(|[h, w, d]| [vec![h, w, d]]), l in layout()) {
        let t = laid_out!(f64, &x, l, (height, width, depth));
        let order = (height, width, depth);
        let flat = t.flatten((height, depth), layer);
        let stated = flat.split(layer, (height.of(x.sizes[0]), depth.of(x.sizes[2])));
        assert_close(&stated.to_vec(order).unwrap(), &x, Bound::EXACT);
        let inferred = flat.split(layer, (height.of(x.sizes[0]), depth));
        assert_close(&inferred.to_vec(order).unwrap(), &x, Bound::EXACT);
        let inferred = flat.split(layer, (height, depth.of(x.sizes[2])));
        assert_close(&inferred.to_vec(order).unwrap(), &x, Bound::EXACT);
    }

    #[test]
    fn splitting_is_the_plain_one([x] in grids(|[h, k, w]| [vec![h * k, w]]), l in layout()) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (layer, width));
            for first in (1..=x.sizes[0]).filter(|first| x.sizes[0] % first == 0) {
                let split = t.split(layer, (heads.of(first), key)).to_vec((heads, key, width)).unwrap();
                assert_close(&split, &plain::split(&x, first, x.sizes[0] / first), Bound::EXACT);
            }
        });
    }

    #[test]
    fn partial_indices_and_slices_are_the_plain_ones([x] in grids(|[h, w]| [vec![h, w]]), l in layout()) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width));
            for i in 0..x.sizes[0] {
                assert_close(&t.at(height, i).to_vec(width).unwrap(), &plain::at(&x, 0, i), Bound::EXACT);
            }
            for end in 0..=x.sizes[1] {
                let range = end / 2..end;
                let slice = t.slice(width, range.clone()).to_vec((height, width)).unwrap();
                assert_close(&slice, &plain::slice(&x, 1, range), Bound::EXACT);
            }
        });
    }

    #[test]
    fn concatenation_is_the_plain_one(
        [x, y] in grids(|[h, k, w]| [vec![h, w], vec![k, w]]), l in layout(), m in layout(),
    ) {
        in_both_precisions!({
            let first = laid_out!(Number, &x, l, (height, width));
            let second = laid_out!(Number, &y, m, (height, width));
            let joined = first.concat(height, &second);
            prop_assert_eq!(joined.size(height), x.sizes[0] + y.sizes[0]);
            assert_close(&joined.to_vec((height, width)).unwrap(), &plain::concat(&x, &y, 0), Bound::EXACT);
            let turned = joined.to_vec((width, height)).unwrap();
            assert_close(&turned, &plain::concat(&reorder(&x, &[1, 0]), &reorder(&y, &[1, 0]), 1), Bound::EXACT);
        });
    }

    #[test]
    fn slices_of_a_concatenation_are_its_parts(
        [x, y] in grids(|[h, k, w]| [vec![h, w], vec![k, w]]), l in layout(), m in layout(),
    ) {
        let (first, second) = (laid_out!(f64, &x, l, (height, width)), laid_out!(f64, &y, m, (height, width)));
        let joined = first.concat(height, &second);
        let (middle, end) = (x.sizes[0], x.sizes[0] + y.sizes[0]);
        assert_close(&joined.slice(height, 0..middle).to_vec((height, width)).unwrap(), &x, Bound::EXACT);
        assert_close(&joined.slice(height, middle..end).to_vec((height, width)).unwrap(), &y, Bound::EXACT);
    }
}
