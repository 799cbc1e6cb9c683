//! Derivatives of derivatives, and derivatives within lifted functions.
//!
//! What a variable is made of does not matter, nor whether its number is known when the graph is made; and a derivative that
//! is taken in a lifted function is, at each position of the further axes, that of the function there.
//! Lives here: both laws. Not here: rules of single primitives (`graph::calculus`), rows of the paper (`calculus`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{a, b, batch};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::Grid;

named! {
    fn Gate(X: R[]; s: R[] = 1) -> R[] { X * X * (s * s) }

    fn Cased(X: R[a]) -> R[a] { M_{a(i)} = if i < 1 { X * X } else { X_{a(|a| - 1 - i)} }; M }

    fn Weighed(X: R[a], Y: R[a]) -> R[a] { softmax_a(X) * Y }
}

/// Two ways to one formula differ by a few roundings of numbers near 1.
const SAME: Bound = Bound { absolute: 1e-12, relative: 1e-12 };

#[track_caller]
fn assert_same(found: &[f64], expected: &[f64]) {
    assert_close(found, &Grid::new(&[expected.len()], expected.to_vec()), SAME);
}

type Scalar = Tensor<R![], f64>;
type Line = Tensor<R![a], f64>;

fn line(numbers: [f64; 3]) -> Line {
    Tensor::from_array(a, numbers)
}

fn table(numbers: [[f64; 3]; 2]) -> Tensor<R![batch, a], f64> {
    Tensor::from_array((batch, a), numbers)
}

/// A number as it may be made, the last one of which nothing is known beforehand.
fn made(number: f64) -> [Scalar; 4] {
    let stored = Tensor::from_vec((), vec![number]).expect("it is one number");
    [Tensor::scalar(number), Tensor::full((), number), Tensor::scalar(number / 2.0) * 2.0, stored]
}

#[test]
fn a_number_is_differentiated_by_as_often_as_any_other_tensor() -> Result<(), Error> {
    type Function = fn(&Scalar, &Line) -> Scalar;
    let functions: [Function; 9] = [
        |w, _| w * w * w,
        |w, x| (x * w).pow(2.0).sum(a),
        |w, x| (x / w).sum(a),
        |w, x| (x * w * w).exp().sum(a),
        |w, x| x.abs().pow_by(w).sum(a),
        |w, _| w.pow_by(w),
        |w, x| (x * w).gelu().sum(a) * w.log(),
        |w, x| (x * w).softmax(a).dot(a, x) * w,
        |w, x| w * x.gt(0.0).select(&(x * w), w).sum(a),
    ];
    let x = line([0.5, -1.0, 2.0]);
    for number in [0.5, 1.0, 2.0] {
        for (which, function) in functions.iter().enumerate() {
            let of = |w: &Scalar| -> Result<Vec<f64>, Error> {
                let y = function(w, &x);
                let once = jvp(&y, w, w);
                Ok(vec![
                    hessian(&y, w).item()?,
                    grad(&grad(&y, w), w).item()?,
                    grad(&grad(&grad(&y, w), w), w).item()?,
                    grad(&grad(&y, &x).sum(a), w).item()?,
                    jvp(&once, w, w).item()?,
                ])
            };
            let [.., stored] = made(number);
            let expected = of(&stored)?;
            // Not all of them are 0, so that something is compared.
            assert!(expected.iter().any(|&second| second.abs() > 1e-3), "function {which} of {number}: {expected:?}");
            for w in made(number) {
                assert_same(&of(&w)?, &expected);
            }
        }
    }
    Ok(())
}

#[test]
fn the_second_and_third_derivatives_of_a_cube_are_its_own() -> Result<(), Error> {
    let w = Tensor::scalar(2.0_f32);
    let cube = &w * &w * &w;
    assert_eq!(hessian(&cube, &w).item()?, 12.0);
    assert_eq!(grad(&grad(&grad(&cube, &w), &w), &w).item()?, 6.0);
    Ok(())
}

#[test]
fn a_parameter_that_begins_as_a_number_is_no_constant() -> Result<(), Error> {
    let gate = Gate::init(&mut seeded(0), ())?;
    let x: Tensor<R![]> = Tensor::from_vec((), vec![3.0])?;
    assert_eq!(grad(&grad(&gate.apply(&x), &x), &gate).s.item()?, 12.0);
    let none = gate.zeros();
    assert_eq!(grad(&grad(&none.apply(&x), &none).s, &none).s.item()?, 18.0);
    Ok(())
}

#[test]
fn a_number_that_is_a_variable_is_printed_as_one() {
    for number in [1.0, 2.0] {
        let (u, v) = (Tensor::<R![]>::scalar(number), Tensor::new(a, [3.0, 4.0]));
        let printed = differential(&(&u * &v), &[("U", &u), ("V", &v)]).to_string();
        assert!(printed.contains("U * dV"), "{printed}");
    }
}

