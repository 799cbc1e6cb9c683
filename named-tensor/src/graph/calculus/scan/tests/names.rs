//! Steps in which something has an axis of the name along which they are repeated: that is another axis.
//!
//! Lives here: weights, carries and what only stands inside of a step. Not here: other scans (`tests`).

use super::*;

#[test]
fn a_weight_may_have_an_axis_of_the_name_of_the_steps() {
    let (x, w) = (some(1, &[(TIME, 3), (A, 2)]), some(2, &[(A, 2), (TIME, 2)]));
    let step = |h: &Node, x: &Node| {
        let wide = plus(&h.contract(&w, &[A]), &x.contract(&w, &[A]));
        let sum = wide.unary(Unary::Tanh).contract(&w, &[TIME]);
        sum.binary(Binary::Mul, h)
    };
    let first = some(3, &[(A, 2)]);
    let [last, _] = Node::scan(TIME, false, std::slice::from_ref(&first), std::slice::from_ref(&x), |h, x| {
        [vec![step(&h[0], &x[0])], vec![]]
    });
    let written_out = (0..3).fold(first, |h, i| step(&h, &x.at(TIME, i)));
    let [found, expected] = [last, vec![written_out]]
        .map(|results| reverse(&[(loss(&results, &[]), number(&x, 1.0))], &[x.clone(), w.clone()], &[]));
    for ((found, expected), like) in found.into_iter().zip(expected).zip([&x, &w]) {
        close(&read(found, like), &read(expected, like), "an axis of that name");
    }
}

#[test]
fn a_carry_may_have_an_axis_of_the_name_of_the_steps() {
    let variables = [some(1, &[(TIME, 3), (A, 2)]), some(2, &[(A, 2), (TIME, 2)]), some(3, &[(TIME, 2)])];
    let [x, w, first] = &variables;
    // The carry has the axis from the start; or something on the way, which a second derivative sums over.
    let steps: [&dyn Fn(&Node, &Node) -> Node; 2] =
        [&|h, x| plus(&h.binary(Binary::Mul, &x.contract(w, &[A])), h).unary(Unary::Sin), &|h, x| {
            let wide = h.contract(w, &[TIME]).unary(Unary::Tanh);
            wide.binary(Binary::Mul, x).contract(w, &[A])
        }];
    for (which, step) in steps.into_iter().enumerate() {
        let [last, _] = Node::scan(TIME, false, std::slice::from_ref(first), std::slice::from_ref(x), |h, x| {
            [vec![step(&h[0], &x[0])], vec![]]
        });
        let written_out = (0..3).fold(first.clone(), |h, i| step(&h, &x.at(TIME, i)));
        let [found, expected] = [last, vec![written_out]].map(|results| {
            let owed = owed_for_squares(&results, &variables);
            let twice = owed_for_squares(&owed, &variables);
            [owed, twice].concat()
        });
        for ((found, expected), like) in found.into_iter().zip(expected).zip(variables.iter().cycle()) {
            close(&read(Some(found), like), &read(Some(expected), like), &format!("step {which}"));
        }
    }
}

#[test]
fn what_only_stands_inside_of_a_step_may_have_an_axis_of_the_name_of_the_steps() {
    let variables = [some(1, &[(TIME, 3), (A, 2)]), some(2, &[(A, 2), (C, 3)]), some(3, &[(A, 2)])];
    let [x, w, first] = &variables;
    // The first two steps read a product with the axis; in the last one what the weights owe is a sum over it.
    let steps: [&dyn Fn(&Node, &Node) -> Node; 3] = [
        &|h, x| {
            let wide = plus(h, x).contract(w, &[A]).rename(&[(C, TIME)]).unary(Unary::Tanh);
            let sum = wide.binary(Binary::Mul, &wide).reduce(crate::graph::op::Reduction::Sum, &[TIME]);
            sum.binary(Binary::Mul, h)
        },
        &|h, x| {
            let wide = h.contract(w, &[A]).unary(Unary::Sin).rename(&[(C, TIME)]);
            let sum = wide.contract(&wide.unary(Unary::Tanh), &[TIME]);
            plus(&x.binary(Binary::Mul, &sum), &h.binary(Binary::Mul, &wide.rename(&[(TIME, C)]).contract(w, &[C])))
        },
        &|h, x| {
            let turned = h.rename(&[(A, TIME)]);
            let wide = turned.contract(x, &[]).contract(w, &[A]).unary(Unary::Tanh);
            let sum = wide.contract(&turned, &[TIME]).reduce(crate::graph::op::Reduction::Sum, &[C]);
            sum.binary(Binary::Mul, h)
        },
    ];
    for (which, step) in steps.into_iter().enumerate() {
        let [last, all] = Node::scan(TIME, false, std::slice::from_ref(first), std::slice::from_ref(x), |h, x| {
            let next = step(&h[0], &x[0]);
            [vec![next.clone()], vec![next.unary(Unary::Cos)]]
        });
        let scan = scans(&last).remove(0);
        let has_axis = |nodes: &[Node]| nodes.iter().any(|node| node.shape().has(TIME));
        assert!(!has_axis(&scan.placeholders) && !has_axis(&scan.results), "it comes and goes");
        assert!(has_axis(&Node::walk(&scan.results)), "and is there on the way");
        let steps = (0..3).scan(first.clone(), |h, i| {
            *h = step(h, &x.at(TIME, i));
            Some(h.clone())
        });
        let steps: Vec<Node> = steps.collect();
        let shown = steps.iter().map(|h| h.unary(Unary::Cos).spread(Shape::new([(TIME, 1)])));
        let written_out = vec![steps[2].clone(), shown.reduce(|all, part| all.concat(TIME, &part)).unwrap()];
        let [found, expected] = [[last, all].concat(), written_out].map(|results| {
            let owed = owed_for_squares(&results, &variables);
            let twice = owed_for_squares(&owed, &variables);
            [owed, twice].concat()
        });
        for ((found, expected), like) in found.into_iter().zip(expected).zip(variables.iter().cycle()) {
            close(&read(Some(found), like), &read(Some(expected), like), &format!("step {which}"));
        }
    }
}

#[test]
fn an_axis_of_the_name_of_the_steps_may_come_and_go_inside_of_a_step() {
    let variables = [some(1, &[(TIME, 3), (A, 2)]), some(2, &[(A, 2), (C, 3)]), some(3, &[(A, 2)])];
    let [x, w, first] = &variables;
    // The carries do not have it; a weight under another name does.
    let step = |h: &Node, x: &Node| {
        let wide = plus(h, x).contract(w, &[A]).rename(&[(C, TIME)]);
        let scores = wide.unary(Unary::Tanh).binary(Binary::Mul, &wide);
        scores.contract(&w.rename(&[(C, TIME)]), &[TIME]).unary(Unary::Sin)
    };
    let [last, _] = Node::scan(TIME, false, std::slice::from_ref(first), std::slice::from_ref(x), |h, x| {
        [vec![step(&h[0], &x[0])], vec![]]
    });
    let written_out = (0..3).fold(first.clone(), |h, i| step(&h, &x.at(TIME, i)));
    let [found, expected] = [last, vec![written_out]].map(|results| {
        let owed = owed_for_squares(&results, &variables);
        let twice = owed_for_squares(&owed, &variables);
        [owed, twice].concat()
    });
    for ((found, expected), like) in found.into_iter().zip(expected).zip(variables.iter().cycle()) {
        close(&read(Some(found), like), &read(Some(expected), like), "on the way");
    }
}
