//! Attention: one step where the weights serve nothing else, backwards too, and the same numbers in any case.
//!
//! Lives here: attention and its gradients of any axes, masks, scales and layouts, and what comes near to it.
//! Not here: the loops (`kernel::attention`).

use super::*;
use crate::element::Comparison;
use crate::graph::calculus::reverse;

/// Attention with its variables, drawn at random.
struct Drawn {
    variables: Vec<Node>,
    weights: Node,
    mask: Option<Node>,
    result: Node,
}

/// At least so many axes of one role, and at most two.
fn role(draw: &mut Draw, sizes: &[usize], text: &'static str, least: usize) -> Vec<(Name, usize)> {
    (0..least + draw.below(3 - least)).map(|_| (Name::declared(text).freshened(), *draw.of(sizes))).collect()
}

/// A stored tensor with the axes of these roles, in some order.
fn tensor(draw: &mut Draw, kind: Kind, parts: &[&[(Name, usize)]]) -> Node {
    let mut axes: Vec<_> = parts.concat();
    let first = draw.below(axes.len().max(1));
    axes.rotate_left(first);
    stored(draw, kind, Shape::new(axes), 1)
}

/// What attention is of, and the axes of keys and positions.
struct Operands {
    queries: Node,
    k: Node,
    v: Node,
    mask: Node,
    keys: Vec<Name>,
    positions: Vec<Name>,
}

/// One or two axes for each role; the batch may have none, the queries' rows and the values' columns no fewer than `least`.
/// A column may be called as an axis of the keys is: it is another one, and may have another size.
fn operands(draw: &mut Draw, kind: Kind, sizes: &[usize], least: usize) -> Operands {
    let mut role = |text, least| role(draw, sizes, text, least);
    let (batch, rows, keys) = (role("batch", 0), role("rows", least), role("keys", 1));
    let (positions, mut columns) = (role("positions", 1), role("columns", least));
    if let (Some(column), 0) = (columns.first_mut(), draw.below(3)) {
        column.0 = keys[0].0;
    }
    let mut tensor = |parts: &[&[(Name, usize)]]| tensor(draw, kind, parts);
    let queries = tensor(&[&batch, &rows, &keys]);
    let (k, v) = (tensor(&[&batch, &positions, &keys]), tensor(&[&positions, &batch, &columns]));
    let mask = tensor(&[&rows, &positions]);
    let names = |axes: &[(Name, usize)]| axes.iter().map(|&(name, _)| name).collect::<Vec<_>>();
    Operands { queries, k, v, mask, keys: names(&keys), positions: names(&positions) }
}

fn drawn(seed: u64, sizes: &[usize]) -> Drawn {
    let mut draw = Draw::new(seed);
    let kind = if seed.is_multiple_of(2) { Kind::F32 } else { Kind::F64 };
    let Operands { queries, k, v, mask, keys, positions } = operands(&mut draw, kind, sizes, 1);
    let mut scores = queries.contract(&k, &keys);
    let scale = Node::fill(kind, 3.0, Shape::default());
    match seed % 3 {
        0 => scores = scores.binary(Binary::Div, &scale),
        1 => scores = scale.binary(Binary::Mul, &scores),
        _ => {}
    }
    let masked = draw.below(2) == 0;
    if masked {
        scores = scores.binary(Binary::Add, &mask);
    }
    let weights = scores.softmax(&positions, false);
    let result = weights.contract(&v, &positions);
    Drawn { variables: vec![queries, k, v], weights, mask: masked.then_some(mask), result }
}

/// The gradients of half of the squares of what attention gives.
fn gradients(drawn: &Drawn, variables: &[Node]) -> Vec<Node> {
    let seeds = [(drawn.result.clone(), drawn.result.unary(Unary::Sin))];
    reverse(&seeds, variables, &[]).into_iter().flatten().collect()
}

fn steps_named(roots: &[Node], name: &str) -> usize {
    let steps = lower::schedule(&Trace::new(roots).unwrap()).steps;
    steps.iter().filter(|step| named(&step.action) == name).count()
}

#[test]
fn gradients_of_attention_are_one_step_with_the_same_numbers() {
    for seed in 0..400 {
        let drawn = drawn(seed, &[2, 3, 4, 5, 7]);
        let mut roots = gradients(&drawn, &drawn.variables);
        roots.rotate_left(seed as usize % 3);
        assert_eq!(steps_named(&roots, "attention gradient"), 1, "{}", describe(&roots).unwrap());
        assert_eq!(steps_named(&roots, "attention"), 1, "the results themselves, for their sines");
        both_ways(&roots, &format!("gradient of attention {seed}"));
    }
}

