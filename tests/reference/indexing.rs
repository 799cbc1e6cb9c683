//! Indexing: rows chosen by numbers, in the four forms of the paper.
//!
//! Lives here: a scalar, a sequence, an aligned and a batched index, and the one-hot form they all equal.
//! Not here: positions written in the program (`rearrangement::at`).

use super::{Grid, places};

/// Positions on a grid, the last axis fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Positions {
    /// How many positions each axis has.
    pub sizes: Vec<usize>,
    /// One position, along the axis that is indexed, per place.
    pub values: Vec<usize>,
}

impl Positions {
    /// The position stored at a place.
    ///
    /// # Panics
    /// If the place is not on the grid.
    #[must_use]
    pub fn get(&self, place: &[usize]) -> usize {
        let all = places(&self.sizes);
        self.values[all.iter().position(|other| other == place).expect("a place of the grid")]
    }
}

/// `index(E, i) = E_i`, a row of E over (vocab, emb).
#[must_use]
pub fn scalar(e: &Grid, i: usize) -> Grid {
    Grid::from_fn(&e.sizes[1..], |place| e.get(&[&[i], place].concat()))
}

/// `index(E, I)_{s,d} = E_{I_s, d}` for E over (vocab, emb) and I over seq.
#[must_use]
pub fn sequence(e: &Grid, i: &Positions) -> Grid {
    Grid::from_fn(&[i.sizes[0], e.sizes[1]], |place| e.get(&[i.get(&place[..1]), place[1]]))
}

/// `index(P, I)_s = P_{s, I_s}` for P over (seq, vocab) and I over seq: the shared axis is aligned.
#[must_use]
pub fn aligned(p: &Grid, i: &Positions) -> Grid {
    Grid::from_fn(&[i.sizes[0]], |place| p.get(&[place[0], i.get(place)]))
}

/// `index(E, I)_{b,s,d} = E_{b, I_{b,s}, d}` for E over (batch, vocab, emb) and I over (batch, seq).
#[must_use]
pub fn batched(e: &Grid, i: &Positions) -> Grid {
    Grid::from_fn(&[i.sizes[0], i.sizes[1], e.sizes[2]], |place| e.get(&[place[0], i.get(&place[..2]), place[2]]))
}

/// `index(index(P, I), J)_s = P_{I_s, J_s}` for P over (seq, vocab) and I, J over subseq.
#[must_use]
pub fn double(p: &Grid, i: &Positions, j: &Positions) -> Grid {
    Grid::from_fn(&[i.sizes[0]], |place| p.get(&[i.get(place), j.get(place)]))
}

/// `H_{s,v} = 1 if I_s = v, else 0`
#[must_use]
pub fn one_hot(i: &Positions, vocab: usize) -> Grid {
    let mut sizes = i.sizes.clone();
    sizes.push(vocab);
    Grid::from_fn(&sizes, |place| {
        let (v, s) = place.split_last().expect("the axis of the vocabulary is the last");
        if i.get(s) == *v { 1.0 } else { 0.0 }
    })
}

#[cfg(test)]
mod tests {
    use super::super::{contraction::matrix_matrix, paper::a};
    use super::*;

    fn positions(values: &[usize]) -> Positions {
        Positions { sizes: vec![values.len()], values: values.to_vec() }
    }

    #[test]
    fn p24_p25_rows_of_a() {
        assert_eq!(scalar(&a(), 1).values, [1., 5., 9.]);
        let i = positions(&[2, 0]);
        assert_eq!(sequence(&a(), &i).values, [2., 6., 5., 3., 1., 4.]);
        assert_eq!(sequence(&a(), &i), matrix_matrix(&one_hot(&i, 3), &a()));
    }

    #[test]
    fn p26_p27_p28_aligned_batched_and_double_indices() {
        assert_eq!(aligned(&a(), &positions(&[2, 0, 1])).values, [4., 1., 6.]);
        assert_eq!(double(&a(), &positions(&[2, 0]), &positions(&[1, 2])).values, [6., 4.]);
        let e = Grid::from_fn(&[2, 3, 1], |place| (10 * place[0] + place[1]) as f64);
        let i = Positions { sizes: vec![2, 2], values: vec![2, 0, 1, 1] };
        assert_eq!(batched(&e, &i).values, [2., 0., 11., 11.]);
    }
}
