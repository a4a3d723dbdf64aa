//! The stages of one round: networks are fitted under the current belief, then the belief follows.

use fedcdi_core::{Belief, Seed};

use super::confounder::Confounders;
use super::distribution::DistributionStage;
use super::graph_fit::GraphFit;
use super::logits::EdgeLogits;
use super::params::EncoParams;
use super::schedule::{Fold, Schedule};
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
}

impl RoundWork<'_> {
    pub(super) fn run(
        &self,
        prior: &Belief,
        conditionals: &mut [Conditional],
        logits: &mut EdgeLogits,
        mut confounders: Option<&mut Confounders>,
    ) -> Result<(), LearnError> {
        let Setup {
            params, samples, ..
        } = self.setup;
        let share = params.holdout_share(samples);
        let fold = if share > 0.0 && Fold::can_hold_out(samples) {
            let seed = self.setup.seed.derive("fold", 0);
            Fold::new(samples.observational(), self.number, &seed)
        } else {
            Fold::all(samples.observational())
        };
        let seed = self.seed.derive("graph", 0);
        let mut fit = GraphFit::new(params, samples, (self.number, prior), &seed);
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
        let round = self.number;
        self.setup
            .fit_networks(Place { round, epoch }, &stage, conditionals, logits)
    }

    fn fit_graph(
        &self,
        epoch: usize,
        conditionals: &[Conditional],
        logits: &mut EdgeLogits,
        (fit, schedule, mut confounders): (&mut GraphFit, &mut Schedule, Option<&mut Confounders>),
    ) -> Result<(), LearnError> {
        let (setup, round) = (self.setup, self.number);
        let total = setup.params.graph_steps_for(setup.samples.n_targets());
        let mut batch = Batch::default();
        for done in 1..=total {
            let (regime, rows) = schedule.next(setup.params.batch);
            batch.fill(&setup.samples, rows);
            let regime = regime.map(|regime| &setup.samples.interventional()[regime]);
            let targets = regime.map_or(&[][..], |regime| &regime.targets);
            let confounders = confounders.as_deref_mut();
            fit.step(setup, conditionals, logits, (&batch, targets), confounders);
            if setup.observer.is_some() {
                let (place, n_edges) = (Place { round, epoch }, logits.n_edges());
                setup.report(place, Stage::Graph, (done, total), n_edges);
                setup.check_cancelled()?;
            }
        }
        Ok(())
    }
}
