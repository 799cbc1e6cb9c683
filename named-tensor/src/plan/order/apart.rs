//! Which contractions go into the products of those that need them.
//!
//! One that a single contraction needs always does. One that several need is there once if it stays: so each of these
//! products is weighed with it and without, and it goes into all of them where that is less together. `A ⊙ B ⊙ C` and its
//! gradients need `A ⊙ B` twice; where that is much larger than all three, nobody has to compute it.
//! Beside a softmax nothing is taken apart, so that attention and what it owes stay what they are (`attention`).
//! Not here: orders and what they cost (`order`).

use smallvec::SmallVec;

use super::{Product, WORTH, summed};
use crate::axis::Name;
use crate::graph::Op;
use crate::graph::op::Whole;
use crate::plan::key::{Trace, narrow};
use crate::plan::weighed;

/// For each node, whether it is a contraction that goes into all products of those that need it.
pub(super) fn goes_in(trace: &Trace<'_>, uses: &[u32]) -> Vec<bool> {
    let size = narrow(trace.size());
    let is_summed: Vec<bool> = (0..size).map(|number| summed(trace, number).is_some()).collect();
    // A contraction with one user that is none is never looked at as an input of one.
    let mut goes_in: Vec<bool> = (0..trace.size()).map(|i| is_summed[i] && uses[i] == 1).collect();
    let mut contracted = vec![0; trace.size()];
    let contractions = || (0..size).filter(|&number| is_summed[number as usize]);
    for number in contractions() {
        trace.inputs(number).iter().for_each(|&input| contracted[input as usize] += 1);
    }
    let is_shared = |&number: &u32| uses[number as usize] > 1 && contracted[number as usize] == uses[number as usize];
    let shared: SmallVec<[u32; 8]> = contractions().filter(is_shared).collect();
    if shared.is_empty() {
        return goes_in;
    }
    let among = Among::of(trace, &is_summed, &contracted, uses);
    // What has gone in already may make it worth for another one.
    for _ in 0..ROUNDS {
        let mut went_in = false;
        for &number in &shared {
            if !goes_in[number as usize] && among.is_cheaper(trace, &mut goes_in, number) {
                goes_in[number as usize] = true;
                went_in = true;
            }
        }
        if !went_in {
            break;
        }
    }
    goes_in
}

/// So often all that may go in are weighed.
const ROUNDS: usize = 2;
/// What more than so many need stays: each of their products would be weighed, twice.
const USERS: usize = 12;

/// The contractions of a graph among each other.
struct Among {
    /// Of each contraction, those that need it.
    users: Vec<SmallVec<[u32; 2]>>,
    /// Axes of some softmax.
    softened: SmallVec<[Name; 4]>,
    /// Whether a contraction is needed by others alone.
    is_inner: Vec<bool>,
}

impl Among {
    fn of(trace: &Trace<'_>, is_summed: &[bool], contracted: &[u32], uses: &[u32]) -> Among {
        let mut among = Among {
            users: vec![SmallVec::new(); trace.size()],
            softened: SmallVec::new(),
            is_inner: (0..trace.size()).map(|i| is_summed[i] && uses[i] == contracted[i]).collect(),
        };
        for number in 0..narrow(trace.size()) {
            if is_summed[number as usize] {
                trace.inputs(number).iter().for_each(|&input| among.users[input as usize].push(number));
            }
            if let Op::Softmax { axes, .. } = trace.node(number).op() {
                among.softened.extend(axes.iter().copied());
            }
        }
        trace.written().values().for_each(|(_, whole)| {
            if let Whole::Op(Op::Softmax { axes, .. }) = whole {
                among.softened.extend(axes.iter().copied());
            }
        });
        among
    }

    /// Whether the products of those that need a contraction take less together when it goes into each of them.
    fn is_cheaper(&self, trace: &Trace<'_>, goes_in: &mut [bool], number: u32) -> bool {
        let users = &self.users[number as usize];
        let is_soft = |&input: &u32| self.softened.iter().any(|&axis| trace.node(input).shape().has(axis));
        if users.iter().chain([&number]).flat_map(|&product| trace.inputs(product)).any(is_soft) {
            return false;
        }
        let Some(ends) = self.ends(goes_in, users) else { return false };
        let cost = |goes_in: &[bool], end: u32| {
            // One that ends with a factor is that of the sum before it.
            let product = Product::with(trace, goes_in, end).filter(|product| !product.summed.is_empty())?;
            let cheaper = product.has_orders(trace).then(|| product.cheaper()).flatten();
            // A product that is cut somewhere may not have it inside.
            let is_there = product.nodes().any(|node| node == number) || !goes_in[number as usize];
            is_there.then(|| cheaper.map_or(product.cost, |(least, _)| least))
        };
        let all = |goes_in: &[bool], ends: &[u32]| ends.iter().map(|&end| cost(goes_in, end)).sum::<Option<f64>>();
        let own = match summed(trace, number) {
            Some([]) => Product::with(trace, goes_in, number).map(|product| product.cost),
            _ => cost(goes_in, number),
        };
        let apart = all(goes_in, &ends).zip(own).map(|(others, own)| others + own);
        goes_in[number as usize] = true;
        let inside = all(goes_in, &ends);
        goes_in[number as usize] = false;
        inside.zip(apart).is_some_and(|(inside, apart)| weighed::is_cheaper(inside, WORTH * apart))
    }

    /// Where the products end that these contractions go into; none if those are many.
    fn ends(&self, goes_in: &[bool], users: &[u32]) -> Option<SmallVec<[u32; 4]>> {
        let mut ends: SmallVec<[u32; 4]> = SmallVec::new();
        let (mut seen, mut next): (SmallVec<[u32; 16]>, usize) = (SmallVec::new(), 0);
        let see = |seen: &mut SmallVec<[u32; 16]>, users: &[u32]| {
            for &user in users.iter().take(USERS + 1) {
                if !seen.contains(&user) {
                    seen.push(user);
                }
            }
            users.len() <= USERS && seen.len() <= USERS
        };
        let mut are_few = see(&mut seen, users);
        while let (true, Some(&number)) = (are_few, seen.get(next)) {
            next += 1;
            if self.is_inner[number as usize] && goes_in[number as usize] {
                are_few = see(&mut seen, &self.users[number as usize]);
            } else {
                ends.push(number);
            }
        }
        are_few.then_some(ends)
    }
}
