//! What a family pays for its parameters, in nats.
//!
//! | class | price | why |
//! |---|---|---|
//! | additive, linear | per parent, half the quantile of chi-square at `1 - level / (N (N - 1))` | the gain of an edge that is not there exceeds it once in `1 / level` graphs |
//! | the same | and [`MISFIT`] per row and parameter | no model is quite true, and what it misses a false parent may explain, in proportion to the rows |
//! | table | half the logarithm of the rows per parameter beyond those without parents | BIC (Schwarz 1978) |

use fedcdi_core::VarId;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::known::Known;

/// Nats that a parameter may explain of each row though nothing depends on it. A model of the additive class
/// that is off by so little cannot be told from a true one by fewer than some ten thousand rows.
const MISFIT: f64 = 2e-5;

/// Prices of a study.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prices {
    /// Probability that an edge which is not there pays its price.
    tail: f64,
    /// Of tables.
    per_parameter: f64,
    n_rows: f64,
}

impl Prices {
    /// Of graphs of so many variables, by rows of this number, at this level.
    pub fn new(n_vars: usize, n_rows: f64, level: f64) -> Self {
        let n = n_vars.max(2) as f64;
        Self {
            tail: level / (n * (n - 1.0)),
            per_parameter: 0.5 * n_rows.max(2.0).ln(),
            n_rows,
        }
    }

    /// Of one parent with so many free parameters.
    pub fn parent(&self, degrees: usize) -> f64 {
        let law = ChiSquared::new(degrees as f64).ok();
        let chance = law.map_or(0.0, |law| 0.5 * law.inverse_cdf(1.0 - self.tail));
        chance + MISFIT * self.n_rows * degrees as f64
    }

    /// Of a table of an effect with so many values, at least one, by so many combinations of parents.
    pub fn table(&self, values: usize, combinations: f64) -> f64 {
        self.per_parameter * (values as f64 - 1.0) * (combinations - 1.0)
    }
}

/// How many categories of every variable occur where an effect is left alone.
pub(crate) fn n_occurring(known: &Known, var: VarId, effect: VarId) -> usize {
    let counts = known.marginal(var, effect);
    counts.iter().filter(|n| **n > 0.0).count()
}
