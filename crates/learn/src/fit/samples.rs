//! A dataset as the networks want it: for every sample and variable, the embedding row it selects.
//!
//! Paper: ENCO. A categorical variable selects the row of its category. A real one selects a row
//! that stands for its being there, and adds its value times a second row: together the paper's
//! input of values and masks. Real values are standardised by mean and deviation of the
//! observational rows at hand. Networks stay where they are trained, so the clients of a federation
//! need not agree on either.

use std::collections::BTreeSet;

use fedcdi_core::{Dataset, Kind, VarId, Variable};

#[derive(Clone, Debug)]
pub(crate) struct RegimeSamples {
    /// Intervened variables, sorted; empty when observational.
    pub targets: Vec<usize>,
    /// Sample numbers, in file order.
    pub samples: Vec<u32>,
}

/// All samples, row-major, each value as a row of the embedding table.
///
/// The table has one row per (variable, category), two per real variable, variable by variable, and
/// the same numbering in every network.
#[derive(Clone, Debug)]
pub struct Samples {
    n_vars: usize,
    /// First table row of each variable, and the number of rows at the end; `[n_vars + 1]`.
    first_row: Vec<u32>,
    /// `[sample, variable]`.
    rows: Vec<u32>,
    is_real: Vec<bool>,
    /// Standardised values, `[sample, variable]`, 0 for categorical variables; empty if all are.
    values: Vec<f32>,
    observational: Vec<u32>,
    interventional: Vec<RegimeSamples>,
}

impl Samples {
    /// Encodes a dataset.
    pub fn new(data: &Dataset) -> Self {
        let n_vars = data.n_vars();
        let mut first_row = vec![0];
        let mut total = 0;
        for variable in data.schema().variables() {
            total += match variable.kind {
                Kind::Categorical(_) => variable.n_categories() as u32,
                Kind::Real => ROWS_OF_REAL,
            };
            first_row.push(total);
        }
        let mut rows = vec![0; data.n_samples() * n_vars];
        let variables = data.schema().variables().iter();
        let is_real: Vec<bool> = variables.map(Variable::is_real).collect();
        let any = is_real.contains(&true);
        let mut values = vec![0.0; if any { rows.len() } else { 0 }];
        for var in 0..n_vars {
            if let Some(reals) = data.column(VarId(var)).reals() {
                let (mean, deviation) = scale(reals, &data.observational());
                for (sample, value) in reals.iter().enumerate() {
                    rows[sample * n_vars + var] = first_row[var];
                    values[sample * n_vars + var] = ((value - mean) / deviation) as f32;
                }
                continue;
            }
            for (sample, code) in data.column(VarId(var)).codes().enumerate() {
                rows[sample * n_vars + var] = first_row[var] + u32::from(code);
            }
        }
        let (observational, interventional) = by_regime(data);
        Self {
            n_vars,
            first_row,
            rows,
            is_real,
            values,
            observational,
            interventional,
        }
    }

    pub(crate) fn n_vars(&self) -> usize {
        self.n_vars
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.first_row[self.n_vars] as usize
    }

    pub(crate) fn is_real(&self, var: usize) -> bool {
        self.is_real[var]
    }

    pub(crate) fn has_reals(&self) -> bool {
        !self.values.is_empty()
    }

    /// Table rows of one variable, one per category, or two of a real one.
    pub(crate) fn rows_of(&self, var: usize) -> std::ops::Range<usize> {
        self.first_row[var] as usize..self.first_row[var + 1] as usize
    }

    pub(crate) fn n_categories(&self, var: usize) -> usize {
        self.rows_of(var).len()
    }

    /// Rows of the median interventional regime; 0 without one.
    pub(crate) fn rows_per_regime(&self) -> usize {
        let regimes = self.interventional.iter();
        let mut rows: Vec<usize> = regimes.map(|r| r.samples.len()).collect();
        rows.sort_unstable();
        rows.get(rows.len() / 2).copied().unwrap_or(0)
    }

    /// Table rows that one sample selects, by variable.
    #[inline]
    pub(crate) fn sample(&self, sample: u32) -> &[u32] {
        &self.rows[sample as usize * self.n_vars..][..self.n_vars]
    }

    /// Standardised values of one sample, by variable; empty if no variable is real.
    #[inline]
    pub(crate) fn values(&self, sample: u32) -> &[f32] {
        slice_of(&self.values, sample as usize, self.n_vars)
    }

    pub(crate) fn observational(&self) -> &[u32] {
        &self.observational
    }

    /// The interventional regimes, sorted by targets.
    pub(crate) fn interventional(&self) -> &[RegimeSamples] {
        &self.interventional
    }

