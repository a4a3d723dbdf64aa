//! The result in one sentence and as cards.

use maud::{Markup, html};

use super::content::Content;
use super::text::count;
use crate::data_spec::DataSpec;
use crate::result::{Found, GraphFound, NamedEdge, RunResult};

/// Edges that are stated at this probability are called sure.
const SURE: f64 = 0.9;

pub(super) fn sentence(content: &Content) -> String {
    let run = content.run;
    let mut parts = vec![count(run.schema.n_vars(), "variable")];
    if run.is_federation() {
        parts.push(count(run.sites.len(), "site"));
    }
    let n_rounds = run.rounds().len();
    parts.extend((n_rounds > 0).then(|| count(n_rounds, "round")));
    let edges = count(run.dag.n_edges(), "edge");
    let found = format!("{}: {edges}", parts.join(", "));
    let Some(scores) = &run.scores else {
        return found + ". The true graph is not known.";
    };
    let wrong = scores.graph.confusion;
    match scores.graph.shd {
        0 => found + "; against the known truth: 0 wrong.",
        shd => format!(
            "{found}; against the known truth: {shd} wrong ({} missing, {} extra, {} reversed).",
            wrong.missing, wrong.extra, wrong.reversed
        ),
    }
}

/// What is certain, what is not, and what to do next.
pub(super) fn certainty(content: &Content) -> Option<String> {
    let run = content.run;
    run.belief()?;
    let class = run.class.as_ref()?;
    let edges = run.edges();
    let sure =
        |e: &&NamedEdge<'_>| e.directed == Some(true) && e.probability.is_some_and(|p| p >= SURE);
    let (all, sure) = (edges.len(), edges.iter().filter(sure).count());
    let open = class.undirected_edges().count();
    let doubtful = all - sure - open.min(all - sure);
    let mut parts = vec![format!(
        "Of {}, {sure} are directed at {SURE} or more",
        count(all, "edge")
    )];
    parts.extend((open > 0).then(|| format!("the direction of {open} is open")));
    parts.extend((doubtful > 0).then(|| format!("{doubtful} are less sure")));
    let next = run
        .next_experiment()
        .map(|next| format!(" {}", next.sentence()));
    let text = format!("{}.{}", parts.join("; "), next.unwrap_or_default());
    (all > 0).then_some(text)
}

pub(super) fn cards(content: &Content) -> Markup {
    let run = content.run;
    let scores = run.scores.as_ref().map(|scores| &scores.graph);
    html! {
        dl.cards {
            @if let Some(scores) = scores {
                (card("SHD", scores.shd, "edges to add, remove or turn around to reach the truth"))
                (card("F1", format!("{:.3}", scores.f1), "precision and recall in one number; 1 is perfect"))
                (card("Precision", format!("{:.3}", scores.precision), "share of the found edges that are true"))
                (card("Recall", format!("{:.3}", scores.recall), "share of the true edges that were found"))
            }
            (card("Edges", run.dag.n_edges(), "direct effects in the graph"))
            @match &run.found {
                Found::Belief(_) => (of_study(content)),
                Found::Graph(found) => (of_rival(run, found)),
            }
            (card("Stopped", run.stop, run.stop.explanation()))
        }
    }
}

fn of_rival(run: &RunResult, found: &GraphFound) -> Markup {
    let class_shd = run.scores.as_ref().and_then(|scores| scores.shd_class);
    let open = run.class.as_ref().map(|c| c.undirected_edges().count());
    html! {
        @if let Some(shd) = class_shd { (card("SHD of the class", shd, "pairs that differ between what the data can show of both graphs")) }
        @if let Some(open) = open.filter(|open| *open > 0) { (card("Open", open, "edges that the data let point either way")) }
        @if let Some(score) = found.score { (card("Score", format!("{score:.1}"), "of the graph, on all rows; higher is better")) }
        @if let Some(conflicts) = found.conflicts { (card("Conflicts", conflicts, "signs in the graph that contradict the interventions")) }
    }
}

fn of_study(content: &Content) -> Markup {
    let (spec, run) = (content.spec, content.run);
    let n_rows = run.sites.iter().try_fold(0u64, |sum, site| {
        let profile = site.profile.as_ref()?;
        Some(sum.saturating_add(profile.n_samples))
    });
    let known = &spec.knowledge;
    let known = [
        known.required.len(),
        known.forbidden.len(),
        known.tiers.len(),
    ];
    let words = if run.is_federation() {
        [
            "what the sites\u{2019} rows are from",
            "at all sites together, each rounded to its band",
            "exchanges of beliefs between sites and coordinator",
        ]
    } else {
        [
            "what the rows are from",
            "in the table",
            "passes of learning, each with new networks",
        ]
    };
    html! {
        @if let Some(data) = &spec.data { (card("Data", data_name(data), words[0])) }
        @if let Some(n_rows) = n_rows { (card("Rows", n_rows, words[1])) }
        @if known != [0; 3] {
            (card("Knowledge", known.map(|n| n.to_string()).join(" / "), "edges required, edges forbidden, and tiers that were given beforehand"))
        }
        @if !run.rounds().is_empty() { (card("Rounds", run.rounds().len(), words[2])) }
        @if let Some(scored) = run.scored() {
            (card("Questions", scored.n_questions, "about sums over all rows, for the scores of graphs"))
            (card("Score", format!("{:.1}", scored.score), "of the graph, on all rows, in nats; higher is better"))
        }
    }
}

/// The data without its place: a page may travel where paths are nobody's business.
fn data_name(data: &DataSpec) -> String {
    match data {
        DataSpec::File(path) => {
            let name = path.file_name().unwrap_or(path.as_os_str());
            name.to_string_lossy().into_owned()
        }
        DataSpec::Generated(_) => "generated".to_owned(),
        DataSpec::Network(network) => network.name.clone(),
    }
}

/// A number or a word, and what it means.
pub fn card(name: &str, value: impl ToString, explanation: &str) -> Markup {
    /// As many digits of the large kind fit into a card.
    const LARGE: usize = 6;
    let value = value.to_string();
    let is_word = value.len() > LARGE || value.parse::<f64>().is_err();
    html! {
        div.card {
            dt { (name) }
            dd.value.word[is_word] { (value) }
            dd { (explanation) }
        }
    }
}