/// Attention with these scores is one step forwards and one backwards, and both have the numbers of the definition.
fn is_one_step(variables: [&Node; 3], scores: &Node, positions: &[Name], context: &str) {
    let weights = scores.softmax(positions, false);
    let result = weights.contract(variables[2], positions);
    let drawn = Drawn { variables: variables.map(Node::clone).to_vec(), weights, mask: None, result };
    let forward = std::slice::from_ref(&drawn.result);
    assert_eq!(steps_named(forward, "attention"), 1, "{}", describe(forward).unwrap());
    both_ways(forward, context);
    let owed = gradients(&drawn, &drawn.variables);
    assert_eq!(steps_named(&owed, "attention gradient"), 1, "{}", describe(&owed).unwrap());
    both_ways(&owed, &format!("gradient, {context}"));
}

#[test]
fn whatever_is_added_to_scores_or_taken_away_is_one_mask() {
    for seed in 0..120 {
        let mut draw = Draw::new(seed);
        let kind = if seed.is_multiple_of(2) { Kind::F32 } else { Kind::F64 };
        let Operands { queries, k, v, mask, keys, positions } = operands(&mut draw, kind, &[2, 3, 5, 7], 1);
        let mut scores = queries.contract(&k, &keys);
        if seed % 3 == 0 {
            scores = scores.binary(Binary::Div, &Node::fill(kind, 3.0, Shape::default()));
        }
        let only = |mask: &Node, keeps: bool| -> Vec<(Name, usize)> {
            mask.shape().iter().filter(|(name, _)| positions.contains(name) == keeps).collect()
        };
        let (of_keys, of_rows) = (only(&mask, true), only(&mask, false));
        let [bias, slope] = [of_keys, of_rows].map(|axes| tensor(&mut draw, kind, &[&axes]));
        let (add, sub) = (Binary::Add, Binary::Sub);
        let sums = [
            scores.binary(add, &mask).binary(add, &bias),
            bias.binary(add, &mask.binary(add, &scores)),
            scores.binary(sub, &mask),
            scores.binary(sub, &slope).binary(sub, &bias),
            slope.binary(add, &scores.binary(sub, &mask)).binary(sub, &bias).binary(add, &mask),
        ];
        for sum in sums {
            is_one_step([&queries, &k, &v], &sum, &positions, &format!("several masks {seed}"));
        }
    }
}

#[test]
fn a_number_in_place_of_some_scores_is_a_mask_whatever_it_is() {
    for seed in 0..160 {
        let mut draw = Draw::new(seed);
        let kind = if seed.is_multiple_of(2) { Kind::F32 } else { Kind::F64 };
        let Operands { queries, k, v, mask, keys, positions } = operands(&mut draw, kind, &[2, 3, 5, 7], 1);
        let mut scores = queries.contract(&k, &keys);
        if seed % 3 == 0 {
            scores = scores.binary(Binary::Div, &Node::fill(kind, 3.0, Shape::default()));
        }
        let scalar = |number: f64| Node::fill(kind, number, Shape::default());
        // Some rows are seen in full, and of some nothing is.
        let bound = scalar(*draw.of(&[-0.6, 0.0, 0.4, 0.9]));
        let condition = mask.compare(Comparison::Lt, &bound);
        for number in [f64::NEG_INFINITY, -1e9, -10.5, 2.0, -3.0] {
            let choice = condition.select(&scores, &scalar(number));
            let context = format!("{number} in place of scores {seed}");
            is_one_step([&queries, &k, &v], &choice, &positions, &context);
        }
        // A tensor in their place, and 0, are no mask, even if somebody writes the choice as it is made of a number.
        let other = stored(&mut draw, kind, Shape::default(), 1);
        let chosen = condition.select(&scalar(0.0), &other.binary(Binary::Mul, &scalar(0.0)));
        for other in [other, chosen, scalar(0.0)] {
            let weights = condition.select(&scores, &other).softmax(&positions, false);
            let result = weights.contract(&v, &positions);
            assert_eq!(steps_named(std::slice::from_ref(&result), "attention"), 0);
            both_ways(&[result], &format!("no mask {seed}"));
        }
    }
}

