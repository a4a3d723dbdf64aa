//! Every kind of mechanism behind one face.

use fedcdi_core::VarId;

use super::{Cpt, NeuralConditional, RealMechanism};
use crate::synth::intervene::SetTo;

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

/// The law of one variable given its parents.
#[derive(Clone, Debug, PartialEq)]
pub enum Mechanism {
    /// A conditional probability table.
    Table(Cpt),
    /// A random neural network over categories.
    Neural(NeuralConditional),
    /// A function of real parents and noise.
    Real(RealMechanism),
    /// A real variable that an experimenter sets.
    Set(SetTo),
}

const NO_PARENTS: &Parents = &Parents {
    ids: Vec::new(),
    categories: Vec::new(),
};

impl Mechanism {
    pub(crate) fn parents_with_categories(&self) -> &Parents {
        match self {
            Self::Table(table) => &table.parents,
            Self::Neural(network) => &network.parents,
            Self::Real(mechanism) => &mechanism.parents,
            Self::Set(_) => NO_PARENTS,
        }
    }

    /// The parents, in the order in which their values are given.
    pub fn parents(&self) -> &[VarId] {
        &self.parents_with_categories().ids
    }

    /// Number of categories of each parent; 0 of a real one.
    pub fn parent_categories(&self) -> &[usize] {
        &self.parents_with_categories().categories
    }

    /// Number of categories of the variable itself; 0 of a real one.
    pub fn n_categories(&self) -> usize {
        match self {
            Self::Table(table) => table.n_categories(),
            Self::Neural(network) => network.n_categories(),
            Self::Real(_) | Self::Set(_) => 0,
        }
    }

    /// Writes the law under these parent values, one per parent, into `law`. Panics if the variable
    /// is real.
    pub fn probabilities(&self, parent_values: &[u16], law: &mut [f64]) {
        match self {
            Self::Table(table) => law.copy_from_slice(table.row(table.row_of(parent_values))),
            Self::Neural(network) => network.probabilities(parent_values, law),
            Self::Real(_) | Self::Set(_) => panic!("a categorical variable"),
        }
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
