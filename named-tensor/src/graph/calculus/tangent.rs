//! A differential on its way from a variable to a result: identities times a tensor.
//!
//! The differential of a variable X by itself is `I_{ax, ax*}`; as long as it stays a product with identities, a
//! contraction with it only renames:  `X ⊙_ax (I_{ax, ax*} Y) = X_{ax → ax*} Y`  (paper, row C6). So derivatives come
//! out as one would write them, and cost no more than that.
//! Lives here: that algebra. Not here: the rules of primitives (`forward`).

use smallvec::SmallVec;

use super::forms::{dot, minus, negative, number, plus, times};
use crate::axis::Name;
use crate::element::{Comparison, Kind};
use crate::graph::shape::Names;
use crate::graph::{Node, Shape};

/// `I_{a, a*} I_{b, b*} ... rest`
#[derive(Clone, Debug)]
pub(crate) struct Tangent {
    /// Pairs of axes of one size.
    identities: SmallVec<[(Name, Name, usize); 2]>,
    rest: Node,
}

impl Tangent {
    /// The tangent `node`.
    pub(crate) fn new(node: Node) -> Tangent {
        Tangent { identities: SmallVec::new(), rest: node }
    }

    /// The derivative of a variable of this kind by itself: identities between its axes and their stars.
    pub(crate) fn identity(kind: Kind, pairs: impl IntoIterator<Item = (Name, Name, usize)>) -> Tangent {
        Tangent { identities: pairs.into_iter().collect(), rest: Node::fill(kind, 1.0, Shape::default()) }
    }

    /// As one tensor.
    pub(crate) fn node(&self) -> Node {
        self.identities.iter().fold(self.rest.clone(), |product, &(axis, star, size)| {
            let identity = Node::iota(axis, size).compare(Comparison::Eq, &Node::iota(star, size));
            times(&product, &identity.cast(self.rest.kind()))
        })
    }

    /// Something of `rest` that leaves axes as they are, elementwise in them.
    pub(super) fn map(&self, change: impl FnOnce(&Node) -> Node) -> Tangent {
        Tangent { identities: self.identities.clone(), rest: change(&self.rest) }
    }

    /// `self * factor`
    pub(super) fn times(&self, factor: &Node) -> Tangent {
        self.map(|rest| times(factor, rest))
    }

    /// `-self`
    pub(super) fn negative(&self) -> Tangent {
        self.map(negative)
    }

    /// `self + other`
    pub(super) fn plus(&self, other: &Tangent) -> Tangent {
        if self.identities == other.identities {
            return self.map(|rest| plus(rest, &other.rest));
        }
        Tangent::new(plus(&self.node(), &other.node()))
    }

    /// `self - other`
    pub(super) fn minus(&self, other: &Tangent) -> Tangent {
        if self.identities == other.identities {
            return self.map(|rest| minus(rest, &other.rest));
        }
        Tangent::new(minus(&self.node(), &other.node()))
    }

    /// The axes that a change of `variable` has and `variable` itself has not.
    pub(super) fn further(&self, variable: &Node) -> Names {
        self.rest.shape().names().filter(|&name| !variable.shape().has(name)).collect()
    }

    /// Whether it has this axis.
    pub(super) fn has(&self, name: Name) -> bool {
        self.rest.shape().has(name) || self.identities.iter().any(|&(axis, ..)| axis == name)
    }

    /// Other names for axes. A starred axis is never among them.
    pub(crate) fn renamed(&self, pairs: &[(Name, Name)]) -> Tangent {
        let name = |old: Name| pairs.iter().find(|(from, _)| *from == old).map_or(old, |&(_, to)| to);
        let identities = self.identities.iter().map(|&(axis, star, size)| (name(axis), star, size)).collect();
        let there: Vec<_> = pairs.iter().copied().filter(|&(old, _)| self.rest.shape().has(old)).collect();
        Tangent { identities, rest: self.rest.rename(&there) }
    }

    /// Σ over `axes`, whose sizes are in `shape`.
    pub(super) fn total(&self, axes: &[Name], shape: &Shape) -> Tangent {
        self.dot(&number(&self.rest, 1.0), axes, shape)
    }

    /// `factor ⊙_axes self`; the sizes of the axes are in `shape`.
    pub(super) fn dot(&self, factor: &Node, axes: &[Name], shape: &Shape) -> Tangent {
        let (mut axes, mut factor, mut rest) = (Names::from_slice(axes), factor.clone(), self.rest.clone());
        let mut identities = self.identities.clone();
        // Σ_a I_{a, a*} X(a) = X(a*); without a in X it is X, the same all along a*.
        identities.retain(|&mut (axis, star, _)| {
            let summed = axes.contains(&axis);
            if summed {
                axes.retain(|other| *other != axis);
                let renamed = |x: &Node| if x.shape().has(axis) { x.rename(&[(axis, star)]) } else { x.clone() };
                (factor, rest) = (renamed(&factor), renamed(&rest));
            }
            !summed
        });
        Tangent { identities, rest: dot(&factor, &rest, &axes, shape) }
    }
}
