//! The block as one writes it by hand: matrices in vectors, `gemm` for the products, loops for the rest.
//!
//! Lives here: the twin that the equations are timed against. Buffers are made once; rows go over threads.
#![allow(unsafe_code, reason = "the matrix product of the twin is called as its library offers it, by pointers")]

use gemm::Parallelism;
use named_tensor::prelude::*;
use rayon::prelude::*;
use transformer::axes::*;
use transformer::block::MultiHeadBlock;
use transformer::norm::LayerNorm;

/// The sizes of the axes.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) batch: usize,
    pub(crate) seq: usize,
    pub(crate) chans: usize,
    pub(crate) heads: usize,
    pub(crate) hidden: usize,
}

/// Parameters and buffers.
pub(crate) struct ByHand {
    sizes: Sizes,
    norms: [[Vec<f32>; 2]; 2],
    qkv: [(Vec<f32>, Vec<f32>); 3],
    w_o: Vec<f32>,
    ffn: [(Vec<f32>, Vec<f32>); 2],
    x1: Vec<f32>,
    q: [Vec<f32>; 3],
    scores: Vec<f32>,
    att: Vec<f32>,
    x2: Vec<f32>,
    inner: Vec<f32>,
    y: Vec<f32>,
}

impl ByHand {
    pub(crate) fn new(sizes: Sizes, block: &MultiHeadBlock) -> Result<ByHand, Error> {
        let norm = |norm: &LayerNorm| Ok::<_, Error>([norm.γ.to_vec(chans)?, norm.β.to_vec(chans)?]);
        let att = &block.att;
        let keys = |w: &Tensor<R![chans, heads, key]>, b: &Tensor<R![heads, key]>| {
            Ok::<_, Error>((w.to_vec((chans, heads, key))?, b.to_vec((heads, key))?))
        };
        let rows = sizes.batch * sizes.seq;
        let wide = || vec![0.0; rows * sizes.chans];
        Ok(ByHand {
            sizes,
            norms: [norm(&block.norm1)?, norm(&block.norm2)?],
            qkv: [
                keys(&att.W_Q, &att.b_Q)?,
                keys(&att.W_K, &att.b_K)?,
                (att.W_V.to_vec((chans, heads, val))?, att.b_V.to_vec((heads, val))?),
            ],
            w_o: att.W_O.to_vec((heads, val, chans))?,
            ffn: [
                (block.ffn.W1.to_vec((chans, hidden))?, block.ffn.b1.to_vec(hidden)?),
                (block.ffn.W2.to_vec((hidden, chans))?, block.ffn.b2.to_vec(chans)?),
            ],
            x1: wide(),
            q: [wide(), wide(), wide()],
            scores: vec![0.0; sizes.batch * sizes.heads * sizes.seq * sizes.seq],
            att: wide(),
            x2: wide(),
            inner: vec![0.0; rows * sizes.hidden],
            y: wide(),
        })
    }

    pub(crate) fn output(&self) -> &[f32] {
        &self.y
    }

