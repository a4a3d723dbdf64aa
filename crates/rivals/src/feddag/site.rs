//! One client: its rows, its networks, and its copy of the logits.

use fedcdi_core::belief::sigmoid;
use fedcdi_core::{Dataset, Seed};
use ndarray::{Array2, Zip};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::FedDagParams;
use crate::notears::CyclePenalty;
use crate::rows::RowsUsed;
use fedcdi_learn::LearnError;
use fedcdi_learn::fit::{Batches, Exponential, LogitAdam};
use fedcdi_learn::predict::SoftNetworks;

pub(super) struct Site {
    pub(super) networks: SoftNetworks,
    /// U, `[cause, effect]`.
    pub(super) logits: Array2<f64>,
    logit_adam: LogitAdam,
    batches: Batches,
    noise: ChaCha8Rng,
    exponential: Exponential,
    temperature: f64,
    sparsity: f64,
    batch: usize,
    pub(super) n_rows: usize,
}

impl Site {
    /// A client with new networks and no opinion about edges. All clients of a run have the same
    /// `start`, so that averaged networks mean the same; batches and masks go by `own`.
    pub(super) fn new(
        params: &FedDagParams,
        data: &Dataset,
        start: &Seed,
        own: &Seed,
    ) -> Result<Self, LearnError> {
        let n_vars = data.n_vars();
        let used = |sample: &u32| match params.rows {
            RowsUsed::Observational => data.regime(*sample as usize).is_observational(),
            RowsUsed::Untouched => true,
        };
        let samples: Vec<u32> = (0..data.n_samples() as u32).filter(used).collect();
        let head = (params.head, "FedDAG's softmax");
        let networks = SoftNetworks::new(data, head, &params.hidden, params.rate, start)?;
        if samples.is_empty() {
            return Err(LearnError::NoObservationalRows);
        }
        Ok(Self {
            networks,
            logits: Array2::zeros((n_vars, n_vars)),
            logit_adam: LogitAdam::new(n_vars, params.rate),
            n_rows: samples.len(),
            batches: Batches::new(samples, &own.derive("batches", 0)),
            noise: own.derive("masks", 0).rng(),
            exponential: Exponential::new(n_vars),
            temperature: params.temperature,
            sparsity: params.sparsity,
            batch: params.batch,
        })
    }

    /// One step of networks and logits on one batch under one soft mask; the error is the variable
    /// whose network diverged.
    pub(super) fn step(&mut self, cost: CyclePenalty) -> Result<(), usize> {
        let mask = self.draw_mask();
        let columns = self.networks.fit(self.batches.next(self.batch), &mask)?;
        self.exponential.of(&(&mask * &mask));
        let by_cycles = cost.multiplier + cost.penalty * self.exponential.closed_walks();
        let closed = self.exponential.value();
        let gradient = Array2::from_shape_fn(mask.dim(), |(cause, effect)| {
            let m = mask[(cause, effect)];
            let by_mask = columns[effect][cause]
                + self.sparsity
                + by_cycles * 2.0 * m * closed[(effect, cause)];
            by_mask * m * (1.0 - m) / self.temperature
        });
        self.logit_adam.step(&mut self.logits, &gradient);
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
}
