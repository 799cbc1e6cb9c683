//! Rows of numbers in registers, from which multiples of other rows are taken.
//!
//! Computes  `t(i) - Σ_k c(k) r(k, i)`  for a row t and rows r, in the order of k. Products are rounded before they are
//! taken away: with fused steps a trace would be left of most rows that are multiples of another one, and the matrix would
//! seem regular. So pivots are those of the plain elimination, bit for bit, in vectors of any width.
//! All rows of a matrix have as many registers, their `width`.
//! Not here: which rows, and which multiples (`square`).

use crate::kernel::lanes::vectorised;
use crate::kernel::parallel::{self, GRAIN, grain_of};
use std::ops::Range;

/// As many numbers as the widest register has.
pub(super) type Eight = [f64; EIGHT];

pub(super) const EIGHT: usize = 8;
/// Registers of a row that are computed at a time: each waits for itself only, and there is room for all of them.
pub(super) const TOGETHER: usize = 4;
/// Rows whose multiples are taken at a time: so much of them as is computed at a time stays in the nearest cache.
const NEAR: usize = 32;

/// Room for some registers, each of which lies in one line of a cache.
#[derive(Debug)]
pub(super) struct Room {
    numbers: Vec<f64>,
    /// Where the first line begins.
    first: usize,
    registers: usize,
}

impl Room {
    /// Zeros.
    pub(super) fn new(registers: usize) -> Room {
        let numbers = vec![0.0; (registers + 1) * EIGHT];
        let first = numbers.as_ptr().align_offset(size_of::<Eight>()).min(EIGHT);
        Room { numbers, first, registers }
    }

    pub(super) fn get(&self) -> &[Eight] {
        &self.numbers[self.first..].as_chunks().0[..self.registers]
    }

    pub(super) fn get_mut(&mut self) -> &mut [Eight] {
        &mut self.numbers[self.first..].as_chunks_mut().0[..self.registers]
    }
}

/// One number of a row.
#[inline(always)]
pub(super) fn number(row: &[Eight], i: usize) -> f64 {
    row[i / EIGHT][i % EIGHT]
}

#[inline(always)]
fn minus(x: Eight, times: f64, y: &Eight) -> Eight {
    std::array::from_fn(
        #[inline(always)]
        |i| x[i] - times * y[i],
    )
}

/// Divides some registers of a row.
#[inline(always)]
pub(super) fn divide(row: &mut [Eight], by: f64) {
    let inverse = 1.0 / by;
    // One that is no ordinary number has lost digits.
    if inverse.is_normal() {
        row.as_flattened_mut().iter_mut().for_each(|number| *number *= inverse);
    } else {
        row.as_flattened_mut().iter_mut().for_each(|number| *number /= by);
    }
}

/// `$few::<N>(…)` for each `N` of `$registers` that are computed at a time.
macro_rules! some_at_a_time {
    ($registers:expr, $at:ident, $few:ident($($argument:expr),*)) => {
        let Range { start: mut $at, end } = $registers;
        while $at < end {
            // Five are three and two, not four and one.
            let left = end - $at;
            match left.div_ceil(left.div_ceil(TOGETHER)) {
                1 => { $few::<1>($($argument),*); $at += 1; }
                2 => { $few::<2>($($argument),*); $at += 2; }
                3 => { $few::<3>($($argument),*); $at += 3; }
                _ => { $few::<4>($($argument),*); $at += 4; }
            }
        }
    };
}

/// Takes from these registers of a row `times` the rows of `from`.
#[inline(always)]
pub(super) fn subtract(
    row: &mut [Eight],
    times: impl Iterator<Item = f64> + Clone,
    from: &[Eight],
    width: usize,
    registers: Range<usize>,
) {
    some_at_a_time!(registers, at, few(&mut row[at..], times.clone(), from.get(at..).unwrap_or_default(), width));
}

/// The same of the first registers alone.
#[inline(always)]
fn few<const N: usize>(row: &mut [Eight], times: impl Iterator<Item = f64>, from: &[Eight], width: usize) {
    let Some(row) = row.first_chunk_mut::<N>() else { return };
    let mut sums = *row;
    for (times, other) in times.zip(from.chunks(width)) {
        let Some(other) = other.first_chunk::<N>() else { return };
        for (sum, other) in sums.iter_mut().zip(other) {
            *sum = minus(*sum, times, other);
        }
    }
    *row = sums;
}

/// Takes from these registers of each row `i` of `rows` `times(i, k)` row `k` of `from`, by several threads where there is
/// enough to do.
pub(super) fn subtract_from_all(
    rows: &mut [Eight],
    times: impl Fn(usize, usize) -> f64 + Copy + Sync,
    from: &[Eight],
    width: usize,
    registers: Range<usize>,
) {
    let cost = from.len() / width * registers.len() * EIGHT;
    let grain = grain_of(rows.len() / width, GRAIN.div_ceil(cost.max(1)));
    parallel::for_each_chunk(rows, grain * width, |start, rows| {
        let (first, registers) = (start / width, registers.clone());
        vectorised(
            #[inline(always)]
            move || {
                for (near, from) in from.chunks(NEAR * width).enumerate() {
                    let times = (first, near * NEAR, times);
                    some_at_a_time!(registers.clone(), at, column(&mut *rows, times, from, width, at));
                }
            },
        );
    });
}

/// The same of some registers of all rows.
#[inline(always)]
fn column<const N: usize>(
    rows: &mut [Eight],
    (first, near, times): (usize, usize, impl Fn(usize, usize) -> f64),
    from: &[Eight],
    width: usize,
    at: usize,
) {
    for (i, row) in rows.chunks_exact_mut(width).enumerate() {
        let times = (near..near + NEAR).map(
            #[inline(always)]
            |k| times(first + i, k),
        );
        few::<N>(&mut row[at..], times, from.get(at..).unwrap_or_default(), width);
    }
}

/// Takes from each of `rows` as many times the row `top` as leave 0 at `column`, and writes there how many times that is.
/// Only registers up to the one `end` are looked at, and columns from this one on.
#[inline(always)]
pub(super) fn sweep(top: &[Eight], rows: &mut [Eight], width: usize, column: usize, end: usize) {
    let at = column / EIGHT;
    match end - at {
        1 => swept::<1>(&top[at..], rows, width, at, column % EIGHT),
        2 => swept::<2>(&top[at..], rows, width, at, column % EIGHT),
        3 => swept::<3>(&top[at..], rows, width, at, column % EIGHT),
        _ => swept::<TOGETHER>(&top[at..], rows, width, at, column % EIGHT),
    }
}

#[inline(always)]
fn swept<const N: usize>(top: &[Eight], rows: &mut [Eight], width: usize, at: usize, lane: usize) {
    let Some(&(mut top)) = top.first_chunk::<N>() else { return };
    let pivot = top[0][lane];
    let is_own: [bool; EIGHT] = std::array::from_fn(|i| i == lane);
    top[0] = std::array::from_fn(|i| if i > lane { top[0][i] } else { 0.0 });
    for row in rows.chunks_exact_mut(width) {
        let Some(row) = row[at..].first_chunk_mut::<N>() else { return };
        let number = row[0][lane];
        let times = number / pivot;
        for (numbers, top) in row.iter_mut().zip(&top) {
            *numbers = minus(*numbers, times, top);
        }
        row[0] = std::array::from_fn(
            #[inline(always)]
            |i| if is_own[i] { times } else { row[0][i] },
        );
    }
}
