//! Programs over few numbers: all of them at once, without blocks and threads.
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
use super::{BLOCK, Operand, Program};
use crate::kernel::copy::copy_into;
use crate::kernel::span::{is_dense, is_inside, row_major};
use crate::kernel::stream::{LINE, Stream, lined_up_mut};
use crate::kernel::{View, ViewMut};

/// Elements of a result at most: of a light program, which reads its sources where they lie, and of any other.
const LIGHT: usize = 16 * BLOCK;
pub(super) const FEW: usize = 4 * BLOCK;
/// Bytes of all registers of such another one, at most: more of them leave the nearest cache.
const ROOM: usize = 64 << 10;

/// Elements up to which those that lie across the results are taken one by one: squares of them take long to begin.
const ACROSS: usize = 8 * BLOCK;

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
    let is_for_us = !out.is_empty()
        && sizes.iter().product::<usize>() == out.len()
        && program.result() == T::KIND
        && operands.len() == program.operands().len()
        && match program.light() {
            Some(_) => out.len() <= LIGHT,
            None => serves::<T>(program, out.len()),
        };
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

/// Whether a program that is not light is run on so many elements: all of its registers are of one kind and near.
fn serves<T: Cell>(program: &Program, size: usize) -> bool {
    let registers = program.registers();
    size <= FEW && registers.len() * size * size_of::<T>() <= ROOM && registers.iter().all(|&kind| kind == T::KIND)
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
                let src = View { data: T::of(operand.buffer), offset: operand.offset, strides: operand.strides };
                let is_across = src.strides.last().is_some_and(|stride| stride.unsigned_abs() > 1);
                if is_across && to.len() > ACROSS {
                    copy_into(sizes, src, ViewMut { data: to, offset: 0, strides: &row_major(sizes) });
                } else {
                    walk(src.data, src.offset, sizes, src.strides, to);
                }
            }
        }
    }
}

/// Puts the numbers of an operand, from the `first` on, in the order of the space, each row of which is a space again.
fn walk<T: Cell>(values: &[T], first: usize, sizes: &[usize], strides: &[isize], to: &mut [T]) {
    if is_dense(sizes, strides) {
        return to.copy_from_slice(&values[first..][..to.len()]);
    }
    match (sizes, strides) {
        (_, [0]) => to.fill(values[first]),
        (_, &[stride]) if stride > 0 => {
            let stepped = values[first..].iter().step_by(stride.unsigned_abs());
            to.iter_mut().zip(stepped).for_each(|(to, &value)| *to = value);
        }
        (_, [stride]) => {
            for (i, to) in (0..).zip(to) {
                *to = values[first.wrapping_add_signed(i * stride)];
            }
        }
        ([size, sizes @ ..], [stride, strides @ ..]) => {
            for (i, to) in (0..).zip(to.chunks_exact_mut(to.len() / size)) {
                walk(values, first.wrapping_add_signed(i * stride), sizes, strides, to);
            }
        }
        _ => {}
    }
}

