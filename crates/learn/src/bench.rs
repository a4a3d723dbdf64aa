//! Stages of ENCO and products of a layer one by one, for benches; no part of the API.

use fedcdi_core::{Belief, Dataset, Seed};

use crate::enco::EncoParams;
use crate::enco::distribution::DistributionStage;
use crate::enco::graph_fit::GraphFit;
use crate::enco::logits::EdgeLogits;
use crate::fit::conditional::Conditional;
use crate::fit::samples::{Batch, Samples};
use crate::fit::setup::Setup;
use crate::nn::{AdamParams, matmul};

/// ENCO in the middle of a round, without known edges.
pub struct Stages {
    setup: Setup<EncoParams>,
    conditionals: Vec<Conditional>,
    logits: EdgeLogits,
    fit: GraphFit,
    batch: Batch,
}

impl Stages {
    pub fn new(params: EncoParams, data: &Dataset, belief: &Belief) -> Self {
        let setup = Setup::new(params, data, Samples::new(data), Seed::new(3));
        let samples = &setup.samples;
        let mut batch = Batch::default();
        batch.fill(samples, &samples.interventional()[0].samples);
        Self {
            conditionals: setup.new_networks(&setup.params.hidden, &Seed::new(1)),
            logits: EdgeLogits::from_belief(belief, 7.0, &setup.rules),
            fit: GraphFit::new(&setup.params, samples, (0, belief), &Seed::new(2)),
            batch,
            setup,
        }
    }

    pub fn fit_distributions(&mut self, steps: usize) {
        let (params, samples) = (&self.setup.params, &self.setup.samples);
        let rows = samples.observational();
        let stage = DistributionStage {
            samples,
            rows,
            batch: params.batch,
            steps,
            real_steps: steps,
            adam: AdamParams::at(params.model_rate),
            weight_decay: params.weight_decay_for(rows.len()),
            seed: Seed::new(3),
        };
        let scratch = &self.setup.scratch;
        stage.run(&mut self.conditionals, &self.logits, scratch, || {});
    }

    /// One graph-fitting step on the rows of the first regime; the belief stays.
    pub fn fit_graph(&mut self) {
        let targets = &self.setup.samples.interventional()[0].targets;
        let mut logits = self.logits.clone();
        let (setup, step) = (&self.setup, (&self.batch, &targets[..]));
        self.fit
            .step(setup, &self.conditionals, &mut logits, step, None);
    }
}

/// A product of a square layer of 64 inputs.
#[derive(Clone, Copy, Debug)]
pub enum Product {
    General,
    Forward,
    BackwardWeights,
    BackwardInput,
}

/// Multiplies these `[rows, 64]` inputs by a constant layer, into `y: [rows, 64]` or, for the weights,
/// `[64, 64]`. `scratch` has 64 * 64 numbers.
pub fn multiply(product: Product, x: &[f32], w: &[f32], scratch: &mut [f32], y: &mut [f32]) {
    let dims = [x.len() / 64, 64, 64];
    match product {
        Product::General => matmul::product(dims, x, w, y),
        Product::Forward => matmul::affine(dims, x, w, (&w[..64], 0.1), y),
        Product::BackwardWeights => matmul::weight_gradient(dims, x, x, y),
        Product::BackwardInput => matmul::input_gradient(dims, x, w, (x, 0.1), scratch, y),
    }
}
