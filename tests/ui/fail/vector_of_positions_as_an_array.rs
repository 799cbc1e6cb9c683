use named_tensor::prelude::*;
axes! { seq, vocab }

fn words(positions: Vec<usize>) -> Tensor<R![seq], Index<vocab>> {
    Tensor::indices(seq, vocab, positions)
}

fn main() {}
