//! What parameters are at first, and what is refused of them: the message names the parameter, and where it is asked for.
//!
//! Lives here: drawing, stacking. Not here: what is computed with them (`refusals`), and files (`files`).

use crate::refusals::refused;
use named_tensor::Result;
use named_tensor::prelude::*;
use named_tensor_tests::axes::{chans, emb, heads, height, key, layer, seq, width};

#[test]
fn layers_of_different_sizes_are_not_stacked_and_a_layer_that_is_not_there_is_not_read() {
    named! { fn Linear(X: R[key]; W: R[key, emb], b: R[emb]) -> R[emb] { X dot_key W + b } }
    let make = |size| Linear::init(&mut seeded(0), (key.of(2), emb.of(size))).unwrap();
    let words = ["`stack`", "`W` is [emb: 3, key: 2] in layer 0, [emb: 4, key: 2] in layer 2"];
    let stacked: Result<Stacked<layer, Linear>> = stack(layer, &[make(3), make(3), make(4)]);
    refused(stacked, ErrorKind::SizeClash, &words);
    let stacked: Stacked<layer, Linear> = stack(layer, &[make(3), make(3)]).unwrap();
    let words = ["position 2 of axis `layer`, whose size is 2"];
    refused(stacked.at(2).W.checked(), ErrorKind::IndexOutOfRange, &words);
}

