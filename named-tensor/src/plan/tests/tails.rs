//! Products and functions of rows that end with what follows them, element by element.
//!
//! Lives here: graphs of this form, random ones and chosen ones. Not here: the comparison (`mod`).

use super::*;
use crate::element::Comparison;
use crate::graph::value::row_major;

/// The steps that compute these roots.
fn steps(roots: &[Node]) -> Vec<schedule::Step> {
    lower::schedule(&Trace::new(roots).unwrap()).steps
}

fn tensor(seed: u64, axes: &[(Name, usize)]) -> Node {
    stored(&mut Draw::new(seed), Kind::F32, Shape::new(axes.iter().copied()), 1)
}

#[test]
fn bias_activation_and_residual_are_a_part_of_the_product() {
    let [seq, chans, hidden] = ["seq", "chans", "hidden"].map(Name::declared);
    let (x, w) = (tensor(1, &[(seq, 50), (chans, 30)]), tensor(2, &[(chans, 30), (hidden, 40)]));
    let (b, r) = (tensor(3, &[(hidden, 40)]), tensor(4, &[(seq, 50), (hidden, 40)]));
    let sum = x.contract(&w, &[chans]).binary(Binary::Add, &b);
    let root = sum.unary(Unary::Relu).binary(Binary::Add, &r);
    assert_eq!(steps(std::slice::from_ref(&root)).len(), 1, "one pass");
    both_ways(&[root], "a layer");
}

#[test]
fn gain_and_shift_are_a_part_of_standardization() {
    let [seq, chans] = ["seq", "chans"].map(Name::declared);
    let (x, gain, shift) = (tensor(1, &[(seq, 50), (chans, 30)]), tensor(2, &[(chans, 30)]), tensor(3, &[(chans, 30)]));
    let root = x.standardize(&[chans], 1e-5).binary(Binary::Mul, &gain).binary(Binary::Add, &shift);
    assert_eq!(steps(std::slice::from_ref(&root)).len(), 1, "one pass");
    both_ways(&[root], "layer norm");
}

#[test]
fn no_operand_lies_across_the_rows_of_a_sum_if_an_order_has_none() {
    let [batch, state, next] = ["batch", "state", "next"].map(Name::declared);
    for (many, size) in [(32, 8), (8, 32), (9, 9)] {
        let (x, t) = (tensor(1, &[(batch, many), (state, size)]), tensor(2, &[(state, size), (next, size)]));
        for root in [x.binary(Binary::Add, &t), t.binary(Binary::Mul, &x)] {
            match &steps(std::slice::from_ref(&root))[0].action {
                Action::Map { operands, .. } => {
                    let last = operands.iter().map(|place| place.strides[2]);
                    assert!(last.into_iter().all(|stride| matches!(stride, 0 | 1)), "{many} of {size}");
                }
                other => panic!("{other:?}"),
            }
            both_ways(&[root], "a sum of a row and a matrix");
        }
    }
}

#[test]
fn a_product_lies_as_the_stored_numbers_beside_it_do() {
    let [batch, row, col, inner] = ["batch", "row", "col", "inner"].map(Name::declared);
    let lying = |axes: &[(Name, usize)]| {
        let shape = Shape::new(axes.iter().copied());
        let numbers: Vec<f32> = (0..shape.elements()).map(|i| (i * 37 % 101) as f32 / 101.0).collect();
        let strides = row_major(shape.sizes());
        Node::input(Value { buffer: Arc::new(Buffer::F32(numbers.into())), offset: 0, strides }, shape)
    };
    let (x, y) = (lying(&[(batch, 9), (inner, 16), (row, 8)]), lying(&[(batch, 9), (col, 7), (inner, 16)]));
    let product = x.contract(&y, &[inner]);
    for (last, stored) in [
        (row, lying(&[(batch, 9), (col, 7), (row, 8)])),
        (col, lying(&[(batch, 9), (row, 8), (col, 7)])),
        (row, lying(&[(col, 7)])),
        (row, lying(&[(col, 7), (row, 8)])),
        (col, lying(&[(row, 8), (col, 7)])),
    ] {
        let root = product.binary(Binary::Mul, &stored);
        let steps = steps(std::slice::from_ref(&root));
        let [Action::Product { rows, columns, .. }] = [&steps[0].action] else { panic!("one product: {steps:?}") };
        let neighbours = [rows, columns].into_iter().find(|side| side.out == 1).expect("some are");
        assert_eq!(neighbours.size, if last == row { 8 } else { 7 }, "beside {:?}", stored.shape());
        both_ways(&[root], "a product beside stored numbers");
    }
}

