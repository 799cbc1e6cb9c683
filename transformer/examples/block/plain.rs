//! The same block in plain matrix code: loops over rows and columns in f64, no names.
//!
//! Lives here: what the equations are compared with. Not here: anything the equations use.

use named_tensor::prelude::*;
use transformer::axes::*;
use transformer::block::MultiHeadBlock;
use transformer::embedding::Embedding;
use transformer::norm::LayerNorm;

type Matrix = Vec<Vec<f64>>;

/// The largest difference between `y` and the block computed from the bytes and the same parameters.
pub(crate) fn largest_difference(
    bytes: &[usize],
    embedding: &Embedding,
    block: &MultiHeadBlock,
    y: &Tensor<R![seq, chans]>,
) -> Result<f64, Error> {
    let c = y.size(chans);
    let table = matrix(&embedding.E.to_vec((vocab, chans))?, c);
    let mut x: Matrix = bytes.iter().map(|&byte| table[byte].clone()).collect();
    for (p, row) in x.iter_mut().enumerate() {
        for (i, number) in row.iter_mut().enumerate() {
            let angle = p as f64 / 10000_f64.powf((i - i % 2) as f64 / c as f64);
            *number += if i % 2 == 0 { angle.sin() } else { angle.cos() };
        }
    }

    let (h, d) = (block.att.b_Q.size(heads), block.att.b_Q.size(key));
    let weights = |w: &Tensor<R![chans, heads, key]>| w.to_vec((chans, heads, key)).map(|w| matrix(&w, h * d));
    let x1 = norm(&x, &block.norm1)?;
    let q = linear(&x1, &weights(&block.att.W_Q)?, &block.att.b_Q.to_vec((heads, key))?);
    let k = linear(&x1, &weights(&block.att.W_K)?, &block.att.b_K.to_vec((heads, key))?);
    let w_v = matrix(&block.att.W_V.to_vec((chans, heads, val))?, block.att.b_V.size(val) * h);
    let v = linear(&x1, &w_v, &block.att.b_V.to_vec((heads, val))?);
    let att = linear(&attention(&q, &k, &v, h), &matrix(&block.att.W_O.to_vec((heads, val, chans))?, c), &vec![0.0; c]);
    let x2 = sum(&x, &att);

    let ffn = &block.ffn;
    let w1 = matrix(&ffn.W1.to_vec((chans, hidden))?, ffn.b1.size(hidden));
    let mut inner = linear(&norm(&x2, &block.norm2)?, &w1, &ffn.b1.to_vec(hidden)?);
    inner.iter_mut().flatten().for_each(|number| *number = number.max(0.0));
    let outer = linear(&inner, &matrix(&ffn.W2.to_vec((hidden, chans))?, c), &ffn.b2.to_vec(chans)?);

    let expected = sum(&x2, &outer).concat();
    let actual = y.to_vec((seq, chans))?;
    Ok(actual.iter().zip(expected).map(|(&a, e)| (f64::from(a) - e).abs()).fold(0.0, f64::max))
}

fn matrix(numbers: &[f32], columns: usize) -> Matrix {
    numbers.chunks(columns).map(|row| row.iter().map(|&number| f64::from(number)).collect()).collect()
}

fn sum(a: &Matrix, b: &Matrix) -> Matrix {
    a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a + b).collect()).collect()
}

fn linear(x: &Matrix, w: &Matrix, b: &[f32]) -> Matrix {
    let entry = |row: &[f64], j: usize| f64::from(b[j]) + row.iter().zip(w).map(|(x, w)| x * w[j]).sum::<f64>();
    x.iter().map(|row| (0..b.len()).map(|j| entry(row, j)).collect()).collect()
}

fn norm(x: &Matrix, layer_norm: &LayerNorm) -> Result<Matrix, Error> {
    let (gain, bias) = (layer_norm.γ.to_vec(chans)?, layer_norm.β.to_vec(chans)?);
    let normed = |row: &Vec<f64>| {
        let n = row.len() as f64;
        let mean = row.iter().sum::<f64>() / n;
        let var = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        let entry = |(i, x): (usize, &f64)| (x - mean) / (var + 1e-5).sqrt() * f64::from(gain[i]) + f64::from(bias[i]);
        row.iter().enumerate().map(entry).collect()
    };
    Ok(x.iter().map(normed).collect())
}

/// Softmax(Q Kᵀ / √d) V for each head, whose columns stand side by side.
fn attention(q: &Matrix, k: &Matrix, v: &Matrix, h: usize) -> Matrix {
    let (d, e) = (q[0].len() / h, v[0].len() / h);
    let row = |query: &Vec<f64>| {
        let mut result = vec![0.0; e * h];
        for head in 0..h {
            let columns = head * d..(head + 1) * d;
            let score = |k: &Vec<f64>| columns.clone().map(|j| query[j] * k[j]).sum::<f64>() / (d as f64).sqrt();
            let scores: Vec<f64> = k.iter().map(score).collect();
            let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = scores.iter().map(|s| (s - largest).exp()).sum();
            for (s, v) in scores.iter().zip(v) {
                for j in head * e..(head + 1) * e {
                    result[j] += (s - largest).exp() / total * v[j];
                }
            }
        }
        result
    };
    q.iter().map(row).collect()
}
