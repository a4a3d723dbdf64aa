//! What a client does in an iteration: every variable regressed on the others, pulled towards what
//! all agreed on.

use ndarray::{Array1, Array2, ArrayView1};

use fedcdi_learn::fit::linear::solve;

/// Where a regression is pulled: `<dual, b - centre> + penalty / 2 ||b - centre||^2`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pull<'a> {
    /// What all agreed on.
    pub(super) centre: ArrayView1<'a, f64>,
    /// `beta_k`.
    pub(super) dual: ArrayView1<'a, f64>,
    /// `rho_2`.
    pub(super) penalty: f64,
}

/// Coefficients of one variable on all others: `(S + penalty I) b = s + penalty centre - dual`, where
/// S are their moments and s those with the effect.
pub(super) fn regress(moments: &Array2<f64>, effect: usize, pull: Pull<'_>) -> Array1<f64> {
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
        let (centre, dual) = (array![4.0, 0.0], array![2.0, 0.0]);
        let pull = Pull {
            centre: centre.view(),
            dual: dual.view(),
            penalty: 1.0,
        };
        assert_eq!(regress(&moments, 1, pull), array![1.0, 0.0]);
    }
}
