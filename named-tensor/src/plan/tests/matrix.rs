//! Determinants and inverses, planned and plain.

use super::sorting::same_bits;
use super::*;
use crate::element::Comparison;

/// Matrices of this size over the first two names, and further axes.
fn matrices(draw: &mut Draw, kind: Kind, size: usize) -> (Node, [Name; 2]) {
    let mut axes = vec![(NAMES[0], size)];
    axes.insert(draw.below(2), (NAMES[1], size));
    for &name in &NAMES[2..4] {
        if draw.below(2) == 0 {
            axes.insert(draw.below(axes.len() + 1), (name, draw.below(7)));
        }
    }
    (stored(draw, kind, Shape::new(axes), 1), [NAMES[0], NAMES[1]])
}

#[test]
fn determinants_and_inverses_in_any_layout_are_one_step_each_with_the_plain_numbers_or_the_plain_error() {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut singular = 0;
    for seed in 0..400 {
        let mut draw = Draw::new(seed);
        let kind = if seed % 2 == 0 { Kind::F32 } else { Kind::F64 };
        let size = [0, 1, 2, 3, 5, 7, 16, 17, 33][draw.below(9)];
        let (x, [a, b]) = matrices(&mut draw, kind, size);
        let determinant = x.determinant(a, b);
        same_bits(std::slice::from_ref(&determinant), seed);
        assert!(both_ways(&[x.log_determinant(a, b)], &format!("logarithm {seed}")).is_some());
        let diagonal = Node::iota(a, size).compare(Comparison::Eq, &Node::iota(b, size)).cast(kind);
        let weight = Node::fill(kind, 2.0 * size as f64 + 1.0, Shape::default());
        let regular = x.binary(Binary::Add, &diagonal.binary(Binary::Mul, &weight));
        assert!(both_ways(&[regular.inverse(b, a)], &format!("regular {seed}")).is_some());
        let inverse = x.inverse(a, b);
        for step in
            lower::schedule(&Trace::new(&[determinant, x.log_determinant(b, a), inverse.clone()]).unwrap()).steps
        {
            *counts.entry(named(&step.action)).or_default() += 1;
        }
        // Numbers that are drawn from a few make many matrices singular, and then both ways say which.
        let roots = [inverse];
        if let (Err(plain), Err(planned)) = (graph::evaluate::plainly(&roots), evaluate(&roots)) {
            assert_eq!(plain.to_string(), planned.to_string(), "graph {seed}");
            singular += 1;
        }
    }
    assert!(!counts.contains_key("plain") && counts["matrix"] > 500, "each is a step: {counts:?}");
    assert!(singular > 20, "some are singular: {singular}");
}