#[test]
fn layers_whose_numbers_lie_in_different_orders_are_stacked() {
    named! { fn Linear(X: R[key]; W: R[key, emb] = 1) -> R[emb] { X dot_key W } }
    let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].to_vec();
    let one = Linear { W: Tensor::from_vec((key.of(2), emb.of(3)), numbers.clone()).unwrap() };
    let other = Linear { W: Tensor::from_vec((emb.of(3), key.of(2)), numbers).unwrap() };
    let both: Stacked<layer, Linear> = stack(layer, &[one, other]).unwrap();
    assert_eq!(both.at(0).W.to_vec((key, emb)).unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(both.at(1).W.to_vec((emb, key)).unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
}

#[cfg(target_pointer_width = "64")]
#[test]
fn a_parameter_too_large_for_memory_is_named_where_the_parameters_are_drawn() {
    named! {
        fn Linear(X: R[key]; W: R[key, emb], b: R[emb]) -> R[emb] { X dot_key W + b }
        fn Deep(X: R[key]; f: Linear) -> R[emb] { f(X) }
    }
    for (keys, embs) in [(1 << 32, 1 << 31), (1 << 24, 1 << 24)] {
        let words = ["too large for memory: parameter `f.W`", &format!("[emb: {embs}, key: {keys}]")];
        let line = line!() + 1;
        let made = Deep::init(&mut seeded(0), (key.of(keys), emb.of(embs)));
        assert_eq!(made.as_ref().unwrap_err().place().unwrap().line(), line);
        refused(made, ErrorKind::TooLarge, &words);
    }
}

#[test]
fn a_parameter_that_nobody_can_draw_is_named_where_the_parameters_are_drawn() {
    named! { fn Wrong(X: R[key]; W: R[key] ~ normal(0, |key| - 3)) -> R[] { X dot_key W } }
    let words = ["parameter `W`", "the deviation -1"];
    refused(Wrong::init(&mut seeded(0), key.of(2)), ErrorKind::Value, &words);
}

#[test]
fn a_list_is_not_drawn_and_says_so_where_it_was_asked_for() {
    named! { fn Linear(X: R[key]; W: R[key, emb]) -> R[emb] { X dot_key W } }
    let drawn: Result<Vec<Linear>> = named_tensor::params::init(&mut seeded(0), (key.of(2), emb.of(3)));
    refused(drawn, ErrorKind::Value, &["a list does not say how long it is"]);
}

#[test]
fn an_axis_of_two_sizes_is_not_drawn() {
    named! { fn Linear(X: R[key]; W: R[key, emb]) -> R[emb] { X dot_key W } }
    let drawn: Result<Linear> = named_tensor::params::init(&mut seeded(0), (key.of(2), emb.of(3), key.of(4)));
    refused(drawn, ErrorKind::SizeClash, &["axis `key` is given a size twice: 2 and 4"]);
    let empty: Result<Linear> = named_tensor::params::unfilled((key.of(2), key.of(2), emb.of(3)));
    refused(empty, ErrorKind::SizeClash, &["axis `key` is given a size twice: 2 and 2"]);
}

#[test]
fn a_parameter_without_numbers_is_no_refusal() {
    named! {
        fn Adapted(X: R[key]; A: R[key, emb], B: R[emb, layer]) -> R[layer] { X dot_key A dot_emb B }
    }
    let none = Adapted::init(&mut seeded(0), (key.of(2), emb.of(0), layer.of(3))).unwrap();
    assert_eq!(none.apply(&Tensor::ones(key.of(2))).to_vec(layer).unwrap(), [0.0; 3]);
}

#[test]
fn numbers_that_nobody_can_draw_are_refused_with_what_is_wrong() {
    let drawn = Tensor::<R![seq]>::normal(&mut seeded(0), seq.of(2), 0.5, -1.0);
    refused(drawn.checked(), ErrorKind::Value, &["at least 0", "the mean 0.5 and the deviation -1.0"]);
    let drawn = Tensor::<_, f64>::zeros((height.of(2), width.of(2))).uniform_like(&mut seeded(0), 1.0, 0.5);
    refused(drawn.checked(), ErrorKind::Value, &["not from 1.0 to 0.5"]);
}

#[test]
fn a_matrix_of_which_a_part_is_contracted_starts_as_if_the_whole_was() {
    named! {
        fn First(X: R[chans]; W: R[heads, chans, key]) -> R[key] { X dot_chans W_{heads(0)} }
        fn Chosen(X: R[chans], i: heads[]; W: R[heads, chans, key]) -> R[key] { X dot_chans index_heads(W, i) }
        fn Table(i: heads[]; W: R[heads, chans, key]) -> R[chans, key] { index_heads(W, i) }
    }
    let (rng, sizes) = (&mut seeded(0), (heads.of(4), chans.of(100), key.of(50)));
    let spread = |w: &Tensor<R![heads, chans, key]>| w.var((heads, chans, key)).sqrt().item().unwrap();
    // 20000 numbers tell their deviation to a few parts in a hundred.
    for (found, wanted) in [
        (spread(&First::init(rng, sizes).unwrap().W), 0.1),
        (spread(&Chosen::init(rng, sizes).unwrap().W), 0.1),
        (spread(&Table::init(rng, sizes).unwrap().W), 1.0),
    ] {
        assert!((found / wanted - 1.0).abs() < 0.05, "{found} for {wanted}");
    }
}

named! { fn Shifted(X: R[key]; a: R[key]?, g: R[key] = 1, b: R[key]?) -> R[key] { X * g + a + X * X + b } }

/// One with `a`, `g` and another with `g`, `b`: as many parameters, of the same shapes.
fn two_that_differ() -> [Shifted; 2] {
    let of = |numbers: [f32; 2]| Tensor::new(key, numbers);
    let first = Shifted { a: Some(of([10.0, 20.0])), g: of([5.0, 6.0]), b: None };
    [first, Shifted { a: None, g: of([7.0, 8.0]), b: Some(of([300.0, 400.0])) }]
}

#[test]
fn layers_with_different_parameters_are_not_stacked_whatever_their_number() {
    let [first, second] = two_that_differ();
    let none = Shifted { a: None, ..first.clone() };
    for (layers, words) in [
        ([&first, &second], ["`stack`", "`a` is missing in layer 1"]),
        ([&none, &second], ["`stack`", "`b` is missing in layer 0"]),
        ([&second, &none], ["`stack`", "`b` is missing in layer 1"]),
    ] {
        refused(stack(layer, &layers.map(Clone::clone)), ErrorKind::Value, &words);
    }
    let lists = [vec![first.clone(); 2], vec![first.clone()]];
    refused(stack(layer, &lists), ErrorKind::Value, &["`stack`", "`1.a` is missing in layer 1"]);
    let lists = [vec![first.clone()], vec![first; 2]];
    refused(stack(layer, &lists), ErrorKind::Value, &["`stack`", "`1.a` is missing in layer 0"]);
}

#[test]
fn parameters_are_combined_with_those_of_the_same_name_and_one_without_such_carries_an_error() {
    let [first, second] = two_that_differ();
    let mut names = Vec::new();
    let sum = first.combine([&second], |name, x, [y]| {
        names.push(name.to_owned());
        x + y
    });
    assert_eq!(names, ["a", "g"]);
    assert_eq!(sum.g.to_vec(key).unwrap(), [12.0, 14.0]);
    let words = ["parameters clash in `combine`", "`a` is missing in `others[0]`"];
    refused(sum.a.unwrap().to_vec(key), ErrorKind::Value, &words);
    let kept = first.combine([&first, &second], |name, x, [y, z]| if name == "a" { x + y } else { x + z });
    assert_eq!(kept.a.unwrap().to_vec(key).unwrap(), [20.0, 40.0], "what is missing and not asked for is no error");
    let all = Shifted { a: first.a, ..second.clone() };
    let fewer = all.combine([&second], |name, x, [y]| if name == "a" { x.clone() } else { x + y });
    assert_eq!(fewer.b.unwrap().to_vec(key).unwrap(), [600.0, 800.0], "of fewer others each has its name");
}

#[test]
fn changes_that_lack_a_parameter_or_have_another_one_are_refused() {
    let [first, second] = two_that_differ();
    let all = Shifted { a: first.a.clone(), ..second.clone() };
    let x = Tensor::new(key, [1.0, 1.0]);
    assert_eq!(jvp(&all.apply(&x), &all, &all).to_vec(key).unwrap(), [317.0, 428.0]);
    let refuse = |of: &Shifted, changes: &Shifted, word: &str| {
        let change = jvp(&of.apply(&x), of, changes);
        refused(change.to_vec(key), ErrorKind::Value, &["parameters clash in `jvp`", word]);
    };
    refuse(&first, &second, "`a` is missing in the changes");
    refuse(&all, &second, "`a` is missing in the changes");
    refuse(&second, &all, "`a` is missing in the variables");
}

named_tensor::parameters! {
    struct Both {
        w: Tensor<R![key, emb], T>,
        v: Option<Tensor<R![emb], T>>,
    }
}

#[test]
fn a_struct_of_ones_own_has_tensors_whose_axes_are_written_as_elsewhere() {
    let both: Both = Both { w: Tensor::ones((key.of(2), emb.of(3))), v: None };
    let names: Vec<String> = both.clone().parameters().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["w"]);
    assert_eq!(Both { v: Some(Tensor::ones(emb.of(3))), ..both.clone() }.count(), 9);
    let shown = format!("{both:?}");
    assert!(shown.starts_with("Both { w: ") && shown.contains("v: None"), "{shown}");
}

