//! Scans as graphs: what they compute plainly, which axes carries gain, what is taken from outside, what is refused.

use crate::graph::ids::ById;

use super::*;
use crate::element::{Binary, Comparison};
use crate::graph::op::Reduction;
use crate::graph::testing::{A, B, C, D, axes, counting, error, laid_otherwise, read, tensor};

/// Sums along the axis, and each sum: (h + x, h + x).
fn sums(axis: Name, backwards: bool, first: &Node, x: &Node) -> (Node, Node) {
    let [last, all] = Node::scan(axis, backwards, std::slice::from_ref(first), std::slice::from_ref(x), |h, x| {
        let sum = h[0].binary(Binary::Add, &x[0]);
        [vec![sum.clone()], vec![sum]]
    });
    (last[0].clone(), all[0].clone())
}

#[test]
fn a_sum_of_all_steps_is_the_running_sum() {
    let (x, zero) = (counting(&[(A, 4)]), tensor(&[], &[0.0]));
    let (last, all) = sums(A, false, &zero, &x);
    assert_eq!((read(&last), read(&all)), (vec![10.0], vec![1.0, 3.0, 6.0, 10.0]));
    let (last, all) = sums(A, true, &zero, &x);
    assert_eq!((read(&last), read(&all)), (vec![10.0], vec![10.0, 9.0, 7.0, 4.0]), "each stands at its position");
}

#[test]
fn nothing_is_repeated_along_an_empty_axis() {
    let (last, all) = sums(A, false, &tensor(&[(B, 2)], &[3.0, 4.0]), &counting(&[(A, 0), (B, 2)]));
    assert_eq!((read(&last), read(&all)), (vec![3.0, 4.0], vec![]));
    assert_eq!(axes(&all), [("a", 0), ("b", 2)]);
}

#[test]
fn a_carry_gains_the_axes_of_what_it_meets_first_or_later() {
    let x = counting(&[(C, 2), (A, 3)]);
    let (last, all) = sums(A, false, &tensor(&[(B, 2)], &[10.0, 20.0]), &x);
    assert_eq!(axes(&last), [("b", 2), ("c", 2)]);
    assert_eq!(axes(&all), [("a", 3), ("b", 2), ("c", 2)]);
    let mut sums = read(&last);
    sums.sort_by(f64::total_cmp);
    assert_eq!(sums, [16.0, 25.0, 26.0, 35.0]);
    // The second carry gains an axis from the first, one attempt later.
    let zero = tensor(&[], &[0.0]);
    let [last, _] = Node::scan(A, false, &[zero.clone(), zero], &[x], |h, x| {
        [vec![x[0].clone(), h[0].binary(Binary::Add, &h[1])], vec![]]
    });
    assert_eq!(read(&last[1]), [1.0 + 2.0, 4.0 + 5.0]);
}

#[test]
fn what_is_taken_from_outside_becomes_an_input_computed_once() {
    let (x, w) = (counting(&[(A, 3)]), counting(&[(B, 2)]));
    let [_, ys] = Node::scan(A, false, &[], &[x], |_, x| {
        let outside = w.reduce(Reduction::Sum, &[B]);
        [
            vec![],
            vec![x[0].binary(Binary::Mul, &outside).binary(Binary::Add, &Node::fill(Kind::F64, 1.0, Shape::default()))],
        ]
    });
    assert_eq!(read(&ys[0]), [4.0, 7.0, 10.0]);
    let scan = Node::walk(&ys).into_iter().find(|node| matches!(node.op(), Op::Scan(_))).unwrap();
    let names: Vec<&str> = scan.inputs().iter().map(|input| input.op().name()).collect();
    assert_eq!(names, ["input", "sum"], "the constant 1 stays inside");
}

