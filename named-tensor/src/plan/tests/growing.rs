//! Graphs that grow: plans that are foretold against plans that are made, and their numbers against the plain evaluation.

use super::draw::random_graph_of;
use super::*;
use crate::plan::growth::Known;
use crate::plan::schedule::Schedule;
use crate::plan::weighed::Weighed;

/// The foretold plan of these roots, if there is one, after it was compared with the plan that is made; else that is learnt.
pub(super) fn foretold(known: &mut Known, roots: &[Node], context: &str) -> Option<Schedule> {
    let trace = Trace::new(roots).unwrap();
    let made = lower::schedule(&trace);
    let Some(mut foretold) = known.foretold(&trace) else {
        known.learn(&trace, made);
        return None;
    };
    // What is weighed need not go on evenly, as long as it comes out the same.
    foretold.weighed.clone_from(&made.weighed);
    assert!(foretold == made, "{context}: foretold {foretold:#?}\nmade {made:#?}");
    Some(foretold)
}

/// Compares the numbers of a foretold plan with those of the plain evaluation. Returns how many there were.
pub(super) fn run(schedule: &Schedule, roots: &[Node], context: &str) -> usize {
    match (graph::evaluate::plainly(roots), execute::run(schedule, &Trace::new(roots).unwrap())) {
        (Ok(plain), Ok(planned)) => compared(roots, &plain, &planned, context),
        (Err(plain), Err(planned)) => {
            assert_eq!(plain.kind(), planned.kind(), "{context}: one error");
            0
        }
        (plain, planned) => panic!("{context}: plainly {:?}, planned {:?}", plain.err(), planned.err()),
    }
}

fn tensor(axes: &[(Name, usize)]) -> Node {
    stored(&mut Draw::new(1), Kind::F64, Shape::new(axes.iter().copied()), 1)
}

/// How often each of these lengths was foretold, as a graph of one axis of that length.
fn lengths(known: &mut Known, lengths: impl IntoIterator<Item = usize>, graph: impl Fn(usize) -> Node) -> Vec<bool> {
    let is_foretold = |size: usize| {
        let roots = [graph(size)];
        let schedule = foretold(known, &roots, &format!("of {size}"));
        schedule.as_ref().map(|schedule| run(schedule, &roots, &format!("of {size}"))).is_some()
    };
    lengths.into_iter().map(is_foretold).collect()
}

#[test]
fn a_plan_that_is_foretold_is_the_plan_that_would_be_made_and_has_the_numbers_of_the_plain_evaluation() {
    let (mut plans, mut numbers) = (0, 0);
    let mut actions: HashMap<&str, usize> = HashMap::new();
    for seed in 0..1500 {
        let mut known = Known::default();
        let mut draw = Draw::new(seed);
        let sizes = NAMES.map(|_| *draw.of(&[1, 2, 2, 3, 3, 4, 5, 6, 7, 11]));
        let (grown, steps, kind) = (draw.below(6), 1 + draw.below(16), *draw.of(&[Kind::F32, Kind::F64, Kind::F64]));
        for more in 0..24 {
            let mut sizes = sizes;
            sizes[grown] += more;
            let roots = random_graph_of(&mut Draw::new(seed + 1_000_000), sizes, kind, steps);
            let context = format!("graph {seed}, {more} more");
            if let Some(schedule) = foretold(&mut known, &roots, &context) {
                plans += 1;
                numbers += run(&schedule, &roots, &context);
                schedule.steps.iter().for_each(|step| *actions.entry(named(&step.action)).or_default() += 1);
            }
        }
    }
    assert!(plans > 5000 && numbers > 1_000_000, "many are foretold: {plans} with {numbers} numbers");
    for action in "map,product,scaled product,reduce,best,rows,copy,join,gather,update,plain,fill".split(',') {
        let count = actions.get(action).copied().unwrap_or(0);
        assert!(count > 20, "every action is tried: {action} {count} times");
    }
}

#[test]
fn a_text_that_is_read_word_by_word_is_planned_a_few_times() {
    let [position, key] = [NAMES[0], NAMES[1]];
    let mut known = Known::default();
    let mut keys = tensor(&[(position, 3), (key, 4)]);
    let mut made = 0;
    for word in 0..300 {
        let context = format!("word {word}");
        let positions = tensor(&[(position, 1000), (key, 4)]).at(position, 3 + word);
        let query = tensor(&[(key, 4)]).binary(Binary::Add, &positions);
        let longer = keys.concat(position, &query.spread(Shape::new([(position, 1)])));
        let last = Node::fill(Kind::F64, 3.5 + word as f64, Shape::default());
        let places = Node::iota(position, 4 + word).cast(Kind::F64);
        let mask = places.binary(Binary::Sub, &last).unary(Unary::Neg);
        let weights = longer.contract(&query, &[key]).binary(Binary::Add, &mask).softmax(&[position], false);
        let roots = [weights.contract(&longer, &[position]), longer];
        match foretold(&mut known, &roots, &context) {
            Some(schedule) => drop(run(&schedule, &roots, &context)),
            None => made += 1,
        }
        let value = evaluate(&roots).unwrap().remove(1);
        keys = Node::input(value, roots[1].shape().clone());
    }
    assert!(made <= 9, "300 words are planned {made} times");
}

#[test]
fn where_something_weighs_otherwise_a_plan_is_made() {
    let mut known = Known::default();
    // The axes of the larger operand are the fastest of the result.
    let sum = |size| tensor(&[(NAMES[0], size)]).binary(Binary::Max, &tensor(&[(NAMES[1], 12)]));
    let is_foretold = lengths(&mut known, 2..20, sum);
    // From 4 on the other one is read often enough to be copied.
    let expected = (2..20).map(|size| matches!(size, 8..=11 | 16..));
    assert!(is_foretold.iter().copied().eq(expected), "{is_foretold:?}");
}

