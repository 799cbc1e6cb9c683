//! What each row of attention sees: which positions its mask leaves, and whether it says anything else of them.
//!
//! Lives here: the scan of a mask, once for all batch positions and rows that share it. Not here: scores, and whether a mask
//! that is very low but no -∞ has taken a position away (`far`).

use super::weights::largest;
use crate::element::Stored;
use crate::kernel::View;
use crate::kernel::lanes::vectorised;
use crate::kernel::panels::WIDTH;
use crate::kernel::parallel;
use crate::kernel::simd::Lanes;
use crate::kernel::span::Odometer;
use crate::kernel::tiles::ROWS;
use smallvec::SmallVec;
use std::ops::Range;

/// Elements of a mask that are looked at together.
const CHUNK: usize = 64;

/// What a row sees.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sight {
    /// The first position that the mask does not take away.
    pub(super) start: usize,
    /// The one behind the last. A row that sees nothing looks at all positions: its softmax is NaN there, if all are at -∞.
    pub(super) end: usize,
    /// Whether the mask adds something between the two.
    pub(super) masked: bool,
    /// The largest score that there may be before the first or behind the last.
    pub(super) beyond: f64,
}

impl Sight {
    /// All positions are seen.
    pub(super) fn everything(positions: usize, masked: bool) -> Sight {
        Sight { start: 0, end: positions, masked, beyond: f64::NEG_INFINITY }
    }
}

/// The sights of all rows.
pub(super) struct Seen<'a> {
    /// The sizes of the batch and of the rows, and how far the next position of each is in `sights`; 0 where the mask
    /// repeats itself.
    sizes: &'a [usize],
    strides: SmallVec<[isize; 8]>,
    sights: Vec<Sight>,
    /// Whether something is away that is not at -∞.
    pub(super) is_far: bool,
}

impl<'a> Seen<'a> {
    /// What the rows see, `sizes` being those of the batch and of the rows, and what the mask has at `low` or lower being away.
    pub(super) fn new<T: Lanes>(sizes: &'a [usize], positions: usize, mask: Option<View<'_, T>>, low: T) -> Seen<'a> {
        let mut strides = SmallVec::from_elem(0, sizes.len());
        let everything = Sight::everything(positions, false);
        let Some(mask) = mask else { return Seen { sizes, strides, sights: vec![everything], is_far: false } };
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
                    1 => sighted(&mask.data[first..][..positions], low),
                    step => {
                        let numbers = (0..positions as isize).map(|i| mask.data[first.wrapping_add_signed(i * step)]);
                        sighted(&numbers.collect::<Vec<_>>(), low)
                    }
                };
                *sight = found.unwrap_or(Sight { masked: true, ..everything });
                row.step();
            }
        });
        let is_far = sights.iter().any(|sight| sight.beyond > f64::NEG_INFINITY);
        Seen { sizes, strides, sights, is_far }
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

/// From the first to the last that is not at `low` or lower, if there is any.
fn sighted<T: Lanes>(mask: &[T], low: T) -> Option<Sight> {
    let sight = vectorised(
        #[inline(always)]
        move || {
            let is_low = |x: T| x <= low;
            let hidden = |part: &[T]| part.iter().fold(true, |all, &x| all & is_low(x));
            // NaN is seen.
            let is_seen = |&x: &T| !is_low(x);
            let start = mask.chunks(CHUNK).position(|part| !hidden(part))? * CHUNK;
            let start = start + mask[start..].iter().position(is_seen)?;
            let rest = mask[start..].rchunks(CHUNK).position(|part| !hidden(part))? * CHUNK;
            let end = mask[..mask.len() - rest].iter().rposition(is_seen)? + 1;
            let masked = mask[start..end].iter().fold(false, |any, &x| any | (x != T::default()));
            Some(Sight { start, end, masked, beyond: f64::NEG_INFINITY })
        },
    )?;
    if low == T::LOWEST {
        return Some(sight);
    }
    let away = [&mask[..sight.start], &mask[sight.end..]].map(|away| largest(away).wide());
    Some(Sight { beyond: away[0].max(away[1]), ..sight })
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
