//! Attention as one step, and its gradient as one.
//!
//! Lives here: which axes are the rows, the keys, the positions and the columns of its matrices, and the copies that bring
//! several axes side by side. Not here: when a graph is attention (`plan::attention`), the stripes (`kernel::attention`).

use crate::kernel::order::sort_few;
use smallvec::SmallVec;

use super::{Lowering, dense};
use crate::axis::Name;
use crate::graph::Shape;
use crate::graph::shape::Names;
use crate::graph::value::{Strides, row_major};
use crate::plan::attention::{Attention, AttentionGradient};
use crate::plan::contract::{self, Wanted};
use crate::plan::layout::{self, Order, Place, far_first};
use crate::plan::numbered::few;
use crate::plan::schedule::{Action, Factor, Sizes, Step};
use crate::plan::simplify::Scale;

/// Queries, keys, values, the cotangent of the results if it is the gradient, and the mask if there is one, by the axes of
/// all of them.
struct Operands {
    names: Names,
    sizes: Sizes,
    shapes: SmallVec<[Shape; 5]>,
    places: SmallVec<[Place; 5]>,
    /// Columns of the values that are called as an axis of the keys is, and what they are called here.
    columns: SmallVec<[(Name, Name); 2]>,
    /// Which of them is the cotangent, and which the mask.
    owed: Option<usize>,
    mask: Option<usize>,
}

/// The axes of the matrices, and those that are looped over. Runs of rows are walked with one stride.
struct Roles {
    rows: SmallVec<[Order; 4]>,
    keys: Order,
    positions: Order,
    columns: Order,
    loops: SmallVec<[Order; 8]>,
}

impl Lowering<'_, '_> {
    /// The step of attention.
    pub(super) fn attention(&mut self, i: u32, attention: &Attention<'_>) {
        let item = self.items.item(i);
        if item.shape.elements() == 0 {
            return self.fill(i, 0.0);
        }
        let (operands, roles) = self.prepared(i, attention, false);
        let sizes = &operands.sizes;
        let along = |at: usize| operands.in_values(at).and_then(|name| item.shape.position(name));
        let ones = (0..sizes.len()).filter(|&at| sizes[at] == 1 && along(at).is_some());
        let ones = ones.map(|at| Order::from_slice(&[at]));
        let columns = [&roles.columns].into_iter().filter(|unit| !unit.is_empty());
        let units = ones.chain(roles.loops.iter().chain(&roles.rows).chain(columns).cloned()).collect();
        let tail = self.tails.get(&i);
        let axes = tail.into_iter().flat_map(|tail| &tail.axes);
        let axes: Order =
            axes.filter_map(|&name| (0..sizes.len()).find(|&at| operands.in_values(at) == Some(name))).collect();
        let tail = Wanted { axes: &axes, anywhere: tail.is_some_and(|tail| tail.anywhere) };
        let order = contract::arranged(units, tail, [&roles.columns; 2]);
        let mut out = Strides::from_elem(0, sizes.len());
        for (&at, stride) in order.iter().zip(row_major(order.iter().map(|&at| sizes[at]))) {
            out[at] = stride;
        }
        let action = Action::Attention {
            operands: operands.read(&roles),
            batch: operands.batch(&roles),
            rows: operands.rows(&roles),
            sizes: operands.matrices(&roles),
            scale: self.scale(i, attention, 3),
            instead: attention.instead,
            out: roles.along(&out, &roles.of_rows(&roles.columns)),
        };
        let order: Order = order.iter().filter_map(|&at| along(at)).collect();
        self.step(i, &order, action);
    }

    /// The step of its gradient. Each result lies as that which it is the gradient of; all are in one buffer.
    pub(super) fn attention_gradient(&mut self, i: u32, gradient: &AttentionGradient<'_>) {
        let item = self.items.item(i);
        let (operands, roles) = self.prepared(i, &gradient.of, true);
        let spaces = [
            roles.of_rows(&roles.keys),
            roles.of_matrix([&roles.keys, &roles.positions]),
            roles.of_matrix([&roles.positions, &roles.columns]),
        ];
        let slot = self.slot(item.kind, 0);
        let mut size = 0;
        let mut out = [None, None, None];
        for (which, &result) in gradient.results.iter().enumerate() {
            let Some(result) = result else { continue };
            let shape = self.items.item(result).shape;
            let name = |at: usize| if which == 2 { operands.in_values(at) } else { Some(operands.names[at]) };
            let at = |of: Name| (0..operands.names.len()).find(|&at| name(at) == Some(of));
            let lies = &operands.places[which].strides;
            // Runs stay runs, whatever the strides of what they are read from.
            let mut units: SmallVec<[&Order; 8]> = roles.loops.iter().chain(spaces[which].iter().copied()).collect();
            sort_few(&mut units, |unit| unit.last().map(|&last| far_first(lies[last])));
            let runs = units.iter().flat_map(|unit| unit.iter()).filter_map(|&at| shape.position(name(at)?));
            let ones = shape.iter().enumerate().filter(|(_, (_, size))| *size == 1).map(|(at, _)| at);
            let order: Order = ones.chain(runs).collect();
            let place = Place { slot, offset: size, strides: dense(shape, &order) };
            let mut strides = Strides::from_elem(0, operands.sizes.len());
            for (name, &stride) in shape.names().zip(&place.strides) {
                if let Some(at) = at(name) {
                    strides[at] = stride;
                }
            }
            out[which] = Some((size, roles.along(&strides, &spaces[which])));
            size += shape.elements();
            self.places.insert(result, place);
        }
        self.schedule.slots[slot as usize].size = size;
        let action = Action::AttentionGradient {
            operands: operands.read(&roles),
            batch: operands.batch(&roles),
            rows: operands.rows(&roles),
            sizes: operands.matrices(&roles),
            scale: self.scale(i, &gradient.of, 4),
            instead: gradient.of.instead,
            out: Box::new(out),
        };
        let fused = gradient.results.iter().flatten().map(|&result| self.items.item(result).node).collect();
        self.schedule.steps.push(Step { fused, ..Step::new(action, slot, item.node) });
    }