#[test]
fn results_of_several_kinds_are_what_they_are() {
    let (x, zero) = (tensor(&[(A, 3)], &[1.5_f32, -2.0, 7.25]), tensor(&[], &[0_i64]));
    let [last, ys] = Node::scan(A, false, &[zero], &[x], |n, x| {
        let next = n[0].binary(Binary::Add, &Node::fill(Kind::Index, 1.0, Shape::default()));
        let positive = x[0].compare(Comparison::Gt, &Node::fill(Kind::F32, 0.0, Shape::default()));
        [vec![next.clone()], vec![x[0].clone(), next, positive]]
    });
    let kinds: Vec<Kind> = last.iter().chain(&ys).map(Node::kind).collect();
    assert_eq!(kinds, [Kind::Index, Kind::F32, Kind::Index, Kind::Bool]);
    assert_eq!((read(&last[0]), read(&ys[0])), (vec![3.0], vec![1.5, -2.0, 7.25]));
    assert_eq!((read(&ys[1]), read(&ys[2])), (vec![1.0, 2.0, 3.0], vec![1.0, 0.0, 1.0]));
}

#[test]
fn a_scan_inside_a_scan_takes_from_both() {
    let x = counting(&[(A, 2), (B, 3)]);
    let [total, _] = Node::scan(A, false, &[tensor(&[], &[0.0])], &[x], |outer, row| {
        let [inner, _] = Node::scan(B, true, &[tensor(&[], &[0.0])], row, |inner, x| {
            [
                vec![inner[0].binary(Binary::Add, &x[0].binary(Binary::Mul, &outer[0])).binary(Binary::Add, &x[0])],
                vec![],
            ]
        });
        [vec![inner[0].clone()], vec![]]
    });
    // Row by row: 6 · 0 + 6 = 6, then 15 · 6 + 15.
    assert_eq!(read(&total[0]), [105.0]);
}

#[test]
fn a_scan_on_other_inputs_gives_parts_that_have_their_further_axes() {
    let x = counting(&[(A, 3)]);
    let (last, all) = sums(A, false, &tensor(&[], &[0.0]), &x);
    let wide = counting(&[(D, 2), (A, 3)]);
    let found = Node::substitute(&[last, all], &ById::from_iter([(x.id(), wide)]));
    assert_eq!(read(&found[0]), [6.0, 15.0]);
    assert_eq!(axes(&found[1]), [("a", 3), ("d", 2)]);
    let mut sums = read(&found[1]);
    sums.sort_by(f64::total_cmp);
    assert_eq!(sums, [1.0, 3.0, 4.0, 6.0, 9.0, 15.0]);
}

#[test]
fn a_hundred_thousand_steps_are_one_node_and_other_layouts_the_same() {
    let x = counting(&[(A, 100_000)]);
    let (last, _) = sums(A, false, &tensor(&[], &[0.0]), &x);
    assert!(Node::walk(std::slice::from_ref(&last)).len() < 8, "the graph does not grow");
    assert_eq!(read(&last), [5_000_050_000.0]);
    let (x, first) = (counting(&[(A, 3), (B, 2)]), counting(&[(B, 2)]));
    let (plain, other) = (sums(A, true, &first, &x), sums(A, true, &laid_otherwise(&first), &laid_otherwise(&x)));
    assert_eq!((read(&plain.0), read(&plain.1)), (read(&other.0), read(&other.1)));
}

#[test]
fn a_carry_that_changes_and_a_placeholder_that_is_read_are_told() {
    let (x, h) = (counting(&[(A, 3), (B, 2)]), counting(&[(B, 2)]));
    let grows = |h: &[Node], x: &[Node]| [vec![h[0].concat(B, &x[0])], vec![]];
    let [last, _] = Node::scan(A, false, std::slice::from_ref(&h), std::slice::from_ref(&x), grows);
    let told = error(&last[0]);
    assert_eq!(told.kind(), ErrorKind::SizeClash);
    assert!(told.to_string().contains("axis `b` of a carry has size 2 before a step, 4 after it"), "{told}");
    assert_eq!(told.place().unwrap().file(), file!());

    let mut inside = None;
    let _ = Node::scan(A, false, &[], std::slice::from_ref(&x), |_, x| {
        inside = Some(x[0].clone());
        [vec![], vec![x[0].clone()]]
    });
    assert_eq!(error(&inside.unwrap()).kind(), ErrorKind::Lifted);

    let [_, ys] = Node::scan(A, false, &[], &[x.clone(), counting(&[(A, 2)])], |_, x| [vec![], x.to_vec()]);
    assert_eq!(error(&ys[1]).kind(), ErrorKind::SizeClash);
    let [_, ys] = Node::scan(A, false, &[], &[x.clone(), x.at(B, 9)], |_, x| [vec![], x.to_vec()]);
    assert!(error(&ys[0]).to_string().contains("position 9"), "an error of an input wins");
}

