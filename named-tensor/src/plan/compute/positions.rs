//! The kernels of steps that read or sum at computed positions. Each tells whether all positions are there.
//!
//! Lives here: from their places to the views of a kernel. Not here: what becomes of a position that is not there (`execute`).

use crate::element::{Kind, Stored};
use crate::kernel::math::Scalar;
use crate::kernel::relative::{self, Space};
use crate::kernel::simd::Lanes;
use crate::kernel::{gather, grouped, one_hot, scatter};
use crate::plan::execute::Slots;
use crate::plan::schedule::Action;
use crate::plan::simplify::Relative;

pub(super) fn gathered<T: Stored>(action: &Action, slots: &Slots, sound: &mut bool, out: &mut [T]) {
    let Action::Gather { read, outer, inner, limit, is_hot, .. } = action else { return };
    let [table, positions] = &**read;
    let (table, positions) = (slots.view(table), slots.view(positions));
    if *is_hot {
        one_hot::rows_at(outer, inner, *limit, table, positions, out);
    } else {
        *sound = gather::gather(outer, inner, *limit, table, positions, out);
    }
}

pub(super) fn scattered<T: Scalar>(action: &Action, slots: &Slots, sound: &mut bool, out: &mut [T]) {
    let Action::Scatter { read, sizes, size, across, is_hot, .. } = action else { return };
    let [updates, positions] = &**read;
    let sizes = sizes.each_ref().map(|sizes| &sizes[..]);
    let (updates, positions) = (slots.view(updates), slots.view(positions));
    *sound = match *across {
        _ if *is_hot => {
            one_hot::sums_at(sizes, *size, updates, positions, out);
            true
        }
        Some(stretch) => scatter::across(sizes, [*size, stretch], updates, positions, out),
        None => scatter::scatter(sizes, *size, updates, positions, out),
    };
}

pub(super) fn grouped<T: Lanes>(action: &Action, slots: &Slots, sound: &mut bool, out: &mut [T]) {
    let Action::Grouped { read, batch, sizes, limit, is_owed, .. } = action else { return };
    let [positions, rows, third] = &**read;
    let (positions, rows) = (slots.view(positions), slots.view(rows));
    let [outer, between, terms, columns] = sizes.each_ref().map(|sizes| &sizes[..]);
    *sound = if *is_owed {
        grouped::summed(batch, [outer, between, terms, columns], *limit, positions, rows, slots.view(third), out)
    } else {
        let table = match slots.at(third.slot, third.offset).0.kind() {
            Kind::Bf16 => grouped::Table::Narrow(slots.view(third)),
            _ => grouped::Table::Whole(slots.view(third)),
        };
        grouped::chosen(batch, [outer, between, terms, columns], *limit, positions, rows, table, out)
    };
}

pub(super) fn relative<T: Lanes>(action: &Action, slots: &Slots, sound: &mut bool, out: &mut [T]) {
    let Action::Relative { way, read, sizes, limit, .. } = action else { return };
    let [positions, second, third] = &**read;
    let (positions, second, third) = (slots.view(positions), slots.view(second), slots.view(third));
    let [rows, fine, columns] = sizes.each_ref().map(|sizes| &sizes[..]);
    let space = Space { rows, fine, columns, limit: *limit };
    *sound = match way {
        Relative::Products => relative::products(space, positions, second, third, out),
        Relative::Sums => relative::sums(space, positions, second, third, out),
        Relative::Owed => relative::owed(space, positions, second, third, out),
    };
}
