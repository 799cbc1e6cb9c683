//! Gradients as programs use them: by structs of parameters, at corners, of losses in error.
//!
//! Lives here: single cases with stated numbers. Not here: the rules of the calculus (`calculus`), whole models (`models`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{chans, key, seq, seq_, val};

#[test]
fn a_gradient_by_a_struct_of_parameters_is_such_a_struct() {
    named! {
        fn Linear(X: R[chans]; W: R[chans, val], b: R[val] = 0) -> R[val] { X dot_chans W + b }
        fn Two(X: R[chans]; first: Linear, γ: R[val] = 1) -> R[val] { first(X) * γ }
    }
    let two: Two = Two::init(&mut seeded(1), (chans.of(2), val.of(3))).unwrap();
    let x = Tensor::new(chans, [1.0, 2.0]);
    let loss = two.apply(&x).sum(val);
    let by_struct: Two = grad(&loss, &two);
    let (w, b, γ) = grad(&loss, (&two.first.W, &two.first.b, &two.γ));
    assert_eq!(by_struct.first.W.to_vec((chans, val)).unwrap(), w.to_vec((chans, val)).unwrap());
    assert_eq!(by_struct.first.b.to_vec(val).unwrap(), b.to_vec(val).unwrap());
    assert_eq!(by_struct.γ.to_vec(val).unwrap(), γ.to_vec(val).unwrap());
    let (value, again) = value_and_grad(&loss, &two).unwrap();
    assert_eq!(value, loss.item().unwrap());
    assert_eq!(again.first.W.to_vec((chans, val)).unwrap(), w.to_vec((chans, val)).unwrap());
}

#[test]
fn eight_variables_each_have_the_gradient_of_their_own() {
    let x = |i: u8| Tensor::new(seq, [f32::from(i), 1.0]);
    let x: [Tensor<R![seq]>; 8] = [0, 1, 2, 3, 4, 5, 6, 7].map(x);
    let [a, b, c, d, e, f, g, h] = &x;
    let loss = (0..8_u8).zip(&x).map(|(i, x)| (x * x).sum(seq) * f32::from(i)).reduce(|sum, more| sum + more).unwrap();
    let all = grad(&loss, (a, b, c, d, e, f, g, h));
    let all = [all.0, all.1, all.2, all.3, all.4, all.5, all.6, all.7];
    for (i, by) in (0..8_u8).map(f32::from).zip(all) {
        assert_eq!(by.to_vec(seq).unwrap(), [2.0 * i * i, 2.0 * i], "variable {i}");
    }
}

#[test]
fn what_a_loss_does_not_depend_on_has_the_gradient_zero() {
    let (x, y) = (Tensor::new(seq, [1.0, 2.0]), Tensor::new((seq, key), [[1.0], [2.0]]));
    let (_, by_y) = grad(&x.sum(seq), (&x, &y));
    assert_eq!(by_y.to_vec((seq, key)).unwrap(), [0.0, 0.0]);
    assert_eq!(jacobian(&x, &y).to_vec((seq, star(seq), star(key))).unwrap(), [0.0; 4]);
    assert_eq!(jvp(&x, &y, &y).to_vec(seq).unwrap(), [0.0, 0.0]);
}

#[test]
fn an_error_of_the_loss_is_the_error_of_its_gradient() {
    let (x, y) = (Tensor::new(seq, [1.0, 2.0]), Tensor::new(seq, [1.0, 2.0, 3.0]));
    let error = grad(&(&x + &y).sum(seq), &x).to_vec(seq).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SizeClash);
    let error = vjp(&(&x * &x), &y, &x).to_vec(seq).unwrap_err().to_string();
    assert!(error.contains("axis `seq` has size 2") && error.contains(file!()), "{error}");
    assert!(value_and_grad(&(&x + &y).sum(seq), &x).is_err());
}

