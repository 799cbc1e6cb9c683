//! BERT as a sentence encoder against the reference implementation: a small checkpoint, and MiniLM where it is at hand.

#![allow(clippy::print_stdout, reason = "what was measured is shown with --nocapture")]

use named_tensor::params::init;
use named_tensor::prelude::*;
use named_tensor_tests::differences::{assert_gradients, with_numbers};
use std::fs;
use std::path::Path;
use transformer::axes::{batch, chans, heads, hidden, key, seq, val};
use transformer::models::bert::{Bert, BertLayer, Meaning, Similarity};
use transformer::text::Vocabulary;

use crate::published::{assert_agreement, expected, golden};

/// The meanings of the sentences of a folder, each alone and all side by side, are those that are expected.
fn assert_embeds_as_expected(what: &str, folder: &Path, allowed: f64) {
    let (model, vocabulary) = (Bert::load(folder).unwrap(), Vocabulary::open(folder).unwrap());
    let text = fs::read_to_string(folder.join("sentences.txt")).unwrap();
    let sentences: Vec<Vec<usize>> = text.lines().map(|line| vocabulary.encode(line, 512).unwrap()).collect();
    if let Ok(ids) = fs::read_to_string(folder.join("ids.txt")) {
        let ids = ids.lines().map(|line| line.split(' ').map(|id| id.parse().unwrap()).collect::<Vec<usize>>());
        assert_eq!(sentences, ids.collect::<Vec<_>>(), "{what}: the words of each sentence");
    }
    let (sizes, meanings) = expected(folder, "embeddings");
    assert_eq!(sizes[0], sentences.len());
    let start = std::time::Instant::now();
    let alone = sentences
        .iter()
        .flat_map(|words| model.embed(std::slice::from_ref(words)).unwrap().to_vec((batch, chans)).unwrap());
    let alone: Vec<f32> = alone.collect();
    println!("{what}: {:.1} sentences per second, one by one", sizes[0] as f64 / start.elapsed().as_secs_f64());
    assert_agreement(&format!("{what}, one by one"), &alone, &meanings, allowed);
    let start = std::time::Instant::now();
    let together = model.embed(&sentences).unwrap().to_vec((batch, chans)).unwrap();
    println!("{what}: {:.1} sentences per second, side by side", sizes[0] as f64 / start.elapsed().as_secs_f64());
    assert_agreement(&format!("{what}, side by side"), &together, &meanings, allowed);
}

#[test]
fn s1_16_bert_computes_what_the_reference_implementation_computes() {
    assert_embeds_as_expected("bert", &golden("bert"), 1e-5);
}

/// Runs where `tests/scripts/minilm.py` has made the folder.
#[test]
fn s1_16_minilm_computes_what_the_reference_implementation_computes() {
    let Some(folder) = std::env::var_os("NAMED_TENSOR_MINILM") else {
        return println!("NAMED_TENSOR_MINILM names no folder; tests/scripts/minilm.py makes one");
    };
    assert_embeds_as_expected("MiniLM", Path::new(&folder), 1e-5);
}

#[test]
fn s1_16_a_layer_of_bert_and_the_meaning_have_the_gradients_of_differences() {
    let sizes = (chans.of(4), heads.of(2), key.of(2), val.of(2), hidden.of(3));
    let layer: BertLayer = init(&mut seeded(5), sizes).unwrap();
    let layer = with_numbers(layer.cast::<f64>(), 4);
    let x = Tensor::<_, f64>::normal(&mut seeded(1), (batch.of(2), seq.of(3), chans.of(4)), 0.0, 1.0);
    let n = Tensor::from_array(batch, [3.0_f64, 1.0]);
    let weights = Tensor::<_, f64>::normal(&mut seeded(2), chans.of(4), 0.0, 1.0);
    assert_gradients(&layer, |layer| Similarity(&Meaning(&layer.apply(&x, &n), &n), &weights).sin().sum(batch));
}

#[test]
fn what_bert_cannot_read_is_told() {
    let model = Bert::load(golden("bert")).unwrap();
    let told = |sentences: &[Vec<usize>]| model.embed(sentences).map(drop).unwrap_err().to_string();
    assert!(told(&[vec![2, 3], vec![]]).starts_with("the text is empty"));
    assert!(told(&[vec![2, 16]]).starts_with("word 16 at position 1 is outside of the vocabulary of 16 words"));
    assert!(told(&[vec![0; 21]]).starts_with("the text has 21 words, but the model has 20 positions"));
}
