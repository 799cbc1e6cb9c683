//! What is computed before windows are taken.

use super::*;

const A: Name = Name::declared("a");
const B: Name = Name::declared("b");
const C: Name = Name::declared("c");
const I: Name = Name::declared("i");
const J: Name = Name::declared("j");

/// The operations of a plan, as it tells them.
fn operations(roots: &[Node]) -> f64 {
    let page = describe(roots).unwrap();
    let total = page.lines().last().unwrap().split("   ").nth(1).unwrap();
    let (number, unit) = total.split_once(' ').unwrap();
    let unit = match unit {
        "FLOP" => 1.0,
        "kFLOP" => 1e3,
        "MFLOP" => 1e6,
        other => panic!("{other}"),
    };
    number.parse::<f64>().unwrap() * unit
}

/// Whether a plan takes no more operations than these, and gives the same numbers.
fn takes_at_most(roots: &[Node], limit: usize, what: &str) {
    let all = operations(roots);
    assert!(all <= limit as f64 * 1.05, "{what}: {all} of {limit}: {}", describe(roots).unwrap());
    both_ways(roots, what);
}

/// Windows along two axes.
fn windows(x: &Node, size: usize, step: usize) -> Node {
    x.window(B, J, size, step).window(A, I, size, step)
}

/// A picture of two channels.
fn picture(seed: u64) -> Node {
    tensor(seed, Kind::F64, &[(A, 40), (B, 30), (C, 2)])
}

const ALL: usize = 40 * 30 * 2;

#[test]
fn a_function_of_windows_is_computed_once_for_each_number() {
    let scale = tensor(2, Kind::F64, &[(C, 2)]);
    let each = windows(&picture(1), 5, 1).unary(Unary::Exp).binary(Binary::Mul, &scale);
    let weights = tensor(3, Kind::F64, &[(A, 36), (B, 26), (I, 5)]);
    // To read what was computed is all that is left, or a sum that has the axes of windows.
    takes_at_most(std::slice::from_ref(&each), 2 * ALL + 36 * 26 * 25 * 2, "a root");
    let sum = each.rename(&[(C, Name::declared("c_"))]).binary(Binary::Add, &weights).reduce(Reduction::Sum, &[J]);
    takes_at_most(&[sum], 3 * ALL + 36 * 26 * 5 * 5 * 2 * 2, "beside what has axes of the windows");
}

#[test]
fn a_sum_over_windows_along_two_axes_is_one_along_each() {
    for reduction in [Reduction::Sum, Reduction::Max, Reduction::Min] {
        for (size, step) in [(5, 1), (7, 1), (4, 2)] {
            let x = picture(4);
            let most = size * (36 * 30 + 36 * 26) * 2;
            let root = windows(&x, size, step).reduce(reduction, &[I, J]);
            takes_at_most(std::slice::from_ref(&root), most, &format!("{reduction:?} of {size}, {step} apart"));
            if step == 1 && reduction == Reduction::Sum {
                let root = windows(&x, size, step).reduce(reduction, &[I, J, C]);
                takes_at_most(std::slice::from_ref(&root), ALL + most / 2, "and over another axis, before");
                let owed = tensor(5, Kind::F64, &root.shape().iter().collect::<Vec<_>>());
                let owed = reverse(&[(root, owed)], &[x], &[]);
                let owed: Vec<Node> = owed.into_iter().flatten().collect();
                takes_at_most(&owed, size * (40 * 30 + 40 * 26) + 3 * ALL, "what it owes is one as well");
            }
        }
    }
}

