//! What background knowledge says about the logits of edges.

use fedcdi_core::{Knowledge, VarId};
use ndarray::Array2;

/// What background knowledge leaves open. A known edge has probability exactly 0 or 1 in every
/// sampled graph, and its logits never move.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EdgeRules {
    /// Existence logit that is known, `[cause, effect]`.
    existence: Array2<Option<f64>>,
    /// Orientation logit that is known, `[cause, effect]`.
    orientation: Array2<Option<f64>>,
}

impl EdgeRules {
    /// Logit of something known: its logistic is 1 to the last bit, or below 2e-22.
    pub(crate) const KNOWN_LOGIT: f64 = 50.0;

    pub(crate) fn none(n_vars: usize) -> Self {
        Self::new(n_vars, |_, _| true, |_, _| false)
    }

    pub(crate) fn of(knowledge: &Knowledge) -> Self {
        Self::new(
            knowledge.n_vars(),
            |cause, effect| knowledge.allows(cause, effect),
            |cause, effect| knowledge.is_required(cause, effect),
        )
    }

    /// Edges that are allowed and edges that are required, each asked as `(cause, effect)`.
    /// Where only one direction is allowed, the orientation is known too.
    pub(crate) fn new(
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

    /// Whether existence of `cause -> effect` is open; false on the diagonal.
    pub(crate) fn existence_is_open(&self, cause: usize, effect: usize) -> bool {
        self.existence[(cause, effect)].is_none()
    }

    /// Whether the orientation of a pair is open; false on the diagonal.
    pub(crate) fn orientation_is_open(&self, cause: usize, effect: usize) -> bool {
        self.orientation[(cause, effect)].is_none()
    }

    /// Sets the existence logits that are known, `[cause, effect]`; on the diagonal to that of an
    /// edge that cannot be.
    pub(crate) fn set_existence(&self, logits: &mut Array2<f64>) {
        set(logits, &self.existence);
    }

    /// Sets the orientation logits that are known, `[cause, effect]`; on the diagonal to 0.
    pub(crate) fn set_orientation(&self, logits: &mut Array2<f64>) {
        set(logits, &self.orientation);
    }
}

fn set(logits: &mut Array2<f64>, known: &Array2<Option<f64>>) {
    for (logit, known) in logits.iter_mut().zip(known) {
        *logit = known.unwrap_or(*logit);
    }
}
