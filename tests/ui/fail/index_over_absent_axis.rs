use named_tensor::prelude::*;
axes! { vocab, emb, seq }

named! {
    fn F(E: R[seq, emb], I: vocab[seq]) -> R[seq, emb] {
        index_vocab(E, I)
    }
}

fn main() {}
