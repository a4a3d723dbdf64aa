//! The sets of variables that the regimes of some data intervene on.
//!
//! Hauser and Bühlmann (2012): what can be told from data depends on this family alone,
//! if it is conservative, that is, if every variable is left alone somewhere.

use fedcdi_core::{Dataset, VarSet};

use crate::learn_error::LearnError;

/// Targets of every regime; the empty set is that of observational samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetFamily {
    n_vars: usize,
    sets: Vec<VarSet>,
}

impl TargetFamily {
    /// The regimes of a dataset that has samples of each.
    pub fn of(data: &Dataset) -> Self {
        let n_vars = data.n_vars();
        let set = |r: &fedcdi_core::Regime| VarSet::from_members(n_vars, r.targets().to_vec());
        Self::new(n_vars, data.regimes().iter().map(set).collect())
    }

    /// These regimes.
    pub fn new(n_vars: usize, sets: Vec<VarSet>) -> Self {
        Self { n_vars, sets }
    }

    /// The sets, in the order of the regimes.
    pub fn sets(&self) -> &[VarSet] {
        &self.sets
    }

    /// Number of variables.
    pub fn n_vars(&self) -> usize {
        self.n_vars
    }

    /// Whether every variable is left alone in some regime; `names` are for the message.
    ///
    /// # Errors
    /// [`LearnError::AlwaysIntervened`] naming the first variable that is not.
    pub fn check_conservative(&self, names: &[String]) -> Result<(), LearnError> {
        let left_alone = |v: &usize| {
            let var = fedcdi_core::VarId(*v);
            self.sets.iter().any(|set| !set.contains(var))
        };
        match (0..self.n_vars).find(|v| !left_alone(v)) {
            Some(at) => Err(LearnError::AlwaysIntervened {
                variable: names[at].clone(),
            }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::VarId;

    #[test]
    fn a_variable_that_is_always_set_is_named() {
        let on = |targets: &[usize]| VarSet::from_members(2, targets.iter().copied().map(VarId));
        let names = ["a".to_owned(), "b".to_owned()];
        let check = |sets: &[&[usize]]| {
            let sets = sets.iter().map(|set| on(set)).collect();
            TargetFamily::new(2, sets).check_conservative(&names)
        };
        assert_eq!(check(&[&[]]), Ok(()));
        assert_eq!(check(&[&[0], &[1]]), Ok(()));
        let text = check(&[&[0, 1], &[1]]).unwrap_err().to_string();
        assert!(
            text.starts_with("no sample leaves variable \"b\" alone;"),
            "{text}"
        );
        assert!(check(&[]).is_err());
    }
}
