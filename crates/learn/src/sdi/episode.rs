//! One intervention: its rows, parent sets sampled for every variable, and one step of the logits.
//!
//! Paper: SDI phases 2 and 3.
//!
//! | paper | code |
//! |---|---|
//! | pool of samples of an intervention | rows of a regime, drawn with replacement |
//! | T batches of R configurations | [`SdiParams::batches`], [`SdiParams::configurations`] |
//! | log-likelihood of the intervened node set to 0 | the targets' columns are skipped |
//! | node with the largest mean NLL | [`Episodes::predict`] |
//!
//! Within an episode every variable is worked on independently, as in ENCO's graph fitting. All
//! T R sets are scored on the same batch, so that rows do not add to their differences.

use fedcdi_core::Seed;
use fedcdi_core::belief::sigmoid;
use ndarray::Array2;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::gradient::{gradient_of_sets, regularisers};
use super::params::{SdiParams, Targets};
use crate::fit::conditional::{Conditional, Scratch};
use crate::fit::logit_adam::{Correction, LogitAdam};
use crate::fit::sampled_sets::SampledSets;
use crate::fit::samples::{Batch, Samples};
use crate::fit::setup::Setup;
use crate::nn::AdamParams;

/// Parent sets per batch where a target is predicted, the authors' `predict_cpb`.
const PREDICTION_SETS: usize = 10;

/// What the episodes of a round work with: rows and settings, and networks.
pub(crate) type Work<'a> = (&'a Setup<SdiParams>, &'a [Conditional]);

#[derive(Debug)]
struct Column {
    sampled: SampledSets,
    /// `[cause]`, as the gradient.
    probabilities: Vec<f64>,
    gradient: Vec<f64>,
    /// Sum of mean NLL over sampled sets, where a target is predicted.
    surprise: f64,
}

#[derive(Debug)]
pub(crate) struct Episodes {
    columns: Vec<Column>,
    batches: Vec<Batch>,
    rows: Vec<u32>,
    adam: LogitAdam,
    gradient: Array2<f64>,
    order: Vec<usize>,
    at: usize,
    rng: ChaCha8Rng,
}

impl Episodes {
    pub(crate) fn new(params: &SdiParams, samples: &Samples, seed: &Seed) -> Self {
        let n_vars = samples.n_vars();
        let column = |effect| Column {
            sampled: SampledSets::new(effect, n_vars, &seed.derive("sets", effect)),
            probabilities: vec![0.0; n_vars],
            gradient: vec![0.0; n_vars],
            surprise: 0.0,
        };
        let n_regimes = samples.interventional().len();
        let adam = AdamParams {
            beta1: 0.1,
            ..AdamParams::at(params.structure_rate)
        };
        Self {
            columns: (0..n_vars).map(column).collect(),
            batches: Vec::new(),
            rows: Vec::new(),
            adam: LogitAdam::of(n_vars, adam, Correction::Bias),
            gradient: Array2::zeros((n_vars, n_vars)),
            order: (0..n_regimes).collect(),
            at: n_regimes,
            rng: seed.derive("rows", 0).rng(),
        }
    }

