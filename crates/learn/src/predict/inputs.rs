//! A dataset as the networks want it: what a value adds to the first layer, what is predicted,
//! and which variables each sample's regime left alone.
//!
//! The kind of data is decided here and nowhere else: a new kind brings its own constructor and its
//! own [`Head`].
//!
//! | data | table rows | weight of an entry | head |
//! |---|---|---|---|
//! | categories | one per (variable, category) | 1 | softmax |
//! | numbers: reals, or category codes | one per variable | the standardised number | Gaussian |

use fedcdi_core::{Dataset, Regime, VarId};
use serde::{Deserialize, Serialize};

use super::head::{GaussianHead, Head, SoftmaxHead};
use crate::fit::samples::Samples;
use crate::learn_error::LearnError;

/// What a network predicts, and from what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeadChoice {
    /// Categories: sums of embeddings, softmax. Where all variables are real, a network for
    /// numbers.
    Categories,
    /// That network, on category codes as if they were measurements too: how published comparisons
    /// ran it on categorical data.
    Codes,
}

#[derive(Clone, Debug)]
pub(crate) struct Inputs {
    n_vars: usize,
    /// First table row of each variable, and the number of rows at the end; `[n_vars + 1]`.
    first_row: Vec<u32>,
    /// Table row of each value, `[sample, variable]`.
    rows: Vec<u32>,
    /// Weight of each value, `[sample, variable]`; `None` if all are 1.
    weights: Option<Vec<f32>>,
    /// What a head is told, `[sample, variable]`: the category, or the number itself.
    observed: Vec<f32>,
    regime_of: Vec<u32>,
    /// R, `[regime, variable]`; true where the variable is left alone.
    left_alone: Vec<bool>,
    /// Categories of each variable; `None` where variables are numbers.
    categories: Option<Vec<usize>>,
}

impl Inputs {
    /// Samples and inputs of `data`, for the networks of `method`.
    ///
    /// # Errors
    /// [`LearnError`] if the data cannot be learned from, or some variables are real and others are
    /// to be predicted as categories.
    pub(crate) fn new(
        data: &Dataset,
        choice: HeadChoice,
        method: &'static str,
    ) -> Result<(Samples, Self), LearnError> {
        check(data)?;
        let samples = Samples::new(data);
        let all_real = (0..samples.n_vars()).all(|var| samples.is_real(var));
        let inputs = if all_real || choice == HeadChoice::Codes {
            Self::of_numbers(&samples)
        } else {
            let remedy = "with others of categories, set head = \"codes\" or use enco";
            LearnError::refuse_reals(data, method, remedy)?;
            Self::of_categories(&samples)
        };
        Ok((samples, inputs))
    }

    pub(crate) fn of_categories(samples: &Samples) -> Self {
        let n_vars = samples.n_vars();
        let first = |v| samples.rows_of(v).start as u32;
        let mut inputs = Self::of_regimes(samples);
        inputs.first_row = (0..n_vars).map(first).collect();
        inputs.first_row.push(samples.n_rows() as u32);
        inputs.categories = Some((0..n_vars).map(|v| samples.n_categories(v)).collect());
        for sample in 0..inputs.regime_of.len() as u32 {
            inputs.rows.extend_from_slice(samples.sample(sample));
        }
        let rows = inputs.rows.chunks_exact(n_vars);
        inputs.observed = rows.flat_map(|row| codes(row, samples)).collect();
        inputs
    }

    /// Of real values, and of category codes as if they were measurements, standardised over all
    /// samples.
    pub(crate) fn of_numbers(samples: &Samples) -> Self {
        let n_vars = samples.n_vars();
        let mut inputs = Self::of_regimes(samples);
        let n_samples = inputs.regime_of.len();
        inputs.first_row = (0..=n_vars as u32).collect();
        inputs.rows = (0..n_vars as u32)
            .cycle()
            .take(n_samples * n_vars)
            .collect();
        let numbers = 0..n_samples as u32;
        inputs.observed = numbers
            .flat_map(|sample| numbers_of(sample, samples))
            .collect();
        for variable in 0..n_vars {
            standardise(&mut inputs.observed, variable, n_vars);
        }
        inputs.weights = Some(inputs.observed.clone());
        inputs
    }

    /// Regimes alone.
    fn of_regimes(samples: &Samples) -> Self {
        let n_vars = samples.n_vars();
        let regimes = samples.interventional();
        let n_samples =
            samples.observational().len() + regimes.iter().map(|r| r.samples.len()).sum::<usize>();
        let mut regime_of = vec![0; n_samples];
        let mut left_alone = vec![true; (regimes.len() + 1) * n_vars];
        for (number, regime) in (1..).zip(regimes) {
            for &sample in &regime.samples {
                regime_of[sample as usize] = number as u32;
            }
            for &target in &regime.targets {
                left_alone[number * n_vars + target] = false;
            }
        }
        Self {
            n_vars,
            first_row: Vec::new(),
            rows: Vec::with_capacity(n_samples * n_vars),
            weights: None,
            observed: Vec::new(),
            regime_of,
            left_alone,
            categories: None,
        }
    }

    pub(crate) fn n_vars(&self) -> usize {
        self.n_vars
    }

    pub(crate) fn n_samples(&self) -> usize {
        self.regime_of.len()
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.first_row[self.n_vars] as usize
    }

    pub(crate) fn rows_of(&self, variable: usize) -> std::ops::Range<usize> {
        self.first_row[variable] as usize..self.first_row[variable + 1] as usize
    }

    /// Table rows of one sample, by variable.
    #[inline]
    pub(crate) fn rows(&self, sample: u32) -> &[u32] {
        &self.rows[sample as usize * self.n_vars..][..self.n_vars]
    }

