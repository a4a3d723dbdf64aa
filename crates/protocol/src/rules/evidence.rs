//! Evidence aggregation: weight each logit by the interventions it is learned from.
//!
//! Ours; replaces the paper's section 4.3. ENCO learns the existence of i -> j from every sample in
//! which j was not intervened on, and the orientation of the pair from samples under an
//! intervention on i or on j. With `n^k_s` samples of site k under an intervention on s, `n^k_ij`
//! on both i and j, `n^k` on any, and `n^k_o` without one:
//!
//! | quantity | direct weight of site k | code |
//! |---|---|---|
//! | `gamma_ij` | `n^k - n^k_j`, and kappa `n^k_o` | `Evidence::direct` |
//! | `theta_ij` | `n^k_i + n^k_j - 2 n^k_ij` | `Evidence::direct` |
//! | either, where no site has direct weight | rho `n^k`, and kappa `n^k_o` | `Evidence::indirect_weight` |
//!
//! rho = [`Evidence::indirect`] is ENCO's learning-rate factor for the orientation of pairs
//! that were never intervened on. kappa = [`Evidence::observational`] is small: observational
//! rows mainly fit the networks, but a federation of sites that have nothing else still has a mean.
//!
//! In a horizontal split this is the mean of logits weighted by size. In a vertical one the few sites
//! that intervened on a pair decide its orientation.
//!
//! Additive: the terms of the direct mean (`pool`), then the weight of the indirect one, which is the
//! same everywhere, and its weighted logits.

use fedcdi_core::choice::Params;
use fedcdi_core::{Belief, BeliefError, ParamsError, SampleCounts, VarId};
use serde::{Deserialize, Serialize};

use super::pool::{Space, Weights, entries};
use super::rule::{MAX_LOGIT, Opinion, Rule, Shares};
use crate::codec::{assemble, edges, logits, n_edges, n_pairs, pairs};

/// The mean over sites, each logit weighted by the interventions that it is learned from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Evidence {
    /// Weight of an interventional sample where nobody has a direct one; > 0, at most 1.
    pub indirect: f64,
    /// Weight of an observational sample, of an interventional one's; > 0, at most 1.
    pub observational: f64,
}

impl Default for Evidence {
    fn default() -> Self {
        Self {
            indirect: 0.1,
            observational: 0.01,
        }
    }
}

impl Params for Evidence {
    const NAME: &str = "evidence";
    const SUMMARY: &str = "weighted by the interventions that each logit is learned from";

    fn check(&self) -> Result<(), ParamsError> {
        let fields = [
            ("indirect", self.indirect),
            ("observational", self.observational),
        ];
        fields.into_iter().try_for_each(|(field, value)| {
            let fine = value > 0.0 && value <= 1.0;
            ParamsError::require(field, value, "> 0 and at most 1", fine)
        })
    }
}

/// Terms of the direct mean, weight of the indirect one, and its weighted logits.
fn parts(n_vars: usize, terms: &[f64]) -> (&[f64], f64, &[f64]) {
    let (direct, rest) = terms.split_at(Space::Logits.n_terms(n_vars));
    (direct, rest[0], &rest[1..])
}

impl Evidence {
    fn observational_weight(&self, counts: &SampleCounts) -> f64 {
        self.observational * counts.n_observational as f64
    }

    fn direct(&self, counts: &SampleCounts) -> Weights {
        let n_vars = counts.n_interventional.len();
        let beside = self.observational_weight(counts);
        let existence = |(_, effect)| counts.elsewhere(VarId(effect)) as f64 + beside;
        let orientation = |(a, b)| counts.separating(VarId(a), VarId(b)) as f64;
        Weights {
            edge: edges(n_vars).map(existence).collect(),
            pair: pairs(n_vars).map(orientation).collect(),
        }
    }

    fn indirect_weight(&self, counts: &SampleCounts) -> f64 {
        self.indirect * counts.intervened() as f64 + self.observational_weight(counts)
    }
}

impl Rule for Evidence {
    fn n_terms(&self, n_vars: usize) -> usize {
        Space::Logits.n_terms(n_vars) + 1 + n_edges(n_vars) + n_pairs(n_vars)
    }

    fn terms(&self, opinion: &Opinion<'_>) -> Vec<f64> {
        let belief = opinion.posterior;
        let mut terms = Space::Logits.terms(belief, &self.direct(opinion.counts));
        let weight = self.indirect_weight(opinion.counts);
        terms.push(weight);
        terms.extend(logits(belief).map(|logit| weight * logit));
        terms
    }

