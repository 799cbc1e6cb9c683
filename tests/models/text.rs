//! Text as words of a vocabulary and back: round trips, letters in pieces, and texts that are refused.

use named_tensor::prelude::*;
use proptest::prelude::*;
use transformer::text::Vocabulary;

use crate::published::{Copy, golden};

fn bytes() -> Vocabulary {
    Vocabulary::open(golden("gpt2")).unwrap()
}

proptest! {
    #[test]
    fn a_text_is_its_words_decoded_at_once_and_one_by_one(text in "[a-z é你🦀,.]{1,20}x") {
        let vocabulary = bytes();
        let words = vocabulary.encode(&text, 1000).unwrap();
        prop_assert_eq!(&vocabulary.decode(&words).unwrap(), &text);
        let mut stream = vocabulary.stream();
        let mut shown = String::new();
        for &word in &words {
            let piece = stream.push(word).unwrap();
            prop_assert!(!piece.contains('\u{FFFD}'), "{piece:?} of {text:?}");
            shown.push_str(&piece);
            prop_assert!(text.starts_with(&shown));
        }
        prop_assert_eq!(shown, text);
        prop_assert_eq!(stream.finish().unwrap(), "");
    }
}

#[test]
fn a_letter_that_never_becomes_whole_is_shown_at_the_end() {
    let vocabulary = bytes();
    let words = vocabulary.encode("🦞", 10).unwrap();
    assert!(words.len() > 1, "the lobster is several words: {words:?}");
    let mut stream = vocabulary.stream();
    for &word in &words[..words.len() - 1] {
        assert_eq!(stream.push(word).unwrap(), "");
    }
    assert_eq!(stream.finish().unwrap(), "\u{FFFD}");
}

#[test]
fn words_that_begin_and_end_a_sentence_are_added_and_left_out_again() {
    let vocabulary = Vocabulary::open(golden("bert")).unwrap();
    let words = vocabulary.encode("The mat", 20).unwrap();
    let named = |word| vocabulary.number(word).unwrap();
    assert_eq!(words, [named("[CLS]"), named("the"), named("m"), named("##at"), named("[SEP]")]);
    assert_eq!(vocabulary.decode(&words[..2]).unwrap(), "the");
    assert_eq!(vocabulary.size(), 16);
}

#[test]
fn texts_and_numbers_that_are_no_words_are_refused() {
    let vocabulary = bytes();
    assert_eq!(vocabulary.encode(" \n", 10).unwrap_err().kind(), ErrorKind::Empty);
    let error = vocabulary.encode("abcdefghijkl", 5).unwrap_err().to_string();
    assert!(error.contains("words, but the model has 5 positions"), "{error}");
    let error = vocabulary.decode(&[3, 300]).unwrap_err().to_string();
    assert!(error.starts_with("word 300 is outside of the 300 words of `"), "{error}");
    let copy = Copy::of("gpt2");
    copy.change("tokenizer.json", |bytes| bytes.truncate(100));
    let error = Vocabulary::open(&copy.0).map(drop).unwrap_err().to_string();
    assert!(error.contains("cannot read `") && error.contains("tokenizer.json"), "{error}");
}

#[test]
fn a_vocabulary_that_ends_anywhere_is_refused_with_its_file() {
    for name in ["bert", "gpt2"] {
        let copy = Copy::of(name);
        let mut whole = Vec::new();
        copy.change("tokenizer.json", |bytes| {
            // A newline at the end may be missing.
            bytes.truncate(bytes.trim_ascii_end().len());
            whole.clone_from(bytes);
        });
        assert!(Vocabulary::open(&copy.0).is_ok(), "{name} is whole");
        for size in (0..whole.len()).rev().step_by(7) {
            copy.change("tokenizer.json", |bytes| *bytes = whole[..size].to_vec());
            let error = Vocabulary::open(&copy.0).map(drop).expect_err("a part is no vocabulary").to_string();
            assert!(error.starts_with("cannot read `") && error.contains("tokenizer.json"), "{error}");
        }
    }
}
