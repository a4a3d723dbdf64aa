//! What clients and the coordinator agree on: the parameters of all regressions.

use ndarray::{Array2, Array3, Axis};

/// Parameters of one client's regressions, or of all. A linear model has one unit and nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// First-layer weights, `[unit, cause, effect]`, 0 where a variable would be its own cause: what
    /// edges are read off.
    pub first: Array3<f64>,
    /// Everything else, `[parameter, effect]`.
    pub rest: Array2<f64>,
}

impl Parameters {
    /// All 0.
    pub fn zeros(n_units: usize, n_rest: usize, n_vars: usize) -> Self {
        Self {
            first: Array3::zeros((n_units, n_vars, n_vars)),
            rest: Array2::zeros((n_rest, n_vars)),
        }
    }

    /// Adds `factor` times `other`.
    pub fn add(&mut self, factor: f64, other: &Self) {
        self.first.scaled_add(factor, &other.first);
        self.rest.scaled_add(factor, &other.rest);
    }

    /// `self - other`.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        Self {
            first: &self.first - &other.first,
            rest: &self.rest - &other.rest,
        }
    }

    /// Largest absolute value.
    pub fn largest(&self) -> f64 {
        let all = self.first.iter().chain(&self.rest);
        all.fold(0.0, |most, value| value.abs().max(most))
    }

    /// The parameters of one effect, first layer `[unit, cause]` first.
    pub fn of_effect(&self, effect: usize) -> Vec<f64> {
        let first = self.first.index_axis(Axis(2), effect);
        let rest = self.rest.index_axis(Axis(1), effect);
        first.iter().chain(rest).copied().collect()
    }

    /// Sets the parameters of one effect, in the order of [`Self::of_effect`].
    pub fn set_effect(&mut self, effect: usize, values: &[f64]) {
        let mut first = self.first.index_axis_mut(Axis(2), effect);
        let mut rest = self.rest.index_axis_mut(Axis(1), effect);
        let places = first.iter_mut().chain(&mut rest);
        places
            .zip(values)
            .for_each(|(place, value)| *place = *value);
    }

    /// Strength of every edge, `[cause, effect]`: the norm of its first-layer weights.
    pub fn strengths(&self) -> Array2<f64> {
        squares(&self.first).mapv(f64::sqrt)
    }
}

/// Sums of squares over units, `[cause, effect]`.
pub fn squares(first: &Array3<f64>) -> Array2<f64> {
    first.mapv(|weight| weight * weight).sum_axis(Axis(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_is_read_as_it_is_set() {
        let mut parameters = Parameters::zeros(2, 1, 2);
        parameters.set_effect(1, &[3.0, 0.0, 4.0, 0.0, 7.0]);
        assert_eq!(parameters.of_effect(1), [3.0, 0.0, 4.0, 0.0, 7.0]);
        assert_eq!(parameters.of_effect(0), [0.0; 5]);
        assert_eq!(parameters.strengths()[(0, 1)], 5.0);
        assert_eq!(parameters.largest(), 7.0);
    }
}
