//! Weights that are stored in 16 bits: where they are widened, and that the numbers are those of the plain evaluation.

use super::draw::{Draw, stored};
use super::{both_ways, kept, named};
use crate::axis::Name;
use crate::element::{Kind, Unary};
use crate::graph::{Node, Shape};
use crate::plan::schedule::Schedule;

const BATCH: Name = Name::declared("batch");
const SEQ: Name = Name::declared("seq");
const CHANS: Name = Name::declared("chans");
const HIDDEN: Name = Name::declared("hidden");
const VOCAB: Name = Name::declared("vocab");

/// The most elements that a step writes.
fn largest(schedule: &Schedule) -> usize {
    schedule.steps.iter().map(|step| schedule.slots[step.out as usize].size).max().unwrap_or(0)
}

/// The names of the steps.
fn steps(schedule: &Schedule) -> Vec<&'static str> {
    schedule.steps.iter().map(|step| named(&step.action)).collect()
}

#[test]
fn a_few_rows_times_a_matrix_in_16_bits_are_one_step_and_the_matrix_is_never_widened() {
    for (seed, axes) in [[(CHANS, 33), (HIDDEN, 70)], [(HIDDEN, 70), (CHANS, 33)]].into_iter().enumerate() {
        let mut draw = Draw::new(seed as u64);
        // A dense matrix, so renamed as a lifted function would have it.
        let rounded = Node::iota(axes[0].0, axes[0].1).cast(Kind::F32).unary(Unary::Sin);
        let dense = rounded.binary(crate::element::Binary::Mul, &Node::iota(axes[1].0, axes[1].1).cast(Kind::F32));
        let values = super::evaluate(&[dense.cast(Kind::Bf16)]).unwrap();
        let matrix = Node::input(values[0].clone(), dense.shape().clone()).cast(Kind::F32);
        let fresh = CHANS.freshened();
        let matrix = matrix.rename(&[(CHANS, fresh)]);
        for rows in [1, 3] {
            let x = stored(&mut draw, Kind::F32, Shape::new([(SEQ, rows), (fresh, 33)]), 1);
            for product in [x.contract(&matrix, &[fresh]), matrix.contract(&x, &[fresh])] {
                let half = Node::fill(Kind::F32, 0.3, Shape::default());
                let scaled = product.binary(crate::element::Binary::Mul, &half);
                for root in [product, scaled] {
                    let schedule = kept(std::slice::from_ref(&root));
                    assert!(largest(&schedule) < 33 * 70, "{:?}", steps(&schedule));
                    both_ways(&[root], "a few rows");
                }
            }
        }
    }
}

#[test]
fn rows_of_a_table_in_16_bits_are_widened_and_not_the_table() {
    let mut draw = Draw::new(3);
    let table = stored(&mut draw, Kind::Bf16, Shape::new([(VOCAB, 50), (CHANS, 7)]), 1).cast(Kind::F32);
    let words = stored(&mut draw, Kind::Index, Shape::new([(SEQ, 4)]), 50);
    let root = table.gather(VOCAB, &words).unary(Unary::Tanh);
    let schedule = kept(std::slice::from_ref(&root));
    assert_eq!(steps(&schedule), ["gather", "map"], "the widening is in the group");
    assert_eq!(largest(&schedule), 4 * 7, "only the rows that are asked for");
    both_ways(&[root], "rows of a table");
    // A position that is not there is told in the same words.
    let wrong = stored(&mut draw, Kind::Index, Shape::new([(SEQ, 9)]), 1)
        .binary(crate::element::Binary::Add, &Node::iota(SEQ, 9));
    let table = stored(&mut draw, Kind::Bf16, Shape::new([(VOCAB, 5), (CHANS, 7)]), 1).cast(Kind::F32);
    assert_eq!(both_ways(&[table.gather(VOCAB, &wrong)], "no such row"), None);
}

#[test]
fn products_with_matrices_in_16_bits_of_any_axes_and_layouts_have_the_same_numbers() {
    for seed in 0..800 {
        let mut draw = Draw::new(seed);
        let kind = if seed % 2 == 0 { Kind::F32 } else { Kind::F64 };
        let sizes = [1, 1, 2, 3, 5, 9, 12];
        let mut axes = |names: &[Name]| -> Vec<(Name, usize)> {
            let sized = names.iter().map(|&name| (name, *draw.of(&sizes), draw.below(4) > 0));
            sized.filter(|&(.., is_there)| is_there).map(|(name, size, _)| (name, size)).collect()
        };
        let (own, batch, summed, columns) =
            (axes(&[SEQ]), axes(&[BATCH]), axes(&[CHANS, CHANS.freshened()]), axes(&[HIDDEN, VOCAB]));
        let batch: Vec<_> = if draw.below(3) == 0 { batch } else { Vec::new() };
        let mut tensor = |parts: [&[(Name, usize)]; 3], kind| {
            let mut axes: Vec<_> = parts.concat();
            let first = draw.below(axes.len().max(1));
            axes.rotate_left(first);
            stored(&mut draw, kind, Shape::new(axes), 1)
        };
        let x = tensor([&own, &batch, &summed], kind);
        let w = tensor([&summed, &batch, &columns], Kind::Bf16).cast(kind);
        let names: Vec<Name> = summed.iter().map(|&(name, _)| name).collect();
        let mut roots = vec![if seed % 3 == 0 { w.contract(&x, &names) } else { x.contract(&w, &names) }];
        if let Some(&(axis, size)) = columns.first() {
            roots.push(x.contract(&w.at(axis, size / 2), &names));
            roots.push(x.contract(&w.slice(axis, size / 2..size, 1), &names).unary(Unary::Relu));
        }
        // Either goes backwards along what is summed, and is not read as it lies.
        let back = |x: &Node| names.iter().fold(x.clone(), |x, &name| x.flip(name));
        roots.push(x.contract(&back(&w), &names));
        if let Some(&(axis, size)) = columns.first() {
            roots.push(x.contract(&back(&w).flip(axis), &names));
            roots.push(x.contract(&back(&w).slice(axis, 0..size, 2), &names));
            roots.push(back(&x).contract(&w.slice(axis, 0..size, 2), &names));
        }
        if seed % 5 == 0 {
            // Others want it widened as well.
            roots.push(w.unary(Unary::Neg));
        }
        both_ways(&roots, &format!("product {seed}"));
    }
}

#[test]
fn what_is_stored_in_16_bits_is_not_remembered_in_more() {
    let matrix = stored(&mut Draw::new(1), Kind::Bf16, Shape::new([(CHANS, 3)]), 1).cast(Kind::F32);
    super::evaluate(std::slice::from_ref(&matrix)).unwrap();
    assert!(matrix.value().is_none(), "it is widened again when it is asked for again");
}
