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
//! | the reverse of a directed edge is less likely | where it is not, the direction is not told either, and either is as likely |
//! | what is required has probability 1, what is forbidden 0 | the numbers |
//!
//! A pair that is likely joined may still stay out of the graph: another edge of a cycle was likelier.

use ndarray::Array2;

use super::{Cpdag, Dag, Digraph};
use crate::knowledge::Knowledge;
use crate::variable::VarId;

/// Two directions are as likely if they differ by less than this share.
const EVEN: f64 = 1e-3;

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
        let is_drawn =
            |&(c, e): &(VarId, VarId)| knowledge.is_required(c, e) || self.none(c, e) < 0.5;
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
            } else if self.edge(effect, cause) > (1.0 - EVEN) * self.edge(cause, effect) {
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

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::graph::VarSet;

    const N: usize = 5;

    fn var(at: usize) -> VarId {
        VarId(at)
    }

    fn dag(n: usize, edges: &[(usize, usize)]) -> Dag {
        let edges = edges.iter().map(|(c, e)| (VarId(*c), VarId(*e)));
        Dag::try_from(Digraph::from_edges(n, edges)).unwrap()
    }

    fn posterior(n: usize, told: &[((usize, usize), f64)]) -> Posterior {
        let mut edges = Array2::zeros((n, n));
        for (place, p) in told {
            edges[*place] = *p;
        }
        Posterior::new(edges)
    }

    fn settle(posterior: Posterior, dag: &Dag, set: &[usize]) -> Settled {
        let knowledge = Knowledge::none(dag.n_vars());
        let is_set = |a: VarId, b: VarId| set.contains(&a.index()) != set.contains(&b.index());
        posterior.settle(dag, &knowledge, is_set)
    }

    #[test]
    fn what_the_class_leaves_open_is_shared_out_as_its_members_are() {
        // A chain without interventions: each edge points away from 1 in two of three graphs.
        let chain = dag(3, &[(0, 1), (1, 2)]);
        let sure = posterior(3, &[((0, 1), 0.9), ((1, 2), 0.6), ((2, 1), 0.3)]);
        let open = settle(sure.clone(), &chain, &[]);
        assert_eq!(open.class.undirected_edges().count(), 2);
        assert!((open.posterior.edge(var(1), var(0)) - 0.6).abs() < 1e-9);
        assert!((open.posterior.edge(var(0), var(1)) - 0.3).abs() < 1e-9);
        assert!((open.posterior.joined(var(1), var(2)) - 0.9).abs() < 1e-9);
        // With rows that set 0, both directions are known.
        let told = settle(sure.clone(), &chain, &[0]);
        assert_eq!(told.class.undirected_edges().count(), 0);
        assert_eq!(told.posterior, sure);
    }

    #[test]
    fn a_direction_that_is_no_likelier_is_not_told() {
        let pair = dag(2, &[(0, 1)]);
        for reverse in [0.45, 0.5] {
            let even = posterior(2, &[((0, 1), 0.45), ((1, 0), reverse)]);
            let joined = even.joined(var(0), var(1));
            let settled = settle(even, &pair, &[0]);
            assert!(settled.class.has_undirected(var(0), var(1)));
            assert_eq!(settled.posterior.edge(var(0), var(1)), 0.5 * joined);
        }
    }

    #[test]
    fn edges_that_are_likelier_not_there_leave_the_graph() {
        let graph = dag(3, &[(0, 1), (1, 2)]);
        let unsure = posterior(3, &[((0, 1), 0.49), ((1, 2), 0.3), ((2, 1), 0.21)]);
        let settled = settle(unsure, &graph, &[0, 2]);
        assert_eq!(settled.dag.edges().collect::<Vec<_>>(), [(var(1), var(2))]);
    }

    #[test]
    fn what_is_no_number_is_no_probability() {
        let odd = posterior(2, &[((0, 1), f64::NAN), ((1, 0), 7.0)]);
        assert_eq!(odd.edges()[(0, 1)], 0.0);
        assert_eq!(odd.edges()[(1, 0)], 1.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn graph_class_and_probabilities_agree(
            wanted in vec(any::<bool>(), N * N),
            numbers in vec(-0.2..1.5f64, N * N),
            required in vec(prop::bool::weighted(0.2), N * N),
            forbidden in vec(prop::bool::weighted(0.2), N * N),
            targets in vec(vec(any::<bool>(), N), 0..3),
        ) {
            let forward = || (0..N * N).map(|at| (at / N, at % N)).filter(|(c, e)| c < e);
            let edges: Vec<_> = forward().filter(|(c, e)| wanted[c * N + e]).collect();
            let graph = dag(N, &edges);
            let known: Vec<_> = edges.iter().copied().filter(|(c, e)| required[c * N + e]).collect();
            let knowledge = Knowledge::new(dag(N, &known), |c, e| {
                graph.has_edge(c, e) || !forbidden[c.index() * N + e.index()]
            });
            let targets: Vec<VarSet> = targets
                .iter()
                .map(|set| VarSet::from_members(N, (0..N).filter(|at| set[*at]).map(VarId)))
                .collect();
            let apart = |a, b| targets.iter().any(|set| set.contains(a) != set.contains(b));
            let numbers = Array2::from_shape_vec((N, N), numbers).unwrap();
            let Settled { dag: drawn, class, posterior } =
                Posterior::new(numbers).settle(&graph, &knowledge, apart);
            let identified = Cpdag::separated(&drawn, apart);
            for (a, b) in (0..N * N).map(|at| (var(at / N), var(at % N))).filter(|(a, b)| a < b) {
                let (along, against, none) =
                    (posterior.edge(a, b), posterior.edge(b, a), posterior.none(a, b));
                prop_assert!(along >= 0.0 && against >= 0.0 && none > -1e-12);
                prop_assert!((along + against + none - 1.0).abs() < 1e-12);
                for (cause, effect) in [(a, b), (b, a)] {
                    let p = posterior.edge(cause, effect);
                    let is_required = knowledge.is_required(cause, effect);
                    prop_assert!(knowledge.allows(cause, effect) || p == 0.0);
                    prop_assert!(!is_required || p == 1.0);
                    if drawn.has_edge(cause, effect) {
                        prop_assert!(graph.has_edge(cause, effect));
                        prop_assert!(none < 0.5 || is_required);
                        if class.has_directed(cause, effect) {
                            prop_assert!(p > posterior.edge(effect, cause));
                            // Knowledge may tell what interventions do not.
                            let is_told = identified.has_directed(cause, effect);
                            prop_assert!(is_told || !knowledge.is_none());
                        }
                    }
                }
            }
        }
    }
}