#[test]
fn a_result_that_lies_otherwise_from_some_length_on_is_planned_anew() {
    let [rows, terms, columns] = [NAMES[0], NAMES[1], NAMES[2]];
    let mut count = 0;
    for seed in 0..20 {
        let of = |size: usize| {
            let draw = &mut Draw::new(seed);
            let left = stored(draw, Kind::F64, Shape::new([(terms, 5), (rows, size)]), 1);
            left.contract(&stored(draw, Kind::F64, Shape::new([(columns, 7), (terms, 5)]), 1), &[terms])
        };
        count += lengths(&mut Known::default(), 58..70, of).into_iter().filter(|&is| is).count();
    }
    assert!(count > 40, "{count} are foretold");
}

#[test]
fn only_what_grows_on_as_it_did_is_foretold() {
    let [a, b] = [NAMES[0], NAMES[1]];
    let mut known = Known::default();
    let of = |x: usize, y: usize| tensor(&[(a, x), (b, y)]).unary(Unary::Exp);
    assert_eq!(lengths(&mut known, 3..9, |size| of(size, 5)), [false, false, false, false, true, true]);
    let is_known = |known: &Known, root: &Node| {
        let trace = Trace::new(std::slice::from_ref(root)).unwrap();
        known.foretold(&trace).is_some()
    };
    assert!(is_known(&known, &of(70, 5)), "some lengths further");
    assert!(!is_known(&known, &of(71, 5)), "too far");
    assert!(!is_known(&known, &of(5, 5)), "shorter");
    assert!(!is_known(&known, &of(9, 6)), "another axis grows as well");
    assert!(!is_known(&known, &of(9, 5).unary(Unary::Exp)), "something else is done");
    let rows = |x| tensor(&[(a, x), (b, x)]).softmax(&[b], false);
    assert_eq!(lengths(&mut known, 3..12, rows), [false; 9], "how many there are is no even growth");
}

#[test]
fn texts_that_are_read_in_turns_are_foretold_each_by_itself() {
    let mut known = Known::default();
    let turns = (0..10).flat_map(|word| [500 + word, 20 + word, 100 + word]);
    let is_foretold = lengths(&mut known, turns, |size| tensor(&[(NAMES[0], size), (NAMES[1], 3)]).unary(Unary::Exp));
    assert!(is_foretold[15..].iter().all(|&is| is), "{is_foretold:?}");
}

#[test]
fn a_text_goes_on_from_the_length_that_is_nearest_to_its_own() {
    let mut known = Known::default();
    // The shorter text, read last, might grow to the length of the longer one as well.
    let turns = [500, 20].into_iter().chain(501..508);
    let is_foretold = lengths(&mut known, turns, |size| tensor(&[(NAMES[0], size), (NAMES[1], 3)]).unary(Unary::Exp));
    assert_eq!(is_foretold, [false, false, false, false, false, true, true, true, true]);
}

#[test]
fn what_grows_is_a_count_and_not_the_place_of_an_axis() {
    // All numbers of the plan are the same for each axis along which the tensor repeats itself, but not for the last one.
    let shape = Shape::new((0..6).map(|at| (NAMES[at], 3)));
    let of = |buffer: &[f64]| Value {
        buffer: Buffer::F64(buffer.to_vec().into()).into(),
        offset: 0,
        strides: (0..6).map(|at| isize::from(at == 5)).collect(),
    };
    let [x, y] = [[1.0, 2.0, 4.0], [3.0, 5.0, 7.0]].map(|numbers| Node::input(of(&numbers), shape.clone()));
    let mut known = Known::default();
    let is_foretold = lengths(&mut known, 0..6, |at| x.contract(&y, &[NAMES[at]]));
    assert_eq!(is_foretold, [false; 6]);
}

#[test]
fn what_begins_with_one_position_is_foretold_once_there_are_several() {
    let mut known = Known::default();
    let tanh = |size| tensor(&[(NAMES[0], size), (NAMES[1], 3)]).unary(Unary::Tanh);
    assert_eq!(lengths(&mut known, 0..8, tanh), [false, false, false, false, false, false, true, true]);
}

#[test]
fn what_is_weighed_is_noted_once_for_layers_that_are_alike() {
    let weigh = |sizes: &[[usize; 2]]| -> Weighed {
        drop(weighed::taken());
        sizes.iter().for_each(|&[left, right]| assert_eq!(weighed::is_less(left, right), left < right));
        weighed::taken()
    };
    assert_eq!(weigh(&[[1, 2], [2, 1], [1, 2], [3, 3]]), [[1, 2], [2, 1], [3, 3]]);
    assert!(weighed::are_alike(&[[1, 2], [2, 2]], &[[3, 5], [7, 7]]));
    assert!(!weighed::are_alike(&[[1, 2]], &[[2, 2]]), "no longer smaller");
    assert!(weighed::is_cheaper(0.5, f64::INFINITY) && !weighed::is_cheaper(2.0, 1.5), "costs are noted by their bits");
    let noted = weighed::taken();
    // Where a word holds half of the bits, the other half is the same here.
    let orders = noted.iter().map(|pair| pair[0].cmp(&pair[1])).filter(|order| order.is_ne());
    assert!(orders.eq([std::cmp::Ordering::Less, std::cmp::Ordering::Greater]));
}
