//! `index.html`: every experiment on one page that needs nothing else.

use std::collections::BTreeMap;

use maud::{DOCTYPE, Markup, html};

use super::experiment::{Experiment, Size, View};
use super::figure;
use super::published::{self, Trust, Value};
use super::statistics::{RESAMPLES, Stat};
use super::summary::{Entry, Measure, Measured, Panel, Summary};
use fedcdi_study::report::{count, head, number};

const OWN_STYLE: &str = include_str!("page.css");

/// The whole page. There is no clock in it: the same results have the same bytes.
pub(crate) fn page(summaries: &[Summary], size: Size, seeds: u64) -> String {
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            (head("The paper's experiments: fedcdi", &[figure::STYLE, OWN_STYLE]))
            body {
                a.skip href="#experiments" { "Skip to the experiments" }
                (header(summaries, size, seeds))
                main id="experiments" {
                    @for summary in summaries { (section(summary)) }
                    (how_to_read())
                }
            }
        }
    };
    document.into_string() + "\n"
}

fn header(summaries: &[Summary], size: Size, seeds: u64) -> Markup {
    let done: usize = summaries.iter().map(|summary| summary.finished.0).sum();
    let planned: usize = summaries.iter().map(|summary| summary.finished.1).sum();
    html! {
        header {
            p.brand { "fedcdi " (env!("CARGO_PKG_VERSION")) ", fedcdi reproduce" }
            h1 { "The paper\u{2019}s experiments" }
            p.lead {
                (count(summaries.len(), "experiment")) " of Federated Causal Discovery from Interventions (UAI 2024), run again over "
                (count(seeds as usize, "seed")) ", beside the published numbers."
            }
            @if size == Size::Quick {
                p.warning role="note" {
                    strong { "A quick look. " } "Few seeds, small studies, half of the rounds: enough for the shape, not for the numbers."
                }
            }
            @if done < planned {
                p.warning role="note" {
                    strong { "Not finished. " } (done) " of " (planned) " results are there; resume the run for the others."
                }
            }
            nav aria-label="Experiments" {
                ul {
                    @for summary in summaries { li { a href={ "#" (summary.experiment.name) } { (summary.experiment.name) } } }
                    li { a href="#reading" { "how to read this" } }
                }
            }
        }
    }
}

fn section(summary: &Summary) -> Markup {
    let experiment = summary.experiment;
    let (done, planned) = summary.finished;
    html! {
        section id=(experiment.name) aria-labelledby={ (experiment.name) "-heading" } {
            h2 id={ (experiment.name) "-heading" } { (experiment.title) }
            p.where { code { (experiment.name) } " \u{b7} the paper: " (experiment.figure) @if done < planned { " \u{b7} " (done) " of " (planned) " results" } }
            p { (experiment.about) }
            @if done == 0 {
                p { "No results yet." }
            } @else {
                @if experiment.view == View::Table { (methods(summary)) } @else { (panels(summary)) }
                @if !experiment.notes.is_empty() { ul.notes { @for note in &experiment.notes { li { (note) } } } }
                (numbers(summary))
            }
        }
    }
}

fn panels(summary: &Summary) -> Markup {
    let name = &summary.experiment.name;
    html! {
        figure {
            ul.legend {
                @for (class, name) in figure::legend(summary) {
                    li { svg.sample viewBox="0 -6 44 12" aria-hidden="true" { (figure::sample(&class)) } (name) }
                }
            }
            ul.panels {
                @for (at, panel) in figure::drawn(summary).enumerate() {
                    li { (figure::panel(summary, panel, &format!("{name}-{}", at + 1))) }
                }
            }
            figcaption {
                @match summary.experiment.view {
                    View::EntropyPerRound => "Mean over seeds with 95 % intervals: entropy of the sites\u{2019} votes per ordered pair, in bits. 0 means that all agree.",
                    View::ShdPerRound => "Mean over seeds with 95 % intervals: SHD of the raw graph of every round\u{2019}s aggregate, as published. Lower is better.",
                    View::AtEnd | View::Table => "Mean over seeds with 95 % intervals: SHD of the raw graph at the end, as published. Lower is better.",
                }
            }
        }
    }
}

/// Table 1: our rows, then the paper's.
fn methods(summary: &Summary) -> Markup {
    let columns: Vec<&str> = summary.panels.iter().map(|p| &*p.name).collect();
    let cell = |line: &str, column: usize| {
        let entries = &summary.panels[column].entries;
        entries.iter().find(|entry| entry.line == line)
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label=(summary.experiment.title) {
            table.methods {
                caption { "SHD: raw graph, mean \u{b1} deviation over seeds; below it the 95 % interval of the mean, then the same for the acyclic graph (DAG) where it differs." }
                thead { tr { th scope="col" { "method" } @for column in &columns { th.number scope="col" { (column) } } } }
                tbody {
                    tr.group { th colspan=(columns.len() + 1) { "measured here" } }
                    @for line in &summary.lines {
                        tr {
                            th scope="row" { (line) }
                            @for column in 0..columns.len() {
                                td.number { @match cell(line, column) { Some(entry) => (scores(entry)), None => "-" } }
                            }
                        }
                    }
                    tr.group { th colspan=(columns.len() + 1) { "in the paper" } }
                    @for row in published::table() {
                        tr {
                            th scope="row" { (row.method) " " (kind(row.trust())) }
                            @for column in &columns {
                                td.number { @match row.values.get(*column) { Some((mean, sd)) => { (format!("{mean:.1} \u{b1} {sd:.1}")) }, None => "-" } }
                            }
                        }
                    }
                }
            }
        }
        ul.notes { @for (why, methods) in doubts() { li { (methods.join(", ")) ": " (why) "." } } }
    }
}

