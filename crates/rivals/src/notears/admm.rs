//! The alternating direction method: clients regress, the coordinator finds the acyclic weights that
//! they agree on, disagreement and cycles cost more from iteration to iteration.
//!
//! What a client would send is its coefficients and nothing else: this simulates a real federation of
//! the method.

use ndarray::{Array1, Array2};
use rayon::prelude::*;

use super::NotearsParams;
use super::alone::Alone;
use super::consensus::Consensus;
use super::cycles::{CyclePenalty, cycles};
use super::moments::Moments;
use super::regression::{self, Pull};

/// Beyond this a penalty no longer grows: doubles hold no more.
const MAX_PENALTY: f64 = 1e16;

/// Where the method is.
#[derive(Clone, Debug)]
pub(super) struct Admm<'a> {
    params: &'a NotearsParams,
    clients: &'a [Moments],
    /// Rows of all clients, by effect.
    n_rows: Vec<f64>,
    /// W, `[cause, effect]`.
    agreed: Array2<f64>,
    /// `B_k`.
    local: Vec<Array2<f64>>,
    /// `beta_k`.
    duals: Vec<Array2<f64>>,
    /// alpha.
    multiplier: f64,
    /// `rho_1`.
    cycle_penalty: f64,
    /// `rho_2`.
    consensus_penalty: f64,
}

/// How far it is from its goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Distance {
    /// `tr e^(W o W) - N`.
    pub(super) cycles: f64,
    /// Largest difference between a coefficient of a client and that of all.
    pub(super) disagreement: f64,
}

impl<'a> Admm<'a> {
    /// Before the first iteration, where nobody has an edge.
    pub(super) fn new(params: &'a NotearsParams, clients: &'a [Moments], n_vars: usize) -> Self {
        let start = Array2::zeros((n_vars, n_vars));
        let total = |effect| clients.iter().map(|client| client.n_rows(effect)).sum();
        Self {
            params,
            clients,
            n_rows: (0..n_vars).map(total).collect(),
            local: vec![start.clone(); clients.len()],
            duals: vec![start.clone(); clients.len()],
            agreed: start,
            multiplier: 0.0,
            cycle_penalty: params.cycle_penalty,
            consensus_penalty: params.consensus_penalty,
        }
    }

    /// One iteration.
    pub(super) fn step(&mut self) -> Distance {
        if let [moments] = self.clients {
            let alone = Alone {
                moments,
                cycles: self.cycle_penalty(),
                sparsity: self.params.sparsity,
            };
            self.agreed = alone.minimise(&self.agreed);
            self.local[0] = self.agreed.clone();
        } else {
            self.fit_clients();
            self.agree();
        }
        let cycles = cycles(&self.agreed);
        let mut disagreement: f64 = 0.0;
        self.multiplier += self.cycle_penalty * cycles;
        for (local, dual) in self.local.iter().zip(&mut self.duals) {
            let gap = local - &self.agreed;
            disagreement = gap
                .iter()
                .fold(disagreement, |most, gap| gap.abs().max(most));
            dual.scaled_add(self.consensus_penalty, &gap);
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
    pub(super) fn agreed(&self) -> &Array2<f64> {
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
        let fitted: Vec<Array1<f64>> = jobs
            .map(|job| {
                let (client, effect) = (job / n_vars, job % n_vars);
                let pull = Pull {
                    centre: self.agreed.column(effect),
                    dual: self.duals[client].column(effect),
                    penalty: self.consensus_penalty,
                };
                regression::fit(&self.clients[client], effect, pull, self.n_rows[effect])
            })
            .collect();
        for (job, values) in fitted.iter().enumerate() {
            let mut column = self.local[job / n_vars].column_mut(job % n_vars);
            column.assign(values);
        }
    }

    /// W: what the clients agree on under the penalties.
    fn agree(&mut self) {
        let n_clients = self.clients.len() as f64;
        let mut mean = Array2::zeros(self.agreed.dim());
        for (local, dual) in self.local.iter().zip(&self.duals) {
            mean.scaled_add(1.0 / n_clients, local);
            mean.scaled_add(1.0 / (n_clients * self.consensus_penalty), dual);
        }
        let consensus = Consensus {
            mean,
            pull: n_clients * self.consensus_penalty,
            cycles: self.cycle_penalty(),
            sparsity: self.params.sparsity,
        };
        self.agreed = consensus.minimise(&self.agreed);
    }
}
