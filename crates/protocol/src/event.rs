//! Everything the outside may want to know about a study, as it happens.

use fedcdi_core::{ClientId, Round};
use serde::Serialize;

use crate::codec::Coded;
use crate::scored::Changes;

/// Something happened. Events carry no clock: whoever listens knows the time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum StudyEvent {
    /// A site takes part.
    Joined {
        /// Who.
        site: ClientId,
    },
    /// It is known what moves what.
    Moved {
        /// Sites that told.
        n_sites: usize,
        /// Edges that interventions rule out.
        n_ruled_out: usize,
    },
    /// The sites were sent a belief.
    RoundStarted {
        /// The round that starts.
        round: Round,
        /// Sites that are asked.
        n_sites: usize,
    },
    /// An answer will take part in the aggregate.
    Answered {
        /// The running round.
        round: Round,
        /// Who sent it.
        site: ClientId,
    },
    /// A site will not answer the running question.
    SiteAbsent {
        /// The running question.
        number: u32,
        /// Who.
        site: ClientId,
        /// Why, as far as the coordinator knows.
        why: Absence,
    },
    /// The round has an aggregate.
    Aggregated(RoundRecord),
    /// Sites are asked for sums over their rows, to score graphs.
    SearchStarted {
        /// Sites that are asked.
        n_sites: usize,
        /// Edges of the graph that the search starts from.
        n_edges: usize,
    },
    /// A question about sums was answered.
    Searched {
        /// Which question about sums, from 1.
        question: u32,
        /// Edges of the graph now.
        n_edges: usize,
        /// How it differs from the graph that the search started from.
        changes: Changes,
    },
    /// A site was lost, and with it its rows: the search begins anew over those that remain.
    SearchRestarted {
        /// Sites that remain.
        n_sites: usize,
    },
    /// Somebody asked to stop; the running round is finished first.
    CancelRequested,
    /// The study has its result.
    Finished {
        /// The last round.
        round: Round,
        /// Why it ended.
        stop: StopReason,
        /// Edges of the final graph.
        n_edges: usize,
    },
    /// The study ended with an error.
    Failed {
        /// The running question.
        number: u32,
        /// What went wrong.
        message: String,
    },
}

/// Why a site has no answer. There is no room for a site's own words: an error may quote a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Absence {
    /// It has no posterior.
    #[error("it failed; its own log says why")]
    Failed,
    /// It could not be reached.
    #[error("not reached")]
    Unreachable,
    /// The question was closed before it answered.
    #[error("no answer in time")]
    Late,
    /// It says that the question is not allowed, or none.
    #[error("it declined the question; its own log says why")]
    Declined,
    /// Its answer could not be used; the coordinator knows why.
    #[error("its answer could not be used")]
    Refused,
}

impl Coded for Absence {
    const WHAT: &str = "absence";
    const ALL: &[Self] = &[
        Self::Failed,
        Self::Unreachable,
        Self::Late,
        Self::Declined,
        Self::Refused,
    ];
}

/// What a round came to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RoundRecord {
    /// The round.
    pub round: Round,
    /// Answers in the aggregate.
    pub n_answers: usize,
    /// Sites without an accepted answer.
    pub n_absent: usize,
    /// Largest change of an edge probability from the belief that was sent to the one that follows;
    /// 0..=1.
    pub belief_change: f64,
    /// Mean entropy over ordered pairs of "a site's raw graph has this edge", in bits; 0..=1.
    pub consensus_entropy: f64,
    /// Edges of the raw graph that the study would end with; it may have cycles.
    pub n_edges_raw: usize,
    /// Edges of the acyclic graph.
    pub n_edges: usize,
    /// Edges taken back in this round because no site's rows show them.
    pub n_pruned: usize,
    /// Edges brought in by independence tests.
    pub n_grafted: usize,
}

/// Why a study ended normally.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The belief or the graph no longer changes, and the sites agree.
    Converged,
    /// All rounds were run.
    RoundLimit,
    /// Somebody asked to stop.
    Cancelled,
}

impl Coded for StopReason {
    const WHAT: &str = "reason to stop";
    const ALL: &[Self] = &[Self::Converged, Self::RoundLimit, Self::Cancelled];
}
