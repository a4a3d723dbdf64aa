//! Graph fitting: sampled graphs are compared on interventional rows, and the logits follow.
//!
//! Paper: ENCO section 3.3.
//!
//! | paper | code |
//! |---|---|
//! | S sampled graphs | [`EncoParams::graphs`] |
//! | one update of gamma and theta | [`GraphFit::step`] |
//!
//! Within a step every variable is worked on independently: its own column of the sampled graphs,
//! its own network. A column in which all samples coincide has no valid difference and is skipped,
//! and so are the targets. Between steps the logits change, so the cores meet once per step.

use fedcdi_core::{Belief, Seed};
use ndarray::Array2;
use rayon::prelude::*;

use super::choices::Estimator;
use super::confounder::Confounders;
use super::gradient::{EdgeGradient, separated_pairs};
use super::logits::EdgeLogits;
use super::optimiser::OrientationAdam;
use super::params::EncoParams;
use super::prior::PriorTerm;
use super::regression::{Expected, Regression};
use crate::fit::conditional::{Conditional, Scratch};
use crate::fit::logit_adam::{Correction, LogitAdam};
use crate::fit::pool::Pool;
use crate::fit::sampled_sets::SampledSets;
use crate::fit::samples::{Batch, Samples};
use crate::fit::setup::Setup;
use crate::nn::AdamParams;

/// Parent sets that one worker evaluates in a row.
const SETS_PER_TASK: usize = 24;

#[derive(Debug)]
struct Column {
    sampled: SampledSets,
    expected: Expected,
}

#[derive(Debug)]
pub(crate) struct GraphFit {
    columns: Vec<Column>,
    estimates: Pool<Regression>,
    /// `[effect, cause]`.
    differences: Vec<Vec<Option<f64>>>,
    separated: Array2<bool>,
    sparsity: Vec<f64>,
    prior: PriorTerm,
    existence: LogitAdam,
    orientation: OrientationAdam,
    /// Of steps on observational rows: many small moves must not take the rare large ones along.
    /// `None` where they do not orient.
    observed: Option<OrientationAdam>,
    gradient: Array2<f64>,
    pulls: Vec<((usize, usize), f64, f64)>,
}

impl GraphFit {
    /// Optimisers at rest, at the learning rates of `round` (from 0), which was given `prior`.
    pub(crate) fn new(
        params: &EncoParams,
        samples: &Samples,
        (round, prior): (usize, &Belief),
        seed: &Seed,
    ) -> Self {
        let n_vars = samples.n_vars();
        let factor = params.rate_factor(round);
        let observational =
            params.observational_factor(samples.observational().len(), samples.rows_per_regime());
        let fading = factor * EncoParams::observational_rate_factor(round);
        let existence = AdamParams {
            beta2: 0.9,
            ..AdamParams::at(params.existence_rate * factor)
        };
        let turning = |rate| OrientationAdam::new(n_vars, rate, params.orientation_epsilon);
        let column = |effect| Column {
            sampled: SampledSets::new(effect, n_vars, &seed.derive("graphs", effect)),
            expected: Expected::none(n_vars),
        };
        Self {
            estimates: Pool::default(),
            columns: (0..n_vars).map(column).collect(),
            differences: vec![vec![None; n_vars]; n_vars],
            separated: separated_pairs(n_vars, samples.interventional()),
            sparsity: params.sparsity_of(samples),
            prior: PriorTerm::new(params.prior_loss, prior),
            existence: LogitAdam::of(n_vars, existence, Correction::Bias),
            orientation: turning(params.orientation_rate * factor),
            observed: (observational > 0.0)
                .then(|| turning(params.orientation_rate * observational * fading)),
            gradient: Array2::zeros((n_vars, n_vars)),
            pulls: Vec::new(),
        }
    }

