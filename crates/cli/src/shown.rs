//! What a run prints: tables for people, one object for programs.

use std::fmt::Write as _;
use std::path::Path;

use fedcdi_core::VarId;
use fedcdi_core::graph::Confusion;
use fedcdi_data::Study;
use fedcdi_protocol::RoundRecord;
use fedcdi_study::{EstimatedTargets, NamedEdge, RunResult, Scores, Stop};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{self, Grid, count, list};
use crate::running::Finished;

/// Most edges of a federation that are listed.
const MOST_EDGES: usize = 40;

/// Shown where an edge of the graph is not likelier than not.
const DOUBTFUL: &str = "\
Below 0.5: there probably is an edge, but it may point the other way; take it for a hint.
";

/// Prints the result.
pub(crate) fn show(finished: &Finished, json: bool, out: Option<&Path>) -> Result<(), Failure> {
    if json {
        output::print_json(&Report::of(finished))
    } else {
        output::print(&text(finished, out))
    }
}

/// What `--json` prints; what a run does not have is absent.
#[derive(Serialize)]
struct Report<'a> {
    method: &'a str,
    #[serde(flatten)]
    scores: Option<&'a Scores>,
    edges: usize,
    /// False if there were no interventional rows: directions are then guesses.
    oriented: bool,
    graph: Vec<NamedEdge<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rounds: Vec<RoundRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clients: Option<&'a [SiteRow]>,
    seconds: f64,
    stop_reason: Stop,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conflicts: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    targets: Vec<EstimatedTargets<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    confounded: Vec<Pair<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compare: Option<CompareRows<'a>>,
}

#[derive(Serialize)]
struct RoundRow {
    round: u32,
    edges: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    shd: Option<usize>,
    entropy: f64,
    belief_change: f64,
    seconds: f64,
}

/// Two variables with signs of a common cause that was not measured.
#[derive(Serialize)]
struct Pair<'a> {
    a: &'a str,
    b: &'a str,
    score: f64,
}

/// A site and its data.
#[derive(Serialize)]
pub(crate) struct SiteRow {
    name: String,
    rows: usize,
    observational: usize,
    targets: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shd: Option<usize>,
}

/// The same rows without a federation.
#[derive(Serialize)]
struct CompareRows<'a> {
    centralised: CompareRow<'a>,
    isolated: Vec<CompareRow<'a>>,
}

/// One run beside the federated one.
#[derive(Serialize)]
struct CompareRow<'a> {
    /// The site that is alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<&'a str>,
    edges: usize,
    /// Edges that the federated graph has too.
    common: usize,
    /// Edges that it has the other way round.
    turned: usize,
    /// Where the truth is known.
    #[serde(flatten)]
    scores: Option<&'a Scores>,
}

impl<'a> Report<'a> {
    fn of(finished: &'a Finished) -> Self {
        let run = &finished.run;
        Self {
            method: &run.method,
            scores: run.scores.as_ref(),
            edges: run.dag.n_edges(),
            oriented: run.is_oriented(),
            graph: run.edges(),
            rounds: round_rows(finished),
            clients: is_federation(run).then_some(&finished.rows),
            seconds: finished.seconds,
            stop_reason: run.stop,
            score: run.rival().and_then(|found| found.score),
            conflicts: run.rival().and_then(|found| found.conflicts),
            targets: run.estimated_targets(),
            confounded: confounded(run),
            compare: CompareRows::of(finished),
        }
    }
}

impl<'a> CompareRows<'a> {
    fn of(finished: &'a Finished) -> Option<Self> {
        let row = |client, other: &'a RunResult| {
            let shared = Confusion::of(&finished.run.dag, &other.dag);
            CompareRow {
                client,
                edges: other.dag.n_edges(),
                common: shared.true_positives,
                turned: shared.reversed,
                scores: other.scores.as_ref(),
            }
        };
        let with = finished.compare.as_ref()?;
        let alone = finished.run.sites.iter().zip(&with.isolated);
        Some(Self {
            centralised: row(None, &with.centralised),
            isolated: alone
                .map(|(site, run)| row(Some(site.name.as_str()), run))
                .collect(),
        })
    }

    /// The rows with what they are called.
    fn named(&self) -> impl Iterator<Item = (String, &CompareRow<'a>)> {
        let alone = |row: &CompareRow<'a>| format!("{} alone", row.client.unwrap_or_default());
        let isolated = self.isolated.iter().map(move |row| (alone(row), row));
        std::iter::once(("all rows in one place".to_owned(), &self.centralised)).chain(isolated)
    }
}

fn is_federation(run: &RunResult) -> bool {
    run.sites.len() > 1
}

