//! IGSP and UT-IGSP as two of the rivals.

use fedcdi_core::canonical::canonical;
use fedcdi_core::choice::{Params, Settings};
use fedcdi_core::{Dataset, ParamsError, Seed, VarSet};
use fedcdi_learn::independence::TestParams;
use fedcdi_learn::{About, LearnError, Observer, TableKind};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{IgspParams, Variant};
use crate::registry::{Rival, is_real};
use crate::rival_fit::RivalFit;

/// Settings of UT-IGSP: those of IGSP.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UtIgspParams(pub IgspParams);

impl Params for UtIgspParams {
    const NAME: &str = "ut-igsp";
    const SUMMARY: &str =
        "UT-IGSP (Squires et al. 2020): tests; named targets may be wrong or not all";

    fn check(&self) -> Result<(), ParamsError> {
        self.0.check()
    }
}

impl IgspParams {
    fn find_as(
        &self,
        variant: Variant,
        data: &Dataset,
        seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<RivalFit, LearnError> {
        // Random starts and ties go by the places of variables and rows.
        let (data, forth) = canonical(data);
        let fit = self.fit(variant, &data, seed, observer)?;
        let back = forth.inverse();
        let sets = |sets: &[VarSet]| sets.iter().map(|set| back.set(set)).collect::<Vec<_>>();
        let mut targets: Vec<_> = sets(&fit.named)
            .into_iter()
            .zip(sets(&fit.targets))
            .collect();
        targets.sort_by_key(|(named, _)| named.iter().collect::<Vec<_>>());
        Ok(RivalFit {
            conflicts: Some(fit.conflicts),
            targets,
            ..RivalFit::new(back.class(&fit.class), back.dag(&fit.dag), fit.ending)
        })
    }
}

impl Rival for IgspParams {
    fn find(
        &self,
        sites: &[Dataset],
        seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<RivalFit, LearnError> {
        let found = self.find_as(Variant::Known, &sites[0], seed, observer)?;
        Ok(RivalFit {
            targets: Vec::new(),
            ..found
        })
    }

    fn about(&self) -> About {
        About {
            title: "IGSP",
            does: "sparsest permutation by tests, known targets",
            needs: "observational rows; interventions on one variable at a time",
            kinds: &[TableKind::Categorical, TableKind::Real],
            reference: "Wang, Solus, Yang, Uhler 2017",
        }
    }

    fn accepts(&self, data: &Dataset) -> bool {
        About::is_observed(data) && data.regimes().iter().all(|r| r.targets().len() <= 1)
    }

    fn suited_to(&self, data: &Dataset) -> Settings {
        let test = || ("test".to_owned(), json!("gaussian"));
        is_real(data).then(test).into_iter().collect()
    }

    fn cost(&self) -> f64 {
        match self.test {
            TestParams::Logistic => 100.0,
            TestParams::Hsic(_) => 15.0,
            TestParams::G | TestParams::Gaussian => 2.0,
        }
    }
}

impl Rival for UtIgspParams {
    fn find(
        &self,
        sites: &[Dataset],
        seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<RivalFit, LearnError> {
        self.0.find_as(Variant::Partial, &sites[0], seed, observer)
    }

    fn about(&self) -> About {
        About {
            title: "UT-IGSP",
            does: "sparsest permutation by tests, targets are estimated",
            needs: "observational rows",
            reference: "Squires, Wang, Uhler 2020",
            ..self.0.about()
        }
    }

    fn accepts(&self, data: &Dataset) -> bool {
        About::is_observed(data)
    }

    fn suited_to(&self, data: &Dataset) -> Settings {
        self.0.suited_to(data)
    }

    fn cost(&self) -> f64 {
        self.0.cost()
    }
}
