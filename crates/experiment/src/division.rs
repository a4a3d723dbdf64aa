//! From all rows to the clients that have them.

use fedcdi_core::{Dataset, Seed};
use fedcdi_data::split::SplitError;
use fedcdi_data::{SplitPlan, Study, TargetSplit};

use crate::spec::RowLimits;

/// How rows are cut and divided.
#[derive(Clone, Copy, Debug)]
pub struct Division<'a> {
    /// Clients to divide over; without it, the clients stay as they are.
    pub clients: Option<usize>,
    /// Who gets which interventional rows.
    pub split: &'a TargetSplit,
    /// How much of the data is used.
    pub rows: RowLimits,
    /// Root of all random streams.
    pub seed: u64,
}

/// Why there are no clients.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DivisionError {
    /// A federation of fewer than two.
    #[error(
        "a federation needs at least 2 clients, there is {0}; pass --clients, or use fedcdi discover"
    )]
    TooFewClients(usize),
    /// The data cannot be divided so.
    #[error(transparent)]
    Split(#[from] SplitError),
}

impl Division<'_> {
    /// The clients: the data cut to the rows asked for, and divided if asked for.
    ///
    /// # Errors
    /// [`DivisionError`] if there are fewer than two or the data cannot be divided so.
    pub fn of(self, study: &Study) -> Result<Study, DivisionError> {
        let n_clients = self.clients.unwrap_or(study.clients().len());
        if n_clients < 2 {
            return Err(DivisionError::TooFewClients(n_clients));
        }
        let cut = |data: &Dataset| data.first(self.rows.observational, self.rows.per_intervention);
        if self.clients.is_none() {
            return Ok(study.map(cut));
        }
        let plan = SplitPlan {
            n_clients,
            targets: self.split.clone(),
        };
        let seed = Seed::new(self.seed).derive("split", 0);
        let truth = study.truth().cloned();
        Ok(Study::split(&cut(&study.pool()), truth, &plan, seed)?)
    }
}
