//! Sums at positions, planned and plain: the same numbers in whatever way their inputs lie.
//!
//! Lives here: those, and that a row that is summed is a run. Not here: what random graphs try (`draw`).

mod cases;
mod chains;
mod grouped;
mod joined;
mod ordered;
mod relative;

use super::sorting::leaf;
use super::*;
use crate::element::Comparison;
use crate::graph::calculus::reverse;
use crate::graph::value::row_major;

/// Positions below `size` over these axes.
pub(super) fn positions(draw: &mut Draw, shape: Shape, size: usize) -> Node {
    let mut buffer = Buffer::zeros(Kind::Index, shape.elements());
    if let Buffer::Index(values) = &mut buffer {
        values.iter_mut().for_each(|value| *value = i64::try_from(draw.below(size)).unwrap());
    }
    Node::input(Value { buffer: Arc::new(buffer), offset: 0, strides: row_major(shape.sizes()) }, shape)
}

/// What these owe when each number of the result is owed its cosine.
fn owed(root: &Node, of: &[Node]) -> Vec<Node> {
    reverse(&[(root.clone(), root.unary(Unary::Cos))], of, &[]).into_iter().flatten().collect()
}

/// The multiplications of all products of matrices.
pub(super) fn multiplied(roots: &[Node]) -> usize {
    let schedule = lower::schedule(&Trace::new(roots).unwrap());
    let size = |action: &Action| match action {
        Action::Product { batch, rows, columns, inner, .. } => {
            batch.iter().chain([rows, columns, inner]).map(|each| each.size).product()
        }
        _ => 0,
    };
    schedule.steps.iter().map(|step| size(&step.action)).sum()
}

#[test]
fn sums_at_positions_are_the_same_planned_and_plain_for_any_axes_and_layouts() {
    let mut scattered = 0;
    for seed in 0..900 {
        let mut draw = Draw::new(seed);
        let kind = if seed % 2 == 0 { Kind::F32 } else { Kind::F64 };
        let size = |draw: &mut Draw| *draw.of(&[0, 1, 1, 2, 3, 5, 7, 15, 17, 33]);
        let axes: Vec<(Name, usize)> = NAMES[..1 + draw.below(4)].iter().map(|&name| (name, size(&mut draw))).collect();
        let some = |draw: &mut Draw| Shape::new(axes.iter().copied().filter(|_| draw.below(3) > 0));
        let [of_updates, of_positions] = [some(&mut draw), some(&mut draw)];
        if axes.iter().map(|&(_, size)| size).product::<usize>() > 20_000 {
            continue;
        }
        let count = *draw.of(&[1, 2, 3, 40, 300]);
        let updates = leaf(&mut draw, kind, &of_updates);
        let at = positions(&mut draw, of_positions, count);
        let all = axes.iter().map(|&(name, _)| name);
        let all = all.filter(|&name| at.shape().has(name) || updates.shape().has(name));
        let over: Vec<Name> = all.filter(|_| draw.below(2) == 0).collect();
        let root = updates.scatter_add(&at, Name::declared("table"), count, &over);
        let schedule = lower::schedule(&Trace::new(std::slice::from_ref(&root)).unwrap());
        scattered += schedule.steps.iter().filter(|step| matches!(step.action, Action::Scatter { .. })).count();
        both_ways(&[root], &format!("graph {seed}"));
    }
    assert!(scattered > 200, "sums are steps: {scattered}");
}

#[test]
fn a_product_that_is_summed_at_positions_lies_row_by_row() {
    let [m, k, n, table] = [NAMES[0], NAMES[1], NAMES[2], Name::declared("table")];
    let mut draw = Draw::new(3);
    let at = positions(&mut draw, Shape::new([(m, 300)]), 20);
    for [left, right] in [[[m, k], [k, n]], [[k, m], [n, k]]] {
        let of = |names: [Name; 2], size: usize| {
            Shape::new(names.map(|name| {
                (
                    name,
                    if name == m {
                        300
                    } else if name == k {
                        50
                    } else {
                        size
                    },
                )
            }))
        };
        let [x, y] = [of(left, 7), of(right, 7)].map(|shape| stored(&mut Draw::new(1), Kind::F32, shape, 1));
        for product in [x.contract(&y, &[k]), y.contract(&x, &[k])] {
            // Something in between keeps the sums behind the product.
            let root = product.unary(Unary::Sin).scatter_add(&at, table, 20, &[m]);
            let schedule = lower::schedule(&Trace::new(std::slice::from_ref(&root)).unwrap());
            let rows = schedule.steps.iter().filter_map(|step| match &step.action {
                Action::Scatter { read, .. } => read[0].strides.last().copied(),
                _ => None,
            });
            assert_eq!(rows.collect::<Vec<_>>(), [1], "{left:?} {right:?}");
            both_ways(&[root], "a product at positions");
        }
    }
}

