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

use super::simd::dispatched;
use super::{LANES, math, padded};

/// Softmax over the first `n_categories` of each padded row of logits.
#[derive(Clone, Debug)]
pub struct Softmax {
    /// One for a category, zero for a pad; `[width]`.
    live: Vec<f32>,
}

impl Softmax {
    /// A head for this many categories.
    pub fn new(n_categories: usize) -> Self {
        let width = padded(n_categories);
        let live = (0..width).map(|k| f32::from(u8::from(k < n_categories)));
        Self {
            live: live.collect(),
        }
    }

    /// Padded number of logits per row.
    pub fn width(&self) -> usize {
        self.live.len()
    }

    /// `log sum exp` of every row of `logits`, `[rows, width]`; one result per row.
    pub fn log_sum_exp(&self, logits: &[f32], results: &mut [f32]) {
        log_sum_exp(logits, &self.live, results);
    }

    /// Replaces each row of logits by `weight * softmax`, pads by zero, and tells the `log sum exp`.
    pub fn scaled(&self, logits: &mut [f32], weights: &[f32], log_sums: &mut [f32]) {
        scaled_softmax(logits, &self.live, weights, log_sums);
    }
}

/// Largest value of a row whose length is a multiple of [`LANES`].
#[allow(clippy::inline_always, reason = "must become part of the wide loops")]
#[inline(always)]
fn row_maximum(row: &[f32]) -> f32 {
    let larger = |a: f32, b: f32| if a > b { a } else { b };
    let mut lanes = [f32::MIN; LANES];
    for chunk in row.chunks_exact(LANES) {
        for k in 0..LANES {
            lanes[k] = larger(lanes[k], chunk[k]);
        }
    }
    let half: [f32; 4] = std::array::from_fn(|k| larger(lanes[k], lanes[k + 4]));
    larger(larger(half[0], half[2]), larger(half[1], half[3]))
}

/// Sum over the live entries of `exp(value - shift)`.
#[allow(clippy::inline_always, reason = "must become part of the wide loops")]
#[inline(always)]
fn row_sum(row: &[f32], live: &[f32], shift: f32) -> f32 {
    let mut lanes = [0.0; LANES];
    for (chunk, live) in row.chunks_exact(LANES).zip(live.chunks_exact(LANES)) {
        for k in 0..LANES {
            lanes[k] += live[k] * math::exp(chunk[k] - shift);
        }
    }
    let half: [f32; 4] = std::array::from_fn(|k| lanes[k] + lanes[k + 4]);
    (half[0] + half[2]) + (half[1] + half[3])
}

dispatched! {
    fn log_sum_exp(logits: &[f32], live: &[f32], results: &mut [f32]) {
        let width = live.len();
        let groups = logits.chunks(width * LANES);
        for (rows, results) in groups.zip(results.chunks_mut(LANES)) {
            let (mut shifts, mut sums) = ([0.0; LANES], [1.0; LANES]);
            for (r, row) in rows.chunks_exact(width).enumerate() {
                shifts[r] = row_maximum(row);
                sums[r] = row_sum(row, live, shifts[r]);
            }
            let mut logs = [0.0; LANES];
            for r in 0..LANES {
                logs[r] = shifts[r] + math::ln(sums[r]);
            }
            results.copy_from_slice(&logs[..results.len()]);
        }
    }
}

dispatched! {
    fn scaled_softmax(
        logits: &mut [f32],
        live: &[f32],
        weights: &[f32],
        log_sums: &mut [f32],
    ) {
        let width = live.len();
        let rows = logits.chunks_exact_mut(width).zip(weights).zip(log_sums);
        for ((row, weight), log_sum) in rows {
            let shift = row_maximum(row);
            let mut lanes = [0.0; LANES];
            for (chunk, live) in row.chunks_exact_mut(LANES).zip(live.chunks_exact(LANES)) {
                for k in 0..LANES {
                    chunk[k] = live[k] * math::exp(chunk[k] - shift);
                    lanes[k] += chunk[k];
                }
            }
            let half: [f32; 4] = std::array::from_fn(|k| lanes[k] + lanes[k + 4]);
            let sum = (half[0] + half[2]) + (half[1] + half[3]);
            let factor = weight / sum;
            for value in row.iter_mut() {
                *value *= factor;
            }
            *log_sum = shift + math::ln(sum);
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
            rows in (1..20usize).prop_flat_map(|c| prop::collection::vec(prop::collection::vec(-30.0f32..30.0, c), 1..20))
        ) {
            let head = Softmax::new(rows[0].len());
            let mut logits = padded_rows(&rows, head.width());
            let mut sums = vec![0.0; rows.len()];
            head.log_sum_exp(&logits, &mut sums);
            let mut again = vec![0.0; rows.len()];
            head.scaled(&mut logits, &vec![2.0; rows.len()], &mut again);
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
