//! The stages of one round: networks are fitted under the current belief, then the belief follows.

use fedcdi_core::{Belief, Seed};

use super::confounder::Confounders;
use super::distribution::DistributionStage;
use super::graph_fit::GraphFit;
use super::logits::EdgeLogits;
use super::params::EncoParams;
use super::prior;
use super::schedule::{Schedule, can_hold_out, divide};
use crate::fit::conditional::Conditional;
use crate::fit::samples::Batch;
use crate::fit::setup::{Place, Setup};
use crate::learn_error::LearnError;
use crate::nn::AdamParams;
use crate::progress::Stage;

impl Setup<EncoParams> {
    /// The posterior after `round` (from 0), starting from `prior`, and the networks that found it.
    pub(super) fn run(
        &self,
        round: usize,
        prior: &Belief,
        mut confounders: Option<&mut Confounders>,
    ) -> Result<(Belief, Vec<Conditional>), LearnError> {
        self.check_size("prior", prior.n_vars())?;
        let (params, samples) = (&self.params, &self.samples);
        let seed = self.seed.derive("round", round);
        let mut conditionals = self.new_networks(&params.hidden, &seed);
        let mut logits = prior::start(params, prior, &self.rules, &seed.derive("start", 0))?;
        if let Some(confounders) = &mut confounders {
            confounders.begin_round();
        }
        let (rows, share) = (samples.observational(), params.holdout_share(samples));
        let (training, held_out) = if share > 0.0 && can_hold_out(samples) {
            divide(rows, round, &self.seed.derive("fold", 0))
        } else {
            (rows.to_vec(), Vec::new())
        };
        let stream = seed.derive("graph", 0);
        let mut fit = GraphFit::new(params, samples, (round, prior), &stream);
        let stream = seed.derive("schedule", 0);
        let mut schedule = Schedule::new(samples, held_out, share, &stream);
        for epoch in 0..params.epochs {
            self.check_cancelled()?;
            let (place, stream) = (Place { round, epoch }, seed.derive("distribution", epoch));
            self.fit_distributions((place, stream), &training, &mut conditionals, &logits)?;
            let parts = (&mut fit, &mut schedule, confounders.as_deref_mut());
            self.fit_graph(place, &conditionals, &mut logits, parts)?;
        }
        let posterior = Belief::new(logits.existence, logits.orientation)?;
        Ok((posterior, conditionals))
    }

    fn fit_distributions(
        &self,
        (place, seed): (Place, Seed),
        rows: &[u32],
        conditionals: &mut [Conditional],
        logits: &EdgeLogits,
    ) -> Result<(), LearnError> {
        let (params, round) = (&self.params, place.round);
        let stage = DistributionStage {
            samples: &self.samples,
            rows,
            batch: params.batch,
            steps: params.model_steps_in(round, rows.len()),
            real_steps: params.real_model_steps_in(round, rows.len()),
            adam: AdamParams::at(params.model_rate),
            weight_decay: params.weight_decay_for(rows.len()),
            seed,
        };
        self.fit_networks(place, &stage, conditionals, logits)
    }

    fn fit_graph(
        &self,
        place: Place,
        conditionals: &[Conditional],
        logits: &mut EdgeLogits,
        (fit, schedule, mut confounders): (&mut GraphFit, &mut Schedule, Option<&mut Confounders>),
    ) -> Result<(), LearnError> {
        let (params, samples) = (&self.params, &self.samples);
        let total = params.graph_steps_for(samples.n_targets());
        let mut batch = Batch::default();
        for done in 1..=total {
            let (regime, rows) = schedule.next(params.batch);
            batch.fill(samples, rows);
            let regime = regime.map(|regime| &samples.interventional()[regime]);
            let targets = regime.map_or(&[][..], |regime| &regime.targets);
            let confounders = confounders.as_deref_mut();
            fit.step(self, conditionals, logits, (&batch, targets), confounders);
            if self.observer.is_some() {
                self.report(place, Stage::Graph, (done, total), logits.n_edges());
                self.check_cancelled()?;
            }
        }
        Ok(())
    }
}
