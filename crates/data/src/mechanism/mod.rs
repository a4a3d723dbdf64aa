//! True conditionals: how a variable depends on its parents.

mod cpt;

pub use cpt::{Cpt, CptError};

use fedcdi_core::VarId;

/// The law of one variable given its parents.
#[derive(Clone, Debug, PartialEq)]
pub enum Mechanism {
    /// A conditional probability table.
    Table(Cpt),
}

impl Mechanism {
    /// The parents, in the order in which their values are given.
    pub fn parents(&self) -> &[VarId] {
        match self {
            Self::Table(table) => table.parents(),
        }
    }

    /// Number of categories of each parent.
    pub fn parent_categories(&self) -> &[usize] {
        match self {
            Self::Table(table) => table.parent_categories(),
        }
    }

    /// Number of categories of the variable itself.
    pub fn n_categories(&self) -> usize {
        match self {
            Self::Table(table) => table.n_categories(),
        }
    }
}
