//! One stretch of a fused program: sources are found, and each step runs over block after block.
//!
//! Lives here: the registers of a thread, and how each action finds its values. Not here: what it does to them (`cell`).
//! A source that lies dense under the stretch is read in place, and so is one that is the same in every row as far as a
//! row goes; any other is gathered into its register first, block by block (`register`). One that lies across the rows, as
//! a transposed matrix does, was turned around before (`crosswise`).

mod sources;
mod whole;

use super::cell::{Cell, compare, select};
use super::crosswise::{Tile, Tiles};
use super::program::{Action, Source, Step};
use super::register::{Register, make_room, register, take_room};
use super::strip::{Light, Lines, Numbers};
use super::{BLOCK, Job};
use crate::element::{Bf16, Buffer, Comparison, Kind, Stored};
use crate::kernel::ahead::{Ahead, fetch};
use crate::kernel::stream::{LINE, Stream, lined_up, lined_up_mut};
use smallvec::SmallVec;

/// Elements from which a row is not mixed with others where the program is not light: the ends of a shorter one cost more.
const LONG: usize = 2 * BLOCK;

/// The registers of one thread.
pub(super) struct Worker<'a, T: Cell> {
    job: &'a Job<'a>,
    registers: SmallVec<[Register; 8]>,
    /// For each source, how its values come about.
    ways: SmallVec<[Way; 8]>,
    /// For each source, whether it lies dense in the order of the space.
    dense: SmallVec<[bool; 8]>,
    /// For each source, how many elements it has in one piece in that order, again and again: those of the last axes.
    pieces: SmallVec<[usize; 8]>,
    /// Where the block begins in its stretch, and the stretch in what was given.
    at: usize,
    before: usize,
    /// The places of other results, beside all that was given.
    others: SmallVec<[&'a mut [T]; 2]>,
    /// Elements of a block at most.
    most: usize,
    /// How results get to memory, and where those of programs that are not light wait for it.
    stream: Stream,
    room: Vec<T>,
    /// What a light program works in.
    strips: T::Strips,
    /// Values that results take the place of, where they do not stand there already.
    beside: Register,
    /// Whether they are there.
    is_beside: bool,
    /// Elements from which a row is not mixed with others in a block.
    long: usize,
    /// Whether the program is light and nothing is gathered for each block anew: then several rows are like one.
    is_even: bool,
    /// Whether rows are cut where lines of memory begin: part of a line would have to be read before it is stored.
    is_cut: bool,
    /// The program, if whole rows are computed one after the other.
    by_rows: Option<&'a Light>,
}

/// How the values of a source under a stretch come about.
#[derive(Clone, Copy)]
enum Way {
    /// They lie in the operand, from this position on.
    InPlace(usize),
    /// They stand in the register, from this place on.
    Turned(usize),
    /// They are gathered for each block.
    Gathered,
    /// Those of this block lie in the operand in one piece, from this position on; those of others are gathered.
    Lying(usize),
    /// They were gathered once: they are all the same.
    Same,
    /// They are the same in all of this row: the number that stands here in the operand.
    OneInRow(usize),
    /// The same in this row and in the next one, which begins after so many elements.
    OneInEach { this: usize, next: usize, before: usize },
    /// They were put into the register for this one block.
    Given,
    /// They stand where the results of the block go, and are kept in the register before it is written over.
    Kept,
    /// They stand beside the results, from this place on in what was given for the stretch.
    Beside(usize),
    /// They are the same in every row, and were gathered once: from this column on they are read again and again.
    Repeated(usize),
}

