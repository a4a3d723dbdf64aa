//! Gradient aggregation: the coordinator keeps ENCO's two optimisers, the clients send gradients.
//!
//! Ours, for many clients with few rows each. A client that optimises on its own turns the noise of
//! its few rows into a belief, and a mean of such beliefs keeps part of it; gradients are averaged
//! before anything is decided, as if the rows were in one place.
//!
//! | quantity | code |
//! |---|---|
//! | sum over clients of gradient sums, over sum of rows | `mean` |
//! | Adam on gamma, masked Adam on theta | [`ExistenceAdam`], [`OrientationAdam`] |
//! | clients that inform the orientation of a pair | `is_direct`: with an intervention on one end and not the other; if there are none, all, with the learning rate times [`GradientParams::indirect`] |
//!
//! Secure aggregation: all that is needed are sums over clients, of gradients and of rows.

use fedcdi_core::{
    AggregateError, Aggregator, Belief, BeliefError, ClientReport, EdgeGradients, Memory,
    ParamsError, SampleCounts, SharedBelief, VarId,
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::views::ordered;
use crate::enco::EdgeRules;
use crate::enco::logits::EdgeLogits;
use crate::enco::optimiser::{ExistenceAdam, OrientationAdam};

/// Of the orientation's Adam: the mean over clients has no client whose noise could be taken for
/// a signal.
const EPSILON: f64 = 1e-8;

/// Settings of [`Gradient`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GradientParams {
    /// Learning rate of existence; > 0.
    pub existence_rate: f64,
    /// Learning rate of orientation; > 0.
    pub orientation_rate: f64,
    /// Learning-rate factor for pairs that nobody intervened on; > 0, at most 1.
    pub indirect: f64,
}

impl Default for GradientParams {
    fn default() -> Self {
        Self {
            existence_rate: 5e-2,
            orientation_rate: 1e-1,
            indirect: 0.1,
        }
    }
}

impl GradientParams {
    /// The aggregator, if the settings are in range.
    ///
    /// # Errors
    /// [`ParamsError`] naming the first field out of range.
    pub fn check(self) -> Result<Gradient, ParamsError> {
        for (field, rate) in [
            ("existence_rate", self.existence_rate),
            ("orientation_rate", self.orientation_rate),
        ] {
            ParamsError::positive(field, rate)?;
        }
        let share = self.indirect > 0.0 && self.indirect <= 1.0;
        ParamsError::require("indirect", self.indirect, "> 0 and at most 1", share)?;
        Ok(Gradient { params: self })
    }
}

/// Two optimisers that follow the mean of the clients' gradients.
#[derive(Clone, Debug)]
pub struct Gradient {
    params: GradientParams,
}

impl Aggregator for Gradient {
    /// One step from rest.
    fn aggregate(
        &self,
        previous: &Belief,
        reports: &[ClientReport],
    ) -> Result<Belief, AggregateError> {
        self.aggregate_on(&mut Memory::default(), previous, reports)
    }

    fn aggregate_on(
        &self,
        memory: &mut Memory,
        previous: &Belief,
        reports: &[ClientReport],
    ) -> Result<Belief, AggregateError> {
        let n_vars = previous.n_vars();
        let sent = sent(n_vars, reports)?;
        let (mut existence, mut orientation) = self.optimisers(memory, n_vars);
        let rules = EdgeRules::none(n_vars);
        let mut logits = EdgeLogits {
            existence: previous.existence().clone(),
            orientation: previous.orientation().clone(),
        };
        let gradient = Array2::from_shape_fn((n_vars, n_vars), |at| {
            mean(sent.iter(), |g| (g.existence[at], g.existence_rows[at])).unwrap_or(0.0)
        });
        existence.step(&mut logits, &gradient, &rules, None);
        for i in 0..n_vars {
            for j in i + 1..n_vars {
                if let Some((gradient, factor)) = self.turn(&sent, (i, j)) {
                    orientation.step(&mut logits, (i, j), gradient, factor);
                }
            }
        }
        let belief = logits.into_belief().map_err(AggregateError::Result)?;
        let moments = existence.moments().into_iter().chain(orientation.moments());
        *memory = Memory(moments.collect());
        Ok(belief)
    }
}

