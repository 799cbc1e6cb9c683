//! Attention as one step.
//!
//! Lives here: which axes are the rows, the keys, the positions and the columns of its matrices, and the copies that bring
//! several axes side by side. Not here: when a graph is attention (`simplify`), the tiles (`kernel::attention`).

use smallvec::SmallVec;

use super::Lowering;
use crate::graph::Shape;
use crate::graph::shape::Names;
use crate::graph::value::{Strides, row_major};
use crate::plan::contract::{self, Axis};
use crate::plan::layout::{self, Order, Place};
use crate::plan::schedule::{Action, Sizes};
use crate::plan::simplify::{Attention, Scale};

impl Lowering<'_> {
    /// The step of attention.
    pub(super) fn attention(&mut self, i: u32, attention: &Attention<'_>) {
        let item = self.items.item(i);
        if item.shape.elements() == 0 {
            return self.fill(i, 0.0);
        }
        // Queries, keys, values, and the mask if there is one, by the axes of all of them.
        let mask = attention.masked.then(|| item.inputs[item.inputs.len() - 1]);
        let inputs: SmallVec<[u32; 4]> = item.inputs[..3].iter().copied().chain(mask).collect();
        let shapes: SmallVec<[&Shape; 4]> = inputs.iter().map(|&input| self.items.item(input).shape).collect();
        let mut axes = Shape::default();
        for (name, size) in shapes.iter().flat_map(|shape| shape.iter()) {
            if !axes.has(name) {
                axes = axes.with(name, size);
            }
        }
        let names: Names = axes.names().collect();
        let sizes: Sizes = axes.sizes().collect();
        let spread = |(&input, shape): (&u32, &&Shape)| {
            let place = &self.places[&input];
            let along = |&name| shape.position(name).map_or(0, |at| place.strides[at]);
            Place { slot: place.slot, offset: place.offset, strides: names.iter().map(along).collect() }
        };
        let mut operands: SmallVec<[Place; 4]> = inputs.iter().zip(&shapes).map(spread).collect();

        let has = |which: usize, at: usize| shapes[which].has(names[at]);
        let pick = |wanted: &dyn Fn(usize) -> bool| -> Order {
            (0..names.len()).filter(|&at| sizes[at] != 1 && wanted(at)).collect()
        };
        let mut keys = pick(&|at| attention.keys.contains(&names[at]));
        let mut positions = pick(&|at| attention.positions.contains(&names[at]));
        let mut columns = pick(&|at| has(2, at) && !has(0, at) && !has(1, at));
        let mut rows = pick(&|at| has(0, at) && !has(1, at) && !has(2, at));
        let taken: Order = [&keys, &positions, &columns, &rows].into_iter().flatten().copied().collect();
        let batch = pick(&|at| !taken.contains(&at));
        keys.sort_by_key(|&at| -operands[1].strides[at]);
        positions.sort_by_key(|&at| -operands[1].strides[at]);
        columns.sort_by_key(|&at| -operands[2].strides[at]);
        let groups: [&[&Order]; 4] = [&[&keys], &[&keys, &positions], &[&positions, &columns], &[&positions]];
        for (which, groups) in groups.iter().enumerate().take(operands.len()) {
            let together = |group: &&&Order| {
                let (sizes, strides): (Sizes, Strides) =
                    group.iter().map(|&at| (sizes[at], operands[which].strides[at])).unzip();
                layout::is_one_run(&sizes, &strides)
            };
            if !groups.iter().all(|group| together(&group)) {
                let last: Order = groups.iter().flat_map(|group| group.iter().copied()).collect();
                let others = pick(&|at| has(which, at) && !last.contains(&at));
                let order: Order = others.into_iter().chain(last).collect();
                operands[which] = self.copied(i, &operands[which].clone(), &sizes, &order);
            }
        }

        // Rows are walked with one stride in the queries and in the mask; what cannot be is looped over.
        let masks: Strides =
            operands.get(3).map_or_else(|| Strides::from_elem(0, sizes.len()), |mask| mask.strides.clone());
        let walked: SmallVec<[Axis; 8]> = (0..sizes.len())
            .map(|at| Axis {
                size: sizes[at],
                left: operands[0].strides[at],
                right: masks[at],
                has: (true, true),
                summed: false,
            })
            .collect();
        rows.sort_by_key(|&at| (-walked[at].left, -walked[at].right));
        let mut runs = contract::runs(&walked, &rows);
        let rows = contract::take_largest(&walked, &mut runs);
        let loops: SmallVec<[Order; 8]> = batch.iter().map(|&at| Order::from_slice(&[at])).chain(runs).collect();

        let ones = (0..sizes.len()).filter(|&at| sizes[at] == 1 && item.shape.has(names[at]));
        let mut units: SmallVec<[Order; 8]> =
            ones.map(|at| Order::from_slice(&[at])).chain(loops.iter().cloned()).collect();
        units.extend([&rows, &columns].into_iter().filter(|unit| !unit.is_empty()).cloned());
        let tail = self.tails.get(&i).into_iter().flatten();
        let tail: Order = tail.filter_map(|tail| names.iter().position(|name| name == tail)).collect();
        let order = contract::arranged(units, &tail, [&rows, &columns]);
        let mut out = Strides::from_elem(0, sizes.len());
        for (&at, stride) in order.iter().zip(row_major(order.iter().map(|&at| sizes[at]))) {
            out[at] = stride;
        }

        let size = |unit: &Order| unit.iter().map(|&at| sizes[at]).product::<usize>();
        let along = |strides: &Strides, matrix: [&Order; 2]| -> Strides {
            let step = |unit: &Order| unit.last().map_or(0, |&at| strides[at]);
            loops.iter().map(step).chain(matrix.map(step)).collect()
        };
        let matrices = [[&rows, &keys], [&keys, &positions], [&positions, &columns], [&rows, &positions]];
        let action = Action::Attention {
            operands: operands
                .iter()
                .zip(matrices)
                .map(|(place, matrix)| Place {
                    slot: place.slot,
                    offset: place.offset,
                    strides: along(&place.strides, matrix),
                })
                .collect(),
            batch: loops.iter().map(size).collect(),
            sizes: [size(&rows), size(&keys), size(&positions), size(&columns)],
            scale: (attention.scale != Scale::None)
                .then(|| (self.places[&item.inputs[3]].clone(), attention.scale == Scale::By)),
            out: along(&out, [&rows, &columns]),
        };
        let order: Order = order.iter().filter_map(|&at| item.shape.position(names[at])).collect();
        self.step(i, &order, action, SmallVec::new());
    }
}
