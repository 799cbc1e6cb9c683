//! Concatenation, borders, merged axes and updates, planned and plain: the same numbers in whatever way their inputs lie.
//!
//! Lives here: those, and that runs stay runs. Not here: what random graphs try (`draw`), what is appended in place
//! (`append`).

use super::sorting::{leaf, same_bits};
use super::*;

#[test]
fn pieces_of_any_layout_are_put_where_the_definition_puts_them() {
    let mut joins = 0;
    for seed in 0..600 {
        let mut draw = Draw::new(seed);
        let kind = if seed % 2 == 0 { Kind::F32 } else { Kind::F64 };
        let size = |draw: &mut Draw| *draw.of(&[0, 1, 1, 2, 3, 5, 7, 15, 17, 33, 64, 70]);
        let shared: Vec<(Name, usize)> =
            NAMES[1..1 + draw.below(3)].iter().map(|&name| (name, size(&mut draw))).collect();
        let axis = NAMES[0];
        let some = |draw: &mut Draw| {
            let mut axes: Vec<(Name, usize)> = shared.iter().copied().filter(|_| draw.below(5) > 0).collect();
            axes.insert(draw.below(axes.len() + 1), (axis, size(draw)));
            Shape::new(axes)
        };
        let [one, other] = [some(&mut draw), some(&mut draw)];
        if one.union(&other.replaced(axis, &[(axis, one.size(axis).unwrap())]), "").unwrap().elements() > 20_000 {
            continue;
        }
        let [x, y] = [&one, &other].map(|shape| leaf(&mut draw, kind, shape));
        let pad = x.pad(axis, draw.below(4), draw.below(3), -2.5);
        let names: Vec<Name> = one.names().collect();
        let merged = x.merge(&names, Name::declared("whole"));
        let four = Node::concat_all(axis, &[&y, &x, &x, &y]).unwrap();
        for root in [x.concat(axis, &y), y.concat(axis, &x), four, pad, merged, x.concat(axis, &y).unary(Unary::Neg)] {
            let schedule = lower::schedule(&Trace::new(std::slice::from_ref(&root)).unwrap());
            joins += schedule.steps.iter().filter(|step| matches!(step.action, Action::Join { .. })).count();
            same_bits(&[root], seed);
        }
    }
    assert!(joins > 1000, "pieces are put together: {joins}");
}

#[test]
fn what_is_joined_part_by_part_is_joined_at_once() {
    let [axis, other] = [NAMES[0], NAMES[1]];
    let pieces = |roots: &[Node]| -> Vec<usize> {
        let schedule = lower::schedule(&Trace::new(roots).unwrap());
        let pieces = schedule.steps.iter().filter_map(|step| match &step.action {
            Action::Join { pieces, .. } => Some(pieces.len()),
            _ => None,
        });
        pieces.collect()
    };
    for seed in 0..60 {
        let mut draw = Draw::new(seed);
        let mut some = || {
            let size = *draw.of(&[0, 1, 2, 5, 17]);
            let wide = Shape::new([(axis, size), (other, 3)]);
            stored(&mut draw, Kind::F32, if seed % 3 == 0 && size == 1 { Shape::new([(axis, size)]) } else { wide }, 9)
        };
        let [w, x, z]: [Node; 3] = std::array::from_fn(|_| some());
        // Computed and not empty, nothing is appended to it.
        let y = Node::iota(axis, 4).cast(Kind::F32).unary(Unary::Sqrt);
        let (left, right) = (w.concat(axis, &x), y.concat(axis, &z));
        let roots = [
            left.concat(axis, &y).concat(axis, &z),
            w.concat(axis, &x.concat(axis, &right)),
            left.concat(axis, &right),
        ];
        for root in &roots {
            assert_eq!(pieces(std::slice::from_ref(root)), [4], "{root:?}");
        }
        let across = y.pad(other, 0, 2, 0.0).concat(axis, &left.concat(other, &left));
        let read = [right.clone(), y.concat(axis, &right)];
        assert_eq!(pieces(&read), [2, 2], "who else reads a part has it");
        for root in roots.into_iter().chain(read).chain([across]).filter(|root| root.error().is_none()) {
            same_bits(&[root], seed);
        }
    }
    let one = stored(&mut Draw::new(0), Kind::F64, Shape::new([(axis, 1)]), 9);
    let chain = (1..3000).fold(one.clone(), |all, _| all.concat(axis, &one));
    assert_eq!(pieces(std::slice::from_ref(&chain)), [3000]);
    same_bits(&[chain], 0);
}

