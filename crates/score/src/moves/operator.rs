//! A move from one class to another that changes one edge.

use fedcdi_core::{Cpdag, Dag, VarId, VarSet};

/// Whether edges are inserted, deleted or turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Inserted.
    Forward,
    /// Deleted.
    Backward,
    /// Turned.
    Turning,
}

/// A valid operator on cause -> effect: afterwards that edge is new, gone, or turned to this
/// direction in some member.
#[derive(Clone, Debug)]
pub struct Operator {
    /// What happens to the edge.
    pub phase: Phase,
    /// Where the edge starts.
    pub cause: VarId,
    /// Where it ends.
    pub effect: VarId,
    /// Neighbours of the effect that become its parents.
    pub clique: VarSet,
    /// Families of the new member whose old ones are in `old`.
    pub new: Vec<(VarId, VarSet)>,
    /// The families that they replace, in the same order.
    pub old: Vec<(VarId, VarSet)>,
}

impl Operator {
    /// All families that its gain depends on.
    pub fn families(&self) -> impl Iterator<Item = (VarId, &VarSet)> {
        let families = self.new.iter().chain(&self.old);
        families.map(|(effect, parents)| (*effect, parents))
    }

    /// By how much a score of families grows.
    pub fn gain(&self, score: impl Fn(VarId, &VarSet) -> f64) -> f64 {
        let sum = |families: &[(VarId, VarSet)]| -> f64 {
            families.iter().map(|(e, p)| score(*e, p)).sum()
        };
        sum(&self.new) - sum(&self.old)
    }

    /// The class it leads to, where `separated` says of which pairs an experiment set exactly one.
    pub fn apply(&self, class: &Cpdag, separated: impl Fn(VarId, VarId) -> bool) -> Cpdag {
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
        Cpdag::separated(&dag, separated)
    }
}
