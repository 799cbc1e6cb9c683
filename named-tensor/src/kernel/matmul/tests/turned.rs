//! Products with an operand that is turned around first.

use super::*;
use crate::element::{Binary, Kind};
use crate::kernel::map::{Instruction, Program};

/// Rows, terms and columns of products, and from one term to the next of the left operand, whose rows lie across the sum.
const LARGE: [([usize; 3], isize); 4] =
    [([150, 260, 270], 1024), ([64, 513, 256], 1536), ([131, 1025, 300], 768), ([260, 1100, 900], 263)];

#[test]
fn operands_that_are_turned_around_agree_with_plain_loops() {
    for ([m, k, n], along) in LARGE {
        let (lhs, rhs, gap) = ([1, along], [n as isize, 1], n as isize + 3);
        check::<f32>(&[], [m, k, n], [&lhs, &rhs, &[gap, 1]], f64::from(f32::EPSILON) / 2.0);
        // The same seen from the other side.
        check::<f32>(&[], [n, k, m], [&[1, rhs[0]], &[along, 1], &[1, gap]], f64::from(f32::EPSILON) / 2.0);
        check::<f64>(&[], [m, k, n.min(300)], [&lhs, &[1, k as isize], &[gap, 1]], f64::EPSILON / 2.0);
    }
}

#[test]
fn an_operand_is_turned_around_where_no_cache_keeps_it_or_the_result_is_wide() {
    let numbers = [0.0_f32];
    let is_turned = |[m, k, n]: [usize; 3], [across, along]: [isize; 2]| {
        let view = View { data: &numbers[..], offset: 0, strides: &[] };
        let rows = Axis { size: m, lhs: across, rhs: 0, dst: n as isize };
        let columns = Axis { size: n, lhs: 0, rhs: 1, dst: 1 };
        let inner = (k, along, n as isize);
        let product = Product::new(1.0, [rows, columns], inner, [view; 2]);
        let turned = product.turned();
        let mirrored = Product {
            rows: Axis { size: n, lhs: 1, rhs: 0, dst: 1 },
            columns: Axis { size: m, lhs: 0, rhs: across, dst: n as isize },
            inner: (k, n as isize, along),
            ..product
        };
        assert_eq!(
            turned.map(|turned| turned.rows),
            mirrored.turned().map(|turned| turned.rows),
            "from the other side"
        );
        turned.is_some()
    };
    for (sizes, along) in LARGE {
        assert!(is_turned(sizes, [1, along]), "{sizes:?}, terms {along} apart");
    }
    assert!(!is_turned([150, 260, 270], [260, 1]), "it lies along the sum");
    assert!(!is_turned([150, 260, 270], [1, 1023]), "its lines fall on different places");
    assert!(!is_turned([150, 255, 270], [1, 1024]), "the second-level cache keeps 256 of its lines");
    assert!(!is_turned([150, 260, 255], [1, 1024]), "it is turned for too few columns");
    assert!(!is_turned([260, 1100, 895], [1, 263]), "it is turned for too few columns, and caches keep it");
    assert!(!is_turned([150, 260, 270], [0, 1024]), "it is one number for each term");
}

#[test]
fn a_tail_finishes_a_product_with_an_operand_that_is_turned_around() {
    let ([m, k, n], along) = LARGE[0];
    let mut random = Random::new(3);
    let (a, b) = (random.reals(k * along as usize), random.reals(k * n));
    for dst in [[n as isize, 1], [1, m as isize]] {
        let run = |tail: Option<&Tail<'_>>| {
            let mut out = vec![f32::NAN; m * n];
            let lhs = View { data: &a, offset: 0, strides: &[1, along] };
            let rhs = View { data: &b, offset: 0, strides: &[n as isize, 1] };
            matmul(0.5, &[], [m, k, n], lhs, rhs, ViewMut { data: &mut out, offset: 0, strides: &dst }, tail);
            out
        };
        let program = Program::new(vec![Instruction::Own(Kind::F32), Instruction::Binary(Binary::Mul, 0, 0)], &[]);
        let sizes = if dst[1] == 1 { [m, n] } else { [n, m] };
        let squares: Vec<f32> = run(None).into_iter().map(|y| y * y).collect();
        assert_eq!(run(Some(&Tail::new(&program, &sizes, &[]))), squares, "the result lies {dst:?}");
    }
}
