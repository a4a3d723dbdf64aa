//! Weighted means of beliefs as ratios of two sums, in one of three spaces.
//!
//! | space | pooled | psi of the aggregate |
//! |---|---|---|
//! | [`Space::Psi`] | `psi_ij` | the mean of the sites' psi (paper), up to the clipping of `from_psi` |
//! | [`Space::Factors`] | `sigma(gamma_ij)`, `sigma(theta_ij)` | product of two means |
//! | [`Space::Logits`] | `gamma_ij`, `theta_ij` | product of two normalised geometric means |
//!
//! | terms | number |
//! |---|---|
//! | weight times value, of every edge | N (N - 1) |
//! | weight, of every edge | N (N - 1) |
//! | the same of every pair, but for psi, which has no value of its own there | 2 times N (N - 1) / 2 |
//!
//! Existence is weighted per edge, orientation per pair: its two directions are one number.

use fedcdi_core::belief::{logit, sigmoid};
use fedcdi_core::{Belief, BeliefError, Origin};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::rule::{MAX_LOGIT, Shares};
use crate::codec::{assemble, edges, n_edges, n_pairs, pairs};

/// The numbers a mean over sites is taken of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// Edge probabilities: the paper. The aggregate is split into existence and orientation by
    /// factorisation, with the same existence in both directions of a pair.
    Psi,
    /// Probabilities of existence and of orientation, each on its own: bounded, so that no site
    /// can outshout the others, and existence stays a matter of direction.
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

/// The four lists of terms, the last two empty under [`Space::Psi`].
pub(super) struct Parts<'a> {
    pub(super) edge_values: &'a [f64],
    pub(super) edge_weights: &'a [f64],
    pub(super) pair_values: &'a [f64],
    pub(super) pair_weights: &'a [f64],
}

impl<'a> Parts<'a> {
    /// The lists again.
    pub(super) fn of(n_vars: usize, terms: &'a [f64]) -> Self {
        let (edge_values, rest) = terms.split_at(n_edges(n_vars));
        let (edge_weights, rest) = rest.split_at(n_edges(n_vars));
        let (pair_values, pair_weights) = rest.split_at(rest.len() / 2);
        Self {
            edge_values,
            edge_weights,
            pair_values,
            pair_weights,
        }
    }
}

impl Space {
    /// Terms of a weighted mean.
    pub(super) fn n_terms(self, n_vars: usize) -> usize {
        match self {
            Self::Psi => 2 * n_edges(n_vars),
            Self::Factors | Self::Logits => 2 * n_edges(n_vars) + 2 * n_pairs(n_vars),
        }
    }

    /// The terms of one site, appended to `terms`.
    pub(super) fn extend(self, terms: &mut Vec<f64>, belief: &Belief, weights: &Weights) {
        let n_vars = belief.n_vars();
        let psi = (self == Self::Psi).then(|| belief.psi());
        let value = |logit: f64| match self {
            Self::Factors => sigmoid(logit),
            _ => logit,
        };
        let existence = |at| match &psi {
            Some(psi) => psi[at],
            None => value(belief.existence()[at]),
        };
        terms.extend((edges(n_vars).zip(&weights.edge)).map(|(at, weight)| weight * existence(at)));
        terms.extend(&weights.edge);
        if psi.is_none() {
            let of = |at| value(belief.orientation()[at]);
            terms.extend((pairs(n_vars).zip(&weights.pair)).map(|(at, weight)| weight * of(at)));
            terms.extend(&weights.pair);
        }
    }

