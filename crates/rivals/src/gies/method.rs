//! GIES on a dataset, and as one of the rivals.

use fedcdi_core::choice::{Kind, Params, Settings, read, written};
use fedcdi_core::{Dataset, Seed};
use fedcdi_learn::independence::{check_conservative, target_sets};
use fedcdi_learn::score::{Score, Scores};
use fedcdi_learn::{About, LearnError, Observer, TableKind};
use serde_json::json;

use super::GiesParams;
use super::search::search;
use crate::registry::{Rival, if_real, refuse_narrow};
use crate::rival_fit::RivalFit;

/// GIES with checked settings; made by [`GiesParams::by`].
pub struct Gies {
    pub(super) params: GiesParams,
    pub(super) score: Score,
}

/// GIES in a list of rivals, by any of these scores.
pub fn kind(scores: Scores) -> Kind<Box<dyn Rival>> {
    let (name, summary) = (GiesParams::NAME, GiesParams::SUMMARY);
    let mut kind = Kind::dynamic(name, summary, move |settings| {
        let params: GiesParams = read(name, settings)?;
        Ok(Box::new(params.by(&scores)?) as Box<dyn Rival>)
    });
    kind.defaults = written(&GiesParams::default());
    kind
}

impl Rival for Gies {
    fn find(
        &self,
        sites: &[Dataset],
        _seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<RivalFit, LearnError> {
        let data = &sites[0];
        refuse_narrow(data)?;
        check_conservative(data)?;
        let score = (self.score)(data)?;
        let max_parents = self.params.max_parents;
        let fit = search(&*score, &target_sets(data), max_parents, observer);
        Ok(RivalFit {
            score: Some(fit.score),
            ..RivalFit::new(fit.class, fit.dag, fit.ending)
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
        if_real(data, "score", json!({"gaussian": "bic"}))
    }

    fn cost(&self) -> f64 {
        match self.params.score.name() {
            "best" => 70.0,
            "logistic" => 40.0,
            _ => 2.0,
        }
    }
}
