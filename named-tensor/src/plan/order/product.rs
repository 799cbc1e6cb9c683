//! A sum over a product of several tensors, as a graph writes it.
//!
//! It is written in contractions, products and sums that go into each other. Between them may stand new names, under which an
//! axis is the one it was, and divisions by something smaller, `Q ⊙ K / sqrt(|key|)`, which multiply by its inverse. An axis that
//! is summed further in is nobody else's, whatever it is called.
//! Not here: which of them go in (`apart`), in which order they are computed (`order`).

use smallvec::SmallVec;

use super::node::{self, is_plain, is_square};
use super::positions::{self, Ones};
use super::scopes::Scopes;
use super::{ALONE, LARGEST, cost, summed, terms};
use crate::axis::Name;
use crate::element::{Binary, Unary};
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::graph::{Op, Shape};
use crate::plan::LARGEST_RANK;
use crate::plan::key::Trace;
use crate::plan::weighed;

/// A tensor that is multiplied, with the names that its axes have in the product.
pub(super) struct Factor {
    pub(super) node: u32,
    pub(super) shape: Shape,
    /// How many of its axes, the last ones, it lacks: it is the same everywhere along them.
    pub(super) lacking: usize,
    pub(super) is_renamed: bool,
    /// Whether it divides.
    pub(super) is_inverse: bool,
}

impl Factor {
    /// Its own axes, as they are called in the product.
    pub(super) fn called(&self) -> Shape {
        Shape::new(self.shape.iter().take(self.shape.rank() - self.lacking))
    }
}

/// A node that the product is written with.
struct Part {
    node: u32,
    /// The part that it is an input of.
    user: usize,
    /// Under which names.
    scope: usize,
    /// Whether it is a square, or a part of one.
    is_squared: bool,
    inputs: SmallVec<[Input; 2]>,
}

#[derive(Clone, Copy)]
enum Input {
    Part(usize),
    Operand(usize),
}

/// A product with one side of each sum, or one that has met one more.
pub(super) enum Sided {
    Product(Box<Product>),
    Sum,
}

/// How a product is written to its end.
#[derive(Clone, Copy)]
pub(super) struct How<'a> {
    /// Which side it has of each sum that it meets, one after the other.
    pub(super) sides: &'a [usize],
    /// Whether what is read at positions goes in too.
    pub(super) reads: bool,
    /// Whether axes that are summed further in have names of their own.
    pub(super) renames: bool,
}

/// A sum over a product of several tensors.
pub(super) struct Product {
    /// What it is written as, users before what they use.
    parts: SmallVec<[Part; 4]>,
    pub(super) operands: SmallVec<[Factor; LARGEST]>,
    /// All axes with their sizes, and which operands have each, as bits.
    pub(super) axes: SmallVec<[(Name, usize, usize); 8]>,
    /// The axes that each part sums, and all of them.
    each: SmallVec<[Names; 4]>,
    pub(super) summed: Names,
    /// The operands that are positions.
    pub(super) ones: SmallVec<[Ones; 2]>,
    /// The sums of which it has one side, outer ones first, and the part that the last of these sides is.
    pub(super) opened: SmallVec<[u32; 2]>,
    side: Option<usize>,
    pub(super) is_negative: bool,
    /// Multiplications in the order that the graph has.
    pub(super) cost: f64,
}

impl Product {
    /// The product that ends with this node, of all contractions that go into others. It is written to an end where it meets no
    /// more sums than it has sides of.
    pub(super) fn with(trace: &Trace<'_>, goes_in: &[bool], root: u32, how: How<'_>) -> Option<Sided> {
        let mut product = Product {
            parts: SmallVec::new(),
            operands: SmallVec::new(),
            axes: SmallVec::new(),
            each: SmallVec::new(),
            summed: Names::new(),
            ones: SmallVec::new(),
            opened: SmallVec::new(),
            side: None,
            is_negative: false,
            cost: 0.0,
        };
        let mut scopes = Scopes::default();
        if !product.put_parts(trace, goes_in, root, &mut scopes, how) {
            return Some(Sided::Sum);
        }
        // Of a product of a sum with itself no terms are taken: squares of differences are not what differences of squares are.
        let is_opened = |operand: &Factor| product.opened.iter().any(|&sum| terms::is_of(trace, operand.node, sum));
        if product.operands.iter().any(is_opened) {
            return None;
        }
        for (bit, factor) in product.operands.iter().enumerate() {
            let ones = product.ones.iter().find(|ones| ones.set == 1 << bit).and_then(|ones| ones.along);
            for (name, size) in factor.shape.iter().chain(ones) {
                match product.axes.iter_mut().find(|(other, ..)| *other == name) {
                    Some((.., who)) => *who |= 1 << bit,
                    None => product.axes.push((name, size, 1 << bit)),
                }
            }
        }
        for part in &product.parts {
            let axes = summed(trace, part.node)?;
            product.each.push(axes.iter().map(|&axis| scopes.outside(part.scope, axis)).collect());
            product.cost += part.cost(trace, axes);
        }
        product.summed = product.each.iter().flatten().copied().collect();
        product.spread(trace)?;
        Some(Sided::Product(Box::new(product)))
    }