impl Gradient {
    /// As the last round left them.
    fn optimisers(&self, memory: &Memory, n_vars: usize) -> (ExistenceAdam, OrientationAdam) {
        let rates = (self.params.existence_rate, self.params.orientation_rate);
        match memory.0.as_chunks().0 {
            [existence, orientation] => (
                ExistenceAdam::resume(rates.0, existence),
                OrientationAdam::resume(rates.1, EPSILON, orientation),
            ),
            _ => (
                ExistenceAdam::new(n_vars, rates.0),
                OrientationAdam::new(n_vars, rates.1, EPSILON),
            ),
        }
    }

    /// Gradient and learning-rate factor of a pair's orientation, if somebody informed it.
    fn turn(&self, sent: &[Sent<'_>], at: (usize, usize)) -> Option<(f64, f64)> {
        let direct = |sent: &&Sent| is_direct(sent.samples, at);
        let of = |g: &EdgeGradients| (g.orientation[at], g.orientation_rows[at]);
        if sent.iter().any(|sent| direct(&sent)) {
            Some((mean(sent.iter().filter(direct), of)?, 1.0))
        } else {
            Some((mean(sent.iter(), of)?, self.params.indirect))
        }
    }
}

/// One client's sums.
struct Sent<'a> {
    gradients: &'a EdgeGradients,
    samples: &'a SampleCounts,
}

fn is_direct(samples: &SampleCounts, (i, j): (usize, usize)) -> bool {
    samples.separating(VarId(i), VarId(j)) > 0
}

/// Sum over sum; `None` without rows.
fn mean<'a>(
    sent: impl Iterator<Item = &'a Sent<'a>>,
    of: impl Fn(&EdgeGradients) -> (f64, f64),
) -> Option<f64> {
    let mut sums = (0.0, 0.0);
    for sent in sent {
        let (sum, rows) = of(sent.gradients);
        sums = (sums.0 + sum, sums.1 + rows);
    }
    (sums.1 > 0.0).then(|| sums.0 / sums.1)
}

