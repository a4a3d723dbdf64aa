//! Why a baseline ended.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a baseline ended; whatever the reason, there is a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Nothing within reach is better, or the constraints are met.
    Converged,
    /// A search came back to a class, which only a score that differs within classes allows.
    Revisited,
    /// All iterations are done and the constraints are not met: edges that close cycles were left
    /// out.
    IterationLimit,
    /// The observer asked to stop; the graph is the best so far.
    Cancelled,
}

impl StopReason {
    /// What a reader of the graph must know first.
    pub fn warning(self) -> Option<&'static str> {
        match self {
            Self::Converged | Self::Revisited => None,
            Self::IterationLimit => Some(
                "the method ran out of iterations before its graph was acyclic: edges on cycles were removed by weight; raise iterations in its settings",
            ),
            Self::Cancelled => Some("stopped early: this is the best graph so far"),
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::Revisited => "revisited",
            Self::IterationLimit => "iteration limit",
            Self::Cancelled => "cancelled",
        })
    }
}
