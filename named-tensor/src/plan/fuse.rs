//! Elementwise groups: items that one pass over memory computes together.
//!
//! Users are looked at before what they use. An elementwise item joins the group of its users if all of them are in one
//! group and read it at the same places; so a group has one result, and nothing in it is computed twice. Renaming
//! inside a group costs nothing. Groups are bounded, so a chain of a million items becomes many small steps.
//! A product, or a function of rows, that only one group reads, element by element, is its producer: the group goes on
//! with its numbers where they stand. Of several the costliest is taken, for a group stands in one place.
//! Not here: the program of a group (`lower`), the loop (`kernel::map`).

use smallvec::SmallVec;

use super::LARGEST_RANK;
use super::key::narrow;
use super::numbered::{FoldMap, few};
use super::simplify::{Item, Items, Work};
use super::weighed;
use crate::graph::{Op, Shape};

/// At most this many items in a group, so that its values stay in the registers and the nearest cache.
const LARGEST_GROUP: u32 = 64;

/// For each axis of an item, its place among the axes of the group's result.
pub(super) type Places = SmallVec<[u8; 8]>;

/// How an item takes part.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    /// Nobody needs it, or every user makes it by itself.
    Dead,
    /// It has numbers of its own in memory, or is a view of such.
    Alone,
    /// It is computed inside the group whose result is this item, and lies so among its axes.
    In(u32, Places),
    /// It has numbers of its own until that group, which alone reads them, has put its result in their place.
    Before(u32, Places),
}

/// What the users of an item have in common.
#[derive(Clone)]
enum Demand {
    Nothing,
    /// It costs less to make it again in each group than to read it.
    Remade,
    One(u32, Places),
    Many,
}

/// The part of each item. The result of a group is `In` its own group.
pub(super) fn parts(items: &Items<'_>) -> Vec<Part> {
    let mut demands = vec![Demand::Nothing; items.list.len()];
    let mut parts = vec![Part::Dead; items.list.len()];
    let mut sizes = vec![0_u32; items.list.len()];
    // The producer of each group.
    let mut producers: FoldMap<u32, usize> = FoldMap::default();
    for &root in &items.roots {
        demands[root as usize] = Demand::Many;
    }
    for i in (0..items.list.len()).rev() {
        let item = &items.list[i];
        let elementwise = item.is_elementwise();
        let part = match std::mem::replace(&mut demands[i], Demand::Many) {
            Demand::Nothing | Demand::Remade => Part::Dead,
            Demand::One(group, places)
                if (elementwise || item.is_rename())
                    && sizes[group as usize] < LARGEST_GROUP
                    && item.shape.elements() == items.item(group).shape.elements() =>
            {
                Part::In(group, places)
            }
            // What only repeats numbers, and is in no group of others, is a view.
            _ if elementwise && !matches!(item.work, Work::Spread) && item.shape.rank() <= LARGEST_RANK => {
                Part::In(narrow(i), few((0..=u8::MAX).take(item.shape.rank())))
            }
            Demand::One(group, places) if is_producer(items, item, items.item(group)) => {
                let work = |at: usize| work(items, &items.list[at]);
                let before = producers.get(&group).copied();
                if before.is_none_or(|other| weighed::is_less(work(other), work(i))) {
                    before.into_iter().for_each(|other| parts[other] = Part::Alone);
                    producers.insert(group, i);
                    Part::Before(group, places)
                } else {
                    Part::Alone
                }
            }
            _ => Part::Alone,
        };
        match &part {
            Part::Dead => {}
            Part::Alone | Part::Before(..) => {
                item.inputs.iter().for_each(|&input| demands[input as usize] = Demand::Many);
            }
            Part::In(group, places) => {
                sizes[*group as usize] += 1;
                for &input in &item.inputs {
                    let places = inherited(item.shape, places, items.item(input).shape, item.is_rename());
                    let demand = &mut demands[input as usize];
                    *demand = match std::mem::replace(demand, Demand::Many) {
                        Demand::Nothing | Demand::Remade if items.item(input).is_free() => Demand::Remade,
                        Demand::Nothing => Demand::One(*group, places),
                        Demand::One(other, same) if other == *group && same == places => Demand::One(other, same),
                        _ => Demand::Many,
                    };
                }
            }
        }
        parts[i] = part;
    }
    parts
}

/// Whether the group that reads the item may be the end of its step.
fn is_producer(items: &Items<'_>, item: &Item<'_>, group: &Item<'_>) -> bool {
    work(items, item) > 0 && item.kind == group.kind && item.shape.elements() == group.shape.elements()
}

