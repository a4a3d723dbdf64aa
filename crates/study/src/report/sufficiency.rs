//! Whether the rows are enough, per site and target.

use fedcdi_learn::sufficiency::Verdict;
use maud::{Markup, html};

use super::text::{Heading, LONG, NUMBERS, WORDS, table};
use crate::profile::{SiteVerdicts, VerdictDetail};
use crate::result::SiteResult;

const REAL: &str = "Not judged: the verdict counts categories, and some variables are real.";
const UNREPORTED: &str = "Not reported. Sites judge their rows themselves and report the verdict if they agreed to (fedcdi inspect judges a table). Tables with real variables are not judged.";

struct Table<'a> {
    name: &'a str,
    n_observational: u64,
    verdicts: &'a SiteVerdicts,
}

/// What the words come from, where it is known.
fn details<'a>(tables: &'a [Table]) -> impl Iterator<Item = (&'a str, &'a VerdictDetail)> {
    let tables = tables.iter();
    tables.filter_map(|table| Some((table.name, table.verdicts.detail.as_ref()?)))
}

/// The verdicts that sites report, or those on the only table, and what would help.
pub(super) fn sufficiency(sites: &[SiteResult]) -> Markup {
    let (only, none) = match sites {
        [_] => (Some("this table"), REAL),
        _ => (None, UNREPORTED),
    };
    let tables = sites.iter().filter_map(|site| {
        let profile = site.profile.as_ref()?;
        Some(Table {
            name: only.unwrap_or(&site.name),
            n_observational: profile.n_observational,
            verdicts: profile.verdicts.as_ref()?,
        })
    });
    let tables: Vec<Table> = tables.collect();
    if tables.is_empty() {
        return html! { p { (none) } };
    }
    html! {
        p {
            "Counted before anything was learned. Two variables are close if they are associated and no third variable explains the association better. "
            "Edges are likely between close variables. A pair is decided when the rows under an intervention on one of them show whether it moves the other."
        }
        (overview(&tables))
        (remedies(&tables))
        @if details(&tables).next().is_some() {
            details {
                summary { "Every target" }
                (targets(&tables))
            }
        } @else {
            p.hint { "Sites report only their verdicts. At the site, " code { "fedcdi inspect" } " shows the reasons and what would help." }
        }
    }
}

fn overview(tables: &[Table]) -> Markup {
    let in_detail = details(tables).next().is_some();
    let detailed = |heading: &'static str| in_detail.then_some((LONG, heading));
    let mut headings: Vec<Heading> = vec![(WORDS, "site"), (LONG, "observational rows")];
    headings.extend(detailed("a typical pair needs"));
    headings.push((WORDS, "for edges"));
    headings.extend(detailed("close pairs decided"));
    headings.push((WORDS, "for directions"));
    let rows = html! { @for Table { name, n_observational, verdicts } in tables { tr {
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

fn mark(verdict: Verdict) -> Markup {
    let sign = match verdict {
        Verdict::Enough => "\u{2713}",
        Verdict::Thin => "\u{2248}",
        Verdict::TooFew => "\u{2717}",
        Verdict::NothingSeen => "\u{2013}",
    };
    html! { span aria-hidden="true" { (sign) " " } (verdict) }
}

fn remedies(tables: &[Table]) -> Markup {
    let some = |(_, detail): &(&str, &VerdictDetail)| !detail.remedies.is_empty();
    let helped: Vec<_> = details(tables).filter(some).collect();
    html! {
        @if !helped.is_empty() {
            details open[tables.len() == 1] {
                summary { "What would help" }
                dl {
                    @for (name, detail) in helped {
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

fn targets(tables: &[Table]) -> Markup {
    let headings = [
        (WORDS, "site"),
        (WORDS, "target"),
        (NUMBERS, "rows"),
        (WORDS, "verdict"),
        (NUMBERS, "moves"),
        (LONG, "does not move"),
        (NUMBERS, "undecided"),
    ];
    let rows = html! { @for (site, detail) in details(tables) { @for target in &detail.targets { tr {
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
            share: None,
            shd: None,
        });
        let text = sufficiency(&sites).into_string();
        for part in ["&lt;one&gt;", "smoke", "two", "300"] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        let text = sufficiency(&[]).into_string();
        assert!(text.contains("Not reported"));
    }
}
