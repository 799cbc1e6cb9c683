//! Forms of contraction, and the numbers they give.
//!
//! Lives here: products of matrices and strings of einsum. Not here: other operations of two tensors (`elementwise`).

use super::Run;
use crate::paper::*;

named! {
    fn Product(A: R[height, width], y: R[width]) -> R[height] { A dot_width y }
    fn Squares(A: R[height, width]) -> R[] { A dot_{height, width} A }
    fn Gram(A: R[height, width]) -> R[width, width_] { A dot_height A_{width -> width_} }
    fn Scores(Q: R[key], K: R[seq, key]) -> R[seq] { Q dot_key K }
    fn Diagonal(A: R[height, width]) -> R[height] { D_{height(i)} = A_{height(i), width(i + 0)}; D }
}

#[test]
fn a_contraction_gives_what_its_einsum_gives() -> Run {
    let (a, x, y) = tensors();
    assert_eq!(a.dot(width, &y).to_vec(height)?, [11.0, 30.0, 31.0]);
    assert_eq!(Product(&a, &y).to_vec(height)?, [11.0, 30.0, 31.0]);
    assert_eq!(x.dot(height, &a).to_vec(width)?, [15.0, 43.0, 76.0]);
    assert_eq!(x.dot(height, &x).item()?, 54.0);
    assert_eq!((&x * &y).to_vec((height, width))?, [2.0, 8.0, 2.0, 7.0, 28.0, 7.0, 1.0, 4.0, 1.0]);
    assert_eq!(a.dot((height, width), &a).item()?, 198.0);
    assert_eq!(Squares(&a).item()?, 198.0);
    let gram = [14.0, 20.0, 31.0, 20.0, 62.0, 79.0, 31.0, 79.0, 122.0];
    assert_eq!(a.dot(height, &a.rename(width, width_)).to_vec((width, width_))?, gram);
    assert_eq!(Gram(&a).to_vec((width, width_))?, gram);
    assert_eq!(x.dot(height, &a).dot(width, &y).item()?, 263.0);
    assert_eq!(a.to_vec((width, height))?, [3.0, 1.0, 2.0, 1.0, 5.0, 6.0, 4.0, 9.0, 5.0]);
    assert_eq!(a.sum(height).to_vec(width)?, [6.0, 12.0, 18.0]);
    let diagonal = a.index(width, &Tensor::indices(height, width, [0, 1, 2]));
    assert_eq!(diagonal.to_vec(height)?, [3.0, 5.0, 5.0]);
    assert_eq!(Diagonal(&a).to_vec(height)?, [3.0, 5.0, 5.0]);

    let k = Tensor::new((batch, seq, key), [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]);
    let q = Tensor::new((batch, seq_, key), [[[1.0, 0.0]], [[1.0, -1.0]]]);
    assert_eq!(k.dot(key, &q).to_vec((batch, seq, seq_))?, [1.0, 3.0, -1.0, -1.0]);
    let t = Tensor::new((batch, seq, chans), [[[1.0, 2.0], [3.0, 4.0]]]);
    let w = Tensor::new((heads, chans, key), [[[1.0], [0.0]], [[1.0], [1.0]]]);
    assert_eq!(t.dot(chans, &w).to_vec((batch, heads, seq, key))?, [1.0, 3.0, 3.0, 7.0]);
    assert_eq!(q.dot(key, &k).to_vec((batch, seq_, seq))?, [1.0, 3.0, -1.0, -1.0]);
    assert_eq!(Scores(&q, &k).to_vec((batch, seq_, seq))?, [1.0, 3.0, -1.0, -1.0]);
    assert_eq!(a.dot(width, &y).dot(height, &x).item()?, 263.0);
    Ok(())
}
