//! The stages of one round: networks are fitted under the current belief, then the belief follows.

use fedcdi_core::Seed;

use super::choices::Networks;
use super::confounder::Confounders;
use super::distribution::DistributionStage;
use super::graph_fit::{GraphContext, GraphFit};
use super::logits::EdgeLogits;
use super::params::EncoParams;
use super::prior::PriorTerm;
use super::schedule::{Fold, Schedule, Source};
use crate::fit::conditional::Conditional;
use crate::fit::samples::Batch;
use crate::fit::setup::{Place, Setup};
use crate::learn_error::LearnError;
use crate::nn::AdamParams;
use crate::progress::Stage;

/// One round: its number and random stream, and what its stages share.
pub(super) struct RoundWork<'a> {
    pub(super) setup: &'a Setup<EncoParams>,
    pub(super) number: usize,
    pub(super) seed: Seed,
    pub(super) prior: PriorTerm,
}

impl Setup<EncoParams> {
    /// Rows to train on and rows held out in a round, and the share of graph steps on the latter.
    fn fold(&self, round: usize) -> (Fold, f64) {
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
        let seed = self.seed.derive("graph", 0);
        let mut fit = GraphFit::new(params, samples, self.number, &seed);
        let stream = self.seed.derive("schedule", 0);
        let mut schedule = Schedule::new(samples, fold.held_out, share, &stream);
        for epoch in 0..params.epochs {
            self.setup.check_cancelled()?;
            self.fit_distributions(epoch, &fold.training, conditionals, logits)?;
            let confounders = confounders.as_deref_mut();
            let parts = (&mut fit, &mut schedule, confounders);
            self.fit_graph(epoch, conditionals, logits, parts)?;
        }
        Ok(())
    }

    fn fit_distributions(
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
            adam: AdamParams::at(params.model_rate),
            weight_decay: params.weight_decay_for(rows.len()),
            seed: self.seed.derive("distribution", epoch),
        };
        let place = self.place(epoch);
        self.setup.fit_networks(place, &stage, conditionals, logits)
    }

    fn fit_graph(
        &self,
        epoch: usize,
        conditionals: &[Conditional],
        logits: &mut EdgeLogits,
        parts: (&mut GraphFit, &mut Schedule, Option<&mut Confounders>),
    ) -> Result<(), LearnError> {
        let (fit, schedule, mut confounders) = parts;
        let setup = self.setup;
        let context = GraphContext {
            setup,
            conditionals,
            prior: &self.prior,
        };
        let total = setup.params.graph_steps_for(setup.samples.n_targets());
        let mut batch = Batch::default();
        for step in 0..total {
            let Some((source, rows)) = schedule.next(setup.params.batch) else {
                break;
            };
            batch.fill(&setup.samples, rows);
            let targets = match source {
                Source::Regime(regime) => &setup.samples.interventional()[regime].targets[..],
                Source::HeldOut => &[],
            };
            let confounders = confounders.as_deref_mut();
            fit.step(&context, logits, (&batch, targets), confounders);
            if setup.observer.is_some() {
                let place = self.place(epoch);
                setup.report(place, Stage::Graph, (step + 1, total), logits.n_edges());
                setup.check_cancelled()?;
            }
        }
        Ok(())
    }

    fn place(&self, epoch: usize) -> Place {
        Place {
            round: self.number,
            epoch,
        }
    }
}
