use named_tensor::prelude::*;
axes! { seq }

named! {
    fn Many(A: R[seq], B: R[seq], C: R[seq], D: R[seq], E: R[seq], F: R[seq], G: R[seq], H: R[seq]) -> R[seq] {
        A + B + C + D + E + F + G + H
    }
}

fn main() {
    let x = Tensor::new(seq, [1.0, 2.0]);
    let _: Tensor<R![seq]> = Many(&x, &x, &x, &x, &x, &x, &x, &x);
}
