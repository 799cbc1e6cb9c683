//! Advice about rows that are gathered by the positions they belong to: sums, means, extremes and shares of each.
//!
//! What is compared with is computed by hand. Not here: what goes along an axis itself (`layers`).

use super::{seq, vocab};
use named_tensor::prelude::*;

named! {
    fn Sum(X: R[seq], I: vocab[seq]) -> R[vocab] { one_hot_vocab(I, 3) dot_seq X }

    fn Mean(X: R[seq], I: vocab[seq]) -> R[vocab] {
        H = one_hot_vocab(I, 3);
        H dot_seq X / max(sum_seq(H), 1)
    }

    fn Largest(X: R[seq], I: vocab[seq]) -> R[vocab] { max_seq(if one_hot_vocab(I, 3) > 0 { X } else { -inf }) }

    fn Least(X: R[seq], I: vocab[seq]) -> R[vocab] { min_seq(if one_hot_vocab(I, 3) > 0 { X } else { inf }) }

    fn Shares(X: R[seq], I: vocab[seq]) -> R[seq] {
        H = one_hot_vocab(I, 3);
        M = max_seq(if H > 0 { X } else { -inf });
        E = exp(X - M_{vocab(I)});
        E / (H dot_seq E)_{vocab(I)}
    }

    fn LookedUp(X: R[seq], Y: R[]) -> R[] {
        P_{seq(j)} = j;
        (if P == floor(Y) { 1 } else { 0 }) dot_seq X
    }
}

#[test]
fn rows_are_gathered_by_the_positions_they_belong_to() {
    let x: Tensor<seq> = Tensor::new(seq, [1.0, -4.0, 6.0, 2.0]);
    let of = Tensor::indices(seq, vocab, [2, 0, 2, 2]);
    assert_eq!(Sum(&x, &of).to_vec(vocab).unwrap(), [-4.0, 0.0, 9.0]);
    assert_eq!(Mean(&x, &of).to_vec(vocab).unwrap(), [-4.0, 0.0, 3.0]);
    assert_eq!(Largest(&x, &of).to_vec(vocab).unwrap(), [-4.0, f32::NEG_INFINITY, 6.0]);
    assert_eq!(Least(&x, &of).to_vec(vocab).unwrap(), [-4.0, f32::INFINITY, 1.0]);
    assert_eq!(grad(&Largest(&x, &of).at(vocab, 2), &x).to_vec(seq).unwrap(), [0.0, 0.0, 1.0, 0.0]);
    let (x, of) = (Tensor::<seq>::new(seq, [500.0, 500.0, 7.0]), Tensor::indices(seq, vocab, [1, 1, 0]));
    assert_eq!(Shares(&x, &of).to_vec(seq).unwrap(), [0.5, 0.5, 1.0]);
    // The slope of a share p is p (1 - p) by its own number, and -p q by another of its segment.
    assert_eq!(grad(&Shares(&x, &of).at(seq, 0), &x).to_vec(seq).unwrap(), [0.25, -0.25, 0.0]);
}

#[test]
fn a_position_past_the_size_of_one_hot_is_left_out() {
    let (x, of) = (Tensor::<seq>::new(seq, [1.0, 2.0, 4.0]), Tensor::indices(seq, vocab, [0, 3, 7]));
    assert_eq!(Sum(&x, &of).to_vec(vocab).unwrap(), [1.0, 0.0, 0.0]);
}

#[test]
fn what_stands_at_a_real_number_is_found_by_comparing() {
    let x: Tensor<seq> = Tensor::new(seq, [10.0, 20.0, 30.0]);
    let at: Tensor<vocab> = Tensor::new(vocab, [1.9, 0.0, 2.0, 3.5, -0.1]);
    assert_eq!(LookedUp(&x, &at).to_vec(vocab).unwrap(), [20.0, 10.0, 30.0, 0.0, 0.0]);
}
