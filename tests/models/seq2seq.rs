//! Recurrent cells, and translation by networks that align: rows 3.1 to 3.3, 3.5 and 3.6.
//!
//! Not here: scores by themselves (`alignment`), the drawing of pictures (`picture`).

use named_tensor::prelude::*;
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::differences::{assert_gradients, with_numbers};
use named_tensor_tests::reference::Grid;
use named_tensor_tests::reference::recurrent::{self as plain, Translator};
use named_tensor_tests::strategies::{cases, tensor};
use proptest::prelude::*;
use transformer::axes::{batch, chans, hidden, seq, seq_, state, state_, vocab};
use transformer::models::seq2seq::corpus::{Corpus, STOP};
use transformer::models::seq2seq::{Seq2Seq, alignment, logits, loss, translate};
use transformer::optimizer::{Adam, clipped};
use transformer::picture::heat_map;
use transformer::recurrent::{Cell, Elman, GRU, states};

/// A tensor as a grid, its axes in the order written.
macro_rules! grid {
    ($tensor:expr, ($($axis:ident),+)) => {
        Grid::new(&[$($tensor.size($axis)),+], $tensor.to_vec(($($axis),+)).expect("numbers"))
    };
}

/// A cell of the crate as plain matrix code, so that each can be a translator's.
trait Both: Cell<f64> {
    type Plain: plain::Cell;

    fn drawn(seed: u64, c: usize, s: usize) -> Self;
    fn plain(&self) -> Self::Plain;
}

impl Both for Elman<f64> {
    type Plain = plain::Elman;

    fn drawn(seed: u64, c: usize, s: usize) -> Self {
        let sizes = (chans.of(c), state.of(s), state_.of(s));
        with_numbers(Elman::init(&mut seeded(0), sizes).expect("parameters").cast(), seed)
    }

    fn plain(&self) -> plain::Elman {
        plain::Elman {
            w: grid!(self.W, (chans, state_)),
            u: grid!(self.U, (state, state_)),
            b: grid!(self.b, (state_)),
        }
    }
}

impl Both for GRU<f64> {
    type Plain = plain::Gru;

    fn drawn(seed: u64, c: usize, s: usize) -> Self {
        let sizes = (chans.of(c), state.of(s), state_.of(s));
        with_numbers(GRU::init(&mut seeded(0), sizes).expect("parameters").cast(), seed)
    }

    fn plain(&self) -> plain::Gru {
        plain::Gru {
            w: [&self.W_r, &self.W_z, &self.W_n].map(|w| grid!(w, (chans, state_))),
            u: [&self.U_r, &self.U_z, &self.U_n].map(|u| grid!(u, (state, state_))),
            b: [&self.b_r, &self.b_z, &self.b_n].map(|b| grid!(b, (state_))),
            c: grid!(self.c_n, (state_)),
        }
    }
}

/// A model with cells `C` for 5 words, and numbers that are no initial values.
fn model<C: Both + Parameters<f64, Of<f32> = D>, D: Parameters<f32, Of<f64> = C>>(seed: u64) -> Seq2Seq<C, f64> {
    with_numbers(Seq2Seq::<D>::drawn(0, 5, 3, 4).expect("parameters").cast::<f64>(), seed)
}

fn translator<C: Both>(model: &Seq2Seq<C, f64>) -> Translator<C::Plain> {
    use transformer::axes::{key, query, val};
    let (a, said) = (&model.alignment.a, &model.said);
    Translator {
        words: [grid!(model.reads.E, (vocab, chans)), grid!(model.hears.E, (vocab, chans))],
        cells: [model.encoder.plain(), model.decoder.plain()],
        score: [grid!(a.W_Q, (query, hidden)), grid!(a.W_K, (key, hidden))],
        inside: [grid!(a.b, (hidden)), grid!(a.v, (hidden))],
        heard: grid!(model.heard.W, (val, chans)),
        said: [grid!(said.W_Y, (chans, vocab)), grid!(said.W_S, (state, vocab)), grid!(said.W_C, (val, vocab))],
        bias: grid!(said.b, (vocab)),
    }
}

