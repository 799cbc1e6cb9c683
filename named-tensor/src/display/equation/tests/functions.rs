//! What each function of the language means, as primitives.
//!
//! Lives here: values, arithmetic, functions. Not here: the grammar (`reader`).

use crate::axis::Name;
use crate::element::{Binary, Comparison, Kind, Unary};
use crate::graph::op::Reduction;
use crate::graph::{Node, Shape};

/// A value of the language.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Number(f64),
    Tensor(Node),
}

/// A number as a tensor of this kind.
pub(super) fn tensor(value: &Value, kind: Kind) -> Node {
    match value {
        Value::Number(value) => Node::fill(kind, *value, Shape::default()),
        Value::Tensor(node) => node.clone(),
    }
}

/// Positions as real numbers.
pub(super) fn real(value: &Value) -> Node {
    let node = tensor(value, Kind::F64);
    if node.kind() == Kind::Index { node.cast(Kind::F64) } else { node }
}

/// `left + right` and its kind; of two numbers, a number.
pub(super) fn arithmetic(function: Binary, left: &Value, right: &Value) -> Value {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => Value::Number(function.of(*left, *right)),
        _ => Value::Tensor(real(left).binary(function, &real(right))),
    }
}

/// A function of these axes and arguments.
pub(super) fn function(name: &str, axes: &[Name], given: &[Value]) -> Node {
    let number = |place: usize| match given.get(place) {
        Some(Value::Number(number)) => Some(*number),
        _ => None,
    };
    let count = |place: usize| number(place).expect("a number") as usize;
    let x = || real(&given[0]);
    let axis = || axes[0];
    let fill = |value| Node::fill(Kind::F64, value, Shape::default());
    let first_at = |x: &Node| {
        let here = Node::iota(axis(), x.shape().size(axis()).expect("the axis"));
        here.compare(Comparison::Eq, &x.argsort(axis(), true).at(axis(), 0)).cast(Kind::F64)
    };
    match (name, axes) {
        ("max", []) => real(&arithmetic(Binary::Max, &given[0], &given[1])),
        ("min", []) => real(&arithmetic(Binary::Min, &given[0], &given[1])),
        ("div", []) => real(&arithmetic(Binary::Div, &given[0], &given[1])).unary(Unary::Floor),
        ("clamp", []) => {
            x().binary(Binary::Max, &fill(number(1).unwrap())).binary(Binary::Min, &fill(number(2).unwrap()))
        }
        ("stop_gradient", []) => x().stop_gradient(),
        ("exp", []) => x().unary(Unary::Exp),
        ("log", []) => x().unary(Unary::Log),
        ("sqrt", []) => x().unary(Unary::Sqrt),
        ("tanh", []) => x().unary(Unary::Tanh),
        ("sigmoid", []) => x().unary(Unary::Sigmoid),
        ("relu", []) => x().unary(Unary::Relu),
        ("gelu", []) => x().unary(Unary::Gelu),
        ("sin", []) => x().unary(Unary::Sin),
        ("cos", []) => x().unary(Unary::Cos),
        ("erf", []) => x().unary(Unary::Erf),
        ("abs", []) => x().unary(Unary::Abs),
        ("floor", []) => x().unary(Unary::Floor),
        ("sum", axes) => x().reduce(Reduction::Sum, axes),
        ("prod", axes) => x().reduce(Reduction::Product, axes),
        ("max", axes) => x().reduce(Reduction::Max, axes),
        ("min", axes) => x().reduce(Reduction::Min, axes),
        ("mean", axes) => x().mean(axes),
        ("var", axes) => x().variance(axes),
        ("softmax", axes) => x().softmax(axes, false),
        ("log_softmax", axes) => x().softmax(axes, true),
        ("standardize", axes) => x().standardize(axes, number(1).unwrap_or(1e-5)),
        ("norm", axes) => match number(1) {
            None => x().contract(&x(), axes).unary(Unary::Sqrt),
            Some(p) => {
                let powers = x().unary(Unary::Abs).binary(Binary::Pow, &fill(p));
                powers.reduce(Reduction::Sum, axes).binary(Binary::Pow, &fill(1.0 / p))
            }
        },
        ("argmax", _) => first_at(&x()),
        ("argmin", _) => first_at(&x().unary(Unary::Neg)),
        ("cumsum", _) => x().cumulative_sum(axis()),
        ("argsort", _) => x().argsort(axis(), false),
        ("sort", _) => x().sort(axis(), false),
        ("maxk", _) => x().sort(axis(), true).slice(axis(), 0..count(1), 1),
        ("argmaxk", _) => x().argsort(axis(), true).slice(axis(), 0..count(1), 1),
        ("index", _) => tensor(&given[0], Kind::F64).gather(axis(), &real(&given[1]).cast(Kind::Index)),
        ("concat", _) => real(&given[0]).concat(axis(), &real(&given[1])),
        ("one_hot", _) => {
            let here = Node::iota(axis(), count(1));
            here.compare(Comparison::Eq, &real(&given[0]).cast(Kind::Index)).cast(Kind::F64)
        }
        ("det", &[a, b]) => x().determinant(a, b),
        ("logdet", &[a, b]) => x().log_determinant(a, b),
        ("inv", &[a, b]) => x().inverse(a, b),
        ("unroll", &[axis, into]) => x().window(axis, into, count(1), 1),
        ("pool", &[axis, into]) => x().window(axis, into, count(1), count(1)),
        ("eye", &[a, b]) => Node::iota(a, count(0)).compare(Comparison::Eq, &Node::iota(b, count(0))).cast(Kind::F64),
        (name, axes) => panic!("nothing is called `{name}` over {axes:?}"),
    }
}
