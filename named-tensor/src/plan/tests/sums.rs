//! Products whose sum goes over several axes that lie in any order, with all that may stand around them.
//!
//! Lives here: random products at the edges of what is summed in two parts. Not here: their leaves (`edges`), the
//! comparison (`mod`).

use super::edges::{Look, leaf, some, tailed};
use super::*;

/// Rows and columns on either side of those from which on a sum may have two parts, and of what tiles hold.
const SIDES: [usize; 11] = [1, 63, 64, 64, 65, 66, 70, 127, 129, 192, 257];
/// Terms on either side of the same.
const TERMS: [usize; 15] = [0, 2, 3, 5, 9, 31, 32, 33, 34, 35, 40, 63, 65, 114, 129];

/// Numbers without gaps whose axes lie in any order, as they are, in 16 bits, or with gaps and backwards.
fn operand(draw: &mut Draw, kind: Kind, axes: &[(Name, usize)]) -> Node {
    let mut axes = axes.to_vec();
    (1..axes.len()).rev().for_each(|i| axes.swap(i, draw.below(i + 1)));
    match draw.below(6) {
        0 => leaf(draw, kind, &axes, Look::Small),
        1 if kind == Kind::F32 => stored(draw, Kind::Bf16, Shape::new(axes), 1).cast(kind),
        _ => stored(draw, kind, Shape::new(axes), 1),
    }
}

/// What is computed: a product with a tail, or what it owes.
fn case(seed: u64) -> (Vec<Node>, String) {
    let mut draw = Draw::new(0x50b5 + seed);
    let draw = &mut draw;
    let kind = if draw.below(3) > 0 { Kind::F32 } else { Kind::F64 };
    let (sizes, names) = loop {
        let sizes = [SIDES[draw.below(11)], SIDES[draw.below(11)], TERMS[draw.below(15)], TERMS[draw.below(15)]];
        let more = [0; 4].map(|_| *draw.of(&[1, 1, 1, 1, 2, 3]));
        let sizes = [sizes, more].concat();
        if sizes.iter().map(|&size| size.max(1)).fold(1, usize::saturating_mul) < 4_000_000 {
            break (sizes, ["row", "column", "near", "far", "rows", "columns", "third", "batch"].map(Name::declared));
        }
    };
    let axes = |draw: &mut Draw, always: &[usize], more: usize| -> Vec<(Name, usize)> {
        let more = (draw.below(2) == 0).then_some(more);
        always.iter().copied().chain(more).map(|i| (names[i], sizes[i])).collect()
    };
    let (rows, columns) = (axes(draw, &[0], 4), axes(draw, &[1], 5));
    let (summed, batch) = (axes(draw, &[2, 3], 6), axes(draw, &[], 7));
    let x = [some(draw, &batch), rows, summed.clone()].concat();
    let w = [some(draw, &batch), columns, summed.clone()].concat();
    let (x, w) = (operand(draw, kind, &x), operand(draw, kind, &w));
    let over: Vec<Name> = summed.iter().map(|axis| axis.0).collect();
    let product = x.contract(&w, &over);
    let product = match draw.below(4) {
        0 => product.binary(Binary::Div, &Node::fill(kind, 3.7, Shape::default())),
        1 => product.binary(Binary::Mul, &leaf(draw, kind, &[], Look::Small)),
        _ => product,
    };
    let all: Vec<(Name, usize)> = product.shape().iter().collect();
    let root = tailed(draw, kind, product, &all);
    let context = format!("{x:?} and {w:?} summed over {summed:?}");
    if draw.below(5) == 0 && kind == Kind::F64 {
        let owed = graph::calculus::reverse(&[(root.clone(), root.unary(Unary::Cos))], &[x, w], &[]);
        return (owed.into_iter().flatten().collect(), context + ", gradient");
    }
    (vec![root], context)
}

#[test]
fn sums_over_several_axes_are_those_of_the_plain_evaluation_whatever_stands_around_them() {
    let (mut again, mut compared) = (0, 0);
    for seed in 0..1000 {
        let (roots, context) = case(seed);
        let is_again = |step: &schedule::Step| match &step.action {
            Action::Product { batch, .. } => batch.iter().any(contract::Loop::is_summed),
            _ => false,
        };
        again += lower::schedule(&Trace::new(&roots).unwrap()).steps.iter().filter(|step| is_again(step)).count();
        compared += both_ways(&roots, &format!("{seed}: {context}")).unwrap_or(0);
    }
    assert!(again > 3, "some are summed in two parts: {again}");
    assert!(compared > 1_000_000, "most of them have numbers: {compared}");
}
