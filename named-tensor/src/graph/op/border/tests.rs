//! Choices that are borders, however they are written, and those that are none.

use super::*;
use crate::graph::Shape;
use crate::graph::testing::{A, B, C, D, counting, read, tensor};

fn number(kind: Kind, value: f64) -> Node {
    Node::fill(kind, value, Shape::default())
}

/// How a border is written.
#[derive(Clone, Copy)]
struct Written {
    kind: Kind,
    /// Positions `i + moved` of the table for i of so many, and where they are cut off.
    count: usize,
    moved: f64,
    cut: [f64; 2],
    /// The first and the last i inside.
    inside: [f64; 2],
}

impl Written {
    fn at(self, axis: Name) -> Node {
        Node::iota(axis, self.count).cast(self.kind)
    }

    fn positions(self, axis: Name) -> Node {
        let number = |value| number(self.kind, value);
        let moved = self.at(axis).binary(Binary::Add, &number(self.moved));
        let cut = moved.binary(Binary::Max, &number(self.cut[0])).binary(Binary::Min, &number(self.cut[1]));
        cut.cast(Kind::Index)
    }

    fn condition(self, axis: Name) -> Node {
        let (at, [first, last]) = (self.at(axis), self.inside.map(|end| number(self.kind, end)));
        first.compare(Comparison::Le, &at).binary(Binary::And, &at.compare(Comparison::Le, &last))
    }
}

const USUAL: Written = Written { kind: Kind::F64, count: 9, moved: -1.0, cut: [0.0, 6.0], inside: [1.0, 7.0] };

/// Whether a choice is a border; if so, it makes the same numbers.
#[track_caller]
fn is_border(choice: &Node, table: &Node) -> bool {
    let Some(border) = choice.border() else { return false };
    let made = border.made.iter().fold(table.clone(), |made, step| step.again(&[made]));
    let same = made.compare(Comparison::Eq, choice);
    assert_eq!([made.shape().rank(), same.shape().rank()], [choice.shape().rank(); 2], "{:?}", made.shape());
    assert!(read(&same).iter().all(|&same| same == 1.0), "{:?}", read(&made));
    true
}

#[test]
fn clamped_positions_under_their_condition_are_a_border() {
    let x = counting(&[(A, 7), (B, 2)]);
    for kind in [Kind::Index, Kind::F32, Kind::F64] {
        for axis in [A, C] {
            for written in [
                Written { kind, ..USUAL },
                Written { kind, count: 8, ..USUAL },
                Written { kind, count: 20, moved: -5.0, inside: [5.0, 11.0], ..USUAL },
                Written { kind, moved: 2.0, inside: [-3.0, 4.0], ..USUAL },
                Written { kind, inside: [3.0, 5.0], ..USUAL },
                Written { kind, cut: [2.0, 4.0], inside: [3.0, 5.0], ..USUAL },
            ] {
                let chosen = x.gather(A, &written.positions(axis));
                for value in [0.0, -0.5, f64::NEG_INFINITY] {
                    let around = number(Kind::F64, value);
                    assert!(is_border(&written.condition(axis).select(&chosen, &around), &x), "{value}");
                    let outside = written.condition(axis).unary(Unary::Not);
                    assert!(is_border(&outside.select(&around, &chosen), &x), "the other way round");
                }
            }
        }
    }
}

#[test]
fn comparisons_and_positions_may_be_written_in_any_way() {
    let x = counting(&[(A, 7), (B, 2)]);
    let (i, n) = (Node::iota(C, 9), |value| number(Kind::Index, value));
    let chosen = x.gather(A, &USUAL.positions(C));
    let compare = |x: &Node, comparison, y: &Node| x.compare(comparison, y);
    let twice = i.binary(Binary::Mul, &n(2.0));
    let first = [
        compare(&i, Comparison::Gt, &n(0.0)),
        compare(&n(0.0), Comparison::Lt, &i),
        compare(&i.binary(Binary::Sub, &n(1.0)), Comparison::Ge, &n(0.0)),
        compare(&n(2.0), Comparison::Le, &twice),
        compare(&n(1.0), Comparison::Le, &twice),
        compare(&i, Comparison::Lt, &n(1.0)).unary(Unary::Not),
    ];
    let last = [
        compare(&i, Comparison::Lt, &n(8.0)),
        compare(&n(7.0), Comparison::Ge, &i),
        compare(&n(15.0), Comparison::Gt, &twice),
        compare(&n(8.0), Comparison::Le, &i).unary(Unary::Not),
    ];
    let zero = number(Kind::F64, 0.0);
    for (first, last) in first.iter().flat_map(|first| last.iter().map(move |last| (first, last))) {
        assert!(is_border(&first.binary(Binary::And, last).select(&chosen, &zero), &x));
        let outside = first.unary(Unary::Not).binary(Binary::Or, &last.unary(Unary::Not));
        assert!(is_border(&outside.select(&zero, &chosen), &x));
    }
    let written = n(8.0).binary(Binary::Min, &i.binary(Binary::Max, &n(2.0))).binary(Binary::Sub, &n(2.0));
    let inside = first[0].binary(Binary::And, &compare(&i, Comparison::Ge, &n(2.0)));
    assert!(is_border(&inside.select(&x.gather(A, &written), &zero), &x), "cut off first, and moved then");
}

