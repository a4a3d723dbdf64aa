//! The alternating direction method: clients regress, the coordinator finds the acyclic matrix that
//! they agree on, disagreement and cycles cost more from iteration to iteration.
//!
//! What a client would send is its matrix of coefficients and nothing else: this simulates a real
//! federation of the method.

use ndarray::{Array1, Array2};
use rayon::prelude::*;

use super::NotearsParams;
use super::consensus::Consensus;
use super::moments::Moments;
use crate::baseline::linear::solve;
use crate::exponential::Exponential;

/// Beyond this a penalty no longer grows: doubles hold no more.
const MAX_PENALTY: f64 = 1e16;

/// Where the method is.
#[derive(Clone, Debug)]
pub struct Admm<'a> {
    params: &'a NotearsParams,
    clients: &'a [Moments],
    /// W, `[cause, effect]`.
    weights: Array2<f64>,
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
pub struct Distance {
    /// `tr e^(W o W) - N`.
    pub cycles: f64,
    /// Largest difference between a coefficient of a client and that of all.
    pub disagreement: f64,
}

impl<'a> Admm<'a> {
    /// Before the first iteration; the moments are divided by the rows of all clients.
    pub fn new(params: &'a NotearsParams, clients: &'a [Moments], n_vars: usize) -> Self {
        let zeros = Array2::zeros((n_vars, n_vars));
        Self {
            params,
            clients,
            local: vec![zeros.clone(); clients.len()],
            duals: vec![zeros.clone(); clients.len()],
            weights: zeros,
            multiplier: 0.0,
            cycle_penalty: params.cycle_penalty,
            consensus_penalty: params.consensus_penalty,
        }
    }

    /// One iteration.
    pub fn step(&mut self) -> Distance {
        self.fit_clients();
        self.weights = self.consensus().minimise(&self.weights);
        let mut exponential = Exponential::new(self.weights.nrows());
        exponential.of(&(&self.weights * &self.weights));
        let cycles = exponential.closed_walks();
        let mut disagreement: f64 = 0.0;
        self.multiplier += self.cycle_penalty * cycles;
        for (local, dual) in self.local.iter().zip(&mut self.duals) {
            let gap = local - &self.weights;
            disagreement = gap.iter().fold(disagreement, |most, g| most.max(g.abs()));
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

    /// W, `[cause, effect]`.
    pub fn weights(&self) -> &Array2<f64> {
        &self.weights
    }

    /// `B_k`: every variable regressed on all others, pulled towards W.
    fn fit_clients(&mut self) {
        let (weights, penalty) = (&self.weights, self.consensus_penalty);
        let clients = self.clients.par_iter().zip(&self.duals);
        self.local = clients
            .map(|(moments, dual)| {
                let mut local = Array2::zeros(weights.dim());
                for effect in 0..weights.ncols() {
                    let fitted = regress(moments.for_effect(effect), effect, penalty, |cause| {
                        penalty * weights[(cause, effect)] - dual[(cause, effect)]
                    });
                    local.column_mut(effect).assign(&fitted);
                }
                local
            })
            .collect();
    }

    fn consensus(&self) -> Consensus {
        let n_clients = self.clients.len() as f64;
        let mut mean = Array2::zeros(self.weights.dim());
        for (local, dual) in self.local.iter().zip(&self.duals) {
            mean += local;
            mean.scaled_add(1.0 / self.consensus_penalty, dual);
        }
        mean /= n_clients;
        Consensus {
            mean,
            pull: n_clients * self.consensus_penalty,
            multiplier: self.multiplier,
            penalty: self.cycle_penalty,
            sparsity: self.params.sparsity,
        }
    }
}

/// Coefficients of one variable on all others: `(S + penalty I) b = s + pull`, where S are their
/// moments and s those with the effect.
fn regress(
    moments: &Array2<f64>,
    effect: usize,
    penalty: f64,
    pull: impl Fn(usize) -> f64,
) -> Array1<f64> {
    let n_vars = moments.nrows();
    let others: Vec<usize> = (0..n_vars).filter(|var| *var != effect).collect();
    let size = others.len();
    let ridge = |i: usize, j: usize| if i == j { penalty } else { 0.0 };
    let matrix = Array2::from_shape_fn((size, size), |(i, j)| {
        moments[(others[i], others[j])] + ridge(i, j)
    });
    let right = |i: usize| moments[(others[i], effect)] + pull(others[i]);
    let right = Array1::from_shape_fn(size, right);
    let mut fitted = Array1::zeros(n_vars);
    for (var, coefficient) in others.iter().zip(solve(matrix, right)) {
        fitted[*var] = coefficient;
    }
    fitted
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_regression_by_hand() {
        // One regressor: (4 + 1) b = 3 + 2.
        let moments = array![[4.0, 3.0], [3.0, 9.0]];
        let found = regress(&moments, 1, 1.0, |_| 2.0);
        assert_eq!(found, array![1.0, 0.0]);
    }
}
