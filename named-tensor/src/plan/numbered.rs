//! Things and their numbers.
//!
//! A plan speaks of names, nodes and items by number. Lives here: from things to numbers, from numbers to things, and
//! the hashing of words, names and addresses. Not here: what is numbered.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::ops::Index;

use smallvec::SmallVec;

use super::key::narrow;

/// Things numbered by first appearance.
pub(super) struct Numbered<K: Copy> {
    things: SmallVec<[K; 16]>,
    /// A thing is looked for from the place that its hash names on: there is 0 or one more than a number. There are at
    /// least twice as many places as things, and a power of two of them. A graph with few names needs no other memory.
    places: SmallVec<[u32; 32]>,
}

impl<K: Copy> Default for Numbered<K> {
    fn default() -> Numbered<K> {
        Numbered { things: SmallVec::new(), places: SmallVec::from_elem(0, 32) }
    }
}

impl<K: Copy + Eq + Hash> Numbered<K> {
    /// The number of a thing that has appeared.
    pub(super) fn get(&self, thing: K) -> Option<u32> {
        self.find(thing).ok()
    }

    /// The number of a thing, the next one if it is new.
    pub(super) fn number(&mut self, thing: K) -> u32 {
        self.find(thing).unwrap_or_else(|place| self.put(thing, place))
    }

    /// Gives a new thing the next number.
    pub(super) fn add(&mut self, thing: K) -> u32 {
        self.number(thing)
    }

    /// The number of a thing, or the place where it would be.
    fn find(&self, thing: K) -> Result<u32, usize> {
        let mut hasher = Fold::default();
        thing.hash(&mut hasher);
        let last = self.places.len() - 1;
        let mut place = hasher.finish() as usize & last;
        loop {
            match self.places[place] {
                0 => return Err(place),
                next if self.things[next as usize - 1] == thing => return Ok(next - 1),
                _ => place = (place + 1) & last,
            }
        }
    }

    fn put(&mut self, thing: K, place: usize) -> u32 {
        self.things.push(thing);
        let next = narrow(self.things.len());
        self.places[place] = next;
        if 2 * self.things.len() > self.places.len() {
            self.places = SmallVec::from_elem(0, 4 * self.places.len());
            for (number, &thing) in (1..).zip(&self.things) {
                if let Err(place) = self.find(thing) {
                    self.places[place] = number;
                }
            }
        }
        next - 1
    }
}

/// Sentences of words, told apart as [`Numbered`] tells things apart, each with a number of the caller's.
#[derive(Default)]
pub(super) struct Sentences {
    words: Vec<u64>,
    /// By the digest of a sentence: where it begins and ends in `words`, and its number.
    known: FoldMap<u64, (u32, u32, u32)>,
}

impl Sentences {
    /// The number of a sentence that was kept, or its digest. Of two sentences with one digest the first is known alone.
    pub(super) fn find(&self, sentence: &[u64]) -> Result<u32, u64> {
        let mut hasher = Fold::default();
        sentence.iter().for_each(|&word| hasher.write_u64(word));
        let digest = hasher.finish();
        match self.known.get(&digest) {
            Some(&(start, end, number)) if self.words[start as usize..end as usize] == *sentence => Ok(number),
            _ => Err(digest),
        }
    }

    /// Keeps a sentence under a number.
    pub(super) fn keep(&mut self, digest: u64, sentence: &[u64], number: u32) {
        let start = narrow(self.words.len());
        self.words.extend_from_slice(sentence);
        self.known.entry(digest).or_insert((start, narrow(self.words.len()), number));
    }
}

/// Some of the things with the numbers 0, 1, 2, ...
pub(super) struct ByNumber<T>(Vec<Option<T>>);

impl<T> ByNumber<T> {
    /// None of so many.
    pub(super) fn new(size: usize) -> ByNumber<T> {
        ByNumber(std::iter::repeat_with(|| None).take(size).collect())
    }

    /// The thing with this number.
    pub(super) fn get(&self, number: &u32) -> Option<&T> {
        self.0[*number as usize].as_ref()
    }

    /// Whether there is one.
    pub(super) fn contains_key(&self, number: &u32) -> bool {
        self.get(number).is_some()
    }

    /// Puts a thing there, and returns what was there.
    pub(super) fn insert(&mut self, number: u32, thing: T) -> Option<T> {
        self.0[number as usize].replace(thing)
    }

    /// Takes the thing away.
    pub(super) fn remove(&mut self, number: &u32) -> Option<T> {
        self.0[*number as usize].take()
    }

    /// Of each thing what `part` says.
    pub(super) fn map<U>(self, mut part: impl FnMut(T) -> U) -> ByNumber<U> {
        ByNumber(self.0.into_iter().map(|thing| thing.map(&mut part)).collect())
    }

    /// The thing with this number, made if there is none.
    pub(super) fn or_default(&mut self, number: u32) -> &mut T
    where
        T: Default,
    {
        self.0[number as usize].get_or_insert_default()
    }
}

impl<T> Index<&u32> for ByNumber<T> {
    type Output = T;

    fn index(&self, number: &u32) -> &T {
        self.get(number).expect("there is a thing with this number")
    }
}

/// A map whose hashing costs a few cycles: its keys are addresses, names and words of our own making.
pub(super) type FoldMap<K, V> = HashMap<K, V, BuildHasherDefault<Fold>>;

/// Multiply and rotate, word by word.
#[derive(Default, Clone)]
pub(super) struct Fold(u64);

impl Hasher for Fold {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for &word in words {
            self.write_u64(u64::from_le_bytes(word));
        }
        for &byte in rest {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(u64::from(byte));
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_u64(&mut self, word: u64) {
        // The odd constant is 2⁶⁴ / φ; its product spreads the low bits upwards.
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        // The table takes its low bits, the product has its entropy in the high ones.
        self.0 ^ (self.0 >> 32)
    }
}
