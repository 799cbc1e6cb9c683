//! Products with matrices at positions, planned and plain, with what the matrices and the rows owe.

use super::*;
use crate::plan::growth::Known;

const TABLE: Name = Name::declared("table");
const ROW: Name = NAMES[0];
const CHOICE: Name = NAMES[1];
const TERM: Name = NAMES[3];
const COLUMN: Name = NAMES[5];

/// How many products with matrices at positions there are, and the most numbers that a step writes.
fn grouped(roots: &[Node]) -> (usize, usize) {
    let schedule = lower::schedule(&Trace::new(roots).unwrap());
    let count = schedule.steps.iter().filter(|step| matches!(step.action, Action::Grouped { .. })).count();
    (count, schedule.steps.iter().map(|step| schedule.slots[step.out as usize].size).max().unwrap_or(0))
}

/// What some nodes owe for the sum of a root's sines.
#[test]
fn no_matrix_is_copied_for_each_row_that_it_meets_forwards_and_backwards() {
    let mut draw = Draw::new(1);
    let at = positions(&mut draw, Shape::new([(ROW, 40), (CHOICE, 2)]), 3);
    let table = stored(&mut draw, Kind::F64, Shape::new([(TABLE, 3), (TERM, 8), (COLUMN, 12)]), 1);
    let x = stored(&mut draw, Kind::F64, Shape::new([(ROW, 40), (TERM, 8)]), 1);
    let root = table.gather(TABLE, &at).contract(&x, &[TERM]);
    assert_eq!(grouped(std::slice::from_ref(&root)), (1, 40 * 2 * 12));
    let both = owed(&root, &[table, x]);
    let (count, most) = grouped(&both);
    assert_eq!(count, 3, "the product, what the table owes, what the rows owe");
    assert!(most <= 40 * 2 * 12, "{most} numbers in one step");
    both_ways(&[root], "forwards");
    both_ways(&both, "backwards");
}

#[test]
fn heads_may_have_matrices_of_their_own() {
    let (mut draw, head) = (Draw::new(3), Name::declared("heads"));
    let at = positions(&mut draw, Shape::new([(ROW, 40)]), 3);
    let table = stored(&mut draw, Kind::F64, Shape::new([(TABLE, 3), (head, 2), (TERM, 8), (COLUMN, 12)]), 1);
    let x = stored(&mut draw, Kind::F64, Shape::new([(ROW, 40), (head, 2), (TERM, 8)]), 1);
    let root = x.contract(&table.gather(TABLE, &at), &[TERM]);
    let both = owed(&root, &[table, x]);
    assert_eq!((grouped(std::slice::from_ref(&root)).0, grouped(&both).0), (1, 3));
    both_ways(&[root], "forwards");
    both_ways(&both, "backwards");
}

#[test]
fn products_with_matrices_at_positions_are_the_same_planned_and_plain_for_any_axes_and_layouts() {
    let (mut forwards, mut backwards) = (0, 0);
    for seed in 0..1200 {
        let mut draw = Draw::new(seed);
        let kind = *draw.of(&[Kind::F32, Kind::F64]);
        let sizes = NAMES.map(|name| (name, *draw.of(&[1, 2, 3, 5, 9, 0])));
        let [row, choice, beside, term, depth, column] = sizes;
        let some = |draw: &mut Draw, axes: &[(Name, usize)]| -> Vec<(Name, usize)> {
            axes.iter().copied().filter(|_| draw.below(4) > 0).collect()
        };
        let limit = *draw.of(&[1, 2, 7, 30]);
        let at = Shape::new(some(&mut draw, &[row, choice]));
        let terms = some(&mut draw, &[term, depth]);
        let columns: Vec<_> =
            if draw.below(4) == 0 { vec![column] } else { some(&mut draw, &[column, (TABLE.freshened(), 4)]) };
        let batch: Vec<_> = [(Name::declared("heads"), 3)].into_iter().filter(|_| draw.below(3) == 0).collect();
        let of_table = [(TABLE, limit)].into_iter().chain(terms.clone()).chain(columns).chain(batch.clone());
        let mut of_table: Vec<_> = of_table.collect();
        let of_rows = some(&mut draw, &[row, choice, beside]).into_iter().chain(batch).chain(terms.clone());
        let mut of_rows: Vec<_> = of_rows.collect();
        // What makes something else of it: an index that is aligned, and rows along the axis that is indexed.
        if draw.below(6) == 0 {
            of_table.push(row);
        }
        if draw.below(6) == 0 {
            of_rows.push((TABLE, limit));
        }
        let is_narrow = draw.below(4) == 0;
        let stored_as = if is_narrow { Kind::Bf16 } else { kind };
        let table = stored(&mut draw, stored_as, Shape::new(of_table), 1).cast(kind);
        let x = leaf(&mut draw, kind, &Shape::new(of_rows));
        let wrong = draw.below(12) == 0;
        let at = positions(&mut draw, at, limit + usize::from(wrong));
        let mut summed: Vec<Name> = terms.iter().map(|&(name, _)| name).collect();
        if at.shape().has(CHOICE) && draw.below(3) == 0 && (x.shape().has(CHOICE) || draw.below(2) == 0) {
            summed.push(CHOICE);
        }
        let matrices = table.gather(TABLE, &at);
        let both = if draw.below(2) == 0 { [&matrices, &x] } else { [&x, &matrices] };
        let root = both[0].contract(both[1], &summed);
        if root.error().is_some() {
            continue;
        }
        forwards += grouped(std::slice::from_ref(&root)).0;
        both_ways(std::slice::from_ref(&root), &format!("product {seed}"));
        let is_finite = x.value().is_none_or(|value| elements(&x, value).iter().all(|x| x.is_finite()));
        let owed = owed(&root, &[if is_narrow { matrices } else { table }, x]);
        backwards += grouped(&owed).0;
        // Sums at positions may be multiplied later than it is written, and nothing times ∞ is NaN.
        if is_finite {
            both_ways(&owed, &format!("owed {seed}"));
        }
    }
    assert!(forwards > 200 && backwards > 400, "they are steps: {forwards}, {backwards}");
}

