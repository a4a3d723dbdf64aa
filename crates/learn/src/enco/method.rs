//! ENCO as a local method: one round from the belief it is given to the belief it returns.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fedcdi_core::{Belief, Dataset, Seed};
use ndarray::Array2;
use rayon::prelude::*;

use super::confounder::Confounders;
use super::distribution::DistributionStage;
use super::graph_fit::{GraphContext, GraphFit, Sampling};
use super::logits::{EdgeLogits, EdgeRules};
use super::params::{EncoParams, Networks, OrientationStage};
use super::prior::{self, PriorTerm};
use super::schedule::{Fold, Schedule, Source};
use crate::conditional::{Conditional, Scratch};
use crate::method::{LearnError, LocalMethod};
use crate::pool::Pool;
use crate::progress::{Observer, Progress, Stage};
use crate::samples::{Batch, Samples};

/// Slope of the leaky `ReLU` in ENCO's networks.
const SLOPE: f32 = 0.1;

/// Mirrored pairs per step of the orientation stage.
const MIRRORED_PAIRS: usize = 2;

/// ENCO on one dataset.
pub struct Enco {
    params: EncoParams,
    names: Vec<String>,
    samples: Samples,
    rules: EdgeRules,
    seed: Seed,
    conditionals: Vec<Conditional>,
    confounders: Option<Confounders>,
    observer: Option<Arc<dyn Observer>>,
    scratch: Pool<Scratch>,
}

/// Where a round is, for its stages.
#[derive(Clone, Copy)]
struct Moment {
    round: usize,
    epoch: usize,
    seed: Seed,
}

impl Enco {
    /// ENCO on `data` without background knowledge.
    ///
    /// # Errors
    /// [`LearnError`] if a setting is out of range or the data cannot be learned from.
    pub fn new(params: EncoParams, data: &Dataset, seed: Seed) -> Result<Self, LearnError> {
        params.check()?;
        check_data(data)?;
        let n_vars = data.n_vars();
        Ok(Self {
            names: data.schema().names(),
            samples: Samples::new(data),
            rules: EdgeRules::none(n_vars),
            seed,
            conditionals: Vec::new(),
            confounders: params.confounders.then(|| Confounders::new(n_vars)),
            observer: None,
            scratch: Pool::default(),
            params,
        })
    }

    /// With edges that are known beforehand.
    ///
    /// # Errors
    /// [`LearnError::Size`] if the rules are about another number of variables.
    pub fn with_rules(mut self, rules: EdgeRules) -> Result<Self, LearnError> {
        self.check_size("knowledge", rules.n_vars())?;
        self.rules = rules;
        Ok(self)
    }

    /// With someone who watches.
    #[must_use]
    pub fn with_observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Settings.
    pub fn params(&self) -> &EncoParams {
        &self.params
    }

    /// Whether there are interventional rows; without them orientations cannot be identified.
    pub fn can_orient(&self) -> bool {
        !self.samples.interventional().is_empty()
    }

    /// Scores of latent confounders, `[a, b]`, if they are kept.
    pub fn confounder_scores(&self) -> Option<Array2<f64>> {
        self.confounders.as_ref().map(Confounders::scores)
    }

    fn check_size(&self, what: &'static str, found: usize) -> Result<(), LearnError> {
        let expected = self.samples.n_vars();
        if found == expected {
            Ok(())
        } else {
            Err(LearnError::Size {
                what,
                found,
                expected,
            })
        }
    }

    /// Rows of the median regime.
    fn rows_per_regime(&self) -> usize {
        let regimes = self.samples.interventional().iter();
        let mut rows: Vec<usize> = regimes.map(|r| r.samples.len()).collect();
        rows.sort_unstable();
        rows.get(rows.len() / 2).copied().unwrap_or(0)
    }

    fn fold(&self, round: usize) -> (Fold, f64) {
        let rows = self.samples.observational();
        let share = self.params.holdout_share(self.rows_per_regime());
        if share == 0.0 || rows.len() < 2 * Fold::PARTS {
            return (Fold::all(rows), 0.0);
        }
        // Kept networks must never be asked about rows they were trained on.
        let number = match self.params.networks {
            Networks::New => round,
            Networks::Kept => 0,
        };
        (Fold::new(rows, number, &self.seed.derive("fold", 0)), share)
    }

    fn prepare_networks(&mut self, seed: &Seed) {
        if self.params.networks == Networks::Kept && !self.conditionals.is_empty() {
            return;
        }
        let (samples, hidden) = (&self.samples, &self.params.hidden);
        let new = |j| Conditional::new(samples, j, hidden, SLOPE, &seed.derive("network", j));
        self.conditionals = (0..samples.n_vars()).into_par_iter().map(new).collect();
    }

