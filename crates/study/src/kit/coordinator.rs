//! The coordinator of a study between institutions.

use std::path::Path;
use std::sync::Arc;

use fedcdi_protocol::coordinator::Input;
use fedcdi_protocol::{Coordinator, OpenError, StudyPlan};

use super::files::read_plan;
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
    let mut coordinator = Coordinator::open(plan, &rules, Box::new(store))?;
    coordinator.apply(&Input::Start).map_err(OpenError::from)?;
    Ok(coordinator)
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
    if outcome.rounds.is_empty() {
        return Err(RunError::Cancelled);
    }
    let plan: &StudyPlan = coordinator.plan();
    let schema = Arc::new(plan.outline().map_err(OpenError::from)?);
    let refusals = coordinator.refusals().clone();
    let result = result(plan, outcome.clone(), refusals, &schema, None)?;
    Ok(Some((Spec::of_plan(plan), result)))
}
