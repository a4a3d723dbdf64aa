//! The acyclic matrix nearest to what the clients found: one minimisation per iteration.
//!
//! Up to a constant, `l1 ||W||_1 + alpha h + rho_1/2 h^2 + sum_k <beta_k, B_k - W> + rho_2/2
//! ||B_k - W||^2` is `l1 ||W||_1 + alpha h + rho_1/2 h^2 + K rho_2/2 ||W - M||^2`, where M is the
//! mean over clients of `B_k + beta_k / rho_2`: the clients enter by one mean.

use std::cell::RefCell;

use argmin::core::{CostFunction, Error, Executor, Gradient};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use ndarray::Array2;

use crate::exponential::Exponential;

/// Corrections that L-BFGS keeps.
const MEMORY: usize = 10;

/// Steps of one minimisation.
const MAX_STEPS: u64 = 1000;

/// Gradient norm at which it ends.
const GRADIENT_TOLERANCE: f64 = 1e-6;

/// Change of the cost at which it ends.
const COST_TOLERANCE: f64 = 1e-10;

/// The problem of one iteration.
#[derive(Clone, Debug)]
pub struct Consensus {
    /// M, `[cause, effect]`, diagonal 0.
    pub mean: Array2<f64>,
    /// `K rho_2`.
    pub pull: f64,
    /// alpha.
    pub multiplier: f64,
    /// `rho_1`.
    pub penalty: f64,
    /// Weight of the absolute coefficients.
    pub sparsity: f64,
}

impl Consensus {
    /// W from `start` on, `[cause, effect]`.
    pub fn minimise(&self, start: &Array2<f64>) -> Array2<f64> {
        let problem = Problem {
            consensus: self,
            best: RefCell::new((f64::INFINITY, start.clone())),
        };
        let solver = LBFGS::new(MoreThuenteLineSearch::new(), MEMORY)
            .with_tolerance_grad(GRADIENT_TOLERANCE)
            .and_then(|solver| solver.with_tolerance_cost(COST_TOLERANCE))
            .and_then(|solver| solver.with_l1_regularization(self.sparsity));
        let Ok(solver) = solver else {
            unreachable!("checked settings are what the solver asks for")
        };
        let first = start.iter().copied().collect::<Vec<f64>>();
        let run = Executor::new(&problem, solver)
            .configure(|state| state.param(first).max_iters(MAX_STEPS));
        // A line search that finds no better point ends with an error: the best point is then the
        // result, as it is if the search ends well.
        let _ended = run.run();
        problem.best.into_inner().1
    }

    /// The smooth part and its gradient; the diagonal does not move.
    fn smooth(&self, weights: &Array2<f64>) -> (f64, Array2<f64>) {
        let mut exponential = Exponential::new(weights.nrows());
        exponential.of(&(weights * weights));
        let cycles = exponential.closed_walks();
        let gap = weights - &self.mean;
        let value = self.multiplier * cycles
            + 0.5 * self.penalty * cycles * cycles
            + 0.5 * self.pull * gap.iter().map(|g| g * g).sum::<f64>();
        let slope = 2.0 * (self.multiplier + self.penalty * cycles);
        let mut gradient = slope * weights * exponential.value().t() + self.pull * &gap;
        gradient.diag_mut().fill(0.0);
        (value, gradient)
    }
}

/// The problem as the solver sees it, with the best point so far.
struct Problem<'a> {
    consensus: &'a Consensus,
    best: RefCell<(f64, Array2<f64>)>,
}

impl Problem<'_> {
    fn matrix(&self, weights: &[f64]) -> Result<Array2<f64>, Error> {
        Ok(Array2::from_shape_vec(
            self.consensus.mean.dim(),
            weights.to_vec(),
        )?)
    }
}

impl CostFunction for &Problem<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, weights: &Vec<f64>) -> Result<f64, Error> {
        let matrix = self.matrix(weights)?;
        let (value, _) = self.consensus.smooth(&matrix);
        let size: f64 = weights.iter().map(|w| w.abs()).sum();
        let whole = value + self.consensus.sparsity * size;
        let mut best = self.best.borrow_mut();
        if whole < best.0 {
            *best = (whole, matrix);
        }
        Ok(value)
    }
}

impl Gradient for &Problem<'_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, weights: &Vec<f64>) -> Result<Vec<f64>, Error> {
        let (_, gradient) = self.consensus.smooth(&self.matrix(weights)?);
        Ok(gradient.iter().copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn consensus(mean: Array2<f64>) -> Consensus {
        Consensus {
            mean,
            pull: 2.0,
            multiplier: 0.7,
            penalty: 3.0,
            sparsity: 0.1,
        }
    }

    #[test]
    fn the_gradient_is_that_of_differences() {
        let problem = consensus(array![[0.0, 1.0, 0.2], [0.5, 0.0, 0.3], [0.1, 0.4, 0.0]]);
        let at = array![[0.0, 0.8, -0.3], [0.6, 0.0, 0.2], [-0.2, 0.5, 0.0]];
        let (_, gradient) = problem.smooth(&at);
        let step = 1e-6;
        for i in 0..3 {
            for j in (0..3).filter(|j| *j != i) {
                let moved = |by: f64| {
                    let mut to = at.clone();
                    to[(i, j)] += by;
                    problem.smooth(&to).0
                };
                let slope = (moved(step) - moved(-step)) / (2.0 * step);
                assert!((slope - gradient[(i, j)]).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn without_cycles_it_is_soft_thresholding() {
        // min 0.1 |w| + (w - m)^2: w = m - 0.05 where m exceeds 0.05, else 0.
        let found = consensus(array![[0.0, 1.0], [0.0, 0.0]]).minimise(&Array2::zeros((2, 2)));
        assert!((found[(0, 1)] - 0.95).abs() < 1e-4, "{found}");
        assert_eq!(found[(1, 0)], 0.0);
        let found = consensus(array![[0.0, 0.04], [0.0, 0.0]]).minimise(&Array2::zeros((2, 2)));
        assert_eq!(found, Array2::<f64>::zeros((2, 2)));
    }
}
