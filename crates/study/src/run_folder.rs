//! The files a run leaves behind.
//!
//! | file | holds |
//! |---|---|
//! | `spec.toml` | data and settings: what runs it again |
//! | `run.json` | version, settings, data, rounds, scores: everything but the clock |
//! | `report.html` | the run as a page to read |
//! | `belief.csv` | of a method that keeps a belief: probability, existence and orientation of every ordered pair |
//! | `probabilities.csv` | of the same: the probability of every ordered pair, given that there is no cycle |
//! | `graph.json`, `graph.csv`, `edges.csv`, `graph.dot`, `graph.graphml`, `graph.dagitty` | the graph |

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fedcdi_data::file_error::FileError;
use fedcdi_data::write::{
    FolderKind, GraphFormat, Overwrite, format_belief, format_graph, format_probabilities,
    write_folder, write_text,
};
use fedcdi_protocol::RoundRecord;
use fedcdi_protocol::coordinator::RefusalKind;
use serde::Serialize;

use crate::next::NextExperiment;
use crate::report;
use crate::result::{
    Comparison, EstimatedTargets, RunResult, Scores, SearchSummary, SiteResult, Stop,
};
use crate::spec::Spec;

/// The file that marks a folder as a run, and so as one that may be replaced.
pub const RUN: &str = "run.json";
const SPEC: &str = "spec.toml";
/// The page to read.
pub const REPORT: &str = "report.html";
/// The belief.
pub const BELIEF: &str = "belief.csv";
/// What becomes of it without cycles.
const PROBABILITIES: &str = "probabilities.csv";
/// The graph, as other commands read it.
pub const GRAPH: &str = "graph.json";
const GRAPHS: [(&str, GraphFormat); 6] = [
    (GRAPH, GraphFormat::Json),
    ("graph.csv", GraphFormat::Adjacency),
    ("edges.csv", GraphFormat::EdgeList),
    ("graph.dot", GraphFormat::Dot),
    ("graph.graphml", GraphFormat::GraphMl),
    ("graph.dagitty", GraphFormat::Dagitty),
];

/// What run folders are known by.
pub const RUN_FOLDER: FolderKind = FolderKind {
    mark: RUN,
    may_hold: |name| {
        [RUN, SPEC, REPORT, BELIEF, PROBABILITIES].contains(&name)
            || GRAPHS.iter().any(|(file, _)| *file == name)
    },
};

/// A run as the files of its folder, by name. `spec` has paths as the folder is to have them.
pub type RunFiles = BTreeMap<String, String>;

/// The files of a run: `spec.toml` runs it again; what it was compared with is in the report.
pub fn run_files(spec: &Spec, result: &RunResult, comparison: Option<&Comparison>) -> RunFiles {
    let record = serde_json::to_string_pretty(&Record::of(spec, result, comparison));
    let record = record.expect("a record has nothing that JSON lacks") + "\n";
    let graph = result.named_graph();
    let mut files = vec![
        (SPEC, spec.to_toml()),
        (RUN, record),
        (REPORT, report::page(spec, result, comparison)),
    ];
    if let Some(found) = result.belief() {
        let belief = format_belief(&graph.names, &found.outcome.belief);
        files.push((BELIEF, belief));
        let probability = graph.probability.as_ref();
        let matrix = probability.map(|p| format_probabilities(&graph.names, p));
        files.extend(matrix.map(|matrix| (PROBABILITIES, matrix)));
    }
    // DAGitty cannot read some names: its file is then left out, and nothing else suffers.
    let graphs = GRAPHS.iter();
    files.extend(graphs.filter_map(|(file, format)| {
        let text = format_graph(&graph, *format).ok()?;
        Some((*file, text))
    }));
    let named = files
        .into_iter()
        .map(|(name, text)| (name.to_owned(), text));
    named.collect()
}

/// Writes the folder of a run, whole or not at all.
///
/// # Errors
/// [`FileError::Exists`] if something else is there and may not be replaced; [`FileError::Io`] if
/// the system fails.
pub fn write_files(folder: &Path, files: &RunFiles, overwrite: Overwrite) -> Result<(), FileError> {
    write_folder(folder, &RUN_FOLDER, overwrite, |inside| {
        let mut files = files.iter();
        files.try_for_each(|(name, text)| write_text(&inside.join(name), Overwrite::No, text))
    })
}

/// Writes the folder of a run as [`run_files`] has it, with paths as seen from there.
///
/// # Errors
/// As [`write_files`].
pub fn write_run(
    folder: &Path,
    spec: &Spec,
    result: &RunResult,
    comparison: Option<&Comparison>,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    let files = run_files(&spec.within(folder), result, comparison);
    write_files(folder, &files, overwrite)
}

