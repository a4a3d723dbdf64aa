//! What every aggregator offers: one belief from the reports of a round.
//!
//! Paper: FedCDI sections 4.2 and 4.3, the aggregation stage of Algorithm 1.

use ndarray::Array2;

use crate::belief::{Belief, BeliefError};
use crate::report::ClientReport;
use crate::round::ClientId;

/// A rule that turns the reports of one round into one belief.
///
/// The order of the reports does not matter, bit for bit. Clients without a report are simply
/// absent: the belief is the one that the others agree on.
pub trait Aggregator: Send + Sync {
    /// The aggregate of `reports`; `previous` is the belief that the clients started from.
    ///
    /// # Errors
    /// [`AggregateError`] if there is nothing to aggregate or a report does not fit.
    fn aggregate(
        &self,
        previous: &Belief,
        reports: &[ClientReport],
    ) -> Result<Belief, AggregateError>;

    /// How much each client counted in [`Self::aggregate`] of the same arguments; nothing for a
    /// rule that is not a weighted mean.
    ///
    /// # Errors
    /// As [`Self::aggregate`].
    fn shares(
        &self,
        _previous: &Belief,
        _reports: &[ClientReport],
    ) -> Result<Option<Shares>, AggregateError> {
        Ok(None)
    }
}

/// How much each client counted in an aggregate. At every pair of variables the shares of the
/// clients sum to one; the diagonals are zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Shares {
    /// Who, in order.
    pub clients: Vec<ClientId>,
    /// In the existence of an edge; `[client][cause, effect]`, 0..=1.
    pub existence: Vec<Array2<f64>>,
    /// In its orientation; `[client][cause, effect]`, 0..=1, symmetric.
    pub orientation: Vec<Array2<f64>>,
}

/// Why reports cannot be aggregated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AggregateError {
    /// Nobody reported.
    #[error("there is no report to aggregate; wait for at least one client")]
    NoReports,
    /// Two reports of one client.
    #[error("client {0} is among the reports twice; keep one of the two")]
    Duplicate(ClientId),
    /// A report about another number of variables.
    #[error(
        "client {client} sent {what} over {found} variables, the study has {expected}; compare its list of variables"
    )]
    Size {
        /// Who.
        client: ClientId,
        /// `a belief` or `sample counts`.
        what: &'static str,
        /// Variables of the report.
        found: usize,
        /// Variables of the study.
        expected: usize,
    },
    /// A report that is not a belief.
    #[error("client {client} sent no belief: {source}")]
    Belief {
        /// Who.
        client: ClientId,
        /// What is wrong.
        source: BeliefError,
    },
    /// Nobody has a sample.
    #[error("no client of this round has a sample; remove clients without rows")]
    NoSamples,
    /// The aggregate is not a belief.
    #[error("the aggregate is no belief: {0}; a client's logits are too large")]
    Result(BeliefError),
}
