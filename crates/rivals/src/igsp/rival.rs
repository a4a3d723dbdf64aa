//! IGSP and UT-IGSP as two of the rivals.

use fedcdi_core::choice::{Params, Settings};
use fedcdi_core::{Dataset, ParamsError, Seed};
use fedcdi_learn::independence::TestParams;
use fedcdi_learn::{About, LearnError, Observer, TableKind};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{IgspFit, IgspParams, Variant};
use crate::registry::{Rival, is_real};
use crate::rival_fit::RivalFit;

/// Settings of UT-IGSP: those of IGSP.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UtIgspParams(pub IgspParams);

impl Params for IgspParams {
    const NAME: &str = "igsp";
    const SUMMARY: &str =
        "IGSP (Wang et al. 2017): tests, interventions on one known variable each";

    fn check(&self) -> Result<(), ParamsError> {
        self.clone().check(Variant::Known).map(drop)
    }
}

impl Params for UtIgspParams {
    const NAME: &str = "ut-igsp";
    const SUMMARY: &str =
        "UT-IGSP (Squires et al. 2020): tests; named targets may be wrong or not all";

    fn check(&self) -> Result<(), ParamsError> {
        Params::check(&self.0)
    }
}

impl IgspParams {
    fn find_as(
        &self,
        variant: Variant,
        data: &Dataset,
        seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<(RivalFit, IgspFit), LearnError> {
        let fit = self.clone().check(variant)?.fit(data, seed, observer)?;
        let found = RivalFit {
            conflicts: Some(fit.conflicts),
            ..RivalFit::new(fit.class.clone(), fit.dag.clone(), fit.stop_reason)
        };
        Ok((found, fit))
    }
}

impl Rival for IgspParams {
    fn find(
        &self,
        sites: &[Dataset],
        seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<RivalFit, LearnError> {
        let found = self.find_as(Variant::Known, &sites[0], seed, observer);
        found.map(|(found, _)| found)
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
        let variant = Variant::Partial;
        let (mut found, fit) = self.0.find_as(variant, &sites[0], seed, observer)?;
        found.targets = fit.named.into_iter().zip(fit.targets).collect();
        Ok(found)
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
