//! What looks like something that is rewritten or fused and is not: planned and plain, the same numbers.
//!
//! Lives here: one graph or a few for each condition of a rewriting. Not here: the rewritings where they are right (the other
//! files), random graphs (`draw`).

use super::*;
use crate::element::Comparison;

const A: Name = Name::declared("a");
const B: Name = Name::declared("b");
const C: Name = Name::declared("c");
const D: Name = Name::declared("d");

fn tensor(seed: u64, kind: Kind, axes: &[(Name, usize)]) -> Node {
    stored(&mut Draw::new(seed), kind, Shape::new(axes.iter().copied()), 50)
}

fn number(value: f64) -> Node {
    Node::fill(Kind::F64, value, Shape::default())
}

#[track_caller]
fn same(roots: &[Node], context: &str) {
    assert!(both_ways(roots, context).is_some(), "{context} has numbers");
}

#[test]
fn a_number_divided_by_a_contraction_is_not_the_contraction_divided_by_it() {
    let (x, y) = (tensor(1, Kind::F64, &[(A, 3), (B, 4)]), tensor(2, Kind::F64, &[(B, 4), (C, 5)]));
    let by = || tensor(3, Kind::F64, &[]);
    same(&[by().binary(Binary::Div, &x.contract(&y, &[B]))], "a number by a contraction");
    same(&[x.contract(&y, &[B]).binary(Binary::Div, &by())], "a contraction by a number");
}

#[test]
fn a_sum_of_nothing_is_zero_before_it_is_scaled() {
    let (x, y) = (tensor(1, Kind::F64, &[(A, 3), (B, 0)]), tensor(2, Kind::F64, &[(B, 0), (C, 5)]));
    let product = || x.contract(&y, &[B]);
    let zero = tensor(3, Kind::F64, &[]).binary(Binary::Mul, &number(0.0));
    same(&[product().binary(Binary::Div, &zero)], "0 / 0");
    same(&[product().binary(Binary::Mul, &number(f64::INFINITY))], "0 · ∞");
}

#[test]
fn a_choice_between_a_tensor_and_itself_tells_what_is_wrong_in_its_condition() {
    let table = || tensor(1, Kind::F64, &[(A, 3)]);
    let x = || tensor(2, Kind::F64, &[(B, 40)]);
    let w = || tensor(3, Kind::F64, &[(B, 80), (C, 30)]);
    for (position, is_there) in [(2.0, true), (3.0, false)] {
        let at = Node::fill(Kind::Index, position, Shape::new([(D, 50)]));
        let read = [table().gather(A, &at), table().dynamic_slice(A, 1, &at.at(D, 0)).at(A, 0)];
        for (way, read) in read.iter().enumerate() {
            let context = format!("position {position}, way {way}");
            let condition = read.unary(Unary::Exp).compare(Comparison::Lt, &number(0.5));
            let chosen = condition.select(&x(), &x());
            assert_eq!(both_ways(std::slice::from_ref(&chosen), &context).is_some(), is_there, "{context}");
            let x = x();
            let chosen = condition.select(&x, &x);
            assert_eq!(both_ways(std::slice::from_ref(&chosen), &context).is_some(), is_there, "{context}, one node");
            let joined = chosen.concat(B, &chosen.unary(Unary::Neg)).contract(&w(), &[B]);
            assert_eq!(both_ways(&[joined], &context).is_some(), is_there, "{context}, joined");
        }
    }
    let singular = Node::fill(Kind::F64, 1.0, Shape::new([(A, 3), (D, 3)])).inverse(A, D);
    let x = x();
    let chosen = singular.compare(Comparison::Lt, &number(0.5)).select(&x, &x);
    assert!(both_ways(&[chosen], "a matrix without an inverse").is_none(), "it is told");
    let free = x.compare(Comparison::Lt, &number(0.5)).select(&x, &x);
    assert_eq!(kept(std::slice::from_ref(&free)).steps.len(), 0, "what cannot be wrong is not computed");
}

#[test]
fn the_first_of_another_axis_than_the_sorted_one_is_no_extreme() {
    let x = || tensor(1, Kind::F64, &[(A, 5), (B, 4)]);
    for descending in [false, true] {
        same(&[x().argsort(A, descending).at(B, 0)], "an order of one column");
        same(&[x().argsort(A, descending).slice(B, 0..1, 1)], "the same, its axis kept");
        same(&[x().sort(A, descending).slice(B, 0..2, 1)], "two sorted columns");
        same(&[x().argsort(A, descending).at(A, 0), x().sort(A, descending).slice(A, 0..2, 1)], "the first ones");
    }
}