/// About how many operations an item takes if it may be a producer; else none.
fn work(items: &Items<'_>, item: &Item<'_>) -> usize {
    let each = match item.work {
        Work::Contract(axes, _) => {
            let sizes = axes.iter().filter_map(|&axis| items.item(item.inputs[0]).shape.size(axis));
            sizes.fold(1_usize, usize::saturating_mul)
        }
        Work::Op(Op::Softmax { .. } | Op::Standardize { .. } | Op::StandardizeGradient { .. }) => 8,
        _ => 0,
    };
    item.shape.elements().saturating_mul(each)
}

/// Where the axes of an input lie, given where those of its user do.
pub(super) fn inherited(user: &Shape, places: &Places, input: &Shape, renamed: bool) -> Places {
    if renamed || user == input {
        return Places::from_slice(places);
    }
    // An elementwise item has all axes of its inputs.
    few(input.names().map(|name| user.position(name).map_or(u8::MAX, |at| places[at])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Name;
    use crate::element::{Binary, Kind, Unary};
    use crate::graph::Node;
    use crate::graph::op::{Distribution, Reduction};
    use crate::plan::key::Trace;
    use crate::plan::lower;
    use crate::plan::numbered::FoldMap;
    use crate::plan::simplify;

    const A: Name = Name::declared("a");
    const B: Name = Name::declared("b");

    fn input(axes: &[(Name, usize)]) -> Node {
        let distribution = Distribution::Uniform { low: 0.0, high: 1.0 };
        Node::random(distribution, 1, Kind::F32, Shape::new(axes.iter().copied()))
    }

    /// How many steps the roots take, those of their random inputs not counted.
    fn steps(roots: &[Node]) -> usize {
        let inputs = Node::walk(roots).iter().filter(|node| matches!(node.op(), Op::Random(..))).count();
        lower::schedule(&Trace::new(roots).unwrap()).steps.len() - inputs
    }

    #[test]
    fn a_tree_of_elementwise_operations_is_one_step() {
        let (x, y) = (input(&[(A, 3), (B, 4)]), input(&[(B, 4)]));
        let shared = x.binary(Binary::Mul, &y);
        let root = shared.unary(Unary::Tanh).binary(Binary::Add, &shared.unary(Unary::Neg));
        assert_eq!(steps(&[root]), 1, "the shared product is inside the group");
    }

    #[test]
    fn renaming_does_not_part_a_group() {
        let x = input(&[(A, 3)]).unary(Unary::Neg);
        let fresh = A.freshened();
        let root = x.rename(&[(A, fresh)]).unary(Unary::Tanh).rename(&[(fresh, A)]).unary(Unary::Exp);
        assert_eq!(steps(&[root]), 1, "names are not numbers");
    }

    #[test]
    fn what_two_groups_need_is_computed_once() {
        let x = input(&[(A, 3), (B, 4)]).unary(Unary::Exp);
        let sum = x.unary(Unary::Neg).reduce(Reduction::Sum, &[A]);
        let root = x.binary(Binary::Mul, &sum);
        // exp and its negative; the sum; the product.
        assert_eq!(steps(&[root]), 3);
    }

    #[test]
    fn what_is_repeated_along_an_axis_is_computed_before_it_is_repeated() {
        let (x, y) = (input(&[(A, 3)]).unary(Unary::Exp), input(&[(A, 3), (B, 4)]));
        assert_eq!(steps(&[x.binary(Binary::Mul, &y)]), 2, "the exponential has 3 elements, not 12");
    }

    #[test]
    fn positions_are_counted_in_every_group_that_needs_them() {
        let positions = Node::iota(A, 3).cast(Kind::F32);
        let roots =
            [input(&[(A, 3)]).binary(Binary::Mul, &positions), input(&[(A, 3), (B, 2)]).reduce(Reduction::Sum, &[B])];
        assert_eq!(steps(&roots), 2, "nothing is stored for them");
    }

    #[test]
    fn a_contraction_over_nothing_is_elementwise() {
        let root = input(&[(A, 3)]).contract(&input(&[(B, 4)]), &[]).unary(Unary::Exp);
        let trace = Trace::new(std::slice::from_ref(&root)).unwrap();
        let orders = FoldMap::default();
        let items = simplify::rewritten(simplify::shared(&trace, &orders));
        assert!(items.list.iter().all(|item| !matches!(item.work, Work::Contract(..))), "it is a product");
        assert_eq!(steps(std::slice::from_ref(&root)), 1);
    }
}
