//! Best positions, running sums and sorting, planned and plain: the same numbers, bit for bit.
//!
//! Lives here: tensors of any layout with equal numbers and NaN among them. Not here: what random graphs try (`draw`).

use super::*;
use crate::graph::value::Strides;

/// A tensor in a random order of axes, with gaps, backwards and repeated, with few different numbers.
pub(super) fn leaf(draw: &mut Draw, kind: Kind, shape: &Shape) -> Node {
    let sizes: Vec<usize> = shape.sizes().collect();
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, draw.below(i + 1));
    }
    let mut strides = Strides::from_elem(0, sizes.len());
    let (mut reach, mut offset) = (1, draw.below(3));
    for &axis in order.iter().rev() {
        if draw.below(8) == 0 {
            continue;
        }
        reach += draw.below(5) / 4;
        let back = draw.below(8) == 0;
        strides[axis] = if back { -(reach as isize) } else { reach as isize };
        offset += if back { (sizes[axis].max(1) - 1) * reach } else { 0 };
        reach *= sizes[axis].max(1);
    }
    let few = *draw.of(&[1, 5, 1000]);
    let number = |draw: &mut Draw| match draw.below(40) {
        0 => f64::NAN,
        1 => f64::NEG_INFINITY,
        2 => f64::INFINITY,
        3 => -0.0,
        _ => draw.below(few) as f64 / 7.0 - 0.5,
    };
    let mut buffer = Buffer::zeros(kind, reach + offset);
    match &mut buffer {
        Buffer::F32(values) => values.iter_mut().for_each(|value| *value = number(draw) as f32),
        Buffer::F64(values) => values.iter_mut().for_each(|value| *value = number(draw)),
        _ => {}
    }
    Node::input(Value { buffer: Arc::new(buffer), offset, strides }, shape.clone())
}

#[test]
fn best_positions_running_sums_and_sorts_of_any_layout_are_those_of_the_definition() {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for seed in 0..800 {
        let mut draw = Draw::new(seed);
        let kind = if seed % 2 == 0 { Kind::F32 } else { Kind::F64 };
        let mut axes: Vec<(Name, usize)> = Vec::new();
        for &name in &NAMES[..1 + draw.below(3)] {
            axes.push((name, *draw.of(&[0, 1, 1, 2, 3, 5, 8, 15, 16, 17, 40, 65, 130])));
        }
        let shape = Shape::new(axes.iter().copied());
        if shape.elements() > 40_000 {
            continue;
        }
        let x = leaf(&mut draw, kind, &shape);
        let (axis, size) = *draw.of(&axes);
        let descending = draw.below(2) == 0;
        let order = || x.argsort(axis, descending);
        let mut roots = vec![x.cumulative_sum(axis), x.running_sum(axis, true), x.sort(axis, descending)];
        if size > 0 {
            roots.push(if draw.below(2) == 0 { order().at(axis, 0) } else { order().slice(axis, 0..1, 1) });
        }
        // The first few of an order of its own, and of one that is used whole as well.
        let few = draw.below(size + 1);
        roots.push(order().slice(axis, 0..few, 1));
        roots.push(x.sort(axis, !descending).slice(axis, 0..few, 1));
        if size > 0 {
            roots.push(x.sort(axis, !descending).at(axis, 0));
        }
        // Beside the whole order its first position is read where it lies.
        let alone = roots.clone();
        if draw.below(4) == 0 {
            roots.push(order());
        }
        for root in roots.iter().chain([&order()]) {
            for step in lower::schedule(&Trace::new(std::slice::from_ref(root)).unwrap()).steps {
                *counts.entry(named(&step.action)).or_default() += 1;
            }
            same_bits(std::slice::from_ref(root), seed);
        }
        same_bits(&alone, seed);
        same_bits(&roots, seed);
    }
    assert!(!counts.contains_key("plain"), "all of them have kernels: {counts:?}");
    assert!(counts["best"] > 400 && counts["rows"] > 1200, "all of them are tried: {counts:?}");
}

pub(super) fn same_bits(roots: &[Node], seed: u64) {
    let (plain, planned) = (graph::evaluate::plainly(roots).unwrap(), plan_again(roots));
    for ((root, plain), planned) in roots.iter().zip(&plain).zip(&planned) {
        let (plain, planned) = (elements(root, plain), elements(root, planned));
        let same = |(x, y): (&f64, &f64)| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
        assert!(plain.iter().zip(&planned).all(same), "graph {seed}: {root:?}: {plain:?}, planned {planned:?}");
    }
}

/// The values of a new plan's run, none of which the nodes remember.
fn plan_again(roots: &[Node]) -> Vec<Value> {
    let trace = Trace::new(roots).unwrap();
    execute::run(&lower::schedule(&trace), &trace).unwrap().into_vec()
}

#[test]
fn of_the_first_few_of_an_order_the_others_are_not_sorted() {
    let axis = NAMES[0];
    let x = leaf(&mut Draw::new(1), Kind::F32, &Shape::new([(axis, 50), (NAMES[1], 3)]));
    let first = |order: &Node| order.slice(axis, 0..4, 1);
    for (order, name) in [
        (x.sort(axis, true), "= maxk("),
        (x.sort(axis, false), "= mink("),
        (x.argsort(axis, true), "= argmaxk("),
        (x.argsort(axis, false), "= argmink("),
    ] {
        let page = describe(&[first(&order)]).unwrap();
        assert!(page.contains(name) && page.contains("1 step   "), "{page}");
        let page = describe(&[first(&order), order.clone()]).unwrap();
        assert!(page.contains("sort(") && page.contains("1 step   "), "the whole order is wanted, too: {page}");
        let page = describe(&[order.slice(axis, 1..5, 1)]).unwrap();
        assert!(page.contains("sort("), "others than the first are taken of a whole order: {page}");
        let every_other = order.slice(axis, 0..4, 2);
        same_bits(&[every_other], 0);
    }
}

#[test]
fn argmax_is_a_step_that_sorts_nothing() {
    let axis = NAMES[0];
    let shape = Shape::new([(axis, 5), (NAMES[1], 3)]);
    let x = leaf(&mut Draw::new(1), Kind::F32, &shape);
    for (descending, name) in [(true, "= argmax("), (false, "= argmin(")] {
        let page = describe(&[x.argsort(axis, descending).at(axis, 0)]).unwrap();
        assert!(page.contains(name) && page.contains("1 step   "), "{page}");
    }
    let order = x.argsort(axis, true);
    let page = describe(&[order.at(axis, 0), order]).unwrap();
    assert!(page.contains("argsort") && page.contains("1 step   "), "the order is there already: {page}");
}
