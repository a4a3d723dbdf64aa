//! A linear layer between padded widths, and the leaky `ReLU` that stands between two of them.

use super::adam::{self, AdamStep};
use super::aligned::Aligned;
use super::matmul;
use super::simd::dispatched;

/// Weights `[n_in, n_out]` and bias `[n_out]`; both widths are multiples of [`super::LANES`].
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    pub n_in: usize,
    pub n_out: usize,
    pub weights: Aligned,
    pub bias: Aligned,
}

impl Dense {
    pub(crate) fn zeros(n_in: usize, n_out: usize) -> Self {
        Self {
            n_in,
            n_out,
            weights: Aligned::zeros(n_in * n_out),
            bias: Aligned::zeros(n_out),
        }
    }

    /// `output = leaky(input weights + bias)`; `input: [rows, n_in]`, `output: [rows, n_out]`. A slope
    /// of one means no activation.
    pub(crate) fn forward(&self, rows: usize, input: &[f32], slope: f32, output: &mut [f32]) {
        let dims = [rows, self.n_in, self.n_out];
        matmul::affine(dims, input, &self.weights, (&self.bias, slope), output);
    }

    /// Gradients of weights and bias from the input, an activation of this slope, and the gradient of
    /// the output; and `downstream`, that of the pre-activations behind the input. `scratch` is as
    /// large as the weights.
    pub(crate) fn backward(
        &self,
        rows: usize,
        (input, slope): (&[f32], f32),
        upstream: &[f32],
        gradient: &mut Self,
        scratch: &mut [f32],
        downstream: &mut [f32],
    ) {
        let dims = [rows, self.n_in, self.n_out];
        matmul::weight_gradient(dims, input, upstream, &mut gradient.weights);
        sum_columns(&upstream[..rows * self.n_out], &mut gradient.bias);
        let (w, input) = (&self.weights, (input, slope));
        matmul::input_gradient(dims, upstream, w, input, scratch, downstream);
    }

    /// One Adam step; weight decay acts on the weights, not on the bias.
    pub(crate) fn step(
        &mut self,
        (first, second): (&mut Self, &mut Self),
        gradient: &Self,
        step: &AdamStep,
    ) {
        let (m, v) = (&mut first.weights, &mut second.weights);
        adam::update(step, &mut self.weights, m, v, &gradient.weights);
        let (m, v) = (&mut first.bias, &mut second.bias);
        let step = step.without_decay();
        adam::update(&step, &mut self.bias, m, v, &gradient.bias);
    }
}

dispatched! {
    /// `values[r] = leaky(values[r] + bias)` for every row.
    pub(crate) fn add_bias_leaky(values: &mut [f32], bias: &[f32], slope: f32) {
        for row in values.chunks_exact_mut(bias.len()) {
            for (value, bias) in row.iter_mut().zip(bias) {
                let sum = *value + bias;
                *value = sum.max(slope * sum);
            }
        }
    }
}

dispatched! {
    /// Turns the gradient of activations into that of pre-activations; the activation has the sign
    /// of its input, so it tells which branch was taken.
    pub(crate) fn leaky_backward(gradient: &mut [f32], activation: &[f32], slope: f32) {
        for (gradient, activation) in gradient.iter_mut().zip(activation) {
            *gradient *= if *activation > 0.0 { 1.0 } else { slope };
        }
    }
}

dispatched! {
    /// Column sums of a row-major matrix with `sums.len()` columns.
    pub(crate) fn sum_columns(matrix: &[f32], sums: &mut [f32]) {
        sums.fill(0.0);
        for row in matrix.chunks_exact(sums.len()) {
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum += value;
            }
        }
    }
}
