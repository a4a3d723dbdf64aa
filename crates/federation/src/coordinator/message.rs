//! What goes into the coordinator and what comes out.

use fedcdi_core::{Belief, ClientId, ClientReport, Round};

use crate::client::Tested;
use crate::event::{Absence, RoundEvent};

/// Something that the coordinator must react to.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// Begin the first round.
    Start,
    /// A client's answer.
    Report(Box<ClientReport>),
    /// An answer that the transport could not decode.
    Unreadable {
        /// Who sent it.
        client: ClientId,
        /// The round that the client was asked for.
        round: Round,
    },
    /// A client that will not answer: it failed, or cannot be reached.
    Absent {
        /// Who.
        client: ClientId,
        /// The round that it misses.
        round: Round,
        /// Why.
        why: Absence,
    },
    /// Time is up for this round; closing another round than the running one has no effect.
    Close(Round),
    /// Stop at the end of the running round.
    Cancel,
}

/// Something that the transport must do.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Send every client this belief.
    Broadcast {
        /// The round that starts.
        round: Round,
        /// The prior of all clients.
        belief: Belief,
        /// Tests that the round has a use for.
        tested: Tested,
    },
    /// Tell whoever listens.
    Event(RoundEvent),
}
