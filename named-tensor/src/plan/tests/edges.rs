//! Sizes on either side of what kernels cut by, in layouts of every kind, with numbers that are none.
//!
//! Lives here: the cases. Not here: the comparison of one graph (`mod`).

mod powers;

use super::*;
use crate::graph::value::Strides;

/// Small ones, and those around what registers, tiles, panels and blocks hold.
const SIZES: [usize; 40] = [
    0, 1, 1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 47, 63, 64, 65, 127, 128, 129, 191, 255, 256,
    257, 511, 512, 513, 1023, 1024, 1025, 2049, 4097, 5000,
];

/// What numbers a leaf has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Look {
    Small,
    LargeMean,
    Constant,
    Wild,
}

/// A leaf whose axes lie in any order, with gaps, backwards, or repeated, perhaps seen through a slice and new names.
pub(super) fn leaf(draw: &mut Draw, kind: Kind, axes: &[(Name, usize)], numbers: Look) -> Node {
    let sliced = if axes.is_empty() || draw.below(4) > 0 { None } else { Some(draw.below(axes.len())) };
    let step = 1 + draw.below(3);
    let start = draw.below(3);
    let stored: Vec<(Name, usize)> = (0..)
        .zip(axes)
        .map(|(i, &(name, size))| (name, if Some(i) == sliced { start + size * step } else { size }))
        .collect();
    let mut order: Vec<usize> = (0..stored.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, draw.below(i + 1));
    }
    let mut strides = Strides::from_elem(0, stored.len());
    let (mut reach, mut offset) = (1_usize, draw.below(3));
    for &axis in order.iter().rev() {
        let size = stored[axis].1.max(1);
        if draw.below(10) == 0 {
            continue;
        }
        reach += if draw.below(4) == 0 { draw.below(4) } else { 0 };
        let back = draw.below(10) == 0;
        strides[axis] = if back { -(reach as isize) } else { reach as isize };
        offset += if back { (size - 1) * reach } else { 0 };
        reach *= size;
    }
    let total = reach + offset + 8;
    let wild = |draw: &mut Draw, x: f64| match draw.below(300) {
        0 => f64::NAN,
        1 => f64::INFINITY,
        2..6 => f64::NEG_INFINITY,
        _ => x,
    };
    let number = |draw: &mut Draw| {
        let x = draw.below(1 << 20) as f64 / f64::from(1 << 19) - 1.0;
        match numbers {
            Look::Small => x,
            Look::LargeMean => 1e6 + x,
            Look::Constant => 0.1,
            Look::Wild => wild(draw, x),
        }
    };
    let buffer = match kind {
        Kind::F32 => Buffer::F32((0..total).map(|_| number(draw) as f32).collect()),
        _ => Buffer::F64((0..total).map(|_| number(draw)).collect()),
    };
    let node = Node::input(Value { buffer: Arc::new(buffer), offset, strides }, Shape::new(stored.iter().copied()));
    match sliced {
        Some(i) => node.slice(axes[i].0, start..start + axes[i].1 * step, step),
        None => node,
    }
}

/// Some of the axes.
pub(super) fn some(draw: &mut Draw, axes: &[(Name, usize)]) -> Vec<(Name, usize)> {
    axes.iter().copied().filter(|_| draw.below(2) == 0).collect()
}

/// A node with some elementwise steps behind it.
pub(super) fn tailed(draw: &mut Draw, kind: Kind, node: Node, axes: &[(Name, usize)]) -> Node {
    let mut node = node;
    for _ in 0..draw.below(4) {
        let part = some(draw, axes);
        let other = leaf(draw, kind, &part, Look::Small);
        node = match draw.below(6) {
            0 => node.unary(Unary::Relu),
            1 => node.binary(Binary::Mul, &other),
            2 => other.binary(Binary::Sub, &node),
            3 => node.binary(Binary::Mul, &node),
            4 => Node::fill(kind, 0.3, Shape::default()).binary(Binary::Mul, &node),
            _ => node.binary(Binary::Add, &other),
        };
    }
    node
}

