//! Positions: what tells one place of a text from another; rows 1.2–1.5, 3.20, 4.9, 4.11.
//!
//! Sines and cosines, or learned vectors, are added to words; rotary positions turn queries and keys; ALiBi lowers
//! scores by distance. The position is an argument, a number counted from 0, so that a text may go on after a context.
//! Not here: which positions may be seen (`mask`).

use crate::axes::{chans, half, heads, key, pair, places, seq, seq_};
use named_tensor::named;

named! {
    /// Sines of position p at even channels, cosines at odd ones (rows 1.2, 1.3, 4.9); n is 10000. X gives the size.
    pub fn Sinusoids(X: R[chans], p: R[], n: R[]) -> R[chans] {
        P_{chans(c)} = if c % 2 == 0 { sin(p / n ^ (c / |chans|)) } else { cos(p / n ^ ((c - 1) / |chans|)) };
        P
    }

    /// Words with their positions, from the first one on (rows 1.5, 4.11).
    pub fn PositionalEncoding(X: R[seq, chans]) -> R[seq, chans] {
        p_{seq(i)} = i;
        X + Sinusoids(X, p, 10000)
    }

    /// A word with the vector that is learned for its position.
    pub fn LearnedPosition(X: R[chans], p: places[]; P: R[places, chans] ~ normal(0, 1)) -> R[chans] {
        X + index_places(P, p)
    }

    /// Each pair of numbers turned, as a point of the plane, by its angle.
    pub fn Turned(X: R[half, pair], θ: R[pair]) -> R[half, pair] {
        X * cos(θ) + concat_half(-X_{half(1..)}, X_{half(..1)}) * sin(θ)
    }

    /// Position p turns pair c by p / n^(2c/|key|); n is 10000, or larger for long texts. X gives the size.
    pub fn Angles(X: R[key], p: R[], n: R[]) -> R[pair] where |key| % 2 = 0 {
        θ_{pair(c: |key| / 2)} = p / n ^ (2 * c / |key|);
        θ
    }

    /// Rotary positions (Su et al., 2021), where features c and c + |key|/2 are a pair, as GPT-NeoX and the files of Llama for
    /// `transformers` have them.
    pub fn Rotary(X: R[key], θ: R[pair]) -> R[key] {
        Turned(X_{key -> (half: 2, pair)}, θ)_{(half, pair) -> key}
    }

    /// Rotary positions as printed, where features 2c and 2c + 1 are a pair.
    pub fn InterleavedRotary(X: R[key], θ: R[pair]) -> R[key] {
        Turned(X_{key -> (pair, half: 2)}, θ)_{(pair, half) -> key}
    }

    /// How fast each head forgets: 2^(-8/|heads|), its square, and so on; if |heads| is no power of 2, those of the
    /// power n below it, then every other one of 2n heads (Press et al., 2022). X gives the size.
    pub fn Slopes(X: R[heads]) -> R[heads] {
        n = 2 ^ floor(log(|heads|) / log(2) + 1e-9);
        m_{heads(h)} = if h < n { 2 ^ (-8 * (h + 1) / n) } else { 2 ^ (-4 * (2 * (h - n) + 1) / n) };
        m
    }

    /// ALiBi: a score is lowered by m for each position between key and query. To be added with a causal mask.
    pub fn LinearBias(K: R[seq], Q: R[seq_], m: R[]) -> R[seq, seq_] {
        D_{seq(i), seq_(j)} = j + |seq| - |seq_| - i;
        -m * D
    }
}
