//! Published checkpoints that do not fit: each is one error that names the file and the parameter.

use named_tensor::prelude::*;
use transformer::models::{bert::Bert, gpt2::Gpt2, llama::Llama};
use transformer::weights::Model;

use crate::published::{Copy, golden};

const WEIGHTS: &str = "model.safetensors";

/// The error of loading GPT-2 from a copy that was changed.
fn spoilt(change: impl FnOnce(&Copy)) -> String {
    let copy = Copy::of("gpt2");
    change(&copy);
    let error = Gpt2::load(&copy.0).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::File, "{error}");
    let folder = copy.0.display().to_string();
    assert!(error.to_string().contains(&folder), "{error}");
    error.to_string().replace(&folder, "FOLDER")
}

fn assert_says(error: &str, words: &[&str]) {
    for word in words {
        assert!(error.contains(word), "`{word}` is not in:\n{error}");
    }
}

#[test]
fn a_model_is_found_by_its_configuration() {
    assert!(matches!(Model::load(golden("bert")), Ok(Model::Bert(_))));
    assert!(matches!(Model::load(golden("gpt2-f16")), Ok(Model::Gpt2(_))));
    assert!(matches!(Model::load(golden("llama-bf16-sharded")), Ok(Model::Llama(_))));
    let copy = Copy::of("gpt2");
    copy.replace("config.json", "\"model_type\": \"gpt2\"", "\"model_type\": \"rwkv\"");
    let error = Model::load(&copy.0).map(drop).unwrap_err().to_string();
    assert_says(&error, &["config.json", "`model_type` is \"rwkv\", but only `bert`, `gpt2` or `llama` is known"]);
    for name in ["bert", "llama"] {
        let error = Gpt2::load(golden(name)).map(drop).unwrap_err().to_string();
        assert_says(&error, &["config.json", "`model_type` is", "equations of this architecture have \"gpt2\""]);
    }
}

#[test]
fn a_missing_tensor_and_one_that_is_not_needed_are_told_in_one_error() {
    let error = spoilt(|copy| copy.replace(WEIGHTS, "h.1.mlp.c_fc.bias", "h.1.mlp.c_xy.bias"));
    assert_says(
        &error,
        &[
            "parameter `layers.1.mlp.b1`: the tensor `h.1.mlp.c_fc.bias` is missing in `FOLDER/model.safetensors`",
            "the tensor `transformer.h.1.mlp.c_xy.bias` [96] in `FOLDER/model.safetensors` is not needed",
        ],
    );
}

#[test]
fn a_tensor_of_other_sizes_is_told_by_axis_and_both_sizes() {
    let error = spoilt(|copy| copy.replace(WEIGHTS, "\"shape\":[24,72]", "\"shape\":[72,24]"));
    assert_says(
        &error,
        &[
            "c_attn.weight` has the sizes [72, 24], but [24, 72] are needed: size 72 instead of 24 where |chans| = 24",
            "parameter `layers.",
            ".att.W_Q`",
        ],
    );
    assert_eq!(error.matches("parameter `").count(), 3, "its three parameters and no others:\n{error}");
}

#[test]
fn a_configuration_that_contradicts_the_weights_is_told() {
    let error = spoilt(|copy| copy.replace("config.json", "\"vocab_size\": 300", "\"vocab_size\": 301"));
    assert_says(&error, &["parameter `words.E`", "size 300 instead of 301 where |vocab| = 301"]);
    let error = spoilt(|copy| copy.replace("config.json", "\"n_layer\": 2", "\"n_layer\": 1"));
    assert_says(&error, &["the tensor `transformer.h.1.attn.c_attn.bias` [72]", "is not needed"]);
    let error = spoilt(|copy| copy.replace("config.json", "\"n_layer\": 2", "\"n_layer\": 3"));
    assert_says(&error, &["parameter `layers.2.mlp.b2`: the tensor `h.2.mlp.c_proj.bias` is missing"]);
    let error = spoilt(|copy| copy.replace("config.json", "\"n_head\": 3", "\"n_head\": 5"));
    assert_says(&error, &["`n_embd` is 24, which is no multiple of `n_head`, 5"]);
    let error = spoilt(|copy| copy.replace("config.json", "\"gelu_new\"", "\"relu\""));
    assert_says(
        &error,
        &["`activation_function` is \"relu\", but the equations of this architecture have \"gelu_new\""],
    );
    let error = spoilt(|copy| copy.replace("config.json", "\"n_layer\": 2", "\"n_layer\": 0"));
    assert_says(&error, &["`n_layer` is 0, but should be a number of at least 1"]);
    let error = spoilt(|copy| copy.replace("config.json", "\"n_layer\": 2,", ""));
    assert_says(&error, &["`n_layer` is missing"]);
    let error = spoilt(|copy| copy.change("config.json", |bytes| bytes.truncate(20)));
    assert_says(&error, &["FOLDER/config.json` is not JSON"]);
}

#[test]
fn a_number_that_is_not_finite_is_told() {
    let error = spoilt(|copy| {
        copy.change(WEIGHTS, |bytes| {
            let end = bytes.len() - 4;
            bytes[end..].copy_from_slice(&f32::NAN.to_le_bytes());
        });
    });
    assert_says(&error, &["parameter `", "in `FOLDER/model.safetensors` has the number NaN"]);
}

#[test]
fn a_file_that_is_cut_off_or_absent_is_told() {
    let error = spoilt(|copy| copy.change(WEIGHTS, |bytes| bytes.truncate(5000)));
    assert_says(&error, &["cannot read `FOLDER/model.safetensors`", "truncated"]);
    let error = spoilt(|copy| std::fs::remove_file(copy.0.join(WEIGHTS)).unwrap());
    assert_says(&error, &["cannot read `FOLDER/model.safetensors`"]);
    let error = spoilt(|copy| std::fs::remove_file(copy.0.join("config.json")).unwrap());
    assert_says(&error, &["`FOLDER/config.json` cannot be read"]);
    let copy = Copy::of("llama-bf16-sharded");
    std::fs::remove_file(copy.0.join("model-00002-of-00002.safetensors")).unwrap();
    let error = Llama::load(&copy.0).map(drop).unwrap_err().to_string();
    assert_says(&error, &["cannot read", "model-00002-of-00002.safetensors"]);
    copy.replace("model.safetensors.index.json", "weight_map", "weight_mop");
    let error = Llama::load(&copy.0).map(drop).unwrap_err().to_string();
    assert_says(&error, &["model.safetensors.index.json` does not say under `weight_map`"]);
}

#[test]
fn what_the_equations_of_llama_and_bert_lack_is_refused() {
    let copy = Copy::of("llama");
    copy.replace("config.json", "\"rope_type\": \"default\"", "\"rope_type\": \"llama3\"");
    let error = Llama::load(&copy.0).map(drop).unwrap_err().to_string();
    assert_says(&error, &["`rope_parameters.rope_type` is \"llama3\""]);
    let copy = Copy::of("llama");
    copy.replace("config.json", "\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3");
    let error = Llama::load(&copy.0).map(drop).unwrap_err().to_string();
    assert_says(&error, &["`num_attention_heads` is 4, which is no multiple of `num_key_value_heads`, 3"]);
    let copy = Copy::of("bert");
    copy.replace("config.json", "\"is_decoder\": false", "\"is_decoder\": true");
    let error = Bert::load(&copy.0).map(drop).unwrap_err().to_string();
    assert_says(&error, &["`is_decoder` is true"]);
}
