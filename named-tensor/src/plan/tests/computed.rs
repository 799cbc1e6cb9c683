//! Reductions of what a group computes on the way, against the plain evaluation.
//!
//! Lives here: random groups whose operands have some of the axes, in any order, reduced over some of them; and which
//! groups are stored nonetheless. Not here: their leaves (`edges`), the comparison (`mod`).

use super::edges::{Look, leaf};
use super::several::dense;
use super::*;
use crate::plan::schedule::Step;

const SIZES: [usize; 9] = [1, 2, 3, 7, 16, 17, 40, 65, 130];

/// A reduction of a group of two or three operands.
fn case(seed: u64) -> (Vec<Node>, String) {
    let mut draw = Draw::new(0xc0de + seed);
    let draw = &mut draw;
    let kind = if draw.below(3) > 0 { Kind::F32 } else { Kind::F64 };
    let names = ["a", "b", "c", "d"].map(Name::declared);
    let axes: Vec<(Name, usize)> = loop {
        let count = 1 + draw.below(4);
        let axes: Vec<_> = names.into_iter().take(count).map(|name| (name, *draw.of(&SIZES))).collect();
        if axes.iter().map(|axis| axis.1).product::<usize>() < 300_000 {
            break axes;
        }
    };
    let operand = |draw: &mut Draw, all: bool| {
        let mut some: Vec<(Name, usize)> = axes.iter().copied().filter(|_| all || draw.below(3) > 0).collect();
        (1..some.len()).rev().for_each(|i| some.swap(i, draw.below(i + 1)));
        leaf(draw, kind, &some, Look::Small)
    };
    let is_whole = draw.below(2) == 0;
    let (x, y, z) = (operand(draw, is_whole), operand(draw, false), operand(draw, false));
    let mut group = x.binary(Binary::Sub, &y);
    if draw.below(3) == 0 {
        group = group.binary(Binary::Mul, &z);
    }
    if draw.below(6) == 0 {
        let positions = Node::iota(axes[0].0, axes[0].1).cast(kind);
        group = group.binary(Binary::Add, &positions);
    }
    let group = match draw.below(4) {
        0 => group.binary(Binary::Mul, &group),
        1 => group.unary(Unary::Tanh),
        2 => group.unary(Unary::Abs),
        _ => group.unary(Unary::Exp),
    };
    let over: Vec<Name> = group.shape().names().filter(|_| draw.below(2) == 0).collect();
    let reduction = *draw.of(&[Reduction::Sum, Reduction::Sum, Reduction::Max, Reduction::Min]);
    let root = group.reduce(reduction, &over);
    let context = format!("{seed}: {reduction:?} of {:?} over {over:?}", group.shape());
    if kind == Kind::F64 && draw.below(3) == 0 && reduction == Reduction::Sum {
        let owed = graph::calculus::reverse(&[(root.clone(), root.unary(Unary::Tanh))], &[x, y], &[]);
        return (owed.into_iter().flatten().collect(), context + ", gradient");
    }
    (vec![root], context)
}

/// How many steps of the plan are of this kind.
fn steps(roots: &[Node], wanted: &str) -> usize {
    let steps = lower::schedule(&Trace::new(roots).unwrap()).steps;
    steps.iter().filter(|step| named(&step.action) == wanted).count()
}

#[test]
fn reductions_of_what_is_computed_on_the_way_are_those_of_the_plain_evaluation() {
    let (mut on_the_way, mut compared) = (0, 0);
    for seed in 0..1500 {
        let (roots, context) = case(seed);
        on_the_way += steps(&roots, "reduce computed");
        compared += both_ways(&roots, &context).unwrap_or(0);
    }
    assert!(on_the_way > 300, "many are computed on the way: {on_the_way}");
    assert!(compared > 100_000, "most of them have numbers: {compared}");
}

/// Two operands and their difference, squared.
fn squared_difference() -> Node {
    let mut draw = Draw::new(7);
    let [a, b, c] = ["a", "b", "c"].map(Name::declared);
    let x = stored(&mut draw, Kind::F32, Shape::new([(a, 20), (c, 4)]), 1);
    let y = stored(&mut draw, Kind::F32, Shape::new([(b, 30), (c, 4)]), 1);
    let difference = x.binary(Binary::Sub, &y);
    difference.binary(Binary::Mul, &difference)
}

