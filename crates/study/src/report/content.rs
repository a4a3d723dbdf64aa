//! What a page is about, whichever run it comes from.

use fedcdi_core::graph::GraphScores;
use fedcdi_core::{Cpdag, Dag, KnowledgeFile, Schema};
use fedcdi_data::Study;
use fedcdi_protocol::StopReason;
use fedcdi_protocol::rules::Shares;

use super::compare::{Common, Compared};
use super::curves::{Chart, Line, Role, Unit};
use super::repeat::{Repeat, Sent};
use super::strength::Strength;
use super::sufficiency::Verdicts;
use super::summary::{Fact, Stop};
use crate::baseline::EstimatedTargets;
use crate::data_spec::DataSpec;
use crate::discover::Found;
use crate::simulate::{Comparison, RunResult, SiteResult};
use crate::spec::{DiscoverSpec, SimulateSpec};

/// Everything that a page shows; what is empty or absent has no place on it.
pub(crate) struct Content<'a> {
    pub(super) heading: &'static str,
    pub(super) schema: &'a Schema,
    pub(super) dag: &'a Dag,
    /// The graphs that the data cannot tell from it, where the method knows.
    pub(super) class: Option<&'a Cpdag>,
    pub(super) strength: Strength<'a>,
    pub(super) truth: Option<&'a Dag>,
    pub(super) scores: Option<&'a GraphScores>,
    /// Of methods that learn in rounds.
    pub(super) n_rounds: Option<usize>,
    /// Numbers that only this method has.
    pub(super) facts: Vec<Fact>,
    pub(super) stop: Stop,
    /// What the reader must know before anything else.
    pub(super) warnings: Vec<String>,
    pub(super) charts: Vec<Chart>,
    /// Scores of the run and of what it is compared with, where there are no charts of it.
    pub(super) compared: Vec<Compared<'a>>,
    /// What the method says was intervened on.
    pub(super) targets: Vec<EstimatedTargets<'a>>,
    /// Of a federation.
    pub(super) clients: Vec<ClientRow<'a>>,
    pub(super) combined: Combined<'a>,
    pub(super) sent: Sent,
    pub(super) sufficiency: Verdicts,
    pub(super) repeat: Repeat,
}

/// How one graph came of several clients.
pub(super) enum Combined<'a> {
    /// There is one table.
    OneTable,
    /// Beliefs were aggregated.
    Aggregate {
        aggregator: &'a str,
        shares: Option<&'a Shares>,
    },
    /// Every client drew a graph, and each has the weight of its rows.
    Vote,
    /// The clients fit one graph together.
    Together,
}

impl<'a> Content<'a> {
    /// How much each client counted in the last aggregate, if there is one that can tell.
    pub(super) fn shares(&self) -> Option<&'a Shares> {
        match self.combined {
            Combined::Aggregate { shares, .. } => shares,
            _ => None,
        }
    }
}

/// A client and its data.
pub(super) struct ClientRow<'a> {
    pub(super) name: &'a str,
    /// None where the site does not tell.
    pub(super) n_samples: Option<u64>,
    pub(super) n_observational: Option<u64>,
    pub(super) targets: Vec<&'a str>,
    pub(super) shd: Option<usize>,
    /// Its place among the shares; absent if it did not report in the last round.
    pub(super) share: Option<usize>,
}

/// The page of a simulated federation.
pub(crate) fn simulation<'a>(
    spec: &'a SimulateSpec,
    run: &'a RunResult,
    comparison: Option<&'a Comparison>,
) -> Content<'a> {
    let outcome = &run.outcome;
    Content {
        heading: "Simulated federation",
        schema: &run.schema,
        dag: &outcome.dag,
        class: None,
        strength: Strength::Belief(&run.confidence, &outcome.belief),
        truth: run.truth.as_ref(),
        scores: run.scores.as_ref().map(|scores| &scores.graph),
        n_rounds: Some(outcome.rounds.len()),
        facts: federation_facts(spec, run),
        stop: match outcome.stop {
            StopReason::Converged => Stop::Converged,
            StopReason::RoundLimit => Stop::RoundLimit,
            StopReason::Cancelled => Stop::Cancelled,
        },
        warnings: (run.warnings.iter().cloned())
            .chain(uncompared(spec.compare, comparison.is_some()))
            .collect(),
        charts: federation_charts(run, comparison),
        compared: comparison.map_or_else(Vec::new, |with| compared(run, with)),
        targets: Vec::new(),
        clients: federation_rows(run),
        combined: Combined::Aggregate {
            aggregator: &spec.aggregate.kind,
            shares: outcome.shares.as_ref(),
        },
        sent: Sent::Beliefs {
            n_rounds: outcome.rounds.len(),
            exchange: spec.exchange,
            rounds: spec.coordinator,
            disclosure: spec.disclosure,
        },
        sufficiency: Verdicts::told(&run.sites),
        repeat: Repeat::simulation(spec, run.plan),
    }
}