#[test]
fn parameters_are_combined_one_by_one_and_computed_together() {
    named! {
        fn Scaled(X: R[chans]; W: R[chans, val], b: R[val] = 0) -> R[val] { X dot_chans W + b }
    }
    let model: Scaled = Scaled::init(&mut seeded(1), (chans.of(2), val.of(3))).unwrap();
    let mut names = Vec::new();
    let twice = model.combine([&model], |name, own, [other]| {
        names.push(name.to_owned());
        own + other
    });
    assert_eq!(names, ["W", "b"]);
    let computed = twice.eval().unwrap();
    assert_eq!(computed.W.to_vec((chans, val)).unwrap(), (&model.W * 2.0).to_vec((chans, val)).unwrap());
    // Axes of a function that the step calls are its own: of each number p it makes 2 p.
    #[lift]
    fn halves_of(p: &Tensor<R![]>, halves: &Tensor<R![chans]>) -> Tensor<R![]> {
        (p * halves).sum(chans)
    }
    let halves = Tensor::new(chans, [0.5, 0.5]);
    let step = |_: &str, p: &Tensor<R![]>, [other]: [&Tensor<R![]>; 1]| p + halves_of(other, &halves);
    let stepped = model.combine([&model], step);
    assert_eq!(stepped.W.to_vec((chans, val)).unwrap(), (&model.W * 2.0).to_vec((chans, val)).unwrap());
    // Another shape is an error of the parameter, told by its name.
    let wrong = model.combine([], |name, own, []| if name == "b" { Tensor::scalar(1.0) } else { own.clone() });
    let error = wrong.eval().unwrap_err();
    assert!(error.place().is_some_and(|place| place.file().ends_with("gradients.rs")), "{error}");
    let error = error.to_string();
    assert!(error.contains("parameter `b` has the shape [val: 3], but [] was made"), "{error}");
    // Several structs together are walked by place.
    let both = Together((model.clone(), Tensor::scalar(4.0)));
    let names: Vec<String> = both.parameters().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["0.W", "0.b", "1"]);
    assert_eq!(both.eval().unwrap().0.1.item().unwrap(), 4.0);
}

#[test]
fn as_many_tensors_as_a_gradient_has_are_computed_together_and_their_plan_is_one() {
    let x = Tensor::new(chans, [1.0, 2.0]);
    let [a, b, c, d, e] = [0.5, 1.0, 0.25, 2.0, 1.5].map(Tensor::<(), f32>::scalar);
    let loss = (&x * &a * &b * &c * &d * &e).exp().sum(chans);
    let Together((by_a,)) = Together((grad(&loss, &a),)).eval().unwrap();
    let all = Together(grad(&loss, (&x, &a, &b, &c, &d, &e)));
    let difference = all.eval().unwrap().0.1.item().unwrap() - by_a.item().unwrap();
    assert!(difference.abs() < 1e-5, "{difference}");
    let plan = Together((loss, all)).plan().unwrap();
    assert_eq!(plan.matches("exp").count(), 1, "what all of them need is computed once: {plan}");
    let wrong = Together((x.clone(), &x + &Tensor::new(chans, [1.0, 2.0, 3.0])));
    let error = wrong.plan().unwrap_err();
    assert_eq!((error.kind(), error.to_string()), (ErrorKind::SizeClash, wrong.eval().unwrap_err().to_string()));
}

#[test]
fn distances_and_their_gradients_store_no_difference_and_are_those_of_the_products() {
    // 128 × 64 × 128 differences, of which three sums are taken.
    let points = |phase: f32| (0..128 * 64).map(|i| (i as f32 * 0.37 + phase).sin()).collect();
    let x = Tensor::<R![seq, chans], f32>::from_vec((seq.of(128), chans.of(64)), points(0.0)).unwrap();
    let y = Tensor::<R![val, chans], f32>::from_vec((val.of(128), chans.of(64)), points(1.0)).unwrap();
    let difference = &x - &y;
    let loss = difference.dot(chans, &difference).sqrt().sum((seq, val));
    let (by_x, by_y) = grad(&loss, (&x, &y));
    let plan = Together((loss.clone(), by_x.clone(), by_y.clone())).plan().unwrap();
    let is_stored = |line: &str| ["seq:", "chans:", "val:"].iter().all(|axis| line.contains(axis));
    assert!(!plan.lines().any(is_stored), "{plan}");
    let squares = x.dot(chans, &x) + y.dot(chans, &y) - x.dot(chans, &y) * 2.0;
    let expected = squares.sqrt().sum((seq, val));
    let (to_x, to_y) = grad(&expected, (&x, &y));
    let close = |found: f32, expected: f32| assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
    close(loss.item().unwrap(), expected.item().unwrap());
    close((&by_x * &by_x).sum((seq, chans)).item().unwrap(), (&by_x * &to_x).sum((seq, chans)).item().unwrap());
    close((&by_y * &by_y).sum((val, chans)).item().unwrap(), (&by_y * &to_y).sum((val, chans)).item().unwrap());
}

