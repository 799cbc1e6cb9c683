//! The rows of the inventory and the tests that carry their names, against the page on coverage.
//!
//! Lives here: reading the names, the list of rows and both tables, and writing the tables anew.
//! Not here: the tests themselves, which are all over the workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::tests::{files, root};

/// The tests of each row.
type Tests = BTreeMap<String, BTreeSet<String>>;

/// The rows at the start of a name: P14 of `p14_contraction_of_a`, 1.2 and 1.3 of `s1_2_s1_3_positions`.
fn rows_of(name: &str) -> Vec<String> {
    let mut words = name.split('_').peekable();
    let mut rows = Vec::new();
    while let Some(word) = words.next() {
        let Some((family, number)) = word.split_at_checked(1) else { break };
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(number) {
            break;
        }
        match (family, words.peek()) {
            ("p" | "n" | "e" | "c", Some(_)) => rows.push(format!("{}{number}", family.to_uppercase())),
            ("s", Some(row)) if digits(row) => {
                rows.push(format!("{number}.{row}"));
                words.next();
            }
            _ => break,
        }
    }
    rows
}

/// All tests whose names carry rows. Those of the plain code that others are compared with are no evidence.
fn tests() -> Tests {
    let mut found = Tests::new();
    let mut add = |name: &str, path: String| {
        for row in rows_of(name) {
            found.entry(row).or_default().insert(path.clone());
        }
    };
    let inside = |path: &std::path::Path| path.strip_prefix(root()).expect("below").display().to_string();
    for (path, text) in files("", ".rs", &["ui", "expand", "target", "reference", "rows.rs"]) {
        let mut lines = text.lines().map(str::trim);
        while let Some(line) = lines.next() {
            if line != "#[test]" {
                continue;
            }
            let Some(name) = lines.next().and_then(|next| next.strip_prefix("fn ")?.split_once('(')) else { continue };
            let file = inside(&path);
            let file = file.trim_start_matches("tests/").trim_end_matches(".rs").replace('/', "::");
            add(name.0, format!("{file}::{}", name.0));
        }
    }
    for (path, _) in files("tests/ui/fail", ".rs", &[]) {
        let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        add(&name, inside(&path));
    }
    found
}

/// The rows of the list `P1–P28, ..., 4.1–4.23`.
fn listed(page: &str) -> Vec<String> {
    let list = page.lines().find_map(|line| line.strip_prefix("The rows are ")).expect("the page lists its rows");
    let mut rows = Vec::new();
    for range in list.trim_end_matches('.').split(", ") {
        let (first, last) = range.split_once('–').expect("a range of rows");
        let family = first.strip_suffix('1').expect("rows are counted from 1");
        let last: usize = last.strip_prefix(family).and_then(|last| last.parse().ok()).expect("the last row");
        rows.extend((1..=last).map(|row| format!("{family}{row}")));
    }
    rows
}

/// The page with both its tables written anew.
fn written(page: &str, rows: &[String], tests: &Tests) -> String {
    let said: BTreeMap<&str, &str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "))
        .map(|(row, rest)| (row, rest.trim_end_matches(" |").split(" | ").next().unwrap_or_default()))
        .collect();
    let (mut covered, mut lacking) = (String::new(), String::new());
    for row in rows {
        let text = said.get(row.as_str()).unwrap_or_else(|| panic!("coverage.md does not say what row {row} is"));
        match tests.get(row) {
            Some(tests) => {
                let tests: Vec<String> = tests.iter().map(|test| format!("`{test}`")).collect();
                covered += &format!("| {row} | {text} | {} |\n", tests.join(", "));
            }
            None if page.contains(&format!("| {row} | {text} | `")) => panic!("row {row} has lost its tests"),
            None => lacking += &format!("| {row} | {text} |\n"),
        }
    }
    let (prose, _) = page.split_once("## Rows\n").expect("coverage.md has its rows");
    format!(
        "{prose}## Rows\n\n| row | what it says | tests |\n|---|---|---|\n{covered}\n\
         ## Not yet\n\n| row | what it says |\n|---|---|\n{lacking}"
    )
}

#[test]
fn every_row_of_the_inventory_has_the_tests_that_carry_its_name() {
    let file = root().join("docs/coverage.md");
    let page = fs::read_to_string(&file).expect("the page can be read");
    let (rows, tests) = (listed(&page), tests());
    for (row, tests) in &tests {
        assert!(rows.contains(row), "row {row} is not on the list of coverage.md: {tests:?}");
    }
    let written = written(&page, &rows, &tests);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&file, &written).expect("the page can be written");
        return;
    }
    let first = page.lines().zip(written.lines()).find(|(page, written)| page != written);
    assert!(page == written, "coverage.md is not as the tests are; UPDATE_EXPECT=1 writes it anew: {first:?}");
}

#[test]
fn the_rows_of_a_test_are_read_off_the_start_of_its_name() {
    assert_eq!(rows_of("p14_contraction"), ["P14"]);
    assert_eq!(rows_of("s1_2_s1_3_positions"), ["1.2", "1.3"]);
    assert_eq!(rows_of("n5_n8_windows"), ["N5", "N8"]);
    assert!(rows_of("p_values_of_14").is_empty() && rows_of("s0_rows").is_empty() && rows_of("softmax_p14").is_empty());
}