    /// Complexity: O(N^2).
    fn finish(&self, n_vars: usize, terms: &[Vec<f64>]) -> Result<Belief, BeliefError> {
        let (direct, indirect_weight, indirect) = parts(n_vars, &terms[0]);
        let mean = |((value, weight), indirect): ((f64, f64), &f64)| match weight {
            0.0 => Space::Logits.ratio(*indirect, indirect_weight),
            weight => Space::Logits.ratio(value, weight),
        };
        let means = entries(n_vars, direct).zip(indirect).map(mean);
        assemble(n_vars, &means.collect::<Vec<_>>())
    }

    fn is_sound(&self, n_vars: usize, terms: &[f64]) -> bool {
        let (direct, weight, indirect) = parts(n_vars, terms);
        let most = MAX_LOGIT * (weight + 1e-6);
        let fits = |value: &f64| value.abs() <= most;
        Space::Logits.is_sound(n_vars, direct) && weight >= 0.0 && indirect.iter().all(fits)
    }

    fn shares(&self, n_vars: usize, each: &[Vec<f64>]) -> Option<Shares> {
        let parts = || each.iter().map(|terms| parts(n_vars, terms));
        let direct = |terms| entries(n_vars, terms).map(|(_, weight)| weight);
        let mut nobody = vec![true; n_edges(n_vars) + n_pairs(n_vars)];
        for (terms, ..) in parts() {
            (nobody.iter_mut().zip(direct(terms))).for_each(|(nobody, w)| *nobody &= w == 0.0);
        }
        let weights = parts().map(|(terms, indirect, _)| {
            let either = |(direct, nobody): (f64, &bool)| if *nobody { indirect } else { direct };
            Weights::of(n_vars, direct(terms).zip(&nobody).map(either))
        });
        Some(Shares::of(n_vars, &weights.collect::<Vec<_>>()))
    }
}

#[cfg(test)]
mod tests {
    use fedcdi_core::JointCount;
    use ndarray::Array2;
    use proptest::prelude::*;

    use super::super::naive::Naive;
    use super::super::tests::{Voice, any_round, counts, finished, pair, terms_of};
    use super::*;

    fn aggregate(sites: &[Voice]) -> Belief {
        let n_vars = sites[0].0.n_vars();
        finished(&Evidence::default(), &Belief::uninformed(n_vars), sites)
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }

    #[test]
    fn weights_by_hand() {
        // a: 30 samples under 0, 100 observational; b: 10 under 1, 300 observational.
        // Existence of 0 -> 1: a 30 + 1, b 0 + 3: (31 * 2 + 3 * -1) / 34. Of 1 -> 0: a 0 + 1,
        // b 10 + 3: (1 * 4 + 13 * 0.5) / 14. Orientation: a 30, b 10: (30 * 1 + 10 * -3) / 40 = 0.
        let sites = [
            (pair([2.0, 4.0], 1.0), counts(&[30, 0], 100)),
            (pair([-1.0, 0.5], -3.0), counts(&[0, 10], 300)),
        ];
        let belief = aggregate(&sites);
        close(belief.existence()[(0, 1)], (31.0 * 2.0 - 3.0) / 34.0);
        close(belief.existence()[(1, 0)], (4.0 + 13.0 * 0.5) / 14.0);
        close(belief.orientation()[(0, 1)], 0.0);
        // The same weights as shares: 31/34 and 3/34, 1/14 and 13/14, 3/4 and 1/4.
        let rule = Evidence::default();
        let each = terms_of(&rule, &Belief::uninformed(2), &sites);
        let shares = rule.shares(2, &each).unwrap();
        close(shares.existence[0][(0, 1)], 31.0 / 34.0);
        close(shares.existence[1][(1, 0)], 13.0 / 14.0);
        close(shares.orientation[0][(1, 0)], 0.75);
        assert_eq!(shares.orientation[1][(1, 1)], 0.0);
    }

