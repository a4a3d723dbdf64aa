//! IGSP and UT-IGSP as two of the rivals.

use fedcdi_core::canonical::canonical;
use fedcdi_core::choice::{Params, Settings};
use fedcdi_core::{Dataset, ParamsError, Seed, VarSet};
use fedcdi_learn::independence::TestParams;
use fedcdi_learn::{About, LearnError, Observer, TableKind};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{IgspParams, Variant};
use crate::registry::{Rival, if_real};
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

struct Igsp {
    params: IgspParams,
    variant: Variant,
}

pub(crate) fn rival(params: IgspParams, variant: Variant) -> Box<dyn Rival> {
    Box::new(Igsp { params, variant })
}

impl Rival for Igsp {
    fn find(
        &self,
        sites: &[Dataset],
        seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<RivalFit, LearnError> {
        // Random starts and ties go by the places of variables and rows.
        let (data, forth) = canonical(&sites[0]);
        let found = self.params.fit(self.variant, &data, seed, observer)?;
        let back = forth.inverse();
        let targets = found.targets.iter();
        let targets = targets.map(|(named, found)| (back.set(named), back.set(found)));
        let mut targets: Vec<(VarSet, VarSet)> = targets.collect();
        targets.sort_by_key(|(named, _)| named.iter().collect::<Vec<_>>());
        Ok(RivalFit {
            targets,
            class: back.class(&found.class),
            dag: back.dag(&found.dag),
            ..found
        })
    }

    fn about(&self) -> About {
        let igsp = About {
            title: "IGSP",
            does: "sparsest permutation by tests, known targets",
            needs: "observational rows; interventions on one variable at a time",
            kinds: &[TableKind::Categorical, TableKind::Real],
            reference: "Wang, Solus, Yang, Uhler 2017",
        };
        match self.variant {
            Variant::Known => igsp,
            Variant::Partial | Variant::Unknown => About {
                title: "UT-IGSP",
                does: "sparsest permutation by tests, targets are estimated",
                needs: "observational rows",
                reference: "Squires, Wang, Uhler 2020",
                ..igsp
            },
        }
    }

    fn accepts(&self, data: &Dataset) -> bool {
        let single = || data.regimes().iter().all(|r| r.targets().len() <= 1);
        About::is_observed(data) && (self.variant != Variant::Known || single())
    }

    fn suited_to(&self, data: &Dataset) -> Settings {
        if_real(data, "test", json!("gaussian"))
    }

    fn cost(&self) -> f64 {
        match self.params.test {
            TestParams::Logistic => 100.0,
            TestParams::Hsic(_) => 15.0,
            TestParams::G | TestParams::Gaussian => 2.0,
        }
    }
}