#[test]
fn a_product_lies_as_what_is_computed_before_it_and_read_beside_it() {
    let [row, col, inner, other] = ["row", "col", "inner", "other"].map(Name::declared);
    let (x, y) = (tensor(1, &[(row, 30), (inner, 9)]), tensor(2, &[(col, 20), (inner, 9)]));
    let (u, v) = (tensor(3, &[(row, 30), (other, 8)]), tensor(4, &[(col, 20), (other, 8)]));
    for [left, right] in [[&x, &y], [&y, &x]] {
        for [first, second] in [[&u, &v], [&v, &u]] {
            let (one, two) = (left.contract(right, &[inner]), first.contract(second, &[other]));
            let root = one.unary(Unary::Exp).binary(Binary::Mul, &two.unary(Unary::Abs).binary(Binary::Add, &one));
            let steps = steps(std::slice::from_ref(&root));
            let neighbours = steps.iter().filter_map(|step| match &step.action {
                Action::Product { rows, columns, .. } => Some(if rows.out == 1 { rows.size } else { columns.size }),
                _ => None,
            });
            let [one, two] = neighbours.collect::<Vec<_>>()[..] else { panic!("two products: {steps:?}") };
            assert_eq!(one, two, "both lie alike");
            both_ways(&[root], "two products");
        }
    }
}

#[test]
fn what_is_read_by_a_few_neighbours_is_turned_around_for_long_rows() {
    let [n, m, k] = ["n", "m", "k"].map(Name::declared);
    let (x, y, w) = (tensor(1, &[(n, 30), (k, 2)]), tensor(2, &[(m, 20), (k, 2)]), tensor(3, &[(m, 20)]));
    let large = tensor(4, &[(n, 30), (m, 20), (k, 2)]);
    let root = x.binary(Binary::Sub, &y).binary(Binary::Mul, &w);
    let last = |root: &Node| match &steps(std::slice::from_ref(root)).last().expect("a step").action {
        Action::Map { operands, sizes, .. } => {
            let is_even = operands.iter().all(|place| matches!(place.strides[2], 0 | 1));
            (sizes[2], is_even)
        }
        other => panic!("{other:?}"),
    };
    assert!(matches!(last(&root), (20 | 30, true)), "the rows are long: {:?}", last(&root));
    both_ways(std::slice::from_ref(&root), "differences of points");
    let own = root.binary(Binary::Mul, &large);
    both_ways(std::slice::from_ref(&own), "beside what is as large");
}

#[test]
fn of_two_products_in_one_sum_the_costlier_goes_on() {
    let [a, b, c, d] = [0, 1, 2, 3].map(|at| NAMES[at]);
    let small = tensor(1, &[(a, 9), (b, 3)]).contract(&tensor(2, &[(b, 3), (d, 8)]), &[b]);
    let large = tensor(3, &[(a, 9), (c, 90)]).contract(&tensor(4, &[(c, 90), (d, 8)]), &[c]);
    for root in [small.binary(Binary::Add, &large), large.binary(Binary::Add, &small)] {
        let steps = steps(std::slice::from_ref(&root));
        let inner = steps.iter().map(|step| match &step.action {
            Action::Product { inner, .. } => (inner.size, step.tail.is_some()),
            action => panic!("no other step is needed: {action:?}"),
        });
        assert_eq!(inner.collect::<Vec<_>>(), [(3, false), (90, true)], "the sum is in the second");
        both_ways(&[root], "two products");
    }
}

