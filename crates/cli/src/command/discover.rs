//! `fedcdi discover`: a causal graph from one table.

mod baseline;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::ValueEnum;
use fedcdi_core::{KnowledgeFile, VarId};
use fedcdi_experiment::discover::{UNCONVERGED, UNORIENTED};
use fedcdi_experiment::{
    DiscoverSpec, Found, MethodSpec, RowLimits, Scores, discover, read_knowledge, write_run,
};
use fedcdi_learn::rounds::StopReason;
use serde::Serialize;

use super::generate::overwrite;
use super::inspect::read_study;
use super::local_args::{LocalArg, read_local, set_epochs, set_rounds};
use super::table_args::TableArgs;
use crate::command_line;
use crate::edges::{self, Edge, edges};
use crate::failure::Failure;
use crate::out_folder;
use crate::output::{self, count};
use crate::progress::{CANCEL, Watch, stop_on_ctrl_c};

/// Find the causal graph behind a table
///
/// Learns from observational and interventional rows and prints every edge with its probability.
/// If the truth is known (a study folder or .npz that has it), the result is scored. The tables of
/// a study with several clients are pooled.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fedcdi discover patients.csv --out run
  fedcdi discover study --seed 1 --json
  fedcdi discover samples.npz --obs 5000 --int 10
  fedcdi discover study --method gies           `fedcdi methods` lists them all
  fedcdi discover patients.csv --knowledge known.toml

