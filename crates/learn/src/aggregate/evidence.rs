//! Evidence aggregation: weight each logit by the interventions it is learned from.
//!
//! Ours; replaces the paper's section 4.3. ENCO learns the existence of i -> j from every sample in
//! which j was not intervened on, and the orientation of the pair from samples under an
//! intervention on i or on j. With `n^k_s` samples of client k under an intervention on s, `n^k_ij`
//! on both i and j, `n^k` on any, and `n^k_o` without one:
//!
//! | quantity | direct weight of client k | code |
//! |---|---|---|
//! | `gamma_ij` | `n^k - n^k_j`, and kappa `n^k_o` | `existence_weight` |
//! | `theta_ij` | `n^k_i + n^k_j - 2 n^k_ij` | `orientation_weight` |
//! | either, where no client has direct weight | rho `n^k`, and kappa `n^k_o` | `indirect_weight` |
//!
//! rho = [`EvidenceParams::indirect`] is ENCO's learning-rate factor for the orientation of pairs
//! that were never intervened on. kappa = [`EvidenceParams::observational`] is small: observational
//! rows mainly fit the networks, but a client that has nothing else still knows something about
//! existence, and a federation of such clients still has a mean. Both weights of a pair's
//! orientation are the same, so it stays antisymmetric.
//!
//! The mean is that of logits. In a horizontal split all clients have the same shares, and this is the mean weighted by size. In a vertical one the few clients that intervened on a pair decide its orientation.
//!
//! With psi alone on the wire the logits come from factorisation
//! ([`Belief::from_psi`](fedcdi_core::Belief::from_psi)): the weights still apply, but existence is
//! then the same in both directions of every client's pair.
//!
//! Secure aggregation: per entry a ratio of two sums over clients, sum of w v over sum of w; where
//! the sum of direct weights is 0 the ratio of a second pair of sums takes its place. Nothing else
//! about a client is needed.

use fedcdi_core::{
    AggregateError, Aggregator, Belief, ClientReport, ParamsError, SampleCounts, Shares, VarId,
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::pool::{Space, Weights, pool};
use super::views::{View, views};

/// Settings of [`Evidence`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvidenceParams {
    /// Weight of an interventional sample where nobody has a direct one; > 0, at most 1.
    pub indirect: f64,
    /// Weight of an observational sample, of an interventional one's; > 0, at most 1.
    pub observational: f64,
}

impl Default for EvidenceParams {
    fn default() -> Self {
        Self {
            indirect: 0.1,
            observational: 0.01,
        }
    }
}

impl EvidenceParams {
    /// The aggregator, if the settings are in range.
    ///
    /// # Errors
    /// [`ParamsError`] naming the first field out of range.
    pub fn check(self) -> Result<Evidence, ParamsError> {
        let fields = [
            ("indirect", self.indirect),
            ("observational", self.observational),
        ];
        for (field, value) in fields {
            ParamsError::require(
                field,
                value,
                "> 0 and at most 1",
                value > 0.0 && value <= 1.0,
            )?;
        }
        Ok(Evidence { params: self })
    }
}

/// Means weighted by the interventions behind them.
#[derive(Clone, Debug)]
pub struct Evidence {
    params: EvidenceParams,
}

impl Evidence {
    fn observational_weight(&self, samples: &SampleCounts) -> f64 {
        self.params.observational * samples.n_observational as f64
    }

    fn existence_weight(&self, samples: &SampleCounts, effect: usize) -> f64 {
        samples.elsewhere(VarId(effect)) as f64 + self.observational_weight(samples)
    }

    fn indirect_weight(&self, samples: &SampleCounts) -> f64 {
        self.params.indirect * samples.intervened() as f64 + self.observational_weight(samples)
    }

    fn weights(&self, views: &[View]) -> Weights {
        let existence =
            |samples: &SampleCounts, at: (usize, usize)| self.existence_weight(samples, at.1);
        Weights {
            edge: self.direct_or_else_indirect(views, existence),
            pair: self.direct_or_else_indirect(views, orientation_weight),
        }
    }

