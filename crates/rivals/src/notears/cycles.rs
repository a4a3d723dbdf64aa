//! What cycles cost: `alpha h + rho_1/2 h^2` with `h = tr e^(W o W) - N`.

use ndarray::Array2;

use fedcdi_learn::fit::Exponential;

/// The two terms of the augmented Lagrangian.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CyclePenalty {
    /// alpha.
    pub(crate) multiplier: f64,
    /// `rho_1`.
    pub(crate) penalty: f64,
}

impl CyclePenalty {
    /// Value and gradient at these weights, `[cause, effect]`.
    ///
    /// Complexity: O(N^3).
    pub(super) fn of(&self, weights: &Array2<f64>) -> (f64, Array2<f64>) {
        let exponential = exponential(weights);
        let cycles = exponential.closed_walks();
        let value = self.multiplier * cycles + 0.5 * self.penalty * cycles * cycles;
        let slope = 2.0 * (self.multiplier + self.penalty * cycles);
        (value, slope * weights * exponential.value().t())
    }
}

/// `h`.
pub(super) fn cycles(weights: &Array2<f64>) -> f64 {
    exponential(weights).closed_walks()
}

fn exponential(weights: &Array2<f64>) -> Exponential {
    let mut exponential = Exponential::new(weights.nrows());
    exponential.of(&(weights * weights));
    exponential
}
