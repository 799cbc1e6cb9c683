//! Matrices packed in panels.
//!
//! Lives here: panels of [`WIDTH`] columns, and the loops that fill them. Whoever uses a matrix for many rows packs it once.
//! Not here: products with them (`tiles`).

use super::View;
use super::ahead::fetch_line;
use super::lanes::vectorised;
use super::math::Scalar;
use super::pool;
use super::stream::{LINE, lined_up, lined_up_mut};
use super::tiles::Panel;
use super::turn::{Starts, turn};
use crate::element::{Buffer, Stored};
use std::ops::Range;

/// Columns of a panel.
pub(super) const WIDTH: usize = 64;
/// How many rows ahead those to be copied are asked for.
pub(super) const AHEAD: usize = 8;
/// The last panel is filled with zeros up to a multiple of this, which registers of every kind divide.
const GRAIN: usize = 16;
/// Neighbours of a short row that are copied at once.
const FEW: usize = 8;

/// A matrix in panels: [`WIDTH`] columns and all rows, row by row, then the next columns.
pub(super) struct Panels {
    numbers: Buffer,
    rows: usize,
    columns: usize,
}

impl Panels {
    /// Room for a matrix of this size at most, with any numbers in it, that begins where a line of memory does: registers
    /// are read from it all the time.
    pub(super) fn new<T: Stored>(rows: usize, columns: usize) -> Panels {
        let room = Panels::room(rows, columns) + LINE / size_of::<T>();
        Panels { numbers: pool::take(T::KIND, room), rows, columns }
    }

    /// Elements of the panels of a matrix.
    pub(super) fn room(rows: usize, columns: usize) -> usize {
        rows * columns.next_multiple_of(GRAIN)
    }

    /// Packs a matrix as large as this one.
    pub(super) fn pack_matrix<T: Scalar>(&mut self, view: View<'_, T>) {
        let [down, across] = [view.strides[0], view.strides[1]];
        if down == 1 && across > 1 {
            return self.pack_columns(view);
        }
        let first = |row: usize| view.offset.wrapping_add_signed(row as isize * down);
        self.pack(self.rows, first, view.data, across);
    }

    /// Packs rows that begin at `firsts` and lie with the last stride of the view. What rows there are more become 0.
    pub(super) fn pack_rows<T: Scalar>(&mut self, firsts: &[usize], view: View<'_, T>) {
        self.pack(firsts.len(), |row| firsts[row], view.data, view.strides[view.strides.len() - 1]);
    }

    fn pack<T: Scalar>(&mut self, rows: usize, first: impl Fn(usize) -> usize, data: &[T], across: isize) {
        for (panel, columns) in panels(self.columns) {
            let (to, width) = self.panel_mut::<T>(panel);
            let (to, rest) = to.split_at_mut(rows * width);
            rest.fill(T::default());
            for (row, to) in to.chunks_exact_mut(width).enumerate() {
                let from = first(row).wrapping_add_signed(columns.start as isize * across);
                let (to, rest) = to.split_at_mut(columns.len());
                rest.fill(T::default());
                if across == 1 {
                    to.copy_from_slice(&data[from..][..to.len()]);
                } else {
                    let element = |i: usize| data[from.wrapping_add_signed(i as isize * across)];
                    to.iter_mut().enumerate().for_each(|(i, to)| *to = element(i));
                }
            }
        }
    }

    /// Packs a matrix that is contiguous down its columns, which lie forwards.
    fn pack_columns<T: Scalar>(&mut self, view: View<'_, T>) {
        let rows = self.rows;
        for (panel, columns) in panels(self.columns) {
            let (to, width) = self.panel_mut::<T>(panel);
            if columns.len() < width {
                to.fill(T::default());
            }
            let across = view.strides[1].unsigned_abs();
            turn(
                view.data,
                Starts::Even(view.offset + columns.start * across, across as isize),
                [columns.len(), rows],
                to,
                width,
            );
        }
    }

