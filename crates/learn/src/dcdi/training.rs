//! Iterations: networks and logits move together, and every hundred of them are looked at.
//!
//! Paper: DCDI appendix B.2 and B.3; numbers as in the authors' code.
//!
//! | stage | every 100 iterations | ends |
//! |---|---|---|
//! | constrained | Lagrangian on held-out rows; if it settled, cycles cost more and the optimisers start anew | h is tiny and the likely edges are acyclic |
//! | acyclic | nothing but waiting | [`DcdiParams::patience`] values, a thousand iterations apart, are no better |
//!
//! Deviation: the paper then fits the networks once more to the graph. Here nobody asks for them.

use fedcdi_core::belief::sigmoid;
use fedcdi_core::{Dag, Digraph, Seed};
use ndarray::Array2;
use rayon::prelude::*;

use super::acyclicity::Acyclicity;
use super::lagrangian::{Lagrangian, WINDOW};
use super::masked::{Mask, MaskedNetwork, MaskedScratch};
use super::params::DcdiParams;
use super::rows::{RowSource, divide};
use crate::fit::edge_rules::EdgeRules;
use crate::fit::logit_adam::{Correction, LogitAdam};
use crate::fit::pool::Pool;
use crate::nn::AdamParams;
use crate::predict::Inputs;

/// Iterations between two values that patience counts.
const PATIENCE_WINDOW: usize = 1000;

/// Logit of an edge that is in the graph once training has ended; minus it of one that is not.
const DECIDED_LOGIT: f64 = 100.0;

pub(crate) struct Training {
    inputs: Inputs,
    networks: Vec<MaskedNetwork>,
    masks: Vec<Mask>,
    logits: Array2<f64>,
    /// `[cause, effect]`, diagonal 0.
    pub(super) probabilities: Array2<f64>,
    gradient: Array2<f64>,
    rules: EdgeRules,
    optimiser: (AdamParams, Correction),
    adam: LogitAdam,
    /// Optimiser steps since the optimisers started anew.
    steps: usize,
    pub(super) lagrangian: Lagrangian,
    acyclicity: Acyclicity,
    patience: Patience,
    rows: RowSource,
    held_out: Vec<u32>,
    iterations: usize,
    /// Whether training ends by itself, with every edge in or out, once the graph has been acyclic for
    /// a while; else somebody else ends it.
    pub(super) decides: bool,
    /// Whether every edge was decided; nothing moves any more.
    pub(super) has_ended: bool,
    sparsity: f64,
    weight_decay: f64,
    max_cyclicity: f64,
    scratch: Pool<MaskedScratch>,
}

impl Training {
    pub(crate) fn new(params: &DcdiParams, inputs: Inputs, seed: &Seed) -> Self {
        let n_vars = inputs.n_vars;
        let (training, held_out) = divide(inputs.n_samples(), params.held_out, seed);
        let network = |j| MaskedNetwork::new(&inputs, j, &params.hidden, seed);
        let networks = (0..n_vars).into_par_iter().map(network).collect();
        let (adam, correction) = params.optimiser();
        let zeros = || Array2::zeros((n_vars, n_vars));
        let mut training = Self {
            networks,
            masks: vec![Mask::new(n_vars); n_vars],
            logits: zeros(),
            probabilities: zeros(),
            gradient: zeros(),
            rules: EdgeRules::none(n_vars),
            optimiser: (adam, correction),
            adam: LogitAdam::of(n_vars, adam, correction),
            steps: 0,
            lagrangian: Lagrangian::new(params.penalty, params.penalty_growth),
            acyclicity: Acyclicity::new(n_vars),
            patience: Patience {
                best: f64::INFINITY,
                waited: 0,
                most: params.patience,
            },
            weight_decay: params.decay_rows / training.len().max(1) as f64,
            rows: RowSource::new(params, &inputs, training, seed),
            held_out,
            iterations: 0,
            decides: false,
            has_ended: false,
            sparsity: params.sparsity,
            max_cyclicity: params.max_cyclicity,
            scratch: Pool::default(),
            inputs,
        };
        training.restart(Array2::from_elem((n_vars, n_vars), params.start_logit));
        training
    }

    /// With edges that are known; they never move.
    pub(crate) fn set_rules(&mut self, rules: EdgeRules) {
        self.rules = rules;
        self.restart(self.logits.clone());
    }

    /// Goes to these logits, `[cause, effect]`. Networks and multipliers stay; what the optimiser of
    /// the logits and the validated values were about is gone.
    pub(crate) fn restart(&mut self, logits: Array2<f64>) {
        self.logits = logits;
        self.rules.set_existence(&mut self.logits);
        self.rest_logits();
        self.lagrangian.forget_values();
        self.set_probabilities();
    }

    fn rest_logits(&mut self) {
        let (adam, correction) = self.optimiser;
        self.adam = LogitAdam::of(self.networks.len(), adam, correction);
    }

    /// Whether h is tiny and the likely edges have no cycle.
    pub(crate) fn is_acyclic(&mut self) -> bool {
        let h = self.acyclicity.value(&self.probabilities);
        self.is_acyclic_at(h)
    }

