//! SDI as a local method: one round from the belief it is given to the belief it returns.
//!
//! | belief | SDI |
//! |---|---|
//! | psi, sent | `gamma = logit(psi)`, clamped |
//! | psi, returned | `sigma(gamma)`, factorised by [`Belief::from_psi`] |
//!
//! Networks and optimisers are new in every round, as in the FedCDI authors' use of SDI. A pair
//! whose two directions are both likely leaves as two halves: a belief cannot hold more.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fedcdi_core::belief::{logit, sigmoid};
use fedcdi_core::{
    Belief, Dataset, EdgeTest, Knowledge, LocalMethod, LocalMethodError, Round, Seed,
};
use ndarray::Array2;
use rayon::prelude::*;

use super::episode::{EpisodeContext, Episodes};
use super::params::SdiParams;
use crate::conditional::{Conditional, Scratch};
use crate::edge_rules::EdgeRules;
use crate::enco::distribution::DistributionStage;
use crate::enco::logits::EdgeLogits;
use crate::enco::method::check_data;
use crate::grafting::{self, Correction};
use crate::learn_error::LearnError;
use crate::pool::Pool;
use crate::progress::{Observer, Progress, Stage};
use crate::pruning;
use crate::rounds::{RoundLimits, RoundMethod};
use crate::samples::Samples;

/// Slope of the leaky `ReLU` in SDI's networks.
const SLOPE: f32 = 0.1;

/// SDI on one dataset.
pub struct Sdi {
    params: SdiParams,
    names: Vec<String>,
    samples: Samples,
    rules: EdgeRules,
    seed: Seed,
    observer: Option<Arc<dyn Observer>>,
    scratch: Pool<Scratch>,
}

impl Sdi {
    /// SDI on `data` without background knowledge.
    ///
    /// # Errors
    /// [`LearnError`] if a setting is out of range or the data cannot be learned from.
    pub fn new(params: SdiParams, data: &Dataset, seed: Seed) -> Result<Self, LearnError> {
        params.check()?;
        let remedy = "bin it, or use a method for real columns";
        LearnError::refuse_reals(data, "SDI", remedy)?;
        check_data(data)?;
        let samples = Samples::new(data);
        if samples.interventional().is_empty() {
            return Err(LearnError::NoInterventionalRows);
        }
        Ok(Self {
            params,
            names: data.schema().names(),
            rules: EdgeRules::none(samples.n_vars()),
            samples,
            seed,
            observer: None,
            scratch: Pool::default(),
        })
    }

    /// With edges that are known beforehand.
    ///
    /// # Errors
    /// [`LearnError::Size`] if the knowledge is about another number of variables.
    pub fn with_knowledge(mut self, knowledge: &Knowledge) -> Result<Self, LearnError> {
        LearnError::check_size("knowledge", knowledge.n_vars(), self.samples.n_vars())?;
        self.rules = EdgeRules::of(knowledge);
        Ok(self)
    }

    /// With someone who watches.
    #[must_use]
    pub fn with_observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Settings.
    pub fn params(&self) -> &SdiParams {
        &self.params
    }

    /// The posterior after `round` (from 0), starting from `prior`.
    ///
    /// # Errors
    /// [`LearnError`] if the prior does not fit the data or the training fails.
    pub fn learn(&mut self, round: usize, prior: &Belief) -> Result<Belief, LearnError> {
        LearnError::check_size("prior", prior.n_vars(), self.samples.n_vars())?;
        let seed = self.seed.derive("round", round);
        let mut logits = self.start(prior);
        let mut conditionals = self.new_networks(&seed);
        let mut episodes = Episodes::new(&self.params, &self.samples, &seed.derive("episodes", 0));
        for epoch in 0..self.params.epochs {
            self.check_cancelled()?;
            self.fit_functions((round, epoch), &seed, &mut conditionals, &logits)?;
            self.fit_structure((round, epoch), &mut episodes, &conditionals, &mut logits)?;
        }
        let mut psi = logits.mapv(sigmoid);
        psi.diag_mut().fill(0.0);
        Ok(Belief::from_psi(&psi)?)
    }

    /// Logits at which a round starts.
    fn start(&self, prior: &Belief) -> Array2<f64> {
        let least = sigmoid(-self.params.max_logit);
        let clamped = |psi: f64| logit(psi.clamp(least, 1.0 - least));
        let mut logits = prior.psi().mapv(clamped);
        self.rules.set_existence(&mut logits);
        logits
    }

