//! Settings of ENCO, their defaults and their ranges.

use fedcdi_core::ParamsError;
use fedcdi_core::choice::Params;
use serde::{Deserialize, Serialize};

use super::choices::{Estimator, Holdout, PriorLoss, Start, WeightDecay};

/// Settings of [`Enco`](super::Enco).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EncoParams {
    /// Epochs per round, each of distribution and graph fitting; > 0.
    pub epochs: usize,
    /// Samples per step; > 0.
    pub batch: usize,
    /// Widths of the hidden activations; at least one, all > 0.
    pub hidden: Vec<usize>,
    /// Distribution-fitting steps per epoch in the first round; > 0.
    pub model_steps: usize,
    /// Distribution-fitting steps per epoch in later rounds; > 0.
    pub later_model_steps: usize,
    /// Learning rate of the networks, by Adam; > 0.
    pub model_rate: f64,
    /// L2 decay of the networks.
    pub weight_decay: WeightDecay,
    /// Graph-fitting steps per epoch: this many, but at least [`Self::graph_steps_per_target`]
    /// for every target; > 0.
    pub graph_steps: usize,
    /// See [`Self::graph_steps`].
    pub graph_steps_per_target: usize,
    /// Graphs sampled per graph-fitting step; > 1.
    pub graphs: usize,
    /// How these graphs are made use of.
    pub estimator: Estimator,
    /// Whether settings follow the data: other numbers of steps and graphs where rows are few
    /// (`by_rows`), more steps and a larger penalty where an effect is real.
    /// Without, they are the same whatever the data, as in ENCO.
    pub adapt: bool,
    /// Learning rate of existence; > 0.
    pub existence_rate: f64,
    /// Learning rate of orientation; > 0.
    pub orientation_rate: f64,
    /// Rounds at these rates; in the ones that follow they are divided by 2, 3, 4 and so on, so
    /// that what the fresh networks of a round happen to say averages out. 0: never divided, as in
    /// ENCO.
    pub full_rate_rounds: usize,
    /// Gradients of orientation well below this move it in proportion to their size, larger ones by
    /// whole steps; > 0. With ENCO's 1e-8 noise moves a pair as fast as evidence does, and clients
    /// with few rows turn it into opinions as strong as those of clients who know.
    pub orientation_epsilon: f64,
    /// `lambda_sparse` of the paper: penalty per expected edge into a categorical variable; >= 0.
    /// Into a real one it is 7.5 times as large if [`Self::adapt`] is set.
    pub sparsity: f64,
    /// Observational rows in graph fitting.
    pub holdout: Holdout,
    /// How much observational rows orient where they are used, against this many interventional
    /// rows per regime; >= 0. 0, as in ENCO: only interventional rows orient. See
    /// `Self::observational_factor`.
    pub observational_weight: f64,
    /// Initialisation from the prior.
    pub start: Start,
    /// Prior term of the loss.
    pub prior_loss: PriorLoss,
    /// Keep scores of latent confounders.
    pub confounders: bool,
}

impl Default for EncoParams {
    fn default() -> Self {
        Self {
            epochs: 2,
            batch: 64,
            hidden: vec![32, 32],
            model_steps: 1000,
            later_model_steps: 400,
            model_rate: 5e-3,
            weight_decay: WeightDecay::PerRow(6.0),
            graph_steps: 100,
            graph_steps_per_target: 5,
            graphs: 20,
            estimator: Estimator::Regression,
            adapt: true,
            existence_rate: 2e-2,
            orientation_rate: 0.3,
            full_rate_rounds: 4,
            orientation_epsilon: 0.03,
            sparsity: 4e-3,
            holdout: Holdout::Auto,
            observational_weight: 1.0 / 3.0,
            start: Start::Logits,
            prior_loss: PriorLoss::None,
            confounders: false,
        }
    }
}

impl Params for EncoParams {
    const NAME: &str = "enco";
    const SUMMARY: &str =
        "ENCO (Lippe et al. 2022): existence and orientation, compared on interventional rows";

    fn check(&self) -> Result<(), ParamsError> {
        for (field, value) in [
            ("epochs", self.epochs),
            ("batch", self.batch),
            ("model_steps", self.model_steps),
            ("later_model_steps", self.later_model_steps),
            ("graph_steps", self.graph_steps),
        ] {
            ParamsError::some(field, value)?;
        }
        ParamsError::require("batch", self.batch, "at most 65536", self.batch <= 65_536)?;
        self.check_graphs()?;
        ParamsError::widths("hidden", &self.hidden)?;
        self.check_numbers()
    }
}

