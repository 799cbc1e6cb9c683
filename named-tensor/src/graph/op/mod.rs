//! The primitives: everything a tensor program is made of.
//!
//! Lives here: the table of primitives. Each family has a file with its shape rule, a method of
//! [`Node`], and its plain evaluation.
//! Not here: the order in which they run (`plan`), loops that are fast (`kernel`).

mod again;
mod border;
mod call;
mod contraction;
mod creation;
mod elementwise;
mod even;
mod factors;
mod indexing;
mod joining;
mod matrix;
mod order;
mod random;
mod reduction;
mod renaming;
mod rule;
pub(crate) mod scan;
mod slicing;
mod steps;
mod substitution;
mod vector;
mod walk;
mod window;
mod written;

pub(crate) use self::border::Border;
pub use self::call::Function;
pub use self::random::Distribution;
pub use self::reduction::Reduction;
pub use self::scan::Scan;
pub(crate) use self::written::{Whole, Written};

use std::sync::Arc;

use smallvec::SmallVec;

use self::rule::refused;
use self::walk::Operand;
use super::{Node, Value};
use crate::axis::Name;
use crate::element::{Binary, Buffer, Comparison, Unary};
use crate::error::{Error, Result};
use crate::graph::shape::Names;

/// What a node computes. Axes are given by name; a size that is not in an input's shape is in the node's own.
#[derive(Clone, Debug)]
pub enum Op {
    /// Numbers in memory.
    Input,
    /// In the body of a scan: the numbers that each step puts there, by the number of the scan's input.
    Placeholder(usize),
    /// An operation that could not be made.
    Failed(Error),
    /// The same number everywhere.
    Fill(f64),
    /// Along its only axis, the position: 0, 1, 2, ...
    Iota,
    /// Random numbers of a seeded stream.
    Random(Distribution, u64),
    /// The same numbers as another kind.
    Cast,
    /// A function of one number, elementwise.
    Unary(Unary),
    /// A function of two numbers, elementwise over the union of the axes.
    Binary(Binary),
    /// A comparison, elementwise over the union of the axes.
    Compare(Comparison),
    /// Inputs (condition, yes, no): elementwise over the union of the axes.
    Select,
    /// One number for all positions of `axes`.
    Reduce(Reduction, Names),
    /// Σ over the axes of the product of both inputs.
    Contract(Names),
    /// exp X / Σ exp X over the axes together; with `log`, its logarithm.
    Softmax {
        /// The axes that sum to one.
        axes: Names,
        /// Whether the logarithm is taken.
        log: bool,
    },
    /// (X - mean X) / √(var X + ε) over the axes together, var with divisor n.
    Standardize {
        /// The axes of mean and var.
        axes: Names,
        /// ε, inside the root.
        epsilon: f64,
    },
    /// Inputs (X, G): what X owes where Y = standardize X is owed G,  (G - mean G - Y * mean(Y * G)) / √(var X + ε).
    StandardizeGradient {
        /// The axes of mean and var.
        axes: Names,
        /// ε, inside the root.
        epsilon: f64,
    },
    /// The same numbers under other names: the node's shape lists the new names in the input's order.
    Rename,
    /// The same numbers, which no derivative passes through.
    StopGradient,
    /// One axis becomes several, the first named slowest.
    Split(Name, Box<Names>),
    /// Several axes become one, the first named slowest.
    Merge(Box<Names>, Name),
    /// Positions `start`, `start + step`, ... of an axis, as many as the node's shape says.
    Slice {
        /// The axis.
        axis: Name,
        /// The first position.
        start: usize,
        /// The distance of positions, at least 1.
        step: usize,
    },
    /// One position of an axis, which is gone from the result.
    At(Name, usize),
    /// The positions of an axis from the last one to the first.
    Flip(Name),
    /// Windows: result(axis = i, into = j) = X(axis = i·step + j).
    Window {
        /// The axis that windows slide along.
        axis: Name,
        /// The new axis inside a window.
        into: Name,
        /// The distance of windows, at least 1.
        step: usize,
    },
    /// The number `value` before and after the positions of an axis.
    Pad {
        /// The axis.
        axis: Name,
        /// How many before.
        before: usize,
        /// The number.
        value: f64,
    },
    /// The inputs one after the other along an axis.
    Concat(Name),
    /// Inputs (table, positions): the table's axis is gone; result = table(axis = positions).
    Gather(Name),
    /// Inputs (updates, positions): sums the updates at their positions of a new axis; the adjoint of gather.
    /// The axes `over` are summed away, the rest of the positions' axes stay aligned with the updates.
    ScatterAdd {
        /// The new axis.
        axis: Name,
        /// The axes of the positions that are summed away.
        over: Box<Names>,
    },
    /// Inputs (X, start): positions start, start + 1, ... of an axis, as many as the shape says.
    DynamicSlice(Name),
    /// Inputs (X, part, start): X with `part` from position `start` of an axis on.
    DynamicUpdate(Name),
    /// Sums of the positions up to and with each one.
    CumulativeSum {
        /// The axis.
        axis: Name,
        /// Whether they are those from each one on.
        backwards: bool,
    },
    /// Sorted along an axis; equal numbers keep their order, NaN comes last.
    Sort {
        /// The axis.
        axis: Name,
        /// Whether the largest comes first.
        descending: bool,
    },
    /// The positions that sorting would put in this order.
    ArgSort {
        /// The axis.
        axis: Name,
        /// Whether the largest comes first.
        descending: bool,
    },
    /// The determinant of the matrix over two axes.
    Determinant(Name, Name),
    /// The logarithm of the magnitude of that determinant.
    LogDeterminant(Name, Name),
    /// The inverse of the matrix over two axes: S contracted with it over either axis is the identity.
    Inverse(Name, Name),
    /// Inputs (carries, tensors along an axis, constants): a body repeated along that axis. The results of all steps lie
    /// one after the other along the node's only axis.
    Scan(Arc<Scan>),
    /// Inputs (the meaning in primitives, arguments): a function that may have a derivative of its own.
    Call(Arc<dyn Function>),
    /// The same numbers, to be split along an axis of a mesh of machines, which has this name.
    Constrain(Name, Arc<str>),
}

