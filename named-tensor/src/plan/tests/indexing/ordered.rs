//! Rows and sums at positions in the order of products, planned and plain, with what all factors owe.

use super::*;

const NODE: Name = Name::declared("node");
const TO: Name = Name::declared("to");
const EDGE: Name = NAMES[0];
const NEAR: Name = NAMES[1];
const BATCH: Name = NAMES[2];
const KEY: Name = NAMES[3];
const HIDDEN: Name = NAMES[4];
const OUT: Name = NAMES[5];

/// Ones at these positions of a new axis.
fn one_hot(at: &Node, axis: Name, size: usize, kind: Kind) -> Node {
    Node::iota(axis, size).compare(Comparison::Eq, at).cast(kind)
}

#[test]
fn vectors_are_multiplied_before_they_are_taken_and_summed_before_they_are_multiplied() {
    let mut draw = Draw::new(1);
    let (nodes, edges) = (10, 400);
    let at = positions(&mut draw, Shape::new([(EDGE, edges)]), nodes);
    let h = stored(&mut draw, Kind::F64, Shape::new([(NODE, nodes), (KEY, 8)]), 1);
    let w = stored(&mut draw, Kind::F64, Shape::new([(KEY, 8), (HIDDEN, 9)]), 1);
    let root = h.gather(NODE, &at).contract(&w, &[KEY]);
    assert_eq!(multiplied(std::slice::from_ref(&root)), nodes * 8 * 9);
    let both = owed(&root, &[h, w]);
    assert_eq!(multiplied(&both), 3 * nodes * 8 * 9, "the product, what the vectors owe, what the matrix owes");
    both_ways(&[root], "forwards");
    both_ways(&both, "backwards");
}

#[test]
fn of_products_with_all_words_only_those_at_the_positions_are_made() {
    let mut draw = Draw::new(2);
    let (words, rows) = (300, 7);
    let at = positions(&mut draw, Shape::new([(EDGE, rows)]), words);
    let h = stored(&mut draw, Kind::F64, Shape::new([(EDGE, rows), (KEY, 8)]), 1);
    let e = stored(&mut draw, Kind::F64, Shape::new([(NODE, words), (KEY, 8)]), 1);
    let root = h.contract(&e, &[KEY]).gather(NODE, &at);
    let both = owed(&root, &[h, e]);
    for roots in [&[root][..], &both] {
        assert!(multiplied(roots) <= rows * 8, "{}", describe(roots).unwrap());
        both_ways(roots, "words");
    }
}

#[test]
fn what_is_not_read_at_any_position_need_not_be_finite() {
    let mut draw = Draw::new(3);
    let (nodes, edges) = (12, 400);
    let at = positions(&mut draw, Shape::new([(EDGE, edges)]), nodes - 2);
    let h = stored(&mut draw, Kind::F64, Shape::new([(NODE, nodes), (KEY, 8)]), 1);
    let limit = Node::fill(Kind::Index, (nodes - 2) as f64, Shape::default());
    let is_read = Node::iota(NODE, nodes).compare(Comparison::Lt, &limit);
    let h = is_read.select(&h, &Node::fill(Kind::F64, f64::NAN, Shape::default()));
    let w = stored(&mut draw, Kind::F64, Shape::new([(KEY, 8), (HIDDEN, 9)]), 1);
    let root = h.gather(NODE, &at).contract(&w, &[KEY]);
    let both = owed(&root, &[h, w]);
    assert_eq!(multiplied(&both), 3 * nodes * 8 * 9);
    // The guard has words of its own.
    let page = describe(&both).unwrap();
    assert!(page.contains(" = >(#") && page.contains(" = if(#") && page.contains(" = scatter_add(#"), "{page}");
    both_ways(&both, "two nodes are NaN");
    assert!(elements(&both[1], &evaluate(&both).unwrap()[1]).iter().all(|x| x.is_finite()));
}

#[test]
fn what_the_second_of_two_reads_does_not_take_need_not_be_finite() {
    let mut draw = Draw::new(3);
    let (nodes, far) = (6, Name::declared("far"));
    let at = positions(&mut draw, Shape::new([(EDGE, 39)]), nodes - 1);
    // One edge more, the only one that reads the last node, is read by nobody.
    let last = Node::fill(Kind::Index, (nodes - 1) as f64, Shape::new([(EDGE, 1)]));
    let at = at.concat(EDGE, &last);
    let far_at = positions(&mut draw, Shape::new([(far, 300)]), 39);
    let h = stored(&mut draw, Kind::F64, Shape::new([(NODE, nodes), (KEY, 8)]), 1);
    let is_read = Node::iota(NODE, nodes).compare(Comparison::Lt, &last.at(EDGE, 0));
    let h = is_read.select(&h, &Node::fill(Kind::F64, f64::NAN, Shape::default()));
    let c = stored(&mut draw, Kind::F64, Shape::new([(far, 300)]), 1);
    let scaled = stored(&mut draw, Kind::F64, Shape::new([(EDGE, 40)]), 1);
    for between in [h.gather(NODE, &at), h.gather(NODE, &at).binary(Binary::Mul, &scaled)] {
        let root = between.gather(EDGE, &far_at).contract(&c, &[far]);
        let owed = owed(&root, &[h.clone(), c.clone()]);
        both_ways(&[root], "two reads");
        both_ways(&owed, "what they owe");
    }
}

