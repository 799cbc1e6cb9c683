//! Tall products in small parts, against plain loops in `f64`.

use super::check_both;

#[test]
fn tall_products_of_few_columns_agree_with_plain_loops_at_every_edge_of_parts() {
    for (k, n) in [(1, 7), (5, 7), (16, 20), (130, 20), (8, 21), (100, 31), (9, 32), (8, 64), (7, 65), (300, 7)] {
        let most = 128 * 1024 / (k * n) / 16 * 16;
        for m in [most - 1, most, most + 1, 2 * most + 5] {
            let [m_, k_, n_] = [m, k, n].map(|size| size as isize);
            for lhs in [[k_, 1], [1, m_]] {
                for rhs in [[n_, 1], [1, k_]] {
                    check_both(&[], [m, k, n], [&lhs, &rhs, &[n_, 1]]);
                    // The same seen from the other side.
                    check_both(&[], [n, k, m], [&[rhs[1], rhs[0]], &[lhs[1], lhs[0]], &[1, n_]]);
                }
            }
            // Rows with gaps are no parts of this kind.
            check_both(&[], [m, k, n], [&[k_ + 1, 1], &[n_, 1], &[n_ + 2, 1]]);
        }
    }
}
