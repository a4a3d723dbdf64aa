//! One dataset to one graph by a method that keeps no belief.

use std::path::Path;

use fedcdi_core::graph::GraphScores;
use fedcdi_core::{Cpdag, Dag, Dataset, ParamsError, Seed, VarId, VarSet, Variable};
use fedcdi_data::NamedGraph;
use fedcdi_data::file_error::FileError;
use fedcdi_data::write::Overwrite;
use fedcdi_learn::independence::TestParams;
use fedcdi_learn::independence::target_sets;
use fedcdi_learn::score::{Penalty, ScoreParams};
use fedcdi_learn::{LearnError, Observer};
use fedcdi_rivals::StopReason;
use fedcdi_rivals::feddag::FedDagParams;
use fedcdi_rivals::gies::GiesParams;
use fedcdi_rivals::igsp::{IgspFit, IgspParams, Variant};
use fedcdi_rivals::notears::NotearsParams;
use serde::{Deserialize, Serialize};

use crate::constrained::{Constrained, Weights};
use crate::data_spec::DataSpec;
use crate::paths::RunSpec as _;
use crate::reading::Reading;
use crate::registry::Unfit;
use crate::report;
use crate::run_folder::{GraphRun, spec_text};
use crate::spec::RowLimits;

/// Said where nothing was intervened on.
pub(crate) const OPEN: &str = "there are no interventional rows: edges of open direction may point either way; add rows with interventions to tell cause from effect";

/// A baseline by name, with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "name", content = "settings")]
#[serde(from = "Written")]
pub enum BaselineMethod {
    /// Greedy interventional equivalence search.
    Gies(GiesParams),
    /// Sparsest permutation with known targets.
    Igsp(IgspParams),
    /// Sparsest permutation with targets that may be more than the data names.
    UtIgsp(IgspParams),
    /// Linear regressions under a penalty of cycles.
    Notears(NotearsParams),
    /// Networks under a shared mask and a penalty of cycles.
    Feddag(FedDagParams),
}

/// A baseline as it may be written: without settings it has its defaults.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", tag = "name", content = "settings")]
#[serde(deny_unknown_fields)]
enum Written {
    Gies(Option<GiesParams>),
    Igsp(Option<IgspParams>),
    UtIgsp(Option<IgspParams>),
    Notears(Option<NotearsParams>),
    Feddag(Option<FedDagParams>),
}

impl From<Written> for BaselineMethod {
    fn from(written: Written) -> Self {
        match written {
            Written::Gies(settings) => Self::Gies(settings.unwrap_or_default()),
            Written::Igsp(settings) => Self::Igsp(settings.unwrap_or_default()),
            Written::UtIgsp(settings) => Self::UtIgsp(settings.unwrap_or_default()),
            Written::Notears(settings) => Self::Notears(settings.unwrap_or_default()),
            Written::Feddag(settings) => Self::Feddag(settings.unwrap_or_default()),
        }
    }
}

/// A discovery by a baseline: everything it depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaselineSpec {
    /// The method and its settings.
    pub method: BaselineMethod,
    /// Where the data comes from, unless the caller brings it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<DataSpec>,
    /// How tables are read.
    #[serde(default, skip_serializing_if = "Reading::is_default")]
    pub read: Reading,
    /// How much of the data is used.
    #[serde(default)]
    pub rows: RowLimits,
    /// Root of all random streams.
    #[serde(default)]
    pub seed: u64,
}

/// What a baseline found.
#[derive(Clone, Debug)]
pub struct BaselineFound {
    /// The data as it was used.
    pub data: Dataset,
    /// The graphs that the data cannot tell apart.
    pub class: Cpdag,
    /// One of them.
    pub dag: Dag,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// Edges that were left out because they would close a cycle.
    pub n_removed: usize,
    /// What the graph was cut from, where the method fits weights.
    pub weights: Option<Weights>,
    /// Score of GIES.
    pub score: Option<f64>,
    /// Conflicts with the interventions that IGSP was left with.
    pub conflicts: Option<usize>,
    /// What UT-IGSP says was intervened on, for every set of variables that the data names.
    pub targets: Vec<(VarSet, VarSet)>,
    /// The truth, if it is known.
    pub truth: Option<Dag>,
    /// Against the truth, if it is known.
    pub scores: Option<BaselineScores>,
}

