//! `transformer generate` as a process, on a small checkpoint with random weights.
//!
//! `cargo test -p transformer --features cli`. Lives here: what it prints and refuses. Not here: which words are right
//! (package `named-tensor-tests`, `models::decoding`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden").join(name)
}

fn generate(folder: &Path, prompt: &str, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_transformer"));
    command.arg("generate").arg(folder).arg(prompt).args(more).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What is written to standard output by a run that does what it should.
#[track_caller]
fn written(more: &[&str]) -> String {
    let output = generate(&golden("gpt2"), "the cat", more);
    assert!(output.status.success(), "{:?}: {}", output.status, text(&output.stderr));
    text(&output.stdout)
}

#[track_caller]
fn refused(folder: &Path, prompt: &str, more: &[&str], words: &[&str]) {
    let output = generate(folder, prompt, more);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert_eq!(error.lines().next().map(|line| line.starts_with("error: ")), Some(true), "{error}");
    for word in words {
        assert!(error.contains(word), "`{word}` is not in: {error}");
    }
}

#[test]
fn s4_18_a_text_is_continued_and_the_speed_is_said_apart() {
    let output = generate(&golden("gpt2"), "the cat", &["--greedy", "--max", "6"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let (shown, remark) = (text(&output.stdout), text(&output.stderr));
    assert!(shown.starts_with("the cat") && shown.ends_with('\n'), "{shown}");
    assert!(remark.contains("words read in") && remark.contains("per second"), "{remark}");
    assert_eq!(shown, written(&["--temperature", "0", "--max", "6"]), "a temperature of 0 is greedy");
    assert_eq!(shown, written(&["--top-k", "1", "--max", "6"]), "so is one word to choose from");
    assert_eq!(shown, written(&["--beam", "1", "--max", "6"]), "and a beam of one");
}

#[test]
fn the_seed_decides_on_the_text_and_a_shorter_one_is_its_beginning() {
    let of = |seed, max| written(&["--seed", seed, "--max", max]);
    assert_eq!(of("3", "12"), of("3", "12"));
    assert_ne!(of("3", "12"), of("4", "12"));
    assert_eq!(written(&["--max", "0"]), "the cat\n");
}

#[test]
fn a_string_ends_the_text() {
    let whole = written(&["--greedy", "--max", "12"]);
    let after = whole.trim_end_matches('\n').strip_prefix("the cat").unwrap();
    let stop: String = after.chars().skip(2).take(2).collect();
    assert!(!stop.is_empty(), "{whole:?} is too short for this test");
    let before = &after[..after.find(&stop).unwrap()];
    assert_eq!(written(&["--greedy", "--max", "12", "--stop", &stop]), format!("the cat{before}\n"));
    let searched = written(&["--beam", "1", "--max", "12", "--stop", &stop]);
    assert_eq!(searched, format!("the cat{before}\n"));
}

#[test]
fn a_text_longer_than_the_positions_slides_or_is_refused() {
    refused(&golden("gpt2"), "the cat", &["--max", "60", "--greedy"], &["where the model has 40 positions"]);
    written(&["--max", "60", "--greedy", "--slide", "10"]);
    let long = "the cat ".repeat(40);
    refused(&golden("gpt2"), &long, &[], &["positions", "40"]);
    assert!(generate(&golden("gpt2"), &long, &["--slide", "10", "--max", "2"]).status.success(), "it slides");
}

#[test]
fn what_cannot_be_continued_is_one_line_with_the_name_of_the_file_or_setting() {
    let gpt2 = golden("gpt2");
    refused(&gpt2, "  ", &[], &["the text is empty"]);
    refused(&gpt2, "a", &["--temperature=-1"], &["a temperature of -1"]);
    refused(&gpt2, "a", &["--top-p", "1.5"], &["top-p of 1.5"]);
    refused(&gpt2, "a", &["--top-k", "0"], &["top-k of 0"]);
    refused(&gpt2, "a", &["--beam", "0"], &["a beam of width 0"]);
    refused(&golden("bert"), "a", &[], &["golden/bert", "writes none"]);
    refused(&golden("nowhere"), "a", &[], &["nowhere", "config.json"]);
    refused(&golden("llama"), "a", &[], &["llama", "tokenizer.json"]);
    let broken = std::env::temp_dir().join(format!("transformer-generate-{}", std::process::id()));
    fs::create_dir_all(&broken).unwrap();
    for file in ["config.json", "tokenizer.json"] {
        fs::copy(gpt2.join(file), broken.join(file)).unwrap();
    }
    let weights = fs::read(gpt2.join("model.safetensors")).unwrap();
    fs::write(broken.join("model.safetensors"), &weights[..weights.len() - 100]).unwrap();
    refused(&broken, "a", &[], &["model.safetensors"]);
    let config = fs::read_to_string(gpt2.join("config.json")).unwrap();
    fs::write(broken.join("config.json"), config.replace("\"eos_token_id\": 0", "\"eos_token_id\": \"end\"")).unwrap();
    refused(&broken, "a", &[], &["eos_token_id", "config.json"]);
    fs::remove_dir_all(&broken).unwrap();
}

#[test]
fn settings_that_contradict_each_other_are_an_error_of_usage() {
    for more in [&["--greedy", "--top-k", "3"][..], &["--beam", "2", "--temperature", "0.5"], &["--penalty", "1"]] {
        assert_eq!(generate(&golden("gpt2"), "a", more).status.code(), Some(2), "{more:?}");
    }
}
