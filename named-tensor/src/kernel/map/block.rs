//! One block of a fused program: sources are read, and each step runs over the whole block.
//!
//! Lives here: the registers of a thread, and what each action is for each kind of element.
//! A source that lies dense under the block is read in place; any other is gathered into its register first. One that
//! lies across the rows, as a transposed matrix does, is turned around some rows at a time (`crosswise`), so that each
//! line of memory is read once.

use super::crosswise::{HEIGHT, Turned, place, turn};
use super::program::{Action, Source, Step};
use super::{BLOCK, Job, Operand};
use crate::element::{Bf16, Binary, Buffer, Comparison, Kind, Stored, Unary};
use crate::kernel::lanes::{each, pairs, vectorised};
use crate::kernel::math::Scalar;
use crate::kernel::span::Odometer;
use smallvec::SmallVec;

/// The registers of one thread.
pub(super) struct Worker<'a> {
    job: &'a Job<'a>,
    registers: Vec<Buffer>,
    /// For each source that is read in place in this block, where the block begins in its buffer.
    in_place: SmallVec<[Option<usize>; 8]>,
    /// For each source that is gathered, where the block begins in its register.
    gathered: SmallVec<[usize; 8]>,
    /// The sources that lie across the rows.
    crosswise: SmallVec<[(usize, Turned); 2]>,
}

