//! Which word is taken: temperature, the k most probable words, the smallest set of a given probability.

use named_tensor::prelude::*;
use named_tensor_tests::strategies::cases;
use proptest::prelude::*;
use transformer::axes::{batch, vocab};
use transformer::generate::Logits;
use transformer::generate::sample::{Sampling, TopP};

fn logits(numbers: &[f32]) -> Logits {
    Tensor::from_slice(vocab.of(numbers.len()), numbers).unwrap()
}

/// The probability of each word, by plain code, when only these words may be taken.
fn plainly(numbers: &[f32], temperature: f64, words: &[usize]) -> Vec<f64> {
    let weight = |word: usize| (f64::from(numbers[word]) / temperature).exp();
    let sum: f64 = words.iter().map(|&word| weight(word)).sum();
    (0..numbers.len()).map(|word| if words.contains(&word) { weight(word) / sum } else { 0.0 }).collect()
}

/// The probability of each word as it is sampled.
fn sampled(how: Sampling, numbers: &[f32]) -> Vec<f64> {
    let (p, ranked) = how.probabilities(&logits(numbers).cast());
    let p = p.to_vec(vocab).unwrap();
    let words = ranked.map_or_else(|| (0..p.len()).collect(), |ranked| ranked.to_vec(vocab).unwrap());
    let mut of = vec![0.0; p.len()];
    words.into_iter().zip(p).for_each(|(word, p)| of[word] = p);
    of
}

/// Words from the most probable one on.
fn falling(numbers: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&a, &b| numbers[b].total_cmp(&numbers[a]));
    order
}

fn close(x: &[f64], y: &[f64]) -> bool {
    x.len() == y.len() && x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-12)
}

fn some() -> impl Strategy<Value = Vec<f32>> {
    prop::collection::vec(-3.0_f32..3.0, 1..12)
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn a_temperature_divides_the_logits(numbers in some(), temperature in 0.1_f64..4.0) {
        let all: Vec<usize> = (0..numbers.len()).collect();
        let how = Sampling { temperature, ..Sampling::default() };
        prop_assert!(close(&sampled(how, &numbers), &plainly(&numbers, temperature, &all)));
    }

    #[test]
    fn top_k_keeps_the_k_most_probable_words_or_all_if_there_are_fewer(numbers in some(), k in 1_usize..16) {
        let words = falling(&numbers);
        let how = Sampling { top_k: Some(k), ..Sampling::default() };
        let expected = plainly(&numbers, 1.0, &words[..k.min(words.len())]);
        prop_assert!(close(&sampled(how, &numbers), &expected));
    }

    #[test]
    fn top_p_keeps_the_fewest_words_that_have_this_part(numbers in some(), p in 0.01_f64..1.0, k in 1_usize..16) {
        let words = falling(&numbers);
        let words = &words[..k.min(words.len())];
        let all = plainly(&numbers, 1.0, words);
        let mass = |count: usize| words[..count].iter().map(|&word| all[word]).sum::<f64>();
        let count = (1..=words.len()).find(|&count| mass(count) >= p - 1e-12).unwrap_or(words.len());
        // Where a sum is the part itself up to its rounding, one word more or less is right.
        prop_assume!((1..=words.len()).all(|count| (mass(count) - p).abs() > 1e-9));
        let how = Sampling { top_k: Some(k), top_p: Some(p), ..Sampling::default() };
        prop_assert!(close(&sampled(how, &numbers), &plainly(&numbers, 1.0, &words[..count])));
    }

    #[test]
    fn a_part_of_one_is_all_words_and_one_word_is_the_most_probable(numbers in some(), seed: u64) {
        let all: Vec<usize> = (0..numbers.len()).collect();
        let whole = Sampling { top_p: Some(1.0), ..Sampling::default() };
        prop_assert!(close(&sampled(whole, &numbers), &plainly(&numbers, 1.0, &all)));
        let first = falling(&numbers)[0];
        let tiny = Sampling { top_p: Some(1e-9), ..Sampling::default() };
        let one = Sampling { top_k: Some(1), ..Sampling::default() };
        for how in [Sampling::GREEDY, one, tiny] {
            prop_assert_eq!(how.choose(&logits(&numbers), 1, &mut seeded(seed)).unwrap(), first, "{:?}", how);
        }
    }

    #[test]
    fn s4_18_a_temperature_near_zero_is_greedy(numbers in some(), seed: u64) {
        let words = falling(&numbers);
        prop_assume!(words.len() == 1 || numbers[words[0]] - numbers[words[1]] > 0.01);
        for temperature in [1e-4, 1e-308, 5e-324, 0.0] {
            let how = Sampling { temperature, ..Sampling::GREEDY };
            let chosen = how.choose(&logits(&numbers), 1, &mut seeded(seed)).unwrap();
            prop_assert_eq!(chosen, words[0], "at {}", temperature);
        }
    }
}

