//! Sizes of a network and its random start.
//!
//! Paper: ENCO; embeddings are normal with deviation 2 / sqrt(N), linear weights uniform with
//! bound `sqrt(6 / (n_in n_out))`, biases zero. The bound is what `PyTorch` computes for the stacked
//! `[N, out, in]` tensor; it is about eight times below a per-network Kaiming start.

use rand::Rng;
use rand_distr::{Distribution, StandardNormal, Uniform};

use super::Network;

/// Widths that are worked on are multiples of this: one AVX2 register of f32.
pub(crate) const LANES: usize = 8;

/// `width` rounded up to a multiple of [`LANES`].
pub(crate) fn padded(width: usize) -> usize {
    width.next_multiple_of(LANES)
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NetworkShape {
    pub n_rows: usize,
    /// Widths of the hidden activations, at least one; the first is that of the embedding.
    pub hidden: Vec<usize>,
    pub n_outputs: usize,
    /// Slope of the leaky `ReLU` below zero, 0..=1.
    pub slope: f32,
}

impl NetworkShape {
    /// A network of this shape with the paper's random start; `n_vars` scales the embeddings.
    pub(crate) fn random(&self, n_vars: usize, rng: &mut impl Rng) -> Network {
        let mut network = Network::zeros(self);
        let scale = 2.0 / (n_vars as f32).sqrt();
        let padded_width = network.embedding.width;
        for row in network.embedding.table.chunks_exact_mut(padded_width) {
            for value in &mut row[..self.hidden[0]] {
                let normal: f32 = StandardNormal.sample(rng);
                *value = scale * normal;
            }
        }
        let outputs = self.hidden[1..].iter().chain([&self.n_outputs]);
        let widths = self.hidden.iter().zip(outputs);
        for (layer, (&n_in, &n_out)) in network.layers.iter_mut().zip(widths) {
            let bound = (6.0 / (n_in * n_out) as f32).sqrt();
            let uniform = Uniform::new_inclusive(-bound, bound).expect("a finite bound");
            for row in layer.weights.chunks_exact_mut(layer.n_out).take(n_in) {
                row[..n_out].fill_with(|| uniform.sample(rng));
            }
        }
        network
    }
}
