//! Settings of SDI, their defaults and their ranges.

use fedcdi_core::ParamsError;
use fedcdi_core::choice::Params;
use serde::{Deserialize, Serialize};

/// Which variable an episode takes to be intervened on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Targets {
    /// Those that the data names.
    Known,
    /// The one with the largest mean NLL over this many batches; > 0.
    Predicted(usize),
}

/// Settings of [`Sdi`](super::Sdi).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SdiParams {
    /// Epochs per round, each of functional fitting and episodes; > 0.
    pub epochs: usize,
    /// Samples per batch; > 0.
    pub batch: usize,
    /// Width of the hidden layer; 0 is the authors' 4 max(variables, categories).
    pub hidden: usize,
    /// Functional-fitting steps per epoch; > 0.
    pub model_steps: usize,
    /// Learning rate of the networks, by Adam; > 0.
    pub model_rate: f64,
    /// L2 decay of the networks: this number divided by the observational rows; >= 0, and 0 as
    /// published.
    pub decay_rows: f64,
    /// Episodes per epoch and regime: each is one step of the logits; > 0.
    pub episodes: usize,
    /// Batches of an episode, T; > 0. All T R sets are scored on one batch of rows.
    pub batches: usize,
    /// Parent sets sampled per batch, R; > 1.
    pub configurations: usize,
    /// How many rows' likelihood weighs a parent set, at most as many as the regime has; > 0. The
    /// paper leaves open whether it means a row's or a batch's; the authors' code amounts to R.
    pub sharpness: f64,
    /// Known or predicted targets.
    pub targets: Targets,
    /// Learning rate of the logits, by Adam; > 0.
    pub structure_rate: f64,
    /// Weight of the sum of edge probabilities; >= 0.
    pub sparsity: f64,
    /// Weight of the pairwise term against cycles of two; >= 0.
    pub dag: f64,
    /// Logits are clamped to this; > 0.
    pub max_logit: f64,
}

impl Default for SdiParams {
    fn default() -> Self {
        Self {
            epochs: 2,
            batch: 256,
            hidden: 0,
            model_steps: 500,
            model_rate: 5e-3,
            decay_rows: 6.0,
            episodes: 20,
            batches: 10,
            configurations: 20,
            sharpness: 100.0,
            targets: Targets::Known,
            structure_rate: 2e-2,
            sparsity: 0.1,
            dag: 0.5,
            max_logit: 5.0,
        }
    }
}

impl Params for SdiParams {
    const NAME: &str = "sdi";
    const SUMMARY: &str =
        "SDI (Ke et al. 2019): one logit per edge, parent sets weighed by interventional rows";

    fn check(&self) -> Result<(), ParamsError> {
        for (field, value) in [
            ("epochs", self.epochs),
            ("batch", self.batch),
            ("model_steps", self.model_steps),
            ("episodes", self.episodes),
            ("batches", self.batches),
        ] {
            ParamsError::some(field, value)?;
        }
        let sets = self.configurations;
        ParamsError::require("configurations", sets, "> 1", sets > 1)?;
        if let Targets::Predicted(batches) = self.targets {
            ParamsError::some("targets.predicted", batches)?;
        }
        for (field, value) in [
            ("model_rate", self.model_rate),
            ("structure_rate", self.structure_rate),
            ("sharpness", self.sharpness),
            ("max_logit", self.max_logit),
        ] {
            ParamsError::positive(field, value)?;
        }
        for (field, value) in [
            ("decay_rows", self.decay_rows),
            ("sparsity", self.sparsity),
            ("dag", self.dag),
        ] {
            ParamsError::not_negative(field, value)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_setting_out_of_range_is_named() {
        assert_eq!(SdiParams::default().check(), Ok(()));
        let wrong = SdiParams {
            configurations: 1,
            dag: -1.0,
            ..SdiParams::default()
        };
        let text = wrong.check().unwrap_err().to_string();
        assert!(text.contains("configurations is 1"), "{text}");
        let wrong = SdiParams {
            targets: Targets::Predicted(0),
            ..SdiParams::default()
        };
        let text = wrong.check().unwrap_err().to_string();
        assert!(text.contains("targets.predicted"), "{text}");
    }
}