#[test]
fn what_windows_owe_is_summed_row_by_row_of_a_picture_wherever_an_axis_of_one_position_lies() {
    let [c, high, m, n, one] = ["c", "high", "m", "n", "one"].map(Name::declared);
    let at = Node::iota(m, 6).binary(Binary::Add, &Node::iota(high, 3));
    for place in 0..5 {
        let mut axes = vec![(c, 4), (high, 3), (m, 6), (n, 5)];
        axes.insert(place, (one, 1));
        let shape = Shape::new(axes);
        let numbers = (0..shape.elements()).map(|i| (i as f32).sin()).collect();
        let strides = row_major(shape.sizes());
        let updates = Node::input(Value { buffer: Arc::new(Buffer::F32(numbers)), offset: 0, strides }, shape);
        let root = updates.scatter_add(&at, Name::declared("picture"), 8, &[m, high]);
        let schedule = lower::schedule(&Trace::new(std::slice::from_ref(&root)).unwrap());
        let stretches = schedule.steps.iter().filter_map(|step| match &step.action {
            Action::Scatter { across, .. } => Some(*across),
            _ => None,
        });
        assert_eq!(stretches.collect::<Vec<_>>(), [Some(5)], "{place}");
        both_ways(&[root], "what windows owe");
    }
}

#[test]
fn a_contraction_with_a_one_hot_tensor_takes_rows_or_sums_them_and_what_is_not_there_has_no_1() {
    let (mut counts, mut compared): (HashMap<&str, usize>, usize) = (HashMap::new(), 0);
    for seed in 0..600 {
        let mut draw = Draw::new(seed);
        let kind = if seed % 2 == 0 { Kind::F32 } else { Kind::F64 };
        let [axis, a, b, c, ..] = NAMES;
        let size = |draw: &mut Draw| *draw.of(&[0, 1, 2, 3, 5, 7, 17]);
        let sizes = [size(&mut draw), size(&mut draw), size(&mut draw), size(&mut draw)];
        let shape = |names: &[usize]| Shape::new(names.iter().map(|&i| ([axis, a, b, c][i], sizes[i])));
        // Some are beyond the axis, or all where it is empty.
        let at = positions(&mut draw, shape(&[1, 2]), sizes[0] + 1 + usize::from(seed % 3 == 0));
        let count = Node::iota(axis, sizes[0]);
        let equal = if seed % 5 == 0 { at.compare(Comparison::Eq, &count) } else { count.compare(Comparison::Eq, &at) };
        let hot = equal.cast(kind);
        let other = |draw: &mut Draw, names: &[usize]| stored(draw, kind, shape(names), 1);
        let table = if draw.below(2) == 0 { other(&mut draw, &[0, 3]) } else { other(&mut draw, &[2, 0]) };
        let updates = if draw.below(2) == 0 { other(&mut draw, &[1, 2, 3]) } else { other(&mut draw, &[2, 1]) };
        // What has the axis itself is multiplied position by position.
        let beside = other(&mut draw, &[0, 1]);
        both_ways(&[hot.contract(&beside, &[a]), hot.contract(&beside, &[axis, a])], &format!("beside {seed}"));
        // And where its own axis is summed, there is nothing to count at.
        let sums = [&[axis][..], &[axis, a], &[b, axis]].map(|axes| hot.reduce(Reduction::Sum, axes));
        both_ways(&sums, &format!("summed along its axis {seed}"));
        let roots = [
            hot.contract(&table, &[axis]),
            updates.contract(&hot, &[a, b]),
            hot.contract(&updates, &[b]),
            table.contract(&hot, &[axis]).unary(Unary::Tanh),
            hot.reduce(Reduction::Sum, &[a, b]),
            hot.reduce(Reduction::Sum, &[b]),
            hot.binary(Binary::Mul, &table).reduce(Reduction::Sum, &[axis]),
            updates.binary(Binary::Mul, &hot).reduce(Reduction::Sum, &[b, a]),
            updates.contract(&hot, &[a]).binary(Binary::Sub, &hot.reduce(Reduction::Sum, &[a])),
        ];
        for root in &roots {
            for step in lower::schedule(&Trace::new(std::slice::from_ref(root)).unwrap()).steps {
                *counts.entry(named(&step.action)).or_default() += 1;
            }
            compared += both_ways(std::slice::from_ref(root), &format!("graph {seed}")).unwrap_or(0);
        }
    }
    assert!(counts["gather"] > 800 && counts["scatter"] > 1200 && compared > 80_000, "{counts:?}, {compared}");
    assert!(!counts.contains_key("product"), "{counts:?}");
}

#[test]
fn ones_along_the_axis_of_a_one_hot_tensor_are_summed_though_the_other_factor_lacks_it() {
    for seed in 0..100 {
        let mut draw = Draw::new(seed);
        let kind = if seed % 2 == 0 { Kind::F32 } else { Kind::F64 };
        let [axis, a, b, ..] = NAMES;
        let size = 1 + draw.below(5);
        // Some positions are beyond the axis: nothing is summed there.
        let at = positions(&mut draw, Shape::new([(a, 4)]), size + 1);
        let hot = Node::iota(axis, size).compare(Comparison::Eq, &at).cast(kind);
        for other in [Shape::new([(a, 4)]), Shape::new([(b, 3)]), Shape::new([(b, 3), (a, 4)]), Shape::default()] {
            let other = stored(&mut draw, kind, other, 1);
            let products = [hot.binary(Binary::Mul, &other), other.binary(Binary::Mul, &hot)];
            both_ways(&products.map(|product| product.reduce(Reduction::Sum, &[axis])), &format!("ones {seed}"));
        }
    }
}
