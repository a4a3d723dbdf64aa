//! The choices among the settings of ENCO.

use serde::{Deserialize, Serialize};

/// How a round starts from the belief it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// From its existence and orientation logits.
    Logits,
    /// From psi alone, by drawing a graph: drawn edges start with a positive logit, the others
    /// with a negative one (the paper's initialisation).
    Bernoulli,
}

/// How the gain of an edge is estimated from sampled graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Estimator {
    /// Mean likelihood of the graphs with the edge less that of those without: ENCO's.
    Difference,
    /// The same with the other edges held still: see `regression`.
    Regression,
}

/// The prior term of the loss, with its weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PriorLoss {
    /// The prior only initialises.
    None,
    /// The paper's cross-entropy of sampled edges under psi, averaged over the ordered pairs of
    /// variables and weighed by `lambda_prior`; the paper has 0.01 to 0.1.
    Log(f64),
}

/// L2 weight decay of the networks, relative to the mean loss of one network.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WeightDecay {
    /// This number divided by the number of observational rows, at most 0.006.
    PerRow(f64),
    /// This number.
    Fixed(f64),
}

/// Whether graph fitting also uses observational rows that the networks have not seen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Holdout {
    /// Where interventional rows are few: see `EncoParams::holdout_share`.
    Auto,
    /// Never.
    Never,
    /// This share of the graph-fitting steps.
    Share(f64),
}
