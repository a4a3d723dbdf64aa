//! Whether the rows are enough, per client and target.
//!
//! Only the table: the verdict is made where the data is looked at.

use maud::{Markup, html};

/// The verdict on one client's rows under one intervention.
pub(super) struct SufficiencyRow<'a> {
    pub(super) client: &'a str,
    /// The intervened variable, or what else the rows are.
    pub(super) target: &'a str,
    pub(super) n_samples: usize,
    /// In a word.
    pub(super) verdict: &'a str,
    /// Why, or what would help.
    pub(super) reason: &'a str,
}

/// The body of the section; `page::sections` is where it goes, after the clients.
#[cfg_attr(not(test), expect(dead_code, reason = "no verdict is made yet"))]
pub(super) fn sufficiency(rows: &[SufficiencyRow]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Data sufficiency" {
            table {
                caption { "Rows of every client under every intervention" }
                thead { tr {
                    th scope="col" { "client" }
                    th scope="col" { "target" }
                    th.number scope="col" { "rows" }
                    th scope="col" { "verdict" }
                    th scope="col" { "why" }
                } }
                tbody { @for row in rows { tr {
                    th scope="row" { (row.client) }
                    td { (row.target) }
                    td.number { (row.n_samples) }
                    td { (row.verdict) }
                    td { (row.reason) }
                } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_is_a_row() {
        let row = SufficiencyRow {
            client: "a & b",
            target: "smoke",
            n_samples: 12,
            verdict: "few",
            reason: "12 rows",
        };
        let text = sufficiency(&[row]).into_string();
        assert!(text.contains("<th scope=\"row\">a &amp; b</th><td>smoke</td>"));
    }
}
