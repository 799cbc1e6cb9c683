//! The order of axes has no meaning: not in types, not in declarations, not in results.
//!
//! Lives here: rows P1, P3 and P4: sets of axes as types, shapes, scalars. Not here: what operations do.

use named_tensor::axes::set::{Axes, Inter, Minus, Union};
use named_tensor::prelude::*;
use named_tensor_tests::axes::{batch, chans, depth, height, key, seq, seq_, val, width};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::rearrangement::reorder;
use named_tensor_tests::reference::{Grid, paper};
use named_tensor_tests::strategies::{cases, grids, laid_out, layout, tensor};
use proptest::prelude::*;
use std::any::TypeId;

/// Whether two sets of axes are one type.
fn same<A: Axes, B: Axes>() -> bool {
    TypeId::of::<A>() == TypeId::of::<B>()
}

#[test]
fn p1_a_and_its_transposed_layout_are_one_tensor() {
    let a: Tensor<R![height, width], f64> = tensor!(f64, &paper::a(), (height, width));
    let turned: Tensor<R![width, height], f64> = tensor!(f64, &reorder(&paper::a(), &[1, 0]), (width, height));
    assert_eq!(a.to_vec((height, width)).unwrap(), turned.to_vec((height, width)).unwrap());
    assert_eq!(a.to_vec((width, height)).unwrap(), turned.to_vec((width, height)).unwrap());
}

#[test]
fn p3_sets_of_axes_are_one_type_in_every_order() {
    assert!(same::<R![height, width], R![width, height]>());
    assert!(same::<R![batch, seq, key], R![key, batch, seq]>());
    assert!(same::<R![batch, seq, key], R![seq, key, batch]>());
    assert!(!same::<R![seq, key], R![seq_, key]>());
    assert!(same::<R![], ()>());
    assert!(same::<R![key], key>());
}

#[test]
fn p3_union_difference_and_intersection_of_sets() {
    assert!(same::<Union<R![batch, seq], R![seq, key]>, R![key, seq, batch]>());
    assert!(same::<Union<R![], R![seq, key]>, R![key, seq]>());
    assert!(same::<Minus<R![batch, seq, key], R![seq, val]>, R![batch, key]>());
    assert!(same::<Minus<R![seq], R![seq]>, R![]>());
    assert!(same::<Inter<R![batch, seq, key], R![key, batch, val]>, R![batch, key]>());
    // Orthogonal sets have nothing in common.
    assert!(same::<Inter<R![batch, seq], R![key, val]>, R![]>());
}

#[test]
fn p3_union_is_commutative_associative_and_idempotent() {
    type A = R![batch, seq, key];
    type B = R![val, key, height];
    type C = R![width, seq, chans, val];
    assert!(same::<Union<A, B>, Union<B, A>>());
    assert!(same::<Union<A, Union<B, C>>, Union<Union<A, B>, C>>());
    assert!(same::<Union<A, A>, A>());
    assert!(same::<Union<Minus<A, B>, Inter<A, B>>, A>());
}

#[test]
fn p3_a_tensor_without_axes_is_a_number() {
    let number: Tensor<R![]> = Tensor::scalar(2.5);
    assert_eq!(number.item().unwrap(), 2.5);
    assert_eq!(number.to_vec(()).unwrap(), [2.5]);
}

#[test]
fn p4_a_function_of_one_number_acts_on_any_axes_and_one_of_two_unites_them() {
    let number = Tensor::<R![]>::scalar(4.0);
    let square: Tensor<R![]> = number.sqrt();
    assert_eq!(square.item().unwrap(), 2.0);
    let x = Tensor::<_, f64>::full(height.of(2), 3.0);
    let y = Tensor::<_, f64>::full(width.of(3), 5.0);
    let sum: Tensor<R![height, width], f64> = &x + &y;
    assert_eq!(sum.to_vec((width, height)).unwrap(), [8.0; 6]);
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn every_order_of_reading_gives_the_same_element_at_the_same_place(
        [x] in grids(|[h, w, d]| [vec![h, w, d]]), l in layout(),
    ) {
        let t = laid_out!(f64, &x, l, (height, width, depth));
        assert_close(&t.to_vec((height, width, depth)).unwrap(), &x, Bound::EXACT);
        assert_close(&t.to_vec((height, depth, width)).unwrap(), &reorder(&x, &[0, 2, 1]), Bound::EXACT);
        assert_close(&t.to_vec((width, height, depth)).unwrap(), &reorder(&x, &[1, 0, 2]), Bound::EXACT);
        assert_close(&t.to_vec((width, depth, height)).unwrap(), &reorder(&x, &[1, 2, 0]), Bound::EXACT);
        assert_close(&t.to_vec((depth, height, width)).unwrap(), &reorder(&x, &[2, 0, 1]), Bound::EXACT);
        assert_close(&t.to_vec((depth, width, height)).unwrap(), &reorder(&x, &[2, 1, 0]), Bound::EXACT);
    }

    #[test]
    fn sizes_belong_to_names([x] in grids(|[h, w, d]| [vec![h, w, d]]), l in layout()) {
        let t = laid_out!(f32, &x, l, (height, width, depth));
        prop_assert_eq!([t.size(height), t.size(width), t.size(depth)], [x.sizes[0], x.sizes[1], x.sizes[2]]);
    }
}

#[test]
fn names_that_sort_apart_from_their_declaration_keep_their_sizes() {
    let x = Grid::from_fn(&[2, 3, 4, 5], |place| place.iter().fold(0, |code, p| 10 * code + p) as f64);
    let t: Tensor<R![val, batch, seq_, seq], f64> = tensor!(f64, &x, (val, batch, seq_, seq));
    assert_eq!([t.size(val), t.size(batch), t.size(seq_), t.size(seq)], [2, 3, 4, 5]);
    assert_eq!(t.to_vec((val, batch, seq_, seq)).unwrap(), x.values);
    assert_eq!(t.to_vec((seq, seq_, batch, val)).unwrap(), reorder(&x, &[3, 2, 1, 0]).values);
}

mod twelve {
    named_tensor::axes! { a, b, c, d, e, f, g, h, i, j, k, l }
}

#[test]
fn a_tensor_of_twelve_axes_is_made_and_read_in_any_order() {
    use twelve::{a, b, c, d, e, f, g, h, i, j, k, l};
    let sizes =
        (a.of(2), b.of(1), c.of(1), d.of(1), e.of(1), f.of(1), g.of(1), h.of(1), i.of(1), j.of(1), k.of(1), l.of(2));
    let x = Tensor::from_vec(sizes, vec![1.0_f64, 2.0, 3.0, 4.0]).unwrap();
    assert_eq!(x.to_vec((l, k, j, i, h, g, f, e, d, c, b, a)).unwrap(), [1.0, 3.0, 2.0, 4.0]);
}