/// Attention, perhaps with a mask of any numbers, and what it owes.
fn attention_case(draw: &mut Draw, kind: Kind, fine: f64) -> (Vec<Node>, f64, String) {
    let [b, r, k, p, c, r2] = [0, 1, 2, 3, 4, 5].map(|i| NAMES[i]);
    let (rows, positions) = loop {
        let (rows, positions) = (*draw.of(&SIZES), *draw.of(&SIZES));
        if rows * positions <= 70_000 {
            break (rows, positions);
        }
    };
    let [keys, columns] = [0, 1].map(|_| *draw.of(&[1, 4, 8, 15, 16, 17, 33, 64, 65]));
    let batch = if draw.below(2) == 0 { vec![(b, *draw.of(&[1, 2, 3]))] } else { vec![] };
    let more = if draw.below(4) == 0 { vec![(r2, 2)] } else { vec![] };
    let join = |parts: &[&[(Name, usize)]]| parts.concat();
    let q = leaf(draw, kind, &join(&[&batch, &more, &[(r, rows), (k, keys)]]), Look::Small);
    let with = some(draw, &batch);
    let x = leaf(draw, kind, &join(&[&with, &[(p, positions), (k, keys)]]), Look::Small);
    let with = some(draw, &batch);
    let v = leaf(draw, kind, &join(&[&with, &[(p, positions), (c, columns)]]), Look::Small);
    let mut scores = q.contract(&x, &[k]);
    let scale = Node::fill(kind, *draw.of(&[2.7, 0.01, 1e-3, 8.0]), Shape::default());
    scores = match draw.below(3) {
        0 => scores.binary(Binary::Div, &scale),
        1 => scores.binary(Binary::Mul, &scale),
        _ => scores,
    };
    let masked = draw.below(4);
    let mask = match masked {
        0 => Some(leaf(draw, kind, &[(r, rows), (p, positions)], Look::Small)),
        1 => Some(leaf(draw, kind, &[(r, rows), (p, positions)], Look::Wild)),
        2 => {
            let before = Node::iota(p, positions).compare(crate::element::Comparison::Le, &Node::iota(r, rows));
            let [zero, low] = [0.0, f64::NEG_INFINITY].map(|x| Node::fill(kind, x, Shape::default()));
            Some(before.select(&zero, &low))
        }
        _ => None,
    };
    if let Some(mask) = &mask {
        scores = scores.binary(Binary::Add, mask);
    }
    let sum = scores.softmax(&[p], false).contract(&v, &[p]);
    let context =
        format!("attention {rows}x{positions} keys {keys} columns {columns} {batch:?} {more:?} mask {masked} {kind:?}");
    // Differences of weights that saturate drown in the rounding of `f32`.
    if draw.below(3) == 0 && masked != 1 && kind == Kind::F64 {
        let owed: Vec<Node> = graph::calculus::reverse(&[(sum.clone(), sum.unary(Unary::Cos))], &[q, x, v], &[])
            .into_iter()
            .flatten()
            .collect();
        return (owed, fine * 3000.0, context + " gradient");
    }
    (vec![sum], fine * 300.0, context)
}

