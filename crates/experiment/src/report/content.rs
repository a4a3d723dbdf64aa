//! What a page is about, whichever run it comes from.

use fedcdi_core::{Belief, ClientId, Dag, Exchange, Schema, Shares};
use fedcdi_federation::{StopReason, Tested};

use super::curves::{Chart, Line, Role};
use super::repeat::Repeat;
use super::sufficiency::Verdicts;
use super::summary::Stop;
use crate::discover::{Found, UNORIENTED};
use crate::score::Scores;
use crate::simulate::{Comparison, Simulated};
use crate::spec::{DiscoverSpec, SimulateSpec};

/// Everything that a page shows.
pub(crate) struct Content<'a> {
    pub(super) heading: &'static str,
    pub(super) schema: &'a Schema,
    pub(super) belief: &'a Belief,
    pub(super) dag: &'a Dag,
    pub(super) truth: Option<&'a Dag>,
    pub(super) scores: Option<&'a Scores>,
    pub(super) n_rounds: usize,
    pub(super) stop: Stop,
    /// Something the reader must know before anything else.
    pub(super) warning: Option<&'static str>,
    pub(super) charts: Vec<Chart>,
    /// Of a federation.
    pub(super) clients: Vec<ClientRow<'a>>,
    pub(super) shares: Option<&'a Shares>,
    pub(super) aggregator: &'static str,
    /// What a client sends; nothing without a federation.
    pub(super) exchange: Option<Exchange>,
    /// Which tests clients sent.
    pub(super) tested: Tested,
    pub(super) sufficiency: Verdicts,
    pub(super) repeat: Repeat,
}

/// A client and its data.
pub(super) struct ClientRow<'a> {
    pub(super) name: &'a str,
    pub(super) n_samples: usize,
    pub(super) n_observational: usize,
    pub(super) targets: Vec<&'a str>,
    pub(super) shd: Option<usize>,
    /// Its place among the shares; absent if it did not report in the last round.
    pub(super) share: Option<usize>,
}

/// The page of a simulated federation.
pub(crate) fn simulation<'a>(
    spec: &SimulateSpec,
    run: &'a Simulated,
    comparison: Option<&Comparison>,
) -> Content<'a> {
    let outcome = &run.outcome;
    Content {
        heading: "Simulated federation",
        schema: run.study.schema(),
        belief: &outcome.belief,
        dag: &outcome.dag,
        truth: run.study.truth(),
        scores: run.scores.as_ref(),
        n_rounds: outcome.rounds.len(),
        stop: match outcome.stop {
            StopReason::Converged => Stop::Converged,
            StopReason::RoundLimit => Stop::RoundLimit,
            StopReason::Cancelled => Stop::Cancelled,
        },
        warning: (!run.study.has_interventions()).then_some(UNORIENTED),
        charts: federation_charts(run, comparison),
        clients: client_rows(run),
        shares: run.shares.as_ref(),
        aggregator: spec.aggregate.name(),
        exchange: Some(spec.exchange),
        tested: spec.coordinator.tested(),
        sufficiency: Verdicts::of(&run.study),
        repeat: Repeat::simulation(spec),
    }
}

/// The page of a discovery; `command` runs it again.
pub(crate) fn discovery<'a>(spec: &DiscoverSpec, found: &'a Found, command: String) -> Content<'a> {
    use fedcdi_learn::rounds::StopReason;
    Content {
        heading: "Causal discovery",
        schema: found.data.schema(),
        belief: &found.belief,
        dag: &found.dag,
        truth: found.truth.as_ref(),
        scores: found.scores.as_ref(),
        n_rounds: found.rounds.len(),
        stop: match found.stop_reason {
            StopReason::Converged => Stop::Converged,
            StopReason::RoundLimit => Stop::RoundLimit,
            StopReason::IterationLimit => Stop::IterationLimit,
            StopReason::Cancelled => Stop::Cancelled,
        },
        warning: found.warning(),
        charts: discovery_charts(found),
        clients: Vec::new(),
        shares: None,
        aggregator: "",
        exchange: None,
        tested: Tested::default(),
        sufficiency: Verdicts::of_tables(std::iter::once(("this table".to_owned(), &found.data))),
        repeat: Repeat::discovery(spec, command),
    }
}

