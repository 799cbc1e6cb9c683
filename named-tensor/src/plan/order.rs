//! The order of contractions: `(A ⊙ B) ⊙ C` may cost a hundred times what `A ⊙ (B ⊙ C)` costs.
//!
//! Contractions of contractions that nobody else needs are one sum over a product of several tensors; so are products and
//! sums that are written apart, `Σ_{a,b} X * W * Y`. Every way to compute it by pairs is weighed by its multiplications
//! (dynamic programming over sets of tensors), and the graph's own order is left only for one that needs less than [`WORTH`] of
//! them. One that several others need, as gradients need those of the way forwards, is a part of each of their products
//! where that is less together (`apart`). A sum within one makes it a sum of products (`terms`); the square of a product is
//! one of squares.
//! Rows that are taken at positions, and sums at positions, are contractions with ones and zeros, and are ordered with them
//! (`positions`). Numbers stay the same up to rounding as long as they are finite.
//! Not here: items, and pairs that are in several products (`simplify`), how a pair is multiplied (`contract`).

mod apart;
mod node;
mod positions;
mod product;
mod scopes;
mod terms;

use super::key::{Trace, narrow};
use super::numbered::FoldMap;
use super::weighed;
use crate::axis::Name;
use crate::element::{Binary, Unary};
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::graph::{Op, Shape};
pub(super) use positions::{At, Unread};
use product::Product;
use terms::Terms;

/// At most this many tensors are ordered together: 3⁸ pairs of sets are weighed.
const LARGEST: usize = 8;
/// The part of the multiplications that another order may have.
const WORTH: f64 = 0.8;

/// What a multiplication of a product that is not summed at once counts, or of one without terms in common: each reads or
/// writes numbers of its own, where those of matrices are used again and again.
const ALONE: f64 = 4.0;

/// One contraction of a new order, or what else is done with one or two operands.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) left: Operand,
    pub(super) right: Option<Operand>,
    pub(super) does: Does,
    pub(super) summed: Names,
    pub(super) shape: Shape,
    /// Set if the right one says positions: what is taken or summed at them.
    pub(super) at: Option<At>,
    /// Where numbers of the right one are 0 instead, if somewhere.
    pub(super) unread: Option<Unread>,
}

/// What a pair does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Does {
    /// It multiplies both, and sums.
    Multiplies,
    /// It adds both.
    Adds,
    /// It takes the right one from the left one.
    Subtracts,
    /// It sums the left one, which is alone in this and all that follows.
    Sums,
    /// Its axes get the names that they have further out.
    Renames,
    /// It divides 1 by it.
    Inverts,
    Negates,
    /// It gives it axes along which it is the same everywhere.
    Spreads,
}

impl Pair {
    /// What is done with one operand alone.
    fn alone(left: Operand, does: Does, summed: Names, shape: Shape) -> Pair {
        Pair { left, right: None, does, summed, shape, at: None, unread: None }
    }
}

/// What a pair is made of: a node by number, or an earlier pair of the same list.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Node(u32),
    Pair(usize),
}

/// The nodes whose numbers are better computed in another order: for each its pairs, the last of which is the node.
pub(super) fn reordered(trace: &Trace<'_>) -> FoldMap<u32, Vec<Pair>> {
    let mut uses: Vec<u32> = vec![0; trace.size()];
    trace.roots.iter().for_each(|&root| uses[root as usize] += 1);
    for number in 0..narrow(trace.size()) {
        trace.inputs(number).iter().for_each(|&input| uses[input as usize] += 1);
    }
    let goes_in = apart::goes_in(trace, &uses);
    let mut found = FoldMap::default();
    let mut inside = vec![false; trace.size()];
    for number in (0..narrow(trace.size())).rev() {
        if inside[number as usize] {
            continue;
        }
        if summed(trace, number).is_none_or(<[Name]>::is_empty) {
            continue;
        }
        let Some(terms) = Terms::of(trace, &goes_in, number).filter(|terms| terms.have_orders(trace)) else {
            continue;
        };
        terms.nodes().for_each(|node| inside[node as usize] = true);
        if let Some(pairs) = terms.best() {
            found.insert(number, pairs);
        }
    }
    found
}

/// The axes that a contraction, a product or a sum sums, if its node is one that is to be computed.
fn summed<'a>(trace: &Trace<'a>, number: u32) -> Option<&'a [Name]> {
    let node = trace.node(number);
    match node.op() {
        _ if trace.value(number).is_some() || !node.kind().is_real() => None,
        Op::Contract(axes) | Op::Reduce(Reduction::Sum, axes) => Some(axes),
        Op::Gather(axis) if positions::is_ordered(trace, number) => Some(std::slice::from_ref(axis)),
        Op::ScatterAdd { over, .. } if positions::is_ordered(trace, number) => Some(over),
        Op::Binary(Binary::Mul) | Op::Unary(Unary::Neg) | Op::Rename => Some(&[]),
        Op::Binary(Binary::Pow) if node::is_square(trace, number) => Some(&[]),
        // A softmax that is written out is no product.
        Op::Binary(Binary::Div) if node::has_small_divisor(trace, number) && !trace.is_written(number) => Some(&[]),
        _ => None,
    }
}

