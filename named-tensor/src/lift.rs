//! Lifting: a function on a small shape, applied over all other axes of its arguments.
//!
//! For f : ℝ^S₁ × ... → ℝ^U applied to X₁\[A₁\], ..., every axis of Aᵢ beyond Sᵢ is renamed to a fresh one on entry, so
//! that it meets no axis of the body, of a parameter or of another argument's declared type; extras of one name get
//! one fresh name, so they stay aligned; on exit the names come back. (Paper, section "Lifting"; rule 3.)
//! Calls inside of the body keep these.
//! A function of numbers whose body names no axis keeps the names: there is nothing that they could meet.
//! Lives here: entering and leaving, the only place that knows a tensor may have more axes than its type says.
//! Not here: the types (`axes::rules::Avoids`), the primitives, which carry further axes along by themselves.

use std::panic::Location;

use smallvec::SmallVec;

use crate::axes::Axes;
use crate::axes::selector::Selector;
use crate::axis::{Axis, Name};
use crate::element::Element;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::shape::Names;
use crate::graph::{Node, Shape};
use crate::tensor::Tensor;

/// One call of a lifted function.
#[derive(Debug)]
pub struct Lift {
    function: &'static str,
    extras: SmallVec<[Extra; 4]>,
    /// Axis parameters.
    stand_ins: SmallVec<[StandIn; 1]>,
    /// Two arguments with one extra axis of two sizes.
    error: Option<Error>,
    /// How many errors there were before this call: an argument or a parameter may carry one of them.
    errors: u64,
    /// Whether extra axes keep their names in the body.
    keeps_names: bool,
}

/// An axis beyond the declared ones: its name outside, the fresh one inside, its size.
#[derive(Debug)]
struct Extra {
    outside: Name,
    inside: Name,
    size: usize,
}

/// An axis of the body, the axes outside that it stands for, and their sizes once an argument has shown them.
#[derive(Debug)]
struct StandIn {
    inside: Name,
    outside: Names,
    sizes: Option<SmallVec<[usize; 4]>>,
}

/// The axes of a lifted result: U ∪ (A₀ ∖ S₀) ∪ (A₁ ∖ S₁) ∪ ..., written `Lifted<(A0, A1), fn(S0, S1) -> U>`.
pub type Lifted<A, F> = <F as Signature<A>>::Result;

/// A function's declared axes, `fn(S0, S1) -> U`, applied to arguments with the axes `A`.
pub trait Signature<A> {
    /// The axes of the result.
    type Result: Axes;
}

