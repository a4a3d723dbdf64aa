//! What a simulation prints: tables for people, one object for programs.

use std::fmt::Write as _;
use std::path::Path;

use fedcdi_core::Dag;
use fedcdi_data::Study;
use fedcdi_protocol::StopReason;
use fedcdi_study::{RunResult, Scores};
use serde::Serialize;

use super::Finished;
use crate::comparison::CompareRows;
use crate::edges::{self, Edge, edges};
use crate::failure::Failure;
use crate::output::{self, Grid, count, list};

/// Most edges that are listed.
const MOST_EDGES: usize = 40;

/// Prints the result.
pub(crate) fn show(finished: &Finished, json: bool, out: Option<&Path>) -> Result<(), Failure> {
    if json {
        output::print_json(&Report::of(finished))
    } else {
        output::print(&text(finished, out))
    }
}

/// What `--json` prints; without truth the scores are absent.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    scores: Option<&'a Scores>,
    edges: usize,
    /// False if there were no interventional rows: directions are then guesses.
    oriented: bool,
    graph: Vec<Edge<'a>>,
    rounds: Vec<RoundRow>,
    clients: Vec<ClientRow>,
    seconds: f64,
    stop_reason: StopReason,
    #[serde(skip_serializing_if = "Option::is_none")]
    compare: Option<CompareRows<'a, Scores>>,
}

#[derive(Serialize)]
struct RoundRow {
    round: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    shd: Option<usize>,
    entropy: f64,
    belief_change: f64,
    seconds: f64,
}

/// A client and its data.
#[derive(Serialize)]
pub(crate) struct ClientRow {
    name: String,
    rows: usize,
    observational: usize,
    targets: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shd: Option<usize>,
}

impl<'a> Report<'a> {
    fn of(finished: &'a Finished) -> Self {
        let run = &finished.run;
        let clients = client_rows(&finished.study, |client| run.sites[client].shd);
        Self {
            scores: run.scores.as_ref(),
            edges: run.outcome.dag.n_edges(),
            oriented: finished.study.has_interventions(),
            graph: edges(finished.run.edges()),
            rounds: round_rows(finished),
            clients,
            seconds: finished.seconds,
            stop_reason: run.outcome.stop,
            compare: compared(finished),
        }
    }
}

/// The comparison, if there is one.
fn compared(finished: &Finished) -> Option<CompareRows<'_, Scores>> {
    fn scored(run: &RunResult) -> (&Dag, Option<&Scores>) {
        (&run.outcome.dag, run.scores.as_ref())
    }
    let with = finished.compare.as_ref()?;
    let alone = finished.run.sites.iter().zip(&with.isolated);
    Some(CompareRows::new(
        &finished.run.outcome.dag,
        scored(&with.centralised),
        alone.map(|(client, run)| (client.name.as_str(), scored(run))),
    ))
}

fn round_rows(finished: &Finished) -> Vec<RoundRow> {
    let shd = finished.run.shd_per_round();
    let rounds = finished.run.outcome.rounds.iter().enumerate();
    let row = |(at, record): (usize, &fedcdi_protocol::RoundRecord)| RoundRow {
        round: record.round.0,
        shd: shd.as_ref().map(|shd| shd[at]),
        entropy: record.consensus_entropy,
        belief_change: record.belief_change,
        seconds: finished.round_seconds[at],
    };
    rounds.map(row).collect()
}

/// The clients, each with the SHD of its own graph if that is known.
pub(crate) fn client_rows(
    study: &Study,
    own_shd: impl Fn(usize) -> Option<usize>,
) -> Vec<ClientRow> {
    let row = |(at, client): (usize, &fedcdi_data::study::Client)| {
        let counts = client.data.interventional_counts();
        let schema = study.schema();
        let owned = schema.ids().filter(|v| counts[v.index()] > 0);
        ClientRow {
            name: client.name.clone(),
            rows: client.data.n_samples(),
            observational: client.data.observational().len(),
            targets: owned.map(|v| schema.name(v).to_owned()).collect(),
            shd: own_shd(at),
        }
    };
    study.clients().iter().enumerate().map(row).collect()
}