impl<'a> Worker<'a> {
    /// Registers for blocks of at most `size` elements.
    pub(super) fn new(job: &'a Job<'a>, size: usize) -> Worker<'a> {
        let program = job.program;
        let sources = program.sources().len();
        // Registers of operands and positions stay empty until they are gathered into.
        let is_own = |register: usize| program.sources()[register] == Source::Own;
        let room = |register: usize| if register < sources && !is_own(register) { 0 } else { size };
        let mut registers: Vec<Buffer> =
            program.registers().iter().enumerate().map(|(i, &kind)| Buffer::zeros(kind, room(i))).collect();
        for &(register, value) in program.constants() {
            match &mut registers[register] {
                Buffer::F32(values) => values.fill(Stored::from_f64(value)),
                Buffer::F64(values) => values.fill(value),
                Buffer::Index(values) => values.fill(Stored::from_f64(value)),
                Buffer::Bool(values) => values.fill(Stored::from_f64(value)),
                Buffer::Bf16(values) => values.fill(Stored::from_f64(value)),
                Buffer::Lent(_) => {}
            }
        }
        let (in_place, gathered) = (SmallVec::from_elem(None, sources), SmallVec::from_elem(0, sources));
        Worker { job, registers, in_place, gathered, crosswise: job.crosswise() }
    }

    /// A worker that gathers what lies across the rows: for stretches that come in no order.
    pub(super) fn scattered(job: &'a Job<'a>) -> Worker<'a> {
        Worker { crosswise: SmallVec::new(), ..Worker::new(job, BLOCK) }
    }

    /// Computes the results of the positions that begin with that numbered `first`, one stretch of memory.
    pub(super) fn stretch<T: Cell>(&mut self, first: usize, out: &mut [T]) {
        let inner = self.job.span.inner();
        let mut done = 0;
        while done < out.len() {
            let mut size = BLOCK.min(out.len() - done);
            if inner >= BLOCK / 2 {
                // Long rows are not mixed in a block, so that operands can be read where they lie.
                size = size.min(inner - (first + done) % inner);
            }
            self.block(first + done, &mut out[done..done + size]);
            done += size;
        }
    }

    /// Computes the results of one block.
    fn block<T: Cell>(&mut self, first: usize, out: &mut [T]) {
        for source in 0..self.in_place.len() {
            match self.job.program.sources()[source] {
                Source::Own => keep(out, &mut self.registers[source]),
                _ => self.locate(source, first, out.len()),
            }
        }
        self.steps(out);
    }

    /// The register of a source, with room for a block, where its values are read from now on.
    pub(super) fn register(&mut self, source: usize) -> &mut Buffer {
        self.in_place[source] = None;
        let register = &mut self.registers[source];
        if register.size() < BLOCK {
            *register = Buffer::zeros(register.kind(), BLOCK);
        }
        register
    }

    /// Runs the program over a block whose values are where they were found, or put.
    pub(super) fn steps<T: Cell>(&mut self, out: &mut [T]) {
        let job = self.job;
        for &Step { action, to } in job.program.steps() {
            let Some(to) = to else {
                self.compute(action, out);
                continue;
            };
            // The register is taken out, so that the others can be read; a step never reads what it writes.
            let mut register = std::mem::replace(&mut self.registers[to], Buffer::Bool(Vec::new()));
            match &mut register {
                Buffer::F32(values) => self.compute(action, &mut values[..out.len()]),
                Buffer::F64(values) => self.compute(action, &mut values[..out.len()]),
                Buffer::Index(values) => self.compute(action, &mut values[..out.len()]),
                Buffer::Bool(values) => self.compute(action, &mut values[..out.len()]),
                Buffer::Bf16(values) => self.compute(action, &mut values[..out.len()]),
                Buffer::Lent(_) => {}
            }
            self.registers[to] = register;
        }
    }

    /// Finds where a source lies under a block, or gathers it.
    fn locate(&mut self, source: usize, first: usize, size: usize) {
        let span = &self.job.span;
        let (inner, stride) = (span.inner(), span.inner_stride(source));
        let outer = span.sizes.len().saturating_sub(1);
        let strides = &span.strides[source];
        let column = first % inner;
        let rows = Odometer::new(&span.sizes[..outer], &strides[..outer], first / inner);
        let start = rows.distance + column as isize * stride;
        let operand = match self.job.program.sources()[source] {
            Source::Operand(i) => Some(&self.job.operands[i]),
            Source::Position(_) | Source::Own => None,
        };
        let is_in_one_piece = (stride == 1 && column + size <= inner) || span.is_dense(source);
        self.in_place[source] =
            operand.filter(|_| is_in_one_piece).map(|operand| (operand.offset as isize + start) as usize);
        let is_one_number = strides.iter().all(|&stride| stride == 0);
        if self.in_place[source].is_some() || (is_one_number && self.registers[source].size() >= size) {
            return;
        }
        if let (Some((_, turned)), Some(operand)) = (self.crosswise.iter_mut().find(|(s, _)| *s == source), operand) {
            let row = first / inner % span.sizes[outer - 1];
            let top = first / inner - row % HEIGHT;
            self.gathered[source] = place(row, column);
            if turned[column / BLOCK] != top {
                turned[column / BLOCK] = top;
                let start = (operand.offset as isize + start) as usize - row % HEIGHT;
                let (register, buffer) = (&mut self.registers[source], operand.buffer);
                match register {
                    Buffer::F32(to) => turn(Stored::of(buffer), start, stride, size, column, to),
                    Buffer::F64(to) => turn(Stored::of(buffer), start, stride, size, column, to),
                    Buffer::Index(to) => turn(Stored::of(buffer), start, stride, size, column, to),
                    Buffer::Bool(to) => turn(Stored::of(buffer), start, stride, size, column, to),
                    Buffer::Bf16(to) => turn(Stored::of(buffer), start, stride, size, column, to),
                    Buffer::Lent(_) => {}
                }
            }
            return;
        }
        let rows = Rows { rows, column, inner, stride };
        match (&mut self.registers[source], operand) {
            (Buffer::F32(to), Some(operand)) => rows.elements(operand, to, size),
            (Buffer::F64(to), Some(operand)) => rows.elements(operand, to, size),
            (Buffer::Index(to), Some(operand)) => rows.elements(operand, to, size),
            (Buffer::Bool(to), Some(operand)) => rows.elements(operand, to, size),
            (Buffer::Bf16(to), Some(operand)) => rows.elements(operand, to, size),
            (Buffer::Index(to), None) => rows.gather(to, size, |start, to| {
                vectorised(
                    #[inline(always)]
                    move || {
                        for (i, x) in (0..).zip(to) {
                            *x = start as i64 + i * stride as i64;
                        }
                    },
                );
            }),
            _ => unreachable!("positions are kept as positions"),
        }
    }

    /// The values of a register under a block of `size` elements.
    fn read<T: Stored>(&self, register: usize, size: usize) -> &[T] {
        match (self.in_place.get(register), self.job.program.sources().get(register)) {
            (Some(&Some(start)), Some(&Source::Operand(i))) => &T::of(self.job.operands[i].buffer)[start..start + size],
            _ => &T::of(&self.registers[register])[self.gathered.get(register).copied().unwrap_or(0)..][..size],
        }
    }

    /// The kind of a register.
    fn kind(&self, register: usize) -> Kind {
        self.job.program.registers()[register]
    }

    /// Runs one action over the block.
    fn compute<T: Cell>(&self, action: Action, out: &mut [T]) {
        let size = out.len();
        match action {
            Action::Unary(op, x) => T::unary(op, self.read(x, size), out),
            Action::Binary(op, x, y) => T::binary(op, self.read(x, size), self.read(y, size), out),
            Action::Compare(op, x, y) => match self.kind(x) {
                Kind::F32 => self.compare::<f32, T>(op, x, y, out),
                Kind::F64 => self.compare::<f64, T>(op, x, y, out),
                Kind::Index => self.compare::<i64, T>(op, x, y, out),
                Kind::Bool => self.compare::<bool, T>(op, x, y, out),
                Kind::Bf16 => self.compare::<Bf16, T>(op, x, y, out),
            },
            Action::Select(condition, x, y) => {
                select(self.read(condition, size), self.read(x, size), self.read(y, size), out);
            }
            Action::Cast(x) => match self.kind(x) {
                Kind::F32 => T::from_f32(self.read(x, size), out),
                Kind::F64 => T::from_f64_slice(self.read(x, size), out),
                Kind::Index => T::from_index(self.read(x, size), out),
                Kind::Bool => T::from_bool(self.read(x, size), out),
                Kind::Bf16 => T::from_bf16(self.read(x, size), out),
            },
        }
    }

    fn compare<S: Stored, T: Cell>(&self, op: Comparison, x: usize, y: usize, out: &mut [T]) {
        let (xs, ys): (&[S], &[S]) = (self.read(x, out.len()), self.read(y, out.len()));
        let out = T::as_truth_values(out);
        match op {
            Comparison::Eq => pairs(xs, ys, out, |x, y| x == y),
            Comparison::Ne => pairs(xs, ys, out, |x, y| x != y),
            Comparison::Lt => pairs(xs, ys, out, |x, y| x < y),
            Comparison::Le => pairs(xs, ys, out, |x, y| x <= y),
            Comparison::Gt => pairs(xs, ys, out, |x, y| x > y),
            Comparison::Ge => pairs(xs, ys, out, |x, y| x >= y),
        }
    }
}

