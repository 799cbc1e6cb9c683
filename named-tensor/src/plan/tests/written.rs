//! Functions of rows that are written out, planned and plain.
//!
//! Lives here: which of them are one step, and which are not. Not here: their derivatives (`graph::calculus`).

use super::*;
use crate::graph::testing::{WAYS, written};

const M: Name = Name::declared("m");
const N: Name = Name::declared("n");
const K: Name = Name::declared("k");

/// A tensor with numbers of its own.
fn leaf(seed: u64, kind: Kind, axes: &[(Name, usize)]) -> Node {
    stored(&mut Draw::new(seed), kind, Shape::new(axes.iter().copied()), 1)
}

fn actions(roots: &[Node]) -> Vec<&'static str> {
    lower::schedule(&Trace::new(roots).unwrap()).steps.iter().map(|step| named(&step.action)).collect()
}

#[test]
fn softmax_its_logarithm_and_standardization_are_one_step_however_they_are_written() {
    let mut count = 0;
    for seed in 0..600 {
        let mut draw = Draw::new(seed);
        let kind = if seed % 2 == 0 { Kind::F32 } else { Kind::F64 };
        let sizes = [M, N, K].map(|name| (name, 2 + draw.below(5)));
        let x = stored(&mut draw, kind, Shape::new(sizes), 1);
        let axes = [&[M][..], &[N], &[K], &[M, K]][draw.below(4)];
        let way = draw.below(WAYS);
        let [whole, _, primitive] = written(way, &x, axes);
        let found = actions(std::slice::from_ref(&whole));
        if way < 12 {
            assert_eq!(found, actions(&[primitive]), "seed {seed}, way {way}");
        } else {
            assert!(found == ["rows"] || found == ["copy", "rows"], "seed {seed}, way {way}: {found:?}");
        }
        count += both_ways(&[whole], &format!("seed {seed}, way {way}")).unwrap_or(0);
    }
    assert!(count > 20_000, "{count}");
}

#[test]
fn what_stands_inside_and_is_asked_for_is_made_once() {
    for way in 0..WAYS {
        let x = leaf(1, Kind::F32, &[(M, 5), (N, 7)]);
        let [whole, inside, _] = written(way, &x, &[N]);
        let roots = [whole, inside];
        // The logarithm of what stands inside of the sixth is one by itself.
        assert_eq!(actions(&roots).contains(&"rows"), way == 5, "way {way}");
        both_ways(&roots, &format!("way {way}"));
    }
}

#[test]
fn another_small_number_under_the_root_is_another_plan() {
    let x = leaf(1, Kind::F64, &[(M, 3), (N, 5)]);
    for epsilon in [1e-1, 1e-2, 3.0, 1e-1] {
        let root = x.variance(&[N]).binary(Binary::Add, &Node::fill(Kind::F64, epsilon, Shape::default()));
        let whole = x.binary(Binary::Sub, &x.mean(&[N])).binary(Binary::Div, &root.unary(Unary::Sqrt));
        both_ways(&[whole], &format!("{epsilon}"));
    }
}

