//! Light programs run in registers, where nothing is stored but results and what a later deed asks for.
//!
//! A deed is chosen once for some registers, and done to all of them; a number that is the same for all is fetched once.
//! A step over a strip stores what it computes for the step that follows it: a store and a load for an instruction or two. And
//! where results pass the caches by, those stores wait for the stores of results before them, and while they do, few loads are
//! on their way.
//! Not here: rows that each source has elsewhere (`rows`), which deeds a program has (`deeds`), results that are shorter than a
//! strip, tiles (`strip`).

mod rows;
#[cfg(test)]
mod tests;

use super::deeds::{Deed, What};
use super::{Light, Numbers, STRIP, Strip};
use crate::kernel::ahead::{fetch_at, is_free_beside_products};
use crate::kernel::simd::{Lanes, is_plain};
use crate::kernel::stream::{LINE, Stream};
use crate::kernel::tiles::Rows;
use crate::kernel::vectors;
use pulp::{Simd, WithSimd};
pub(super) use rows::each_row;
pub(crate) use rows::{Line, Three};
use smallvec::SmallVec;

/// Registers of a piece: a deed is chosen once for all of them.
const AT_ONCE: usize = 8;

/// The same where registers are narrower than a line of memory: choosing a deed takes as long there, for half the numbers. Of
/// sixteen registers one more is the other number's, and the rest is for what a deed needs.
const MORE: usize = 12;

/// Bytes before what is read now, where results pass the caches by: they are asked for. What a processor expects by itself
/// depends on where the loop happens to stand in the program, and may come too late. Processors of Intel are left alone.
const AHEAD: usize = 2048;

impl Light {
    /// Runs the program over a result of at least a strip, and others of its size, unless there are no registers of several
    /// numbers; tells whether it has. Strips of constants come first in the room.
    pub(super) fn in_registers<T: Lanes>(
        &self,
        sources: &[Numbers<'_, T>],
        room: &mut [Strip<T>],
        stream: &Stream,
        out: &mut [T],
        others: &mut [&mut [T]],
    ) -> bool {
        vectors::dispatch(Run { light: self, sources, room, stream, out, others })
    }
}

/// A program and what it runs on.
struct Run<'a, 'b, 'c, T> {
    light: &'a Light,
    sources: &'a [Numbers<'b, T>],
    room: &'a mut [Strip<T>],
    stream: &'a Stream,
    out: &'a mut [T],
    others: &'a mut [&'c mut [T]],
}

/// A deed and where its other number is, or goes to, for the first piece.
struct Placed<T> {
    what: What,
    place: *mut T,
    /// All bits, or none if it is the same place for every piece.
    goes_on: usize,
    /// Whether it is the same number for all registers.
    is_one: bool,
    /// The source whose numbers come again, or change, and are looked for anew then; else no source.
    source: usize,
}

impl<T: Lanes> Placed<T> {
    /// What is done to the piece that begins at `at`, whether with one number, and the places of its registers.
    #[inline(always)]
    fn at<S: Simd>(&self, at: usize) -> (What, bool, impl Fn(usize) -> *mut T::Register<S> + use<T, S>) {
        let place = self.place.wrapping_add(at & self.goes_on).cast::<T::Register<S>>();
        (self.what, self.is_one, move |n| place.wrapping_add(n))
    }
}

/// Where pieces begin, and how many numbers each of them has.
#[derive(Clone, Copy)]
struct Pieces {
    /// The first one that begins where a line of memory does, if that matters; else 0.
    lined_up: usize,
    last: usize,
    size: usize,
}

impl<T: Lanes> WithSimd for Run<'_, '_, '_, T> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) -> bool {
        if const { is_plain::<T, S>() } {
            return false;
        }
        if const { size_of::<T::Register<S>>() < LINE } {
            self.run::<S, MORE>(simd);
        } else {
            self.run::<S, AT_ONCE>(simd);
        }
        true
    }
}