#[test]
fn a_product_that_is_read_elsewhere_or_otherwise_keeps_its_numbers() {
    let [a, b] = [NAMES[0], NAMES[1]];
    let product = tensor(1, &[(a, 6), (b, 6)]).contract(&tensor(2, &[(b, 6), (NAMES[2], 6)]), &[b]);
    let turned = product.rename(&[(a, NAMES[2]), (NAMES[2], a)]);
    let cases = [
        vec![product.unary(Unary::Relu), product.clone()],
        vec![product.unary(Unary::Relu), product.reduce(Reduction::Sum, &[a])],
        vec![product.binary(Binary::Add, &turned)],
        vec![product.binary(Binary::Add, &tensor(3, &[(NAMES[3], 2)]))],
        vec![product.compare(Comparison::Lt, &tensor(4, &[(a, 6)]))],
    ];
    for roots in cases {
        assert!(steps(&roots).iter().all(|step| step.tail.is_none()), "{roots:?}");
        both_ways(&roots, "no tail");
    }
}

#[test]
fn a_product_is_finished_up_to_its_last_row_and_column_however_it_is_cut() {
    let [a, b, c] = [NAMES[0], NAMES[1], NAMES[2]];
    for (n, (rows, columns)) in [(130, 129), (129, 130), (257, 65), (65, 257), (128, 193)].into_iter().enumerate() {
        let seed = 10 * n as u64;
        let product = tensor(seed, &[(a, rows), (b, 40)]).contract(&tensor(seed + 1, &[(b, 40), (c, columns)]), &[b]);
        let sum = product.binary(Binary::Add, &tensor(seed + 2, &[(c, columns), (a, rows)]));
        assert!(steps(std::slice::from_ref(&sum)).iter().any(|step| step.tail.is_some()), "the sum is in the product");
        both_ways(&[sum], &format!("{rows} rows and {columns} columns"));
    }
}

#[test]
fn rows_of_every_width_are_finished_where_they_stand_whatever_they_are_added_to() {
    let [batch, a, b, c] = [NAMES[0], NAMES[1], NAMES[2], NAMES[3]];
    for (n, width) in [31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 257].into_iter().enumerate() {
        for (height, kind) in [(1, Kind::F32), (2, Kind::F64), (70, Kind::F32)] {
            let mut draw = Draw::new(40_000 + n as u64);
            let mut tensor = |axes: &[(Name, usize)]| stored(&mut draw, kind, Shape::new(axes.iter().copied()), 1);
            let (rows, columns) = ((a, height), (c, width));
            let product = tensor(&[(batch, 3), rows, (b, 140)]).contract(&tensor(&[(b, 140), columns]), &[b]);
            let scale = Node::fill(kind, 0.5, Shape::default());
            let others = [
                tensor(&[columns]),
                tensor(&[rows, columns]),
                tensor(&[(batch, 3), columns]),
                tensor(&[(batch, 3), rows, columns]),
                tensor(&[columns, rows]),
                tensor(&[rows]),
            ];
            for other in &others {
                let sum = product.binary(Binary::Add, other);
                let longer = sum.unary(Unary::Relu).binary(Binary::Mul, &scale).binary(Binary::Sub, &others[0]);
                both_ways(&[sum], &format!("{height} rows of {width} and {}", other.shape()));
                both_ways(&[longer], &format!("{height} rows of {width}, {}, and so on", other.shape()));
            }
        }
    }
}

