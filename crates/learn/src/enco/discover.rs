//! Centralised discovery: rounds of [`Enco`] fed with their own posterior.
//!
//! Ours: edges that the rows do not show are taken back after every round
//! ([`EncoParams::pruning`]), so that the next one learns without them; once the graph rests, edges
//! that it lacks and the rows show come in ([`EncoParams::grafting`]); and discovery ends when the
//! graph has rested for [`EncoParams::patience`] rounds.

use std::fmt;
use std::sync::Arc;

use fedcdi_core::graph::extract;
use fedcdi_core::{Belief, Dag, Dataset, Knowledge, Seed};
use ndarray::Array2;

use super::grafting::Grafts;
use super::{Enco, EncoParams};
use crate::learn_error::LearnError;
use crate::progress::Observer;

/// Why discovery ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The graph rested, or no edge probability moved by more than the tolerance.
    Converged,
    /// All rounds are done.
    RoundLimit,
    /// The observer asked to stop; the belief is that of the last whole round.
    Cancelled,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::RoundLimit => "round limit",
            Self::Cancelled => "cancelled",
        })
    }
}

/// What a round changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundRecord {
    /// Round, from 0.
    pub round: usize,
    /// Largest change of an edge probability.
    pub largest_move: f64,
    /// Edges with positive existence and orientation after the round.
    pub n_edges: usize,
}

/// What discovery found.
#[derive(Clone, Debug)]
pub struct Discovery {
    /// Belief after the last round.
    pub belief: Belief,
    /// One record per round.
    pub rounds: Vec<RoundRecord>,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// False if there were no interventional rows: orientations are then guesses.
    pub oriented: bool,
    /// Scores of latent confounders, `[a, b]`, if asked for.
    pub confounders: Option<Array2<f64>>,
}

/// Finds a belief from one dataset.
///
/// # Errors
/// [`LearnError`] if a setting is out of range, the data cannot be learned from, or training
/// diverges.
pub fn discover(
    data: &Dataset,
    params: &EncoParams,
    seed: Seed,
    observer: Option<Arc<dyn Observer>>,
) -> Result<Discovery, LearnError> {
    let mut method = Enco::new(params.clone(), data, seed)?;
    if let Some(observer) = observer {
        method = method.with_observer(observer);
    }
    discover_with(&mut method, &Belief::uninformed(data.n_vars()))
}

/// Rounds of `method` from `prior` on.
///
/// # Errors
/// As [`discover`].
pub fn discover_with(method: &mut Enco, prior: &Belief) -> Result<Discovery, LearnError> {
    let (rounds, tolerance) = (method.params().rounds, method.params().tolerance);
    let mut discovery = Discovery {
        belief: prior.clone(),
        rounds: Vec::new(),
        stop_reason: StopReason::RoundLimit,
        oriented: method.can_orient(),
        confounders: None,
    };
    let (mut rest, mut grafts) = (Rest::default(), Grafts::default());
    for round in 0..rounds {
        let posterior = match method.learn(round, &discovery.belief) {
            Err(LearnError::Cancelled) => {
                discovery.stop_reason = StopReason::Cancelled;
                break;
            }
            posterior => method.correct(&posterior?, &mut grafts, rest.rounds > 0)?,
        };
        let record = compare(round, &discovery.belief, &posterior);
        discovery.belief = posterior;
        discovery.rounds.push(record);
        let graph = extract::dag(&discovery.belief, &Knowledge::none(prior.n_vars()));
        let rested = rest.count(graph) >= method.params().patience;
        if rested || record.largest_move <= tolerance {
            discovery.stop_reason = StopReason::Converged;
            break;
        }
    }
    discovery.confounders = method.confounder_scores();
    Ok(discovery)
}

/// Rounds in a row that left the graph as it was.
#[derive(Default)]
struct Rest {
    graph: Option<Dag>,
    rounds: usize,
}

impl Rest {
    /// Counts one more round.
    fn count(&mut self, graph: Dag) -> usize {
        let same = self.graph.as_ref() == Some(&graph);
        self.rounds = if same { self.rounds + 1 } else { 0 };
        self.graph = Some(graph);
        self.rounds
    }
}

fn compare(round: usize, prior: &Belief, posterior: &Belief) -> RoundRecord {
    let moves = &posterior.psi() - &prior.psi();
    let both = posterior.existence().iter().zip(posterior.orientation());
    RoundRecord {
        round,
        largest_move: moves.iter().fold(0.0, |largest, m| m.abs().max(largest)),
        n_edges: both.filter(|(e, o)| **e > 0.0 && **o > 0.0).count(),
    }
}
