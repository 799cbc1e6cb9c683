//! What the tests of graphs share: small tensors, other layouts of them, and reading.
//!
//! Lives here: making and reading tensors by name. Not here: any expected number.

use crate::axis::Name;
use crate::element::{Bf16, Binary, Buffer, Kind, Stored, Unary};
use crate::error::Error;
use crate::graph::evaluate::plainly;
use crate::graph::op::Reduction;
use crate::graph::value::row_major;
use crate::graph::{Node, Shape, Value};

/// Axes of tests.
pub(crate) const A: Name = Name::declared("a");
/// Another.
pub(crate) const B: Name = Name::declared("b");
/// Another.
pub(crate) const C: Name = Name::declared("c");
/// Another.
pub(crate) const D: Name = Name::declared("d");

/// How many ways there are to write out a function of rows.
pub(crate) const WAYS: usize = 16;

/// A function of rows of X along `axes`, written out: the whole, a tensor inside it, and the primitive that it is.
pub(crate) fn written(way: usize, x: &Node, axes: &[Name]) -> [Node; 3] {
    let number = |value: f64| Node::fill(x.kind(), value, Shape::default());
    let less = |y: &Node| x.binary(Binary::Sub, y);
    let exp = |y: &Node| y.unary(Unary::Exp);
    let total = |y: &Node| y.reduce(Reduction::Sum, axes);
    let (largest, mean) = (x.reduce(Reduction::Max, axes), x.mean(axes));
    let (softmax, log_softmax) = (x.softmax(axes, false), x.softmax(axes, true));
    let quotient = |inside: Node, same: &Node| [inside.binary(Binary::Div, &total(same)), inside, softmax.clone()];
    let root = |square: &Node| square.binary(Binary::Add, &number(1e-2)).unary(Unary::Sqrt);
    let standard = |inside: Node, root: &Node| {
        let epsilon = if way == 10 { 0.0 } else { 1e-2 };
        [inside.binary(Binary::Div, root), inside, x.standardize(axes, epsilon)]
    };
    match way {
        0 => quotient(exp(x), &exp(x)),
        1 => {
            let powers = exp(&less(&largest));
            quotient(powers.clone(), &powers)
        }
        2 => quotient(exp(&less(&x.reduce(Reduction::Max, axes))), &exp(&less(&largest))),
        3 => {
            let powers = exp(&less(&largest.stop_gradient()));
            quotient(powers.clone(), &powers)
        }
        4 => {
            let inside = total(&exp(x));
            [less(&inside.unary(Unary::Log)), inside, log_softmax]
        }
        5 => {
            let inside = less(&largest);
            [inside.binary(Binary::Sub, &total(&exp(&inside)).unary(Unary::Log)), inside, log_softmax]
        }
        6 => {
            let inside = total(&exp(&less(&largest)));
            [less(&largest.binary(Binary::Add, &inside.unary(Unary::Log))), inside, log_softmax]
        }
        7 => standard(less(&mean), &root(&x.variance(axes))),
        8 => {
            let inside = less(&mean);
            let square = inside.binary(Binary::Pow, &number(2.0)).mean(axes);
            standard(inside, &number(1e-2).binary(Binary::Add, &square).binary(Binary::Pow, &number(0.5)))
        }
        9 => {
            let inside = less(&x.mean(axes));
            let count = axes.iter().filter_map(|&axis| x.shape().size(axis)).product::<usize>() as f64;
            let square = inside.contract(&inside, axes).binary(Binary::Div, &number(count));
            standard(inside, &root(&square))
        }
        10 => standard(less(&mean), &x.variance(axes).unary(Unary::Sqrt)),
        12..16 => {
            let by = if way == 15 { largest.stop_gradient() } else { largest };
            let inside = exp(&if way == 12 { x.clone() } else { less(&by) });
            let log = total(&inside).unary(Unary::Log);
            let whole = match way {
                12 => log.clone(),
                14 => log.binary(Binary::Add, &by),
                _ => by.binary(Binary::Add, &log),
            };
            [whole, inside, less(&log_softmax).reduce(Reduction::Max, axes)]
        }
        _ => {
            let inside = less(&mean);
            let square = inside.binary(Binary::Mul, &inside).mean(axes);
            standard(inside, &root(&square))
        }
    }
}