    /// One update of the logits from a batch taken while `targets` were intervened on.
    pub(crate) fn step(
        &mut self,
        setup: &Setup<EncoParams>,
        conditionals: &[Conditional],
        logits: &mut EdgeLogits,
        (batch, targets): (&Batch, &[usize]),
        mut confounders: Option<&mut Confounders>,
    ) {
        self.compare(setup, conditionals, logits, (batch, targets));
        let gradient = EdgeGradient {
            logits,
            rules: &setup.rules,
            differences: &self.differences,
            targets,
            sparsity: &self.sparsity,
            prior: &self.prior,
        };
        let turning = match targets {
            [] => self.observed.as_mut(),
            _ => Some(&mut self.orientation),
        };
        self.pulls.clear();
        if turning.is_some() {
            collect_pulls(&gradient, &self.separated, &mut self.pulls);
        }
        gradient.existence(&mut self.gradient);
        let (existence, rules) = (&mut logits.existence, &setup.rules);
        let note = |at, gradient, scale| {
            if let Some(confounders) = &mut confounders {
                confounders.record(at, targets, gradient, scale);
            }
        };
        self.existence
            .step_noting(existence, &self.gradient, rules, note);
        let Some(adam) = turning else { return };
        for &(pair, gradient, factor) in &self.pulls {
            adam.step(logits, pair, gradient, factor);
        }
    }

    /// Samples graphs and sets [`Self::differences`].
    fn compare(
        &mut self,
        setup: &Setup<EncoParams>,
        conditionals: &[Conditional],
        logits: &EdgeLogits,
        (batch, targets): (&Batch, &[usize]),
    ) {
        let (params, samples) = (&setup.params, &setup.samples);
        let estimates = &self.estimates;
        let columns = self.columns.par_iter_mut().zip(&mut self.differences);
        columns.with_max_len(1).for_each(|(column, found)| {
            let sampled = &mut column.sampled;
            let effect = sampled.effect;
            found.fill(None);
            if targets.contains(&effect) {
                return;
            }
            sampled.believe(|cause| logits.probability(cause, effect));
            sampled.sample(params.graphs);
            if sampled.sets.len() < 2 {
                return;
            }
            let workers = (&setup.scratch, || Scratch::new(samples, params.batch));
            sampled.evaluate(&conditionals[effect], batch, workers, SETS_PER_TASK);
            let SampledSets { sets, nll, .. } = sampled;
            estimates.with(Regression::default, |estimates| match params.estimator {
                Estimator::Difference => estimates.means.differences(sets, nll, found),
                Estimator::Regression => {
                    estimates.differences(sets, nll, &mut column.expected, found);
                }
            });
        });
    }
}

/// Orientation gradients of all informed pairs, with their learning-rate factor.
fn collect_pulls(
    gradient: &EdgeGradient<'_>,
    separated: &Array2<bool>,
    pulls: &mut Vec<((usize, usize), f64, f64)>,
) {
    let n_vars = gradient.logits.n_vars();
    for i in 0..n_vars {
        for j in i + 1..n_vars {
            if let Some(factor) = gradient.informed((i, j), separated) {
                pulls.push(((i, j), gradient.orientation((i, j)), factor));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fedcdi_core::{DatasetBuilder, Regime, Schema, VarId, Variable};

    use super::*;

    /// Two variables, observed and under an intervention on the first; rows so few that observational
    /// ones orient too.
    fn samples() -> Samples {
        let variables = ["a", "b"].map(|name| Variable::with_codes(name, 2));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(schema, 6004);
        for row in 0..6000u16 {
            let codes = [row % 2, row / 2 % 2];
            builder.push(&codes, &Regime::Observational).unwrap();
        }
        for row in 0..4 {
            let regime = Regime::intervened([VarId(0)]);
            builder.push(&[row % 2, 0], &regime).unwrap();
        }
        Samples::new(&builder.finish().unwrap())
    }

    #[test]
    fn rates_are_those_of_the_round() {
        let params = EncoParams {
            full_rate_rounds: 2,
            ..EncoParams::default()
        };
        let nothing = Belief::uninformed(2);
        let prior = |round| (round, &nothing);
        let rates = |round| {
            let fit = GraphFit::new(&params, &samples(), prior(round), &Seed::new(0));
            let observed = fit.observed.expect("observational rows orient here").rate();
            [fit.existence.rate(), fit.orientation.rate(), observed]
        };
        let [first, fourth] = [rates(0), rates(3)];
        // The third and fourth round are the first and second after the two at full rate: a half, a
        // third. Observational rows have three: a half on top.
        let factors = [0, 1, 2].map(|k| fourth[k] / first[k]);
        for (factor, expected) in factors.iter().zip([1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0]) {
            assert!((factor - expected).abs() < 1e-12, "{factors:?}");
        }
    }
}