impl Op {
    /// Its name or sign in equations.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Op::Input => "input",
            Op::Placeholder(_) => "placeholder",
            Op::Failed(_) => "failed",
            Op::Fill(_) => "fill",
            Op::Iota => "iota",
            Op::Random(..) => "random",
            Op::Cast => "cast",
            Op::Unary(function) => function.name(),
            Op::Binary(function) => function.name(),
            Op::Compare(comparison) => comparison.name(),
            Op::Select => "if",
            Op::Reduce(reduction, _) => reduction.name(),
            Op::Contract(_) => "dot",
            Op::Softmax { log: false, .. } => "softmax",
            Op::Softmax { log: true, .. } => "log_softmax",
            Op::Standardize { .. } => "standardize",
            Op::StandardizeGradient { .. } => "standardize_gradient",
            Op::Rename => "rename",
            Op::StopGradient => "stop_gradient",
            Op::Split(..) => "split",
            Op::Merge(..) => "flatten",
            Op::Slice { .. } => "slice",
            Op::At(..) => "at",
            Op::Flip(_) => "flip",
            Op::Window { step: 1, .. } => "unroll",
            Op::Window { .. } => "pool",
            Op::Pad { .. } => "pad",
            Op::Concat(_) => "concat",
            Op::Gather(_) => "index",
            Op::ScatterAdd { .. } => "scatter_add",
            Op::DynamicSlice(_) => "dynamic_slice",
            Op::DynamicUpdate(_) => "dynamic_update",
            Op::CumulativeSum { .. } => "cumulative_sum",
            Op::Sort { .. } => "sort",
            Op::ArgSort { .. } => "argsort",
            Op::Determinant(..) => "det",
            Op::LogDeterminant(..) => "logdet",
            Op::Inverse(..) => "inv",
            Op::Scan(_) => "scan",
            Op::Call(function) => function.name(),
            Op::Constrain(..) => "constrain",
        }
    }
}

