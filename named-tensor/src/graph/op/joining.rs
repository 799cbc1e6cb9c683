//! Joining along an axis: concatenation, and a border of one number.
//!
//! Computes  `concat_ax(X, Y)(i) = X(i) if i < |ax of X| else Y(i - |ax of X|)`, of more than two one after the other; the
//! other axes are united.
//! Lives here: their shape rules and plain evaluation.

use super::rule::{fits, same_kind, size_of};
use super::walk::{Offsets, Operand, finished, repeated, stored};
use crate::axis::Name;
use crate::element::Stored;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::value::row_major;
use crate::graph::{Node, Op, Value};

impl Node {
    /// The positions of both along `axis`, this tensor's first.
    #[must_use]
    #[track_caller]
    pub fn concat(&self, axis: Name, other: &Node) -> Node {
        Node::build(Op::Concat(axis), self.kind(), [self, other], |operation| {
            same_kind(operation, self, other)?;
            let sizes = [size_of(operation, self.shape(), axis)?, size_of(operation, other.shape(), axis)?];
            let both = [(axis, total(operation, axis, &sizes)?)];
            self.shape().replaced(axis, &both).union(&other.shape().replaced(axis, &both), operation)
        })
    }

    /// The positions of all `parts` along `axis`, in their order, which are of one kind. None of none, whose axes nobody knows.
    #[must_use]
    #[track_caller]
    pub fn concat_all(axis: Name, parts: &[&Node]) -> Option<Node> {
        match *parts {
            [] => None,
            [one] => Some(one.clone()),
            [first, second] => Some(first.concat(axis, second)),
            [first, ..] => Some(Node::build(Op::Concat(axis), first.kind(), parts, |operation| {
                let sizes =
                    parts.iter().map(|part| size_of(operation, part.shape(), axis)).collect::<Result<Vec<_>>>()?;
                let all = [(axis, total(operation, axis, &sizes)?)];
                let mut whole = first.shape().replaced(axis, &all);
                let mut known = first.shape();
                for (number, part) in parts.iter().enumerate().skip(1) {
                    same_kind(operation, first, part)?;
                    if part.shape() != known {
                        let part = part.shape().replaced(axis, &all);
                        whole = whole
                            .union(&part, operation)
                            .map_err(|error| clash(axis, parts, number).unwrap_or(error))?;
                    }
                    known = part.shape();
                }
                Ok(whole)
            })),
        }
    }

    /// The number `value` at `before` positions before and `after` positions after those of an axis.
    #[must_use]
    #[track_caller]
    pub fn pad(&self, axis: Name, before: usize, after: usize, value: f64) -> Node {
        Node::build(Op::Pad { axis, before, value }, self.kind(), [self], |operation| {
            fits(operation, value, self.kind())?;
            let size = size_of(operation, self.shape(), axis)?;
            Ok(self.shape().replaced(axis, &[(axis, total(operation, axis, &[before, size, after])?)]))
        })
    }
}

/// The sum of sizes, unless no axis can be so long.
fn total(operation: &str, axis: Name, sizes: &[usize]) -> Result<usize> {
    let sum = sizes.iter().try_fold(0_usize, |sum, &size| sum.checked_add(size));
    sum.ok_or_else(|| {
        let sizes = match sizes {
            [_, _] | [_, _, _] => {
                format!("the size {}", sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(" + "))
            }
            _ => "more positions than can be counted".to_owned(),
        };
        let message =
            format!("too large for memory: the result of `{operation}` would have {sizes} along axis `{axis}`");
        Error::new(ErrorKind::TooLarge, message)
    })
}

/// Says with which of those before it the part of this number clashes.
fn clash(axis: Name, parts: &[&Node], number: usize) -> Option<Error> {
    parts[number].shape().iter().filter(|&(name, _)| name != axis).find_map(|(name, size)| {
        let sizes = parts[..number].iter().map(|part| part.shape().size(name)).enumerate();
        let (before, other) =
            sizes.filter_map(|(before, other)| Some((before, other?))).find(|&(_, other)| other != size)?;
        let name = name.text();
        let message = format!(
            "sizes clash in `concat`: axis `{name}` has size {other} in tensor {before}, {size} in tensor {number}"
        );
        Some(Error::new(ErrorKind::SizeClash, message))
    })
}

