//! What `--json` prints.

use fedcdi_core::VarId;
use fedcdi_core::graph::Confusion;
use fedcdi_data::Study;
use fedcdi_protocol::RoundRecord;
use fedcdi_study::{
    EstimatedTargets, NamedEdge, NextExperiment, RunResult, Scores, SearchSummary, Stop,
};
use serde::Serialize;

use crate::output;
use crate::running::Finished;

/// One object; what a run does not have is absent.
#[derive(Serialize)]
pub(crate) struct Report<'a> {
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
    search: Option<SearchSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'a NextExperiment>,
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
pub(super) struct RoundRow {
    pub(super) round: u32,
    pub(super) edges: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) shd: Option<usize>,
    pub(super) entropy: f64,
    pub(super) belief_change: f64,
    pub(super) seconds: f64,
}

#[derive(Serialize)]
pub(super) struct Pair<'a> {
    pub(super) a: &'a str,
    pub(super) b: &'a str,
    pub(super) score: f64,
}

#[derive(Serialize)]
pub(crate) struct SiteRow {
    pub(super) name: String,
    pub(super) rows: usize,
    pub(super) observational: usize,
    pub(super) targets: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shd: Option<usize>,
}

#[derive(Serialize)]
pub(super) struct CompareRows<'a> {
    centralised: CompareRow<'a>,
    isolated: Vec<CompareRow<'a>>,
}

#[derive(Serialize)]
pub(super) struct CompareRow<'a> {
    /// The site that is alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<&'a str>,
    pub(super) edges: usize,
    /// Edges that the federated graph has too.
    pub(super) common: usize,
    pub(super) turned: usize,
    #[serde(flatten)]
    pub(super) scores: Option<&'a Scores>,
}

impl<'a> Report<'a> {
    pub(crate) fn of(finished: &'a Finished) -> Self {
        let run = &finished.run;
        Self {
            method: &run.method,
            scores: run.scores.as_ref(),
            edges: run.dag.n_edges(),
            oriented: run.is_oriented(),
            graph: run.edges(),
            rounds: round_rows(finished),
            clients: run.is_federation().then_some(&finished.rows),
            seconds: finished.seconds,
            stop_reason: run.stop,
            score: run.score(),
            search: run.search(),
            next: run.next_experiment(),
            conflicts: run.rival().and_then(|found| found.conflicts),
            targets: run.estimated_targets(),
            confounded: confounded(run),
            compare: CompareRows::of(finished),
        }
    }
}

impl<'a> CompareRows<'a> {
    pub(super) fn of(finished: &'a Finished) -> Option<Self> {
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

    pub(super) fn named(&self) -> impl Iterator<Item = (String, &CompareRow<'a>)> {
        let alone = |row: &CompareRow<'a>| format!("{} alone", row.client.unwrap_or_default());
        let isolated = self.isolated.iter().map(move |row| (alone(row), row));
        std::iter::once(("all rows in one place".to_owned(), &self.centralised)).chain(isolated)
    }
}

pub(super) fn confounded(run: &RunResult) -> Vec<Pair<'_>> {
    let pairs = run.belief().into_iter().flat_map(|found| &found.confounded);
    let pair = |&(a, b, score): &(VarId, VarId, f64)| Pair {
        a: run.schema.name(a),
        b: run.schema.name(b),
        score,
    };
    pairs.map(pair).collect()
}

pub(super) fn round_rows(finished: &Finished) -> Vec<RoundRow> {
    let shd = finished.run.shd_per_round();
    let row = |(at, record): (usize, &RoundRecord)| RoundRow {
        round: record.round.0,
        edges: record.n_edges,
        shd: shd.as_ref().map(|shd| shd[at]),
        entropy: record.consensus_entropy,
        belief_change: record.belief_change,
        seconds: finished.round_seconds[at],
    };
    let rounds = finished.run.rounds().iter().enumerate();
    rounds.map(row).collect()
}

/// The sites, each with the SHD of its own graph if that is known.
pub(crate) fn site_rows(study: &Study, run: &RunResult) -> Vec<SiteRow> {
    let sites = study.clients().iter().zip(&run.sites);
    let rows = sites.map(|(site, found)| SiteRow {
        name: site.name.clone(),
        rows: site.data.n_samples(),
        observational: site.data.observational().len(),
        targets: output::targets(&site.data),
        shd: found.shd,
    });
    rows.collect()
}
