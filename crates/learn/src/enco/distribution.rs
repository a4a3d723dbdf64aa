//! Distribution fitting: every network learns its conditional under sampled parent sets.
//!
//! Paper: ENCO section 3.2.
//!
//! The belief is fixed during the stage, so the networks do not depend on each other: each runs
//! through all its steps before the next one starts, its weights stay in one core's cache, and no
//! core waits for another.

use fedcdi_core::Seed;
use rayon::prelude::*;

use super::logits::EdgeLogits;
use crate::fit::batches::Batches;
use crate::fit::conditional::{Conditional, Scratch};
use crate::fit::draws::{Draws, threshold};
use crate::fit::pool::Pool;
use crate::fit::samples::{Batch, Samples};
use crate::nn::AdamParams;

#[derive(Clone, Copy, Debug)]
pub(crate) struct DistributionStage<'a> {
    pub samples: &'a Samples,
    pub rows: &'a [u32],
    pub batch: usize,
    pub steps: usize,
    /// Number of steps of a real variable's network.
    pub real_steps: usize,
    pub adam: AdamParams,
    /// L2 decay relative to the mean loss of one network.
    pub weight_decay: f64,
    pub seed: Seed,
}

impl DistributionStage<'_> {
    /// Trains every network; calls `finished` after each. For each variable the step at which it
    /// diverged, if it did.
    pub(crate) fn run(
        &self,
        conditionals: &mut [Conditional],
        logits: &EdgeLogits,
        scratch: &Pool<Scratch>,
        finished: impl Fn() + Sync,
    ) -> Vec<Option<usize>> {
        let order = self.order();
        let fit = |conditional: &mut Conditional| {
            let make = || Scratch::new(self.samples, self.batch);
            let diverged = scratch.with(make, |s| self.fit(conditional, logits, &order, s));
            finished();
            diverged
        };
        conditionals
            .par_iter_mut()
            .with_max_len(1)
            .map(fit)
            .collect()
    }

    /// The rows of all steps, one batch after another, the same for every network. They are copied
    /// in this order: looking them up one by one would miss the cache at every sample.
    fn order(&self) -> Batch {
        let mut batches = Batches::new(self.rows.to_vec(), &self.seed.derive("order", 0));
        let variables = 0..self.samples.n_vars();
        let most = variables.map(|v| self.steps_of(v)).max().unwrap_or(0);
        let mut order = Vec::with_capacity(most * self.batch_size());
        for _ in 0..most {
            order.extend_from_slice(batches.next(self.batch));
        }
        let mut batch = Batch::default();
        batch.fill(self.samples, &order);
        batch
    }

    fn steps_of(&self, variable: usize) -> usize {
        if self.samples.is_real(variable) {
            self.real_steps
        } else {
            self.steps
        }
    }

    fn batch_size(&self) -> usize {
        self.batch.min(self.rows.len())
    }

    fn fit(
        &self,
        conditional: &mut Conditional,
        logits: &EdgeLogits,
        order: &Batch,
        scratch: &mut Scratch,
    ) -> Option<usize> {
        let effect = conditional.variable();
        let probability = |cause| threshold(logits.probability(cause, effect));
        let thresholds: Vec<u32> = (0..logits.n_vars()).map(probability).collect();
        let mut draws = Draws::new(&self.seed.derive("parents", effect));
        let steps = self.steps_of(effect);
        for number in 0..steps {
            let range = number * self.batch_size()..(number + 1) * self.batch_size();
            let step = self.adam.step(conditional.steps() + 1, self.weight_decay);
            let nll = conditional.fit_step(order, range, &thresholds, &mut draws, &step, scratch);
            if !nll.is_finite() {
                return Some(number);
            }
        }
        (!conditional.network().is_finite()).then_some(steps - 1)
    }
}
