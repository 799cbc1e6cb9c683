//! Losses, optimisers and schedules against plain loops over numbers.
//!
//! Each optimiser is run for several steps on made-up gradients beside the same rule in `f64`, one number at a time.

use named_tensor::prelude::*;
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::differences::assert_gradient;
use named_tensor_tests::reference::Grid;
use named_tensor_tests::strategies::{cases, grids, tensor};
use proptest::prelude::*;
use transformer::axes::{chans, hidden, seq, vocab};
use transformer::feed_forward::FFN;
use transformer::loss::{CrossEntropy, SmoothedCrossEntropy};
use transformer::optimizer::{Adam, Sgd, clipped};
use transformer::schedule::{cosine, warm_up};

use crate::Numbers;

/// -log of the exponentials' share, by the definition.
fn cross_entropy(row: &[f64], word: usize) -> f64 {
    let largest = row.iter().fold(f64::NEG_INFINITY, |largest, x| largest.max(*x));
    let sum: f64 = row.iter().map(|x| (x - largest).exp()).sum();
    largest + sum.ln() - row[word]
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn s4_17_cross_entropy_is_minus_the_logarithm_of_the_right_word([z] in grids(|[s, v]| [vec![s, v]]), seed: u64) {
        let (s, v) = (z.sizes[0], z.sizes[1]);
        let words: Vec<usize> = (0..s).map(|i| (seed as usize).wrapping_add(i * 7) % v).collect();
        let i = Tensor::indices_from_vec(seq.of(s), vocab, words.clone()).unwrap();
        let z_ = tensor!(f64, &z, (seq, vocab));
        let found = CrossEntropy(&z_, &i).to_vec(seq).unwrap();
        let rows: Vec<&[f64]> = z.values.chunks(v).collect();
        let expected = Grid::from_fn(&[s], |place| cross_entropy(rows[place[0]], words[place[0]]));
        assert_close(&found, &expected, Bound::roundings(v + 4, 8.0, f64::EPSILON));

        let α = 0.1;
        let found = SmoothedCrossEntropy(&z_, &i, &Tensor::scalar(α)).to_vec(seq).unwrap();
        let expected = Grid::from_fn(&[s], |place| {
            let all = (0..v).map(|word| cross_entropy(rows[place[0]], word)).sum::<f64>() / v as f64;
            (1.0 - α) * cross_entropy(rows[place[0]], words[place[0]]) + α * all
        });
        assert_close(&found, &expected, Bound::roundings(2 * v + 8, 8.0, f64::EPSILON));

        let loss = |z: &Grid| CrossEntropy(&tensor!(f64, z, (seq, vocab)), &i).sum(seq).item().unwrap();
        let gradient = grad(&CrossEntropy(&z_, &i).sum(seq), &z_).to_vec((seq, vocab)).unwrap();
        assert_gradient(&gradient, &z, loss);
    }
}

#[test]
fn cross_entropy_of_large_logits_is_finite() {
    let z = Tensor::new(vocab, [1000.0, -1000.0]);
    let loss = CrossEntropy(&z, &Tensor::indices(seq, vocab, [1]).at(seq, 0));
    assert_eq!(loss.item().unwrap(), 2000.0);
    assert_eq!(grad(&loss, &z).to_vec(vocab).unwrap(), [1.0, -1.0]);
}

#[test]
fn a_word_that_cannot_be_is_no_error_unless_a_part_of_the_target_is_spread_over_it() {
    let (z, right) = (Tensor::new(vocab, [1.0, f32::NEG_INFINITY]), Tensor::indices(seq, vocab, [0]).at(seq, 0));
    let loss = CrossEntropy(&z, &right);
    assert_eq!(loss.item().unwrap(), 0.0);
    assert_eq!(grad(&loss, &z).to_vec(vocab).unwrap(), [0.0, 0.0]);
    let loss = SmoothedCrossEntropy(&z, &right, &Tensor::scalar(0.5));
    assert_eq!(loss.item().unwrap(), f32::INFINITY);
    // The probabilities less the target: 1 - 3/4, and 0 - 1/4.
    assert_eq!(grad(&loss, &z).to_vec(vocab).unwrap(), [0.25, -0.25]);
}

fn network() -> FFN {
    FFN::init(&mut seeded(2), (chans.of(3), hidden.of(4))).unwrap()
}

