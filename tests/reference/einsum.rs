//! Sums of products by indices: `md,d->m` is `C_m = Σ_d A_{m,d} B_d`.
//!
//! Lives here: an interpreter of such strings in nested loops, one letter per index. An index of an operand that the
//! result lacks is summed (row 2.2). Not here: names; a letter means the axis at its place.

use super::{Grid, places};

/// The result of `equation` on `operands`: `einsum("bhmk,bhnk->bhmn", &[&keys, &queries])`.
///
/// # Panics
/// If the string and the operands do not fit together: a fault of the test.
#[must_use]
pub fn einsum(equation: &str, operands: &[&Grid]) -> Grid {
    let (shapes, result) = shapes(equation);
    assert_eq!(shapes.len(), operands.len(), "operands of {equation}");
    let mut sizes: Vec<(char, usize)> = Vec::new();
    for (shape, operand) in shapes.iter().zip(operands) {
        assert_eq!(shape.len(), operand.sizes.len(), "the axes of an operand of {equation}");
        for (&letter, &size) in shape.iter().zip(&operand.sizes) {
            match sizes.iter().find(|(known, _)| *known == letter) {
                Some(&(_, known)) => assert_eq!(known, size, "both sizes of {letter} in {equation}"),
                None => sizes.push((letter, size)),
            }
        }
    }
    let size = |letter: &char| sizes.iter().find(|(known, _)| known == letter).expect("a letter of an operand").1;
    let summed: Vec<char> = sizes.iter().map(|&(letter, _)| letter).filter(|letter| !result.contains(letter)).collect();
    let inner = places(&summed.iter().map(size).collect::<Vec<usize>>());
    Grid::from_fn(&result.iter().map(size).collect::<Vec<usize>>(), |outer| {
        let mut sum = 0.0;
        for inner in &inner {
            let position = |letter: &char| match result.iter().position(|known| known == letter) {
                Some(axis) => outer[axis],
                None => inner[summed.iter().position(|known| known == letter).expect("summed, then")],
            };
            let number = |(shape, operand): (&Vec<char>, &&Grid)| {
                operand.get(&shape.iter().map(position).collect::<Vec<usize>>())
            };
            sum += shapes.iter().zip(operands).map(number).product::<f64>();
        }
        sum
    })
}

/// The letters of each operand, and of the result.
#[must_use]
pub fn shapes(equation: &str) -> (Vec<Vec<char>>, Vec<char>) {
    let (operands, result) = equation.split_once("->").expect("an arrow");
    (operands.split(',').map(|shape| shape.chars().collect()).collect(), result.chars().collect())
}

#[cfg(test)]
mod tests {
    use super::super::contraction::{batched, eye, inner, matrix_vector, outer};
    use super::super::paper::{a, x, y};
    use super::*;

    #[test]
    fn s2_2_an_index_that_the_result_lacks_is_summed() {
        assert_eq!(einsum("d,d->", &[&x(), &y()]).item(), inner(&x(), &y()));
        assert_eq!(einsum("md,d->m", &[&a(), &y()]), matrix_vector(&a(), &y()));
        assert_eq!(einsum("m,d->md", &[&x(), &y()]), outer(&x(), &y()));
        assert_eq!(einsum("md->", &[&a()]).item(), 36.0);
        assert_eq!(einsum("md->dm", &[&a()]).values, [3., 1., 2., 1., 5., 6., 4., 9., 5.]);
        assert_eq!(einsum("mm,mm->m", &[&a(), &eye(3)]).values, [3., 5., 5.]);
        let (p, q) = (Grid::from_fn(&[2, 3, 4], |at| at[2] as f64), Grid::from_fn(&[2, 4, 1], |at| at[0] as f64));
        assert_eq!(einsum("nik,nkj->nij", &[&p, &q]), batched(&p, &q));
    }
}
