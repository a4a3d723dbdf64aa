//! What an experiment is, and the jobs of several of them.

use std::collections::{BTreeMap, BTreeSet};

use fedcdi_core::nearest::nearest;
use serde::Deserialize;

use super::experiments::{self, Grid};
use super::job::Job;
use super::part::Part;
use super::result::JobResult;
use super::results_file::ResultsFile;
use super::setup::Setup;

/// A figure or table of the paper.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// By which users ask for it.
    pub name: String,
    /// Where it is in the paper.
    pub figure: String,
    pub(crate) title: String,
    /// What is varied and compared, in a sentence or two.
    pub(crate) about: String,
    /// Where our set-up differs from the published one, or the published numbers need care.
    #[serde(default)]
    pub(crate) notes: Vec<String>,
    pub(crate) view: View,
    #[serde(default)]
    pub(crate) x_label: String,
    /// The line that others are compared with, seed by seed.
    pub(crate) reference: Option<String>,
    /// For tests of the machinery: neither listed nor part of `all`.
    #[serde(default)]
    pub(crate) hidden: bool,
    grid: Grid,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum View {
    /// SHD at the end of a run over x; one panel per family.
    AtEnd,
    ShdPerRound,
    EntropyPerRound,
    /// SHD at the end: panels are columns, lines are rows.
    Table,
}

impl View {
    pub(crate) fn is_per_round(self) -> bool {
        matches!(self, Self::ShdPerRound | Self::EntropyPerRound)
    }
}

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// The grids of the paper.
    Paper,
    /// A few small studies that show the shape.
    Quick,
}

impl Size {
    /// Seeds where the user names none: the paper says 20.
    pub fn seeds(self) -> u64 {
        self.of(20, 3)
    }

    pub(crate) fn vars(self) -> usize {
        self.of(20, 10)
    }

    pub(crate) fn rounds(self) -> u32 {
        self.of(10, 5)
    }

    fn of<T>(self, paper: T, quick: T) -> T {
        match self {
            Self::Paper => paper,
            Self::Quick => quick,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// Panel of the figure, or column of the table.
    pub(crate) panel: String,
    /// Line in the panel, or row of the table.
    pub(crate) line: String,
    /// Place on the axis; without meaning where the axis is the round.
    pub(crate) x: f64,
    pub(crate) setup: Setup,
}

/// A job and where its result belongs.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) panel: String,
    pub(crate) line: String,
    pub(crate) x: f64,
    pub(crate) seed: u64,
    pub(crate) job: Job,
}

impl Experiment {
    /// Every point for seeds 0, 1, .. below `seeds`, fewer of slow baselines.
    pub(crate) fn points(&self, size: Size, seeds: u64) -> Vec<Point> {
        let mut points = Vec::new();
        for cell in self.grid.cells(size) {
            for seed in 0..seeds.min(cell.setup.most_seeds()) {
                points.push(Point {
                    panel: cell.panel.clone(),
                    line: cell.line.clone(),
                    x: cell.x,
                    seed,
                    job: cell.setup.job(seed),
                });
            }
        }
        points
    }
}

/// An experiment with its points.
pub struct Planned {
    /// What it is.
    pub experiment: &'static Experiment,
    pub(crate) points: Vec<Point>,
}

impl Planned {
    fn new(experiment: &'static Experiment, size: Size, seeds: u64) -> Self {
        let points = experiment.points(size, seeds);
        Self { experiment, points }
    }

    pub(crate) fn n_finished(&self, results: &BTreeMap<String, JobResult>) -> usize {
        let done = |point: &&Point| results.contains_key(point.job.fingerprint());
        self.points.iter().filter(done).count()
    }
}

/// Several experiments at one size.
pub struct Plan {
    /// What of them is run; the page shows all that is finished.
    part: Part,
    pub(crate) size: Size,
    pub(crate) seeds: u64,
    /// In the order of the list of all.
    pub experiments: Vec<Planned>,
}

/// A name that is none, and what there is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unknown(pub(crate) String);

impl Unknown {
    fn experiment(name: &str) -> Self {
        let known: Vec<&str> = experiments::all().map(|known| &*known.name).collect();
        let remedy = match nearest(name, known.iter().copied().chain(["all", "list"])) {
            Some(meant) => format!("did you mean {meant}?"),
            None => format!("known are {}, and all", known.join(", ")),
        };
        Self(format!("there is no experiment {name:?}; {remedy}"))
    }
}

impl Plan {
    /// The experiments of these names; `all` means every one.
    ///
    /// # Errors
    /// [`Unknown`] with the nearest known name.
    pub fn new(names: &[impl AsRef<str>], size: Size, seeds: u64) -> Result<Self, Unknown> {
        let is_all = |name: &str| name == "all";
        let names = names.iter().map(AsRef::as_ref);
        let unknown = |name: &&str| !is_all(name) && experiments::named(name).is_none();
        if let Some(name) = names.clone().find(unknown) {
            return Err(Unknown::experiment(name));
        }
        let wanted = |experiment: &&Experiment| {
            let is_meant = |name| name == experiment.name || is_all(name) && !experiment.hidden;
            names.clone().any(is_meant)
        };
        let chosen = experiments::with_hidden().filter(wanted);
        let experiments = chosen.map(|chosen| Planned::new(chosen, size, seeds));
        Ok(Self {
            part: Part::default(),
            size,
            seeds,
            experiments: experiments.collect(),
        })
    }

    /// The same, but only some of the jobs are run.
    ///
    /// # Errors
    /// [`Unknown`] if an entry names nothing in these experiments.
    pub fn only(mut self, part: Part) -> Result<Self, Unknown> {
        let points = self.experiments.iter().flat_map(|planned| &planned.points);
        part.check(&points.collect::<Vec<_>>())?;
        self.part = part;
        Ok(self)
    }

    /// The plan with those other experiments that need nothing but what is finished already, so
    /// that a folder filled in several runs has one page.
    #[must_use]
    pub fn with_finished(mut self, results: &BTreeMap<String, JobResult>) -> Self {
        let mut asked = self.experiments.into_iter().peekable();
        let planned = |experiment: &'static Experiment| {
            let is_next = |next: &Planned| next.experiment.name == experiment.name;
            asked.next_if(is_next).or_else(|| {
                let other = Planned::new(experiment, self.size, self.seeds);
                let finished = other.n_finished(results) == other.points.len();
                (finished && !experiment.hidden).then_some(other)
            })
        };
        // Both lists have the same order.
        self.experiments = experiments::with_hidden().filter_map(planned).collect();
        self
    }

    /// Every job of the part that is run, once.
    pub fn jobs(&self) -> Vec<Job> {
        let mut seen = BTreeSet::new();
        let points = self.experiments.iter().flat_map(|planned| &planned.points);
        points
            .filter(|point| self.part.has(point))
            .filter(|point| seen.insert(point.job.fingerprint()))
            .map(|point| point.job.clone())
            .collect()
    }

    /// Jobs without a result.
    pub fn missing(&self, results: &ResultsFile) -> Vec<Job> {
        let mut jobs = self.jobs();
        jobs.retain(|job| !results.finished().contains_key(job.fingerprint()));
        jobs
    }
}
