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

use fedcdi_core::Belief;
use fedcdi_data::NamedGraph;
use fedcdi_data::file_error::FileError;
use fedcdi_data::write::{
    FolderKind, GraphFormat, Overwrite, write_belief, write_folder, write_graph,
    write_probabilities, write_text,
};
use fedcdi_learn::rounds::StopReason;
use fedcdi_protocol::coordinator::RefusalKind;
use serde::Serialize;

use crate::discover::Found;
use crate::paths::RunSpec;
use crate::report::{self, Content};
use crate::score::Scores;
use crate::simulate::{Comparison, RunResult, SiteResult};
use crate::spec::{DiscoverSpec, SimulateSpec};

/// The file that marks a folder as a run, and so as one that may be replaced.
pub const RUN: &str = "run.json";
/// Settings that run it again.
const SPEC: &str = "spec.toml";
/// The page to read.
pub const REPORT: &str = "report.html";
/// The belief.
pub const BELIEF: &str = "belief.csv";
/// What becomes of it without cycles.
const PROBABILITIES: &str = "probabilities.csv";
/// The graph, as other commands read it.
pub const GRAPH: &str = "graph.json";
/// The graph in every format.
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

#[derive(Serialize)]
struct RunRecord<'a> {
    fedcdi: &'static str,
    spec: &'a DiscoverSpec,
    data: DataRecord,
    rounds: Vec<RoundEntry>,
    epochs: usize,
    stop_reason: StopReason,
    oriented: bool,
    edges: usize,
    scores: Option<&'a Scores>,
}

#[derive(Serialize)]
struct DataRecord {
    schema_hash: String,
    n_vars: usize,
    n_samples: usize,
    n_observational: usize,
}

#[derive(Serialize)]
struct RoundEntry {
    round: usize,
    largest_move: f64,
    edges: usize,
}

/// Writes the folder of a discovery, whole or not at all. `spec.toml` in it runs it again.
///
/// # Errors
/// [`FileError::Exists`] if something else is there and may not be replaced; [`FileError::Io`] if
/// the system fails.
pub fn write_run(
    folder: &Path,
    spec: &DiscoverSpec,
    found: &Found,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    let spec = &spec.within(folder);
    write_folder(folder, &RUN_FOLDER, overwrite, |inside| {
        write_text(&inside.join(SPEC), Overwrite::No, &spec_text(spec))?;
        write_json(&inside.join(RUN), &record(spec, found))?;
        let page = report::page(&report::discovery(spec, found));
        write_text(&inside.join(REPORT), Overwrite::No, &page)?;
        write_result(inside, &found.named_graph(), &found.belief)
    })
}

/// Refuses a folder with something else in it than a run of this `spec`: what the run writes there is
/// then the same, unless it is stopped.
///
/// # Errors
/// [`FileError::Exists`] if something else is there; [`FileError::Io`] if the system fails.
pub fn check_free(folder: &Path, spec: &impl RunSpec) -> Result<(), FileError> {
    let io = |error| FileError::io(folder, error);
    if !folder.exists() || fs::read_dir(folder).map_err(io)?.next().is_none() {
        return Ok(());
    }
    let before = fs::read_to_string(folder.join(SPEC));
    if before.is_ok_and(|text| text == spec_text(&spec.within(folder))) {
        return Ok(());
    }
    let path = folder.to_path_buf();
    Err(FileError::Exists { path })
}

/// Writes the folder of a simulation, as [`write_run`]. What it was compared with is in the report.
///
/// # Errors
/// As [`write_run`].
pub fn write_simulation(
    folder: &Path,
    spec: &SimulateSpec,
    simulated: &RunResult,
    comparison: Option<&Comparison>,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    let spec = &spec.within(folder);
    write_folder(folder, &RUN_FOLDER, overwrite, |inside| {
        write_text(&inside.join(SPEC), Overwrite::No, &spec_text(spec))?;
        write_json(
            &inside.join(RUN),
            &simulation_record(spec, simulated, comparison),
        )?;
        let page = report::page(&report::simulation(spec, simulated, comparison));
        write_text(&inside.join(REPORT), Overwrite::No, &page)?;
        write_result(inside, &simulated.named_graph(), &simulated.outcome.belief)
    })
}

/// What a method that keeps no belief leaves behind.
pub(crate) struct GraphRun<'a, R> {
    /// For `run.json`.
    pub(crate) record: &'a R,
    /// For `spec.toml`.
    pub(crate) spec: &'a str,
    /// For `report.html`.
    pub(crate) report: &'a Content<'a>,
    pub(crate) graph: &'a NamedGraph,
}

