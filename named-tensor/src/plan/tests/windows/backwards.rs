//! What goes backwards along its axes.

use super::*;
use crate::plan::layout::Place;

const ROW: Name = NAMES[0];
const SEQ: Name = NAMES[1];
const CHANNEL: Name = NAMES[2];
const KERNEL: Name = NAMES[3];

fn tensor(seed: u64, axes: &[(Name, usize)]) -> Node {
    stored(&mut Draw::new(seed), Kind::F32, Shape::new(axes.iter().copied()), 1)
}

fn actions(root: &Node) -> Vec<Action> {
    lower::schedule(&Trace::new(std::slice::from_ref(root)).unwrap())
        .steps
        .into_iter()
        .map(|step| step.action)
        .collect()
}

#[test]
fn what_is_reduced_goes_forwards() {
    let x = tensor(1, &[(ROW, 40), (SEQ, 50), (CHANNEL, 30)]);
    let back = x.flip(SEQ).flip(CHANNEL);
    for reduction in [Reduction::Sum, Reduction::Max, Reduction::Min, Reduction::Product] {
        for root in [back.reduce(reduction, &[SEQ, CHANNEL]), back.unary(Unary::Sin).reduce(reduction, &[CHANNEL, SEQ])]
        {
            both_ways(std::slice::from_ref(&root), "backwards");
        }
    }
    let sum = back.reduce(Reduction::Sum, &[SEQ, CHANNEL]);
    let squares = back.binary(Binary::Mul, &back).reduce(Reduction::Sum, &[ROW, SEQ, CHANNEL]);
    let is_forwards = |place: &Place| place.strides.iter().all(|&stride| stride >= 0);
    match &actions(&sum)[..] {
        [Action::Reduce { source, .. }] => assert!(is_forwards(source)),
        other => panic!("{other:?}"),
    }
    match &actions(&squares)[..] {
        [Action::ReduceComputed { operands, .. }] => assert!(operands.iter().all(is_forwards)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_larger_operand_of_a_product_goes_forwards_and_a_small_one_is_copied() {
    let (x, w) = (tensor(1, &[(ROW, 7), (CHANNEL, 3), (SEQ, 80)]), tensor(2, &[(CHANNEL, 3), (KERNEL, 5)]));
    let windows = x.window(SEQ, KERNEL, 5, 1);
    for root in
        [windows.flip(KERNEL).contract(&w, &[CHANNEL, KERNEL]), w.flip(KERNEL).contract(&windows, &[KERNEL, CHANNEL])]
    {
        for action in actions(&root) {
            if let Action::Product { inner, .. } = action {
                assert!(inner.left >= 0 && inner.right >= 0, "{root:?}");
            }
        }
        both_ways(&[root], "a convolution");
    }
}

#[test]
fn products_of_what_goes_backwards_are_the_same_whatever_axes_do() {
    for seed in 0..1200 {
        let mut draw = Draw::new(seed);
        let kind = if seed % 2 == 0 { Kind::F32 } else { Kind::F64 };
        let sizes = NAMES.map(|name| (name, *draw.of(&[1, 2, 3, 5, 9, 17])));
        let of = |draw: &mut Draw| {
            let mut axes: Vec<(Name, usize)> = sizes[..5].iter().copied().filter(|_| draw.below(3) > 0).collect();
            (1..axes.len()).for_each(|i| axes.swap(i, draw.below(i + 1)));
            let x = stored(draw, kind, Shape::new(axes.iter().copied()), 1);
            axes.iter().fold(x, |x, &(name, size)| match draw.below(4) {
                0 => x,
                1 if size > 2 => x.window(name, name.freshened(), 2, 1).flip(name).reduce(Reduction::Sum, &[]),
                _ => x.flip(name),
            })
        };
        let (x, y) = (of(&mut draw), of(&mut draw));
        let shared: Vec<Name> = x.shape().names().filter(|&name| y.shape().has(name)).collect();
        let summed = draw.subset(shared.iter().copied());
        let product = x.contract(&y, &summed);
        let roots = [
            product.clone(),
            x.binary(Binary::Add, &y).softmax(&summed, false),
            x.reduce(Reduction::Max, &summed),
            product.flip(product.shape().names().next().unwrap_or(ROW)),
        ];
        let roots: Vec<Node> =
            roots.into_iter().filter(|root| root.error().is_none() && root.shape().elements() < 60_000).collect();
        both_ways(&roots, &format!("backwards {seed}"));
    }
}