/// A graph and its class against the truth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BaselineScores {
    /// Of the graph.
    #[serde(flatten)]
    pub graph: GraphScores,
    /// Pairs of variables whose status differs between the class found and that of the truth under
    /// the same targets.
    pub shd_class: usize,
}

/// Why a baseline has no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BaselineError {
    /// A setting is out of range.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// Stopped before there was anything to give.
    #[error("stopped before there was a result")]
    Cancelled,
    /// It cannot run at one of the clients.
    #[error("client {}: {error}", client + 1)]
    AtClient {
        /// Its place among them.
        client: usize,
        /// Why.
        error: Box<BaselineError>,
    },
    /// It failed on the way.
    #[error("{method}: {error}")]
    Failed {
        /// The method.
        method: &'static str,
        /// Why.
        error: LearnError,
    },
    /// The data does not have what the method needs.
    #[error(transparent)]
    Data(#[from] Unfit),
}

impl BaselineError {
    /// Whether the user has to change something.
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::Cancelled | Self::Failed { .. } => false,
            Self::AtClient { error, .. } => error.is_bad_input(),
            Self::Params(_) | Self::Data(_) => true,
        }
    }
}

impl BaselineMethod {
    /// With the score or test for real variables, if all of `data` are real.
    #[must_use]
    pub fn suited_to(mut self, data: &Dataset) -> Self {
        if !data.schema().variables().iter().all(Variable::is_real) {
            return self;
        }
        match &mut self {
            Self::Gies(params) => params.score = ScoreParams::Gaussian(Penalty::Bic),
            Self::Igsp(params) | Self::UtIgsp(params) => params.test = TestParams::Gaussian,
            Self::Notears(_) | Self::Feddag(_) => {}
        }
        self
    }

    /// Rough seconds on one core for 20 variables of 10 categories and 30000 rows.
    pub fn cost(&self) -> f64 {
        match self {
            Self::Gies(GiesParams {
                score: ScoreParams::Logistic(_),
                ..
            }) => 40.0,
            Self::Igsp(params) | Self::UtIgsp(params) => match params.test {
                TestParams::Logistic => 100.0,
                TestParams::Hsic(_) => 15.0,
                TestParams::G | TestParams::Gaussian => 2.0,
            },
            Self::Feddag(_) => 50.0,
            Self::Gies(_) | Self::Notears(_) => 2.0,
        }
    }

    /// As on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Gies(_) => "gies",
            Self::Igsp(_) => "igsp",
            Self::UtIgsp(_) => "ut-igsp",
            Self::Notears(_) => "notears",
            Self::Feddag(_) => "feddag",
        }
    }
}

/// Runs what `spec` asks for.
///
/// # Errors
/// [`BaselineError`] if settings or data do not allow it, or it was cancelled too early.
pub fn discover_baseline(
    data: &Dataset,
    truth: Option<&Dag>,
    spec: &BaselineSpec,
    observer: Option<&dyn Observer>,
) -> Result<BaselineFound, BaselineError> {
    let data = data.first(spec.rows.observational, spec.rows.per_intervention);
    let seed = Seed::new(spec.seed).derive(spec.method.name(), 0);
    let mut found = spec.method.find(&data, seed, observer)?;
    found.scores = truth.map(|truth| found.score_against(truth, &target_sets(&data)));
    found.truth = truth.cloned();
    Ok(found)
}

