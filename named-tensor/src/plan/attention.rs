//! Attention and its gradient, found among the items of a plan.
//!
//! Forwards it is  `softmax_positions(queries ⊙_keys keys, scaled, + mask) ⊙_positions values`  with weights that nobody
//! else needs, or with a choice between scores and a number in place of the mask (`masks`). In the graph of a derivative the
//! weights `P` are needed again, as adjoints write it, with the cotangent `g` of the results:
//!
//! ```text
//! dV = P ⊙_rows g        dP = values ⊙_columns g        dS = P * (dP - P ⊙_positions dP), scaled
//! dQ = keys ⊙_positions dS                              dK = queries ⊙_rows dS
//! ```
//!
//! If that is all they are needed for, and they are not few, one step computes those results that are asked for and makes the
//! weights again.
//! Lives here: when items are attention, and that their numbers are then those of one item.
//! Not here: which axes are which in the matrices (`lower::attention`), the loops (`kernel::attention`).

use smallvec::SmallVec;

use super::key::narrow;
use super::simplify::{Item, Items, Scale, Work};
use super::{LARGEST_RANK, weighed, windows};
use crate::axis::Name;
use crate::element::Binary;
use crate::graph::shape::Names;
use crate::graph::{Op, Shape};

/// Up to so many weights of a matrix are stored for the gradient: they stay in a near cache. None in tests, so that they come here
/// too.
const FEW: usize = if cfg!(test) { 0 } else { 64 * 64 };

/// Axes of scores and keys at most: values may bring others, and may share names with keys.
const MOST: usize = LARGEST_RANK - 4;

/// `softmax_positions(queries ⊙_keys keys, scaled, + mask) ⊙_positions values`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attention<'a> {
    pub(super) positions: &'a Names,
    pub(super) keys: &'a Names,
    pub(super) scale: Scale,
    pub(super) masked: bool,
    /// Whether the mask stands instead of scores where it is not 0, and is not added.
    pub(super) instead: bool,
}

/// What queries, keys and values owe when the results of attention are owed something.
#[derive(Clone, Copy, Debug)]
pub(super) struct AttentionGradient<'a> {
    pub(super) of: Attention<'a>,
    /// The items of the three results, as far as they are asked for.
    pub(super) results: [Option<u32>; 3],
}

/// What weights are computed from.
struct Scores<'a> {
    attention: Attention<'a>,
    queries: u32,
    keys: u32,
    /// Scale and mask, if there are any.
    rest: SmallVec<[u32; 2]>,
    /// What holds where scores are taken, if others stand instead of some.
    condition: Option<u32>,
}

/// The items with attention as one item each.
pub(super) fn fused(mut items: Items<'_>) -> Items<'_> {
    let softmax = |item: &Item<'_>| matches!(item.work, Work::Op(Op::Softmax { log: false, .. }));
    let all: Vec<u32> = (0..narrow(items.list.len())).filter(|&i| softmax(items.item(i))).collect();
    if all.is_empty() {
        return items;
    }
    let users = items.users();
    let (mut moved, mut are_in_order) = (false, true);
    for weights in all {
        let found = items.scores(weights).and_then(|scores| Found::new(&items, &users, weights, scores));
        // As long as each stands where its first result does, none reads what is computed from it.
        let is_free = |found: &Found<'_>| are_in_order && found.is_in_order() || !found.is_ring(&items);
        if let Some(found) = found.filter(is_free) {
            are_in_order &= found.is_in_order();
            moved |= items.fuse(weights, found);
        }
    }
    items.count_uses();
    if moved { items.sorted() } else { items }
}

/// Attention, its gradient, or both, with the same weights.
struct Found<'a> {
    scores: Scores<'a>,
    /// The contractions of the weights with values, and these values.
    forward: SmallVec<[(u32, u32); 1]>,
    gradient: Option<Gradient>,
}

struct Gradient {
    values: u32,
    owed: u32,
    results: [Option<u32>; 3],
}

