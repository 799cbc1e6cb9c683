use named_tensor::prelude::*;
axes! { chans, out }

named! {
    fn Linear(X: R[chans]; W: R[chans, out]) -> R[out] {
        X dot_chans W
    }
}

fn main() {
    let _ = Linear::init(&mut seeded(0), (chans.of(2), out.of(3)));
}
