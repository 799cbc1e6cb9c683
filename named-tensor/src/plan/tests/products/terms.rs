//! Sums of products with sums and differences within them, planned and plain, with what they owe.

use super::super::*;
use super::{most, owed};

/// How many steps make numbers on the way, or all of what they sum first.
fn made(roots: &[Node]) -> [usize; 2] {
    let schedule = lower::schedule(&Trace::new(roots).unwrap());
    let count = |kind: &str| schedule.steps.iter().filter(|step| named(&step.action) == kind).count();
    [count("reduce computed"), usize::from(most(roots) > 2000)]
}

#[test]
fn sums_that_are_larger_than_what_they_are_made_of_are_sums_of_contractions() {
    let [n, m, k] = ["n", "m", "k"].map(Name::declared);
    let mut draw = Draw::new(1);
    let mut some = |axes: &[(Name, usize)]| stored(&mut draw, Kind::F64, Shape::new(axes.iter().copied()), 1);
    let (p, q, of_pairs) = (some(&[(n, 30), (k, 20)]), some(&[(m, 40), (k, 20)]), some(&[(n, 30), (m, 40)]));
    let one = Node::fill(Kind::F64, 1.0, Shape::default());
    let [add, sub, mul] = [Binary::Add, Binary::Sub, Binary::Mul];
    let either = p.binary(add, &q);
    let both = p.binary(mul, &q);
    let others = one.binary(sub, &p).binary(mul, &one.binary(sub, &q));
    let bias = p.contract(&some(&[(m, 40), (k, 20)]), &[k]).binary(add, &some(&[(m, 40)]));
    for (root, what) in [
        (p.binary(mul, &either).reduce(Reduction::Sum, &[k]), "a sum times what one side has"),
        (p.contract(&either, &[k]), "a contraction with a sum"),
        (either.binary(mul, &of_pairs).reduce(Reduction::Sum, &[m]), "sums that pairs weigh"),
        (both.binary(add, &others).reduce(Reduction::Sum, &[k]), "products of both and of neither"),
        (p.binary(add, &q).binary(sub, &both).reduce(Reduction::Sum, &[k]), "terms without each other's axes"),
        (both.binary(sub, &one).unary(Unary::Neg).reduce(Reduction::Sum, &[k]), "a number for each that is summed"),
        (both.unary(Unary::Neg).reduce(Reduction::Sum, &[k]), "a minus before a product"),
        (q.binary(add, &both).unary(Unary::Neg).reduce(Reduction::Sum, &[n]), "nothing that is added"),
        (bias.contract(&some(&[(m, 40)]), &[m]), "a contraction with something added in between"),
    ] {
        assert_eq!(made(std::slice::from_ref(&root)), [0, 0], "{what}: {}", describe(&[root]).unwrap());
        both_ways(std::slice::from_ref(&root), what);
        let owed = owed(&root, &[p.clone(), q.clone()]);
        assert_eq!(made(&owed), [0, 0], "what is owed for {what}: {}", describe(&owed).unwrap());
        both_ways(&[&[root][..], &owed].concat(), what);
    }
}

#[test]
fn a_product_within_a_sum_is_taken_apart_whatever_it_is_written_in() {
    let [n, k, o] = ["n", "k", "o"].map(Name::declared);
    let mut draw = Draw::new(5);
    let mut some = |axes: &[(Name, usize)]| stored(&mut draw, Kind::F64, Shape::new(axes.iter().copied()), 1);
    let (x, w, v) = (some(&[(n, 30), (k, 20)]), some(&[(k, 20), (o, 40)]), some(&[(k, 20), (o, 40)]));
    let (a, b) = (some(&[(n, 30), (k, 20)]), some(&[(n, 30), (o, 40)]));
    let [add, mul] = [Binary::Add, Binary::Mul];
    let two = Node::fill(Kind::F64, 2.0, Shape::default());
    let grown = w.binary(mul, &a);
    for (part, what) in [
        (grown.binary(mul, &b), "two more factors"),
        (two.binary(mul, &w).binary(mul, &a).binary(mul, &b), "a number first"),
        (grown.binary(mul, &two), "a number last"),
        (grown.unary(Unary::Neg).binary(Binary::Div, &two), "a minus and a divisor"),
    ] {
        let root = x.contract(&v.binary(add, &part), &[k]);
        assert_eq!(made(std::slice::from_ref(&root)), [0, 0], "{what}: {}", describe(&[root]).unwrap());
        let owed = owed(&root, &[x.clone(), w.clone(), a.clone(), b.clone()]);
        both_ways(&[&[root][..], &owed].concat(), what);
    }
}

