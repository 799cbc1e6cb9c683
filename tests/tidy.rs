//! The layout is the architecture made visible; this test keeps both as `docs/architecture.md` says.

use std::fs;
use std::path::{Path, PathBuf};

/// All files below a folder with one of these endings, tests of messages and build results left out.
fn files(endings: &[&str]) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace stands around this package");
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the workspace can be read").flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() {
                if !name.starts_with('.') && name != "target" && name != "ui" && name != "wip" {
                    folders.push(path);
                }
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                let text = fs::read_to_string(&path).expect("a source file is UTF-8");
                found.push((path.strip_prefix(root).expect("a path below the root").to_path_buf(), text));
            }
        }
    }
    assert!(found.len() > 20, "the walk found only {} files", found.len());
    found
}

fn report(broken: &[String]) {
    assert!(broken.is_empty(), "{} broken:\n{}", broken.len(), broken.join("\n"));
}

fn is_below(path: &Path, folder: &str) -> bool {
    path.starts_with(folder)
}

#[test]
fn every_source_file_says_in_its_first_line_what_lives_in_it() {
    // Golden expansions are outputs, not sources.
    let sources = files(&[".rs"]).into_iter().filter(|(path, _)| !is_below(path, "named-tensor-macros/tests/expand"));
    let broken: Vec<String> =
        sources.filter(|(_, text)| !text.starts_with("//!")).map(|(path, _)| path.display().to_string()).collect();
    report(&broken);
}

#[test]
fn no_source_file_is_longer_than_its_limit() {
    let mut broken = Vec::new();
    for (path, text) in files(&[".rs"]) {
        // Unit tests at the end of a file do not count.
        let code = text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or(&text);
        let limit = if is_below(&path, "named-tensor/src/kernel") { 500 } else { 400 };
        let lines = code.lines().count();
        if lines > limit && !is_below(&path, "named-tensor-macros/tests/expand") {
            broken.push(format!("{} has {lines} lines, the limit is {limit}", path.display()));
        }
    }
    report(&broken);
}

#[test]
fn no_file_has_a_name_that_says_nothing() {
    let empty = ["utils", "util", "helpers", "helper", "common", "types", "misc"];
    let named = |path: &Path| path.file_stem().is_some_and(|stem| empty.contains(&stem.to_string_lossy().as_ref()));
    let broken: Vec<String> = files(&[".rs", ".md"])
        .into_iter()
        .filter(|(path, _)| named(path))
        .map(|(p, _)| p.display().to_string())
        .collect();
    report(&broken);
}

#[test]
fn unsafe_code_stands_only_in_kernels_and_each_block_has_its_proof() {
    let mut broken = Vec::new();
    for (path, text) in files(&[".rs"]) {
        if path.ends_with("tests/tidy.rs") {
            continue;
        }
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            let is_unsafe = ["unsafe {", "unsafe fn", "unsafe impl"].iter().any(|word| code.contains(word));
            if !is_unsafe {
                continue;
            }
            let place = format!("{}:{}", path.display(), number + 1);
            // The hand-written twin of a bench calls the matrix product as its library offers it, by pointers.
            if !is_below(&path, "named-tensor/src/kernel") && !is_below(&path, "transformer/benches") {
                broken.push(format!("{place}: unsafe outside kernel/"));
            }
            let before = lines[number.saturating_sub(12)..number].iter();
            if !before.rev().any(|line| line.contains("SAFETY") || line.contains("# Safety")) {
                broken.push(format!("{place}: no SAFETY comment"));
            }
        }
    }
    report(&broken);
}

/// Which modules of named-tensor a module may use, by the first name after `crate::`.
fn allowed(module: &str) -> Option<&'static [&'static str]> {
    Some(match module {
        "element" => &["element"],
        "error" => &["error"],
        "kernel" => &["element", "kernel"],
        "axis" => &["axes", "axis"],
        "axes" => &["axis", "axes", "graph"],
        "graph" => &["axis", "element", "error", "graph"],
        "plan" => &["axis", "element", "error", "graph", "kernel", "plan"],
        _ => return None,
    })
}

