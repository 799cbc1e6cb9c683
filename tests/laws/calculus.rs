//! The calculus of the paper, rows C1 to C10: each rule as its own formula, and by differences.
//!
//! Lives here: derivatives as users take them, through types and `named!`. Not here: each primitive's rule against
//! differences (`graph::calculus` of the library), whole models (`models`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{chans, heads, height, key, seq, seq_, val, width};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::differences::assert_derivative;
use named_tensor_tests::reference::Grid;
use named_tensor_tests::strategies::{cases, grids, tensor};
use proptest::prelude::*;

named! {
    fn Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
        softmax_seq(Q dot_key K) dot_seq V
    }

    fn Weights(Q: R[key], K: R[seq, key]) -> R[seq] {
        softmax_seq(Q dot_key K)
    }

    /// Row C5: the differential, and the derivative.
    fn SoftmaxDifferential(X: R[seq], dX: R[seq]) -> R[seq] {
        s = softmax_seq(X);
        s * (dX - s dot_seq dX)
    }

    fn SoftmaxDerivative(X: R[seq]) -> R[seq, star(seq)] {
        s = softmax_seq(X);
        s * (eye_{seq, star(seq)}(|seq|) - s_{seq -> star(seq)})
    }

    fn DerivativeOfSoftmax(X: R[seq]) -> R[seq, star(seq)] {
        d(softmax_seq(X), X)
    }

    /// Rows C8 to C10.
    fn ByValues(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val, star(val), star(seq)] {
        α = Weights(Q, K);
        α_{seq -> star(seq)} * eye_{val, star(val)}(|val|)
    }

    fn ByQueries(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val, star(key)] {
        α = Weights(Q, K);
        V dot_seq (α * (K_{key -> star(key)} - α dot_seq K_{key -> star(key)}))
    }

    fn ByKeys(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val, star(seq), star(key)] {
        α = Weights(Q, K);
        dS = Q_{key -> star(key)} * eye_{seq, star(seq)}(|seq|);
        V dot_seq (α * (dS - α dot_seq dS))
    }
}

/// Two ways to one formula differ by a few roundings of numbers near 1.
const SAME: Bound = Bound { absolute: 1e-12, relative: 1e-12 };

#[track_caller]
fn assert_same(found: &[f64], expected: &[f64]) {
    assert_close(found, &Grid::new(&[expected.len()], expected.to_vec()), SAME);
}

