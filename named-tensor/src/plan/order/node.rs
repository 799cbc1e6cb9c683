//! What a node multiplies: its factors, and whether it is larger than they are.
//!
//! Not here: all factors of a product that is written in several nodes (`product`).

use smallvec::{SmallVec, smallvec};

use super::positions::is_hot;
use super::{LARGEST, terms};
use crate::element::{Binary, Unary};
use crate::graph::Op;
use crate::graph::op::Reduction;
use crate::plan::key::Trace;
use crate::plan::weighed;

/// A divisor has so many times fewer numbers than what it divides, to be inverted.
const FEWER: usize = 4;

/// Whether a node divides by something much smaller.
pub(super) fn has_small_divisor(trace: &Trace<'_>, number: u32) -> bool {
    let &[_, by] = trace.inputs(number) else { return false };
    let [all, by] = [number, by].map(|number| trace.node(number).shape().elements());
    !weighed::is_less(all, by.saturating_mul(FEWER))
}

/// Whether a node is the square of a product, whose factors it has twice. A quotient may be in range where its squares are not.
pub(super) fn is_square(trace: &Trace<'_>, number: u32) -> bool {
    let is_two = |of: u32| matches!(trace.node(of).op(), Op::Fill(value) if *value == 2.0);
    match (trace.node(number).op(), trace.inputs(number)) {
        (Op::Binary(Binary::Pow), &[base, exponent]) => {
            is_two(exponent) && !divides(trace, base) && multiplied(trace, base).is_some()
        }
        _ => false,
    }
}

/// Whether a node divides.
pub(super) fn divides(trace: &Trace<'_>, number: u32) -> bool {
    matches!(trace.node(number).op(), Op::Binary(Binary::Div))
}

/// What a node multiplies.
pub(super) fn factors(trace: &Trace<'_>, number: u32) -> SmallVec<[u32; 2]> {
    let inputs = trace.inputs(number);
    if is_square(trace, number) { smallvec![inputs[0]; 2] } else { inputs.into() }
}

/// Whether a node multiplies numbers of one of its inputs and no sum is in it that is taken apart: it is no larger than that, and
/// is made once for all terms. That input has not grown out of smaller tensors itself, of which each is a factor then.
pub(super) fn is_plain(trace: &Trace<'_>, goes_in: &[bool], number: u32) -> bool {
    let is_factor = |of: u32| !goes_in[of as usize] || !grows(trace, goes_in, of) && !is_of_small(trace, goes_in, of);
    multiplied(trace, number).is_some_and(|whole| whole.is_some_and(is_factor)) && !has_sum(trace, goes_in, number)
}

/// The input of a product that is as large as itself, if there is one; nothing if the node is no product. Ones at positions are
/// never made.
fn multiplied(trace: &Trace<'_>, number: u32) -> Option<Option<u32>> {
    let elements = |number: u32| trace.node(number).shape().elements();
    let is_product = match trace.node(number).op() {
        Op::Binary(Binary::Mul | Binary::Div) | Op::Unary(Unary::Neg) => true,
        Op::Contract(axes) => axes.is_empty(),
        _ => false,
    };
    let is_whole = |&of: &u32| !weighed::is_less(elements(of), elements(number)) && !is_hot(trace, of);
    is_product.then(|| trace.inputs(number).iter().copied().find(is_whole))
}

/// Whether a product is larger than each of the tensors that it is made of.
pub(super) fn grows(trace: &Trace<'_>, goes_in: &[bool], mut number: u32) -> bool {
    for _ in 0..LARGEST {
        match multiplied(trace, number) {
            Some(Some(whole)) if goes_in[whole as usize] => number = whole,
            other => return other == Some(None),
        }
    }
    false
}

/// Whether a contraction, or the sum of a product, is larger than each of the tensors that it is made of.
fn is_of_small(trace: &Trace<'_>, goes_in: &[bool], number: u32) -> bool {
    contracted(trace, number).is_some_and(|of| of == number || goes_in[of as usize]) && is_of_smaller(trace, number)
}

/// A contraction, or the product of which a node is the sum.
fn contracted(trace: &Trace<'_>, number: u32) -> Option<u32> {
    match (trace.node(number).op(), trace.inputs(number)) {
        (Op::Contract(_), _) => Some(number),
        (Op::Reduce(Reduction::Sum, _), &[of]) => multiplied(trace, of).map(|_| of),
        _ => None,
    }
}

/// Whether what a node contracts is smaller than itself.
fn is_of_smaller(trace: &Trace<'_>, number: u32) -> bool {
    let elements = |number: u32| trace.node(number).shape().elements();
    let is_less = |of: u32| trace.inputs(of).iter().all(|&input| weighed::is_less(elements(input), elements(number)));
    contracted(trace, number).is_some_and(is_less)
}

/// Whether one side of a sum, perhaps scaled, is as large as that and a product of smaller tensors; or ones at positions.
pub(super) fn is_made(trace: &Trace<'_>, side: u32, sum: u32) -> bool {
    let elements = |number: u32| trace.node(number).shape().elements();
    let mut at = Some(side);
    for _ in 0..LARGEST {
        let Some(number) = at.filter(|&number| trace.value(number).is_none()) else { break };
        if is_hot(trace, number) {
            return true;
        }
        if weighed::is_less(elements(number), elements(sum)) {
            break;
        }
        at = match (multiplied(trace, number), trace.node(number).op()) {
            _ if is_of_smaller(trace, number) => return true,
            (Some(None), _) => return true,
            (Some(whole), _) => whole,
            (None, Op::Rename) => trace.inputs(number).first().copied(),
            _ => None,
        };
    }
    false
}

/// Whether there is a sum that is taken apart in what goes into a node.
fn has_sum(trace: &Trace<'_>, goes_in: &[bool], number: u32) -> bool {
    let mut open: SmallVec<[u32; 16]> = smallvec![number];
    let mut next = 0;
    while let Some(&number) = open.get(next) {
        let goes_in = |&&of: &&u32| goes_in[of as usize];
        if next > 0 && terms::is_sum(trace, number) || open.len() > 2 * LARGEST {
            return true;
        }
        open.extend(trace.inputs(number).iter().filter(goes_in).copied());
        next += 1;
    }
    false
}
