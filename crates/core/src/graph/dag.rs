//! A directed graph that has no cycle, by construction.

use std::collections::BTreeSet;
use std::ops::Deref;

use super::Digraph;
use crate::variable::VarId;

/// An acyclic [`Digraph`], with a topological order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dag {
    graph: Digraph,
    order: Vec<VarId>,
}

/// The graph has a cycle; its variables in order, each the cause of the next and the last of the first.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the graph has a cycle through {} variables", cycle.len())]
pub struct CycleError {
    /// The variables on the cycle.
    pub cycle: Vec<VarId>,
}

impl CycleError {
    /// The cycle in words: `a -> b -> a`.
    pub fn describe(&self, names: &[String]) -> String {
        let closed = self.cycle.iter().chain(self.cycle.first());
        let names: Vec<&str> = closed.map(|v| names[v.index()].as_str()).collect();
        names.join(" -> ")
    }
}

impl Dag {
    /// No edges.
    pub fn empty(n_vars: usize) -> Self {
        Self {
            graph: Digraph::empty(n_vars),
            order: (0..n_vars).map(VarId).collect(),
        }
    }

    /// Causes before effects; among variables that are free to go, the smallest id first.
    pub fn topological_order(&self) -> &[VarId] {
        &self.order
    }

    /// The graph without its promise.
    pub fn into_digraph(self) -> Digraph {
        self.graph
    }
}

impl Deref for Dag {
    type Target = Digraph;

    fn deref(&self) -> &Digraph {
        &self.graph
    }
}

impl TryFrom<Digraph> for Dag {
    type Error = CycleError;

    fn try_from(graph: Digraph) -> Result<Self, CycleError> {
        let mut missing: Vec<usize> = graph.vars().map(|v| graph.parents(v).len()).collect();
        let free = graph.vars().filter(|v| missing[v.index()] == 0);
        let mut free: BTreeSet<VarId> = free.collect();
        let mut order = Vec::with_capacity(graph.n_vars());
        while let Some(next) = free.pop_first() {
            order.push(next);
            for child in graph.children(next).iter() {
                missing[child.index()] -= 1;
                if missing[child.index()] == 0 {
                    free.insert(child);
                }
            }
        }
        if order.len() == graph.n_vars() {
            Ok(Self { graph, order })
        } else {
            Err(find_cycle(&graph, &missing))
        }
    }
}

/// Walks backwards among variables that still miss a parent: each has such a parent, so the walk
/// must meet itself.
fn find_cycle(graph: &Digraph, missing: &[usize]) -> CycleError {
    let stuck = |v: &VarId| missing[v.index()] > 0;
    let start = graph.vars().find(stuck);
    let mut walk = vec![start.expect("some variable is not ordered")];
    loop {
        let parent = graph.parents(walk[walk.len() - 1]).iter().find(stuck);
        let parent = parent.expect("a parent is not ordered");
        if let Some(at) = walk.iter().position(|v| *v == parent) {
            let cycle = walk[at..].iter().rev().copied().collect();
            return CycleError { cycle };
        }
        walk.push(parent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graph(n: usize, edges: &[(usize, usize)]) -> Digraph {
        Digraph::from_edges(n, edges.iter().map(|&(c, e)| (VarId(c), VarId(e))))
    }

    #[test]
    fn causes_come_first() {
        let dag = Dag::try_from(graph(3, &[(2, 0), (0, 1)])).unwrap();
        assert_eq!(dag.topological_order(), [VarId(2), VarId(0), VarId(1)]);
    }

    #[test]
    fn a_cycle_is_named_in_causal_order() {
        let error = Dag::try_from(graph(5, &[(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)])).unwrap_err();
        let names: Vec<String> = "abcde".chars().map(String::from).collect();
        let text = error.describe(&names);
        let turns = ["b -> c -> d -> b", "c -> d -> b -> c", "d -> b -> c -> d"];
        assert!(turns.contains(&text.as_str()), "{text}");
    }

    proptest! {
        #[test]
        fn a_graph_is_accepted_or_its_cycle_is_real(
            edges in prop::collection::vec((0..8usize, 0..8usize), 0..20)
        ) {
            let edges: Vec<_> = edges.into_iter().filter(|(c, e)| c != e).collect();
            let graph = graph(8, &edges);
            match Dag::try_from(graph.clone()) {
                Ok(dag) => {
                    let at = |v| dag.topological_order().iter().position(|o| *o == v);
                    prop_assert!(graph.edges().all(|(c, e)| at(c) < at(e)));
                }
                Err(error) => {
                    let next = error.cycle.iter().cycle().skip(1);
                    prop_assert!(error.cycle.iter().zip(next).all(|(c, e)| graph.has_edge(*c, *e)));
                }
            }
        }
    }
}
