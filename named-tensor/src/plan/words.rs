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

/// Things numbered by first appearance. The first few are found by looking at all of them: a small graph has no more,
/// and a table costs more than its plan.
pub(super) struct Numbered<K: Copy> {
    few: SmallVec<[K; 16]>,
    many: FoldMap<K, u32>,
}

impl<K: Copy> Default for Numbered<K> {
    fn default() -> Numbered<K> {
        Numbered { few: SmallVec::new(), many: FoldMap::default() }
    }
}

impl<K: Copy + Eq + Hash> Numbered<K> {
    /// The number of a thing that has appeared.
    pub(super) fn get(&self, thing: K) -> Option<u32> {
        match self.few.iter().position(|&known| known == thing) {
            Some(at) => Some(narrow(at)),
            None if self.many.is_empty() => None,
            None => self.many.get(&thing).copied(),
        }
    }

    /// The number of a thing, the next one if it is new.
    pub(super) fn number(&mut self, thing: K) -> u32 {
        self.get(thing).unwrap_or_else(|| self.add(thing))
    }

    /// Gives a new thing the next number.
    pub(super) fn add(&mut self, thing: K) -> u32 {
        let next = narrow(self.few.len() + self.many.len());
        if self.few.len() < self.few.inline_size() {
            self.few.push(thing);
        } else {
            self.many.insert(thing, next);
        }
        next
    }
}

impl Words {
    /// Appends the words of one node whose inputs have these numbers.
    pub(super) fn node(&mut self, node: &Node, value: Option<&Value>, inputs: &[u32], words: &mut KeyWords) {
        let shape = node.shape();
        // Most nodes have the axes of their first input; then one bit says all.
        let same = !inputs.is_empty() && node.inputs().first().is_some_and(|input| input.shape() == shape);
        let header = kind_code(node.kind()) << 8 | u64::from(same) << 16 | (inputs.len() as u64) << 24;
        if let Some(value) = value {
            words.push(header);
            self.shape(shape, words);
            words.extend(value.strides.iter().map(|&stride| stride.cast_unsigned() as u64));
            return;
        }
        let start = words.len();
        words.push(header);
        let code = self.op(node.op(), words);
        words[start] |= code;
        words.extend(inputs.iter().map(|&input| u64::from(input)));
        if !same {
            self.shape(shape, words);
        }
    }

    fn shape(&mut self, shape: &Shape, words: &mut KeyWords) {
        words.push(shape.rank() as u64);
        for (name, size) in shape.iter() {
            words.push(self.name(name));
            words.push(size as u64);
        }
    }

    fn name(&mut self, name: Name) -> u64 {
        u64::from(self.names.number(name))
    }

    fn names(&mut self, names: &[Name], words: &mut KeyWords) {
        words.push(names.len() as u64);
        for &name in names {
            words.push(self.name(name));
        }
    }

    /// Appends the parameters of a primitive and returns its code.
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
            Op::Unary(function) => {
                words.push(*function as u64);
                6
            }
            Op::Binary(function) => {
                words.push(*function as u64);
                7
            }
            Op::Compare(comparison) => {
                words.push(*comparison as u64);
                8
            }
            Op::Select => 9,
            Op::Reduce(reduction, axes) => {
                words.push(reduction_code(*reduction));
                self.names(axes, words);
                10
            }
            Op::Contract(axes) => {
                self.names(axes, words);
                11
            }
            Op::Softmax { axes, log } => {
                words.push(u64::from(*log));
                self.names(axes, words);
                12
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
