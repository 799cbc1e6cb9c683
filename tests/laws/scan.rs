//! Repetition along an axis is its steps written out: row N3, layers, other directions, lifted or not.
//!
//! Lives here: scans against plain loops and against programs without a scan. Not here: their graphs (unit tests).

use named_tensor::axes::rules::Once;
use named_tensor::axes::selector::Extents;
use named_tensor::prelude::*;
use named_tensor_tests::axes::{a, batch, chans, hidden, hidden_, input, layer, seq};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::Grid;
use named_tensor_tests::reference::feed_forward::elman_step;
use named_tensor_tests::reference::rearrangement::at;
use named_tensor_tests::strategies::{cases, grid, in_both_precisions, laid_out, layout, tensor};
use proptest::prelude::*;

named! {
    /// Row N3: one step of the network.
    fn Elman(H: R[hidden], X: R[input]; W_h: R[hidden, hidden_], W_i: R[input, hidden_], b: R[hidden_]) -> R[hidden] {
        σ(W_h dot_hidden H + W_i dot_input X + b)_{hidden_ -> hidden}
    }

    /// A layer that may be repeated.
    fn Layer(X: R[chans]; W: R[chans, a], b: R[a] ~ uniform(-1, 1)) -> R[chans] {
        X + tanh(X dot_chans W + b)_{a -> chans}
    }
}

/// The weights and inputs of N3: (sizes of seq, batch, hidden, input), from 0.
fn network() -> impl Strategy<Value = [Grid; 5]> {
    [0..6_usize, 1..4, 1..4, 1..4]
        .prop_flat_map(|[n, m, h, i]| [grid(&[m, h]), grid(&[n, m, i]), grid(&[h, h]), grid(&[h, i]), grid(&[h])])
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn n3_a_recurrent_network_over_a_batch_is_the_plain_loop(
        [h0, x, w_h, w_i, b] in network(), l in layout(), k in layout(), backwards: bool,
    ) {
        let (n, m, h) = (x.sizes[0], h0.sizes[0], b.sizes[0]);
        let order: Vec<usize> = if backwards { (0..n).rev().collect() } else { (0..n).collect() };
        let mut last = h0.clone();
        let mut all = Grid::from_fn(&[n, m, h], |_| 0.0);
        for &i in &order {
            let rows: Vec<Grid> =
                (0..m).map(|j| elman_step(&w_h, &w_i, &b, &at(&last, 0, j), &at(&at(&x, 0, i), 0, j))).collect();
            last = Grid::from_fn(&[m, h], |place| rows[place[0]].get(&place[1..]));
            all = Grid::from_fn(&[n, m, h], |place| if place[0] == i { last.get(&place[1..]) } else { all.get(place) });
        }
        in_both_precisions!({
            let model = Elman {
                W_h: tensor!(Number, &w_h, (hidden_, hidden)),
                W_i: tensor!(Number, &w_i, (hidden_, input)),
                b: tensor!(Number, &b, (hidden_)),
            };
            let first = laid_out!(Number, &h0, l, (batch, hidden));
            let x = laid_out!(Number, &x, k, (seq, batch, input));
            let step = |h: Tensor<R![batch, hidden], Number>, x: Tensor<R![batch, input], Number>| {
                let next = model.apply(&h, &x);
                (next.clone(), next)
            };
            let (found, each) = if backwards { scan_backwards(seq, first, &x, step) } else { scan(seq, first, &x, step) };
            // A sigmoid is flatter than 1/4, so errors of the steps before fade.
            let bound = Bound::roundings(40 * (n + 1), 8.0, UNIT);
            assert_close(&found.to_vec((batch, hidden)).unwrap(), &last, bound);
            assert_close(&each.to_vec((seq, batch, hidden)).unwrap(), &all, bound);
        });
    }
}

fn model() -> Elman<f64> {
    Elman::init(&mut seeded(1), (hidden.of(3), hidden_.of(3), input.of(2))).unwrap().cast()
}

fn normal<A: Axes, E>(seed: u64, axes: E) -> Tensor<A, f64>
where
    E: Extents<Set = A> + Once<E::Repeated>,
{
    Tensor::normal(&mut seeded(seed), axes, 0.0, 1.0)
}

fn same(x: &[f64], y: &[f64]) {
    assert_eq!(x.len(), y.len());
    for (x, y) in x.iter().zip(y) {
        assert!((x - y).abs() <= 1e-12 * (1.0 + y.abs()), "{x} {y}");
    }
}

