//! Rows as real numbers: what the linear Gaussian scores and tests take.

use fedcdi_core::Dataset;
use ndarray::{Array2, Axis};

use crate::learn_error::LearnError;

/// Real columns as they are, and category codes taken as numbers, `[sample, variable]`: how the
/// comparisons of the FedCDI and DCDI papers fed categorical data to Gaussian methods.
pub fn reals_of(data: &Dataset) -> Array2<f64> {
    let mut values = Array2::zeros((data.n_samples(), data.n_vars()));
    for (var, mut to) in data.schema().ids().zip(values.columns_mut()) {
        let column = data.column(var);
        match column.reals() {
            Some(reals) => to.iter_mut().zip(reals).for_each(|(to, v)| *to = *v),
            None => (to.iter_mut().zip(column.codes())).for_each(|(to, v)| *to = v.into()),
        }
    }
    values
}

/// The same by regime.
pub fn reals_by_regime(data: &Dataset) -> Vec<Array2<f64>> {
    let values = reals_of(data);
    let regimes = data.samples_by_regime().into_iter();
    regimes.map(|rows| values.select(Axis(0), &rows)).collect()
}

/// Covariance of some samples around their mean, `[variable, variable]`, divided by their number.
pub(crate) fn covariance(samples: &Array2<f64>) -> Array2<f64> {
    let n_vars = samples.ncols();
    let Some(mean) = samples.mean_axis(Axis(0)) else {
        return Array2::zeros((n_vars, n_vars));
    };
    let centred = samples - &mean;
    centred.t().dot(&centred) / samples.nrows() as f64
}

/// Refuses data with a variable that has no variance by the diagonal of its matrix.
pub(crate) fn refuse_constants(
    data: &Dataset,
    mut variances: impl Iterator<Item = f64>,
) -> Result<(), LearnError> {
    // A variance that is no number is refused too.
    match variances.position(|variance| variance.is_nan() || variance <= 0.0) {
        Some(at) => Err(LearnError::Constant(
            data.schema().variables()[at].name.clone(),
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::test_data::real_table;
    use fedcdi_core::{VarId, VarSet};
    use ndarray::array;

    #[test]
    fn regimes_are_told_apart() {
        let sets = [VarSet::empty(2), VarSet::from_members(2, [VarId(1)])];
        let values = array![[1.0, 2.0], [5.0, 5.0], [3.0, 6.0]];
        let names = ["a", "b"].map(str::to_owned);
        let table = real_table(&values, &names, &sets, vec![0, 1, 0]);
        let regimes = reals_by_regime(&table);
        assert_eq!(regimes[1], array![[5.0, 5.0]]);
        // Deviations from the mean (2, 4): (-1, -2) and (1, 2).
        assert_eq!(covariance(&regimes[0]), array![[1.0, 2.0], [2.0, 4.0]]);
    }
}