    #[test]
    fn a_pair_nobody_touched_falls_back_to_all_interventions() {
        // Of three variables both sites intervened on the third only: the pair 0, 1 has indirect
        // weights 0.1 * 20 + 0.01 * 100 = 3 and 0.1 * 60 + 0 = 6.
        let belief = |theta: f64| {
            let mut orientation = Array2::zeros((3, 3));
            orientation[(0, 1)] = theta;
            orientation[(1, 0)] = -theta;
            Belief::new(Array2::zeros((3, 3)), orientation).unwrap()
        };
        let sites = [
            (belief(3.0), counts(&[0, 0, 20], 100)),
            (belief(-3.0), counts(&[0, 0, 60], 0)),
        ];
        close(aggregate(&sites).orientation()[(0, 1)], (9.0 - 18.0) / 9.0);
        let rule = Evidence::default();
        let each = terms_of(&rule, &Belief::uninformed(3), &sites);
        let shares = rule.shares(3, &each).unwrap();
        close(shares.orientation[0][(0, 1)], 1.0 / 3.0);
    }

    #[test]
    fn sites_without_interventions_form_a_federation() {
        let sites = [
            (pair([2.0, -2.0], 1.0), counts(&[0, 0], 100)),
            (pair([-1.0, 1.0], -1.0), counts(&[0, 0], 300)),
        ];
        let belief = aggregate(&sites);
        close(belief.existence()[(0, 1)], (2.0 - 3.0) / 4.0);
        close(belief.orientation()[(0, 1)], (1.0 - 3.0) / 4.0);
    }

    #[test]
    fn only_one_variable_was_ever_touched() {
        // Existence of 0 -> 1 has no direct sample: everything was taken under 1.
        let sites = [(pair([2.0, 1.0], 1.0), counts(&[0, 5], 0))];
        close(aggregate(&sites).existence()[(0, 1)], 2.0);
    }

    #[test]
    fn an_expert_outweighs_many_observers() {
        let mut sites = vec![(pair([4.0, -4.0], 4.0), counts(&[100, 0], 1000))];
        sites.extend((1..10).map(|_| (pair([-1.0, 1.0], -1.0), counts(&[0, 0], 1000))));
        let belief = aggregate(&sites);
        assert_eq!(belief.orientation()[(0, 1)], 4.0);
        // 100 + 10 of the expert against 9 * 10.
        close(belief.existence()[(0, 1)], (110.0 * 4.0 - 90.0) / 200.0);
    }

    #[test]
    fn who_set_both_ends_at_once_knows_nothing_of_their_direction() {
        let mut joint = (pair([1.0, 1.0], -5.0), counts(&[100, 100], 0));
        joint.1.n_samples = 100;
        joint.1.n_joint = vec![JointCount {
            a: VarId(0),
            b: VarId(1),
            n_samples: 100,
        }];
        let expert = (pair([3.0, -3.0], 2.0), counts(&[10, 0], 0));
        let belief = aggregate(&[joint, expert]);
        close(belief.orientation()[(0, 1)], 2.0);
        // Every row of the first site has 1 set, so the second alone knows of 0 -> 1.
        close(belief.existence()[(0, 1)], 3.0);
    }

    #[test]
    fn weights_out_of_range_are_refused() {
        let with = |indirect, observational| {
            let params = Evidence {
                indirect,
                observational,
            };
            params.check().unwrap_err().field
        };
        assert_eq!(with(0.0, 0.1), "indirect");
        assert_eq!(with(0.1, 1.5), "observational");
        assert_eq!(with(0.1, f64::NAN), "observational");
    }

    proptest! {
        #[test]
        fn logits_stay_between_the_extremes((_, sites) in any_round()) {
            let belief = aggregate(&sites);
            for (cause, effect) in belief.pairs() {
                let at = (cause.index(), effect.index());
                for of in [Belief::existence, Belief::orientation] {
                    let values = || sites.iter().map(|(own, _)| of(own)[at]);
                    let low = values().fold(f64::INFINITY, f64::min) - 1e-9;
                    let high = values().fold(f64::NEG_INFINITY, f64::max) + 1e-9;
                    prop_assert!((low..=high).contains(&of(&belief)[at]));
                }
            }
        }

        #[test]
        fn equal_shares_give_the_mean_by_size((prior, mut sites) in any_round()) {
            let same = counts(&vec![5; prior.n_vars()], 10);
            sites.iter_mut().for_each(|site| site.1 = same.clone());
            let naive = finished(&Naive { space: Space::Logits }, &prior, &sites);
            let ours = aggregate(&sites);
            let gap = (ours.existence() - naive.existence()).mapv(f64::abs).sum()
                + (ours.orientation() - naive.orientation()).mapv(f64::abs).sum();
            prop_assert!(gap < 1e-9, "{}", gap);
        }
    }
}
