//! Convolutions, as windows and contractions, and what they owe: planned as evaluated plainly, and without copies of windows.
//!
//! Lives here: graphs of this form. Not here: the comparison (`mod`).

mod backwards;
mod band;
mod late;

use super::*;
use crate::element::Comparison;
use crate::graph::calculus::reverse;
use crate::graph::testing;
use crate::graph::value::{Strides, Value};

/// Numbers that lie in the order of these axes.
fn tensor(seed: u64, kind: Kind, axes: &[(Name, usize)]) -> Node {
    let size: usize = axes.iter().map(|axis| axis.1).product();
    let numbers = (0..size as u64).map(|i| ((i + 31 * seed) * 7919 % 1000) as f64 / 500.0 - 1.0);
    match kind {
        Kind::F32 => testing::tensor(axes, &numbers.map(|x| x as f32).collect::<Vec<_>>()),
        _ => testing::tensor(axes, &numbers.collect::<Vec<_>>()),
    }
}

/// The products of a plan that pack an operand from where it lies, and the copies that it makes.
fn windowed_and_copied(root: &Node) -> [usize; 2] {
    let steps = lower::schedule(&Trace::new(std::slice::from_ref(root)).unwrap()).steps;
    let count = |wanted: fn(&Action) -> bool| steps.iter().filter(|step| wanted(&step.action)).count();
    [
        count(|action| matches!(action, Action::Product { windows: Some(_), .. })),
        count(|action| matches!(action, Action::Join { around: None, .. })),
    ]
}

#[test]
fn a_convolution_of_pictures_and_what_it_owes_are_products_without_copies_of_windows() {
    let [batch, chans, out, height, width] = ["batch", "chans", "out", "height", "width"].map(Name::declared);
    let [kh, kw] = ["kh", "kw"].map(Name::declared);
    for (seed, (inputs, outs, side, window)) in
        [(3, 8, 21, 3), (9, 12, 20, 2), (1, 9, 17, 5), (10, 17, 40, 3)].into_iter().enumerate()
    {
        for kind in [Kind::F32, Kind::F64] {
            let seed = 10 * seed as u64;
            let x = tensor(seed, kind, &[(batch, 2), (chans, inputs), (height, side), (width, side + 1)]);
            let w = tensor(seed + 1, kind, &[(out, outs), (chans, inputs), (kh, window), (kw, window)]);
            let b = tensor(seed + 2, kind, &[(out, outs)]);
            let windows = x.window(width, kw, window, 1).window(height, kh, window, 1);
            let product = w.contract(&windows, &[chans, kh, kw]);
            let y = product.binary(Binary::Add, &b).unary(Unary::Relu);
            let context = format!("{inputs} to {outs} channels, {side} wide, windows of {window}");
            if inputs * window * window >= 16 {
                assert_eq!(windowed_and_copied(&y), [1, 0], "{context}");
            }
            both_ways(std::slice::from_ref(&y), &context);
            let weights = tensor(seed + 3, kind, y.shape().iter().collect::<Vec<_>>().as_slice());
            let owed = reverse(&[(y, weights)], &[x, w, b], &[]);
            both_ways(&owed.into_iter().flatten().collect::<Vec<_>>(), &context);
        }
    }
}

#[test]
fn channels_last_are_convolved_one_by_one_without_copies_of_windows() {
    let [batch, chans, more, height, width] = ["batch", "chans", "more", "height", "width"].map(Name::declared);
    let [kh, kw] = ["kh", "kw"].map(Name::declared);
    for (seed, (channels, side, window, apart)) in
        [(8, 9, 3, 1), (17, 12, 2, 2), (40, 9, 5, 1), (9, 20, 1, 1)].into_iter().enumerate()
    {
        for kind in [Kind::F32, Kind::F64] {
            let seed = 200 + 10 * seed as u64;
            let x = tensor(seed, kind, &[(batch, 2), (height, side), (width, side + apart), (chans, channels)]);
            // As they are stored, with channels last, and with several results of each channel.
            let first = tensor(seed + 1, kind, &[(chans, channels), (kh, window), (kw, window)]);
            let last = tensor(seed + 2, kind, &[(kh, window), (kw, window), (chans, channels)]);
            let several = tensor(seed + 3, kind, &[(more, 3), (chans, channels), (kh, window), (kw, window)]);
            let windows = x.window(width, kw, window, apart).window(height, kh, window, apart);
            for (w, copies) in [(first, 1), (last, 0), (several, 1)] {
                let y = w.contract(&windows, &[kh, kw]);
                let context = format!("{channels} channels, {side} wide, windows of {window}, {apart} apart");
                if window > 1 {
                    assert_eq!(windowed_and_copied(&y), [0, copies], "the weights alone are turned: {context}");
                }
                both_ways(std::slice::from_ref(&y), &context);
                let weights = tensor(seed + 4, kind, y.shape().iter().collect::<Vec<_>>().as_slice());
                let owed = reverse(&[(y, weights)], &[x.clone(), w], &[]);
                both_ways(&owed.into_iter().flatten().collect::<Vec<_>>(), &context);
            }
        }
    }
}