#[test]
fn a_result_lies_as_its_largest_piece_so_that_runs_stay_runs() {
    let [m, n] = [NAMES[0], NAMES[1]];
    // The shape lists the axis first that is fastest in memory, as the shapes of lifted functions may.
    let of = |size: usize| {
        let mut buffer = Buffer::zeros(Kind::F32, 5 * size);
        if let Buffer::F32(values) = &mut buffer {
            values.iter_mut().zip(0_u8..).for_each(|(value, i)| *value = f32::from(i));
        }
        let value = Value { buffer: Arc::new(buffer), offset: 0, strides: [1, size as isize].into_iter().collect() };
        Node::input(value, Shape::new([(n, size), (m, 5)]))
    };
    let turned = |size: usize| stored(&mut Draw::new(1), Kind::F32, Shape::new([(n, size), (m, 5)]), 1);
    for root in [of(9).concat(n, &turned(4)), turned(4).concat(n, &of(9)), of(10).pad(n, 1, 2, 0.5)] {
        let schedule = lower::schedule(&Trace::new(std::slice::from_ref(&root)).unwrap());
        assert_eq!(schedule.roots[0].strides[..], [1, 13], "{root:?}");
        same_bits(&[root], 0);
    }
}

/// The actions of the plan of a root, in words.
fn actions(roots: &[Node]) -> Vec<&'static str> {
    lower::schedule(&Trace::new(roots).unwrap()).steps.iter().map(|step| named(&step.action)).collect()
}

#[test]
fn pieces_with_zeros_around_them_that_cover_an_axis_are_put_side_by_side() {
    let [m, n] = [NAMES[0], NAMES[1]];
    let piece = |seed: u64, size: usize| stored(&mut Draw::new(seed), Kind::F32, Shape::new([(m, 5), (n, size)]), 1);
    let placed = |seed: u64, size: usize, before: usize| piece(seed, size).pad(n, before, 9 - before - size, 0.0);
    let plus = |x: &Node, y: &Node| x.binary(Binary::Add, y);
    // In any order of the sums.
    let all = plus(&plus(&placed(1, 4, 5), &placed(2, 2, 0)), &placed(3, 3, 2));
    assert_eq!(actions(std::slice::from_ref(&all)), ["join"], "{}", describe(std::slice::from_ref(&all)).unwrap());
    same_bits(&[all], 0);
    let row = stored(&mut Draw::new(7), Kind::F32, Shape::new([(n, 6)]), 1).pad(n, 0, 3, 0.0);
    let repeated = plus(&row, &placed(1, 3, 6));
    assert_eq!(actions(std::slice::from_ref(&repeated)), ["join"], "a piece that is repeated along the other axis");
    same_bits(&[repeated], 0);
    let gap = plus(&placed(1, 4, 5), &placed(2, 2, 0));
    let short = plus(&placed(1, 4, 0), &placed(2, 3, 4));
    let over = plus(&plus(&placed(1, 4, 5), &placed(2, 2, 0)), &placed(3, 4, 2));
    let both = plus(&placed(1, 4, 0), &placed(2, 5, 2));
    let first = placed(1, 6, 3);
    let needed = [plus(&first, &placed(2, 3, 0)), first];
    let other = plus(&placed(1, 6, 3), &piece(2, 3).pad(n, 0, 6, 1.0));
    let across = plus(&placed(1, 9, 0), &piece(2, 9).slice(m, 0..2, 1).pad(m, 3, 0, 0.0));
    for (roots, why) in [
        (vec![gap], "a gap"),
        (vec![short], "a gap at the end"),
        (vec![over], "one over the other"),
        (vec![both], "one over the other, and a gap"),
        (needed.to_vec(), "one is needed with its zeros"),
        (vec![other], "no zeros around one"),
        (vec![across], "two axes"),
    ] {
        assert!(actions(&roots).contains(&"map"), "{why}: something is added");
        both_ways(&roots, why);
    }
}

#[test]
fn pieces_that_are_added_to_something_else_are_put_side_by_side_first() {
    let [m, n] = [NAMES[0], NAMES[1]];
    let of = |seed: u64, rows: usize, columns: usize| {
        stored(&mut Draw::new(seed), Kind::F32, Shape::new([(m, rows), (n, columns)]), 1)
    };
    let along_n = |seed: u64, size: usize, before: usize| of(seed, 5, size).pad(n, before, 9 - before - size, 0.0);
    let along_m = |seed: u64, size: usize, before: usize| of(seed, size, 9).pad(m, before, 5 - before - size, 0.0);
    let sum = |nodes: &[Node]| nodes.iter().cloned().reduce(|x, y| x.binary(Binary::Add, &y)).unwrap();
    let rest = of(9, 5, 9).unary(Unary::Neg);
    let joins = |root: &Node| actions(std::slice::from_ref(root)).iter().filter(|&&action| action == "join").count();
    // What a tensor that is moved along both axes owes, to itself besides.
    let shifted = [rest.clone(), along_m(1, 1, 0), along_m(2, 4, 1), along_n(3, 8, 1), along_n(4, 1, 0)];
    let first_a_piece = [along_n(1, 4, 5), rest.clone(), along_n(2, 5, 0)];
    let three = [rest.clone(), along_n(1, 4, 5), along_n(2, 3, 2), along_n(3, 2, 0)];
    for (pieces, count) in [(&shifted[..], 2), (&first_a_piece, 1), (&three, 1)] {
        let root = sum(pieces);
        assert_eq!(joins(&root), count, "{}", describe(std::slice::from_ref(&root)).unwrap());
        same_bits(&[root], 0);
    }
    // A piece that has fewer axes than the other one, and pieces of which one is missing.
    let row = stored(&mut Draw::new(7), Kind::F32, Shape::new([(n, 6)]), 1).pad(n, 0, 3, 0.0);
    let narrower = sum(&[rest.clone(), along_n(1, 3, 6), row]);
    let missing = sum(&[rest.clone(), along_n(1, 4, 5), along_n(2, 4, 1)]);
    let needed = along_n(2, 5, 0);
    let read_twice = [sum(&[rest, along_n(1, 4, 5), needed.clone()]), needed];
    for roots in [&[narrower][..], &[missing], &read_twice] {
        both_ways(roots, "all zeros are there");
    }
}

