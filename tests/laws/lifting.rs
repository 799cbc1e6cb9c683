//! Lifting: a function applied to tensors with further axes is the function applied at each position of them.
//!
//! This is rule 3 of the notation, and the first law: f lifted, then read at s′, equals f of the arguments read at s′,
//! also where an extra axis has the name of an axis of the body, of a parameter or of another argument.
//! Lives here: functions of one, two and three arguments, as Rust and as equations. Not here: blocks (`models`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{batch, depth, heads, key, seq, seq_, val};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::attention::attend;
use named_tensor_tests::reference::rearrangement::at;
use named_tensor_tests::reference::{Grid, contraction};
use named_tensor_tests::strategies::{cases, grids, in_both_precisions, laid_out, layout, tensor};
use proptest::prelude::*;

/// `Σ_{i,j} x_i x_j`, by way of an axis `seq` that is the body's own.
#[lift]
fn square_of_the_sum<T: Real>(x: &Tensor<R![key], T>) -> Tensor<R![], T> {
    (x * &x.rename(key, seq)).sum((key, seq))
}

/// `max_s Σ_k q_k K_{s,k}`
#[lift]
fn best_score<T: Real>(q: &Tensor<R![key], T>, k: &Tensor<R![seq, key], T>) -> Tensor<R![], T> {
    q.dot(key, k).max(seq)
}

/// Attention as an ordinary Rust function.
#[lift]
fn attention<T: Real>(
    q: &Tensor<R![key], T>,
    k: &Tensor<R![seq, key], T>,
    v: &Tensor<R![seq, val], T>,
) -> Tensor<R![val], T> {
    let scale = T::from_f64((q.size(key) as f64).sqrt());
    (q.dot(key, k) / scale).softmax(seq).dot(seq, v)
}

/// A lifted function that calls one.
#[lift]
fn attention_to_itself<T: Real>(x: &Tensor<R![seq, key], T>) -> Tensor<R![seq, val], T> {
    attention(x, x, &x.rename(key, val))
}

/// How many positions, whatever the numbers.
#[lift]
fn count<T: Real>(x: &Tensor<R![key], T>) -> Tensor<R![], T> {
    Tensor::scalar(T::from_f64(x.size(key) as f64))
}

/// The first argument; the second only has axes.
#[lift]
fn first<T: Real>(x: &Tensor<R![key], T>, _: &Tensor<R![val], T>) -> Tensor<R![key], T> {
    x.clone()
}

named! {
    /// Attention : R^key x R^{seq x key} x R^{seq x val} -> R^val
    fn Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
        softmax_seq(Q dot_key K / sqrt(|key|)) dot_seq V
    }

    fn BestScore(Q: R[key], K: R[seq, key]) -> R[] {
        max_seq(Q dot_key K)
    }

    fn product_{ax}(X: R[ax], Y: R[ax]) -> R[] {
        X dot_ax Y
    }

    fn shares_{ax}(X: R[ax]) -> R[ax] {
        X / sum_ax(X)
    }

    fn Between(X: R[], Y: R[], a: R[]) -> R[] { X + σ(a) * (Y - X) }

    fn AttentionToItself(X: R[seq, key]) -> R[seq, val] {
        Attention(X, X, X_{key -> val})
    }
}

/// The scores of at most 67 products of numbers below 2, exponentials of them, and a mean of numbers below 2.
fn attended(keys: usize, positions: usize, unit: f64) -> Bound {
    Bound::roundings(positions + 4 * keys * keys + 16, 4.0, unit)
}

