//! A contraction of named axes as products of matrices.
//!
//! Sizes and strides in, the description of a batched matrix product out: which axes together are the rows, the columns,
//! the summed positions, which are looped over, in which order the result is written, and which operand has to be
//! copied first because its strides do not allow any of this. The choice is by estimated time.
//! Not here: names (`lower`), the product itself (`kernel::matmul`).

mod each;

use crate::kernel::order::sort_few;
use smallvec::SmallVec;

use super::layout::{Order, far_first};
use super::weighed;
use super::windows::{self, Side, Windows};
use crate::graph::value::row_major;

/// One axis of a contraction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    pub(super) size: usize,
    /// Its stride in the left operand, 0 where that does not have it.
    pub(super) left: isize,
    /// Its stride in the right operand, 0 where that does not have it.
    pub(super) right: isize,
    /// Whether the operands have it.
    pub(super) has: (bool, bool),
    /// Whether it is summed.
    pub(super) summed: bool,
}

/// An axis that is looped over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Loop {
    pub(super) size: usize,
    pub(super) left: isize,
    pub(super) right: isize,
    pub(super) out: isize,
}

impl Loop {
    /// Whether it is summed: the result has no stride along it.
    pub(super) fn is_summed(&self) -> bool {
        self.out == 0
    }
}

/// out(batch, row, column) = Σ_inner left(batch, row, inner) · right(batch, inner, column), all with strides.
/// Along an axis of the batch that is summed as well `out` is 0: that is the last one, or of neighbours (`each`) the last ones.
#[derive(Clone, Debug)]
pub(super) struct Product {
    /// The order in which the left operand is copied first, if it is.
    pub(super) copy_left: Option<Order>,
    /// The order in which the right operand is copied first, if it is.
    pub(super) copy_right: Option<Order>,
    pub(super) batch: Box<[Loop]>,
    pub(super) rows: Loop,
    pub(super) columns: Loop,
    /// `out` is 0 here.
    pub(super) inner: Loop,
    /// The axes of the result, slowest first; its strides are those of this order without gaps.
    pub(super) order: Order,
    /// Where the numbers of an operand lie that would have to be copied, and is packed from there instead.
    pub(super) windows: Option<Windows>,
}

/// The axes that are wanted fastest in a result, the fastest last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted<'a> {
    pub(super) axes: &'a [usize],
    /// Whether side by side is enough, wherever that is.
    pub(super) anywhere: bool,
}

/// The description that is estimated to run fastest.
pub(super) fn product(axes: &[Axis], tail: Wanted<'_>) -> Product {
    if let Some(product) = each::of(axes, tail) {
        return product;
    }
    let mut best: Option<(f64, Product)> = None;
    for (copy_left, copy_right) in [(false, false), (true, false), (false, true), (true, true)] {
        if let Some(product) = described(axes, tail, copy_left, copy_right, None) {
            if !copy_left && !copy_right && product.batch.is_empty() {
                // One product of matrices as they lie: a copy cannot make less of it.
                return product;
            }
            let time = seconds(axes, &product);
            if best.as_ref().is_none_or(|(least, _)| weighed::is_cheaper(time, *least)) {
                best = Some((time, product));
            }
        }
    }
    let (_, product) = best.expect("a product of two copied operands has one summed group");
    let is_copied = [product.copy_left.is_some(), product.copy_right.is_some()];
    // What is not copied in the best way there is may be so here: the other one is larger.
    let ways = [Side::Left, Side::Right].into_iter().flat_map(|side| [(side, false), (side, true)]);
    let mut ways = ways.filter(|&(side, _)| is_copied[side as usize]);
    let in_windows = ways.find_map(|(side, other)| match side {
        Side::Left => described(axes, tail, true, other, Some(side)),
        Side::Right => described(axes, tail, other, true, Some(side)),
    });
    in_windows.unwrap_or(product)
}

