//! Printed equations are programs: pasted into `named!`, they compute what they were printed from.
//!
//! In each test the body of a function is the printed text, compared with it word by word, and the function is evaluated
//! against the tensor that was printed, and for derivatives against central differences. Rows C2 to C10 of the inventory.
//! Lives here: the round trip through the compiler. Not here: the round trip of random graphs (`display::equation`).

use named_tensor::prelude::*;
use named_tensor::{Equations, differential};

named_tensor::axes! { ax, seq, seq_, key, val, chans, out, a, b, c, hidden, kernel }

type X = Tensor<R![ax], f64>;

named! {
    fn Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
        softmax_seq(Q dot_key K) dot_seq V
    }

    fn Weights(Q: R[key], K: R[seq, key]) -> R[seq] {
        softmax_seq(Q dot_key K)
    }

    fn SquareChange(X: R[ax], dX: R[ax]) -> R[] {
        2 * (X dot_ax dX)
    }

    fn Second() -> R[star(ax), star(star(ax))] {
        2 * eye_{star(ax), star(star(ax))}(4)
    }

    fn ProductChange(U: R[ax], V: R[ax], dU: R[ax], dV: R[ax]) -> R[ax] {
        U * dV + V * dU
    }

    fn QuotientChange(U: R[ax], V: R[ax], dU: R[ax], dV: R[ax]) -> R[ax] {
        (dU - U / V * dV) / V
    }

    fn ChainChange(X: R[ax], W: R[ax, out], dX: R[ax]) -> R[out] {
        Y1: R[out] = tanh(X dot_ax W);
        (1 - Y1) * (1 + Y1) * (W dot_ax dX)
    }

    fn ExpChange(X: R[ax], dX: R[ax]) -> R[ax] {
        exp(X) * dX
    }

    fn SoftmaxChange(X: R[ax], dX: R[ax]) -> R[ax] {
        s: R[ax] = softmax_ax(X);
        s * (dX - s dot_ax dX)
    }

    fn SoftmaxJacobian(X: R[ax]) -> R[ax, star(ax)] {
        s: R[ax] = softmax_ax(X);
        s * (eye_{ax, star(ax)}(4) - s_{ax -> star(ax)})
    }

    fn ByV(Q: R[key], K: R[seq, key]) -> R[val, star(seq), star(val)] {
        α: R[seq] = softmax_seq(Q dot_key K);
        α_{seq -> star(seq)} * eye_{val, star(val)}(2)
    }

    fn ByQ(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val, star(key)] {
        α: R[seq] = softmax_seq(Q dot_key K);
        V dot_seq (α * (K_{key -> star(key)} - α dot_seq K_{key -> star(key)}))
    }

    fn ByK(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val, star(seq), star(key)] {
        α: R[seq] = softmax_seq(Q dot_key K);
        V dot_seq (α * (Q_{key -> star(key)} * eye_{seq, star(seq)}(4) - α_{seq -> star(seq)} * Q_{key -> star(key)}))
    }

    fn ByManyQ(Q: R[seq_, key], K: R[seq, key], V: R[seq, val]) -> R[seq_, val, star(seq_), star(key)] {
        Y1: R[seq_, seq] = softmax_seq(Q dot_key K);
        V dot_seq (Y1 * (K_{key -> star(key)} - Y1 dot_seq K_{key -> star(key)})) * eye_{seq_, star(seq_)}(3)
    }

    fn NormChange(X: R[chans], γ: R[chans], dX: R[chans], dγ: R[chans], dβ: R[chans]) -> R[chans] {
        Y1: R[chans] = standardize_chans(X);
        Y1 * dγ + γ * ((dX - mean_chans(dX) - Y1 * (Y1 dot_chans dX / 3)) / sqrt(var_chans(X) + 1e-5)) + dβ
    }

    fn Loss(X: R[ax], W: R[ax]) -> R[ax] {
        Y1: R[ax] = softmax_ax(X);
        Y2: R[ax] = W / Y1;
        Y1 * (Y2 - Y1 dot_ax Y2)
    }

    fn Lifted(X: R[seq, key]) -> R[seq, key] {
        M1_{seq(i: 4), seq_(j: 4)} = if i <= j { 0 } else { -inf };
        (softmax_seq(X_{seq -> seq_} dot_key X + M1) dot_seq X)_{seq_ -> seq}
    }

    fn Positions(X: R[a, b], I: a[b]) -> R[b, c] {
        I1_{a(i: 4)} = i;
        Y1: R[b, a] = index_a(X, 3 - I1);
        M1_{a(i: 4)} = i + 1 < 3;
        M2_{c(j: 2)} = 0.5;
        (if M1 { Y1 } else { -Y1 }) dot_a one_hot_a(I, 4) + index_a(X, I) * M2
    }

    fn Words(X: R[a, b]) -> R[a] {
        M1: B[a, b] = X >= 0.5 && !(X == 2);
        Y1: R[a, b] = clamp(X, -0.5, 0.75) + cumsum_a(index_a(X, argmaxk_a(X, 4)));
        Y2: R[a, b] = if M1 { Y1 } else { concat_a(X_{a(1..4)}, X_{a(0..1)}) };
        if M1_{b(0)} { norm_{a, b}(Y2, 3) - max_a(maxk_a(Y1, 2)_{b(1)}) } else { Y2_{(b, a) -> c}_{c(0..4)}_{c -> a}^2 }
    }

    fn Windows(X: R[a, b]) -> R[c, kernel] {
        sum_a(unroll_{a, kernel}(X, 2)_{b -> (c: 2, b: 1)}_{b(0)}) / prod_a(pool_{a, kernel}(exp(X), 2)_{b(1)})
    }
}