#[test]
fn the_mixed_derivatives_of_a_power_are_the_same_in_both_orders() -> Result<(), Error> {
    let (x, y) = (line([2.0, 4.0, 0.5]), line([0.0, 0.0, 3.0]));
    let power = x.pow_by(&y).sum(a);
    let one = grad(&grad(&power, &x).sum(a), &y).to_vec(a)?;
    assert_same(&one, &grad(&grad(&power, &y).sum(a), &x).to_vec(a)?);
    assert_same(&one[..2], &[0.5, 0.25]);
    // Where x is 0, or so near that 1/x is not finite, the slope in x is 0 still.
    let x = Tensor::from_array(a, [0.0_f32, 1e-40, -1e-45]);
    let zeros: Tensor<R![a]> = Tensor::from_array(a, [0.0; 3]);
    assert_eq!(grad(&x.pow_by(&zeros).sum(a), &x).to_vec(a)?, [0.0; 3]);
    Ok(())
}

/// Lines of lines, each made of primitives that carry axes in ways of their own.
const BODIES: [fn(&Line) -> Line; 12] = [
    |x| x.gt(0.0).select(x, &(x * x)),
    |x| x.concat(a, &(x * 2.0)).slice(a, 1..4),
    |x| x.standardize(a) * x,
    |x| x.softmax(a).cumsum(a),
    |x| x * x.max(a) + x.min(a),
    |x| x.sort(a) * x,
    |x| x.maxk(a, b.of(3)).rename(b, a) - x,
    |x| x.index(a, &Tensor::indices(a, a, [2, 0, 2])) * x,
    |x| Cased(x),
    |x| scan(a, x.sum(a), x, |h: Scalar, x: Scalar| (&h * &x, h.sin() + x)).1,
    |x| (x.rename(a, b) * x).max(b),
    |x| Weighed(&Weighed(x, &(x + 1.0)), x),
];

#[lift]
fn owed(x: &Tensor<R![a], f64>, c: &Tensor<R![a], f64>, which: usize) -> Tensor<R![a], f64> {
    vjp(&BODIES[which](x), c, x)
}

#[lift]
fn owed_again(x: &Tensor<R![a], f64>, c: &Tensor<R![a], f64>, which: usize) -> Tensor<R![a], f64> {
    vjp(&vjp(&BODIES[which](x), &(c * x), x), c, x)
}

#[lift]
fn moved(x: &Tensor<R![a], f64>, dx: &Tensor<R![a], f64>, which: usize) -> Tensor<R![a], f64> {
    jvp(&BODIES[which](x), x, dx)
}

#[lift]
fn moved_again(x: &Tensor<R![a], f64>, dx: &Tensor<R![a], f64>, which: usize) -> Tensor<R![a], f64> {
    jvp(&vjp(&BODIES[which](x), dx, x), x, dx)
}

#[lift]
fn changed(x: &Tensor<R![a], f64>, y: &Tensor<R![a], f64>, dy: &Tensor<R![a], f64>) -> Tensor<R![a], f64> {
    jvp(&Weighed(x, y), y, dy)
}

#[lift]
fn changed_by_both(x: &Tensor<R![a], f64>, y: &Tensor<R![a], f64>, dy: &Tensor<R![a], f64>) -> Tensor<R![a], f64> {
    jvp(&(Weighed(x, &Weighed(y, x)) * y), y, dy)
}

/// One gradient for each example: the sums take part in the batch, the power d of w does not.
#[lift]
fn by_a_scan(x: &Tensor<R![a], f64>, w: &Tensor<R![], f64>) -> Tensor<R![], f64> {
    let (d, ys) = scan(a, Tensor::scalar(1.0), x, |d: Scalar, x: Scalar| (&d * w, d * x));
    grad(&(ys.sum(a) * d), w)
}

#[lift]
fn by_a_carry(x: &Tensor<R![a], f64>, w: &Tensor<R![], f64>) -> Tensor<R![], f64> {
    let start = (Tensor::scalar(0.0), Tensor::scalar(1.0));
    let ((h, d), ()) = scan(a, start, x, |(h, d): (Scalar, Scalar), x: Scalar| ((h + x * w, d * w), ()));
    grad(&(h * d), w)
}

#[lift]
fn changed_by_a_scan(x: &Tensor<R![a], f64>, w: &Tensor<R![], f64>, dw: &Tensor<R![], f64>) -> Tensor<R![], f64> {
    let (d, ys) = scan(a, Tensor::scalar(1.0), x, |d: Scalar, x: Scalar| (&d * w, d * x));
    jvp(&(ys.sum(a) * d), w, dw)
}

const ROWS: [[f64; 3]; 2] = [[1.0, -3.0, 0.5], [2.0, 0.25, -1.0]];
const OTHERS: [[f64; 3]; 2] = [[0.75, -1.25, 0.5], [1.25, 0.375, -0.25]];

