//! A network per variable: one hidden layer of sigmoids on all other variables.
//!
//! Parameters of an effect, in the order of [`Parameters::of_effect`](super::parameters::Parameters):
//!
//! | symbol | shape |
//! |---|---|
//! | A, first-layer weights | `[unit, cause]` |
//! | b, their biases | `[unit]` |
//! | v, weights of the output | `[unit]` |
//! | c, its bias | `[]` |
//!
//! `f(x) = v . sigma(A x + b) + c`, loss `||x_j - f(x)||^2 / (2 n)` over the rows that count for j.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::lbfgs::Problem;
use super::moments::location;
use super::regression::Pull;
use crate::baseline::RealSamples;
use crate::baseline::rows::RowsUsed;
use fedcdi_core::VarId;

/// Steps of one fit; the next iteration goes on from where this one ends.
const MAX_STEPS: u64 = 30;

/// A client's rows.
#[derive(Clone, Debug)]
pub struct MlpRows {
    /// Centred values, `[row, variable]`.
    values: Array2<f64>,
    /// 1 where a row counts for a variable, else 0; `[row, variable]`.
    counts: Array2<f64>,
    n_units: usize,
}

/// Number of an effect's parameters besides the first layer, for this many units.
pub fn n_rest(n_units: usize) -> usize {
    2 * n_units + 1
}

impl MlpRows {
    /// Of samples that are centred as the linear model's are.
    pub fn of(samples: &RealSamples, rows: RowsUsed, standardise: bool, n_units: usize) -> Self {
        let sets = samples.family().sets();
        let (mean, deviation) = location(samples);
        let mut values = Array2::zeros((0, samples.n_vars()));
        let mut counts = Array2::zeros((0, samples.n_vars()));
        for (regime, set) in sets.iter().enumerate() {
            let mut part = samples.regime(regime) - &mean;
            if standardise {
                part /= &deviation;
            }
            let counted = |var: usize| match rows {
                RowsUsed::Observational => set.is_empty(),
                RowsUsed::Untouched => !set.contains(VarId(var)),
            };
            let row = Array1::from_shape_fn(samples.n_vars(), |v| f64::from(u8::from(counted(v))));
            if row.sum() == 0.0 {
                continue;
            }
            let counted = row.broadcast(part.dim()).expect("a row for every row");
            counts.append(Axis(0), counted).expect("as many columns");
            values
                .append(Axis(0), part.view())
                .expect("as many columns");
        }
        Self {
            values,
            counts,
            n_units,
        }
    }

    /// Rows that count for `effect`.
    pub fn n_rows(&self, effect: usize) -> f64 {
        self.counts.column(effect).sum()
    }

    /// Parameters of `effect`, from `start` on.
    pub fn fit(&self, effect: usize, start: Vec<f64>, pull: Pull<'_>, n_rows: f64) -> Vec<f64> {
        let problem = Problem {
            smooth: |at: &[f64]| {
                let (mut value, mut gradient) = self.loss(effect, at, n_rows);
                let places = gradient
                    .iter_mut()
                    .zip(at)
                    .zip(pull.centre.iter().zip(pull.dual));
                for ((slope, at), (centre, dual)) in places {
                    let gap = at - centre;
                    value += dual * gap + 0.5 * pull.penalty * gap * gap;
                    *slope += dual + pull.penalty * gap;
                }
                // A variable is never its own cause.
                for unit in 0..self.n_units {
                    gradient[unit * self.values.ncols() + effect] = 0.0;
                }
                (value, gradient)
            },
            sparsity: 0.0,
            max_steps: MAX_STEPS,
        };
        problem.minimise(start)
    }

    /// Squared errors and their gradient.
    fn loss(&self, effect: usize, at: &[f64], n_rows: f64) -> (f64, Vec<f64>) {
        let (n, n_vars, units) = (self.values.nrows(), self.values.ncols(), self.n_units);
        let (first, rest) = at.split_at(units * n_vars);
        let first = ArrayView2::from_shape((units, n_vars), first).expect("units by causes");
        let (bias, rest) = rest.split_at(units);
        let (output, constant) = rest.split_at(units);
        let [bias, output] = [bias, output].map(ArrayView1::from);
        let mut hidden = Array2::zeros((n, units));
        general_mat_mul(1.0, &self.values, &first.t(), 0.0, &mut hidden);
        hidden += &bias;
        hidden.mapv_inplace(|z| 1.0 / (1.0 + (-z).exp()));
        let mut errors = hidden.dot(&output) + constant[0];
        errors -= &self.values.column(effect);
        errors *= &self.counts.column(effect);
        let value = errors.dot(&errors) / (2.0 * n_rows);
        errors /= n_rows;
        let by_output = hidden.t().dot(&errors);
        let by_constant = errors.sum();
        // dL/dz, in place of the activations.
        for (mut row, error) in hidden.outer_iter_mut().zip(&errors) {
            for (h, v) in row.iter_mut().zip(&output) {
                *h = error * v * *h * (1.0 - *h);
            }
        }
        let by_first = hidden.t().dot(&self.values);
        let by_bias = hidden.sum_axis(Axis(0));
        let gradient = by_first.iter().chain(&by_bias).chain(&by_output).copied();
        (value, gradient.chain([by_constant]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::VarSet;
    use ndarray::array;

    use crate::baseline::TargetFamily;

    fn rows() -> MlpRows {
        let sets = vec![VarSet::empty(2), VarSet::from_members(2, [VarId(1)])];
        let family = TargetFamily::new(2, sets);
        let values = array![[1.0, 3.0], [3.0, 7.0], [2.0, 9.0]];
        let names = vec!["a".into(), "b".into()];
        let samples = RealSamples::new(values, names, family, vec![0, 0, 1]).unwrap();
        MlpRows::of(&samples, RowsUsed::Untouched, false, 2)
    }

    #[test]
    fn rows_count_where_they_leave_a_variable_alone() {
        assert_eq!([rows().n_rows(0), rows().n_rows(1)], [3.0, 2.0]);
    }

    #[test]
    fn the_gradient_is_that_of_differences() {
        let at = [0.3, 0.0, -0.5, 0.0, 0.1, 0.2, 0.7, -0.4, 0.3];
        let rows = rows();
        let (_, gradient) = rows.loss(1, &at, 2.0);
        for place in 0..at.len() {
            let moved = |by: f64| {
                let mut to = at;
                to[place] += by;
                rows.loss(1, &to, 2.0).0
            };
            let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            assert!((slope - gradient[place]).abs() < 1e-7, "{place}");
        }
    }

    #[test]
    fn a_constant_by_hand() {
        // Without weights f = c: errors of (-2, 2) and c = 1 are (3, -1), so (9 + 1) / 4 = 2.5.
        let mut at = [0.0; 9];
        at[8] = 1.0;
        let (value, gradient) = rows().loss(1, &at, 2.0);
        assert_eq!(value, 2.5);
        assert_eq!(gradient[8], 1.0);
    }
}
