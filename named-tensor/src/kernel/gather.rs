//! Rows of a table, taken at computed positions.
//!
//! Computes  `dst[outer, inner] = table[outer, inner, positions[outer]]`,  `dst` dense in row-major order.
//! Lives here: the check of the positions and the copy of rows. Not here: sums at positions (`scatter`).

use super::View;
use super::copy::{SHORT, copy_short};
use super::lanes::vectorised;
use super::parallel::{self, GRAIN};
use super::span::{Odometer, Span, check_inside};
use crate::element::Stored;
use smallvec::SmallVec;
use std::ops::Range;

/// Takes rows of `table`, a view over `outer`, `inner` and the `limit` positions of the axis that is gathered along.
/// Returns whether all `positions`, a view over `outer`, are below `limit`; if one is not, `dst` is not written.
///
/// # Panics
/// If a view leaves its slice, or if `dst` does not have one element per position of `outer` and `inner`.
#[must_use]
pub(crate) fn gather<T: Stored>(
    outer: &[usize],
    inner: &[usize],
    limit: usize,
    table: View<'_, T>,
    positions: View<'_, i64>,
    dst: &mut [T],
) -> bool {
    check_inside("gather: table", table.data.len(), table.offset, &[outer, inner, &[limit]].concat(), table.strides);
    check_inside("gather: positions", positions.data.len(), positions.offset, outer, positions.strides);
    let rows: usize = outer.iter().product();
    let row: usize = inner.iter().product();
    assert_eq!(dst.len(), rows * row, "gather: the destination has one element per outer and inner position");
    let (outer_strides, rest) = table.strides.split_at(outer.len());
    let (inner_strides, step) = rest.split_at(inner.len());
    let walk = Span::new(outer, &[positions.strides, outer_strides]);
    // Positions that are there once are there again.
    let once: SmallVec<[usize; 8]> = outer
        .iter()
        .zip(positions.strides)
        .map(|(&size, &stride)| if stride == 0 { size.min(1) } else { size })
        .collect();
    let are_there = all_there(&Span::new(&once, &[positions.strides; 2]), once.iter().product(), limit, positions);
    if dst.is_empty() || !are_there {
        return are_there;
    }
    // They stand here, so that no loop looks them up for each row.
    let ([next, shared], step) = ([0, 1].map(|operand| walk.inner_stride(operand)), step[0]);
    if row == 1 {
        let alike = if [shared, step] == [0, 1] { stretches(&walk, positions) } else { None };
        if let Some(stretches) = alike {
            parallel::for_each_chunk(dst, GRAIN, |first, chunk| {
                take_stretches(&walk, first, View { strides: &[], ..table }, limit, &stretches, chunk);
            });
            return true;
        }
        parallel::for_each_chunk(dst, GRAIN, |first, chunk| {
            runs(&walk, first, chunk.len(), |[at, from], run| {
                let (at, from) = (positions.offset.wrapping_add_signed(at), table.offset.wrapping_add_signed(from));
                if [next, shared, step] == [1, 0, 1] {
                    let (row, chosen) = (&table.data[from..][..limit], &positions.data[at..][..run.len()]);
                    chunk[run].iter_mut().zip(chosen).for_each(|(value, &position)| *value = row[position as usize]);
                    return;
                }
                for (i, value) in (0..).zip(&mut chunk[run]) {
                    let position = positions.data[at.wrapping_add_signed(i * next)];
                    let distance = i * shared + step * position as isize;
                    *value = table.data[from.wrapping_add_signed(distance)];
                }
            });
        });
        return true;
    }
    let span = Span::new(inner, &[inner_strides]);
    if span.sizes.len() <= 1 && span.inner_stride(0) == 1 {
        parallel::for_each_chunk(dst, GRAIN.div_ceil(row.max(8)) * row, |first, chunk| {
            runs(&walk, first / row, chunk.len() / row, |[at, from], run| {
                let (at, from) = (positions.offset.wrapping_add_signed(at), table.offset.wrapping_add_signed(from));
                let to = &mut chunk[run.start * row..run.end * row];
                vectorised(
                    #[inline(always)]
                    move || {
                        for (i, to) in (0..).zip(to.chunks_exact_mut(row)) {
                            let position = positions.data[at.wrapping_add_signed(i * next)];
                            let distance = i * shared + step * position as isize;
                            let from = &table.data[from.wrapping_add_signed(distance)..][..row];
                            // A row of just so many is common, and a call takes as long as to copy it.
                            match (<&[T; SHORT]>::try_from(from), <&mut [T; SHORT]>::try_from(&mut *to)) {
                                (Ok(some), Ok(to)) => *to = *some,
                                _ => copy_short(from, to),
                            }
                        }
                    },
                );
            });
        });
        return true;
    }
    let position = |at: &Odometer<'_>| positions.data[positions.offset.wrapping_add_signed(at.distance)];
    parallel::for_each_chunk(dst, GRAIN.div_ceil(row) * row, |first, chunk| {
        let mut at = Odometer::new(outer, positions.strides, first / row);
        let mut from = Odometer::new(outer, outer_strides, first / row);
        for row in chunk.chunks_mut(row) {
            let distance = from.distance + step * position(&at) as isize;
            copy_row(table.data, table.offset.wrapping_add_signed(distance), &span, row);
            at.step();
            from.step();
        }
    });
    true
}

