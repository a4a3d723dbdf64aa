//! Every gradient of the networks against central differences of an f64 reference.

mod close;
mod gradients;
mod laws;
mod reference;

pub(crate) use reference::{Reference, normal_nll};

use super::{AdamParams, InverseLists, Network, RowLists, Workspace};

/// Gradient of the embedding table after a backward pass: without decay of the first moment, the
/// optimiser's step leaves it there.
fn table_gradient(network: &Network, lists: &RowLists, space: &Workspace) -> Vec<f32> {
    let mut embedding = network.embedding.clone();
    let mut inverse = InverseLists::default();
    inverse.fill(lists, embedding.n_rows());
    let adam = AdamParams {
        beta1: 0.0,
        ..AdamParams::at(1e-3)
    };
    let [mut first, mut second] = [network.zeros_like(), network.zeros_like()];
    let moments = (&mut first.embedding, &mut second.embedding);
    let step = adam.step(1, 0.0);
    embedding.step_table(moments, &inverse, space.first_gradient(), &step, 0..0);
    first.embedding.table.to_vec()
}