/// The words of a printed page, whatever its line breaks.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words of a function's body are those that are printed.
#[track_caller]
fn assert_printed(equation: &str, printed: &Equations) {
    let (_, body) = equation.split_once('{').expect("a function has a body");
    let body = body.strip_suffix('}').expect("a body ends with a brace");
    assert_eq!(words(body), words(&printed.to_string()), "the printed text and the function");
}

#[track_caller]
fn assert_near(x: &[f64], y: &[f64], bound: f64) {
    assert!(!x.is_empty() && x.len() == y.len(), "{} and {} numbers", x.len(), y.len());
    assert!(x.iter().zip(y).all(|(x, y)| (x - y).abs() <= bound), "{x:?} and {y:?} differ by more than {bound}");
}

/// Between -1 and 1, another for each place and seed.
fn numbers(count: usize, seed: usize) -> Vec<f64> {
    (0..count).map(|i| ((i * 7919 + seed * 104_729 + 13) % 199) as f64 / 100.0 - 0.99).collect()
}

fn x(seed: usize) -> X {
    Tensor::from_vec(ax.of(4), numbers(4, seed)).unwrap()
}

/// A step for central differences: they are off by h² times a third derivative, and by the 10⁻¹⁶ of rounding over h.
const STEP: f64 = 1e-5;
/// The bound on both for numbers of size 1.
const BOUND: f64 = 1e-8;
/// Two ways to the same number differ by some roundings.
const ROUNDING: f64 = 1e-14;

/// How a function of one tensor changes at X along dX, by a central difference.
fn difference<A: Axes<Union<A> = A>, B: Axes>(
    of: impl Fn(&Tensor<A, f64>) -> Tensor<B, f64>,
    at: (&Tensor<A, f64>, &Tensor<A, f64>),
    read: impl Fn(&Tensor<B, f64>) -> Vec<f64>,
) -> Vec<f64> {
    let change = at.1 * STEP;
    let (after, before) = (read(&of(&(at.0 + &change))), read(&of(&(at.0 - &change))));
    after.iter().zip(&before).map(|(after, before)| (after - before) / (2.0 * STEP)).collect()
}

#[test]
fn c2_the_change_of_a_square_is_twice_the_contraction_with_the_change() {
    let (x, dx) = (x(1), x(2));
    let square = x.dot(ax, &x);
    assert_printed(SquareChange::EQUATION, &differential(&square, &[("X", &x)]));
    let found = SquareChange(&x, &dx).item().unwrap();
    assert_near(&[found], &[jvp(&square, &x, &dx).item().unwrap()], ROUNDING);
    let expected = difference(|x| x.dot(ax, x), (&x, &dx), |y| vec![y.item().unwrap()]);
    assert_near(&[found], &expected, BOUND);
}

#[test]
fn c1_the_second_derivative_of_a_square_is_twice_the_identity() {
    let x = x(1);
    let second = hessian(&x.dot(ax, &x), &x);
    assert_printed(Second::EQUATION, &second.equations());
    let order = (star(ax), star(star(ax)));
    let found: Tensor<_, f64> = Second();
    assert_eq!(found.to_vec(order).unwrap(), second.to_vec(order).unwrap());
}

