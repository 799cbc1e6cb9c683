use named_tensor::prelude::*;
axes! { seq, key, seq }

fn main() {}
