//! Planned evaluation against the plain one.
//!
//! Lives here: the comparison both ways, on random graphs (`draw`) and on chosen ones.

mod append;
mod attention;
mod computed;
mod described;
pub(crate) mod draw;
mod edges;
mod gain;
mod growing;
mod indexing;
mod joining;
mod matrix;
mod products;
mod rewriting;
mod scan;
mod several;
mod slices;
mod sorting;
mod sums;
mod tails;
mod together;
mod widen;
mod windows;
mod written;

use std::collections::HashMap;
use std::sync::Arc;

use super::schedule::Action;
use super::*;
use crate::axis::Name;
use crate::element::{Binary, Buffer, Kind, Numbers, Stored, Unary};
use crate::graph::Shape;
use crate::graph::op::{Distribution, Function, Reduction};
use draw::{Draw, NAMES, random_graph, stored};

/// The numbers of a node in the order of its shape.
fn elements(node: &Node, value: &Value) -> Vec<f64> {
    let sizes: Vec<usize> = node.shape().sizes().collect();
    let total: usize = sizes.iter().product();
    let read = |at: usize| match value.buffer.numbers() {
        Numbers::F32(values) => values[at].to_f64(),
        Numbers::F64(values) => values[at],
        Numbers::Index(values) => values[at].to_f64(),
        Numbers::Bool(values) => values[at].to_f64(),
        Numbers::Bf16(values) => values[at].to_f64(),
    };
    (0..total)
        .map(|mut position| {
            let mut at = value.offset as isize;
            for (&size, &stride) in sizes.iter().zip(&value.strides).rev() {
                at += (position % size) as isize * stride;
                position /= size;
            }
            read(at as usize)
        })
        .collect()
}

/// Evaluates the roots both ways and compares. Returns how many numbers there were, or none if both are the same error.
fn both_ways(roots: &[Node], context: &str) -> Option<usize> {
    let plain = graph::evaluate::plainly(roots);
    let planned = evaluate(roots);
    let (plain, planned) = match (plain, planned) {
        (Ok(plain), Ok(planned)) => (plain, planned),
        (Err(plain), Err(planned)) => {
            assert_eq!(plain.kind(), planned.kind(), "{context}: one error");
            return None;
        }
        (plain, planned) => panic!("{context}: plainly {:?}, planned {:?}", plain.err(), planned.err()),
    };
    Some(compared(roots, &plain, &planned, context))
}

/// Compares the numbers of the roots, and returns how many there were.
fn compared(roots: &[Node], plain: &[Value], planned: &[Value], context: &str) -> usize {
    let mut count = 0;
    for ((root, plain), planned) in roots.iter().zip(plain).zip(planned) {
        let (plain, planned) = (elements(root, plain), elements(root, planned));
        let largest = plain.iter().filter(|x| x.is_finite()).fold(1.0_f64, |largest, x| largest.max(x.abs()));
        let bound = largest * if root.kind() == Kind::F32 { 2e-4 } else { 1e-9 };
        for (i, (x, y)) in plain.iter().zip(&planned).enumerate() {
            let same = x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= bound;
            let plan = || describe(roots).unwrap_or_default();
            assert!(same, "{context}: {root:?} at {i}: plainly {x}, planned {y}\n{}", plan());
        }
        count += plain.len();
    }
    count
}

fn named(action: &Action) -> &'static str {
    match action {
        Action::Map { .. } => "map",
        Action::Product { scale: None, .. } => "product",
        Action::Product { .. } => "scaled product",
        Action::Reduce { .. } => "reduce",
        Action::ReduceComputed { .. } => "reduce computed",
        Action::Best { .. } => "best",
        Action::Rows { .. } => "rows",
        Action::StandardizeGradient { .. } => "standardize gradient",
        Action::Matrix { .. } => "matrix",
        Action::Join { around: None, pieces } if pieces.len() == 1 => "copy",
        Action::Join { .. } => "join",
        Action::Append { .. } => "append",
        Action::Attention { .. } => "attention",
        Action::AttentionGradient { .. } => "attention gradient",
        Action::Gather { .. } => "gather",
        Action::Scatter { .. } => "scatter",
        Action::Grouped { .. } => "grouped",
        Action::Relative { .. } => "relative",
        Action::Update { .. } => "update",
        Action::Plain { .. } => "plain",
        Action::Scan { .. } => "scan",
        Action::Fill(_) => "fill",
    }
}