/// Made-up gradients: other numbers at each step.
fn gradient<T: Real>(of: &FFN<T>, step: u64) -> FFN<T> {
    let mut gradient = of.clone();
    let mut seed = 100 * step;
    gradient.each_mut(|mut parameter| {
        seed += 1;
        let (shape, count) = (parameter.shape(), parameter.shape().elements());
        let numbers = Numbers(seed).grid(&[count]).values.into_iter().map(T::from_f64).collect();
        parameter.set(shape, numbers).unwrap();
    });
    gradient
}

/// All numbers with the names of their parameters.
fn numbers<T: Real>(of: &FFN<T>) -> Vec<(String, f64)> {
    let mut all = Vec::new();
    of.each(|parameter| {
        all.extend(parameter.to_vec().unwrap().into_iter().map(|x| (parameter.name.to_owned(), x.to_f64())));
    });
    all
}

#[track_caller]
fn assert_near<T: Real>(found: &FFN<T>, expected: &[f64]) {
    let found: Vec<f64> = numbers(found).into_iter().map(|(_, x)| x).collect();
    let bound = if size_of::<T>() == 4 { 5e-6 } else { 1e-14 };
    assert_close(&found, &Grid::new(&[expected.len()], expected.to_vec()), Bound::absolute(bound));
}

#[test]
fn descent_with_momentum_follows_its_rule_number_by_number() {
    descends(network());
    descends(network().cast::<f64>());
}

fn descends<T: Real>(mut model: FFN<T>) {
    let mut optimizer = Sgd::new(&model, 0.9);
    let mut θ: Vec<f64> = numbers(&model).into_iter().map(|(_, x)| x).collect();
    let mut v = vec![0.0; θ.len()];
    for step in 0..5 {
        let g = gradient(&model, step);
        model = optimizer.step(&model, &g, 0.1).unwrap();
        for (i, (_, g)) in numbers(&g).into_iter().enumerate() {
            v[i] = 0.9 * v[i] + g;
            θ[i] -= 0.1 * v[i];
        }
        assert_near(&model, &θ);
    }
}

#[test]
fn adam_and_its_decay_follow_their_rule_number_by_number() {
    adam_steps(&network());
    adam_steps(&network().cast::<f64>());
}

fn adam_steps<T: Real>(network: &FFN<T>) {
    for decay in [0.0, 0.1] {
        let mut model = network.clone();
        let mut optimizer = Adam::new(&model);
        optimizer.decay = decay;
        optimizer.decays = |name| name.starts_with('W');
        let mut θ: Vec<f64> = numbers(&model).into_iter().map(|(_, x)| x).collect();
        let (mut m, mut v) = (vec![0.0; θ.len()], vec![0.0; θ.len()]);
        for step in 1..=6 {
            let g = gradient(&model, step);
            let rate = 0.01 * step as f64;
            model = optimizer.step(&model, &g, rate).unwrap();
            for (i, (name, g)) in numbers(&g).into_iter().enumerate() {
                m[i] = 0.9 * m[i] + 0.1 * g;
                v[i] = 0.999 * v[i] + 0.001 * g * g;
                let (m, v) = (m[i] / (1.0 - 0.9_f64.powi(step as i32)), v[i] / (1.0 - 0.999_f64.powi(step as i32)));
                if name.starts_with('W') {
                    θ[i] *= 1.0 - rate * decay;
                }
                θ[i] -= rate * m / (v.sqrt() + 1e-8);
            }
            assert_near(&model, &θ);
        }
    }
}

#[test]
fn clipped_gradients_are_together_no_longer_than_said() {
    clips(&network());
    clips(&network().cast::<f64>());
}

fn clips<T: Real>(model: &FFN<T>) {
    let g = gradient(model, 1);
    let length = numbers(&g).iter().map(|(_, x)| x * x).sum::<f64>().sqrt();
    let short = clipped(&g, 0.5).eval().unwrap();
    let expected: Vec<f64> = numbers(&g).iter().map(|(_, x)| x * 0.5 / length).collect();
    assert_near(&short, &expected);
    let same = clipped(&g, 2.0 * length).eval().unwrap();
    assert_eq!(numbers(&same), numbers(&g));
    assert!(numbers(&clipped(&g.zeros(), 1.0).eval().unwrap()).iter().all(|(_, x)| *x == 0.0));
}

