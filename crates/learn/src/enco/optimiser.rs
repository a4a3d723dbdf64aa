//! Adam for existence and masked Adam for orientation.
//!
//! Paper: ENCO appendix C.1 (optimisers).
//!
//! | paper | code | shape |
//! |---|---|---|
//! | Adam on gamma, betas (0.9, 0.9) | [`ExistenceAdam`] | `[cause, effect]` |
//! | AdamTheta: moments and step counts only where theta had a gradient | [`OrientationAdam`] | unordered pairs |

use ndarray::Array2;

use super::confounder::Confounders;
use super::logits::{EdgeLogits, EdgeRules};

const EPSILON: f64 = 1e-8;

/// Adam over all existence logits. An entry without gradient still moves by its momentum.
#[derive(Clone, Debug)]
pub(crate) struct ExistenceAdam {
    rate: f64,
    steps: i32,
    first: Array2<f64>,
    second: Array2<f64>,
}

impl ExistenceAdam {
    const BETA: f64 = 0.9;

    pub(crate) fn new(n_vars: usize, rate: f64) -> Self {
        Self {
            rate,
            steps: 0,
            first: Array2::zeros((n_vars, n_vars)),
            second: Array2::zeros((n_vars, n_vars)),
        }
    }

    pub(crate) fn slow(&mut self, factor: f64) {
        self.rate *= factor;
    }

    #[cfg(test)]
    pub(super) fn rate(&self) -> f64 {
        self.rate
    }

    /// One step along `gradient`, `[cause, effect]`.
    pub(crate) fn step(
        &mut self,
        logits: &mut EdgeLogits,
        gradient: &Array2<f64>,
        rules: &EdgeRules,
        mut confounders: Option<(&mut Confounders, &[usize])>,
    ) {
        self.steps += 1;
        let correction = 1.0 - Self::BETA.powi(self.steps);
        for ((i, j), &g) in gradient.indexed_iter() {
            if !rules.existence_is_open(i, j) {
                continue;
            }
            let (m, v) = (&mut self.first[(i, j)], &mut self.second[(i, j)]);
            *m = Self::BETA * *m + (1.0 - Self::BETA) * g;
            *v = Self::BETA * *v + (1.0 - Self::BETA) * g * g;
            let root = (*v / correction).sqrt() + EPSILON;
            logits.existence[(i, j)] -= self.rate * (*m / correction) / root;
            if let Some((confounders, targets)) = &mut confounders {
                confounders.record((i, j), targets, g, self.rate / root);
            }
        }
    }
}

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

    pub(crate) fn slow(&mut self, factor: f64) {
        self.rate *= factor;
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
    use fedcdi_core::Belief;

    fn logits() -> EdgeLogits {
        EdgeLogits::from_belief(&Belief::uninformed(2), 7.0, &EdgeRules::none(2))
    }

    #[test]
    fn momentum_moves_existence_after_the_gradient_is_gone() {
        let (mut logits, rules) = (logits(), EdgeRules::none(2));
        let mut adam = ExistenceAdam::new(2, 0.02);
        let mut gradient = Array2::zeros((2, 2));
        gradient[(0, 1)] = 3.0;
        adam.step(&mut logits, &gradient, &rules, None);
        assert!((logits.existence[(0, 1)] + 0.02).abs() < 1e-9);
        adam.step(&mut logits, &Array2::zeros((2, 2)), &rules, None);
        // m = 0.9 * 0.1 * 3, v = 0.9 * 0.1 * 9, both over 1 - 0.81.
        let second = 0.02 * (0.27 / 0.19) / (0.81f64 / 0.19).sqrt();
        assert!((logits.existence[(0, 1)] + 0.02 + second).abs() < 1e-9);
        assert_eq!(logits.existence[(1, 0)], 0.0);
    }

    #[test]
    fn the_factor_scales_the_move_not_the_gradient() {
        let (mut full, mut tenth) = (logits(), logits());
        OrientationAdam::new(2, 0.1, EPSILON).step(&mut full, (0, 1), 5.0, 1.0);
        OrientationAdam::new(2, 0.1, EPSILON).step(&mut tenth, (0, 1), 5.0, 0.1);
        assert!((full.orientation[(0, 1)] + 0.1).abs() < 1e-8);
        assert!((tenth.orientation[(0, 1)] + 0.01).abs() < 1e-9);
        assert_eq!(full.orientation[(1, 0)], -full.orientation[(0, 1)]);
    }
}
