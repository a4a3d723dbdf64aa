//! Everything a run depends on.

use std::ops::Not;

use fedcdi_core::{Dataset, Exchange, Grafting, KnowledgeFile, ParamsError, Pruning};
use fedcdi_data::TargetSplit;
use fedcdi_federation::CoordinatorParams;
use fedcdi_learn::aggregate::{AggregatorParams, GradientParams};
use fedcdi_learn::dcdi::DcdiParams;
use fedcdi_learn::enco::EncoParams;
use fedcdi_learn::sdi::SdiParams;
use serde::{Deserialize, Serialize};

use crate::data_spec::DataSpec;
use crate::reading::Reading;

/// A discovery on one dataset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DiscoverSpec {
    /// The method and its settings.
    pub method: MethodSpec,
    /// Where the data comes from, unless the caller brings it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<DataSpec>,
    /// How tables are read.
    #[serde(skip_serializing_if = "Reading::is_default")]
    pub read: Reading,
    /// How much of the data is used.
    pub rows: RowLimits,
    /// What is known beforehand.
    pub knowledge: KnowledgeFile,
    /// Root of all random streams.
    pub seed: u64,
}

/// A federation on one machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SimulateSpec {
    /// Root of all random streams.
    pub seed: u64,
    /// Number of clients to divide the data over; without it, the tables of a study folder are the
    /// clients.
    pub clients: Option<usize>,
    /// Also learn from all rows in one place, and at every client alone.
    #[serde(skip_serializing_if = "Not::not")]
    pub compare: bool,
    /// Who gets which interventional rows, where the data is divided.
    pub split: TargetSplit,
    /// What a client sends.
    pub exchange: Exchange,
    /// Where the data comes from.
    pub data: DataSpec,
    /// How tables are read.
    #[serde(skip_serializing_if = "Reading::is_default")]
    pub read: Reading,
    /// How much of the data is used, before it is divided.
    pub rows: RowLimits,
    /// How reports become one belief.
    pub aggregate: AggregatorParams,
    /// Rounds, quorum, convergence.
    pub coordinator: CoordinatorParams,
    /// What is known beforehand.
    pub knowledge: KnowledgeFile,
    /// What every client runs.
    pub local: MethodSpec,
}

impl SimulateSpec {
    /// Whether all settings are in range, whatever the data.
    ///
    /// # Errors
    /// [`ParamsError`] naming the first one that is not.
    pub fn check(&self) -> Result<(), ParamsError> {
        self.aggregate.check()?;
        self.coordinator.check_settings()?;
        self.local.check()
    }

    /// The same study by gradient exchange after every `every` graph-fitting steps: rounds become
    /// that short, so there are as many more of them as keep the number of epochs, a small change or
    /// the same graph after one of them no longer means that nothing moves, and testing edges after
    /// each would cost more than learning. What was set otherwise than by default stays, and is
    /// refused where it cannot be.
    ///
    /// A spec that has short rounds already keeps them, and gets as many as make the same number of
    /// steps.
    #[must_use]
    pub fn by_gradients(mut self, every: usize) -> Self {
        let per_round = every.max(1) as u64;
        let rounds = u64::from(self.coordinator.rounds);
        let rounds = match (self.exchange, &self.local) {
            (Exchange::Gradients { every: before }, _) => {
                rounds.saturating_mul(before as u64).div_ceil(per_round)
            }
            (_, MethodSpec::Enco(params)) => {
                let epochs = rounds.saturating_mul(params.epochs as u64);
                epochs.saturating_mul((params.graph_steps as u64).div_ceil(per_round))
            }
            // Other methods cannot exchange gradients, and are refused before the first round.
            _ => rounds,
        };
        if !matches!(self.aggregate, AggregatorParams::Gradient(_)) {
            self.aggregate = AggregatorParams::Gradient(GradientParams::default());
        }
        if self.exchange == Exchange::default() {
            self.coordinator = by_short_rounds(self.coordinator);
        }
        // Probabilities that were asked for cannot be had: simulate says so.
        if self.exchange != Exchange::Psi {
            self.exchange = Exchange::Gradients { every };
        }
        self.with_rounds(u32::try_from(rounds).unwrap_or(u32::MAX))
    }