fn number(grid: &Grid) -> f64 {
    let sum: f64 = grid.values.iter().sum();
    sum * sum
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn a_function_of_one_argument_is_applied_at_each_extra_position(
        [x] in grids(|[s, b, k]| [vec![s, b, k]]), l in layout(),
    ) {
        in_both_precisions!({
            // `seq` is an axis of the body too.
            let t = laid_out!(Number, &x, l, (seq, batch, key));
            let lifted: Tensor<R![seq, batch], Number> = square_of_the_sum(&t);
            let expected = Grid::from_fn(&x.sizes[..2], |place| number(&at(&at(&x, 0, place[0]), 0, place[1])));
            let n = x.sizes[2] * x.sizes[2];
            let bound = Bound::roundings(n + 1, 4.0 * n as f64, UNIT);
            assert_close(&lifted.to_vec((seq, batch)).unwrap(), &expected, bound);
            for s in 0..x.sizes[0] {
                let inside = square_of_the_sum(&t.at(seq, s)).to_vec(batch).unwrap();
                assert_close(&inside, &at(&expected, 0, s), bound);
            }
        });
    }

    #[test]
    fn a_function_of_two_arguments_aligns_extras_of_one_name_and_keeps_the_bodys_axes_apart(
        [q, k] in grids(|[s, b, k, n]| [vec![s, b, k], vec![n, k, b]]), l in layout(), m in layout(),
    ) {
        in_both_precisions!({
            // The extra `seq` of q must not meet the declared `seq` of k; `batch` of both is aligned.
            let queries = laid_out!(Number, &q, l, (seq, batch, key));
            let keys = laid_out!(Number, &k, m, (seq, key, batch));
            let lifted: Tensor<R![seq, batch], Number> = best_score(&queries, &keys);
            let expected = Grid::from_fn(&q.sizes[..2], |place| {
                let query = at(&at(&q, 0, place[0]), 0, place[1]);
                let scores = contraction::matrix_vector(&at(&k, 2, place[1]), &query);
                scores.values.into_iter().fold(f64::NEG_INFINITY, f64::max)
            });
            let n = q.sizes[2];
            let bound = Bound::roundings(n + 1, 4.0 * n as f64, UNIT);
            assert_close(&lifted.to_vec((seq, batch)).unwrap(), &expected, bound);
            assert_close(&BestScore(&queries, &keys).to_vec((seq, batch)).unwrap(), &expected, bound);
            for s in 0..q.sizes[0] {
                let inside = best_score(&queries.at(seq, s), &keys).to_vec(batch).unwrap();
                assert_close(&inside, &at(&expected, 0, s), bound);
            }
        });
    }

    #[test]
    fn a_function_of_three_arguments_with_extras_on_each(
        [q, k, v] in grids(|[s, b, k, n, h, v]| [vec![s, b, k], vec![n, k, b], vec![n, v, h]]),
        l in layout(), m in layout(), r in layout(),
    ) {
        in_both_precisions!({
            let queries = laid_out!(Number, &q, l, (seq, batch, key));
            let keys = laid_out!(Number, &k, m, (seq, key, batch));
            let values = laid_out!(Number, &v, r, (seq, val, heads));
            let lifted: Tensor<R![seq, batch, heads, val], Number> = attention(&queries, &keys, &values);
            let [s, b, n, h] = [q.sizes[0], q.sizes[1], k.sizes[0], v.sizes[2]];
            let expected = Grid::from_fn(&[s, b, h, v.sizes[1]], |place| {
                let query = at(&at(&q, 0, place[0]), 0, place[1]).values;
                attend(&query, &at(&k, 2, place[1]), &at(&v, 2, place[2]), None)[place[3]]
            });
            let bound = attended(q.sizes[2], n, UNIT);
            let order = (seq, batch, heads, val);
            assert_close(&lifted.to_vec(order).unwrap(), &expected, bound);
            let equation: Tensor<R![seq, batch, heads, val], Number> = Attention(&queries, &keys, &values);
            assert_close(&equation.to_vec(order).unwrap(), &expected, bound);
            for place in 0..b {
                let inside = attention(&queries.at(batch, place), &keys.at(batch, place), &values);
                assert_close(&inside.to_vec((seq, heads, val)).unwrap(), &at(&expected, 1, place), bound);
            }
        });
    }

    #[test]
    fn an_extra_axis_of_the_same_name_is_not_the_diagonal([x] in grids(|[s, k]| [vec![s, k]]), l in layout()) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (seq, key));
            let expected = Grid::from_fn(&x.sizes, |place| {
                attend(&at(&x, 0, place[0]).values, &x, &x, None)[place[1]]
            });
            let bound = attended(x.sizes[1], x.sizes[0], UNIT);
            let renamed = attention(&t.rename(seq, seq_), &t, &t.rename(key, val)).rename(seq_, seq);
            assert_close(&renamed.to_vec((seq, val)).unwrap(), &expected, bound);
            let direct: Tensor<R![seq, val], Number> = attention(&t, &t, &t.rename(key, val));
            assert_close(&direct.to_vec((seq, val)).unwrap(), &expected, bound);
            assert_close(&attention_to_itself(&t).to_vec((seq, val)).unwrap(), &expected, bound);
            assert_close(&AttentionToItself(&t).to_vec((seq, val)).unwrap(), &expected, bound);
        });
    }

    #[test]
    fn a_lifted_function_that_calls_a_lifted_function_is_lifted_again(
        [x] in grids(|[d, b, s, k]| [vec![d, b, s, k]]), l in layout(),
    ) {
        let t = laid_out!(f64, &x, l, (depth, batch, seq, key));
        let lifted: Tensor<R![depth, batch, seq, val], f64> = attention_to_itself(&t);
        let equation: Tensor<R![depth, batch, seq, val], f64> = AttentionToItself(&t);
        let bound = attended(x.sizes[3], x.sizes[2], f64::EPSILON);
        for d in 0..x.sizes[0] {
            for b in 0..x.sizes[1] {
                let inner = at(&at(&x, 0, d), 0, b);
                let expected = Grid::from_fn(&inner.sizes, |place| {
                    attend(&at(&inner, 0, place[0]).values, &inner, &inner, None)[place[1]]
                });
                for lifted in [&lifted, &equation] {
                    let actual = lifted.at(depth, d).at(batch, b).to_vec((seq, val)).unwrap();
                    assert_close(&actual, &expected, bound);
                }
            }
        }
    }
}

