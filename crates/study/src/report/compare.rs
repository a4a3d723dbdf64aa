//! A run beside the same rows without a federation, as a table: edges in common, and scores where the
//! truth is known.

use fedcdi_core::graph::Confusion;
use maud::{Markup, html};

use super::content::Content;
use super::text::{NUMBERS, WORDS, table};

pub(super) fn compare(content: &Content) -> Markup {
    let first = &content.run.dag;
    let is_scored = content.truth().is_some();
    let mut names = vec!["edges", "in common", "turned", "only here"];
    let mut caption = "Compared";
    if is_scored {
        names.extend(["SHD", "SID", "precision", "recall"]);
        caption = "Compared, and against the truth";
    }
    let mut headings = vec![(WORDS, "run")];
    headings.extend(names.into_iter().map(|name| (NUMBERS, name)));
    let rows = html! { @for (name, _, run) in content.runs() { tr {
        th scope="row" { (name) }
        @let shared = Confusion::of(first, &run.dag);
        @for n in [run.dag.n_edges(), shared.true_positives, shared.reversed, shared.extra] { td.number { (n) } }
        @if let Some(scores) = &run.scores {
            td.number { (scores.graph.shd) }
            td.number { (scores.graph.sid.map_or("-".to_owned(), |sid| sid.to_string())) }
            td.number { (format!("{:.3}", scores.graph.precision)) }
            td.number { (format!("{:.3}", scores.graph.recall)) }
        }
    } } };
    html! {
        p { "Edges are compared with those of the first row: the same, the same pair turned round, or a pair that the first row leaves unconnected." }
        (table("Comparison", caption, &headings, &rows))
    }
}
