//! NOTEARS as one of the rivals; among several sites NOTEARS-ADMM.

use fedcdi_core::choice::Params;
use fedcdi_core::{Dataset, ParamsError, Seed};
use fedcdi_learn::{About, LearnError, Observer, TableKind};

use super::NotearsParams;
use crate::registry::Rival;
use crate::rival_fit::{RivalFit, WeightKind, Weights};

impl Params for NotearsParams {
    const NAME: &str = "notears";
    const SUMMARY: &str =
        "NOTEARS (Zheng et al. 2018; among sites Ng and Zhang 2022): linear, categories as numbers";

    fn check(&self) -> Result<(), ParamsError> {
        self.clone().check().map(drop)
    }
}

impl Rival for NotearsParams {
    fn find(
        &self,
        sites: &[Dataset],
        _seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<RivalFit, LearnError> {
        let fit = self.clone().check()?.fit(sites, observer)?;
        Ok(RivalFit {
            n_removed: fit.n_removed,
            weights: Some(Weights {
                kind: WeightKind::Coefficient,
                values: fit.weights,
            }),
            ..RivalFit::of_graph(fit.dag, sites, fit.stop_reason)
        })
    }

    fn sent(&self) -> Option<&'static str> {
        Some(
            "In every iteration, the parameters of its regressions of each variable on all others, and once how many rows these are from.",
        )
    }

    fn about(&self) -> About {
        About {
            title: "NOTEARS",
            does: "linear regressions under a penalty of cycles; ours also uses interventional rows",
            needs: "rows that leave each variable alone",
            kinds: &[TableKind::Categorical, TableKind::Real, TableKind::Mixed],
            reference: "Zheng et al. 2018; Ng, Zhang 2022",
        }
    }
}
