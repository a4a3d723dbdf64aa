//! Which rows a method that was made for observational data uses.

use serde::{Deserialize, Serialize};

/// Which rows the model of a variable is fitted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowsUsed {
    /// Observational ones alone, as published.
    Observational,
    /// All that leave the variable alone.
    Untouched,
}
