//! Everything a run depends on.

use std::ops::Not;

use fedcdi_core::choice::{self, Params};
use fedcdi_core::{Choice, ChoiceError, Dataset, KnowledgeFile, Settings};
use fedcdi_data::TargetSplit;
use fedcdi_learn::enco::EncoParams;
use fedcdi_learn::registry::{self, Local};
use fedcdi_protocol::rules::Evidence;
use fedcdi_protocol::{Disclosure, Exchange, RoundParams, rules};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::data_spec::DataSpec;
use crate::preset::Preset;
use crate::reading::Reading;

/// A discovery on one dataset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DiscoverSpec {
    /// Settings that all others come on top of; they are written out in their place.
    #[serde(skip_serializing)]
    pub preset: Option<Preset>,
    /// The method and its settings.
    pub method: Choice,
    /// Where the data comes from, unless the caller brings it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<DataSpec>,
    /// How tables are read.
    #[serde(skip_serializing_if = "Reading::is_default")]
    pub read: Reading,
    /// How much of the data is used.
    pub rows: RowLimits,
    /// When rounds end, and what tests may change.
    #[serde(deserialize_with = "of_one_table")]
    pub coordinator: RoundParams,
    /// What is known beforehand.
    pub knowledge: KnowledgeFile,
    /// Root of all random streams.
    pub seed: u64,
}

impl Default for DiscoverSpec {
    fn default() -> Self {
        Self {
            preset: None,
            method: default_method(),
            data: None,
            read: Reading::default(),
            rows: RowLimits::default(),
            coordinator: RoundParams::one_table(),
            knowledge: KnowledgeFile::default(),
            seed: 0,
        }
    }
}

/// Rounds on one table: what is left out has the default of one table, not of a study.
fn of_one_table<'de, D: Deserializer<'de>>(from: D) -> Result<RoundParams, D::Error> {
    let said = Settings::deserialize(from)?;
    let mut all = choice::written(&RoundParams::one_table());
    all.extend(said);
    serde_json::from_value(all.into()).map_err(D::Error::custom)
}

/// A federation on one machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SimulateSpec {
    /// Settings that all others come on top of; they are written out in their place.
    #[serde(skip_serializing)]
    pub preset: Option<Preset>,
    /// Root of all random streams.
    pub seed: u64,
    /// Number of sites to divide the data over; without it, the tables of a study folder are the
    /// sites.
    pub clients: Option<usize>,
    /// Also learn from all rows in one place, and at every site alone.
    #[serde(skip_serializing_if = "Not::not")]
    pub compare: bool,
    /// Who gets which interventional rows, where the data is divided.
    pub split: TargetSplit,
    /// Which numbers of its belief a site bases its answers on.
    pub exchange: Exchange,
    /// Where the data comes from.
    pub data: DataSpec,
    /// How tables are read.
    #[serde(skip_serializing_if = "Reading::is_default")]
    pub read: Reading,
    /// How much of the data is used, before it is divided.
    pub rows: RowLimits,
    /// How opinions become one belief.
    pub aggregate: RuleSpec,
    /// Rounds, quorum, convergence.
    pub coordinator: RoundParams,
    /// What a site tells, and how exactly.
    pub disclosure: Disclosure,
    /// What is known beforehand.
    pub knowledge: KnowledgeFile,
    /// What every site runs.
    pub local: Choice,
}

impl Default for SimulateSpec {
    fn default() -> Self {
        Self {
            preset: None,
            seed: 0,
            clients: None,
            compare: false,
            split: TargetSplit::default(),
            exchange: Exchange::default(),
            data: DataSpec::default(),
            read: Reading::default(),
            rows: RowLimits::default(),
            aggregate: RuleSpec::default(),
            coordinator: RoundParams::default(),
            disclosure: Disclosure::default(),
            knowledge: KnowledgeFile::default(),
            local: default_method(),
        }
    }
}

/// ENCO, every setting written out.
pub fn default_method() -> Choice {
    Choice::of(&EncoParams::default())
}

/// The local method of a choice.
///
/// # Errors
/// [`ChoiceError`] if there is no such method, or a setting is not what it should be.
pub fn local_method(choice: &Choice) -> Result<Box<dyn Local>, ChoiceError> {
    registry::standard().build(choice)
}

/// A rule of aggregation with its settings beside its name: `{ kind = "proximity", beta = 10.0 }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleSpec {
    /// The name.
    pub kind: String,
    /// The settings.
    #[serde(flatten)]
    pub settings: Settings,
}

