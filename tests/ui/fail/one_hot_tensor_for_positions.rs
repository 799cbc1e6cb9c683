use named_tensor::prelude::*;
axes! { vocab, seq, emb }

named! {
    fn Likeliest(X: R[seq, vocab]) -> vocab[seq] { argmax_vocab(X) }
    fn Nearest(E: R[vocab, emb], X: R[seq, vocab]) -> R[seq, emb] { E_{vocab(argmin_vocab(X))} }
}

fn main() {}
