//! Nodes as words: what a plan depends on, and nothing else.
//!
//! Lives here: the words of each primitive. Not here: the walk over a graph (`key`), numbering and hashing (`numbered`).

use smallvec::SmallVec;

use super::key::narrow;
use super::numbered::Numbered;
use crate::axis::Name;
use crate::element::Kind;
use crate::graph::op::Reduction;
use crate::graph::{Node, Op, Shape, Value};

/// Words of a key. Those of a small graph need no memory of their own.
pub(super) type KeyWords = SmallVec<[u64; 64]>;

/// In a header: the upper half is the number of the only input. The bits below it are the kind of the primitive from 0 on,
/// the kind of its elements from 8 on, whether it has the shape of its first input at 16, the rank from 17 on, and which
/// function it is from 24 on.
const ONE: u64 = 1 << 31;
/// A rank that does not fit in a header has a word of its own.
const MANY_AXES: u64 = 127;

/// Words by number. Those of a small graph need no memory of their own.
pub(super) type Counts = SmallVec<[u32; 16]>;

/// Writes nodes as words.
#[derive(Default)]
pub(super) struct Words {
    names: Numbered<Name>,
    constants: Numbered<u64>,
    /// Which words are counts: sizes, strides, positions.
    pub(super) counts: Counts,
}

impl Words {
    /// Appends the words of one node whose inputs have these numbers.
    pub(super) fn node(&mut self, node: &Node, value: Option<&Value>, inputs: &[u32], words: &mut KeyWords) {
        let shape = node.shape();
        // Most nodes have the axes of their first input; then one bit says all. Those of a contraction follow from its inputs
        // and what it sums, by a rule that has no choice.
        let same = match node.op() {
            Op::Contract(_) => false,
            _ => !inputs.is_empty() && node.inputs().first().is_some_and(|input| input.shape() == shape),
        };
        let start = words.len();
        words.push(kind_code(node.kind()) << 8 | u64::from(same) << 16 | told(inputs));
        if inputs.len() > 1 {
            inputs.chunks(2).for_each(|pair| words.push(together(pair)));
        }
        if let Some(value) = value {
            words[start] |= self.shape(shape, None, words);
            value.strides.iter().for_each(|&stride| self.count(stride.cast_unsigned() as u64, words));
            return;
        }
        let first = node.inputs().first().map(Node::shape);
        let code = self.op(node.op(), first, words);
        words[start] |= code;
        if !same && !matches!(node.op(), Op::Contract(_)) {
            words[start] |= self.shape(shape, first, words);
        }
    }

    /// Appends the axes, and returns the rank as the header tells it.
    fn shape(&mut self, shape: &Shape, first: Option<&Shape>, words: &mut KeyWords) -> u64 {
        let rank = shape.rank() as u64;
        if rank >= MANY_AXES {
            words.push(rank);
        }
        for (name, size) in shape.iter() {
            // Names and sizes share a word, unless a size is so large that it needs one of its own.
            let (name, size) = (self.name(name, first) << 32, size as u64);
            if size < u64::from(u32::MAX) {
                self.count(name | size, words);
            } else {
                words.push(name | u64::from(u32::MAX));
                self.count(size, words);
            }
        }
        rank.min(MANY_AXES) << 17
    }

    /// Appends a word whose lower half counts something.
    fn count(&mut self, word: u64, words: &mut KeyWords) {
        self.counts.push(narrow(words.len()));
        words.push(word);
    }

    /// A name: where the first input has it, if it does, else its number.
    fn name(&mut self, name: Name, first: Option<&Shape>) -> u64 {
        match first.and_then(|first| first.position(name)) {
            Some(at) => 1 << 31 | at as u64,
            None => u64::from(self.names.number(name)),
        }
    }

    fn names(&mut self, names: &[Name], first: Option<&Shape>, words: &mut KeyWords) {
        match names {
            &[name] => words.push(1 << 32 | self.name(name, first)),
            names => {
                words.push((names.len() as u64) << 32);
                names.iter().for_each(|&name| words.push(self.name(name, first)));
            }
        }
    }