#[test]
fn a_product_of_small_matrices_beside_a_large_one_is_not_made() {
    let [n, k, o, r] = ["n", "k", "o", "r"].map(Name::declared);
    let mut draw = Draw::new(9);
    let mut some = |axes: &[(Name, usize)]| stored(&mut draw, Kind::F64, Shape::new(axes.iter().copied()), 1);
    let (x, w) = (some(&[(n, 4), (k, 50)]), some(&[(k, 50), (o, 60)]));
    let (a, b) = (some(&[(k, 50), (r, 2)]), some(&[(r, 2), (o, 60)]));
    let two = Node::fill(Kind::F64, 2.0, Shape::default());
    let low = a.contract(&b, &[r]);
    for (matrix, what) in [
        (w.binary(Binary::Add, &two.binary(Binary::Mul, &low)), "adapted"),
        (low.binary(Binary::Add, &w), "the other way round"),
        (w.binary(Binary::Add, &low.binary(Binary::Div, &two)), "halved"),
    ] {
        let root = x.contract(&matrix, &[k]);
        let owed = owed(&root, &[x.clone(), a.clone(), b.clone()]);
        for roots in [std::slice::from_ref(&root), &owed] {
            assert!(most(roots) < 50 * 60, "{what}: {}", describe(roots).unwrap());
            both_ways(roots, what);
        }
    }
    // With many rows it is one product more. What is left of a matrix may be far smaller than its parts.
    let many = some(&[(n, 400), (k, 50)]).contract(&w.binary(Binary::Add, &low), &[k]);
    let left = x.contract(&w.binary(Binary::Sub, &low), &[k]);
    for root in [many, left] {
        let trace = Trace::new(std::slice::from_ref(&root)).unwrap();
        assert!(order::reordered(&trace).is_empty(), "made once");
    }
}

#[test]
fn differences_of_points_far_from_the_origin_keep_their_digits() {
    let [n, k, z] = ["n", "k", "z"].map(Name::declared);
    let mut draw = Draw::new(1);
    let number = |value: f64| Node::fill(Kind::F64, value, Shape::default());
    let some = |draw: &mut Draw, axes: &[(Name, usize)]| {
        let node = stored(draw, Kind::F64, Shape::new(axes.iter().copied()), 1);
        evaluate(std::slice::from_ref(&node)).unwrap();
        node
    };
    let far = |draw: &mut Draw, axes: &[(Name, usize)]| {
        let node = some(draw, axes).binary(Binary::Add, &number(1e7));
        evaluate(std::slice::from_ref(&node)).unwrap();
        node
    };
    let (x, m) = (far(&mut draw, &[(n, 100), (z, 5)]), far(&mut draw, &[(k, 20), (z, 5)]));
    let (weights, pairs) =
        (some(&mut draw, &[(k, 20), (z, 5)]).unary(Unary::Exp), some(&mut draw, &[(n, 100), (k, 20)]));
    let sum = |node: Node, axes: &[Name]| node.reduce(Reduction::Sum, axes);
    let square = |node: &Node| node.binary(Binary::Pow, &number(2.0));
    let [difference, other] = [x.binary(Binary::Sub, &m), m.unary(Unary::Neg).binary(Binary::Add, &x)];
    for difference in [&difference, &other] {
        for axis in [n, k] {
            both_ways(&[sum(pairs.binary(Binary::Mul, difference), &[axis])], "weighed by pairs");
            both_ways(&[pairs.contract(&difference.binary(Binary::Mul, &weights), &[axis])], "and by axes");
        }
        for function in [Binary::Mul, Binary::Div] {
            let root = sum(square(difference).binary(function, &weights), &[z]);
            both_ways(&owed(&root, &[x.clone(), m.clone()]), "what points owe for weighed squares");
            both_ways(&owed(&root, &[x.clone(), m.clone(), weights.clone()]), "what all do");
        }
    }
    // A weighed mean and the variance around it.
    let pairs = pairs.unary(Unary::Exp);
    let total = sum(pairs.clone(), &[n]);
    let mean = pairs.contract(&x, &[n]).binary(Binary::Div, &total);
    let variance = sum(pairs.binary(Binary::Mul, &square(&x.binary(Binary::Sub, &mean))), &[n]);
    both_ways(&owed(&variance.binary(Binary::Div, &total), std::slice::from_ref(&pairs)), "what the weights owe");
}

