//! How to run it again, and what left the sites.

use fedcdi_core::{Grafting, Pruning};
use fedcdi_protocol::{Exchange, Scored};
use maud::{Markup, html};

use super::content::{Combined, Content};
use super::text::count;
use crate::spec::Spec;

pub(super) fn repeat(content: &Content) -> Markup {
    let (spec, run) = (content.spec, content.run);
    let command = match (spec.clients, &spec.data) {
        (Some(1), None) => "fedcdi discover TABLE --spec spec.toml",
        (Some(1), Some(_)) => "fedcdi discover --spec spec.toml",
        _ => "fedcdi simulate --spec spec.toml",
    };
    let (what, fingerprint) = match run.belief() {
        Some(found) => ("plan", found.plan.to_string()),
        None => ("schema", run.schema.hash().to_string()),
    };
    let of_study = run.belief().is_some_and(|found| found.study.is_some());
    html! {
        @if of_study {
            p { "The sites of this study keep their rows, so it cannot be run again from here. The same plan with the same tables gives the same graph and the same probabilities, whatever carries the messages." }
        } @else {
            pre tabindex="0" { code { (command) } }
            p { "spec.toml is in the same folder as this page." }
        }
        dl.facts {
            div { dt { "seed" } dd { (spec.seed) } }
            div { dt { "fedcdi" } dd { (env!("CARGO_PKG_VERSION")) } }
            div { dt { (what) } dd { code { (fingerprint) } } }
        }
        details {
            summary { "All settings" }
            pre tabindex="0" { code { (spec.to_toml()) } }
        }
    }
}

pub(super) fn what_left(content: &Content) -> Markup {
    match content.combined {
        Combined::OneTable => html! {
            p { "Nothing: the table was read on one machine, and only the files of this folder were written." }
        },
        Combined::Vote => html! {
            p { "Once, its graph with the directions that its rows leave open, and how many rows it has. No row, no count of categories and no belief left it." }
        },
        Combined::Together(what) => html! { p { (what) " No row left it." } },
        Combined::Aggregate(_) => answers(content),
    }
}

fn answers(content: &Content) -> Markup {
    let disclosure = content.spec.disclosure;
    let run = content.run;
    html! {
        @if !run.rounds().is_empty() { (of_rounds(content)) }
        @if let Some(scored) = run.scored() { (of_sums(scored)) }
        @if disclosure.profile {
            p { "When it joined, a site described its data: rows as multiples of " (disclosure.row_band) ", the variables it intervened on, and in one word each whether its rows are enough for edges and for directions." }
        }
        p { "No row, no label of a category and no network left a site. Anyone who sees a single site\u{2019}s numbers can learn from them how its variables depend on each other." }
    }
}

/// Sums over rows, for the search by scores.
fn of_sums(scored: &Scored) -> Markup {
    html! {
        p {
            "To " (count(scored.n_questions as usize, "question")) " a site sent sums over its rows, exactly as they are: "
            "how many rows have each pair of values, such tables for some larger sets of variables, and for models of one variable by others the log-likelihood and its slopes. "
            "Counts say more than beliefs. Groups of rows that the site\u{2019}s policy holds to be too small were left out before anything was counted."
        }
    }
}

fn of_rounds(content: &Content) -> Markup {
    html! {
        p {
            "In each of " (count(content.run.rounds().len(), "round")) " a site sent one list of numbers that are made to be added up over sites. "
            "This study is clear: the coordinator also sees the list of every single site. It holds:"
        }
        (list_of_numbers(content.spec, content.run.schema.n_vars()))
    }
}

pub(super) fn list_of_numbers(spec: &Spec, n_vars: usize) -> Markup {
    let Spec {
        exchange,
        disclosure,
        ..
    } = spec;
    let n_pairs = n_vars * n_vars.saturating_sub(1);
    let tested = tested(spec);
    html! {
        ul {
            li {
                @match exchange {
                    Exchange::Logits => { "the site\u{2019}s belief: existence and orientation of " (n_pairs) " ordered pairs, each times a weight, and the weights;" }
                    Exchange::Psi => { "the site\u{2019}s belief: one probability for each of " (n_pairs) " ordered pairs, times a weight, and the weights;" }
                }
            }
            li { "through the weights, how many rows it has and how many under an intervention on each variable, as multiples of " (disclosure.row_band) ";" }
            li { "the graph that it believes in by itself, as zeros and ones" @if tested.is_some() { ";" } @else { "." } }
            @if let Some(tested) = tested {
                li {
                    "for " (tested) ", how strongly its rows speak against independence, as one whole number. "
                    @if disclosure.smallest_cell > 0.0 { "Values and combinations so rare that fewer than " (disclosure.smallest_cell) " rows would be in a cell are left out. " }
                    "It is a summary of the site\u{2019}s counts; no count is sent."
                }
            }
        }
    }
}

fn tested(spec: &Spec) -> Option<&'static str> {
    match spec.coordinator.tests(spec.refine.search().is_some()) {
        (Pruning::Never, Grafting::Never) => None,
        (_, Grafting::Never) => Some("each edge of the belief"),
        (Pruning::Never, _) => Some("once the graph rested, each pair without an edge"),
        _ => Some("each edge of the belief and, once the graph rested, each pair without one"),
    }
}
