//! Parent sets of one variable, sampled from edge probabilities, and the likelihood under each.

use fedcdi_core::Seed;
use rayon::prelude::*;

use crate::fit::conditional::{Conditional, Scratch};
use crate::fit::draws::{Draws, threshold};
use crate::fit::parent_sets::ParentSets;
use crate::fit::pool::Pool;
use crate::fit::samples::Batch;

/// What a step about the causes of one variable works on.
#[derive(Debug)]
pub(crate) struct SampledSets {
    pub(crate) effect: usize,
    pub(crate) sets: ParentSets,
    /// Mean NLL of every distinct set.
    pub(crate) nll: Vec<f64>,
    draws: Draws,
    thresholds: Vec<u32>,
}

impl SampledSets {
    pub(crate) fn new(effect: usize, n_vars: usize, seed: &Seed) -> Self {
        Self {
            effect,
            sets: ParentSets::new(n_vars),
            nll: Vec::new(),
            draws: Draws::new(seed),
            thresholds: vec![0; n_vars],
        }
    }

    pub(crate) fn believe(&mut self, probability: impl Fn(usize) -> f64) {
        for (cause, to) in self.thresholds.iter_mut().enumerate() {
            *to = threshold(probability(cause));
        }
    }

    pub(crate) fn sample(&mut self, n_sets: usize) {
        self.sets.sample(&self.thresholds, n_sets, &mut self.draws);
    }

    /// Mean NLL of the batch under every distinct set. Tasks of `per_task` sets are shared out, so that
    /// no core waits long for the last one.
    pub(crate) fn evaluate(
        &mut self,
        conditional: &Conditional,
        batch: &Batch,
        (scratch, make): (&Pool<Scratch>, impl Fn() -> Scratch + Sync),
        per_task: usize,
    ) {
        self.nll.resize(self.sets.len(), 0.0);
        let parts = self.nll.par_chunks_mut(per_task).enumerate();
        parts.for_each(|(part, nll)| {
            scratch.with(&make, |scratch| {
                conditional.nll_of_sets(batch, &self.sets, part * per_task, scratch, nll);
            });
        });
    }
}
