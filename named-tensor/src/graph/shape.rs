//! A named shape: which axes there are and how many positions each has.
//!
//! The order in which a shape lists its axes has no meaning; it is only where a layout starts from.
//! Lives here: lookup, union, and the checks of sizes. Not here: strides (`value`), sets in types (`axes`).

use std::cell::RefCell;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use smallvec::SmallVec;

use crate::axis::Name;
use crate::error::{Error, ErrorKind, Result};

/// A few axes. Most operations go along one or two, and every node holds these.
pub type Names = SmallVec<[Name; 2]>;

/// The same names in a list of their own. As a rule there is one, and to copy so many bytes as there are takes longer.
#[inline]
pub(super) fn listed(names: &[Name]) -> Names {
    if let &[name] = names { one(name) } else { Names::from_slice(names) }
}

/// One name as a list.
#[inline]
fn one(name: Name) -> Names {
    Names::from_buf_and_len([name, name], 1)
}

/// Axes with their sizes, each name once. Cheap to clone: every node has a shape, and most have that of an input.
#[derive(Clone, Eq)]
pub struct Shape(Arc<[(Name, usize)]>);

/// So many of the last shapes are known to a thread.
const MANY: usize = 32;

thread_local! {
    /// The last shapes that were made, each at its place: a program makes the same ones again and again, and to find one
    /// costs less than memory for it.
    static KNOWN: RefCell<[Option<Shape>; MANY]> = const { RefCell::new([const { None }; MANY]) };
}

/// Where a shape is looked for.
fn place(axes: &[(Name, usize)]) -> usize {
    /// 2⁶⁴ / φ, whose product spreads the low bits upwards.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let digest = axes.iter().fold(0, |digest: u64, &(name, size)| {
        (digest.rotate_left(5) ^ name.number() ^ size as u64).wrapping_mul(SPREAD)
    });
    (digest >> 32) as usize % MANY
}

/// Axes on their way to be a shape.
type Axes = SmallVec<[(Name, usize); 8]>;

impl Default for Shape {
    /// No axes.
    fn default() -> Shape {
        Shape(Arc::default())
    }
}

impl PartialEq for Shape {
    #[inline]
    fn eq(&self, other: &Shape) -> bool {
        self.is(other) || self.0 == other.0
    }
}

impl Hash for Shape {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl Shape {
    /// A shape of these axes. The names are unlike each other, which debug builds check.
    #[must_use]
    pub fn new(axes: impl IntoIterator<Item = (Name, usize)>) -> Shape {
        // One by one into place: there are few, and to collect them would move them.
        let mut list = Axes::new();
        axes.into_iter().for_each(|axis| list.push(axis));
        Shape::listed(&list)
    }

    fn listed(axes: &[(Name, usize)]) -> Shape {
        debug_assert!(
            axes.iter().enumerate().all(|(i, (name, _))| axes.iter().skip(i + 1).all(|(other, _)| name != other)),
            "an axis stands twice in a shape: {axes:?}"
        );
        // Fresh names are never met again: their shapes would take the places of others.
        if axes.iter().any(|(name, _)| name.is_fresh()) {
            return Shape(Arc::from(axes));
        }
        let known = KNOWN.try_with(|known| {
            let place = &mut known.borrow_mut()[place(axes)];
            match place {
                Some(shape) if *shape.0 == *axes => shape.clone(),
                _ => place.insert(Shape(Arc::from(axes))).clone(),
            }
        });
        known.unwrap_or_else(|_| Shape(Arc::from(axes)))
    }