/// Methods that end with an acyclic graph have the same numbers twice, of which one is shown.
fn scores(entry: &Entry) -> Markup {
    let shown = entry.measured.iter().enumerate();
    let shown = shown.filter(|(at, measured)| *at == 0 || *entry.main() != measured.stat);
    html! {
        @for (at, measured) in shown {
            div.small[at > 0] {
                @if measured.measure == Measure::Shd { "DAG " }
                (format!("{:.1} \u{b1} {:.1}", measured.stat.mean, measured.stat.sd))
            }
            div.small { (interval(&measured.stat, 1)) }
        }
    }
}

/// Methods of published rows that are not to be relied on, by reason.
fn doubts() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut doubts: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for row in published::table() {
        if let Some(why) = row.trust().doubt() {
            doubts.entry(why).or_default().push(&*row.method);
        }
    }
    doubts
}

fn kind(trust: Trust) -> Markup {
    let why = trust.doubt();
    html! { span.kind.doubt[why.is_some()] title=[why] { (trust.word()) } }
}

fn numbers(summary: &Summary) -> Markup {
    let experiment = summary.experiment;
    let measures = experiment.view.measures();
    let is_table = experiment.view == View::Table;
    html! {
        details {
            summary { "Numbers" }
            div.scroll tabindex="0" role="region" aria-label={ (experiment.title) ", numbers" } {
                table.numbers {
                    caption { "Mean \u{b1} deviation over seeds, [95 % interval of the mean]" @if let Some(reference) = &experiment.reference { "; differences are to " (reference) ", seed by seed" } "." }
                    thead { tr {
                        th scope="col" { @if is_table { "graph" } @else { "panel" } }
                        @if !is_table { th.number scope="col" { (experiment.x_label) } }
                        th scope="col" { @if is_table { "method" } @else { "line" } }
                        th.number scope="col" { "seeds" }
                        @for measure in measures { th scope="col" { (measure.name()) } }
                        @if experiment.reference.is_some() { @for measure in measures { th scope="col" { "difference, " (measure.name()) } } }
                        th scope="col" { "the paper" }
                    } }
                    tbody { @for panel in &summary.panels { @for entry in &panel.entries { (row(summary, panel, entry)) } } }
                }
            }
        }
    }
}

fn row(summary: &Summary, panel: &Panel, entry: &Entry) -> Markup {
    let Experiment {
        view, reference, ..
    } = summary.experiment;
    let digits = match summary.measure() {
        Measure::ShdRaw | Measure::Shd => 1,
        Measure::Entropy => 3,
    };
    html! { tr {
        th scope="row" { (panel.name) }
        @if *view != View::Table { td.number { (number(entry.x)) } }
        td { (entry.line) }
        td.number { (entry.main().n) }
        @for Measured { stat, .. } in &entry.measured {
            td { (format!("{:.digits$} \u{b1} {:.digits$} ", stat.mean, stat.sd)) (interval(stat, digits)) }
        }
        @if reference.is_some() { @for measured in &entry.measured {
            td { @match measured.difference {
                Some(d) => (format!("{:+.digits$} [{:+.digits$}, {:+.digits$}]", d.mean, d.low, d.high)),
                None => "-",
            } }
        } }
        td { (paper(entry.published, digits)) }
    } }
}

fn interval(stat: &Stat, digits: usize) -> String {
    format!("[{:.digits$}, {:.digits$}]", stat.low, stat.high)
}

fn paper(value: Option<Value>, digits: usize) -> Markup {
    // Published entropies have two digits.
    let digits = digits.min(2);
    html! { @match value {
        Some(Value { value, trust }) => { (format!("{value:.digits$} ")) (kind(trust)) },
        None => "-",
    } }
}

fn how_to_read() -> Markup {
    html! {
        section id="reading" aria-labelledby="reading-heading" {
            h2 id="reading-heading" { "How to read this" }
            p { "SHD counts the pairs of variables that are joined wrongly: missing, extra or reversed. The " em { "raw" } " graph is the belief cut at one half and may have cycles; published curves are about it. The acyclic graph is what fedcdi gives its users." }
            p { "Intervals are 95 % percentile bootstrap intervals of the mean over seeds (" (RESAMPLES) " samples). With few seeds they are too narrow. Differences are taken seed by seed, on the same data: an interval that leaves out 0 is a difference that the seeds agree on." }
            p { "Per round the raw graph is that of the round\u{2019}s aggregate; at the end it is that of the result, which is the mean of the last aggregates (only the last where a line says paper). A run that ended early keeps its last value." }
            dl.facts {
                div { dt { (kind(Trust::Published)) } dd { "printed in the paper" } }
                div { dt { (kind(Trust::Digitised)) } dd { "read off a plot: good to 0.1 to 0.3; points behind other curves are missing" } }
                div { dt { (kind(Trust::NotTrustworthy(""))) } dd { "shown for completeness; the reason is in the notes" } }
            }
        }
    }
}
