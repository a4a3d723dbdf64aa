//! What every run returns, whatever the method.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use fedcdi_core::graph::{GraphScores, ProbabilityScores, shd};
use fedcdi_core::{Cpdag, Dag, Schema, VarId, VarSet};
use fedcdi_data::NamedGraph;
use fedcdi_protocol::coordinator::RefusalKind;
use fedcdi_protocol::{Changes, Digest, Moved, Outcome, RoundRecord, Scored, StopReason};
use fedcdi_rivals::{Ending, Weights};
use ndarray::Array2;
use serde::Serialize;

use crate::identified::Identified;
use crate::next::NextExperiment;
use crate::profile::SiteProfile;
use crate::report::count;

/// What a run came to. Of FedCDI it is made from what travelled alone: a coordinator of real sites has
/// the same.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// The method, by name.
    pub method: String,
    /// The variables.
    pub schema: Arc<Schema>,
    /// The graph.
    pub dag: Dag,
    /// The graphs that the data cannot tell from it, where the method knows.
    pub class: Option<Cpdag>,
    /// Why it ended.
    pub stop: Stop,
    /// One entry per site, in order.
    pub sites: Vec<SiteResult>,
    /// What a reader of the graph must know first.
    pub warnings: Vec<String>,
    /// The truth, if it is known.
    pub truth: Option<Dag>,
    /// Scores, if the truth is known.
    pub scores: Option<Scores>,
    /// What only methods of this kind give.
    pub found: Found,
}

/// What the graph was made from.
#[derive(Clone, Debug)]
pub enum Found {
    /// A belief that sites came to in rounds.
    Belief(Box<BeliefFound>),
    /// What a rival fits or counts.
    Graph(Box<GraphFound>),
}

/// What FedCDI came to.
#[derive(Clone, Debug)]
pub struct BeliefFound {
    /// The study between institutions, if it was one.
    pub(crate) study: Option<String>,
    pub(crate) plan: Digest,
    /// Belief, graphs and rounds.
    pub outcome: Outcome,
    /// Probability of every edge given that there is no cycle, `[cause, effect]`.
    pub(crate) confidence: Array2<f64>,
    /// What the direction of every edge is known from.
    pub(crate) known: Identified,
    pub(crate) next: Option<NextExperiment>,
    pub(crate) refusals: BTreeMap<RefusalKind, usize>,
    /// Edges that interventions rule out.
    pub(crate) ruled_out: Vec<(VarId, VarId)>,
    /// On one table: pairs with signs of a common cause that was not measured, and how strong they are
    /// (0..=1), strongest first.
    pub confounded: Vec<(VarId, VarId, f64)>,
}

/// What a rival came to.
#[derive(Clone, Debug, Default)]
pub struct GraphFound {
    /// Shares of the vote, `[cause, effect]`, where there was one.
    pub shares: Option<Array2<f64>>,
    /// What the graph was cut from, where the method fits weights.
    pub(crate) weights: Option<Weights>,
    /// The score of the graph, where one is maximised.
    pub score: Option<f64>,
    /// Signs in the graph that contradict the interventions, where the method counts them.
    pub conflicts: Option<usize>,
    /// For every set of variables that the data names as intervened on, the set that the method
    /// estimates, where it does.
    pub(crate) targets: Vec<(VarSet, VarSet)>,
}

/// What is known of a site.
#[derive(Clone, Debug)]
pub struct SiteResult {
    /// Its name.
    pub name: String,
    /// How it describes its data, if it does.
    pub(crate) profile: Option<SiteProfile>,
    /// Its place among the shares of the outcome.
    pub(crate) share: Option<usize>,
    /// SHD of the graph that it found by itself, in the last round. None if it did not answer, has no
    /// graph of its own, or the truth is not known.
    pub shd: Option<usize>,
}

/// The same rows without a federation.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// All rows in one place.
    pub centralised: RunResult,
    /// Every site alone, in order.
    pub isolated: Vec<RunResult>,
}

/// Every score of a run whose truth is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// Of the acyclic graph.
    #[serde(flatten)]
    pub graph: GraphScores,
    /// SHD of the raw thresholded graph of a belief, for comparison with the literature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shd_raw: Option<usize>,
    /// Pairs of variables whose status differs between the class found and that of the truth under the
    /// same targets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shd_class: Option<usize>,
    /// Of the probabilities that users see: those given that there is no cycle.
    #[serde(flatten)]
    pub probabilities: Option<ProbabilityScores>,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The graph or the belief no longer changed.
    Converged,
    /// Of a rival: no change was better, or the constraints are met.
    #[serde(rename = "converged")]
    Settled,
    /// A search came back to graphs that it had left.
    Revisited,
    /// All rounds are done.
    RoundLimit,
    /// Of a search by scores: all questions about sums are used up.
    QuestionLimit,
    /// All iterations are done, and the constraints are not met.
    IterationLimit,
    /// Stopped by the user.
    Cancelled,
}

