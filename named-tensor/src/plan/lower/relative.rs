//! Vectors of a table at far more positions than it has vectors, as steps.
//!
//! Lives here: which axes are rows, which only positions have, and which are those of vectors.
//! Not here: which contractions these are (`simplify::relative`), the loops (`kernel::relative`).

use super::Lowering;
use crate::axis::Name;
use crate::graph::Shape;
use crate::graph::shape::Names;
use crate::kernel::order::sort_few;
use crate::plan::layout::{Order, Place, far_first};
use crate::plan::numbered::few;
use crate::plan::schedule::{Action, Sizes};
use crate::plan::simplify::Relative;

impl Lowering<'_, '_> {
    /// The step of rows that meet the vectors of a table along `axis` at positions.
    pub(super) fn relative(&mut self, i: u32, way: Relative, axis: Name, told: u32) {
        let items = self.items;
        let item = items.item(i);
        let inputs = [item.inputs[0], item.inputs[1], item.inputs[2]];
        let shapes = inputs.map(|input| items.item(input).shape);
        let places = inputs.map(|input| &self.places[&input]);
        let [positions, second, third] = shapes;
        // Vectors lie in the table, or in the rows that it owes; rows in what is not the table.
        let is_column = |name: Name| match way {
            Relative::Products | Relative::Sums => third.has(name) && name != axis,
            Relative::Owed => item.shape.has(name) && name != axis,
        };
        let is_fine = |name: Name| match way {
            Relative::Products => !second.has(name),
            Relative::Sums => !item.shape.has(name),
            Relative::Owed => !third.has(name),
        };
        let far =
            |which: usize, name: Name| shapes[which].position(name).map(|at| far_first(places[which].strides[at]));
        let leading = if way == Relative::Owed { 2 } else { 1 };
        let mut fine: Names = positions.names().filter(|&name| is_fine(name)).collect();
        let mut columns: Names = third.names().filter(|&name| is_column(name)).collect();
        let mut rows: Names =
            shapes[leading].names().filter(|&name| !is_column(name) && !fine.contains(&name)).collect();
        rows.extend(positions.names().filter(|&name| !is_fine(name) && !shapes[leading].has(name)));
        sort_few(&mut rows, |&name| far(leading, name));
        sort_few(&mut fine, |&name| far(0, name));
        sort_few(&mut columns, |&name| far(2, name));
        let size = |name: &Name| shapes.iter().find_map(|shape| shape.size(*name)).unwrap_or(1);
        let sizes = |names: &Names| -> Sizes { names.iter().map(size).collect() };
        let limit = if way == Relative::Owed { item.shape } else { third }.size(axis).unwrap_or(0);
        let along = |which: usize, names: Names| places[which].along(&names, shapes[which]);
        let both = |last: &Names| -> Names { rows.iter().chain(last).copied().collect() };
        let table = || -> Names { [axis].iter().chain(&columns).copied().collect() };
        let [second, third] = match way {
            Relative::Products => [along(1, both(&columns)), along(2, table())],
            Relative::Sums => [along(1, both(&fine)), along(2, table())],
            Relative::Owed => [along(1, both(&fine)), along(2, both(&columns))],
        };
        let first = match way {
            // Nothing is read of the products: only positions that are wrong are told from them.
            Relative::Owed => {
                let rank = positions.rank() + columns.len();
                Place { strides: few((0..rank).map(|_| 0)), ..places[1].clone() }
            }
            _ => places[2].clone(),
        };
        let action = Action::Relative {
            way,
            inputs: [first, places[0].clone()].into(),
            told,
            read: Box::new([along(0, both(&fine)), second, third]),
            sizes: Box::new([&rows, &fine, &columns].map(sizes)),
            limit,
        };
        let names: Names = match way {
            Relative::Products => both(&fine),
            Relative::Sums => both(&columns),
            Relative::Owed => table(),
        };
        self.step(i, &placed(item.shape, &names), action);
    }
}

/// The places of these axes in a shape.
fn placed(shape: &Shape, names: &Names) -> Order {
    names.iter().filter_map(|&name| shape.position(name)).collect()
}
