//! Insert operators: a new edge cause -> effect, with a clique of neighbours directed at the effect.
//!
//! Valid if the clique contains every neighbour of the effect that is joined to the cause, and every
//! semi-directed path from effect to cause meets it.

use fedcdi_core::VarId;

use super::operator::{Operator, Phase};
use super::state::State;

/// All valid operators that insert cause -> effect.
pub(super) fn operators(state: &State<'_>, cause: VarId, effect: VarId) -> Vec<Operator> {
    if state.adjacent(cause).contains(effect) {
        return Vec::new();
    }
    let parents = state.parents(effect);
    let room = state.max_parents.checked_sub(parents.len() + 1);
    let Some(room) = room else {
        return Vec::new();
    };
    let (common, apart) = (state.common(cause, effect), state.apart(cause, effect));
    let cliques = state.cliques(&common, &apart, room).into_iter();
    let open = cliques.filter(|clique| !state.has_detour(effect, cause, clique));
    let insert = |clique: fedcdi_core::VarSet| {
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