impl RuleSpec {
    /// A rule with these settings.
    pub fn of<P: Params>(params: &P) -> Self {
        let Choice { name, settings } = Choice::of(params);
        let kind = name;
        Self { kind, settings }
    }

    /// The rule of this name with default settings, all written out.
    ///
    /// # Errors
    /// [`ChoiceError`] if there is none.
    pub fn named(name: &str) -> Result<Self, ChoiceError> {
        let rules = rules::standard();
        let kind = rules.kind(name)?;
        Ok(Self {
            kind: kind.name.clone(),
            settings: kind.defaults.clone(),
        })
    }

    /// As every other choice.
    pub fn choice(&self) -> Choice {
        Choice {
            name: self.kind.clone(),
            settings: self.settings.clone(),
        }
    }
}

impl Default for RuleSpec {
    fn default() -> Self {
        Self::of(&Evidence::default())
    }
}

impl DiscoverSpec {
    /// The spec with every setting of its method written out.
    ///
    /// # Errors
    /// [`ChoiceError`] if there is no such method, or a setting is not what it should be.
    pub fn complete(mut self) -> Result<Self, ChoiceError> {
        let methods = registry::standard();
        self.method = methods.complete(&self.method)?;
        self.coordinator.check_for_one_table()?;
        if methods.build(&self.method)?.own_rounds().is_some() {
            self.coordinator.check_without_rounds()?;
        }
        Ok(self)
    }
}

impl SimulateSpec {
    /// Whether all settings are in range, whatever the data.
    ///
    /// # Errors
    /// [`ChoiceError`] naming the first one that is not.
    pub fn check(&self) -> Result<(), ChoiceError> {
        rules::standard().build(&self.aggregate.choice())?;
        self.coordinator.check()?;
        self.disclosure.check()?;
        local_method(&self.local)?;
        Ok(())
    }

    /// The spec with every setting of its method and its rule written out.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn complete(mut self) -> Result<Self, ChoiceError> {
        self.check()?;
        self.local = registry::standard().complete(&self.local)?;
        let Choice { name, settings } = rules::standard().complete(&self.aggregate.choice())?;
        self.aggregate = RuleSpec {
            kind: name,
            settings,
        };
        Ok(self)
    }

    /// Settings for one site alone, or for all rows in one place: the same rounds, nobody to agree
    /// with, and nothing that leaves.
    #[must_use]
    pub fn alone(&self) -> Self {
        Self {
            coordinator: RoundParams {
                quorum: 1.0,
                ..self.coordinator
            },
            disclosure: Disclosure {
                smallest_cell: 0.0,
                row_band: 1,
                ..self.disclosure
            },
            ..self.clone()
        }
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
    fn a_method_without_settings_has_its_defaults() {
        let read = |text| {
            let spec: SimulateSpec = toml::from_str(text).unwrap();
            spec.complete().unwrap().local
        };
        let sdi = Choice::of(&fedcdi_learn::sdi::SdiParams::default());
        assert_eq!(read("[local]\nname = \"sdi\""), sdi);
        assert_eq!(read("[local]\nname = \"sdi\"\n[local.settings]"), sdi);
    }

    #[test]
    fn a_spec_is_read_as_it_is_written() {
        for kind in registry::standard().kinds() {
            for rule in rules::standard().kinds() {
                let spec = SimulateSpec {
                    local: Choice::named(&kind.name),
                    aggregate: RuleSpec::named(&rule.name).unwrap(),
                    ..SimulateSpec::default()
                };
                let spec = spec.complete().unwrap();
                let text = toml::to_string(&spec).unwrap();
                assert_eq!(toml::from_str::<SimulateSpec>(&text).unwrap(), spec);
            }
        }
    }

    #[test]
    fn what_is_wrong_with_a_choice_is_said() {
        let refused = |text: &str| {
            let spec: SimulateSpec = toml::from_str(text).unwrap();
            spec.complete().unwrap_err().to_string()
        };
        let text = refused("aggregate = { kind = 'proximity', beta = 0.0 }");
        assert_eq!(text, "beta is 0, but must be > 0");
        let text = refused("aggregate = { kind = 'naive', beta = 1.0 }");
        assert!(text.contains("unknown field `beta`"), "{text}");
        let text = refused("local = { name = 'encoo' }");
        assert!(text.contains("did you mean \"enco\"?"), "{text}");
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
}
