//! A graph for DAGitty. It reads `\"` as a quote and any other backslash as itself, and no control
//! characters.

use crate::named_graph::NamedGraph;

/// The error is the name that DAGitty cannot read.
pub(super) fn format(graph: &NamedGraph) -> Result<String, String> {
    let names = graph.names.iter().map(|name| quote(name));
    let names: Vec<String> = names.collect::<Result<_, _>>()?;
    let edges = graph.graph.edges().map(|(cause, effect)| {
        let is_open = graph.is_open(cause, effect);
        let (cause, effect) = (&names[cause.index()], &names[effect.index()]);
        let arrow = if is_open { "--" } else { "->" };
        format!("{cause} {arrow} {effect}")
    });
    let lines: Vec<String> = names.iter().cloned().chain(edges).collect();
    let kind = if graph.open.is_empty() { "dag" } else { "pdag" };
    Ok(format!("{kind} {{\n{}\n}}\n", lines.join("\n")))
}

fn quote(name: &str) -> Result<String, String> {
    let control = |c: char| matches!(c, '\0'..='\u{1f}' | '\u{7f}');
    if name.chars().any(control) || name.ends_with('\\') {
        return Err(name.to_owned());
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    if name.chars().all(plain) {
        return Ok(name.to_owned());
    }
    Ok(format!("\"{}\"", name.replace('"', "\\\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_only_where_needed() {
        assert_eq!(quote("X1").unwrap(), "X1");
        assert_eq!(quote("a-b \"c\" \\d").unwrap(), "\"a-b \\\"c\\\" \\d\"");
        assert!(quote("a\\").is_err() && quote("a\nb").is_err());
    }
}
