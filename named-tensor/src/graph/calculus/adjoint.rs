//! The adjoint of each primitive: what its inputs owe when its result is owed `g`.
//!
//! Each is the transpose of the differential in `forward`; a law tests it. Lives here: one rule for each primitive, its
//! forward equation quoted. Not here: the scalar functions (`scalar`), the sweep (`reverse`).

use smallvec::{SmallVec, smallvec};

use super::expansion;
use super::forms::{
    dot, filled, is_real, lost, minus, negative, number, onto, over, plus, positions, scaled, times, total, with_axes,
};
use super::forward::{extremes, inverted};
use super::scalar::{chained, exponent_slope, power_slope, share};
use super::standardized::Standardized;
use super::{reverse, scan, windows};
use crate::axis::Name;
use crate::element::{Binary, Unary};
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::graph::{Node, Op, Shape};

/// What each input owes.
pub(super) type Shares = SmallVec<[Option<Node>; 3]>;

/// What X owes to this function of its rows, whose result is `node`, when that is owed `g`.
pub(super) fn of_rows(op: &Op, x: &Node, node: &Node, g: &Node) -> Option<Node> {
    match op {
        // s = softmax X:  X owes s * (g - s ⊙ g);  y = log s:  X owes g - exp(y) * Σ g
        Op::Softmax { axes, log: false } => Some(times(node, &minus(g, &dot(node, g, axes, node.shape())))),
        Op::Softmax { axes, .. } => Some(minus(g, &times(&node.unary(Unary::Exp), &total(g, axes, node.shape())))),
        Op::Standardize { axes, epsilon } => {
            Some(x.standardize_gradient(&with_axes(g, axes, node.shape()), axes, *epsilon))
        }
        _ => None,
    }
}

