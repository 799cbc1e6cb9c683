//! Training as a whole: batches, steps, and runs that are stored and gone on with.
//!
//! A run that is interrupted anywhere must end with the bits of one that is not; what is not that run must be refused.
//! Not here: optimisers and schedules by themselves (`training`), the command line, which is tested as a process.

use std::fs;
use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::PathBuf;

use named_tensor::file::Tensors;
use named_tensor::prelude::*;
use named_tensor_tests::strategies::cases;
use proptest::prelude::*;
use transformer::axes::{batch, chans, heads, hidden, key, val};
use transformer::block::MultiHeadBlock;
use transformer::feed_forward::FFN;
use transformer::optimizer::{Adam, Optimizer, Sgd, is_weight};
use transformer::schedule::stairs;
use transformer::train::batches::Batches;
use transformer::train::log::{HEADER, Log, losses};
use transformer::train::{Course, Step, Training};

/// A file of its own for each test.
fn file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("named-tensor-{}-{name}", std::process::id()))
}

fn network(hidden_: usize) -> FFN {
    FFN::init(&mut seeded(2), (chans.of(3), hidden.of(hidden_))).unwrap()
}

/// The network is to say its input again, turned by one place.
fn loss(model: &FFN, step: u64) -> Tensor<R![]> {
    let x: Tensor<R![batch, chans]> = Tensor::normal(&mut seeded(step), (batch.of(8), chans.of(3)), 0.0, 1.0);
    let off = model.apply(&x) - x.slice(chans, 1..3).concat(chans, &x.slice(chans, 0..1));
    (&off * &off).mean((batch, chans))
}

fn course(last: u64) -> Course<'static> {
    Course { last, rate: &|step| stairs(step, &[(0.05, 4), (0.01, 100)]), longest: Some(0.5) }
}

fn numbers<P: Parameters<f32>>(of: &P) -> Vec<u32> {
    let mut all = Vec::new();
    of.each(|parameter| all.extend(parameter.to_vec().unwrap().into_iter().map(f32::to_bits)));
    all
}

