//! The pieces of a product that threads share.
//!
//! Lives here: how high and wide they are, and how many panels are packed together. Not here: how one is computed (`product`,
//! `panelled`).

use super::packing::DEPTH;
use super::product::{Product, SINGLE};
use super::shallow;
use super::{SMALL, TILE};
use crate::kernel::ahead::is_free_beside_products;
use crate::kernel::caches::second_level;
use crate::kernel::low::has_registers;
use crate::kernel::near;
use crate::kernel::panels::WIDTH;
use crate::kernel::parallel;
use crate::kernel::simd::Lanes;

/// Products from which on each is given to one thread whole.
const MANY: usize = 8;
/// Rows or columns of a part of a product of few columns or rows at least, if there are so many for two: a page of memory in
/// `f32`.
const RUN: usize = 1024;

/// The sides that a piece may have along the direction in which the result lies. `gemm` prepares the operand that has this
/// side once for each piece, and reads the other one as it lies: so pieces cost nothing.
const WIDTHS: [usize; 3] = [256, 128, 64];
/// Up to this width `gemm` reads the other operand as it lies even where it lies across the sum, and is the faster for it.
const NARROW: usize = 128;
/// The other side of a piece at least where there would be few pieces, and at most: what is prepared is used so often.
const HEIGHTS: [usize; 2] = [128, 1024];
/// Elements of a piece at most: half of a usual second-level cache in `f32`.
const PIECE: usize = 128 * 1024;
/// Pieces for each thread where what is computed does not depend on them.
const PIECES: usize = 4;
/// Pieces that are cut out of the higher side, if the other one does not give as many.
const ENOUGH: usize = 8;
/// The most terms of a tall product in small parts that has fewer columns than fill two registers, and of one that has up to
/// [`NARROWEST`]. Of up to [`SINGLE`] columns it may have any.
const DEEPEST: usize = 128;
const FULL: usize = 32;
const SHALLOW: usize = 8;
const NARROWEST: usize = 64;
/// Panels that are packed together at most, of sums of any depth.
const TOGETHER: usize = 4;
/// To read rows that are not near once more takes as long as to multiply them with so many columns.
const AGAIN: usize = 16;

/// The rows and columns of a piece of each of some products of the same kind.
pub(super) fn cut<T: Lanes>(product: &Product<'_, T>, items: usize, has_tail: bool) -> [usize; 2] {
    let [m, n] = [product.rows.size, product.columns.size];
    let work = m * n * product.terms();
    if product.reads_windows() {
        // In any piece each element is computed alike, so threads may be asked. What is left over at the end of a piece is
        // computed in few registers: there are as few as threads can share.
        let wanted = if parallel::threads() == 1 { 1 } else { (PIECES * parallel::threads()).div_ceil(items) };
        let across = wanted.min(n / WIDTHS[0]).max(1);
        let down = wanted.div_ceil(across).min(m / TILE).max(m.div_ceil(HEIGHTS[1])).max(1);
        return [m.div_ceil(down).next_multiple_of(12), n.div_ceil(across)];
    }
    if product.in_strips {
        let [tall, wide] = if product.by_columns() { [m, n] } else { [n, m] };
        let [height, width] = shallow::cut(items, [tall, product.terms(), wide]);
        return if product.by_columns() { [height, width] } else { [width, height] };
    }
    if let Some(sides) = small_parts(product) {
        return sides;
    }
    // Threads that write neighbouring stretches hinder each other: without a tail many products are left whole.
    if items * work < 2 * SMALL || items >= MANY && !has_tail {
        // But a panel is used for rows that are near, as often as repays it.
        let high = |size: usize| size.div_ceil(size.div_ceil(HEIGHTS[1]).max(1)).next_multiple_of(12);
        return match product.packing {
            Some(_) if product.by_columns() => [high(m), n],
            Some(_) => [m, high(n)],
            None => [m, n],
        };
    }
    if m.min(n) <= SINGLE && product.packing.is_none() {
        // What is read once is read in long runs, in a number that threads share evenly. How many there are is not asked.
        let long = m.max(n);
        let run = long.div_ceil(1 << (long / RUN).clamp(2, ENOUGH).ilog2());
        let part = match () {
            () if items >= MANY => long,
            () => run.max(SMALL.saturating_mul(long).div_ceil(work)).next_multiple_of(TILE),
        };
        return if m > n { [part, n] } else { [m, part] };
    }
    let [wide, tall, inner] =
        if product.by_columns() { [n, m, product.inner.1 as usize] } else { [m, n, product.inner.2 as usize] };
    let height = |width: usize| {
        let (across, is_packed, threads) =
            (items * wide.div_ceil(width), product.packing.is_some(), parallel::threads());
        // Through panels each element is computed alike in any piece, so here threads may be asked.
        let height = height(tall, across, is_packed && across.is_multiple_of(threads));
        let is_halved = is_packed && threads > 1 && across == 1 && (HEIGHTS[0]..=height).contains(&tall);
        if is_halved { tall.div_ceil(2).next_multiple_of(12) } else { height }
    };
    // The widest pieces that are so many that every thread has its share, or so few that an even number is one. How many
    // threads there are is not asked: which way a piece is computed depends on its size, and the rounding on the way.
    let is_even = |width: usize| {
        let pieces = items * wide.div_ceil(width) * tall.div_ceil(height(width));
        width * height(width) <= PIECE && (pieces >= 2 * ENOUGH || pieces >= ENOUGH / 2 && pieces.is_multiple_of(2))
    };
    let is_read_as_it_lies = |width: usize| inner == 1 || width <= NARROW;
    let [.., narrowest] = WIDTHS;
    // An operand that is turned around is so once for each piece of the height: those are high and narrow.
    let is_wanted = |&width: &usize| product.packing.is_none() && is_read_as_it_lies(width) && is_even(width);
    let width = WIDTHS.into_iter().find(is_wanted).unwrap_or(narrowest);
    let height = height(width);
    let width = match product.packing {
        Some(_) => {
            let products = items * tall.div_ceil(height);
            shared(together::<T>(height, product.terms()), wide, products, parallel::threads())
        }
        None => width,
    };
    if product.by_columns() { [height, width] } else { [width, height] }
}

