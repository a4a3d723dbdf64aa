//! Insert operators: a new edge cause -> effect, with a clique of neighbours directed at the effect.
//!
//! Valid if the clique contains every neighbour of the effect that is joined to the cause, and every
//! semi-directed path from effect to cause meets it.

use fedcdi_core::{VarId, VarSet};

use super::operator::{Operator, Phase};
use super::state::State;

pub(super) fn operators(state: &State<'_>, cause: VarId, effect: VarId) -> Vec<Operator> {
    if state.adjacent(cause).contains(effect) {
        return Vec::new();
    }
    new_parents(state, cause, effect, &VarSet::empty(state.n_vars()))
}

/// Makes the cause and a clique parents of the effect; paths through `harmless` may meet them.
pub(super) fn new_parents(
    state: &State<'_>,
    cause: VarId,
    effect: VarId,
    harmless: &VarSet,
) -> Vec<Operator> {
    let parents = state.parents(effect);
    let Some(room) = state.max_parents.checked_sub(parents.len() + 1) else {
        return Vec::new();
    };
    let (common, apart) = (state.common(cause, effect), state.apart(cause, effect));
    let cliques = state.cliques(&common, &apart, room).into_iter();
    let open = cliques.filter(|c| !state.has_detour(effect, cause, &c.union(harmless)));
    let insert = |clique: VarSet| {
        let before = parents.union(&clique);
        Operator {
            phase: Phase::Forward,
            cause,
            effect,
            clique,
            new: vec![(effect, before.with(cause))],
            old: vec![(effect, before)],
        }
    };
    open.map(insert).collect()
}
