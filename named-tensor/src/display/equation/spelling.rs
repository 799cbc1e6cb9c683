//! Primitives that the language of equations has no word for, spelt with those that it has.
//!
//! Lives here: for each of them a graph with the same meaning. Not here: what has a word (`form`).

use crate::axis::Name;
use crate::element::{Binary, Comparison, Kind, Unary};
use crate::graph::calculus::Standardized;
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::graph::{Node, Op, Shape};

/// The same in primitives of which each has a word, or is nearer to one; nothing for what has a word.
pub(super) fn spelt(node: &Node) -> Option<Node> {
    Some(match (node.op(), node.inputs()) {
        // A truth value: a comparison of numbers.
        (&Op::Fill(value), []) if node.kind() == Kind::Bool => {
            let here = Node::fill(Kind::F64, 0.0, node.shape().clone());
            here.compare(if value == 0.0 { Comparison::Ne } else { Comparison::Eq }, &number(Kind::F64, 0.0))
        }
        // The same at all positions of further axes.
        (Op::Select, [condition, yes, no]) if yes.id() == no.id() && matches!(condition.op(), Op::Fill(_)) => {
            repeated(yes, condition.shape())
        }
        (Op::Cast, [x]) if node.kind() == Kind::Bool => x.compare(Comparison::Ne, &number(x.kind(), 0.0)),
        (&Op::Compare(comparison), [x, y]) if x.kind() == Kind::Bool => {
            x.cast(Kind::F64).compare(comparison, &y.cast(Kind::F64))
        }
        (Op::Softmax { axes, log }, [x]) if axes.is_empty() => {
            let zero = x.binary(Binary::Sub, x);
            if *log { zero } else { zero.unary(Unary::Exp) }
        }
        (Op::Standardize { axes, epsilon }, [x]) if axes.is_empty() => {
            x.binary(Binary::Sub, x).binary(Binary::Div, &number(x.kind(), epsilon.sqrt()))
        }
        // Nothing has no variance.
        (Op::StandardizeGradient { .. }, [x, owed]) if node.shape().elements() == 0 => x.binary(Binary::Mul, owed),
        (Op::StandardizeGradient { axes, epsilon }, [x, owed]) => Standardized::new(x, owed, axes, *epsilon).spelt(),
        (Op::Contract(axes), [x, y]) if axes.is_empty() => x.binary(Binary::Mul, y),
        (Op::Merge(from, into), [x]) => match from.as_slice() {
            [] => repeated(x, &Shape::new([(*into, 1)])),
            &[only] if only != *into => x.rename(&[(only, *into)]),
            _ => return None,
        },
        (Op::Split(axis, parts), [x]) if parts.is_empty() => x.at(*axis, 0),
        (&Op::Flip(axis), [x]) => turned(x, axis),
        (&Op::Slice { axis, start, step }, [x]) if step != 1 => {
            x.gather(axis, &counted(axis, node.shape().size(axis)?, start, step))
        }
        (&Op::Window { axis, into, step }, [x]) if step != 1 && node.shape().size(into) != Some(step) => {
            let first = counted(axis, node.shape().size(axis)?, 0, step);
            x.gather(axis, &first.binary(Binary::Add, &Node::iota(into, node.shape().size(into)?)))
        }
        (&Op::Pad { axis, before, value }, [x]) => {
            let after = node.shape().size(axis)? - before - x.shape().size(axis)?;
            let border = |size| Node::fill(x.kind(), value, x.shape().replaced(axis, &[(axis, size)]));
            let front = if before == 0 { x.clone() } else { border(before).concat(axis, x) };
            if after == 0 { front } else { front.concat(axis, &border(after)) }
        }
        (&Op::Concat(axis), [first, second, rest @ ..]) => {
            // The language joins two tensors with the same axes.
            let wide = |part: &Node| repeated(part, &node.shape().without(&[axis]));
            if rest.is_empty() && [first, second].iter().all(|part| part.shape().rank() == node.shape().rank()) {
                return None;
            }
            rest.iter().fold(wide(first).concat(axis, &wide(second)), |whole, part| whole.concat(axis, &wide(part)))
        }
        (&Op::CumulativeSum { axis, backwards: true }, [x]) => turned(&turned(x, axis).cumulative_sum(axis), axis),
        (Op::ScatterAdd { axis, over }, [updates, positions]) => scattered(node, *axis, over, updates, positions)?,
        (&Op::DynamicSlice(axis), [x, start]) => {
            x.gather(axis, &Node::iota(axis, node.shape().size(axis)?).binary(Binary::Add, start))
        }
        // if 0 <= i - start && i - start < n { part(i - start) } else { X(i) }
        (&Op::DynamicUpdate(axis), [x, part, start]) => {
            let size = part.shape().size(axis)?;
            if size == 0 {
                return Some(repeated(x, node.shape()));
            }
            let index = |value: usize| number(Kind::Index, value as f64);
            let inside = Node::iota(axis, node.shape().size(axis)?).binary(Binary::Sub, start);
            let (from, to) = (inside.compare(Comparison::Ge, &index(0)), inside.compare(Comparison::Lt, &index(size)));
            let near = inside.binary(Binary::Max, &index(0)).binary(Binary::Min, &index(size - 1));
            from.binary(Binary::And, &to).select(&part.gather(axis, &near), x)
        }
        // What a function means stands before its arguments; where numbers lie is none of the equation's business.
        (Op::Call(_), [meaning, ..]) | (Op::Constrain(..), [meaning]) => meaning.clone(),
        _ => return None,
    })
}

