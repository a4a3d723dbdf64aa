//! What a method of networks and edge logits keeps from round to round, and how it says where it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fedcdi_core::{Dataset, Knowledge, Seed};
use rayon::prelude::*;

use crate::enco::distribution::DistributionStage;
use crate::enco::logits::EdgeLogits;
use crate::fit::conditional::{Conditional, Scratch};
use crate::fit::edge_rules::EdgeRules;
use crate::fit::pool::Pool;
use crate::fit::samples::Samples;
use crate::learn_error::LearnError;
use crate::progress::{Observer, Progress, Stage};

/// Slope of the leaky `ReLU` in the networks of ENCO and SDI.
const SLOPE: f32 = 0.1;

/// Settings `P`, rows and known edges of one method, its random stream, and who watches it.
pub(crate) struct Setup<P> {
    pub(crate) params: P,
    pub(crate) names: Vec<String>,
    pub(crate) samples: Samples,
    pub(crate) rules: EdgeRules,
    pub(crate) seed: Seed,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) scratch: Pool<Scratch>,
}

/// An epoch of a round, both from 0.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) round: usize,
    pub(crate) epoch: usize,
}

impl<P: Sync> Setup<P> {
    /// Without background knowledge, unobserved; `samples` are those of `data`.
    pub(crate) fn new(params: P, data: &Dataset, samples: Samples, seed: Seed) -> Self {
        Self {
            params,
            names: data.schema().names(),
            rules: EdgeRules::none(samples.n_vars()),
            samples,
            seed,
            observer: None,
            scratch: Pool::default(),
        }
    }

    pub(crate) fn set_knowledge(&mut self, knowledge: &Knowledge) -> Result<(), LearnError> {
        self.check_size("knowledge", knowledge.n_vars())?;
        self.rules = EdgeRules::of(knowledge);
        Ok(())
    }

    pub(crate) fn check_size(&self, what: &'static str, found: usize) -> Result<(), LearnError> {
        LearnError::check_size(what, found, self.samples.n_vars())
    }

    /// New networks with a random start, one per variable.
    pub(crate) fn new_networks(&self, hidden: &[usize], seed: &Seed) -> Vec<Conditional> {
        let samples = &self.samples;
        let new = |j| Conditional::new(samples, j, hidden, SLOPE, &seed.derive("network", j));
        (0..samples.n_vars()).into_par_iter().map(new).collect()
    }

    /// Runs a stage, and names the variable whose network diverged.
    pub(crate) fn fit_networks(
        &self,
        place: Place,
        stage: &DistributionStage<'_>,
        conditionals: &mut [Conditional],
        logits: &EdgeLogits,
    ) -> Result<(), LearnError> {
        let (done, n_edges) = (AtomicUsize::new(0), logits.n_edges());
        let finished = || {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            let of = (done, self.names.len());
            self.report(place, Stage::Distribution, of, n_edges);
        };
        let diverged = stage.run(conditionals, logits, &self.scratch, finished);
        let mut diverged = diverged.into_iter().zip(&self.names);
        match diverged.find_map(|(step, name)| Some((step?, name))) {
            None => Ok(()),
            Some((step, name)) => Err(LearnError::Diverged {
                round: place.round,
                epoch: place.epoch,
                step,
                variable: name.clone(),
            }),
        }
    }

    pub(crate) fn report(
        &self,
        Place { round, epoch }: Place,
        stage: Stage,
        (done, total): (usize, usize),
        n_edges: usize,
    ) {
        if let Some(observer) = &self.observer {
            observer.progress(&Progress {
                round,
                epoch,
                stage,
                done,
                total,
                n_edges,
            });
        }
    }

    pub(crate) fn check_cancelled(&self) -> Result<(), LearnError> {
        match &self.observer {
            Some(observer) if observer.is_cancelled() => Err(LearnError::Cancelled),
            _ => Ok(()),
        }
    }
}
