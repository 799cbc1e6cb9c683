//! Slices are taken early: what is not read is not computed, and the numbers are those of the plain evaluation.

use super::draw::{Draw, random_graph, stored};
use super::{both_ways, kept};
use crate::axis::Name;
use crate::element::{Binary, Kind, Unary};
use crate::graph::op::Reduction;
use crate::graph::{Node, Shape};
use crate::plan::key::Trace;
use crate::plan::numbered::FoldMap;
use crate::plan::schedule::Schedule;
use crate::plan::{simplify, slices};

const SEQ: Name = Name::declared("seq");
const SEQ_: Name = Name::declared("seq_");
const CHANS: Name = Name::declared("chans");
const HIDDEN: Name = Name::declared("hidden");

const WORDS: usize = 40;

/// The most elements that a step writes.
fn largest(schedule: &Schedule) -> usize {
    schedule.steps.iter().map(|step| schedule.slots[step.out as usize].size).max().unwrap_or(0)
}

fn tensor(seed: u64, axes: &[(Name, usize)]) -> Node {
    stored(&mut Draw::new(seed), Kind::F64, Shape::new(axes.iter().copied()), 1)
}

/// A layer of a decoder without its heads: attention, a residual, standardisation, a feed-forward network. Returns
/// what it makes of the words, and the values that later words draw from.
fn layer(x: &Node) -> [Node; 2] {
    let weight = |seed, from: (Name, usize), to: (Name, usize)| tensor(seed, &[from, to]);
    let values = x.contract(&weight(1, (CHANS, 6), (HIDDEN, 5)), &[CHANS]);
    let queries = x.rename(&[(SEQ, SEQ_)]).contract(&weight(2, (CHANS, 6), (HIDDEN, 5)), &[CHANS]);
    let is_before = Node::iota(SEQ, WORDS).compare(crate::element::Comparison::Le, &Node::iota(SEQ_, WORDS));
    let number = |value| Node::fill(Kind::F64, value, Shape::default());
    let mask = is_before.select(&number(0.0), &number(f64::NEG_INFINITY));
    let weights = queries.contract(&values, &[HIDDEN]).binary(Binary::Add, &mask).softmax(&[SEQ], false);
    let drawn = weights.contract(&values, &[SEQ]).contract(&weight(3, (HIDDEN, 5), (CHANS, 6)), &[HIDDEN]);
    let x2 = x.binary(Binary::Add, &drawn.rename(&[(SEQ_, SEQ)]));
    let inner = x2.standardize(&[CHANS], 1e-5).binary(Binary::Mul, &tensor(4, &[(CHANS, 6)]));
    let inner = inner.contract(&weight(5, (CHANS, 6), (HIDDEN, 9)), &[CHANS]).unary(Unary::Gelu);
    [x2.binary(Binary::Add, &inner.contract(&weight(6, (HIDDEN, 9), (CHANS, 6)), &[HIDDEN])), values]
}

#[test]
fn the_last_word_of_a_layer_is_computed_alone_except_for_keys_and_values() {
    let x = tensor(9, &[(SEQ, WORDS), (CHANS, 6)]);
    for last in [|y: &Node| y.at(SEQ, WORDS - 1), |y: &Node| y.slice(SEQ, WORDS - 2..WORDS, 1)] {
        let [y, values] = layer(&x);
        let alone = last(&y);
        assert!(largest(&kept(std::slice::from_ref(&alone))) <= WORDS * 5, "the values, and nothing else of all words");
        both_ways(std::slice::from_ref(&alone), "the last word");
        both_ways(&[alone, values], "the last word, and values for later ones");
        // Two layers: the first is needed whole.
        let [y, _] = layer(&layer(&x)[0]);
        both_ways(&[last(&y)], "the last word of two layers");
    }
}

