//! Lifting: a function on a small shape, applied over all other axes of its arguments.
//!
//! For f : ℝ^S₁ × ... → ℝ^U applied to X₁\[A₁\], ..., every axis of Aᵢ beyond Sᵢ is renamed to a fresh one on entry, so
//! that it meets no axis of the body, of a parameter or of another argument's declared type; extras of one name get
//! one fresh name, so they stay aligned; on exit the names come back. (Paper, section "Lifting"; rule 3.)
//! Lives here: entering and leaving, the only place that knows a tensor may have more axes than its type says.
//! Not here: the types (`axes::rules::Avoids`), the primitives, which carry further axes along by themselves.

use smallvec::SmallVec;

use crate::axes::Axes;
use crate::axes::selector::Selector;
use crate::axes::set::{IfHas, Minus, Union};
use crate::axis::{Axis, Name};
use crate::element::Element;
use crate::graph::Node;
use crate::graph::shape::Names;
use crate::tensor::Tensor;

/// One call of a lifted function.
#[derive(Debug)]
pub struct Lift {
    function: &'static str,
    /// Extra axes: the name outside and the fresh name inside.
    extras: SmallVec<[(Name, Name); 4]>,
    /// Axis parameters: the axis of the body, the axes outside that it stands for, and their sizes once seen.
    stand_ins: SmallVec<[StandIn; 1]>,
}

#[derive(Debug)]
struct StandIn {
    inside: Name,
    outside: Names,
    sizes: SmallVec<[usize; 4]>,
}

/// The axes of a lifted result: U ∪ (A₀ ∖ S₀) ∪ (A₁ ∖ S₁) ∪ ..., written `Lifted<(A0, A1), fn(S0, S1) -> U>`.
pub type Lifted<A, F> = <F as Signature<A>>::Result;

/// A function's declared axes, `fn(S0, S1) -> U`, applied to arguments with the axes `A`.
pub trait Signature<A> {
    /// The axes of the result.
    type Result: Axes;
}

/// `R ∪ (A ∖ S)`, if A has S.
pub type Joined<R, A, S> = IfHas<A, S, Union<R, Minus<A, S>>>;

macro_rules! signatures {
    ($($($argument:ident $declared:ident)*;)*) => {$(
        impl<U: Axes, $($argument: Axes, $declared: Axes),*> Signature<($($argument,)*)> for fn($($declared),*) -> U {
            type Result = signatures!(@ U, $($argument $declared)*);
        }
    )*};
    (@ $set:ty,) => { $set };
    (@ $set:ty, $argument:ident $declared:ident $($rest:tt)*) => {
        signatures!(@ Joined<$set, $argument, $declared>, $($rest)*)
    };
}

signatures! {
    ;
    A0 S0;
    A0 S0 A1 S1;
    A0 S0 A1 S1 A2 S2;
    A0 S0 A1 S1 A2 S2 A3 S3;
    A0 S0 A1 S1 A2 S2 A3 S3 A4 S4;
    A0 S0 A1 S1 A2 S2 A3 S3 A4 S4 A5 S5;
    A0 S0 A1 S1 A2 S2 A3 S3 A4 S4 A5 S5 A6 S6;
    A0 S0 A1 S1 A2 S2 A3 S3 A4 S4 A5 S5 A6 S6 A7 S7;
}

impl Lift {
    /// A call of `function`.
    #[must_use]
    pub fn new(function: &'static str) -> Lift {
        Lift { function, extras: SmallVec::new(), stand_ins: SmallVec::new() }
    }

    /// Lets the axis `Inside` of the body stand for the axes `Outside` of the arguments.
    pub fn stand_for<Inside: Axis, Outside: Selector>(&mut self) {
        let inside = Name::declared(Inside::NAME);
        self.stand_ins.push(StandIn { inside, outside: Outside::names(), sizes: SmallVec::new() });
    }

    /// The argument as the body sees it, with the declared axes `S` and, unseen, its extra axes under fresh names.
    #[must_use]
    #[track_caller]
    pub fn enter<A: Axes, S: Axes, T: Element>(&mut self, argument: &Tensor<A, T>) -> Tensor<S, T> {
        let declared = S::names();
        let stands = |stand_in: &&mut StandIn| declared.contains(&stand_in.inside);
        let mut kept: Names =
            declared.iter().copied().filter(|&name| self.stand_ins.iter().all(|s| s.inside != name)).collect();
        kept.extend(self.stand_ins.iter_mut().filter(stands).flat_map(|stand_in| stand_in.outside.clone()));

        let extra: Names = argument.node().shape().names().filter(|name| !kept.contains(name)).collect();
        let pairs: SmallVec<[(Name, Name); 4]> = extra.into_iter().map(|name| (name, self.inside(name))).collect();
        let mut node = renamed(argument.node(), &pairs);
        for stand_in in self.stand_ins.iter_mut().filter(stands) {
            node = stand_in.enter(&node);
        }
        Tensor::from_node(node)
    }

    /// The result as the caller sees it: the extra axes under their own names. `R` is [`Lifted`].
    #[must_use]
    #[track_caller]
    pub fn exit<U: Axes, R: Axes, T: Element>(&self, result: Tensor<U, T>) -> Tensor<R, T> {
        let mut node = result.node().clone();
        for stand_in in &self.stand_ins {
            node = stand_in.exit(&node);
        }
        let there = |(_, inside): &&(Name, Name)| node.shape().has(*inside);
        let pairs: SmallVec<[(Name, Name); 4]> =
            self.extras.iter().filter(there).map(|&(outside, inside)| (inside, outside)).collect();
        match node.error() {
            Some(error) => Tensor::failed(error.clone().in_equation(self.function)),
            None => Tensor::from_node(renamed(&node, &pairs)),
        }
    }

    /// The fresh name of an extra axis.
    fn inside(&mut self, outside: Name) -> Name {
        if let Some(&(_, inside)) = self.extras.iter().find(|(name, _)| *name == outside) {
            return inside;
        }
        let inside = outside.freshened();
        self.extras.push((outside, inside));
        inside
    }
}

impl StandIn {
    /// The axes outside become the one inside.
    #[track_caller]
    fn enter(&mut self, node: &Node) -> Node {
        self.sizes = self.outside.iter().map(|&name| node.shape().size(name).unwrap_or(0)).collect();
        match self.outside.as_slice() {
            [only] => renamed(node, &[(*only, self.inside)]),
            several => node.merge(several, self.inside),
        }
    }

    /// The axis inside becomes those outside.
    #[track_caller]
    fn exit(&self, node: &Node) -> Node {
        if !node.shape().has(self.inside) {
            return node.clone();
        }
        match self.outside.as_slice() {
            [only] => renamed(node, &[(self.inside, *only)]),
            several => {
                let sizes = self.sizes.iter().map(|&size| Some(size));
                node.split(self.inside, &several.iter().copied().zip(sizes).collect::<Vec<_>>())
            }
        }
    }
}

/// The node under other names, if any differ.
#[track_caller]
fn renamed(node: &Node, pairs: &[(Name, Name)]) -> Node {
    if pairs.iter().all(|(from, to)| from == to) { node.clone() } else { node.rename(pairs) }
}
