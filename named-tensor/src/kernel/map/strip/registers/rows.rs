//! Rows of a light program in registers, several at once where they are short.
//!
//! Each of the registers that a deed is done to has a place of its own: some hold one row, the next ones another, and the last
//! one of a row ends with it. Deeds are placed once for all rows along three axes: all that changes from rows to the next ones
//! is a distance.
//! Not here: what a deed does (`super`), which rows there are (`block`).

use super::{AT_ONCE, Light, Numbers, Pieces, STRIP, Strip, What, run, run_pieces};
use crate::kernel::map::strip::deeds::Deed;
use crate::kernel::simd::{Lanes, is_plain};
use crate::kernel::stream::Stream;
use crate::kernel::vectors;
use pulp::{Simd, WithSimd};
use smallvec::SmallVec;

/// A number for each of three axes, the innermost one at the end.
pub(crate) type Three = [usize; 3];

/// Where a source has the numbers of rows: from this one on in the first row, and so much further in the next one along each
/// axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a, T> {
    pub(crate) numbers: &'a [T],
    pub(crate) first: usize,
    pub(crate) steps: [isize; 3],
    /// Whether it has one number for all of a row.
    pub(crate) is_one: bool,
}

impl<'a, T: Copy> Line<'a, T> {
    /// The numbers of a row.
    #[inline(always)]
    pub(in crate::kernel::map::strip) fn row(&self, row: Three, size: usize) -> Numbers<'a, T> {
        let first = self.first.wrapping_add_signed(distance(self.steps, row));
        if self.is_one {
            Numbers::same(&self.numbers[first..=first])
        } else {
            Numbers::each(&self.numbers[first..][..size])
        }
    }

    /// Whether it has so many rows of so many elements.
    fn has(&self, counts: Three, size: usize) -> bool {
        let last: [isize; 3] = std::array::from_fn(|axis| (counts[axis] - 1) as isize * self.steps[axis]);
        let reach = |further: fn(isize) -> isize| last.iter().map(|&step| further(step)).sum::<isize>();
        let (lowest, highest) = (reach(|step| step.min(0)), reach(|step| step.max(0)));
        let size = if self.is_one { 1 } else { size };
        let end = self.first.checked_add_signed(highest).and_then(|first| first.checked_add(size));
        self.first.checked_add_signed(lowest).is_some() && end.is_some_and(|end| end <= self.numbers.len())
    }
}

/// How far a row is from the first one.
#[inline(always)]
fn distance(steps: [isize; 3], row: Three) -> isize {
    row[0] as isize * steps[0] + row[1] as isize * steps[1] + row[2] as isize * steps[2]
}

/// Goes over all rows in their order, so many along each axis at once. The last ones may have been among those before.
#[inline(always)]
pub(in crate::kernel::map::strip) fn each_row(counts: Three, at_once: Three, mut each: impl FnMut(Three)) {
    let along =
        |axis: usize| (0..counts[axis]).step_by(at_once[axis]).map(move |row| row.min(counts[axis] - at_once[axis]));
    for i in along(0) {
        for j in along(1) {
            for k in along(2) {
                each([i, j, k]);
            }
        }
    }
}

impl Light {
    /// Runs the program over so many rows of `size` elements, no fewer than a register of the widest kind has, unless there are
    /// no registers of several numbers; tells whether it has.
    pub(in crate::kernel::map::strip) fn rows_in_registers<T: Lanes>(
        &self,
        counts: Three,
        size: usize,
        lines: &[Line<'_, T>],
        room: &mut [Strip<T>],
        out: &mut [T],
    ) -> bool {
        vectors::dispatch(Rows { light: self, counts, size, lines, room, out })
    }
}

/// A program and the rows that it runs over.
struct Rows<'a, 'b, T> {
    light: &'a Light,
    counts: Three,
    size: usize,
    lines: &'a [Line<'b, T>],
    room: &'a mut [Strip<T>],
    out: &'a mut [T],
}

/// A deed and where the registers of its other numbers, or of what it gives, are.
struct Placed<T> {
    what: What,
    /// Where they are for the first rows.
    place: *mut T,
    /// How much further for the next ones.
    steps: [isize; 3],
    /// All bits, or none if it is the same place for every piece of a row.
    goes_on: usize,
    /// Whether it is the same number for all rows, and for all of a row.
    is_one: [bool; 2],
    /// Where each of them is from there.
    offsets: [usize; AT_ONCE],
}

/// A source with one number for each row, and where that is written down for the rows at hand.
struct One<'a, T> {
    line: &'a Line<'a, T>,
    /// How far the number for each register is from that of the first row.
    offsets: [isize; AT_ONCE],
    to: *mut T,
}

/// Which registers there are.
pub(super) struct Shape {
    /// How many rows are computed at once.
    pub(super) at_once: Three,
    /// For each register, its row among these and its column.
    places: [(Three, usize); AT_ONCE],
    /// Numbers of a register.
    lanes: usize,
}

impl Shape {
    /// As many rows of so many elements as there are registers for: along the last axis, and if that is short, along two.
    pub(super) fn of(counts: Three, size: usize, lanes: usize) -> Shape {
        let in_row = size.div_ceil(lanes).min(AT_ONCE);
        let most = AT_ONCE / in_row;
        let last = most.min(counts[2]);
        // One, where the last axis is long.
        let before = (most / last).min(counts[1]);
        let place = |n: usize| {
            // Registers that are left over do once more what the last row is due.
            let row = (n / in_row).min(before * last - 1);
            ([0, row / last, row % last], (n % in_row * lanes).min(size - lanes))
        };
        Shape { at_once: [1, before, last], places: std::array::from_fn(place), lanes }
    }
}

