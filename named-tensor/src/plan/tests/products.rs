//! Products of several tensors in another order than the graph's, against the plain evaluation.
//!
//! Lives here: random products and their gradients, and what goes into several products. Not here: which order is the best
//! one (`order`).

use super::several::dense;
mod again;
mod between;
mod ones;
mod terms;

use super::*;

const A: Name = Name::declared("a");
const B: Name = Name::declared("b");
const C: Name = Name::declared("c");
const D: Name = Name::declared("d");

/// A product of several tensors, by pairs in any order, and the tensors.
fn drawn(draw: &mut Draw, kind: Kind) -> (Node, Vec<Node>) {
    let sizes: Vec<(Name, usize)> = NAMES.iter().map(|&name| (name, *draw.of(&[1, 2, 3, 9]))).collect();
    let leaves: Vec<Node> = (0..3 + draw.below(4))
        .map(|_| {
            let axes: Vec<_> = sizes.iter().copied().filter(|_| draw.below(2) == 0).collect();
            stored(draw, kind, Shape::new(axes), 1)
        })
        .collect();
    let mut tensors = leaves.clone();
    while tensors.len() > 1 {
        let left = tensors.swap_remove(draw.below(tensors.len()));
        let right = tensors.swap_remove(draw.below(tensors.len()));
        // Most axes are summed when nobody else has them; now and then a name comes again, as another axis.
        let elsewhere = |name| tensors.iter().any(|other| other.shape().has(name));
        let mut is_summed = |name| right.shape().has(name) && draw.below(8) >= if elsewhere(name) { 7 } else { 1 };
        let summed: Vec<Name> = left.shape().names().filter(|&name| is_summed(name)).collect();
        tensors.push(left.contract(&right, &summed));
    }
    (tensors.remove(0), leaves)
}

/// What some nodes are owed by a root.
fn owed(root: &Node, of: &[Node]) -> Vec<Node> {
    graph::calculus::reverse(&[(root.clone(), root.unary(Unary::Tanh))], of, &[]).into_iter().flatten().collect()
}

/// The most numbers that a step writes.
fn most(roots: &[Node]) -> usize {
    let schedule = lower::schedule(&Trace::new(roots).unwrap());
    schedule.steps.iter().map(|step| schedule.slots[step.out as usize].size).max().unwrap_or(0)
}

/// What each leaf is owed when the root is owed something, and the root itself.
fn with_gradients(root: &Node, owed: &Node, leaves: &[Node]) -> Vec<Node> {
    let owed = graph::calculus::reverse(&[(root.clone(), owed.clone())], leaves, &[]);
    owed.into_iter().flatten().chain([root.clone()]).collect()
}

/// Multiplications of all products of the plan, and the numbers of its largest buffer.
fn work(roots: &[Node]) -> [usize; 2] {
    let schedule = lower::schedule(&Trace::new(roots).unwrap());
    let products = schedule.steps.iter().filter_map(|step| match &step.action {
        Action::Product { batch, rows, columns, inner, .. } => {
            Some(batch.iter().chain([rows, columns, inner]).map(|axis| axis.size).product::<usize>())
        }
        _ => None,
    });
    [products.sum(), schedule.slots.iter().map(|slot| slot.size).max().unwrap()]
}

#[test]
fn products_of_several_tensors_have_the_same_numbers_in_any_order() {
    let mut reordered = 0;
    for seed in 0..600 {
        let mut draw = Draw::new(seed);
        let kind = if seed % 3 == 0 { Kind::F32 } else { Kind::F64 };
        let roots = [drawn(&mut draw, kind).0];
        reordered += order::reordered(&Trace::new(&roots).unwrap()).len();
        both_ways(&roots, &format!("product {seed}"));
    }
    assert!(reordered > 50, "many orders are changed: {reordered}");
}

#[test]
fn products_and_their_gradients_have_the_same_numbers_in_any_order() {
    let mut reordered = 0;
    for seed in 0..600 {
        let mut draw = Draw::new(seed);
        let (root, leaves) = drawn(&mut draw, Kind::F64);
        let owed = stored(&mut draw, Kind::F64, root.shape().clone(), 1);
        let roots = with_gradients(&root, &owed, &leaves);
        reordered += order::reordered(&Trace::new(&roots).unwrap()).len();
        both_ways(&roots, &format!("gradients of product {seed}"));
    }
    assert!(reordered > 50, "many orders are changed: {reordered}");
}

