//! A graph as JSON.

use crate::named_graph::NamedGraph;
use crate::read::{EdgeJson, GraphJson};

pub(super) fn format(graph: &NamedGraph) -> String {
    let edges = graph.graph.edges().map(|(cause, effect)| EdgeJson {
        cause: graph.names[cause.index()].clone(),
        effect: graph.names[effect.index()].clone(),
        probability: graph.edge_probability(cause, effect),
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
