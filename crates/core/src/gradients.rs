//! What a client sends instead of a belief when the coordinator keeps the optimiser: sums of
//! gradients over a few steps, and how many rows stand behind each.
//!
//! Ours. A mean of gradients is that of one optimiser with all clients' rows, while a mean of
//! beliefs is one of many optimisers' results: each has already turned its own noise into a
//! decision.
//!
//! | quantity | code | shape |
//! |---|---|---|
//! | sum over steps of rows times the gradient of `gamma_ij` | [`EdgeGradients::existence`] | `[cause, effect]` |
//! | the same of `theta_ij`, of the steps that inform the pair | [`EdgeGradients::orientation`] | `[cause, effect]`, antisymmetric |
//! | rows of the steps behind either sum | [`EdgeGradients::existence_rows`], [`EdgeGradients::orientation_rows`] | >= 0 |

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::belief::{Belief, BeliefError};
use crate::variable::VarId;

/// Sums of gradients over the steps of one short round, all taken at the belief that was sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeGradients {
    /// Existence, `[cause, effect]`.
    #[serde(with = "crate::matrix")]
    pub existence: Array2<f64>,
    /// Rows behind [`Self::existence`].
    #[serde(with = "crate::matrix")]
    pub existence_rows: Array2<f64>,
    /// Orientation, `[cause, effect]`, antisymmetric.
    #[serde(with = "crate::matrix")]
    pub orientation: Array2<f64>,
    /// Rows behind [`Self::orientation`], symmetric.
    #[serde(with = "crate::matrix")]
    pub orientation_rows: Array2<f64>,
}

impl EdgeGradients {
    /// No step yet.
    pub fn none(n_vars: usize) -> Self {
        let zeros = || Array2::zeros((n_vars, n_vars));
        Self {
            existence: zeros(),
            existence_rows: zeros(),
            orientation: zeros(),
            orientation_rows: zeros(),
        }
    }

    /// Number of variables.
    pub fn n_vars(&self) -> usize {
        self.existence.nrows()
    }

    /// Whether some number of rows is above `most`, or not the same in both directions of a pair.
    pub fn has_rows_beyond(&self, most: f64) -> bool {
        let rows = &self.orientation_rows;
        let too_many = |matrix: &Array2<f64>| matrix.iter().any(|n| *n > most);
        too_many(&self.existence_rows) || too_many(rows) || *rows != rows.t()
    }

    /// Largest gradient of one row on average, either way; infinite where a sum has no rows behind
    /// it.
    pub fn largest_per_row(&self) -> f64 {
        let largest = |sums: &Array2<f64>, rows: &Array2<f64>| {
            let pairs = sums.iter().zip(rows).filter(|(sum, _)| **sum != 0.0);
            pairs.fold(0.0, |largest: f64, (sum, rows)| {
                largest.max(sum.abs() / rows)
            })
        };
        largest(&self.existence, &self.existence_rows)
            .max(largest(&self.orientation, &self.orientation_rows))
    }

    /// Where the sender would go: every logit of `prior` one unit against its gradient. Clients
    /// that disagree about an undecided edge differ in it.
    ///
    /// # Errors
    /// [`BeliefError`] if the sums are not of one size with `prior`, not finite or not
    /// antisymmetric.
    pub fn followed_from(&self, prior: &Belief) -> Result<Belief, BeliefError> {
        self.check(prior.n_vars())?;
        let sign = |gradient: &f64| {
            if *gradient == 0.0 {
                0.0
            } else {
                gradient.signum()
            }
        };
        Belief::new(
            prior.existence() - &self.existence.map(sign),
            prior.orientation() - &self.orientation.map(sign),
        )
    }

    /// Whether these are sums over `n_vars` variables that can be added to others.
    ///
    /// # Errors
    /// [`BeliefError`] as for [`Self::followed_from`].
    pub fn check(&self, n_vars: usize) -> Result<(), BeliefError> {
        let rows = [&self.existence_rows, &self.orientation_rows];
        for matrix in [&self.existence, &self.orientation].into_iter().chain(rows) {
            if matrix.dim() != (n_vars, n_vars) {
                return Err(BeliefError::Shape {
                    existence: [n_vars, n_vars],
                    orientation: matrix.dim().into(),
                });
            }
        }
        for matrix in rows {
            let wrong = matrix
                .indexed_iter()
                .find(|(_, n)| !(n.is_finite() && **n >= 0.0));
            if let Some(((cause, effect), &value)) = wrong {
                return Err(BeliefError::NotFinite {
                    matrix: "number of rows",
                    cause: VarId(cause),
                    effect: VarId(effect),
                    value,
                });
            }
        }
        // Finite and antisymmetric, as the logits of a belief are.
        Belief::new(self.existence.clone(), self.orientation.clone()).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn gradients() -> EdgeGradients {
        EdgeGradients {
            existence: array![[0.0, 3.0], [0.0, 0.0]],
            existence_rows: array![[0.0, 2.0], [2.0, 0.0]],
            orientation: array![[0.0, -0.5], [0.5, 0.0]],
            orientation_rows: array![[0.0, 1.0], [1.0, 0.0]],
        }
    }

    #[test]
    fn the_sender_goes_against_its_gradient() {
        let belief = gradients().followed_from(&Belief::uninformed(2)).unwrap();
        assert_eq!(belief.existence(), array![[0.0, -1.0], [0.0, 0.0]]);
        assert_eq!(belief.orientation(), array![[0.0, 1.0], [-1.0, 0.0]]);
    }

    #[test]
    fn a_sum_counts_by_its_rows() {
        assert_eq!(gradients().largest_per_row(), 1.5);
        let no_rows = EdgeGradients {
            existence_rows: Array2::zeros((2, 2)),
            ..gradients()
        };
        assert_eq!(no_rows.largest_per_row(), f64::INFINITY);
        assert_eq!(EdgeGradients::none(2).largest_per_row(), 0.0);
    }

    #[test]
    fn rows_are_bounded_and_the_same_both_ways() {
        assert!(!gradients().has_rows_beyond(2.0));
        assert!(gradients().has_rows_beyond(1.5));
        let mut one_sided = gradients();
        one_sided.orientation_rows[(1, 0)] = 0.5;
        assert!(one_sided.has_rows_beyond(2.0));
    }

    #[test]
    fn each_fault_is_named() {
        let with = |change: fn(&mut EdgeGradients)| {
            let mut gradients = gradients();
            change(&mut gradients);
            gradients.check(2).unwrap_err()
        };
        let size = with(|g| g.orientation_rows = Array2::zeros((3, 3)));
        assert!(matches!(size, BeliefError::Shape { .. }));
        for change in [
            (|g| g.existence[(0, 1)] = f64::NAN) as fn(&mut EdgeGradients),
            |g| g.existence_rows[(0, 1)] = -1.0,
            |g| g.orientation_rows[(0, 1)] = f64::INFINITY,
        ] {
            assert!(matches!(with(change), BeliefError::NotFinite { .. }));
        }
        let one_sided = with(|g| g.orientation[(0, 1)] = 0.0);
        assert!(matches!(one_sided, BeliefError::NotAntisymmetric { .. }));
    }
}