/// A network of one sequence: what its last state adds up to, and all states.
#[lift]
fn states(
    h: &Tensor<R![hidden], f64>,
    x: &Tensor<R![seq, input], f64>,
    w: &Tensor<R![hidden], f64>,
) -> Tensor<R![seq, hidden], f64> {
    let model = model();
    let (_, all) = scan(seq, h.clone(), x, |h, x| {
        let next = model.apply(&h, &x) * w;
        (next.clone(), next)
    });
    all
}

#[test]
fn a_scan_in_a_lifted_function_has_one_run_for_each_position_of_every_extra_axis() {
    let (h, x) = (normal(1, hidden.of(3)), normal(2, (batch.of(4), seq.of(5), input.of(2))));
    let w = normal(3, (layer.of(2), hidden.of(3)));
    let lifted: Tensor<R![batch, layer, seq, hidden], f64> = states(&h, &x, &w);
    for i in 0..4 {
        for j in 0..2 {
            let one: Tensor<R![seq, hidden], f64> = states(&h, &x.at(batch, i), &w.at(layer, j));
            same(&lifted.at(batch, i).at(layer, j).to_vec((seq, hidden)).unwrap(), &one.to_vec((seq, hidden)).unwrap());
        }
    }
    // The axis that is gone along may itself be an extra axis of another argument.
    let crossed: Tensor<R![seq, hidden, batch], f64> = states(&h, &x, &normal(4, hidden.of(3)));
    assert_eq!(crossed.size(batch), 4);
}

#[test]
fn several_tensors_are_carried_along_and_given_out() {
    let (x, y) = (Tensor::new(seq, [1.0, 2.0, 3.0]), Tensor::new((seq, a), [[1.0, 1.0], [0.0, 2.0], [5.0, 0.0]]));
    let first = (Tensor::scalar(0.0), Tensor::zeros(a.of(2)), x.iota(seq).at(seq, 0));
    let ((sum, total, _), (sums, _seen)) = scan(seq, first, (&x, &y, &x.iota(seq)), |(sum, total, _), (x, y, i)| {
        let (sum, total) = (sum + &x, total + y * x);
        ((sum.clone(), total.clone(), i.clone()), (sum, (total, i)))
    });
    assert_eq!((sum.item().unwrap(), total.to_vec(a).unwrap()), (6.0, vec![16.0, 5.0]));
    assert_eq!(sums.to_vec(seq).unwrap(), [1.0, 3.0, 6.0]);
}

#[test]
fn a_hundred_thousand_steps_take_no_more_graph_than_one() {
    let x: Tensor<R![seq], f64> = Tensor::ones(seq.of(100_000));
    let (count, ()) = scan(seq, Tensor::scalar(0.0_f64), &x, |sum, x| (sum + x, ()));
    assert_eq!(count.item().unwrap(), 100_000.0);
}

#[test]
fn stacked_layers_are_the_layers_one_after_the_other_and_so_is_their_gradient() {
    let sizes = (layer.of(5), chans.of(3), a.of(3));
    let deep: Stacked<layer, Layer<f64>, f64> = Stacked::<layer, Layer>::init(&mut seeded(3), sizes).unwrap().cast();
    let each = deep.unstack();
    let x = normal(5, (batch.of(2), chans.of(3)));
    let (y, ()) = scan(layer, x.clone(), &deep, |x, one| (one.apply(&x), ()));
    let by_hand = each.iter().fold(x.clone(), |x, one| one.apply(&x));
    same(&y.to_vec((batch, chans)).unwrap(), &by_hand.to_vec((batch, chans)).unwrap());

    let square = |y: &Tensor<R![batch, chans], f64>| (y * y).sum((batch, chans));
    let d: Stacked<layer, Layer<f64>, f64> = grad(&square(&y), &deep);
    let (first, last) = grad(&square(&by_hand), (&each[0], &each[4]));
    for (found, expected) in [(d.at(0), first), (d.at(4), last)] {
        same(&found.W.to_vec((chans, a)).unwrap(), &expected.W.to_vec((chans, a)).unwrap());
        same(&found.b.to_vec(a).unwrap(), &expected.b.to_vec(a).unwrap());
    }

    let again = stack(layer, &each).unwrap();
    assert_eq!((again.layers(), again.parameters()), (5, deep.parameters()));
    assert_eq!(again.at(3).b.to_vec(a).unwrap(), each[3].b.to_vec(a).unwrap());
    assert!(
        stack::<_, Layer, _>(layer, &[]).unwrap_err().to_string().contains("no layers to stack along axis `layer`")
    );
}

