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
            "parameter `layers.1.mlp.b1`: the tensor `transformer.h.1.mlp.c_fc.bias` is missing in `FOLDER/model.safetensors`",
            "the tensor `transformer.h.1.mlp.c_xy.bias` [96] in `FOLDER/model.safetensors` is not needed",
        ],
    );
}

#[test]
fn a_missing_head_of_llama_is_named_without_the_prefix_of_the_others() {
    let copy = Copy::of("llama");
    copy.replace(WEIGHTS, "lm_head.weight", "lm_body.weight");
    let error = Llama::load(&copy.0).map(drop).unwrap_err().to_string();
    assert_says(&error, &["parameter `output`: the tensor `lm_head.weight` is missing", "`lm_body.weight`"]);
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
    assert_says(
        &error,
        &[
            "FOLDER/config.json",
            "`vocab_size` asks for the size 301",
            "`transformer.wte.weight` [300, 24] in `FOLDER/model",
        ],
    );
    let error = spoilt(|copy| copy.replace("config.json", "\"n_layer\": 2", "\"n_layer\": 1"));
    assert_says(
        &error,
        &["config.json", "`n_layer` is 1, but `FOLDER/model.safetensors` has tensors of 2 layers", "h.1.attn"],
    );
    let error = spoilt(|copy| copy.replace("config.json", "\"n_layer\": 2", "\"n_layer\": 3"));
    assert_says(&error, &["config.json", "`n_layer` is 3, but `FOLDER/model.safetensors` has tensors of 2 layers"]);
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
    let copy = Copy::of("llama-tied");
    copy.replace("config.json", "\"tie_word_embeddings\": true", "\"tie_word_embeddings\": \"yes\"");
    let error = Llama::load(&copy.0).map(drop).unwrap_err().to_string();
    assert_says(&error, &["config.json", "`tie_word_embeddings` is \"yes\", but should be true or false"]);
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

/// The bytes of a file with one more tensor of 32-bit numbers.
fn with_tensor(bytes: &mut Vec<u8>, name: &str, sizes: &str, numbers: &[u8]) {
    let length = usize::try_from(u64::from_le_bytes(bytes[..8].try_into().unwrap())).unwrap();
    let header = std::str::from_utf8(&bytes[8..8 + length]).unwrap().trim_end();
    let begin = bytes.len() - 8 - length;
    let end = begin + numbers.len();
    let open = header.strip_suffix('}').unwrap();
    let more = format!("\"{name}\":{{\"dtype\":\"F32\",\"shape\":{sizes},\"data_offsets\":[{begin},{end}]}}");
    let mut header = format!("{open},{more}}}");
    while header.len() % 8 != 0 {
        header.push(' ');
    }
    let mut changed = (header.len() as u64).to_le_bytes().to_vec();
    changed.extend(header.bytes());
    changed.extend(&bytes[8 + length..]);
    changed.extend(numbers);
    *bytes = changed;
}

#[test]
fn a_head_of_gpt2_that_is_not_the_table_of_words_is_told() {
    let table = named_tensor::file::Tensors::open(golden("gpt2").join(WEIGHTS)).unwrap();
    let table = table.numbers("transformer.wte.weight").unwrap();
    let bytes = |numbers: &[f32]| -> Vec<u8> { numbers.iter().flat_map(|number| number.to_le_bytes()).collect() };
    let add = |copy: &Copy, sizes: &str, numbers: &[f32]| {
        copy.change(WEIGHTS, |file| with_tensor(file, "lm_head.weight", sizes, &bytes(numbers)));
    };
    let copy = Copy::of("gpt2");
    add(&copy, "[300,24]", &table);
    assert!(Gpt2::load(&copy.0).is_ok(), "the same table twice is no problem");
    let mut other = table.clone();
    other[7] += 1.0;
    let error = spoilt(|copy| add(copy, "[300,24]", &other));
    assert_says(&error, &["FOLDER/model.safetensors` has a head of its own", "`lm_head.weight`", "table of words"]);
    let error = spoilt(|copy| add(copy, "[24,300]", &table));
    assert_says(&error, &["has a head of its own", "`lm_head.weight` [24, 300] is not"]);
    other[7] = f32::NAN;
    let error = spoilt(|copy| add(copy, "[300,24]", &other));
    assert_says(&error, &["FOLDER/model.safetensors", "`lm_head.weight`", "has the number NaN"]);
}

#[test]
fn huge_sizes_of_a_configuration_are_told_before_memory_is_taken() {
    let cases = [
        ("gpt2", "\"n_layer\": 2", "\"n_layer\": 3000000"),
        ("gpt2", "\"vocab_size\": 300", "\"vocab_size\": 1000000000000"),
        ("gpt2", "\"n_positions\": 40", "\"n_positions\": 1000000000000"),
        ("gpt2", "\"n_inner\": null", "\"n_inner\": 1000000000000"),
        ("llama", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3000000"),
        ("llama", "\"head_dim\": 8", "\"head_dim\": 9000000000000000000"),
        ("llama", "\"intermediate_size\": 48", "\"intermediate_size\": 1000000000000"),
        ("bert", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3000000"),
        ("bert", "\"type_vocab_size\": 2", "\"type_vocab_size\": 1000000000000"),
    ];
    for (name, from, to) in cases {
        let copy = Copy::of(name);
        copy.replace("config.json", from, to);
        let error = Model::load(&copy.0).map(drop).unwrap_err().to_string();
        let key = from.split('"').nth(1).unwrap();
        assert_says(&error, &["config.json` cannot be used", key, "model.safetensors"]);
    }
}

#[test]
fn a_size_of_a_head_that_is_no_size_is_told() {
    for value in ["\"x\"", "0"] {
        let copy = Copy::of("llama");
        copy.replace("config.json", "\"head_dim\": 8", &format!("\"head_dim\": {value}"));
        let error = Llama::load(&copy.0).map(drop).unwrap_err().to_string();
        assert_says(&error, &["config.json", &format!("`head_dim` is {value}, but should be a number")]);
    }
}

#[test]
fn a_sentence_encoder_that_takes_no_mean_is_refused() {
    let copy = Copy::of("bert");
    let folder = copy.0.join("1_Pooling");
    std::fs::create_dir(&folder).unwrap();
    let write = |text: &str| std::fs::write(folder.join("config.json"), text).unwrap();
    write("{\"pooling_mode_mean_tokens\": true, \"pooling_mode_cls_token\": false}");
    assert!(Bert::load(&copy.0).is_ok());
    write("{\"pooling_mode_mean_tokens\": false}");
    let error = Bert::load(&copy.0).map(drop).unwrap_err().to_string();
    assert_says(&error, &["1_Pooling", "`pooling_mode_mean_tokens` is false"]);
    write("{\"pooling_mode_mean_tokens\": true, \"pooling_mode_cls_token\": true}");
    let error = Bert::load(&copy.0).map(drop).unwrap_err().to_string();
    assert_says(&error, &["1_Pooling", "`pooling_mode_cls_token` is true"]);
}

#[test]
fn an_index_that_contradicts_its_files_is_told() {
    const FIRST: &str = "\"model.embed_tokens.weight\": \"model-00001-of-00002.safetensors\"";
    let cases = [
        ("\"model.embed_tokens.weight\": 7", "is in 7, which is no name of a file"),
        ("\"model.embed_tokens.weight\": \"../x.safetensors\"", "which is no name of a file in its folder"),
        ("\"model.embed_tokens.weight\": \"/x.safetensors\"", "which is no name of a file in its folder"),
        ("\"model.embed_tokens.weight\": \"model-00002-of-00002.safetensors\"", "which does not have it"),
        ("\"lm_head.weight\": \"model-00002-of-00002.safetensors\"", "does not list `model.embed_tokens.weight`"),
    ];
    for (to, problem) in cases {
        let copy = Copy::of("llama-bf16-sharded");
        copy.replace("model.safetensors.index.json", FIRST, to);
        let error = Llama::load(&copy.0).map(drop).unwrap_err().to_string();
        assert_says(&error, &["model.safetensors.index.json`", "model.embed_tokens.weight", problem]);
    }
}
