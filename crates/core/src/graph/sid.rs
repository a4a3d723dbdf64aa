//! Structural intervention distance: how many causal effects the predicted graph gets wrong.
//!
//! Peters and Bühlmann (2015). For every ordered pair (i, j) the predicted graph H says: adjust for
//! the parents of i in H to get p(j | do i). The pair counts if that is wrong under the true graph
//! G:
//!
//! | parents Z of i in H | wrong if, in G |
//! |---|---|
//! | contain j (so H denies an effect) | j is a descendant of i |
//! | do not contain j | Z has a descendant of a variable other than i on a directed path i -> .. -> j, or leaves a path open that is not directed from i to j |
//!
//! The open paths of all j are found in one search per i, over walks that do not come back to i and
//! turn at colliders in Z. A walk may visit a variable twice where a path may not. This is harmless:
//! a walk that starts along a directed path to j and is open though not directed has a collider in Z
//! below that path, and such a pair is wrong for the first reason already.

use super::{Dag, Digraph, VarSet};
use crate::variable::VarId;

/// Structural intervention distance of `predicted` to `truth`, between 0 and N (N - 1); not
/// symmetric. Panics if the graphs differ in their number of variables.
///
/// Complexity: O(N (N + E) + N^3 / 64), E being the edges of the truth.
pub fn sid(truth: &Dag, predicted: &Dag) -> usize {
    assert_eq!(truth.n_vars(), predicted.n_vars(), "the same variables");
    let descendants = descendants(truth);
    let wrong = |cause: VarId| {
        let adjusted = predicted.parents(cause);
        if adjusted == truth.parents(cause) {
            0 // The true parents are always a valid choice.
        } else {
            wrong_effects(truth, &descendants, cause, adjusted).len()
        }
    };
    truth.vars().map(wrong).sum()
}

/// Descendants of every variable, itself included.
fn descendants(dag: &Dag) -> Vec<VarSet> {
    let n = dag.n_vars();
    let mut sets = vec![VarSet::empty(n); n];
    for &var in dag.topological_order().iter().rev() {
        let mut set = VarSet::from_members(n, [var]);
        for child in dag.children(var).iter() {
            set.union_with(&sets[child.index()]);
        }
        sets[var.index()] = set;
    }
    sets
}

/// The variables on which the effect of `cause` comes out wrong.
fn wrong_effects(truth: &Dag, descendants: &[VarSet], cause: VarId, adjusted: &VarSet) -> VarSet {
    let mut wrong = open_paths(truth, cause, adjusted);
    for var in descendants[cause.index()].iter().filter(|v| *v != cause) {
        let below = &descendants[var.index()];
        if below.intersects(adjusted) {
            wrong.union_with(below);
        }
    }
    let mut denied = adjusted.clone();
    denied.intersect_with(&descendants[cause.index()]);
    wrong.difference_with(adjusted);
    wrong.union_with(&denied);
    wrong.remove(cause);
    wrong
}

/// How a walk came to a variable.
#[derive(Clone, Copy)]
enum Arrival {
    /// Along edges that all point away from the start.
    Directed,
    /// Along an edge into the variable, after some edge that points towards the start.
    FromParent,
    /// Along an edge out of the variable.
    FromChild,
}