/// An estimate that only has to put descriptions in order: a core does about 200 GFLOP/s in blocks of at least
/// 24 × 24 × 32, a call costs a fraction of a microsecond, packing or copying an element a fraction of a nanosecond.
/// The operand along which the result lies is packed in panels, the last of which may be filled in part. The other one is
/// read as it lies.
fn seconds(axes: &[Axis], product: &Product) -> f64 {
    let together = |is_summed: bool| -> f64 {
        product.batch.iter().filter(|axis| axis.is_summed() == is_summed).map(|axis| axis.size as f64).product()
    };
    let k = product.inner.size as f64 * together(true);
    let (rows, columns) = (product.rows, product.columns);
    let (tall, wide) = if rows.out == 1 { (columns.size, rows.size) } else { (rows.size, columns.size) };
    let (tall, wide, filled) = (tall as f64, wide as f64, filled(wide) as f64);
    let fill = |size: f64, whole: f64| (size / whole).min(1.0);
    let speed = 200e9 * fill(tall, 24.0) * fill(k, 32.0);
    let call = 0.2e-6 + 2.0 * tall * filled * k / speed + 0.25e-9 * wide * k;
    let copied = |order: &Option<Order>, stride: fn(&Axis) -> isize| {
        let Some(order) = order else { return 0.0 };
        // Rows that stay rows are copied whole; others are turned around.
        let stays = order.last().is_some_and(|&last| stride(&axes[last]) == 1);
        let elements: f64 = order.iter().map(|&axis| axes[axis].size as f64).product();
        elements * if stays { 0.4e-9 } else { 0.8e-9 }
    };
    together(false) * call
        + copied(&product.copy_left, |axis| axis.left)
        + copied(&product.copy_right, |axis| axis.right)
}

/// What so many columns cost, in columns of panels that are filled: those left over fill no register, and few at once.
fn filled(columns: usize) -> usize {
    let is_whole = columns.is_multiple_of(64);
    columns.next_multiple_of(16) + if is_whole { 0 } else { 8 }
}

/// Neighbours of a row that is copied are so far apart at most.
const APART: usize = 3;

/// Rows, columns and terms of a sum from which on it may be one part of a longer sum.
const PART: [usize; 3] = [64, 64, 32];

/// Neighbours that are columns by themselves, or rows, where others are more but far apart.
const NEAR: usize = 32;

/// Rows up to which it takes longer to turn an operand around than to have a result in another order.
const FEW_ROWS: usize = 64;