/// Stops at each of `stops`, and goes on from a file each time; the numbers in the end.
fn interrupted<O: Optimizer<FFN>>(name: &str, optimizer: impl Fn(&FFN) -> O, stops: &[u64], last: u64) -> Vec<u32> {
    let path = file(name);
    let fresh = || Training::new(network(4), optimizer(&network(4)));
    fresh().save(&path).unwrap();
    for &stop in stops.iter().chain([&last]) {
        let mut training = fresh();
        training.load(&path).unwrap();
        let seen = |_: &Training<FFN, O>, step: Step| {
            Ok(if step.number >= stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        let whole = training.run(&course(last), loss, seen).unwrap();
        assert_eq!(whole, training.steps == last);
        training.save(&path).unwrap();
    }
    let mut training = fresh();
    training.load(&path).unwrap();
    fs::remove_file(&path).unwrap();
    assert_eq!(training.steps, last);
    numbers(&training.model)
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn a_run_that_is_interrupted_anywhere_ends_with_the_same_bits(mut stops in prop::collection::vec(1_u64..9, 0..4)) {
        stops.sort_unstable();
        let adam = |model: &FFN| Adam::new(model).decaying(0.1, is_weight);
        prop_assert_eq!(interrupted("adam", adam, &stops, 9), interrupted("adam-whole", adam, &[], 9));
        let sgd = |model: &FFN| Sgd::new(model, 0.9);
        prop_assert_eq!(interrupted("sgd", sgd, &stops, 9), interrupted("sgd-whole", sgd, &[], 9));
    }

    #[test]
    fn each_round_of_batches_has_each_example_once(examples in 1_usize..40, size in 1_usize..50, seed: u64) {
        let batches = Batches { examples, size, seed };
        let all: Vec<usize> = (1..=60).flat_map(|step| batches.at(step)).collect();
        prop_assert_eq!(all.len(), 60 * size);
        for round in all.chunks_exact(examples) {
            let mut round = round.to_vec();
            round.sort_unstable();
            prop_assert_eq!(round, (0..examples).collect::<Vec<_>>());
        }
    }
}

#[test]
fn rounds_and_seeds_have_orders_of_their_own() {
    let of = |seed, step| Batches { examples: 30, size: 30, seed }.at(step);
    assert_eq!(of(1, 1), of(1, 1));
    assert_ne!(of(1, 1), of(1, 2));
    assert_ne!(of(1, 1), of(2, 1));
    assert!(Batches { examples: 0, size: 3, seed: 0 }.at(1).is_empty());
    // Each example comes first about equally often.
    let first = (1..=3000).filter(|&step| of(0, step)[0] == 7).count();
    assert!((60..140).contains(&first), "{first}");
}

#[test]
fn a_run_learns_and_tells_each_step_once() {
    let mut training = Training::new(network(8), Adam::new(&network(8)));
    let mut seen = Vec::new();
    let whole = training.run(&course(60), loss, |training, step| {
        assert_eq!(training.steps, step.number);
        seen.push(step);
        Ok(ControlFlow::Continue(()))
    });
    assert!(whole.unwrap());
    assert!(seen.iter().map(|step| step.number).eq(1..=60));
    assert_eq!((seen[3].rate, seen[4].rate), (0.05, 0.01));
    assert!(seen[59].loss < 0.7 * seen[0].loss, "{} to {}", seen[0].loss, seen[59].loss);
    // What is finished does nothing more.
    let before = numbers(&training.model);
    assert!(training.run(&course(60), loss, |_, _| panic!("no step is left")).unwrap());
    assert_eq!(numbers(&training.model), before);
}

#[test]
fn a_loss_that_is_not_finite_ends_the_run_and_changes_nothing() {
    let mut training = Training::new(network(4), Adam::new(&network(4)));
    let broken = |model: &FFN, step: u64| loss(model, step) / Tensor::scalar(if step == 3 { 0.0 } else { 1.0 });
    let mut kept = Vec::new();
    let seen = |training: &Training<FFN, Adam<FFN>>, _| {
        kept = numbers(&training.model);
        Ok(ControlFlow::Continue(()))
    };
    let error = training.run(&course(9), broken, seen).unwrap_err();
    assert_eq!((error.to_string().as_str(), training.steps), ("the loss is inf at step 3", 2));
    assert_eq!(numbers(&training.model), kept);
}

#[test]
fn a_gradient_that_is_not_finite_ends_the_run_and_changes_nothing() {
    let root = |x: &Tensor<R![chans]>| x.sqrt().sum(chans);
    let model = Tensor::new(chans, [0.0, 1.0]);
    for longest in [None, Some(1.0)] {
        let mut alone = Training::new(model.clone(), Sgd::new(&model, 0.0));
        let error = alone.step(&root(&alone.model), 0.1, longest).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Value, "the length of the gradient is inf at step 1"));
        assert_eq!((alone.model.to_vec(chans).unwrap(), alone.steps), (vec![0.0, 1.0], 0));

        let both = Together((Tensor::new(chans, [4.0]), model.clone()));
        let mut training = Training::new(both.clone(), Adam::new(&both));
        let of = |Together((one, other)): &Together<_>| root(one) + root(other);
        let (kept, memory) = (numbers(&both), numbers(training.optimizer.state()));
        let error = training.step(&of(&training.model), 0.1, longest).unwrap_err();
        assert!(error.message().ends_with(" at step 1: that of `1` is not finite"), "{error}");
        assert_eq!((numbers(&training.model), numbers(training.optimizer.state())), (kept, memory));
        training.model = Together((Tensor::new(chans, [4.0]), Tensor::new(chans, [1.0, 1.0])));
        training.step(&of(&training.model), 0.1, longest).unwrap();
        assert_eq!(training.steps, 1);
    }
}

#[test]
fn a_step_to_numbers_that_are_not_finite_is_not_stored_and_leaves_what_was() {
    let path = file("overflow");
    let mut training = Training::new(network(4), Adam::new(&network(4)));
    training.step(&loss(&training.model, 1), 0.01, None).unwrap();
    training.save(&path).unwrap();
    let (kept, before) = (fs::read(&path).unwrap(), training.clone());
    let refused = |training: &Training<FFN, Adam<FFN>>| {
        let error = training.save(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Value);
        assert!(fs::read(&path).unwrap() == kept, "the file is as it was");
        error.message().to_owned()
    };

    training.step(&loss(&training.model, 2), 1e39, None).unwrap();
    let message = refused(&training);
    assert!(message.starts_with("step 2 has numbers that are not finite in `model.W1`, "), "{message}");
    // Adam remembers squares, and a step that is divided by an infinite one would be none: it is refused at once.
    let mut large = before;
    let error = large.step(&(loss(&large.model, 2) * Tensor::scalar(1e30)), 0.01, None).unwrap_err();
    assert_eq!((error.message(), large.steps), ("the length of the gradient is inf at step 2", 1));

    training.load(&path).unwrap();
    assert_eq!(training.steps, 1);
    let _ = fs::remove_file(&path);
}

