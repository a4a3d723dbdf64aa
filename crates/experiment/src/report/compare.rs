//! A run beside the same rows without a federation, as a table of scores.

use fedcdi_core::graph::GraphScores;
use maud::{Markup, html};

/// A run and its scores.
pub(super) struct Compared<'a> {
    pub(super) name: String,
    pub(super) scores: &'a GraphScores,
}

/// The table.
pub(super) fn compare(runs: &[Compared]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Comparison" {
            table {
                caption { "Against the truth" }
                thead { tr {
                    th scope="col" { "run" }
                    th.number scope="col" { "SHD" }
                    th.number scope="col" { "SID" }
                    th.number scope="col" { "precision" }
                    th.number scope="col" { "recall" }
                } }
                tbody { @for Compared { name, scores } in runs { tr {
                    th scope="row" { (name) }
                    td.number { (scores.shd) }
                    td.number { (scores.sid.map_or("-".to_owned(), |sid| sid.to_string())) }
                    td.number { (format!("{:.3}", scores.precision)) }
                    td.number { (format!("{:.3}", scores.recall)) }
                } } }
            }
        }
    }
}
