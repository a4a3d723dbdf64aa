//! One dataset to one graph.

use std::sync::Arc;

use fedcdi_core::graph::confidence;
use fedcdi_core::graph::extract;
use fedcdi_core::{Belief, ChoiceError, Dag, Dataset, KnowledgeError, Schema, Seed, VarId};
use fedcdi_data::NamedGraph;
use fedcdi_learn::enco::confounder::Confounders;
use fedcdi_learn::registry::Inputs;
use fedcdi_learn::rounds::{RoundRecord, StopReason};
use fedcdi_learn::{LearnError, Observer};
use ndarray::Array2;

use crate::registry::Unfit;
use crate::score::Scores;
use crate::spec::{DiscoverSpec, local_method};

/// Said where a method ran out of iterations.
pub const UNCONVERGED: &str = "the method ran out of iterations before its graph was acyclic: edges on cycles are removed by weight; raise max_iterations in its settings";

/// Said where nothing was intervened on.
pub const UNORIENTED: &str = "there are no interventional rows: the directions of edges are guesses; add rows with interventions to tell cause from effect";

/// What a discovery found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The data as it was used.
    pub data: Dataset,
    /// Belief after the last round.
    pub belief: Belief,
    /// The graph extracted from it.
    pub dag: Dag,
    /// Probability of every edge given that there is no cycle, `[cause, effect]`.
    pub confidence: Array2<f64>,
    /// One record per round.
    pub rounds: Vec<RoundRecord>,
    /// Epochs that were run.
    pub epochs: usize,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// Pairs with signs of a common cause that was not measured, and how strong they are (0..=1),
    /// strongest first; none if the settings did not ask for them.
    pub confounded: Vec<(VarId, VarId, f64)>,
    /// False if there were no interventional rows: directions are then guesses.
    pub oriented: bool,
    /// The truth, if it was given.
    pub truth: Option<Dag>,
    /// Scores, if the truth was given.
    pub scores: Option<Scores>,
}

/// Why a discovery has no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DiscoverError {
    /// The knowledge contradicts itself or the data.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// There is no such method, or a setting of it is not what it should be.
    #[error(transparent)]
    Choice(ChoiceError),
    /// The method cannot start or go on.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// The data does not have what the method needs.
    #[error(transparent)]
    Data(#[from] Unfit),
}

impl DiscoverError {
    /// Whether the user has to change something, as opposed to the training failing.
    pub fn is_bad_input(&self) -> bool {
        let failed = matches!(
            self,
            Self::Learn(LearnError::Diverged { .. } | LearnError::Cancelled)
        );
        !failed
    }
}

impl From<ChoiceError> for DiscoverError {
    fn from(error: ChoiceError) -> Self {
        match error {
            ChoiceError::Params(error) => LearnError::Params(error).into(),
            error => Self::Choice(error),
        }
    }
}

/// Runs what `spec` asks for.
///
/// # Errors
/// [`DiscoverError`] if knowledge, settings or data do not allow it, or training fails. A run that
/// is cancelled before its first round is over has nothing to give: [`LearnError::Cancelled`].
pub fn discover(
    data: &Dataset,
    truth: Option<&Dag>,
    spec: &DiscoverSpec,
    observer: Option<Arc<dyn Observer>>,
) -> Result<Found, DiscoverError> {
    let data = data.first(spec.rows.observational, spec.rows.per_intervention);
    let knowledge = spec.knowledge.check(data.schema())?;
    let method = local_method(&spec.method)?;
    let inputs = Inputs {
        data: &data,
        knowledge: &knowledge,
        seed: Seed::new(spec.seed).derive(&spec.method.name, 0),
        observer,
    };
    let found = on_workers(|| method.discover(inputs, &spec.coordinator));
    let found = found.map_err(|error| match error {
        LearnError::Params(_) | LearnError::Diverged { .. } | LearnError::Cancelled => error.into(),
        error => DiscoverError::from(Unfit::new(&spec.method.name, error, &data)),
    })?;
    if found.rounds.is_empty() {
        return Err(LearnError::Cancelled.into());
    }
    let dag = match spec.coordinator.extract {
        None => extract::dag(&found.belief, &knowledge),
        Some(params) => extract::extract(&found.belief, &knowledge, params).dag,
    };
    let raw = spec.coordinator.extract.unwrap_or_default().raw;
    let raw = raw.graph(&found.belief);
    let confidence = confidence(&found.belief, &knowledge);
    Ok(Found {
        truth: truth.cloned(),
        scores: truth.map(|truth| Scores::of(truth, &raw, &dag, &confidence)),
        epochs: found.rounds.len() * method.epochs(),
        belief: found.belief,
        rounds: found.rounds,
        stop_reason: found.stop_reason,
        oriented: found.oriented,
        confounded: found.confounders.as_ref().map_or_else(Vec::new, confounded),
        dag,
        confidence,
        data,
    })
}

/// Calls `work` on one of rayon's threads. Called from another, each of thousands of short parallel
/// loops would be handed over and waited for.
pub(crate) fn on_workers<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    rayon::scope(|_| work())
}

/// Pairs whose score points to a confounder.
fn confounded(scores: &Array2<f64>) -> Vec<(VarId, VarId, f64)> {
    let above = |((a, b), score): ((usize, usize), &f64)| {
        (a < b && *score >= Confounders::THRESHOLD).then_some((VarId(a), VarId(b), *score))
    };
    let mut pairs: Vec<_> = scores.indexed_iter().filter_map(above).collect();
    pairs.sort_by(|a, b| b.2.total_cmp(&a.2));
    pairs
}

impl Found {
    /// What a reader of the graph must know first.
    pub fn warning(&self) -> Option<&'static str> {
        match (self.oriented, self.stop_reason) {
            (false, _) => Some(UNORIENTED),
            (true, StopReason::IterationLimit) => Some(UNCONVERGED),
            _ => None,
        }
    }

    /// The edges as names, with their probabilities, likeliest first.
    pub fn edges(&self) -> Vec<(&str, &str, f64)> {
        likeliest_first(self.data.schema(), &self.dag, &self.confidence)
    }

    /// The graph with names and edge probabilities.
    pub fn named_graph(&self) -> NamedGraph {
        NamedGraph {
            probability: Some(self.confidence.clone()),
            ..NamedGraph::of(self.data.schema(), &self.dag)
        }
    }
}

/// The edges of a graph as names, with their probabilities, likeliest first.
pub(crate) fn likeliest_first<'a>(
    schema: &'a Schema,
    dag: &Dag,
    confidence: &Array2<f64>,
) -> Vec<(&'a str, &'a str, f64)> {
    let probability = |c: VarId, e: VarId| confidence[(c.index(), e.index())];
    let named = |(c, e)| (schema.name(c), schema.name(e), probability(c, e));
    let mut edges: Vec<(&str, &str, f64)> = dag.edges().map(named).collect();
    edges.sort_by(|a, b| {
        b.2.total_cmp(&a.2)
            .then_with(|| (a.0, a.1).cmp(&(b.0, b.1)))
    });
    edges
}
