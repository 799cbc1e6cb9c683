//! What the prose claims and no example can show: the catalogue of messages, the length of the chapters.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace stands around this package")
}

fn files(folder: &str, ending: &str) -> Vec<(PathBuf, String)> {
    let entries =
        fs::read_dir(root().join(folder)).expect("the folder can be read").flatten().map(|entry| entry.path());
    let matching = entries.filter(|path| path.to_string_lossy().ends_with(ending));
    matching.map(|path| (path.clone(), fs::read_to_string(path).expect("the file is UTF-8"))).collect()
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The rows of the catalogue: the name of the test and the message.
fn catalogue() -> Vec<(String, String)> {
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| `")?.strip_suffix(" |")?.splitn(2, "` | ");
        Some((cells.next()?.to_owned(), cells.next()?.to_owned()))
    };
    include_str!("05-errors.md").lines().filter_map(row).collect()
}

#[test]
fn the_catalogue_has_the_first_line_of_every_message_as_the_compiler_prints_it() {
    let messages = files("tests/ui/fail", ".stderr");
    assert!(messages.len() > 30, "only {} messages were found", messages.len());
    let catalogue = catalogue();
    for (path, text) in &messages {
        let first = text.lines().next().unwrap_or_default();
        let said = first.split_once(": ").map_or(first, |(_, said)| said);
        let listed = catalogue.iter().any(|(name, message)| *name == stem(path) && message == said);
        assert!(listed, "05-errors.md lacks: | `{}` | {said} |", stem(path));
    }
    for (name, _) in &catalogue {
        assert!(messages.iter().any(|(path, _)| stem(path) == *name), "no test is called {name}");
    }
}

#[test]
fn no_chapter_is_longer_than_its_limit() {
    let pages = files("docs", ".md");
    assert!(pages.len() > 8, "only {} pages were found", pages.len());
    let chapter = |path: &Path| stem(path).starts_with('0');
    for (path, text) in pages.iter().filter(|(path, _)| chapter(path)) {
        assert!(text.lines().count() <= 200, "{} has {} lines", path.display(), text.lines().count());
    }
}