#[test]
fn the_first_of_sorted_positions_and_truth_values_are_those_of_the_definition() {
    for kind in [Kind::Index, Kind::Bool] {
        let x = || tensor(1, kind, &[(A, 5), (B, 4)]);
        same(&[x().argsort(A, true).at(A, 0)], "the place of the largest");
        same(&[x().sort(A, false).slice(A, 0..2, 1)], "the two smallest");
    }
}

#[test]
fn sums_of_products_of_positions_are_taken_as_sums() {
    let (x, y) = (tensor(1, Kind::Index, &[(A, 5), (B, 4)]), tensor(2, Kind::Index, &[(A, 5), (C, 6)]));
    let product = x.binary(Binary::Mul, &y);
    same(&[product.reduce(Reduction::Sum, &[A])], "positions");
    let (u, v) = (tensor(3, Kind::Index, &[(A, 20)]), tensor(4, Kind::Index, &[(B, 20)]));
    let difference = u.binary(Binary::Sub, &v);
    same(
        &[difference.reduce(Reduction::Sum, &[A]), difference.reduce(Reduction::Max, &[B])],
        "differences of positions",
    );
}

#[test]
fn steps_on_positions_and_truth_values_are_not_joined() {
    for (kind, function) in [(Kind::Index, Binary::Add), (Kind::Bool, Binary::And)] {
        let x = tensor(1, kind, &[(A, 40), (B, 30)]);
        let roots = [2, 3].map(|seed| x.binary(function, &tensor(seed, kind, &[(A, 40), (B, 30)])));
        same(&roots, "two functions of one tensor");
    }
}

#[test]
fn a_step_that_reads_a_result_at_another_place_does_not_join_the_one_that_computes_it() {
    let x = tensor(1, Kind::F64, &[(A, 9), (B, 9), (C, 7)]);
    let e = x.unary(Unary::Exp);
    same(&[e.binary(Binary::Mul, &e.at(A, 0)), e.clone()], "the first row of what is computed");
    let e = x.unary(Unary::Tanh);
    same(&[e.binary(Binary::Mul, &e.rename(&[(A, B), (B, A)])), e.clone()], "the same with two axes exchanged");
}

#[test]
fn what_a_group_reads_at_two_places_is_computed_before() {
    let x = tensor(1, Kind::F64, &[(A, 6), (B, 6)]);
    let y = x.unary(Unary::Exp);
    let turned = y.rename(&[(A, B), (B, A)]);
    same(&[y.binary(Binary::Sub, &turned.unary(Unary::Sin))], "a tensor and the same turned around");
}

#[test]
fn a_product_is_not_finished_in_place_by_what_has_another_kind() {
    // Whole numbers, so that their sums are exact in any order.
    let [x, y] = [(1, [(A, 5), (B, 4)]), (2, [(B, 4), (C, 6)])]
        .map(|(seed, axes)| tensor(seed, Kind::Index, &axes).cast(Kind::F32).binary(Binary::Mul, &scalar(1.0)));
    let product = || x.contract(&y, &[B]);
    same(&[product().cast(Kind::F64)], "doubles");
    same(&[product().compare(Comparison::Gt, &Node::fill(Kind::F32, 0.1, Shape::default()))], "truth");
}

#[test]
fn equal_chains_of_contractions_in_a_new_order_are_one_chain() {
    let [x, y, z] = [(1, A, 30), (2, B, 2), (3, C, 30)].map(|(seed, name, size)| {
        let next = if name == A {
            (B, 2)
        } else if name == B {
            (C, 30)
        } else {
            (Name::declared("d"), 3)
        };
        tensor(seed, Kind::F64, &[(name, size), next])
    });
    let chain = || x.contract(&y, &[B]).contract(&z, &[C]);
    let roots = [chain().unary(Unary::Sin).binary(Binary::Add, &chain().unary(Unary::Cos)), chain()];
    let (trace, count) = (Trace::new(&roots).unwrap(), order::reordered(&Trace::new(&roots).unwrap()).len());
    assert_eq!(count, 3, "each is put in another order");
    let products = lower::schedule(&trace).steps.iter().filter(|step| named(&step.action) == "product").count();
    assert_eq!(products, 2, "and computed once");
    same(&roots, "a chain that is written three times");
}

