//! Registers: the values of a source or of a step under one block.
//!
//! Lives here: that they begin where a line of memory does, since a vector that lies in two lines costs twice; that a thread
//! keeps those of one program for the next, since a small program takes less time than to allocate and clear them; and how
//! the elements of an operand that do not lie one behind the other are gathered into one.
//! Not here: what is gathered when (`block`).

use super::Operand;
use crate::element::{Buffer, Kind, Stored};
use crate::kernel::copy::{copy_backwards, copy_short, every_of_rows, interleave_rows};
use crate::kernel::lanes::vectorised;
use crate::kernel::pattern::repeat;
use crate::kernel::pool;
use crate::kernel::span::Odometer;
use crate::kernel::stream::LINE;
use std::cell::RefCell;
use std::iter::once;
use std::ops::{Deref, DerefMut};

/// Bytes that a register has more than it needs. Registers of the same size, often a power of two, are allocated one after the other;
/// without a distance all of them would come to lie in one place of the nearest cache.
const APART: usize = 17 * LINE;

/// Registers that a thread keeps at most, and bytes of the largest one: those of a long program.
const KEPT: usize = 32;
const LARGEST: usize = 64 << 10;

/// Places behind the elements that are gathered: what is repeated is written some at a time.
pub(super) const BEHIND: usize = 16;

/// Elements from which on those that lie a few apart are picked out of whole vectors.
const WORTH: usize = 16;

thread_local! {
    /// What was a register of this thread before, the last one at the end.
    static FREE: RefCell<Vec<Buffer>> = const { RefCell::new(Vec::new()) };
}

/// A register, whose memory is kept for another one when it is dropped.
#[derive(Debug)]
pub(crate) struct Register(Buffer);

impl Default for Register {
    /// None.
    fn default() -> Register {
        Register(Buffer::zeros(Kind::Bool, 0))
    }
}

impl Deref for Register {
    type Target = Buffer;

    #[inline(always)]
    fn deref(&self) -> &Buffer {
        &self.0
    }
}

impl DerefMut for Register {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Buffer {
        &mut self.0
    }
}

impl Drop for Register {
    fn drop(&mut self) {
        let buffer = std::mem::replace(&mut self.0, Buffer::zeros(Kind::Bool, 0));
        match buffer.size() * buffer.kind().bytes() {
            0 => {}
            1..=LARGEST => keep(buffer),
            _ => pool::give(buffer),
        }
    }
}

/// Keeps the memory of a register. Where there is too much, what has lain longest goes; a thread that ends keeps nothing.
fn keep(buffer: Buffer) {
    let _ = FREE.try_with(|free| {
        let mut free = free.borrow_mut();
        if free.len() == KEPT {
            free.remove(0);
        }
        free.push(buffer);
    });
}

/// A kept buffer of at least so many elements.
fn kept(kind: Kind, size: usize) -> Option<Buffer> {
    let of = |free: &RefCell<Vec<Buffer>>| {
        let mut free = free.borrow_mut();
        let at = free.iter().rposition(|buffer| buffer.kind() == kind && buffer.size() >= size)?;
        Some(free.swap_remove(at))
    };
    FREE.try_with(of).ok().flatten()
}

/// A register for so many elements, with any numbers in it. It may have room for more.
pub(super) fn register(kind: Kind, size: usize) -> Register {
    if size == 0 {
        return Register(Buffer::zeros(kind, 0));
    }
    let needed = size + LINE / kind.bytes();
    Register(kept(kind, needed).unwrap_or_else(|| Buffer::zeros(kind, size + APART / kind.bytes())))
}

/// Makes room for so many elements, which forgets what is there if there was too little.
pub(super) fn make_room(to: &mut Register, size: usize) {
    if to.size() < size + LINE / to.kind().bytes() {
        *to = register(to.kind(), size);
    }
}

/// The same for much room: what is larger than a thread keeps comes from the pool, where it goes back to.
pub(super) fn take_room(to: &mut Register, size: usize) {
    let (kind, needed) = (to.kind(), size + LINE / to.kind().bytes());
    if to.size() < needed {
        *to = if needed * kind.bytes() > LARGEST { Register(pool::take(kind, needed)) } else { register(kind, size) };
    }
}

