//! What settings come to where there are so many rows.

use super::choices::{Holdout, WeightDecay};
use super::params::EncoParams;
use crate::samples::{RegimeSamples, Samples};

impl EncoParams {
    /// Most weight decay that [`WeightDecay::PerRow`] gives, however few rows there are.
    pub const MAX_WEIGHT_DECAY: f64 = 6e-3;

    /// A regime has enough rows with this many for every value of its target.
    pub const ENOUGH_ROWS_PER_VALUE: f64 = 5.0;

    /// From this many on, few rows of an intervention orient as fast as many do.
    pub const ORIENTING_ROWS_PER_VALUE: f64 = 2.0;

    /// As many values as a real target counts for.
    pub const VALUES_OF_REAL: usize = 10;

    /// Fewer observational rows than this orient less, in proportion.
    pub const TRUSTED_ROWS: f64 = 5000.0;

    /// Fewer interventional rows per regime than this give observational rows no more weight.
    pub const FEWEST_ROWS: usize = 3;

    /// With fewer rows than this to train on, networks take fewer steps, and orientation smaller
    /// ones.
    pub const ENOUGH_TRAINING_ROWS: usize = 1500;

    /// Weight decay for this many observational rows.
    pub fn weight_decay_for(&self, n_observational: usize) -> f64 {
        match self.weight_decay {
            WeightDecay::PerRow(c) => {
                (c / n_observational.max(1) as f64).min(Self::MAX_WEIGHT_DECAY)
            }
            WeightDecay::Fixed(decay) => decay,
        }
    }

    /// Rows of an interventional regime per value of its target, in the median regime; 0 without one.
    fn rows_per_value(samples: &Samples) -> f64 {
        let values = |target: &usize| {
            if samples.is_real(*target) {
                Self::VALUES_OF_REAL
            } else {
                samples.n_categories(*target)
            }
        };
        let per_value = |regime: &RegimeSamples| {
            let values = regime.targets.iter().map(values).max().unwrap_or(1);
            regime.samples.len() as f64 / values as f64
        };
        let mut rows: Vec<f64> = samples.interventional().iter().map(per_value).collect();
        rows.sort_unstable_by(f64::total_cmp);
        rows.get(rows.len() / 2).copied().unwrap_or(0.0)
    }

    /// Whether most regimes have fewer rows than enough.
    pub fn few_interventions(samples: &Samples) -> bool {
        Self::rows_per_value(samples) < Self::ENOUGH_ROWS_PER_VALUE
    }

    /// Share of graph-fitting steps on held-out observational rows.
    ///
    /// With few rows per target the gain of an edge is mostly noise, and held-out observational
    /// rows measure it as well; for orientation see [`Self::observational_factor`].
    pub fn holdout_share(&self, samples: &Samples) -> f64 {
        match self.holdout {
            Holdout::Share(share) => share,
            Holdout::Auto if Self::few_interventions(samples) => 0.8,
            Holdout::Never | Holdout::Auto => 0.0,
        }
    }

    /// These settings at a client with these samples.
    #[must_use]
    pub fn at(mut self, samples: &Samples) -> Self {
        if let Some(rate) = self.few_rows_rate(samples) {
            self.orientation_rate *= rate;
            self.graphs = (self.graphs as f64 * self.few_rows.graphs).round() as usize;
        }
        self
    }

    /// What the learning rate of orientation is multiplied by where rows are few.
    ///
    /// Networks of few observational rows tell directions apart that the law does not. Where
    /// interventional rows are few, only the steps that are left to them turn edges (see
    /// [`Self::holdout_share`]), which is caution enough unless there is but a handful per target:
    /// more leaves directions open, and open directions keep false edges alive.
    fn few_rows_rate(&self, samples: &Samples) -> Option<f64> {
        let least = self.few_rows.orientation_rate;
        if Self::few_interventions(samples) {
            let rows = Self::rows_per_value(samples) / Self::ORIENTING_ROWS_PER_VALUE;
            return Some(rows.min(1.0).max(least));
        }
        (samples.observational().len() < Self::ENOUGH_TRAINING_ROWS).then_some(least)
    }