    /// Whether both are one in memory. Shapes that are equal need not be.
    #[inline]
    #[must_use]
    pub fn is(&self, other: &Shape) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The axes in the order listed.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Name, usize)> + ExactSizeIterator + '_ {
        self.0.iter().copied()
    }

    /// The names in the order listed.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = Name> + ExactSizeIterator + '_ {
        self.0.iter().map(|&(name, _)| name)
    }

    /// The sizes in the order listed.
    pub fn sizes(&self) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator + '_ {
        self.0.iter().map(|&(_, size)| size)
    }

    /// Without the axes that stand for others, outside of a lifted function.
    #[must_use]
    pub fn own(&self) -> Shape {
        if self.names().any(Name::is_fresh) {
            Shape::new(self.iter().filter(|(name, _)| !name.is_fresh()))
        } else {
            self.clone()
        }
    }

    /// How many axes there are.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// Where `name` is listed.
    #[must_use]
    pub fn position(&self, name: Name) -> Option<usize> {
        self.0.iter().position(|&(other, _)| other == name)
    }

    /// The size of the axis `name`.
    #[must_use]
    pub fn size(&self, name: Name) -> Option<usize> {
        self.0.iter().find(|&&(other, _)| other == name).map(|&(_, size)| size)
    }

    /// Whether the axis is there.
    #[must_use]
    pub fn has(&self, name: Name) -> bool {
        self.position(name).is_some()
    }

    /// How many elements a tensor of this shape has. Nodes exist only where neither this overflows nor a product of some
    /// of the sizes, which an empty axis hides.
    #[must_use]
    pub fn elements(&self) -> usize {
        self.sizes().product()
    }

    /// The axes other than `names`.
    #[must_use]
    pub fn without(&self, names: &[Name]) -> Shape {
        Shape::new(self.iter().filter(|(name, _)| !names.contains(name)))
    }

    /// The axes among `names`, in the order of `names`.
    #[must_use]
    pub fn only(&self, names: &[Name]) -> Shape {
        Shape::new(names.iter().filter_map(|&name| Some((name, self.size(name)?))))
    }

    /// This shape and one more axis at the end.
    #[must_use]
    pub fn with(&self, name: Name, size: usize) -> Shape {
        Shape::new(self.iter().chain([(name, size)]))
    }

    /// This shape with the axes `parts` where `name` stood.
    #[must_use]
    pub fn replaced(&self, name: Name, parts: &[(Name, usize)]) -> Shape {
        let at = self.position(name).unwrap_or(self.rank());
        let (before, after) = self.0.split_at(at);
        Shape::new(before.iter().chain(parts).chain(after.iter().skip(1)).copied())
    }

    /// Rule 1, union: the axes of both, a shared name having one size.
    ///
    /// The operand that has all axes of the other keeps its order; else the left one's come first.
    ///
    /// # Errors
    /// A shared axis with two sizes.
    pub fn union(&self, other: &Shape, operation: &str) -> Result<Shape> {
        if self == other {
            return Ok(self.clone());
        }
        self.agree(other, operation)?;
        let (first, second) = if self.names().all(|name| other.has(name)) { (other, self) } else { (self, other) };
        if second.names().all(|name| first.has(name)) {
            return Ok(first.clone());
        }
        Ok(Shape::new(first.iter().chain(second.iter().filter(|&(name, _)| !first.has(name)))))
    }

    /// Rule 2: the union of what both have beside `axes`, all shared axes having one size.
    ///
    /// # Errors
    /// A shared axis with two sizes.
    pub fn contracted(&self, other: &Shape, axes: &[Name], operation: &str) -> Result<Shape> {
        // Every node of a product comes by here: plain loops, and each name looked up once.
        let mut list = Axes::new();
        // Where the axes of both stand in the other, and whether there are some here alone.
        let (mut shared, mut own) = (SmallVec::<[usize; 8]>::new(), false);
        for (name, left) in self.iter() {
            let at = other.position(name);
            if let Some(at) = at {
                let right = other.0[at].1;
                if left != right {
                    return Err(Error::size_clash(operation, name.text(), left, right));
                }
                shared.push(at);
            }
            if !axes.contains(&name) {
                list.push((name, left));
                own |= at.is_none();
            }
        }
        // The operand that has all the axes of the other keeps its order, as in a union.
        if !own {
            list.clear();
            shared.clear();
        }
        for (at, &axis) in other.0.iter().enumerate() {
            if !shared.contains(&at) && !axes.contains(&axis.0) {
                list.push(axis);
            }
        }
        Ok(Shape::listed(&list))
    }

    /// Refuses a shared axis with two sizes.
    fn agree(&self, other: &Shape, operation: &str) -> Result<()> {
        for (name, left) in self.iter() {
            if let Some(right) = other.size(name)
                && left != right
            {
                return Err(Error::size_clash(operation, name.text(), left, right));
            }
        }
        Ok(())
    }

    /// Refuses a shape whose elements cannot be counted, or would not fit in the address space. Of an empty one the sizes of
    /// the other axes are to be counted together, since axes are looked at alone and merged.
    ///
    /// # Errors
    /// Too large for memory.
    pub fn checked(self, operation: &str) -> Result<Shape> {
        let counted = self.sizes().filter(|&size| size > 0).try_fold(1, usize::checked_mul);
        let is_held = |count: usize| count.checked_mul(8).is_some_and(|bytes| isize::try_from(bytes).is_ok());
        if counted.is_some_and(|count| is_held(count) || self.sizes().any(|size| size == 0)) {
            return Ok(self);
        }
        let message = format!("too large for memory: the result of `{operation}` would have the shape {self}");
        Err(Error::new(ErrorKind::TooLarge, message))
    }
}