#[test]
fn a_border_around_a_picture_is_one_along_each_axis() {
    let x = counting(&[(A, 7), (B, 7), (D, 2)]);
    let lines = Written { count: 10, inside: [2.0, 7.0], ..USUAL };
    let zero = number(Kind::F64, 0.0);
    for [a, b] in [[A, B], [C, B], [C, A], [A, C]] {
        let chosen = x.gather(A, &lines.positions(a)).gather(B, &USUAL.positions(b));
        let both = USUAL.condition(b).binary(Binary::And, &lines.condition(a));
        assert!(is_border(&both.select(&chosen, &zero), &x), "{a} {b}");
        assert!(!is_border(&lines.condition(a).select(&chosen, &zero), &x), "along one axis alone");
    }
}

#[test]
fn what_is_no_border_stays_a_choice() {
    let x = counting(&[(A, 7), (B, 2)]);
    let zero = number(Kind::F64, 0.0);
    let choice = |written: Written| written.condition(C).select(&x.gather(A, &written.positions(C)), &zero);
    assert!(is_border(&choice(USUAL), &x), "as it is usually");
    assert!(!is_border(&choice(Written { inside: [0.0, 7.0], ..USUAL }), &x), "one position is there twice");
    assert!(!is_border(&choice(Written { inside: [1.0, 8.0], ..USUAL }), &x), "and at the other end");
    let narrow = Written { cut: [2.0, 4.0], ..USUAL };
    assert!(!is_border(&choice(Written { inside: [2.0, 5.0], ..narrow }), &x), "cut off inside");
    assert!(!is_border(&choice(Written { inside: [3.0, 6.0], ..narrow }), &x), "and at the other end");
    assert!(!is_border(&choice(Written { inside: [5.0, 4.0], ..USUAL }), &x), "nothing is inside");
    let leaves = choice(Written { cut: [-1.0, 6.0], ..USUAL });
    assert!(!is_border(&leaves, &x), "a position outside leaves the axis");
    assert!(!is_border(&choice(Written { cut: [0.0, 7.0], ..USUAL }), &x), "at the other end");
    let (condition, chosen) = (USUAL.condition(C), x.gather(A, &USUAL.positions(C)));
    assert!(!is_border(&condition.select(&zero, &chosen), &x), "what is chosen is outside");
    assert!(!is_border(&condition.select(&chosen, &counting(&[(B, 2)])), &x), "several numbers around");
    let more = condition.binary(Binary::And, &Node::iota(B, 2).compare(Comparison::Le, &number(Kind::Index, 0.0)));
    assert!(!is_border(&more.select(&chosen, &zero), &x), "a condition on another axis");
    let each = Node::iota(C, 9).compare(Comparison::Ne, &number(Kind::Index, 3.0));
    assert!(!is_border(&condition.binary(Binary::And, &each).select(&chosen, &zero), &x), "a gap");
    let twice = Node::iota(C, 9).binary(Binary::Mul, &number(Kind::Index, 2.0));
    let twice = twice.binary(Binary::Min, &number(Kind::Index, 6.0));
    let few = Node::iota(C, 9).compare(Comparison::Le, &number(Kind::Index, 3.0));
    assert!(!is_border(&few.select(&x.gather(A, &twice), &zero), &x), "every second position");
    let beside = counting(&[(A, 7), (C, 9)]);
    assert!(!is_border(&condition.select(&beside.gather(A, &USUAL.positions(C)), &zero), &beside), "aligned axes");
    let stored = tensor(&[(C, 9)], &[0_i64, 0, 1, 2, 3, 4, 5, 6, 6]);
    assert!(!is_border(&condition.select(&x.gather(A, &stored), &zero), &x), "stored positions");
    chosen.remember(crate::graph::evaluate::plainly(std::slice::from_ref(&chosen)).unwrap().remove(0));
    assert!(!is_border(&condition.select(&chosen, &zero), &x), "what is there already");
}

