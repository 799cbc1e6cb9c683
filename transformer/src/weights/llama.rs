//! Llama as it is published: names `model.layers.0.self_attn.q_proj.weight`, each matrix with the axes that go out first.

use super::look::Size;
use super::{Checkpoint, Config, Row};
use crate::axes::{chans, heads, hidden, key, shared, val, vocab};
use crate::models::llama::{Layer, Llama, Weights};
use named_tensor::params::unfilled;
use named_tensor::prelude::*;
use serde_json::json;
use std::path::Path;

const ROWS: &[Row] = &[
    ("embed_tokens.weight", &[("words.E", "vocab, chans")]),
    ("layers.{}.input_layernorm.weight", &[("layers.{}.norm1.γ", "chans")]),
    ("layers.{}.self_attn.q_proj.weight", &[("layers.{}.att.W_Q", "heads shared key, chans")]),
    ("layers.{}.self_attn.k_proj.weight", &[("layers.{}.keys.W", "heads key, chans")]),
    ("layers.{}.self_attn.v_proj.weight", &[("layers.{}.values.W", "heads val, chans")]),
    ("layers.{}.self_attn.o_proj.weight", &[("layers.{}.att.W_O", "chans, heads shared val")]),
    ("layers.{}.post_attention_layernorm.weight", &[("layers.{}.norm2.γ", "chans")]),
    ("layers.{}.mlp.gate_proj.weight", &[("layers.{}.mlp.W1", "hidden, chans")]),
    ("layers.{}.mlp.up_proj.weight", &[("layers.{}.mlp.W3", "hidden, chans")]),
    ("layers.{}.mlp.down_proj.weight", &[("layers.{}.mlp.W2", "chans, hidden")]),
    ("norm.weight", &[("head.norm.γ", "chans")]),
    ("lm_head.weight", &[("output", "vocab, chans")]),
];

/// Frequencies that old files store; what the equations compute.
const IGNORED: &[&str] = &["rotary_emb.inv_freq"];

impl Llama {
    /// Reads the folder of a published checkpoint.
    ///
    /// # Errors
    /// As [`Gpt2::load`](crate::models::gpt2::Gpt2::load).
    pub fn load(folder: impl AsRef<Path>) -> Result<Llama, Error> {
        let (folder, config) = (folder.as_ref(), Config::open(folder.as_ref())?);
        config.expect("model_type", &json!("llama"))?;
        config.expect("hidden_act", &json!("silu"))?;
        config.expect("attention_bias", &json!(false))?;
        config.expect("mlp_bias", &json!(false))?;
        config.expect("rope_parameters.rope_type", &json!("default"))?;
        // Older files say under `rope_scaling` how they stretch positions; there is no such thing here.
        config.expect("rope_scaling", &json!(null))?;
        let heads_of_queries = config.size("num_attention_heads")?;
        let groups = config.size_or("num_key_value_heads", heads_of_queries)?;
        let rest =
            if groups == heads_of_queries { 1 } else { config.split("num_attention_heads", "num_key_value_heads")? };
        let k = match config.find("head_dim") {
            Some(_) => config.size("head_dim")?,
            None => config.split("hidden_size", "num_attention_heads")?,
        };
        let sizes = (
            vocab.of(config.size("vocab_size")?),
            chans.of(config.size("hidden_size")?),
            hidden.of(config.size("intermediate_size")?),
            heads.of(groups),
            shared.of(rest),
            key.of(k),
            val.of(k),
        );
        let mut checkpoint = Checkpoint::open(folder)?;
        let (q, kv) = (heads_of_queries.saturating_mul(k), groups.saturating_mul(k));
        let looked: &[Size] = &[
            ("vocab_size", config.size("vocab_size")?, "embed_tokens.weight", 0),
            ("hidden_size", config.size("hidden_size")?, "embed_tokens.weight", 1),
            ("intermediate_size", config.size("intermediate_size")?, "layers.0.mlp.gate_proj.weight", 0),
            ("num_attention_heads` × `head_dim", q, "layers.0.self_attn.q_proj.weight", 0),
            ("num_key_value_heads` × `head_dim", kv, "layers.0.self_attn.k_proj.weight", 0),
        ];
        checkpoint.agree(&config, "model.", looked, ("num_hidden_layers", "layers."))?;
        let layers =
            (0..config.size("num_hidden_layers")?).map(|_| unfilled(sizes)).collect::<Result<Vec<Layer>, _>>()?;
        let tied = config.is("tie_word_embeddings")? && !checkpoint.has("lm_head.weight");
        let output = (!tied).then(|| Tensor::zeros((sizes.0, sizes.1)));
        let mut weights = Weights { words: unfilled(sizes)?, layers, head: unfilled(sizes)?, output };
        checkpoint.fill(&mut weights, "model.", ROWS, IGNORED)?;
        let base = config.number_or("rope_parameters.rope_theta", config.number_or("rope_theta", 10000.0)?)?;
        Ok(Llama {
            weights,
            ε: Tensor::scalar(config.number_or("rms_norm_eps", 1e-6)? as f32),
            base: Tensor::scalar(base as f32),
            positions: config.size("max_position_embeddings")?,
        })
    }
}
