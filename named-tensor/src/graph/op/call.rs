//! Nodes that are what their first input is, and say more about it: a function with a derivative of its own, a wish.
//!
//! A call has as its first input what it means, as a graph of the primitives, and after it the arguments of the function.
//! So its shape, its value and its plan are those of the graph, and only the derivative, or an exporter that knows the
//! function, sees a call.  A constraint says along which axis of a mesh of machines an axis should be split.
//! Lives here: both. Not here: what an exporter makes of them.

use std::fmt::Debug;
use std::sync::Arc;

use super::rule::size_of;
use crate::axis::Name;
use crate::graph::{Node, Op};

/// A function with a meaning in primitives, and perhaps a derivative of its own.
pub trait Function: Debug + Send + Sync {
    /// Its name in equations.
    fn name(&self) -> &'static str;

    /// Its meaning. Arguments may have further axes, which are carried along.
    fn fallback(&self, arguments: &[Node]) -> Node;

    /// What each argument owes when the result is owed `cotangent`; none to take the derivative of the meaning.
    fn adjoint(&self, arguments: &[Node], result: &Node, cotangent: &Node) -> Option<Vec<Option<Node>>> {
        let _ = (arguments, result, cotangent);
        None
    }
}

impl Node {
    /// `function(arguments)`
    #[must_use]
    #[track_caller]
    pub fn call(function: Arc<dyn Function>, arguments: &[Node]) -> Node {
        let meaning = function.fallback(arguments);
        if let Some(error) = arguments.iter().chain([&meaning]).find_map(Node::error) {
            return Node::failed(error.clone(), meaning.kind());
        }
        let (shape, kind) = (meaning.shape().clone(), meaning.kind());
        Node::new(Op::Call(function), [meaning].into_iter().chain(arguments.iter().cloned()), shape, kind)
    }

    /// The same numbers, with the wish that `axis` be split along the axis `mesh` of a mesh of machines.
    #[must_use]
    #[track_caller]
    pub fn constrain(&self, axis: Name, mesh: impl Into<Arc<str>>) -> Node {
        Node::build(Op::Constrain(axis, mesh.into()), self.kind(), [self], |operation| {
            size_of(operation, self.shape(), axis).map(|_| self.shape().clone())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Binary, Unary};
    use crate::error::ErrorKind;
    use crate::graph::calculus::reverse;
    use crate::graph::testing::{A, B, axes, counting, error, read, tensor};
    use crate::plan;

    /// `exp x`, whose derivative is said to be 7.
    #[derive(Debug)]
    struct Seven(bool);

    impl Function for Seven {
        fn name(&self) -> &'static str {
            "seven"
        }

        fn fallback(&self, arguments: &[Node]) -> Node {
            arguments[0].unary(Unary::Exp)
        }

        fn adjoint(&self, _: &[Node], _: &Node, cotangent: &Node) -> Option<Vec<Option<Node>>> {
            self.0.then(|| vec![Some(cotangent.binary(Binary::Mul, &tensor(&[], &[7.0])))])
        }
    }

    #[test]
    fn a_call_is_its_meaning_and_its_derivative_is_its_own_if_it_has_one() {
        let x = counting(&[(A, 2)]);
        let meaning = x.unary(Unary::Exp);
        for (own, expected) in [(true, vec![7.0, 7.0]), (false, read(&meaning))] {
            let call = Node::call(Arc::new(Seven(own)), std::slice::from_ref(&x));
            assert_eq!((call.op().name(), read(&call)), ("seven", read(&meaning)));
            let owed =
                reverse(&[(call.clone(), tensor(&[], &[1.0]))], std::slice::from_ref(&x), &[]).remove(0).unwrap();
            assert_eq!(read(&owed.filled(x.shape())), expected);
            // The plan has no step for the call.
            let page = plan::describe(&[call.unary(Unary::Neg)]).unwrap();
            assert!(page.contains("1 steps") && page.contains("exp, -"), "{page}");
            assert!(plan::evaluate(&[call]).is_ok(), "it has a plan as a root");
        }
    }

    #[test]
    fn a_call_on_wider_arguments_is_a_call() {
        let (x, wide) = (counting(&[(A, 2)]), counting(&[(B, 3), (A, 2)]));
        let call = Node::call(Arc::new(Seven(true)), std::slice::from_ref(&x));
        let found = Node::substitute(&[call], &[(x.id(), wide)].into_iter().collect()).remove(0);
        assert_eq!((found.op().name(), axes(&found)), ("seven", vec![("a", 2), ("b", 3)]));
    }

    #[test]
    fn a_constraint_is_kept_in_the_graph_and_changes_nothing() {
        let x = counting(&[(A, 2), (B, 3)]);
        let kept = x.constrain(A, "data");
        assert!(matches!(kept.op(), Op::Constrain(axis, mesh) if *axis == A && &**mesh == "data"), "{kept:?}");
        assert_eq!(read(&kept), read(&x));
        assert!(plan::evaluate(&[kept.constrain(B, "model").unary(Unary::Neg)]).is_ok(), "it has a plan");
        let owed = reverse(&[(kept, x.clone())], std::slice::from_ref(&x), &[]).remove(0).unwrap();
        assert_eq!(read(&owed), read(&x));
        let told = error(&x.at(B, 0).constrain(B, "model"));
        assert_eq!(told.kind(), ErrorKind::Value);
        assert!(told.to_string().contains("needs axis `b`"), "{told}");
    }
}