/// Refuses a folder with something else in it than a run of this `spec`: what the run writes there is
/// then the same, unless it is stopped.
///
/// # Errors
/// [`FileError::Exists`] if something else is there; [`FileError::Io`] if the system fails.
pub fn check_free(folder: &Path, spec: &Spec) -> Result<(), FileError> {
    let io = |error| FileError::io(folder, error);
    if !folder.exists() || fs::read_dir(folder).map_err(io)?.next().is_none() {
        return Ok(());
    }
    let before = fs::read_to_string(folder.join(SPEC));
    if before.is_ok_and(|text| text == spec.within(folder).to_toml()) {
        return Ok(());
    }
    let path = folder.to_path_buf();
    Err(FileError::Exists { path })
}

#[derive(Serialize)]
struct Record<'a> {
    fedcdi: &'static str,
    spec: &'a Spec,
    /// Names the plan of a study; the schema is part of it, salted.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<String>,
    rounds: &'a [RoundRecord],
    stop_reason: Stop,
    edges: usize,
    oriented: bool,
    /// Of the graph, where one is maximised.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<SearchRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'a NextExperiment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<MovesRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conflicts: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    targets: Vec<EstimatedTargets<'a>>,
    scores: Option<&'a Scores>,
    clients: Vec<SiteRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refusals: Option<&'a BTreeMap<RefusalKind, usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compare: Option<CompareRecord<'a>>,
}

/// The search by scores of all rows.
#[derive(Serialize)]
struct SearchRecord<'a> {
    #[serde(flatten)]
    summary: SearchSummary,
    /// Of every edge, in nats.
    gains: Vec<GainRecord<'a>>,
}

#[derive(Serialize)]
struct GainRecord<'a> {
    cause: &'a str,
    effect: &'a str,
    gain: f64,
}

impl<'a> SearchRecord<'a> {
    fn of(run: &'a RunResult) -> Option<Self> {
        let scored = run.scored()?;
        let gain = |((cause, effect), gain)| GainRecord {
            cause: run.schema.name(cause),
            effect: run.schema.name(effect),
            gain,
        };
        Some(Self {
            summary: run.search()?,
            gains: scored.gains_of(&run.dag).map(gain).collect(),
        })
    }
}

/// What moves what, over the sites that told.
#[derive(Serialize)]
struct MovesRecord<'a> {
    sites: usize,
    /// Log-odds that rule an edge out if they are more negative than this, in nats.
    needed: f64,
    variables: Vec<&'a str>,
    /// By cause, then by effect: log-odds that it moves when the cause is set; 0 where no row sets the cause.
    log_odds: Vec<Vec<f64>>,
    /// Edges [cause, effect].
    ruled_out: Vec<[&'a str; 2]>,
}

impl<'a> MovesRecord<'a> {
    fn of(run: &'a RunResult) -> Option<Self> {
        let moved = run.moved()?;
        let name = |var| run.schema.name(var);
        let ruled_out = run.ruled_out().iter();
        Some(Self {
            sites: moved.n_sites,
            needed: moved.needed(),
            variables: run.schema.ids().map(name).collect(),
            log_odds: moved.odds.outer_iter().map(|odds| odds.to_vec()).collect(),
            ruled_out: ruled_out.map(|(c, e)| [name(*c), name(*e)]).collect(),
        })
    }
}

#[derive(Serialize)]
struct SiteRecord<'a> {
    name: &'a str,
    /// As the site describes its data, in bands.
    #[serde(skip_serializing_if = "Option::is_none")]
    n_samples: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    n_observational: Option<u64>,
    /// Of the graph that the site found by itself.
    shd: Option<usize>,
}

#[derive(Serialize)]
struct CompareRecord<'a> {
    centralised: Option<&'a Scores>,
    isolated: Vec<Option<&'a Scores>>,
}

impl<'a> Record<'a> {
    fn of(spec: &'a Spec, run: &'a RunResult, comparison: Option<&'a Comparison>) -> Self {
        let found = run.belief();
        Self {
            fedcdi: env!("CARGO_PKG_VERSION"),
            spec,
            plan: found.map(|found| found.plan.to_string()),
            rounds: run.rounds(),
            stop_reason: run.stop,
            edges: run.dag.n_edges(),
            oriented: run.is_oriented(),
            score: run.score(),
            search: SearchRecord::of(run),
            next: run.next_experiment(),
            moves: MovesRecord::of(run),
            conflicts: run.rival().and_then(|found| found.conflicts),
            targets: run.estimated_targets(),
            scores: run.scores.as_ref(),
            clients: run.sites.iter().map(SiteRecord::of).collect(),
            refusals: found.map(|found| &found.refusals),
            compare: comparison.map(|comparison| CompareRecord {
                centralised: comparison.centralised.scores.as_ref(),
                isolated: (comparison.isolated.iter())
                    .map(|run| run.scores.as_ref())
                    .collect(),
            }),
        }
    }
}

impl<'a> SiteRecord<'a> {
    fn of(site: &'a SiteResult) -> Self {
        let profile = site.profile.as_ref();
        Self {
            name: &site.name,
            n_samples: profile.map(|profile| profile.n_samples),
            n_observational: profile.map(|profile| profile.n_observational),
            shd: site.shd,
        }
    }
}
