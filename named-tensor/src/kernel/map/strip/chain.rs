//! Light programs that do one act after the other to a number: all of them while it is in a register.
//!
//! A step over a strip stores what it computes for the step that follows it. Where results pass the caches by, those stores
//! wait for the stores of results before them, and while they do, few loads are on their way. Here nothing is stored but results.
//! Not here: which programs are such (`acts`), all others (`strip`).

use super::{Light, Numbers, STRIP, Strip};
use crate::kernel::simd::{Lanes, is_plain};
use crate::kernel::stream::{LINE, Stream};
use crate::kernel::tiles::{Act, Rows};
use crate::kernel::vectors;
use pulp::{Simd, WithSimd};
use smallvec::SmallVec;

/// Registers of a piece: an act is chosen once for all of them.
const AT_ONCE: usize = 4;

/// A value to begin with, and what becomes of it.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    pub(super) start: usize,
    pub(super) acts: SmallVec<[Act<usize>; 4]>,
}

impl Light {
    /// Runs the program over a result of at least a strip, if it is a chain; tells whether it has.
    pub(super) fn in_registers<T: Lanes>(
        &self,
        sources: &[Numbers<'_, T>],
        constants: &[Strip<T>],
        stream: &Stream,
        out: &mut [T],
    ) -> bool {
        let Some(chain) = &self.chain else { return false };
        vectors::dispatch(Run { chain, sources, constants, stream, out })
    }
}

/// A chain and what it runs on.
struct Run<'a, T> {
    chain: &'a Chain,
    sources: &'a [Numbers<'a, T>],
    constants: &'a [Strip<T>],
    stream: &'a Stream,
    out: &'a mut [T],
}

impl<T: Lanes> WithSimd for Run<'_, T> {
    type Output = bool;

    /// Piece by piece, each of a few registers. The first one begins where a line of memory does; what comes before it, and
    /// after the last one, is part of a piece that is computed besides.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Run { chain, sources, constants, stream, out } = self;
        let (size, piece) = (out.len(), piece::<T, S>());
        let before = out.as_ptr().align_offset(LINE);
        if const { is_plain::<T, S>() } || before > piece {
            return false;
        }
        let pieces = |at: usize| {
            let numbers = |value: usize| match sources.get(value) {
                Some(source) => source.pieces(at, piece),
                None => Rows { numbers: &constants[value - sources.len()], step: 0 },
            };
            let acts = chain.acts.iter().filter_map(|act| act.try_map(|value| Some(numbers(value))));
            Pieces { start: numbers(chain.start), acts: acts.collect() }
        };
        let part = |at: usize, skipped: usize, to: &mut [T]| {
            if !to.is_empty() {
                let mut whole = [T::default(); STRIP];
                pieces(at).to::<S>(simd, &Stream::usual(), &mut whole[..piece]);
                stream.put(&whole[skipped..][..to.len()], to);
            }
        };
        let after = size - (size - before) % piece;
        part(0, 0, &mut out[..before]);
        let mut at = before;
        while at < after {
            // A row that comes again is read as far as the piece goes in which it ends.
            let left = sources.iter().map(|source| source.left(at, piece)).fold(after - at, usize::min);
            let end = after.min(at + left.next_multiple_of(piece));
            pieces(at).to::<S>(simd, stream, &mut out[at..end]);
            at = end;
        }
        part(size - piece, piece - (size - after), &mut out[after..]);
        true
    }
}

/// Numbers of a piece.
const fn piece<T: Lanes, S: Simd>() -> usize {
    AT_ONCE * size_of::<T::Register<S>>() / size_of::<T>()
}

/// What a chain reads, from some place on.
struct Pieces<'a, T> {
    start: Rows<'a, T>,
    acts: SmallVec<[Act<Rows<'a, T>>; 4]>,
}

impl<T: Lanes> Pieces<'_, T> {
    /// Computes the pieces of `out`, which begins where a line of memory does if stores pass the caches by.
    #[inline(always)]
    fn to<S: Simd>(&self, simd: S, stream: &Stream, out: &mut [T]) {
        let count = out.len() / piece::<T, S>();
        let reaches = |act: &Act<Rows<'_, T>>| act.reaches(count, piece::<T, S>());
        assert!(self.start.has(count, piece::<T, S>()), "map: a number to begin with for each result");
        assert!(self.acts.iter().all(reaches), "map: a number of each source for each result");
        assert!(stream.takes(out), "map: what passes the caches by is sent in lines of memory");
        for (i, out) in out.chunks_exact_mut(piece::<T, S>()).enumerate() {
            let from = self.start.numbers.as_ptr().wrapping_add(i * self.start.step);
            // SAFETY: there are more than `i` rows of the start, each has so many numbers, and a register is plain numbers.
            let mut some = [unsafe { from.cast::<[T::Register<S>; AT_ONCE]>().read_unaligned() }];
            for act in &self.acts {
                // SAFETY: there are more than `i` rows of what it reads, each of which has so many numbers.
                unsafe { act.apply(simd, [i, 0], &mut some) };
            }
            let to = out.as_mut_ptr().cast::<T::Register<S>>();
            for (n, register) in some.into_iter().flatten().enumerate() {
                // SAFETY: `out` has room for so many registers, each of which is as far from the first one as it is large.
                unsafe { stream.send_register(register, to.wrapping_add(n)) };
            }
        }
    }
}
