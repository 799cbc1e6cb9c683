//! Products with what is joined of parts that lack axes, planned and plain, with what all parts and the matrix owe.

use super::*;
use crate::plan::joined::apart;

const NODE: Name = Name::declared("node");
const I: Name = NAMES[0];
const J: Name = NAMES[1];
const BATCH: Name = NAMES[2];
const IN: Name = NAMES[3];
const OUT: Name = NAMES[4];
const HIDDEN: Name = NAMES[5];

fn some(draw: &mut Draw, axes: &[(Name, usize)]) -> Node {
    stored(draw, Kind::F64, Shape::new(axes.iter().copied()), 1)
}

/// The most numbers that a step writes.
fn most(roots: &[Node]) -> usize {
    let schedule = lower::schedule(&Trace::new(roots).unwrap());
    schedule.steps.iter().map(|step| schedule.slots[step.out as usize].size).max().unwrap_or(0)
}

fn is_apart(roots: &[Node]) -> bool {
    apart(&Trace::new(roots).unwrap()).is_some()
}

#[test]
fn of_pairs_each_is_multiplied_before_they_meet_and_what_they_owe_is_summed_before() {
    let mut draw = Draw::new(1);
    let (o, q) = (some(&mut draw, &[(I, 30), (IN, 20)]), some(&mut draw, &[(J, 40), (IN, 25)]));
    let w = some(&mut draw, &[(IN, 45), (OUT, 10)]);
    let root = o.concat(IN, &q).contract(&w, &[IN]);
    let each = 30 * 20 * 10 + 40 * 25 * 10;
    assert!(multiplied(std::slice::from_ref(&root)) <= each);
    let both = owed(&root, &[o, q, w]);
    assert!(multiplied(&both) <= 3 * each, "{}", describe(&both).unwrap());
    assert!(most(&both) <= 30 * 40 * 10, "{}", describe(&both).unwrap());
    both_ways(&[root], "forwards");
    both_ways(&both, "backwards");
}

#[test]
fn of_scores_of_pairs_nothing_is_made_that_has_more_axes_than_they() {
    let mut draw = Draw::new(2);
    let (o, q) = (some(&mut draw, &[(I, 30), (IN, 20)]), some(&mut draw, &[(J, 40), (IN, 20)]));
    let a = some(&mut draw, &[(IN, 40)]);
    let scores = o.concat(IN, &q).contract(&a, &[IN]);
    let root = scores.binary(Binary::Max, &scores.unary(Unary::Tanh)).softmax(&[I], false).contract(&o, &[I]);
    let both = owed(&root, &[o, q, a]);
    assert!(most(&[&[root.clone()][..], &both].concat()) <= 30 * 40, "{}", describe(&both).unwrap());
    both_ways(&[root], "forwards");
    both_ways(&both, "backwards");
}

#[test]
fn vectors_of_nodes_are_multiplied_once_and_not_for_each_edge() {
    let mut draw = Draw::new(3);
    let (nodes, edges) = (10, 400);
    let [from, to] = [0, 1].map(|_| positions(&mut draw, Shape::new([(I, edges)]), nodes));
    let h = some(&mut draw, &[(NODE, nodes), (IN, 16)]);
    let e = some(&mut draw, &[(I, edges), (IN, 5)]);
    let w = some(&mut draw, &[(IN, 37), (OUT, 12)]);
    let [near, far] = [&from, &to].map(|at| h.gather(NODE, at));
    let each = 2 * nodes * 16 * 12 + edges * 5 * 12;
    for joined in [Node::concat_all(IN, &[&near, &far, &e]).unwrap(), near.concat(IN, &far).concat(IN, &e)] {
        let root = joined.contract(&w, &[IN]).unary(Unary::Tanh);
        assert_eq!(multiplied(std::slice::from_ref(&root)), each, "{}", describe(&[root]).unwrap());
        let both = owed(&root, &[h.clone(), e.clone(), w.clone()]);
        assert_eq!(multiplied(&both), 3 * each, "{}", describe(&both).unwrap());
        both_ways(&[root], "forwards");
        both_ways(&both, "backwards");
    }
}

#[test]
fn what_has_all_axes_is_joined_and_multiplied_once() {
    let mut draw = Draw::new(4);
    let (x, h) = (some(&mut draw, &[(BATCH, 30), (IN, 20)]), some(&mut draw, &[(BATCH, 30), (IN, 20)]));
    let w = some(&mut draw, &[(IN, 40), (OUT, 50)]);
    let root = x.concat(IN, &h).contract(&w, &[IN]);
    assert!(!is_apart(&[&[root.clone()][..], &owed(&root, &[x, h, w])].concat()));
}

#[test]
fn attention_to_what_is_joined_along_its_keys_stays_what_it_is() {
    let mut draw = Draw::new(5);
    let (old, new) = (some(&mut draw, &[(I, 30), (IN, 20)]), some(&mut draw, &[(BATCH, 3), (I, 2), (IN, 20)]));
    let q = some(&mut draw, &[(BATCH, 3), (J, 40), (IN, 20)]);
    let keys = old.concat(I, &new);
    let root = q.contract(&keys, &[IN]).softmax(&[I], false).contract(&keys, &[I]);
    assert!(!is_apart(std::slice::from_ref(&root)));
    both_ways(&[root], "keys");
}

