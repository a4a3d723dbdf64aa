//! Weighted means of beliefs as ratios of two sums, in one of three spaces.
//!
//! | space | pooled | psi of the aggregate |
//! |---|---|---|
//! | [`Space::Psi`] | `psi_ij` | the mean of the sites' psi (paper), up to the clipping of `from_psi` |
//! | [`Space::Factors`] | `sigma(gamma_ij)`, `sigma(theta_ij)` | product of two means |
//! | [`Space::Logits`] | `gamma_ij`, `theta_ij` | product of two normalised geometric means |
//!
//! A mean of psi says nothing about how much of an unlikely edge is absence and how much reversal. Split
//! again, it gives both directions the same existence, and what sites without an opinion leave in a
//! reverse edge never dies. Sites know both factors, so the paper's two rules pool factors by default.
//!
//! Terms are weight times value of every edge, then the weight of every edge; then the same of every pair,
//! but for psi, which has no value of its own there. Orientation has one weight per pair: its two
//! directions are one number.

use fedcdi_core::belief::{logit, sigmoid};
use fedcdi_core::{Belief, BeliefError};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::rule::{MAX_LOGIT, Shares};
use crate::codec::{assemble, edges, logits, matrix, n_edges, n_pairs, pairs};

/// The numbers a mean over sites is taken of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// Edge probabilities, as in the paper: both directions of a pair get the same existence.
    Psi,
    /// Probabilities of existence and of orientation, each on its own: bounded, so that no site
    /// can outshout the others.
    #[default]
    Factors,
    /// Logits of existence and of orientation: sharper, and as sure as the surest site.
    Logits,
}

/// How much a site counts.
pub(super) struct Weights {
    /// At every edge.
    pub(super) edge: Vec<f64>,
    /// At every pair.
    pub(super) pair: Vec<f64>,
}

impl Weights {
    /// Of every edge, then of every pair.
    pub(super) fn of(n_vars: usize, weights: impl Iterator<Item = f64>) -> Self {
        let mut edge: Vec<f64> = weights.collect();
        let pair = edge.split_off(n_edges(n_vars));
        Self { edge, pair }
    }
}

/// Value and weight of every edge, then of every pair.
pub(super) fn entries(n_vars: usize, terms: &[f64]) -> impl Iterator<Item = (f64, f64)> {
    let (of_edges, of_pairs) = terms.split_at(2 * n_edges(n_vars));
    [of_edges, of_pairs].into_iter().flat_map(|terms| {
        let (values, weights) = terms.split_at(terms.len() / 2);
        values.iter().copied().zip(weights.iter().copied())
    })
}

impl Space {
    /// Terms of a weighted mean.
    pub(super) fn n_terms(self, n_vars: usize) -> usize {
        match self {
            Self::Psi => 2 * n_edges(n_vars),
            Self::Factors | Self::Logits => 2 * n_edges(n_vars) + 2 * n_pairs(n_vars),
        }
    }

    /// The terms of one site.
    pub(super) fn terms(self, belief: &Belief, weights: &Weights) -> Vec<f64> {
        let n_vars = belief.n_vars();
        let values: Vec<f64> = match self {
            Self::Psi => {
                let psi = belief.psi();
                edges(n_vars).map(|at| psi[at]).collect()
            }
            Self::Factors => logits(belief).map(sigmoid).collect(),
            Self::Logits => logits(belief).collect(),
        };
        let (of_edges, of_pairs) = values.split_at(n_edges(n_vars));
        let mut terms = Vec::with_capacity(self.n_terms(n_vars));
        for (values, weights) in [(of_edges, &weights.edge), (of_pairs, &weights.pair)] {
            let weighted = values
                .iter()
                .zip(weights)
                .map(|(value, weight)| weight * value);
            terms.extend(weighted);
            terms.extend(&weights[..values.len()]);
        }
        terms
    }

    /// The belief of a sum of terms; where nobody has weight nothing is known.
    pub(super) fn mean(self, n_vars: usize, sum: &[f64]) -> Result<Belief, BeliefError> {
        let means = entries(n_vars, sum).map(|(value, weight)| self.ratio(value, weight));
        if self == Self::Psi {
            let psi: Vec<f64> = means.map(|psi| psi.clamp(0.0, 1.0)).collect();
            return Belief::from_psi(&matrix(n_vars, edges(n_vars), &psi));
        }
        assemble(n_vars, &means.collect::<Vec<f64>>())
    }

    /// The mean of one entry: a probability under [`Self::Psi`], else a logit.
    pub(super) fn ratio(self, value: f64, weight: f64) -> f64 {
        match self {
            Self::Psi if weight <= 0.0 => 0.25,
            _ if weight <= 0.0 => 0.0,
            Self::Psi => value / weight,
            Self::Logits => (value / weight).clamp(-MAX_LOGIT, MAX_LOGIT),
            // The complement keeps its digits near 1, where a quotient would lose them.
            Self::Factors if 2.0 * value > weight => -of_share((weight - value) / weight),
            Self::Factors => of_share(value / weight),
        }
    }

