//! Ones by cases, `if i == 2 * t + j { 1 } else { 0 }`, planned and plain, with what the other factor owes.

use super::*;
use crate::graph::calculus::reverse;

const AXIS: Name = NAMES[0];
const FRAME: Name = NAMES[1];
const TAP: Name = NAMES[2];
const BATCH: Name = NAMES[3];

fn number(kind: Kind, value: f64) -> Node {
    Node::fill(kind, value, Shape::default())
}

fn counted(kind: Kind, axis: Name, size: usize) -> Node {
    Node::iota(axis, size).cast(kind)
}

/// `start + step · t + j`  in real numbers.
fn frames(kind: Kind, [start, step]: [f64; 2], [count, taps]: [usize; 2]) -> Node {
    let times = counted(kind, FRAME, count).binary(Binary::Mul, &number(kind, step));
    times.binary(Binary::Add, &counted(kind, TAP, taps)).binary(Binary::Add, &number(kind, start))
}

/// 1 where both are equal and 0 elsewhere, in one of the ways to write it.
fn cases(way: usize, kind: Kind, [x, y]: [&Node; 2]) -> Node {
    let [x, y] = if way.is_multiple_of(2) { [x, y] } else { [y, x] };
    let [one, zero] = [1.0, 0.0].map(|value| number(kind, value));
    let [equal, unequal] = [Comparison::Eq, Comparison::Ne].map(|comparison| x.compare(comparison, y));
    match way / 2 {
        0 => equal.select(&one, &zero),
        1 => unequal.select(&zero, &one),
        2 => equal.unary(Unary::Not).select(&zero, &one),
        _ => equal.cast(kind),
    }
}

fn owed(root: &Node, of: &Node) -> Node {
    reverse(&[(root.clone(), root.unary(Unary::Cos))], std::slice::from_ref(of), &[]).remove(0).unwrap()
}

/// How many steps of a plan are such.
fn count(root: &Node, wanted: &str) -> usize {
    let steps = lower::schedule(&Trace::new(std::slice::from_ref(root)).unwrap()).steps;
    steps.iter().filter(|step| named(&step.action) == wanted).count()
}

#[test]
fn ones_by_cases_take_rows_or_sum_them_and_a_number_that_is_no_position_of_the_axis_has_none() {
    let mut compared = 0;
    for seed in 0..400 {
        let mut draw = Draw::new(seed);
        let kind = *draw.of(&[Kind::F32, Kind::F64]);
        let real = *draw.of(&[Kind::F32, Kind::F64]);
        let size = |draw: &mut Draw| *draw.of(&[1, 2, 3, 5, 9, 17]);
        let [long, some, taps] = [size(&mut draw), size(&mut draw), size(&mut draw)];
        let steps = [*draw.of(&[0.0, 1.0, -3.0, 0.5, 12.0]), *draw.of(&[1.0, 2.0, 0.5, 3.0, -1.0, 100.0])];
        let at = frames(real, steps, [some, taps]);
        let hot = cases(draw.below(8), kind, [&counted(real, AXIS, long), &at]);
        let of = |draw: &mut Draw, axes: &[(Name, usize)]| stored(draw, kind, Shape::new(axes.iter().copied()), 1);
        let updates = if draw.below(2) == 0 {
            of(&mut draw, &[(FRAME, some), (TAP, taps), (BATCH, 4)])
        } else {
            of(&mut draw, &[(TAP, taps), (FRAME, some)])
        };
        let mut axes = [(AXIS, long), (BATCH, 4)];
        axes.rotate_left(draw.below(2));
        let table = of(&mut draw, &axes);
        let context = format!("{seed}: {long} of {steps:?}, {some} frames, {taps} taps");
        let summed = updates.contract(&hot, &[FRAME, TAP]);
        let taken = hot.contract(&table, &[AXIS]);
        for (root, of, [forwards, backwards]) in
            [(summed, &updates, ["scatter", "gather"]), (taken, &table, ["gather", "scatter"])]
        {
            let owed = owed(&root, of);
            let steps =
                [count(&root, forwards), count(&root, "product"), count(&owed, backwards), count(&owed, "product")];
            assert_eq!(steps, [1, 0, 1, 0], "{context}\n{}", describe(&[owed]).unwrap());
            compared += both_ways(&[root, owed], &context).unwrap();
        }
        let others = [
            hot.contract(&updates, &[TAP]),
            hot.binary(Binary::Mul, &table).reduce(Reduction::Sum, &[AXIS]),
            hot.reduce(Reduction::Sum, &[FRAME, TAP]),
            hot.reduce(Reduction::Sum, &[AXIS]),
            hot.contract(&table, &[AXIS]).binary(Binary::Mul, &hot.contract(&updates, &[TAP, FRAME])),
            hot.clone(),
        ];
        for root in others {
            compared += both_ways(&[root], &context).unwrap();
        }
    }
    assert!(compared > 100_000, "{compared}");
}

