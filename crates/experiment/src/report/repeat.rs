//! How to run it again, and what left the clients.

use fedcdi_core::Exchange;
use fedcdi_federation::Tested;
use maud::{Markup, html};
use serde::Serialize;

use super::content::Content;
use super::text::count;
use crate::baseline::BaselineSpec;
use crate::data_spec::DataSpec;
use crate::rival::RivalSpec;
use crate::run_folder::spec_text;
use crate::spec::{DiscoverSpec, SimulateSpec};

/// What makes the same run again.
pub(super) struct Repeat {
    command: &'static str,
    seed: u64,
    /// All settings, as `spec.toml` beside the page has them.
    settings: String,
}

impl Repeat {
    pub(super) fn simulation(spec: &SimulateSpec) -> Self {
        Self::new(SIMULATE, spec.seed, spec)
    }

    pub(super) fn rival(spec: &RivalSpec) -> Self {
        Self::new(SIMULATE, spec.seed, spec)
    }

    pub(super) fn discovery(spec: &DiscoverSpec) -> Self {
        Self::new(discover(spec.data.as_ref()), spec.seed, spec)
    }

    pub(super) fn baseline(spec: &BaselineSpec) -> Self {
        Self::new(discover(spec.data.as_ref()), spec.seed, spec)
    }

    fn new(command: &'static str, seed: u64, spec: &impl Serialize) -> Self {
        Self {
            command,
            seed,
            settings: spec_text(spec),
        }
    }
}

const SIMULATE: &str = "fedcdi simulate --spec spec.toml";

fn discover(data: Option<&DataSpec>) -> &'static str {
    match data {
        Some(_) => "fedcdi discover --spec spec.toml",
        None => "fedcdi discover TABLE --spec spec.toml",
    }
}

/// What left each client.
pub(super) enum Sent {
    /// There is one table.
    Nothing,
    /// A report in every round.
    Beliefs {
        n_rounds: usize,
        exchange: Exchange,
        tested: Tested,
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
            div { dt { "schema" } dd { code { (content.schema.hash()) } } }
        }
        details {
            summary { "All settings" }
            pre tabindex="0" { code { (repeat.settings) } }
        }
    }
}

/// What the clients' tests are about.
fn tested(tested: Tested) -> Option<&'static str> {
    match (tested.edges, tested.absent) {
        (true, true) => Some("edge, and once the graph had rested for each pair without one,"),
        (true, false) => Some("edge"),
        (false, true) => Some("pair without an edge"),
        (false, false) => None,
    }
}

/// What left each client, in words.
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
            tested,
        } => reports(n_rounds, n_pairs, exchange, tested),
    }
}

fn reports(n_rounds: usize, n_pairs: usize, exchange: Exchange, sent: Tested) -> Markup {
    html! {
        p {
            "In each of " (count(n_rounds, "round")) " a client sent one report: its number, the number of the round, a fingerprint of the names of variables and categories, its belief ("
            @match exchange {
                Exchange::Logits => { "existence and orientation of " (n_pairs) " ordered pairs" }
                Exchange::Psi => { "one probability for each of " (n_pairs) " ordered pairs" }
            }
            "), and how many rows it has: in all, observational, and under an intervention on each variable (and on each two, where some were set at once). "
            @if let Some(tested) = tested(sent) {
                "For each " (tested) " of the belief it was sent it added an independence test on its rows, as two numbers: G and its degrees of freedom. "
            }
            "No row, no count of categories and no network left it."
            @if exchange == Exchange::Psi {
                " A probability alone does not say whether an edge is unlikely or turned round: existence and orientation were split from it by factorisation, with the same existence both ways."
            }
        }
    }
}