#[test]
fn an_axis_of_an_initial_value_alone_needs_a_size_and_is_no_axis_of_the_parameter() -> Result<()> {
    named! { fn Scaled(X: R[key]; W: R[key] = |emb|) -> R[] { X dot_key W } }
    let scaled = Scaled::init(&mut seeded(0), (key.of(3), emb.of(5)))?;
    assert_eq!(scaled.W.to_vec(key)?, [5.0; 3]);
    Ok(())
}

#[test]
fn one_tensor_that_stands_for_two_parameters_is_no_variable() {
    named! {
        fn Linear(X: R[key]; W: R[key, emb], b: R[emb] = 0) -> R[emb] { X dot_key W + b }
        fn Two(X: R[key]; f: Linear, g: Linear) -> R[emb] { f(X) + g(X) }
    }
    let layer = Linear::init(&mut seeded(0), (key.of(3), emb.of(2))).unwrap();
    let x = Tensor::ones(key.of(3));
    let tied = Two { f: layer.clone(), g: layer.clone() };
    let words = ["parameters `f.W` and `g.W` are the same tensor", "`.eval()?`"];
    let loss = tied.apply(&x).sum(emb);
    refused(value_and_grad(&loss, &tied), ErrorKind::Value, &words);
    refused(grad(&loss, (&x, &tied)).1.g.b.checked(), ErrorKind::Value, &words);
    refused(jvp(&tied.apply(&x), &tied, &tied).checked(), ErrorKind::Value, &words);
    refused(vjp(&tied.apply(&x), &Tensor::ones(emb.of(2)), &tied).f.W.checked(), ErrorKind::Value, &words);
    // The one that serves both places is a variable, and so are two with numbers of their own.
    assert_eq!(grad(&loss, &layer).b.to_vec(emb).unwrap(), [2.0, 2.0]);
    let own = Two { f: layer.clone(), g: layer.eval().unwrap() };
    let (_, gradient) = value_and_grad(&own.apply(&x).sum(emb), &own).unwrap();
    assert_eq!([gradient.f.b, gradient.g.b].map(|b| b.to_vec(emb).unwrap()), [[1.0, 1.0], [1.0, 1.0]]);
    // Derivatives that happen to be one tensor are ordinary ones.
    assert_eq!(gradient.f.W.to_vec((key, emb)).unwrap(), [1.0; 6]);
}