#[test]
fn a_result_that_does_not_depend_on_an_argument_has_its_extra_axes_all_the_same() {
    let x = tensor!(f64, &Grid::new(&[2, 3], vec![1., 2., 3., 4., 5., 6.]), (seq, key));
    let counts: Tensor<R![seq], f64> = count(&x);
    assert_eq!(counts.to_vec(seq).unwrap(), [3., 3.]);
    let y = tensor!(f64, &Grid::new(&[2, 1], vec![7., 8.]), (batch, val));
    let repeated: Tensor<R![seq, key, batch], f64> = first(&x, &y);
    assert_eq!(repeated.to_vec((batch, seq, key)).unwrap(), [1., 2., 3., 4., 5., 6., 1., 2., 3., 4., 5., 6.]);
    let sum: Tensor<R![batch, key], f64> = first(&x, &y).sum(seq);
    assert_eq!(sum.to_vec((batch, key)).unwrap(), [5., 7., 9., 5., 7., 9.]);
    let twice: Tensor<R![batch], f64> = first(&x, &y).sum((seq, key)) + count(&x).sum(seq);
    assert_eq!(twice.to_vec(batch).unwrap(), [27., 27.]);
}

#[test]
fn extras_of_one_name_whose_sizes_clash_are_refused() {
    let (x, y) = (
        Tensor::<_, f64>::zeros((batch.of(2), key.of(3))),
        Tensor::<_, f64>::zeros((batch.of(4), seq.of(5), key.of(3))),
    );
    let error = best_score(&x, &y).to_vec(batch).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SizeClash);
    for word in ["`batch`", "2", "4", "best_score"] {
        assert!(error.to_string().contains(word), "`{word}` is not in: {error}");
    }
    let place = error.place().expect("the error has a place");
    assert!(place.file().ends_with("lifting.rs"), "the call stands in this file, not in {}", place.file());
    // Also where the body never lets the two meet.
    let (x, y) = (Tensor::<_, f64>::zeros((batch.of(2), key.of(3))), Tensor::<_, f64>::zeros((batch.of(4), val.of(3))));
    assert_eq!(first(&x, &y).to_vec((batch, key)).unwrap_err().kind(), ErrorKind::SizeClash);
}

