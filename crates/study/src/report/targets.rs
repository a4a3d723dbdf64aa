//! What a method says was intervened on, beside what the data name.

use maud::{Markup, html};

use crate::result::EstimatedTargets;

/// The table.
pub(super) fn targets(targets: &[EstimatedTargets]) -> Markup {
    html! {
        p { "The data name the targets on the left; what the rows show of them stands on the right." }
        div.scroll tabindex="0" role="region" aria-label="Targets" {
            table {
                caption { "Targets" }
                thead { tr {
                    th scope="col" { "marked as" }
                    th scope="col" { "intervened on" }
                } }
                tbody { @for EstimatedTargets { named, found } in targets { tr {
                    th scope="row" { (named.join(", ")) }
                    td.targets { @if found.is_empty() { "nothing that shows" } @else { (found.join(", ")) } }
                } } }
            }
        }
    }
}
