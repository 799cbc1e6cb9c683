//! The functions of `f64` against their definitions and against numbers of 50 digits.

use crate::element::{Binary, Unary};
use crate::kernel::math::Scalar;
use std::f64::consts::{FRAC_PI_2, PI};

/// Arguments over the bit patterns, around 0, and where functions change: special ones included.
fn scan() -> Vec<f64> {
    let special =
        [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, f64::MIN, 5e-324, -5e-324];
    let dense = (-60_000..60_000).map(|i| f64::from(i) / 2_003.0);
    let wide = (-8_000..8_000).map(|i| f64::from(i) / 10.7);
    // Prime, so that all exponents and mantissas are met.
    let bits = (0..=51).map(|i| i * 360_287_970_189_639_747_u64).chain((0..100_000).map(|i| i * 184_467_440_737_097));
    special.into_iter().chain(dense).chain(wide).chain(bits.map(f64::from_bits)).collect()
}

/// The error of `got` in units of the last place of `exact`.
fn ulps(got: f64, exact: f64) -> f64 {
    if !exact.is_finite() || !got.is_finite() {
        return if got == exact || (got.is_nan() && exact.is_nan()) { 0.0 } else { f64::INFINITY };
    }
    let above = f64::from_bits(exact.abs().to_bits() + 1);
    (got - exact).abs() / (above - exact.abs())
}

/// What is lost where a gate, to be multiplied by `x`, is subnormal.
fn of_subnormal_gate(x: f64) -> f64 {
    if (-760.0..=-12.0).contains(&x) { x.abs() } else { 0.0 }
}

/// Panics with the worst argument unless `op` is within `bound(x)` ulp of its definition everywhere.
fn check(op: Unary, bound: impl Fn(f64) -> f64) {
    let xs = scan();
    let mut ys = vec![0.0; xs.len()];
    f64::unary(op, &xs, &mut ys);
    let (mut worst, mut at) = (0.0, 0.0);
    for (&x, &y) in xs.iter().zip(&ys) {
        let error = ulps(y, op.of(x)) / bound(x);
        if error > worst {
            (worst, at) = (error, x);
        }
    }
    assert!(worst <= 1.0, "{}({at:e}) is off by {worst} times its bound", op.name());
}

// The definitions are off themselves: by half a unit (exp, log, sin, cos), by one or two (sigmoid, tanh), by 1e-15 (erf), by
// 3e-14 and x² units (gelu, whose definition divides `x` by √2 first). So the bounds are the sum of both; those of the
// functions alone are held by the numbers of fifty digits below.

#[test]
fn exponentials_and_logarithms_are_within_a_unit_of_their_definitions() {
    check(Unary::Exp, |_| 1.5);
    check(Unary::Log, |_| 1.5);
    for x in scan().into_iter().filter(|x| *x <= 1.0) {
        let (got, exact) = (x.decay(), x.exp());
        if exact < f64::MIN_POSITIVE {
            assert_eq!(got, 0.0, "e^{x}");
        } else {
            assert!(ulps(got, exact) <= 1.5, "e^{x} is {got:e} for {exact:e}");
        }
    }
    assert!(f64::NAN.decay().is_nan(), "NaN stays");
}

#[test]
fn sine_and_cosine_are_within_a_unit_of_their_definitions() {
    check(Unary::Sin, |_| 1.5);
    check(Unary::Cos, |_| 1.5);
}

#[test]
fn tanh_sigmoid_and_erf_are_within_their_bounds() {
    check(Unary::Tanh, |_| 4.5);
    check(Unary::Sigmoid, |_| 4.0);
    check(Unary::Erf, |_| 11.5);
}

#[test]
fn gates_are_within_their_bounds() {
    check(Unary::Silu, |x| 5.0 + if x < -708.0 { of_subnormal_gate(x) } else { 0.0 });
    check(Unary::GeluTanh, |x| {
        let u = (0.8 * (x + 0.044715 * x * x * x)).abs().min(800.0);
        5.0 + 12.0 * u + if x < -20.0 { of_subnormal_gate(x) } else { 0.0 }
    });
    check(Unary::Gelu, |x| 160.0 + 2.0 * x * x + if x < -37.0 { of_subnormal_gate(x) } else { 0.0 });
}

