//! Elementwise operations: functions of one, two and three numbers at each position.
//!
//! Computes  `(X + Y)(i) = X(i|A) + Y(i|B)`  over the union `A ∪ B` of the axes (rule 1 of the notation).
//! Lives here: their shape rules and plain evaluation. Not here: the functions themselves (`element::function`).

use super::rule::{NUMBERS, REAL, of_kind, refused, same_kind};
use super::walk::{Operand, collected, stored};
use crate::element::{Binary, Comparison, Kind, Stored, Unary};
use crate::error::Result;
use crate::graph::{Node, Op, Value};

impl Node {
    /// `function` of every element.
    #[must_use]
    #[track_caller]
    pub fn unary(&self, function: Unary) -> Node {
        let allowed = match function {
            Unary::Not => &[Kind::Bool],
            Unary::Neg | Unary::Abs | Unary::Relu => NUMBERS,
            _ => REAL,
        };
        Node::build(Op::Unary(function), self.kind(), [self], |operation| {
            of_kind(operation, self, allowed).map(|()| self.shape().clone())
        })
    }

    /// `function` of the elements of both, over the union of the axes.
    #[must_use]
    #[track_caller]
    pub fn binary(&self, function: Binary, other: &Node) -> Node {
        let allowed = match function {
            Binary::And | Binary::Or => &[Kind::Bool],
            Binary::Pow => REAL,
            _ => NUMBERS,
        };
        Node::build(Op::Binary(function), self.kind(), [self, other], |operation| {
            same_kind(operation, self, other)?;
            of_kind(operation, self, allowed)?;
            self.shape().union(other.shape(), operation)
        })
    }

    /// Whether `comparison` holds, over the union of the axes.
    #[must_use]
    #[track_caller]
    pub fn compare(&self, comparison: Comparison, other: &Node) -> Node {
        Node::build(Op::Compare(comparison), Kind::Bool, [self, other], |operation| {
            same_kind(operation, self, other)?;
            self.shape().union(other.shape(), operation)
        })
    }

    /// Where this truth value holds, the element of `yes`, else that of `no`.
    #[must_use]
    #[track_caller]
    pub fn select(&self, yes: &Node, no: &Node) -> Node {
        Node::build(Op::Select, yes.kind(), [self, yes, no], |operation| {
            if self.kind() != Kind::Bool {
                return Err(refused(operation, format_args!("needs a truth value, not {:?}", self.kind())));
            }
            same_kind(operation, yes, no)?;
            self.shape().union(yes.shape(), operation)?.union(no.shape(), operation)
        })
    }
}

pub(super) fn unary(node: &Node, function: Unary, x: Operand<'_>) -> Result<Value> {
    let order = node.shape();
    match node.kind() {
        Kind::Index => collected(node, x.elements::<i64>(order).map(|x| function.of_index(x))),
        kind => stored!(kind, T => {
            collected(node, x.elements::<T>(order).map(|x| T::from_f64(function.of(x.to_f64()))))
        }),
    }
}

pub(super) fn binary(node: &Node, function: Binary, x: Operand<'_>, y: Operand<'_>) -> Result<Value> {
    let order = node.shape();
    match node.kind() {
        Kind::Index => {
            let pairs = x.elements::<i64>(order).zip(y.elements::<i64>(order));
            collected(node, pairs.map(|(x, y)| function.of_index(x, y)))
        }
        kind => stored!(kind, T => {
            let pairs = x.elements::<T>(order).zip(y.elements::<T>(order));
            collected(node, pairs.map(|(x, y)| T::from_f64(function.of(x.to_f64(), y.to_f64()))))
        }),
    }
}

pub(super) fn compare(node: &Node, comparison: Comparison, x: Operand<'_>, y: Operand<'_>) -> Result<Value> {
    let order = node.shape();
    stored!(x.value.buffer.kind(), T => {
        let pairs = x.elements::<T>(order).zip(y.elements::<T>(order));
        collected(node, pairs.map(|(x, y)| comparison.holds(x, y)))
    })
}

