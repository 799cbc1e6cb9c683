//! Stacks: N layers, one after the other; rows 4.1, 4.12, 4.15.
//!
//! The layers are positions of an axis, and the stack is a scan along it: one layer is planned, N are run. A list of
//! layers does the same one by one. Either stands where an equation has a parameter `encoder: Encoder`, and calls it.
//! Not here: the layers (`layer`), the words below and above them (`models`).

use crate::axes::{chans, layers, seq, seq_, source};
use crate::layer::{DecoderLayer, Layer};
use named_tensor::prelude::*;

/// N layers of an encoder or language model along the axis `layers`.
pub type Encoder<T = f32> = Stacked<layers, Layer<T>, T>;

/// N layers of a decoder along the axis `layers`.
pub type Decoder<T = f32> = Stacked<layers, DecoderLayer<T>, T>;

/// The features of a text.
type Text<T> = Tensor<R![chans, seq], T>;

/// What applies the layers of an encoder: X₀ = X, Xₗ = layerₗ(Xₗ₋₁, M).
pub trait Encode<T: Real> {
    /// X_N.
    fn apply(&self, x: &Text<T>, mask: &Tensor<R![seq, seq_], T>) -> Text<T>;
}

impl<T: Real> Encode<T> for Encoder<T> {
    #[track_caller]
    fn apply(&self, x: &Text<T>, mask: &Tensor<R![seq, seq_], T>) -> Text<T> {
        scan(layers, x.clone(), self, |x, layer| (layer.apply(&x, mask), ())).0
    }
}

impl<T: Real> Encode<T> for [Layer<T>] {
    #[track_caller]
    fn apply(&self, x: &Text<T>, mask: &Tensor<R![seq, seq_], T>) -> Text<T> {
        self.iter().fold(x.clone(), |x, layer| layer.apply(&x, mask))
    }
}

/// What applies the layers of a decoder to X under the mask M, each of which looks at Z under the mask N.
pub trait Decode<T: Real> {
    /// X_N.
    fn apply(
        &self,
        x: &Text<T>,
        mask: &Tensor<R![seq, seq_], T>,
        z: &Tensor<R![chans, source], T>,
        source_mask: &Tensor<R![source], T>,
    ) -> Text<T>;
}

impl<T: Real> Decode<T> for Decoder<T> {
    #[track_caller]
    fn apply(
        &self,
        x: &Text<T>,
        mask: &Tensor<R![seq, seq_], T>,
        z: &Tensor<R![chans, source], T>,
        source_mask: &Tensor<R![source], T>,
    ) -> Text<T> {
        scan(layers, x.clone(), self, |x, layer| (layer.apply(&x, mask, z, source_mask), ())).0
    }
}

impl<T: Real> Decode<T> for [DecoderLayer<T>] {
    #[track_caller]
    fn apply(
        &self,
        x: &Text<T>,
        mask: &Tensor<R![seq, seq_], T>,
        z: &Tensor<R![chans, source], T>,
        source_mask: &Tensor<R![source], T>,
    ) -> Text<T> {
        self.iter().fold(x.clone(), |x, layer| layer.apply(&x, mask, z, source_mask))
    }
}
