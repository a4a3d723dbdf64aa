//! Every gradient of the networks against central differences of an f64 reference.

mod close;
mod gradients;
mod laws;
mod reference;

pub(crate) use reference::{Reference, normal_nll};