#[test]
fn a_sum_of_squared_differences_stores_none_of_them() {
    let sum = squared_difference().reduce(Reduction::Sum, &[Name::declared("c")]);
    let schedule = lower::schedule(&Trace::new(std::slice::from_ref(&sum)).unwrap());
    assert_eq!(steps(std::slice::from_ref(&sum), "map"), 0, "no step stores the differences");
    assert!(schedule.slots.iter().all(|slot| slot.size < 20 * 30 * 4), "nor is there room for them");
}

#[test]
fn what_somebody_else_reads_is_stored_and_then_reduced() {
    let squares = squared_difference();
    let sum = squares.reduce(Reduction::Sum, &[Name::declared("c")]);
    assert_eq!(steps(&[sum.clone(), squares.clone()], "reduce"), 1, "the squares are a result, too");
    let costly = squares.unary(Unary::Tanh);
    let [sum, largest] = [Reduction::Sum, Reduction::Max].map(|how| costly.reduce(how, &[Name::declared("c")]));
    assert_eq!(steps(&[sum, largest], "reduce"), 2, "they cost more to make again than to read");
}

/// Distances of points, and what is owed to the points, which lie as this seed has it. Differences are squared by a power or not.
fn distances(seed: u64, size: usize, is_power: bool) -> Vec<Node> {
    let c = Name::declared("c");
    let mut draw = Draw::new(seed);
    let x = stored(&mut draw, Kind::F32, Shape::new([(Name::declared("a"), 30), (c, size)]), 1);
    let y = stored(&mut draw, Kind::F32, Shape::new([(Name::declared("b"), 50), (c, size)]), 1);
    let difference = x.binary(Binary::Sub, &y);
    let square = difference.binary(Binary::Pow, &Node::fill(Kind::F32, 2.0, Shape::default()));
    let squared = if is_power { square.reduce(Reduction::Sum, &[c]) } else { difference.contract(&difference, &[c]) };
    let distance = squared.unary(Unary::Sqrt);
    let owed = graph::calculus::reverse(&[(distance.clone(), distance.unary(Unary::Tanh))], &[x, y], &[]);
    owed.into_iter().flatten().chain([distance]).collect()
}

#[test]
fn what_is_only_reduced_is_made_for_each_reduction_and_stored_for_none() {
    for is_power in [false, true] {
        let roots = distances(7, 16, is_power);
        let schedule = lower::schedule(&Trace::new(&roots).unwrap());
        assert_eq!(steps(&roots, "reduce computed"), 3, "the distance, and what is owed to both of its operands");
        assert!(schedule.slots.iter().all(|slot| slot.size < 30 * 50 * 16), "the difference has room nowhere");
        assert!(both_ways(&roots, "distances and their gradient").is_some(), "and they have numbers");
    }
}

#[test]
fn distances_within_each_of_a_batch_store_no_differences_whatever_the_layout() {
    let [a, b, c, d] = ["a", "b", "c", "d"].map(Name::declared);
    for batch in [1, 3, 8] {
        for seed in 0..8 {
            let mut draw = Draw::new(seed);
            let mut points = |axis, size| {
                let mut axes = vec![(d, batch), (axis, size), (c, 6)];
                (1..3).rev().for_each(|i| axes.swap(i, draw.below(i + 1)));
                dense(draw.below(100) as u64, &axes)
            };
            let [x, y] = [points(a, 20), points(b, 30)];
            let difference = x.binary(Binary::Sub, &y);
            let sum = difference.binary(Binary::Mul, &difference).reduce(Reduction::Sum, &[c]);
            let context = format!("batch {batch}, seed {seed}");
            assert_eq!(steps(std::slice::from_ref(&sum), "reduce computed"), 1, "{context}");
            let schedule = lower::schedule(&Trace::new(std::slice::from_ref(&sum)).unwrap());
            let in_registers = schedule.steps.iter().any(|step| match &step.action {
                // Of the rows and columns each has one operand alone, and of the batch both.
                Action::ReduceComputed { sizes, operands, over: [from, _], .. } => {
                    let alone = |at: usize| operands.iter().filter(|operand| operand.strides[at] != 0).count() == 1;
                    alone(usize::from(*from) - 1) && alone(sizes.len() - 1)
                }
                _ => false,
            });
            assert!(in_registers, "{context}");
            both_ways(&[sum], &context);
        }
    }
}