fn words(ids: &[usize]) -> Tensor<R![seq, vocab], f64> {
    Tensor::indices_from_vec(seq.of(ids.len()), vocab, ids.to_vec()).expect("ids").one_hot(vocab.of(5))
}

fn answers(ids: &[usize]) -> Tensor<R![seq_, vocab], f64> {
    words(ids).rename(seq, seq_)
}

fn forcing(forced: &[bool]) -> Tensor<R![seq_], f64> {
    let numbers = forced.iter().map(|&forced| if forced { 1.0 } else { 0.0 }).collect();
    Tensor::from_vec(seq_.of(forced.len()), numbers).expect("numbers")
}

/// A step multiplies errors by its weights, below 1 each, of which a few stand beside each other; so many are run.
fn run_bound(steps: usize) -> Bound {
    Bound::absolute(1e-13 * 4_f64.powi(steps as i32))
}

fn a_run_is_the_plain_one<C: Both + Parameters<f64, Of<f32> = D>, D: Parameters<f32, Of<f64> = C>>(
    seed: u64,
    read: &[usize],
    said: &[(usize, bool)],
) {
    let model = model::<C, D>(seed);
    let (ids, forced): (Vec<usize>, Vec<bool>) = said.iter().copied().unzip();
    let told: Vec<Option<usize>> = said.iter().map(|&(id, forced)| forced.then_some(id)).collect();
    let (expected_z, expected_α) = translator(&model).run(read, &told);
    let (x, y, f) = (words(read), answers(&ids), forcing(&forced));
    let bound = run_bound(read.len() + said.len());
    assert_close(&logits(&model, &x, &y, &f).to_vec((seq_, vocab)).unwrap(), &expected_z, bound);
    let α = alignment(&model, &x, &y, &f);
    assert_close(&α.to_vec((seq_, seq)).unwrap(), &expected_α, bound);
    let ones = Grid::from_fn(&[said.len()], |_| 1.0);
    assert_close(&α.sum(seq).to_vec(seq_).unwrap(), &ones, Bound::roundings(2 * read.len(), 1.0, f64::EPSILON));
}

fn the_states_are_plain<C: Both>(seed: u64, x: &Grid) {
    let cell = C::drawn(seed, x.sizes[1], 3);
    let expected = plain::states(&cell.plain(), x);
    let found = states(&cell, &tensor!(f64, x, (seq, chans)));
    assert_close(&found.to_vec((seq, state)).unwrap(), &expected, run_bound(x.sizes[0]));
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn s3_1_the_states_along_a_text_are_those_of_the_plain_cells(n in 1_usize..7, c in 1_usize..4, seed: u64) {
        let x = crate::Numbers(seed).grid(&[n, c]);
        the_states_are_plain::<Elman<f64>>(seed, &x);
        the_states_are_plain::<GRU<f64>>(seed, &x);
    }

    #[test]
    fn s3_1_s3_2_s3_3_s3_5_the_decoder_aligns_and_speaks_as_the_plain_loop_forced_or_not(
        read in prop::collection::vec(0_usize..5, 1..5), said in prop::collection::vec((0_usize..5, any::<bool>()), 1..5), seed: u64,
    ) {
        a_run_is_the_plain_one::<GRU<f64>, GRU>(seed, &read, &said);
        a_run_is_the_plain_one::<Elman<f64>, Elman>(seed, &read, &said);
    }
}

#[test]
fn s3_1_the_cells_have_the_gradients_of_differences_along_a_text() {
    let x = tensor!(f64, &crate::Numbers(2).grid(&[2, 3, 2]), (batch, seq, chans));
    assert_gradients(&Elman::drawn(1, 2, 3), |cell| states(cell, &x).sin().sum((batch, seq, state)));
    assert_gradients(&GRU::drawn(1, 2, 3), |cell| states(cell, &x).sin().sum((batch, seq, state)));
}

#[test]
fn s3_5_translation_has_the_gradients_of_differences_forced_or_not() {
    let (x, y) = (words(&[1, 4, 2]), answers(&[3, 1, 0]));
    for forced in [[true; 3], [false, true, false]] {
        let f = forcing(&forced);
        assert_gradients(&model::<GRU<f64>, GRU>(7), |model| logits(model, &x, &y, &f).sin().sum((seq_, vocab)));
    }
}

