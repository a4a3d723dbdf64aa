//! One variable predicted from others by a network: loss, gradients and optimiser in one place.
//!
//! What the network is fed is the caller's business: lists of table rows, with weights where values
//! are numbers or masks are soft.

use std::ops::Range;

use rand::Rng;

use super::head::Head;
use super::inputs::Inputs;
use crate::nn::embedding::{Parts, add_mask_gradient};
use crate::nn::{AdamStep, InverseLists, Network, NetworkShape, RowLists, Workspace};

#[derive(Debug)]
pub(crate) struct PredictorScratch {
    /// What the network is fed, one list per row.
    pub lists: RowLists,
    /// What it should say, by list.
    pub observed: Vec<f32>,
    pub samples: Vec<u32>,
    /// Weights of the mask entries of one sample, `[cause]`.
    weights: Vec<f32>,
    /// Gradient of the loss by the mask, `[cause]`.
    by_mask: Vec<Parts>,
    inverse: InverseLists,
    workspace: Workspace,
}

impl PredictorScratch {
    pub(crate) fn new(n_vars: usize, weighted: bool) -> Self {
        Self {
            lists: if weighted {
                RowLists::weighted()
            } else {
                RowLists::default()
            },
            observed: Vec::new(),
            samples: Vec::new(),
            weights: vec![0.0; n_vars],
            by_mask: vec![Parts::default(); n_vars],
            inverse: InverseLists::default(),
            workspace: Workspace::default(),
        }
    }

    /// Lists the inputs of `samples` that left `variable` alone; `push` writes those of one sample, whose
    /// number among the listed ones it is told.
    pub(crate) fn list(
        &mut self,
        inputs: &Inputs,
        samples: &[u32],
        variable: usize,
        mut push: impl FnMut(&mut RowLists, usize, u32),
    ) {
        self.lists.clear();
        self.observed.clear();
        self.samples.clear();
        let alone = samples.iter().copied();
        for sample in alone.filter(|sample| inputs.is_left_alone(*sample, variable)) {
            push(&mut self.lists, self.samples.len(), sample);
            self.lists.finish_list();
            self.observed.push(inputs.observed(sample, variable));
            self.samples.push(sample);
        }
    }
}

#[derive(Debug)]
pub(crate) struct Predictor {
    pub network: Network,
    /// Room for the gradient of everything but the table.
    gradient: Network,
    moments: Option<Box<[Network; 2]>>,
    head: Box<dyn Head>,
    /// Table rows of the variable itself, which are never fed.
    own_rows: Range<usize>,
}

impl Predictor {
    /// A network with a random start for `variable`, of these hidden widths and this slope.
    pub(crate) fn new(
        inputs: &Inputs,
        variable: usize,
        head: Box<dyn Head>,
        (hidden, slope): (&[usize], f32),
        rng: &mut impl Rng,
    ) -> Self {
        let shape = NetworkShape {
            n_rows: inputs.n_rows(),
            hidden: hidden.to_vec(),
            n_outputs: head.n_outputs(),
            slope,
        };
        let network = shape.random(inputs.n_vars, rng);
        Self {
            gradient: network.gradient_buffers(),
            network,
            moments: None,
            head,
            own_rows: inputs.rows_of(variable),
        }
    }

    pub(crate) fn rest(&mut self) {
        self.moments = None;
        self.head.rest();
    }

    /// One step on the mean loss of a batch of `n_samples`, of which those listed count. Gives the sum of
    /// the loss, and sets `gradient` to that of the mean by the mask, `[cause]`; `weigh` sets the weights
    /// of the mask entries of a listed sample.
    pub(crate) fn fit(
        &mut self,
        (inputs, n_samples): (&Inputs, usize),
        step: &AdamStep,
        scratch: &mut PredictorScratch,
        gradient: &mut [f64],
        mut weigh: impl FnMut(usize, u32, &mut [f32]),
    ) -> f64 {
        gradient.fill(0.0);
        if scratch.samples.is_empty() {
            return 0.0;
        }
        let rows = scratch.lists.len();
        self.network.forward(&scratch.lists, &mut scratch.workspace);
        let outputs = &mut scratch.workspace.outputs()[..rows * self.network.n_outputs()];
        let weight = 1.0 / n_samples as f32;
        let loss = self.head.gradient(outputs, &scratch.observed, weight);
        self.network
            .backward(rows, &mut scratch.workspace, &mut self.gradient);
        let embedding = &self.network.embedding;
        let upstream = scratch.workspace.first_gradient();
        let (weights, by_mask) = (&mut scratch.weights, &mut scratch.by_mask);
        by_mask.fill(Parts::default());
        let listed = scratch.samples.iter().enumerate();
        for ((number, &sample), upstream) in listed.zip(upstream.chunks_exact(embedding.width)) {
            weigh(number, sample, weights);
            let rows = inputs.rows(sample);
            add_mask_gradient(&embedding.table, rows, upstream, weights, by_mask);
        }
        for (sum, parts) in gradient.iter_mut().zip(by_mask) {
            *sum = parts.iter().copied().map(f64::from).sum();
        }
        self.step(step, scratch);
        loss
    }

    /// One optimiser step along the gradients of a backward pass.
    fn step(&mut self, step: &AdamStep, scratch: &mut PredictorScratch) {
        let n_rows = self.network.embedding.n_rows();
        scratch.inverse.fill(&scratch.lists, n_rows);
        let network = &mut self.network;
        let moments = self
            .moments
            .get_or_insert_with(|| Box::new([network.zeros_like(), network.zeros_like()]));
        let table = (&scratch.inverse, &scratch.workspace);
        network.step(moments, &self.gradient, table, step, self.own_rows.clone());
        self.head.step(step);
    }

    pub(crate) fn loss(&mut self, scratch: &mut PredictorScratch) -> f64 {
        self.network.forward(&scratch.lists, &mut scratch.workspace);
        let len = scratch.lists.len() * self.network.n_outputs();
        let outputs = &mut scratch.workspace.outputs()[..len];
        self.head.nll(outputs, &scratch.observed)
    }
}