#[test]
fn a_function_of_numbers_is_that_of_each_number_and_has_all_axes_of_its_arguments() {
    let x = tensor!(f64, &Grid::new(&[2, 2], vec![1., 2., 3., 4.]), (seq, key));
    let y = tensor!(f64, &Grid::new(&[2], vec![5., 7.]), (key));
    let a = tensor!(f64, &Grid::new(&[3], vec![0., f64::INFINITY, f64::NEG_INFINITY]), (batch));
    let between: Tensor<R![seq, key, batch], f64> = Between(&x, &y, &a);
    let halves = [3., 4.5, 4., 5.5];
    let all = [&halves[..], &[5., 7., 5., 7.], &[1., 2., 3., 4.]].concat();
    assert_eq!(between.to_vec((batch, seq, key)).unwrap(), all);
    let gradient = grad(&between.sum((seq, key, batch)), &x).to_vec((seq, key)).unwrap();
    assert_eq!(gradient, [1.5; 4]);
    let error = Between(&x, &Tensor::<_, f64>::zeros(key.of(3)), &a).to_vec((seq, key, batch)).unwrap_err();
    let words = "sizes clash among the arguments of `Between`: axis `key` has size 2 in one, 3 in another";
    assert!(error.to_string().starts_with(words), "{error}");
    assert!(error.place().is_some_and(|place| place.file().ends_with("lifting.rs")), "{error}");
}

#[test]
fn an_axis_parameter_stands_for_one_axis_or_for_several() {
    let x = tensor!(f64, &Grid::new(&[2, 2, 2], vec![1., 3., 2., 2., 1., 1., 5., 1.]), (batch, seq, key));
    assert_eq!(shares(key, &x).to_vec((batch, seq, key)).unwrap(), [0.25, 0.75, 0.5, 0.5, 0.5, 0.5, 5. / 6., 1. / 6.]);
    let both = shares((key, seq), &x).to_vec((batch, seq, key)).unwrap();
    assert_eq!(both, [0.125, 0.375, 0.25, 0.25, 0.125, 0.125, 0.625, 0.125]);
    assert_eq!(shares((seq, key), &x).to_vec((batch, seq, key)).unwrap(), both);
    assert_eq!(product((seq, key), &x, &x).to_vec(batch).unwrap(), [18., 28.]);
    assert_eq!(product(seq, &x, &x).to_vec((batch, key)).unwrap(), [5., 13., 26., 2.]);
    assert_eq!(product((batch, key, seq), &x, &x).item().unwrap(), 46.);
}

#[test]
fn an_axis_parameter_that_stands_for_two_axes_needs_each_size_to_agree() {
    let (x, y) = (Tensor::<_, f64>::zeros((seq.of(2), key.of(3))), Tensor::<_, f64>::zeros((seq.of(3), key.of(2))));
    // 2 · 3 = 3 · 2, but the positions are not the same.
    let error = product((seq, key), &x, &y).item().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SizeClash, "{error}");
}

#[test]
fn an_extra_axis_in_two_sizes_is_told_of_as_one_of_the_arguments() {
    named! { fn Mixed(x: R[key], y: R[key], z: R[key]) -> R[key] { x * y + z } }
    let of = |size| Tensor::<_, f64>::ones((batch.of(size), key.of(2)));
    let error = Mixed(&of(3), &Tensor::ones(key.of(2)), &of(4)).checked().unwrap_err();
    let words = "sizes clash among the arguments of `Mixed`: axis `batch` has size 3 in one, 4 in another";
    assert!(error.to_string().starts_with(words), "{error}");
    assert!(error.place().is_some_and(|place| place.file().ends_with("lifting.rs")), "{error}");
}

#[test]
fn what_is_counted_in_a_lifted_function_is_what_is_there_at_each_position() {
    named! { fn Linear(x: R[key]; W: R[key, val] = 1, b: R[val] = 0) -> R[val] { x dot_key W + b } }
    #[lift]
    fn counted(x: &Tensor<R![key, val]>, b: &Tensor<R![val]>) -> Tensor<R![]> {
        let model = Linear { W: x.clone(), b: b.clone() };
        let sizes: Vec<String> = model.parameters().into_iter().map(|(_, shape)| shape.to_string()).collect();
        assert_eq!((x.shape().rank(), sizes[1].as_str()), (2, "[val: 3]"));
        model.each(|parameter| assert_eq!(parameter.shape().rank(), parameter.axes.len()));
        Tensor::scalar((x.shape().elements() + model.count()) as f32)
    }
    let (x, b) = (Tensor::ones((batch.of(4), key.of(2), val.of(3))), Tensor::ones((batch.of(4), val.of(3))));
    assert_eq!(counted(&x, &b).to_vec(batch).unwrap(), [15.0; 4]);
    assert_eq!(counted(&x.at(batch, 0), &b.at(batch, 0)).item().unwrap(), 15.0);
}

