//! The networks in f64, written as plainly as can be.

use crate::nn::Network;

/// The layers of a network as plain f64 matrices, padding included.
#[derive(Clone)]
pub(crate) struct Reference {
    pub(crate) table: Vec<f64>,
    pub(crate) bias: Vec<f64>,
    /// Weights `[n_in, n_out]` and bias of each dense layer.
    pub(crate) layers: Vec<(Vec<f64>, Vec<f64>)>,
    pub(crate) slope: f64,
}

impl Reference {
    pub(crate) fn new(network: &Network, slope: f64) -> Self {
        let double = |values: &[f32]| values.iter().map(|v| f64::from(*v)).collect();
        let layers = network.layers.iter();
        Self {
            table: double(&network.embedding.table),
            bias: double(&network.embedding.bias),
            layers: layers
                .map(|l| (double(&l.weights), double(&l.bias)))
                .collect(),
            slope,
        }
    }

    /// Outputs for one weighted list of table rows.
    pub(crate) fn outputs(&self, list: &[(u32, f64)]) -> Vec<f64> {
        self.forward(list, |_| ())
    }

    /// Distance of the pre-activation next to zero, where the leaky `ReLU` has no derivative and a
    /// difference quotient means nothing. Pads are exactly zero and do not count.
    pub(crate) fn nearest_kink(&self, list: &[(u32, f64)]) -> f64 {
        let mut nearest = f64::INFINITY;
        self.forward(list, |value| {
            if value != 0.0 {
                nearest = nearest.min(value.abs());
            }
        });
        nearest
    }

    /// Outputs; every pre-activation on the way is shown to `visit`.
    fn forward(&self, list: &[(u32, f64)], mut visit: impl FnMut(f64)) -> Vec<f64> {
        let width = self.bias.len();
        let mut values = self.bias.clone();
        for &(row, weight) in list {
            for (k, value) in values.iter_mut().enumerate() {
                *value += weight * self.table[row as usize * width + k];
            }
        }
        for (weights, bias) in &self.layers {
            let leaky = |v: f64| if v > 0.0 { v } else { self.slope * v };
            values.iter().copied().for_each(&mut visit);
            let input: Vec<f64> = values.iter().copied().map(leaky).collect();
            values.clone_from(bias);
            for (i, x) in input.iter().enumerate() {
                for (o, value) in values.iter_mut().enumerate() {
                    *value += x * weights[i * bias.len() + o];
                }
            }
        }
        values
    }

    /// `-log softmax` of one category among the first `n_categories`.
    pub(crate) fn nll(&self, list: &[(u32, f64)], category: usize, n_categories: usize) -> f64 {
        let outputs = self.outputs(list);
        let sum: f64 = outputs[..n_categories].iter().map(|z| z.exp()).sum();
        sum.ln() - outputs[category]
    }
}

/// The formula of the head in f64, where nothing is cut off.
pub(crate) fn normal_nll(outputs: &[f64], value: f64) -> f64 {
    let (mean, log_variance) = (outputs[0], outputs[1]);
    let constant = 0.5 * (2.0 * std::f64::consts::PI).ln();
    (value - mean).powi(2) / (2.0 * log_variance.exp() + 1e-5) + 0.5 * log_variance + constant
}
