//! Convolutions, as windows and contractions, and what they owe: planned as evaluated plainly, and without copies of windows.
//!
//! Lives here: graphs of this form. Not here: the comparison (`mod`).

use super::*;
use crate::graph::calculus::reverse;
use crate::graph::testing;

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