/// Puts what stands where the results of a block go into a register, before it is written over.
fn keep<T: Stored>(out: &[T], register: &mut Buffer) {
    T::of_mut(register)[..out.len()].copy_from_slice(out);
}

/// `x` where the condition holds, else `y`.
fn select<T: Cell>(conditions: &[bool], xs: &[T], ys: &[T], out: &mut [T]) {
    vectorised(
        #[inline(always)]
        move || {
            for (((z, &condition), &x), &y) in out.iter_mut().zip(conditions).zip(xs).zip(ys) {
                *z = T::choose(condition, x, y);
            }
        },
    );
}

/// The part of the rows of a source that lies under a block.
struct Rows<'a> {
    rows: Odometer<'a>,
    column: usize,
    inner: usize,
    stride: isize,
}

impl Rows<'_> {
    /// Fills a register row by row; `fill` gets the distance of the first element of its part.
    fn gather<T: Stored>(mut self, register: &mut Vec<T>, size: usize, fill: impl Fn(isize, &mut [T])) {
        if register.len() < size {
            register.resize(size, T::default());
        }
        let mut rest = &mut register[..size];
        while !rest.is_empty() {
            let (part, after) = rest.split_at_mut((self.inner - self.column).min(rest.len()));
            fill(self.rows.distance + self.column as isize * self.stride, part);
            rest = after;
            self.column = 0;
            self.rows.step();
        }
    }

    /// Fills a register with elements of an operand.
    fn elements<T: Stored>(self, operand: &Operand<'_>, register: &mut Vec<T>, size: usize) {
        let (data, stride) = (T::of(operand.buffer), self.stride);
        self.gather(register, size, |start, part| {
            let first = operand.offset as isize + start;
            match stride {
                0 => part.fill(data[first as usize]),
                1 => part.copy_from_slice(&data[first as usize..][..part.len()]),
                _ => {
                    for (i, x) in (0..).zip(part) {
                        *x = data[(first + i * stride) as usize];
                    }
                }
            }
        });
    }
}

/// What steps do to each kind of element.
pub(crate) trait Cell: Stored {
    fn unary(op: Unary, xs: &[Self], out: &mut [Self]);
    fn binary(op: Binary, xs: &[Self], ys: &[Self], out: &mut [Self]);
    /// `x` where the condition holds, else `y`, by masks: a plain choice would be compiled to a choice of addresses.
    fn choose(condition: bool, x: Self, y: Self) -> Self;
    fn from_f32(xs: &[f32], out: &mut [Self]);
    fn from_f64_slice(xs: &[f64], out: &mut [Self]);
    fn from_index(xs: &[i64], out: &mut [Self]);
    fn from_bool(xs: &[bool], out: &mut [Self]);
    fn from_bf16(xs: &[Bf16], out: &mut [Self]);
    /// The same slice if these are truth values; only they are asked for it.
    fn as_truth_values(_: &mut [Self]) -> &mut [bool] {
        unreachable!("a comparison gives truth values")
    }
}

