//! What axes are called in a product, which is written in parts of a graph that may call them otherwise.
//!
//! An axis that a part sums is nobody else's, whatever it is called there.
//! Not here: what the parts are (`product`).

use smallvec::SmallVec;

use crate::axis::Name;
use crate::graph::Shape;

/// Names in parts of the graph, and what they are called in the product. In the first scope they are called alike.
#[derive(Default)]
pub(super) struct Scopes {
    all: SmallVec<[Scope; 2]>,
}

/// Names in what is computed with a node.
struct Scope {
    node: u32,
    names: Vec<(Name, Name)>,
}

impl Scopes {
    /// The scope, for what a node is computed with, in which these names are called as those are in another one.
    pub(super) fn add(&mut self, scope: usize, node: u32, inner: &Shape, outer: &Shape) -> usize {
        let pairs = inner.names().zip(outer.names()).collect::<Vec<_>>();
        let names = pairs.into_iter().map(|(inner, outer)| (inner, self.outside(scope, outer))).collect();
        self.all.push(Scope { node, names });
        self.all.len()
    }

    pub(super) fn outside(&mut self, scope: usize, name: Name) -> Name {
        let Some(at) = scope.checked_sub(1) else { return name };
        let Scope { node, names } = &self.all[at];
        if let Some(&(_, known)) = names.iter().find(|&&(inner, _)| inner == name) {
            return known;
        }
        // It is summed in here, and is called so wherever the node is: products that have it in common share what it is made of.
        let again = self.all[..at].iter().filter(|scope| scope.node == *node).count();
        let fresh = name.at(u64::from(*node) << 16 | (again << 8 | names.len()) as u64);
        self.all[at].names.push((name, fresh));
        fresh
    }

    pub(super) fn shape(&mut self, scope: usize, shape: &Shape) -> Shape {
        if scope == 0 {
            shape.clone()
        } else {
            Shape::new(shape.iter().map(|(name, size)| (self.outside(scope, name), size)))
        }
    }
}