#[test]
fn parameters_may_be_carried_so_learning_is_a_scan() {
    let x = normal(7, (seq.of(200), chans.of(2)));
    let first: Layer<f64> = Layer::init(&mut seeded(1), (chans.of(2), a.of(2))).unwrap().cast();
    let (learned, losses) = scan(seq, first, &x, |model, x| {
        let error = model.apply(&x) - &x * 1.5;
        let loss = error.dot(chans, &error);
        let d = grad(&loss, &model);
        let next = Layer { W: &model.W - d.W * 0.1, b: &model.b - d.b * 0.1 };
        (next, loss)
    });
    let losses = losses.to_vec(seq).unwrap();
    assert!(losses[..10].iter().sum::<f64>() > 10.0 * losses[190..].iter().sum::<f64>(), "{losses:?}");
    assert!(learned.W.to_vec((chans, a)).is_ok());
}

#[test]
fn a_step_that_changes_a_size_or_reads_a_number_is_told() {
    let (x, h) = (Tensor::zeros((seq.of(3), a.of(2))), Tensor::zeros(a.of(2)));
    let (last, ()) = scan(seq, h.clone(), &x, |h: Tensor<R![a]>, x| (h.concat(a, &x), ()));
    let told = last.checked().unwrap_err();
    assert_eq!(told.kind(), ErrorKind::SizeClash);
    assert!(told.to_string().contains("axis `a` of a carry has size 2 before a step, 4 after it"), "{told}");
    assert_eq!(told.place().unwrap().file(), file!());
    let (_, ()) = scan(seq, h, &x, |h: Tensor<R![a]>, x: Tensor<R![a]>| {
        let shown = format!("{h} {x}");
        assert_eq!(shown.matches(file!()).count(), 2, "says where: {shown}");
        let told = x.to_vec(a).unwrap_err();
        assert!(told.to_string().starts_with("a tensor cannot be read inside `scan`"), "{told}");
        (h, ())
    });
}

#[test]
fn a_constant_from_outside_may_be_a_variable() {
    let (x, w) = (Tensor::new(seq, [1.0, 2.0, 3.0]), Tensor::scalar(2.0));
    let (last, ()) = scan(seq, Tensor::scalar(0.0), &x, |h, x| (h * &w + x, ()));
    // h = w² + 2w + 3
    assert_eq!(grad(&last, &w).item().unwrap(), 6.0);
    assert_eq!(jacobian(&last, &w).item().unwrap(), 6.0);

    // A bias begins as 0, the same number everywhere.
    named! { fn Sum(H: R[chans], X: R[]; b: R[chans] = 0) -> R[chans] { H + X + b } }
    let model: Sum = Sum::init(&mut seeded(0), chans.of(2)).unwrap();
    let (last, ()) = scan(seq, Tensor::<R![chans]>::zeros(chans.of(2)), &x, |h, x| (model.apply(&h, &x), ()));
    assert_eq!(grad(&last.sum(chans), &model).b.to_vec(chans).unwrap(), [3.0, 3.0]);
}

#[test]
fn a_gradient_through_a_scan_in_a_lifted_function_is_one_for_each_position() {
    named! { fn Step(H: R[], X: R[], W: R[]) -> R[] { tanh(H * W + X) } }
    #[lift]
    fn own(x: &Tensor<R![seq], f64>, w: &Tensor<R![], f64>) -> Tensor<R![], f64> {
        let (last, ()) = scan(seq, Tensor::scalar(0.5), x, |h, x| (Step(&h, &x, w), ()));
        grad(&last, w)
    }
    let x = Tensor::<R![batch, seq], f64>::from_array((batch, seq), [[0.1, 0.2, 0.3], [0.3, -0.2, 0.1]]);
    let w = Tensor::scalar(0.7);
    let each: Tensor<R![batch], f64> = own(&x, &w);
    let one_by_one = [own(&x.at(batch, 0), &w).item().unwrap(), own(&x.at(batch, 1), &w).item().unwrap()];
    for (found, expected) in each.to_vec(batch).unwrap().into_iter().zip(one_by_one) {
        assert!((found - expected).abs() < 1e-14, "{found} instead of {expected}");
    }
}
