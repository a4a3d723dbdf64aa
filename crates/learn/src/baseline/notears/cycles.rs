//! What cycles cost: `alpha h + rho_1/2 h^2` with `h = tr e^(W o W) - N`.

use ndarray::{Array3, Axis};

use super::parameters::squares;
use crate::exponential::Exponential;

/// The two terms of the augmented Lagrangian.
#[derive(Clone, Copy, Debug)]
pub struct CyclePenalty {
    /// alpha.
    pub multiplier: f64,
    /// `rho_1`.
    pub penalty: f64,
}

impl CyclePenalty {
    /// Value and gradient at these weights, `[unit, cause, effect]`.
    ///
    /// Complexity: O(N^3).
    pub fn of(&self, weights: &Array3<f64>) -> (f64, Array3<f64>) {
        let mut exponential = Exponential::new(weights.len_of(Axis(1)));
        exponential.of(&squares(weights));
        let cycles = exponential.closed_walks();
        let value = self.multiplier * cycles + 0.5 * self.penalty * cycles * cycles;
        let slope = 2.0 * (self.multiplier + self.penalty * cycles);
        (value, slope * weights * exponential.value().t())
    }
}

/// `h`.
pub fn cycles(weights: &Array3<f64>) -> f64 {
    let mut exponential = Exponential::new(weights.len_of(Axis(1)));
    exponential.of(&squares(weights));
    exponential.closed_walks()
}
