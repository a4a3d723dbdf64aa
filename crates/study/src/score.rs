//! A result against the known truth.

use fedcdi_core::graph::{GraphScores, ProbabilityScores, shd};
use fedcdi_core::{Dag, Digraph};
use ndarray::Array2;
use serde::Serialize;

/// Every score of a run whose truth is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// Of the acyclic graph.
    #[serde(flatten)]
    pub graph: GraphScores,
    /// SHD of the raw thresholded graph, for comparison with the literature.
    pub shd_raw: usize,
    /// Of the probabilities that users see: those given that there is no cycle.
    #[serde(flatten)]
    pub probabilities: ProbabilityScores,
}

impl Scores {
    /// Scores the raw graph of a belief, the acyclic one, and how sure it is of every edge.
    pub fn of(truth: &Dag, raw: &Digraph, dag: &Dag, confidence: &Array2<f64>) -> Self {
        Self {
            graph: GraphScores::of(truth, dag),
            shd_raw: shd(truth, raw),
            probabilities: ProbabilityScores::of(truth, confidence),
        }
    }
}
