//! Small checkpoints of published architectures, and what the reference implementation computes from them.
//!
//! `tests/scripts/golden.py` makes them, `tests/golden/versions.json` says by which versions.
//! Lives here: where they are, what is expected of them, and copies to be spoilt. Not here: the models (`gpt2`, `llama`, `bert`).

#![allow(clippy::print_stdout, reason = "what was measured is shown with --nocapture")]

use named_tensor::file::Tensors;
use named_tensor::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use transformer::axes::{chans, places, seq, seq_, vocab};
use transformer::mask::{ContextMask, OpenMask};
use transformer::models::context::Reads;

/// Larger than any difference found (`docs/agreement.md`), and a tenth of what is asked for.
const ALLOWED: f64 = 1e-5;

/// The folder of a checkpoint.
pub(crate) fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}

/// Numbers of `expected.safetensors`, with their sizes.
pub(crate) fn expected(folder: &Path, name: &str) -> (Vec<usize>, Vec<f32>) {
    let tensors = Tensors::open(folder.join("expected.safetensors")).unwrap();
    (tensors.sizes(name).unwrap().to_vec(), tensors.numbers(name).unwrap())
}

/// Asserts that numbers differ from the expected ones by no more than a part of the largest of them.
#[track_caller]
pub(crate) fn assert_agreement(what: &str, found: &[f32], expected: &[f32], allowed: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
    let differ = found.iter().zip(expected).map(|(x, y)| if x.is_nan() { f32::INFINITY } else { (x - y).abs() });
    let difference = f64::from(differ.fold(0.0, f32::max)) / f64::from(largest);
    println!("{what}: the largest difference is {difference:.1e} of the largest number, {largest:.3}");
    assert!(difference <= allowed, "{what}: differs by {difference:e}, {allowed:e} is allowed");
}

/// The logits of a model are those of the reference implementation, read at once, word by word, and in two pieces.
pub(crate) fn assert_reads_as_expected(what: &str, model: &impl Reads, folder: &Path) {
    let (_, logits) = expected(folder, "logits");
    let mut tensors = Tensors::open(folder.join("expected.safetensors")).unwrap();
    tensors.name_axes("ids", seq).unwrap();
    let words: Tensor<R![seq], Index<vocab>> = tensors.get("ids").unwrap();
    let n = words.size(seq);

    let (whole, _) = model.extend(&words, &model.start()).unwrap();
    assert_agreement(&format!("{what}, whole"), &whole.to_vec((seq, vocab)).unwrap(), &logits, ALLOWED);

    let (mut context, mut one_by_one) = (model.start(), Vec::new());
    for word in words.to_vec(seq).unwrap() {
        let (next, longer) = model.next(&[word], &context).unwrap();
        one_by_one.extend(next.to_vec(vocab).unwrap());
        context = longer;
    }
    assert_eq!(context.words(), n);
    assert_agreement(&format!("{what}, word by word"), &one_by_one, &logits, ALLOWED);

    let (first, context) = model.extend(&words.slice(seq, ..n / 3), &model.start()).unwrap();
    let (rest, _) = model.extend(&words.slice(seq, n / 3..), &context).unwrap();
    let pieces = first.concat(seq, &rest).to_vec((seq, vocab)).unwrap();
    assert_agreement(&format!("{what}, in two pieces"), &pieces, &logits, ALLOWED);
}

/// Texts read side by side, in two goes, give what each gives alone.
pub(crate) fn assert_texts_are_alone(model: &impl Reads, texts: &[Vec<usize>], more: &[Vec<usize>]) {
    let (first, contexts) = model.extend_texts(texts, &model.start_texts(texts.len())).unwrap();
    let (second, _) = model.extend_texts(more, &contexts).unwrap();
    for (b, (words, rest)) in texts.iter().zip(more).enumerate() {
        let (alone, context) = model.features(words, &model.start()).unwrap();
        let (then, _) = model.features(rest, &context).unwrap();
        for (together, alone, n) in [(&first, alone, words.len()), (&second, then, rest.len())] {
            let together = together.at(transformer::axes::batch, b).slice(seq, ..n).to_vec((seq, vocab)).unwrap();
            let alone = model.logits(&alone).to_vec((seq_, vocab)).unwrap();
            assert_agreement("side by side", &together, &alone, ALLOWED);
        }
    }
}

/// What a model makes of each word, read with the words before it alone, is what it makes of it in the whole text.
pub(crate) fn assert_later_words_change_nothing(model: &impl Reads, words: &[usize]) {
    let numbers = |words: &[usize]| {
        let (x, _) = model.features(words, &model.start()).unwrap();
        x.to_vec((seq_, chans)).unwrap()
    };
    let whole = numbers(words);
    for end in 1..words.len() {
        let begun = numbers(&words[..end]);
        assert_agreement(&format!("the first {end} words"), &begun, &whole[..begun.len()], ALLOWED);
    }
}

/// Under a mask that hides nothing, another last word changes what a model makes of the first one; under its own it does not.
pub(crate) fn assert_mask_is_needed(model: &impl Reads, words: &[usize]) {
    let n = words.len();
    let first = |last: usize, hides: bool| {
        let words: Vec<usize> = words[..n - 1].iter().copied().chain([last]).collect();
        let ids = Tensor::indices_from_vec(seq_.of(n), vocab, words).unwrap();
        let at = Tensor::indices_from_vec(seq_.of(n), places, (0..n).collect()).unwrap();
        let (keys, queries) = (Tensor::<_, f32>::zeros(seq.of(n)), Tensor::zeros(seq_.of(n)));
        let mask = if hides { ContextMask(&keys, &queries) } else { OpenMask(&keys, &queries) };
        let (x, _) = model.read(&ids, &at, &mask, &model.start().layers);
        x.at(seq_, 0).to_vec(chans).unwrap()
    };
    assert_eq!(first(0, true), first(words[n - 1], true), "the mask hides the last word from the first");
    assert_ne!(first(0, false), first(words[n - 1], false), "without it the last word is seen");
}

/// A copy of a checkpoint, deleted with this value.
pub(crate) struct Copy(pub(crate) PathBuf);

impl Copy {
    pub(crate) fn of(name: &str) -> Copy {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("named-tensor-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for file in fs::read_dir(golden(name)).unwrap().flatten() {
            fs::copy(file.path(), folder.join(file.file_name())).unwrap();
        }
        Copy(folder)
    }

    /// Changes the bytes of a file.
    pub(crate) fn change(&self, file: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let path = self.0.join(file);
        let mut bytes = fs::read(&path).unwrap();
        change(&mut bytes);
        fs::write(path, bytes).unwrap();
    }

    /// Replaces text in a file by as many bytes.
    pub(crate) fn replace(&self, file: &str, from: &str, to: &str) {
        assert!(file.ends_with(".json") || from.len() == to.len(), "the header keeps its size");
        self.change(file, |bytes| {
            let place =
                bytes.windows(from.len()).position(|window| window == from.as_bytes()).expect("the text is there");
            bytes.splice(place..place + from.len(), to.bytes());
        });
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