#[test]
fn s3_3_a_word_is_aligned_from_the_state_before_it() {
    // The second word is heard when the state of the third is made, from which the fourth is aligned: the current state,
    // which would be another reading of the source, would align the third with it already.
    let model = model::<GRU<f64>, GRU>(3);
    let aligned = |ids: &[usize]| alignment(&model, &words(&[1, 2, 3]), &answers(ids), &forcing(&[true; 4]));
    let [one, other] = [aligned(&[1, 2, 3, 0]), aligned(&[1, 4, 3, 0])].map(|α| grid!(α, (seq_, seq)).values);
    assert_eq!(one[..9], other[..9], "the first three words");
    assert_ne!(one[9..], other[9..], "the fourth");
}

#[test]
fn s3_5_words_of_ones_own_when_forced_change_nothing() {
    let model = model::<GRU<f64>, GRU>(11);
    let x = words(&[4, 0, 2]);
    let free = logits(&model, &x, &answers(&[0; 5]), &forcing(&[false; 5]));
    let own = free.argmax(vocab);
    let forced = logits(&model, &x, &own, &forcing(&[true; 5]));
    assert_eq!(grid!(free, (seq_, vocab)), grid!(forced, (seq_, vocab)));
    let other = logits(&model, &x, &answers(&[0; 5]), &forcing(&[true; 5]));
    assert_ne!(grid!(free, (seq_, vocab)), grid!(other, (seq_, vocab)), "a free run is not a forced one");
}

#[test]
fn s3_5_a_batch_of_sentences_is_each_sentence_by_itself() {
    let model = model::<GRU<f64>, GRU>(5);
    let both: Tensor<R![batch, seq, vocab], f64> =
        Tensor::indices((batch, seq), vocab, [[1, 2, 3], [4, 0, 1]]).one_hot(vocab.of(5));
    let (y, f) = (answers(&[2, 2, 1, 0]), forcing(&[true, false, false, true]));
    let together: Tensor<R![batch, seq_, vocab], f64> = logits(&model, &both, &y, &f);
    for (place, ids) in [[1, 2, 3], [4, 0, 1]].iter().enumerate() {
        let alone = grid!(logits(&model, &words(ids), &y, &f), (seq_, vocab));
        assert_close(&together.at(batch, place).to_vec((seq_, vocab)).unwrap(), &alone, run_bound(7));
    }
}

#[test]
fn a_translator_comes_back_from_a_file_under_the_names_of_its_parts() {
    let model: Seq2Seq<GRU> = Seq2Seq::drawn(4, 7, 3, 5).unwrap();
    let names: Vec<String> = model.parameters().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), 2 + 2 * 10 + 4 + 1 + 4);
    for name in ["reads.E", "encoder.W_r", "hears.E", "alignment.a.v", "heard.W", "decoder.c_n", "said.b"] {
        assert!(names.iter().any(|other| other == name), "`{name}` is not in {names:?}");
    }
    let path = std::env::temp_dir().join(format!("named-tensor-translator-{}.safetensors", std::process::id()));
    model.save(&path).unwrap();
    let mut other: Seq2Seq<GRU> = Seq2Seq::drawn(5, 7, 3, 5).unwrap();
    other.load(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let numbers = |model: &Seq2Seq<GRU>| {
        let mut all = Vec::new();
        model.each(|parameter| all.extend(parameter.to_vec().unwrap()));
        all
    };
    assert_eq!(numbers(&other), numbers(&model));
}

