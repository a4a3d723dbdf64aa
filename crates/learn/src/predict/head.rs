//! Loss heads: from the outputs of a network to the likelihood of what was observed.
//!
//! | head | outputs | NLL of x |
//! |---|---|---|
//! | [`SoftmaxHead`] | one logit z per category | `log sum_c exp z_c - z_x` |
//! | [`GaussianHead`] | mean m; one log-deviation s per variable, learned or 0 | `((x - m) / e^s)^2 / 2 + s + ln(2 pi) / 2` |

use std::fmt::Debug;

use crate::nn::{AdamStep, Softmax, padded};

/// A density over one variable.
pub(crate) trait Head: Debug + Send + Sync {
    fn n_outputs(&self) -> usize;

    /// Sum of the NLL of `observed`, one per row of `outputs`, `[row, padded outputs]`; replaces the
    /// outputs by `weight` times their gradient, and keeps that of the head's own parameters.
    fn gradient(&mut self, outputs: &mut [f32], observed: &[f32], weight: f32) -> f64;

    /// Sum of the NLL of `observed`; the outputs may be overwritten.
    fn nll(&mut self, outputs: &mut [f32], observed: &[f32]) -> f64;

    /// One step on the head's own parameters along the gradient kept.
    fn step(&mut self, _step: &AdamStep) {}

    fn rest(&mut self) {}
}

#[derive(Clone, Debug)]
pub(crate) struct SoftmaxHead {
    softmax: Softmax,
    weights: Vec<f32>,
    exponentials: Vec<f32>,
    log_sums: Vec<f32>,
}

impl SoftmaxHead {
    pub(crate) fn new(n_categories: usize) -> Self {
        Self {
            softmax: Softmax::new(n_categories),
            weights: Vec::new(),
            exponentials: Vec::new(),
            log_sums: Vec::new(),
        }
    }

    fn reserve(&mut self, rows: usize) {
        self.exponentials.resize(rows * self.softmax.width(), 0.0);
        self.log_sums.resize(rows, 0.0);
    }

    fn observed_logits(&self, outputs: &[f32], observed: &[f32]) -> f64 {
        let rows = outputs.chunks_exact(self.softmax.width()).zip(observed);
        rows.map(|(row, x)| f64::from(row[*x as usize])).sum()
    }

    fn log_sums(&self) -> f64 {
        self.log_sums.iter().map(|sum| f64::from(*sum)).sum()
    }
}

impl Head for SoftmaxHead {
    fn n_outputs(&self) -> usize {
        self.softmax.n_categories
    }

    fn gradient(&mut self, outputs: &mut [f32], observed: &[f32], weight: f32) -> f64 {
        self.reserve(observed.len());
        let logits = self.observed_logits(outputs, observed);
        self.weights.clear();
        self.weights.resize(observed.len(), weight);
        let (exponentials, log_sums) = (&mut self.exponentials, &mut self.log_sums);
        self.softmax
            .scaled(outputs, &self.weights, exponentials, log_sums);
        let rows = outputs.chunks_exact_mut(self.softmax.width());
        for (row, x) in rows.zip(observed) {
            row[*x as usize] -= weight;
        }
        self.log_sums() - logits
    }

    fn nll(&mut self, outputs: &mut [f32], observed: &[f32]) -> f64 {
        self.reserve(observed.len());
        let (exponentials, log_sums) = (&mut self.exponentials, &mut self.log_sums);
        self.softmax.log_sum_exp(outputs, exponentials, log_sums);
        self.log_sums() - self.observed_logits(outputs, observed)
    }
}

/// A normal law: the network gives its mean, the deviation is a parameter.
#[derive(Clone, Debug, Default)]
pub(crate) struct GaussianHead {
    is_fixed: bool,
    log_deviation: f32,
    moments: [f32; 2],
    gradient: f32,
}

impl GaussianHead {
    /// ln(2 pi) / 2.
    const CONSTANT: f64 = 0.918_938_533_204_672_7;

