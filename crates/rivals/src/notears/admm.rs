//! The alternating direction method: clients regress, the coordinator finds the acyclic weights that
//! they agree on, disagreement and cycles cost more from iteration to iteration.
//!
//! What a client would send is its coefficients and nothing else: this simulates a real federation of
//! the method.

use ndarray::{Array1, Array2};
use rayon::prelude::*;

use super::NotearsParams;
use super::cycles::{CyclePenalty, cycles};
use super::lbfgs::minimise;
use super::moments::Moments;
use super::regression::{Pull, regress};
use super::{alone, consensus};

/// Beyond this a penalty no longer grows: doubles hold no more.
const MAX_PENALTY: f64 = 1e16;

#[derive(Clone, Debug)]
pub(super) struct Admm<'a> {
    params: &'a NotearsParams,
    clients: &'a [Moments],
    /// Rows of all clients, by effect.
    n_rows: Vec<f64>,
    /// W, `[cause, effect]`.
    pub(super) agreed: Array2<f64>,
    /// `B_k`.
    pub(super) local: Vec<Array2<f64>>,
    /// `beta_k`.
    duals: Vec<Array2<f64>>,
    cycle_penalty: CyclePenalty,
    /// `rho_2`.
    consensus_penalty: f64,
}

impl<'a> Admm<'a> {
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
            cycle_penalty: CyclePenalty {
                multiplier: 0.0,
                penalty: params.cycle_penalty,
            },
            consensus_penalty: params.consensus_penalty,
        }
    }

    /// One iteration: how far it is from an acyclic matrix, and the largest difference between a
    /// coefficient of a client and that of all.
    pub(super) fn step(&mut self) -> (f64, f64) {
        if let [moments] = self.clients {
            let smooth = |at: &_| alone::smooth(at, moments, self.cycle_penalty);
            self.agreed = minimise(&self.agreed, self.params.sparsity, smooth);
            self.local[0] = self.agreed.clone();
        } else {
            self.fit_clients();
            self.agree();
        }
        let cycles = cycles(&self.agreed);
        let mut disagreement: f64 = 0.0;
        self.cycle_penalty.multiplier += self.cycle_penalty.penalty * cycles;
        for (local, dual) in self.local.iter().zip(&mut self.duals) {
            let gap = local - &self.agreed;
            disagreement = gap
                .iter()
                .fold(disagreement, |most, gap| gap.abs().max(most));
            dual.scaled_add(self.consensus_penalty, &gap);
        }
        let grown = |penalty: f64, growth: f64| (penalty * growth).min(MAX_PENALTY);
        let penalty = &mut self.cycle_penalty.penalty;
        *penalty = grown(*penalty, self.params.cycle_growth);
        self.consensus_penalty = grown(self.consensus_penalty, self.params.consensus_growth);
        (cycles, disagreement)
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
                // Squared errors are divided by the rows of all clients.
                let moments = self.clients[client].for_effect(effect) / self.n_rows[effect];
                regress(&moments, effect, pull)
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
        let pull = n_clients * self.consensus_penalty;
        let smooth = |at: &_| consensus::smooth(at, &mean, pull, self.cycle_penalty);
        self.agreed = minimise(&self.agreed, self.params.sparsity, smooth);
    }
}
