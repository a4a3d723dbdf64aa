//! `fedcdi discover`: a causal graph from one table.

mod asked;
mod baseline;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use fedcdi_core::{Choice, VarId};
use fedcdi_data::Study;
use fedcdi_learn::rounds::StopReason;
use fedcdi_study::discover::{UNCONVERGED, UNORIENTED};
use fedcdi_study::{
    AnyDiscovery, DataSpec, DiscoverSpec, Found, Reading, Scores, discover, local_method, write_run,
};
use serde::Serialize;

use self::asked::method_names;
use super::generate::overwrite;
use super::table_args::TableArgs;
use crate::edges::{self, Edge, edges};
use crate::failure::Failure;
use crate::loading::{check_knowledge, load};
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
  fedcdi discover --spec run/spec.toml          the same run again, byte for byte

known.toml:
  required  = [[\"smoke\", \"lung\"]]
  forbidden = [[\"xray\", \"lung\"]]
  tiers     = [[\"age\", \"sex\"], [\"smoke\"], [\"lung\", \"xray\"]]   # no edge back to an earlier tier")]
pub(crate) struct Args {
    /// Table (.csv, .parquet, .npz) or study folder
    #[arg(value_name = "PATH", required_unless_present = "spec")]
    path: Option<PathBuf>,

    /// Data and all settings from a file, such as the spec.toml of a run folder; PATH and the flags
    /// below come on top
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,

    /// How to learn [default: enco]
    #[arg(long, value_name = "METHOD", value_parser = method_names())]
    method: Option<String>,

    /// ENCO with the paper’s settings, all at once (`fedcdi methods --paper` lists them)
    #[arg(long, conflicts_with_all = ["spec", "method"])]
    paper: bool,

    /// Rounds, each with new networks (methods enco and sdi)
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,

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

    /// Settings of the method (a TOML file), in place of those of a spec; --rounds and --epochs come
    /// on top
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,

    /// Which random numbers to use [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<u64>,

    /// Folder for report.html, spec.toml, run.json, the graph in six formats and, of methods that give
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

/// What `--json` prints; without truth the scores are absent.
#[derive(Serialize)]
struct Report<'a> {
    method: &'a str,
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
        match self.asked()? {
            AnyDiscovery::Local(spec) => self.run_local(spec),
            AnyDiscovery::Baseline(spec) => self.run_baseline(spec),
        }
    }

    fn run_local(&self, mut spec: DiscoverSpec) -> Result<(), Failure> {
        let study = rows(spec.data.as_ref(), &spec.read, spec.seed)?;
        let data = study.pool();
        let knowledge_file = self.knowledge.as_ref().or(self.spec.as_ref());
        check_knowledge(
            knowledge_file.map(PathBuf::as_path),
            &spec.knowledge,
            data.schema(),
        )?;
        if let Some(warning) = spec.rows.shortfall(&data) {
            output::warn(&warning);
        }
        out_folder::check_free(self.out.as_deref(), self.force, &spec)?;
        let method = local_method(&spec.method).map_err(Failure::bad_input)?;
        let rounds = method.own_rounds();
        let rounds = rounds.unwrap_or(spec.coordinator.rounds as usize);
        let epochs = method.epochs();
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
        if found.stop_reason == StopReason::Cancelled {
            // The folder's own spec must lead to what is in the folder.
            spec.coordinator.rounds = found.rounds.len() as u32;
        }
        let write = |folder: &Path| write_run(folder, &spec, &found, overwrite(self.force));
        out_folder::write_and_show(self.out.as_deref(), write, |folder| {
            if self.json {
                output::print_json(&report(&spec.method, &found, seconds))
            } else {
                output::print(&text(&found, seconds, folder))
            }
        })
    }
}

/// The rows of a spec, which may have been written without them.
fn rows(data: Option<&DataSpec>, read: &Reading, seed: u64) -> Result<Study, Failure> {
    let Some(data) = data else {
        return Err(Failure::bad_input(
            "the spec names no data; name a table or study folder on the command line, or add data = { file = \"table.csv\" }",
        ));
    };
    load(data, read, seed)
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

fn report<'a>(method: &'a Choice, found: &'a Found, seconds: f64) -> Report<'a> {
    Report {
        method: &method.name,
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
