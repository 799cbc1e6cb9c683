//! A scan as one step with a schedule inside.
//!
//! Lives here: how placeholders lie, as their tensors outside do, and where each result goes. The body is planned here,
//! once, with the graph around it. Not here: running it (`plan::scan`), what a scan is (`graph::op::scan`).

use smallvec::SmallVec;

use super::{Lowering, dense, scheduled};
use crate::graph::op::Scan;
use crate::graph::value::{Strides, row_major};
use crate::plan::layout::{Order, Place};
use crate::plan::schedule::{Action, Body, Piece, Sizes};

impl Lowering<'_, '_> {
    /// The step of a scan.
    pub(super) fn scan(&mut self, i: u32, scan: &Scan) {
        let Some(trace) = self.trace.body(self.items.item(i).node) else { return self.plain(i) };
        let inputs = self.inputs(i);
        let mut along = SmallVec::new();
        let mut lies: SmallVec<[Strides; 6]> = SmallVec::new();
        for (number, (placeholder, &input)) in scan.placeholders.iter().zip(&self.items.item(i).inputs).enumerate() {
            let (shape, strides) = (self.items.item(input).shape, &self.places[&input].strides);
            let stride = |name| shape.position(name).map_or(0, |at| strides[at]);
            lies.push(if number < scan.carries {
                row_major(placeholder.shape().sizes())
            } else {
                placeholder.shape().names().map(stride).collect()
            });
            if (scan.carries..scan.carries + scan.slices).contains(&number) {
                along.push(stride(scan.axis));
            }
        }
        // The next carries lie as the carries do.
        let carries = || scan.placeholders.iter().zip(&scan.results).take(scan.carries);
        let orders: SmallVec<[Order; 2]> = carries()
            .map(|(old, new)| old.shape().names().filter_map(|name| new.shape().position(name)).collect())
            .collect();
        let schedule = scheduled(trace, &lies, &orders);
        let mut slots = SmallVec::from_elem(None, scan.placeholders.len());
        for (slot, &leaf) in (0..).zip(&schedule.leaves) {
            if let crate::graph::Op::Placeholder(number) = trace.node(leaf).op() {
                slots[*number] = Some(slot);
            }
        }
        let body = Body {
            size: scan.size,
            backwards: scan.backwards,
            carries: carries().map(|(old, _)| old.shape().sizes().collect()).collect(),
            slots,
            along,
            pieces: pieces(scan, &schedule.roots),
            schedule,
        };
        let order: Order = (0..self.items.item(i).shape.rank()).collect();
        self.step(i, &order, Action::Scan { inputs, body: Box::new(body) });
    }
}

/// Where each result goes, at position 0 of the axis.
fn pieces(scan: &Scan, roots: &[Place]) -> SmallVec<[(crate::element::Kind, Piece); 4]> {
    let places = scan.places();
    let piece = |(number, (result, root)): (usize, (&crate::graph::Node, &Place))| {
        let sizes: Sizes = result.shape().sizes().collect();
        let strides = if number < scan.carries {
            let carry = scan.placeholders[number].shape();
            let order: Order = carry.names().filter_map(|name| result.shape().position(name)).collect();
            dense(result.shape(), &order)
        } else {
            row_major(sizes.iter().copied())
        };
        let offset = places.get(number).map_or(0, |(start, _)| *start);
        (result.kind(), Piece { source: root.clone(), sizes, offset, strides })
    };
    scan.results.iter().zip(roots).enumerate().map(piece).collect()
}
