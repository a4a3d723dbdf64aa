//! A bank of masked per-variable networks: the pieces.
//!
//! | module | holds |
//! |---|---|
//! | [`shape`] | sizes and random start |
//! | [`lists`] | inputs: which table rows each evaluated row sums |
//! | [`distinct`] | equal inputs evaluated once |
//! | [`embedding`], [`dense`] | layers, forward and backward |
//! | [`network`] | the layers put together |
//! | [`softmax`], [`gaussian`] | the loss heads of a categorical and of a real variable |
//! | [`adam`] | the optimiser |
//! | [`matmul`], [`aligned`] | matrix products, buffers |
//! | `simd`, `register`, `tile`, `wide` | loops and products compiled for AVX2 and AVX-512 |
//!
//! Nothing here knows what a graph is. A method brings the source of masks (lists of table rows),
//! the loss head (any in-place map from outputs to their gradient) and the schedule.

pub mod adam;
pub mod aligned;
pub mod dense;
pub mod distinct;
pub mod embedding;
pub mod gaussian;
pub mod lists;
pub(crate) mod math;
pub mod matmul;
pub mod network;
#[cfg(target_arch = "x86_64")]
mod register;
pub mod shape;
pub(crate) mod simd;
pub mod softmax;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(target_arch = "x86_64")]
mod tile;
#[cfg(target_arch = "x86_64")]
mod wide;

pub use adam::{AdamParams, AdamStep};
pub use distinct::Distinct;
pub use lists::{InverseLists, RowLists};
pub use network::{Network, Workspace};
pub use shape::{LANES, NetworkShape, padded};
pub use softmax::Softmax;
