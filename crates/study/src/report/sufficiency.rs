//! Whether the rows are enough, per site and target.

use fedcdi_learn::sufficiency::Verdict;
use maud::{Markup, html};

use super::text::{Heading, LONG, NUMBERS, WORDS, table};
use crate::profile::{SiteVerdicts, VerdictDetail};
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
const UNREPORTED: &str = "Not reported. Sites judge their rows themselves and report the verdict if they agreed to (fedcdi inspect judges a table). Tables with real variables are not judged.";

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
            none: if sites.len() == 1 { REAL } else { UNREPORTED },
        }
    }

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
            "these pairs are where edges are likely. A pair is decided when the rows under an intervention on one of them show whether it moves the other."
        }
        (overview(verdicts))
        (remedies(verdicts))
        @if verdicts.details().next().is_some() {
            details {
                summary { "Every target" }
                (targets(verdicts))
            }
        } @else {
            p.hint { "Sites report their verdicts alone. At the site, " code { "fedcdi inspect" } " shows the reasons and what would help." }
        }
    }
}

fn overview(verdicts: &Verdicts) -> Markup {
    let in_detail = verdicts.details().next().is_some();
    let detailed = |heading: &'static str| in_detail.then_some((LONG, heading));
    let mut headings: Vec<Heading> = vec![(WORDS, "site"), (LONG, "observational rows")];
    headings.extend(detailed("a typical pair needs"));
    headings.push((WORDS, "for edges"));
    headings.extend(detailed("close pairs decided"));
    headings.push((WORDS, "for directions"));
    let rows = html! { @for Table { name, n_observational, verdicts } in &verdicts.tables { tr {
        th scope="row" { (name) }
        td.number { (n_observational) }
        @if in_detail { td.number { @if let Some(detail) = &verdicts.detail { (detail.rows_needed) } } }
        td { (mark(verdicts.existence)) }
        @if in_detail { td.number { @if let Some(detail) = &verdicts.detail {
            (detail.n_close_decided) " of " (detail.n_close)
        } } }
        td { (mark(verdicts.orientation)) }
    } } };
    let caption = "Verdicts on rows for edges, and for directions";
    table("Data sufficiency", caption, &headings, &rows)
}

/// A verdict that needs no colour.
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
    let headings = [
        (WORDS, "site"),
        (WORDS, "target"),
        (NUMBERS, "rows"),
        (WORDS, "verdict"),
        (NUMBERS, "moves"),
        (LONG, "does not move"),
        (NUMBERS, "undecided"),
    ];
    let rows = html! { @for (site, detail) in verdicts.details() { @for target in &detail.targets { tr {
        td { (site) }
        th scope="row" { (target.target) }
        td.number { (target.n_rows) }
        td { (mark(target.verdict)) }
        td.number { (target.n_moves) }
        td.number { (target.n_does_not_move) }
        td.number { (target.n_undecided) }
    } } } };
    let caption = "What the rows under an intervention decide about the variables associated with the target.";
    table(
        "Data sufficiency of every target",
        caption,
        &headings,
        &rows,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::SiteProfile;
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
        let sites = ["<one>", "two"].map(|name| SiteResult {
            name: name.to_owned(),
            profile: Some(SiteProfile::of(&table, 1)),
            graph: None,
            share: None,
            shd: None,
        });
        let text = sufficiency(&Verdicts::told(&sites)).into_string();
        for part in ["&lt;one&gt;", "smoke", "two", "300"] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        let text = sufficiency(&Verdicts::told(&[])).into_string();
        assert!(text.contains("Not reported"));
    }
}
