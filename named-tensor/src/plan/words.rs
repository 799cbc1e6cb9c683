//! Nodes as words: what a plan depends on, and nothing else.
//!
//! Lives here: the words of each primitive, and the hashing of words, names and addresses.
//! Not here: the walk over a graph (`key`).

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use smallvec::SmallVec;

use super::key::narrow;
use crate::axis::Name;
use crate::element::Kind;
use crate::graph::op::Reduction;
use crate::graph::{Node, Op, Shape, Value};

/// Words of a key. Those of a small graph need no memory of their own.
pub(super) type KeyWords = SmallVec<[u64; 64]>;

/// Writes nodes as words.
#[derive(Default)]
pub(super) struct Words {
    names: Numbered<Name>,
    constants: Numbered<u64>,
}

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

impl Words {
    /// Appends the words of one node whose inputs have these numbers.
    pub(super) fn node(&mut self, node: &Node, value: Option<&Value>, inputs: &[u32], words: &mut KeyWords) {
        let shape = node.shape();
        // Most nodes have the axes of their first input; then one bit says all.
        let same = !inputs.is_empty() && node.inputs().first().is_some_and(|input| input.shape() == shape);
        let header = kind_code(node.kind()) << 8 | u64::from(same) << 16 | (inputs.len() as u64) << 32;
        let start = words.len();
        words.push(header);
        if let Some(value) = value {
            self.shape(shape, words);
            value.strides.iter().for_each(|&stride| words.push(stride.cast_unsigned() as u64));
            return;
        }
        let code = self.op(node.op(), words);
        words[start] |= code;
        for pair in inputs.chunks(2) {
            words.push(pair.iter().rev().fold(0, |word, &input| word << 32 | u64::from(input)));
        }
        if !same {
            self.shape(shape, words);
        }
    }

    fn shape(&mut self, shape: &Shape, words: &mut KeyWords) {
        words.push(shape.rank() as u64);
        for (name, size) in shape.iter() {
            // Names and sizes share a word, unless a size is so large that it needs one of its own.
            let name = self.name(name) << 32;
            let size = size as u64;
            if size < u64::from(u32::MAX) {
                words.push(name | size);
            } else {
                words.push(name | u64::from(u32::MAX));
                words.push(size);
            }
        }
    }

    fn name(&mut self, name: Name) -> u64 {
        u64::from(self.names.number(name))
    }

    fn names(&mut self, names: &[Name], words: &mut KeyWords) {
        match names {
            &[name] => words.push(1 << 32 | self.name(name)),
            names => {
                words.push((names.len() as u64) << 32);
                names.iter().for_each(|&name| words.push(self.name(name)));
            }
        }
    }

    /// Appends the parameters of a primitive and returns its code. Which function it is stands beside the code.
    fn op(&mut self, op: &Op, words: &mut KeyWords) -> u64 {
        match op {
            Op::Input | Op::Failed(_) => 1,
            Op::Placeholder(number) => {
                words.push(*number as u64);
                31
            }
            // They are their first inputs, whatever they say.
            Op::Call(_) => 33,
            Op::Constrain(..) => 34,
            // The words of its body follow (`key`).
            Op::Scan(scan) => {
                words.extend([self.name(scan.axis), u64::from(scan.backwards), scan.size as u64]);
                words.extend([scan.carries as u64, scan.slices as u64]);
                32
            }
            Op::Fill(value) if is_structural(*value) => {
                words.push(value.to_bits());
                29
            }
            // Equal constants share a number, so that common parts are found; which constant it is, the run says.
            Op::Fill(value) => {
                words.push(u64::from(self.constants.number(value.to_bits())));
                2
            }
            Op::Iota => 3,
            Op::Random(..) => 4,
            Op::Cast => 5,
            Op::Unary(function) => 6 | (*function as u64) << 24,
            Op::Binary(function) => 7 | (*function as u64) << 24,
            Op::Compare(comparison) => 8 | (*comparison as u64) << 24,
            Op::Select => 9,
            Op::Reduce(reduction, axes) => {
                self.names(axes, words);
                10 | reduction_code(*reduction) << 24
            }
            Op::Contract(axes) => {
                self.names(axes, words);
                11
            }
            Op::Softmax { axes, log } => {
                self.names(axes, words);
                12 | u64::from(*log) << 24
            }
            Op::Standardize { axes, epsilon } => {
                words.push(epsilon.to_bits());
                self.names(axes, words);
                13
            }
            Op::Rename => 14,
            Op::StopGradient => 35,
            Op::Split(axis, parts) => {
                words.push(self.name(*axis));
                self.names(parts, words);
                15
            }
            Op::Merge(parts, axis) => {
                words.push(self.name(*axis));
                self.names(parts, words);
                16
            }
            Op::Slice { axis, start, step } => {
                words.extend([self.name(*axis), *start as u64, *step as u64]);
                17
            }
            Op::At(axis, position) => {
                words.extend([self.name(*axis), *position as u64]);
                18
            }
            Op::Window { axis, into, step } => {
                words.extend([self.name(*axis), self.name(*into), *step as u64]);
                19
            }
            Op::Pad { axis, before, value } => {
                words.extend([self.name(*axis), *before as u64, value.to_bits()]);
                20
            }
            Op::Concat(axis) => {
                words.push(self.name(*axis));
                21
            }
            Op::Gather(axis) => {
                words.push(self.name(*axis));
                22
            }
            Op::ScatterAdd { axis, over } => {
                words.push(self.name(*axis));
                self.names(over, words);
                23
            }
            Op::DynamicSlice(axis) => {
                words.push(self.name(*axis));
                24
            }
            Op::DynamicUpdate(axis) => {
                words.push(self.name(*axis));
                25
            }
            Op::CumulativeSum(axis) => {
                words.push(self.name(*axis));
                26
            }
            Op::Sort { axis, descending } => {
                words.extend([self.name(*axis), u64::from(*descending)]);
                27
            }
            Op::ArgSort { axis, descending } => {
                words.extend([self.name(*axis), u64::from(*descending)]);
                28
            }
            Op::Determinant(a, b) => {
                words.extend([self.name(*a), self.name(*b)]);
                30
            }
            Op::Inverse(a, b) => {
                words.extend([self.name(*a), self.name(*b)]);
                36
            }
        }
    }
}

/// Whether a constant is a part of the structure. Small whole numbers are written in equations, and programs know more
/// of them than of others: a square is a product. Other constants change from run to run, as rates and statistics do.
pub(super) fn is_structural(value: f64) -> bool {
    value.abs() <= 8.0 && value.fract() == 0.0
}

fn kind_code(kind: Kind) -> u64 {
    match kind {
        Kind::F32 => 0,
        Kind::F64 => 1,
        Kind::Index => 2,
        Kind::Bool => 3,
        Kind::Bf16 => 4,
    }
}

fn reduction_code(reduction: Reduction) -> u64 {
    match reduction {
        Reduction::Sum => 0,
        Reduction::Product => 1,
        Reduction::Max => 2,
        Reduction::Min => 3,
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
