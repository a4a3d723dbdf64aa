//! Turning covered edges.

use fedcdi_core::{Digraph, VarId};

use super::memo::TestMemo;

/// Edges whose ends have the same parents otherwise.
pub(super) fn covered_edges(graph: &Digraph) -> Vec<(VarId, VarId)> {
    let is_covered = |(cause, effect): &(VarId, VarId)| {
        *graph.parents(*effect) == graph.parents(*cause).with(*cause)
    };
    graph.edges().filter(is_covered).collect()
}

/// The graph with a covered edge turned, and without the edges from common parents that are no
/// longer needed.
pub(super) fn flip(
    graph: &Digraph,
    (cause, effect): (VarId, VarId),
    tests: &TestMemo<'_>,
) -> Digraph {
    let mut turned = graph.clone();
    turned.remove_edge(cause, effect);
    turned.add_edge(effect, cause);
    let common = graph.parents(cause);
    for parent in common.iter() {
        let rest = common.without(parent);
        if tests.is_independent(cause, parent, &rest.with(effect)) {
            turned.remove_edge(parent, cause);
        }
        if tests.is_independent(effect, parent, &rest) {
            turned.remove_edge(parent, effect);
        }
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covered_edges_share_their_other_parents() {
        let edges = [(0, 1), (0, 2), (1, 2), (3, 2)].map(|(c, e)| (VarId(c), VarId(e)));
        let graph = Digraph::from_edges(4, edges);
        // 2 has parent 3, which 1 and 0 do not have.
        assert_eq!(covered_edges(&graph), [(VarId(0), VarId(1))]);
    }
}
