//! Why a message is not taken.

use fedcdi_core::{ClientId, ClientReport, ReportError, Round};

use super::params::Coordinator;
use super::state::Collecting;
use crate::event::RefusalKind;

/// A reason to refuse a report.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("no round is running; wait for the next belief")]
    NotCollecting,
    #[error("client {0} is not in the study; compare its id with the study's list")]
    UnknownClient(ClientId),
    #[error("the report is of round {found}, round {running} is running")]
    WrongRound { found: Round, running: Round },
    #[error("client {0} already answered in this round")]
    Duplicate(ClientId),
    #[error("client {client} sent a report that cannot be used: {source}")]
    Content {
        client: ClientId,
        source: ReportError,
    },
    /// What a decoder says of a message may quote it, so it is not kept.
    #[error("client {0} sent a message that cannot be read; compare its version of fedcdi")]
    Unreadable(ClientId),
}

impl Refusal {
    pub(super) fn kind(&self) -> RefusalKind {
        match self {
            Self::NotCollecting => RefusalKind::NotCollecting,
            Self::UnknownClient(_) => RefusalKind::UnknownClient,
            Self::WrongRound { .. } => RefusalKind::WrongRound,
            Self::Duplicate(_) => RefusalKind::Duplicate,
            Self::Unreadable(_) => RefusalKind::Unreadable,
            Self::Content { source, .. } => match source {
                ReportError::Schema => RefusalKind::Schema,
                ReportError::Size { .. } => RefusalKind::Size,
                ReportError::Belief(_) | ReportError::Logit(_) => RefusalKind::Belief,
                ReportError::Tests => RefusalKind::Tests,
                ReportError::Counts | ReportError::NoSamples => RefusalKind::Samples,
            },
        }
    }

    /// If the client has used up its answer of the round: what was wrong with it.
    pub(super) fn spoils_the_answer(&self) -> Option<String> {
        match self {
            Self::Content { source, .. } => Some(source.to_string()),
            Self::Unreadable(_) => Some("a message that cannot be read".to_owned()),
            _ => None,
        }
    }
}

impl Coordinator {
    /// Whether a message of this client about this round is due.
    pub(super) fn check_turn(
        &self,
        state: &Collecting,
        client: ClientId,
        round: Round,
    ) -> Result<(), Refusal> {
        if self.study.clients.binary_search(&client).is_err() {
            return Err(Refusal::UnknownClient(client));
        }
        if round != state.round {
            let (found, running) = (round, state.round);
            return Err(Refusal::WrongRound { found, running });
        }
        if state.has_answered(client) {
            return Err(Refusal::Duplicate(client));
        }
        Ok(())
    }

    /// Whether a report can take part in the running round.
    pub(super) fn check_report(
        &self,
        state: &Collecting,
        report: &ClientReport,
    ) -> Result<(), Refusal> {
        let client = report.client;
        self.check_turn(state, client, report.round)?;
        let content = report.check(self.study.schema, self.n_vars());
        content.map_err(|source| Refusal::Content { client, source })
    }
}
