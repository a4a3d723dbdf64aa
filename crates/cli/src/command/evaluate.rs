//! `fedcdi evaluate`: a found graph against the true one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fedcdi_core::graph::extract::raw;
use fedcdi_core::graph::{GraphScores, ProbabilityScores, confidence};
use fedcdi_core::{Dag, Knowledge, VarId};
use fedcdi_data::NamedGraph;
use fedcdi_data::read::{TableOptions, is_matrix_csv, read_belief, read_graph};
use fedcdi_data::study::Study;
use fedcdi_study::run_folder::{BELIEF, GRAPH, RUN};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{self, Grid, decimal, or_dash};

/// Compare a found graph with the true one
///
/// Variables are matched by name. AUROC, AUPRC, Brier score and calibration error need the
/// probability of every pair: from a run folder, its probabilities.csv, or --belief. A file that has
/// those of its edges only is not scored by them.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fedcdi evaluate --truth study/truth.json --graph found.json
  fedcdi evaluate --truth asia.bif --graph edges.csv --json
  fedcdi evaluate --truth study --graph run                 (a run folder: its graph and belief)
  fedcdi evaluate --truth study --graph other.json --belief other.csv")]
pub(crate) struct Args {
    /// True graph: .json, .csv, .npz, .bif, or a study folder
    #[arg(long, value_name = "PATH")]
    truth: PathBuf,

    /// Found graph, in any of these formats, or a run folder
    #[arg(long, value_name = "PATH")]
    graph: PathBuf,

    /// A belief.csv: probabilities of all edges follow from it, given that there is no cycle
    #[arg(long, value_name = "FILE")]
    belief: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    graph: GraphScores,
    #[serde(flatten)]
    probabilities: Option<ProbabilityScores>,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let truth = read_any_graph(&self.truth)?;
        let true_dag = acyclic(&truth, &self.truth)?;
        let mut found = aligned(read_any_graph(&self.graph)?, &truth, &self.graph)?;
        let of_run = self.graph.join(BELIEF);
        let of_run = (is_run(&self.graph) && of_run.exists()).then_some(of_run);
        let belief = self.belief.as_ref().or(of_run.as_ref());
        if let Some(path) = belief {
            let (names, belief) = read_belief(path)?;
            let graph = NamedGraph {
                names,
                graph: raw(&belief),
                probability: Some(confidence(&belief, &Knowledge::none(belief.n_vars()))),
                open: BTreeSet::new(),
                gains: BTreeMap::new(),
            };
            found.probability = aligned(graph, &truth, path)?.probability;
        }
        let lists_edges = belief.is_none() && !is_matrix_csv(&self.graph);
        let unscored = (lists_edges && has_edges_only(&found)).then(|| self.whole_probabilities());
        if unscored.is_some() {
            found.probability = None;
        }
        let report = Report {
            graph: GraphScores::of(&true_dag, &found.graph),
            probabilities: (found.probability.as_ref())
                .map(|psi| ProbabilityScores::of(&true_dag, psi)),
        };
        if let Some(why) = unscored {
            output::warn(&why);
        }
        output::show(self.json, &report, || report.text())
    }

    fn whole_probabilities(&self) -> String {
        let path = self.graph.display();
        let run = self.graph.parent().filter(|folder| is_run(folder));
        let instead = match run.filter(|folder| folder.join(BELIEF).exists()) {
            Some(folder) if folder.as_os_str().is_empty() => {
                "for them name its run folder: --graph .".to_owned()
            }
            Some(folder) => format!("for them name its run folder: --graph {}", folder.display()),
            None if run.is_some() || is_run(&self.graph) => "the run has no others".to_owned(),
            None => {
                "for them name a run folder or its probabilities.csv, or add --belief".to_owned()
            }
        };
        format!(
            "AUROC, AUPRC, Brier score and calibration error are left out: {path} has the probabilities of its edges only; {instead}"
        )
    }
}

/// Whether the probabilities are those of a list of edges: pairs that it leaves out are not known to
/// be improbable, and scored as such would change ranking and calibration.
fn has_edges_only(found: &NamedGraph) -> bool {
    let Some(probability) = &found.probability else {
        return false;
    };
    let is_other = |cause: usize, effect: usize| {
        cause != effect && !found.graph.has_edge(VarId(cause), VarId(effect))
    };
    let mut others = (probability.indexed_iter())
        .filter(|((cause, effect), _)| is_other(*cause, *effect))
        .peekable();
    others.peek().is_some() && others.all(|(_, p)| *p == 0.0)
}

impl Report {
    fn text(&self) -> String {
        let scores = &self.graph;
        let wrong = &scores.confusion;
        let errors = format!(
            "pairs that differ: {} missing, {} extra, {} reversed",
            wrong.missing, wrong.extra, wrong.reversed
        );
        let sid = match scores.sid {
            None => "not defined: the found graph has a cycle",
            Some(_) => "ordered pairs whose intervention effect would be wrong",
        };
        let mut lines = vec![
            ("true edges", scores.true_edges.to_string(), ""),
            ("found edges", scores.predicted_edges.to_string(), ""),
            ("SHD", scores.shd.to_string(), &*errors),
            ("SID", or_dash(scores.sid), sid),
        ];
        let mut add = |name, value: Option<f64>, meaning| {
            lines.push((name, or_dash(value.map(decimal)), meaning));
        };
        let (precision, recall) = (scores.precision, scores.recall);
        add("precision", Some(precision), "found edges that are true");
        add("recall", Some(recall), "true edges that were found");
        add("F1", Some(scores.f1), "harmonic mean of the two");
        if let Some(scores) = &self.probabilities {
            let brier = "mean squared error of the probabilities";
            let calibration = "distance of stated from observed frequency";
            add("AUROC", scores.auroc, "true edges ranked above others");
            add("AUPRC", scores.auprc, "average precision of the ranking");
            add("Brier", Some(scores.brier), brier);
            let error = Some(scores.calibration_error);
            add("calibration error", error, calibration);
        }
        let mut grid = Grid::new("metric|value|meaning");
        for (name, value, meaning) in lines {
            grid.row(&[&name, &value, &meaning]);
        }
        grid.render()
    }
}

fn aligned(found: NamedGraph, truth: &NamedGraph, path: &Path) -> Result<NamedGraph, Failure> {
    let aligned = found.aligned_to(&truth.names);
    aligned.map_err(|error| Failure::in_file(path, error))
}

fn acyclic(truth: &NamedGraph, path: &Path) -> Result<Dag, Failure> {
    Dag::try_from(truth.graph.clone()).map_err(|error| {
        let cycle = error.describe(&truth.names);
        let problem = format!("the true graph has a cycle: {cycle}; a causal truth has none");
        Failure::in_file(path, problem)
    })
}

fn is_run(path: &Path) -> bool {
    path.join(RUN).is_file()
}

/// A graph file, the graph of a run folder, or the true graph of a study folder.
pub(crate) fn read_any_graph(path: &Path) -> Result<NamedGraph, Failure> {
    if is_run(path) {
        return Ok(read_graph(&path.join(GRAPH))?);
    }
    if !path.is_dir() {
        return Ok(read_graph(path)?);
    }
    let study = Study::read(path, &TableOptions::default())?;
    let graph = study.truth().map(|t| NamedGraph::of(study.schema(), t));
    graph.ok_or_else(|| {
        let problem = "the study has no truth.json; name a graph file instead";
        Failure::in_file(path, problem)
    })
}
