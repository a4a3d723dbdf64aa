//! How learning can fail.

use fedcdi_core::{BeliefError, Dataset, ParamsError, VarId};

/// Why learning cannot start or go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LearnError {
    /// A setting is out of range.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// Nothing to fit the conditionals on.
    #[error("the data has no observational rows; add rows without an intervention")]
    NoObservationalRows,
    /// One of several clients cannot take part.
    #[error("client {}: {error}", client + 1)]
    AtClient {
        /// Its place among them.
        client: usize,
        /// Why.
        error: Box<LearnError>,
    },
    /// Nothing to compare parent sets on.
    #[error(
        "the data has no interventional rows, and SDI learns edges from nothing else; add rows with an intervention, or use ENCO"
    )]
    NoInterventionalRows,
    /// Nothing to compare parent sets on, since no observational rows may be held out.
    #[error(
        "the data has no interventional rows, and its observational ones are too few to hold any out, or `holdout` forbids it; add rows, or leave out `holdout`"
    )]
    NothingToCompare,
    /// Nothing to discover.
    #[error("the data has {0} variable; causal discovery needs at least two")]
    OneVariable(usize),
    /// A constant column.
    #[error("variable {0:?} has one category; remove the column or add the missing categories")]
    OneCategory(String),
    /// A real column where only categories can be used.
    #[error("variable {variable:?} is real, and {what} takes categories; {remedy}")]
    RealVariable {
        /// The variable.
        variable: String,
        /// The score, test or method.
        what: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A column that never varies where it is left alone.
    #[error("variable {0:?} is constant in the samples that leave it alone; remove the column")]
    Constant(String),
    /// The family of targets is not conservative.
    #[error(
        "no sample leaves variable {0:?} alone; add samples without an intervention on it, or remove the column"
    )]
    AlwaysIntervened(String),
    /// A regime that a method for single targets cannot use.
    #[error(
        "IGSP takes interventions on one variable at a time, some samples intervene on {n_targets}; leave them out, or use UT-IGSP or GIES"
    )]
    JointIntervention {
        /// Targets of the regime.
        n_targets: usize,
    },
    /// A prior or rules about another number of variables.
    #[error(
        "the {what} is over {found} variables, the data has {expected}; compare the lists of variables"
    )]
    Size {
        /// `prior` or `knowledge`.
        what: &'static str,
        /// Its variables.
        found: usize,
        /// Variables of the data.
        expected: usize,
    },
    /// The loss of a network is no longer a number.
    #[error(
        "training diverged in round {round}, epoch {epoch}, step {step}, at variable {variable:?}; lower the learning rate"
    )]
    Diverged {
        /// Round, from 0.
        round: usize,
        /// Epoch, from 0.
        epoch: usize,
        /// Step, from 0.
        step: usize,
        /// The variable whose network diverged.
        variable: String,
    },
    /// The observer asked to stop.
    #[error("stopped before there was a result")]
    Cancelled,
    /// The fitted logits are not a belief.
    #[error(transparent)]
    Belief(#[from] BeliefError),
}

impl LearnError {
    pub(crate) fn check_size(
        what: &'static str,
        found: usize,
        expected: usize,
    ) -> Result<(), Self> {
        let error = Self::Size {
            what,
            found,
            expected,
        };
        if found == expected {
            Ok(())
        } else {
            Err(error)
        }
    }

    /// Refuses data with fewer than two variables, or with one that never varies in its `rows`.
    pub(crate) fn check_variables(
        data: &Dataset,
        rows: impl Fn(VarId) -> Vec<usize>,
    ) -> Result<(), Self> {
        if data.n_vars() < 2 {
            return Err(Self::OneVariable(data.n_vars()));
        }
        for var in data.schema().ids() {
            let (described, rows) = (data.schema().variable(var), rows(var));
            let variable = described.name.clone();
            if !described.is_real() && described.n_categories() < 2 {
                return Err(Self::OneCategory(variable));
            }
            if rows.is_empty() {
                return Err(Self::AlwaysIntervened(variable));
            }
            let reals = data.column(var).reals();
            if reals.is_some_and(|of| rows.iter().all(|row| of[*row] == of[rows[0]])) {
                return Err(Self::Constant(variable));
            }
        }
        Ok(())
    }

    /// Refuses data with a real variable, for `what`, which takes categories; `remedy` tells how
    /// reals can be used.
    pub(crate) fn refuse_reals(
        data: &Dataset,
        what: &'static str,
        remedy: &'static str,
    ) -> Result<(), Self> {
        let mut variables = data.schema().variables().iter();
        match variables.find(|variable| variable.is_real()) {
            Some(variable) => Err(Self::RealVariable {
                variable: variable.name.clone(),
                what,
                remedy,
            }),
            None => Ok(()),
        }
    }
}
