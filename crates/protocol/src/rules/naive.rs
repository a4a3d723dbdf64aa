//! Naive aggregation: the mean over sites, weighted by how much data each has.
//!
//! Paper: FedCDI section 4.2, equation for psi* and `w_k`.
//!
//! | paper | code | shape, range |
//! |---|---|---|
//! | psi^k | [`Opinion::posterior`] | `[cause, effect]`, 0..=1 |
//! | `w_k = size(D^k) / size(D)` | share of [`n_samples`](fedcdi_core::SampleCounts::n_samples) | 0..=1, sums to 1 |
//! | psi* | [`Rule::finish`] | `[cause, effect]`, 0..=1 |
//!
//! Additive. Deviations: by default existence and orientation are averaged each on their own, because
//! a mean of psi cannot be taken apart again (see [`Space`]); `space = "psi"` is the paper's
//! mean. size(D) counts the sites that answered, not all that exist, and sizes are told in bands.

use fedcdi_core::choice::Params;
use fedcdi_core::{Belief, BeliefError, ParamsError};
use serde::{Deserialize, Serialize};

use super::pool::{Space, Weights};
use super::rule::{Opinion, Rule, Shares};
use crate::codec::{n_edges, n_pairs};

/// The mean over sites, weighted by rows (paper 4.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Naive {
    /// What the mean is taken of.
    pub space: Space,
}

impl Params for Naive {
    const NAME: &str = "naive";
    const SUMMARY: &str = "mean weighted by rows (paper 4.2)";

    fn check(&self) -> Result<(), ParamsError> {
        Ok(())
    }
}

impl Rule for Naive {
    fn n_terms(&self, n_vars: usize) -> usize {
        self.space.n_terms(n_vars)
    }

    fn terms(&self, opinion: &Opinion<'_>) -> Vec<f64> {
        let n_vars = opinion.posterior.n_vars();
        let size = opinion.counts.n_samples as f64;
        let weights = std::iter::repeat_n(size, n_edges(n_vars) + n_pairs(n_vars));
        (self.space).terms(opinion.posterior, &Weights::of(n_vars, weights))
    }

    fn finish(&self, n_vars: usize, terms: &[Vec<f64>]) -> Result<Belief, BeliefError> {
        self.space.mean(n_vars, &terms[0])
    }

    fn is_sound(&self, n_vars: usize, terms: &[f64]) -> bool {
        self.space.is_sound(n_vars, terms)
    }

    fn shares(&self, n_vars: usize, each: &[Vec<f64>]) -> Option<Shares> {
        Some(self.space.shares(n_vars, each))
    }
}

#[cfg(test)]
mod tests {
    use fedcdi_core::belief::sigmoid;

    use super::super::tests::{counts, finished, pair};
    use super::*;

    #[test]
    fn means_by_hand() {
        // Weights 3/4 and 1/4; sigma(ln 3) = 3/4.
        let ln3 = 3f64.ln();
        let sites = [
            (pair([ln3, 0.0], ln3), counts(&[200, 0], 100)),
            (pair([0.0, 0.0], -ln3), counts(&[0, 50], 50)),
        ];
        let prior = Belief::uninformed(2);
        let of = |space| finished(&Naive { space }, &prior, &sites);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-7, "{a} {b}");
        let factors = of(Space::Factors);
        close(
            sigmoid(factors.existence()[(0, 1)]),
            0.75 * 0.75 + 0.25 * 0.5,
        );
        close(
            sigmoid(factors.orientation()[(0, 1)]),
            0.75 * 0.75 + 0.25 * 0.25,
        );
        let logits = of(Space::Logits);
        close(logits.existence()[(0, 1)], 0.75 * ln3);
        close(logits.orientation()[(1, 0)], -0.5 * ln3);
        // psi of 0 -> 1: 9/16 and 1/8; of 1 -> 0: 1/8 and 3/8.
        let psi = of(Space::Psi).psi();
        assert!((psi[(0, 1)] - (0.75 * 9.0 / 16.0 + 0.25 / 8.0)).abs() < 1e-4);
        assert!((psi[(1, 0)] - (0.75 / 8.0 + 0.25 * 3.0 / 8.0)).abs() < 1e-4);
    }
}
