//! Everything of fedcdi that fits.
//!
//! | module | holds |
//! |---|---|
//! | [`method`] | [`LocalMethod`]: what every local method offers; [`LearnError`] |
//! | [`enco`] | ENCO: the local method, and centralised discovery |
//! | [`nn`] | masked per-variable networks: layers, loss head, optimiser |
//! | [`conditional`] | one variable's network in training and in use |
//! | [`parent_sets`] | distinct sampled parent sets |
//! | [`samples`], [`batches`], [`draws`] | data, batches, random draws as the loops want them |
//! | [`progress`] | watching a run |
//!
//! The same seed gives the same bytes at any number of threads.

pub mod batches;
pub mod conditional;
pub mod draws;
pub mod enco;
pub mod method;
pub mod nn;
pub mod parent_sets;
mod pool;
pub mod progress;
pub mod samples;

pub use method::{LearnError, LocalMethod};
pub use pool::Pool;
pub use progress::{Observer, Progress, Stage};