/// Runs a light program. Its sources are read where they lie, if they lie dense.
fn lightly<T: Cell>(program: &Program, sizes: &[usize], ways: &[Way<'_, T>], out: &mut [T], others: &mut [&mut [T]]) {
    let Some(light) = program.light() else { return };
    let size = out.len();
    let often = size.min(Numbers::<T>::OFTEN);
    let room = |way: &Way<'_, T>| match way {
        Way::Dense(_) => 0,
        Way::Same(_) => often,
        Way::Far(_) | Way::Own => size,
    };
    let mut register = register(T::KIND, ways.iter().map(room).sum());
    let mut rest = &mut *lined_up_mut(T::of_mut(&mut register));
    let mut sources: SmallVec<[Numbers<'_, T>; 8]> = SmallVec::new();
    for way in ways {
        let place;
        (place, rest) = rest.split_at_mut(room(way));
        sources.push(match *way {
            Way::Dense(values) => Numbers::each(values),
            Way::Same(value) => {
                place.fill(value);
                Numbers::same(place)
            }
            Way::Far(_) | Way::Own => {
                way.put(sizes, out, place);
                Numbers::each(place)
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
        // What was there before may be so small that it would take long to compute with.
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
    use crate::element::{Binary, Buffer, Comparison, Kind, Unary};
    use crate::kernel::map::Instruction;
    use Instruction::{Constant, Load};

    /// What a program of x, which lies so from its offset on, and of one number for all gives.
    fn done(program: &Program, sizes: &[usize], x: (usize, &[isize])) -> Option<Vec<f32>> {
        let [of_x, of_y] = [10_000_u16, 2].map(|size| Buffer::F32((0..size).map(|i| f32::from(i) / 1024.0).collect()));
        let same = vec![0; sizes.len()];
        let operands = [
            Operand { buffer: &of_x, offset: x.0, strides: x.1 },
            Operand { buffer: &of_y, offset: 1, strides: &same },
        ];
        let mut out = vec![f32::NAN; sizes.iter().product()];
        run(program, sizes, &operands, &mut out, &mut []).then_some(out)
    }

    /// exp(-(x · y)) if it is not light, else -(x · y).
    fn program(is_light: bool) -> Program {
        let product = Instruction::Binary(Binary::Mul, 0, 1);
        let mut instructions = vec![Load(0), Load(1), product, Instruction::Unary(Unary::Neg, 2)];
        if !is_light {
            instructions.push(Instruction::Unary(Unary::Exp, 3));
        }
        Program::new(instructions, &[Kind::F32; 2])
    }

    #[test]
    fn what_is_small_is_computed_wherever_its_numbers_lie_inside_of_their_buffers() {
        for is_light in [true, false] {
            let program = program(is_light);
            let spaces: [(&[usize], usize, &[isize]); 8] = [
                (&[1], 10, &[1]),
                (&[50], 10, &[1]),
                (&[3, 1, 4], 0, &[4, 9, 1]),
                (&[3, 4], 7, &[1, 3]),
                (&[5, 40], 0, &[0, 1]),
                (&[5, 40], 3, &[1, 0]),
                (&[2, 3, 17], 200, &[-60, 20, 1]),
                (&[30, 68], 9999, &[-1, -31]),
            ];
            for (sizes, offset, strides) in spaces {
                let got = done(&program, sizes, (offset, strides)).expect("it is small");
                let places = crate::kernel::testing::positions(sizes, strides);
                for (got, place) in got.into_iter().zip(places) {
                    let light = -((offset as isize + place) as f64 / 1024.0) / 1024.0;
                    let exact = if is_light { light } else { light.exp() };
                    assert!((f64::from(got) - exact).abs() <= 1e-6 * exact.abs(), "{got} for {exact}, {sizes:?}");
                }
            }
            assert!(done(&program, &[3, 4], (9990, &[4, 1])).is_none(), "an operand leaves its buffer");
            assert!(done(&program, &[3, 4], (5, &[-4, 1])).is_none(), "at its beginning");
            assert!(done(&program, &[0], (0, &[1])).is_none(), "there is nothing to do");
            let [most, more] = [0, 1].map(|more| if is_light { LIGHT + more } else { FEW + more });
            assert!(done(&program, &[most], (0, &[1])).is_some() && done(&program, &[more], (0, &[1])).is_none());
        }
        let far = done(&program(true), &[80, 100], (0, &[1, 80])).expect("what lies across, in squares");
        assert!((0..8000).all(|i| far[i] == -((i / 100 + i % 100 * 80) as f32) / 1024.0 / 1024.0));
    }

    #[test]
    fn what_has_several_kinds_or_counts_positions_or_would_leave_the_nearest_cache_is_for_others() {
        let [x, y] = [0, 1].map(|i| Instruction::Unary(Unary::Exp, i));
        let choice = vec![Load(0), x, Instruction::Compare(Comparison::Lt, 0, 1), Instruction::Select(2, 0, 1)];
        let positions = vec![Instruction::Position(0), Instruction::Cast(Kind::F32, 0), y];
        for instructions in [choice, positions] {
            assert!(done(&Program::new(instructions, &[Kind::F32; 2]), &[5], (0, &[1])).is_none());
        }
        let mut many: Vec<Instruction> = (1..20).map(|i| Constant(Kind::F32, f64::from(i))).collect();
        many.push(Load(0));
        many.extend((0..19).map(|i| Instruction::Binary(Binary::Pow, 19 + i, i)));
        let many = Program::new(many, &[Kind::F32; 2]);
        assert!(done(&many, &[300], (0, &[1])).is_some(), "some registers are near");
        assert!(done(&many, &[1500], (0, &[1])).is_none(), "and so many are not");
    }
}
