//! Structs of the same parameters: which one of another struct belongs to which.
//!
//! Two values of one type may differ in their parameters: where one of them may be missing (`b: R[out]?`), and in the length
//! of a list. So they are paired by their names. Not here: what is done with pairs.

use super::Parameters;
use crate::element::Real;
use crate::error::{Error, ErrorKind};
use crate::graph::Node;
use crate::graph::ids::no_ids;

/// The node of a struct's parameter for each of these names, in their order; none where it has no such parameter.
pub(super) fn by_name<P: Parameters<T>, T: Real>(names: &[String], of: &P) -> Vec<Option<Node>> {
    let mut found = vec![None; names.len()];
    let mut place = 0;
    of.each(|parameter| {
        // As a rule they stand in the same places.
        let is_named = |name: &String| is_same(name, parameter.name);
        let same = names.get(place).is_some_and(is_named);
        let at = if same { Some(place) } else { names.iter().position(is_named) };
        if let Some(at) = at {
            found[at].get_or_insert_with(|| parameter.node().clone());
        }
        place += 1;
    });
    found
}

/// Whether two names are the same. Byte by byte: both were written just now, and a processor that reads in one go what was stored
/// in several waits for it, longer than all letters take.
fn is_same(name: &str, other: &str) -> bool {
    name.len() == other.len() && name.bytes().eq(other.bytes())
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

/// Adds the parameters of a struct as variables: a failed one where a tensor stands for two of them.
#[track_caller]
pub(crate) fn variables<P: Parameters<T>, T: Real>(of: &P, into: &mut Vec<Node>) {
    let start = into.len();
    of.each(|parameter| into.push(parameter.node().clone()));
    let nodes = &mut into[start..];
    // Most variables are tensors, which are alone.
    if nodes.len() < 2 {
        return;
    }
    let (place, mut seen) = (std::panic::Location::caller(), no_ids());
    for i in 0..nodes.len() {
        if !seen.insert(nodes[i].id())
            && let Some(first) = nodes.iter().position(|node| node.id() == nodes[i].id())
        {
            nodes[i] = Node::failed(one_tensor(&names(of), first, i).at(place), T::KIND);
        }
    }
}

/// The parameters with these numbers are one tensor.
fn one_tensor(names: &[String], first: usize, second: usize) -> Error {
    let message = format!(
        "parameters `{}` and `{}` are the same tensor: each would get what both owe, and then change alone. Let one \
         parameter serve both places, or give one of them numbers of its own: `.eval()?`",
        names[first], names[second]
    );
    Error::new(ErrorKind::Value, message)
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
