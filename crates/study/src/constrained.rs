//! What methods give that fit weights under a penalty of cycles: NOTEARS and FedDAG.

use fedcdi_core::Dag;
use fedcdi_rivals::StopReason;
use fedcdi_rivals::feddag::FedDagFit;
use fedcdi_rivals::notears::NotearsFit;
use ndarray::Array2;

/// A graph and the weights that it was cut from.
#[derive(Clone, Debug)]
pub(crate) struct Constrained {
    pub(crate) dag: Dag,
    pub(crate) stop_reason: StopReason,
    pub(crate) n_removed: usize,
    pub(crate) weights: Weights,
}

/// How much of an effect each cause accounts for, by the method's own measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// What the values are.
    pub kind: WeightKind,
    /// `[cause, effect]`.
    pub values: Array2<f64>,
}

/// What a weight is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightKind {
    /// Of a linear regression.
    Coefficient,
    /// Of the edge in the mask that all networks share.
    Mask,
}

impl WeightKind {
    /// As a heading.
    pub fn name(self) -> &'static str {
        match self {
            Self::Coefficient => "coefficient",
            Self::Mask => "weight in the mask",
        }
    }
}

impl Constrained {
    pub(crate) fn of_notears(fit: NotearsFit) -> Self {
        Self {
            dag: fit.dag,
            stop_reason: fit.stop_reason,
            n_removed: fit.n_removed,
            weights: Weights {
                kind: WeightKind::Coefficient,
                values: fit.weights,
            },
        }
    }

    pub(crate) fn of_feddag(fit: FedDagFit) -> Self {
        Self {
            dag: fit.dag,
            stop_reason: fit.stop_reason,
            n_removed: fit.n_removed,
            weights: Weights {
                kind: WeightKind::Mask,
                values: fit.probabilities,
            },
        }
    }
}
