//! The fast functions against their definitions, over a scan of all bit patterns of `f32`.

use super::*;

/// Prime, so that all exponents and mantissas are met.
const STEP: usize = 4_001;

/// Every [`STEP`]th `f32`, NaNs included, and the special ones.
fn scan() -> Vec<f32> {
    let special = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN];
    let small = [f32::MIN_POSITIVE, -f32::MIN_POSITIVE, f32::from_bits(1), -f32::from_bits(1), 0.9, -0.9, 14.5, -14.5];
    let dense = (-40_000..40_000).map(|i| i as f32 / 2_003.0);
    let bits = (0..=u32::MAX).step_by(STEP).map(f32::from_bits);
    special.into_iter().chain(small).chain(dense).chain(bits).collect()
}

/// The error of `got` in units of the last place of `exact`.
fn ulps(got: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if rounded.is_nan() || rounded.is_infinite() || got.is_nan() || got.is_infinite() {
        return if got == rounded || (got.is_nan() && rounded.is_nan()) { 0.0 } else { f64::INFINITY };
    }
    let exponent = (f64::from(rounded).abs().log2().floor()).max(-126.0);
    (f64::from(got) - exact).abs() / (exponent - 23.0).exp2()
}

/// Panics with the worst argument unless `op` is within `bound(x)` ulp of its definition everywhere.
fn check(op: Unary, bound: impl Fn(f64) -> f64) {
    let xs = scan();
    let mut ys = vec![0.0; xs.len()];
    f32::unary(op, &xs, &mut ys);
    // What stands beside a number may choose how it is computed, but not the result.
    let mut some = vec![0.0; xs.len()];
    xs.chunks(24).zip(some.chunks_mut(24)).for_each(|(xs, ys)| f32::unary(op, xs, ys));
    let is_same = |(y, z): (&f32, &f32)| y.to_bits() == z.to_bits() || y.is_nan() && z.is_nan();
    assert!(ys.iter().zip(&some).all(is_same), "{} of a few numbers at once", op.name());
    let (mut worst, mut at) = (0.0, 0.0);
    for (&x, &y) in xs.iter().zip(&ys) {
        let exact = op.of(f64::from(x));
        let error = ulps(y, exact) / bound(f64::from(x));
        if error > worst {
            (worst, at) = (error, x);
        }
    }
    assert!(worst <= 1.0, "{}({at:e}) is off by {worst} times its bound", op.name());
}

#[test]
fn decay_is_within_1_02_ulp_and_0_where_that_is_below_the_normal_numbers() {
    // Every number between -87.4 and -87.2 beside the scan: e^x leaves the normal numbers there.
    let edge = ((-87.2_f32).to_bits()..(-87.4_f32).to_bits()).map(f32::from_bits);
    for x in scan().into_iter().filter(|x| *x <= 1.0).chain(edge) {
        let (got, exact) = (x.decay(), f64::from(x).exp());
        if exact < f64::from(f32::MIN_POSITIVE) {
            assert_eq!(got, 0.0, "e^{x}");
        } else {
            assert!(ulps(got, exact) <= 1.02, "e^{x} is {got:e} for {exact:e}");
        }
    }
    assert!(f32::NAN.decay().is_nan(), "NaN stays");
}

#[test]
fn exp_is_within_1_02_ulp() {
    check(Unary::Exp, |_| 1.02);
}

#[test]
fn log_is_within_1_ulp() {
    check(Unary::Log, |_| 1.0);
}

#[test]
fn tanh_is_within_2_61_ulp() {
    check(Unary::Tanh, |_| 2.61);
}

#[test]
fn sigmoid_is_within_3_ulp() {
    check(Unary::Sigmoid, |_| 3.0);
}

#[test]
fn silu_is_within_4_ulp() {
    check(Unary::Silu, |_| 4.0);
}

#[test]
fn gelu_is_within_5_5_ulp() {
    check(Unary::Gelu, |_| 5.5);
}

#[test]
fn gelu_by_tanh_is_within_its_bound() {
    check(Unary::GeluTanh, |x| 4.0 + 6.0 * (0.8 * (x + 0.044715 * x * x * x)).abs().min(200.0));
}

#[test]
fn erf_is_within_1_6_ulp() {
    check(Unary::Erf, |_| 1.6);
}

#[test]
fn sin_and_cos_are_within_0_91_ulp_and_rounded_almost_exactly_where_they_are_computed_in_f64() {
    for op in [Unary::Sin, Unary::Cos] {
        check(op, |x| if x.abs() <= 1_048_576.0 { 0.91 } else { 0.51 });
    }
}

#[test]
fn sin_and_cos_are_right_beside_large_numbers_and_next_to_multiples_of_a_right_angle() {
    // Multiples of π/2 up to 2²⁰ and the numbers next to them, with large ones beside each.
    let near =
        (1..4_000).chain((4_000..667_544).step_by(97)).map(|n| (f64::from(n) * std::f64::consts::FRAC_PI_2) as f32);
    for op in [Unary::Sin, Unary::Cos] {
        for x in near.clone() {
            let xs = [x, x.next_up(), x.next_down(), -x, 1e7, 1e30];
            let mut all = [0.0; 6];
            f32::unary(op, &xs, &mut all);
            for (x, y) in xs.into_iter().zip(all) {
                assert!(ulps(y, op.of(f64::from(x))) <= 0.91, "{}({x:e}) is {y:e}", op.name());
                let mut alone = [0.0];
                f32::unary(op, &[x], &mut alone);
                assert_eq!(alone, [y], "{}({x:e}) alone", op.name());
            }
        }
    }
}

#[test]
fn functions_that_are_0_at_0_keep_its_sign() {
    for op in [Unary::Sin, Unary::Tanh, Unary::Erf, Unary::Gelu, Unary::GeluTanh, Unary::Silu] {
        let mut out = [1.0_f32; 2];
        f32::unary(op, &[0.0, -0.0], &mut out);
        assert_eq!(out.map(f32::to_bits), [0.0_f32, -0.0].map(f32::to_bits), "{} of zero", op.name());
    }
}

#[test]
fn simple_functions_are_exact() {
    for op in [Unary::Neg, Unary::Abs, Unary::Relu] {
        check(op, |_| f64::MIN_POSITIVE);
    }
    check(Unary::Sqrt, |_| 0.500_001);
}

#[test]
fn gates_follow_their_formulas_at_the_infinities() {
    for op in [Unary::Gelu, Unary::GeluTanh, Unary::Silu] {
        let mut out = [1.0_f32; 3];
        f32::unary(op, &[f32::INFINITY, -f32::MAX, f32::NEG_INFINITY], &mut out);
        assert_eq!(out[..2], [f32::INFINITY, 0.0], "{} of large numbers", op.name());
        assert!(out[2].is_nan(), "{} of -∞ is -∞ · 0", op.name());
    }
}

#[test]
fn the_larger_and_the_smaller_of_a_number_and_nan_are_nan() {
    let (xs, ys) = ([1.0_f32, f32::NAN, 3.0, -0.5], [f32::NAN, 1.0, 2.0, f32::INFINITY]);
    for (op, expected) in [(Binary::Max, [3.0, f32::INFINITY]), (Binary::Min, [2.0, -0.5])] {
        let mut out = [0.0_f32; 4];
        f32::binary(op, &xs, &ys, &mut out);
        assert!(out[0].is_nan() && out[1].is_nan(), "{} passes NaN on", op.name());
        assert_eq!(out[2..], expected, "{} of numbers", op.name());
        assert!(op.of(1.0, f64::NAN).is_nan() && op.of(f64::NAN, 1.0).is_nan(), "the definition too");
    }
}