/// The scan that a root needs, and the operations of its inputs.
fn inside(root: &Node) -> (Arc<Scan>, Vec<&'static str>) {
    let node =
        Node::walk(std::slice::from_ref(root)).into_iter().find(|node| matches!(node.op(), Op::Scan(_))).unwrap();
    let Op::Scan(scan) = node.op() else { unreachable!() };
    (scan.clone(), node.inputs().iter().map(|input| input.op().name()).collect())
}

#[test]
fn a_product_that_no_carry_has_a_part_in_is_computed_for_all_positions_at_once() {
    let (x, w, first) = (counting(&[(A, 3), (B, 2)]), counting(&[(B, 2), (C, 4)]), tensor(&[], &[0.0]));
    let run = |step: &dyn Fn(&Node, &Node) -> Node| {
        let [last, _] = Node::scan(A, false, std::slice::from_ref(&first), std::slice::from_ref(&x), |h, x| {
            [vec![step(&h[0], &x[0])], vec![]]
        });
        last[0].clone()
    };
    // Under another name, too.
    let renamed = w.rename(&[(B, D)]);
    for last in [
        run(&|h, x| x.contract(&w, &[B]).binary(Binary::Add, h)),
        run(&|h, x| x.rename(&[(B, D)]).contract(&renamed, &[D]).binary(Binary::Add, h)),
    ] {
        let (scan, inputs) = inside(&last);
        assert_eq!((scan.slices, &inputs[..]), (1, &["if", "dot"][..]), "each step takes its position of the product");
        // (1 + 3 + 5, 2 + 4 + 6) times the weights.
        assert_eq!(read(&last), [9.0 + 60.0, 18.0 + 72.0, 27.0 + 84.0, 36.0 + 96.0]);
    }
    let of_a_carry = run(&|h, x| x.binary(Binary::Mul, h).contract(&w, &[B]).reduce(Reduction::Sum, &[C]));
    let large = counting(&[(B, 2), (C, 4), (D, 9)]);
    let too_large = run(&|h, x| x.contract(&large, &[B]).reduce(Reduction::Sum, &[C, D]).binary(Binary::Add, h));
    let along = counting(&[(B, 2), (A, 3)]);
    let of_that_name = run(&|h, x| x.contract(&along, &[B]).reduce(Reduction::Sum, &[A]).binary(Binary::Add, h));
    let of_two = run(&|h, x| {
        let wide = x.contract(&w.binary(Binary::Mul, &x.reduce(Reduction::Sum, &[B])), &[B]);
        wide.reduce(Reduction::Sum, &[C]).binary(Binary::Add, h)
    });
    let of_two_turned = run(&|h, x| {
        let wide = w.binary(Binary::Mul, &x.reduce(Reduction::Sum, &[B])).contract(x, &[B]);
        wide.reduce(Reduction::Sum, &[C]).binary(Binary::Add, h)
    });
    let sums_of_two = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]].map(|[x, y]: [f64; 2]| (x + y) * (10.0 * x + 26.0 * y));
    let outside = run(&|h, x| {
        along.contract(&w, &[B]).reduce(Reduction::Sum, &[A, C]).binary(Binary::Add, h).binary(Binary::Add, &x.at(B, 0))
    });
    for (last, number, why) in [
        (of_a_carry, 0.0, "a carry has a part in it"),
        (
            too_large,
            (1..=36).map(|i| f64::from(9 * i + 12 * (i + 36))).sum(),
            "it is much larger than what it is made of",
        ),
        (of_two, sums_of_two.iter().sum(), "its other factor is of a step as well"),
        (of_two_turned, sums_of_two.iter().sum(), "so is its first one"),
        (of_that_name, 9.0 * 6.0 + 12.0 * 15.0, "it has an axis of that name"),
        (outside, 3.0 * 450.0 + 9.0, "it needs no position"),
    ] {
        let (_, inputs) = inside(&last);
        assert!(!inputs.contains(&"dot"), "{why}: {inputs:?}");
        assert_eq!(read(&last), [number], "{why}");
    }
}