    fn new_networks(&self, seed: &Seed) -> Vec<Conditional> {
        let samples = &self.samples;
        let categories = (0..samples.n_vars()).map(|v| samples.n_categories(v));
        let most = categories.max().unwrap_or(0);
        let hidden = [self.params.hidden_for(samples.n_vars(), most)];
        let new = |j| Conditional::new(samples, j, &hidden, SLOPE, &seed.derive("network", j));
        (0..samples.n_vars()).into_par_iter().map(new).collect()
    }

    /// Phase 1: networks learn from observational rows under sampled parent sets.
    fn fit_functions(
        &self,
        (round, epoch): (usize, usize),
        seed: &Seed,
        conditionals: &mut [Conditional],
        logits: &Array2<f64>,
    ) -> Result<(), LearnError> {
        let rows = self.samples.observational();
        let stage = DistributionStage {
            samples: &self.samples,
            rows,
            batch: self.params.batch,
            steps: self.params.model_steps,
            real_steps: self.params.model_steps,
            adam: self.params.adam,
            weight_decay: self.params.decay_rows / rows.len() as f64,
            seed: seed.derive("functions", epoch),
        };
        let (done, total) = (AtomicUsize::new(0), self.names.len());
        let n_edges = n_edges(logits);
        let finished = || {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            let stage = Stage::Distribution;
            self.report((round, epoch), stage, (done, total), n_edges);
        };
        let logits = EdgeLogits::of_edges(logits.clone());
        let diverged = stage.run(conditionals, &logits, &self.scratch, finished);
        let mut diverged = diverged.into_iter().zip(&self.names);
        match diverged.find_map(|(step, name)| Some((step?, name))) {
            None => Ok(()),
            Some((step, name)) => Err(LearnError::Diverged {
                round,
                epoch,
                step,
                variable: name.clone(),
            }),
        }
    }

    /// Phases 2 and 3: episodes, each with one step of the logits.
    fn fit_structure(
        &self,
        place: (usize, usize),
        episodes: &mut Episodes,
        conditionals: &[Conditional],
        logits: &mut Array2<f64>,
    ) -> Result<(), LearnError> {
        let context = EpisodeContext {
            params: &self.params,
            samples: &self.samples,
            conditionals,
            rules: &self.rules,
            scratch: &self.scratch,
        };
        let total = self.params.episodes * self.samples.interventional().len();
        for done in 1..=total {
            episodes.run(&context, logits);
            if self.observer.is_some() {
                self.report(place, Stage::Graph, (done, total), n_edges(logits));
                self.check_cancelled()?;
            }
        }
        Ok(())
    }

    fn report(
        &self,
        (round, epoch): (usize, usize),
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

    fn check_cancelled(&self) -> Result<(), LearnError> {
        match &self.observer {
            Some(observer) if observer.is_cancelled() => Err(LearnError::Cancelled),
            _ => Ok(()),
        }
    }
}

/// Edges more likely than not.
fn n_edges(logits: &Array2<f64>) -> usize {
    let edges = logits.indexed_iter();
    edges.filter(|((i, j), l)| i != j && **l > 0.0).count()
}

impl LocalMethod for Sdi {
    fn update(&mut self, round: Round, prior: &Belief) -> Result<Belief, LocalMethodError> {
        self.learn(round.index(), prior)
            .map_err(LocalMethodError::new)
    }

    fn tests(&self, belief: &Belief) -> Vec<EdgeTest> {
        pruning::tests(belief, &self.samples)
    }

    fn tests_of_absent(&self, belief: &Belief) -> Vec<EdgeTest> {
        grafting::tests(belief, &self.samples)
    }
}

impl RoundMethod for Sdi {
    fn limits(&self) -> RoundLimits {
        RoundLimits {
            rounds: self.params.rounds,
            tolerance: self.params.tolerance,
            patience: self.params.patience,
        }
    }

    fn can_orient(&self) -> bool {
        true
    }

    fn round(&mut self, round: usize, prior: &Belief) -> Result<Belief, LearnError> {
        self.learn(round, prior)
    }

    fn correction(&self) -> Correction<'_> {
        Correction {
            samples: &self.samples,
            rules: &self.rules,
            pruning: self.params.pruning,
            grafting: self.params.grafting,
        }
    }
}
