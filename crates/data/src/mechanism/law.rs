//! Either kind of mechanism behind one face.

use fedcdi_core::VarId;

use super::{Cpt, NeuralConditional};

/// The law of one variable given its parents.
#[derive(Clone, Debug, PartialEq)]
pub enum Mechanism {
    /// A conditional probability table.
    Table(Cpt),
    /// A random neural network.
    Neural(NeuralConditional),
}

impl Mechanism {
    /// The parents, in the order in which their values are given.
    pub fn parents(&self) -> &[VarId] {
        match self {
            Self::Table(table) => table.parents(),
            Self::Neural(network) => network.parents(),
        }
    }

    /// Number of categories of each parent.
    pub fn parent_categories(&self) -> &[usize] {
        match self {
            Self::Table(table) => table.parent_categories(),
            Self::Neural(network) => network.parent_categories(),
        }
    }

    /// Number of categories of the variable itself.
    pub fn n_categories(&self) -> usize {
        match self {
            Self::Table(table) => table.n_categories(),
            Self::Neural(network) => network.n_categories(),
        }
    }

    /// Number of combinations of parent values, if it fits.
    pub fn n_configurations(&self) -> Option<usize> {
        let counts = self.parent_categories().iter();
        counts.copied().try_fold(1usize, usize::checked_mul)
    }

    /// Writes the law under these parent values, one per parent, into `law`.
    pub fn probabilities(&self, parent_values: &[u16], law: &mut [f64]) {
        match self {
            Self::Table(table) => law.copy_from_slice(table.row(table.row_of(parent_values))),
            Self::Neural(network) => network.probabilities(parent_values, law),
        }
    }
}
