//! What an experiment is, and the jobs of several of them.

use std::collections::{BTreeMap, BTreeSet};

use fedcdi_core::nearest::nearest;

use super::job::Job;
use super::part::{Part, UnknownPart};
use super::result::JobResult;
use super::setup::Setup;
use super::{experiments, results_file};

/// A figure or table of the paper.
pub struct Experiment {
    /// By which users ask for it.
    pub name: &'static str,
    /// What it is about, as a heading.
    pub title: &'static str,
    /// Where it is in the paper.
    pub figure: &'static str,
    /// What is varied and compared, in a sentence or two.
    pub about: &'static str,
    /// Where our set-up differs from the published one, or the published numbers need care.
    pub notes: &'static [&'static str],
    /// How it is shown.
    pub view: View,
    /// What the horizontal axis counts.
    pub x_label: &'static str,
    /// The line that others are compared with, seed by seed.
    pub reference: Option<&'static str>,
    /// For tests of the machinery: neither listed nor part of `all`.
    pub hidden: bool,
    pub(super) cells: fn(Size) -> Vec<Cell>,
}

/// How an experiment is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// SHD at the end of a run over x; one panel per family.
    AtEnd,
    /// SHD over rounds.
    ShdPerRound,
    /// Disagreement of the clients over rounds.
    EntropyPerRound,
    /// SHD at the end: panels are columns, lines are rows.
    Table,
}

impl View {
    /// Whether the axis is the round.
    pub fn is_per_round(self) -> bool {
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
        match self {
            Self::Paper => 20,
            Self::Quick => 3,
        }
    }
}

/// A place in an experiment.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) panel: String,
    pub(super) line: String,
    pub(super) x: f64,
    pub(super) setup: Setup,
}

/// A job and where its result belongs.
#[derive(Clone, Debug)]
pub struct Point {
    /// Panel of the figure, or column of the table.
    pub panel: String,
    /// Line in the panel, or row of the table.
    pub line: String,
    /// Place on the axis; without meaning where the axis is the round.
    pub x: f64,
    /// Which of the repetitions.
    pub seed: u64,
    /// What is run.
    pub job: Job,
}

impl Experiment {
    /// Every point for seeds 0, 1, .. below `seeds`, fewer of slow baselines.
    pub fn points(&self, size: Size, seeds: u64) -> Vec<Point> {
        let points = |cell: Cell| {
            let most_seeds = cell.setup.most_seeds();
            let point = move |seed| Point {
                panel: cell.panel.clone(),
                line: cell.line.clone(),
                x: cell.x,
                seed,
                job: cell.setup.job(seed),
            };
            (0..seeds.min(most_seeds)).map(point)
        };
        (self.cells)(size).into_iter().flat_map(points).collect()
    }
}

/// An experiment with its points.
pub struct Planned {
    /// What it is.
    pub experiment: &'static Experiment,
    /// Its points.
    pub points: Vec<Point>,
}

impl Planned {
    /// Points that have a result.
    pub fn n_finished(&self, results: &BTreeMap<String, JobResult>) -> usize {
        let done = |point: &&Point| results.contains_key(point.job.fingerprint());
        self.points.iter().filter(done).count()
    }
}

/// Several experiments at one size.
pub struct Plan {
    /// What of them is run; the page shows all that is finished.
    part: Part,
    /// How much is run.
    pub size: Size,
    /// Repetitions.
    pub seeds: u64,
    /// In the order of the list of all.
    pub experiments: Vec<Planned>,
}

/// There is no such experiment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no experiment {name:?}; {remedy}")]
pub struct UnknownExperiment {
    name: String,
    remedy: String,
}

impl UnknownExperiment {
    fn new(name: &str) -> Self {
        let known = || experiments::all().map(|known| known.name);
        let remedy = match nearest(name, known().chain(["all", "list"])) {
            Some(meant) => format!("did you mean {meant}?"),
            None => format!(
                "known are {}, and all",
                known().collect::<Vec<_>>().join(", ")
            ),
        };
        let name = name.to_owned();
        Self { name, remedy }
    }
}

impl Plan {
    /// The experiments of these names; `all` stands for every one.
    ///
    /// # Errors
    /// [`UnknownExperiment`] with the nearest known name.
    pub fn new(
        names: &[impl AsRef<str>],
        size: Size,
        seeds: u64,
    ) -> Result<Self, UnknownExperiment> {
        let mut wanted = BTreeSet::new();
        for name in names.iter().map(AsRef::as_ref) {
            if name == "all" {
                wanted.extend(experiments::all().map(|known| known.name));
            } else {
                let found = experiments::named(name);
                wanted.insert(found.ok_or_else(|| UnknownExperiment::new(name))?.name);
            }
        }
        let chosen = experiments::with_hidden().filter(|e| wanted.contains(e.name));
        let planned = chosen.map(|experiment| Planned {
            experiment,
            points: experiment.points(size, seeds),
        });
        Ok(Self {
            part: Part::default(),
            size,
            seeds,
            experiments: planned.collect(),
        })
    }

    /// The same, but only some of the jobs are run.
    ///
    /// # Errors
    /// [`UnknownPart`] if an entry names nothing in these experiments.
    pub fn only(mut self, part: Part) -> Result<Self, UnknownPart> {
        let points = self.experiments.iter().flat_map(|planned| &planned.points);
        part.check(&points.collect::<Vec<_>>())?;
        self.part = part;
        Ok(self)
    }

    /// The plan with those other experiments that need nothing but what is finished already, so
    /// that a folder filled in several runs has one page.
    #[must_use]
    pub fn with_finished(mut self, results: &BTreeMap<String, JobResult>) -> Self {
        let asked: BTreeSet<&str> = self.experiments.iter().map(|p| p.experiment.name).collect();
        let mut planned: BTreeMap<&str, Planned> = (self.experiments.drain(..))
            .map(|planned| (planned.experiment.name, planned))
            .collect();
        for experiment in experiments::all().filter(|e| !asked.contains(e.name)) {
            let points = experiment.points(self.size, self.seeds);
            let other = Planned { experiment, points };
            if other.n_finished(results) == other.points.len() {
                planned.insert(experiment.name, other);
            }
        }
        let in_order = experiments::with_hidden().filter_map(|e| planned.remove(e.name));
        self.experiments = in_order.collect();
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
    pub fn missing(&self, results: &results_file::ResultsFile) -> Vec<Job> {
        let mut jobs = self.jobs();
        jobs.retain(|job| !results.finished().contains_key(job.fingerprint()));
        jobs
    }
}