/// A number that is cut towards zero.
pub(super) fn cut(x: &Node) -> Node {
    let negative = x.compare(Comparison::Lt, &number(x.kind(), 0.0));
    let minus = |x: &Node| x.unary(Unary::Neg);
    negative.select(&minus(&minus(x).unary(Unary::Floor)), &x.unary(Unary::Floor))
}

fn number(kind: Kind, value: f64) -> Node {
    Node::fill(kind, value, Shape::default())
}

/// `start + step i` along an axis.
fn counted(axis: Name, size: usize, start: usize, step: usize) -> Node {
    let index = |value: usize| number(Kind::Index, value as f64);
    let steps = Node::iota(axis, size).binary(Binary::Mul, &index(step));
    if start == 0 { steps } else { index(start).binary(Binary::Add, &steps) }
}

/// The positions of an axis in the opposite order.
fn turned(x: &Node, axis: Name) -> Node {
    let size = x.shape().size(axis).unwrap_or(0);
    let last = number(Kind::Index, size.saturating_sub(1) as f64);
    x.gather(axis, &last.binary(Binary::Sub, &Node::iota(axis, size)))
}

/// `X` with all axes of `shape`: `X + 0`, the zeros having the axes that it lacks.
fn repeated(x: &Node, shape: &Shape) -> Node {
    let missing: Vec<(Name, usize)> = shape.iter().filter(|&(name, _)| !x.shape().has(name)).collect();
    let (missing, kind) = (Shape::new(missing), x.kind());
    match x.op() {
        _ if missing.rank() == 0 => x.clone(),
        &Op::Fill(value) if x.shape().rank() == 0 => Node::fill(kind, value, missing),
        _ if kind == Kind::Bool => x.binary(Binary::And, &Node::fill(kind, 1.0, missing)),
        _ => x.binary(Binary::Add, &Node::fill(kind, 0.0, missing)),
    }
}

/// The updates contracted with the one-hot tensor of their positions.
fn scattered(node: &Node, axis: Name, over: &Names, updates: &Node, positions: &Node) -> Option<Node> {
    // An axis that is summed away may have the name of the new one.
    let hidden = axis.freshened();
    let renamed = |x: &Node| if x.shape().has(axis) { x.rename(&[(axis, hidden)]) } else { x.clone() };
    let over = over.iter().map(|&name| if name == axis { hidden } else { name });
    let (updates, positions) = (renamed(updates), renamed(positions));
    let here = Node::iota(axis, node.shape().size(axis)?).compare(Comparison::Eq, &positions).cast(node.kind());
    let (both, single): (Names, Names) = over.partition(|&name| updates.shape().has(name) && here.shape().has(name));
    let total = |x: &Node| {
        let axes: Names = single.iter().copied().filter(|&name| x.shape().has(name)).collect();
        if axes.is_empty() { x.clone() } else { x.reduce(Reduction::Sum, &axes) }
    };
    Some(total(&updates).contract(&total(&here), &both))
}
