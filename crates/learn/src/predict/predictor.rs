//! One variable predicted from others by a network: loss, gradients and optimiser in one place.
//!
//! What the network is fed is the caller's business: lists of table rows, with weights where values
//! are numbers or masks are soft.

use std::ops::Range;

use super::head::Head;
use crate::nn::{AdamStep, InverseLists, Network, RowLists, Workspace};

#[derive(Debug)]
pub(crate) struct PredictorScratch {
    /// What the network is fed, one list per row.
    pub lists: RowLists,
    /// What it should say, by list.
    pub observed: Vec<f32>,
    inverse: InverseLists,
    workspace: Workspace,
}

impl PredictorScratch {
    /// Empty ones, for lists with or without weights.
    pub(crate) fn new(weighted: bool) -> Self {
        Self {
            lists: if weighted {
                RowLists::weighted()
            } else {
                RowLists::default()
            },
            observed: Vec::new(),
            inverse: InverseLists::default(),
            workspace: Workspace::default(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.lists.clear();
        self.observed.clear();
    }

    /// Gradient of the first layer's pre-activations after [`Predictor::differentiate`], `[list,
    /// width]`.
    pub(crate) fn first_gradient(&self) -> &[f32] {
        self.workspace.first_gradient()
    }
}

/// A network, its head and their optimiser's state.
#[derive(Debug)]
pub(crate) struct Predictor {
    network: Network,
    /// Room for the gradient of everything but the table.
    gradient: Network,
    moments: Option<Box<[Network; 2]>>,
    head: Box<dyn Head>,
    /// Table rows of the variable itself, which are never fed.
    own_rows: Range<usize>,
}

impl Predictor {
    pub(crate) fn new(network: Network, head: Box<dyn Head>, own_rows: Range<usize>) -> Self {
        Self {
            gradient: network.gradient_buffers(),
            network,
            moments: None,
            head,
            own_rows,
        }
    }

    pub(crate) fn network(&self) -> &Network {
        &self.network
    }

    /// The network, to be changed from outside; the optimiser's moments stay.
    pub(crate) fn network_mut(&mut self) -> &mut Network {
        &mut self.network
    }

    pub(crate) fn rest(&mut self) {
        self.moments = None;
        self.head.rest();
    }

    /// Sum of the loss over the lists, and gradients with this weight per list.
    pub(crate) fn differentiate(&mut self, weight: f32, scratch: &mut PredictorScratch) -> f64 {
        let rows = scratch.lists.len();
        self.network.forward(&scratch.lists, &mut scratch.workspace);
        let width = self.network.n_outputs();
        let outputs = &mut scratch.workspace.outputs()[..rows * width];
        let loss = self.head.gradient(outputs, &scratch.observed, weight);
        self.network
            .backward(rows, &mut scratch.workspace, &mut self.gradient);
        loss
    }

    /// One optimiser step along the gradients of the last [`Self::differentiate`].
    pub(crate) fn step(&mut self, step: &AdamStep, scratch: &mut PredictorScratch) {
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
        let rows = scratch.lists.len();
        self.network.forward(&scratch.lists, &mut scratch.workspace);
        let width = self.network.n_outputs();
        let outputs = &mut scratch.workspace.outputs()[..rows * width];
        self.head.nll(outputs, &scratch.observed)
    }
}
