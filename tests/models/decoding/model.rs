//! A causal language model that reads words behind a context, for several texts at once.
//!
//! Pre-LN blocks with heads, learned positions, the table of words as the last layer. Queries are those of the new
//! positions seq′, keys and values those of all positions seq, the context's first.

use named_tensor::prelude::*;
use named_tensor_tests::reference::Grid;
use named_tensor_tests::reference::attention::{MultiHead, causal_mask};
use named_tensor_tests::reference::block::Block;
use named_tensor_tests::reference::elementwise::map;
use named_tensor_tests::strategies::tensor;
use transformer::attention::MaskedAttention;
use transformer::axes::{batch, chans, heads, key, seq, seq_, val, vocab};
use transformer::feed_forward::FFN;
use transformer::generate::{Continues, Logits};
use transformer::norm::LayerNorm;

use crate::{Numbers, feed_forward, layer_norm};

axes! { place }

named! {
    fn Embedded(I: vocab[], p: place[]; E: R[vocab, chans], P: R[place, chans]) -> R[chans] {
        index_vocab(E, I) + index_place(P, p)
    }

    fn Keys(X: R[chans]; W: R[chans, heads, key], b: R[heads, key]) -> R[heads, key] { X dot_chans W + b }

    fn Values(X: R[chans]; W: R[chans, heads, val], b: R[heads, val]) -> R[heads, val] { X dot_chans W + b }

    fn Attend(X: R[chans, seq_], K: R[heads, key, seq], V: R[heads, val, seq], M: R[seq, seq_];
              W_Q: R[chans, heads, key], b_Q: R[heads, key], W_O: R[heads, val, chans]) -> R[chans, seq_] {
        MaskedAttention(X dot_chans W_Q + b_Q, K, V, M) dot_{heads, val} W_O
    }

    /// The last query stands at the last key. The first n positions fill a text up; each of them sees itself alone.
    pub(crate) fn Seen(K: R[seq], Q: R[seq_], n: R[]) -> R[seq, seq_] {
        M_{seq(i), seq_(j)} = if (n <= i && i <= j + |seq| - |seq_|) || i == j + |seq| - |seq_| { 0 } else { -inf };
        M
    }

    fn Head(X: R[chans]; E: R[vocab, chans]) -> R[vocab] { X dot_chans E }
}

struct Layer {
    norm1: LayerNorm,
    keys: Keys,
    values: Values,
    attend: Attend,
    norm2: LayerNorm,
    ffn: FFN,
}

/// Keys and values of a layer.
pub(crate) type Kept = (Tensor<R![batch, heads, key, seq]>, Tensor<R![batch, heads, val, seq]>);

/// The model, and the plain one of which it has its numbers.
pub(crate) struct Model {
    embedded: Embedded,
    layers: Vec<Layer>,
    head: Head,
    plain: (Grid, Grid, Vec<Block<MultiHead>>),
    /// Whether a word sees only itself and those before it, as it should.
    pub(crate) causal: bool,
}

impl Layer {
    fn new(plain: &Block<MultiHead>) -> Layer {
        let a = &plain.attention;
        Layer {
            norm1: layer_norm(&plain.norm1),
            keys: Keys { W: tensor!(f32, &a.w_k, (heads, chans, key)), b: tensor!(f32, &a.b_k, (heads, key)) },
            values: Values { W: tensor!(f32, &a.w_v, (heads, chans, val)), b: tensor!(f32, &a.b_v, (heads, val)) },
            attend: Attend {
                W_Q: tensor!(f32, &a.w_q, (heads, chans, key)),
                b_Q: tensor!(f32, &a.b_q, (heads, key)),
                W_O: tensor!(f32, &a.w_o, (heads, val, chans)),
            },
            norm2: layer_norm(&plain.norm2),
            ffn: feed_forward(&plain.feed_forward),
        }
    }
}

impl Model {
    /// h heads of k features in each of n layers, for texts of so many words.
    pub(crate) fn drawn(seed: u64, words: usize, places: usize, [n, h, k]: [usize; 3]) -> Model {
        let (mut numbers, c) = (Numbers(seed), h * k);
        let (e, p) = (numbers.grid(&[words, c]), numbers.grid(&[places, c]));
        let mut block = || {
            let heads = numbers.multi_head(h, c, k, k + 1);
            numbers.block(c, 2 * c, heads)
        };
        let blocks: Vec<_> = (0..n).map(|_| block()).collect();
        let layers = blocks.iter().map(Layer::new).collect();
        let (table, place_table) = (tensor!(f32, &e, (vocab, chans)), tensor!(f32, &p, (place, chans)));
        let embedded = Embedded { E: table.clone(), P: place_table };
        Model { embedded, layers, head: Head { E: table }, plain: (e, p, blocks), causal: true }
    }