#[test]
fn products_of_the_same_windows_are_windows_of_products() {
    let (x, y) = (picture(6), picture(7));
    let [one, other] = [&x, &y].map(|x| windows(x, 6, 1));
    let least = ALL + 6 * (40 * 25 + 35 * 25) * 2;
    takes_at_most(&[one.contract(&other, &[I, J])], 2 * least, "over the windows");
    takes_at_most(&[one.contract(&other, &[I, J, C])], 2 * least, "and over another axis");
    // A matrix is applied to each number, not to each number of each window.
    let w = tensor(8, Kind::F64, &[(C, 2), (Name::declared("d"), 3)]);
    let by = one.contract(&w, &[C]);
    takes_at_most(&[by.reduce(Reduction::Max, &[I, J])], ALL * 6 + 6 * (40 * 25 + 35 * 25) * 3, "a matrix");
    // Windows of other sizes, and what has axes of them, stay where they are.
    let wide = windows(&x, 6, 1).binary(
        Binary::Mul,
        &windows(&y, 7, 1).slice(I, 0..6, 1).slice(J, 0..6, 1).pad(A, 0, 1, 1.0).pad(B, 0, 1, 2.0),
    );
    both_ways(&[wide.reduce(Reduction::Sum, &[I, J])], "windows of others");
    both_ways(
        &[one.binary(Binary::Sub, &y.slice(A, 0..35, 1).slice(B, 0..25, 1)).reduce(Reduction::Max, &[J, I])],
        "differences",
    );
}

#[test]
fn windows_under_new_names_and_of_windows_keep_their_numbers() {
    let x = picture(9);
    let k = Name::declared("k");
    let twice = windows(&x, 4, 1).window(I, k, 3, 1).window(A, Name::declared("l"), 5, 2);
    for axes in [&[J, k][..], &[J, k, I], &[C, k], &[A, J], &[J], &[I, k, B]] {
        both_ways(&[twice.unary(Unary::Tanh).reduce(Reduction::Sum, axes)], &format!("{axes:?}"));
    }
    let turned = windows(&x, 5, 1).rename(&[(I, J), (J, I)]).unary(Unary::Exp);
    both_ways(&[turned.reduce(Reduction::Max, &[J, I]), turned.reduce(Reduction::Sum, &[J])], "renamed");
    let none = tensor(1, Kind::F64, &[(A, 0), (C, 2)]).window(A, I, 3, 3).unary(Unary::Exp);
    both_ways(&[none.reduce(Reduction::Sum, &[A, C])], "no windows");
}

#[test]
fn whatever_is_done_to_windows_is_the_same_planned_and_plain() {
    for seed in 0..400 {
        let mut draw = Draw::new(seed);
        let kind = *draw.of(&[Kind::F32, Kind::F64]);
        let size = *draw.of(&[1, 2, 3, 5]);
        let x = tensor(seed, kind, &[(A, 11), (B, 9), (C, 2)]);
        let others = [&[(C, 2)][..], &[(A, 12 - size)], &[(I, size), (C, 2)], &[]];
        let others = others.map(|axes| tensor(seed + 1, kind, axes));
        let one = if draw.below(2) == 0 { windows(&x, size, 1) } else { x.window(A, I, size, 1) };
        let mut y = one.clone();
        for _ in 0..1 + draw.below(5) {
            let with = draw.of(&others).clone();
            y = match draw.below(8) {
                0 => y.unary(Unary::Tanh),
                1 | 2 => y.binary(*draw.of(&[Binary::Mul, Binary::Sub, Binary::Max]), &with),
                3 if y.shape().is(one.shape()) => y.binary(Binary::Mul, &one),
                4 => with.binary(Binary::Add, &y),
                5 if y.shape().has(C) && with.shape().has(C) => y.contract(&with, &[C]),
                6 | 7 if y.shape().rank() > 1 => {
                    let names: Vec<Name> = y.shape().names().collect();
                    let axes: Vec<Name> = names.into_iter().filter(|_| draw.below(3) == 0).collect();
                    y.reduce(*draw.of(&[Reduction::Sum, Reduction::Max]), &axes)
                }
                _ => y.unary(Unary::Neg),
            };
        }
        if y.error().is_some() {
            continue;
        }
        let owed = reverse(&[(y.clone(), y.unary(Unary::Cos))], &[x], &[]);
        both_ways(&owed.into_iter().flatten().chain([y]).collect::<Vec<_>>(), &format!("{seed}"));
    }
}
