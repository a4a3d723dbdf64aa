//! One conditional network: embedding sum, linear layers with leaky `ReLU` between, raw outputs.
//!
//! Paper: ENCO's categorical networks (two hidden activations of 64 by default).
//!
//! | symbol | code | shape |
//! |---|---|---|
//! | h0 | first of the activations | `[rows, width 0]` |
//! | h1, .. | the others | `[rows, width k]` |
//! | z | [`Workspace::outputs`] | `[rows, outputs]` |
//! | dL/d(pre-activation 0) | [`Workspace::first_gradient`] | `[rows, width 0]` |
//!
//! All widths are padded to a multiple of [`super::LANES`]. Padded units start at zero and stay
//! there: their activations, and hence all gradients that reach them, are exactly zero.

use super::adam::{self, AdamStep};
use super::aligned::Aligned;
use super::dense::{self, Dense};
use super::embedding::{Embedding, sum_rows};
use super::lists::{InverseLists, RowLists};
use super::{NetworkShape, padded};

/// Weights of one network; the same type holds its gradients and Adam's moments.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    pub embedding: Embedding,
    /// The linear layers, the last of which gives the outputs.
    pub layers: Vec<Dense>,
    slope: f32,
}

/// Activations and gradients of one pass, reused from pass to pass.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    activations: Vec<Aligned>,
    outputs: Aligned,
    gradients: Vec<Aligned>,
    transposed: Aligned,
}

impl Workspace {
    /// Outputs of the last forward pass, `[rows, outputs]`; the loss head turns them into the
    /// gradient of the loss in place.
    pub(crate) fn outputs(&mut self) -> &mut [f32] {
        &mut self.outputs
    }

    /// Gradient of the first layer's pre-activations after a backward pass, `[rows, width 0]`.
    pub(crate) fn first_gradient(&self) -> &[f32] {
        &self.gradients[0]
    }

    fn reserve(&mut self, network: &Network, rows: usize, with_gradients: bool) {
        let hidden = network.layers.len();
        self.activations.resize_with(hidden, Aligned::default);
        self.gradients.resize_with(hidden, Aligned::default);
        for (k, layer) in network.layers.iter().enumerate() {
            self.activations[k].grow(rows * layer.n_in);
            if with_gradients {
                self.gradients[k].grow(rows * layer.n_in);
                self.transposed.grow(layer.n_in * layer.n_out);
            }
        }
        self.outputs.grow(rows * network.n_outputs());
    }
}

impl Network {
    pub(crate) fn zeros(shape: &NetworkShape) -> Self {
        let widths = shape.hidden.iter().chain([&shape.n_outputs]);
        let widths: Vec<usize> = widths.map(|w| padded(*w)).collect();
        let layers = widths.windows(2);
        Self {
            embedding: Embedding::zeros(shape.n_rows, widths[0]),
            layers: layers.map(|w| Dense::zeros(w[0], w[1])).collect(),
            slope: shape.slope,
        }
    }

    /// A network of the same shape with every weight zero.
    #[must_use]
    pub(crate) fn zeros_like(&self) -> Self {
        self.zeros_of(self.embedding.n_rows())
    }

    /// Room for the gradient of everything but the embedding table.
    #[must_use]
    pub(crate) fn gradient_buffers(&self) -> Self {
        self.zeros_of(0)
    }

    fn zeros_of(&self, n_rows: usize) -> Self {
        let layers = self.layers.iter();
        Self {
            embedding: Embedding::zeros(n_rows, self.embedding.width),
            layers: layers.map(|l| Dense::zeros(l.n_in, l.n_out)).collect(),
            slope: self.slope,
        }
    }

    pub(crate) fn n_outputs(&self) -> usize {
        self.layers.last().map_or(0, |layer| layer.n_out)
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.parameters()
            .all(|values| values.iter().all(|v| v.is_finite()))
    }

    /// All weights, layer by layer; networks of one shape have the same order.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &[f32]> {
        let dense = self.layers.iter().flat_map(|l| [&l.weights, &l.bias]);
        let all = dense.chain([&self.embedding.table, &self.embedding.bias]);
        all.map(|values| &values[..])
    }

    pub(crate) fn parameters_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        let dense = self.layers.iter_mut();
        let dense = dense.flat_map(|l| [&mut l.weights, &mut l.bias]);
        let first = [&mut self.embedding.table, &mut self.embedding.bias];
        dense.chain(first).map(|values| &mut values[..])
    }

    pub(crate) fn forward(&self, inputs: &RowLists, space: &mut Workspace) {
        let rows = inputs.len();
        space.reserve(self, rows, false);
        let (first, slope) = (&self.embedding, self.slope);
        let output = &mut space.activations[0];
        sum_rows(&first.table, &first.bias, inputs, slope, output);
        let last = self.layers.len() - 1;
        for (k, layer) in self.layers[..last].iter().enumerate() {
            let (before, after) = space.activations.split_at_mut(k + 1);
            let output = &mut after[0][..rows * layer.n_out];
            layer.forward(rows, &before[k], self.slope, output);
        }
        let output = &mut space.outputs[..rows * self.layers[last].n_out];
        self.layers[last].forward(rows, &space.activations[last], 1.0, output);
    }

    /// Gradients of all layers but the embedding table, after [`Self::forward`] on `rows` lists
    /// and after the loss head replaced the outputs by their gradient. The table's gradient
    /// follows from [`Workspace::first_gradient`].
    pub(crate) fn backward(&self, rows: usize, space: &mut Workspace, gradient: &mut Self) {
        space.reserve(self, rows, true);
        for (k, layer) in self.layers.iter().enumerate().rev() {
            let (before, after) = space.gradients.split_at_mut(k + 1);
            let upstream: &[f32] = after.first().map_or(&space.outputs, |g| g);
            let input = (&space.activations[k][..rows * layer.n_in], self.slope);
            let (gradient, scratch) = (&mut gradient.layers[k], &mut space.transposed);
            let downstream = &mut before[k][..rows * layer.n_in];
            layer.backward(rows, input, upstream, gradient, scratch, downstream);
        }
        let first = &space.gradients[0][..rows * self.embedding.width];
        dense::sum_columns(first, &mut gradient.embedding.bias);
    }

    /// One Adam step on everything: dense layers from `gradient`, the table straight from
    /// [`Workspace::first_gradient`]. Table rows `skip` belong to the variable itself.
    pub(crate) fn step(
        &mut self,
        moments: &mut [Self; 2],
        gradient: &Self,
        table: (&InverseLists, &Workspace),
        step: &AdamStep,
        skip: std::ops::Range<usize>,
    ) {
        let [first, second] = moments;
        for (k, layer) in self.layers.iter_mut().enumerate() {
            let moments = (&mut first.layers[k], &mut second.layers[k]);
            layer.step(moments, &gradient.layers[k], step);
        }
        let (m, v) = (&mut first.embedding, &mut second.embedding);
        let (own, bias) = (&mut self.embedding, &gradient.embedding.bias);
        let without_decay = step.without_decay();
        adam::update(
            &without_decay,
            &mut own.bias,
            &mut m.bias,
            &mut v.bias,
            bias,
        );
        own.step_table((m, v), table.0, table.1.first_gradient(), step, skip);
    }
}
