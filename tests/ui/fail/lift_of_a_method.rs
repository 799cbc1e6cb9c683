use named_tensor::prelude::*;
axes! { seq }

struct S;

impl S {
    #[lift]
    fn double(&self, x: &Tensor<R![seq]>) -> Tensor<R![seq]> {
        x * 2.0
    }
}

fn main() {}
