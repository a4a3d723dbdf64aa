//! A move from one class to another that changes one edge.

use fedcdi_core::{Cpdag, Dag, VarId, VarSet};

use super::memo::Memo;

/// Whether edges are inserted, deleted or turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Forward,
    Backward,
    Turning,
}

/// A valid operator on cause -> effect: afterwards that edge is new, gone, or turned to this
/// direction in some member.
#[derive(Clone, Debug)]
pub(super) struct Operator {
    pub(super) phase: Phase,
    pub(super) cause: VarId,
    pub(super) effect: VarId,
    /// Neighbours of the effect that become its parents.
    pub(super) clique: VarSet,
    /// Families of the new member whose old ones are in `old`.
    pub(super) new: Vec<(VarId, VarSet)>,
    pub(super) old: Vec<(VarId, VarSet)>,
}

impl Operator {
    pub(super) fn families(&self) -> impl Iterator<Item = (VarId, &VarSet)> {
        let families = self.new.iter().chain(&self.old);
        families.map(|(effect, parents)| (*effect, parents))
    }

    pub(super) fn gain(&self, memo: &Memo<'_>) -> f64 {
        let sum = |families: &[(VarId, VarSet)]| -> f64 {
            families.iter().map(|(e, p)| memo.get(*e, p)).sum()
        };
        sum(&self.new) - sum(&self.old)
    }

    /// The class it leads to, under these targets.
    pub(super) fn apply(&self, class: &Cpdag, targets: &[VarSet]) -> Cpdag {
        let (cause, effect) = (self.cause, self.effect);
        let mut first: Vec<VarId> = self.clique.iter().collect();
        match self.phase {
            Phase::Turning => first.extend([effect, cause]),
            Phase::Backward if class.has_undirected(cause, effect) => {
                first.extend([cause, effect]);
            }
            Phase::Forward | Phase::Backward => first.push(effect),
        }
        let mut graph = class.member(&first).into_digraph();
        let as_expected = match self.phase {
            Phase::Forward => graph.add_edge(cause, effect),
            Phase::Backward => graph.remove_edge(cause, effect),
            Phase::Turning => graph.remove_edge(effect, cause) && graph.add_edge(cause, effect),
        };
        debug_assert!(as_expected, "{:?} {cause:?} {effect:?}", self.phase);
        let dag = Dag::try_from(graph).expect("a valid operator closes no cycle");
        Cpdag::interventional(&dag, targets)
    }
}
