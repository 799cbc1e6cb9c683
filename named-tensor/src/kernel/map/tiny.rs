//! Programs over a few numbers: no blocks, no threads, and of registers only one row of memory.
//!
//! To set those up takes some hundred nanoseconds, which a step of a small model or of a recurrence does not.
//! What lies in the order of the result is read there by light programs; everything else is put in that order first, and
//! programs that are not light compute whole vectors, of which what is beyond the last number is anything.
//! Lives here: what is so small, and its steps. Not here: what a step computes (`cell`, `strip`), everything else (`block`).

use smallvec::SmallVec;

use super::cell::Cell;
use super::program::{Action, Source, Step};
use super::register::register;
use super::strip::Numbers;
use super::{Operand, Program};
use crate::kernel::span::{Odometer, Span, is_inside};
use crate::kernel::stream::{LINE, Stream, lined_up_mut};

/// Elements of a result at most.
pub(super) const FEW: usize = 512;

/// Where the numbers of a source are.
enum Way<'a, T> {
    /// One behind the other, as the results are.
    Dense(&'a [T]),
    /// There is one.
    Same(T),
    /// Elsewhere in this operand.
    Far(&'a Operand<'a>),
    /// Where the results go.
    Own,
}

/// Runs a program at every position of a space if that is simple. What it finishes stands where the results go. Returns
/// whether it did: not where an operand leaves its buffer or is of another kind either, which is for the caller to tell.
pub(super) fn run<T: Cell>(
    program: &Program,
    sizes: &[usize],
    operands: &[Operand<'_>],
    out: &mut [T],
    others: &mut [&mut [T]],
) -> bool {
    let is_of_one_kind = || program.registers().iter().all(|&kind| kind == T::KIND);
    let is_for_us = (1..=FEW).contains(&out.len())
        && sizes.iter().product::<usize>() == out.len()
        && program.result() == T::KIND
        && operands.len() == program.operands().len()
        && (program.light().is_some() || is_of_one_kind());
    if !is_for_us {
        return false;
    }
    let mut ways: SmallVec<[Way<'_, T>; 8]> = SmallVec::new();
    for source in program.sources() {
        match way(source, sizes, operands, out.len()) {
            Some(way) => ways.push(way),
            None => return false,
        }
    }
    match program.light() {
        Some(_) => lightly(program, sizes, &ways, out, others),
        None => by_steps(program, sizes, &ways, out, others),
    }
    true
}

/// How a source lies under a space of `size` positions; none if it is not there.
fn way<'a, T: Cell>(source: &Source, sizes: &[usize], operands: &'a [Operand<'a>], size: usize) -> Option<Way<'a, T>> {
    let number = match *source {
        Source::Operand(number) => number,
        Source::Own => return Some(Way::Own),
        Source::Position(_) => return None,
    };
    let operand = operands.get(number)?;
    let is_there =
        operand.buffer.kind() == T::KIND && is_inside(operand.buffer.size(), operand.offset, sizes, operand.strides);
    if !is_there {
        return None;
    }
    let values = T::of(operand.buffer);
    let (mut is_dense, mut is_same, mut step) = (true, true, 1);
    for (&size, &stride) in sizes.iter().zip(operand.strides).rev() {
        if size != 1 {
            is_dense &= stride == step;
            is_same &= stride == 0;
            step *= size as isize;
        }
    }
    Some(match (is_dense, is_same) {
        (true, _) => Way::Dense(&values[operand.offset..][..size]),
        (_, true) => Way::Same(values[operand.offset]),
        _ => Way::Far(operand),
    })
}

impl<T: Cell> Way<'_, T> {
    /// Puts the numbers in the order of the results, one for each.
    fn put(&self, sizes: &[usize], own: &[T], to: &mut [T]) {
        match *self {
            Way::Dense(values) => to.copy_from_slice(values),
            Way::Same(value) => to.fill(value),
            Way::Own => to.copy_from_slice(own),
            Way::Far(operand) => {
                let (values, span) = (T::of(operand.buffer), Span::new(sizes, &[operand.strides]));
                let (inner, stride, outer) = (span.inner(), span.inner_stride(0), span.sizes.len() - 1);
                let mut rows = Odometer::new(&span.sizes[..outer], &span.strides[0][..outer], 0);
                for row in to.chunks_exact_mut(inner) {
                    let first = operand.offset.wrapping_add_signed(rows.distance);
                    match stride {
                        0 => row.fill(values[first]),
                        1 => row.copy_from_slice(&values[first..][..inner]),
                        _ => {
                            for (i, to) in (0..).zip(row) {
                                *to = values[first.wrapping_add_signed(i * stride)];
                            }
                        }
                    }
                    rows.step();
                }
            }
        }
    }
}

/// Runs a light program. Its sources are read where they lie, if they lie dense.
fn lightly<T: Cell>(program: &Program, sizes: &[usize], ways: &[Way<'_, T>], out: &mut [T], others: &mut [&mut [T]]) {
    let Some(light) = program.light() else { return };
    let size = out.len();
    let count = ways.iter().filter(|way| !matches!(way, Way::Dense(_))).count();
    let mut room = register(T::KIND, count * size);
    let mut places = lined_up_mut(T::of_mut(&mut room)).chunks_exact_mut(size);
    let mut sources: SmallVec<[Numbers<'_, T>; 8]> = SmallVec::new();
    for way in ways {
        sources.push(match way {
            Way::Dense(values) => Numbers::each(values),
            way => {
                let place = places.next().expect("there is a place for each that is put there");
                way.put(sizes, out, place);
                if matches!(way, Way::Same(_)) { Numbers::same(place) } else { Numbers::each(place) }
            }
        });
    }
    T::run_light(light, &sources, &mut T::strips(light), &Stream::usual(), out, others);
}

/// Runs any other program, step by step.
fn by_steps<T: Cell>(program: &Program, sizes: &[usize], ways: &[Way<'_, T>], out: &mut [T], others: &mut [&mut [T]]) {
    let size = out.len();
    let whole = size.next_multiple_of(LINE / size_of::<T>());
    // The last one is that of the result.
    let count = program.registers().len() + 1;
    let mut room = register(T::KIND, count * whole);
    let mut values: SmallVec<[&mut [T]; 16]> = SmallVec::new();
    for values_of_one in lined_up_mut(T::of_mut(&mut room)).chunks_exact_mut(whole).take(count) {
        values.push(values_of_one);
    }
    for (way, to) in ways.iter().zip(&mut values) {
        let (to, beyond) = to.split_at_mut(size);
        way.put(sizes, out, to);
        // Some numbers would take long to compute with.
        beyond.fill(T::default());
    }
    for &(register, value) in program.constants() {
        values[register].fill(T::from_f64(value));
    }
    for &Step { action, to } in program.steps() {
        let to = to.unwrap_or(count - 1);
        // A step never reads what it writes.
        let result = std::mem::take(&mut values[to]);
        match action {
            Action::Unary(op, x) => T::unary(op, &*values[x], result),
            Action::Binary(op, x, y) => T::binary(op, &*values[x], &*values[y], result),
            Action::Cast(x) => result.copy_from_slice(&*values[x]),
            // Of one kind, which is real, there are no truth values.
            Action::Compare(..) | Action::Select(..) => {}
        }
        values[to] = result;
    }
    out.copy_from_slice(&values[count - 1][..size]);
    for (other, &register) in others.iter_mut().zip(program.others()) {
        other.copy_from_slice(&values[register][..size]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Binary, Buffer, Kind, Unary};
    use crate::kernel::map::Instruction;

    #[test]
    fn what_lies_in_the_order_of_the_result_or_is_one_number_is_computed_and_the_rest_is_not() {
        let program = Program::new(
            vec![
                Instruction::Load(0),
                Instruction::Load(1),
                Instruction::Binary(Binary::Mul, 0, 1),
                Instruction::Unary(Unary::Neg, 2),
            ],
            &[Kind::F32; 2],
        );
        let (x, y) = (Buffer::F32((0..60_u8).map(f32::from).collect()), Buffer::F32(vec![7.0, 3.0].into()));
        let done = |sizes: &[usize], x_strides: &[isize], y_strides: &[isize], offset: usize| {
            let operands = [
                Operand { buffer: &x, offset, strides: x_strides },
                Operand { buffer: &y, offset: 1, strides: y_strides },
            ];
            let mut out = vec![f32::NAN; sizes.iter().product()];
            run(&program, sizes, &operands, &mut out, &mut []).then_some(out)
        };
        for size in [1_usize, 5, 16, 50] {
            let expected: Vec<f32> = (0..size).map(|i| -3.0 * (i + 10) as f32).collect();
            assert_eq!(done(&[size], &[1], &[0], 10), Some(expected), "{size} numbers");
        }
        assert!(done(&[3, 1, 4], &[4, 9, 1], &[0, 9, 0], 0).is_some(), "an axis of one position may have any stride");
        assert!(done(&[3, 4], &[1, 3], &[0, 0], 0).is_none(), "the first operand lies in another order");
        assert!(done(&[3, 4], &[4, 1], &[0, 0], 50).is_none(), "the first operand leaves its buffer");
        assert!(done(&[0], &[1], &[0], 0).is_none(), "there is nothing to do");
    }
}
