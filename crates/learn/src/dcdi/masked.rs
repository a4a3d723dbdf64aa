//! One variable's network under a mask drawn for every sample, and the gradient of the mask.
//!
//! Paper: DCDI appendix B.1 (straight-through Gumbel).
//!
//! | paper | code |
//! |---|---|
//! | soft mask `sigma(Lambda + log u - log(1 - u))` | `soft_slopes` has its derivative |
//! | hard mask, `[soft > 1/2]` | a draw below [`Mask::thresholds`] |
//! | dL/dM_i = `<dL/dh0, x_i E[i]>`, on or off | [`add_mask_gradient`](crate::nn::embedding::add_mask_gradient) |
//! | dL/dLambda_i = dL/dM_i times the soft derivative | [`MaskedNetwork::mask_gradient`] |

use fedcdi_core::Seed;

use crate::fit::draws::{ALWAYS, Draws, threshold};
use crate::nn::simd::dispatched;
use crate::nn::{AdamStep, RowLists};
use crate::predict::head::GaussianHead;
use crate::predict::{Inputs, Predictor, PredictorScratch};

/// Slope of the leaky `ReLU` in DCDI's networks.
const SLOPE: f32 = 0.01;

/// Rows per pass where a likelihood is all that is asked for.
const BLOCK: usize = 256;

/// The edges into one variable as a source of masks.
#[derive(Clone, Debug)]
pub(crate) struct Mask {
    /// Draws below are edges, `[cause]`.
    pub thresholds: Vec<u32>,
    /// `exp(-Lambda)`, `[cause]`.
    odds: Vec<f32>,
}

impl Mask {
    pub(crate) fn new(n_vars: usize) -> Self {
        Self {
            thresholds: vec![0; n_vars],
            odds: vec![f32::INFINITY; n_vars],
        }
    }

    pub(crate) fn set(&mut self, cause: usize, logit: f64, probability: f64) {
        self.thresholds[cause] = threshold(probability);
        self.odds[cause] = (-logit).exp() as f32;
    }
}

dispatched! {
    /// Derivatives of the soft masks by the logits, `[cause]`, for one draw each, given the odds of
    /// a [`Mask`]. With v = 1 - u uniform the soft mask is `(1 - v) / (1 - v + exp(-Lambda) v)`, without a
    /// logarithm.
    fn soft_slopes(odds: &[f32], draws: &[u32], slopes: &mut [f32]) {
        let _ = FMA;
        for ((slope, &odds), &draw) in slopes.iter_mut().zip(odds).zip(draws) {
            // Draws have 31 bits; signed ones are faster to convert.
            let v = (draw.cast_signed() as f32 + 0.5) / ALWAYS as f32;
            let (on, off) = (1.0 - v, odds * v);
            let sum = on + off;
            let quotient = on * off / (sum * sum);
            // Overflown odds belong to an edge that cannot be.
            *slope = if quotient.is_finite() { quotient } else { 0.0 };
        }
    }
}

#[derive(Debug)]
pub(crate) struct MaskedScratch {
    passes: PredictorScratch,
    /// `[sample, cause]`.
    draws: Vec<u32>,
}

impl MaskedScratch {
    pub(crate) fn new(inputs: &Inputs) -> Self {
        Self {
            passes: PredictorScratch::new(inputs.n_vars, inputs.is_weighted()),
            draws: Vec::new(),
        }
    }

    /// Lists the inputs of `samples` that left `variable` alone, each under its own mask.
    fn list(
        &mut self,
        inputs: &Inputs,
        samples: &[u32],
        variable: usize,
        (mask, draws): (&Mask, &mut Draws),
    ) {
        let n_vars = inputs.n_vars;
        self.draws.resize(samples.len() * n_vars, 0);
        let push = |lists: &mut RowLists, number: usize, sample| {
            let drawn = &mut self.draws[number * n_vars..][..n_vars];
            draws.fill(drawn);
            let rows = inputs.rows(sample);
            match inputs.weights(sample) {
                None => lists.push_sampled(rows, drawn, &mask.thresholds),
                Some(weights) => {
                    let limits = drawn.iter().zip(&mask.thresholds);
                    for ((row, weight), (draw, limit)) in rows.iter().zip(weights).zip(limits) {
                        if draw < limit {
                            lists.push_weighted(*row, *weight);
                        }
                    }
                }
            }
        };
        self.passes.list(inputs, samples, variable, push);
    }
}

#[derive(Debug)]
pub(crate) struct MaskedNetwork {
    variable: usize,
    pub predictor: Predictor,
    draws: Draws,
    held_out_draws: Draws,
    /// dL/dLambda of every cause, from the last [`Self::fit`].
    pub mask_gradient: Vec<f64>,
    /// Sum of the NLL over the samples of the last call.
    pub nll: f64,
}

impl MaskedNetwork {
    pub(crate) fn new(inputs: &Inputs, variable: usize, hidden: &[usize], seed: &Seed) -> Self {
        let head = inputs.head(variable, GaussianHead::default());
        let mut start = Draws::new(&seed.derive("network", variable));
        Self {
            variable,
            predictor: Predictor::new(inputs, variable, head, (hidden, SLOPE), start.rng()),
            draws: Draws::new(&seed.derive("masks", variable)),
            held_out_draws: Draws::new(&seed.derive("held-out masks", variable)),
            mask_gradient: vec![0.0; inputs.n_vars],
            nll: 0.0,
        }
    }