#[test]
fn a_chain_and_its_gradients_need_no_product_that_is_larger_than_what_is_multiplied() {
    let leaves = [dense(1, &[(A, 90), (B, 4)]), dense(2, &[(B, 4), (C, 80)]), dense(3, &[(C, 80), (D, 5)])];
    let root = leaves[0].contract(&leaves[1], &[B]).contract(&leaves[2], &[C]);
    let roots = with_gradients(&root, &dense(4, &[(A, 90), (D, 5)]), &leaves);
    // `B C` and `Aᵀ G` are there once, for two products each.
    let wanted = 2 * 4 * 80 * 5 + 2 * 90 * 4 * 5 + 4 * 80 * 5 + 90 * 4 * 5;
    assert_eq!(work(&roots), [wanted, 90 * 5], "{}", describe(&roots).unwrap());
    both_ways(&roots, "a chain with its gradients");
}

#[test]
fn chains_that_are_too_long_to_be_ordered_as_a_whole_and_their_gradients_have_the_same_numbers() {
    for seed in 0..30 {
        let mut draw = Draw::new(seed);
        let names: Vec<Name> = (0..16).map(|_| A.freshened()).collect();
        let axes: Vec<(Name, usize)> = names.into_iter().map(|name| (name, *draw.of(&[1, 2, 3, 30]))).collect();
        let leaves: Vec<Node> =
            axes.windows(2).map(|pair| stored(&mut draw, Kind::F64, Shape::new(pair.iter().copied()), 1)).collect();
        let product = |left: Node, (right, axis): (&Node, &(Name, usize))| left.contract(right, &[axis.0]);
        let root = leaves[1..].iter().zip(&axes[1..]).fold(leaves[0].clone(), product);
        let owed = stored(&mut draw, Kind::F64, root.shape().clone(), 1);
        assert!(both_ways(&with_gradients(&root, &owed, &leaves), &format!("chain {seed}")).is_some());
    }
}

#[test]
fn attention_without_a_softmax_and_what_it_owes_hold_nothing_as_large_as_its_scores() {
    let [q, k, v] = [(1, A, C), (2, B, C), (3, B, D)].map(|(seed, seq, axis)| dense(seed, &[(seq, 100), (axis, 6)]));
    let root = q.contract(&k, &[C]).contract(&v, &[B]);
    let roots = with_gradients(&root, &dense(4, &[(A, 100), (D, 6)]), &[q, k, v]);
    assert_eq!(work(&roots)[1], 100 * 6, "{}", describe(&roots).unwrap());
    both_ways(&roots, "attention without a softmax");
}

#[test]
fn what_somebody_else_needs_is_computed_as_it_is() {
    let [x, y, z] = [(1, A, B, 90, 4), (2, B, C, 4, 80), (3, C, D, 80, 5)]
        .map(|(seed, left, right, m, n)| dense(seed, &[(left, m), (right, n)]));
    let large = x.contract(&y, &[B]);
    let [one, other] = [large.contract(&z, &[C]), large.contract(&dense(4, &[(A, 90), (D, 5)]), &[A])];
    let apart = work(&[one.clone(), other.clone()])[0];
    let of_all = |roots: &[Node]| (work(roots)[0], describe(roots).unwrap());
    let (multiplications, plan) = of_all(&[one.clone(), other.clone(), large.unary(Unary::Exp)]);
    assert_eq!(multiplications, 90 * 4 * 80 + 2 * 90 * 80 * 5, "with a user that is no contraction: {plan}");
    let (multiplications, plan) = of_all(&[one.clone(), other.clone(), large.clone()]);
    assert_eq!(multiplications, 90 * 4 * 80 + 2 * 90 * 80 * 5, "wanted itself: {plan}");
    assert!(apart < multiplications / 10, "with users that are: {apart}");
    both_ways(&[one, other, large], "what somebody else needs");
}

#[test]
fn a_product_that_is_as_small_as_its_factors_is_shared() {
    let [x, y] = [(1, A, 30), (2, C, 40)].map(|(seed, axis, size)| dense(seed, &[(axis, size), (B, 50)]));
    let small = x.contract(&y, &[B]);
    let roots =
        [(3, A, 30), (4, C, 40)].map(|(seed, axis, size)| small.contract(&dense(seed, &[(axis, size)]), &[axis]));
    // Each vector could pass through both matrices; together that is less than the product and its two users.
    assert_eq!(work(&roots)[0], 2 * (30 * 50 + 50 * 40), "{}", describe(&roots).unwrap());
    // Of twelve vectors each user alone would take less without the product, and both together more; of sixty each as well.
    for vectors in [12, 60] {
        let roots = [(3, A, 30), (4, C, 40)]
            .map(|(seed, axis, size)| small.contract(&dense(seed, &[(axis, size), (D, vectors)]), &[axis]));
        assert_eq!(work(&roots)[0], 30 * 50 * 40 + 2 * 30 * 40 * vectors, "{}", describe(&roots).unwrap());
        both_ways(&roots, "a product that is shared");
    }
}

