//! Existence and orientation logits while they are being fitted, and the edges that are known.
//!
//! Paper: ENCO section 3.1.
//!
//! | paper | code | shape |
//! |---|---|---|
//! | gamma | [`EdgeLogits::existence`] | `[cause, effect]` |
//! | theta | [`EdgeLogits::orientation`] | `[cause, effect]`, antisymmetric |
//! | p = sigma(gamma) sigma(theta) | [`EdgeLogits::probability`] | 0..=1 |

use fedcdi_core::Belief;
use fedcdi_core::belief::sigmoid;
use ndarray::Array2;

pub(crate) use crate::fit::edge_rules::EdgeRules;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EdgeLogits {
    pub existence: Array2<f64>,
    pub orientation: Array2<f64>,
}

impl EdgeLogits {
    /// The logits of a belief, clipped to `+-bound`, with known edges as `rules` has them.
    pub(crate) fn from_belief(belief: &Belief, bound: f64, rules: &EdgeRules) -> Self {
        let clip = |value: &f64| value.clamp(-bound, bound);
        let mut logits = Self {
            existence: belief.existence().map(clip),
            orientation: belief.orientation().map(clip),
        };
        rules.set_existence(&mut logits.existence);
        rules.set_orientation(&mut logits.orientation);
        logits.existence.diag_mut().fill(0.0);
        logits
    }

    /// Of a method with one logit per edge, `[cause, effect]`: the probability is its logistic.
    pub(crate) fn of_edges(logits: Array2<f64>) -> Self {
        Self {
            orientation: Array2::from_elem(logits.dim(), EdgeRules::KNOWN_LOGIT),
            existence: logits,
        }
    }

    pub(crate) fn n_vars(&self) -> usize {
        self.existence.nrows()
    }

    /// Probability of an edge, 0 on the diagonal.
    pub(crate) fn probability(&self, cause: usize, effect: usize) -> f64 {
        if cause == effect {
            return 0.0;
        }
        let at = (cause, effect);
        sigmoid(self.existence[at]) * sigmoid(self.orientation[at])
    }

    pub(crate) fn n_edges(&self) -> usize {
        let both = self.existence.iter().zip(&self.orientation);
        both.filter(|(e, o)| **e > 0.0 && **o > 0.0).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_edges_have_probability_zero_or_one() {
        let rules = EdgeRules::new(3, |c, e| (c.0, e.0) != (2, 1), |c, e| (c.0, e.0) == (0, 1));
        let logits = EdgeLogits::from_belief(&Belief::uninformed(3), 7.0, &rules);
        assert_eq!(logits.probability(0, 1), 1.0);
        assert!(logits.probability(1, 0) < 1e-21);
        assert!(logits.probability(2, 1) < 1e-21);
        // 2 -> 1 is forbidden, so only existence of 1 -> 2 is in doubt.
        assert_eq!(logits.probability(1, 2), 0.5);
        assert_eq!(logits.probability(0, 2), 0.25);
        assert!(!rules.orientation_is_open(1, 2) && rules.existence_is_open(1, 2));
        assert!(Belief::new(logits.existence, logits.orientation).is_ok());
    }

    #[test]
    fn clipping_keeps_antisymmetry() {
        let orientation = ndarray::array![[0.0, 11.0], [-11.0, 0.0]];
        let belief = Belief::new(Array2::zeros((2, 2)), orientation).unwrap();
        let logits = EdgeLogits::from_belief(&belief, 5.0, &EdgeRules::none(2));
        assert_eq!(logits.orientation[(0, 1)], 5.0);
        assert_eq!(logits.orientation[(1, 0)], -5.0);
    }
}