    /// The operands where they can be read, and their axes.
    fn prepared(&mut self, i: u32, attention: &Attention<'_>, owed: bool) -> (Operands, Roles) {
        let mut operands = self.operands(i, attention, owed);
        let mut roles = operands.roles(attention);
        self.side_by_side(i, &mut operands, &roles);
        operands.join_rows(&mut roles);
        (operands, roles)
    }

    /// The scalar, which is the input `at`, and whether it divides.
    fn scale(&self, i: u32, attention: &Attention<'_>, at: usize) -> Option<Factor> {
        let scalar = || self.places[&self.items.item(i).inputs[at]].clone();
        (attention.scale != Scale::None).then(|| Box::new((scalar(), attention.scale == Scale::By)))
    }

    /// What attention reads, spread over the axes of all operands.
    fn operands(&self, i: u32, attention: &Attention<'_>, owed: bool) -> Operands {
        let items = self.items;
        let inputs = &items.item(i).inputs;
        let mask = attention.masked.then(|| inputs[inputs.len() - 1]);
        let matrices = if owed { 4 } else { 3 };
        let inputs: SmallVec<[u32; 5]> = few(inputs[..matrices].iter().copied().chain(mask));
        let values = items.item(inputs[2]).shape;
        let columns: SmallVec<[(Name, Name); 2]> =
            attention.keys.iter().filter(|&&name| values.has(name)).map(|&name| (name, name.freshened())).collect();
        let shapes: SmallVec<[Shape; 5]> = few(inputs.iter().enumerate().map(|(which, &input)| {
            let renamed = columns.iter().filter(|_| (2..matrices).contains(&which));
            renamed.fold(items.item(input).shape.clone(), |shape, &(from, to)| {
                shape.replaced(from, &[(to, shape.size(from).unwrap_or(1))])
            })
        }));
        let (mut names, mut sizes) = (Names::new(), Sizes::new());
        for (name, size) in shapes.iter().flat_map(Shape::iter) {
            if !names.contains(&name) {
                names.push(name);
                sizes.push(size);
            }
        }
        let spread = |(&input, shape): (&u32, &Shape)| {
            let place = &self.places[&input];
            let along = |&name| shape.position(name).map_or(0, |at| place.strides[at]);
            Place { slot: place.slot, offset: place.offset, strides: few(names.iter().map(along)) }
        };
        let places = few(inputs.iter().zip(&shapes).map(spread));
        let (owed, mask) = (owed.then_some(3), mask.map(|_| matrices));
        Operands { names, sizes, shapes, places, columns, owed, mask }
    }

    /// Copies the operands in which the axes of one role cannot be walked with one stride.
    fn side_by_side(&mut self, i: u32, operands: &mut Operands, roles: &Roles) {
        let Roles { keys, positions, columns, .. } = roles;
        for which in 0..operands.places.len() {
            let is_mask = operands.mask == Some(which);
            let groups: &[&Order] = match which {
                0 => &[keys],
                1 => &[keys, positions],
                2 => &[positions, columns],
                _ if is_mask => &[positions],
                _ => &[columns],
            };
            let place = operands.places[which].clone();
            let one_run = |group: &&Order| {
                let walked = group.iter().map(|&at| (operands.sizes[at], place.strides[at]));
                let (sizes, strides): (Sizes, Strides) = walked.unzip();
                layout::is_one_run(&sizes, &strides)
            };
            // A mask is read for every batch position, so it pays to have its rows side by side.
            let scattered = is_mask && positions.last().is_some_and(|&at| !matches!(place.strides[at], 0 | 1));
            if !groups.iter().all(one_run) || scattered {
                let last: Order = groups.iter().flat_map(|group| group.iter().copied()).collect();
                let others = operands.pick(|at| operands.has(which, at) && !last.contains(&at));
                let order: Order = others.into_iter().chain(last).collect();
                operands.places[which] = self.copied(i, &place, &operands.sizes, &order);
            }
        }
    }
}