/// The description when these operands are copied; none if the summed axes are neither one run in both, nor two of large
/// matrices that the kernel brings into panels. An operand in windows lies as if it were copied, and is not.
fn described(
    given: &[Axis],
    tail: Wanted<'_>,
    copy_left: bool,
    copy_right: bool,
    in_windows: Option<Side>,
) -> Option<Product> {
    let mut axes: SmallVec<[Axis; 8]> = given.into();
    let pick = |axes: &[Axis], wanted: fn(&Axis) -> bool| -> Order {
        (0..axes.len()).filter(|&i| axes[i].size != 1 && wanted(&axes[i])).collect()
    };
    // An axis along which an operand repeats itself is no axis of that operand.
    let mut summed = pick(&axes, |axis| axis.summed);
    let mut both = pick(&axes, |axis| !axis.summed && (axis.left != 0) == (axis.right != 0));
    let mut only_left = pick(&axes, |axis| !axis.summed && axis.left != 0 && axis.right == 0);
    let mut only_right = pick(&axes, |axis| !axis.summed && axis.left == 0 && axis.right != 0);

    // A copied operand lies as the other one asks for.
    if copy_left && !copy_right {
        sort_few(&mut summed, |&i| (far_first(axes[i].right), far_first(axes[i].left)));
    } else {
        sort_few(&mut summed, |&i| (far_first(axes[i].left), far_first(axes[i].right)));
    }
    sort_few(&mut both, |&i| (far_first(axes[i].left), far_first(axes[i].right)));
    sort_few(&mut only_left, |&i| far_first(axes[i].left));
    sort_few(&mut only_right, |&i| far_first(axes[i].right));
    if let Some(side) = in_windows {
        windows::set_apart(
            side,
            given,
            &mut both,
            &summed,
            if side == Side::Left { &mut only_left } else { &mut only_right },
        );
    }
    // Neighbours stay neighbours: of windows both the positions and those inside of one are, and there are more of the former,
    // also where windows lie a few positions apart.
    let run = |order: &Order, stride: fn(&Axis) -> isize| {
        let is_near = |stride: isize| stride > 0 && !weighed::is_less(APART, stride.unsigned_abs());
        let last = order.last().map(|&at| &axes[at]).filter(|axis| is_near(stride(axis)));
        last.map_or(0, |axis| axis.size / stride(axis).unsigned_abs())
    };
    let longer =
        |one: &Order, other: &Order, stride: fn(&Axis) -> isize| weighed::is_less(run(other, stride), run(one, stride));
    let rows_last = copy_left && longer(&only_left, &summed, |axis| axis.left);
    let sum_last = copy_right && longer(&summed, &only_right, |axis| axis.right);
    let left_order = copy_left.then(|| {
        let last = if rows_last { [&summed, &only_left] } else { [&only_left, &summed] };
        let order: Order = chain(&[&both, last[0], last[1]]).filter(|&i| axes[i].has.0).collect();
        for (&i, stride) in order.iter().zip(row_major(order.iter().map(|&i| axes[i].size))) {
            axes[i].left = stride;
        }
        order
    });
    let right_order = copy_right.then(|| {
        let last = if sum_last { [&only_right, &summed] } else { [&summed, &only_right] };
        let order: Order = chain(&[&both, last[0], last[1]]).filter(|&i| axes[i].has.1).collect();
        for (&i, stride) in order.iter().zip(row_major(order.iter().map(|&i| axes[i].size))) {
            axes[i].right = stride;
        }
        order
    });

    let mut inner_runs = runs(&axes, &summed);
    let inner = take_largest(&axes, &mut inner_runs);
    let (mut row_runs, mut column_runs) = (runs(&axes, &only_left), runs(&axes, &only_right));
    let rows = take_side(&axes, &mut row_runs, |axis| axis.left);
    let columns = take_side(&axes, &mut column_runs, |axis| axis.right);
    let size = |run: &[usize]| run.iter().map(|&i| axes[i].size).product::<usize>();
    let is_large =
        || [&rows, &columns, &inner].iter().zip(PART).all(|(run, least)| !weighed::is_less(size(run), least));
    if inner_runs.len() > 1 || (inner_runs.len() == 1 && !is_large()) {
        return None;
    }

    // The order of the result, a run being one unit.
    let ones = (0..axes.len()).filter(|&i| axes[i].size == 1 && !axes[i].summed).map(|i| Order::from_slice(&[i]));
    let mut units: SmallVec<[Order; 8]> = ones.collect();
    units.extend(both.iter().map(|&i| Order::from_slice(&[i])));
    let step = |run: &[usize], stride: fn(&Axis) -> isize| run.last().map_or(0, |&i| stride(&axes[i]));
    // Where only the rows are neighbours in their operand, the result lies along them: neither operand is turned around then.
    let along_rows = !weighed::is_less(FEW_ROWS, size(&rows))
        && !columns.is_empty()
        && step(&rows, |axis| axis.left) == 1
        && step(&columns, |axis| axis.right) != 1;
    let (row_units, column_units) = (row_runs.iter().chain([&rows]), column_runs.iter().chain([&columns]));
    let is_there = |unit: &&Order| !unit.is_empty();
    if along_rows {
        units.extend(column_units.chain(row_units).filter(is_there).cloned());
    } else {
        units.extend(row_units.chain(column_units).filter(is_there).cloned());
    }
    let order = arranged(
        units,
        tail,
        match in_windows {
            None => [&rows, &columns],
            Some(Side::Left) => [&rows, &rows],
            Some(Side::Right) => [&columns, &columns],
        },
    );
    let mut out: SmallVec<[isize; 8]> = SmallVec::from_elem(0, axes.len());
    for (&i, stride) in order.iter().zip(row_major(order.iter().map(|&i| axes[i].size))) {
        out[i] = stride;
    }

    if let [outer] = &inner_runs[..] {
        // The kernel reads one operand along the whole sum, and packs rows of the other one, which lie along the result's.
        let goes_on = |stride| step(&inner, stride) == 1 && step(outer, stride) == size(&inner) as isize;
        let lies_along = |run: &[usize], stride| order.last() == run.last() && step(run, stride) == 1;
        let [left, right]: [fn(&Axis) -> isize; 2] = [|axis| axis.left, |axis| axis.right];
        if !(goes_on(left) && lies_along(&columns, right) || goes_on(right) && lies_along(&rows, left)) {
            return None;
        }
    }

    let single = |run: &[usize]| Loop {
        size: size(run),
        left: run.last().map_or(0, |&i| axes[i].left),
        right: run.last().map_or(0, |&i| axes[i].right),
        out: run.last().map_or(0, |&i| out[i]),
    };
    let batch = both
        .iter()
        .map(std::slice::from_ref)
        .chain(row_runs.iter().chain(&column_runs).chain(&inner_runs).map(|run| &run[..]));
    let product = Product {
        copy_left: left_order,
        copy_right: right_order,
        batch: batch.map(single).collect(),
        rows: single(&rows),
        columns: single(&columns),
        inner: single(&inner),
        order,
        windows: None,
    };
    match in_windows {
        None => Some(product),
        Some(_) if product.batch.len() > both.len() => None,
        Some(Side::Left) => windows::of(Side::Left, product, given, [&both, &summed, &only_left]),
        Some(Side::Right) => windows::of(Side::Right, product, given, [&both, &summed, &only_right]),
    }
}

