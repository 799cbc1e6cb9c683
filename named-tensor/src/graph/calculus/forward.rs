//! Forwards: from the differentials of variables to those of results.
//!
//! Lives here: the differential of each primitive, its forward equation quoted, and the sweep.
//! Not here: the scalar functions (`scalar`), the algebra of identities (`tangent`).

use std::borrow::Cow;

use smallvec::SmallVec;

use super::forms::{filled, indicator, is_real, negative, number, over, scaled, with_axes};
use super::reverse::Kept;
use super::scalar::{chained, exponent_slope, power_slope, share};
use super::standardized::Standardized;
use super::{Tangent, dependent, expansion, scan};
use crate::axis::Name;
use crate::element::{Binary, Comparison, Unary};
use crate::graph::ids::ById;
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::graph::{Node, Op, Shape};

/// The differentials of `roots` when each variable changes by its tangent; none where a root does not depend on any.
/// A variable that is computed from another one changes by both.
pub(crate) fn forward(roots: &[Node], variables: &[(Node, Tangent)]) -> Vec<Option<Tangent>> {
    let mut tangents: ById<Tangent> = ById::default();
    let given: Vec<Node> = variables.iter().map(|(variable, _)| variable.clone()).collect();
    let order = dependent(roots, &given);
    // Axes of changes alone. A function that is lifted again, inside, has names of its own for them.
    let further: Names = variables.iter().flat_map(|(variable, change)| change.further(variable)).collect();
    let mut kept = Kept::new(&further);
    order.iter().rev().filter(|_| !further.is_empty()).for_each(|node| kept.meet(node));
    for node in order {
        let through = |input: &Node| {
            let change = tangents.get(&input.id())?;
            Some(kept.seen_beside(&node, input, change).map_or(Cow::Borrowed(change), Cow::Owned))
        };
        let changes: SmallVec<[Option<Cow<'_, Tangent>>; 3]> = node.inputs().iter().map(through).collect();
        let inputs: SmallVec<[Option<&Tangent>; 3]> = changes.iter().map(Option::as_deref).collect();
        let through = if is_real(node.kind()) { differential(&node, &inputs) } else { None };
        let own = variables.iter().filter(|(variable, _)| variable.id() == node.id()).map(|(_, tangent)| tangent);
        let sum = through.into_iter().chain(own.cloned()).reduce(|sum, more| sum.plus(&more));
        if let Some(sum) = sum {
            drop(inputs);
            drop(changes);
            tangents.insert(node.id(), sum);
        }
    }
    roots.iter().map(|root| tangents.get(&root.id()).cloned()).collect()
}

/// The differential of `node`, given those of its inputs.
fn differential(node: &Node, d: &[Option<&Tangent>]) -> Option<Tangent> {
    if d.iter().all(Option::is_none) {
        return None;
    }
    match (node.op(), node.inputs(), d) {
        (Op::Cast, _, &[Some(dx)]) => Some(Tangent::new(dx.node().cast(node.kind()))),
        // d f(X) = f'(X) dX
        (Op::Unary(Unary::Neg), _, &[Some(dx)]) => Some(dx.negative()),
        (&Op::Unary(function), [x], &[Some(dx)]) => {
            chained(function, x, node, &number(node, 1.0))?;
            Some(dx.map(|dx| chained(function, x, node, dx).unwrap_or_else(|| number(node, 0.0))))
        }
        (&Op::Binary(function), [x, y], &[dx, dy]) => binary(function, node, [x, y], [dx, dy]),
        // d (if C then X else Y) = if C then dX else dY
        (Op::Select, [condition, ..], &[_, dx, dy]) => {
            let or_zero = |d: Option<&Tangent>| d.map_or_else(|| number(node, 0.0), Tangent::node);
            Some(Tangent::new(condition.select(&or_zero(dx), &or_zero(dy))))
        }
        (Op::Reduce(reduction, axes), [x], &[Some(dx)]) => reduced(node, *reduction, x, axes, dx),
        // d (X ⊙ Y) = Y ⊙ dX + X ⊙ dY, d (X ⊙ X) = 2 X ⊙ dX
        (Op::Contract(axes), [x, y], &[dx, dy]) => {
            let whole = x.shape().union(y.shape(), "dot").ok()?;
            if x.id() == y.id() {
                return dx.map(|dx| dx.dot(x, axes, &whole).map(|product| scaled(product, 2.0)));
            }
            sum(dx.map(|dx| dx.dot(y, axes, &whole)), dy.map(|dy| dy.dot(x, axes, &whole)))
        }
        // s = softmax X:  ds = s * (dX - s ⊙ dX);  y = log s:  dy = dX - exp(y) ⊙ dX
        (Op::Softmax { axes, log: false }, _, &[Some(dx)]) => {
            Some(dx.minus(&dx.dot(node, axes, node.shape())).times(node))
        }
        (Op::Softmax { axes, log: true }, _, &[Some(dx)]) => {
            Some(dx.minus(&dx.dot(&node.unary(Unary::Exp), axes, node.shape())))
        }
        // y = standardize X changes as it owes: dy = (dX - mean dX - y * mean(y * dX)) / √(var X + ε)
        (Op::Standardize { axes, epsilon }, [x], &[Some(dx)]) => {
            Some(Tangent::new(x.standardize_gradient(&with_axes(&dx.node(), axes, node.shape()), axes, *epsilon)))
        }
        (Op::StandardizeGradient { axes, epsilon }, [x, owed], &[dx, dowed]) => {
            let slope = Standardized::new(x, owed, axes, *epsilon);
            let with = |d: &Tangent| with_axes(&d.node(), axes, node.shape());
            sum(
                dx.map(|dx| Tangent::new(slope.change_by_input(&with(dx)))),
                dowed.map(|dowed| Tangent::new(slope.through(&with(dowed)))),
            )
        }
        (Op::Rename, [x], &[Some(dx)]) => {
            Some(dx.renamed(&x.shape().names().zip(node.shape().names()).collect::<Vec<_>>()))
        }
        (Op::Split(..) | Op::Merge(..) | Op::Window { .. } | Op::CumulativeSum { .. }, [x], &[Some(dx)])
        | (Op::Slice { .. } | Op::At(..) | Op::Flip(_), [x], &[Some(dx)]) => {
            let mut dx = filled(&dx.node(), x.shape());
            // A new axis that the change has beside the node, for the sake of another result of a scan, is one along which it
            // is the same.
            for name in node.shape().names().filter(|&name| !x.shape().has(name)) {
                dx = dx.once(name);
            }
            Some(Tangent::new(node.again(&[dx])))
        }
        (&Op::Pad { axis, before, .. }, [x], &[Some(dx)]) => {
            let after = node.shape().size(axis)? - before - x.shape().size(axis)?;
            Some(Tangent::new(with_axes(&dx.node(), &[axis], x.shape()).pad(axis, before, after, 0.0)))
        }
        (&Op::Concat(axis), inputs, d) => {
            let part = |(x, d): (&Node, &Option<&Tangent>)| {
                with_axes(&d.map_or_else(|| number(node, 0.0), Tangent::node), &[axis], x.shape())
            };
            let parts: Vec<Node> = inputs.iter().zip(d).map(part).collect();
            Node::concat_all(axis, &parts.iter().collect::<Vec<_>>()).map(Tangent::new)
        }
        (Op::Gather(_) | Op::ScatterAdd { .. } | Op::DynamicSlice(_), [x, positions], &[Some(dx), _]) => {
            Some(Tangent::new(node.again(&[filled(&dx.node(), x.shape()), positions.clone()])))
        }
        (Op::DynamicUpdate(_), [x, part, start], &[dx, dpart, _]) => {
            let whole =
                |d: Option<&Tangent>, of: &Shape| filled(&d.map_or_else(|| number(node, 0.0), Tangent::node), of);
            Some(Tangent::new(node.again(&[whole(dx, x.shape()), whole(dpart, part.shape()), start.clone()])))
        }
        // Sorted elements change as the elements at their places.
        (&Op::Sort { axis, descending }, [x], &[Some(dx)]) => {
            let places = x.argsort(axis, descending);
            Some(Tangent::new(filled(&dx.node(), x.shape()).gather(axis, &places)))
        }
        // d det S = det S · inv(S) ⊙_{a,b} dS
        (&Op::Determinant(a, b), [x], &[Some(dx)]) => {
            Some(dx.dot(&x.inverse(a, b).in_place_of(node), &[a, b], x.shape()).times(node))
        }
        // d log |det S| = inv(S) ⊙_{a,b} dS
        (&Op::LogDeterminant(a, b), [x], &[Some(dx)]) => {
            Some(dx.dot(&x.inverse(a, b).in_place_of(node), &[a, b], x.shape()))
        }
        (&Op::Inverse(a, b), [x], &[Some(dx)]) => {
            Some(Tangent::new(inverted(node, a, b, &with_axes(&dx.node(), &[a, b], x.shape()))))
        }
        (Op::Call(_) | Op::Constrain(..), _, &[d, ..]) => d.cloned(),
        (Op::Scan(body), _, d) => scan::differential(node, body, d),
        _ => None,
    }
}

fn sum(x: Option<Tangent>, y: Option<Tangent>) -> Option<Tangent> {
    match (x, y) {
        (Some(x), Some(y)) => Some(x.plus(&y)),
        (x, y) => x.or(y),
    }
}

fn binary(function: Binary, node: &Node, [x, y]: [&Node; 2], [dx, dy]: [Option<&Tangent>; 2]) -> Option<Tangent> {
    match function {
        Binary::Add => sum(dx.cloned(), dy.cloned()),
        Binary::Sub => match (dx, dy) {
            (Some(dx), Some(dy)) => Some(dx.minus(dy)),
            (dx, dy) => dx.cloned().or(dy.map(Tangent::negative)),
        },
        // d (U * V) = U * dV + V * dU, d (U * U) = 2 U * dU
        Binary::Mul if x.id() == y.id() => dx.map(|dx| dx.times(&scaled(x, 2.0))),
        Binary::Mul => sum(dy.map(|dy| dy.times(x)), dx.map(|dx| dx.times(y))),
        // d (U / V) = (dU - U/V * dV) / V
        Binary::Div => {
            let change = match (dx, dy.map(|dy| dy.times(node))) {
                (Some(dx), Some(dy)) => dx.minus(&dy),
                (dx, dy) => dx.cloned().or(dy.map(|dy| dy.negative()))?,
            };
            Some(change.map(|change| over(change, y)))
        }
        Binary::Pow => sum(dx.map(|dx| dx.times(&power_slope(x, y))), dy.map(|dy| dy.times(&exponent_slope(x, node)))),
        Binary::Max | Binary::Min => {
            let [of_x, of_y] = [[x, y], [y, x]].map(|[x, y]| move |d: &Node| share(function, x, y, d));
            sum(dx.map(|dx| dx.map(of_x)), dy.map(|dy| dy.map(of_y)))
        }
        Binary::And | Binary::Or => None,
    }
}

fn reduced(node: &Node, reduction: Reduction, x: &Node, axes: &[Name], dx: &Tangent) -> Option<Tangent> {
    match reduction {
        Reduction::Sum => Some(dx.total(axes, x.shape())),
        // The largest changes as the mean of those that are the largest.
        Reduction::Max | Reduction::Min => {
            let (largest, count) = extremes(node, x, axes);
            Some(dx.dot(&largest, axes, x.shape()).map(|sum| over(sum, &count)))
        }
        Reduction::Product if axes.iter().any(|&axis| x.shape().size(axis) == Some(0)) => None,
        Reduction::Product => {
            let product = expansion::product(x, axes);
            forward(&[product], &[(x.clone(), dx.clone())]).pop().flatten()
        }
    }
}

/// 1 where `x` is the extreme `node` over the axes, and how many such places there are.
pub(super) fn extremes(node: &Node, x: &Node, axes: &[Name]) -> (Node, Node) {
    let largest = indicator(&x.compare(Comparison::Eq, node), node);
    let count = largest.reduce(Reduction::Sum, axes);
    (largest, count)
}

/// R = inv(S), with R(a, b) = (S⁻¹)(b, a):  dR(a, b) = -Σ_{a', b'} R(a', b) dS(a', b') R(a, b'), and the same backwards.
pub(super) fn inverted(r: &Node, a: Name, b: Name, d: &Node) -> Node {
    let (other_a, other_b) = (a.freshened(), b.freshened());
    let half = d.contract(&r.rename(&[(b, other_b)]), &[a]);
    let whole = half.contract(&r.rename(&[(a, other_a)]), &[b]);
    negative(&whole.rename(&[(other_a, a), (other_b, b)]))
}
