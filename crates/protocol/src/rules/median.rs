//! Weighted median of every logit, for studies with a faulty site.
//!
//! Ours; the paper trusts all clients. A site whose belief is random, inverted or full of ones
//! moves a mean as far as it likes; a median moves at most to the next honest value, as long as
//! faulty sites hold less than half of the samples. The price: a lone expert is outvoted too, so
//! with interventions divided vertically over many sites prefer [`evidence`](super::evidence).
//!
//! | quantity | code | shape |
//! |---|---|---|
//! | value below and above which half of the weight lies | `weighted_median` | per entry |
//! | weight of a site | [`n_samples`](fedcdi_core::SampleCounts::n_samples) | > 0 |
//!
//! Existence takes the median per direction. Orientation takes it once per pair and is mirrored;
//! where half of the weight lies on either side the two middle values are averaged, so that either
//! direction gives the same result. A median of logits and one of probabilities are the same value.
//!
//! Clear studies only: no sum over sites has the median, so the coordinator sees every belief.

use fedcdi_core::choice::Params;
use fedcdi_core::{Belief, BeliefError, Origin, ParamsError};
use serde::{Deserialize, Serialize};

use super::rule::{MAX_LOGIT, Opinion, Rule};
use crate::codec::{assemble, edges, n_edges, n_pairs, pairs};

/// The rule; it has no settings so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Median {}

impl Params for Median {
    const NAME: &str = "median";
    const SUMMARY: &str = "weighted median, for studies with a faulty site";

    fn check(&self) -> Result<(), ParamsError> {
        Ok(())
    }
}

impl Rule for Median {
    /// The number of samples, then all logits.
    fn n_terms(&self, n_vars: usize) -> usize {
        1 + n_edges(n_vars) + n_pairs(n_vars)
    }

    fn terms(&self, opinion: &Opinion<'_>) -> Vec<f64> {
        let (belief, n_vars) = (opinion.posterior, opinion.posterior.n_vars());
        let mut terms = vec![opinion.counts.n_samples as f64];
        terms.extend(edges(n_vars).map(|at| belief.existence()[at]));
        terms.extend(pairs(n_vars).map(|at| belief.orientation()[at]));
        terms
    }

    /// Complexity: O(sites log sites * N^2).
    fn finish(&self, n_vars: usize, terms: &[Vec<f64>]) -> Result<Belief, BeliefError> {
        let median = |at: usize| {
            let weighted = terms.iter().map(|site| (site[at], site[0] as u64));
            weighted_median(weighted.collect())
        };
        let logits: Vec<f64> = (1..self.n_terms(n_vars)).map(median).collect();
        let (existence, orientation) = logits.split_at(n_edges(n_vars));
        assemble(n_vars, existence, orientation, Origin::Logits)
    }

    fn is_additive(&self) -> bool {
        false
    }

    fn is_sound(&self, _n_vars: usize, terms: &[f64]) -> bool {
        terms[0] >= 1.0 && terms[1..].iter().all(|logit| logit.abs() <= MAX_LOGIT)
    }
}

/// The value with at most half of the weight on either side; the mean of two such values if the
/// weight divides evenly between them.
fn weighted_median(mut values: Vec<(f64, u64)>) -> f64 {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let whole: u128 = values.iter().map(|v| u128::from(v.1)).sum();
    let mut below: u128 = 0;
    let mut lower = None;
    for (value, weight) in values.into_iter().filter(|v| v.1 > 0) {
        if let Some(lower) = lower {
            return f64::midpoint(lower, value);
        }
        below += u128::from(weight);
        if 2 * below > whole {
            return value;
        }
        lower = (2 * below == whole).then_some(value);
    }
    lower.unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::sample::{any_round, counts, finished, pair};
    use super::*;

    #[test]
    fn medians_by_hand() {
        // 1 | 2 | 3 with weights 1, 1, 1: 2. Weights 1, 1, 5: 3. Weights 1, 1, 2: between 2 and 3.
        assert_eq!(weighted_median(vec![(3.0, 1), (1.0, 1), (2.0, 1)]), 2.0);
        assert_eq!(weighted_median(vec![(3.0, 5), (1.0, 1), (2.0, 1)]), 3.0);
        assert_eq!(weighted_median(vec![(3.0, 2), (1.0, 1), (2.0, 1)]), 2.5);
        assert_eq!(weighted_median(vec![(3.0, 2), (9.0, 0)]), 3.0);
    }

    #[test]
    fn one_liar_of_three_changes_little() {
        let site = |existence, orientation| (pair(existence, orientation), counts(&[0, 0], 10));
        let sites = [
            site([2.0, -3.0], 1.0),
            site([2.5, -2.0], 2.0),
            site([-60.0, 60.0], -60.0),
        ];
        let belief = finished(&Median {}, &Belief::uninformed(2), &sites);
        assert_eq!(belief, pair([2.0, -2.0], 1.0));
    }

    #[test]
    fn a_liar_can_neither_shout_nor_vanish() {
        assert!(Median {}.is_sound(2, &[10.0, 1.0, -64.0, 0.0]));
        assert!(!Median {}.is_sound(2, &[10.0, 1.0, -65.0, 0.0]));
        assert!(!Median {}.is_sound(2, &[0.0, 1.0, 1.0, 0.0]));
    }

    proptest! {
        #[test]
        fn direction_of_reading_does_not_matter(
            values in prop::collection::vec((-9.0..9.0f64, 1..50u64), 1..9)
        ) {
            let turned = values.iter().map(|(value, weight)| (-value, *weight)).collect();
            prop_assert_eq!(weighted_median(values), -weighted_median(turned));
        }

        #[test]
        fn the_median_is_in_the_middle((prior, sites) in any_round()) {
            let belief = finished(&Median {}, &prior, &sites);
            let whole: u64 = sites.iter().map(|(_, counts)| counts.n_samples).sum();
            for (cause, effect) in belief.pairs() {
                let at = (cause.index(), effect.index());
                let middle = belief.existence()[at];
                let side = |keep: &dyn Fn(f64) -> bool| -> u64 {
                    let side = sites.iter().filter(|(own, _)| keep(own.existence()[at]));
                    side.map(|(_, counts)| counts.n_samples).sum()
                };
                prop_assert!(2 * side(&|value| value < middle) <= whole);
                prop_assert!(2 * side(&|value| value > middle) <= whole);
            }
        }
    }
}
