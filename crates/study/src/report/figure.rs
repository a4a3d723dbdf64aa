//! The graph alone, as a piece of HTML that any page can hold: a notebook's, for one.

use maud::{PreEscaped, html};

use super::edges::edges;
use super::graph_svg::{Drawing, legend};
use super::strength::Strength;
use super::text::{count, sentence_of};
use crate::result::RunResult;

/// Colours of its own: the page around it may have any, and classes of the same names.
const STYLE: &str = include_str!("figure.css");

/// The graph of a run as a drawing with its warnings; no script, nothing from elsewhere.
pub fn figure(run: &RunResult) -> String {
    let (strength, class) = (Strength::of_run(run), run.class.as_ref());
    let edges = edges(&run.dag, strength, class, run.truth.as_ref());
    let drawing = Drawing::of(&run.schema, &edges);
    let figure = html! {
        div.fedcdi-figure {
            style { (PreEscaped(STYLE)) }
            p.lead { strong { (count(run.dag.n_edges(), "edge")) } " among " (count(run.schema.n_vars(), "variable")) ", by " (run.method) "." }
            @for warning in &run.warnings { p.warning { (sentence_of(warning)) } }
            (legend(&edges))
            @match &drawing {
                Some(drawing) => div.drawing { (drawing.sheet()) },
                None => p { "There are too many edges to draw." },
            }
        }
    };
    figure.into_string()
}
