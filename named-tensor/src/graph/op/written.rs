//! Softmax, its logarithm and standardization, written out as their equations say it.
//!
//! `exp X / Σ_ax exp X`  and  `X - log Σ_ax exp X`,  both also with  `max_ax X`  taken from X before, and
//! `(X - mean_ax X) / √(var_ax X + ε)`. Lives here: which nodes are such. They stay what they are, since what stands in them may
//! be asked for by itself; who evaluates or differentiates one as a whole may take the primitive, which has the same
//! numbers: those of the equation, where an exponential or a sum of such leaves what numbers can be.
//! Not here: the primitives (`vector`).

use smallvec::SmallVec;

use crate::axis::Name;
use crate::element::{Binary, Unary};
use crate::graph::op::Reduction;
use crate::graph::{Node, Op};

/// The primitive that a node is, written out.
#[derive(Debug)]
pub(crate) struct Written {
    /// How many first inputs, one below the other, lead to the tensor that it is a function of.
    pub(crate) below: usize,
    /// The primitive of that tensor.
    pub(crate) made: Node,
}

impl Written {
    /// The tensor that it is a function of.
    pub(crate) fn of(&self) -> Option<&Node> {
        self.made.inputs().first()
    }

    /// Whether it is so for one of the nodes between `node` and the tensor that it is a function of.
    pub(crate) fn has_inside(&self, node: &Node, mut is_so: impl FnMut(&Node) -> bool) -> bool {
        let of = self.of().map(Node::id);
        let mut stack: SmallVec<[&Node; 16]> = node.inputs().iter().collect();
        while let Some(node) = stack.pop() {
            if Some(node.id()) == of {
                continue;
            }
            if is_so(node) {
                return true;
            }
            stack.extend(node.inputs());
        }
        false
    }
}

impl Node {
    /// The primitive that this node is, written out.
    pub(crate) fn written_out(&self) -> Option<Written> {
        let (&Op::Binary(function), [x, y]) = (self.op(), self.inputs()) else { return None };
        let (below, made) = match (function, x.op()) {
            (Binary::Div, Op::Unary(Unary::Exp)) => softmax(x, y)?,
            (Binary::Div, Op::Binary(Binary::Sub)) => standardized(x, y)?,
            (Binary::Sub, _) => log_softmax(x, y)?,
            _ => return None,
        };
        (made.error().is_none() && made.shape() == self.shape()).then_some(Written { below, made })
    }
}

/// `exp X / Σ exp X`
fn softmax(top: &Node, bottom: &Node) -> Option<(usize, Node)> {
    let [power] = top.inputs() else { return None };
    let (other, axes) = total_of_powers(bottom)?;
    let (below, x) = shifted(power, other, axes)?;
    Some((below + 2, x.softmax(axes, false)))
}

/// `X - log Σ exp X`,  or  `X - (max X + log Σ exp(X - max X))`.
fn log_softmax(x: &Node, total: &Node) -> Option<(usize, Node)> {
    let log = |node: &Node| match (node.op(), node.inputs()) {
        (Op::Unary(Unary::Log), [total]) => total_of_powers(total).map(|(power, axes)| (power.clone(), axes.to_vec())),
        _ => None,
    };
    if let Some((power, axes)) = log(total) {
        let (below, x) = shifted(x, &power, &axes)?;
        return Some((below + 1, x.softmax(&axes, true)));
    }
    let (Op::Binary(Binary::Add), [left, right]) = (total.op(), total.inputs()) else { return None };
    let (largest, (power, axes)) =
        log(right).map(|found| (left, found)).or_else(|| log(left).map(|found| (right, found)))?;
    let (Op::Binary(Binary::Sub), [from, by]) = (power.op(), power.inputs()) else { return None };
    let is_same = from.id() == x.id() && by.id() == largest.id();
    (is_same && shift(by, x, &axes).is_some()).then(|| (1, x.softmax(&axes, true)))
}

/// The X and the axes of  `Σ exp X`.
fn total_of_powers(node: &Node) -> Option<(&Node, &[Name])> {
    let (Op::Reduce(Reduction::Sum, axes), [power]) = (node.op(), node.inputs()) else { return None };
    let (Op::Unary(Unary::Exp), [x]) = (power.op(), power.inputs()) else { return None };
    (!axes.is_empty()).then_some((x, &axes[..]))
}

