//! What a page is about, whichever run it comes from: by FedCDI or a rival, of one table or several sites.

use fedcdi_core::graph::GraphScores;
use fedcdi_core::{Cpdag, Dag, KnowledgeFile, Schema};
use fedcdi_protocol::RoundRecord;
use fedcdi_protocol::rules::Shares;

use super::compare::{Common, Compared};
use super::curves::{Chart, Line, Role, Unit};
use super::repeat::{Repeat, Sent};
use super::strength::Strength;
use super::sufficiency::Verdicts;
use super::summary::Fact;
use crate::catalogue::{Catalogue, Method};
use crate::data_spec::DataSpec;
use crate::result::{BeliefFound, Comparison, EstimatedTargets, Found, RunResult, Stop};
use crate::spec::Spec;

/// Everything that a page shows; what is empty or absent has no place on it.
pub(crate) struct Content<'a> {
    pub(super) heading: String,
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

impl<'a> Content<'a> {
    /// The page of a run.
    pub(super) fn of(
        spec: &'a Spec,
        run: &'a RunResult,
        comparison: Option<&'a Comparison>,
    ) -> Self {
        let one_table = run.sites.len() == 1;
        let (combined, sent) = if one_table {
            (Combined::OneTable, Sent::Nothing)
        } else {
            exchanged(spec, run)
        };
        let missing = (spec.compare && comparison.is_none()).then(|| UNCOMPARED.to_owned());
        Self {
            heading: heading(spec, run),
            schema: &run.schema,
            dag: &run.dag,
            class: run.class.as_ref(),
            strength: strength(run),
            truth: run.truth.as_ref(),
            scores: run.scores.as_ref().map(|scores| &scores.graph),
            n_rounds: run.belief().map(|_| run.n_rounds()),
            facts: facts(spec, run),
            stop: run.stop,
            warnings: run.warnings.iter().cloned().chain(missing).collect(),
            charts: run
                .belief()
                .map_or_else(Vec::new, |found| charts(run, found, comparison)),
            compared: comparison.map_or_else(Vec::new, |with| compared(run, with)),
            targets: run.estimated_targets(),
            clients: if one_table { Vec::new() } else { rows(run) },
            combined,
            sent,
            sufficiency: Verdicts::told(&run.sites),
            repeat: Repeat::of(spec, run),
        }
    }
}

fn heading(spec: &Spec, run: &RunResult) -> String {
    let method = Catalogue::default().methods.build(&spec.method);
    match (&run.found, method) {
        (Found::Belief(_), _) if run.sites.len() > 1 => "Simulated federation".to_owned(),
        (Found::Graph(_), Ok(method)) => {
            format!("Causal discovery by {}", method.about().title)
        }
        _ => "Causal discovery".to_owned(),
    }
}

fn strength(run: &RunResult) -> Strength<'_> {
    match &run.found {
        Found::Belief(found) => Strength::Belief(&found.confidence, &found.outcome.belief),
        Found::Graph(found) => match (&found.shares, &found.weights) {
            (Some(shares), _) => Strength::Votes(shares),
            (None, Some(weights)) => Strength::Weights(weights),
            (None, None) => Strength::Unknown,
        },
    }
}

/// How the sites' graph comes about, and what leaves them for it.
fn exchanged<'a>(spec: &'a Spec, run: &'a RunResult) -> (Combined<'a>, Sent) {
    match &run.found {
        Found::Belief(found) => {
            let combined = Combined::Aggregate {
                aggregator: &spec.aggregate.kind,
                shares: found.outcome.shares.as_ref(),
            };
            let sent = Sent::Beliefs {
                n_rounds: run.n_rounds(),
                exchange: spec.exchange,
                rounds: spec.coordinator,
                disclosure: spec.disclosure,
            };
            (combined, sent)
        }
        Found::Graph(_) => {
            let sent = match Catalogue::default().methods.build(&spec.method) {
                Ok(Method::Rival(rival)) => rival.sent(),
                _ => None,
            };
            match sent {
                Some(what) => (Combined::Together, Sent::Parameters(what)),
                None => (Combined::Vote, Sent::Graph),
            }
        }
    }
}