/// Fills a register, as [`Rows::elements`] does, with rows of one number each, which are `step` apart in an operand: the first
/// one stands at `first`, and its row begins in this column. Each row is written from one line of memory to the next: what is
/// stored across two lines takes longer, also to be read again.
pub(super) fn even_rows_of_one<T: Stored>(
    from: &Buffer,
    [first, column, inner]: [usize; 3],
    step: isize,
    register: &mut [T],
) {
    let data = T::of(from);
    vectorised(
        #[inline(always)]
        move || {
            let (mut left, mut before, mut place) = (register.len() - BEHIND, column, first);
            let mut register = register;
            while left > 0 {
                let (x, size) = (data[place], left.min(inner - before));
                register[..BEHIND].fill(x);
                let line = match register.as_ptr().align_offset(LINE) {
                    line @ 1..BEHIND => line,
                    _ => BEHIND,
                };
                let rest = size.saturating_sub(line).next_multiple_of(BEHIND);
                register[line..line + rest].as_chunks_mut::<BEHIND>().0.iter_mut().for_each(|some| some.fill(x));
                register = &mut register[size..];
                (left, before, place) = (left - size, 0, place.wrapping_add_signed(step));
            }
        },
    );
}

/// The part of the rows of a source that lies under a block.
pub(super) struct Rows<'a> {
    pub(super) rows: Odometer<'a>,
    /// Where the block begins in its row.
    pub(super) column: usize,
    /// Elements of a row.
    pub(super) inner: usize,
    /// The distance from one to the next.
    pub(super) stride: isize,
}

