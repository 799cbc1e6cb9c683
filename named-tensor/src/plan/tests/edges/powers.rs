//! Powers with exponents that are written, planned and plain.

use super::super::*;
use crate::graph::calculus::reverse;
use crate::graph::value::row_major;

const AXIS: Name = NAMES[0];

/// A stored tensor of these numbers.
fn tensor(kind: Kind, numbers: &[f64]) -> Node {
    let mut buffer = Buffer::zeros(kind, numbers.len());
    match &mut buffer {
        Buffer::F32(values) => values.iter_mut().zip(numbers).for_each(|(value, &x)| *value = x as f32),
        Buffer::F64(values) => values.copy_from_slice(numbers),
        _ => unreachable!("powers are of real numbers"),
    }
    let shape = Shape::new([(AXIS, numbers.len())]);
    Node::input(Value { buffer: Arc::new(buffer), offset: 0, strides: row_major(shape.sizes()) }, shape)
}

#[test]
fn a_power_is_within_a_few_roundings_of_its_definition_whatever_the_exponent() {
    let mut numbers = vec![0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NAN, 1e-30, -1e-3, 1e3, 2.5e10];
    numbers.extend((0..90).map(|i| f64::from(i - 30) * 0.37));
    for kind in [Kind::F32, Kind::F64] {
        let (x, ulp) = (tensor(kind, &numbers), if kind == Kind::F32 { 1.2e-7 } else { 2.3e-16 });
        for exponent in (-34..=34).map(|half| f64::from(half) / 2.0).chain([0.3, 2.7, 100.0, -64.0]) {
            let power = x.binary(Binary::Pow, &Node::fill(kind, exponent, Shape::default()));
            let plain = graph::evaluate::plainly(std::slice::from_ref(&power)).unwrap();
            let planned = evaluate(std::slice::from_ref(&power)).unwrap();
            for ((at, exact), got) in numbers.iter().zip(elements(&power, &plain[0])).zip(elements(&power, &planned[0]))
            {
                let is_small = exact.abs() < 1e-37;
                let same = exact == got && (exact != 0.0 || exact.is_sign_negative() == got.is_sign_negative());
                // As many roundings as the power has factors, each of half an ulp.
                let roundings = (exponent.abs() + 2.0).max(12.0);
                let near = (exact - got).abs() <= roundings / 2.0 * ulp * exact.abs() || is_small && got.abs() < 1e-36;
                assert!(same || near || exact.is_nan() && got.is_nan(), "{at} ^ {exponent} is {exact}, planned {got}");
            }
        }
    }
}

#[test]
fn powers_owe_what_their_definition_owes() {
    let numbers: Vec<f64> = (1..40).map(|i| f64::from(i) * 0.21).collect();
    for kind in [Kind::F32, Kind::F64] {
        let x = tensor(kind, &numbers);
        for exponent in [3.0, -1.0, 0.5, -0.5, 1.5, 12.0, 0.7] {
            let power = x.binary(Binary::Pow, &Node::fill(kind, exponent, Shape::default()));
            let owed: Vec<Node> = reverse(&[(power.clone(), power.unary(Unary::Tanh))], std::slice::from_ref(&x), &[])
                .into_iter()
                .flatten()
                .collect();
            both_ways(&owed, &format!("the power {exponent}"));
        }
    }
}
