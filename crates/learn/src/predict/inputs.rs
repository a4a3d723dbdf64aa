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

use fedcdi_core::{Dataset, VarId};
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
    pub n_vars: usize,
    /// First table row of each variable, and the number of rows at the end; `[n_vars + 1]`.
    first_row: Vec<u32>,
    /// Table row of each value, `[sample, variable]`.
    rows: Vec<u32>,
    /// What a head is told, `[sample, variable]`: the category, or the number itself, which is also the
    /// weight of its entry.
    observed: Vec<f32>,
    kind: HeadChoice,
    regime_of: Vec<u32>,
    /// R, `[regime, variable]`; true where the variable is left alone.
    left_alone: Vec<bool>,
}

impl Inputs {
    /// Samples and inputs of `data`, for the networks of `method`; fails if some variables are real
    /// and others are to be predicted as categories.
    pub(crate) fn new(
        data: &Dataset,
        choice: HeadChoice,
        method: &'static str,
    ) -> Result<(Samples, Self), LearnError> {
        let free = |var: VarId| {
            let rows = 0..data.n_samples();
            let is_free = |sample: &usize| !data.regime(*sample).intervenes_on(var);
            rows.filter(is_free).collect()
        };
        LearnError::check_variables(data, free)?;
        let samples = Samples::new(data);
        let all_real = (0..samples.n_vars()).all(|var| samples.is_real(var));
        let kind = if all_real { HeadChoice::Codes } else { choice };
        if kind == HeadChoice::Categories {
            let remedy = "with others of categories, set head = \"codes\" or use enco";
            LearnError::refuse_reals(data, method, remedy)?;
        }
        let inputs = Self::of(&samples, kind);
        Ok((samples, inputs))
    }

    /// Of categories, or of numbers: real values, and category codes as if they were measurements,
    /// standardised over all samples.
    pub(crate) fn of(samples: &Samples, kind: HeadChoice) -> Self {
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
        let mut inputs = Self {
            n_vars,
            first_row: Vec::new(),
            rows: Vec::with_capacity(n_samples * n_vars),
            observed: Vec::with_capacity(n_samples * n_vars),
            kind,
            regime_of,
            left_alone,
        };
        inputs.fill(samples);
        inputs
    }

    fn fill(&mut self, samples: &Samples) {
        let (n_vars, numbers) = (self.n_vars, 0..self.n_samples() as u32);
        for sample in numbers.clone() {
            self.observed.extend(numbers_of(sample, samples));
        }
        match self.kind {
            HeadChoice::Categories => {
                let ends = (0..n_vars).map(|v| samples.rows_of(v).end as u32);
                self.first_row = std::iter::once(0).chain(ends).collect();
                let rows = numbers.flat_map(|sample| samples.sample(sample));
                self.rows.extend(rows);
            }
            HeadChoice::Codes => {
                self.first_row = (0..=n_vars as u32).collect();
                self.rows.extend(numbers.flat_map(|_| 0..n_vars as u32));
                for variable in 0..n_vars {
                    standardise(&mut self.observed, variable, n_vars);
                }
            }
        }
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

    #[inline]
    pub(crate) fn rows(&self, sample: u32) -> &[u32] {
        &self.rows[sample as usize * self.n_vars..][..self.n_vars]
    }

    /// Weights of one sample, by variable; `None` if all are 1.
    #[inline]
    pub(crate) fn weights(&self, sample: u32) -> Option<&[f32]> {
        let weights = || &self.observed[sample as usize * self.n_vars..][..self.n_vars];
        self.is_weighted().then(weights)
    }

    pub(crate) fn is_weighted(&self) -> bool {
        self.kind == HeadChoice::Codes
    }

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

    pub(crate) fn is_interventional(&self, sample: u32) -> bool {
        self.regime_of[sample as usize] != 0
    }

    /// The head of a variable, `of_numbers` if it is not categorical.
    pub(crate) fn head(&self, variable: usize, of_numbers: GaussianHead) -> Box<dyn Head> {
        match self.kind {
            HeadChoice::Categories => Box::new(SoftmaxHead::new(self.rows_of(variable).len())),
            HeadChoice::Codes => Box::new(of_numbers),
        }
    }
}

/// Real values and category codes of one sample.
fn numbers_of(sample: u32, samples: &Samples) -> impl Iterator<Item = f32> + '_ {
    let (rows, values) = (samples.sample(sample), samples.values(sample));
    let number = move |(v, row): (usize, &u32)| {
        let code = *row as f32 - samples.rows_of(v).start as f32;
        if samples.is_real(v) { values[v] } else { code }
    };
    rows.iter().enumerate().map(number)
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
        let inputs = Inputs::of(&samples(), HeadChoice::Categories);
        assert_eq!((inputs.rows(0), inputs.rows(1)), (&[1, 4][..], &[0, 3][..]));
        assert_eq!((inputs.observed(0, 1), inputs.n_rows()), (2.0, 5));
        assert!(!inputs.is_left_alone(0, 0) && inputs.is_left_alone(0, 1));
        assert!(inputs.is_left_alone(1, 0) && inputs.weights(0).is_none());
    }

    #[test]
    fn codes_are_standardised_weights() {
        let inputs = Inputs::of(&samples(), HeadChoice::Codes);
        assert_eq!(inputs.rows(0), [0, 1]);
        assert_eq!(inputs.weights(0), Some(&[1.0, 1.0][..]));
        assert_eq!(inputs.weights(1), Some(&[-1.0, -1.0][..]));
        assert_eq!((inputs.rows_of(1), inputs.n_rows()), (1..2, 2));
    }
}