/// What the `wanted` inputs of `node` owe when it is owed `g`.
pub(super) fn adjoint(node: &Node, g: &Node, wanted: &dyn Fn(usize) -> bool, keep: &[Name]) -> Shares {
    let to = |input: &Node, share: Node| onto(&share, &wide(node, &share), input.shape(), keep);
    match (node.op(), node.inputs()) {
        (Op::Cast, [x]) if is_real(x.kind()) => smallvec![Some(g.cast(x.kind()))],
        (&Op::Unary(function), [x]) => smallvec![chained(function, x, node, g)],
        (&Op::Binary(function), [x, y]) => binary(function, node, [x, y], g, wanted, keep),
        // Z = if C then X else Y
        (Op::Select, [condition, x, y]) => {
            let zero = number(node, 0.0);
            let yes = wanted(1).then(|| to(x, condition.select(g, &zero)));
            let no = wanted(2).then(|| to(y, condition.select(&zero, g)));
            smallvec![None, yes, no]
        }
        (Op::Reduce(reduction, axes), [x]) => smallvec![reduced(node, *reduction, x, axes, g, keep)],
        // Z = X ⊙ Y:  X owes Y ⊙ g over what X lacks
        (Op::Contract(_), [x, y]) => {
            let owes = |input: &Node, other: &Node| onto_product(other, g, node.shape(), input.shape(), keep);
            if x.id() == y.id() {
                return smallvec![Some(scaled(&owes(x, x), 2.0)), None];
            }
            smallvec![wanted(0).then(|| owes(x, y)), wanted(1).then(|| owes(y, x))]
        }
        (Op::Softmax { .. } | Op::Standardize { .. }, [x]) => smallvec![of_rows(node.op(), x, node, g)],
        (Op::StandardizeGradient { axes, epsilon }, [x, owed]) => {
            let slope = Standardized::new(x, owed, axes, *epsilon);
            let g = with_axes(g, axes, node.shape());
            smallvec![wanted(0).then(|| to(x, slope.owed_by_input(&g))), wanted(1).then(|| to(owed, slope.through(&g)))]
        }
        (Op::Rename, [x]) => {
            let back = node.shape().names().zip(x.shape().names());
            smallvec![Some(renamed(g, &back.filter(|(name, _)| g.shape().has(*name)).collect::<Vec<_>>()))]
        }
        (Op::Split(axis, parts), _) => smallvec![Some(merged(g, parts, *axis, node.shape()))],
        (Op::Merge(from, into), [x]) => {
            let sizes: Vec<_> = from.iter().map(|&name| (name, x.shape().size(name))).collect();
            smallvec![Some(if g.shape().has(*into) { g.split(*into, &sizes) } else { g.clone() })]
        }
        (&Op::Slice { axis, start, step }, [x]) => {
            let g = with_axes(g, &[axis], node.shape());
            smallvec![Some(scattered(&g, axis, start, step, x.shape().size(axis).unwrap_or(0)))]
        }
        (&Op::At(axis, position), [x]) => {
            let size = x.shape().size(axis).unwrap_or(0);
            // With the axis where it was: what is put together then lies as what was taken apart.
            let one = |(name, size): (Name, usize)| if name == axis { (name, 1) } else { (name, size) };
            let whole = x.shape().iter().map(one).filter(|&(name, _)| name == axis || g.shape().has(name));
            smallvec![Some(scattered(&g.spread(Shape::new(whole)), axis, position, 1, size))]
        }
        (&Op::Flip(axis), _) => {
            smallvec![Some(if g.shape().has(axis) { g.flip(axis) } else { g.clone() })]
        }
        (&Op::Window { axis, into, step }, _) => smallvec![Some(windows::owed(node, g, axis, into, step))],
        (&Op::Pad { axis, before, .. }, [x]) => {
            let inside = before..before + x.shape().size(axis).unwrap_or(0);
            smallvec![Some(with_axes(g, &[axis], node.shape()).slice(axis, inside, 1))]
        }
        (&Op::Concat(axis), parts) => {
            let (g, mut start) = (with_axes(g, &[axis], node.shape()), 0);
            let share = |(which, part): (usize, &Node)| {
                let range = start..start + part.shape().size(axis).unwrap_or(0);
                start = range.end;
                wanted(which).then(|| to(part, g.slice(axis, range, 1)))
            };
            parts.iter().enumerate().map(share).collect()
        }
        // Z = index_ax(X, I):  X owes g summed at the positions I
        (&Op::Gather(axis), [table, at]) => {
            let rest = table.shape().without(&[axis]);
            let over = lost(at.shape(), &rest, keep);
            let size = table.shape().size(axis).unwrap_or(0);
            let summed = match g.owed_in_band(at, axis, size, &over) {
                Some((g, made)) => made.iter().rev().fold(g, |g, node| viewed(node, &g)),
                None => g.owed_at(at, axis, size, &over),
            };
            smallvec![Some(summed.in_place_of(node)), None]
        }
        (&Op::ScatterAdd { axis, .. }, [updates, at]) => {
            let found = with_axes(g, &[axis], node.shape()).gather(axis, at);
            let whole = found.shape().clone();
            smallvec![Some(onto(&found, &whole, updates.shape(), keep)), None]
        }
        (&Op::DynamicSlice(axis), [x, start]) => {
            let g = with_axes(g, &[axis], node.shape());
            let zero = filled(&number(node, 0.0), x.shape());
            smallvec![Some(to(x, zero.dynamic_update(axis, &g, start))), None]
        }
        (&Op::DynamicUpdate(axis), [x, part, start]) => {
            let g = with_axes(g, &[axis], node.shape());
            let zero = filled(&number(node, 0.0), &part.shape().only(&[axis]));
            let size = part.shape().size(axis).unwrap_or(0);
            smallvec![
                wanted(0).then(|| to(x, g.dynamic_update(axis, &zero, start))),
                wanted(1).then(|| to(part, g.dynamic_slice(axis, size, start))),
                None
            ]
        }
        // Z(i) = Σ_{j ≤ i} X(j):  X(j) owes Σ_{i ≥ j} g(i)
        (&Op::CumulativeSum { axis, backwards }, _) => {
            smallvec![Some(with_axes(g, &[axis], node.shape()).running_sum(axis, !backwards))]
        }
        // Each element owes what is owed where it went.
        (&Op::Sort { axis, descending }, [x]) => smallvec![Some(sorted(g, node, axis, descending, x))],
        // z = det S:  S owes g z inv(S)
        (&Op::Determinant(a, b), [x]) => smallvec![Some(times(&times(node, g), &x.inverse(a, b).in_place_of(node)))],
        // z = log |det S|:  S owes g inv(S), however large or small the determinant is
        (&Op::LogDeterminant(a, b), [x]) => smallvec![Some(times(g, &x.inverse(a, b).in_place_of(node)))],
        // The derivative of the inverse is its own transpose.
        (&Op::Inverse(a, b), _) => {
            smallvec![Some(inverted(node, a, b, &with_axes(g, &[a, b], node.shape())))]
        }
        (Op::Constrain(..), _) => smallvec![Some(g.clone())],
        (Op::Call(function), [_, arguments @ ..]) => match function.adjoint(arguments, node, g) {
            Some(shares) => {
                let fits = |x: &Node, share: Node| match x.shape().union(share.shape(), function.name()) {
                    Ok(_) => to(x, share),
                    Err(error) => Node::failed(error.at(node.place()), x.kind()),
                };
                let owed = arguments.iter().zip(shares).map(|(x, share)| share.map(|share| fits(x, share)));
                [None].into_iter().chain(owed).collect()
            }
            // What it means owes all, and its arguments through it.
            None => [Some(g.clone())].into_iter().chain(arguments.iter().map(|_| None)).collect(),
        },
        (Op::Scan(body), _) => scan::adjoint(node, body, g, wanted, keep),
        (_, inputs) => inputs.iter().map(|_| None).collect(),
    }
}