#[test]
fn c3_products_and_quotients_change_by_the_rules_of_the_paper() {
    let (u, v, du, dv) = (x(1), (x(2) + 2.0).eval().unwrap(), x(3), x(4));
    let read = |y: &X| y.to_vec(ax).unwrap();
    let by_both = |of: fn(&X, &X) -> X| {
        let by_u = difference(|u| of(u, &v), (&u, &du), read);
        let by_v = difference(|v| of(&u, v), (&v, &dv), read);
        by_u.iter().zip(by_v).map(|(x, y)| x + y).collect::<Vec<f64>>()
    };
    assert_printed(ProductChange::EQUATION, &differential(&(&u * &v), &[("U", &u), ("V", &v)]));
    let found = read(&ProductChange(&u, &v, &du, &dv));
    assert_near(&found, &read(&jvp(&(&u * &v), (&u, &v), &(du.clone(), dv.clone()))), ROUNDING);
    assert_near(&found, &by_both(|u, v| u * v), BOUND);

    assert_printed(QuotientChange::EQUATION, &differential(&(&u / &v), &[("U", &u), ("V", &v)]));
    let found = read(&QuotientChange(&u, &v, &du, &dv));
    assert_near(&found, &read(&jvp(&(&u / &v), (&u, &v), &(du.clone(), dv.clone()))), ROUNDING);
    assert_near(&found, &by_both(|u, v| u / v), BOUND);
    // As the paper has it: (V * dU - U * dV) / V².
    let paper = (&v * &du - &u * &dv) / (&v * &v);
    assert_near(&found, &read(&paper), ROUNDING);
}

#[test]
fn c4_a_chain_changes_by_the_change_of_its_inner_function() {
    let (x, dx) = (x(1), x(2));
    let w: Tensor<R![ax, out], f64> = Tensor::from_vec((ax.of(4), out.of(3)), numbers(12, 3)).unwrap();
    let y = x.dot(ax, &w).tanh();
    assert_printed(ChainChange::EQUATION, &differential(&y, &[("X", &x)]).naming(&[("W", &w)]));
    let read = |y: &Tensor<R![out], f64>| y.to_vec(out).unwrap();
    let found = read(&ChainChange(&x, &w, &dx));
    assert_near(&found, &read(&jvp(&y, &x, &dx)), ROUNDING);
    assert_near(&found, &difference(|x| x.dot(ax, &w).tanh(), (&x, &dx), read), BOUND);

    assert_printed(ExpChange::EQUATION, &differential(&x.exp(), &[("X", &x)]));
    let read = |y: &X| y.to_vec(ax).unwrap();
    assert_near(&read(&ExpChange(&x, &dx)), &difference(|x| x.exp(), (&x, &dx), read), BOUND);
}

#[test]
fn c5_the_differential_and_the_jacobian_of_softmax_print_as_in_the_paper() {
    let (x, dx) = (x(1), x(2));
    let s = x.softmax(ax);
    let read = |y: &X| y.to_vec(ax).unwrap();
    assert_printed(SoftmaxChange::EQUATION, &differential(&s, &[("X", &x)]).naming(&[("s", &s)]));
    let found = read(&SoftmaxChange(&x, &dx));
    let expected = difference(|x| x.softmax(ax), (&x, &dx), read);
    assert_near(&found, &read(&jvp(&s, &x, &dx)), ROUNDING);
    assert_near(&found, &expected, BOUND);

    let derivative = jacobian(&s, &x);
    assert_printed(SoftmaxJacobian::EQUATION, &derivative.equations().naming(&[("X", &x), ("s", &s)]));
    let found = SoftmaxJacobian(&x);
    let order = (ax, star(ax));
    assert_near(&found.to_vec(order).unwrap(), &derivative.to_vec(order).unwrap(), ROUNDING);
    assert_near(&read(&found.dot(star(ax), &dx.rename(ax, star(ax)))), &expected, BOUND);
}

type Q = Tensor<R![key], f64>;
type K = Tensor<R![seq, key], f64>;
type V = Tensor<R![seq, val], f64>;

fn qkv(seed: usize) -> (Q, K, V) {
    let q = Tensor::from_vec(key.of(3), numbers(3, seed)).unwrap();
    let k = Tensor::from_vec((seq.of(4), key.of(3)), numbers(12, seed + 1)).unwrap();
    let v = Tensor::from_vec((seq.of(4), val.of(2)), numbers(8, seed + 2)).unwrap();
    (q, k, v)
}

fn read_val(y: &Tensor<R![val], f64>) -> Vec<f64> {
    y.to_vec(val).unwrap()
}