macro_rules! casts {
    ($from_f32:expr, $from_f64:expr, $from_index:expr, $from_bool:expr, $from_bf16:expr) => {
        fn from_f32(xs: &[f32], out: &mut [Self]) {
            each(xs, out, $from_f32);
        }
        fn from_f64_slice(xs: &[f64], out: &mut [Self]) {
            each(xs, out, $from_f64);
        }
        fn from_index(xs: &[i64], out: &mut [Self]) {
            each(xs, out, $from_index);
        }
        fn from_bool(xs: &[bool], out: &mut [Self]) {
            each(xs, out, $from_bool);
        }
        fn from_bf16(xs: &[Bf16], out: &mut [Self]) {
            each(xs, out, $from_bf16);
        }
    };
}

macro_rules! real_cell {
    ($type:ident, $bits:ident) => {
        impl Cell for $type {
            #[inline(always)]
            fn choose(condition: bool, x: $type, y: $type) -> $type {
                let mask = $bits::from(condition).wrapping_neg();
                $type::from_bits(x.to_bits() & mask | y.to_bits() & !mask)
            }
            fn unary(op: Unary, xs: &[$type], out: &mut [$type]) {
                Scalar::unary(op, xs, out);
            }
            fn binary(op: Binary, xs: &[$type], ys: &[$type], out: &mut [$type]) {
                Scalar::binary(op, xs, ys, out);
            }
            casts!(|x| x as $type, |x| x as $type, |x| x as $type, |x| $type::from(u8::from(x)), |x| {
                $type::from(x.widened())
            });
        }
    };
}

real_cell!(f32, u32);
real_cell!(f64, u64);

impl Cell for i64 {
    #[inline(always)]
    fn choose(condition: bool, x: i64, y: i64) -> i64 {
        let mask = i64::from(condition).wrapping_neg();
        x & mask | y & !mask
    }
    fn unary(op: Unary, xs: &[i64], out: &mut [i64]) {
        each(xs, out, |x| op.of_index(x));
    }
    fn binary(op: Binary, xs: &[i64], ys: &[i64], out: &mut [i64]) {
        pairs(xs, ys, out, |x, y| op.of_index(x, y));
    }
    casts!(|x| x as i64, |x| x as i64, |x| x, i64::from, |x| x.widened() as i64);
}

impl Cell for bool {
    #[inline(always)]
    fn choose(condition: bool, x: bool, y: bool) -> bool {
        x & condition | y & !condition
    }
    fn unary(_: Unary, xs: &[bool], out: &mut [bool]) {
        each(xs, out, |x| !x);
    }
    fn binary(op: Binary, xs: &[bool], ys: &[bool], out: &mut [bool]) {
        match op {
            Binary::And => pairs(xs, ys, out, |x, y| x & y),
            _ => pairs(xs, ys, out, |x, y| x | y),
        }
    }
    casts!(|x| x != 0.0, |x| x != 0.0, |x| x != 0, |x| x, |x| x.widened() != 0.0);
    fn as_truth_values(out: &mut [bool]) -> &mut [bool] {
        out
    }
}

/// Numbers of 16 bits are read and written; the rules of shapes leave no arithmetic of them.
impl Cell for Bf16 {
    #[inline(always)]
    fn choose(condition: bool, x: Bf16, y: Bf16) -> Bf16 {
        let mask = u16::from(condition).wrapping_neg();
        Bf16::from_bits(x.to_bits() & mask | y.to_bits() & !mask)
    }
    fn unary(op: Unary, _: &[Bf16], _: &mut [Bf16]) {
        unreachable!("`{}` in 16 bits", op.name())
    }
    fn binary(op: Binary, _: &[Bf16], _: &[Bf16], _: &mut [Bf16]) {
        unreachable!("`{}` in 16 bits", op.name())
    }
    casts!(
        Bf16::rounded,
        Stored::from_f64,
        |x| Stored::from_f64(x as f64),
        |x| Stored::from_f64(f64::from(u8::from(x))),
        |x| x
    );
}