#[test]
fn an_operand_that_repeats_itself_is_one_of_pairs_once_it_is_copied() {
    let [chans, more, a, b, c] = ["chans", "more", "a", "b", "c"].map(Name::declared);
    let x = tensor(300, Kind::F64, &[(b, 2), (more, 3), (c, 2), (a, 2), (chans, 8)]);
    // One number for all positions of `more`, and channels that lie first.
    let w = tensor(301, Kind::F64, &[(chans, 8), (a, 2), (b, 2), (c, 2)]);
    let value = Value { strides: Strides::from_slice(&[8, 4, 2, 1, 0]), ..w.value().expect("stored").clone() };
    let w = Node::input(value, Shape::new([(chans, 8), (a, 2), (b, 2), (c, 2), (more, 3)]));
    both_ways(&[w.contract(&x, &[a, b, c]), x.contract(&w, &[a, b, c])], "pairs");
}

#[test]
fn windows_apart_and_along_a_line_are_multiplied_where_they_lie() {
    let [chans, out, seq, kernel] = ["chans", "out", "seq", "kernel"].map(Name::declared);
    for (seed, (size, window, apart)) in [(300, 5, 1), (301, 5, 2), (303, 9, 3), (305, 5, 4)].into_iter().enumerate() {
        let seed = 70 + 10 * seed as u64;
        let x = tensor(seed, Kind::F32, &[(chans, 6), (seq, size)]);
        let w = tensor(seed + 1, Kind::F32, &[(out, 10), (chans, 6), (kernel, window)]);
        let y = w.contract(&x.window(seq, kernel, window, apart), &[chans, kernel]);
        let weights = tensor(seed + 2, Kind::F32, y.shape().iter().collect::<Vec<_>>().as_slice());
        let context = format!("windows of {window}, {apart} apart");
        if apart < 4 {
            assert_eq!(windowed_and_copied(&y), [1, 0], "{context}");
        }
        both_ways(std::slice::from_ref(&y), &context);
        both_ways(&reverse(&[(y, weights)], &[x, w], &[]).into_iter().flatten().collect::<Vec<_>>(), &context);
    }
}

#[test]
fn what_is_made_of_overlapping_windows_lies_along_the_longer_axis() {
    let [a, inside] = ["a", "inside"].map(Name::declared);
    for (size, step, longer) in [(3, 1, true), (3, 2, true), (4, 4, false)] {
        let x = tensor(5, Kind::F32, &[(a, size + 19 * step)]);
        let windows = x.window(a, inside, size, step);
        let y = windows.compare(Comparison::Gt, &tensor(6, Kind::F32, &[(a, 20)])).cast(Kind::F32);
        let steps = lower::schedule(&Trace::new(std::slice::from_ref(&y)).unwrap()).steps;
        let last = steps.iter().find_map(|step| match &step.action {
            Action::Map { sizes, .. } => sizes.last().copied(),
            _ => None,
        });
        assert_eq!(last, Some(if longer { 20 } else { size }), "windows of {size}, {step} apart");
        both_ways(&[y], "comparisons");
    }
}

#[test]
fn means_of_windows_owe_the_same_to_all_positions_of_one() {
    let [a, b, inside] = ["a", "b", "inside"].map(Name::declared);
    for (size, step) in [(5, 1), (3, 2), (4, 4)] {
        let x = tensor(1, Kind::F64, &[(b, 7), (a, 8 * step + size)]);
        let sums = x.window(a, inside, size, step).reduce(Reduction::Sum, &[inside]);
        let owed = reverse(&[(sums.clone(), sums.unary(Unary::Cos))], &[x], &[]);
        let roots: Vec<Node> = owed.into_iter().flatten().chain([sums]).collect();
        assert!(both_ways(&roots, &format!("windows of {size}, {step} apart")).is_some());
    }
}

