//! Scratch.
use named_tensor::prelude::*;
use std::time::Instant;
axes! { /// r
 row, /// c
 column, /// t
 turned }
type Square = Tensor<R![row, column]>;
fn main() -> Result<(), Error> {
    let mode = std::env::args().nth(1).unwrap();
    let rounds: usize = std::env::args().nth(2).and_then(|n| n.parse().ok()).unwrap_or(2000);
    let x = Square::from_vec((row.of(8), column.of(8)), (0..64).map(|i| i as f32 / 64.0).collect())?;
    let b = Square::from_vec((row.of(8), column.of(8)), (0..64).map(|i| i as f32 / 64000.0).collect())?;
    let shift = (0..64).map(|i| if (i / 8 + 1) % 8 == i % 8 { 1.0 } else { 0.0 }).collect();
    let w: Tensor<R![column, turned]> = Tensor::from_vec((column.of(8), turned.of(8)), shift)?;
    let of: &dyn Fn(&Square) -> Square = match &mode[..3] {
        "add" => &|x| x + &b,
        "mat" => &|x| x.dot(column, &w).rename(turned, column),
        _ => &|x| x.softmax(column),
    };
    let each = mode.ends_with("each");
    let mut best = [f64::INFINITY; 4];
    for _ in 0..rounds {
        let t0 = Instant::now();
        if each {
            let mut y = x.clone();
            for _ in 0..1000 { y = of(&y).eval()?; }
            best[3] = best[3].min(t0.elapsed().as_secs_f64());
            continue;
        }
        let y = (0..1000).fold(x.clone(), |x, _| of(&x));
        let t1 = Instant::now();
        let z = y.eval()?;
        let t2 = Instant::now();
        drop(y);
        let t3 = Instant::now();
        drop(z);
        for (b, t) in best.iter_mut().zip([t1 - t0, t2 - t1, t3 - t2, t3 - t0]) { *b = b.min(t.as_secs_f64()); }
    }
    println!("{mode}: build {:.0} eval {:.0} drop {:.0} all {:.0} ns/op", best[0] * 1e6, best[1] * 1e6, best[2] * 1e6, best[3] * 1e6);
    Ok(())
}
