//! Discovery on one table and among sites.

use std::sync::Arc;

use fedcdi_protocol::StudyEvent;
use fedcdi_study::{Catalogue, RunError, Watchers, compare, spec_of_json};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::failure::{Arguments, Failure};
use crate::own;
use crate::run::{Ended, Run};
use crate::study::{SEE, Study, argument, settings};
use crate::watch::{Watch, watched};
use fedcdi_core::nearest::nearest;
use fedcdi_core::{Remedied, RoundParams, Settings, choice};

/// Runs what `spec_json` asks for. `own` has rules and methods of the caller: what
/// it is, its name, the object. Returns the run and
/// what deserves a second look.
#[pyfunction]
#[pyo3(signature = (study, spec_json, settings_json, threads=0, progress=None, own=Vec::new()))]
pub(crate) fn learn(
    py: Python<'_>,
    study: &Study,
    spec_json: &str,
    settings_json: &str,
    threads: usize,
    progress: Option<Py<PyAny>>,
    own: Vec<(String, String, Py<PyAny>)>,
) -> Result<(Run, Vec<String>), Failure> {
    let given: Settings = settings(settings_json)?;
    let said = with_settings(spec_json, &given)?;
    let watch = Arc::new(Watch::default());
    let catalogue = own::catalogue(own, &watch);
    let spec =
        spec_of_json(said, &catalogue, SEE).map_err(|error| argument(as_passed(&error, &given)))?;
    let whole = Arc::clone(&study.0);
    watched(py, threads, progress.as_ref(), &watch, || {
        let suited = spec.suited_to(&whole.clients()[0].data, &catalogue);
        let spec = suited.map_err(RunError::from)?;
        let sites = spec.sites_of(&whole).map_err(RunError::from)?;
        if sites.clients().len() < 2 && spec.clients != Some(1) {
            return Err(Failure::input(
                "a federation needs at least 2 sites, this data has 1; pass clients=2 or more, or use fedcdi.discover",
            ));
        }
        let mut warnings: Vec<String> = spec.shortfall(&whole).into_iter().collect();
        let on = |part: &fedcdi_data::Study, main: bool| {
            let epochs = catalogue.methods.build(&spec.method)?.epochs();
            let mut events = |event: &StudyEvent| tell(&watch, event);
            let n_sites = part.clients().len();
            let watchers = Watchers {
                events: main.then_some(&mut events as _),
                clients: (0..n_sites).map(|_| watch.site(epochs)).collect(),
                cancel: Some(&watch.cancel),
                declined: None,
            };
            catalogue.run(part, &spec, watchers)
        };
        let result = on(&sites, true).map_err(|error| interrupted(&watch, error))?;
        let comparison = spec.compare.then(|| {
            watch.say("for comparison".to_owned());
            compare(&sites, |part| on(part, false))
        });
        let comparison = comparison.transpose().unwrap_or_else(|error| {
            warnings.push(format!(
                "there is no comparison: {}",
                error.told_by(&Arguments)
            ));
            None
        });
        warnings.extend(result.warnings.iter().cloned());
        let ended = Ended {
            spec,
            result,
            comparison,
        };
        Ok((Run::new(ended), warnings))
    })
}

/// A spec with settings in their places: those of the rounds under `coordinator`, the others with the method.
fn with_settings(spec_json: &str, given: &Settings) -> Result<Value, Failure> {
    let mut spec: Value = settings(spec_json)?;
    let of_rounds = choice::written(&RoundParams::default());
    check_names(given, &of_rounds, &spec)?;
    let (rounds, own): (Settings, Settings) =
        (given.clone().into_iter()).partition(|(name, _)| of_rounds.contains_key(name));
    if !rounds.is_empty() {
        spec["coordinator"] = rounds.into();
    }
    if !own.is_empty() {
        spec["method"]["settings"] = own.into();
    }
    Ok(spec)
}

/// A message about a part of a spec, as one about the argument that was passed.
fn as_passed(error: &str, given: &Settings) -> String {
    let Some((part, rest)) = error.split_once(" is set, but must be left out") else {
        return error.to_owned();
    };
    let of_rounds = choice::written(&RoundParams::default());
    let argument = match part {
        "coordinator" => given.keys().find(|name| of_rounds.contains_key(*name)),
        _ => None,
    };
    let argument = match part {
        "aggregate" => "rule",
        "coordinator" | "disclosure" | "exchange" => argument.map_or("paper", String::as_str),
        other => other,
    };
    format!("{argument} is set, but must be left out{rest}")
}

/// Refuses a setting that neither the rounds nor the method have, but that is close to one of either.
fn check_names(given: &Settings, of_rounds: &Settings, spec: &Value) -> Result<(), Failure> {
    let methods = Catalogue::default().methods;
    let method = spec["method"]["name"].as_str().unwrap_or_default();
    let Ok(kind) = methods.kind(method) else {
        return Ok(());
    };
    let known = || {
        of_rounds
            .keys()
            .chain(kind.defaults.keys())
            .map(String::as_str)
    };
    for name in given
        .keys()
        .filter(|name| known().all(|known| known != *name))
    {
        if let Some(meant) = nearest(name, known()) {
            return Err(Failure::input(format!(
                "{method} has no setting {name:?}; did you mean {meant:?}? fedcdi.methods() lists all settings"
            )));
        }
    }
    Ok(())
}

/// What was raised is what stopped the run.
fn interrupted(watch: &Watch, error: RunError) -> Failure {
    match error {
        RunError::Cancelled => Failure::Interrupted,
        _ if watch.cancel.load(std::sync::atomic::Ordering::Relaxed) => Failure::Interrupted,
        other => other.into(),
    }
}

fn tell(watch: &Watch, event: &StudyEvent) {
    if let StudyEvent::Aggregated(record) = event {
        watch.round_done();
        watch.say(format!("round {}: {} edges", record.round, record.n_edges));
    }
}

/// Every method with what people want to know before they run it, as JSON.
#[pyfunction]
pub(crate) fn methods() -> String {
    let catalogue = Catalogue::default();
    let defaults = |name: &str| {
        catalogue
            .methods
            .kind(name)
            .map(|kind| kind.defaults.clone())
    };
    let entries = catalogue.list().into_iter().map(|(name, method)| {
        let about = method.about();
        json!({
            "name": name,
            "summary": about.does,
            "needs": about.needs,
            "kinds": about.kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
            "federated": method.is_federated(),
            "reference": about.reference,
            "settings": defaults(name).ok(),
        })
    });
    json!(entries.collect::<Vec<_>>()).to_string()
}