#[test]
fn channels_by_themselves_are_multiplied_where_they_lie() {
    let [batch, chans, height, width] = ["batch", "chans", "height", "width"].map(Name::declared);
    let [kh, kw] = ["kh", "kw"].map(Name::declared);
    for kind in [Kind::F32, Kind::F64] {
        let x = tensor(1, kind, &[(batch, 3), (chans, 5), (height, 25), (width, 27)]);
        let w = tensor(2, kind, &[(chans, 5), (kh, 4), (kw, 3)]);
        let y = w.contract(&x.window(width, kw, 3, 1).window(height, kh, 4, 1), &[kh, kw]);
        assert_eq!(windowed_and_copied(&y), [1, 0]);
        both_ways(std::slice::from_ref(&y), "channels by themselves");
        let weights = tensor(3, kind, y.shape().iter().collect::<Vec<_>>().as_slice());
        let owed: Vec<Node> = reverse(&[(y, weights)], &[x, w], &[]).into_iter().flatten().collect();
        assert!(owed.iter().all(|owed| windowed_and_copied(owed)[0] == 1), "so is what they owe");
        both_ways(&owed, "what channels by themselves owe");
    }
}

#[test]
fn ordinary_products_are_none_of_windows() {
    let [batch, seq, chans, heads, key] = ["batch", "seq", "chans", "heads", "key"].map(Name::declared);
    let x = tensor(1, Kind::F32, &[(batch, 3), (seq, 40), (chans, 64)]);
    let w = tensor(2, Kind::F32, &[(chans, 64), (heads, 4), (key, 16)]);
    let y = x.contract(&w, &[chans]);
    assert_eq!(windowed_and_copied(&y)[0], 0);
    let scores = y.contract(&y.rename(&[(seq, seq.freshened())]), &[key]);
    assert_eq!(windowed_and_copied(&scores)[0], 0);
}

/// A picture with a border, as a user would write it: clamped positions under a condition.
fn bordered(x: &Node, [height, width]: [Name; 2], value: f64) -> Node {
    let number = |value: usize| Node::fill(Kind::Index, value as f64, Shape::default());
    let mut condition: Option<Node> = None;
    let mut chosen = x.clone();
    for axis in [height, width] {
        let size = x.shape().size(axis).unwrap();
        let at = Node::iota(axis, size + 2);
        let moved = at.binary(Binary::Sub, &number(1)).binary(Binary::Max, &number(0));
        chosen = chosen.gather(axis, &moved.binary(Binary::Min, &number(size - 1)));
        for inside in [number(1).compare(Comparison::Le, &at), at.compare(Comparison::Le, &number(size))] {
            condition = Some(condition.map_or_else(|| inside.clone(), |all| all.binary(Binary::And, &inside)));
        }
    }
    condition.unwrap().select(&chosen, &Node::fill(x.kind(), value, Shape::default()))
}

#[test]
fn a_border_is_one_copy_and_what_it_owes_is_a_part() {
    let [batch, chans, out, height, width] = ["batch", "chans", "out", "height", "width"].map(Name::declared);
    let [kh, kw] = ["kh", "kw"].map(Name::declared);
    for (seed, value) in [(200, 0.0), (210, -0.125), (220, f64::NEG_INFINITY)] {
        let x = tensor(seed, Kind::F32, &[(batch, 2), (chans, 3), (height, 21), (width, 19)]);
        let around = bordered(&x, [height, width], value);
        let context = format!("{value} around");
        let steps = lower::schedule(&Trace::new(std::slice::from_ref(&around)).unwrap()).steps;
        let joins: Vec<_> = steps.iter().map(|step| named(&step.action)).collect();
        assert_eq!(joins, ["join"], "{context}");
        assert_eq!(both_ways(std::slice::from_ref(&around), &context), Some(2 * 3 * 23 * 21));
        if !value.is_finite() {
            continue;
        }
        let w = tensor(seed + 1, Kind::F32, &[(out, 9), (chans, 3), (kh, 3), (kw, 3)]);
        let windows = around.window(width, kw, 3, 1).window(height, kh, 3, 1);
        let y = w.contract(&windows, &[chans, kh, kw]);
        let weights = tensor(seed + 3, Kind::F32, y.shape().iter().collect::<Vec<_>>().as_slice());
        let owed = reverse(&[(y, weights)], &[x, w, around], &[]);
        let owed: Vec<Node> = owed.into_iter().flatten().collect();
        assert_eq!(owed.len(), 3, "the choice itself is owed something, too");
        let steps = lower::schedule(&Trace::new(&owed[..1]).unwrap()).steps;
        assert!(!steps.iter().any(|step| matches!(step.action, Action::Scatter { .. })), "{context}");
        both_ways(&owed, &context);
    }
}

