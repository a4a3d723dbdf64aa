//! Settings of the search.

use fedcdi_core::ParamsError;
use fedcdi_core::choice::Params;
use serde::{Deserialize, Serialize};

/// Settings of [`Search`](crate::Search).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchParams {
    /// Probability of an edge too many in a whole graph of independent variables; > 0, below 1.
    pub level: f64,
    /// Most parents of a variable; > 0.
    pub max_parents: usize,
    /// Most cells of a table that is counted; > 0.
    pub largest_table: usize,
    /// Most questions; > 0.
    pub questions: u32,
}

impl Default for SearchParams {
    fn default() -> Self {
        Self {
            level: 0.05,
            max_parents: 20,
            largest_table: 20_000,
            questions: 50_000,
        }
    }
}

impl Params for SearchParams {
    const NAME: &str = "score";
    const SUMMARY: &str = "search by exact scores of all rows, from sums over sites";

    fn check(&self) -> Result<(), ParamsError> {
        Self::check(self)
    }
}

impl SearchParams {
    /// # Errors
    /// [`ParamsError`] naming the first field out of range.
    pub fn check(&self) -> Result<(), ParamsError> {
        let level = self.level > 0.0 && self.level < 1.0;
        ParamsError::require("level", self.level, "> 0 and below 1", level)?;
        ParamsError::some("max_parents", self.max_parents)?;
        ParamsError::some("largest_table", self.largest_table)?;
        ParamsError::some("questions", self.questions as usize)
    }
}
