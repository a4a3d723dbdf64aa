//! One client: its rows, its networks, and its copy of the logits.

use fedcdi_core::Seed;
use fedcdi_core::belief::sigmoid;
use ndarray::{Array2, Zip};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::FedDagParams;
use crate::rows::RowsUsed;
use fedcdi_learn::Pool;
use fedcdi_learn::fit::batches::Batches;
use fedcdi_learn::fit::edge_rules::EdgeRules;
use fedcdi_learn::fit::exponential::Exponential;
use fedcdi_learn::fit::logit_adam::{Correction, LogitAdam};
use fedcdi_learn::nn::embedding::Parts;
use fedcdi_learn::nn::{AdamParams, AdamStep, Network, NetworkShape};
use fedcdi_learn::predict::head::{Head, SoftmaxHead, SquaredHead};
use fedcdi_learn::predict::{Inputs, Predictor, PredictorScratch};

/// Slope of the leaky `ReLU` in the networks.
const SLOPE: f32 = 0.05;

/// Mask entries below are 0 to the networks: in single precision they change nothing.
const NO_MASK: f64 = 1e-7;

/// What cycles cost: `multiplier h + penalty h^2 / 2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CycleCost {
    /// alpha.
    pub multiplier: f64,
    /// rho.
    pub penalty: f64,
}

/// A client in training.
pub struct Site {
    inputs: Inputs,
    predictors: Vec<Predictor>,
    /// U, `[cause, effect]`.
    logits: Array2<f64>,
    logit_adam: LogitAdam,
    network_adam: AdamParams,
    rules: EdgeRules,
    batches: Batches,
    noise: ChaCha8Rng,
    exponential: Exponential,
    temperature: f64,
    sparsity: f64,
    batch: usize,
    n_rows: usize,
    steps: usize,
    scratch: Pool<SiteScratch>,
}

struct SiteScratch {
    passes: PredictorScratch,
    samples: Vec<u32>,
    /// Causes that the mask lets through, and how much of them.
    open: Vec<(usize, f32)>,
    /// Where inputs have no values of their own, `[cause]`.
    ones: Vec<f32>,
    /// Gradient of the loss by the mask, `[cause]`.
    by_mask: Vec<Parts>,
}

impl Site {
    /// A client with new networks and no opinion about edges. All clients of a run have the same
    /// `start`, so that averaged networks mean the same; batches and masks go by `own`.
    pub fn new(params: &FedDagParams, inputs: Inputs, start: &Seed, own: &Seed) -> Self {
        let n_vars = inputs.n_vars();
        let used = |sample: &u32| match params.rows {
            RowsUsed::Observational => !inputs.is_interventional(*sample),
            RowsUsed::Untouched => true,
        };
        let samples: Vec<u32> = (0..inputs.n_samples() as u32).filter(used).collect();
        let adam = AdamParams::at(params.rate);
        let predictor = |variable| predictor(params, &inputs, variable, start);
        Self {
            predictors: (0..n_vars).map(predictor).collect(),
            logits: Array2::zeros((n_vars, n_vars)),
            logit_adam: LogitAdam::new(n_vars, adam, Correction::Bias),
            network_adam: adam,
            rules: EdgeRules::none(n_vars),
            n_rows: samples.len(),
            batches: Batches::new(samples, &own.derive("batches", 0)),
            noise: own.derive("masks", 0).rng(),
            exponential: Exponential::new(n_vars),
            temperature: params.temperature,
            sparsity: params.sparsity,
            batch: params.batch,
            steps: 0,
            scratch: Pool::default(),
            inputs,
        }
    }

    /// Rows that it learns from.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// U, `[cause, effect]`.
    pub fn logits(&self) -> &Array2<f64> {
        &self.logits
    }

    /// Goes to these logits; the optimiser's moments stay, as published.
    pub fn set_logits(&mut self, logits: &Array2<f64>) {
        self.logits.assign(logits);
    }

    /// The network of a variable.
    pub fn network(&self, variable: usize) -> &Network {
        self.predictors[variable].network()
    }

    /// The same, to be replaced.
    pub fn network_mut(&mut self, variable: usize) -> &mut Network {
        self.predictors[variable].network_mut()
    }

    /// One step of networks and logits on one batch under one soft mask.
    ///
    /// # Errors
    /// The variable whose network diverged.
    pub fn step(&mut self, cost: CycleCost) -> Result<(), usize> {
        let mask = self.draw_mask();
        self.steps += 1;
        let step = self.network_adam.step(self.steps, 0.0);
        let columns = self.fit_networks(&mask, &step)?;
        let h = {
            self.exponential.of(&(&mask * &mask));
            self.exponential.closed_walks()
        };
        let by_cycles = cost.multiplier + cost.penalty * h;
        let closed = self.exponential.value();
        let gradient = Array2::from_shape_fn(mask.dim(), |(cause, effect)| {
            let m = mask[(cause, effect)];
            let by_mask = columns[effect][cause]
                + self.sparsity
                + by_cycles * 2.0 * m * closed[(effect, cause)];
            by_mask * m * (1.0 - m) / self.temperature
        });
        self.logit_adam
            .step(&mut self.logits, &gradient, &self.rules);
        Ok(())
    }