#[test]
fn what_somebody_else_reads_whole_is_computed_once() {
    let x = tensor(9, &[(SEQ, WORDS), (CHANS, 6)]).unary(Unary::Exp);
    let y = x.unary(Unary::Tanh);
    let roots = [y.at(SEQ, 3), y.reduce(Reduction::Sum, &[CHANS])];
    let steps = &kept(&roots).steps;
    assert_eq!(steps.len(), 2, "one pass, and a sum: {steps:?}");
    let positions: Vec<Node> = (0..WORDS).map(|i| y.at(SEQ, i)).collect();
    assert_eq!(kept(&positions).steps.len(), 1, "each position is somebody's: one pass for all");
    both_ways(&roots, "one position, and all");
}

#[test]
fn one_position_of_an_axis_that_has_no_other_is_a_view_and_nothing_is_drafted_for_it() {
    let word = |words| {
        let x = tensor(9, &[(SEQ, words), (CHANS, 6)]).unary(Unary::Exp);
        [x.at(SEQ, words - 1).unary(Unary::Tanh)]
    };
    let is_drafted = |roots: &[Node]| {
        let (trace, orders) = (Trace::new(roots).unwrap(), FoldMap::default());
        slices::early(&simplify::shared(&trace, &orders)).is_some()
    };
    assert!(is_drafted(&word(2)), "one of two words is less than both");
    assert!(!is_drafted(&word(1)), "the only word is all there is");
    both_ways(&word(1), "the only word");
}

#[test]
fn slices_of_random_graphs_have_the_same_numbers_planned_and_plain() {
    let mut compared = 0;
    for seed in 0..2500 {
        let mut draw = Draw::new(500_000 + seed);
        let steps = 1 + draw.below(12);
        let roots = random_graph(&mut draw, Kind::F64, steps);
        let mut slices = Vec::new();
        for root in &roots {
            let mut slice = root.clone();
            for _ in 0..1 + draw.below(2) {
                let axes: Vec<(Name, usize)> = slice.shape().iter().filter(|&(_, size)| size > 0).collect();
                if axes.is_empty() {
                    break;
                }
                let &(axis, size) = draw.of(&axes);
                let start = draw.below(size);
                slice = if draw.below(2) == 0 {
                    slice.at(axis, start)
                } else {
                    slice.slice(axis, start..size, 1 + draw.below(2))
                };
                if draw.below(3) == 0 {
                    slice = slice.unary(Unary::Sin);
                }
            }
            slices.push(slice);
        }
        compared += both_ways(&slices, &format!("slices of graph {seed}")).unwrap_or(0);
    }
    assert!(compared > 10_000, "most graphs have numbers: {compared}");
}

#[test]
fn slices_of_what_lies_backwards_have_the_same_numbers() {
    let forwards = tensor(3, &[(SEQ, 9), (CHANS, 4)]);
    let x = crate::graph::testing::laid_otherwise(&forwards);
    let slices =
        [x.slice(SEQ, 2..9, 3), x.at(SEQ, 5), x.at(CHANS, 3).at(SEQ, 8), x.window(SEQ, HIDDEN, 3, 2).at(HIDDEN, 2)];
    let steps = slices.each_ref().map(|slice| slice.unary(Unary::Exp).reduce(Reduction::Sum, &[]));
    assert_eq!(both_ways(&slices, "views"), Some(12 + 4 + 1 + 16));
    assert!(both_ways(&steps, "steps behind views").is_some());
}

#[test]
fn one_position_of_counted_positions_is_that_number_whoever_reads_it() {
    let position = Node::iota(SEQ, WORDS).at(SEQ, 5);
    let x = tensor(9, &[(SEQ, WORDS), (CHANS, 6)]);
    let start = Node::iota(SEQ, WORDS).at(SEQ, 2);
    let roots = [position.clone(), x.gather(SEQ, &position), x.dynamic_slice(SEQ, 3, &start)];
    for root in &roots {
        both_ways(std::slice::from_ref(root), "one position of counted positions");
    }
    both_ways(&roots, "one position of counted positions, for all");
}
