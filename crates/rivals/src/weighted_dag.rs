//! From coefficients to a graph.

use fedcdi_core::{Dag, Digraph, VarId};
use ndarray::Array2;

/// The edges whose coefficients exceed `threshold`, without the smallest that close a cycle, and how
/// many those are: edges are taken from the largest down, each that leaves the graph acyclic.
/// (Removing the smallest until no cycle is left, as published, also removes small edges that are in
/// no cycle.)
pub fn weighted_dag(weights: &Array2<f64>, threshold: f64) -> (Dag, usize) {
    let n_vars = weights.nrows();
    let mut edges: Vec<(f64, usize, usize)> = (weights.indexed_iter())
        .filter(|((cause, effect), w)| cause != effect && w.abs() > threshold)
        .map(|((cause, effect), w)| (w.abs(), cause, effect))
        .collect();
    edges.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut graph = Digraph::empty(n_vars);
    let mut n_removed = 0;
    for (_, cause, effect) in edges {
        let (cause, effect) = (VarId(cause), VarId(effect));
        if graph.reachable_from(effect).contains(cause) {
            n_removed += 1;
        } else {
            graph.add_edge(cause, effect);
        }
    }
    let dag = Dag::try_from(graph).expect("no edge closed a cycle");
    (dag, n_removed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_smallest_edge_of_a_cycle_goes_and_others_stay() {
        let weights = array![[0.0, 0.9, 0.4], [0.0, 0.0, -0.8], [0.5, 0.0, 0.0]];
        // 2 -> 0 closes 0 -> 1 -> 2 -> 0; 0 -> 2, the smallest, closes nothing.
        let (dag, n_removed) = weighted_dag(&weights, 0.3);
        let edges: Vec<_> = dag.edges().map(|(c, e)| (c.0, e.0)).collect();
        assert_eq!(edges, [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(n_removed, 1);
        let (few, n_removed) = weighted_dag(&weights, 0.85);
        assert_eq!((few.n_edges(), n_removed), (1, 0));
    }
}
