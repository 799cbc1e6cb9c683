//! Derivatives against differences, and against each other.
//!
//! For each primitive on random shapes: its differential against a central difference in `f64`, its adjoint as the
//! transpose of its differential, and for smooth ones the same of the adjoint, a second derivative.

use proptest::prelude::*;

use super::*;
use crate::axis::Name;
use crate::element::{Binary, Comparison, Kind, Unary};
use crate::graph::op::Reduction;
use crate::graph::testing::{A, B, C, D, laid_otherwise, read, tensor};
use crate::graph::{Op, Shape};

/// An axis that no primitive below speaks of: that of a lifted function.
const EXTRA: Name = Name::declared("extra");

/// What a test draws: sizes of a, b and the extra axis, whether inputs have the extra axis, and numbers.
#[derive(Clone, Debug)]
struct Drawn {
    sizes: [usize; 3],
    lifted: [bool; 2],
    other_layout: bool,
    seed: u64,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let sizes = (0..5_usize, 0..4_usize, 1..3_usize).prop_map(|(a, b, extra)| [a, b, extra]);
    (sizes, any::<[bool; 2]>(), any::<bool>(), any::<u64>()).prop_map(|(sizes, lifted, other_layout, seed)| Drawn {
        sizes,
        lifted,
        other_layout,
        seed,
    })
}

impl Drawn {
    /// A number from the seed, any but the same for the same `i`.
    fn place(&self, i: usize) -> usize {
        let mixed = (self.seed ^ i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) as usize >> 40
    }

    /// A number between -1 and 1.
    fn number(&self, i: usize) -> f64 {
        self.place(i) as f64 / f64::from(1 << 23) - 1.0
    }

    /// A tensor over these axes; numbers no closer than 0.01 to each other or to 0, some of them negative.
    fn tensor(&self, axes: &[(Name, usize)], which: usize) -> Node {
        let mut axes = axes.to_vec();
        if self.lifted[which] {
            axes.insert(0, (EXTRA, self.sizes[2]));
        }
        let count: usize = axes.iter().map(|&(_, size)| size).product();
        // Distinct, so that no difference steps over a tie: multiples of 0.05 in an order drawn, and some noise.
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&i| self.place(i + 1000 * which));
        let mut values = vec![0.0; count];
        for (rank, i) in order.into_iter().enumerate() {
            let level = (rank as f64 - count as f64 / 2.0) * 0.05;
            values[i] = level + 0.025 + 0.01 * self.number(i + 2000 * which);
        }
        let node = tensor(&axes, &values);
        if self.other_layout { laid_otherwise(&node) } else { node }
    }

    /// A tensor of numbers of any value, of the shape given.
    fn any(&self, shape: &Shape, which: usize) -> Node {
        let values: Vec<f64> = (0..shape.elements()).map(|i| self.number(i + 3000 * which)).collect();
        tensor(&shape.iter().collect::<Vec<_>>(), &values)
    }
}

/// A primitive of two tensors x[a, b] and y[b] (either may have the extra axis), and whether it is smooth.
struct Case {
    name: &'static str,
    smooth: bool,
    /// Sizes for which it exists.
    exists: fn(usize, usize) -> bool,
    make: fn(&Node, &Node, &Drawn) -> Node,
}

fn positions_below(size: usize, axes: &[(Name, usize)], drawn: &Drawn) -> Node {
    let count: usize = axes.iter().map(|&(_, size)| size).product();
    let values: Vec<i64> = (0..count).map(|i| (drawn.place(i) % size.max(1)) as i64).collect();
    tensor(axes, &values)
}

macro_rules! cases {
    ($($name:literal $smooth:literal if |$n:pat_param, $m:pat_param| $exists:expr => |$x:ident, $y:ident, $d:pat_param| $make:expr;)*) => {
        &[$(Case { name: $name, smooth: $smooth, exists: |$n, $m| $exists, make: |$x, $y, $d| $make }),*]
    };
}

/// Positive numbers.
fn positive(x: &Node) -> Node {
    x.binary(Binary::Mul, x).binary(Binary::Add, &Node::fill(Kind::F64, 0.5, Shape::default()))
}

/// A matrix over a and c that is far from singular.
fn heavy(x: &Node, drawn: &Drawn) -> Node {
    let size = drawn.sizes[0];
    let one = Node::iota(A, size).compare(Comparison::Eq, &Node::iota(C, size)).cast(Kind::F64);
    let weight = Node::fill(Kind::F64, 2.0, Shape::default());
    x.contract(&x.rename(&[(A, C)]), &[B]).binary(Binary::Add, &one.binary(Binary::Mul, &weight))
}

