//! Things and their numbers.
//!
//! A plan speaks of names, nodes and items by number. Lives here: from things to numbers, from numbers to things, short
//! lists of either, and the hashing of words, names and addresses. Not here: what is numbered.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::ops::Index;

use smallvec::{Array, SmallVec};

use super::key::narrow;

/// The things as a list. A plan makes thousands of lists of two or three: one by one that is quicker than to collect
/// them, which prepares for many.
pub(super) fn few<A: Array>(things: impl IntoIterator<Item = A::Item>) -> SmallVec<A> {
    let mut list = SmallVec::new();
    things.into_iter().for_each(|thing| list.push(thing));
    list
}

/// Things numbered by first appearance. The first few are found by looking at all of them: a small graph has no more.
pub(super) struct Numbered<K> {
    things: SmallVec<[K; FEW]>,
    /// Once there are more: a thing is looked for from the place that its hash names on, where there is 0 or one more
    /// than a number. There are at least twice as many places as things, and a power of two of them.
    places: Vec<u32>,
}

const FEW: usize = 8;

impl<K> Default for Numbered<K> {
    fn default() -> Numbered<K> {
        Numbered { things: SmallVec::new(), places: Vec::new() }
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

    /// The number of a thing, or the place where it would be.
    fn find(&self, thing: K) -> Result<u32, usize> {
        if self.places.is_empty() {
            return self.things.iter().position(|known| *known == thing).map(narrow).ok_or(0);
        }
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
        if let Some(number) = self.places.get_mut(place) {
            *number = next;
        }
        if self.things.len() > FEW.max(self.places.len() / 2) {
            self.places = vec![0; (4 * self.places.len()).max(8 * FEW)];
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
pub(super) struct Sentences {
    words: Vec<u64>,
    /// By the digest of a sentence: where it begins and ends in `words`, and its number.
    known: FoldMap<u64, (u32, u32, u32)>,
}

impl Sentences {
    /// None, with room for so many.
    pub(super) fn new(size: usize) -> Sentences {
        /// Most nodes are told in three words.
        const WORDS: usize = 3;
        let known = FoldMap::with_capacity_and_hasher(size, BuildHasherDefault::default());
        Sentences { words: Vec::with_capacity(WORDS * size), known }
    }

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

/// Things that have numbers among 0, 1, 2, ...
pub(super) struct ByNumber<T> {
    /// For each number, one more than the place of its thing; 0 if there is none.
    places: Vec<u32>,
    /// What was taken away leaves its place empty.
    things: Vec<Option<T>>,
}

impl<T> ByNumber<T> {
    /// None of so many.
    pub(super) fn new(size: usize) -> ByNumber<T> {
        ByNumber { places: vec![0; size], things: Vec::with_capacity(size) }
    }

    /// The thing with this number.
    pub(super) fn get(&self, number: &u32) -> Option<&T> {
        let place = *self.places.get(*number as usize)?;
        self.things.get((place as usize).wrapping_sub(1))?.as_ref()
    }

    /// Whether there is one.
    pub(super) fn contains_key(&self, number: &u32) -> bool {
        self.get(number).is_some()
    }

    /// Puts a thing there, and returns what was there.
    pub(super) fn insert(&mut self, number: u32, thing: T) -> Option<T> {
        self.place(number).replace(thing)
    }

    /// Takes the thing away.
    pub(super) fn remove(&mut self, number: &u32) -> Option<T> {
        let place = *self.places.get(*number as usize)?;
        self.things.get_mut((place as usize).wrapping_sub(1))?.take()
    }

    /// The thing with this number, made if there is none.
    pub(super) fn or_default(&mut self, number: u32) -> &mut T
    where
        T: Default,
    {
        self.place(number).get_or_insert_default()
    }

    fn place(&mut self, number: u32) -> &mut Option<T> {
        let place = &mut self.places[number as usize];
        if *place == 0 {
            self.things.push(None);
            *place = narrow(self.things.len());
        }
        &mut self.things[*place as usize - 1]
    }

    /// Of each thing what `part` says.
    pub(super) fn map<U>(self, mut part: impl FnMut(T) -> U) -> ByNumber<U> {
        let things = self.things.into_iter().map(|thing| thing.map(&mut part)).collect();
        ByNumber { places: self.places, things }
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

/// The same without values.
pub(super) type FoldSet<K> = HashSet<K, BuildHasherDefault<Fold>>;

/// Multiply and rotate, word by word.
#[derive(Default, Clone)]
pub(super) struct Fold(u64);

impl Hasher for Fold {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        // Each word waits for the one before, except that long keys are read by four who do not wait for each other.
        let (fours, words) = words.as_chunks::<4>();
        let mut folds = [const { Fold(0) }; 4];
        for four in fours {
            for (fold, &word) in folds.iter_mut().zip(four) {
                fold.write_u64(u64::from_le_bytes(word));
            }
        }
        if !fours.is_empty() {
            folds.iter().for_each(|fold| self.write_u64(fold.0));
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_have_the_numbers_of_their_first_appearance_however_many_there_are() {
        let mut numbered = Numbered::default();
        for round in 0..2 {
            for i in 0..1000_u64 {
                assert_eq!(numbered.get(i << 20), (round == 1).then_some(narrow(i as usize)), "{i} in round {round}");
                assert_eq!(numbered.number(i << 20), narrow(i as usize), "{i} in round {round}");
            }
        }
    }

    #[test]
    fn a_sentence_is_known_by_all_of_its_words() {
        let mut sentences = Sentences::new(2);
        let said: [&[u64]; 4] = [&[], &[1], &[1, 2], &[2, 1]];
        for (number, sentence) in (0..).zip(said) {
            let digest = sentences.find(sentence).expect_err("it is new");
            sentences.keep(digest, sentence, number);
        }
        for (number, sentence) in (0..).zip(said) {
            assert_eq!(sentences.find(sentence), Ok(number), "{sentence:?}");
        }
        let digest = sentences.find(&[1]).map_or_else(|digest| digest, u64::from);
        sentences.keep(digest, &[7, 7], 9);
        assert!(sentences.find(&[7, 7]).is_err(), "another one under the same digest is not mixed up with the first");
    }

    #[test]
    fn what_is_put_under_a_number_is_found_there_until_it_is_taken() {
        let mut by_number: ByNumber<Vec<u32>> = ByNumber::new(5);
        by_number.or_default(3).push(1);
        assert_eq!(by_number.insert(1, vec![2]), None, "nothing was there");
        assert_eq!((&by_number[&3], &by_number[&1]), (&vec![1], &vec![2]));
        assert!(!by_number.contains_key(&0) && by_number.get(&9).is_none(), "nothing there, and no such number");
        let mut sizes = by_number.map(|list| list.len());
        assert_eq!((sizes.remove(&3), sizes.get(&3)), (Some(1), None), "taken");
    }
}
