//! Products with new names, divisions and themselves between them, planned and plain, with what they owe.

use super::super::*;
use super::{most, owed};

#[test]
fn a_product_is_put_in_order_through_new_names_and_divisions() {
    let [n, k, m, c] = ["n", "k", "m", "c"].map(Name::declared);
    let mut draw = Draw::new(1);
    let mut some = |axes: &[(Name, usize)]| stored(&mut draw, Kind::F64, Shape::new(axes.iter().copied()), 1);
    let (a, b, v) = (some(&[(n, 40), (k, 3)]), some(&[(k, 3), (m, 50)]), some(&[(c, 50)]));
    let (scale, rows) = (some(&[]), some(&[(n, 40)]));
    let product = a.contract(&b, &[k]);
    let renamed = product.rename(&[(m, c)]);
    let root = renamed.contract(&v, &[c]);
    let of_scale = product.binary(Binary::Div, &scale).rename(&[(m, c)]).contract(&v, &[c]);
    let of_rows = renamed.binary(Binary::Div, &rows).contract(&v, &[c]);
    let twice = product.binary(Binary::Mul, &product).reduce(Reduction::Sum, &[n, m]);
    assert!(most(std::slice::from_ref(&twice)) <= 150, "{}", describe(&[twice]).unwrap());
    for root in [root, of_scale, of_rows] {
        assert!(most(std::slice::from_ref(&root)) <= 150, "{}", describe(&[root]).unwrap());
        let owed = owed(&root, &[a.clone(), b.clone()]);
        assert!(most(&owed) <= 150, "{}", describe(&owed).unwrap());
        both_ways(&[root], "forwards");
        both_ways(&owed, "backwards");
    }
}

#[test]
fn products_with_anything_between_them_are_the_same_planned_and_plain() {
    let mut ordered = 0;
    for seed in 0..2500 {
        let mut draw = Draw::new(seed);
        let kind = *draw.of(&[Kind::F32, Kind::F64]);
        let sizes = NAMES.map(|name| (name, *draw.of(&[1, 2, 3, 6, 10])));
        let size = |name: Name| sizes.iter().find(|axis| axis.0 == name).map_or(1, |axis| axis.1);
        let some = |draw: &mut Draw, least: usize| -> Vec<(Name, usize)> {
            let axes: Vec<_> = sizes.iter().copied().filter(|_| draw.below(3) == 0).collect();
            if axes.len() < least { vec![sizes[draw.below(sizes.len())]] } else { axes.into_iter().take(3).collect() }
        };
        let mut leaves = vec![];
        let mut leaf = |draw: &mut Draw, axes: Vec<(Name, usize)>| {
            let leaf = stored(draw, kind, Shape::new(axes), 1);
            leaves.push(leaf.clone());
            leaf
        };
        let axes = some(&mut draw, 1);
        let mut x = leaf(&mut draw, axes);
        let mut before = x.clone();
        for _ in 0..2 + draw.below(6) {
            let names: Vec<Name> = x.shape().names().collect();
            let one = |draw: &mut Draw| (!names.is_empty()).then(|| names[draw.below(names.len())]);
            let next = match draw.below(10) {
                0..=2 => {
                    let axes = some(&mut draw, 0);
                    let y = leaf(&mut draw, axes);
                    let both: Vec<Name> = names.iter().copied().filter(|&name| y.shape().has(name)).collect();
                    let summed: Vec<Name> = both.into_iter().filter(|_| draw.below(3) > 0).collect();
                    if draw.below(2) == 0 { x.contract(&y, &summed) } else { y.contract(&x, &summed) }
                }
                3 | 4 => {
                    // A name of the same size, perhaps one that was summed.
                    let Some(from) = one(&mut draw) else { continue };
                    let (to, many) = sizes[draw.below(sizes.len())];
                    if many == x.shape().size(from).unwrap_or(0) && !x.shape().has(to) && many == size(to) {
                        x.rename(&[(from, to)])
                    } else {
                        continue;
                    }
                }
                5 => {
                    let axes = if draw.below(2) == 0 { vec![] } else { some(&mut draw, 0) };
                    let divisor = leaf(&mut draw, axes).unary(Unary::Exp);
                    x.binary(Binary::Div, &divisor)
                }
                6 => {
                    let Some(axis) = one(&mut draw) else { continue };
                    x.reduce(Reduction::Sum, &[axis])
                }
                7 => x.binary(Binary::Mul, &before),
                8 => x.binary(Binary::Pow, &Node::fill(kind, 2.0, Shape::default())),
                _ => {
                    let Some(axis) = one(&mut draw) else { continue };
                    x.contract(&x, &[axis])
                }
            };
            if next.error().is_some() || next.shape().elements() > 20_000 {
                continue;
            }
            before = std::mem::replace(&mut x, next);
        }
        let owed = owed(&x, &leaves);
        ordered += order::reordered(&Trace::new(&owed).unwrap()).len();
        both_ways(&[&[x][..], &owed].concat(), &format!("graph {seed}"));
    }
    assert!(ordered > 500, "they are ordered: {ordered}");
}

#[test]
fn a_value_beside_its_gradients_makes_no_more_than_either_alone() {
    let [i, j, k, l] = ["i", "j", "k", "l"].map(Name::declared);
    let mut draw = Draw::new(3);
    let mut some = |axes: [Name; 2]| stored(&mut draw, Kind::F64, Shape::new(axes.map(|name| (name, 12))), 1);
    let factors = [some([i, j]), some([k, l]), some([i, k]), some([j, l])];
    let product = factors[1..].iter().fold(factors[0].clone(), |product, next| product.binary(Binary::Mul, next));
    let value = product.reduce(Reduction::Sum, &[i, j, k, l]);
    let owed = owed(&value, &factors);
    let all = [&[value.clone()][..], &owed].concat();
    for roots in [&[value][..], &owed, &all] {
        assert!(most(roots) <= 12 * 12, "{}", describe(roots).unwrap());
        both_ways(roots, "a quadratic form");
    }
}
