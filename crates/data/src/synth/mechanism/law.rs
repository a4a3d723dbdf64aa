//! Every kind of mechanism behind one face.

use fedcdi_core::VarId;

use super::{Cpt, NeuralConditional, Parents, RealMechanism};
use crate::synth::intervene::SetTo;

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

    /// Number of combinations of parent values, if it fits.
    pub fn n_configurations(&self) -> Option<usize> {
        self.parents_with_categories().n_rows()
    }

    /// Writes the law under these parent values, one per parent, into `law`.
    ///
    /// # Panics
    /// If the variable is real.
    pub fn probabilities(&self, parent_values: &[u16], law: &mut [f64]) {
        match self {
            Self::Table(table) => law.copy_from_slice(table.row(table.row_of(parent_values))),
            Self::Neural(network) => network.probabilities(parent_values, law),
            Self::Real(_) | Self::Set(_) => panic!("a categorical variable"),
        }
    }
}
