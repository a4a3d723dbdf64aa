//! How sure a graph is of its pairs: what the score loses when one of them is changed.
//!
//! Ours. A difference of scores is one of log-likelihoods with their price, in nats: under even odds, the
//! log-odds of the better graph. Exact odds would need every graph. Here every pair is changed by itself, and
//! the rest of the graph stays:
//!
//! | pair | change | nats |
//! |---|---|---|
//! | cause -> effect | the edge is taken out | [`Scored::gains`](crate::Scored::gains) |
//! | cause -> effect | the edge is turned | [`Odds::turns`] |
//! | not joined | an edge comes in | [`Odds::near`], those that lose little |
//!
//! A turned edge may close a cycle; then whatever breaks it costs even more. So a turn loses at least what
//! is said here. What is far from mattering is not fitted: it is told as what it is at least, which is
//! [`FAR`] or more.

use std::collections::BTreeMap;

use fedcdi_core::{Dag, Knowledge, VarId};

use crate::engine::{Agenda, Engine, Family};

/// Changes that lose more nats are as good as impossible.
pub const FAR: f64 = 40.0;

/// What changes of single pairs lose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Odds {
    /// Of every edge of the graph, in the order of its edges: nats that the score loses if it is turned;
    /// at most [`FAR`].
    pub turns: Vec<f64>,
    /// `[cause, effect]` that are not joined and could be: nats that the score loses with this edge, below
    /// [`FAR`].
    pub near: BTreeMap<(VarId, VarId), f64>,
}

fn family(dag: &Dag, effect: VarId) -> Family {
    (effect, dag.parents(effect).clone())
}

/// The family of an edge's cause if the edge is turned.
fn turned(dag: &Dag, (cause, effect): (VarId, VarId)) -> Family {
    (cause, dag.parents(cause).with(effect))
}

/// Pairs that are not joined, in directions that close no cycle.
fn apart<'a>(
    dag: &'a Dag,
    knowledge: &'a Knowledge,
) -> impl Iterator<Item = (VarId, VarId)> + use<'a> {
    let is_free = move |a: VarId, b: VarId| a != b && !dag.adjacent(a, b) && knowledge.allows(a, b);
    dag.vars().flat_map(move |effect| {
        let later = dag.reachable_from(effect);
        let causes = dag.vars().filter(move |cause| !later.contains(*cause));
        causes.map(move |cause| (cause, effect)).filter(move |(a, b)| is_free(*a, *b))
    })
}

/// What has to be found out before the odds are known. The families of the graph are exact, and so are
/// those with a parent less; their outlooks are known.
pub(crate) fn agenda(dag: &Dag, knowledge: &Knowledge, engine: &mut Engine) -> Agenda {
    let mut agenda = Agenda::default();
    let mut want = |new: Family, least: f64| {
        let threshold = agenda.fits.entry(new).or_insert(least);
        *threshold = threshold.min(least);
    };
    for (edge, gain) in gains(dag, engine) {
        let (new, old) = (turned(dag, edge), family(dag, edge.0));
        if !knowledge.allows(edge.1, edge.0) || engine.exact(&new).is_some() {
            continue;
        }
        let before = engine.exact(&old).unwrap_or_default();
        // Only a score above this makes the turn likely enough to be told.
        let least = before + gain - FAR;
        if engine.worth(&new, &old).most > least {
            want(new, least);
        }
    }
    for (cause, effect) in apart(dag, knowledge) {
        let old = family(dag, effect);
        let new = (effect, old.1.with(cause));
        let before = engine.exact(&old).unwrap_or_default();
        // A forecast will do, where there is one.
        if engine.exact(&new).is_none() && engine.worth(&new, &old).guess == f64::INFINITY {
            want(new, before - FAR);
        }
    }
    agenda
}

/// The odds, as far as they are known.
pub(crate) fn odds(dag: &Dag, knowledge: &Knowledge, engine: &mut Engine) -> Odds {
    let all = gains(dag, engine);
    let turn = |(edge, gain): ((VarId, VarId), f64)| {
        if !knowledge.allows(edge.1, edge.0) {
            return FAR;
        }
        let (new, old) = (turned(dag, edge), family(dag, edge.0));
        let Some(before) = engine.exact(&old) else {
            return FAR;
        };
        let most = engine.worth(&new, &old).most;
        (gain + before - most).clamp(0.0, FAR)
    };
    let turns = all.into_iter().map(turn).collect();
    let mut near = BTreeMap::new();
    for (cause, effect) in apart(dag, knowledge) {
        let old = family(dag, effect);
        let new = (effect, old.1.with(cause));
        let Some(before) = engine.exact(&old) else {
            continue;
        };
        let loss = before - engine.worth(&new, &old).guess;
        if loss < FAR {
            near.insert((cause, effect), loss.max(0.0));
        }
    }
    Odds { turns, near }
}

/// What every edge is worth.
fn gains(dag: &Dag, engine: &mut Engine) -> Vec<((VarId, VarId), f64)> {
    let gain = |(cause, effect): (VarId, VarId)| {
        let with = family(dag, effect);
        let without = (effect, with.1.without(cause));
        let both = engine.exact(&with).zip(engine.exact(&without));
        ((cause, effect), both.map_or(0.0, |(with, without)| with - without))
    };
    dag.edges().map(gain).collect()
}