/// Roots, and how far they may be apart relative to the largest.
fn case(seed: u64) -> (Vec<Node>, f64, String) {
    let mut draw = Draw::new(0xed6e + seed);
    let draw = &mut draw;
    let kind = if draw.below(3) > 0 { Kind::F32 } else { Kind::F64 };
    let fine = if kind == Kind::F32 { 1e-5 } else { 1e-12 };
    let name = |i: usize| NAMES[i];
    let [a, b, m, k, n] = [0, 1, 2, 3, 4].map(name);
    let budget = |draw: &mut Draw, count: usize, most: usize| loop {
        let sizes: Vec<usize> = (0..count).map(|_| *draw.of(&SIZES)).collect();
        if sizes.iter().map(|&size| size.max(1)).fold(1, usize::saturating_mul) <= most {
            return sizes;
        }
    };
    match draw.below(10) {
        8 | 9 => attention_case(draw, kind, fine),
        what @ 0..=3 => {
            let s = budget(draw, 3, if what == 3 { 1_000_000 } else { 6_000_000 });
            let batch = match draw.below(3) {
                0 => vec![(a, *draw.of(&[1, 2, 3, 9, 16, 17])), (b, *draw.of(&[1, 2, 5]))],
                1 => vec![(a, *draw.of(&[2, 8, 16, 33]))],
                _ => vec![],
            };
            let total: usize = batch.iter().map(|axis| axis.1).product();
            let batch = if total * s[0] * s[1] * s[2] > 12_000_000 { vec![] } else { batch };
            let axis = |i: usize| [(m, s[0]), (k, s[1]), (n, s[2])][i];
            let left = [some(draw, &batch), vec![axis(0), axis(1)]].concat();
            let right = [some(draw, &batch), vec![axis(1), axis(2)]].concat();
            // At times one side has no axis of its own.
            let left = if draw.below(8) == 0 { [batch.clone(), vec![axis(1)]].concat() } else { left };
            let right = if draw.below(8) == 0 { [batch.clone(), vec![axis(1)]].concat() } else { right };
            let (x, y) = (leaf(draw, kind, &left, Look::Small), leaf(draw, kind, &right, Look::Small));
            let product = if draw.below(2) == 0 { x.contract(&y, &[k]) } else { y.contract(&x, &[k]) };
            let product = match draw.below(3) {
                0 => product.binary(Binary::Div, &Node::fill(kind, 3.7, Shape::default())),
                _ => product,
            };
            let axes: Vec<_> = product.shape().iter().collect();
            let root = tailed(draw, kind, product.clone(), &axes);
            if what == 3 {
                let sum = root.unary(Unary::Tanh);
                let owed: Vec<Node> = graph::calculus::reverse(&[(sum.clone(), sum.unary(Unary::Cos))], &[x, y], &[])
                    .into_iter()
                    .flatten()
                    .collect();
                return (owed, fine * 300.0, format!("gradient {s:?} {batch:?} {kind:?}"));
            }
            (vec![root], fine * 5.0, format!("product {s:?} {batch:?} {kind:?}"))
        }
        what @ 4..=6 => {
            let s = budget(draw, 3, 300_000);
            let axes = [(a, s[0]), (b, s[1]), (m, s[2])];
            let numbers = *draw.of(&[Look::Small, Look::LargeMean, Look::Constant, Look::Wild]);
            let x = leaf(draw, kind, &axes, numbers);
            let over = match draw.below(6) {
                0 => some(draw, &axes).iter().map(|axis| axis.0).collect(),
                i => vec![axes[i % 3].0],
            };
            let x = if draw.below(3) == 0 { tailed(draw, kind, x, &[]) } else { x };
            let y = match what {
                4 => x.softmax(&over, draw.below(3) == 0),
                5 if numbers == Look::Wild || draw.below(2) == 0 => x.standardize(&over, *draw.of(&[1e-5, 0.1])),
                5 => {
                    let lacking = draw.below(2);
                    let owed = leaf(draw, kind, &axes[lacking..], Look::Small);
                    x.standardize_gradient(&owed.filled(&x.shape().only(&over)), &over, *draw.of(&[1e-5, 0.1]))
                }
                _ => x.reduce(*draw.of(&[Reduction::Sum, Reduction::Max, Reduction::Min]), &over),
            };
            let out: Vec<_> = y.shape().iter().collect();
            let root = tailed(draw, kind, y, &out);
            let loose = if numbers == Look::LargeMean {
                1e4
            } else if numbers == Look::Constant {
                1e3
            } else {
                30.0
            };
            (vec![root], fine * loose, format!("line {what} over {over:?} of {axes:?} {numbers:?} {kind:?}"))
        }
        _ => {
            let s = budget(draw, 2, 400_000);
            let axes = [(a, s[0]), (b, s[1])];
            let (x, y) = (leaf(draw, kind, &axes, Look::Small), leaf(draw, kind, &axes, Look::Small));
            let third = leaf(draw, kind, &[axes[1]], Look::Small);
            let over = if draw.below(2) == 0 { a } else { b };
            let product = x.binary(Binary::Mul, &y).binary(Binary::Mul, &third);
            let sums = [
                x.contract(&y, &[over]),
                product.reduce(Reduction::Sum, &[over]),
                x.standardize(&[b], 1e-5).contract(&y, &[a]),
            ];
            (sums.into_iter().collect(), fine * 30.0, format!("pairs {s:?} {over:?} {kind:?}"))
        }
    }
}

#[test]
fn sizes_at_every_edge_have_the_same_numbers_planned_and_plain() {
    let mut compared = 0;
    for seed in 0..250 {
        let (roots, tolerance, context) = case(seed);
        let (fresh, ..) = case(seed);
        let (planned, plain) = match (evaluate(&roots), graph::evaluate::plainly(&fresh)) {
            (Ok(planned), Ok(plain)) => (planned, plain),
            (planned, plain) => {
                let [planned, plain] = [planned.err(), plain.err()].map(|error| error.map(|error| error.kind()));
                assert_eq!(planned, plain, "{seed}, {context}: one error");
                continue;
            }
        };
        for ((root, planned), plain) in roots.iter().zip(&planned).zip(&plain) {
            let (planned, plain) = (elements(root, planned), elements(root, plain));
            let largest = plain.iter().filter(|x| x.is_finite()).fold(0.01_f64, |largest, x| largest.max(x.abs()));
            for (i, (x, y)) in planned.iter().zip(&plain).enumerate() {
                let same = x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= tolerance * largest;
                assert!(
                    same,
                    "{seed}, {context}: {root:?} at {i}: planned {x}, plainly {y}\n{}",
                    describe(&fresh).unwrap_or_default()
                );
            }
            compared += plain.len();
        }
    }
    assert!(compared > 500_000, "most cases have numbers: {compared}");
}
