//! The kernel of each step.
//!
//! Lives here: from the places of a step to the views of a kernel, for every kind of element that it takes. What is read or
//! summed at computed positions has a file of its own (`positions`).
//! Not here: loops over elements (`kernel`), the order of the steps (`execute`).

mod positions;

use smallvec::SmallVec;

use positions::{gathered, grouped, relative, scattered};

use super::contract::Loop;
use super::execute::Slots;
use super::layout::Place;
use super::schedule::{Action, Factor, MatrixFunction, Piece, RowFunction, Step, Tail};
use crate::element::{Bf16, Buffer, Kind, Stored};
use crate::graph::op::Reduction;
use crate::kernel::batch::products;
use crate::kernel::copy::copy_into;
use crate::kernel::math::Scalar;
use crate::kernel::matmul;
use crate::kernel::simd::Lanes;
use crate::kernel::sort::{self, Ranked};
use crate::kernel::{View, ViewMut, attention, best, factors, few, map, reduce, running, softmax, standardize};

/// Does something with the numbers of a buffer of any of these kinds. The shape rules leave no other kind.
macro_rules! of {
    ($($kind:ident)|+, $out:ident => $work:expr) => {
        match $out {
            $(Buffer::$kind($out) => $work,)+
            #[allow(unreachable_patterns, reason = "some actions are there for all kinds")]
            _ => {}
        }
    };
}

/// Writes the numbers of a step. Returns whether there are all of them: not where a computed position is out of range, or a
/// matrix has no inverse.
pub(super) fn compute(step: &Step, slots: &Slots, out: &mut Buffer) -> bool {
    let action = &step.action;
    match action {
        Action::Map { .. } | Action::ReduceComputed { .. } => computed(action, slots, out, &mut [], false),
        Action::Product { .. } => of!(F32 | F64, out => product(step, slots, out)),
        Action::Attention { .. } => of!(F32 | F64, out => attended(action, slots, out)),
        Action::AttentionGradient { .. } => of!(F32 | F64, out => attention_owed(action, slots, out)),
        Action::Reduce { .. } => of!(F32 | F64 | Index, out => reduced(action, slots, out)),
        Action::Best { .. } => of!(Index, out => best_of(action, slots, out)),
        Action::Rows { .. } => match out {
            Buffer::Index(out) => argsorted(action, slots, out),
            out => of!(F32 | F64, out => rows(step, slots, out)),
        },
        Action::StandardizeGradient { .. } => of!(F32 | F64, out => standardize_owed(step, slots, out)),
        Action::Join { around, pieces } => {
            around.iter().for_each(|&around| fill(out, around));
            join(pieces, slots, out);
        }
        Action::Gather { .. } => {
            let mut sound = true;
            of!(F32 | F64 | Index | Bool | Bf16, out => gathered(action, slots, &mut sound, out));
            return sound;
        }
        Action::Scatter { .. } => {
            let mut sound = true;
            of!(F32 | F64, out => scattered(action, slots, &mut sound, out));
            return sound;
        }
        Action::Grouped { .. } => {
            let mut sound = true;
            of!(F32 | F64, out => grouped(action, slots, &mut sound, out));
            return sound;
        }
        Action::Relative { .. } => {
            let mut sound = true;
            of!(F32 | F64, out => relative(action, slots, &mut sound, out));
            return sound;
        }
        Action::Matrix { .. } => {
            let mut sound = true;
            of!(F32 | F64, out => factored(action, slots, &mut sound, out));
            return sound;
        }
        Action::Update { .. } => return updated(action, slots, out),
        Action::Fill(value) => fill(out, *value),
        Action::Append { .. } | Action::Plain { .. } | Action::Scan { .. } => {}
    }
    true
}

/// Writes the results of an elementwise program, or what becomes of them along some axes. `is_last` says whether no later
/// step reads them.
pub(super) fn computed(action: &Action, slots: &Slots, out: &mut Buffer, others: &mut [&mut Buffer], is_last: bool) {
    match action {
        Action::Map { program, sizes, operands, .. } => {
            map::run(program, sizes, &read(operands, slots), out, others, is_last);
        }
        // What is reduced on the way is real (`lower::computed`).
        Action::ReduceComputed { .. } => match out {
            Buffer::F32(out) => reduced_on_the_way(action, slots, out, others),
            Buffer::F64(out) => reduced_on_the_way(action, slots, out, others),
            _ => {}
        },
        _ => {}
    }
}

