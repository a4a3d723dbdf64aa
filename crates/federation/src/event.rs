//! Everything the outside may want to know about a run, as it happens.

use std::fmt;

use fedcdi_core::{ClientId, Round};
use serde::Serialize;

/// Something happened. Events carry no clock: whoever listens knows the time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RoundEvent {
    /// The clients were sent a belief.
    RoundStarted {
        /// The round that starts.
        round: Round,
        /// Clients that were asked.
        n_clients: usize,
    },
    /// A report will take part in the aggregate.
    ReportAccepted {
        /// The running round.
        round: Round,
        /// Who sent it.
        client: ClientId,
        /// Samples behind it.
        n_samples: u64,
    },
    /// A report was refused; the round goes on.
    ReportRefused {
        /// The running round.
        round: Round,
        /// Who sent it.
        client: ClientId,
        /// Why, for counting.
        kind: RefusalKind,
        /// Why, for reading.
        message: String,
    },
    /// A client will not report in this round.
    ClientAbsent {
        /// The running round.
        round: Round,
        /// Who.
        client: ClientId,
        /// Why, as far as the coordinator knows.
        why: Absence,
    },
    /// The round has an aggregate.
    Aggregated(RoundRecord),
    /// Somebody asked to stop; the running round is finished first.
    CancelRequested {
        /// The running round.
        round: Round,
    },
    /// The run ended normally.
    Finished {
        /// The last round.
        round: Round,
        /// Why it ended.
        stop: StopReason,
        /// Edges of the final graph.
        n_edges: usize,
    },
    /// The run ended with an error.
    Failed {
        /// The last round.
        round: Round,
        /// What went wrong.
        message: String,
    },
}

/// Why a client has no report in a round. It has no room for a client's own words: an error may quote
/// a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Absence {
    /// It has no posterior; why is told at the client.
    Failed,
    /// It could not be reached.
    Unreachable,
    /// The round was closed before it answered.
    Late,
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Failed => "it failed; its own log says why",
            Self::Unreachable => "not reached",
            Self::Late => "no answer in time",
        })
    }
}

/// What a round came to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RoundRecord {
    /// The round.
    pub round: Round,
    /// Reports in the aggregate.
    pub n_reports: usize,
    /// Reports that were refused.
    pub n_refused: usize,
    /// Clients without an accepted report.
    pub n_absent: usize,
    /// Largest change of an edge probability from the belief that was sent to the one that follows;
    /// 0..=1.
    pub belief_change: f64,
    /// Mean entropy over ordered pairs of "a client's raw graph has this edge", in bits; 0..=1.
    pub consensus_entropy: f64,
    /// Edges of the raw graph that the run would end with; it may have cycles unless beliefs are
    /// projected.
    pub n_edges_raw: usize,
    /// Edges of the acyclic graph.
    pub n_edges: usize,
    /// Edges taken back in this round because no client's rows show them.
    pub n_pruned: usize,
    /// Edges brought in by independence tests.
    pub n_grafted: usize,
}

/// Why a run ended normally.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The belief or the graph no longer changes, and the clients agree.
    Converged,
    /// All rounds were run.
    RoundLimit,
    /// Somebody asked to stop.
    Cancelled,
}

/// Why a report was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// No round is running.
    NotCollecting,
    /// The sender is not a client of the study.
    UnknownClient,
    /// The report belongs to another round.
    WrongRound,
    /// The client already answered in this round.
    Duplicate,
    /// Other variables or categories than the study.
    Schema,
    /// Another number of variables than the study.
    Size,
    /// NaN, a probability outside 0..=1, or a logit beyond all measure.
    Belief,
    /// Sample counts that contradict each other, or no samples.
    Samples,
    /// Independence tests that no rows give.
    Tests,
    /// The message could not be read at all.
    Unreadable,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_one_flat_object_each() {
        let refused = RoundEvent::ReportRefused {
            round: Round(2),
            client: ClientId(1),
            kind: RefusalKind::WrongRound,
            message: "late".into(),
        };
        let text = serde_json::to_string(&refused).unwrap();
        assert_eq!(
            text,
            r#"{"event":"report_refused","round":2,"client":1,"kind":"wrong_round","message":"late"}"#
        );
        let aggregated = RoundEvent::Aggregated(RoundRecord {
            round: Round(3),
            n_reports: 2,
            n_refused: 0,
            n_absent: 0,
            belief_change: 0.5,
            consensus_entropy: 0.25,
            n_edges_raw: 4,
            n_edges: 3,
            n_pruned: 0,
            n_grafted: 0,
        });
        let value = serde_json::to_value(aggregated).unwrap();
        assert_eq!(
            (&value["event"], &value["round"]),
            (&"aggregated".into(), &3.into())
        );
        assert_eq!(value["belief_change"], 0.5);
    }
}