#[test]
fn what_is_owed_and_what_changes_in_a_lifted_function_are_those_of_each_position() -> Result<(), Error> {
    let (rows, x) = (table(ROWS), line([1.0, -0.5, 3.0]));
    for which in 0..BODIES.len() {
        for (at, row) in ROWS.map(line).iter().enumerate() {
            let same = |lifted: &Tensor<R![batch, a], f64>, alone: &Line| -> Result<(), Error> {
                assert_same(&lifted.at(batch, at).to_vec(a)?, &alone.to_vec(a)?);
                Ok(())
            };
            // Numbers of their own: what is made of a variable is derived as well.
            let (other, others) = (OTHERS.map(line)[at].clone(), table(OTHERS));
            same(&owed(&x, &rows, which), &owed(&x, row, which))?;
            same(&owed(&rows, &x, which), &owed(row, &x, which))?;
            same(&owed(&rows, &others, which), &owed(row, &other, which))?;
            same(&owed_again(&x, &rows, which), &owed_again(&x, row, which))?;
            same(&owed_again(&rows, &others, which), &owed_again(row, &other, which))?;
            same(&moved(&x, &rows, which), &moved(&x, row, which))?;
            same(&moved(&rows, &x, which), &moved(row, &x, which))?;
            same(&moved_again(&x, &rows, which), &moved_again(&x, row, which))?;
            same(&moved_again(&rows, &others, which), &moved_again(row, &other, which))?;
        }
    }
    Ok(())
}

#[test]
fn changes_in_a_lifted_function_are_those_of_each_position() -> Result<(), Error> {
    let (rows, y) = (table(ROWS), line([0.5, -2.0, 1.0]));
    let x = line([1.0, 0.0, -1.0]);
    for (at, row) in ROWS.map(line).iter().enumerate() {
        let same = |lifted: &Tensor<R![batch, a], f64>, alone: &Line| -> Result<(), Error> {
            assert_same(&lifted.at(batch, at).to_vec(a)?, &alone.to_vec(a)?);
            Ok(())
        };
        same(&changed(&rows, &y, &rows), &changed(row, &y, row))?;
        same(&changed(&x, &y, &rows), &changed(&x, &y, row))?;
        same(&changed(&rows, &table(OTHERS), &rows), &changed(row, &OTHERS.map(line)[at], row))?;
        same(&changed_by_both(&rows, &y, &rows), &changed_by_both(row, &y, row))?;
        same(&changed_by_both(&x, &rows, &rows), &changed_by_both(&x, row, row))?;
    }
    Ok(())
}

#[test]
fn derivatives_of_scans_in_a_lifted_function_are_those_of_each_position() -> Result<(), Error> {
    let (rows, w) = (table(ROWS), Tensor::scalar(0.9));
    let ws = Tensor::from_array(batch, [0.9, -1.5]);
    let dw = Tensor::from_array(batch, [1.0, 10.0]);
    let each = |function: &dyn Fn(&Line, usize) -> Scalar| -> Result<Vec<f64>, Error> {
        ROWS.map(line).iter().enumerate().map(|(at, row)| function(row, at).item()).collect()
    };
    assert_same(&by_a_scan(&rows, &w).to_vec(batch)?, &each(&|row, _| by_a_scan(row, &w))?);
    assert_same(&by_a_scan(&rows, &ws).to_vec(batch)?, &each(&|row, at| by_a_scan(row, &ws.at(batch, at)))?);
    assert_same(&by_a_carry(&rows, &w).to_vec(batch)?, &each(&|row, _| by_a_carry(row, &w))?);
    let changes = |row: &Line, at: usize| changed_by_a_scan(row, &w, &dw.at(batch, at));
    assert_same(&changed_by_a_scan(&rows, &w, &dw).to_vec(batch)?, &each(&changes)?);
    // No example at all has no gradient.
    let none = Tensor::from_vec((batch.of(0), a.of(3)), vec![])?;
    assert_eq!(by_a_scan(&none, &w).to_vec(batch)?, Vec::<f64>::new());
    Ok(())
}

#[test]
fn what_is_standardized_along_an_empty_axis_has_derivatives_of_every_order() -> Result<(), Error> {
    let z: Tensor<R![a, b]> = Tensor::zeros((a.of(2), b.of(0)));
    let gradient = grad(&z.standardize(b).sin().sum((a, b)), &z);
    assert_eq!(grad(&gradient.sin().sum((a, b)), &z).to_vec((a, b))?, Vec::<f32>::new());
    let second = hessian(&z.standardize(b).sin().sum((a, b)), &z);
    assert_eq!(second.sum((star(a), star(b), star(star(a)), star(star(b)))).item()?, 0.0);
    Ok(())
}