#[test]
fn what_is_nearly_a_function_of_rows_is_computed_as_it_is_written() {
    let x = leaf(1, Kind::F64, &[(M, 3), (N, 5)]);
    let y = leaf(2, Kind::F64, &[(M, 3), (N, 5)]);
    let number = |value: f64| Node::fill(Kind::F64, value, Shape::default());
    let less = |x: &Node, y: &Node| x.binary(Binary::Sub, y);
    let over = |x: &Node, y: &Node| x.binary(Binary::Div, y);
    let exp = |x: &Node| x.unary(Unary::Exp);
    let total = |x: &Node, axis| x.reduce(Reduction::Sum, &[axis]);
    let largest = |x: &Node, axis| x.reduce(Reduction::Max, &[axis]);
    let deviation = |x: &Node, axis| x.variance(&[axis]).binary(Binary::Add, &number(1e-2)).unary(Unary::Sqrt);
    let off = total(&x, N).binary(Binary::Div, &number(4.0));
    let squares = less(&x, &off).binary(Binary::Pow, &number(3.0)).mean(&[N]).unary(Unary::Abs);
    let cases = [
        ("another tensor below", over(&exp(&x), &total(&exp(&y), N))),
        ("another maximum", over(&exp(&less(&x, &largest(&x, M))), &total(&exp(&less(&x, &largest(&x, N))), N))),
        ("the maximum of another", over(&exp(&less(&x, &largest(&y, N))), &total(&exp(&less(&x, &largest(&x, N))), N))),
        ("the maximum above alone", over(&exp(&less(&x, &largest(&x, N))), &total(&exp(&x), N))),
        (
            "a logarithm over other axes",
            less(&less(&x, &largest(&x, M)), &total(&exp(&less(&x, &largest(&x, N))), N).unary(Unary::Log)),
        ),
        (
            "another maximum before the logarithm",
            largest(&y, N).binary(Binary::Add, &total(&exp(&less(&x, &largest(&x, N))), N).unary(Unary::Log)),
        ),
        ("a logarithm of another", less(&y, &total(&exp(&x), N).unary(Unary::Log))),
        ("the mean of another", over(&less(&x, &y.mean(&[N])), &deviation(&x, N))),
        ("the deviation of another", over(&less(&x, &x.mean(&[N])), &deviation(&y, N))),
        ("another axis below", over(&less(&x, &x.mean(&[N])), &deviation(&x, M))),
        ("a sum over too few", over(&less(&x, &off), &deviation(&x, N))),
        ("a third power", over(&less(&x, &x.mean(&[N])), &squares.unary(Unary::Sqrt))),
        ("no root", over(&less(&x, &x.mean(&[N])), &x.variance(&[N]).binary(Binary::Add, &number(1e-2)))),
        (
            "a negative number under the root",
            over(&less(&x, &x.mean(&[N])), &x.variance(&[N]).binary(Binary::Add, &number(-1e-3)).unary(Unary::Sqrt)),
        ),
    ];
    for (name, whole) in cases {
        // A logarithm by itself may be one.
        assert!(name.contains("logarithm") || !actions(std::slice::from_ref(&whole)).contains(&"rows"), "{name}");
        both_ways(&[whole], name);
    }
}

#[test]
fn a_softmax_that_is_written_out_makes_an_attention_and_its_gradient() {
    let [q, k, v] = [[M, K], [N, K], [N, Name::declared("v")]].map(|[a, b]| leaf(3, Kind::F32, &[(a, 24), (b, 16)]));
    let attended = |softmax: &dyn Fn(&Node) -> Node| softmax(&q.contract(&k, &[K])).contract(&v, &[N]);
    let owed = leaf(4, Kind::F32, &[(M, 24), (Name::declared("v"), 16)]);
    let owing = |softmax: &dyn Fn(&Node) -> Node| -> Vec<Node> {
        let variables = [q.clone(), k.clone(), v.clone()];
        let seeds = [(attended(softmax), owed.clone())];
        graph::calculus::reverse(&seeds, &variables, &[]).into_iter().flatten().collect()
    };
    let primitive = |x: &Node| x.softmax(&[N], false);
    for way in 0..4 {
        let by_hand = |x: &Node| written(way, x, &[N])[0].clone();
        assert_eq!(actions(&[attended(&by_hand)]), ["attention"], "way {way}");
        assert_eq!(actions(&owing(&by_hand)), actions(&owing(&primitive)), "way {way}");
        both_ways(&owing(&by_hand), &format!("way {way}"));
    }
}

#[test]
fn a_tensor_of_more_axes_than_kernels_take_is_computed_as_it_is_written() {
    let names: Vec<Name> = (0..=LARGEST_RANK).map(|_| M.freshened()).collect();
    let shape = Shape::new(names.iter().map(|&name| (name, 1)).chain([(N, 3)]));
    let x = Node::input(Value::contiguous(Buffer::F64(vec![1.0, 2.0, 4.0].into()), shape.sizes()), shape);
    for way in 0..WAYS {
        both_ways(&[written(way, &x, &[N])[0].clone()], &format!("way {way}"));
    }
}

#[test]
fn the_last_row_of_many_and_a_maximum_that_is_stopped_twice_have_the_plain_numbers() {
    for rows in [63, 64, 65, 129, 193] {
        let x = leaf(rows as u64, Kind::F64, &[(M, rows), (N, 8)]).slice(N, 0..5, 1);
        both_ways(&[written(12, &x, &[N])[0].clone()], &format!("{rows} rows"));
    }
    let x = leaf(1, Kind::F64, &[(M, 4), (N, 8)]);
    let by = x.reduce(Reduction::Max, &[N]).stop_gradient().stop_gradient();
    let log = x.binary(Binary::Sub, &by).unary(Unary::Exp).reduce(Reduction::Sum, &[N]).unary(Unary::Log);
    both_ways(&[by.binary(Binary::Add, &log)], "stopped twice");
}
