//! Sums, products and contractions as differentials need them, with what is trivial left out.
//!
//! Lives here: arithmetic in which a factor 1 costs nothing, numbers are computed at once and a missing axis means
//! "the same all along".
//! Not here: the rules of any primitive.

use crate::axis::Name;
use crate::element::{Binary, Kind, Unary};
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::graph::{Node, Shape};

/// A number of the kind of `like`.
pub(super) fn number(like: &Node, value: f64) -> Node {
    Node::fill(like.kind(), value, Shape::default())
}

/// `function` of both, at once if both are numbers.
fn of_two(function: Binary, a: &Node, b: &Node) -> Node {
    match (a.literal(), b.literal()) {
        (Some(x), Some(y)) => number(a, function.of(x, y)),
        _ => a.binary(function, b),
    }
}

/// `a + b`
pub(super) fn plus(a: &Node, b: &Node) -> Node {
    of_two(Binary::Add, a, b)
}

/// `a - b`
pub(super) fn minus(a: &Node, b: &Node) -> Node {
    of_two(Binary::Sub, a, b)
}

/// `a * b`
pub(super) fn times(a: &Node, b: &Node) -> Node {
    match (a.literal(), b.literal()) {
        (Some(1.0), _) => b.clone(),
        (_, Some(1.0)) => a.clone(),
        _ => of_two(Binary::Mul, a, b),
    }
}

/// `a / b`
pub(super) fn over(a: &Node, b: &Node) -> Node {
    if b.literal() == Some(1.0) { a.clone() } else { of_two(Binary::Div, a, b) }
}

/// `-a`
pub(super) fn negative(a: &Node) -> Node {
    a.unary(Unary::Neg)
}

/// `factor a`
pub(super) fn scaled(a: &Node, factor: f64) -> Node {
    times(&number(a, factor), a)
}

/// `condition` as the numbers 1 and 0 of the kind of `like`.
pub(super) fn indicator(condition: &Node, like: &Node) -> Node {
    condition.cast(like.kind())
}

/// `x` where `condition` holds, else 0.
pub(super) fn only_where(condition: &Node, x: &Node) -> Node {
    condition.select(x, &number(x, 0.0))
}

/// `x` with every axis of `shape`.
pub(super) fn filled(x: &Node, shape: &Shape) -> Node {
    x.filled(shape)
}

/// `x` with the axes `names`, whose sizes are those of `shape`.
pub(super) fn with_axes(x: &Node, names: &[Name], shape: &Shape) -> Node {
    filled(x, &shape.only(names))
}

/// Σ over `axes` of `x`; the sizes of those it lacks are in `shape`.
pub(super) fn total(x: &Node, axes: &[Name], shape: &Shape) -> Node {
    let (there, missing): (Names, Names) = axes.iter().copied().partition(|&axis| x.shape().has(axis));
    let repeats = times_of(&missing, shape);
    let sum = if there.is_empty() { x.clone() } else { x.reduce(Reduction::Sum, &there) };
    if repeats == 1.0 { sum } else { scaled(&sum, repeats) }
}

/// How many positions the axes have together.
pub(super) fn times_of(axes: &[Name], shape: &Shape) -> f64 {
    axes.iter().filter_map(|&axis| shape.size(axis)).map(|size| size as f64).product()
}

/// Σ over `axes` of `x * y`; the sizes of those that both lack are in `shape`.
pub(super) fn dot(x: &Node, y: &Node, axes: &[Name], shape: &Shape) -> Node {
    let (both, rest): (Names, Names) =
        axes.iter().copied().partition(|&axis| x.shape().has(axis) && y.shape().has(axis));
    let (left, rest): (Names, Names) = rest.iter().copied().partition(|&axis| x.shape().has(axis));
    let (right, neither): (Names, Names) = rest.iter().copied().partition(|&axis| y.shape().has(axis));
    let (x, y) = (total(x, &left, shape), total(y, &right, shape));
    let product = if both.is_empty() { times(&x, &y) } else { x.contract(&y, &both) };
    total(&product, &neither, shape)
}

/// The part of a cotangent `g` of a node with the axes `of` that an input with the axes `to` gets: summed over the
/// axes along which the input was repeated. The axes `keep` are never summed.
pub(super) fn onto(g: &Node, of: &Shape, to: &Shape, keep: &[Name]) -> Node {
    total(g, &lost(of, to, keep), of)
}

/// The axes of `of` that `to` lacks, other than `keep`.
pub(super) fn lost(of: &Shape, to: &Shape, keep: &[Name]) -> Names {
    of.names().filter(|&name| !to.has(name) && !keep.contains(&name)).collect()
}

/// Whether differentials of this kind exist.
pub(super) fn is_real(kind: Kind) -> bool {
    matches!(kind, Kind::F32 | Kind::F64)
}

/// The positions `start`, `start + step`, ... along an axis.
pub(super) fn positions(axis: Name, size: usize, start: usize, step: usize) -> Node {
    let index = |value: usize| Node::fill(Kind::Index, value as f64, Shape::default());
    let mut positions = Node::iota(axis, size);
    if step != 1 {
        positions = positions.binary(Binary::Mul, &index(step));
    }
    if start != 0 {
        positions = positions.binary(Binary::Add, &index(start));
    }
    positions
}