    /// `sigma((U + g1 - g2) / tau)`, diagonal 0: the difference of two Gumbel draws is a logistic
    /// one.
    fn draw_mask(&mut self) -> Array2<f64> {
        let mut mask = Array2::zeros(self.logits.dim());
        let (noise, temperature) = (&mut self.noise, self.temperature);
        Zip::indexed(&mut mask)
            .and(&self.logits)
            .for_each(|(i, j), m, u| {
                let uniform: f64 = noise.random_range(f64::EPSILON..1.0);
                let logistic = uniform.ln() - (-uniform).ln_1p();
                if i != j {
                    *m = sigmoid((u + logistic) / temperature);
                }
            });
        mask
    }

    /// Steps all networks; gives the gradient of the mean loss by the mask, `[effect][cause]`.
    fn fit_networks(
        &mut self,
        mask: &Array2<f64>,
        step: &AdamStep,
    ) -> Result<Vec<Vec<f64>>, usize> {
        let samples = self.batches.next(self.batch);
        let (inputs, scratch) = (&self.inputs, &self.scratch);
        let networks = self.predictors.par_iter_mut().enumerate();
        let fitted: Vec<(f64, Vec<f64>)> = networks
            .with_max_len(1)
            .map(|(variable, predictor)| {
                let make = || SiteScratch::new(inputs);
                scratch.with(make, |scratch| {
                    let column: Vec<f64> = mask.column(variable).to_vec();
                    scratch.list(inputs, samples, variable, &column);
                    scratch.fit(predictor, inputs, samples.len(), step)
                })
            })
            .collect();
        match fitted.iter().position(|(loss, _)| !loss.is_finite()) {
            Some(variable) => Err(variable),
            None => Ok(fitted.into_iter().map(|(_, by_mask)| by_mask).collect()),
        }
    }
}

impl SiteScratch {
    fn new(inputs: &Inputs) -> Self {
        Self {
            passes: PredictorScratch::new(true),
            samples: Vec::new(),
            open: Vec::new(),
            ones: vec![1.0; inputs.n_vars()],
            by_mask: vec![Parts::default(); inputs.n_vars()],
        }
    }

    /// Lists the inputs of `samples` that left `variable` alone, each times its mask.
    fn list(&mut self, inputs: &Inputs, samples: &[u32], variable: usize, mask: &[f64]) {
        self.passes.clear();
        self.samples.clear();
        self.open.clear();
        let open = mask.iter().enumerate().filter(|(_, m)| **m > NO_MASK);
        self.open.extend(open.map(|(cause, m)| (cause, *m as f32)));
        let alone = samples.iter().copied();
        for sample in alone.filter(|sample| inputs.is_left_alone(*sample, variable)) {
            let rows = inputs.rows(sample);
            let values = inputs.weights(sample).unwrap_or(&self.ones);
            for &(cause, m) in &self.open {
                self.passes
                    .lists
                    .push_weighted(rows[cause], m * values[cause]);
            }
            self.passes.lists.finish_list();
            self.passes.observed.push(inputs.observed(sample, variable));
            self.samples.push(sample);
        }
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
        if self.samples.is_empty() {
            return (0.0, vec![0.0; inputs.n_vars()]);
        }
        let weight = 1.0 / n_samples as f32;
        let loss = predictor.differentiate(weight, &mut self.passes);
        let embedding = &predictor.network().embedding;
        let upstream = self.passes.first_gradient().chunks_exact(embedding.width);
        self.by_mask.fill(Parts::default());
        for (&sample, upstream) in self.samples.iter().zip(upstream) {
            let values = inputs.weights(sample).unwrap_or(&self.ones);
            let by_mask = &mut self.by_mask;
            embedding.add_mask_gradient(inputs.rows(sample), upstream, values, by_mask);
        }
        let sum = |parts: &Parts| parts.iter().copied().map(f64::from).sum();
        let by_mask = self.by_mask.iter().map(sum).collect();
        predictor.step(step, &mut self.passes);
        (loss, by_mask)
    }
}

fn predictor(params: &FedDagParams, inputs: &Inputs, variable: usize, start: &Seed) -> Predictor {
    let head: Box<dyn Head> = match inputs.n_categories(variable) {
        Some(n_categories) => Box::new(SoftmaxHead::new(n_categories)),
        None => Box::new(SquaredHead),
    };
    let shape = NetworkShape {
        n_rows: inputs.n_rows(),
        hidden: params.hidden.clone(),
        n_outputs: head.n_outputs(),
        slope: SLOPE,
    };
    let mut rng = start.derive("network", variable).rng();
    let network = shape.random(inputs.n_vars(), &mut rng);
    Predictor::new(network, head, inputs.rows_of(variable))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::twenty_rows::twenty_rows;
    use fedcdi_learn::predict::HeadChoice;

    #[test]
    fn the_gradient_by_the_mask_is_that_of_differences() {
        for choice in [HeadChoice::Categories, HeadChoice::Codes] {
            let (_, inputs) = Inputs::new(&twenty_rows(), choice, "this").unwrap();
            let params = FedDagParams {
                hidden: vec![8],
                ..FedDagParams::default()
            };
            let new = || {
                let mut new = predictor(&params, &inputs, 2, &Seed::new(4));
                for (k, bias) in new.network_mut().embedding.bias.iter_mut().enumerate() {
                    *bias = 0.3 * (k as f32 + 1.0).sin();
                }
                new
            };
            let samples: Vec<u32> = (0..20).collect();
            let mask = [0.7, 0.4, 0.0];
            let mut scratch = SiteScratch::new(&inputs);
            scratch.list(&inputs, &samples, 2, &mask);
            assert_eq!(scratch.samples.len(), 15);
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
