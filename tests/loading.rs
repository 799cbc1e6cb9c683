//! Memory: a model is loaded in about the bytes of its file, and one in 16 bits takes half of those of 32.
//!
//! Every allocation of this process is counted, so this binary has one test and no other beside it.

use std::alloc::System;
use std::fs;
use std::path::{Path, PathBuf};

use named_tensor::file::Tensors;
use named_tensor::prelude::*;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use transformer::models::context::Reads;
use transformer::models::gpt2::Gpt2;

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

axes! { down, right }

const CHANS: usize = 192;
const WORDS: usize = 4000;
const PLACES: usize = 64;

/// A published checkpoint of two layers, in 32 or in 16 bits. Returns its folder and the bytes of its weights.
fn checkpoint(is_narrow: bool) -> (PathBuf, usize) {
    let folder = std::env::temp_dir().join(format!("loading-{}-{is_narrow}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let mut tensors = Tensors::new();
    let mut rng = seeded(1);
    let mut matrix = |name: &str, rows: usize, columns: usize| {
        let x: Tensor<R![down, right]> = Tensor::normal(&mut rng, (down.of(rows), right.of(columns)), 0.0, 0.1);
        let x = if is_narrow { x.in_bf16().unwrap() } else { x };
        tensors.insert(name, &x).unwrap();
    };
    matrix("wte.weight", WORDS, CHANS);
    matrix("wpe.weight", PLACES, CHANS);
    for layer in 0..2 {
        matrix(&format!("h.{layer}.attn.c_attn.weight"), CHANS, 3 * CHANS);
        matrix(&format!("h.{layer}.attn.c_proj.weight"), CHANS, CHANS);
        matrix(&format!("h.{layer}.mlp.c_fc.weight"), CHANS, 4 * CHANS);
        matrix(&format!("h.{layer}.mlp.c_proj.weight"), 4 * CHANS, CHANS);
    }
    let mut vector = |name: String, size: usize| {
        tensors.insert(&name, &Tensor::<R![down]>::ones(down.of(size))).unwrap();
    };
    for layer in 0..2 {
        for (name, size) in [("attn.c_attn", 3), ("attn.c_proj", 1), ("mlp.c_fc", 4), ("mlp.c_proj", 1)] {
            vector(format!("h.{layer}.{name}.bias"), size * CHANS);
        }
        for name in ["ln_1.weight", "ln_1.bias", "ln_2.weight", "ln_2.bias"] {
            vector(format!("h.{layer}.{name}"), CHANS);
        }
    }
    vector("ln_f.weight".to_owned(), CHANS);
    vector("ln_f.bias".to_owned(), CHANS);
    tensors.save(folder.join("model.safetensors")).unwrap();
    let config = format!(
        r#"{{"model_type": "gpt2", "n_embd": {CHANS}, "n_head": 3, "n_layer": 2, "n_positions": {PLACES}, "vocab_size": {WORDS}}}"#
    );
    fs::write(folder.join("config.json"), config).unwrap();
    let bytes = fs::metadata(folder.join("model.safetensors")).unwrap().len();
    (folder, bytes as usize)
}

/// The model, the bytes that are alive since, and all bytes that were asked for on the way: at least as many as were alive
/// at once.
fn loaded(folder: &Path) -> (Gpt2, usize, usize) {
    let before = COUNTED.stats();
    let model = Gpt2::load(folder).unwrap();
    let after = COUNTED.stats();
    let asked = after.bytes_allocated - before.bytes_allocated;
    (model, asked - (after.bytes_deallocated - before.bytes_deallocated), asked)
}

#[test]
fn a_model_is_loaded_in_about_the_bytes_of_its_file_and_stays_in_them_when_it_is_read() {
    let ((wide, wide_bytes), (narrow, narrow_bytes)) = (checkpoint(false), checkpoint(true));
    assert!(narrow_bytes * 100 < wide_bytes * 52, "{narrow_bytes} of {wide_bytes} bytes");
    for (folder, bytes) in [(wide, wide_bytes), (narrow, narrow_bytes)] {
        let (model, kept, asked) = loaded(&folder);
        assert!(kept * 100 < bytes * 105, "{kept} bytes are kept of a file of {bytes}");
        assert!(asked * 10 < bytes * 16, "{asked} bytes were asked for to load {bytes}");
        // Reading leaves no copy of the weights behind.
        let before = COUNTED.stats();
        let (logits, context) = model.next(&[1, 2, 3], &model.start()).unwrap();
        assert_eq!((logits.shape().elements(), context.words()), (WORDS, 3));
        drop((logits, context));
        let after = COUNTED.stats();
        let grown =
            after.bytes_allocated - before.bytes_allocated - (after.bytes_deallocated - before.bytes_deallocated);
        assert!(grown < bytes / 4, "{grown} bytes stay after a text was read by {bytes}");
        fs::remove_dir_all(folder).unwrap();
    }
}
