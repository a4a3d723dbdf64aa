//! Coordinates: every vertex as near to its neighbours as the widths on its layer allow.

use super::layers::{Layered, layered};
use super::order::reduce_crossings;

pub(crate) const NODE_HEIGHT: f64 = 30.0;
/// Least room between two nodes side by side, and between a node and a bend.
const GAP: f64 = 18.0;
/// Least room between two bends side by side.
const BEND_GAP: f64 = 7.0;
/// Width that the bend of a long edge takes.
const BEND_WIDTH: f64 = 4.0;
/// Width that a drawing should keep to, which is that of a page on a desktop. Wider ones have their
/// bends closer together, down to `CLOSEST` of the room that they would like.
const COMFORTABLE: f64 = 1040.0;
const CLOSEST: f64 = 0.35;
const MARGIN: f64 = 10.0;
/// Least and most room between two layers; wide drawings get more, so that edges stay steep.
const LAYER_GAP: [f64; 2] = [46.0, 90.0];
/// Most room between two edges at one side of a node.
const PORT_GAP: f64 = 13.0;
const SWEEPS: usize = 24;

/// A place in the drawing; y grows downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layout {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) nodes: Vec<Point>,
    /// Points of each edge: from the lower side of its cause, by its bends, to the upper side of
    /// its effect.
    pub(crate) paths: Vec<Vec<Point>>,
}

/// Lays out an acyclic graph of nodes with these widths. Edges point downwards; nodes without edges
/// stand in rows below.
pub(crate) fn lay_out(widths: &[f64], edges: &[(usize, usize)]) -> Layout {
    let mut graph = layered(widths.len(), edges);
    reduce_crossings(&mut graph);
    let sizes = Sizes::of(&graph, widths);
    let x = columns(&graph, &sizes);
    let right = |vertex: usize| x[vertex] + sizes.width(vertex) / 2.0;
    let on_layers = || graph.layers.iter().flatten().copied();
    let wide = on_layers().map(right).fold(0.0, f64::max) + MARGIN;
    let n_layers = graph.layers.len().max(1) as f64;
    let step = (wide / n_layers).clamp(LAYER_GAP[0], LAYER_GAP[1]) + NODE_HEIGHT;
    let mut points: Vec<Point> = x.iter().map(|x| Point { x: *x, y: 0.0 }).collect();
    for (at, layer) in graph.layers.iter().enumerate() {
        let y = MARGIN + NODE_HEIGHT / 2.0 + step * at as f64;
        layer.iter().for_each(|vertex| points[*vertex].y = y);
    }
    let bottom = match graph.layers.len() {
        0 => MARGIN,
        _ => MARGIN + NODE_HEIGHT + step * (n_layers - 1.0) + 2.0 * GAP,
    };
    let paths = ports(&graph, &points, widths);
    let mut nodes = points;
    nodes.truncate(widths.len());
    let mut layout = Layout {
        width: wide,
        height: bottom - 2.0 * GAP + MARGIN,
        nodes,
        paths,
    };
    let has_layer: Vec<usize> = on_layers().collect();
    let alone = (0..widths.len()).filter(|n| !has_layer.contains(n));
    layout.add_rows(&alone.collect::<Vec<_>>(), widths, bottom);
    layout
}

impl Layout {
    fn add_rows(&mut self, alone: &[usize], widths: &[f64], top: f64) {
        if alone.is_empty() {
            return;
        }
        let limit = self.width.max(600.0);
        let (mut left, mut y) = (MARGIN, top + NODE_HEIGHT / 2.0);
        for &node in alone {
            if left > MARGIN && left + widths[node] + MARGIN > limit {
                left = MARGIN;
                y += NODE_HEIGHT + GAP;
            }
            let x = left + widths[node] / 2.0;
            self.nodes[node] = Point { x, y };
            left += widths[node] + GAP;
            self.width = self.width.max(left - GAP + MARGIN);
        }
        self.height = y + NODE_HEIGHT / 2.0 + MARGIN;
    }
}

struct Sizes<'a> {
    widths: &'a [f64],
    /// Part of the room that bends would like, `CLOSEST..=1`.
    bends: f64,
}

impl<'a> Sizes<'a> {
    /// With bends so close that the fullest layer is comfortable, if it can be.
    fn of(graph: &Layered, widths: &'a [f64]) -> Self {
        let nodes = |layer: &Vec<usize>| -> f64 {
            let nodes = layer.iter().filter(|vertex| !graph.is_bend(**vertex));
            nodes.map(|node| widths[*node] + 2.0 * GAP).sum()
        };
        let widest = graph.layers.iter().map(nodes).fold(COMFORTABLE, f64::max);
        let part = |layer: &Vec<usize>| {
            let n_bends = layer.iter().filter(|v| graph.is_bend(**v)).count();
            (widest - nodes(layer)) / (n_bends as f64 * (BEND_WIDTH + BEND_GAP))
        };
        let parts = graph.layers.iter().map(part).filter(|p| p.is_finite());
        let bends = parts.fold(1.0, f64::min).max(CLOSEST);
        Self { widths, bends }
    }

