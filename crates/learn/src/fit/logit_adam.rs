//! Adam and `RMSprop` for a matrix of edge logits, in f64.
//!
//! Kingma and Ba 2015, algorithm 1; without bias correction and with beta1 = 0 it is `RMSprop`.

use ndarray::Array2;

use crate::fit::edge_rules::EdgeRules;
use crate::nn::AdamParams;

/// Whether moments are divided by what they have seen so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Correction {
    /// As in Adam.
    Bias,
    /// As in `RMSprop`.
    None,
}

/// The optimiser of one matrix, `[cause, effect]`. Known edges do not move.
#[derive(Clone, Debug)]
pub struct LogitAdam {
    params: AdamParams,
    correction: Correction,
    steps: i32,
    first: Array2<f64>,
    second: Array2<f64>,
}

impl LogitAdam {
    /// Adam at this rate, at rest.
    pub fn new(n_vars: usize, rate: f64) -> Self {
        Self::of(n_vars, AdamParams::at(rate), Correction::Bias)
    }

    #[cfg(test)]
    pub(crate) fn rate(&self) -> f64 {
        self.params.rate
    }

    pub(crate) fn of(n_vars: usize, params: AdamParams, correction: Correction) -> Self {
        Self {
            params,
            correction,
            steps: 0,
            first: Array2::zeros((n_vars, n_vars)),
            second: Array2::zeros((n_vars, n_vars)),
        }
    }

    /// One step of everything off the diagonal against `gradient`.
    pub fn step(&mut self, logits: &mut Array2<f64>, gradient: &Array2<f64>) {
        let rules = EdgeRules::none(logits.nrows());
        self.step_noting(logits, gradient, &rules, |_, _, _| ());
    }

    /// The same of edges that are open; `note` is told every entry that moved, its gradient, and the learning rate over the
    /// root of its second moment.
    pub(crate) fn step_noting(
        &mut self,
        logits: &mut Array2<f64>,
        gradient: &Array2<f64>,
        rules: &EdgeRules,
        mut note: impl FnMut((usize, usize), f64, f64),
    ) {
        let AdamParams {
            rate,
            beta1,
            beta2,
            epsilon,
        } = self.params;
        self.steps = self.steps.saturating_add(1);
        let [first, second] = match self.correction {
            Correction::Bias => [beta1, beta2].map(|beta| 1.0 - beta.powi(self.steps)),
            Correction::None => [1.0, 1.0],
        };
        for ((i, j), &g) in gradient.indexed_iter() {
            if !rules.existence_is_open(i, j) {
                continue;
            }
            let (m, v) = (&mut self.first[(i, j)], &mut self.second[(i, j)]);
            *m = beta1 * *m + (1.0 - beta1) * g;
            *v = beta2 * *v + (1.0 - beta2) * g * g;
            let root = (*v / second).sqrt() + epsilon;
            logits[(i, j)] -= rate * (*m / first) / root;
            note((i, j), g, rate / root);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// Gradient 2, rate 0.1. Adam: both moments are corrected to 2 and 4, move 0.1. `RMSprop` with
    /// alpha 0.99: the mean square is 0.04, move 0.1 * 2 / 0.2 = 1.
    #[test]
    fn first_steps_by_hand() {
        let gradient = array![[0.0, 2.0], [0.0, 0.0]];
        let cases = [
            (0.9, 0.999, Correction::Bias, -0.1),
            (0.0, 0.99, Correction::None, -1.0),
        ];
        for (beta1, beta2, correction, expected) in cases {
            let params = AdamParams {
                rate: 0.1,
                beta1,
                beta2,
                epsilon: 1e-8,
            };
            let mut logits = Array2::zeros((2, 2));
            let mut adam = LogitAdam::of(2, params, correction);
            adam.step(&mut logits, &gradient);
            assert!((logits[(0, 1)] - expected).abs() < 1e-6);
            assert_eq!(logits[(1, 0)], 0.0);
        }
    }

    #[test]
    fn momentum_moves_a_logit_after_the_gradient_is_gone() {
        let mut logits = Array2::zeros((2, 2));
        let params = AdamParams {
            beta2: 0.9,
            ..AdamParams::at(0.02)
        };
        let mut adam = LogitAdam::of(2, params, Correction::Bias);
        adam.step(&mut logits, &array![[0.0, 3.0], [0.0, 0.0]]);
        assert!((logits[(0, 1)] + 0.02).abs() < 1e-9);
        adam.step(&mut logits, &Array2::zeros((2, 2)));
        // m = 0.9 * 0.1 * 3, v = 0.9 * 0.1 * 9, both over 1 - 0.81.
        let second = 0.02 * (0.27 / 0.19) / (0.81f64 / 0.19).sqrt();
        assert!((logits[(0, 1)] + 0.02 + second).abs() < 1e-9);
        assert_eq!(logits[(1, 0)], 0.0);
    }
}
