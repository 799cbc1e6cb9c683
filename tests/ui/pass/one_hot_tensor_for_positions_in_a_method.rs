use named_tensor::prelude::*;
axes! { vocab, seq, emb }

fn main() {
    let e = Tensor::new((vocab, emb), [[1.0], [2.0]]);
    let x = Tensor::new((seq, vocab), [[0.5, 1.5]]);
    let _ = e.index(vocab, &x.argmaxk(vocab, vocab.of(1)).at(vocab, 0));
}
