//! Centralised discovery: rounds of [`Enco`] fed with their own posterior.
//!
//! Ours: edges that the rows do not show are taken back after every round
//! ([`EncoParams::pruning`]), so that the next one learns without them; once the graph rests, edges
//! that it lacks and the rows show come in ([`EncoParams::grafting`]); and discovery ends when the
//! graph has rested for [`EncoParams::patience`] rounds.

use std::sync::Arc;

use fedcdi_core::{Belief, Dataset, Seed};

use super::{Enco, EncoParams};
use crate::grafting::Correction;
use crate::learn_error::LearnError;
use crate::progress::Observer;
use crate::rounds::{self, RoundLimits, RoundMethod};
pub use crate::rounds::{Discovery, RoundRecord, StopReason};

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
    let mut discovery = rounds::run(method, prior)?;
    discovery.confounders = method.confounder_scores();
    Ok(discovery)
}

impl RoundMethod for Enco {
    fn limits(&self) -> RoundLimits {
        let EncoParams {
            rounds,
            tolerance,
            patience,
            ..
        } = *self.params();
        RoundLimits {
            rounds,
            tolerance,
            patience,
        }
    }

    fn can_orient(&self) -> bool {
        Self::can_orient(self)
    }

    fn round(&mut self, round: usize, prior: &Belief) -> Result<Belief, LearnError> {
        self.learn(round, prior)
    }

    fn correction(&self) -> Correction<'_> {
        Correction {
            samples: &self.setup.samples,
            rules: &self.setup.rules,
            pruning: self.setup.params.pruning,
            grafting: self.setup.params.grafting,
        }
    }
}
