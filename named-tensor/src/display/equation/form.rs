//! What each primitive is in the language of equations.
//!
//! Lives here: one form for each primitive, and the compositions that the language has a word for: mean, variance,
//! norm, identities, one-hot. Not here: names of axes and tensors, parentheses (`page`).

use smallvec::{SmallVec, smallvec};

use super::items::{Item, Items};
use super::text::Level;
use crate::axis::Name;
use crate::element::{Binary, Comparison, Kind, Unary};
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::graph::{Node, Op};

/// Items that another is written with.
pub(super) type Operands = SmallVec<[usize; 3]>;

/// How a node is written.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// A tensor that is given.
    Leaf,
    /// A number without axes.
    Number(f64),
    /// A number that is the same at all positions of its axes.
    Repeated(f64),
    /// The positions along an axis.
    Position,
    /// `-x`
    Prefix(&'static str),
    /// `x + y`
    Infix(&'static str, Level),
    /// `x^y`
    Power,
    /// `x dot_ax y`
    Dot(Names),
    /// `f_ax(x, 3)`: axes, operands, numbers.
    Call(&'static str, Names, SmallVec<[f64; 2]>),
    /// `if c { x } else { y }`
    Cases,
    /// `if c { 1 } else { 0 }`
    Indicator,
    /// `x_{..}`
    Subscript(Entry),
}

/// An entry of a subscript.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    /// `a -> b`
    Rename(SmallVec<[(Name, Name); 4]>),
    /// `(a, b) -> c`
    Flatten(Names, Name),
    /// `a -> (b: 2, c: 3)`
    Split(Name, SmallVec<[(Name, usize); 4]>),
    /// `a(3)`
    At(Name, usize),
    /// `a(2..5)`
    Range(Name, usize, usize),
}

/// The form of a node whose inputs are these items, and the items it is written with.
pub(super) fn form(node: &Node, inputs: &Operands, items: &Items) -> (Form, Operands) {
    let inside = Matcher { node, inputs, items };
    inside.composition().unwrap_or_else(|| (plain(node), inputs.clone()))
}

fn call(name: &'static str, axes: &[Name]) -> Form {
    Form::Call(name, axes.into(), SmallVec::new())
}

/// The form of a primitive by itself.
fn plain(node: &Node) -> Form {
    let size = |axis| node.shape().size(axis).unwrap_or(0);
    match node.op() {
        Op::Input | Op::Placeholder(_) | Op::Random(..) | Op::Failed(_) => Form::Leaf,
        &Op::Fill(value) if node.shape().rank() == 0 => Form::Number(value),
        &Op::Fill(value) => Form::Repeated(value),
        Op::Iota => Form::Position,
        Op::Cast => Form::Indicator,
        Op::Unary(Unary::Neg) => Form::Prefix("-"),
        Op::Unary(Unary::Not) => Form::Prefix("!"),
        Op::Unary(function) => call(function.name(), &[]),
        Op::Binary(Binary::Div) if node.kind() == Kind::Index => call("div", &[]),
        Op::Binary(function) => match function {
            Binary::Add | Binary::Sub => Form::Infix(function.name(), Level::Sum),
            Binary::Mul | Binary::Div => Form::Infix(function.name(), Level::Product),
            Binary::Pow => Form::Power,
            Binary::Max | Binary::Min => call(function.name(), &[]),
            Binary::And => Form::Infix("&&", Level::And),
            Binary::Or => Form::Infix("||", Level::Or),
        },
        Op::Compare(comparison) => Form::Infix(comparison.name(), Level::Compared),
        Op::Select => Form::Cases,
        Op::Reduce(reduction, axes) => call(reduction.name(), axes),
        Op::Contract(axes) => Form::Dot(axes.clone()),
        Op::Softmax { axes, .. } => call(node.op().name(), axes),
        Op::Standardize { axes, epsilon } => {
            // 10⁻⁵ is what is meant where none is written.
            let numbers = if *epsilon == 1e-5 { smallvec![] } else { smallvec![*epsilon] };
            Form::Call("standardize", axes.clone(), numbers)
        }
        Op::Rename => {
            let old = node.inputs().first().map(Node::shape);
            let pairs = old.into_iter().flat_map(|old| old.names().zip(node.shape().names()));
            Form::Subscript(Entry::Rename(pairs.filter(|(old, new)| old != new).collect()))
        }
        Op::StopGradient => call("stop_gradient", &[]),
        Op::Split(axis, parts) => {
            Form::Subscript(Entry::Split(*axis, parts.iter().map(|&part| (part, size(part))).collect()))
        }
        Op::Merge(from, into) => Form::Subscript(Entry::Flatten((**from).clone(), *into)),
        &Op::Slice { axis, start, .. } => Form::Subscript(Entry::Range(axis, start, start + size(axis))),
        &Op::At(axis, position) => Form::Subscript(Entry::At(axis, position)),
        &Op::Window { axis, into, .. } => {
            Form::Call(node.op().name(), smallvec![axis, into], smallvec![size(into) as f64])
        }
        &Op::Concat(axis) => call("concat", &[axis]),
        &Op::Gather(axis) => call("index", &[axis]),
        &Op::CumulativeSum { axis, .. } => call("cumsum", &[axis]),
        &Op::Sort { axis, descending: false } => call("sort", &[axis]),
        &Op::Sort { axis, .. } => Form::Call("maxk", smallvec![axis], smallvec![size(axis) as f64]),
        &Op::ArgSort { axis, descending: false } => call("argsort", &[axis]),
        &Op::ArgSort { axis, .. } => Form::Call("argmaxk", smallvec![axis], smallvec![size(axis) as f64]),
        &Op::Determinant(a, b) | &Op::LogDeterminant(a, b) | &Op::Inverse(a, b) => call(node.op().name(), &[a, b]),
        // The language repeats nothing: there is the name, and what it is computed from.
        Op::Scan(_) => call("scan", &[]),
        // Spelt with others (`spelling`), so no item is one of them.
        Op::StandardizeGradient { .. }
        | Op::Pad { .. }
        | Op::Flip(_)
        | Op::ScatterAdd { .. }
        | Op::DynamicSlice(_)
        | Op::DynamicUpdate(_) => call(node.op().name(), &[]),
        Op::Call(_) | Op::Constrain(..) => call(node.op().name(), &[]),
    }
}

/// A node and what it is computed from, to be recognised.
struct Matcher<'a> {
    node: &'a Node,
    inputs: &'a Operands,
    items: &'a Items,
}