#[test]
fn pairs_within_each_of_a_batch_that_are_summed_over_both_of_their_axes_are_stored_nowhere() {
    let [a, b, n] = ["a", "b", "n"].map(Name::declared);
    let [all, each] = [(n, 12), (a, 20)];
    for axes in [[all, each], [each, all]] {
        let x = dense(1, &axes);
        let difference = x.binary(Binary::Sub, &x.rename(&[(a, b)]));
        let square = difference.binary(Binary::Mul, &difference);
        for pairs in [difference.unary(Unary::Abs), square, difference.unary(Unary::Exp)] {
            for reduction in [Reduction::Sum, Reduction::Max] {
                let roots = [pairs.reduce(reduction, &[a, b])];
                let context = format!("{axes:?}, {reduction:?}");
                assert_eq!([steps(&roots, "reduce computed"), steps(&roots, "map")], [1, 0], "{context}");
                both_ways(&roots, &context);
            }
        }
    }
}

#[test]
fn what_lies_across_the_rows_of_a_far_larger_result_is_copied_once() {
    let [a, b, c] = ["a", "b", "c"].map(Name::declared);
    let x = dense(1, &[(c, 8), (a, 20)]);
    let y = dense(2, &[(b, 30), (c, 8)]);
    let turned = x.binary(Binary::Add, &y).unary(Unary::Tanh);
    assert_eq!(steps(std::slice::from_ref(&turned), "copy"), 0, "in another order neither lies across");
    // Whichever axis is last, one of three lies across.
    let sum = [turned.binary(Binary::Mul, &dense(4, &[(a, 20), (b, 30)]))];
    assert_eq!([steps(&sum, "copy"), steps(&sum, "map")], [1, 1]);
    both_ways(&sum, "one lies across");
    let same = [dense(3, &[(a, 20), (c, 8)]).binary(Binary::Add, &x)];
    assert_eq!(steps(&same, "copy"), 0, "it is read once");
    both_ways(&same, "both are as large");
}

#[test]
fn what_differences_are_multiplied_by_is_read_along_an_axis_in_which_it_lies() {
    for seed in 0..12 {
        let roots = distances(seed, 4, false);
        let schedule = lower::schedule(&Trace::new(&roots).unwrap());
        let is_copy = |step: &Step| named(&step.action) == "copy" && schedule.slots[step.out as usize].size >= 30 * 50;
        assert!(!schedule.steps.iter().any(is_copy), "seed {seed}");
    }
}

/// Points of a few numbers, their differences, and what is owed to both for the sums of those by weights of each pair.
fn owed_for_differences(size: usize, weights: &[[&'static str; 2]], twice: bool) -> [Node; 3] {
    let [a, b, c] = ["a", "b", "c"].map(Name::declared);
    let mut draw = Draw::new(9);
    let x = stored(&mut draw, Kind::F32, Shape::new([(a, 40), (c, size)]), 1);
    let y = stored(&mut draw, Kind::F32, Shape::new([(b, 50), (c, size)]), 1);
    let difference = x.binary(Binary::Sub, &y);
    // The distances are not linear, so that the differences are not taken apart.
    let distances = difference.contract(&difference, &[c]);
    let mut owed = difference;
    if twice {
        owed = owed.binary(Binary::Mul, &Node::fill(Kind::F32, 2.0, Shape::default()));
    }
    for axes in weights {
        let sized = axes.map(|axis| (Name::declared(axis), if axis == "a" { 40 } else { 50 }));
        owed = owed.binary(Binary::Mul, &stored(&mut draw, Kind::F32, Shape::new(sized), 1));
    }
    let [left, right] = [b, a].map(|axis| owed.reduce(Reduction::Sum, &[axis]));
    [distances, left, right]
}

#[test]
fn differences_that_are_no_larger_than_their_weights_are_made_again_too() {
    for twice in [false, true] {
        let roots = owed_for_differences(3, &[["a", "b"]], twice);
        assert_eq!(steps(&roots, "reduce computed"), 3, "twice: {twice}");
        assert_eq!(steps(&roots, "map"), 0, "no step stores them, twice: {twice}");
        assert!(both_ways(&roots, "owed for differences").is_some(), "they have numbers");
    }
    let roots = owed_for_differences(5, &[["a", "b"]; 2], false);
    assert_eq!(steps(&roots, "map"), 1, "with two weights they are no sum that stays in registers");
}
