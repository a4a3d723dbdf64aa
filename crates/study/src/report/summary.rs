//! The result in one sentence and as cards.

use maud::{Markup, html};

use super::content::Content;
use super::text::count;

/// The sentence under the title.
pub(super) fn sentence(content: &Content) -> String {
    let mut parts = vec![count(content.schema.n_vars(), "variable")];
    if !content.clients.is_empty() {
        parts.push(count(content.clients.len(), "site"));
    }
    parts.extend(content.n_rounds.map(|n| count(n, "round")));
    let found = format!(
        "{}: {}",
        parts.join(", "),
        count(content.dag.n_edges(), "edge")
    );
    let Some(scores) = content.scores else {
        return found + ". The true graph is not known.";
    };
    let wrong = scores.confusion;
    match scores.shd {
        0 => found + "; against the known truth: 0 wrong.",
        shd => format!(
            "{found}; against the known truth: {shd} wrong ({} missing, {} extra, {} reversed).",
            wrong.missing, wrong.extra, wrong.reversed
        ),
    }
}

/// A number with its name and what it means.
pub(super) struct Fact {
    pub(super) name: &'static str,
    pub(super) value: String,
    pub(super) meaning: &'static str,
}

/// The key numbers.
pub(super) fn cards(content: &Content) -> Markup {
    let ratio = |value: f64| format!("{value:.3}");
    html! {
        dl.cards {
            @if let Some(scores) = content.scores {
                (card("SHD", &scores.shd.to_string(), "edges to add, remove or turn around to reach the truth"))
                (card("F1", &ratio(scores.f1), "precision and recall in one number; 1 is perfect"))
                (card("Precision", &ratio(scores.precision), "share of the found edges that are true"))
                (card("Recall", &ratio(scores.recall), "share of the true edges that were found"))
            }
            (card("Edges", &content.dag.n_edges().to_string(), "direct effects in the graph"))
            @for fact in &content.facts { (card(fact.name, &fact.value, fact.meaning)) }
            @if let Some(n_rounds) = content.n_rounds {
                (card("Rounds", &n_rounds.to_string(), if content.clients.is_empty() {
                    "passes of learning, each with new networks"
                } else {
                    "exchanges of beliefs between sites and coordinator"
                }))
            }
            (card("Stopped", &content.stop.to_string(), content.stop.explanation()))
        }
    }
}

fn card(name: &str, value: &str, explanation: &str) -> Markup {
    /// As many digits of the large kind fit into a card.
    const LARGE: usize = 6;
    let is_word = value.len() > LARGE || value.parse::<f64>().is_err();
    html! {
        div.card {
            dt { (name) }
            dd.value.word[is_word] { (value) }
            dd { (explanation) }
        }
    }
}
