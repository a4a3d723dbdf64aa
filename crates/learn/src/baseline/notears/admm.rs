//! The alternating direction method: clients regress, the coordinator finds the acyclic weights that
//! they agree on, disagreement and cycles cost more from iteration to iteration.
//!
//! What a client would send is its parameters and nothing else: this simulates a real federation of
//! the method.

use rayon::prelude::*;

use super::NotearsParams;
use super::alone::Alone;
use super::consensus::Consensus;
use super::cycles::{CyclePenalty, cycles};
use super::parameters::Parameters;
use super::regression::{Pull, Regressions};

/// Beyond this a penalty no longer grows: doubles hold no more.
const MAX_PENALTY: f64 = 1e16;

/// Where the method is.
#[derive(Clone, Debug)]
pub struct Admm<'a> {
    params: &'a NotearsParams,
    clients: &'a [Regressions],
    /// Rows of all clients, by effect.
    n_rows: Vec<f64>,
    /// W.
    agreed: Parameters,
    /// `B_k`.
    local: Vec<Parameters>,
    /// `beta_k`.
    duals: Vec<Parameters>,
    /// alpha.
    multiplier: f64,
    /// `rho_1`.
    cycle_penalty: f64,
    /// `rho_2`.
    consensus_penalty: f64,
}

/// How far it is from its goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// `tr e^(W o W) - N`.
    pub cycles: f64,
    /// Largest difference between a parameter of a client and that of all.
    pub disagreement: f64,
}

impl<'a> Admm<'a> {
    /// Before the first iteration, where all are at `start`.
    pub fn new(params: &'a NotearsParams, clients: &'a [Regressions], start: Parameters) -> Self {
        let n_vars = start.rest.ncols();
        let total = |effect| clients.iter().map(|client| client.n_rows(effect)).sum();
        let (n_units, n_rest) = (start.first.dim().0, start.rest.nrows());
        Self {
            params,
            clients,
            n_rows: (0..n_vars).map(total).collect(),
            local: vec![start.clone(); clients.len()],
            duals: vec![Parameters::zeros(n_units, n_rest, n_vars); clients.len()],
            agreed: start,
            multiplier: 0.0,
            cycle_penalty: params.cycle_penalty,
            consensus_penalty: params.consensus_penalty,
        }
    }

    /// One iteration.
    pub fn step(&mut self) -> Distance {
        if let [Regressions::Linear(moments)] = self.clients {
            let alone = Alone {
                moments,
                cycles: self.cycle_penalty(),
                sparsity: self.params.sparsity,
            };
            self.agreed.first = alone.minimise(&self.agreed.first);
            self.local[0] = self.agreed.clone();
        } else {
            self.fit_clients();
            self.agree();
        }
        let cycles = cycles(&self.agreed.first);
        let mut disagreement: f64 = 0.0;
        self.multiplier += self.cycle_penalty * cycles;
        for (local, dual) in self.local.iter().zip(&mut self.duals) {
            let gap = local.minus(&self.agreed);
            disagreement = disagreement.max(gap.largest());
            dual.add(self.consensus_penalty, &gap);
        }
        let grown = |penalty: f64, growth: f64| (penalty * growth).min(MAX_PENALTY);
        self.cycle_penalty = grown(self.cycle_penalty, self.params.cycle_growth);
        self.consensus_penalty = grown(self.consensus_penalty, self.params.consensus_growth);
        Distance {
            cycles,
            disagreement,
        }
    }

    /// W.
    pub fn agreed(&self) -> &Parameters {
        &self.agreed
    }

    fn cycle_penalty(&self) -> CyclePenalty {
        CyclePenalty {
            multiplier: self.multiplier,
            penalty: self.cycle_penalty,
        }
    }

    /// `B_k`: every variable regressed on all others, pulled towards W.
    fn fit_clients(&mut self) {
        let n_vars = self.n_rows.len();
        let jobs = (0..self.clients.len() * n_vars).into_par_iter();
        let fitted: Vec<Vec<f64>> = jobs
            .map(|job| {
                let (client, effect) = (job / n_vars, job % n_vars);
                let pull = Pull {
                    centre: &self.agreed.of_effect(effect),
                    dual: &self.duals[client].of_effect(effect),
                    penalty: self.consensus_penalty,
                };
                let start = self.local[client].of_effect(effect);
                self.clients[client].fit(effect, start, pull, self.n_rows[effect])
            })
            .collect();
        for (job, values) in fitted.iter().enumerate() {
            self.local[job / n_vars].set_effect(job % n_vars, values);
        }
    }

    /// W: what the first layers agree on under the penalties, and the mean of everything else.
    fn agree(&mut self) {
        let n_clients = self.clients.len() as f64;
        let mut mean = Parameters::zeros(
            self.agreed.first.dim().0,
            self.agreed.rest.nrows(),
            self.n_rows.len(),
        );
        for (local, dual) in self.local.iter().zip(&self.duals) {
            mean.add(1.0 / n_clients, local);
            mean.add(1.0 / (n_clients * self.consensus_penalty), dual);
        }
        let consensus = Consensus {
            mean: mean.first,
            pull: n_clients * self.consensus_penalty,
            cycles: self.cycle_penalty(),
            sparsity: self.params.sparsity,
        };
        self.agreed.first = consensus.minimise(&self.agreed.first);
        self.agreed.rest = mean.rest;
    }
}
