//! Decoding by the models of the crate: GPT-2 with kept keys and values, translation by reading anew.

use named_tensor::prelude::*;
use named_tensor_tests::strategies::cases;
use proptest::prelude::*;
use transformer::axes::{chans, heads, hidden, key, places, seq, seq_, val, vocab};
use transformer::generate::beam::{Beam, search};
use transformer::generate::sample::Sampling;
use transformer::generate::stream::words;
use transformer::generate::{Limits, Whole};
use transformer::models::context::Reads;
use transformer::models::gpt2::Gpt2;

const WORDS: usize = 9;

fn model(seed: u64) -> Gpt2 {
    let sizes = (vocab.of(WORDS), places.of(16), chans.of(8), heads.of(2), key.of(4), val.of(4), hidden.of(16));
    let model = Gpt2::init(&mut seeded(seed), 2, sizes).unwrap();
    // The table of words is drawn small, as training wants it; larger, so that words differ in how probable they are.
    let words = transformer::models::gpt2::Embedded { E: &model.words.E * 40.0, P: &model.words.P * 40.0 };
    Gpt2 { words: words.eval().unwrap(), ..model }
}

/// The logits of the next word by reading the whole text at once.
fn whole(model: &Gpt2, text: &[usize]) -> Result<Tensor<R![vocab]>, Error> {
    let text = Tensor::indices_from_vec(seq.of(text.len()), vocab, text.to_vec())?;
    let (logits, context) = model.extend(&text, &Reads::start(model))?;
    logits.at(seq, context.words() - 1).eval()
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn s4_18_s4_21_gpt2_writes_with_kept_keys_what_it_writes_by_reading_all_anew(
        seed in 0_u64..50, prompt in prop::collection::vec(0..WORDS, 1..5),
    ) {
        let model = model(seed);
        let anew = Whole(|text: &[usize]| whole(&model, text));
        let limits = Limits { longest: 8, ..Limits::default() };
        let of = |how| -> [Vec<usize>; 2] {
            let kept = words(&model, &prompt, how, limits.clone(), seeded(seed)).unwrap();
            let anew = words(&anew, &prompt, how, limits.clone(), seeded(seed)).unwrap();
            [kept.map(Result::unwrap).collect(), anew.map(Result::unwrap).collect()]
        };
        for how in [Sampling::GREEDY, Sampling { top_k: Some(5), top_p: Some(0.9), ..Sampling::default() }] {
            let [kept, anew] = of(how);
            prop_assert_eq!(kept, anew);
        }
        let beam = Beam { width: 3, penalty: 1.0 };
        let [kept, anew] = [search(&model, &prompt, beam, &limits), search(&anew, &prompt, beam, &limits)];
        let [kept, anew] = [kept, anew].map(|found| found.unwrap().into_iter().map(|one| one.words).collect::<Vec<_>>());
        prop_assert_eq!(kept, anew);
    }
}

#[test]
fn s2_18_the_keys_of_a_new_word_are_appended_and_nothing_is_copied() {
    let model = model(1);
    let (_, context) = Reads::features(&model, &[1, 2, 3], &Reads::start(&model)).unwrap();
    let (_, context) = Reads::features(&model, &[4], &context).unwrap();
    let x: Tensor<R![seq_, chans]> = Tensor::normal(&mut seeded(2), (seq_.of(1), chans.of(8)), 0.0, 1.0);
    let kept = &context.layers[0];
    let (_, k, v) = model.layers[0].extend(&x, &Tensor::zeros((seq.of(5), seq_.of(1))), &kept.K, &kept.V);
    for plan in [k.plan().unwrap(), v.plan().unwrap()] {
        assert!(plan.contains("= append(") && !plan.contains("concat") && !plan.contains("copy"), "{plan}");
    }
}

#[test]
fn s4_18_a_model_that_speaks_first_needs_no_prompt() {
    let counting = Whole(|text: &[usize]| Ok(Tensor::positions(vocab.of(6)).eq(text.len()).real()));
    let limits = Limits { longest: 9, ends: vec![4], slide: None };
    let text = words(&counting, &[], Sampling::GREEDY, limits.clone(), seeded(0)).unwrap();
    assert_eq!(text.map(Result::unwrap).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(search(&counting, &[], Beam { width: 2, penalty: 0.0 }, &limits).unwrap()[0].words, [0, 1, 2, 3]);
}

#[test]
fn gpt2_refuses_words_it_does_not_know_and_more_than_it_has_positions_for() {
    let model = model(0);
    let of = |prompt: &[usize], longest| -> Result<Vec<usize>, Error> {
        words(&model, prompt, Sampling::GREEDY, Limits { longest, ..Limits::default() }, seeded(0))?.collect()
    };
    let error = of(&[1, 9], 1).unwrap_err();
    assert!(error.to_string().contains("word 9 at position 1 is outside of the vocabulary of 9 words"), "{error}");
    assert_eq!(of(&[1; 14], 3).unwrap().len(), 3);
    let error = of(&[1; 14], 4).unwrap_err();
    assert!(error.to_string().contains("a text of 17 words, where the model has 16 positions"), "{error}");
}
