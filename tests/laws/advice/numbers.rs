//! Advice about functions of each number: their values keep their digits, their derivatives too, and infinities have theirs.
//!
//! What is compared with is computed in `f64` from the definitions. Not here: what goes along axes (`layers`).

use super::seq;
use named_tensor::prelude::*;

named! {
    fn Round(X: R[]) -> R[] {
        F = floor(X);
        D = X - F;
        if D > 0.5 { F + 1 } else if D < 0.5 { F } else { 2 * floor((F + 1) / 2) }
    }

    fn Trunc(X: R[]) -> R[] { if X < 0 { -floor(-X) } else { floor(X) } }

    fn Frac(X: R[]) -> R[] { if X < 0 { X + floor(-X) } else { X - floor(X) } }

    fn NanToNum(X: R[]) -> R[] { if X != X { 0 } else { clamp(X, -3.4028234e38, 3.4028234e38) } }

    fn Classes(X: R[]) -> R[] {
        (if X != X { 4 } else { 0 }) + (if abs(X) == inf { 2 } else { 0 }) + if abs(X) < inf { 1 } else { 0 }
    }

    fn Log1p(X: R[]) -> R[] {
        C = clamp(X, -0.5, 1);
        U = 1 + C;
        if abs(X) < 0.5 { log(U) + (C - (U - 1)) / U } else { log(1 + X) }
    }

    fn Atanh(X: R[]) -> R[] {
        C = clamp(X, -0.5, 0.5);
        U = 1 + C;
        V = 1 - C;
        if abs(X) < 0.5 {
            (log(U) - log(V) + (C - (U - 1)) / U + (C + (V - 1)) / V) / 2
        } else {
            (log(1 + X) - log(1 - X)) / 2
        }
    }

    fn Cosh(X: R[]) -> R[] {
        S = tanh(X / 2) * (exp(X / 2) + exp(-X / 2)) / 2;
        1 + 2 * S^2
    }

    fn Sinc(X: R[]) -> R[] {
        Q = (pi * X)^2;
        P = if Q < 0.25 { 1 } else { pi * X };
        if Q < 0.25 { 1 - Q / 6 * (1 - Q / 20 * (1 - Q / 42)) } else { sin(P) / P }
    }

    pub fn LogSigmoid(X: R[]) -> R[] {
        E = exp(if X > 0 { -X } else { X });
        U = 1 + E;
        (if X > 0 { 0 } else { X }) - log(U) - (E - (U - 1)) / U
    }

    fn LeakyRelu(X: R[]) -> R[] { if X > 0 { X } else { 0.01 * X } }

    fn Relu6(X: R[]) -> R[] { if X <= 0 { 0 } else if X >= 6 { 6 } else { X } }

    fn HardTanh(X: R[]) -> R[] { if X <= -1 { -1 } else if X >= 1 { 1 } else { X } }

    fn HardSwish(X: R[]) -> R[] { X * clamp(X + 3, 0, 6) / 6 }

    fn SoftShrink(X: R[]) -> R[] { if X > 0.5 { X - 0.5 } else if X < -0.5 { X + 0.5 } else { 0 } }

    fn SoftSign(X: R[]) -> R[] { X / (1 + abs(X)) }

    fn Elu(X: R[]) -> R[] {
        N = if X > 0 { 0 } else { X };
        if X > 0 { X } else if N > -1 { tanh(N / 2) * (exp(N) + 1) } else { exp(N) - 1 }
    }

    fn Selu(X: R[]) -> R[] {
        N = if X > 0 { 0 } else { X };
        E = if N > -1 { tanh(N / 2) * (exp(N) + 1) } else { exp(N) - 1 };
        1.0507009873554805 * if X > 0 { X } else { 1.6732632423543772 * E }
    }

    fn Celu(X: R[], A: R[]) -> R[] {
        N = if X > 0 { 0 } else { X / A };
        E = if N > -1 { tanh(N / 2) * (exp(N) + 1) } else { exp(N) - 1 };
        if X > 0 { X } else { A * E }
    }

    pub fn Mish(X: R[]) -> R[] {
        E = exp(if X > 0 { -X } else { X });
        X * if X > 0 { (1 + 2 * E) / (1 + 2 * E + 2 * E^2) } else { (E^2 + 2 * E) / (E^2 + 2 * E + 2) }
    }

    pub fn LogAddExp(X: R[], Y: R[]) -> R[] {
        D = if X == Y && abs(X) == inf { 0 } else { X - Y };
        E = exp(if D > 0 { -D } else { D });
        U = 1 + E;
        (if abs(X) == inf { max(X, Y) } else if X > Y { X } else { Y }) + log(U) + (E - (U - 1)) / U
    }

    fn FMax(X: R[], Y: R[]) -> R[] { if X != X { Y } else if Y != Y { X } else { max(X, Y) } }

    fn Lerp(X: R[], Y: R[], T: R[]) -> R[] { (1 - T) * X + T * Y }

    fn XLogY(X: R[], Y: R[]) -> R[] { X * log(if X == 0 { 1 } else { Y }) }
}

