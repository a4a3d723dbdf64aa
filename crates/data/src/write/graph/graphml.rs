//! A graph as GraphML. Nodes are `n0`, `n1`, ..; names and probabilities are data of their own.

use crate::named_graph::NamedGraph;

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="name" for="node" attr.name="name" attr.type="string"/>
  <key id="probability" for="edge" attr.name="probability" attr.type="double"/>
  <graph edgedefault="directed">"#;

/// The error is the name that XML cannot express.
pub(super) fn format(graph: &NamedGraph) -> Result<String, String> {
    let mut lines = vec![HEAD.to_owned()];
    for (at, name) in graph.names.iter().enumerate() {
        let name = escape(name)?;
        lines.push(format!(
            "    <node id=\"n{at}\"><data key=\"name\">{name}</data></node>"
        ));
    }
    for (cause, effect) in graph.graph.edges() {
        let ends = format!(
            "source=\"n{}\" target=\"n{}\"{}",
            cause.index(),
            effect.index(),
            if graph.is_open(cause, effect) {
                " directed=\"false\""
            } else {
                ""
            },
        );
        lines.push(match graph.edge_probability(cause, effect) {
            Some(p) => format!("    <edge {ends}><data key=\"probability\">{p:?}</data></edge>"),
            None => format!("    <edge {ends}/>"),
        });
    }
    lines.push("  </graph>\n</graphml>\n".to_owned());
    Ok(lines.join("\n"))
}

fn escape(name: &str) -> Result<String, String> {
    let mut escaped = String::new();
    for c in name.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&apos;",
            // A reader would turn these into spaces or line feeds.
            '\n' => escaped += "&#10;",
            '\r' => escaped += "&#13;",
            '\t' => escaped += "&#9;",
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => return Err(name.to_owned()),
            _ => escaped.push(c),
        }
    }
    Ok(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        let escaped = escape("a<b & \"c\"\n").unwrap();
        assert_eq!(escaped, "a&lt;b &amp; &quot;c&quot;&#10;");
        assert_eq!(escape("a\u{1}"), Err("a\u{1}".to_owned()));
    }
}
