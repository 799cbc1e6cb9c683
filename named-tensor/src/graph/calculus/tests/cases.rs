//! The primitives to differentiate: how each is made of two inputs, and the inputs that are drawn for it.
//!
//! Lives here: one line for each primitive. Not here: what is checked of them.

use proptest::prelude::*;

use crate::axis::Name;
use crate::element::{Binary, Comparison, Kind, Unary};
use crate::graph::op::Reduction;
use crate::graph::testing::{A, B, C, D, WAYS, laid_otherwise, tensor, written};
use crate::graph::{Node, Shape};

/// An axis that no primitive below speaks of: that of a lifted function.
const EXTRA: Name = Name::declared("extra");

/// What a test draws: sizes of a, b and the extra axis, whether inputs have the extra axis, and numbers.
#[derive(Clone, Debug)]
pub(super) struct Drawn {
    pub(super) sizes: [usize; 3],
    pub(super) lifted: [bool; 2],
    pub(super) other_layout: bool,
    pub(super) seed: u64,
}

pub(super) fn drawn() -> impl Strategy<Value = Drawn> {
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
        ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40) as usize
    }

    /// A number between -1 and 1.
    fn number(&self, i: usize) -> f64 {
        self.place(i) as f64 / f64::from(1 << 23) - 1.0
    }

    /// A tensor over these axes; numbers no closer than 0.002 to each other, to 0 or to those of the other tensor, whichever
    /// signs they have.
    pub(super) fn tensor(&self, axes: &[(Name, usize)], which: usize) -> Node {
        let mut axes = axes.to_vec();
        if self.lifted[which] {
            axes.insert(0, (EXTRA, self.sizes[2]));
        }
        let count: usize = axes.iter().map(|&(_, size)| size).product();
        // Distinct, so that no difference steps over a tie: multiples of 0.05 in an order drawn, a part of it for each
        // tensor, and some noise.
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&i| self.place(i + 1000 * which));
        let mut values = vec![0.0; count];
        for (rank, i) in order.into_iter().enumerate() {
            let level = (rank as f64 - (count / 2) as f64) * 0.05;
            values[i] = level + [0.025, 0.0375][which] + 0.005 * self.number(i + 2000 * which);
        }
        let node = tensor(&axes, &values);
        if self.other_layout { laid_otherwise(&node) } else { node }
    }

    /// A tensor of numbers of any value, of the shape given.
    pub(super) fn any(&self, shape: &Shape, which: usize) -> Node {
        let values: Vec<f64> = (0..shape.elements()).map(|i| self.number(i + 3000 * which)).collect();
        tensor(&shape.iter().collect::<Vec<_>>(), &values)
    }
}

/// A primitive of two tensors x[a, b] and y[b] (either may have the extra axis), and whether it is smooth.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) smooth: bool,
    /// Sizes for which it exists.
    pub(super) exists: fn(usize, usize) -> bool,
    pub(super) make: fn(&Node, &Node, &Drawn) -> Node,
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

