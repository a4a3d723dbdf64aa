//! Everything a run depends on besides its data.

use fedcdi_core::KnowledgeFile;
use fedcdi_learn::enco::EncoParams;
use serde::{Deserialize, Serialize};

/// A discovery on one dataset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DiscoverSpec {
    /// The method and its settings.
    pub method: MethodSpec,
    /// How much of the data is used.
    pub rows: RowLimits,
    /// What is known beforehand.
    pub knowledge: KnowledgeFile,
    /// Root of all random streams.
    pub seed: u64,
}

/// A method by name, with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "name", content = "settings")]
pub enum MethodSpec {
    /// ENCO on the pooled rows.
    Enco(EncoParams),
}

impl Default for MethodSpec {
    fn default() -> Self {
        Self::Enco(EncoParams::default())
    }
}

/// How many of the first rows are used; all if unset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RowLimits {
    /// Observational rows.
    pub observational: Option<usize>,
    /// Rows of every intervention.
    pub per_intervention: Option<usize>,
}
