//! Choices along two axes, written as papers do, are windows of a table with a border, and so is what they owe.

use super::*;

const TIME: Name = Name::declared("time");
const SEQ: Name = Name::declared("seq");
const BATCH: Name = Name::declared("batch");
const CHANS: Name = Name::declared("chans");

fn number(kind: Kind, value: f64) -> Node {
    Node::fill(kind, value, Shape::default())
}

/// `a · i + b · j + start`
fn steps(kind: Kind, [i, j]: [usize; 2], [a, b, start]: [f64; 3]) -> Node {
    let times = |axis, size, step| Node::iota(axis, size).cast(kind).binary(Binary::Mul, &number(kind, step));
    times(TIME, i, a).binary(Binary::Add, &times(SEQ, j, b)).binary(Binary::Add, &number(kind, start))
}

/// The table at positions in these steps where they are there, else one number.
fn cases(table: &Node, kind: Kind, sizes: [usize; 2], along: [f64; 3], value: f64) -> Node {
    let at = steps(kind, sizes, along);
    let last = number(kind, table.shape().size(TIME).unwrap() as f64 - 1.0);
    let zero = number(kind, 0.0);
    let inside = zero.compare(Comparison::Le, &at).binary(Binary::And, &at.compare(Comparison::Le, &last));
    let cut = at.binary(Binary::Max, &zero).binary(Binary::Min, &last).cast(Kind::Index);
    inside.select(&table.gather(TIME, &cut), &number(table.kind(), value))
}

fn count(roots: &[Node], wanted: &[&str]) -> usize {
    let steps = lower::schedule(&Trace::new(roots).unwrap()).steps;
    steps.iter().filter(|step| wanted.contains(&named(&step.action))).count()
}

#[test]
fn a_matrix_of_differences_is_windows_of_its_table_and_owes_a_convolution() {
    for (seed, size) in [1, 2, 3, 17, 40].into_iter().enumerate() {
        for kind in [Kind::F32, Kind::F64] {
            let k = tensor(500 + seed as u64, kind, &[(TIME, size)]);
            let u = tensor(600 + seed as u64, kind, &[(BATCH, 3), (SEQ, size)]);
            let real = Kind::F64;
            let [i, j] = [TIME, SEQ].map(|axis| Node::iota(axis, size).cast(real));
            let (zero, one) = (number(real, 0.0), number(real, 1.0));
            let less = i.binary(Binary::Sub, &j);
            for (way, condition) in [
                j.compare(Comparison::Le, &i),
                i.compare(Comparison::Ge, &j),
                less.compare(Comparison::Ge, &zero),
                j.compare(Comparison::Lt, &i.binary(Binary::Add, &one)),
                i.compare(Comparison::Lt, &j).unary(Unary::Not),
            ]
            .into_iter()
            .enumerate()
            {
                let at = less.binary(Binary::Max, &zero).cast(Kind::Index);
                let t = condition.select(&k.gather(TIME, &at), &number(kind, 0.0));
                let y = t.contract(&u, &[SEQ]);
                let context = format!("{size}, way {way}");
                let weights = tensor(700, kind, y.shape().iter().collect::<Vec<_>>().as_slice());
                let owed = reverse(&[(y.clone(), weights)], &[k.clone(), u.clone()], &[]);
                let owed: Vec<Node> = owed.into_iter().flatten().collect();
                if size > 1 {
                    let others = ["map", "gather", "scatter"];
                    assert_eq!(count(std::slice::from_ref(&y), &others), 0, "{context}");
                    assert_eq!(count(&owed, &others), 0, "{context}\n{}", describe(&owed).unwrap());
                }
                both_ways(&[y, t], &context);
                both_ways(&owed, &context);
            }
        }
    }
}

