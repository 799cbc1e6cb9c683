//! W2, the pre-LN block forwards, and W3, a training step of it: the equations of `transformer::block`.
//!
//! The causal case makes its mask in every call, as an equation of positions.

use named_tensor::prelude::*;
use transformer::attention::{CausalMask, MaskedMultiHeadAttention};
use transformer::axes::*;
use transformer::block::{MaskedMultiHeadBlock, MultiHeadBlock};
use transformer::feed_forward::FFN;
use transformer::norm::LayerNorm;

use crate::protocol::{Cost, Run, fill, filling, gain, summary, weight_scale};

named! {
    fn SumOfSquares(Y: R[batch, seq, chans]) -> R[] { sum_{batch, seq, chans}(Y * Y) }
}

struct Sizes {
    name: &'static str,
    batch: usize,
    seq: usize,
    chans: usize,
    heads: usize,
    hidden: usize,
}

const SIZES: [Sizes; 4] = [
    Sizes { name: "S", batch: 1, seq: 128, chans: 256, heads: 8, hidden: 1024 },
    Sizes { name: "M", batch: 1, seq: 512, chans: 768, heads: 12, hidden: 3072 },
    Sizes { name: "L", batch: 1, seq: 2048, chans: 768, heads: 12, hidden: 3072 },
    Sizes { name: "B", batch: 8, seq: 128, chans: 512, heads: 8, hidden: 2048 },
];

impl Sizes {
    fn flops(&self, causal: bool) -> f64 {
        let [b, t, c, f] = [self.batch, self.seq, self.chans, self.hidden].map(|size| size as f64);
        let pairs = if causal { t * (t + 1.0) / 2.0 } else { t * t };
        2.0 * b * t * (4.0 * c * c + 2.0 * c * f) + 4.0 * b * pairs * c
    }

    fn x(&self) -> Result<Tensor<R![batch, seq, chans]>, Error> {
        let numbers = fill(10, self.batch * self.seq * self.chans, 2.0);
        Tensor::from_vec((batch.of(self.batch), seq.of(self.seq), chans.of(self.chans)), numbers)
    }

    /// What each query may see: nothing that comes after it.
    fn mask(&self) -> Tensor<R![seq, seq_]> {
        let positions: Tensor<R![seq]> = Tensor::zeros(seq.of(self.seq));
        CausalMask(&positions)
    }

    /// The parameters, for the block with a mask.
    fn masked(&self) -> Result<MaskedMultiHeadBlock, Error> {
        let (c, f, h, d) = (self.chans, self.hidden, self.heads, self.chans / self.heads);
        let norm = |seed| -> Result<LayerNorm, Error> {
            let (γ, β) = (gain(seed, c), fill(seed + 1, c, 0.2));
            Ok(LayerNorm { γ: Tensor::from_vec(chans.of(c), γ)?, β: Tensor::from_vec(chans.of(c), β)? })
        };
        let (of_c, of_f) = (weight_scale(c), weight_scale(f));
        let (by_key, by_val) = ((heads.of(h), key.of(d)), (heads.of(h), val.of(d)));
        Ok(MaskedMultiHeadBlock {
            norm1: norm(11)?,
            att: MaskedMultiHeadAttention {
                W_Q: Tensor::from_fn((chans.of(c), heads.of(h), key.of(d)), filling(13, of_c)),
                b_Q: Tensor::from_vec(by_key, fill(16, c, 0.2))?,
                W_K: Tensor::from_fn((chans.of(c), heads.of(h), key.of(d)), filling(14, of_c)),
                b_K: Tensor::from_vec(by_key, fill(17, c, 0.2))?,
                W_V: Tensor::from_fn((chans.of(c), heads.of(h), val.of(d)), filling(15, of_c)),
                b_V: Tensor::from_vec(by_val, fill(18, c, 0.2))?,
                W_O: Tensor::from_fn((heads.of(h), val.of(d), chans.of(c)), filling(19, of_c)),
            },
            norm2: norm(20)?,
            ffn: FFN {
                W1: Tensor::from_fn((chans.of(c), hidden.of(f)), filling(22, of_c)),
                b1: Tensor::from_vec(hidden.of(f), fill(23, f, 0.2))?,
                W2: Tensor::from_fn((hidden.of(f), chans.of(c)), filling(24, of_f)),
                b2: Tensor::from_vec(chans.of(c), fill(25, c, 0.2))?,
            },
        })
    }
}

