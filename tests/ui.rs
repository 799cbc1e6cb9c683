//! What the compiler says of wrong equations, and that the right twins compile.
//!
//! Each file in `ui/fail` breaks the one rule that its name states; the file of the same name in `ui/pass` keeps it.
//! The `.stderr` files are written by the test itself (`TRYBUILD=overwrite cargo test --test ui`) and read by people.

use std::collections::BTreeSet;
use std::fs;

fn names(folder: &str, ending: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("the folder of cases can be read").flatten();
    entries.filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(ending)?.to_owned())).collect()
}

#[test]
fn every_wrong_program_has_a_right_twin_and_a_message() {
    let wrong = names("ui/fail", ".rs");
    assert!(wrong.len() > 30, "only {} wrong programs were found", wrong.len());
    assert_eq!(wrong, names("ui/pass", ".rs"), "twins");
    assert_eq!(wrong, names("ui/fail", ".stderr"), "messages");
}

#[test]
fn wrong_programs_are_refused_with_these_messages_and_their_twins_compile() {
    let cases = trybuild::TestCases::new();
    cases.pass("ui/pass/*.rs");
    cases.compile_fail("ui/fail/*.rs");
}