    fn width(&self, vertex: usize) -> f64 {
        let node = self.widths.get(vertex).copied();
        node.unwrap_or(self.bends * BEND_WIDTH)
    }

    fn distance(&self, left: usize, right: usize) -> f64 {
        let both_bend = left.min(right) >= self.widths.len();
        let bend_gap = both_bend.then_some(self.bends * BEND_GAP);
        let gap = bend_gap.unwrap_or(GAP);
        f64::midpoint(self.width(left), self.width(right)) + gap
    }
}

fn columns(graph: &Layered, sizes: &Sizes) -> Vec<f64> {
    let mut x = vec![0.0; graph.above.len()];
    for layer in &graph.layers {
        spread(layer, &vec![(0.0, 1.0); layer.len()], sizes, &mut x);
    }
    let n_layers = graph.layers.len();
    for sweep in 0..SWEEPS {
        for step in 0..n_layers {
            let downwards = sweep % 2 == 0;
            let at = if downwards { step } else { n_layers - 1 - step };
            let layer = &graph.layers[at];
            let wishes: Vec<(f64, f64)> = layer.iter().map(|v| wish(graph, *v, &x)).collect();
            spread(layer, &wishes, sizes, &mut x);
        }
    }
    let left = |vertex: &usize| x[*vertex] - sizes.width(*vertex) / 2.0;
    let leftmost = graph.layers.iter().flatten().map(left);
    let shift = MARGIN - leftmost.fold(f64::INFINITY, f64::min);
    if shift.is_finite() {
        x.iter_mut().for_each(|x| *x += shift);
    }
    x
}

/// Where a vertex would like to be, and how much: the mean of its neighbours. Links between bends
/// pull more, so that long edges run straight.
fn wish(graph: &Layered, vertex: usize, x: &[f64]) -> (f64, f64) {
    let mut sums = [0.0, 0.0];
    for neighbour in graph.above[vertex].iter().chain(&graph.below[vertex]) {
        let weight = match (graph.is_bend(vertex), graph.is_bend(*neighbour)) {
            (true, true) => 8.0,
            (false, false) => 1.0,
            _ => 2.0,
        };
        sums[0] += weight * x[*neighbour];
        sums[1] += weight;
    }
    (sums[0] / sums[1], sums[1])
}

/// Puts the vertices of a layer at the places nearest to their wishes, in order and without
/// overlap: least squares under order constraints, solved by pooling adjacent violators (Ayer et
/// al. 1955). Complexity: O(vertices).
fn spread(layer: &[usize], wishes: &[(f64, f64)], sizes: &Sizes, x: &mut [f64]) {
    let mut offsets = vec![0.0; layer.len()];
    for (at, pair) in layer.windows(2).enumerate() {
        offsets[at + 1] = offsets[at] + sizes.distance(pair[0], pair[1]);
    }
    // Blocks of vertices that touch: wish of their common origin, weight, number of vertices.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::with_capacity(layer.len());
    for (wish, offset) in wishes.iter().zip(&offsets) {
        let mut block = (wish.0 - offset, wish.1, 1);
        while let Some(last) = blocks.pop_if(|last| last.0 > block.0) {
            let weight = last.1 + block.1;
            let origin = (last.0 * last.1 + block.0 * block.1) / weight;
            block = (origin, weight, last.2 + block.2);
        }
        blocks.push(block);
    }
    let origins = blocks.iter().flat_map(|b| std::iter::repeat_n(b.0, b.2));
    for ((vertex, offset), origin) in layer.iter().zip(&offsets).zip(origins) {
        x[*vertex] = origin + offset;
    }
}

