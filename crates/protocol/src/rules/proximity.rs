//! Proximity aggregation: trust a site most near the variables it intervened on.
//!
//! Paper: FedCDI section 4.3, equation for psi* and r-hat; Algorithm 2 of appendix B.
//!
//! | paper | code | shape, range |
//! |---|---|---|
//! | `m^k_s`, initial mass, normalised across clients | [`MassFrom::masses`] | `[variable]`, 0..=1 |
//! | `r^k_ij`, mass through an edge | [`reliability`] | `[cause, effect]`, 0..=1 |
//! | beta | [`Proximity::beta`] | > 0 |
//! | r-hat, softmax over sites | `e^(beta (r - 1))` over its sum ([`Space`]); `e^-beta` cancels and keeps weights at most 1 | sums to 1 over sites |
//!
//! Additive: each site computes its own r from the belief that was sent. Where no mass arrives (r = 0
//! for all) sites count equally.
//!
//! Deviations. Algorithm 2 loops over the edges of a thresholded belief and leaves all others
//! undefined; here every pair gets its softmax, from the belief as it is. The text sends the mass
//! through the last aggregate, the algorithm through the client's own belief: see [`Carrier`]. By
//! default the factors of psi are averaged (see [`Space`]); orientation, one number for
//! both directions, then takes the larger reliability of the two. `space = "psi"` is the paper's
//! mean.
//!
//! Slip in the paper's example: 0.9 * 0.5 is printed as 0.540; it is 0.450, as tested below. With the
//! paper's beta of 0.15 no site can count more than e^0.15 = 1.16 times another: values of 5 to 16 tell
//! sites apart.

use fedcdi_core::choice::Params;
use fedcdi_core::{Belief, BeliefError, ParamsError, SampleCounts};
use serde::{Deserialize, Serialize};

use super::mass::{MassFrom, reliability};
use super::pool::{Space, Weights, entries};
use super::rule::{Opinion, Rule, Shares};
use crate::codec::{edges, pairs};

/// Trusts a site most near the variables it intervened on (paper 4.3).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Proximity {
    /// Inverse temperature of the softmax over sites; > 0, at most 16: beyond, the weight of a site
    /// far from its interventions has too few digits.
    pub beta: f64,
    /// The belief that the mass flows through.
    pub carrier: Carrier,
    /// Which samples make the mass.
    pub mass: MassFrom,
    /// What the mean is taken of.
    pub space: Space,
}

/// The belief that the mass flows through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Carrier {
    /// The last aggregate; in round 1 what the coordinator sent first.
    #[default]
    Aggregate,
    /// The site's own posterior.
    Own,
}

impl Default for Proximity {
    fn default() -> Self {
        Self {
            beta: 0.15,
            carrier: Carrier::default(),
            mass: MassFrom::default(),
            space: Space::default(),
        }
    }
}

impl Params for Proximity {
    const NAME: &str = "proximity";
    const SUMMARY: &str = "trust a site most downstream of its interventions (paper 4.3)";

    fn check(&self) -> Result<(), ParamsError> {
        ParamsError::positive("beta", self.beta)?;
        ParamsError::require("beta", self.beta, "at most 16", self.beta <= 16.0)
    }
}

impl Proximity {
    /// Numerators of the softmax.
    fn weights(&self, opinion: &Opinion<'_>) -> Weights {
        let n_vars = opinion.prior.n_vars();
        let mass = self.mass.masses(opinion.counts, opinion.reference);
        let psi = match self.carrier {
            Carrier::Aggregate => opinion.prior.psi(),
            Carrier::Own => opinion.posterior.psi(),
        };
        let flow = reliability(&mass, &psi);
        let weight = |r: f64| (self.beta * (r - 1.0)).exp();
        let either_way = |(i, j)| weight(flow[(i, j)].max(flow[(j, i)]));
        Weights {
            edge: edges(n_vars).map(|at| weight(flow[at])).collect(),
            pair: pairs(n_vars).map(either_way).collect(),
        }
    }
}

impl Rule for Proximity {
    fn n_terms(&self, n_vars: usize) -> usize {
        self.space.n_terms(n_vars)
    }

    /// Weights are at most 1, and may be as small as e^-16.
    fn fraction_bits(&self) -> u32 {
        40
    }

    fn terms(&self, opinion: &Opinion<'_>) -> Vec<f64> {
        self.space.terms(opinion.posterior, &self.weights(opinion))
    }

    fn finish(&self, n_vars: usize, terms: &[Vec<f64>]) -> Result<Belief, BeliefError> {
        self.space.mean(n_vars, &terms[0])
    }

    fn is_sound(&self, n_vars: usize, terms: &[f64]) -> bool {
        let range = (-self.beta).exp() - 1e-9..=1.0 + 1e-9;
        let mut entries = entries(n_vars, terms);
        self.space.is_sound(n_vars, terms) && entries.all(|(_, weight)| range.contains(&weight))
    }

