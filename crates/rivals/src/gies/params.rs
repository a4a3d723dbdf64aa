//! Settings of GIES.

use fedcdi_core::ParamsError;
use serde::{Deserialize, Serialize};

use super::Gies;
use fedcdi_learn::score::{Penalty, ScoreParams};

/// Settings of [`Gies`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GiesParams {
    /// What is maximised.
    pub score: ScoreParams,
    /// No operator gives a variable more parents than this; > 0.
    pub max_parents: usize,
}

impl Default for GiesParams {
    fn default() -> Self {
        Self {
            score: ScoreParams::Logistic(Penalty::Bic),
            max_parents: 20,
        }
    }
}

impl GiesParams {
    /// # Errors
    /// [`ParamsError`] naming the first field out of range.
    pub fn check(self) -> Result<Gies, ParamsError> {
        self.score.check()?;
        ParamsError::some("max_parents", self.max_parents)?;
        Ok(Gies::new(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_mentioned_keeps_its_default_and_unknown_names_are_refused() {
        let params: GiesParams = toml::from_str("max_parents = 3").unwrap();
        assert_eq!(params.score, GiesParams::default().score);
        assert!(toml::from_str::<GiesParams>("max_parent = 3").is_err());
    }

    #[test]
    fn no_parents_at_all_are_refused() {
        let params = GiesParams {
            max_parents: 0,
            ..GiesParams::default()
        };
        let text = params.check().err().unwrap().to_string();
        assert_eq!(text, "max_parents is 0, but must be > 0");
    }
}