#[test]
fn random_graphs_have_the_same_numbers_planned_and_plain() {
    let mut compared = 0;
    let mut errors = 0;
    let mut actions: HashMap<&str, usize> = HashMap::new();
    for seed in 0..3000 {
        let mut draw = Draw::new(seed);
        let kind = if seed % 3 == 0 { Kind::F32 } else { Kind::F64 };
        let steps = 1 + draw.below(16);
        let roots = random_graph(&mut draw, kind, steps);
        for step in lower::schedule(&Trace::new(&roots).unwrap()).steps {
            *actions.entry(named(&step.action)).or_default() += 1;
        }
        match both_ways(&roots, &format!("graph {seed}")) {
            Some(count) => compared += count,
            None => errors += 1,
        }
    }
    assert!(compared > 100_000, "most graphs have numbers: {compared}");
    assert!(errors > 5, "some graphs are in error: {errors}");
    for action in "map,product,scaled product,reduce,best,rows,copy,join,gather,update,plain,fill".split(',') {
        let count = actions.get(action).copied().unwrap_or(0);
        assert!(count > 50, "every action is tried: {action} {count} times");
    }
}

#[test]
fn gradients_of_random_graphs_have_the_same_numbers_planned_and_plain() {
    let mut compared = 0;
    for seed in 0..1500 {
        let mut draw = Draw::new(100_000 + seed);
        let steps = 1 + draw.below(12);
        let roots = random_graph(&mut draw, Kind::F64, steps);
        let real = |node: &&Node| node.kind().is_real() && node.error().is_none();
        let seeds: Vec<(Node, Node)> =
            roots.iter().filter(real).map(|root| (root.clone(), root.unary(Unary::Cos))).collect();
        let below = Node::walk(&roots);
        let leaves: Vec<Node> = below.iter().filter(|node| node.inputs().is_empty()).filter(real).cloned().collect();
        let owed: Vec<Node> = graph::calculus::reverse(&seeds, &leaves, &[]).into_iter().flatten().collect();
        compared += both_ways(&owed, &format!("gradient of graph {seed}")).unwrap_or(0);
    }
    assert!(compared > 30_000, "most gradients have numbers: {compared}");
}

/// What is read is known from then on, from a plan that was made for it alone; extremes tell whether it is compared with what
/// another plan computes.
#[test]
fn gradients_of_random_graphs_have_the_same_numbers_after_parts_were_read() {
    let (mut compared, mut read, mut far) = (0, 0, 0);
    for seed in 0..3000 {
        let mut draw = Draw::new(200_000 + seed);
        let steps = 1 + draw.below(12);
        let extreme = |root: Node| {
            let axes: Vec<Name> = root.shape().names().collect();
            root.reduce(if seed % 2 == 0 { Reduction::Max } else { Reduction::Min }, &axes[..axes.len() / 2])
        };
        let real = |node: &&Node| node.kind().is_real() && node.error().is_none();
        let roots: Vec<Node> =
            random_graph(&mut draw, Kind::F64, steps).into_iter().map(extreme).filter(|root| real(&root)).collect();
        let below = Node::walk(&roots);
        let leaves: Vec<Node> = below.iter().filter(|node| node.inputs().is_empty()).filter(real).cloned().collect();
        let owed = || -> Vec<Node> {
            let one = |root: &Node| (root.clone(), Node::fill(Kind::F64, 1.0, root.shape().clone()));
            let seeds: Vec<(Node, Node)> = roots.iter().map(one).collect();
            graph::calculus::reverse(&seeds, &leaves, &[]).into_iter().flatten().collect()
        };
        let before = owed();
        let Ok(plain) = graph::evaluate::plainly(&before) else { continue };
        for node in below.iter().filter(real).filter(|_| draw.below(3) == 0) {
            read += usize::from(evaluate(std::slice::from_ref(node)).is_ok());
        }
        let again = owed();
        for ((root, plain), planned) in again.iter().zip(&plain).zip(evaluate(&again).unwrap()) {
            let (plain, planned) = (elements(root, plain), elements(root, &planned));
            let largest = plain.iter().filter(|x| x.is_finite()).fold(1.0_f64, |largest, x| largest.max(x.abs()));
            let is_alike = |(x, y): (&f64, &f64)| x.is_nan() == y.is_nan();
            assert!(plain.iter().zip(&planned).all(is_alike), "graph {seed}: {root:?} {plain:?} {planned:?}");
            // Sums that cancel are not the matter here.
            let is_far = |(x, y): (&f64, &f64)| (x - y).abs() > 1e-4 * largest;
            far += usize::from(plain.iter().zip(&planned).any(is_far));
            compared += plain.len();
        }
    }
    assert!(compared > 30_000 && read > 1500, "most gradients have numbers: {compared}, {read} tensors read");
    assert!(far < 5, "two of one size that are computed in two ways may differ, and then one of them owes all: {far}");
}