impl BaselineMethod {
    /// Whether the settings are in range.
    ///
    /// # Errors
    /// [`ParamsError`] naming the first one that is not.
    pub fn check(&self) -> Result<(), ParamsError> {
        match self {
            Self::Gies(params) => params.clone().check().map(drop),
            Self::Igsp(params) => params.clone().check(Variant::Known).map(drop),
            Self::UtIgsp(params) => params.clone().check(Variant::Partial).map(drop),
            Self::Notears(params) => params.clone().check().map(drop),
            Self::Feddag(params) => params.clone().check().map(drop),
        }
    }

    /// What the method finds in one table.
    pub(crate) fn find(
        &self,
        data: &Dataset,
        seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<BaselineFound, BaselineError> {
        let refused = |error| refuse(self.name(), error, data);
        match self {
            Self::Gies(params) => {
                let fit = params.clone().check()?.fit(data, observer);
                let fit = fit.map_err(refused)?;
                Ok(BaselineFound {
                    score: Some(fit.score),
                    ..BaselineFound::new(data, fit.class, fit.dag, fit.stop_reason)
                })
            }
            Self::Igsp(params) => {
                let fit = params.clone().check(Variant::Known)?;
                let fit = fit.fit(data, seed, observer).map_err(refused)?;
                Ok(of_igsp(fit, data))
            }
            Self::UtIgsp(params) => {
                let fit = params.clone().check(Variant::Partial)?;
                let fit = fit.fit(data, seed, observer).map_err(refused)?;
                let (named, found) = (fit.named.clone(), fit.targets.clone());
                Ok(BaselineFound {
                    targets: named.into_iter().zip(found).collect(),
                    ..of_igsp(fit, data)
                })
            }
            Self::Notears(_) | Self::Feddag(_) => {
                match self.federated(std::slice::from_ref(data), seed, observer) {
                    // The only client there is.
                    Err(BaselineError::AtClient { error, .. }) => Err(*error),
                    fit => {
                        let fit = fit?.expect("both have a federated form");
                        Ok(of_constrained(fit, data))
                    }
                }
            }
        }
    }

    /// What several clients find by a method that is federated itself; nothing by the others.
    pub(crate) fn federated(
        &self,
        clients: &[Dataset],
        seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<Option<Constrained>, BaselineError> {
        let refused = |error| match error {
            LearnError::AtClient { client, error } => BaselineError::AtClient {
                client,
                error: Box::new(refuse(self.name(), *error, &clients[client])),
            },
            error => refuse(self.name(), error, &clients[0]),
        };
        match self {
            Self::Gies(_) | Self::Igsp(_) | Self::UtIgsp(_) => Ok(None),
            Self::Notears(params) => {
                let fit = params.clone().check()?.fit(clients, observer);
                let fit = fit.map_err(refused)?;
                Ok(Some(Constrained::of_notears(fit)))
            }
            Self::Feddag(params) => {
                let fit = params.clone().check()?.fit(clients, seed, observer);
                let fit = fit.map_err(refused)?;
                Ok(Some(Constrained::of_feddag(fit)))
            }
        }
    }
}

fn refuse(method: &'static str, error: LearnError, data: &Dataset) -> BaselineError {
    if error == LearnError::Cancelled {
        return BaselineError::Cancelled;
    }
    if matches!(error, LearnError::Diverged { .. }) {
        return BaselineError::Failed { method, error };
    }
    Unfit::new(method, error, data).into()
}

fn of_igsp(fit: IgspFit, data: &Dataset) -> BaselineFound {
    BaselineFound {
        conflicts: Some(fit.conflicts),
        ..BaselineFound::new(data, fit.class, fit.dag, fit.stop_reason)
    }
}

/// Of a method that gives one graph: its class is what the experiments leave open.
fn of_constrained(fit: Constrained, data: &Dataset) -> BaselineFound {
    let class = Cpdag::interventional(&fit.dag, &target_sets(data));
    BaselineFound {
        n_removed: fit.n_removed,
        weights: Some(fit.weights),
        ..BaselineFound::new(data, class, fit.dag, fit.stop_reason)
    }
}

/// A set of intervened variables as the data names it, and what was estimated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EstimatedTargets<'a> {
    /// In the data.
    pub named: Vec<&'a str>,
    /// By the method.
    pub found: Vec<&'a str>,
}

impl BaselineFound {
    /// A graph and its class, without anything that only some methods give.
    fn new(data: &Dataset, class: Cpdag, dag: Dag, stop_reason: StopReason) -> Self {
        Self {
            data: data.clone(),
            class,
            dag,
            stop_reason,
            n_removed: 0,
            weights: None,
            score: None,
            conflicts: None,
            targets: Vec::new(),
            truth: None,
            scores: None,
        }
    }

