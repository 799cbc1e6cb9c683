use named_tensor::{parameters, prelude::*};
axes! { chans, hidden }

named! {
    fn Linear(X: R[chans]; W: R[chans, hidden]) -> R[hidden] { X dot_chans W }
}

parameters! {
    /// Two layers side by side.
    struct Pair { first: Linear, second: Linear }
}

fn main() {}