#[test]
fn pieces_along_two_axes_are_added_even_if_those_along_one_cover_it() {
    let [m, n] = [NAMES[0], NAMES[1]];
    let rows = stored(&mut Draw::new(1), Kind::F32, Shape::new([(m, 2), (n, 9)]), 1).pad(m, 0, 3, 0.0);
    // Nothing at the end of the other axis: it is whole in what has fewer rows.
    let nothing = stored(&mut Draw::new(2), Kind::F32, Shape::new([(m, 5), (n, 0)]), 1).pad(n, 9, 0, 0.0);
    let both = [(&rows, &nothing), (&nothing, &rows)].map(|(x, y)| x.binary(Binary::Add, y));
    for root in both {
        assert!(
            actions(std::slice::from_ref(&root)).contains(&"map"),
            "{}",
            describe(std::slice::from_ref(&root)).unwrap()
        );
        same_bits(&[root], 0);
    }
}

#[test]
fn what_two_products_want_in_one_order_is_copied_once() {
    let [a, b, c, d] = [NAMES[0], NAMES[1], NAMES[2], NAMES[3]];
    let tensor = |seed: u64, axes: &[(Name, usize)]| {
        let shape = Shape::new(axes.iter().copied());
        stored(&mut Draw::new(seed), Kind::F32, shape, 1)
    };
    let x = tensor(1, &[(a, 40), (b, 12), (c, 30)]);
    let [y, z] = [2, 3].map(|seed| tensor(seed, &[(b, 12), (a, 40), (d, 20)]));
    let roots = [x.contract(&y, &[a, b]), x.contract(&z, &[a, b])];
    let count = |roots: &[Node]| actions(roots).iter().filter(|&&action| action == "copy").count();
    assert_eq!([count(&roots[..1]), count(&roots)], [1, 1], "{}", describe(&roots).unwrap());
    both_ways(&roots, "one copy for two products");
}

/// Numbers that lie in the order of these axes.
fn counted(axes: [(Name, usize); 3]) -> Node {
    let size = axes.iter().map(|axis| axis.1).product();
    graph::testing::tensor(&axes, &(0..size).map(|i| i as f32).collect::<Vec<_>>())
}

#[test]
fn a_merged_axis_of_few_neighbours_stands_where_its_slowest_part_does_and_another_where_its_fastest_does() {
    let [a, b, c, all] = ["a", "b", "c", "all"].map(Name::declared);
    for (few, wanted) in [(2, [5, 2, 9]), (3, [5, 3, 9]), (4, [9, 5, 4])] {
        let merged = counted([(a, 5), (b, 9), (c, few)]).merge(&[a, c], all);
        let steps = lower::schedule(&Trace::new(std::slice::from_ref(&merged)).unwrap()).steps;
        let [Action::Join { pieces, .. }] = [&steps[0].action] else { panic!("one copy: {steps:?}") };
        assert_eq!(pieces[0].sizes[..], wanted, "{few} neighbours");
        both_ways(&[merged], "merged");
    }
}

#[test]
fn an_operand_in_another_order_of_short_rows_is_copied_first() {
    let [a, b, c] = ["a", "b", "c"].map(Name::declared);
    for (short, copies) in [(2, 1), (7, 1), (8, 0)] {
        let (x, y) = (counted([(a, 6), (b, 5), (c, short)]), counted([(b, 5), (a, 6), (c, short)]));
        let sum = x.binary(Binary::Add, &y);
        let steps = lower::schedule(&Trace::new(std::slice::from_ref(&sum)).unwrap()).steps;
        let found = steps.iter().filter(|step| matches!(step.action, Action::Join { around: None, .. })).count();
        assert_eq!(found, copies, "rows of {short}");
        both_ways(&[sum], "a sum");
    }
}