#[test]
fn a_contraction_of_two_large_differences_is_no_sum_of_one_of_them() {
    let row = |seed: u64, name: Name| tensor(seed, Kind::F64, &[(name, 20)]);
    let [x, y] = [row(1, A).binary(Binary::Sub, &row(2, B)), row(3, B).binary(Binary::Sub, &row(4, C))];
    same(&[x.contract(&y, &[B])], "differences that share an axis");
    same(&[x.contract(&y, &[B]), x.reduce(Reduction::Sum, &[A]), y.reduce(Reduction::Sum, &[C])], "summed as well");
}

#[test]
fn a_contraction_that_is_stored_is_no_part_of_a_longer_one() {
    let [x, y] = [(1, [(A, 30), (B, 2)]), (2, [(B, 2), (C, 30)])].map(|(seed, axes)| tensor(seed, Kind::F64, &axes));
    let [z, u] =
        [(3, [(C, 30), (A.freshened(), 2)]), (4, [(C, 30), (B, 3)])].map(|(seed, axes)| tensor(seed, Kind::F64, &axes));
    let last = z.shape().names().nth(1).unwrap();
    let inner = x.contract(&y, &[B]);
    evaluate(std::slice::from_ref(&inner)).unwrap();
    let v = tensor(5, Kind::F64, &[(last, 2), (B, 4)]);
    same(&[inner.contract(&z, &[C]).contract(&v, &[last]), inner.contract(&u, &[C])], "read twice");
    let inner = x.contract(&y, &[B]);
    evaluate(std::slice::from_ref(&inner)).unwrap();
    same(&[inner.contract(&z, &[C]).contract(&v, &[last])], "read once");
}

#[test]
fn positions_in_what_is_reduced_on_the_way_are_counted_along_their_own_axis() {
    let (x, y) = (tensor(1, Kind::F64, &[(A, 9)]), tensor(2, Kind::F64, &[(B, 7)]));
    let counted = |name: Name, size: usize| Node::iota(name, size).cast(Kind::F64);
    for (name, size) in [(A, 9), (B, 7)] {
        let group = x.binary(Binary::Sub, &y).binary(Binary::Mul, &counted(name, size)).unary(Unary::Sin);
        for over in [A, B] {
            same(&[group.reduce(Reduction::Sum, &[over])], "a sum");
        }
    }
}

#[test]
fn an_update_from_several_starts_is_made_at_each_of_them() {
    let (x, part) = (tensor(1, Kind::F64, &[(A, 6), (B, 3)]), tensor(2, Kind::F64, &[(A, 2), (B, 3)]));
    for axes in [&[(B, 3)][..], &[(C, 4)], &[(C, 1)], &[]] {
        let start = stored(&mut Draw::new(3), Kind::Index, Shape::new(axes.iter().copied()), 5);
        same(&[x.dynamic_update(A, &part, &start), x.dynamic_slice(A, 2, &start)], "from computed positions");
    }
}

/// Names of more axes than steps have.
const MANY: [Name; 18] = {
    let names = ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];
    let mut all = [Name::declared("r16"); 18];
    all[17] = Name::declared("r17");
    let mut at = 0;
    while at < names.len() {
        all[at] = Name::declared(names[at]);
        at += 1;
    }
    all
};

#[test]
fn tensors_of_more_axes_than_steps_have_are_computed_as_they_are_defined() {
    // The first, the second and the last axes have several positions.
    let size = |at: usize| [3, 2].get(at).copied().unwrap_or(if at >= 16 { 2 } else { 1 });
    let of = |seed: u64, axes: &[usize]| {
        tensor(seed, Kind::F64, &axes.iter().map(|&at| (MANY[at], size(at))).collect::<Vec<_>>())
    };
    let some = |range: std::ops::Range<usize>| range.collect::<Vec<_>>();
    let [first, second, last] = [MANY[0], MANY[1], MANY[17]];
    let (x, y, wide) = (of(1, &some(0..16)), of(2, &[0, 16, 17]), of(3, &some(0..18)));
    let narrow = of(4, &[0, 16]);
    let by = tensor(5, Kind::F64, &[]);
    for (root, what) in [
        (x.binary(Binary::Mul, &y).reduce(Reduction::Sum, &[first]), "a sum of a product"),
        (x.contract(&y, &[first]).binary(Binary::Div, &by), "a contraction by a number"),
        (x.contract(&narrow, &[first]).binary(Binary::Mul, &by), "one whose result has as many as steps"),
        (x.contract(&y, &[first]).at(second, 1), "a position of a contraction"),
        (wide.argsort(first, true).at(first, 0), "the largest"),
        (wide.sort(first, false).slice(first, 0..2, 1), "the two smallest"),
        (wide.unary(Unary::Exp).binary(Binary::Sub, &y), "elementwise"),
        (wide.unary(Unary::Exp).at(second, 1), "a position of what is elementwise"),
        (wide.softmax(&[first], false).at(second, 1), "a position of softmax"),
        (wide.softmax(&[first, last], true), "softmax"),
        (wide.reduce(Reduction::Max, &[first, second]), "a reduction"),
        (wide.standardize(&[first], 0.1).slice(last, 1..2, 1), "a slice of a standardization"),
        (wide.rename(&[(first, A)]).unary(Unary::Sin).at(A, 2), "a position under another name"),
    ] {
        same(&[root], what);
    }
    // Large, and made of little.
    let long = |seed: u64, range: std::ops::Range<usize>| {
        let sizes = range.clone().map(|at| (MANY[at], if at == range.start { 20 } else { 1 }));
        tensor(seed, Kind::F64, &sizes.collect::<Vec<_>>())
    };
    let difference = long(1, 0..9).binary(Binary::Sub, &long(2, 9..18));
    let sums = [MANY[0], MANY[9]].map(|axis| difference.reduce(Reduction::Sum, &[axis]));
    same(&sums, "sums of differences");
}