/// The same number everywhere.
pub(super) fn fill(buffer: &mut Buffer, value: f64) {
    fn all<T: Stored>(value: f64, values: &mut [T]) {
        values.fill(T::from_f64(value));
    }
    of!(F32 | F64 | Index | Bool | Bf16, buffer => all(value, buffer));
}

/// Copies the pieces to their places.
pub(super) fn join(pieces: &[Piece], slots: &Slots, out: &mut Buffer) {
    of!(F32 | F64 | Index | Bool | Bf16, out => joined(pieces, slots, out));
}

/// What an elementwise program reads.
fn read<'a>(operands: &'a [Place], slots: &'a Slots) -> SmallVec<[map::Operand<'a>; 6]> {
    let operand = |place: &'a Place| {
        let (buffer, offset) = slots.at(place.slot, place.offset);
        map::Operand { buffer, offset, strides: &place.strides }
    };
    operands.iter().map(operand).collect()
}

/// Gives the tail of a step to its kernel.
fn ending(step: &Step, slots: &Slots, kernel: impl FnOnce(Option<&map::Tail<'_>>)) {
    let Some(Tail { program, sizes, operands }) = step.tail.as_deref() else { return kernel(None) };
    kernel(Some(&map::Tail::new(program, sizes, &read(operands, slots))));
}

/// Does what the tail of a step says to a result that is there.
fn finish<T: Scalar + map::Cell>(step: &Step, slots: &Slots, out: &mut [T]) {
    let Some(Tail { program, sizes, operands }) = step.tail.as_deref() else { return };
    map::Tail::at_once(program, sizes, &read(operands, slots), out);
}

/// Copies a piece so many elements behind its place.
pub(super) fn place(piece: &Piece, behind: usize, slots: &Slots, out: &mut Buffer) {
    of!(F32 | F64 | Index | Bool | Bf16, out => placed(piece, behind, slots, out));
}

pub(super) fn joined<T: Stored>(pieces: &[Piece], slots: &Slots, out: &mut [T]) {
    pieces.iter().for_each(|piece| placed(piece, 0, slots, out));
}

fn placed<T: Stored>(piece: &Piece, behind: usize, slots: &Slots, out: &mut [T]) {
    let dst = ViewMut { data: out, offset: piece.offset + behind, strides: &piece.strides };
    copy_into(&piece.sizes, slots.view(&piece.source), dst);
}

fn factored<T: Scalar>(action: &Action, slots: &Slots, sound: &mut bool, out: &mut [T]) {
    let Action::Matrix { function, source, sizes, size, .. } = action else { return };
    match function {
        MatrixFunction::Determinant => factors::determinant(sizes, *size, slots.view(source), out),
        MatrixFunction::LogDeterminant => factors::log_determinant(sizes, *size, slots.view(source), out),
        MatrixFunction::Inverse => *sound = factors::inverse(sizes, *size, slots.view(source), out),
    }
}

/// Whether the start was there.
fn updated(action: &Action, slots: &Slots, out: &mut Buffer) -> bool {
    let Action::Update { pieces, start, step, limit, .. } = action else { return true };
    let (buffer, offset) = slots.at(start.0, start.1);
    let start = usize::try_from(i64::of(buffer)[offset]).unwrap_or(usize::MAX);
    if start >= *limit {
        return false;
    }
    let mut pieces = pieces.clone();
    pieces.iter_mut().skip(1).for_each(|piece| piece.offset += start * step);
    join(&pieces, slots, out);
    true
}

fn reduced<T: reduce::Reducible>(action: &Action, slots: &Slots, out: &mut [T]) {
    let Action::Reduce { reduction, source, sizes, over } = action else { return };
    reduce::reduce(kernel_reduction(*reduction), sizes, over, slots.view(source), out);
}

fn reduced_on_the_way<T: reduce::computed::Real>(
    action: &Action,
    slots: &Slots,
    out: &mut [T],
    others: &mut [&mut Buffer],
) {
    let Action::ReduceComputed { reduction, program, sizes, operands, over: [from, to], .. } = action else { return };
    let over = usize::from(*from)..usize::from(*to);
    let mut others: SmallVec<[&mut [T]; 2]> = others.iter_mut().map(|other| T::of_mut(other)).collect();
    let (op, operands) = (kernel_reduction(*reduction), read(operands, slots));
    reduce::computed::reduce(op, program, sizes, over, &operands, out, &mut others);
}

fn best_of(action: &Action, slots: &Slots, out: &mut [i64]) {
    let Action::Best { largest, source, sizes, size } = action else { return };
    match slots.at(source.slot, source.offset).0.kind() {
        Kind::F32 => best::best::<f32>(*largest, sizes, *size, slots.view(source), out),
        _ => best::best::<f64>(*largest, sizes, *size, slots.view(source), out),
    }
}

fn argsorted(action: &Action, slots: &Slots, out: &mut [i64]) {
    let Action::Rows { function: RowFunction::ArgSort { descending }, source, sizes, row, wanted, out: strides } =
        action
    else {
        return;
    };
    let dst = ViewMut { data: out, offset: 0, strides };
    match slots.at(source.slot, source.offset).0.kind() {
        Kind::F32 => sort::argsort::<f32>(*descending, sizes, [*row, *wanted], slots.view(source), dst),
        _ => sort::argsort::<f64>(*descending, sizes, [*row, *wanted], slots.view(source), dst),
    }
}

fn rows<T: Scalar + Ranked>(step: &Step, slots: &Slots, out: &mut [T]) {
    let Action::Rows { function, source, sizes, row, wanted, out: strides } = &step.action else { return };
    let (src, dst) = (slots.view(source), ViewMut { data: out, offset: 0, strides });
    // The plan gives a tail to softmax and standardization alone (`fuse`).
    ending(step, slots, |tail| match *function {
        RowFunction::CumulativeSum { backwards } => running::sums(backwards, sizes, *row, src, dst),
        RowFunction::Sort { descending } => sort::sort(descending, sizes, [*row, *wanted], src, dst),
        RowFunction::ArgSort { .. } => {}
        RowFunction::Softmax { log: false } => softmax::softmax(sizes, *row, src, dst, tail),
        RowFunction::Softmax { log: true } => softmax::log_softmax(sizes, *row, src, dst, tail),
        RowFunction::LogSum => softmax::log_sum(sizes, *row, src, dst.data),
        RowFunction::Standardize { epsilon } => standardize::standardize(epsilon, sizes, *row, src, dst, tail),
    });
}

fn standardize_owed<T: Scalar>(step: &Step, slots: &Slots, out: &mut [T]) {
    let Action::StandardizeGradient { epsilon, operands, gain, sizes, row, out: strides } = &step.action else {
        return;
    };
    let [x, owed] = operands.each_ref().map(|place| slots.view(place));
    let gain = gain.map(|(slot, offset)| {
        let (buffer, offset) = slots.at(slot, offset);
        &T::of(buffer)[offset..][..*row]
    });
    let dst = ViewMut { data: out, offset: 0, strides };
    ending(step, slots, |tail| standardize::gradient::gradient(*epsilon, sizes, *row, [x, owed], gain, dst, tail));
}

fn product<T: Lanes>(step: &Step, slots: &Slots, out: &mut [T]) {
    let Action::Product { left, right, batch, rows, columns, inner, scale, windows } = &step.action else { return };
    let [factor, divisor] = scaling(scale.as_ref(), slots);
    let (lhs, rhs) = (slots.at(left.0, left.1), slots.at(right.0, right.1));
    if rhs.0.kind() == Kind::Bf16 {
        // The plan has found that `columns` and `inner` are the axes of one matrix, and no batch.
        let x = View { data: T::of(lhs.0), offset: lhs.1, strides: &[rows.left, inner.left] };
        let w = View { data: Bf16::of(rhs.0), offset: rhs.1, strides: &[inner.right, columns.right] };
        let dst = ViewMut { data: &mut *out, offset: 0, strides: &[rows.out, columns.out] };
        few::product(factor, [rows.size, inner.size, columns.size], x, w, dst);
        divide(out, divisor);
        return finish(step, slots, out);
    }
    let matrices = [rows.size, inner.size, columns.size];
    let last = [[rows.left, inner.left], [inner.right, columns.right], [rows.out, columns.out]];
    let size = out.len();
    let mut multiply = |sizes: &[usize], [left, right, to]: [&[isize]; 3]| {
        let lhs = View { data: T::of(lhs.0), offset: lhs.1, strides: left };
        let rhs = View { data: T::of(rhs.0), offset: rhs.1, strides: right };
        let mut kernel = |tail: Option<&map::Tail<'_>>| {
            let dst = ViewMut { data: &mut *out, offset: 0, strides: to };
            match windows {
                None => products(factor, sizes, matrices, lhs, rhs, dst, tail),
                Some(windows) => {
                    let lying = matmul::Windows { terms: &windows.terms, columns: &windows.columns };
                    let rhs = View { strides: &right[..sizes.len()], ..rhs };
                    matmul::windowed(factor, sizes, rows.size, lying, lhs, rhs, dst, tail);
                }
            }
        };
        if divisor == T::narrow(1.0) && !map::Tail::is_small(size) {
            return ending(step, slots, kernel);
        }
        kernel(None);
        divide(out, divisor);
        finish(step, slots, out);
    };
    if batch.is_empty() {
        return multiply(&[], last.each_ref().map(|last| &last[..]));
    }
    let sizes: SmallVec<[usize; 6]> = batch.iter().map(|axis| axis.size).collect();
    let strides = |stride: fn(&Loop) -> isize, last: [isize; 2]| -> SmallVec<[isize; 6]> {
        batch.iter().map(stride).chain(last).collect()
    };
    let [left, right, to] = [(|axis| axis.left) as fn(&Loop) -> isize, |axis| axis.right, |axis| axis.out];
    let [left, right, to] = [strides(left, last[0]), strides(right, last[1]), strides(to, last[2])];
    multiply(&sizes, [&left, &right, &to]);
}