#[test]
fn pairs_of_the_same_tensors_that_sum_other_axes_are_two() {
    let (x, y) = (dense(1, &[(A, 20), (B, 30), (D, 6)]), dense(2, &[(A, 20), (B, 30)]));
    let of = |seed: u64, axis: Name, size: usize| {
        let w = dense(seed, &[(axis, size), (C, 40), (D, 6)]);
        x.contract(&w, &[D]).contract(&y, &[A, B])
    };
    let roots = [of(3, B, 30), of(4, A, 20)];
    let wanted = 2 * 20 * 30 * 6 + 40 * 6 * (30 + 20);
    assert_eq!(work(&roots)[0], wanted, "x and y come first in both: {}", describe(&roots).unwrap());
    assert!(both_ways(&roots, "sums of one product over other axes").is_some());
}

#[test]
fn beside_a_softmax_nothing_is_taken_apart() {
    // With the weights of values first, values of 40 numbers would be taken from tokens of 3; so would queries and keys.
    let [seq, seq_, chans, key, val] = ["seq", "seq_", "chans", "key", "val"].map(Name::declared);
    let tokens = dense(1, &[(seq, 70), (chans, 3)]);
    let [wq, wk, wv] = [(2, key), (3, key), (4, val)].map(|(seed, axis)| dense(seed, &[(chans, 3), (axis, 40)]));
    let q = tokens.rename(&[(seq, seq_)]).contract(&wq, &[chans]);
    let (k, v) = (tokens.contract(&wk, &[chans]), tokens.contract(&wv, &[chans]));
    let root = q.contract(&k, &[key]).softmax(&[seq], false).contract(&v, &[seq]);
    let roots = with_gradients(&root, &dense(5, &[(seq_, 70), (val, 40)]), &[tokens, wq, wk, wv]);
    let steps = lower::schedule(&Trace::new(&roots).unwrap()).steps;
    let is_whole = |step: &schedule::Step| matches!(step.action, Action::AttentionGradient { .. });
    assert!(steps.iter().any(is_whole), "{}", describe(&roots).unwrap());
    both_ways(&roots, "attention of narrow tokens");
}

#[test]
fn a_sum_with_a_weight_for_each_row_is_a_product_and_one_of_equal_tensors_is_not() {
    let (x, w) = (dense(1, &[(A, 90), (B, 70)]), dense(2, &[(A, 90)]));
    let sum = |x: &Node, y: &Node| [x.binary(Binary::Mul, y).reduce(Reduction::Sum, &[A])];
    let (rows, squares) = (sum(&x, &w), sum(&x, &dense(3, &[(A, 90), (B, 70)])));
    assert_eq!(work(&rows)[0], 90 * 70, "{}", describe(&rows).unwrap());
    assert_eq!(work(&squares)[0], 0, "{}", describe(&squares).unwrap());
    let repeated = sum(&x, &dense(4, &[(B, 70)]));
    assert_eq!(
        work(&repeated)[0],
        0,
        "the rows are summed, whatever weighs the columns: {}",
        describe(&repeated).unwrap()
    );
    [rows, squares, repeated].iter().for_each(|roots| assert!(both_ways(roots, "weighted sums").is_some()));
}

/// What the steps of a plan do.
fn actions(root: &Node) -> Vec<&'static str> {
    let steps = lower::schedule(&Trace::new(std::slice::from_ref(root)).unwrap()).steps;
    steps.iter().map(|step| named(&step.action)).collect()
}

#[test]
fn rows_with_rows_that_lie_across_them_are_multiplied_and_summed_and_the_sums_are_scaled() {
    let (x, y) = (dense(1, &[(A, 40), (B, 30)]), dense(2, &[(B, 30), (A, 40)]));
    let scale = || stored(&mut Draw::new(3), Kind::F32, Shape::default(), 1);
    let sum = || x.contract(&y, &[B]);
    let scaled = [
        sum().binary(Binary::Div, &scale()),
        sum().binary(Binary::Mul, &scale()),
        scale().binary(Binary::Mul, &sum()),
        sum().binary(Binary::Div, &Node::fill(Kind::F32, 0.3, Shape::default())),
        sum().binary(Binary::Mul, &Node::fill(Kind::F32, 2.0, Shape::default())),
    ];
    for (way, root) in scaled.iter().enumerate() {
        assert_eq!(actions(root), ["map", "reduce", "map"], "way {way}");
        let more = root.binary(Binary::Add, &dense(4, &[(A, 40)])).unary(Unary::Relu);
        assert_eq!(actions(&more), ["map", "reduce", "map"], "way {way}: what follows is one pass with the scale");
        assert!(both_ways(&[root.clone(), more], &format!("way {way}")).is_some());
    }
}

