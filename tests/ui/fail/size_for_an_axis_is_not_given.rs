use named_tensor::prelude::*;
axes! { chans, out }

named! {
    fn Linear(X: R[chans]; W: R[chans, out]) -> R[out] {
        X dot_chans W
    }

    fn Scaled(X: R[chans]; G: R[chans] = 1/|out|) -> R[chans] {
        X * G
    }
}

fn main() {
    let _ = Linear::init(&mut seeded(0), chans.of(2));
    let _ = Scaled::init(&mut seeded(0), chans.of(2));
}
