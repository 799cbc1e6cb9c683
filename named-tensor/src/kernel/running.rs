//! Running sums along one axis.
//!
//! Computes  `dst[outer, i] = Σ_{j ≤ i} src[outer, j]`,  or of all j ≥ i, from the last one on.  Each sum is taken in `f64`, in the order of the positions, and each
//! result is rounded once: the numbers are those of the definition, bit for bit.
//! A sum waits for the one before it, so several lines go together: a few where each is contiguous, many where they lie side
//! by side, as columns do. Not here: where lines begin (`lines`).

use super::lanes::vectorised;
use super::lines::Lines;
use super::math::Scalar;
use super::parallel::{GRAIN, grain_of};
use super::{View, ViewMut};

/// Contiguous lines that go together: as many sums as the processor can begin while it waits for one.
const TOGETHER: usize = 4;
/// Columns that go down together: their sums stay in the nearest cache.
const TILE: usize = 512;

/// Writes the sums up to and with each position of the last axis of two views over `outer` and an axis of `size`; backwards
/// those from each position on.
///
/// # Panics
/// If a view leaves its slice, or if positions of the destination overlap.
pub(crate) fn sums<T: Scalar>(backwards: bool, outer: &[usize], size: usize, src: View<'_, T>, dst: ViewMut<'_, T>) {
    let Some(lines) = Lines::new("running sums", outer, [size; 2], src, dst) else { return };
    let grain = grain_of(outer.iter().product(), GRAIN.div_ceil(size));
    if lines.are_rows() {
        lines.visit(
            grain.next_multiple_of(TOGETHER),
            TILE,
            || (),
            |(), start, count| {
                if backwards { rows::<true, T>(&lines, start, count) } else { rows::<false, T>(&lines, start, count) }
            },
        );
    } else if lines.are_columns(8) {
        lines.visit(
            grain.next_multiple_of(TILE),
            TILE,
            || (),
            |(), start, count| {
                columns(backwards, &lines, start, count);
            },
        );
    } else {
        lines.visit(
            grain.next_multiple_of(TOGETHER),
            TILE,
            || (),
            |(), start, count| {
                apart(backwards, &lines, start, count);
            },
        );
    }
}

/// The positions, the last one first if the sums are taken backwards.
#[inline(always)]
fn order(backwards: bool, size: usize) -> impl Iterator<Item = usize> {
    (0..size).map(
        #[inline(always)]
        move |i| if backwards { size - 1 - i } else { i },
    )
}

/// Contiguous lines that are neighbours, a few at a time.
fn rows<const BACKWARDS: bool, T: Scalar>(lines: &Lines<'_, T, T>, start: [isize; 2], count: usize) {
    vectorised(
        #[inline(always)]
        move || {
            let mut done = 0;
            while done + TOGETHER <= count {
                together::<BACKWARDS, TOGETHER, T>(lines, lines.neighbour(start, done));
                done += TOGETHER;
            }
            for i in done..count {
                together::<BACKWARDS, 1, T>(lines, lines.neighbour(start, i));
            }
        },
    );
}

/// As many lines as there are sums.
#[inline(always)]
fn together<const BACKWARDS: bool, const N: usize, T: Scalar>(lines: &Lines<'_, T, T>, start: [isize; 2]) {
    let size = lines.size;
    // In loops: functions that fill arrays would be called for each line, and leave nothing in registers.
    let (mut src, mut dst) = ([&[][..]; N], [(); N].map(|()| Default::default()));
    for (i, (src, dst)) in src.iter_mut().zip(&mut dst).enumerate() {
        let [from, to] = lines.neighbour(start, i);
        *src = lines.source(from, size);
        // SAFETY: each is one of the lines that are visited, from its first element on.
        *dst = unsafe { lines.target(to, size) };
    }
    let mut sums = [0.0; N];
    for i in 0..size {
        let i = if BACKWARDS { size - 1 - i } else { i };
        for ((sum, src), dst) in sums.iter_mut().zip(&src).zip(&mut dst) {
            *sum += src[i].wide();
            dst[i] = T::narrow(*sum);
        }
    }
}

/// Lines whose elements lie apart, a few at a time.
fn apart<T: Scalar>(backwards: bool, lines: &Lines<'_, T, T>, start: [isize; 2], count: usize) {
    let mut done = 0;
    while done < count {
        let start = lines.neighbour(start, done);
        done += match count - done {
            TOGETHER.. => element_by_element::<TOGETHER, T>(backwards, lines, start),
            2.. => element_by_element::<2, T>(backwards, lines, start),
            _ => element_by_element::<1, T>(backwards, lines, start),
        };
    }
}

/// So many lines, an element of each before the next ones. Returns how many they are.
fn element_by_element<const N: usize, T: Scalar>(backwards: bool, lines: &Lines<'_, T, T>, start: [isize; 2]) -> usize {
    let mut starts = [start; N];
    for (i, place) in starts.iter_mut().enumerate() {
        *place = lines.neighbour(start, i);
    }
    let mut sums = [0.0; N];
    for i in order(backwards, lines.size) {
        for (sum, &[from, to]) in sums.iter_mut().zip(&starts) {
            *sum += lines.read(from, i).wide();
            // SAFETY: this is an element of a line that is visited, and the slice of the one before is gone.
            let element = unsafe { lines.target(to + i as isize * lines.dst_stride, 1) };
            element[0] = T::narrow(*sum);
        }
    }
    N
}