    pub(crate) fn n_targets(&self) -> usize {
        let regimes = self.interventional.iter();
        let targets = regimes.flat_map(|regime| &regime.targets);
        targets.collect::<BTreeSet<_>>().len()
    }
}

fn by_regime(data: &Dataset) -> (Vec<u32>, Vec<RegimeSamples>) {
    let (mut observational, mut interventional) = (Vec::new(), Vec::new());
    for (regime, members) in data.regimes().iter().zip(data.samples_by_regime()) {
        let samples = members.into_iter().map(|s| s as u32).collect();
        if regime.is_observational() {
            observational = samples;
        } else {
            let targets = regime.targets().iter().map(|t| t.index()).collect();
            interventional.push(RegimeSamples { targets, samples });
        }
    }
    (observational, interventional)
}

/// Table rows of a real variable.
const ROWS_OF_REAL: u32 = 2;

/// Mean and deviation of the observational values of a real variable.
fn scale(values: &[f64], observational: &[usize]) -> (f64, f64) {
    let n = observational.len().max(1) as f64;
    let mean = observational.iter().map(|s| values[*s]).sum::<f64>() / n;
    let squares = observational.iter().map(|s| (values[*s] - mean).powi(2));
    let deviation = (squares.sum::<f64>() / n).sqrt();
    // What never varies is refused before it gets here by anyone who fits.
    (mean, if deviation > 0.0 { deviation } else { 1.0 })
}

/// Part `index` of values that may be absent altogether.
#[inline]
fn slice_of(values: &[f32], index: usize, size: usize) -> &[f32] {
    values.get(index * size..(index + 1) * size).unwrap_or(&[])
}

/// A few samples copied side by side, the input of one graph-fitting step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    n_vars: usize,
    rows: Vec<u32>,
    values: Vec<f32>,
}

impl Batch {
    pub(crate) fn fill(&mut self, samples: &Samples, numbers: &[u32]) {
        self.n_vars = samples.n_vars;
        self.rows.clear();
        self.values.clear();
        for &number in numbers {
            self.rows.extend_from_slice(samples.sample(number));
            self.values.extend_from_slice(samples.values(number));
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len() / self.n_vars.max(1)
    }

    /// Standardised values of one sample, by variable; empty if no variable is real.
    #[inline]
    pub(crate) fn values(&self, index: usize) -> &[f32] {
        slice_of(&self.values, index, self.n_vars)
    }

    /// Table rows of one sample, by variable.
    #[inline]
    pub(crate) fn sample(&self, index: usize) -> &[u32] {
        &self.rows[index * self.n_vars..][..self.n_vars]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::{Column, DatasetBuilder, Regime, Schema};
    use std::sync::Arc;

    #[test]
    fn values_become_rows_of_one_table() {
        let variables = [2, 3].map(|c| Variable::with_codes(format!("v{c}"), c));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(schema, 2);
        let on_first = Regime::intervened([VarId(0)]);
        builder.push(&[1, 2], &on_first).unwrap();
        builder.push(&[0, 1], &Regime::Observational).unwrap();
        let samples = Samples::new(&builder.finish().unwrap());
        assert_eq!((samples.n_rows(), samples.rows_of(1)), (5, 2..5));
        assert_eq!(samples.sample(0), [1, 4]);
        assert_eq!(samples.observational(), [1]);
        assert_eq!(samples.interventional()[0].targets, [0]);
        let mut batch = Batch::default();
        batch.fill(&samples, &[1, 0]);
        assert_eq!((batch.len(), batch.sample(0)), (2, &[0, 3][..]));
    }

    #[test]
    fn real_values_are_standardised_by_the_observational_rows() {
        let variables = vec![Variable::with_codes("c", 3), Variable::real("r")];
        let schema = Arc::new(Schema::new(variables).unwrap());
        let columns = vec![
            Column::U8(vec![2, 0, 1]),
            Column::Real(vec![10.0, 14.0, 18.0]),
        ];
        let regimes = vec![Regime::Observational, Regime::intervened([VarId(1)])];
        let data = Dataset::new(schema, columns, regimes, vec![0, 0, 1]).unwrap();
        let samples = Samples::new(&data);
        assert_eq!((samples.n_rows(), samples.rows_of(1)), (5, 3..5));
        assert_eq!(samples.sample(0), [2, 3]);
        // Mean 12 and deviation 2 of the first two rows.
        let values = [0, 1, 2].map(|sample| samples.values(sample)[1]);
        assert_eq!(values, [-1.0, 1.0, 3.0]);
        let mut batch = Batch::default();
        batch.fill(&samples, &[2]);
        assert_eq!(batch.values(0), [0.0, 3.0]);
    }
}
