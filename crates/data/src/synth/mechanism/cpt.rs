//! Conditional probability tables.

use fedcdi_core::VarId;

use super::Parents;

/// P(variable | parents), one row per combination of parent values.
#[derive(Clone, Debug, PartialEq)]
pub struct Cpt {
    pub(super) parents: Parents,
    n_categories: usize,
    /// `[parent configuration, category]`; the first parent varies slowest.
    probabilities: Vec<f64>,
}

/// Why numbers are not a probability table.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CptError {
    /// Too few or too many numbers.
    #[error("the table has {0} numbers, but needs {1}")]
    Size(usize, usize),
    /// A row, from 0, with a number that is not a probability.
    #[error("row {row} holds {1}, which is not a probability", row = .0 + 1)]
    Value(usize, f64),
    /// A row, from 0, with a sum that is not 1.
    #[error("row {row} sums to {1}, but must sum to 1", row = .0 + 1)]
    Sum(usize, f64),
}

impl Cpt {
    /// How far the sum of a row may be from 1.
    pub const TOLERANCE: f64 = 1e-6;

    /// A table over these parents, each with its number of categories; `probabilities` row by row,
    /// the first parent varying slowest.
    ///
    /// # Errors
    /// [`CptError`] naming the first row that is not a distribution within [`Self::TOLERANCE`].
    pub fn new(
        parents: Vec<(VarId, usize)>,
        n_categories: usize,
        probabilities: Vec<f64>,
    ) -> Result<Self, CptError> {
        let parents: Parents = parents.into_iter().collect();
        let expected = parents.categories.iter().product::<usize>() * n_categories;
        if probabilities.len() != expected {
            return Err(CptError::Size(probabilities.len(), expected));
        }
        for (row, law) in probabilities.chunks(n_categories.max(1)).enumerate() {
            if let Some(&value) = law.iter().find(|p| !(0.0..=1.0).contains(*p)) {
                return Err(CptError::Value(row, value));
            }
            let sum: f64 = law.iter().sum();
            if (sum - 1.0).abs() > Self::TOLERANCE {
                return Err(CptError::Sum(row, sum));
            }
        }
        Ok(Self {
            parents,
            n_categories,
            probabilities,
        })
    }

    /// The same chance for each of `n_categories`, whatever else happens.
    pub fn uniform(n_categories: usize) -> Self {
        Self {
            parents: Parents::default(),
            n_categories,
            probabilities: vec![1.0 / n_categories as f64; n_categories],
        }
    }

    /// The parents, slowest first.
    pub fn parents(&self) -> &[VarId] {
        &self.parents.ids
    }

    /// Number of categories of the variable itself.
    pub fn n_categories(&self) -> usize {
        self.n_categories
    }

    /// The law under one combination of parent values, numbered as [`Self::rows`] counts.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.probabilities[row * self.n_categories..][..self.n_categories]
    }

    /// All rows, each with its parent values, the first parent varying slowest.
    pub fn rows(&self) -> impl Iterator<Item = (Vec<u16>, &[f64])> {
        let laws = self.probabilities.chunks(self.n_categories).enumerate();
        laws.map(|(row, law)| (self.parents.values_of(row), law))
    }

    /// The row of these parent values.
    pub fn row_of(&self, parent_values: &[u16]) -> usize {
        self.parents.row_of(parent_values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_no_distribution_are_refused() {
        assert!(matches!(
            Cpt::new(vec![], 2, vec![0.5]),
            Err(CptError::Size(1, 2))
        ));
        assert!(matches!(
            Cpt::new(vec![(VarId(0), 2)], 2, vec![0.5, 0.5, -1.0, 2.0]),
            Err(CptError::Value(1, _))
        ));
        assert!(matches!(
            Cpt::new(vec![(VarId(0), 2)], 2, vec![0.5, 0.5, 0.5, 0.4]),
            Err(CptError::Sum(1, _))
        ));
        assert!(Cpt::new(vec![], 2, vec![f64::NAN, 1.0]).is_err());
    }
}
