//! Plain evaluation of a graph: one primitive after the other, each by its own definition.
//!
//! This is what "the numbers of a tensor" means. It is right before it is fast: the plans are tested against it, and
//! run in its place unless they are turned off.
//! Lives here: the order of evaluation and the end of each value's life. Not here: the primitives (`op`).

use smallvec::SmallVec;

use super::ids::ById;
use super::op::evaluate;
use super::{Node, Value};
use crate::error::Result;

/// The numbers of `roots`. A value is dropped when its last user has been evaluated.
///
/// # Errors
/// The error that a root carries, or one that only the numbers can tell.
pub fn plainly(roots: &[Node]) -> Result<Vec<Value>> {
    for root in roots {
        root.checked()?;
    }
    walked(&Node::walk(roots), roots, &ById::default())
}

/// The numbers of `roots`, given those of some nodes by id. `order` lists what they are computed from, inputs first.
pub(super) fn walked(order: &[Node], roots: &[Node], given: &ById<Value>) -> Result<Vec<Value>> {
    // Looked up once: another thread may remember a value at any time, and what is counted must be what is done.
    let held: Vec<Option<Value>> = order.iter().map(|node| given.get(&node.id()).or(node.value()).cloned()).collect();
    let computed = order.iter().zip(&held).filter(|(_, held)| held.is_none()).map(|(node, _)| node);
    let mut users: ById<usize> = ById::default();
    for node in roots.iter().chain(computed.flat_map(Node::inputs)) {
        *users.entry(node.id()).or_default() += 1;
    }
    let mut values: ById<Value> = ById::default();
    for (node, held) in order.iter().zip(held) {
        if let Some(value) = held {
            values.insert(node.id(), value);
            continue;
        }
        let inputs: SmallVec<[&Value; 3]> = node.inputs().iter().filter_map(|input| values.get(&input.id())).collect();
        let value = evaluate(node, &inputs)?;
        drop(inputs);
        values.insert(node.id(), value);
        for input in node.inputs() {
            if let Some(left) = users.get_mut(&input.id()) {
                *left = left.saturating_sub(1);
                if *left == 0 {
                    values.remove(&input.id());
                }
            }
        }
    }
    Ok(roots.iter().filter_map(|root| values.get(&root.id()).cloned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Name;
    use crate::element::{Binary, Comparison, Kind, Unary};
    use crate::graph::Shape;
    use crate::graph::op::Reduction;
    use crate::graph::testing::{A, B, C, D, counting, error, laid_otherwise, numbers, read, tensor};

    #[test]
    fn a_chain_of_a_million_nodes_is_built_walked_evaluated_and_dropped() {
        let one = Node::fill(Kind::F64, 1.0, Shape::default());
        let mut sum = counting(&[(A, 2)]);
        for _ in 0..1_000_000 {
            sum = sum.binary(Binary::Add, &one);
        }
        assert_eq!(read(&sum), [1_000_001.0, 1_000_002.0]);
    }

    #[test]
    fn values_that_other_threads_remember_meanwhile_do_no_harm() {
        for _ in 0..50 {
            let mut chain = vec![counting(&[(A, 3)])];
            for _ in 0..40 {
                let last = chain[chain.len() - 1].clone();
                chain.push(last.binary(Binary::Add, &last).binary(Binary::Sub, &last));
            }
            std::thread::scope(|scope| {
                for start in 0..4 {
                    let chain = &chain;
                    scope.spawn(move || {
                        for node in chain.iter().skip(start).step_by(4) {
                            let value = plainly(std::slice::from_ref(node)).expect("the chain has a value").remove(0);
                            assert_eq!(value.buffer.size(), 3);
                            node.remember(value);
                        }
                    });
                }
            });
            assert_eq!(read(&chain[40]), [1.0, 2.0, 3.0]);
        }
    }

    #[test]
    fn a_node_with_many_paths_to_it_is_computed_once() {
        // Each level uses the one below twice: 2^40 paths, 41 nodes.
        let mut x = counting(&[(A, 1)]);
        for _ in 0..40 {
            x = x.binary(Binary::Add, &x);
        }
        assert_eq!(read(&x), [2_f64.powi(40)]);
    }

    #[test]
    fn several_roots_share_their_work_and_keep_their_order() {
        let x = counting(&[(A, 2)]);
        let y = x.unary(Unary::Neg);
        let values = plainly(&[y.clone(), x.clone(), y.clone()]).unwrap();
        let found: Vec<Vec<f64>> = values.iter().map(|value| numbers(value, x.shape())).collect();
        assert_eq!(found, [[-1.0, -2.0], [1.0, 2.0], [-1.0, -2.0]]);
        assert!(std::sync::Arc::ptr_eq(&values[0].buffer, &values[2].buffer));
    }

    #[test]
    fn a_remembered_value_stands_for_everything_below_it() {
        let x = counting(&[(A, 2)]);
        let y = x.unary(Unary::Neg);
        y.remember(plainly(&[tensor(&[(A, 2)], &[5.0, 6.0])]).unwrap().remove(0));
        assert_eq!(read(&y.binary(Binary::Add, &x)), [6.0, 8.0]);
    }

    #[test]
    fn evaluation_leaves_nothing_behind_in_the_nodes() {
        let below = counting(&[(A, 4)]).unary(Unary::Neg);
        let value = plainly(&[below.unary(Unary::Neg)]).unwrap().remove(0);
        assert_eq!(std::sync::Arc::strong_count(&value.buffer), 1);
        assert!(below.value().is_none());
    }

    #[test]
    fn the_first_error_of_any_root_is_told() {
        let x = counting(&[(A, 2)]);
        let roots = [x.clone(), x.at(A, 2)];
        assert!(plainly(&roots).is_err());
        assert!(error(&roots[1]).to_string().contains("position 2"));
    }

    fn eye(a: Name, b: Name, size: usize) -> Node {
        Node::iota(a, size).compare(Comparison::Eq, &Node::iota(b, size)).cast(Kind::F64)
    }

    /// Every primitive on `x` (real, axes a: 4 and b: 3), `i` (positions below 3, axis a), `m` (truth, axis b).
    fn every_primitive(x: &Node, i: &Node, m: &Node) -> Vec<Node> {
        let scalar = tensor(&[], &[1_i64]);
        vec![
            x.cast(Kind::F32),
            x.unary(Unary::Tanh),
            m.unary(Unary::Not),
            i.unary(Unary::Neg),
            x.binary(Binary::Mul, &x.rename(&[(A, C)])),
            i.binary(Binary::Sub, &i.rename(&[(A, B)])),
            x.compare(Comparison::Lt, &x.rename(&[(A, C)])),
            m.select(x, &x.unary(Unary::Neg)),
            x.reduce(Reduction::Sum, &[A]),
            x.reduce(Reduction::Product, &[A, B]),
            x.reduce(Reduction::Max, &[B]),
            i.reduce(Reduction::Min, &[A]),
            x.variance(&[A]),
            x.contract(&x.rename(&[(A, C)]), &[B]),
            x.contract(x, &[A]),
            x.softmax(&[A, B], false),
            x.softmax(&[B], true),
            x.standardize(&[A], 1e-5),
            x.standardize_gradient(&x.rename(&[(B, C)]), &[A], 1e-5),
            x.split(A, &[(C, Some(2)), (D, Some(2))]),
            x.merge(&[B, A], C),
            x.merge(&[A, B], C),
            x.slice(A, 1..4, 2),
            x.at(B, 2),
            x.window(A, C, 3, 1),
            x.window(A, C, 2, 2),
            x.pad(A, 1, 2, 0.5),
            x.concat(A, &x.slice(A, 0..1, 1)),
            m.concat(B, m),
            x.gather(B, i),
            x.gather(B, &i.rename(&[(A, C)])),
            x.scatter_add(i, C, 3, &[A]),
            x.scatter_add(i, C, 3, &[B]),
            x.dynamic_slice(A, 2, &scalar),
            x.dynamic_slice(B, 1, i),
            x.dynamic_update(A, &x.slice(A, 0..2, 1), &scalar),
            x.cumulative_sum(A),
            x.sort(A, true),
            x.argsort(B, false),
            x.slice(A, 0..3, 1).determinant(A, B),
            x.contract(&x.rename(&[(A, C)]), &[B]).binary(Binary::Add, &eye(A, C, 4)).inverse(A, C),
        ]
    }

    #[test]
    fn every_primitive_gives_the_same_numbers_however_its_inputs_lie() {
        let x: Vec<f64> = (0..12).map(|i| f64::from((i * 7 + 3) % 12) / 4.0 - 1.0).collect();
        let (x, i) = (tensor(&[(A, 4), (B, 3)], &x), tensor(&[(A, 4)], &[2_i64, 0, 1, 1]));
        let m = tensor(&[(B, 3)], &[true, false, true]);
        let plain = every_primitive(&x, &i, &m);
        let other = every_primitive(&laid_otherwise(&x), &laid_otherwise(&i), &laid_otherwise(&m));
        for (plain, other) in plain.iter().zip(&other) {
            assert_eq!(read(plain), read(other), "{plain:?}");
        }
    }

    #[test]
    fn every_primitive_is_empty_beside_an_empty_axis() {
        const EMPTY: Name = Name::declared("empty");
        let x = counting(&[(A, 4), (B, 3), (EMPTY, 0)]);
        let (i, m) = (tensor(&[(A, 4), (EMPTY, 0)], &[0_i64; 0]), tensor(&[(B, 3), (EMPTY, 0)], &[true; 0]));
        for node in every_primitive(&x, &i, &m) {
            assert!(node.shape().has(EMPTY), "{node:?}");
            assert!(read(&node).is_empty(), "{node:?}");
        }
    }
}
