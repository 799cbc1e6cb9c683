use named_tensor::prelude::*;
axes! { val, chans, key }

named! {
    fn F(X: R[val]) -> R[chans] {
        X_{val -> chans}
    }
}

fn main() {}
