//! The stages of one round: networks are fitted under the current belief, then the belief follows.

use fedcdi_core::Seed;

use super::choices::{Networks, OrientationStage};
use super::confounder::Confounders;
use super::distribution::DistributionStage;
use super::graph_fit::{GraphContext, GraphFit, Sampling};
use super::logits::EdgeLogits;
use super::params::EncoParams;
use super::prior::PriorTerm;
use super::schedule::{Fold, Schedule, Source};
use crate::conditional::Conditional;
use crate::learn_error::LearnError;
use crate::progress::Stage;
use crate::samples::Batch;
use crate::setup::{Place, Setup};

/// Mirrored pairs per step of the orientation stage.
const MIRRORED_PAIRS: usize = 2;

/// One round: its number and random stream, and what its stages share.
pub(super) struct RoundWork<'a> {
    pub(super) setup: &'a Setup<EncoParams>,
    pub(super) number: usize,
    pub(super) seed: Seed,
    pub(super) prior: PriorTerm,
}

impl Setup<EncoParams> {
    /// Rows to train on and rows held out in a round, and the share of graph steps on the latter.
    pub(super) fn fold(&self, round: usize) -> (Fold, f64) {
        let rows = self.samples.observational();
        let share = self.params.holdout_share(&self.samples);
        if share == 0.0 || !Fold::can_hold_out(&self.samples) {
            return (Fold::all(rows), 0.0);
        }
        // Kept networks must never be asked about rows they were trained on.
        let number = match self.params.networks {
            Networks::New => round,
            Networks::Kept => 0,
        };
        (Fold::new(rows, number, &self.seed.derive("fold", 0)), share)
    }
}

impl RoundWork<'_> {
    /// Runs all epochs.
    pub(super) fn run(
        &self,
        conditionals: &mut [Conditional],
        logits: &mut EdgeLogits,
        mut confounders: Option<&mut Confounders>,
    ) -> Result<(), LearnError> {
        let Setup {
            params, samples, ..
        } = self.setup;
        let (fold, share) = self.setup.fold(self.number);
        let fit = GraphFit::new(params, samples, &self.seed.derive("graph", 0));
        let mut fit = fit.in_round(params, self.number);
        let stream = self.seed.derive("schedule", 0);
        let mut schedule = Schedule::new(samples, fold.held_out, share, &stream);
        let mut interventional = Schedule::new(samples, Vec::new(), 0.0, &stream);
        for epoch in 0..params.epochs {
            self.setup.check_cancelled()?;
            self.fit_distributions(epoch, &fold.training, conditionals, logits)?;
            let (stage, schedule) = match self.stage(epoch) {
                Stage::Orientation => (Stage::Orientation, &mut interventional),
                stage => (stage, &mut schedule),
            };
            let confounders = confounders.as_deref_mut();
            let parts = (&mut fit, schedule, confounders);
            self.fit_graph(epoch, stage, conditionals, logits, parts)?;
        }
        Ok(())
    }

    /// Even epochs fit orientation alone, if that is asked for.
    fn stage(&self, epoch: usize) -> Stage {
        let number = self.number * self.setup.params.epochs + epoch;
        match self.setup.params.orientation_stage {
            OrientationStage::Steps(_) if number.is_multiple_of(2) => Stage::Orientation,
            _ => Stage::Graph,
        }
    }

    pub(super) fn fit_distributions(
        &self,
        epoch: usize,
        rows: &[u32],
        conditionals: &mut [Conditional],
        logits: &EdgeLogits,
    ) -> Result<(), LearnError> {
        let params = &self.setup.params;
        let stage = DistributionStage {
            samples: &self.setup.samples,
            rows,
            batch: params.batch,
            steps: params.model_steps_in(self.number, rows.len()),
            real_steps: params.real_model_steps_in(self.number, rows.len()),
            adam: params.adam,
            weight_decay: params.weight_decay_for(rows.len()),
            seed: self.seed.derive("distribution", epoch),
        };
        let place = self.place(epoch);
        self.setup.fit_networks(place, &stage, conditionals, logits)
    }

    fn fit_graph(
        &self,
        epoch: usize,
        stage: Stage,
        conditionals: &[Conditional],
        logits: &mut EdgeLogits,
        parts: (&mut GraphFit, &mut Schedule, Option<&mut Confounders>),
    ) -> Result<(), LearnError> {
        let (fit, schedule, mut confounders) = parts;
        let setup = self.setup;
        let context = self.context(conditionals);
        let total = self.graph_steps(stage);
        let mut batch = Batch::default();
        for step in 0..total {
            let Some((source, rows)) = schedule.next(setup.params.batch) else {
                break;
            };
            batch.fill(&setup.samples, rows);
            let (targets, sampling) = self.sampling(stage, source, step);
            let confounders = confounders.as_deref_mut();
            fit.step(&context, logits, (&batch, targets), sampling, confounders);
            if setup.observer.is_some() {
                let place = self.place(epoch);
                setup.report(place, stage, (step + 1, total), logits.n_edges());
                setup.check_cancelled()?;
            }
        }
        Ok(())
    }

    /// What the graph-fitting steps of this round share.
    pub(super) fn context<'a>(&'a self, conditionals: &'a [Conditional]) -> GraphContext<'a> {
        GraphContext {
            params: &self.setup.params,
            samples: &self.setup.samples,
            conditionals,
            rules: &self.setup.rules,
            prior: &self.prior,
            scratch: &self.setup.scratch,
        }
    }

    fn graph_steps(&self, stage: Stage) -> usize {
        let Setup {
            params, samples, ..
        } = self.setup;
        if let (Stage::Orientation, OrientationStage::Steps(steps)) =
            (stage, params.orientation_stage)
        {
            return steps;
        }
        params.graph_steps_for(samples.n_targets())
    }

    /// Targets of a step, and how its graphs are drawn. With several targets, the mirrored graphs
    /// of consecutive steps complement them in turn.
    pub(super) fn sampling(
        &self,
        stage: Stage,
        source: Source,
        step: usize,
    ) -> (&[usize], Sampling) {
        let independent = Sampling::Independent(self.setup.params.graphs);
        let Source::Regime(regime) = source else {
            return (&[], independent);
        };
        let targets = &self.setup.samples.interventional()[regime].targets[..];
        let sampling = match stage {
            Stage::Orientation => Sampling::Mirrored {
                pairs: MIRRORED_PAIRS,
                target: targets[step % targets.len()],
            },
            _ => independent,
        };
        (targets, sampling)
    }

    /// Where this round is.
    pub(super) fn place(&self, epoch: usize) -> Place {
        Place {
            round: self.number,
            epoch,
        }
    }
}