fn confounded(run: &RunResult) -> Vec<Pair<'_>> {
    let pairs = run.belief().into_iter().flat_map(|found| &found.confounded);
    let pair = |&(a, b, score): &(VarId, VarId, f64)| Pair {
        a: run.schema.name(a),
        b: run.schema.name(b),
        score,
    };
    pairs.map(pair).collect()
}

fn round_rows(finished: &Finished) -> Vec<RoundRow> {
    let shd = finished.run.shd_per_round();
    let found = finished.run.belief();
    let rounds = found.map_or(&[][..], |found| &found.outcome.rounds);
    let row = |(at, record): (usize, &RoundRecord)| RoundRow {
        round: record.round.0,
        edges: record.n_edges,
        shd: shd.as_ref().map(|shd| shd[at]),
        entropy: record.consensus_entropy,
        belief_change: record.belief_change,
        seconds: finished.round_seconds[at],
    };
    rounds.iter().enumerate().map(row).collect()
}

/// The sites, each with the SHD of its own graph if that is known.
pub(crate) fn site_rows(study: &Study, run: &RunResult) -> Vec<SiteRow> {
    let sites = study.clients().iter().zip(&run.sites);
    let rows = sites.map(|(site, found)| {
        let counts = site.data.interventional_counts();
        let schema = study.schema();
        let owned = schema.ids().filter(|v| counts[v.index()] > 0);
        SiteRow {
            name: site.name.clone(),
            rows: site.data.n_samples(),
            observational: site.data.observational().len(),
            targets: owned.map(|v| schema.name(v).to_owned()).collect(),
            shd: found.shd,
        }
    });
    rows.collect()
}

fn text(finished: &Finished, out: Option<&Path>) -> String {
    let run = &finished.run;
    let mut parts = Vec::new();
    if is_federation(run) {
        parts.push(sites_text(&finished.rows));
        parts.extend(rounds_text(finished));
    }
    let most = if is_federation(run) {
        MOST_EDGES
    } else {
        usize::MAX
    };
    parts.push(edges_text(&run.edges(), most));
    parts.extend(targets_text(run));
    parts.push(ending_text(finished));
    parts.extend(scores_text(finished));
    parts.extend(out.map(output::written));
    parts.join("\n")
}

/// One line on what was found and how, and what else is worth knowing.
fn ending_text(finished: &Finished) -> String {
    let run = &finished.run;
    let open = run
        .edges()
        .iter()
        .filter(|e| e.directed == Some(false))
        .count();
    let mut text = count(run.dag.n_edges(), "edge");
    if open > 0 {
        let _ = write!(text, ", {open} of open direction (--)");
    }
    match run.rival() {
        None => {
            let _ = write!(text, " after {}", count(run.n_rounds(), "round"));
        }
        Some(found) if is_federation(run) => {
            let by_vote = found.shares.is_some();
            text += if by_vote {
                " by vote"
            } else {
                " by all sites together"
            };
        }
        Some(_) => {}
    }
    let _ = writeln!(text, " in {:.1} s ({})", finished.seconds, run.stop);
    for Pair { a, b, score } in confounded(run) {
        let _ = writeln!(
            text,
            "{a} and {b} may have a common cause that was not measured (score {score:.2})"
        );
    }
    if finished.comparison_was_stopped {
        text += "no comparison: stopped by you\n";
    }
    text
}

/// The first `most` edges, and how many there are besides.
fn edges_text(edges: &[NamedEdge<'_>], most: usize) -> String {
    if edges.is_empty() {
        return "  no edges\n".to_owned();
    }
    let shown = edges.iter().take(most);
    let cells = |edge: &NamedEdge<'_>| {
        let arrow = if edge.directed == Some(false) {
            "--"
        } else {
            "->"
        };
        let strength = match (edge.probability, edge.votes) {
            (Some(probability), _) => format!("{probability:.3}"),
            (None, Some(votes)) => format!("{:.0} %", 100.0 * votes),
            (None, None) => String::new(),
        };
        [
            edge.cause.to_owned(),
            arrow.to_owned(),
            edge.effect.to_owned(),
            strength,
        ]
    };
    let votes = edges.iter().any(|edge| edge.votes.is_some());
    let strength = if votes { "votes" } else { "probability" };
    let mut grid = Grid::new(["cause", "", "effect", strength]);
    shown.for_each(|edge| grid.row(cells(edge)));
    if edges
        .iter()
        .all(|e| e.probability.is_none() && e.votes.is_none())
    {
        grid.remove_column(3);
    }
    let mut text = grid.render();
    if let Some(more) = edges.len().checked_sub(most).filter(|more| *more > 0) {
        let _ = writeln!(text, "  and {more} more: see --json, or the files of --out");
    }
    if edges.iter().any(|e| e.probability.is_some_and(|p| p < 0.5)) {
        text += DOUBTFUL;
    }
    text
}

