//! Indices of several axes, one after the other and at once.

use super::*;
use crate::graph::calculus::reverse;

const HEIGHT: Name = NAMES[0];
const WIDTH: Name = NAMES[1];
const DEPTH: Name = NAMES[2];
const CHANNEL: Name = NAMES[3];
const POINT: Name = NAMES[4];

/// How many steps index or sum at positions.
fn steps(roots: &[Node]) -> usize {
    let schedule = lower::schedule(&Trace::new(roots).unwrap());
    let actions = schedule.steps.iter().map(|step| &step.action);
    actions.filter(|action| matches!(action, Action::Gather { .. } | Action::Scatter { .. })).count()
}

#[test]
fn pairs_and_triples_of_positions_are_one_index_and_one_sum() {
    for seed in 0..40 {
        let mut draw = Draw::new(seed);
        let kind = if seed % 2 == 0 { Kind::F32 } else { Kind::F64 };
        let mut axes = [(HEIGHT, 5), (WIDTH, 7), (DEPTH, 3), (CHANNEL, 2)];
        let count = 2 + draw.below(2);
        (1..4).for_each(|i| axes.swap(i, draw.below(i + 1)));
        let x = stored(&mut draw, kind, Shape::new(axes), 1);
        let mut all: Vec<(Name, usize)> = axes.into_iter().filter(|&(name, _)| name != CHANNEL).collect();
        all.truncate(count);
        let points = Shape::new([(POINT, 150)]);
        let index = |x: &Node, draw: &mut Draw| {
            let at = |x: Node, (axis, size)| x.gather(axis, &positions(draw, points.clone(), size));
            all.iter().copied().fold(x.clone(), at)
        };
        let taken = index(&x, &mut draw);
        assert_eq!(steps(std::slice::from_ref(&taken)), 1, "{all:?}");
        both_ways(std::slice::from_ref(&taken), &format!("positions {seed}"));

        let square = index(&x, &mut draw).unary(Unary::Tanh);
        let loss = square.reduce(Reduction::Sum, &square.shape().names().collect::<Vec<_>>());
        let one = Node::fill(kind, 1.0, Shape::default());
        let owed = reverse(&[(loss.clone(), one)], std::slice::from_ref(&x), &[]).remove(0).unwrap();
        assert_eq!(steps(&[loss.clone(), owed.clone()]), 2, "{all:?}");
        both_ways(&[loss, owed], &format!("owed {seed}"));
    }
}

#[test]
fn chains_of_any_positions_are_the_same_planned_and_plain() {
    let mut at_once = 0;
    for seed in 0..1500 {
        let mut draw = Draw::new(seed);
        let kind = *draw.of(&[Kind::F32, Kind::F64]);
        let sizes = NAMES.map(|name| (name, *draw.of(&[1, 2, 3, 5])));
        let [.., (_, point), _] = sizes;
        let of = |draw: &mut Draw, sizes: &[(Name, usize)]| {
            Shape::new(sizes.iter().copied().filter(|_| draw.below(3) > 0).collect::<Vec<_>>())
        };
        let shape = of(&mut draw, &sizes[..5]);
        let mut x = stored(&mut draw, kind, shape, 1);
        let mut many = sizes.map(|(name, size)| (name, if name == POINT && point > 1 { 60 } else { size }));
        (1..6).for_each(|i| many.swap(i, draw.below(i + 1)));
        let mut links = 0;
        for _ in 0..2 + draw.below(2) {
            let names: Vec<(Name, usize)> = x.shape().iter().collect();
            if names.is_empty() {
                continue;
            }
            let (axis, size) = *draw.of(&names);
            let over = of(&mut draw, &many[..3]);
            // One past the end at times, which is the same error in both.
            let highest = if draw.below(25) == 0 { size + 1 } else { size };
            let chosen = positions(&mut draw, over, highest);
            let next = if draw.below(2) == 0 {
                x.gather(axis, &chosen)
            } else {
                let other = *draw.of(&NAMES);
                let over = draw.subset(x.shape().names().chain(chosen.shape().names()));
                let over: Vec<Name> =
                    over.into_iter().filter(|name| draw.below(4) == 0 || chosen.shape().has(*name)).collect();
                let size = sizes.iter().find(|(name, _)| *name == other).map_or(4, |&(_, size)| size);
                let chosen = positions(&mut draw, chosen.shape().clone(), size);
                x.scatter_add(&chosen, other, size, &over)
            };
            if next.error().is_none() && next.shape().elements() < 20_000 {
                (x, links) = (next, links + 1);
            }
        }
        at_once += links - steps(std::slice::from_ref(&x)).min(links);
        both_ways(&[x], &format!("chain {seed}"));
    }
    assert!(at_once > 60, "some chains are taken at once: {at_once}");
}

#[test]
fn later_positions_along_the_axis_of_the_first_sum_are_no_chain() {
    let table = Name::declared("table");
    let x = stored(&mut Draw::new(1), Kind::F32, Shape::new([(HEIGHT, 3), (WIDTH, 4)]), 1);
    let first = positions(&mut Draw::new(2), Shape::new([(HEIGHT, 3)]), 20);
    let later = positions(&mut Draw::new(3), Shape::new([(table, 20), (WIDTH, 4)]), 3);
    let sums = x.scatter_add(&first, table, 20, &[HEIGHT]).scatter_add(&later, DEPTH, 3, &[WIDTH]);
    assert_eq!(steps(std::slice::from_ref(&sums)), 2);
    both_ways(&[sums], "positions for each place of the table");
}

#[test]
fn a_position_that_leaves_one_of_the_axes_is_told_with_this_axis() {
    let x = stored(&mut Draw::new(1), Kind::F32, Shape::new([(HEIGHT, 5), (WIDTH, 7), (CHANNEL, 2)]), 1);
    let at = |wrong: Option<i64>, size: i64| {
        let mut values: Vec<i64> = (0..150).map(|i| i % size).collect();
        values[40] = wrong.unwrap_or(values[40]);
        let shape = Shape::new([(POINT, 150)]);
        let buffer = Arc::new(Buffer::Index(values.into()));
        Node::input(Value { buffer, offset: 0, strides: row_major(shape.sizes()) }, shape)
    };
    for wrong in [-1, 5, 7, i64::MAX, i64::MIN + 1, i64::MIN] {
        for (height, width) in [(Some(wrong), None), (None, Some(wrong)), (Some(wrong), Some(-3))] {
            let taken = x.gather(HEIGHT, &at(height, 5)).gather(WIDTH, &at(width, 7));
            assert_eq!(steps(std::slice::from_ref(&taken)), 1);
            both_ways(&[taken], &format!("{wrong}, {height:?} {width:?}"));
        }
    }
    let taken = x.gather(HEIGHT, &at(None, 5)).gather(WIDTH, &at(Some(7), 7));
    let error = evaluate(&[taken]).unwrap_err().to_string();
    assert!(error.contains("position 7 of axis") && error.contains("whose size is 7"), "{error}");
}