/// Attention and its gradient written out, with one thing other than it is there.
fn like_a_gradient(other: &str) -> Vec<Node> {
    let [r, k, p, c, e] = ["rows", "keys", "positions", "columns", "else"].map(Name::declared);
    let size = |name: Name| match other {
        "no keys" if name == k => 0,
        "no columns" if name == c => 0,
        _ => [(r, 4), (k, 3), (p, 5), (c, 6), (e, 2)].into_iter().find(|axis| axis.0 == name).map_or(1, |axis| axis.1),
    };
    let of = |seed: u64, names: &[Name]| {
        tensor(seed, Kind::F64, &names.iter().map(|&name| (name, size(name))).collect::<Vec<_>>())
    };
    let if_other = |is: &str, there: Vec<Name>, usual: &[Name]| if other == is { there } else { usual.to_vec() };
    let (q, keys, v) = (of(1, &[r, k]), of(2, &[p, k]), of(3, &[p, c]));
    let g = match other {
        "owed by no row" => of(4, &[c]),
        "owed by positions" => of(4, &[r, c, p]),
        "owed along another axis" => of(4, &[r, c, e]),
        _ => of(4, &[r, c]),
    };
    let (by, less) = (of(5, &if_other("a scale of each row", vec![r], &[])), of(6, &[]));
    let another = of(7, &[r, c]);
    let w = q.contract(&keys, &[k]).binary(Binary::Div, &by).softmax(&[p], false);
    let dw = g.contract(&v, &[c]);
    let mean = w.contract(&if other == "another mean" { another.contract(&v, &[c]) } else { dw.clone() }, &[p]);
    let difference = dw.binary(Binary::Sub, &mean);
    let product = w.binary(Binary::Mul, &difference);
    let scaled = match other {
        "another scale" => product.binary(Binary::Div, &less),
        "times the scale" => product.binary(Binary::Mul, &by),
        _ => product.binary(Binary::Div, &by),
    };
    let mut roots = vec![scaled.contract(&keys, &[p]), scaled.contract(&q, &[r]), w.contract(&v, &[p])];
    match other {
        "another cotangent" => roots.push(w.contract(&another, &[r])),
        "owed by no row" => {}
        _ => roots.push(w.contract(&g, &[r])),
    }
    match other {
        "the mean as well" => roots.push(mean),
        "the difference as well" => roots.push(difference),
        "the product as well" => roots.push(product),
        "the cotangent as well" | "another mean" => roots.push(dw.reduce(Reduction::Sum, &[p])),
        "one gradient twice" => roots.push(keys.contract(&scaled, &[p])),
        "other columns" => roots = vec![w.contract(&v, &[p]), w.contract(&of(8, &[r, e]), &[r])],
        _ => {}
    }
    roots
}

#[test]
fn what_resembles_the_gradient_of_attention_has_the_same_numbers() {
    let one = like_a_gradient("nothing");
    let steps = lower::schedule(&Trace::new(&one).unwrap()).steps;
    assert!(steps.iter().any(|step| named(&step.action) == "attention gradient"), "{}", describe(&one).unwrap());
    for other in [
        "nothing",
        "no keys",
        "no columns",
        "owed by no row",
        "owed by positions",
        "owed along another axis",
        "a scale of each row",
        "another mean",
        "another scale",
        "times the scale",
        "another cotangent",
        "the mean as well",
        "the difference as well",
        "the product as well",
        "the cotangent as well",
        "one gradient twice",
        "other columns",
    ] {
        same(&like_a_gradient(other), other);
    }
}