    pub(crate) fn run(&mut self, x: &[f32]) {
        let Sizes { batch, seq, chans, heads, hidden } = self.sizes;
        let (rows, d) = (batch * seq, chans / heads);
        standardize(&mut self.x1, x, chans, &self.norms[0]);
        for (out, (w, b)) in self.q.iter_mut().zip(&self.qkv) {
            product(out, &self.x1, w, (rows, chans, chans));
            out.par_chunks_mut(chans).for_each(|row| row.iter_mut().zip(b).for_each(|(x, b)| *x += b));
        }
        let [q, k, v] = &self.q;
        let scale = 1.0 / (d as f32).sqrt();
        let att = SharedMut(self.att.as_mut_ptr());
        self.scores.par_chunks_mut(seq * seq).enumerate().for_each(|(pair, scores)| {
            let att = &att;
            let start = pair / heads * seq * chans + pair % heads * d;
            let wide = chans as isize;
            let (square, none) = (seq as isize, Parallelism::None);
            let (q, k, v) = (&q[start..], &k[start..], &v[start..]);
            // SAFETY: every head of every example reads its own columns of q and k and writes its own scores.
            unsafe {
                gemm::gemm(
                    seq,
                    seq,
                    d,
                    scores.as_mut_ptr(),
                    1,
                    square,
                    false,
                    q.as_ptr(),
                    1,
                    wide,
                    k.as_ptr(),
                    wide,
                    1,
                    0.0,
                    scale,
                    false,
                    false,
                    false,
                    none,
                );
            }
            scores.chunks_mut(seq).for_each(softmax);
            // SAFETY: every head of every example writes its own columns of att, which no other writes.
            unsafe {
                gemm::gemm(
                    seq,
                    d,
                    seq,
                    att.0.wrapping_add(start),
                    1,
                    wide,
                    false,
                    scores.as_ptr(),
                    1,
                    square,
                    v.as_ptr(),
                    1,
                    wide,
                    0.0,
                    1.0,
                    false,
                    false,
                    false,
                    none,
                );
            }
        });
        product(&mut self.x2, &self.att, &self.w_o, (rows, chans, chans));
        self.x2.par_iter_mut().zip(x).for_each(|(y, x)| *y += x);
        standardize(&mut self.x1, &self.x2, chans, &self.norms[1]);
        let [(w1, b1), (w2, b2)] = &self.ffn;
        product(&mut self.inner, &self.x1, w1, (rows, chans, hidden));
        self.inner
            .par_chunks_mut(hidden)
            .for_each(|row| row.iter_mut().zip(b1).for_each(|(x, b)| *x = (*x + b).max(0.0)));
        product(&mut self.y, &self.inner, w2, (rows, hidden, chans));
        let rows = self.y.par_chunks_mut(chans).zip(self.x2.par_chunks(chans));
        rows.for_each(|(y, x)| y.iter_mut().zip(x).zip(b2).for_each(|((y, x), b)| *y += x + b));
    }
}

/// A pointer that threads share; they write disjoint columns behind it.
struct SharedMut(*mut f32);
// SAFETY: the only use, in `run`, writes columns that belong to one head of one example each.
unsafe impl Sync for SharedMut {}

/// c = a b, row-major, (m, k, n).
pub(crate) fn product(c: &mut [f32], a: &[f32], b: &[f32], (m, k, n): (usize, usize, usize)) {
    assert!(c.len() == m * n && a.len() == m * k && b.len() == k * n, "a product of matrices of other sizes");
    let (k_stride, n_stride) = (k as isize, n as isize);
    // SAFETY: the lengths were checked; c is borrowed mutably and so apart from a and b.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            c.as_mut_ptr(),
            1,
            n_stride,
            false,
            a.as_ptr(),
            1,
            k_stride,
            b.as_ptr(),
            1,
            n_stride,
            0.0,
            1.0,
            false,
            false,
            false,
            Parallelism::Rayon(0),
        );
    }
}

fn standardize(out: &mut [f32], x: &[f32], chans: usize, [gain, bias]: &[Vec<f32>; 2]) {
    out.par_chunks_mut(chans).zip(x.par_chunks(chans)).for_each(|(out, x)| {
        let lanes = |of: &dyn Fn(f32) -> f32| {
            let mut sums = [0.0_f32; 16];
            x.chunks(16).for_each(|chunk| chunk.iter().zip(&mut sums).for_each(|(&x, sum)| *sum += of(x)));
            sums.iter().sum::<f32>() / chans as f32
        };
        let mean = lanes(&|x| x);
        let var = lanes(&|x| (x - mean) * (x - mean));
        let scale = 1.0 / (var + 1e-5).sqrt();
        for ((out, x), (gain, bias)) in out.iter_mut().zip(x).zip(gain.iter().zip(bias)) {
            *out = (x - mean) * scale * gain + bias;
        }
    });
}

fn softmax(row: &mut [f32]) {
    let mut largest = [f32::NEG_INFINITY; 16];
    row.chunks(16).for_each(|chunk| chunk.iter().zip(&mut largest).for_each(|(&x, m)| *m = m.max(x)));
    let largest = largest.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sums = [0.0_f32; 16];
    for chunk in row.chunks_mut(16) {
        for (x, sum) in chunk.iter_mut().zip(&mut sums) {
            *x = exp(*x - largest);
            *sum += *x;
        }
    }
    let scale = 1.0 / sums.iter().sum::<f32>();
    row.iter_mut().for_each(|x| *x *= scale);
}

/// e^x for x ≤ 0, in a form that compilers turn into vector code: 2^n times a polynomial.
fn exp(x: f32) -> f32 {
    let x = x.max(-87.0);
    let n = (x * std::f32::consts::LOG2_E).round();
    let r = x - n * std::f32::consts::LN_2;
    let p = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0)))));
    p * f32::from_bits(((n as i32 + 127) << 23) as u32)
}
