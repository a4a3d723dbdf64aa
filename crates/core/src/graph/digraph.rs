//! A directed graph that may have cycles.

use ndarray::Array2;

use super::VarSet;
use crate::variable::VarId;

/// Edges from cause to effect over `n_vars` variables; no loops from a variable to itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Digraph {
    parents: Vec<VarSet>,
    children: Vec<VarSet>,
}

impl Digraph {
    /// No edges.
    pub fn empty(n_vars: usize) -> Self {
        Self {
            parents: vec![VarSet::empty(n_vars); n_vars],
            children: vec![VarSet::empty(n_vars); n_vars],
        }
    }

    /// These edges, `(cause, effect)`.
    pub fn from_edges(n_vars: usize, edges: impl IntoIterator<Item = (VarId, VarId)>) -> Self {
        let mut graph = Self::empty(n_vars);
        for (cause, effect) in edges {
            graph.add_edge(cause, effect);
        }
        graph
    }

    /// The edges where a `[cause, effect]` matrix satisfies `is_edge`; the diagonal is ignored.
    pub fn from_matrix<T>(matrix: &Array2<T>, is_edge: impl Fn(&T) -> bool) -> Self {
        let edges = matrix.indexed_iter();
        let edges = edges.filter(|((i, j), value)| i != j && is_edge(value));
        let edges = edges.map(|((i, j), _)| (VarId(i), VarId(j)));
        Self::from_edges(matrix.nrows(), edges)
    }

    /// Number of variables.
    pub fn n_vars(&self) -> usize {
        self.parents.len()
    }

    /// Number of edges.
    pub fn n_edges(&self) -> usize {
        self.children.iter().map(VarSet::len).sum()
    }

    /// Adds an edge; true if it is new. Panics if cause and effect are the same variable.
    pub fn add_edge(&mut self, cause: VarId, effect: VarId) -> bool {
        assert_ne!(cause, effect, "a variable is not its own cause");
        self.parents[effect.index()].insert(cause);
        self.children[cause.index()].insert(effect)
    }

    /// Removes an edge; true if it was there.
    pub fn remove_edge(&mut self, cause: VarId, effect: VarId) -> bool {
        self.parents[effect.index()].remove(cause);
        self.children[cause.index()].remove(effect)
    }

    /// Whether the edge is there.
    pub fn has_edge(&self, cause: VarId, effect: VarId) -> bool {
        self.children[cause.index()].contains(effect)
    }

    /// Whether an edge joins the two, either way.
    pub fn adjacent(&self, a: VarId, b: VarId) -> bool {
        self.has_edge(a, b) || self.has_edge(b, a)
    }

    /// Direct causes of a variable.
    pub fn parents(&self, var: VarId) -> &VarSet {
        &self.parents[var.index()]
    }

    /// Direct effects of a variable.
    pub fn children(&self, var: VarId) -> &VarSet {
        &self.children[var.index()]
    }

    /// All edges, `(cause, effect)`, in increasing order.
    pub fn edges(&self) -> impl Iterator<Item = (VarId, VarId)> + '_ {
        let effects = |cause: VarId| self.children(cause).iter();
        let edges = move |cause: VarId| effects(cause).map(move |effect| (cause, effect));
        self.vars().flat_map(edges)
    }

    /// Ids of all variables.
    pub fn vars(&self) -> impl DoubleEndedIterator<Item = VarId> + ExactSizeIterator + use<> {
        (0..self.n_vars()).map(VarId)
    }

    /// Everything that can be reached from `var` along the edges, `var` included.
    ///
    /// Complexity: O(N + N^2 / 64).
    pub fn reachable_from(&self, var: VarId) -> VarSet {
        let mut seen = VarSet::from_members(self.n_vars(), [var]);
        let mut open = vec![var];
        while let Some(next) = open.pop() {
            let mut fresh = self.children(next).clone();
            fresh.difference_with(&seen);
            seen.union_with(&fresh);
            open.extend(fresh.iter());
        }
        seen
    }

    /// Strongly connected parts, each sorted, the parts in order of their least member.
    pub(crate) fn strong_components(&self) -> Vec<Vec<VarId>> {
        let edges = self.edges().map(|(c, e)| (c.0 as u32, e.0 as u32));
        let mut graph = petgraph::graph::DiGraph::<(), ()>::from_edges(edges);
        while graph.node_count() < self.n_vars() {
            graph.add_node(());
        }
        let mut parts: Vec<Vec<VarId>> = petgraph::algo::tarjan_scc(&graph)
            .into_iter()
            .map(|part| part.into_iter().map(|node| VarId(node.index())).collect())
            .collect();
        parts.iter_mut().for_each(|part| part.sort_unstable());
        parts.sort_unstable();
        parts
    }

    /// The 0/1 matrix, `[cause, effect]`.
    pub fn adjacency(&self) -> Array2<u8> {
        let mut matrix = Array2::zeros((self.n_vars(), self.n_vars()));
        for (cause, effect) in self.edges() {
            matrix[(cause.index(), effect.index())] = 1;
        }
        matrix
    }

    /// The same graph with variable `v` renamed `new_id[v]`. Panics if `new_id` is not a
    /// permutation of the variables.
    #[must_use]
    pub fn relabel(&self, new_id: &[VarId]) -> Self {
        let distinct = VarSet::from_members(self.n_vars(), new_id.iter().copied()).len();
        assert_eq!(distinct, self.n_vars(), "new ids are a permutation");
        let edges = self.edges().map(|(c, e)| (new_id[c.0], new_id[e.0]));
        Self::from_edges(self.n_vars(), edges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(n: usize, edges: &[(usize, usize)]) -> Digraph {
        Digraph::from_edges(n, edges.iter().map(|&(c, e)| (VarId(c), VarId(e))))
    }

    #[test]
    fn edges_come_back_in_order() {
        let graph = graph(3, &[(2, 0), (0, 1)]);
        let edges: Vec<_> = graph.edges().collect();
        assert_eq!(edges, [(VarId(0), VarId(1)), (VarId(2), VarId(0))]);
        assert_eq!(graph.adjacency().sum() as usize, graph.n_edges());
        assert_eq!(Digraph::from_matrix(&graph.adjacency(), |a| *a == 1), graph);
    }

    #[test]
    fn strong_components_find_the_cycle() {
        let graph = graph(5, &[(1, 2), (2, 3), (3, 1), (3, 4)]);
        let ids = |ids: &[usize]| ids.iter().copied().map(VarId).collect::<Vec<_>>();
        assert_eq!(
            graph.strong_components(),
            [ids(&[0]), ids(&[1, 2, 3]), ids(&[4])]
        );
        assert_eq!(graph.reachable_from(VarId(2)).len(), 4);
    }

    #[test]
    fn relabelling_moves_every_edge() {
        let renamed = graph(3, &[(0, 1), (1, 2)]).relabel(&[VarId(2), VarId(0), VarId(1)]);
        assert_eq!(renamed, graph(3, &[(2, 0), (0, 1)]));
    }
}
