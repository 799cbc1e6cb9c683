//! Renaming: the same numbers under other names, one axis as several, several as one.
//!
//! Computes  `X_{a → b}`,  `X_{layer → (heads, key)}`  and  `X_{(heads, key) → layer}`, the first named slowest.
//! Lives here: their shape rules and plain evaluation, which are views wherever strides allow.

use smallvec::SmallVec;

use super::rule::{absent, distinct, present, size_of, unfit};
use super::walk::{Operand, collected, stored};
use crate::axis::Name;
use crate::error::Result;
use crate::graph::shape::Names;
use crate::graph::value::row_major;
use crate::graph::{Node, Op, Shape, Value};

impl Node {
    /// The same numbers with axes renamed, all at once: `[(a, b), (b, a)]` swaps two names.
    #[must_use]
    #[track_caller]
    pub fn rename(&self, pairs: &[(Name, Name)]) -> Node {
        if pairs.iter().all(|(old, new)| old == new) && self.error().is_none() {
            return self.clone();
        }
        Node::build(Op::Rename, self.kind(), [self], |operation| {
            let renamed = |name: Name| pairs.iter().find(|&&(old, _)| old == name).map(|&(_, new)| new);
            // A linear layer gives its result the names that its input had: then the shape is there already.
            let known = self.inputs().first().map(Node::shape).filter(|known| known.rank() == self.shape().rank());
            let mut found = 0;
            let is_known = known.is_some_and(|known| {
                self.shape().iter().zip(known.iter()).all(|((name, size), known)| {
                    let new = renamed(name);
                    found += usize::from(new.is_some());
                    (new.unwrap_or(name), size) == known
                })
            });
            if let (true, Some(known)) = (is_known && found == pairs.len(), known) {
                return Ok(known.clone());
            }
            let axes: SmallVec<[(Name, usize); 8]> =
                self.shape().iter().map(|(name, size)| (renamed(name).unwrap_or(name), size)).collect();
            // Each pair is found at an axis of its own, unless one names what is not there or stands twice.
            if self.shape().names().filter(|&name| renamed(name).is_some()).count() != pairs.len() {
                let old: Names = pairs.iter().map(|&(old, _)| old).collect();
                present(operation, self.shape(), &old)?;
            }
            let names: SmallVec<[Name; 8]> = axes.iter().map(|&(name, _)| name).collect();
            distinct(operation, &names)?;
            Ok(Shape::new(axes))
        })
    }

    /// The same numbers, as if they were constant: no derivative passes through.
    #[must_use]
    #[track_caller]
    pub fn stop_gradient(&self) -> Node {
        Node::build(Op::StopGradient, self.kind(), [self], |_| Ok(self.shape().clone()))
    }

    /// The axes `from` as the one axis `into`, the first named slowest.
    #[must_use]
    #[track_caller]
    pub fn merge(&self, from: &[Name], into: Name) -> Node {
        Node::build(Op::Merge(Box::new(Names::from_slice(from)), into), self.kind(), [self], |operation| {
            present(operation, self.shape(), from)?;
            let rest = self.shape().without(from);
            absent(operation, &rest, into)?;
            let size = from.iter().filter_map(|&name| self.shape().size(name)).product();
            let Some(&first) = from.first() else { return Ok(rest.with(into, size)) };
            Ok(self.shape().without(from.get(1..).unwrap_or_default()).replaced(first, &[(into, size)]))
        })
    }

    /// The axis `from` as several, the first named slowest. One of the sizes may be left out.
    #[must_use]
    #[track_caller]
    pub fn split(&self, from: Name, parts: &[(Name, Option<usize>)]) -> Node {
        let names: Names = parts.iter().map(|&(name, _)| name).collect();
        Node::build(Op::Split(from, Box::new(names.clone())), self.kind(), [self], |operation| {
            let size = size_of(operation, self.shape(), from)?;
            distinct(operation, &names)?;
            let rest = self.shape().without(&[from]);
            names.iter().try_for_each(|&name| absent(operation, &rest, name))?;
            let missing = missing_size(operation, from, size, parts)?;
            let parts: Vec<_> = parts.iter().map(|&(name, size)| (name, size.unwrap_or(missing))).collect();
            Ok(self.shape().replaced(from, &parts))
        })
    }
}

/// The size that was left out, so that the sizes of `parts` multiply to `size`.
fn missing_size(operation: &str, from: Name, size: usize, parts: &[(Name, Option<usize>)]) -> Result<usize> {
    let known = parts.iter().filter_map(|&(_, size)| size).try_fold(1_usize, usize::checked_mul);
    let left_out = parts.iter().filter(|(_, size)| size.is_none()).count();
    match (left_out, known) {
        (0, Some(known)) if known == size => Ok(1),
        // 0 · x = 0 holds for every x, so an axis of size 0 leaves the missing size open.
        (1, Some(known)) if known > 0 && size.is_multiple_of(known) => Ok(size / known),
        _ => {
            let spelt = |&(name, size): &(Name, Option<usize>)| match size {
                Some(size) => format!("{}: {size}", name.text()),
                None => name.text().to_owned(),
            };
            let parts = parts.iter().map(spelt).collect::<Vec<_>>().join(", ");
            Err(unfit(operation, format_args!("axis `{}` of size {size} cannot become ({parts})", from.text())))
        }
    }
}

/// A view: inside the axis `from`, the parts lie in the order of their names.
pub(super) fn split(node: &Node, from: Name, parts: &[Name], x: Operand<'_>) -> Value {
    let inside = row_major(node.shape().only(parts).sizes());
    let stride = |name| match parts.iter().position(|&part| part == name).and_then(|i| inside.get(i)) {
        Some(within) => within * x.stride(from),
        None => x.stride(name),
    };
    Value { strides: node.shape().names().map(stride).collect(), ..x.value.clone() }
}

