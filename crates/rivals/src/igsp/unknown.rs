//! UT-IGSP: regimes may intervene on any variables; those whose conditionals vary are estimated.

use fedcdi_core::{Digraph, VarId, VarSet};

use super::memo::TestMemo;
use super::search::{Objective, Rank};

/// What UT-IGSP minimises: edges, then pairs of regime and variable whose conditional varies.
pub(super) struct Unknown<'a> {
    pub(super) tests: &'a TestMemo<'a>,
    /// Known targets of each regime; empty where they are not to be used.
    pub(super) known: Vec<VarSet>,
}

impl Unknown<'_> {
    /// By regime, the variables whose conditional given their parents varies.
    pub(super) fn targets(&self, graph: &Digraph) -> Vec<VarSet> {
        let varies = |regime: usize, var: &VarId| {
            !self.tests.is_invariant(*var, regime, graph.parents(*var))
        };
        let of_regime = |regime: usize| {
            let vars = graph.vars().filter(|v| varies(regime, v));
            VarSet::from_members(graph.n_vars(), vars)
        };
        (0..self.known.len()).map(of_regime).collect()
    }
}

impl Objective for Unknown<'_> {
    fn may_turn(&self, graph: &Digraph, (cause, effect): (VarId, VarId)) -> bool {
        let mut regimes = self.known.iter().enumerate();
        !regimes.any(|(number, targets)| {
            let invariant = || {
                self.tests
                    .is_invariant(effect, number, graph.parents(effect))
            };
            targets.contains(cause) && invariant()
        })
    }

    fn rank(&self, graph: &Digraph) -> Rank {
        Rank {
            edges: graph.n_edges(),
            conflicts: self.targets(graph).iter().map(VarSet::len).sum(),
        }
    }

    fn is_descent(&self, from: Rank, to: Rank) -> bool {
        to < from
    }
}
