//! Where a run is.

use std::collections::{BTreeMap, BTreeSet};

use fedcdi_core::{AggregateError, Belief, ClientId, ClientReport, Dag, Digraph, Round};

use super::average::Recent;
use super::convergence::Quiet;
use super::verdicts::Verdicts;
use crate::event::{RefusalKind, RoundRecord, StopReason};

/// Where a run is: everything about it that changes.
#[derive(Clone, Debug)]
pub enum State {
    /// Before the first round, with the belief that it will send.
    Ready(Belief),
    /// Waiting for reports.
    Collecting(Collecting),
    /// Ended normally.
    Finished(Outcome),
    /// Ended with an error.
    Failed(FederationError),
}

impl State {
    /// Whether nothing more will happen.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Finished(_) | Self::Failed(_))
    }
}

/// A round in progress.
#[derive(Clone, Debug)]
pub struct Collecting {
    pub(super) round: Round,
    /// The belief that the clients were sent.
    pub(super) prior: Belief,
    pub(super) reports: BTreeMap<ClientId, ClientReport>,
    /// Clients of the study without an accepted report that will send none, and why.
    pub(super) missing: BTreeMap<ClientId, String>,
    /// Reports refused in this round.
    pub(super) n_refused: usize,
    /// What carries over from round to round.
    pub(super) history: History,
}

/// What carries over from round to round.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    pub(super) records: Vec<RoundRecord>,
    pub(super) dags: Vec<Dag>,
    pub(super) raws: Vec<Digraph>,
    pub(super) refusals: BTreeMap<RefusalKind, usize>,
    pub(super) quiet: Quiet,
    pub(super) recent: Recent,
    pub(super) verdicts: Verdicts,
    pub(super) cancelled: bool,
}

impl Collecting {
    pub(super) fn new(round: Round, prior: Belief, history: History) -> Self {
        Self {
            round,
            prior,
            reports: BTreeMap::new(),
            missing: BTreeMap::new(),
            n_refused: 0,
            history,
        }
    }

    /// The running round.
    pub fn round(&self) -> Round {
        self.round
    }

    /// Clients that have neither reported nor been counted as absent.
    pub fn waiting_for(&self, clients: &[ClientId]) -> BTreeSet<ClientId> {
        let open = |id: &&ClientId| !self.has_answered(**id);
        clients.iter().filter(open).copied().collect()
    }

    pub(super) fn has_answered(&self, client: ClientId) -> bool {
        self.reports.contains_key(&client) || self.missing.contains_key(&client)
    }
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The mean of the last aggregates.
    pub belief: Belief,
    /// The graph of the belief.
    pub dag: Dag,
    /// The raw graph of the belief, which may have cycles.
    pub raw: Digraph,
    /// Why the run ended.
    pub stop: StopReason,
    /// Every round.
    pub rounds: Vec<RoundRecord>,
    /// The graph that the run would have ended with after every round.
    pub dags: Vec<Dag>,
    /// Its raw graph after every round.
    pub raws: Vec<Digraph>,
    /// Refused reports by reason.
    pub refusals: BTreeMap<RefusalKind, usize>,
}

/// Why a run could not end normally.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FederationError {
    /// Too few reports.
    #[error(
        "round {round} has {found} usable reports, {needed} are needed; {}", reasons(.missing)
    )]
    Quorum {
        /// The round.
        round: Round,
        /// Accepted reports.
        found: usize,
        /// Reports that the quorum asks for.
        needed: usize,
        /// Who is missing, and why.
        missing: BTreeMap<ClientId, String>,
    },
    /// The reports have no aggregate.
    #[error("round {round} cannot be aggregated: {source}")]
    Aggregate {
        /// The round.
        round: Round,
        /// Why.
        source: AggregateError,
    },
}

fn reasons(missing: &BTreeMap<ClientId, String>) -> String {
    let reason = |(client, why): (&ClientId, &String)| format!("client {client}: {why}");
    missing.iter().map(reason).collect::<Vec<_>>().join("; ")
}
