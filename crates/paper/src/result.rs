//! What a job found, as one line of `results.jsonl`.

use fedcdi_core::graph::shd;
use serde::{Deserialize, Serialize};

use fedcdi_study::RunResult;

/// As run folders and `--json` spell it.
fn spelled(stop: impl Serialize) -> String {
    let name = serde_json::to_value(stop).ok();
    let name = name.as_ref().and_then(|name| name.as_str());
    name.expect("reasons to stop are plain names").to_owned()
}

/// Scores of a finished job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobResult {
    /// SHD of the acyclic graph.
    pub shd: usize,
    /// SHD of the raw thresholded graph of the same belief.
    pub shd_raw: usize,
    /// Structural intervention distance of the acyclic graph.
    pub sid: Option<usize>,
    /// Edges of the truth.
    pub true_edges: usize,
    /// Share of the found edges that are true.
    pub precision: f64,
    /// Share of the true edges that were found.
    pub recall: f64,
    /// Harmonic mean of both.
    pub f1: f64,
    /// Area under the receiver operating characteristic of the edge probabilities.
    pub auroc: Option<f64>,
    /// Pairs joined in the truth only.
    pub missing: usize,
    /// Pairs joined in the result only.
    pub extra: usize,
    /// Pairs joined in both, but not the same way.
    pub reversed: usize,
    /// Every round.
    pub rounds: Vec<RoundResult>,
    /// Why the run ended: `converged` or `round_limit`, or a baseline's own word.
    pub stop: String,
    /// Wall-clock seconds on one thread, with data generation.
    pub seconds: f64,
}

/// What a round came to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundResult {
    /// SHD of the raw graph that the run would have ended with: what published curves show.
    pub shd_raw: usize,
    /// SHD of the acyclic graph that the run would have ended with.
    pub shd: usize,
    /// Disagreement of the clients, in bits per ordered pair.
    pub entropy: f64,
}

impl JobResult {
    /// The scores of a run whose truth is known.
    pub(super) fn of(run: &RunResult, seconds: f64) -> Option<Self> {
        let (truth, scores) = (run.truth.as_ref()?, run.scores.as_ref()?);
        let outcome = run.belief().map(|found| &found.outcome);
        let rounds = outcome.into_iter().flat_map(|outcome| {
            let graphs = outcome.raws.iter().zip(&outcome.dags);
            graphs.zip(&outcome.rounds)
        });
        let rounds = rounds.map(|((raw, dag), record)| RoundResult {
            shd_raw: shd(truth, raw),
            shd: shd(truth, dag),
            entropy: record.consensus_entropy,
        });
        let graph = &scores.graph;
        let probabilities = scores.probabilities.as_ref();
        Some(Self {
            shd: graph.shd,
            // The graph of a rival has no raw form of its own.
            shd_raw: scores.shd_raw.unwrap_or(graph.shd),
            sid: graph.sid,
            true_edges: graph.true_edges,
            precision: graph.precision,
            recall: graph.recall,
            f1: graph.f1,
            auroc: probabilities.and_then(|scores| scores.auroc),
            missing: graph.confusion.missing,
            extra: graph.confusion.extra,
            reversed: graph.confusion.reversed,
            rounds: rounds.collect(),
            stop: spelled(run.stop),
            seconds,
        })
    }

    /// The round of this number, from 1; the last one if the run ended before.
    pub fn round(&self, number: usize) -> Option<&RoundResult> {
        let last = self.rounds.len().min(number);
        self.rounds.get(last.checked_sub(1)?)
    }
}
