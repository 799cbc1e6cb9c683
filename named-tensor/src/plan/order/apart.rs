//! Which contractions go into the products of those that need them.
//!
//! One that a single contraction needs always does. One that several need is there once if it stays: so each of these
//! products is weighed with it and without, and it goes into all of them where that is less together. `A ⊙ B ⊙ C` and its
//! gradients need `A ⊙ B` twice; where that is much larger than all three, nobody has to compute it. So are sums weighed that are
//! larger than all they are made of, whose terms then are products of their own (`terms`).
//! Beside a softmax of scores nothing is taken apart, so that attention and what it owes stay what they are (`attention`).
//! Not here: orders and what they cost (`order`).

use smallvec::{SmallVec, smallvec};

use super::node::{grows, is_plain};
use super::positions::is_hot;
use super::terms::{Terms, adds, is_sum};
use super::{ALONE, WORTH, summed};
use crate::axis::Name;
use crate::graph::Op;
use crate::graph::op::Whole;
use crate::plan::key::{Trace, narrow};
use crate::plan::weighed;

/// For each node, whether it is a contraction that goes into all products of those that need it.
pub(super) fn goes_in(trace: &Trace<'_>, uses: &[u32]) -> Vec<bool> {
    let size = narrow(trace.size());
    let is_summed: Vec<bool> = (0..size).map(|number| summed(trace, number).is_some()).collect();
    let is_linear: Vec<bool> = (0..size).map(|number| is_summed[number as usize] || is_sum(trace, number)).collect();
    // A contraction with one user that is none is never looked at as an input of one.
    let mut goes_in: Vec<bool> = (0..trace.size()).map(|i| is_summed[i] && uses[i] == 1).collect();
    let (mut contracted, mut added) = (vec![0; trace.size()], vec![0; trace.size()]);
    for number in 0..size {
        let of = if is_summed[number as usize] { &mut contracted } else { &mut added };
        if is_linear[number as usize] {
            trace.inputs(number).iter().for_each(|&input| of[input as usize] += 1);
        }
    }
    let is_taken_apart = |&number: &u32| {
        let at = number as usize;
        // A sum that is needed elsewhere as well stays there, and may be made on the way there.
        let is_inner = contracted[at] + added[at] == uses[at];
        if is_summed[at] { uses[at] > 1 && is_inner } else { is_linear[at] && contracted[at] > 0 && added[at] == 0 }
    };
    let shared: SmallVec<[u32; 8]> = (0..size).filter(is_taken_apart).collect();
    if shared.is_empty() {
        return goes_in;
    }
    let among = Among::of(trace, &is_linear, uses, |at| contracted[at] + added[at] == uses[at]);
    // What has gone in already may make it worth for another one.
    for _ in 0..ROUNDS {
        let mut went_in = false;
        for &number in &shared {
            went_in |= !goes_in[number as usize] && among.go_in(trace, &mut goes_in, number);
        }
        if !went_in {
            break;
        }
    }
    goes_in
}

/// Multiplications that are not worth the steps that may be more.
const LITTLE: f64 = if cfg!(test) { 0.0 } else { 20_000.0 };
/// So often all that may go in are weighed.
const ROUNDS: usize = 2;
/// What more than so many need stays: each of their products would be weighed, twice.
const USERS: usize = 12;
/// What more than so many need together stays.
const TOGETHER: usize = 32;
/// A sum of more operations stays.
const OPERATIONS: usize = 24;

/// The contractions and sums of a graph among each other.
struct Among {
    /// Of each, those that need it.
    users: Vec<SmallVec<[u32; 2]>>,
    /// Axes of some softmax of scores.
    softened: SmallVec<[Name; 4]>,
    /// Whether it is a sum, is needed by others alone, and by one.
    is_sum: Vec<bool>,
    is_inner: Vec<bool>,
    is_single: Vec<bool>,
}

/// Whether numbers are the scores of queries and keys, perhaps scaled and masked, and not fewer features than those of which a
/// stored matrix makes them.
fn is_of_scores(trace: &Trace<'_>, of: u32) -> bool {
    let all = trace.node(of).shape().elements();
    let mut open: SmallVec<[u32; 8]> = smallvec![of];
    for _ in 0..OPERATIONS {
        let Some(number) = open.pop() else { break };
        match trace.node(number).op() {
            Op::Contract(_) => {
                let is_more = |&input: &u32| !weighed::is_less(all, trace.node(input).shape().elements());
                let is_leaf = |&&input: &&u32| trace.inputs(input).is_empty();
                let inputs = trace.inputs(number);
                if inputs.iter().all(is_more) || inputs.iter().filter(is_leaf).count() != 1 {
                    return true;
                }
            }
            Op::Unary(_) | Op::Binary(_) | Op::Select | Op::Rename | Op::Cast => {
                open.extend_from_slice(trace.inputs(number));
            }
            _ => {}
        }
    }
    !open.is_empty()
}