pub(super) fn select(node: &Node, condition: Operand<'_>, yes: Operand<'_>, no: Operand<'_>) -> Result<Value> {
    let order = node.shape();
    stored!(node.kind(), T => {
        let choices = condition.elements::<bool>(order).zip(yes.elements::<T>(order).zip(no.elements::<T>(order)));
        collected(node, choices.map(|(condition, (yes, no))| if condition { yes } else { no }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::graph::testing::{A, B, C, axes, counting, error, read, tensor};

    #[test]
    fn axes_of_both_are_united_and_shared_ones_aligned() {
        let x = counting(&[(A, 2), (B, 3)]);
        let y = tensor(&[(C, 2), (B, 3)], &[10.0, 20.0, 30.0, 40.0, 50.0, 60.0]);
        let sum = x.binary(Binary::Add, &y);
        assert_eq!(axes(&sum), [("a", 2), ("b", 3), ("c", 2)]);
        let mut expected = Vec::new();
        for a in 0..2 {
            for b in 0..3 {
                expected.extend((0..2).map(|c| (1 + 3 * a + b) as f64 + f64::from(10 * (1 + 3 * c + b))));
            }
        }
        assert_eq!(read(&sum), expected);
    }

    #[test]
    fn a_size_of_one_does_not_stretch() {
        let clash = counting(&[(A, 1)]).binary(Binary::Add, &counting(&[(A, 3)]));
        let error = error(&clash);
        assert_eq!(error.kind(), ErrorKind::SizeClash);
        assert!(error.to_string().contains("axis `a` has size 1 on the left, 3 on the right"), "{error}");
        assert_eq!(error.place().unwrap().file(), file!());
    }

    #[test]
    fn the_first_error_passes_through_everything_computed_from_it() {
        let clash = counting(&[(A, 1)]).binary(Binary::Add, &counting(&[(A, 3)]));
        let line = clash.error().unwrap().place().unwrap().line();
        let later = counting(&[(B, 2)]).contract(&clash.unary(Unary::Exp), &[B]).softmax(&[C], false);
        assert_eq!(error(&later).place().unwrap().line(), line);
    }

    #[test]
    fn kinds_do_not_mix() {
        let (x, i) = (counting(&[(A, 2)]), Node::iota(A, 2));
        assert_eq!(error(&x.binary(Binary::Add, &i)).kind(), ErrorKind::Value);
        assert_eq!(error(&x.binary(Binary::Add, &x.cast(Kind::F32))).kind(), ErrorKind::Value);
        assert_eq!(error(&x.compare(Comparison::Eq, &i)).kind(), ErrorKind::Value);
        assert_eq!(error(&x.binary(Binary::And, &x)).kind(), ErrorKind::Value);
        assert_eq!(error(&i.unary(Unary::Exp)).kind(), ErrorKind::Value);
        assert_eq!(error(&x.select(&x, &x)).kind(), ErrorKind::Value);
    }

    #[test]
    fn positions_truth_values_and_choices_are_computed_in_their_own_kind() {
        let (i, j) = (Node::iota(A, 3), Node::iota(B, 2));
        let lower = j.compare(Comparison::Le, &i);
        assert_eq!(lower.kind(), Kind::Bool);
        let not = lower.unary(Unary::Not).binary(Binary::Or, &lower.binary(Binary::And, &lower));
        assert_eq!(read(&not), [1.0; 6]);
        let chosen = lower.select(&i, &j.unary(Unary::Neg));
        let names: Vec<&str> = chosen.shape().names().map(|name| name.text()).collect();
        assert_eq!(names, ["b", "a"], "the order this test is written in");
        assert_eq!(read(&chosen), [0.0, 1.0, 2.0, -1.0, 1.0, 2.0]);
    }

    #[test]
    fn a_number_of_f32_is_rounded_once() {
        let x = tensor(&[(A, 2)], &[0.1_f32, 3.0]);
        let expected = [0.1_f32, 3.0].map(|x| f64::from(f64::from(x).tanh() as f32));
        assert_eq!(read(&x.unary(Unary::Tanh)), expected);
    }
}
