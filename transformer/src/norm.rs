//! Normalisation: rows 0.11–0.16, 3.16.
//!
//! `standardize_ax(X) = (X - mean_ax X) / √(var_ax X + ε)` with ε = 1e-5 is part of the notation.
//! Lives here: the layers that differ only in the axes they standardize over, `BatchNorm` always over those of its own batch.

use crate::axes::{batch, chans, layer};
use named_tensor::named;

named! {
    /// Over the examples and the features of a layer, for each channel by itself (row 0.12).
    pub fn BatchNorm(X: R[batch, chans, layer]; γ: R[chans] = 1, β: R[chans] = 0) -> R[batch, chans, layer] {
        standardize_{batch, layer}(X) * γ + β
    }

    /// Over the features of a layer, for each example and channel by itself (row 0.13).
    pub fn InstanceNorm(X: R[batch, chans, layer]; γ: R[chans] = 1, β: R[chans] = 0) -> R[batch, chans, layer] {
        standardize_layer(X) * γ + β
    }

    /// Over the channels and features of a layer, for each example by itself (row 0.14).
    pub fn LayerNorm2d(X: R[batch, chans, layer]; γ: R[chans, layer] = 1, β: R[chans, layer] = 0) -> R[batch, chans, layer] {
        standardize_{layer, chans}(X) * γ + β
    }

    /// Over the channels of one position, as transformers use it: |layer| = 1 (row 0.15).
    pub fn LayerNorm(X: R[chans]; γ: R[chans] = 1, β: R[chans] = 0) -> R[chans] {
        standardize_chans(X) * γ + β
    }
}
