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

pub(crate) mod adam;
pub(crate) mod aligned;
pub(crate) mod dense;
pub(crate) mod distinct;
pub(crate) mod embedding;
pub(crate) mod gaussian;
pub(crate) mod lists;
pub(crate) mod math;
pub(crate) mod matmul;
pub(crate) mod network;
#[cfg(target_arch = "x86_64")]
mod register;
pub(crate) mod shape;
pub(crate) mod simd;
pub(crate) mod softmax;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(target_arch = "x86_64")]
mod tile;
#[cfg(target_arch = "x86_64")]
mod wide;

pub(crate) use adam::{AdamParams, AdamStep};
pub(crate) use distinct::Distinct;
pub(crate) use lists::{InverseLists, RowLists};
pub(crate) use network::{Network, Workspace};
pub(crate) use shape::{LANES, NetworkShape, padded};
pub(crate) use softmax::Softmax;
