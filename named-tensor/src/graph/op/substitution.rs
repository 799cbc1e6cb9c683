//! Substitution: a graph on other nodes in place of some of its own.
//!
//! Computes  `f(Y)` from the nodes of `f(X)`.  A node whose inputs have the shapes they had is kept with its place in the
//! program; one whose inputs have further axes is made again by its own rule (`again`).
//! Lives here: the walk. Not here: who substitutes (`scan`, `call`, `calculus`).

use crate::graph::Node;
use crate::graph::ids::{ById, by_no_id};

impl Node {
    /// `roots`, computed from the nodes of `replaced` in place of those with these ids. What does not depend on any of
    /// them stays as it is.
    #[must_use]
    pub fn substitute(roots: &[Node], replaced: &ById<Node>) -> Vec<Node> {
        let mut made = by_no_id();
        made.extend(replaced.iter().map(|(&id, node)| (id, node.clone())));
        for node in Node::walk_until(roots, |node| node.value().is_some() || replaced.contains_key(&node.id())) {
            let changed = !made.contains_key(&node.id()) && node.inputs().iter().any(|i| made.contains_key(&i.id()));
            if changed && node.value().is_none() {
                let renewed = |input: &Node| made.get(&input.id()).unwrap_or(input).clone();
                let inputs: Vec<Node> = node.inputs().iter().map(renewed).collect();
                made.insert(node.id(), renew(&node, inputs));
            }
        }
        roots.iter().map(|root| made.get(&root.id()).unwrap_or(root).clone()).collect()
    }
}

/// The operation of a node on other inputs.
fn renew(node: &Node, inputs: Vec<Node>) -> Node {
    if let Some(error) = inputs.iter().find_map(Node::error) {
        return Node::failed(error.clone(), node.kind());
    }
    let alike = node.inputs().iter().zip(&inputs).all(|(old, new)| old.shape() == new.shape());
    if alike { node.on(inputs) } else { node.again(&inputs) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Binary, Unary};
    use crate::graph::testing::{A, B, axes, counting, read, tensor};

    #[test]
    fn a_graph_on_other_nodes_is_the_same_function_of_them() {
        let (x, y) = (counting(&[(A, 2)]), tensor(&[(A, 2)], &[10.0, 20.0]));
        let below = x.unary(Unary::Neg);
        let root = below.binary(Binary::Mul, &below).binary(Binary::Add, &y);
        let found = Node::substitute(&[root.clone(), y.clone()], &ById::from_iter([(x.id(), y.clone())]));
        assert_eq!(read(&found[0]), [110.0, 420.0]);
        assert_eq!(found[0].place(), root.place(), "it was written where it was");
        assert_eq!(found[1].id(), y.id(), "it does not depend on what is replaced");
    }

    #[test]
    fn further_axes_are_carried_along() {
        let x = counting(&[(A, 2)]);
        let wide = counting(&[(B, 3), (A, 2)]);
        let root = x.unary(Unary::Neg).softmax(&[A], false);
        let found = Node::substitute(&[root], &ById::from_iter([(x.id(), wide.clone())]));
        assert_eq!(axes(&found[0]), [("a", 2), ("b", 3)]);
        assert_eq!(read(&found[0]), read(&wide.unary(Unary::Neg).softmax(&[A], false)));
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_nodes_is_substituted() {
        let x = counting(&[(A, 1)]);
        let one = tensor(&[], &[1.0]);
        let chain = (0..100_000).fold(x.clone(), |sum, _| sum.binary(Binary::Add, &one));
        let found = Node::substitute(&[chain], &ById::from_iter([(x.id(), tensor(&[(A, 1)], &[5.0]))]));
        assert_eq!(read(&found[0]), [100_005.0]);
    }
}