/// What a view, or a border, owes.
fn viewed(node: &Node, g: &Node) -> Node {
    adjoint(node, g, &|_| true, &[]).into_iter().flatten().next().unwrap_or_else(|| g.clone())
}

/// The sizes of all axes of `node` and of `share`.
fn wide(node: &Node, share: &Node) -> Shape {
    let extra = share.shape().iter().filter(|&(name, _)| !node.shape().has(name));
    Shape::new(node.shape().iter().chain(extra))
}

/// `other * g`, summed over what an input with the axes `to` lacks.
fn onto_product(other: &Node, g: &Node, of: &Shape, to: &Shape, keep: &[Name]) -> Node {
    let extra = other.shape().iter().filter(|&(name, _)| !of.has(name));
    let whole = Shape::new(of.iter().chain(extra));
    dot(other, g, &lost(&whole, to, keep), &whole)
}

fn binary(
    function: Binary,
    node: &Node,
    [x, y]: [&Node; 2],
    g: &Node,
    wanted: &dyn Fn(usize) -> bool,
    keep: &[Name],
) -> Shares {
    let of = node.shape();
    let plain = |input: &Node| onto(g, of, input.shape(), keep);
    let scaled_by = |factor: Node, input: &Node| onto_product(&factor, g, of, input.shape(), keep);
    let (left, right) = (wanted(0), wanted(1));
    match function {
        Binary::Add => smallvec![left.then(|| plain(x)), right.then(|| plain(y))],
        Binary::Sub => smallvec![left.then(|| plain(x)), right.then(|| negative(&plain(y)))],
        Binary::Mul if x.id() == y.id() => smallvec![Some(scaled_by(scaled(x, 2.0), x)), None],
        Binary::Mul => {
            smallvec![left.then(|| scaled_by(y.clone(), x)), right.then(|| scaled_by(x.clone(), y))]
        }
        // Z = U / V:  U owes g / V, V owes -Z g / V
        Binary::Div => {
            let g = over(g, y);
            smallvec![
                left.then(|| onto(&g, of, x.shape(), keep)),
                right.then(|| negative(&onto_product(node, &g, of, y.shape(), keep)))
            ]
        }
        Binary::Pow => smallvec![
            left.then(|| scaled_by(power_slope(x, y), x)),
            right.then(|| scaled_by(exponent_slope(x, node), y))
        ],
        Binary::Max | Binary::Min => {
            let to = |input: &Node, share: Node| onto(&share, &wide(node, &share), input.shape(), keep);
            smallvec![left.then(|| to(x, share(function, x, y, g))), right.then(|| to(y, share(function, y, x, g)))]
        }
        Binary::And | Binary::Or => smallvec![None, None],
    }
}