#[test]
fn a_number_in_place_of_scores_that_is_0_where_it_is_stored_is_no_mask() {
    for seed in 0..60 {
        let mut draw = Draw::new(seed);
        let kind = if seed.is_multiple_of(2) { Kind::F32 } else { Kind::F64 };
        let Operands { queries, k, v, mask, keys, positions } = operands(&mut draw, kind, &[2, 3, 5], 1);
        let scores = queries.contract(&k, &keys);
        let scalar = |number: f64| Node::fill(kind, number, Shape::default());
        let condition = mask.compare(Comparison::Lt, &scalar(0.1));
        // The first makes a plan; it is not that of the others.
        for number in [0.3, 1e-50, -1e-60, -0.0, 1e-320] {
            let result = condition.select(&scores, &scalar(number)).softmax(&positions, false).contract(&v, &positions);
            both_ways(&[result], &format!("{number} in place of scores {seed}"));
        }
    }
}

#[test]
fn only_the_gradients_that_are_asked_for_are_computed() {
    for seed in 0..200 {
        let drawn = drawn(seed, &[1, 2, 3, 5]);
        let some: Vec<Node> = drawn
            .variables
            .iter()
            .enumerate()
            .filter(|(i, _)| (1 + seed % 7) >> i & 1 == 1)
            .map(|(_, x)| x.clone())
            .collect();
        both_ways(&gradients(&drawn, &some), &format!("some gradients of attention {seed}"));
    }
}

#[test]
fn values_of_each_row_owe_the_same_gradients() {
    for seed in 0..60 {
        let mut draw = Draw::new(seed);
        let [rows, keys, positions, columns] =
            [4, 3, 5, 2].map(|size| (Name::declared("an axis").freshened(), size + draw.below(3)));
        let mut of = |axes: &[(Name, usize)]| tensor(&mut draw, Kind::F64, &[axes]);
        let (queries, k, v) = (of(&[rows, keys]), of(&[positions, keys]), of(&[rows, positions, columns]));
        let weights = queries.contract(&k, &[keys.0]).softmax(&[positions.0], false);
        let result = weights.contract(&v, &[positions.0]);
        let drawn = Drawn { variables: vec![queries, k, v], weights, mask: None, result };
        for some in [&drawn.variables[..1], &drawn.variables[1..2], &drawn.variables[..2], &drawn.variables[..]] {
            both_ways(&gradients(&drawn, some), &format!("values of each row {seed}"));
        }
    }
}

#[test]
fn weights_that_serve_anything_else_are_stored() {
    for seed in 0..100 {
        let drawn = drawn(seed, &[2, 3, 5]);
        let mut roots = gradients(&drawn, &drawn.variables);
        roots.push(drawn.weights.reduce(Reduction::Max, &drawn.weights.shape().names().take(1).collect::<Vec<_>>()));
        assert_eq!(steps_named(&roots, "attention gradient"), 0, "they are looked at");
        both_ways(&roots, &format!("weights of attention {seed}"));
        if let Some(mask) = &drawn.mask {
            let with_mask = [&drawn.variables[..], std::slice::from_ref(mask)].concat();
            let roots = gradients(&drawn, &with_mask);
            assert_eq!(steps_named(&roots, "attention gradient"), 0, "the mask is owed something too");
            both_ways(&roots, &format!("mask of attention {seed}"));
        }
    }
}

#[test]
fn second_derivatives_of_attention_have_the_same_numbers() {
    for seed in 0..60 {
        let drawn = drawn(seed, &[1, 2, 3]);
        let first = gradients(&drawn, &drawn.variables);
        let seeds: Vec<(Node, Node)> = first.iter().map(|x| (x.clone(), x.unary(Unary::Cos))).collect();
        let second: Vec<Node> = reverse(&seeds, &drawn.variables, &[]).into_iter().flatten().collect();
        both_ways(&[first, second].concat(), &format!("second derivative of attention {seed}"));
    }
}

#[test]
fn gradients_of_attention_need_memory_in_proportion_to_its_positions() {
    let held = |size: usize| {
        let [heads, seq, seq_, key, val] = ["heads", "seq", "seq_", "key", "val"].map(Name::declared);
        let tensor =
            |n, axes: &[(Name, usize)]| stored(&mut Draw::new(n), Kind::F32, Shape::new(axes.iter().copied()), 1);
        let variables = [
            tensor(1, &[(seq_, size), (heads, 2), (key, 4)]),
            tensor(2, &[(seq, size), (heads, 2), (key, 4)]),
            tensor(3, &[(seq, size), (heads, 2), (val, 4)]),
        ];
        let [q, k, v] = &variables;
        let result = q.contract(k, &[key]).softmax(&[seq], false).contract(v, &[seq]);
        let seeds = [(result.clone(), result.clone())];
        let roots: Vec<Node> = reverse(&seeds, &variables, &[]).into_iter().flatten().collect();
        lower::schedule(&Trace::new(&roots).unwrap()).slots.iter().map(|slot| slot.size).sum::<usize>()
    };
    assert_eq!(held(2000), 2 * held(1000), "nothing is as large as the weights");
}

