//! What settings come to where rows are few or a variable is real ([`EncoParams::adapt`]).
//!
//! Few rows are too few in most regimes ([`EncoParams::few_interventions`]), or fewer observational
//! ones than [`ENOUGH_TRAINING_ROWS`]. There few sampled graphs add to the noise, and elsewhere many
//! cost time.
//!
//! The likelihood of a real number has a larger range than that of a category, and so have the gains
//! of edges that only make up for what a network has not learned.

use super::choices::{Holdout, WeightDecay};
use super::params::EncoParams;
use crate::fit::samples::{RegimeSamples, Samples};

/// A regime has enough rows with this many for every value of its target; a real one counts as ten.
const ENOUGH_ROWS_PER_VALUE: usize = 5;

/// With fewer rows than this to train on, networks take fewer steps, and orientation smaller ones.
const ENOUGH_TRAINING_ROWS: usize = 1500;

impl EncoParams {
    pub(crate) fn weight_decay_for(&self, n_observational: usize) -> f64 {
        match self.weight_decay {
            WeightDecay::PerRow(c) => (c / n_observational.max(1) as f64).min(6e-3),
            WeightDecay::Fixed(decay) => decay,
        }
    }

    /// Whether most regimes have fewer rows than enough.
    pub(crate) fn few_interventions(samples: &Samples) -> bool {
        let values = |target: &usize| {
            if samples.is_real(*target) {
                10
            } else {
                samples.n_categories(*target)
            }
        };
        let few = |regime: &&RegimeSamples| {
            let values = regime.targets.iter().map(values).max().unwrap_or(0);
            regime.samples.len() < ENOUGH_ROWS_PER_VALUE * values
        };
        let regimes = samples.interventional();
        regimes.is_empty() || regimes.iter().filter(few).count() > regimes.len() / 2
    }

    /// Share of graph-fitting steps on held-out observational rows.
    ///
    /// With few rows per target the gain of an edge is mostly noise, and held-out observational
    /// rows measure it as well; for orientation see [`Self::observational_factor`].
    pub(crate) fn holdout_share(&self, samples: &Samples) -> f64 {
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
    pub(crate) fn at(mut self, samples: &Samples) -> Self {
        let few_observations = samples.observational().len() < ENOUGH_TRAINING_ROWS;
        if self.adapt && (few_observations || Self::few_interventions(samples)) {
            self.graphs *= 2;
            if self.holdout_share(samples) == 0.0 {
                self.orientation_rate *= 1.0 / 3.0;
            }
        }
        self
    }

    /// Learning-rate factor of orientation in steps on observational rows, with this many of them,
    /// and this many interventional ones in the median regime.
    ///
    /// The fewer interventional rows there are (from three on), the less they contradict; the fewer
    /// observational ones (below 5000), the more the errors of the networks tell equivalent graphs
    /// apart. Without interventional rows nothing is oriented.
    pub(crate) fn observational_factor(
        &self,
        n_observational: usize,
        rows_per_regime: usize,
    ) -> f64 {
        let trust = (n_observational as f64 / 5000.0).min(1.0);
        match rows_per_regime {
            0 => 0.0,
            rows => trust * self.observational_weight / rows.max(3) as f64,
        }
    }

    /// Distribution-fitting steps per epoch of `round` (from 0) with this many training rows.
    pub(crate) fn model_steps_in(&self, round: usize, n_rows: usize) -> usize {
        let (steps, factor) = match round {
            0 => (self.model_steps, 0.5),
            _ => (self.later_model_steps, 0.75),
        };
        if self.adapt && n_rows < ENOUGH_TRAINING_ROWS {
            ((steps as f64 * factor).ceil() as usize).max(1)
        } else {
            steps
        }
    }

    /// As [`Self::model_steps_in`], for the network of a real variable.
    pub(crate) fn real_model_steps_in(&self, round: usize, n_rows: usize) -> usize {
        let factor = if self.adapt { 2 } else { 1 };
        factor * self.model_steps_in(round, n_rows)
    }

    pub(crate) fn sparsity_of(&self, samples: &Samples) -> Vec<f64> {
        let real = if self.adapt { 7.5 } else { 1.0 };
        let factor = |effect| if samples.is_real(effect) { real } else { 1.0 };
        let effects = 0..samples.n_vars();
        effects.map(|e| self.sparsity * factor(e)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fedcdi_core::{Column, Dataset, DatasetBuilder, Regime, Schema, VarId, Variable};

    use super::*;

    #[test]
    fn few_rows_are_learned_from_with_care() {
        let params = EncoParams {
            orientation_rate: 0.6,
            graphs: 10,
            ..EncoParams::default()
        };
        let at = |observational, per_regime, n_categories| {
            let samples = samples(observational, per_regime, n_categories);
            let settings = params.clone().at(&samples);
            let held_out = params.holdout_share(&samples) > 0.0;
            (settings.orientation_rate, settings.graphs, held_out)
        };
        assert_eq!(at(1500, 50, 10), (0.6, 10, false));
        assert_eq!(at(1499, 50, 10), (0.6 / 3.0, 20, false));
        assert_eq!(at(1500, 49, 10), (0.6, 20, true));
        assert_eq!(at(1499, 49, 10), (0.6, 20, true));
        assert_eq!(at(1500, 15, 3), (0.6, 10, false));
        assert_eq!(at(1500, 14, 3), (0.6, 20, true));
        assert_eq!(at(1500, 0, 3), (0.6, 20, true));
        let never = EncoParams {
            holdout: Holdout::Never,
            ..params.clone()
        };
        assert_eq!(never.at(&samples(1500, 49, 10)).orientation_rate, 0.6 / 3.0);
        let fixed = EncoParams {
            adapt: false,
            ..params
        };
        assert_eq!(fixed.clone().at(&samples(1499, 0, 3)), fixed);
    }

    #[test]
    fn a_real_effect_has_a_larger_penalty_and_more_steps() {
        let variables = vec![Variable::with_codes("a", 2), Variable::real("b")];
        let schema = Arc::new(Schema::new(variables).unwrap());
        let columns = vec![Column::U8(vec![0, 1]), Column::Real(vec![0.5, 1.5])];
        let data = Dataset::new(schema, columns, vec![Regime::Observational], vec![0, 0]);
        let samples = Samples::new(&data.unwrap());
        let ours = EncoParams::default();
        assert_eq!(ours.sparsity_of(&samples), [0.004, 0.03]);
        assert_eq!(ours.real_model_steps_in(0, 1500), 2000);
        let paper = EncoParams::paper();
        assert_eq!(paper.sparsity_of(&samples), [0.004, 0.004]);
        assert_eq!(paper.real_model_steps_in(0, 1500), 1000);
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
            adapt: false,
            ..params
        };
        assert_eq!(steps(&off), [101, 101, 40, 40]);
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
