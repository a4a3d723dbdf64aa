//! What a plan says of scores.

use fedcdi_score::SearchParams;
use serde::{Deserialize, Serialize};

/// A search for the graph with the best score, over sums of all sites' rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScorePlan {
    /// What it starts from.
    pub start: Start,
    /// Its settings, all written out; sites keep to its largest table and number of questions.
    pub search: SearchParams,
}

/// What a search starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// No edges: the study has no rounds, and its sites need no local method.
    Nothing,
    /// The graph that the rounds end with.
    Belief,
}
