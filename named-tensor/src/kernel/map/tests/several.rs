//! Programs of several results against one program for each of them.

use super::super::*;
use super::{data, run};
use crate::kernel::span::row_major;
use Instruction::Load;

#[test]
fn each_result_of_several_is_that_of_a_program_of_its_own() {
    use Binary::{Add, Mul, Sub};
    let [reals, doubles, ..] = &data();
    // A product and sums of it: a step of its own, though only the next one reads it.
    let light = vec![
        Load(0),
        Load(1),
        Instruction::Binary(Mul, 0, 1),
        Instruction::Binary(Add, 2, 1),
        Instruction::Binary(Sub, 3, 0),
        Instruction::Unary(Unary::Neg, 4),
    ];
    let mut heavy = light.clone();
    heavy[3] = Instruction::Unary(Unary::Exp, 2);
    for (instructions, of) in [(&light, reals), (&light, doubles), (&heavy, reals), (&heavy, doubles)] {
        let kind = of.kind();
        let program = Program::of_several(instructions.clone(), &[2, 3], &[kind; 2]);
        assert_eq!(program.light().is_some(), std::ptr::eq(instructions, &raw const light), "{program:?}");
        let large: &[usize] = &[513, 1031];
        for sizes in [&[1_usize][..], &[5], &[127], &[700], &[40, 1000], &[3, 7], &[300, 40], large] {
            let dense = row_major(sizes);
            let row: Vec<isize> = dense.iter().map(|&stride| isize::from(stride == 1)).collect();
            let column: Vec<isize> = dense.iter().map(|&stride| isize::from(stride > 1)).collect();
            let is_large = std::ptr::eq(sizes, large);
            let ways = [&dense[..], &row, &column];
            // There are not so many numbers that lie in the order of a large space.
            for (x, y) in (usize::from(is_large)..3).flat_map(|x| [(x, 1), (x, 2)]) {
                let operands =
                    [(7, ways[x]), (1, ways[y])].map(|(offset, strides)| Operand { buffer: of, offset, strides });
                let total = sizes.iter().product();
                let mut several = [(); 3].map(|()| Buffer::zeros(kind, total));
                let [out, other, another] = &mut several;
                // What is handed over is sent past the caches where the space is large.
                let is_last = is_large && y == 1;
                run(&program, sizes, &operands, out, &mut [other, another], is_last);
                for (last, several) in [5, 2, 3].into_iter().zip(&several) {
                    let alone = Program::new(instructions[..=last].to_vec(), &[kind; 2]);
                    let mut out = Buffer::zeros(kind, total);
                    run(&alone, sizes, &operands, &mut out, &mut [], false);
                    assert!(out == *several, "result {last} of {sizes:?}, {operands:?}, {program:?}");
                }
            }
        }
    }
}

#[test]
#[should_panic(expected = "map: results that are computed, of one kind")]
fn a_source_is_no_result_of_several() {
    Program::of_several(vec![Load(0), Instruction::Unary(Unary::Neg, 0)], &[0], &[Kind::F32]);
}
