//! Minimising a smooth function, with or without an l1 penalty, by L-BFGS.

use std::cell::RefCell;

use argmin::core::{CostFunction, Error, Executor, Gradient};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use ndarray::Array2;

const MEMORY: usize = 10;

/// Gradient norm at which it ends.
const GRADIENT_TOLERANCE: f64 = 1e-6;

const MAX_STEPS: u64 = 1000;

/// Change of the cost at which it ends.
const COST_TOLERANCE: f64 = 1e-10;

/// The best matrix found from `start` on, by the smooth part with its gradient and the sum of absolute
/// values times `sparsity`.
pub(super) fn minimise(
    start: &Array2<f64>,
    sparsity: f64,
    smooth: impl Fn(&Array2<f64>) -> (f64, Array2<f64>),
) -> Array2<f64> {
    let shaped = |values: Vec<f64>| {
        Array2::from_shape_vec(start.dim(), values).expect("as many as there were")
    };
    let smooth = |at: &[f64]| {
        let (value, gradient) = smooth(&shaped(at.to_vec()));
        (value, gradient.iter().copied().collect())
    };
    shaped(best(start.iter().copied().collect(), sparsity, smooth))
}

fn best(start: Vec<f64>, sparsity: f64, smooth: impl Fn(&[f64]) -> (f64, Vec<f64>)) -> Vec<f64> {
    // The first step is as long as the gradient: were it long, the exponential of what it leads to
    // would overflow.
    let (_, gradient) = smooth(&start);
    let norm = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
    let scale = 1.0 / norm.max(1.0);
    let seen = Seen {
        smooth,
        sparsity,
        scale,
        last: RefCell::new((Vec::new(), 0.0, Vec::new())),
        best: RefCell::new((f64::INFINITY, start.clone())),
    };
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), MEMORY)
        .with_tolerance_grad(GRADIENT_TOLERANCE * scale)
        .and_then(|solver| solver.with_tolerance_cost(COST_TOLERANCE * scale));
    let solver = match sparsity {
        0.0 => solver,
        sparsity => solver.and_then(|solver| solver.with_l1_regularization(sparsity * scale)),
    };
    let Ok(solver) = solver else {
        unreachable!("checked settings are what the solver asks for")
    };
    let run =
        Executor::new(&seen, solver).configure(|state| state.param(start).max_iters(MAX_STEPS));
    // A line search that finds no better point ends with an error: the best point is then the
    // result, as it is if the search ends well.
    let _ended = run.run();
    seen.best.into_inner().1
}

/// The problem as the solver sees it. Value and gradient are asked for one by one at the same
/// points, and cost as much together as apart.
struct Seen<F> {
    smooth: F,
    sparsity: f64,
    /// What costs are multiplied by.
    scale: f64,
    last: RefCell<(Vec<f64>, f64, Vec<f64>)>,
    best: RefCell<(f64, Vec<f64>)>,
}

impl<F: Fn(&[f64]) -> (f64, Vec<f64>)> Seen<F> {
    fn look(&self, at: &[f64]) {
        let mut last = self.last.borrow_mut();
        if last.0 != at {
            let (value, mut gradient) = (self.smooth)(at);
            gradient.iter_mut().for_each(|g| *g *= self.scale);
            *last = (at.to_vec(), value * self.scale, gradient);
        }
        let size: f64 = at.iter().map(|w| w.abs()).sum();
        let whole = last.1 + self.scale * self.sparsity * size;
        let mut best = self.best.borrow_mut();
        if whole < best.0 {
            *best = (whole, at.to_vec());
        }
    }
}

impl<F: Fn(&[f64]) -> (f64, Vec<f64>)> CostFunction for &Seen<F> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, at: &Vec<f64>) -> Result<f64, Error> {
        self.look(at);
        Ok(self.last.borrow().1)
    }
}

impl<F: Fn(&[f64]) -> (f64, Vec<f64>)> Gradient for &Seen<F> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, at: &Vec<f64>) -> Result<Vec<f64>, Error> {
        self.look(at);
        Ok(self.last.borrow().2.clone())
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn a_parabola_with_and_without_a_penalty() {
        // (x - 3)^2 + (y - 0.1)^2 + s (|x| + |y|): x = 3 - s / 2, y = max(0.1 - s / 2, 0).
        for (sparsity, expected) in [(0.0, [3.0, 0.1]), (1.0, [2.5, 0.0])] {
            let found = minimise(&array![[1.0, 1.0]], sparsity, |at| {
                let gap = at - &array![[3.0, 0.1]];
                ((&gap * &gap).sum(), 2.0 * gap)
            });
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-5, "{found} {expected}");
            }
        }
    }
}
