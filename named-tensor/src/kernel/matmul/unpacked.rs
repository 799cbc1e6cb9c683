//! Products with windows that are read where they lie, and not packed.
//!
//! Where windows begin next to each other, the numbers of a term lie side by side for all windows of a row of a picture, and the
//! next row follows after those that begin no window. A product that computes these as well, and leaves them out when it stores
//! its sums, needs no panel.
//! Lives here: which windows are so near to each other, their groups, and the loops over them. Not here: what is done with a
//! group in registers (`tiles::unpacked`).

use super::packing::DEPTH;
use super::panelled::{Panelled, finished};
use super::windows::{Lying, Runs};
use crate::kernel::ahead::Ahead;
use crate::kernel::map::Finisher;
use crate::kernel::panels::WIDTH;
use crate::kernel::parallel::Shared;
use crate::kernel::simd::Lanes;
use crate::kernel::tiles::{GROUP, GROUPS, Group, Left, Panel, Strip, Unpacked, multiply_unpacked};
use crate::kernel::vectors;

/// To pack a panel takes as long as to multiply it with so many rows.
const PACKED: usize = 12;
/// Rows of the result that are computed at once.
const ROWS: usize = 96;

impl Lying {
    /// Whether a product of so many rows reads it where it lies: it computes what it leaves out for all of them.
    pub(super) fn is_near(&self, rows: usize) -> bool {
        let columns = &self.columns;
        let count = columns.count();
        // Vectors of one number are not worth it.
        let is_read = columns.last.1 == 1 && columns.reach >= GROUP && !vectors::are_none();
        is_read && {
            let left_out = columns.groups(0, count, usize::MAX).count() * GROUP - count;
            left_out.saturating_mul(rows) <= count.saturating_mul(PACKED)
        }
    }
}

impl Runs {
    /// The positions from `at` to `end` in groups, none of which begins after `last`.
    pub(super) fn groups(&self, mut at: usize, end: usize, last: usize) -> impl Iterator<Item = Group> {
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let group = self.group(at, end, last);
                at += group.kept.count_ones() as usize;
                group
            })
        })
    }

    /// The group that begins with the position numbered `at`, or before it so that it begins at `last`.
    fn group(&self, mut at: usize, end: usize, last: usize) -> Group {
        let first = self.at(at);
        let (mut kept, mut filled) = (0_u32, 0);
        // Rows of neighbours, as far as they lie behind one another and near.
        while at < end && filled < GROUP {
            let lane = self.at(at).wrapping_sub(first);
            if !(filled..GROUP).contains(&lane) {
                break;
            }
            let row = (self.last.0 - at % self.last.0).min(end - at).min(GROUP - lane);
            kept |= ((1 << row) - 1) << lane;
            (at, filled) = (at + row, lane + row);
        }
        let from = first.min(last);
        Group { from, kept: (kept << (first - from)) as u16 }
    }
}

impl<T: Lanes> Panelled<'_, T> {
    /// Computes it with windows that are read where they lie, from the column `start` on, to a result that begins at `first`.
    ///
    /// # Safety
    /// All elements of the result lie inside `dst`, and nothing else touches them.
    pub(super) unsafe fn compute_unpacked(
        &self,
        (lying, start): (&Lying, usize),
        dst: &Shared<'_, T>,
        first: usize,
        mut finisher: Option<&mut Finisher<'_, T>>,
    ) {
        let (numbers, terms) = (self.right.numbers, &lying.terms);
        assert!(terms.reach + lying.columns.reach < numbers.len(), "a window leaves its slice");
        // From here on a group of the last term leaves it.
        let last = numbers.len() - terms.reach - GROUP;
        let end = start + self.right.columns;
        let mut groups = lying.columns.groups(start, end, last);
        let mut column = 0;
        loop {
            let mut some = [Group::default(); GROUPS];
            let count = some.iter_mut().map_while(|to| groups.next().map(|group| *to = group)).count();
            if count == 0 {
                return;
            }
            let columns = some.iter().map(|group| group.kept.count_ones() as usize).sum::<usize>();
            for top in (0..self.right.inner).step_by(DEPTH) {
                let depth = DEPTH.min(self.right.inner - top);
                for row in (0..self.rows).step_by(ROWS) {
                    let from = &self.left.numbers[row * self.left.row + top * self.left.along..];
                    let first = first + row * self.step + column;
                    let strip = Strip {
                        factor: self.scale,
                        rows: ROWS.min(self.rows - row),
                        done: 0,
                        columns,
                        left: Left { numbers: from, ..self.left },
                        panel: Panel::packed(&[], WIDTH),
                        to: dst.as_ptr().wrapping_add(first),
                        step: self.step,
                        adds: top > 0,
                        ending: &[],
                        ahead: Ahead::none(),
                    };
                    let compute = |strip: &Strip<'_, T>| {
                        let terms = &lying.all_terms[top..top + depth];
                        let product = Unpacked { strip, numbers, groups: &some[..count], terms };
                        // SAFETY: no group begins after `last`, so all its terms are inside; the columns are ours by the
                        // contract of this function.
                        unsafe { multiply_unpacked(&product) };
                    };
                    let finisher = finisher.as_deref_mut().filter(|_| top + depth == self.right.inner);
                    // SAFETY: the strip is these rows and columns of the result, which are inside and ours.
                    unsafe { finished(&strip, compute, dst, first, finisher) };
                }
            }
            column += columns;
        }
    }
}
