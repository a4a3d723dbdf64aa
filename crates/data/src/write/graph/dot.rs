//! A graph for Graphviz; probabilities become labels of the edges.

use crate::named_graph::NamedGraph;

pub(super) fn format(graph: &NamedGraph) -> String {
    let names: Vec<String> = graph.names.iter().map(|name| quote(name)).collect();
    let mut lines: Vec<String> = names.iter().map(|name| format!("  {name};")).collect();
    for (cause, effect) in graph.graph.edges() {
        let (from, to) = (&names[cause.index()], &names[effect.index()]);
        let label = graph.edge_probability(cause, effect);
        let label = label.map(|p| format!("label=\"{p:.3}\""));
        let open = graph.is_open(cause, effect).then(|| "dir=none".to_owned());
        let attributes: Vec<String> = label.into_iter().chain(open).collect();
        let attributes = match attributes.join(", ") {
            none if none.is_empty() => none,
            some => format!(" [{some}]"),
        };
        lines.push(format!("  {from} -> {to}{attributes};"));
    }
    format!("digraph {{\n{}\n}}\n", lines.join("\n"))
}

/// In quotes; a backslash is doubled, so that it does not hide the closing quote and shows as one.
fn quote(name: &str) -> String {
    let name = name.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", name.replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_are_escaped() {
        assert_eq!(quote("a b"), "\"a b\"");
        assert_eq!(quote("say \"x\"\\"), "\"say \\\"x\\\"\\\\\"");
    }
}
