//! What the prose claims and no example can show: the lists are complete, the checks exist, the chapters are short.
//!
//! Lives here: the catalogue of messages, the code map, the tables of dependencies and of unsafe code, against the
//! files they speak of. Not here: the examples, which are tests themselves.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

mod coming_from;

pub(super) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace stands around this package")
}

/// All files below a folder with this ending, and their text. `skip` are folders and files to leave out.
pub(super) fn files(folder: &str, ending: &str, skip: &[&str]) -> Vec<(PathBuf, String)> {
    let (mut found, mut folders) = (Vec::new(), vec![root().join(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder can be read").flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if skip.contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(ending) {
                let text = fs::read_to_string(&path).expect("the file is UTF-8");
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The words in backticks at the start of lines that begin with `before`.
fn listed(text: &str, before: &str) -> BTreeSet<String> {
    let names = text.lines().filter_map(|line| line.strip_prefix(before)?.strip_prefix('`')?.split_once('`'));
    names.map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn the_catalogue_has_the_first_line_of_every_message_as_the_compiler_prints_it() {
    let messages = files("tests/ui/fail", ".stderr", &[]);
    assert!(messages.len() > 30, "only {} messages were found", messages.len());
    let catalogue = include_str!("05-errors.md");
    for (path, text) in &messages {
        let first = text.lines().next().unwrap_or_default();
        let said = first.split_once(": ").map_or(first, |(_, said)| said);
        let row = format!("| `{}` | {said} |", stem(path));
        assert!(catalogue.lines().any(|line| line == row), "05-errors.md lacks the row\n{row}");
    }
    let rows = listed(catalogue, "| ");
    assert_eq!(rows, messages.iter().map(|(path, _)| stem(path)).collect(), "rows and tests");
}

#[test]
fn every_source_file_is_on_the_code_map() {
    let map = include_str!("architecture.md").split("## Code map").nth(1).expect("architecture.md has a code map");
    let mut sections = 0;
    for section in map.split("\n### ").skip(1) {
        let folder = section.lines().next().unwrap_or_default();
        // Unit tests and programs that must not compile are described as a whole.
        let sources =
            files(folder, ".rs", &["ui", "fail", "pass", "expand", "tests", "target", "tests.rs", "testing.rs"]);
        let name = |path: &Path| path.strip_prefix(root().join(folder)).expect("below").display().to_string();
        assert_eq!(listed(section, "- "), sources.iter().map(|(path, _)| name(path)).collect(), "the map of {folder}");
        sections += 1;
    }
    assert_eq!(sections, 6, "one section for each package");
}

#[test]
fn every_dependency_has_its_line() {
    let rows = listed(include_str!("dependencies.md"), "| ");
    let mut needed = BTreeSet::new();
    for package in ["named-tensor", "named-tensor-macros", "transformer", "tests", "tests/ui", "docs"] {
        let manifest = fs::read_to_string(root().join(package).join("Cargo.toml")).expect("a package has a manifest");
        let tables =
            manifest.split("\n[").filter(|table| table.split(']').next().is_some_and(|t| t.ends_with("dependencies")));
        for line in tables.flat_map(|table| table.lines().skip(1)).filter(|line| !line.starts_with('#')) {
            let name: String = line.chars().take_while(|c| c.is_alphanumeric() || "-_".contains(*c)).collect();
            if !name.is_empty() && !["named-tensor", "named-tensor-macros", "transformer"].contains(&name.as_str()) {
                needed.insert(name);
            }
        }
    }
    assert!(needed.len() > 10, "only {needed:?} were found");
    assert_eq!(rows, needed, "lines of dependencies.md, and dependencies");
}

#[test]
fn the_table_of_unsafe_code_is_complete() {
    let is_unsafe = |text: &String| {
        let mut code = text.lines().filter_map(|line| line.split("//").next());
        code.any(|line| line.split_whitespace().any(|word| word.ends_with("unsafe")))
    };
    let sources = files("named-tensor/src/kernel", ".rs", &[]).into_iter().filter(|(_, text)| is_unsafe(text));
    let below = root().join("named-tensor/src");
    let found = sources.map(|(path, _)| path.strip_prefix(&below).expect("below").display().to_string()).collect();
    assert_eq!(listed(include_str!("unsafe.md"), "| "), found, "files in the table, and files with unsafe code");
}

#[test]
fn every_check_that_a_page_names_exists() {
    let mut named = 0;
    for (path, text) in files("docs", ".md", &[]) {
        for (suite, file) in
            [("tidy", "tests/tidy.rs"), ("ui", "tests/ui/ui.rs"), ("docs", "docs/tests.rs"), ("rows", "docs/rows.rs")]
        {
            let tests = fs::read_to_string(root().join(file)).expect("the tests can be read");
            for check in text.split(&format!("`{suite}::")).skip(1).filter_map(|rest| rest.split('`').next()) {
                assert!(tests.contains(&format!("fn {check}()")), "{}: no test {suite}::{check}", path.display());
                named += 1;
            }
        }
    }
    assert!(named > 10, "only {named} checks are named");
}

/// What stands in backticks in the last cell of a row, where a bar is written `\|`.
fn forms(row: &str) -> Vec<String> {
    let cell = row.trim_end_matches([' ', '|']).replace("\\|", "\0");
    let cell = cell.rsplit('|').next().unwrap_or_default();
    cell.split('`').skip(1).step_by(2).map(|form| form.replace('\0', "|")).collect()
}

/// Text without what a formatter may add or leave out.
fn bare(text: &str) -> String {
    text.split_whitespace().collect::<String>().replace(",)", ")")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The statements whose numbers are stated: assertions, and before them whatever they depend on.
fn stated(run: &str) -> Vec<String> {
    let statements: Vec<&str> = run.split_inclusive(";\n").flat_map(|text| text.split_inclusive("}\n")).collect();
    let (mut found, mut used) = (Vec::new(), BTreeSet::new());
    for text in statements.into_iter().rev() {
        let bound = text.trim_start().strip_prefix("let ").and_then(|rest| rest.split_once('='));
        let bound = bound.or_else(|| text.rsplit_once("fn ")?.1.split_once('('));
        let names = bound.map_or(text, |(names, _)| names);
        if text.contains("assert") || words(names).any(|name| used.contains(name)) {
            used.extend(words(text));
            found.push(bare(text));
        }
    }
    found
}

#[test]
fn every_form_in_a_table_is_run_and_its_numbers_are_stated() {
    let run: Vec<String> =
        files("docs/tests/coming_from", ".rs", &[]).iter().flat_map(|(_, run)| stated(run)).collect();
    let pages = files("docs", ".md", &[]).into_iter().filter(|(path, _)| stem(path).starts_with("coming-from"));
    let mut count = 0;
    for (path, page) in pages {
        let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ") && line.contains('`')).collect();
        assert!(rows.len() > 20, "only {} rows were found in {}", rows.len(), path.display());
        count += 1;
        for row in rows {
            let forms = forms(row);
            assert!(!forms.is_empty(), "no form in the row {row}");
            for form in forms {
                assert!(run.iter().any(|text| text.contains(&bare(&form))), "no number is stated for `{form}`");
            }
        }
    }
    assert_eq!(count, 3, "pages");
}

#[test]
fn no_chapter_is_longer_than_its_limit() {
    let is_chapter = |path: &Path| {
        stem(path).starts_with(|first: char| first.is_ascii_digit()) || stem(path).starts_with("coming-from")
    };
    let chapters = files("docs", ".md", &[]).into_iter().filter(|(path, _)| is_chapter(path));
    let long = chapters.filter(|(_, text)| text.lines().count() > 200);
    assert_eq!(long.map(|(path, _)| stem(&path)).collect::<Vec<_>>(), [""; 0]);
}