#[test]
fn dependencies_between_modules_point_one_way() {
    let mut broken = Vec::new();
    for (path, text) in files(&[".rs"]) {
        let Ok(inside) = path.strip_prefix("named-tensor/src") else { continue };
        let first = inside.components().next().expect("a path has a part").as_os_str().to_string_lossy().into_owned();
        let Some(allowed) = allowed(first.trim_end_matches(".rs")) else { continue };
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            for used in code.split("crate::").skip(1) {
                let module: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if !module.is_empty() && !allowed.contains(&module.as_str()) {
                    broken.push(format!("{}:{} uses `{module}`", path.display(), number + 1));
                }
            }
        }
    }
    report(&broken);
}

#[test]
fn axes_know_of_the_graph_only_how_names_are_listed() {
    let mut broken = Vec::new();
    for (path, text) in files(&[".rs"]) {
        if is_below(&path, "named-tensor/src/axes") {
            let wrong = |line: &&str| line.contains("crate::graph") && !line.contains("crate::graph::shape::Names");
            broken.extend(text.lines().filter(wrong).map(|line| format!("{}: {line}", path.display())));
        }
    }
    report(&broken);
}

#[test]
fn the_macros_name_only_the_private_module_and_depend_on_none_of_our_crates() {
    let mut broken = Vec::new();
    for (path, text) in files(&[".rs", ".toml"]) {
        if is_below(&path, "named-tensor-macros/src") {
            let words = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let wrong = |line: &&str| line.contains("::named_tensor::") && !line.contains("::named_tensor::private");
            broken.extend(words.filter(wrong).map(|line| format!("{}: {line}", path.display())));
        }
        if path == Path::new("named-tensor-macros/Cargo.toml") && text.contains("named-tensor.workspace") {
            broken.push("named-tensor-macros depends on named-tensor".to_owned());
        }
    }
    report(&broken);
}

#[test]
fn the_transformer_holds_equations_and_no_loops_over_elements() {
    let mut broken = Vec::new();
    for (path, text) in files(&[".rs"]) {
        if is_below(&path, "transformer/src") {
            // What steps through a run or asks for arguments is no equation and may repeat itself.
            let loops: &[&str] = if text.contains("named! {") { &["for ", "while ", "loop "] } else { &[] };
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or("").trim_start();
                if loops.iter().chain(&["unsafe", "stride"]).any(|word| code.starts_with(word)) {
                    broken.push(format!("{}:{}: {code}", path.display(), number + 1));
                }
            }
        }
    }
    report(&broken);
}

#[test]
fn one_word_is_used_for_one_thing() {
    let mut broken = Vec::new();
    for (path, text) in files(&[".rs", ".md"]) {
        if path.ends_with("tests/tidy.rs") || is_below(&path, "named-tensor/src/kernel") {
            continue;
        }
        // Tables that translate from another library quote its words.
        let quotes = path.to_string_lossy().starts_with("docs/coming-from-");
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !(quotes && line.starts_with('|'))) {
            let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            let wrong = ["dim", "dims", "ndim", "todo", "FIXME", "XXX"];
            if words.into_iter().any(|word| wrong.contains(&word)) {
                broken.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    report(&broken);
}

#[test]
fn the_readme_is_short() {
    let text = fs::read_to_string("../README.md").expect("the workspace has a README");
    assert!(text.lines().count() <= 120, "README.md has {} lines, the limit is 120", text.lines().count());
}

#[test]
fn each_published_package_has_its_licences_and_its_readme() {
    for package in ["named-tensor", "named-tensor-macros", "transformer"] {
        let text = |file: &str| fs::read_to_string(format!("../{package}/{file}")).expect(file);
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            assert_eq!(text(licence), fs::read_to_string(format!("../{licence}")).expect(licence), "{package}");
        }
        assert!(text("Cargo.toml").contains("\nreadme.workspace = true\n"), "{package}");
    }
}