/// Whether what a product or a sum needs is far smaller than that, and is a sum of its own that only this needs.
fn is_kept(trace: &Trace<'_>, goes_in: &[bool], input: u32, of: u32) -> bool {
    let elements = |number: u32| trace.node(number).shape().elements();
    let is_small = weighed::is_less(elements(input), elements(of));
    let mut open: SmallVec<[u32; 8]> = smallvec![input];
    for _ in 0..OPERATIONS {
        let Some(number) = open.pop().filter(|_| is_small) else { break };
        match summed(trace, number) {
            _ if !goes_in[number as usize] => {}
            Some([]) => open.extend_from_slice(trace.inputs(number)),
            axes => return axes.is_some(),
        }
    }
    false
}

/// What a product is made of that is kept.
fn kept(trace: &Trace<'_>, goes_in: &[bool], product: u32) -> SmallVec<[u32; 2]> {
    let mut kept = SmallVec::new();
    let mut open: SmallVec<[u32; 8]> = smallvec![product];
    for _ in 0..OPERATIONS {
        let Some(number) = open.pop() else { break };
        for &input in trace.inputs(number).iter().filter(|&&input| goes_in[input as usize]) {
            if is_kept(trace, goes_in, input, product) {
                kept.push(input);
            } else if summed(trace, input).is_some_and(<[Name]>::is_empty) {
                open.push(input);
            }
        }
    }
    kept
}

/// Whether a product or a contraction is larger than each of its factors.
fn is_grown(trace: &Trace<'_>, goes_in: &[bool], number: u32) -> bool {
    let elements = |number: u32| trace.node(number).shape().elements();
    let is_larger = |&input: &u32| weighed::is_less(elements(input), elements(number));
    trace.inputs(number).iter().all(is_larger) || grows(trace, goes_in, number)
}

/// What several products need that goes into them together with something.
#[derive(Clone, Copy, PartialEq)]
enum With {
    None,
    /// The products that it is in.
    Above,
    /// These, and what else is multiplied there.
    Beside,
    /// None, and contractions of it stay: of two that meet each has its own terms.
    Apart,
}

/// What goes into products together.
#[derive(Default)]
struct Group {
    all: SmallVec<[u32; 4]>,
    /// What is far smaller than it all and is a sum of its own: it is made once, and goes into nothing.
    kept: SmallVec<[u32; 2]>,
    /// What is made if it stays, besides a sum.
    made: SmallVec<[u32; 8]>,
}

impl Among {
    fn of(trace: &Trace<'_>, is_linear: &[bool], uses: &[u32], is_inner: impl Fn(usize) -> bool) -> Among {
        let mut among = Among {
            users: vec![SmallVec::new(); trace.size()],
            softened: SmallVec::new(),
            is_sum: (0..narrow(trace.size())).map(|number| is_sum(trace, number)).collect(),
            is_inner: (0..trace.size()).map(|i| is_linear[i] && is_inner(i)).collect(),
            is_single: uses.iter().map(|&uses| uses == 1).collect(),
        };
        for number in 0..narrow(trace.size()) {
            if is_linear[number as usize] {
                trace.inputs(number).iter().for_each(|&input| among.users[input as usize].push(number));
            }
            if let (Op::Softmax { axes, .. }, &[of]) = (trace.node(number).op(), trace.inputs(number))
                && is_of_scores(trace, of)
            {
                among.softened.extend(axes.iter().copied());
            }
        }
        trace.written().values().for_each(|(of, whole)| {
            if let Whole::Op(Op::Softmax { axes, .. }) = whole
                && is_of_scores(trace, *of)
            {
                among.softened.extend(axes.iter().copied());
            }
        });
        among
    }

    /// Lets a contraction, or a sum with those that only it needs, go into the products of those that need it, if they take less
    /// together then; if not so, then perhaps with products above it that several need too. Returns whether it does.
    fn go_in(&self, trace: &Trace<'_>, goes_in: &mut [bool], number: u32) -> bool {
        let is_soft = |&input: &u32| self.softened.iter().any(|&axis| trace.node(input).shape().has(axis));
        let mut all = self.users[number as usize].iter().chain([&number]).flat_map(|&product| trace.inputs(product));
        // What is no larger than its factors is gained by itself or not at all.
        let ways = match self.is_sum[number as usize] {
            true => &[With::None, With::Above, With::Beside, With::Apart][..],
            false if is_grown(trace, goes_in, number) => &[With::None, With::Above, With::Beside],
            false => &[With::None],
        };
        let mut tried = SmallVec::new();
        !all.any(is_soft) && ways.iter().any(|&with| self.are_cheaper(trace, goes_in, number, with, &mut tried))
    }

