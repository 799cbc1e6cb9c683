//! A scan as one step with a schedule inside.
//!
//! Lives here: how placeholders lie, as their tensors outside do, which matrices are turned for all steps, and where each
//! result goes. The body is planned here, once, with the graph around it.
//! Not here: running it (`plan::scan`), what a scan is (`graph::op::scan`).

use smallvec::SmallVec;

use super::{Lowering, dense, scheduled};
use crate::axis::Name;
use crate::graph::op::Scan;
use crate::graph::shape::Names;
use crate::graph::value::{Strides, row_major};
use crate::graph::{Node, Op};
use crate::plan::key::Trace;
use crate::plan::layout::{self, Order, Place};
use crate::plan::schedule::{Action, Body, Piece, Sizes};
use crate::plan::weighed;

/// Steps from which on a matrix may be turned once for all of them; numbers of such a matrix, at most: each step has to read a
/// larger one from far away in any case; and rows that it is multiplied by, at most: for more of them turning costs little.
const MANY: usize = if cfg!(test) { 2 } else { 8 };
const SMALL: usize = 256 * 1024;
const ROWS: usize = 32;

impl Lowering<'_, '_> {
    /// The step of a scan.
    pub(super) fn scan(&mut self, i: u32, scan: &Scan) {
        let Some(trace) = self.trace.body(self.items.item(i).node) else { return self.plain(i) };
        let mut inputs = self.inputs(i);
        for number in scan.carries + scan.slices..scan.placeholders.len() {
            if let Some(axes) = self.summed_in_steps(i, scan, trace, number) {
                inputs[number] = self.turned_for_steps(i, number, &axes);
            }
        }
        let mut along = SmallVec::new();
        let mut lies: SmallVec<[Strides; 6]> = SmallVec::new();
        for (number, (placeholder, &input)) in scan.placeholders.iter().zip(&self.items.item(i).inputs).enumerate() {
            let (shape, strides) = (self.items.item(input).shape, &inputs[number].strides);
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
            if let Op::Placeholder(number) = trace.node(leaf).op() {
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

    /// The axes over which many steps sum products of rows with a constant matrix, if it lies along them. A product turns such
    /// a matrix before it begins, and each step would do so again.
    fn summed_in_steps(&self, i: u32, scan: &Scan, trace: &Trace<'_>, number: usize) -> Option<Names> {
        let input = self.items.item(i).inputs[number];
        let (shape, place) = (self.items.item(input).shape, &self.places[&input]);
        let (are_many, is_small) = (!weighed::is_less(scan.size, MANY), !weighed::is_less(SMALL, shape.elements()));
        let last = shape.names().zip(&place.strides).find(|(_, stride)| **stride == 1)?.0;
        if !are_many || !is_small {
            return None;
        }
        let mut found: Option<&Names> = None;
        for (node, factors) in trace.nodes() {
            let Some(at) = factors.iter().position(|&of| is_placeholder(trace.node(of), number)) else { continue };
            let (Op::Contract(axes), &[x, y]) = (node.op(), factors) else { return None };
            let other = trace.node(if at == 0 { y } else { x }).shape();
            let is_row = |name: &Name| !axes.contains(name) && !shape.has(*name);
            let rows: usize = other.names().filter(is_row).filter_map(|name| other.size(name)).product();
            // One row reads all of the matrix, and other things beside it.
            let is_near = rows > 1 || weighed::is_less(shape.elements(), SMALL);
            let are_few = rows > 0 && is_near && !weighed::is_less(ROWS, rows);
            let is_same = found.is_none_or(|found| found == axes);
            if !axes.contains(&last) || shape.names().all(|name| axes.contains(&name)) || !are_few || !is_same {
                return None;
            }
            found = Some(axes);
        }
        found.cloned()
    }

    /// A copy of an input of item `i` in which these axes come before all others.
    fn turned_for_steps(&mut self, i: u32, number: usize, axes: &Names) -> Place {
        let input = self.items.item(i).inputs[number];
        let (shape, place) = (self.items.item(input).shape, self.places[&input].clone());
        let names: Names = shape.names().collect();
        let (before, after): (Order, Order) =
            layout::by_stride(&place.strides).into_iter().partition(|&at| axes.contains(&names[at]));
        let (sizes, order): (Sizes, Order) = (shape.sizes().collect(), before.into_iter().chain(after).collect());
        self.copied(i, &place, &sizes, &order)
    }
}

/// Whether a node stands for this input of its scan.
fn is_placeholder(node: &Node, number: usize) -> bool {
    matches!(node.op(), Op::Placeholder(of) if *of == number)
}

/// Where each result goes, at position 0 of the axis.
fn pieces(scan: &Scan, roots: &[Place]) -> SmallVec<[(crate::element::Kind, Piece); 4]> {
    let places = scan.places();
    let piece = |(number, (result, root)): (usize, (&Node, &Place))| {
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
