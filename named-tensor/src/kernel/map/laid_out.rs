//! Operands that lie across the rows of a space, laid out in its order before a program runs.
//!
//! What lies across along one axis is turned around tile by tile (`crosswise`); where several operands are the same tensor in
//! several orders, others lie across along other axes, and to gather each number of those takes several times as long as to
//! copy all of them by squares.
//! Not here: how they are copied (`copy`).

use super::Job;
use super::crosswise;
use super::program::Source;
use super::{Operand, Program};
use crate::element::{Buffer, Stored};
use crate::kernel::copy::copy_into;
use crate::kernel::pool;
use crate::kernel::span::row_major;
use crate::kernel::{View, ViewMut};
use smallvec::SmallVec;

/// Numbers of an operand from which on it is worth a pass of its own, and bytes up to which it is worth the room.
const WORTH: usize = 16 * 1024;
/// Numbers of a row below which it is gathered as fast.
const SHORT: usize = 16;
const LARGEST: usize = 256 << 20;

/// Operands in another place, by their numbers.
pub(in crate::kernel) struct LaidOut {
    buffers: Vec<(usize, Buffer)>,
    strides: SmallVec<[isize; 8]>,
}

impl LaidOut {
    /// Those of a program over a space of these sizes, if there are any. Some are not where the program runs `by_tiles`, which
    /// turn them around.
    ///
    /// # Panics
    /// If an operand leaves its buffer, or if its kind is not that of the program.
    pub(in crate::kernel) fn of(
        program: &Program,
        sizes: &[usize],
        operands: &[Operand<'_>],
        by_tiles: bool,
    ) -> Option<LaidOut> {
        let total: usize = sizes.iter().product();
        if total < WORTH || sizes.last().is_some_and(|&last| last < SHORT) {
            return None;
        }
        let job = Job::new(program, sizes, operands);
        let turned = if by_tiles { crosswise::axis(&job) } else { None };
        let is_moved = |source: usize| {
            let across = crosswise::across(&job, source);
            // What is the same along an axis has fewer numbers than the space.
            across.is_some() && across != turned && !job.span.strides[source].contains(&0)
        };
        let lay_out = |(source, of): (usize, &Source)| match *of {
            Source::Operand(i) if is_moved(source) && total * operands[i].buffer.kind().bytes() <= LARGEST => {
                Some((i, laid_out(&job, source, &operands[i], total)))
            }
            _ => None,
        };
        let buffers: Vec<_> = program.sources().iter().enumerate().filter_map(lay_out).collect();
        (!buffers.is_empty()).then(|| LaidOut { buffers, strides: row_major(sizes) })
    }

    /// All operands, where they lie now.
    pub(in crate::kernel) fn operands<'a>(&'a self, operands: &[Operand<'a>]) -> Vec<Operand<'a>> {
        let mut all = operands.to_vec();
        for (i, buffer) in &self.buffers {
            all[*i] = Operand { buffer, offset: 0, strides: &self.strides };
        }
        all
    }
}

impl Drop for LaidOut {
    fn drop(&mut self) {
        self.buffers.drain(..).for_each(|(_, buffer)| pool::give(buffer));
    }
}

/// The numbers of a source in the order of its space, `total` of them.
fn laid_out(job: &Job<'_>, source: usize, operand: &Operand<'_>, total: usize) -> Buffer {
    fn copy<T: Stored>(job: &Job<'_>, source: usize, operand: &Operand<'_>, to: &mut [T], total: usize) {
        let strides = &job.span.strides[source];
        let src = View { data: T::of(operand.buffer), offset: operand.offset, strides };
        let dense = row_major(&job.span.sizes);
        copy_into(&job.span.sizes, src, ViewMut { data: &mut to[..total], offset: 0, strides: &dense });
    }
    let mut buffer = pool::take(operand.buffer.kind(), total);
    match &mut buffer {
        Buffer::F32(to) => copy(job, source, operand, to, total),
        Buffer::F64(to) => copy(job, source, operand, to, total),
        Buffer::Index(to) => copy(job, source, operand, to, total),
        Buffer::Bool(to) => copy(job, source, operand, to, total),
        Buffer::Bf16(to) => copy(job, source, operand, to, total),
        Buffer::Lent(_) => unreachable!("the pool has buffers of its own"),
    }
    buffer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Binary, Kind};
    use crate::kernel::map::{Instruction, run};
    use crate::kernel::reduce::{Reduction, computed};
    use crate::kernel::testing::{Random, positions};

    /// The sum of a tensor in several orders of its axes, at each position and at all of them.
    fn check(sizes: &[usize], orders: &[&[isize]], moved: [usize; 2]) {
        let total: usize = sizes.iter().product();
        let numbers = Random::new(8).reals(total);
        let buffer = Buffer::F32(numbers.clone().into());
        let operands: Vec<Operand<'_>> =
            orders.iter().map(|strides| Operand { buffer: &buffer, offset: 0, strides }).collect();
        let mut all: Vec<Instruction> = (0..orders.len()).map(Instruction::Load).collect();
        for i in 1..orders.len() {
            let before = if i == 1 { 0 } else { all.len() - 1 };
            all.push(Instruction::Binary(Binary::Add, before, i));
        }
        let program = Program::new(all, &vec![Kind::F32; orders.len()]);
        let count = |by_tiles| LaidOut::of(&program, sizes, &operands, by_tiles).map_or(0, |all| all.buffers.len());
        assert_eq!([true, false].map(count), moved, "{sizes:?} {orders:?}");
        let mut wanted = vec![0.0; total];
        for strides in orders {
            let places = positions(sizes, strides);
            wanted.iter_mut().zip(places).for_each(|(sum, at)| *sum += f64::from(numbers[at as usize]));
        }
        let mut out = Buffer::zeros(Kind::F32, total);
        run(&program, sizes, &operands, &mut out, &mut [], false);
        for (i, (&got, wanted)) in f32::of(&out).iter().zip(&wanted).enumerate() {
            assert!((f64::from(got) - wanted).abs() < 1e-5, "{got} for {wanted} at {i} of {sizes:?} {orders:?}");
        }
        let mut sum = [0.0_f32];
        computed::reduce(Reduction::Sum, &program, sizes, 0..sizes.len(), &operands, &mut sum, &mut []);
        let wanted: f64 = wanted.iter().sum();
        assert!((f64::from(sum[0]) - wanted).abs() < 1e-2, "{} for {wanted}, the sum of {sizes:?} {orders:?}", sum[0]);
    }

    #[test]
    fn a_tensor_in_several_orders_is_added_to_itself_wherever_its_neighbours_lie() {
        let cube = [&[900, 30, 1][..], &[30, 900, 1], &[1, 30, 900], &[900, 1, 30], &[1, 900, 30], &[30, 1, 900]];
        check(&[30; 3], &cube, [2, 4]);
        check(&[30; 3], &cube[..3], [0, 1]);
        check(&[30; 3], &[cube[0], cube[3]], [0, 1]);
        check(&[30; 3], &[cube[0], &[0, 1, 30]], [0, 0]);
        check(&[20; 3], &[&[400, 20, 1], &[400, 1, 20], &[1, 20, 400]], [0, 0]);
    }
}
