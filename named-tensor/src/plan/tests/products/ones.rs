//! Identities, and ones at positions, as factors and terms of products: they are never made.

use super::super::indexing::positions;
use super::super::*;
use super::again::{some, stays_small};
use super::owed;
use crate::element::Comparison;

const N: Name = Name::declared("n");
const M: Name = Name::declared("m");
const D: Name = Name::declared("d");
const H: Name = Name::declared("h");

#[test]
fn an_identity_in_a_sum_is_no_large_tensor() {
    let mut draw = Draw::new(12);
    let other = Name::declared("n_");
    let eye = Node::iota(N, 60).compare(Comparison::Eq, &Node::iota(other, 60)).cast(Kind::F64);
    let (x, u) = (some(&mut draw, &[(N, 60), (D, 4)]), some(&mut draw, &[(N, 60), (H, 3)]));
    let (v, s) = (some(&mut draw, &[(N, 60)]), some(&mut draw, &[(M, 5), (N, 60)]));
    let number = |value: f64| Node::fill(Kind::F64, value, Shape::default());
    let [u_, v_] = [&u, &v].map(|one| one.rename(&[(N, other)]));
    let add = |x: &Node, y: &Node| x.binary(Binary::Add, y);
    let outer = v.binary(Binary::Mul, &v_);
    let products = x.contract(&x.rename(&[(N, other)]), &[D]);
    for (matrix, what) in [
        (add(&eye, &u.contract(&u_, &[H])), "of low rank besides"),
        (eye.binary(Binary::Sub, &number(1.0 / 60.0)), "what centres"),
        (eye.binary(Binary::Sub, &outer.binary(Binary::Mul, &number(0.5))), "a reflection"),
        (add(&eye.binary(Binary::Mul, &v), &outer), "a diagonal"),
        (
            add(&products.binary(Binary::Div, &number(4.0)), &eye.binary(Binary::Mul, &number(0.1))),
            "a mean of products",
        ),
        (number(1.0).binary(Binary::Sub, &eye).binary(Binary::Mul, &products), "all but the diagonal"),
    ] {
        for by in [&x, &s] {
            let root = matrix.contract(by, &[N]);
            stays_small(std::slice::from_ref(&root), 60 * 20, what);
            let owed = owed(&root, &[x.clone(), u.clone(), v.clone(), s.clone()]);
            stays_small(&owed, 60 * 20, &format!("{what}, backwards"));
        }
    }
}

#[test]
fn ones_at_positions_are_not_made_for_what_they_are_multiplied_with() {
    let mut draw = Draw::new(13);
    let [at, bond] = [Name::declared("at"), Name::declared("bond")];
    let hot = |positions: &Node, name: Name| Node::iota(name, 40).compare(Comparison::Eq, positions).cast(Kind::F64);
    let [i, j] = [(); 2].map(|()| positions(&mut draw, Shape::new([(bond, 50)]), 40));
    let (w, x) = (some(&mut draw, &[(bond, 50)]), some(&mut draw, &[(bond, 50), (D, 3)]));
    let y = some(&mut draw, &[(at, 40), (D, 3)]);
    let sum = |node: Node| node.reduce(Reduction::Sum, &[bond]);
    let both = hot(&i, at).binary(Binary::Sub, &hot(&j, at));
    let strain = both.contract(&y, &[at]);
    let other = Name::declared("at_");
    let renamed = both.rename(&[(at, other)]);
    // Weights between the ends of each bond, and the sum of what differs.
    let weights = sum(hot(&i, at).binary(Binary::Mul, &w).binary(Binary::Mul, &hot(&j, at).rename(&[(at, other)])));
    let z = some(&mut draw, &[(at, 40)]);
    let degrees = weights.reduce(Reduction::Sum, &[other]).binary(Binary::Mul, &z);
    let differs = degrees.binary(Binary::Sub, &weights.contract(&z.rename(&[(at, other)]), &[other]));
    let roots = [
        (sum(hot(&i, at).binary(Binary::Mul, &w)), "weights"),
        (sum(hot(&i, at).binary(Binary::Mul, &w).binary(Binary::Mul, &x)), "weighed rows"),
        (both.contract(&x, &[bond]), "a difference"),
        (both.contract(&w.binary(Binary::Mul, &strain), &[bond]), "a Laplacian"),
        (renamed.contract(&w.binary(Binary::Mul, &strain), &[bond]), "one under a new name"),
        (differs, "a Laplacian by weights"),
        (hot(&i, at).reduce(Reduction::Sum, &[at]), "ones where there are positions"),
    ];
    for (root, what) in roots {
        stays_small(std::slice::from_ref(&root), 50 * 9, what);
        stays_small(&owed(&root, &[w.clone(), x.clone(), y.clone(), z.clone()]), 50 * 9, &format!("{what}, backwards"));
    }
}

#[test]
fn sums_of_products_with_ones_are_the_same_planned_and_plain() {
    let other = Name::declared("n_");
    for seed in 0..500 {
        let mut draw = Draw::new(seed);
        let kind = *draw.of(&[Kind::F32, Kind::F64]);
        let eye = Node::iota(N, 7).compare(Comparison::Eq, &Node::iota(other, 7)).cast(kind);
        let at = positions(&mut draw, Shape::new([(M, 9)]), 7);
        let hot = [N, other].map(|name| Node::iota(name, 7).compare(Comparison::Eq, &at).cast(kind));
        let mut leaf = |axes: &[(Name, usize)]| stored(&mut draw, kind, Shape::new(axes.iter().copied()), 1);
        let leaves = [
            leaf(&[(N, 7), (D, 3)]),
            leaf(&[(N, 7)]),
            leaf(&[(M, 9), (D, 3)]),
            leaf(&[(M, 9)]),
            leaf(&[(N, 7), (H, 2)]),
            leaf(&[]),
        ];
        let renamed = |node: &Node| node.rename(&[(N, other)]);
        let mut pool: Vec<Node> = leaves.to_vec();
        pool.extend([eye.clone(), hot[0].clone(), hot[1].clone(), eye, hot[0].clone()]);
        pool.extend([&leaves[0], &leaves[1], &leaves[4]].map(renamed));
        for _ in 0..3 + draw.below(6) {
            let [x, y] = [(); 2].map(|()| pool[draw.below(pool.len())].clone());
            let both: Vec<Name> = x.shape().names().filter(|&name| y.shape().has(name)).collect();
            let axes: Vec<Name> = both.into_iter().filter(|_| draw.below(2) == 0).collect();
            let all: Vec<Name> = x.shape().names().filter(|_| draw.below(3) == 0).collect();
            let made = match draw.below(8) {
                0..=2 => x.binary(Binary::Mul, &y),
                3 => x.binary(*draw.of(&[Binary::Add, Binary::Sub]), &y),
                4..=6 => x.contract(&y, &axes),
                _ => x.reduce(Reduction::Sum, &all),
            };
            if made.shape().elements() <= 4000 {
                pool.push(made);
            }
        }
        let root = pool[pool.len() - 1].clone();
        let names: Vec<Name> = root.shape().names().filter(|_| draw.below(2) == 0).collect();
        let root = root.reduce(Reduction::Sum, &names);
        let owed = owed(&root, &leaves);
        both_ways(&owed, &format!("{seed}, gradients"));
        both_ways(
            &owed.into_iter().chain([root, pool[pool.len() - 2].clone()]).collect::<Vec<_>>(),
            &format!("{seed}"),
        );
    }
}
