//! How to run it again, and what left the clients.

use fedcdi_core::Exchange;
use fedcdi_federation::Tested;
use maud::{Markup, html};
use serde::Serialize;

use super::content::Content;
use super::text::count;
use crate::spec::{DiscoverSpec, SimulateSpec};

/// What makes the same run again.
pub(super) struct Repeat {
    command: String,
    note: &'static str,
    seed: u64,
    /// All settings, as TOML.
    settings: String,
}

impl Repeat {
    pub(super) fn simulation(spec: &SimulateSpec) -> Self {
        Self {
            command: "fedcdi simulate --spec spec.toml".to_owned(),
            note: "spec.toml lies beside this page.",
            seed: spec.seed,
            settings: toml_of(spec),
        }
    }

    pub(super) fn discovery(spec: &DiscoverSpec, command: String) -> Self {
        Self {
            command,
            note: "Paths are those of the first run.",
            seed: spec.seed,
            settings: toml_of(spec),
        }
    }
}

fn toml_of(spec: &impl Serialize) -> String {
    toml::to_string(spec).expect("a spec has nothing that TOML lacks")
}

/// The last section.
pub(super) fn repeat(content: &Content) -> Markup {
    let repeat = &content.repeat;
    html! {
        pre tabindex="0" { code { (repeat.command) } }
        p { (repeat.note) }
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
    let Some(exchange) = content.exchange else {
        return html! { p { "Nothing: the table was read on one machine, and only the files of this folder were written." } };
    };
    let n_vars = content.schema.n_vars();
    let n_pairs = n_vars * n_vars.saturating_sub(1);
    html! {
        p {
            "In each of " (count(content.n_rounds, "round")) " a client sent one report: its number, the number of the round, a fingerprint of the names of variables and categories, its belief ("
            @match exchange {
                Exchange::Logits => { "existence and orientation of " (n_pairs) " ordered pairs" }
                Exchange::Psi => { "one probability for each of " (n_pairs) " ordered pairs" }
                Exchange::Gradients { .. } => { "as gradients of existence and orientation of " (n_pairs) " ordered pairs" }
            }
            "), and how many rows it has: in all, observational, and under an intervention on each variable (and on each two, where some were set at once). "
            @if let Some(tested) = tested(content.tested) {
                "For each " (tested) " of the belief it was sent it added an independence test on its rows, as two numbers: G and its degrees of freedom. "
            }
            "No row, no count of categories and no network left it."
            @if exchange == Exchange::Psi {
                " A probability alone does not say whether an edge is unlikely or turned round: existence and orientation were split from it by factorisation, with the same existence both ways."
            }
        }
    }
}