impl<'a> Found<'a> {
    /// All that the weights are needed for, if it is attention.
    fn new(items: &Items<'_>, users: &[SmallVec<[u32; 4]>], weights: u32, scores: Scores<'a>) -> Option<Found<'a>> {
        let mut found = Found { scores, forward: SmallVec::new(), gradient: None };
        let positions = found.scores.attention.positions;
        let only = |item: u32, expected: usize| {
            (users[item as usize].len() == expected && items.uses[item as usize] as usize == expected)
                .then_some(&users[item as usize])
        };
        // The user that multiplies the weights with something elementwise, which the adjoint of softmax does.
        let times = |&&user: &&u32| matches!(items.item(user).work, Work::Op(Op::Binary(Binary::Mul)));
        let product = users[weights as usize].iter().find(times).copied();
        let mut slopes = None;
        if let Some(product) = product {
            let [left, right] = items.two(product);
            let difference = if left == weights { right } else { left };
            only(difference, 1)?;
            let Work::Op(Op::Binary(Binary::Sub)) = items.item(difference).work else { return None };
            let [cotangent, mean] = items.two(difference);
            only(cotangent, 2)?;
            only(mean, 1)?;
            let other = items.summed_with(mean, weights, positions)?;
            let same = same_axes(items.item(cotangent).shape, items.item(weights).shape);
            if other != cotangent || !same {
                return None;
            }
            let Work::Contract(_, Scale::None) = items.item(cotangent).work else { return None };
            let [left, right] = items.two(cotangent);
            let has = |item: u32| positions.iter().all(|&axis| items.item(item).shape.has(axis));
            let (values, owed) = if has(left) { (left, right) } else { (right, left) };
            slopes = Some((product, mean, values, owed));
        }
        // Every other user is a contraction, over positions with values or over rows with what is owed.
        let rows = found.rows(items, weights);
        let mut of_values = None;
        for &user in &users[weights as usize] {
            if slopes.is_some_and(|(product, mean, ..)| user == product || user == mean) {
                continue;
            }
            if let Some(values) = items.summed_with(user, weights, positions) {
                found.forward.push((user, values));
            } else if let (Some(owed), None) = (items.summed_with(user, weights, &rows), of_values) {
                of_values = Some((user, owed));
            } else {
                return None;
            }
        }
        if found.forward.len() > 1 {
            return None;
        }
        only(weights, found.forward.len() + 2 * usize::from(slopes.is_some()) + usize::from(of_values.is_some()))?;
        found.gradient = match (slopes, of_values) {
            (None, None) => None,
            (None, Some((result, owed))) => {
                let &(_, values) = found.forward.first()?;
                Some(Gradient { values, owed, results: [None, None, Some(result)] })
            }
            (Some((product, _, values, owed)), of_values) => {
                if of_values.is_some_and(|(_, other)| other != owed) {
                    return None;
                }
                let mut results = [None, None, of_values.map(|(result, _)| result)];
                let scaled = found.scaled(items, product, |item| only(item, 1).map(|users| users[0]))?;
                if items.uses[scaled as usize] as usize != users[scaled as usize].len() {
                    return None;
                }
                for &user in &users[scaled as usize] {
                    let to = if items.summed_with(user, scaled, positions) == Some(found.scores.keys) {
                        &mut results[0]
                    } else if items.summed_with(user, scaled, &rows) == Some(found.scores.queries) {
                        &mut results[1]
                    } else {
                        return None;
                    };
                    if to.replace(user).is_some() {
                        return None;
                    }
                }
                Some(Gradient { values, owed, results })
            }
        };
        found.is_sound(items, weights, &rows).then_some(found)
    }

    /// Whether what the step of the gradient reads stands before all of its results.
    fn is_in_order(&self) -> bool {
        let Some(Gradient { values, owed, results }) = self.gradient else { return true };
        results.into_iter().flatten().all(|result| values.max(owed) < result)
    }

    /// Whether what it reads is computed from one of its results: values may be, where weights are summed over rows as well.
    fn is_ring(&self, items: &Items<'_>) -> bool {
        let Some(Gradient { values, owed, results }) = self.gradient else { return false };
        let (mut seen, mut next) = (vec![false; items.list.len()], vec![values, owed]);
        while let Some(item) = next.pop() {
            if results.contains(&Some(item)) {
                return true;
            }
            if !std::mem::replace(&mut seen[item as usize], true) {
                next.extend_from_slice(&items.item(item).inputs);
            }
        }
        false
    }

    /// The axes of the weights that the keys do not have.
    fn rows(&self, items: &Items<'_>, weights: u32) -> Names {
        let keys = items.item(self.scores.keys).shape;
        items.item(weights).shape.names().filter(|&name| !keys.has(name)).collect()
    }

    /// The product of the adjoint, scaled as the scores are.
    fn scaled(&self, items: &Items<'_>, mut product: u32, only_user: impl Fn(u32) -> Option<u32>) -> Option<u32> {
        let scale = self.scores.attention.scale;
        if let Some(condition) = self.scores.condition {
            // What stands instead of a score is owed nothing by it.
            let user = only_user(product)?;
            let (Work::Op(Op::Select), &[by, of, zero]) = (&items.item(user).work, &items.item(user).inputs[..]) else {
                return None;
            };
            let is_zero = matches!(items.item(zero).work, Work::Constant(0.0));
            if by != condition || of != product || !is_zero {
                return None;
            }
            product = user;
        }
        if scale == Scale::None {
            return Some(product);
        }
        let user = only_user(product)?;
        let (scalar, same) = match (&items.item(user).work, items.item(user).inputs.as_slice()) {
            (Work::Op(Op::Binary(Binary::Div)), &[x, by]) if x == product => (by, scale == Scale::By),
            (Work::Op(Op::Binary(Binary::Mul)), &[x, y]) => (if x == product { y } else { x }, scale == Scale::Times),
            _ => return None,
        };
        (same && scalar == self.scores.rest[0]).then_some(user)
    }

    /// Whether the axes are those of matrices.
    fn is_sound(&self, items: &Items<'_>, weights: u32, rows: &Names) -> bool {
        let Attention { keys, .. } = self.scores.attention;
        let shape = |item: u32| items.item(item).shape;
        let beside = |name: &Name| !shape(weights).has(*name);
        let fits =
            |values: &Shape| shape(weights).rank() + keys.len() + values.names().filter(beside).count() <= LARGEST_RANK;
        let sound = |gradient: &Gradient| {
            let (values, owed) = (shape(gradient.values), shape(gradient.owed));
            values.elements() > 0
                && is_worth(shape(weights), rows, self.scores.attention.positions)
                && !rows.iter().any(|&axis| values.has(axis))
                && !self.scores.attention.positions.iter().any(|&axis| owed.has(axis))
                && owed.names().filter(beside).all(|axis| values.has(axis))
                && values.names().filter(beside).all(|axis| owed.has(axis))
                && fits(values)
        };
        self.forward.iter().all(|&(_, values)| fits(shape(values))) && self.gradient.as_ref().is_none_or(sound)
    }
}