/// What a product of these sizes counts, of which the last is that of all axes.
fn cost([left, right, all]: [f64; 3], is_summed: bool) -> f64 {
    // Which of them is larger says which axes they have: what is 1 stays so.
    if is_summed && all > left.max(right) { all } else { ALONE * all }
}

impl Product {
    /// Whether an axis is left once the operands of `set` are multiplied.
    fn is_left(&self, &(name, _, who): &(Name, usize, usize), set: usize) -> bool {
        who & set != 0 && !(self.summed.contains(&name) && who & !set == 0)
    }

    /// The multiplications of the best order, if it is worth leaving that of the graph, and one of the two parts of which
    /// each set of operands is made.
    fn cheaper(&self) -> Option<(f64, Vec<usize>)> {
        let (least, parts) = self.least();
        weighed::is_cheaper(least, WORTH * self.cost).then_some((least, parts))
    }

    /// The same, or the only one, in which all is summed at once.
    fn only(&self) -> Option<(f64, Vec<usize>)> {
        self.cheaper().or_else(|| self.sums_twice().then(|| self.least()))
    }

    /// The same, whatever the graph's order counts.
    fn least(&self) -> (f64, Vec<usize>) {
        let all = (1_usize << self.operands.len()) - 1;
        // The axes that each set leaves, as bits, and their sizes together.
        let left: Vec<u32> = (0..=all)
            .map(|set| (0..).zip(&self.axes).fold(0, |left, (i, axis)| left | u32::from(self.is_left(axis, set)) << i))
            .collect();
        let size = |mut axes: u32| {
            let mut size = 1.0;
            while axes != 0 {
                size *= self.axes[axes.trailing_zeros() as usize].1 as f64;
                axes &= axes - 1;
            }
            size
        };
        let sizes: Vec<f64> = left.iter().map(|&axes| size(axes)).collect();
        // The least cost of each set, and one of the two parts that give it.
        let mut best: Vec<(f64, usize)> = vec![(0.0, 0); all + 1];
        for set in 1..=all {
            if set.is_power_of_two() {
                // What it alone has is summed first.
                if self.axes.iter().any(|axis| self.is_alone(axis, set)) {
                    let size = self.size(|&(_, _, who)| who & set != 0);
                    best[set].0 = self.counted_alone(set).unwrap_or(ALONE * size);
                }
                continue;
            }
            best[set].0 = f64::INFINITY;
            let mut part = (set - 1) & set;
            while part > set ^ part {
                let rest = set ^ part;
                let both = left[part] | left[rest];
                let own = self
                    .counted([part, rest])
                    .unwrap_or_else(|| cost([sizes[part], sizes[rest], size(both)], both & !left[set] != 0));
                let cost = best[part].0 + best[rest].0 + own;
                if weighed::is_cheaper(cost, best[set].0) {
                    best[set] = (cost, part);
                }
                part = (part - 1) & set;
            }
        }
        (best[all].0, best.into_iter().map(|(_, part)| part).collect())
    }

    /// Whether only the operand of this set has an axis that is summed.
    fn is_alone(&self, &(name, _, who): &(Name, usize, usize), set: usize) -> bool {
        who == set && self.summed.contains(&name)
    }

    /// Whether an axis is summed when these parts are multiplied.
    fn is_gone(&self, axis: &(Name, usize, usize), [part, rest]: [usize; 2]) -> bool {
        (self.is_left(axis, part) || self.is_left(axis, rest)) && !self.is_left(axis, part | rest)
    }

    /// The sizes of some axes together.
    fn size(&self, is_one: impl Fn(&(Name, usize, usize)) -> bool) -> f64 {
        self.axes.iter().filter(|axis| is_one(axis)).map(|&(_, size, _)| size as f64).product()
    }

