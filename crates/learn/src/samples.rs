//! A dataset as the networks want it: for every sample and variable, the embedding row it selects.

use fedcdi_core::{Dataset, VarId};

/// Samples of one regime.
#[derive(Clone, Debug)]
pub struct RegimeSamples {
    /// Intervened variables, sorted; empty when observational.
    pub targets: Vec<usize>,
    /// Sample numbers, in file order.
    pub samples: Vec<u32>,
}

/// All samples, row-major, each value as a row of the embedding table.
///
/// The table has one row per (variable, category), variable by variable, and the same numbering in
/// every network.
#[derive(Clone, Debug)]
pub struct Samples {
    n_vars: usize,
    /// First table row of each variable, and the number of rows at the end; `[n_vars + 1]`.
    first_row: Vec<u32>,
    /// `[sample, variable]`.
    rows: Vec<u32>,
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
            total += variable.n_categories() as u32;
            first_row.push(total);
        }
        let mut rows = vec![0; data.n_samples() * n_vars];
        for var in 0..n_vars {
            for (sample, code) in data.column(VarId(var)).codes().enumerate() {
                rows[sample * n_vars + var] = first_row[var] + u32::from(code);
            }
        }
        let mut samples = Self {
            n_vars,
            first_row,
            rows,
            observational: Vec::new(),
            interventional: Vec::new(),
        };
        for (regime, members) in data.regimes().iter().zip(data.samples_by_regime()) {
            let members = members.into_iter().map(|s| s as u32).collect();
            if regime.is_observational() {
                samples.observational = members;
            } else {
                samples.interventional.push(RegimeSamples {
                    targets: regime.targets().iter().map(|t| t.index()).collect(),
                    samples: members,
                });
            }
        }
        samples
    }

    /// Number of variables.
    pub fn n_vars(&self) -> usize {
        self.n_vars
    }

    /// Rows of the embedding table.
    pub fn n_rows(&self) -> usize {
        self.first_row[self.n_vars] as usize
    }

    /// Table rows of one variable, one per category.
    pub fn rows_of(&self, var: usize) -> std::ops::Range<usize> {
        self.first_row[var] as usize..self.first_row[var + 1] as usize
    }

    /// Number of categories of one variable.
    pub fn n_categories(&self, var: usize) -> usize {
        self.rows_of(var).len()
    }

    /// Rows of the median interventional regime; 0 without one.
    pub fn rows_per_regime(&self) -> usize {
        let regimes = self.interventional.iter();
        let mut rows: Vec<usize> = regimes.map(|r| r.samples.len()).collect();
        rows.sort_unstable();
        rows.get(rows.len() / 2).copied().unwrap_or(0)
    }

    /// Table rows that one sample selects, by variable.
    #[inline]
    pub fn sample(&self, sample: u32) -> &[u32] {
        &self.rows[sample as usize * self.n_vars..][..self.n_vars]
    }

    /// Observational sample numbers, in file order.
    pub fn observational(&self) -> &[u32] {
        &self.observational
    }

    /// The interventional regimes, sorted by targets.
    pub fn interventional(&self) -> &[RegimeSamples] {
        &self.interventional
    }

    /// Number of variables that are a target in some regime.
    pub fn n_targets(&self) -> usize {
        let mut targets: Vec<usize> = self
            .interventional
            .iter()
            .flat_map(|regime| regime.targets.iter().copied())
            .collect();
        targets.sort_unstable();
        targets.dedup();
        targets.len()
    }
}

/// A few samples copied side by side, the input of one graph-fitting step.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    n_vars: usize,
    rows: Vec<u32>,
}

impl Batch {
    /// Copies these samples.
    pub fn fill(&mut self, samples: &Samples, numbers: &[u32]) {
        self.n_vars = samples.n_vars;
        self.rows.clear();
        for &number in numbers {
            self.rows.extend_from_slice(samples.sample(number));
        }
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.rows.len() / self.n_vars.max(1)
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Table rows of one sample, by variable.
    #[inline]
    pub fn sample(&self, index: usize) -> &[u32] {
        &self.rows[index * self.n_vars..][..self.n_vars]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::{DatasetBuilder, Regime, Schema, Variable};
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
}
