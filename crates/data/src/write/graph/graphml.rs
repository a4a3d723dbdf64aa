//! A graph as GraphML. Nodes are `n0`, `n1`, ..; names and probabilities are data of their own.

use crate::named_graph::NamedGraph;

/// The error is the name that XML cannot express.
pub(super) fn format(graph: &NamedGraph) -> Result<String, String> {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
         \x20 <key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n\
         \x20 <key id=\"probability\" for=\"edge\" attr.name=\"probability\" attr.type=\"double\"/>\n\
         \x20 <graph edgedefault=\"directed\">\n",
    );
    for (at, name) in graph.names.iter().enumerate() {
        let name = escape(name)?;
        text += &format!("    <node id=\"n{at}\"><data key=\"name\">{name}</data></node>\n");
    }
    for (cause, effect) in graph.graph.edges() {
        let (source, target) = (cause.index(), effect.index());
        text += &format!("    <edge source=\"n{source}\" target=\"n{target}\"");
        text += &match graph.edge_probability(cause, effect) {
            Some(p) => format!("><data key=\"probability\">{p:?}</data></edge>\n"),
            None => "/>\n".to_owned(),
        };
    }
    text += "  </graph>\n</graphml>\n";
    Ok(text)
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
            '\n' | '\r' | '\t' => escaped += &format!("&#{};", c as u32),
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