    /// Returns whether there was a side for each sum.
    fn put_parts(
        &mut self,
        trace: &Trace<'_>,
        goes_in: &[bool],
        root: u32,
        scopes: &mut Scopes,
        How { sides, reads, renames }: How<'_>,
    ) -> bool {
        let is_summed = |number: u32| summed(trace, number).is_some_and(|axes| !axes.is_empty());
        self.parts.push(Part { node: root, user: 0, scope: 0, is_squared: false, inputs: SmallVec::new() });
        let (mut next, mut count) = (0, trace.inputs(root).len());
        while let Some(&Part { node, scope, is_squared, .. }) = self.parts.get(next) {
            let op = trace.node(node).op();
            let is_squared = is_squared || is_square(trace, node);
            self.is_negative ^= matches!(op, Op::Unary(Unary::Neg));
            for (which, input) in node::factors(trace, node).into_iter().enumerate() {
                let is_inverse = which == 1 && matches!(op, Op::Binary(Binary::Div));
                let is_at = matches!(op, Op::Gather(_) | Op::ScatterAdd { .. });
                let (mut input, mut is_side) = (input, false);
                let is_whole = is_inverse || is_at || is_squared;
                while !is_whole && goes_in[input as usize] && terms::is_sum(trace, input) {
                    // Of two sums that are multiplied one is a factor.
                    if !is_side && self.side.is_some_and(|side| !self.is_within(next, side))
                        || self.opened.contains(&input)
                    {
                        break;
                    }
                    let Some(&side) = sides.get(self.opened.len()) else { return false };
                    self.opened.push(input);
                    self.is_negative ^= side == 1 && matches!(trace.node(input).op(), Op::Binary(Binary::Sub));
                    (input, is_side) = (trace.inputs(input)[side], true);
                }
                let below = node::factors(trace, input);
                let is_renamed = matches!(trace.node(input).op(), Op::Rename);
                // A chain that is too long is cut here; what is left of it is a product of its own.
                let room = count + below.len().saturating_sub(1) <= LARGEST && self.parts.len() < 2 * LARGEST;
                let opens = match trace.node(input).op() {
                    Op::Rename => below.iter().all(|&below| goes_in[below as usize]),
                    // Where positions are is said by their own names.
                    Op::Gather(_) | Op::ScatterAdd { .. } => {
                        reads && scope == 0 && !self.nodes().any(|known| known == input)
                    }
                    Op::Binary(Binary::Pow) => goes_in[below[0] as usize],
                    // Squares of sums are not what sums of products are, as those of differences are not.
                    _ => !is_squared || !is_summed(input) && !node::divides(trace, input),
                };
                let shape = trace.node(input).shape();
                let is_operand = !sides.is_empty() && is_plain(trace, goes_in, input);
                let known = if room && opens && !is_inverse && !is_operand && goes_in[input as usize] {
                    count += below.len().saturating_sub(1);
                    let inner = match below[..] {
                        [below] if is_renamed => scopes.add(scope, input, trace.node(below).shape(), shape),
                        // What it sums is summed once more, by another name.
                        _ if renames && is_summed(input) || self.nodes().any(|known| known == input) => {
                            scopes.add(scope, input, shape, shape)
                        }
                        _ => scope,
                    };
                    self.parts.push(Part {
                        node: input,
                        user: next,
                        scope: inner,
                        is_squared,
                        inputs: SmallVec::new(),
                    });
                    Input::Part(self.parts.len() - 1)
                } else {
                    if scope == 0 && !is_inverse {
                        self.ones.extend(Ones::of(trace, node, input, self.operands.len()));
                    }
                    let called = scopes.shape(scope, shape);
                    let is_renamed = called.names().ne(shape.names());
                    self.operands.push(Factor { node: input, shape: called, lacking: 0, is_renamed, is_inverse });
                    Input::Operand(self.operands.len() - 1)
                };
                if is_side {
                    self.side = match known {
                        Input::Part(part) => Some(part),
                        Input::Operand(_) => Some(usize::MAX),
                    };
                }
                self.parts[next].inputs.push(known);
            }
            next += 1;
        }
        true
    }

    /// Whether a part is another one, or is computed for it.
    fn is_within(&self, mut part: usize, outer: usize) -> bool {
        while part != outer && part > 0 {
            part = self.parts[part].user;
        }
        part == outer
    }

    /// Gives axes that are summed and that only the other side of a sum has to the smallest operand: it is summed as often.
    fn spread(&mut self, trace: &Trace<'_>) -> Option<()> {
        for part in (0..self.parts.len()).filter(|_| !self.opened.is_empty()) {
            let inputs = trace.inputs(self.parts[part].node);
            let size = |name: Name| inputs.iter().find_map(|&input| trace.node(input).shape().size(name));
            let axes = summed(trace, self.parts[part].node)?;
            for (at, &name) in axes.iter().enumerate() {
                let (called, below) = (self.each[part][at], self.below(part));
                if self.axes.iter().any(|&(other, _, who)| other == called && who & below != 0) {
                    continue;
                }
                let is_one = |&bit: &usize| below & 1 << bit != 0 && !self.is_of_positions(1 << bit);
                let elements = |bit: usize| self.operands[bit].shape.elements();
                let smaller = |least, bit| if weighed::is_less(elements(bit), elements(least)) { bit } else { least };
                let bit = (0..self.operands.len()).filter(is_one).reduce(smaller)?;
                let (factor, size) = (&mut self.operands[bit], size(name)?);
                factor.shape = Shape::new(factor.shape.iter().chain([(called, size)]));
                factor.lacking += 1;
                self.axes.push((called, size, 1 << bit));
            }
        }
        Some(())
    }

