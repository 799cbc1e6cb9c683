//! Graphs as equations: the text of `named!` that computes a tensor, read off the graph that computes it.
//!
//! The walk (`items`) finds equal nodes and takes each once; each is recognised (`form`), spelt with other primitives
//! if the language has no word for it (`spelling`), and written down (`page`) with names of axes (`axes`) and as few
//! parentheses as the grammar allows (`text`).
//! Lives here: what a user asks for. Not here: the language itself, which the macros read.

mod axes;
mod form;
mod items;
mod page;
mod spelling;
mod text;

use std::fmt;

use self::items::Items;
use crate::element::{Buffer, Real};
use crate::graph::calculus::{Tangent, forward};
use crate::graph::{Node, Shape, Value};
use crate::params::Parameters;
use crate::tensor::{Evaluate, Tensor};

/// So many lines are printed; of a longer page, the middle is left out.
const LINES: usize = 200;

/// The equations of a tensor, as [`Tensor::equations`] and [`differential`] make them; [`Display`](fmt::Display) prints
/// them.
///
/// The text is that of `named!`: as the body of a function whose arguments are the given tensors, it computes the same.
/// Sizes are data in a graph, so `sqrt(|key|)` is the number that it was; so is a seed, so random tensors are given.
#[derive(Clone, Debug)]
pub struct Equations {
    root: Node,
    names: Vec<(String, Node)>,
}

impl Equations {
    /// The equations of a node.
    fn new(root: Node) -> Equations {
        Equations { root, names: Vec::new() }
    }

    /// Names for tensors: those that are given, and those that shall have an equation of their own.
    ///
    /// A part of the graph is named by the tensor itself, or by one that is computed in the same way from the same
    /// tensors over the same axes; inside of a lifted function the extra axes are others.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { seq, key, val }
    /// # let q = Tensor::new(key, [1.0, 0.0]);
    /// # let k = Tensor::new((seq, key), [[1.0, 0.0], [0.0, 1.0]]);
    /// # let v = Tensor::new((seq, val), [[1.0], [2.0]]);
    /// let weights = q.dot(key, &k).softmax(seq);
    /// let y = weights.dot(seq, &v);
    /// assert_eq!(
    ///     y.equations().naming(&[("Q", &q), ("K", &k), ("V", &v), ("α", &weights)]).to_string(),
    ///     "α: R[seq] = softmax_seq(Q dot_key K);\nα dot_seq V"
    /// );
    /// ```
    #[must_use]
    pub fn naming(mut self, names: &[(&str, &dyn Evaluate)]) -> Equations {
        self.names.extend(names.iter().map(|&(name, tensor)| (name.to_owned(), tensor.as_node().clone())));
        self
    }

    /// The dotted names of parameters: `att.W_Q`.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { chans, out }
    /// named! { fn Linear(X: R[chans]; W: R[chans, out], b: R[out]) -> R[out] { X dot_chans W + b } }
    ///
    /// let linear = Linear::init(&mut seeded(0), (chans.of(3), out.of(2)))?;
    /// let x = Tensor::new(chans, [1.0, 2.0, 3.0]);
    /// assert_eq!(linear.apply(&x).equations().parameters(&linear).to_string(), "X dot_chans W + b");
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    pub fn parameters<T: Real, P: Parameters<T>>(mut self, parameters: &P) -> Equations {
        parameters.each(|parameter| self.names.push((parameter.name.to_owned(), parameter.node().clone())));
        self
    }
}

impl<A, T> Tensor<A, T> {
    /// The tensor as equations: how it is computed from tensors that are given.
    ///
    /// What is used more than once gets an equation of its own, and the last line is the value. Names come by
    /// [`naming`](Equations::naming); without, given tensors are X1, X2, ... Nothing is computed. A tensor that carries an
    /// error prints the error.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { seq, chans }
    /// let x = Tensor::new((seq, chans), [[1.0, 2.0], [3.0, 4.0]]);
    /// let centred = &x - x.mean(chans);
    /// let y = (&centred * &centred).mean(chans) + 1.0;
    /// assert_eq!(y.equations().to_string(), "var_chans(X) + 1");
    /// assert_eq!((&y / y.sqrt()).equations().to_string(), "Y1: R[seq] = var_chans(X) + 1;\nY1 / sqrt(Y1)");
    /// ```
    #[must_use]
    pub fn equations(&self) -> Equations {
        Equations::new(self.node().clone())
    }
}

/// The differential of a tensor as equations: how it changes when each variable X changes by dX.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { ax }
/// let x = Tensor::new(ax, [0.3, -1.0, 2.0]);
/// let s = x.softmax(ax);
/// assert_eq!(
///     differential(&s, &[("X", &x)]).naming(&[("s", &s)]).to_string(),
///     "s: R[ax] = softmax_ax(X);\ns * (dX - s dot_ax dX)"
/// );
/// ```
#[must_use]
pub fn differential<A, T: Real>(y: &Tensor<A, T>, variables: &[(&str, &dyn Evaluate)]) -> Equations {
    let mut names = Vec::new();
    let mut tangents = Vec::new();
    let mut failed = y.node().error();
    for &(name, variable) in variables {
        let variable = variable.as_node();
        failed = failed.or(variable.error());
        // A change of any numbers: they are never read.
        let strides = variable.shape().names().map(|_| 0).collect();
        let numbers = Value { buffer: Buffer::zeros(variable.kind(), 1).into(), offset: 0, strides };
        let change = Node::input(numbers, variable.shape().clone());
        names.extend([(name.to_owned(), variable.clone()), (format!("d{name}"), change.clone())]);
        tangents.push((variable.clone(), Tangent::new(change)));
    }
    if let Some(error) = failed {
        return Equations::new(Node::failed(error.clone(), T::KIND));
    }
    let change = forward(&[y.node().clone()], &tangents).pop().flatten();
    let nothing = || Node::fill(T::KIND, 0.0, Shape::default());
    Equations { root: change.map_or_else(nothing, |change| change.node()), names }
}

/// One equation a line, each but the last ended by `;`. The error, where the tensor carries one.
impl fmt::Display for Equations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(error) = self.root.error() {
            return write!(f, "{error}");
        }
        let mut items = Items::new(&self.names);
        let root = items.add(&self.root);
        for (name, node) in &self.names {
            let at = items.add(node);
            items.label(at, name);
        }
        let lines = page::lines(&items, root);
        let left_out = lines.len().saturating_sub(LINES);
        let shown = if left_out == 0 { lines.len() } else { LINES / 2 };
        for (place, line) in lines.iter().enumerate() {
            if place == shown && left_out > 0 {
                writeln!(f, "… {left_out} more equations …")?;
            }
            if place < shown || place >= shown + left_out {
                f.write_str(line)?;
                if place + 1 < lines.len() {
                    f.write_str("\n")?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
