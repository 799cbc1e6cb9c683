use named_tensor::prelude::*;
axes! { a, b, c, d, e, f, g, h, i, j, k, l, m }

named! {
    fn F(X: R[a, b, c, d, e, f, g], Y: R[h, i, j, k, l, m]) -> R[a, h] {
        sum_{b, c, d, e, f, g, i, j, k, l, m}(X * Y)
    }
    fn G(X: R[a, b, c, d, e, f, g], Y: R[h, i, j, k, l, m]) -> R[] {
        X * Y
    }
}

fn main() {}