#[test]
fn whatever_follows_a_product_or_rows_has_the_same_numbers_in_one_step() {
    let mut ended = HashMap::<&str, usize>::new();
    for seed in 0..1500 {
        let mut draw = Draw::new(300_000 + seed);
        let kind = if seed % 2 == 0 { Kind::F32 } else { Kind::F64 };
        let mut axis = |text: &'static str| {
            let size = *draw.of(&[0, 1, 1, 2, 3, 5, 8, 17, 33, 70]);
            // An empty axis makes everything empty, so most are made larger.
            (Name::declared(text).freshened(), if size == 0 && draw.below(8) > 0 { 4 } else { size })
        };
        let all = [axis("batch"), axis("rows"), axis("inner"), axis("columns")];
        let some = |draw: &mut Draw, axes: &[(Name, usize)], needed: Option<Name>| {
            let mut axes: Vec<_> =
                axes.iter().copied().filter(|axis| Some(axis.0) == needed || draw.below(3) > 0).collect();
            let first = draw.below(axes.len().max(1));
            axes.rotate_left(first);
            stored(draw, kind, Shape::new(axes), 1)
        };
        let inner = all[2].0;
        let producer = |draw: &mut Draw| {
            let x = some(draw, &[all[0], all[1], all[2]], Some(inner));
            let w = some(draw, &[all[2], all[0], all[3]], Some(inner));
            let over: Vec<Name> = x.shape().names().filter(|&name| name == inner || draw.below(3) == 0).collect();
            match draw.below(8) {
                0 => x.softmax(&over, false),
                1 => x.softmax(&over, true),
                2 => x.standardize(&over, 0.1),
                3 => x.standardize_gradient(&w.filled(&x.shape().only(&over)), &over, 0.1),
                4 => x.contract(&w, &[inner]).binary(Binary::Div, &Node::fill(kind, 3.0, Shape::default())),
                _ => x.contract(&w, &[inner]),
            }
        };
        let first = producer(&mut draw);
        let mut y = first.clone();
        for _ in 0..1 + draw.below(5) {
            let axes: Vec<(Name, usize)> = y.shape().iter().collect();
            let other = some(&mut draw, &axes, None);
            let function = *draw.of(&[Binary::Add, Binary::Mul, Binary::Sub, Binary::Max]);
            let zero = || Node::fill(kind, 0.0, Shape::default());
            y = match draw.below(11) {
                0 | 1 => y.unary(*draw.of(&[Unary::Relu, Unary::Tanh, Unary::Neg, Unary::Gelu])),
                2..=4 => y.binary(function, &other),
                5 => y.compare(Comparison::Lt, &other).cast(kind).binary(Binary::Mul, &y),
                6 => y.compare(Comparison::Lt, &other).select(&y, &other),
                7 if !axes.is_empty() => {
                    let (name, size) = *draw.of(&axes);
                    Node::iota(name, size).cast(kind).binary(Binary::Mul, &y)
                }
                8 if !axes.is_empty() => {
                    let name = draw.of(&axes).0;
                    y.rename(&[(name, name.freshened())])
                }
                9 => y.binary(function, &producer(&mut draw)),
                10 => other.compare(Comparison::Gt, &zero()).select(&y, &zero()),
                _ => y.binary(function, &first),
            };
        }
        let mut roots = vec![y];
        if draw.below(8) == 0 {
            roots.push(roots[0].compare(Comparison::Lt, &Node::fill(kind, 0.1, Shape::default())));
        }
        if roots[0].error().is_some() || roots[0].shape().elements() > 200_000 || roots[0].shape().rank() > 8 {
            continue;
        }
        for step in steps(&roots).iter().filter(|step| step.tail.is_some()) {
            *ended.entry(named(&step.action)).or_default() += 1;
        }
        both_ways(&roots, &format!("tail {seed}"));
    }
    for action in ["product", "scaled product", "rows", "standardize gradient"] {
        let count = ended.get(action).copied().unwrap_or(0);
        assert!(count > 50, "tails of every kind are tried: {action} {count} times");
    }
}
