//! A block of a matrix, turned around.
//!
//! Element by element a matrix is turned slowly, and where its rows are a power of two apart they all come to lie in one
//! place of the cache. Here they pass through small squares that fit the registers: for `gemm`, which does not, and for panels.
//! Not here: transpositions as steps of their own (`copy`).

use super::lanes::vectorised;
use super::math::Scalar;

/// The side of a square: a line of memory of `f32`.
const SIDE: usize = 16;

/// Writes `to[j, i] = data[first + i * stride + j]` for `i < width` and `j < depth`, to rows that are `step` apart.
///
/// # Panics
/// If a row leaves `data`, or if `to` has no room.
pub(super) fn turn<T: Scalar>(
    data: &[T],
    first: usize,
    stride: usize,
    [width, depth]: [usize; 2],
    to: &mut [T],
    step: usize,
) {
    vectorised(
        #[inline(always)]
        move || {
            for left in (0..width).step_by(SIDE) {
                for top in (0..depth).step_by(SIDE) {
                    let [right, down] = [SIDE.min(width - left), SIDE.min(depth - top)];
                    let start = first + left * stride + top;
                    let mut square = [[T::default(); SIDE]; SIDE];
                    if [right, down] == [SIDE; 2] {
                        for (i, row) in square.iter_mut().enumerate() {
                            row.copy_from_slice(&data[start + i * stride..][..SIDE]);
                        }
                        for j in 0..SIDE {
                            let row = &mut to[(top + j) * step + left..][..SIDE];
                            row.iter_mut().zip(&square).for_each(|(x, column)| *x = column[j]);
                        }
                    } else {
                        for (i, row) in square[..right].iter_mut().enumerate() {
                            row[..down].copy_from_slice(&data[start + i * stride..][..down]);
                        }
                        for j in 0..down {
                            let row = &mut to[(top + j) * step + left..][..right];
                            row.iter_mut().zip(&square).for_each(|(x, column)| *x = column[j]);
                        }
                    }
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns_whatever_the_sides_of_the_block() {
        for [width, depth] in [[1, 1], [16, 16], [17, 40], [128, 33], [5, 512], [48, 64]] {
            let (stride, step) = (depth + 3, width + 2);
            let data: Vec<f32> = (0..7 + width * stride).map(|i| i as f32).collect();
            let mut out = vec![-1.0; step * depth];
            turn(&data, 7, stride, [width, depth], &mut out, step);
            for (at, x) in out.into_iter().enumerate() {
                let (j, i) = (at / step, at % step);
                let wanted = if i < width { (7 + i * stride + j) as f32 } else { -1.0 };
                assert_eq!(x, wanted, "row {j}, column {i} of {width} × {depth}");
            }
        }
    }
}