#[test]
fn parts_at_the_edges_of_what_there_can_be_are_the_same() {
    let mut draw = Draw::new(6);
    let (o, q) = (some(&mut draw, &[(I, 30), (IN, 20)]), some(&mut draw, &[(J, 40), (IN, 20)]));
    let (none, w) = (some(&mut draw, &[(BATCH, 2), (IN, 0)]), some(&mut draw, &[(IN, 40), (OUT, 10)]));
    let wide = some(&mut draw, &[(IN, 60), (OUT, 10)]);
    let empty = some(&mut draw, &[(J, 0), (IN, 20)]);
    let c = Name::declared("other");
    let pair = || o.concat(IN, &q);
    let with_nothing = Node::concat_all(IN, &[&o, &none, &q]).unwrap().contract(&w, &[IN]);
    let of_nobody = o.concat(IN, &empty).contract(&w, &[IN]);
    let twice = Node::concat_all(IN, &[&o, &q, &o]).unwrap().contract(&wide, &[IN]);
    let nested = pair().concat(IN, &o).contract(&wide, &[IN]);
    let again = pair().contract(&w, &[IN]).contract(&w, &[OUT]).contract(&pair(), &[IN]);
    let renamed = pair().rename(&[(IN, c), (I, IN)]).contract(&w.rename(&[(IN, c)]), &[c]);
    let everything = pair().contract(&pair().unary(Unary::Tanh), &[IN, I, J]);
    let repeated = o.concat(IN, &some(&mut draw, &[(IN, 20)]).spread(Shape::new([(I, 30), (BATCH, 7)])));
    let repeated = repeated.contract(&w, &[IN]);
    let all = [with_nothing, of_nobody, twice, nested, again, renamed, everything, repeated];
    for (number, root) in all.iter().enumerate() {
        let both = [&[root.clone()][..], &owed(root, &[o.clone(), q.clone(), w.clone(), wide.clone()])].concat();
        assert!(is_apart(&both) || number == 1, "{number}");
        both_ways(&both, &format!("case {number}"));
    }
    both_ways(&all, "all together");
}

#[test]
fn what_is_joined_and_needed_as_a_whole_too_is_the_same() {
    let mut draw = Draw::new(9);
    let (o, q) = (some(&mut draw, &[(I, 30), (IN, 20)]), some(&mut draw, &[(J, 40), (IN, 20)]));
    let w = some(&mut draw, &[(IN, 40), (OUT, 10)]);
    let pair = o.concat(IN, &q);
    let root = pair.contract(&w, &[IN]);
    let owed = owed(&root, &[o, q, pair.clone(), w]);
    assert!(is_apart(&[pair.clone(), root.clone()]));
    both_ways(&[&[root, pair][..], &owed].concat(), "the pairs, too");
}

#[test]
fn what_the_steps_of_a_scan_join_is_the_same() {
    let mut draw = Draw::new(10);
    let (first, x) = (some(&mut draw, &[(BATCH, 3), (IN, 8)]), some(&mut draw, &[(HIDDEN, 5), (IN, 8)]));
    let (s, w) = (some(&mut draw, &[(J, 20), (IN, 8)]), some(&mut draw, &[(IN, 16), (OUT, 8)]));
    let [last, all] = Node::scan(HIDDEN, false, std::slice::from_ref(&first), &[x], |h, x| {
        let product = h[0].concat(IN, &s).contract(&w, &[IN]).unary(Unary::Tanh);
        let next = product.reduce(Reduction::Sum, &[J]).rename(&[(OUT, IN)]).binary(Binary::Add, &x[0]);
        [vec![next.clone()], vec![next]]
    });
    let owed = owed(&last[0], &[first, s, w]);
    both_ways(&[last, all, owed].concat(), "steps");
}

#[test]
fn what_is_wrong_is_told_as_it_is_written() {
    let mut draw = Draw::new(7);
    let at = positions(&mut draw, Shape::new([(I, 300)]), 11);
    let (h, e) = (some(&mut draw, &[(NODE, 10), (IN, 8)]), some(&mut draw, &[(J, 5), (IN, 3)]));
    let w = some(&mut draw, &[(IN, 11), (OUT, 9)]);
    let root = h.gather(NODE, &at).concat(IN, &e).contract(&w, &[IN]);
    assert!(is_apart(std::slice::from_ref(&root)));
    let plainly = graph::evaluate::plainly(std::slice::from_ref(&root)).unwrap_err().to_string();
    assert_eq!(evaluate(&[root]).unwrap_err().to_string(), plainly);
}

