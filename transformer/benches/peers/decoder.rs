//! W4: a decoder of GPT-2 small's shape: a prompt of 512 words, then words one at a time with cached keys and values.
//!
//! Its equations stand here, since q, k and v are one projection and every projection has a bias. A cache holds the keys
//! and values of the positions so far; the queries of new positions see those up to their own. Cases whose names end with
//! `-bf16` store the weights in 16 bits; their outputs are those of the rounded weights.

use named_tensor::prelude::*;
use named_tensor::tensor::Evaluate;
use transformer::attention::MaskedAttention;
use transformer::axes::*;
use transformer::embedding::Embedding;
use transformer::norm::LayerNorm;

use crate::protocol::{Cost, Run, clock, fill, gain, summary, tokens, weight_scale};

axes! {
    /// What a projection gives: queries, keys, values.
    role,
}

named! {
    /// Queries, keys and values in one projection.
    fn Roles(X: R[chans]; W: R[chans, role, heads, key], b: R[role, heads, key]) -> R[role, heads, key] {
        X dot_chans W + b
    }

    /// What new positions seq′ draw from all, of which the first `|seq| - |seq′|` came before.
    fn Causal(Q: R[heads, key, seq_], K: R[seq, heads, key], V: R[seq, heads, val]) -> R[heads, val, seq_] {
        M_{seq(i), seq_(j)} = if i <= j + |seq| - |seq_| { 0 } else { -inf };
        MaskedAttention(Q, K, V, M)
    }

    /// The heads of a position to its channels.
    fn Joined(H: R[heads, val]; W: R[heads, val, chans], b: R[chans]) -> R[chans] { H dot_{heads, val} W + b }

    fn GeluFFN(X: R[chans]; W1: R[chans, hidden], b1: R[hidden], W2: R[hidden, chans], b2: R[chans]) -> R[chans] {
        gelu_tanh(X dot_chans W1 + b1) dot_hidden W2 + b2
    }

    fn Logits(X: R[chans], E: R[vocab, chans]) -> R[vocab] { X dot_chans E }
}

/// One layer.
struct Layer {
    norm1: LayerNorm,
    roles: Roles,
    joined: Joined,
    norm2: LayerNorm,
    ffn: GeluFFN,
}

/// The keys and values of one layer.
type Cache = (Tensor<R![seq, heads, key]>, Tensor<R![seq, heads, val]>);

/// How weights are stored.
#[derive(Clone, Copy, PartialEq)]
enum Weights {
    F32,
    Bf16,
}

impl Weights {
    fn stored<P: Parameters<f32>>(self, parameters: P) -> Result<P, Error> {
        if self == Weights::Bf16 { parameters.in_bf16() } else { Ok(parameters) }
    }

    /// Bytes of one.
    fn bytes(self) -> f64 {
        if self == Weights::Bf16 { 2.0 } else { 4.0 }
    }
}

struct Decoder {
    words: Embedding,
    positions: Tensor<R![seq, chans]>,
    layers: Vec<Layer>,
    norm: LayerNorm,
}

const LAYERS: usize = 12;
const CHANS: usize = 768;
const HEADS: usize = 12;
const HIDDEN: usize = 3072;
const VOCAB: usize = 50_257;
const CONTEXT: usize = 1024;

fn norm(γ: Vec<f32>, β: Vec<f32>) -> Result<LayerNorm, Error> {
    Ok(LayerNorm { γ: Tensor::from_vec(chans.of(CHANS), γ)?, β: Tensor::from_vec(chans.of(CHANS), β)? })
}

impl Layer {
    fn new(layer: u32) -> Result<Layer, Error> {
        let s = 100 + 16 * layer;
        let (c, h, d, f) = (chans.of(CHANS), heads.of(HEADS), CHANS / HEADS, hidden.of(HIDDEN));
        let weight = |seed, inner, size| fill(seed, size, weight_scale(inner));
        let (square, wide) = (CHANS * CHANS, CHANS * HIDDEN);
        Ok(Layer {
            norm1: norm(gain(s, CHANS), fill(s + 1, CHANS, 0.2))?,
            roles: Roles {
                W: Tensor::from_vec((c, role.of(3), h, key.of(d)), weight(s + 2, CHANS, 3 * square))?,
                b: Tensor::from_vec((role.of(3), h, key.of(d)), fill(s + 3, 3 * CHANS, 0.2))?,
            },
            joined: Joined {
                W: Tensor::from_vec((h, val.of(d), c), weight(s + 4, CHANS, square))?,
                b: Tensor::from_vec(c, fill(s + 5, CHANS, 0.2))?,
            },
            norm2: norm(gain(s + 6, CHANS), fill(s + 7, CHANS, 0.2))?,
            ffn: GeluFFN {
                W1: Tensor::from_vec((c, f), weight(s + 8, CHANS, wide))?,
                b1: Tensor::from_vec(f, fill(s + 9, HIDDEN, 0.2))?,
                W2: Tensor::from_vec((f, c), weight(s + 10, HIDDEN, wide))?,
                b2: Tensor::from_vec(c, fill(s + 11, CHANS, 0.2))?,
            },
        })
    }