/// The identity matrix.
fn identity(n: usize) -> Vec<f64> {
    (0..n * n).map(|i| f64::from(u8::from(i / n == i % n))).collect()
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn c1_a_derivative_has_the_starred_axes_of_the_variable_and_the_axes_of_the_result(
        [x, w] in grids(|[n, m, _]| [vec![n, m], vec![m]]),
    ) {
        let (x_, w_) = (tensor!(f64, &x, (height, width)), tensor!(f64, &w, (width)));
        let y: Tensor<R![height], f64> = x_.dot(width, &w_).sin();
        let derivative: Tensor<R![height, star(height), star(width)], f64> = jacobian(&y, &x_);
        let found = derivative.to_vec((height, star(height), star(width))).unwrap();
        assert_derivative(&found, &x, x.sizes[0], |x| {
            tensor!(f64, x, (height, width)).dot(width, &w_).sin().to_vec(height).unwrap()
        });
    }

    #[test]
    fn c1_the_hessian_of_a_square_is_twice_the_identity([x] in grids(|[n]| [vec![n]])) {
        let x_ = tensor!(f64, &x, (seq));
        let second: Tensor<R![star(seq), star(star(seq))], f64> = hessian(&x_.dot(seq, &x_), &x_);
        let twice: Vec<f64> = identity(x.sizes[0]).into_iter().map(|x| 2.0 * x).collect();
        prop_assert_eq!(second.to_vec((star(seq), star(star(seq)))).unwrap(), twice);
    }

    #[test]
    fn c1_a_hessian_is_the_derivative_of_the_gradient_and_symmetric([x] in grids(|[n]| [vec![n.min(5)]])) {
        let loss = |x: &Tensor<R![seq], f64>| x.softmax(seq).dot(seq, &x.sin());
        let x_ = tensor!(f64, &x, (seq));
        let second = hessian(&loss(&x_), &x_);
        let found = second.to_vec((star(seq), star(star(seq)))).unwrap();
        let n = x.sizes[0];
        assert_derivative(&found, &x, n, |x| {
            let x = tensor!(f64, x, (seq));
            grad(&loss(&x), &x).to_vec(seq).unwrap()
        });
        assert_same(&second.to_vec((star(star(seq)), star(seq))).unwrap(), &found);
    }

    #[test]
    fn c2_the_identity_changes_as_its_variable_and_a_square_by_twice_the_product(
        [x, dx] in grids(|[n]| [vec![n], vec![n]]),
    ) {
        let (x_, dx_) = (tensor!(f64, &x, (seq)), tensor!(f64, &dx, (seq)));
        prop_assert_eq!(jvp(&x_, &x_, &dx_).to_vec(seq).unwrap(), dx.values.clone());
        let square = jvp(&x_.dot(seq, &x_), &x_, &dx_).item().unwrap();
        assert_same(&[square], &[2.0 * x_.dot(seq, &dx_).item().unwrap()]);
    }

    #[test]
    fn c3_sums_products_quotients_contractions_positions_and_renamings_have_their_rules(
        [u, v, du, dv] in grids(|[n, m]| [vec![n, m], vec![m], vec![n, m], vec![m]]),
    ) {
        let (u_, du_) = (tensor!(f64, &u, (height, width)), tensor!(f64, &du, (height, width)));
        let v_ = tensor!(f64, &v, (width)).exp();
        let dv_ = tensor!(f64, &dv, (width));
        let change = |y: &Tensor<R![height, width], f64>| {
            jvp(y, (&u_, &v_), &(du_.clone(), dv_.clone())).to_vec((height, width)).unwrap()
        };
        let is = |found: &[f64], rule: &Tensor<R![height, width], f64>| {
            assert_same(found, &rule.to_vec((height, width)).unwrap());
        };
        is(&change(&(&u_ + &v_)), &(&du_ + &dv_));
        is(&change(&(&u_ - &v_)), &(&du_ - &dv_));
        is(&change(&(&u_ * &v_)), &(&u_ * &dv_ + &v_ * &du_));
        let quotient = (&v_ * &du_ - &u_ * &dv_) / (&v_ * &v_);
        let bound = Bound { absolute: 1e-11, relative: 1e-11 };
        assert_close(&change(&(&u_ / &v_)), &Grid::new(&u.sizes, quotient.to_vec((height, width)).unwrap()), bound);

        let both = (&u_, &v_);
        let d = (du_.clone(), dv_.clone());
        let sum = jvp(&u_.sum(height), both, &d).to_vec(width).unwrap();
        assert_same(&sum, &du_.sum(height).to_vec(width).unwrap());
        let product = jvp(&u_.dot(width, &v_), both, &d).to_vec(height).unwrap();
        assert_same(&product, &(du_.dot(width, &v_) + u_.dot(width, &dv_)).to_vec(height).unwrap());
        let part = jvp(&u_.at(height, 0), both, &d).to_vec(width).unwrap();
        assert_same(&part, &du_.at(height, 0).to_vec(width).unwrap());
        let renamed = jvp(&u_.rename(height, chans), both, &d).to_vec((chans, width)).unwrap();
        assert_same(&renamed, &du.values);
    }

    #[test]
    fn c4_a_chain_is_the_contraction_of_derivatives([x, w] in grids(|[n, m]| [vec![n], vec![n, m]])) {
        let (x_, w_) = (tensor!(f64, &x, (height)), tensor!(f64, &w, (height, width)));
        let u = x_.dot(height, &w_);
        let y = u.softmax(width);
        // F'(U) dot_{U*} dU/dX*, the stars of U as a plain axis in both.
        let outer: Tensor<R![width, star(width)], f64> = jacobian(&y, &u);
        let inner: Tensor<R![width, star(height)], f64> = jacobian(&u, &x_);
        let chain = outer.rename(star(width), chans).dot(chans, &inner.rename(width, chans));
        let whole = jacobian(&y, &x_);
        assert_same(&whole.to_vec((width, star(height))).unwrap(), &chain.to_vec((width, star(height))).unwrap());
        // Elementwise: the derivative is a diagonal.
        let exp = jacobian(&x_.exp(), &x_).to_vec((height, star(height))).unwrap();
        let diagonal = x_.exp() * Tensor::eye(height, star(height), x.sizes[0]);
        assert_same(&exp, &diagonal.to_vec((height, star(height))).unwrap());
    }

    #[test]
    fn c5_softmax_has_the_differential_and_the_derivative_of_the_paper([x, dx] in grids(|[n]| [vec![n], vec![n]])) {
        let (x_, dx_) = (tensor!(f64, &x, (seq)), tensor!(f64, &dx, (seq)));
        let change = jvp(&x_.softmax(seq), &x_, &dx_).to_vec(seq).unwrap();
        assert_same(&change, &SoftmaxDifferential(&x_, &dx_).to_vec(seq).unwrap());
        let order = (seq, star(seq));
        let found = jacobian(&x_.softmax(seq), &x_).to_vec(order).unwrap();
        assert_same(&found, &SoftmaxDerivative(&x_).to_vec(order).unwrap());
        prop_assert_eq!(&found, &DerivativeOfSoftmax(&x_).to_vec(order).unwrap());
        assert_derivative(&found, &x, x.sizes[0], |x| tensor!(f64, x, (seq)).softmax(seq).to_vec(seq).unwrap());
    }

    #[test]
    fn c6_a_renaming_is_the_contraction_with_an_identity([x] in grids(|[n, m]| [vec![n, m]])) {
        let x_ = tensor!(f64, &x, (height, width));
        let contracted = x_.dot(height, &Tensor::eye(height, chans, x.sizes[0]));
        prop_assert_eq!(contracted.to_vec((chans, width)).unwrap(), x_.rename(height, chans).to_vec((chans, width)).unwrap());
        // Canonical form: dF = F' dot dX, so the factor of dX is the derivative.
        let renamed = jacobian(&x_.rename(height, chans), &x_);
        let factor = Tensor::<_, f64>::eye(chans, star(height), x.sizes[0]) * Tensor::eye(width, star(width), x.sizes[1]);
        let order = (chans, width, star(height), star(width));
        prop_assert_eq!(renamed.to_vec(order).unwrap(), factor.to_vec(order).unwrap());
    }

    #[test]
    fn c7_the_derivative_of_a_lift_is_the_lift_of_the_derivative_times_an_identity(
        [x] in grids(|[n, m]| [vec![n, m]]),
    ) {
        // softmax_seq on X[seq, seq_]: lifted over seq_, which the derivative's lift lacks.
        let x_ = tensor!(f64, &x, (seq, seq_));
        let order = (seq, seq_, star(seq), star(seq_));
        let found = jacobian(&x_.softmax(seq), &x_).to_vec(order).unwrap();
        let lifted = SoftmaxDerivative(&x_) * Tensor::eye(seq_, star(seq_), x.sizes[1]);
        assert_same(&found, &lifted.to_vec(order).unwrap());
        assert_derivative(&found, &x, x.values.len(), |x| {
            tensor!(f64, x, (seq, seq_)).softmax(seq).to_vec((seq, seq_)).unwrap()
        });
        // Inside an equation the derivative is that of the function, which then is lifted.
        let inside: Tensor<R![seq, seq_, star(seq)], f64> = DerivativeOfSoftmax(&x_);
        assert_same(
            &inside.to_vec((seq, seq_, star(seq))).unwrap(),
            &SoftmaxDerivative(&x_).to_vec((seq, seq_, star(seq))).unwrap(),
        );
    }

    #[test]
    fn c8_c9_c10_attention_has_the_derivatives_of_the_paper(
        [q, k, v] in grids(|[n, s, e]| [vec![n.min(7)], vec![s.min(9), n.min(7)], vec![s.min(9), e.min(5)]]),
    ) {
        let (q_, k_, v_) = (tensor!(f64, &q, (key)), tensor!(f64, &k, (seq, key)), tensor!(f64, &v, (seq, val)));
        let y = Attention(&q_, &k_, &v_);
        let results = v.sizes[1];
        let of = |q: &Tensor<R![key], f64>, k: &Tensor<R![seq, key], f64>, v: &Tensor<R![seq, val], f64>| {
            Attention(q, k, v).to_vec(val).unwrap()
        };

        let by_values = jacobian(&y, &v_).to_vec((val, star(seq), star(val))).unwrap();
        assert_same(&by_values, &ByValues(&q_, &k_, &v_).to_vec((val, star(seq), star(val))).unwrap());
        assert_derivative(&by_values, &v, results, |v| of(&q_, &k_, &tensor!(f64, v, (seq, val))));

        let by_queries = jacobian(&y, &q_).to_vec((val, star(key))).unwrap();
        assert_same(&by_queries, &ByQueries(&q_, &k_, &v_).to_vec((val, star(key))).unwrap());
        assert_derivative(&by_queries, &q, results, |q| of(&tensor!(f64, q, (key)), &k_, &v_));

        let by_keys = jacobian(&y, &k_).to_vec((val, star(seq), star(key))).unwrap();
        assert_same(&by_keys, &ByKeys(&q_, &k_, &v_).to_vec((val, star(seq), star(key))).unwrap());
        assert_derivative(&by_keys, &k, results, |k| of(&q_, &tensor!(f64, k, (seq, key)), &v_));
    }

    #[test]
    fn c9_lifted_queries_each_have_their_own_derivative([q, k, v] in grids(|[n, s, e]| {
        [vec![3, n.min(4)], vec![s.min(5), n.min(4)], vec![s.min(5), e.min(3)]]
    })) {
        let (q_, k_, v_) = (tensor!(f64, &q, (seq_, key)), tensor!(f64, &k, (seq, key)), tensor!(f64, &v, (seq, val)));
        let y: Tensor<R![seq_, val], f64> = Attention(&q_, &k_, &v_);
        let order = (val, seq_, star(seq_), star(key));
        let lifted = ByQueries(&q_, &k_, &v_) * Tensor::eye(seq_, star(seq_), 3);
        assert_same(&jacobian(&y, &q_).to_vec(order).unwrap(), &lifted.to_vec(order).unwrap());
    }

    #[test]
    fn a_gradient_inside_a_lifted_function_is_one_for_each_position(
        [x, w] in grids(|[b, n]| [vec![b, n], vec![n]]),
    ) {
        // Weights that all examples share: each example has a gradient of its own.
        #[lift]
        fn own_gradient<T: Real>(x: &Tensor<R![chans], T>, w: &Tensor<R![chans], T>) -> Tensor<R![chans], T> {
            grad(&x.dot(chans, w).sin(), w)
        }
        let (x_, w_) = (tensor!(f64, &x, (heads, chans)), tensor!(f64, &w, (chans)));
        let found: Tensor<R![heads, chans], f64> = own_gradient(&x_, &w_);
        let expected = x_.dot(chans, &w_).cos() * &x_;
        assert_same(&found.to_vec((heads, chans)).unwrap(), &expected.to_vec((heads, chans)).unwrap());
    }

    #[test]
    fn a_gradient_through_a_function_that_is_lifted_again_is_one_for_each_position_too(
        [x, w] in grids(|[b, n]| [vec![b, n], vec![n]]), at in 0..5_usize,
    ) {
        named! {
            fn Inner(X: R[chans], W: R[chans]) -> R[] { exp(X dot_chans W) }
            fn Outer(X: R[chans], W: R[chans]) -> R[] { sin(Inner(X, W)) + Inner(W, W) }
        }
        type Vector = Tensor<R![chans], f64>;
        type Batch = Tensor<R![heads, chans], f64>;
        #[lift]
        fn own(x: &Tensor<R![chans], f64>, w: &Tensor<R![chans], f64>) -> Tensor<R![chans], f64> {
            grad(&Outer(x, w), w)
        }
        #[lift]
        fn owed(x: &Tensor<R![chans], f64>, w: &Tensor<R![chans], f64>) -> Tensor<R![chans], f64> {
            vjp(&Inner(x, w), &Inner(w, x), w)
        }
        #[lift]
        fn second(x: &Tensor<R![chans], f64>, w: &Tensor<R![chans], f64>) -> Tensor<R![chans], f64> {
            hessian(&Inner(x, w), w).dot(star(star(chans)), &x.rename(chans, star(star(chans)))).rename(star(chans), chans)
        }
        #[lift]
        fn product(x: &Tensor<R![chans], f64>, w: &Tensor<R![chans], f64>) -> Tensor<R![chans], f64> {
            // The product is that of weights alone; only what it is multiplied with differs by example.
            grad(&(w.prod(chans) * x.sum(chans)), w)
        }
        #[lift]
        fn starred(x: &Tensor<R![chans], f64>, w: &Tensor<R![chans], f64>) -> Tensor<R![chans], f64> {
            jacobian(&(x.dot(chans, w).tanh() * w.sum(chans)), w).rename(star(chans), chans)
        }
        #[lift]
        fn looked_up(x: &Tensor<R![chans], f64>, w: &Tensor<R![chans], f64>) -> Tensor<R![chans], f64> {
            // The position depends on the example: where it is largest.
            let largest = x.argsort(chans).slice(chans, ..1);
            grad(&w.index(chans, &largest).sum(chans), w)
        }
        let (x, w) = (tensor!(f64, &x, (heads, chans)) * 0.5, tensor!(f64, &w, (chans)) * 0.5);
        let example = at % x.size(heads);
        type Case = (&'static str, fn(&Batch, &Vector) -> Batch, fn(&Vector, &Vector) -> Vector);
        let functions: [Case; 6] = [
            ("grad", own, own),
            ("jacobian", starred, starred),
            ("vjp", owed, owed),
            ("hessian", second, second),
            ("product", product, product),
            ("index", looked_up, looked_up),
        ];
        for (name, lifted, single) in functions {
            let found = lifted(&x, &w).at(heads, example).to_vec(chans).unwrap();
            let expected = single(&x.at(heads, example), &w).to_vec(chans).unwrap();
            let scale = expected.iter().fold(1.0_f64, |scale, x| scale.max(x.abs()));
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert!((found - expected).abs() <= 1e-11 * scale, "{}: {} instead of {}", name, found, expected);
            }
        }
    }

    #[test]
    fn the_derivative_of_a_scalar_is_its_gradient_and_that_of_its_own_product_the_hessian_times_a_vector(
        [x, v] in grids(|[n]| [vec![n], vec![n]]),
    ) {
        let (x_, v_) = (tensor!(f64, &x, (seq)), tensor!(f64, &v, (seq)));
        let y = (x_.softmax(seq) * x_.exp()).sum(seq).tanh();
        let slope: Tensor<R![star(seq)], f64> = jacobian(&y, &x_);
        assert_same(&slope.to_vec(star(seq)).unwrap(), &grad(&y, &x_).to_vec(seq).unwrap());
        let along = slope.rename(star(seq), seq).dot(seq, &v_);
        let turned: Tensor<R![star(seq)], f64> = jacobian(&along, &x_);
        let second = hessian(&y, &x_).dot(star(seq), &v_.rename(seq, star(seq)));
        assert_same(&turned.to_vec(star(seq)).unwrap(), &second.to_vec(star(star(seq))).unwrap());
        let none: Tensor<R![star(seq)], f64> = jacobian(&v_.sum(seq), &x_);
        assert_same(&none.to_vec(star(seq)).unwrap(), &vec![0.0; x.values.len()]);
    }

    #[test]
    fn a_vector_jacobian_product_is_the_contraction_with_the_jacobian(
        [x, w, g] in grids(|[n, m]| [vec![n], vec![n, m], vec![m]]),
    ) {
        let (x_, w_, g_) = (tensor!(f64, &x, (height)), tensor!(f64, &w, (height, width)), tensor!(f64, &g, (width)));
        let y = x_.dot(height, &w_).tanh();
        let owed = vjp(&y, &g_, &x_).to_vec(height).unwrap();
        assert_same(&owed, &g_.dot(width, &jacobian(&y, &x_)).to_vec(star(height)).unwrap());
        let moved = jvp(&y, &x_, &x_).to_vec(width).unwrap();
        assert_same(&moved, &jacobian(&y, &x_).dot(star(height), &x_.rename(height, star(height))).to_vec(width).unwrap());
    }
}

