//! The choices among the settings of ENCO.

use serde::{Deserialize, Serialize};

#[cfg(doc)]
use super::params::EncoParams;

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
    /// The same with the other edges held still: see [`regression`](super::regression).
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

/// What happens to the networks between rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Networks {
    /// Every round trains new ones: early stopping, and independent fits that average out.
    New,
    /// They stay, with their optimiser state.
    Kept,
}

/// L2 weight decay of the networks, relative to the mean loss of one network.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WeightDecay {
    /// This number divided by the number of observational rows.
    PerRow(f64),
    /// This number.
    Fixed(f64),
}

/// Whether graph fitting also uses observational rows that the networks have not seen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Holdout {
    /// Where interventional rows are few: see [`EncoParams::holdout_share`].
    Auto,
    /// Never.
    Never,
    /// This share of the graph-fitting steps.
    Share(f64),
}

/// What is different where the effect is real.
///
/// The likelihood of a real number has a larger range than that of a category, and so have the gains
/// of edges that only make up for what a network has not learned.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RealEffects {
    /// Penalty per expected edge, instead of [`EncoParams::sparsity`]; >= 0.
    pub sparsity: f64,
    /// What the steps of distribution fitting are multiplied by; > 0.
    pub model_steps: f64,
}

impl Default for RealEffects {
    fn default() -> Self {
        Self {
            sparsity: 0.03,
            model_steps: 2.0,
        }
    }
}

impl RealEffects {
    /// Whether nothing was changed.
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What settings are multiplied by at a client with few rows: too few in most regimes
/// ([`EncoParams::few_interventions`]), or fewer observational ones than
/// [`EncoParams::ENOUGH_TRAINING_ROWS`].
///
/// There few sampled graphs add to the noise, and elsewhere many cost time; see [`EncoParams::at`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FewRows {
    /// Of [`EncoParams::orientation_rate`], if no step uses held-out rows; > 0.
    pub orientation_rate: f64,
    /// Of [`EncoParams::graphs`]; at least 1.
    pub graphs: f64,
    /// Of [`EncoParams::model_steps`], where a round has fewer rows to train on than
    /// [`EncoParams::ENOUGH_TRAINING_ROWS`]; > 0.
    pub model_steps: f64,
    /// The same of [`EncoParams::later_model_steps`]; > 0.
    pub later_model_steps: f64,
}

impl FewRows {
    /// The same settings however few the rows are, as in ENCO and the paper.
    pub const OFF: Self = Self {
        orientation_rate: 1.0,
        graphs: 1.0,
        model_steps: 1.0,
        later_model_steps: 1.0,
    };
}

impl Default for FewRows {
    fn default() -> Self {
        Self {
            orientation_rate: 1.0 / 3.0,
            graphs: 2.0,
            model_steps: 0.5,
            later_model_steps: 0.75,
        }
    }
}
