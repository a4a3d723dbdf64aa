//! Why a rival ended.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a rival ended; whatever the reason, there is a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Nothing within reach is better, or the constraints are met.
    Converged,
    /// A search came back to a class, which only a score that differs within classes allows.
    Revisited,
    /// All iterations are done and the constraints are not met: edges that close cycles are left
    /// out, if there are any.
    IterationLimit,
    /// The observer asked to stop; the graph is the best so far.
    Cancelled,
}

impl Ending {
    /// What a reader of the graph must know first; `n_removed` edges were left out because they
    /// would close a cycle.
    pub fn warning(self, n_removed: usize) -> Option<String> {
        let removed = match n_removed {
            0 => String::new(),
            1 => ": 1 edge on a cycle was removed by weight".to_owned(),
            n => format!(": {n} edges on cycles were removed by weight"),
        };
        match self {
            Self::Converged | Self::Revisited => None,
            Self::IterationLimit => Some(format!(
                "the method ran out of iterations before its constraints were met{removed}; raise iterations in its settings"
            )),
            Self::Cancelled => Some("stopped early: this is the best graph so far".to_owned()),
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::Revisited => "revisited",
            Self::IterationLimit => "iteration limit",
            Self::Cancelled => "cancelled",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_on_cycles_are_mentioned_where_some_were_removed() {
        let warning = |n_removed| Ending::IterationLimit.warning(n_removed).unwrap();
        assert!(!warning(0).contains("removed"), "{}", warning(0));
        assert!(warning(2).contains("2 edges on cycles were removed"));
        assert_eq!(Ending::Converged.warning(0), None);
    }
}