#[test]
fn borders_of_one_structure_have_the_plans_of_their_constants() {
    // The same graph but for a constant, which is no part of the structure otherwise.
    let axis = Name::declared("axis");
    let x = tensor(230, Kind::F64, &[(axis, 40)]);
    let number = |value: usize| Node::fill(Kind::Index, value as f64, Shape::default());
    for (moved, cut) in [(11, 39), (12, 39), (20, 39), (11, 38), (30, 39), (11, 40)] {
        let at = Node::iota(axis, 70);
        let positions = at.binary(Binary::Sub, &number(moved)).binary(Binary::Max, &number(0));
        let chosen = x.gather(axis, &positions.binary(Binary::Min, &number(cut)));
        for (last, around) in [(moved + 39, 9.5), (moved + 39, 10.5), (moved + 38, 9.5), (moved + 40, 9.5)] {
            let inside = number(moved).compare(Comparison::Le, &at);
            let inside = inside.binary(Binary::And, &at.compare(Comparison::Le, &number(last)));
            let y = inside.select(&chosen, &Node::fill(Kind::F64, around, Shape::default()));
            both_ways(std::slice::from_ref(&y), &format!("moved by {moved}, {cut} at most, up to {last}"));
        }
    }
}

#[test]
fn what_is_chosen_or_stands_outside_of_a_border_may_be_differentiated() {
    let [height, width] = ["height", "width"].map(Name::declared);
    let x = tensor(240, Kind::F64, &[(height, 5), (width, 4)]);
    let around = bordered(&x, [height, width], 3.0);
    let [_, chosen, outside] = around.inputs() else { panic!("a choice has three inputs") };
    let weights = tensor(241, Kind::F64, &[(height, 7), (width, 6)]);
    let variables = [x.clone(), chosen.clone(), outside.clone()];
    let owed = reverse(&[(around.clone(), weights)], &variables, &[]);
    let owed: Vec<Node> = owed.into_iter().flatten().collect();
    assert_eq!(owed.len(), 3, "all of them are owed something");
    both_ways(&owed, "around a picture");
    let all = owed.iter().map(|owed| owed.reduce(Reduction::Sum, &owed.shape().names().collect::<Vec<_>>()));
    let sums: Vec<f64> = all.map(|sum| testing::read(&sum)[0]).collect();
    let total: f64 = testing::read(&tensor(241, Kind::F64, &[(height, 7), (width, 6)])).iter().sum();
    assert!((sums[0] - sums[1]).abs() < 1e-12 && (sums[1] + sums[2] - total).abs() < 1e-12, "{sums:?} of {total}");
}

#[test]
fn borders_around_borders_are_one_copy_if_nobody_else_reads_them() {
    let [height, width] = ["height", "width"].map(Name::declared);
    let x = tensor(250, Kind::F32, &[(height, 6), (width, 5)]);
    let joins = |roots: &[Node]| {
        let steps = lower::schedule(&Trace::new(roots).unwrap()).steps;
        both_ways(roots, "borders around borders");
        steps.iter().filter(|step| matches!(step.action, Action::Join { .. })).count()
    };
    // Anew each time: what has been evaluated is there.
    let inner = || x.pad(height, 1, 2, 0.0);
    let both = || inner().pad(width, 3, 1, 0.0);
    assert_eq!(joins(&[both()]), 1);
    assert_eq!(joins(&[both().pad(height, 2, 0, 0.0).pad(width, 0, 0, 0.0)]), 1, "along an axis twice");
    let wanted = inner();
    assert_eq!(joins(&[wanted.pad(width, 3, 1, 0.0), wanted]), 2, "the inner one is wanted");
    let read = inner();
    assert_eq!(joins(&[read.pad(width, 3, 1, 0.0), read.unary(Unary::Exp)]), 2, "the inner one is read");
    assert_eq!(joins(&[inner().pad(width, 3, 1, 1.0)]), 2, "another number");
    assert_eq!(joins(&[inner().pad(width, 3, 1, -0.0)]), 2, "the other zero");
}
