use named_tensor::prelude::*;
axes! { val, chans }

named! {
    fn F(X: R[val]) -> R[chans] {
        X_{val -> chans}
    }
}

fn main() {}