    /// Whether terms are a weight of 0 or more each, and what it can carry.
    pub(super) fn is_sound(self, n_vars: usize, terms: &[f64]) -> bool {
        entries(n_vars, terms).all(|(value, weight)| {
            // Fixed point rounds value and weight apart.
            let slack = 1e-6 * (1.0 + weight.abs());
            let within = match self {
                Self::Psi | Self::Factors => (-slack..=weight + slack).contains(&value),
                Self::Logits => value.abs() <= MAX_LOGIT * weight + slack * MAX_LOGIT,
            };
            weight >= 0.0 && within
        })
    }

    /// What each site's weights are of their sum. Pooled edge probabilities have no weight per pair:
    /// their two directions say which way it points, each as much as the other.
    pub(super) fn shares(self, n_vars: usize, each: &[Vec<f64>]) -> Shares {
        let of_site = |terms: &Vec<f64>| {
            let weights = entries(n_vars, terms).map(|(_, weight)| weight);
            Weights::of(n_vars, weights)
        };
        let mut shares = Shares::of(n_vars, &each.iter().map(of_site).collect::<Vec<_>>());
        if self == Self::Psi {
            let both = |share: &Array2<f64>| (share + &share.t()) / 2.0;
            shares.orientation = shares.existence.iter().map(both).collect();
        }
        shares
    }
}

/// The logit of a probability that may be 0.
fn of_share(p: f64) -> f64 {
    logit(p.max(f64::MIN_POSITIVE)).clamp(-MAX_LOGIT, MAX_LOGIT)
}

impl Shares {
    /// What the weights of each site are of their sum; equal where nobody has weight.
    pub(super) fn of(n_vars: usize, each: &[Weights]) -> Self {
        let existence = each.iter().map(|w| matrix(n_vars, edges(n_vars), &w.edge));
        let orientation = each.iter().map(|w| {
            let upper = matrix(n_vars, pairs(n_vars), &w.pair);
            &upper + &upper.t()
        });
        Self {
            existence: normalised(existence.collect()),
            orientation: normalised(orientation.collect()),
        }
    }
}

/// Every entry divided by its sum over sites.
fn normalised(mut weights: Vec<Array2<f64>>) -> Vec<Array2<f64>> {
    let (n_sites, dim) = (weights.len() as f64, weights[0].dim());
    let mut sum: Array2<f64> = Array2::zeros(dim);
    weights.iter().for_each(|weight| sum += weight);
    for weight in &mut weights {
        for (at, value) in weight.indexed_iter_mut() {
            *value = match sum[at] {
                _ if at.0 == at.1 => 0.0,
                0.0 => 1.0 / n_sites,
                sum => *value / sum,
            };
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_of_factors_keeps_digits_at_both_ends() {
        let tiny = sigmoid(-20.0);
        assert!((Space::Factors.ratio(tiny, 1.0) + 20.0).abs() < 1e-6);
        assert!((Space::Factors.ratio(1.0 - tiny, 1.0) - 20.0).abs() < 1e-5);
        assert_eq!(Space::Factors.ratio(0.0, 3.0), -MAX_LOGIT);
        assert_eq!(Space::Factors.ratio(3.0, 3.0), MAX_LOGIT);
    }

    #[test]
    fn where_nobody_counts_nothing_is_known() {
        assert_eq!(Space::Logits.ratio(0.0, 0.0), 0.0);
        assert_eq!(Space::Psi.ratio(0.0, 0.0), 0.25);
    }

    #[test]
    fn a_value_beyond_its_weight_is_unsound() {
        // Two variables: values and weights of two edges, value and weight of one pair.
        let is_sound = |space: Space, terms: [f64; 6]| space.is_sound(2, &terms);
        assert!(is_sound(Space::Factors, [0.5, 1.0, 1.0, 1.0, 0.0, 2.0]));
        assert!(!is_sound(Space::Factors, [1.5, 1.0, 1.0, 1.0, 0.0, 2.0]));
        assert!(!is_sound(Space::Factors, [-0.5, 1.0, 1.0, 1.0, 0.0, 2.0]));
        assert!(is_sound(Space::Logits, [-60.0, 1.0, 1.0, 1.0, 0.0, 0.0]));
        assert!(!is_sound(Space::Logits, [-65.0, 1.0, 1.0, 1.0, 0.0, 0.0]));
        assert!(!is_sound(Space::Logits, [0.0, 0.0, 1.0, -1.0, 0.0, 0.0]));
        assert!(!is_sound(
            Space::Logits,
            [0.0, 0.0, 1.0, f64::NAN, 0.0, 0.0]
        ));
    }
}
