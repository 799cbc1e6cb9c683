//! The same numbers in registers of any width, with panels that are there, that are packed beside, and that stay where they
//! lie, to their end.

use super::*;
use crate::kernel::View;
use crate::kernel::panels::{Panels, width};
use crate::kernel::testing::Random;

/// What is run in registers of one kind or another.
enum Work<'a, T> {
    Packing(Packing<'a, T>),
    Strip(&'a Strip<'a, T>),
}

impl<T: Lanes> WithSimd for Work<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match self {
            Work::Packing(first) => first.with_simd(simd),
            Work::Strip(strip) => strip.with_simd(simd),
        }
    }
}

/// Where the panel of a strip is.
#[derive(Clone, Copy, Debug)]
enum Where {
    Packed,
    /// The same, tile by tile.
    InSlivers,
    /// Packed beside the first rows.
    Beside,
    /// The same, tile by tile.
    BesideInSlivers,
    /// Where it lies.
    Lies,
}

/// Multiplies a strip into what holds 1 everywhere, in registers of the kind that `run` takes, and returns it with the exact
/// numbers.
fn strip<T: Lanes>(sizes: [usize; 3], place: Where, run: impl Fn(Work<'_, T>)) -> Vec<(f64, f64)> {
    let [rows, depth, columns] = sizes;
    let pitch = columns + 3;
    let mut random = Random::new(4);
    let mut data = |size| -> Vec<T> { random.reals(size).into_iter().map(|x| T::narrow(f64::from(x))).collect() };
    let (left, right) = (data(rows * (depth + 3)), data(depth * pitch));
    let wide = width(columns);
    let (bias, gain, residual, of_each) = (data(wide), data(wide), data(rows * (wide + 1)), data(2 * rows));
    let mut panels = Panels::new::<T>(depth, columns);
    panels.pack_matrix(View { data: &right, offset: 0, strides: &[pitch as isize, 1] });
    let mut room = vec![T::narrow(f64::NAN); depth * wide];
    let step = wide + 5;
    let mut to = vec![T::narrow(1.0); rows * step];
    let from = Left { numbers: &left, row: depth + 3, along: 1 };
    let ahead = Ahead::rows(&right, [0, pitch], [depth, columns]);
    let ending = [
        Act::Plus(Rows { numbers: &bias, step: 0 }),
        Act::Times(Rows { numbers: &gain, step: 0 }),
        Act::PlusEach(Rows { numbers: &of_each, step: 2 }),
        Act::TimesEach(Rows { numbers: &of_each[1..], step: 2 }),
        Act::Relu,
        Act::Plus(Rows { numbers: &residual, step: wide + 1 }),
        Act::WherePositive(Rows { numbers: &bias, step: 0 }),
    ];
    let factor = T::narrow(0.5);
    let to = &mut to[..];
    let panel = panels.panel::<T>(0);
    // The same numbers as slivers: some columns of all rows, then the next.
    let some = (LINE / size_of::<T>()).min(wide);
    let each = (0..depth * wide).map(|at| {
        let (first, row, column) = (at / (some * depth) * some, at % (some * depth) / some, at % some);
        panel.numbers[row * wide + first + column]
    });
    let each: Vec<T> = each.collect();
    let slivers = Panel { numbers: &each, width: wide, step: some, sliver: some };
    let strip = Strip {
        factor,
        rows,
        done: 0,
        columns,
        left: from,
        panel,
        to: to.as_mut_ptr(),
        step,
        adds: true,
        ending: &ending,
        ahead,
    };
    match place {
        Where::Packed => run(Work::Strip(&strip)),
        Where::InSlivers => run(Work::Strip(&Strip { panel: slivers, ..strip })),
        Where::Beside | Where::BesideInSlivers => {
            let from = Rows { numbers: &right, step: pitch };
            let packed = if matches!(place, Where::Beside) { panel } else { slivers };
            let empty = Panel { numbers: &[], ..packed };
            run(Work::Packing(Packing { strip: &Strip { panel: empty, ..strip }, from, to: &mut room }));
            assert!(room == packed.numbers, "{sizes:?}: the panel is packed");
            run(Work::Strip(&Strip { done: TALL, panel: Panel { numbers: &room, ..packed }, ..strip }));
        }
        Where::Lies => {
            let numbers = &right[..right.len().saturating_sub(pitch - columns)];
            let panel = Rows { numbers, step: pitch }.panel(depth, columns);
            run(Work::Strip(&Strip { panel, ..strip }));
        }
    }
    let beyond = to.chunks(step).all(|row| row[columns..].iter().all(|x| x.wide() == 1.0));
    assert!(beyond, "{sizes:?}: what lies behind the columns of the result is left alone");
    let exact = |i: usize, j: usize| {
        let terms = (0..depth).map(|k| left[i * (depth + 3) + k].wide() * right[k * pitch + j].wide());
        let sum = terms.sum::<f64>() / 2.0 + 1.0;
        let [plus, times] = [0, 1].map(|at| of_each[2 * i + at].wide());
        let ended = ((sum + bias[j].wide()) * gain[j].wide() + plus) * times;
        let ended = ended.max(0.0) + residual[i * (wide + 1) + j].wide();
        if bias[j].wide() > 0.0 { ended } else { 0.0 }
    };
    (0..rows)
        .flat_map(|i| (0..columns).map(move |j| (i, j)))
        .map(|(i, j)| (to[i * step + j].wide(), exact(i, j)))
        .collect()
}

fn check<T: Lanes>(bound: f64) {
    let low = [
        [4, 1, 1],
        [9, 5, 16],
        [4, 70, 40],
        [12, 33, 64],
        [4, 0, 3],
        [11, 20, 64],
        [7, 9, 33],
        [2, 3, 17],
        [5, 8, 60],
        [3, 4, 29],
    ];
    let whole = [[6, 1, 16], [7, 30, 64], [24, 70, 48], [13, 9, 32], [6, 0, 64]];
    let places = [Where::Packed, Where::InSlivers, Where::Beside, Where::BesideInSlivers, Where::Lies];
    let cases = places.map(|place| whole.map(|sizes| (sizes, place))).into_iter().flatten();
    for (sizes, place) in low.map(|sizes| (sizes, Where::Packed)).into_iter().chain(cases) {
        let strip = |run: &dyn Fn(Work<'_, T>)| strip::<T>(sizes, place, run);
        let one_by_one = strip(&|work| work.with_simd(pulp::Scalar::new()));
        assert!(
            one_by_one.iter().all(|(got, exact)| (got - exact).abs() < bound),
            "{sizes:?} {place:?} in plain loops"
        );
        let mut others = vec![];
        // A tile of four registers of 512 bits is as wide as a panel.
        if !has_many_registers() || !matches!(place, Where::InSlivers | Where::BesideInSlivers) {
            others.push(strip(&|work| vectors::dispatch(work)));
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V3::try_new() {
            others.push(strip(&|work| Simd::vectorize(simd, work)));
        }
        assert!(others.iter().all(|other| *other == one_by_one), "{sizes:?} {place:?} in registers of any width");
    }
}

#[test]
fn a_strip_is_the_same_product_in_registers_of_any_width() {
    check::<f32>(1e-5);
    check::<f64>(1e-13);
}

#[test]
fn relu_in_registers_and_what_it_passes_back_are_those_of_numbers() {
    let numbers = [f32::NAN, -0.0, 0.0, -1.0, 2.0, f32::INFINITY, f32::NEG_INFINITY, -f32::MIN_POSITIVE];
    let panel = Panel::packed(&[], 16);
    let wide: Vec<f32> = numbers.into_iter().chain([1.0; 8]).collect();
    let back =
        [Act::WherePositive(Rows { numbers: &wide, step: 0 }), Act::WherePositive(Rows { numbers: &wide, step: 0 })];
    let passed_back = numbers.map(|x| if x > 0.0 { x } else { 0.0 });
    let relu = numbers.map(crate::kernel::math::Scalar::relu);
    for (simd, (ending, expected)) in
        [true, false].into_iter().flat_map(|simd| [(simd, (&[Act::Relu][..], relu)), (simd, (&back, passed_back))])
    {
        let mut to = wide.clone();
        let left = Left { numbers: &[], row: 0, along: 1 };
        let ahead = Ahead::none();
        let strip = Strip {
            factor: -1.0,
            rows: 1,
            done: 0,
            columns: 16,
            left,
            panel,
            to: to.as_mut_ptr(),
            step: 16,
            adds: true,
            ending,
            ahead,
        };
        if simd {
            vectors::dispatch(&strip);
        } else {
            (&strip).with_simd(pulp::Scalar::new());
        }
        let expected = expected.map(f32::to_bits);
        assert_eq!(to[..8].iter().map(|x| x.to_bits()).collect::<Vec<_>>(), expected, "in wide registers: {simd}");
    }
}
