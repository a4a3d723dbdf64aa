//! FedDAG as one of the rivals.

use fedcdi_core::choice::Params;
use fedcdi_core::{Dataset, ParamsError, Seed};
use fedcdi_learn::{About, LearnError, Observer, TableKind};

use super::FedDagParams;
use crate::registry::Rival;
use crate::rival_fit::{RivalFit, WeightKind, Weights};

impl Params for FedDagParams {
    const NAME: &str = "feddag";
    const SUMMARY: &str =
        "FedDAG (Gao et al. 2023): networks under a shared mask, acyclic by constraint";

    fn check(&self) -> Result<(), ParamsError> {
        self.clone().check().map(drop)
    }
}

impl Rival for FedDagParams {
    fn find(
        &self,
        sites: &[Dataset],
        seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<RivalFit, LearnError> {
        let fit = self.clone().check()?.fit(sites, seed, observer);
        let fit = fit.map_err(|error| match error {
            // The only site there is needs no name.
            LearnError::AtClient { error, .. } if sites.len() == 1 => *error,
            error => error,
        })?;
        Ok(RivalFit {
            n_removed: fit.n_removed,
            weights: Some(Weights {
                kind: WeightKind::Mask,
                values: fit.probabilities,
            }),
            ..RivalFit::of_graph(fit.dag, sites, fit.stop_reason)
        })
    }

    fn sent(&self) -> Option<&'static str> {
        Some(
            "After every few steps, the weights of the mask (and its networks, where the settings share all), and once how many rows these are from.",
        )
    }

    fn about(&self) -> About {
        About {
            title: "FedDAG",
            does: "networks under a mask that clients share; ours also uses interventional rows",
            needs: "rows that leave each variable alone",
            kinds: &[TableKind::Categorical, TableKind::Real],
            reference: "Gao et al. 2023",
        }
    }

    fn cost(&self) -> f64 {
        50.0
    }
}