    /// One optimiser step on the mean NLL of a batch, in which samples that intervened on the
    /// variable count as 0.
    pub(crate) fn fit(
        &mut self,
        mask: &Mask,
        (inputs, samples): (&Inputs, &[u32]),
        step: &AdamStep,
        scratch: &mut MaskedScratch,
    ) {
        scratch.list(inputs, samples, self.variable, (mask, &mut self.draws));
        let MaskedScratch { passes, draws } = scratch;
        let n_vars = inputs.n_vars;
        let weigh = |number: usize, sample, slopes: &mut [f32]| {
            soft_slopes(&mask.odds, &draws[number * n_vars..][..n_vars], slopes);
            if let Some(values) = inputs.weights(sample) {
                slopes.iter_mut().zip(values).for_each(|(s, v)| *s *= v);
            }
        };
        let batch = (inputs, samples.len());
        let gradient = &mut self.mask_gradient;
        self.nll = self.predictor.fit(batch, step, passes, gradient, weigh);
        self.mask_gradient[self.variable] = 0.0;
    }

    /// Sets [`Self::nll`] to the sum over held-out `samples`, each under its own mask.
    pub(crate) fn validate(
        &mut self,
        mask: &Mask,
        inputs: &Inputs,
        samples: &[u32],
        scratch: &mut MaskedScratch,
    ) {
        self.nll = 0.0;
        for block in samples.chunks(BLOCK) {
            let draws = (mask, &mut self.held_out_draws);
            scratch.list(inputs, block, self.variable, draws);
            if !scratch.passes.samples.is_empty() {
                self.nll += self.predictor.loss(&mut scratch.passes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::samples::Samples;
    use crate::nn::AdamParams;
    use crate::predict::HeadChoice;
    use crate::predict::test_data::twenty_rows;
    use fedcdi_core::belief::sigmoid;

    #[test]
    fn the_slope_is_that_of_the_soft_mask_whose_half_is_the_threshold() {
        for logit in [-2.0, 0.0, 1.5] {
            let mut mask = Mask::new(1);
            mask.set(0, logit, sigmoid(logit));
            for draw in [1 << 20, 1 << 29, 1 << 30, (1 << 31) - (1 << 20)] {
                // A draw is 1 - u of the paper.
                let u = 1.0 - (f64::from(draw) + 0.5) / f64::from(ALWAYS);
                let soft = |logit: f64| sigmoid(logit + u.ln() - (1.0 - u).ln());
                let quotient = (soft(logit + 1e-5) - soft(logit - 1e-5)) / 2e-5;
                let mut found = [0.0];
                soft_slopes(&mask.odds, &[draw], &mut found);
                let found = f64::from(found[0]);
                assert!((quotient - found).abs() < 1e-4, "{logit} {draw}");
                assert_eq!(draw < mask.thresholds[0], soft(logit) > 0.5);
            }
        }
    }

    fn inputs() -> Inputs {
        Inputs::of(&Samples::new(&twenty_rows()), HeadChoice::Codes)
    }

    /// Mean NLL of the samples left alone under masks given as weights, `[sample][cause]`.
    fn nll(network: &mut MaskedNetwork, inputs: &Inputs, masks: &[(u32, Vec<f32>)]) -> f64 {
        let mut passes = PredictorScratch::new(3, true);
        for (sample, mask) in masks {
            let values = inputs.weights(*sample).unwrap();
            for (cause, on) in mask.iter().enumerate() {
                passes.lists.push_weighted(cause as u32, on * values[cause]);
            }
            passes.lists.finish_list();
            passes.observed.push(inputs.observed(*sample, 2));
        }
        network.predictor.loss(&mut passes) / inputs.n_samples() as f64
    }

    #[test]
    fn the_mask_gradient_goes_straight_through() {
        let inputs = inputs();
        let new = || {
            let mut network = MaskedNetwork::new(&inputs, 2, &[8], &Seed::new(4));
            // Without a bias, an empty mask sits on the kink of the leaky `ReLU`.
            let embedding = &mut network.predictor.network.embedding;
            for (k, bias) in embedding.bias.iter_mut().enumerate() {
                *bias = 0.3 * (k as f32 + 1.0).sin();
            }
            network
        };
        let (mut network, mut before) = (new(), new());
        let mut mask = Mask::new(3);
        for (cause, logit) in [(0, 0.4), (1, -0.7)] {
            mask.set(cause, logit, sigmoid(logit));
        }
        let mut scratch = MaskedScratch::new(&inputs);
        let samples: Vec<u32> = (0..20).collect();
        let step = AdamParams::at(5e-3).step(1, 0.0);
        network.fit(&mask, (&inputs, &samples), &step, &mut scratch);
        assert_eq!(
            scratch.passes.samples.len(),
            15,
            "R leaves out what was intervened on"
        );
        let draw = |at: usize, cause: usize| scratch.draws[at * 3 + cause];
        let on = |at, cause| f32::from(u8::from(draw(at, cause) < mask.thresholds[cause]));
        let drawn = scratch.passes.samples.iter().enumerate();
        let masks: Vec<(u32, Vec<f32>)> = drawn
            .map(|(at, sample)| (*sample, (0..3).map(|cause| on(at, cause)).collect()))
            .collect();
        for cause in 0..2 {
            let mut expected = 0.0;
            for at in 0..masks.len() {
                let mut moved = |by: f32| {
                    let mut masks = masks.clone();
                    masks[at].1[cause] += by;
                    nll(&mut before, &inputs, &masks)
                };
                let by_mask = (moved(1e-3) - moved(-1e-3)) / 2e-3;
                let mut slopes = [0.0; 3];
                soft_slopes(&mask.odds, &scratch.draws[at * 3..][..3], &mut slopes);
                expected += by_mask * f64::from(slopes[cause]);
            }
            let found = network.mask_gradient[cause];
            assert!(
                (found - expected).abs() < 1e-3 * expected.abs().max(0.1),
                "{found} {expected}"
            );
        }
        assert_eq!(network.mask_gradient[2], 0.0);
    }
}
