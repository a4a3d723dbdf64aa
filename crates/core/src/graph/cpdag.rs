//! Equivalence classes of acyclic graphs: what data can tell, with and without interventions.
//!
//! Hauser and Bühlmann (2012), "Characterization and greedy learning of interventional Markov
//! equivalence classes": an edge of the class is directed if all members agree on its direction,
//! and exactly then it is strongly protected. Starting from one member, edges that are not strongly
//! protected lose their direction until none is left to lose.
//!
//! An edge a -> b is strongly protected if
//!
//! | case | picture |
//! |---|---|
//! | an experiment set exactly one of the two | |
//! | turning it would make a v-structure | c -> a -> b, c and b not adjacent |
//! | it is half of a v-structure | a -> b <- c, a and c not adjacent |
//! | turning it would close a cycle | a -> c -> b |
//! | turning it would force one or the other | a - c -> b, a - d -> b, c and d not adjacent |

use super::{Dag, Digraph, VarSet};
use crate::variable::VarId;

/// Directed and undirected edges of an equivalence class; a pair has at most one of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cpdag {
    directed: Digraph,
    /// Both directions of every undirected edge.
    undirected: Digraph,
}

impl Cpdag {
    /// The class of graphs that observational data cannot tell from `dag`.
    ///
    /// Complexity: as [`Self::interventional`].
    pub fn of(dag: &Dag) -> Self {
        Self::interventional(dag, &[])
    }

    /// The class of graphs that experiments on these sets of targets cannot tell from `dag`: the
    /// interventional essential graph. Every variable must be left alone by some experiment or by
    /// observational samples, or the class is finer than the data can show.
    ///
    /// Complexity: O(E^2 N^2 / 64) at worst, usually few passes of O(E N d / 64) for degree d.
    pub fn interventional(dag: &Dag, targets: &[VarSet]) -> Self {
        Self::separated(dag, |cause, effect| {
            let mut targets = targets.iter();
            targets.any(|set| set.contains(cause) != set.contains(effect))
        })
    }

    /// The same, where `separated` says of which pairs some experiment set exactly one.
    ///
    /// Complexity: as [`Self::interventional`].
    pub fn separated(dag: &Dag, separated: impl Fn(VarId, VarId) -> bool) -> Self {
        let mut class = Self {
            directed: Digraph::clone(dag),
            undirected: Digraph::empty(dag.n_vars()),
        };
        loop {
            let is_free =
                |&edge: &(VarId, VarId)| !separated(edge.0, edge.1) && !class.is_protected(edge);
            let free: Vec<(VarId, VarId)> = class.directed.edges().filter(is_free).collect();
            if free.is_empty() {
                return class;
            }
            class.open(free);
        }
    }

    /// The class of which `dag` is a member and these edges of it have no direction; nothing is checked.
    pub fn opened(dag: &Dag, open: impl IntoIterator<Item = (VarId, VarId)>) -> Self {
        let mut class = Self {
            directed: Digraph::clone(dag),
            undirected: Digraph::empty(dag.n_vars()),
        };
        class.open(open);
        class
    }

    /// Takes the direction from these edges.
    fn open(&mut self, edges: impl IntoIterator<Item = (VarId, VarId)>) {
        for (cause, effect) in edges {
            self.directed.remove_edge(cause, effect);
            self.undirected.add_edge(cause, effect);
            self.undirected.add_edge(effect, cause);
        }
    }

    /// Whether the rest of the class forces the direction of a -> b.
    fn is_protected(&self, (a, b): (VarId, VarId)) -> bool {
        let (into_a, into_b) = (self.directed.parents(a), self.directed.parents(b));
        let chain = !into_a.is_subset(&self.adjacent_to(b));
        let collider = !into_b.is_subset(&self.adjacent_to(a).with(a));
        let detour = self.directed.children(a).intersects(into_b);
        chain || collider || detour || self.has_fork(a, b)
    }

    /// Whether two variables that are not adjacent are undirected neighbours of a and parents of b.
    fn has_fork(&self, a: VarId, b: VarId) -> bool {
        let mut middle = self.undirected.children(a).clone();
        middle.intersect_with(self.directed.parents(b));
        let apart = |c: VarId| !middle.is_subset(&self.adjacent_to(c).with(c));
        middle.iter().any(apart)
    }

    /// The same class with variable `v` renamed `new_id[v]`.
    pub(crate) fn relabel(&self, new_id: &[VarId]) -> Self {
        Self {
            directed: self.directed.relabel(new_id),
            undirected: self.undirected.relabel(new_id),
        }
    }

    /// Number of variables.
    pub fn n_vars(&self) -> usize {
        self.directed.n_vars()
    }

    /// Edges whose direction all members share.
    pub fn directed(&self) -> &Digraph {
        &self.directed
    }

