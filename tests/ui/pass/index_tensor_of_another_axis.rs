use named_tensor::prelude::*;
axes! { vocab, emb, seq, chars }

named! {
    fn F(E: R[vocab, emb], I: vocab[seq]) -> R[seq, emb] {
        index_vocab(E, I)
    }
}

fn main() {}