/// A view if one stride passes through all the axes, else a copy.
pub(super) fn merge(node: &Node, from: &[Name], into: Name, x: Operand<'_>) -> Result<Value> {
    if let Some(joint) = joint_stride(from, x) {
        let stride = |name| if name == into { joint } else { x.stride(name) };
        return Ok(Value { strides: node.shape().names().map(stride).collect(), ..x.value.clone() });
    }
    let parts: Vec<_> = x.shape.only(from).iter().collect();
    let order = node.shape().replaced(into, &parts);
    stored!(node.kind(), T => collected(node, x.elements::<T>(&order)))
}

/// The one stride that passes through all positions of the axes, the first named slowest, if there is one.
fn joint_stride(from: &[Name], x: Operand<'_>) -> Option<isize> {
    let mut joint: Option<(isize, isize)> = None;
    for &name in from.iter().rev() {
        let size = isize::try_from(x.shape.size(name)?).ok()?;
        joint = match joint {
            // No step is ever taken along an axis of size 1.
            _ if size == 1 => joint,
            None => Some((x.stride(name), size)),
            Some((step, count)) if x.stride(name) == step * count => Some((step, count * size)),
            Some(_) => return None,
        };
    }
    Some(joint.map_or(0, |(step, _)| step))
}

#[cfg(test)]
mod tests {
    use crate::error::ErrorKind;
    use crate::graph::evaluate::plainly;
    use crate::graph::testing::{A, B, C, D, axes, counting, error, laid_otherwise, read};

    #[test]
    fn two_names_are_swapped_at_once() {
        let x = counting(&[(A, 2), (B, 3)]);
        let y = x.rename(&[(A, B), (B, A)]);
        assert_eq!(axes(&y), [("a", 3), ("b", 2)]);
        assert_eq!(read(&y.at(B, 1)), read(&x.at(A, 1)));
    }

    #[test]
    fn renaming_onto_a_name_that_is_there_is_refused() {
        let x = counting(&[(A, 2), (B, 3)]);
        assert_eq!(error(&x.rename(&[(A, B)])).kind(), ErrorKind::Value);
        assert_eq!(error(&x.rename(&[(C, D)])).kind(), ErrorKind::Value);
        assert_eq!(error(&x.rename(&[(A, C), (A, D)])).kind(), ErrorKind::Value);
        assert_eq!(error(&x.merge(&[A], B)).kind(), ErrorKind::Value);
        assert_eq!(error(&x.split(A, &[(B, None)])).kind(), ErrorKind::Value);
    }

    #[test]
    fn the_first_named_is_the_slowest() {
        let x = counting(&[(A, 2), (B, 3)]);
        assert_eq!(read(&x.merge(&[A, B], C)), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(read(&x.merge(&[B, A], C)), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        assert_eq!(read(&laid_otherwise(&x).merge(&[B, A], A)), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        let layer = counting(&[(C, 6)]);
        assert_eq!(read(&layer.split(C, &[(A, Some(2)), (B, None)])), read(&x));
        assert_eq!(read(&layer.split(C, &[(B, None), (A, Some(2))]).at(A, 1)), [2.0, 4.0, 6.0]);
    }

    #[test]
    fn axes_between_others_merge_where_the_first_stood() {
        let x = counting(&[(A, 2), (B, 2), (C, 2)]);
        let y = x.merge(&[C, A], D);
        assert_eq!(axes(&y), [("b", 2), ("d", 4)]);
        // y(b, d = 2c + a) = x(a, b, c)
        assert_eq!(read(&y.at(B, 0)), [1.0, 5.0, 2.0, 6.0]);
        assert_eq!(read(&y.at(B, 1)), [3.0, 7.0, 4.0, 8.0]);
    }

    #[test]
    fn the_same_memory_serves_a_split_and_a_merge_along_one_stride() {
        let x = counting(&[(A, 2), (B, 6)]);
        let [split, whole, other] =
            [x.split(B, &[(C, Some(2)), (D, Some(3))]), x.merge(&[A, B], C), x.merge(&[B, A], C)];
        let values = plainly(&[x, split, whole, other]).unwrap();
        assert!(std::sync::Arc::ptr_eq(&values[0].buffer, &values[1].buffer));
        assert!(std::sync::Arc::ptr_eq(&values[0].buffer, &values[2].buffer));
        assert!(!std::sync::Arc::ptr_eq(&values[0].buffer, &values[3].buffer));
    }

    #[test]
    fn sizes_that_do_not_multiply_to_the_axis_are_told() {
        let x = counting(&[(A, 6)]);
        let clash = error(&x.split(A, &[(B, Some(4)), (C, None)]));
        assert_eq!(clash.kind(), ErrorKind::SizeClash);
        assert!(clash.to_string().contains("axis `a` of size 6 cannot become (b: 4, c)"), "{clash}");
        for parts in [[(B, Some(2)), (C, Some(2))], [(B, None), (C, None)], [(B, Some(0)), (C, None)]] {
            assert_eq!(error(&x.split(A, &parts)).kind(), ErrorKind::SizeClash);
        }
        assert_eq!(axes(&counting(&[(A, 0)]).split(A, &[(B, Some(4)), (C, None)])), [("b", 4), ("c", 0)]);
    }

    #[test]
    fn no_axes_merge_to_an_axis_of_size_one_and_it_splits_to_none() {
        let x = counting(&[(A, 2)]);
        let y = x.merge(&[], B);
        assert_eq!(axes(&y), [("a", 2), ("b", 1)]);
        assert_eq!(read(&y.split(B, &[])), [1.0, 2.0]);
    }
}