/// What the method says was intervened on, if it estimates that.
fn targets_text(run: &RunResult) -> Option<String> {
    let targets = run.estimated_targets();
    let mut grid = Grid::new(["marked as", "intervened on"]);
    for EstimatedTargets { named, found } in &targets {
        let found = match found.join(", ") {
            nothing if nothing.is_empty() => "nothing that shows".to_owned(),
            names => names,
        };
        grid.row([named.join(", "), found]);
    }
    (!targets.is_empty()).then(|| grid.render())
}

fn sites_text(rows: &[SiteRow]) -> String {
    let mut grid = Grid::new(["site", "observational", "interventional", "targets"]);
    for row in rows {
        grid.row([
            row.name.clone(),
            row.observational.to_string(),
            (row.rows - row.observational).to_string(),
            match row.targets.len() {
                0 => "no targets".to_owned(),
                n => format!("{n}: {}", list(&row.targets, 8)),
            },
        ]);
    }
    grid.render()
}

/// Whether round `at` of `n` is shown: all if they are few, else a few at equal distances and the
/// last.
fn is_shown(at: usize, n: usize) -> bool {
    const ALL: usize = 25;
    const SOME: usize = 10;
    n <= ALL || (at + 1).is_multiple_of(n.div_ceil(SOME)) || at + 1 == n
}

fn rounds_text(finished: &Finished) -> Option<String> {
    const SHD: usize = 4;
    let mut grid = Grid::new(["round", "edges", "change", "disagreement", "SHD", "seconds"]);
    let rows = round_rows(finished);
    let n = rows.len();
    for (_, row) in rows.iter().enumerate().filter(|(at, _)| is_shown(*at, n)) {
        grid.row([
            row.round.to_string(),
            row.edges.to_string(),
            format!("{:.3}", row.belief_change),
            format!("{:.3}", row.entropy),
            row.shd.map_or("-".to_owned(), |shd| shd.to_string()),
            format!("{:.1}", row.seconds),
        ]);
    }
    if finished.run.scores.is_none() {
        grid.remove_column(SHD);
    }
    (n > 0).then(|| grid.render())
}

/// The run beside what it is compared with: against the truth, or against each other.
fn scores_text(finished: &Finished) -> Option<String> {
    let run = &finished.run;
    let compare = CompareRows::of(finished);
    let name = match (is_federation(run), run.rival()) {
        (false, _) => "this graph".to_owned(),
        (true, None) => "federated".to_owned(),
        (true, Some(_)) => format!("{}, sites", run.method),
    };
    let Some(scores) = &run.scores else {
        return compare.map(|compare| common_text(&name, run.dag.n_edges(), &compare));
    };
    let mut grid = Grid::new([
        "against the truth",
        "SHD",
        "missing",
        "extra",
        "reversed",
        "raw SHD",
        "class SHD",
        "SID",
        "precision",
        "recall",
    ]);
    let number = |n: Option<usize>| n.map_or("-".to_owned(), |n| n.to_string());
    let mut line = |name: String, scores: &Scores| {
        let graph = &scores.graph;
        grid.row([
            name,
            graph.shd.to_string(),
            graph.confusion.missing.to_string(),
            graph.confusion.extra.to_string(),
            graph.confusion.reversed.to_string(),
            number(scores.shd_raw),
            number(scores.shd_class),
            number(graph.sid),
            format!("{:.3}", graph.precision),
            format!("{:.3}", graph.recall),
        ]);
    };
    line(name, scores);
    for (name, row) in compare.iter().flat_map(CompareRows::named) {
        if let Some(scores) = row.scores {
            line(name, scores);
        }
    }
    for (column, absent) in [
        (6, scores.shd_class.is_none()),
        (5, scores.shd_raw.is_none()),
    ] {
        if absent {
            grid.remove_column(column);
        }
    }
    Some(grid.render())
}

/// Where no truth is known: how much of the federated graph is found without the federation.
fn common_text(name: &str, n_edges: usize, compare: &CompareRows<'_>) -> String {
    let mut grid = Grid::new(["without a known truth", "edges", "in common", "turned"]);
    let mut line = |name: String, counts: [usize; 3]| {
        let [edges, common, turned] = counts.map(|n| n.to_string());
        grid.row([name, edges, common, turned]);
    };
    line(name.to_owned(), [n_edges, n_edges, 0]);
    for (name, row) in compare.named() {
        line(name, [row.edges, row.common, row.turned]);
    }
    grid.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_rounds_are_thinned_and_the_last_is_kept() {
        let shown = |n| (0..n).filter(move |at| is_shown(*at, n)).map(|at| at + 1);
        assert_eq!(shown(25).count(), 25);
        assert_eq!(
            shown(400).collect::<Vec<_>>(),
            (1..=10).map(|k| 40 * k).collect::<Vec<_>>()
        );
        assert_eq!(shown(101).next_back(), Some(101));
    }
}
