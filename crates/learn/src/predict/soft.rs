//! Networks under a soft mask: every input counts as much as its mask entry says (FedDAG).

use fedcdi_core::{Dataset, Seed};
use ndarray::Array2;
use rayon::prelude::*;

use super::head::GaussianHead;
use super::inputs::{HeadChoice, Inputs};
use super::predictor::{Predictor, PredictorScratch};
use crate::fit::pool::Pool;
use crate::learn_error::LearnError;
use crate::nn::{AdamParams, AdamStep};

const SLOPE: f32 = 0.05;

/// Mask entries below are 0 to the networks: in single precision they change nothing.
const NO_MASK: f64 = 1e-7;

/// One network per variable, and the rows that they learn from.
pub struct SoftNetworks {
    inputs: Inputs,
    predictors: Vec<Predictor>,
    adam: AdamParams,
    steps: usize,
    scratch: Pool<SoftScratch>,
}

struct SoftScratch {
    passes: PredictorScratch,
    /// Causes that the mask lets through, and how much of them.
    open: Vec<(usize, f32)>,
    /// Where inputs have no values of their own, `[cause]`.
    ones: Vec<f32>,
}

impl SoftNetworks {
    /// New networks of these hidden widths, for `method`, which learn by Adam at this rate.
    ///
    /// # Errors
    /// [`LearnError`] if the data cannot be learned from.
    pub fn new(
        data: &Dataset,
        (head, method): (HeadChoice, &'static str),
        hidden: &[usize],
        rate: f64,
        seed: &Seed,
    ) -> Result<Self, LearnError> {
        let (_, inputs) = Inputs::new(data, head, method)?;
        let new = |variable| predictor(&inputs, variable, hidden, seed);
        Ok(Self {
            predictors: (0..inputs.n_vars).map(new).collect(),
            adam: AdamParams::at(rate),
            steps: 0,
            scratch: Pool::default(),
            inputs,
        })
    }

    /// The weights of a variable's network, in an order of their own.
    pub fn weights(&self, variable: usize) -> impl Iterator<Item = &f32> {
        self.predictors[variable].network.parameters().flatten()
    }

    /// The same, to be changed.
    pub fn weights_mut(&mut self, variable: usize) -> impl Iterator<Item = &mut f32> {
        let network = &mut self.predictors[variable].network;
        network.parameters_mut().flatten()
    }

    /// One step of all networks on `samples` under `mask`, `[cause, effect]`. Gives the gradient of the
    /// mean loss by the mask, `[effect][cause]`.
    ///
    /// # Errors
    /// The variable whose network diverged.
    pub fn fit(&mut self, samples: &[u32], mask: &Array2<f64>) -> Result<Vec<Vec<f64>>, usize> {
        self.steps += 1;
        let step = self.adam.step(self.steps, 0.0);
        let (inputs, scratch) = (&self.inputs, &self.scratch);
        let networks = self.predictors.par_iter_mut().enumerate();
        let fitted: Vec<(f64, Vec<f64>)> = networks
            .with_max_len(1)
            .map(|(variable, predictor)| {
                let make = || SoftScratch::new(inputs);
                scratch.with(make, |scratch| {
                    let column: Vec<f64> = mask.column(variable).to_vec();
                    scratch.list(inputs, samples, variable, &column);
                    scratch.fit(predictor, inputs, samples.len(), &step)
                })
            })
            .collect();
        match fitted.iter().position(|(loss, _)| !loss.is_finite()) {
            Some(variable) => Err(variable),
            None => Ok(fitted.into_iter().map(|(_, by_mask)| by_mask).collect()),
        }
    }
}

impl SoftScratch {
    fn new(inputs: &Inputs) -> Self {
        Self {
            passes: PredictorScratch::new(inputs.n_vars, true),
            open: Vec::new(),
            ones: vec![1.0; inputs.n_vars],
        }
    }

    /// Lists the inputs of `samples` that left `variable` alone, each times its mask.
    fn list(&mut self, inputs: &Inputs, samples: &[u32], variable: usize, mask: &[f64]) {
        self.open.clear();
        let open = mask.iter().enumerate().filter(|(_, m)| **m > NO_MASK);
        self.open.extend(open.map(|(cause, m)| (cause, *m as f32)));
        self.passes
            .list(inputs, samples, variable, |lists, _, sample| {
                let rows = inputs.rows(sample);
                let values = inputs.weights(sample).unwrap_or(&self.ones);
                for &(cause, m) in &self.open {
                    lists.push_weighted(rows[cause], m * values[cause]);
                }
            });
    }

    /// One step on the mean loss of a batch of `n_samples`, of which those listed count; its sum and
    /// the gradient by the mask, `[cause]`.
    fn fit(
        &mut self,
        predictor: &mut Predictor,
        inputs: &Inputs,
        n_samples: usize,
        step: &AdamStep,
    ) -> (f64, Vec<f64>) {
        let mut by_mask = vec![0.0; inputs.n_vars];
        let weigh = |_, sample, weights: &mut [f32]| {
            weights.copy_from_slice(inputs.weights(sample).unwrap_or(&self.ones));
        };
        let batch = (inputs, n_samples);
        let loss = predictor.fit(batch, step, &mut self.passes, &mut by_mask, weigh);
        (loss, by_mask)
    }
}

fn predictor(inputs: &Inputs, variable: usize, hidden: &[usize], seed: &Seed) -> Predictor {
    let head = inputs.head(variable, GaussianHead::squared());
    let mut rng = seed.derive("network", variable).rng();
    Predictor::new(inputs, variable, head, (hidden, SLOPE), &mut rng)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::test_data::twenty_rows;

    #[test]
    fn the_gradient_by_the_mask_is_that_of_differences() {
        for choice in [HeadChoice::Categories, HeadChoice::Codes] {
            let (_, inputs) = Inputs::new(&twenty_rows(), choice, "this").unwrap();
            let new = || {
                let mut new = predictor(&inputs, 2, &[8], &Seed::new(4));
                for (k, bias) in new.network.embedding.bias.iter_mut().enumerate() {
                    *bias = 0.3 * (k as f32 + 1.0).sin();
                }
                new
            };
            let samples: Vec<u32> = (0..20).collect();
            let mask = [0.7, 0.4, 0.0];
            let mut scratch = SoftScratch::new(&inputs);
            scratch.list(&inputs, &samples, 2, &mask);
            assert_eq!(scratch.passes.samples.len(), 15);
            let step = AdamParams::at(5e-3).step(1, 0.0);
            let (_, found) = scratch.fit(&mut new(), &inputs, 20, &step);
            for cause in 0..2 {
                let mut moved = |by: f64| {
                    let mut mask = mask;
                    mask[cause] += by;
                    scratch.list(&inputs, &samples, 2, &mask);
                    new().loss(&mut scratch.passes) / 20.0
                };
                let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
                assert!((slope - found[cause]).abs() < 2e-3, "{slope} {found:?}");
            }
        }
    }
}