fn divide<T: Scalar>(out: &mut [T], divisor: T) {
    if divisor != T::narrow(1.0) {
        out.iter_mut().for_each(|x| *x = *x / divisor);
    }
}

fn kernel_reduction(reduction: Reduction) -> reduce::Reduction {
    match reduction {
        Reduction::Sum => reduce::Reduction::Sum,
        Reduction::Product => reduce::Reduction::Product,
        Reduction::Max => reduce::Reduction::Max,
        Reduction::Min => reduce::Reduction::Min,
    }
}

/// What a product is multiplied by, and then divided by.
fn scaling<T: Scalar>(scale: Option<&Factor>, slots: &Slots) -> [T; 2] {
    let one = T::narrow(1.0);
    scale.map_or([one, one], |factor| {
        let (place, by) = &**factor;
        let (buffer, offset) = slots.at(place.slot, place.offset);
        let scale = T::of(buffer)[offset];
        match one / scale {
            _ if !by => [scale, one],
            // The inverse of a subnormal number may be too large, though the quotients are not.
            inverse if inverse.wide().is_infinite() => [one, scale],
            inverse => [inverse, one],
        }
    })
}

fn attended<T: Lanes>(action: &Action, slots: &Slots, out: &mut [T]) {
    let Action::Attention { operands, batch, rows, sizes: [keys, positions, columns], scale, out: strides, instead } =
        action
    else {
        return;
    };
    let [queries, key, values, mask @ ..] = &operands[..] else { return };
    let job = attention_of([queries, key, values], (mask.first(), *instead), scale.as_ref(), slots);
    let sizes = attention::Sizes { batch, rows, keys: *keys, positions: *positions, columns: *columns };
    attention::attention(sizes, &job, ViewMut { data: out, offset: 0, strides });
}

fn attention_owed<T: Lanes>(action: &Action, slots: &Slots, out: &mut [T]) {
    let Action::AttentionGradient { operands, batch, rows, sizes: [keys, positions, columns], scale, out: to, instead } =
        action
    else {
        return;
    };
    let [queries, key, values, owed, mask @ ..] = &operands[..] else { return };
    let job = attention_of([queries, key, values], (mask.first(), *instead), scale.as_ref(), slots);
    let sizes = attention::Sizes { batch, rows, keys: *keys, positions: *positions, columns: *columns };
    let to = to.each_ref().map(|to| to.as_ref().map(|(offset, strides)| (*offset, &strides[..])));
    attention::gradient::gradient(sizes, &job, slots.view(owed), out, to);
}

fn attention_of<'a, T: Lanes>(
    [queries, keys, values]: [&'a Place; 3],
    (mask, instead): (Option<&'a Place>, bool),
    scale: Option<&Factor>,
    slots: &'a Slots,
) -> attention::Attention<'a, T> {
    attention::Attention {
        scale: scaling(scale, slots),
        queries: slots.view(queries),
        keys: slots.view(keys),
        values: slots.view(values),
        mask: mask.map(|mask| slots.view(mask)),
        instead,
    }
}