#[test]
fn a_border_owes_what_it_is_owed_inside_whatever_stands_outside() {
    let scattered = |node: &Node| matches!(node.op(), Op::ScatterAdd { .. });
    for axis in [A, C] {
        for written in [USUAL, Written { inside: [3.0, 5.0], ..USUAL }] {
            let (condition, positions) = (written.condition(axis), written.positions(axis));
            let zero = number(Kind::F64, 0.0);
            let outside = condition.select(&zero, &number(Kind::F64, f64::NAN));
            let g = counting(&[(B, 2), (axis, 9)]).binary(Binary::Add, &outside);
            let also = counting(&[(B, 2)]).compare(Comparison::Le, &number(Kind::F64, 1.0));
            let not = |x: &Node| x.unary(Unary::Not);
            for owed in [
                condition.select(&g, &zero),
                not(&condition).select(&zero, &g),
                condition.binary(Binary::And, &also).select(&g, &zero),
                not(&condition).binary(Binary::Or, &not(&also)).select(&zero, &g),
            ] {
                let [found, plain] =
                    [owed.owed_at(&positions, A, 7, &[axis]), owed.scatter_add(&positions, A, 7, &[axis])];
                assert!(!scattered(&found), "no sum is over computed positions");
                assert_eq!(found.shape().rank(), plain.shape().rank(), "{:?}", found.shape());
                let same = read(&found.compare(Comparison::Eq, &plain));
                assert!(same.iter().all(|&same| same == 1.0), "{:?}", read(&found));
            }
            let all = g.owed_at(&positions, A, 7, &[axis]);
            assert!(scattered(&all), "without a condition");
            let one = condition.select(&g, &number(Kind::F64, 1.0)).owed_at(&positions, A, 7, &[axis]);
            assert!(scattered(&one), "something is owed outside");
            let variable = number(Kind::F64, 0.0).into_variable();
            let may_be_more = condition.select(&g, &variable).owed_at(&positions, A, 7, &[axis]);
            assert!(scattered(&may_be_more), "what is 0 now may be derived by");
            if axis == C {
                assert!(scattered(&condition.select(&g, &zero).owed_at(&positions, A, 7, &[])), "none is summed");
                let other = Node::iota(A, 7).compare(Comparison::Le, &number(Kind::Index, 3.0));
                let owed = condition.binary(Binary::And, &other).select(&g, &zero).owed_at(&positions, A, 7, &[C]);
                assert!(owed.error().is_some(), "the axis is there already");
            }
        }
    }
}

#[test]
fn positions_of_positions_are_a_border_of_the_last_ones() {
    let x = counting(&[(A, 7), (B, 2)]);
    let inner = x.gather(A, &Written { count: 5, moved: 1.0, ..USUAL }.positions(C));
    let outer = Written { count: 7, cut: [0.0, 4.0], inside: [1.0, 5.0], ..USUAL };
    let choice = outer.condition(C).select(&inner.gather(C, &outer.positions(C)), &number(Kind::F64, 0.0));
    assert!(is_border(&choice, &inner));
    assert_eq!(choice.border().map(|border| border.gathers), Some(1));
}

#[test]
fn a_choice_along_two_axes_is_windows_of_a_table_between_numbers() {
    let x = counting(&[(A, 7), (B, 2)]);
    let zero = number(Kind::F64, 0.0);
    let n = |value| number(Kind::Index, value);
    for [a, b] in [[A, C], [C, A], [C, D]] {
        let (i, j) = (Node::iota(a, 7), Node::iota(b, 7));
        let (less, more) = (i.binary(Binary::Sub, &j), i.binary(Binary::Add, &j));
        let [low, high] = [(&less, Binary::Max, 0.0), (&more, Binary::Min, 6.0)]
            .map(|(at, function, end)| x.gather(A, &at.binary(function, &n(end))));
        let below = j.compare(Comparison::Le, &i);
        let twice = [&i, &j].map(|at| at.binary(Binary::Mul, &n(2.0)));
        for inside in [
            below.clone(),
            i.compare(Comparison::Ge, &j),
            j.compare(Comparison::Gt, &i).unary(Unary::Not),
            twice[1].compare(Comparison::Le, &twice[0].binary(Binary::Add, &n(1.0))),
            below.binary(Binary::And, &less.compare(Comparison::Le, &n(3.0))),
            less.compare(Comparison::Gt, &n(1.0)),
        ] {
            assert!(is_border(&inside.select(&low, &zero), &x), "{a} {b}");
            assert!(is_border(&inside.unary(Unary::Not).select(&number(Kind::F64, 0.5), &low), &x), "{a} {b}");
        }
        assert!(is_border(&more.compare(Comparison::Lt, &n(7.0)).select(&high, &zero), &x), "from its other end");
        for (none, of) in [
            (less.compare(Comparison::Ge, &n(-1.0)), "one position is there twice"),
            (less.compare(Comparison::Ge, &n(7.0)), "nothing is inside"),
            (less.compare(Comparison::Ge, &n(-6.0)), "all is inside"),
            (more.compare(Comparison::Ge, &n(2.0)), "across"),
            (twice[1].compare(Comparison::Le, &i), "another slope"),
            (below.binary(Binary::And, &i.compare(Comparison::Le, &n(3.0))), "a part of the band"),
            (less.compare(Comparison::Ne, &n(0.0)), "all but a diagonal"),
        ] {
            assert!(!is_border(&none.select(&low, &zero), &x), "{of}");
        }
        assert!(!is_border(&below.select(&x.gather(A, &less), &zero), &x), "a position leaves the axis");
        if b != A {
            let aligned = counting(&[(A, 7), (b, 7)]);
            let at = less.binary(Binary::Max, &n(0.0));
            assert!(!is_border(&below.select(&aligned.gather(A, &at), &zero), &aligned), "aligned axes");
        }
    }
}