    /// Tries one group, if it is not the one tried before.
    fn are_cheaper(
        &self,
        trace: &Trace<'_>,
        goes_in: &mut [bool],
        number: u32,
        with: With,
        tried: &mut SmallVec<[u32; 4]>,
    ) -> bool {
        let group = if self.is_sum[number as usize] {
            self.sums(trace, goes_in, number, with)
        } else {
            Some(Group { all: smallvec![number], kept: kept(trace, goes_in, number), made: smallvec![number] })
        };
        let Some(mut group) = group else { return false };
        if with == With::Apart {
            let is_contracted =
                |&&user: &&u32| goes_in[user as usize] && summed(trace, user).is_some_and(|axes| !axes.is_empty());
            group.kept.extend(self.users[number as usize].iter().filter(is_contracted).copied());
            if group.kept.is_empty() {
                return false;
            }
        }
        group.kept.iter().for_each(|&one| goes_in[one as usize] = false);
        let is_cheaper = self.is_less_inside(trace, goes_in, &mut group, (with, tried)).unwrap_or(false);
        group.all.iter().for_each(|&one| goes_in[one as usize] = is_cheaper);
        group.kept.iter().for_each(|&one| goes_in[one as usize] = !is_cheaper);
        is_cheaper
    }

    /// Whether all products take less with a group inside; nothing if that cannot be said.
    fn is_less_inside(
        &self,
        trace: &Trace<'_>,
        goes_in: &mut [bool],
        group: &mut Group,
        (with, tried): (With, &mut SmallVec<[u32; 4]>),
    ) -> Option<bool> {
        let number = group.all[0];
        let [ends, above] = self.ends(trace, goes_in, group, with)?;
        let is_alone = with != With::Apart
            && above.is_empty()
            && group.all.iter().all(|&one| one == number || self.is_sum[one as usize]);
        if with != With::None && is_alone || ends.iter().any(|&end| self.is_sum[end as usize]) {
            return None;
        }
        let cost = |goes_in: &[bool], group: &[u32], end: u32| {
            // One that ends with a factor is that of the sum before it.
            let terms = Terms::of(trace, goes_in, end).filter(Terms::are_summed)?;
            // A product that is cut somewhere may not have inside what its parts need.
            let has = |part: &u32| terms.nodes().any(|node| node == *part);
            let is_whole = group.iter().all(|part| has(part) || !self.users[*part as usize].iter().any(has));
            is_whole.then(|| terms.cost(trace))
        };
        let own = |goes_in: &[bool], number| match summed(trace, number)? {
            [] => Terms::of(trace, goes_in, number).map(|terms| terms.written()),
            _ => cost(goes_in, &[], number),
        };
        group.made.extend(above.iter().copied());
        group.all.extend(above);
        if group.all == *tried && with != With::Apart {
            return None;
        }
        tried.clone_from(&group.all);
        let is_inner_sum = self.is_sum[number as usize] && self.is_inner[number as usize];
        let own_of_sum = if is_inner_sum { ALONE * trace.node(number).shape().elements() as f64 } else { 0.0 };
        let own = group.made.iter().map(|&one| own(goes_in, one)).sum::<Option<f64>>()? + own_of_sum;
        let all =
            |goes_in: &[bool], group: &[u32]| ends.iter().map(|&end| cost(goes_in, group, end)).sum::<Option<f64>>();
        let apart = all(goes_in, &[])? + own;
        group.all.iter().for_each(|&one| goes_in[one as usize] = true);
        // Differences that are made on the way elsewhere are so here, if one tensor weighs them.
        if self.is_sum[number as usize] && !self.is_inner[number as usize] {
            goes_in[number as usize] = false;
            let has_few =
                |&end: &u32| Terms::of(trace, goes_in, end).is_some_and(|terms| terms.weigh(trace, number) < 2);
            if ends.iter().all(has_few) {
                return None;
            }
            goes_in[number as usize] = true;
        }
        let inside = all(goes_in, &group.all)?;
        Some(weighed::is_cheaper(inside + LITTLE, WORTH * apart))
    }