    fn report(&self, moment: Moment, stage: Stage, (done, total): (usize, usize), n_edges: usize) {
        if let Some(observer) = &self.observer {
            let Moment { round, epoch, .. } = moment;
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

    fn fit_distributions(
        &mut self,
        moment: Moment,
        rows: &[u32],
        logits: &EdgeLogits,
    ) -> Result<(), LearnError> {
        let mut conditionals = std::mem::take(&mut self.conditionals);
        let stage = DistributionStage {
            samples: &self.samples,
            rows,
            batch: self.params.batch,
            steps: self.params.model_steps_in(moment.round, rows.len()),
            adam: self.params.adam,
            weight_decay: self.params.weight_decay_for(rows.len()),
            seed: moment.seed.derive("distribution", moment.epoch),
        };
        let (done, n_edges) = (AtomicUsize::new(0), logits.n_edges());
        let finished = || {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            let total = self.names.len();
            self.report(moment, Stage::Distribution, (done, total), n_edges);
        };
        let diverged = stage.run(&mut conditionals, logits, &self.scratch, finished);
        self.conditionals = conditionals;
        let first = diverged
            .iter()
            .enumerate()
            .find_map(|(j, step)| Some((j, (*step)?)));
        match first {
            None => Ok(()),
            Some((variable, step)) => Err(LearnError::Diverged {
                round: moment.round,
                epoch: moment.epoch,
                step,
                variable: self.names[variable].clone(),
            }),
        }
    }

    fn fit_graph(
        &mut self,
        moment: Moment,
        stage: Stage,
        logits: &mut EdgeLogits,
        (fit, schedule, prior): (&mut GraphFit, &mut Schedule, &PriorTerm),
    ) -> Result<(), LearnError> {
        let mut confounders = self.confounders.take();
        let context = GraphContext {
            params: &self.params,
            samples: &self.samples,
            conditionals: &self.conditionals,
            rules: &self.rules,
            prior,
            scratch: &self.scratch,
        };
        let total = self.graph_steps(stage);
        let mut batch = Batch::default();
        for step in 0..total {
            let Some((source, rows)) = schedule.next(self.params.batch) else {
                break;
            };
            batch.fill(&self.samples, rows);
            let (targets, sampling) = self.sampling(stage, source, step);
            fit.step(
                &context,
                logits,
                (&batch, targets),
                sampling,
                confounders.as_mut(),
            );
            if self.observer.is_some() {
                self.report(moment, stage, (step + 1, total), logits.n_edges());
                self.check_cancelled()?;
            }
        }
        self.confounders = confounders;
        Ok(())
    }

    fn graph_steps(&self, stage: Stage) -> usize {
        match (stage, self.params.orientation_stage) {
            (Stage::Orientation, OrientationStage::Steps(steps)) => steps,
            _ => self.params.graph_steps_for(self.samples.n_targets()),
        }
    }

    /// Targets of a step, and how its graphs are drawn. With several targets, the mirrored graphs
    /// of consecutive steps complement them in turn.
    fn sampling(&self, stage: Stage, source: Source, step: usize) -> (&[usize], Sampling) {
        let independent = Sampling::Independent(self.params.graphs);
        let Source::Regime(regime) = source else {
            return (&[], independent);
        };
        let targets = &self.samples.interventional()[regime].targets[..];
        let sampling = match stage {
            Stage::Orientation => Sampling::Mirrored {
                pairs: MIRRORED_PAIRS,
                target: targets[step % targets.len()],
            },
            _ => independent,
        };
        (targets, sampling)
    }

    fn run_epochs(
        &mut self,
        (round, seed): (usize, Seed),
        logits: &mut EdgeLogits,
        prior: &PriorTerm,
    ) -> Result<(), LearnError> {
        let (fold, share) = self.fold(round);
        let mut fit = GraphFit::new(&self.params, &self.samples, &seed.derive("graph", 0));
        let stream = seed.derive("schedule", 0);
        let mut schedule = Schedule::new(&self.samples, fold.held_out, share, &stream);
        let orientation = Vec::new();
        let mut interventional = Schedule::new(&self.samples, orientation, 0.0, &stream);
        for epoch in 0..self.params.epochs {
            let moment = Moment { round, epoch, seed };
            self.check_cancelled()?;
            self.fit_distributions(moment, &fold.training, logits)?;
            let number = round * self.params.epochs + epoch;
            let alone = self.params.orientation_stage != OrientationStage::Never;
            if alone && number.is_multiple_of(2) {
                let parts = (&mut fit, &mut interventional, prior);
                self.fit_graph(moment, Stage::Orientation, logits, parts)?;
            } else {
                let parts = (&mut fit, &mut schedule, prior);
                self.fit_graph(moment, Stage::Graph, logits, parts)?;
            }
        }
        Ok(())
    }
}

impl LocalMethod for Enco {
    fn update(&mut self, round: usize, prior: &Belief) -> Result<Belief, LearnError> {
        self.check_size("prior", prior.n_vars())?;
        let seed = self.seed.derive("round", round);
        let start = seed.derive("start", 0);
        let mut logits = prior::start(&self.params, prior, &self.rules, &start)?;
        let term = PriorTerm::new(self.params.prior_loss, prior);
        self.prepare_networks(&seed);
        self.run_epochs((round, seed), &mut logits, &term)?;
        Ok(logits.into_belief()?)
    }
}

fn check_data(data: &Dataset) -> Result<(), LearnError> {
    if data.n_vars() < 2 {
        return Err(LearnError::OneVariable(data.n_vars()));
    }
    if !data
        .regimes()
        .first()
        .is_some_and(fedcdi_core::Regime::is_observational)
    {
        return Err(LearnError::NoObservationalRows);
    }
    let constant = |v: &&fedcdi_core::Variable| v.n_categories() < 2;
    match data.schema().variables().iter().find(constant) {
        Some(variable) => Err(LearnError::OneCategory {
            variable: variable.name.clone(),
        }),
        None => Ok(()),
    }
}
