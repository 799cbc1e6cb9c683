//! Layers of encoder, decoder and language model: rows 1.16, 3.18, 4.12, 4.15, N18.
//!
//! Every part f has three places at which a source may normalise, `post(X + mid(f(pre(X))))`, and uses one of them:
//! before it (pre-LN, sources 000 and 003), after the sum (post-LN, 001 and 004), or what it gives (the paper's appendix).
//! Lives here: one layer, and the choice of the place. Not here: how often it is applied (`stack`).

use crate::attention::MultiHead;
use crate::axes::{chans, seq, seq_, source};
use crate::feed_forward::FFN;
use crate::norm::LayerNorm;
use named_tensor::prelude::*;

named! {
    /// A layer of an encoder or, under a causal mask, of a language model (rows 1.16, 4.12).
    pub fn Layer(X: R[chans, seq], M: R[seq, seq_]; pre1: LayerNorm?, att: MultiHead, mid1: LayerNorm?, post1: LayerNorm?,
                 pre2: LayerNorm?, ffn: FFN, mid2: LayerNorm?, post2: LayerNorm?) -> R[chans, seq] {
        X1 = pre1(X);
        X2 = post1(X + mid1(att(X1_{seq -> seq_}, X1, M)_{seq_ -> seq}));
        post2(X2 + mid2(ffn(pre2(X2))))
    }

    /// A layer of a decoder, which besides looks at what an encoder gives (rows 1.16, 4.15).
    pub fn DecoderLayer(Y: R[chans, seq], M: R[seq, seq_], Z: R[chans, source], N: R[source];
                        pre1: LayerNorm?, att: MultiHead, mid1: LayerNorm?, post1: LayerNorm?,
                        pre2: LayerNorm?, cross: MultiHead, mid2: LayerNorm?, post2: LayerNorm?,
                        pre3: LayerNorm?, ffn: FFN, mid3: LayerNorm?, post3: LayerNorm?) -> R[chans, seq] {
        Y1 = pre1(Y);
        Y2 = post1(Y + mid1(att(Y1_{seq -> seq_}, Y1, M)_{seq_ -> seq}));
        Y3 = post2(Y2 + mid2(cross(pre2(Y2), Z_{source -> seq}, N_{source -> seq})));
        post3(Y3 + mid3(ffn(pre3(Y3))))
    }
}

/// Where a layer normalises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// What goes into a part: X + f(LayerNorm(X)).
    Before,
    /// What comes out of a part: X + LayerNorm(f(X)).
    Between,
    /// The sum: LayerNorm(X + f(X)).
    After,
}

type Norm<T> = Option<LayerNorm<T>>;

/// The one normalisation of a part, at its place; of several, the first.
fn placed<T: Real>(order: Order, [pre, mid, post]: [Norm<T>; 3]) -> [Norm<T>; 3] {
    let norm = pre.or(mid).or(post);
    [Order::Before, Order::Between, Order::After].map(|place| norm.clone().filter(|_| place == order))
}

impl<T: Real> MultiHead<T> {
    /// The same without biases, as all sources but 000 write it.
    #[must_use]
    pub fn without_biases(self) -> MultiHead<T> {
        MultiHead { b_Q: None, b_K: None, b_V: None, b_O: None, ..self }
    }
}

impl<T: Real> Layer<T> {
    /// The same parts, normalised in this order.
    #[must_use]
    pub fn normalised(self, order: Order) -> Layer<T> {
        let [pre1, mid1, post1] = placed(order, [self.pre1, self.mid1, self.post1]);
        let [pre2, mid2, post2] = placed(order, [self.pre2, self.mid2, self.post2]);
        Layer { pre1, mid1, post1, pre2, mid2, post2, att: self.att, ffn: self.ffn }
    }

    /// The same without biases in its attention.
    #[must_use]
    pub fn without_biases(self) -> Layer<T> {
        Layer { att: self.att.without_biases(), ..self }
    }
}

impl<T: Real> DecoderLayer<T> {
    /// The same parts, normalised in this order.
    #[must_use]
    pub fn normalised(self, order: Order) -> DecoderLayer<T> {
        let [pre1, mid1, post1] = placed(order, [self.pre1, self.mid1, self.post1]);
        let [pre2, mid2, post2] = placed(order, [self.pre2, self.mid2, self.post2]);
        let [pre3, mid3, post3] = placed(order, [self.pre3, self.mid3, self.post3]);
        let (att, cross, ffn) = (self.att, self.cross, self.ffn);
        DecoderLayer { pre1, mid1, post1, pre2, mid2, post2, pre3, mid3, post3, att, cross, ffn }
    }

    /// The same without biases in its attentions.
    #[must_use]
    pub fn without_biases(self) -> DecoderLayer<T> {
        DecoderLayer { att: self.att.without_biases(), cross: self.cross.without_biases(), ..self }
    }
}
