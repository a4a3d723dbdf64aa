//! What a client does in an iteration: every variable regressed on the others, pulled towards what
//! all agreed on.

use ndarray::{Array1, Array2};

use super::mlp::MlpRows;
use super::moments::Moments;
use crate::baseline::linear::solve;

/// A client's rows as its model wants them.
#[derive(Clone, Debug)]
pub enum Regressions {
    /// Second moments are all that a linear model needs.
    Linear(Moments),
    /// Networks see the rows themselves.
    Mlp(MlpRows),
}

/// Where a regression is pulled: `<dual, b - centre> + penalty / 2 ||b - centre||^2`.
#[derive(Clone, Copy, Debug)]
pub struct Pull<'a> {
    /// What all agreed on.
    pub centre: &'a [f64],
    /// `beta_k`.
    pub dual: &'a [f64],
    /// `rho_2`.
    pub penalty: f64,
}

impl Regressions {
    /// Rows that the regression of `effect` uses.
    pub fn n_rows(&self, effect: usize) -> f64 {
        match self {
            Self::Linear(moments) => moments.n_rows(effect),
            Self::Mlp(rows) => rows.n_rows(effect),
        }
    }

    /// Parameters of `effect`, from `start` on; squared errors are divided by `n_rows`, those of all
    /// clients.
    pub fn fit(&self, effect: usize, start: Vec<f64>, pull: Pull<'_>, n_rows: f64) -> Vec<f64> {
        match self {
            Self::Linear(moments) => {
                let scaled = moments.for_effect(effect) / n_rows;
                linear(&scaled, effect, pull).to_vec()
            }
            Self::Mlp(rows) => rows.fit(effect, start, pull, n_rows),
        }
    }
}

/// Coefficients of one variable on all others: `(S + penalty I) b = s + penalty centre - dual`, where
/// S are their moments and s those with the effect.
fn linear(moments: &Array2<f64>, effect: usize, pull: Pull<'_>) -> Array1<f64> {
    let n_vars = moments.nrows();
    let others: Vec<usize> = (0..n_vars).filter(|var| *var != effect).collect();
    let size = others.len();
    let ridge = |i: usize, j: usize| if i == j { pull.penalty } else { 0.0 };
    let matrix = Array2::from_shape_fn((size, size), |(i, j)| {
        moments[(others[i], others[j])] + ridge(i, j)
    });
    let right = |i: usize| {
        let var = others[i];
        moments[(var, effect)] + pull.penalty * pull.centre[var] - pull.dual[var]
    };
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
    fn a_linear_regression_by_hand() {
        // One regressor: (4 + 1) b = 3 + 1 * 4 - 2.
        let moments = array![[4.0, 3.0], [3.0, 9.0]];
        let pull = Pull {
            centre: &[4.0, 0.0],
            dual: &[2.0, 0.0],
            penalty: 1.0,
        };
        assert_eq!(linear(&moments, 1, pull), array![1.0, 0.0]);
    }
}
