//! Derivatives against differences, and against each other.
//!
//! For each primitive on random shapes: its differential against a central difference in `f64`, its adjoint as the
//! transpose of its differential, and for smooth ones the same of the adjoint, a second derivative.

mod cases;

use proptest::prelude::*;

use self::cases::{CASES, Case, Drawn, drawn};
use super::forms::number;
use super::*;
use crate::axis::Name;
use crate::element::{Binary, Comparison, Kind, Unary};
use crate::graph::op::Reduction;
use crate::graph::testing::{A, B, WAYS, counting, read, tensor, written};
use crate::graph::{Op, Shape};

/// Σ of all numbers.
fn sum(node: &Node) -> f64 {
    read(node).iter().sum()
}

/// `x + step * d`, as numbers of their own.
fn moved(x: &Node, d: &Node, step: f64) -> Node {
    let moved = x.binary(Binary::Add, &d.binary(Binary::Mul, &Node::fill(Kind::F64, step, Shape::default())));
    tensor(&moved.shape().iter().collect::<Vec<_>>(), &read(&moved))
}

/// `Σ x * y` over all axes of both.
fn inner(x: &Node, y: &Node) -> f64 {
    sum(&x.binary(Binary::Mul, y))
}

fn close(found: f64, expected: f64, scale: f64, context: &str) {
    let bound = 1e-6 * scale.max(1.0);
    assert!((found - expected).abs() <= bound, "{context}: {found} instead of {expected}");
}

/// The largest magnitude among numbers.
fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()))
}

/// Two inputs of a case, what they change by, and a weight for each result.
fn check(case: &Case, drawn: &Drawn) {
    let [n, m, _] = drawn.sizes;
    if !(case.exists)(n, m) {
        return;
    }
    let (x, y) = (drawn.tensor(&[(A, n), (B, m)], 0), drawn.tensor(&[(B, m)], 1));
    let z = (case.make)(&x, &y, drawn);
    z.checked().unwrap_or_else(|error| panic!("{}: {error}", case.name));
    let (dx, dy) = (drawn.any(x.shape(), 2), drawn.any(y.shape(), 3));
    let step = 1e-5;
    let difference = {
        let after = read(&(case.make)(&moved(&x, &dx, step), &moved(&y, &dy, step), drawn));
        let before = read(&(case.make)(&moved(&x, &dx, -step), &moved(&y, &dy, -step), drawn));
        after.iter().zip(&before).map(|(after, before)| (after - before) / (2.0 * step)).collect::<Vec<f64>>()
    };
    let seeds = [(x.clone(), Tangent::new(dx.clone())), (y.clone(), Tangent::new(dy.clone()))];
    // A product of nothing is 1, whatever its factors.
    let dz = forward(std::slice::from_ref(&z), &seeds).remove(0).map_or_else(|| number(&z, 0.0), |dz| dz.node());
    assert!(dz.shape().names().all(|name| z.shape().has(name)), "{}: {:?} of {:?}", case.name, dz.shape(), z.shape());
    // In the order of z's axes, each there.
    let dz = dz.binary(Binary::Add, &tensor(&z.shape().iter().collect::<Vec<_>>(), &vec![0.0; z.shape().elements()]));
    // A cast to f32 and back is a step function; its differences say nothing.
    if case.name != "cast" {
        for (found, expected) in read(&dz).into_iter().zip(&difference) {
            close(found, *expected, largest(&difference), &format!("differential of {}", case.name));
        }
    }

    // The adjoint is the transpose: <g, dz> = <x̄, dx> + <ȳ, dy>.
    let g = drawn.any(z.shape(), 4);
    let owed = reverse(&[(z.clone(), g.clone())], &[x.clone(), y.clone()], &[]);
    let change = |owed: &[Option<Node>]| -> f64 {
        let parts = owed.iter().zip([(&x, &dx), (&y, &dy)]);
        parts
            .map(|(owed, (variable, d))| {
                owed.as_ref().map_or(0.0, |owed| {
                    assert!(owed.shape().names().all(|name| variable.shape().has(name)), "{}: {owed:?}", case.name);
                    inner(owed, d)
                })
            })
            .sum()
    };
    let scale = largest(&read(&dz)) * dz.shape().elements() as f64;
    close(change(&owed), inner(&g, &dz), scale, &format!("adjoint of {}", case.name));

    if case.smooth && case.name != "cast" {
        // The change of what is owed, by differences and by going forwards through the backward sweep.
        let owed_at = |step: f64| {
            let (x, y) = (moved(&x, &dx, step), moved(&y, &dy, step));
            let z = (case.make)(&x, &y, drawn);
            change(&reverse(&[(z, g.clone())], &[x, y], &[]))
        };
        let difference = (owed_at(step) - owed_at(-step)) / (2.0 * step);
        let total = owed.iter().zip([&dx, &dy]).filter_map(|(owed, d)| {
            let all: Vec<Name> = d.shape().names().collect();
            let product = owed.as_ref()?.binary(Binary::Mul, d);
            Some(product.reduce(Reduction::Sum, &all))
        });
        let second: f64 =
            forward(&total.collect::<Vec<_>>(), &seeds).into_iter().flatten().map(|d| sum(&d.node())).sum();
        close(second, difference, scale.max(difference.abs()) * 10.0, &format!("second derivative of {}", case.name));
    }
}

