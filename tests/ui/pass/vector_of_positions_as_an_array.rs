use named_tensor::prelude::*;
axes! { seq, vocab }

fn words(positions: Vec<usize>) -> Result<Tensor<R![seq], Index<vocab>>, Error> {
    Tensor::indices_from_vec(seq.of(positions.len()), vocab, positions)
}

fn main() {}
