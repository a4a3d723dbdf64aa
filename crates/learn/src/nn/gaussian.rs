//! The loss head of a real variable: a normal law whose mean and variance the network gives.
//!
//! Paper: ENCO, continuous data.
//!
//! | formula | code |
//! |---|---|
//! | mu, lv = ln variance | outputs [`MEAN`] and [`LOG_VARIANCE`] of a row |
//! | `(x - mu)^2 / (2 e^lv + 1e-5) + lv / 2 + ln(2 pi) / 2` | [`Laws::nll`] |
//! | d/dmu `= -2 (x - mu) w`, with `w = 1 / (2 e^lv + 1e-5)` | [`Laws::add_gradient`] |
//! | d/dlv `= 1/2 - (x - mu)^2 w (1 - 1e-5 w)` | [`Laws::add_gradient`] |
//!
//! Deviation: lv is clipped to [`LOG_VARIANCES`], with no gradient beyond. Where a variable is nearly
//! a function of its parents, its likelihood has no bound otherwise, and a network that is sure of
//! itself makes errors under interventions that outweigh what any edge explains.

use std::ops::RangeInclusive;

use super::simd::dispatched;
use super::{math, padded};

/// Places of the mean and of the logarithm of the variance among the outputs of a row.
pub(crate) const MEAN: usize = 0;
pub(crate) const LOG_VARIANCE: usize = 1;
pub(crate) const OUTPUTS: usize = 2;

/// Log-variances are clipped to this range: no standardised number is predicted to better than a
/// deviation of 0.08.
///
/// Ten additive graphs of 20 variables (ER-1, 5000 rows, 250 per target, some with noise of a
/// hundredth of a variable's deviation): the two worst had SHD 8 and 11 with -10, 6 and 12 with -7,
/// 6 and 4 with -5, 4 and 4 with -4; of five others the mean was 0.8 with -5 and 1.4 with -4.
pub(crate) const LOG_VARIANCES: RangeInclusive<f32> = -5.0..=10.0;

/// Added to twice the variance.
const LEAST: f32 = 1e-5;

/// `ln(2 pi) / 2`.
const CONSTANT: f32 = 0.918_938_5;

#[derive(Clone, Debug, Default)]
pub(crate) struct Laws {
    means: Vec<f32>,
    log_variances: Vec<f32>,
    /// `1 / (2 e^lv + 1e-5)`.
    weights: Vec<f32>,
}

impl Laws {
    pub(crate) fn width() -> usize {
        padded(OUTPUTS)
    }

    pub(crate) fn fill(&mut self, outputs: &[f32]) {
        let rows = outputs.len() / Self::width();
        self.means.resize(rows, 0.0);
        self.log_variances.resize(rows, 0.0);
        self.weights.resize(rows, 0.0);
        for (row, output) in outputs.chunks_exact(Self::width()).enumerate() {
            self.means[row] = output[MEAN];
            self.log_variances[row] = output[LOG_VARIANCE];
        }
        weigh(&self.log_variances, &mut self.weights);
    }

    #[inline]
    pub(crate) fn nll(&self, row: usize, value: f32) -> f32 {
        let rest = value - self.means[row];
        let log_variance = clipped(self.log_variances[row]);
        rest * rest * self.weights[row] + 0.5 * log_variance + CONSTANT
    }

    /// Adds `weight` times the gradient of [`Self::nll`] to that of the outputs of the row.
    #[inline]
    pub(crate) fn add_gradient(&self, row: usize, value: f32, weight: f32, gradient: &mut [f32]) {
        let rest = value - self.means[row];
        let w = self.weights[row];
        gradient[MEAN] -= weight * 2.0 * rest * w;
        if LOG_VARIANCES.contains(&self.log_variances[row]) {
            gradient[LOG_VARIANCE] += weight * (0.5 - rest * rest * w * (1.0 - LEAST * w));
        }
    }
}

#[allow(clippy::inline_always, reason = "must become part of the wide loops")]
#[inline(always)]
fn clipped(log_variance: f32) -> f32 {
    log_variance.clamp(*LOG_VARIANCES.start(), *LOG_VARIANCES.end())
}

dispatched! {
    fn weigh(log_variances: &[f32], weights: &mut [f32]) {
        for (weight, log_variance) in weights.iter_mut().zip(log_variances) {
            let variance = math::exp::<FMA>(clipped(*log_variance));
            *weight = 1.0 / (2.0 * variance + LEAST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The formula in f64.
    fn nll(mean: f64, log_variance: f64, value: f64) -> f64 {
        let square = (value - mean) * (value - mean);
        let constant = 0.5 * (2.0 * std::f64::consts::PI).ln();
        square / (2.0 * log_variance.exp() + 1e-5) + 0.5 * log_variance + constant
    }

    fn laws(mean: f32, log_variance: f32) -> Laws {
        let mut outputs = vec![0.0; Laws::width()];
        (outputs[MEAN], outputs[LOG_VARIANCE]) = (mean, log_variance);
        let mut laws = Laws::default();
        laws.fill(&outputs);
        laws
    }

    proptest! {
        #[test]
        fn value_and_gradient_are_those_of_the_formula(
            mean in -3.0f32..3.0, log_variance in -4.9f32..6.0, value in -4.0f32..4.0
        ) {
            let laws = laws(mean, log_variance);
            let [m, l, x] = [mean, log_variance, value].map(f64::from);
            let exact = nll(m, l, x);
            prop_assert!((f64::from(laws.nll(0, value)) - exact).abs() < 1e-5 * exact.abs().max(1.0));
            let mut found = vec![0.0; Laws::width()];
            laws.add_gradient(0, value, 0.5, &mut found);
            let h = 1e-5;
            let by_mean = (nll(m + h, l, x) - nll(m - h, l, x)) / (2.0 * h);
            let by_variance = (nll(m, l + h, x) - nll(m, l - h, x)) / (2.0 * h);
            for (found, numeric) in [(found[MEAN], by_mean), (found[LOG_VARIANCE], by_variance)] {
                let error = (f64::from(found) - 0.5 * numeric).abs();
                prop_assert!(error < 1e-4 * numeric.abs().max(1.0), "{found} {numeric}");
            }
        }
    }

    #[test]
    fn variances_have_a_limit_and_no_gradient_beyond() {
        let laws = laws(0.0, -50.0);
        assert_eq!(laws.nll(0, 0.0), CONSTANT + 0.5 * LOG_VARIANCES.start());
        let mut gradient = vec![0.0; Laws::width()];
        laws.add_gradient(0, 0.0, 1.0, &mut gradient);
        assert_eq!(gradient[LOG_VARIANCE], 0.0);
    }
}