    /// The shape of what is left.
    pub(super) fn shape(&self) -> Shape {
        let all = (1 << self.operands.len()) - 1;
        Shape::new(self.axes.iter().filter(|axis| self.is_left(axis, all)).map(|&(name, size, _)| (name, size)))
    }

    /// The nodes it is written with.
    pub(super) fn nodes(&self) -> impl Iterator<Item = u32> {
        self.parts.iter().map(|part| part.node)
    }

    /// Whether there are several orders, of which one may be better: it has three operands or more, or product and sum are
    /// written apart; something on the way is larger than all operands, and no name is two axes.
    pub(super) fn has_orders(&self, trace: &Trace<'_>) -> bool {
        let is_several = self.operands.len() > 2 || self.operands.len() == 2 && self.parts.len() > 1;
        (is_several && self.grows(trace) || self.sums_twice()) && self.is_fit()
    }

    /// Whether it is the product of two tensors alone, and sums axes that both have, some after the others.
    pub(super) fn sums_twice(&self) -> bool {
        let is_plain = |factor: &Factor| !factor.is_renamed && !factor.is_inverse && factor.lacking == 0;
        let are_both = |name: &Name| self.axes.iter().any(|&(other, _, who)| other == *name && who == 3);
        self.operands.len() == 2
            && self.ones.is_empty()
            && !self.is_negative
            && self.each.iter().filter(|axes| !axes.is_empty()).count() > 1
            && self.operands.iter().all(is_plain)
            && self.summed.iter().all(are_both)
    }

    /// Whether it can be put in order.
    pub(super) fn is_fit(&self) -> bool {
        self.axes.len() <= LARGEST_RANK && self.has_fit_positions() && self.is_sound()
    }

    /// Whether some product on the way is larger than each operand.
    fn grows(&self, trace: &Trace<'_>) -> bool {
        let is_larger = |part: &Part| {
            let [left, right] = *trace.inputs(part.node) else { return false };
            let [left, right] = [left, right].map(|input| trace.node(input).shape());
            let further = right.iter().filter(|&(name, _)| !left.has(name)).map(|(_, size)| size);
            let all = left.sizes().chain(further).fold(1, usize::saturating_mul);
            // Ones at positions are never made.
            let made = self.operands.iter().filter(|operand| !positions::is_hot(trace, operand.node));
            made.map(|operand| operand.shape.elements()).all(|elements| weighed::is_less(elements, all))
        };
        self.parts.iter().any(is_larger)
    }

    /// Whether each name means one axis: what a contraction sums is nowhere outside of it.
    pub(super) fn is_sound(&self) -> bool {
        let is_inner = |(part, summed): (usize, &Names)| {
            let inside = self.below(part);
            !self.axes.iter().any(|&(name, _, who)| summed.contains(&name) && who & !inside != 0)
        };
        let mut sizes = self.operands.iter().flat_map(|operand| operand.shape.sizes());
        // Where another side of a sum has an axis, this one may sum it twice.
        let is_once = |(at, &name): (usize, &Name)| !self.summed[..at].contains(&name);
        !sizes.any(|size| size == 0)
            && self.each.iter().enumerate().all(is_inner)
            && self.summed.iter().enumerate().all(is_once)
    }

    /// The operands that a part is computed from, as bits.
    fn below(&self, part: usize) -> usize {
        let of = |input: &Input| match *input {
            Input::Part(part) => self.below(part),
            Input::Operand(bit) => 1 << bit,
        };
        self.parts[part].inputs.iter().map(of).fold(0, |all, bits| all | bits)
    }
}

impl Part {
    /// What it counts as it is written.
    fn cost(&self, trace: &Trace<'_>, axes: &[Name]) -> f64 {
        let size = |shape: &Shape| shape.sizes().map(|size| size as f64).product::<f64>();
        match (trace.inputs(self.node), &self.inputs[..]) {
            (&[left, right], _) => positions::written(trace, self.node).unwrap_or_else(|| {
                let [left, right] = [left, right].map(|input| trace.node(input).shape());
                let shared = right.iter().filter(|&(name, _)| !left.has(name));
                let all = size(left) * shared.map(|(_, size)| size as f64).product::<f64>();
                cost([size(left), size(right), all], !axes.is_empty())
            }),
            // The sum of a product is taken while it is made.
            (&[x], [Input::Operand(_)]) if matches!(trace.node(self.node).op(), Op::Reduce(Reduction::Sum, _)) => {
                ALONE * size(trace.node(x).shape())
            }
            _ => 0.0,
        }
    }
}