#[test]
fn an_error_names_the_equation_that_it_was_raised_in_and_none_that_it_was_given_to() {
    named! {
        fn Twice(x: R[key]) -> R[key] { 2 * x }
        fn Times(x: R[key]; w: R[key] = 1) -> R[key] { w * x }
        fn Ninth(x: R[key]) -> R[] {
            y = x_{key(0..9)};
            sum_key(Twice(y))
        }
    }
    let (x, y) = (Tensor::<key>::ones(key.of(3)), Tensor::<key>::ones(key.of(4)));
    let words = |error: Error| error.to_string();
    assert!(words(Ninth(&x).item().unwrap_err()).contains("in `Ninth`, at"));
    let clash = &x + &y;
    let alone = words(clash.clone().checked().unwrap_err());
    assert!(!alone.contains("in `Twice`"), "{alone}");
    assert_eq!(words(Twice(&clash).checked().unwrap_err()), alone, "an argument");
    assert_eq!(words(Times { w: clash }.apply(&x).checked().unwrap_err()), alone, "a parameter");
    assert!(words(Times { w: y }.apply(&x).checked().unwrap_err()).contains("in `Times`, at"));
}

#[test]
fn a_function_at_exactly_its_declared_axes_is_itself() {
    let x = tensor!(f64, &Grid::new(&[2], vec![3., 4.]), (key));
    assert_eq!(square_of_the_sum(&x).item().unwrap(), 49.);
}

#[test]
fn reading_inside_a_lifted_function_is_refused_where_extra_axes_are_there() {
    #[lift]
    fn peeks(x: &Tensor<R![key], f64>) -> Tensor<R![], f64> {
        match x.to_vec(key) {
            Ok(values) => Tensor::scalar(values.into_iter().sum()),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Lifted);
                x.sum(key)
            }
        }
    }
    let x = tensor!(f64, &Grid::new(&[2, 2], vec![1., 2., 3., 4.]), (seq, key));
    assert_eq!(peeks(&x).to_vec(seq).unwrap(), [3., 7.]);
    assert_eq!(peeks(&x.at(seq, 1)).item().unwrap(), 7.);
}

#[test]
fn axes_have_any_name_also_that_of_a_type_parameter_of_what_is_generated() {
    axes! { B, T, C, H, S, U }
    named! {
        fn Head(x: R[T, C]; w: R[C, H], v: R[C, S] = 1) -> R[T, H] {
            z: R[T, S] = x dot_C v;
            p_{T(i), U(j: |T|)} = if j <= i { 1 } else { 0 };
            (x dot_C w) * sum_S(z) * sum_U(p)
        }
        fn Last(x: R[T, C], i: T[], m: B[C]) -> R[C] { if m { index_T(x, i) } else { sum_T(x) } }
        fn Two(x: R[T, C], i: T[], m: B[C]; head: Head) -> R[T, H] { head(x * Last(x, i, m)) }
    }
    let two: Two<f64> = Two::init(&mut seeded(0), (C.of(2), H.of(1), S.of(1))).unwrap().cast();
    let two = Two { head: Head { w: Tensor::ones((C.of(2), H.of(1))), ..two.head } };
    let x = Tensor::<R![B, T, C], f64>::from_array((B, T, C), [[[1.0, 2.0], [3.0, 4.0]]]);
    let (i, m) = (Tensor::indices_from_vec((), T, vec![1]).unwrap(), Tensor::from_array(C, [true, false]));
    // The row read is (3, 6), so x becomes ((3, 12), (9, 24)); its sums are 15 and 33, squared, and row i counts i + 1.
    assert_eq!(two.apply(&x, &i, &m).to_vec((B, T, H)).unwrap(), [225.0, 2178.0]);
}