impl<'a> Matcher<'a> {
    /// The form of a composition that has a word of its own.
    fn composition(&self) -> Option<(Form, Operands)> {
        match self.node.op() {
            Op::Cast if self.node.kind() != Kind::Bool => self.indicator(),
            Op::Binary(Binary::Div) => self.mean(),
            Op::Binary(Binary::Min) => self.clamp(),
            Op::Binary(Binary::Sub) => self.remainder(),
            Op::Binary(Binary::Pow) => self.norm_p(),
            Op::Unary(Unary::Sqrt) => self.norm(),
            Op::Slice { .. } => self.best(),
            _ => None,
        }
    }

    fn input(&self, place: usize) -> Option<(usize, &'a Item)> {
        let at = *self.inputs.get(place)?;
        Some((at, self.items.get(at)))
    }

    /// `eye_{a, b}(n)`, `one_hot_ax(I, n)`, `argmax_ax(X)`: 1 where a position is the other.
    fn indicator(&self) -> Option<(Form, Operands)> {
        let (_, equal) = self.input(0)?;
        let (Op::Compare(Comparison::Eq), &[left, right]) = (equal.node.op(), equal.inputs.as_slice()) else {
            return None;
        };
        let (here, there) = (self.items.get(left), self.items.get(right));
        let (axis, size) = here.node.shape().iter().next().filter(|_| matches!(here.form, Form::Position))?;
        if matches!(there.form, Form::Position) {
            let (other, same) = there.node.shape().iter().next()?;
            let alike = axis != other && size == same;
            return alike.then(|| (Form::Call("eye", smallvec![axis, other], smallvec![size as f64]), smallvec![]));
        }
        if let (&Op::At(along, 0), &[order]) = (there.node.op(), there.inputs.as_slice())
            && let order = self.items.get(order)
            && let (&Op::ArgSort { axis: sorted, descending }, &[x]) = (order.node.op(), order.inputs.as_slice())
            && (along, sorted) == (axis, axis)
        {
            return Some((call(if descending { "argmax" } else { "argmin" }, &[axis]), smallvec![x]));
        }
        let positions = there.node.kind() == Kind::Index && !matches!(there.form, Form::Number(_));
        (positions && !there.node.shape().has(axis))
            .then(|| (Form::Call("one_hot", smallvec![axis], smallvec![size as f64]), smallvec![right]))
    }

