//! Everything a run depends on.

use std::ops::Not;

use fedcdi_core::{Dataset, Exchange, KnowledgeFile, ParamsError};
use fedcdi_data::TargetSplit;
use fedcdi_federation::CoordinatorParams;
use fedcdi_learn::aggregate::AggregatorParams;
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
