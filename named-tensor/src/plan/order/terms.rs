//! Sums of products: `Σ_k p · (q + r)` is `Σ_k p · q + Σ_k p · r`.
//!
//! Where a sum is far larger than all that it is made of, as that of all rows with all others is, its terms are contractions of
//! small tensors. So a product is one product for each side of the sums within it, each in an order of its own. Of two sums that
//! are multiplied one stays a factor, and of a sum that meets itself no terms are taken at all: `Σ_k (q + r)²` stays a sum of
//! squares. A difference of numbers that are there, `x_j - x_i`, is exact where both are close, as points far from the origin are,
//! and has no terms: `Σ_j w (x_j - x_i)` would be lost in `Σ_j w x_j - x_i Σ_j w`. One of products has, as `Σ_k p q - Σ_k u v`:
//! each of its numbers is rounded as much as its terms round off.
//! Not here: whether terms are less together (`apart`), and the order of each (`order`).

use smallvec::{SmallVec, smallvec};

use super::node;
use super::product::{Factor, How, Product, Sided};
use super::{ALONE, Does, Operand, Pair};
use crate::element::{Binary, Unary};
use crate::graph::shape::Names;
use crate::graph::{Op, Shape};
use crate::plan::LARGEST_RANK;
use crate::plan::key::Trace;

/// Products that have more terms stay one.
const LARGEST: usize = 8;

/// A product, or a sum of products.
pub(super) struct Terms {
    list: SmallVec<[Box<Product>; 1]>,
    shape: Shape,
}

/// Whether a node adds numbers, or is a difference of which one side is a product of smaller tensors.
pub(super) fn is_sum(trace: &Trace<'_>, number: u32) -> bool {
    let node = trace.node(number);
    let has_made = || trace.inputs(number).iter().any(|&side| node::is_made(trace, side, number));
    let is_one = adds(trace, number) || matches!(node.op(), Op::Binary(Binary::Add | Binary::Sub)) && has_made();
    is_one && trace.value(number).is_none() && node.kind().is_real()
}

/// Whether a node adds numbers of which none is written with a minus.
pub(super) fn adds(trace: &Trace<'_>, number: u32) -> bool {
    let is_added = matches!(trace.node(number).op(), Op::Binary(Binary::Add));
    is_added && !trace.inputs(number).iter().any(|&side| is_negative(trace, side))
}

/// Whether a side of a sum is written with a minus.
fn is_negative(trace: &Trace<'_>, side: u32) -> bool {
    let is_below = |&input: &u32| matches!(trace.node(input).op(), Op::Fill(value) if *value < 0.0);
    match (trace.node(side).op(), trace.inputs(side)) {
        (Op::Unary(Unary::Neg), _) => true,
        (Op::Binary(Binary::Mul | Binary::Div), inputs) => inputs.iter().any(is_below),
        (Op::Rename, &[of]) => is_negative(trace, of),
        _ => false,
    }
}

/// Whether a node is computed from a sum place by place.
pub(super) fn is_of(trace: &Trace<'_>, node: u32, sum: u32) -> bool {
    const MOST: usize = 64;
    let mut open: SmallVec<[u32; 16]> = smallvec![node];
    let mut next = 0;
    while let Some(&number) = open.get(next) {
        if are_same(trace, [sum, number]) || open.len() > MOST {
            return true;
        }
        let is_elementwise = match trace.node(number).op() {
            _ if trace.value(number).is_some() => false,
            Op::Contract(axes) => axes.is_empty(),
            Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Select | Op::Cast => true,
            _ => false,
        };
        for input in trace.inputs(number) {
            if is_elementwise && !open.contains(input) {
                open.push(*input);
            }
        }
        next += 1;
    }
    false
}

/// Operations in which two nodes are seen to be computed alike.
const DEEPEST: usize = 6;

/// Whether two nodes have the same numbers because they are computed alike, in a few operations.
fn are_same(trace: &Trace<'_>, nodes: [u32; 2]) -> bool {
    are_same_within(DEEPEST, trace, nodes)
}

fn are_same_within(deep: usize, trace: &Trace<'_>, [left, right]: [u32; 2]) -> bool {
    let of = |number: u32| (trace.inputs(number), trace.words(number));
    let ((one, words), (other, others)) = (of(left), of(right));
    let is_one = deep > 0 && !one.is_empty() && one.len() == other.len() && words == others;
    left == right || is_one && one.iter().zip(other).all(|(&x, &y)| are_same_within(deep - 1, trace, [x, y]))
}

