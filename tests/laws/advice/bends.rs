//! Advice about functions that are smooth where their formulas are by cases: second derivatives are there too.
//!
//! What is compared with is computed in `f64` from the definitions. Not here: values and slopes of what has no such bend
//! (`numbers`, `layers`).

use super::numbers::{LogAddExp, LogSigmoid, Mish};
use super::{Softplus, seq};
use named_tensor::prelude::*;

named! {
    fn BinaryCrossEntropy(X: R[], Y: R[]) -> R[] {
        E = exp(if X > 0 { -X } else { X });
        U = 1 + E;
        (if X > 0 { X } else { 0 }) - X * Y + log(U) + (E - (U - 1)) / U
    }

    fn Huber(X: R[], Y: R[]) -> R[] {
        D = X - Y;
        C = clamp(D, -1, 1);
        C * (D - C / 2)
    }
}

const NUMBERS: [f64; 11] = [-200.0, -50.0, -1.0, -1e-3, -1e-8, 0.0, 1e-8, 1e-3, 1.0, 50.0, 200.0];

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The slope of `sigmoid`, which the distance to 0 alone decides.
fn slope(x: f64) -> f64 {
    sigmoid(x) * sigmoid(-x)
}

/// The second derivative of x · tanh(softplus(x)), by the chain rule.
fn mish(x: f64) -> f64 {
    let t = (x.max(0.0) + (-x.abs()).exp().ln_1p()).tanh();
    let (s, r) = (sigmoid(x), 1.0 - t * t);
    2.0 * s * r + x * r * (slope(x) - 2.0 * t * s * s)
}

/// The second derivatives of a function of each number.
macro_rules! second {
    ($kind:ty, $function:expr) => {{
        let numbers: Vec<$kind> = NUMBERS.iter().map(|&x| x as $kind).collect();
        let x = Tensor::<seq, $kind>::from_vec(seq.of(numbers.len()), numbers).unwrap();
        let first = grad(&$function(&x).sum(seq), &x);
        assert!(first.to_vec(seq).unwrap().iter().all(|slope| slope.is_finite()));
        grad(&first.sum(seq), &x).to_vec(seq).unwrap()
    }};
}

macro_rules! check {
    ($kind:ty) => {
        let other = Tensor::<R![], $kind>::scalar(0.0);
        let near = |name: &str, found: Vec<$kind>, expected: &dyn Fn(f64) -> f64| {
            for (&x, found) in NUMBERS.iter().zip(found) {
                let expected = expected(x) as $kind;
                let within = 32.0 * <$kind>::EPSILON * expected.abs() + <$kind>::MIN_POSITIVE;
                assert!((found - expected).abs() <= within, "{name}: {found} at {x}, not {expected}");
            }
        };
        let numbers = NUMBERS.iter().map(|&x| x as $kind).collect();
        let x = Tensor::<seq, $kind>::from_vec(seq.of(NUMBERS.len()), numbers).unwrap();
        let soft = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
        for (name, y, value, slope) in [
            ("softplus", Softplus(&x), &soft as &dyn Fn(f64) -> f64, &sigmoid as &dyn Fn(f64) -> f64),
            ("logaddexp", LogAddExp(&x, &other), &soft, &sigmoid),
            ("logaddexp, turned", LogAddExp(&other, &x), &soft, &sigmoid),
            ("logsigmoid", LogSigmoid(&x), &|x| -soft(-x), &|x| sigmoid(-x)),
        ] {
            near(name, y.to_vec(seq).unwrap(), value);
            near(&format!("the slope of {name}"), grad(&y.sum(seq), &x).to_vec(seq).unwrap(), slope);
        }
        near("softplus", second!($kind, Softplus), &slope);
        near("logsigmoid", second!($kind, LogSigmoid), &|x| -slope(x));
        near("logaddexp", second!($kind, |x| LogAddExp(x, &other)), &slope);
        near("logaddexp, turned", second!($kind, |x| LogAddExp(&other, x)), &slope);
        near("binary_cross_entropy", second!($kind, |x| BinaryCrossEntropy(x, &other)), &slope);
        // Of half the number, so that none is where it bends.
        let huber = second!($kind, |x: &Tensor<seq, $kind>| Huber(&(x * 0.5), &other));
        near("huber", huber, &|x| if x.abs() < 2.0 { 0.25 } else { 0.0 });
        near("mish", second!($kind, Mish), &mish);
    };
}

#[test]
fn second_derivatives_are_those_of_the_smooth_functions() {
    check!(f32);
    check!(f64);
}
