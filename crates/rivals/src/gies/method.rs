//! GIES on a dataset.

use fedcdi_core::Dataset;

use super::GiesParams;
use super::search::{GiesFit, search};
use fedcdi_learn::independence::{check_conservative, target_sets};
use fedcdi_learn::learn_error::LearnError;
use fedcdi_learn::progress::Observer;

/// GIES with checked settings; made by [`GiesParams::check`].
#[derive(Clone, Debug)]
pub struct Gies {
    params: GiesParams,
}

impl Gies {
    pub(super) fn new(params: GiesParams) -> Self {
        Self { params }
    }

    /// The settings.
    pub fn params(&self) -> &GiesParams {
        &self.params
    }

    /// Searches for the class of graphs with the best score.
    ///
    /// # Errors
    /// [`LearnError`] if the data has fewer than two variables, a variable that every sample
    /// intervenes on, or one of a single category.
    pub fn fit(
        &self,
        data: &Dataset,
        observer: Option<&dyn Observer>,
    ) -> Result<GiesFit, LearnError> {
        if data.n_vars() < 2 {
            return Err(LearnError::OneVariable(data.n_vars()));
        }
        let variables = data.schema().variables();
        if let Some(constant) = variables
            .iter()
            .find(|v| !v.is_real() && v.n_categories() < 2)
        {
            let variable = constant.name.clone();
            return Err(LearnError::OneCategory { variable });
        }
        check_conservative(data)?;
        let score = self.params.score.of(data)?;
        let max_parents = self.params.max_parents;
        Ok(search(
            score.as_ref(),
            &target_sets(data),
            max_parents,
            observer,
        ))
    }
}