impl<T: Lanes> WithSimd for Rows<'_, '_, T> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) -> bool {
        if const { is_plain::<T, S>() } {
            return false;
        }
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let (counts, size) = (self.counts, self.size);
        let elements = counts.into_iter().try_fold(size, usize::checked_mul);
        assert!(
            size >= lanes && elements == Some(self.out.len()) && !self.out.is_empty(),
            "map: a result for each row"
        );
        assert!(
            self.lines.len() == self.light.sources && self.light.others.is_empty(),
            "map: every source, one result"
        );
        assert!(self.lines.iter().all(|line| line.has(counts, size)), "map: numbers of each source for each row");
        let shape = Shape::of(counts, size, lanes);
        let (placed, ones) = self.place(&shape);
        let usual = Stream::usual();
        let piece = AT_ONCE * lanes;
        let mut along = SmallVec::<[super::Placed<T>; 16]>::new();
        each_row(
            counts,
            shape.at_once,
            #[inline(always)]
            |row| {
                for One { line, offsets, to } in &ones {
                    let first = line.first.wrapping_add_signed(distance(line.steps, row));
                    for (n, offset) in offsets.iter().enumerate() {
                        let numbers = T::splat(simd, line.numbers[first.wrapping_add_signed(*offset)]);
                        // SAFETY: a strip of the room is as large as all registers.
                        unsafe { to.cast::<T::Register<S>>().wrapping_add(n).write_unaligned(numbers) };
                    }
                }
                if size >= piece {
                    // One row is longer than all registers: its places are side by side.
                    along.clear();
                    placed.iter().for_each(|deed| along.push(deed.along(row)));
                    let pieces = Pieces { lined_up: 0, last: size - piece, size: piece };
                    // SAFETY: each deed has numbers, or places, for all of the row, or for all registers in the room.
                    unsafe { run_pieces::<T, S, AT_ONCE>(simd, &mut along, &[], &usual, pieces) };
                } else {
                    // SAFETY: each deed has numbers, or places, for the registers of all rows.
                    unsafe { run::<T, S, _, AT_ONCE>(simd, placed.iter().map(|deed| deed.at::<S>(row)), &usual) };
                }
            },
        );
        true
    }
}

impl<'a, T: Lanes> Rows<'a, '_, T> {
    /// Places the deeds, and says which numbers have to be written down for each row.
    #[inline(always)]
    fn place(&mut self, shape: &Shape) -> (SmallVec<[Placed<T>; 16]>, SmallVec<[One<'a, T>; 4]>) {
        let (light, lines, [_, before, last]) = (self.light, self.lines, self.counts);
        let row_steps = [before * last, last, 1].map(|rows| (rows * self.size) as isize);
        let values = light.constants.len() + light.steps.len();
        let (mut placed, mut ones) = (SmallVec::new(), SmallVec::<[One<'_, T>; 4]>::new());
        // All places of the room come from one pointer: a value is written by one deed and read by others.
        let (strips, first) = (self.room.len(), self.room.as_mut_ptr());
        for &Deed { what, with } in &light.deeds {
            // In the room registers are side by side.
            let in_room = |value: usize, what| {
                assert!(value < strips && AT_ONCE * shape.lanes <= STRIP, "map: a strip of the room");
                let place = first.wrapping_add(value).cast::<T>();
                let offsets = std::array::from_fn(|n| n * shape.lanes);
                Placed { what, place, steps: [0; 3], goes_on: 0, is_one: [false; 2], offsets }
            };
            let in_rows = |place, steps| {
                let offsets = shape.places.map(|(row, column)| column.wrapping_add_signed(distance(steps, row)));
                Placed { what, place, steps, goes_on: usize::MAX, is_one: [false; 2], offsets }
            };
            placed.push(match lines.get(with) {
                _ if what == What::Give => in_rows(self.out.as_mut_ptr(), row_steps),
                Some(line) if what.reads() && line.is_one => {
                    let deed = Placed { is_one: [false, true], ..in_room(values + with, what) };
                    if ones.iter().all(|one| one.to != deed.place) {
                        let offsets = shape.places.map(|(row, _)| distance(line.steps, row));
                        ones.push(One { line, offsets, to: deed.place });
                    }
                    deed
                }
                // It is read alone.
                Some(line) if what.reads() => in_rows(line.numbers[line.first..].as_ptr().cast_mut(), line.steps),
                _ if what.reads() || what == What::Keep => {
                    let value = with - lines.len();
                    match light.constants.get(value) {
                        Some(&one) => Placed { is_one: [true; 2], ..in_room(value, what.beside(one)) },
                        None => in_room(value, what),
                    }
                }
                _ => in_room(values, what),
            });
        }
        (placed, ones)
    }
}

impl<T: Lanes> Placed<T> {
    /// What is done to the rows from this one on, whether with one number, and the places of its registers.
    #[inline(always)]
    fn at<S: Simd>(&self, row: Three) -> (What, bool, impl Fn(usize) -> *mut T::Register<S>) {
        let place = self.place.wrapping_offset(distance(self.steps, row));
        (self.what, self.is_one[0], move |n| place.wrapping_add(self.offsets[n]).cast())
    }

    /// The same for the pieces of one row.
    #[inline(always)]
    fn along(&self, row: Three) -> super::Placed<T> {
        let place = self.place.wrapping_offset(distance(self.steps, row));
        super::Placed { what: self.what, place, goes_on: self.goes_on, is_one: self.is_one[1], source: usize::MAX }
    }
}