    /// A sum, and the sums below it that nobody else needs, if it is larger than all tensors that they are made of but products
    /// that go in too. These are needed by nothing else, or else the products of what needs them are weighed as well.
    fn sums(&self, trace: &Trace<'_>, goes_in: &[bool], root: u32, with: With) -> Option<Group> {
        let mut group = Group { all: smallvec![root], ..Group::default() };
        let (mut seen, mut next): (SmallVec<[u32; 16]>, usize) = (smallvec![root], 0);
        let mut beside: SmallVec<[u32; 4]> = SmallVec::new();
        let is_of = |seen: &[u32], product: u32| {
            let at = product as usize;
            let is_product = summed(trace, product).is_some();
            let is_inner = self.is_inner[at]
                && (matches!(with, With::Above | With::Beside)
                    || self.users[at].iter().all(|user| seen.contains(user)));
            is_inner && is_product && is_grown(trace, goes_in, product)
        };
        loop {
            let Some(&number) = seen.get(next).filter(|_| seen.len() <= OPERATIONS) else {
                let Some(at) = beside.iter().position(|&product| is_of(&seen, product)) else { break };
                let product = beside.swap_remove(at);
                group.made.push(product);
                group.all.push(product);
                seen.push(product);
                continue;
            };
            next += 1;
            for &input in trace.inputs(number) {
                let elements = |number: u32| trace.node(number).shape().elements();
                let is_small = weighed::is_less(elements(input), elements(root));
                if self.is_sum[input as usize] && self.is_single[input as usize] && !is_small {
                    group.all.push(input);
                    seen.push(input);
                } else if is_kept(trace, goes_in, input, root) {
                    group.kept.push(input);
                } else if goes_in[input as usize] && !self.is_sum[input as usize] {
                    // What a sum adds is made for it.
                    if self.is_sum[number as usize] {
                        group.made.push(input);
                    }
                    seen.push(input);
                } else if !is_small && !is_hot(trace, input) && !beside.contains(&input) && !seen.contains(&input) {
                    beside.push(input);
                }
            }
        }
        // What is as large as the sum stays a factor, where a product that is added to it would have to be made. What is left
        // when one is taken from it may be far smaller than both.
        let is_made = |&product: &u32| {
            summed(trace, product).is_some_and(|axes| !axes.is_empty()) && is_grown(trace, goes_in, product)
                || trace.inputs(product).iter().any(|&input| is_hot(trace, input))
        };
        let are_added = || group.all.iter().all(|&one| !self.is_sum[one as usize] || adds(trace, one));
        let is_fit = beside.is_empty() || are_added() && seen.iter().any(is_made);
        (next == seen.len() && is_fit).then_some(group)
    }

    /// Where the products end that these contractions go into, and what of those above that are to go in as well does not yet;
    /// none if those are many.
    fn ends(&self, trace: &Trace<'_>, goes_in: &[bool], group: &Group, with: With) -> Option<[SmallVec<[u32; 4]>; 2]> {
        let (mut ends, mut above): (SmallVec<[u32; 4]>, SmallVec<[u32; 4]>) = Default::default();
        let of = &group.all;
        let is_product = |other: u32| summed(trace, other).is_some_and(<[Name]>::is_empty);
        let may_go = |other: u32| matches!(with, With::Above | With::Beside) && !group.kept.contains(&other);
        let is_above = |other: u32| may_go(other) && self.is_inner[other as usize] && is_product(other);
        let (mut seen, mut next): (SmallVec<[u32; 16]>, usize) = (SmallVec::new(), 0);
        let see = |seen: &mut SmallVec<[u32; 16]>, users: &[u32]| {
            for &user in users.iter().take(USERS + 1) {
                if !seen.contains(&user) && !of.contains(&user) {
                    seen.push(user);
                }
            }
            users.len() <= USERS && seen.len() <= TOGETHER
        };
        let mut are_few = of.iter().all(|&one| see(&mut seen, &self.users[one as usize]));
        while let (true, Some(&number)) = (are_few, seen.get(next)) {
            next += 1;
            let users = &self.users[number as usize];
            // What is multiplied by it goes in with it.
            for &input in trace.inputs(number) {
                let is_there = goes_in[input as usize] || of.contains(&input) || above.contains(&input);
                if with == With::Beside && is_above(input) && !is_there && !is_plain(trace, goes_in, input) {
                    above.push(input);
                    are_few &= see(&mut seen, &self.users[input as usize]);
                }
            }
            let go_on = |&user: &u32| goes_in[user as usize] || of.contains(&user) || !self.is_sum[user as usize];
            let is_inner = self.is_inner[number as usize] && users.iter().all(go_on);
            if is_inner && (goes_in[number as usize] || is_above(number)) {
                are_few &= see(&mut seen, users);
                if !goes_in[number as usize] && !above.contains(&number) {
                    above.push(number);
                }
            } else {
                ends.push(number);
            }
        }
        are_few.then_some([ends, above])
    }
}
