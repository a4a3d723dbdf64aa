//! Tests of linear Gaussian data: partial correlation, and equality of two regressions.
//!
//! | test | statistic | distribution |
//! |---|---|---|
//! | independence given S | Fisher's z: `sqrt(n - |S| - 3) atanh(r)` | standard normal, two-sided |
//! | equal residual variances | ratio of the variances | F, two-sided |
//! | equal coefficients, intercept included | Wald, divided by their number | F, upper tail |
//!
//! The p-value of invariance is twice the smaller of the last two (Bonferroni).

use fedcdi_core::{Dataset, VarId, VarSet};
use ndarray::{Array1, Array2, Axis, s};

use super::IndependenceTests;
use super::reals::{covariance, reals_by_regime, reals_of, refuse_constants};
use super::tail::{fisher, ln_normal_two_sided};
use super::targets::interventional;
use crate::fit::linear::{conditional_covariance, inverse};
use crate::learn_error::LearnError;

/// A share of the other variance that rounding may leave of none.
const CONSTANT: f64 = 1e-10;

pub(crate) struct GaussianTest {
    covariance: Array2<f64>,
    observed: Gram,
    targets: Vec<VarSet>,
    regimes: Vec<Gram>,
}

/// Sums of products of all variables and a constant, the last, over some samples.
struct Gram {
    products: Array2<f64>,
    n: f64,
}

struct Regression {
    coefficients: Array1<f64>,
    /// Inverse of the sums of products of the regressors.
    inverse: Array2<f64>,
    variance: f64,
    /// Samples less coefficients.
    degrees: f64,
}

impl GaussianTest {
    /// Of these rows, category codes taken as numbers.
    pub(crate) fn new(data: &Dataset) -> Result<Self, LearnError> {
        let (numbers, targets) = interventional(data);
        let rows = reals_by_regime(data);
        let observed = reals_of(data).select(Axis(0), &data.observational());
        let covariance = covariance(&observed);
        refuse_constants(data, covariance.diag().iter().copied())?;
        let gram = |regime: usize| Gram::new(&rows[regime]);
        Ok(Self {
            covariance,
            observed: Gram::new(&observed),
            targets,
            regimes: numbers.into_iter().map(gram).collect(),
        })
    }
}

impl IndependenceTests for GaussianTest {
    fn n_vars(&self) -> usize {
        self.covariance.nrows()
    }

    fn regimes(&self) -> &[VarSet] {
        &self.targets
    }

    /// Complexity: O(g^3) for g given variables.
    fn independence(&self, a: VarId, b: VarId, given: &VarSet, _level: f64) -> f64 {
        let given: Vec<usize> = given.iter().map(VarId::index).collect();
        let rest = conditional_covariance(&self.covariance, &[a.index(), b.index()], &given);
        let correlation = rest[(0, 1)] / (rest[(0, 0)] * rest[(1, 1)]).sqrt();
        let weight = self.observed.n - given.len() as f64 - 3.0;
        if weight <= 0.0 || correlation.is_nan() {
            return 0.0;
        }
        ln_normal_two_sided(weight.sqrt() * correlation.clamp(-1.0, 1.0).atanh())
    }

    /// Complexity: O(g^3) for g given variables.
    fn invariance(&self, var: VarId, regime: usize, given: &VarSet, _level: f64) -> f64 {
        let one = self.observed.regress(var, given);
        let other = self.regimes[regime].regress(var, given);
        let (Some(one), Some(other)) = (one, other) else {
            return 0.0;
        };
        let most = one.variance.max(other.variance);
        if one.variance.min(other.variance) <= CONSTANT * most {
            // Set to a constant, a variable has no variance left; where it never had any, nothing shows.
            return if most > 0.0 { f64::NEG_INFINITY } else { 0.0 };
        }
        let upper = fisher(one.variance / other.variance, one.degrees, other.degrees);
        let variances = 2.0 * upper.min(1.0 - upper);
        let p = 2.0 * variances.min(equal_coefficients(&one, &other));
        p.min(1.0).ln()
    }
}

/// p-value of both regressions having the same coefficients.
fn equal_coefficients(one: &Regression, other: &Regression) -> f64 {
    let difference = &one.coefficients - &other.coefficients;
    let spread = &one.inverse * one.variance + &other.inverse * other.variance;
    let Some(precision) = inverse(&spread) else {
        return 1.0;
    };
    let p = difference.len() as f64;
    let statistic = difference.dot(&precision.dot(&difference)) / p;
    fisher(statistic, p, one.degrees + other.degrees)
}

impl Gram {
    fn new(rows: &Array2<f64>) -> Self {
        let (n, n_vars) = rows.dim();
        let mut wide = Array2::ones((n, n_vars + 1));
        wide.slice_mut(s![.., ..n_vars]).assign(rows);
        Self {
            products: wide.t().dot(&wide),
            n: n as f64,
        }
    }

    /// `None` if there are too few samples or the given variables determine each other.
    fn regress(&self, var: VarId, given: &VarSet) -> Option<Regression> {
        let constant = self.products.nrows() - 1;
        let columns: Vec<usize> = given.iter().map(VarId::index).chain([constant]).collect();
        let degrees = self.n - columns.len() as f64;
        let among = self.products.select(Axis(0), &columns);
        let inverse = inverse(&among.select(Axis(1), &columns))?;
        let row = self.products.row(var.index());
        let with_var = row.select(Axis(0), &columns);
        let coefficients = inverse.dot(&with_var);
        let variance = (row[var.index()] - coefficients.dot(&with_var)) / degrees;
        (degrees > 0.0).then_some(Regression {
            coefficients,
            inverse,
            variance: variance.max(0.0),
            degrees,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::test_data::real_table;

    /// 0 -> 1, and rows in which 0 was set to a constant that rounding cannot hold.
    #[test]
    fn a_variable_that_is_set_to_a_constant_has_changed() {
        let noise = |k: usize| ((k * 37 + 11) % 101) as f64 / 101.0 - 0.5;
        let value = |row: usize, var: usize| {
            let cause = if row < 100 { noise(row) } else { 0.1 };
            if var == 0 {
                cause
            } else {
                2.0 * cause + noise(3 * row + 1)
            }
        };
        let values = Array2::from_shape_fn((200, 2), |(row, var)| value(row, var));
        let sets = [VarSet::empty(2), VarSet::from_members(2, [VarId(0)])];
        let names = ["a", "b"].map(str::to_owned);
        let regime_of = (0..200).map(|row| u32::from(row >= 100)).collect();
        let samples = real_table(&values, &names, &sets, regime_of);
        let test = GaussianTest::new(&samples).unwrap();
        assert_eq!(
            test.invariance(VarId(0), 0, &VarSet::empty(2), -6.9),
            f64::NEG_INFINITY
        );
    }
}
