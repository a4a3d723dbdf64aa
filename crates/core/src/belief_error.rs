//! Why matrices are not a belief.

use crate::variable::VarId;

/// Why matrices are not a belief.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BeliefError {
    /// Not square, or of different sizes.
    #[error(
        "a belief needs two square matrices of one size, found {existence:?} and {orientation:?}"
    )]
    Shape {
        /// Shape of the existence matrix (or of psi).
        existence: [usize; 2],
        /// Shape of the orientation matrix (or of psi).
        orientation: [usize; 2],
    },
    /// A logit that is not a finite number.
    #[error("the {matrix} of edge {} -> {} is {value}, but must be finite", cause.0, effect.0)]
    NotFinite {
        /// `existence` or `orientation`.
        matrix: &'static str,
        /// Cause.
        cause: VarId,
        /// Effect.
        effect: VarId,
        /// The value.
        value: f64,
    },
    /// Orientations of the two directions do not cancel.
    #[error("orientation must be antisymmetric, but {} -> {} has {forward} and {} -> {} has {backward}", cause.0, effect.0, effect.0, cause.0)]
    NotAntisymmetric {
        /// Cause.
        cause: VarId,
        /// Effect.
        effect: VarId,
        /// Logit of cause to effect.
        forward: f64,
        /// Logit of effect to cause.
        backward: f64,
    },
    /// An edge probability outside 0..=1.
    #[error("the probability of edge {} -> {} is {value}, but must be between 0 and 1", cause.0, effect.0)]
    NotProbability {
        /// Cause.
        cause: VarId,
        /// Effect.
        effect: VarId,
        /// The value.
        value: f64,
    },
}