impl Rows<'_> {
    /// Fills a register row by row; `fill` gets the distance of the first element of its part. A row that comes again is filled
    /// once, and rows that go on as evenly as their elements are one.
    pub(super) fn gather<T: Stored>(mut self, register: &mut [T], fill: impl Fn(isize, &mut [T])) {
        let mut at = 0;
        while at < register.len() {
            let (run, step) = self.rows.run();
            if run > 1 && step == self.inner as isize * self.stride {
                let end = register.len().min(at + run * self.inner - self.column);
                fill(self.rows.distance + self.column as isize * self.stride, &mut register[at..end]);
                self.rows.advance((self.column + end - at) / self.inner);
                (at, self.column) = (end, 0);
                continue;
            }
            let end = register.len().min(at + self.inner - self.column);
            fill(self.rows.distance + self.column as isize * self.stride, &mut register[at..end]);
            let again = if self.column == 0 { self.rows.again().min((register.len() - end) / self.inner) } else { 0 };
            if again > 0 {
                repeat(&mut register[at..end + again * self.inner], self.inner);
                self.rows.skip(again);
            }
            at = end + again * self.inner;
            self.column = 0;
            self.rows.step();
        }
    }

    /// Fills the first `size` places of a register with short rows, each of one number repeated. `N` numbers are written for
    /// each, a few registers of the processor, however many there are in a row; those that are too many the next row writes
    /// over.
    fn short_rows<T: Stored, const N: usize>(mut self, data: &[T], offset: usize, register: &mut [T], size: usize) {
        let mut at = 0;
        if self.column > 0 {
            at = size.min(self.inner - self.column);
            register[..at].fill(data[offset.wrapping_add_signed(self.rows.distance)]);
            self.rows.step();
        }
        while at < size {
            let ((run, step), inner) = (self.rows.run(), self.inner);
            let count = run.min((size - at).div_ceil(inner));
            let (first, to) = (offset.wrapping_add_signed(self.rows.distance), &mut register[at..]);
            vectorised(
                #[inline(always)]
                move || {
                    for i in 0..count {
                        let x = data[first.wrapping_add_signed(i as isize * step)];
                        to[i * inner..][..N].fill(x);
                    }
                },
            );
            self.rows.advance(count);
            at += count * inner;
        }
    }

    /// The same of rows of any length.
    fn rows_of_one<T: Stored>(mut self, operand: &Operand<'_>, register: &mut [T], size: usize) {
        let mut at = 0;
        while at < size {
            let (run, step) = self.rows.run();
            let part = (run * self.inner - self.column).min(size - at);
            let places = [operand.offset.wrapping_add_signed(self.rows.distance), self.column, self.inner];
            even_rows_of_one(operand.buffer, places, step, &mut register[at..at + part + BEHIND]);
            self.rows.advance((self.column + part) / self.inner);
            (at, self.column) = (at + part, 0);
        }
    }

    /// Fills a register with rows of `N` elements, where the elements of each are neighbours of those of the next.
    fn rows_side_by_side<T: Stored, const N: usize>(mut self, data: &[T], offset: usize, register: &mut [T]) {
        let place = |distance: isize, column: usize| {
            offset.wrapping_add_signed(distance).wrapping_add_signed(column as isize * self.stride)
        };
        let mut at = 0;
        if self.column > 0 {
            at = register.len().min(N - self.column);
            for (column, x) in (self.column..).zip(&mut register[..at]) {
                *x = data[place(self.rows.distance, column)];
            }
            self.rows.step();
        }
        while register.len() - at >= N {
            let count = self.rows.run().0.min((register.len() - at) / N);
            let from = std::array::from_fn(|column| &data[place(self.rows.distance, column)..][..count]);
            interleave_rows::<T, N>(once((from, &mut register[at..at + count * N])));
            self.rows.advance(count);
            at += count * N;
        }
        for (column, x) in register[at..].iter_mut().enumerate() {
            *x = data[place(self.rows.distance, column)];
        }
    }

    /// Fills a register with elements of an operand. Its last [`BEHIND`] places stand behind them, and may be written to.
    pub(super) fn elements<T: Stored>(self, operand: &Operand<'_>, register: &mut [T]) {
        let (data, stride, size) = (T::of(operand.buffer), self.stride, register.len() - BEHIND);
        if self.rows.run().1 == 1 {
            match self.inner {
                2 => return self.rows_side_by_side::<T, 2>(data, operand.offset, &mut register[..size]),
                3 => return self.rows_side_by_side::<T, 3>(data, operand.offset, &mut register[..size]),
                4 => return self.rows_side_by_side::<T, 4>(data, operand.offset, &mut register[..size]),
                _ => {}
            }
        }
        if stride == 0 {
            return match self.inner {
                1..=4 => self.short_rows::<T, 4>(data, operand.offset, register, size),
                5..=8 => self.short_rows::<T, 8>(data, operand.offset, register, size),
                9..=BEHIND => self.short_rows::<T, BEHIND>(data, operand.offset, register, size),
                _ => self.rows_of_one(operand, register, size),
            };
        }
        self.gather(&mut register[..size], |start, part| {
            let first = operand.offset as isize + start;
            match stride {
                1 => copy_short(&data[first as usize..][..part.len()], part),
                -1 if part.len() >= WORTH => {
                    copy_backwards(&data[..=first as usize][first as usize + 1 - part.len()..], part);
                }
                2 if part.len() >= WORTH => every_of_rows::<T, 2>(once((&data[first as usize..], part))),
                3 if part.len() >= WORTH => every_of_rows::<T, 3>(once((&data[first as usize..], part))),
                4 if part.len() >= WORTH => every_of_rows::<T, 4>(once((&data[first as usize..], part))),
                _ => {
                    for (i, x) in (0..).zip(part) {
                        *x = data[(first + i * stride) as usize];
                    }
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a register has its memory.
    fn place(register: &Register) -> *const f32 {
        f32::of(register).as_ptr()
    }

    #[test]
    fn memory_of_a_register_is_kept_for_one_of_its_kind_that_needs_no_more() {
        let first = register(Kind::F32, 100);
        let place_of_first = place(&first);
        drop(first);
        let (other, larger) = (register(Kind::F64, 10), register(Kind::F32, 1000));
        assert!(place(&larger) != place_of_first && larger.size() >= 1000 + LINE / 4, "what is kept is too small");
        assert_eq!(other.kind(), Kind::F64, "of its own kind");
        let again = register(Kind::F32, 100);
        assert_eq!(place(&again), place_of_first, "the same memory");
        let second = register(Kind::F32, 100);
        assert!(place(&second) != place_of_first && second.size() >= 100 + LINE / 4, "it is in use");
        let mut grown = register(Kind::F32, 0);
        assert_eq!(grown.size(), 0, "nothing is needed yet");
        drop(again);
        make_room(&mut grown, 50);
        assert_eq!(place(&grown), place_of_first, "room for fewer elements");
    }

    #[test]
    fn a_row_that_comes_again_is_filled_once_and_stands_as_often_as_it_comes() {
        let (sizes, strides) = ([3, 4], [100, 0]);
        for inner in [1, 3, 20] {
            let all: Vec<i64> = (0..12 * inner).map(|i| ((i / inner / 4) * 100 + i % inner * 2) as i64).collect();
            for first in [0, 1, inner - 1, 2 * inner, 5 * inner, 9 * inner + inner / 2] {
                for size in [0, 1, inner, inner + 1, 3 * inner, 4 * inner, 7 * inner + 1, all.len()] {
                    let size = size.min(all.len() - first);
                    let rows = Odometer::new(&sizes, &strides, first / inner);
                    let rows = Rows { rows, column: first % inner, inner, stride: 2 };
                    let (mut register, filled) = (vec![-1_i64; size], std::cell::Cell::new(0));
                    rows.gather(&mut register, |start, to| {
                        filled.set(filled.get() + 1);
                        (0..).zip(to).for_each(|(i, x)| *x = start as i64 + 2 * i);
                    });
                    assert_eq!(register, all[first..first + size], "{size} from {first} on, rows of {inner}");
                    assert!(filled.get() <= 7, "at most three rows, and what is cut off");
                }
            }
        }
    }

    /// Gathers numbered elements of rows that lie in some ways, from some positions on, and looks every one of them up.
    fn check_elements<T: Stored>(number: impl Fn(usize) -> T) {
        let buffer = T::into_buffer((0..70_000).map(&number).collect::<Vec<T>>());
        let (sizes, operand) = ([3, 40], Operand { buffer: &buffer, offset: 20_000, strides: &[] });
        for inner in [1, 2, 3, 4, 5, 9, 15, 16, 17, 31, 33, 64, 70] {
            let total = 120 * inner;
            for stride in [0, 1, 2, 3, 4, 5, -2] {
                let on = inner as isize * stride;
                for strides in [[40, 1], [100, 2], [700, -3], [1, 0], [2, 13], [40 * on, on], [9, on]] {
                    for (first, size) in
                        [(0, total), (0, 1), (inner / 2, total / 2), (inner * 41, 3 * inner), (total / 3, 40)]
                    {
                        let (first, size) = (first.min(total - 1), size.min(total - first.min(total - 1)));
                        let rows = Odometer::new(&sizes, &strides, first / inner);
                        let mut register = vec![number(69_999); size + BEHIND];
                        Rows { rows, column: first % inner, inner, stride }.elements(&operand, &mut register);
                        for (at, &x) in (first..).zip(&register[..size]) {
                            let (row, column) = (at / inner, at % inner);
                            let [outer, row] = [row / 40, row % 40].map(|i| i as isize);
                            let place = 20_000 + outer * strides[0] + row * strides[1] + column as isize * stride;
                            let wanted = number(place as usize);
                            assert_eq!(x, wanted, "{size} from {first} on, rows of {inner}, {strides:?}, {stride}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn elements_of_rows_are_gathered_however_far_apart_they_lie() {
        check_elements(|i| i as f32);
        check_elements(|i| i as f64);
        check_elements(|i| i as i64);
        check_elements(|i| i % 7 < 3);
    }

    #[test]
    fn a_thread_keeps_some_registers_and_none_that_is_large() {
        let count = || FREE.with_borrow(Vec::len);
        let mut many: Vec<Register> = (0..KEPT + 5).map(|_| register(Kind::Index, 9)).collect();
        many.push(register(Kind::Bool, LARGEST));
        drop(many);
        assert_eq!(count(), KEPT, "as many as a long program has");
        assert!(kept(Kind::Bool, LARGEST).is_none(), "the large one is elsewhere");
    }
}