#[test]
fn a_shift_by_cases_is_a_sum_at_positions_whichever_axis_stands_alone() {
    for (seed, size) in [1, 2, 9, 40].into_iter().enumerate() {
        let mut draw = Draw::new(seed as u64);
        for (kind, real) in [(Kind::F32, Kind::F64), (Kind::F64, Kind::F32)] {
            let [i, j] = [AXIS, TAP].map(|axis| counted(real, axis, size));
            let x = stored(&mut draw, kind, Shape::new([(TAP, size), (BATCH, 3)]), 1);
            let one = number(real, 1.0);
            for (left, right) in [
                (i.clone(), j.binary(Binary::Add, &one)),
                (i.binary(Binary::Add, &one), j.clone()),
                (i.clone(), number(real, size as f64 - 1.0).binary(Binary::Sub, &j)),
                (i.clone(), j.binary(Binary::Mul, &one).unary(Unary::Floor)),
                (i.clone(), j.binary(Binary::Div, &number(real, 2.0)).unary(Unary::Floor)),
                (i.clone(), j.clone()),
                (Node::iota(AXIS, size), Node::iota(TAP, size).binary(Binary::Add, &number(Kind::Index, 1.0))),
                (Node::iota(AXIS, size), Node::iota(TAP, size)),
            ] {
                for way in 0..8 {
                    let root = x.contract(&cases(way, kind, [&left, &right]), &[TAP]);
                    let owed = owed(&root, &x);
                    assert_eq!([count(&root, "product"), count(&owed, "product")], [0, 0], "{size}, {way}");
                    both_ways(&[root, owed], &format!("shift of {size}, way {way}"));
                }
            }
            // Along both axes: the diagonal of a matrix.
            let square = stored(&mut draw, kind, Shape::new([(TAP, size), (AXIS, size)]), 1);
            let hot = cases(0, kind, [&i, &j]);
            let roots = [&[TAP][..], &[AXIS], &[AXIS, TAP]].map(|axes| square.contract(&hot, axes));
            both_ways(&roots, "diagonals");
            both_ways(&roots.map(|root| owed(&root, &square)), "diagonals owe");
        }
    }
}

#[test]
fn real_numbers_that_are_nearly_positions_or_beyond_all_have_no_one() {
    let numbers = [-1.0, -0.5, -0.0, 0.0, 0.25, 1.0, 1.0 + 1e-7, 2.0, 3.0, 4.0, 1e9, 1e300, f64::INFINITY, f64::NAN];
    let more = [f64::NEG_INFINITY, 16_777_215.0, 16_777_216.0, 16_777_217.0, -1e300, 9.3e18, -9.3e18];
    let numbers: Vec<f64> = numbers.into_iter().chain(more).collect();
    let all = graph::testing::tensor(&[(FRAME, numbers.len())], &numbers);
    for (kind, real) in [(Kind::F32, Kind::F64), (Kind::F64, Kind::F32), (Kind::F32, Kind::F32)] {
        let mut draw = Draw::new(5);
        let at = all.cast(real);
        let hot = cases(0, kind, [&counted(real, AXIS, 4), &at]);
        let table = stored(&mut draw, kind, Shape::new([(AXIS, 4), (BATCH, 2)]), 1);
        let updates = stored(&mut draw, kind, Shape::new([(FRAME, numbers.len()), (BATCH, 2)]), 1);
        let roots =
            [hot.contract(&table, &[AXIS]), hot.contract(&updates, &[FRAME]), hot.reduce(Reduction::Sum, &[FRAME])];
        for (root, wanted) in roots.iter().zip(["gather", "scatter", "scatter"]) {
            assert_eq!([count(root, wanted), count(root, "product")], [1, 0], "{kind:?}, {real:?}");
        }
        both_ways(&roots, &format!("{kind:?} at {real:?}"));
    }
}

#[test]
fn positions_that_are_rounded_as_numbers_meet_only_their_own() {
    // As `f32` the positions 2²⁴ and 2²⁴ + 1 are one number: an axis that has both is compared as it is written.
    let edge = (1_usize << 24) - 1;
    for (size, wanted) in [(edge, 1), (edge + 1, 1), (edge + 2, 0)] {
        let at = graph::testing::tensor(&[(FRAME, 4)], &[0_i64, edge as i64 - 1, edge as i64, edge as i64 + 2]);
        let hot = cases(0, Kind::F32, [&counted(Kind::F32, AXIS, size), &at.cast(Kind::F32)]);
        let root = hot.contract(&Node::fill(Kind::F32, 1.5, Shape::new([(AXIS, size)])), &[AXIS]);
        assert_eq!(count(&root, "gather"), wanted, "{size}");
    }
}

#[test]
fn other_choices_between_numbers_stay_what_they_are() {
    let mut draw = Draw::new(8);
    let (i, at) = (counted(Kind::F64, AXIS, 5), frames(Kind::F64, [0.0, 2.0], [2, 3]));
    let updates = stored(&mut draw, Kind::F64, Shape::new([(FRAME, 2), (TAP, 3)]), 1);
    let [zero, one, two] = [0.0, 1.0, 2.0].map(|value| number(Kind::F64, value));
    let equal = i.compare(Comparison::Eq, &at);
    let ones = Node::fill(Kind::F64, 1.0, Shape::new([(BATCH, 3)]));
    let both = counted(Kind::F64, AXIS, 5).binary(Binary::Mul, &two).compare(Comparison::Eq, &at);
    let own = i.compare(Comparison::Eq, &at.binary(Binary::Sub, &i));
    for (hot, of) in [
        (equal.select(&zero, &one), "zeros and ones"),
        (equal.select(&two, &zero), "twos"),
        (equal.select(&one, &two), "ones and twos"),
        (equal.select(&ones, &zero), "ones with an axis of their own"),
        (i.compare(Comparison::Le, &at).select(&one, &zero), "another comparison"),
        (both.select(&one, &zero), "no axis alone"),
        (own.select(&one, &zero), "positions with the axis"),
    ] {
        let root = hot.contract(&updates, &[FRAME, TAP]);
        assert_eq!(count(&root, "scatter"), 0, "{of}");
        both_ways(&[root.clone(), owed(&root, &updates)], of);
    }
}
