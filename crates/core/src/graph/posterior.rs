//! Per pair of variables how likely each of three answers is, and the graph that agrees with them.
//!
//! Ours. Whatever a method finds, three things must agree before anybody reads it: the graph, what the data
//! can know of its directions, and the probabilities. [`Posterior::settle`] makes them agree:
//!
//! | rule | what is changed |
//! |---|---|
//! | the three probabilities of a pair are none below 0, and sum to 1 | the numbers are scaled |
//! | an edge is drawn only where no edge is less likely than 0.5 | other edges leave the graph, unless they are required |
//! | directions that the interventions leave open ([`Cpdag`]) are not told | P(edge) is shared out as the members of the class are |
//! | a directed edge never has a likelier reverse | where it would have, the direction is not told either, and either is as likely |
//! | what is required has probability 1, what is forbidden 0 | the numbers |
//!
//! A pair that is likely joined may still stay out of the graph: another edge of a cycle was likelier.

use ndarray::Array2;

use super::{Cpdag, Dag, Digraph};
use crate::knowledge::Knowledge;
use crate::variable::VarId;

/// Probabilities per pair of variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Posterior {
    /// `[cause, effect]`: P(cause -> effect). The two of a pair sum to 1 at most; what is left is that the
    /// two are not joined.
    edges: Array2<f64>,
}

/// A graph, what is known of its directions, and probabilities that agree with both.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// The graph; a member of the class.
    pub dag: Dag,
    /// Which of its directions are told.
    pub class: Cpdag,
    /// Of all pairs.
    pub posterior: Posterior,
}

impl Posterior {
    /// From P(cause -> effect) of every ordered pair; where a pair has more than 1, both are scaled down.
    /// What is no number counts as 0.
    pub fn new(mut edges: Array2<f64>) -> Self {
        edges.mapv_inplace(|p| if p > 0.0 { p.min(1.0) } else { 0.0 });
        edges.diag_mut().fill(0.0);
        let n = edges.nrows();
        for (a, b) in (0..n).flat_map(|b| (0..b).map(move |a| (a, b))) {
            let sum: f64 = edges[(a, b)] + edges[(b, a)];
            if sum > 1.0 {
                edges[(a, b)] /= sum;
                edges[(b, a)] = 1.0 - edges[(a, b)];
            }
        }
        Self { edges }
    }

    /// `[cause, effect]`: P(cause -> effect).
    pub fn edges(&self) -> &Array2<f64> {
        &self.edges
    }

    /// P(cause -> effect).
    pub fn edge(&self, cause: VarId, effect: VarId) -> f64 {
        self.edges[(cause.index(), effect.index())]
    }

    /// That there is an edge between the two.
    pub fn joined(&self, a: VarId, b: VarId) -> f64 {
        (self.edge(a, b) + self.edge(b, a)).min(1.0)
    }

    /// That there is none.
    pub fn none(&self, a: VarId, b: VarId) -> f64 {
        1.0 - self.joined(a, b)
    }

    fn set(&mut self, (cause, effect): (VarId, VarId), [along, against]: [f64; 2]) {
        self.edges[(cause.index(), effect.index())] = along;
        self.edges[(effect.index(), cause.index())] = against;
    }

    /// The part of `dag` that these probabilities agree with, its class and the probabilities as they are
    /// to be told. `separated` says of which pairs some experiment set exactly one.
    ///
    /// Complexity: that of [`Cpdag::separated`] and [`Cpdag::shares`].
    pub fn settle(
        mut self,
        dag: &Dag,
        knowledge: &Knowledge,
        separated: impl Fn(VarId, VarId) -> bool,
    ) -> Settled {
        self.respect(knowledge);
        let is_drawn = |&(c, e): &(VarId, VarId)| {
            knowledge.is_required(c, e) || self.none(c, e) < 0.5
        };
        let drawn = Digraph::from_edges(dag.n_vars(), dag.edges().filter(is_drawn));
        let drawn = Dag::try_from(drawn).expect("fewer edges close no cycle");
        let class = Cpdag::separated(&drawn, separated);
        let shares = class.shares(knowledge);
        let mut open = Vec::new();
        for (cause, effect) in drawn.edges() {
            let share = shares[(cause.index(), effect.index())];
            let joined = self.joined(cause, effect);
            let is_told = knowledge.is_required(cause, effect) || share == 1.0;
            if !is_told {
                open.push((cause, effect));
                self.set((cause, effect), [joined * share, joined * (1.0 - share)]);
            } else if self.edge(effect, cause) > self.edge(cause, effect) {
                open.push((cause, effect));
                self.set((cause, effect), [0.5 * joined; 2]);
            }
        }
        Settled {
            class: Cpdag::opened(&drawn, open),
            dag: drawn,
            posterior: self,
        }
    }

    /// Makes sure of what is required, and rules out what is forbidden.
    fn respect(&mut self, knowledge: &Knowledge) {
        let n = self.edges.nrows();
        let pairs = (0..n).flat_map(|c| (0..n).map(move |e| (VarId(c), VarId(e))));
        for (cause, effect) in pairs.filter(|(c, e)| c != e) {
            if knowledge.is_required(cause, effect) {
                self.set((cause, effect), [1.0, 0.0]);
            } else if !knowledge.allows(cause, effect) {
                self.edges[(cause.index(), effect.index())] = 0.0;
            }
        }
    }
}
