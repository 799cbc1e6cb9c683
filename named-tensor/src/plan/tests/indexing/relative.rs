//! Vectors of a table at far more positions than it has vectors, planned and plain, with what all of them owe.

use super::*;
use crate::plan::growth::Known;

const TABLE: Name = Name::declared("table");
const ROW: Name = NAMES[0];
const COLUMN: Name = NAMES[1];
const HEAD: Name = NAMES[2];
const KEY: Name = NAMES[3];

/// How many steps are of rows and vectors at positions, and the most numbers that a step writes.
fn relative(roots: &[Node]) -> (usize, usize) {
    let schedule = lower::schedule(&Trace::new(roots).unwrap());
    let count = schedule.steps.iter().filter(|step| matches!(step.action, Action::Relative { .. })).count();
    (count, schedule.steps.iter().map(|step| schedule.slots[step.out as usize].size).max().unwrap_or(0))
}

#[test]
fn no_vector_is_copied_for_each_pair_of_positions_forwards_and_backwards() {
    let mut draw = Draw::new(1);
    let table = stored(&mut draw, Kind::F64, Shape::new([(TABLE, 9), (KEY, 24)]), 1);
    let at = positions(&mut draw, Shape::new([(ROW, 20), (COLUMN, 30)]), 9);
    let x = stored(&mut draw, Kind::F64, Shape::new([(HEAD, 2), (ROW, 20), (KEY, 24)]), 1);
    let a = stored(&mut draw, Kind::F64, Shape::new([(HEAD, 2), (ROW, 20), (COLUMN, 30)]), 1);
    let index = table.gather(TABLE, &at);
    for (root, other) in [(x.contract(&index, &[KEY]), x), (index.contract(&a, &[COLUMN]), a)] {
        assert_eq!(relative(std::slice::from_ref(&root)).0, 1);
        let both = owed(&root, &[table.clone(), other]);
        let (count, most) = relative(&both);
        assert_eq!(count, 3, "the contraction, what the table owes, what the other factor owes");
        assert!(most <= 20 * 30 * 2, "{most} numbers in one step");
        both_ways(&[root], "forwards");
        both_ways(&both, "backwards");
    }
}

#[test]
fn vectors_at_positions_are_the_same_planned_and_plain_for_any_axes_and_layouts() {
    let (mut forwards, mut backwards) = (0, 0);
    for seed in 0..1200 {
        let mut draw = Draw::new(seed);
        let kind = *draw.of(&[Kind::F32, Kind::F64]);
        let sizes = NAMES.map(|name| (name, *draw.of(&[1, 2, 3, 7, 20])));
        let some = |draw: &mut Draw, axes: &[(Name, usize)]| -> Vec<(Name, usize)> {
            axes.iter().copied().filter(|_| draw.below(4) > 0).collect()
        };
        let limit = *draw.of(&[1, 2, 5]);
        let at = some(&mut draw, &sizes[..2]);
        let columns: Vec<_> = some(&mut draw, &[(sizes[3].0, 20), sizes[4]]);
        let mut of_table: Vec<_> = [(TABLE, limit)].into_iter().chain(columns.clone()).collect();
        if draw.below(6) == 0 {
            of_table.push(sizes[0]);
        }
        let table = stored(&mut draw, kind, Shape::new(of_table), 1);
        let is_product = draw.below(2) == 0;
        let mut other = some(&mut draw, &[sizes[0], sizes[1], sizes[2]]);
        let summed: Vec<Name> = if is_product {
            other.extend(columns.iter().copied());
            columns.iter().map(|&(name, _)| name).collect()
        } else {
            let both = at.iter().filter(|axis| other.contains(axis)).map(|&(name, _)| name);
            both.filter(|_| draw.below(4) > 0).collect()
        };
        if draw.below(6) == 0 {
            other.push((TABLE, limit));
        }
        let wrong = draw.below(12) == 0;
        let at = positions(&mut draw, Shape::new(at), limit + usize::from(wrong));
        let mut other = leaf(&mut draw, kind, &Shape::new(other));
        let matters =
            |node: &Node, draw: &mut Draw| if draw.below(2) == 0 { node.unary(Unary::Sin) } else { node.clone() };
        if draw.below(8) == 0 {
            let zero = Node::fill(kind, 0.0, Shape::default());
            other = matters(&other, &mut draw).binary(Binary::Div, &zero).unary(Unary::Abs);
        }
        let vectors = table.gather(TABLE, &at);
        let both = if draw.below(2) == 0 { [&vectors, &other] } else { [&other, &vectors] };
        let root = both[0].contract(both[1], &summed);
        if root.error().is_some() || root.shape().elements() > 20_000 {
            continue;
        }
        forwards += relative(std::slice::from_ref(&root)).0;
        both_ways(std::slice::from_ref(&root), &format!("graph {seed}"));
        let numbers = &evaluate(std::slice::from_ref(&other)).unwrap()[0];
        let is_finite = elements(&other, numbers).iter().all(|x| x.is_finite());
        let owed = owed(&root, &[table, other]);
        backwards += relative(&owed).0;
        // Sums at positions may be multiplied later than it is written, and nothing times ∞ is NaN.
        if is_finite {
            both_ways(&owed, &format!("owed {seed}"));
        }
    }
    assert!(forwards > 100 && backwards > 200, "they are steps: {forwards}, {backwards}");
}

