//! Settings of the sufficiency verdict, their defaults and their ranges.

use fedcdi_core::ParamsError;
use serde::{Deserialize, Serialize};

/// Settings of [`Sufficiency`](super::Sufficiency).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SufficiencyParams {
    /// What an edge must gain to be kept, in nats per row; > 0. The default is that of ENCO's
    /// `sparsity`; give the same number to both if you change one.
    pub sparsity: f64,
    /// Expected number of wrong verdicts per target, over all its partners; in (0, 1).
    pub error: f64,
}

impl Default for SufficiencyParams {
    fn default() -> Self {
        Self {
            sparsity: 4e-3,
            error: 0.05,
        }
    }
}

impl SufficiencyParams {
    /// # Errors
    /// [`ParamsError`] naming the first field out of range.
    pub fn check(&self) -> Result<(), ParamsError> {
        ParamsError::require("sparsity", self.sparsity, "> 0", self.sparsity > 0.0)?;
        let in_range = self.error > 0.0 && self.error < 1.0;
        ParamsError::require("error", self.error, "between 0 and 1", in_range)
    }

    /// Log-odds that decide one of `n_partners` comparisons.
    pub(super) fn evidence_needed(&self, n_partners: usize) -> f64 {
        (n_partners.max(1) as f64 / self.error).ln()
    }
}