fn reduced(node: &Node, reduction: Reduction, x: &Node, axes: &[Name], g: &Node, keep: &[Name]) -> Option<Node> {
    match reduction {
        // Z = Σ X:  every X owes g
        Reduction::Sum => Some(g.clone()),
        // The largest share alike what is owed.
        Reduction::Max | Reduction::Min => {
            let (largest, count) = extremes(node, x, axes);
            Some(times(&largest, &over(g, &count)))
        }
        Reduction::Product if axes.iter().any(|&axis| x.shape().size(axis) == Some(0)) => None,
        Reduction::Product => {
            let seed = (expansion::product(x, axes), g.clone());
            reverse(&[seed], std::slice::from_ref(x), keep).pop().flatten()
        }
    }
}

/// `g` under other names. Of a sum of a few pieces with zeros around them it is the pieces that get them: so the planner sees what
/// is put side by side, by whatever function each was taken.
fn renamed(g: &Node, names: &[(Name, Name)]) -> Node {
    /// At most so many pieces are looked for.
    const LARGEST: usize = 64;
    let mut pieces: SmallVec<[Node; 4]> = SmallVec::new();
    let mut stack: SmallVec<[&Node; 8]> = smallvec![g];
    while let Some(node) = stack.pop() {
        match (node.op(), node.inputs()) {
            _ if node.shape().rank() != g.shape().rank() || pieces.len() + stack.len() >= LARGEST => {
                return g.rename(names);
            }
            (&Op::Pad { axis, before, value }, [x]) => {
                let [all, inside] = [node, x].map(|node| node.shape().size(axis).unwrap_or(0));
                let to = names.iter().find(|(from, _)| *from == axis).map_or(axis, |&(_, to)| to);
                pieces.push(x.rename(names).pad(to, before, all - before - inside, value));
            }
            (Op::Binary(Binary::Add), [x, y]) => stack.extend([y, x]),
            _ => return g.rename(names),
        }
    }
    pieces.into_iter().reduce(|sum, piece| plus(&sum, &piece)).unwrap_or_else(|| g.rename(names))
}

/// `X_{parts → axis}` of what may lack some of the parts.
fn merged(g: &Node, parts: &Names, axis: Name, shape: &Shape) -> Node {
    if parts.iter().any(|&part| g.shape().has(part)) {
        with_axes(g, parts, shape).merge(parts, axis)
    } else {
        g.clone()
    }
}

/// `g` at the positions `start`, `start + step`, ... of an axis of this size, 0 elsewhere.
fn scattered(g: &Node, axis: Name, start: usize, step: usize, size: usize) -> Node {
    let count = g.shape().size(axis).unwrap_or(0);
    if step == 1 || count <= 1 {
        return g.pad(axis, start, size - start - count, 0.0);
    }
    let inside = axis.freshened();
    g.rename(&[(axis, inside)]).scatter_add(&positions(inside, count, start, step), axis, size, &[inside])
}

/// What is owed to sorted numbers, where they came from.
fn sorted(g: &Node, node: &Node, axis: Name, descending: bool, x: &Node) -> Node {
    let (from, size) = (x.argsort(axis, descending), x.shape().size(axis).unwrap_or(0));
    let (g, from) = match (g.op(), g.inputs()) {
        // Of those that were cut off nothing is owed, so nobody asks where they came from.
        (&Op::Pad { axis: along, before, value }, [kept]) if along == axis && value == 0.0 => {
            let some = before..before + kept.shape().size(axis).unwrap_or(0);
            (kept.clone(), from.slice(axis, some, 1))
        }
        _ => (with_axes(g, &[axis], node.shape()), from),
    };
    let place = axis.freshened();
    g.rename(&[(axis, place)]).scatter_add(&from.rename(&[(axis, place)]), axis, size, &[place])
}