/// Positions that follow each other: the first one, and which of a row they are.
struct Stretch {
    first: usize,
    of: Range<usize>,
}

/// Rows that take the same positions, from which on these are looked at once more, and positions of a stretch on average.
const ALIKE: usize = 4;
const LONG: usize = 8;

/// The stretches of the positions of each row, if all rows take the same ones and stretches are long.
fn stretches(walk: &Span, positions: View<'_, i64>) -> Option<Vec<Stretch>> {
    let (outer, inner) = (walk.sizes.len().checked_sub(1)?, walk.inner());
    let rows: usize = walk.sizes[..outer].iter().product();
    if rows < ALIKE || walk.strides[0][..outer].iter().any(|&stride| stride != 0) {
        return None;
    }
    let next = walk.inner_stride(0);
    let at = |i: usize| positions.data[positions.offset.wrapping_add_signed(i as isize * next)] as usize;
    let mut stretches: Vec<Stretch> = Vec::new();
    for i in 0..inner {
        if let Some(last) = stretches.last_mut().filter(|last| at(i) == last.first + last.of.len()) {
            last.of.end += 1;
        } else if stretches.len() * LONG > inner {
            return None;
        } else {
            stretches.push(Stretch { first: at(i), of: i..i + 1 });
        }
    }
    Some(stretches)
}

/// Takes these of each row of the table, of `limit` elements, from the element numbered `first` on.
fn take_stretches<T: Stored>(
    walk: &Span,
    first: usize,
    table: View<'_, T>,
    limit: usize,
    stretches: &[Stretch],
    to: &mut [T],
) {
    let inner = walk.inner();
    vectorised(
        #[inline(always)]
        move || {
            runs(
                walk,
                first,
                to.len(),
                #[inline(always)]
                |[_, from], run| {
                    let row = &table.data[table.offset.wrapping_add_signed(from)..][..limit];
                    let (start, to) = ((first + run.start) % inner, &mut to[run]);
                    for Stretch { first, of } in stretches {
                        let (begin, end) = (of.start.max(start), of.end.min(start + to.len()));
                        if begin < end {
                            let from = &row[first + (begin - of.start)..][..end - begin];
                            copy_short(from, &mut to[begin - start..][..end - begin]);
                        }
                    }
                },
            );
        },
    );
}

/// Whether the positions of so many rows, which are the first operand of the walk, are all below `limit`.
pub(super) fn all_there(walk: &Span, rows: usize, limit: usize, positions: View<'_, i64>) -> bool {
    let mut are_there = true;
    runs(walk, 0, rows, |[at, _], run| {
        let (first, next) = (positions.offset.wrapping_add_signed(at), walk.inner_stride(0));
        // One below 0 is a very large one.
        let is_there = |position: i64| (position as u64) < limit as u64;
        if next == 1 {
            are_there &= positions.data[first..][..run.len()].iter().fold(true, |all, &at| all & is_there(at));
            return;
        }
        for i in 0..run.len() as isize {
            are_there &= is_there(positions.data[first.wrapping_add_signed(i * next)]);
        }
    });
    are_there
}

