//! What the compiler says of wrong equations, and that their right twins compile.
//!
//! Each file in `fail` breaks the one rule that its name states; the file of the same name in `pass` keeps it.
//! The `.stderr` files are written by the test itself (`TRYBUILD=overwrite cargo test --test ui`) and read by people.
//! They are those of the compiler that `[workspace.metadata.ci]` names; other compilers word their notes otherwise.

use named_tensor_messages::NAMES;
use std::collections::BTreeSet;
use std::fs;

fn names(folder: &str, ending: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("the folder of cases can be read").flatten();
    entries.filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(ending)?.to_owned())).collect()
}

#[test]
fn every_wrong_program_has_a_right_twin_and_a_message() {
    let wrong = names("fail", ".rs");
    assert!(wrong.len() > 30, "only {} wrong programs were found", wrong.len());
    assert_eq!(wrong, names("pass", ".rs"), "twins");
    assert_eq!(wrong, names("fail", ".stderr"), "messages");
    let compiled: BTreeSet<String> = NAMES.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(wrong, compiled, "twins that are compiled by `right.rs`");
}

#[test]
fn wrong_programs_are_refused_with_these_messages() {
    trybuild::TestCases::new().compile_fail("fail/*.rs");
}
