//! Masked Adam for orientation; existence has that of [`LogitAdam`](crate::fit::LogitAdam).
//!
//! Paper: ENCO appendix C.1 (optimisers).
//!
//! | paper | code | shape |
//! |---|---|---|
//! | Adam on gamma, betas (0.9, 0.9); without a gradient, momentum still moves an entry | [`GraphFit`](super::graph_fit::GraphFit) | `[cause, effect]` |
//! | AdamTheta: moments and step counts only where theta had a gradient | [`OrientationAdam`] | unordered pairs |

use ndarray::Array2;

use super::logits::EdgeLogits;

/// Adam over the orientation of unordered pairs, each with its own step count: a pair that no
/// regime of this step informs keeps its moments.
#[derive(Clone, Debug)]
pub(crate) struct OrientationAdam {
    rate: f64,
    epsilon: f64,
    steps: Array2<i32>,
    first: Array2<f64>,
    second: Array2<f64>,
}

impl OrientationAdam {
    const BETA1: f64 = 0.9;
    const BETA2: f64 = 0.999;

    /// At rest. A pair whose gradients are far below `epsilon` hardly moves, where a smaller one
    /// would turn even noise into whole steps.
    pub(crate) fn new(n_vars: usize, rate: f64, epsilon: f64) -> Self {
        Self {
            rate,
            epsilon,
            steps: Array2::zeros((n_vars, n_vars)),
            first: Array2::zeros((n_vars, n_vars)),
            second: Array2::zeros((n_vars, n_vars)),
        }
    }

    #[cfg(test)]
    pub(super) fn rate(&self) -> f64 {
        self.rate
    }

    /// One step of the pair `i < j` along `gradient` (of the logit `i -> j`), with the learning
    /// rate multiplied by `factor`.
    pub(crate) fn step(
        &mut self,
        logits: &mut EdgeLogits,
        (i, j): (usize, usize),
        gradient: f64,
        factor: f64,
    ) {
        let at = (i, j);
        self.steps[at] += 1;
        let (m, v) = (&mut self.first[at], &mut self.second[at]);
        *m = Self::BETA1 * *m + (1.0 - Self::BETA1) * gradient;
        *v = Self::BETA2 * *v + (1.0 - Self::BETA2) * gradient * gradient;
        let first = *m / (1.0 - Self::BETA1.powi(self.steps[at]));
        let second = *v / (1.0 - Self::BETA2.powi(self.steps[at]));
        let value =
            logits.orientation[at] - factor * self.rate * first / (second.sqrt() + self.epsilon);
        logits.orientation[at] = value;
        logits.orientation[(j, i)] = -value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::edge_rules::EdgeRules;
    use fedcdi_core::Belief;

    fn logits() -> EdgeLogits {
        EdgeLogits::from_belief(&Belief::uninformed(2), 7.0, &EdgeRules::none(2))
    }

    #[test]
    fn the_factor_scales_the_move_not_the_gradient() {
        let (mut full, mut tenth) = (logits(), logits());
        OrientationAdam::new(2, 0.1, 1e-8).step(&mut full, (0, 1), 5.0, 1.0);
        OrientationAdam::new(2, 0.1, 1e-8).step(&mut tenth, (0, 1), 5.0, 0.1);
        assert!((full.orientation[(0, 1)] + 0.1).abs() < 1e-8);
        assert!((tenth.orientation[(0, 1)] + 0.01).abs() < 1e-9);
        assert_eq!(full.orientation[(1, 0)], -full.orientation[(0, 1)]);
    }
}
