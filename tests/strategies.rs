//! Random sizes, numbers and memory layouts, which shrink to small sizes, zeros and the plain layout.
//!
//! Lives here: the strategies, and `laid_out!`, which puts a grid into a tensor in one of many layouts.
//! Not here: what is computed from them (`reference`), the laws (the test binaries).

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;

use crate::reference::Grid;

/// How many random cases each law is tried on, unless `PROPTEST_CASES` says otherwise. A failure prints its smallest case
/// and leaves no file.
#[must_use]
pub fn cases(count: u32) -> Config {
    let config = Config { failure_persistence: None, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { config } else { Config { cases: count, ..config } }
}

/// N sizes from 1 to 5; sometimes one of them is larger: a prime, a power of 2, or just beside one.
pub fn sizes<const N: usize>() -> impl Strategy<Value = [usize; N]> {
    let large = prop::option::weighted(0.4, (0..N.max(1), select(vec![7, 8, 11, 13, 16, 17, 31, 33, 64, 67])));
    (prop::array::uniform::<_, N>(1_usize..=5), large).prop_map(|(mut sizes, large)| {
        if let Some((axis, size)) = large
            && let Some(entry) = sizes.get_mut(axis)
        {
            *entry = size;
        }
        sizes
    })
}

/// A number between -2 and 2 with ten binary places, so that `f32` holds it as it is.
pub fn number() -> impl Strategy<Value = f64> {
    (-2048_i32..=2048).prop_map(|k| f64::from(k) / 1024.0)
}

/// A grid of numbers between -2 and 2.
pub fn grid(sizes: &[usize]) -> impl Strategy<Value = Grid> + use<> {
    let sizes = sizes.to_vec();
    prop::collection::vec(number(), sizes.iter().product::<usize>()).prop_map(move |values| Grid::new(&sizes, values))
}

/// Grids whose sizes are made of N random ones: `grids(|[i, k, j]| [vec![i, k], vec![k, j]])`.
pub fn grids<const N: usize, const M: usize>(
    shape: fn([usize; N]) -> [Vec<usize>; M],
) -> impl Strategy<Value = [Grid; M]> {
    sizes::<N>().prop_flat_map(move |sizes| shape(sizes).map(|sizes| grid(&sizes)))
}

/// How the numbers of a tensor lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Declared and stored in the order of the grid.
    Plain,
    /// Declared and stored in another order, the fastest axis first.
    Reversed,
    /// Under other names, then renamed.
    Renamed,
    /// In the middle of a larger tensor of NaN, on every axis.
    Sliced,
    /// At one position of a further axis, between NaN.
    Chosen,
    /// The first axis is made by flattening two.
    Flattened,
    /// The first axis and a further one of size 1 were split from one.
    Split,
    /// The positions of the first axis were concatenated from two tensors.
    Joined,
    /// Computed, not given: the sum of a tensor and zeros without axes.
    Computed,
}

/// One of the layouts.
pub fn layout() -> impl Strategy<Value = Layout> {
    use Layout::{Chosen, Computed, Flattened, Joined, Plain, Renamed, Reversed, Sliced, Split};
    select(vec![Plain, Reversed, Renamed, Sliced, Chosen, Flattened, Split, Joined, Computed])
}

/// The smallest way to write `size` as a product of two factors, the second the larger one.
#[must_use]
pub fn factors(size: usize) -> (usize, usize) {
    let first = (1..=size).rev().find(|factor| factor * factor <= size && size.is_multiple_of(*factor)).unwrap_or(1);
    (first, size / first)
}

/// The numbers as another type of real number. Numbers of [`number`] lose nothing.
pub fn cast<T: named_tensor::element::Real>(values: &[f64]) -> Vec<T> {
    values.iter().map(|&value| T::from_f64(value)).collect()
}

/// The numbers of a grid with one more position of NaN before and after on each axis.
#[must_use]
pub fn surrounded(grid: &Grid) -> Grid {
    let sizes: Vec<usize> = grid.sizes.iter().map(|size| size + 2).collect();
    Grid::from_fn(&sizes, |place| {
        let inside = place.iter().zip(&grid.sizes).all(|(&position, &size)| 1 <= position && position <= size);
        let source: Vec<usize> = place.iter().map(|position| position.wrapping_sub(1)).collect();
        if inside { grid.get(&source) } else { f64::NAN }
    })
}

/// The numbers of a grid at position 1 of a further, last axis of size 3, and NaN at the others.
#[must_use]
pub fn beside_nan(grid: &Grid) -> Grid {
    let sizes = [&grid.sizes[..], &[3]].concat();
    Grid::from_fn(&sizes, |place| match place.split_last() {
        Some((1, source)) => grid.get(source),
        _ => f64::NAN,
    })
}

/// The rows of a grid along its first axis, each followed by a row of NaN.
#[must_use]
pub fn interlaced(grid: &Grid) -> Grid {
    let mut sizes = grid.sizes.clone();
    sizes[0] *= 2;
    Grid::from_fn(&sizes, |place| {
        let source = [&[place[0] / 2], &place[1..]].concat();
        if place[0] % 2 == 0 { grid.get(&source) } else { f64::NAN }
    })
}

