//! Recurrent networks, one position at a time: the cells of Elman and of Cho et al., and a decoder that aligns.
//!
//! Written from the formulas of source 003 and, for the gates, of PyTorch's page on `GRU`, number by number.
//! Lives here: one step of each, and the run of a decoder. Not here: scores (`alignment`).

use super::Grid;
use super::alignment::{additive, retrieved, weights};
use super::contraction::vector_matrix;
use super::elementwise::sigmoid;
use super::rearrangement::at;

/// A cell: a state and an input give the next state.
pub trait Cell {
    /// `h' = f(h, x)`
    fn next(&self, h: &[f64], x: &[f64]) -> Vec<f64>;

    /// How many features a state has.
    fn size(&self) -> usize;
}

/// `x W`, for W over (feature, result).
fn times(x: &[f64], w: &Grid) -> Vec<f64> {
    vector_matrix(&Grid::new(&[x.len()], x.to_vec()), w).values
}

/// `h' = tanh(x W + h U + b)`
#[derive(Clone, Debug)]
pub struct Elman {
    /// `W`, over (chans, state).
    pub w: Grid,
    /// `U`, over (state, state′).
    pub u: Grid,
    /// `b`, over state.
    pub b: Grid,
}

impl Cell for Elman {
    fn next(&self, h: &[f64], x: &[f64]) -> Vec<f64> {
        let (x, h) = (times(x, &self.w), times(h, &self.u));
        (0..h.len()).map(|i| (x[i] + h[i] + self.b.values[i]).tanh()).collect()
    }

    fn size(&self) -> usize {
        self.b.values.len()
    }
}

/// `r = σ(x W_r + h U_r + b_r)`, `z = σ(x W_z + h U_z + b_z)`, `n = tanh(x W_n + b_n + r (h U_n + c_n))`,
/// `h' = (1 - z) n + z h`.
#[derive(Clone, Debug)]
pub struct Gru {
    /// `W_r`, `W_z`, `W_n`, over (chans, state).
    pub w: [Grid; 3],
    /// `U_r`, `U_z`, `U_n`, over (state, state′).
    pub u: [Grid; 3],
    /// `b_r`, `b_z`, `b_n`, over state.
    pub b: [Grid; 3],
    /// `c_n`, over state.
    pub c: Grid,
}

impl Cell for Gru {
    fn next(&self, h: &[f64], x: &[f64]) -> Vec<f64> {
        let [x_r, x_z, x_n] = self.w.each_ref().map(|w| times(x, w));
        let [h_r, h_z, h_n] = self.u.each_ref().map(|u| times(h, u));
        let mut next = Vec::new();
        for i in 0..h.len() {
            let r = sigmoid(x_r[i] + h_r[i] + self.b[0].values[i]);
            let z = sigmoid(x_z[i] + h_z[i] + self.b[1].values[i]);
            let n = (x_n[i] + self.b[2].values[i] + r * (h_n[i] + self.c.values[i])).tanh();
            next.push((1.0 - z) * n + z * h[i]);
        }
        next
    }

    fn size(&self) -> usize {
        self.c.values.len()
    }
}

/// `h_1, …, h_n` along the rows of x, from the state 0, over (position, state).
#[must_use]
pub fn states(cell: &impl Cell, x: &Grid) -> Grid {
    let (mut h, mut all) = (vec![0.0; cell.size()], Vec::new());
    for i in 0..x.sizes[0] {
        h = cell.next(&h, &at(x, 0, i).values);
        all.extend(h.clone());
    }
    Grid::new(&[x.sizes[0], cell.size()], all)
}

/// The weights of a translation by aligning networks.
#[derive(Clone, Debug)]
pub struct Translator<C> {
    /// Words as they are read, over (vocab, chans), and as they are heard.
    pub words: [Grid; 2],
    /// The cells of encoder and decoder.
    pub cells: [C; 2],
    /// `W_Q` and `W_K`, over (state, hidden), of the score.
    pub score: [Grid; 2],
    /// `b` and `v` of the score.
    pub inside: [Grid; 2],
    /// How the context is heard, over (state, chans).
    pub heard: Grid,
    /// How a word is chosen by word, state and context, over (feature, vocab).
    pub said: [Grid; 3],
    /// The bias of that choice.
    pub bias: Grid,
}

impl<C: Cell> Translator<C> {
    /// Logits over (word said, vocab) and alignment over (word said, word read), for the ids `x`, where the decoder hears
    /// the word of `forced` or else the one it has said, and nothing at first.
    #[must_use]
    pub fn run(&self, x: &[usize], forced: &[Option<usize>]) -> (Grid, Grid) {
        let rows = x.iter().flat_map(|&word| at(&self.words[0], 0, word).values).collect();
        let h = states(&self.cells[0], &Grid::new(&[x.len(), self.words[0].sizes[1]], rows));
        let (mut s, mut y) = (vec![0.0; self.cells[1].size()], vec![0.0; self.words[1].sizes[1]]);
        let (mut logits, mut alignment) = (Vec::new(), Vec::new());
        for forced in forced {
            let [w_q, w_k] = &self.score;
            let score = |q: &[f64], k: &[f64]| additive(q, k, w_q, w_k, &self.inside[0].values, &self.inside[1].values);
            let aligned = weights(score, &s, &h);
            let c = retrieved(&aligned, &h);
            let told: Vec<f64> = times(&c, &self.heard).iter().zip(&y).map(|(c, y)| c + y).collect();
            s = self.cells[1].next(&s, &told);
            let [by_word, by_state, by_context] = [(&y, 0), (&s, 1), (&c, 2)].map(|(x, i)| times(x, &self.said[i]));
            let z: Vec<f64> =
                (0..by_word.len()).map(|i| by_word[i] + by_state[i] + by_context[i] + self.bias.values[i]).collect();
            let best = (0..z.len()).fold(0, |best, i| if z[i] > z[best] { i } else { best });
            y = at(&self.words[1], 0, forced.unwrap_or(best)).values;
            logits.extend(z);
            alignment.extend(aligned);
        }
        let n = forced.len();
        (Grid::new(&[n, self.bias.values.len()], logits), Grid::new(&[n, x.len()], alignment))
    }
}