#[test]
fn attention_inside_of_windows_of_pictures_is_one_step_though_it_has_nine_axes() {
    let named = |names: [&'static str; 4], sizes: [usize; 4]| {
        let axes: Vec<_> = names.map(|name| Name::declared(name).freshened()).into_iter().zip(sizes).collect();
        axes
    };
    let outer = named(["batch", "down", "across", "heads"], [2, 2, 3, 2]);
    let inner = named(["y", "x", "y_", "x_"], [3, 4, 3, 4]);
    let features = named(["key", "val", "more", "most"], [5, 6, 2, 2]);
    let mut draw = Draw::new(4);
    let mut of = |axes: &[&[(Name, usize)]]| stored(&mut draw, Kind::F64, Shape::new(axes.concat()), 1);
    let (q, k) = (of(&[&outer, &inner[2..], &features[..1]]), of(&[&outer, &inner[..2], &features[..1]]));
    let (v, mask) = (of(&[&outer, &inner[..2], &features[1..2]]), of(&[&outer[1..3], &inner]));
    let positions = [inner[0].0, inner[1].0];
    let weights = q.contract(&k, &[features[0].0]).binary(Binary::Add, &mask).softmax(&positions, false);
    let result = weights.contract(&v, &positions);
    assert_eq!(steps_named(std::slice::from_ref(&result), "attention"), 1);
    let drawn = Drawn { variables: vec![q.clone(), k.clone(), v], weights, mask: Some(mask), result };
    let roots = gradients(&drawn, &drawn.variables);
    assert_eq!(steps_named(&roots, "attention gradient"), 1);
    both_ways(&[&roots[..], std::slice::from_ref(&drawn.result)].concat(), "windows of pictures");
    // Values with so many axes of their own are a product.
    let more: Vec<_> = (0..10).map(|_| (Name::declared("own").freshened(), 1)).collect();
    let values = of(&[&outer, &inner[..2], &more]);
    let many = drawn.weights.contract(&values, &positions);
    assert_eq!(steps_named(std::slice::from_ref(&many), "attention"), 0);
    both_ways(&[many], "values of many axes");
}

#[test]
fn attention_of_any_axes_and_layouts_is_one_step_with_the_same_numbers() {
    for seed in 0..600 {
        let mut draw = Draw::new(seed);
        let kind = if seed % 2 == 0 { Kind::F32 } else { Kind::F64 };
        let Operands { queries, k, v, mask, keys, positions } = operands(&mut draw, kind, &[1, 2, 3, 4, 5, 7], 0);
        let mut scores = if draw.below(2) == 0 { queries.contract(&k, &keys) } else { k.contract(&queries, &keys) };
        let scale = Node::fill(kind, 2.0, Shape::default());
        match draw.below(3) {
            0 => scores = scores.binary(Binary::Div, &scale),
            1 => scores = scale.binary(Binary::Mul, &scores),
            _ => {}
        }
        if draw.below(2) == 0 {
            scores =
                if draw.below(2) == 0 { scores.binary(Binary::Add, &mask) } else { mask.binary(Binary::Add, &scores) };
        }
        let weights = scores.softmax(&positions, false);
        let result = v.contract(&weights, &positions);
        let roots = [result];
        let steps = lower::schedule(&Trace::new(&roots).unwrap()).steps;
        assert!(steps.iter().any(|step| named(&step.action) == "attention"), "{:?}", roots);
        both_ways(&roots, &format!("attention {seed}"));
    }
}

