//! The loss head of a categorical variable: softmax cross-entropy over its own categories.
//!
//! | formula | code | shape |
//! |---|---|---|
//! | `log sum_c exp z_c` | [`Softmax::log_sum_exp`] | one per row |
//! | `-log p(x) = log sum_c exp z_c - z_x` | caller, from the two | one per sample |
//! | d/dz = weight * softmax(z), then - weight at each observed category | [`Softmax::scaled`] | `[rows, width]` |
//!
//! Logits have a padded width; pads never count. Several samples may share one row (same inputs),
//! so rows carry a weight and the observed categories are subtracted sample by sample.

use super::simd::{dispatched, mul_add};
use super::{LANES, math, padded};

/// Sums of exponentials outside of this range are computed again relative to the largest logit.
const SAFE_SUMS: std::ops::Range<f32> = 1e-30..1e30;

/// Softmax over the first `n_categories` of each padded row of logits.
#[derive(Clone, Debug)]
pub(crate) struct Softmax {
    pub n_categories: usize,
    /// One for a category, zero for a pad; `[width]`.
    live: Vec<f32>,
}

impl Softmax {
    pub(crate) fn new(n_categories: usize) -> Self {
        let width = padded(n_categories);
        let live = (0..width).map(|k| f32::from(u8::from(k < n_categories)));
        Self {
            n_categories,
            live: live.collect(),
        }
    }

    pub(crate) fn width(&self) -> usize {
        self.live.len()
    }

    /// `log sum exp` of every row of `logits`, `[rows, width]`, one per element of `log_sums`;
    /// `exponentials` is scratch of the size of `logits`.
    pub(crate) fn log_sum_exp(
        &self,
        logits: &[f32],
        exponentials: &mut [f32],
        log_sums: &mut [f32],
    ) {
        exponentiate(logits, exponentials);
        sum_rows(exponentials, &self.live, log_sums);
        let unsafe_rows = logarithms(log_sums);
        if unsafe_rows {
            for (row, log_sum) in logits.chunks_exact(self.width()).zip(log_sums) {
                *log_sum = shifted_log_sum(&row[..self.n_categories]);
            }
        }
    }

    /// Replaces each row of logits by `weight * softmax`, pads by zero, and tells the
    /// `log sum exp`; `exponentials` is scratch of the size of `logits`.
    pub(crate) fn scaled(
        &self,
        logits: &mut [f32],
        weights: &[f32],
        exponentials: &mut [f32],
        log_sums: &mut [f32],
    ) {
        self.log_sum_exp(logits, exponentials, log_sums);
        scale(logits, &self.live, weights, log_sums);
    }
}

fn shifted_log_sum(logits: &[f32]) -> f32 {
    let largest = logits.iter().copied().fold(f32::MIN, f32::max);
    let sum: f32 = logits.iter().map(|z| (z - largest).exp()).sum();
    largest + sum.ln()
}

dispatched! {
    fn exponentiate(logits: &[f32], exponentials: &mut [f32]) {
        for (to, logit) in exponentials.iter_mut().zip(logits) {
            *to = math::exp::<FMA>(*logit);
        }
    }
}

/// Rows that are summed together: enough for full registers in every halving.
const GROUP: usize = 32;

dispatched! {
    /// Sums of the live entries of each row: chunks of lanes first, then halving, so that every
    /// loop runs over contiguous memory.
    fn sum_rows(values: &[f32], live: &[f32], sums: &mut [f32]) {
        let width = live.len();
        for (values, sums) in values.chunks(width * GROUP).zip(sums.chunks_mut(GROUP)) {
            let mut eight = [0.0; 8 * GROUP];
            for (row, lanes) in values.chunks_exact(width).zip(eight.chunks_exact_mut(LANES)) {
                for (chunk, live) in row.chunks_exact(LANES).zip(live.chunks_exact(LANES)) {
                    for k in 0..LANES {
                        lanes[k] = mul_add::<FMA>(live[k], chunk[k], lanes[k]);
                    }
                }
            }
            let mut four = [0.0; 4 * GROUP];
            for k in 0..4 * GROUP {
                four[k] = eight[2 * k] + eight[2 * k + 1];
            }
            let mut two = [0.0; 2 * GROUP];
            for k in 0..2 * GROUP {
                two[k] = four[2 * k] + four[2 * k + 1];
            }
            for (k, sum) in sums.iter_mut().enumerate() {
                *sum = two[2 * k] + two[2 * k + 1];
            }
        }
    }
}

dispatched! {
    /// Logarithms in place; true if some sum was too small or too large for the short way.
    fn logarithms(sums: &mut [f32]) -> bool {
        let mut outside = 0;
        for sum in sums {
            outside |= u32::from(*sum < SAFE_SUMS.start) | u32::from(*sum > SAFE_SUMS.end);
            *sum = math::ln::<FMA>(*sum);
        }
        outside != 0
    }
}

dispatched! {
    fn scale(logits: &mut [f32], live: &[f32], weights: &[f32], log_sums: &[f32]) {
        let rows = logits.chunks_exact_mut(live.len()).zip(weights.iter().zip(log_sums));
        for (row, (weight, log_sum)) in rows {
            for (value, live) in row.iter_mut().zip(live) {
                *value = weight * live * math::exp::<FMA>(*value - log_sum);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn padded_rows(rows: &[Vec<f32>], width: usize) -> Vec<f32> {
        let pad = |row: &Vec<f32>| {
            let mut row = row.clone();
            row.resize(width, 0.0);
            row
        };
        rows.iter().flat_map(pad).collect()
    }

    proptest! {
        #[test]
        fn both_kernels_agree_with_the_definition(
            rows in (1..20usize).prop_flat_map(|c| prop::collection::vec(prop::collection::vec(-100.0f32..100.0, c), 1..20))
        ) {
            let head = Softmax::new(rows[0].len());
            let mut logits = padded_rows(&rows, head.width());
            let mut sums = vec![0.0; rows.len()];
            let mut scratch = vec![0.0; logits.len()];
            head.log_sum_exp(&logits, &mut scratch, &mut sums);
            let mut again = vec![0.0; rows.len()];
            head.scaled(&mut logits, &vec![2.0; rows.len()], &mut scratch, &mut again);
            for (r, row) in rows.iter().enumerate() {
                let exact = row.iter().map(|z| f64::from(*z).exp()).sum::<f64>().ln();
                prop_assert!((f64::from(sums[r]) - exact).abs() < 1e-5 * exact.abs().max(1.0));
                prop_assert!((sums[r] - again[r]).abs() < 1e-5 * sums[r].abs().max(1.0));
                for (k, found) in logits[r * head.width()..][..head.width()].iter().enumerate() {
                    let expected = row.get(k).map_or(0.0, |z| 2.0 * (f64::from(*z) - exact).exp());
                    prop_assert!((f64::from(*found) - expected).abs() < 1e-5);
                }
            }
        }
    }
}
