//! What the regressions need of a client's rows: second moments, once for every variable.

use fedcdi_core::{Dataset, VarId};
use ndarray::{Array1, Array2, Axis};

use crate::rows::RowsUsed;
use fedcdi_learn::independence::{reals_by_regime, reals_of};

/// `X^T X` of one client's centred rows, for each variable over the rows that its regression uses.
#[derive(Clone, Debug)]
pub(super) struct Moments {
    sums: Vec<Array2<f64>>,
    n_rows: Vec<f64>,
}

impl Moments {
    /// Of samples that are centred by their observational mean, or by that of all rows where there
    /// are no observational ones.
    pub(super) fn of(data: &Dataset, rows: RowsUsed, standardise: bool) -> Self {
        let (mean, deviation) = location(data);
        let product = |values: Array2<f64>| {
            let mut values = values - &mean;
            if standardise {
                values /= &deviation;
            }
            (values.t().dot(&values), values.nrows() as f64)
        };
        let products = reals_by_regime(data).into_iter().map(product);
        let n_vars = data.n_vars();
        let mut moments = Self {
            sums: vec![Array2::zeros((n_vars, n_vars)); n_vars],
            n_rows: vec![0.0; n_vars],
        };
        for (regime, (sum, n_rows)) in data.regimes().iter().zip(products) {
            for var in 0..n_vars {
                let used = match rows {
                    RowsUsed::Observational => regime.is_observational(),
                    RowsUsed::Untouched => !regime.intervenes_on(VarId(var)),
                };
                if used {
                    moments.sums[var] += &sum;
                    moments.n_rows[var] += n_rows;
                }
            }
        }
        moments
    }

    pub(super) fn n_rows(&self, var: usize) -> f64 {
        self.n_rows[var]
    }

    /// `[variable, variable]`, for the regression of `var`.
    pub(super) fn for_effect(&self, var: usize) -> &Array2<f64> {
        &self.sums[var]
    }
}

fn location(data: &Dataset) -> (Array1<f64>, Array1<f64>) {
    let mut values = reals_of(data);
    let observed = data.observational();
    if !observed.is_empty() {
        values = values.select(Axis(0), &observed);
    }
    let n_vars = data.n_vars();
    let mean = values.mean_axis(Axis(0));
    let mean = mean.unwrap_or_else(|| Array1::zeros(n_vars));
    let deviation = values.std_axis(Axis(0), 0.0);
    let usable = |d: f64| if d > 0.0 { d } else { 1.0 };
    (mean, deviation.mapv(usable))
}

#[cfg(test)]
mod tests {
    use crate::test_data::real_table;
    use fedcdi_core::VarSet;
    use ndarray::array;

    use super::*;

    fn samples() -> Dataset {
        let sets = [VarSet::empty(2), VarSet::from_members(2, [VarId(1)])];
        let values = array![[1.0, 3.0], [3.0, 7.0], [2.0, 9.0]];
        let names = ["a", "b"].map(str::to_owned);
        real_table(&values, &names, &sets, vec![0, 0, 1])
    }

    #[test]
    fn rows_count_where_they_leave_a_variable_alone() {
        // Centred by the observational mean (2, 5): (-1, -2), (1, 2) and, intervened on b, (0, 4).
        let moments = Moments::of(&samples(), RowsUsed::Untouched, false);
        assert_eq!(moments.for_effect(0), array![[2.0, 4.0], [4.0, 24.0]]);
        assert_eq!(moments.for_effect(1), array![[2.0, 4.0], [4.0, 8.0]]);
        assert_eq!([moments.n_rows(0), moments.n_rows(1)], [3.0, 2.0]);
        let moments = Moments::of(&samples(), RowsUsed::Observational, false);
        assert_eq!(moments.for_effect(0), moments.for_effect(1));
    }

    #[test]
    fn standardised_rows_have_unit_variance() {
        let moments = Moments::of(&samples(), RowsUsed::Observational, true);
        assert_eq!(moments.for_effect(0) / 2.0, array![[1.0, 1.0], [1.0, 1.0]]);
    }
}