#[test]
fn tables_in_any_steps_along_two_axes_with_anything_around_are_the_same_planned_and_plain() {
    let mut found = 0;
    for seed in 0..300 {
        let mut draw = Draw::new(seed);
        let kind = if seed % 2 == 0 { Kind::F32 } else { Kind::F64 };
        let size = |draw: &mut Draw| *draw.of(&[1, 2, 3, 5, 8, 13]);
        let (long, sizes) = (size(&mut draw), [size(&mut draw), size(&mut draw)]);
        let along = [&[1.0, -1.0, 2.0, 3.0, 0.0][..], &[1.0, -1.0, -2.0], &[0.0, -1.0, 2.0, -6.0]];
        let along = along.map(|of| *draw.of(of));
        let value = *draw.of(&[0.0, 0.0, -0.5, f64::NEG_INFINITY]);
        let real = *draw.of(&[Kind::Index, Kind::F32, Kind::F64]);
        let mut axes = vec![(TIME, long), (CHANS, 3)];
        axes.rotate_left(draw.below(2));
        axes.truncate(1 + draw.below(2));
        if !axes.contains(&(TIME, long)) {
            axes.push((TIME, long));
        }
        let table = tensor(seed, kind, &axes);
        let chosen = cases(&table, real, sizes, along, value);
        let context = format!("{seed}: {long}, {sizes:?} of {along:?}, {value} around");
        found += usize::from(chosen.border().is_some());
        let u = tensor(seed + 1, kind, &[(SEQ, sizes[1]), (BATCH, 2)]);
        let mut roots = vec![chosen.clone(), chosen.unary(Unary::Exp)];
        if value.is_finite() {
            let y = chosen.contract(&u, &[SEQ]).unary(Unary::Tanh);
            let both = [y.clone(), chosen.unary(Unary::Sin)];
            let seeds = both.map(|y| (y.clone(), y.unary(Unary::Cos)));
            for seed in seeds {
                roots.extend(reverse(&[seed], &[table.clone(), u.clone(), chosen.clone()], &[]).into_iter().flatten());
            }
            roots.push(y);
        }
        for root in &roots {
            both_ways(std::slice::from_ref(root), &context);
        }
        both_ways(&roots, &context);
    }
    assert!(found > 120, "bands: {found}");
}

#[test]
fn bands_of_one_structure_have_the_plans_of_their_constants() {
    // The same graph but for constants, which are no part of the structure otherwise.
    let table = tensor(800, Kind::F64, &[(TIME, 40)]);
    for start in [-30.0, -31.0, -32.0, -20.0] {
        for step in [-11.0, -12.0, 11.0] {
            for value in [9.5, 10.5] {
                let chosen = cases(&table, Kind::Index, [30, 4], [1.0, step, start], value);
                both_ways(&[chosen], &format!("{start}, {step}, {value}"));
            }
        }
    }
}

#[test]
fn an_index_that_leaves_its_axis_outside_of_a_band_says_so() {
    let table = tensor(810, Kind::F64, &[(TIME, 5)]);
    let at = steps(Kind::Index, [5, 5], [1.0, -1.0, 0.0]);
    let inside = at.compare(Comparison::Ge, &number(Kind::Index, 0.0));
    let root = inside.select(&table.gather(TIME, &at), &number(Kind::F64, 0.0));
    assert!(both_ways(&[root], "positions are not cut off").is_none());
}

#[test]
fn what_stands_outside_of_a_band_may_be_anything_and_owes_nothing_to_it() {
    let table = tensor(820, Kind::F64, &[(TIME, 6)]);
    let at = steps(Kind::F64, [6, 6], [1.0, -1.0, 0.0]);
    let inside = at.compare(Comparison::Ge, &number(Kind::F64, 0.0));
    let cut = at.binary(Binary::Max, &number(Kind::F64, 0.0)).cast(Kind::Index);
    let t = inside.select(&table.gather(TIME, &cut), &number(Kind::F64, 0.0));
    // Infinite where the band is 0: what it owes there is nothing.
    let weights = inside.select(&tensor(821, Kind::F64, &[(TIME, 6), (SEQ, 6)]), &number(Kind::F64, f64::INFINITY));
    let owed = reverse(&[(t, weights)], &[table], &[]).remove(0).unwrap();
    assert!(testing::read(&owed).iter().all(|x: &f64| x.is_finite()));
    both_ways(&[owed], "infinite outside");
}
