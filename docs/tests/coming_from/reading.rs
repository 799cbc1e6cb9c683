//! Forms of making, reading, indexing and choosing, and the numbers they give.
//!
//! Lives here: where numbers enter, leave and are picked. Not here: what is computed of them (`elementwise`).

use super::Run;
use crate::paper::*;

named! {
    fn Columns(A: R[height, width]) -> R[] { |width| }
    fn Rows(A: R[height, width]) -> R[] { |height| }
    fn Corner(A: R[height, width]) -> R[] { A_{height(0), width(2)} }
    fn Embed(E: R[vocab, emb], I: vocab[seq]) -> R[seq, emb] { index_vocab(E, I) }
    fn Large(A: R[height, width]) -> R[height, width] { if A > 4 { A } else { 0 } }
    fn Lower(X: R[seq]) -> R[seq, seq_] { M_{seq_(i: |seq|), seq(j)} = if i >= j { 1 } else { 0 }; M }
}

#[test]
fn numbers_are_read_in_the_order_that_the_reader_states() -> Run {
    let (a, x, _) = tensors();
    let b = Tensor::new((height, width), [[3.0, 1.0, 4.0], [1.0, 5.0, 9.0]]);
    let one = Tensor::new((batch, height), [[2.0, 7.0, 1.0]]);
    assert_eq!(one.at(batch, 0).to_vec(height)?, [2.0, 7.0, 1.0]);
    let numbers = vec![3.0, 1.0, 4.0, 1.0, 5.0, 9.0];
    let c = Tensor::from_vec((height.of(2), width.of(3)), numbers)?;
    assert_eq!(b.to_vec((width, height))?, [3.0, 1.0, 1.0, 5.0, 4.0, 9.0]);
    assert_eq!(c.to_vec((width, height))?, [3.0, 1.0, 1.0, 5.0, 4.0, 9.0]);
    let none: Tensor<_> = Tensor::zeros((height.of(2), width.of(3)));
    let nine: Tensor<_> = Tensor::zeros((height.of(3), width.of(3)));
    assert_eq!(nine.to_vec((height, width))?, [0.0; 9]);
    let half: Tensor<_> = Tensor::full(key.of(2), 0.5);
    assert_eq!(none.to_vec((height, width))?, [0.0; 6]);
    assert_eq!(half.to_vec(key)?, [0.5, 0.5]);
    let function = Tensor::from_fn((seq.of(2), key.of(2)), |[i, j]| (2 * i + j) as f32);
    let unit: Tensor<R![height, width]> = Tensor::eye(height, width, 2);
    assert_eq!(function.to_vec((seq, key))?, [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(unit.to_vec((height, width))?, [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(Tensor::positions(seq.of(3)).to_vec(seq)?, [0, 1, 2]);
    let drawn: Tensor<_> = Tensor::normal(&mut seeded(0), (seq.of(2), key.of(3)), 0.0, 1.0);
    assert!(close(&drawn.at(seq, 0).to_vec(key)?, &[-0.074824, 0.207481, -0.947933]));
    assert_eq!(x.cast::<f64>().to_vec(height)?, [2.0_f64, 7.0, 1.0]);
    assert_eq!(a.to_vec((height, width))?, [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0]);
    assert_eq!(x.sum(height).item()?, 10.0);
    assert_eq!(a.iter((height, width))?.nth(5), Some(([1, 2], 9.0)));
    assert_eq!((a.size(width), a.size(height)), (3, 3));
    assert_eq!(Columns(&a).item()?, 3.0);
    assert_eq!(Rows(&a).item()?, 3.0);
    assert_eq!(a.shape().to_string(), "[height: 3, width: 3]");
    Ok(())
}

#[test]
fn positions_and_conditions_pick_what_indices_and_masks_pick() -> Run {
    let (a, x, _) = tensors();
    assert_eq!(a.at(height, 0).to_vec(width)?, [3.0, 1.0, 4.0]);
    assert_eq!(a.at(height, 0).at(width, 2).item()?, 4.0);
    assert_eq!(Corner(&a).item()?, 4.0);
    assert_eq!(a.slice(width, 1..).to_vec((height, width))?, [1.0, 4.0, 5.0, 9.0, 6.0, 5.0]);
    let rows = a.index(height, &Tensor::indices(seq, height, [2, 0]));
    assert_eq!(rows.to_vec((seq, width))?, [2.0, 6.0, 5.0, 3.0, 1.0, 4.0]);
    let turned = a.index(height, &Tensor::indices(height, height, [2, 1, 0]));
    assert_eq!(turned.to_vec((height, width))?, [2.0, 6.0, 5.0, 1.0, 5.0, 9.0, 3.0, 1.0, 4.0]);

    let (e, ids) = (a.rename((height, width), (vocab, emb)), Tensor::indices(seq, vocab, [2, 0]));
    assert_eq!(e.index(vocab, &ids).to_vec((seq, emb))?, [2.0, 6.0, 5.0, 3.0, 1.0, 4.0]);
    assert_eq!(Embed(&e, &ids).to_vec((seq, emb))?, [2.0, 6.0, 5.0, 3.0, 1.0, 4.0]);
    let p = Tensor::new((seq, vocab), [[0.5, 0.2, 0.3], [0.1, 0.8, 0.1]]);
    assert_eq!(p.index(vocab, &ids).to_vec(seq)?, [0.3, 0.1]);
    let (i, j) = (Tensor::indices(subseq, seq, [1, 0, 1]), Tensor::indices(subseq, vocab, [1, 1, 0]));
    assert_eq!(p.index(seq, &i).index(vocab, &j).to_vec(subseq)?, [0.8, 0.2, 0.1]);
    let ones: Tensor<_> = ids.one_hot(vocab.of(3));
    assert_eq!(ones.to_vec((seq, vocab))?, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    let u = Tensor::new(seq, [5.0, 6.0]);
    assert_eq!(ids.one_hot(vocab.of(3)).dot(seq, &u).to_vec(vocab)?, [6.0, 0.0, 5.0]);

    let large = a.gt(4.0).select(&a, &Tensor::scalar(0.0));
    assert_eq!(large.to_vec((height, width))?, [0.0, 0.0, 0.0, 0.0, 5.0, 9.0, 0.0, 6.0, 5.0]);
    assert_eq!(Large(&a).to_vec((height, width))?, [0.0, 0.0, 0.0, 0.0, 5.0, 9.0, 0.0, 6.0, 5.0]);
    let between = a.gt(1.0).and(&a.lt(5.0)).real::<f32>().sum(width);
    assert_eq!(between.to_vec(height)?, [2.0, 0.0, 1.0]);
    let lower = Lower(&Tensor::new(seq, [7.0, 8.0, 9.0]));
    assert_eq!(lower.to_vec((seq_, seq))?, [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0]);
    let set = x.iota(height).eq(1).select(&Tensor::scalar(9.0), &x);
    assert_eq!(set.to_vec(height)?, [2.0, 9.0, 1.0]);
    let seen = Tensor::positions(seq_.of(3)).ge(&Tensor::positions(seq.of(3)));
    assert_eq!(seen.to_vec((seq_, seq))?, [true, false, false, true, true, false, true, true, true]);
    Ok(())
}