impl From<StopReason> for Stop {
    fn from(reason: StopReason) -> Self {
        match reason {
            StopReason::Converged => Self::Converged,
            StopReason::RoundLimit => Self::RoundLimit,
            StopReason::Cancelled => Self::Cancelled,
        }
    }
}

impl From<Ending> for Stop {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Converged => Self::Settled,
            Ending::Revisited => Self::Revisited,
            Ending::IterationLimit => Self::IterationLimit,
            Ending::Cancelled => Self::Cancelled,
        }
    }
}

impl Stop {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Converged => ("converged", "graph or belief no longer changed"),
            Self::Settled => {
                let why = "no change was better, or the constraints are met";
                ("converged", why)
            }
            Self::Revisited => ("revisited", "the search came back to graphs it had left"),
            Self::RoundLimit => ("all rounds done", "as many as were asked for"),
            Self::QuestionLimit => {
                let why = "the search asked as often as it may";
                ("question limit", why)
            }
            Self::IterationLimit => {
                let why = "the iterations ran out before the constraints were met";
                ("iteration limit", why)
            }
            Self::Cancelled => ("stopped", "stopped by the user"),
        }
    }

    pub(crate) fn explanation(self) -> &'static str {
        self.words().1
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words().0)
    }
}

/// An edge as people see it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NamedEdge<'a> {
    /// Where it starts.
    pub cause: &'a str,
    /// Where it ends.
    pub effect: &'a str,
    /// How likely it is, in this direction, of a method that keeps a belief.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// How likely it is that there is an edge, in either direction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joined: Option<f64>,
    /// The share of all rows whose sites drew it, after a vote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub votes: Option<f64>,
    /// Nats that the score of all rows loses without it, where there was a search by scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain: Option<f64>,
    /// Nats that the score of all rows loses if it is turned, where there was a search by scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<f64>,
    /// Whether the data shows its direction, where the method knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directed: Option<bool>,
    /// What is known of its direction, and from what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<&'a str>,
}

/// A set of intervened variables as the data names it, and what was estimated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EstimatedTargets<'a> {
    /// In the data.
    pub named: Vec<&'a str>,
    /// By the method.
    pub found: Vec<&'a str>,
}

/// A search by scores of all rows, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SearchSummary {
    /// Questions about sums.
    pub questions: u32,
    /// Numbers that each site told.
    pub numbers: u64,
    /// Sites whose rows are in the sums.
    pub sites: usize,
    /// Edges that it added, removed and turned.
    #[serde(flatten)]
    pub changes: Changes,
    /// Whether nothing was left that improves the score.
    pub has_ended: bool,
}

impl RunResult {
    /// What FedCDI came to, if it ran.
    pub fn belief(&self) -> Option<&BeliefFound> {
        match &self.found {
            Found::Belief(found) => Some(found),
            Found::Graph(_) => None,
        }
    }

    /// What a rival came to, if one ran.
    pub fn rival(&self) -> Option<&GraphFound> {
        match &self.found {
            Found::Belief(_) => None,
            Found::Graph(found) => Some(found),
        }
    }

    /// Whether several sites took part.
    pub fn is_federation(&self) -> bool {
        self.sites.len() > 1
    }

    /// The rounds that were run; none of methods without rounds.
    pub fn rounds(&self) -> &[RoundRecord] {
        self.belief().map_or(&[], |found| &found.outcome.rounds)
    }