    fn direct_or_else_indirect(
        &self,
        views: &[View],
        direct: impl Fn(&SampleCounts, (usize, usize)) -> f64,
    ) -> Vec<Array2<f64>> {
        let n_vars = views[0].belief.n_vars();
        let nobody = |at| views.iter().all(|view| direct(view.samples, at) <= 0.0);
        let nobody = Array2::from_shape_fn((n_vars, n_vars), nobody);
        let weight = |view: &View| {
            Array2::from_shape_fn((n_vars, n_vars), |at| {
                if nobody[at] {
                    self.indirect_weight(view.samples)
                } else {
                    direct(view.samples, at)
                }
            })
        };
        views.iter().map(weight).collect()
    }
}

fn orientation_weight(samples: &SampleCounts, pair: (usize, usize)) -> f64 {
    samples.separating(VarId(pair.0), VarId(pair.1)) as f64
}

impl Aggregator for Evidence {
    /// Complexity: O(clients * N^2).
    fn aggregate(
        &self,
        previous: &Belief,
        reports: &[ClientReport],
    ) -> Result<Belief, AggregateError> {
        let views = views(previous.n_vars(), reports)?;
        pool(Space::Logits, &views, &self.weights(&views))
    }

    fn shares(
        &self,
        previous: &Belief,
        reports: &[ClientReport],
    ) -> Result<Option<Shares>, AggregateError> {
        let views = views(previous.n_vars(), reports)?;
        Ok(Some(self.weights(&views).shares(Space::Logits, &views)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_reports::{any_round, pair, psi_report, report};
    use super::*;
    use fedcdi_core::JointCount;
    use ndarray::array;
    use proptest::prelude::*;

    fn aggregate(reports: &[ClientReport]) -> Belief {
        let n_vars = reports[0].samples.n_interventional.len();
        let evidence = EvidenceParams::default().check().unwrap();
        evidence
            .aggregate(&Belief::uninformed(n_vars), reports)
            .unwrap()
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }

    #[test]
    fn weights_by_hand() {
        // a: 30 samples under 0, 100 observational; b: 10 under 1, 300 observational.
        // Existence of 0 -> 1: a 30 + 1, b 0 + 3: (31 * 2 + 3 * -1) / 34. Of 1 -> 0: a 0 + 1,
        // b 10 + 3: (1 * 4 + 13 * 0.5) / 14. Orientation: a 30, b 10: (30 * 1 + 10 * -3) / 40 = 0.
        let reports = [
            report(0, pair([2.0, 4.0], 1.0), &[30, 0], 100),
            report(1, pair([-1.0, 0.5], -3.0), &[0, 10], 300),
        ];
        let belief = aggregate(&reports);
        close(belief.existence()[(0, 1)], (31.0 * 2.0 - 3.0) / 34.0);
        close(belief.existence()[(1, 0)], (4.0 + 13.0 * 0.5) / 14.0);
        close(belief.orientation()[(0, 1)], 0.0);
        // The same weights as shares: 31/34 and 3/34, 1/14 and 13/14, 3/4 and 1/4.
        let evidence = EvidenceParams::default().check().unwrap();
        let shares = evidence.shares(&Belief::uninformed(2), &reports);
        let shares = shares.unwrap().unwrap();
        close(shares.existence[0][(0, 1)], 31.0 / 34.0);
        close(shares.existence[1][(1, 0)], 13.0 / 14.0);
        close(shares.orientation[0][(1, 0)], 0.75);
        assert_eq!(shares.orientation[1][(1, 1)], 0.0);
    }

    #[test]
    fn a_pair_nobody_touched_falls_back_to_all_interventions() {
        // Of three variables both clients intervened on the third only: the pair 0, 1 has indirect
        // weights 0.1 * 20 + 0.01 * 100 = 3 and 0.1 * 60 + 0 = 6.
        let belief = |theta: f64| {
            let mut orientation = Array2::zeros((3, 3));
            orientation[(0, 1)] = theta;
            orientation[(1, 0)] = -theta;
            Belief::new(Array2::zeros((3, 3)), orientation).unwrap()
        };
        let reports = [
            report(0, belief(3.0), &[0, 0, 20], 100),
            report(1, belief(-3.0), &[0, 0, 60], 0),
        ];
        let found = aggregate(&reports);
        close(found.orientation()[(0, 1)], (3.0 * 3.0 - 6.0 * 3.0) / 9.0);
    }

    #[test]
    fn clients_without_interventions_form_a_federation() {
        let reports = [
            report(0, pair([2.0, -2.0], 1.0), &[0, 0], 100),
            report(1, pair([-1.0, 1.0], -1.0), &[0, 0], 300),
        ];
        let belief = aggregate(&reports);
        close(belief.existence()[(0, 1)], (2.0 - 3.0) / 4.0);
        close(belief.orientation()[(0, 1)], (1.0 - 3.0) / 4.0);
    }

    #[test]
    fn only_one_variable_was_ever_touched() {
        // Existence of 0 -> 1 has no direct sample: everything was taken under 1.
        let reports = [report(0, pair([2.0, 1.0], 1.0), &[0, 5], 0)];
        close(aggregate(&reports).existence()[(0, 1)], 2.0);
    }

    #[test]
    fn an_expert_outweighs_many_observers() {
        let mut reports = vec![report(0, pair([4.0, -4.0], 4.0), &[100, 0], 1000)];
        reports.extend((1..10).map(|id| report(id, pair([-1.0, 1.0], -1.0), &[0, 0], 1000)));
        let belief = aggregate(&reports);
        assert_eq!(belief.orientation()[(0, 1)], 4.0);
        // 100 + 10 of the expert against 9 * 10.
        close(belief.existence()[(0, 1)], (110.0 * 4.0 - 90.0) / 200.0);
    }

    #[test]
    fn who_set_both_ends_at_once_knows_nothing_of_their_direction() {
        let mut joint = report(0, pair([1.0, 1.0], -5.0), &[100, 100], 0);
        joint.samples.n_samples = 100;
        joint.samples.n_joint = vec![JointCount {
            a: VarId(0),
            b: VarId(1),
            n_samples: 100,
        }];
        let expert = report(1, pair([3.0, -3.0], 2.0), &[10, 0], 0);
        let belief = aggregate(&[joint, expert]);
        close(belief.orientation()[(0, 1)], 2.0);
        // Every row of the first client has 1 set, so the second alone knows of 0 -> 1.
        close(belief.existence()[(0, 1)], 3.0);
    }

    #[test]
    fn psi_alone_is_factorised() {
        let psi = array![[0.0, 0.6], [0.2, 0.0]];
        let belief = aggregate(&[psi_report(0, psi.clone(), &[5, 5])]);
        assert_eq!(belief.existence()[(0, 1)], belief.existence()[(1, 0)]);
        assert!((belief.psi()[(0, 1)] - 0.6).abs() < 1e-4);
    }

    #[test]
    fn weights_out_of_range_are_refused() {
        let with = |indirect, observational| {
            let params = EvidenceParams {
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
        fn logits_stay_between_the_extremes((_, reports) in any_round()) {
            let belief = aggregate(&reports);
            let views = views(belief.n_vars(), &reports).unwrap();
            for (cause, effect) in belief.pairs() {
                let at = (cause.index(), effect.index());
                for of in [Belief::existence, Belief::orientation] {
                    let values = || views.iter().map(|v| of(&v.belief)[at]);
                    let low = values().fold(f64::INFINITY, f64::min) - 1e-9;
                    let high = values().fold(f64::NEG_INFINITY, f64::max) + 1e-9;
                    prop_assert!((low..=high).contains(&of(&belief)[at]));
                }
            }
        }

        #[test]
        fn equal_shares_give_the_mean_by_size((previous, mut reports) in any_round()) {
            let samples = SampleCounts {
                n_samples: 10 + 5 * previous.n_vars() as u64,
                n_observational: 10,
                n_interventional: vec![5; previous.n_vars()],
                n_joint: Vec::new(),
            };
            reports.iter_mut().for_each(|r| r.samples = samples.clone());
            let naive = crate::aggregate::NaiveParams { space: Space::Logits }.check();
            let naive = naive.aggregate(&previous, &reports).unwrap();
            let ours = aggregate(&reports);
            let gap = (ours.existence() - naive.existence()).mapv(f64::abs).sum()
                + (ours.orientation() - naive.orientation()).mapv(f64::abs).sum();
            prop_assert!(gap < 1e-9, "{}", gap);
        }
    }
}