static CASES: &[Case] = cases! {
    "cast" true if |_, _| true => |x, _y, _| x.cast(Kind::F32).cast(Kind::F64).binary(Binary::Mul, x);
    "negation" true if |_, _| true => |x, _y, _| x.unary(Unary::Neg);
    "abs" false if |_, _| true => |x, _y, _| x.unary(Unary::Abs);
    "exp" true if |_, _| true => |x, _y, _| x.unary(Unary::Exp);
    "log" true if |_, _| true => |x, _y, _| positive(x).unary(Unary::Log);
    "sqrt" true if |_, _| true => |x, _y, _| positive(x).unary(Unary::Sqrt);
    "tanh" true if |_, _| true => |x, _y, _| x.unary(Unary::Tanh);
    "sigmoid" true if |_, _| true => |x, _y, _| x.unary(Unary::Sigmoid);
    "relu" false if |_, _| true => |x, _y, _| x.unary(Unary::Relu);
    "gelu" true if |_, _| true => |x, _y, _| x.unary(Unary::Gelu);
    "gelu_tanh" true if |_, _| true => |x, _y, _| x.unary(Unary::GeluTanh);
    "silu" true if |_, _| true => |x, _y, _| x.unary(Unary::Silu);
    "sin" true if |_, _| true => |x, _y, _| x.unary(Unary::Sin);
    "cos" true if |_, _| true => |x, _y, _| x.unary(Unary::Cos);
    "erf" true if |_, _| true => |x, _y, _| x.unary(Unary::Erf);
    "sum of two" true if |_, _| true => |x, y, _| x.binary(Binary::Add, y);
    "difference" true if |_, _| true => |x, y, _| y.binary(Binary::Sub, x);
    "product" true if |_, _| true => |x, y, _| x.binary(Binary::Mul, y);
    "square" true if |_, _| true => |x, _y, _| x.binary(Binary::Mul, x);
    "quotient" true if |_, _| true => |x, y, _| y.binary(Binary::Div, &positive(x));
    "power" true if |_, _| true => |x, y, _| positive(x).binary(Binary::Pow, y);
    "larger of two" false if |_, _| true => |x, y, _| x.binary(Binary::Max, &y.unary(Unary::Neg));
    "smaller of two" false if |_, _| true => |x, y, _| x.binary(Binary::Min, &y.unary(Unary::Neg));
    "cases" true if |_, _| true => |x, y, d| {
        let axes = [(B, d.sizes[1])];
        let truth: Vec<bool> = (0..d.sizes[1]).map(|i| d.place(i).is_multiple_of(2)).collect();
        tensor(&axes, &truth).select(x, y)
    };
    "sum" true if |_, _| true => |x, _y, _| x.reduce(Reduction::Sum, &[A]);
    "sum over both" true if |_, _| true => |x, y, _| x.reduce(Reduction::Sum, &[B, A]).binary(Binary::Mul, y);
    "product over an axis" true if |_, _| true => |x, _y, _| x.reduce(Reduction::Product, &[A]);
    "product over both" true if |_, _| true => |x, y, _| x.reduce(Reduction::Product, &[A, B]).binary(Binary::Mul, y);
    "max" false if |n, _| n > 0 => |x, _y, _| x.reduce(Reduction::Max, &[A]);
    "min over both" false if |n, m| n > 0 && m > 0 => |x, _y, _| x.reduce(Reduction::Min, &[A, B]);
    "mean" true if |n, _| n > 0 => |x, _y, _| x.mean(&[A]);
    "variance" true if |_, m| m > 0 => |x, _y, _| x.variance(&[B]);
    "contraction" true if |_, _| true => |x, y, _| x.contract(y, &[B]);
    "contraction over nothing" true if |_, _| true => |x, y, _| x.contract(y, &[]);
    "determinant" true if |_, _| true => |x, _y, d| heavy(x, d).determinant(C, A);
    "inverse" true if |_, _| true => |x, _y, d| heavy(x, d).inverse(A, C);
    "contraction with itself" true if |_, _| true => |x, _y, _| x.contract(&x.rename(&[(A, C)]), &[B]);
    "softmax" true if |n, _| n > 0 => |x, _y, _| x.softmax(&[A], false);
    "softmax over both" true if |n, m| n > 0 && m > 0 => |x, y, _| x.softmax(&[A, B], false).binary(Binary::Mul, y);
    "log softmax" true if |_, m| m > 0 => |x, _y, _| x.softmax(&[B], true);
    "standardize" true if |n, _| n > 0 => |x, _y, _| x.standardize(&[A], 1e-2);
    "standardize over both" true if |n, m| n > 0 && m > 0 => |x, _y, _| x.standardize(&[A, B], 1e-2);
    "rename" true if |_, _| true => |x, y, _| x.rename(&[(A, B), (B, A)]).binary(Binary::Mul, &y.rename(&[(B, A)]));
    "split" true if |n, _| n % 2 == 0 => |x, _y, _| x.split(A, &[(C, Some(2)), (D, None)]);
    "flatten" true if |_, _| true => |x, _y, _| x.merge(&[B, A], C);
    "slice" true if |n, _| n >= 3 => |x, _y, _| x.slice(A, 1..3, 1);
    "stepped slice" true if |n, _| n >= 4 => |x, _y, _| x.slice(A, 1..4, 2);
    "empty slice" true if |n, _| n >= 1 => |x, _y, _| x.slice(A, 1..1, 1);
    "position" true if |n, _| n >= 2 => |x, _y, _| x.at(A, 1);
    "unroll" true if |n, _| n >= 2 => |x, _y, _| x.window(A, C, 2, 1);
    "windows of three, two apart" true if |n, _| n == 3 => |x, _y, _| x.window(A, C, 3, 2);
    "windows of two, one apart, and squared" true if |n, _| n >= 2 => |x, _y, _| {
        let windows = x.window(A, C, 2, 1);
        windows.binary(Binary::Mul, &windows)
    };
    "pool" true if |n, _| n % 2 == 0 => |x, _y, _| x.window(A, C, 2, 2);
    "pad" true if |_, _| true => |x, _y, _| x.pad(A, 1, 2, 7.0);
    "concat" true if |_, _| true => |x, y, _| x.concat(B, &y.unary(Unary::Sin));
    "index of rows" true if |n, _| n > 0 => |x, _y, d| x.gather(A, &positions_below(d.sizes[0], &[(C, 3)], d));
    "aligned index" true if |_, m| m > 0 => |x, _y, d| {
        x.gather(B, &positions_below(d.sizes[1], &[(A, d.sizes[0]), (C, 2)], d))
    };
    "index that brings its axis back" true if |n, _| n > 0 => |x, _y, d| {
        x.gather(A, &positions_below(d.sizes[0], &[(B, d.sizes[1]), (A, 2)], d))
    };
    "index that is lifted" true if |n, _| n > 0 => |x, _y, d| {
        x.gather(A, &positions_below(d.sizes[0], &[(EXTRA, d.sizes[2])], d))
    };
    "scatter" true if |_, _| true => |x, _y, d| {
        x.scatter_add(&positions_below(3, &[(A, d.sizes[0])], d), C, 3, &[A])
    };
    "scatter over an axis without positions" true if |_, _| true => |x, _y, d| {
        x.scatter_add(&positions_below(3, &[(A, d.sizes[0])], d), C, 3, &[A, B])
    };
    "dynamic slice" true if |n, _| n >= 2 => |x, _y, d| {
        x.dynamic_slice(A, 2, &positions_below(d.sizes[0] - 1, &[(B, d.sizes[1])], d))
    };
    "dynamic update" true if |n, _| n >= 2 => |x, y, d| {
        let part = y.spread(Shape::new([(A, 2)]));
        x.dynamic_update(A, &part, &positions_below(d.sizes[0] - 1, &[], d))
    };
    "dynamic update at positions of another axis" true if |n, _| n >= 2 => |x, y, d| {
        let part = y.spread(Shape::new([(A, 1)]));
        x.dynamic_update(A, &part, &positions_below(d.sizes[0], &[(C, 2)], d))
    };
    "running sum" true if |_, _| true => |x, _y, _| x.cumulative_sum(A);
    "sort" false if |_, _| true => |x, _y, _| x.sort(A, false);
    "sort downwards" false if |_, _| true => |x, _y, _| x.sort(B, true);
};

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
    let dz = forward(std::slice::from_ref(&z), &seeds).remove(0).map_or_else(|| forms::number(&z, 0.0), |dz| dz.node());
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_primitive_has_the_derivative_that_differences_find(drawn in drawn()) {
        for case in CASES {
            check(case, &drawn);
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
