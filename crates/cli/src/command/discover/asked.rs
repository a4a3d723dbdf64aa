//! What `fedcdi discover` is asked for: a spec if there is one, and the flags on top of it.

use std::path::Path;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use fedcdi_core::{KnowledgeFile, RoundParams};
use fedcdi_study::{
    AnyDiscovery, BaselineMethod, BaselineSpec, DataSpec, DiscoverSpec, Preset, Reading, RowLimits,
    out_of_range, read_discover_spec, read_knowledge,
};

use fedcdi_learn::registry;

use super::Args;
use crate::command::baseline_args::{BaselineArg, refuse_knowledge, refuse_unused};
use crate::command::local_args::{check_rounds, method, names_of, read_local, set_epochs};
use crate::command::table_args::absolute;
use crate::failure::Failure;

/// The two kinds of methods.
enum Kind {
    Local(String),
    Baseline(BaselineArg),
}

/// Every method by name, with what it is.
pub(super) fn method_names() -> PossibleValuesParser {
    let local = names_of(&registry::standard());
    let local = local.possible_values().into_iter().flatten();
    let baselines = BaselineArg::value_variants().iter();
    let baselines = baselines.filter_map(ValueEnum::to_possible_value);
    PossibleValuesParser::new(local.chain(baselines).collect::<Vec<_>>())
}

/// What a name that was parsed stands for.
fn kind(name: &str) -> Kind {
    match BaselineArg::from_str(name, false) {
        Ok(baseline) => Kind::Baseline(baseline),
        Err(_) => Kind::Local(name.to_owned()),
    }
}

impl Args {
    pub(super) fn asked(&self) -> Result<AnyDiscovery, Failure> {
        let base = match &self.spec {
            Some(path) => read_checked(path)?,
            None if self.paper => AnyDiscovery::Local(Preset::Paper.discover()),
            None => AnyDiscovery::Local(DiscoverSpec::default()),
        };
        match self.by_method(base)? {
            AnyDiscovery::Local(mut spec) => {
                self.override_local(&mut spec)?;
                self.override_rows(&mut spec.data, &mut spec.read, &mut spec.rows)?;
                spec.seed = self.seed.unwrap_or(spec.seed);
                Ok(AnyDiscovery::Local(spec))
            }
            AnyDiscovery::Baseline(mut spec) => {
                self.refuse_unused(&spec.method)?;
                self.override_rows(&mut spec.data, &mut spec.read, &mut spec.rows)?;
                spec.seed = self.seed.unwrap_or(spec.seed);
                Ok(AnyDiscovery::Baseline(spec))
            }
        }
    }

    /// The same by the method that was named, if one was; settings of that method in a spec stay.
    fn by_method(&self, base: AnyDiscovery) -> Result<AnyDiscovery, Failure> {
        let kind = self.method.as_deref().map(kind);
        Ok(match (kind, base) {
            (None, AnyDiscovery::Baseline(_)) if self.settings.is_some() => {
                return Err(Failure::bad_input(
                    "the spec has the settings of its method; leave out --settings, or name the method with --method",
                ));
            }
            (None, base) => base,
            (Some(Kind::Local(name)), AnyDiscovery::Local(mut spec)) => {
                if name != spec.method.name {
                    spec.method = method(&name)?;
                }
                AnyDiscovery::Local(spec)
            }
            (Some(Kind::Local(name)), AnyDiscovery::Baseline(spec)) => {
                AnyDiscovery::Local(DiscoverSpec {
                    preset: None,
                    method: method(&name)?,
                    data: spec.data,
                    read: spec.read,
                    rows: spec.rows,
                    coordinator: RoundParams::one_table(),
                    knowledge: KnowledgeFile::default(),
                    seed: spec.seed,
                })
            }
            (Some(Kind::Baseline(name)), AnyDiscovery::Local(spec)) => {
                let method = name.method(self.settings.as_deref())?;
                refuse_knowledge(&spec.knowledge, &method, "use --method enco")?;
                AnyDiscovery::Baseline(BaselineSpec {
                    method,
                    data: spec.data,
                    read: spec.read,
                    rows: spec.rows,
                    seed: spec.seed,
                })
            }
            (Some(Kind::Baseline(name)), AnyDiscovery::Baseline(mut spec)) => {
                let method = name.method(self.settings.as_deref())?;
                if self.settings.is_some() || method.name() != spec.method.name() {
                    spec.method = method;
                }
                AnyDiscovery::Baseline(spec)
            }
        })
    }

    fn override_local(&self, spec: &mut DiscoverSpec) -> Result<(), Failure> {
        if let Some(path) = &self.settings {
            read_local(&mut spec.method, path, self.paper)?;
        }
        if let Some(rounds) = self.rounds {
            check_rounds(&spec.method)?;
            spec.coordinator.rounds = rounds;
            let checked = spec.coordinator.check();
            checked.map_err(Failure::bad_input)?;
        }
        if let Some(epochs) = self.epochs {
            set_epochs(&mut spec.method, epochs)?;
        }
        if let Some(path) = &self.knowledge {
            spec.knowledge = read_knowledge(path)?;
        }
        Ok(())
    }

    fn refuse_unused(&self, method: &BaselineMethod) -> Result<(), Failure> {
        let options = [
            ("--rounds", self.rounds.is_some()),
            ("--epochs", self.epochs.is_some()),
            ("--knowledge", self.knowledge.is_some()),
        ];
        refuse_unused(method, &options, "use --method enco")
    }

    fn override_rows(
        &self,
        data: &mut Option<DataSpec>,
        read: &mut Reading,
        rows: &mut RowLimits,
    ) -> Result<(), Failure> {
        if let Some(path) = &self.path {
            *data = Some(DataSpec::File(path.clone()));
        }
        if let Some(DataSpec::File(path)) = data {
            // The run folder's own spec must find the data from anywhere.
            *path = absolute(path)?;
        }
        rows.observational = self.obs.or(rows.observational);
        rows.per_intervention = self.int.or(rows.per_intervention);
        self.tables
            .override_reading_of(data.as_ref(), read, "name a table")
    }
}

/// A spec whose settings are in range.
fn read_checked(path: &Path) -> Result<AnyDiscovery, Failure> {
    let asked = read_discover_spec(path)?;
    if let AnyDiscovery::Baseline(spec) = &asked {
        let checked = spec.method.check();
        checked.map_err(|error| out_of_range(path, &error))?;
    }
    Ok(asked)
}