fn client_rows(run: &Simulated) -> Vec<ClientRow<'_>> {
    let schema = run.study.schema();
    let row = |at: usize| {
        let (site, result) = (&run.study.clients()[at], &run.clients[at]);
        let counts = site.data.interventional_counts();
        let targets = schema.ids().filter(|v| counts[v.index()] > 0);
        let id = ClientId(at as u32 + 1);
        let reported = |shares: &Shares| shares.clients.iter().position(|c| *c == id);
        ClientRow {
            name: &site.name,
            n_samples: site.data.n_samples(),
            n_observational: site.data.observational().len(),
            targets: targets.map(|v| schema.name(v)).collect(),
            shd: result.shd,
            share: run.shares.as_ref().and_then(reported),
        }
    };
    (0..run.clients.len()).map(row).collect()
}

/// SHD, or edges where the truth is unknown; and how far the clients disagree.
fn federation_charts(run: &Simulated, comparison: Option<&Comparison>) -> Vec<Chart> {
    let mut wrong = Chart::new("SHD", "SHD per round", SHD_NOTE);
    let mut edges = Chart::new("edges", "Edges per round", EDGES_NOTE);
    let mut entropy = Chart::new(
        "bits",
        "Disagreement of the clients per round",
        ENTROPY_NOTE,
    );
    let shd = |run: &Simulated| {
        let shd = run.shd_per_round()?;
        Some(shd.into_iter().map(|shd| shd as f64).collect::<Vec<_>>())
    };
    let n_edges = |run: &Simulated| {
        let rounds = run.outcome.rounds.iter();
        rounds.map(|round| round.n_edges as f64).collect::<Vec<_>>()
    };
    let mut add = |name: String, role: Role, run: &Simulated| {
        edges
            .lines
            .push(Line::new(name.clone(), role, n_edges(run)));
        wrong
            .lines
            .extend(shd(run).map(|shd| Line::new(name, role, shd)));
    };
    if let Some(comparison) = comparison {
        for (client, alone) in run.clients.iter().zip(&comparison.isolated) {
            add(format!("{} alone", client.name), Role::Alone, alone);
        }
        add(
            "all rows in one place".to_owned(),
            Role::Together,
            &comparison.centralised,
        );
    }
    add("federation".to_owned(), Role::Main, run);
    let rounds = run.outcome.rounds.iter();
    let values = rounds.map(|round| round.consensus_entropy).collect();
    entropy
        .lines
        .push(Line::new("federation".to_owned(), Role::Main, values));
    let first = if wrong.lines.is_empty() { edges } else { wrong };
    vec![first, entropy]
}

fn discovery_charts(found: &Found) -> Vec<Chart> {
    let mut edges = Chart::new("edges", "Edges per round", EDGES_NOTE);
    let mut moved = Chart::new(
        "change",
        "Largest change of a probability per round",
        MOVE_NOTE,
    );
    let line = |of: fn(&fedcdi_learn::enco::RoundRecord) -> f64| {
        let values = found.rounds.iter().map(of).collect();
        Line::new("this run".to_owned(), Role::Main, values)
    };
    edges.lines.push(line(|round| round.n_edges as f64));
    moved.lines.push(line(|round| round.largest_move));
    vec![edges, moved]
}

const SHD_NOTE: &str = "Edges to add, remove or turn around until the graph is the true one. Lower is better, 0 is perfect.";
const EDGES_NOTE: &str = "Edges of the graph after each round.";
const ENTROPY_NOTE: &str = "Mean entropy over ordered pairs of the clients\u{2019} votes on an edge, in bits: 0 if all agree.";
const MOVE_NOTE: &str = "How far the least settled edge still moved; near 0 when settled.";