    /// With a deviation that stays 1: half the squared error, up to a constant.
    pub(crate) fn squared() -> Self {
        Self {
            is_fixed: true,
            ..Self::default()
        }
    }

    /// NLL of one value and its derivatives by mean and log-deviation.
    fn at(&self, mean: f32, x: f32) -> (f64, f32, f32) {
        let scale = (-self.log_deviation).exp();
        let z = (x - mean) * scale;
        let nll = 0.5 * f64::from(z * z) + f64::from(self.log_deviation) + Self::CONSTANT;
        (nll, -z * scale, 1.0 - z * z)
    }
}

impl Head for GaussianHead {
    fn n_outputs(&self) -> usize {
        1
    }

    fn gradient(&mut self, outputs: &mut [f32], observed: &[f32], weight: f32) -> f64 {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (row, x) in outputs.chunks_exact_mut(padded(1)).zip(observed) {
            let (nll, by_mean, by_deviation) = self.at(row[0], *x);
            sum += nll;
            slope += weight * by_deviation;
            row.fill(0.0);
            row[0] = weight * by_mean;
        }
        self.gradient = slope;
        sum
    }

    fn nll(&mut self, outputs: &mut [f32], observed: &[f32]) -> f64 {
        let rows = outputs.chunks_exact(padded(1)).zip(observed);
        rows.map(|(row, x)| self.at(row[0], *x).0).sum()
    }

    fn step(&mut self, step: &AdamStep) {
        if self.is_fixed {
            return;
        }
        let [first, second] = &mut self.moments;
        step.apply::<false>(&mut self.log_deviation, first, second, self.gradient);
    }

    fn rest(&mut self) {
        self.moments = [0.0; 2];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences of the NLL against the gradient, for every output of two rows.
    fn check(head: &mut dyn Head, observed: [f32; 2]) {
        let width = padded(head.n_outputs());
        let start: Vec<f32> = (0..2 * width).map(|k| 0.3 * (k as f32).sin()).collect();
        let mut gradient = start.clone();
        let sum = head.gradient(&mut gradient, &observed, 2.0);
        assert!((sum - head.nll(&mut start.clone(), &observed)).abs() < 1e-5);
        for at in 0..2 * width {
            let mut moved = |by: f32| {
                let mut outputs = start.clone();
                outputs[at] += by;
                head.nll(&mut outputs, &observed)
            };
            let quotient = 2.0 * (moved(1e-2) - moved(-1e-2)) / 2e-2;
            assert!((quotient - f64::from(gradient[at])).abs() < 1e-3, "{at}");
        }
    }

    #[test]
    fn gradients_are_those_of_the_likelihood() {
        check(&mut SoftmaxHead::new(3), [2.0, 0.0]);
        let mut squared = GaussianHead::squared();
        check(&mut squared, [1.5, -0.5]);
        squared.step(&crate::nn::AdamParams::at(0.1).step(1, 0.0));
        assert_eq!(squared.log_deviation, 0.0, "its deviation stays 1");
        let mut gaussian = GaussianHead {
            log_deviation: 0.2,
            ..GaussianHead::default()
        };
        check(&mut gaussian, [1.5, -0.5]);
    }

    /// x = 3 at mean 1 and deviation 2: z = 1, so NLL = 1/2 + ln 2 + ln(2 pi) / 2, and the
    /// log-deviation is at its best: its slope is 0.
    #[test]
    fn a_normal_value_by_hand() {
        let mut head = GaussianHead {
            log_deviation: 2f32.ln(),
            ..GaussianHead::default()
        };
        let mut outputs = vec![0.0; padded(1)];
        outputs[0] = 1.0;
        let nll = head.gradient(&mut outputs, &[3.0], 1.0);
        let expected = 0.5 + 2f64.ln() + (2.0 * std::f64::consts::PI).ln() / 2.0;
        assert!((nll - expected).abs() < 1e-6);
        assert!((outputs[0] + 0.5).abs() < 1e-6 && head.gradient.abs() < 1e-6);
    }
}