/// Prints as `[seq: 5, key: 64]`.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, (name, size)) in self.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{name}: {size}")?;
        }
        f.write_str("]")
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::testing::{A, B, C, D};

    #[test]
    fn union_keeps_the_order_of_the_operand_that_has_all_axes() {
        let (small, large) = (Shape::new([(B, 3)]), Shape::new([(A, 2), (B, 3)]));
        assert_eq!(small.union(&large, "+").unwrap(), large);
        assert_eq!(large.union(&small, "+").unwrap(), large);
        let other = Shape::new([(C, 4), (A, 2)]);
        assert_eq!(large.union(&other, "+").unwrap(), Shape::new([(A, 2), (B, 3), (C, 4)]));
        assert!(large.union(&Shape::new([(B, 4)]), "+").is_err());
    }

    #[test]
    fn a_shape_that_was_made_just_now_is_not_made_again() {
        let axes = [(A, 2), (B, 3)];
        assert!(Shape::new(axes).is(&Shape::new(axes)), "one in memory");
        for size in 0..200 {
            let shape = Shape::new([(A, size), (B, 3)]);
            assert_eq!(shape.size(A), Some(size), "whatever else is known");
            assert!(shape.is(&Shape::new([(A, size), (B, 3)])));
        }
        assert_eq!(Shape::new(axes).size(A), Some(2));
    }

    #[test]
    fn a_contraction_keeps_the_order_of_the_operand_that_has_all_other_axes() {
        let of = |axes: &[(Name, usize)]| Shape::new(axes.iter().copied());
        let (small, large) = (of(&[(B, 3), (C, 4)]), of(&[(A, 2), (B, 3), (C, 4)]));
        assert_eq!(small.contracted(&large, &[C], "dot").unwrap(), of(&[(A, 2), (B, 3)]));
        assert_eq!(large.contracted(&small, &[C], "dot").unwrap(), of(&[(A, 2), (B, 3)]));
        let other = of(&[(C, 4), (A, 2)]);
        assert_eq!(small.contracted(&other, &[C], "dot").unwrap(), of(&[(B, 3), (A, 2)]));
        assert_eq!(other.contracted(&small, &[], "dot").unwrap(), of(&[(C, 4), (A, 2), (B, 3)]));
        assert!(other.contracted(&of(&[(C, 5)]), &[], "dot").is_err());
    }

    #[test]
    fn an_empty_axis_makes_all_other_sizes_fit_that_can_be_counted_together() {
        let huge = Shape::new([(A, usize::MAX), (B, 1)]);
        assert_eq!(huge.clone().checked("+").unwrap_err().kind(), ErrorKind::TooLarge);
        assert_eq!(huge.clone().with(C, 0).checked("+").unwrap().elements(), 0);
        assert_eq!(huge.with(C, 2).with(D, 0).checked("+").unwrap_err().kind(), ErrorKind::TooLarge);
        assert_eq!(Shape::default().elements(), 1);
    }

    #[test]
    fn an_axis_is_replaced_where_it_stood() {
        let shape = Shape::new([(A, 2), (B, 6)]);
        assert_eq!(shape.replaced(A, &[]), Shape::new([(B, 6)]));
        assert_eq!(shape.replaced(A, &[(C, 1), (A, 2)]), Shape::new([(C, 1), (A, 2), (B, 6)]));
        assert_eq!(shape.only(&[B, C, A]), Shape::new([(B, 6), (A, 2)]));
        assert_eq!(shape.to_string(), "[a: 2, b: 6]");
    }
}