#[test]
fn words_are_taken_as_often_as_they_are_probable() {
    let numbers = [0.3_f32, -1.0, 2.0, 0.0, 1.5, f32::NEG_INFINITY, -0.5];
    let ways = [
        Sampling::default(),
        Sampling { temperature: 2.0, ..Sampling::default() },
        Sampling { top_k: Some(4), ..Sampling::default() },
        Sampling { temperature: 0.7, top_k: Some(5), top_p: Some(0.95) },
    ];
    for how in ways {
        let expected = sampled(how, &numbers);
        let mut rng = seeded(20);
        let mut counts = vec![0_u32; numbers.len()];
        let draws = 3000;
        for _ in 0..draws {
            counts[how.choose(&logits(&numbers), 1, &mut rng).unwrap()] += 1;
        }
        let mut square = 0.0;
        for (&count, p) in counts.iter().zip(&expected) {
            if *p == 0.0 {
                assert_eq!(count, 0, "a word of no probability was taken: {how:?}");
            } else {
                let mean = f64::from(draws) * p;
                square += (f64::from(count) - mean).powi(2) / mean;
            }
        }
        // With five degrees of freedom one seed in 500 is beyond this; a wrong distribution is far beyond.
        assert!(square < 18.9, "{how:?}: χ² = {square}, {counts:?}");
    }
}

#[test]
fn the_same_seed_takes_the_same_words() {
    let how = Sampling { temperature: 1.5, top_k: None, top_p: Some(0.9) };
    let drawn = |seed| -> Vec<usize> {
        let mut rng = seeded(seed);
        (0..40).map(|_| how.choose(&logits(&[0.0, 0.5, 1.0, 0.2, 0.1]), 1, &mut rng).unwrap()).collect()
    };
    assert_eq!(drawn(3), drawn(3));
    assert_ne!(drawn(3), drawn(4));
}

#[test]
fn of_equal_words_the_first_is_taken_and_the_set_is_no_larger_for_it() {
    let numbers = [1.0_f32; 5];
    assert_eq!(Sampling::GREEDY.choose(&logits(&numbers), 1, &mut seeded(0)).unwrap(), 0);
    let three = Sampling { top_k: Some(3), ..Sampling::default() };
    assert!(close(&sampled(three, &numbers), &[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0, 0.0]));
    let half = Sampling { top_p: Some(0.5), ..Sampling::default() };
    assert!(close(&sampled(half, &numbers), &[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0, 0.0]));
}

#[test]
fn the_smallest_set_is_found_for_each_text_of_a_batch() {
    let p = Tensor::from_array((batch, vocab), [[0.6, 0.3, 0.1], [0.4, 0.35, 0.25]]);
    let kept: Tensor<R![batch, vocab], f64> = TopP(&p, &Tensor::scalar(0.5));
    let kept = kept.to_vec((batch, vocab)).unwrap();
    assert!(close(&kept, &[1.0, 0.0, 0.0, 0.4 / 0.75, 0.35 / 0.75, 0.0]), "{kept:?}");
}

#[test]
fn logits_that_are_no_numbers_are_refused() {
    for (wrong, words) in [(f32::NAN, "word 2 after 7 words is NaN"), (f32::INFINITY, "word 2 after 7 words is inf")] {
        for how in [Sampling::GREEDY, Sampling::default()] {
            let error = how.choose(&logits(&[0.0, 1.0, wrong]), 7, &mut seeded(0)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Value);
            assert!(error.to_string().contains(words), "{error}");
        }
    }
    let error = Sampling::GREEDY.choose(&logits(&[f32::NEG_INFINITY; 3]), 7, &mut seeded(0)).unwrap_err();
    assert!(error.to_string().contains("no word may follow after 7 words"), "{error}");
}

#[test]
fn settings_without_a_meaning_are_refused() {
    let default = Sampling::default();
    let wrong = [
        (Sampling { temperature: -1.0, ..default }, "a temperature of -1"),
        (Sampling { temperature: f64::NAN, ..default }, "a temperature of NaN"),
        (Sampling { top_k: Some(0), ..default }, "top-k of 0"),
        (Sampling { top_p: Some(0.0), ..default }, "top-p of 0"),
        (Sampling { top_p: Some(1.1), ..default }, "top-p of 1.1"),
    ];
    for (how, words) in wrong {
        let error = how.choose(&logits(&[0.0, 1.0]), 1, &mut seeded(0)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Condition);
        assert!(error.to_string().contains(words), "{error}");
    }
}