#[test]
fn squares_of_differences_keep_the_digits_of_small_ones() {
    let [n, m, k] = ["n", "m", "k"].map(Name::declared);
    let dense = |seed: u64, axes: &[(Name, usize)]| {
        stored(&mut Draw::new(seed), Kind::F64, Shape::new(axes.iter().copied()), 1)
    };
    let far = dense(7, &[(k, 20)]).binary(Binary::Add, &Node::fill(Kind::F64, 1e6, Shape::default()));
    let near = |seed: u64, axis: Name| {
        let little = dense(seed, &[(axis, 30), (k, 20)]);
        let near = little.binary(Binary::Mul, &Node::fill(Kind::F64, 1e-3, Shape::default())).binary(Binary::Add, &far);
        evaluate(std::slice::from_ref(&near)).unwrap();
        near
    };
    let (x, y) = (near(3, n), near(4, m));
    let [difference, again] = [x.binary(Binary::Sub, &y), x.binary(Binary::Sub, &y)];
    let weighed = difference.binary(Binary::Mul, &dense(5, &[(m, 30), (k, 20)]));
    for square in [
        difference.binary(Binary::Mul, &again).reduce(Reduction::Sum, &[k]),
        weighed.binary(Binary::Mul, &again).reduce(Reduction::Sum, &[k]),
        weighed.binary(Binary::Mul, &y.binary(Binary::Sub, &x)).reduce(Reduction::Sum, &[k]),
        difference.binary(Binary::Mul, &difference).reduce(Reduction::Sum, &[k]),
        difference.contract(&difference, &[k]),
        weighed.binary(Binary::Mul, &difference).reduce(Reduction::Sum, &[k]),
        difference.binary(Binary::Mul, &weighed).reduce(Reduction::Sum, &[k]),
        difference.contract(&weighed, &[k]),
        difference.binary(Binary::Mul, &again.unary(Unary::Abs)).reduce(Reduction::Sum, &[k]),
    ] {
        let plain = elements(&square, &graph::evaluate::plainly(std::slice::from_ref(&square)).unwrap()[0]);
        let planned = elements(&square, &evaluate(std::slice::from_ref(&square)).unwrap()[0]);
        for (plain, planned) in plain.iter().zip(planned) {
            assert!((plain - planned).abs() <= 1e-9 * plain.abs().max(1e-6), "{plain} {planned}");
        }
    }
}

#[test]
fn of_two_differences_that_are_multiplied_one_stays_a_factor() {
    let [n, m, l, k] = ["n", "m", "l", "k"].map(Name::declared);
    let near = |seed: u64, axis: Name| {
        let little = stored(&mut Draw::new(seed), Kind::F64, Shape::new([(axis, 30), (k, 20)]), 1);
        let [by, far] = [1e-3, 1e6].map(|number| Node::fill(Kind::F64, number, Shape::default()));
        little.binary(Binary::Mul, &by).binary(Binary::Add, &far)
    };
    let [x, y, u, v] = [(1, n), (2, m), (3, m), (4, l)].map(|(seed, axis)| near(seed, axis));
    let values = evaluate(&[x.clone(), y.clone(), u.clone(), v.clone()]).unwrap();
    assert_eq!(values.len(), 4, "they are numbers from here on");
    let product = x.binary(Binary::Sub, &y).binary(Binary::Mul, &u.binary(Binary::Sub, &v));
    let root = product.reduce(Reduction::Sum, &[m, k]);
    let plain = elements(&root, &graph::evaluate::plainly(std::slice::from_ref(&root)).unwrap()[0]);
    let planned = elements(&root, &evaluate(std::slice::from_ref(&root)).unwrap()[0]);
    for (plain, planned) in plain.iter().zip(planned) {
        assert!((plain - planned).abs() <= 1e-8, "{plain} {planned}");
    }
}

