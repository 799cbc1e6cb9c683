//! Registers: the values of a source or of a step under one block.
//!
//! Lives here: that they begin where a line of memory does, since a vector that lies in two lines costs twice; and how
//! the elements of an operand that do not lie one behind the other are gathered into one.
//! Not here: what is gathered when (`block`).

use super::Operand;
use crate::element::{Buffer, Kind, Stored};
use crate::kernel::pool;
use crate::kernel::span::Odometer;
use crate::kernel::stream::LINE;

/// Bytes more than a register needs. Registers of the same size, often a power of two, are allocated one after the other;
/// without a distance all of them would come to lie in one place of the nearest cache.
const APART: usize = 17 * LINE;

/// A register for so many elements.
pub(super) fn register(kind: Kind, size: usize) -> Buffer {
    Buffer::zeros(kind, if size == 0 { 0 } else { size + APART / kind.bytes() })
}

/// Makes room for so many elements, which forgets what is there if there was too little.
pub(super) fn make_room(to: &mut Buffer, size: usize) {
    if to.size() < size + LINE / to.kind().bytes() {
        *to = register(to.kind(), size);
    }
}

/// The same for much room, which others have used before: it is not filled with anything.
pub(super) fn take_room(to: &mut Buffer, size: usize) {
    let needed = size + LINE / to.kind().bytes();
    if to.size() < needed {
        *to = pool::take(to.kind(), needed);
    }
}

/// Elements of a row from which on each is filled by itself.
const SHORT: usize = 16;

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
    /// Fills a register row by row; `fill` gets the distance of the first element of its part.
    pub(super) fn gather<T: Stored>(mut self, register: &mut [T], fill: impl Fn(isize, &mut [T])) {
        let mut rest = register;
        while !rest.is_empty() {
            let (part, after) = rest.split_at_mut((self.inner - self.column).min(rest.len()));
            fill(self.rows.distance + self.column as isize * self.stride, part);
            rest = after;
            self.column = 0;
            self.rows.step();
        }
    }

    /// Fills a register with short rows, each of one number repeated. As many are written as a few registers of the processor
    /// hold, whatever the row; those that are too many the next row writes over.
    fn short_rows<T: Stored>(mut self, data: &[T], offset: usize, register: &mut [T]) {
        let mut at = 0;
        while let Some(some) = register[at..].first_chunk_mut::<SHORT>() {
            *some = [data[offset.wrapping_add_signed(self.rows.distance)]; SHORT];
            at += self.inner - self.column;
            self.column = 0;
            self.rows.step();
        }
        self.gather(&mut register[at..], |start, part| part.fill(data[offset.wrapping_add_signed(start)]));
    }

    /// Fills a register with elements of an operand.
    pub(super) fn elements<T: Stored>(self, operand: &Operand<'_>, register: &mut [T]) {
        let (data, stride) = (T::of(operand.buffer), self.stride);
        if self.inner < SHORT && stride == 0 {
            return self.short_rows(data, operand.offset, register);
        }
        self.gather(register, |start, part| {
            let first = operand.offset as isize + start;
            match stride {
                0 => part.fill(data[first as usize]),
                1 => part.copy_from_slice(&data[first as usize..][..part.len()]),
                _ => {
                    for (i, x) in (0..).zip(part) {
                        *x = data[(first + i * stride) as usize];
                    }
                }
            }
        });
    }
}