#[test]
fn pairs_of_more_and_more_things_are_foretold_as_they_are_planned() {
    for size in 2..14 {
        let mut draw = Draw::new(8);
        let (o, q) = (some(&mut draw, &[(I, size), (IN, 20)]), some(&mut draw, &[(J, size), (IN, 20)]));
        let w = some(&mut draw, &[(IN, 40), (OUT, 10)]);
        let root = o.concat(IN, &q).contract(&w, &[IN]).unary(Unary::Tanh);
        both_ways(&[&[root.clone()][..], &owed(&root, &[o, q, w])].concat(), &format!("{size} things"));
    }
}

/// A product with what is joined of parts of all kinds, and its leaves; none if it has none of the shapes that there can be.
fn drawn(draw: &mut Draw, kind: Kind) -> Option<(Node, Vec<Node>)> {
    let sizes = [I, J, BATCH, OUT, HIDDEN].map(|name| (name, *draw.of(&[1, 2, 3, 5, 5, 9])));
    let [i, j, batch, out, hidden] = sizes;
    let few =
        |draw: &mut Draw| -> Vec<(Name, usize)> { [i, j, batch].into_iter().filter(|_| draw.below(5) < 2).collect() };
    let mut leaves = Vec::new();
    let mut leaf = |draw: &mut Draw, axes: Vec<(Name, usize)>| {
        let leaf = stored(draw, kind, Shape::new(axes), 1);
        leaves.push(leaf.clone());
        leaf
    };
    let (mut parts, mut all) = (Vec::<Node>::new(), 0);
    for _ in 0..2 + draw.below(3) {
        let size = *draw.of(&[0, 1, 3, 8, 8]);
        let axes = few(draw);
        let part = match draw.below(7) {
            0 | 1 => {
                let nodes = *draw.of(&[1, 3, 6]);
                let positions = positions(draw, Shape::new(axes), nodes);
                let table = leaf(draw, vec![(NODE, nodes), (IN, size)]);
                table.gather(NODE, &positions)
            }
            2 if !axes.is_empty() => leaf(draw, vec![(IN, size)]).spread(Shape::new(axes)),
            3 if !parts.is_empty() => parts[draw.below(parts.len())].clone(),
            4 if !parts.is_empty() => {
                let inner = leaf(draw, [vec![(IN, size)], axes].concat());
                let part = parts[draw.below(parts.len())].concat(IN, &inner);
                if draw.below(2) == 0 { part.unary(Unary::Tanh) } else { part }
            }
            _ => leaf(draw, [vec![(IN, size)], axes].concat()),
        };
        all += part.shape().size(IN)?;
        parts.push(part);
    }
    let mut joined = Node::concat_all(IN, &parts.iter().collect::<Vec<_>>())?;
    let mut along = IN;
    if draw.below(4) == 0 {
        along = HIDDEN;
        joined = joined.rename(&[(IN, HIDDEN)]);
    }
    let mut root = joined.clone();
    for _ in 0..1 + draw.below(2) {
        let more = if draw.below(2) == 0 { few(draw) } else { vec![] };
        let own = if draw.below(4) > 0 { vec![out] } else { vec![] };
        let w = if draw.below(12) == 0 {
            joined.unary(Unary::Sin)
        } else {
            leaf(draw, [vec![(along, all)], own, more].concat())
        };
        let both: Vec<Name> = w.shape().names().filter(|&name| joined.shape().has(name)).collect();
        let summed: Vec<Name> = both
            .into_iter()
            .filter(|&name| if name == along { draw.below(6) > 0 } else { draw.below(2) == 0 })
            .collect();
        let next = if draw.below(2) == 0 { joined.contract(&w, &summed) } else { w.contract(&joined, &summed) };
        root = if root.id() == joined.id() { next } else { root.binary(Binary::Add, &next) };
    }
    if draw.below(3) == 0 {
        root = root.unary(Unary::Tanh);
    }
    if draw.below(4) == 0 && root.shape().has(OUT) && !root.shape().has(HIDDEN) {
        let v = leaf(draw, vec![out, hidden]);
        root = root.contract(&v, &[OUT]);
    }
    if draw.below(4) == 0 {
        let names = draw.subset(root.shape().names());
        root = root.reduce(Reduction::Sum, &names);
    }
    (root.error().is_none() && root.shape().elements() <= 20_000 && joined.shape().elements() <= 20_000)
        .then_some((root, leaves))
}

#[test]
fn products_with_what_is_joined_are_the_same_planned_and_plain_for_any_parts() {
    let (mut taken, mut many) = (0, 0);
    for seed in 0..200 {
        let mut draw = Draw::new(seed);
        let kind = *draw.of(&[Kind::F32, Kind::F64]);
        let Some((root, leaves)) = drawn(&mut draw, kind) else { continue };
        let owed = owed(&root, &leaves);
        let all = [&[root][..], &owed].concat();
        many += 1;
        taken += usize::from(is_apart(&all));
        both_ways(&all[..1], &format!("graph {seed}"));
        both_ways(&all, &format!("graph {seed} and what it owes"));
        both_ways(&owed, &format!("owed {seed}"));
    }
    assert!(4 * taken > many, "they are taken apart: {taken} of {many}");
}