#[test]
fn gains_and_biases_belong_to_the_group_that_does_not_decay() {
    let sizes = (chans.of(4), heads.of(2), key.of(2), val.of(2), hidden.of(4));
    let model = MultiHeadBlock::init(&mut seeded(0), sizes).unwrap();
    let weights: Vec<String> =
        model.parameters().into_iter().map(|(name, _)| name).filter(|name| is_weight(name)).collect();
    assert_eq!(weights, ["att.W_Q", "att.W_K", "att.W_V", "att.W_O", "ffn.W1", "ffn.W2"]);
    let shifts = ["rnn.c_n", "rnn.b_z", "norm1.γ", "norm1.β"].map(is_weight);
    assert_eq!((shifts, ["rnn.U_z", "score.v", "P", "E"].map(is_weight)), ([false; 4], [true; 4]));
    let mut optimizer = Adam::new(&model).decaying(0.5, is_weight);
    let moved = optimizer.step(&model, &model.zeros(), 0.1).unwrap();
    let gain = |of: &MultiHeadBlock| of.norm1.γ.to_vec(chans).unwrap();
    assert_eq!(gain(&moved), gain(&model));
    let (was, is) = (model.ffn.W1.to_vec((chans, hidden)).unwrap(), moved.ffn.W1.to_vec((chans, hidden)).unwrap());
    assert!(was.iter().zip(is).all(|(was, is)| (is - 0.95 * was).abs() < 1e-6));
}

/// What loading says, after which the run is as it was.
#[track_caller]
fn refusal(name: &str, change: impl FnOnce(&PathBuf)) -> String {
    let path = file(name);
    let mut training = Training::new(network(4), Adam::new(&network(4)));
    training.run(&course(2), loss, |_, _| Ok(ControlFlow::Continue(()))).unwrap();
    training.save(&path).unwrap();
    change(&path);
    let before = numbers(&training.model);
    let error = training.load(&path).unwrap_err();
    let _ = fs::remove_file(&path);
    assert_eq!(error.kind(), ErrorKind::File);
    assert_eq!((numbers(&training.model), training.steps), (before, 2));
    assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    error.to_string()
}

#[test]
fn a_checkpoint_of_other_sizes_is_refused_tensor_by_tensor() {
    let message = refusal("sizes", |path| Training::new(network(5), Adam::new(&network(5))).save(path).unwrap());
    for wrong in
        ["`model.W1` has the sizes [chans: 3, hidden: 5], but [chans: 3, hidden: 4] are needed", "`optimizer.0.b1`"]
    {
        assert!(message.contains(wrong), "{message}");
    }
}

#[test]
fn a_checkpoint_of_another_model_or_optimiser_is_refused() {
    let message =
        refusal("optimiser", |path| Training::new(network(4), Sgd::new(&network(4), 0.0)).save(path).unwrap());
    assert!(message.contains("`optimizer.W1`") && message.contains("is unexpected"), "{message}");
    assert!(message.contains("`optimizer.0.W1`") && message.contains("is missing"), "{message}");
}

#[test]
fn a_checkpoint_that_is_truncated_missing_or_not_finite_is_refused() {
    let message = refusal("truncated", |path| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len() - 7]).unwrap();
    });
    assert!(message.contains("truncated"), "{message}");
    let message = refusal("missing", |path| fs::remove_file(path).unwrap());
    assert!(message.contains("cannot read"), "{message}");
    let message = refusal("nan", |path| {
        // The first number after the header.
        let mut broken = fs::read(path).unwrap();
        let first = 8 + u64::from_le_bytes(broken[..8].try_into().unwrap()) as usize;
        broken[first..first + 4].copy_from_slice(&f32::NAN.to_le_bytes());
        fs::write(path, broken).unwrap();
    });
    assert!(message.contains("has numbers that are not finite in `model."), "{message}");
}