#[test]
fn what_resembles_attention_has_the_same_numbers_whatever_axes_meet_again() {
    for seed in 0..600 {
        let mut draw = Draw::new(seed);
        let [b, r, k, p, c] =
            ["batch", "rows", "keys", "positions", "columns"].map(|text| Name::declared(text).freshened());
        let sizes: Vec<(Name, usize)> = [b, r, k, p, c].iter().map(|&name| (name, *draw.of(&[1, 2, 3, 5]))).collect();
        // Every operand may have any axis; what must be there to contract is added. The key axis may have another size
        // in the values than in queries and keys, where it has been summed away.
        let mut tensor = |needed: &[Name], key_size: Option<usize>| {
            let mut axes: Vec<(Name, usize)> =
                sizes.iter().copied().filter(|(name, _)| needed.contains(name) || draw.below(3) == 0).collect();
            axes.iter_mut().filter(|(name, _)| *name == k).for_each(|(_, size)| *size = key_size.unwrap_or(*size));
            stored(&mut draw, Kind::F64, Shape::new(axes), 1)
        };
        let (queries, keys) = (tensor(&[k], None), tensor(&[k, p], None));
        let other = 1 + seed as usize % 4;
        let (values, mask) = (tensor(&[p], Some(other)), tensor(&[], Some(other)));
        let scores = queries.contract(&keys, &[k]);
        let scores = if seed % 3 == 0 { scores.binary(Binary::Add, &mask) } else { scores };
        if scores.shape().has(p) {
            let weights = scores.softmax(&[p], false);
            let sum = if seed % 2 == 0 { weights.contract(&values, &[p]) } else { values.contract(&weights, &[p]) };
            both_ways(&[sum], &format!("like attention {seed}"));
        }
    }
}

#[test]
fn weights_that_are_summed_over_rows_first_owe_what_depends_on_that_sum() {
    let mut draw = Draw::new(7);
    let [seq, chans, key] = [("seq", 12), ("chans", 5), ("key", 7)].map(|(text, size)| (Name::declared(text), size));
    let x = stored(&mut draw, Kind::F64, Shape::new([seq, chans]), 1);
    let w = stored(&mut draw, Kind::F64, Shape::new([chans, key]), 1);
    let q = stored(&mut draw, Kind::F64, Shape::new([key]), 1);
    let sums = x.contract(&w, &[chans.0]).softmax(&[seq.0], false).contract(&q, &[key.0]);
    for cotangent in [sums.unary(Unary::Sin), stored(&mut draw, Kind::F64, Shape::new([seq]), 1)] {
        let owed = reverse(&[(sums.clone(), cotangent)], &[x.clone(), w.clone(), q.clone()], &[]);
        let owed: Vec<Node> = owed.into_iter().flatten().collect();
        both_ways(&owed, "what is owed");
        both_ways(&[&[sums.clone()][..], &owed].concat(), "and the sums");
    }
}

#[test]
fn two_attentions_that_read_each_others_sums_over_rows_are_no_ring() {
    let mut draw = Draw::new(7);
    let [row, pos, key, val] = [("row", 2), ("pos", 3), ("key", 2), ("val", 2)].map(|(t, s)| (Name::declared(t), s));
    let mut some = |axes: &[(Name, usize)]| stored(&mut draw, Kind::F64, Shape::new(axes.iter().copied()), 1);
    let [wa, wb] = [0, 1].map(|_| some(&[row, key]).contract(&some(&[pos, key]), &[key.0]).softmax(&[pos.0], false));
    let [ra, rb] = [wa.contract(&some(&[row, val]), &[row.0]), wb.contract(&some(&[row, val]), &[row.0])];
    let both = [wa.contract(&rb.unary(Unary::Sin), &[pos.0]), wb.contract(&ra.unary(Unary::Sin), &[pos.0])];
    both_ways(&both, "a ring of two");
}

/// Multi-token attention (Golovneva et al., 2025): scores are convolved before they are softened.
#[test]
fn scores_that_are_sums_over_windows_are_no_attention_of_windows() {
    let [heads, row, seq, near, far, val] = ["heads", "row", "seq", "near", "far", "val"].map(Name::declared);
    let mut draw = Draw::new(1);
    let mut some = |axes: &[(Name, usize)]| stored(&mut draw, Kind::F64, Shape::new(axes.iter().copied()), 1);
    let (s, w) = (some(&[(heads, 2), (row, 20), (seq, 30)]), some(&[(heads, 2), (far, 3), (near, 4)]));
    let v = some(&[(heads, 2), (seq, 27), (val, 5)]);
    let windows = s.window(row, far, 3, 1).window(seq, near, 4, 1);
    let root = w.contract(&windows, &[far, near]).softmax(&[seq], false).contract(&v, &[seq]);
    assert_eq!(steps_named(std::slice::from_ref(&root), "attention"), 0, "{}", describe(&[root]).unwrap());
    let owed = reverse(&[(root.clone(), root.unary(Unary::Tanh))], &[s, w, v], &[]).into_iter().flatten();
    let both: Vec<Node> = [root].into_iter().chain(owed).collect();
    both_ways(&both, "scores in windows");
}
