//! A graph as JSON.

use crate::named_graph::NamedGraph;
use crate::read::{GraphJson, NamedEdge};

pub(super) fn format(graph: &NamedGraph) -> String {
    let edges = graph.graph.edges().map(|(cause, effect)| NamedEdge {
        cause: graph.names[cause.index()].clone(),
        effect: graph.names[effect.index()].clone(),
        probability: graph.edge_probability(cause, effect),
        gain: graph.gain(cause, effect),
        directed: !graph.is_open(cause, effect),
    });
    let file = GraphJson {
        variables: graph.names.clone(),
        edges: edges.collect(),
    };
    let mut text = serde_json::to_string_pretty(&file).expect("names and numbers are valid JSON");
    text.push('\n');
    text
}
