use named_tensor::prelude::*;
axes! { vocab, seq, emb }

named! {
    fn Likeliest(X: R[seq, vocab]) -> vocab[seq] { argmaxk_vocab(X, 1)_{vocab(0)} }
    fn Nearest(E: R[vocab, emb], X: R[seq, vocab]) -> R[seq, emb] { E_{vocab(argsort_vocab(X)_{vocab(0)})} }
}

fn main() {}
