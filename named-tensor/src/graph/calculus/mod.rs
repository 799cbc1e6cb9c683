//! The calculus of the notation: from a graph to the graph of its derivative (paper, section "Differential calculus").
//!
//! The differential of each primitive says how a change of its inputs changes its result; it is swept from variables to
//! results (`forward`). Its adjoint says what a change of the result owes to each input; it is swept from results
//! to variables (`reverse`). Both sweeps make nodes like any other, so derivatives of derivatives come free.
//!
//! An axis along which a differential is the same may be missing in it, as a union would repeat it. An axis that it has
//! beyond those of its node is carried along untouched: a starred axis of the variable, an axis of a lifted function.
//! Lives here: the two sweeps and the rules they use. Not here: types (`tensor::calculus`).

mod adjoint;
mod expansion;
mod forms;
mod forward;
mod kept;
mod reverse;
mod scalar;
mod scan;
mod standardized;
mod steps;
mod tangent;
#[cfg(test)]
mod tests;
mod windowed;
mod windows;

pub(crate) use forward::forward;
pub(crate) use reverse::reverse;
pub(crate) use standardized::Standardized;
pub(crate) use tangent::Tangent;

use super::Node;
use super::ids::Ids;

/// The nodes below `roots` that depend on one of `variables`, inputs before users; those of them that have been
/// computed too.
fn dependent(roots: &[Node], variables: &[Node]) -> Vec<Node> {
    let mut dependent: Ids = variables.iter().map(Node::id).collect();
    let mut order = Vec::new();
    let mut seen = Ids::default();
    // (node, whether its inputs are done)
    let mut stack: Vec<(&Node, bool)> = roots.iter().rev().map(|root| (root, false)).collect();
    while let Some((node, done)) = stack.pop() {
        if done {
            if node.inputs().iter().any(|input| dependent.contains(&input.id())) {
                dependent.insert(node.id());
            }
            if dependent.contains(&node.id()) {
                order.push(node.clone());
            }
        } else if seen.insert(node.id()) {
            stack.push((node, true));
            // Below the only variable nothing depends on it.
            if matches!(variables, [only] if only.id() == node.id()) {
                continue;
            }
            stack.extend(node.inputs().iter().rev().filter(|input| !seen.contains(&input.id())).map(|i| (i, false)));
        }
    }
    order
}
