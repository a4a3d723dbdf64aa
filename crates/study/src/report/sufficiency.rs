//! Whether the rows are enough, per client and target.

use fedcdi_learn::sufficiency::Verdict;
use maud::{Markup, html};

use crate::profile::{SiteVerdicts, TargetVerdict, VerdictDetail};
use crate::result::SiteResult;

/// The verdicts on the tables of a run.
pub(super) struct Verdicts {
    /// With the names of the sites and their observational rows.
    tables: Vec<Table>,
    /// Why there are none.
    none: &'static str,
}

/// A verdict, and whose it is.
struct Table {
    name: String,
    n_observational: u64,
    verdicts: SiteVerdicts,
}

const REAL: &str = "Not judged: the verdict counts categories, and some variables are real.";
const UNTOLD: &str = "Not told: sites judge their rows themselves, and tell it if they agreed to (fedcdi inspect judges a table), or some variables are real.";

impl Verdicts {
    /// As sites report them, or on the only table.
    pub(super) fn told(sites: &[SiteResult]) -> Self {
        let told = |site: &SiteResult| {
            let profile = site.profile.as_ref()?;
            let only = sites.len() == 1;
            Some(Table {
                name: if only {
                    "this table".to_owned()
                } else {
                    site.name.clone()
                },
                n_observational: profile.n_observational,
                verdicts: profile.verdicts.clone()?,
            })
        };
        Self {
            tables: sites.iter().filter_map(told).collect(),
            none: if sites.len() == 1 { REAL } else { UNTOLD },
        }
    }
}

impl Verdicts {
    /// What the words come from, where it is known.
    fn details(&self) -> impl Iterator<Item = (&str, &VerdictDetail)> {
        let tables = self.tables.iter();
        tables.filter_map(|table| Some((table.name.as_str(), table.verdicts.detail.as_ref()?)))
    }
}

/// The tables of verdicts, and what would help.
pub(super) fn sufficiency(verdicts: &Verdicts) -> Markup {
    if verdicts.tables.is_empty() {
        return html! { p { (verdicts.none) } };
    }
    html! {
        p {
            "Counted before anything was learned. Two variables are close if they are associated and no third one explains it better: "
            "these pairs are where edges are likely. A pair is decided when the rows under an intervention on one of them tell whether it moves the other."
        }
        (overview(verdicts))
        (remedies(verdicts))
        @if verdicts.details().next().is_some() {
            details {
                summary { "Every target" }
                (targets(verdicts))
            }
        } @else {
            p.hint { "Sites tell the words alone. What they come from, and what would help, " code { "fedcdi inspect" } " shows at the site." }
        }
    }
}

fn overview(verdicts: &Verdicts) -> Markup {
    let in_detail = verdicts.details().next().is_some();
    html! {
        div.scroll tabindex="0" role="region" aria-label="Data sufficiency" {
            table {
                caption { "Verdicts on rows for edges, and for directions" }
                thead { tr {
                    th scope="col" { "site" }
                    th.number.long scope="col" { "observational rows" }
                    @if in_detail { th.number.long scope="col" { "a typical pair needs" } }
                    th scope="col" { "for edges" }
                    @if in_detail { th.number.long scope="col" { "close pairs decided" } }
                    th scope="col" { "for directions" }
                } }
                tbody { @for Table { name, n_observational, verdicts } in &verdicts.tables { tr {
                    th scope="row" { (name) }
                    td.number { (n_observational) }
                    @if in_detail { td.number { @if let Some(detail) = &verdicts.detail { (detail.rows_needed) } } }
                    td { (mark(verdicts.existence)) }
                    @if in_detail { td.number { @if let Some(detail) = &verdicts.detail {
                        (detail.n_close_decided) " of " (detail.n_close)
                    } } }
                    td { (mark(verdicts.orientation)) }
                } } }
            }
        }
    }
}

/// A verdict that can be told apart without colour.
fn mark(verdict: Verdict) -> Markup {
    let sign = match verdict {
        Verdict::Enough => "\u{2713}",
        Verdict::Thin => "\u{2248}",
        Verdict::TooFew => "\u{2717}",
        Verdict::NothingSeen => "\u{2013}",
    };
    html! { span aria-hidden="true" { (sign) " " } (verdict) }
}

fn remedies(verdicts: &Verdicts) -> Markup {
    let some = |(_, detail): &(&str, &VerdictDetail)| !detail.remedies.is_empty();
    let tables: Vec<_> = verdicts.details().filter(some).collect();
    html! {
        @if !tables.is_empty() {
            details open[verdicts.tables.len() == 1] {
                summary { "What would help" }
                dl {
                    @for (name, detail) in tables {
                        dt { (name) }
                        @for remedy in &detail.remedies { dd { (remedy) } }
                        @if detail.n_more_remedies > 0 {
                            dd.hint { "and " (detail.n_more_remedies) " more: see " code { "fedcdi inspect --json" } }
                        }
                    }
                }
            }
        }
    }
}

fn targets(verdicts: &Verdicts) -> Markup {
    let all = verdicts.details().flat_map(|(name, detail)| {
        let targets = detail.targets.iter();
        targets.map(move |target| (name, target))
    });
    html! {
        div.scroll tabindex="0" role="region" aria-label="Data sufficiency of every target" {
            table {
                caption { "What the rows under an intervention decide about the variables associated with the target." }
                thead { tr {
                    th scope="col" { "site" }
                    th scope="col" { "target" }
                    th.number scope="col" { "rows" }
                    th scope="col" { "verdict" }
                    th.number scope="col" { "moves" }
                    th.number.long scope="col" { "does not move" }
                    th.number scope="col" { "undecided" }
                } }
                tbody { @for (site, target) in all { (target_row(site, target)) } }
            }
        }
    }
}

fn target_row(site: &str, target: &TargetVerdict) -> Markup {
    html! { tr {
        td { (site) }
        th scope="row" { (target.target) }
        td.number { (target.n_rows) }
        td { (mark(target.verdict)) }
        td.number { (target.n_moves) }
        td.number { (target.n_does_not_move) }
        td.number { (target.n_undecided) }
    } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::{DatasetBuilder, Regime, Schema, VarId, Variable};
    use std::sync::Arc;

    #[test]
    fn every_site_and_target_has_its_row() {
        let variables = vec![
            Variable::with_codes("a & b", 2),
            Variable::with_codes("smoke", 2),
        ];
        let schema = Arc::new(Schema::new(variables).unwrap());
        let mut table = DatasetBuilder::with_capacity(schema, 400);
        for at in 0..400u16 {
            let regime = if at % 4 == 0 {
                Regime::intervened([VarId(1)])
            } else {
                Regime::Observational
            };
            table.push(&[at % 2, at % 2], &regime).unwrap();
        }
        let table = table.finish().unwrap();
        let names = ["<one>", "two"].map(|name| (name.to_owned(), &table));
        let text = sufficiency(&Verdicts::of_tables(names.into_iter())).into_string();
        for part in ["&lt;one&gt;", "smoke", "two", "300"] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        let text = sufficiency(&Verdicts::told(&[])).into_string();
        assert!(text.contains("Not told"));
    }
}