#[test]
fn rows_with_rows_in_any_layout_have_the_same_numbers_when_their_sums_are_scaled() {
    let (mut apart, mut compared) = (0, 0);
    for seed in 0..1500 {
        let mut draw = Draw::new(500_000 + seed);
        let draw = &mut draw;
        let kind = if draw.below(2) == 0 { Kind::F32 } else { Kind::F64 };
        let axes: Vec<(Name, usize)> =
            [A, B, C, D].into_iter().take(1 + draw.below(4)).map(|name| (name, *draw.of(&[1, 2, 3, 9, 20]))).collect();
        let operand = |draw: &mut Draw| {
            let shape = Shape::new(axes.iter().copied().filter(|_| draw.below(10) > 0));
            match draw.below(8) {
                0 if kind == Kind::F32 => stored(draw, Kind::Bf16, shape, 1).cast(kind),
                _ => stored(draw, kind, shape, 1),
            }
        };
        let (x, y, scale) = (operand(draw), operand(draw), stored(draw, kind, Shape::default(), 1));
        let over = draw.subset(x.shape().names().filter(|&name| y.shape().has(name)));
        let sum = x.contract(&y, &over);
        let scaled = match draw.below(3) {
            0 => sum.binary(Binary::Div, &scale),
            1 => sum.binary(Binary::Mul, &scale),
            _ => scale.binary(Binary::Mul, &sum),
        };
        let root = match draw.below(4) {
            0 => scaled.binary(Binary::Add, &operand(draw)).unary(Unary::Tanh),
            1 => scaled.unary(Unary::Relu).contract(&operand(draw), &[]),
            _ => scaled,
        };
        let actions = actions(&root);
        apart += usize::from(actions.contains(&"reduce") && !actions.contains(&"scaled product"));
        compared += both_ways(&[root], &format!("seed {seed}: {x:?} and {y:?} over {over:?}")).unwrap_or(0);
    }
    assert!(apart > 100 && compared > 50_000, "{apart} are summed apart, {compared} numbers");
}

/// A sum over a product of several tensors in words of the language: products, sums and contractions of random parts.
fn written_apart(draw: &mut Draw, kind: Kind) -> (Node, Vec<Node>) {
    let sizes: Vec<(Name, usize)> = NAMES.iter().map(|&name| (name, *draw.of(&[1, 2, 3, 9]))).collect();
    let leaves: Vec<Node> = (0..2 + draw.below(4))
        .map(|_| {
            let axes: Vec<_> = sizes.iter().copied().filter(|_| draw.below(2) == 0).collect();
            stored(draw, kind, Shape::new(axes), 1)
        })
        .collect();
    let mut tensors = leaves.clone();
    let summed = |draw: &mut Draw, node: Node, others: &[Node]| {
        let is_free = |name: Name| others.iter().all(|other| !other.shape().has(name));
        let axes: Vec<Name> = node.shape().names().filter(|&name| is_free(name) && draw.below(2) == 0).collect();
        if axes.is_empty() { node } else { node.reduce(Reduction::Sum, &axes) }
    };
    while tensors.len() > 1 {
        let left = tensors.swap_remove(draw.below(tensors.len()));
        let right = tensors.swap_remove(draw.below(tensors.len()));
        let product = left.binary(Binary::Mul, &right);
        // Some are used twice.
        let product = if draw.below(6) == 0 { product.binary(Binary::Mul, &product) } else { product };
        tensors.push(if draw.below(2) == 0 { summed(draw, product, &tensors) } else { product });
    }
    let last = tensors.remove(0);
    (summed(draw, last, &[]), leaves)
}

#[test]
fn sums_and_products_that_are_written_apart_have_the_same_numbers_in_any_order() {
    let (mut counts, mut reordered) = ([0; 2], 0);
    for seed in 0..600 {
        let mut draw = Draw::new(seed);
        let kind = if seed % 3 == 0 { Kind::F32 } else { Kind::F64 };
        let (root, leaves) = written_apart(&mut draw, kind);
        let context = format!("seed {seed}");
        reordered += usize::from(!order::reordered(&Trace::new(std::slice::from_ref(&root)).unwrap()).is_empty());
        counts[0] += both_ways(std::slice::from_ref(&root), &context).unwrap_or(0);
        let owed = stored(&mut draw, kind, root.shape().clone(), 1);
        counts[1] += both_ways(&with_gradients(&root, &owed, &leaves), &context).unwrap_or(0);
    }
    assert!(counts[0] > 10_000 && counts[1] > 20_000 && reordered > 60, "{counts:?}, {reordered} in another order");
}

