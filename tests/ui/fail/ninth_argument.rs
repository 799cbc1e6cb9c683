use named_tensor::prelude::*;
axes! { seq, key }

named! {
    fn Many(A: R[seq], B: R[seq], C: R[seq], D: R[seq], E: R[seq], F: R[seq], G: R[seq], H: R[seq], I: R[key]) -> R[seq] {
        A + B + C + D + E + F + G + H + sum_key(I)
    }
}

fn main() {
    let (x, y) = (Tensor::new(seq, [1.0, 2.0]), Tensor::new(key, [1.0]));
    let _: Tensor<R![seq]> = Many(&x, &x, &x, &x, &x, &x, &x, &x, &y);
}
