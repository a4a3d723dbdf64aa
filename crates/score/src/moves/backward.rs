//! Delete operators: the edge cause -> effect, or the undirected edge between them, goes, and a
//! clique of their common neighbours stays before the effect.

use fedcdi_core::{VarId, VarSet};

use super::operator::{Operator, Phase};
use super::state::State;

pub(super) fn operators(state: &State<'_>, cause: VarId, effect: VarId) -> Vec<Operator> {
    let class = state.class;
    if !class.has_directed(cause, effect) && !class.has_undirected(cause, effect) {
        return Vec::new();
    }
    let common = state.common(cause, effect);
    let cliques = state.cliques(&VarSet::empty(state.n_vars()), &common, usize::MAX);
    let delete = |clique: VarSet| {
        let before = state.parents(effect).union(&clique);
        Operator {
            phase: Phase::Backward,
            cause,
            effect,
            clique,
            new: vec![(effect, before.without(cause))],
            old: vec![(effect, before.with(cause))],
        }
    };
    cliques.into_iter().map(delete).collect()
}
