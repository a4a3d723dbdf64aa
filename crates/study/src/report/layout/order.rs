//! The order of vertices within their layers: few crossings.

use super::layers::Layered;

/// Sweeps without a better order before the search ends.
const PATIENCE: usize = 8;
const MAX_SWEEPS: usize = 60;

/// Orders every layer by the mean position of the neighbours on the layer before, downwards and
/// upwards in turn, swaps neighbours where that helps, and keeps the order with the fewest
/// crossings.
pub(super) fn reduce_crossings(graph: &mut Layered) {
    let mut best = graph.layers.clone();
    let mut fewest = crossings(graph);
    let mut since_best = 0;
    for sweep in 0..MAX_SWEEPS {
        if fewest == 0 || since_best == PATIENCE {
            break;
        }
        order_by_barycentre(graph, sweep % 2 == 0);
        swap_neighbours(graph);
        let found = crossings(graph);
        since_best += 1;
        if found < fewest {
            (fewest, since_best) = (found, 0);
            best.clone_from(&graph.layers);
        }
    }
    graph.layers = best;
}

fn positions(graph: &Layered) -> Vec<usize> {
    let mut position = vec![0; graph.above.len()];
    for layer in &graph.layers {
        for (at, vertex) in layer.iter().enumerate() {
            position[*vertex] = at;
        }
    }
    position
}

fn order_by_barycentre(graph: &mut Layered, downwards: bool) {
    let n_layers = graph.layers.len();
    let mut position = positions(graph);
    for step in 1..n_layers {
        let (mut at, mut neighbours) = (step, &graph.above);
        if !downwards {
            (at, neighbours) = (n_layers - 1 - step, &graph.below);
        }
        let centre = |vertex: usize| match neighbours[vertex].as_slice() {
            [] => position[vertex] as f64,
            all => all.iter().map(|n| position[*n] as f64).sum::<f64>() / all.len() as f64,
        };
        let mut keyed: Vec<(f64, usize)> =
            graph.layers[at].iter().map(|v| (centre(*v), *v)).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        graph.layers[at] = keyed.into_iter().map(|(_, vertex)| vertex).collect();
        for (place, vertex) in graph.layers[at].iter().enumerate() {
            position[*vertex] = place;
        }
    }
}

/// Swaps vertices that stand side by side while that removes crossings.
fn swap_neighbours(graph: &mut Layered) {
    let mut position = positions(graph);
    for layer in &mut graph.layers {
        let mut swapped = true;
        while swapped {
            swapped = false;
            for at in 1..layer.len() {
                let (left, right) = (layer[at - 1], layer[at]);
                let between = |a: usize, b: usize| {
                    pair_crossings(&graph.above[a], &graph.above[b], &position)
                        + pair_crossings(&graph.below[a], &graph.below[b], &position)
                };
                if between(right, left) < between(left, right) {
                    layer.swap(at - 1, at);
                    position.swap(left, right);
                    swapped = true;
                }
            }
        }
    }
}

/// Crossings between the edges of two vertices on one layer, the first to the left.
fn pair_crossings(left: &[usize], right: &[usize], position: &[usize]) -> usize {
    let pairs = left.iter().flat_map(|a| right.iter().map(move |b| (a, b)));
    pairs.filter(|(a, b)| position[**b] < position[**a]).count()
}

/// Crossings of the whole drawing.
///
/// Complexity: O(E^2) over the edges between two layers.
fn crossings(graph: &Layered) -> usize {
    let position = positions(graph);
    let mut sum = 0;
    for layer in &graph.layers {
        let mut ends: Vec<usize> = Vec::new();
        for vertex in layer {
            let before = ends.len();
            ends.extend(graph.below[*vertex].iter().map(|below| position[*below]));
            ends[before..].sort_unstable();
        }
        for (at, end) in ends.iter().enumerate() {
            sum += ends[at + 1..].iter().filter(|later| *later < end).count();
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::layers::layered;
    use super::*;

    #[test]
    fn a_crossing_that_need_not_be_goes_away() {
        // 0 -> 3, 1 -> 2 in the order 0 1 / 2 3 cross once; swapping either layer helps.
        let mut graph = layered(4, &[(0, 3), (1, 2)]);
        assert_eq!(crossings(&graph), 1);
        reduce_crossings(&mut graph);
        assert_eq!(crossings(&graph), 0);
    }

    #[test]
    fn the_complete_bipartite_graph_keeps_its_one_crossing() {
        let mut graph = layered(4, &[(0, 2), (0, 3), (1, 2), (1, 3)]);
        reduce_crossings(&mut graph);
        assert_eq!(crossings(&graph), 1);
    }
}
