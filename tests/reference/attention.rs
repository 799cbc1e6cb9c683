//! Attention on rows: position first, feature last.
//!
//! Lives here: masks, attention of one and of many queries, self-attention with and without heads.
//! Not here: the block around it (`block`).

use super::Grid;
use super::feed_forward::linear;
use super::rearrangement::at;
use super::softmax::softmax_of;

/// `M_{i,j} = 0 if key j ≤ query i + offset, else -∞`, over (query, key); the offset counts keys before the queries.
#[must_use]
pub fn causal_mask(queries: usize, keys: usize, offset: usize) -> Grid {
    Grid::from_fn(&[queries, keys], |place| if place[1] <= place[0] + offset { 0.0 } else { f64::NEG_INFINITY })
}

/// `Att(q, K, V)_v = Σ_s softmax_s(Σ_k q_k K_{s,k} / √|key| + M_s) V_{s,v}`, for one query.
#[must_use]
pub fn attend(query: &[f64], keys: &Grid, values: &Grid, mask: Option<&[f64]>) -> Vec<f64> {
    let weights = weights(query, keys, mask);
    let mut result = vec![0.0; values.sizes[1]];
    for (s, weight) in weights.iter().enumerate() {
        for (v, sum) in result.iter_mut().enumerate() {
            *sum += weight * values.get(&[s, v]);
        }
    }
    result
}

/// `α_s = softmax_s(Σ_k q_k K_{s,k} / √|key| + M_s)`, the weights of one query.
#[must_use]
pub fn weights(query: &[f64], keys: &Grid, mask: Option<&[f64]>) -> Vec<f64> {
    let mut scores = Vec::new();
    for s in 0..keys.sizes[0] {
        let mut product = 0.0;
        for (k, q) in query.iter().enumerate() {
            product += q * keys.get(&[s, k]);
        }
        scores.push(product / (query.len() as f64).sqrt() + mask.map_or(0.0, |mask| mask[s]));
    }
    softmax_of(&scores)
}

/// `softmax(Q Kᵀ / √|key| + M) V`, one row per query.
#[must_use]
pub fn attention(q: &Grid, k: &Grid, v: &Grid, mask: Option<&Grid>) -> Grid {
    let mut values = Vec::new();
    for i in 0..q.sizes[0] {
        let mask = mask.map(|mask| at(mask, 0, i).values);
        values.extend(attend(&at(q, 0, i).values, k, v, mask.as_deref()));
    }
    Grid::new(&[q.sizes[0], v.sizes[1]], values)
}

/// The weights of self-attention.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfAttention {
    /// `W_Q`, over (chans, key).
    pub w_q: Grid,
    /// `b_Q`, over key.
    pub b_q: Grid,
    /// `W_K`, over (chans, key).
    pub w_k: Grid,
    /// `b_K`, over key.
    pub b_k: Grid,
    /// `W_V`, over (chans, val).
    pub w_v: Grid,
    /// `b_V`, over val.
    pub b_v: Grid,
}

impl SelfAttention {
    /// `Att(X W_Q + b_Q, X W_K + b_K, X W_V + b_V)`
    #[must_use]
    pub fn apply(&self, x: &Grid, mask: Option<&Grid>) -> Grid {
        let q = linear(x, &self.w_q, &self.b_q);
        let k = linear(x, &self.w_k, &self.b_k);
        let v = linear(x, &self.w_v, &self.b_v);
        attention(&q, &k, &v, mask)
    }
}

/// The weights of attention with heads: one matrix and one bias per head.
#[derive(Clone, Debug, PartialEq)]
pub struct MultiHead {
    /// `W_Q`, over (heads, chans, key).
    pub w_q: Grid,
    /// `b_Q`, over (heads, key).
    pub b_q: Grid,
    /// `W_K`, over (heads, chans, key).
    pub w_k: Grid,
    /// `b_K`, over (heads, key).
    pub b_k: Grid,
    /// `W_V`, over (heads, chans, val).
    pub w_v: Grid,
    /// `b_V`, over (heads, val).
    pub b_v: Grid,
    /// `W_O`, over (heads, val, chans).
    pub w_o: Grid,
}

impl MultiHead {
    /// `Y_{s,c} = Σ_{h,v} head_{h,s,v} W_O_{h,v,c}` with the heads of [`head`](MultiHead::head).
    ///
    /// This is `[head_1, …, head_h] W^O` of the matrix form, where W^O is flattened heads first.
    #[must_use]
    pub fn apply(&self, x: &Grid, z: &Grid, mask: Option<&Grid>) -> Grid {
        let head: Vec<Grid> = (0..self.w_q.sizes[0]).map(|h| self.head(h, x, z, mask)).collect();
        Grid::from_fn(&[x.sizes[0], self.w_o.sizes[2]], |place| {
            let mut sum = 0.0;
            for (h, head) in head.iter().enumerate() {
                for v in 0..self.w_o.sizes[1] {
                    sum += head.get(&[place[0], v]) * self.w_o.get(&[h, v, place[1]]);
                }
            }
            sum
        })
    }

    /// `head_h = Att(X W_Q_h + b_Q_h, Z W_K_h + b_K_h, Z W_V_h + b_V_h)`
    #[must_use]
    pub fn head(&self, h: usize, x: &Grid, z: &Grid, mask: Option<&Grid>) -> Grid {
        let project = |x: &Grid, w: &Grid, b: &Grid| linear(x, &at(w, 0, h), &at(b, 0, h));
        let (k, v) = (project(z, &self.w_k, &self.b_k), project(z, &self.w_v, &self.b_v));
        attention(&project(x, &self.w_q, &self.b_q), &k, &v, mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_causal_mask_lets_each_query_see_itself_and_what_came_before() {
        let hidden = f64::NEG_INFINITY;
        assert_eq!(causal_mask(2, 2, 0).values, [0., hidden, 0., 0.]);
        assert_eq!(causal_mask(2, 3, 1).values, [0., 0., hidden, 0., 0., 0.]);
    }

    #[test]
    fn attention_to_equal_keys_is_the_mean_of_the_values() {
        let (keys, values) = (Grid::new(&[2, 1], vec![3., 3.]), Grid::new(&[2, 2], vec![1., 2., 3., 6.]));
        assert_eq!(attend(&[5.0], &keys, &values, None), [2., 4.]);
        assert_eq!(attend(&[5.0], &keys, &values, Some(&[f64::NEG_INFINITY, 0.0])), [3., 6.]);
    }
}