#[test]
fn positions_of_which_an_axis_is_summed_before_guard_what_is_read() {
    let mut draw = Draw::new(5);
    let one = Name::declared("one");
    let t = stored(&mut draw, Kind::F64, Shape::new([(NODE, 4), (one, 1), (OUT, 8)]), 1);
    let s = stored(&mut draw, Kind::F64, Shape::new([(NODE, 4), (EDGE, 8)]), 1);
    let at = positions(&mut draw, Shape::new([(EDGE, 8), (NEAR, 8)]), 1);
    let x = stored(&mut draw, Kind::F64, Shape::new([(NEAR, 8), (EDGE, 8)]), 1);
    let root = t.contract(&s, &[NODE]).gather(one, &at).contract(&x, &[NEAR, EDGE]);
    let owed = owed(&root, &[t, s, x]);
    both_ways(&[root], "forwards");
    both_ways(&owed, "backwards");
}

#[test]
fn a_position_that_is_not_there_is_told_as_it_is_written() {
    let mut draw = Draw::new(4);
    let told = |roots: &[Node]| evaluate(roots).unwrap_err().to_string();
    let plainly = |roots: &[Node]| graph::evaluate::plainly(roots).unwrap_err().to_string();
    let at = positions(&mut draw, Shape::new([(EDGE, 300)]), 11);
    let h = stored(&mut draw, Kind::F64, Shape::new([(NODE, 10), (KEY, 8)]), 1);
    let w = stored(&mut draw, Kind::F64, Shape::new([(KEY, 8), (HIDDEN, 9)]), 1);
    let taken = h.gather(NODE, &at).contract(&w, &[KEY]);
    assert_eq!(multiplied(std::slice::from_ref(&taken)), 10 * 8 * 9);
    assert_eq!(told(std::slice::from_ref(&taken)), plainly(&[taken]));
    let x = stored(&mut draw, Kind::F64, Shape::new([(EDGE, 300), (KEY, 8)]), 1);
    let summed = x.contract(&w, &[KEY]).scatter_add(&at, NODE, 10, &[EDGE]);
    assert_eq!(multiplied(std::slice::from_ref(&summed)), 10 * 8 * 9);
    assert_eq!(told(std::slice::from_ref(&summed)), plainly(&[summed]));
}

#[test]
fn a_position_that_is_not_there_is_told_by_nobody_where_nothing_is_taken() {
    let mut draw = Draw::new(6);
    let at = positions(&mut draw, Shape::new([(EDGE, 300)]), 11);
    let empty = stored(&mut draw, Kind::F64, Shape::new([(NODE, 10), (KEY, 0)]), 1);
    both_ways(&[empty.gather(NODE, &at)], "nothing is taken");
    let updates = stored(&mut draw, Kind::F64, Shape::new([(EDGE, 300), (KEY, 0)]), 1);
    both_ways(&[updates.scatter_add(&at, NODE, 10, &[EDGE])], "nothing is summed");
    let [two, three] = [(EDGE, 20), (NEAR, 30)].map(|axis| positions(&mut draw, Shape::new([axis]), 11));
    let wide = stored(&mut draw, Kind::F64, Shape::new([(NODE, 10), (HIDDEN, 10), (KEY, 0)]), 1);
    both_ways(&[wide.gather(NODE, &two).gather(HIDDEN, &three)], "nor by one after the other");
}

