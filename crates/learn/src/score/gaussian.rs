//! Gaussian BIC: linear regression on the parents, with an intercept of its own in every regime.
//!
//! Hauser and Bühlmann (2012); with k the variable and `n_k` the samples of regimes
//! that leave it alone:
//!
//! | formula | code |
//! |---|---|
//! | `S^k`, mean over those regimes of their covariances, weighted by samples | [`GaussianBic`] |
//! | `s2 = S_kk - S_kP S_PP^-1 S_Pk` | [`conditional_covariance`] |
//! | `-(n_k / 2) (1 + ln s2) - lambda (number of parents + 1)` | [`LocalScore::local`] |
//!
//! Constants of the normal density are left out, as in the Python package gies.

use fedcdi_core::{Dataset, VarId, VarSet};
use ndarray::Array2;

use super::{LocalScore, Penalty};
use crate::fit::linear::conditional_covariance;
use crate::independence::reals::{covariance, reals_by_regime, refuse_constants};
use crate::independence::{check_conservative, target_sets};
use crate::learn_error::LearnError;

/// Residual variances below this share of the variable's own are rounding.
const LEAST_RESIDUAL: f64 = 1e-12;

pub(crate) struct GaussianBic {
    /// By variable: covariance and number of the samples that leave it alone.
    free: Vec<(Array2<f64>, f64)>,
    price: f64,
}

impl GaussianBic {
    /// Of these rows, category codes taken as numbers.
    pub(crate) fn new(data: &Dataset, penalty: Penalty) -> Result<Self, LearnError> {
        check_conservative(data)?;
        let n_vars = data.n_vars();
        let mut free = vec![(Array2::zeros((n_vars, n_vars)), 0.0); n_vars];
        for (targets, rows) in target_sets(data).iter().zip(reals_by_regime(data)) {
            let scatter = covariance(&rows) * rows.nrows() as f64;
            for (k, (sum, n)) in free.iter_mut().enumerate() {
                if !targets.contains(VarId(k)) {
                    *sum += &scatter;
                    *n += rows.nrows() as f64;
                }
            }
        }
        free.iter_mut().for_each(|(sum, n)| *sum /= *n);
        let free_of = free.iter().enumerate();
        refuse_constants(data, free_of.map(|(k, (sum, _))| sum[(k, k)]))?;
        let price = penalty.per_parameter(data.n_samples());
        Ok(Self { free, price })
    }
}

impl LocalScore for GaussianBic {
    fn n_vars(&self) -> usize {
        self.free.len()
    }

    /// Complexity: O(p^3) for p parents.
    fn local(&self, effect: VarId, parents: &VarSet) -> f64 {
        let k = effect.index();
        let (covariance, n) = &self.free[k];
        let given: Vec<usize> = parents.iter().map(VarId::index).collect();
        let residual = conditional_covariance(covariance, &[k], &given)[(0, 0)];
        let residual = residual.max(LEAST_RESIDUAL * covariance[(k, k)]);
        -0.5 * n * (1.0 + residual.ln()) - self.price * (given.len() + 1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::test_data::real_table;
    use ndarray::array;

    fn samples() -> Dataset {
        let values = array![[1.0, 2.0], [3.0, 4.0], [5.0, 9.0], [0.0, 7.0], [2.0, 9.0],];
        let on_b = VarSet::from_members(2, [VarId(1)]);
        let names = ["a", "b"].map(str::to_owned);
        real_table(
            &values,
            &names,
            &[VarSet::empty(2), on_b],
            vec![0, 0, 0, 1, 1],
        )
    }

    #[test]
    fn a_regression_by_hand() {
        let score = GaussianBic::new(&samples(), Penalty::Bic).unwrap();
        let price = 0.5 * 5f64.ln();
        // a on all rows, each regime around its mean: (4 + 0 + 4 + 1 + 1) / 5 = 2.
        let expected = -2.5 * (1.0 + 2f64.ln()) - price;
        assert!((score.local(VarId(0), &VarSet::empty(2)) - expected).abs() < 1e-12);
        // b given a on the first three rows: S_bb = 26/3, S_ab = 14/3, S_aa = 8/3, so
        // s2 = 26/3 - (14/3)^2 / (8/3) = 1/2.
        let given_a = VarSet::from_members(2, [VarId(0)]);
        let expected = -1.5 * (1.0 + 0.5f64.ln()) - 2.0 * price;
        assert!((score.local(VarId(1), &given_a) - expected).abs() < 1e-12);
    }

    #[test]
    fn a_constant_variable_is_named() {
        let names = ["a", "b"].map(str::to_owned);
        let values = array![[1.0, 3.0], [2.0, 3.0]];
        let samples = real_table(&values, &names, &[VarSet::empty(2)], vec![0, 0]);
        let error = GaussianBic::new(&samples, Penalty::Bic).err();
        assert_eq!(error, Some(LearnError::Constant("b".to_owned())));
    }
}