    fn largest(&self, counts: &SampleCounts) -> Option<u64> {
        Some(self.mass.largest(counts))
    }

    fn shares(&self, n_vars: usize, each: &[Vec<f64>]) -> Option<Shares> {
        Some(self.space.shares(n_vars, each))
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::super::tests::{Voice, counts, finished, pair, terms_of};
    use super::*;

    /// A belief over X1..X6 from `(cause, effect, psi)`, counted from 1 as in the paper.
    fn toy(edges: &[(usize, usize, f64)]) -> Belief {
        let mut psi = Array2::zeros((6, 6));
        for &(cause, effect, p) in edges {
            psi[(cause - 1, effect - 1)] = p;
        }
        Belief::from_psi(&psi).unwrap()
    }

    fn toy_sites() -> [Voice; 2] {
        let one = [(1, 2, 0.6), (1, 3, 0.6), (3, 4, 0.5), (3, 5, 0.9)];
        let one = [&one[..], &[(5, 6, 0.8), (4, 6, 0.7)]].concat();
        let two = [(1, 2, 0.5), (1, 3, 0.5), (3, 4, 0.8), (3, 5, 0.9)];
        let two = [&two[..], &[(5, 6, 0.5), (4, 6, 0.5)]].concat();
        [
            (toy(&one), counts(&[100, 0, 0, 0, 0, 0], 1)),
            (toy(&two), counts(&[0, 0, 100, 0, 0, 0], 1)),
        ]
    }

    #[test]
    fn the_papers_example_with_its_slip_corrected() {
        let rule = Proximity {
            beta: 2.0,
            carrier: Carrier::Own,
            space: Space::Psi,
            ..Proximity::default()
        };
        let (sites, prior) = (toy_sites(), Belief::uninformed(6));
        let each = terms_of(&rule, &prior, &sites);
        let at = edges(6).position(|at| at == (4, 5)).unwrap();
        let weight = |site: usize| entries(6, &each[site]).nth(at).unwrap().1;
        let close = |a: f64, b: f64, by: f64| assert!((a - b).abs() < by, "{a} {b}");
        // r is 0.6 * 0.9 * 0.8 = 0.432 and 0.9 * 0.5 = 0.450, printed as 0.540. Clipping of
        // from_psi costs up to a thousandth per step.
        close(weight(0).ln() / 2.0 + 1.0, 0.432, 2e-3);
        close(weight(1).ln() / 2.0 + 1.0, 0.450, 2e-3);
        let share = weight(0) / (weight(0) + weight(1));
        close(share, 0.491, 1e-3);
        // psi* of X5 -> X6: 0.491 * 0.8 + 0.509 * 0.5 = 0.6473.
        close(finished(&rule, &prior, &sites).psi()[(4, 5)], 0.6473, 2e-3);
    }

    #[test]
    fn the_carrier_is_the_one_that_was_chosen() {
        // Two variables, an intervention on the first: r of 0 -> 1 is psi of the carrier.
        let sites = [(pair([3.0, 0.0], 3.0), counts(&[10, 0], 0))];
        let prior = pair([-3.0, 0.0], -3.0);
        let r = |carrier| {
            let rule = Proximity {
                carrier,
                ..Proximity::default()
            };
            let each = terms_of(&rule, &prior, &sites);
            entries(2, &each[0]).next().unwrap().1.ln() / rule.beta + 1.0
        };
        let psi = |belief: &Belief| belief.psi()[(0, 1)];
        assert!((r(Carrier::Own) - psi(&sites[0].0)).abs() < 1e-12);
        assert!((r(Carrier::Aggregate) - psi(&prior)).abs() < 1e-12);
    }

    #[test]
    fn beta_out_of_range_is_refused() {
        for beta in [0.0, -1.0, f64::NAN, f64::INFINITY, 17.0] {
            let params = Proximity {
                beta,
                ..Proximity::default()
            };
            assert_eq!(params.check().unwrap_err().field, "beta");
        }
    }

    #[test]
    fn without_interventions_sites_count_equally() {
        let sites = [
            (toy(&[(1, 2, 0.8)]), counts(&[0; 6], 10)),
            (toy(&[(1, 2, 0.2)]), counts(&[0; 6], 1000)),
        ];
        let rule = Proximity {
            beta: 10.0,
            space: Space::Psi,
            ..Proximity::default()
        };
        let belief = finished(&rule, &Belief::uninformed(6), &sites);
        assert!((belief.psi()[(0, 1)] - 0.5).abs() < 1e-3);
    }

    #[test]
    fn a_weight_that_no_mass_gives_is_unsound() {
        let rule = Proximity::default();
        let each = terms_of(&rule, &Belief::uninformed(6), &toy_sites());
        assert!(rule.is_sound(6, &each[0]));
        let louder: Vec<f64> = each[0].iter().map(|term| 2.0 * term).collect();
        assert!(!rule.is_sound(6, &louder));
    }
}
