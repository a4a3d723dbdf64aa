//! Every edge put to the test: how much worse is the best graph that has it the other way round?
//!
//! A turned edge may close cycles, and then others have to turn with it; and what was best around the edge is
//! not what is best around the turned one. So each edge has a climb of its own ([`crate::climb`]) that may
//! change everything but this edge. All of them go on together, a question for all. What they lose is what
//! is known of a direction; where one gains, the search had come to a place that was not the best.

use fedcdi_core::{Dag, Digraph, Knowledge, VarId};

use crate::climb::{Climb, Rules};
use crate::engine::Engine;
use crate::wanted::Wanted;

/// A climb that has to keep an edge turned.
#[derive(Clone, Debug)]
struct Trial {
    /// As it was found.
    edge: (VarId, VarId),
    climb: Climb,
}

/// The climbs of all edges.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trials {
    trials: Vec<Trial>,
}

impl Trials {
    /// Of those edges of a graph that could be turned. `loses` says roughly what it costs to turn an edge.
    pub(crate) fn new(
        dag: &Dag,
        edges: impl Iterator<Item = (VarId, VarId)>,
        rules: &Rules<'_>,
        engine: &Engine,
        loses: impl Fn(VarId, VarId) -> f64,
        bar: f64,
    ) -> Self {
        let trial = |edge: (VarId, VarId)| {
            let start = turned(dag, edge, rules.knowledge, &loses)?;
            let rules = with_turned(rules, edge);
            let climb = Climb::from_graph(&start, &rules, engine).above(bar);
            Some(Trial { edge, climb })
        };
        let trials = edges.filter_map(trial).collect();
        Self { trials }
    }

    /// All go on, until something has to be asked or all have ended. Then they want nothing.
    pub(crate) fn go_on(&mut self, rules: &Rules<'_>, engine: &mut Engine) -> Wanted {
        let mut wanted = Wanted::default();
        for trial in self
            .trials
            .iter_mut()
            .filter(|trial| !trial.climb.has_ended())
        {
            let rules = with_turned(rules, trial.edge);
            wanted.merge(trial.climb.go_on(&rules, engine));
        }
        wanted
    }

    /// The edges, as they were found, and what they have come to.
    pub(crate) fn ends(&self) -> impl Iterator<Item = ((VarId, VarId), &Dag)> {
        self.trials
            .iter()
            .map(|trial| (trial.edge, trial.climb.dag()))
    }
}

fn with_turned<'a>(rules: &Rules<'a>, (cause, effect): (VarId, VarId)) -> Rules<'a> {
    Rules {
        fixed: Some((effect, cause)),
        ..*rules
    }
}

/// The graph with an edge turned, and as few others as it takes: either the effect comes before its cause
/// and all that lies between the two, or the cause after them. Nothing, if knowledge allows neither.
fn turned(
    dag: &Dag,
    (cause, effect): (VarId, VarId),
    knowledge: &Knowledge,
    loses: impl Fn(VarId, VarId) -> f64,
) -> Option<Dag> {
    let later = dag.reachable_from(cause);
    let between = |var: VarId| later.contains(var) && dag.reachable_from(var).contains(effect);
    let into_effect = dag.parents(effect).iter();
    let into_effect = into_effect.filter(|var| *var == cause || between(*var));
    let from_cause = dag.children(cause).iter();
    let from_cause = from_cause.filter(|var| *var == effect || between(*var));
    let ways: [Vec<(VarId, VarId)>; 2] = [
        into_effect.map(|var| (var, effect)).collect(),
        from_cause.map(|var| (cause, var)).collect(),
    ];
    let is_possible = |way: &&Vec<(VarId, VarId)>| {
        knowledge.allows(effect, cause)
            && way
                .iter()
                .all(|(from, to)| !knowledge.is_required(*from, *to))
    };
    let total = |way: &[(VarId, VarId)]| -> f64 { way.iter().map(|(c, e)| loses(*c, *e)).sum() };
    let ways = ways.iter().filter(is_possible);
    let best = ways.min_by(|a, b| total(a).total_cmp(&total(b)))?;
    let mut graph = Digraph::clone(dag);
    for (from, to) in best {
        graph.remove_edge(*from, *to);
        if knowledge.allows(*to, *from) {
            graph.add_edge(*to, *from);
        }
    }
    Dag::try_from(graph).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(pairs: &[(usize, usize)]) -> impl Iterator<Item = (VarId, VarId)> {
        pairs.iter().map(|(c, e)| (VarId(*c), VarId(*e)))
    }

    fn dag(pairs: &[(usize, usize)]) -> Dag {
        Dag::try_from(Digraph::from_edges(4, edges(pairs))).expect("no cycle")
    }

    #[test]
    fn as_few_edges_as_it_takes_turn_with_one() {
        let graph = dag(&[(0, 1), (0, 2), (1, 2), (2, 3)]);
        let none = Knowledge::none(4);
        let edge = (VarId(0), VarId(2));
        let found = |loses: fn(VarId, VarId) -> f64| turned(&graph, edge, &none, loses);
        // 1 lies between: either it turns with 0, or away from it.
        let before = dag(&[(0, 1), (2, 0), (2, 1), (2, 3)]);
        let after = dag(&[(1, 0), (2, 0), (1, 2), (2, 3)]);
        assert_eq!(
            found(|cause, _| if cause == VarId(1) { 1.0 } else { 2.0 }),
            Some(before)
        );
        assert_eq!(
            found(|cause, _| if cause == VarId(1) { 2.0 } else { 1.0 }),
            Some(after)
        );
    }
}