/// Lines side by side, row after row of them.
fn columns<T: Scalar>(backwards: bool, lines: &Lines<'_, T, T>, [from, to]: [isize; 2], count: usize) {
    vectorised(
        #[inline(always)]
        move || {
            let mut sums = [0.0; TILE];
            let sums = &mut sums[..count];
            for i in order(backwards, lines.size) {
                let i = i as isize;
                let src = lines.source(from + i * lines.src_stride, count);
                // SAFETY: these are elements of the lines that are visited, and the slice of the row before is gone.
                let dst = unsafe { lines.target(to + i * lines.dst_stride, count) };
                for ((sum, &x), d) in sums.iter_mut().zip(src).zip(dst) {
                    *sum += x.wide();
                    *d = T::narrow(*sum);
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::{Random, positions};

    fn agree<T: Scalar>(
        backwards: bool,
        kept: [usize; 2],
        size: usize,
        from: [isize; 3],
        to: [isize; 3],
        offset: usize,
    ) {
        let mut random = Random::new(size as u64);
        let reach = |strides: [isize; 3]| {
            let last = |n: usize, stride: isize| (n - 1) as isize * stride.abs();
            (last(kept[0], strides[0]) + last(kept[1], strides[1]) + last(size, strides[2])) as usize + 1
        };
        let src: Vec<T> = random.reals(reach(from) + offset).into_iter().map(|x| T::narrow(f64::from(x))).collect();
        let mut dst = vec![T::narrow(7.0); reach(to)];
        let view = View { data: &src, offset, strides: &from };
        sums(backwards, &kept, size, view, ViewMut { data: &mut dst, offset: 0, strides: &to });
        for (a, b) in positions(&kept, &from[..2]).zip(positions(&kept, &to[..2])) {
            let mut sum = 0.0;
            for i in order(backwards, size) {
                let i = i as isize;
                sum += src[(offset as isize + a + i * from[2]) as usize].wide();
                let found = dst[(b + i * to[2]) as usize];
                assert_eq!(found.wide(), T::narrow(sum).wide(), "{kept:?} {size} {from:?} {to:?} at {i}");
            }
        }
    }

    #[test]
    fn running_sums_of_any_layout_are_those_of_the_definition() {
        for (kept, size) in
            [([1, 1], 1), ([3, 5], 4), ([2, 7], 5), ([2, 9], 17), ([1, 600], 3), ([7, 1], 2000), ([4, 8], 33)]
        {
            let [x, y, s] = [kept[0] as isize, kept[1] as isize, size as isize];
            let layouts = [[y * s, s, 1], [y * s, 1, y], [1, x, x * y], [(s + 1) * y + 3, s + 1, 1]];
            for to in layouts {
                for from in layouts.into_iter().chain([[0, 1, y], [s, 0, 1], [0, 0, 0]]) {
                    for backwards in [false, true] {
                        agree::<f32>(backwards, kept, size, from, to, 2);
                        agree::<f64>(backwards, kept, size, from, to, 0);
                    }
                }
            }
            agree::<f32>(false, kept, size, [y * s, s, -1], layouts[0], size - 1);
        }
    }

    #[test]
    fn a_small_number_between_two_large_ones_is_not_lost() {
        let mut dst = [0.0_f32; 3];
        let src = View { data: &[1e8_f32, 1.0, -1e8], offset: 0, strides: &[1] };
        sums(false, &[], 3, src, ViewMut { data: &mut dst, offset: 0, strides: &[1] });
        assert_eq!(dst, [1e8, 1e8, 1.0]);
    }

    #[test]
    fn over_nothing_nothing_is_written() {
        let src = View { data: &[] as &[f32], offset: 0, strides: &[0, 1] };
        sums(false, &[3], 0, src, ViewMut { data: &mut [], offset: 0, strides: &[0, 1] });
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn running_sums_do_not_depend_on_the_number_of_threads() {
        use crate::kernel::threads::with_threads;
        let data = Random::new(4).reals(700 * 900);
        let all = || {
            let mut out = vec![0.0_f32; 2 * data.len()];
            let (rows, columns) = out.split_at_mut(data.len());
            for (strides, out) in [([900, 1], rows), ([1, 900], columns)] {
                let (sizes, size) = if strides[0] == 1 { ([900], 700) } else { ([700], 900) };
                let view = View { data: &data[..], offset: 0, strides: &strides };
                sums(false, &sizes, size, view, ViewMut { data: out, offset: 0, strides: &strides });
            }
            out.into_iter().map(f32::to_bits).collect::<Vec<_>>()
        };
        let alone = with_threads(1, all);
        assert!([2, 3, 7].into_iter().all(|count| with_threads(count, all) == alone), "bit for bit");
    }
}
