use named_tensor::prelude::*;
axes! { a, b, c, d, e, f, g, h, i, j, k, l, m }

named! {
    fn F(X: R[a, b, c, d, e, f, g], Y: R[h, i, j, k, l, m]) -> R[a, h] {
        sum_{b, c, d, e, f, g}(X) * sum_{i, j, k, l, m}(Y)
    }
    fn G(X: R[a, b, c, d, e, f, g], Y: R[h, i, j, k, l, m]) -> R[] {
        sum_{a, b, c, d, e, f, g}(X) * sum_{h, i, j, k, l, m}(Y)
    }
}

fn main() {}