/// Every report, sorted by client.
fn sent(n_vars: usize, reports: &[ClientReport]) -> Result<Vec<Sent<'_>>, AggregateError> {
    let sent = ordered(n_vars, reports)?.into_iter().map(|report| {
        let gradients = match &report.belief {
            SharedBelief::Gradients(gradients) => gradients.check(n_vars).map(|()| &**gradients),
            SharedBelief::Psi(_) | SharedBelief::Logits(_) => Err(BeliefError::NotGradients),
        };
        let client = report.client;
        Ok(Sent {
            gradients: gradients.map_err(|source| AggregateError::Belief { client, source })?,
            samples: &report.samples,
        })
    });
    sent.collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample_reports::report;
    use super::*;
    use ndarray::array;

    /// Sums for two variables: of the existence of 0 -> 1, and of the orientation, over `rows`.
    fn gradients(
        client: u32,
        existence: f64,
        orientation: f64,
        rows: f64,
        n: &[u64],
    ) -> ClientReport {
        let rows = array![[0.0, rows], [rows, 0.0]];
        ClientReport {
            belief: SharedBelief::Gradients(Box::new(EdgeGradients {
                existence: array![[0.0, existence], [0.0, 0.0]],
                existence_rows: rows.clone(),
                orientation: array![[0.0, orientation], [-orientation, 0.0]],
                orientation_rows: rows,
            })),
            ..report(client, Belief::uninformed(2), n, 10)
        }
    }

    fn rule() -> Gradient {
        GradientParams::default().check().unwrap()
    }

    #[test]
    fn the_first_step_goes_one_rate_against_the_mean() {
        // Existence: (-1 + 6) / (2 + 2) > 0; the larger sum wins, whoever is louder per row.
        let reports = [
            gradients(1, -1.0, 1.0, 2.0, &[5, 5]),
            gradients(2, 6.0, -2.0, 2.0, &[5, 5]),
        ];
        let belief = rule().aggregate(&Belief::uninformed(2), &reports).unwrap();
        assert!((belief.existence()[(0, 1)] + 0.05).abs() < 1e-6);
        assert_eq!(belief.existence()[(1, 0)], 0.0);
        assert!((belief.orientation()[(0, 1)] - 0.1).abs() < 1e-6);
    }

    #[test]
    fn the_second_step_remembers_the_first_by_hand() {
        // As Adam on one client's gradients 3 then 0: m = 0.9 * 0.1 * 3, v = 0.9 * 0.1 * 9, both
        // over 1 - 0.81.
        let (mut memory, rule) = (Memory::default(), rule());
        let first = [gradients(1, 6.0, 0.0, 2.0, &[5, 5])];
        let second = [gradients(1, 0.0, 0.0, 2.0, &[5, 5])];
        let start = Belief::uninformed(2);
        let belief = rule.aggregate_on(&mut memory, &start, &first).unwrap();
        let belief = rule.aggregate_on(&mut memory, &belief, &second).unwrap();
        let expected = -0.05 - 0.05 * (0.27 / 0.19) / (0.81f64 / 0.19).sqrt();
        assert!((belief.existence()[(0, 1)] - expected).abs() < 1e-6);
    }

    #[test]
    fn only_those_who_intervened_turn_a_pair() {
        let expert = gradients(1, 0.0, -1.0, 1.0, &[5, 0]);
        let observer = gradients(2, 0.0, 50.0, 9.0, &[0, 0]);
        let start = Belief::uninformed(2);
        let turned = |reports: &[ClientReport]| {
            let belief = rule().aggregate(&start, reports).unwrap();
            belief.orientation()[(0, 1)]
        };
        assert!((turned(&[expert, observer.clone()]) - 0.1).abs() < 1e-6);
        assert!((turned(&[observer]) + 0.01).abs() < 1e-6);
    }

    #[test]
    fn the_order_of_reports_does_not_matter_bit_for_bit() {
        // 0.1 + 0.2 + 0.3 depends on the order in which it is added up.
        let sums = [0.1, 0.2, 0.3].into_iter().zip(1..);
        let mut reports: Vec<ClientReport> = sums
            .map(|(sum, client)| gradients(client, sum, -sum, 0.7 * sum, &[5, 5]))
            .collect();
        let of = |reports: &[ClientReport]| rule().aggregate(&Belief::uninformed(2), reports);
        let belief = of(&reports).unwrap();
        reports.reverse();
        assert_eq!(of(&reports).unwrap(), belief);
    }

    #[test]
    fn an_expert_without_a_step_leaves_the_pair_alone() {
        let idle = gradients(1, 0.0, 0.0, 0.0, &[5, 0]);
        let belief = rule().aggregate(&Belief::uninformed(2), &[idle]).unwrap();
        assert_eq!(belief, Belief::uninformed(2));
    }

    #[test]
    fn a_failed_round_leaves_the_memory_as_it_was() {
        let mut memory = Memory::default();
        let belief = report(1, Belief::uninformed(2), &[1, 1], 1);
        let error = rule().aggregate_on(&mut memory, &Belief::uninformed(2), &[belief]);
        let text = error.unwrap_err().to_string();
        assert!(text.contains("exchange gradients"), "{text}");
        assert_eq!(memory, Memory::default());
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let refused = |change: fn(&mut GradientParams)| {
            let mut params = GradientParams::default();
            change(&mut params);
            params.check().unwrap_err().field
        };
        assert_eq!(refused(|p| p.existence_rate = 0.0), "existence_rate");
        assert_eq!(
            refused(|p| p.orientation_rate = f64::NAN),
            "orientation_rate"
        );
        assert_eq!(refused(|p| p.indirect = 1.5), "indirect");
    }
}