/// The axes of the units in the order of a result: those that are wanted last, and at the very end the rows or the columns.
/// Several axes that are one unit are side by side wherever it is, and stay there if that is enough.
pub(super) fn arranged(mut units: SmallVec<[Order; 8]>, tail: Wanted<'_>, matrix: [&Order; 2]) -> Order {
    let Wanted { axes, anywhere } = tail;
    let together = |unit: &Order| axes.len() > 1 && unit.windows(axes.len()).any(|some| some == axes);
    if !(anywhere && units.iter().any(together)) {
        let wanted = |unit: &Order| unit.iter().filter_map(|axis| axes.iter().position(|other| other == axis)).min();
        sort_few(&mut units, |unit| wanted(unit).map_or(0, |at| at + 1));
    }
    // One of the steps inside a matrix of the result has to be 1.
    if let Some(last) = units.iter().rposition(|unit| matrix.contains(&unit)) {
        let unit = units.remove(last);
        units.push(unit);
    }
    units.into_iter().flatten().collect()
}

fn chain<'a>(orders: &'a [&'a Order]) -> impl Iterator<Item = usize> + 'a {
    orders.iter().flat_map(|order| order.iter().copied())
}

/// Cuts the sorted axes into runs that can be walked with one stride in each operand.
pub(super) fn runs(axes: &[Axis], sorted: &[usize]) -> SmallVec<[Order; 4]> {
    let mut runs: SmallVec<[Order; 4]> = SmallVec::new();
    for &i in sorted {
        let axis = &axes[i];
        let size = isize::try_from(axis.size).unwrap_or(isize::MAX);
        let joins = |&before: &usize| {
            axes[before].left == axis.left.saturating_mul(size) && axes[before].right == axis.right.saturating_mul(size)
        };
        match runs.last_mut() {
            Some(run) if run.last().is_some_and(joins) => run.push(i),
            _ => runs.push(Order::from_slice(&[i])),
        }
    }
    runs
}

/// Takes the run of most positions out; empty if there is none.
pub(super) fn take_largest(axes: &[Axis], runs: &mut SmallVec<[Order; 4]>) -> Order {
    let size = |run: &Order| run.iter().map(|&i| axes[i].size).product::<usize>();
    // The last of the largest.
    let largest = (0..runs.len())
        .reduce(|largest, i| if weighed::is_less(size(&runs[i]), size(&runs[largest])) { largest } else { i });
    largest.map_or_else(Order::new, |i| runs.remove(i))
}

/// Takes out the rows or columns: those that are neighbours, if they fill registers, whatever others there are. To gather what is
/// far apart takes longer than as many products.
fn take_side(axes: &[Axis], runs: &mut SmallVec<[Order; 4]>, stride: fn(&Axis) -> isize) -> Order {
    let is_near = |run: &Order| {
        let size = run.iter().map(|&i| axes[i].size).product::<usize>();
        run.last().is_some_and(|&last| stride(&axes[last]) == 1) && !weighed::is_less(size, NEAR)
    };
    match runs.iter().rposition(is_near) {
        Some(near) => runs.remove(near),
        None => take_largest(axes, runs),
    }
}

#[cfg(test)]
mod tests;
