//! The parents of a variable, and the combinations of their values.

use fedcdi_core::VarId;

/// Parents, each with its number of categories (0 of a real one); the first varies slowest.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parents {
    pub(crate) ids: Vec<VarId>,
    pub(crate) categories: Vec<usize>,
}

impl FromIterator<(VarId, usize)> for Parents {
    fn from_iter<I: IntoIterator<Item = (VarId, usize)>>(parents: I) -> Self {
        let (ids, categories) = parents.into_iter().unzip();
        Self { ids, categories }
    }
}

impl Parents {
    /// Number of combinations of values, if it fits.
    pub(crate) fn n_rows(&self) -> Option<usize> {
        let mut counts = self.categories.iter();
        counts.try_fold(1usize, |rows, n| rows.checked_mul(*n))
    }

    /// The number of a combination.
    pub(crate) fn row_of(&self, values: &[u16]) -> usize {
        let values = values.iter().zip(&self.categories);
        values.fold(0, |row, (&value, n)| row * n + usize::from(value))
    }

    /// The combination of this number.
    pub(crate) fn values_of(&self, row: usize) -> Vec<u16> {
        let mut rest = row;
        let digits = self.categories.iter().rev().map(|n| {
            let value = rest % n;
            rest /= n;
            value as u16
        });
        let mut values: Vec<u16> = digits.collect();
        values.reverse();
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_parent_varies_slowest() {
        let parents: Parents = [(VarId(4), 2), (VarId(1), 3)].into_iter().collect();
        let values: Vec<_> = (0..6).map(|row| parents.values_of(row)).collect();
        assert_eq!(values[0], [0, 0]);
        assert_eq!(values[1], [0, 1]);
        assert_eq!(values[5], [1, 2]);
        let mut rows = values.iter().enumerate();
        assert!(rows.all(|(row, values)| parents.row_of(values) == row));
    }
}