/// Whether both are one number, or both none, or near enough for `f32`.
fn near(found: f32, expected: f64) -> bool {
    let single = expected as f32;
    found == single || found.is_nan() && single.is_nan() || (found - single).abs() <= 2e-6 * single.abs()
}

fn of(numbers: &[f32]) -> Tensor<seq> {
    Tensor::from_vec(seq.of(numbers.len()), numbers.to_vec()).unwrap()
}

fn compare(name: &str, numbers: &[f32], found: &Tensor<seq>, expected: impl Fn(f64) -> f64) {
    for (&x, y) in numbers.iter().zip(found.to_vec(seq).unwrap()) {
        let expected = expected(f64::from(x));
        assert!(near(y, expected), "{name}: {y} at {x}, not {expected}");
    }
}

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

#[test]
fn whole_numbers_are_the_nearest_and_halves_go_to_the_even_one() {
    let numbers = [
        -3.5, -2.5, -1.5, -0.5, -0.3, 0.0, 0.3, 0.49999997, 0.5, 0.50000006, 1.5, 2.5, 3.5, 4.7, 4194304.5, 4194305.5,
        8388609.0, 16777217.0, -8388607.5, 1e30, INF, -INF, NAN,
    ];
    compare("round", &numbers, &Round(&of(&numbers)), f64::round_ties_even);
    compare("trunc", &numbers, &Trunc(&of(&numbers)), f64::trunc);
    compare("frac", &numbers[..20], &Frac(&of(&numbers[..20])), f64::fract);
    let found = NanToNum(&of(&[NAN, INF, -INF, 1.5])).to_vec(seq).unwrap();
    assert_eq!(found, [0.0, f32::MAX, f32::MIN, 1.5]);
    assert_eq!(Classes(&of(&[NAN, INF, -INF, 0.0, 1e38])).to_vec(seq).unwrap(), [4.0, 2.0, 2.0, 1.0, 1.0]);
}