/// What is owed by a result that is owed the same along some axes, whether these are written or not.
fn check_missing_axes(case: &Case, drawn: &Drawn) {
    let [n, m, _] = drawn.sizes;
    if !(case.exists)(n, m) {
        return;
    }
    let (x, y) = (drawn.tensor(&[(A, n), (B, m)], 0), drawn.tensor(&[(B, m)], 1));
    let z = (case.make)(&x, &y, drawn);
    let owed = |g: &Node| {
        let owed = reverse(&[(z.clone(), g.clone())], &[x.clone(), y.clone()], &[]);
        owed.into_iter().zip([&x, &y]).map(|(owed, of)| {
            let zeros = tensor(&of.shape().iter().collect::<Vec<_>>(), &vec![0.0; of.shape().elements()]);
            // In the order of the variable's axes, each there.
            read(&owed.unwrap_or_else(|| number(of, 0.0)).binary(Binary::Add, &zeros))
        })
    };
    for some in z.shape().names().map(|name| vec![name]).chain([vec![]]) {
        let few = drawn.any(&z.shape().only(&some), 5);
        let all =
            few.binary(Binary::Add, &tensor(&z.shape().iter().collect::<Vec<_>>(), &vec![0.0; z.shape().elements()]));
        for (found, expected) in owed(&few).zip(owed(&all)) {
            for (found, expected) in found.into_iter().zip(&expected) {
                close(found, *expected, largest(&read(&all)), &format!("{} owed along {some:?}", case.name));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_primitive_has_the_derivative_that_differences_find(drawn in drawn()) {
        for case in CASES {
            check(case, &drawn);
        }
    }

    #[test]
    fn what_is_owed_along_an_axis_need_not_have_it_where_it_is_the_same_all_along(drawn in drawn()) {
        for case in CASES {
            check_missing_axes(case, &drawn);
        }
    }

    #[test]
    fn no_number_that_is_drawn_is_near_zero_or_another_one_of_either_sign(drawn in drawn()) {
        let [x, y] = [0, 1].map(|which| read(&drawn.tensor(&[(A, 5), (B, 3)], which)));
        for x in &x {
            prop_assert!(y.iter().all(|y| (x.abs() - y.abs()).abs() > 0.002), "{x} beside one of {y:?}");
        }
        for numbers in [x, y] {
            let mut all = [&numbers[..], &[0.0]].concat();
            all.sort_by(f64::total_cmp);
            prop_assert!(all.windows(2).all(|pair| pair[1] - pair[0] > 0.002), "{all:?}");
        }
    }
}

#[test]
fn every_primitive_with_real_inputs_is_among_the_cases() {
    let drawn = Drawn { sizes: [4, 2, 2], lifted: [false; 2], other_layout: false, seed: 0 };
    let (x, y) = (drawn.tensor(&[(A, 4), (B, 2)], 0), drawn.tensor(&[(B, 2)], 1));
    let mut met: Vec<String> = Vec::new();
    for case in CASES.iter().filter(|case| (case.exists)(4, 2)) {
        for node in Node::walk(&[(case.make)(&x, &y, &drawn)]) {
            let word = format!("{:?}", node.op());
            met.push(word.split([' ', '(', '{']).next().unwrap_or_default().to_owned());
        }
    }
    let all = [
        "Cast",
        "Unary",
        "Binary",
        "Select",
        "Reduce",
        "Contract",
        "Softmax",
        "Standardize",
        "StandardizeGradient",
        "Rename",
        "Split",
        "Merge",
        "Slice",
        "At",
        "Window",
        "Pad",
        "Concat",
        "Gather",
        "ScatterAdd",
        "DynamicSlice",
        "DynamicUpdate",
        "CumulativeSum",
        "Sort",
        "Determinant",
        "LogDeterminant",
        "Inverse",
    ];
    for op in all {
        assert!(met.iter().any(|name| name == op), "no case has `{op}`");
    }
}

#[test]
fn equal_largest_numbers_share_what_is_owed_alike() {
    let x = tensor(&[(A, 4)], &[1.0, 3.0, 3.0, 2.0]);
    let largest = x.reduce(Reduction::Max, &[A]);
    let owed =
        reverse(&[(largest.clone(), Node::fill(Kind::F64, 1.0, Shape::default()))], std::slice::from_ref(&x), &[]);
    assert_eq!(read(owed[0].as_ref().unwrap()), [0.0, 0.5, 0.5, 0.0]);
    let both = x.binary(Binary::Max, &x.stop_gradient());
    let owed = reverse(&[(both, Node::fill(Kind::F64, 1.0, Shape::default()))], std::slice::from_ref(&x), &[]);
    assert_eq!(read(&forms::filled(owed[0].as_ref().unwrap(), x.shape())), [0.5; 4]);
}

#[test]
fn a_product_has_its_derivative_beside_zeros_too() {
    let x = tensor(&[(A, 3)], &[0.0, 2.0, 0.0]);
    let product = x.reduce(Reduction::Product, &[A]);
    let owed = reverse(&[(product, Node::fill(Kind::F64, 1.0, Shape::default()))], std::slice::from_ref(&x), &[])
        .remove(0)
        .unwrap();
    assert_eq!(read(&owed), [0.0, 0.0, 0.0]);
    let seed = Tangent::new(tensor(&[(A, 3)], &[1.0, 0.0, 0.0]));
    let second = forward(&[owed], &[(x, seed)]).remove(0).unwrap().node();
    assert_eq!(read(&second), [0.0, 0.0, 2.0]);
}

#[test]
fn pieces_that_are_owed_along_fewer_axes_are_renamed_together() {
    const OTHER: Name = Name::declared("other");
    let x = counting(&[(A, 3), (B, 2)]);
    let renamed = x.rename(&[(A, OTHER)]);
    // The first piece is owed the same all along the other axis.
    let first = renamed.slice(OTHER, 0..1, 1).reduce(Reduction::Sum, &[OTHER, B]);
    let rest = renamed.slice(OTHER, 1..3, 1);
    let loss = first.binary(Binary::Add, &rest.contract(&rest, &[OTHER, B]));
    let owed = reverse(&[(loss, Node::fill(Kind::F64, 1.0, Shape::default()))], std::slice::from_ref(&x), &[]);
    assert_eq!(read(owed[0].as_ref().unwrap()), [1.0, 1.0, 6.0, 8.0, 10.0, 12.0]);
}

#[test]
fn what_is_owed_to_some_of_the_sorted_numbers_goes_where_they_came_from() {
    let x = tensor(&[(A, 3), (B, 2)], &[3.0, 5.0, 1.0, 6.0, 2.0, 4.0]);
    let sorted = x.sort(A, false);
    let owed = |root: &Node, g: &Node| {
        let owed = reverse(&[(root.clone(), g.clone())], std::slice::from_ref(&x), &[]).remove(0).unwrap();
        read(&owed.binary(Binary::Add, &tensor(&[(A, 3), (B, 2)], &[0.0; 6])))
    };
    let column = sorted.slice(B, 1..2, 1);
    assert_eq!(owed(&column, &tensor(&[(A, 3), (B, 1)], &[7.0, 8.0, 9.0])), [0.0, 8.0, 0.0, 9.0, 0.0, 7.0], "a column");
    let row = sorted.slice(A, 2..3, 1);
    assert_eq!(owed(&row, &tensor(&[(A, 1), (B, 2)], &[7.0, 8.0])), [7.0, 0.0, 0.0, 8.0, 0.0, 0.0], "the largest");
    // Something is owed to those around as well.
    let around = tensor(&[(A, 1), (B, 2)], &[7.0, 8.0]).pad(A, 2, 0, 1.0);
    assert_eq!(owed(&sorted, &around), [7.0, 1.0, 1.0, 8.0, 1.0, 1.0], "all, most of them alike");
}

#[test]
fn a_product_of_nothing_owes_nothing() {
    let x = counting(&[(A, 0), (B, 2)]);
    let product = x.reduce(Reduction::Product, &[A]);
    let root = product.binary(Binary::Mul, &x.reduce(Reduction::Sum, &[A]).unary(Unary::Exp));
    let owed = reverse(&[(root.clone(), number(&root, 1.0))], std::slice::from_ref(&x), &[]).remove(0);
    assert!(owed.is_none_or(|owed| owed.error().is_none()), "and is no error");
    assert!(forward(&[product], &[(x.clone(), Tangent::new(x))])[0].is_none(), "nor does it change");
}

#[test]
fn nothing_passes_a_stopped_gradient() {
    let x = tensor(&[(A, 2)], &[1.0, 2.0]);
    let y = x.stop_gradient().binary(Binary::Mul, &x);
    let owed =
        reverse(&[(y, Node::fill(Kind::F64, 1.0, Shape::default()))], std::slice::from_ref(&x), &[]).remove(0).unwrap();
    assert_eq!(read(&owed), [1.0, 2.0]);
    let stopped = x.stop_gradient();
    assert!(forward(&[stopped], &[(x.clone(), Tangent::new(x))])[0].is_none());
}

#[test]
fn a_variable_computed_from_another_passes_on_what_it_owes() {
    let x = tensor(&[], &[3.0]);
    let y = x.binary(Binary::Mul, &x);
    let z = y.binary(Binary::Mul, &x);
    let owed = reverse(&[(z, Node::fill(Kind::F64, 1.0, Shape::default()))], &[x, y], &[]);
    let found: Vec<f64> = owed.iter().map(|owed| read(owed.as_ref().unwrap())[0]).collect();
    assert_eq!(found, [27.0, 3.0]);
}

#[test]
fn a_contraction_with_an_identity_is_a_renaming() {
    const STAR: Name = Name::declared("a*");
    let (x, y) = (tensor(&[(A, 3)], &[1.0, 2.0, 3.0]), tensor(&[(A, 3)], &[4.0, 5.0, 6.0]));
    let z = x.contract(&y, &[A]);
    let derivative = forward(&[z], &[(x, Tangent::identity(Kind::F64, [(A, STAR, 3)]))]).remove(0).unwrap().node();
    assert!(matches!(derivative.op(), Op::Rename), "{derivative:?}");
    assert_eq!(read(&derivative), [4.0, 5.0, 6.0]);
}

#[test]
fn a_chain_of_a_million_nodes_is_differentiated_both_ways() {
    let x = tensor(&[], &[1.0]);
    let half = Node::fill(Kind::F64, 1.0, Shape::default());
    let mut y = x.clone();
    for _ in 0..1_000_000 {
        y = y.binary(Binary::Add, &half);
    }
    let one = Node::fill(Kind::F64, 1.0, Shape::default());
    assert_eq!(read(reverse(&[(y.clone(), one.clone())], std::slice::from_ref(&x), &[])[0].as_ref().unwrap()), [1.0]);
    assert_eq!(read(&forward(&[y], &[(x, Tangent::new(one))])[0].as_ref().unwrap().node()), [1.0]);
}

#[test]
fn a_comparison_has_no_derivative() {
    let x = tensor(&[(A, 2)], &[1.0, 2.0]);
    let y = x.compare(Comparison::Gt, &Node::fill(Kind::F64, 1.5, Shape::default())).cast(Kind::F64);
    assert!(reverse(&[(y, Node::fill(Kind::F64, 1.0, Shape::default()))], &[x], &[])[0].is_none());
}

#[test]
fn what_is_owed_to_a_tensor_taken_apart_is_written_once_however_often_it_is_added() {
    let x = counting(&[(A, 4)]);
    let mut sum = x.rename(&[(A, B)]);
    for _ in 0..22 {
        sum = sum.binary(Binary::Add, &sum);
    }
    let part = sum.slice(B, 0..2, 1);
    let loss = part.contract(&part, &[B]);
    let owed = reverse(&[(loss.clone(), number(&loss, 1.0))], &[x], &[]).remove(0).unwrap();
    assert!(Node::walk(&[owed]).len() < 1000, "not once for each path");
}

#[test]
fn a_tensor_taken_apart_into_many_pieces_under_another_name_has_a_gradient() {
    let count = 10_000;
    let x = counting(&[(A, count)]);
    let renamed = x.rename(&[(A, B)]);
    let sum = (0..count).map(|i| renamed.at(B, i)).reduce(|sum, one| sum.binary(Binary::Add, &one)).unwrap();
    let owed = reverse(&[(sum.clone(), number(&sum, 1.0))], &[x], &[]).remove(0).unwrap();
    assert!(owed.error().is_none(), "and not a stack that overflows");
}

#[test]
fn what_is_written_out_owes_to_its_tensor_what_the_primitive_does_and_to_what_stands_inside_its_own_share() {
    let x = counting(&[(A, 3), (B, 4)]).unary(Unary::Sin);
    for way in 0..WAYS {
        let [whole, inside, primitive] = written(way, &x, &[B]);
        let weight = counting(&whole.shape().iter().collect::<Vec<_>>()).unary(Unary::Cos);
        let owed = |root: &Node, variable: &Node| {
            let seeds = [(root.clone(), weight.clone())];
            reverse(&seeds, std::slice::from_ref(variable), &[]).remove(0).expect("it depends on it")
        };
        let [found, expected] = [&whole, &primitive].map(|root| owed(root, &x));
        for (found, expected) in read(&found).iter().zip(read(&expected)) {
            close(*found, expected, 1.0, &format!("way {way}"));
        }
        let is_short = Node::walk(&[found]).len() <= Node::walk(std::slice::from_ref(&whole)).len() + 6;
        assert!(is_short, "way {way}: the gradient is that of the primitive");
        // Where what stands inside changes, and X does not.
        let by = counting(&inside.shape().iter().collect::<Vec<_>>()).unary(Unary::Tanh);
        let change = forward(std::slice::from_ref(&whole), &[(inside.clone(), Tangent::new(by.clone()))]).remove(0);
        let change = change.expect("it depends on it").node();
        close(inner(&owed(&whole, &inside), &by), inner(&weight, &change), 10.0, &format!("inside of way {way}"));
    }
}