/// Variables that some walk from `start`, open given `adjusted` and not directed, arrives at.
fn open_paths(graph: &Digraph, start: VarId, adjusted: &VarSet) -> VarSet {
    let n = graph.n_vars();
    // Marking the start as seen keeps every walk from coming back to it.
    let mut seen = [(); 3].map(|()| VarSet::from_members(n, [start]));
    let mut open = Vec::new();
    let children = graph.children(start).iter();
    open.extend(children.map(|child| (child, Arrival::Directed)));
    let parents = graph.parents(start).iter();
    open.extend(parents.map(|parent| (parent, Arrival::FromChild)));
    while let Some((var, arrival)) = open.pop() {
        if !seen[arrival as usize].insert(var) {
            continue;
        }
        let (up, down) = match (arrival, adjusted.contains(var)) {
            (Arrival::FromChild, true) => (None, None),
            (Arrival::FromChild, false) => (Some(Arrival::FromChild), Some(Arrival::FromParent)),
            // A collider is open exactly if it is adjusted for, everything else if it is not.
            (Arrival::FromParent | Arrival::Directed, true) => (Some(Arrival::FromChild), None),
            (Arrival::FromParent | Arrival::Directed, false) => (None, Some(arrival)),
        };
        for (next, to) in [(graph.parents(var), up), (graph.children(var), down)] {
            open.extend(
                to.into_iter()
                    .flat_map(|to| next.iter().map(move |v| (v, to))),
            );
        }
    }
    let [_directed, mut reached, from_child] = seen;
    reached.union_with(&from_child);
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dag(n: usize, edges: &[(usize, usize)]) -> Dag {
        let edges = edges.iter().map(|&(c, e)| (VarId(c), VarId(e)));
        Dag::try_from(Digraph::from_edges(n, edges)).unwrap()
    }

    #[test]
    fn a_reversed_edge_is_wrong_both_ways() {
        // G: 0 -> 1, H: 1 -> 0. For (0, 1) H denies an effect that is there; for (1, 0) H adjusts
        // for nothing, and the path 1 <- 0 is open.
        assert_eq!(sid(&dag(2, &[(0, 1)]), &dag(2, &[(1, 0)])), 2);
    }

    #[test]
    fn a_missing_edge_is_wrong_one_way_and_an_extra_one_is_not() {
        // G: 0 -> 1, H empty. (0, 1): no parents in G nor H, right. (1, 0): path 1 <- 0 is open.
        assert_eq!(sid(&dag(2, &[(0, 1)]), &dag(2, &[])), 1);
        assert_eq!(sid(&dag(2, &[]), &dag(2, &[(0, 1)])), 0);
    }

    #[test]
    fn the_papers_example_has_distances_zero_and_eight() {
        // Peters and Bühlmann, figure 1. G: x1 -> x2, and both into y1, y2, y3.
        // H1 adds y1 -> y2: every parent set stays valid. H2 turns x1 -> x2 round: both have SHD 1.
        let both_into = [(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)];
        let truth = dag(5, &[&[(0, 1)], &both_into[..]].concat());
        let extra = dag(5, &[&[(0, 1), (2, 3)], &both_into[..]].concat());
        let turned = dag(5, &[&[(1, 0)], &both_into[..]].concat());
        assert_eq!(sid(&truth, &extra), 0);
        // (x1, x2): denied. (x2, x1): open. (x1, y): adjusts for the mediator x2. (x2, y): open
        // through x1. 1 + 1 + 3 + 3 = 8.
        assert_eq!(sid(&truth, &turned), 8);
    }

    /// Extends `path` to every simple path that ends in `to`; `found(is_directed)` hears of open ones.
    fn walk(
        g: &Digraph,
        z: &VarSet,
        path: &mut Vec<VarId>,
        to: VarId,
        found: &mut impl FnMut(bool),
    ) {
        let last = path[path.len() - 1];
        if last == to {
            let directed = path.windows(2).all(|w| g.has_edge(w[0], w[1]));
            let blocked = path.windows(3).any(|w| {
                let collider = g.has_edge(w[0], w[1]) && g.has_edge(w[2], w[1]);
                let below = g.reachable_from(w[1]);
                if collider {
                    !below.intersects(z)
                } else {
                    z.contains(w[1])
                }
            });
            if !blocked {
                found(directed);
            }
            return;
        }
        for next in g.vars().filter(|v| g.adjacent(last, *v)) {
            if !path.contains(&next) {
                path.push(next);
                walk(g, z, path, to, found);
                path.pop();
            }
        }
    }

    /// The definition, pair by pair and path by path.
    fn sid_by_definition(g: &Dag, h: &Dag) -> usize {
        let wrong = |i: VarId, j: VarId| {
            let z = h.parents(i);
            let below = |v| g.reachable_from(v);
            if z.contains(j) {
                return below(i).contains(j);
            }
            let on_path = |w: &VarId| *w != i && below(i).contains(*w) && below(*w).contains(j);
            let forbidden = g.vars().filter(on_path).any(|w| below(w).intersects(z));
            let mut open = false;
            walk(g, z, &mut vec![i], j, &mut |directed| open |= !directed);
            forbidden || open
        };
        let pairs = g.vars().flat_map(|i| g.vars().map(move |j| (i, j)));
        pairs.filter(|&(i, j)| i != j && wrong(i, j)).count()
    }

    fn any_dag(n: usize) -> impl Strategy<Value = Dag> {
        let order = Just((0..n).collect::<Vec<usize>>()).prop_shuffle();
        (order, prop::collection::vec(any::<bool>(), n * n)).prop_map(move |(order, keep)| {
            let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
            let chosen = pairs.filter(|(i, j)| keep[i * n + j]);
            let edges: Vec<_> = chosen.map(|(i, j)| (order[i], order[j])).collect();
            dag(n, &edges)
        })
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(
            (g, h) in (2..=6usize).prop_flat_map(|n| (any_dag(n), any_dag(n)))
        ) {
            prop_assert_eq!(sid(&g, &h), sid_by_definition(&g, &h));
        }

        #[test]
        fn a_graph_has_no_distance_to_itself_or_a_larger_one(g in any_dag(9), h in any_dag(9)) {
            prop_assert_eq!(sid(&g, &g), 0);
            prop_assert!(sid(&g, &h) <= 9 * 8);
            // Edges added along the order make parent sets of non-descendants, which stay valid.
            let order = g.topological_order();
            let later = |at: usize| order[at + 1..].iter().copied();
            let full = order.iter().enumerate();
            let full = full.flat_map(|(at, &c)| later(at).map(move |e| (c, e)));
            let full = Dag::try_from(Digraph::from_edges(9, full)).unwrap();
            prop_assert_eq!(sid(&g, &full), 0);
        }
    }
}