/// The same parameters without a mask.
fn full(block: &MaskedMultiHeadBlock) -> MultiHeadBlock {
    let MaskedMultiHeadBlock { norm1, att, norm2, ffn } = block.clone();
    let MaskedMultiHeadAttention { W_Q, b_Q, W_K, b_K, W_V, b_V, W_O } = att;
    let att = transformer::attention::MultiHeadAttention { W_Q, b_Q, W_K, b_K, W_V, b_V, W_O };
    MultiHeadBlock { norm1, att, norm2, ffn }
}

/// The rows of a workload: case, sizes, whether causal, forward operations.
fn rows(run: &Run, workload: &str) -> Vec<(String, &'static Sizes, bool, f64)> {
    let both = SIZES.iter().flat_map(|sizes| [(sizes, false), (sizes, true)]);
    let named = both.map(|(sizes, causal)| {
        let kind = if causal { "causal" } else { "full" };
        (format!("{workload}/{}/{kind}", sizes.name), sizes, causal, sizes.flops(causal))
    });
    named.filter(|(case, ..)| run.wants(case)).collect()
}

/// W2.
pub(crate) fn forward(run: &Run) -> Result<(), Error> {
    for (case, sizes, causal, flops) in rows(run, "W2") {
        let (x, masked) = (sizes.x()?, sizes.masked()?);
        let full = full(&masked);
        let y = || if causal { masked.apply(&x, &sizes.mask()) } else { full.apply(&x) };
        let checks = [summary("y", &y().to_vec((batch, seq, chans))?)];
        run.time(&case, Cost { flops, bytes: 0.0 }, &checks, || y().eval())?;
    }
    Ok(())
}

/// W3, not of the longest text. The gradient is taken by the input and by all parameters.
pub(crate) fn training(run: &Run) -> Result<(), Error> {
    for (case, sizes, causal, flops) in rows(run, "W3") {
        if sizes.name == "L" {
            continue;
        }
        let (x, masked) = (sizes.x()?, sizes.masked()?);
        let full = full(&masked);
        let step = || -> Result<_, Error> {
            if causal {
                let loss = SumOfSquares(&masked.apply(&x, &sizes.mask()));
                let (loss, (dx, g)) = value_and_grad(&loss, (&x, &masked))?;
                return Ok((loss, dx, g));
            }
            let (loss, (dx, g)) = value_and_grad(&SumOfSquares(&full.apply(&x)), (&x, &full))?;
            let transformer::attention::MultiHeadAttention { W_Q, b_Q, W_K, b_K, W_V, b_V, W_O } = g.att;
            let att = MaskedMultiHeadAttention { W_Q, b_Q, W_K, b_K, W_V, b_V, W_O };
            Ok((loss, dx, MaskedMultiHeadBlock { norm1: g.norm1, att, norm2: g.norm2, ffn: g.ffn }))
        };
        let (loss, dx, g) = step()?;
        let checks = [
            summary("loss", &[loss]),
            summary("x", &dx.to_vec((batch, seq, chans))?),
            summary("wq", &g.att.W_Q.to_vec((chans, heads, key))?),
            summary("wo", &g.att.W_O.to_vec((heads, val, chans))?),
            summary("w1", &g.ffn.W1.to_vec((chans, hidden))?),
            summary("ln1_g", &g.norm1.γ.to_vec(chans)?),
            summary("bv", &g.att.b_V.to_vec((heads, val))?),
        ];
        drop((dx, g));
        run.time(&case, Cost { flops: 3.0 * flops, bytes: 0.0 }, &checks, step)?;
    }
    Ok(())
}