impl<R: Serialize> GraphRun<'_, R> {
    /// Writes the folder, whole or not at all.
    pub(crate) fn write(&self, folder: &Path, overwrite: Overwrite) -> Result<(), FileError> {
        write_folder(folder, &RUN_FOLDER, overwrite, |inside| {
            write_text(&inside.join(SPEC), Overwrite::No, self.spec)?;
            write_json(&inside.join(RUN), self.record)?;
            write_text(
                &inside.join(REPORT),
                Overwrite::No,
                &report::page(self.report),
            )?;
            write_formats(inside, self.graph)
        })
    }
}

/// A spec as `spec.toml` has it.
pub(crate) fn spec_text(spec: &impl Serialize) -> String {
    toml::to_string(spec).expect("a spec has nothing that TOML lacks")
}

fn write_json(path: &Path, record: &impl Serialize) -> Result<(), FileError> {
    let text = serde_json::to_string_pretty(record);
    let text = text.expect("a record has nothing that JSON lacks") + "\n";
    write_text(path, Overwrite::No, &text)
}

/// The belief, and the graph in every format.
fn write_result(folder: &Path, graph: &NamedGraph, belief: &Belief) -> Result<(), FileError> {
    write_belief(&folder.join(BELIEF), &graph.names, belief, Overwrite::No)?;
    if let Some(probability) = &graph.probability {
        let path = folder.join(PROBABILITIES);
        write_probabilities(&path, &graph.names, probability, Overwrite::No)?;
    }
    write_formats(folder, graph)
}

/// The graph in every format. DAGitty cannot read some names: its file is then left out, and nothing
/// else suffers.
fn write_formats(folder: &Path, graph: &NamedGraph) -> Result<(), FileError> {
    for (file, format) in GRAPHS {
        match write_graph(&folder.join(file), graph, format, Overwrite::No) {
            Err(FileError::Content { .. }) if format == GraphFormat::Dagitty => (),
            written => written?,
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct SimulationRecord<'a> {
    fedcdi: &'static str,
    spec: &'a SimulateSpec,
    /// Names the plan of the study; the schema is part of it, salted.
    plan: String,
    rounds: &'a [fedcdi_protocol::RoundRecord],
    stop_reason: fedcdi_protocol::StopReason,
    edges: usize,
    oriented: bool,
    scores: Option<&'a Scores>,
    clients: Vec<ClientRecord<'a>>,
    /// Answers that were refused, by reason.
    refusals: &'a BTreeMap<RefusalKind, usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compare: Option<CompareRecord<'a>>,
}

#[derive(Serialize)]
struct ClientRecord<'a> {
    name: &'a str,
    /// As the site describes its data, in bands.
    #[serde(skip_serializing_if = "Option::is_none")]
    n_samples: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    n_observational: Option<u64>,
    /// Of the graph that the site believed in by itself.
    shd: Option<usize>,
}

impl<'a> ClientRecord<'a> {
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

#[derive(Serialize)]
struct CompareRecord<'a> {
    centralised: Option<&'a Scores>,
    isolated: Vec<Option<&'a Scores>>,
}

fn simulation_record<'a>(
    spec: &'a SimulateSpec,
    run: &'a RunResult,
    comparison: Option<&'a Comparison>,
) -> SimulationRecord<'a> {
    SimulationRecord {
        fedcdi: env!("CARGO_PKG_VERSION"),
        spec,
        plan: run.plan.to_string(),
        rounds: &run.outcome.rounds,
        stop_reason: run.outcome.stop,
        edges: run.outcome.dag.n_edges(),
        oriented: run.is_oriented(),
        scores: run.scores.as_ref(),
        clients: run.sites.iter().map(ClientRecord::of).collect(),
        refusals: &run.refusals,
        compare: comparison.map(|comparison| CompareRecord {
            centralised: comparison.centralised.scores.as_ref(),
            isolated: (comparison.isolated.iter())
                .map(|run| run.scores.as_ref())
                .collect(),
        }),
    }
}

fn record<'a>(spec: &'a DiscoverSpec, found: &'a Found) -> RunRecord<'a> {
    let rounds = found.rounds.iter().map(|round| RoundEntry {
        round: round.round + 1,
        largest_move: round.largest_move,
        edges: round.n_edges,
    });
    RunRecord {
        fedcdi: env!("CARGO_PKG_VERSION"),
        spec,
        data: DataRecord {
            schema_hash: found.data.schema().hash().to_string(),
            n_vars: found.data.n_vars(),
            n_samples: found.data.n_samples(),
            n_observational: found.data.observational().len(),
        },
        rounds: rounds.collect(),
        epochs: found.epochs,
        stop_reason: found.stop_reason,
        oriented: found.oriented,
        edges: found.dag.n_edges(),
        scores: found.scores.as_ref(),
    }
}