pub(super) fn concat(node: &Node, axis: Name, parts: &[Operand<'_>]) -> Result<Value> {
    stored!(node.kind(), T => {
        let mut values = repeated(node, T::default())?;
        let mut start = 0;
        for &part in parts {
            put(node, axis, start, part, &mut values);
            start += part.shape.size(axis).unwrap_or(0);
        }
        Ok(finished(node, values))
    })
}

pub(super) fn pad(node: &Node, axis: Name, before: usize, value: f64, x: Operand<'_>) -> Result<Value> {
    stored!(node.kind(), T => {
        let mut values = repeated(node, T::from_f64(value))?;
        put(node, axis, before, x, &mut values);
        Ok(finished(node, values))
    })
}

/// Writes `part` into the elements `values` of `node`, from position `start` of `axis` on.
fn put<T: Stored>(node: &Node, axis: Name, start: usize, part: Operand<'_>, values: &mut [T]) {
    let region = node.shape().replaced(axis, &[(axis, part.shape.size(axis).unwrap_or(0))]);
    let strides = row_major(node.shape().sizes());
    let step = node.shape().position(axis).and_then(|i| strides.get(i)).map_or(0, |step| step.unsigned_abs());
    let targets = Offsets::of(node.shape(), &strides, start * step, &region);
    for (target, value) in targets.zip(part.elements::<T>(&region)) {
        values[target] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Kind;
    use crate::error::ErrorKind;
    use crate::graph::Shape;
    use crate::graph::testing::{A, B, C, axes, counting, error, read, tensor};

    #[test]
    fn positions_of_both_follow_each_other_and_other_axes_are_united() {
        let (x, y) = (counting(&[(A, 2), (B, 2)]), tensor(&[(A, 1)], &[9.0]));
        assert_eq!(read(&x.concat(A, &y)), [1.0, 2.0, 3.0, 4.0, 9.0, 9.0]);
        assert_eq!(read(&x.concat(B, &x)), [1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 3.0, 4.0]);
        assert_eq!(axes(&y.concat(A, &counting(&[(C, 2), (A, 2)]))), [("a", 3), ("c", 2)]);
        assert_eq!(read(&x.concat(A, &counting(&[(A, 0), (B, 2)]))), read(&x));
    }

    #[test]
    fn concat_refuses_clashing_sizes_and_kinds_and_counts_no_further_than_memory() {
        let x = counting(&[(A, 2), (B, 2)]);
        assert_eq!(error(&x.concat(A, &counting(&[(A, 2), (B, 3)]))).kind(), ErrorKind::SizeClash);
        assert_eq!(error(&x.concat(A, &Node::iota(A, 2))).kind(), ErrorKind::Value);
        assert_eq!(error(&x.concat(C, &x)).kind(), ErrorKind::Value);
        assert_eq!(error(&x.pad(A, usize::MAX, 1, 0.0)).kind(), ErrorKind::TooLarge);
    }

    #[test]
    fn a_list_is_what_two_by_two_are_and_an_error_says_which_tensors_clash() {
        let (x, y, z) = (counting(&[(A, 2), (B, 2)]), tensor(&[(A, 1)], &[9.0]), counting(&[(C, 2), (A, 3)]));
        let all = Node::concat_all(A, &[&x, &y, &z, &x]).unwrap();
        let by_two = x.concat(A, &y).concat(A, &z).concat(A, &x);
        assert_eq!((axes(&all), read(&all)), (axes(&by_two), read(&by_two)));
        assert!(Node::concat_all(A, &[]).is_none());
        assert_eq!(read(&Node::concat_all(A, &[&y]).unwrap()), [9.0]);
        let wide = counting(&[(A, 2), (B, 3)]);
        let clash = error(&Node::concat_all(A, &[&y, &x, &y, &z, &wide]).unwrap());
        assert_eq!(clash.kind(), ErrorKind::SizeClash);
        let said = "sizes clash in `concat`: axis `b` has size 2 in tensor 1, 3 in tensor 4";
        assert!(clash.to_string().starts_with(said), "{clash}");
        assert_eq!(error(&Node::concat_all(A, &[&x, &x, &Node::iota(A, 2)]).unwrap()).kind(), ErrorKind::Value);
        let long = Node::fill(Kind::F64, 1.0, Shape::new([(A, usize::MAX / 2)]));
        assert_eq!(error(&Node::concat_all(A, &[&long; 4]).unwrap()).kind(), ErrorKind::TooLarge);
    }

    #[test]
    fn a_border_holds_its_number() {
        let x = counting(&[(A, 2), (B, 2)]);
        assert_eq!(read(&x.pad(B, 1, 0, -1.0)), [-1.0, 1.0, 2.0, -1.0, 3.0, 4.0]);
        assert_eq!(read(&counting(&[(A, 0)]).pad(A, 1, 1, 7.0)), [7.0, 7.0]);
        assert_eq!(error(&Node::iota(A, 2).pad(A, 1, 0, 0.5)).kind(), ErrorKind::Value);
    }
}
