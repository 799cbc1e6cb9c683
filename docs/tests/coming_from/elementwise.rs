//! Forms of elementwise operations, reductions and functions along an axis, and the numbers they give.
//!
//! Lives here: operations that keep the axes or take some away. Not here: contraction (`contraction`).

use super::{Run, across, down, image};
use crate::paper::*;

named! {
    fn Plus(A: R[height, width], x: R[height]) -> R[height, width] { A + x }
    fn Square(A: R[height, width]) -> R[height, width] { 2 * A^2 + 1 }
    fn Total(A: R[height, width]) -> R[] { sum_{height, width}(A) }
    fn Centred(A: R[height, width]) -> R[height, width] { A - mean_width(A) }
    fn Sum(A: R[height, width]) -> R[height] { sum_width(A) }
    fn Most(A: R[height, width]) -> R[] { max_{height, width}(A) }
    fn Pooled(z: R[layer]) -> R[layer] { max_kernel(pool_{layer, kernel}(z, 2)) }
    fn Shares(A: R[height, width]) -> R[height, width] { softmax_width(A) }
}

#[test]
fn elementwise_operations_align_their_operands_by_name() -> Run {
    let (a, x, y) = tensors();
    assert_eq!((&a + &x).to_vec((height, width))?, [5.0, 3.0, 6.0, 8.0, 12.0, 16.0, 3.0, 7.0, 6.0]);
    assert_eq!((&a + &y).to_vec((height, width))?, [4.0, 5.0, 5.0, 2.0, 9.0, 10.0, 3.0, 10.0, 6.0]);
    assert_eq!(Plus(&a, &x).to_vec((height, width))?, [5.0, 3.0, 6.0, 8.0, 12.0, 16.0, 3.0, 7.0, 6.0]);
    assert_eq!(a.maximum(&x).to_vec((height, width))?, [3.0, 2.0, 4.0, 7.0, 7.0, 9.0, 2.0, 6.0, 5.0]);
    assert_eq!(a.clamp(2.0, 5.0).to_vec((height, width))?, [3.0, 2.0, 4.0, 2.0, 5.0, 5.0, 2.0, 5.0, 5.0]);
    let square = [19.0, 3.0, 33.0, 3.0, 51.0, 163.0, 9.0, 73.0, 51.0];
    assert_eq!((a.pow(2.0) * 2.0 + 1.0).to_vec((height, width))?, square);
    assert_eq!(Square(&a).to_vec((height, width))?, square);
    assert!(close(&a.sqrt().at(height, 0).to_vec(width)?, &[1.732051, 1.0, 2.0]));
    assert!(close(&x.gelu().to_vec(height)?, &[1.9545, 7.0, 0.841345]));
    assert!(close(&x.gelu_tanh().to_vec(height)?, &[1.954598, 7.0, 0.841192]));
    Ok(())
}

#[test]
fn reductions_take_the_axes_they_name() -> Run {
    let (a, ..) = tensors();
    assert_eq!(a.sum(width).to_vec(height)?, [8.0, 15.0, 13.0]);
    assert_eq!(a.sum((height, width)).item()?, 36.0);
    assert_eq!(Total(&a).item()?, 36.0);
    assert_eq!(a.max(width).to_vec(height)?, [4.0, 9.0, 6.0]);
    assert_eq!(a.min(width).to_vec(height)?, [1.0, 1.0, 2.0]);
    assert_eq!(a.mean(height).to_vec(width)?, [2.0, 4.0, 6.0]);
    assert_eq!(a.prod(width).to_vec(height)?, [12.0, 45.0, 60.0]);
    assert!(close(&a.var(height).to_vec(width)?, &[0.666667, 4.666667, 4.666667]));
    assert!(close(&a.norm(height).to_vec(width)?, &[3.741657, 7.874008, 11.045361]));
    assert!(close(&a.norm_p(height, 3.0).to_vec(width)?, &[3.301927, 6.993191, 9.718835]));
    let centred = &a - a.mean(width);
    assert_eq!(centred.at(height, 1).to_vec(width)?, [-4.0, 0.0, 4.0]);
    assert_eq!(Centred(&a).at(height, 1).to_vec(width)?, [-4.0, 0.0, 4.0]);
    assert_eq!(Sum(&a).to_vec(height)?, [8.0, 15.0, 13.0]);
    assert_eq!(a.max((height, width)).item()?, 9.0);
    assert_eq!(Most(&a).item()?, 9.0);
    let z: Tensor<R![layer]> = Tensor::positions(layer.of(6)).real();
    assert_eq!(z.pool(layer, kernel.of(2)).max(kernel).to_vec(layer)?, [1.0, 3.0, 5.0]);
    assert_eq!(Pooled(&z).to_vec(layer)?, [1.0, 3.0, 5.0]);
    let refused = z.pool(layer, kernel.of(4)).checked().expect_err("4 does not divide 6");
    assert!(refused.to_string().contains("layer"), "{refused}");
    let im = image();
    assert_eq!(im.mean((height, width)).to_vec((batch, chans))?, [7.0, 8.0]);
    let most = im.pool(height, down.of(2)).pool(width, across.of(2)).max((down, across));
    assert_eq!(most.to_vec((batch, height, width, chans))?, [10.0, 11.0, 14.0, 15.0]);
    Ok(())
}

#[test]
fn functions_along_an_axis_keep_all_axes_or_choose_positions() -> Run {
    let (a, ..) = tensors();
    assert_eq!(a.cumsum(width).to_vec((height, width))?, [3.0, 4.0, 8.0, 1.0, 6.0, 15.0, 2.0, 8.0, 13.0]);
    assert_eq!(a.sort(width).to_vec((height, width))?, [1.0, 3.0, 4.0, 1.0, 5.0, 9.0, 2.0, 5.0, 6.0]);
    assert_eq!(a.argsort(width).to_vec((height, width))?, [1, 0, 2, 0, 1, 2, 0, 2, 1]);
    assert_eq!(a.argmaxk(width, width.of(1)).at(width, 0).to_vec(height)?, [2, 2, 1]);
    assert_eq!(a.argmax(width).to_vec((height, width))?, [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    assert_eq!(a.maxk(width, width.of(2)).to_vec((height, width))?, [4.0, 3.0, 9.0, 5.0, 6.0, 5.0]);
    assert_eq!(a.argmaxk(width, width.of(2)).to_vec((height, width))?, [2, 0, 2, 1, 1, 2]);
    assert!(close(&a.softmax(width).at(height, 0).to_vec(width)?, &[0.259496, 0.035119, 0.705385]));
    assert!(close(&a.log_softmax(width).at(height, 0).to_vec(width)?, &[-1.349012, -3.349012, -0.349012]));
    assert!(close(&a.standardize(width).at(height, 1).to_vec(width)?, &[-1.224744, 0.0, 1.224744]));
    assert!(close(&Shares(&a).at(height, 0).to_vec(width)?, &[0.259496, 0.035119, 0.705385]));
    let (gain, bias) = (Tensor::new(width, [1.0, 2.0, 0.5]), Tensor::new(width, [0.0, 1.0, -1.0]));
    let normed = a.standardize(width) * &gain + &bias;
    assert!(close(&normed.at(height, 1).to_vec(width)?, &[-1.224744, 1.0, -0.387628]));
    let p = Tensor::new((seq, vocab), [[3.0, 1.0, 4.0], [1.0, 5.0, 9.0]]);
    let ids = Tensor::indices(seq, vocab, [2, 0]);
    let loss = -p.log_softmax(vocab).index(vocab, &ids).sum(seq);
    assert!(close(&[loss.item()?], &[8.367491]));
    Ok(())
}