fn scalar(value: f64) -> Node {
    Node::fill(Kind::F32, value, Shape::default())
}

/// The schedule that the cache keeps for these roots; its address tells whether it was planned again.
fn kept(roots: &[Node]) -> Arc<schedule::Schedule> {
    let trace = Trace::new(roots).unwrap();
    cache::schedule(&trace.key, || growth::schedule(&trace))
}

/// One head of attention with names of its own, as a lifted function would have them.
fn attention(divisor: f64) -> Node {
    let [seq, seq_, key, val] = ["seq", "seq_", "key", "val"].map(|text| Name::declared(text).freshened());
    let q = stored(&mut Draw::new(1), Kind::F32, Shape::new([(seq_, 3), (key, 4)]), 1);
    let k = stored(&mut Draw::new(2), Kind::F32, Shape::new([(seq, 5), (key, 4)]), 1);
    let v = stored(&mut Draw::new(3), Kind::F32, Shape::new([(seq, 5), (val, 2)]), 1);
    let scores = q.contract(&k, &[key]).binary(Binary::Div, &scalar(divisor));
    scores.softmax(&[seq], false).contract(&v, &[seq])
}

#[test]
fn the_same_structure_with_fresh_names_and_other_constants_is_planned_once() {
    let (first, second) = (attention(0.2), attention(0.3));
    assert!(Arc::ptr_eq(&kept(&[first]), &kept(&[second])), "one plan serves both");
    let other = attention(2.0).unary(Unary::Neg);
    assert!(!Arc::ptr_eq(&kept(&[attention(2.0)]), &kept(&[other])), "another structure has another plan");
}

#[test]
fn constants_count_by_where_they_are_the_same_and_small_whole_numbers_by_themselves() {
    let sum = |x: f64, y: f64| scalar(x).binary(Binary::Add, &scalar(y));
    assert_eq!(both_ways(&[sum(0.1, 0.1)], "equal"), Some(1));
    assert_eq!(both_ways(&[sum(0.1, 0.2)], "unequal"), Some(1));
    assert!(Arc::ptr_eq(&kept(&[sum(0.3, 0.4)]), &kept(&[sum(0.1, 0.2)])), "both are unequal");
    assert!(!Arc::ptr_eq(&kept(&[sum(0.3, 0.3)]), &kept(&[sum(0.1, 0.2)])), "only one is unequal");
    let power = |x: f64| stored(&mut Draw::new(4), Kind::F32, Shape::default(), 1).binary(Binary::Pow, &scalar(x));
    assert_eq!(both_ways(&[power(2.0), power(3.0), power(0.7)], "powers"), Some(3));
    assert!(!Arc::ptr_eq(&kept(&[power(2.0)]), &kept(&[power(3.0)])), "a square is computed in another way");
}

#[test]
fn the_same_layout_is_a_part_of_the_structure() {
    let [a, b] = [NAMES[0], NAMES[1]];
    let sum = |strides: [isize; 2]| {
        let value = Value {
            buffer: Arc::new(Buffer::F32(vec![1.0; 6].into())),
            offset: 0,
            strides: strides.into_iter().collect(),
        };
        Node::input(value, Shape::new([(a, 2), (b, 3)])).reduce(Reduction::Sum, &[a])
    };
    assert!(!Arc::ptr_eq(&kept(&[sum([3, 1])]), &kept(&[sum([1, 2])])), "each layout has its own plan");
}

#[test]
fn roots_remember_their_numbers_and_what_they_are_computed_from_does_not() {
    let x = stored(&mut Draw::new(5), Kind::F32, Shape::new([(NAMES[0], 3)]), 1);
    let inner = x.unary(Unary::Exp);
    let root = inner.reduce(Reduction::Sum, &[NAMES[0]]);
    evaluate(std::slice::from_ref(&root)).unwrap();
    assert!(root.value().is_some() && inner.value().is_none(), "only the root was asked for");
    assert_eq!(kept(&[root.unary(Unary::Neg)]).steps.len(), 1, "what follows starts from the root's numbers");
}

#[test]
fn random_numbers_are_drawn_once() {
    let random =
        Node::random(Distribution::Normal { mean: 0.0, deviation: 1.0 }, 3, Kind::F32, Shape::new([(NAMES[0], 5)]));
    let root = random.unary(Unary::Exp);
    assert_eq!(both_ways(&[root], "first"), Some(5));
    assert!(random.value().is_some(), "they are kept");
    assert_eq!(kept(&[random.unary(Unary::Neg)]).steps.len(), 1, "and read again");
}