    /// The edges, likeliest first where that is known.
    pub fn edges(&self) -> Vec<NamedEdge<'_>> {
        let at = |values: Option<&Array2<f64>>, (c, e): (VarId, VarId)| {
            values.map(|values| values[(c.index(), e.index())])
        };
        let confidence = self.probabilities();
        let shares = self.rival().and_then(|found| found.shares.as_ref());
        let gains = self.gains();
        let turns = self.turns();
        let edge = |(c, e): (VarId, VarId)| NamedEdge {
            gain: gains.get(&(c, e)).copied(),
            turn: turns.get(&(c, e)).copied(),
            joined: confidence
                .map(|p| (p[(c.index(), e.index())] + p[(e.index(), c.index())]).min(1.0)),
            known: self
                .belief()
                .and_then(|found| Some(&**found.known.get(&(c, e))?)),
            cause: self.schema.name(c),
            effect: self.schema.name(e),
            probability: at(confidence, (c, e)),
            votes: at(shares, (c, e)),
            directed: self.class.as_ref().map(|class| class.has_directed(c, e)),
        };
        let mut edges: Vec<NamedEdge<'_>> = self.dag.edges().map(edge).collect();
        if confidence.is_some() {
            let likely = |edge: &NamedEdge<'_>| edge.probability.unwrap_or_default();
            edges.sort_by(|a, b| {
                let names = (a.cause, a.effect).cmp(&(b.cause, b.effect));
                likely(b).total_cmp(&likely(a)).then(names)
            });
        }
        edges
    }

    /// What moves what, if the sites were asked and told.
    pub fn moved(&self) -> Option<&Moved> {
        self.belief()?.outcome.moved.as_ref()
    }

    /// The edges that interventions rule out, by what moves what.
    pub fn ruled_out(&self) -> &[(VarId, VarId)] {
        self.belief().map_or(&[], |found| &found.ruled_out)
    }

    /// What the search by scores came to, if there was one.
    pub fn scored(&self) -> Option<&Scored> {
        self.belief()?.outcome.scored.as_ref()
    }

    /// The search by scores in numbers, if there was one.
    pub fn search(&self) -> Option<SearchSummary> {
        self.scored().map(|scored| SearchSummary {
            questions: scored.n_questions,
            numbers: scored.n_numbers,
            sites: scored.n_sites,
            changes: scored.changes,
            has_ended: scored.has_ended,
        })
    }

    /// Nats that the score of all rows loses without an edge, of every edge; empty without a search.
    pub fn gains(&self) -> BTreeMap<(VarId, VarId), f64> {
        let Some(found) = self.belief() else {
            return BTreeMap::new();
        };
        let scored = found.outcome.scored.iter();
        scored
            .flat_map(|scored| scored.gains_of(&found.outcome.dag))
            .filter(|((cause, effect), _)| self.dag.has_edge(*cause, *effect))
            .collect()
    }

    /// Nats that the score of all rows loses if an edge is turned; empty without a search.
    fn turns(&self) -> BTreeMap<(VarId, VarId), f64> {
        let found = self.belief().map(|found| &found.outcome);
        let scored = found.and_then(|found| Some((&found.dag, found.scored.as_ref()?)));
        let turns = scored
            .into_iter()
            .flat_map(|(dag, s)| dag.edges().zip(&s.odds.turns));
        turns.map(|(edge, nats)| (edge, *nats)).collect()
    }

    /// The experiment that would settle most, if one would.
    pub fn next_experiment(&self) -> Option<&NextExperiment> {
        self.belief()?.next.as_ref()
    }

    /// The score of the graph, where one is maximised.
    pub fn score(&self) -> Option<f64> {
        match &self.found {
            Found::Belief(found) => found.outcome.scored.as_ref().map(|scored| scored.score),
            Found::Graph(found) => found.score,
        }
    }

    /// What the search by scores changed, in a sentence.
    pub fn refinement(&self) -> Option<String> {
        let scored = self.scored().filter(|_| !self.rounds().is_empty())?;
        let Changes {
            added,
            removed,
            turned,
        } = scored.changes;
        Some(match (added, removed, turned) {
            (0, 0, 0) => "Scores of all rows confirmed the graph: no edge changed.".to_owned(),
            _ => format!(
                "Scores of all rows refined the graph: {} added, {removed} removed, {turned} turned.",
                count(added, "edge")
            ),
        })
    }

    /// Probability of every edge given that there is no cycle, `[cause, effect]`, of a method that keeps
    /// a belief.
    pub fn probabilities(&self) -> Option<&Array2<f64>> {
        self.belief().map(|found| &found.confidence)
    }

    /// The graph with names and, where there are some, probabilities or shares of the vote.
    pub(crate) fn named_graph(&self) -> NamedGraph {
        let shares = match &self.found {
            Found::Belief(found) => Some(found.confidence.clone()),
            Found::Graph(found) => found.shares.clone(),
        };
        let class = self.class.as_ref();
        let is_open = |(c, e): &_| class.is_some_and(|class| !class.has_directed(*c, *e));
        NamedGraph {
            probability: shares,
            open: self.dag.edges().filter(is_open).collect(),
            gains: self.gains(),
            ..NamedGraph::of(&self.schema, &self.dag)
        }
    }

    /// Whether some site intervened on something, as far as sites report.
    pub fn is_oriented(&self) -> bool {
        let profiles = self.sites.iter().filter_map(|site| site.profile.as_ref());
        let mut profiles = profiles.peekable();
        profiles.peek().is_none() || profiles.any(|profile| !profile.targets.is_empty())
    }

    /// SHD of the graph after every round, if the truth is known.
    pub fn shd_per_round(&self) -> Option<Vec<usize>> {
        let (truth, found) = (self.truth.as_ref()?, self.belief()?);
        let dags = found.outcome.dags.iter();
        Some(dags.map(|dag| shd(truth, dag)).collect())
    }

    /// What the method says was intervened on, by name.
    pub fn estimated_targets(&self) -> Vec<EstimatedTargets<'_>> {
        let names = |set: &VarSet| set.iter().map(|var| self.schema.name(var)).collect();
        let targets = self.rival().into_iter().flat_map(|found| &found.targets);
        let estimated = targets.map(|(named, found)| EstimatedTargets {
            named: names(named),
            found: names(found),
        });
        estimated.collect()
    }
}