    /// One intervention and one step of the logits, `[cause, effect]`.
    pub(crate) fn run(&mut self, work: Work<'_>, logits: &mut Array2<f64>) {
        let setup = work.0;
        let regime = &setup.samples.interventional()[self.next_regime()];
        self.set_probabilities(logits);
        let predicted;
        let targets: &[usize] = match setup.params.targets {
            Targets::Known => &regime.targets,
            Targets::Predicted(batches) => {
                predicted = [self.predict(work, &regime.samples, batches)];
                &predicted
            }
        };
        self.draw_batches(setup, &regime.samples, 1);
        let batch = &self.batches[0];
        // Rows drawn again are no further evidence.
        let n_rows = regime.samples.len();
        let sharpness = setup.params.sharpness.min(n_rows as f64);
        let columns = self.columns.par_iter_mut().with_max_len(1);
        columns.for_each(|column| {
            if targets.contains(&column.sampled.effect) {
                column.gradient.fill(0.0);
            } else {
                column.score(work, batch, sharpness);
            }
        });
        for (effect, column) in self.columns.iter().enumerate() {
            for (cause, gradient) in column.gradient.iter().enumerate() {
                self.gradient[(cause, effect)] = *gradient;
            }
        }
        let SdiParams { sparsity, dag, .. } = setup.params;
        regularisers(logits, sparsity, dag, &mut self.gradient);
        self.adam
            .step_noting(logits, &self.gradient, &setup.rules, |_, _, _| ());
        let bound = setup.params.max_logit;
        logits.mapv_inplace(|logit| logit.clamp(-bound, bound));
        setup.rules.set_existence(logits);
    }

    /// The variable that rows of `pool` are the most surprising for: the largest NLL, averaged
    /// over batches and sampled sets.
    fn predict(&mut self, work: Work<'_>, pool: &[u32], batches: usize) -> usize {
        self.draw_batches(work.0, pool, batches);
        let batches = &self.batches;
        let columns = self.columns.par_iter_mut().with_max_len(1);
        columns.for_each(|column| {
            column.surprise = 0.0;
            for batch in batches {
                column.evaluate(work, batch, PREDICTION_SETS);
                let SampledSets { sets, nll, .. } = &column.sampled;
                let counted = nll.iter().enumerate();
                let sum = counted.map(|(set, nll)| f64::from(sets.count(set)) * nll);
                column.surprise += sum.sum::<f64>();
            }
        });
        let surprises = self.columns.iter().map(|column| column.surprise);
        let most = surprises.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        most.expect("there are at least two variables").0
    }

    fn next_regime(&mut self) -> usize {
        if self.at == self.order.len() {
            self.order.shuffle(&mut self.rng);
            self.at = 0;
        }
        self.at += 1;
        self.order[self.at - 1]
    }

    fn set_probabilities(&mut self, logits: &Array2<f64>) {
        for column in &mut self.columns {
            let effect = column.sampled.effect;
            for (cause, p) in column.probabilities.iter_mut().enumerate() {
                *p = sigmoid(logits[(cause, effect)]);
            }
            column.probabilities[effect] = 0.0;
            column.sampled.believe(|cause| column.probabilities[cause]);
        }
    }

    /// Fills `n` batches with rows of `pool`.
    fn draw_batches(&mut self, setup: &Setup<SdiParams>, pool: &[u32], n: usize) {
        self.batches.resize_with(n, Batch::default);
        for batch in &mut self.batches {
            let rng = &mut self.rng;
            let draw = || pool[rng.random_range(0..pool.len())];
            self.rows.clear();
            self.rows
                .extend(std::iter::repeat_with(draw).take(setup.params.batch));
            batch.fill(&setup.samples, &self.rows);
        }
    }
}

impl Column {
    fn score(&mut self, work: Work<'_>, batch: &Batch, sharpness: f64) {
        let n_sets = work.0.params.batches * work.0.params.configurations;
        self.evaluate(work, batch, n_sets);
        let SampledSets { sets, nll, .. } = &self.sampled;
        let (probabilities, gradient) = (&self.probabilities, &mut self.gradient);
        gradient_of_sets(sets, nll, sharpness, probabilities, gradient);
    }

    /// Samples sets, and finds the mean NLL of the batch under each.
    fn evaluate(&mut self, (setup, conditionals): Work<'_>, batch: &Batch, n_sets: usize) {
        let conditional = &conditionals[self.sampled.effect];
        let make = || Scratch::new(&setup.samples, setup.params.batch);
        let workers = (&setup.scratch, make);
        self.sampled.sample(n_sets);
        self.sampled.evaluate(conditional, batch, workers, n_sets);
    }
}
