//! Windows: unrolling and pooling.
//!
//! Computes  `X_{axis(i), into(j)} = X_{axis(i·step + j)}`: unroll has step 1, pool a step of the window's size.
//! Lives here: the shape rule and the plain evaluation, which is a view.

use super::rule::{absent, refused, size_of, unfit};
use super::walk::Operand;
use crate::axis::Name;
use crate::graph::{Node, Op, Value};

impl Node {
    /// Windows of `size` positions, `step` apart, that fill the axis to its end; `into` is the axis inside a window.
    #[must_use]
    #[track_caller]
    pub fn window(&self, axis: Name, into: Name, size: usize, step: usize) -> Node {
        Node::build(Op::Window { axis, into, step }, self.kind(), [self], |operation| {
            let whole = size_of(operation, self.shape(), axis)?;
            absent(operation, self.shape(), into)?;
            if size == 0 || step == 0 {
                let why = format!("at least one position, at least one apart: {size}, {step} apart, are asked for");
                return Err(refused(operation, format_args!("needs windows of axis `{}` of {why}", axis.text())));
            }
            let name = axis.text();
            // Windows side by side cover an empty axis with none of them.
            if whole == 0 && step == size {
                return Ok(self.shape().with(into, size));
            }
            if size > whole {
                let why = format_args!("a window of {size} positions on axis `{name}`, whose size is {whole}");
                return Err(unfit(operation, why));
            }
            if !(whole - size).is_multiple_of(step) {
                let why =
                    format_args!("windows of {size}, {step} apart, leave a rest of axis `{name}` of size {whole}");
                return Err(unfit(operation, why));
            }
            Ok(self.shape().replaced(axis, &[(axis, (whole - size) / step + 1), (into, size)]))
        })
    }
}

/// A view: both axes step through the same positions.
pub(super) fn window(node: &Node, axis: Name, into: Name, step: usize, x: Operand<'_>) -> Value {
    let stride = |name| match name {
        name if name == into => x.stride(axis),
        name if name == axis => x.stride(axis).wrapping_mul(step as isize),
        name => x.stride(name),
    };
    Value { strides: node.shape().names().map(stride).collect(), ..x.value.clone() }
}

#[cfg(test)]
mod tests {
    use crate::error::ErrorKind;
    use crate::graph::testing::{A, B, C, axes, counting, error, read, tensor};

    #[test]
    fn windows_slide_by_one_and_pools_by_their_size() {
        let x = tensor(&[(A, 3)], &[2.0, 7.0, 1.0]);
        assert_eq!(read(&x.window(A, B, 2, 1)), [2.0, 7.0, 7.0, 1.0]);
        let y = tensor(&[(A, 4)], &[3.0, 1.0, 4.0, 1.0]);
        assert_eq!(read(&y.window(A, B, 2, 2)), [3.0, 1.0, 4.0, 1.0]);
        let deep = counting(&[(A, 3), (C, 2)]).window(A, B, 2, 1);
        assert_eq!(axes(&deep), [("a", 2), ("b", 2), ("c", 2)]);
        assert_eq!(read(&deep.at(C, 1)), [2.0, 4.0, 4.0, 6.0]);
    }

    #[test]
    fn a_window_that_does_not_fit_is_told() {
        let x = counting(&[(A, 5)]);
        assert_eq!(error(&x.window(A, B, 6, 1)).kind(), ErrorKind::SizeClash);
        assert_eq!(error(&x.window(A, B, 2, 2)).kind(), ErrorKind::SizeClash);
        assert_eq!(error(&x.window(A, B, 0, 1)).kind(), ErrorKind::Value);
        assert_eq!(error(&x.window(A, A, 2, 1)).kind(), ErrorKind::Value);
    }
}