    fn stored(self, weights: Weights) -> Result<Layer, Error> {
        Ok(Layer {
            norm1: weights.stored(self.norm1)?,
            roles: weights.stored(self.roles)?,
            joined: weights.stored(self.joined)?,
            norm2: weights.stored(self.norm2)?,
            ffn: weights.stored(self.ffn)?,
        })
    }

    /// The new positions after this layer; their keys and values are added to the cache.
    fn apply(&self, x: &Tensor<R![seq, chans]>, cache: &mut Cache) -> Tensor<R![seq, chans]> {
        let roles = self.roles.apply(&self.norm1.apply(x));
        let (new_keys, new_values) = (roles.at(role, 1), roles.at(role, 2).rename(key, val));
        let (keys, values) = (cache.0.concat(seq, &new_keys), cache.1.concat(seq, &new_values));
        let drawn = Causal(&roles.at(role, 0).rename(seq, seq_), &keys, &values).rename(seq_, seq);
        *cache = (keys, values);
        let x = x + self.joined.apply(&drawn);
        &x + self.ffn.apply(&self.norm2.apply(&x))
    }
}

impl Decoder {
    fn new(weights: Weights) -> Result<Decoder, Error> {
        let words = Tensor::from_vec((vocab.of(VOCAB), chans.of(CHANS)), fill(50, VOCAB * CHANS, 0.07))?;
        let positions = Tensor::from_vec((seq.of(CONTEXT), chans.of(CHANS)), fill(51, CONTEXT * CHANS, 0.07))?;
        let layer = |number| Layer::new(number).and_then(|layer| layer.stored(weights));
        Ok(Decoder {
            words: weights.stored(Embedding { E: words })?,
            positions: weights.stored(positions)?,
            layers: (0..LAYERS as u32).map(layer).collect::<Result<_, _>>()?,
            norm: weights.stored(norm(gain(52, CHANS), fill(53, CHANS, 0.2))?)?,
        })
    }

    /// The logits of the word after `text`, which stands from position `from` on.
    fn next(&self, text: &[usize], from: usize, caches: &mut [Cache]) -> Result<Vec<f32>, Error> {
        let size = text.len();
        let ids = Tensor::indices_from_vec(seq.of(size), vocab, text.to_vec())?;
        let mut x = self.words.apply(&ids) + self.positions.slice(seq, from..from + size);
        for (layer, cache) in self.layers.iter().zip(caches.iter_mut()) {
            x = layer.apply(&x, cache);
        }
        let logits = Logits(&self.norm.apply(&x.at(seq, size - 1)), &self.words.E);
        let mut wanted: Vec<&dyn Evaluate> = vec![&logits];
        for (keys, values) in caches.iter() {
            wanted.extend([keys as &dyn Evaluate, values]);
        }
        eval(&wanted)?;
        for (keys, values) in caches.iter_mut() {
            (*keys, *values) = (keys.eval()?, values.eval()?);
        }
        logits.to_vec(vocab)
    }
}

/// Operations and bytes of the prompt, and of one word after it.
fn costs(weights: Weights) -> [Cost; 2] {
    let [l, c, f, v] = [LAYERS, CHANS, HIDDEN, VOCAB].map(|size| size as f64);
    let (word, head, p) = (l * (4.0 * c * c + 2.0 * c * f) * 2.0, 2.0 * v * c, 512.0);
    let bytes = weights.bytes() * (l * (4.0 * c * c + 2.0 * c * f) + v * c);
    [
        Cost { flops: p * word + head + l * 4.0 * c * p * (p + 1.0) / 2.0, bytes },
        Cost { flops: word + head + l * 4.0 * c * 513.0, bytes: bytes + l * 2.0 * 513.0 * c * 4.0 },
    ]
}

/// W4.
pub(crate) fn decoder(run: &Run) -> Result<(), Error> {
    stored(run, Weights::F32, ["W4/prompt512", "W4/decode"])?;
    stored(run, Weights::Bf16, ["W4/prompt512-bf16", "W4/decode-bf16"])
}

fn stored(run: &Run, weights: Weights, [first_case, next_case]: [&str; 2]) -> Result<(), Error> {
    if !run.wants(first_case) && !run.wants(next_case) {
        return Ok(());
    }
    let (decoder, text, [prompt, word]) = (Decoder::new(weights)?, tokens(CONTEXT), costs(weights));
    let none = || {
        let (h, d) = (heads.of(HEADS), CHANS / HEADS);
        vec![(Tensor::zeros((seq.of(0), h, key.of(d))), Tensor::zeros((seq.of(0), h, val.of(d)))); LAYERS]
    };
    if run.wants(first_case) {
        let first = || decoder.next(&text[..512], 0, &mut none());
        let checks = [summary("logits", &first()?)];
        run.time(first_case, prompt, &checks, first)?;
    }
    if run.wants(next_case) {
        let mut caches = none();
        decoder.next(&text[..512], 0, &mut caches)?;
        let (mut checks, mut times) = (Vec::new(), Vec::new());
        for i in 0..40 {
            let start = clock();
            let logits = decoder.next(&text[512 + i..513 + i], 512 + i, &mut caches)?;
            let time = clock() - start;
            match i {
                0 => checks.push(summary("logits0", &logits)),
                39 => checks.push(summary("logits39", &logits)),
                _ => {}
            }
            if i >= 8 {
                times.push(time);
            }
        }
        run.print(next_case, word, &checks, times, 1)?;
    }
    Ok(())
}
