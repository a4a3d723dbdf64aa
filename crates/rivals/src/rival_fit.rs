//! What every rival gives, whatever it fits.

use fedcdi_core::{Cpdag, Dag, Dataset, VarSet};
use fedcdi_learn::independence::target_sets;
use ndarray::Array2;

use crate::Ending;
use crate::weighted_dag::weighted_dag;

/// What a rival found.
#[derive(Clone, Debug)]
pub struct RivalFit {
    /// The graphs that the data cannot tell apart.
    pub class: Cpdag,
    /// One of them.
    pub dag: Dag,
    /// Why it ended.
    pub ending: Ending,
    /// Edges that were left out because they would close a cycle.
    pub n_removed: usize,
    /// What the graph was cut from, where the method fits weights.
    pub weights: Option<Weights>,
    /// The score of the graph, where one is maximised.
    pub score: Option<f64>,
    /// Signs in the graph that contradict the interventions, where the method counts them.
    pub conflicts: Option<usize>,
    /// For every set of variables that the data names as intervened on, the set that the method
    /// estimates, where it does.
    pub targets: Vec<(VarSet, VarSet)>,
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

impl RivalFit {
    /// A class and a member of it, without what only some methods give.
    pub fn new(class: Cpdag, dag: Dag, ending: Ending) -> Self {
        Self {
            class,
            dag,
            ending,
            n_removed: 0,
            weights: None,
            score: None,
            conflicts: None,
            targets: Vec::new(),
        }
    }

    /// One graph; its class is what the interventions of all sites leave open.
    pub fn of_graph(dag: Dag, sites: &[Dataset], ending: Ending) -> Self {
        let targets: Vec<VarSet> = sites.iter().flat_map(target_sets).collect();
        Self::new(Cpdag::interventional(&dag, &targets), dag, ending)
    }

    /// The same of the graph that is cut from these weights.
    pub(crate) fn of_weights(
        kind: WeightKind,
        values: Array2<f64>,
        threshold: f64,
        sites: &[Dataset],
        ending: Ending,
    ) -> Self {
        let (dag, n_removed) = weighted_dag(&values, threshold);
        Self {
            n_removed,
            weights: Some(Weights { kind, values }),
            ..Self::of_graph(dag, sites, ending)
        }
    }
}
