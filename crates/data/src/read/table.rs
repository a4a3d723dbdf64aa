//! What every reader of tables returns.

use fedcdi_core::{Dag, Dataset};

/// Samples and, if the file has it, the graph they come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The samples.
    pub dataset: Dataset,
    /// The true graph over the variables of the samples.
    pub truth: Option<Dag>,
    /// Rows that were left out because a value was missing.
    pub n_dropped: usize,
}