    /// Appends the parameters of a primitive and returns its code. Which function it is stands beside the code.
    fn op(&mut self, op: &Op, first: Option<&Shape>, words: &mut KeyWords) -> u64 {
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
                words.extend([self.name(scan.axis, first), u64::from(scan.backwards), scan.size as u64]);
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
                self.names(axes, first, words);
                10 | reduction_code(*reduction) << 24
            }
            Op::Contract(axes) => {
                self.names(axes, first, words);
                11
            }
            Op::Softmax { axes, log } => {
                self.names(axes, first, words);
                12 | u64::from(*log) << 24
            }
            Op::Standardize { axes, epsilon } => {
                words.push(epsilon.to_bits());
                self.names(axes, first, words);
                13
            }
            Op::StandardizeGradient { axes, epsilon } => {
                words.push(epsilon.to_bits());
                self.names(axes, first, words);
                37
            }
            Op::Rename => 14,
            Op::StopGradient => 35,
            Op::Split(axis, parts) => {
                words.push(self.name(*axis, first));
                self.names(parts, first, words);
                15
            }
            Op::Merge(parts, axis) => {
                words.push(self.name(*axis, first));
                self.names(parts, first, words);
                16
            }
            Op::Slice { axis, start, step } => {
                words.push(self.name(*axis, first));
                self.count(*start as u64, words);
                words.push(*step as u64);
                17
            }
            Op::At(axis, position) => {
                words.push(self.name(*axis, first));
                self.count(*position as u64, words);
                18
            }
            Op::Flip(axis) => {
                words.push(self.name(*axis, first));
                39
            }
            Op::Window { axis, into, step } => {
                words.extend([self.name(*axis, first), self.name(*into, first), *step as u64]);
                19
            }
            Op::Pad { axis, before, value } => {
                words.extend([self.name(*axis, first), *before as u64, value.to_bits()]);
                20
            }
            Op::Concat(axis) => {
                words.push(self.name(*axis, first));
                21
            }
            Op::Gather(axis) => {
                words.push(self.name(*axis, first));
                22
            }
            Op::ScatterAdd { axis, over } => {
                words.push(self.name(*axis, first));
                self.names(over, first, words);
                23
            }
            Op::DynamicSlice(axis) => {
                words.push(self.name(*axis, first));
                24
            }
            Op::DynamicUpdate(axis) => {
                words.push(self.name(*axis, first));
                25
            }
            Op::CumulativeSum { axis, backwards } => {
                words.extend([self.name(*axis, first), u64::from(*backwards)]);
                26
            }
            Op::Sort { axis, descending } => {
                words.extend([self.name(*axis, first), u64::from(*descending)]);
                27
            }
            Op::ArgSort { axis, descending } => {
                words.extend([self.name(*axis, first), u64::from(*descending)]);
                28
            }
            Op::Determinant(a, b) => {
                words.extend([self.name(*a, first), self.name(*b, first)]);
                30
            }
            Op::LogDeterminant(a, b) => {
                words.extend([self.name(*a, first), self.name(*b, first)]);
                38
            }
            Op::Inverse(a, b) => {
                words.extend([self.name(*a, first), self.name(*b, first)]);
                36
            }
        }
    }
}

/// What a header tells of the inputs: how many there are, or which one it is. Several stand behind it, in pairs.
fn told(inputs: &[u32]) -> u64 {
    match *inputs {
        [input] => ONE | u64::from(input) << 32,
        _ => (inputs.len() as u64) << 32,
    }
}

fn together(pair: &[u32]) -> u64 {
    pair.iter().rev().fold(0, |word, &input| word << 32 | u64::from(input))
}

/// Puts other inputs, as many as there were, into the words of a node.
pub(super) fn put_inputs(inputs: &[u32], words: &mut [u64]) {
    words[0] = words[0] & u64::from(u32::MAX) & !ONE | told(inputs);
    if inputs.len() > 1 {
        words[1..].iter_mut().zip(inputs.chunks(2)).for_each(|(word, pair)| *word = together(pair));
    }
}

/// Whether a constant is a part of the structure. Small whole numbers and halves are written in equations, and programs know
/// more of them than of others: a square is a product, and a power of a half is a root; so are a twelfth power and its slope.
/// So is a number that is 0 in `f32`, for which a plan that was made for another one may not hold. Other constants change from
/// run to run, as rates, statistics and larger numbers do, which count the words of a text.
pub(super) fn is_structural(value: f64) -> bool {
    let size = value.abs();
    let is_whole = size <= 8.0 && size.fract() == 0.0 || matches!(size, 11.0 | 12.0);
    is_whole || size <= 3.5 && size.fract() == 0.5 || value as f32 == 0.0
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