#[test]
fn the_length_of_parameters_is_right_where_its_square_is_a_number_and_else_in_doubles() {
    for (numbers, length) in [
        ([1e19, -1e19], 1.414_213_6e19),
        ([3e18, -4e18], 5e18),
        ([3e-15, 4e-15], 5e-15),
        ([0.0, -0.0], 0.0),
        ([2e19, 1.0], f32::INFINITY),
        ([3e38, 3e38], f32::INFINITY),
    ] {
        let together = Tensor::new(chans, numbers);
        let found = Parameters::norm(&together).item().unwrap();
        assert!(found == length || (found - length).abs() <= 1e-6 * length, "{numbers:?}: {found}");
        let apart = Together((Tensor::scalar(numbers[0]), Tensor::scalar(numbers[1])));
        assert_eq!(apart.norm().item().unwrap(), found);
        let exact = f64::from(numbers[0]).hypot(f64::from(numbers[1]));
        let wide = Parameters::norm(&together.cast::<f64>()).item().unwrap();
        assert!((wide - exact).abs() <= 1e-15 * exact, "{wide}");
    }
    assert_eq!(Parameters::norm(&Tensor::<R![chans]>::zeros(chans.of(0))).item().unwrap(), 0.0);
}

#[test]
fn a_gradient_is_not_clipped_to_zeros() {
    let clip = |numbers: [f32; 2]| clipped(&Tensor::new(chans, numbers), 1.0).to_vec(chans).unwrap();
    assert_eq!(clip([1e19, 0.0]), [1.0, 0.0]);
    for endless in [[f32::INFINITY, 1.0], [1.0, f32::NAN], [2e19, 1.0], [3e38, 3e38]] {
        assert!(clip(endless).iter().all(|number| number.is_nan()), "{endless:?}");
    }
}

#[test]
fn a_step_by_a_gradient_that_is_none_says_which_parameter_both_sizes_and_where() {
    let (model, other) = (network(), FFN::init(&mut seeded(2), (chans.of(3), hidden.of(5))).unwrap());
    let failed = model.combine([], |_, θ, []| θ + Tensor::<R![chans]>::ones(chans.of(2)).at(chans, 7));
    for (gradient, words) in [
        (
            &other,
            "sizes clash in `step`: the parameter `W1` is [chans: 3, hidden: 4], its gradient [chans: 3, hidden: 5]",
        ),
        (&failed, "position 7 of axis `chans`, whose size is 2"),
    ] {
        let steps = [Adam::new(&model).step(&model, gradient, 0.1), Sgd::new(&model, 0.9).step(&model, gradient, 0.1)];
        for error in steps.map(Result::unwrap_err) {
            assert!(error.to_string().contains(words), "{error}");
            assert!(error.place().is_some_and(|place| place.file().ends_with("training.rs")), "{error}");
        }
    }
}

#[test]
fn schedules_rise_and_fall_as_they_say() {
    let highest = warm_up(4000, 512, 4000);
    assert!((highest - 512_f64.powf(-0.5) * 4000_f64.powf(-0.5)).abs() < 1e-12);
    assert!(warm_up(1, 512, 4000) < warm_up(2, 512, 4000) && warm_up(4001, 512, 4000) < highest);
    let rate = |step| cosine(step, 10, 110, 1.0, 0.1);
    assert_eq!((rate(0), rate(5), rate(10)), (0.0, 0.5, 1.0));
    assert!((rate(60) - 0.55).abs() < 1e-12 && (rate(110) - 0.1).abs() < 1e-12 && rate(1000) == rate(110));
    assert_eq!(cosine(3, 0, 0, 1.0, 0.0), 0.0);
}

#[test]
fn training_goes_on_bit_for_bit_from_a_file() {
    let go = |model: &mut FFN, optimizer: &mut Adam<FFN>, steps: std::ops::Range<u64>| {
        for step in steps {
            let g = gradient(model, step);
            *model = optimizer.step(model, &g, 0.01).unwrap();
        }
    };
    let (mut model, mut optimizer) = (network(), Adam::new(&network()));
    go(&mut model, &mut optimizer, 0..3);
    let path = std::env::temp_dir().join(format!("named-tensor-resume-{}.safetensors", std::process::id()));
    Together((model.clone(), optimizer.state.clone())).save(&path).unwrap();
    go(&mut model, &mut optimizer, 3..6);

    let mut kept = Together((network(), Adam::new(&network()).state));
    kept.load(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let (mut again, mut resumed) = (kept.0.0, Adam { state: kept.0.1, ..Adam::new(&network()) });
    go(&mut again, &mut resumed, 3..6);
    assert_eq!(numbers(&again), numbers(&model));
}
