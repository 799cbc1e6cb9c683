//! Scores and retrieval, key by key.
//!
//! Written from source 003: `Y_s = Σ_t softmax_t(score(Q_s, K_t)) V_t`.

use super::Grid;
use super::rearrangement::at;
use super::softmax::softmax_of;

/// `Σ_i q_i k_i`
#[must_use]
pub fn dot(q: &[f64], k: &[f64]) -> f64 {
    q.iter().zip(k).map(|(q, k)| q * k).sum()
}

/// `Σ_ij q_i W_ij k_j`
#[must_use]
pub fn bilinear(q: &[f64], k: &[f64], w: &Grid) -> f64 {
    let mut sum = 0.0;
    for (i, q) in q.iter().enumerate() {
        for (j, k) in k.iter().enumerate() {
            sum += q * w.get(&[i, j]) * k;
        }
    }
    sum
}

/// `v^T tanh(W [q; k] + b)`, where `W` is `W_Q` above `W_K`, both over (feature, hidden).
#[must_use]
pub fn additive(q: &[f64], k: &[f64], w_q: &Grid, w_k: &Grid, b: &[f64], v: &[f64]) -> f64 {
    let both = [q, k].concat();
    let w = Grid::new(&[both.len(), v.len()], [w_q.values.clone(), w_k.values.clone()].concat());
    let mut sum = 0.0;
    for (j, v) in v.iter().enumerate() {
        let inside: f64 = both.iter().enumerate().map(|(i, x)| x * w.get(&[i, j])).sum();
        sum += v * (inside + b[j]).tanh();
    }
    sum
}

/// `softmax_t(score(q, K_t))`, for keys over (position, feature).
#[must_use]
pub fn weights(score: impl Fn(&[f64], &[f64]) -> f64, q: &[f64], keys: &Grid) -> Vec<f64> {
    let scores: Vec<f64> = (0..keys.sizes[0]).map(|t| score(q, &at(keys, 0, t).values)).collect();
    softmax_of(&scores)
}

/// `Σ_t α_t V_t`, for values over (position, feature).
#[must_use]
pub fn retrieved(weights: &[f64], values: &Grid) -> Vec<f64> {
    let mut result = vec![0.0; values.sizes[1]];
    for (t, weight) in weights.iter().enumerate() {
        for (v, sum) in result.iter_mut().enumerate() {
            *sum += weight * values.get(&[t, v]);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_one_key_the_value_is_retrieved_whole() {
        let (keys, values) = (Grid::new(&[1, 1], vec![5.0]), Grid::new(&[1, 2], vec![1.0, 2.0]));
        assert_eq!(retrieved(&weights(dot, &[3.0], &keys), &values), [1.0, 2.0]);
    }

    #[test]
    fn the_score_by_a_network_is_that_of_the_two_features_one_above_the_other() {
        let (w_q, w_k) = (Grid::new(&[1, 1], vec![2.0]), Grid::new(&[1, 1], vec![-1.0]));
        assert_eq!(additive(&[1.0], &[0.5], &w_q, &w_k, &[0.25], &[3.0]), 3.0 * (2.0 - 0.5 + 0.25_f64).tanh());
    }
}
