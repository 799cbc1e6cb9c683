//! W1, products of matrices, and W7, contractions whose axes lie awkwardly.
//!
//! The text of each equation names its axes as the protocol's einsum does; `R!` of a result is the set of its letters.

use named_tensor::prelude::*;

use crate::protocol::{Cost, Run, fill, summary};

axes! {
    /// The letters of the einsums.
    a, b, c, d, h, i, j, k, l, m, n, v,
}

named! {
    fn Product(A: R[b, m, k], B: R[b, k, n]) -> R[b, m, n] { A dot_k B }
    fn Scores(Q: R[b, h, m, k], K: R[b, h, n, k]) -> R[b, h, m, n] { Q dot_k K }
    fn Heads(X: R[b, m, d], W: R[h, d, k]) -> R[b, h, m, k] { X dot_d W }
    fn Values(A: R[b, h, m, n], V: R[b, h, n, v]) -> R[b, m, h, v] { A dot_n V }
    fn Turned(X: R[i, j, k], Y: R[k, j, l]) -> R[i, l] { X dot_{j, k} Y }
    fn Chain(X: R[a, b], Y: R[b, c], Z: R[c, d]) -> R[a, d] { X dot_b Y dot_c Z }
}

/// W1: C = A B.
pub(crate) fn matrices(run: &Run) -> Result<(), Error> {
    let cases: [(&str, [usize; 4]); 7] = [
        ("W1/256", [1, 256, 256, 256]),
        ("W1/512", [1, 512, 512, 512]),
        ("W1/1024", [1, 1024, 1024, 1024]),
        ("W1/2048", [1, 2048, 2048, 2048]),
        ("W1/1x768x3072", [1, 1, 768, 3072]),
        ("W1/128x768x3072", [1, 128, 768, 3072]),
        ("W1/12@512x64x512", [12, 512, 64, 512]),
    ];
    for (case, [many, rows, inner, columns]) in cases {
        if run.wants(case) {
            let left = fill(1, many * rows * inner, 1.0);
            let right = fill(2, many * inner * columns, 1.0);
            let bytes = 4 * (left.len() + right.len() + many * rows * columns);
            let left = Tensor::from_vec((b.of(many), m.of(rows), k.of(inner)), left)?;
            let right = Tensor::from_vec((b.of(many), k.of(inner), n.of(columns)), right)?;
            let cost = Cost { flops: 2.0 * (many * rows * inner * columns) as f64, bytes: bytes as f64 };
            let checks = [summary("y", &Product(&left, &right).to_vec((b, m, n))?)];
            run.time(case, cost, &checks, || Product(&left, &right).eval())?;
        }
    }
    Ok(())
}

/// W7: the axes of a result in the order that is read.
pub(crate) fn einsums(run: &Run) -> Result<(), Error> {
    let cost = |flops: usize| Cost { flops: flops as f64, bytes: 0.0 };
    let many = 2 * 12 * 512;
    if run.wants("W7/bhmk,bhnk->bhmn") {
        let q = Tensor::from_vec((b.of(2), h.of(12), m.of(512), k.of(64)), fill(40, many * 64, 1.0))?;
        let keys = Tensor::from_vec((b.of(2), h.of(12), n.of(512), k.of(64)), fill(41, many * 64, 1.0))?;
        let checks = [summary("y", &Scores(&q, &keys).to_vec((b, h, m, n))?)];
        run.time("W7/bhmk,bhnk->bhmn", cost(2 * many * 512 * 64), &checks, || Scores(&q, &keys).eval())?;
    }
    if run.wants("W7/bmd,hdk->bhmk") {
        let x = Tensor::from_vec((b.of(2), m.of(512), d.of(768)), fill(40, 2 * 512 * 768, 1.0))?;
        let w = Tensor::from_vec((h.of(12), d.of(768), k.of(64)), fill(41, 12 * 768 * 64, 1.0))?;
        let checks = [summary("y", &Heads(&x, &w).to_vec((b, h, m, k))?)];
        run.time("W7/bmd,hdk->bhmk", cost(2 * many * 768 * 64), &checks, || Heads(&x, &w).eval())?;
    }
    if run.wants("W7/bhmn,bhnv->bmhv") {
        let weights = Tensor::from_vec((b.of(2), h.of(12), m.of(512), n.of(512)), fill(40, many * 512, 1.0))?;
        let values = Tensor::from_vec((b.of(2), h.of(12), n.of(512), v.of(64)), fill(41, many * 64, 1.0))?;
        let checks = [summary("y", &Values(&weights, &values).to_vec((b, m, h, v))?)];
        run.time("W7/bhmn,bhnv->bmhv", cost(2 * many * 512 * 64), &checks, || Values(&weights, &values).eval())?;
    }
    if run.wants("W7/ijk,kjl->il") {
        let x = Tensor::from_vec((i.of(256), j.of(64), k.of(64)), fill(40, 256 * 64 * 64, 1.0))?;
        let y = Tensor::from_vec((k.of(64), j.of(64), l.of(256)), fill(41, 256 * 64 * 64, 1.0))?;
        let checks = [summary("y", &Turned(&x, &y).to_vec((i, l))?)];
        run.time("W7/ijk,kjl->il", cost(2 * 256 * 4096 * 256), &checks, || Turned(&x, &y).eval())?;
    }
    for (case, [aa, bb, cc, dd]) in
        [("W7/ab,bc,cd->ad/1", [10, 1000, 10, 1000]), ("W7/ab,bc,cd->ad/2", [1000, 10, 1000, 10])]
    {
        if run.wants(case) {
            let x = Tensor::from_vec((a.of(aa), b.of(bb)), fill(40, aa * bb, 1.0))?;
            let y = Tensor::from_vec((b.of(bb), c.of(cc)), fill(41, bb * cc, 1.0))?;
            let z = Tensor::from_vec((c.of(cc), d.of(dd)), fill(42, cc * dd, 1.0))?;
            let checks = [summary("y", &Chain(&x, &y, &z).to_vec((a, d))?)];
            run.time(case, cost(400_000), &checks, || Chain(&x, &y, &z).eval())?;
        }
    }
    Ok(())
}
