//! What every decomposable score offers.

use fedcdi_core::{Dag, VarId, VarSet};

/// How well a set of parents explains a variable; larger is better.
pub trait LocalScore: Send + Sync {
    /// Number of variables.
    fn n_vars(&self) -> usize;

    /// Score of `effect` with these parents, on the samples that leave it alone. The same
    /// arguments always give the same bytes. Minus infinity if it cannot be computed.
    fn local(&self, effect: VarId, parents: &VarSet) -> f64;
}

/// Score of a graph: the sum over its variables.
pub fn score_of(score: &dyn LocalScore, dag: &Dag) -> f64 {
    let vars = dag.vars();
    vars.map(|v| score.local(v, dag.parents(v))).sum()
}