macro_rules! signatures {
    ($($($argument:ident $declared:ident)*;)*) => {$(
        impl<U: Axes, $($argument: Axes, $declared: Axes),*> Signature<($($argument,)*)> for fn($($declared),*) -> U {
            type Result = signatures!(@ U, $($argument $declared)*);
        }
    )*};
    (@ $set:ty,) => { $set };
    (@ $set:ty, $argument:ident $declared:ident $($rest:tt)*) => {
        signatures!(@ <$argument as Axes>::Lifted<$declared, $set>, $($rest)*)
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
        Lift {
            function,
            extras: SmallVec::new(),
            stand_ins: SmallVec::new(),
            error: None,
            errors: Error::count(),
            keeps_names: false,
        }
    }

    /// A call of a function of numbers, whose body names no axis and calls nothing that could: no name of an extra axis can
    /// meet one of its own, so all keep theirs.
    #[must_use]
    pub fn of_numbers(function: &'static str) -> Lift {
        Lift { keeps_names: true, ..Lift::new(function) }
    }

    /// Lets the axis `Inside` of the body stand for the axes `Outside` of the arguments.
    pub fn stand_for<Inside: Axis, Outside: Selector>(&mut self) {
        let inside = Name::of::<Inside>();
        self.stand_ins.push(StandIn { inside, outside: Outside::names(), sizes: None });
    }

    /// The argument as the body sees it, with the declared axes `S` and, unseen, its extra axes under fresh names.
    #[must_use]
    #[track_caller]
    pub fn enter<A: Axes, S: Axes, T: Element>(&mut self, argument: &Tensor<A, T>) -> Tensor<S, T> {
        self.entered(argument.node(), &S::names()).map_or_else(Tensor::failed, Tensor::from_node)
    }

    /// The result as the caller sees it: the extra axes under their own names, and all of them, even those it does not
    /// depend on. `R` is [`Lifted`].
    #[must_use]
    #[track_caller]
    pub fn exit<U: Axes, R: Axes, T: Element>(&self, result: Tensor<U, T>) -> Tensor<R, T> {
        self.left(result.node()).map_or_else(Tensor::failed, Tensor::from_node)
    }

    // What follows is compiled once for the tensors of all types.

    /// The node of an argument as the body sees it.
    #[track_caller]
    fn entered(&mut self, argument: &Node, declared: &[Name]) -> Result<Node> {
        let stands = |stand_in: &&mut StandIn| declared.contains(&stand_in.inside);
        let mut kept: Names =
            declared.iter().copied().filter(|&name| self.stand_ins.iter().all(|s| s.inside != name)).collect();
        kept.extend(self.stand_ins.iter_mut().filter(stands).flat_map(|stand_in| stand_in.outside.clone()));

        let extra: SmallVec<[(Name, usize); 4]> =
            argument.shape().iter().filter(|(name, _)| !kept.contains(name)).collect();
        let mut pairs: SmallVec<[(Name, Name); 4]> = SmallVec::new();
        for (name, size) in extra {
            // Not in a closure, which would hide from errors where the call was written.
            pairs.push((name, self.inside(name, size)));
        }
        let mut node = renamed(argument, &pairs);
        for stand_in in self.stand_ins.iter_mut().filter(stands) {
            match stand_in.enter(&node, self.function) {
                Ok(entered) => node = entered,
                Err(error) => {
                    self.error.get_or_insert(error.at(Location::caller()));
                }
            }
        }
        self.error.clone().map_or(Ok(node), Err)
    }

    /// The node of the result as the caller sees it.
    #[track_caller]
    fn left(&self, result: &Node) -> Result<Node> {
        if let Some(error) = self.error.as_ref().or(result.error()) {
            let error = error.clone();
            return Err(if error.was_among(self.errors) { error } else { error.in_equation(self.function) });
        }
        let mut node = result.clone();
        for stand_in in &self.stand_ins {
            node = stand_in.exit(&node);
        }
        let lost = self.extras.iter().filter(|extra| !node.shape().has(extra.inside));
        let lost: SmallVec<[(Name, usize); 4]> = lost.map(|extra| (extra.inside, extra.size)).collect();
        if !lost.is_empty() {
            node = node.spread(Shape::new(lost));
        }
        let pairs: SmallVec<[(Name, Name); 4]> =
            self.extras.iter().map(|extra| (extra.inside, extra.outside)).collect();
        Ok(renamed(&node, &pairs))
    }

    /// The name of an extra axis in the body.
    #[track_caller]
    fn inside(&mut self, outside: Name, size: usize) -> Name {
        let Some(known) = self.extras.iter().find(|extra| extra.outside == outside) else {
            // What a lifted function calls keeps the fresh names: they meet nothing, and tensors that are no arguments of the
            // call, such as its parameters, may have the same axes.
            let inside = if self.keeps_names || outside.is_fresh() { outside } else { outside.freshened() };
            self.extras.push(Extra { outside, inside, size });
            return inside;
        };
        let (inside, first) = (known.inside, known.size);
        if first != size {
            let error = clash(self.function, outside, first, size);
            self.error.get_or_insert(error.at(Location::caller()));
        }
        inside
    }
}

/// Two arguments of a function have an axis in two sizes.
fn clash(function: &str, axis: Name, one: usize, other: usize) -> Error {
    let message = format!(
        "sizes clash among the arguments of `{function}`: axis `{axis}` has size {one} in one, {other} in another"
    );
    Error::new(ErrorKind::SizeClash, message)
}

impl StandIn {
    /// The axes outside become the one inside. Several arguments must agree on each of their sizes.
    #[track_caller]
    fn enter(&mut self, node: &Node, function: &str) -> Result<Node> {
        let sizes: SmallVec<[usize; 4]> =
            self.outside.iter().map(|&name| node.shape().size(name).unwrap_or(0)).collect();
        let known = self.sizes.get_or_insert_with(|| sizes.clone());
        if let Some(place) = (0..sizes.len()).find(|&place| known[place] != sizes[place]) {
            return Err(clash(function, self.outside[place], known[place], sizes[place]));
        }
        Ok(match self.outside.as_slice() {
            [only] => renamed(node, &[(*only, self.inside)]),
            several => node.merge(several, self.inside),
        })
    }

    /// The axis inside becomes those outside.
    #[track_caller]
    fn exit(&self, node: &Node) -> Node {
        let Some(sizes) = self.sizes.as_ref().filter(|_| node.shape().has(self.inside)) else {
            return node.clone();
        };
        match self.outside.as_slice() {
            [only] => renamed(node, &[(self.inside, *only)]),
            several => {
                let sizes = sizes.iter().map(|&size| Some(size));
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