    /// The belief of a sum of terms; where nobody has weight nothing is known.
    pub(super) fn mean(self, n_vars: usize, sum: &[f64]) -> Result<Belief, BeliefError> {
        let parts = Parts::of(n_vars, sum);
        let ratio = |(value, weight): (&f64, &f64)| self.ratio(*value, *weight);
        let of_edges = parts.edge_values.iter().zip(parts.edge_weights);
        let of_edges: Vec<f64> = of_edges.map(ratio).collect();
        if self == Self::Psi {
            let mut psi = Array2::zeros((n_vars, n_vars));
            for (at, value) in edges(n_vars).zip(&of_edges) {
                psi[at] = value.clamp(0.0, 1.0);
            }
            return Belief::from_psi(&psi);
        }
        let of_pairs = parts.pair_values.iter().zip(parts.pair_weights);
        let of_pairs: Vec<f64> = of_pairs.map(ratio).collect();
        assemble(n_vars, &of_edges, &of_pairs, Origin::Logits)
    }

    /// The mean of one entry: a probability under [`Self::Psi`], else a logit.
    pub(super) fn ratio(self, value: f64, weight: f64) -> f64 {
        if weight <= 0.0 {
            return match self {
                Self::Psi => 0.25,
                Self::Factors | Self::Logits => 0.0,
            };
        }
        match self {
            Self::Psi => value / weight,
            Self::Logits => (value / weight).clamp(-MAX_LOGIT, MAX_LOGIT),
            // The complement keeps its digits near 1, where a quotient would lose them.
            Self::Factors if 2.0 * value > weight => -of_share((weight - value) / weight),
            Self::Factors => of_share(value / weight),
        }
    }

    /// Whether terms are a weight of 0 or more each, and what it can carry.
    pub(super) fn is_sound(self, n_vars: usize, terms: &[f64]) -> bool {
        let parts = Parts::of(n_vars, terms);
        let fits = |(value, weight): (&f64, &f64)| {
            // Fixed point rounds value and weight apart.
            let slack = 1e-6 * (1.0 + weight.abs());
            let within = match self {
                Self::Psi | Self::Factors => (-slack..=weight + slack).contains(value),
                Self::Logits => value.abs() <= MAX_LOGIT * weight + slack * MAX_LOGIT,
            };
            *weight >= 0.0 && within
        };
        let symmetric = parts.pair_values.len() == parts.pair_weights.len();
        let edges = parts.edge_values.iter().zip(parts.edge_weights);
        let pairs = parts.pair_values.iter().zip(parts.pair_weights);
        symmetric && edges.chain(pairs).all(fits)
    }

    /// What each site's weights are of their sum. Pooled edge probabilities have no weight per pair:
    /// their two directions say which way it points, each as much as the other.
    pub(super) fn shares(self, n_vars: usize, each: &[Vec<f64>]) -> Shares {
        let matrix_of = |of_site: &Vec<f64>| {
            let mut matrix = Array2::zeros((n_vars, n_vars));
            let weights = Parts::of(n_vars, of_site).edge_weights;
            edges(n_vars)
                .zip(weights)
                .for_each(|(at, w)| matrix[at] = *w);
            matrix
        };
        let existence = normalised(each.iter().map(matrix_of).collect());
        let orientation = if self == Self::Psi {
            let both = |share: &Array2<f64>| (share + &share.t()) / 2.0;
            existence.iter().map(both).collect()
        } else {
            let matrix_of = |of_site: &Vec<f64>| {
                let mut matrix = Array2::zeros((n_vars, n_vars));
                let weights = Parts::of(n_vars, of_site).pair_weights;
                for ((i, j), weight) in pairs(n_vars).zip(weights) {
                    matrix[(i, j)] = *weight;
                    matrix[(j, i)] = *weight;
                }
                matrix
            };
            normalised(each.iter().map(matrix_of).collect())
        };
        Shares {
            existence,
            orientation,
        }
    }
}

/// The logit of a probability that may be 0.
fn of_share(p: f64) -> f64 {
    logit(p.max(f64::MIN_POSITIVE)).clamp(-MAX_LOGIT, MAX_LOGIT)
}

/// Every entry divided by its sum over sites; equal where nobody has weight.
pub(super) fn normalised(mut weights: Vec<Array2<f64>>) -> Vec<Array2<f64>> {
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
