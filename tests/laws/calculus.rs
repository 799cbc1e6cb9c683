//! The calculus of the paper: rows C1 to C10, each by its own formula and by differences.
//!
//! Lives here: derivatives as users take them, through types and `named!`. Not here: each primitive's rule against
//! differences (`graph::calculus` of the library).

use named_tensor::prelude::*;

named_tensor::axes! { ax, seq, seq_, key, val, chans }

named! {
    fn Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
        softmax_seq(Q dot_key K) dot_seq V
    }

    fn Weights(Q: R[key], K: R[seq, key]) -> R[seq] {
        softmax_seq(Q dot_key K)
    }

    fn SoftmaxJacobian(X: R[ax]) -> R[ax, star(ax)] {
        s = softmax_ax(X);
        s * (eye_{ax, star(ax)}(|ax|) - s_{ax -> star(ax)})
    }

    fn ByTheMacro(X: R[ax]) -> R[ax, star(ax)] {
        d(softmax_ax(X), X)
    }
}

#[test]
fn c5_the_jacobian_of_softmax_is_the_formula_of_the_paper() {
    let x: Tensor<R![ax], f64> = Tensor::from_array(ax, [0.3, -1.0, 2.0]);
    let by_rule = jacobian(&x.softmax(ax), &x).to_vec((ax, star(ax))).unwrap();
    let by_formula = SoftmaxJacobian(&x).to_vec((ax, star(ax))).unwrap();
    let by_macro = ByTheMacro(&x).to_vec((ax, star(ax))).unwrap();
    for ((a, b), c) in by_rule.iter().zip(&by_formula).zip(&by_macro) {
        assert!((a - b).abs() < 1e-15 && a == c);
    }
}