impl<'a, T: Cell> Worker<'a, T> {
    /// Registers for the blocks of pieces of at most `size` elements. A light program keeps nothing between its steps, so
    /// its blocks are larger.
    pub(super) fn new(job: &'a Job<'a>, size: usize, stream: Stream) -> Worker<'a, T> {
        let program = job.program;
        let sources = program.sources().len();
        // What is the same everywhere is repeated for the largest block that there will be, and no further.
        let most = if program.light().is_some() { 4 * BLOCK } else { 2 * BLOCK }.min(job.span.total().max(1));
        let size = size.min(most);
        // Registers of operands and positions stay empty until they are gathered into, and a light program has its constants
        // and steps in strips.
        let room = |register: usize| match program.sources().get(register) {
            Some(Source::Own) => size,
            Some(_) => 0,
            None if program.light().is_some() => 0,
            None if program.others().contains(&register) && !stream.passes_by() => 0,
            None => size,
        };
        let mut registers: SmallVec<[Register; 8]> =
            program.registers().iter().enumerate().map(|(i, &kind)| register(kind, room(i))).collect();
        for &(register, value) in program.constants() {
            let size = room(register);
            match &mut *registers[register] {
                Buffer::F32(values) => lined_up_mut(values)[..size].fill(Stored::from_f64(value)),
                Buffer::F64(values) => lined_up_mut(values)[..size].fill(value),
                Buffer::Index(values) => lined_up_mut(values)[..size].fill(Stored::from_f64(value)),
                Buffer::Bool(values) => lined_up_mut(values)[..size].fill(Stored::from_f64(value)),
                Buffer::Bf16(values) => lined_up_mut(values)[..size].fill(Stored::from_f64(value)),
                Buffer::Lent(_) => {}
            }
        }
        let ways = SmallVec::from_elem(Way::Gathered, sources);
        let room = stream.room(if program.light().is_some() { 0 } else { size });
        let strips = program.light().map(T::strips).unwrap_or_default();
        let dense = (0..sources).map(|source| job.span.is_dense(source)).collect();
        let pieces = (0..sources).map(|source| job.span.piece(source)).collect();
        let beside = register(T::KIND, 0);
        let mut worker = Worker {
            job,
            registers,
            ways,
            dense,
            pieces,
            at: 0,
            before: 0,
            others: SmallVec::new(),
            most,
            stream,
            room,
            strips,
            beside,
            is_beside: false,
            long: if program.light().is_some() { BLOCK } else { LONG },
            is_even: false,
            is_cut: false,
            by_rows: None,
        };
        // Where nothing is gathered for each block anew, rows are mixed as long as two fit.
        if program.light().is_some() && (0..sources).all(|source| worker.dense[source] || worker.is_repeated(source)) {
            worker.long = most / 2 + 1;
            // Longer ones are not worth being written down once more, but what passes the caches by is best not interrupted.
            let is_short = job.span.inner() < most;
            worker.is_even = is_short || worker.stream.passes_by();
        }
        if worker.stream.passes_by() && program.light().is_some() {
            let is_known = |source: usize| {
                let is_operand = matches!(program.sources()[source], Source::Operand(_));
                worker.dense[source] || worker.is_repeated(source) || is_operand && job.span.inner_stride(source) == 0
            };
            worker.is_cut = (0..sources).all(is_known);
        }
        worker.find_whole_rows();
        worker
    }

    /// Says where the other results of the program go, of which each place is as large as what is computed next.
    pub(super) fn put_others(&mut self, others: SmallVec<[&'a mut [T]; 2]>) {
        self.others = others;
    }

    /// The place of another result.
    pub(super) fn other_result(&self, number: usize) -> &[T] {
        self.others[number]
    }

    /// Room for what `size` results take the place of; [`Worker::stretch_from_beside`] reads it.
    pub(super) fn beside(&mut self, size: usize) -> &mut [T] {
        make_room(&mut self.beside, size);
        &mut lined_up_mut(T::of_mut(&mut self.beside))[..size]
    }

    /// Like [`Worker::stretch`], where what the results take the place of stands beside, and `out` is only written.
    pub(super) fn stretch_from_beside(&mut self, first: usize, out: &mut [T]) {
        self.is_beside = true;
        self.stretch(first, out);
        self.is_beside = false;
    }

    /// Computes the results of the positions that begin with that numbered `first`. Long rows are not mixed in a block, so
    /// that operands can be read where they lie.
    pub(super) fn stretch(&mut self, first: usize, out: &mut [T]) {
        let inner = self.job.span.inner();
        // Whether the sources were found for what comes before.
        let (mut done, mut is_found) = (0, false);
        while done < out.len() {
            let rest = out.len() - done;
            let column = (first + done) % inner;
            let by_rows = self.by_rows(column, rest);
            if let Some(light) = by_rows.filter(|_| column == 0) {
                done += self.whole_rows(light, first + done, &mut out[done..]);
                is_found = false;
                continue;
            }
            let is_row = by_rows.is_some() || inner >= self.long && !(self.is_even && rest >= 2 * inner);
            let size = if is_row { self.end(&out[done..], inner - column) } else { rest };
            if !is_found || column != 0 || size > inner || !self.goes_on((first + done) / inner) {
                self.locate(first + done, size, done);
            }
            is_found = true;
            self.repeat(column, size);
            self.before = done;
            self.blocks(first + done, &mut out[done..done + size]);
            done += size;
        }
    }

    /// Computes the rows of a tile, each at its place among the results. The tile that comes next may be said.
    pub(super) fn tile<'b>(
        &mut self,
        tiles: &Tiles,
        tile: &Tile,
        next: Option<&Tile>,
        out: impl Fn(usize) -> &'b mut [T],
    ) where
        T: 'b,
    {
        let job = self.job;
        for &source in &tiles.sources {
            let Source::Operand(i) = job.program.sources()[source] else { continue };
            let (buffer, right) = (job.operands[i].buffer, job.span.inner_stride(source));
            let first = job.operands[i].offset.wrapping_add_signed(self.distance(source, tile.first));
            take_room(&mut self.registers[source], tiles.turned_size());
            match &mut *self.registers[source] {
                Buffer::F32(to) => tiles.turn(Stored::of(buffer), first, right, tile, lined_up_mut(to)),
                Buffer::F64(to) => tiles.turn(Stored::of(buffer), first, right, tile, lined_up_mut(to)),
                Buffer::Index(to) => tiles.turn(Stored::of(buffer), first, right, tile, lined_up_mut(to)),
                Buffer::Bool(to) => tiles.turn(Stored::of(buffer), first, right, tile, lined_up_mut(to)),
                Buffer::Bf16(to) => tiles.turn(Stored::of(buffer), first, right, tile, lined_up_mut(to)),
                Buffer::Lent(_) => {}
            }
            self.ways[source] = Way::Turned(0);
        }
        self.locate(tile.first, tile.width, 0);
        if self.light_tile(tiles, tile, next, &out) {
            return;
        }
        for row in 0..tile.height {
            let first = tile.first + row * tiles.step;
            self.fetch(tiles.axis, tile.width);
            self.blocks(first, out(first));
            for (way, strides) in self.ways.iter_mut().zip(&job.span.strides) {
                match way {
                    Way::InPlace(start) => *start = start.wrapping_add_signed(strides[tiles.axis]),
                    Way::Turned(start) => *start += tiles.pitch(),
                    Way::OneInRow(at) => *at = at.wrapping_add_signed(strides[tiles.axis]),
                    Way::Gathered | Way::Same | Way::Given | Way::Kept | Way::Beside(_) | Way::Repeated(_) => {}
                    Way::Lying(_) | Way::OneInEach { .. } => {}
                }
            }
        }
    }

    /// The same by one call, if the program is light and every source has its rows as far apart from each other; tells
    /// whether it has.
    fn light_tile<'b>(
        &mut self,
        tiles: &Tiles,
        tile: &Tile,
        next: Option<&Tile>,
        out: impl Fn(usize) -> &'b mut [T],
    ) -> bool
    where
        T: 'b,
    {
        let job = self.job;
        let Some(light) = job.program.light() else { return false };
        let mut strips = std::mem::take(&mut self.strips);
        let lines = (self.ways.iter().zip(job.program.sources()).enumerate()).map(|(source, (way, of))| {
            let register = || lined_up(T::of(&self.registers[source]));
            match (*way, of) {
                (Way::InPlace(start), &Source::Operand(i)) => {
                    Some(Lines::Even(T::of(job.operands[i].buffer), start, job.span.strides[source][tiles.axis]))
                }
                (Way::Turned(start), _) => Some(Lines::Even(register(), start, tiles.pitch() as isize)),
                (Way::Same, _) => Some(Lines::Even(register(), 0, 0)),
                _ => None,
            }
        });
        let lines: Option<SmallVec<[Lines<'_, T>; 8]>> = lines.collect();
        if let Some(lines) = &lines {
            // What the next tile turns around is asked for meanwhile: loads are on their way beside stores.
            let next = next.filter(|_| self.stream.passes_by());
            let asked = tiles.sources.iter().filter_map(|&source| self.turned_rows(source, next?));
            let mut ahead: SmallVec<[Ahead<'_, T>; 2]> = asked.collect();
            let each = (tile.width * tile.height).div_ceil(LINE / size_of::<T>()).div_ceil(tile.height);
            let mut row = |i: usize| {
                ahead.iter_mut().for_each(|ahead| ahead.ask(each));
                // What the row after the next one reads in place lies too far away to be expected.
                for (line, way) in lines.iter().zip(&self.ways) {
                    if let (&Lines::Even(data, first, step), Way::InPlace(_)) = (line, way)
                        && i + 2 < tile.height
                    {
                        fetch(data, first.wrapping_add_signed((i + 2) as isize * step), tile.width);
                    }
                }
                out(tile.first + i * tiles.step)
            };
            T::run_light_tile(light, lines, &mut strips, &self.stream, [tile.height, tile.width], &mut row);
        }
        let is_done = lines.is_some();
        self.strips = strips;
        is_done
    }

    /// The rows of a source that are turned around for a tile.
    fn turned_rows(&self, source: usize, tile: &Tile) -> Option<Ahead<'a, T>> {
        let Source::Operand(i) = self.job.program.sources()[source] else { return None };
        let operand = &self.job.operands[i];
        let first = operand.offset.wrapping_add_signed(self.distance(source, tile.first));
        let step = 0_usize.wrapping_add_signed(self.job.span.inner_stride(source));
        Some(Ahead::rows(T::of(operand.buffer), [first, step], [tile.width, tile.height]))
    }

    /// The register of a source, with room for a block, where its values are read in the block that is run next.
    pub(super) fn register(&mut self, source: usize) -> &mut Register {
        self.ways[source] = Way::Given;
        make_room(&mut self.registers[source], BLOCK);
        &mut self.registers[source]
    }

    /// Runs the program block by block, when it is known how the values of the sources come about.
    fn blocks(&mut self, first: usize, out: &mut [T]) {
        let is_light = self.job.program.light().is_some();
        let is_found = |way: &Way| match way {
            Way::InPlace(_) | Way::Turned(_) | Way::Beside(_) | Way::Same | Way::Repeated(_) => true,
            Way::OneInRow(_) | Way::OneInEach { .. } => true,
            Way::Gathered | Way::Lying(_) | Way::Given | Way::Kept => false,
        };
        // All at once where nothing is kept in a register but what is the same everywhere; else blocks of nearly one size: no
        // short one at the end.
        let size = if is_light && self.ways.iter().all(is_found) {
            out.len().max(1)
        } else {
            out.len().div_ceil(out.len().div_ceil(self.most).max(1)).next_multiple_of(64).min(self.most)
        };
        self.at = 0;
        for source in 0..self.ways.len() {
            match self.ways[source] {
                Way::OneInRow(at) if is_light => self.write_down(source, 0, at, Numbers::<T>::OFTEN),
                Way::OneInRow(at) => self.write_down(source, 0, at, size.min(out.len())),
                Way::OneInEach { this, next, .. } => {
                    self.write_down(source, 0, this, Numbers::<T>::OFTEN);
                    self.write_down(source, Numbers::<T>::OFTEN, next, Numbers::<T>::OFTEN);
                }
                _ => {}
            }
        }
        for out in out.chunks_mut(size) {
            for source in 0..self.ways.len() {
                match self.ways[source] {
                    Way::Gathered | Way::Lying(_) => self.find(source, first + self.at, out.len()),
                    Way::Kept => {
                        lined_up_mut(T::of_mut(&mut self.registers[source]))[..out.len()].copy_from_slice(out);
                    }
                    Way::InPlace(_) | Way::Turned(_) | Way::Beside(_) | Way::Same | Way::OneInRow(_) => {}
                    Way::OneInEach { .. } | Way::Given | Way::Repeated(_) => {}
                }
            }
            self.block(out);
            self.at += out.len();
        }
    }

    /// Runs the steps over one block whose values are given in the registers.
    pub(super) fn given(&mut self, out: &mut [T]) {
        self.at = 0;
        self.block(out);
    }

    /// Runs the steps over one block.
    fn block(&mut self, out: &mut [T]) {
        let job = self.job;
        if let Some(light) = job.program.light() {
            let (mut strips, mut others) = (std::mem::take(&mut self.strips), std::mem::take(&mut self.others));
            let numbers = |source: usize| match self.ways[source] {
                Way::Same | Way::OneInRow(_) => Numbers::same(lined_up(T::of(&self.registers[source]))),
                Way::OneInEach { before, .. } => {
                    Numbers::two(lined_up(T::of(&self.registers[source])), before.saturating_sub(self.at))
                }
                Way::Repeated(column) => {
                    Numbers::rows(lined_up(T::of(&self.registers[source])), self.period(), column + self.at)
                }
                _ => Numbers::each(self.read(source, out.len())),
            };
            let sources: SmallVec<[Numbers<'_, T>; 8]> = (0..self.ways.len()).map(numbers).collect();
            let mut beside: SmallVec<[&mut [T]; 2]> =
                others.iter_mut().map(|other| &mut other[self.before + self.at..][..out.len()]).collect();
            T::run_light(light, &sources, &mut strips, &self.stream, out, &mut beside);
            drop((sources, beside));
            (self.strips, self.others) = (strips, others);
            return;
        }
        for &Step { action, to } in job.program.steps() {
            let Some(to) = to else {
                let mut room = std::mem::take(&mut self.room);
                self.stream.fill(&mut room, out, |out| self.compute(action, out));
                self.room = room;
                continue;
            };
            // Results that stay in the caches are computed where they go, and read there.
            if let Some(number) = self.other(to) {
                let whole = std::mem::take(&mut self.others[number]);
                self.compute(action, &mut whole[self.before + self.at..][..out.len()]);
                self.others[number] = whole;
                continue;
            }
            // The register is taken out, so that the others can be read; a step never reads what it writes.
            let mut register = std::mem::take(&mut self.registers[to]);
            match &mut *register {
                Buffer::F32(values) => self.compute(action, &mut lined_up_mut(values)[..out.len()]),
                Buffer::F64(values) => self.compute(action, &mut lined_up_mut(values)[..out.len()]),
                Buffer::Index(values) => self.compute(action, &mut lined_up_mut(values)[..out.len()]),
                Buffer::Bool(values) => self.compute(action, &mut lined_up_mut(values)[..out.len()]),
                Buffer::Bf16(values) => self.compute(action, &mut lined_up_mut(values)[..out.len()]),
                Buffer::Lent(_) => {}
            }
            self.registers[to] = register;
        }
        if self.stream.passes_by() {
            let mut others = std::mem::take(&mut self.others);
            for (other, &register) in others.iter_mut().zip(job.program.others()) {
                self.stream.send(self.read(register, out.len()), &mut other[self.before + self.at..][..out.len()]);
            }
            self.others = others;
        }
    }

    /// Which other result a register is, if that is computed where it goes.
    fn other(&self, register: usize) -> Option<usize> {
        let others = if self.stream.passes_by() { &[] } else { self.job.program.others() };
        others.iter().position(|&other| other == register)
    }

    /// The values of a register under a block of `size` elements.
    fn read<S: Stored>(&self, register: usize, size: usize) -> &[S] {
        if self.ways.get(register).is_none()
            && let Some(number) = self.other(register)
        {
            return &S::of_numbers(T::numbers(self.others[number]))[self.before + self.at..][..size];
        }
        let start = match (self.ways.get(register), self.job.program.sources().get(register)) {
            (Some(&Way::InPlace(start)), Some(&Source::Operand(i))) => {
                return &S::of(self.job.operands[i].buffer)[start + self.at..][..size];
            }
            (Some(&Way::Lying(start)), Some(&Source::Operand(i))) => {
                return &S::of(self.job.operands[i].buffer)[start..][..size];
            }
            (Some(&Way::Beside(start)), _) => return &lined_up(S::of(&self.beside))[start + self.at..][..size],
            (Some(&Way::Turned(start)), _) => start + self.at,
            (Some(&Way::Repeated(column)), _) => (column + self.at) % self.period(),
            _ => 0,
        };
        &lined_up(S::of(&self.registers[register]))[start..][..size]
    }

    /// The kind of a register.
    fn kind(&self, register: usize) -> Kind {
        self.job.program.registers()[register]
    }

    /// Runs one action over the block.
    fn compute<C: Cell>(&self, action: Action, out: &mut [C]) {
        let size = out.len();
        match action {
            Action::Unary(op, x) => C::unary(op, self.read(x, size), out),
            Action::Binary(op, x, y) => C::binary(op, self.read(x, size), self.read(y, size), out),
            Action::Compare(op, x, y) => self.compare(op, x, y, C::as_truth_values(out)),
            Action::Select(condition, x, y) => {
                select(self.read(condition, size), self.read(x, size), self.read(y, size), out);
            }
            Action::Cast(x) => match self.kind(x) {
                Kind::F32 => C::from_f32(self.read(x, size), out),
                Kind::F64 => C::from_f64_slice(self.read(x, size), out),
                Kind::Index => C::from_index(self.read(x, size), out),
                Kind::Bool => C::from_bool(self.read(x, size), out),
                Kind::Bf16 => C::from_bf16(self.read(x, size), out),
            },
        }
    }

    /// Compares two registers of one kind. It does not ask what kind the results of this worker are: comparisons are
    /// compiled once for each kind of what is compared.
    fn compare(&self, op: Comparison, x: usize, y: usize, out: &mut [bool]) {
        let size = out.len();
        match self.kind(x) {
            Kind::F32 => compare::<f32>(op, self.read(x, size), self.read(y, size), out),
            Kind::F64 => compare::<f64>(op, self.read(x, size), self.read(y, size), out),
            Kind::Index => compare::<i64>(op, self.read(x, size), self.read(y, size), out),
            Kind::Bool => compare::<bool>(op, self.read(x, size), self.read(y, size), out),
            Kind::Bf16 => compare::<Bf16>(op, self.read(x, size), self.read(y, size), out),
        }
    }
}