#[test]
fn sums_of_products_with_sums_within_them_are_the_same_planned_and_plain() {
    let (mut ordered, mut opened) = (0, 0);
    for seed in 0..2500 {
        let mut draw = Draw::new(seed);
        // Where terms are far larger than their sum, that of f32 has few digits, in either order.
        let kind = Kind::F64;
        let sizes = NAMES.map(|name| (name, *draw.of(&[1, 2, 3, 6, 10])));
        let some = |draw: &mut Draw, least: usize| -> Vec<(Name, usize)> {
            let axes: Vec<_> = sizes.iter().copied().filter(|_| draw.below(3) == 0).collect();
            if axes.len() < least { vec![sizes[draw.below(sizes.len())]] } else { axes.into_iter().take(3).collect() }
        };
        let mut leaves = vec![];
        let mut made: Vec<Node> = vec![];
        for _ in 0..3 {
            let axes = some(&mut draw, 1);
            leaves.push(stored(&mut draw, kind, Shape::new(axes), 1));
        }
        for _ in 0..2 + draw.below(8) {
            let all: Vec<&Node> = leaves.iter().chain(&made).collect();
            let recent = made.last().unwrap_or(&leaves[0]);
            let x = if draw.below(4) > 0 { recent.clone() } else { all[draw.below(all.len())].clone() };
            let y = all[draw.below(all.len())].clone();
            let names: Vec<Name> = x.shape().names().collect();
            let next = match draw.below(13) {
                0..=2 => x.binary(Binary::Add, &y),
                3 | 4 => x.binary(Binary::Sub, &y),
                5 => y.binary(Binary::Sub, &x),
                6 | 7 => x.binary(Binary::Mul, &y),
                8 => {
                    let both: Vec<Name> = names.iter().copied().filter(|&name| y.shape().has(name)).collect();
                    let summed: Vec<Name> = both.into_iter().filter(|_| draw.below(3) > 0).collect();
                    x.contract(&y, &summed)
                }
                9 => x.unary(Unary::Neg),
                10 => {
                    let axes = if draw.below(2) == 0 { vec![] } else { some(&mut draw, 0) };
                    x.binary(Binary::Div, &stored(&mut draw, kind, Shape::new(axes), 1).unary(Unary::Exp))
                }
                11 => {
                    let Some(&from) = names.first() else { continue };
                    let (to, many) = sizes[draw.below(sizes.len())];
                    if many != x.shape().size(from).unwrap_or(0) || x.shape().has(to) {
                        continue;
                    }
                    x.rename(&[(from, to)])
                }
                _ => {
                    let summed: Vec<Name> = names.iter().copied().filter(|_| draw.below(3) == 0).collect();
                    x.reduce(Reduction::Sum, &summed)
                }
            };
            if next.error().is_none() && next.shape().elements() <= 20_000 {
                made.push(next);
            }
        }
        let Some(last) = made.last() else { continue };
        let names: Vec<Name> = last.shape().names().collect();
        let root = last.reduce(Reduction::Sum, &names[..names.len().min(1 + draw.below(2))]);
        let owed = owed(&root, &leaves);
        let trace = Trace::new(&owed).unwrap();
        let orders = order::reordered(&trace);
        ordered += orders.len();
        let adds = |pairs: &Vec<order::Pair>| pairs.iter().any(|pair| pair.does == order::Does::Adds);
        opened += orders.values().filter(|pairs| adds(pairs)).count();
        both_ways(&[&[root][..], &owed].concat(), &format!("graph {seed}"));
    }
    assert!(ordered > 500 && opened > 100, "they are ordered: {ordered}, and sums within them are: {opened}");
}
