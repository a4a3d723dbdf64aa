//! What settings come to where there are so many rows.

use super::choices::{Holdout, WeightDecay};
use super::params::EncoParams;
use crate::fit::samples::{RegimeSamples, Samples};

impl EncoParams {
    /// Most weight decay that [`WeightDecay::PerRow`] gives, however few rows there are.
    pub const MAX_WEIGHT_DECAY: f64 = 6e-3;

    /// A regime has enough rows with this many for every value of its target.
    pub const ENOUGH_ROWS_PER_VALUE: usize = 5;

    /// As many values as a real target counts for.
    pub const VALUES_OF_REAL: usize = 10;

    /// Fewer observational rows than this orient less, in proportion.
    pub const TRUSTED_ROWS: f64 = 5000.0;

    /// Fewer interventional rows per regime than this give observational rows no more weight.
    pub const FEWEST_ROWS: usize = 3;

    /// With fewer rows than this to train on, networks take fewer steps, and orientation smaller
    /// ones ([`FewRows`](super::FewRows)).
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

    /// Whether most regimes have fewer rows than enough.
    pub fn few_interventions(samples: &Samples) -> bool {
        let values = |target: &usize| {
            if samples.is_real(*target) {
                Self::VALUES_OF_REAL
            } else {
                samples.n_categories(*target)
            }
        };
        let few = |regime: &&RegimeSamples| {
            let values = regime.targets.iter().map(values).max().unwrap_or(0);
            regime.samples.len() < Self::ENOUGH_ROWS_PER_VALUE * values
        };
        let regimes = samples.interventional();
        regimes.is_empty() || regimes.iter().filter(few).count() > regimes.len() / 2
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
    ///
    /// Orientation follows noise where rows are few, and takes smaller steps; but where steps on
    /// held-out rows leave it few steps, that is care enough. More leaves directions open, and open
    /// directions keep false edges alive.
    #[must_use]
    pub fn at(mut self, samples: &Samples) -> Self {
        let few_observations = samples.observational().len() < Self::ENOUGH_TRAINING_ROWS;
        if few_observations || Self::few_interventions(samples) {
            self.graphs = (self.graphs as f64 * self.few_rows.graphs).round() as usize;
            if self.holdout_share(samples) == 0.0 {
                self.orientation_rate *= self.few_rows.orientation_rate;
            }
        }
        self
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
        let (steps, factor) = match round {
            0 => (self.model_steps, self.few_rows.model_steps),
            _ => (self.later_model_steps, self.few_rows.later_model_steps),
        };
        if n_rows < Self::ENOUGH_TRAINING_ROWS {
            ((steps as f64 * factor).ceil() as usize).max(1)
        } else {
            steps
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
                ..FewRows::default()
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
        assert_eq!(at(1500, 0, 3), (0.4, 20, true));
        let never = EncoParams {
            holdout: Holdout::Never,
            ..params.clone()
        };
        assert_eq!(never.at(&samples(1500, 49, 10)).orientation_rate, 0.2);
    }

    #[test]
    fn decay_is_by_rows_up_to_a_limit_or_fixed_whatever_the_rows() {
        let decays = |weight_decay| {
            let params = EncoParams {
                weight_decay,
                ..EncoParams::default()
            };
            [10, 1000, 10_000].map(|rows| params.weight_decay_for(rows))
        };
        // 6 / 10 is above the limit of 0.006, 6 / 1000 is at it.
        assert_eq!(decays(WeightDecay::PerRow(6.0)), [0.006, 0.006, 0.0006]);
        assert_eq!(decays(WeightDecay::Fixed(0.05)), [0.05; 3]);
    }

    #[test]
    fn networks_take_fewer_steps_on_few_rows() {
        let steps = |params: &EncoParams| {
            let at = |round, rows| params.model_steps_in(round, rows);
            [at(0, 1500), at(0, 1499), at(1, 1500), at(1, 1499)]
        };
        let params = EncoParams {
            model_steps: 101,
            later_model_steps: 40,
            ..EncoParams::default()
        };
        // A half, rounded up, and three quarters.
        assert_eq!(steps(&params), [101, 51, 40, 30]);
        let off = EncoParams {
            few_rows: FewRows::OFF,
            ..params.clone()
        };
        assert_eq!(steps(&off), [101, 101, 40, 40]);
        let own = EncoParams {
            few_rows: FewRows {
                model_steps: 0.1,
                later_model_steps: 2.0,
                ..FewRows::OFF
            },
            ..params
        };
        assert_eq!(steps(&own), [101, 11, 40, 80]);
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