impl Terms {
    /// The terms of what ends with this node, where all contractions and sums are taken apart that go into others. What is read at
    /// positions of which a product sums some axes and keeps others is a factor as it is, as neighbours of a node are. So is all
    /// of it where an axis that is summed within has the name of one outside.
    pub(super) fn of(trace: &Trace<'_>, goes_in: &[bool], root: u32) -> Option<Terms> {
        let of = |reads, renames| Terms::taken_apart(trace, goes_in, root, reads, renames);
        let are = |terms: &Terms, is_one: fn(&Product) -> bool| terms.list.iter().all(|product| is_one(product));
        let mut terms = of(true, false)?;
        if !are(&terms, Product::has_fit_positions) {
            terms = of(false, false)?;
        }
        if !are(&terms, Product::is_sound) {
            terms = of(false, true)?;
        }
        terms.if_fit()
    }

    /// A single product may be unfit: it has no other orders then.
    fn if_fit(self) -> Option<Terms> {
        let are_fit = || self.shape.rank() <= LARGEST_RANK && self.list.iter().all(|product| product.is_fit());
        (self.list.len() == 1 || are_fit()).then_some(self)
    }

    /// What is read at positions is taken apart too, or it is a factor.
    fn taken_apart(trace: &Trace<'_>, goes_in: &[bool], root: u32, reads: bool, renames: bool) -> Option<Terms> {
        let mut list: SmallVec<[Box<Product>; 1]> = SmallVec::new();
        let mut open: SmallVec<[SmallVec<[usize; 4]>; 1]> = smallvec![SmallVec::new()];
        while let Some(mut sides) = open.pop() {
            match Product::with(trace, goes_in, root, How { sides: &sides, reads, renames })? {
                Sided::Product(product) => list.push(product),
                Sided::Sum if list.len() + open.len() + 2 > LARGEST => return None,
                Sided::Sum => {
                    let mut first = sides.clone();
                    first.push(0);
                    sides.push(1);
                    open.extend([sides, first]);
                }
            }
        }
        Some(Terms { list, shape: trace.node(root).shape().clone() })
    }

    /// The nodes that they are written with.
    pub(super) fn nodes(&self) -> impl Iterator<Item = u32> {
        self.list.iter().flat_map(|product| product.nodes().chain(product.opened.iter().copied()))
    }

    /// Whether they may be less in another order, or are several.
    pub(super) fn have_orders(&self, trace: &Trace<'_>) -> bool {
        self.list.len() > 1 || self.list.iter().all(|product| product.has_orders(trace))
    }

    /// Whether something is summed in the end.
    pub(super) fn are_summed(&self) -> bool {
        self.list.iter().all(|product| !product.summed.is_empty())
    }

    /// By how many tensors one of a single product is multiplied, numbers apart; by many if there are several products.
    pub(super) fn weigh(&self, trace: &Trace<'_>, node: u32) -> usize {
        let [product] = &self.list[..] else { return usize::MAX };
        let is_one = |factor: &&Factor| factor.node != node && trace.node(factor.node).shape().rank() > 0;
        product.operands.iter().filter(is_one).count()
    }

    /// The multiplications of the graph's own orders.
    pub(super) fn written(&self) -> f64 {
        self.list.iter().map(|product| product.cost).sum()
    }

    /// The multiplications of the best orders.
    pub(super) fn cost(&self, trace: &Trace<'_>) -> f64 {
        match &self.list[..] {
            [product] => {
                let cheaper = product.has_orders(trace).then(|| product.cheaper()).flatten();
                cheaper.map_or(product.cost, |(least, _)| least)
            }
            all => {
                let added =
                    (all.len() - 1) as f64 * ALONE * self.shape.sizes().map(|size| size as f64).product::<f64>();
                all.iter().map(|product| product.least().0).sum::<f64>() + added
            }
        }
    }

    /// The pairs of the best orders, if they are worth leaving that of the graph.
    pub(super) fn best(&self) -> Option<Vec<Pair>> {
        let mut pairs = Vec::new();
        let mut all: SmallVec<[(Operand, Shape, bool); 4]> = SmallVec::new();
        for product in &self.list {
            let (least, parts) = if self.list.len() == 1 { product.only()? } else { product.least() };
            if !least.is_finite() {
                return None;
            }
            let operand = product.pairs(&parts, parts.len() - 1, &mut pairs);
            all.push((operand, product.shape(), product.is_negative));
        }
        // What is added comes first, so that what is subtracted can be.
        all.sort_by_key(|&(.., is_negative)| is_negative);
        let mut all = all.into_iter();
        let (mut left, mut shape, is_negative) = all.next()?;
        if is_negative {
            pairs.push(Pair::alone(left, Does::Negates, Names::new(), shape.clone()));
            left = Operand::Pair(pairs.len() - 1);
        }
        for (right, other, is_negative) in all {
            let more = other.iter().filter(|&(name, _)| !shape.has(name));
            shape = Shape::new(shape.iter().chain(more));
            let does = if is_negative { Does::Subtracts } else { Does::Adds };
            let right = Some(right);
            pairs.push(Pair { right, ..Pair::alone(left, does, Names::new(), shape.clone()) });
            left = Operand::Pair(pairs.len() - 1);
        }
        Some(pairs)
    }
}
