//! What `fedcdi discover` is asked for: a spec if there is one, and the flags on top of it.

use std::path::Path;

use clap::ValueEnum;
use fedcdi_core::KnowledgeFile;
use fedcdi_experiment::{
    AnyDiscovery, BaselineMethod, BaselineSpec, DataSpec, DiscoverSpec, Reading, RowLimits,
    out_of_range, read_discover_spec, read_knowledge,
};

use super::Args;
use crate::command::baseline_args::{BaselineArg, refuse_knowledge, refuse_unused};
use crate::command::local_args::{LocalArg, read_local, set_epochs, set_rounds};
use crate::command::table_args::absolute;
use crate::failure::Failure;

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum MethodArg {
    /// ENCO (Lippe et al. 2022): neural, made for interventions; categorical, real and mixed tables
    Enco,
    /// SDI (Ke et al. 2019): neural, one logit per edge; categorical tables
    Sdi,
    /// DCDI (Brouillard et al. 2020): neural, acyclic by constraint; categorical or real tables
    Dcdi,
    /// GIES (Hauser and Bühlmann 2012): greedy search by a score
    Gies,
    /// IGSP (Wang et al. 2017): tests, interventions on one known variable each
    Igsp,
    /// UT-IGSP (Squires et al. 2020): tests; named targets may be wrong or not all, and are estimated
    UtIgsp,
    /// NOTEARS (Zheng et al. 2018): linear, or networks by its settings; categories are taken as numbers
    Notears,
    /// FedDAG (Gao et al. 2023): networks under a mask, acyclic by constraint
    Feddag,
}

/// The two kinds of methods.
enum Kind {
    Local(LocalArg),
    Baseline(BaselineArg),
}

impl MethodArg {
    fn kind(self) -> Kind {
        match self {
            Self::Enco => Kind::Local(LocalArg::Enco),
            Self::Sdi => Kind::Local(LocalArg::Sdi),
            Self::Dcdi => Kind::Local(LocalArg::Dcdi),
            Self::Gies => Kind::Baseline(BaselineArg::Gies),
            Self::Igsp => Kind::Baseline(BaselineArg::Igsp),
            Self::UtIgsp => Kind::Baseline(BaselineArg::UtIgsp),
            Self::Notears => Kind::Baseline(BaselineArg::Notears),
            Self::Feddag => Kind::Baseline(BaselineArg::Feddag),
        }
    }
}

impl Args {
    pub(super) fn asked(&self) -> Result<AnyDiscovery, Failure> {
        let base = match &self.spec {
            Some(path) => read_checked(path)?,
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
        let kind = self.method.map(MethodArg::kind);
        Ok(match (kind, base) {
            (None, AnyDiscovery::Baseline(_)) if self.settings.is_some() => {
                return Err(Failure::bad_input(
                    "the spec has the settings of its method; leave out --settings, or name the method with --method",
                ));
            }
            (None, base) => base,
            (Some(Kind::Local(name)), AnyDiscovery::Local(mut spec)) => {
                let method = name.spec();
                if method.name() != spec.method.name() {
                    spec.method = method;
                }
                AnyDiscovery::Local(spec)
            }
            (Some(Kind::Local(name)), AnyDiscovery::Baseline(spec)) => {
                AnyDiscovery::Local(DiscoverSpec {
                    method: name.spec(),
                    data: spec.data,
                    read: spec.read,
                    rows: spec.rows,
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
            read_local(&mut spec.method, path)?;
        }
        if let Some(rounds) = self.rounds {
            set_rounds(&mut spec.method, rounds)?;
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
    let checked = match &asked {
        AnyDiscovery::Local(spec) => spec.method.check(),
        AnyDiscovery::Baseline(spec) => spec.method.check(),
    };
    checked.map_err(|error| out_of_range(path, &error))?;
    Ok(asked)
}
