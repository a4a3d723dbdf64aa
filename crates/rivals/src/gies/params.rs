//! Settings of GIES.

use fedcdi_core::ParamsError;
use fedcdi_core::choice::{ChoiceError, Params};
use fedcdi_learn::score::{ScoreParams, Scores};
use serde::{Deserialize, Serialize};

use super::Gies;

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
            score: ScoreParams::new("best", 0.05),
            max_parents: 20,
        }
    }
}

impl Params for GiesParams {
    const NAME: &str = "gies";
    const SUMMARY: &str = "GIES (Hauser and Bühlmann 2012): greedy search by a score";

    fn check(&self) -> Result<(), ParamsError> {
        ParamsError::some("max_parents", self.max_parents)
    }
}

impl GiesParams {
    /// The method, by one of these scores.
    ///
    /// # Errors
    /// [`ChoiceError`] naming the first setting that is out of range or unknown.
    pub fn by(self, scores: &Scores) -> Result<Gies, ChoiceError> {
        self.check()?;
        let score = self.score.among(scores)?;
        Ok(Gies {
            params: self,
            score,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_learn::score::standard;

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
        let text = params.by(&standard()).err().unwrap().to_string();
        assert_eq!(text, "max_parents is 0, but must be > 0");
    }
}
