use named_tensor::prelude::*;
axes! { seq, key }

fn main() {
    let _ = Tensor::new((seq, key), [1.0, 2.0]);
}