#[test]
fn powers_have_their_derivatives_at_zero() {
    let x = Tensor::<R![seq], f64>::from_array(seq, [0.0, 2.0]);
    let mut derivative = x.pow(3.0).sum(seq);
    for expected in [[0.0, 12.0], [0.0, 12.0], [6.0, 6.0], [0.0, 0.0], [0.0, 0.0]] {
        let by_x = grad(&derivative, &x);
        assert_eq!(by_x.to_vec(seq).unwrap(), expected);
        derivative = by_x.sum(seq);
    }
    // A power whose exponent is a tensor: x^y at (0, 0), (0, 2) and (3, 0).
    let (x, y) = (Tensor::<R![seq], f64>::from_array(seq, [0.0, 0.0, 3.0]), Tensor::from_array(seq, [0.0, 2.0, 0.0]));
    let (by_x, by_y) = grad(&x.pow_by(&y).sum(seq), (&x, &y));
    assert_eq!(by_x.to_vec(seq).unwrap(), [0.0, 0.0, 0.0]);
    // The logarithm is within a unit in the last place.
    let (by_y, log) = (by_y.to_vec(seq).unwrap(), 3.0_f64.ln());
    assert_eq!(by_y[..2], [0.0, 0.0]);
    assert!((by_y[2] - log).abs() <= f64::EPSILON, "{} for {log}", by_y[2]);
}

#[test]
fn changes_of_another_size_than_their_variable_are_refused() {
    let (x, three) = (Tensor::new(seq, [1.0, 2.0]), Tensor::new(seq, [1.0, 2.0, 3.0]));
    let error = jvp(&(&x * 2.0), &x, &three).to_vec(seq).unwrap_err().to_string();
    assert!(error.starts_with("sizes clash in `jvp`: axis `seq` has size 2 on the left, 3 on the right"), "{error}");
    let wrong = with_adjoint("twice", x.clone(), |x| x * 2.0, |_, _, _| Tensor::new(seq, [1.0, 2.0, 3.0]));
    let error = grad(&wrong.sum(seq), &x).to_vec(seq).unwrap_err().to_string();
    assert!(error.starts_with("sizes clash in `twice`: axis `seq` has size 2 on the left, 3 on the right"), "{error}");
}

#[test]
fn an_adjoint_that_derives_by_an_argument_through_its_own_result_is_refused_and_says_how_it_is_mended() {
    // Implicitly: y² = x, so that 2 y y' = 1.
    let root = |is_stopped: bool, x: &Tensor<R![seq]>| {
        with_adjoint(
            "root",
            x.clone(),
            |x| x.sqrt(),
            move |x, y, owed| {
                let y = if is_stopped { y.stop_gradient() } else { y };
                -vjp(&(&y * &y - &x), &(owed / (-2.0 * &y)), &x) * -1.0
            },
        )
    };
    let x = Tensor::new(seq, [4.0, 16.0]);
    let error = grad(&root(false, &x).sum(seq), &x).to_vec(seq).unwrap_err();
    assert!(error.to_string().contains("the adjoint of `root` derives by what its own result"), "{error}");
    assert!(error.to_string().contains("`y.stop_gradient()`"), "{error}");
    assert!(error.place().is_some_and(|place| place.file().ends_with("gradients.rs")), "{error}");
    assert_eq!(grad(&root(true, &x).sum(seq), &x).to_vec(seq).unwrap(), [0.25, 0.125]);
}

/// What was read is known from a plan that had attention as one step, and the gradient computes what it is made of by products.
#[test]
fn a_largest_number_has_the_same_gradient_after_it_was_read() {
    let mut rng = seeded(1);
    let q = Tensor::<R![seq_, key]>::normal(&mut rng, (seq_.of(64), key.of(16)), 0.0, 1.0);
    let k = Tensor::<R![seq, key]>::normal(&mut rng, (seq.of(64), key.of(16)), 0.0, 1.0);
    let v = Tensor::<R![seq, val]>::normal(&mut rng, (seq.of(64), val.of(8)), 0.0, 1.0);
    let seen = q.dot(key, &k).softmax(seq).dot(seq, &v);
    for top in [seen.max(seq_), seen.min(seq_), seen.norm_p(seq_, f64::INFINITY)] {
        let gradient = || grad(&top.sum(val), &v).to_vec((seq, val)).unwrap();
        let change = || jvp(&top, &v, &Tensor::ones((seq.of(64), val.of(8)))).to_vec(val).unwrap();
        let before = (gradient(), change());
        top.to_vec(val).unwrap();
        let all = before.0.iter().chain(&before.1).copied();
        let again = gradient().into_iter().chain(change());
        assert!(all.zip(again).all(|(x, y)| (x - y).abs() < 1e-5), "what was {before:?}");
    }
}
