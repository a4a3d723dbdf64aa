//! Weighted median of every logit, for federations with a faulty client.
//!
//! Ours; the paper trusts all clients. A client whose belief is random, inverted or full of ones
//! moves a mean as far as it likes; a median moves at most to the next honest value, as long as
//! faulty clients hold less than half of the samples. The price: a lone expert is outvoted too, so
//! with interventions divided vertically over many clients prefer [`evidence`](super::evidence).
//!
//! | quantity | code | shape |
//! |---|---|---|
//! | value below and above which half of the weight lies | `weighted_median` | per entry |
//! | weight of a client | [`n_samples`](fedcdi_core::SampleCounts::n_samples) | > 0 |
//!
//! Existence takes the median per direction. Orientation takes it once per pair and is mirrored;
//! where half of the weight lies on either side the two middle values are averaged, so that either
//! direction gives the same result. A median of logits and one of probabilities are the same value.
//! With psi alone on the wire the logits come from factorisation.
//!
//! Not a ratio of sums over clients: it cannot run under secure aggregation.

use fedcdi_core::{AggregateError, Aggregator, Belief, ClientReport};
use serde::{Deserialize, Serialize};

use super::pool::assemble;
use super::views::views;

/// Settings of [`Median`]: none so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MedianParams {}

impl MedianParams {
    /// The aggregator.
    pub fn check(self) -> Median {
        Median {}
    }
}

/// Weighted median per entry.
#[derive(Clone, Debug)]
pub struct Median {}

impl Aggregator for Median {
    /// Complexity: O(clients log clients * N^2).
    fn aggregate(
        &self,
        previous: &Belief,
        reports: &[ClientReport],
    ) -> Result<Belief, AggregateError> {
        let views = views(previous.n_vars(), reports)?;
        let median = |of: fn(&Belief) -> &ndarray::Array2<f64>, at: (usize, usize)| {
            let weighted = views
                .iter()
                .map(|view| (of(&view.belief)[at], view.samples.n_samples));
            weighted_median(weighted.collect())
        };
        assemble(
            previous.n_vars(),
            |at| median(Belief::existence, at),
            |at| median(Belief::orientation, at),
        )
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
    unreachable!("some client has a sample")
}

#[cfg(test)]
mod tests {
    use super::super::sample_reports::{any_round, pair, report};
    use super::*;
    use proptest::prelude::*;

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
        let reports = [
            report(0, pair([2.0, -3.0], 1.0), &[0, 0], 10),
            report(1, pair([2.5, -2.0], 2.0), &[0, 0], 10),
            report(2, pair([-900.0, 900.0], -900.0), &[0, 0], 10),
        ];
        let belief = MedianParams::default().check();
        let belief = belief.aggregate(&Belief::uninformed(2), &reports).unwrap();
        assert_eq!(belief, pair([2.0, -2.0], 1.0));
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
        fn the_median_is_in_the_middle((previous, reports) in any_round()) {
            let belief = MedianParams::default().check().aggregate(&previous, &reports).unwrap();
            let views = views(previous.n_vars(), &reports).unwrap();
            let whole: u64 = views.iter().map(|v| v.samples.n_samples).sum();
            for (cause, effect) in belief.pairs() {
                let at = (cause.index(), effect.index());
                let middle = belief.existence()[at];
                let side = |keep: &dyn Fn(f64) -> bool| -> u64 {
                    let side = views.iter().filter(|v| keep(v.belief.existence()[at]));
                    side.map(|v| v.samples.n_samples).sum()
                };
                prop_assert!(2 * side(&|value| value < middle) <= whole);
                prop_assert!(2 * side(&|value| value > middle) <= whole);
            }
        }
    }
}