/// A tensor over the named axes, in the order of the axes of the grid: `tensor!(f32, &grid, (height, width))`.
#[macro_export]
macro_rules! tensor {
    ($number:ty, $grid:expr, ($($axis:ident),+)) => {{
        let grid: &$crate::reference::Grid = $grid;
        let mut sizes = grid.sizes.iter().copied();
        let values = $crate::strategies::cast::<$number>(&grid.values);
        ::named_tensor::Tensor::<_, $number>::from_vec(($($axis.of(sizes.next().unwrap())),+), values).unwrap()
    }};
}

pub use crate::{in_both_precisions, laid_out, tensor};

/// A tensor over the named axes, in the order of the axes of the grid, whose numbers lie as the layout says:
/// `laid_out!(f32, &grid, layout, (height, width))`.
#[macro_export]
macro_rules! laid_out {
    ($number:ty, $grid:expr, $layout:expr, $a:ident) => {
        $crate::laid_out!(@ $number, $grid, $layout, $a [] [$a] [$a] [spare1])
    };
    ($number:ty, $grid:expr, $layout:expr, ($a:ident, $b:ident)) => {
        $crate::laid_out!(@ $number, $grid, $layout, $a [$b] [$a, $b] [$b, $a] [spare1, spare2])
    };
    ($number:ty, $grid:expr, $layout:expr, ($a:ident, $b:ident, $c:ident)) => {
        $crate::laid_out!(@ $number, $grid, $layout, $a [$b, $c] [$a, $b, $c] [$c, $b, $a] [spare1, spare2, spare3])
    };
    ($number:ty, $grid:expr, $layout:expr, ($a:ident, $b:ident, $c:ident, $d:ident)) => {
        $crate::laid_out!(@ $number, $grid, $layout,
            $a [$b, $c, $d] [$a, $b, $c, $d] [$d, $c, $b, $a] [spare1, spare2, spare3, spare4])
    };
    (@ $number:ty, $grid:expr, $layout:expr,
        $first:ident [$($rest:ident),*] [$($axis:ident),+] [$($reversed:ident),+] [$($spare:ident),+]) => {{
        use $crate::axes::{spare, spare1, spare2, spare3, spare4};
        use $crate::strategies::{Layout, beside_nan, factors, interlaced, surrounded, tensor};
        let grid: &$crate::reference::Grid = $grid;
        match $layout {
            Layout::Plain => tensor!($number, grid, ($($axis),+)),
            Layout::Reversed => {
                let order: Vec<usize> = (0..grid.sizes.len()).rev().collect();
                tensor!($number, &$crate::reference::rearrangement::reorder(grid, &order), ($($reversed),+))
            }
            Layout::Renamed => tensor!($number, grid, ($($spare),+)).rename(($($spare),+), ($($axis),+)),
            Layout::Sliced => {
                let x = tensor!($number, &surrounded(grid), ($($axis),+));
                let mut sizes = grid.sizes.iter();
                $(let x = x.slice($axis, 1..1 + sizes.next().unwrap());)+
                x
            }
            Layout::Chosen => tensor!($number, &beside_nan(grid), ($($axis,)+ spare)).at(spare, 1),
            Layout::Flattened => {
                let (slow, fast) = factors(grid.sizes[0]);
                let sizes = [&[slow, fast], &grid.sizes[1..]].concat();
                let grid = $crate::reference::Grid::new(&sizes, grid.values.clone());
                tensor!($number, &grid, (spare3, spare4 $(, $rest)*)).flatten((spare3, spare4), $first)
            }
            Layout::Split => {
                let x = tensor!($number, &interlaced(grid), (spare $(, $rest)*));
                x.split(spare, ($first, spare1.of(2))).at(spare1, 0)
            }
            Layout::Joined => {
                use $crate::reference::rearrangement::slice;
                let (end, middle) = (grid.sizes[0], grid.sizes[0] / 2);
                let first = tensor!($number, &slice(grid, 0, 0..middle), ($($axis),+));
                first.concat($first, &tensor!($number, &slice(grid, 0, middle..end), ($($axis),+)))
            }
            Layout::Computed => &tensor!($number, grid, ($($axis),+)) + 0.0,
        }
    }};
}

/// Runs a block twice, where the type `Number` is `f32`, then `f64`, `UNIT` the gap between 1 and the next number,
/// and `LEAST` the smallest number of full precision.
#[macro_export]
macro_rules! in_both_precisions {
    ($body:block) => {{
        {
            type Number = f32;
            const UNIT: f64 = f32::EPSILON as f64;
            const LEAST: f64 = f32::MIN_POSITIVE as f64;
            $body
        }
        {
            type Number = f64;
            const UNIT: f64 = f64::EPSILON;
            const LEAST: f64 = f64::MIN_POSITIVE;
            $body
        }
    }};
}
