//! A schedule: the steps of a plan over numbered buffers.
//!
//! Lives here: what a step is, which buffers it reads and writes, and after which step a buffer is dead.
//! Sizes and strides only, no names and no numbers: one schedule serves every graph of the same structure.
//! Not here: how steps are found (`lower`), how they run (`execute`).

use std::sync::Arc;

use smallvec::SmallVec;

use super::contract::Loop;
use super::layout::Place;
use super::simplify::Relative;
use super::weighed::Weighed;
use super::windows::Windows;
use crate::element::Kind;
use crate::graph::op::Reduction;
use crate::graph::value::Strides;
use crate::kernel::map::Program;

/// The sizes of an iteration space, the last axis fastest.
pub(super) type Sizes = SmallVec<[usize; 4]>;

/// The inputs of a node, each in the order of its own shape: what the plain evaluation takes. Steps that may
/// fail have them as well, so that a wrong position or a singular matrix is told by the plain evaluation, in its words.
pub(super) type Inputs = Box<[Place]>;

/// Some numbers that are copied to some place of the result.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) source: Place,
    pub(super) sizes: Sizes,
    /// Where they begin in the result.
    pub(super) offset: usize,
    /// The steps in the result.
    pub(super) strides: Strides,
}

/// What a factor or divisor is read from, and whether it divides.
pub(super) type Factor = Box<(Place, bool)>;

/// What a step does. Places have one stride for each axis of the step's own space.
///
/// A plan may have thousands of steps, which are read one after the other in every run: so they are small, and what few
/// steps have, or is long, is kept beside them.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Action {
    /// An elementwise program in one pass; the result lies without gaps. Other results of the program lie as it does, each in a
    /// buffer of its own.
    Map { program: Arc<Program>, sizes: Sizes, operands: Box<[Place]>, others: Box<[u32]> },
    /// A batched product of matrices. The strides are in the loops; those of a right operand that is packed from where it lies,
    /// as far as the other one does not have its axes, are in `windows`.
    Product {
        left: (u32, usize),
        right: (u32, usize),
        batch: Box<[Loop]>,
        rows: Loop,
        columns: Loop,
        inner: Loop,
        scale: Option<Factor>,
        windows: Option<Box<Windows>>,
    },
    /// Attention. The operands are queries, keys, values and the mask, if there is one, which may stand `instead` of scores where
    /// it is not 0; each has strides along `batch` and along the axes of its matrices, of which `rows` may be several; so has
    /// the result.
    Attention {
        operands: Box<[Place]>,
        batch: Sizes,
        rows: Sizes,
        /// Keys, positions, columns.
        sizes: [usize; 3],
        scale: Option<Factor>,
        out: Strides,
        instead: bool,
    },
    /// What attention owes backwards. The operands are queries, keys, values, the cotangent of the results and the mask, if
    /// there is one; the results, as far as they are wanted, are the gradients of the first three, one behind the other.
    AttentionGradient {
        operands: Box<[Place]>,
        batch: Sizes,
        rows: Sizes,
        /// Keys, positions, columns.
        sizes: [usize; 3],
        scale: Option<Factor>,
        out: Box<[Option<(usize, Strides)>; 3]>,
        instead: bool,
    },
    /// One number for all positions of the last axes, `over`; the result lies without gaps in the order of the others.
    Reduce { reduction: Reduction, source: Place, sizes: Sizes, over: Sizes },
    /// The same of what an elementwise program computes over these sizes, which is stored nowhere: along the axes from the one
    /// number of `over` on, up to the other. What becomes of other results of the program fills a buffer each.
    ReduceComputed {
        reduction: Reduction,
        program: Arc<Program>,
        sizes: Sizes,
        operands: Box<[Place]>,
        over: [u8; 2],
        others: Box<[u32]>,
    },
    /// The position of the first of the largest (or smallest) numbers along the last axis, which has `size`; the result
    /// lies without gaps in the order of the others.
    Best { largest: bool, source: Place, sizes: Sizes, size: usize },
    /// Each row, along the last axis, to a row of the result, whose strides are `out`. Of a sorted row the first ones may be
    /// all that is wanted.
    Rows { function: RowFunction, source: Place, sizes: Sizes, row: usize, wanted: usize, out: Strides },
    /// What rows owe for their standardization. The operands are the rows and what is owed to the standardized ones; they
    /// and the result, whose strides are `out`, are over `sizes` and the row. Elements of a row lie side by side, or rows do. What
    /// is owed is first multiplied by the gain, if there is one: a row that lies as the others do, without gaps.
    StandardizeGradient {
        epsilon: f64,
        operands: Box<[Place; 2]>,
        gain: Option<(u32, usize)>,
        sizes: Sizes,
        row: usize,
        out: Strides,
    },
    /// A function of each matrix over the last two axes, each of `size`. The result lies without gaps in the order of the
    /// others; an inverse has both axes behind them.
    Matrix { inputs: Inputs, function: MatrixFunction, source: Box<Place>, sizes: Sizes, size: usize },
    /// Pieces put side by side, around them one number.
    Join { around: Option<f64>, pieces: Box<[Piece]> },
    /// The second piece behind the first, which a longer tensor may share memory with (`append`). The result lies
    /// without gaps, and both pieces are whole stretches of it; `continues` says whether the first lies as it does there.
    Append { pieces: Box<[Piece; 2]>, continues: bool },
    /// Rows of a table at computed positions below `limit`; the rows' axes are `inner`. Of the two that are read, the table
    /// has strides along
    /// `outer`, `inner` and the axis that is gathered along, the positions along `outer`. If they are those of a one-hot tensor,
    /// one that is not there gives zeros.
    Gather { inputs: Inputs, read: Box<[Place; 2]>, outer: Sizes, inner: Sizes, limit: usize, is_hot: bool },
    /// Rows summed at computed positions of an axis of this size. The updates have strides along `sizes`: the axes that the
    /// result shares with the positions, those that are summed away, and a row's own; the positions along the first two. The
    /// result has the new axis between the first and the last; with `across` after all of them, before so many numbers of a
    /// row that lie side by side. If they are those of a one-hot tensor, what belongs to one that is not there goes nowhere.
    Scatter {
        inputs: Inputs,
        read: Box<[Place; 2]>,
        sizes: Box<[Sizes; 3]>,
        size: usize,
        is_hot: bool,
        across: Option<usize>,
    },
    /// Rows times the matrices of a table at computed positions below `limit`, for each position of a batch. Of those that are read
    /// the positions have strides along the first of the `sizes`, the rows along the batch and the first three, terms last, and the
    /// table along the batch, its axis, the terms and the columns, the last of the sizes. The result has all but the terms. If
    /// `is_owed`, the third operand is what is owed to the products, which has the axes that these have, and the result is
    /// what the matrices owe: along the batch, their axis, the terms and the columns. The inputs are those of the node `told`,
    /// which tells wrong positions.
    Grouped {
        inputs: Inputs,
        told: u32,
        read: Box<[Place; 3]>,
        batch: Sizes,
        sizes: Box<[Sizes; 4]>,
        limit: usize,
        is_owed: bool,
    },
    /// Rows that meet the vectors of a table at computed positions below `limit`. Of those that are read the positions have
    /// strides along the rows and the axes that only they have, the first of the `sizes`; the others are the rows and the table, the
    /// weights and the table, or the weights and the rows. The inputs are those of the node `told`, which tells wrong positions.
    Relative { way: Relative, inputs: Inputs, told: u32, read: Box<[Place; 3]>, sizes: Box<[Sizes; 3]>, limit: usize },
    /// Pieces put over each other, the last one moved by `step` times a computed position below `limit`.
    Update { inputs: Inputs, pieces: Box<[Piece]>, start: (u32, usize), step: usize, limit: usize },
    /// The plain evaluation of the node, whose inputs lie in the order of their own shapes.
    Plain { inputs: Inputs },
    /// A body run for each position of an axis.
    Scan { inputs: Inputs, body: Box<Body> },
    /// The same number everywhere.
    Fill(f64),
}

