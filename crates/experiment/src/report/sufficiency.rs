//! Whether the rows are enough, per client and target.

use fedcdi_core::Dataset;
use fedcdi_data::sufficiency::{Orientation, TargetSufficiency, Verdict};
use fedcdi_data::{FederationSufficiency, Study, Sufficiency};
use maud::{Markup, html};

use super::text::count;

/// Advice shown per client; the rest is what `fedcdi inspect` is for.
const REMEDIES: usize = 3;

/// The verdicts on the tables of a run.
pub(super) struct Verdicts {
    /// With the names of the clients; none if a variable is real.
    pub(super) tables: Vec<(String, Sufficiency)>,
    /// All together, where there are several.
    pub(super) together: Option<FederationSufficiency>,
}

impl Verdicts {
    /// On the clients of a study.
    pub(super) fn of(study: &Study) -> Self {
        let clients = study.clients().iter();
        Self::of_tables(clients.map(|client| (client.name.clone(), &client.data)))
    }

    /// On these tables, if they can be counted.
    pub(super) fn of_tables<'a>(tables: impl Iterator<Item = (String, &'a Dataset)>) -> Self {
        let judged = tables.map(|(name, table)| Some((name, Sufficiency::if_countable(table)?)));
        Self::new(judged.collect::<Option<_>>().unwrap_or_default())
    }

    fn new(tables: Vec<(String, Sufficiency)>) -> Self {
        let each: Vec<&Sufficiency> = tables.iter().map(|(_, verdict)| verdict).collect();
        let together = (each.len() > 1).then(|| FederationSufficiency::of(&each));
        Self {
            together: together.flatten(),
            tables,
        }
    }
}

/// The tables of verdicts, and what would help.
pub(super) fn sufficiency(verdicts: &Verdicts) -> Markup {
    if verdicts.tables.is_empty() {
        return html! { p { "Not judged: the verdict counts categories, and some variables are real." } };
    }
    html! {
        p {
            "Counted before anything was learned. Two variables are close if they are associated and no third one explains it better: "
            "these pairs are where edges are likely. A pair is decided when the rows under an intervention on one of them tell whether it moves the other."
        }
        (overview(verdicts))
        (remedies(verdicts))
        details {
            summary { "Every target" }
            (targets(verdicts))
        }
    }
}

fn overview(verdicts: &Verdicts) -> Markup {
    let row = |name: &str, table: Option<&Sufficiency>, orientation: &Orientation| {
        html! { tr {
            th scope="row" { (name) }
            td.number { @if let Some(table) = table { (table.existence.n_rows) } }
            td.number { @if let Some(table) = table { (table.existence.rows_needed) } }
            td { @if let Some(table) = table { (mark(table.existence.verdict)) } }
            td.number { (orientation.targets.len()) }
            td.number { (orientation.n_close_decided) " of " (orientation.n_close) }
            td { (mark(orientation.verdict)) }
        } }
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label="Data sufficiency" {
            table {
                caption { "Verdicts on rows for edges, and for directions" }
                thead { tr {
                    th scope="col" { "client" }
                    th.number.long scope="col" { "observational rows" }
                    th.number.long scope="col" { "a typical pair needs" }
                    th scope="col" { "verdict" }
                    th.number scope="col" { "targets" }
                    th.number.long scope="col" { "close pairs decided" }
                    th scope="col" { "verdict" }
                } }
                tbody {
                    @for (name, table) in &verdicts.tables { (row(name, Some(table), &table.orientation)) }
                    @if let Some(together) = &verdicts.together {
                        (row("all together", None, &together.orientation))
                    }
                }
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
    let short = |tables: &'_ [(String, Sufficiency)]| tables.len() == 1;
    let some = |(_, table): &&(String, Sufficiency)| !table.remedies.is_empty();
    let tables: Vec<_> = verdicts.tables.iter().filter(some).collect();
    html! {
        @if !tables.is_empty() {
            details open[short(&verdicts.tables)] {
                summary { "What would help" }
                dl {
                    @for (name, table) in tables {
                        dt { (name) }
                        @for remedy in table.remedies.iter().take(REMEDIES) { dd { (remedy) } }
                        @let more = table.remedies.len().saturating_sub(REMEDIES);
                        @if more > 0 { dd.hint { "and " (more) " more: see " code { "fedcdi inspect --json" } } }
                    }
                }
            }
        }
    }
}

fn targets(verdicts: &Verdicts) -> Markup {
    let all = verdicts.tables.iter().flat_map(|(name, table)| {
        let targets = table.orientation.targets.iter();
        targets.map(move |target| (name, target))
    });
    html! {
        div.scroll tabindex="0" role="region" aria-label="Data sufficiency of every target" {
            table {
                caption { "What the rows under an intervention decide about the variables associated with the target." }
                thead { tr {
                    th scope="col" { "client" }
                    th scope="col" { "target" }
                    th.number scope="col" { "rows" }
                    th scope="col" { "verdict" }
                    th.number scope="col" { "moves" }
                    th.number.long scope="col" { "does not move" }
                    th.number scope="col" { "undecided" }
                    th.long scope="col" { "what would help" }
                } }
                tbody { @for (client, target) in all { (target_row(client, target)) } }
            }
        }
    }
}

fn target_row(client: &str, target: &TargetSufficiency) -> Markup {
    html! { tr {
        td { (client) }
        th scope="row" { (target.target) }
        td.number { (target.n_rows) }
        td { (mark(target.verdict)) }
        td.number { (target.n_moves) }
        td.number { (target.n_does_not_move) }
        td.number { (target.n_undecided) }
        td {
            @if let Some(advice) = &target.advice {
                "about " (advice.more_rows) " more rows, for " (count(advice.n_decided, "open direction"))
            }
        }
    } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::{DatasetBuilder, Regime, Schema, VarId, Variable};
    use std::sync::Arc;

    #[test]
    fn every_client_and_target_has_its_row() {
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
        let verdict = Sufficiency::of(&table.finish().unwrap());
        let pair = Verdicts::new(vec![
            ("<one>".to_owned(), verdict.clone()),
            ("two".to_owned(), verdict.clone()),
        ]);
        let text = sufficiency(&pair).into_string();
        for part in ["&lt;one&gt;", "all together", "smoke", "two"] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        let alone = Verdicts::new(vec![("alone".to_owned(), verdict)]);
        let text = sufficiency(&alone).into_string();
        assert!(!text.contains("all together"));
        let text = sufficiency(&Verdicts::new(Vec::new())).into_string();
        assert!(text.contains("Not judged"));
    }
}
