//! Sums that go backwards in an operand, such as convolutions with flipped weights: they go forwards.
//!
//! A sum over an axis is the same from its end on. So the larger operand of a product is read forwards along each summed axis,
//! and what then lies backwards in the other one is copied, if that is read often.
//! What is reduced is read forwards too, if all that is read goes backwards.
//! Not here: products (`product`), reductions (`rows`, `computed`).

use super::Lowering;
use crate::graph::Shape;
use crate::graph::shape::Names;
use crate::plan::layout::{self, Place};
use crate::plan::schedule::Sizes;
use crate::plan::weighed;

/// A copy is worth it if each of its numbers is read so often.
const OFTEN: usize = 8;

impl Lowering<'_, '_> {
    /// Has the operands of item `i` go forwards along the axes that are summed.
    pub(super) fn go_forwards(&mut self, i: u32, shapes: [&Shape; 2], places: &mut [Place; 2], summed: &Names) {
        let is_backwards =
            |name, shape: &Shape, place: &Place| shape.position(name).is_some_and(|at| place.strides[at] < 0);
        let backwards = |which: usize, places: &[Place; 2]| -> Names {
            summed.iter().copied().filter(|&name| is_backwards(name, shapes[which], &places[which])).collect()
        };
        if (0..2).all(|which| backwards(which, places).is_empty()) {
            return;
        }
        let elements = shapes.map(Shape::elements);
        let larger = usize::from(weighed::is_less(elements[0], elements[1]));
        for name in backwards(larger, places) {
            for (shape, place) in shapes.iter().zip(places.iter_mut()) {
                if let Some(at) = shape.position(name) {
                    place.turn_back(at, shape.size(name).unwrap_or(1));
                }
            }
        }
        let other = 1 - larger;
        let is_read_often = weighed::is_less(elements[other].saturating_mul(OFTEN), elements[larger]);
        if is_read_often && !backwards(other, places).is_empty() {
            let (place, sizes) = (places[other].clone(), shapes[other].sizes().collect::<Sizes>());
            places[other] = self.copied(i, &place, &sizes, &layout::by_stride(&place.strides));
        }
    }
}

/// Has all that is read go forwards along these axes, which are reduced, if none of it does.
pub(super) fn read_forwards(operands: &mut [Place], sizes: &[usize], reduced: impl Iterator<Item = usize>) {
    for at in reduced {
        let is_backwards = operands.iter().any(|place| place.strides[at] < 0);
        if is_backwards && operands.iter().all(|place| place.strides[at] <= 0) {
            operands.iter_mut().for_each(|place| place.turn_back(at, sizes[at]));
        }
    }
}