    /// The estimated targets, by name.
    pub fn estimated_targets(&self) -> Vec<EstimatedTargets<'_>> {
        let names = |set: &VarSet| {
            let schema = self.data.schema();
            set.iter().map(|var| schema.name(var)).collect()
        };
        let targets = self.targets.iter();
        targets
            .map(|(named, found)| EstimatedTargets {
                named: names(named),
                found: names(found),
            })
            .collect()
    }

    fn score_against(&self, truth: &Dag, targets: &[VarSet]) -> BaselineScores {
        BaselineScores {
            graph: GraphScores::of(truth, &self.dag),
            shd_class: self.class.shd(&Cpdag::interventional(truth, targets)),
        }
    }

    /// Edges of the graph by name, and whether the data shows their direction.
    pub fn edges(&self) -> Vec<(&str, &str, bool)> {
        let schema = self.data.schema();
        let edges = self.dag.edges();
        edges
            .map(|(c, e)| {
                (
                    schema.name(c),
                    schema.name(e),
                    self.class.has_directed(c, e),
                )
            })
            .collect()
    }

    /// What a reader of the graph must know first.
    pub fn warnings(&self) -> Vec<String> {
        let unoriented = (!self.oriented()).then(|| OPEN.to_owned());
        let unfinished = self.stop_reason.warning(self.n_removed);
        unoriented.into_iter().chain(unfinished).collect()
    }

    /// Whether there were interventional rows.
    pub fn oriented(&self) -> bool {
        self.data.regimes().iter().any(|r| !r.is_observational())
    }
}

#[derive(Serialize)]
struct Record<'a> {
    fedcdi: &'static str,
    spec: &'a BaselineSpec,
    schema_hash: String,
    n_samples: usize,
    edges: usize,
    undirected: Vec<(&'a str, &'a str)>,
    stop_reason: StopReason,
    score: Option<f64>,
    conflicts: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    targets: Vec<EstimatedTargets<'a>>,
    scores: Option<&'a BaselineScores>,
}

/// Writes the folder of a baseline, whole or not at all: `spec.toml`, which runs it again, `run.json`,
/// `report.html` and the graph in every format.
///
/// # Errors
/// As [`crate::write_run`].
pub fn write_baseline_run(
    folder: &Path,
    spec: &BaselineSpec,
    found: &BaselineFound,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    let spec = &spec.within(folder);
    let schema = found.data.schema();
    let undirected = found.class.undirected_edges();
    let open = |edge: &(VarId, VarId)| !found.class.has_directed(edge.0, edge.1);
    let record = Record {
        fedcdi: env!("CARGO_PKG_VERSION"),
        spec,
        schema_hash: schema.hash().to_string(),
        n_samples: found.data.n_samples(),
        edges: found.dag.n_edges(),
        undirected: undirected
            .map(|(a, b)| (schema.name(a), schema.name(b)))
            .collect(),
        stop_reason: found.stop_reason,
        score: found.score,
        conflicts: found.conflicts,
        targets: found.estimated_targets(),
        scores: found.scores.as_ref(),
    };
    let files = GraphRun {
        record: &record,
        spec: &spec_text(spec),
        report: &report::baseline(spec, found),
        graph: &NamedGraph {
            open: found.dag.edges().filter(open).collect(),
            ..NamedGraph::of(schema, &found.dag)
        },
    };
    files.write(folder, overwrite)
}
