//! Discovery on one dataset: rounds of a method, each fed with the posterior of the one before.
//!
//! Ours: edges that the rows do not show are taken back after every round, so that the next one
//! learns without them; once the graph rests, edges that it lacks and the rows show come in; and
//! discovery ends when the graph has rested for some rounds.

use std::fmt;

use fedcdi_core::graph::extract;
use fedcdi_core::{Belief, Dag, Knowledge, RoundParams};
use ndarray::Array2;
use serde::Serialize;

use crate::fit::edge_rules::EdgeRules;
use crate::fit::samples::Samples;
use crate::independence::grafting::{Correction, Grafts};
use crate::learn_error::LearnError;

/// Why discovery ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The graph rested, or no edge probability moved by more than the tolerance, or a constraint
    /// is met.
    Converged,
    /// All rounds are done.
    RoundLimit,
    /// All iterations of a method without rounds are done, and its constraint is not met.
    IterationLimit,
    /// The observer asked to stop; the belief is that of the last whole round.
    Cancelled,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::RoundLimit => "round limit",
            Self::IterationLimit => "iteration limit",
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

impl RoundRecord {
    /// The change from `prior` to `posterior`.
    pub fn of(round: usize, prior: &Belief, posterior: &Belief) -> Self {
        let moves = &posterior.psi() - &prior.psi();
        Self {
            round,
            largest_move: moves.iter().fold(0.0, |largest, m| m.abs().max(largest)),
            n_edges: extract::raw(posterior).n_edges(),
        }
    }
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

/// A method that learns in rounds.
pub trait RoundMethod {
    /// Whether there are interventional rows; without them orientations cannot be identified.
    fn can_orient(&self) -> bool;

    /// The posterior after `round` (from 0).
    ///
    /// # Errors
    /// [`LearnError`] if the prior does not fit the data or the training fails.
    fn round(&mut self, round: usize, prior: &Belief) -> Result<Belief, LearnError>;

    /// The rows, and what is known of edges: what tests go by.
    fn evidence(&self) -> (&Samples, &EdgeRules);
}

/// Rounds of `method` from `prior` on.
///
/// # Errors
/// As [`RoundMethod::round`].
pub fn run(
    method: &mut impl RoundMethod,
    prior: &Belief,
    limits: &RoundParams,
) -> Result<Discovery, LearnError> {
    let mut discovery = Discovery {
        belief: prior.clone(),
        rounds: Vec::new(),
        stop_reason: StopReason::RoundLimit,
        oriented: method.can_orient(),
        confounders: None,
    };
    let (mut rest, mut grafts, mut quiet) = (Rest::default(), Grafts::default(), 0);
    for round in 0..limits.rounds as usize {
        let posterior = match method.round(round, &discovery.belief) {
            Err(LearnError::Cancelled) => {
                discovery.stop_reason = StopReason::Cancelled;
                break;
            }
            posterior => posterior?,
        };
        let (samples, rules) = method.evidence();
        let correction = Correction {
            samples,
            rules,
            pruning: limits.pruning,
            grafting: limits.grafting,
        };
        let posterior = correction.apply(&posterior, &mut grafts, rest.rounds > 0)?;
        let record = RoundRecord::of(round, &discovery.belief, &posterior);
        discovery.belief = posterior;
        discovery.rounds.push(record);
        let graph = extract::dag(&discovery.belief, &Knowledge::none(prior.n_vars()));
        let still = record.largest_move <= limits.tolerance;
        quiet = if still { quiet + 1 } else { 0 };
        let rested = rest.count(graph) >= limits.graph_patience as usize;
        if rested || quiet >= limits.patience {
            discovery.stop_reason = StopReason::Converged;
            break;
        }
    }
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