    /// The same with another limit of rounds; short ones are not ended by their graph.
    #[must_use]
    pub fn with_rounds(mut self, rounds: u32) -> Self {
        let coordinator = &mut self.coordinator;
        let never_ends = coordinator.graph_patience > coordinator.rounds;
        if matches!(self.exchange, Exchange::Gradients { .. }) && never_ends {
            coordinator.graph_patience = coordinator.graph_patience.max(rounds.saturating_add(1));
        }
        coordinator.rounds = rounds;
        self
    }
}

/// The settings that rounds of a few steps need, in place of defaults.
fn by_short_rounds(set: CoordinatorParams) -> CoordinatorParams {
    fn unless_set<T: PartialEq>(value: T, default: &T, needed: T) -> T {
        if value == *default { needed } else { value }
    }
    let default = CoordinatorParams::default();
    CoordinatorParams {
        tolerance: unless_set(set.tolerance, &default.tolerance, 0.0),
        graph_patience: unless_set(
            set.graph_patience,
            &default.graph_patience,
            set.rounds.saturating_add(1),
        ),
        pruning: unless_set(set.pruning, &default.pruning, Pruning::Never),
        grafting: unless_set(set.grafting, &default.grafting, Grafting::Never),
        ..set
    }
}

/// A method by name, with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "name", content = "settings")]
#[serde(from = "Written")]
pub enum MethodSpec {
    /// Existence and orientation by ENCO.
    Enco(EncoParams),
    /// One logit per edge by SDI.
    Sdi(SdiParams),
    /// Networks and logits together by DCDI.
    Dcdi(DcdiParams),
}

/// A method as it may be written: without settings it has its defaults.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", tag = "name", content = "settings")]
#[serde(deny_unknown_fields)]
enum Written {
    Enco(Option<EncoParams>),
    Sdi(Option<SdiParams>),
    Dcdi(Option<DcdiParams>),
}

impl From<Written> for MethodSpec {
    fn from(written: Written) -> Self {
        match written {
            Written::Enco(settings) => Self::Enco(settings.unwrap_or_default()),
            Written::Sdi(settings) => Self::Sdi(settings.unwrap_or_default()),
            Written::Dcdi(settings) => Self::Dcdi(settings.unwrap_or_default()),
        }
    }
}

impl Default for MethodSpec {
    fn default() -> Self {
        Self::Enco(EncoParams::default())
    }
}

/// How many of the first rows are used; all if unset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RowLimits {
    /// Observational rows.
    pub observational: Option<usize>,
    /// Rows of every intervention.
    pub per_intervention: Option<usize>,
}