#[test]
fn a_sum_over_several_axes_of_a_product_of_several_tensors_is_made_of_contractions() {
    // Σ_ab X * W * Y
    let [x, w, y] = [[(C, 30), (A, 20)], [(A, 20), (B, 25)], [(B, 25), (D, 40)]].map(|axes| dense(1, &axes));
    let product = x.binary(Binary::Mul, &w).binary(Binary::Mul, &y);
    let sum = [product.reduce(Reduction::Sum, &[A, B])];
    let [multiplied, largest] = work(&sum);
    assert!(multiplied <= 30 * 20 * 25 + 30 * 25 * 40 && largest <= 30 * 40, "{}", describe(&sum).unwrap());
    both_ways(&sum, "a bilinear form");
    // What one factor alone has is summed before: Σ_ab X² * V²
    let v = dense(2, &[(A, 20), (B, 25)]);
    let squares = [x.binary(Binary::Mul, &x).binary(Binary::Mul, &v.binary(Binary::Mul, &v))];
    let sum = [squares[0].reduce(Reduction::Sum, &[A, B])];
    assert!(work(&sum)[1] <= 30 * 20, "{}", describe(&sum).unwrap());
    both_ways(&sum, "an axis of one factor");
    // A product that two sums need, of which each is a contraction.
    let shared = x.binary(Binary::Mul, &w);
    let sums = [shared.reduce(Reduction::Sum, &[A]), shared.reduce(Reduction::Sum, &[C])];
    assert!(work(&sums)[1] <= 30 * 25, "{}", describe(&sums).unwrap());
    both_ways(&sums, "two sums");
    // One that is a result itself is there, and read.
    both_ways(&[sums[0].clone(), sums[1].clone(), shared], "with the product");
}

#[test]
fn a_weighed_sum_of_large_outer_products_makes_none_of_them() {
    let [x, owed] = [(1, B, 30), (2, C, 40)].map(|(seed, axis, size)| dense(seed, &[(A, 50), (axis, size)]));
    let each = x.contract(&owed, &[]);
    let renamed = each.rename(&[(A, D)]);
    let length = each.binary(Binary::Mul, &each).reduce(Reduction::Sum, &[B, C]);
    let weight = length.unary(Unary::Exp).rename(&[(A, D)]);
    let sums = [
        // As the examples of a batch are summed, each shortened to a length; and what does not sum the batch at all.
        renamed.contract(&weight, &[D]),
        each.contract(&dense(3, &[(C, 40)]), &[C]),
        each.contract(&dense(4, &[(B, 30), (A, 50)]), &[A, B]),
    ];
    for (which, sum) in sums.iter().enumerate() {
        let plan = || describe(std::slice::from_ref(sum)).unwrap();
        assert!(work(std::slice::from_ref(sum))[1] <= 50 * 40, "sum {which}: {}", plan());
        both_ways(std::slice::from_ref(sum), &format!("sum {which}"));
    }
    // What is wanted itself is there, and its sum is still one of the factors.
    both_ways(&[sums[0].clone(), each], "with all of them");
}

#[test]
fn a_long_chain_of_products_above_one_that_is_shared_is_planned() {
    let one = Node::fill(Kind::F64, 1.0, Shape::default());
    let [x, y] = [(A, 4), (B, 3)].map(|axis| stored(&mut Draw::new(1), Kind::F64, Shape::new([axis]), 1));
    let product = x.binary(Binary::Mul, &y);
    let mut chain = product.binary(Binary::Mul, &product);
    for _ in 0..100_000 {
        chain = chain.binary(Binary::Mul, &one);
    }
    assert!(evaluate(&[chain]).is_ok(), "it has numbers");
}

#[test]
fn a_stored_matrix_and_more_axes_than_kernels_take_are_multiplied_plainly() {
    let ones = (0..LARGEST_RANK).map(|_| (A.freshened(), 1));
    let x = stored(&mut Draw::new(1), Kind::F64, Shape::new(ones.chain([(B, 3)])), 1);
    let matrix = stored(&mut Draw::new(2), Kind::Bf16, Shape::new([(B, 3), (C, 2)]), 1).cast(Kind::F64);
    both_ways(&[x.contract(&matrix, &[B])], "many axes");
}