#[test]
fn what_is_read_of_a_parameter_and_its_shape_can_be_put_back_however_it_came_about() {
    named! { fn Linear(X: R[key]; W: R[key, emb]) -> R[emb] { X dot_key W } }
    let layer = Linear::init(&mut seeded(0), (key.of(3), emb.of(2))).unwrap();
    let x = Tensor::from_fn(key.of(3), |[k]| (k + 1) as f32);
    let weights = Tensor::from_fn(emb.of(2), |[e]| if e == 0 { 1.0 } else { 10.0 });
    let (_, gradient) = value_and_grad(&(layer.apply(&x) * &weights).sum(emb), &layer).unwrap();
    let wanted = [1.0, 10.0, 2.0, 20.0, 3.0, 30.0];
    assert_eq!(gradient.W.to_vec((key, emb)).unwrap(), wanted);
    let mut read = Vec::new();
    gradient.each(|parameter| {
        let names: Vec<_> = parameter.shape().names().collect();
        assert_eq!(names[..], parameter.axes[..], "a shape in the order in which numbers are read");
        read.push((parameter.shape(), parameter.to_vec().unwrap()));
    });
    let mut copy = layer.clone();
    copy.each_mut(|mut parameter| {
        let (shape, numbers) = read.remove(0);
        parameter.set(shape, numbers).unwrap();
    });
    assert_eq!(copy.W.to_vec((key, emb)).unwrap(), wanted);
}

#[test]
fn a_size_that_is_read_is_one_in_all_arguments_and_parameters() {
    named! {
        fn Both(A: R[height, key], B: R[width, key]) -> R[height, width] { (sum_key(A) + sum_key(B)) / |key| }
        fn Behind(A: R[key], B: R[key]) -> R[key] { concat_key(A, B) }
        fn Mean(X: R[key]; w: R[key, emb] = 1) -> R[emb] { (sum_key(X) + sum_key(w)) / |key| }
        fn Checked(A: R[key], B: R[key]) -> R[] where |key| > 1 { sum_key(A) + sum_key(B) }
    }
    let a = |size| Tensor::<R![height, key]>::ones((height.of(2), key.of(size)));
    let b = |size| Tensor::<R![width, key]>::ones((width.of(1), key.of(size)));
    let k = |size| Tensor::<R![key]>::ones(key.of(size));
    let words = ["`|key|`", "`key`", "6 in `A`", "2 in `B`"];
    refused(Both(&a(6), &b(2)).checked(), ErrorKind::SizeClash, &words);
    refused(Checked(&k(6), &k(2)).checked(), ErrorKind::SizeClash, &words);
    assert_eq!(Both(&a(6), &b(6)).to_vec((height, width)).unwrap(), [2.0; 2]);
    assert_eq!(Checked(&k(6), &k(6)).item().unwrap(), 12.0);
    assert_eq!(Behind(&k(6), &k(2)).size(key), 8, "nobody asks for the size");
    let mean = Mean { w: Tensor::ones((key.of(2), emb.of(3))) };
    refused(mean.apply(&k(6)).checked(), ErrorKind::SizeClash, &["`|key|`", "6 in `X`", "2 in `w`"]);
    assert_eq!(mean.apply(&k(2)).to_vec(emb).unwrap(), [2.0; 3]);
    // Whoever carries an error has no size: the error is told.
    let wrong = &a(2) + &a(3);
    refused(Both(&wrong, &b(6)).checked(), ErrorKind::SizeClash, &["`+`", "2", "3"]);
}