/// Whether the weights of one matrix are so many that to make them again costs less than to store them.
fn is_worth(weights: &Shape, rows: &Names, positions: &Names) -> bool {
    let sizes = rows.iter().chain(positions).filter_map(|&axis| weights.size(axis));
    weighed::is_less(FEW, sizes.fold(1, usize::saturating_mul))
}

/// Whether there are more positions along these axes than stored tensors have: room for them in panels would be more than
/// there is, where the steps of the graph refuse their results or need none.
fn is_vast(shape: &Shape, axes: &Names) -> bool {
    const VAST: usize = 1 << 28;
    !weighed::is_less(axes.iter().filter_map(|&axis| shape.size(axis)).fold(1, usize::saturating_mul), VAST)
}

/// Whether both have the same axes.
fn same_axes(a: &Shape, b: &Shape) -> bool {
    a.rank() == b.rank() && a.names().all(|name| b.has(name))
}

impl<'a> Items<'a> {
    /// The users of each item that is needed, roots not among them.
    fn users(&self) -> Vec<SmallVec<[u32; 4]>> {
        let mut users: Vec<SmallVec<[u32; 4]>> = self.list.iter().map(|_| SmallVec::new()).collect();
        for (i, item) in self.list.iter().enumerate().filter(|&(i, _)| self.uses[i] > 0) {
            item.inputs.iter().for_each(|&input| users[input as usize].push(narrow(i)));
        }
        users
    }

    /// The first two inputs.
    fn two(&self, item: u32) -> [u32; 2] {
        [self.item(item).inputs[0], self.item(item).inputs[1]]
    }

    /// What `item` is contracted with in `user`, if that is just over these axes.
    fn summed_with(&self, user: u32, item: u32, axes: &[Name]) -> Option<u32> {
        let Work::Contract(summed, Scale::None) = self.item(user).work else { return None };
        let [left, right] = self.two(user);
        let same = summed.len() == axes.len() && summed.iter().all(|axis| axes.contains(axis));
        same.then_some(if left == item { right } else { left })
    }