impl Operands {
    /// What an axis is called in the values and in the results; those that only keys and queries have are none there.
    fn in_values(&self, at: usize) -> Option<Name> {
        let name = self.names[at];
        match self.columns.iter().find(|&&(theirs, ours)| name == theirs || name == ours) {
            Some(&(theirs, ours)) => (name == ours).then_some(theirs),
            None => Some(name),
        }
    }

    fn has(&self, which: usize, at: usize) -> bool {
        self.shapes[which].has(self.names[at])
    }

    /// The axes of more than one position that are wanted.
    fn pick(&self, wanted: impl Fn(usize) -> bool) -> Order {
        few((0..self.sizes.len()).filter(|&at| self.sizes[at] != 1 && wanted(at)))
    }

    fn roles(&self, attention: &Attention<'_>) -> Roles {
        let mut keys = self.pick(|at| attention.keys.contains(&self.names[at]));
        let mut positions = self.pick(|at| attention.positions.contains(&self.names[at]));
        let mut columns = self.pick(|at| self.has(2, at) && !self.has(0, at) && !self.has(1, at));
        let mut rows = self.pick(|at| self.has(0, at) && !self.has(1, at) && !self.has(2, at));
        rows.retain(|at| !keys.contains(at));
        sort_few(&mut keys, |&at| far_first(self.places[1].strides[at]));
        sort_few(&mut positions, |&at| far_first(self.places[1].strides[at]));
        sort_few(&mut columns, |&at| far_first(self.places[2].strides[at]));
        sort_few(&mut rows, |&at| far_first(self.places[0].strides[at]));
        let in_matrices = |at: &usize| [&keys, &positions, &columns, &rows].iter().any(|role| role.contains(at));
        let one = |&at: &usize| Order::from_slice(&[at]);
        let loops = few(self.pick(|at| !in_matrices(&at)).iter().map(one));
        Roles { rows: few(rows.iter().map(one)), keys, positions, columns, loops }
    }

    /// Rows of several axes that every operand walks with one stride are one axis.
    fn join_rows(&self, roles: &mut Roles) {
        let mut joined: SmallVec<[Order; 4]> = SmallVec::new();
        for unit in roles.rows.drain(..) {
            let walked = |place: &Place, run: &Order| {
                let run = run.iter().chain(&unit);
                let (sizes, strides): (Sizes, Strides) = run.map(|&at| (self.sizes[at], place.strides[at])).unzip();
                layout::is_one_run(&sizes, &strides)
            };
            let read = [Some(0), self.owed, self.mask];
            match joined.last_mut() {
                Some(run) if read.iter().flatten().all(|&which| walked(&self.places[which], run)) => run.extend(unit),
                _ => joined.push(unit),
            }
        }
        roles.rows = joined;
    }

    fn size(&self, unit: &Order) -> usize {
        unit.iter().map(|&at| self.sizes[at]).product()
    }

    fn batch(&self, roles: &Roles) -> Sizes {
        roles.loops.iter().map(|unit| self.size(unit)).collect()
    }

    fn rows(&self, roles: &Roles) -> Sizes {
        roles.rows.iter().map(|unit| self.size(unit)).collect()
    }

    /// How many keys, positions and columns there are.
    fn matrices(&self, roles: &Roles) -> [usize; 3] {
        [&roles.keys, &roles.positions, &roles.columns].map(|unit| self.size(unit))
    }

    /// The operands by the axes of their matrices.
    fn read(&self, roles: &Roles) -> Box<[Place]> {
        let read = |(which, place): (usize, &Place)| {
            let axes = match which {
                0 => roles.of_rows(&roles.keys),
                1 => roles.of_matrix([&roles.keys, &roles.positions]),
                2 => roles.of_matrix([&roles.positions, &roles.columns]),
                _ if self.owed == Some(which) => roles.of_rows(&roles.columns),
                _ => roles.of_rows(&roles.positions),
            };
            Place { slot: place.slot, offset: place.offset, strides: roles.along(&place.strides, &axes) }
        };
        self.places.iter().enumerate().map(read).collect()
    }
}

impl Roles {
    /// The rows, and what each of them consists of.
    fn of_rows<'b>(&'b self, last: &'b Order) -> SmallVec<[&'b Order; 6]> {
        few(self.rows.iter().chain([last]))
    }

    fn of_matrix<'b>(&'b self, axes: [&'b Order; 2]) -> SmallVec<[&'b Order; 6]> {
        few(axes)
    }

    /// The strides along the batch and then along these runs of axes.
    fn along(&self, strides: &Strides, axes: &[&Order]) -> Strides {
        let step = |unit: &Order| unit.last().map_or(0, |&at| strides[at]);
        few(self.loops.iter().chain(axes.iter().copied()).map(step))
    }
}