    /// Weights of one sample, by variable; `None` if all are 1.
    #[inline]
    pub(crate) fn weights(&self, sample: u32) -> Option<&[f32]> {
        let weights = self.weights.as_ref()?;
        Some(&weights[sample as usize * self.n_vars..][..self.n_vars])
    }

    pub(crate) fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// What a head is told about one value.
    #[inline]
    pub(crate) fn observed(&self, sample: u32, variable: usize) -> f32 {
        self.observed[sample as usize * self.n_vars + variable]
    }

    /// R: whether the regime of a sample left a variable alone.
    #[inline]
    pub(crate) fn is_left_alone(&self, sample: u32, variable: usize) -> bool {
        let regime = self.regime_of[sample as usize] as usize;
        self.left_alone[regime * self.n_vars + variable]
    }

    /// Whether a sample was taken under an intervention.
    pub(crate) fn is_interventional(&self, sample: u32) -> bool {
        self.regime_of[sample as usize] != 0
    }

    /// Categories of a variable; `None` if it is a number.
    pub(crate) fn n_categories(&self, variable: usize) -> Option<usize> {
        Some(self.categories.as_ref()?[variable])
    }

    pub(crate) fn head(&self, variable: usize) -> Box<dyn Head> {
        match &self.categories {
            Some(categories) => Box::new(SoftmaxHead::new(categories[variable])),
            None => Box::new(GaussianHead::default()),
        }
    }
}

/// Whether a real variable never varies where it is left alone: its likelihood would have no bound.
fn is_constant(data: &Dataset, var: VarId) -> bool {
    let Some(values) = data.column(var).reals() else {
        return false;
    };
    let is_free = |sample: &usize| !data.regime(*sample).intervenes_on(var);
    let mut left_alone = (0..data.n_samples()).filter(is_free).map(|s| values[s]);
    let first = left_alone.next();
    left_alone.all(|value| Some(value) == first)
}

/// At least two variables, none of them constant or intervened on in every row.
fn check(data: &Dataset) -> Result<(), LearnError> {
    if data.n_vars() < 2 {
        return Err(LearnError::OneVariable(data.n_vars()));
    }
    let free = |v: VarId| data.regimes().iter().any(|r: &Regime| !r.intervenes_on(v));
    for (number, variable) in data.schema().variables().iter().enumerate() {
        let name = || variable.name.clone();
        if !variable.is_real() && variable.n_categories() < 2 {
            return Err(LearnError::OneCategory { variable: name() });
        }
        if !free(VarId(number)) {
            return Err(LearnError::AlwaysIntervened { variable: name() });
        }
        if is_constant(data, VarId(number)) {
            return Err(LearnError::Constant { variable: name() });
        }
    }
    Ok(())
}

fn codes<'a>(row: &'a [u32], samples: &'a Samples) -> impl Iterator<Item = f32> + 'a {
    let code = |(v, row): (usize, &u32)| *row as f32 - samples.rows_of(v).start as f32;
    row.iter().enumerate().map(code)
}

fn numbers_of(sample: u32, samples: &Samples) -> impl Iterator<Item = f32> + '_ {
    let (row, values) = (samples.sample(sample), samples.values(sample));
    codes(row, samples)
        .enumerate()
        .map(move |(v, code)| if samples.is_real(v) { values[v] } else { code })
}

/// Mean 0 and deviation 1 of one column; a constant one becomes 0.
fn standardise(values: &mut [f32], column: usize, n_columns: usize) {
    let n = (values.len() / n_columns) as f64;
    let of_column = || values.iter().skip(column).step_by(n_columns);
    let mean = of_column().map(|v| f64::from(*v)).sum::<f64>() / n;
    let squares = of_column().map(|v| (f64::from(*v) - mean).powi(2));
    let deviation = (squares.sum::<f64>() / n).sqrt();
    let scale = if deviation > 0.0 {
        1.0 / deviation
    } else {
        0.0
    };
    for value in values.iter_mut().skip(column).step_by(n_columns) {
        *value = ((f64::from(*value) - mean) * scale) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::{DatasetBuilder, Regime, Schema, VarId, Variable};
    use std::sync::Arc;

    fn samples() -> Samples {
        let variables = [2, 3].map(|c| Variable::with_codes(format!("v{c}"), c));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(schema, 2);
        let on_first = Regime::intervened([VarId(0)]);
        builder.push(&[1, 2], &on_first).unwrap();
        builder.push(&[0, 1], &Regime::Observational).unwrap();
        Samples::new(&builder.finish().unwrap())
    }

    #[test]
    fn categories_select_rows_and_regimes_say_who_is_left_alone() {
        let inputs = Inputs::of_categories(&samples());
        assert_eq!((inputs.rows(0), inputs.rows(1)), (&[1, 4][..], &[0, 3][..]));
        assert_eq!((inputs.observed(0, 1), inputs.n_rows()), (2.0, 5));
        assert!(!inputs.is_left_alone(0, 0) && inputs.is_left_alone(0, 1));
        assert!(inputs.is_left_alone(1, 0) && inputs.weights(0).is_none());
    }

    #[test]
    fn codes_are_standardised_weights() {
        let inputs = Inputs::of_numbers(&samples());
        assert_eq!(inputs.rows(0), [0, 1]);
        assert_eq!(inputs.weights(0), Some(&[1.0, 1.0][..]));
        assert_eq!(inputs.weights(1), Some(&[-1.0, -1.0][..]));
        assert_eq!((inputs.rows_of(1), inputs.n_rows()), (1..2, 2));
    }
}
