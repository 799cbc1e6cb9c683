//! The exponentials of one row below its largest element, and their sum.
//!
//! A row goes through registers of [`LANES`] elements. What is left at its end is computed with the elements before it, which
//! are the same once more, and only its own are added: no element is computed by itself.
//! Not here: rows of fewer elements than a register (`short`), lines side by side (`columns`).

use super::columns::four_decays;
use super::higher;
use crate::kernel::line::LANES;
use crate::kernel::math::Scalar;

/// Registers that are computed with at once.
const ROWS: usize = 4;

/// The largest element of a row. NaN may be passed over: it comes back with the exponentials.
#[inline(always)]
pub(super) fn largest<T: Scalar>(row: &[T]) -> T {
    let mut tops = [[T::LOWEST; LANES]; ROWS];
    let (units, rest) = row.as_chunks::<{ LANES * ROWS }>();
    for unit in units {
        for (tops, xs) in tops.iter_mut().zip(unit.as_chunks().0) {
            *tops = risen(tops, xs);
        }
    }
    let (whole, last) = rest.as_chunks();
    for (tops, xs) in tops.iter_mut().zip(whole) {
        *tops = risen(tops, xs);
    }
    match row.last_chunk() {
        Some(xs) => tops[0] = risen(&tops[0], xs),
        None => last.iter().zip(&mut tops[0]).for_each(|(&x, top)| *top = higher(*top, x)),
    }
    let [a, b, c, d] = tops;
    halved(risen(&risen(&a, &b), &risen(&c, &d)), higher)
}

#[inline(always)]
fn risen<T: Scalar>(tops: &[T; LANES], xs: &[T; LANES]) -> [T; LANES] {
    std::array::from_fn(
        #[inline(always)]
        |i| higher(tops[i], xs[i]),
    )
}

/// The sum of `e^(x - m)`, each four steps of a register before they are widened. Every register of them is put where its
/// elements begin, and after each whole unit `beside(i)` is called with its number.
#[inline(always)]
pub(super) fn decays<T: Scalar>(
    row: &[T],
    top: T,
    mut put: impl FnMut(usize, &[T; LANES]),
    mut beside: impl FnMut(usize),
) -> f64 {
    let (base, mut sums) = ([top; LANES], [0.0; LANES]);
    let (units, rest) = row.as_chunks::<{ LANES * ROWS }>();
    for (at, unit) in units.iter().enumerate() {
        let xs = unit.as_chunks().0.first_chunk().expect("a unit has all of its rows");
        for (i, ys) in four_decays(xs, &base, &mut sums).iter().enumerate() {
            put((at * ROWS + i) * LANES, ys);
        }
        beside(at);
    }
    let mut four = [[T::default(); LANES]; ROWS];
    let (whole, last) = rest.as_chunks();
    for (i, (ys, xs)) in four.iter_mut().zip(whole).enumerate() {
        *ys = decayed(xs, top);
        put((units.len() * ROWS + i) * LANES, ys);
    }
    if let (false, Some(xs)) = (last.is_empty(), row.last_chunk()) {
        let ys = decayed(xs, top);
        put(row.len() - LANES, &ys);
        let known = LANES - last.len();
        four[whole.len()] = std::array::from_fn(
            #[inline(always)]
            |i| if i < known { T::default() } else { ys[i] },
        );
    }
    let [a, b, c, d] = four;
    for lane in 0..LANES {
        sums[lane] += ((a[lane] + b[lane]) + (c[lane] + d[lane])).wide();
    }
    let sum = halved(sums, |x, y| x + y);
    if row.len() >= LANES { sum } else { last.iter().fold(sum, |sum, &x| sum + (x - top).decay().wide()) }
}

#[inline(always)]
fn decayed<T: Scalar>(xs: &[T; LANES], top: T) -> [T; LANES] {
    std::array::from_fn(
        #[inline(always)]
        |i| (xs[i] - top).decay(),
    )
}

/// One of all lanes, by halves.
#[inline(always)]
fn halved<A: Copy>(mut lanes: [A; LANES], join: impl Fn(A, A) -> A) -> A {
    for half in [LANES / 2, LANES / 4, LANES / 8, LANES / 16] {
        (0..half).for_each(|i| lanes[i] = join(lanes[i], lanes[i + half]));
    }
    lanes[0]
}
