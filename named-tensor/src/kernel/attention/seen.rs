//! What each row of attention sees: which positions its mask leaves, and whether it says anything else of them.
//!
//! Lives here: the scan of a mask, once for all batch positions and rows that share it. Not here: scores.

use crate::element::Stored;
use crate::kernel::View;
use crate::kernel::lanes::vectorised;
use crate::kernel::math::Scalar;
use crate::kernel::panels::WIDTH;
use crate::kernel::parallel;
use crate::kernel::span::Odometer;
use crate::kernel::tiles::ROWS;
use smallvec::SmallVec;
use std::ops::Range;

/// Elements of a mask that are looked at together.
const CHUNK: usize = 64;

/// What a row sees.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sight {
    /// The first position that is not at -∞.
    pub(super) start: usize,
    /// The one behind the last. A row that sees nothing looks at all positions: its softmax is NaN there.
    pub(super) end: usize,
    /// Whether the mask adds something between the two.
    pub(super) masked: bool,
}

/// The sights of all rows.
pub(super) struct Seen<'a> {
    /// The sizes of the batch and of the rows, and how far the next position of each is in `sights`; 0 where the mask
    /// repeats itself.
    sizes: &'a [usize],
    strides: SmallVec<[isize; 8]>,
    sights: Vec<Sight>,
}

impl<'a> Seen<'a> {
    /// What the rows see, `sizes` being those of the batch and of the rows.
    pub(super) fn new<T: Scalar>(sizes: &'a [usize], positions: usize, mask: Option<View<'_, T>>) -> Seen<'a> {
        let mut strides = SmallVec::from_elem(0, sizes.len());
        let everything = Sight { start: 0, end: positions, masked: false };
        let Some(mask) = mask else { return Seen { sizes, strides, sights: vec![everything] } };
        let mut count = 1;
        let mut own: SmallVec<[usize; 8]> = sizes.into();
        for axis in (0..sizes.len()).rev() {
            if mask.strides[axis] == 0 {
                own[axis] = 1;
            } else {
                strides[axis] = count as isize;
                count *= sizes[axis];
            }
        }
        let mut sights = vec![everything; count];
        let (outer, along) = mask.strides.split_at(sizes.len());
        parallel::for_each_chunk(&mut sights, parallel::GRAIN.div_ceil(positions.max(1)), |first, sights| {
            let mut row = Odometer::new(&own, outer, first);
            for sight in sights {
                let first = mask.offset.wrapping_add_signed(row.distance);
                let found = match along[0] {
                    1 => sighted(&mask.data[first..][..positions]),
                    step => {
                        let numbers = (0..positions as isize).map(|i| mask.data[first.wrapping_add_signed(i * step)]);
                        sighted(&numbers.collect::<Vec<_>>())
                    }
                };
                *sight = found.unwrap_or(Sight { masked: true, ..everything });
                row.step();
            }
        });
        Seen { sizes, strides, sights }
    }

    /// The sights of some rows, counted through all batch positions.
    pub(super) fn rows(&self, rows: Range<usize>) -> Vec<Sight> {
        let mut at = Odometer::new(self.sizes, &self.strides, rows.start);
        let next = |_| {
            let sight = self.sights[at.distance as usize];
            at.step();
            sight
        };
        rows.map(next).collect()
    }
}

/// From the first to the last that is not -∞, if there is any.
fn sighted<T: Scalar>(mask: &[T]) -> Option<Sight> {
    vectorised(
        #[inline(always)]
        move || {
            let hidden = |part: &[T]| part.iter().fold(true, |all, &x| all & (x == T::LOWEST));
            let start = mask.chunks(CHUNK).position(|part| !hidden(part))? * CHUNK;
            let start = start + mask[start..].iter().position(|&x| x != T::LOWEST)?;
            let rest = mask[start..].rchunks(CHUNK).position(|part| !hidden(part))? * CHUNK;
            let end = mask[..mask.len() - rest].iter().rposition(|&x| x != T::LOWEST)? + 1;
            let masked = mask[start..end].iter().fold(false, |any, &x| any | (x != T::default()));
            Some(Sight { start, end, masked })
        },
    )
}

/// The rows, in whole tiles, from the first to the last that sees one of these positions.
pub(super) fn lookers(sights: &[Sight], positions: &Range<usize>) -> Range<usize> {
    let looks = |sight: &Sight| sight.start < positions.end && positions.start < sight.end;
    let Some(first) = sights.iter().position(looks) else { return 0..0 };
    let last = sights.iter().rposition(looks).unwrap_or(first);
    first / ROWS * ROWS..(last + 1).next_multiple_of(ROWS)
}

/// The positions from the first to the last that one of the rows sees, in whole panels.
pub(super) fn looked_at(sights: &[Sight], positions: usize) -> Range<usize> {
    let start = sights.iter().map(|sight| sight.start).min().unwrap_or(0);
    let end = sights.iter().map(|sight| sight.end).max().unwrap_or(0);
    start / WIDTH * WIDTH..end.next_multiple_of(WIDTH).min(positions)
}

/// The position of the first element of each of some rows, counted through all batch positions.
pub(super) fn firsts<T: Stored>(sizes: &[usize], view: View<'_, T>, rows: Range<usize>) -> Vec<usize> {
    let mut at = Odometer::new(sizes, &view.strides[..sizes.len()], rows.start);
    let next = |_| {
        let first = view.offset.wrapping_add_signed(at.distance);
        at.step();
        first
    };
    rows.map(next).collect()
}