#[test]
fn c8_the_derivative_of_attention_by_its_values_prints_as_in_the_paper() {
    let ((q, k, v), (_, _, dv)) = (qkv(1), qkv(5));
    let derivative = jacobian(&Attention(&q, &k, &v), &v);
    let names = derivative.equations().naming(&[("Q", &q), ("K", &k), ("V", &v), ("α", &Weights(&q, &k))]);
    assert_printed(ByV::EQUATION, &names);
    // Nothing in it has the axis val, so the type of the function says which one is meant.
    let found: Tensor<R![val, star(seq), star(val)], f64> = ByV(&q, &k);
    let order = (val, star(seq), star(val));
    assert_near(&found.to_vec(order).unwrap(), &derivative.to_vec(order).unwrap(), ROUNDING);
    let change = found.dot((star(seq), star(val)), &dv.rename(seq, star(seq)).rename(val, star(val)));
    assert_near(&read_val(&change), &difference(|v| Attention(&q, &k, v), (&v, &dv), read_val), BOUND);
}

#[test]
fn c9_the_derivative_of_attention_by_its_query_prints_as_in_the_paper() {
    let ((q, k, v), (dq, ..)) = (qkv(1), qkv(5));
    let derivative = jacobian(&Attention(&q, &k, &v), &q);
    let names = derivative.equations().naming(&[("Q", &q), ("K", &k), ("V", &v), ("α", &Weights(&q, &k))]);
    assert_printed(ByQ::EQUATION, &names);
    let found = ByQ(&q, &k, &v);
    let order = (val, star(key));
    assert_near(&found.to_vec(order).unwrap(), &derivative.to_vec(order).unwrap(), ROUNDING);
    let change = found.dot(star(key), &dq.rename(key, star(key)));
    assert_near(&read_val(&change), &difference(|q| Attention(q, &k, &v), (&q, &dq), read_val), BOUND);
}

#[test]
fn c9_of_many_queries_the_derivative_is_lifted_with_an_identity() {
    let (_, k, v) = qkv(1);
    let of =
        |seed| -> Tensor<R![seq_, key], f64> { Tensor::from_vec((seq_.of(3), key.of(3)), numbers(9, seed)).unwrap() };
    let (q, dq) = (of(7), of(8));
    let derivative = jacobian(&Attention(&q, &k, &v), &q);
    let names = derivative.equations().naming(&[("Q", &q), ("K", &k), ("V", &v)]);
    assert_printed(ByManyQ::EQUATION, &names);
    let found = ByManyQ(&q, &k, &v);
    let order = (seq_, val, star(seq_), star(key));
    assert_near(&found.to_vec(order).unwrap(), &derivative.to_vec(order).unwrap(), ROUNDING);
    let change = found.dot((star(seq_), star(key)), &dq.rename(seq_, star(seq_)).rename(key, star(key)));
    let read = |y: &Tensor<R![seq_, val], f64>| y.to_vec((seq_, val)).unwrap();
    assert_near(&read(&change), &difference(|q| Attention(q, &k, &v), (&q, &dq), read), BOUND);
}

#[test]
fn c10_the_derivative_of_attention_by_its_keys_prints_as_in_the_paper() {
    let ((q, k, v), (_, dk, _)) = (qkv(1), qkv(5));
    let derivative = jacobian(&Attention(&q, &k, &v), &k);
    let names = derivative.equations().naming(&[("Q", &q), ("K", &k), ("V", &v), ("α", &Weights(&q, &k))]);
    assert_printed(ByK::EQUATION, &names);
    let found = ByK(&q, &k, &v);
    let order = (val, star(seq), star(key));
    assert_near(&found.to_vec(order).unwrap(), &derivative.to_vec(order).unwrap(), ROUNDING);
    let change = found.dot((star(seq), star(key)), &dk.rename(seq, star(seq)).rename(key, star(key)));
    assert_near(&read_val(&change), &difference(|k| Attention(&q, k, &v), (&k, &dk), read_val), BOUND);
}

#[test]
fn a_layer_norm_changes_by_what_is_printed() {
    let of = |seed| -> Tensor<R![chans], f64> { Tensor::from_vec(chans.of(3), numbers(3, seed)).unwrap() };
    let (x, γ, β) = (of(1), of(2), of(3));
    let (dx, dγ, dβ) = (of(4), of(5), of(6));
    let norm = |x: &Tensor<R![chans], f64>| x.standardize(chans) * &γ + &β;
    let y = norm(&x);
    assert_printed(NormChange::EQUATION, &differential(&y, &[("X", &x), ("γ", &γ), ("β", &β)]));
    let read = |y: &Tensor<R![chans], f64>| y.to_vec(chans).unwrap();
    let found = read(&NormChange(&x, &γ, &dx, &dγ, &dβ));
    let changes = (dx.clone(), dγ.clone(), dβ.clone());
    assert_near(&found, &read(&jvp(&y, (&x, &γ, &β), &changes)), ROUNDING);
    // The result is linear in γ and β.
    let by_x = difference(norm, (&x, &dx), read);
    let by_others = read(&(x.standardize(chans) * &dγ + &dβ));
    assert_near(&found, &by_x.iter().zip(by_others).map(|(x, y)| x + y).collect::<Vec<_>>(), 10.0 * BOUND);
}

