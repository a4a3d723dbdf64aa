//! What the regressions need of a client's rows: second moments, once for every variable.

use ndarray::{Array1, Array2, Axis};

use crate::rows::RowsUsed;
use fedcdi_learn::independence::RealSamples;

/// `X^T X` of one client's centred rows, for each variable over the rows that its regression uses.
#[derive(Clone, Debug)]
pub struct Moments {
    sums: Vec<Array2<f64>>,
    n_rows: Vec<f64>,
}

impl Moments {
    /// Of samples that are centred by their observational mean, or by that of all rows where there
    /// are no observational ones.
    pub fn of(samples: &RealSamples, rows: RowsUsed, standardise: bool) -> Self {
        let sets = samples.family().sets();
        let (mean, deviation) = location(samples);
        let product = |regime: usize| {
            let mut values = samples.regime(regime) - &mean;
            if standardise {
                values /= &deviation;
            }
            (values.t().dot(&values), values.nrows() as f64)
        };
        let products: Vec<(Array2<f64>, f64)> = (0..sets.len()).map(product).collect();
        let n_vars = samples.n_vars();
        let mut moments = Self {
            sums: vec![Array2::zeros((n_vars, n_vars)); n_vars],
            n_rows: vec![0.0; n_vars],
        };
        for (set, (sum, n_rows)) in sets.iter().zip(&products) {
            for var in 0..n_vars {
                let used = match rows {
                    RowsUsed::Observational => set.is_empty(),
                    RowsUsed::Untouched => !set.contains(fedcdi_core::VarId(var)),
                };
                if used {
                    moments.sums[var] += sum;
                    moments.n_rows[var] += n_rows;
                }
            }
        }
        moments
    }

    /// Rows that the regression of `var` uses.
    pub fn n_rows(&self, var: usize) -> f64 {
        self.n_rows[var]
    }

    /// `[variable, variable]`, for the regression of `var`.
    pub fn for_effect(&self, var: usize) -> &Array2<f64> {
        &self.sums[var]
    }
}

/// Mean and deviation by variable.
pub fn location(samples: &RealSamples) -> (Array1<f64>, Array1<f64>) {
    let sets = samples.family().sets();
    let observed = sets.iter().position(fedcdi_core::VarSet::is_empty);
    let values = match observed {
        Some(regime) => samples.regime(regime),
        None => samples.values().clone(),
    };
    let n_vars = samples.n_vars();
    let mean = values.mean_axis(Axis(0));
    let mean = mean.unwrap_or_else(|| Array1::zeros(n_vars));
    let deviation = values.std_axis(Axis(0), 0.0);
    let usable = |d: f64| if d > 0.0 { d } else { 1.0 };
    (mean, deviation.mapv(usable))
}

#[cfg(test)]
mod tests {
    use fedcdi_core::{VarId, VarSet};
    use ndarray::array;

    use super::*;
    use fedcdi_learn::independence::TargetFamily;

    fn samples() -> RealSamples {
        let sets = vec![VarSet::empty(2), VarSet::from_members(2, [VarId(1)])];
        let family = TargetFamily::new(2, sets);
        let values = array![[1.0, 3.0], [3.0, 7.0], [2.0, 9.0]];
        RealSamples::new(values, vec!["a".into(), "b".into()], family, vec![0, 0, 1]).unwrap()
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
