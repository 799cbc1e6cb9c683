//! The steps of a scan, one by one, each by the plain evaluation of the body.
//!
//! Lives here: the loop, and where results go. Not here: the body and its shapes (`scan`), the planned loop (`plan`).

use super::scan::Scan;
use super::walk::{Operand, finished, repeated, stored};
use crate::element::Stored;
use crate::error::Result;
use crate::graph::evaluate::walked;
use crate::graph::ids::ById;
use crate::graph::{Node, Shape, Value};

pub(super) fn evaluate(node: &Node, scan: &Scan, inputs: &[Operand<'_>]) -> Result<Value> {
    stored!(node.kind(), T => run::<T>(node, scan, inputs))
}

fn run<T: Stored>(node: &Node, scan: &Scan, inputs: &[Operand<'_>]) -> Result<Value> {
    let mut out = repeated(node, T::default())?;
    let places = scan.places();
    let order = Node::walk(&scan.results);
    let mut given: ById<Value> =
        scan.placeholders.iter().zip(inputs).map(|(placeholder, x)| (placeholder.id(), x.value.clone())).collect();
    let slices = || scan.placeholders.iter().zip(inputs).skip(scan.carries).take(scan.slices);
    for step in 0..scan.size {
        let position = if scan.backwards { scan.size - 1 - step } else { step };
        for (placeholder, x) in slices() {
            given.insert(placeholder.id(), slice(placeholder.shape(), scan, position, *x));
        }
        let values = walked(&order, &scan.results, &given)?;
        for (number, (result, value)) in scan.results.iter().zip(values).enumerate() {
            let shape = result.shape();
            let x = Operand { shape, value: &value };
            match scan.placeholders.get(number).filter(|_| number < scan.carries) {
                Some(carry) => {
                    let strides = carry.shape().names().map(|name| x.stride(name)).collect();
                    given.insert(carry.id(), Value { strides, ..value });
                }
                None => {
                    let start = places.get(number).map_or(0, |(start, _)| start + position * shape.elements());
                    put(&mut out, start, shape, x);
                }
            }
        }
    }
    for (carry, (start, shape)) in scan.placeholders.iter().zip(places).take(scan.carries) {
        if let Some(value) = given.get(&carry.id()) {
            put(&mut out, start, &shape, Operand { shape: &shape, value });
        }
    }
    Ok(finished(node, out))
}

/// One position of the axis, as the placeholder has its axes.
fn slice(shape: &Shape, scan: &Scan, position: usize, x: Operand<'_>) -> Value {
    let offset = x.value.offset.wrapping_add_signed(x.stride(scan.axis).wrapping_mul(position as isize));
    Value { offset, strides: shape.names().map(|name| x.stride(name)).collect(), ..x.value.clone() }
}

/// Writes the elements of `x` in the order of `shape`, from `start` on.
fn put<T: Stored>(out: &mut [T], start: usize, shape: &Shape, x: Operand<'_>) {
    let out = out.iter_mut().skip(start);
    stored!(x.value.buffer.kind(), From => {
        out.zip(x.elements::<From>(shape)).for_each(|(out, x)| *out = T::from_f64(From::to_f64(x)));
    });
}