/// The sides of the parts of a tall product that are small ones, if such parts take less time than the whole: its rows are
/// short, one after the other without gaps, and would be the smaller part of the registers that `gemm` takes for them.
fn small_parts<T: Lanes>(product: &Product<'_, T>) -> Option<[usize; 2]> {
    let ((terms, l_inner, r_inner), rows, columns) = (product.inner, product.rows, product.columns);
    let is_tall = rows.size > columns.size;
    let (tall, short) = if is_tall { (rows, columns) } else { (columns, rows) };
    // The operand of the short rows is turned around for each part, if it does not lie along them.
    let lies_across = [short.lhs, short.rhs].contains(&1);
    let deepest = match short.size {
        ..=SINGLE => usize::MAX,
        ..FULL if lies_across && has_registers() => DEEPEST,
        ..=NARROWEST if has_registers() => SHALLOW,
        _ => 0,
    };
    let lies_along = short.dst == 1 && tall.dst == short.size as isize;
    if product.packing.is_some() || product.outer.is_some() || terms > deepest || !lies_along {
        return None;
    }
    let most = near::rows_of_small([terms, short.size]) / TILE * TILE;
    if most == 0 || most >= tall.size {
        return None;
    }
    let part = tall.size.div_ceil(tall.size.div_ceil(most)).next_multiple_of(TILE);
    let [m, n] = if is_tall { [part, columns.size] } else { [rows.size, part] };
    let strides = [[rows.lhs, l_inner], [r_inner, columns.rhs], [rows.dst, columns.dst]];
    near::lies_well([m, terms, n], strides).then_some([m, n])
}

/// How many panels are packed together, for a product with so many rows of so many terms. Rows that do not stay in the
/// second-level cache are read again for each panel, and wait for the third; one half of the cache has room for several
/// panels. Where the panel that comes next is asked for it takes that room.
pub(super) fn together<T>(rows: usize, terms: usize) -> usize {
    let half = second_level() / 2;
    if is_free_beside_products() || rows.saturating_mul(terms).saturating_mul(size_of::<T>()) <= half {
        return 1;
    }
    (half / (WIDTH * DEPTH.min(terms) * size_of::<T>())).clamp(1, TOGETHER)
}

/// The columns of pieces of so many panels at most, so that threads share all columns of some products evenly. Through panels
/// each element is computed alike in any piece.
fn shared(panels: usize, columns: usize, products: usize, threads: usize) -> usize {
    let pieces = |width: usize| products * columns.div_ceil(width);
    let is_shared = |width: usize| threads == 1 || pieces(width) >= 2 * threads;
    let widths = (1..=panels).map(|count| count * WIDTH).filter(|&width| width == WIDTH || is_shared(width));
    widths.min_by_key(|&width| pieces(width).div_ceil(threads) * (width + AGAIN)).unwrap_or(WIDTH)
}