impl RowLimits {
    /// Said where the data has fewer rows than asked for.
    pub fn shortfall(&self, data: &Dataset) -> Option<String> {
        if *self == Self::default() {
            return None;
        }
        let samples = data.samples_by_regime();
        let interventions = data.regimes().iter().zip(&samples);
        let interventions = interventions.filter(|(regime, _)| !regime.is_observational());
        let fewest = interventions.map(|(_, samples)| samples.len()).min();
        let (fewest, observed) = (fewest.unwrap_or(0), data.observational().len());
        let parts = [
            self.observational
                .filter(|asked| *asked > observed)
                .map(|asked| {
                    format!("{asked} observational rows were asked for, there are {observed}")
                }),
            self.per_intervention
                .filter(|asked| *asked > fewest)
                .map(|asked| {
                    format!("{asked} rows of every intervention were asked for, one has {fewest}")
                }),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty())
            .then(|| format!("{}; all rows there are will be used", parts.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use fedcdi_core::Seed;
    use fedcdi_data::read::TableOptions;

    use super::*;

    #[test]
    fn short_rounds_make_the_same_number_of_steps_and_keep_what_was_set() {
        let params = GradientParams {
            existence_rate: 0.01,
            ..GradientParams::default()
        };
        let aggregate = AggregatorParams::Gradient(params);
        let spec = SimulateSpec {
            aggregate,
            ..SimulateSpec::default()
        };
        // Ten rounds of two epochs of 100 steps.
        let short = spec.by_gradients(5);
        assert_eq!(short.coordinator.rounds, 400);
        let longer = short.by_gradients(20);
        assert_eq!(longer.coordinator.rounds, 100);
        assert_eq!(longer.aggregate, aggregate);
        assert_eq!(longer.exchange, Exchange::Gradients { every: 20 });
        // Short rounds are never ended by their graph, however many there are.
        let more = longer.with_rounds(5000).coordinator;
        assert!(more.rounds == 5000 && more.graph_patience > 5000);
    }

    #[test]
    fn short_rounds_replace_defaults_alone() {
        let default = SimulateSpec::default().by_gradients(5).coordinator;
        assert_eq!((default.tolerance, default.graph_patience), (0.0, 401));
        assert_eq!(default.pruning, Pruning::Never);
        let mut spec = SimulateSpec::default();
        spec.coordinator.tolerance = 0.05;
        spec.coordinator.graph_patience = 7;
        spec.coordinator.pruning = Pruning::Independence(3.0);
        let kept = spec.by_gradients(5).coordinator;
        assert_eq!((kept.tolerance, kept.graph_patience), (0.05, 7));
        assert_eq!(kept.pruning, Pruning::Independence(3.0));
        let psi = SimulateSpec {
            exchange: Exchange::Psi,
            ..SimulateSpec::default()
        };
        assert_eq!(psi.by_gradients(5).exchange, Exchange::Psi);
    }

    /// Stored results are found again by a fingerprint of this text.
    #[test]
    fn enco_is_written_as_it_always_was() {
        let settings = serde_json::to_string(&EncoParams::default()).unwrap();
        let expected = format!(r#"{{"name":"enco","settings":{settings}}}"#);
        let written = serde_json::to_string(&MethodSpec::default()).unwrap();
        assert_eq!(written, expected);
    }

    #[test]
    fn a_method_without_settings_has_its_defaults() {
        let read = |text| toml::from_str::<SimulateSpec>(text).unwrap().local;
        let sdi = MethodSpec::Sdi(SdiParams::default());
        assert_eq!(read("[local]\nname = \"sdi\""), sdi);
        assert_eq!(read("[local]\nname = \"sdi\"\n[local.settings]"), sdi);
    }

    #[test]
    fn rows_that_are_not_there_are_told() {
        let spec: crate::GeneratedData = toml::from_str("vars = 6\nobs = 20\nint = 18").unwrap();
        let study = DataSpec::Generated(spec).load(&TableOptions::default(), Seed::new(1));
        let data = study.unwrap().pool();
        let shortfall = |observational, per_intervention| {
            let limits = RowLimits {
                observational,
                per_intervention,
            };
            limits.shortfall(&data)
        };
        assert_eq!(shortfall(None, None), None);
        assert_eq!(shortfall(Some(20), Some(3)), None);
        let text = shortfall(Some(21), Some(4)).unwrap();
        assert!(text.contains("21 observational rows were asked for, there are 20"));
        assert!(text.contains("4 rows of every intervention were asked for, one has 3"));
    }

    #[test]
    fn every_method_is_read_as_it_is_written() {
        let all = [
            MethodSpec::default(),
            MethodSpec::Sdi(SdiParams::default()),
            MethodSpec::Dcdi(DcdiParams::default()),
        ];
        for method in all {
            let text = toml::to_string(&method).unwrap();
            assert!(text.starts_with(&format!("name = \"{}\"", method.name())));
            assert_eq!(toml::from_str::<MethodSpec>(&text).unwrap(), method);
        }
    }
}