    /// `Σ_ax X / n`, with n the number of positions: `mean_ax(X)`; of `(X - mean_ax(X))²` it is `var_ax(X)`.
    fn mean(&self) -> Option<(Form, Operands)> {
        let ((_, sum), (_, count)) = (self.input(0)?, self.input(1)?);
        let (Op::Reduce(Reduction::Sum, axes), &[x]) = (sum.node.op(), sum.inputs.as_slice()) else { return None };
        let of = self.items.get(x);
        let sizes: f64 = axes.iter().filter_map(|&axis| of.node.shape().size(axis)).map(|size| size as f64).product();
        if !matches!(count.form, Form::Number(number) if number == sizes) {
            return None;
        }
        if let (Op::Binary(Binary::Mul), &[left, right]) = (of.node.op(), of.inputs.as_slice())
            && left == right
            && let distance = self.items.get(left)
            && let (Op::Binary(Binary::Sub), &[x, mean]) = (distance.node.op(), distance.inputs.as_slice())
            && let mean = self.items.get(mean)
            && matches!(&mean.form, Form::Call("mean", over, _) if over == axes)
            && mean.operands.as_slice() == [x]
        {
            return Some((call("var", axes), smallvec![x]));
        }
        Some((call("mean", axes), smallvec![x]))
    }

    /// `min(max(X, low), high)`
    fn clamp(&self) -> Option<(Form, Operands)> {
        let ((_, raised), (_, high)) = (self.input(0)?, self.input(1)?);
        let (Op::Binary(Binary::Max), &[x, low]) = (raised.node.op(), raised.inputs.as_slice()) else { return None };
        let (Form::Number(high), Form::Number(low)) = (&high.form, &self.items.get(low).form) else { return None };
        let tensor = !matches!(self.items.get(x).form, Form::Number(_));
        tensor.then(|| (Form::Call("clamp", smallvec![], smallvec![*low, *high]), smallvec![x]))
    }

    /// `i - floor(i / n) * n`, for positions only.
    fn remainder(&self) -> Option<(Form, Operands)> {
        let ((x, whole), (_, product)) = (self.input(0)?, self.input(1)?);
        let (Op::Binary(Binary::Mul), &[floor, n]) = (product.node.op(), product.inputs.as_slice()) else {
            return None;
        };
        let floor = self.items.get(floor);
        let (Op::Unary(Unary::Floor), &[quotient]) = (floor.node.op(), floor.inputs.as_slice()) else { return None };
        let quotient = self.items.get(quotient);
        let same = matches!(quotient.node.op(), Op::Binary(Binary::Div)) && quotient.inputs.as_slice() == [x, n];
        let positions = whole.is_exact() && self.items.get(n).is_exact_or_number();
        (same && positions).then(|| (Form::Infix("%", Level::Product), smallvec![x, n]))
    }

    /// `√(X ⊙_ax X)`
    fn norm(&self) -> Option<(Form, Operands)> {
        let (_, dot) = self.input(0)?;
        let (Op::Contract(axes), &[x, same]) = (dot.node.op(), dot.inputs.as_slice()) else { return None };
        (x == same).then(|| (call("norm", axes), smallvec![x]))
    }

    /// `(Σ_ax |X|^p)^(1/p)`
    fn norm_p(&self) -> Option<(Form, Operands)> {
        let ((_, sum), (_, root)) = (self.input(0)?, self.input(1)?);
        let (Op::Reduce(Reduction::Sum, axes), &[power]) = (sum.node.op(), sum.inputs.as_slice()) else { return None };
        let power = self.items.get(power);
        let (Form::Power, &[size, p]) = (&power.form, power.operands.as_slice()) else { return None };
        let size = self.items.get(size);
        let (Op::Unary(Unary::Abs), &[x]) = (size.node.op(), size.inputs.as_slice()) else { return None };
        match (&self.items.get(p).form, &root.form) {
            (Form::Number(p), Form::Number(root)) if 1.0 / p == *root => {
                Some((Form::Call("norm", axes.clone(), smallvec![*p]), smallvec![x]))
            }
            _ => None,
        }
    }

    /// The first k of those sorted from the largest: `maxk_ax(X, k)`, `argmaxk_ax(X, k)`.
    fn best(&self) -> Option<(Form, Operands)> {
        let &Op::Slice { axis, start: 0, step: 1 } = self.node.op() else { return None };
        let (_, sorted) = self.input(0)?;
        let Form::Call(name @ ("maxk" | "argmaxk"), along, _) = &sorted.form else { return None };
        let k = self.node.shape().size(axis)? as f64;
        (along.as_slice() == [axis]).then(|| (Form::Call(name, along.clone(), smallvec![k]), sorted.operands.clone()))
    }
}
