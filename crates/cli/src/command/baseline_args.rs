//! The methods that give a graph but no probabilities, by name: what `discover --method` and
//! `simulate --baseline` can run.

use std::path::Path;

use clap::ValueEnum;
use fedcdi_core::{Dataset, KnowledgeFile};
use fedcdi_study::{BaselineMethod, mentions, out_of_range, read_baseline, spec_mentions};
use serde::de::DeserializeOwned;

use crate::failure::Failure;

/// A method that keeps no belief.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum BaselineArg {
    /// GIES (Hauser and Bühlmann 2012): greedy search by a score
    Gies,
    /// IGSP (Wang et al. 2017): tests, interventions on one known variable each
    Igsp,
    /// UT-IGSP (Squires et al. 2020): tests; named targets may be wrong or not all, and are estimated
    UtIgsp,
    /// NOTEARS (Zheng et al. 2018), of clients NOTEARS-ADMM (Ng and Zhang 2022): linear;
    /// categories are taken as numbers
    Notears,
    /// FedDAG (Gao et al. 2023): networks under a shared mask, acyclic by constraint
    Feddag,
}

impl BaselineArg {
    /// The method with the settings of a file, or its default ones.
    pub(crate) fn method(self, settings: Option<&Path>) -> Result<BaselineMethod, Failure> {
        let method = match self {
            Self::Gies => BaselineMethod::Gies(read(settings)?),
            Self::Igsp => BaselineMethod::Igsp(read(settings)?),
            Self::UtIgsp => BaselineMethod::UtIgsp(read(settings)?),
            Self::Notears => BaselineMethod::Notears(read(settings)?),
            Self::Feddag => BaselineMethod::Feddag(read(settings)?),
        };
        if let Some(path) = settings {
            method.check().map_err(|error| out_of_range(path, &error))?;
        }
        Ok(method)
    }
}

fn read<T: DeserializeOwned + Default>(path: Option<&Path>) -> Result<T, Failure> {
    Ok(match path {
        Some(path) => read_baseline(path)?,
        None => T::default(),
    })
}

/// With the score or test for this data, unless the settings, or without them the spec, choose one.
pub(crate) fn suited(
    method: BaselineMethod,
    settings: Option<&Path>,
    spec: Option<&Path>,
    data: &Dataset,
) -> Result<BaselineMethod, Failure> {
    let names = ["score", "test"];
    let chosen = match (settings, spec) {
        (Some(path), _) => mentions(path, &names)?,
        (None, Some(path)) => spec_mentions(path, method.name(), &names)?,
        (None, None) => false,
    };
    Ok(if chosen {
        method
    } else {
        method.suited_to(data)
    })
}

/// A baseline cannot be told edges, and does not pass over them in silence.
pub(crate) fn refuse_knowledge(
    knowledge: &KnowledgeFile,
    method: &BaselineMethod,
    instead: &str,
) -> Result<(), Failure> {
    let some = *knowledge != KnowledgeFile::default();
    refuse_unused(method, &[("the knowledge of this spec", some)], instead)
}

/// Refuses the first option that was given though `method` has no use for it.
pub(crate) fn refuse_unused(
    method: &BaselineMethod,
    options: &[(&str, bool)],
    instead: &str,
) -> Result<(), Failure> {
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::BadInput(format!(
            "{} has no use for {option}; leave it out, or {instead}",
            method.name()
        ))),
        None => Ok(()),
    }
}