#[test]
fn a_vector_that_is_not_finite_is_met_by_those_alone_whose_positions_are_its() {
    let mut draw = Draw::new(3);
    let at = Node::iota(ROW, 4).binary(Binary::Mul, &Node::iota(COLUMN, 70));
    let at = at.binary(Binary::Min, &Node::fill(Kind::Index, 2.0, Shape::default()));
    let rows = stored(&mut draw, Kind::F64, Shape::new([(TABLE, 3), (KEY, 30)]), 1);
    let last = Node::iota(TABLE, 3).compare(Comparison::Eq, &Node::fill(Kind::Index, 1.0, Shape::default()));
    let table = last.select(&rows.unary(Unary::Log), &rows);
    let a = stored(&mut draw, Kind::F64, Shape::new([(ROW, 4), (COLUMN, 70)]), 1);
    let root = table.gather(TABLE, &at).contract(&a, &[COLUMN]);
    assert_eq!(relative(std::slice::from_ref(&root)).0, 1);
    let value = &evaluate(std::slice::from_ref(&root)).unwrap()[0];
    let odd = elements(&root, value).iter().filter(|x| !x.is_finite()).count();
    assert!((1..90).contains(&odd), "the row of zeros has none: {odd}");
    both_ways(&[root], "one that is not finite");
}

#[test]
fn a_position_without_a_vector_is_told_as_the_index_tells_it() {
    let mut draw = Draw::new(2);
    let table = stored(&mut draw, Kind::F32, Shape::new([(TABLE, 4), (KEY, 20)]), 1);
    let x = stored(&mut draw, Kind::F32, Shape::new([(ROW, 30), (KEY, 20)]), 1);
    let a = stored(&mut draw, Kind::F32, Shape::new([(ROW, 30), (COLUMN, 40)]), 1);
    let at = positions(&mut draw, Shape::new([(ROW, 30), (COLUMN, 40)]), 5);
    let index = table.gather(TABLE, &at);
    let told = |roots: &[Node]| evaluate(roots).unwrap_err().to_string();
    for root in [index.contract(&x, &[KEY]), index.contract(&a, &[COLUMN])] {
        assert_eq!(relative(std::slice::from_ref(&root)).0, 1);
        assert_eq!(told(&[root]), told(std::slice::from_ref(&index)));
    }
    let sums = a.binary(Binary::Mul, &x).scatter_add(&at, TABLE, 4, &[ROW, COLUMN]);
    assert_eq!(relative(std::slice::from_ref(&sums)).0, 1);
    let plain = graph::evaluate::plainly(std::slice::from_ref(&sums)).unwrap_err();
    assert_eq!(told(&[sums]), plain.to_string());
}

#[test]
fn more_positions_than_memory_holds_are_refused() {
    let mut draw = Draw::new(2);
    let many = Shape::new([(COLUMN, 1 << 44)]);
    let at = positions(&mut draw, Shape::new([(ROW, 3)]), 4).spread(many.clone());
    let [table, x, a] = [&[(TABLE, 4), (KEY, 64)][..], &[(ROW, 3), (KEY, 64)], &[(ROW, 3)]]
        .map(|axes| stored(&mut draw, Kind::F32, Shape::new(axes.iter().copied()), 1));
    let a = a.spread(many);
    let sums = table.gather(TABLE, &at).contract(&a, &[COLUMN]);
    let owed = a.binary(Binary::Mul, &x).scatter_add(&at, TABLE, 4, &[ROW, COLUMN]);
    for root in [sums, owed] {
        assert_eq!(relative(std::slice::from_ref(&root)).0, 1);
        assert_eq!(both_ways(&[root], "more than memory holds"), None);
    }
}

#[test]
fn plans_for_more_positions_are_foretold() {
    let mut known = Known::default();
    let of = |size: usize| {
        let mut draw = Draw::new(7);
        let table = stored(&mut draw, Kind::F64, Shape::new([(TABLE, 3), (KEY, 30)]), 1);
        let at = positions(&mut draw, Shape::new([(ROW, 20), (COLUMN, size)]), 3);
        let [row, key] = [(ROW, 20), (KEY, 30)].map(|(name, size)| Node::iota(name, size).cast(Kind::F64));
        let root = table.gather(TABLE, &at).contract(&row.binary(Binary::Mul, &key).unary(Unary::Sin), &[KEY]);
        let mut roots = owed(&root, std::slice::from_ref(&table));
        assert_eq!(relative(&roots).0, 2);
        roots.push(root);
        roots
    };
    let foretold = (40..52).filter(|&size| {
        let roots = of(size);
        let schedule = growing::foretold(&mut known, &roots, &format!("of {size}"));
        schedule.is_some_and(|schedule| growing::run(&schedule, &roots, &format!("of {size}")) > 0)
    });
    assert!(foretold.count() > 6);
}
