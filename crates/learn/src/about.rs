//! What people want to know of a method before they run it.

use fedcdi_core::{Dataset, Regime, VarId};

/// What people want to know of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// Its name in a heading.
    pub title: &'static str,
    /// What it does, in a line.
    pub does: &'static str,
    /// What the data must have.
    pub needs: &'static str,
    /// Kinds of tables it takes.
    pub kinds: &'static [TableKind],
    /// The paper.
    pub reference: &'static str,
}

/// What the variables of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// All categorical.
    Categorical,
    /// All real.
    Real,
    /// Some of both.
    Mixed,
}

impl TableKind {
    /// The kind of this table.
    pub fn of(data: &Dataset) -> Self {
        let variables = data.schema().variables();
        match variables.iter().filter(|v| v.is_real()).count() {
            0 => Self::Categorical,
            n if n == variables.len() => Self::Real,
            _ => Self::Mixed,
        }
    }

    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Categorical => "categorical",
            Self::Real => "real",
            Self::Mixed => "mixed",
        }
    }
}

impl About {
    /// Whether every variable is left alone in some row.
    pub fn leaves_each_alone(data: &Dataset) -> bool {
        let free = |var| data.regimes().iter().any(|r| !r.intervenes_on(VarId(var)));
        (0..data.n_vars()).all(free)
    }

    /// Whether there are observational rows.
    pub fn is_observed(data: &Dataset) -> bool {
        data.regimes().iter().any(Regime::is_observational)
    }
}
