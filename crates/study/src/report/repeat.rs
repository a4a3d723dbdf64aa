//! How to run it again, and what left the sites.

use fedcdi_core::{Grafting, Pruning};
use fedcdi_protocol::{Disclosure, Exchange, RoundParams};
use maud::{Markup, html};

use super::content::Content;
use super::text::count;
use crate::result::RunResult;
use crate::spec::Spec;

/// What makes the same run again.
pub(super) struct Repeat {
    command: &'static str,
    seed: u64,
    /// What it is of, and the fingerprint.
    fingerprint: (&'static str, String),
    /// All settings, as `spec.toml` beside the page has them.
    settings: String,
}

impl Repeat {
    pub(super) fn of(spec: &Spec, run: &RunResult) -> Self {
        let command = match (spec.clients, &spec.data) {
            (Some(1), None) => "fedcdi discover TABLE --spec spec.toml",
            (Some(1), Some(_)) => "fedcdi discover --spec spec.toml",
            _ => "fedcdi simulate --spec spec.toml",
        };
        let plan = run.belief().map(|found| ("plan", found.plan.to_string()));
        Self {
            command,
            seed: spec.seed,
            fingerprint: plan.unwrap_or_else(|| ("schema", run.schema.hash().to_string())),
            settings: spec.to_toml(),
        }
    }
}

/// What left each site.
pub(super) enum Sent {
    /// There is one table.
    Nothing,
    /// A report in every round.
    Beliefs {
        n_rounds: usize,
        exchange: Exchange,
        rounds: RoundParams,
        disclosure: Disclosure,
    },
    /// A graph, once.
    Graph,
    /// What a method that is federated itself exchanges.
    Parameters(&'static str),
}

/// The last section.
pub(super) fn repeat(content: &Content) -> Markup {
    let repeat = &content.repeat;
    html! {
        pre tabindex="0" { code { (repeat.command) } }
        p { "spec.toml lies beside this page." }
        dl.facts {
            div { dt { "seed" } dd { (repeat.seed) } }
            div { dt { "fedcdi" } dd { (env!("CARGO_PKG_VERSION")) } }
            div { dt { (repeat.fingerprint.0) } dd { code { (repeat.fingerprint.1) } } }
        }
        details {
            summary { "All settings" }
            pre tabindex="0" { code { (repeat.settings) } }
        }
    }
}

/// What left each site, in words.
pub(super) fn what_left(content: &Content) -> Markup {
    let n_vars = content.schema.n_vars();
    let n_pairs = n_vars * n_vars.saturating_sub(1);
    match content.sent {
        Sent::Nothing => html! {
            p { "Nothing: the table was read on one machine, and only the files of this folder were written." }
        },
        Sent::Graph => html! {
            p { "Once, its graph with the directions that its rows leave open, and how many rows it has. No row, no count of categories and no belief left it." }
        },
        Sent::Parameters(what) => html! { p { (what) " No row left it." } },
        Sent::Beliefs {
            n_rounds,
            exchange,
            rounds,
            disclosure,
        } => answers(n_rounds, n_pairs, exchange, (rounds, disclosure)),
    }
}

fn answers(
    n_rounds: usize,
    n_pairs: usize,
    exchange: Exchange,
    (rounds, disclosure): (RoundParams, Disclosure),
) -> Markup {
    let tested = match (rounds.pruning, rounds.grafting) {
        (Pruning::Never, Grafting::Never) => None,
        (_, Grafting::Never) => Some("each edge of the belief"),
        (Pruning::Never, _) => Some("once the graph rested, each pair without an edge"),
        _ => Some("each edge of the belief and, once the graph rested, each pair without one"),
    };
    let cell = disclosure.smallest_cell;
    html! {
        p {
            "In each of " (count(n_rounds, "round")) " a site sent one list of numbers that are made to be added up over sites. "
            "This study is clear: the coordinator also sees the list of every single site. It holds:"
        }
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
                    @if cell > 0.0 { "Values and combinations so rare that fewer than " (cell) " rows would be in a cell are left out. " }
                    "It is a summary of the site\u{2019}s counts; no count is sent."
                }
            }
        }
        @if disclosure.profile {
            p { "When it joined, a site described its data: rows as multiples of " (disclosure.row_band) ", the variables it intervened on, and in one word each whether its rows are enough for edges and for directions." }
        }
        p { "No row, no label of a category and no network left a site. Who sees a single site\u{2019}s numbers can learn from them how its variables depend on each other." }
    }
}
