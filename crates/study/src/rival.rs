//! Several clients to one graph by a baseline: what a federation is compared with.
//!
//! NOTEARS (as NOTEARS-ADMM) and FedDAG have federated forms, which are run. Methods that know one table are lifted: every
//! client runs its own, and the graphs are put to the vote.

use std::ops::Not;
use std::path::Path;

use fedcdi_core::graph::{GraphScores, extract, shd};
use fedcdi_core::{Dag, Dataset, Knowledge, Seed};
use fedcdi_data::file_error::FileError;
use fedcdi_data::write::Overwrite;
use fedcdi_data::{NamedGraph, Study, TargetSplit};
use fedcdi_learn::Observer;
use fedcdi_rivals::StopReason;
use fedcdi_rivals::vote::{Ballot, vote};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::baseline::{BaselineError, BaselineMethod, OPEN};
use crate::constrained::Weights;
use crate::data_spec::DataSpec;
use crate::discover::on_workers;
use crate::division::{DivisionError, divide};
use crate::paths::RunSpec as _;
use crate::reading::Reading;
use crate::report;
use crate::run_folder::{GraphRun, spec_text};
use crate::spec::RowLimits;

/// A baseline among clients: everything the run depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RivalSpec {
    /// Root of all random streams.
    #[serde(default)]
    pub seed: u64,
    /// Number of clients to divide the data over; without it, the tables of a study folder are the
    /// clients.
    #[serde(default)]
    pub clients: Option<usize>,
    /// Also learn from all rows in one place, and at every client alone.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub compare: bool,
    /// Who gets which interventional rows, where the data is divided.
    #[serde(default)]
    pub split: TargetSplit,
    /// The method and its settings.
    pub method: BaselineMethod,
    /// Where the data comes from.
    #[serde(default)]
    pub data: DataSpec,
    /// How tables are read.
    #[serde(default, skip_serializing_if = "Reading::is_default")]
    pub read: Reading,
    /// How much of the data is used, before it is divided.
    #[serde(default)]
    pub rows: RowLimits,
}

/// What a baseline among clients came to.
#[derive(Clone, Debug)]
pub struct RivalRun {
    /// The clients' data as they used it, and the truth if it is known.
    pub study: Study,
    /// The graph.
    pub dag: Dag,
    /// Shares of the vote, `[cause, effect]`, where there was one.
    pub shares: Option<Array2<f64>>,
    /// What the graph was cut from, where all clients fit weights together.
    pub weights: Option<Weights>,
    /// Edges that were left out because they would close a cycle, at all clients.
    pub n_removed: usize,
    /// The clients' own graphs, in order, where each has one; after a stop, of the first clients.
    pub own: Vec<Dag>,
    /// Why it ended; of a vote, why the first client did that did not converge.
    pub stop_reason: StopReason,
    /// Scores, if the truth is known.
    pub scores: Option<GraphScores>,
}

/// The same rows without a federation.
#[derive(Clone, Debug)]
pub struct RivalComparison {
    /// All rows in one place.
    pub centralised: RivalRun,
    /// Every client alone, in order.
    pub isolated: Vec<RivalRun>,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RivalError {
    /// The method cannot run on all of the clients.
    #[error(transparent)]
    Together(Box<BaselineError>),
    /// The method cannot run at one of them.
    #[error("{client}: {source}")]
    Client {
        /// Name of the site.
        client: String,
        /// Why.
        source: Box<BaselineError>,
    },
}

impl From<BaselineError> for RivalError {
    fn from(error: BaselineError) -> Self {
        Self::Together(Box::new(error))
    }
}

impl RivalError {
    /// Whether the user has to change something.
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::Together(error) | Self::Client { source: error, .. } => error.is_bad_input(),
        }
    }
}

impl RivalSpec {
    /// The clients: the data cut to the rows asked for, and divided if asked for.
    ///
    /// # Errors
    /// [`DivisionError`] if there are fewer than two or the data cannot be divided so.
    pub fn clients_of(&self, study: &Study) -> Result<Study, DivisionError> {
        divide(study, self.clients, &self.split, self.rows, self.seed)
    }
}

impl RivalRun {
    /// The graph with names and, after a vote, the shares.
    pub fn named_graph(&self) -> NamedGraph {
        NamedGraph {
            probability: self.shares.clone(),
            ..NamedGraph::of(self.study.schema(), &self.dag)
        }
    }

    /// What a reader of the graph must know first.
    pub fn warnings(&self) -> Vec<String> {
        let unoriented = (!self.study.has_interventions()).then(|| OPEN.to_owned());
        let unfinished = self.stop_reason.warning(self.n_removed);
        unoriented.into_iter().chain(unfinished).collect()
    }