/// The body of a scan. Its leaves are its placeholders and constants; its roots the next carries, then the results.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Body {
    pub(super) schedule: Schedule,
    /// How often it runs.
    pub(super) size: usize,
    pub(super) backwards: bool,
    /// The sizes of each carry, which lies without gaps between steps.
    pub(super) carries: SmallVec<[Sizes; 2]>,
    /// The slot of each placeholder in the body, if it is read.
    pub(super) slots: SmallVec<[Option<u32>; 6]>,
    /// How far apart the positions of each tensor along the axis are.
    pub(super) along: SmallVec<[isize; 4]>,
    /// Where the last carries and the first results go; the kind of each.
    pub(super) pieces: SmallVec<[(Kind, Piece); 4]>,
}

/// What is computed of each matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MatrixFunction {
    Determinant,
    /// The logarithm of its magnitude.
    LogDeterminant,
    /// Transposed.
    Inverse,
}

/// A function from rows to rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RowFunction {
    Softmax {
        log: bool,
    },
    /// One number for each row: the logarithm of the sum of its exponentials.
    LogSum,
    Standardize {
        epsilon: f64,
    },
    CumulativeSum {
        backwards: bool,
    },
    Sort {
        descending: bool,
    },
    ArgSort {
        descending: bool,
    },
}

/// An elementwise program that a step ends with, while its numbers are in a near cache: its `Own` is what the action has
/// computed. The space is that of the result, which lies without gaps; operands have strides along it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tail {
    pub(super) program: Arc<Program>,
    pub(super) sizes: Sizes,
    pub(super) operands: Box<[Place]>,
}

/// A step, the buffer it fills, and the nodes it stands for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) action: Action,
    /// What is done to the result of the action. Only products and functions of rows have one.
    pub(super) tail: Option<Box<Tail>>,
    pub(super) out: u32,
    /// The node of the result, by number.
    pub(super) node: u32,
    /// The nodes computed on the way.
    pub(super) fused: SmallVec<[u32; 4]>,
    /// Buffers that nobody reads after this step.
    pub(super) dead: SmallVec<[u32; 2]>,
    /// Whether no later step reads what it fills.
    pub(super) is_last: bool,
}