    /// The logits at each place of a text by plain code: positions first, words last.
    pub(crate) fn plainly(&self, text: &[usize]) -> Grid {
        let (e, p, blocks) = &self.plain;
        let c = e.sizes[1];
        let x = Grid::from_fn(&[text.len(), c], |at| e.get(&[text[at[0]], at[1]]) + p.get(at));
        let mask = causal_mask(text.len(), text.len(), 0);
        let mask = if self.causal { mask } else { map(&mask, |_| 0.0) };
        let x = blocks.iter().fold(x, |x, block| block.apply(&x, Some(&mask)));
        let logit = |at: &[usize]| (0..c).map(|i| x.get(&[at[0], i]) * e.get(&[at[1], i])).sum();
        Grid::from_fn(&[text.len(), e.sizes[0]], logit)
    }

    /// Reads words of several texts behind a context; the first `filled` places of each text fill it up.
    pub(crate) fn read(
        &self,
        words: &[&[usize]],
        filled: &[usize],
        context: &[Kept],
    ) -> Result<(Tensor<R![batch, seq_, vocab]>, Vec<Kept>), Error> {
        let (b, m) = (words.len(), words[0].len());
        let before = context[0].0.size(seq);
        let ids = Tensor::indices_from_vec((batch.of(b), seq_.of(m)), vocab, words.concat())?;
        let at = |&n: &usize| (before..before + m).map(move |j| j.saturating_sub(n));
        let places = Tensor::indices_from_vec((batch.of(b), seq_.of(m)), place, filled.iter().flat_map(at).collect())?;
        let filled = Tensor::from_vec(batch.of(b), filled.iter().map(|&n| n as f32).collect())?;
        let mut x: Tensor<R![batch, seq_, chans]> = self.embedded.apply(&ids, &places);
        let mut kept = vec![];
        for (layer, (k, v)) in self.layers.iter().zip(context) {
            let x1 = layer.norm1.apply(&x);
            let k = k.concat(seq, &layer.keys.apply(&x1).rename(seq_, seq));
            let v = v.concat(seq, &layer.values.apply(&x1).rename(seq_, seq));
            let seen = Seen(&k.at(batch, 0).at(heads, 0).at(key, 0), &x.at(batch, 0).at(chans, 0), &filled);
            let mask = if self.causal { seen } else { seen.ge(0.0).select(&seen, &Tensor::scalar(0.0)) };
            let x2 = &x + &layer.attend.apply(&x1, &k, &v, &mask);
            x = &x2 + &layer.ffn.apply(&layer.norm2.apply(&x2));
            kept.push((k, v));
        }
        let logits = self.head.apply(&x);
        let mut all: Vec<&dyn named_tensor::tensor::Evaluate> = vec![&logits];
        kept.iter().for_each(|(k, v)| all.extend([k as &dyn named_tensor::tensor::Evaluate, v]));
        eval(&all)?;
        let kept: Result<Vec<Kept>, Error> = kept.iter().map(|(k, v)| Ok((k.eval()?, v.eval()?))).collect();
        Ok((logits.eval()?, kept?))
    }

    /// The context of so many texts of which nothing was read.
    pub(crate) fn nothing(&self, texts: usize) -> Vec<Kept> {
        let empty = |layer: &Layer| {
            let (h, k) = (layer.keys.b.size(heads), layer.keys.b.size(key));
            let v = layer.values.b.size(val);
            let k = Tensor::zeros((batch.of(texts), heads.of(h), key.of(k), seq.of(0)));
            (k, Tensor::zeros((batch.of(texts), heads.of(h), val.of(v), seq.of(0))))
        };
        self.layers.iter().map(empty).collect()
    }
}

impl Continues for Model {
    type Context = Vec<Kept>;

    fn start(&self) -> Vec<Kept> {
        self.nothing(1)
    }

    fn extend(&self, words: &[usize], context: &Vec<Kept>) -> Result<(Logits, Vec<Kept>), Error> {
        let (logits, context) = self.read(&[words], &[0], context)?;
        Ok((logits.at(batch, 0).at(seq_, words.len() - 1).eval()?, context))
    }

    fn positions(&self) -> Option<usize> {
        Some(self.embedded.P.size(place))
    }
}
