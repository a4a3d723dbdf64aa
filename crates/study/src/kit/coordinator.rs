//! The coordinator of a study between institutions, and what all parties are told in the end.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use fedcdi_protocol::coordinator::{Input, RefusalKind};
use fedcdi_protocol::{Coordinator, OpenError, Outcome, Site, StudyPlan};

use super::files::{in_folder, read_plan};
use super::site_file::open_folder;
use crate::catalogue::Catalogue;
use crate::federation::result;
use crate::result::RunResult;
use crate::run::RunError;
use crate::spec::Spec;

/// Begins the study of a kit, or goes on with it where its folder `state` says.
///
/// # Errors
/// [`RunError`] if the kit is none, or does not fit the folder.
pub fn open_coordinator(kit: &Path, state: &Path) -> Result<Coordinator, RunError> {
    let plan = read_plan(kit)?;
    let store = open_folder(state)?;
    let rules = Catalogue::default().rules;
    let begin = || {
        let mut coordinator = Coordinator::open(plan, &rules, Box::new(store))?;
        coordinator.apply(&Input::Start)?;
        Ok(coordinator)
    };
    match begin() {
        Ok(coordinator) => Ok(coordinator),
        Err(error) => Err(in_folder(state, error)?.into()),
    }
}

/// What a study came to, with the settings that its plan fixes; none while it runs. The coordinator knows
/// names of variables, and no label.
///
/// # Errors
/// [`RunError`] if the study failed.
pub fn result_so_far(coordinator: &Coordinator) -> Result<Option<(Spec, RunResult)>, RunError> {
    let Some(end) = coordinator.end() else {
        return Ok(None);
    };
    let outcome = end.map_err(|error| RunError::Round(error.clone().into()))?;
    if outcome.is_nothing() {
        return Err(RunError::Cancelled);
    }
    let refusals = coordinator.refusals().clone();
    told(coordinator.plan(), outcome.clone(), refusals).map(Some)
}

/// What a study came to, as a site is told it; none before that. Belief and graph are those of the
/// coordinator; what single sites said is left out.
///
/// # Errors
/// [`RunError`] if the plan has no variables to name.
pub fn result_at(site: &Site) -> Result<Option<(Spec, RunResult)>, RunError> {
    let outcome = site.outcome().filter(|outcome| !outcome.is_nothing());
    let told = outcome.map(|outcome| told(site.plan(), outcome, BTreeMap::new()));
    told.transpose()
}

fn told(
    plan: &StudyPlan,
    outcome: Outcome,
    refusals: BTreeMap<RefusalKind, usize>,
) -> Result<(Spec, RunResult), RunError> {
    let schema = Arc::new(plan.outline().map_err(OpenError::from)?);
    let result = result(plan, outcome, refusals, &schema, None)?;
    Ok((Spec::of_plan(plan), result))
}
