//! What a method estimates was intervened on, beside what the data name.

use maud::{Markup, html};

use super::text::{WORDS, table};
use crate::result::EstimatedTargets;

pub(super) fn targets(targets: &[EstimatedTargets]) -> Markup {
    let headings = [(WORDS, "marked as"), (WORDS, "intervened on")];
    let rows = html! { @for EstimatedTargets { named, found } in targets { tr {
        th scope="row" { (named.join(", ")) }
        td.targets { @if found.is_empty() { "nothing that shows" } @else { (found.join(", ")) } }
    } } };
    html! {
        p { "On the left, the targets that the data name. On the right, the targets that the rows show." }
        (table("Targets", "Targets", &headings, &rows))
    }
}
