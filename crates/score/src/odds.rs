//! How sure a graph is of its pairs: what the score loses when one of them is changed.
//!
//! Ours. A difference of scores is one of log-likelihoods with their price, in nats: under even odds, the
//! log-odds of the better graph. Exact odds would need every graph. Here one pair is changed after the other:
//!
//! | pair | change | the rest of the graph | nats |
//! |---|---|---|---|
//! | cause -> effect | the edge is taken out | stays | [`Scored::gains`](crate::Scored::gains) |
//! | cause -> effect | the edge is turned | is the best that goes with it (`turned`) | [`Odds::turns`] |
//! | not joined | an edge comes in | stays | [`Odds::near`], those that lose little |
//!
//! What is far is not fitted, and counts as [`FAR`]: an edge that promises too little to come in, and one that
//! cannot be turned since rows that set its cause alone are so much likelier with it.

use std::collections::BTreeMap;

use fedcdi_core::{Dag, Knowledge, VarId};

use crate::engine::{Agenda, Engine, Family};

/// Changes that lose more nats are as good as impossible.
pub const FAR: f64 = 40.0;

/// `[cause, effect]` that are not joined and could be: nats that the score loses with this edge, below
/// [`FAR`].
pub type Near = BTreeMap<(VarId, VarId), f64>;

/// What changes of single pairs lose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Odds {
    /// Of every edge of the graph, in the order of its edges: nats that the score loses if it is turned, at
    /// most [`FAR`]; 0 where the direction is open, or nothing is known of it.
    pub turns: Vec<f64>,
    /// Edges that could come in.
    pub near: Near,
}

fn family(dag: &Dag, effect: VarId) -> Family {
    (effect, dag.parents(effect).clone())
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
        causes
            .map(move |cause| (cause, effect))
            .filter(move |(a, b)| is_free(*a, *b))
    })
}

/// What has to be found out before that is known. The families of the graph are exact, and their outlooks
/// are known.
pub(crate) fn agenda(dag: &Dag, knowledge: &Knowledge, engine: &mut Engine) -> Agenda {
    let mut agenda = Agenda::default();
    let mut want = |new: Family, least: f64| {
        let threshold = agenda.fits.entry(new).or_insert(least);
        *threshold = threshold.min(least);
    };
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

/// What edges that are not there would lose, as far as it is known.
pub(crate) fn near(dag: &Dag, knowledge: &Knowledge, engine: &mut Engine) -> Near {
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
    near
}