    /// Learning-rate factor of orientation in steps on observational rows, with this many of them,
    /// and this many interventional ones in the median regime.
    ///
    /// The fewer interventional rows there are, the less they contradict; the fewer observational
    /// ones, the more the errors of the networks tell equivalent graphs apart. Without
    /// interventional rows nothing is oriented.
    pub fn observational_factor(&self, n_observational: usize, rows_per_regime: usize) -> f64 {
        let trust = (n_observational as f64 / Self::TRUSTED_ROWS).min(1.0);
        match rows_per_regime {
            0 => 0.0,
            rows => trust * self.observational_weight / rows.max(Self::FEWEST_ROWS) as f64,
        }
    }

    /// Distribution-fitting steps per epoch of `round` (from 0) with this many training rows.
    pub fn model_steps_in(&self, round: usize, n_rows: usize) -> usize {
        let few = n_rows < Self::ENOUGH_TRAINING_ROWS;
        match round {
            0 if few => self.model_steps.div_ceil(2),
            0 => self.model_steps,
            _ if few => (self.later_model_steps * 3).div_ceil(4),
            _ => self.later_model_steps,
        }
    }

    /// As [`Self::model_steps_in`], for the network of a real variable.
    pub fn real_model_steps_in(&self, round: usize, n_rows: usize) -> usize {
        let steps = self.model_steps_in(round, n_rows) as f64 * self.real.model_steps;
        (steps.round() as usize).max(1)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fedcdi_core::{DatasetBuilder, Regime, Schema, VarId, Variable};

    use super::super::choices::FewRows;
    use super::*;

    #[test]
    fn few_rows_are_learned_from_with_care() {
        let params = EncoParams {
            orientation_rate: 0.4,
            graphs: 10,
            few_rows: FewRows {
                orientation_rate: 0.5,
                graphs: 2.0,
            },
            ..EncoParams::default()
        };
        let at = |observational, per_regime, n_categories| {
            let samples = samples(observational, per_regime, n_categories);
            let settings = params.clone().at(&samples);
            let held_out = params.holdout_share(&samples) > 0.0;
            (settings.orientation_rate, settings.graphs, held_out)
        };
        assert_eq!(at(1500, 50, 10), (0.4, 10, false));
        assert_eq!(at(1499, 50, 10), (0.2, 20, false));
        assert_eq!(at(1500, 49, 10), (0.4, 20, true));
        assert_eq!(at(1499, 49, 10), (0.4, 20, true));
        assert_eq!(at(1500, 15, 3), (0.4, 10, false));
        assert_eq!(at(1500, 14, 3), (0.4, 20, true));
        assert_eq!(at(1500, 0, 3), (0.2, 20, true));
    }

    #[test]
    fn a_handful_of_rows_orients_slowly_and_a_few_dozen_do_not() {
        let params = EncoParams {
            orientation_rate: 1.0,
            few_rows: FewRows {
                orientation_rate: 0.25,
                ..FewRows::default()
            },
            ..EncoParams::default()
        };
        let rate = |rows| params.clone().at(&samples(1500, rows, 10)).orientation_rate;
        assert_eq!(
            [2, 5, 10, 15, 20, 40].map(rate),
            [0.25, 0.25, 0.5, 0.75, 1.0, 1.0]
        );
    }

    #[test]
    fn observational_rows_orient_beside_few_interventional_ones() {
        let params = EncoParams {
            observational_weight: 6.0,
            ..EncoParams::default()
        };
        let factors = [0, 1, 3, 12].map(|rows| params.observational_factor(5000, rows));
        assert_eq!(factors, [0.0, 2.0, 2.0, 0.5]);
        assert_eq!(params.observational_factor(1250, 12), 0.125);
        assert_eq!(params.observational_factor(80_000, 12), 0.5);
    }

    /// Two variables of as many categories, one of them intervened on.
    fn samples(observational: usize, interventional: usize, n_categories: usize) -> Samples {
        let variables = ["a", "b"].map(|name| Variable::with_codes(name, n_categories));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(schema, observational + interventional);
        for _ in 0..observational {
            builder.push(&[0, 0], &Regime::Observational).unwrap();
        }
        let on_first = Regime::intervened([VarId(0)]);
        for _ in 0..interventional {
            builder.push(&[0, 0], &on_first).unwrap();
        }
        Samples::new(&builder.finish().unwrap())
    }
}
