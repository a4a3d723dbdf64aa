//! The edges of a graph with their probabilities: a table for people, objects for programs.

use std::fmt::Write as _;

use fedcdi_core::{Belief, Dag, Schema};
use fedcdi_experiment::likeliest_first;
use serde::Serialize;

use crate::output::Grid;

/// An edge as `--json` prints it.
#[derive(Serialize)]
pub(crate) struct Edge<'a> {
    cause: &'a str,
    effect: &'a str,
    probability: f64,
}

/// All edges, likeliest first.
pub(crate) fn edges<'a>(schema: &'a Schema, dag: &Dag, belief: &Belief) -> Vec<Edge<'a>> {
    let edges = likeliest_first(schema, dag, belief).into_iter();
    edges
        .map(|(cause, effect, probability)| Edge {
            cause,
            effect,
            probability,
        })
        .collect()
}

/// The likeliest `most` edges, and how many there are besides.
pub(crate) fn table(edges: &[Edge<'_>], most: usize) -> String {
    let mut grid = Grid::new(["cause", "", "effect", "probability"]);
    for edge in edges.iter().take(most) {
        let [cause, arrow, effect] = [edge.cause, "->", edge.effect].map(str::to_owned);
        grid.row([cause, arrow, effect, format!("{:.3}", edge.probability)]);
    }
    let mut text = grid.render();
    if let Some(more) = edges.len().checked_sub(most).filter(|more| *more > 0) {
        let _ = writeln!(text, "  and {more} more: see --json, or the files of --out");
    }
    text
}
