//! The command line as a process: what it prints, how it ends, and that interrupted runs lose nothing.
//!
//! `cargo test -p transformer --features cli`. Lives here: `train` and `show`. Not here: training as a library (package
//! `named-tensor-tests`, `models::training_loop`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A folder of its own for each test, removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("transformer-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("text"), "the cat sat on the mat, and the dog sat on the log. ".repeat(9)).unwrap();
        Folder(path)
    }

    /// The arguments of a run of the task `language` in the folder `out` of this one.
    fn language(&self, out: &str, more: &[&str]) -> Command {
        let mut command = transformer(&["train", "language", "--text"]);
        command.arg(self.0.join("text")).arg("--out").arg(self.0.join(out)).args(more);
        if !more.contains(&"--every") {
            command.args(["--every", "4"]);
        }
        command
    }

    fn bytes(&self, file: &str) -> Vec<u8> {
        fs::read(self.0.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    fn has(&self, file: &str) -> bool {
        self.0.join(file).exists()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn transformer(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_transformer"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The result of a command that does what it should.
#[track_caller]
fn done(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{:?}: {}", output.status, text(&output.stderr));
    output
}

/// The one line that a command says which cannot do what it should.
#[track_caller]
fn refused(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.starts_with("error: ") && !message.contains("panicked"), "{message}");
    message
}

/// Waits for a file of a run that is going.
#[track_caller]
fn wait_for(file: &Path, child: &mut Child) {
    let start = Instant::now();
    while !file.exists() {
        assert!(start.elapsed() < Duration::from_secs(120), "{} does not appear", file.display());
        assert!(child.try_wait().unwrap().is_none(), "the run ended before {} appeared", file.display());
        sleep(Duration::from_millis(2));
    }
}

/// Steps of a log in their order.
fn steps(log: &[u8]) -> Vec<u64> {
    text(log).lines().skip(1).map(|row| row.split(',').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn a_run_that_is_killed_and_one_that_is_interrupted_end_with_the_bytes_of_one_that_is_not() {
    let folder = Folder::new("bytes");
    let quiet = |command: &mut Command| command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    done(&mut folder.language("whole", &["--steps", "40"]));

    let mut killed = quiet(&mut folder.language("killed", &["--steps", "40"]));
    wait_for(&folder.0.join("killed/checkpoint.safetensors"), &mut killed);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(!folder.has("killed/model.safetensors"), "the run was over before it was killed");
    done(&mut folder.language("killed", &["--resume"]));

    if cfg!(unix) {
        let mut interrupted = quiet(&mut folder.language("interrupted", &["--steps", "40"]));
        wait_for(&folder.0.join("interrupted/checkpoint.safetensors"), &mut interrupted);
        assert!(Command::new("kill").args(["-INT", &interrupted.id().to_string()]).status().unwrap().success());
        let output = interrupted.wait_with_output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{said}");
        assert!(said.contains("interrupted at step ") && said.contains("--resume"), "{said}");
        done(&mut folder.language("interrupted", &["--resume"]));
        assert_eq!(folder.bytes("interrupted/model.safetensors"), folder.bytes("whole/model.safetensors"));
    }
    for file in ["model.safetensors", "checkpoint.safetensors", "run.json"] {
        assert_eq!(folder.bytes(&format!("killed/{file}")), folder.bytes(&format!("whole/{file}")), "{file}");
    }
    assert!(steps(&folder.bytes("killed/log.csv")).into_iter().eq(1..=40));
    assert!(text(&folder.bytes("killed/loss.svg")).starts_with("<svg"));
    // What is finished and gone on with says the same again.
    let again = done(&mut folder.language("killed", &["--resume"]));
    assert!(text(&again.stdout).contains("Loss without dropout"));
    assert_eq!(folder.bytes("killed/model.safetensors"), folder.bytes("whole/model.safetensors"));
}

#[test]
fn a_run_that_is_killed_before_it_is_stored_does_not_go_on_from_the_run_before_it() {
    let folder = Folder::new("before");
    done(&mut folder.language("out", &["--steps", "4", "--seed", "3"]));
    let mut second = folder.language("out", &["--steps", "20", "--seed", "3", "--every", "1000"]);
    let mut killed = second.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while folder.has("out/checkpoint.safetensors") || !text(&folder.bytes("out/run.json")).contains("\"steps\": 20") {
        assert!(start.elapsed() < Duration::from_secs(120), "the second run does not begin");
        sleep(Duration::from_millis(1));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(!folder.has("out/model.safetensors"), "the run was over before it was killed");
    done(&mut folder.language("out", &["--resume"]));
    done(&mut folder.language("whole", &["--steps", "20", "--seed", "3"]));
    assert_eq!(folder.bytes("out/checkpoint.safetensors"), folder.bytes("whole/checkpoint.safetensors"));
}

#[cfg(unix)]
#[test]
fn a_run_that_is_told_to_end_is_stored_first() {
    let folder = Folder::new("told");
    let mut run = folder.language("out", &["--steps", "2000", "--every", "2000"]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(&folder.0.join("out/log.csv"), &mut run);
    assert!(Command::new("kill").args(["-TERM", &run.id().to_string()]).status().unwrap().success());
    let output = run.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(143), "{said}");
    assert!(said.contains("interrupted at step ") && said.contains("--resume"), "{said}");
    assert!(folder.has("out/checkpoint.safetensors"));
}

#[test]
fn one_run_at_a_time_works_in_a_folder() {
    let folder = Folder::new("two");
    let mut first = folder.language("out", &["--steps", "2000", "--every", "2000"]);
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(&folder.0.join("out/log.csv"), &mut first);
    for more in [&["--steps", "2000"][..], &["--resume"]] {
        let message = refused(&mut folder.language("out", more));
        assert!(message.contains("another run is at work in `") && message.contains("out`"), "{message}");
    }
    assert!(first.try_wait().unwrap().is_none(), "the first one is at work");
    first.kill().unwrap();
    first.wait().unwrap();
    done(&mut folder.language("out", &["--steps", "2"]));
}

#[test]
fn s4_22_the_example_is_learnt_with_its_stop_word_and_decoded() {
    let folder = Folder::new("translation");
    let output = done(transformer(&["train", "translation", "--out"]).arg(folder.0.join("out")));
    let said = text(&output.stdout);
    assert!(said.contains("je suis étudiant -> i am a student\n"), "{said}");
    assert!(said.contains("Right: 30 of 30 sentences"), "{said}");
}

#[test]
fn each_task_leaves_its_pictures_and_its_weights() {
    let folder = Folder::new("pictures");
    for (task, picture) in [("histogram", "attention.svg"), ("alignment", "alignment.svg"), ("translation", "loss.svg")]
    {
        let output = done(transformer(&["train", task, "--steps", "2", "--out"]).arg(folder.0.join(task)));
        assert!(text(&output.stdout).contains("Right: "), "{task}");
        for file in [picture, "loss.svg"] {
            assert!(text(&folder.bytes(&format!("{task}/{file}"))).starts_with("<svg"), "{task}/{file}");
        }
        assert!(folder.has(&format!("{task}/model.safetensors")), "{task}");
    }
}

#[test]
fn a_run_says_its_equations_its_progress_and_its_files() {
    let folder = Folder::new("says");
    let output = done(&mut folder.language("out", &["--steps", "4", "--seed", "7"]));
    let (out, progress) = (text(&output.stdout), text(&output.stderr));
    for part in ["ByteModel(I: vocab[seq]", "seed 7, 4 steps: 132992 parameters", "Loss without dropout: "] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert_eq!(progress.lines().count(), 4, "{progress}");
    let line = progress.lines().next().unwrap();
    assert!(
        line.starts_with("step 1 of 4   loss ") && line.contains(" tokens/s ") && line.ends_with(" left"),
        "{line}"
    );
    assert!(text(&folder.bytes("out/log.csv")).starts_with("step,loss,rate,tokens_per_second\n1,"));
    assert!(!text(&folder.bytes("out/log.csv")).contains("NaN"));
}

#[test]
fn other_seeds_give_other_runs_and_the_same_seed_the_same() {
    let folder = Folder::new("seeds");
    let model = |out: &str, seed: &str| {
        done(&mut folder.language(out, &["--steps", "2", "--seed", seed]));
        folder.bytes(&format!("{out}/model.safetensors"))
    };
    assert_eq!(model("a", "3"), model("b", "3"));
    assert_ne!(model("c", "4"), model("a", "3"));
}

#[test]
fn a_run_is_resumed_only_as_the_run_that_it_is() {
    let folder = Folder::new("identity");
    let missing = refused(&mut folder.language("out", &["--resume"]));
    assert!(missing.contains("there is no run in `") && missing.contains("to resume"), "{missing}");
    assert!(!folder.has("out"), "nothing is made there");
    done(&mut folder.language("out", &["--steps", "4"]));
    let before = folder.bytes("out/checkpoint.safetensors");
    for (arguments, wrong) in [
        (["--seed", "5"], "seed 5, 4 steps"),
        (["--steps", "6"], "seed 0, 6 steps"),
        (["--dropout", "0.5"], "dropout 0.5"),
    ] {
        let message = refused(folder.language("out", &["--resume"]).args(arguments));
        assert!(message.contains("cannot be resumed as `language`") && message.contains(wrong), "{message}");
    }
    let message = refused(transformer(&["train", "histogram", "--resume", "--out"]).arg(folder.0.join("out")));
    assert!(message.contains("is `language`") && message.contains("cannot be resumed as `histogram`"), "{message}");
    assert_eq!(folder.bytes("out/checkpoint.safetensors"), before);
    let message = refused(transformer(&["train", "histogram", "--out"]).arg(folder.0.join("out")));
    assert!(message.contains("holds another run, `language`"), "{message}");
    assert_eq!(folder.bytes("out/checkpoint.safetensors"), before, "nothing was replaced");
    for arguments in [["--seed", "5"], ["--dropout", "0.5"]] {
        let message = refused(&mut folder.language("out", &arguments));
        assert!(message.contains("holds another run, `language`") && message.contains("--out"), "{message}");
        assert_eq!(folder.bytes("out/checkpoint.safetensors"), before, "nothing was replaced");
    }
    // A run that is over may begin anew; one that is not may not.
    done(&mut folder.language("out", &["--steps", "3"]));
    fs::remove_file(folder.0.join("out/model.safetensors")).unwrap();
    let message = refused(&mut folder.language("out", &["--steps", "3"]));
    assert!(message.contains("holds an unfinished run") && message.contains("--resume"), "{message}");
}

#[test]
fn files_that_are_no_run_are_left_alone() {
    let folder = Folder::new("foreign");
    let path = folder.0.join("out/model.safetensors");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "somebody's weights").unwrap();
    let message = refused(&mut folder.language("out", &["--steps", "2"]));
    assert!(message.contains("holds files that are no run") && message.contains("--out"), "{message}");
    assert_eq!(fs::read(&path).unwrap(), b"somebody's weights");
    assert!(!folder.has("out/.lock"), "nothing is added");

    done(&mut folder.language("over", &["--steps", "2"]));
    fs::remove_file(folder.0.join("over/checkpoint.safetensors")).unwrap();
    let message = refused(&mut folder.language("over", &["--resume"]));
    assert!(message.contains("has no checkpoint to go on from"), "{message}");
}

#[test]
fn a_checkpoint_that_is_broken_or_of_another_model_is_refused_by_name() {
    let folder = Folder::new("broken");
    done(&mut folder.language("out", &["--steps", "4"]));
    let path = folder.0.join("out/checkpoint.safetensors");
    let whole = fs::read(&path).unwrap();
    let resumed = || refused(&mut folder.language("out", &["--resume"]));

    fs::write(&path, &whole[..whole.len() - 5]).unwrap();
    let message = resumed();
    assert!(message.contains("checkpoint.safetensors") && message.contains("truncated"), "{message}");

    // The first number after the header becomes NaN.
    let mut broken = whole.clone();
    let first = 8 + u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
    broken[first..first + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(&path, broken).unwrap();
    let message = resumed();
    assert!(message.contains("checkpoint.safetensors` has numbers that are not finite in `model."), "{message}");

    done(transformer(&["train", "histogram", "--steps", "1", "--out"]).arg(folder.0.join("other")));
    fs::copy(folder.0.join("other/checkpoint.safetensors"), &path).unwrap();
    let message = resumed();
    assert!(message.contains("`model.words.E` [chans: 64, vocab: 256] F32 is missing"), "{message}");
    assert!(message.contains("`model.att.W_Q` [chans: 32, key: 64] is unexpected"), "{message}");

    fs::write(folder.0.join("out/run.json"), "{\"task\": \"language\"").unwrap();
    let message = resumed();
    assert!(message.contains("run.json` is not the description of a run"), "{message}");
}

#[test]
fn what_cannot_be_read_or_written_is_named() {
    let folder = Folder::new("files");
    fs::write(folder.0.join("file"), "").unwrap();
    let message = refused(&mut folder.language("file/out", &["--steps", "1"]));
    assert!(message.contains("cannot make the folder `") && message.contains("file/out`"), "{message}");
    let message = refused(&mut transformer(&["train", "language", "--text", "no/such/text"]));
    assert!(message.contains("cannot read `no/such/text`"), "{message}");
    fs::write(folder.0.join("text"), "short").unwrap();
    let message = refused(&mut folder.language("out", &[]));
    assert!(message.contains("text` has 5 bytes, too few to learn from"), "{message}");
}

#[test]
fn wrong_arguments_exit_with_2_and_say_which() {
    for (arguments, part) in [
        (&["train", "histogram", "--steps", "0"][..], "invalid value '0' for '--steps"),
        (&["train", "histogram", "--every", "0"], "invalid value '0' for '--every"),
        (&["train", "histogramm"], "a similar subcommand exists: 'histogram'"),
        (&["show", "nothing"], "invalid value 'nothing' for '<MODEL>'"),
        (&["train"], "Commands:"),
    ] {
        let output = transformer(arguments).output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(part), "{message}");
    }
    // The second one is 1 in the precision of the model.
    for rate in ["1", "0.999999999999", "-0.1"] {
        let message = refused(&mut transformer(&["train", "language", "--dropout", rate]));
        assert!(message.contains(&format!("the rate of dropout is {rate}, ")), "{message}");
    }
}

#[test]
fn help_names_every_command_and_task() {
    let help = |arguments: &[&str]| text(&done(&mut transformer(arguments)).stdout);
    for command in ["train", "show"] {
        assert!(help(&["--help"]).contains(&format!("  {command} ")), "{command}");
    }
    let tasks = help(&["train", "--help"]);
    for task in ["histogram", "alignment", "language", "Exit codes"] {
        assert!(tasks.contains(task), "{task}: {tasks}");
    }
}

#[test]
fn show_prints_equations_parameters_and_cost() {
    let block = text(&done(&mut transformer(&["show", "block"])).stdout);
    for part in ["MultiHeadBlock : ", "att.W_Q", "[chans: 64, heads: 4, key: 16]", "49920 parameters", "FLOP"] {
        assert!(block.contains(part), "{part}: {block}");
    }
    let latex = text(&done(&mut transformer(&["show", "block", "--latex"])).stdout);
    assert!(latex.contains(r"\nfun{") && latex.contains(r"\name{chans}"), "{latex}");
    let micro = text(&done(&mut transformer(&["show", "micro-gpt"])).stdout);
    assert!(micro.contains("MicroGPT : ") && micro.contains("\n14688 parameters"), "{micro}");
    for model in ["language-model", "translation", "seq2seq", "gpt2", "llama", "bert"] {
        let page = text(&done(&mut transformer(&["show", model, "--source"])).stdout);
        assert!(page.contains(" dot_chans ") && page.contains("\nOne pass: "), "{model}: {page}");
    }
}

#[test]
fn output_that_nobody_reads_is_no_failure() {
    let mut child = transformer(&["show", "block"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}
