//! The sets of variables that the regimes of some data intervene on.
//!
//! Hauser and Bühlmann (2012): what can be told from data depends on this family alone,
//! if it is conservative, that is, if every variable is left alone somewhere.

use fedcdi_core::{Dataset, VarSet};

use crate::learn_error::LearnError;

/// Targets of every regime, in order; the empty set is that of observational samples.
pub fn target_sets(data: &Dataset) -> Vec<VarSet> {
    let set = |r: &fedcdi_core::Regime| VarSet::from_members(data.n_vars(), r.targets().to_vec());
    data.regimes().iter().map(set).collect()
}

/// Numbers and targets of the interventional regimes, in order.
pub(crate) fn interventional(data: &Dataset) -> (Vec<usize>, Vec<VarSet>) {
    let sets = target_sets(data).into_iter().enumerate();
    sets.filter(|(_, set)| !set.is_empty()).unzip()
}

/// Whether every variable is left alone in some regime.
///
/// # Errors
/// [`LearnError::AlwaysIntervened`] naming the first variable that is not.
pub fn check_conservative(data: &Dataset) -> Result<(), LearnError> {
    let is_set = |var| data.regimes().iter().all(|r| r.intervenes_on(var));
    match data.schema().ids().find(|var| is_set(*var)) {
        Some(var) => Err(LearnError::AlwaysIntervened(
            data.schema().name(var).to_owned(),
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::test_data;
    use fedcdi_core::{Regime, VarId};

    #[test]
    fn a_variable_that_is_always_set_is_named() {
        let check = |sets: &[&[usize]]| {
            let regime = |set: &[usize]| Regime::intervened(set.iter().copied().map(VarId));
            let rows = sets.iter().map(|set| (&[0, 0][..], regime(set)));
            check_conservative(&test_data::table(&[2, 2], &rows.collect::<Vec<_>>()))
        };
        assert_eq!(check(&[&[]]), Ok(()));
        assert_eq!(check(&[&[0], &[1]]), Ok(()));
        let text = check(&[&[0, 1], &[1]]).unwrap_err().to_string();
        assert!(
            text.starts_with("no sample leaves variable \"x1\" alone;"),
            "{text}"
        );
    }
}
