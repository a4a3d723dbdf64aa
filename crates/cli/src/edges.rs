//! The edges of a graph with their probabilities: a table for people, objects for programs.

use std::fmt::Write as _;

use serde::Serialize;

use crate::output::Grid;

/// An edge as `--json` prints it.
#[derive(Serialize)]
pub(crate) struct Edge<'a> {
    cause: &'a str,
    effect: &'a str,
    probability: f64,
}

/// Edges with their probabilities as objects.
pub(crate) fn edges<'a>(found: Vec<(&'a str, &'a str, f64)>) -> Vec<Edge<'a>> {
    let found = found.into_iter();
    found
        .map(|(cause, effect, probability)| Edge {
            cause,
            effect,
            probability,
        })
        .collect()
}

/// Said where an edge of the graph is not likelier than not.
const DOUBTFUL: &str = "\
Below 0.5: that there is an edge is likelier than not, but not that it points this way; take it for a
hint.
";

/// The likeliest `most` edges, and how many there are besides.
pub(crate) fn table(edges: &[Edge<'_>], most: usize) -> String {
    if edges.is_empty() {
        return "  no edges\n".to_owned();
    }
    let mut grid = Grid::new(["cause", "", "effect", "probability"]);
    for edge in edges.iter().take(most) {
        let [cause, arrow, effect] = [edge.cause, "->", edge.effect].map(str::to_owned);
        grid.row([cause, arrow, effect, format!("{:.3}", edge.probability)]);
    }
    let mut text = grid.render();
    if let Some(more) = edges.len().checked_sub(most).filter(|more| *more > 0) {
        let _ = writeln!(text, "  and {more} more: see --json, or the files of --out");
    }
    if edges.iter().any(|edge| edge.probability < 0.5) {
        text += DOUBTFUL;
    }
    text
}
