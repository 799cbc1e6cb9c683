//! Forms of reshaping, renaming, joining and repeating, and the numbers they give.
//!
//! Lives here: the same numbers at other places. Not here: numbers picked by position (`reading`).

use super::{Run, across, down, image, qkv};
use crate::paper::*;

named! {
    fn Flat(A: R[height, width]) -> R[layer] { A_{(height, width) -> layer} }
    fn Parts(z: R[layer]) -> R[heads, key] { z_{layer -> (heads: 3, key)} }
    fn Twice(x: R[height]) -> R[height] { concat_height(x, x) }
    fn Pair(z: R[layer]) -> R[heads, key] { z_{layer -> (heads: 2, key)} }
    fn Turned(z: R[layer]) -> R[layer] { z_{layer -> (heads: 2, key), (key, heads) -> layer} }
    fn Patches(X: R[height, width, chans]) -> R[seq, emb] {
        X_{height -> (height, down: 2), width -> (width, across: 2)}_{(height, width) -> seq, (down, across, chans) -> emb}
    }
    fn Joined(x: R[height], v: R[height]) -> R[height] { concat_height(x, v) }
    fn Primed(A: R[height, width]) -> R[height, width_] { A_{width -> width_} }
}

#[test]
fn reshaping_and_joining_name_the_axes_they_change() -> Run {
    let (a, x, _) = tensors();
    let z = a.flatten((height, width), layer);
    assert_eq!(z.to_vec(layer)?, [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0]);
    assert_eq!(Flat(&a).to_vec(layer)?, [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0]);
    assert_eq!(a.flatten((width, height), layer).to_vec(layer)?, [3.0, 1.0, 2.0, 1.0, 5.0, 6.0, 4.0, 9.0, 5.0]);
    assert_eq!(z.split(layer, (heads.of(3), key)).at(heads, 1).to_vec(key)?, [1.0, 5.0, 9.0]);
    assert_eq!(Parts(&z).at(heads, 1).to_vec(key)?, [1.0, 5.0, 9.0]);
    assert_eq!(x.slice(height, ..1).to_vec(height)?, [2.0]);
    assert_eq!(x.slice(height, 1..).to_vec(height)?, [7.0, 1.0]);
    assert_eq!(x.concat(height, &x).to_vec(height)?, [2.0, 7.0, 1.0, 2.0, 7.0, 1.0]);
    assert_eq!(Twice(&x).to_vec(height)?, [2.0, 7.0, 1.0, 2.0, 7.0, 1.0]);
    let each: Vec<Tensor<R![]>> = (0..x.size(height)).map(|i| x.at(height, i)).collect();
    assert_eq!((each.len(), each[1].item()?), (3, 7.0));
    let stacked = Tensor::stack(heads, &[x.clone(), -&x]);
    assert_eq!(stacked.to_vec((heads, height))?, [2.0, 7.0, 1.0, -2.0, -7.0, -1.0]);
    let several: Vec<Tensor<R![height]>> = (0..3).map(|i| x.slice(height, i..)).collect();
    let joined = Tensor::concat_all(height, &several);
    assert_eq!(joined.to_vec(height)?, [2.0, 7.0, 1.0, 7.0, 1.0, 1.0]);
    assert_eq!(Tensor::zeros(height.of(1)).concat(height, &x).to_vec(height)?, [0.0, 2.0, 7.0, 1.0]);
    let wide = &x * Tensor::ones(key.of(2));
    assert_eq!(wide.to_vec((height, key))?, [2.0, 2.0, 7.0, 7.0, 1.0, 1.0]);
    assert_eq!(x.unroll(height, kernel.of(2)).to_vec((height, kernel))?, [2.0, 7.0, 7.0, 1.0]);
    Ok(())
}