    /// Edges whose direction is open, each once, the smaller id first.
    pub fn undirected_edges(&self) -> impl Iterator<Item = (VarId, VarId)> + '_ {
        self.undirected.edges().filter(|(a, b)| a < b)
    }

    /// Whether all members have the edge cause -> effect.
    pub fn has_directed(&self, cause: VarId, effect: VarId) -> bool {
        self.directed.has_edge(cause, effect)
    }

    /// Whether the two are joined and the direction is open.
    pub fn has_undirected(&self, a: VarId, b: VarId) -> bool {
        self.undirected.has_edge(a, b)
    }

    /// Variables joined to `var` by an undirected edge.
    pub fn neighbours(&self, var: VarId) -> &VarSet {
        self.undirected.children(var)
    }

    /// Variables joined to `var` by any edge.
    pub fn adjacent_to(&self, var: VarId) -> VarSet {
        let mut near = self.undirected.children(var).clone();
        near.union_with(self.directed.parents(var));
        near.union_with(self.directed.children(var));
        near
    }

    /// Whether no direction is open: the class has one member.
    pub fn is_single(&self) -> bool {
        self.undirected.n_edges() == 0
    }

    /// All edges as one graph, an undirected edge as both directions.
    pub fn to_digraph(&self) -> Digraph {
        let edges = self.directed.edges().chain(self.undirected.edges());
        Digraph::from_edges(self.n_vars(), edges)
    }

    /// Number of pairs of variables whose status (none, one way, the other way, undirected)
    /// differs. Panics if the two differ in their number of variables.
    ///
    /// Complexity: O(N^2).
    pub fn shd(&self, other: &Self) -> usize {
        super::metrics::shd(&self.to_digraph(), &other.to_digraph())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dag(n: usize, edges: &[(usize, usize)]) -> Dag {
        let edges = edges.iter().map(|&(c, e)| (VarId(c), VarId(e)));
        Dag::try_from(Digraph::from_edges(n, edges)).unwrap()
    }

    fn on(n: usize, targets: &[usize]) -> VarSet {
        VarSet::from_members(n, targets.iter().copied().map(VarId))
    }

    fn directed(class: &Cpdag) -> Vec<(usize, usize)> {
        let edges = class.directed().edges();
        edges.map(|(c, e)| (c.index(), e.index())).collect()
    }

    #[test]
    fn a_v_structure_keeps_its_directions() {
        let class = Cpdag::of(&dag(3, &[(0, 2), (1, 2)]));
        assert_eq!(directed(&class), [(0, 2), (1, 2)]);
        assert!(class.is_single());
    }

    #[test]
    fn a_chain_loses_them() {
        let class = Cpdag::of(&dag(3, &[(0, 1), (1, 2)]));
        assert_eq!(directed(&class), []);
        assert_eq!(class.undirected_edges().count(), 2);
        assert!(class.has_undirected(VarId(2), VarId(1)));
        // The fork 0 <- 1 -> 2 is in the same class.
        assert_eq!(class, Cpdag::of(&dag(3, &[(1, 0), (1, 2)])));
    }

    #[test]
    fn a_class_is_made_again_from_a_member_and_its_open_edges() {
        // 0 - 1, 1 -> 3 <- 2: only the first edge is open.
        let member = dag(4, &[(0, 1), (1, 3), (2, 3)]);
        let class = Cpdag::of(&member);
        assert_eq!(Cpdag::opened(&member, [(VarId(0), VarId(1))]), class);
        assert_ne!(Cpdag::opened(&member, []), class);
    }

    #[test]
    fn an_edge_that_leaves_a_v_structure_is_directed() {
        // 0 -> 2 <- 1, 2 -> 3: turning the last would make new v-structures (Meek's first rule).
        let class = Cpdag::of(&dag(4, &[(0, 2), (1, 2), (2, 3)]));
        assert_eq!(directed(&class), [(0, 2), (1, 2), (2, 3)]);
    }

    #[test]
    fn an_edge_beside_a_directed_path_is_directed() {
        // As above, and 0 -> 3 closes a triangle: 0 -> 2 -> 3 forces it (Meek's second rule).
        let class = Cpdag::of(&dag(4, &[(0, 2), (1, 2), (2, 3), (0, 3)]));
        assert!(class.has_directed(VarId(0), VarId(3)) && class.is_single());
    }

    #[test]
    fn a_kite_directs_its_middle() {
        // 1 -> 3 <- 2 is a v-structure; 0 - 1 and 0 - 2 are open; 0 -> 3 follows (third rule).
        let class = Cpdag::of(&dag(4, &[(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)]));
        assert_eq!(directed(&class), [(0, 3), (1, 3), (2, 3)]);
        assert_eq!(class.undirected_edges().count(), 2);
    }

    #[test]
    fn an_experiment_directs_the_edges_of_its_target_and_what_follows() {
        // 0 -> 1 -> 2 -> 3 with an experiment on 1: 0 -> 1 and 1 -> 2 are seen, 2 -> 3 follows.
        let chain = dag(4, &[(0, 1), (1, 2), (2, 3)]);
        let class = Cpdag::interventional(&chain, &[on(4, &[1])]);
        assert_eq!(directed(&class), [(0, 1), (1, 2), (2, 3)]);
        // An experiment on 3 shows 2 -> 3 alone.
        let class = Cpdag::interventional(&chain, &[on(4, &[3])]);
        assert_eq!(directed(&class), [(2, 3)]);
        // Setting both ends of an edge at once says nothing about it.
        let class = Cpdag::interventional(&dag(2, &[(0, 1)]), &[on(2, &[0, 1])]);
        assert!(class.has_undirected(VarId(0), VarId(1)));
    }

    #[test]
    fn shd_counts_pairs() {
        // 0 - 1 - 2 against 0 -> 1 <- 2: both pairs differ. Against nothing: both are missing.
        let chain = Cpdag::of(&dag(3, &[(0, 1), (1, 2)]));
        let collider = Cpdag::of(&dag(3, &[(0, 1), (2, 1)]));
        assert_eq!(chain.shd(&collider), 2);
        assert_eq!(chain.shd(&Cpdag::of(&Dag::empty(3))), 2);
        assert_eq!(chain.shd(&chain), 0);
    }

    /// Pairs of parents that are not adjacent, with their child.
    fn v_structures(graph: &Digraph) -> Vec<(VarId, VarId, VarId)> {
        let vars = || graph.vars();
        let triples = vars().flat_map(|c| vars().flat_map(move |a| vars().map(move |b| (a, c, b))));
        let is_v = |&(a, c, b): &(VarId, VarId, VarId)| {
            a < b && graph.has_edge(a, c) && graph.has_edge(b, c) && !graph.adjacent(a, b)
        };
        triples.filter(is_v).collect()
    }

    /// The graph without the edges into the targets: what an experiment leaves.
    fn mutilated(graph: &Digraph, targets: &VarSet) -> Digraph {
        let edges = graph.edges().filter(|(_, e)| !targets.contains(*e));
        Digraph::from_edges(graph.n_vars(), edges)
    }

    fn skeleton(graph: &Digraph) -> Digraph {
        let edges = graph.edges().flat_map(|(c, e)| [(c, e), (e, c)]);
        Digraph::from_edges(graph.n_vars(), edges)
    }

    /// Equivalence by definition: in every regime the same skeleton and the same v-structures.
    fn equivalent(a: &Digraph, b: &Digraph, regimes: &[VarSet]) -> bool {
        regimes.iter().all(|targets| {
            let (a, b) = (mutilated(a, targets), mutilated(b, targets));
            skeleton(&a) == skeleton(&b) && v_structures(&a) == v_structures(&b)
        })
    }

    /// Every acyclic graph with the skeleton of `dag` that no regime tells from it.
    pub(in crate::graph) fn members(dag: &Dag, regimes: &[VarSet]) -> Vec<Digraph> {
        let edges: Vec<_> = dag.edges().collect();
        let turned = |bits: usize| {
            let ends = edges.iter().enumerate();
            let ends = ends.map(|(k, &(c, e))| if bits >> k & 1 == 1 { (e, c) } else { (c, e) });
            Digraph::from_edges(dag.n_vars(), ends)
        };
        let all = (0..1usize << edges.len()).map(turned);
        all.filter(|g| Dag::try_from(g.clone()).is_ok() && equivalent(g, dag, regimes))
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn an_edge_is_directed_exactly_if_all_members_agree(
            n in 2..=5usize,
            pairs in prop::collection::vec(any::<bool>(), 10),
            order in Just([0usize, 1, 2, 3, 4]).prop_shuffle(),
            targets in prop::collection::vec(prop::collection::vec(0..5usize, 0..3), 0..3),
        ) {
            let ids: Vec<usize> = order.into_iter().filter(|v| *v < n).collect();
            let all = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
            let chosen = all.zip(&pairs).filter(|(_, keep)| **keep);
            let edges: Vec<_> = chosen.map(|((i, j), _)| (ids[i], ids[j])).collect();
            let dag = dag(n, &edges);
            let sets = targets.iter().map(|set| set.iter().copied().filter(|v| *v < n));
            let mut regimes: Vec<VarSet> = sets
                .map(|set| VarSet::from_members(n, set.map(VarId)))
                .collect();
            let class = Cpdag::interventional(&dag, &regimes);
            regimes.push(VarSet::empty(n));
            let members = members(&dag, &regimes);
            for (cause, effect) in dag.edges() {
                let agreed = members.iter().all(|g| g.has_edge(cause, effect));
                prop_assert_eq!(class.has_directed(cause, effect), agreed);
                prop_assert_eq!(class.has_undirected(cause, effect), !agreed);
            }
            let without = regimes.split_last().unwrap().1;
            for member in members {
                let member = Dag::try_from(member).unwrap();
                prop_assert_eq!(&Cpdag::interventional(&member, without), &class);
            }
        }
    }
}
