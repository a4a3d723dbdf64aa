//! Running a simulated federation with everything a person wants to see of it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use fedcdi_data::write::Overwrite;
use fedcdi_data::{FileError, Study};
use fedcdi_experiment::discover::UNORIENTED;
use fedcdi_experiment::{
    Comparison, RunResult, SimulateSpec, Watchers, local_method, shortfall, simulate,
    write_simulation,
};
use fedcdi_protocol::{StopReason, StudyEvent};

mod report;

use crate::failure::Failure;
use crate::loading::{check_knowledge, load};
use crate::output;
use crate::progress::{CANCEL, Displays, stop_on_ctrl_c};
pub(crate) use report::{ClientRow, client_rows, clients_text, show};

/// What is to be run.
pub(crate) struct Simulation {
    pub(crate) spec: SimulateSpec,
    /// Where its knowledge was read from, if from a file.
    pub(crate) knowledge: Option<PathBuf>,
}

/// What came of it.
pub(crate) struct Finished {
    pub(crate) spec: SimulateSpec,
    /// The sites' rows: a simulation has them all.
    pub(crate) study: Study,
    pub(crate) run: RunResult,
    /// How long each round took.
    pub(crate) round_seconds: Vec<f64>,
    pub(crate) seconds: f64,
    pub(crate) compare: Option<Comparison>,
    /// Whether the user stopped before there was a comparison that was asked for.
    pub(crate) comparison_was_stopped: bool,
}

impl Simulation {
    /// Loads the data, runs the federation and, if asked for, what it is compared with.
    pub(crate) fn run(self) -> Result<Finished, Failure> {
        let loaded = load(&self.spec.data, &self.spec.read, self.spec.seed)?;
        let study = self.spec.clients_of(&loaded).map_err(Failure::refused)?;
        let knowledge = &self.spec.knowledge;
        check_knowledge(self.knowledge.as_deref(), knowledge, study.schema())?;
        if let Some(warning) = shortfall(&loaded, self.spec.clients, self.spec.rows) {
            output::warn(&warning);
        }
        let cancel = &CANCEL;
        stop_on_ctrl_c(cancel)?;
        if !study.has_interventions() {
            output::warn(UNORIENTED);
        }
        let start = Instant::now();
        let mut last = start;
        let mut round_seconds = Vec::new();
        let run = self.federation(&study, cancel, &mut |event| {
            if let StudyEvent::Aggregated(_) = event {
                let now = Instant::now();
                round_seconds.push((now - last).as_secs_f64());
                last = now;
            }
        })?;
        let seconds = start.elapsed().as_secs_f64();
        let compare = self.compared(&study, cancel);
        let comparison_was_stopped = self.spec.compare && matches!(compare, Ok(None));
        let compare = compare.unwrap_or_else(without_comparison);
        // That nothing was intervened on was said before.
        let warnings = run.warnings.iter().filter(|warning| *warning != UNORIENTED);
        warnings.for_each(|warning| output::warn(warning));
        let mut spec = self.spec;
        if run.outcome.stop == StopReason::Cancelled {
            // The folder's own spec must lead to what is in the folder.
            spec.coordinator.rounds = run.outcome.rounds.len() as u32;
        }
        Ok(Finished {
            spec,
            study,
            run,
            round_seconds,
            seconds,
            compare,
            comparison_was_stopped,
        })
    }

    fn federation(
        &self,
        study: &Study,
        cancel: &AtomicBool,
        observe: &mut dyn FnMut(&StudyEvent),
    ) -> Result<RunResult, Failure> {
        let names = study.clients().iter().map(|c| c.name.clone());
        let displays = Displays::new(
            names.collect(),
            local_method(&self.spec.local)
                .map_err(Failure::bad_input)?
                .epochs(),
            self.spec.coordinator.rounds,
        );
        let mut events = |event: &StudyEvent| {
            displays.event(event);
            observe(event);
        };
        let watchers = Watchers {
            events: Some(&mut events),
            clients: displays.observers(),
            cancel: Some(cancel),
            declined: Some(&|site, number, why| {
                displays.missing(site, number, &why.to_string());
            }),
        };
        let run = simulate(study, &self.spec, watchers);
        displays.finish();
        Ok(run?)
    }

    /// The comparison, if it was asked for and nobody asked to stop.
    fn compared(&self, study: &Study, cancel: &AtomicBool) -> Result<Option<Comparison>, Failure> {
        let stopped = || cancel.load(Ordering::Relaxed);
        if !self.spec.compare || stopped() {
            return Ok(None);
        }
        match self.comparison(study, cancel) {
            // Learning that was stopped shows nothing.
            _ if stopped() => Ok(None),
            comparison => comparison.map(Some),
        }
    }

    fn comparison(&self, study: &Study, cancel: &AtomicBool) -> Result<Comparison, Failure> {
        let alone = |study: &Study, what: String| {
            let spinner = crate::progress::spinner(what);
            let watchers = Watchers {
                cancel: Some(cancel),
                ..Watchers::default()
            };
            let run = simulate(study, &self.spec.alone(), watchers);
            spinner.finish_and_clear();
            run.map_err(Failure::from)
        };
        let pooled = Study::pooled(study.pool(), study.truth().cloned());
        let centralised = alone(&pooled, "for comparison: all rows in one place".to_owned())?;
        let isolated = (0..study.clients().len()).map(|client| {
            let name = &study.clients()[client].name;
            alone(&study.only(client), format!("for comparison: {name} alone"))
        });
        Ok(Comparison {
            centralised,
            isolated: isolated.collect::<Result<_, _>>()?,
        })
    }
}

/// A comparison that cannot be made costs nobody what it would have been compared with.
pub(crate) fn without_comparison<T>(failure: Failure) -> Option<T> {
    output::warn(&format!("there is no comparison: {failure}"));
    None
}

impl Finished {
    /// Writes the run's folder.
    pub(crate) fn write(&self, folder: &Path, overwrite: Overwrite) -> Result<(), FileError> {
        write_simulation(
            folder,
            &self.spec,
            &self.run,
            self.compare.as_ref(),
            overwrite,
        )
    }
}