/// The higher side of a piece, where so many lie across and each thread has its share of them or not.
fn height(tall: usize, across: usize, is_shared: bool) -> usize {
    let [least, most] = HEIGHTS;
    // A panel is packed once for each piece of the height, which takes as long as some 16 of its rows.
    let least = if is_shared { 2 * least } else { least };
    let parts = ENOUGH.div_ceil(across).min(tall / least).max(tall.div_ceil(most));
    // Whole tiles of `gemm`, which are 4 or 6 high.
    tall.div_ceil(parts).next_multiple_of(12)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::View;
    use crate::kernel::matmul::product::Axis;

    #[test]
    fn a_panel_is_packed_for_twice_the_rows_where_every_thread_has_its_share_without() {
        assert_eq!([height(256, 4, true), height(256, 4, false)], [264, 132], "a small square in panels");
        assert_eq!([height(1024, 1, true), height(1024, 1, false)], [264, 132], "one panel, several threads or one");
        assert_eq!([height(4096, 8, true), height(4096, 8, false)], [1032, 1032], "panels enough");
    }

    #[test]
    fn tall_products_of_few_columns_go_in_parts_that_are_small_ones() {
        let numbers = vec![0.0_f32; 1 << 21];
        let view = |strides| View { data: &numbers[..], offset: 0, strides };
        // Rows of the result have so much between them.
        let parts = |[m, k, n]: [usize; 3], gap: usize| {
            let rows = Axis { size: m, lhs: k as isize, rhs: 0, dst: (n + gap) as isize };
            let columns = Axis { size: n, lhs: 0, rhs: 1, dst: 1 };
            let product = Product::new(1.0, [rows, columns], (k, 1, n as isize), [view(&[]), view(&[])]);
            small_parts(&product)
        };
        assert_eq!(parts([60_000, 5, 7], 0), Some([3536, 7]), "17 parts of 123,760 multiplications");
        assert_eq!(parts([4000, 5, 7], 0), Some([2000, 7]), "two alike");
        assert_eq!(parts([3750, 5, 7], 0), Some([1888, 7]), "one is not small");
        assert_eq!(parts([3744, 5, 7], 0), None, "the whole is small");
        assert_eq!(parts([60_000, 5, 7], 1), None, "there are gaps between rows");
        assert_eq!(parts([1000, 10_000, 7], 0), None, "not even sixteen rows are small");
        let wide = |[k, n]: [usize; 2]| parts([20_000, k, n], 0).is_some();
        assert_eq!([wide([128, 20]), wide([200, 20])], [true; 2], "few columns");
        assert_eq!([wide([128, 31]), wide([129, 31])], [has_registers(), false], "not two registers full");
        assert_eq!([wide([8, 64]), wide([9, 64]), wide([8, 65])], [has_registers(), false, false], "few terms");
    }

    #[test]
    fn several_panels_are_a_piece_where_threads_share_them_evenly() {
        assert_eq!(shared(1, 3072, 1, 2), 64, "rows that stay near are read again for each panel");
        assert_eq!(shared(4, 3072, 1, 2), 256, "six pieces each");
        assert_eq!(shared(4, 768, 1, 2), 192, "two each, where three of 256 would leave one thread without");
        assert_eq!(
            [shared(4, 2304, 1, 2), shared(4, 2304, 1, 1)],
            [192, 256],
            "six each, and not five and four of 256"
        );
        assert_eq!([shared(4, 768, 1, 1), shared(3, 768, 1, 1)], [256, 192], "as wide as they may be for one");
        assert_eq!(shared(4, 512, 1, 2), 128, "one each would leave nothing to make up for a thread that is late");
        assert_eq!(shared(4, 100, 1, 2), 64, "fewer columns than that");
    }

    #[test]
    fn panels_are_packed_together_beside_rows_that_do_not_stay_near() {
        let [near, far] = [second_level() / 2, second_level() / 2 + 1024].map(|bytes| bytes / 1024);
        assert_eq!(together::<f32>(near, 256), 1);
        let count = together::<f32>(far + 1, 256);
        assert!((1..=TOGETHER).contains(&count) && (count == 1 || !is_free_beside_products()));
        if !is_free_beside_products() && second_level() >= 1 << 20 {
            assert_eq!(count, TOGETHER, "four of 256 terms have room");
        }
        assert!(count * WIDTH * 256 * size_of::<f32>() <= (second_level() / 2).max(WIDTH * 1024), "no more than half");
    }
}