#[test]
fn a_gradient_prints_as_the_equations_that_compute_it() {
    let (x, w) = (x(1), x(2));
    let loss = |x: &X| (x.softmax(ax).log() * &w).sum(ax);
    let gradient = grad(&loss(&x), &x);
    assert_printed(Loss::EQUATION, &gradient.equations().naming(&[("X", &x), ("W", &w)]));
    let found = Loss(&x, &w).to_vec(ax).unwrap();
    assert_near(&found, &gradient.to_vec(ax).unwrap(), ROUNDING);
    let slope = Loss(&x, &w).dot(ax, &w).item().unwrap();
    assert_near(&[slope], &difference(loss, (&x, &w), |y| vec![y.item().unwrap()]), BOUND);
}

#[test]
fn a_lifted_function_prints_with_primes_where_two_axes_of_one_name_meet() {
    let (_, x, _) = qkv(1);
    let below = Tensor::positions(seq.of(4)).le(&Tensor::positions(seq_.of(4)));
    let mask: Tensor<R![seq, seq_], f64> = below.select(&Tensor::scalar(0.0), &Tensor::scalar(f64::NEG_INFINITY));
    let scores = x.rename(seq, seq_).dot(key, &x) + &mask;
    let y = scores.softmax(seq).dot(seq, &x).rename(seq_, seq);
    assert_printed(Lifted::EQUATION, &y.equations());
    assert_near(&Lifted(&x).to_vec((seq, key)).unwrap(), &y.to_vec((seq, key)).unwrap(), ROUNDING);
}

/// Text, graph, text again: nothing is lost and nothing is added.
#[test]
fn equations_of_every_kind_are_printed_as_they_were_written() {
    let x: Tensor<R![a, b], f64> = Tensor::from_vec((a.of(4), b.of(2)), numbers(8, 1)).unwrap();
    let i = Tensor::indices(b, a, [3, 1]);
    assert_printed(Words::EQUATION, &Words(&x).equations());
    assert_printed(Windows::EQUATION, &Windows(&x).equations());
    assert_printed(Positions::EQUATION, &Positions(&x, &i).equations().naming(&[("X", &x), ("I", &i)]));
}

#[test]
fn a_function_says_its_result_as_it_was_written_and_a_condition_that_is_known_as_it_is() {
    named! {
        fn Slope(X: R[ax]) -> R[star(ax)] { d(sum_ax(X * X), X) }
        fn Scaled(X: R[ax, named_tensor_tests::axes::depth]) -> R[ax,
            named_tensor_tests::axes::depth] { 2 * X }
        fn Signed(X: R[ax]) -> R[ax] { if |ax| > 2 { X } else { -X } }
        fn Above(X: R[ax]) -> R[ax] { if 1 > 0 { X } else { -X } }
        fn Below(X: R[ax]) -> R[ax] { if 0 > 1 { X } else { -X } }
    }
    assert_eq!(Slope::EQUATION, "Slope(X: R[ax]) -> R[star(ax)] { d(sum_ax(X * X), X) }");
    let written = "-> R[ax, named_tensor_tests::axes::depth] { 2 * X }";
    assert!(Scaled::EQUATION.ends_with(written), "{}", Scaled::EQUATION);
    let [three, two] = [3, 2].map(|size| Tensor::<ax, f64>::ones(ax.of(size)));
    let printed = |x: &Tensor<ax, f64>| Signed(x).equations().naming(&[("X", x)]).to_string();
    assert!(printed(&three) != printed(&two), "{}", printed(&two));
    assert_eq!(printed(&three), Above(&three).equations().naming(&[("X", &three)]).to_string());
    assert_eq!(Signed(&three).to_vec(ax).unwrap(), [1.0; 3]);
    assert_eq!(Signed(&two).to_vec(ax).unwrap(), [-1.0; 2]);
    assert_eq!(Below(&two).to_vec(ax).unwrap(), [-1.0; 2]);
}
