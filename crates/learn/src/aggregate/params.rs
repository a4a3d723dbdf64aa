//! Which aggregator, with its settings: one line of a settings file.

use fedcdi_core::{Aggregator, ParamsError};
use serde::{Deserialize, Serialize};

use super::{EvidenceParams, MedianParams, NaiveParams, ProximityParams};

/// An aggregator by name, with its settings: `{ kind = "proximity", beta = 10.0 }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum AggregatorParams {
    /// Mean weighted by dataset size.
    Naive(NaiveParams),
    /// Softmax over the mass that reaches an edge.
    Proximity(ProximityParams),
    /// Means weighted by the interventions behind each logit.
    Evidence(EvidenceParams),
    /// Weighted median.
    Median(MedianParams),
}

impl Default for AggregatorParams {
    fn default() -> Self {
        Self::Evidence(EvidenceParams::default())
    }
}

impl AggregatorParams {
    /// The names, in the order of [`Self::all`].
    pub const NAMES: [&str; 4] = ["naive", "proximity", "evidence", "median"];

    /// Every aggregator under its default settings.
    pub fn all() -> [Self; 4] {
        [
            Self::Naive(NaiveParams::default()),
            Self::Proximity(ProximityParams::default()),
            Self::Evidence(EvidenceParams::default()),
            Self::Median(MedianParams::default()),
        ]
    }

    /// The aggregator of this name under its default settings.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|params| params.name() == name)
    }

    /// The name.
    pub fn name(&self) -> &'static str {
        let [naive, proximity, evidence, median] = Self::NAMES;
        match self {
            Self::Naive(_) => naive,
            Self::Proximity(_) => proximity,
            Self::Evidence(_) => evidence,
            Self::Median(_) => median,
        }
    }

    /// The aggregator, if its settings are in range.
    ///
    /// # Errors
    /// [`ParamsError`] naming the first field out of range.
    pub fn check(self) -> Result<Box<dyn Aggregator>, ParamsError> {
        Ok(match self {
            Self::Naive(params) => Box::new(params.check()),
            Self::Proximity(params) => Box::new(params.check()?),
            Self::Evidence(params) => Box::new(params.check()?),
            Self::Median(params) => Box::new(params.check()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_reports::any_round;
    use super::super::{Carrier, MassFrom, Space};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_find_their_aggregators() {
        for name in AggregatorParams::NAMES {
            let params = AggregatorParams::named(name).unwrap();
            assert_eq!(params.name(), name);
            let text = serde_json::to_value(params).unwrap();
            assert_eq!(text["kind"], name);
            let back: AggregatorParams = serde_json::from_value(text).unwrap();
            assert_eq!(back, params);
        }
        assert_eq!(AggregatorParams::named("mean"), None);
    }

    #[test]
    fn settings_are_read_and_unknown_ones_refused() {
        let read = |text: &str| toml::from_str::<AggregatorParams>(text);
        let AggregatorParams::Proximity(params) = read("kind = 'proximity'\nbeta = 10.0").unwrap()
        else {
            panic!("kind says proximity");
        };
        assert_eq!((params.beta, params.carrier), (10.0, Carrier::Aggregate));
        assert!(read("kind = 'naive'\nbeta = 10.0").is_err());
        assert!(read("kind = 'mean'").is_err());
        let refused = read("kind = 'proximity'\nbeta = 0.0").unwrap().check();
        assert_eq!(
            refused.err().unwrap().to_string(),
            "beta is 0, but must be > 0"
        );
    }

    /// The defaults and every named choice.
    fn every_choice() -> Vec<AggregatorParams> {
        let mut all = AggregatorParams::all().to_vec();
        for space in [Space::Psi, Space::Factors, Space::Logits] {
            all.push(AggregatorParams::Naive(NaiveParams { space }));
            all.push(AggregatorParams::Proximity(ProximityParams {
                beta: 5.0,
                carrier: Carrier::Own,
                mass: MassFrom::All,
                space,
            }));
        }
        all
    }

    proptest! {
        #[test]
        fn the_order_of_reports_does_not_matter_bit_for_bit(
            (previous, reports) in any_round(), turn in 0..6usize
        ) {
            let mut other = reports.clone();
            other.reverse();
            other.rotate_left(turn % reports.len());
            for params in every_choice() {
                let aggregator = params.check().unwrap();
                let belief = aggregator.aggregate(&previous, &reports).unwrap();
                prop_assert_eq!(aggregator.aggregate(&previous, &other).unwrap(), belief);
            }
        }

        #[test]
        fn shares_sum_to_one_at_every_pair((previous, reports) in any_round()) {
            for params in every_choice() {
                let shares = params.check().unwrap().shares(&previous, &reports).unwrap();
                let Some(shares) = shares else {
                    prop_assert_eq!(params.name(), "median");
                    continue;
                };
                prop_assert_eq!(shares.clients.len(), reports.len());
                for of_clients in [&shares.existence, &shares.orientation] {
                    for (cause, effect) in previous.pairs() {
                        let at = (cause.index(), effect.index());
                        let sum: f64 = of_clients.iter().map(|share| share[at]).sum();
                        prop_assert!((sum - 1.0).abs() < 1e-9, "{:?} {}", params, sum);
                    }
                }
                let symmetric = |share: &ndarray::Array2<f64>| share == share.t();
                prop_assert!(shares.orientation.iter().all(symmetric));
            }
        }

        #[test]
        fn clients_that_agree_are_believed((previous, reports) in any_round()) {
            let mut agreed = reports.clone();
            agreed.iter_mut().for_each(|r| r.belief = reports[0].belief.clone());
            let expected = reports[0].belief.to_belief().unwrap().psi();
            for params in every_choice() {
                let belief = params.check().unwrap().aggregate(&previous, &agreed).unwrap();
                let gap = (belief.psi() - &expected).mapv(f64::abs);
                prop_assert!(gap.iter().all(|g| *g < 2e-3), "{:?}", params);
            }
        }
    }
}
