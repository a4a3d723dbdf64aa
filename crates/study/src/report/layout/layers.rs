//! Which layer a vertex is on, and the bends of long edges.

/// Vertices on layers. The first `n_nodes` vertices are the graph's, the others are bends.
pub(super) struct Layered {
    pub(super) n_nodes: usize,
    pub(super) layers: Vec<Vec<usize>>,
    /// Neighbours of each vertex on the layer above.
    pub(super) above: Vec<Vec<usize>>,
    /// Neighbours of each vertex on the layer below.
    pub(super) below: Vec<Vec<usize>>,
    /// The vertices that each edge passes, both ends included.
    pub(super) chains: Vec<Vec<usize>>,
}

/// Puts the vertices of an acyclic graph on layers so that every edge points downwards, and a bend
/// on every layer that an edge crosses. Vertices without edges are on no layer.
///
/// Complexity: O(N (N + E)) and one bend per edge and layer.
pub(super) fn layered(n_nodes: usize, edges: &[(usize, usize)]) -> Layered {
    let layer = layer_of(n_nodes, edges);
    let n_layers = edges.iter().map(|e| layer[e.1] + 1).max().unwrap_or(0);
    let mut graph = Layered {
        n_nodes,
        layers: vec![Vec::new(); n_layers],
        above: vec![Vec::new(); n_nodes],
        below: vec![Vec::new(); n_nodes],
        chains: Vec::with_capacity(edges.len()),
    };
    let has_edge = |node: &usize| edges.iter().any(|e| e.0 == *node || e.1 == *node);
    for node in (0..n_nodes).filter(has_edge) {
        graph.layers[layer[node]].push(node);
    }
    for &(cause, effect) in edges {
        let bends = layer[cause] + 1..layer[effect];
        let mut chain = vec![cause];
        chain.extend(bends.map(|layer| graph.add_bend(layer)));
        chain.push(effect);
        for link in chain.windows(2) {
            graph.below[link[0]].push(link[1]);
            graph.above[link[1]].push(link[0]);
        }
        graph.chains.push(chain);
    }
    graph
}

impl Layered {
    fn add_bend(&mut self, layer: usize) -> usize {
        let bend = self.above.len();
        self.above.push(Vec::new());
        self.below.push(Vec::new());
        self.layers[layer].push(bend);
        bend
    }

    pub(super) fn is_bend(&self, vertex: usize) -> bool {
        vertex >= self.n_nodes
    }
}

/// Longest path from a source; then a vertex with more effects than causes goes down to just above
/// its first effect, which shortens more edges than it lengthens.
fn layer_of(n_nodes: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut layer = vec![0; n_nodes];
    for _ in 0..n_nodes {
        let mut moved = false;
        for &(cause, effect) in edges {
            if layer[effect] <= layer[cause] {
                layer[effect] = layer[cause] + 1;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    let mut from_below: Vec<usize> = (0..n_nodes).collect();
    from_below.sort_by_key(|node| std::cmp::Reverse(layer[*node]));
    for node in from_below {
        let causes = edges.iter().filter(|e| e.1 == node).count();
        let effects = edges.iter().filter(|e| e.0 == node);
        let n_effects = effects.clone().count();
        if let Some(first) = effects.map(|e| layer[e.1]).min()
            && n_effects > causes
        {
            layer[node] = first - 1;
        }
    }
    layer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_edge_bends_on_every_layer_between() {
        // 0 -> 1 -> 2 -> 3 and 0 -> 3: two bends, numbered after the four nodes.
        let graph = layered(5, &[(0, 1), (1, 2), (2, 3), (0, 3)]);
        assert_eq!(
            graph.layers,
            [vec![0], vec![1, 5], vec![2, 6], vec![3]],
            "variable 4 has no edge, and no layer"
        );
        assert_eq!(graph.chains[3], [0, 5, 6, 3]);
    }

    #[test]
    fn a_source_stands_just_above_its_effect() {
        // 0 -> 1 -> 2, 3 -> 2: 3 belongs beside 1, not beside 0.
        assert_eq!(layer_of(4, &[(0, 1), (1, 2), (3, 2)]), [0, 1, 2, 1]);
    }
}
