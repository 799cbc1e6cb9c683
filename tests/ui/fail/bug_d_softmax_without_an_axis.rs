use named_tensor::prelude::*;
axes! { batch, vocab }

named! {
    fn Output(Z: R[vocab, batch]) -> R[vocab, batch] {
        softmax(Z)
    }
}

fn main() {}
