//! What is believed about every edge: existence and orientation, and from them the paper's psi.
//!
//! Paper: FedCDI definition 4.1 (belief matrix); ENCO for the two logits.
//!
//! | paper | code | shape, range |
//! |---|---|---|
//! | gamma, edge existence | [`Belief::existence`] | `[cause, effect]`, finite logits |
//! | theta, edge orientation | [`Belief::orientation`] | `[cause, effect]`, finite, antisymmetric |
//! | psi = sigma(gamma) sigma(theta) | [`Belief::psi`] | `[cause, effect]`, 0..=1, diagonal 0 |
//!
//! A method that knows psi alone enters by [`Belief::from_psi`], which keeps psi where
//! `psi_ij + psi_ji` is below one and is symmetric in existence. A belief knows which of the two it
//! is ([`Origin`]): existence that was split from psi says nothing about the reverse of an edge.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::variable::VarId;

/// Edge beliefs over N variables. The diagonal of both matrices is zero and means nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "BeliefFile")]
pub struct Belief {
    #[serde(serialize_with = "crate::matrix::serialize")]
    existence: Array2<f64>,
    #[serde(serialize_with = "crate::matrix::serialize")]
    orientation: Array2<f64>,
    #[serde(skip_serializing_if = "is_default")]
    origin: Origin,
}

/// Why matrices are not a belief. Edges are given by cause and effect.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BeliefError {
    /// Shapes of matrices that are not square, or of different sizes.
    #[error("a belief needs two square matrices of one size, found {0:?} and {1:?}")]
    Shape([usize; 2], [usize; 2]),
    /// A matrix with a logit of an edge that is not finite.
    #[error("the {0} of edge {1} -> {2} is {3}, but must be finite")]
    NotFinite(&'static str, usize, usize, f64),
    /// An edge whose orientation does not cancel that of its reverse.
    #[error("orientation must be antisymmetric, but {0} -> {1} has {2} and {1} -> {0} has {3}")]
    NotAntisymmetric(usize, usize, f64, f64),
    /// An edge with a probability outside 0..=1.
    #[error("the probability of edge {0} -> {1} is {2}, but must be between 0 and 1")]
    NotProbability(usize, usize, f64),
}

/// Where the two matrices of a belief come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Existence was learned for each direction of a pair.
    #[default]
    Logits,
    /// Existence and orientation were split from edge probabilities.
    Psi,
}

/// The shape of a belief on the wire: two lists of rows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BeliefFile {
    #[serde(deserialize_with = "crate::matrix::deserialize")]
    existence: Array2<f64>,
    #[serde(deserialize_with = "crate::matrix::deserialize")]
    orientation: Array2<f64>,
    #[serde(default)]
    origin: Origin,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl TryFrom<BeliefFile> for Belief {
    type Error = BeliefError;

    fn try_from(file: BeliefFile) -> Result<Self, BeliefError> {
        let belief = Self::new(file.existence, file.orientation)?;
        Ok(belief.with_origin(file.origin))
    }
}

/// The logistic function, without overflow.
pub fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        let e = x.exp();
        e / (1.0 + e)
    }
}

/// Inverse of [`sigmoid`] for `0 < p < 1`.
pub fn logit(p: f64) -> f64 {
    p.ln() - (-p).ln_1p()
}

impl Belief {
    /// Logits of a belief that came as psi alone are kept within this bound, so that later rounds
    /// can still move them.
    pub const MAX_FACTORISED_LOGIT: f64 = 7.0;

    /// Nothing known: every psi is 0.25.
    pub fn uninformed(n_vars: usize) -> Self {
        Self {
            existence: Array2::zeros((n_vars, n_vars)),
            orientation: Array2::zeros((n_vars, n_vars)),
            origin: Origin::Logits,
        }
    }

    /// Whether nothing is known: both logits of every pair are 0.
    pub fn is_uninformed(&self) -> bool {
        let mut logits = self.existence.iter().chain(&self.orientation);
        logits.all(|logit| *logit == 0.0)
    }

    /// A belief of these logits, `[cause, effect]`; what stands on the diagonals is ignored.
    ///
    /// # Errors
    /// [`BeliefError`] if shapes differ, a logit is not finite, or `orientation[i, j]` is not
    /// exactly `-orientation[j, i]`.
    pub fn new(existence: Array2<f64>, orientation: Array2<f64>) -> Result<Self, BeliefError> {
        if existence.dim() != orientation.dim() || !existence.is_square() {
            let shapes = (existence.dim().into(), orientation.dim().into());
            return Err(BeliefError::Shape(shapes.0, shapes.1));
        }
        let mut belief = Self {
            existence,
            orientation,
            origin: Origin::Logits,
        };
        belief.existence.diag_mut().fill(0.0);
        belief.orientation.diag_mut().fill(0.0);
        belief.check_values()?;
        Ok(belief)
    }

