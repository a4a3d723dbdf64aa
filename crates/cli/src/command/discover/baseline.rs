//! `fedcdi discover --method gies|igsp|ut-igsp|notears|feddag`: methods that give a graph but no probabilities.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use fedcdi_rivals::StopReason;
use fedcdi_study::{
    BaselineFound, BaselineScores, BaselineSpec, EstimatedTargets, discover_baseline,
    write_baseline_run,
};
use serde::Serialize;

use super::{Args, rows};
use crate::command::baseline_args::suited;
use crate::command::generate::overwrite;
use crate::failure::Failure;
use crate::out_folder;
use crate::output::{self, Grid, count};
use crate::progress::{CANCEL, SearchWatch, stop_on_ctrl_c};

/// What `--json` prints; without truth the scores are absent.
#[derive(Serialize)]
struct Report<'a> {
    method: &'static str,
    edges: usize,
    seconds: f64,
    stop_reason: StopReason,
    oriented: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conflicts: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    targets: Vec<EstimatedTargets<'a>>,
    #[serde(flatten)]
    scores: Option<&'a BaselineScores>,
    graph: Vec<Edge<'a>>,
}

#[derive(Serialize)]
struct Edge<'a> {
    cause: &'a str,
    effect: &'a str,
    /// Whether the data shows the direction.
    directed: bool,
}

impl Args {
    pub(super) fn run_baseline(&self, mut spec: BaselineSpec) -> Result<(), Failure> {
        let study = rows(spec.data.as_ref(), &spec.read, spec.seed)?;
        let data = study.pool();
        let (settings, file) = (self.settings.as_deref(), self.spec.as_deref());
        spec.method = suited(spec.method, settings, file, &data)?;
        if let Some(warning) = spec.rows.shortfall(&data) {
            output::warn(&warning);
        }
        out_folder::check_free(self.out.as_deref(), self.force, &spec)?;
        stop_on_ctrl_c(&CANCEL)?;
        let watch = SearchWatch::new(&CANCEL);
        let start = Instant::now();
        let found = discover_baseline(&data, study.truth(), &spec, Some(&watch));
        watch.finish();
        let found = found?;
        let seconds = start.elapsed().as_secs_f64();
        for warning in found.warnings() {
            output::warn(&warning);
        }
        let write =
            |folder: &Path| write_baseline_run(folder, &spec, &found, overwrite(self.force));
        out_folder::write_and_show(self.out.as_deref(), write, |folder| {
            if self.json {
                output::print_json(&report(&spec, &found, seconds))
            } else {
                output::print(&text(&found, seconds, folder))
            }
        })
    }
}

fn text(found: &BaselineFound, seconds: f64, folder: Option<&Path>) -> String {
    let mut grid = Grid::new(["cause", "", "effect"]);
    for (cause, effect, directed) in found.edges() {
        let arrow = if directed { "->" } else { "--" };
        grid.row([cause, arrow, effect].map(str::to_owned));
    }
    let mut text = grid.render();
    text += &targets_text(found);
    let open = found.class.undirected_edges().count();
    let _ = write!(text, "\n{}", count(found.dag.n_edges(), "edge"));
    if open > 0 {
        let _ = write!(text, ", {open} of open direction (--)");
    }
    let _ = writeln!(text, " in {seconds:.1} s ({})", found.stop_reason);
    if let Some(scores) = &found.scores {
        let graph = &scores.graph;
        let _ = writeln!(
            text,
            "against the truth: SHD {} ({} missing, {} extra, {} reversed; class {}), precision {:.3}, recall {:.3}, F1 {:.3}",
            graph.shd,
            graph.confusion.missing,
            graph.confusion.extra,
            graph.confusion.reversed,
            scores.shd_class,
            graph.precision,
            graph.recall,
            graph.f1,
        );
    }
    if let Some(folder) = folder {
        text += &output::written(folder);
    }
    text
}

/// What the method says was intervened on, if it estimates that.
fn targets_text(found: &BaselineFound) -> String {
    let targets = found.estimated_targets();
    if targets.is_empty() {
        return String::new();
    }
    let mut grid = Grid::new(["marked as", "intervened on"]);
    for EstimatedTargets { named, found } in targets {
        let found = match found.join(", ") {
            nothing if nothing.is_empty() => "nothing that shows".to_owned(),
            names => names,
        };
        grid.row([named.join(", "), found]);
    }
    format!("\n{}", grid.render())
}

fn report<'a>(spec: &BaselineSpec, found: &'a BaselineFound, seconds: f64) -> Report<'a> {
    let edge = |(cause, effect, directed)| Edge {
        cause,
        effect,
        directed,
    };
    Report {
        method: spec.method.name(),
        edges: found.dag.n_edges(),
        seconds,
        stop_reason: found.stop_reason,
        oriented: found.oriented(),
        score: found.score,
        conflicts: found.conflicts,
        targets: found.estimated_targets(),
        scores: found.scores.as_ref(),
        graph: found.edges().into_iter().map(edge).collect(),
    }
}
