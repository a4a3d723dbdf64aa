//! GIES as one of the rivals.

use fedcdi_core::choice::{Params, Settings};
use fedcdi_core::{Dataset, ParamsError, Seed};
use fedcdi_learn::score::ScoreParams;
use fedcdi_learn::{About, LearnError, Observer, TableKind};
use serde_json::json;

use super::GiesParams;
use crate::registry::{Rival, is_real};
use crate::rival_fit::RivalFit;

impl Params for GiesParams {
    const NAME: &str = "gies";
    const SUMMARY: &str = "GIES (Hauser and Bühlmann 2012): greedy search by a score";

    fn check(&self) -> Result<(), ParamsError> {
        self.clone().check().map(drop)
    }
}

impl Rival for GiesParams {
    fn find(
        &self,
        sites: &[Dataset],
        _seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<RivalFit, LearnError> {
        let fit = self.clone().check()?.fit(&sites[0], observer)?;
        Ok(RivalFit {
            score: Some(fit.score),
            ..RivalFit::new(fit.class, fit.dag, fit.stop_reason)
        })
    }

    fn about(&self) -> About {
        About {
            title: "GIES",
            does: "greedy search over equivalence classes by a score",
            needs: "rows that leave each variable alone",
            kinds: &[TableKind::Categorical, TableKind::Real],
            reference: "Hauser, Bühlmann 2012",
        }
    }

    fn suited_to(&self, data: &Dataset) -> Settings {
        let score = || ("score".to_owned(), json!({"gaussian": "bic"}));
        is_real(data).then(score).into_iter().collect()
    }

    fn cost(&self) -> f64 {
        match self.score {
            ScoreParams::Logistic(_) => 40.0,
            _ => 2.0,
        }
    }
}
