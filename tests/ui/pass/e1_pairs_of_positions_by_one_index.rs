use named_tensor::prelude::*;
axes! { seq, subseq, vocab }

named! {
    fn Both(P: R[seq, vocab], I: seq[subseq], J: vocab[subseq]) -> R[subseq] {
        index_vocab(index_seq(P, I), J)
    }
}

fn main() {}