/// Of two nodes that are both X, or both X less its maximum, that X, and how many first inputs lead to it.
fn shifted<'a>(one: &'a Node, other: &Node, axes: &[Name]) -> Option<(usize, &'a Node)> {
    let less = |node: &'_ Node| -> Option<bool> {
        let (Op::Binary(Binary::Sub), [x, by]) = (node.op(), node.inputs()) else { return None };
        let same = one.inputs().first().is_some_and(|first| first.id() == x.id());
        shift(by, x, axes).filter(|_| same)
    };
    match (less(one), less(other)) {
        (Some(some), Some(same)) if some == same => one.inputs().first().map(|x| (1, x)),
        _ => (one.id() == other.id()).then_some((0, one)),
    }
}

/// Whether no derivative passes through this maximum of X; none if it is no such maximum.
fn shift(node: &Node, x: &Node, axes: &[Name]) -> Option<bool> {
    match (node.op(), node.inputs()) {
        (Op::StopGradient, [inside]) => shift(inside, x, axes).map(|_| true),
        (Op::Reduce(Reduction::Max, over), [of]) => (of.id() == x.id() && over[..] == *axes).then_some(false),
        _ => None,
    }
}

/// `(X - mean X) / √(var X + ε)`
fn standardized(top: &Node, bottom: &Node) -> Option<(usize, Node)> {
    let [x, mean] = top.inputs() else { return None };
    let (of, axes) = mean_of(mean)?;
    let square = match (bottom.op(), bottom.inputs()) {
        (Op::Unary(Unary::Sqrt), [square]) => square,
        (Op::Binary(Binary::Pow), [square, power]) if power.literal() == Some(0.5) => square,
        _ => return None,
    };
    let (variance, epsilon) = match (square.op(), square.inputs()) {
        (Op::Binary(Binary::Add), [x, y]) => match (x.literal(), y.literal()) {
            (None, Some(epsilon)) => (x, epsilon),
            (Some(epsilon), None) => (y, epsilon),
            _ => return None,
        },
        _ => (square, 0.0),
    };
    let is_one = of.id() == x.id() && is_variance(variance, x, axes);
    is_one.then(|| (2, x.standardize(axes, epsilon)))
}

/// The X and the axes of a mean.
fn mean_of(node: &Node) -> Option<(&Node, &[Name])> {
    let (Op::Binary(Binary::Div), [total, count]) = (node.op(), node.inputs()) else { return None };
    let (Op::Reduce(Reduction::Sum, axes), [x]) = (total.op(), total.inputs()) else { return None };
    is_count(count, x, axes).then_some((x, &axes[..]))
}

/// Whether it is the number of positions of these axes.
fn is_count(node: &Node, x: &Node, axes: &[Name]) -> bool {
    let sizes = axes.iter().filter_map(|&axis| x.shape().size(axis));
    node.literal() == Some(sizes.map(|size| size as f64).product())
}

/// Whether it is the mean of the squares of X less its mean.
fn is_variance(node: &Node, x: &Node, axes: &[Name]) -> bool {
    let is_distance = |node: &Node| match (node.op(), node.inputs()) {
        (Op::Binary(Binary::Sub), [from, mean]) => {
            from.id() == x.id() && mean_of(mean).is_some_and(|(of, over)| of.id() == x.id() && over == axes)
        }
        _ => false,
    };
    let (Op::Binary(Binary::Div), [total, count]) = (node.op(), node.inputs()) else { return false };
    let is_square = match (total.op(), total.inputs()) {
        (Op::Contract(over), [one, other]) => over[..] == *axes && is_distance(one) && is_distance(other),
        (Op::Reduce(Reduction::Sum, over), [square]) if over[..] == *axes => match (square.op(), square.inputs()) {
            (Op::Binary(Binary::Mul), [one, other]) => is_distance(one) && is_distance(other),
            (Op::Binary(Binary::Pow), [one, power]) => power.literal() == Some(2.0) && is_distance(one),
            _ => false,
        },
        _ => false,
    };
    is_square && is_count(count, x, axes)
}
