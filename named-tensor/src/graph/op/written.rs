//! Functions of rows, written out as their equations say it.
//!
//! Softmax  `exp X / Σ_ax exp X`,  its logarithm  `X - log Σ_ax exp X`,  and  `log Σ_ax exp X`  by itself, all also with
//! `max_ax X`  taken from X before, and standardization  `(X - mean_ax X) / √(var_ax X + ε)`. Lives here: which nodes are such.
//! They stay what they are, since what stands in them may be asked for by itself; who evaluates or differentiates one as a
//! whole may take the function, which has the same numbers: those of the equation, where an exponential or a sum of such
//! leaves what numbers can be.
//! Not here: the primitives (`vector`).

use smallvec::SmallVec;

use crate::axis::Name;
use crate::element::{Binary, Unary};
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::graph::{Node, Op};

/// What a node is, written out.
#[derive(Debug)]
pub(crate) struct Written {
    /// How many first inputs, one below the other, lead to the tensor that it is a function of.
    pub(crate) below: usize,
    /// That tensor.
    pub(crate) of: Node,
    /// The function.
    pub(crate) whole: Whole,
}

/// A function of rows.
#[derive(Debug)]
pub(crate) enum Whole {
    /// A primitive.
    Op(Op),
    /// The logarithm of the sum of exponentials over these axes.
    LogSum(Names),
}

impl Written {
    fn primitive(below: usize, made: &Node) -> Option<Written> {
        let of = made.inputs().first().filter(|_| made.error().is_none())?.clone();
        Some(Written { below, of, whole: Whole::Op(made.op().clone()) })
    }

    /// Whether it is so for one of the nodes between `node` and the tensor that it is a function of.
    pub(crate) fn has_inside(&self, node: &Node, mut is_so: impl FnMut(&Node) -> bool) -> bool {
        let mut stack: SmallVec<[&Node; 16]> = node.inputs().iter().collect();
        while let Some(node) = stack.pop() {
            if self.of.id() == node.id() {
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
    /// What this node is, written out.
    pub(crate) fn written_out(&self) -> Option<Written> {
        let written = match (self.op(), self.inputs()) {
            (Op::Unary(Unary::Log), [_]) => {
                let (of, axes) = log_of_total(self)?;
                Written { below: 3, of: of.clone(), whole: Whole::LogSum(axes.clone()) }
            }
            (&Op::Binary(function), [x, y]) => match (function, x.op()) {
                (Binary::Div, Op::Unary(Unary::Exp)) => softmax(x, y)?,
                (Binary::Div, Op::Binary(Binary::Sub)) => standardized(x, y)?,
                (Binary::Sub, _) => log_softmax(x, y)?,
                (Binary::Add, _) => log_sum(x, y)?,
                _ => return None,
            },
            _ => return None,
        };
        let is_whole = match &written.whole {
            Whole::Op(_) => written.of.shape() == self.shape(),
            Whole::LogSum(axes) => written.of.shape().without(axes) == *self.shape(),
        };
        (is_whole && self.kind().is_real() && self.error().is_none()).then_some(written)
    }
}

/// `exp X / Σ exp X`
fn softmax(top: &Node, bottom: &Node) -> Option<Written> {
    let [power] = top.inputs() else { return None };
    let (other, axes) = total_of_powers(bottom)?;
    let (below, x) = shifted(power, other, axes)?;
    Written::primitive(below + 2, &x.softmax(axes, false))
}

/// `X - log Σ exp X`,  or  `X - (max X + log Σ exp(X - max X))`.
fn log_softmax(x: &Node, total: &Node) -> Option<Written> {
    if let Some((power, axes)) = log_of_total(total) {
        let (below, x) = shifted(x, power, axes)?;
        return Written::primitive(below + 1, &x.softmax(axes, true));
    }
    let (Op::Binary(Binary::Add), [left, right]) = (total.op(), total.inputs()) else { return None };
    let Written { of, whole: Whole::LogSum(axes), .. } = log_sum(left, right)? else { return None };
    if of.id() == x.id() { Written::primitive(1, &x.softmax(&axes, true)) } else { None }
}

/// `max X + log Σ exp(X - max X)`, in either order.
fn log_sum(left: &Node, right: &Node) -> Option<Written> {
    let (largest, (power, axes), is_first) = match (log_of_total(right), log_of_total(left)) {
        (Some(found), _) => (left, found, true),
        (_, Some(found)) => (right, found, false),
        _ => return None,
    };
    let (Op::Binary(Binary::Sub), [x, by]) = (power.op(), power.inputs()) else { return None };
    let is_stopped = shift(by, x, axes)?;
    if by.id() != largest.id() && shift(largest, x, axes) != Some(is_stopped) {
        return None;
    }
    // Down to the maximum and what it is of, or to the sum, the exponential, the difference and what is left of it.
    let below = if is_first { 2 + usize::from(is_stopped) } else { 5 };
    Some(Written { below, of: x.clone(), whole: Whole::LogSum(axes.clone()) })
}

/// The X and the axes of  `log Σ exp X`.
fn log_of_total(node: &Node) -> Option<(&Node, &Names)> {
    let (Op::Unary(Unary::Log), [total]) = (node.op(), node.inputs()) else { return None };
    total_of_powers(total)
}

/// The X and the axes of  `Σ exp X`.
fn total_of_powers(node: &Node) -> Option<(&Node, &Names)> {
    let (Op::Reduce(Reduction::Sum, axes), [power]) = (node.op(), node.inputs()) else { return None };
    let (Op::Unary(Unary::Exp), [x]) = (power.op(), power.inputs()) else { return None };
    (!axes.is_empty()).then_some((x, axes))
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
    let is_largest = |node: &Node| match (node.op(), node.inputs()) {
        (Op::Reduce(Reduction::Max, over), [of]) => of.id() == x.id() && over[..] == *axes,
        _ => false,
    };
    match (node.op(), node.inputs()) {
        (Op::StopGradient, [inside]) => is_largest(inside).then_some(true),
        _ => is_largest(node).then_some(false),
    }
}

/// `(X - mean X) / √(var X + ε)`
fn standardized(top: &Node, bottom: &Node) -> Option<Written> {
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
    if is_one { Written::primitive(2, &x.standardize(axes, epsilon)) } else { None }
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
