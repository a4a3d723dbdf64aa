//! Everything a run depends on.

use std::ops::Not;

use fedcdi_core::choice::{self, Params as _};
use fedcdi_core::{Choice, ChoiceError, Dataset, KnowledgeFile, ParamsError, Settings};
use fedcdi_data::{Study, TargetSplit};
use fedcdi_learn::enco::EncoParams;
use fedcdi_protocol::rules::Evidence;
use fedcdi_protocol::{Disclosure, Exchange, Moves, RoundParams};
use fedcdi_score::SearchParams;
use serde::{Deserialize, Serialize};

use crate::catalogue::{Catalogue, Method};
use crate::data_spec::DataSpec;
use crate::preset::Preset;
use crate::reading::Reading;
use crate::refine::Refine;
use crate::result::RunResult;

/// A run: by FedCDI or by a rival, on one table or among several sites.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Spec {
    /// Settings that all others come on top of; they are written out in their place.
    #[serde(skip_serializing)]
    pub preset: Option<Preset>,
    /// Root of all random streams.
    pub seed: u64,
    /// Number of sites to divide the data over; 1 has all rows in one place. Without it, the tables of
    /// a study folder are the sites.
    pub clients: Option<usize>,
    /// Also learn from all rows in one place, and at every site alone.
    #[serde(skip_serializing_if = "Not::not")]
    pub compare: bool,
    /// Who gets which interventional rows, where the data is divided.
    pub split: TargetSplit,
    /// Which numbers of its belief a site bases its answers on.
    pub exchange: Exchange,
    /// Where the data comes from, unless the caller brings it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<DataSpec>,
    /// How tables are read.
    #[serde(skip_serializing_if = "Reading::is_default")]
    pub read: Reading,
    /// How much of the data is used, before it is divided.
    pub rows: RowLimits,
    /// How opinions become one belief.
    #[serde(with = "RuleFormat")]
    pub aggregate: Choice,
    /// Rounds, quorum, convergence.
    pub coordinator: RoundParams,
    /// What a site reports, and how exactly.
    pub disclosure: Disclosure,
    /// Whether scores of all rows refine the graph of the last round.
    pub refine: Refine,
    /// Whether sites are asked what moves what, so that interventions rule out edges. Left out: yes, but not
    /// with `score`, whose result does not depend on how rows are divided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<Moves>,
    /// What is known beforehand.
    pub knowledge: KnowledgeFile,
    /// What every site runs, or what runs in place of FedCDI.
    #[serde(alias = "local")]
    pub method: Choice,
}

impl Default for Spec {
    fn default() -> Self {
        Self {
            preset: None,
            seed: 0,
            clients: None,
            compare: false,
            split: TargetSplit::default(),
            exchange: Exchange::default(),
            data: None,
            read: Reading::default(),
            rows: RowLimits::default(),
            aggregate: Choice::of(&Evidence::default()),
            coordinator: RoundParams::default(),
            disclosure: Disclosure::default(),
            refine: Refine::default(),
            moves: None,
            knowledge: KnowledgeFile::default(),
            method: Choice::of(&EncoParams::default()),
        }
    }
}

/// Parts of a spec that are about FedCDI alone.
const FEDCDI_ALONE: [&str; 7] = [
    "exchange",
    "aggregate",
    "coordinator",
    "disclosure",
    "refine",
    "moves",
    "knowledge",
];

/// Parts of a spec that are about rounds: a search by scores alone has none.
const OF_ROUNDS: [&str; 3] = ["exchange", "aggregate", "refine"];