#[test]
fn simple_functions_of_f64_are_exact() {
    for op in [Unary::Neg, Unary::Abs, Unary::Relu, Unary::Sqrt, Unary::Floor] {
        check(op, |_| f64::MIN_POSITIVE);
    }
}

#[test]
fn numbers_of_fifty_digits_are_met_within_their_bounds() {
    let known = [
        (Unary::Exp, 0.1, 1.105_170_918_075_647_7, 1.0),
        (Unary::Exp, -700.5, 5.980_196_118_639_791e-305, 1.0),
        (Unary::Exp, 709.7, 1.654_984_027_680_264_4e308, 1.0),
        (Unary::Log, 0.999_9, -0.000_100_005_000_333_347_32, 1.0),
        (Unary::Log, 1.0e-300, -690.775_527_898_213_7, 1.0),
        (Unary::Log, 123.456, 4.815_884_817_283_264, 1.0),
        (Unary::Tanh, 0.2, 0.197_375_320_224_904, 2.5),
        (Unary::Tanh, -3.0, -0.995_054_753_686_730_5, 2.5),
        (Unary::Tanh, 1.0e-08, 1.0e-08, 2.5),
        (Unary::Sigmoid, -30.0, 9.357_622_968_839_299e-14, 3.0),
        (Unary::Sigmoid, 0.7, 0.668_187_772_168_166, 3.0),
        (Unary::Erf, 0.3, 0.328_626_759_459_127_4, 2.5),
        (Unary::Erf, 1.000_3, 0.842_825_287_843_002_8, 2.5),
        (Unary::Erf, -2.5, -0.999_593_047_982_555, 2.5),
        (Unary::Erf, 5.5, 0.999_999_999_999_992_7, 2.5),
        (Unary::Gelu, -0.13, -0.058_276_817_734_907_053, 7.0),
        (Unary::Gelu, -5.0, -1.433_257_859_395_969_5e-06, 7.0),
        (Unary::Gelu, -30.0, -1.472_014_178_144_456e-196, 7.0),
        (Unary::Gelu, 2.0, 1.954_499_736_103_641_6, 7.0),
        (Unary::Sin, PI, 1.224_646_799_147_353_2e-16, 1.0),
        (Unary::Sin, 1_000_000_000.0, 0.545_843_449_448_699_6, 1.0),
        (Unary::Sin, -2.5, -0.598_472_144_103_956_5, 1.0),
        (Unary::Cos, FRAC_PI_2, 6.123_233_995_736_766e-17, 1.0),
        (Unary::Cos, 1_000_000_000.0, 0.837_887_181_363_902_4, 1.0),
        (Unary::Cos, 0.1, 0.995_004_165_278_025_8, 1.0),
        (Unary::Silu, -20.0, -4.122_307_236_380_407e-08, 4.0),
        (Unary::Silu, 1.3, 1.021_585_477_955_326_2, 4.0),
        (Unary::GeluTanh, -0.9, -0.165_771_511_290_279_45, 10.0),
        (Unary::GeluTanh, 2.0, 1.954_597_694_087_775, 10.0),
    ];
    for (op, x, exact, bound) in known {
        let mut y = [0.0];
        f64::unary(op, &[x], &mut y);
        assert!(ulps(y[0], exact) <= bound, "{}({x}) is {:e} for {exact:e}", op.name(), y[0]);
    }
}

/// Bases and exponents that IEEE 754 names, and some between.
fn special() -> Vec<f64> {
    let some = [0.0, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 7.0, 1e10, 9e15, 1e300, 5e-324, 1e-310, f64::INFINITY, f64::NAN];
    some.into_iter().flat_map(|x| [x, -x]).collect()
}

