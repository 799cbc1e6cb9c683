//! Masks over (query, key), from the sentences that define them.
//!
//! Lives here: windows, prefixes, lengths, the bias of ALiBi. Not here: the causal mask (`attention`), what masks are added to.

use super::Grid;

/// 0 where `seen(query, key)`, else -∞; queries are numbered by the keys they stand at, the last query at the last key.
#[must_use]
pub fn mask(queries: usize, keys: usize, seen: impl Fn(usize, usize) -> bool) -> Grid {
    let before = keys - queries;
    Grid::from_fn(&[queries, keys], |at| if seen(at[0] + before, at[1]) { 0.0 } else { f64::NEG_INFINITY })
}

/// The slopes of ALiBi: for n heads, n a power of 2, the powers of 2^(-8/n); for other numbers those of the power of 2
/// below, then the first, third, fifth of twice as many.
#[must_use]
pub fn slopes(heads: usize) -> Vec<f64> {
    let of_power = |n: usize| (1..=n).map(|i| 2_f64.powf(-8.0 * i as f64 / n as f64)).collect::<Vec<_>>();
    let mut power = 1;
    while 2 * power <= heads {
        power *= 2;
    }
    let mut slopes = of_power(power);
    slopes.extend(of_power(2 * power).into_iter().step_by(2).take(heads - power));
    slopes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_query_stands_at_the_last_key() {
        assert_eq!(mask(1, 3, |query, _| query == 2).values, [0.0; 3]);
    }

    #[test]
    fn slopes_of_eight_heads_are_powers_of_a_half() {
        assert_eq!(slopes(8), [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625]);
        assert_eq!(slopes(3), [0.0625, 0.00390625, 0.25]);
    }
}
