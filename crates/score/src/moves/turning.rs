//! Turn operators: effect -> cause, or the undirected edge between them, becomes cause -> effect,
//! with a clique of neighbours directed at the effect.

use fedcdi_core::{VarId, VarSet};

use super::forward::new_parents;
use super::operator::{Operator, Phase};
use super::state::State;

pub(super) fn operators(state: &State<'_>, cause: VarId, effect: VarId) -> Vec<Operator> {
    if state.class.has_directed(effect, cause) {
        of_directed(state, cause, effect)
    } else if state.class.has_undirected(effect, cause) {
        of_undirected(state, cause, effect)
    } else {
        Vec::new()
    }
}

/// Turns effect -> cause: as an insertion, but paths through neighbours of the cause are harmless,
/// since the cause comes first among them.
fn of_directed(state: &State<'_>, cause: VarId, effect: VarId) -> Vec<Operator> {
    let (causes, harmless) = (state.parents(cause), state.class.neighbours(cause));
    let mut operators = new_parents(state, cause, effect, harmless);
    for operator in &mut operators {
        operator.phase = Phase::Turning;
        operator.new.push((cause, causes.without(effect)));
        operator.old.push((cause, causes.clone()));
    }
    operators
}

/// Turns an undirected edge, which changes the class only if some neighbour in the clique is not
/// joined to the cause. The rest of the common neighbours must not be linked to the clique other
/// than through the two.
fn of_undirected(state: &State<'_>, cause: VarId, effect: VarId) -> Vec<Operator> {
    let apart = state.apart(cause, effect);
    let parents = state.parents(effect);
    let room = state.max_parents.checked_sub(parents.len() + 1);
    let (Some(room), false) = (room, apart.is_empty()) else {
        return Vec::new();
    };
    let none = VarSet::empty(state.n_vars());
    let common = state.common(cause, effect);
    let both = none.with(cause).with(effect);
    let separated = |clique: &VarSet| {
        let mut others = common.clone();
        others.difference_with(clique);
        clique.intersects(&apart) && state.separates(&both, clique, &others)
    };
    let turn = |clique: VarSet| {
        let before = parents.union(&clique);
        let mut shared = clique.clone();
        shared.intersect_with(&common);
        let causes = state.parents(cause).union(&shared);
        Operator {
            phase: Phase::Turning,
            cause,
            effect,
            clique,
            new: vec![(effect, before.with(cause)), (cause, causes.clone())],
            old: vec![(effect, before), (cause, causes.with(effect))],
        }
    };
    let neighbours = state.class.neighbours(effect).without(cause);
    let cliques = state.cliques(&none, &neighbours, room).into_iter();
    cliques.filter(separated).map(turn).collect()
}