#[test]
fn powers_have_the_special_cases_of_ieee_754() {
    for x in special() {
        for y in special() {
            let mut z = [0.0];
            f64::binary(Binary::Pow, &[x], &[y], &mut z);
            let exact = x.powf(y);
            assert!(
                ulps(z[0], exact) <= 2.0 && (z[0] == 0.0) <= (z[0].signum() == exact.signum()),
                "{x}^{y} is {}",
                z[0]
            );
            let (x, y) = (x as f32, y as f32);
            let mut z = [0.0];
            f32::binary(Binary::Pow, &[x], &[y], &mut z);
            let exact = x.powf(y);
            let near = (z[0] - exact).abs() <= f32::EPSILON * exact.abs();
            assert!(
                near || z[0].to_bits() == exact.to_bits() || z[0].is_nan() && exact.is_nan(),
                "{x}^{y} is {}",
                z[0]
            );
        }
    }
}

#[test]
fn powers_are_within_two_units_of_their_definition() {
    // Exponents that reach the largest and smallest results, where what the logarithm lacks is felt most.
    let xs: Vec<f64> =
        (1..20_000).map(|i| f64::from(i) / 7_001.0).chain((1..300).map(|i| f64::from(i).exp2())).collect();
    for most in [1.7, 300.0, 744.0] {
        let ys: Vec<f64> =
            xs.iter().map(|x| most / x.ln().abs().max(1e-3) * if most > 2.0 { -1.0 } else { 1.0 }).collect();
        let mut zs = vec![0.0; xs.len()];
        f64::binary(Binary::Pow, &xs, &ys, &mut zs);
        for ((x, y), z) in xs.iter().zip(&ys).zip(zs) {
            assert!(ulps(z, x.powf(*y)) <= 2.0, "{x}^{y} is {z:e} for {:e}", x.powf(*y));
        }
    }
}

#[test]
fn powers_of_floats_are_within_0_53_ulp_for_all_bases_and_exponents() {
    // All sizes of bases and results, subnormal ones, 0 and ∞ among them; and where bases and exponents are usual, the others
    // beside them change nothing.
    let bases: Vec<f32> = (0..f32::INFINITY.to_bits()).step_by(120_011).map(f32::from_bits).collect();
    let exponents = [0.895, -0.3, 1.7, 3.0, -7.0, 87.0_f32].map(|y| vec![y; bases.len()]);
    let logs = bases.iter().enumerate().map(|(i, x)| ((i % 195) as f64 - 105.0) / f64::from(*x).ln());
    let far: Vec<f32> = logs.map(|y| y as f32).collect();
    for ys in exponents.iter().chain([&far]) {
        let mut zs = vec![0.0; bases.len()];
        f32::binary(Binary::Pow, &bases, ys, &mut zs);
        for ((&x, &y), z) in bases.iter().zip(ys).zip(zs) {
            let exact = f64::from(x).powf(f64::from(y));
            let mut one = [0.0];
            f32::binary(Binary::Pow, &[x], &[y], &mut one);
            assert_eq!(z.to_bits(), one[0].to_bits(), "{x:e}^{y} alone");
            let place = (exact.abs().log2().floor().max(-126.0) - 23.0).exp2();
            let is_near = (f64::from(z) - exact).abs() <= 0.53 * place;
            assert!(is_near || z == exact as f32, "{x:e}^{y} is {z:e} for {exact:e}");
        }
    }
}

#[test]
fn powers_of_whole_floats_that_are_floats_are_exact() {
    let pairs = (1..=64_u32).flat_map(|x| (1..=12_u32).map(move |y| (x, y)));
    let exact = |&(x, y): &(u32, u32)| f64::from(x).powf(y.into()) < 16_777_216.0;
    let (xs, ys): (Vec<f32>, Vec<f32>) = pairs.filter(exact).map(|(x, y)| (x as f32, y as f32)).unzip();
    let mut zs = vec![0.0; xs.len()];
    f32::binary(Binary::Pow, &xs, &ys, &mut zs);
    for ((x, y), z) in xs.iter().zip(&ys).zip(zs) {
        assert_eq!(z, x.powf(*y), "{x}^{y}");
    }
}