impl<T: Lanes> Run<'_, '_, '_, T> {
    /// Piece by piece, of `N` registers. The last one ends with the results, and the second one begins where a line of memory
    /// does if results pass the caches by: what two pieces have in common is computed twice.
    #[inline(always)]
    fn run<S: Simd, const N: usize>(&mut self, simd: S) {
        let size = N * size_of::<T::Register<S>>() / size_of::<T>();
        assert!(self.out.len() >= STRIP && STRIP >= size, "map: a strip at least");
        assert!(self.sources.len() == self.light.sources, "map: every source");
        assert!(self.others.iter().all(|other| other.len() == self.out.len()), "map: results of one size");
        let lined_up = match self.out.as_ptr().align_offset(LINE) {
            lined_up if lined_up < size && self.stream.passes_by() => lined_up,
            _ => 0,
        };
        let pieces = Pieces { lined_up, last: self.out.len() - size, size };
        let mut placed = self.place(pieces);
        // SAFETY: all deeds have been placed for these pieces.
        unsafe { run_pieces::<T, S, N>(simd, &mut placed, self.sources, self.stream, pieces) };
    }

    /// Places the deeds. What has to be looked for is nowhere yet.
    #[inline(always)]
    fn place(&mut self, pieces: Pieces) -> SmallVec<[Placed<T>; 16]> {
        let (light, sources) = (self.light, self.sources);
        let ones = light.constants.len() + light.steps.len();
        for (strip, source) in self.room.iter_mut().skip(ones).zip(sources) {
            if let Some(one) = source.one() {
                strip[..pieces.size].fill(one);
            }
        }
        // All places of the room come from one pointer: a value is written by one deed and read by others.
        let (strips, first) = (self.room.len(), self.room.as_mut_ptr());
        let in_room = |value: usize| {
            assert!(value < strips && pieces.size <= STRIP, "map: a strip of the room");
            first.wrapping_add(value).cast::<T>()
        };
        let mut placed = SmallVec::new();
        for &Deed { what, with } in &light.deeds {
            let mut deed = Placed { what, place: std::ptr::null_mut(), goes_on: 0, is_one: false, source: usize::MAX };
            match sources.get(with) {
                _ if what == What::Give => {
                    let result = if with == 0 { &mut *self.out } else { &mut *self.others[with - 1] };
                    let is_sent = self.stream.passes_by() && self.stream.takes(&result[pieces.lined_up..]);
                    deed.what = if is_sent { What::Send } else { what };
                    (deed.place, deed.goes_on) = (result.as_mut_ptr(), usize::MAX);
                }
                Some(source) if what.reads() => match source.one() {
                    Some(one) => {
                        (deed.place, deed.is_one) = (in_room(ones + with), true);
                        deed.what = what.beside(one.wide());
                    }
                    None if source.is_plain() => {
                        (deed.place, deed.goes_on) = found(source, 0, pieces.last, pieces.size);
                    }
                    None => deed.source = with,
                },
                _ if what.reads() || what == What::Keep => {
                    let value = with - sources.len();
                    deed.place = in_room(value);
                    if let Some(&one) = light.constants.get(value) {
                        (deed.what, deed.is_one) = (what.beside(one), true);
                    }
                }
                _ => {}
            }
            placed.push(deed);
        }
        placed
    }
}