impl EncoParams {
    /// More graphs need gigabytes; the time of the regression grows with their cube.
    fn check_graphs(&self) -> Result<(), ParamsError> {
        let (most, need) = match self.estimator {
            Estimator::Difference => (50_000, "> 1 and at most 50000"),
            Estimator::Regression => (
                1_000,
                "> 1 and at most 1000, or more with estimator = \"difference\"",
            ),
        };
        let fine = (2..=most).contains(&self.graphs);
        ParamsError::require("graphs", self.graphs, need, fine)
    }

    fn check_numbers(&self) -> Result<(), ParamsError> {
        for (field, value) in [
            ("model_rate", self.model_rate),
            ("existence_rate", self.existence_rate),
            ("orientation_rate", self.orientation_rate),
            ("orientation_epsilon", self.orientation_epsilon),
        ] {
            ParamsError::positive(field, value)?;
        }
        ParamsError::not_negative("sparsity", self.sparsity)?;
        ParamsError::not_negative("observational_weight", self.observational_weight)?;
        if let Holdout::Share(value) = self.holdout {
            ParamsError::share("holdout", value)?;
        }
        let (WeightDecay::PerRow(decay) | WeightDecay::Fixed(decay)) = self.weight_decay;
        ParamsError::not_negative("weight_decay", decay)?;
        if let PriorLoss::Log(lambda) = self.prior_loss {
            ParamsError::not_negative("prior_loss", lambda)?;
        }
        Ok(())
    }

    /// What the learning rates of existence and orientation are multiplied by in `round` (from 0).
    pub(crate) fn rate_factor(&self, round: usize) -> f64 {
        falling(self.full_rate_rounds, round)
    }

    /// What [`Self::observational_weight`] is multiplied by in `round` (from 0), beside
    /// [`Self::rate_factor`]: three rounds are at the full weight. What observational rows say of equivalent graphs is the error of the
    /// networks, the same from round to round: it must not outweigh few interventions in the end.
    pub(crate) fn observational_rate_factor(round: usize) -> f64 {
        falling(3, round)
    }

    pub(crate) fn graph_steps_for(&self, n_targets: usize) -> usize {
        self.graph_steps
            .max(self.graph_steps_per_target * n_targets)
    }
}

/// 1 in the first `full` rounds, then a half, a third and so on; always 1 if `full` is 0.
fn falling(full: usize, round: usize) -> f64 {
    match full {
        0 => 1.0,
        full => 1.0 / ((round + 2).saturating_sub(full).max(1)) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Local;

    #[test]
    fn settings_out_of_range_are_named() {
        let refuse = |params: EncoParams| params.check().unwrap_err().field;
        let base = EncoParams::default();
        assert!(base.check().is_ok());
        assert_eq!(
            refuse(EncoParams {
                batch: 0,
                ..base.clone()
            }),
            "batch"
        );
        assert_eq!(
            refuse(EncoParams {
                graphs: 1,
                ..base.clone()
            }),
            "graphs"
        );
        assert_eq!(
            refuse(EncoParams {
                hidden: vec![],
                ..base.clone()
            }),
            "hidden"
        );
        assert_eq!(
            refuse(EncoParams {
                sparsity: -1.0,
                ..base.clone()
            }),
            "sparsity"
        );
        assert_eq!(
            refuse(EncoParams {
                holdout: Holdout::Share(1.5),
                ..base.clone()
            }),
            "holdout"
        );
        assert_eq!(
            refuse(EncoParams {
                existence_rate: f64::NAN,
                ..base
            }),
            "existence_rate"
        );
    }

    #[test]
    fn what_would_stay_with_its_site_is_refused() {
        assert_eq!(EncoParams::default().check_for_federation(), Ok(()));
        let refused = |change: fn(&mut EncoParams)| {
            let mut params = EncoParams::default();
            change(&mut params);
            params.check_for_federation().unwrap_err().field
        };
        assert_eq!(refused(|p| p.confounders = true), "confounders");
    }

    #[test]
    fn rates_fall_after_the_rounds_at_full_rate() {
        let factors = |full_rate_rounds| {
            let params = EncoParams {
                full_rate_rounds,
                ..EncoParams::default()
            };
            [0, 1, 2, 3].map(|round| params.rate_factor(round))
        };
        assert_eq!(factors(0), [1.0; 4]);
        assert_eq!(factors(1), [1.0, 1.0 / 2.0, 1.0 / 3.0, 1.0 / 4.0]);
        assert_eq!(factors(3), [1.0, 1.0, 1.0, 1.0 / 2.0]);
    }
}
