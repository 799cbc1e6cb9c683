//! Matrices stored in 16 bits in products: read as they lie, or widened by a step before.
//!
//! Lives here: which layouts the kernel takes, and the step for the others. Not here: which products have such a
//! matrix (`plan::widen`), the kernel (`kernel::few`).

use std::sync::Arc;

use super::{Lowering, dense};
use crate::kernel::map::{Instruction, Program};
use crate::plan::contract::Product;
use crate::plan::layout::{self, Place};
use crate::plan::schedule::{Action, Sizes, Step};

/// Whether the kernel takes the right operand of a product in 16 bits: one matrix, contiguous along the sum or across.
pub(super) fn is_read_narrow(product: &Product) -> bool {
    let (inner, columns) = (product.inner.right, product.columns.right);
    product.batch.is_empty()
        && product.copy_right.is_none()
        && product.windows.is_none()
        && ((inner == 1 && columns >= 0) || (columns == 1 && inner >= 0))
}

impl Lowering<'_, '_> {
    /// Where the numbers of an input lie in the precision of item `i`, in the order in which they lie now.
    pub(super) fn widened(&mut self, i: u32, input: u32, place: &Place) -> Place {
        let (kind, node) = (self.items.item(i).kind, self.items.item(input).node);
        let shape = self.items.item(input).shape;
        let order = layout::by_stride(&place.strides);
        let sizes: Sizes = shape.sizes().collect();
        let widened = vec![Instruction::Load(0), Instruction::Cast(kind, 0)];
        let action = Action::Map {
            program: Arc::new(Program::new(widened, &[self.items.item(input).kind])),
            sizes: order.iter().map(|&at| sizes[at]).collect(),
            operands: Box::new([place.in_order(&order)]),
            others: Box::default(),
        };
        let out = self.slot(kind, shape.elements());
        self.schedule.steps.push(Step::new(action, out, node));
        Place { slot: out, offset: 0, strides: dense(shape, &order) }
    }
}