/// The points of every edge. Ends at one side of a node stand apart, in the order of where they
/// come from.
fn ports(graph: &Layered, points: &[Point], widths: &[f64]) -> Vec<Vec<Point>> {
    let path = |chain: &Vec<usize>| chain.iter().map(|vertex| points[*vertex]).collect();
    let mut paths: Vec<Vec<Point>> = graph.chains.iter().map(path).collect();
    for (node, width) in widths.iter().enumerate() {
        for start in [true, false] {
            // The vertex at this end of an edge, and the one beside it.
            let ends = |chain: &[usize]| match chain {
                [first, second, ..] if start => (*first, *second),
                [.., before, last] => (*last, *before),
                _ => unreachable!("an edge has two ends"),
            };
            let chains = graph.chains.iter().enumerate();
            let here = chains.filter(|(_, chain)| ends(chain).0 == node);
            let mut edges: Vec<usize> = here.map(|(edge, _)| edge).collect();
            let towards = |edge: usize| points[ends(&graph.chains[edge]).1].x;
            edges.sort_by(|a, b| towards(*a).total_cmp(&towards(*b)));
            let room = (width - 12.0) / edges.len().max(2) as f64;
            let (gap, middle) = (room.min(PORT_GAP), (edges.len() as f64 - 1.0) / 2.0);
            for (at, edge) in edges.into_iter().enumerate() {
                let path = &mut paths[edge];
                let last = path.len() - 1;
                let point = &mut path[if start { 0 } else { last }];
                point.x += (at as f64 - middle) * gap;
                point.y += NODE_HEIGHT / 2.0 * if start { 1.0 } else { -1.0 };
            }
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn overlap(layout: &Layout, widths: &[f64], a: usize, b: usize) -> bool {
        let (p, q) = (layout.nodes[a], layout.nodes[b]);
        let apart = f64::midpoint(widths[a], widths[b]);
        (p.x - q.x).abs() < apart - 1e-6 && (p.y - q.y).abs() < NODE_HEIGHT
    }

    #[test]
    fn a_chain_is_a_straight_line() {
        let layout = lay_out(&[40.0, 60.0, 40.0], &[(0, 1), (1, 2)]);
        let x: Vec<f64> = layout.nodes.iter().map(|p| p.x.round()).collect();
        assert_eq!(x, [40.0, 40.0, 40.0]);
        assert_eq!(layout.width, 60.0 + 2.0 * MARGIN);
    }

    #[test]
    fn nothing_and_no_edges_are_drawn_too() {
        assert_eq!(lay_out(&[], &[]).paths.len(), 0);
        let layout = lay_out(&[300.0, 300.0, 300.0], &[]);
        assert!(!overlap(&layout, &[300.0; 3], 1, 2));
        assert!(layout.height > 3.0 * NODE_HEIGHT, "one row each");
    }

    #[test]
    fn touching_vertices_share_their_displacement() {
        // Two vertices of width 10 both wish for 0: 10 + GAP apart, evenly about 0.
        let mut x = [0.0, 0.0];
        let sizes = Sizes {
            widths: &[10.0, 10.0],
            bends: 1.0,
        };
        spread(&[0, 1], &[(0.0, 1.0), (0.0, 1.0)], &sizes, &mut x);
        let half = 0.5 * (10.0 + GAP);
        assert_eq!(x, [-half, half]);
    }

    #[test]
    fn a_full_graph_keeps_to_the_page() {
        let edges = (0..26).flat_map(|i| (i + 1..26).map(move |j| (i, j)));
        let layout = lay_out(&[180.0; 26], &edges.collect::<Vec<_>>());
        // 12 nodes above and 13 below the middle: 156 edges pass it, and at 11 each took 1700. A
        // fifth too wide is no harm, since the page shrinks it.
        assert!(layout.width < 1.2 * COMFORTABLE, "{}", layout.width);
        let few = layered(4, &[(0, 1), (1, 2), (2, 3), (0, 3), (0, 2), (1, 3)]);
        assert_eq!(Sizes::of(&few, &[60.0; 4]).bends, 1.0, "room for all");
    }

    /// Widths, and edges from lower to higher numbers.
    fn any_dag() -> impl Strategy<Value = (Vec<f64>, Vec<(usize, usize)>)> {
        prop::collection::vec(20.0..160.0f64, 1..14).prop_flat_map(|widths| {
            let n = widths.len();
            let coins = prop::collection::vec(prop::bool::weighted(0.3), n * n);
            coins.prop_map(move |coins| {
                let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
                let edges = pairs.filter(|(i, j)| coins[i * n + j]).collect();
                (widths.clone(), edges)
            })
        })
    }

    proptest! {
        #[test]
        fn edges_point_downwards_and_nodes_do_not_overlap((widths, edges) in any_dag()) {
            let layout = lay_out(&widths, &edges);
            for path in &layout.paths {
                prop_assert!(path.windows(2).all(|p| p[0].y < p[1].y), "{:?}", path);
            }
            for a in 0..widths.len() {
                for b in 0..a {
                    prop_assert!(!overlap(&layout, &widths, a, b), "{} {}", a, b);
                }
                let (at, half) = (layout.nodes[a], widths[a] / 2.0);
                prop_assert!(at.x - half > 0.0 && at.x + half < layout.width);
                prop_assert!(at.y > 0.0 && at.y < layout.height);
            }
            prop_assert_eq!(lay_out(&widths, &edges), layout);
        }
    }
}
