//! A block of a matrix, turned around.
//!
//! Element by element a matrix is turned slowly, and where its rows are a power of two apart they all come to lie in one
//! place of the cache. Here they pass through small squares that fit the registers: for `gemm`, which does not, for panels,
//! for transposed copies, and for sources that lie across a result.
//! Not here: how a square is turned (`square`), transpositions as steps of their own (`copy`).

mod square;

use super::ahead::fetch_line;
use crate::element::Stored;
pub(super) use square::{Square, Turner, Work, with_turner};

/// Where the rows of a block begin.
#[derive(Clone, Copy)]
pub(super) enum Starts<'a> {
    /// The first one here, and so many elements from one to the next.
    Even(usize, isize),
    /// Each where it is told.
    At(&'a [usize]),
}

impl Starts<'_> {
    #[inline(always)]
    pub(super) fn of(self, row: usize) -> usize {
        match self {
            Starts::Even(first, stride) => first.wrapping_add_signed(row as isize * stride),
            Starts::At(starts) => starts[row],
        }
    }
}

/// Writes `to[j, i] = data[start(i) + j]` for `i < width` and `j < depth`, to rows that are `step` apart.
///
/// # Panics
/// If a row leaves `data`, or if `to` has no room.
pub(super) fn turn<T: Stored>(data: &[T], starts: Starts<'_>, sides: [usize; 2], to: &mut [T], step: usize) {
    with_turner(Block { data, starts, sides, to, step });
}

/// Bytes of a row from which its lines of memory are expected: to ask for them then costs more than it brings.
const LONG: usize = 512;

struct Block<'a, T> {
    data: &'a [T],
    starts: Starts<'a>,
    sides: [usize; 2],
    to: &'a mut [T],
    step: usize,
}

impl<T: Stored> Work for Block<'_, T> {
    #[inline(always)]
    fn run(mut self, turner: impl Turner) {
        // A row of a square is a line of memory, or a part of one where numbers have less than 32 bits.
        if const { size_of::<T>() == 8 } { self.by_squares::<8>(turner) } else { self.by_squares::<16>(turner) }
    }
}

impl<T: Stored> Block<'_, T> {
    /// Turns the block around in squares of this side.
    #[inline(always)]
    fn by_squares<const SIDE: usize>(&mut self, turner: impl Turner) {
        let [width, depth] = self.sides;
        for left in (0..width).step_by(SIDE) {
            let whole = if left + SIDE <= width { depth / SIDE } else { 0 };
            if whole > 0 {
                self.squares::<SIDE>(turner, left, whole);
            }
            if whole * SIDE < depth {
                self.rest::<SIDE>(turner, left, whole * SIDE);
            }
        }
    }

    /// Turns the first so many squares of the rows from `left` on.
    #[inline(always)]
    fn squares<const SIDE: usize>(&mut self, turner: impl Turner, left: usize, whole: usize) {
        let (data, starts, [width, depth]) = (self.data, self.starts, self.sides);
        // The rows that come next are far away: their lines are asked for one square ahead.
        let is_short = depth * size_of::<T>() < LONG;
        let ahead = left + SIDE..if is_short { width.min(left + 2 * SIDE) } else { 0 };
        // They have one size, so that a square that is in one is in each. To look for its rows anew would be as many
        // instructions again, and fewer squares would be under way while memory is waited for.
        let rows: [&[[T; SIDE]]; SIDE] = std::array::from_fn(
            #[inline(always)]
            |i| &data[starts.of(left + i)..].as_chunks().0[..whole],
        );
        #[expect(clippy::needless_range_loop, reason = "the place of a square in every row")]
        for at in 0..whole {
            ahead.clone().for_each(|i| fetch_line(data, starts.of(i) + at * SIDE));
            let mut square: Square<T, SIDE> = std::array::from_fn(
                #[inline(always)]
                |i| rows[i][at],
            );
            turner.turn(&mut square, SIDE);
            let mut to = &mut self.to[at * SIDE * self.step + left..];
            for row in &square[..SIDE - 1] {
                to[..SIDE].copy_from_slice(row);
                to = &mut to[self.step..];
            }
            to[..SIDE].copy_from_slice(&square[SIDE - 1]);
        }
    }

    /// Turns what is left of the rows from `left` on, as many as a square has, from their column `top` on.
    #[inline(always)]
    fn rest<const SIDE: usize>(&mut self, turner: impl Turner, left: usize, top: usize) {
        let (data, starts, [width, depth]) = (self.data, self.starts, self.sides);
        let right = SIDE.min(width - left);
        for top in (top..depth).step_by(SIDE) {
            let down = SIDE.min(depth - top);
            // A row ends within the square, but in most cases there are more numbers behind it, which may be read with it.
            let mut from = [0; SIDE];
            from[..right].iter_mut().enumerate().for_each(|(i, from)| *from = starts.of(left + i) + top);
            if right == SIDE && from.iter().all(|&from| from + SIDE <= data.len()) {
                let mut square: Square<T, SIDE> = [[T::default(); SIDE]; SIDE];
                for (row, from) in square.iter_mut().zip(from) {
                    *row = *data[from..].first_chunk().expect("a row and more");
                }
                turner.turn(&mut square, down);
                for (j, row) in square[..down].iter().enumerate() {
                    self.to[(top + j) * self.step + left..][..SIDE].copy_from_slice(row);
                }
                continue;
            }
            let mut square: Square<T, SIDE> = [[T::default(); SIDE]; SIDE];
            for (row, from) in square[..right].iter_mut().zip(from) {
                row[..down].copy_from_slice(&data[from..][..down]);
            }
            for j in 0..down {
                let row = &mut self.to[(top + j) * self.step + left..][..right];
                row.iter_mut().zip(&square).for_each(|(x, column)| *x = column[j]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns_whatever_the_sides_of_the_block() {
        for [width, depth] in
            [[1, 1], [64, 3], [40, 7], [16, 16], [17, 40], [15, 31], [128, 33], [5, 512], [48, 64], [256, 256]]
        {
            check(width, depth, |i| i as f32);
            check(width, depth, |i| i as f64);
            check(width, depth, |i| i as i64);
            check(width, depth, |i| i % 7 < 3);
        }
    }

    fn check<T: Stored>(width: usize, depth: usize, number: impl Fn(usize) -> T) {
        let (stride, step) = (depth + 3, width + 2);
        let data: Vec<T> = (0..7 + width * stride).map(&number).collect();
        let mut out = vec![number(99_999); step * depth];
        let starts: Vec<usize> = (0..width).map(|i| 7 + i * stride).collect();
        turn(&data, Starts::At(&starts), [width, depth], &mut out, step);
        let mut evenly = vec![number(99_999); step * depth];
        turn(&data, Starts::Even(7, stride as isize), [width, depth], &mut evenly, step);
        assert_eq!(evenly, out, "{width} × {depth}");
        for (at, x) in out.into_iter().enumerate() {
            let (j, i) = (at / step, at % step);
            let wanted = number(if i < width { 7 + i * stride + j } else { 99_999 });
            assert_eq!(x, wanted, "row {j}, column {i} of {width} × {depth}");
        }
    }
}