#[test]
fn a_pattern_becomes_splits_and_flattenings() -> Run {
    let (a, x, _) = tensors();
    let z: Tensor<R![layer]> = Tensor::positions(layer.of(6)).real();
    let im = image();
    assert_eq!(z.split(layer, (heads.of(2), key)).to_vec((heads, key))?, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(Pair(&z).to_vec((heads, key))?, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(z.split(layer, (key, heads.of(2))).to_vec((heads, key))?, [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
    let turned = z.split(layer, (heads.of(2), key)).flatten((key, heads), layer);
    assert_eq!(turned.to_vec(layer)?, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    assert_eq!(Turned(&z).to_vec(layer)?, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    let rows = im.flatten((height, width), layer);
    assert_eq!(rows.at(layer, 5).to_vec((batch, chans))?, [10.0, 11.0]);
    let patches = Patches(&im);
    assert_eq!(patches.at(seq, 0).to_vec((batch, emb))?, [0.0, 1.0, 2.0, 3.0, 8.0, 9.0, 10.0, 11.0]);
    assert_eq!(patches.at(seq, 1).to_vec((batch, emb))?, [4.0, 5.0, 6.0, 7.0, 12.0, 13.0, 14.0, 15.0]);
    let three = z.split(layer, (qkv.of(3), heads.of(2), key));
    assert_eq!(three.at(qkv, 0).to_vec((heads, key))?, [0.0, 1.0]);
    assert_eq!(three.at(qkv, 2).to_vec((heads, key))?, [4.0, 5.0]);

    assert_eq!((&a - &x).to_vec((height, width))?, [1.0, -1.0, 2.0, -6.0, -2.0, 2.0, 1.0, 5.0, 4.0]);
    let w = Tensor::new((height, width), [[2.0], [7.0], [1.0]]);
    assert_eq!(w.at(width, 0).to_vec(height)?, [2.0, 7.0, 1.0]);
    let v = Tensor::new(height, [3.0, 8.0, 2.0]);
    let stacked = Tensor::stack(heads, &[x.clone(), v.clone()]);
    assert_eq!(stacked.to_vec((heads, height))?, [2.0, 7.0, 1.0, 3.0, 8.0, 2.0]);
    assert_eq!(x.concat(height, &v).to_vec(height)?, [2.0, 7.0, 1.0, 3.0, 8.0, 2.0]);
    assert_eq!(Joined(&x, &v).to_vec(height)?, [2.0, 7.0, 1.0, 3.0, 8.0, 2.0]);
    assert_eq!(a.rename(width, width_).at(width_, 0).to_vec(height)?, [3.0, 1.0, 2.0]);
    assert_eq!(Primed(&a).at(width_, 0).to_vec(height)?, [3.0, 1.0, 2.0]);
    Ok(())
}

#[test]
fn repeating_multiplies_by_ones_and_packing_concatenates() -> Run {
    let (a, x, _) = tensors();
    let each = (&x * Tensor::ones(key.of(2))).flatten((height, key), height);
    assert_eq!(each.to_vec(height)?, [2.0, 2.0, 7.0, 7.0, 1.0, 1.0]);
    let whole = (&x * Tensor::ones(key.of(2))).flatten((key, height), height);
    assert_eq!(whole.to_vec(height)?, [2.0, 7.0, 1.0, 2.0, 7.0, 1.0]);

    let packed = (&x * Tensor::ones(width.of(1))).concat(width, &a);
    assert_eq!(packed.to_vec((height, width))?, [2.0, 3.0, 1.0, 4.0, 7.0, 1.0, 5.0, 9.0, 1.0, 2.0, 6.0, 5.0]);
    assert_eq!(packed.at(width, 0).to_vec(height)?, [2.0, 7.0, 1.0]);
    assert_eq!(packed.slice(width, 1..).to_vec((height, width))?, a.to_vec((height, width))?);
    let im = image();
    let rows = im.flatten((batch, height, width), layer);
    assert_eq!(rows.at(layer, 5).to_vec(chans)?, [10.0, 11.0]);
    assert_eq!(rows.size(layer), 8);
    Ok(())
}
