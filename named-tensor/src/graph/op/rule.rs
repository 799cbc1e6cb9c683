//! What the shape rules of all primitives share.
//!
//! A builder states its operation and a rule that finds the shape; errors of the inputs win, and an error of the
//! rule is told at the caller's place. The typed face has settled the names before; a name that is wrong here
//! all the same is an error too, never a panic.
//! Lives here: the making of a node, the checks of names and kinds. Not here: any primitive's own rule.

use std::panic::Location;

use crate::axis::Name;
use crate::element::Kind;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Node, Op, Shape};

impl Node {
    /// The node of `op` on `inputs`, or the first error: of an input, of the rule, or of a shape too large.
    #[track_caller]
    pub(super) fn build<'a>(
        op: Op,
        kind: Kind,
        inputs: impl AsRef<[&'a Node]>,
        rule: impl FnOnce(&'static str) -> Result<Shape>,
    ) -> Node {
        let inputs = inputs.as_ref();
        if let Some(error) = inputs.iter().find_map(|input| input.error()) {
            return Node::failed(error.clone(), kind);
        }
        let checked = |shape: Shape| {
            let known = inputs.iter().any(|input| input.shape().is(&shape));
            if known { Ok(shape) } else { shape.checked(op.name()) }
        };
        match rule(op.name()).and_then(checked) {
            Ok(shape) => Node::new(op, inputs.iter().map(|&input| input.clone()), shape, kind),
            Err(error) => Node::failed(error.at(Location::caller()), kind),
        }
    }
}

/// A value that `operation` refuses.
pub(super) fn refused(operation: &str, why: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Value, format!("`{operation}` {why}"))
}

/// Sizes that do not fit together in `operation`.
pub(super) fn unfit(operation: &str, why: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::SizeClash, format!("sizes clash in `{operation}`: {why}"))
}

/// Refuses a name that stands twice among `names`.
pub(super) fn distinct(operation: &str, names: &[Name]) -> Result<()> {
    match names.iter().enumerate().find(|&(i, name)| names.iter().take(i).any(|other| other == name)) {
        Some((_, twice)) => Err(refused(operation, format_args!("names axis `{}` twice", twice.text()))),
        None => Ok(()),
    }
}

/// The size of `axis`, which must be there.
pub(super) fn size_of(operation: &str, shape: &Shape, axis: Name) -> Result<usize> {
    let missing = || refused(operation, format_args!("needs axis `{}`: the tensor has {shape}", axis.text()));
    shape.size(axis).ok_or_else(missing)
}

/// Refuses names that stand twice or are not axes of `shape`.
pub(super) fn present(operation: &str, shape: &Shape, names: &[Name]) -> Result<()> {
    // As a rule there is one name and it is there, which is found without a word.
    if names.len() > 1 {
        distinct(operation, names)?;
    }
    for &name in names {
        if !shape.has(name) {
            return size_of(operation, shape, name).map(drop);
        }
    }
    Ok(())
}

/// Refuses a new axis that is there already.
pub(super) fn absent(operation: &str, shape: &Shape, axis: Name) -> Result<()> {
    if shape.has(axis) {
        return Err(refused(operation, format_args!("makes axis `{}`, which is there already: {shape}", axis.text())));
    }
    Ok(())
}

/// Refuses a tensor of a kind that is not `allowed`.
pub(super) fn of_kind(operation: &str, node: &Node, allowed: &[Kind]) -> Result<()> {
    if allowed.contains(&node.kind()) {
        return Ok(());
    }
    Err(refused(operation, format_args!("does not take elements of kind {:?}", node.kind())))
}

/// Refuses two tensors of different kinds.
pub(super) fn same_kind(operation: &str, left: &Node, right: &Node) -> Result<()> {
    if left.kind() == right.kind() {
        return Ok(());
    }
    Err(refused(operation, format_args!("does not take {:?} with {:?}", left.kind(), right.kind())))
}

/// Refuses a number that elements of this kind cannot be exactly enough: a position must be whole, a truth value
/// 0 or 1.
pub(super) fn fits(operation: &str, value: f64, kind: Kind) -> Result<()> {
    let fits = match kind {
        Kind::F32 | Kind::F64 | Kind::Bf16 => true,
        // Whole numbers up to 2⁵³ are themselves in both `f64` and `i64`.
        Kind::Index => value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0,
        Kind::Bool => value == 0.0 || value == 1.0,
    };
    if fits {
        Ok(())
    } else {
        Err(refused(operation, format_args!("cannot put {value} into elements of kind {kind:?}")))
    }
}

/// The kinds of real numbers.
pub(super) const REAL: &[Kind] = &[Kind::F32, Kind::F64];

/// The kinds with arithmetic.
pub(super) const NUMBERS: &[Kind] = &[Kind::F32, Kind::F64, Kind::Index];
