use named_tensor::prelude::*;
axes! { height, width, layer, key }

named! {
    fn F(A: R[height, width]) -> R[layer] {
        A_{(height, width) -> layer}
    }
}

fn main() {}
