//! BERT as it is published: names `encoder.layer.0.attention.self.query.weight`, each matrix with the axes that go out
//! first.

use super::look::Size;
use super::{Checkpoint, Config, Row};
use crate::axes::{chans, heads, hidden, key, places, segments, val, vocab};
use crate::models::bert::{Bert, BertLayer};
use named_tensor::params::unfilled;
use named_tensor::prelude::*;
use serde_json::json;
use std::path::Path;

const ROWS: &[Row] = &[
    ("embeddings.word_embeddings.weight", &[("words.E", "vocab, chans")]),
    ("embeddings.position_embeddings.weight", &[("words.P", "places, chans")]),
    ("embeddings.token_type_embeddings.weight", &[("words.S", "segments, chans")]),
    ("embeddings.LayerNorm.weight", &[("words.norm.γ", "chans")]),
    ("embeddings.LayerNorm.bias", &[("words.norm.β", "chans")]),
    ("encoder.layer.{}.attention.self.query.weight", &[("layers.{}.att.W_Q", "heads key, chans")]),
    ("encoder.layer.{}.attention.self.query.bias", &[("layers.{}.att.b_Q", "heads key")]),
    ("encoder.layer.{}.attention.self.key.weight", &[("layers.{}.att.W_K", "heads key, chans")]),
    ("encoder.layer.{}.attention.self.key.bias", &[("layers.{}.att.b_K", "heads key")]),
    ("encoder.layer.{}.attention.self.value.weight", &[("layers.{}.att.W_V", "heads val, chans")]),
    ("encoder.layer.{}.attention.self.value.bias", &[("layers.{}.att.b_V", "heads val")]),
    ("encoder.layer.{}.attention.output.dense.weight", &[("layers.{}.att.W_O", "chans, heads val")]),
    ("encoder.layer.{}.attention.output.dense.bias", &[("layers.{}.att.b_O", "chans")]),
    ("encoder.layer.{}.attention.output.LayerNorm.weight", &[("layers.{}.norm1.γ", "chans")]),
    ("encoder.layer.{}.attention.output.LayerNorm.bias", &[("layers.{}.norm1.β", "chans")]),
    ("encoder.layer.{}.intermediate.dense.weight", &[("layers.{}.ffn.W1", "hidden, chans")]),
    ("encoder.layer.{}.intermediate.dense.bias", &[("layers.{}.ffn.b1", "hidden")]),
    ("encoder.layer.{}.output.dense.weight", &[("layers.{}.ffn.W2", "chans, hidden")]),
    ("encoder.layer.{}.output.dense.bias", &[("layers.{}.ffn.b2", "chans")]),
    ("encoder.layer.{}.output.LayerNorm.weight", &[("layers.{}.norm2.γ", "chans")]),
    ("encoder.layer.{}.output.LayerNorm.bias", &[("layers.{}.norm2.β", "chans")]),
];

/// Positions that old files store, and a layer above the first word, of which the mean of all words has no need.
const IGNORED: &[&str] = &["embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias"];

impl Bert {
    /// Reads the folder of a published checkpoint.
    ///
    /// # Errors
    /// As [`Gpt2::load`](crate::models::gpt2::Gpt2::load).
    pub fn load(folder: impl AsRef<Path>) -> Result<Bert, Error> {
        let (folder, config) = (folder.as_ref(), Config::open(folder.as_ref())?);
        config.expect("model_type", &json!("bert"))?;
        config.expect("hidden_act", &json!("gelu"))?;
        config.expect("layer_norm_eps", &json!(1e-12))?;
        config.expect("position_embedding_type", &json!("absolute"))?;
        config.expect("is_decoder", &json!(false))?;
        expect_mean(folder)?;
        let k = config.split("hidden_size", "num_attention_heads")?;
        let sizes = (
            vocab.of(config.size("vocab_size")?),
            places.of(config.size("max_position_embeddings")?),
            segments.of(config.size_or("type_vocab_size", 2)?),
            chans.of(config.size("hidden_size")?),
            hidden.of(config.size("intermediate_size")?),
            heads.of(config.size("num_attention_heads")?),
            key.of(k),
            val.of(k),
        );
        let mut checkpoint = Checkpoint::open(folder)?;
        let looked: &[Size] = &[
            ("vocab_size", config.size("vocab_size")?, "embeddings.word_embeddings.weight", 0),
            ("hidden_size", config.size("hidden_size")?, "embeddings.word_embeddings.weight", 1),
            (
                "max_position_embeddings",
                config.size("max_position_embeddings")?,
                "embeddings.position_embeddings.weight",
                0,
            ),
            ("type_vocab_size", config.size_or("type_vocab_size", 2)?, "embeddings.token_type_embeddings.weight", 0),
            ("intermediate_size", config.size("intermediate_size")?, "encoder.layer.0.intermediate.dense.weight", 0),
        ];
        checkpoint.agree(&config, "bert.", looked, ("num_hidden_layers", "encoder.layer."))?;
        let count = config.size("num_hidden_layers")?;
        let layers = (0..count).map(|_| unfilled(sizes)).collect::<Result<Vec<BertLayer>, _>>()?;
        let mut model = Bert { words: unfilled(sizes)?, layers };
        checkpoint.fill(&mut model, "bert.", ROWS, IGNORED)?;
        Ok(model)
    }
}

/// Sentence encoders say in a file of their own how features become one vector; the equations take the mean.
fn expect_mean(folder: &Path) -> Result<(), Error> {
    let path = folder.join("1_Pooling").join("config.json");
    if !path.exists() {
        return Ok(());
    }
    let pooling = Config::read(path)?;
    pooling.expect("pooling_mode_mean_tokens", &json!(true))?;
    let others = ["cls_token", "max_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken"];
    others.iter().try_for_each(|other| pooling.expect(&format!("pooling_mode_{other}"), &json!(false)))
}
