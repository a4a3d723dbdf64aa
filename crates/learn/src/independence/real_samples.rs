//! Samples as real numbers, with their regimes: what the linear Gaussian scores and tests take.

use fedcdi_core::{Dataset, VarId};
use ndarray::{Array2, Axis};

use super::TargetFamily;
use crate::learn_error::LearnError;

/// A real matrix whose rows were taken under known regimes.
#[derive(Clone, Debug, PartialEq)]
pub struct RealSamples {
    /// `[sample, variable]`.
    values: Array2<f64>,
    names: Vec<String>,
    family: TargetFamily,
    /// Position in the family, by sample.
    regime_of: Vec<u32>,
}

impl RealSamples {
    /// These samples; sample `s` was taken under set `regime_of[s]` of the family.
    ///
    /// # Errors
    /// [`LearnError::NotAMatrix`] if the shapes do not agree or a value is not finite.
    pub fn new(
        values: Array2<f64>,
        names: Vec<String>,
        family: TargetFamily,
        regime_of: Vec<u32>,
    ) -> Result<Self, LearnError> {
        let shaped =
            values.dim() == (regime_of.len(), names.len()) && names.len() == family.n_vars();
        let listed = regime_of
            .iter()
            .all(|r| (*r as usize) < family.sets().len());
        if !shaped || !listed || !values.iter().all(|v| v.is_finite()) {
            return Err(LearnError::NotAMatrix);
        }
        Ok(Self {
            values,
            names,
            family,
            regime_of,
        })
    }

    /// Real columns as they are, and category codes taken as numbers: how the comparisons of the
    /// FedCDI and DCDI papers fed categorical data to Gaussian methods.
    pub fn of(data: &Dataset) -> Self {
        let mut values = Array2::zeros((data.n_samples(), data.n_vars()));
        for var in 0..data.n_vars() {
            let column = data.column(VarId(var));
            if let Some(reals) = column.reals() {
                for (sample, value) in reals.iter().enumerate() {
                    values[(sample, var)] = *value;
                }
                continue;
            }
            for (sample, code) in column.codes().enumerate() {
                values[(sample, var)] = f64::from(code);
            }
        }
        let variables = data.schema().variables().iter();
        Self {
            values,
            names: variables.map(|v| v.name.clone()).collect(),
            family: TargetFamily::of(data),
            regime_of: data.regime_of().to_vec(),
        }
    }

    /// `[sample, variable]`.
    pub fn values(&self) -> &Array2<f64> {
        &self.values
    }

    /// Names of the variables.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The regimes.
    pub fn family(&self) -> &TargetFamily {
        &self.family
    }

    /// Number of variables.
    pub fn n_vars(&self) -> usize {
        self.names.len()
    }

    /// Position of each sample's regime in the family.
    pub fn regime_of(&self) -> &[u32] {
        &self.regime_of
    }

    /// Samples of one regime, `[sample, variable]`.
    pub fn regime(&self, regime: usize) -> Array2<f64> {
        let numbers = self.regime_of.iter().enumerate();
        let members = numbers.filter(|(_, r)| **r as usize == regime);
        let members: Vec<usize> = members.map(|(sample, _)| sample).collect();
        self.values.select(Axis(0), &members)
    }
}

/// Covariance of some samples around their mean, `[variable, variable]`, divided by their number.
pub fn covariance(samples: &Array2<f64>) -> Array2<f64> {
    let n_vars = samples.ncols();
    let Some(mean) = samples.mean_axis(Axis(0)) else {
        return Array2::zeros((n_vars, n_vars));
    };
    let centred = samples - &mean;
    centred.t().dot(&centred) / samples.nrows() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::VarSet;
    use ndarray::array;

    #[test]
    fn regimes_are_told_apart() {
        let sets = vec![VarSet::empty(2), VarSet::from_members(2, [VarId(1)])];
        let samples = RealSamples::new(
            array![[1.0, 2.0], [5.0, 5.0], [3.0, 6.0]],
            vec!["a".into(), "b".into()],
            TargetFamily::new(2, sets),
            vec![0, 1, 0],
        )
        .unwrap();
        assert_eq!(samples.regime(1), array![[5.0, 5.0]]);
        // Deviations from the mean (2, 4): (-1, -2) and (1, 2).
        assert_eq!(
            covariance(&samples.regime(0)),
            array![[1.0, 2.0], [2.0, 4.0]]
        );
    }

    #[test]
    fn what_is_not_a_matrix_of_numbers_is_refused() {
        let family = || TargetFamily::new(1, vec![VarSet::empty(1)]);
        let samples = |values, regime_of| {
            RealSamples::new(values, vec!["a".into()], family(), regime_of).is_ok()
        };
        assert!(samples(array![[1.0]], vec![0]));
        assert!(!samples(array![[f64::NAN]], vec![0]));
        assert!(!samples(array![[1.0]], vec![1]));
        assert!(!samples(array![[1.0]], vec![0, 0]));
    }
}