    pub(crate) fn n_edges(&self) -> usize {
        self.probabilities.iter().filter(|p| **p > 0.5).count()
    }

    /// One iteration; fails with the variable whose network diverged.
    pub(crate) fn iterate(&mut self) -> Result<(), usize> {
        self.fit_networks()?;
        self.move_logits();
        self.iterations += 1;
        if self.iterations.is_multiple_of(WINDOW) {
            self.look();
        }
        Ok(())
    }

    fn fit_networks(&mut self) -> Result<(), usize> {
        self.steps += 1;
        let (adam, correction) = &self.optimiser;
        let step = match correction {
            Correction::Bias => adam.step(self.steps, self.weight_decay),
            Correction::None => adam.uncorrected_step(self.weight_decay),
        };
        let (inputs, samples) = (&self.inputs, self.rows.next_batch());
        let scratch = &self.scratch;
        let networks = self.networks.par_iter_mut().zip(&self.masks);
        networks.with_max_len(1).for_each(|(network, mask)| {
            let make = || MaskedScratch::new(inputs);
            scratch.with(make, |s| network.fit(mask, (inputs, samples), &step, s));
        });
        let diverged = self.networks.iter().position(|n| !n.nll.is_finite());
        diverged.map_or(Ok(()), Err)
    }

    /// One step of the logits: mean NLL, sparsity and the constraint.
    fn move_logits(&mut self) {
        let n_vars = self.networks.len();
        let h = self.acyclicity.value(&self.probabilities);
        let slope = self.lagrangian.slope(h);
        let per_edge = self.sparsity / (n_vars * n_vars) as f64;
        for (effect, network) in self.networks.iter().enumerate() {
            for (cause, by_mask) in network.mask_gradient.iter().enumerate() {
                let p = self.probabilities[(cause, effect)];
                let by_probability = per_edge + slope * self.acyclicity.gradient(cause, effect);
                self.gradient[(cause, effect)] =
                    by_mask / n_vars as f64 + p * (1.0 - p) * by_probability;
            }
        }
        self.adam
            .step_noting(&mut self.logits, &self.gradient, &self.rules, |_, _, _| ());
        self.set_probabilities();
    }

    fn set_probabilities(&mut self) {
        for ((cause, effect), &logit) in self.logits.indexed_iter() {
            let p = if cause == effect { 0.0 } else { sigmoid(logit) };
            self.probabilities[(cause, effect)] = p;
            self.masks[effect].set(cause, logit, p);
        }
    }

    fn look(&mut self) {
        let patient = self.iterations.is_multiple_of(PATIENCE_WINDOW);
        let h = self.acyclicity.value(&self.probabilities);
        let n_vars = self.networks.len() as f64;
        let edges = self.probabilities.sum() / (n_vars * n_vars);
        let nll = self.validate();
        let value = nll + self.sparsity * edges + self.lagrangian.value(h);
        let settled = self.lagrangian.is_settled(value);
        if self.is_acyclic_at(h) {
            if self.decides && patient && self.patience.is_exhausted(value) {
                // Edges that are likely are in, the others are out.
                self.logits.mapv_inplace(|l| DECIDED_LOGIT.copysign(l));
                self.set_probabilities();
                self.has_ended = true;
            }
        } else if settled {
            self.lagrangian.update(h);
            self.rest_logits();
            self.networks.iter_mut().for_each(|n| n.predictor.rest());
            self.steps = 0;
        }
    }

    fn is_acyclic_at(&self, h: f64) -> bool {
        let likely = || Digraph::from_matrix(&self.probabilities, |p| *p > 0.5);
        h <= self.max_cyclicity && Dag::try_from(likely()).is_ok()
    }

    /// Mean NLL of the held-out rows, over variables too.
    fn validate(&mut self) -> f64 {
        let (inputs, samples, scratch) = (&self.inputs, &self.held_out, &self.scratch);
        let networks = self.networks.par_iter_mut().zip(&self.masks);
        networks.with_max_len(1).for_each(|(network, mask)| {
            let make = || MaskedScratch::new(inputs);
            scratch.with(make, |s| network.validate(mask, inputs, samples, s));
        });
        let sum: f64 = self.networks.iter().map(|n| n.nll).sum();
        sum / (self.networks.len() * self.held_out.len()) as f64
    }
}

/// Counts values in a row that are no better than the best.
#[derive(Clone, Copy, Debug)]
struct Patience {
    best: f64,
    waited: usize,
    most: usize,
}

impl Patience {
    fn is_exhausted(&mut self, value: f64) -> bool {
        let better = value < self.best;
        self.waited = if better { 0 } else { self.waited + 1 };
        self.best = self.best.min(value);
        self.waited >= self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_counts_values_that_are_no_better() {
        let mut patience = Patience {
            best: f64::INFINITY,
            waited: 0,
            most: 2,
        };
        let ends = [3.0, 2.0, 2.5, 1.0, 1.5, 1.2].map(|value| patience.is_exhausted(value));
        assert_eq!(ends, [false, false, false, false, false, true]);
    }
}
