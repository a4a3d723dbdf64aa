//! Stages of ENCO and products of a layer one by one, for benches and examples; no part of the API.

use fedcdi_core::{Belief, Dataset, Seed};

use crate::enco::distribution::DistributionStage;
use crate::enco::graph_fit::{GraphContext, GraphFit};
use crate::enco::logits::EdgeLogits;
use crate::enco::prior::PriorTerm;
use crate::enco::{EncoParams, Estimator, PriorLoss};
use crate::fit::conditional::Conditional;
use crate::fit::edge_rules::EdgeRules;
use crate::fit::samples::{Batch, Samples};
use crate::fit::setup::Setup;
use crate::nn::{AdamParams, matmul};

/// ENCO in the middle of a round, without known edges.
pub struct Stages {
    setup: Setup<EncoParams>,
    conditionals: Vec<Conditional>,
    logits: EdgeLogits,
    prior: PriorTerm,
    fit: GraphFit,
    batch: Batch,
    regime: usize,
}

impl Stages {
    /// At this belief, with untrained networks.
    pub fn new(params: EncoParams, data: &Dataset, belief: &Belief) -> Self {
        let samples = Samples::new(data);
        let n_vars = samples.n_vars();
        let network = |j| {
            let seed = Seed::new(1).derive("network", j);
            Conditional::new(&samples, j, &params.hidden, 0.1, &seed)
        };
        let mut stages = Self {
            conditionals: (0..n_vars).map(network).collect(),
            logits: EdgeLogits::from_belief(belief, 7.0, &EdgeRules::none(n_vars)),
            prior: PriorTerm::new(PriorLoss::None, belief),
            fit: GraphFit::new(&params, &samples, 0, &Seed::new(2)),
            batch: Batch::default(),
            regime: 0,
            setup: Setup::new(params, data, samples, Seed::new(3)),
        };
        stages.take_rows(0, usize::MAX);
        stages
    }

    /// Trains the networks for this many steps of the first round, or as many as the settings say.
    pub fn fit_distributions(&mut self, steps: Option<usize>) {
        let Setup {
            params,
            samples,
            scratch,
            ..
        } = &self.setup;
        let rows = samples.observational();
        let stage = DistributionStage {
            samples,
            rows,
            batch: params.batch,
            steps: steps.unwrap_or_else(|| params.model_steps_in(0, rows.len())),
            real_steps: steps.unwrap_or_else(|| params.real_model_steps_in(0, rows.len())),
            adam: AdamParams::at(params.model_rate),
            weight_decay: params.weight_decay_for(rows.len()),
            seed: Seed::new(3),
        };
        stage.run(&mut self.conditionals, &self.logits, scratch, || {});
    }

    /// Starts graph fitting anew with this many sampled graphs.
    pub fn sample_graphs(&mut self, estimator: Estimator, graphs: usize) {
        let Setup {
            params, samples, ..
        } = &mut self.setup;
        params.estimator = estimator;
        params.graphs = graphs;
        self.fit = GraphFit::new(params, samples, 0, &Seed::new(graphs as u64));
    }

    /// Takes the first rows of an interventional regime; false if there is no such regime.
    pub fn take_rows(&mut self, regime: usize, most: usize) -> bool {
        let Some(taken) = self.setup.samples.interventional().get(regime) else {
            return false;
        };
        let rows = &taken.samples[..most.min(taken.samples.len())];
        self.batch.fill(&self.setup.samples, rows);
        self.regime = regime;
        true
    }

    /// One graph-fitting step on the rows taken last; the belief stays.
    pub fn fit_graph(&mut self) {
        let mut logits = self.logits.clone();
        let (fit, context, step) = self.parts();
        fit.step(&context, &mut logits, step, None);
    }

    /// Differences of the edges on the rows taken last, `[effect][cause]`.
    pub fn compare(&mut self) -> &[Vec<Option<f64>>] {
        let logits = self.logits.clone();
        let (fit, context, step) = self.parts();
        fit.compare(&context, &logits, step);
        self.fit.differences()
    }

    fn parts(&mut self) -> (&mut GraphFit, GraphContext<'_>, (&Batch, &[usize])) {
        let context = GraphContext {
            setup: &self.setup,
            conditionals: &self.conditionals,
            prior: &self.prior,
        };
        let targets = &self.setup.samples.interventional()[self.regime].targets;
        (&mut self.fit, context, (&self.batch, targets))
    }
}

/// A product of a square layer of 64 inputs.
#[derive(Clone, Copy, Debug)]
pub enum Product {
    /// By the gemm crate.
    General,
    /// From inputs to activations.
    Forward,
    /// Gradient of the weights.
    BackwardWeights,
    /// Gradient of the inputs.
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
