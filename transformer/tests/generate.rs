//! `transformer generate` as a process, on a small checkpoint with random weights.
//!
//! `cargo test -p transformer --features cli`. Lives here: what it prints and refuses. Not here: which words are right
//! (package `named-tensor-tests`, `models::decoding`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

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

/// A copy of a checkpoint, deleted with this value.
struct Copy(PathBuf);

impl Copy {
    fn of(name: &str) -> Copy {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("transformer-generate-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for file in fs::read_dir(golden(name)).unwrap().flatten() {
            fs::copy(file.path(), folder.join(file.file_name())).unwrap();
        }
        Copy(folder)
    }

    /// Gives it a vocabulary of this many words.
    fn words(&self, count: usize) {
        let words: Vec<String> = (0..count).map(|word| format!("\"w{word}\":{word}")).collect();
        let tokenizer = format!(
            r#"{{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"normalizer":null,
            "pre_tokenizer":{{"type":"WhitespaceSplit"}},"post_processor":null,"decoder":null,
            "model":{{"type":"WordLevel","vocab":{{{}}},"unk_token":"w0"}}}}"#,
            words.join(",")
        );
        fs::write(self.0.join("tokenizer.json"), tokenizer).unwrap();
    }

    fn change(&self, file: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let path = self.0.join(file);
        let mut bytes = fs::read(&path).unwrap();
        change(&mut bytes);
        fs::write(path, bytes).unwrap();
    }

    #[track_caller]
    fn replace(&self, file: &str, from: &str, to: &str) {
        self.change(file, |bytes| {
            let text = String::from_utf8(std::mem::take(bytes)).unwrap();
            assert!(text.contains(from), "`{from}` is not in {file}");
            *bytes = text.replacen(from, to, 1).into_bytes();
        });
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
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
fn a_text_ends_where_the_positions_end_and_what_cannot_fit_is_refused_before_anything_is_written() {
    let gpt2 = golden("gpt2");
    let n = prompt_words();
    // The last word needs no position.
    let fits = 40 - n + 1;
    for how in [&["--greedy"][..], &["--beam", "3"]] {
        let output = generate(&gpt2, "the cat", how);
        let (shown, remark) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{remark}");
        assert!(shown.starts_with("the cat") && shown.len() > 20 && shown.ends_with('\n'), "{shown}");
        assert!(remark.contains("the text ends here") && remark.contains("40 positions"), "{remark}");
        assert!(remark.contains(&format!("{fits} written")), "{remark}");
        assert_eq!(shown, written(&[how, &["--max", &fits.to_string()]].concat()), "as many as fit");
        for max in [fits + 1, 500] {
            let said = max.to_string();
            let more = [how, &["--max", &said]].concat();
            let words = [&*format!("--max {max}"), &format!("{fits} fit"), "40 positions"];
            refused(&gpt2, "the cat", &more, &words);
            assert_eq!(text(&generate(&gpt2, "the cat", &more).stdout), "");
        }
    }
    let short = generate(&gpt2, "the cat", &["--max", "3"]);
    assert!(!text(&short.stderr).contains("the text ends here"), "it ends because it was asked to");
    let long = "the cat ".repeat(40);
    refused(&gpt2, &long, &[], &["positions", "40"]);
}

/// How many words of the vocabulary the prompt of these tests has.
fn prompt_words() -> usize {
    let remark = text(&generate(&golden("gpt2"), "the cat", &["--max", "0"]).stderr);
    remark.split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn a_text_slides_and_by_how_much_is_checked_at_once() {
    written(&["--max", "60", "--greedy", "--slide", "10"]);
    let long = "the cat ".repeat(40);
    let output = generate(&golden("gpt2"), &long, &["--slide", "10", "--max", "2"]);
    let remark = text(&output.stderr);
    assert!(output.status.success(), "it slides: {remark}");
    assert!(remark.contains("the model 40 positions: only the last 10 are read\n"), "{remark}");
    assert!(remark.contains("\n10 words read in"), "{remark}");
    let short = text(&generate(&golden("gpt2"), "the cat", &["--slide", "10", "--max", "2"]).stderr);
    assert!(short.starts_with(&format!("{} words read in", prompt_words())), "{short}");
    for kept in ["0", "40", "90"] {
        let more = ["--slide", kept, "--max", "1"];
        refused(&golden("gpt2"), "the cat", &more, &["from 1 to 39", &format!("reading {kept} words again")]);
        assert_eq!(text(&generate(&golden("gpt2"), "the cat", &more).stdout), "");
    }
}

#[test]
fn what_cannot_be_continued_is_one_line_with_the_name_of_the_file_or_setting() {
    let gpt2 = golden("gpt2");
    refused(&gpt2, "  ", &[], &["the text is empty"]);
    refused(&gpt2, "a", &["--temperature=-1"], &["a temperature of -1"]);
    refused(&gpt2, "a", &["--top-p", "1.5"], &["top-p of 1.5"]);
    refused(&gpt2, "a", &["--top-k", "0"], &["top-k of 0"]);
    refused(&gpt2, "a", &["--beam", "0"], &["a beam of width 0"]);
    refused(&gpt2, "a", &["--beam", "2", "--penalty", "-5"], &["a length penalty of -5"]);
    refused(&golden("nowhere"), "a", &["--top-k", "0"], &["top-k of 0"]);
    refused(&golden("nowhere"), "a", &["--beam", "0"], &["a beam of width 0"]);
    refused(&golden("bert"), "a", &[], &["golden/bert", "writes none"]);
    refused(&golden("nowhere"), "a", &[], &["nowhere", "config.json"]);
    refused(&golden("llama"), "a", &[], &["llama", "tokenizer.json"]);
    let broken = Copy::of("gpt2");
    broken.change("model.safetensors", |bytes| bytes.truncate(bytes.len() - 100));
    refused(&broken.0, "a", &[], &["model.safetensors"]);
    broken.replace("config.json", "\"eos_token_id\": 0", "\"eos_token_id\": \"end\"");
    refused(&broken.0, "a", &[], &["eos_token_id", "config.json"]);
}

#[test]
fn files_of_different_models_are_refused_before_anything_is_written() {
    let larger = Copy::of("gpt2");
    larger.replace("tokenizer.json", "\"<|endoftext|>\": 0,", "\"<|endoftext|>\": 0, \"one more\": 300,");
    refused(&larger.0, "a", &[], &["tokenizer.json", "has 301 words", "the model has 300 words"]);
    assert_eq!(text(&generate(&larger.0, "a", &[]).stdout), "");
    let ends = Copy::of("gpt2");
    ends.replace("config.json", "\"eos_token_id\": 0", "\"eos_token_id\": [0, 300]");
    refused(&ends.0, "a", &[], &["config.json", "eos_token_id", "word 300", "the model has 300 words"]);
    assert_eq!(text(&generate(&ends.0, "a", &[]).stdout), "");
}

#[test]
fn an_error_on_the_way_stands_on_its_own_line() {
    let broken = Copy::of("gpt2");
    // The last normalisation: so large that the logits are not finite.
    broken.change("model.safetensors", |bytes| {
        let size = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let header = text(&bytes[8..size]);
        let table = header.split("\"transformer.ln_f.weight\":").nth(1).unwrap().split(']').nth(1).unwrap();
        let end = size + table.rsplit(',').next().unwrap().trim().parse::<usize>().unwrap();
        bytes[end - 4 * 24..end].copy_from_slice(&f32::MAX.to_le_bytes().repeat(24));
    });
    refused(&broken.0, "the cat", &["--greedy"], &["the logit of word", "words is"]);
    assert_eq!(text(&generate(&broken.0, "the cat", &["--greedy"]).stdout), "the cat\n");
}

#[test]
fn s4_18_llama_continues_a_text() {
    let llama = Copy::of("llama");
    llama.words(64);
    let of = |more: &[&str]| {
        let output = generate(&llama.0, "w5 w9", more);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let shown = of(&["--greedy", "--max", "6"]);
    assert!(shown.starts_with("w5 w9 w") && shown.ends_with('\n'), "a space stands before the first new word: {shown}");
    assert_eq!(shown.split_whitespace().count(), 8, "{shown}");
    assert_eq!(shown, of(&["--beam", "1", "--max", "6"]));
    assert_ne!(shown, of(&["--greedy", "--max", "6", "--stop", shown.split_whitespace().nth(4).unwrap()]));
    refused(&llama.0, "w5 w9", &["--max", "40"], &["--max 40", "39 fit", "40 positions"]);
}

#[test]
fn settings_that_contradict_each_other_are_an_error_of_usage() {
    for more in [&["--greedy", "--top-k", "3"][..], &["--beam", "2", "--temperature", "0.5"], &["--penalty", "1"]] {
        assert_eq!(generate(&golden("gpt2"), "a", more).status.code(), Some(2), "{more:?}");
    }
}

#[test]
fn weights_are_stored_in_16_bits_where_that_is_said_or_the_file_has_them_so() {
    assert!(written(&["--bf16", "--greedy", "--max", "5"]).starts_with("the cat"), "a file of 32 bits");
    let llama = Copy::of("llama-bf16-sharded");
    llama.words(64);
    let of = |more: &[&str]| text(&generate(&llama.0, "w5 w9", &[&["--greedy", "--max", "6"], more].concat()).stdout);
    assert_eq!(of(&["--bf16"]), of(&[]), "a file of 16 bits");
    assert_eq!(of(&[]).split_whitespace().count(), 8);
}