/// A tensor of these elements, the last axis fastest.
#[track_caller]
pub(crate) fn tensor<T: Stored>(axes: &[(Name, usize)], values: &[T]) -> Node {
    let shape = Shape::new(axes.iter().copied());
    assert_eq!(values.len(), shape.elements(), "one number for each position");
    let value = Value::contiguous(T::into_buffer(values.to_vec()), shape.sizes());
    Node::input(value, shape)
}

/// A tensor of the numbers 1, 2, 3, ...
#[track_caller]
pub(crate) fn counting(axes: &[(Name, usize)]) -> Node {
    let shape = Shape::new(axes.iter().copied());
    let values: Vec<f64> = (1..=shape.elements()).map(|i| i as f64).collect();
    tensor(axes, &values)
}

/// The same tensor in another layout: the first axis fastest, two apart and backwards, behind unused elements.
pub(crate) fn laid_otherwise(x: &Node) -> Node {
    let forwards = plainly(std::slice::from_ref(x)).expect("a tensor without error").remove(0);
    let reversed = Shape::new(x.shape().iter().rev());
    let mut strides = row_major(reversed.sizes());
    strides.reverse();
    strides.iter_mut().for_each(|stride| *stride *= -2);
    let count = x.shape().elements();
    let offset = 2 * count + 1;
    fn fill<T: Stored>(x: &Node, from: &Value, strides: &[isize], offset: usize) -> Buffer {
        let mut values = vec![T::default(); offset + 2];
        for (at, value) in positions(x.shape()).iter().zip(elements::<T>(from, x.shape())) {
            let step: isize = at.iter().zip(strides).map(|(&i, stride)| i as isize * stride).sum();
            values[offset.strict_add_signed(step)] = value;
        }
        T::into_buffer(values)
    }
    let buffer = match x.kind() {
        Kind::F32 => fill::<f32>(x, &forwards, &strides, offset),
        Kind::F64 => fill::<f64>(x, &forwards, &strides, offset),
        Kind::Index => fill::<i64>(x, &forwards, &strides, offset),
        Kind::Bool => fill::<bool>(x, &forwards, &strides, offset),
        Kind::Bf16 => fill::<Bf16>(x, &forwards, &strides, offset),
    };
    Node::input(Value { buffer: buffer.into(), offset, strides }, x.shape().clone())
}

/// The elements as numbers, in the order of the node's own axes.
#[track_caller]
pub(crate) fn read(node: &Node) -> Vec<f64> {
    let value = plainly(std::slice::from_ref(node)).expect("a tensor without error").remove(0);
    numbers(&value, node.shape())
}

/// The elements of a value as numbers, in the order of the axes of its node.
pub(crate) fn numbers(value: &Value, shape: &Shape) -> Vec<f64> {
    fn wide<T: Stored>(value: &Value, shape: &Shape) -> Vec<f64> {
        elements::<T>(value, shape).into_iter().map(T::to_f64).collect()
    }
    match value.buffer.kind() {
        Kind::F32 => wide::<f32>(value, shape),
        Kind::F64 => wide::<f64>(value, shape),
        Kind::Index => wide::<i64>(value, shape),
        Kind::Bool => wide::<bool>(value, shape),
        Kind::Bf16 => wide::<Bf16>(value, shape),
    }
}

/// The error of evaluating a node.
#[track_caller]
pub(crate) fn error(node: &Node) -> Error {
    plainly(std::slice::from_ref(node)).map(drop).expect_err("an error")
}

/// Its axes and sizes, sorted by name.
pub(crate) fn axes(node: &Node) -> Vec<(&'static str, usize)> {
    let mut axes: Vec<_> = node.shape().iter().map(|(name, size)| (name.text(), size)).collect();
    axes.sort_unstable();
    axes
}

fn elements<T: Stored>(value: &Value, shape: &Shape) -> Vec<T> {
    let data = T::of(&value.buffer);
    let step = |at: &Vec<usize>| at.iter().zip(&value.strides).map(|(&i, stride)| i as isize * stride).sum();
    positions(shape).iter().map(|at| data[value.offset.strict_add_signed(step(at))]).collect()
}

/// All positions of a shape, by division with remainder: not by the walk under test.
fn positions(shape: &Shape) -> Vec<Vec<usize>> {
    let position = |mut number: usize| {
        let mut at: Vec<usize> = shape.sizes().rev().map(|size| (number % size, number /= size).0).collect();
        at.reverse();
        at
    };
    (0..shape.elements()).map(position).collect()
}