/// The numbers of `node`, from those of its inputs: the plain meaning of each primitive, which every plan must equal.
///
/// # Errors
/// What only numbers can tell: a position out of range, too little memory, an error that an input carries.
pub(crate) fn evaluate(node: &Node, inputs: &[&Value]) -> Result<Value> {
    if let Some(value) = node.value() {
        return Ok(value.clone());
    }
    let operands: SmallVec<[Operand<'_>; 3]> =
        node.inputs().iter().zip(inputs).map(|(input, &value)| Operand { shape: input.shape(), value }).collect();
    let result = match (node.op(), operands.as_slice()) {
        (Op::Failed(error), _) => Err(error.clone()),
        _ if node.shape().elements() == 0 => Ok(Value::contiguous(Buffer::zeros(node.kind(), 0), node.shape().sizes())),
        (&Op::Fill(value), []) => Ok(creation::fill(node, value)),
        (Op::Iota, []) => creation::iota(node),
        (&Op::Random(distribution, seed), []) => random::random(node, distribution, seed),
        (Op::Cast, &[x]) => creation::cast(node, x),
        (&Op::Unary(function), &[x]) => elementwise::unary(node, function, x),
        (&Op::Binary(function), &[x, y]) => elementwise::binary(node, function, x, y),
        (&Op::Compare(comparison), &[x, y]) => elementwise::compare(node, comparison, x, y),
        (Op::Select, &[condition, yes, no]) => elementwise::select(node, condition, yes, no),
        (Op::Reduce(reduction, axes), &[x]) => reduction::reduce(node, *reduction, axes, x),
        (Op::Contract(axes), &[x, y]) => contraction::contract(node, axes, x, y),
        (Op::Softmax { axes, log }, &[x]) => vector::softmax(node, axes, *log, x),
        (Op::Standardize { axes, epsilon }, &[x]) => vector::standardize(node, axes, *epsilon, x),
        (Op::StandardizeGradient { axes, epsilon }, &[x, owed]) => {
            vector::standardize_gradient(node, axes, *epsilon, x, owed)
        }
        (Op::Rename | Op::StopGradient, &[x]) => Ok(x.value.clone()),
        (Op::Split(axis, parts), &[x]) => Ok(renaming::split(node, *axis, parts, x)),
        (Op::Merge(from, into), &[x]) => renaming::merge(node, from, *into, x),
        (&Op::Flip(axis), &[x]) => Ok(slicing::flip(node, axis, x)),
        (&Op::Slice { axis, start, step }, &[x]) => Ok(slicing::slice(node, axis, start, step, x)),
        (&Op::At(axis, position), &[x]) => Ok(slicing::slice(node, axis, position, 1, x)),
        (&Op::Window { axis, into, step }, &[x]) => Ok(window::window(node, axis, into, step, x)),
        (&Op::Pad { axis, before, value }, &[x]) => joining::pad(node, axis, before, value, x),
        (&Op::Concat(axis), parts) => joining::concat(node, axis, parts),
        (&Op::Gather(axis), &[table, positions]) => indexing::gather(node, axis, table, positions),
        (&Op::ScatterAdd { axis, .. }, &[updates, positions]) => indexing::scatter_add(node, axis, updates, positions),
        (&Op::DynamicSlice(axis), &[x, start]) => slicing::dynamic_slice(node, axis, x, start),
        (&Op::DynamicUpdate(axis), &[x, part, start]) => slicing::dynamic_update(node, axis, x, part, start),
        (&Op::CumulativeSum { axis, backwards }, &[x]) => order::cumulative_sum(node, axis, backwards, x),
        (&Op::Sort { axis, descending }, &[x]) => order::sort(node, axis, descending, x),
        (&Op::ArgSort { axis, descending }, &[x]) => order::argsort(node, axis, descending, x),
        (&(Op::Determinant(a, b) | Op::LogDeterminant(a, b)), &[x]) => matrix::determinant(node, a, b, x),
        (&Op::Inverse(a, b), &[x]) => matrix::inverse(node, a, b, x),
        (Op::Call(_) | Op::Constrain(..), &[x, ..]) => Ok(x.value.clone()),
        (Op::Placeholder(_), _) => Err(scan::unread()),
        (Op::Scan(scan), operands) => steps::evaluate(node, scan, operands),
        (op, operands) => Err(refused(op.name(), format_args!("cannot have {} inputs", operands.len()))),
    };
    result.map_err(|error| error.at(node.place()))
}