    /// The panel with this number.
    pub(super) fn panel<T: Stored>(&self, panel: usize) -> Panel<'_, T> {
        let width = width((self.columns - panel * WIDTH).min(WIDTH));
        Panel::packed(&lined_up(T::of(&self.numbers))[panel * WIDTH * self.rows..][..self.rows * width], width)
    }

    /// The numbers of the panel with this number, and its width.
    pub(super) fn panel_mut<T: Stored>(&mut self, panel: usize) -> (&mut [T], usize) {
        let width = width((self.columns - panel * WIDTH).min(WIDTH));
        (&mut lined_up_mut(T::of_mut(&mut self.numbers))[panel * WIDTH * self.rows..][..self.rows * width], width)
    }

    /// How many columns there are.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Gives the memory back.
    pub(super) fn give(self) {
        pool::give(self.numbers);
    }
}

/// The panels of so many columns, each with the columns that it holds.
pub(super) fn panels(columns: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
    (0..columns).step_by(WIDTH).enumerate().map(move |(panel, first)| (panel, first..columns.min(first + WIDTH)))
}

/// Columns of a panel that holds so many, with the zeros at its end.
pub(super) fn width(columns: usize) -> usize {
    columns.next_multiple_of(GRAIN)
}

/// Copies rows of `columns` elements, the first of which begins at `first`, to the beginnings of some rows of a panel of `width`
/// columns, in slivers of so many. Rows that are far apart are asked for before their turn: no processor expects them. Below the
/// last one nothing is: there the first rows of the columns after these are.
pub(super) fn copy_rows<T: Stored>(
    (data, [first, step]): (&[T], [usize; 2]),
    columns: usize,
    to: &mut [T],
    [width, sliver]: [usize; 2],
    rows: Range<usize>,
) {
    vectorised(
        #[inline(always)]
        move || {
            let (depth, count, sliver) = (to.len() / width, rows.len(), sliver.min(width));
            for (i, row) in rows.enumerate() {
                let from = first + i * step;
                let ahead = i + AHEAD.min(count);
                let [next, column] = if ahead < count { [ahead, 0] } else { [ahead - count, columns] };
                for line in (0..columns).step_by(LINE / size_of::<T>()) {
                    // A single row may lie any step from others that it does not have.
                    fetch_line(data, first.wrapping_add(next.wrapping_mul(step)).wrapping_add(column + line));
                }
                let parts = data[from..][..columns].chunks(sliver);
                for (from, start) in parts.zip((0..).step_by(sliver * depth)) {
                    copy_near(from, &mut to[start + row * sliver..][..from.len()]);
                }
            }
        },
    );
}

/// Copies a panel's row or a part of it. Of a few neighbours the compiler would call a function that copies.
#[inline(always)]
fn copy_near<T: Stored>(from: &[T], to: &mut [T]) {
    if let (Some(from), Some(to)) = (from.first_chunk::<WIDTH>(), to.first_chunk_mut()) {
        return *to = *from;
    }
    let ((some, from), (whole, to)) = (from.as_chunks::<FEW>(), to.as_chunks_mut());
    whole.iter_mut().zip(some).for_each(|(to, from)| *to = *from);
    if !from.is_empty() {
        to.copy_from_slice(from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::Random;

    #[test]
    fn columns_are_packed_as_rows_are() {
        let data = Random::new(9).reals(70 * 90);
        let view = |strides| View { data: &data[..], offset: 0, strides };
        let (mut rows, mut columns) = (Panels::new::<f32>(70, 90), Panels::new::<f32>(90, 70));
        rows.pack_matrix(view(&[90, 1]));
        columns.pack_matrix(view(&[1, 90]));
        let element = |panels: &Panels, row: usize, column: usize| {
            let panel = panels.panel::<f32>(column / WIDTH);
            panel.numbers[row * panel.width + column % WIDTH]
        };
        for (i, j) in (0..70).flat_map(|i| (0..90).map(move |j| (i, j))) {
            assert_eq!([element(&rows, i, j), element(&columns, j, i)], [data[i * 90 + j]; 2], "at {i}, {j}");
        }
    }
}