/// Does the deeds to all pieces.
///
/// # Safety
/// Each deed was placed for these pieces and sources, by [`Run::place`].
#[inline(always)]
unsafe fn run_pieces<T: Lanes, S: Simd, const N: usize>(
    simd: S,
    placed: &mut [Placed<T>],
    sources: &[Numbers<'_, T>],
    stream: &Stream,
    Pieces { lined_up, last, size }: Pieces,
) {
    let usual = Stream::usual();
    let is_plain = sources.iter().all(Numbers::is_plain);
    let goes_on = |deed: &&Placed<T>| deed.what.reads() && deed.goes_on == usize::MAX;
    let is_asked = stream.passes_by() && is_free_beside_products();
    let asked: SmallVec<[*mut T; 8]> =
        placed.iter().filter(|_| is_asked).filter(goes_on).map(|deed| deed.place).collect();
    let (mut at, mut next) = (0, if lined_up > 0 { lined_up } else { size });
    let mut end = if is_plain { usize::MAX } else { 0 };
    loop {
        let is_edge = at < lined_up || next > last + size;
        if at >= end || is_edge && !is_plain {
            end = look(placed, sources, at, if is_edge { at + 1 } else { last + 1 }, size);
        }
        let stream = if is_edge { &usual } else { stream };
        for place in &asked {
            let first = place.wrapping_add(at + AHEAD / size_of::<T>());
            (0..size).step_by(LINE / size_of::<T>()).for_each(|line| fetch_at(first.wrapping_add(line)));
        }
        // SAFETY: each deed was placed for pieces up to the last one, and those that are looked for, for this one too.
        unsafe { run::<T, S, _, N>(simd, placed.iter().map(|deed| deed.at::<S>(at)), stream) };
        if at == last {
            return;
        }
        (at, next) = (next.min(last), next + size);
    }
}

/// Looks for what has to be looked for, for the piece that begins at `at` and those that follow it, as far as one look is
/// enough, but before `end`. Returns how far that is.
fn look<T: Lanes>(placed: &mut [Placed<T>], sources: &[Numbers<'_, T>], at: usize, end: usize, size: usize) -> usize {
    let left = sources.iter().map(|source| source.left(at, size)).fold(end - at, usize::min);
    for deed in placed {
        if let Some(source) = sources.get(deed.source) {
            (deed.place, deed.goes_on) = found(source, at, at + left - 1, size);
        }
    }
    at + left
}

/// Where a source has its numbers for pieces that begin at `at` and later, up to `last`: where that for the first piece
/// would be, and whether it goes on.
#[inline(always)]
fn found<T: Lanes>(source: &Numbers<'_, T>, at: usize, last: usize, size: usize) -> (*mut T, usize) {
    let Rows { numbers, step } = source.pieces(at, size);
    let goes_on = if step > 0 { usize::MAX } else { 0 };
    assert!(numbers.len() >= size + ((last - at) & goes_on), "map: a number of each source for each result");
    // It is read alone.
    (numbers.as_ptr().cast_mut().wrapping_sub(at & goes_on), goes_on)
}

/// Does the deeds to some registers, each of which has its place in, or is read from, what the deed says, or all with one
/// number.
///
/// # Safety
/// Where the place of each register is asked for, it may be read, or written to.
#[inline(always)]
unsafe fn run<T: Lanes, S: Simd, P: Fn(usize) -> *mut T::Register<S>, const N: usize>(
    simd: S,
    deeds: impl Iterator<Item = (What, bool, P)>,
    stream: &Stream,
) {
    let mut some = [T::splat(simd, T::default()); N];
    for (what, is_one, place) in deeds {
        macro_rules! each {
            ($of:ident) => {
                for x in &mut some {
                    *x = T::$of(simd, *x);
                }
            };
            (|$x:ident, $y:ident| $of:expr) => {
                if is_one {
                    // It is fetched once: the loads are what takes longest.
                    // SAFETY: by the contract of this function it may be read there.
                    let $y = unsafe { place(0).read_unaligned() };
                    for $x in &mut some {
                        *$x = $of;
                    }
                } else {
                    for (n, $x) in some.iter_mut().enumerate() {
                        // SAFETY: as above.
                        let $y = unsafe { place(n).read_unaligned() };
                        *$x = $of;
                    }
                }
            };
        }
        match what {
            What::Begin => each!(|x, y| y),
            What::Keep | What::Give => {
                for (n, x) in some.iter().enumerate() {
                    // SAFETY: by the contract of this function it may be written there.
                    unsafe { place(n).write_unaligned(*x) };
                }
            }
            What::Send => {
                for (n, x) in some.iter().enumerate() {
                    // SAFETY: as above; and the stream takes what begins there, if it is not the usual one.
                    unsafe { stream.send_register(*x, place(n)) };
                }
            }
            What::Neg => each!(negated),
            What::Abs => each!(abs_of),
            What::Sqrt => each!(root_of),
            What::Relu => each!(relu_of),
            What::Plus => each!(|x, y| T::plus(simd, *x, y)),
            What::Minus => each!(|x, y| T::minus(simd, *x, y)),
            What::From => each!(|x, y| T::minus(simd, y, *x)),
            What::Times => each!(|x, y| T::times(simd, *x, y)),
            What::Over => each!(|x, y| T::over(simd, *x, y)),
            What::Under => each!(|x, y| T::over(simd, y, *x)),
            What::Larger => each!(|x, y| T::larger_of(simd, *x, y)),
            What::Smaller => each!(|x, y| T::smaller_of(simd, *x, y)),
            What::AtLeast => each!(|x, y| T::at_least(simd, *x, y)),
            What::AtMost => each!(|x, y| T::at_most(simd, *x, y)),
            What::WherePositive => each!(|x, y| T::where_positive(simd, y, *x)),
            What::Unless => each!(|x, y| T::unless_positive(simd, y, *x)),
            What::Less => each!(|x, y| T::is_less(simd, *x, y)),
            What::More => each!(|x, y| T::is_less(simd, y, *x)),
            What::NotMore => each!(|x, y| T::is_not_more(simd, *x, y)),
            What::NotLess => each!(|x, y| T::is_not_more(simd, y, *x)),
            What::Equal => each!(|x, y| T::is_equal(simd, *x, y)),
            What::Differs => each!(|x, y| T::differs(simd, *x, y)),
        }
    }
}