/// The page of a discovery.
pub(crate) fn discovery<'a>(spec: &DiscoverSpec, found: &'a Found) -> Content<'a> {
    use fedcdi_learn::rounds::StopReason;
    Content {
        heading: "Causal discovery",
        schema: found.data.schema(),
        dag: &found.dag,
        class: None,
        strength: Strength::Belief(&found.confidence, &found.belief),
        truth: found.truth.as_ref(),
        scores: found.scores.as_ref().map(|scores| &scores.graph),
        n_rounds: Some(found.rounds.len()),
        facts: Vec::new(),
        stop: match found.stop_reason {
            StopReason::Converged => Stop::Converged,
            StopReason::RoundLimit => Stop::RoundLimit,
            StopReason::IterationLimit => Stop::IterationLimit,
            StopReason::Cancelled => Stop::Cancelled,
        },
        warnings: found.warning().map(str::to_owned).into_iter().collect(),
        charts: discovery_charts(found),
        compared: Vec::new(),
        targets: Vec::new(),
        clients: Vec::new(),
        combined: Combined::OneTable,
        sent: Sent::Nothing,
        sufficiency: Verdicts::of_tables(std::iter::once(("this table".to_owned(), &found.data))),
        repeat: Repeat::discovery(spec, found.data.schema()),
    }
}

/// What the run was about.
fn federation_facts(spec: &SimulateSpec, run: &RunResult) -> Vec<Fact> {
    let rows = (run.sites.iter()).try_fold(0u64, |sum, site| {
        let profile = site.profile.as_ref()?;
        Some(sum.saturating_add(profile.n_samples))
    });
    let mut facts = vec![Fact {
        name: "Data",
        value: data_name(&spec.data),
        meaning: "what the sites\u{2019} rows are from",
    }];
    facts.extend(rows.map(|rows| Fact {
        name: "Rows",
        value: rows.to_string(),
        meaning: "at all sites together, each rounded to its band",
    }));
    facts.extend(known(&spec.knowledge));
    facts
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

/// Background knowledge, if there is any.
fn known(knowledge: &KnowledgeFile) -> Option<Fact> {
    let KnowledgeFile {
        required,
        forbidden,
        tiers,
    } = knowledge;
    let n = required.len() + forbidden.len() + tiers.len();
    (n > 0).then(|| Fact {
        name: "Knowledge",
        value: format!("{} / {} / {}", required.len(), forbidden.len(), tiers.len()),
        meaning: "edges required, edges forbidden, and tiers that were given beforehand",
    })
}

/// The run beside the same rows without a federation; with or without a known truth.
fn compared<'a>(run: &'a RunResult, with: &'a Comparison) -> Vec<Compared<'a>> {
    let compared = |name: String, other: &'a RunResult| Compared {
        name,
        scores: other.scores.as_ref().map(|scores| &scores.graph),
        common: Some(Common::of(&run.outcome.dag, &other.outcome.dag)),
    };
    let mut all = vec![
        compared("federation".to_owned(), run),
        compared("all rows in one place".to_owned(), &with.centralised),
    ];
    let alone = run.sites.iter().zip(&with.isolated);
    all.extend(alone.map(|(site, alone)| compared(format!("{} alone", site.name), alone)));
    all
}

/// Said where a comparison was asked for and is not there: a page without it would look complete.
pub(super) fn uncompared(asked: bool, done: bool) -> Option<String> {
    (asked && !done).then(|| UNCOMPARED.to_owned())
}

