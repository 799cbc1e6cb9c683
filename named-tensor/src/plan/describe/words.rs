//! What a step does, in words.
//!
//! A step stands for a node, and may be a part of what it takes to compute that: a sum of one factor, an inverse, a guard of
//! what is not read. So the words are those of what is done, and those of the node where both are one. Lives here: these words.
//! Not here: the numbers beside them (`describe`).

use std::collections::HashSet;

use super::Page;
use crate::graph::Op;
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::kernel::map::Program;
use crate::plan::schedule::{Action, RowFunction, Schedule, Step};

/// For each step whether the numbers of its node are there after it: later ones do not belong to that.
pub(super) fn ends(schedule: &Schedule) -> Vec<bool> {
    let mut known = HashSet::new();
    let mut ends: Vec<bool> = schedule.steps.iter().rev().map(|step| known.insert(step.node)).collect();
    ends.reverse();
    ends
}

/// The words of a program.
fn words(program: &Program) -> impl Iterator<Item = String> + '_ {
    program.words().map(str::to_owned)
}

/// What is done one after the other.
fn listed(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

impl Page<'_, '_> {
    /// What a step does, and then its tail.
    pub(super) fn what(&self, step: &Step, is_end: bool) -> String {
        let tail = step.tail.iter().flat_map(|tail| words(&tail.program));
        listed([self.does(step, is_end)].into_iter().chain(tail))
    }

    fn does(&self, step: &Step, is_end: bool) -> String {
        let op = self.trace.node(step.node).op();
        let word = match &step.action {
            Action::Map { program, .. } => return listed(words(program)),
            Action::Reduce { reduction, .. } => return self.reduces(*reduction, step, is_end),
            Action::ReduceComputed { reduction, program, .. } => {
                return listed(words(program).chain([self.reduces(*reduction, step, is_end)]));
            }
            Action::Join { pieces, around: None } if pieces.len() == 1 => "copy",
            Action::Join { around: Some(_), .. } => "pad",
            Action::Join { .. } if matches!(op, Op::Binary(_)) => "concat",
            Action::Append { .. } => "append",
            Action::Product { .. } => "dot",
            Action::Attention { .. } => "attention",
            Action::AttentionGradient { .. } => "attention gradient",
            Action::Rows { function: RowFunction::Standardize { .. }, .. } => "standardize",
            Action::Rows { function: RowFunction::Softmax { log: true }, .. } => "log_softmax",
            Action::Rows { function: RowFunction::Softmax { log: false }, .. } => "softmax",
            Action::Rows { function: RowFunction::LogSum, .. } => "log sum exp",
            Action::StandardizeGradient { .. } => "standardize gradient",
            Action::Best { largest, .. } => {
                if *largest {
                    "argmax"
                } else {
                    "argmin"
                }
            }
            Action::Rows { function: RowFunction::Sort { descending }, row, wanted, .. } if wanted < row => {
                if *descending {
                    "maxk"
                } else {
                    "mink"
                }
            }
            Action::Rows { function: RowFunction::ArgSort { descending }, row, wanted, .. } if wanted < row => {
                if *descending {
                    "argmaxk"
                } else {
                    "argmink"
                }
            }
            // What is read at positions may be a product with ones and zeros, or a guard that counts what is read.
            Action::Gather { .. } if !matches!(op, Op::Gather(_) | Op::DynamicSlice(_)) => "index",
            Action::Scatter { .. } => "scatter_add",
            _ => op.name(),
        };
        word.to_owned()
    }

    /// `sum_{height, width}`, where these are the axes of the node.
    fn reduces(&self, reduction: Reduction, step: &Step, is_end: bool) -> String {
        let name = reduction.name();
        match self.reduced(step, is_end).map(|axes| axes.iter().map(|axis| axis.text()).collect::<Vec<_>>()) {
            Some(axes) if axes.len() == 1 => format!("{name}_{}", axes[0]),
            Some(axes) => format!("{name}_{{{}}}", axes.join(", ")),
            None => name.to_owned(),
        }
    }

    /// The axes that a step reduces, if they are those of its node.
    fn reduced(&self, step: &Step, is_end: bool) -> Option<&Names> {
        let node = self.trace.node(step.node);
        let (Op::Reduce(_, axes) | Op::Contract(axes)) = node.op() else { return None };
        let size = |&axis| node.inputs().iter().find_map(|input| input.shape().size(axis));
        let all: usize = axes.iter().filter_map(size).product();
        (is_end && all == over(&step.action)?.iter().product::<usize>()).then_some(axes)
    }

    /// ` over 30×20`, where the axes that are reduced have no names in the graph.
    pub(super) fn sizes_reduced(&self, step: &Step, is_end: bool) -> String {
        match over(&step.action) {
            Some(over) if self.reduced(step, is_end).is_none() => {
                let sizes: Vec<String> = over.iter().filter(|&&size| size != 1).map(usize::to_string).collect();
                format!(" over {}", if sizes.is_empty() { "1".to_owned() } else { sizes.join("×") })
            }
            _ => String::new(),
        }
    }
}

/// The sizes of the axes that an action reduces.
fn over(action: &Action) -> Option<&[usize]> {
    match action {
        Action::Reduce { over, .. } => Some(over),
        Action::ReduceComputed { sizes, over: [from, to], .. } => sizes.get(usize::from(*from)..usize::from(*to)),
        _ => None,
    }
}
