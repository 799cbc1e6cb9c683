//! The gradient of a standardization with a gain, against the plain evaluation.
//!
//! Lives here: gains of any layout, and which steps there are. Not here: the loop (`kernel::standardize`).

use super::edges::{Look, leaf, tailed};
use super::*;

const M: Name = Name::declared("m");
const N: Name = Name::declared("n");
const K: Name = Name::declared("k");

/// Numbers that lie without gaps.
fn dense(seed: u64, axes: &[(Name, usize)]) -> Node {
    stored(&mut Draw::new(seed), Kind::F32, Shape::new(axes.iter().copied()), 1)
}

fn actions(roots: &[Node]) -> Vec<&'static str> {
    lower::schedule(&Trace::new(roots).unwrap()).steps.iter().map(|step| named(&step.action)).collect()
}

#[test]
fn what_is_owed_times_a_gain_is_stored_nowhere_where_rows_lie_in_one_piece() {
    let [x, owed] = [1, 2].map(|seed| dense(seed, &[(M, 5), (N, 30)]));
    let gain = dense(3, &[(N, 30)]);
    let of = |x: &Node, owed: &Node, gain: &Node| x.standardize_gradient(&owed.binary(Binary::Mul, gain), &[N], 1e-5);
    assert_eq!(actions(&[of(&x, &owed, &gain)]), ["standardize gradient"]);
    assert_eq!(actions(&[of(&x, &gain, &owed)]), ["standardize gradient"], "the gain first");
    let wide = [1, 2].map(|seed| dense(seed, &[(N, 5), (M, 300)]));
    let sides = actions(&[of(&wide[0], &wide[1], &dense(3, &[(N, 5)]))]);
    assert_eq!(sides, ["map", "standardize gradient"], "rows side by side");
    let product = owed.binary(Binary::Mul, &gain);
    let twice = [x.standardize_gradient(&product, &[N], 1e-5), product];
    assert_eq!(actions(&twice), ["map", "standardize gradient"], "somebody else needs the product");
    let two = of(&x, &owed, &dense(4, &[(M, 5), (N, 30)]));
    assert_eq!(actions(&[two]), ["map", "standardize gradient"], "two that are as large");
    let cubes = [1, 2].map(|seed| dense(seed, &[(M, 4), (N, 3), (K, 6)]));
    let part = cubes[1].binary(Binary::Mul, &dense(6, &[(K, 6)]));
    let part = [cubes[0].standardize_gradient(&part, &[N, K], 1e-5)];
    assert!(actions(&part).contains(&"map"), "a gain of one of two axes is no row");
    both_ways(&part, "a gain of one of two axes");
    let other = of(&x, &owed, &dense(5, &[(M, 5)]));
    assert_eq!(actions(&[other]), ["map", "standardize gradient"], "a factor for each row");
}

#[test]
fn a_gain_with_some_of_the_axes_of_a_row_is_multiplied_before() {
    // The rows lie in one piece, so that a gain could be taken.
    let dense = |seed: u64, axes: &[(Name, usize)]| {
        let (mut draw, shape) = (Draw::new(seed), Shape::new(axes.iter().copied()));
        let numbers = (0..shape.elements()).map(|_| draw.below(1000) as f32 / 500.0 - 1.0).collect();
        let strides = graph::value::row_major(shape.sizes());
        Node::input(Value { buffer: Arc::new(Buffer::F32(numbers)), offset: 0, strides }, shape)
    };
    let axes = [(M, 4), (N, 3), (K, 6)];
    let [x, owed] = [1, 2].map(|seed| dense(seed, &axes));
    for (gain, taken) in [(&axes[1..], true), (&axes[2..], false), (&axes[1..2], false), (&axes[3..], false)] {
        let product = owed.binary(Binary::Mul, &dense(3, gain));
        let roots = [x.standardize_gradient(&product, &[N, K], 1e-5)];
        assert_eq!(!actions(&roots).contains(&"map"), taken, "{gain:?}");
        both_ways(&roots, "a gain of some axes");
    }
}

#[test]
fn gains_of_any_layout_have_the_same_numbers_planned_and_plain() {
    let mut taken = 0;
    for seed in 0..400 {
        let mut draw = Draw::new(0x6a1 + seed);
        let draw = &mut draw;
        let kind = if draw.below(2) == 0 { Kind::F32 } else { Kind::F64 };
        let axes: Vec<(Name, usize)> =
            [M, N, K].into_iter().map(|name| (name, *draw.of(&[1, 2, 5, 16, 33, 70]))).collect();
        let over: Vec<Name> = if draw.below(2) == 0 { vec![N] } else { vec![N, K] };
        let row: Vec<(Name, usize)> = axes.iter().copied().filter(|axis| over.contains(&axis.0)).collect();
        let (x, owed) = (leaf(draw, kind, &axes, Look::Small), leaf(draw, kind, &axes, Look::Small));
        let gain = leaf(draw, kind, &row, Look::Small);
        let product =
            if draw.below(2) == 0 { owed.binary(Binary::Mul, &gain) } else { gain.binary(Binary::Mul, &owed) };
        let root = x.standardize_gradient(&product, &over, 0.1);
        let root = tailed(draw, kind, root, &axes);
        let roots = [root];
        taken += usize::from(!actions(&roots).contains(&"map"));
        both_ways(&roots, &format!("gain {seed} over {over:?}"));
    }
    assert!(taken > 30, "many of them are one step: {taken}");
}
