//! The normal distribution in `f64`: its tail, and with it erf and the exact gelu.
//!
//! The derivations are those of `f32` (`math::normal`), with other numbers:
//! 1. `Φ(-t) = e^(-t²/2) h(t)`, where `(t + 5) h(t)` is a polynomial of degree 21 in `(t - 5) / (t + 5)` for t ≤ 38.7, error
//!    1.3e-17. What rounding `t²` lost is multiplied in as `1 - lost/2`.
//! 2. For |x| < 1, `erf x = x + x p(x²)` with `p` of degree 11, error 7.4e-18. Beyond, `erf x = 1 - r⁸`, where the eighth
//!    root `r` of `1 - erf x` is a polynomial of degree 18 in `x - 3`, error 5.1e-18 up to 6. From 5.93 on the result is 1.

use super::super::{between, polynomial};
use super::exp::exp;

/// `Φ(-t)` for `t ≥ 0`, within 4 ulp.
#[inline(always)]
fn tail(t: f64) -> f64 {
    const SCALED: [f64; 22] = [
        0.769_193_049_750_063,
        -0.665_382_502_890_056_6,
        0.495_305_615_969_976_9,
        -0.313_533_156_671_315,
        0.165_020_366_170_364_95,
        -0.069_118_638_705_974_75,
        0.020_795_066_800_173_373,
        -0.002_993_376_775_395_22,
        -0.000_797_869_400_741_308_2,
        0.000_544_899_103_766_323_4,
        -5.937_571_595_289_613e-5,
        -4.976_300_188_583_615e-5,
        1.668_116_319_143_038e-5,
        3.981_472_369_356_464e-6,
        -2.769_100_464_026_862_6e-6,
        -3.377_215_068_667_072e-7,
        4.327_544_051_362_955e-7,
        4.360_702_405_430_081_6e-8,
        -6.537_657_960_525_09e-8,
        -1.022_301_663_861_665e-8,
        7.202_131_588_939_313e-9,
        2.022_559_565_206_010_7e-9,
    ];
    let t = between(t, 0.0, 38.7);
    let r = 1.0 / (t + 5.0);
    let h = r * polynomial((-10.0_f64).mul_add(r, 1.0), SCALED);
    let square = t * t;
    let lost = t.mul_add(t, -square);
    exp(-0.5 * square) * h.mul_add(-0.5 * lost, h)
}

/// `x Φ(x)` within 7 ulp, and |x| 2⁻¹⁰⁷⁴ where `Φ` is subnormal; NaN at -∞, where the product is -∞ · 0.
#[inline(always)]
pub(in super::super) fn gelu(x: f64) -> f64 {
    let tail = tail(x.abs());
    x * if x < 0.0 { tail } else { 1.0 - tail }
}

/// `erf x` within 2.5 ulp.
#[inline(always)]
pub(in super::super) fn erf(x: f64) -> f64 {
    const NEAR: [f64; 12] = [
        0.128_379_167_095_512_56,
        -0.376_126_389_031_835_2,
        0.112_837_916_709_441_85,
        -0.026_866_170_643_111_53,
        0.005_223_977_606_118_88,
        -0.000_854_832_592_932_979,
        0.000_120_552_935_772_728_78,
        -1.492_471_230_803_271_9e-5,
        1.644_713_163_568_004_8e-6,
        -1.620_631_419_630_994_6e-7,
        1.371_098_210_848_245e-8,
        -7.779_471_406_957_415e-10,
    ];
    const ROOT: [f64; 19] = [
        0.261_833_786_228_664_1,
        -0.206_316_961_980_538_45,
        0.049_950_937_733_668_28,
        0.003_098_036_422_711_628_5,
        -0.003_411_555_313_168_584,
        0.000_325_608_289_367_590_5,
        0.000_104_218_683_838_136_86,
        -2.349_190_025_306_743_2e-5,
        -8.680_897_970_527_451e-7,
        6.988_066_532_272_999e-7,
        -2.977_157_248_909_252_6e-8,
        -1.346_864_263_674_279_2e-8,
        1.381_694_947_360_518_5e-9,
        1.979_494_317_876_856_7e-10,
        -5.036_856_566_656_622_4e-11,
        -2.520_524_871_844_364e-12,
        1.277_305_826_682_787e-12,
        5.274_358_361_406_564e-13,
        8.211_507_943_489_504e-14,
    ];
    let root = polynomial(between(x.abs(), 0.0, 6.0) - 3.0, ROOT);
    let square = root * root;
    let fourth = square * square;
    let far = (-fourth).mul_add(fourth, 1.0).copysign(x);
    if x.abs() < 1.0 { x.mul_add(polynomial(x * x, NEAR), x) } else { far }
}