    /// The mean of the logits.
    ///
    /// # Errors
    /// [`BeliefError`] if the beliefs differ in size or the sum overflows. Panics if there are
    /// none.
    pub fn mean(beliefs: &[&Self]) -> Result<Self, BeliefError> {
        let first = beliefs.first().expect("the mean of nothing is undefined");
        if let Some(other) = beliefs.iter().find(|b| b.n_vars() != first.n_vars()) {
            let size = |belief: &Self| [belief.n_vars(); 2];
            return Err(BeliefError::Shape(size(first), size(other)));
        }
        let share = 1.0 / beliefs.len() as f64;
        let zeros = || Array2::zeros(first.existence.dim());
        let (mut existence, mut orientation) = (zeros(), zeros());
        for belief in beliefs {
            existence.scaled_add(share, &belief.existence);
            orientation.scaled_add(share, &belief.orientation);
        }
        // The direction of existence is lost where one has lost it.
        let origin = beliefs.iter().map(|belief| belief.origin).max();
        Ok(Self::new(existence, orientation)?.with_origin(origin.unwrap_or_default()))
    }

    /// The same logits, of another origin.
    #[must_use]
    pub fn with_origin(self, origin: Origin) -> Self {
        Self { origin, ..self }
    }

    /// The same belief with other existence logits.
    ///
    /// # Errors
    /// [`BeliefError`] if they are of another size or not finite.
    pub fn with_existence(&self, existence: Array2<f64>) -> Result<Self, BeliefError> {
        let belief = Self::new(existence, self.orientation.clone())?;
        Ok(belief.with_origin(self.origin))
    }