/// `seq` alone stands nowhere in this block, as in one that works on what another block derived.
#[test]
fn a_starred_axis_is_worked_along_where_the_axis_itself_is_not_there() {
    named! {
        fn Mean(X: R[star(seq)]) -> R[] { sum_{star(seq)}(X) / |star(seq)| }
        fn Square(X: R[star(seq)]) -> R[] { X dot_{star(seq)} X }
        fn Weights(X: R[star(seq)]) -> R[star(seq)] { softmax_{star(seq)}(X) }
        fn Columns(X: R[star(seq), star(star(seq))]) -> R[star(seq)] { sum_{star(star(seq))}(X) }
    }
    let x = tensor!(f64, &Grid::new(&[3], vec![1.0, 2.0, 6.0]), (seq));
    let slope = grad(&(&x * &x * 0.5).sum(seq), &x).rename(seq, star(seq));
    assert_eq!([Mean(&slope), Square(&slope)].map(|y| y.item().unwrap()), [3.0, 41.0]);
    assert_same(&Weights(&slope).to_vec(star(seq)).unwrap(), &x.softmax(seq).to_vec(seq).unwrap());
    let second = hessian(&x.dot(seq, &x), &x);
    assert_eq!(Columns(&second).to_vec(star(seq)).unwrap(), [2.0; 3]);
}

/// Forwards there would be a derivative for each pair of positions, on the way at least.
#[test]
fn derivatives_of_scalars_are_no_larger_than_what_they_are_of_also_twice() {
    let n = 200_000;
    let numbers: Vec<f64> = (0..n).map(|i| (f64::from(i) * 0.7).sin()).collect();
    let x = Tensor::<R![seq], f64>::from_vec(seq.of(numbers.len()), numbers).unwrap();
    let y = (x.softmax(seq) * x.exp()).sum(seq);
    let penalty = (jacobian(&y, &x).pow(2.0).sum(star(seq)) - 1.0).pow(2.0);
    let owed = grad(&penalty, &x);
    let turned = jacobian(&jacobian(&y, &x).dot(star(seq), &x.rename(seq, star(seq))), &x);
    assert!(owed.to_vec(seq).unwrap().iter().chain(&turned.to_vec(star(seq)).unwrap()).all(|x| x.is_finite()));
}
