//! A run with everything a person wants to see of it: progress, warnings, what it is compared with.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use fedcdi_data::write::Overwrite;
use fedcdi_data::{FileError, Study};
use fedcdi_protocol::StudyEvent;
use fedcdi_study::federation::UNORIENTED;
use fedcdi_study::run_folder::check_free;
use fedcdi_study::{
    Catalogue, Comparison, Method, RunError, RunResult, Spec, Stop, Watchers, compare, run,
    write_run,
};

use crate::beforehand::beforehand;
use crate::command::{RunArgs, overwrite, too_few};
use crate::failure::Failure;
use crate::loading::{check_knowledge, load};
use crate::output;
use crate::progress::{CANCEL, Displays, SearchWatch, spinner, stop_on_ctrl_c};
use crate::shown::{Report, SiteRow, site_rows, text};

pub(crate) struct Running {
    pub(crate) spec: Spec,
    /// Where its knowledge was read from, if from a file.
    pub(crate) knowledge: Option<PathBuf>,
}

pub(crate) struct Finished {
    pub(crate) spec: Spec,
    pub(crate) run: RunResult,
    /// The sites' rows, counted: whoever runs all sites has them.
    pub(crate) rows: Vec<SiteRow>,
    pub(crate) round_seconds: Vec<f64>,
    pub(crate) seconds: f64,
    pub(crate) compare: Option<Comparison>,
    /// Whether the user stopped before there was a comparison that was asked for.
    pub(crate) comparison_was_stopped: bool,
}

impl Running {
    pub(crate) fn run_and_show(mut self, args: &RunArgs) -> Result<(), Failure> {
        let out = args.out.as_deref();
        let study = self.study()?;
        let data = &study.clients()[0].data;
        let suited = self.spec.suited_to(data, &Catalogue::default());
        self.spec = suited.map_err(Failure::bad_input)?;
        // A folder that holds another run is refused before this one is made.
        if let Some(folder) = out.filter(|_| !args.force) {
            check_free(folder, &self.spec)?;
        }
        let finished = self.run(&study)?;
        let overwrite = overwrite(args.force);
        let written = out.map_or(Ok(()), |folder| finished.write(folder, overwrite));
        // The result is shown even where it could not be written.
        let shown = out.filter(|_| written.is_ok());
        output::show(args.json, &Report::of(&finished), || text(&finished, shown))?;
        Ok(written?)
    }

    pub(crate) fn study(&self) -> Result<Study, Failure> {
        let Some(data) = &self.spec.data else {
            return Err(Failure::bad_input(
                "the spec names no data; name a table or study folder on the command line, or add data = { file = \"table.csv\" }",
            ));
        };
        let loaded = load(data, &self.spec.read, self.spec.seed)?;
        if self.spec.clients.is_none() && loaded.clients().len() < 2 {
            return Err(too_few(loaded.clients().len()));
        }
        let study = self.spec.sites_of(&loaded).map_err(RunError::from)?;
        if let Some(warning) = self.spec.shortfall(&loaded) {
            output::warn(&warning);
        }
        let file = self.knowledge.as_deref();
        check_knowledge(file, &self.spec.knowledge, study.schema())?;
        Ok(study)
    }

    pub(crate) fn run(self, study: &Study) -> Result<Finished, Failure> {
        stop_on_ctrl_c()?;
        let is_rival = fedcdi_rivals::standard()
            .kind(&self.spec.method.name)
            .is_ok();
        if !study.has_interventions() && !is_rival {
            output::warn(UNORIENTED);
        }
        if !is_rival {
            beforehand(study).iter().for_each(|text| output::note(text));
        }
        let start = Instant::now();
        let (mut round_seconds, mut last) = (Vec::new(), start);
        let run = self.watched(study, &mut |event| {
            if let StudyEvent::Aggregated(_) = event {
                round_seconds.push(last.elapsed().as_secs_f64());
                last = Instant::now();
            }
        })?;
        let seconds = start.elapsed().as_secs_f64();
        let compare = self.compared(study);
        let comparison_was_stopped = self.spec.compare && matches!(compare, Ok(None));
        // That nothing was intervened on was shown before; rivals say it in words of their own.
        let warnings = run.warnings.iter().filter(|text| *text != UNORIENTED);
        warnings.for_each(|warning| output::warn(warning));
        let mut spec = self.spec;
        if run.stop == Stop::Cancelled && run.belief().is_some() {
            // The folder's own spec must lead to what is in the folder.
            spec.as_far_as(&run);
        }
        Ok(Finished {
            spec,
            rows: site_rows(study, &run),
            run,
            round_seconds,
            seconds,
            compare: compare.unwrap_or_else(|error| {
                // A comparison that cannot be made costs nobody what it would be compared with.
                output::warn(&format!("there is no comparison: {error}"));
                None
            }),
            comparison_was_stopped,
        })
    }

    fn watched(
        &self,
        study: &Study,
        observe: &mut dyn FnMut(&StudyEvent),
    ) -> Result<RunResult, Failure> {
        let method = Catalogue::default().methods.build(&self.spec.method);
        let method = method.map_err(Failure::bad_input)?;
        let stops_midway = match &method {
            Method::Local(local) => local.stops_midway(),
            Method::Score(_) => false,
            Method::Rival(_) => return Ok(self.searched(study)?),
        };
        let one_table = study.clients().len() == 1;
        let names = study.clients().iter().map(|c| c.name.clone());
        let displays = Displays::new(
            names.collect(),
            method.epochs(),
            self.spec.most_rounds(),
            one_table && stops_midway,
        );
        let mut events = |event: &StudyEvent| {
            displays.event(event);
            observe(event);
        };
        let watchers = Watchers {
            events: Some(&mut events),
            clients: displays.observers(),
            cancel: Some(&CANCEL),
            declined: Some(&|site, number, why| {
                // On one table the error says so.
                if !one_table {
                    displays.missing(site, number, &why.to_string());
                }
            }),
        };
        let found = run(study, &self.spec, watchers);
        displays.finish();
        Ok(found?)
    }

    fn searched(&self, study: &Study) -> Result<RunResult, RunError> {
        let watch = Arc::new(SearchWatch::new());
        let watchers = Watchers {
            clients: vec![Arc::clone(&watch) as Arc<_>],
            ..Watchers::default()
        };
        let found = run(study, &self.spec, watchers);
        watch.finish();
        found
    }

    fn compared(&self, study: &Study) -> Result<Option<Comparison>, RunError> {
        let stopped = || CANCEL.load(Ordering::Relaxed);
        if !self.spec.compare || stopped() {
            return Ok(None);
        }
        let part = |part: &Study| {
            let what = match part.clients() {
                [only] if study.clients().iter().any(|c| c.name == only.name) => &only.name,
                _ => "all rows in one place",
            };
            let spinner = spinner(format!("for comparison: {what}"));
            let found = match Catalogue::default().methods.build(&self.spec.method)? {
                Method::Rival(_) => self.searched(part),
                Method::Local(_) | Method::Score(_) => {
                    let watchers = Watchers {
                        cancel: Some(&CANCEL),
                        ..Watchers::default()
                    };
                    run(part, &self.spec, watchers)
                }
            };
            spinner.finish_and_clear();
            found
        };
        match compare(study, part) {
            // Learning that was stopped shows nothing.
            _ if stopped() => Ok(None),
            comparison => comparison.map(Some),
        }
    }
}

impl Finished {
    pub(crate) fn write(&self, folder: &Path, overwrite: Overwrite) -> Result<(), FileError> {
        let compare = self.compare.as_ref();
        write_run(folder, &self.spec, &self.run, compare, overwrite)
    }
}
