use named_tensor::prelude::*;
axes! { val, chans }

named! {
    fn F(X: R[val, chans]) -> R[chans] {
        X_{val -> chans}
    }
}

fn main() {}