/// Four lines of a cache.
const _: () = assert!(size_of::<Step>() <= 256, "steps are small");

/// A buffer: what it holds and how many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Slot {
    pub(super) kind: Kind,
    pub(super) size: usize,
}

/// Steps over buffers. The first buffers are those of the leaves, in this order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Schedule {
    /// The leaves, as nodes by number.
    pub(super) leaves: Vec<u32>,
    pub(super) slots: Vec<Slot>,
    pub(super) steps: Vec<Step>,
    pub(super) roots: SmallVec<[Place; 2]>,
    /// What was compared to find these steps.
    pub(super) weighed: Weighed,
}

impl Schedule {
    /// Notes after which step each buffer is dead, and which steps fill none that is read. Leaves and roots belong to others.
    pub(super) fn find_dead(&mut self) {
        let mut needed = vec![false; self.slots.len()];
        needed[..self.leaves.len()].fill(true);
        for root in &self.roots {
            needed[root.slot as usize] = true;
        }
        let mut is_read = vec![false; self.slots.len()];
        for step in self.steps.iter_mut().rev() {
            let (mut slots, mut is_last) = (SmallVec::<[u32; 8]>::new(), true);
            // A result that nobody reads is dead at once.
            step.fills(|slot| {
                is_last &= !is_read[slot as usize];
                slots.push(slot);
            });
            step.reads(|slot| {
                is_read[slot as usize] = true;
                slots.push(slot);
            });
            step.is_last = is_last;
            for slot in slots {
                if !std::mem::replace(&mut needed[slot as usize], true) {
                    step.dead.push(slot);
                }
            }
        }
    }
}

impl Step {
    /// A step that ends with its action and stands for one node.
    pub(super) fn new(action: Action, out: u32, node: u32) -> Step {
        Step { action, tail: None, out, node, fused: SmallVec::new(), dead: SmallVec::new(), is_last: false }
    }

    /// Tells each buffer that is filled.
    pub(super) fn fills(&self, mut tell: impl FnMut(u32)) {
        self.action.others().iter().for_each(|&slot| tell(slot));
        tell(self.out);
    }

    /// Tells each buffer that is read.
    pub(super) fn reads(&self, mut tell: impl FnMut(u32)) {
        self.action.reads(&mut tell);
        self.tail.iter().flat_map(|tail| &tail.operands[..]).for_each(|place| tell(place.slot));
    }
}

impl Action {
    /// Whether its step may have a tail.
    pub(super) fn takes_tail(&self) -> bool {
        matches!(self, Action::Product { .. } | Action::Rows { .. } | Action::StandardizeGradient { .. })
    }

    /// The buffers of other results of its program.
    pub(super) fn others(&self) -> &[u32] {
        match self {
            Action::Map { others, .. } | Action::ReduceComputed { others, .. } => others,
            _ => &[],
        }
    }

    /// Tells each buffer that is read.
    fn reads(&self, mut tell: impl FnMut(u32)) {
        match self {
            Action::Map { operands, .. } | Action::ReduceComputed { operands, .. } => {
                operands.iter().for_each(|place| tell(place.slot));
            }
            Action::Product { left, right, scale, .. } => {
                tell(left.0);
                tell(right.0);
                scale.iter().for_each(|factor| tell(factor.0.slot));
            }
            Action::Attention { operands, scale, .. } | Action::AttentionGradient { operands, scale, .. } => {
                operands.iter().for_each(|place| tell(place.slot));
                scale.iter().for_each(|factor| tell(factor.0.slot));
            }
            Action::Reduce { source, .. } | Action::Best { source, .. } | Action::Rows { source, .. } => {
                tell(source.slot);
            }
            Action::StandardizeGradient { operands, gain, .. } => {
                operands.iter().for_each(|place| tell(place.slot));
                gain.iter().for_each(|&(slot, _)| tell(slot));
            }
            Action::Grouped { inputs, read, .. } | Action::Relative { inputs, read, .. } => {
                read.iter().for_each(|place| tell(place.slot));
                let is_apart = |place: &&Place| read.iter().all(|read| read.slot != place.slot);
                inputs.iter().filter(is_apart).for_each(|place| tell(place.slot));
            }
            Action::Append { pieces, .. } => pieces.iter().for_each(|piece| tell(piece.source.slot)),
            Action::Join { pieces, .. } => pieces.iter().for_each(|piece| tell(piece.source.slot)),
            Action::Gather { inputs, .. }
            | Action::Matrix { inputs, .. }
            | Action::Scatter { inputs, .. }
            | Action::Update { inputs, .. }
            | Action::Plain { inputs }
            | Action::Scan { inputs, .. } => {
                inputs.iter().for_each(|place| tell(place.slot));
            }
            Action::Fill(_) => {}
        }
    }
}