    /// SHD of a client's own graph, if it has one and the truth is known.
    pub fn own_shd(&self, client: usize) -> Option<usize> {
        Some(shd(self.study.truth()?, self.own.get(client)?))
    }
}

/// Runs `spec`'s method on the clients of `study`; one client is the method as it is.
///
/// # Errors
/// [`RivalError`] if settings or data do not allow it, or it was cancelled too early.
pub fn run_rival(
    study: &Study,
    spec: &RivalSpec,
    observer: Option<&dyn Observer>,
) -> Result<RivalRun, RivalError> {
    let seed = Seed::new(spec.seed).derive(spec.method.name(), 0);
    let clients = study.clients();
    let federated = if clients.len() > 1 {
        let tables: Vec<Dataset> = clients.iter().map(|c| c.data.clone()).collect();
        let fit = on_workers(|| spec.method.federated(&tables, seed, observer));
        fit.map_err(|error| match error {
            BaselineError::AtClient { client, error } => RivalError::Client {
                client: clients[client].name.clone(),
                source: error,
            },
            error => error.into(),
        })?
    } else {
        None
    };
    let mut run = match federated {
        Some(fit) => RivalRun {
            study: study.clone(),
            dag: fit.dag,
            shares: None,
            weights: Some(fit.weights),
            n_removed: fit.n_removed,
            own: Vec::new(),
            stop_reason: fit.stop_reason,
            scores: None,
        },
        None => on_workers(|| voted(study, &spec.method, seed, observer))?,
    };
    run.scores = study.truth().map(|truth| GraphScores::of(truth, &run.dag));
    Ok(run)
}

/// Every client by itself, then the vote; one client needs none.
fn voted(
    study: &Study,
    method: &BaselineMethod,
    seed: Seed,
    observer: Option<&dyn Observer>,
) -> Result<RivalRun, RivalError> {
    let mut ballots = Vec::with_capacity(study.clients().len());
    let (mut stop_reason, mut n_removed) = (StopReason::Converged, 0);
    for (at, client) in study.clients().iter().enumerate() {
        let found = match method.find(&client.data, seed.derive("client", at), observer) {
            // Graphs that were not finished have no vote.
            Err(BaselineError::Cancelled) if at > 0 => None,
            Ok(found) if at > 0 && found.stop_reason == StopReason::Cancelled => None,
            found => Some(found.map_err(|source| RivalError::Client {
                client: client.name.clone(),
                source: Box::new(source),
            })?),
        };
        let Some(found) = found else {
            stop_reason = StopReason::Cancelled;
            break;
        };
        n_removed += found.n_removed;
        ballots.push(Ballot {
            class: found.class,
            dag: found.dag,
            n_rows: client.data.n_samples(),
        });
        if stop_reason == StopReason::Converged {
            stop_reason = found.stop_reason;
        }
    }
    let (dag, shares) = match ballots.as_slice() {
        [only] => (only.dag.clone(), None),
        several => {
            let belief = vote(several);
            let none = Knowledge::none(belief.n_vars());
            (extract::dag(&belief, &none), Some(belief.psi()))
        }
    };
    Ok(RivalRun {
        study: study.clone(),
        dag,
        shares,
        weights: None,
        n_removed,
        own: ballots.into_iter().map(|ballot| ballot.dag).collect(),
        stop_reason,
        scores: None,
    })
}

#[derive(Serialize)]
struct Record<'a> {
    fedcdi: &'static str,
    spec: &'a RivalSpec,
    schema_hash: String,
    edges: usize,
    stop_reason: StopReason,
    scores: Option<&'a GraphScores>,
}

/// Writes the folder of a run, whole or not at all: `spec.toml`, which runs it again, `run.json`,
/// `report.html` and the graph in every format. What it was compared with is in the report.
///
/// # Errors
/// As [`crate::write_run`].
pub fn write_rival_run(
    folder: &Path,
    spec: &RivalSpec,
    run: &RivalRun,
    comparison: Option<&RivalComparison>,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    let spec = &spec.within(folder);
    let record = Record {
        fedcdi: env!("CARGO_PKG_VERSION"),
        spec,
        schema_hash: run.study.schema().hash().to_string(),
        edges: run.dag.n_edges(),
        stop_reason: run.stop_reason,
        scores: run.scores.as_ref(),
    };
    let files = GraphRun {
        record: &record,
        spec: &spec_text(spec),
        report: &report::rival(spec, run, comparison),
        graph: &run.named_graph(),
    };
    files.write(folder, overwrite)
}