#[test]
fn products_around_positions_are_the_same_planned_and_plain_for_any_axes_and_layouts() {
    let mut moved = 0;
    for seed in 0..1500 {
        let mut draw = Draw::new(seed);
        let kind = *draw.of(&[Kind::F32, Kind::F64]);
        let some = |draw: &mut Draw, axes: &[(Name, usize)]| -> Vec<(Name, usize)> {
            axes.iter().copied().filter(|_| draw.below(3) > 0).collect()
        };
        let sizes = [EDGE, NEAR, BATCH, KEY, HIDDEN, OUT].map(|name| (name, *draw.of(&[1, 2, 3, 5, 9, 40])));
        let [edge, near, batch, key, hidden, out] = sizes;
        let [nodes, to] = [0, 1].map(|_| *draw.of(&[1, 2, 7, 30]));
        let finite = |draw: &mut Draw, axes: Vec<(Name, usize)>| {
            if draw.below(3) == 0 {
                leaf(draw, kind, &Shape::new(axes))
            } else {
                stored(draw, kind, Shape::new(axes), 1)
            }
        };
        let wrong = usize::from(draw.below(12) == 0);
        let own = [vec![edge], some(&mut draw, &[edge, near, batch])][draw.below(2)].clone();
        let own: Vec<_> = own.into_iter().filter(|_| draw.below(30) > 0).collect();
        let [from_at, to_at] = [nodes + wrong, to].map(|size| {
            let axes: Vec<_> = own.iter().copied().filter(|_| draw.below(12) > 0).collect();
            positions(&mut draw, Shape::new(axes), size)
        });
        let is_hot = draw.below(4) == 0;
        let mut leaves = vec![];
        let of_nodes = [vec![(NODE, nodes), key], some(&mut draw, &[batch, edge])].concat();
        let mut x = finite(&mut draw, of_nodes);
        leaves.push(x.clone());
        let mut factor = |draw: &mut Draw, x: Node, axes: Vec<(Name, usize)>, summed: &[Name]| {
            let w = finite(draw, axes);
            leaves.push(w.clone());
            let summed: Vec<Name> = summed.iter().copied().filter(|&name| x.shape().has(name)).collect();
            if draw.below(2) == 0 { x.contract(&w, &summed) } else { w.contract(&x, &summed) }
        };
        if draw.below(3) == 0 {
            x = factor(&mut draw, x, vec![key, hidden], &[KEY]);
        }
        x = if is_hot { x.contract(&one_hot(&from_at, NODE, nodes, kind), &[NODE]) } else { x.gather(NODE, &from_at) };
        if draw.below(2) == 0 {
            let axes = some(&mut draw, &own);
            x = factor(&mut draw, x, axes, &[]);
        }
        if draw.below(2) == 0 {
            let (from, into) = if x.shape().has(KEY) { (key, hidden) } else { (hidden, out) };
            let more = if draw.below(6) == 0 { some(&mut draw, &own) } else { vec![] };
            x = factor(&mut draw, x, [vec![from, into], more].concat(), &[from.0]);
        }
        if draw.below(3) > 0 {
            let here = to_at.shape().names().filter(|&name| x.shape().has(name));
            let over: Vec<Name> = here.filter(|_| draw.below(5) > 0).collect();
            x = if draw.below(4) == 0 {
                one_hot(&to_at, TO, to, kind).contract(&x, &over)
            } else {
                x.scatter_add(&to_at, TO, to, &over)
            };
            if draw.below(2) == 0 && x.shape().has(HIDDEN) {
                x = factor(&mut draw, x, vec![hidden, out], &[HIDDEN]);
            }
        }
        if x.error().is_some() || x.shape().elements() > 20_000 {
            continue;
        }
        let is_finite = leaves.iter().all(|x| {
            let value = evaluate(std::slice::from_ref(x)).unwrap();
            elements(x, &value[0]).iter().all(|x| x.is_finite())
        });
        if is_finite {
            let owed = owed(&x, &leaves);
            moved += order::reordered(&Trace::new(&owed).unwrap()).len();
            both_ways(std::slice::from_ref(&x), &format!("graph {seed}"));
            both_ways(&owed, &format!("owed {seed}"));
        }
    }
    assert!(moved > 300, "they are moved: {moved}");
}

#[test]
fn neighbours_that_are_summed_for_each_node_are_read_once_and_weighed_before_they_are_multiplied() {
    let mut draw = Draw::new(9);
    let (nodes, near) = (40, 6);
    let at = positions(&mut draw, Shape::new([(TO, nodes), (NEAR, near)]), nodes);
    let mut some = |axes: &[(Name, usize)]| stored(&mut draw, Kind::F64, Shape::new(axes.iter().copied()), 1);
    let (h, w) = (some(&[(NODE, nodes), (KEY, 8)]), some(&[(KEY, 8), (OUT, 9)]));
    let (weights, of_kernels) = (some(&[(TO, nodes), (NEAR, near)]), some(&[(TO, nodes), (NEAR, near), (HIDDEN, 3)]));
    let w3 = some(&[(HIDDEN, 3), (KEY, 8), (OUT, 9)]);
    let times = |x: &Node, y: &Node| x.binary(Binary::Mul, y);
    let graph = times(&times(&weights, &h.gather(NODE, &at)), &w).reduce(Reduction::Sum, &[NEAR, KEY]);
    let kernels = times(&times(&of_kernels, &h.gather(NODE, &at)), &w3).reduce(Reduction::Sum, &[NEAR, HIDDEN, KEY]);
    for (root, of, what) in [
        (graph, &[h.clone(), w, weights][..], "one matrix"),
        (kernels, &[h.clone(), w3, of_kernels][..], "a matrix for each weight"),
    ] {
        let schedule = lower::schedule(&Trace::new(std::slice::from_ref(&root)).unwrap());
        let largest = schedule.steps.iter().map(|step| schedule.slots[step.out as usize].size).max();
        let computed = schedule.steps.iter().any(|step| named(&step.action) == "reduce computed");
        assert!(!computed && largest <= Some(nodes * near * 8), "{what}: {}", describe(&[root]).unwrap());
        let both = owed(&root, of);
        both_ways(&[&[root][..], &both].concat(), what);
    }
}