#[test]
fn a_root_that_is_stored_a_view_or_a_constant_needs_no_step() {
    let x = stored(&mut Draw::new(5), Kind::F32, Shape::new([(NAMES[0], 6), (NAMES[1], 2)]), 1);
    let view =
        x.split(NAMES[0], &[(NAMES[2], Some(2)), (NAMES[3], None)]).at(NAMES[2], 1).rename(&[(NAMES[1], NAMES[4])]);
    let repeated = x.spread(Shape::new([(NAMES[2], 5)]));
    let roots = [x.clone(), view, scalar(4.0), repeated, x];
    assert!(kept(&roots).steps.is_empty(), "nothing is to be done");
    assert_eq!(both_ways(&roots, "views"), Some(12 + 6 + 1 + 60 + 12));
}

#[test]
fn numbers_that_are_repeated_may_be_summed_multiplied_chosen_and_put_together() {
    let [a, b, c] = [NAMES[0], NAMES[1], NAMES[2]];
    for (repeats, seed) in [(1, 1), (3, 2), (70, 3)] {
        let x = stored(&mut Draw::new(seed), Kind::F64, Shape::new([(a, 40), (b, 30)]), 1);
        let y = x.unary(Unary::Exp).reduce(Reduction::Sum, &[a]).spread(Shape::new([(c, repeats)]));
        let roots = [
            y.clone(),
            y.binary(Binary::Mul, &x),
            y.contract(&x, &[b]),
            y.contract(&stored(&mut Draw::new(7), Kind::F64, Shape::new([(c, repeats), (a, 33)]), 1), &[c]),
            y.reduce(Reduction::Sum, &[c]),
            y.reduce(Reduction::Max, &[b]),
            y.softmax(&[c], false),
            y.concat(c, &y.unary(Unary::Neg)),
            y.slice(c, 0..1, 1).binary(Binary::Add, &y),
            y.scatter_add(&Node::iota(c, repeats), a, repeats + 2, &[c]),
            y.merge(&[b, c], a),
        ];
        let (last, others) = roots.split_last().unwrap();
        both_ways(others, &format!("what is repeated {repeats} times"));
        both_ways(std::slice::from_ref(last), &format!("what is repeated {repeats} times, as one axis"));
    }
}

#[test]
fn a_chain_of_a_million_nodes_is_planned_evaluated_and_dropped() {
    let x = Node::input(
        Value::contiguous(Buffer::F32(vec![1.0, 2.0].into()), [2].into_iter()),
        Shape::new([(NAMES[0], 2)]),
    );
    let mut node = x;
    for _ in 0..1_000_000 {
        node = node.unary(Unary::Neg);
    }
    let trace = Trace::new(std::slice::from_ref(&node)).unwrap();
    let schedule = lower::schedule(&trace);
    assert!(schedule.steps.len() <= 1_000_000 / 60, "{} steps", schedule.steps.len());
    drop(trace);
    let values = evaluate(std::slice::from_ref(&node)).unwrap();
    assert_eq!(elements(&node, &values[0]), [1.0, 2.0], "an even number of signs");
}

#[test]
fn a_chain_of_doublings_does_not_double_its_steps() {
    let [a, b] = [NAMES[0], NAMES[1]];
    // Each node is used twice; then each is used along with its transposed self, which no group can hold.
    let mut node = stored(&mut Draw::new(5), Kind::F64, Shape::new([(a, 3), (b, 3)]), 1);
    for _ in 0..200 {
        node = node.binary(Binary::Mul, &node).unary(Unary::Sin);
        node = node.binary(Binary::Sub, &node.rename(&[(a, b), (b, a)]));
    }
    assert!(kept(std::slice::from_ref(&node)).steps.len() <= 400, "each node is computed once");
    both_ways(&[node], "doublings");
}

/// `exp x`, whose derivative is said elsewhere.
#[derive(Debug)]
struct Exp;

impl Function for Exp {
    fn name(&self) -> &'static str {
        "own"
    }

    fn fallback(&self, arguments: &[Node]) -> Node {
        arguments[0].unary(Unary::Exp)
    }
}

#[test]
fn a_call_and_a_constraint_have_no_step_of_their_own() {
    let shape = Shape::new([(NAMES[0], 3)]);
    let x = stored(&mut Draw::new(1), Kind::F64, shape, 1);
    let call = Node::call(Arc::new(Exp), std::slice::from_ref(&x));
    let page = describe(&[call.constrain(NAMES[0], "data").unary(Unary::Neg)]).unwrap();
    assert!(page.contains("1 step   ") && page.contains("exp, -"), "{page}");
    assert!(both_ways(&[call.constrain(NAMES[0], "data")], "a root").is_some());
}