/// Visits so many rows, from the one with the number `first` on, in runs along the last axis: how far their first one is
/// from the first of all, in the positions and in the table, and which they are, counted from the first visited.
#[inline(always)]
pub(super) fn runs(walk: &Span, first: usize, count: usize, mut visit: impl FnMut([isize; 2], Range<usize>)) {
    let (inner, outer) = (walk.inner().max(1), walk.sizes.len().saturating_sub(1));
    let odometer = |operand: usize| Odometer::new(&walk.sizes[..outer], &walk.strides[operand][..outer], first / inner);
    let (mut at, mut done) = ([0, 1].map(odometer), 0);
    while done < count {
        let column = (first + done) % inner;
        let size = (inner - column).min(count - done);
        visit([0, 1].map(|i| at[i].distance + column as isize * walk.inner_stride(i)), done..done + size);
        at.iter_mut().for_each(Odometer::step);
        done += size;
    }
}

/// One row, whose own axes may lie in any way.
pub(super) fn copy_row<T: Stored>(table: &[T], first: usize, span: &Span, row: &mut [T]) {
    let (size, stride) = (span.inner(), span.inner_stride(0));
    let outer = span.sizes.len().saturating_sub(1);
    let mut from = Odometer::new(&span.sizes[..outer], &span.strides[0][..outer], 0);
    for piece in row.chunks_mut(size) {
        let start = first.wrapping_add_signed(from.distance);
        if stride == 1 {
            piece.copy_from_slice(&table[start..start + size]);
        } else {
            for (i, value) in piece.iter_mut().enumerate() {
                *value = table[start.wrapping_add_signed(stride * i as isize)];
            }
        }
        from.step();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::positions as places;

    #[test]
    fn rows_are_those_at_their_positions() {
        let data: Vec<f64> = (0..2 * 5 * 3 * 4).map(f64::from).collect();
        let data = data.as_slice();
        // The axes of the table: shared, gathered, and two of a row; in several orders of memory.
        for [shared, gathered, a, b] in [[60, 12, 4, 1], [1, 2, 10, 30], [60, 1, 5, 15], [0, 12, 4, 1]] {
            for positions in [[4_i64, 0, 2, 2, 1, 3], [0; 6]] {
                let (outer, inner) = ([2, 3], [3, 4]);
                let table = View { data, offset: 0, strides: &[shared, 0, a, b, gathered] };
                let at = View { data: &positions, offset: 0, strides: &[3, 1] };
                let mut dst = [f64::NAN; 72];
                assert!(gather(&outer, &inner, 5, table, at, &mut dst), "all positions are there");
                let rows: Vec<isize> = places(&outer, &[shared, 0]).collect();
                let columns: Vec<isize> = places(&inner, &[a, b]).collect();
                let exact = rows.iter().zip(positions).flat_map(|(row, position)| {
                    columns.iter().map(move |column| data[(row + column + gathered * position as isize) as usize])
                });
                assert!(dst.iter().copied().eq(exact), "{shared} {gathered} {a} {b}");
            }
        }
    }

    #[test]
    fn single_elements_are_those_at_their_positions_whatever_pieces_they_are_taken_in() {
        // More rows than a piece has, an axis of one position, and views that repeat, run backwards and have gaps.
        let (outer, limit) = ([3, 1, 17_001], 5);
        let data: Vec<f32> = (0..51_003 * 10).map(|i| i as f32).collect();
        let chosen: Vec<i64> = (0..51_003 * 2).map(|i| i * 7919 % 5).collect();
        let far = isize::MAX / 2;
        for (first, shared) in [
            (0, [85_005, far, 5, 1]),
            (0, [1, 9, 3, 51_003]),
            (17_000, [17_001, 0, -1, 51_003]),
            (4, [0, 0, 5, -1]),
            (2, [7, far, 0, 1]),
        ] {
            for (start, strides) in [
                (0, [17_001, 9, 1]),
                (1, [2, far, 6]),
                (0, [0, 0, 2]),
                (3, [1, 0, 0]),
                (17_000, [17_001, 1, -1]),
                (5, [0, far, 1]),
            ] {
                let table = View { data: &data[..], offset: first, strides: &shared };
                let at = View { data: &chosen[..], offset: start, strides: &strides };
                let mut dst = vec![f32::NAN; 51_003];
                assert!(gather(&outer, &[], limit, table, at, &mut dst), "all positions are there");
                let from = places(&outer, &shared[..3]).zip(places(&outer, &strides));
                let exact = from.map(|(from, at)| {
                    let position = chosen[start.wrapping_add_signed(at)] as isize;
                    data[first.wrapping_add_signed(from + shared[3] * position)]
                });
                assert!(dst.iter().copied().eq(exact), "{shared:?} at {strides:?}");
            }
        }
    }

    #[test]
    fn positions_that_follow_each_other_are_taken_together_whatever_pieces_they_are_in() {
        let (rows, limit) = (900_usize, 61_usize);
        let data: Vec<f32> = (0..rows * limit).map(|i| i as f32).collect();
        let last = limit - 1;
        let kinds: [Vec<usize>; 5] = [
            (0..limit).map(|i| (i + 9) % limit).collect(),
            (0..70).map(|i: usize| if i < 5 { 5 - i } else { (i - 5).min(last) }).collect(),
            (0..200).map(|i| i % limit).collect(),
            (0..limit).collect(),
            (0..limit).rev().collect(),
        ];
        for chosen in kinds {
            // Once side by side, once two apart, from the end on.
            let apart: Vec<i64> = chosen.iter().rev().flat_map(|&at| [at as i64, -1]).collect();
            let near: Vec<i64> = chosen.iter().map(|&at| at as i64).collect();
            for (positions, offset, next) in [(&near, 0, 1), (&apart, apart.len() - 2, -2)] {
                let (outer, far) = ([2, rows / 2, chosen.len()], limit as isize);
                let table = View { data: &data[..], offset: 0, strides: &[far, 2 * far, 0, 1] };
                let at = View { data: &positions[..], offset, strides: &[0, 0, next] };
                let mut dst = vec![f32::NAN; rows * chosen.len()];
                assert!(gather(&outer, &[], limit, table, at, &mut dst), "all positions are there");
                let exact = (0..rows).flat_map(|row| {
                    let from = (row % (rows / 2) * 2 + row / (rows / 2)) * limit;
                    chosen.iter().map(move |at| (from + at) as f32)
                });
                assert!(dst.iter().copied().eq(exact), "{chosen:?}");
            }
        }
    }

    #[test]
    fn rows_of_any_length_are_those_at_their_positions() {
        let data: Vec<f64> = (0..40_000).map(f64::from).collect();
        let chosen: Vec<i64> = (0..9_000).map(|i| i * 7919 % 11).collect();
        for row in (1..70).chain([100, 129]) {
            let n = row as isize;
            let many = 9_000 / row;
            for (outer, shared, first, at) in [
                ([3, 5], [0, 0], 0, [5, 1]),
                ([3, 5], [11 * n, 2 * n], 7, [1, 3]),
                ([3, 5], [-n, n], 14, [-5, -1]),
                ([1, many], [0, 0], 0, [0, 1]),
                ([2, many / 2], [5, 0], 1, [0, 1]),
            ] {
                let table = View { data: &data[..], offset: 3 * row, strides: &[shared[0], shared[1], 1, n] };
                let positions = View { data: &chosen[..], offset: first, strides: &at };
                let mut dst = vec![f64::NAN; outer[0] * outer[1] * row];
                assert!(gather(&outer, &[row], 11, table, positions, &mut dst), "all positions are there");
                let starts = places(&outer, &shared).zip(places(&outer, &at));
                let exact = starts.flat_map(|(from, at)| {
                    let position = chosen[first.wrapping_add_signed(at)] as isize;
                    (0..n).map(move |i| (3 * n + from + position * n + i) as f64)
                });
                assert!(dst.iter().copied().eq(exact), "{row} {outer:?} {shared:?} {at:?}");
            }
        }
    }

    #[test]
    fn a_position_that_is_not_there_is_told() {
        let table = View { data: &[1.0_f32, 2.0, 3.0], offset: 0, strides: &[0, 1] };
        let mut dst = [0.0; 2];
        for (position, there) in [(-1, false), (0, true), (2, true), (3, false), (i64::MIN, false)] {
            let positions = View { data: &[0, position], offset: 0, strides: &[1] };
            assert_eq!(gather(&[2], &[], 3, table, positions, &mut dst), there, "{position}");
            let (table, again) = (View { strides: &[0, 0, 1], ..table }, View { strides: &[0, 1], ..positions });
            assert_eq!(gather(&[3, 2], &[], 3, table, again, &mut [0.0; 6]), there, "{position}, three times");
        }
        assert_eq!(dst, [1.0, 3.0], "the last good rows");
        let none = View { data: &[], offset: 0, strides: &[1] };
        assert!(gather(&[0], &[], 3, table, none, &mut []), "nothing is asked for");
    }
}
