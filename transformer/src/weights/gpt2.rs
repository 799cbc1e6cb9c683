//! GPT-2 as it is published: names `h.0.attn.c_attn.weight`, queries, keys and values in one tensor.

use super::look::Size;
use super::{Checkpoint, Config, Row};
use crate::axes::{chans, heads, hidden, key, places, val, vocab};
use crate::models::gpt2::Gpt2;
use named_tensor::params::unfilled;
use named_tensor::prelude::*;
use serde_json::json;
use std::path::Path;

const ROWS: &[Row] = &[
    ("wte.weight", &[("words.E", "vocab, chans")]),
    ("wpe.weight", &[("words.P", "places, chans")]),
    ("h.{}.ln_1.weight", &[("layers.{}.norm1.γ", "chans")]),
    ("h.{}.ln_1.bias", &[("layers.{}.norm1.β", "chans")]),
    (
        "h.{}.attn.c_attn.weight",
        &[
            ("layers.{}.att.W_Q", "chans, heads key"),
            ("layers.{}.keys.W", "chans, heads key"),
            ("layers.{}.values.W", "chans, heads val"),
        ],
    ),
    (
        "h.{}.attn.c_attn.bias",
        &[("layers.{}.att.b_Q", "heads key"), ("layers.{}.keys.b", "heads key"), ("layers.{}.values.b", "heads val")],
    ),
    ("h.{}.attn.c_proj.weight", &[("layers.{}.att.W_O", "heads val, chans")]),
    ("h.{}.attn.c_proj.bias", &[("layers.{}.att.b_O", "chans")]),
    ("h.{}.ln_2.weight", &[("layers.{}.norm2.γ", "chans")]),
    ("h.{}.ln_2.bias", &[("layers.{}.norm2.β", "chans")]),
    ("h.{}.mlp.c_fc.weight", &[("layers.{}.mlp.W1", "chans, hidden")]),
    ("h.{}.mlp.c_fc.bias", &[("layers.{}.mlp.b1", "hidden")]),
    ("h.{}.mlp.c_proj.weight", &[("layers.{}.mlp.W2", "hidden, chans")]),
    ("h.{}.mlp.c_proj.bias", &[("layers.{}.mlp.b2", "chans")]),
    ("ln_f.weight", &[("head.norm.γ", "chans")]),
    ("ln_f.bias", &[("head.norm.β", "chans")]),
];

/// Masks that old files store, and the head, which [`Checkpoint::tied`] compares with the table of words.
const IGNORED: &[&str] = &[".attn.bias", ".attn.masked_bias", "lm_head.weight"];

impl Gpt2 {
    /// Reads the folder of a published checkpoint.
    ///
    /// # Errors
    /// A file that cannot be read or is truncated; a configuration that is not that of these equations, or contradicts
    /// the weights; one error for all tensors that are missing, not needed, of other sizes, or not finite.
    pub fn load(folder: impl AsRef<Path>) -> Result<Gpt2, Error> {
        let (folder, config) = (folder.as_ref(), Config::open(folder.as_ref())?);
        config.expect("model_type", &json!("gpt2"))?;
        config.expect("activation_function", &json!("gelu_new"))?;
        config.expect("layer_norm_epsilon", &json!(1e-5))?;
        config.expect("scale_attn_weights", &json!(true))?;
        config.expect("scale_attn_by_inverse_layer_idx", &json!(false))?;
        config.expect("tie_word_embeddings", &json!(true))?;
        let (c, k) = (config.size("n_embd")?, config.split("n_embd", "n_head")?);
        let sizes = (
            (vocab.of(config.size("vocab_size")?), places.of(config.size("n_positions")?)),
            (chans.of(c), hidden.of(config.size_or("n_inner", c.saturating_mul(4))?)),
            (heads.of(config.size("n_head")?), key.of(k), val.of(k)),
        );
        let mut checkpoint = Checkpoint::open(folder)?;
        let looked: &[Size] = &[
            ("vocab_size", config.size("vocab_size")?, "wte.weight", 0),
            ("n_embd", c, "wte.weight", 1),
            ("n_positions", config.size("n_positions")?, "wpe.weight", 0),
            ("n_inner", config.size_or("n_inner", c.saturating_mul(4))?, "h.0.mlp.c_fc.weight", 1),
        ];
        checkpoint.agree(&config, "transformer.", looked, ("n_layer", "h."))?;
        checkpoint.tied("transformer.", "wte.weight")?;
        let ((v, p), (c, h), (n, k, val_)) = sizes;
        let sizes = (v, p, c, h, n, k, val_);
        let layers = (0..config.size("n_layer")?).map(|_| unfilled(sizes)).collect::<Result<_, _>>()?;
        let mut model = Gpt2 { words: unfilled(sizes)?, layers, head: unfilled(sizes)? };
        checkpoint.fill(&mut model, "transformer.", ROWS, IGNORED)?;
        Ok(model)
    }
}