    /// Adds the pairs of a set, and tells where its product is.
    fn pairs(&self, parts: &[usize], set: usize, pairs: &mut Vec<Pair>) -> Operand {
        let some = |is_one: &dyn Fn(&(Name, usize, usize)) -> bool| -> Names {
            self.axes.iter().filter(|axis| is_one(axis)).map(|&(name, ..)| name).collect()
        };
        let left_after = self.axes.iter().filter(|axis| self.is_left(axis, set));
        let shape = Shape::new(left_after.map(|&(name, size, _)| (name, size)));
        if set.is_power_of_two() {
            let factor = &self.operands[set.trailing_zeros() as usize];
            let mut operand = Operand::Node(factor.node);
            let summed = some(&|axis| self.is_alone(axis, set));
            let (called, whole) = (factor.called(), factor.shape.clone());
            let steps = [
                (factor.is_renamed, Does::Renames, Names::new(), called.clone()),
                (factor.is_inverse, Does::Inverts, Names::new(), called.clone()),
                (factor.lacking > 0, Does::Spreads, Names::new(), whole),
                (!summed.is_empty(), Does::Sums, summed, shape),
            ];
            for (_, does, summed, shape) in steps.into_iter().filter(|step| step.0) {
                pairs.push(Pair::alone(operand, does, summed, shape));
                operand = Operand::Pair(pairs.len() - 1);
            }
            return operand;
        } else {
            let both = [parts[set], set ^ parts[set]];
            let (both, at) = self.at(both).map_or((both, None), |(of, at)| ([of, set ^ of], Some(at)));
            let (both, unread) = self.unread(both).map_or((both, None), |(of, unread)| ([of, set ^ of], Some(unread)));
            let [left, right] = both.map(|part| self.pairs(parts, part, pairs));
            let summed = some(&|axis| self.is_gone(axis, both));
            pairs.push(Pair { left, right: Some(right), does: Does::Multiplies, summed, shape, at, unread });
        }
        Operand::Pair(pairs.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Kind;
    use crate::graph::Node;
    use crate::graph::op::Distribution;

    const A: Name = Name::declared("a");
    const B: Name = Name::declared("b");
    const C: Name = Name::declared("c");
    const D: Name = Name::declared("d");
    const E: Name = Name::declared("e");

    fn draw(axes: &[(Name, usize)]) -> Node {
        let distribution = Distribution::Uniform { low: -1.0, high: 1.0 };
        Node::random(distribution, 1, Kind::F64, Shape::new(axes.iter().copied()))
    }

    /// The multiplications of each new order, node by node.
    fn costs(root: &Node) -> Vec<Vec<usize>> {
        let trace = Trace::new(std::slice::from_ref(root)).unwrap();
        let size = |pair: &Pair, axes: &dyn Fn(Name) -> usize| {
            pair.shape.elements() * pair.summed.iter().map(|&name| axes(name)).product::<usize>()
        };
        let sizes = |name: Name| {
            let nodes = (0..narrow(trace.size())).map(|number| trace.node(number).shape());
            nodes.filter_map(|shape| shape.size(name)).next().unwrap()
        };
        reordered(&trace).values().map(|pairs| pairs.iter().map(|pair| size(pair, &sizes)).collect()).collect()
    }

    #[test]
    fn a_chain_is_multiplied_from_the_end_that_is_cheaper() {
        let chain = |[a, b, c, d]: [usize; 4]| {
            let (x, y) = (draw(&[(A, a), (B, b)]), draw(&[(B, b), (C, c)]));
            x.contract(&y, &[B]).contract(&draw(&[(C, c), (D, d)]), &[C])
        };
        assert_eq!(costs(&chain([1000, 10, 1000, 10])), [[100_000, 100_000]], "from the right");
        assert!(costs(&chain([10, 1000, 10, 1000])).is_empty(), "the order written is the best");
    }

    #[test]
    fn longer_products_are_ordered_as_a_whole() {
        let left = draw(&[(A, 30), (B, 1)]).contract(&draw(&[(B, 1), (C, 40)]), &[B]);
        let right = draw(&[(C, 40), (D, 10)]).contract(&draw(&[(D, 10), (E, 25)]), &[D]);
        let best = &costs(&left.contract(&right, &[C]))[0];
        assert_eq!(best.iter().sum::<usize>(), 40 * 10 + 10 * 25 + 30 * 25, "a vector wanders through the matrices");
    }

    #[test]
    fn what_somebody_else_needs_stays_and_one_name_is_two_axes_where_it_was() {
        let (x, y) = (draw(&[(A, 100), (B, 2)]), draw(&[(B, 2), (C, 100)]));
        let product = x.contract(&y, &[B]);
        let root = product.contract(&draw(&[(C, 100), (D, 2)]), &[C]);
        assert_eq!(costs(&root).len(), 1, "alone it is ordered anew");
        let (wide, high) = (draw(&[(A, 100), (B, 90)]), draw(&[(B, 90), (C, 100)]));
        let product_of_many = wide.contract(&high, &[B]);
        let root = product_of_many.contract(&draw(&[(C, 100), (D, 100)]), &[C]);
        let shared = root.contract(&product_of_many, &[A]);
        assert!(costs(&shared).is_empty(), "the product of both is there already");
        let again = product.contract(&draw(&[(C, 100), (B, 2)]), &[C]);
        let orders = reordered(&Trace::new(std::slice::from_ref(&again)).unwrap());
        let pairs = orders.values().next().unwrap();
        let products = pairs.iter().filter(|pair| pair.does == Does::Multiplies);
        // The first b has a name of its own then.
        assert!(products.map(|pair| pair.shape.elements()).eq([4, 200]), "the last b is another axis than the first");
    }
}
