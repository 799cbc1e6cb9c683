//! Settings of the environment: one that there is not is refused, and a plan that is not used says so.
//!
//! They are read once in a process, so another process runs the test again with its settings. Not here: that results
//! are the same with each of them, which the tests of the planner and of the loops show.

use std::ffi::OsString;
use std::process::Command;

use named_tensor::prelude::*;
use named_tensor_tests::axes::{height, width};

use crate::refusals::refused;

named! {
    fn Scaled(X: R[height]; W: R[height, width]) -> R[width] { X dot_height W }
}

fn sum() -> Tensor<R![height, width], f64> {
    Tensor::zeros((height.of(2), width.of(3))) + 1.0
}

/// Runs a test of this file again, in a process with these settings.
fn passes_with<const N: usize>(test: &str, settings: [(&str, OsString); N]) {
    let said = format!("{settings:?}");
    let run = Command::new(std::env::current_exe().unwrap()).args(["--exact", test]).envs(settings).output().unwrap();
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success() && text.contains("1 passed"), "{said}: {text}");
}

#[test]
fn a_setting_of_the_environment_that_there_is_not_is_refused_and_quoted() {
    const NAME: &str = "settings::a_setting_of_the_environment_that_there_is_not_is_refused_and_quoted";
    const ASKED: &str = "SETTINGS_ASKED";
    if let Ok(name) = std::env::var(ASKED) {
        let said = std::env::var_os(&name).unwrap_or_default().to_string_lossy().into_owned();
        let words = [&*name, &format!("`{said}`")];
        refused(sum().to_vec((height, width)), ErrorKind::Value, &words);
        refused(sum().plan(), ErrorKind::Value, &words);
        let made: Result<Scaled, Error> = Scaled::init(&mut seeded(1), (height.of(2), width.of(3)));
        let error = made.unwrap_err().to_string();
        return assert!(error.starts_with("the environment variable"), "no parameter is to blame: {error}");
    }
    let names = ["NAMED_TENSOR_THREADS", "NAMED_TENSOR_PLAN", "NAMED_TENSOR_VECTORS"];
    let mut wrong: Vec<(&str, OsString)> = names.map(|name| (name, "many".into())).into();
    wrong.push((names[0], "0".into()));
    #[cfg(unix)]
    wrong.extend(names.map(|name| (name, std::os::unix::ffi::OsStringExt::from_vec(b"of\xff".to_vec()))));
    for (name, said) in wrong {
        passes_with(NAME, [(name, said), (ASKED, name.into())]);
    }
}

#[test]
fn a_plan_that_is_not_used_says_so_first() {
    const NAME: &str = "settings::a_plan_that_is_not_used_says_so_first";
    let off = std::env::var_os("NAMED_TENSOR_PLAN").is_some_and(|plan| plan == "off");
    let plan = sum().plan().unwrap();
    assert_eq!(plan.starts_with("the planner is off"), off, "{plan}");
    assert!(plan.contains("  1 #"), "{plan}");
    if !off {
        passes_with(NAME, [("NAMED_TENSOR_PLAN", "off".into())]);
    }
}