impl Spec {
    /// The spec with every setting written out. Of a rival, those that suit the data are filled in when
    /// that is known: see [`Self::suited_to`].
    ///
    /// # Errors
    /// [`ChoiceError`] naming the first setting that is not what it should be, or has no effect.
    pub fn complete(mut self, catalogue: &Catalogue) -> Result<Self, ChoiceError> {
        match catalogue.methods.build(&self.method)? {
            Method::Rival(_) => self.check_for(&FEDCDI_ALONE)?,
            method => {
                self.coordinator.check()?;
                self.disclosure.check()?;
                self.refine.check()?;
                if let Method::Score(_) = method {
                    self.check_for_score()?;
                }
                self.method = catalogue.methods.complete(&self.method)?;
                self.aggregate = catalogue.rules.complete(&self.aggregate)?;
            }
        }
        Ok(self)
    }

    /// Whether nothing is set that a search without rounds would pass over in silence.
    fn check_for_score(&self) -> Result<(), ParamsError> {
        self.check_for(&OF_ROUNDS)?;
        let quorum = self.coordinator.quorum;
        let without_rounds = RoundParams {
            quorum,
            ..RoundParams::default()
        };
        let need = "left out but for quorum: score has no rounds".to_owned();
        let has_rounds = self.coordinator != without_rounds;
        ParamsError::require("coordinator", "set", need, !has_rounds)
    }

    /// Whether none of these parts is set, which the method would pass over in silence.
    fn check_for(&self, parts: &[&'static str]) -> Result<(), ParamsError> {
        let (set, usual) = (choice::written(self), choice::written(&Self::default()));
        let changed = |part: &&&str| set.get(**part) != usual.get(**part);
        match parts.iter().find(changed) {
            None => Ok(()),
            Some(part) => {
                let method = &self.method.name;
                let need = format!("left out: it does not apply to {method}");
                ParamsError::require(part, "set", need, false)
            }
        }
    }

    /// Whether sites are asked what moves what.
    pub fn moves(&self) -> Moves {
        let usual = match self.method.name.as_str() {
            SearchParams::NAME => Moves::Ignore,
            _ => Moves::Use,
        };
        self.moves.unwrap_or(usual)
    }

    /// How many rounds there are at most.
    pub fn most_rounds(&self) -> u32 {
        self.coordinator.most_rounds(self.refine.search().is_some())
    }

    /// Changes settings so that another run ends where this one was stopped: with the rounds and the
    /// questions about sums that were done.
    pub fn as_far_as(&mut self, run: &RunResult) {
        let n_rounds = run.rounds().len() as u32;
        let n_questions = run.scored().map(|scored| scored.n_questions);
        if n_rounds > 0 {
            self.coordinator.rounds = Some(n_rounds);
        }
        match (&mut self.refine, n_questions) {
            (_, Some(n)) if n_rounds == 0 => {
                let settings = &mut self.method.settings;
                settings.insert("questions".to_owned(), n.into());
            }
            (Refine::By(search), Some(n)) => search.questions = n,
            (refine, _) => *refine = Refine::Never,
        }
    }

    /// The spec with the settings of its method that suit this data best, where they are open.
    ///
    /// # Errors
    /// As [`Self::complete`].
    pub fn suited_to(mut self, data: &Dataset, catalogue: &Catalogue) -> Result<Self, ChoiceError> {
        if let Method::Rival(rival) = catalogue.methods.build(&self.method)? {
            let mut settings = rival.suited_to(data);
            settings.extend(std::mem::take(&mut self.method.settings));
            self.method.settings = settings;
            self.method = catalogue.methods.complete(&self.method)?;
        }
        Ok(self)
    }

    /// As `spec.toml` has it: without what does not apply to the method.
    pub(crate) fn to_toml(&self) -> String {
        let local = fedcdi_learn::registry::standard();
        let is_local = local.kind(&self.method.name).is_ok();
        let left_out: &[&str] = if is_local {
            &[]
        } else if self.method.name == SearchParams::NAME {
            &OF_ROUNDS
        } else if self.check_for(&FEDCDI_ALONE).is_ok() {
            &FEDCDI_ALONE
        } else {
            &[]
        };
        let mut table = toml::Table::try_from(self).expect("a spec is a table");
        table.retain(|part, _| !left_out.contains(&part));
        let text = if left_out.is_empty() {
            toml::to_string(self)
        } else {
            toml::to_string(&table)
        };
        text.expect("a spec has nothing that TOML lacks")
    }

    /// Settings for sites that nothing leaves: a study of one site, whose rows are all there are.
    pub(crate) fn among(&self, study: &Study) -> Self {
        let mut spec = self.clone();
        if study.clients().len() == 1 {
            spec.disclosure = Disclosure {
                smallest_cell: 0.0,
                row_band: 1,
                profile: true,
                ..self.disclosure
            };
        }
        spec
    }
}

/// A rule has its settings beside its name: `{ kind = "proximity", beta = 10.0 }`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Choice")]
struct RuleFormat {
    #[serde(rename = "kind")]
    name: String,
    #[serde(flatten)]
    settings: Settings,
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
    /// A warning if the data has fewer rows than asked for.
    pub(crate) fn shortfall(&self, data: &Dataset) -> Option<String> {
        if *self == Self::default() {
            return None;
        }
        let samples = data.samples_by_regime();
        let interventions = data.regimes().iter().zip(&samples);
        let interventions = interventions.filter(|(regime, _)| !regime.is_observational());
        let fewest = interventions.map(|(_, samples)| samples.len()).min();
        let (fewest, observed) = (fewest.unwrap_or(0), data.observational().len());
        let mut parts = Vec::new();
        if let Some(asked) = self.observational.filter(|asked| *asked > observed) {
            let what = "observational rows were asked for";
            parts.push(format!("{asked} {what}, there are {observed}"));
        }
        if let Some(asked) = self.per_intervention.filter(|asked| *asked > fewest) {
            let what = "rows of every intervention were asked for";
            parts.push(format!("{asked} {what}, one has {fewest}"));
        }
        let parts = Some(parts.join(", ")).filter(|parts| !parts.is_empty());
        parts.map(|parts| format!("{parts}; all rows there are will be used"))
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
            let spec: Spec = toml::from_str(text).unwrap();
            spec.complete(&Catalogue::default()).unwrap().method
        };
        let sdi = Choice::of(&fedcdi_learn::sdi::SdiParams::default());
        assert_eq!(read("[local]\nname = \"sdi\""), sdi);
        assert_eq!(read("[local]\nname = \"sdi\"\n[local.settings]"), sdi);
    }