#[test]
fn a_position_without_a_matrix_is_told_as_the_index_tells_it() {
    let mut draw = Draw::new(2);
    let at = positions(&mut draw, Shape::new([(ROW, 300)]), 5);
    let table = stored(&mut draw, Kind::F32, Shape::new([(TABLE, 4), (TERM, 8), (COLUMN, 12)]), 1);
    let x = stored(&mut draw, Kind::F32, Shape::new([(ROW, 300), (TERM, 8)]), 1);
    let index = table.gather(TABLE, &at);
    let product = index.contract(&x, &[TERM]);
    let told = |roots: &[Node]| evaluate(roots).unwrap_err().to_string();
    assert_eq!(grouped(std::slice::from_ref(&product)).0, 1);
    assert_eq!(told(std::slice::from_ref(&product)), told(&[index]));

    let y = stored(&mut draw, Kind::F32, Shape::new([(ROW, 300), (COLUMN, 12)]), 1);
    let sums = x.binary(Binary::Mul, &y).scatter_add(&at, TABLE, 4, &[ROW]);
    assert_eq!(grouped(std::slice::from_ref(&sums)).0, 1);
    let plain = graph::evaluate::plainly(std::slice::from_ref(&sums)).unwrap_err();
    assert_eq!(told(&[sums]), plain.to_string());
}

#[test]
fn a_position_is_told_also_where_nothing_is_summed_at_it() {
    let mut draw = Draw::new(2);
    let at = positions(&mut draw, Shape::new([(ROW, 300)]), 5);
    let empty = |axes: &[(Name, usize)]| {
        let shape = Shape::new(axes.iter().copied());
        Node::input(Value::contiguous(Buffer::F32(Vec::new().into()), shape.sizes()), shape)
    };
    let x = empty(&[(ROW, 300), (CHOICE, 0), (TERM, 8)]);
    let [y, z] = [&[(CHOICE, 0), (COLUMN, 32)], &[(ROW, 300), (CHOICE, 0)]].map(|axes| empty(axes));
    for product in [x.contract(&y, &[CHOICE]), z.contract(&y, &[CHOICE])] {
        let sums = product.scatter_add(&at, TABLE, 4, &[ROW]);
        let plain = graph::evaluate::plainly(std::slice::from_ref(&sums)).unwrap_err();
        assert_eq!(evaluate(&[sums]).unwrap_err().to_string(), plain.to_string());
    }
}

#[test]
fn a_table_in_16_bits_may_lie_in_any_direction() {
    let shape = Shape::new([(TABLE, 3), (TERM, 8), (COLUMN, 12)]);
    let numbers: Vec<_> = (0..3 * 8 * 12).map(|i| Stored::from_f64(f64::from(i % 19) - 7.0)).collect();
    let table = Node::input(Value::contiguous(Buffer::Bf16(numbers.into()), shape.sizes()), shape);
    for rows in [1, 3, 40] {
        let mut draw = Draw::new(rows as u64);
        let x = stored(&mut draw, Kind::F32, Shape::new([(ROW, rows), (TERM, 8)]), 1);
        let at = positions(&mut draw, Shape::new([(ROW, rows)]), 3);
        for axes in [&[TABLE][..], &[TERM], &[COLUMN], &[TERM, COLUMN]] {
            let table = axes.iter().fold(table.clone(), |table, &axis| table.flip(axis));
            let root = table.gather(TABLE, &at).cast(Kind::F32).contract(&x, &[TERM]);
            assert_eq!(grouped(std::slice::from_ref(&root)).0, 1);
            both_ways(&[root], &format!("{rows} rows, {axes:?} from the end"));
        }
    }
}

#[test]
fn plans_for_more_rows_are_foretold() {
    let mut known = Known::default();
    let of = |rows: usize| {
        let mut draw = Draw::new(7);
        let table = stored(&mut draw, Kind::F64, Shape::new([(TABLE, 3), (TERM, 8), (COLUMN, 12)]), 1);
        let at = positions(&mut draw, Shape::new([(ROW, rows), (CHOICE, 2)]), 3);
        let all = [(ROW, rows), (CHOICE, 2), (TERM, 8)].map(|(name, size)| Node::iota(name, size).cast(Kind::F64));
        let x = all[1].binary(Binary::Add, &all[0].binary(Binary::Mul, &all[2]));
        let root = table.gather(TABLE, &at).contract(&x.unary(Unary::Sin), &[TERM, CHOICE]);
        let mut roots = owed(&root, std::slice::from_ref(&table));
        roots.push(root);
        roots
    };
    let foretold = (20..32).filter(|&rows| {
        let roots = of(rows);
        growing::foretold(&mut known, &roots, &format!("{rows} rows"))
            .is_some_and(|schedule| growing::run(&schedule, &roots, &format!("{rows} rows")) > 0)
    });
    assert!(foretold.count() > 6);
}