/// A function of the notation, that of Rust, and its derivative.
type Case = (&'static str, fn(&Tensor<seq>) -> Tensor<seq>, fn(f64) -> f64, fn(f64) -> f64);

fn check(cases: &[Case], numbers: &[f32]) {
    let x = of(numbers);
    for (name, found, expected, slope) in cases {
        let y = found(&x);
        compare(name, numbers, &y, expected);
        compare(&format!("the derivative of {name}"), numbers, &grad(&y.sum(seq), &x), slope);
    }
}

#[test]
fn logarithms_and_their_relatives_keep_their_digits_up_to_their_ends() {
    let numbers = [
        -0.9999999, -0.999, -0.9, -0.6, -0.5, -0.49, -0.1, -1e-3, -1e-8, 0.0, 1e-30, 1e-8, 1e-5, 1e-3, 0.1, 0.3, 0.49,
        0.5, 0.7, 0.99, 0.9999999,
    ];
    let both: [Case; 2] = [
        ("log1p", |x| Log1p(x), f64::ln_1p, |x| 1.0 / (1.0 + x)),
        ("atanh", |x| Atanh(x), f64::atanh, |x| 1.0 / ((1.0 - x) * (1.0 + x))),
    ];
    check(&both, &numbers);
    check(&both[..1], &[1.0, 1.5, 20.0, 1e10, 3e38, -1.0, INF]);
    compare("log1p", &[-2.0, NAN], &Log1p(&of(&[-2.0, NAN])), f64::ln_1p);
    compare("atanh", &[-1.0, 1.0, 1.5, NAN], &Atanh(&of(&[-1.0, 1.0, 1.5, NAN])), f64::atanh);
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn soft(x: f64) -> f64 {
    (x.max(0.0) + (-x.abs()).exp().ln_1p()).tanh()
}

#[test]
fn functions_of_each_number_have_the_slopes_of_pytorch_where_they_bend() {
    let numbers =
        [-20.0, -6.5, -3.3, -1.0, -0.9, -0.3, -1e-3, -1e-8, 0.0, 1e-8, 1e-3, 0.1, 0.17, 0.4, 1.3, 2.5, 6.0, 20.0, 40.0];
    const L: f64 = 1.0507009873554805;
    const A: f64 = 1.6732632423543772;
    let sinc = |x: f64| {
        let p = std::f64::consts::PI * x;
        if x == 0.0 { 1.0 } else { p.sin() / p }
    };
    let sinc_slope = |x: f64| {
        let p = std::f64::consts::PI * x;
        // Below, the difference would lose its digits in `f64` too.
        if x.abs() < 1e-2 {
            -std::f64::consts::PI * p / 3.0 * (1.0 - p * p / 10.0)
        } else {
            (p.cos() - p.sin() / p) / x
        }
    };
    check(
        &[("sinc", |x| Sinc(x), sinc, sinc_slope)],
        &[-2.3, -0.4, -0.1, -1e-3, 0.0, 1e-8, 1e-4, 0.1, 0.155, 0.3, 1.3],
    );
    check(
        &[
            ("cosh", |x| Cosh(x), f64::cosh, f64::sinh),
            ("logsigmoid", |x| LogSigmoid(x), |x| -((-x).max(0.0) + (-x.abs()).exp().ln_1p()), |x| sigmoid(-x)),
            ("leaky_relu", |x| LeakyRelu(x), |x| x.max(0.01 * x), |x| if x > 0.0 { 1.0 } else { 0.01 }),
            ("relu6", |x| Relu6(x), |x| x.clamp(0.0, 6.0), |x| f64::from(x > 0.0 && x < 6.0)),
            ("hardtanh", |x| HardTanh(x), |x| x.clamp(-1.0, 1.0), |x| f64::from(x.abs() < 1.0)),
            ("softsign", |x| SoftSign(x), |x| x / (1.0 + x.abs()), |x| (1.0 + x.abs()).powi(-2)),
            ("elu", |x| Elu(x), |x| if x > 0.0 { x } else { x.exp_m1() }, |x| x.min(0.0).exp()),
            (
                "selu",
                |x| Selu(x),
                |x| L * if x > 0.0 { x } else { A * x.exp_m1() },
                |x| L * if x > 0.0 { 1.0 } else { A * x.exp() },
            ),
            (
                "celu",
                |x| Celu(x, &Tensor::scalar(2.0)),
                |x| if x > 0.0 { x } else { 2.0 * (x / 2.0).exp_m1() },
                |x| (x.min(0.0) / 2.0).exp(),
            ),
            ("mish", |x| Mish(x), |x| x * soft(x), |x| soft(x) + x * sigmoid(x) * (1.0 - soft(x).powi(2))),
        ],
        &numbers,
    );
    compare("hardswish", &numbers, &HardSwish(&of(&numbers)), |x| x * (x + 3.0).clamp(0.0, 6.0) / 6.0);
    compare("softshrink", &numbers, &SoftShrink(&of(&numbers)), |x| x.signum() * (x.abs() - 0.5).max(0.0));
    // Far away nothing overflows to what is no number.
    let far = of(&[-300.0, 300.0, INF]);
    for y in [Elu(&far), Selu(&far), LogSigmoid(&far), Cosh(&far), LeakyRelu(&far)] {
        assert!(y.to_vec(seq).unwrap().iter().all(|y| !y.is_nan()), "{y}");
        let slopes = grad(&Elu(&far).sum(seq), &far).to_vec(seq).unwrap();
        assert_eq!(slopes[1..], [1.0, 1.0]);
    }
}

#[test]
fn functions_of_two_numbers_hold_where_both_are_equal_or_none_is() {
    let (x, y) = (of(&[0.0, 0.0, 3.0, -INF, -INF, INF, 1.0, NAN]), of(&[-20.0, 0.0, -90.0, -INF, 1.0, INF, INF, 1.0]));
    let expected = |x: f64, y: f64| if x == y { x + 2f64.ln() } else { x.max(y) + (-(x - y).abs()).exp().ln_1p() };
    let found = LogAddExp(&x, &y).to_vec(seq).unwrap();
    let given = x.to_vec(seq).unwrap().into_iter().zip(y.to_vec(seq).unwrap());
    for ((x, y), found) in given.zip(&found).filter(|((x, _), _)| !x.is_nan()) {
        let expected = expected(f64::from(x), f64::from(y));
        assert!(near(*found, expected), "{found} of {x} and {y}, not {expected}");
    }
    assert!(found[7].is_nan());
    let (x, y) = (of(&[0.5, 0.5, -2.0]), of(&[0.5, 1.0, 3.0]));
    compare("logaddexp", &[0.0, -0.5, -5.0], &grad(&LogAddExp(&x, &y).sum(seq), &x), sigmoid);
    let (x, y) = (of(&[-INF, INF, -INF, 1.0, INF]), of(&[-INF, INF, 1.0, -INF, -INF]));
    let slopes = grad(&LogAddExp(&x, &y).sum(seq), (&x, &y));
    assert_eq!(slopes.0.to_vec(seq).unwrap(), [0.5, 0.5, 0.0, 1.0, 1.0]);
    assert_eq!(slopes.1.to_vec(seq).unwrap(), [0.5, 0.5, 1.0, 0.0, 0.0]);
    let (x, y) = (of(&[NAN, 1.0, NAN, 2.0]), of(&[1.0, NAN, NAN, -INF]));
    let found = FMax(&x, &y).to_vec(seq).unwrap();
    assert!(found[..2] == [1.0, 1.0] && found[2].is_nan() && found[3] == 2.0, "{found:?}");
    let (x, y) = (of(&[0.1, 0.1, 0.1]), of(&[0.7, 0.7, 0.7]));
    assert_eq!(Lerp(&x, &y, &of(&[0.0, 1.0, 0.5])).to_vec(seq).unwrap(), [0.1, 0.7, 0.4]);
    assert_eq!(XLogY(&of(&[0.0, 2.0]), &of(&[0.0, 1.0])).to_vec(seq).unwrap(), [0.0, 0.0]);
}