    #[test]
    fn a_spec_is_read_as_it_is_written() {
        for kind in fedcdi_learn::registry::standard().kinds() {
            for rule in fedcdi_protocol::rules::standard().kinds() {
                let spec = Spec {
                    method: Choice::named(&kind.name),
                    aggregate: Choice::named(&rule.name),
                    ..Spec::default()
                };
                let spec = spec.complete(&Catalogue::default()).unwrap();
                let text = toml::to_string(&spec).unwrap();
                assert_eq!(toml::from_str::<Spec>(&text).unwrap(), spec);
            }
        }
    }

    #[test]
    fn what_is_wrong_with_a_choice_is_said() {
        let refused = |text: &str| {
            let spec: Spec = toml::from_str(text).unwrap();
            spec.complete(&Catalogue::default())
                .unwrap_err()
                .to_string()
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

    #[test]
    fn only_a_site_that_is_alone_reports_everything_to_itself() {
        let spec: crate::GeneratedData = toml::from_str("vars = 6\nobs = 20\nint = 18").unwrap();
        let data = DataSpec::Generated(spec);
        let all = data.load(&TableOptions::default(), Seed::new(1)).unwrap();
        let among = |clients| {
            let spec = Spec {
                clients: Some(clients),
                ..Spec::default()
            };
            let open = spec.among(&spec.sites_of(&all).unwrap()).disclosure;
            (open.smallest_cell, open.row_band)
        };
        assert_eq!(among(1), (0.0, 1));
        assert_eq!(among(2), (5.0, 5));
    }
}
