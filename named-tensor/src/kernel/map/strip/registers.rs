//! Light programs run in registers, where nothing is stored but results and what a later deed asks for.
//!
//! A deed is chosen once for some registers, and done to all of them.
//! A step over a strip stores what it computes for the step that follows it: a store and a load for an instruction or two. And
//! where results pass the caches by, those stores wait for the stores of results before them, and while they do, few loads are
//! on their way.
//! Not here: which deeds a program has (`deeds`), results that are shorter than a strip, tiles (`strip`).

use super::deeds::{Deed, What};
use super::{Light, NextRow, Numbers, STRIP, Strip};
use crate::kernel::simd::{Lanes, is_plain};
use crate::kernel::stream::{LINE, Stream};
use crate::kernel::tiles::Rows;
use crate::kernel::vectors;
use pulp::{Simd, WithSimd};
use smallvec::SmallVec;

/// Registers of a piece: a deed is chosen once for all of them.
const AT_ONCE: usize = 8;

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
        let size = out.len();
        vectors::dispatch(Run { light: self, sources, next: None, room, stream, size, out, others })
    }

    /// The same for rows of `size` elements, each of which has the sources that `next` gives it.
    pub(super) fn rows_in_registers<T: Lanes>(
        &self,
        size: usize,
        next: NextRow<'_, '_, T>,
        room: &mut [Strip<T>],
        out: &mut [T],
    ) -> bool {
        let stream = &Stream::usual();
        vectors::dispatch(Run { light: self, sources: &[], next: Some(next), room, stream, size, out, others: &mut [] })
    }
}

/// A program and what it runs on.
struct Run<'a, 'b, 'c, T> {
    light: &'a Light,
    sources: &'a [Numbers<'b, T>],
    /// What gives each row its sources, if these are not for all.
    next: Option<NextRow<'a, 'b, T>>,
    room: &'a mut [Strip<T>],
    stream: &'a Stream,
    /// Elements of a row.
    size: usize,
    out: &'a mut [T],
    others: &'a mut [&'c mut [T]],
}

/// A deed and where its other number is, or goes to, for the first piece of a row.
struct Placed<T> {
    what: What,
    place: *mut T,
    /// All bits, or none if it is the same place for every piece.
    goes_on: usize,
    /// The source whose numbers come again, or change, and are looked for anew then; else no source.
    source: usize,
}

/// Where pieces of a row begin, and how many numbers each of them has.
#[derive(Clone, Copy)]
struct Pieces {
    /// The first one that begins where a line of memory does, if that matters; else 0.
    lined_up: usize,
    last: usize,
    size: usize,
}

impl<T: Lanes> WithSimd for Run<'_, '_, '_, T> {
    type Output = bool;

    /// Row by row, piece by piece. The last piece ends with the row, and the second one begins where a line of memory does if
    /// results pass the caches by: what two pieces have in common is computed twice.
    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) -> bool {
        if const { is_plain::<T, S>() } {
            return false;
        }
        let size = AT_ONCE * size_of::<T::Register<S>>() / size_of::<T>();
        assert!(self.size >= STRIP && STRIP >= size, "map: a strip at least");
        assert!(self.next.is_some() || self.sources.len() == self.light.sources, "map: every source");
        assert!(self.others.iter().all(|other| other.len() == self.out.len()), "map: results of one size");
        let lined_up = match self.out.as_ptr().align_offset(LINE) {
            lined_up if lined_up < size && self.stream.passes_by() => lined_up,
            _ => 0,
        };
        let pieces = Pieces { lined_up, last: self.size - size, size };
        let mut placed = SmallVec::new();
        let mut given;
        for row in 0..self.out.len() / self.size {
            let sources = match &mut self.next {
                Some(next) => {
                    given = next();
                    &given[..self.light.sources]
                }
                None => self.sources,
            };
            self.place(&mut placed, sources, row * self.size, pieces);
            // SAFETY: all deeds have been placed for these pieces.
            unsafe { run_row::<T, S>(simd, &mut placed, sources, self.stream, pieces) };
        }
        true
    }
}

