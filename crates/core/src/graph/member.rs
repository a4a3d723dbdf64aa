//! One member of an equivalence class, with its undirected edges directed as early or as late as
//! asked for.
//!
//! Tarjan and Yannakakis (1984), "Simple linear-time algorithms to test chordality of graphs": a
//! maximum-cardinality search always goes to a variable with the most visited neighbours. Edges
//! that point from earlier to later visits then make no v-structure, if the undirected parts are
//! chordal, as those of an equivalence class are.

use super::{Cpdag, Dag, VarSet};
use crate::variable::VarId;

impl Cpdag {
    /// The member whose undirected edges follow a search that prefers `first`, in this order, and
    /// then the smallest id, wherever the number of visited neighbours leaves a choice. A clique in
    /// `first` is visited at once; several parts may be mentioned one after another. Panics if
    /// `first` names a variable twice, or the graph is not that of a class.
    ///
    /// Complexity: O(N^2 + E).
    pub fn member(&self, first: &[VarId]) -> Dag {
        let mut edges = self.directed().clone();
        let mut seen = VarSet::empty(self.n_vars());
        for var in self.search_order(first) {
            for earlier in self.neighbours(var).iter().filter(|n| seen.contains(*n)) {
                edges.add_edge(earlier, var);
            }
            seen.insert(var);
        }
        let acyclic = Dag::try_from(edges);
        acyclic.expect("a class has no cycle with a directed edge, and chordal undirected parts")
    }

    fn search_order(&self, first: &[VarId]) -> Vec<VarId> {
        let named = VarSet::from_members(self.n_vars(), first.iter().copied());
        assert_eq!(named.len(), first.len(), "a variable is preferred once");
        let others = self.directed().vars().filter(|v| !named.contains(*v));
        let mut open: Vec<VarId> = first.iter().copied().chain(others).collect();
        let mut visited_neighbours = vec![0usize; self.n_vars()];
        let mut order = Vec::with_capacity(open.len());
        while !open.is_empty() {
            let most = open.iter().map(|v| visited_neighbours[v.index()]).max();
            let is_next = |v: &VarId| Some(visited_neighbours[v.index()]) == most;
            let next = open.iter().position(is_next);
            let var = open.remove(next.expect("some variable has the most"));
            for neighbour in self.neighbours(var).iter() {
                visited_neighbours[neighbour.index()] += 1;
            }
            order.push(var);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::super::Digraph;
    use super::*;
    use proptest::prelude::*;

    fn dag(n: usize, edges: &[(usize, usize)]) -> Dag {
        let edges = edges.iter().map(|&(c, e)| (VarId(c), VarId(e)));
        Dag::try_from(Digraph::from_edges(n, edges)).unwrap()
    }

    fn ids(ids: &[usize]) -> Vec<VarId> {
        ids.iter().copied().map(VarId).collect()
    }

    #[test]
    fn the_preferred_variable_becomes_the_source() {
        let class = Cpdag::of(&dag(3, &[(0, 1), (1, 2)]));
        assert_eq!(class.member(&[]), dag(3, &[(0, 1), (1, 2)]));
        assert_eq!(class.member(&ids(&[1])), dag(3, &[(1, 0), (1, 2)]));
        assert_eq!(class.member(&ids(&[2, 1])), dag(3, &[(2, 1), (1, 0)]));
    }

    #[test]
    fn two_parts_are_directed_one_after_another() {
        let class = Cpdag::of(&dag(4, &[(0, 1), (2, 3)]));
        assert_eq!(class.member(&ids(&[3, 1])), dag(4, &[(1, 0), (3, 2)]));
    }

    proptest! {
        #[test]
        fn every_member_has_the_same_class(
            pairs in prop::collection::vec(any::<bool>(), 15),
            order in Just([0usize, 1, 2, 3, 4, 5]).prop_shuffle(),
            first in Just([0usize, 1, 2, 3, 4, 5]).prop_shuffle(),
            target in 0..6usize,
        ) {
            let all = (0..6).flat_map(|i| (i + 1..6).map(move |j| (i, j)));
            let chosen = all.zip(&pairs).filter(|(_, keep)| **keep);
            let edges: Vec<_> = chosen.map(|((i, j), _)| (order[i], order[j])).collect();
            let targets = [VarSet::from_members(6, [VarId(target)])];
            let class = Cpdag::interventional(&dag(6, &edges), &targets);
            let member = class.member(&ids(&first));
            prop_assert_eq!(Cpdag::interventional(&member, &targets), class);
        }
    }
}
