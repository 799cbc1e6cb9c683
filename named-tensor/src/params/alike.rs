//! Structs of the same parameters: which one of another struct belongs to which.
//!
//! Two values of one type may differ in their parameters: where one of them may be missing (`b: R[out]?`), and in the length
//! of a list. So they are paired by their names. Not here: what is done with pairs.

use super::Parameters;
use crate::element::Real;
use crate::error::{Error, ErrorKind};
use crate::graph::Node;

/// The node of a struct's parameter for each of these names, in their order; none where it has no such parameter.
pub(super) fn by_name<P: Parameters<T>, T: Real>(names: &[String], of: &P) -> Vec<Option<Node>> {
    let mut all = Vec::new();
    of.each(|parameter| all.push((parameter.name.to_owned(), parameter.node().clone())));
    let named = |at: usize, name: &String| all.get(at).filter(|(found, _)| found == name);
    // As a rule they stand in the same places.
    let find = |(at, name)| named(at, name).or_else(|| all.iter().find(|(found, _)| found == name));
    names.iter().enumerate().map(|of| find(of).map(|(_, node)| node.clone())).collect()
}

/// The names of all parameters of a struct.
pub(super) fn names<P: Parameters<T>, T: Real>(of: &P) -> Vec<String> {
    let mut names = Vec::new();
    of.each(|parameter| names.push(parameter.name.to_owned()));
    names
}

/// The parameter `name` is missing in `place`, one of the structs that `operation` was given.
pub(super) fn missing(operation: &str, name: &str, place: &str) -> Error {
    Error::new(ErrorKind::Value, format!("parameters clash in `{operation}`: `{name}` is missing in {place}"))
}

/// The changes of a struct's parameters, in their order: a failed one for a parameter that has none, and for one that changes
/// and is not there.
#[track_caller]
pub(crate) fn changes<P: Parameters<T>, T: Real>(of: &P, changes: &P) -> Vec<Node> {
    let place = std::panic::Location::caller();
    let failed = |name: &str, lacks: &str| Node::failed(missing("jvp", name, lacks).at(place), T::KIND);
    let (own, others) = (names(of), names(changes));
    let found = by_name(&own, changes).into_iter().zip(&own);
    let mut nodes: Vec<_> = found.map(|(node, name)| node.unwrap_or_else(|| failed(name, "the changes"))).collect();
    if let Some(name) = others.iter().find(|name| !own.contains(name)) {
        nodes.push(failed(name, "the variables"));
    }
    nodes
}