/// The clients of a study, each with the SHD of its own graph if that is known.
pub(super) fn client_rows(
    study: &Study,
    own_shd: impl Fn(usize) -> Option<usize>,
) -> Vec<ClientRow<'_>> {
    let mut rows = Vec::with_capacity(study.clients().len());
    for (at, site) in study.clients().iter().enumerate() {
        let counts = site.data.interventional_counts();
        let targets = study.schema().ids().filter(|v| counts[v.index()] > 0);
        rows.push(ClientRow {
            name: &site.name,
            n_samples: Some(site.data.n_samples() as u64),
            n_observational: Some(site.data.observational().len() as u64),
            targets: targets.map(|v| study.schema().name(v)).collect(),
            shd: own_shd(at),
            share: None,
        });
    }
    rows
}

/// The sites of a study, as they describe themselves.
fn federation_rows(run: &RunResult) -> Vec<ClientRow<'_>> {
    let row = |site: &'_ SiteResult| {
        let profile = site.profile.as_ref();
        (
            profile.map(|p| p.n_samples),
            profile.map(|p| p.n_observational),
        )
    };
    let rows = run.sites.iter().map(|site| {
        let (n_samples, n_observational) = row(site);
        let targets = site.profile.iter().flat_map(|profile| &profile.targets);
        ClientRow {
            name: &site.name,
            n_samples,
            n_observational,
            targets: targets.map(String::as_str).collect(),
            shd: site.shd,
            share: site.share,
        }
    });
    rows.collect()
}

/// SHD, or edges where the truth is unknown; and how far the clients disagree.
fn federation_charts(run: &RunResult, comparison: Option<&Comparison>) -> Vec<Chart> {
    let mut wrong = Chart::new(Unit::Count("SHD"), "SHD per round", SHD_NOTE);
    let mut edges = Chart::new(Unit::Count("edges"), "Edges per round", EDGES_NOTE);
    let mut entropy = Chart::new(
        Unit::Measure("bits"),
        "Disagreement of the clients per round",
        ENTROPY_NOTE,
    );
    let shd = |run: &RunResult| {
        let shd = run.shd_per_round()?;
        Some(shd.into_iter().map(|shd| shd as f64).collect::<Vec<_>>())
    };
    let n_edges = |run: &RunResult| {
        let rounds = run.outcome.rounds.iter();
        rounds.map(|round| round.n_edges as f64).collect::<Vec<_>>()
    };
    let mut add = |name: String, role: Role, run: &RunResult| {
        edges
            .lines
            .push(Line::new(name.clone(), role, n_edges(run)));
        wrong
            .lines
            .extend(shd(run).map(|shd| Line::new(name, role, shd)));
    };
    add("federation".to_owned(), Role::Main, run);
    if let Some(comparison) = comparison {
        let together = "all rows in one place".to_owned();
        add(together, Role::Together, &comparison.centralised);
        for (client, alone) in run.sites.iter().zip(&comparison.isolated) {
            add(format!("{} alone", client.name), Role::Alone, alone);
        }
    }
    let rounds = run.outcome.rounds.iter();
    let values = rounds.map(|round| round.consensus_entropy).collect();
    entropy
        .lines
        .push(Line::new("federation".to_owned(), Role::Main, values));
    let first = if wrong.lines.is_empty() { edges } else { wrong };
    vec![first, entropy]
}

fn discovery_charts(found: &Found) -> Vec<Chart> {
    let mut edges = Chart::new(Unit::Count("edges"), "Edges per round", EDGES_NOTE);
    let mut moved = Chart::new(
        Unit::Measure("change"),
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

const UNCOMPARED: &str = "the comparison that was asked for (all rows in one place, each client alone) is missing: it was stopped or failed before it was done";
const SHD_NOTE: &str = "Edges to add, remove or turn around until the graph is the true one. Lower is better, 0 is perfect.";
const EDGES_NOTE: &str = "Edges of the graph after each round.";
const ENTROPY_NOTE: &str = "Mean entropy over ordered pairs of the clients\u{2019} votes on an edge, in bits: 0 if all agree.";
const MOVE_NOTE: &str = "How far the least settled edge still moved; near 0 when settled.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_that_is_missing_is_said_to_be() {
        let said = uncompared(true, false).unwrap();
        assert!(said.contains("missing"), "{said}");
        assert_eq!(uncompared(true, true), None);
        assert_eq!(uncompared(false, false), None);
    }
}
