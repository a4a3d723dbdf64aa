//! Centralised discovery: rounds of [`Enco`] fed with their own posterior.
//!
//! When rounds end, and what tests change after each, is the matter of [`crate::rounds`].

use std::sync::Arc;

use fedcdi_core::{Belief, Dataset, RoundParams, Seed};

use super::{Enco, EncoParams};
use crate::fit::edge_rules::EdgeRules;
use crate::fit::samples::Samples;
use crate::learn_error::LearnError;
use crate::progress::Observer;
use crate::rounds::{self, RoundMethod};
pub use crate::rounds::{Discovery, RoundRecord, StopReason};

/// Finds a belief from one dataset.
///
/// # Errors
/// [`LearnError`] if a setting is out of range, the data cannot be learned from, or training
/// diverges.
pub fn discover(
    data: &Dataset,
    params: &EncoParams,
    rounds: &RoundParams,
    seed: Seed,
    observer: Option<Arc<dyn Observer>>,
) -> Result<Discovery, LearnError> {
    let mut method = Enco::new(params.clone(), data, seed)?;
    if let Some(observer) = observer {
        method = method.with_observer(observer);
    }
    discover_with(&mut method, &Belief::uninformed(data.n_vars()), rounds)
}

/// Rounds of `method` from `prior` on.
///
/// # Errors
/// As [`discover`].
pub fn discover_with(
    method: &mut Enco,
    prior: &Belief,
    rounds: &RoundParams,
) -> Result<Discovery, LearnError> {
    let mut discovery = rounds::run(method, prior, rounds)?;
    discovery.confounders = method.confounder_scores();
    Ok(discovery)
}

impl RoundMethod for Enco {
    fn can_orient(&self) -> bool {
        Self::can_orient(self)
    }

    fn round(&mut self, round: usize, prior: &Belief) -> Result<Belief, LearnError> {
        self.learn(round, prior)
    }

    fn evidence(&self) -> (&Samples, &EdgeRules) {
        (&self.setup.samples, &self.setup.rules)
    }
}
