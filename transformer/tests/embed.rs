//! `transformer embed` as a process, on a small checkpoint with random weights.
//!
//! `cargo test -p transformer --features cli`. Lives here: what it prints and refuses. Not here: whether the meanings are
//! those of the reference implementation (package `named-tensor-tests`, `models::bert`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/bert")
}

fn embed(folder: &Path, texts: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_transformer"));
    command.arg("embed").arg(folder).args(texts).stdin(Stdio::null()).output().unwrap()
}

/// The numbers of the matrix that is printed, row by row.
fn similar(texts: &[&str]) -> Vec<Vec<f64>> {
    let output = embed(&golden(), texts);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let shown = String::from_utf8(output.stdout).unwrap();
    let mut rows = Vec::new();
    for (row, text) in shown.lines().skip(1).zip(texts) {
        assert!(row.ends_with(text), "{row}");
        let numbers = row.split_whitespace().skip(1).take(texts.len());
        rows.push(numbers.map(|number| number.parse().unwrap()).collect());
    }
    rows
}

/// The one error that says why nothing was computed; a list in it is indented.
#[track_caller]
fn refused(folder: &Path, texts: &[&str], words: &[&str]) {
    let output = embed(folder, texts);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{error}");
    assert!(error.starts_with("error: ") && error.lines().skip(1).all(|line| line.starts_with("  ")), "{error}");
    for word in words {
        assert!(error.contains(word), "`{word}` is not in: {error}");
    }
    assert!(!error.contains(".rs:"), "a place in the source text means nothing to who calls a program: {error}");
}

/// A copy of the checkpoint, in a folder of its own.
fn copied(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("transformer-embed-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for file in ["config.json", "model.safetensors", "tokenizer.json"] {
        fs::copy(golden().join(file), folder.join(file)).unwrap();
    }
    folder
}

#[test]
fn sentences_are_like_themselves_and_alike_in_both_directions() {
    let rows = similar(&["a b", "c d", "a b"]);
    assert_eq!(rows.len(), 3);
    for (i, row) in rows.iter().enumerate() {
        assert_eq!(row[i], 1.0, "a sentence and itself");
        for (j, &number) in row.iter().enumerate() {
            assert!(number == rows[j][i] && number.abs() <= 1.0, "{rows:?}");
        }
    }
    assert_eq!(rows[0][2], 1.0, "equal sentences");
    assert!(rows[0][1] < 0.999, "other sentences");
    assert_eq!(rows[0][1], similar(&["a b", "c d"])[0][1], "whatever else is compared with them");
}

#[test]
fn what_cannot_be_read_is_one_error_that_names_it() {
    refused(&golden(), &["a b", ""], &["text 2", "empty"]);
    refused(&golden(), &[&"a ".repeat(60)], &["text 1", "positions"]);
    refused(Path::new("nowhere"), &["a"], &["nowhere/config.json"]);
    for (name, size) in [("truncated", 1000), ("empty", 0)] {
        let folder = copied(name);
        let file = folder.join("model.safetensors");
        let bytes = fs::read(&file).unwrap();
        fs::write(&file, &bytes[..size]).unwrap();
        refused(&folder, &["a b"], &["model.safetensors"]);
        fs::remove_dir_all(folder).unwrap();
    }
    let folder = copied("config");
    let config = fs::read_to_string(folder.join("config.json")).unwrap();
    fs::write(folder.join("config.json"), config.replace("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3"))
        .unwrap();
    refused(&folder, &["a b"], &["config.json", "`num_hidden_layers` is 3", "model.safetensors", "2 layers"]);
    fs::remove_dir_all(folder).unwrap();
}