#[test]
fn the_corpus_has_sentences_whose_words_change_places_and_holds_a_fifth_of_them_out() {
    let corpus = Corpus::french_to_english().unwrap();
    assert_eq!((corpus.training.len(), corpus.held_out.len(), corpus.words[STOP].as_str()), (160, 40, "</s>"));
    assert!(corpus.held_out.iter().all(|pair| !corpus.training.contains(pair)), "no sentence is on both sides");
    let known =
        |pairs: &[(Vec<usize>, Vec<usize>)]| pairs.iter().flat_map(|(x, y)| [x.clone(), y.clone()].concat()).max();
    assert!(known(&corpus.held_out) < Some(corpus.words.len()));
    assert!(corpus.training.iter().all(|(_, y)| y.last() == Some(&STOP)));
    assert!(corpus.training.iter().any(|(x, y)| x.len() + 1 < y.len()), "lengths change");

    let batches = corpus.batches(&corpus.training).unwrap();
    assert_eq!(batches.iter().map(|one| one.x.size(batch)).sum::<usize>(), 160);
    assert!(
        batches.iter().all(|one| one.x.size(batch) == one.y.size(batch) && one.x.size(vocab) == corpus.words.len())
    );
    let (x, y) = &corpus.training[0];
    assert_eq!(corpus.ids(&corpus.sentence(x)).unwrap(), *x);
    assert_eq!([corpus.ids(&corpus.sentence(y)).unwrap(), vec![STOP]].concat(), *y);
}

#[test]
fn a_corpus_that_is_none_and_a_word_that_is_unknown_are_told() {
    let told = |text: &str| Corpus::read(text).unwrap_err().to_string();
    assert!(
        told("a\tb\nno tab here\n")
            .contains("line 2 of a corpus is not two sentences with a tab between: `no tab here`")
    );
    assert!(told("a\t \n").contains("line 1"), "an empty sentence");
    let corpus = Corpus::read("un deux\tone two\n").unwrap();
    assert!(corpus.ids("un trois").unwrap_err().to_string().contains("the corpus does not have the word `trois`"));
    assert_eq!(corpus.ids("  ").unwrap_err().kind(), ErrorKind::Empty);
    assert_eq!(corpus.batches(&[(vec![], vec![STOP])]).unwrap_err().kind(), ErrorKind::Empty);
    let model: Seq2Seq<Elman> = Seq2Seq::drawn(0, corpus.words.len(), 2, 2).unwrap();
    assert!(translate(&model, &corpus, "trois", 3).is_err());
    assert!(translate(&model, &corpus, "un", 0).unwrap().words.is_empty());
    // A model for other words than the corpus has.
    let other: Seq2Seq<Elman> = Seq2Seq::drawn(0, corpus.words.len() + 1, 2, 2).unwrap();
    assert_eq!(translate(&other, &corpus, "un", 3).unwrap_err().kind(), ErrorKind::SizeClash);
}

#[test]
fn s3_6_a_trained_model_translates_and_its_alignment_has_a_picture() {
    let corpus = Corpus::french_to_english().unwrap();
    let mut model: Seq2Seq<GRU> = Seq2Seq::drawn(0, corpus.words.len(), 32, 48).unwrap();
    let (mut optimizer, mut step) = (Adam::new(&model), 0);
    for _ in 0..14 {
        for one in corpus.batches(&corpus.training).unwrap() {
            step += 1;
            let (_, gradient) = value_and_grad(&loss(&model, &one, 0.9, step), &model).unwrap();
            model = optimizer.step(&model, &clipped(&gradient, 1.0), 0.01).unwrap();
        }
    }
    let right = corpus.held_out.iter().filter(|(x, y)| {
        translate(&model, &corpus, &corpus.sentence(x), 12).unwrap().words.join(" ") == corpus.sentence(y)
    });
    let right = right.count();
    assert!(right >= 30, "{right} of 40 sentences that it has not seen");

    let found = translate(&model, &corpus, "la grande souris noire ne dort pas", 12).unwrap();
    let [rows, columns] =
        [&found.words, &found.sentence].map(|words| words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((found.alignment.len(), found.alignment[0].len()), (rows.len(), 7));
    assert!(found.alignment.iter().all(|row| (row.iter().sum::<f32>() - 1.0).abs() < 1e-5));
    let picture = heat_map("Alignment", &rows, &columns, &found.alignment);
    for word in rows.iter().chain(&columns) {
        assert!(picture.contains(&format!(">{word}</text>")), "{word}");
    }
}