fn text(finished: &Finished, out: Option<&Path>) -> String {
    let run = &finished.run;
    let mut text = clients_text(&finished.study) + "\n" + &rounds_text(finished);
    text += "\n";
    text += &edges::table(&edges(finished.run.edges()), MOST_EDGES);
    let _ = writeln!(
        text,
        "\n{} after {} in {:.1} s ({})",
        count(run.outcome.dag.n_edges(), "edge"),
        count(run.outcome.rounds.len(), "round"),
        finished.seconds,
        match run.outcome.stop {
            StopReason::Converged => "converged",
            StopReason::RoundLimit => "round limit",
            StopReason::Cancelled => "stopped by you",
        }
    );
    let compare = compared(finished);
    if let Some(scores) = &run.scores {
        text += &scores_text(scores, compare.as_ref());
    } else if let Some(compare) = &compare {
        text += "\n";
        text += &compare.common_text("federated");
    }
    if finished.comparison_was_stopped {
        text += "no comparison: stopped by you\n";
    }
    if let Some(folder) = out {
        text += "\n";
        text += &output::written(folder);
    }
    text
}

/// The clients as a table.
pub(crate) fn clients_text(study: &Study) -> String {
    let mut grid = Grid::new(["client", "observational", "interventional", "targets"]);
    for row in client_rows(study, |_| None) {
        grid.row([
            row.name,
            row.observational.to_string(),
            (row.rows - row.observational).to_string(),
            targets_text(&row.targets),
        ]);
    }
    grid.render()
}

fn targets_text(targets: &[String]) -> String {
    match targets.len() {
        0 => "no targets".to_owned(),
        n => format!("{n}: {}", list(targets, 8)),
    }
}

/// Whether round `at` of `n` is shown: all if they are few, else a few at equal distances and the
/// last.
fn is_shown(at: usize, n: usize) -> bool {
    const ALL: usize = 25;
    const SOME: usize = 10;
    n <= ALL || (at + 1).is_multiple_of(n.div_ceil(SOME)) || at + 1 == n
}

fn rounds_text(finished: &Finished) -> String {
    const SHD: usize = 4;
    let mut grid = Grid::new(["round", "edges", "change", "disagreement", "SHD", "seconds"]);
    let records = &finished.run.outcome.rounds;
    let rows = round_rows(finished).into_iter().zip(records).enumerate();
    for (_, (row, record)) in rows.filter(|(at, _)| is_shown(*at, records.len())) {
        grid.row([
            row.round.to_string(),
            record.n_edges.to_string(),
            format!("{:.3}", row.belief_change),
            format!("{:.3}", row.entropy),
            row.shd.map_or("-".to_owned(), |shd| shd.to_string()),
            format!("{:.1}", row.seconds),
        ]);
    }
    if finished.run.scores.is_none() {
        grid.remove_column(SHD);
    }
    grid.render()
}

/// The federation beside what it is compared with.
fn scores_text(federated: &Scores, compare: Option<&CompareRows<'_, Scores>>) -> String {
    let mut grid = Grid::new([
        "against the truth",
        "SHD",
        "raw SHD",
        "SID",
        "precision",
        "recall",
    ]);
    let mut line = |name: String, scores: &Scores| {
        let graph = &scores.graph;
        grid.row([
            name,
            graph.shd.to_string(),
            scores.shd_raw.to_string(),
            graph.sid.map_or("-".to_owned(), |sid| sid.to_string()),
            format!("{:.3}", graph.precision),
            format!("{:.3}", graph.recall),
        ]);
    };
    line("federated".to_owned(), federated);
    let others = compare.into_iter().flat_map(CompareRows::named);
    for (name, row) in others {
        if let Some(scores) = row.scores {
            line(name, scores);
        }
    }
    format!("\n{}", grid.render())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_without_targets_says_so() {
        assert_eq!(targets_text(&[]), "no targets");
        assert_eq!(targets_text(&["smoke".to_owned()]), "1: smoke");
    }

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
