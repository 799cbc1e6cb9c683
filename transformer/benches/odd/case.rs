//! How a kind of operation is written: `odd!`, its inputs with axes and sizes, its result, and the operation itself.
//!
//! ```text
//! odd! {
//!     run "softmax/rows" [m, n] in [[31, 17], [1001, 773]];
//!     x [row m, col n] => [row, col] { x.softmax(col) }
//! }
//! ```
//!
//! Inputs are borrowed in the body and lie in the order in which their axes are named; `* 0.1` behind one makes its
//! numbers smaller; `where` makes what is no variable, such as positions. With all sizes in turn the operation is timed
//! forwards, and, unless `forwards` stands before its name, as a loss with its gradients: the loss is the sum of the
//! result with fixed weights, the gradients are those by all inputs, and all are computed together.
//! Not here: the timing loop, and what is printed (`protocol`).

macro_rules! odd {
    ($run:ident forwards $kind:literal $($rest:tt)*) => { odd! { @ $run false $kind $($rest)* } };
    ($run:ident $kind:literal $($rest:tt)*) => { odd! { @ $run true $kind $($rest)* } };
    (@ $run:ident $gradients:literal $kind:literal [$($size:ident),+] in $sizes:expr;
     $($x:ident [$($axis:ident $extent:expr),*] $(* $scale:literal)?),+ => [$($result:ident),*] $body:block
     $(where $($given:ident = $value:expr),+)?) => {
        for sizes in $sizes {
            use $crate::protocol::{Case, Check, WEIGHTS, count, drawn, fill};
            let ([$($size),+], case) = (sizes, Case::new($kind, &sizes));
            let inputs = [$(count(&[$($extent),*])),+];
            if !$run.wants(&case, inputs.iter().sum()) {
                continue;
            }
            $($(let $given = $value;)+)?
            let mut seed = 0;
            $(
                seed += 1;
                let $x: Tensor<R![$($axis),*]> =
                    Tensor::from_vec(($($axis.of($extent),)*), drawn(seed, &[$($extent),*], &[$($scale)?]))?;
            )+
            let of = |$($x: &Tensor<R![$($axis),*]>),+| -> Tensor<R![$($result),*]> { $body };
            let y = of($(&$x),+);
            let numbers = y.to_vec(($($result,)*))?;
            let weights: Tensor<R![$($result),*]> =
                Tensor::from_vec(($($result.of(y.size($result)),)*), fill(WEIGHTS, numbers.len()))?;
            drop(y);
            let check = Check::of(WEIGHTS, &numbers);
            $run.time(&case, "forwards", &[check], &mut || of($(&$x),+).eval().map(|y| drop(std::hint::black_box(y))))?;
            if $gradients {
                let step = || {
                    let loss = (of($(&$x),+) * &weights).sum(($($result,)*));
                    value_and_grad(&loss, ($(&$x,)+))
                };
                let mut checks = Vec::new();
                {
                    let (loss, ($($x,)+)) = step()?;
                    checks.push(Check { sum: f64::from(loss), ..check });
                    let mut seed = WEIGHTS;
                    $(
                        seed += 1;
                        checks.push(Check::of(seed, &$x.to_vec(($($axis,)*))?));
                    )+
                }
                $run.time(&case, "+grad", &checks, &mut || step().map(|all| drop(std::hint::black_box(all))))?;
            }
        }
    };
}

pub(crate) use odd;