known.toml:
  required  = [[\"smoke\", \"lung\"]]
  forbidden = [[\"xray\", \"lung\"]]
  tiers     = [[\"age\", \"sex\"], [\"smoke\"], [\"lung\", \"xray\"]]   # no edge back to an earlier tier")]
pub(crate) struct Args {
    /// Table (.csv, .parquet, .npz) or study folder
    #[arg(value_name = "PATH")]
    path: PathBuf,

    /// How to learn
    #[arg(long, value_enum, default_value = "enco")]
    method: MethodArg,

    /// Rounds, each with new networks (methods enco and sdi)
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,

    /// Epochs per round (methods enco and sdi)
    #[arg(long, value_name = "N")]
    epochs: Option<usize>,

    /// Use only the first observational rows
    #[arg(long, value_name = "ROWS")]
    obs: Option<usize>,

    /// Use only the first rows of every intervention
    #[arg(long, value_name = "ROWS")]
    int: Option<usize>,

    /// Edges that are known beforehand (a TOML file, see below; methods that give
    /// probabilities)
    #[arg(long, value_name = "FILE")]
    knowledge: Option<PathBuf>,

    /// Settings of the method (a TOML file; --rounds and --epochs come on top)
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,

    /// Which random numbers to use
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// Folder for report.html, run.json, the graph in six formats and, of methods that give
    /// probabilities, belief.csv and probabilities.csv
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Replace what is there
    #[arg(long)]
    force: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    tables: TableArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum MethodArg {
    /// ENCO (Lippe et al. 2022): neural, made for interventions; categorical, real and mixed tables
    Enco,
    /// SDI (Ke et al. 2019): neural, one logit per edge; categorical tables
    Sdi,
    /// DCDI (Brouillard et al. 2020): neural, acyclic by constraint; categorical or real tables
    Dcdi,
    /// GIES (Hauser and Bühlmann 2012): greedy search by a score
    Gies,
    /// IGSP (Wang et al. 2017): tests, interventions on one known variable each
    Igsp,
    /// UT-IGSP (Squires et al. 2020): tests; named targets may be wrong or not all, and are estimated
    UtIgsp,
    /// NOTEARS (Zheng et al. 2018): linear, or networks by its settings; categories are taken as numbers
    Notears,
    /// FedDAG (Gao et al. 2023): networks under a mask, acyclic by constraint
    Feddag,
}

/// What `--json` prints; without truth the scores are absent.
#[derive(Serialize)]
struct Report<'a> {
    method: &'static str,
    edges: usize,
    epochs: usize,
    seconds: f64,
    stop_reason: StopReason,
    oriented: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    confounded: Vec<Pair<'a>>,
    #[serde(flatten)]
    scores: Option<&'a Scores>,
    graph: Vec<Edge<'a>>,
}

/// Two variables with signs of a common cause that was not measured.
#[derive(Serialize)]
struct Pair<'a> {
    a: &'a str,
    b: &'a str,
    score: f64,
}

fn confounded(found: &Found) -> Vec<Pair<'_>> {
    let schema = found.data.schema();
    let pair = |&(a, b, score): &(VarId, VarId, f64)| Pair {
        a: schema.name(a),
        b: schema.name(b),
        score,
    };
    found.confounded.iter().map(pair).collect()
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        out_folder::check(self.out.as_deref())?;
        if let Some(method) = self.baseline()? {
            return self.run_baseline(method);
        }
        let study = read_study(std::slice::from_ref(&self.path), &self.tables)?;
        let spec = self.spec()?;
        let data = study.pool();
        if let Some(path) = &self.knowledge {
            let checked = spec.knowledge.check(data.schema());
            checked.map_err(|error| Failure::in_file(path, error))?;
        }
        if let Some(warning) = spec.rows.shortfall(&data) {
            output::warn(&warning);
        }
        let (rounds, epochs) = (spec.method.rounds(), spec.method.epochs());
        let watch = Arc::new(Watch::run(rounds, epochs, &CANCEL));
        stop_on_ctrl_c(&CANCEL)?;
        let start = Instant::now();
        let observer = Some(Arc::clone(&watch) as Arc<_>);
        let found = discover(&data, study.truth(), &spec, observer);
        watch.finish();
        let found = found?;
        let seconds = start.elapsed().as_secs_f64();
        if !found.oriented {
            output::warn(UNORIENTED);
        }
        if found.stop_reason == StopReason::IterationLimit {
            output::warn(UNCONVERGED);
        }
        let write = |folder: &Path| {
            let command = command_line::to_repeat();
            write_run(folder, &spec, &found, &command, overwrite(self.force))
        };
        out_folder::write_and_show(self.out.as_deref(), write, |folder| {
            if self.json {
                output::print_json(&report(&spec.method, &found, seconds))
            } else {
                output::print(&text(&found, seconds, folder))
            }
        })
    }

    fn spec(&self) -> Result<DiscoverSpec, Failure> {
        Ok(DiscoverSpec {
            method: self.local_method()?,
            rows: RowLimits {
                observational: self.obs,
                per_intervention: self.int,
            },
            knowledge: match &self.knowledge {
                Some(path) => read_knowledge(path)?,
                None => KnowledgeFile::default(),
            },
            seed: self.seed,
        })
    }

    /// The method with its settings; those that keep no belief are dealt with before.
    fn local_method(&self) -> Result<MethodSpec, Failure> {
        let mut method = match self.method {
            MethodArg::Sdi => LocalArg::Sdi.spec(),
            MethodArg::Dcdi => LocalArg::Dcdi.spec(),
            _ => LocalArg::Enco.spec(),
        };
        if let Some(path) = &self.settings {
            read_local(&mut method, path)?;
        }
        if let Some(rounds) = self.rounds {
            set_rounds(&mut method, rounds)?;
        }
        if let Some(epochs) = self.epochs {
            set_epochs(&mut method, epochs)?;
        }
        Ok(method)
    }
}

fn text(found: &Found, seconds: f64, folder: Option<&Path>) -> String {
    let edges = edges(found.edges());
    let mut text = edges::table(&edges, usize::MAX);
    let _ = writeln!(
        text,
        "\n{} after {} in {seconds:.1} s ({})",
        count(found.dag.n_edges(), "edge"),
        count(found.epochs, "epoch"),
        found.stop_reason,
    );
    for Pair { a, b, score } in confounded(found) {
        let _ = writeln!(
            text,
            "{a} and {b} may have a common cause that was not measured (score {score:.2})"
        );
    }
    if let Some(scores) = &found.scores {
        let graph = &scores.graph;
        let _ = writeln!(
            text,
            "against the truth: SHD {} ({} missing, {} extra, {} reversed; raw graph {}), precision {:.3}, recall {:.3}, F1 {:.3}, SID {}",
            graph.shd,
            graph.confusion.missing,
            graph.confusion.extra,
            graph.confusion.reversed,
            scores.shd_raw,
            graph.precision,
            graph.recall,
            graph.f1,
            graph.sid.map_or("-".to_owned(), |sid| sid.to_string()),
        );
    }
    if let Some(folder) = folder {
        text += &output::written(folder);
    }
    text
}

fn report<'a>(method: &MethodSpec, found: &'a Found, seconds: f64) -> Report<'a> {
    Report {
        method: method.name(),
        edges: found.dag.n_edges(),
        epochs: found.epochs,
        seconds,
        stop_reason: found.stop_reason,
        oriented: found.oriented,
        confounded: confounded(found),
        scores: found.scores.as_ref(),
        graph: edges(found.edges()),
    }
}