#[test]
fn a_checkpoint_names_the_parameters_and_the_steps() {
    let path = file("names");
    let training = Training { steps: 17, ..Training::new(network(4), Sgd::new(&network(4), 0.0)) };
    training.save(&path).unwrap();
    let tensors = Tensors::open(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let names: Vec<&str> = tensors.names().collect();
    let both = ["model.W1", "model.W2", "model.b1", "model.b2", "optimizer.W1", "optimizer.W2", "optimizer.b1"];
    assert_eq!(names[..7], both);
    let steps: Tensor<R![]> = tensors.get("steps").unwrap();
    assert_eq!(steps.item().unwrap(), 17.0);
}

#[test]
fn the_number_of_steps_is_stored_exactly() {
    let path = file("steps");
    let fresh = || Training::new(network(4), Sgd::new(&network(4), 0.0));
    for steps in [0, 1, (1 << 24) - 1, 1 << 24, (1 << 24) + 1, (1 << 25) + 3, (1 << 48) - 1] {
        Training { steps, ..fresh() }.save(&path).unwrap();
        // One that is at a high number itself reads what has none.
        for before in [0, 1 << 30] {
            let mut training = Training { steps: before, ..fresh() };
            training.load(&path).unwrap();
            assert_eq!(training.steps, steps);
        }
    }
    // Files once had one number alone, however large.
    Training { steps: 5, ..fresh() }.save(&path).unwrap();
    let mut tensors = Tensors::open(&path).unwrap();
    assert_eq!(tensors.names().filter(|name| name.starts_with("steps")).count(), 1);
    tensors.take("steps").unwrap();
    tensors.insert("steps", &Tensor::scalar(33_554_432.0_f32)).unwrap();
    tensors.save(&path).unwrap();
    let mut training = fresh();
    training.load(&path).unwrap();
    fs::remove_file(&path).unwrap();
    assert_eq!(training.steps, 1 << 25);
}

#[test]
fn a_log_is_never_without_its_rows_on_the_way() {
    let path = file("kept-log.csv");
    let mut log = Log::open(&path, 0).unwrap();
    (1..=3).for_each(|number| log.add(Step { number, loss: 0.5, rate: 0.1 }, 10.0).unwrap());
    let before = fs::read_to_string(&path).unwrap();
    // Who has the old file open sees it whole: it was not emptied, another one has taken its name.
    let mut old = fs::File::open(&path).unwrap();
    let mut log = Log::open(&path, 2).unwrap();
    log.add(Step { number: 3, loss: 0.25, rate: 0.1 }, 10.0).unwrap();
    let mut kept = String::new();
    old.read_to_string(&mut kept).unwrap();
    assert_eq!(kept, before);
    assert_eq!(fs::read_to_string(&path).unwrap(), before.replace("3,0.5", "3,0.25"));
    // No draft is left, and one that a crash left does no harm.
    let draft = PathBuf::from(format!("{}.draft", path.display()));
    assert!(!draft.exists());
    fs::write(&draft, "step,lo").unwrap();
    Log::open(&path, 3).unwrap();
    assert!(!draft.exists());
    assert_eq!(losses(&path).unwrap().len(), 3);
    fs::remove_file(&path).unwrap();
}

#[test]
fn a_log_that_is_gone_on_with_has_each_step_once() {
    let path = file("log.csv");
    let row = |number: u64| Step { number, loss: 1.0 / number as f64, rate: 0.1 };
    let mut log = Log::open(&path, 0).unwrap();
    (1..=5).for_each(|number| log.add(row(number), 10.0).unwrap());
    // A crash in the middle of a row.
    fs::write(&path, fs::read_to_string(&path).unwrap() + "6,0.1").unwrap();
    let mut log = Log::open(&path, 3).unwrap();
    (4..=6).for_each(|number| log.add(row(number), 10.0).unwrap());
    let text = fs::read_to_string(&path).unwrap();
    let losses = losses(&path).unwrap();
    fs::remove_file(&path).unwrap();
    assert_eq!(text.lines().next(), Some(HEADER));
    assert_eq!(text.lines().count(), 7);
    assert!(
        losses
            .iter()
            .map(|&(step, loss)| (step, loss))
            .eq((1..=6).map(|step| (f64::from(step), 1.0 / f64::from(step))))
    );
}
