//! What axes are called in a product, which is written in parts of a graph that may call them otherwise.
//!
//! An axis that a part sums is nobody else's, whatever it is called there.
//! Not here: what the parts are (`product`).

use smallvec::SmallVec;

use crate::axis::Name;
use crate::graph::Shape;

/// Names in a part of the graph, and what they are called in the product. In the first scope they are called alike.
#[derive(Default)]
pub(super) struct Scopes {
    all: SmallVec<[Vec<(Name, Name)>; 2]>,
}

impl Scopes {
    /// The scope in which these names are called as those are in another one.
    pub(super) fn add(&mut self, scope: usize, inner: &Shape, outer: &Shape) -> usize {
        let pairs = inner.names().zip(outer.names()).collect::<Vec<_>>();
        let pairs = pairs.into_iter().map(|(inner, outer)| (inner, self.outside(scope, outer))).collect();
        self.all.push(pairs);
        self.all.len()
    }

    pub(super) fn outside(&mut self, scope: usize, name: Name) -> Name {
        let Some(names) = scope.checked_sub(1).map(|at| &mut self.all[at]) else { return name };
        if let Some(&(_, known)) = names.iter().find(|&&(inner, _)| inner == name) {
            return known;
        }
        // It is summed in here.
        let fresh = name.freshened();
        names.push((name, fresh));
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
