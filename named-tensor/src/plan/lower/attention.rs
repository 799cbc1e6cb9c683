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

/// Queries, keys, values and the mask, if there is one, by the axes of all of them.
struct Operands<'a> {
    names: Names,
    sizes: Sizes,
    shapes: SmallVec<[&'a Shape; 4]>,
    places: SmallVec<[Place; 4]>,
}

/// The axes of the matrices, and those that are looped over one run at a time.
struct Roles {
    rows: Order,
    keys: Order,
    positions: Order,
    columns: Order,
    loops: SmallVec<[Order; 8]>,
}

impl<'a> Lowering<'a, '_> {
    /// The step of attention.
    pub(super) fn attention(&mut self, i: u32, attention: &Attention<'_>) {
        let item = self.items.item(i);
        if item.shape.elements() == 0 {
            return self.fill(i, 0.0);
        }
        let mut operands = self.operands(i, attention.masked);
        let mut roles = operands.roles(attention);
        self.side_by_side(i, &mut operands, &roles);
        operands.split_rows(&mut roles);
        let Roles { rows, keys, positions, columns, loops } = &roles;
        let Operands { names, sizes, places, .. } = &operands;

        let ones = (0..sizes.len()).filter(|&at| sizes[at] == 1 && item.shape.has(names[at]));
        let ones = ones.map(|at| Order::from_slice(&[at]));
        let matrix = [rows, columns].into_iter().filter(|unit| !unit.is_empty()).cloned();
        let tail = self.tails.get(&i).into_iter().flatten();
        let tail: Order = tail.filter_map(|tail| names.iter().position(|name| name == tail)).collect();
        let order =
            contract::arranged(ones.chain(loops.iter().cloned()).chain(matrix).collect(), &tail, [rows, columns]);
        let mut out = Strides::from_elem(0, sizes.len());
        for (&at, stride) in order.iter().zip(row_major(order.iter().map(|&at| sizes[at]))) {
            out[at] = stride;
        }

        let size = |unit: &Order| unit.iter().map(|&at| sizes[at]).product::<usize>();
        let along = |strides: &Strides, matrix: [&Order; 2]| -> Strides {
            let step = |unit: &Order| unit.last().map_or(0, |&at| strides[at]);
            loops.iter().map(step).chain(matrix.map(step)).collect()
        };
        let matrices = [[rows, keys], [keys, positions], [positions, columns], [rows, positions]];
        let operand = |(place, matrix): (&Place, [&Order; 2])| Place {
            slot: place.slot,
            offset: place.offset,
            strides: along(&place.strides, matrix),
        };
        let scale = (attention.scale != Scale::None).then(|| self.places[&item.inputs[3]].clone());
        let action = Action::Attention {
            operands: places.iter().zip(matrices).map(operand).collect(),
            batch: loops.iter().map(size).collect(),
            sizes: [rows, keys, positions, columns].map(size),
            scale: scale.map(|place| (place, attention.scale == Scale::By)),
            out: along(&out, [rows, columns]),
        };
        let order: Order = order.iter().filter_map(|&at| item.shape.position(names[at])).collect();
        self.step(i, &order, action);
    }

    /// What attention reads, spread over the axes of all operands.
    fn operands(&self, i: u32, masked: bool) -> Operands<'a> {
        let items = self.items;
        let inputs = &items.item(i).inputs;
        let mask = masked.then(|| inputs[inputs.len() - 1]);
        let inputs: SmallVec<[u32; 4]> = inputs[..3].iter().copied().chain(mask).collect();
        let shapes: SmallVec<[&'a Shape; 4]> = inputs.iter().map(|&input| items.item(input).shape).collect();
        let mut axes = Shape::default();
        for (name, size) in shapes.iter().flat_map(|shape| shape.iter()) {
            if !axes.has(name) {
                axes = axes.with(name, size);
            }
        }
        let names: Names = axes.names().collect();
        let spread = |(&input, shape): (&u32, &&Shape)| {
            let place = &self.places[&input];
            let along = |&name| shape.position(name).map_or(0, |at| place.strides[at]);
            Place { slot: place.slot, offset: place.offset, strides: names.iter().map(along).collect() }
        };
        let places = inputs.iter().zip(&shapes).map(spread).collect();
        Operands { names, sizes: axes.sizes().collect(), shapes, places }
    }

    /// Copies the operands in which the axes of one role cannot be walked with one stride.
    fn side_by_side(&mut self, i: u32, operands: &mut Operands<'_>, roles: &Roles) {
        let Roles { keys, positions, columns, .. } = roles;
        let groups: [&[&Order]; 4] = [&[keys], &[keys, positions], &[positions, columns], &[positions]];
        for (which, groups) in groups.iter().enumerate().take(operands.places.len()) {
            let place = operands.places[which].clone();
            let one_run = |group: &&Order| {
                let walked = group.iter().map(|&at| (operands.sizes[at], place.strides[at]));
                let (sizes, strides): (Sizes, Strides) = walked.unzip();
                layout::is_one_run(&sizes, &strides)
            };
            // A mask is read for every batch position, so it pays to have its rows side by side.
            let scattered = which == 3 && positions.last().is_some_and(|&at| !matches!(place.strides[at], 0 | 1));
            if scattered || !groups.iter().all(one_run) {
                let last: Order = groups.iter().flat_map(|group| group.iter().copied()).collect();
                let others = operands.pick(|at| operands.has(which, at) && !last.contains(&at));
                let order: Order = others.into_iter().chain(last).collect();
                operands.places[which] = self.copied(i, &place, &operands.sizes, &order);
            }
        }
    }
}

impl Operands<'_> {
    fn has(&self, which: usize, at: usize) -> bool {
        self.shapes[which].has(self.names[at])
    }

    /// The axes of more than one position that are wanted.
    fn pick(&self, wanted: impl Fn(usize) -> bool) -> Order {
        (0..self.sizes.len()).filter(|&at| self.sizes[at] != 1 && wanted(at)).collect()
    }

    fn roles(&self, attention: &Attention<'_>) -> Roles {
        let mut keys = self.pick(|at| attention.keys.contains(&self.names[at]));
        let mut positions = self.pick(|at| attention.positions.contains(&self.names[at]));
        let mut columns = self.pick(|at| self.has(2, at) && !self.has(0, at) && !self.has(1, at));
        let rows = self.pick(|at| self.has(0, at) && !self.has(1, at) && !self.has(2, at));
        keys.sort_by_key(|&at| -self.places[1].strides[at]);
        positions.sort_by_key(|&at| -self.places[1].strides[at]);
        columns.sort_by_key(|&at| -self.places[2].strides[at]);
        let in_matrices = |at: &usize| [&keys, &positions, &columns, &rows].iter().any(|role| role.contains(at));
        let loops = self.pick(|at| !in_matrices(&at)).iter().map(|&at| Order::from_slice(&[at])).collect();
        Roles { rows, keys, positions, columns, loops }
    }

    /// Rows are walked with one stride in the queries and in the mask; what cannot be is looped over.
    fn split_rows(&self, roles: &mut Roles) {
        let axes: SmallVec<[Axis; 8]> = (0..self.sizes.len())
            .map(|at| Axis {
                size: self.sizes[at],
                left: self.places[0].strides[at],
                right: self.places.get(3).map_or(0, |mask| mask.strides[at]),
                has: (true, true),
                summed: false,
            })
            .collect();
        roles.rows.sort_by_key(|&at| (-axes[at].left, -axes[at].right));
        let mut runs = contract::runs(&axes, &roles.rows);
        roles.rows = contract::take_largest(&axes, &mut runs);
        roles.loops.extend(runs);
    }
}
