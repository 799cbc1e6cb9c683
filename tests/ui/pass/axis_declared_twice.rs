use named_tensor::prelude::*;
axes! { seq, key }

fn main() {
    let _ = (seq, key);
}