pub(super) static CASES: &[Case] = cases! {
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
    "log determinant" true if |_, _| true => |x, _y, d| heavy(x, d).log_determinant(C, A);
    "inverse" true if |_, _| true => |x, _y, d| heavy(x, d).inverse(A, C);
    "contraction with itself" true if |_, _| true => |x, _y, _| x.contract(&x.rename(&[(A, C)]), &[B]);
    "softmax" true if |n, _| n > 0 => |x, _y, _| x.softmax(&[A], false);
    "softmax over both" true if |n, m| n > 0 && m > 0 => |x, y, _| x.softmax(&[A, B], false).binary(Binary::Mul, y);
    "log softmax" true if |_, m| m > 0 => |x, _y, _| x.softmax(&[B], true);
    "softmax written out" true if |n, _| n > 0 => |x, _y, d| written(d.place(7) % 4, x, &[A])[0].clone();
    "log softmax written out over both" true if |n, m| n > 0 && m > 0 => |x, _y, d| {
        written(4 + d.place(7) % 3, x, &[A, B])[0].clone()
    };
    "standardize written out" true if |n, _| n > 2 => |x, _y, d| written(7 + d.place(7) % 5, x, &[A])[0].clone();
    "what stands inside of one that is written out, beside it" true if |n, _| n > 2 => |x, _y, d| {
        // No derivative passes through what stands inside of the third way and of the last one.
        let way = (4 + d.place(7) % (WAYS - 2)) % (WAYS - 1);
        let [whole, inside, _] = written(way, x, &[A]);
        whole.binary(Binary::Mul, &inside)
    };
    "standardize" true if |n, _| n > 0 => |x, _y, _| x.standardize(&[A], 1e-2);
    "standardize over both" true if |n, m| n > 0 && m > 0 => |x, _y, _| x.standardize(&[A, B], 1e-2);
    "gradient of standardize" true if |n, _| n > 0 => |x, y, _| {
        x.standardize_gradient(&y.filled(x.shape()).binary(Binary::Mul, x), &[A], 1e-2)
    };
    "gradient of standardize where more axes are owed" true if |n, m| n > 0 && m > 0 => |x, y, _| {
        y.standardize_gradient(x, &[B], 1e-2)
    };
    "gradient of standardize where fewer axes are owed" true if |n, m| n > 0 && m > 0 => |x, y, _| {
        x.standardize_gradient(y, &[B], 1e-2)
    };
    "gradient of standardize over both" true if |n, m| n > 0 && m > 0 => |x, y, _| {
        x.standardize_gradient(&y.filled(x.shape()), &[A, B], 1e-2)
    };
    "rename" true if |_, _| true => |x, y, _| x.rename(&[(A, B), (B, A)]).binary(Binary::Mul, &y.rename(&[(B, A)]));
    "split" true if |n, _| n % 2 == 0 => |x, _y, _| x.split(A, &[(C, Some(2)), (D, None)]);
    "flatten" true if |_, _| true => |x, _y, _| x.merge(&[B, A], C);
    "slice" true if |n, _| n >= 3 => |x, _y, _| x.slice(A, 1..3, 1);
    "stepped slice" true if |n, _| n >= 4 => |x, _y, _| x.slice(A, 1..4, 2);
    "empty slice" true if |n, _| n >= 1 => |x, _y, _| x.slice(A, 1..1, 1);
    "position" true if |n, _| n >= 2 => |x, _y, _| x.at(A, 1);
    "flip" true if |_, _| true => |x, _y, _| x.flip(A);
    "unroll" true if |n, _| n >= 2 => |x, _y, _| x.window(A, C, 2, 1);
    "windows of three, two apart" true if |n, _| n == 3 => |x, _y, _| x.window(A, C, 3, 2);
    "windows of one, three apart" true if |n, _| n == 4 => |x, _y, _| x.window(A, C, 1, 3);
    "windows of three, two apart, times weights" true if |n, _| n == 3 => |x, _y, _| {
        let weights = Node::iota(C, 3).binary(Binary::Sub, &Node::iota(D, 4)).cast(Kind::F64);
        x.pad(A, 0, 2, 0.0).window(A, C, 3, 2).contract(&weights, &[C])
    };
    "border" true if |n, _| n >= 1 => |x, _y, d| {
        let number = |value: usize| Node::fill(Kind::Index, value as f64, Shape::default());
        let (at, last) = (Node::iota(A, d.sizes[0] + 3), d.sizes[0] - 1);
        let moved = at.binary(Binary::Sub, &number(2)).binary(Binary::Max, &number(0));
        let inside = [number(2).compare(Comparison::Le, &at), at.compare(Comparison::Lt, &number(last + 3))];
        let chosen = x.gather(A, &moved.binary(Binary::Min, &number(last)));
        inside[0].binary(Binary::And, &inside[1]).select(&chosen, &Node::fill(Kind::F64, 0.5, Shape::default()))
    };
    "windows of two, one apart, and squared" true if |n, _| n >= 2 => |x, _y, _| {
        let windows = x.window(A, C, 2, 1);
        windows.binary(Binary::Mul, &windows)
    };
    "pool" true if |n, _| n % 2 == 0 => |x, _y, _| x.window(A, C, 2, 2);
    "pad" true if |_, _| true => |x, _y, _| x.pad(A, 1, 2, 7.0);
    "concat" true if |_, _| true => |x, y, _| x.concat(B, &y.unary(Unary::Sin));
    "concat of a list" true if |_, _| true => |x, y, d| {
        let sizes = Shape::new([(A, d.sizes[0]), (B, 2)]);
        let between = Node::fill(Kind::F64, 3.0, sizes);
        Node::concat_all(B, &[x, &between, &y.unary(Unary::Sin), x]).unwrap()
    };
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
    "the largest" false if |n, _| n >= 2 => |x, _y, _| x.sort(A, true).slice(A, 0..2, 1);
    "those after the smallest" false if |n, _| n >= 3 => |x, _y, _| x.sort(A, false).slice(A, 1..3, 1);
};