    /// Where the logits come from.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    fn check_values(&self) -> Result<(), BeliefError> {
        for (VarId(i), VarId(j)) in self.pairs() {
            let (forward, backward) = (self.orientation[(i, j)], self.orientation[(j, i)]);
            let logits = [
                ("existence", self.existence[(i, j)]),
                ("orientation", forward),
            ];
            for (matrix, value) in logits {
                if !value.is_finite() {
                    return Err(BeliefError::NotFinite(matrix, i, j, value));
                }
            }
            if forward != -backward && backward.is_finite() {
                return Err(BeliefError::NotAntisymmetric(i, j, forward, backward));
            }
        }
        Ok(())
    }

    /// The belief with this psi: `orientation = ln(psi_ij / psi_ji)` and
    /// `existence = logit(psi_ij + psi_ji)` in both directions, both clipped to
    /// [`Self::MAX_FACTORISED_LOGIT`].
    ///
    /// # Errors
    /// [`BeliefError`] if `psi` is not square or holds a value outside 0..=1.
    pub fn from_psi(psi: &Array2<f64>) -> Result<Self, BeliefError> {
        if !psi.is_square() {
            return Err(BeliefError::Shape(psi.dim().into(), psi.dim().into()));
        }
        let bound = Self::MAX_FACTORISED_LOGIT;
        let tiny = sigmoid(-bound) * 1e-3;
        let mut belief = Self::uninformed(psi.nrows()).with_origin(Origin::Psi);
        for (VarId(i), VarId(j)) in belief.pairs() {
            let (forward, backward) = (psi[(i, j)], psi[(j, i)]);
            if !(0.0..=1.0).contains(&forward) {
                return Err(BeliefError::NotProbability(i, j, forward));
            }
            let sum = (forward + backward).clamp(tiny, 1.0 - tiny);
            belief.existence[(i, j)] = logit(sum).clamp(-bound, bound);
            // Subtraction of the same two logarithms is exactly antisymmetric; a quotient is not.
            let ratio = (forward + tiny).ln() - (backward + tiny).ln();
            belief.orientation[(i, j)] = ratio.clamp(-bound, bound);
        }
        Ok(belief)
    }

    /// Number of variables.
    pub fn n_vars(&self) -> usize {
        self.existence.nrows()
    }

    /// Existence logits, `[cause, effect]`.
    pub fn existence(&self) -> &Array2<f64> {
        &self.existence
    }

    /// Orientation logits, `[cause, effect]`, antisymmetric.
    pub fn orientation(&self) -> &Array2<f64> {
        &self.orientation
    }

    /// Probability of one edge.
    pub fn probability(&self, cause: VarId, effect: VarId) -> f64 {
        if cause == effect {
            return 0.0;
        }
        let at = (cause.index(), effect.index());
        sigmoid(self.existence[at]) * sigmoid(self.orientation[at])
    }

    /// Probability of every edge, `[cause, effect]`, diagonal 0: the paper's psi.
    pub fn psi(&self) -> Array2<f64> {
        Array2::from_shape_fn(self.existence.dim(), |(i, j)| {
            self.probability(VarId(i), VarId(j))
        })
    }

    /// All ordered pairs of different variables.
    pub fn pairs(&self) -> impl Iterator<Item = (VarId, VarId)> + use<> {
        let n = self.n_vars();
        (0..n * n)
            .map(move |k| (VarId(k / n), VarId(k % n)))
            .filter(|(cause, effect)| cause != effect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use proptest::prelude::*;

    #[test]
    fn uninformed_edges_have_a_quarter() {
        let belief = Belief::uninformed(2);
        assert_eq!(belief.psi(), array![[0.0, 0.25], [0.25, 0.0]]);
        assert!(belief.is_uninformed());
        let zero = Array2::zeros((2, 2));
        let informed = Belief::new(array![[0.0, 1e-9], [0.0, 0.0]], zero);
        assert!(!informed.unwrap().is_uninformed());
    }

    #[test]
    fn psi_is_the_product_of_both_logistics() {
        let ln3 = 3f64.ln(); // sigmoid(ln 3) = 3/4
        let belief = Belief::new(
            array![[9.0, ln3], [0.0, 9.0]],
            array![[0.0, ln3], [-ln3, 0.0]],
        );
        let psi = belief.unwrap().psi();
        assert!((psi[(0, 1)] - 0.75 * 0.75).abs() < 1e-15);
        assert!((psi[(1, 0)] - 0.5 * 0.25).abs() < 1e-15);
        assert_eq!(psi[(0, 0)], 0.0);
    }

    #[test]
    fn bad_matrices_are_refused() {
        let zero: Array2<f64> = Array2::zeros((2, 2));
        let one_way = |value: f64| array![[0.0, value], [0.0, 0.0]];
        for (refused, why) in [
            (
                Belief::new(zero.clone(), Array2::zeros((3, 3))),
                "one size, found [2, 2] and [3, 3]",
            ),
            (
                Belief::new(one_way(f64::NAN), zero.clone()),
                "the existence of edge 0 -> 1 is NaN",
            ),
            (
                Belief::new(zero, array![[0.0, 1.0], [1.0, 0.0]]),
                "antisymmetric, but 0 -> 1 has 1 and 1 -> 0 has 1",
            ),
            (
                Belief::from_psi(&one_way(1.5)),
                "probability of edge 0 -> 1 is 1.5",
            ),
            (
                Belief::from_psi(&one_way(f64::NAN)),
                "probability of edge 0 -> 1 is NaN",
            ),
        ] {
            let text = refused.unwrap_err().to_string();
            assert!(text.contains(why), "{text}");
        }
    }

    #[test]
    fn extreme_psi_gives_finite_logits() {
        let belief = Belief::from_psi(&array![[0.0, 1.0], [0.0, 0.0]]).unwrap();
        assert_eq!(belief.existence()[(0, 1)], Belief::MAX_FACTORISED_LOGIT);
        assert_eq!(belief.orientation()[(1, 0)], -Belief::MAX_FACTORISED_LOGIT);
        assert!(belief.probability(VarId(0), VarId(1)) > 0.998);
    }

    #[test]
    fn json_round_trips_and_is_checked() {
        let belief = Belief::from_psi(&array![[0.0, 0.7], [0.1, 0.0]]).unwrap();
        let text = serde_json::to_string(&belief).unwrap();
        assert_eq!(serde_json::from_str::<Belief>(&text).unwrap(), belief);
        let lopsided = r#"{"existence":[[0.0,1.0],[1.0,0.0]],"orientation":[[0.0,1.0],[1.0,0.0]]}"#;
        let error = serde_json::from_str::<Belief>(lopsided).unwrap_err();
        assert!(error.to_string().contains("antisymmetric"), "{error}");
    }

    proptest! {
        #[test]
        fn factorisation_keeps_moderate_psi(forward in 0.01..0.6f64, backward in 0.01..0.39f64) {
            let psi = array![[0.0, forward], [backward, 0.0]];
            let back = Belief::from_psi(&psi).unwrap().psi();
            prop_assert!((&back - &psi).iter().all(|d| d.abs() < 1e-3));
        }
    }
}
