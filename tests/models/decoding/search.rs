//! Beam search against greedy decoding, and against all continuations there are.

use named_tensor::prelude::*;
use named_tensor_tests::strategies::cases;
use proptest::prelude::*;
use transformer::generate::Limits;
use transformer::generate::beam::{Beam, Hypothesis, search};
use transformer::generate::sample::Sampling;
use transformer::generate::stream::words;

use super::model::Model;
use super::table::{Table, any};

/// All continuations up to a length, by plain code, the best first.
fn all(
    logits: &impl Fn(&[usize]) -> Vec<f32>,
    prompt: &[usize],
    longest: usize,
    end: usize,
    penalty: f64,
) -> Vec<Hypothesis> {
    let (mut open, mut done) = (vec![(vec![], 0.0)], vec![]);
    for length in 1..=longest {
        let mut next = vec![];
        for (words, sum) in open {
            let numbers: Vec<f64> = logits(&[prompt, &words].concat()).into_iter().map(f64::from).collect();
            let norm = numbers.iter().map(|z| z.exp()).sum::<f64>().ln();
            for (word, z) in numbers.into_iter().enumerate() {
                let log_probability = sum + z - norm;
                let score = log_probability / (length as f64).powf(penalty);
                let longer = [&words[..], &[word]].concat();
                if word == end {
                    done.push(Hypothesis { words: words.clone(), log_probability, score, ended: true });
                } else if length == longest {
                    done.push(Hypothesis { words: longer, log_probability, score, ended: false });
                } else {
                    next.push((longer, log_probability));
                }
            }
        }
        open = next;
    }
    done.sort_by(|a, b| b.score.total_cmp(&a.score));
    done
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn s4_18_a_beam_of_one_is_greedy(seed: u64, prompt in prop::collection::vec(0_usize..7, 1..4), end in 0_usize..7) {
        let model = Model::drawn(seed, 7, 12, [1, 2, 2]);
        let limits = Limits { longest: 6, ends: vec![end], slide: None };
        let found = search(&model, &prompt, Beam { width: 1, penalty: 0.6 }, &limits).unwrap();
        let greedy = words(&model, &prompt, Sampling::GREEDY, limits, seeded(0)).unwrap();
        prop_assert_eq!(found.len(), 1);
        prop_assert_eq!(&found[0].words, &greedy.map(Result::unwrap).collect::<Vec<_>>());
        prop_assert_eq!(found[0].ended, found[0].words.len() < 6);
    }

    #[test]
    fn n16_a_beam_as_wide_as_there_are_continuations_finds_the_best_ones(seed: u64, penalty in 0.0_f64..1.5, end in 0_usize..3) {
        let logits = any(seed, 3);
        let expected = all(&logits, &[1, 0], 4, end, penalty);
        let limits = Limits { longest: 4, ends: vec![end], slide: None };
        let found = search(&Table::new(&logits), &[1, 0], Beam { width: 81, penalty }, &limits).unwrap();
        prop_assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            prop_assert!((found.score - expected.score).abs() < 1e-9, "{:?}, not {:?}", found, expected);
            prop_assert!((found.log_probability - expected.log_probability).abs() < 1e-9);
        }
        prop_assert_eq!(&found[0].words, &expected[0].words);
        prop_assert_eq!(found[0].ended, expected[0].ended);
    }

    #[test]
    fn n16_every_beam_gives_as_many_continuations_as_it_is_wide_in_the_order_of_their_scores(
        seed: u64, width in 1_usize..6, penalty in 0.0_f64..1.5,
    ) {
        let limits = Limits { longest: 5, ends: vec![0], slide: None };
        let logits = any(seed, 4);
        let found = search(&Table::new(&logits), &[2], Beam { width, penalty }, &limits).unwrap();
        prop_assert_eq!(found.len(), width);
        prop_assert!(found.windows(2).all(|pair| pair[0].score >= pair[1].score));
        let exact = all(&logits, &[2], 5, 0, penalty);
        for one in &found {
            // Each is a continuation that exists, with its own probability.
            let same = exact.iter().find(|other| (&other.words, other.ended) == (&one.words, one.ended)).unwrap();
            prop_assert!((same.score - one.score).abs() < 1e-9);
        }
    }
}

#[test]
fn n16_a_wider_beam_finds_what_greedy_decoding_misses() {
    // The first word 1 is the more probable one; but after 2 the rest is certain.
    let logits = |text: &[usize]| match text {
        [0] => vec![f32::NEG_INFINITY, 0.55_f32.ln(), 0.45_f32.ln(), f32::NEG_INFINITY],
        [0, 1] => vec![f32::NEG_INFINITY, 0.5_f32.ln(), 0.5_f32.ln(), f32::NEG_INFINITY],
        _ => vec![f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY, 0.0],
    };
    let limits = Limits { longest: 4, ends: vec![3], slide: None };
    let of = |width| search(&Table::new(logits), &[0], Beam { width, penalty: 0.0 }, &limits).unwrap();
    assert_eq!(of(1)[0].words, [1, 1]);
    let best = &of(2)[0];
    assert_eq!((&best.words[..], best.ended), (&[2][..], true));
    assert!((best.log_probability - 0.45_f64.ln()).abs() < 1e-6);
    // Fewer continuations than the beam is wide: those that there are.
    assert_eq!(of(9).len(), 3);
}

#[test]
fn n16_a_penalty_on_short_texts_prefers_longer_ones() {
    // To end at once has probability 0.4; two words and the end have 0.6³.
    let logits = |_: &[usize]| vec![0.4_f32.ln(), 0.6_f32.ln()];
    let limits = Limits { longest: 3, ends: vec![0], slide: None };
    let best = |penalty| search(&Table::new(logits), &[1], Beam { width: 8, penalty }, &limits).unwrap().remove(0);
    assert!(best(0.0).words.is_empty());
    assert_eq!(best(1.0).words, [1, 1, 1]);
}

#[test]
fn searches_without_a_meaning_are_refused() {
    let limits = Limits { longest: 3, ends: vec![], slide: None };
    let sliding = Limits { slide: Some(2), ..limits.clone() };
    let of = |width, penalty, limits: &Limits, prompt: &[usize], logit: f32| {
        let model = Table { logits: move |_: &[usize]| vec![logit, 0.0], positions: Some(4) };
        search(&model, prompt, Beam { width, penalty }, limits).unwrap_err().to_string()
    };
    let wrong = [
        (of(0, 0.0, &limits, &[1], 0.0), "a beam of width 0"),
        (of(2, f64::NAN, &limits, &[1], 0.0), "a length penalty of NaN"),
        (of(2, -0.5, &limits, &[1], 0.0), "a length penalty of -0.5"),
        (of(2, 0.0, &sliding, &[1], 0.0), "cannot slide"),
        (of(2, 0.0, &limits, &[], 0.0), "an empty prompt"),
        (of(2, 0.0, &limits, &[1], f32::NAN), "the logit of word 0 after 1 words is NaN"),
        (of(2, 0.0, &limits, &[1; 5], 0.0), "a text of 5 words, where the model has 4 positions"),
        (of(2, 0.0, &limits, &[1; 3], 0.0), "a text of 5 words, where the model has 4 positions"),
    ];
    for (error, words) in wrong {
        assert!(error.contains(words), "{error}");
    }
}
