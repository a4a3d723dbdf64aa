//! Existence and orientation logits while they are being fitted, and the edges that are known.
//!
//! Paper: ENCO section 3.1.
//!
//! | paper | code | shape |
//! |---|---|---|
//! | gamma | [`EdgeLogits::existence`] | `[cause, effect]` |
//! | theta | [`EdgeLogits::orientation`] | `[cause, effect]`, antisymmetric |
//! | p = sigma(gamma) sigma(theta) | [`EdgeLogits::probability`] | 0..=1 |

use fedcdi_core::belief::sigmoid;
use fedcdi_core::{Belief, BeliefError, Knowledge, VarId};
use ndarray::Array2;

/// What background knowledge leaves open. A known edge has probability exactly 0 or 1 in every
/// sampled graph, and its logits never move.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeRules {
    /// Existence logit that is known, `[cause, effect]`.
    existence: Array2<Option<f64>>,
    /// Orientation logit that is known, `[cause, effect]`.
    orientation: Array2<Option<f64>>,
}

impl EdgeRules {
    /// Logit of something known: its logistic is 1 to the last bit, or below 2e-22.
    pub const KNOWN_LOGIT: f64 = 50.0;

    /// Nothing is known.
    pub fn none(n_vars: usize) -> Self {
        Self::new(n_vars, |_, _| true, |_, _| false)
    }

    /// What `knowledge` says.
    pub fn of(knowledge: &Knowledge) -> Self {
        Self::new(
            knowledge.n_vars(),
            |cause, effect| knowledge.allows(cause, effect),
            |cause, effect| knowledge.is_required(cause, effect),
        )
    }

    /// Edges that are allowed and edges that are required, each asked as `(cause, effect)`.
    /// Where only one direction is allowed, the orientation is known too.
    pub fn new(
        n_vars: usize,
        allows: impl Fn(VarId, VarId) -> bool,
        requires: impl Fn(VarId, VarId) -> bool,
    ) -> Self {
        let known = Self::KNOWN_LOGIT;
        let required = |i, j| i != j && requires(VarId(i), VarId(j));
        let allowed = |i, j| i != j && allows(VarId(i), VarId(j)) && !required(j, i);
        let existence = |(i, j)| match (allowed(i, j), required(i, j)) {
            (_, true) => Some(known),
            (false, _) => Some(-known),
            _ => None,
        };
        let orientation = |(i, j)| match (
            allowed(i, j) || required(i, j),
            allowed(j, i) || required(j, i),
        ) {
            (true, false) => Some(known),
            (false, true) => Some(-known),
            (false, false) => Some(0.0),
            (true, true) => None,
        };
        Self {
            existence: Array2::from_shape_fn((n_vars, n_vars), existence),
            orientation: Array2::from_shape_fn((n_vars, n_vars), orientation),
        }
    }

    /// Number of variables.
    pub fn n_vars(&self) -> usize {
        self.existence.nrows()
    }

    /// Whether existence of `cause -> effect` is open; false on the diagonal.
    pub fn existence_is_open(&self, cause: usize, effect: usize) -> bool {
        self.existence[(cause, effect)].is_none()
    }

    /// Whether the orientation of a pair is open; false on the diagonal.
    pub fn orientation_is_open(&self, cause: usize, effect: usize) -> bool {
        self.orientation[(cause, effect)].is_none()
    }
}

/// The logits of one round.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeLogits {
    /// `[cause, effect]`.
    pub existence: Array2<f64>,
    /// `[cause, effect]`, antisymmetric.
    pub orientation: Array2<f64>,
}

impl EdgeLogits {
    /// The logits of a belief, clipped to `+-bound`, with known edges as `rules` has them.
    pub fn from_belief(belief: &Belief, bound: f64, rules: &EdgeRules) -> Self {
        let clip = |value: &f64| value.clamp(-bound, bound);
        let mut logits = Self {
            existence: belief.existence().map(clip),
            orientation: belief.orientation().map(clip),
        };
        logits.apply(rules);
        logits
    }

    /// Sets the logits of known edges.
    pub fn apply(&mut self, rules: &EdgeRules) {
        let pairs = [
            (&mut self.existence, &rules.existence),
            (&mut self.orientation, &rules.orientation),
        ];
        for (logits, known) in pairs {
            for (logit, known) in logits.iter_mut().zip(known) {
                *logit = known.unwrap_or(*logit);
            }
        }
        self.existence.diag_mut().fill(0.0);
    }

    /// Number of variables.
    pub fn n_vars(&self) -> usize {
        self.existence.nrows()
    }

    /// Probability of an edge, 0 on the diagonal.
    pub fn probability(&self, cause: usize, effect: usize) -> f64 {
        if cause == effect {
            return 0.0;
        }
        let at = (cause, effect);
        sigmoid(self.existence[at]) * sigmoid(self.orientation[at])
    }

    /// Number of edges with both logits positive.
    pub fn n_edges(&self) -> usize {
        let both = self.existence.iter().zip(&self.orientation);
        both.filter(|(e, o)| **e > 0.0 && **o > 0.0).count()
    }

    /// As a belief.
    ///
    /// # Errors
    /// [`BeliefError`] if a logit is not finite.
    pub fn into_belief(self) -> Result<Belief, BeliefError> {
        Belief::new(self.existence, self.orientation)
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
        assert!(logits.into_belief().is_ok());
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