impl<T: Lanes> Run<'_, '_, '_, T> {
    /// Places the deeds for the row of results that begins at `first`. What has to be looked for is nowhere yet.
    #[inline(always)]
    fn place(
        &mut self,
        placed: &mut SmallVec<[Placed<T>; 16]>,
        sources: &[Numbers<'_, T>],
        first: usize,
        pieces: Pieces,
    ) {
        let light = self.light;
        placed.clear();
        for &Deed { what, with } in &light.deeds {
            let mut deed = Placed { what, place: std::ptr::null_mut(), goes_on: 0, source: usize::MAX };
            match sources.get(with) {
                _ if what == What::Give => {
                    let result = if with == 0 { &mut *self.out } else { &mut *self.others[with - 1] };
                    let result = &mut result[first..][..self.size];
                    let is_sent = self.stream.passes_by() && self.stream.takes(&result[pieces.lined_up..]);
                    deed.what = if is_sent { What::Send } else { what };
                    (deed.place, deed.goes_on) = (result.as_mut_ptr(), usize::MAX);
                }
                Some(source) if what.reads() => match source.one() {
                    Some(one) => {
                        let often = &mut self.room[light.constants.len() + light.steps.len() + with][..pieces.size];
                        often.fill(one);
                        deed.place = often.as_mut_ptr();
                        deed.what = what.beside(one.wide());
                    }
                    None if source.is_plain() => {
                        (deed.place, deed.goes_on) = found(source, 0, pieces.last, pieces.size);
                    }
                    None => deed.source = with,
                },
                _ if what.reads() || what == What::Keep => {
                    let value = with - sources.len();
                    deed.place = self.room[value][..pieces.size].as_mut_ptr();
                    deed.what = light.constants.get(value).map_or(what, |&one| what.beside(one));
                }
                _ => {}
            }
            placed.push(deed);
        }
    }
}

/// Does the deeds to all pieces of a row.
///
/// # Safety
/// Each deed was placed for these pieces and sources, by [`Run::place`].
#[inline(always)]
unsafe fn run_row<T: Lanes, S: Simd>(
    simd: S,
    placed: &mut [Placed<T>],
    sources: &[Numbers<'_, T>],
    stream: &Stream,
    Pieces { lined_up, last, size }: Pieces,
) {
    let usual = Stream::usual();
    let is_plain = sources.iter().all(Numbers::is_plain);
    let (mut at, mut next) = (0, if lined_up > 0 { lined_up } else { size });
    let mut end = if is_plain { usize::MAX } else { 0 };
    loop {
        let is_edge = at < lined_up || next > last + size;
        if at >= end || is_edge && !is_plain {
            end = look(placed, sources, at, if is_edge { at + 1 } else { last + 1 }, size);
        }
        let stream = if is_edge { &usual } else { stream };
        // SAFETY: each deed was placed for pieces up to the last one, and those that are looked for, for this one too.
        unsafe { run::<T, S>(simd, placed, at, stream) };
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

/// Where a source has its numbers for pieces that begin at `at` and later, up to `last`: where that for the first piece of a row
/// would be, and whether it goes on.
#[inline(always)]
fn found<T: Lanes>(source: &Numbers<'_, T>, at: usize, last: usize, size: usize) -> (*mut T, usize) {
    let Rows { numbers, step } = source.pieces(at, size);
    let goes_on = if step > 0 { usize::MAX } else { 0 };
    assert!(numbers.len() >= size + ((last - at) & goes_on), "map: a number of each source for each result");
    // It is read alone.
    (numbers.as_ptr().cast_mut().wrapping_sub(at & goes_on), goes_on)
}

/// Does the deeds to the piece of a row that begins at `at`.
///
/// # Safety
/// That piece may be read from, or written to, so many numbers behind the place of each deed that has one.
#[inline(always)]
unsafe fn run<T: Lanes, S: Simd>(simd: S, deeds: &[Placed<T>], at: usize, stream: &Stream) {
    let mut some = [T::splat(simd, T::default()); AT_ONCE];
    for &Placed { what, place, goes_on, .. } in deeds {
        let place = place.wrapping_add(at & goes_on).cast::<T::Register<S>>();
        macro_rules! each {
            ($of:ident) => {
                for x in &mut some {
                    *x = T::$of(simd, *x);
                }
            };
            (|$x:ident, $y:ident| $of:expr) => {
                for (n, $x) in some.iter_mut().enumerate() {
                    // SAFETY: by the contract of this function it is a register of the piece that is read there.
                    let $y = unsafe { place.wrapping_add(n).read_unaligned() };
                    *$x = $of;
                }
            };
        }
        match what {
            What::Begin => each!(|x, y| y),
            What::Keep | What::Give => {
                for (n, x) in some.iter().enumerate() {
                    // SAFETY: by the contract of this function it is a register of the piece that is written there.
                    unsafe { place.wrapping_add(n).write_unaligned(*x) };
                }
            }
            What::Send => {
                for (n, x) in some.iter().enumerate() {
                    // SAFETY: as above; and the stream takes what begins there, if it is not the usual one.
                    unsafe { stream.send_register(*x, place.wrapping_add(n)) };
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
        }
    }
}

#[cfg(test)]
mod tests;
