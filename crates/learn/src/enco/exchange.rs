//! ENCO's part in gradient exchange: a round is a few graph-fitting steps at the belief that was
//! sent, and what leaves is their gradients.
//!
//! Ours. The networks are fitted as in [`round`](super::round): new ones for every
//! [`EncoParams::epochs`](super::EncoParams::epochs) epochs, fitted anew to the current belief at the
//! start of an epoch. An epoch has [`EncoParams::graph_steps`](super::EncoParams::graph_steps) steps,
//! so it spans several of the short rounds; as many at every client, whatever its targets, so that
//! the epoch of a round follows from its number alone: a client that missed some goes on where the
//! others are.
//!
//! The prior term of the loss has no place here: the coordinator's belief is the optimiser's state,
//! not a second opinion.

use fedcdi_core::{Belief, EdgeGradients};
use ndarray::Array2;

use super::choices::PriorLoss;
use super::gradient::{EdgeGradient, Informed};
use super::graph_fit::{GraphContext, GraphFit};
use super::logits::EdgeLogits;
use super::method::Enco;
use super::prior::PriorTerm;
use super::round::RoundWork;
use super::schedule::{Fold, Schedule};
use crate::learn_error::LearnError;
use crate::progress::Stage;
use crate::samples::Batch;

/// What stays from short round to short round while the networks are the same.
pub(super) struct Session {
    /// Which networks, counted from 0.
    generation: usize,
    /// Epoch that the networks were last fitted in, counted from 0 over all generations.
    epoch: Option<usize>,
    fold: Fold,
    fit: GraphFit,
    schedule: Schedule,
    /// The existence gradient of one step.
    gradient: Array2<f64>,
}

impl Enco {
    /// Gradients of `steps` graph-fitting steps at `prior`, in the short round `round` (from 0).
    ///
    /// # Errors
    /// [`LearnError`] if the prior does not fit the data or the training fails.
    pub fn learn_gradients(
        &mut self,
        round: usize,
        prior: &Belief,
        steps: usize,
    ) -> Result<EdgeGradients, LearnError> {
        self.setup.check_size("prior", prior.n_vars())?;
        let params = &self.setup.params;
        let rounds = params.graph_steps.div_ceil(steps.max(1));
        let epoch = round / rounds;
        let generation = epoch / params.epochs;
        let seed = self.setup.seed.derive("round", generation);
        let mut session = match self.session.take() {
            Some(session) if session.generation == generation => session,
            _ => self.new_session(generation, &seed),
        };
        let work = RoundWork {
            setup: &self.setup,
            number: generation,
            seed,
            prior: PriorTerm::new(PriorLoss::None, prior),
        };
        let bound = self.setup.params.max_prior_logit;
        let logits = EdgeLogits::from_belief(prior, bound, &self.setup.rules);
        if session.epoch != Some(epoch) {
            let within = epoch % self.setup.params.epochs;
            let (rows, networks) = (&session.fold.training, &mut self.conditionals);
            work.fit_distributions(within, rows, networks, &logits)?;
            session.epoch = Some(epoch);
        }
        let context = work.context(&self.conditionals);
        let at = (epoch % self.setup.params.epochs, round % rounds * steps);
        let gradients = session.steps(&work, &context, &logits, (at, steps))?;
        self.session = Some(session);
        Ok(gradients)
    }

    fn new_session(&mut self, generation: usize, seed: &fedcdi_core::Seed) -> Session {
        self.prepare_networks(seed);
        let setup = &self.setup;
        let (fold, share) = setup.fold(generation);
        let (held_out, stream) = (fold.held_out.clone(), seed.derive("schedule", 0));
        let n_vars = setup.samples.n_vars();
        Session {
            generation,
            epoch: None,
            fit: GraphFit::new(&setup.params, &setup.samples, &seed.derive("graph", 0)),
            schedule: Schedule::new(&setup.samples, held_out, share, &stream),
            gradient: Array2::zeros((n_vars, n_vars)),
            fold,
        }
    }
}

impl Session {
    fn steps(
        &mut self,
        work: &RoundWork<'_>,
        context: &GraphContext<'_>,
        logits: &EdgeLogits,
        ((epoch, before), steps): ((usize, usize), usize),
    ) -> Result<EdgeGradients, LearnError> {
        let mut sums = EdgeGradients::none(logits.n_vars());
        let mut batch = Batch::default();
        for step in 0..steps {
            let Some((source, rows)) = self.schedule.next(context.params.batch) else {
                break;
            };
            batch.fill(context.samples, rows);
            let n_rows = rows.len() as f64;
            let (targets, sampling) = work.sampling(Stage::Graph, source, step);
            self.fit
                .compare(context, logits, (&batch, targets), sampling);
            let gradient = EdgeGradient {
                logits,
                rules: context.rules,
                differences: self.fit.differences(),
                targets,
                sparsity: self.fit.sparsity(),
                prior: context.prior,
            };
            gradient.existence(&mut self.gradient);
            add(
                &mut sums,
                &gradient,
                (&self.gradient, self.fit.separated()),
                n_rows,
            );
            if work.setup.observer.is_some() {
                let total = context.params.graph_steps;
                let done = (before + step + 1).min(total);
                let place = work.place(epoch);
                let n_edges = logits.n_edges();
                work.setup
                    .report(place, Stage::Graph, (done, total), n_edges);
                work.setup.check_cancelled()?;
            }
        }
        Ok(sums)
    }
}

/// Adds one step over `rows` rows. A known edge or direction has no gradient of its own; it pulls
/// towards what is known, so that the coordinator's belief comes to show it.
fn add(
    sums: &mut EdgeGradients,
    step: &EdgeGradient<'_>,
    (existence, separated): (&Array2<f64>, &Array2<bool>),
    rows: f64,
) {
    sums.existence.scaled_add(rows, existence);
    let n_vars = existence.nrows();
    for i in 0..n_vars {
        for j in (0..n_vars).filter(|j| *j != i) {
            if !step.targets.contains(&j) {
                sums.existence_rows[(i, j)] += rows;
                if !step.rules.existence_is_open(i, j) {
                    sums.existence[(i, j)] -= rows * step.logits.existence[(i, j)].signum();
                }
            }
            let informed = step.informed((i, j), separated);
            if matches!(informed, Informed::Directly | Informed::Indirectly) {
                // Antisymmetric to the last bit: the gradient is a difference of two terms.
                sums.orientation[(i, j)] += rows * step.orientation((i, j));
                sums.orientation_rows[(i, j)] += rows;
            }
            let known = step.logits.orientation[(i, j)];
            if !step.rules.orientation_is_open(i, j) && known != 0.0 {
                sums.orientation[(i, j)] -= rows * known.signum();
                sums.orientation_rows[(i, j)] += rows;
            }
        }
    }
}