    /// What the weights of attention are computed from: queries, keys, and scale and mask if there are any.
    fn scores(&self, weights: u32) -> Option<Scores<'a>> {
        let Work::Op(Op::Softmax { axes: positions, .. }) = self.item(weights).work else { return None };
        let once = |number: u32| (self.uses[number as usize] == 1).then(|| self.item(number));
        let mut scores = self.item(weights).inputs[0];
        let mut rest = SmallVec::new();
        let mut mask = None;
        if let Work::Op(Op::Binary(Binary::Add)) = once(scores)?.work {
            let [left, right] = self.two(scores);
            let (product, other) = if self.is_scaled_product(left) { (left, right) } else { (right, left) };
            // A mask that brings axes of its own would be more than a mask.
            if self.item(product).shape.rank() != self.item(scores).shape.rank() {
                return None;
            }
            (scores, mask) = (product, Some(other));
        }
        let chosen = self.chosen(scores);
        if let Some((_, product, others)) = chosen {
            once(scores)?;
            (scores, mask) = (product, Some(others));
        }
        let mut scale = Scale::None;
        if let Some((product, scalar, how)) = self.scaling(scores) {
            once(scores)?;
            scores = product;
            scale = how;
            rest.push(scalar);
        }
        let product = once(scores)?;
        let Work::Contract(keys, Scale::None) = product.work else { return None };
        let [left, right] = self.two(scores);
        let has = |number: u32, axis: &Name| self.item(number).shape.has(*axis);
        let (queries, others) =
            if positions.iter().all(|axis| has(right, axis)) { (left, right) } else { (right, left) };
        if !positions.iter().all(|axis| has(others, axis) && !has(queries, axis))
            || product.shape.elements() == 0
            || keys.iter().any(|&axis| self.item(queries).shape.size(axis) == Some(0))
            || [keys, positions].iter().any(|axes| is_vast(self.item(others).shape, axes))
            || windows::are_inside(self, others, keys)
            || product.shape.rank() + keys.len() > MOST
        {
            return None;
        }
        rest.extend(mask);
        let attention = Attention { positions, keys, scale, masked: mask.is_some(), instead: chosen.is_some() };
        let condition = chosen.map(|(condition, ..)| condition);
        Some(Scores { attention, queries, keys: others, rest, condition })
    }

    /// The condition, the scores and the mask of a choice between them that `masks` has made.
    fn chosen(&self, item: u32) -> Option<(u32, u32, u32)> {
        let choice = self.item(item);
        let (Work::Op(Op::Select), &[condition, scores, others]) = (&choice.work, &choice.inputs[..]) else {
            return None;
        };
        let mask = self.item(others);
        // Both are made of one node: so it is no choice that somebody wrote.
        (matches!(mask.work, Work::Op(Op::Select)) && mask.inputs[0] == condition && mask.node == choice.node)
            .then_some((condition, scores, others))
    }

    /// A contraction times or by a scalar: the contraction, the scalar and which of both.
    fn scaling(&self, item: u32) -> Option<(u32, u32, Scale)> {
        let Work::Op(Op::Binary(function @ (Binary::Mul | Binary::Div))) = self.item(item).work else { return None };
        let [left, right] = self.two(item);
        let is_product = |number: u32| matches!(self.item(number).work, Work::Contract(_, Scale::None));
        let is_scalar = |number: u32| self.item(number).shape.rank() == 0;
        match function {
            _ if is_product(left) && is_scalar(right) => {
                Some((left, right, if *function == Binary::Div { Scale::By } else { Scale::Times }))
            }
            Binary::Mul if is_product(right) && is_scalar(left) => Some((right, left, Scale::Times)),
            _ => None,
        }
    }

    fn is_scaled_product(&self, item: u32) -> bool {
        matches!(self.item(item).work, Work::Contract(..)) || self.scaling(item).is_some()
    }

    /// Makes attention of what was found; returns whether an item may now come before its inputs.
    fn fuse(&mut self, weights: u32, found: Found<'a>) -> bool {
        let Found { scores: Scores { attention, queries, keys, rest, .. }, forward, gradient } = found;
        for (result, values) in forward {
            let item = &mut self.list[result as usize];
            item.inputs = [queries, keys, values].into_iter().chain(rest.iter().copied()).collect();
            item.work = Work::Attention(attention);
        }
        let Some(Gradient { values, owed, results }) = gradient else { return false };
        for result in results.into_iter().flatten() {
            let item = &mut self.list[result as usize];
            item.inputs = SmallVec::from_slice(&[weights]);
            item.work = Work::Share;
        }
        // Nobody needs the weights themselves any more, so their item has room for the step.
        let item = &mut self.list[weights as usize];
        item.inputs = [queries, keys, values, owed].into_iter().chain(rest).collect();
        item.work = Work::AttentionGradient(AttentionGradient { of: attention, results });
        true
    }
}
