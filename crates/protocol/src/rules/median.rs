//! Median of every logit, for studies with a faulty site.
//!
//! Ours; the paper trusts all clients. A faulty site moves a mean as far as it likes. A median moves
//! at most to the next honest value, as long as faulty sites are fewer than half. Every site counts
//! once: a number of rows could be a lie too. The price: a lone expert is outvoted, so with
//! interventions divided vertically over many sites prefer [`Evidence`](super::Evidence).
//!
//! Existence takes the median per direction, orientation once per pair. Of an even number of sites the
//! two middle values are averaged, so that either direction gives the same result.
//!
//! Clear studies only: no sum over sites has the median, so the coordinator sees every belief.

use fedcdi_core::choice::Params;
use fedcdi_core::{Belief, BeliefError, ParamsError};
use serde::{Deserialize, Serialize};

use super::rule::{MAX_LOGIT, Opinion, Rule};
use crate::codec::{assemble, logits, n_edges, n_pairs};

/// Median of every logit; clear studies only. It has no settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Median {}

impl Params for Median {
    const NAME: &str = "median";
    const SUMMARY: &str = "median over sites, for studies with a faulty site";

    fn check(&self) -> Result<(), ParamsError> {
        Ok(())
    }
}

impl Rule for Median {
    /// All logits.
    fn n_terms(&self, n_vars: usize) -> usize {
        n_edges(n_vars) + n_pairs(n_vars)
    }

    fn terms(&self, opinion: &Opinion<'_>) -> Vec<f64> {
        logits(opinion.posterior).collect()
    }

    /// Complexity: O(sites log sites * N^2).
    fn finish(&self, n_vars: usize, terms: &[Vec<f64>]) -> Result<Belief, BeliefError> {
        let of_entry = |at: usize| median(terms.iter().map(|site| site[at]).collect());
        let logits: Vec<f64> = (0..self.n_terms(n_vars)).map(of_entry).collect();
        assemble(n_vars, &logits)
    }

    fn is_additive(&self) -> bool {
        false
    }

    fn is_sound(&self, _n_vars: usize, terms: &[f64]) -> bool {
        terms.iter().all(|logit| logit.abs() <= MAX_LOGIT)
    }
}

/// The middle value, or the mean of the two middle ones; 0 of none.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{any_round, counts, finished, pair};
    use super::*;

    #[test]
    fn medians_by_hand() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![3.0, 1.0, 2.0, 9.0]), 2.5);
        assert_eq!(median(vec![7.0]), 7.0);
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
    fn a_liar_can_not_shout() {
        assert!(Median {}.is_sound(2, &[1.0, -64.0, 0.0]));
        assert!(!Median {}.is_sound(2, &[1.0, -65.0, 0.0]));
        assert!(!Median {}.is_sound(2, &[f64::NAN, 1.0, 0.0]));
    }

    proptest! {
        #[test]
        fn direction_of_reading_does_not_matter(
            values in prop::collection::vec(-9.0..9.0f64, 1..9)
        ) {
            let turned = values.iter().map(|value| -value).collect();
            prop_assert_eq!(median(values), -median(turned));
        }

        #[test]
        fn the_median_is_in_the_middle((prior, sites) in any_round()) {
            let belief = finished(&Median {}, &prior, &sites);
            for (cause, effect) in belief.pairs() {
                let at = (cause.index(), effect.index());
                let middle = belief.existence()[at];
                let side = |keep: &dyn Fn(f64) -> bool| {
                    sites.iter().filter(|(own, _)| keep(own.existence()[at])).count()
                };
                prop_assert!(2 * side(&|value| value < middle) <= sites.len());
                prop_assert!(2 * side(&|value| value > middle) <= sites.len());
            }
        }
    }
}
