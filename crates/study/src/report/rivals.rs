//! The pages of methods that give a graph but keep no belief: of one table, and among clients.

use fedcdi_rivals::StopReason;

use super::compare::{Common, Compared};
use super::content::{Combined, Content, client_rows, uncompared};
use super::repeat::{Repeat, Sent};
use super::strength::Strength;
use super::sufficiency::Verdicts;
use super::summary::{Fact, Stop};
use crate::baseline::{BaselineFound, BaselineMethod, BaselineSpec};
use crate::rival::{RivalComparison, RivalRun, RivalSpec};

/// The page of a discovery.
pub(crate) fn baseline<'a>(spec: &BaselineSpec, found: &'a BaselineFound) -> Content<'a> {
    Content {
        heading: heading(&spec.method),
        schema: found.data.schema(),
        dag: &found.dag,
        class: Some(&found.class),
        strength: found
            .weights
            .as_ref()
            .map_or(Strength::Unknown, Strength::Weights),
        truth: found.truth.as_ref(),
        scores: found.scores.as_ref().map(|scores| &scores.graph),
        n_rounds: None,
        facts: facts(found),
        stop: stop(found.stop_reason),
        warnings: found.warnings(),
        charts: Vec::new(),
        compared: Vec::new(),
        targets: found.estimated_targets(),
        clients: Vec::new(),
        combined: Combined::OneTable,
        sent: Sent::Nothing,
        sufficiency: Verdicts::of_tables(std::iter::once(("this table".to_owned(), &found.data))),
        repeat: Repeat::baseline(spec, found.data.schema()),
    }
}

/// The page of a baseline among clients.
pub(crate) fn rival<'a>(
    spec: &RivalSpec,
    run: &'a RivalRun,
    comparison: Option<&'a RivalComparison>,
) -> Content<'a> {
    let strength = match (&run.shares, &run.weights) {
        (Some(shares), _) => Strength::Votes(shares),
        (None, Some(weights)) => Strength::Weights(weights),
        (None, None) => Strength::Unknown,
    };
    let (combined, sent) = exchanged(&spec.method);
    Content {
        heading: heading(&spec.method),
        schema: run.study.schema(),
        dag: &run.dag,
        class: None,
        strength,
        truth: run.study.truth(),
        scores: run.scores.as_ref(),
        n_rounds: None,
        facts: Vec::new(),
        stop: stop(run.stop_reason),
        warnings: run
            .warnings()
            .into_iter()
            .chain(uncompared(spec.compare, comparison.is_some()))
            .collect(),
        charts: Vec::new(),
        compared: comparison.map_or_else(Vec::new, |with| compared(spec, run, with)),
        targets: Vec::new(),
        clients: client_rows(&run.study, |client| run.own_shd(client)),
        combined,
        sent,
        sufficiency: Verdicts::of(&run.study),
        repeat: Repeat::rival(spec, run.study.schema()),
    }
}

fn heading(method: &BaselineMethod) -> &'static str {
    match method {
        BaselineMethod::Gies(_) => "Causal discovery by GIES",
        BaselineMethod::Igsp(_) => "Causal discovery by IGSP",
        BaselineMethod::UtIgsp(_) => "Causal discovery by UT-IGSP",
        BaselineMethod::Notears(_) => "Causal discovery by NOTEARS",
        BaselineMethod::Feddag(_) => "Causal discovery by FedDAG",
    }
}

fn stop(reason: StopReason) -> Stop {
    match reason {
        StopReason::Converged => Stop::Settled,
        StopReason::Revisited => Stop::Revisited,
        StopReason::IterationLimit => Stop::IterationLimit,
        StopReason::Cancelled => Stop::Cancelled,
    }
}

/// How the clients' graph comes about, and what leaves them for it.
fn exchanged(method: &BaselineMethod) -> (Combined<'static>, Sent) {
    match method {
        BaselineMethod::Gies(_) | BaselineMethod::Igsp(_) | BaselineMethod::UtIgsp(_) => {
            (Combined::Vote, Sent::Graph)
        }
        BaselineMethod::Notears(_) => (Combined::Together, Sent::Parameters(NOTEARS)),
        BaselineMethod::Feddag(_) => (Combined::Together, Sent::Parameters(FEDDAG)),
    }
}

const NOTEARS: &str = "In every iteration, the parameters of its regressions of each variable on all others, and once how many rows these are from.";
const FEDDAG: &str = "After every few steps, the weights of the mask (and its networks, where the settings share all), and once how many rows these are from.";

/// What GIES, IGSP and the class of the graph have to say.
fn facts(found: &BaselineFound) -> Vec<Fact> {
    let fact = |name, value: String, meaning| Fact {
        name,
        value,
        meaning,
    };
    let open = found.class.undirected_edges().count();
    let class = found.scores.as_ref().map(|scores| {
        let meaning = "pairs that differ between what the data can tell of both graphs";
        fact("SHD of the class", scores.shd_class.to_string(), meaning)
    });
    let open = (open > 0).then(|| {
        let meaning = "edges that the data let point either way";
        fact("Open", open.to_string(), meaning)
    });
    let score = found.score.map(|score| {
        let meaning = "of the graph, on all rows; higher is better";
        fact("Score", format!("{score:.1}"), meaning)
    });
    let conflicts = found.conflicts.map(|conflicts| {
        let meaning = "signs in the graph that contradict the interventions";
        fact("Conflicts", conflicts.to_string(), meaning)
    });
    let facts = [class, open, score, conflicts].into_iter();
    facts.flatten().collect()
}

/// The run, all rows in one place, every client alone; nothing without a truth.
fn compared<'a>(
    spec: &RivalSpec,
    run: &'a RivalRun,
    with: &'a RivalComparison,
) -> Vec<Compared<'a>> {
    let clients = run.study.clients().iter().zip(&with.isolated);
    let alone = clients.map(|(client, run)| (format!("{} alone", client.name), run));
    let first = [
        (format!("{}, clients", spec.method.name()), run),
        ("all rows in one place".to_owned(), &with.centralised),
    ];
    let all = first.into_iter().chain(alone);
    all.map(|(name, other)| Compared {
        name,
        scores: other.scores.as_ref(),
        common: Some(Common::of(&run.dag, &other.dag)),
    })
    .collect()
}