/// What the run was about, and what only some methods have to say.
fn facts(spec: &Spec, run: &RunResult) -> Vec<Fact> {
    let fact = |name, value: String, meaning| Fact {
        name,
        value,
        meaning,
    };
    let Some(found) = run.rival() else {
        return of_study(spec, run);
    };
    let class = run.scores.as_ref().and_then(|scores| scores.shd_class);
    let class = class.map(|shd| {
        let meaning = "pairs that differ between what the data can tell of both graphs";
        fact("SHD of the class", shd.to_string(), meaning)
    });
    let open = run
        .class
        .as_ref()
        .map(|class| class.undirected_edges().count());
    let open = open.filter(|open| *open > 0).map(|open| {
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

/// What the run was about.
fn of_study(spec: &Spec, run: &RunResult) -> Vec<Fact> {
    let rows = (run.sites.iter()).try_fold(0u64, |sum, site| {
        let profile = site.profile.as_ref()?;
        Some(sum.saturating_add(profile.n_samples))
    });
    let one_table = run.sites.len() == 1;
    let data = spec.data.as_ref().map(|data| Fact {
        name: "Data",
        value: data_name(data),
        meaning: if one_table {
            "what the rows are from"
        } else {
            "what the sites\u{2019} rows are from"
        },
    });
    let mut facts: Vec<Fact> = data.into_iter().collect();
    facts.extend(rows.map(|rows| Fact {
        name: "Rows",
        value: rows.to_string(),
        meaning: if one_table {
            "in the table"
        } else {
            "at all sites together, each rounded to its band"
        },
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
        common: Some(Common::of(&run.dag, &other.dag)),
    };
    let mut all = vec![
        compared(name_of(run), run),
        compared("all rows in one place".to_owned(), &with.centralised),
    ];
    let alone = run.sites.iter().zip(&with.isolated);
    all.extend(alone.map(|(site, alone)| compared(format!("{} alone", site.name), alone)));
    all
}

/// The sites of a study, as they describe themselves.
fn rows(run: &RunResult) -> Vec<ClientRow<'_>> {
    let rows = run.sites.iter().map(|site| {
        let profile = site.profile.as_ref();
        let targets = site.profile.iter().flat_map(|profile| &profile.targets);
        ClientRow {
            name: &site.name,
            n_samples: profile.map(|p| p.n_samples),
            n_observational: profile.map(|p| p.n_observational),
            targets: targets.map(String::as_str).collect(),
            shd: site.shd,
            share: site.share,
        }
    });
    rows.collect()
}

/// SHD, or edges where the truth is unknown; and how far the sites disagree.
fn charts(run: &RunResult, found: &BeliefFound, comparison: Option<&Comparison>) -> Vec<Chart> {
    let mut wrong = Chart::new(Unit::Count("SHD"), "SHD per round", SHD_NOTE);
    let mut edges = Chart::new(Unit::Count("edges"), "Edges per round", EDGES_NOTE);
    let shd = |run: &RunResult| {
        let shd = run.shd_per_round()?;
        Some(shd.into_iter().map(|shd| shd as f64).collect::<Vec<_>>())
    };
    let n_edges = |run: &RunResult| {
        let rounds = run
            .belief()
            .into_iter()
            .flat_map(|found| &found.outcome.rounds);
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
    add(name_of(run), Role::Main, run);
    if let Some(comparison) = comparison {
        let together = "all rows in one place".to_owned();
        add(together, Role::Together, &comparison.centralised);
        for (client, alone) in run.sites.iter().zip(&comparison.isolated) {
            add(format!("{} alone", client.name), Role::Alone, alone);
        }
    }
    let first = if wrong.lines.is_empty() { edges } else { wrong };
    vec![first, second_chart(run, &found.outcome.rounds)]
}

/// How far the sites disagree; on one table, how far the belief still moves.
fn second_chart(run: &RunResult, rounds: &[RoundRecord]) -> Chart {
    let (mut chart, of): (Chart, fn(&RoundRecord) -> f64) = if run.sites.len() == 1 {
        let title = "Largest change of a probability per round";
        let chart = Chart::new(Unit::Measure("change"), title, MOVE_NOTE);
        (chart, |round| round.belief_change)
    } else {
        let title = "Disagreement of the sites per round";
        let chart = Chart::new(Unit::Measure("bits"), title, ENTROPY_NOTE);
        (chart, |round| round.consensus_entropy)
    };
    let values = rounds.iter().map(of).collect();
    chart
        .lines
        .push(Line::new(name_of(run), Role::Main, values));
    chart
}

/// The run among what it is compared with.
fn name_of(run: &RunResult) -> String {
    match (&run.found, run.sites.len()) {
        (_, 1) => "this run".to_owned(),
        (Found::Belief(_), _) => "federation".to_owned(),
        (Found::Graph(_), _) => format!("{}, sites", run.method),
    }
}

const UNCOMPARED: &str = "the comparison that was asked for (all rows in one place, each site alone) is missing: it was stopped or failed before it was done";
const SHD_NOTE: &str = "Edges to add, remove or turn around until the graph is the true one. Lower is better, 0 is perfect.";
const EDGES_NOTE: &str = "Edges of the graph after each round.";
const ENTROPY_NOTE: &str = "Mean entropy over ordered pairs of the sites\u{2019} votes on an edge, in bits: 0 if all agree.";
const MOVE_NOTE: &str = "How far the least settled edge still moved; near 0 when settled.";
