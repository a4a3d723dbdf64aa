//! IGSP: every regime intervenes on one known variable.

use fedcdi_core::{Digraph, VarId, VarSet};

use super::memo::TestMemo;
use super::search::{Objective, Rank};

/// What IGSP minimises: edges, then edges that contradict the interventions.
pub(super) struct Known<'a> {
    tests: &'a TestMemo<'a>,
    /// Regime that intervenes on each variable.
    regime_on: Vec<Option<usize>>,
    nothing: VarSet,
}

impl<'a> Known<'a> {
    /// Regimes must have one target each.
    pub(super) fn new(tests: &'a TestMemo<'a>) -> Self {
        let n_vars = tests.n_vars();
        let mut regime_on = vec![None; n_vars];
        for (number, targets) in tests.regimes().iter().enumerate() {
            for target in targets.iter() {
                regime_on[target.index()] = Some(number);
            }
        }
        Self {
            tests,
            regime_on,
            nothing: VarSet::empty(n_vars),
        }
    }

    /// Whether an intervention on `cause`, if there is one, changes the distribution of `effect`.
    fn moves(&self, cause: VarId, effect: VarId) -> Option<bool> {
        let regime = self.regime_on[cause.index()]?;
        Some(!self.tests.is_invariant(effect, regime, &self.nothing))
    }

    /// Whether the cause was set and the effect did not move, or the other way round.
    fn is_contradicted(&self, (cause, effect): (VarId, VarId)) -> bool {
        match self.moves(cause, effect) {
            Some(moved) => !moved,
            None => self.moves(effect, cause) == Some(true),
        }
    }
}

impl Objective for Known<'_> {
    fn may_turn(&self, _: &Digraph, (cause, effect): (VarId, VarId)) -> bool {
        self.moves(cause, effect) != Some(true)
    }

    fn rank(&self, graph: &Digraph) -> Rank {
        Rank {
            edges: graph.n_edges(),
            conflicts: graph.edges().filter(|e| self.is_contradicted(*e)).count(),
        }
    }

    fn is_descent(&self, from: Rank, to: Rank) -> bool {
        to.edges < from.edges
    }
}
