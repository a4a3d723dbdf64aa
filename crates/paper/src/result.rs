//! What a job found, as one line of `results.jsonl`.

use fedcdi_core::graph::shd;
use serde::{Deserialize, Serialize};

use fedcdi_study::RunResult;

/// Scores of a finished job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobResult {
    pub(crate) shd: usize,
    /// SHD of the raw thresholded graph of the same belief.
    pub(crate) shd_raw: usize,
    pub(crate) sid: Option<usize>,
    pub(crate) true_edges: usize,
    pub(crate) precision: f64,
    pub(crate) recall: f64,
    pub(crate) f1: f64,
    pub(crate) auroc: Option<f64>,
    pub(crate) missing: usize,
    pub(crate) extra: usize,
    /// Pairs joined in both, but not the same way.
    pub(crate) reversed: usize,
    pub(crate) rounds: Vec<RoundResult>,
    /// Why the run ended: `converged` or `round_limit`, or a baseline's own word.
    pub(crate) stop: String,
    /// Wall-clock seconds on one thread, with data generation.
    pub(crate) seconds: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RoundResult {
    /// SHD of the raw graph that the run would have ended with: what published curves show.
    pub(crate) shd_raw: usize,
    /// SHD of the acyclic graph that the run would have ended with.
    pub(crate) shd: usize,
    /// Disagreement of the sites, in bits per ordered pair.
    pub(crate) entropy: f64,
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
        let stop = serde_json::to_value(run.stop).ok();
        let stop = stop.as_ref().and_then(|stop| stop.as_str());
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
            // As run folders and `--json` spell it.
            stop: stop.expect("reasons to stop are plain names").to_owned(),
            seconds,
        })
    }

    /// The round of this number, from 1; the last one if the run ended before.
    pub(crate) fn round(&self, number: usize) -> Option<&RoundResult> {
        let last = self.rounds.len().min(number);
        self.rounds.get(last.checked_sub(1)?)
    }
}
