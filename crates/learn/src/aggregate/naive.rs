//! Naive aggregation: the mean over clients, weighted by how much data each has.
//!
//! Paper: FedCDI section 4.2, equation for psi* and `w_k`.
//!
//! | paper | code | shape, range |
//! |---|---|---|
//! | psi^k | [`ClientReport::belief`] | `[cause, effect]`, 0..=1 |
//! | `w_k = size(D^k) / size(D)` | share of [`n_samples`](fedcdi_core::SampleCounts::n_samples) | 0..=1, sums to 1 |
//! | psi* | [`Naive::aggregate`] | `[cause, effect]`, 0..=1 |
//!
//! Deviation: by default existence and orientation are averaged each on their own, because a mean of
//! psi cannot be taken apart again (see [`aggregate`](super)); `space = "psi"` is the paper's mean.
//! size(D) counts the clients that reported, not all that exist.

use fedcdi_core::{AggregateError, Aggregator, Belief, ClientReport, Shares};
use serde::{Deserialize, Serialize};

use super::pool::{Space, Weights, pool};
use super::views::{View, views};

/// Settings of [`Naive`]; none can be out of range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NaiveParams {
    /// What the mean is taken of.
    pub space: Space,
}

impl NaiveParams {
    /// The aggregator.
    pub fn check(self) -> Naive {
        Naive { params: self }
    }
}

/// Mean weighted by dataset size. A ratio of two sums over clients.
#[derive(Clone, Debug)]
pub struct Naive {
    params: NaiveParams,
}

impl Aggregator for Naive {
    /// Complexity: O(clients * N^2).
    fn aggregate(
        &self,
        previous: &Belief,
        reports: &[ClientReport],
    ) -> Result<Belief, AggregateError> {
        let views = views(previous.n_vars(), reports)?;
        pool(self.params.space, &views, &weights(&views))
    }

    fn shares(
        &self,
        previous: &Belief,
        reports: &[ClientReport],
    ) -> Result<Option<Shares>, AggregateError> {
        let views = views(previous.n_vars(), reports)?;
        Ok(Some(weights(&views).shares(self.params.space, &views)))
    }
}

fn weights(views: &[View]) -> Weights {
    let sizes = views.iter().map(|view| view.samples.n_samples as f64);
    Weights::constant(views[0].belief.n_vars(), sizes)
}

#[cfg(test)]
mod tests {
    use super::super::sample_reports::{any_round, psi_report};
    use super::*;
    use ndarray::array;
    use proptest::prelude::*;

    #[test]
    fn the_papers_mean_by_hand() {
        // 30 and 10 samples (one observational each): 3/4 * 0.8 + 1/4 * 0.4 = 0.7 forward,
        // 3/4 * 0.1 + 1/4 * 0.2 = 0.125 backward.
        let reports = [
            psi_report(0, array![[0.0, 0.8], [0.1, 0.0]], &[29, 0]),
            psi_report(1, array![[0.0, 0.4], [0.2, 0.0]], &[0, 9]),
        ];
        let naive = NaiveParams { space: Space::Psi }.check();
        let belief = naive.aggregate(&Belief::uninformed(2), &reports).unwrap();
        assert!((belief.psi()[(0, 1)] - 0.7).abs() < 1e-5);
        assert!((belief.psi()[(1, 0)] - 0.125).abs() < 1e-5);
    }

    #[test]
    fn a_lone_client_is_believed() {
        let belief = super::super::sample_reports::belief(4, fedcdi_core::Seed::new(1));
        let report = super::super::sample_reports::report(0, belief.clone(), &[0, 3, 0, 0], 5);
        for space in [Space::Factors, Space::Logits] {
            let naive = NaiveParams { space }.check();
            let found = naive
                .aggregate(&Belief::uninformed(4), std::slice::from_ref(&report))
                .unwrap();
            let gap = found.existence() - belief.existence();
            assert!(gap.iter().all(|d| d.abs() < 1e-9));
        }
    }

    proptest! {
        #[test]
        fn a_client_without_samples_counts_for_nothing((previous, mut reports) in any_round()) {
            let naive = NaiveParams::default().check();
            let without = naive.aggregate(&previous, &reports).unwrap();
            let mut empty = reports[0].clone();
            empty.client = fedcdi_core::ClientId(99);
            empty.samples.n_samples = 0;
            reports.push(empty);
            prop_assert_eq!(naive.aggregate(&previous, &reports).unwrap(), without);
        }
    }
}
